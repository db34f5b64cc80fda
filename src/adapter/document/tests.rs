use super::*;
use crate::text::Lang;

fn kind(text: &str) -> Option<DocumentKind> {
    judge(text.as_bytes(), "").kind
}

#[test]
fn the_members_tell_what_a_file_is() {
    use DocumentKind as K;
    for (text, wanted) in [
        (r#"{"novel_ask": 1, "steps": []}"#, Some(K::Packet)),
        (r#"{"version": 1, "step": "a", "answer_path": "x"}"#, Some(K::Packet)),
        (r#"{"version": 1, "step": "a", "agent": {}}"#, Some(K::Packet)),
        (r#"{"steps": [], "questions": []}"#, Some(K::Canonical)),
        (r#"{"source_prompts": []}"#, Some(K::Canonical)),
        (r#"{"protocol": "a"}"#, Some(K::Canonical)),
        (r#"{"protocol": "a", "version": "1.0.0", "step": []}"#, Some(K::Canonical)),
        (r#"{"protocol": "a", "agent": {}, "step": "s"}"#, Some(K::Packet)),
        (r#"{"protocol": "a", "source": "a.md", "stages": []}"#, Some(K::Protocol)),
        (r#"{"version": 1, "topic": "t", "answers": {}, "answered_at": ""}"#, Some(K::Record)),
        (r#"{"answers": {}}"#, Some(K::Record)),
        (r#"{"version": 1, "topic": "t", "questions": []}"#, Some(K::QuestionSpec)),
        (r#"{"topic": "t"}"#, Some(K::QuestionSpec)),
        (r#"{"questions": []}"#, Some(K::Call)),
        (r#"{"questions": [], "answers": {}}"#, Some(K::Call)),
        (r"{}", None),
        (r#"["steps"]"#, None),
        (r"{", None),
    ] {
        assert_eq!(kind(text), wanted, "{text}");
    }
}

#[test]
fn a_file_of_questions_is_a_standing_one_by_its_directory_or_its_steps() {
    use DocumentKind as K;
    let bare = r#"{"version": 1, "topic": "t", "questions": []}"#;
    let steps = r#"{"_steps": [], "version": 1, "topic": "t", "questions": []}"#;
    for (text, path, wanted) in [
        (bare, "/book/questions/a.question.json", K::StandingQuestion),
        (bare, "/book/staging/novel-ask/a.question.json", K::QuestionSpec),
        (bare, "/book/questions/a.json", K::QuestionSpec),
        (steps, "/book/staging/novel-ask/a.question.json", K::StandingQuestion),
        (steps, "", K::StandingQuestion),
    ] {
        assert_eq!(judge(text.as_bytes(), path).kind, Some(wanted), "{path}: {text}");
    }
}

#[test]
fn a_file_that_is_nothing_known_has_one_problem() {
    for text in ["{}", "[]", "3", "{"] {
        let findings = judge(text.as_bytes(), "");
        assert_eq!(findings.problems.len(), 1, "{text}");
        assert_eq!(findings.problems[0].pointer, "");
        let [english, chinese] = [Lang::En, Lang::ZhCn].map(|lang| findings.problems[0].sentence(lang));
        assert_ne!(english, chinese);
    }
    assert_eq!(
        judge(b"{}", "a.packet.json"),
        Findings { kind: Some(DocumentKind::Packet), ..Findings::default() }
    );
}

#[test]
fn what_is_legal_but_surprising_is_a_warning() {
    let question =
        r#"{"id": "constructor", "header": "h", "question": "q", "kind": "free_text", "required": false}"#;
    let spec = format!(r#"{{"version": 1, "topic": "t", "questions": [{question}]}}"#);
    let findings = judge(spec.as_bytes(), "");
    assert!(findings.problems.is_empty(), "{findings:?}");
    let pointers = |findings: &Findings| -> Vec<String> {
        findings.warnings.iter().map(|warning| warning.problem.pointer.clone()).collect()
    };
    assert_eq!(pointers(&findings), ["/questions/0/id"]);
    let packet = format!(
        r#"{{"step": "s", "novel_ask": {spec}, "answer_path": "a.json", "manifest": {{"a": 1, "a": 2}}}}"#
    );
    let findings = judge(packet.as_bytes(), "");
    assert!(findings.problems.is_empty(), "{findings:?}");
    assert_eq!(pointers(&findings), ["/novel_ask/questions/0/id", "/manifest/a"]);
    let required = spec.replace("false", "true");
    assert_eq!(pointers(&judge(required.as_bytes(), "")), Vec::<String>::new());
}

#[test]
fn a_record_alone_is_judged_by_its_own_shape() {
    let record = |answers: &str| {
        format!(
            r#"{{"version": 1, "topic": "t", "answers": {answers}, "answered_at": "2026-02-27T10:12:34Z", "answered_by": "a"}}"#
        )
    };
    let pointers = |answers: &str| -> Vec<String> {
        let findings = judge(record(answers).as_bytes(), "");
        findings.problems.into_iter().map(|problem| problem.pointer).collect()
    };
    assert_eq!(pointers(r#"{"a": "x", "b": ["y", "z"], "c_1": " ok "}"#), Vec::<String>::new());
    let wrong = r#"{"A": "x", "b": [], "c": "  ", "d": 3, "e": ["x", "x", " "], "f": {"x": 1}}"#;
    assert_eq!(
        pointers(wrong),
        [
            "/answers/A",
            "/answers/b",
            "/answers/c",
            "/answers/d",
            "/answers/e/1",
            "/answers/e/2",
            "/answers/f"
        ]
    );
    assert_eq!(pointers("[]"), ["/answers"]);
    let bare = judge(br#"{"answers": {}, "answered_at": "today", "x": 1}"#, "");
    let bare: Vec<&str> = bare.problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(bare, ["/x", "/version", "/topic", "/answered_at", "/answered_by"]);
}
