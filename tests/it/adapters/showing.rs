//! What is on every screen, whoever asks and whatever was said before: invariants 3, 4, 6 to 9, 16, 19 and 20; and how
//! the options are laid out over screens: 10.

use std::collections::BTreeSet;

use novel_gate::adapter::call::CallReply;
use novel_gate::adapter::call::Request;
use novel_gate::adapter::control::Control;
use novel_gate::adapter::inquiry::Inquiry;
use novel_gate::adapter::profile::Executor;
use novel_gate::adapter::profile::OnEscape;
use novel_gate::adapter::profile::Profile;
use novel_gate::adapter::screens::{Act, QuestionScreen, ScreenEntry};
use novel_gate::adapter::session::Dialogue;
use novel_gate::adapter::session::DialogueStatus;
use novel_gate::ask::draft::is_control_token;
use novel_gate::ask::json::{Item, Json};
use novel_gate::ask::{JsString, Kind, Question, QuestionSpec};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::author::{Author, any_habits, shown};
use super::desk::{any_policy, any_profile, printed, talk};
use super::noise::{any_event, json};
use super::specs::any_spec;
use super::{cases, meant};

proptest! {
    #![proptest_config(cases(500))]

    /// Invariants 3, 4, 6, 7, 8, 9, 16, 19 and 20 on the way to an intent.
    #[test]
    fn every_screen_on_the_way_to_an_answer_is_right(
        (spec, intent) in meant(), profile in any_profile(), habits in any_habits(),
    ) {
        let mut dialogue = Dialogue::new(&spec, profile, OnEscape::Terminate);
        let mut author = Author::new(&spec, &intent, habits);
        talk(&mut dialogue, &mut author, check_call);
    }

    /// The same after anything that may come back.
    #[test]
    fn every_screen_after_any_reply_is_right(
        (spec, intent) in meant(),
        profile in any_profile(),
        policy in any_policy(),
        events in proptest::collection::vec(any_event(), 1..12),
        habits in any_habits(),
    ) {
        let mut dialogue = Dialogue::new(&spec, profile.clone(), policy);
        let mut author = Author::new(&spec, &intent, habits);
        for event in events {
            let Some(said) = printed(&dialogue) else { break };
            let said = Json::parse(said.as_bytes()).expect("JSON");
            check_call(&dialogue, &said);
            let reply = event.reply(said.root(), &spec, &profile, &mut author).record;
            dialogue.take(&CallReply::read(reply.as_bytes()).expect("a reply")).expect("a reply to the call");
        }
    }

    /// Invariant 10 for groups.
    #[test]
    fn groups_hold_every_option_once_and_are_not_deep(spec in any_spec(), exact in proptest::option::of(2..=5_usize)) {
        let profile = Executor::Codex.profile().with(None, exact).expect("a profile");
        let arity = exact.unwrap_or(3);
        for question in &spec.questions {
            let alone = alone(&spec, question);
            let dialogue = Dialogue::new(&alone, profile.clone(), OnEscape::Terminate);
            if question.kind == Kind::FreeText || !matches!(dialogue.status(), DialogueStatus::Ask(Request::Tool(_))) {
                continue;
            }
            let (mut leaves, mut deepest) = (Vec::new(), 0);
            descend(&dialogue, 1, &mut leaves, &mut deepest);
            check_leaves(question, &leaves);
            if question.options.iter().all(|option| option.cluster.is_none()) {
                let most = levels(question.options.len(), arity) + usize::from(!question.must_be_answered());
                prop_assert!(deepest <= most, "{deepest} levels for {} options by {arity}", question.options.len());
            }
        }
    }

    /// The same for a tool that has no "none of these" of its own: every group shows the way back.
    #[test]
    fn groups_of_a_single_choice_lead_back(spec in any_spec()) {
        let single = spec.questions.iter().filter(|question| question.kind == Kind::SingleChoice);
        for question in single {
            let alone = alone(&spec, question);
            let dialogue = Dialogue::new(&alone, Executor::ClaudeCode.profile(), OnEscape::Terminate);
            let (mut leaves, mut deepest) = (Vec::new(), 0);
            descend(&dialogue, 1, &mut leaves, &mut deepest);
            check_leaves(question, &leaves);
            let root = 4 - usize::from(!question.must_be_answered());
            let most = 1 + levels(question.options.len().div_ceil(root), 3);
            if question.options.len() <= root {
                prop_assert_eq!(deepest, 1, "{:?}", question);
            } else if question.options.iter().all(|option| option.cluster.is_none()) {
                prop_assert!(deepest <= most, "{deepest} levels for {} options", question.options.len());
            }
            let screen = only_screen(&dialogue);
            for entry in screen.entries.iter().filter(|entry| matches!(entry.act, Act::Open(_))) {
                let inside = said(&dialogue, question, &entry.label);
                let back = find(&only_screen(&inside), Act::Control(Control::Back)).cloned();
                let outside = said(&inside, question, &back.expect("a way back").label);
                prop_assert_eq!(&only_screen(&outside), &screen);
            }
        }
    }

    /// Invariant 10 for pages.
    #[test]
    fn pages_hold_every_option_once_and_are_few(spec in any_spec()) {
        for question in spec.questions.iter().filter(|question| question.kind == Kind::MultiChoice) {
            let alone = alone(&spec, question);
            let mut dialogue = Dialogue::new(&alone, Executor::ClaudeCode.profile(), OnEscape::Terminate);
            let controls = usize::from(!question.must_be_answered());
            let count = question.options.len();
            let most = if count + controls <= 4 { 1 } else { count.div_ceil(3 - controls) };
            let mut leaves = Vec::new();
            for page in 0..most {
                let screen = only_screen(&dialogue);
                leaves.extend(picks(&screen));
                let Some(more) = find(&screen, Act::Control(Control::More)) else {
                    prop_assert_eq!(page + 1, most, "pages of {:?}", question);
                    break;
                };
                dialogue = said(&dialogue, question, &more.label);
            }
            check_leaves(question, &leaves);
            // Behind the last page comes the first.
            let again = only_screen(&dialogue);
            prop_assert_eq!(picks(&again), leaves[..picks(&again).len()].to_vec());
        }
    }
}

/// Everything that holds of a printed call.
fn check_call(dialogue: &Dialogue<Inquiry<'_>>, said: &Json<'_>) {
    let DialogueStatus::Ask(form) = dialogue.status() else { panic!("nothing is asked") };
    let ids: Vec<JsString> =
        said.root().get("asks").expect("asks").elements().filter_map(Item::string).collect();
    let unique: BTreeSet<&JsString> = ids.iter().collect();
    assert!(!ids.is_empty() && unique.len() == ids.len(), "{ids:?}");
    let Request::Tool(screens) = form else { return };
    let profile = dialogue.inquiry().profile();
    let questions = said.root().get("input").and_then(|input| input.get("questions")).expect("questions");
    let asked: Vec<Item<'_>> = questions.elements().collect();
    assert!((1..=profile.max_questions).contains(&asked.len()), "3: {} questions", asked.len());
    assert_eq!((ids.len(), screens.len()), (asked.len(), asked.len()));
    for ((asked, id), (place, screen)) in asked.iter().zip(&ids).zip(&screens) {
        let question = &dialogue.inquiry().spec().questions[*place];
        assert_eq!(*id, *question.id, "asks names what is asked");
        check_labels(question, profile, screen, *asked);
        check_words(question, screen, *asked);
        check_offer(dialogue, *place, screen);
        check_native(question, profile, screen);
    }
    if profile.executor == Executor::ClaudeCode {
        let texts: BTreeSet<JsString> = asked
            .iter()
            .filter_map(|asked| asked.get("question")?.string())
            .map(|text| text.trimmed())
            .collect();
        assert_eq!(texts.len(), asked.len(), "19: answers are told apart by these texts");
    }
}

/// 3, 4 and 6.
fn check_labels(question: &Question, profile: &Profile, screen: &QuestionScreen, asked: Item<'_>) {
    let entries = shown(asked);
    let count = entries.len();
    assert!(
        (profile.min_options..=profile.max_options).contains(&count),
        "3: {count} options of {question:?}"
    );
    let labels: BTreeSet<&JsString> = entries.iter().map(|entry| &entry.label).collect();
    assert_eq!(labels.len(), count, "4: {labels:?}");
    let same = screen.entries.iter().map(|entry| &entry.label).eq(entries.iter().map(|entry| &entry.label));
    assert!(same, "what is printed is what is understood");
    for entry in &screen.entries {
        let label = &entry.label;
        match entry.act {
            Act::Pick(place) => assert_eq!(*label, question.options[place].label, "4: a label is changed"),
            Act::Control(_) => assert!(label.as_str().is_some_and(is_control_token), "4: {label:?}"),
            Act::Open(_) => {
                let range = label.as_str().is_some_and(|label| label.starts_with("Options "));
                let token = label.as_str().is_some_and(is_control_token);
                let cluster = question.options.iter().any(|option| option.cluster.as_ref() == Some(label));
                assert!(range || token || cluster, "4: {label:?}");
            }
        }
        if !matches!(entry.act, Act::Pick(_)) {
            let label = label.trimmed();
            assert!(question.options.iter().all(|option| option.label.trimmed() != label), "6: {label:?}");
        }
    }
}

/// 7 and 8, and the second half of 9.
fn check_words(question: &Question, screen: &QuestionScreen, asked: Item<'_>) {
    let header = asked.get("header").and_then(Item::string).expect("a header");
    let header = header.as_str().expect("plain text");
    let columns: usize = header.graphemes(true).map(UnicodeWidthStr::width).sum();
    assert!(columns <= 12 && header.chars().count() <= 12 && !header.is_empty(), "7: {header:?}");
    let whole = question.header.trimmed();
    assert!(header == "?" || whole.lossy().starts_with(header), "7: {header:?} of {whole:?}");
    let text = asked.get("question").and_then(Item::string).expect("a text");
    let rest = json(&text);
    let rest = rest.strip_prefix(json(&question.question).strip_suffix('"').expect("a string"));
    assert!(rest.is_some_and(|rest| rest == "\"" || rest.starts_with(" [")), "8: {text:?}");
    for (entry, read) in screen.entries.iter().zip(shown(asked)) {
        if let Act::Pick(place) = entry.act {
            let mut description = question.options[place].description.clone();
            if question.default.contains(&place) {
                description.push_str(" (Recommended)");
            }
            assert_eq!(read.description, description, "8, 9: {:?}", entry.label);
        }
    }
}

/// 16, and the first half of 9.
fn check_offer(dialogue: &Dialogue<Inquiry<'_>>, place: usize, screen: &QuestionScreen) {
    let question = &dialogue.inquiry().spec().questions[place];
    let reply = &dialogue.inquiry().progress[place].reply;
    let offered = picks(screen);
    assert!(offered.iter().all(|&option| !reply.has(option)), "16: {offered:?} of {reply:?}");
    let values = reply.picks.iter().filter_map(|pick| pick.value(question));
    let distinct: BTreeSet<&JsString> = values.collect();
    assert_eq!(distinct.len(), reply.picks.len(), "16: {reply:?}");
    if question.options.iter().all(|option| option.cluster.is_none()) {
        let key = |option: &usize| (!question.default.contains(option), *option);
        assert!(offered.is_sorted_by_key(key), "9: {offered:?}");
    }
}

/// 20, both ways.
fn check_native(question: &Question, profile: &Profile, screen: &QuestionScreen) {
    let labels: Vec<&JsString> = question.options.iter().map(|option| &option.label).collect();
    let plain = |label: &&JsString| label.trimmed() == **label && !json(label).contains(',');
    let fits = labels.len() + usize::from(!question.must_be_answered()) <= 4;
    let can = profile.executor == Executor::ClaudeCode
        && question.kind == Kind::MultiChoice
        && (labels.len() >= 2 && fits && !question.allow_other);
    assert_eq!(screen.multi, can && labels.iter().all(plain), "20: {question:?}");
    if !screen.multi {
        return;
    }
    for subset in 1..1_u32 << labels.len() {
        let ticked: Vec<&JsString> = labels
            .iter()
            .enumerate()
            .filter(|(bit, _)| subset >> bit & 1 == 1)
            .map(|(_, label)| *label)
            .collect();
        let mut joined = JsString::default();
        for (i, label) in ticked.iter().enumerate() {
            joined.push_str(if i == 0 { "" } else { ", " });
            joined.append(label);
        }
        let split: Vec<JsString> = joined.split_trimmed(',');
        assert!(split.iter().eq(ticked), "20: {joined:?}");
    }
}

/// The places of the options on a screen, in their order.
fn picks(screen: &QuestionScreen) -> Vec<usize> {
    let place = |entry: &ScreenEntry| match entry.act {
        Act::Pick(place) => Some(place),
        _ => None,
    };
    screen.entries.iter().filter_map(place).collect()
}

fn find(screen: &QuestionScreen, act: Act) -> Option<&ScreenEntry> {
    screen.entries.iter().find(|entry| entry.act == act)
}

/// A spec with nothing but this question.
fn alone(spec: &QuestionSpec, question: &Question) -> QuestionSpec {
    QuestionSpec { questions: vec![question.clone()], ..spec.clone() }
}

fn only_screen(dialogue: &Dialogue<Inquiry<'_>>) -> QuestionScreen {
    match dialogue.status() {
        DialogueStatus::Ask(Request::Tool(mut screens)) if screens.len() == 1 => screens.remove(0).1,
        other => panic!("one screen, not {other:?}"),
    }
}

/// The dialogue after this entry of its only screen was picked.
fn said<'d>(
    dialogue: &Dialogue<Inquiry<'d>>,
    question: &Question,
    label: &JsString,
) -> Dialogue<Inquiry<'d>> {
    let (key, answer) = match dialogue.inquiry().profile().executor {
        Executor::Codex => (format!("\"{}\"", question.id), format!("{{\"answers\": [{}]}}", json(label))),
        _ => (json(&only_screen(dialogue).text), json(label)),
    };
    let record =
        format!("{{\"call\": \"{}\", \"output\": {{\"answers\": {{{key}: {answer}}}}}}}", dialogue.call());
    let mut next = dialogue.clone();
    next.take(&CallReply::read(record.as_bytes()).expect("a reply")).expect("a reply to the call");
    assert_eq!(next.inquiry().rejected, [], "{record}");
    next
}

/// Collects the options behind every entry, in their order, and the number of levels.
fn descend(dialogue: &Dialogue<Inquiry<'_>>, level: usize, leaves: &mut Vec<usize>, deepest: &mut usize) {
    *deepest = level.max(*deepest);
    let question = &dialogue.inquiry().spec().questions[0];
    for entry in only_screen(dialogue).entries {
        match entry.act {
            Act::Pick(place) => leaves.push(place),
            Act::Open(_) => descend(&said(dialogue, question, &entry.label), level + 1, leaves, deepest),
            Act::Control(_) => {}
        }
    }
}

/// Every option once, the defaults first; with clusters, the option that stands first is still the first.
fn check_leaves(question: &Question, leaves: &[usize]) {
    let mut order: Vec<usize> = (0..question.options.len()).collect();
    order.sort_by_key(|place| !question.default.contains(place));
    assert_eq!(leaves.first(), order.first(), "9: the default is on the first screen");
    if question.options.iter().all(|option| option.cluster.is_none()) {
        assert_eq!(leaves, order, "9, 10");
    }
    let mut leaves = leaves.to_vec();
    leaves.sort_unstable();
    assert!(leaves.iter().copied().eq(0..question.options.len()), "10: {leaves:?}");
}

/// ceil(log(count) to the base arity), at least 1.
fn levels(count: usize, arity: usize) -> usize {
    let (mut levels, mut reach) = (1, arity);
    while reach < count {
        (levels, reach) = (levels + 1, reach * arity);
    }
    levels
}
