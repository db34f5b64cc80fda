//! What the documents say is what the tables in the code say.

mod commands;
mod novel_ask;

use novel_gate::adapter::advice::Code;
use novel_gate::adapter::task_sync::TaskSync;
use novel_gate::ask::json::Json;
use novel_gate::cli;
use novel_gate::console::inbox::state::State;
use novel_gate::console::model::Status;
use novel_gate::exit::MEANINGS;
use novel_gate::text::Lang;
use novel_gate::text::width::cells;
use std::fs;
use std::path::Path;
use strum::VariantArray as _;

const LANGS: [(&str, Lang); 2] = [("", Lang::En), (".zh-CN", Lang::ZhCn)];

#[test]
fn the_page_on_packets_has_the_warnings_of_lint() {
    let codes: Vec<&str> = Code::VARIANTS.iter().map(|code| code.name()).collect();
    for (suffix, _) in LANGS {
        let page = read(&format!("docs/packets{suffix}.md"));
        let table =
            page.split_once("<!-- warnings -->").and_then(|(_, rest)| rest.split_once("<!-- /warnings"));
        let rows = table.expect("a table").0.lines();
        let rows = rows.filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        assert_eq!(rows.map(|(code, _)| code).collect::<Vec<_>>(), codes, "{suffix}");
    }
}

#[test]
fn the_page_for_executors_has_the_rules_for_tasks() {
    let page = blocks(&read("docs/novel-ask.md"));
    let rules = page.iter().find(|(info, _)| info == "json task_sync").expect("the rules");
    let rules = Json::parse(rules.1.as_bytes()).expect("JSON");
    let rules = TaskSync::read(rules.root().get("task_sync").expect("a member"));
    assert_eq!(rules, (TaskSync::default(), Vec::new()));
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

/// Pages for those who change the code or build an executor; there is one of each.
const IN_ENGLISH_ONLY: [&str; 5] = ["ARCHITECTURE", "CONTRIBUTING", "hooks", "novel-ask", "reliability"];

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
    assert!(pages.len() > 7, "{pages:?}");
    for page in pages {
        let (english, chinese) = (read(&format!("{page}.md")), read(&format!("{page}.zh-CN.md")));
        let outside_code = |text: &str| text.split("```").step_by(2).map(str::to_owned).collect::<Vec<_>>();
        // The same headings, rows, items and blocks.
        let outline = |text: &str| {
            let prose = outside_code(text).concat();
            let of = |begins: &[&str]| {
                let is_one = |line: &&str| begins.iter().any(|begin| line.trim_start().starts_with(begin));
                prose.lines().filter(is_one).count()
            };
            [of(&["#"]), of(&["| "]), of(&["- ", "1. "]), text.matches("\n```").count()]
        };
        assert_eq!(outline(&english), outline(&chinese), "{page}");
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

/// A browser shows a line's end in Chinese text as a blank, so a line may end only behind a mark; and bold text that ends with a mark
/// is bold only if a blank follows.
#[test]
fn a_browser_shows_the_chinese_pages_as_they_are_meant() {
    const MARKS: [char; 5] = ['。', '：', '；', '，', '、'];
    for page in files().filter(|page| page.ends_with(".zh-CN.md")) {
        let text = read(&page);
        let prose: Vec<&str> = text.split("\n```").step_by(2).flat_map(|part| part.lines().skip(1)).collect();
        for pair in prose.windows(2) {
            let is_text = |line: &str| {
                line.trim_start().starts_with(|c: char| c.is_alphanumeric() || c == '[' || c == '`')
            };
            let is_item =
                pair[1].trim_start().starts_with(|c: char| c.is_ascii_digit()) && pair[1].contains(". ");
            let ends_well = pair[0].ends_with(MARKS) || !pair[0].ends_with(|c: char| c >= '\u{2e80}');
            assert!(ends_well || is_item || !is_text(pair[1]), "{page}: {}", pair[0]);
        }
        for line in prose {
            let parts: Vec<&str> = line.split("**").collect();
            for pair in parts.windows(2).skip(1).step_by(2) {
                let is_bold = !pair[0].ends_with(MARKS) || !pair[1].starts_with(char::is_alphanumeric);
                assert!(is_bold, "{page}: {}", pair[0]);
            }
        }
    }
}

#[test]
fn every_sign_of_the_inbox_stands_in_the_table_of_signs() {
    let of_status = [Status::Waiting, Status::Blocked, Status::Malformed, Status::Answered].map(State::of);
    for (suffix, lang) in LANGS {
        let page = read(&format!("docs/console{suffix}.md"));
        for state in of_status.into_iter().chain([State::DRAFT, State::LATER, State::PAST]) {
            let row = format!("| `{}` | {} |", state.sign, state.word.text(lang));
            assert!(page.contains(&row), "{suffix}: {row}");
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

#[test]
fn every_file_that_a_page_for_programmers_names_is_there() {
    let folders = ["", "src/", "src/console/", "tests/it/", "sample-packets/"];
    let is_there = |name: &str| {
        let whole = |folder: &&str| root().join(folder).join(name).exists();
        // `field` is field.rs with a folder, `rules*` any of that beginning.
        let name = name.trim_end_matches(['*', '/']);
        // Cargo's folder may lie elsewhere.
        name == "target"
            || folders.iter().any(whole)
            || folders.iter().any(|folder| root().join(folder).join(format!("{name}.rs")).exists())
    };
    for page in ["ARCHITECTURE", "CONTRIBUTING", "reliability"] {
        let text = read(&format!("docs/{page}.md"));
        let spans = text.split("\n```").step_by(2).flat_map(|part| part.split('`').skip(1).step_by(2));
        let of_console = text.split("console/\n").nth(1).and_then(|rest| rest.split("```").next());
        let rows = of_console.unwrap_or_default().lines().filter(|line| !line.starts_with("      "));
        let rows = rows.filter_map(|line| line.split_whitespace().next());
        let is_path = |span: &&str| {
            (span.contains('/') || Path::new(span).extension().is_some_and(|ending| ending == "rs"))
                && span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-*".contains(c))
        };
        for name in spans.filter(is_path).chain(rows) {
            assert!(is_there(name), "{page}: {name}");
        }
    }
    let page = read("docs/ARCHITECTURE.md");
    for entry in fs::read_dir(root().join("src/console")).expect("a folder").flatten() {
        let stem = entry.path().file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(page.lines().any(|line| line.trim().starts_with(&stem)), "ARCHITECTURE: console/{stem}");
    }
}

/// In a terminal of 24 rows and 80 columns a README says what novel-gate is, shows it, and has the two commands and the way to the first book.
#[test]
fn the_first_screen_of_a_readme_is_enough() {
    for (suffix, _) in LANGS {
        let text = read(&format!("README{suffix}.md"));
        let first: Vec<&str> = text.lines().take(24).collect();
        let has = |what: &str| first.iter().any(|line| line.contains(what));
        for what in ["Claude Code", "demo-light", "cargo run --release -- demo ", "cargo test "] {
            assert!(has(what), "README{suffix}: {what}");
        }
        assert!(has(&format!("(docs/first-book{suffix}.md)")), "README{suffix}: the first book");
        assert!(first.iter().all(|line| cells(line) <= 80), "README{suffix}: {first:#?}");
        assert!(text.lines().count() <= 110, "README{suffix} is too long");
    }
}

/// That page is run: `live::first_book`.
#[test]
fn the_lines_of_a_readme_that_lead_to_the_first_question_stand_on_the_page_of_the_first_book() {
    for (suffix, _) in LANGS {
        let of_shell = |page: &str| {
            blocks(&read(page)).into_iter().filter(|(info, _)| info == "sh").map(|(_, text)| text).collect()
        };
        let readme: Vec<String> = of_shell(&format!("README{suffix}.md"));
        let page: Vec<String> = of_shell(&format!("docs/first-book{suffix}.md"));
        let lines = readme.iter().find(|text| text.contains("novel init")).expect("the lines");
        let mut page = page.iter().flat_map(|text| text.lines());
        assert!(lines.lines().all(|line| page.any(|other| other == line)), "README{suffix}: {lines}");
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
fn no_page_is_half_merged() {
    for page in files().chain(["CHANGELOG.md".to_owned()]) {
        let text = read(&page);
        let marks = ["<<<<<<<", ">>>>>>>"];
        let half = text.lines().find(|line| marks.iter().any(|mark| line.starts_with(mark)));
        assert_eq!(half, None, "{page}");
    }
}

/// Where a page leads, and the pictures that it shows.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let marked = |begin: &'static str, end| {
        page.split(begin).skip(1).filter_map(move |rest| rest.split_once(end)).map(|(link, _)| link)
    };
    marked("](", ')').chain(marked(" src=\"", '"')).chain(marked(" srcset=\"", '"'))
}

#[test]
fn every_picture_is_shown_on_the_pages_of_its_language() {
    let shown: Vec<(String, String)> = files()
        .flat_map(|page| {
            let text = read(&page);
            let names = links(&text).filter_map(|link| link.rsplit_once("pictures/"));
            names.map(|(_, name)| (page.clone(), name.to_owned())).collect::<Vec<_>>()
        })
        .collect();
    for (page, picture) in &shown {
        assert_eq!(page.contains(".zh-CN"), picture.contains(".zh-CN"), "{page}: {picture}");
    }
    for entry in fs::read_dir(root().join("docs/pictures")).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(shown.iter().any(|(_, picture)| *picture == name), "{name} is on no page");
    }
}

#[test]
fn every_link_leads_somewhere() {
    for page in files() {
        let text = read(&page);
        for link in links(&text) {
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
#[cfg_attr(windows, expect(dead_code, reason = "what needs it runs only on Unix"))]
pub(crate) fn shows(seen: &str, page: &str) -> bool {
    let mut seen = seen.lines();
    let has = |line: &str, wanted: &str| {
        let mut rest = line;
        wanted.split('…').all(|part| rest.find(part).map(|at| rest = &rest[at + part.len()..]).is_some())
    };
    page.lines().filter(|line| line.trim() != "…").all(|wanted| seen.any(|line| has(line, wanted.trim_end())))
}
