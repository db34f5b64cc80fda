//! Replies that nobody in his right mind gives: any entry, several, words of all sorts, nothing, closed dialogs.
//!
//! Responsible for replies of the right form with any content; an `Err` of the dialogue is then a mistake of its own. Not
//! responsible for what they may lead to.

use crate::object::{self, Object};
use novel_gate::adapter::profile::Executor;
use novel_gate::adapter::profile::Profile;
use novel_gate::ask::json::Item;
use novel_gate::ask::{JsString, Question, QuestionSpec};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::author::{Author, Shown, shown};

/// What is said to one question.
#[derive(Clone, Debug)]
pub(super) enum Noise {
    /// Entries of the screen.
    Entries(Vec<Index>),
    /// An option, whether it is shown or not.
    Option(Index),
    /// Words.
    Words(String),
    /// An entry of the screen and words beside it.
    Noted(Index, String),
    /// Codex's own "none of these", without words.
    NoneOfThese,
    /// No answer, in some form.
    Nothing(u8),
    /// Claude Code's own "skip".
    Skipped,
}

/// What happens to a call.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// Something is said to each question; from the beginning again if there are more questions.
    Said(Vec<Noise>),
    /// A message to a call that wants text.
    Message(String),
    /// What the author means, where text is wanted.
    Meant,
    /// A message beside the question, where nothing was chosen.
    Response(String),
    /// Nobody was there, or the dialog was closed.
    Left(u8),
    Escape,
    Unavailable,
}

const ODD_WORDS: &[&str] = &[
    "a",
    "A",
    "__done__",
    "__more__",
    "___skip___",
    " __stop__ ",
    "__group_2__",
    "own",
    "",
    " ",
    "\u{3000}",
    "a, b",
    "None of the above",
    "user_note: a",
    "Options 1-4",
    "A (Recommended)",
    "<text>",
    "null",
    "{}",
    "[]",
    "雨\n停",
];
const ODD_MESSAGES: &[&str] = &[
    "",
    " \n",
    "{}",
    "[]",
    "null",
    "{\"answers\":{}}",
    "{\"answers\":[]}",
    "{\"answers\":{\"a\":\"a\"}}",
    "{\"answers\":{\"a\":null}}",
    "{\"answers\":{\"a\":[]}}",
    "{\"answers\":{\"zz\":\"a\"}}",
    "Sure!",
    "```json\n{\"answers\":{}}\n```",
    "{\"answers\":{},\"answers\":{}}",
    "__done__",
    "　　雨停之前",
    "{\"answers\":",
];

fn any_noise() -> impl Strategy<Value = Noise> {
    let words = || prop_oneof![select(ODD_WORDS).prop_map(str::to_owned), any::<String>()];
    prop_oneof![
        8 => any::<Index>().prop_map(|entry| Noise::Entries(vec![entry])),
        1 => proptest::collection::vec(any::<Index>(), 2..4).prop_map(Noise::Entries),
        2 => any::<Index>().prop_map(Noise::Option),
        3 => words().prop_map(Noise::Words),
        1 => (any::<Index>(), words()).prop_map(|(entry, words)| Noise::Noted(entry, words)),
        1 => Just(Noise::NoneOfThese),
        1 => (0..4_u8).prop_map(Noise::Nothing),
        1 => Just(Noise::Skipped),
    ]
}

pub(super) fn any_event() -> impl Strategy<Value = Event> {
    let messages = || prop_oneof![select(ODD_MESSAGES).prop_map(str::to_owned), any::<String>()];
    prop_oneof![
        20 => proptest::collection::vec(any_noise(), 1..4).prop_map(Event::Said),
        3 => messages().prop_map(Event::Message),
        2 => Just(Event::Meant),
        1 => messages().prop_map(Event::Response),
        1 => (0..3_u8).prop_map(Event::Left),
        2 => Just(Event::Escape),
        1 => Just(Event::Unavailable),
    ]
}

/// A reply, and to which question what was said; nothing is named where the call as a whole was answered.
pub(super) struct Reply {
    pub(super) record: String,
    pub(super) said: Vec<(usize, Noise)>,
    /// Whether it is no answer at all to anything.
    pub(super) is_empty: bool,
}

impl Event {
    /// The record with which this happens to a call; an event that cannot happen to it becomes one that can.
    pub(super) fn reply(
        &self,
        ask: Item<'_>,
        spec: &QuestionSpec,
        profile: &Profile,
        author: &mut Author<'_>,
    ) -> Reply {
        let call = ask.get("call").and_then(Item::string).expect("a call");
        let record = Object::new().js("call", &call);
        let silent = |record: Object| Reply { record: record.finish(), said: Vec::new(), is_empty: true };
        let Some(input) = ask.get("input") else {
            return match self {
                Event::Escape | Event::Left(_) => silent(record.boolean("escape", true)),
                Event::Message(text) | Event::Response(text) => Reply {
                    is_empty: text.trim().is_empty(),
                    record: record.text("text", text).finish(),
                    said: Vec::new(),
                },
                _ => Reply { record: author.reply(ask), said: Vec::new(), is_empty: false },
            };
        };
        let questions = Questions::of(ask, input, spec);
        let is_claude = profile.executor == Executor::ClaudeCode;
        match self {
            Event::Said(noises) => {
                let said: Vec<(usize, Noise)> =
                    questions.places.iter().copied().zip(noises.iter().cycle().cloned()).collect();
                let output = if is_claude { questions.claude(&said) } else { questions.codex(&said) };
                let record = record.raw("output", &output).finish();
                Reply { record, is_empty: said.iter().all(|(_, noise)| noise.is_empty()), said }
            }
            Event::Response(words) if is_claude => {
                let output = Object::new().raw("answers", "{}").text("response", words).finish();
                let is_empty = words.trim().is_empty() || questions.places.len() > 1;
                Reply { record: record.raw("output", &output).finish(), said: Vec::new(), is_empty }
            }
            Event::Left(how) if is_claude => silent(record.raw("output", &questions.left(*how))),
            Event::Unavailable => silent(record.boolean("unavailable", true)),
            Event::Message(_) | Event::Meant | Event::Response(_) | Event::Left(_) | Event::Escape => {
                silent(record.boolean("escape", true))
            }
        }
    }
}

impl Noise {
    fn is_empty(&self) -> bool {
        match self {
            Noise::Nothing(_) => true,
            Noise::Words(words) => words.trim().is_empty(),
            _ => false,
        }
    }
}

/// The questions of a call, as they are shown.
struct Questions<'s> {
    places: Vec<usize>,
    spec: &'s QuestionSpec,
    texts: Vec<JsString>,
    screens: Vec<Vec<Shown>>,
}

impl Questions<'_> {
    fn of<'s>(ask: Item<'_>, input: Item<'_>, spec: &'s QuestionSpec) -> Questions<'s> {
        let ids = ask.get("asks").expect("asks").elements().filter_map(Item::string);
        let place = |id: JsString| spec.find(id.as_str().expect("an id")).expect("a question").0;
        let places = ids.map(place).collect();
        let asked: Vec<Item<'_>> = input.get("questions").expect("questions").elements().collect();
        let text = |asked: &Item<'_>| asked.get("question").and_then(Item::string).expect("a text");
        let texts = asked.iter().map(text).collect();
        Questions { places, spec, texts, screens: asked.into_iter().map(shown).collect() }
    }

    /// The chosen entries and the words of what is said to the question at `at`; none if it is left out.
    fn spoken(&self, at: usize, noise: &Noise) -> Option<(Vec<JsString>, Option<JsString>)> {
        let question: &Question = &self.spec.questions[self.places[at]];
        let entry = |entry: &Index| entry.get(&self.screens[at]).label.clone();
        Some(match noise {
            Noise::Entries(entries) => (entries.iter().map(entry).collect(), None),
            Noise::Option(place) if question.options.is_empty() => (vec![entry(place)], None),
            Noise::Option(place) => (vec![place.get(&question.options).label.clone()], None),
            Noise::Words(words) => (Vec::new(), Some(words.as_str().into())),
            Noise::Noted(at, words) => (vec![entry(at)], Some(words.as_str().into())),
            Noise::NoneOfThese => (vec!["None of the above".into()], None),
            Noise::Nothing(0) | Noise::Skipped => return None,
            Noise::Nothing(1) => (vec!["".into()], None),
            Noise::Nothing(_) => (Vec::new(), None),
        })
    }

    fn claude(&self, said: &[(usize, Noise)]) -> String {
        let (mut answers, mut notes) = (Vec::new(), Vec::new());
        for (at, (_, noise)) in said.iter().enumerate() {
            let key = json(&self.texts[at]);
            if matches!(noise, Noise::Skipped) {
                notes.push(format!("{key}: {{\"unanswered\": \"skipped\"}}"));
                // The words that the model is to read then.
                answers.push(format!("{key}: \"The user skipped this question.\""));
            }
            let value = match (self.spoken(at, noise), noise) {
                (None, _) => continue,
                (Some(_), Noise::Nothing(2)) => "null".to_owned(),
                (Some((labels, Some(words))), _) if labels.is_empty() => json(&words),
                (Some((labels, words)), _) => {
                    if let Some(words) = words {
                        notes.push(format!("{key}: {{\"notes\": {}}}", json(&words)));
                    }
                    match labels.as_slice() {
                        [label] => json(label),
                        labels => object::js_list(labels),
                    }
                }
            };
            answers.push(format!("{key}: {value}"));
        }
        format!("{{\"answers\": {{{}}}, \"annotations\": {{{}}}}}", answers.join(", "), notes.join(", "))
    }

    fn codex(&self, said: &[(usize, Noise)]) -> String {
        let mut answers = Object::new();
        for (at, (place, noise)) in said.iter().enumerate() {
            let Some((mut labels, words)) = self.spoken(at, noise) else { continue };
            labels.extend(words.map(|words| {
                let mut note = JsString::from("user_note: ");
                note.append(&words);
                note
            }));
            let answer = Object::new().raw("answers", &object::js_list(&labels)).finish();
            answers = answers.raw(&self.spec.questions[*place].id, &answer);
        }
        Object::new().raw("answers", &answers.finish()).finish()
    }

    /// A dialog that closed by itself or was closed, whatever stands in it.
    fn left(&self, how: u8) -> String {
        let key = json(&self.texts[0]);
        let entry = json(&self.screens[0][0].label);
        match how {
            0 => format!("{{\"answers\": {{{key}: {entry}}}, \"afkTimeoutMs\": 60000}}"),
            1 => format!(
                "{{\"answers\": {{{key}: {entry}}}, \"annotations\": {{{key}: {{\"unanswered\": \"dismissed\"}}}}}}"
            ),
            _ => format!(
                "{{\"answers\": {{}}, \"annotations\": {{{key}: {{\"unanswered\": \"replied_in_chat\"}}}}}}"
            ),
        }
    }
}

/// The text as JSON.
pub(super) fn json(text: &JsString) -> String {
    let mut out = String::new();
    text.write_json(&mut out);
    out
}
