//! Ctrl+Y copies what the screen is about, and says so with the text itself.

use super::{PACKET, Story, question};

fn story() -> Story {
    let verdict = question("verdict", "single_choice", true, &["通过", "重写"], "");
    let note = question("note", "free_text", false, &[], "");
    let mut story = Story::of(&format!("[{verdict},{note}]"));
    story.scan();
    story
}

/// Presses the key; what was copied, which the sentence shows.
fn copied(story: &mut Story, keys: &str) -> String {
    story.press(keys).press("ctrl+y");
    let copied = story.console.runner().copied.pop().unwrap_or_default();
    let shown = copied.replace('\n', "⏎");
    assert!(copied.is_empty() || story.shown().contains("Copied: "), "{shown}: {}", story.shown());
    copied
}

#[test]
fn one_key_copies_what_each_screen_is_about() {
    let mut story = story();
    let waits = format!("Wait until I have answered chapter:048:draft: novel-gate wait {PACKET}");
    assert_eq!(copied(&mut story, ""), waits);
    assert_eq!(copied(&mut story, "f4"), waits, "as below the page");
    story.press("esc enter");
    assert_eq!(copied(&mut story, "down"), "重写");
    assert_eq!(copied(&mut story, "f4"), "重写");
    story.press("esc enter").burst("别让他回头").press("ctrl+j").burst("雨停之前");
    assert_eq!(copied(&mut story, ""), "别让他回头\n雨停之前");
    assert_eq!(copied(&mut story, "ctrl+s"), "重写");
    assert_eq!(copied(&mut story, "down"), "别让他回头\n雨停之前");
    assert_eq!(
        copied(&mut story, "f4"),
        "verdict\n重写\n\nnote\n别让他回头\n雨停之前",
        "as the page shows it"
    );
    let record: serde_json::Value =
        serde_json::from_str(&copied(&mut story, "tab")).expect("the page is about the record");
    assert_eq!(record["answers"]["note"], "别让他回头\n雨停之前");
    story.press("esc");
    story.pause(400);
    let answered = "chapter:048:draft is answered; go on with it. The answers are in staging/novel-ask/gate.answers.json";
    assert_eq!(copied(&mut story, "ctrl+s"), answered, "{}", story.shown());
    story.press("esc").scan();
    assert_eq!(copied(&mut story, ""), answered);
    assert_eq!(copied(&mut story, "f6"), "staging/novel-ask/gate.answers.json");
}

#[test]
fn what_cannot_be_copied_is_said() {
    let mut story = story();
    story.press("enter tab");
    assert_eq!(copied(&mut story, ""), "");
    assert_eq!(story.notice(), "There is nothing to copy here.");
    story.paste(&"字".repeat(20_000));
    assert_eq!(copied(&mut story, ""), "");
    assert_eq!(story.notice(), "Not copied: this is 59 KB, and a terminal copies 48 KB at most.");
    story.press("esc");
    story.console.stack.model.clipboard = false;
    assert_eq!(copied(&mut story, "esc"), "");
    assert!(story.notice().starts_with("Not copied, for config.toml says clipboard = false: Wait until"));
}

#[test]
fn hostile_text_is_copied_harmless_and_as_one_word_of_a_shell() {
    let mut story = story();
    let hostile = "staging/a';rm -rf x.packet.json";
    let packet = super::packet(&format!("[{}]", question("a", "free_text", false, &[], "")));
    let (step, other) = ("chapter:048:draft", "chapter:\\u001b]52;c;eA==\\u0007\\u202e02\\nrm x");
    story.put(hostile, &packet.replace(step, other).replace("gate.answers", "other.answers"));
    story.scan();
    story.burst("rm");
    let copied = copied(&mut story, "");
    assert!(!copied.chars().any(|c| c.is_control() || c == '\u{202e}'), "{copied:?}");
    assert!(copied.contains("⏎rm x: novel-gate wait "), "{copied}");
    assert!(copied.ends_with(r"novel-gate wait 'staging/a'\'';rm -rf x.packet.json'"), "{copied}");
}
