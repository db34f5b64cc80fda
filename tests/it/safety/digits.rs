//! Own words that begin with a digit, typed as an author types them: in one piece, key by key, and by an input method, which
//! sends the digit at once and the word when it is composed.

use std::time::Instant;

use serde_json::json;

use super::{PACKET, RECORD, answers};
use crate::sandbox::{Sandbox, wait_until};
use crate::screen::Terminal;

const WORDS: &str = "3年前的雨夜";

fn open(kind: &str) -> (Sandbox, Terminal) {
    let options = ["甲", "乙", "丙", "丁"].map(|label| json!({ "label": label, "description": "d" }));
    let question = json!({
        "id": "scene", "header": "场景", "question": "从哪里写起？", "kind": kind, "required": true, "options": options,
        "allow_other": true,
    });
    let packet = json!({
        "version": 1, "step": "chapter:014:draft",
        "novel_ask": { "version": 1, "topic": "场景", "questions": [question] }, "answer_path": RECORD,
    });
    let sandbox = Sandbox::new();
    sandbox.put(PACKET, packet.to_string());
    let console = sandbox.console(80, 24);
    console.wait_for_text("1 waiting");
    console.press("enter");
    console.wait_for_text("[1 ");
    (sandbox, console)
}

/// Takes the words that stand in the filter, and submits them.
fn submit(kind: &str, sandbox: &Sandbox, console: &Terminal) {
    console.wait_for_text(&format!("write “{WORDS}”"));
    console.press("ctrl+s");
    console.wait_for_text("This will be written to");
    // Behind another key it is no repeat, and submits.
    console.press("down");
    console.press("ctrl+s");
    console.wait_for_text("Written and verified");
    let value = if kind == "single_choice" { json!(WORDS) } else { json!([WORDS]) };
    assert_eq!(answers(sandbox, RECORD), json!({ "scene": value }), "{kind}");
}

#[test]
fn words_that_begin_with_a_digit_arrive_whole_from_a_terminal() {
    for kind in ["single_choice", "multi_choice"] {
        let (sandbox, console) = open(kind);
        console.send_keys(WORDS);
        submit(kind, &sandbox, &console);

        let (sandbox, console) = open(kind);
        for (at, c) in WORDS.char_indices() {
            console.send_keys(&c.to_string());
            if at > 0 {
                console.wait_for_text(&WORDS[1..at + c.len_utf8()]);
            }
        }
        submit(kind, &sandbox, &console);

        let (sandbox, console) = open(kind);
        console.send_keys("3");
        let chosen = if kind == "single_choice" { "(•) 3" } else { "[x] 3" };
        console.wait_for_text(chosen);
        // The time that it takes to compose the word is what is typed here.
        let since = Instant::now();
        wait_until("the word", || since.elapsed().as_millis() > 700);
        console.send_keys("年前的雨夜");
        submit(kind, &sandbox, &console);
    }
}
