use super::*;
use proptest::prelude::*;

const MEMBERS: [(&str, &str); 3] =
    [("version", "1"), ("topic", "\"走向\""), ("questions", "[\n    {\"id\": \"a\", \"_x\": 1}\n  ]")];

fn gated(packet: &str) -> String {
    let members = MEMBERS.map(|(key, value)| (key, value.to_owned()));
    let gate = GateText { members: &members, answer_path: "staging/novel-ask/a-book.answers.json" };
    String::from_utf8(with_gate(packet.as_bytes(), Some(gate)).expect("a packet")).expect("text")
}

fn bare(packet: &str) -> String {
    String::from_utf8(with_gate(packet.as_bytes(), None).expect("a packet")).expect("text")
}

#[test]
fn a_packet_as_novel_writer_cli_writes_it_gets_its_three_members() {
    let packet = "{\n  \"version\": 1,\n  \"step\": \"volume:outline\",\n  \"agent\": {\n    \"name\": \"x\"\n  },\n  \
                  \"manifest\": {},\n  \"expected_outputs\": [\n    {\n      \"path\": \"a.md\"\n    }\n  ]\n}\n";
    let expected = "{\n  \"version\": 1,\n  \"step\": \"volume:outline\",\n  \"agent\": {\n    \"name\": \"x\"\n  },\n  \
                    \"novel_ask\": {\n    \"version\": 1,\n    \"topic\": \"走向\",\n    \"questions\": [\n    {\"id\": \"a\", \
                    \"_x\": 1}\n  ]\n  },\n  \"answer_path\": \"staging/novel-ask/a-book.answers.json\",\n  \"manifest\": {},\n  \
                    \"expected_outputs\": [\n    {\"path\": \"staging/novel-ask/a-book.answers.json\", \"required\": true, \"note\": \
                    \"AnswerSpec JSON record for the NOVEL_ASK gate (written before main step execution).\"},\n    {\n      \
                    \"path\": \"a.md\"\n    }\n  ]\n}\n";
    assert_eq!(gated(packet), expected);
    assert_eq!(gated(expected), expected, "once");
    assert_eq!(bare(expected), packet);
}

#[test]
fn a_gate_goes_wherever_it_stands() {
    for (packet, rest) in [
        (r#"{"novel_ask": {}, "answer_path": "a", "step": "s"}"#, r#"{ "step": "s"}"#),
        (r#"{"step": "s", "answer_path": "a", "x": 1, "novel_ask": 2}"#, r#"{"step": "s", "x": 1}"#),
        (r#"{"answer_path": "b", "answer_path": "a"}"#, "{}"),
        (r#"{"expected_outputs":["a", "b"],"answer_path":"a"}"#, r#"{"expected_outputs":[ "b"]}"#),
        (r#"{"expected_outputs":["b", "a"],"answer_path":"a"}"#, r#"{"expected_outputs":["b", "a"]}"#),
        (r#"{"novel\u005fask": 1}"#, "{}"),
    ] {
        assert_eq!(bare(packet), rest, "{packet}");
    }
    for no_packet in ["[]", "{", "\u{feff}{}"] {
        assert_eq!(with_gate(no_packet.as_bytes(), None), None, "{no_packet}");
    }
    assert_eq!(with_gate(b"{\"a\": \"\xff\"}", None), None, "it would not stay as it is");
}

fn turned(file: &str, is_on: bool) -> String {
    String::from_utf8(switched(file.as_bytes(), is_on).expect("an object")).expect("text")
}

#[test]
fn a_question_is_switched_by_one_member_and_no_other_byte() {
    for (on, off) in [
        ("{\n  \"a\": 1\n}\n", "{\n  \"_enabled\": false,\n  \"a\": 1\n}\n"),
        ("{\r\n\t\"a\" : 1\r\n}\r\n", "{\r\n\t\"_enabled\": false,\r\n\t\"a\" : 1\r\n}\r\n"),
        (r#"{"a":1}"#, r#"{"_enabled":false,"a":1}"#),
        ("{ \"a\": 1 }", "{ \"_enabled\": false, \"a\": 1 }"),
        ("{}", r#"{"_enabled":false}"#),
        ("{ }", r#"{"_enabled":false }"#),
    ] {
        assert_eq!((&*turned(on, false), &*turned(off, true)), (off, on));
        assert_eq!((&*turned(on, true), &*turned(off, false)), (on, off), "it is so already");
    }
}

#[test]
fn what_the_author_wrote_about_it_is_changed_where_it_stands() {
    let said = "{\"a\": 1,\n \"_enabled\" :  true }";
    assert_eq!(turned(said, true), said);
    assert_eq!(turned(said, false), "{\"a\": 1,\n \"_enabled\" :  false }");
    assert_eq!(turned(r#"{"a": 1, "_enabled": false}"#, true), r#"{"a": 1}"#);
    // Of equal keys the last counts.
    let twice = r#"{"_enabled": false, "_enabled": true, "a": 1}"#;
    assert_eq!(turned(twice, false), r#"{"_enabled": false, "_enabled": false, "a": 1}"#);
    assert_eq!(turned(&turned(twice, false), true), r#"{ "a": 1}"#);
    assert_eq!(turned(r#"{"_enabled": "no"}"#, false), r#"{"_enabled": false}"#);
    for no_question in [&b"{\"a\": 1"[..], b"[]", b"", b"\xef\xbb\xbf{}", b"{\"a\": \"\xff\"}"] {
        assert_eq!(switched(no_question, false), None, "{no_question:?}");
    }
}

/// White space as programs lay JSON out.
fn white() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just(" "), Just("\n"), Just("\n  "), Just("\r\n\t"), Just("\n\n    ")]
}

fn packet() -> impl Strategy<Value = String> {
    let value = || {
        let outputs =
            || (white(), white()).prop_map(|(a, b)| format!("[{a}{{\"path\": \"x, y\"}}{b},\"z\"{a}]"));
        prop_oneof![
            Just("1".to_owned()),
            Just("\"}, \\\" \\ud800 雨\"".to_owned()),
            Just("[]".to_owned()),
            Just("[ ]".to_owned()),
            Just("{\"a\" : [1 , 2]}".to_owned()),
            outputs(),
        ]
    };
    let key = prop_oneof![
        Just("step"),
        Just("agent"),
        Just("expected_outputs"),
        Just("manifest"),
        Just("_x"),
        Just("expected\\u005foutputs")
    ];
    let member = (key, white(), white(), value(), white());
    let members = proptest::collection::vec(member, 1..6);
    (members, white(), white(), white()).prop_map(|(members, before, behind, end)| {
        let member = |(key, a, b, value, c): (&str, &str, &str, String, &str)| {
            format!("{before}\"{key}\"{a}:{b}{value}{c}")
        };
        format!("{before}{{{}{behind}}}{end}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
    })
}

proptest! {
    #[test]
    fn what_got_a_gate_and_lost_it_is_what_it_was(packet in packet()) {
        let gated = gated(&packet);
        prop_assert_eq!(bare(&gated), packet.clone());
        prop_assert_eq!(self::gated(&gated), gated.clone());
        let json = Json::parse(gated.as_bytes()).expect("JSON");
        prop_assert_eq!(turned(&turned(&packet, false), true), packet.clone());
        let asked = json.root().get("novel_ask").expect("a gate");
        for (key, value) in MEMBERS {
            prop_assert_eq!(asked.get(key).map(Item::source), Some(value));
        }
        let outputs = json.root().get("expected_outputs").filter(|outputs| outputs.kind() == Kind::Array);
        let first = outputs.map(|outputs| outputs.elements().next().and_then(|first| first.text("path")));
        prop_assert!(first.is_none_or(|first| first.is_some_and(|first| first == "staging/novel-ask/a-book.answers.json")));
    }
}
