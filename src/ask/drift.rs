//! What has changed between two forms of the same questions.
//!
//! Responsible for finding every difference that a record or its author could notice, and for saying it. Not
//! responsible for what a change means to a record (`cause`) nor to a half-made answer (`draft`).

use super::js_string::{JsString, js_number};
use super::problem::quote;
use super::question::{Choice, Kind, Question, QuestionSpec, label_places};
use crate::text::{Lang, say};
use std::collections::{HashMap, HashSet};

/// One difference between an earlier form of a gate's questions and a later one.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Id of the question it concerns, as the later form spells it if it still has it; `None` for the whole gate.
    pub question: Option<String>,
    /// That question's header.
    pub header: Option<JsString>,
    /// What is different.
    pub kind: ChangeKind,
}

/// The ways in which questions change. Where two values stand, the earlier one comes first.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// Another version.
    Version(f64, f64),
    /// Another topic.
    Topic(JsString, JsString),
    /// The questions stand in another order.
    Order,
    /// The question was not asked before.
    Added,
    /// The question is not asked any more.
    Removed,
    /// The same question had this id before.
    Renamed(String),
    /// The question or its header reads differently: the question, before and now.
    Reworded(JsString, JsString),
    /// Another kind of answer.
    Kind(Kind, Kind),
    /// Whether it must be answered now.
    Required(bool),
    /// An option is new.
    OptionAdded(JsString),
    /// An option is gone.
    OptionRemoved(JsString),
    /// An option has another label and still means the same.
    OptionRenamed(JsString, JsString),
    /// An option's description reads differently.
    OptionReworded(JsString),
    /// The options stand in another order.
    OptionOrder,
    /// Whether answers outside the options are allowed now.
    Other(bool),
    /// Another default.
    Default,
}

impl ChangeKind {
    /// Stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            ChangeKind::Version(..) => "version",
            ChangeKind::Topic(..) => "topic",
            ChangeKind::Order => "order",
            ChangeKind::Added => "question-added",
            ChangeKind::Removed => "question-removed",
            ChangeKind::Renamed(_) => "question-renamed",
            ChangeKind::Reworded(..) => "question-reworded",
            ChangeKind::Kind(..) => "kind",
            ChangeKind::Required(_) => "required",
            ChangeKind::OptionAdded(_) => "option-added",
            ChangeKind::OptionRemoved(_) => "option-removed",
            ChangeKind::OptionRenamed(..) => "option-renamed",
            ChangeKind::OptionReworded(_) => "option-reworded",
            ChangeKind::OptionOrder => "option-order",
            ChangeKind::Other(_) => "allow-other",
            ChangeKind::Default => "default",
        }
    }
}

impl Change {
    fn of(question: &Question, kind: ChangeKind) -> Change {
        Change { question: Some(question.id.clone()), header: Some(question.header.clone()), kind }
    }

    fn of_gate(kind: ChangeKind) -> Change {
        Change { question: None, header: None, kind }
    }

    /// The change in a sentence. It quotes the packet: clean it before drawing.
    pub fn text(&self, lang: Lang) -> String {
        use ChangeKind as C;
        let name = self.name();
        let told = |en, zh, parts: &[&str]| say(en, zh).fill(lang, parts);
        match &self.kind {
            C::Version(before, now) => told(
                "The gate's version was {0} and is {1} now.",
                "门控的版本原为 {0}，现为 {1}。",
                &[&js_number(*before), &js_number(*now)],
            ),
            C::Topic(before, now) => told(
                "The gate's topic was {0} and is {1} now.",
                "门控的主题原为 {0}，现为 {1}。",
                &[&quote(before), &quote(now)],
            ),
            C::Order => told("The questions stand in another order.", "问题的顺序变了。", &[]),
            C::Added => told("{0} is a new question.", "新增了问题 {0}。", &[&name]),
            C::Removed => told("{0} is not asked any more.", "不再问 {0}。", &[&name]),
            C::Renamed(before) => {
                told("{0} had the id {1} before.", "{0} 的 id 原为 {1}。", &[&name, before])
            }
            C::Reworded(before, now) if before == now => {
                told("{0} has another header now.", "{0} 的标题变了。", &[&name])
            }
            C::Reworded(before, _) => told(
                "{0} reads differently; before: {1}",
                "{0} 的措辞变了；原为：{1}",
                &[&name, &quote(before)],
            ),
            C::Kind(before, now) => told(
                "{0} was {1} and is {2} now.",
                "{0} 原为{3}，现为{4}。",
                &[
                    &name,
                    kind(*before, Lang::En),
                    kind(*now, Lang::En),
                    kind(*before, Lang::ZhCn),
                    kind(*now, Lang::ZhCn),
                ],
            ),
            C::Required(true) => told("{0} must be answered now.", "{0} 现在必答。", &[&name]),
            C::Required(false) => told("{0} may be left blank now.", "{0} 现在可以留空。", &[&name]),
            C::Other(true) => told(
                "{0} takes answers outside its options now.",
                "{0} 现在可以填写选项以外的回答。",
                &[&name],
            ),
            C::Other(false) => told("{0} takes only its options now.", "{0} 现在只能从选项中选。", &[&name]),
            C::Default => told("{0} has another default now.", "{0} 的默认选项变了。", &[&name]),
            C::OptionAdded(_)
            | C::OptionRemoved(_)
            | C::OptionRenamed(..)
            | C::OptionReworded(_)
            | C::OptionOrder => self.option_text(&name, lang),
        }
    }

    fn option_text(&self, name: &str, lang: Lang) -> String {
        use ChangeKind as C;
        let told = |en, zh, parts: &[&str]| say(en, zh).fill(lang, parts);
        match &self.kind {
            C::OptionAdded(label) => {
                told("{0} has the new option {1}.", "{0} 新增了选项 {1}。", &[name, &quote(label)])
            }
            C::OptionRemoved(label) => {
                told("{0} no longer offers {1}.", "{0} 不再提供选项 {1}。", &[name, &quote(label)])
            }
            C::OptionRenamed(before, now) => told(
                "{0}: the option {1} is called {2} now.",
                "{0}：选项 {1} 现在叫 {2}。",
                &[name, &quote(before), &quote(now)],
            ),
            C::OptionReworded(label) => told(
                "{0}: the option {1} is described differently.",
                "{0}：选项 {1} 的说明变了。",
                &[name, &quote(label)],
            ),
            _ => told("The options of {0} stand in another order.", "{0} 的选项顺序变了。", &[name]),
        }
    }

    fn name(&self) -> String {
        let id = self.question.as_deref().unwrap_or_default();
        question_name(id, self.header.as_ref())
    }
}

/// A question as sentences call it: its header and its id.
pub(super) fn question_name(id: &str, header: Option<&JsString>) -> String {
    match header {
        Some(header) => format!("{} ({id})", quote(header)),
        None => id.to_owned(),
    }
}

/// A kind of answer as sentences call it.
pub(super) fn kind(kind: Kind, lang: Lang) -> &'static str {
    let sentence = match kind {
        Kind::SingleChoice => say("a single choice", "单选"),
        Kind::MultiChoice => say("a multiple choice", "多选"),
        Kind::FreeText => say("free text", "文本"),
    };
    sentence.text(lang)
}

/// Every difference, the gate's own first, then question by question in the later order, then what is gone. Empty
/// exactly when both ask the same.
#[expect(clippy::float_cmp, reason = "versions are compared as the reference compares them")]
pub fn drift(before: &QuestionSpec, now: &QuestionSpec) -> Vec<Change> {
    let mut out = Vec::new();
    if before.version != now.version {
        out.push(Change::of_gate(ChangeKind::Version(before.version, now.version)));
    }
    if before.topic != now.topic {
        out.push(Change::of_gate(ChangeKind::Topic(before.topic.clone(), now.topic.clone())));
    }
    let pairs = pair_questions(before, now);
    if !is_rising(pairs.iter().flatten()) {
        out.push(Change::of_gate(ChangeKind::Order));
    }
    for (question, pair) in now.questions.iter().zip(&pairs) {
        match pair {
            Some(place) => compare_questions(&before.questions[*place], question, &mut out),
            None => out.push(Change::of(question, ChangeKind::Added)),
        }
    }
    let kept: HashSet<usize> = pairs.into_iter().flatten().collect();
    let gone = before.questions.iter().enumerate().filter(|(place, _)| !kept.contains(place));
    out.extend(gone.map(|(_, question)| Change::of(question, ChangeKind::Removed)));
    out
}

/// For each later question, the place of its earlier form: by id, else by the same words and kind under an id that is
/// gone.
fn pair_questions(before: &QuestionSpec, now: &QuestionSpec) -> Vec<Option<usize>> {
    let (places, still) = (before.places(), now.places());
    let gone = before.questions.iter().enumerate().filter(|(_, old)| !still.contains_key(old.id.as_str()));
    let mut lost: HashMap<(&JsString, &str), usize> =
        gone.map(|(place, old)| ((&old.question, old.kind.name()), place)).collect();
    let mut pairs = Vec::with_capacity(now.questions.len());
    for question in &now.questions {
        let same_id = places.get(question.id.as_str()).copied();
        pairs.push(same_id.or_else(|| lost.remove(&(&question.question, question.kind.name()))));
    }
    pairs
}

fn compare_questions(before: &Question, now: &Question, out: &mut Vec<Change>) {
    let mut push = |kind| out.push(Change::of(now, kind));
    if before.id != now.id {
        push(ChangeKind::Renamed(before.id.clone()));
    }
    if before.question != now.question || before.header != now.header {
        push(ChangeKind::Reworded(before.question.clone(), now.question.clone()));
    }
    if before.kind != now.kind {
        push(ChangeKind::Kind(before.kind, now.kind));
    }
    if before.required != now.required {
        push(ChangeKind::Required(now.required));
    }
    if before.allow_other != now.allow_other {
        push(ChangeKind::Other(now.allow_other));
    }
    compare_options(&before.options, &now.options, &mut push);
    // A default that only bears another name was told with its option.
    let is_same = |(a, b): (&usize, &usize)| {
        let (was, is) = (&before.options[*a], &now.options[*b]);
        was.label == is.label || was.description == is.description && now.option(&was.label).is_none()
    };
    let same_count = before.default.len() == now.default.len();
    if !same_count || !before.default.iter().zip(&now.default).all(is_same) {
        push(ChangeKind::Default);
    }
}

fn compare_options(before: &[Choice], now: &[Choice], push: &mut dyn FnMut(ChangeKind)) {
    let (old, new) = (label_places(before), label_places(now));
    let mut lost: HashMap<&JsString, usize> = HashMap::new();
    for (place, option) in before.iter().enumerate().filter(|(_, option)| !new.contains_key(&option.label)) {
        lost.insert(&option.description, place);
    }
    let mut kept = vec![false; before.len()];
    let mut pairs = Vec::with_capacity(now.len());
    for option in now {
        let place = old.get(&option.label).copied().or_else(|| lost.remove(&option.description));
        match place.map(|place| (place, &before[place])) {
            None => push(ChangeKind::OptionAdded(option.label.clone())),
            Some((place, was)) => {
                kept[place] = true;
                pairs.push(place);
                if was.label != option.label {
                    push(ChangeKind::OptionRenamed(was.label.clone(), option.label.clone()));
                } else if was.description != option.description {
                    push(ChangeKind::OptionReworded(option.label.clone()));
                }
            }
        }
    }
    for (option, _) in before.iter().zip(kept).filter(|(_, kept)| !kept) {
        push(ChangeKind::OptionRemoved(option.label.clone()));
    }
    if !is_rising(pairs.iter()) {
        push(ChangeKind::OptionOrder);
    }
}

fn is_rising<'p>(places: impl Iterator<Item = &'p usize>) -> bool {
    places.is_sorted()
}

#[cfg(test)]
mod tests;
