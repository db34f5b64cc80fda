//! Copies that sync programs, file managers and editors put beside a packet, and packets that got a wrong name by them. By their content they are packets, and would stand in
//! the way of the real one. The table of their names is in `docs/packets.md`.

use super::file::{is_question_file, read_file};
use super::note::Note;
use super::project::Project;
use super::scan::file::meant_path;
use crate::ask::problem::quote;
use crate::ask::standing::ENDING;
use crate::ask::{Problem, ProblemCode};
use crate::platform::paths::Shown as _;
use crate::text::{Message, say};
use std::path::{Path, PathBuf};

const PACKET: &str = ".packet";
const QUESTION: &str = ".question";
/// So many marks of copies are taken off one name: there are copies of copies.
const DEEPEST: usize = 4;
/// In brackets, or behind a blank, with whatever else stands there.
const WORDS: [&str; 19] = [
    "conflicted copy",
    "conflict copy",
    "case conflict",
    "sfconflict",
    "conflict",
    "another copy",
    "copy",
    "的冲突副本",
    "冲突副本",
    "冲突文件",
    "冲突版本",
    "冲突",
    "的副本",
    "副本",
    "复件",
    "拷贝",
    "复制",
    "的备份",
    "备份",
];
/// With a time and more behind them.
const INFIXES: [&str; 10] = [
    ".sync-conflict-",
    "_conflict-",
    ".conflict",
    "_backup_",
    "_local_",
    "_remote_",
    ".ffs_",
    ".冲突",
    "_desktop-",
    "_laptop-",
];
/// With a time or a number behind it, if anything.
const NUMBERED: [&str; 3] = ["_conflict", "_冲突", "-冲突-"];
/// With a number behind them, if anything.
const ENDINGS: [&str; 9] = ["~", ".bak", ".orig", ".old", ".backup", ".tmp", ".swp", ".swo", ".save"];
/// At the end of a name as an executor gives it, too.
const PLAIN_ENDINGS: [&str; 6] = ["-old", "-bak", "-backup", "_old", "_bak", "_backup"];
const PREFIXES: [&str; 15] = [
    "copy of ",
    "backup of ",
    "复件 ",
    "副本 ",
    "备份 ",
    "拷贝 ",
    "复件-",
    "副本-",
    "备份-",
    "副本_",
    "备份_",
    "~$",
    ".#",
    "._",
    "~",
];
/// With a number in brackets behind them.
const NUMBERED_PREFIXES: [&str; 3] = ["copy (", "复件 (", "副本 ("];
/// How the names of computers begin and end that `OneDrive` puts behind a file's.
const HOSTS: [&str; 4] = ["desktop-", "laptop-", "win-", "pc-"];
const HOSTS_TOO: [&str; 12] = [
    "-pc",
    "-laptop",
    "-desktop",
    "-macbook",
    "-macbook-pro",
    "-macbook-air",
    "-imac",
    "的电脑",
    "的笔记本",
    "的macbook",
    "的macbook pro",
    "的macbook air",
];

/// The name of which a `*.json` name is a copy's, if there is such a file.
pub(super) fn original_of(name: &str) -> Option<String> {
    let stem = name.strip_suffix(".json")?;
    let ends = |ending| Some((stem.strip_suffix(ending)?, ending));
    let (inner, ending) = [PACKET, QUESTION].into_iter().find_map(ends).unwrap_or((stem, ""));
    // As an executor names its packets: that is nearly all of them.
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if inner.bytes().all(is_plain) && !PLAIN_ENDINGS.iter().any(|ending| inner.ends_with(ending)) {
        return None;
    }
    let original = (0..DEEPEST).try_fold(inner, |inner, _| match unmarked(inner) {
        Some(shorter) => Ok(shorter),
        None => Err(inner),
    });
    let original = original.unwrap_or_else(|last| last);
    if original == inner || original.is_empty() {
        return None;
    }
    Some(format!("{original}{ending}.json"))
}

/// A name without the last mark of a copy.
fn unmarked(stem: &str) -> Option<&str> {
    let folded = stem.to_ascii_lowercase();
    let cut =
        |at: usize| Some(stem[..at].trim_end_matches([' ', '-', '.', '_'])).filter(|rest| !rest.is_empty());
    if let Some(at) = INFIXES.iter().filter_map(|infix| folded.rfind(infix)).min() {
        return cut(at);
    }
    if let Some((number, rest)) =
        NUMBERED_PREFIXES.iter().find_map(|mark| folded.strip_prefix(mark)?.split_once(") "))
        && is_number(number)
    {
        let rest = rest.strip_prefix("of ").unwrap_or(rest);
        return Some(&stem[stem.len() - rest.len()..]).filter(|rest| !rest.is_empty());
    }
    if let Some(prefix) = PREFIXES.iter().find(|prefix| folded.starts_with(**prefix)) {
        return Some(&stem[prefix.len()..]).filter(|rest| !rest.is_empty());
    }
    let timed = |mark: &&str| Some(folded.rsplit_once(*mark).filter(|(_, behind)| is_time(behind))?.0.len());
    if let Some(at) = NUMBERED.iter().find_map(timed) {
        return cut(at);
    }
    let unnumbered = folded.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('.');
    let endings = ENDINGS.iter().filter_map(|ending| unnumbered.strip_suffix(ending));
    let plain = PLAIN_ENDINGS.iter().filter_map(|ending| folded.strip_suffix(ending));
    if let Some(rest) = endings.chain(plain).next() {
        return cut(rest.len());
    }
    if folded.ends_with([')', '）', ']', '】']) {
        let at = folded.rfind(['(', '（', '[', '【'])?;
        let inside = folded[at..].trim_matches(['(', ')', '（', '）', '[', ']', '【', '】', ' ']);
        return (is_number(inside) || WORDS.iter().any(|word| inside.contains(word)))
            .then(|| cut(at))
            .flatten();
    }
    if let Some((before, last)) = stem.rsplit_once(' ')
        && is_number(last)
    {
        // `X copy 2`, and `X 2` of iCloud.
        return unmarked(before).or_else(|| cut(before.len()));
    }
    let is_host = |&(at, _): &(usize, &str)| {
        let host = &folded[at + 1..];
        let is_name = |c: char| c.is_ascii_uppercase() || !c.is_ascii() && !host.contains('-');
        stem[at + 1..].starts_with(is_name)
            && (HOSTS.iter().any(|begin| host.starts_with(begin))
                || HOSTS_TOO.iter().any(|end| host.ends_with(end)))
    };
    let host = stem.match_indices('-').find(is_host).map(|(at, _)| at);
    let worded = || {
        let begins = |word: &&str| {
            let at = folded.rfind(*word)?;
            let behind = &folded[at + word.len()..];
            // Chinese needs no blank; but a scene may be called by a conflict.
            let is_glued = !word.is_ascii() && *word != "冲突";
            let is_last =
                if is_glued { is_time(behind) || behind.starts_with([' ', '_']) } else { behind.is_empty() };
            let is_apart = is_glued || folded[..at].ends_with(' ');
            (is_apart && (is_last || behind.starts_with(' '))).then_some(at)
        };
        WORDS.iter().filter_map(begins).min()
    };
    cut(host.or_else(worded)?)
}

fn is_number(text: &str) -> bool {
    (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_time(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.' | b' ' | b't'))
}

/// The packet or question, relative to the root, of which a file is a copy; of one whose name nobody looks for, the one that is meant.
pub(super) fn original(project: &Project, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let copied = original_of(name).map(|name| path.with_file_name(name));
    let is_there = |path: &PathBuf| project.dir().symlink_metadata(path).is_ok();
    // A packet may have any name, and a question only this one.
    let is_none = is_question_file(path) && !name.ends_with(ENDING);
    let is_question = |path: &PathBuf| path.shown().ends_with(ENDING);
    copied
        .filter(|path| if is_none { is_question(path) } else { is_there(path) })
        .or_else(|| Some(meant_path(project, path)?).filter(|(_, is_it)| !is_it).map(|(it, _)| it))
}

/// What is said of a packet that is a copy, or has a wrong name, by its path relative to the root.
pub fn of(project: &Project, path: &Path) -> Option<(Note, Problem)> {
    Some(problem(project, path, &original(project, path)?))
}

fn problem(project: &Project, copy: &Path, original: &Path) -> (Note, Problem) {
    let read = |path: &Path| read_file(&project.root().join(path)).unwrap_or_default();
    let name = |path: &Path| path.file_name().unwrap_or_default().shown().into_owned();
    let expected = say("one file for each packet and question", "每个指令包、每个提问只有一个文件");
    let told = |note, found, parts: &[&str], expected, hint| {
        let [found, expected, hint] = [found, expected, hint].map(|says| Message::new(says, parts));
        (note, Problem::new(ProblemCode::Other, found, expected).with_hint(hint))
    };
    if project.dir().symlink_metadata(original).is_err() {
        let packet = (
            say(
                "the name {1}, under which the executor looks for no packet",
                "名称 {1}，执行器不会按它找指令包",
            ),
            say("a name that ends with .packet.json", "以 .packet.json 结尾的名称"),
        );
        let question = (
            say("the name {1}, which is not one of a question", "名称 {1}，不是提问的文件名"),
            say("a name that ends with .question.json", "以 .question.json 结尾的名称"),
        );
        let (found, expected) = if is_question_file(copy) { question } else { packet };
        let hint = say("It asks nothing. Rename the file to {0}.", "它不会提问。请把文件改名为 {0}。");
        let own = quote(&name(copy).as_str().into());
        return told(Note::Misnamed, found, &[&name(original), &own], expected, hint);
    }
    let lines = |path| read(path).split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (copied, first) = (lines(copy), lines(original));
    let (found, hint) = if copied == first {
        let alike = say("a copy of {0}, the same byte for byte", "{0} 的副本，内容完全相同");
        (alike, say("It asks nothing. Delete the copy.", "它不会提问。请删除副本。"))
    } else {
        let differs = say("a copy of {0} that differs from line {1} on", "{0} 的副本，从第 {1} 行起不同");
        let compare = say(
            "It asks nothing. Compare the two, keep what is right in the original, and delete the copy.",
            "它不会提问。请比较两个文件，把正确的内容留在原文件里，再删除副本。",
        );
        (differs, compare)
    };
    let line = 1 + copied.iter().zip(&first).take_while(|(one, other)| one == other).count();
    told(Note::Copy, found, &[&name(original), &line.to_string()], expected, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: &[&str] = &[
        " (conflicted copy 2026-11-26)",
        " (张三 的冲突副本 2026-11-26)",
        " 的冲突副本 2026-11-26",
        " (1)",
        "(1)",
        "（1）",
        " (2) (1)",
        " - 副本",
        " - 副本 (2)",
        " - Copy",
        " - Copy (2)",
        " copy",
        " copy 2",
        " 2",
        " 副本",
        "的副本",
        " (copy)",
        " (another copy)",
        "（复件）",
        ".sync-conflict-20261126-101112-ABCDEFG",
        "_conflict-20261126-101112",
        "-DESKTOP-1AB2C3D",
        " (SFConflict a@b.c 2026-11-26-10-11-12)",
        "~",
        ".bak",
        ".orig",
        ".Conflict",
        " (Anna's conflicted copy)",
        "_BACKUP_1234",
        "_backup",
        "-old",
        "-ZHANGSAN-PC",
        ".ffs_tmp",
        "_conflict2026-11-26",
        ".冲突-2026-11-26",
        "-副本",
        "_副本",
        "副本",
        "-副本2",
        " - 副本2",
        "（副本）",
        "(副本 2)",
        " 副本 3",
        "的副本2",
        "（第 3 个复件）",
        "（另一个复件）",
        " (3rd copy)",
        "-复件",
        "-拷贝",
        "（复制）",
        "-备份",
        "_备份_20261126",
        "备份",
        " 的备份",
        "(冲突文件)",
        "（冲突版本）",
        "_冲突文件_张三_20261126",
        "_冲突_20261126",
        "-冲突-2026-11-26",
        " (冲突-张三-2026-11-26)",
        " [conflicted]",
        "【副本】",
        "[1]",
        ".bak1",
        ".bak.2",
        "~1~",
        ".swo",
        ".save",
        "-张三的MacBook Pro",
        "-张三的电脑",
        "-Annas-MacBook-Pro",
        "_DESKTOP-1AB2C3D_Nov-26-101112-2026_Conflict",
    ];

    #[test]
    fn names_of_copies_are_known() {
        for mark in MARKS {
            let original = || "chapter-013-draft.packet.json".to_owned();
            let behind = format!("chapter-013-draft.packet{mark}.json");
            assert_eq!(original_of(&behind), Some(original()), "{behind}");
            let inside = format!("chapter-013-draft{mark}.packet.json");
            assert_eq!(original_of(&inside), Some(original()), "{inside}");
            let plain = format!("gate{mark}.json");
            assert_eq!(original_of(&plain), Some("gate.json".to_owned()), "{plain}");
        }
        for prefix in [
            "Copy of ",
            "Copy (2) of ",
            "复件 ",
            "复件 (2) ",
            "副本 ",
            "副本-",
            "备份_",
            "~$",
            "~",
            "._",
            "Copy of Copy of ",
        ] {
            for original in ["chapter-013-draft.packet.json", "tone.question.json", "gate.json"] {
                let copy = format!("{prefix}{original}");
                assert_eq!(original_of(&copy), Some(original.to_owned()), "{copy}");
            }
        }
    }

    #[test]
    fn other_names_stay_those_of_packets() {
        for name in [
            "chapter-013-old-town-draft.packet.json",
            "chapter-013-VOL-2.packet.json",
            "chapter_conflict_scene.packet.json",
            "old.packet.json",
            "chapter-013-draft.packet.json",
            "chapter-013-draft-copy.packet.json",
            "copy.packet.json",
            "chapter-2.packet.json",
            "chapter-013-conflict.packet.json",
            "(1).json",
            "photocopy.json",
            "场景（雨夜）.packet.json",
            "a (2026-11-26).json",
            "chapter-13-冲突.json",
            "chapter-13-冲突.packet.json",
            "第13章-冲突升级.packet.json",
            "第13章-副本首领.packet.json",
            "第 1234 章.packet.json",
            "a.txt",
            ".json",
        ] {
            let found = original_of(name);
            assert!(!name.ends_with(".packet.json") || found.is_none(), "{name}: {found:?}");
        }
    }
}
