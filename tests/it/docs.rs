//! What the documents say is what the tables in the code say.
//!
//! `UPDATE_DOCS=1 cargo test docs` writes the tables anew.

mod novel_ask;

use crate::sandbox::Sandbox;
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use novel_gate::adapter::advice::Code;
use novel_gate::adapter::task_sync::TaskSync;
use novel_gate::ask::json::Json;
use novel_gate::cli::{self, Cli};
use novel_gate::console::inbox::page::State;
use novel_gate::console::input::keymap;
use novel_gate::console::model::Status;
use novel_gate::exit::MEANINGS;
use novel_gate::text::Lang;
use std::fs;
use std::path::{Path, PathBuf};
use strum::VariantArray as _;

const LANGS: [(&str, Lang); 2] = [("", Lang::En), (".zh-CN", Lang::ZhCn)];

#[test]
fn the_page_on_keys_has_the_key_table() {
    keep("docs/keys", "keys", keymap::markdown);
}

#[test]
fn the_page_on_lint_has_the_warnings() {
    let codes: Vec<&str> = Code::VARIANTS.iter().map(|code| code.name()).collect();
    let page = read("docs/lint.md");
    let table = page.split_once("<!-- warnings -->").and_then(|(_, rest)| rest.split_once("<!-- /warnings"));
    let rows = table.expect("a table").0.lines();
    let rows = rows.filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    assert_eq!(rows.map(|(code, _)| code).collect::<Vec<_>>(), codes);
}

#[test]
fn the_page_on_canonical_documents_has_the_rules_for_tasks() {
    let page = blocks(&read("docs/canonical.md"));
    let rules = page.iter().find(|(_, text)| text.contains("task_sync")).expect("the rules");
    let rules = Json::parse(rules.1.as_bytes()).expect("JSON");
    let rules = TaskSync::read(rules.root().get("task_sync").expect("a member"));
    assert_eq!(rules, (TaskSync::default(), Vec::new()));
}

/// A document has this table between its marks, in both languages.
fn keep(document: &str, mark: &str, table: impl Fn(Lang) -> String) {
    for (suffix, lang) in LANGS {
        let document = format!("{document}{suffix}.md");
        let text = read(&document);
        let [open, close] = ["", "/"].map(|slash| format!("<!-- {slash}{mark} -->"));
        let start = text.find(&open).unwrap_or_else(|| panic!("{document} has no {open}")) + open.len();
        let end = start + text[start..].find(&close).unwrap_or_else(|| panic!("{document} has no {close}"));
        let mut wanted = text.clone();
        wanted.replace_range(start..end, &format!("\n{}\n", table(lang)));
        let update = std::env::var_os("UPDATE_DOCS").is_some();
        if update {
            fs::write(root().join(&document), &wanted).expect("written");
        }
        assert!(text == wanted || update, "a table in {document} is old; run UPDATE_DOCS=1 cargo test docs");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// The fenced blocks: what stands behind the fence, and the text.
pub(crate) fn blocks(document: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((info.to_owned(), text.join("\n")));
        }
    }
    blocks
}

#[test]
fn the_page_on_commands_names_every_command_and_exit_code_in_both_languages() {
    for (suffix, lang) in LANGS {
        let page = read(&format!("docs/commands{suffix}.md"));
        for (number, meaning) in MEANINGS {
            let row = format!("| {number} | {} |", meaning.text(lang));
            assert!(page.contains(&row), "{row}");
        }
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
        for sub in cli::command(lang).get_subcommands() {
            let name = sub.get_name();
            let names = |row: &&str| row.contains(&format!("`{name}`")) || row.contains(&format!("`{name} "));
            assert!(rows.iter().any(names), "no row for {name}");
        }
    }
}

/// Pages for those who change the code, build an executor or write packets by program; there is one of each.
const IN_ENGLISH_ONLY: [&str; 7] =
    ["ARCHITECTURE", "CONTRIBUTING", "canonical", "clients", "lint", "reliability", "schemas"];

/// The pages for people, without their language and ending, each with the folder it lies in.
fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    for folder in ["", "docs/", "sample-packets/"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_page = folder == "docs/" || name.starts_with("README");
            if let Some(stem) = name.strip_suffix(".md").filter(|_| is_page)
                && !IN_ENGLISH_ONLY.contains(&stem)
            {
                pages.push(format!("{folder}{}", stem.trim_end_matches(".zh-CN")));
            }
        }
    }
    pages.sort();
    pages.dedup();
    pages
}

#[test]
fn every_page_is_there_in_each_language_and_in_that_one_alone() {
    let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let pages = pages();
    assert!(pages.len() > 8, "{pages:?}");
    for page in pages {
        let (english, chinese) = (read(&format!("{page}.md")), read(&format!("{page}.zh-CN.md")));
        let outside_code = |text: &str| text.split("```").step_by(2).map(str::to_owned).collect::<Vec<_>>();
        let chapters =
            |text: &str| outside_code(text).iter().map(|part| part.matches("\n## ").count()).sum::<usize>();
        assert_eq!(chapters(&english), chapters(&chinese), "{page}: the same chapters");
        // Of the letters.
        let share = |text: &str| {
            let text = outside_code(text);
            let prose = text.iter().flat_map(|part| part.split('`').step_by(2));
            let letters: Vec<char> = prose.flat_map(str::chars).filter(|c| c.is_alphabetic()).collect();
            letters.iter().filter(|&&c| is_chinese(c)).count() * 100 / letters.len()
        };
        assert!(share(&english) < 10, "{page}.md: {} %", share(&english));
        assert!(share(&chinese) > 40, "{page}.zh-CN.md: {} %", share(&chinese));
    }
}

#[test]
fn the_readme_fits_in_three_hundred_lines() {
    for page in ["README.md", "README.zh-CN.md"] {
        assert!(read(page).lines().count() <= 300, "{page}");
    }
}

#[test]
fn every_sign_of_the_inbox_stands_in_the_table_of_states() {
    let of_status = [Status::Waiting, Status::Blocked, Status::Malformed, Status::Answered].map(State::of);
    for (suffix, lang) in LANGS {
        let page = read(&format!("README{suffix}.md"));
        for state in of_status.into_iter().chain([State::DRAFT, State::LATER, State::PAST]) {
            let row = format!("| `{}` | {} |", state.sign, state.word.text(lang));
            assert!(page.contains(&row), "README{suffix}: {row}");
        }
    }
}

/// The place of a heading, as pages on the web name it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|&c| c.is_alphanumeric() || c == '-' || c == '_').collect()
}

/// Every page, with its folder, language and ending.
fn files() -> impl Iterator<Item = String> {
    let in_each = pages().into_iter().flat_map(|page| LANGS.map(|(suffix, _)| format!("{page}{suffix}.md")));
    in_each.chain(IN_ENGLISH_ONLY.map(|page| format!("docs/{page}.md")))
}

/// What is run on a page, in the text of blocks for a shell and between backticks; a line may go on behind a backslash.
fn commands(page: &str) -> Vec<String> {
    let page = page.replace("\\\n", " ");
    let blocks = blocks(&page).into_iter().filter(|(info, _)| info.is_empty() || info == "sh");
    let lines = blocks.flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let prose = page.split("\n```").step_by(2).flat_map(|part| part.split('`').skip(1).step_by(2));
    let all = lines.chain(prose.map(str::to_owned)).filter(|line| line.starts_with("novel-gate "));
    // Neither is one of how something is called in general, nor of what fails on purpose.
    all.filter(|line| !line.contains(['…', '[']) && !line.contains("|| echo")).collect()
}

/// The words of the first command of a line, as a shell splits this much of one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('#' | '|' | '>' | '<' | ';' | '&', None) => {
                // What stands before `>` may be the number of a stream.
                words.retain(|word| word != "2");
                break;
            }
            ('\'' | '"', None) => quote = Some(c),
            (' ' | '\n', None) => words.push(String::new()),
            (c, Some(end)) if c == end => quote = None,
            (c, _) => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_on_a_page_is_read() {
    // A command that is only named goes without what it needs, and NAME stands for a value.
    let is_named = |line: &str, error: &clap::Error| match error.kind() {
        ErrorKind::InvalidValue => {
            words(line).iter().any(|word| word.chars().all(|c| c.is_ascii_uppercase()))
        }
        kind => kind == ErrorKind::MissingRequiredArgument || error.exit_code() == 0,
    };
    let all: Vec<(String, String)> = files()
        .flat_map(|page| commands(&read(&page)).into_iter().map(move |command| (page.clone(), command)))
        .collect();
    let wrong: Vec<&(String, String)> = all
        .iter()
        .filter(|(_, line)| {
            Cli::command().try_get_matches_from(words(line)).is_err_and(|error| !is_named(line, &error))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all.len() > 100, "{}", all.len());
}

#[test]
fn the_readmes_begin_with_the_two_commands() {
    for readme in ["README.md", "README.zh-CN.md"] {
        let text = fs::read_to_string(readme).expect("a page");
        let first = text.split("\n## ").next().unwrap_or_default();
        for command in ["\ncargo run --release -- demo ", "\ncargo test "] {
            assert!(first.contains(command), "{readme} begins without{command}");
        }
    }
}

#[test]
fn every_page_is_named_by_the_readme() {
    for (suffix, _) in LANGS {
        let readme = read(&format!("README{suffix}.md"));
        for page in files().filter(|page| page.starts_with("docs/")) {
            let is_of_the_other = page.contains(".zh-CN") != (suffix == ".zh-CN")
                && (page.contains(".zh-CN") || root().join(page.replace(".md", ".zh-CN.md")).is_file());
            assert!(is_of_the_other || readme.contains(&format!("({page})")), "{page}");
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    for page in files() {
        let text = read(&page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let folder = root().join(&page).parent().expect("a folder").to_owned();
            let target =
                if file.is_empty() { Ok(text.clone()) } else { fs::read_to_string(folder.join(file)) };
            let has_heading = |text: String| {
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                place.is_empty() || headings.any(|line| anchor(line.trim_start_matches(['#', ' '])) == place)
            };
            assert!(target.is_ok_and(has_heading), "{page}: {link}");
        }
    }
}

#[test]
fn every_test_that_the_page_on_reliability_names_is_there() {
    fn sources(dir: &Path, into: &mut String) {
        for entry in fs::read_dir(dir).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                *into += &fs::read_to_string(path).expect("a source");
            }
        }
    }
    let mut code = String::new();
    for dir in ["src", "tests"] {
        sources(&root().join(dir), &mut code);
    }
    let page = read("docs/reliability.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    let numbers: Vec<usize> =
        rows.iter().filter_map(|row| row.split('|').nth(1)?.trim().parse().ok()).collect();
    assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
    for (readme, things) in [("README.md", "things that can go wrong"), ("README.zh-CN.md", "种可能的故障")]
    {
        assert!(read(readme).contains(&format!("{} {things}", numbers.len())), "{readme}: {}", numbers.len());
    }
    let tests = rows.iter().filter_map(|row| row.split('|').nth(3));
    let names = tests.flat_map(|cell| cell.split('`').skip(1).step_by(2)).filter(|name| name.contains('_'));
    let names: Vec<&str> =
        names.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')).collect();
    assert!(names.len() > 100, "{}", names.len());
    let missing: Vec<&&str> = names.iter().filter(|name| !code.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Whether the lines are there, one below the other, where `…` stands for anything.
pub(crate) fn shows(seen: &str, page: &str) -> bool {
    let mut seen = seen.lines();
    let has = |line: &str, wanted: &str| {
        let mut rest = line;
        wanted.split('…').all(|part| rest.find(part).map(|at| rest = &rest[at + part.len()..]).is_some())
    };
    page.lines().filter(|line| line.trim() != "…").all(|wanted| seen.any(|line| has(line, wanted.trim_end())))
}

#[test]
fn the_readme_shows_a_question_as_the_console_does() {
    let book = Sandbox::sample();
    for (suffix, lang) in [("", "en"), (".zh-CN", "zh-CN")] {
        let picture = blocks(&read(&format!("README{suffix}.md"))).swap_remove(0).1;
        let mut line = book.flags();
        line.pop();
        line.extend([lang, "console", "volume:outline"].map(PathBuf::from));
        let console = book.console_with(line, 100, 30);
        console.wait_until(&picture, |screen| shows(&screen.contents(), &picture));
    }
}
