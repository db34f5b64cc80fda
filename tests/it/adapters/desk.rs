//! A dialogue with one tool, from the first call to its end.
//!
//! Responsible for passing what `next` prints to an author and the replies back. Not responsible for what is asked or
//! replied.

use novel_gate::adapter::call::CallReply;
use novel_gate::adapter::inquiry::Inquiry;
use novel_gate::adapter::profile::Executor;
use novel_gate::adapter::profile::OnEscape;
use novel_gate::adapter::profile::Profile;
use novel_gate::adapter::session::Dialogue;
use novel_gate::adapter::session::DialogueStatus;
use novel_gate::ask::json::Json;
use novel_gate::ask::{Answers, QuestionSpec, to_line};
use novel_gate::text::Lang;
use proptest::prelude::*;
use proptest::sample::select;
use strum::VariantArray as _;

use super::author::Author;

/// No dialogue here takes more calls; an author who gets nowhere is found.
pub(super) const MOST_CALLS: usize = 600;

/// Every tool with every limit that it can have.
pub(super) fn any_profile() -> impl Strategy<Value = Profile> {
    let codex = (1..=3_usize, proptest::option::of(2..=5_usize));
    prop_oneof![
        3 => (1..=4_usize).prop_map(|count| with(Executor::ClaudeCode, Some(count), None)),
        3 => codex.prop_map(|(count, exact)| with(Executor::Codex, Some(count), exact)),
        1 => Just(Executor::JsonContract.profile()),
    ]
}

pub(super) fn any_policy() -> impl Strategy<Value = OnEscape> {
    select(OnEscape::VARIANTS.to_vec())
}

pub(super) fn with(executor: Executor, questions: Option<usize>, exact: Option<usize>) -> Profile {
    executor.profile().with(questions, exact).expect("limits that the tool has")
}

/// The call as `next` prints it; none if the dialogue is over.
pub(super) fn printed(dialogue: &Dialogue<Inquiry<'_>>) -> Option<String> {
    let DialogueStatus::Ask(form) = dialogue.status() else { return None };
    Some(to_line(&dialogue.call_report(&form, Lang::En)))
}

/// What a printed call shows, without its name and number.
pub(super) fn body(printed: &str) -> String {
    let json = Json::parse(printed.as_bytes()).expect("JSON");
    let part = |key| json.root().get(key).map_or("", |item| item.source());
    ["asks", "expects", "tool", "input", "prompt", "schema", "template"].map(part).join("\n")
}

/// Lets the author reply until the dialogue is over; every call is shown to `look` first.
pub(super) fn talk(
    dialogue: &mut Dialogue<Inquiry<'_>>,
    author: &mut Author<'_>,
    mut look: impl FnMut(&Dialogue<Inquiry<'_>>, &Json<'_>),
) -> DialogueStatus {
    for _ in 0..MOST_CALLS {
        let Some(said) = printed(dialogue) else { break };
        let json = Json::parse(said.as_bytes()).expect("what is printed is JSON");
        look(dialogue, &json);
        let reply = author.reply(json.root());
        let reply = CallReply::read(reply.as_bytes()).expect("a reply");
        dialogue.take(&reply).expect("a reply to the call");
        assert_eq!(dialogue.inquiry().rejected, [], "after {said}\n{reply:?}");
    }
    dialogue.status()
}

/// The answers that the author gives.
pub(super) fn answers(spec: &QuestionSpec, profile: &Profile, mut author: Author<'_>) -> Answers {
    let mut dialogue = Dialogue::new(spec, profile.clone(), OnEscape::Terminate);
    match talk(&mut dialogue, &mut author, |_, _| {}) {
        DialogueStatus::Done => dialogue.inquiry().answers(),
        other => panic!("{other:?} after {} calls", dialogue.seq()),
    }
}
