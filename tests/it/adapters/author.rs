//! An author at an executor's dialog who carries out an intent and sees nothing but what `next` prints.
//!
//! Responsible for the replies: as Claude Code's tool, Codex's tool and a chat message return them. An author reads
//! labels and descriptions, knows the controls by their names, and now and then takes a detour.

use crate::object::{self, Object};
use std::collections::HashSet;

use novel_gate::ask::draft::is_control_token;
use novel_gate::ask::json::Item;
use novel_gate::ask::{JsString, Kind, Pick, Question, QuestionSpec, to_line};

use proptest::prelude::*;

use super::intents::{Intent, Wish};

/// What an author does where several ways lead on; the same habits make the same choices.
#[derive(Clone, Debug)]
pub(super) struct Habits {
    whims: Vec<u8>,
    next: usize,
    /// At which call the tool is gone, if it ever is.
    tool_goes: Option<usize>,
}

/// How an author goes about it; the tool stays.
pub(super) fn any_habits() -> impl Strategy<Value = Habits> {
    proptest::collection::vec(any::<u8>(), 1..40).prop_map(|whims| Habits { whims, next: 0, tool_goes: None })
}

impl Habits {
    /// The same author with a tool that is gone after some calls.
    pub(super) fn until(&self, call: usize) -> Habits {
        Habits { tool_goes: Some(call), ..self.clone() }
    }

    /// Once in `of` times, about.
    fn now_and_then(&mut self, of: u8) -> bool {
        let whim = self.whims.get(self.next % self.whims.len().max(1)).copied().unwrap_or(1);
        self.next += 1;
        whim % of == 0
    }
}

/// The author, the intent and how much of it is done.
pub(super) struct Author<'s> {
    spec: &'s QuestionSpec,
    intent: &'s Intent,
    habits: Habits,
    /// Of each question the picks still to be made.
    todo: Vec<Vec<Pick>>,
    /// Of each question how often a detour was taken.
    detours: Vec<u8>,
    /// Of each question the groups opened on the way to a pick, and those that did not hold it.
    search: Vec<Search>,
}

#[derive(Clone, Default)]
struct Search {
    opened: Vec<JsString>,
    exhausted: HashSet<JsString>,
}

/// An entry of a screen as an author reads it.
pub(super) struct Shown {
    pub(super) label: JsString,
    pub(super) description: JsString,
}

/// What the author does at a question.
enum Deed {
    /// Picks these entries.
    Pick(Vec<JsString>),
    /// Uses the tool's own free-form entry.
    Type(JsString),
    /// Picks the tool's own "none of these", without a word.
    NoneOfThese,
}

impl Deed {
    /// The labels and words themselves.
    fn entries(self) -> Vec<JsString> {
        match self {
            Deed::Pick(labels) => labels,
            Deed::Type(words) => vec![words],
            Deed::NoneOfThese => vec!["None of the above".into()],
        }
    }
}

impl<'s> Author<'s> {
    pub(super) fn new(spec: &'s QuestionSpec, intent: &'s Intent, habits: Habits) -> Author<'s> {
        let todo = intent.iter().map(|wish| match wish {
            Wish::Picks(picks) => picks.clone(),
            Wish::Nothing | Wish::Text(_) => Vec::new(),
        });
        let count = spec.questions.len();
        let search = vec![Search::default(); count];
        Author { spec, intent, habits, todo: todo.collect(), detours: vec![0; count], search }
    }

    /// The record that answers an `ask` of `next`.
    pub(super) fn reply(&mut self, ask: Item<'_>) -> String {
        let call = ask.get("call").and_then(Item::string).expect("a call");
        let record = Object::new().js("call", &call);
        let ids: Vec<JsString> = ask.get("asks").expect("asks").elements().filter_map(Item::string).collect();
        let places: Vec<usize> = ids.iter().map(|id| self.place(id)).collect();
        if self.is_tool_gone(ask) {
            return record.boolean("unavailable", true).finish();
        }
        let tool = ask.get("tool").and_then(Item::string);
        let input = ask.get("input");
        match (tool.as_ref().and_then(JsString::as_str), input) {
            (Some("AskUserQuestion"), Some(input)) => record.raw("output", &self.at_claude(&places, input)),
            (Some("request_user_input"), Some(input)) => record.raw("output", &self.at_codex(&places, input)),
            (None, None) if ask.get("schema").is_some() => record.js("text", &self.contract(&places).into()),
            (None, None) => record.js("text", &self.message(&places)),
            other => panic!("an ask of no known form: {other:?}"),
        }
        .finish()
    }

    fn is_tool_gone(&self, ask: Item<'_>) -> bool {
        let seq = ask.get("seq").and_then(Item::number).expect("a number");
        let goes = self.habits.tool_goes.and_then(|call| u32::try_from(call).ok());
        ask.get("input").is_some() && goes.is_some_and(|call| seq >= f64::from(call))
    }

    /// The same reply as `ID=VALUE`, for an executor that makes no JSON.
    pub(super) fn values(&mut self, ask: Item<'_>) -> Vec<(String, JsString)> {
        let ids = ask.get("asks").expect("asks").elements().filter_map(Item::string);
        let places: Vec<usize> = ids.map(|id| self.place(&id)).collect();
        let id = |spec: &QuestionSpec, place: usize| spec.questions[place].id.clone();
        if let Some(input) = ask.get("input") {
            let deeds = self.deeds(&places, input).into_iter();
            let values = deeds.flat_map(|(place, deed)| {
                let id = id(self.spec, place);
                deed.entries().into_iter().map(move |value| (id.clone(), value))
            });
            return values.collect();
        }
        if ask.get("schema").is_none() {
            return vec![(id(self.spec, places[0]), self.message(&places))];
        }
        let values = places.into_iter().flat_map(|place| {
            let question = &self.spec.questions[place];
            let values: Vec<JsString> = match &self.intent[place] {
                Wish::Nothing => Vec::new(),
                Wish::Text(text) => vec![text.clone()],
                Wish::Picks(picks) => picks.iter().filter_map(|pick| pick.value(question)).cloned().collect(),
            };
            values.into_iter().map(|value| (question.id.clone(), value))
        });
        values.collect()
    }

    /// What the author does at each question of a call.
    fn deeds(&mut self, places: &[usize], input: Item<'_>) -> Vec<(usize, Deed)> {
        let questions = input.get("questions").expect("questions").elements();
        let mut deeds = Vec::new();
        for (&place, asked) in places.iter().zip(questions) {
            let multi = asked.get("multiSelect").and_then(Item::boolean) == Some(true);
            let ticks = if multi { self.ticks(place) } else { None };
            deeds.push((place, ticks.map_or_else(|| self.deed(place, &shown(asked)), Deed::Pick)));
        }
        deeds
    }

    fn place(&self, id: &JsString) -> usize {
        self.spec.find(id.as_str().expect("an id")).expect("a question's id").0
    }

    /// What `AskUserQuestion` returns: answers by the questions' texts.
    fn at_claude(&mut self, places: &[usize], input: Item<'_>) -> String {
        let questions = input.get("questions").expect("questions");
        let mut answers = String::new();
        for ((_, deed), asked) in self.deeds(places, input).into_iter().zip(questions.elements()) {
            let text = asked.get("question").and_then(Item::string).expect("a text");
            let answer = comma_joined(&deed.entries());
            answers.push_str(if answers.is_empty() { "" } else { ", " });
            text.write_json(&mut answers);
            answers.push_str(": ");
            answers.push_str(&to_line(&answer));
        }
        let answers = format!("{{{answers}}}");
        Object::new().raw("questions", questions.source()).raw("answers", &answers).finish()
    }

    /// What `request_user_input` returns: lists by the questions' ids.
    fn at_codex(&mut self, places: &[usize], input: Item<'_>) -> String {
        let mut answers = Object::new();
        for (place, deed) in self.deeds(places, input) {
            let entries = match deed {
                Deed::Type(words) => {
                    let mut note = JsString::from("user_note: ");
                    note.append(&words);
                    let above = (!self.habits.now_and_then(3)).then(|| "None of the above".into());
                    above.into_iter().chain([note]).collect()
                }
                deed => deed.entries(),
            };
            let answer = Object::new().raw("answers", &object::js_list(&entries)).finish();
            answers = answers.raw(&self.spec.questions[place].id, &answer);
        }
        Object::new().raw("answers", &answers.finish()).finish()
    }

    /// The strict JSON reply.
    fn contract(&mut self, places: &[usize]) -> String {
        let mut answers = Object::new();
        for &place in places {
            let question = &self.spec.questions[place];
            answers = match &self.intent[place] {
                Wish::Nothing => answers,
                Wish::Text(text) => answers.js(&question.id, text),
                Wish::Picks(picks) => {
                    let values: Vec<&JsString> =
                        picks.iter().filter_map(|pick| pick.value(question)).collect();
                    match question.kind {
                        Kind::MultiChoice => answers.raw(&question.id, &object::js_list(values)),
                        _ => answers.js(&question.id, values[0]),
                    }
                }
            };
        }
        Object::new().raw("answers", &answers.finish()).finish()
    }

    /// A plain message with the text of one question, as chats send it.
    fn message(&mut self, places: &[usize]) -> JsString {
        let &[place] = places else { panic!("a message is about one question") };
        // Whoever has been led here without meaning it writes something.
        let text = match &self.intent[place] {
            Wish::Text(text) => text.clone(),
            Wish::Nothing | Wish::Picks(_) => "text".into(),
        };
        let mut out = JsString::from(if self.habits.now_and_then(2) { " " } else { "" });
        out.append(&text);
        out.push_str(if self.habits.now_and_then(2) { "\n" } else { "" });
        out
    }

    /// All ticks at once; none if nothing is meant.
    fn ticks(&self, place: usize) -> Option<Vec<JsString>> {
        let question = &self.spec.questions[place];
        match &self.intent[place] {
            Wish::Picks(picks) => {
                Some(picks.iter().filter_map(|pick| pick.value(question)).cloned().collect())
            }
            Wish::Nothing | Wish::Text(_) => None,
        }
    }

    fn deed(&mut self, place: usize, entries: &[Shown]) -> Deed {
        let question = &self.spec.questions[place];
        match &self.intent[place] {
            Wish::Nothing => Deed::Pick(vec![control("skip", question, entries).expect("a way to skip")]),
            Wish::Text(text) => {
                let whole = is_whole_in_chat(text);
                let may_type = !text.trimmed().as_str().is_some_and(is_control_token);
                if !may_type || (whole && self.habits.now_and_then(2)) {
                    Deed::Pick(vec![control("type", question, entries).expect("a way to type")])
                } else {
                    Deed::Type(text.clone())
                }
            }
            Wish::Picks(_) => self.pick(place, entries),
        }
    }

    /// The next step towards the picks that are still to be made.
    fn pick(&mut self, place: usize, entries: &[Shown]) -> Deed {
        let question = &self.spec.questions[place];
        let label = |pick: &Pick| pick.value(question).expect("an option").clone();
        let find = |name: &str| control(name, question, entries);
        if let Some(detour) = self.detour(place, entries) {
            return detour;
        }
        if self.todo[place].is_empty() {
            return Deed::Pick(vec![find("done").expect("a way to finish")]);
        }
        let at_hand = |pick: &Pick| match pick {
            Pick::Own(_) => true,
            Pick::Option(_) => entries.iter().any(|entry| entry.label == label(pick)),
        };
        // Own words keep their order among themselves.
        let first = self.todo[place].iter().position(at_hand);
        if let Some(first) = first {
            let pick = self.todo[place].remove(first);
            self.search[place] = Search::default();
            return match pick {
                Pick::Own(words) => Deed::Type(words),
                Pick::Option(_) => Deed::Pick(vec![label(&pick)]),
            };
        }
        let wanted = label(&self.todo[place][0]);
        // Whoever sees what he wants nowhere types it, sometimes.
        if wanted.trimmed() == wanted && self.habits.now_and_then(5) {
            self.todo[place].remove(0);
            self.search[place] = Search::default();
            return Deed::Type(wanted);
        }
        if let Some(more) = find("more") {
            return Deed::Pick(vec![more]);
        }
        self.open_group(place, &wanted, entries)
    }

    /// Opens a group that seems to hold the label, or leaves one that turned out not to.
    fn open_group(&mut self, place: usize, wanted: &JsString, entries: &[Shown]) -> Deed {
        let question = &self.spec.questions[place];
        let is_group = |entry: &&Shown| {
            question.option(&entry.label).is_none()
                && (is_group_token(&entry.label) || !is_control(&entry.label))
        };
        let search = &mut self.search[place];
        let may_hold = |entry: &&Shown| {
            contains(&entry.description, wanted) && !search.exhausted.contains(&entry.description)
        };
        if let Some(group) = entries.iter().filter(is_group).find(may_hold) {
            search.opened.push(group.description.clone());
            return Deed::Pick(vec![group.label.clone()]);
        }
        let left = search.opened.pop().unwrap_or_else(|| panic!("{wanted:?} is nowhere"));
        search.exhausted.insert(left);
        match control("back", question, entries) {
            Some(back) => Deed::Pick(vec![back]),
            None => Deed::NoneOfThese,
        }
    }

    /// Looks at another page and comes back, or begins another selection and thinks better of it.
    fn detour(&mut self, place: usize, entries: &[Shown]) -> Option<Deed> {
        let question = &self.spec.questions[place];
        let more = control("more", question, entries);
        let ways = [more, control("repeat", question, entries)];
        let way = ways.into_iter().flatten().next()?;
        // Behind "add another selection" there must be something to add.
        let adds = control("done", question, entries).is_some() && self.todo[place].is_empty();
        if adds || self.detours[place] >= 3 || !self.habits.now_and_then(4) {
            return None;
        }
        self.detours[place] += 1;
        Some(Deed::Pick(vec![way]))
    }
}

/// The entries of a question as a tool gets it.
pub(super) fn shown(asked: Item<'_>) -> Vec<Shown> {
    let text = |entry: Item<'_>, key: &str| entry.get(key).and_then(Item::string).expect("a text");
    let entries = asked.get("options").expect("options").elements();
    entries
        .map(|entry| Shown { label: text(entry, "label"), description: text(entry, "description") })
        .collect()
}

/// The entry with this name between underscores that is no option.
fn control(name: &str, question: &Question, entries: &[Shown]) -> Option<JsString> {
    let named = |label: &JsString| {
        is_control(label) && label.as_str().is_some_and(|label| label.trim_matches('_') == name)
    };
    let mut found =
        entries.iter().filter(|entry| question.option(&entry.label).is_none() && named(&entry.label));
    found.next().map(|entry| entry.label.clone())
}

fn is_control(label: &JsString) -> bool {
    label.as_str().is_some_and(is_control_token)
}

fn is_group_token(label: &JsString) -> bool {
    is_control(label) && label.as_str().is_some_and(|label| label.trim_matches('_').starts_with("group_"))
}

/// Whether `part` stands somewhere in `whole`, surrogates and all.
fn contains(whole: &JsString, part: &JsString) -> bool {
    let json = |text: &JsString| {
        let mut json = String::new();
        text.write_json(&mut json);
        json
    };
    let part = json(part);
    json(whole).contains(&part[1..part.len() - 1])
}

/// Whether a text loses nothing where a chat's spaces, tabs and line ends at both ends are taken away.
fn is_whole_in_chat(text: &JsString) -> bool {
    text.as_str().is_some_and(|text| text.trim_matches([' ', '\t', '\r', '\n']) == text)
}

fn comma_joined(labels: &[JsString]) -> JsString {
    let mut out = JsString::default();
    for (i, label) in labels.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        out.append(label);
    }
    out
}
