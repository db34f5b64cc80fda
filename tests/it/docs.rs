//! What the documents say is what the tables in the code say.
//!
//! `UPDATE_DOCS=1 cargo test docs` writes the tables anew.

mod novel_ask;

use novel_gate::cli;
use novel_gate::console::keymap;
use novel_gate::exit::MEANINGS;
use novel_gate::text::Lang;
use std::fs;
use std::path::Path;

const KEYS: &[(&str, &str, Lang)] =
    &[("<!-- keys -->", "<!-- /keys -->", Lang::En), ("<!-- keys zh -->", "<!-- /keys zh -->", Lang::ZhCn)];

#[test]
fn the_readme_has_the_key_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).expect("README.md");
    let mut wanted = readme.clone();
    for (open, close, lang) in KEYS {
        let start = wanted.find(open).unwrap_or_else(|| panic!("README.md has no {open}")) + open.len();
        let end = start + wanted[start..].find(close).unwrap_or_else(|| panic!("README.md has no {close}"));
        wanted.replace_range(start..end, &format!("\n{}\n", keymap::markdown(*lang)));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).expect("README.md written");
    }
    assert!(
        readme == wanted || std::env::var_os("UPDATE_DOCS").is_some(),
        "the key table in README.md is old; run UPDATE_DOCS=1 cargo test docs"
    );
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
