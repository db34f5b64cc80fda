//! The records that a file holds, whatever is around them, and however they are written.

use super::check::{check_answers, fits};
use super::compare::Value;
use super::frame::{RECORD_KEYS, answers_in, records_in};
use super::js_string::{JsString, raw};
use super::json::{Item, Json, Kind as JsonKind, object, to_line};
use super::mend::{mend, sides};
use super::problem::shorten;
use super::question::{Kind, Question, QuestionSpec};
use crate::text::encoding::text_of;
use crate::text::markdown::is_fence;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};

/// How a list of answers names the question, and the answer.
const ID_KEYS: [&str; 5] = ["id", "question_id", "key", "header", "question"];
const VALUE_KEYS: [&str; 4] = ["answer", "value", "answers", "response"];

/// What was found in a file.
#[derive(Default)]
pub(super) struct Records {
    /// As a record has them: JSON with the answers by question, or these alone.
    pub(super) all: Vec<String>,
    /// Whether the text stops inside the last answer.
    pub(super) is_cut: bool,
    /// Whether another of them, or none, may be meant.
    is_doubtful: bool,
    /// Whether it holds words of which nobody knows which question they answer.
    pub(super) is_unread: bool,
}

/// What several records say together.
#[derive(Default)]
pub(super) struct Told {
    /// A record of what all of them say.
    pub(super) record: String,
    /// To each question all that any of them says.
    pub(super) given: Vec<Option<Value>>,
    /// Whether they do not say the same to it.
    pub(super) differs: Vec<bool>,
}

impl Records {
    pub(super) fn of(spec: &QuestionSpec, bytes: &[u8]) -> Records {
        let Some(sides) = sides(&text_of(bytes)) else { return Records::read(spec, bytes) };
        let sides = sides.map(|side| Records::read(spec, side.as_bytes()));
        let mut found = Records::default();
        if sides.iter().any(|side| side.is_unread || side.is_cut) {
            // A text that cannot be read may be the right one.
            found.is_unread = true;
            return found;
        }
        sides.into_iter().flat_map(|side| side.all).for_each(|record| found.add(record));
        found
    }

    fn read(spec: &QuestionSpec, bytes: &[u8]) -> Records {
        let mut found = Records::default();
        let mended = mend(bytes);
        found.is_cut = mended.as_ref().is_some_and(|mended| is_cut(spec, &mended.text, mended.cut));
        let all = mended.map_or_else(|| vec![Some(text_of(bytes).into_owned())], |mended| mended.all);
        found.is_doubtful = all.contains(&None);
        for text in all.into_iter().flatten() {
            match Json::parse(text.as_bytes()) {
                Ok(json) => found.collect(spec, json.root()),
                Err(_) => in_lines(spec, &text).into_iter().for_each(|record| found.add(record)),
            }
        }
        found.is_unread |= found.all.is_empty() || found.is_doubtful;
        found
    }

    /// What the records say together.
    pub(super) fn told(&self, spec: &QuestionSpec) -> Told {
        let parsed: Vec<Json<'_>> =
            self.all.iter().filter_map(|record| Json::parse(record.as_bytes()).ok()).collect();
        let places = spec.places();
        let answers: Vec<Item<'_>> =
            parsed.iter().filter_map(|json| answers_in(json.root(), &places)).collect();
        let notes: Vec<Item<'_>> = parsed.iter().filter_map(|json| json.root().get("_notes")).collect();
        let (said, beside) = (said(&answers), said(&notes));
        let mut told = Told { given: vec![None; spec.questions.len()], ..Told::default() };
        told.differs.resize(spec.questions.len(), false);
        for said in &said {
            let Some(&place) = said.name.as_str().and_then(|id| places.get(id)) else { continue };
            let values: Vec<Value> = said.items.iter().map(|item| recorded_answer(*item)).collect();
            told.differs[place] = !said.is_agreed(answers.len());
            told.given[place] = Some(match values.as_slice() {
                [one] => one.clone(),
                _ => Value::Several(values),
            });
        }
        let object = |said: &[Said<'_>], is_taken: &dyn Fn(&&Said<'_>) -> bool| {
            let taken = said.iter().filter(is_taken);
            object(taken.map(|said| (said.name.clone(), raw(said.items[0].source().to_owned()))))
        };
        let answers = object(&said, &|said| !self.is_doubtful && said.is_agreed(answers.len()));
        // A note may be in one of them only.
        let notes = object(&beside, &|note| note.items.len() == 1);
        told.record = format!("{{\"answers\": {}, \"_notes\": {}}}", answers.get(), notes.get());
        told
    }

    fn add(&mut self, record: String) {
        if !self.all.contains(&record) {
            self.all.push(record);
        }
    }

    fn collect(&mut self, spec: &QuestionSpec, root: Item<'_>) {
        let (places, names) = (spec.places(), names(spec));
        let found = records_in(&places, root);
        if found.is_empty()
            && let Some(list) = listed(spec, root)
        {
            self.add_listed(root, list);
        }
        for (pointer, record) in found {
            self.is_doubtful |= has_failed(root, &pointer);
            let several = record.members().filter(|(key, _)| key.is_string("answers"));
            let several: Vec<Item<'_>> = several.map(|(_, answers)| answers).collect();
            if several.len() > 1 {
                for answers in several {
                    let one = framed(record, raw(answers.source().to_owned()));
                    if let Ok(json) = Json::parse(one.as_bytes()) {
                        self.collect(spec, json.root());
                    }
                }
                continue;
            }
            let is_by_id = |answers: &Item<'_>| {
                let entries = answers.entries();
                answers.kind() == JsonKind::Object
                    && (entries.is_empty() || entries.iter().any(|(id, _)| spec.place_of(id).is_some()))
                    && !entries.iter().any(|(id, _)| spec.place_of(id).is_none() && names.contains_key(id))
            };
            let answers = answers_in(record, &places).filter(|answers| !is_by_id(answers));
            match answers.map(|answers| headed(spec, answers).or_else(|| listed(spec, answers))) {
                Some(Some(list)) => self.add_listed(record, list),
                unread => {
                    self.is_unread |= unread.is_some();
                    self.add(record.source().to_owned());
                }
            }
        }
    }

    fn add_listed(&mut self, record: Item<'_>, (answers, is_whole): (Box<RawValue>, bool)) {
        self.add(framed(record, answers));
        self.is_unread |= !is_whole;
    }
}

/// These answers with the notes of their record.
fn framed(record: Item<'_>, answers: Box<RawValue>) -> String {
    let notes = record.get("_notes").map(|notes| ("_notes", raw(notes.source().to_owned())));
    object([("answers", answers)].into_iter().chain(notes)).get().to_owned()
}

/// Whether the last answer of a text that stops there reaches so far.
fn is_cut(spec: &QuestionSpec, text: &str, cut: Option<usize>) -> bool {
    let (Some(cut), Ok(json)) = (cut, Json::parse(text.as_bytes())) else { return false };
    let places = spec.places();
    let found = records_in(&places, json.root()).pop().and_then(|(_, record)| answers_in(record, &places));
    let answers = found.unwrap_or_else(|| json.root());
    let last = answers.members().map(|(_, value)| value).chain(answers.elements()).last();
    // A bracket that stands there closes what it holds; behind a quotation mark a string may go on.
    let is_open = |last: &Item<'_>| usize::from(!matches!(last.kind(), JsonKind::Array | JsonKind::Object));
    last.is_some_and(|last| last.offset() + last.source().len() + is_open(&last) > cut)
}

/// Whether one of the objects around this place says that it is the answer of a call that failed.
fn has_failed(root: Item<'_>, pointer: &str) -> bool {
    let is_none =
        |error: Item<'_>| matches!(&*error.compact(), "null" | "false" | "0" | "\"\"" | "{}" | "[]");
    let fails = |item: Item<'_>| {
        let is_false = |key| item.get(key).and_then(Item::boolean) == Some(false);
        let is_error = |key| item.get(key).is_some_and(|error| !is_none(error));
        ["ok", "success"].into_iter().any(is_false) || ["error", "errors"].into_iter().any(is_error)
    };
    let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
    ends.filter_map(|end| root.at(&pointer[..end])).any(fails)
}

/// What several objects say under one name.
struct Said<'j> {
    name: JsString,
    /// One of each meaning.
    items: Vec<Item<'j>>,
    meanings: HashSet<Value>,
    /// How many of the objects say anything, and which was the last.
    times: usize,
    last: usize,
}

impl Said<'_> {
    /// Whether so many objects all say the same.
    fn is_agreed(&self, count: usize) -> bool {
        self.items.len() == 1 && self.times == count
    }
}

fn said<'j>(objects: &[Item<'j>]) -> Vec<Said<'j>> {
    let mut places: HashMap<JsString, usize> = HashMap::new();
    let mut out: Vec<Said<'j>> = Vec::new();
    for (at, (name, item)) in
        objects.iter().enumerate().flat_map(|(at, object)| object.members().map(move |member| (at, member)))
    {
        let Some(name) = name.string() else { continue };
        let place = *places.entry(name.clone()).or_insert(out.len());
        if place == out.len() {
            out.push(Said { name, items: Vec::new(), meanings: HashSet::new(), times: 0, last: usize::MAX });
        }
        let said = &mut out[place];
        said.times += usize::from(said.last != at);
        said.last = at;
        if said.meanings.insert(meaning(item)) {
            said.items.push(item);
        }
    }
    out
}

/// What a value means, however it is spelled; the order of a list is none of it.
fn meaning(item: Item<'_>) -> Value {
    match Value::read(item) {
        Value::Many(mut entries) => {
            entries.sort();
            entries.dedup();
            Value::Many(entries)
        }
        other => other,
    }
}

/// The questions by id, header and text, the first of those that share one.
fn names(spec: &QuestionSpec) -> HashMap<JsString, &Question> {
    let mut names = HashMap::new();
    for question in &spec.questions {
        for name in [question.id.as_str().into(), question.header.clone(), question.question.clone()] {
            names.entry(name).or_insert(question);
        }
    }
    names
}

/// Answers that are a list, by question, and whether these are all of it: objects that name their questions, or the answers
/// themselves, one for each question in its order.
pub(super) fn listed(spec: &QuestionSpec, list: Item<'_>) -> Option<(Box<RawValue>, bool)> {
    let names = names(spec);
    let pair = |item: Item<'_>| {
        let question = { ID_KEYS.iter() }.find_map(|key| names.get(&item.text(key)?))?;
        let value = VALUE_KEYS.iter().find_map(|key| item.get(key))?;
        Some((question.id.clone(), raw(value.source().to_owned())))
    };
    let pairs: Vec<_> = list.elements().filter_map(pair).collect();
    if pairs.is_empty() {
        return in_order(spec, list).map(|answers| (answers, true));
    }
    let is_whole = pairs.len() == list.elements().count();
    Some((object(pairs), is_whole))
}

/// The same of answers under the headers or the texts of the questions.
fn headed(spec: &QuestionSpec, answers: Item<'_>) -> Option<(Box<RawValue>, bool)> {
    let questions = names(spec);
    let named = |(name, item): (Item<'_>, Item<'_>)| {
        let name = name.string()?;
        let question =
            spec.place_of(&name).map(|at| &spec.questions[at]).or_else(|| questions.get(&name).copied())?;
        Some((question.id.clone(), raw(item.source().to_owned())))
    };
    let pairs: Vec<_> = answers.members().filter_map(named).collect();
    let is_whole = pairs.len() == answers.members().count();
    (!pairs.is_empty()).then(|| (object(pairs), is_whole))
}

fn in_order(spec: &QuestionSpec, list: Item<'_>) -> Option<Box<RawValue>> {
    let is_words = || list.elements().all(|entry| entry.kind() == JsonKind::String);
    let given: Vec<Item<'_>> = match &*spec.questions {
        [only] if only.kind == Kind::MultiChoice && is_words() => vec![list],
        _ => list.elements().collect(),
    };
    let ids = spec.questions.iter().map(|question| question.id.clone());
    let count = given.len();
    if count != spec.questions.len() {
        return None;
    }
    let answers = object(ids.zip(given.iter().map(|item| raw(item.source().to_owned()))));
    let json = Json::parse(answers.get().as_bytes()).ok()?;
    let fitting = check_answers(spec, json.root(), &mut Vec::new()).len();
    (fitting == count && fits_only_so(spec, &given)).then_some(answers)
}

/// Whether these answers, which fit the questions in their order, fit them in no other: of those that are left, there is always one
/// that fits no question but its own.
fn fits_only_so(spec: &QuestionSpec, given: &[Item<'_>]) -> bool {
    /// Nobody counts further.
    const MOST: usize = 64;
    let fits = |answer: usize, at: usize| answer != at && fits(&spec.questions[at], given[answer]);
    let mut left: Vec<usize> = (0..given.len()).collect();
    let is_only = |left: &[usize], answer| !left.iter().any(|&at| fits(answer, at));
    while let Some(place) = left.iter().position(|&answer| given.len() <= MOST && is_only(&left, answer)) {
        left.remove(place);
    }
    left.is_empty()
}

/// Answers in lines `question: answer`, as YAML and people write them; nothing where a line says something else.
fn in_lines(spec: &QuestionSpec, text: &str) -> Option<String> {
    let names = names(spec);
    let mut said: Vec<(&Question, String)> = Vec::new();
    let mut entries: Vec<String> = Vec::new();
    let is_said =
        |line: &&str| !line.is_empty() && !line.starts_with('#') && *line != "---" && !is_fence(line);
    // The list under a question ends where the next one begins.
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(is_said) {
        let entry = line.strip_prefix("- ").map(str::trim);
        if let Some(entry) = entry.filter(|_| said.last().is_some_and(|(_, value)| value.is_empty())) {
            entries.push(scalar(entry)?);
            continue;
        }
        end_list(&mut said, &mut entries)?;
        let (name, value) = entry.unwrap_or(line).split_once([':', '：'])?;
        let (name, value) = (name.trim().trim_matches(['"', '\'', '*']), value.trim());
        match names.get(&name.into()).copied() {
            Some(question) if said.iter().any(|(known, _)| known.id == question.id) => return None,
            Some(question) => {
                said.push((question, if value.is_empty() { String::new() } else { flow(value)? }));
            }
            None if RECORD_KEYS.contains(&name) && (name != "answers" || value.is_empty()) => {}
            None => return None,
        }
    }
    end_list(&mut said, &mut entries)?;
    let pairs: Vec<_> = said.into_iter().map(|(question, value)| (question.id.clone(), raw(value))).collect();
    (!pairs.is_empty()).then(|| object([("answers", object(pairs))]).get().to_owned())
}

/// Gives the question before the list under it; nothing where it has neither.
fn end_list(said: &mut [(&Question, String)], entries: &mut Vec<String>) -> Option<()> {
    if let Some((_, value)) = said.last_mut().filter(|(_, value)| value.is_empty()) {
        *value = (!entries.is_empty()).then(|| format!("[{}]", entries.join(",")))?;
    }
    entries.clear();
    Some(())
}

/// A value of YAML on its line, as JSON.
fn flow(value: &str) -> Option<String> {
    let Some(list) = value.strip_prefix('[') else { return scalar(value) };
    if Json::parse(value.as_bytes()).is_ok() {
        return Some(value.to_owned());
    }
    let entries: Option<Vec<String>> =
        list.strip_suffix(']')?.split([',', '，']).map(|entry| scalar(entry.trim())).collect();
    Some(format!("[{}]", entries?.join(",")))
}

/// One value of YAML, as a string of JSON; nothing where it is only a part of one, or has a meaning of its own there.
fn scalar(value: &str) -> Option<String> {
    let is_plain = || !value.starts_with(['|', '>', '&', '*', '!', '{', '[', '%', '@', '`', '\'', '"']);
    match value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inside) => Some(to_line(&inside.replace("''", "'"))),
        None if value.starts_with('"') => serde_json::from_str(value).ok().map(|text: String| to_line(&text)),
        None => (is_plain() && !value.is_empty() && !value.contains(" #")).then(|| to_line(value)),
    }
}

/// A string or a list of strings; anything else as it is written, shortened.
fn recorded_answer(item: Item<'_>) -> Value {
    let value = Value::read(item);
    if value.strings().is_empty() { Value::Other(shorten(&value.json())) } else { value }
}
