use super::*;
use crate::store::attach::attach;
use crate::store::gate;
use crate::store::testing::{Sandbox, record, write_new};
use crate::text::Lang;

const PACKET: &str = "staging/manifests/chapter-001-draft.packet.json";

/// An answer to a standing question holds for what it was given for, also when the book has gone on.
#[test]
fn a_step_that_is_done_says_for_what_its_answer_holds() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "questions/goal.question.json",
        r#"{"_steps": ["chapter:*:draft"], "_once_per": 5, "version": 1, "topic": "t", "questions": [
            {"id": "q", "header": "h", "question": "?", "kind": "free_text", "required": true}]}"#,
    );
    let path = sandbox.put(PACKET, r#"{"step": "chapter:001:draft"}"#);
    assert!(attach(&sandbox.project, &path).unwrap());
    let load = || gate::load(&sandbox.project, &path).unwrap();
    write_new(&sandbox.project, load().gate().unwrap(), &record("rain")).unwrap();
    let said = || {
        let all = of_packet(&sandbox.project, &load());
        assert!(all.len() == 1 && all[0].is_own);
        all[0].span.map(|span| span.text(Lang::En))
    };
    assert_eq!(said().as_deref(), Some("chapters 1-5"));
    sandbox.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    assert_eq!(said().as_deref(), Some("chapters 1-5"));
}

/// A refusal is the author's last word until he answers, also when what he refused has changed since.
#[test]
fn what_was_sent_back_is_told_to_the_steps_that_are_done_anew() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "questions/v.question.json",
        r#"{"_steps": ["chapter:*:commit"], "_tell": ["chapter:*:draft"], "version": 1, "topic": "t", "questions": [
            {"id": "q", "header": "h", "question": "?", "kind": "free_text", "required": true}]}"#,
    );
    let path =
        sandbox.put("staging/manifests/chapter-001-commit.packet.json", r#"{"step": "chapter:001:commit"}"#);
    attach(&sandbox.project, &path).unwrap();
    let answer_path: JsString = "staging/novel-ask/v-chapter-001-commit.answers.json".into();
    let note = |line: &str| sandbox.put("staging/novel-ask/v-chapter-001-commit.rounds.jsonl", line);
    note(
        r#"{"event": "sent-back", "id": "1", "at": "2026-02-27T10:12:34.000Z", "by": "human", "reason": "\ud800 no", "subject": "-"}
"#,
    );
    let of = |step: &str| of_step(&sandbox.project, Step::parse(step).unwrap());
    let told = of("chapter:001:draft");
    let Said::Refusal(reply) = &told[0].said else { panic!("{told:?}") };
    assert_eq!(
        (reply.sent.reason.display(), told[0].answer_path.clone()),
        ("‹U+D800› no".into(), answer_path)
    );
    assert!(of("chapter:001:judge").is_empty() && of("chapter:002:draft").is_empty());
    let own = of_packet(&sandbox.project, &gate::load(&sandbox.project, &path).unwrap());
    assert!(own.len() == 1 && own[0].is_own);
    write_new(
        &sandbox.project,
        gate::load(&sandbox.project, &path).unwrap().gate().unwrap(),
        &record("rain"),
    )
    .unwrap();
    assert!(matches!(of("chapter:001:draft")[0].said, Said::Answers(..)));
}
