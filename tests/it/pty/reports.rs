//! What a terminal sends by itself: answers to whoever asked, and reports. None of it is typed.

use crate::loop_program::RunningProbe;

/// Late answers: colours, a version, a capability, a clipboard; devices, modes, sizes.
const ANSWERS: &[&[u8]] = &[
    b"\x1b]10;rgb:ffff/ffff/ffff\x07",
    b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    "\u{9d}11;#1e1e1e\u{9c}".as_bytes(),
    b"\x1b]52;c;6LW354K5\x07",
    b"\x1bP>|XTerm(390)\x1b\\",
    b"\x1bP1+r5463=32\x1b\\",
    b"\x1b_Gi=31;OK\x1b\\\x1b^words\x07\x1bXwords\x1b\\",
    b"\x1b[?62;22c\x1b[>41;390;0c\x1b[?2026;2$y\x1b[?0u\x1b[8;24;80t\x1b[?997;1n\x1b[?1;0;256S\x1b[7;2R",
];

#[test]
fn a_late_answer_between_keys_is_not_typed_in_one_read_or_byte_by_byte() {
    let probe = RunningProbe::start();
    let mut typed = String::new();
    for answer in ANSWERS {
        for bytes in [vec![*answer], answer.chunks(1).collect()] {
            probe.terminal.send_keys("起");
            for piece in bytes {
                probe.terminal.send_bytes(piece);
            }
            probe.terminal.send_keys("点");
            typed += "起点";
            probe.terminal.wait_for_text(&format!("typed {} ending ", typed.chars().count()));
            probe.terminal.wait_for_text("key 点");
        }
    }
    probe.terminal.wait_for_text("line ends 0 enters 0 saves 0");
}

#[test]
fn half_an_answer_hides_no_key_and_the_rest_of_it_is_not_typed() {
    let mut probe = RunningProbe::start();
    probe.terminal.send_bytes(b"a\x1b]11;rgb:1e1e/1e");
    probe.terminal.wait_for_text("typed 1 ending a");
    probe.terminal.send_keys("起");
    probe.terminal.wait_for_text("typed 2 ending a起");
    probe.terminal.send_bytes(b"b\x1b]11;rgb:1e1e/1e");
    probe.terminal.wait_for_text("typed 3 ending a起b");
    probe.terminal.send_bytes(b"1e/1e1e\x1b\\c");
    probe.terminal.wait_for_text("typed 4 ending 起bc");
    probe.terminal.send_bytes(b"\x1b]11;rgb:1e1e/1e");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
}

#[test]
fn a_key_with_alt_that_begins_like_an_answer_swallows_no_words() {
    let probe = RunningProbe::start();
    let mut count = 0;
    for (key, name) in [("\x1b]", "]"), ("\x1bP", "P"), ("\x1b^", "^"), ("\x1b_", "_"), ("\x1bX", "X")] {
        probe.terminal.send_keys(key);
        probe.terminal.wait_for_text(&format!("key Alt+{name}"));
        probe.terminal.send_keys("雨停之前");
        // As one read: by a line that held the keys up.
        probe.terminal.send_keys(&format!("{key}he said"));
        count += 4 + 7;
        probe.terminal.wait_for_text(&format!("typed {count} ending aid"));
    }
}
