//! JSON to packets, by the rules of novel-writer-cli 0.5.0, collecting every violation.
//!
//! Responsible for the verdict on a packet and its `QuestionSpec`: legal exactly when the reference finds no fault, but
//! where the reference stops at the first fault, all of them are found. Not responsible for records (`check`) nor for
//! where an `answer_path` leads on disk (`store`).

use super::js_string::JsString;
use super::json::{Item, Json, Kind as JsonKind};
use super::packet::{ExpectedOutput, Gate, Packet};
use super::place::Place;
use super::problem::{Expected, Found, Problem, ProblemKind, shorten};
use super::problems::Problems;
use super::question::{Choice, Kind, Question, QuestionSpec, label_places};
use std::collections::HashSet;

/// The members of a packet that are ever looked at; the rest, `manifest` above all, is checked and forgotten.
const PACKET_KEYS: [&str; 6] =
    ["step", "agent", "novel_ask", "answer_path", "expected_outputs", "next_actions"];
const SPEC_KEYS: [&str; 3] = ["version", "topic", "questions"];
const TEXT_KEYS: [&str; 5] = ["id", "header", "question", "kind", "required"];
const CHOICE_KEYS: [&str; 8] =
    ["id", "header", "question", "kind", "required", "options", "allow_other", "default"];
const OPTION_KEYS: [&str; 2] = ["label", "description"];

/// Reads a packet.
///
/// # Errors
/// Every violation, up to a thousand, in document order as far as it goes.
pub fn decode_packet(bytes: &[u8]) -> Result<Packet, Vec<Problem>> {
    let json = Json::parse_keeping(bytes, &PACKET_KEYS).map_err(|error| vec![syntax(error)])?;
    decode_root(json.root())
}

/// Reads a packet, and gives what its `novel_ask` is exactly, members that begin with `_` included: JSON on one line.
/// Nothing without a gate.
///
/// # Errors
/// As for [`decode_packet`].
pub fn decode_packet_as_written(bytes: &[u8]) -> Result<(Packet, Option<String>), Vec<Problem>> {
    let json = Json::parse_keeping(bytes, &PACKET_KEYS).map_err(|error| vec![syntax(error)])?;
    let packet = decode_root(json.root())?;
    let asked = packet.gate.as_ref().and_then(|_| json.root().get("novel_ask")).map(Item::compact);
    Ok((packet, asked))
}

fn decode_root(root: Item<'_>) -> Result<Packet, Vec<Problem>> {
    let mut problems = Problems::default();
    if !require_object(root, &Place::ROOT, &mut problems) {
        return Err(problems.into_list());
    }
    let gate = decode_gate(root, &mut problems);
    if !problems.is_empty() {
        return Err(problems.into_list());
    }
    Ok(Packet {
        step: words(root, "step"),
        agent: root.get("agent").and_then(|agent| agent.string().or_else(|| words(agent, "name"))),
        expected_outputs: list(root, "expected_outputs").filter_map(expected_output).collect(),
        next_actions: list(root, "next_actions")
            .filter_map(|action| action.string().or_else(|| words(action, "command")))
            .collect(),
        gate,
    })
}

/// Whether a `*.json` file under `staging/` is a packet at all: an object with `novel_ask` or `answer_path`.
pub fn looks_like_gate(bytes: &[u8]) -> bool {
    Json::parse_keeping(bytes, &["novel_ask", "answer_path"])
        .is_ok_and(|json| json.root().get("novel_ask").is_some() || json.root().get("answer_path").is_some())
}

/// Reads a bare `QuestionSpec`.
///
/// # Errors
/// Every violation, up to a thousand.
pub fn decode_spec(bytes: &[u8]) -> Result<QuestionSpec, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![syntax(error)])?;
    let mut problems = Problems::default();
    match spec(json.root(), &Place::ROOT, &mut problems) {
        Some(spec) if problems.is_empty() => Ok(spec),
        _ => Err(problems.into_list()),
    }
}

/// A syntax error as the one problem of a document.
pub(crate) fn syntax(error: super::json::SyntaxError) -> Problem {
    Problem::new("", ProblemKind::Syntax(error))
}

fn words(object: Item<'_>, key: &str) -> Option<JsString> {
    object.get(key)?.string()
}

fn list<'j>(object: Item<'j>, key: &str) -> impl Iterator<Item = Item<'j>> {
    object.get(key).into_iter().flat_map(Item::elements)
}

fn expected_output(item: Item<'_>) -> Option<ExpectedOutput> {
    let path = item.string().or_else(|| words(item, "path"))?;
    Some(ExpectedOutput { path, required: item.get("required").and_then(Item::boolean).unwrap_or(false) })
}

fn decode_gate(root: Item<'_>, problems: &mut Problems) -> Option<Gate> {
    let ask_at = Place::ROOT.key("novel_ask");
    match (root.get("novel_ask"), root.get("answer_path")) {
        (None, None) => None,
        (Some(ask), None) => {
            problems.push(&Place::ROOT, ProblemKind::NoAnswerPath);
            spec(ask, &ask_at, problems);
            None
        }
        (None, Some(path)) => {
            problems.push(&Place::ROOT, ProblemKind::NoQuestions);
            answer_path(path, problems);
            None
        }
        (Some(ask), Some(path)) => {
            let answer_path = answer_path(path, problems);
            let spec = spec(ask, &ask_at, problems);
            Some(Gate { spec: spec?, answer_path: answer_path? })
        }
    }
}

/// The lexical rules for an answer path: not blank, relative, no `..` segment (`\` separates too).
fn answer_path(item: Item<'_>, problems: &mut Problems) -> Option<JsString> {
    let at = Place::ROOT.key("answer_path");
    let Some(path) = item.string().filter(|path| !path.is_blank()) else {
        problems.push(&at, wrong(Expected::Path, Some(item)));
        return None;
    };
    let shown = path.lossy();
    let climbs = shown.split(['/', '\\']).any(|segment| segment == "..");
    let absolute = shown.starts_with('/');
    if climbs {
        problems.push(&at, ProblemKind::PathTraversal(path.clone()));
    }
    if absolute {
        problems.push(&at, ProblemKind::AbsolutePath(path.clone()));
    }
    (!climbs && !absolute).then_some(path)
}

fn spec(item: Item<'_>, at: &Place<'_>, problems: &mut Problems) -> Option<QuestionSpec> {
    if !require_object(item, at, problems) {
        return None;
    }
    check_keys(item, &SPEC_KEYS, at, problems);
    let version = require_version(item, at, problems);
    let topic = require_words(item, "topic", at, problems);
    let list_at = at.key("questions");
    let mut questions = Vec::new();
    let mut ids = HashSet::new();
    for (i, raw) in require_list(item.get("questions"), &list_at, problems).enumerate() {
        let at = list_at.index(i);
        if let Some(question) = question(raw, &at, problems) {
            if !ids.insert(question.id.clone()) {
                problems.push(&at.key("id"), ProblemKind::DuplicateId(question.id.clone()));
            }
            questions.push(question);
        }
    }
    Some(QuestionSpec { version: version?, topic: topic?, questions })
}

fn question(item: Item<'_>, at: &Place<'_>, problems: &mut Problems) -> Option<Question> {
    if !require_object(item, at, problems) {
        return None;
    }
    let id = require_words(item, "id", at, problems).filter(|id| {
        let good = is_snake_case(id);
        if !good {
            problems.push(&at.key("id"), ProblemKind::NotSnakeCase(id.clone()));
        }
        good
    });
    let header = require_words(item, "header", at, problems);
    let words = require_words(item, "question", at, problems);
    let kind =
        item.get("kind").and_then(|name| Kind::ALL.into_iter().find(|kind| name.is_string(kind.name())));
    if kind.is_none() {
        problems.push(&at.key("kind"), wrong(Expected::QuestionKind, item.get("kind")));
    }
    let required = require_boolean(item.get("required"), &at.key("required"), problems);
    let choices = match kind {
        Some(Kind::FreeText) => {
            check_keys(item, &TEXT_KEYS, at, problems);
            Choices::default()
        }
        // Of an unknown kind nothing more can be said than that its keys are no keys at all.
        None => {
            check_keys(item, &CHOICE_KEYS, at, problems);
            Choices::default()
        }
        Some(kind) => choices(kind, item, at, problems),
    };
    Some(Question {
        id: id?.lossy().into_owned(),
        header: header?,
        question: words?,
        kind: kind?,
        required: required?,
        options: choices.options,
        allow_other: choices.allow_other,
        default: choices.default,
    })
}

/// What a choice question has and a free-text one has not.
#[derive(Default)]
struct Choices {
    options: Vec<Choice>,
    allow_other: bool,
    default: Vec<usize>,
}

fn choices(kind: Kind, item: Item<'_>, at: &Place<'_>, problems: &mut Problems) -> Choices {
    check_keys(item, &CHOICE_KEYS, at, problems);
    let options = decode_options(item.get("options"), &at.key("options"), problems);
    let other = item.get("allow_other");
    let allow_other = other.and_then(|raw| require_boolean(Some(raw), &at.key("allow_other"), problems));
    let default = match item.get("default") {
        Some(raw) => decode_default(kind, raw, &options, &at.key("default"), problems),
        None => Vec::new(),
    };
    Choices { options, allow_other: allow_other.unwrap_or(false), default }
}

fn decode_options(raw: Option<Item<'_>>, list_at: &Place<'_>, problems: &mut Problems) -> Vec<Choice> {
    let mut options = Vec::new();
    // Of each option its place in the list, where options with mistakes are left out.
    let mut indices = Vec::new();
    for (i, raw) in require_list(raw, list_at, problems).enumerate() {
        let at = list_at.index(i);
        if !require_object(raw, &at, problems) {
            continue;
        }
        check_keys(raw, &OPTION_KEYS, &at, problems);
        let label = require_words(raw, "label", &at, problems);
        let description = require_words(raw, "description", &at, problems);
        if let Some(label) = label {
            let cluster = raw.get("_cluster").and_then(Item::string).filter(|name| !name.is_blank());
            options.push(Choice { label, description: description.unwrap_or_default(), cluster });
            indices.push(i);
        }
    }
    let mut labels = HashSet::with_capacity(options.len());
    let twice: Vec<usize> =
        (0..options.len()).filter(|&place| !labels.insert(&options[place].label)).collect();
    for &place in &twice {
        let label = options[place].label.clone();
        problems.push(&list_at.index(indices[place]).key("label"), ProblemKind::DuplicateLabel(label));
    }
    options
}

fn decode_default(
    kind: Kind,
    raw: Item<'_>,
    options: &[Choice],
    at: &Place<'_>,
    problems: &mut Problems,
) -> Vec<usize> {
    if kind == Kind::SingleChoice {
        let find = |label: &JsString| options.iter().position(|option| option.label == *label);
        return default_entry(raw, options, find, at, problems).into_iter().collect();
    }
    let places = label_places(options);
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for (i, item) in require_list(Some(raw), at, problems).enumerate() {
        let here = at.index(i);
        let find = |label: &JsString| places.get(label).copied();
        let Some(place) = default_entry(item, options, find, &here, problems) else { continue };
        if seen.insert(place) {
            out.push(place);
        } else {
            problems.push(&here, ProblemKind::DuplicateEntry(options[place].label.clone()));
        }
    }
    out
}

fn default_entry(
    item: Item<'_>,
    options: &[Choice],
    find: impl Fn(&JsString) -> Option<usize>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<usize> {
    let label = require_string(Some(item), at, problems)?;
    let place = find(&label);
    if place.is_none() {
        problems.push_with(at, |hint| {
            let near = if hint { nearest_label(&label, options) } else { None };
            ProblemKind::DefaultNotAnOption(label, near)
        });
    }
    place
}

/// The label that was probably meant.
pub(super) fn nearest_label(wanted: &JsString, options: &[Choice]) -> Option<JsString> {
    let heads = options.iter().map(|option| option.label.head(super::NEAR_HEAD));
    super::nearest(wanted, heads).map(|place| options[place].label.clone())
}

/// Whether an id is `^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$`.
pub fn is_snake_case(id: &JsString) -> bool {
    id.as_str().is_some_and(|id| {
        id.starts_with(|c: char| c.is_ascii_lowercase())
            && id.split('_').all(|part| {
                !part.is_empty()
                    && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            })
    })
}

pub(super) fn check_keys(
    object: Item<'_>,
    known: &'static [&'static str],
    at: &Place<'_>,
    problems: &mut Problems,
) {
    let mut unknown = HashSet::new();
    for (key, _) in object.members() {
        if known.iter().any(|name| key.is_string(name)) {
            continue;
        }
        let Some(key) = key.string() else { continue };
        if key.head(1) != "_" && unknown.insert(key.clone()) {
            problems.push(&at.name(&key), ProblemKind::UnknownField(key.clone(), known));
        }
    }
}

pub(super) fn wrong(expected: Expected, item: Option<Item<'_>>) -> ProblemKind {
    let found = match item {
        None => Found::Nothing,
        Some(item) if item.string().is_some_and(|text| text.is_blank()) => Found::Blank,
        Some(item) if item.kind() == JsonKind::Array && item.elements().next().is_none() => Found::EmptyList,
        Some(item) => Found::Source(shorten(item.source())),
    };
    ProblemKind::Value(expected, found)
}

pub(super) fn require_object(item: Item<'_>, at: &Place<'_>, problems: &mut Problems) -> bool {
    let good = item.kind() == JsonKind::Object;
    if !good {
        problems.push(at, wrong(Expected::Object, Some(item)));
    }
    good
}

pub(super) fn require_version(object: Item<'_>, at: &Place<'_>, problems: &mut Problems) -> Option<f64> {
    let item = object.get("version");
    let version = item.and_then(Item::number).filter(|v| v.is_finite() && v.fract() == 0.0 && *v >= 1.0);
    if version.is_none() {
        problems.push(&at.key("version"), wrong(Expected::Version, item));
    }
    version
}

pub(super) fn require_words(
    object: Item<'_>,
    key: &str,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<JsString> {
    require_string(object.get(key), &at.key(key), problems)
}

pub(super) fn require_string(
    item: Option<Item<'_>>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<JsString> {
    let text = item.and_then(Item::string).filter(|text| !text.is_blank());
    if text.is_none() {
        problems.push(at, wrong(Expected::Words, item));
    }
    text
}

fn require_boolean(item: Option<Item<'_>>, at: &Place<'_>, problems: &mut Problems) -> Option<bool> {
    let value = item.and_then(Item::boolean);
    if value.is_none() {
        problems.push(at, wrong(Expected::Boolean, item));
    }
    value
}

/// The elements of a list that must have some.
fn require_list<'j>(
    item: Option<Item<'j>>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> impl Iterator<Item = Item<'j>> + use<'j> {
    let mut elements = item.into_iter().flat_map(Item::elements).peekable();
    if elements.peek().is_none() {
        problems.push(at, wrong(Expected::List, item));
    }
    elements
}

#[cfg(test)]
mod tests;
