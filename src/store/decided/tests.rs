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
