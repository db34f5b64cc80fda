//! A record in the author's own editor, on a real terminal: what the editor leaves is written, refused or kept, and
//! nothing of it is ever lost.

use std::time::{Duration, Instant};

use novel_gate::platform::processes::is_running;
use serde_json::json;

use crate::kept;
use crate::sandbox::{Sandbox, wait_until};
use crate::screen::{Terminal, wait_while};

const PACKET: &str = "staging/manifests/gate.packet.json";
const RECORD: &str = "staging/novel-ask/gate.answers.json";
/// What the editor leaves, and what it was given; both beside the project's own files.
const LEAVE: &str = "leave";
const GIVEN: &str = "given";
/// Takes what is to be left, keeps what was given, and ends as the last line of `end` says.
const EDITOR: &str = "cp \"$1\" given\ncat leave > \"$1\"\n[ -f end ] && . ./end\nexit 0\n";

/// A console whose one gate is blocked by a record with this platform.
fn blocked(platform: &str) -> (Sandbox, Terminal) {
    let sandbox = Sandbox::new();
    let options: Vec<_> =
        ["起点", "晋江"].iter().map(|label| json!({ "label": label, "description": "d" })).collect();
    let question = json!({ "id": "platform", "header": "平台", "question": "发布到哪里？", "kind": "single_choice",
        "required": true, "options": options });
    let packet = json!({
        "version": 1,
        "step": "chapter:048:draft",
        "agent": { "kind": "subagent", "name": "writer" },
        "novel_ask": { "version": 1, "topic": "平台绑定", "questions": [question] },
        "answer_path": RECORD,
        "manifest": {},
        "expected_outputs": [],
        "next_actions": [],
    });
    sandbox.put(PACKET, packet.to_string());
    sandbox.put(RECORD, record(platform));
    let console = sandbox.console_and_editor(EDITOR, 80, 24);
    console.wait_for_text("1 blocked");
    (sandbox, console)
}

/// A record, as an executor spells it.
fn record(platform: &str) -> String {
    format!(
        "{{\"version\":1,\"topic\":\"平台绑定\",\"answers\":{{\"platform\":\"{platform}\"}},\n\
         \"answered_at\":\"2026-02-27T10:12:34.000Z\",\"answered_by\":\"codex\",\"_notes\":{{\"why\":\"留着\"}}}}\n"
    )
}

/// Opens the editor, which leaves this text.
fn edit(sandbox: &Sandbox, console: &Terminal, leave: &str) {
    sandbox.put(LEAVE, leave);
    console.press("ctrl+g");
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path).expect("the file")).expect("text")
}

/// What was shown after an edit is left.
fn leave_the_page(console: &Terminal) {
    console.press("esc");
    console.wait_until("the inbox", |screen| screen.contents().contains("1 blocked"));
}

/// Says yes as an author does who has read the question. Whatever comes within 600 ms was meant for the editor.
fn say_yes(console: &Terminal) {
    let shown = Instant::now();
    wait_while("nobody has read the question", || shown.elapsed() < Duration::from_millis(700));
    console.press("enter");
}

#[test]
fn a_good_text_is_written_byte_for_byte_after_a_yes() {
    let (sandbox, console) = blocked("西红柿");
    edit(&sandbox, &console, &record("晋江"));
    console.wait_for_text("is valid. Write it?");
    assert_eq!(text(&sandbox, GIVEN), record("西红柿"), "the editor gets the record as it is");
    assert_eq!(text(&sandbox, RECORD), record("西红柿"), "nothing is written before the yes");
    say_yes(&console);
    console.wait_for_text("Written and verified");
    assert_eq!(text(&sandbox, RECORD), record("晋江"));
    assert!(kept::records(&sandbox.state()).contains(&record("西红柿").into_bytes()));
}

#[test]
fn a_text_that_is_still_bad_is_told_anew_and_offered_again() {
    let (sandbox, console) = blocked("西红柿");
    edit(&sandbox, &console, &record("番茄"));
    console.wait_for_text("Your edited text");
    console.wait_for_text("found     \"番茄\"");
    assert_eq!(text(&sandbox, RECORD), record("西红柿"));
    edit(&sandbox, &console, &record("起点"));
    console.wait_for_text("is valid. Write it?");
    assert_eq!(text(&sandbox, GIVEN), record("番茄"), "not the record: what was edited before");
    say_yes(&console);
    console.wait_for_text("Written and verified");
    assert_eq!(text(&sandbox, RECORD), record("起点"));
}

#[test]
fn what_a_failing_editor_leaves_is_kept_and_nothing_is_written() {
    let (sandbox, console) = blocked("西红柿");
    sandbox.put("end", "exit 1\n");
    edit(&sandbox, &console, &record("晋江"));
    console.wait_for_text("The editor exited with an error");
    console.wait_for_text("kept; Ctrl+G opens it again.");
    assert_eq!(text(&sandbox, RECORD), record("西红柿"));
    leave_the_page(&console);
    sandbox.put("end", "exit 0\n");
    edit(&sandbox, &console, &record("晋江"));
    console.wait_for_text("is valid. Write it?");
    assert_eq!(text(&sandbox, GIVEN), record("晋江"));
    say_yes(&console);
    console.wait_for_text("Written and verified");
    assert_eq!(text(&sandbox, RECORD), record("晋江"));
}

#[test]
fn a_record_that_changes_while_it_is_edited_is_not_written_over_and_the_text_stays_in_reach() {
    let (sandbox, console) = blocked("西红柿");
    sandbox.put("theirs", record("飞卢"));
    sandbox.put("end", format!("cat theirs > {RECORD}\n"));
    edit(&sandbox, &console, &record("晋江"));
    console.wait_for_text("the record changed while you edited it");
    assert_eq!(text(&sandbox, RECORD), record("飞卢"));
    leave_the_page(&console);
    sandbox.put("end", "exit 0\n");
    edit(&sandbox, &console, &record("晋江"));
    console.wait_for_text("is valid. Write it?");
    assert_eq!(text(&sandbox, GIVEN), record("晋江"), "the author's text, not theirs");
    say_yes(&console);
    console.wait_for_text("Written and verified");
    assert_eq!(text(&sandbox, RECORD), record("晋江"));
    assert!(kept::records(&sandbox.state()).contains(&record("飞卢").into_bytes()));
}

#[test]
fn an_editor_that_is_not_there_is_said() {
    let (sandbox, console) = blocked("西红柿");
    sandbox.put("end", "exit 127\n");
    edit(&sandbox, &console, &record("西红柿"));
    console.wait_for_text("The editor could not be started");
    assert_eq!(text(&sandbox, RECORD), record("西红柿"));
}

/// What an editor does that has saved and stays open; it writes down its number before, and that of the shell around it.
const STAYS: &str = "echo $$ $PPID > pid\ncat > /dev/null\n";

/// Kills a console whose editor is open, and waits until the editor has gone: the system hangs up on it.
fn kill_both(sandbox: &Sandbox, console: &mut Terminal) {
    wait_until("the editor's numbers", || sandbox.read("pid").is_some_and(|pid| pid.ends_with(b"\n")));
    let pids: Vec<u32> =
        text(sandbox, "pid").split_whitespace().map(|pid| pid.parse().expect("a number")).collect();
    console.kill();
    wait_until("the end of the editor", || !pids.iter().any(|pid| is_running(*pid)));
}

#[test]
fn what_the_editor_saved_before_a_kill_is_offered_as_the_edited_text() {
    let (sandbox, mut console) = blocked("西红柿");
    sandbox.put("end", STAYS);
    edit(&sandbox, &console, &record("晋江"));
    kill_both(&sandbox, &mut console);
    sandbox.put("end", "exit 0\n");
    let console = sandbox.console_and_editor(EDITOR, 80, 24);
    console.wait_for_wrapped_text("What you had saved in your editor when the console ended is here again");
    edit(&sandbox, &console, &record("晋江"));
    console.wait_for_text("is valid. Write it?");
    assert_eq!(text(&sandbox, GIVEN), record("晋江"), "what was saved before the kill");
    assert_eq!(text(&sandbox, RECORD), record("西红柿"), "nothing is written before the yes");
}

#[test]
fn what_the_editor_saved_of_an_answer_before_a_kill_is_offered_in_its_form() {
    let sandbox = Sandbox::new();
    let question = json!({ "id": "goal", "header": "目标", "question": "写什么？", "kind": "free_text", "required": true });
    let packet = json!({ "version": 1, "step": "chapter:048:draft", "answer_path": RECORD,
        "novel_ask": { "version": 1, "topic": "目标", "questions": [question] } });
    sandbox.put(PACKET, packet.to_string());
    let mut console = sandbox.console_and_editor(EDITOR, 80, 24);
    console.wait_for_text("1 waiting");
    sandbox.put("end", STAYS);
    console.press("enter");
    console.wait_for_text("写什么？");
    edit(&sandbox, &console, "雨夜的第二稿\n");
    kill_both(&sandbox, &mut console);
    for _ in 0..2 {
        // Seen and left, it is in the draft.
        console = sandbox.console_and_editor(EDITOR, 80, 24);
        console.wait_for_text("1 waiting");
        console.press("enter");
        console.wait_for_text("写什么？");
    }
    console.press("f7");
    console.wait_for_text("雨夜的第二稿");
    assert_eq!(sandbox.read(RECORD), None);
}
