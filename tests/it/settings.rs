//! The author's settings in the real program.

use crate::sandbox::Sandbox;
use std::fs;

/// The sample project with these settings.
fn with_settings(text: &str) -> Sandbox {
    let book = Sandbox::sample();
    fs::create_dir_all(book.settings("themes")).expect("a directory");
    fs::write(book.settings("config.toml"), text).expect("written");
    book
}

#[test]
fn the_console_starts_whatever_is_wrong_with_the_settings_and_says_so() {
    let book = with_settings("theme = \"mine\"\nmouse = 7\n");
    fs::write(book.settings("themes/mine.toml"), "text = { fg = \"pink\" }\n").expect("written");
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("The settings have 17 mistakes");
    terminal.press("f1");
    terminal.wait_for_text("Mistakes in the settings");
    terminal.wait_for_text("line 2, column 9: `mouse` is 7");
    terminal.press("esc");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn one_mistake_is_said_itself() {
    let book = with_settings("theme = \"gone\"\n");
    let mut terminal = book.console(120, 24);
    terminal.wait_for_text("line 1, column 9: There is no theme gone");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn commands_do_not_fail_for_the_settings() {
    let book = with_settings("this is no TOML\n");
    for line in [&["list"][..], &["show", "chapter:012:draft"], &["history"], &["check", "chapter:012:draft"]]
    {
        let ran = book.run(line);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line:?}");
    }
    assert!(book.run(["paths"]).stdout.contains("config.toml, line 1, column"));
}
