//! THIRD-PARTY.md names every package that is in the program, with its licence.
//!
//! `UPDATE_DOCS=1 cargo test --test it licences` writes the part below the mark anew; for macOS and Windows too, so it may download.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = "THIRD-PARTY.md";
const MARK: &str = "<!-- packages -->\n";
const PUBLISHED: [&str; 3] = ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"];
/// Where a package leaves the choice, the first of these is taken.
const TAKEN: [&str; 5] = ["MIT", "Apache-2.0", "ISC", "Zlib", "CC0-1.0"];

#[test]
fn the_licences_of_all_that_is_in_the_program_are_there() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let old = fs::read_to_string(&file).expect("the page");
    let head = old.split_once(MARK).expect("the mark").0;
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let linked = linked(&PUBLISHED, &[]);
        fs::write(&file, format!("{head}{MARK}{}", page(&linked))).expect("written");
        return;
    }
    let here = std::env::consts::OS;
    let target = match here {
        "linux" => PUBLISHED[0],
        "macos" => PUBLISHED[1],
        "windows" => PUBLISHED[2],
        _ => return super::faults::skip("the licences", &format!("nothing is published for {here}")),
    };
    let linked = linked(&[target], &["--offline"]);
    let missing: Vec<String> =
        linked.iter().map(title).filter(|title| !old.contains(&format!("\n- {title}"))).collect();
    assert!(missing.is_empty(), "not in {PAGE}, write it anew with UPDATE_DOCS=1: {missing:?}");
}

/// The packages that are linked into the program, as `cargo metadata` describes them; not what only runs while it is built.
fn linked(targets: &[&str], place: &[&str]) -> Vec<Value> {
    let mut tree = vec!["tree", "--prefix=none", "--edges=normal,no-proc-macro", "--format={p}"];
    tree.extend(targets.iter().flat_map(|target| ["--target", target]));
    let tree = cargo(&tree, place);
    let names: BTreeSet<String> =
        tree.lines().skip(1).filter_map(|line| line.split_once(" v")).map(named).collect();
    let mut metadata = vec!["metadata", "--format-version=1"];
    metadata.extend(targets.iter().flat_map(|target| ["--filter-platform", target]));
    let all: Value = serde_json::from_str(&cargo(&metadata, place)).expect("JSON");
    let packages = all["packages"].as_array().expect("a list").iter();
    let found: Vec<Value> = packages.filter(|package| names.contains(&title(package))).cloned().collect();
    assert_eq!(found.len(), names.len(), "{names:?}");
    found
}

fn named((name, rest): (&str, &str)) -> String {
    format!("{name} {}:", rest.split(' ').next().unwrap_or(rest))
}

fn cargo(arguments: &[&str], place: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).args(place).arg("--locked").current_dir(env!("CARGO_MANIFEST_DIR"));
    let ran = cargo.output().expect("cargo runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

fn title(package: &Value) -> String {
    format!("{} {}:", string(package, "name"), string(package, "version"))
}

fn string<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_else(|| panic!("no {member} in {value}"))
}

/// Each text once, behind the packages that it belongs to.
fn page(packages: &[Value]) -> String {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let licence = string(package, "license");
        for text in texts_of(package, licence) {
            texts.entry(text).or_default().push(format!("- {} {licence}", title(package)));
        }
    }
    let mut sections: Vec<String> = texts
        .into_iter()
        .map(|(text, mut packages)| {
            packages.sort();
            format!("\n{}\n\n```text\n{text}\n```\n", packages.join("\n"))
        })
        .collect();
    sections.sort();
    sections.concat()
}

/// The texts of the licence that is taken, and of those that hold beside it.
fn texts_of(package: &Value, licence: &str) -> Vec<String> {
    let words: Vec<&str> = licence.split([' ', '/', '(', ')']).collect();
    let taken = TAKEN.into_iter().find(|taken| words.contains(taken));
    let taken = taken.unwrap_or_else(|| panic!("{}: none of {TAKEN:?} in {licence}", title(package)));
    let dir = Path::new(string(package, "manifest_path")).parent().expect("a directory");
    let mut files: Vec<PathBuf> = [dir.to_owned(), dir.join("license")]
        .iter()
        .filter_map(|dir| fs::read_dir(dir).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()))
        .collect();
    files.sort();
    let named = |wanted: &[&str]| {
        let name = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            wanted.contains(&name.trim_end_matches(".MD").trim_end_matches(".TXT"))
        };
        files.iter().find(name).map(|path| tidy(&fs::read_to_string(path).expect("text")))
    };
    let short = taken.split('-').next().unwrap_or(taken).to_uppercase();
    let own = named(&[&format!("LICENSE-{short}"), &short]).or_else(|| named(&["LICENSE"]));
    let mut texts = vec![own.unwrap_or_else(|| {
        assert_eq!(taken, "MIT", "{} has no text of its licence", title(package));
        without_text(package)
    })];
    if words.contains(&"Unicode-3.0") {
        texts.push(named(&["LICENSE-UNICODE"]).expect("the licence of Unicode's data"));
    }
    texts
}

/// For a package that says MIT and brings no text: the words of this project's own, for its authors.
fn without_text(package: &Value) -> String {
    let mit = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("LICENSE-MIT")).expect("it");
    let words = mit.split_once("\n\n").expect("a line of copyright").1;
    let authors: Vec<&str> =
        package["authors"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let authors = if authors.is_empty() {
        format!("the authors of {}", string(package, "name"))
    } else {
        authors.join(", ")
    };
    tidy(&format!("Copyright (c) {authors}\n\n{words}"))
}

/// Lines without blanks at their ends, and none empty at either end.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
