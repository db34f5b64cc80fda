use super::*;

mod properties;

fn refused(text: &str) -> (usize, usize, SyntaxKind) {
    let error = Json::parse(text.as_bytes()).expect_err(text);
    (error.line, error.column, error.kind)
}

fn number(text: &str) -> f64 {
    Json::parse(text.as_bytes()).expect(text).root().number().expect("a number")
}

fn string(text: &str) -> JsString {
    Json::parse(text.as_bytes()).expect(text).root().string().expect("a string")
}

fn units(units: &[u16]) -> JsString {
    let mut out = JsString::default();
    for &unit in units {
        out.push_unit(unit);
    }
    out
}

#[test]
fn these_are_json() {
    use Kind::{Array, Boolean, Null, Number, Object, String};
    for (text, kind) in [
        ("null", Null),
        (" \t\r\ntrue\n", Boolean),
        ("false", Boolean),
        ("0", Number),
        ("-0", Number),
        ("-12.50e+03", Number),
        ("1E5", Number),
        ("\"\"", String),
        ("\"\u{7f}\u{85}\u{2028}\u{feff}\u{10ffff}\"", String),
        (r#""\"\\\/\b\f\n\r\t\u0000\uFfFf""#, String),
        ("[]", Array),
        ("[ ]", Array),
        ("[[],{},\"\",0 , null]", Array),
        ("{}", Object),
        ("{\"\":{\"\":[]}}", Object),
        (" { \"a\" : 1 , \"a\" : 2 } ", Object),
    ] {
        let json = Json::parse(text.as_bytes()).expect(text);
        assert_eq!(json.root().kind(), kind, "{text}");
        assert_eq!(json.root().source(), text.trim_matches([' ', '\t', '\r', '\n']), "{text}");
    }
}

#[test]
fn these_are_not_json_and_here_is_why() {
    use SyntaxKind::{
        Bracket, ByteOrderMark, Comment, Empty, End, ExtraComma, MissingColon, MissingComma, MissingValue,
        Nul, Quote, Space, Trailing, Unexpected, UnquotedKey, UnquotedValue,
    };
    for (text, line, column, kind) in [
        ("", 1, 1, Empty),
        (" \n\t", 2, 2, Empty),
        ("\u{feff}{}", 1, 1, ByteOrderMark),
        (" \u{feff}{}", 1, 2, Space('\u{feff}')),
        ("\u{a0}1", 1, 1, Unexpected('\u{a0}')),
        ("\u{b}1", 1, 1, Unexpected('\u{b}')),
        ("{", 1, 2, End),
        ("[1,", 1, 4, End),
        ("[1,]", 1, 3, ExtraComma),
        ("[,1]", 1, 2, ExtraComma),
        ("[1 2]", 1, 3, MissingComma),
        ("[1}", 1, 3, Bracket),
        ("{]", 1, 2, Bracket),
        ("{\"a\":1,}", 1, 7, ExtraComma),
        ("{\"a\" 1}", 1, 5, MissingColon),
        ("{\"a\"}", 1, 5, Unexpected('}')),
        ("{\"a\":}", 1, 6, MissingValue),
        ("{a:1}", 1, 2, UnquotedKey),
        ("{'a':1}", 1, 2, Quote('\'')),
        ("{1:1}", 1, 2, UnquotedKey),
        ("{\n  \"问\": 是\n}", 2, 8, UnquotedValue),
        ("]", 1, 1, Unexpected(']')),
        ("1 2", 1, 3, Trailing('2')),
        ("{}\n// 注", 2, 1, Comment),
        ("\"问\"问", 1, 4, Trailing('问')),
        ("{}\u{0}", 1, 3, Nul),
    ] {
        assert_eq!(refused(text), (line, column, kind), "{text:?}");
    }
}

#[test]
fn these_words_and_strings_are_not_json_and_here_is_why() {
    use SyntaxKind::{BadEscape, ControlInString, End, Trailing, Unexpected, UnquotedValue};
    for (text, line, column, kind) in [
        ("truth", 1, 4, Unexpected('t')),
        ("tru", 1, 4, End),
        ("nul}", 1, 4, Unexpected('}')),
        ("NaN", 1, 1, Unexpected('N')),
        ("True", 1, 1, Unexpected('T')),
        ("01", 1, 2, Unexpected('1')),
        ("-", 1, 2, End),
        ("-a", 1, 2, Unexpected('a')),
        ("+1", 1, 1, Unexpected('+')),
        (".5", 1, 1, Unexpected('.')),
        ("1.", 1, 3, End),
        ("1.e5", 1, 3, Unexpected('e')),
        ("1e", 1, 3, End),
        ("1e+", 1, 4, End),
        ("[1e+]", 1, 2, UnquotedValue),
        ("0x1", 1, 2, Trailing('x')),
        ("1_000", 1, 2, Trailing('_')),
        ("-Infinity", 1, 2, Unexpected('I')),
        ("\"", 1, 2, End),
        ("\"ab", 1, 4, End),
        ("\"ab\ncd\"", 1, 4, ControlInString('\n')),
        ("\"四字五字六字\u{1f}\"", 1, 8, ControlInString('\u{1f}')),
        ("\"\\", 1, 3, End),
        ("\"\\u12", 1, 6, End),
        ("\"\\u12g4\"", 1, 2, BadEscape),
        ("\"\\x41\"", 1, 2, BadEscape),
        ("\"\\U0041\"", 1, 2, BadEscape),
        ("\"\\问\"", 1, 2, BadEscape),
        ("\"\\u+123\"", 1, 2, BadEscape),
    ] {
        assert_eq!(refused(text), (line, column, kind), "{text:?}");
    }
}

#[test]
fn of_equal_keys_the_last_value_stands_in_the_first_place() {
    let json = Json::parse(br#"{"a":1,"b":2,"\u0061":3,"b\\":4}"#).expect("JSON");
    let entries: Vec<(JsString, &str)> =
        json.root().entries().into_iter().map(|(key, item)| (key, item.source())).collect();
    assert_eq!(entries, [("a".into(), "3"), ("b".into(), "2"), ("b\\".into(), "4")]);
    assert_eq!(json.root().get("a").map(Item::source), Some("3"));
    assert_eq!(json.root().get("b\\").map(Item::source), Some("4"));
    assert_eq!(json.root().get("\\u0061").map(Item::source), None);
    assert_eq!(json.root().get("c").map(Item::source), None);
}

#[test]
fn equal_keys_are_found_among_many() {
    let members = (0..40).map(|i| (i, i)).chain([(3, 103), (30, 130)]);
    // The second time a key is spelled with an escape.
    let spelled = |value: usize| if value < 100 { "k" } else { "\\u006b" };
    let member = |(key, value)| format!("\"{}{key}\":{value}", spelled(value));
    let members: Vec<String> = members.map(member).collect();
    let text = format!("{{{}}}", members.join(","));
    let json = Json::parse(text.as_bytes()).expect("JSON");
    assert_eq!(json.root().entries().len(), 40);
    for (place, (key, value)) in json.root().entries().into_iter().enumerate() {
        assert_eq!(key, *format!("k{place}").as_str());
        let last = if [3, 30].contains(&place) { 100 + place } else { place };
        assert_eq!(value.source(), last.to_string());
    }
}

#[test]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
fn numbers_are_doubles() {
    for one in ["1", "1.0", "1e0", "10e-1", "0.99999999999999999999", "1.00000000000000000000001E+000"] {
        assert_eq!(number(one), 1.0, "{one}");
    }
    assert_eq!(number("9007199254740993"), 9_007_199_254_740_992.0);
    assert!(number("-0").is_sign_negative() && number("-0") == 0.0);
    assert_eq!(number("1e400"), f64::INFINITY);
    assert_eq!(number("-1e400"), f64::NEG_INFINITY);
    assert_eq!(number("1e-400"), 0.0);
    assert_eq!(number(&"9".repeat(100_000)), f64::INFINITY);
    assert_eq!(number("5e-324"), 5e-324);
}

#[test]
fn escapes_pairs_and_lone_surrogates_are_read() {
    assert_eq!(string(r#""\"\\\/\b\f\n\r\t""#), JsString::from("\"\\/\u{8}\u{c}\n\r\t"));
    assert_eq!(string(r#""a\u0000\u007F\u4e00z""#), JsString::from("a\0\u{7f}一z"));
    assert_eq!(string(r#""\ud83d\uDE00""#), JsString::from("😀"));
    assert_eq!(string(r#""\ud800""#), units(&[0xD800]));
    assert_eq!(string(r#""\udc00\ud800""#), units(&[0xDC00, 0xD800]));
    assert_eq!(string(r#""\ud800\ud83d\ude00""#), units(&[0xD800, 0xD83D, 0xDE00]));
    assert_eq!(string(r#""\ud800x\udc00""#), units(&[0xD800, u16::from(b'x'), 0xDC00]));
    assert_eq!(string(r#""\ud800\n\udc00""#), units(&[0xD800, 10, 0xDC00]));
}

#[test]
fn bytes_that_are_not_utf8_are_read_as_replacement_characters() {
    let json = Json::parse(b"[\"a\xff\xfeb\", \"\xe4\xbd\", \"\xed\xa0\x80\"]").expect("JSON");
    let strings: Vec<JsString> = json.root().elements().filter_map(Item::string).collect();
    assert_eq!(strings, ["a\u{fffd}\u{fffd}b", "\u{fffd}", "\u{fffd}\u{fffd}\u{fffd}"].map(JsString::from));
    let error = Json::parse(b"\"\xff\" \xff").expect_err("a stray byte");
    assert_eq!((error.column, error.kind), (5, SyntaxKind::Trailing('\u{fffd}')));
    assert_eq!(Json::parse(b"\xef\xbb\xbf1").expect_err("BOM").kind, SyntaxKind::ByteOrderMark);
}

const DEEP: usize = 1_000_000;

#[test]
fn depth_has_no_limit() {
    let lists = "[".repeat(DEEP) + &"]".repeat(DEEP);
    let objects = "{\"a\":".repeat(DEEP) + "0" + &"}".repeat(DEEP);
    for deep in [&lists, &objects] {
        let json = Json::parse(deep.as_bytes()).expect("JSON");
        assert_eq!(json.root().source().len(), deep.len());
        let kept = format!("{{\"skipped\": {deep}, \"kept\": {deep}, \"skipped\": {deep}}}");
        let json = Json::parse_keeping(kept.as_bytes(), &["kept"]).expect("JSON");
        assert_eq!(json.root().get("kept").expect("kept").source(), *deep);
        assert!(json.root().get("skipped").is_none());
        let (line, column, kind) = refused(&deep[..deep.len() - 1]);
        assert_eq!((line, column, kind), (1, deep.len(), SyntaxKind::End));
    }
    let open = "{\"a\":[".repeat(DEEP);
    assert_eq!(refused(&open).2, SyntaxKind::End);
    let cut = format!("{{\"skipped\": {open}");
    assert_eq!(Json::parse_keeping(cut.as_bytes(), &[]).expect_err("cut").kind, SyntaxKind::End);
}

#[test]
fn every_bracket_is_closed_by_its_own_kind() {
    let objects: Vec<bool> = (0..300).map(|depth| depth % 3 == 0 || depth % 7 == 1).collect();
    let close = |object: bool| if object { '}' } else { ']' };
    let open: String = objects.iter().map(|&object| if object { "{\"a\":" } else { "[" }).collect();
    let text = |wrong: Option<usize>| {
        let closes =
            objects.iter().enumerate().rev().map(|(depth, &object)| close(object != (wrong == Some(depth))));
        format!("{open}0{}", closes.collect::<String>())
    };
    for wrap in ["", "{\"dropped\":"] {
        let end = if wrap.is_empty() { "" } else { "}" };
        let verdict =
            |wrong| Json::parse_keeping(format!("{wrap}{}{end}", text(wrong)).as_bytes(), &["a"]).err();
        assert_eq!(verdict(None), None);
        for depth in 0..objects.len() {
            let error = verdict(Some(depth)).expect("a wrong bracket");
            assert_eq!(error.kind, SyntaxKind::Bracket, "{depth}");
            assert_eq!(error.column, wrap.len() + open.len() + 1 + (objects.len() - depth), "{depth}");
        }
    }
    let whole = text(None);
    let json = Json::parse(whole.as_bytes()).expect("JSON");
    let inner = |item: Item<'_>| item.get("a").map(Item::offset).or(item.elements().next().map(Item::offset));
    assert_eq!(inner(json.root()), Some(5));
    assert_eq!(json.root().compact(), whole);
}

#[test]
fn unwanted_members_are_checked_all_the_same() {
    for (text, kind) in [
        (r#"{"a":[1,]}"#, SyntaxKind::ExtraComma),
        (r#"{"a":{"keep":tru}}"#, SyntaxKind::UnquotedValue),
        (r#"{"a":"\q"}"#, SyntaxKind::BadEscape),
        (r#"{"a":[}"#, SyntaxKind::Bracket),
    ] {
        assert_eq!(Json::parse_keeping(text.as_bytes(), &["keep"]).expect_err(text).kind, kind, "{text}");
    }
}

#[test]
fn only_members_of_the_top_object_are_dropped() {
    let text = br#"{"a":{"keep":1},"k\u0065ep":{"a":[1,{"b":2}],"keep":3},"b":[],"keep2":0}"#;
    let json = Json::parse_keeping(text, &["keep"]).expect("JSON");
    assert_eq!(json.root().entries().len(), 1);
    let kept = json.root().get("keep").expect("kept");
    assert_eq!(kept.entries().len(), 2);
    assert_eq!(kept.get("a").expect("a").elements().count(), 2);
    let list = Json::parse_keeping(br#"[{"a":1},2]"#, &["keep"]).expect("JSON");
    assert_eq!(
        list.root().elements().next().and_then(|item| item.get("a")).and_then(Item::number),
        Some(1.0)
    );
}

#[test]
fn offsets_have_lines_and_columns() {
    let json = Json::parse("{\n\"问\": [1,\n  2]}".as_bytes()).expect("JSON");
    let two = json.root().get("问").and_then(|list| list.elements().nth(1)).expect("an element");
    assert_eq!(json.position(two.offset()), (3, 3));
    assert_eq!(json.position(0), (1, 1));
    assert_eq!(json.position(4), (2, 2));
    assert_eq!(json.position(usize::MAX), (3, 6));
}

#[test]
fn repeated_keys_are_found_at_any_depth() {
    let repeated = |text: &str| {
        let json = Json::parse(text.as_bytes()).expect("JSON");
        json.root()
            .repeated_key()
            .map(|twice| (twice.key.display().into_owned(), twice.offset, twice.pointer))
    };
    assert_eq!(repeated(r#"{"a":1,"b":{"a":2}}"#), None);
    let deep = r#"{"a":[1, {"c": [2, 3], "b":1,"\u0062":2}],"a":3}"#;
    assert_eq!(repeated(deep), Some(("b".into(), 29, "/a/1/b".into())));
    assert_eq!(repeated(r#"{"/":1,"/":[{"b":1,"b":2}]}"#), Some(("/".into(), 7, "/~1".into())));
    assert_eq!(repeated(&("[".repeat(100_000) + &"]".repeat(100_000))), None);
}

#[test]
fn compact_json_keeps_what_stands_in_strings() {
    let text = "{ \"a \\\" b\" : [ 1 , \"\\\\\" , \" x\\n\" ] ,\n\t\"c\": null }";
    let json = Json::parse(text.as_bytes()).expect("JSON");
    assert_eq!(json.root().compact(), r#"{"a \" b":[1,"\\"," x\n"],"c":null}"#);
}

#[test]
fn indented_json_is_laid_out_as_stringify_lays_it_out() {
    for text in [
        r#"{"a":{},"b":[],"c":[1,{"d":"x, [y]: {z} \\" , "e\"f":null}],"g":[[]]}"#,
        "[]",
        "{}",
        "3",
        r#"["\\","a\\\"b"]"#,
        r#"{"深":["一","二"]}"#,
    ] {
        let json = Json::parse(text.as_bytes()).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(json.root().indented(), serde_json::to_string_pretty(&value).expect("JSON"), "{text}");
    }
}

#[test]
fn values_stand_on_one_line_with_lone_surrogates_as_escapes() {
    let mut lone = JsString::from("雨");
    lone.push_unit(0xD800);
    let value = serde_json::json!({"a": [1, {"b": null}], "c": {}});
    assert_eq!(to_line(&value), r#"{"a": [1, {"b": null}], "c": {}}"#);
    assert_eq!(to_line(&[lone.clone(), "x\u{7f}\n".into()]), "[\"雨\\ud800\", \"x\u{7f}\\n\"]");
    assert_eq!(serde_json::from_str::<Vec<JsString>>(r#"["雨\ud800"]"#).expect("a list"), [lone]);
    assert_eq!(serde_json::from_str::<JsString>(r#""\ud83d\ude00é""#).expect("a string"), "😀é");
}
