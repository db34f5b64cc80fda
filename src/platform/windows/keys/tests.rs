use super::*;

fn down(key: u16, unit: u16, held: u8) -> Stroke {
    Stroke { is_down: true, count: 1, key, unit, held }
}

fn up(stroke: Stroke) -> Stroke {
    Stroke { is_down: false, ..stroke }
}

fn sent(keys: &mut Keys, strokes: &[Stroke]) -> String {
    strokes.iter().for_each(|&stroke| keys.press(stroke));
    keys.all()
}

fn typed(strokes: &[Stroke]) -> String {
    sent(&mut Keys::new(), strokes)
}

/// As a console gives a text that is pasted: each character goes down and up.
fn pasted(text: &str) -> Vec<Stroke> {
    let both = |unit| {
        let stroke = down(if unit == 0x0D { 0x0D } else { 0 }, unit, 0);
        [stroke, up(stroke)]
    };
    text.encode_utf16().flat_map(both).collect()
}

#[test]
fn keys_are_sent_once_and_as_often_as_they_are_held() {
    let a = down(0x41, 0x61, 0);
    assert_eq!(typed(&[a, up(a)]), "a");
    assert_eq!(typed(&[Stroke { count: 3, ..a }, up(a)]), "aaa");
    assert_eq!(typed(&[down(0x10, 0, SHIFT), down(0x41, 0x41, SHIFT)]), "A");
}

#[test]
fn keys_that_are_held_with_others_are_told_apart() {
    for (key, unit, held, expected) in [
        (0x53, 0x13, CTRL, "\x13"),
        (0x53, 0, CTRL, "\x13"),
        (0x20, 0x20, CTRL, "\0"),
        (0x31, 0x31, CTRL, "\x1b[49;5u"),
        (0x31, 0x31, ALT, "\x1b1"),
        (0x53, 0x13, CTRL | ALT, "\x1b\x13"),
        (0x0D, 0x0D, 0, "\r"),
        (0x0D, 0x0D, SHIFT, "\x1b[13;2u"),
        (0x0D, 0x0A, CTRL, "\x1b[13;5u"),
        (0x08, 0x08, 0, "\x7f"),
        (0x09, 0x09, SHIFT, "\x1b[Z"),
        (0x1B, 0x1B, 0, "\x1b"),
        (0x26, 0, CTRL, "\x1b[1;5A"),
        (0x70, 0, 0, "\x1b[11~"),
        (0x79, 0, 0, "\x1b[21~"),
        (0x7B, 0, SHIFT, "\x1b[24;2~"),
    ] {
        assert_eq!(typed(&[down(key, unit, held)]), expected, "{key:#x} {held}");
    }
}

#[test]
fn characters_on_keys_with_alt_gr_are_typed() {
    for c in "@{[]}\\€ą".encode_utf16() {
        let text = String::from_utf16(&[c]).expect("a character");
        assert_eq!(typed(&[down(0x51, c, CTRL | ALT)]), text);
        assert_eq!(typed(&[down(0x51, c, CTRL | ALT | SHIFT)]), text);
    }
}

#[test]
fn what_an_input_method_gives_and_what_is_no_single_unit_is_whole() {
    let units: Vec<Stroke> = "走🏮”".encode_utf16().map(|unit| down(0xE7, unit, 0)).collect();
    assert_eq!(typed(&units), "走🏮”");
    let mut keys = Keys::new();
    assert_eq!(sent(&mut keys, &units[1..2]), "");
    assert_eq!(sent(&mut keys, &[up(units[1])]), "");
    assert_eq!(sent(&mut keys, &units[2..3]), "🏮");
    assert_eq!(typed(&[units[1], down(0x41, 0x61, 0)]), "", "half a character and what spoils it");
}

#[test]
fn a_character_that_is_typed_by_its_number_comes_once() {
    let quote = 0x201C;
    let digits = [0x62, 0x60, 0x61].map(|key| down(key, 0, ALT));
    let whole = [&[down(MENU, 0, ALT)][..], &digits, &[Stroke { is_down: false, ..down(MENU, quote, 0) }]];
    assert_eq!(typed(&whole.concat()), "“");
    assert_eq!(typed(&[up(down(MENU, 0, 0))]), "");
}

#[test]
fn a_terminal_s_answers_are_whole() {
    let answer: Vec<Stroke> = "\x1b[1;3R".encode_utf16().map(|unit| down(0, unit, 0)).collect();
    assert_eq!(typed(&answer), "\x1b[1;3R");
}

#[test]
fn a_paste_that_the_terminal_does_not_mark_is_marked() {
    assert_eq!(typed(&pasted("她走了。\r雨停。\r")), "\x1b[200~她走了。\r雨停。\r\x1b[201~");
    for keys in ["a\r", "\r\r\r\r", "她走了。", "\x1b[Aabc\r"] {
        assert_eq!(typed(&pasted(keys)), keys, "{keys:?} may be typed");
    }
    let feed = down(RETURN, 0x0A, CTRL);
    let fed = [pasted("她走了。"), vec![feed, up(feed)], pasted("雨停。"), vec![feed]].concat();
    assert_eq!(typed(&fed), "\x1b[200~她走了。\n雨停。\n\x1b[201~");
    assert_eq!(typed(&[down(0x41, 0x61, 0), feed]), "a\n", "no key that sends the answers");
    let mut keys = Keys::new();
    assert!(sent(&mut keys, &pasted("雨停了\r")).starts_with(PASTE) && keys.is_burst());
    assert_eq!(sent(&mut keys, &pasted("\r")), "\x1b[200~\r\x1b[201~", "it goes on");
}

#[test]
fn a_paste_that_the_terminal_marks_stays_as_it_is_wherever_it_is_cut() {
    let whole = "\x1b[200~她走了。\r雨停。\r天亮了\r\x1b[201~";
    for (cut, _) in whole.char_indices() {
        let mut keys = Keys::new();
        let (front, back) = whole.split_at(cut);
        let both = sent(&mut keys, &pasted(front)) + &sent(&mut keys, &pasted(back));
        assert_eq!(both, whole, "{cut}");
        assert_eq!(keys.pasting, Pasting::No);
    }
}

#[test]
fn presses_and_the_wheel_are_reported_and_movements_are_not() {
    let mut keys = Keys::new();
    let mut point = |buttons: u32, what: u32, held| {
        keys.point((7, 3), buttons.into(), what.into(), held);
        keys.all()
    };
    assert_eq!(point(1, 0, 0), "\x1b[<0;8;4M");
    assert_eq!(point(1, 1, 0), "", "it is dragged");
    assert_eq!(point(0, 0, 0), "", "it is let go");
    assert_eq!(point(1, 2, CTRL), "\x1b[<16;8;4M", "the second of two");
    assert_eq!(point(3, 0, 0), "", "the right one too");
    assert_eq!(point(0x0078_0000, 4, 0), "\x1b[<64;8;4M");
    assert_eq!(point(0xFF88_0000, 4, SHIFT), "\x1b[<69;8;4M");
}
