//! What an author means to answer, and what the console makes of it.
//!
//! An intent is only what every way of asking can express: own words come trimmed, as the console takes them, and mean no
//! option; control tokens are no answers. Free text is any text.

use novel_gate::ask::draft::is_control_token;
use novel_gate::ask::{Draft, JsString, Kind, Pick, Question, QuestionSpec};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What is to be answered to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Nothing; only to an optional question.
    Nothing,
    /// These, in the order in which the author goes about it; one for a single choice.
    Picks(Vec<Pick>),
    /// This text.
    Text(JsString),
}

/// A wish for each question.
pub(super) type Intent = Vec<Wish>;

const ODD_TEXTS: &[&str] = &[
    "own",
    "雨停之前，别让他回头。",
    "a, b",
    "None of the above",
    "Other",
    "user_note: x",
    "Options 1-4",
    "A (Recommended)",
    "第一行\n第二行",
    "{\"answers\":{}}",
    "- 1",
    "👩\u{200d}👩\u{200d}👧",
    "\"",
];
/// Around a text, to be kept.
const EDGES: &[&str] = &["", "", "", "\u{3000}\u{3000}", "\n", " ", "\t", "\r\n", "\u{feff}"];
/// Where a contract's template shows what goes where.
const PLACEHOLDERS: &[&str] = &["<text>", "<label>"];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => select(ODD_TEXTS).prop_map(str::to_owned), 1 => "[a-c雨_ ,\n]{1,8}"]
}

/// The words as the console takes them for own ones; where it would not, others.
pub(super) fn own_words(question: &Question, text: &str) -> JsString {
    let mut words = JsString::from(text).trimmed();
    let is_taken = |words: &JsString| {
        words.is_blank()
            || words.as_str().is_some_and(|text| is_control_token(text) || PLACEHOLDERS.contains(&text))
            || question.options.iter().any(|option| option.label.trimmed() == *words)
            || is_taken_by_a_dialogue(question, &words.lossy())
    };
    while is_taken(&words) {
        // In front too, where it parts words from a mark that stands behind them.
        words = JsString::from(format!("·{}·", words.lossy().replace(',', "，")));
    }
    words
}

/// Whether words name a mark of a dialogue's own or a family of options, alone or in a list and with or without a
/// recommendation behind them, or list labels.
fn is_taken_by_a_dialogue(question: &Question, words: &str) -> bool {
    let trimmed = |text: &str| JsString::from(text).trimmed().lossy().into_owned();
    let bare = |text: &str| trimmed(text.split(" (Recommended").next().unwrap_or_default());
    let parts = |text: &str| text.split(',').map(trimmed).collect::<Vec<_>>();
    let labels: Vec<String> =
        question.options.iter().flat_map(|option| parts(&option.label.lossy())).collect();
    let is_mark = |part: &String| {
        let part = bare(part);
        is_control_token(&part)
            || part.starts_with("Options ") && part.ends_with(|c: char| c.is_ascii_digit())
    };
    let mut clusters = question.options.iter().filter_map(|option| option.cluster.as_ref());
    words.ends_with(" (Recommended)")
        || parts(words).iter().any(is_mark)
        || clusters.any(|name| name.trimmed().lossy() == bare(words))
        || parts(words).iter().all(|part| labels.contains(part) || labels.contains(&bare(part)))
}

fn any_pick(question: &Question) -> impl Strategy<Value = Pick> + use<> {
    let question = question.clone();
    (any::<Index>(), any_text(), 0..4_u8).prop_map(move |(place, text, own)| {
        if question.allow_other && own == 0 {
            Pick::Own(own_words(&question, &text))
        } else {
            Pick::Option(place.index(question.options.len()))
        }
    })
}

/// Free text with edges that must stay.
fn any_free_text() -> impl Strategy<Value = JsString> {
    let inside =
        prop_oneof![6 => any_text(), 1 => select(vec!["__done__", "___group_3___"]).prop_map(str::to_owned)];
    (select(EDGES), inside, select(EDGES)).prop_map(|(before, inside, after)| {
        let text = JsString::from(format!("{before}{inside}{after}"));
        // A tool trims what may be its own control, so that alone must be whole.
        match text.trimmed().as_str() {
            Some("") => "text".into(),
            Some(inner) if is_control_token(inner) => inner.into(),
            _ => text,
        }
    })
}

fn any_wish(question: &Question) -> BoxedStrategy<Wish> {
    let something = match question.kind {
        Kind::FreeText => any_free_text().prop_map(Wish::Text).boxed(),
        Kind::SingleChoice => any_pick(question).prop_map(|pick| Wish::Picks(vec![pick])).boxed(),
        Kind::MultiChoice => proptest::collection::vec(any_pick(question), 1..6)
            .prop_map(|picks| {
                let mut out: Vec<Pick> = Vec::new();
                for pick in picks {
                    if !out.contains(&pick) {
                        out.push(pick);
                    }
                }
                Wish::Picks(out)
            })
            .boxed(),
    };
    if question.must_be_answered() {
        something
    } else {
        prop_oneof![1 => Just(Wish::Nothing), 3 => something].boxed()
    }
}

/// A complete intent for these questions.
pub(super) fn any_intent(spec: &QuestionSpec) -> impl Strategy<Value = Intent> + use<> {
    spec.questions.iter().map(any_wish).collect::<Vec<BoxedStrategy<Wish>>>()
}

/// The draft after an author has gone through the console's form with an intent.
pub(super) fn fill_in_console(spec: &QuestionSpec, intent: &Intent) -> Draft {
    let mut draft = Draft::new(spec);
    for ((question, reply), wish) in spec.questions.iter().zip(&mut draft.replies).zip(intent) {
        match wish {
            Wish::Nothing => reply.clear(),
            Wish::Text(text) => reply.type_text(text.as_str().expect("what can be typed")),
            Wish::Picks(picks) => {
                // Defaults that are not meant are unticked first.
                let unwanted = |place: &&usize| {
                    question.kind == Kind::MultiChoice && !picks.contains(&Pick::Option(**place))
                };
                question.default.iter().filter(unwanted).for_each(|&place| reply.toggle(place));
                for pick in picks {
                    match pick {
                        Pick::Own(words) => {
                            reply.take_own(question, words.clone()).expect("words that are an answer");
                        }
                        Pick::Option(place) if question.kind == Kind::SingleChoice => reply.choose(*place),
                        Pick::Option(place) if reply.has(*place) => {}
                        Pick::Option(place) => reply.toggle(*place),
                    }
                }
            }
        }
    }
    assert_eq!(draft.missing(spec), Vec::<usize>::new(), "an intent is complete");
    draft
}
