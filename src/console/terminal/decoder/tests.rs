use super::*;
use proptest::prelude::*;

/// What these inputs are, one word for each.
fn words(inputs: &[Input]) -> String {
    let word = |input: &Input| match input {
        Input::Key(press) => press.to_string(),
        Input::Paste(text) => format!("paste:{}", text.escape_debug()),
        Input::Click { column, row } => format!("click:{column},{row}"),
        input => format!("{input:?}"),
    };
    inputs.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The same, and behind it what the terminal has told.
fn shown(decoder: &Decoder, inputs: &[Input]) -> String {
    decoder.told.iter().fold(words(inputs), |words, told| format!("{words} {told:?}"))
}

const ROWS: &[(&[u8], &str)] = &[
    (b"aG1 ?", "a G 1 Space ?"),
    ("起𠀀é".as_bytes(), "起 𠀀 é"),
    (
        b"\r\n\t\x7f\x08\x00\x03\x13\x1f",
        "Enter Ctrl+J Tab Backspace Backspace Ctrl+Space Ctrl+C Ctrl+S Ctrl+_",
    ),
    (b"\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F", "↑ ↓ → ← Home End"),
    (b"\x1bOA\x1bOP\x1bOS\x1b[[A\x1b[[E", "↑ F1 F4 F1 F5"),
    (b"\x1b[1;5A\x1b[1;2H\x1b[1;3D\x1b[1;5P", "Ctrl+↑ Shift+Home Alt+← Ctrl+F1"),
    (b"\x1b[1~\x1b[2~\x1b[3~\x1b[4~\x1b[5~\x1b[6~\x1b[3;5~", "Home Insert Delete End PgUp PgDn Ctrl+Delete"),
    (b"\x1b[11~\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~\x1b[34~", "F1 F5 F6 F10 F11 F12 F17"),
    (b"\x1b[Z\x1b[13;5u\x1b[97;5u\x1b[27u\x1b[9;2u\x1b[57399u", "Shift+Tab Ctrl+Enter Ctrl+A Esc Shift+Tab"),
    (b"\x1b[97;1:3u\x1b[98;1:2u", "b"),
    (b"\x1bx\x1b\r\x1b\xe8\xb5\xb7", "Alt+x Alt+Enter Alt+起"),
    (b"\x1b\x1b[A", "Esc ↑"),
    (b"\x1b[I\x1b[O\x1b[1;2R\x1b[?62;4c\x1b[?0u", "FocusGained FocusLost Cursor(1)"),
    (b"\x1b[<0;8;4M\x1b[<0;8;4m\x1b[<64;1;1M\x1b[<81;3;2M\x1b[<2;1;1M", "click:7,3 ScrollUp ScrollDown"),
    (b"\x1b[M \x28\x24\x1b[32;8;4M\x1b[M\xff\xff\xff", "click:7,3 click:7,3"),
    (b"\x1b[200~a\r\x03\x13\x1b[A\xe8\xb5\xb7\x1b[201~b", "paste:a\\r\\u{3}\\u{13}\\u{1b}[A起 b"),
    (b"\x1b[200~\x1b[201~\x1b[200~x\x1b[201~", "paste: paste:x"),
    (b"\x1b[<4;8;4M\x1b[<8;8;4M\x1b[<16;8;4M\x1b[<28;8;4Mx", "x"),
    // Broken, and then something whole.
    (b"\xc3\x1b[200~a\x03\x13\x1b[201~b", "paste:a\\u{3}\\u{13} b"),
    (b"\xe8\xb5\x1b[200~a\x03\x1b[201~", "paste:a\\u{3}"),
    (b"\xf0\x9f\x98\x1b[A\xff\xfe\x1b[B\x80\xc0x", "↑ ↓ x"),
    (b"\xc3\xe8\xb5\xb7\xc3\x03", "起 Ctrl+C"),
    (b"\x1b[12\x1b[200~a\x03\x1b[201~\x1b[1;\xc3\x1b[A\x1b[3\x13", "paste:a\\u{3} ↑ Ctrl+S"),
    (b"\x1b\xc3\x1b[A\x1bO\x1b[B", "↑ Alt+O ↓"),
];

#[test]
fn bytes_mean_the_same_wherever_they_are_cut() {
    for (bytes, meaning) in ROWS {
        let mut decoder = Decoder::default();
        let inputs = decoder.take(bytes);
        assert_eq!(shown(&decoder, &inputs), *meaning, "{bytes:?}");
        for cut in 0..bytes.len() {
            let mut decoder = Decoder::default();
            let mut inputs = decoder.take(&bytes[..cut]);
            inputs.extend(decoder.take(&bytes[cut..]));
            assert_eq!(shown(&decoder, &inputs), *meaning, "{bytes:?} cut at {cut}");
        }
        let mut decoder = Decoder::default();
        let inputs: Vec<Input> = bytes.iter().flat_map(|byte| decoder.take(&[*byte])).collect();
        assert_eq!(shown(&decoder, &inputs), *meaning, "{bytes:?} one by one");
    }
}

#[test]
fn an_escape_alone_is_a_key_when_nothing_follows() {
    for (bytes, meaning) in [(&b"\x1b"[..], "Esc"), (b"\x1b[", "Alt+["), (b"\x1bO", "Alt+O")] {
        let mut decoder = Decoder::default();
        assert_eq!(words(&decoder.take(bytes)), "");
        assert!(decoder.is_undecided());
        assert_eq!(words(&decoder.decide()), meaning);
        assert_eq!(words(&decoder.take(b"a")), "a", "nothing of it is left");
    }
    let mut decoder = Decoder::default();
    decoder.take(b"\x1b[200~a");
    assert!(!decoder.is_undecided(), "a paste is waited for");
}

#[test]
fn a_paste_of_five_megabytes_in_small_pieces_takes_no_time() {
    let mut decoder = Decoder::default();
    let text = "起承转合".repeat(420_000);
    let bytes = [b"\x1b[200~", text.as_bytes(), PASTE_END].concat();
    let inputs: Vec<Input> = bytes.chunks(1000).flat_map(|piece| decoder.take(piece)).collect();
    assert_eq!(inputs, [Input::Paste(text)]);
}

/// What terminals answer and report by themselves. None of it is a key.
const REPORTS: &[&[u8]] = &[
    // Colours: of the text, of the ground, of the palette; in every form, with every end.
    b"\x1b]10;rgb:ffff/ffff/ffff\x07",
    b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    b"\x1b]11;rgb:1e/1e/1e\xc2\x9c",
    b"\x1b]11;#1e1e1e\x9c",
    b"\xc2\x9d11;rgba:1e1e/1e1e/1e1e/ffff\xc2\x9c",
    b"\x1b]4;1;rgb:cccc/0000/0000\x1b\\",
    // The clipboard, a title, an icon.
    b"\x1b]52;c;6LW354K5\x07",
    "\x1b]l起点 — vim\x1b\\".as_bytes(),
    "\x1b]L朜\x07".as_bytes(),
    // XTVERSION, XTGETTCAP, DECRQSS, DA3, kitty's own.
    b"\x1bP>|XTerm(390)\x1b\\",
    b"\x1bP1+r5463=32\x1b\\\x1bP0+r\x1b\\",
    b"\x1bP1$r0;4m\x1b\\",
    b"\xc2\x90!|7E565445\xc2\x9c",
    b"\x1bP@kitty-cmd{\"ok\": true}\x1b\\",
    b"\x1b_Gi=31;OK\x1b\\",
    b"\xc2\x9fGi=31;ENOENT: \xe8\xb5\xb7\xc2\x9c",
    b"\x1b^words\x1b\\\xc2\x9ewords\x07",
    b"\x1bXwords\r\nand words\x1b\\\xc2\x98words\xc2\x9c",
    b"\x1b]\x07\x1bP\x1b\\",
    // Devices, modes, keyboards, sizes, places, graphics.
    b"\x1b[?62;22;52c\x1b[>41;390;0c\xc2\x9b?1;2c",
    b"\x1b[?2026;2$y\x1b[4;1$y\x1b[?2031;2$y",
    b"\x1b[?0u\x1b[?31u\x1b[>4;2m",
    b"\x1b[8;24;80t\x1b[4;480;640t\x1b[6;20;10t\x1b[48;24;80;480;640t\x1b[1t\x1b[3;0;0t",
    b"\x1b[0n\x1b[?997;1n\x1b[?10n\x1b[?13n\x1b[?21n",
    b"\x1b[?1;1;1R\x1b[?1;0;256S\x1b[?2;3;0S\x1b[2;1;1;112;112;1;0x\x1b[1;2;3;4;0&w",
    b"\x1b[?1A\x1b[?2H\x1b[>1P\x1b[=1F\x1b[<1Z\x1b[?5~\x1b[1 q\x1b[1$A",
];

#[test]
fn what_a_terminal_reports_is_neither_key_nor_text_wherever_it_is_cut() {
    for report in REPORTS {
        let bytes = [b"a", *report, b"b"].concat();
        for cut in 0..=bytes.len() {
            let mut decoder = Decoder::default();
            let mut inputs = decoder.take(&bytes[..cut]);
            inputs.extend(decoder.take(&bytes[cut..]));
            assert_eq!(words(&inputs), "a b", "{:?} cut at {cut}", report.escape_ascii().to_string());
        }
    }
}

/// The keys that begin like a string of the terminal.
const BEGIN_ALIKE: [(&[u8], &str); 5] =
    [(b"\x1b]", "Alt+]"), (b"\x1bP", "Alt+P"), (b"\x1b^", "Alt+^"), (b"\x1b_", "Alt+_"), (b"\x1bX", "Alt+X")];

/// What begins a string, and what ends it.
const BEGINS: &[&str] =
    &["\x1b]", "\x1bP", "\x1b^", "\x1b_", "\x1bX", "\u{90}", "\u{98}", "\u{9d}", "\u{9e}", "\u{9f}"];
const ENDS: &[&str] = &["\x07", "\x1b\\", "\u{9c}"];

/// What these pieces mean, with a moment after each in which nothing comes.
fn with_pauses(pieces: &[&[u8]]) -> String {
    let mut decoder = Decoder::default();
    let inputs = pieces.iter().flat_map(|piece| {
        let taken = decoder.take(piece);
        [taken, decoder.decide()].concat()
    });
    words(&inputs.collect::<Vec<_>>())
}

#[test]
fn a_key_that_begins_like_a_string_swallows_nothing_behind_it() {
    for (key, name) in BEGIN_ALIKE {
        assert_eq!(with_pauses(&[key, b"h", b"i"]), format!("{name} h i"), "typed slowly");
        assert_eq!(
            with_pauses(&[key, b"11;rgb"]),
            format!("{name} 1 1 ; r g b"),
            "by a hand, behind a moment"
        );
        assert_eq!(with_pauses(&[&[key, b"hi \r\x13"].concat()]), format!("{name} h i Space Enter Ctrl+S"));
        assert_eq!(
            with_pauses(&[&[key, b"1", key, b"\x1b[A\x18"].concat()]),
            format!("{name} 1 {name} ↑ Ctrl+X")
        );
        assert_eq!(with_pauses(&[&[key, b"\x1b"].concat(), b"\xe8\xb5", b"\xb7"]), format!("{name} Esc 起"));
        assert_eq!(with_pauses(&[b"\x1b", &key[1..], b"x"]), format!("Esc {} x", &name[4..]));
    }
}

/// Half of what a terminal sends.
const HALVES: &[&[u8]] = &[
    b"\x1b]11;",
    b"\x1b]11;rgb:1e1e/1e1e/1e1e",
    b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b",
    b"\x1bP>|XTerm(39",
    b"\x1bP1$r0",
    b"\x1b_Gi=31",
    b"\xc2\x9d",
    b"\x1b[?62;22",
    b"\x1b[<0;1",
    b"\xc2\x9b",
];

#[test]
fn half_of_what_a_terminal_sends_hides_no_key_and_is_none() {
    for half in HALVES {
        let name = half.escape_ascii().to_string();
        for typed in ["起", "雨停 a", "\r", "\x13", "1;", "\x1b\x1b[A"] {
            let alone = with_pauses(&[typed.as_bytes()]);
            assert_eq!(with_pauses(&[half, typed.as_bytes()]), alone, "{name}, then {typed:?}");
            let mut decoder = Decoder::default();
            assert_eq!((decoder.take(half), decoder.decide()), (vec![], vec![]), "{name}");
            assert!(decoder.is_half() && !decoder.is_undecided(), "{name}: it is not waited for actively");
            decoder.forget_half();
            let typed = [decoder.take(typed.as_bytes()), decoder.decide()].concat();
            assert_eq!(words(&typed), alone, "{name}, forgotten, then {typed:?}");
        }
        assert_eq!(with_pauses(&[half, b"\x1b[A"]), "↑", "{name}, then a key with a sequence of its own");
        if half.ends_with(b"\x1b") {
            continue;
        }
        let at_once = |bytes: &[u8]| with_pauses(&[&[half, bytes].concat()]);
        assert_eq!(
            at_once(b"\x1b[A\x1b[200~x\x1b[201~"),
            "↑ paste:x",
            "{name}, with other sequences behind it"
        );
        assert_eq!(at_once(b"\x13x"), "Ctrl+S x", "{name}, with a key behind it");
    }
}

#[test]
fn the_other_half_may_come_late() {
    for (report, at_least) in
        [(&b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"[..], 5), (b"\x1bP>|XTerm(390)\x07", 4), (b"\x1b[?62;22c", 3)]
    {
        for cut in at_least..report.len() {
            let pieces = [b"a", &report[..cut], &report[cut..], b"b"];
            assert_eq!(with_pauses(&pieces), "a b", "{} at {cut}", report.escape_ascii());
        }
    }
}

#[test]
fn a_string_without_an_end_takes_neither_memory_nor_keys() {
    let endless = vec![b'x'; LONGEST + 7];
    let mut decoder = Decoder::default();
    let inputs = decoder.take(&[b"\x1b]", &endless[..]].concat());
    assert_eq!(inputs.len(), 1 + endless.len(), "it looks like no answer: all are keys");
    let answer: Vec<u8> = [b"\x1b]52;c;", &endless[..]].concat();
    let rest: Vec<Input> = answer.chunks(1000).flat_map(|piece| decoder.take(piece)).collect();
    assert!(rest.len() < 20 && decoder.waiting.is_empty(), "{}", rest.len());
    assert_eq!(words(&decoder.take(b"\x1b[A\x13")), "↑ Ctrl+S");
    let inputs = decoder.take(&[b"\x1b[", &[b'1'; MOST + 7][..]].concat());
    assert_eq!(inputs.len(), 1 + MOST + 7, "no control sequence is that long");
}

#[test]
fn what_is_told_is_told_once() {
    for (bytes, told) in [
        (&b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"[..], &[Told::Ground(Ground::Dark)][..]),
        (b"\xc2\x9d11;#fdf6e3\xc2\x9c", &[Told::Ground(Ground::Light)]),
        (b"\x1b]11;rgb:ff/ff/ff\x07\x1b[2;3R", &[Told::Ground(Ground::Light), Told::Cursor(2)]),
        (b"\x1b[?997;1n\x1b[?997;2n", &[Told::Scheme(Ground::Dark), Told::Scheme(Ground::Light)]),
        (b"\x1b]10;rgb:ff/ff/ff\x07\x1bP11;rgb:ff/ff/ff\x07\x1b]11;?\x07\x1b[?1;2;1R\x1b[997;1n", &[]),
    ] {
        for cut in 0..bytes.len() {
            let mut decoder = Decoder::default();
            let inputs = [decoder.take(&bytes[..cut]), decoder.take(&bytes[cut..])].concat();
            assert_eq!((&*inputs, &*decoder.told), (&[][..], told), "{}", bytes.escape_ascii());
        }
    }
}

/// What a terminal or a hand may send, whole and broken.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let rows = ROWS.iter().map(|row| row.0);
    let known: Vec<&[u8]> =
        rows.chain(REPORTS.iter().chain(HALVES).copied()).chain(BEGIN_ALIKE.map(|key| key.0)).collect();
    let piece = prop_oneof![
        prop::sample::select(known).prop_map(<[u8]>::to_vec),
        "[a-z0-9;起雨\u{80}-\u{9f}\x1b\\[\\]P_ ]{0,4}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_cut_changes_what_bytes_mean(bytes in pieces(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5)) {
        let mut whole = Decoder::default();
        let expected = [whole.take(&bytes), whole.decide()].concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let mut decoder = Decoder::default();
        let (mut inputs, mut from) = (Vec::new(), 0);
        for cut in cuts.into_iter().chain([bytes.len()]) {
            inputs.append(&mut decoder.take(&bytes[from..cut]));
            from = cut;
        }
        inputs.append(&mut decoder.decide());
        prop_assert_eq!(inputs, expected);
        prop_assert_eq!((&decoder.told, &decoder.waiting), (&whole.told, &whole.waiting));
    }

    #[test]
    fn a_string_between_keys_is_swallowed(
        begin in prop::sample::select(BEGINS),
        inner in "\\PC{0,12}",
        end in prop::sample::select(ENDS),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = ["a", begin, &inner, end, "b"].concat().into_bytes();
        let (first, second) = bytes.split_at(cut.index(bytes.len()));
        let mut decoder = Decoder::default();
        let inputs = [decoder.take(first), decoder.take(second)].concat();
        prop_assert_eq!(words(&inputs), "a b");
        prop_assert!(decoder.waiting.is_empty());
    }

    #[test]
    fn nothing_typed_behind_a_key_is_lost(
        (key, name) in prop::sample::select(BEGIN_ALIKE.to_vec()),
        typed in "[a-zA-Z起雨停，。！]{1,12}",
        read in any::<bool>(),
    ) {
        let pieces = if read { vec![[key, typed.as_bytes()].concat()] } else { vec![key.to_vec(), typed.clone().into_bytes()] };
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let expected = typed.chars().fold(name.to_owned(), |words, c| format!("{words} {c}"));
        prop_assert_eq!(with_pauses(&pieces), expected);
    }

    #[test]
    fn pauses_anywhere_break_nothing(pieces in prop::collection::vec((pieces(), any::<bool>(), any::<bool>()), 0..6)) {
        let mut decoder = Decoder::default();
        for (piece, pause, forget) in pieces {
            decoder.take(&piece);
            if pause {
                decoder.decide();
                prop_assert!(!decoder.is_undecided());
            }
            if forget && decoder.is_half() && !decoder.is_undecided() {
                decoder.forget_half();
                prop_assert!(!decoder.is_half());
            }
        }
        // Whatever came before, an end of a paste, a moment and a key behind it.
        decoder.take(b"\x1b[201~");
        decoder.decide();
        decoder.forget_half();
        prop_assert_eq!(words(&decoder.take(b"\x1b[A")), "↑");
    }
}
