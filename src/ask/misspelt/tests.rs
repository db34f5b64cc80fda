use super::*;
use crate::text::Lang;
use serde_json::{Value, json};

fn pointers(packet: &Value) -> Vec<String> {
    misspelt_gate(packet.to_string().as_bytes()).into_iter().map(|problem| problem.pointer).collect()
}

fn spec() -> Value {
    json!({"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]})
}

#[test]
fn slips_in_a_gates_names_are_found() {
    for name in [
        "novelAsk",
        "novel-ask",
        "Novel_Ask",
        "novel_asks",
        "NOVEL_ASK",
        "novel ask",
        "novel_aks",
        "nove_ask",
        "ｎｏｖｅｌ＿ａｓｋ",
        "novel_question",
        "ask",
        "question_spec",
        "gate",
        "questions",
    ] {
        assert_eq!(pointers(&json!({"step": "s", name: spec()})), [format!("/{name}")], "{name}");
    }
    for name in ["answerPath", "answer-path", "Answer_Path", "answers_path", "anwser_path", "answerpath"] {
        assert_eq!(pointers(&json!({name: "staging/a.json", "step": "s"})), [format!("/{name}")], "{name}");
    }
    let mut whole = spec();
    whole["step"] = json!("s");
    assert_eq!(pointers(&whole), ["/questions"], "a whole QuestionSpec");
    let gate = json!({"novel_ask": spec(), "answer_path": "a.json"});
    assert_eq!(pointers(&json!({"step": "s", "gate": gate})), ["/gate/novel_ask", "/gate/answer_path"]);
    assert_eq!(
        pointers(&json!({"step": "s", "manifest": {"inline": {"novelAsk": spec()}}})),
        ["/manifest/inline/novelAsk"]
    );
    let both = pointers(&json!({"novelAsk": spec(), "answerPath": "a.json"}));
    assert_eq!(both.len(), 2);
}

#[test]
fn of_half_a_gate_the_misspelt_name_is_said() {
    let hint = |packet: &Value| {
        let problems = crate::ask::decode_packet(packet.to_string().as_bytes()).expect_err("half a gate");
        problems[0].hint.as_ref().map(|hint| hint.text(crate::text::Lang::En))
    };
    let half = |name: &str, meant: &str, packet: &Value| {
        let column = 1 + packet.to_string().find(&format!("\"{name}\"")).expect(name);
        let place = format!("(line 1, column {column})");
        Some(format!("\"{name}\" {place} is misspelt: rename it to {meant}."))
    };
    for name in ["answerPath", "answer-path", "anwser_path"] {
        let packet = json!({"novel_ask": spec(), name: "staging/a.json"});
        assert_eq!(hint(&packet), half(name, "answer_path", &packet));
    }
    for name in ["novelAsk", "questions", "novel_aks"] {
        let packet = json!({"answer_path": "a.json", name: spec()});
        assert_eq!(hint(&packet), half(name, "novel_ask", &packet));
    }
    assert_eq!(hint(&json!({"novel_ask": spec(), "path": "a.json"})), None);
}

#[test]
fn what_lies_elsewhere_is_not_called_misspelt() {
    let said = |packet: &Value| {
        let problems = misspelt_gate(packet.to_string().as_bytes());
        let of = |problem: Problem| (problem.code, problem.pointer, problem.found.text(Lang::En));
        problems.into_iter().map(of).collect::<Vec<_>>()
    };
    let packet = json!({"step": "s", "novel_ask": spec(), "answer_path": "a.json"});
    for (wrapped, pointer) in [
        (json!({"ok": true, "data": packet}), "data"),
        (json!({"ok": true, "command": "instructions", "data": {"packet": packet}}), "data/packet"),
        (json!({"result": packet}), "result"),
        (json!({"packet": {"novel_ask": spec(), "answer_path": "a.json"}}), "packet"),
        (json!({"instructions": packet, "step": "s"}), "instructions"),
        (json!({"packets": [packet]}), "packets/0"),
        (json!({"type": "result", "result": packet.to_string()}), "result"),
    ] {
        let [(code, at, found)] = &said(&wrapped)[..] else { panic!("{wrapped}: {:?}", said(&wrapped)) };
        assert_eq!((*code, &at[1..]), (ProblemCode::Wrapped, pointer), "{wrapped}");
        assert!(found.starts_with(&format!("the packet inside \"{pointer}\" (line 1, column ")), "{found}");
    }
    let inside = said(&json!({"step": "s", "manifest": {"novel_ask": spec()}}));
    let found = "\"novel_ask\" (line 1, column 25) inside \"manifest\"".to_owned();
    assert_eq!(inside, [(ProblemCode::Misplaced, "/manifest/novel_ask".to_owned(), found)]);
    let bare = said(&json!({"step": "s", "questions": spec()["questions"], "topic": "t"}));
    assert!(bare[0].2.starts_with("a bare list of questions, \"questions\" (line 1,"), "{bare:?}");
}

#[test]
fn of_half_a_gate_the_other_half_is_found_elsewhere() {
    let mut ask = spec();
    ask["answer_path"] = json!("a.json");
    for (packet, says) in [
        (json!({"novel_ask": ask}), "\"answer_path\" (line 1, column 127) lies inside \"novel_ask\""),
        (json!({"answer_path": "a.json", "manifest": {"novel_ask": spec()}}), "lies inside \"manifest\""),
        (json!({"novel_ask": spec(), "manifest": {"answer_path": "a.json"}}), "lies inside \"manifest\""),
        (json!({"answer_path": "a.json", "questions": spec()["questions"]}), "is a bare list of questions"),
    ] {
        let problems = crate::ask::decode_packet(packet.to_string().as_bytes()).expect_err("half a gate");
        let hint = problems[0].hint.as_ref().map(|hint| hint.text(Lang::En)).unwrap_or_default();
        assert!(hint.contains(says), "{packet}: {hint}");
    }
}

#[test]
fn harmless_names_are_not() {
    for packet in [
        json!({"novel_task": "write", "novelty": spec(), "answer_patch": 7, "path": "a", "asked": "x", "answers": {}}),
        json!({"novelAsk": null, "answerPath": "", "questions": ["why?"], "ask": {"questions": 3}, "gate": "open"}),
        json!({"_novel_ask": spec(), "_answer_path": "a.json"}),
        json!({"manifest": {"questions": spec(), "answer_path": "a"}, "interview": spec()}),
        json!(["novelAsk"]),
    ] {
        assert_eq!(pointers(&packet), [""; 0], "{packet}");
    }
}
