//! The author's settings in the real program.

use crate::docs::{blocks, read};
use crate::sandbox::{Sandbox, wait_until};
use crate::system::make_pipe;
use novel_gate::platform::paths::Shown as _;
use std::fs;
use std::path::PathBuf;

/// The sample project with these settings.
fn with_settings(text: &str) -> Sandbox {
    let book = Sandbox::sample();
    fs::create_dir_all(book.settings("themes")).expect("a directory");
    fs::write(book.settings("config.toml"), text).expect("written");
    book
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn the_console_starts_whatever_is_wrong_with_the_settings_and_says_so() {
    let book = with_settings("theme = \"mine\"\nmouse = 7\n");
    fs::write(book.settings("themes/mine.toml"), "text = { fg = \"pink\" }\n").expect("written");
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("The settings have 18 mistakes");
    terminal.press("f1");
    terminal.wait_for_text("Mistakes in the settings");
    terminal.wait_for_wrapped_text("line 2, column 9: `mouse` is 7");
    terminal.press("enter");
    terminal.wait_for_text("2 answered");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn the_settings_that_the_pages_show_have_no_mistake() {
    for page in ["docs/console.md", "docs/console.zh-CN.md"] {
        let shown = blocks(&read(page)).into_iter().find(|(info, _)| info == "toml").expect("settings").1;
        let told = with_settings(&shown).run(["themes"]);
        assert!(told.stdout.ends_with("In use: dark, chosen in the settings.\n"), "{told:?}");
        assert_eq!(told.stderr, "", "{page}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn settings_that_are_no_text_are_named_and_stop_nothing() {
    let book = with_settings("");
    let path = book.settings("config.toml");
    fs::remove_file(&path).expect("removed");
    make_pipe(&path);
    let starts = |says: &str| {
        for named in [false, true] {
            let config = [PathBuf::from("--config"), path.clone()];
            let flags = || book.flags().into_iter().chain(config.clone().into_iter().filter(|_| named));
            let mut terminal = book.console_with(flags(), 80, 24);
            terminal.wait_for_text("2 answered");
            terminal.press("f10");
            assert_eq!(terminal.wait_exit().code, Some(0));
            let told = book.run(["themes"].iter().map(PathBuf::from).chain(flags().skip(6)));
            assert_eq!(told.code, Some(0), "{told:?}");
            assert!((told.stdout + &told.stderr).contains(says), "{says}");
        }
    };
    starts("it is not a regular file");
    fs::remove_file(&path).expect("removed");
    fs::write(&path, b"mouse = true\ntheme = \"\xb2\xe2\"\n").expect("written");
    starts("line 2, column 10: this is not UTF-8");
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn one_mistake_is_said_itself() {
    let book = with_settings("theme = \"gone\"\n");
    let mut terminal = book.console(120, 24);
    terminal.wait_for_wrapped_text("line 1, column 9: There is no theme gone");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn the_mouse_is_left_to_the_terminal_where_the_settings_say_so() {
    for (settings, taken) in [("", true), ("mouse = false\n", false)] {
        let book = with_settings(settings);
        let mut terminal = book.console(80, 24);
        terminal.wait_for_text("2 answered");
        let sent = String::from_utf8_lossy(&terminal.raw_output()).into_owned();
        assert_eq!(sent.contains("\x1b[?1000h"), taken, "{settings}");
        terminal.press("f10");
        assert_eq!(terminal.wait_exit().code, Some(0));
    }
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn no_colour_is_sent_where_none_is_wanted() {
    // Weight, underline and reverse video are below 30; what sets the usual colours is 39 and 49.
    let is_colour = |code: u16| (30..=38).contains(&code) || (40..=48).contains(&code) || code >= 90;
    let style = regex_lite::Regex::new("\x1b\\[([0-9;]*)m").expect("a pattern");
    for (choice, coloured) in [("always", true), ("never", false)] {
        let book = Sandbox::sample();
        let flags = book.flags().into_iter().chain(["--color".into(), choice.into()]);
        let mut terminal = book.console_with(flags, 80, 24);
        terminal.wait_for_text("2 answered");
        terminal.press("enter");
        terminal.wait_for_text("review");
        let sent = String::from_utf8_lossy(&terminal.raw_output()).into_owned();
        let mut codes = style
            .captures_iter(&sent)
            .flat_map(|found| found[1].split(';').filter_map(|code| code.parse().ok()).collect::<Vec<u16>>());
        assert_eq!(codes.any(is_colour), coloured, "{choice}: {sent:?}");
        terminal.press("f10");
        assert_eq!(terminal.wait_exit().code, Some(0));
    }
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn a_new_gate_is_told_on_the_desktop_too() {
    let command = r#"["sh", "-c", "echo \"$1\" > told.new; mv told.new told", "sh", "{body}"]"#;
    let book = with_settings(&format!("[notify]\ndesktop = \"osc777\"\ncommand = {command}\n"));
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("2 answered");
    let packet = book.read("staging/manifests/chapter-014-draft.packet.json").expect("a packet");
    let packet = String::from_utf8(packet).expect("UTF-8");
    let packet =
        packet.replace("chapter:014:draft", "chapter:077:draft").replace("chapter-014", "chapter-077");
    book.put("staging/manifests/chapter-077-draft.packet.json", packet);
    wait_until("the author's program has run", || book.read("told").is_some());
    assert_eq!(book.read("told").as_deref(), Some(&b"New gate: chapter:077:draft\n"[..]));
    terminal.wait_for_bytes(b"\x1b]777;notify;novel-gate: book;New gate: chapter:077:draft\x1b\\");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn the_authors_keys_act_and_are_shown_everywhere() {
    let book = with_settings("[keys]\n\"global.help\" = [\"Ctrl+B\"]\n\"inbox.rdo\" = [\"F9\"]\n");
    let mut terminal = book.console(120, 24);
    terminal.wait_for_wrapped_text("line 3, column 1: `inbox.rdo`");
    terminal.wait_for_text("Ctrl+B help");
    terminal.send_keys("\x02");
    terminal.wait_for_text("Mistakes in the settings");
    terminal.press("enter");
    terminal.wait_for_text("2 answered");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
    let listed = book.run(["keys"]);
    let help = listed.stdout.lines().find(|line| line.contains("global.help")).expect("a row");
    assert!(help.trim().starts_with("Ctrl+B ") && !help.contains("F1 "), "{help}");
    assert!(listed.stderr.contains("line 3, column 1: `inbox.rdo`"), "{listed:?}");
    let json = book.run(["keys", "--json"]).stdout;
    assert!(json.contains(r#""context": "global", "action": "help", "keys": ["Ctrl+B"]"#), "{json}");
}

#[test]
fn commands_do_not_fail_for_the_settings() {
    let book = with_settings("this is no TOML\n");
    for line in [&["list"][..], &["show", "chapter:012:draft"], &["history"], &["check", "chapter:012:draft"]]
    {
        let ran = book.run(line);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line:?}");
    }
    assert!(book.run(["themes"]).stdout.contains("config.toml, line 1, column"));
}

#[test]
fn without_a_home_there_are_no_settings_and_nothing_fails() {
    let book = crate::project::Book::new();
    for line in [&["themes", "--json"][..], &["list", "--json"]] {
        let mut command = book.command(line);
        command.env_remove("HOME").env_remove("XDG_CONFIG_HOME");
        let ran = crate::project::Running::start(command).end();
        assert_eq!((ran.exit, &*ran.err), (0, ""), "{line:?}: {}", ran.out);
    }
}

#[test]
fn settings_that_are_named_and_cannot_be_read_are_said_by_every_command_and_fail_none() {
    let book = Sandbox::sample();
    let path = book.settings("named.toml");
    let config = path.shown().into_owned();
    let told = |says: &str| {
        for line in
            [&["list"][..], &["show", "chapter:012:draft"], &["history"], &["check", "chapter:012:draft"]]
        {
            let ran = book.run(line.iter().chain(&["--config", &config]));
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert_eq!(ran.stderr, format!("novel-gate: {}\n", says.replace("{}", &config)), "{line:?}");
        }
    };
    told("Cannot read {}. Cause: there is no such file or directory.");
    let chinese = book.run(["list", "--config", &config, "--lang", "zh-CN"]);
    assert_eq!(chinese.stderr, format!("novel-gate: 无法读取 {config}。原因：文件或目录不存在。\n"));
    fs::create_dir_all(&path).expect("a directory in its place");
    told("Cannot read {}. Cause: it is a directory.");
    fs::remove_dir(&path).expect("removed");
    fs::write(&path, b"theme = \"\xb2\"\n").expect("written");
    told("{}, line 1, column 10: this is not UTF-8; the whole file is ignored");
    // The keys in such a file are lost, too.
    let keys = book.run(["keys", "--config", &config]);
    assert!(keys.code == Some(0) && keys.stderr.ends_with("the whole file is ignored\n"), "{keys:?}");
    fs::write(&path, "theme = 7\n").expect("written");
    let listed = book.run(["list", "--config", &config]);
    assert_eq!(listed.stderr, "", "a setting that list does not use");
}
