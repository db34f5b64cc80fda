//! The theme `auto`: the terminal is asked whether its ground is dark or light, and followed when that changes. The real console
//! in a terminal that answers, in one that never does, and in those that are not asked.

use crate::sandbox::Sandbox;
use crate::screen::{Terminal, wait_while};
use serde_json::json;
use vt100::Color;

const DARK: &str = "rgb:1e1e/1e1e/2e2e";
const LIGHT: &str = "rgb:fdfd/f6f6/e3e3";
/// Asks for the ground, and to be told when it changes.
const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";
const FOLLOW: &[u8] = b"\x1b[?2031h";

/// A project with one gate, which asks for a text.
fn one_gate() -> Sandbox {
    let sandbox = Sandbox::new();
    let question = json!({ "id": "note", "header": "备注", "question": "还有什么？", "kind": "free_text", "required": true });
    let packet = json!({
        "version": 1,
        "step": "gate:1",
        "agent": { "kind": "subagent", "name": "writer" },
        "novel_ask": { "version": 1, "topic": "gate:1", "questions": [question] },
        "answer_path": "staging/novel-ask/gate.answers.json",
        "manifest": {},
        "expected_outputs": [],
        "next_actions": [],
    });
    sandbox.put("staging/manifests/gate.packet.json", packet.to_string());
    sandbox
}

/// The ground of the row under the cursor, the first with its mark.
fn bar(screen: &vt100::Screen) -> Option<(Color, bool)> {
    let (rows, columns) = screen.size();
    let mut cells = (0..rows).flat_map(|row| (0..columns).filter_map(move |column| screen.cell(row, column)));
    let mark = cells.rfind(|cell| cell.contents() == "▸")?;
    Some((mark.bgcolor(), mark.inverse()))
}

fn wait_for_theme(console: &Terminal, theme: &str) {
    let wanted = match theme {
        "dark" => (Color::Idx(24), false),
        "light" => (Color::Idx(153), false),
        "high-contrast" => (Color::Rgb(0xFF, 0xFF, 0), false),
        "mono" => (Color::Default, true),
        "ansi" => (Color::Default, false),
        theme => panic!("{theme}"),
    };
    console.wait_until(&format!("the theme {theme}"), |screen| bar(screen) == Some(wanted));
}

/// Whether the terminal was asked or told anything about its ground.
fn is_asked(console: &Terminal) -> bool {
    let raw = console.raw_output();
    [QUESTION, FOLLOW].iter().any(|part| raw.windows(part.len()).any(|bytes| bytes == *part))
}

fn questions(console: &Terminal) -> usize {
    console.raw_output().windows(QUESTION.len()).filter(|bytes| *bytes == QUESTION).count()
}

fn leave(mut console: Terminal) {
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
fn a_terminal_that_answers_gets_the_theme_for_its_ground_and_one_that_does_not_its_own_colours() {
    for (ground, theme) in [
        (Some(DARK), "dark"),
        (Some(LIGHT), "light"),
        (Some("rgba:1e1e/1e1e/2e2e/ffff"), "dark"),
        (Some("#fdf6e3"), "light"),
        (Some("rgb:00/00/00"), "dark"),
        (Some("nonsense"), "ansi"),
        (None, "ansi"),
    ] {
        let sandbox = one_gate();
        let console = sandbox.console_on(ground, &[]);
        console.wait_for_text("1 waiting");
        wait_for_theme(&console, theme);
        assert_eq!(questions(&console), 1, "{theme}");
        leave(console);
    }
}

#[test]
fn the_first_frame_waits_for_no_answer_and_a_late_one_is_still_taken() {
    let sandbox = one_gate();
    let mut console = sandbox.console_on(None, &[]);
    console.wait_for_text("1 waiting");
    wait_for_theme(&console, "ansi");
    console.press("enter");
    console.wait_for_text("[1 ");
    console.send_keys("雨停之前");
    // Cut by the line, and with keys around it.
    console.send_bytes(format!("，别\x1b]11;{LIGHT}\x1b").as_bytes());
    console.send_bytes("\\让他回头。".as_bytes());
    console.wait_for_text("雨停之前，别让他回头。");
    console.press("enter");
    console.wait_for_text("This will be written to");
    wait_for_theme(&console, "light");
    console.press("ctrl+s");
    console.wait_for_text("Written and verified");
    let record = sandbox.read("staging/novel-ask/gate.answers.json").expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    assert_eq!(record["answers"], json!({ "note": "雨停之前，别让他回头。" }));
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
fn a_change_of_the_scheme_is_followed() {
    let sandbox = one_gate();
    // One terminal also answers when it is asked again, the other only tells.
    for ground in [Some(DARK), None] {
        let console = sandbox.console_on(ground, &[]);
        console.wait_for_text("1 waiting");
        wait_for_theme(&console, ground.map_or("ansi", |_| "dark"));
        if ground.is_some() {
            console.set_ground(LIGHT);
        }
        console.send_bytes(b"\x1b[?997;2n");
        wait_for_theme(&console, "light");
        if ground.is_some() {
            console.set_ground(DARK);
        }
        console.send_bytes(b"\x1b[?997;1n");
        wait_for_theme(&console, "dark");
        leave(console);
    }
    // Some report the system's scheme though their own colours stay: what they say of the ground itself counts.
    let console = sandbox.console_on(Some(DARK), &[]);
    wait_for_theme(&console, "dark");
    console.send_bytes(b"\x1b[?997;2n");
    wait_while("nothing was asked again", || questions(&console) < 2);
    wait_for_theme(&console, "dark");
    leave(console);
}

#[test]
fn after_a_stop_the_terminal_is_asked_again() {
    let sandbox = one_gate();
    let console = sandbox.console_as_job("fg");
    console.set_ground(DARK);
    console.send_keys("x\r");
    console.wait_for_text("1 waiting");
    wait_for_theme(&console, "dark");
    console.press("ctrl+z");
    console.wait_for_text("stopped");
    console.wait_for_bytes(b"\x1b[?2031l");
    console.set_ground(LIGHT);
    console.send_keys("x\r");
    wait_for_theme(&console, "light");
    leave(console);
}

#[test]
fn nothing_is_asked_where_no_answer_is_needed() {
    let sandbox = one_gate();
    for (more, theme) in [
        (&["--theme", "high-contrast"][..], "high-contrast"),
        (&["--theme", "light"], "light"),
        (&["--color", "never"], "mono"),
    ] {
        let console = sandbox.console_on(Some(DARK), more);
        console.wait_for_text("1 waiting");
        wait_for_theme(&console, theme);
        // A report that comes all the same changes nothing.
        console.send_bytes(format!("\x1b]11;{DARK}\x07\x1b[?997;1n").as_bytes());
        console.press("f1");
        console.wait_for_text("Help");
        console.press("esc");
        console.wait_until("the inbox", |screen| !screen.contents().contains("Help"));
        wait_for_theme(&console, theme);
        assert!(!is_asked(&console), "{more:?}");
        leave(console);
    }
    let line = |variables: &str| format!("{variables} exec novel-gate --state-dir ../state --lang en");
    for (variables, theme) in
        [("NO_COLOR=1", "mono"), ("TERM=linux", "ansi"), ("TERM=linux-16color COLORFGBG='0;15'", "light")]
    {
        let console = sandbox.system_on_terminal(&["sh", "-c", &line(variables)], 80, 24);
        console.wait_for_text("1 waiting");
        wait_for_theme(&console, theme);
        assert!(!is_asked(&console), "{variables}");
        leave(console);
    }
}

#[test]
fn the_environment_speaks_for_a_terminal_that_does_not() {
    let sandbox = one_gate();
    let console = sandbox.console_where(("COLORFGBG", "0;15"), 80, 24);
    console.wait_for_text("1 waiting");
    wait_for_theme(&console, "light");
    console.set_ground(DARK);
    console.send_bytes(format!("\x1b]11;{DARK}\x07").as_bytes());
    wait_for_theme(&console, "dark");
    leave(console);
}

#[test]
fn in_tmux_the_terminal_around_it_is_asked_too() {
    let sandbox = one_gate();
    let console = sandbox.console_where(("TMUX", "/tmp/tmux-0/default,1,0"), 80, 24);
    console.wait_for_text("1 waiting");
    // Before everything else: tmux hands on nothing while it changes screens.
    let both = b"\x1b]11;?\x1b\\\x1bPtmux;\x1b\x1b]11;?\x1b\x1b\\\x1b\\";
    assert!(console.raw_output().starts_with(both), "{}", console.raw_output().escape_ascii());
    leave(console);
}

#[test]
fn a_theme_that_the_author_has_chosen_stays() {
    let sandbox = one_gate();
    let console = sandbox.console_on(Some(DARK), &[]);
    wait_for_theme(&console, "dark");
    // The one after the theme that is shown, not after the one before the answer.
    console.press("ctrl+t");
    console.wait_for_text("Theme light until you quit");
    wait_for_theme(&console, "light");
    console.send_bytes(b"\x1b[?997;1n");
    console.press("ctrl+t");
    console.wait_for_text("Theme high-contrast until you quit");
    wait_for_theme(&console, "high-contrast");
    leave(console);
}

#[test]
fn settings_that_cannot_be_used_leave_it_to_the_terminal() {
    let sandbox = one_gate();
    let settings = sandbox.settings("config.toml");
    std::fs::create_dir_all(settings.parent().expect("a parent")).expect("a directory");
    for (line, theme) in
        [("theme = \"gone\"", "light"), ("theme = \"auto\"", "light"), ("theme = \"dark\"", "dark")]
    {
        std::fs::write(&settings, format!("{line}\n")).expect("written");
        let console = sandbox.console_on(Some(LIGHT), &[]);
        wait_for_theme(&console, theme);
        leave(console);
    }
}
