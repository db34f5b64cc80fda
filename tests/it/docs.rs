//! What the documents say is what the tables in the code say.
//!
//! `UPDATE_DOCS=1 cargo test docs` writes the tables anew.

mod novel_ask;

use novel_gate::adapter::advice::Code;
use novel_gate::cli;
use novel_gate::console::keymap;
use novel_gate::exit::MEANINGS;
use novel_gate::text::{Lang, say};
use std::fs;
use std::path::Path;

const LANGS: [(&str, Lang); 2] = [("", Lang::En), (" zh", Lang::ZhCn)];

#[test]
fn the_readme_has_the_key_table() {
    keep("README.md", "keys", keymap::markdown);
}

#[test]
fn the_page_on_lint_has_the_warnings() {
    keep("docs/lint.md", "warnings", |lang| {
        let head = say("| code | warns of |", "| 代号 | 含义 |").text(lang);
        let row = |code: Code| format!("\n| `{}` | {} |", code.name(), code.about().text(lang));
        format!("{head}\n|---|---|{}", Code::all().map(row).collect::<String>())
    });
}

/// A document has this table between its marks, in both languages.
fn keep(document: &str, mark: &str, table: impl Fn(Lang) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let text = fs::read_to_string(&path).expect(document);
    let mut wanted = text.clone();
    for (suffix, lang) in LANGS {
        let [open, close] = ["", "/"].map(|slash| format!("<!-- {slash}{mark}{suffix} -->"));
        let start = wanted.find(&open).unwrap_or_else(|| panic!("{document} has no {open}")) + open.len();
        let end = start + wanted[start..].find(&close).unwrap_or_else(|| panic!("{document} has no {close}"));
        wanted.replace_range(start..end, &format!("\n{}\n", table(lang)));
    }
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    if update {
        fs::write(&path, &wanted).expect(document);
    }
    assert!(text == wanted || update, "a table in {document} is old; run UPDATE_DOCS=1 cargo test docs");
}

#[test]
fn the_readme_names_every_command_and_exit_code_in_both_languages() {
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README.md");
    let (english, chinese) = readme.split_once("\n# 简体中文").expect("two halves");
    for (half, lang) in [(english, Lang::En), (chinese, Lang::ZhCn)] {
        for (number, meaning) in MEANINGS {
            let row = format!("| {number} | {} |", meaning.text(lang));
            assert!(half.contains(&row), "{row}");
        }
        let rows: Vec<&str> = half.lines().filter(|line| line.starts_with("| ")).collect();
        for sub in cli::command(lang).get_subcommands() {
            let name = sub.get_name();
            let names = |row: &&str| row.contains(&format!("`{name}`")) || row.contains(&format!("`{name} "));
            assert!(rows.iter().any(names), "no row for {name}");
        }
    }
}

#[test]
fn every_page_is_in_both_languages() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let mut pages = 0;
    for entry in fs::read_dir(&docs).expect("docs").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".md") else { continue };
        let text = fs::read_to_string(entry.path()).expect("a page");
        let within = text.lines().filter(|line| line.contains(is_chinese)).count() > 5;
        let beside = docs.join(format!("{stem}.zh.md")).exists();
        assert!(within || beside, "{name}");
        pages += 1;
    }
    assert!(pages > 5, "{pages}");
}
