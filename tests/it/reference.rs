//! What a reader looks up: `keys`, `themes`, `man`, `paths`.

use novel_gate::platform::paths::Shown as _;
use std::collections::BTreeSet;
use std::fs;

use novel_gate::cli;
use novel_gate::command::about::manual_page;
use novel_gate::console::input::keymap::{BINDINGS, Context};
use novel_gate::console::theme::Theme;
use novel_gate::exit::MEANINGS;
use novel_gate::text::Lang;
use novel_gate::text::width::cells;
use serde_json::Value;
use strum::VariantArray;

use crate::sandbox::{Ran, Running, Sandbox};

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn keys_as_json_are_the_whole_table_of_the_console() {
    let json = json(&Sandbox::new().run(["keys", "--json"]));
    assert_eq!((&json["status"], &json["exit"], &json["code"]), (&"ok".into(), &0.into(), &"keys".into()));
    let rows = json["bindings"].as_array().expect("a list");
    assert_eq!(rows.len(), BINDINGS.len());
    let actions: BTreeSet<&str> = rows.iter().filter_map(|row| row["action"].as_str()).collect();
    for (action, key) in [("submit", "Ctrl+S"), ("undo-redo", "Ctrl+U"), ("edit-kill-to-end", "Ctrl+K")] {
        assert!(actions.contains(action), "{action}");
        let bound = |row: &&Value| row["action"] == action;
        let keys = rows.iter().find(bound).and_then(|row| row["keys"].as_array()).expect("keys");
        assert!(keys.contains(&key.into()), "{action}: {keys:?}");
    }
    let contexts: BTreeSet<&str> = rows.iter().filter_map(|row| row["context"].as_str()).collect();
    // Each but the filters that have only keys of others.
    assert_eq!(contexts.len(), Context::VARIANTS.len() - 5);
    for row in rows {
        assert!(row["description"].as_str().is_some_and(|text| !text.is_empty()), "{row}");
        assert!(row["keys"].as_array().is_some_and(|keys| !keys.is_empty()), "{row}");
    }
}

#[test]
fn keys_stand_in_columns_of_cells_screen_by_screen() {
    for (lang, title) in [("en", "Inbox"), ("zh", "门控列表")] {
        let said = Sandbox::new().run(["keys", "--lang", lang]).stdout;
        assert!(said.starts_with(title), "{said}");
        let rows: Vec<&str> = said.lines().filter(|line| line.starts_with("  ")).collect();
        assert_eq!(rows.len(), BINDINGS.len());
        let columns = rows.iter().map(|row| {
            let keys = row.trim_start().rfind("   ").expect("a gap") + (row.len() - row.trim_start().len());
            cells(&row[..keys + 3])
        });
        assert_eq!(columns.collect::<BTreeSet<_>>().len(), 1, "{said}");
    }
}

/// A sandbox with a good theme, one with mistakes, and one that has the name of a built-in one.
fn with_themes() -> Sandbox {
    let book = Sandbox::new();
    fs::create_dir_all(book.settings("themes")).expect("a directory");
    let mono = Theme::source("mono").expect("built in");
    fs::write(book.settings("themes/mine.toml"), mono).expect("written");
    fs::write(book.settings("themes/dark.toml"), mono).expect("written");
    fs::write(book.settings("themes/bad.toml"), format!("{mono}\nkey.fg = \"teal\"\n")).expect("written");
    book
}

#[test]
fn themes_are_listed_with_their_origin_and_their_mistakes() {
    let book = with_themes();
    let json = json(&book.run(["themes", "--json", "--theme", "mine"]));
    let themes = json["themes"].as_array().expect("a list");
    let names: Vec<&str> = themes.iter().filter_map(|theme| theme["name"].as_str()).collect();
    assert_eq!(
        names,
        ["dark", "light", "high-contrast", "mono", "ansi", "gruvbox", "catppuccin", "bad", "dark", "mine"]
    );
    assert_eq!((&json["in_use"], &json["chosen_by"]), (&"mine".into(), &"flag".into()));
    let legal: Vec<bool> = themes.iter().filter_map(|theme| theme["legal"].as_bool()).collect();
    assert_eq!(legal, [true, true, true, true, true, true, true, false, true, true]);
    let hidden: Vec<bool> = themes.iter().filter_map(|theme| theme["hidden"].as_bool()).collect();
    assert_eq!(hidden, [false, false, false, false, false, false, false, false, true, false]);
    assert_eq!(themes[0]["origin"], "built-in");
    assert_eq!(themes[9]["path"], book.settings("themes/mine.toml").shown().as_ref());
    let problem = &themes[7]["problems"][0];
    let text = fs::read_to_string(book.settings("themes/bad.toml")).expect("the theme");
    assert_eq!(problem["line"], text.lines().count(), "{problem}");
    assert!(problem["column"].as_u64().is_some_and(|column| column >= 1), "{problem}");
}

#[test]
fn a_theme_for_people_is_named_with_its_first_mistakes() {
    let said = with_themes().run(["themes"]).stdout;
    assert!(said.contains("bad.toml, cannot be used\n  line "), "{said}");
    assert!(said.contains("dark.toml, hidden by the built-in theme of that name"), "{said}");
    assert!(said.contains("ansi           built in, in use\n"), "{said}");
    assert!(
        said.ends_with("In use: dark or light, if the terminal tells its background, else ansi.\n"),
        "{said}"
    );
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn samples_have_colours_only_where_colours_are_wanted() {
    let book = with_themes();
    assert!(book.run(["themes", "--color", "always"]).stdout.contains("\x1b[1;38;5;117maccent\x1b[0m"));
    assert!(!book.run(["themes"]).stdout.contains('\x1b'), "not a terminal");
    assert!(!book.run(["themes", "--color", "never"]).stdout.contains('\x1b'));
    let on_terminal = |no_color: bool| {
        let line = if no_color { "NO_COLOR=1 novel-gate themes" } else { "novel-gate themes" };
        let mut terminal = book.system_on_terminal(&["bash", "-c", line], 120, 40);
        terminal.wait_exit();
        String::from_utf8_lossy(&terminal.raw_output()).contains("\x1b[1;38;5;117maccent")
    };
    assert!(on_terminal(false) && !on_terminal(true));
}

#[test]
fn the_text_of_a_theme_is_printed_exactly() {
    let book = with_themes();
    for name in Theme::names() {
        assert_eq!(book.run(["themes", name]).stdout, Theme::source(name).expect("built in"));
    }
    let bad = book.run(["themes", "bad"]);
    assert_eq!(bad.stdout, fs::read_to_string(book.settings("themes/bad.toml")).expect("the theme"));
    assert!(bad.stderr.contains("column"), "{bad:?}");
    let named = json(&book.run(["themes", "mine", "--json"]));
    assert_eq!(named["text"], Theme::source("mono").expect("built in"));
    let missing = book.run(["themes", "solarised"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(2), ""));
}

#[test]
fn a_name_of_a_theme_means_no_file_beside_the_author() {
    let book = with_themes();
    fs::write(book.settings("config.toml"), "theme = \"mine\"\n").expect("written");
    for name in ["mine", "mine.toml", "other"] {
        fs::write(book.path(name), "text = 7\n").expect("written");
    }
    let of_settings = json(&book.run(["themes", "--json"]));
    assert_eq!((&of_settings["in_use"], &of_settings["troubles"]), (&"mine".into(), &Value::Array(vec![])));
    for name in ["mine.toml", "other"] {
        let named = json(&book.run(["themes", "--json", "--theme", name]));
        assert_eq!(named["in_use"], Value::Null, "{named}");
        assert_eq!(book.run(["themes", name]).code, Some(2), "{name}");
    }
    let path = json(&book.run(["themes", "--json", "--theme", "./other"]));
    assert_eq!(path["in_use"], "./other", "{path}");
}

#[test]
fn a_theme_that_cannot_be_had_is_said_beside_those_that_can() {
    let book = with_themes();
    let gone = json(&book.run(["themes", "--json", "--theme", "gone"]));
    assert_eq!((&gone["exit"], &gone["in_use"]), (&0.into(), &Value::Null));
    assert!(gone["troubles"][0].as_str().is_some_and(|text| text.contains("gone")), "{gone}");
    let bad = json(&book.run(["themes", "--json", "--theme", "bad"]));
    assert!(bad["in_use"] == "bad" && bad["troubles"][0].is_string(), "{bad}");
    fs::write(book.settings("config.toml"), "theme = 7\n").expect("written");
    let broken = json(&book.run(["themes", "--json"]));
    assert!(
        broken["troubles"][0].as_str().is_some_and(|text| text.contains("config.toml, line 1, column 9")),
        "{broken}"
    );
    assert_eq!(broken["themes"].as_array().map(Vec::len), Some(10));
    fs::write(book.settings("config.toml"), "mouse = true\ntheme = \"gone\"\n").expect("written");
    let gone = json(&book.run(["themes", "--json"]));
    assert!(gone["in_use"].is_string() && gone["chosen_by"] == "auto", "{gone}");
    assert!(
        gone["troubles"][0]
            .as_str()
            .is_some_and(|text| text.contains("line 2, column 9: There is no theme gone")),
        "{gone}"
    );
}

#[test]
fn the_manual_page_has_its_sections_and_every_command_and_flag() {
    let page = manual_page();
    let found: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    let sections = [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "COMMANDS",
        "\"EXIT STATUS\"",
        "FILES",
        "ENVIRONMENT",
        "EXAMPLES",
    ];
    assert_eq!(found, sections);
    let command = cli::command(Lang::En);
    let plain = page.replace("\\-", "-");
    for sub in command.get_subcommands() {
        assert!(plain.contains(&format!("\n.SS {}\n", sub.get_name())), "{}", sub.get_name());
        for flag in sub.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long) {
            assert!(plain.contains(&format!("--{flag}")), "{} --{flag}", sub.get_name());
        }
    }
    for (number, _) in MEANINGS {
        assert!(page.contains(&format!("\\fB{number}\\fR\n")), "{number}");
    }
}

#[test]
fn every_control_line_of_the_manual_page_is_meant() {
    for line in manual_page().lines() {
        if let Some(control) = line.strip_prefix(['.', '\'']) {
            let name = control.split(' ').next().expect("a name");
            assert!(
                ["TH", "SH", "SS", "TP", "IP", "PP", "RE", "RS", "ad", "br", "ie", "el", "nh"]
                    .contains(&name),
                "{line}"
            );
        }
    }
}

#[test]
fn man_prints_that_page_and_as_json_a_string() {
    let book = Sandbox::new();
    assert_eq!(book.run(["man"]).stdout, manual_page());
    assert_eq!(json(&book.run(["man", "--lang", "zh", "--json"]))["text"], manual_page());
}

#[test]
fn paths_are_told_outside_a_project_too() {
    let book = Sandbox::new();
    fs::create_dir_all(book.settings("")).expect("a directory");
    fs::write(book.settings("config.toml"), "mouse = 7\n").expect("written");
    let run = |line: &[&str]| {
        let mut command = book.system("novel-gate");
        Running::start(command.args(line).current_dir("/")).wait()
    };
    for line in [&["paths"][..], &["paths", "--project", "/nowhere/at/all"]] {
        let ran = run(&[line, &["--json"]].concat());
        let outside = json(&ran);
        assert_eq!((ran.code, &outside["root"], &outside["state"]), (Some(0), &Value::Null, &Value::Null));
        assert!(outside["config"].as_str().is_some_and(|path| path.ends_with("/config.toml")), "{outside}");
        assert!(run(line).stdout.contains("Project: none\n"));
    }
}
