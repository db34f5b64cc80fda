use super::*;
use crate::store::testing::{Sandbox, give_up_privileges, set_mode};
use proptest::prelude::*;
use std::os::unix::fs::symlink;

fn at(sandbox: &Sandbox, path: &str, offset: u64) -> Result<Window, Message> {
    read(&sandbox.project, &StoryRead { path: path.to_owned(), wanted: Wanted::At(offset) })
}

fn texts(window: &Window) -> Vec<&str> {
    window.lines.iter().map(|line| line.text.as_str()).collect()
}

fn why(found: Result<Window, Message>) -> [String; 2] {
    let why = found.expect_err("not shown");
    [why.text(Lang::En), why.text(Lang::ZhCn)]
}

#[test]
fn the_files_of_the_manifest_are_those_that_are_there() {
    let sandbox = Sandbox::new();
    for path in ["brief.md", "a/b.md", "a/c.md"] {
        sandbox.put(path, "x");
    }
    let packet = sandbox.put(
        "staging/p.packet.json",
        r#"{"manifest": {"mode": "paths", "inline": {"n": 1}, "paths": {"brief": "brief.md",
            "chapters": ["a/b.md", 7, "a/missing.md", ["a/c.md"], "a/c.md"], "again": "brief.md", "n": 3, "below": "brief.md/x",
            "dir": "a", "out": "../secret.md", "nothing": ""}}}"#,
    );
    let (found, more) = files(&sandbox.project, &packet);
    assert_eq!(
        (found.as_slice(), more),
        (["brief.md", "a/b.md", "a/c.md", "a", "../secret.md"].map(str::to_owned).as_slice(), false)
    );
    for odd in ["", "[", "{}", r#"{"manifest": 1}"#, r#"{"manifest": {"paths": ["brief.md"]}}"#] {
        let packet = sandbox.put("staging/p.packet.json", odd);
        assert_eq!(files(&sandbox.project, &packet), (vec![], false), "{odd}");
    }
    assert_eq!(files(&sandbox.project, &sandbox.at("gone.packet.json")), (vec![], false));
}

#[test]
fn a_manifest_is_read_as_far_as_is_sensible() {
    let sandbox = Sandbox::new();
    let named = |count: usize, spell: fn(usize) -> String| {
        let paths: Vec<String> = (0..count).map(spell).collect();
        let text = serde_json::json!({"manifest": {"paths": {"chapters": paths}}}).to_string();
        let (found, more) = files(&sandbox.project, &sandbox.put("staging/p.packet.json", &text));
        (found.len(), more)
    };
    for n in 0..=FILES {
        sandbox.put(&format!("{n}.md"), "x");
    }
    assert_eq!(named(FILES, |n| format!("{n}.md")), (FILES, false));
    assert_eq!(named(FILES + 1, |n| format!("{n}.md")), (FILES, true));
    assert_eq!(named(NAMES, |n| format!("gone/{n}.md")), (0, false));
    assert_eq!(
        named(NAMES + 2, |n| if n == NAMES { "0.md".to_owned() } else { format!("gone/{n}.md") }),
        (0, true)
    );
}

#[test]
fn a_short_file_is_one_window() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "\u{feff}# 一\r\n\n\u{1b}[31m红\t字\nlast");
    let window = at(&sandbox, "a.md", 9).expect("shown");
    assert_eq!(texts(&window), ["# 一", "", "␛[31m红    字", "last"]);
    assert_eq!(window.lines.iter().map(|line| line.at).collect::<Vec<_>>(), [0, 10, 11, 24]);
    assert_eq!((window.end, window.size), (28, 28));
    sandbox.put("a.md", "one\n");
    assert_eq!(texts(&at(&sandbox, "a.md", 1000).expect("shown")), ["one"]);
    sandbox.put("a.md", "");
    assert_eq!(texts(&at(&sandbox, "a.md", 0).expect("shown")), [""; 0]);
}

/// Every window of a file: each begins where the one before ends, and lines that two windows share are the same.
fn walk(sandbox: &Sandbox, path: &str) -> Vec<StoryLine> {
    let mut lines: Vec<StoryLine> = Vec::new();
    let mut offset = 0;
    loop {
        let window = at(sandbox, path, offset).expect("shown");
        let from = lines.last().map_or(0, |line| line.at);
        let shared = window.lines.iter().filter(|line| line.at <= from && offset > 0);
        for line in shared {
            assert!(lines.contains(line), "{}", line.at);
        }
        lines.extend(window.lines.iter().filter(|line| line.at > from || offset == 0).cloned());
        if window.end == window.size {
            return lines;
        }
        assert!(window.end > offset, "no progress at {offset}");
        offset = window.lines.last().expect("a line").at;
    }
}

#[test]
fn windows_of_a_long_file_are_cut_between_lines() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..20_000).map(|n| format!("{n} 雨停之前{}\n", "。".repeat(n % 97))).collect();
    let text = lines.concat();
    sandbox.put("long.md", &text);
    let lines = walk(&sandbox, "long.md");
    assert!(lines.iter().map(|line| line.text.as_str()).eq(text.lines()));
    let end = read(&sandbox.project, &StoryRead { path: "long.md".to_owned(), wanted: Wanted::End })
        .expect("shown");
    assert_eq!((end.end, end.lines.last()), (text.len() as u64, lines.last()));
    assert!(end.lines.len() < 2_000, "a window, not the whole file");
}

#[test]
fn a_line_of_megabytes_is_cut_into_pieces_between_characters() {
    let sandbox = Sandbox::new();
    let text = format!("开头\n{}", "雨停之前，".repeat(200_000));
    sandbox.put("line.md", &text);
    let lines = walk(&sandbox, "line.md");
    assert!(lines.iter().all(|line| line.text.len() <= PIECE + REST_OF_CHARACTER));
    let joined: String = lines.iter().map(|line| line.text.as_str()).collect();
    assert!(joined == text.replace('\n', ""), "nothing is lost and nothing shown twice");
    let middle = at(&sandbox, "line.md", 1_500_001).expect("shown");
    assert!(middle.lines.iter().all(|line| lines.contains(line)), "every window cuts it at the same places");
}

#[test]
fn words_are_found_in_turn_and_from_the_start_again() {
    let sandbox = Sandbox::new();
    let gap = "空".repeat(STRIDE / 3 - 1);
    let text = format!("Rain {gap}雨停\n\train{gap}\n");
    sandbox.put("a.md", &text);
    let search = |words: &str, from: u64| {
        let wanted = Wanted::Words(words.to_owned(), from);
        let window = read(&sandbox.project, &StoryRead { path: "a.md".to_owned(), wanted }).expect("shown");
        let line = |hit: Hit| {
            window.lines.iter().rfind(|line| line.at <= hit.at).expect("a line").text[hit.column..].to_owned()
        };
        (window.hit.map(|hit| hit.at), window.hit.map(line).unwrap_or_default())
    };
    let second = text.rfind("rain").expect("there") as u64;
    assert_eq!(search("rain", 0).0, Some(0));
    assert_eq!(search("rain", 1).0, Some(second));
    assert!(search("RAIN", 1).1.starts_with("rain空"), "behind a tab that is drawn as spaces");
    assert_eq!(search("rain", second + 1).0, Some(0));
    assert_eq!(search("雨停", 0).0, Some(text.find('雨').expect("there") as u64), "over the end of a stride");
    assert_eq!([search("晴", 0).0, search("", 0).0, search("rain", 1 << 40).0], [None, None, Some(0)]);
}

#[test]
fn what_cannot_be_shown_says_why() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.at("dir")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        sandbox.at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    std::fs::write(sandbox.top().join("secret.md"), "secret").unwrap();
    symlink("../secret.md", sandbox.at("link.md")).unwrap();
    symlink("loop.md", sandbox.at("loop.md")).unwrap();
    sandbox.put("inside.md", "within");
    symlink("inside.md", sandbox.at("good.md")).unwrap();
    sandbox.put("binary", b"\x7fELF\0\x01");
    std::fs::File::create(sandbox.at("huge.md")).unwrap().set_len(1 << 40).unwrap();
    set_mode(&sandbox.put("locked.md", "x"), 0o000);
    give_up_privileges();
    let said = |path: &str| why(at(&sandbox, path, 0))[0].clone();
    assert_eq!(said("dir"), "Not shown: a directory.");
    assert_eq!(said("pipe"), "Not shown: a named pipe.");
    for path in ["link.md", "../secret.md", "/etc/passwd", "dir/../../secret.md"] {
        assert_eq!(said(path), "Not shown: it lies outside the project.", "{path}");
    }
    assert_eq!(said("loop.md"), "Not shown: too many symbolic links.");
    assert_eq!(said("binary"), "Not shown: it is not text.");
    assert_eq!(said("huge.md"), "Not shown: it has 1099511627776 bytes; files up to 64 MiB are shown.");
    assert_eq!(said("locked.md"), "Not shown: permission denied.");
    assert_eq!(
        why(at(&sandbox, "gone.md", 0)),
        ["Not shown: there is no such file or directory.", "无法显示：文件或目录不存在。"]
    );
    assert_eq!(texts(&at(&sandbox, "good.md", 0).expect("shown")), ["within"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn windows_of_any_bytes_hold_together(
        parts in prop::collection::vec((prop::collection::vec(1u8.., 0..40), 1usize..900), 1..40),
        offset in 0u64..400_000,
    ) {
        let bytes: Vec<u8> = parts.iter().flat_map(|(part, times)| part.repeat(*times)).collect();
        let base = floor(offset.min(bytes.len() as u64).saturating_sub(WINDOW as u64 / 2));
        let start = usize::try_from(base).expect("an offset");
        let part = &bytes[start..bytes.len().min(start + WINDOW + REST_OF_CHARACTER)];
        let window = cut(part, base, bytes.len() as u64);
        prop_assert!(window.lines.windows(2).all(|pair| pair[0].at < pair[1].at));
        prop_assert!(window.end <= window.size);
        prop_assert!(window.lines.iter().all(|line| line.at >= base && line.at < window.end));
        prop_assert!(window.end == window.size || window.end + PIECE as u64 >= base + WINDOW as u64);
    }
}
