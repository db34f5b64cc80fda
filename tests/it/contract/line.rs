//! The command lines of scenarios.
//!
//! Responsible for their words and for what stands in braces. Not responsible for what they print.

use super::book::Book;
use super::golden::start;
use crate::system::Signal;
use serde_json::Value;
use std::fs;

/// The words of a line; single quotes and braces keep spaces.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let (mut is_quoted, mut is_braced) = (false, false);
    for c in line.chars() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted && !is_braced => words.extend(word.take()),
            c => {
                is_braced = !is_quoted && (is_braced || c == '{') && c != '}';
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    words
}

/// With hashes, entries and calls in their places.
pub(super) fn filled(book: &Book, line: &[String]) -> Vec<String> {
    let ask = |line: &[String]| -> Value {
        let told = start(book, line, "C", &[], "").end().out;
        serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"))
    };
    let value = |what: &str| -> Option<String> {
        if let Some(path) = what.strip_prefix("sha256 ") {
            return Some(novel_gate::store::sha256(&fs::read(book.root().join(path)).expect("a file")));
        }
        if let Some(number) = what.strip_prefix("entry ") {
            let told = ask(&["history", "--json"].map(str::to_owned));
            let number: usize = number.parse().expect("a number");
            return Some(told["entries"][number]["id"].as_str().expect("an entry").to_owned());
        }
        let before = line.iter().position(|word| word == "--call").filter(|_| what == "call")?;
        Some(ask(&line[..before])["call"].as_str().expect("a call").to_owned())
    };
    let fill = |word: &String| {
        let inside = word.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
        let filled =
            inside.and_then(|(before, (what, after))| Some(format!("{before}{}{after}", value(what)?)));
        filled.unwrap_or_else(|| word.clone())
    };
    line.iter().map(fill).collect()
}

pub(super) fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n")
}

pub(super) fn signal(name: &str) -> Signal {
    match name {
        "HUP" => Signal::HUP,
        "INT" => Signal::INT,
        "TERM" => Signal::TERM,
        _ => panic!("{name}"),
    }
}
