//! The real console on a real terminal, in the situations that cost an author his work: hostile packets, kills,
//! signals, a closed window, a second console, a packet that comes in pieces.

mod commands;
mod digits;
mod hostile;
mod stuck;
mod unsaved;
mod wire;

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use crate::system::Signal;
use serde_json::{Value, json};

use crate::kept;
use crate::sandbox::{Sandbox, wait_until};
use crate::screen::Terminal;

const PACKET: &str = "staging/manifests/gate.packet.json";
const RECORD: &str = "staging/novel-ask/gate.answers.json";
const WORDS: &str = "雨停之前，别让他回头。";

/// A packet that asks one free text.
fn packet(topic: &str, record: &str) -> String {
    let question = json!({ "id": "note", "header": "备注", "question": "还有什么要交代？", "kind": "free_text", "required": true });
    json!({
        "version": 1,
        "step": topic,
        "agent": { "kind": "subagent", "name": "writer" },
        "novel_ask": { "version": 1, "topic": topic, "questions": [question] },
        "answer_path": record,
        "manifest": {},
        "expected_outputs": [],
        "next_actions": [],
    })
    .to_string()
}

/// A project with that packet.
fn one_gate() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put(PACKET, packet("gate:1", RECORD));
    sandbox
}

/// A console with the gate's field open.
fn open_field(sandbox: &Sandbox) -> Terminal {
    open_field_on(sandbox.console(100, 30))
}

fn open_field_on(console: Terminal) -> Terminal {
    console.wait_for_text("1 waiting");
    console.press("enter");
    // The chip of the question shown; the question itself stands in the inbox too.
    console.wait_for_text("[1 ");
    console
}

/// Whether a draft on disk holds these words.
fn is_drafted(sandbox: &Sandbox, words: &str) -> bool {
    kept::drafts(&sandbox.state()).iter().any(|replies| replies.contains(words))
}

/// The answers of the record.
fn answers(sandbox: &Sandbox, record: &str) -> Value {
    let bytes = sandbox.read(record).expect("a record");
    serde_json::from_slice::<Value>(&bytes).expect("JSON")["answers"].clone()
}

#[test]
fn a_hostile_packet_sends_nothing_to_the_terminal_and_its_label_goes_unchanged_into_the_record() {
    let sandbox = Sandbox::new();
    hostile::fill(&sandbox);
    let mut console = sandbox.console(100, 30);
    for state in ["1 waiting", "1 blocked", "1 malformed", "1 answered"] {
        console.wait_for_text(state);
    }
    console.press("home");
    for meaning in ["no record yet", "the record is not valid", "cannot be used", "there is a valid record"] {
        console.press("f4");
        console.wait_for_text("Details");
        console.wait_for_text(meaning);
        for key in ["pagedown", "pagedown", "pagedown", "end"] {
            console.press(key);
        }
        console.press("esc");
        console.wait_until("the inbox", |screen| !screen.contents().contains("Details"));
        console.press("down");
    }
    console.press("home");
    answer_hostile_gate(&console);
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));

    let raw = console.raw_output();
    assert_eq!(wire::faults(&raw, (100, 30)), Vec::<String>::new());
    let colour = format!("\x1b[{}m", hostile::COLOUR);
    assert!(!String::from_utf8_lossy(&raw).contains(&colour), "the packet has coloured the screen");
    let expected = json!({
        "one": hostile::hostile("one 2"),
        "many": [hostile::hostile("many 1"), hostile::hostile("many 3")],
        "text": WORDS,
    });
    assert_eq!(answers(&sandbox, hostile::ANSWERS), expected);
}

/// Chooses the second option, ticks the first beside the default, writes a text, looks at everything, submits.
fn answer_hostile_gate(console: &Terminal) {
    let whole_text = |title: &str| {
        console.press("f4");
        console.wait_for_text(title);
        for key in ["pagedown", "end"] {
            console.press(key);
        }
        console.press("esc");
        console.wait_until("what is below", |screen| !screen.contents().contains(title));
    };
    console.press("enter");
    console.wait_for_text("question 1");
    whole_text("Details");
    console.press("down");
    whole_text("Details");
    console.press("enter");
    console.wait_for_text("question 2");
    // The cursor starts on the default, the last one.
    console.press("home");
    console.press("space");
    console.wait_for_text("2 chosen");
    console.press("enter");
    console.wait_for_text("question 3");
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    console.press("enter");
    console.wait_for_text("This will be written to");
    whole_text("Your answers");
    console.press("ctrl+s");
    console.wait_for_text("Written and verified");
    console.press("esc");
    console.wait_for_text("2 answered");
}

#[test]
fn what_the_commands_say_about_a_hostile_packet_is_harmless() {
    let sandbox = Sandbox::new();
    hostile::fill(&sandbox);
    let mut lines: Vec<Vec<&str>> =
        vec![vec!["list"], vec!["list", "--all"], vec!["wait", "--timeout", "1ms"]];
    lines[2].extend(hostile::PACKETS);
    for packet in hostile::PACKETS {
        lines.extend([vec!["check", packet], vec!["show", packet], vec!["redo", "--undo", packet]]);
    }
    for line in lines {
        let ran = sandbox.run(&line);
        for said in [&ran.stdout, &ran.stderr] {
            let faults = wire::text_faults(&said.replace('\n', ""));
            assert_eq!(faults, Vec::<String>::new(), "{line:?} says {said:?}");
        }
        assert!(!ran.stdout.is_empty() || !ran.stderr.is_empty(), "{line:?} says nothing");
    }
}

#[test]
fn two_thousand_chinese_characters_in_one_burst_reach_the_record_whole() {
    let sandbox = one_gate();
    let console = open_field(&sandbox);
    let text = "起承转合雨停之前".repeat(250);
    console.send_keys(&text);
    console.wait_for_text("2000 characters");
    console.press("enter");
    console.wait_for_text("This will be written to");
    console.press("ctrl+s");
    console.wait_for_text("Written and verified");
    assert_eq!(answers(&sandbox, RECORD), json!({ "note": text }));
}

/// The form opens on another thread; what the author types meanwhile is meant for it.
#[test]
fn a_key_pressed_before_the_first_look_is_kept_for_it() {
    let sandbox = one_gate();
    let console = sandbox.console(100, 30);
    console.press("enter");
    console.wait_for_text("[1 ● 备注]");
}

#[test]
fn what_is_typed_right_behind_a_key_that_opens_something_arrives_there() {
    let sandbox = one_gate();
    let mut console = sandbox.console(100, 30);
    console.wait_for_text("1 waiting");
    console.send_keys(&format!("\r{WORDS}"));
    console.wait_for_text("11 characters");
    console.send_keys("\r");
    console.wait_for_text("This will be written to");
    console.send_keys("\x13");
    console.send_keys("\x1b[21~");
    assert_eq!(console.wait_exit().code, Some(0));
    assert_eq!(answers(&sandbox, RECORD), json!({ "note": WORDS }));
    assert!(!is_drafted(&sandbox, WORDS), "an answered gate has no draft");
}

#[test]
fn after_kill_9_while_typing_the_text_is_there() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    wait_until("the draft is kept", || is_drafted(&sandbox, WORDS));
    console.send_keys(&"再写一句。".repeat(40));
    console.kill();
    drop(console);

    let mut console = open_field(&sandbox);
    console.wait_for_text(WORDS);
    console.wait_for_text("are restored");
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
    assert_eq!(sandbox.read(RECORD), None);
}

#[test]
fn of_two_consoles_on_one_gate_one_wins_and_the_other_keeps_its_text() {
    let sandbox = one_gate();
    let texts = ["甲：别让他回头。", "乙：让他回头看一眼。"];
    let mut consoles = [open_field(&sandbox), open_field(&sandbox)];
    for (console, text) in consoles.iter().zip(texts) {
        console.send_keys(text);
        console.wait_for_text(text);
        console.press("enter");
        console.wait_for_text("This will be written to");
    }
    for console in &consoles {
        console.press("ctrl+s");
    }
    for console in &consoles {
        console.wait_until("a receipt or a refusal", |screen| {
            let ends = ["Written and verified", "Not written", "in the place of theirs"];
            ends.iter().any(|words| screen.contents().contains(words))
        });
    }
    let record = answers(&sandbox, RECORD)["note"].as_str().expect("a text").to_owned();
    let winner = texts.iter().position(|text| *text == record).expect("one of the two, whole");
    let loser = 1 - winner;
    consoles[winner].wait_for_text("Written and verified");
    consoles[loser].wait_for_text("Mine instead of theirs");
    consoles[loser].wait_for_text(texts[loser]);
    consoles[loser].wait_for_text(&format!("theirs: {}", texts[winner]));
    consoles[loser].press("f10");
    assert_eq!(consoles[loser].wait_exit().code, Some(0));
    assert!(is_drafted(&sandbox, texts[loser]), "the loser's words are kept");
    assert_eq!(answers(&sandbox, RECORD)["note"], record, "the record is untouched");
}

#[test]
fn mine_instead_of_theirs_takes_one_key_and_theirs_is_in_the_history() {
    let sandbox = one_gate();
    let console = open_field(&sandbox);
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    let ran = sandbox.run(["answer", PACKET, "--by", "codex", "--set", "note=就让他回头。"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let theirs = sandbox.read(RECORD).expect("their record");
    console.wait_for_text("Another answer came first (codex");
    console.press("ctrl+s");
    console.wait_for_text("[ Mine instead of theirs  Ctrl+U ]");
    console.wait_for_text("theirs: 就让他回头。");
    assert_eq!(sandbox.read(RECORD).as_ref(), Some(&theirs));
    console.press("ctrl+u");
    console.wait_for_text("Written and verified");
    console.wait_for_text("Theirs (codex");
    assert_eq!(answers(&sandbox, RECORD)["note"], WORDS);
    assert!(kept::records(&sandbox.state()).contains(&theirs), "byte for byte");
}

#[test]
fn that_another_console_answers_too_is_said_as_long_as_it_does() {
    let sandbox = one_gate();
    let mut first = open_field(&sandbox);
    let second = open_field(&sandbox);
    second.wait_for_text("Another console is answering this gate");
    first.press("f10");
    assert_eq!(first.wait_exit().code, Some(0));
    second.wait_until("nothing of another console", |screen| !screen.contents().contains("Another console"));
}

#[test]
fn two_consoles_on_one_gate_are_told_of_each_other_and_a_kill_loses_no_words_of_either() {
    let sandbox = one_gate();
    let texts = ["甲：别让他回头。", "乙：让他回头看一眼。"];
    let mut consoles = [open_field(&sandbox), open_field(&sandbox)];
    consoles[1].wait_for_text("Another console is answering this gate");
    for (console, text) in consoles.iter().zip(texts) {
        console.send_keys(text);
        wait_until("the draft is kept", || is_drafted(&sandbox, text));
    }
    consoles[0].wait_for_text("Another console has answers to this gate too");
    consoles[0].send_keys("！");
    wait_until("the draft is kept", || is_drafted(&sandbox, "甲：别让他回头。！"));
    consoles.iter_mut().for_each(Terminal::kill);
    drop(consoles);

    let third = open_field(&sandbox);
    third.wait_for_text("甲：别让他回头。！");
    third.press("f7");
    third.wait_for_text(texts[1]);
}

#[test]
fn a_signal_ends_the_console_in_order_and_the_text_is_kept() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let sandbox = one_gate();
        let mut console = open_field(&sandbox);
        console.send_keys(WORDS);
        console.wait_for_text(WORDS);
        console.signal(signal);
        // `wait_exit` compares the terminal's modes with those before.
        let exit = console.wait_exit();
        assert_eq!((exit.code, exit.signal), (Some(code), None), "{signal:?}");
        let raw = console.raw_output();
        assert!(raw.ends_with(b"\x1b[?1049l"), "{:?}", String::from_utf8_lossy(&raw[raw.len() - 60..]));
        assert!(is_drafted(&sandbox, WORDS), "{signal:?}");
        assert_eq!(sandbox.read(RECORD), None);
    }
}

#[test]
fn a_console_whose_window_is_closed_is_gone_and_the_text_is_kept() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    console.close_master();
    let exit = console.wait_exit();
    assert_eq!(exit.code, Some(129), "{exit:?}");
    assert!(is_drafted(&sandbox, WORDS));
}

#[test]
fn a_storm_of_sizes_leaves_the_console_alive() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    for (width, height) in (1..=20).flat_map(|size| [(size, 1), (1, size), (size * 6, size * 2), (1000, 3)]) {
        console.resize(width, height);
    }
    console.resize(1, 1);
    console.wait_until("one cell", |screen| screen.contents().trim_end() == "T");
    console.resize(100, 30);
    console.wait_for_text(WORDS);
    console.send_keys("还在");
    console.wait_for_text(&format!("{WORDS}还在"));
    console.press("f2");
    console.wait_for_text("必答");
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

/// Between two pieces the console looks at the files: a whole packet beside them, which it shows, proves it.
#[test]
fn a_packet_in_ten_slow_pieces_appears_once_and_whole() {
    let sandbox = Sandbox::new();
    let console = sandbox.console(100, 30);
    console.wait_for_text("No gates yet");
    fs::create_dir_all(sandbox.path("staging/manifests")).expect("a directory made a moment before");
    let whole = packet("in-pieces", "staging/novel-ask/pieces.json").into_bytes();
    let mut file =
        OpenOptions::new().create_new(true).append(true).open(sandbox.path(PACKET)).expect("a new file");
    let pieces: Vec<&[u8]> = whole.chunks(whole.len().div_ceil(10)).collect();
    assert_eq!(pieces.len(), 10);
    for (number, piece) in (1..).zip(&pieces[..9]) {
        file.write_all(piece).expect("a piece");
        put_by_rename(&sandbox, number);
        console.wait_for_text(&format!("{number} waiting"));
        let screen = console.screen_text();
        assert!(
            !screen.contains("in-pieces") && !screen.contains("malformed"),
            "after {number} pieces\n{screen}"
        );
    }
    file.write_all(pieces[9]).expect("the last piece");
    console.wait_for_text("10 waiting");
    console.wait_for_text("in-pieces");
    let screen = console.screen_text();
    assert!(!screen.contains("malformed"), "{screen}");
}

/// A whole packet that is there at once, in a directory of its own that was made a moment before.
fn put_by_rename(sandbox: &Sandbox, number: usize) {
    let text = packet(&format!("whole-{number}"), &format!("staging/novel-ask/whole-{number}.json"));
    sandbox.put("unseen.tmp", text);
    let dir = sandbox.path(&format!("staging/new-{number}/deep"));
    fs::create_dir_all(&dir).expect("a directory");
    fs::rename(sandbox.path("unseen.tmp"), dir.join("whole.packet.json")).expect("renamed");
}

/// The key to copy, in a terminal as it is and from within tmux and GNU screen. tmux itself is not there.
#[test]
fn a_text_is_copied_through_the_terminal_as_it_wants_it() {
    let whole = b"\x1b]52;c;V2FpdCB1bnRpbCBJIGhhdmUgYW5zd2VyZWQgZ2F0ZToxOiBub3ZlbC1nYXRlIHdhaXQgc3RhZ2luZy9tYW5pZmVzdHMvZ2F0ZS5wYWNrZXQuanNvbg==\x07";
    let wrapped = |before: &str, behind: &str| [before.as_bytes(), whole, behind.as_bytes()].concat();
    for (variable, expected) in [
        (("TERM", "xterm-256color"), whole.to_vec()),
        (("STY", "1.pts-0.host"), wrapped("\x1bP", "\x1b\\")),
        (("TMUX", "/nowhere/at/all,1,0"), wrapped("\x1bPtmux;\x1b", "\x1b\\")),
    ] {
        let sandbox = one_gate();
        let mut console = sandbox.console_where(variable, 100, 30);
        console.wait_for_text("1 waiting");
        console.press("ctrl+y");
        console.wait_for_bytes(&expected);
        console.wait_for_text(
            "Copied: Wait until I have answered gate:1: novel-gate wait staging/manifests/gate",
        );
        console.press("f10");
        console.wait_exit();
    }
}
