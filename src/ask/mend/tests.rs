use super::{Change, Mending, Slip, mend};
use proptest::prelude::*;
use serde_json::{Value, json};

fn mended(text: &str) -> Mending {
    mend(text.as_bytes()).unwrap_or_else(|| panic!("no reading of {text:?}"))
}

fn value(text: &str) -> Value {
    serde_json::from_str(&mended(text).text).expect("JSON")
}

/// The first slip, where it stands, and whether the reading is certain.
fn first(text: &str) -> (Slip, usize, usize, bool) {
    let Mending { changes, is_certain, .. } = mended(text);
    let Change { slip, .. } = &changes[0];
    (slip.kind, slip.line, slip.column, is_certain)
}

#[test]
fn each_slip_is_told_with_its_place_and_mended_where_it_can_mean_one_thing() {
    let want = json!({"a": "x", "b": [1, true]});
    for (text, slip, line, column) in [
        ("\u{feff}{\"a\": \"x\", \"b\": [1, true]}", Slip::ByteOrderMark, 1, 1),
        ("```json\n{\"a\": \"x\", \"b\": [1, true]}\n```\n", Slip::Fence, 1, 1),
        ("Here it is:\n{\"a\": \"x\", \"b\": [1, true]}", Slip::Prose, 1, 1),
        ("{\"a\": \"x\", \"b\": [1, true]}\n以上就是指令包。", Slip::Prose, 2, 1),
        ("<think>用 {花括号} 吗？</think>\n{\"a\": \"x\", \"b\": [1, true]}", Slip::Thoughts, 1, 1),
        ("Sure!\n```\n{\"a\": \"x\", \"b\": [1, true]}\n```\nDone.", Slip::Prose, 1, 1),
        ("{\"a\": \"x\", \"b\": [1, True]}", Slip::Word("True", "true"), 1, 21),
        ("{\"a\": \"x\", // why\n\"b\": [1, true]}", Slip::Comment, 1, 12),
        ("{\"a\": \"x\", /* why */ \"b\": [1, true]} # end", Slip::Comment, 1, 12),
        ("# a\n{\"a\": \"x\", \"b\": [1, true]}", Slip::Comment, 1, 1),
        ("{'a': 'x', 'b': [1, true]}", Slip::Quote('\''), 1, 2),
        ("{“a”: “x”, “b”: [1, true]}", Slip::Quote('“'), 1, 2),
        ("{\"a\"：\"x\"，\"b\": [1, true]}", Slip::Punctuation('：', ':'), 1, 5),
        ("｛\"a\": \"x\", \"b\": ［1、true］｝", Slip::Punctuation('｛', '{'), 1, 1),
        ("{\"a\": \"x\", \"b\": [1, true,],}", Slip::ExtraComma, 1, 25),
        ("{\"a\": \"x\", \"b\": [1, true]},", Slip::ExtraComma, 1, 27),
        ("{\"a\": \"x\"\n \"b\": [1 true]}", Slip::MissingComma, 1, 10),
        ("{a: \"x\", b: [1, true]}", Slip::UnquotedKey, 1, 2),
        ("{\"a\" = \"x\", \"b\" => [1, true]}", Slip::Punctuation('=', ':'), 1, 6),
        ("{\"a\": \"\\x78\", \"b\": [1, true]}", Slip::BadEscape, 1, 8),
        ("{\"a\": \"x\",\u{3000}\"b\": [１, true]}", Slip::Space('\u{3000}'), 1, 11),
        ("{\"a\": \"x\", \"b\": [+1, true]}", Slip::Number, 1, 18),
        ("{\"a\": \"x\", \"b\": [0x1, true]}", Slip::Number, 1, 18),
        ("{\"a\": \"x\", \"b\": [1, true]};\n", Slip::Semicolon, 1, 27),
        ("~~~json\n{\"a\": \"x\", \"b\": [1, true]}\n~~~", Slip::Fence, 1, 1),
        ("<think>想\n{\"a\": \"x\", \"b\": [1, true]}", Slip::Thoughts, 1, 1),
        ("想</think>\n{\"a\": \"x\", \"b\": [1, true]}", Slip::Thoughts, 1, 1),
        ("<!-- a -->{\"a\": \"x\", \"b\": [1, true]}", Slip::Comment, 1, 1),
        ("{\"a\": \"x\", <!-- a -->\"b\": [1, true]}", Slip::Comment, 1, 12),
        ("{\"a\": \"x\", \"b\": [1, true]}\0\0", Slip::Nul, 1, 27),
        ("{&quot;a&quot;: &quot;x&quot;, &quot;b&quot;: [1, true]}", Slip::Entity, 1, 2),
        ("1  {\n2    \"a\": \"x\",\n3    \"b\": [1, true]\n4  }", Slip::LineNumber, 1, 1),
        ("  9→{\n 10→ \"a\": \"x\",\n 11→ \"b\": [1, true]\n 12→}\n", Slip::LineNumber, 1, 3),
        ("1| {\n2|  \"a\": \"x\", \"b\": [1, true],\n3| }", Slip::LineNumber, 1, 1),
        ("> {\n> \"a\": \"x\",\n>\n> \"b\": [1, true]}", Slip::LineMark, 1, 1),
        ("> ```\n> {\"a\": \"x\", \"b\": [1, true]}\n> ```", Slip::LineMark, 1, 1),
        (r#""{\"a\": \"x\", \"b\": [1, true]}""#, Slip::Escaped, 1, 1),
        (r#"{\"a\": \"x\",\n \"b\": [1, true]}"#, Slip::Escaped, 1, 1),
    ] {
        assert_eq!(value(text), want, "{text}");
        assert_eq!(first(text), (slip, line, column, true), "{text}");
    }
}

#[test]
fn raw_white_space_in_strings_is_escaped() {
    for (text, want, slip) in [
        ("{\"a\": \"一\n二\", \"b\": 1}", "一\n二", Slip::ControlInString('\n')),
        ("{\"a\": \"一\r\n二\", \"b\": 1}", "一\n二", Slip::ControlInString('\r')),
        ("{\"a\": \"一\t二\", \"b\": 1}", "一\t二", Slip::ControlInString('\t')),
        ("{\"a\": \"一\u{1}二\", \"b\": 1}", "一\u{1}二", Slip::ControlInString('\u{1}')),
        ("{\"a\": \"it\\'s\", \"b\": 1}", "it's", Slip::BadEscape),
        ("{\"a\": \"\\“走\\”\", \"b\": 1}", "“走”", Slip::BadEscape),
    ] {
        assert_eq!(value(text)["a"], want, "{text}");
        let (found, line, _, is_certain) = first(text);
        assert_eq!((found, line, is_certain), (slip, 1, true), "{text}");
    }
}

#[test]
fn what_can_mean_several_things_is_read_and_called_uncertain() {
    for (text, want, slip) in [
        (r#"{"a": "她说"走之后", "b": 1}"#, json!({"a": "她说\"走之后", "b": 1}), Slip::BareQuote),
        (r#"["慢""快"]"#, json!(["慢\"\"快"]), Slip::BareQuote),
        (
            r#"{"a": "他说"走"，然后说"停"", "b": 1}"#,
            json!({"a": "他说\"走\"，然后说\"停\"", "b": 1}),
            Slip::BareQuote,
        ),
        (
            r#"{"a": ["用"冷峻", 还是"热烈"", "x"]}"#,
            json!({"a": ["用\"冷峻\", 还是\"热烈\"", "x"]}),
            Slip::BareQuote,
        ),
        (r#"{"a": 1} {"a": 2}"#, json!({"a": 1}), Slip::SecondValue),
        (r#"{"a": NaN, "b": -Infinity}"#, json!({"a": null, "b": null}), Slip::NotANumber),
        (r#"{"a": 1, "b": "写到一"#, json!({"a": 1, "b": "写到一"}), Slip::End),
        (r#"{"a": 1, "b": ["x", "#, json!({"a": 1, "b": ["x"]}), Slip::End),
        (r#"{"a": 1, "b": tr"#, json!({"a": 1}), Slip::End),
        (r#"{"a": 1, "b"#, json!({"a": 1}), Slip::End),
        (r#"{"a": [1, {"b": 2]}"#, json!({"a": [1, {"b": 2}]}), Slip::Bracket),
        (r#"{"a": 1}}"#, json!({"a": 1}), Slip::Bracket),
        (r#"{"a" "x", "b": 1}"#, json!({"a": "x", "b": 1}), Slip::MissingColon),
        (r#"{"a": , "b": 1}"#, json!({"a": null, "b": 1}), Slip::MissingValue),
        (r#"{"a": ["x" "y"]}"#, json!({"a": ["x", "y"]}), Slip::MissingComma),
        (r#"{"a": yes, "b": 1}"#, json!({"a": "yes", "b": 1}), Slip::UnquotedValue),
        (r#"{"a": 01, "b": 1}"#, json!({"a": "01", "b": 1}), Slip::LeadingZero),
        (r#"{"a": 冷峻，克制, "b": 1}"#, json!({"a": "冷峻，克制", "b": 1}), Slip::UnquotedValue),
        ("{\"a\": \"什么语气？,\n \"b\": 1}", json!({"a": "什么语气？", "b": 1}), Slip::MissingQuote),
        (r#"{"a": "C:\dir", "b": 1}"#, json!({"a": "C:\\dir", "b": 1}), Slip::BadEscape),
        ("{'a': 'it's', 'b': 1}", json!({"a": "it's", "b": 1}), Slip::Quote('\'')),
        ("Use {x}:\n{\"a\": 1}", json!({"a": 1}), Slip::Prose),
    ] {
        assert_eq!(value(text), want, "{text}");
        let (found, _, _, is_certain) = first(text);
        assert_eq!((found, is_certain), (slip, false), "{text}");
    }
}

#[test]
fn bare_quotation_marks_in_pairs_around_words_can_end_no_string() {
    for (text, want) in [
        (r#"{"a": "要"快"还是慢"}"#, "要\"快\"还是慢"),
        (r#"{"a": "要"快"还是"慢"", "b": 1}"#, "要\"快\"还是\"慢\""),
        (r#"{"a": "她说 "走" 之后，用什么语气？"}"#, "她说 \"走\" 之后，用什么语气？"),
        ("{\"a\": \"\"走\"之后\"\n}", "\"走\"之后"),
    ] {
        assert_eq!((value(text)["a"].as_str(), mended(text).is_certain), (Some(want), true), "{text}");
    }
}

#[test]
fn numbered_lines_of_which_some_are_missing_are_called_so_and_not_mended() {
    let text = "1: {\n2:   \"a\": \"x\",\n7:   \"b\": 1\n8: }\n";
    let error = crate::ask::json::Json::parse(text.as_bytes()).expect_err("no JSON");
    assert_eq!((mend(text.as_bytes()), error.kind), (None, Slip::LineNumber));
}

#[test]
fn what_is_taken_from_each_line_is_counted() {
    for (text, times) in [
        ("1| {\n2|  \"a\": 1\n\n3| }", 3),
        ("> {\n> \"a\": 1}", 2),
        ("{&quot;a&quot;: 1}", 2),
        ("{\"a\": 1,}", 1),
    ] {
        assert_eq!(mended(text).changes[0].times, times, "{text}");
    }
}

#[test]
fn thousands_are_joined_where_they_can_be_no_list() {
    for (text, want, is_certain) in [
        (r#"{"a": 1,000}"#, json!({"a": 1000}), true),
        (r#"{"a": 12,345, "b": 2}"#, json!({"a": 12345, "b": 2}), true),
        (r#"{"a": 1，234，567}"#, json!({"a": 1_234_567}), true),
        (r#"{"a": [1,000]}"#, json!({"a": [1000]}), false),
        (r#"{"a": [1,234,]}"#, json!({"a": [1, 234]}), true),
    ] {
        assert_eq!(value(text), want, "{text}");
        assert_eq!(mended(text).is_certain, is_certain, "{text}");
    }
}

#[test]
fn another_language_and_two_texts_are_named_and_never_mended() {
    for (text, slip, line, column) in [
        ("<!DOCTYPE html>\n<html><script>var a = {\"b\": 1};</script>", Slip::Page, 1, 1),
        ("{\"a\": \"x\",\n<<<<<<< HEAD\n\"b\": 1\n=======\n\"b\": 2\n>>>>>>> other\n}", Slip::Conflict, 2, 1),
        ("step: s\nnovel_ask:\n  topic: 走\n  options:\n  - {\"label\": \"走\"}", Slip::Yaml, 1, 1),
        ("---\na: 走\nb:\n  - 1\n", Slip::Yaml, 1, 1),
        ("\0\0\0", Slip::Nul, 1, 1),
    ] {
        assert_eq!(mend(text.as_bytes()), None, "{text}");
        let error = crate::ask::json::Json::parse(text.as_bytes()).expect_err("no JSON");
        assert_eq!((error.kind, error.line, error.column), (slip, line, column), "{text}");
    }
}

#[test]
fn of_several_slips_the_one_in_doubt_is_named() {
    for (text, slip, column) in [
        (r#"{"a": True, "b": "她说"走之后"}"#, Slip::BareQuote, 21),
        (r#"{'a': 1, "a": 2}"#, Slip::Quote('\''), 2),
        (r#"{"a": 1, "a": 2,}"#, Slip::ExtraComma, 16),
        ("{'a': 'it's', 'b': 1}", Slip::Quote('\''), 2),
        ("{'a': 'x', 'b': \"她说\"走之后\"}", Slip::BareQuote, 20),
        ("好的：{\"a\": 1}\n以上就是“x\"", Slip::Prose, 1),
        ("```\n{\"a\": 1}\n```\n以上就是\"x\"", Slip::Fence, 1),
        (r#"{"a": "x", ... "b": 1}"#, Slip::Elided, 12),
        ("{\"a\": \"x\", …\n\"b\": 1}", Slip::Elided, 12),
        ("{\"a\": \"x\" ......}", Slip::Elided, 11),
        ("{\"a\": [\"x\", ...]}", Slip::Elided, 13),
        ("{\"a\": ..., \"b\": [……]}", Slip::Elided, 7),
        ("{...}", Slip::Elided, 2),
        ("\u{feff}{\"a\": 007}", Slip::LeadingZero, 8),
        (r#"{"a": "x",} "b": 3}"#, Slip::Prose, 13),
        (r"{“a”: “她说“走”之后”}", Slip::Quote('“'), 2),
    ] {
        assert!(!mended(text).is_certain, "{text}");
        let error = crate::ask::json::Json::parse(text.as_bytes()).expect_err("no JSON");
        assert_eq!((error.kind, error.column), (slip, column), "{text}");
    }
}

#[test]
fn words_in_strings_stay_as_they_are() {
    let words = "&quot;走&quot; // <!-- --> 1,000 01; ~~~ > 7| <<<<<<<";
    let whole = json!({"a": words, "b": {"a": words}});
    for text in [
        format!("{whole:#};"),
        format!("> {}", format!("{whole:#}").replace('\n', "\n> ")),
        format!("~~~\n{whole}\n~~~"),
    ] {
        assert_eq!((value(&text), mended(&text).is_certain), (whole.clone(), true), "{text}");
    }
}

#[test]
fn json_is_left_alone_and_what_has_no_reading_gets_none() {
    for text in
        ["{}", " [1, \"a\"] ", "1", "\"words\"", "", "  ", "words", "走", "{:", "{;{", "{{}}", "\"a\" \"b\""]
    {
        assert_eq!(mend(text.as_bytes()), None, "{text:?}");
    }
}

/// JSON with what can go wrong in its place.
fn nearly_json() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "'",
        "“",
        "”",
        "，",
        "：",
        "｛",
        "\\",
        "\\x",
        "\\u00",
        "\n",
        "\r\n",
        "\t",
        " ",
        "//",
        "/*",
        "*/",
        "#",
        "```",
        "<think>",
        "</think>",
        "True",
        "NaN",
        "1",
        "-",
        "0x",
        "a",
        "走",
        "\u{feff}",
        "\u{1}",
        "\"a\":",
        "\"b\": \"x\",",
        "{\"a\": [1, 2]}",
        "=",
        "=>",
        "\u{3000}",
        "\0",
        ";",
        "<!--",
        "-->",
        "&quot;",
        "\n> ",
        "\n2| ",
        "1,000",
        "01",
        "~~~\n",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..24)
        .prop_map(|pieces| pieces.concat())
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn the_result_is_json_or_there_is_none(text in prop_oneof![nearly_json(), any::<String>()]) {
        if let Some(mending) = mend(text.as_bytes()) {
            prop_assert!(is_json(&mending.text), "{:?}: {}", text, mending.text);
            prop_assert!(mending.count > 0 && !mending.changes.is_empty());
        }
        if is_json(&text) && !text.trim_start().starts_with('"') {
            prop_assert_eq!(mend(text.as_bytes()), None);
        }
    }

    #[test]
    fn any_bytes_get_an_end(bytes: Vec<u8>) {
        if let Some(mending) = mend(&bytes) {
            prop_assert!(is_json(&mending.text));
        }
    }

    /// Wherever a file was cut off, what it says before the cut is read.
    #[test]
    fn what_stands_before_a_cut_is_kept(words in proptest::collection::vec("[a-z走\"\\\\\n]{0,6}", 1..6), cut: prop::sample::Index) {
        let whole = serde_json::to_string_pretty(&json!({"first": 1, "words": words})).expect("JSON");
        let cuts: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
        let text = &whole[..*cut.get(&cuts)];
        if let Some(mending) = mend(text.as_bytes()) {
            let read: Value = serde_json::from_str(&mending.text).expect("JSON");
            let found = read["words"].as_array().cloned().unwrap_or_default();
            for (at, found) in found.iter().enumerate() {
                prop_assert!(words[at].starts_with(found.as_str().expect("a string")), "{}: {}", text, found);
            }
            prop_assert!(text.len() < 15 || read["first"] == 1, "{}", text);
            prop_assert!(!mending.is_certain);
        } else {
            prop_assert!(text.is_empty(), "{}", text);
        }
    }
}

/// Deep and long texts are read in one pass: what took the square of their length would not end.
#[test]
fn size_and_depth_cost_no_more_than_a_pass() {
    const LONG: usize = 1 << 17;
    for piece in [
        "[",
        "{\"a\":",
        "[1,",
        "\"",
        "\", \"",
        "\" \"",
        "'",
        "\\",
        "\n",
        "\n\"",
        " ",
        "/*",
        "//\n",
        "#",
        "```\n",
        "{",
        "a ",
        "，",
        "\",\"a",
        "',\"",
        "\"a\": \"b\n",
        "]",
        "}",
        "{]",
        "\u{3000}",
        "<think>",
        "\t",
        "“",
        "[,",
        "\"a\n }",
        "1_",
        "{\"a\": @ ",
        "{a:",
        "... ",
    ] {
        for begin in ["", "{}x", "{\"a\": \"", "[\"", "{\"a\":", "[", "x\n", "{\\\"a"] {
            let text = begin.to_owned() + &piece.repeat(LONG / piece.len());
            if let Some(mending) = mend(text.as_bytes()) {
                assert!(is_json(&mending.text), "{begin}{piece}");
            }
        }
    }
}

#[test]
fn what_is_no_character_is_mended_by_nobody() {
    let packet = b"{\"a\": \"\xe7\x82\", \"b\": \"\xe8\xb5\xb0\xef\xbc\x8c\xe8\xb5\xb0\",}";
    assert!(crate::text::encoding::decode(packet).is_none());
    assert!(!mend(packet).expect("legible").is_certain);
}
