use crate::ask::JsString;
use crate::ask::json::{Item, Json, Kind};
use proptest::prelude::*;
use serde_json::Value;

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
            // Only why it is none may be told with more knowledge.
            prop_assert_eq!(a.map(|json| json.root().compact()).ok(), b.map(|json| json.root().compact()).ok());
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
                prop_assert_eq!(whole.root().kind(), kept.root().kind());
                prop_assert!(kept.root().members().count() <= whole.root().members().count());
            }
            (whole, kept) => prop_assert_eq!(whole.err(), kept.err()),
        }
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
