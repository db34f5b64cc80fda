//! What has changed between two forms of the same questions: every difference that a record or its author could notice,
//! and the sentences about it.

use super::js_string::{JsString, js_number};
use super::problem::quote_in;
use super::question::{Choice, Kind, Question, QuestionSpec, label_places};
use crate::text::{Lang, Sentence, say};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// One difference between an earlier form of a gate's questions and a later one.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Id of the question it concerns, as the later form spells it if it still has it; `None` for the whole gate.
    pub question: Option<String>,
    pub header: Option<JsString>,
    pub kind: ChangeKind,
}

/// The ways in which questions change. Where two values stand, the earlier one comes first.
#[derive(Clone, Debug, PartialEq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ChangeKind {
    Version(f64, f64),
    Topic(JsString, JsString),
    Order,
    #[strum(serialize = "question-added")]
    Added,
    #[strum(serialize = "question-removed")]
    Removed,
    /// The same question had this id before.
    #[strum(serialize = "question-renamed")]
    Renamed(String),
    /// The question or its header reads differently: the question, before and now.
    #[strum(serialize = "question-reworded")]
    Reworded(JsString, JsString),
    Kind(Kind, Kind),
    Required(bool),
    OptionAdded(JsString),
    OptionRemoved(JsString),
    /// An option has another label and still means the same.
    OptionRenamed(JsString, JsString),
    /// An option's description reads differently.
    OptionReworded(JsString),
    OptionOrder,
    /// Whether answers outside the options are allowed now.
    #[strum(serialize = "allow-other")]
    Other(bool),
    /// Whether there was a default, and whether there is one now.
    Default(bool, bool),
}

impl ChangeKind {
    /// Stable name for programs.
    pub fn code(&self) -> &'static str {
        self.into()
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
        fill(self.sentences().0, &self.parts(lang), lang)
    }

    /// The same where the question stands above it: without its name.
    pub fn text_below_question(&self, lang: Lang) -> String {
        fill(self.sentences().1, &self.parts(lang), lang)
    }

    /// What fills the sentences: the question's name, then what the kind of change carries.
    fn parts(&self, lang: Lang) -> Vec<String> {
        use ChangeKind as C;
        let quote = |text| quote_in(lang, text);
        let more: Vec<String> = match &self.kind {
            C::Version(before, now) => vec![js_number(*before), js_number(*now)],
            C::Topic(before, now) | C::OptionRenamed(before, now) => vec![quote(before), quote(now)],
            C::Renamed(before) => vec![before.clone()],
            C::Reworded(before, _) => vec![quote(before)],
            C::Kind(before, now) => [*before, *now].map(|which| which.words().text(lang).to_owned()).into(),
            C::OptionAdded(label) | C::OptionRemoved(label) | C::OptionReworded(label) => vec![quote(label)],
            C::Order
            | C::Added
            | C::Removed
            | C::Required(_)
            | C::OptionOrder
            | C::Other(_)
            | C::Default(..) => Vec::new(),
        };
        std::iter::once(self.name(lang)).chain(more).collect()
    }

    /// With the question's name, and without.
    fn sentences(&self) -> (Sentence, Sentence) {
        use ChangeKind as C;
        let of_gate = |en, zh| (say(en, zh), say(en, zh));
        match &self.kind {
            C::Version(..) => {
                of_gate("The gate's version was {1} and is {2} now.", "门控的版本原为 {1}，现为 {2}。")
            }
            C::Topic(..) => {
                of_gate("The gate's topic was {1} and is {2} now.", "门控的主题原为{1}，现为{2}。")
            }
            C::Order => of_gate("The questions are in another order.", "问题的顺序变了。"),
            C::Added => {
                (say("{0} is a new question.", "新增了问题{0}。"), say("A new question.", "新增的问题。"))
            }
            C::Removed => (
                say("{0} is not asked any more.", "不再问{0}。"),
                say("It is not asked any more.", "不再问此题。"),
            ),
            C::Renamed(_) => (
                say("{0} had the id {1} before.", "{0}的 id 原为 {1}。"),
                say("It had the id {1} before.", "它的 id 原为 {1}。"),
            ),
            C::Reworded(before, now) if before == now => (
                say("{0} has another header now.", "{0}的标题变了。"),
                say("It has another header now.", "标题变了。"),
            ),
            C::Reworded(..) => (
                say("{0} is reworded. It was: {1}", "{0}的措辞变了，原为：{1}"),
                say("Reworded. It was: {1}", "措辞变了，原为：{1}"),
            ),
            C::Kind(..) => (
                say("{0} was {1} and is {2} now.", "{0}原为{1}，现为{2}。"),
                say("It was {1} and is {2} now.", "原为{1}，现为{2}。"),
            ),
            C::Required(true) => (
                say("{0} must be answered now.", "{0}现在必答。"),
                say("It must be answered now.", "现在必答。"),
            ),
            C::Required(false) => (
                say("{0} may be left blank now.", "{0}现在可以留空。"),
                say("It may be left blank now.", "现在可以留空。"),
            ),
            C::Default(false, _) => (
                say("{0} has a default now.", "{0}现在有默认选项。"),
                say("It has a default now.", "现在有默认选项。"),
            ),
            C::Default(_, false) => (
                say("{0} has no default any more.", "{0}不再有默认选项。"),
                say("It has no default any more.", "不再有默认选项。"),
            ),
            C::Default(..) => (
                say("{0} has another default now.", "{0}的默认选项变了。"),
                say("It has another default now.", "默认选项变了。"),
            ),
            C::OptionAdded(_)
            | C::OptionRemoved(_)
            | C::OptionRenamed(..)
            | C::OptionReworded(_)
            | C::OptionOrder
            | C::Other(_) => self.option_sentences(),
        }
    }

    fn option_sentences(&self) -> (Sentence, Sentence) {
        use ChangeKind as C;
        match &self.kind {
            C::Other(true) => (
                say("{0} takes answers outside its options now.", "{0}现在可以填写选项以外的回答。"),
                say("It takes answers outside its options now.", "现在可以填写选项以外的回答。"),
            ),
            C::Other(false) => (
                say("{0} takes only its options now.", "{0}现在只能从选项中选。"),
                say("It takes only its options now.", "现在只能从选项中选。"),
            ),
            C::OptionAdded(_) => (
                say("{0} has the new option {1}.", "{0}新增了选项{1}。"),
                say("The option {1} is new.", "新增了选项{1}。"),
            ),
            C::OptionRemoved(_) => (
                say("{0} no longer offers {1}.", "{0}不再提供选项{1}。"),
                say("The option {1} is gone.", "不再提供选项{1}。"),
            ),
            C::OptionRenamed(..) => (
                say("{0}: the option {1} is now called {2}.", "{0}：选项{1}现在叫{2}。"),
                say("The option {1} is now called {2}.", "选项{1}现在叫{2}。"),
            ),
            C::OptionReworded(_) => (
                say("{0}: the option {1} is described differently.", "{0}：选项{1}的说明变了。"),
                say("The option {1} is described differently.", "选项{1}的说明变了。"),
            ),
            _ => (
                say("The options of {0} are in another order.", "{0}的选项顺序变了。"),
                say("Its options are in another order.", "选项顺序变了。"),
            ),
        }
    }

    /// The question as sentences call it; nothing for a change of the whole gate.
    pub fn name(&self, lang: Lang) -> String {
        let id = self.question.as_deref().unwrap_or_default();
        question_name(id, self.header.as_ref(), lang)
    }
}

fn fill(sentence: Sentence, parts: &[String], lang: Lang) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    sentence.fill(lang, &parts)
}

/// A question as sentences call it: its header and its id.
pub(super) fn question_name(id: &str, header: Option<&JsString>, lang: Lang) -> String {
    match header {
        Some(header) => say("{0} ({1})", "{0}（{1}）").fill(lang, &[&quote_in(lang, header), id]),
        None => id.to_owned(),
    }
}

impl Kind {
    /// The kind as sentences call it.
    pub fn words(self) -> Sentence {
        match self {
            Kind::SingleChoice => say("single choice", "单选"),
            Kind::MultiChoice => say("multiple choice", "多选"),
            Kind::FreeText => say("free text", "自由填写"),
        }
    }
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
    if !pairs.iter().flatten().is_sorted() {
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
/// gone, if no other question could be meant.
fn pair_questions(before: &QuestionSpec, now: &QuestionSpec) -> Vec<Option<usize>> {
    let (places, still) = (before.places(), now.places());
    let words = |question: &'_ Question| (question.question.clone(), question.kind.name());
    let gone = before.questions.iter().enumerate().filter(|(_, old)| !still.contains_key(old.id.as_str()));
    let lost = only_ones(gone.map(|(place, old)| (words(old), place)));
    let new = now.questions.iter().enumerate().filter(|(_, new)| !places.contains_key(new.id.as_str()));
    let found: HashMap<usize, usize> = only_ones(new.map(|(place, new)| (words(new), place)))
        .into_iter()
        .filter_map(|(words, place)| Some((place, *lost.get(&words)?)))
        .collect();
    let pair = |(at, question): (usize, &Question)| {
        places.get(question.id.as_str()).or_else(|| found.get(&at)).copied()
    };
    now.questions.iter().enumerate().map(pair).collect()
}

/// What only one of several has.
fn only_ones<K: Eq + Hash>(all: impl Iterator<Item = (K, usize)>) -> HashMap<K, usize> {
    let mut seen: HashMap<K, Option<usize>> = HashMap::new();
    for (key, place) in all {
        seen.entry(key).and_modify(|place| *place = None).or_insert(Some(place));
    }
    seen.into_iter().filter_map(|(key, place)| Some((key, place?))).collect()
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
    // What has become free text takes any answer: it has no options.
    let has_options = before.kind == now.kind || now.kind != Kind::FreeText;
    if has_options && before.allow_other != now.allow_other {
        push(ChangeKind::Other(now.allow_other));
    }
    let pairs = compare_options(&before.options, &now.options, &mut push);
    // A default that only has another name is a change of its option.
    let is_same = |(a, b): (&usize, &usize)| pairs[*b] == Some(*a);
    let (had, has) = (before.default.len(), now.default.len());
    if had != has || !before.default.iter().zip(&now.default).all(is_same) {
        push(ChangeKind::Default(had > 0, has > 0));
    }
}

/// Finds the changes; gives, for each later option, the place of its earlier form.
fn compare_options(
    before: &[Choice],
    now: &[Choice],
    push: &mut dyn FnMut(ChangeKind),
) -> Vec<Option<usize>> {
    let pairs = pair_options(before, now);
    for (option, place) in now.iter().zip(&pairs) {
        match place.map(|place| &before[place]) {
            None => push(ChangeKind::OptionAdded(option.label.clone())),
            Some(was) if was.label != option.label => {
                push(ChangeKind::OptionRenamed(was.label.clone(), option.label.clone()));
            }
            Some(was) if was.description != option.description => {
                push(ChangeKind::OptionReworded(option.label.clone()));
            }
            Some(_) => {}
        }
    }
    let kept: HashSet<usize> = pairs.iter().flatten().copied().collect();
    for (_, option) in before.iter().enumerate().filter(|(place, _)| !kept.contains(place)) {
        push(ChangeKind::OptionRemoved(option.label.clone()));
    }
    if !pairs.iter().flatten().is_sorted() {
        push(ChangeKind::OptionOrder);
    }
    pairs
}

/// For each later option, the place of its earlier form: by its label. Another label is taken for a new name only where
/// nothing else could be meant: no other option, before or now, has that description, and it stands between the same
/// options as before.
fn pair_options(before: &[Choice], now: &[Choice]) -> Vec<Option<usize>> {
    let (old, new) = (label_places(before), label_places(now));
    let described = |options: &[Choice]| {
        only_ones(options.iter().enumerate().map(|(place, option)| (option.description.clone(), place)))
    };
    let (described_before, described_now) = (described(before), described(now));
    // How many options in front of each have stayed.
    let stayed = |options: &[Choice], others: &HashMap<&JsString, usize>| -> Vec<usize> {
        let stays = options.iter().map(|option| usize::from(others.contains_key(&option.label)));
        stays.scan(0, |count, stays| Some(std::mem::replace(count, *count + stays))).collect()
    };
    let (front_before, front_now) = (stayed(before, &new), stayed(now, &old));
    let renamed = |(at, option): (usize, &Choice)| {
        let place = *described_before.get(&option.description)?;
        let is_lost = !new.contains_key(&before[place].label);
        let is_only = described_now.get(&option.description) == Some(&at);
        (is_lost && is_only && front_before[place] == front_now[at]).then_some(place)
    };
    let pair =
        |(at, option): (usize, &Choice)| old.get(&option.label).copied().or_else(|| renamed((at, option)));
    now.iter().enumerate().map(pair).collect()
}

#[cfg(test)]
mod tests;
