//! Every snippet of the chapters for scripts in `docs/commands.md` and its Chinese twin, run as it stands.
//!
//! Each `sh` block runs in a fresh copy of the sample project; what it prints must be the `text` block behind it, where
//! `…` stands for anything within a line. The blocks of other pages only run.

use crate::docs::{blocks, read};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The chapter of each page, and the locale of its readers.
const CHAPTERS: [(&str, &str, &str); 2] = [
    ("docs/commands.md", "\n## For scripts and executors\n", "C.UTF-8"),
    ("docs/commands.zh-CN.md", "\n## 给脚本和执行器\n", "zh_CN.UTF-8"),
];

/// The snippets of a chapter, each with what it prints.
fn snippets(page: &str, chapter: &str) -> Vec<(String, String)> {
    let (_, rest) = page.split_once(chapter).unwrap_or_else(|| panic!("there is no {chapter}"));
    let text = until_next_chapter(rest);
    let mut snippets = Vec::new();
    for block in text.split("\n```sh\n").skip(1) {
        let (snippet, rest) = block.split_once("\n```\n").expect("its end");
        let printed =
            rest.strip_prefix("\n```text\n").unwrap_or_else(|| panic!("no ```text behind {snippet}"));
        let (printed, _) = printed.split_once("\n```").expect("its end");
        snippets.push((snippet.to_owned(), printed.to_owned()));
    }
    snippets
}

/// The text before the next heading; what a snippet prints may have headings of its own.
fn until_next_chapter(text: &str) -> String {
    let mut is_block = false;
    let mut out = String::from("\n");
    for line in text.lines() {
        is_block ^= line.starts_with("```");
        if !is_block && line.starts_with("## ") {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// What a snippet prints, standard error included.
fn run(snippet: &str, locale: &str) -> String {
    let top = tempfile::tempdir().expect("a directory");
    let book = top.path().join("book");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-packets"), &book);
    let program = Path::new(env!("CARGO_BIN_EXE_novel-gate")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    // Both streams go to one place, in the order in which they come.
    let script = format!("exec 2>&1\n{snippet}\n");
    let mut command = Command::new("bash");
    command
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(&book)
        .env("PATH", path)
        .env("HOME", top.path());
    command.env("LANG", locale).stdin(Stdio::null());
    for name in ["LC_ALL", "LC_MESSAGES", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    let told = command.output().expect("bash");
    let out = String::from_utf8(told.stdout).expect("UTF-8");
    assert!(told.status.success(), "{snippet}\n{}: {out}", told.status);
    out
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// Whether a line is as it is written, with anything in the place of `…`.
fn is_like(written: &str, line: &str) -> bool {
    let mut parts = written.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn every_snippet_prints_what_the_page_says() {
    for (page, chapter, locale) in CHAPTERS {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).expect(page);
        let snippets = snippets(&text, chapter);
        assert_eq!(snippets.len(), 10, "{chapter}");
        for (snippet, written) in snippets {
            let out = run(&snippet, locale);
            let fits = out.lines().count() == written.lines().count()
                && written.lines().zip(out.lines()).all(|(written, line)| is_like(written, line));
            assert!(fits, "{snippet}\n--- {page}\n{written}\n--- printed\n{out}");
        }
    }
}

#[test]
fn dots_stand_for_anything_within_a_line() {
    for (written, line, like) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a…", "ab", true),
        ("…b", "ab", true),
        ("a…c…e", "abcde", true),
        ("a…c…e", "abde", false),
        ("ab…ba", "aba", false),
    ] {
        assert_eq!(is_like(written, line), like, "{written} {line}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn every_snippet_of_the_other_pages_runs() {
    // Some of the samples have problems, and are meant to.
    const LINT_MAY_FIND: &str = "set +e; trap '(( $? == 5 )) || exit 1' ERR";
    for page in [
        "console",
        "console.zh-CN",
        "hooks",
        "novel-ask",
        "packets",
        "packets.zh-CN",
        "wiring",
        "wiring.zh-CN",
    ] {
        let snippets = blocks(&read(&format!("docs/{page}.md"))).into_iter().filter(|(info, _)| info == "sh");
        let snippets: Vec<String> = snippets.map(|(_, text)| text).collect();
        assert!(!snippets.is_empty(), "{page}");
        // One waits for an author in a novel of the reader's.
        for snippet in snippets.iter().filter(|text| !text.contains("/path/to/novel")) {
            run(&format!("{LINT_MAY_FIND}\n{snippet}"), "C.UTF-8");
        }
    }
}
