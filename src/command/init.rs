//! `init`: shows the files that wire the program into a project's executors and, with `--write`, writes them: all of them,
//! or none if one is refused.

use super::output::{Head, Output, form};
use super::{Session, skill};
use crate::cli::{Init, SkillName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::file_snapshot::FileSnapshot;
use crate::text::{Lang, Message, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

mod settings;

const SKILL: &str = ".claude/skills/novel-gate/SKILL.md";
const SETTINGS: &str = ".claude/settings.json";
const AGENTS: &str = "AGENTS.md";
/// Begins our part of a Markdown file; on a line of its own.
const BEGIN: &str = "<!-- novel-gate begin -->";
/// Ends our part; on a line of its own.
const END: &str = "<!-- novel-gate end -->";

pub(super) const OUTPUT: Output = Output::new(
    "init-output",
    "What init --json prints. Exit 5 a file leads out of the project or cannot be written, 6 one is not ours to change.",
    &[form::<InitOutput>(
        &["planned", "written", "unchanged", "refused"],
        &[0, 1, 5, 6],
        &["planned", "written", "unchanged", "refused", "not-ours", "unreadable"],
    )],
);

/// The files that wire novel-gate into a project's executors.
#[derive(Serialize, JsonSchema)]
struct InitOutput {
    /// Every file that is looked at.
    files: Vec<WiredFile>,
    /// Whether anything was written; if a file is refused, nothing is.
    written: bool,
}

/// One file.
#[derive(Serialize, JsonSchema)]
struct WiredFile {
    /// Relative to the project's root.
    path: &'static str,
    /// What is done with it, or would be.
    action: Action,
    /// The line where something goes in, from 1.
    line: Option<usize>,
    /// What is made or goes in; of a refused file, what to add by hand.
    text: Option<String>,
    /// Why it is refused.
    reason: Option<String>,
    /// What the file was and what it is to be.
    #[serde(skip)]
    change: Option<(FileSnapshot, String)>,
    #[serde(skip)]
    refusal: Option<Error>,
}

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Create,
    Insert,
    Update,
    Unchanged,
    Refused,
}

/// Shows what wires the project, and writes it with `--write`.
///
/// # Errors
/// There is no project, or a file could not be written.
pub fn run(session: &mut Session<'_>, arguments: &Init) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let wanted =
        |executor: SkillName| arguments.executors.is_empty() || arguments.executors.contains(&executor);
    let (lang, mut steps) = (session.lang, Vec::new());
    if wanted(SkillName::ClaudeCode) {
        steps.push(step(&project, SKILL, lang, |old| skill_file(old, lang)));
        steps.push(step(&project, SETTINGS, lang, |old| settings_file(old, lang)));
    }
    if wanted(SkillName::Codex) {
        steps.push(step(&project, AGENTS, lang, |old| agents_file(old, lang)));
    }
    let refused = steps.iter().any(|step| step.refusal.is_some());
    let mut written = 0;
    if arguments.write && !refused {
        for step in &steps {
            if let Some((snapshot, text)) = &step.change {
                snapshot
                    .replace(&project, text.as_bytes())
                    .map_err(|error| name_written(error, &steps, written))?;
                written += 1;
            }
        }
    }
    let write = arguments.write && !refused;
    let names: Vec<&str> = steps.iter().filter(|step| step.change.is_some()).map(|step| step.path).collect();
    let written = say("Written: {0}.", "已写入：{0}。").fill(session.lang, &[&names.join(", ")]);
    let printed = print(session, steps, write);
    printed.map_err(|error| if write { super::told(error, &written) } else { error })
}

/// What becomes of a file that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
struct Edit {
    action: Action,
    /// The whole new content.
    whole: String,
    /// What is made or goes in, and the line where it begins, from 1.
    text: String,
    line: Option<usize>,
}

/// Why a file is not touched, and what to add by hand.
type Refused = (Message, String);

fn step(
    project: &Project,
    path: &'static str,
    lang: Lang,
    edit: impl FnOnce(Option<&[u8]>) -> Result<Option<Edit>, Refused>,
) -> WiredFile {
    let action = Action::Unchanged;
    let step = WiredFile { path, action, line: None, text: None, reason: None, change: None, refusal: None };
    let (error, text) = match FileSnapshot::read(project, path) {
        Err(error) => (error, None),
        Ok(snapshot) => match edit(snapshot.bytes.as_deref()) {
            Ok(None) => return step,
            Ok(Some(Edit { action, whole, text, line })) => {
                return WiredFile { action, text: Some(text), line, change: Some((snapshot, whole)), ..step };
            }
            Err((why, by_hand)) => {
                let sentence = say("{0} is left as it is. {1}", "{0} 保持原样。{1}");
                let message = Message::in_both(|lang| sentence.fill(lang, &[path, &why.text(lang)]));
                (Error::of(ExitCode::Exists, "not-ours", message), Some(by_hand))
            }
        },
    };
    let reason = Some(error.text(lang));
    WiredFile { action: Action::Refused, text, reason, refusal: Some(error), ..step }
}

fn utf8<'b>(bytes: &'b [u8], by_hand: &str) -> Result<&'b str, Refused> {
    str::from_utf8(bytes).map_err(|_| (say("It is not UTF-8.", "它不是 UTF-8。").into(), by_hand.to_owned()))
}

fn skill_file(old: Option<&[u8]>, lang: Lang) -> Result<Option<Edit>, Refused> {
    let about = say(
        "Ask the author the questions of a gate (a packet with novel_ask) and wait for the record. Use it before running \
         any step whose packet has novel_ask.",
        "就门控（带 novel_ask 的指令包）向作者提问并等待记录。凡指令包带有 novel_ask，运行其步骤之前使用。",
    );
    let part = marked(skill::text(SkillName::ClaudeCode, lang));
    let fresh = format!("---\nname: novel-gate\ndescription: {}\n---\n\n{part}", about.text(lang));
    let Some(bytes) = old else { return Ok(Some(created(fresh))) };
    let text = utf8(bytes, &fresh)?;
    if !is_ours(text) {
        let why = say(
            "It is not novel-gate's: it has no line <!-- novel-gate begin -->.",
            "它不是 novel-gate 的文件：其中没有 <!-- novel-gate begin --> 一行。",
        );
        return Err((why.into(), fresh));
    }
    in_section(text, part)
}

fn agents_file(old: Option<&[u8]>, lang: Lang) -> Result<Option<Edit>, Refused> {
    let part = marked(skill::text(SkillName::Codex, lang));
    match old {
        None => Ok(Some(created(part))),
        Some(bytes) => in_section(utf8(bytes, &part)?, part),
    }
}

fn settings_file(old: Option<&[u8]>, lang: Lang) -> Result<Option<Edit>, Refused> {
    let fresh = settings::fresh(lang);
    match old {
        None => Ok(Some(created(fresh))),
        Some(bytes) => settings::plan(bytes, lang).map_err(|why| (why, fresh)),
    }
}

fn created(text: String) -> Edit {
    Edit { action: Action::Create, whole: text.clone(), text, line: None }
}

/// Our part of a Markdown file with its marks.
fn marked(words: &str) -> String {
    format!("{BEGIN}\n{}\n{END}\n", words.trim_end())
}

/// Whether a file has our part.
fn is_ours(text: &str) -> bool {
    lines(text).any(|(_, line)| line.trim() == BEGIN || line.trim() == END)
}

/// Puts our part into a text: in the place of the one that is there, else at the end. Every other byte is kept.
fn in_section(text: &str, part: String) -> Result<Option<Edit>, Refused> {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let laid_out = part.replace('\n', eol);
    let at =
        |mark: &str| -> Vec<(usize, &str)> { lines(text).filter(|(_, line)| line.trim() == mark).collect() };
    let (action, whole, line) = match (at(BEGIN).as_slice(), at(END).as_slice()) {
        ([], []) => {
            let mut whole = text.to_owned();
            if !text.is_empty() && !text.ends_with('\n') {
                whole.push_str(eol);
            }
            if !text.is_empty() {
                whole.push_str(eol);
            }
            let line = whole.matches('\n').count() + 1;
            (Action::Insert, whole + &laid_out, Some(line))
        }
        (&[(begin, _)], &[(last, line)]) if begin < last => {
            let behind = last + line.len();
            if text[begin..behind].trim_end() == laid_out.trim_end() {
                return Ok(None);
            }
            // A last line without an end keeps none.
            let part = if line.ends_with('\n') { laid_out.as_str() } else { laid_out.trim_end() };
            (Action::Update, format!("{}{part}{}", &text[..begin], &text[behind..]), None)
        }
        _ => {
            let why = say(
                "It must have one line <!-- novel-gate begin --> and one line <!-- novel-gate end --> behind it, or neither.",
                "其中应有一行 <!-- novel-gate begin --> 和它之后的一行 <!-- novel-gate end -->，或两者都没有。",
            );
            return Err((why.into(), part));
        }
    };
    Ok(Some(Edit { action, whole, text: part, line }))
}

/// The lines with their ends, each with its offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, line))
    })
}

/// Adds to an error which files were written before it.
fn name_written(error: Error, steps: &[WiredFile], written: usize) -> Error {
    let changed = steps.iter().filter(|step| step.change.is_some());
    let names: Vec<&str> = changed.take(written).map(|step| step.path).collect();
    if names.is_empty() {
        return error;
    }
    error.hint(say("Written before that: {0}.", "在此之前已写入：{0}。"), &[&names.join(", ")])
}

impl Action {
    fn sentence(self, written: bool) -> Sentence {
        match (self, written) {
            (Action::Create, false) => say("{0}: would be created:", "{0}：将新建："),
            (Action::Create, true) => say("{0}: created.", "{0}：已新建。"),
            (Action::Insert, false) => {
                say("{0}: this would be inserted at line {1}:", "{0}：将在第 {1} 行插入：")
            }
            (Action::Insert, true) => say("{0}: inserted at line {1}.", "{0}：已在第 {1} 行插入。"),
            (Action::Update, false) => {
                say("{0}: the marked part would become:", "{0}：标记之间的部分将变为：")
            }
            (Action::Update, true) => say("{0}: the marked part is updated.", "{0}：标记之间的部分已更新。"),
            (Action::Unchanged, _) => say("{0}: already up to date.", "{0}：已符合要求。"),
            (Action::Refused, _) => say("{0}: refused.", "{0}：拒绝改动。"),
        }
    }
}

fn print(session: &mut Session<'_>, steps: Vec<WiredFile>, write: bool) -> Result<ExitCode, Error> {
    let refusal = steps.iter().find_map(|step| step.refusal.as_ref());
    let exit = refusal.map_or(ExitCode::Done, |error| error.kind);
    let pending = steps.iter().any(|step| step.change.is_some());
    let written = write && pending;
    let (status, sentence) = match (refusal.is_some(), pending, written) {
        (true, ..) => ("refused", say("Nothing was written.", "没有写入任何内容。")),
        (_, false, _) => ("unchanged", say("Everything is already wired.", "已全部接好。")),
        (_, _, true) => ("written", say("The project is wired.", "项目已接好。")),
        _ => {
            ("planned", say("Nothing was written; --write writes it.", "没有写入任何内容；用 --write 写入。"))
        }
    };
    if session.global.json {
        let message = match refusal {
            Some(error) => error.text(session.lang),
            None => sentence.text(session.lang).to_owned(),
        };
        let code = refusal.map_or(status, |error| error.code);
        return session.json(Head::new(status, exit, code, message), InitOutput { files: steps, written });
    }
    for step in &steps {
        let line = step.line.map(|line| line.to_string()).unwrap_or_default();
        let mut lines = vec![step.action.sentence(written).fill(session.lang, &[step.path, &line])];
        if !written && step.refusal.is_none() {
            lines.extend(indented(step));
        }
        session.print(&lines)?;
    }
    for step in &steps {
        let Some(reason) = &step.reason else { continue };
        let mut lines = vec![reason.clone()];
        if step.text.is_some() {
            lines.push(say("To be added by hand:", "请手动加入：").text(session.lang).to_owned());
            lines.extend(indented(step));
        }
        session.warn(&lines);
    }
    session.print(&[sentence.text(session.lang).to_owned()])?;
    Ok(exit)
}

fn indented(step: &WiredFile) -> impl Iterator<Item = String> {
    step.text.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is done with a text, the whole new text, and the line where our part goes in.
    fn plan(text: &str, words: &str) -> Option<(Action, String, Option<usize>)> {
        let edit = in_section(text, marked(words)).expect("marks that tell");
        edit.map(|edit| (edit.action, edit.whole, edit.line))
    }

    #[test]
    fn our_part_goes_to_the_end_and_is_then_left_alone() {
        for (before, line) in [("", 1), ("# Rules\n", 3), ("# Rules", 3), ("# Rules\r\n", 3)] {
            let Some((Action::Insert, text, at)) = plan(before, "Words.\n") else { panic!("{before:?}") };
            assert!(text.starts_with(before), "{text:?}");
            assert_eq!(at, Some(line), "{text:?}");
            assert!(is_ours(&text));
            assert_eq!(text.contains("\r\n"), before.contains("\r\n"));
            assert_eq!(text.matches('\n').count(), text.lines().count());
            assert_eq!(plan(&text, "Words.\n"), None);
        }
    }

    #[test]
    fn our_part_is_replaced_and_nothing_else() {
        for (front, back) in [("", ""), ("# Rules\n\n", "\nMore.\n"), ("a\r\n", "b")] {
            let old = format!("{front}{}{back}", marked("Old\n\nwords."));
            let Some((Action::Update, new, None)) = plan(&old, "New.") else { panic!("{old:?}") };
            assert!(new.starts_with(front) && new.ends_with(back), "{new:?}");
            assert!(new.contains("New.") && !new.contains("Old"));
            assert_eq!(plan(&new, "New."), None);
        }
        let cut = marked("Old.");
        let Some((Action::Update, new, None)) = plan(cut.trim_end(), "New.") else { panic!() };
        assert_eq!(new, marked("New.").trim_end());
    }

    #[test]
    fn marks_that_do_not_tell_are_refused() {
        let (begin, end) = (format!("{BEGIN}\n"), format!("{END}\n"));
        for text in [
            begin.clone(),
            end.clone(),
            format!("{end}{begin}"),
            format!("{begin}{begin}{end}"),
            format!("{begin}{end}{begin}{end}"),
        ] {
            assert!(in_section(&text, marked("Words.")).is_err(), "{text:?}");
            assert!(is_ours(&text));
        }
        // In a sentence a mark is no mark.
        assert!(matches!(plan(&format!("Not {BEGIN} here."), "Words."), Some((Action::Insert, ..))));
    }
}
