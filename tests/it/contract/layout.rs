//! How the outcome of a scenario stands in its file.
//!
//! Responsible for what readers see; nothing of what was printed gets lost. Not responsible for running scenarios.

use super::golden::{Came, WAYS};
use std::fmt::Write as _;

/// The outcome as it stands in the file.
pub(super) fn show(came: &[Came; 4]) -> String {
    let mut out = format!("  exit {}\n", came[0].exit);
    let mut block = |name: String, text: &str| {
        writeln!(out, "  {name}:").expect("a string");
        for line in text.lines() {
            writeln!(out, "    {line}").expect("a string");
        }
        if !text.ends_with('\n') {
            out.push_str("    (no line end)\n");
        }
    };
    let english = cut(&came[2].out);
    for (way, one) in WAYS.iter().zip(came) {
        let text = match way.name {
            "json" => english.clone(),
            "json zh" => {
                let chinese = cut(&one.out);
                if chinese.lines().count() == english.lines().count() {
                    let pairs = chinese.lines().zip(english.lines());
                    pairs.filter(|(zh, en)| zh != en).flat_map(|(zh, _)| [zh, "\n"]).collect()
                } else {
                    chinese
                }
            }
            // Some commands speak JSON without being asked.
            _ if one.out == came[2].out || one.out == came[3].out => "(as json)\n".to_owned(),
            _ => one.out.clone(),
        };
        if !text.is_empty() {
            block(way.name.to_owned(), &text);
        }
        if !one.err.is_empty() {
            block(format!("{}, stderr", way.name), &one.err);
        }
    }
    if !came[0].files.is_empty() {
        block("files".to_owned(), &(came[0].files.join("\n") + "\n"));
    }
    out
}

/// One object, cut where a member or an element of a list of objects begins.
fn cut(line: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    let mut lists = Vec::new();
    let mut rest = line.char_indices().peekable();
    while let Some((i, c)) = rest.next() {
        out.push(c);
        if is_quoted {
            is_quoted = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            '"' => is_quoted = true,
            '{' | '[' => {
                depth += 1;
                lists.push(c == '[' && line[i + 1..].starts_with('{'));
                if depth == 1 || (depth == 2 && lists.last() == Some(&true)) {
                    out.push('\n');
                    out.push_str(&"  ".repeat(depth));
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                lists.pop();
            }
            ',' if depth == 1 || (depth == 2 && lists.last() == Some(&true)) => {
                rest.next_if(|(_, c)| *c == ' ');
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            }
            _ => {}
        }
    }
    out
}
