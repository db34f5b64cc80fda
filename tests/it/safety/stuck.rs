//! The author goes on while the terminal takes no output.

use super::{RECORD, WORDS, answers, is_drafted, one_gate, open_field};
use crate::sandbox::wait_until;
use crate::system::Signal;
use serde_json::json;

#[test]
fn answers_are_written_though_the_terminal_takes_no_output() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.stop_reading();
    console.send_keys(WORDS);
    wait_until("a draft", || is_drafted(&sandbox, WORDS));
    // To the review.
    console.press("enter");
    console.press("ctrl+s");
    wait_until("the record", || sandbox.read(RECORD).is_some());
    assert_eq!(answers(&sandbox, RECORD), json!({ "note": WORDS }));
    console.signal(Signal::TERM);
    assert_eq!(console.wait_exit().code, Some(143));
}

#[test]
fn when_it_takes_output_again_the_screen_shows_how_things_stand() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.stop_reading();
    console.send_keys(WORDS);
    wait_until("a draft", || is_drafted(&sandbox, WORDS));
    console.press("enter");
    console.press("ctrl+s");
    wait_until("the record", || sandbox.read(RECORD).is_some());
    console.read_again();
    console.wait_for_text("Written and verified");
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}
