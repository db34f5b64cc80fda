use super::reader::plain_run;
use super::*;
use proptest::prelude::*;
use serde_json::Value;

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
    use SyntaxKind::{BadEscape, ByteOrderMark, ControlInString, Empty, End, Trailing, Unexpected};
    for (text, line, column, kind) in [
        ("", 1, 1, Empty),
        (" \n\t", 2, 2, Empty),
        ("\u{feff}{}", 1, 1, ByteOrderMark),
        (" \u{feff}{}", 1, 2, Unexpected('\u{feff}')),
        ("\u{a0}1", 1, 1, Unexpected('\u{a0}')),
        ("\u{b}1", 1, 1, Unexpected('\u{b}')),
        ("{", 1, 2, End),
        ("[1,", 1, 4, End),
        ("[1,]", 1, 4, Unexpected(']')),
        ("[,1]", 1, 2, Unexpected(',')),
        ("[1 2]", 1, 4, Unexpected('2')),
        ("[1}", 1, 3, Unexpected('}')),
        ("{]", 1, 2, Unexpected(']')),
        ("{\"a\":1,}", 1, 8, Unexpected('}')),
        ("{\"a\" 1}", 1, 6, Unexpected('1')),
        ("{\"a\"}", 1, 5, Unexpected('}')),
        ("{\"a\":}", 1, 6, Unexpected('}')),
        ("{a:1}", 1, 2, Unexpected('a')),
        ("{'a':1}", 1, 2, Unexpected('\'')),
        ("{1:1}", 1, 2, Unexpected('1')),
        ("{\n  \"问\": 是\n}", 2, 8, Unexpected('是')),
        ("]", 1, 1, Unexpected(']')),
        ("1 2", 1, 3, Trailing('2')),
        ("{}\n// 注", 2, 1, Trailing('/')),
        ("\"问\"问", 1, 4, Trailing('问')),
        ("{}\u{0}", 1, 3, Trailing('\u{0}')),
        ("truth", 1, 4, Unexpected('t')),
        ("tru", 1, 4, End),
        ("nul}", 1, 4, Unexpected('}')),
        ("NaN", 1, 1, Unexpected('N')),
        ("True", 1, 1, Unexpected('T')),
        ("01", 1, 2, Trailing('1')),
        ("-", 1, 2, End),
        ("-a", 1, 2, Unexpected('a')),
        ("+1", 1, 1, Unexpected('+')),
        (".5", 1, 1, Unexpected('.')),
        ("1.", 1, 3, End),
        ("1.e5", 1, 3, Unexpected('e')),
        ("1e", 1, 3, End),
        ("1e+", 1, 4, End),
        ("[1e+]", 1, 5, Unexpected(']')),
        ("0x1", 1, 2, Trailing('x')),
        ("1_000", 1, 2, Trailing('_')),
        ("-Infinity", 1, 2, Unexpected('I')),
        ("\"", 1, 2, End),
        ("\"ab", 1, 4, End),
        ("\"ab\ncd\"", 1, 4, ControlInString('\n')),
        ("\"四字五字六字\u{1f}\"", 1, 8, ControlInString('\u{1f}')),
        ("\"\\", 1, 2, End),
        ("\"\\u12", 1, 2, End),
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
fn unwanted_members_are_checked_all_the_same() {
    for (text, kind) in [
        (r#"{"a":[1,]}"#, SyntaxKind::Unexpected(']')),
        (r#"{"a":{"keep":tru}}"#, SyntaxKind::Unexpected('}')),
        (r#"{"a":"\q"}"#, SyntaxKind::BadEscape),
        (r#"{"a":[}"#, SyntaxKind::Unexpected('}')),
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

/// Arbitrary JSON as `serde_json` builds it, with keys that often repeat.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        let key = prop_oneof!["[ab_]?", "keep\"?", any::<String>()];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Text made of the pieces that JSON is made of, mostly in the wrong order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\"a\"",
        "\"_\":",
        "\\u00e9",
        "\\ud800",
        "\\udc00",
        "\\n",
        "\\q",
        "0",
        "1",
        "-",
        ".",
        "e",
        "+",
        "12",
        "1e400",
        "true",
        "false",
        "null",
        " ",
        "\n",
        "\t",
        "\u{b}",
        "\u{1}",
        "é",
        "问",
        "\u{feff}",
        "\u{7f}",
        "[1,2]",
        "{\"a\":1}",
        "\"keep\":",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..24)
        .prop_map(|pieces| pieces.concat())
}

/// A value as `serde_json` would have it; `None` if it cannot say it.
fn value(item: Item<'_>) -> Option<Value> {
    Some(match item.kind() {
        Kind::Null => Value::Null,
        Kind::Boolean => item.boolean()?.into(),
        Kind::Number => Value::Number(serde_json::Number::from_f64(item.number()?)?),
        Kind::String => item.string()?.as_str()?.into(),
        Kind::Array => item.elements().map(value).collect::<Option<Vec<Value>>>()?.into(),
        Kind::Object => {
            let member = |(key, item): (JsString, Item<'_>)| Some((key.as_str()?.to_owned(), value(item)?));
            Value::Object(item.entries().into_iter().map(member).collect::<Option<_>>()?)
        }
    })
}

/// The same value, the same order of keys, numbers equal as far as `serde_json` reads them.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= a.abs() * 1e-14
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        (a, b) => a == b,
    }
}

/// The verdict of `serde_json`, unless it is one of the documented differences.
fn verdict(text: &str) -> Option<bool> {
    let Err(error) = serde_json::from_str::<Value>(text) else { return Some(true) };
    let error = error.to_string();
    let differs = ["surrogate", "end of hex escape", "number out of range", "recursion limit"];
    (!differs.iter().any(|words| error.contains(words))).then_some(false)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn json_comes_back_as_it_was(theirs in values(), pretty: bool) {
        let text = if pretty { format!("{theirs:#}") } else { theirs.to_string() };
        let json = Json::parse(text.as_bytes()).expect("JSON");
        let ours = value(json.root()).expect("no lone surrogates, no infinite numbers");
        prop_assert!(same(&ours, &theirs), "{ours} is not {theirs}");
    }

    #[test]
    fn the_verdict_is_serdes(text in prop_oneof![soup(), any::<String>()]) {
        let ours = Json::parse(text.as_bytes());
        if let Some(theirs) = verdict(&text) {
            prop_assert_eq!(ours.is_ok(), theirs, "{:?}", text);
        }
        if let (Ok(json), Ok(theirs)) = (&ours, serde_json::from_str::<Value>(&text)) {
            let ours = value(json.root()).expect("serde_json can say it");
            prop_assert!(same(&ours, &theirs), "{text:?}: {ours} is not {theirs}");
        }
        if let Err(error) = ours {
            prop_assert!(error.line <= text.matches('\n').count() + 1);
            prop_assert!(error.column <= text.chars().count() + 1);
        }
    }

    #[test]
    fn one_changed_byte_gets_the_verdict_of_serde(theirs in values(), at: prop::sample::Index, byte: u8) {
        let mut bytes = theirs.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(theirs) = verdict(&text) {
            prop_assert_eq!(Json::parse(&bytes).is_ok(), theirs, "{:?}", text);
        }
    }

    #[test]
    fn any_bytes_are_read_like_their_lossy_text(
        bytes: Vec<u8>,
        ascii in proptest::collection::vec(0x1fu8..0x80, 0..40),
    ) {
        for bytes in [&bytes, &ascii] {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let (a, b) = (Json::parse(bytes), Json::parse(text.as_bytes()));
            prop_assert_eq!(a.map(|json| json.nodes.len()), b.map(|json| json.nodes.len()));
        }
    }

    #[test]
    fn keeping_some_members_changes_nothing_about_them(
        text in prop_oneof![
            values().prop_map(|value| value.to_string()),
            soup().prop_map(|soup| format!("{{{soup}}}")),
        ],
    ) {
        let keep = ["keep", "a", "keep\""];
        match (Json::parse(text.as_bytes()), Json::parse_keeping(text.as_bytes(), &keep)) {
            (Ok(whole), Ok(kept)) => {
                for key in keep {
                    let (a, b) = (whole.root().get(key), kept.root().get(key));
                    prop_assert_eq!(a.map(Item::source), b.map(Item::source));
                    prop_assert_eq!(a.and_then(value), b.and_then(value));
                }
                prop_assert_eq!(whole.root().source(), kept.root().source());
                prop_assert!(kept.nodes.len() <= whole.nodes.len());
            }
            (whole, kept) => prop_assert_eq!(whole.err(), kept.err()),
        }
    }

    #[test]
    fn a_plain_run_ends_where_the_slow_loop_ends(
        bytes in proptest::collection::vec(
            prop_oneof![any::<u8>(), 0x1eu8..0x24, 0x5au8..0x5e, 0x7eu8..0x82],
            0..40,
        ),
        pad in prop_oneof![0usize..20, 90usize..120],
    ) {
        let bytes = ["x".repeat(pad).into_bytes(), bytes].concat();
        let slow = bytes.iter().take_while(|&&byte| byte >= 0x20 && byte != b'"' && byte != b'\\').count();
        prop_assert_eq!(plain_run(&bytes), slow);
    }

    #[test]
    fn a_string_is_equal_to_its_text_only(a in "[ab\\\\\"\u{e9}]{0,4}", b in "[ab\\\\\"\u{e9}]{0,4}") {
        let escapes: Vec<String> = a.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
        for literal in [Value::from(a.as_str()).to_string(), format!("\"{}\"", escapes.concat())] {
            let json = Json::parse(literal.as_bytes()).expect("JSON");
            prop_assert!(json.root().is_string(&a));
            prop_assert_eq!(json.root().is_string(&b), a == b);
        }
    }
}
