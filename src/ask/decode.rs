//! JSON to packets, by the rules of novel-writer-cli 0.5.0, collecting every violation.
//!
//! Responsible for the verdict on a packet and its `QuestionSpec`: legal exactly when the reference finds no fault, but
//! where the reference stops at the first fault, all of them are found. Not responsible for records (`check`) nor for
//! where an `answer_path` leads on disk (`store`).

use super::js_string::JsString;
use super::json::{Item, Json, Kind as JsonKind};
use super::packet::{ExpectedOutput, Gate, Packet};
use super::problem::{Expected, Found, Problem, ProblemKind, shorten};
use super::question::{Choice, Kind, Question, QuestionSpec};
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
/// Every violation, in document order as far as it goes.
pub fn decode_packet(bytes: &[u8]) -> Result<Packet, Vec<Problem>> {
    let json = Json::parse_keeping(bytes, &PACKET_KEYS).map_err(|error| vec![syntax(error)])?;
    let root = json.root();
    if root.kind() != JsonKind::Object {
        return Err(vec![wrong("", Expected::Object, Some(root))]);
    }
    let mut problems = Vec::new();
    let gate = decode_gate(root, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Packet {
        step: words(root, "step"),
        agent: root.get("agent").and_then(|agent| agent.string().or_else(|| words(agent, "name"))),
        expected_outputs: list(root, "expected_outputs").into_iter().filter_map(expected_output).collect(),
        next_actions: list(root, "next_actions")
            .into_iter()
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
/// Every violation.
pub fn decode_spec(bytes: &[u8]) -> Result<QuestionSpec, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![syntax(error)])?;
    let mut problems = Vec::new();
    match spec(json.root(), "", &mut problems) {
        Some(spec) if problems.is_empty() => Ok(spec),
        _ => Err(problems),
    }
}

/// A syntax error as the one problem of a document.
pub(super) fn syntax(error: super::json::SyntaxError) -> Problem {
    Problem::new("", ProblemKind::Syntax(error))
}

fn words(object: Item<'_>, key: &str) -> Option<JsString> {
    object.get(key)?.string()
}

fn list<'j>(object: Item<'j>, key: &str) -> Vec<Item<'j>> {
    object.get(key).map(|item| item.elements().collect()).unwrap_or_default()
}

fn expected_output(item: Item<'_>) -> Option<ExpectedOutput> {
    let path = item.string().or_else(|| words(item, "path"))?;
    Some(ExpectedOutput { path, required: item.get("required").and_then(Item::boolean).unwrap_or(false) })
}

fn decode_gate(root: Item<'_>, problems: &mut Vec<Problem>) -> Option<Gate> {
    match (root.get("novel_ask"), root.get("answer_path")) {
        (None, None) => None,
        (Some(ask), None) => {
            problems.push(Problem::new("", ProblemKind::NoAnswerPath));
            spec(ask, "/novel_ask", problems);
            None
        }
        (None, Some(path)) => {
            problems.push(Problem::new("", ProblemKind::NoQuestions));
            answer_path(path, problems);
            None
        }
        (Some(ask), Some(path)) => {
            let answer_path = answer_path(path, problems);
            let spec = spec(ask, "/novel_ask", problems);
            Some(Gate { spec: spec?, answer_path: answer_path? })
        }
    }
}

/// The lexical rules for an answer path: not blank, relative, no `..` segment (`\` separates too).
fn answer_path(item: Item<'_>, problems: &mut Vec<Problem>) -> Option<JsString> {
    let pointer = "/answer_path";
    let Some(path) = item.string().filter(|path| !path.is_blank()) else {
        problems.push(wrong(pointer, Expected::Path, Some(item)));
        return None;
    };
    let shown = path.lossy();
    let climbs = shown.split(['/', '\\']).any(|segment| segment == "..");
    let absolute = shown.starts_with('/');
    if climbs {
        problems.push(Problem::new(pointer, ProblemKind::PathTraversal(path.clone())));
    }
    if absolute {
        problems.push(Problem::new(pointer, ProblemKind::AbsolutePath(path.clone())));
    }
    (!climbs && !absolute).then_some(path)
}

fn spec(item: Item<'_>, at: &str, problems: &mut Vec<Problem>) -> Option<QuestionSpec> {
    if !require_object(item, at, problems) {
        return None;
    }
    check_keys(item, &SPEC_KEYS, at, problems);
    let version = require_version(item, at, problems);
    let topic = require_words(item, "topic", at, problems);
    let place = format!("{at}/questions");
    let mut questions = Vec::new();
    let mut ids = HashSet::new();
    for (i, raw) in require_list(item.get("questions"), &place, problems).into_iter().enumerate() {
        if let Some(question) = question(raw, &format!("{place}/{i}"), problems) {
            if !ids.insert(question.id.clone()) {
                problems.push(Problem::new(
                    format!("{place}/{i}/id"),
                    ProblemKind::DuplicateId(question.id.clone()),
                ));
            }
            questions.push(question);
        }
    }
    Some(QuestionSpec { version: version?, topic: topic?, questions })
}

fn question(item: Item<'_>, at: &str, problems: &mut Vec<Problem>) -> Option<Question> {
    if !require_object(item, at, problems) {
        return None;
    }
    let id = require_words(item, "id", at, problems).filter(|id| {
        let good = is_snake_case(id);
        if !good {
            problems.push(Problem::new(format!("{at}/id"), ProblemKind::NotSnakeCase(id.clone())));
        }
        good
    });
    let header = require_words(item, "header", at, problems);
    let words = require_words(item, "question", at, problems);
    let kind = item.get("kind").and_then(Item::string).and_then(|name| Kind::from_name(&name));
    if kind.is_none() {
        problems.push(wrong(&format!("{at}/kind"), Expected::QuestionKind, item.get("kind")));
    }
    let required = require_boolean(item.get("required"), &format!("{at}/required"), problems);
    let mut options = Vec::new();
    let mut allow_other = false;
    let mut default = Vec::new();
    match kind {
        Some(Kind::FreeText) => check_keys(item, &TEXT_KEYS, at, problems),
        // Of an unknown kind nothing more can be said than that its keys are no keys at all.
        None => check_keys(item, &CHOICE_KEYS, at, problems),
        Some(kind) => {
            check_keys(item, &CHOICE_KEYS, at, problems);
            options = decode_options(item.get("options"), &format!("{at}/options"), problems);
            if let Some(raw) = item.get("allow_other") {
                allow_other =
                    require_boolean(Some(raw), &format!("{at}/allow_other"), problems).unwrap_or(false);
            }
            if let Some(raw) = item.get("default") {
                default = decode_default(kind, raw, &options, &format!("{at}/default"), problems);
            }
        }
    }
    Some(Question {
        id: id?.lossy().into_owned(),
        header: header?,
        question: words?,
        kind: kind?,
        required: required?,
        options,
        allow_other,
        default,
    })
}

fn decode_options(raw: Option<Item<'_>>, at: &str, problems: &mut Vec<Problem>) -> Vec<Choice> {
    let mut options = Vec::new();
    let mut labels = HashSet::new();
    for (i, raw) in require_list(raw, at, problems).into_iter().enumerate() {
        let here = format!("{at}/{i}");
        if !require_object(raw, &here, problems) {
            continue;
        }
        check_keys(raw, &OPTION_KEYS, &here, problems);
        let label = require_words(raw, "label", &here, problems);
        let description = require_words(raw, "description", &here, problems);
        let Some(label) = label else { continue };
        if labels.insert(label.clone()) {
            options.push(Choice { label, description: description.unwrap_or_default() });
        } else {
            problems.push(Problem::new(format!("{here}/label"), ProblemKind::DuplicateLabel(label)));
        }
    }
    options
}

fn decode_default(
    kind: Kind,
    raw: Item<'_>,
    options: &[Choice],
    at: &str,
    problems: &mut Vec<Problem>,
) -> Vec<usize> {
    let labels: std::collections::HashMap<&JsString, usize> =
        options.iter().enumerate().map(|(i, option)| (&option.label, i)).collect();
    let mut find = |item: Item<'_>, at: &str| {
        let label = require_string(Some(item), at, problems)?;
        let place = labels.get(&label).copied();
        if place.is_none() {
            let near = super::nearest(&label, options.iter().map(|option| &option.label)).cloned();
            problems.push(Problem::new(at, ProblemKind::DefaultNotAnOption(label, near)));
        }
        place
    };
    if kind == Kind::SingleChoice {
        return find(raw, at).into_iter().collect();
    }
    let places: Vec<Option<usize>> =
        raw.elements().enumerate().map(|(i, item)| find(item, &format!("{at}/{i}"))).collect();
    if places.is_empty() {
        problems.push(wrong(at, Expected::List, Some(raw)));
    }
    let mut out = Vec::new();
    for (i, place) in places.into_iter().enumerate() {
        let Some(place) = place else { continue };
        if out.contains(&place) {
            let label = options[place].label.clone();
            problems.push(Problem::new(format!("{at}/{i}"), ProblemKind::DuplicateEntry(label)));
        } else {
            out.push(place);
        }
    }
    out
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

/// A key as one step of a JSON pointer.
pub(super) fn pointer_step(key: &JsString) -> String {
    key.display().replace('~', "~0").replace('/', "~1")
}

pub(super) fn check_keys(
    object: Item<'_>,
    known: &'static [&'static str],
    at: &str,
    problems: &mut Vec<Problem>,
) {
    for (key, _) in object.entries() {
        let ignored = key.display().starts_with('_');
        if !ignored && !known.iter().any(|name| key == *name) {
            let pointer = format!("{at}/{}", pointer_step(&key));
            problems.push(Problem::new(pointer, ProblemKind::UnknownField(key, known)));
        }
    }
}

pub(super) fn wrong(at: &str, expected: Expected, item: Option<Item<'_>>) -> Problem {
    let found = match item {
        None => Found::Nothing,
        Some(item) if item.string().is_some_and(|text| text.is_blank()) => Found::Blank,
        Some(item) if item.kind() == JsonKind::Array && item.elements().next().is_none() => Found::EmptyList,
        Some(item) => Found::Source(shorten(item.source())),
    };
    Problem::new(at, ProblemKind::Value(expected, found))
}

pub(super) fn require_object(item: Item<'_>, at: &str, problems: &mut Vec<Problem>) -> bool {
    let good = item.kind() == JsonKind::Object;
    if !good {
        problems.push(wrong(at, Expected::Object, Some(item)));
    }
    good
}

pub(super) fn require_version(object: Item<'_>, at: &str, problems: &mut Vec<Problem>) -> Option<f64> {
    let item = object.get("version");
    let version = item.and_then(Item::number).filter(|v| v.is_finite() && v.fract() == 0.0 && *v >= 1.0);
    if version.is_none() {
        problems.push(wrong(&format!("{at}/version"), Expected::Version, item));
    }
    version
}

pub(super) fn require_words(
    object: Item<'_>,
    key: &str,
    at: &str,
    problems: &mut Vec<Problem>,
) -> Option<JsString> {
    require_string(object.get(key), &format!("{at}/{key}"), problems)
}

pub(super) fn require_string(
    item: Option<Item<'_>>,
    at: &str,
    problems: &mut Vec<Problem>,
) -> Option<JsString> {
    let text = item.and_then(Item::string).filter(|text| !text.is_blank());
    if text.is_none() {
        problems.push(wrong(at, Expected::Words, item));
    }
    text
}

fn require_boolean(item: Option<Item<'_>>, at: &str, problems: &mut Vec<Problem>) -> Option<bool> {
    let value = item.and_then(Item::boolean);
    if value.is_none() {
        problems.push(wrong(at, Expected::Boolean, item));
    }
    value
}

fn require_list<'j>(item: Option<Item<'j>>, at: &str, problems: &mut Vec<Problem>) -> Vec<Item<'j>> {
    let elements: Vec<Item<'j>> = item.map(|item| item.elements().collect()).unwrap_or_default();
    if elements.is_empty() {
        problems.push(wrong(at, Expected::List, item));
    }
    elements
}
