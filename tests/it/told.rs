//! Whether the author's answers have reached who does the step: what the console and the commands say of it.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const ROUNDS: &str = "staging/novel-ask/a.rounds.jsonl";
const OUTPUT: &str = "staging/chapters/a.md";
const UNTOLD: &str = "The step went on, and nobody told its agent what you decided.";
const REMEDY: &str = "Let the agent read what this prints: novel-gate decisions step:a";

/// An answered gate whose step has made nothing yet, and one that waits.
fn book() -> Sandbox {
    let book = Sandbox::new();
    for name in ["a", "b"] {
        let packet = json!({"step": format!("step:{name}"), "answer_path": format!("staging/novel-ask/{name}.answers.json"),
            "expected_outputs": [{"path": format!("staging/chapters/{name}.md"), "required": true}],
            "novel_ask": {"version": 1, "topic": "t", "questions": [
                {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
        book.put(&format!("staging/manifests/{name}.packet.json"), packet.to_string());
    }
    answer(&book, "rain");
    book
}

fn answer(book: &Sandbox, words: &str) {
    let set = format!("a={words}");
    let done = book.run(["answer", "step:a", "--by", "me", "--set", &set, "--replace"]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

/// Somebody is told the record that is there.
fn tell(book: &Sandbox, agent: Option<&str>) -> Value {
    let shown = print(book, &["show", "step:a"]);
    let told = json!({"at": "2026-02-27T10:12:34.000Z", "agent": agent, "by": "claude-code"});
    let mut line = told.clone();
    (line["event"], line["record"]) = ("told".into(), shown["record_sha256"].clone());
    let before = book.read(ROUNDS).unwrap_or_default();
    book.put(ROUNDS, [before, format!("{line}\n").into_bytes()].concat());
    told
}

fn print(book: &Sandbox, arguments: &[&str]) -> Value {
    let ran = book.run([arguments, &["--json"]].concat());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// `told` and `untold` of the answered gate, which `list` and `show` agree on.
fn heard(book: &Sandbox) -> (Value, Value) {
    let listed = print(book, &["list"]);
    let gates = listed["gates"].as_array().expect("gates");
    let gate = gates.iter().find(|gate| gate["step"] == "step:a").expect("the gate");
    let shown = print(book, &["show", "step:a"]);
    assert_eq!((&gate["told"], &gate["untold"]), (&shown["told"], &shown["untold"]));
    (gate["told"].clone(), gate["untold"].clone())
}

#[test]
fn list_and_show_tell_who_was_told_last_and_of_a_step_that_goes_on_untold() {
    let book = book();
    assert_eq!(heard(&book), (Value::Null, false.into()), "nothing is known yet");
    assert!(!book.run(["list"]).stdout.contains("untold"));
    book.put(OUTPUT, "It rains.");
    assert_eq!(heard(&book), (Value::Null, true.into()));
    assert!(book.run(["list"]).stdout.contains("a.packet.json (untold)\n"));
    let shown = book.run(["show", "step:a"]).stdout;
    assert!(shown.contains(&format!("{UNTOLD}\n{REMEDY}\n")), "{shown}");
    tell(&book, None);
    let last = tell(&book, Some("chapter-writer"));
    assert_eq!(heard(&book), (last, false.into()));
    let shown = book.run(["show", "step:a"]).stdout;
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains("27 Feb")).collect();
    let begins = ["The executor was given your decisions, ", "chapter-writer was told, "];
    assert!(
        lines.len() == 2 && lines.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)),
        "{shown}"
    );
    let output = fs::File::options().write(true).open(book.path(OUTPUT)).expect("there");
    output.set_modified(SystemTime::now() - Duration::from_mins(1)).expect("its time");
    answer(&book, "snow");
    assert_eq!(heard(&book), (Value::Null, false.into()), "what is there was made of another record");
}

#[test]
fn the_history_tells_of_every_record_who_was_told() {
    let book = book();
    let told = [tell(&book, Some("chapter-writer")), tell(&book, Some("x\u{1b}[31m"))];
    answer(&book, "snow");
    book.put(OUTPUT, "It snows.");
    let entries = print(&book, &["history", "step:a"])["entries"].clone();
    let seen = |at: usize| (entries[at]["told"].clone(), entries[at]["untold"].clone());
    assert_eq!(seen(0), (json!([]), true.into()), "{entries}");
    assert_eq!(seen(entries.as_array().map_or(0, Vec::len) - 1), (json!(told), false.into()), "{entries}");
    let all = book.run(["history"]).stdout;
    assert_eq!(all.matches("(untold)").count(), 1, "{all}");
    let of_gate = book.run(["history", "step:a"]).stdout;
    for line in [format!("    {UNTOLD}"), format!("    {REMEDY}")] {
        assert_eq!(of_gate.lines().filter(|found| *found == line).count(), 1, "{of_gate}");
    }
    assert!(of_gate.contains("    chapter-writer was told, ") && !of_gate.contains('\u{1b}'), "{of_gate}");
    let id = entries[0]["id"].as_str().expect("an id");
    let whole = book.run(["history", "--show", id]).stdout;
    assert!(whole.contains(UNTOLD), "{whole}");
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn the_console_marks_a_step_that_goes_on_untold_until_somebody_is_told() {
    let book = book();
    let mut terminal = book.console(110, 30);
    terminal.wait_for_text("step:b");
    terminal.press("down");
    terminal.wait_for_text("answered by me");
    assert!(!terminal.screen_text().contains("untold"));
    book.put(OUTPUT, "It rains.");
    terminal.wait_for_text(" · untold");
    terminal.wait_for_text("▲ The step went on, and nobody told");
    tell(&book, Some("chapter-writer"));
    terminal.wait_for_text("✓ chapter-writer was told, ");
    terminal.wait_until("no mark", |screen| !screen.contents().contains("untold"));
    // The history says it too, as long as the record stands.
    terminal.press("f6");
    terminal.wait_for_text("✓ chapter-writer was told, ");
    fs::remove_file(book.path(ROUNDS)).expect("removed");
    terminal.wait_for_text("▲ The step went on, and nobody told");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}
