//! What replies may lead to, whatever they say: invariants 5 and 11 to 18.

use std::collections::BTreeSet;

use novel_gate::adapter::call::CallReply;
use novel_gate::adapter::call::ReplyBody;
use novel_gate::adapter::call::Request;
use novel_gate::adapter::inquiry::Inquiry;
use novel_gate::adapter::profile::OnEscape;
use novel_gate::adapter::profile::Profile;
use novel_gate::adapter::progress::{Progress, Reject};
use novel_gate::adapter::screens::QuestionScreen;
use novel_gate::adapter::session::Dialogue;
use novel_gate::adapter::session::DialogueStatus;
use novel_gate::ask::draft::is_control_token;
use novel_gate::ask::json::Json;
use novel_gate::ask::{AnswerSpec, Answers, Kind, QuestionSpec, check_record};
use proptest::prelude::*;
use proptest::sample::Index;

use super::author::{Author, any_habits};
use super::desk::{any_policy, any_profile, body, printed};
use super::intents::Intent;
use super::noise::{Event, Noise, Reply, any_event};
use super::specs::any_spec;
use super::{AT, cases, meant};

/// One reply, and how the dialogue stood before it and after.
struct Step<'s, 'd> {
    before: &'s Dialogue<Inquiry<'d>>,
    after: &'s Dialogue<Inquiry<'d>>,
    reply: &'s Reply,
    taken: &'s CallReply,
}

/// Lets these events happen to a dialogue, and looks at each step.
fn go_through(
    dialogue: &mut Dialogue<Inquiry<'_>>,
    events: &[Event],
    mut author: Author<'_>,
    mut look: impl FnMut(&Step<'_, '_>),
) {
    for event in events {
        let Some(said) = printed(dialogue) else { return };
        let said = Json::parse(said.as_bytes()).expect("JSON");
        let reply =
            event.reply(said.root(), dialogue.inquiry().spec(), dialogue.inquiry().profile(), &mut author);
        let taken = CallReply::read(reply.record.as_bytes()).expect("a reply");
        let before = dialogue.clone();
        dialogue.take(&taken).unwrap_or_else(|fault| panic!("{fault:?} for {}", reply.record));
        look(&Step { before: &before, after: dialogue, reply: &reply, taken: &taken });
    }
}

/// All that a random dialogue needs.
#[derive(Clone, Debug)]
struct Setting {
    spec: QuestionSpec,
    intent: Intent,
    profile: Profile,
    policy: OnEscape,
    events: Vec<Event>,
}

fn any_setting() -> impl Strategy<Value = Setting> {
    let events = proptest::collection::vec(any_event(), 1..16);
    (meant(), any_profile(), any_policy(), events).prop_map(|((spec, intent), profile, policy, events)| {
        Setting { spec, intent, profile, policy, events }
    })
}

impl Setting {
    fn dialogue(&self) -> Dialogue<Inquiry<'_>> {
        Dialogue::new(&self.spec, self.profile.clone(), self.policy)
    }

    /// Lets the events happen; the answers, if all is answered.
    fn run(&self, author: Author<'_>, look: impl FnMut(&Step<'_, '_>)) -> Option<Answers> {
        let mut dialogue = self.dialogue();
        go_through(&mut dialogue, &self.events, author, look);
        matches!(dialogue.status(), DialogueStatus::Done).then(|| dialogue.inquiry().answers())
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// Invariants 13 to 16.
    #[test]
    fn a_reply_changes_what_it_says_and_nothing_else(setting in any_setting(), habits in any_habits()) {
        setting.run(Author::new(&setting.spec, &setting.intent, habits), |step| {
            check_rejections(step);
            check_silence(step);
            check_absence(step);
            check_skips(step);
            check_answered_stay(step);
        });
    }

    /// Invariants 5 and 18, and the first half of 15.
    #[test]
    fn what_comes_out_is_an_answer(setting in any_setting(), habits in any_habits()) {
        let author = Author::new(&setting.spec, &setting.intent, habits);
        let mut typed = BTreeSet::new();
        let answers = setting.run(author, |step| typed.extend(texts_by_message(step)));
        if let Some(answers) = answers {
            check_answers(&setting.spec, &answers, &typed);
        }
    }

    /// Invariant 11, and the names of the calls of one dialogue: the first half of 12.
    #[test]
    fn the_same_replies_lead_to_the_same_calls(setting in any_setting(), habits in any_habits()) {
        let (mut replies, mut calls) = (Vec::new(), vec![printed(&setting.dialogue())]);
        setting.run(Author::new(&setting.spec, &setting.intent, habits), |step| {
            replies.push(step.taken.clone());
            calls.push(printed(step.after));
        });
        for count in 0..=replies.len() {
            let mut again = setting.dialogue();
            for reply in &replies[..count] {
                prop_assert_eq!(again.take(reply), Ok(()));
            }
            prop_assert_eq!(&printed(&again), &calls[count]);
            prop_assert_eq!(again.seq(), count);
        }
        let names: BTreeSet<&String> = replies.iter().map(|reply| &reply.call).collect();
        prop_assert_eq!(names.len(), replies.len(), "12: {:?}", names);
    }

    /// The second half of invariant 12.
    #[test]
    fn another_question_tool_or_policy_makes_another_call(
        setting in any_setting(),
        habits in any_habits(),
        other in (any_spec(), any_profile(), any_policy()),
        change in (any::<Index>(), 0..12_u8),
    ) {
        let (other_spec, other_profile, other_policy) = other;
        let changed = changed(&setting.spec, change.0, change.1);
        let mut others: Vec<Setting> = vec![Setting { spec: changed, ..setting.clone() }];
        others.push(Setting { spec: other_spec, ..setting.clone() });
        others.push(Setting { profile: other_profile, ..setting.clone() });
        others.push(Setting { policy: other_policy, ..setting.clone() });
        let mut replies = Vec::new();
        setting.run(Author::new(&setting.spec, &setting.intent, habits), |step| replies.push(step.taken.clone()));
        for other in &others {
            let same = (&other.spec, &other.profile, other.policy) == (&setting.spec, &setting.profile, setting.policy);
            prop_assert_eq!(other.dialogue().call() == setting.dialogue().call(), same);
            let mut stale = other.dialogue();
            if let Some(reply) = replies.first() {
                let before = printed(&stale);
                let taken = stale.take(reply);
                prop_assert_eq!(taken.map_err(|fault| fault.code), if same { Ok(()) } else { Err("stale_reply") });
                prop_assert!(same || printed(&stale) == before, "a stale reply changes nothing");
            }
        }
    }

    /// Invariant 17.
    #[test]
    fn going_back_undoes_a_reply(
        setting in any_setting(), habits in any_habits(), last in any_event(),
    ) {
        let setting = Setting { policy: OnEscape::ReturnPrevious, ..setting };
        let mut dialogue = setting.dialogue();
        let author = || Author::new(&setting.spec, &setting.intent, habits.clone());
        go_through(&mut dialogue, &setting.events, author(), |_| {});
        let before = dialogue.clone();
        let mut moved = false;
        go_through(&mut dialogue, std::slice::from_ref(&last), author(), |step| {
            let is_answer = !step.reply.is_empty || !step.reply.said.is_empty();
            moved = is_answer && states(step.before) != states(step.after);
        });
        let after = dialogue.clone();
        // Only what changed something can be taken back, and what ended the dialogue is no call to escape from.
        if !moved || printed(&after).is_none() {
            return Ok(());
        }
        escape(&mut dialogue);
        if matches!(dialogue.status(), DialogueStatus::Ended(_)) {
            prop_assert!(false, "there was something to go back to");
        }
        prop_assert_eq!(states(&dialogue), states(&before));
        // Why a contract as a whole was refused is told once.
        prop_assert!(before.inquiry().refused.is_some() || shown(&dialogue) == shown(&before));
        go_through(&mut dialogue, std::slice::from_ref(&last), author(), |_| {});
        prop_assert_eq!(states(&dialogue), states(&after));
        prop_assert_eq!(shown(&dialogue), shown(&after));
    }
}

/// 13: what is not accepted leaves the question as it was, and it is asked again with the same options.
fn check_rejections(step: &Step<'_, '_>) {
    let (before, after) = (step.before, step.after);
    for rejected in &after.inquiry().rejected {
        let id = rejected.id.as_ref().and_then(|id| id.as_str());
        let Some((place, _)) = id.and_then(|id| after.inquiry().spec().find(id)) else { continue };
        let plain = |dialogue: &Dialogue<Inquiry<'_>>| Progress {
            reject: None,
            // Asked for once more, it is an answer.
            doubted: None,
            ..dialogue.inquiry().progress[place].clone()
        };
        assert_eq!(plain(after), plain(before), "13: {rejected:?} after {}", step.reply.record);
        let (Some(then), Some(now)) = (screen_of(before, place), screen_of(after, place)) else { continue };
        assert_eq!(now.entries, then.entries, "13: {rejected:?}");
        let mark = format!(" [not accepted: {}]", rejected.code.code());
        assert!(now.text.lossy().ends_with(&mark), "13: {:?}", now.text);
    }
}

/// 14: saying nothing answers nothing.
fn check_silence(step: &Step<'_, '_>) {
    let (before, after) = (&step.before.inquiry().progress, &step.after.inquiry().progress);
    let resolved = |list: &[Progress]| list.iter().filter(|progress| progress.resolved).count();
    if step.reply.is_empty {
        assert!(resolved(after) <= resolved(before), "14: {}", step.reply.record);
    }
    for (place, noise) in &step.reply.said {
        if matches!(noise, Noise::Nothing(_)) && !after[*place].resolved {
            assert_eq!(after[*place].reply, before[*place].reply, "14: {}", step.reply.record);
        }
        assert!(!(matches!(noise, Noise::Nothing(_)) && after[*place].resolved), "14: {}", step.reply.record);
    }
}

/// 15: an optional question stays without an answer only where that was said, a required one never.
fn check_absence(step: &Step<'_, '_>) {
    for (place, question) in step.after.inquiry().spec().questions.iter().enumerate() {
        let (before, after) = (&step.before.inquiry().progress[place], &step.after.inquiry().progress[place]);
        if before.resolved || !after.resolved || after.reply.answer(question).is_some() {
            continue;
        }
        assert!(!question.must_be_answered(), "15: {}", step.reply.record);
        let noise = step.reply.said.iter().find(|(at, _)| *at == place).map(|(_, noise)| noise);
        let by_tool = matches!(noise, Some(Noise::Skipped)) || step.reply.record.contains("skip__");
        let by_contract =
            noise.is_none() && matches!(step.before.status(), DialogueStatus::Ask(Request::Contract(_)));
        assert!(by_tool || by_contract, "15: {}", step.reply.record);
    }
}

/// Claude Code's own "skip" is none of the author's words, whatever text stands beside it.
fn check_skips(step: &Step<'_, '_>) {
    for (place, _) in step.reply.said.iter().filter(|(_, noise)| matches!(noise, Noise::Skipped)) {
        let picks =
            |dialogue: &Dialogue<Inquiry<'_>>| dialogue.inquiry().progress[*place].reply.picks.clone();
        assert_eq!(picks(step.after), picks(step.before), "{}", step.reply.record);
        assert!(step.after.inquiry().progress[*place].reply.text.is_empty(), "{}", step.reply.record);
    }
}

/// 16: nothing is selected twice, and a question that is done with stays so unless the author goes back.
fn check_answered_stay(step: &Step<'_, '_>) {
    let goes_back =
        matches!(step.taken.body, ReplyBody::Escape | ReplyBody::Output(_)) && step.reply.said.is_empty();
    for (before, after) in step.before.inquiry().progress.iter().zip(&step.after.inquiry().progress) {
        let distinct: BTreeSet<String> = after.reply.picks.iter().map(|pick| format!("{pick:?}")).collect();
        assert_eq!(distinct.len(), after.reply.picks.len(), "16: {after:?}");
        assert!(goes_back || !before.resolved || before == after, "{}", step.reply.record);
    }
}

/// 5, 15 and 18. Free text that came by message may be any text.
fn check_answers(spec: &QuestionSpec, answers: &Answers, by_message: &BTreeSet<usize>) {
    let record = AnswerSpec {
        version: spec.version,
        topic: spec.topic.clone(),
        answers: answers.clone(),
        answered_at: AT.into(),
        answered_by: "codex".into(),
        notes: Vec::new(),
    };
    assert_eq!(check_record(spec, record.to_json().as_bytes()), Ok(record), "18");
    for (id, answer) in answers {
        let (place, question) = spec.find(id).expect("a question");
        if question.kind == Kind::FreeText && by_message.contains(&place) {
            continue;
        }
        for value in answer.values().iter().filter(|value| question.option(value).is_none()) {
            assert!(!value.trimmed().as_str().is_some_and(is_control_token), "5: {value:?}");
            let is_digit = |c: char| c.is_ascii_digit() || c == '-';
            let is_range =
                value.lossy().strip_prefix("Options ").is_some_and(|rest| rest.chars().all(is_digit));
            assert!(question.kind == Kind::FreeText || !is_range, "5: {value:?}");
        }
    }
    for question in spec.questions.iter().filter(|question| question.must_be_answered()) {
        assert!(answers.iter().any(|(id, _)| *id == question.id), "15: {}", question.id);
    }
}

/// The free-text questions whose text came as a message or in a contract.
fn texts_by_message(step: &Step<'_, '_>) -> Vec<usize> {
    match step.before.status() {
        DialogueStatus::Ask(Request::Message(place)) => vec![place],
        DialogueStatus::Ask(Request::Contract(places)) => places,
        _ => Vec::new(),
    }
}

/// The screen on which a question is asked now, if it is.
fn screen_of(dialogue: &Dialogue<Inquiry<'_>>, place: usize) -> Option<QuestionScreen> {
    match dialogue.status() {
        DialogueStatus::Ask(Request::Tool(screens)) => {
            screens.into_iter().find(|(at, _)| *at == place).map(|(_, screen)| screen)
        }
        _ => None,
    }
}

/// How far each question has come, rejections aside.
fn states(dialogue: &Dialogue<Inquiry<'_>>) -> Vec<Progress> {
    // Words in doubt are such a rejection.
    let plain = |progress: &Progress| Progress { reject: None::<Reject>, doubted: None, ..progress.clone() };
    dialogue.inquiry().progress.iter().map(plain).collect()
}

/// What is asked now; none if the dialogue is over.
fn shown(dialogue: &Dialogue<Inquiry<'_>>) -> Option<String> {
    printed(dialogue).map(|said| body(&said))
}

fn escape(dialogue: &mut Dialogue<Inquiry<'_>>) {
    let reply = CallReply { call: dialogue.call(), body: ReplyBody::Escape };
    dialogue.take(&reply).expect("a reply to the call");
}

/// The same questions with one thing changed.
fn changed(spec: &QuestionSpec, at: Index, what: u8) -> QuestionSpec {
    let mut spec = spec.clone();
    let at = at.index(spec.questions.len());
    match what {
        0 => spec.version += 1.0,
        1 => spec.topic.push('·'),
        _ => {}
    }
    let question = &mut spec.questions[at];
    let option = question.options.last_mut();
    match (what, option) {
        (2, _) => question.question.push('·'),
        (3, _) => question.header.push('·'),
        (4, _) => question.required = !question.required,
        (5, Some(option)) => option.label.push_str("· ·"),
        (6, Some(option)) => option.description.push('·'),
        (7, Some(option)) => option.cluster = Some("another".into()),
        (8, Some(_)) => question.allow_other = !question.allow_other,
        (9, Some(_)) if question.default.is_empty() => question.default.push(0),
        (9, Some(_)) => question.default.clear(),
        (0 | 1, _) => {}
        _ => question.id.push_str("_x"),
    }
    spec
}
