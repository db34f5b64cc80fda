//! Packets and the questions of their gates, in the shape that has passed the rules (`decode`): every value here is legal.
//!
//! What a packet says beside its gate is read leniently, as novel-writer-cli does: a missing or odd field is simply not there.

use super::js_string::{JsString, as_js_number, js_number};
use super::loss::Loss;
use super::problem::Problem;
use crate::text::query::folded;
use crate::text::{Lang, Safe, Sentence, say};
use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    /// The step id, such as `chapter:048:draft`.
    pub step: Option<JsString>,
    pub agent: Option<JsString>,
    pub expected_outputs: Vec<ExpectedOutput>,
    /// What is to be run afterwards.
    pub next_actions: Vec<JsString>,
    pub gate: Option<Gate>,
    /// Where it has no gate: what seems meant for one, under other names or in another place.
    pub misspelt: Vec<Problem>,
    /// What of its file was lost as it was read.
    pub loss: Option<Loss>,
    /// Of a question of an executor's own: who asks it.
    pub caller: Option<Box<Caller>>,
}

/// Who asks a question of an executor's own, as the executor calls them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Caller {
    /// The session's id.
    pub session: Option<JsString>,
    /// The agent, where it is not the session itself.
    pub agent: Option<JsString>,
}

impl Caller {
    /// So much of an id, or of an agent's name, tells it from others.
    const SHORT: usize = 14;

    /// The end of the session's id: ids that count time begin alike.
    pub fn mark(&self) -> Option<String> {
        let id = self.session.as_ref()?.display().into_owned();
        let end = id.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
        Some(format!("…{}", &id[end..]))
    }

    /// Both for people, in one line.
    pub fn text(&self, lang: Lang) -> String {
        let part = |sentence: Sentence, name: &Option<JsString>| {
            let name = Safe::line(&name.as_ref()?.display()).fit_middle(Caller::SHORT);
            Some(sentence.fill(lang, &[&name]))
        };
        let session = part(say("session {0}", "会话 {0}"), &self.session);
        let agent = part(say("agent {0}", "代理 {0}"), &self.agent);
        session.into_iter().chain(agent).collect::<Vec<_>>().join(lang.comma())
    }
}

impl Packet {
    /// What the step is to make: records of gates, and the files beside them, are the author's.
    pub fn products(&self) -> impl Iterator<Item = &ExpectedOutput> {
        let is_of_gate = |path: &str| path.ends_with(".answers.json") || path.ends_with(".rounds.jsonl");
        self.expected_outputs.iter().filter(move |output| !is_of_gate(&output.path.lossy()))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    pub spec: Arc<QuestionSpec>,
    /// Where the record goes; lexically safe, not yet resolved.
    pub answer_path: JsString,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutput {
    /// Path as the packet spells it.
    pub path: JsString,
    pub required: bool,
}

/// The value of a packet's `novel_ask`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionSpec {
    /// An integer of at least 1, kept as the double the reference compares.
    #[serde(serialize_with = "as_js_number")]
    pub version: f64,
    /// Short label for audit; a record must repeat it exactly.
    pub topic: JsString,
    /// At least one, each with an id of its own.
    pub questions: Vec<Question>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// ASCII `snake_case`, unique in its spec.
    pub id: String,
    pub header: JsString,
    pub question: JsString,
    pub kind: Kind,
    /// Whether the packet says that it must be answered; see [`Question::must_be_answered`].
    pub required: bool,
    /// The options in spec order, those that send back behind the others; empty for free text.
    pub options: Vec<Choice>,
    /// Whether an answer outside the options is legal.
    pub allow_other: bool,
    /// Indices of the default options, as the packet orders them.
    pub default: Vec<usize>,
}

/// What an answer to a question is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Deserialize,
    Serialize,
    JsonSchema,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    /// One string.
    SingleChoice,
    /// An array of strings.
    MultiChoice,
    /// One string, any.
    FreeText,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShownChoice")]
pub struct Choice {
    /// What goes into the record.
    pub label: JsString,
    /// What it means.
    pub description: JsString,
    /// The cluster it stands in (`_cluster`, which novel-writer-cli ignores): a name for routing to it where few options
    /// can be shown at once. It changes no answer.
    #[serde(skip)]
    pub cluster: Option<JsString>,
    /// It is no answer: whoever chooses it sends the gate back (`_sends_back`, which novel-writer-cli ignores).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sends_back: bool,
    /// The executor has proposed it in this round, counted from 1 (novel-writer-cli ignores it).
    #[serde(rename = "_round", skip_serializing_if = "Option::is_none")]
    pub round: Option<usize>,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::SingleChoice, Kind::MultiChoice, Kind::FreeText];

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Serialize for Question {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(None)?;
        out.serialize_entry("id", &self.id)?;
        out.serialize_entry("header", &self.header)?;
        out.serialize_entry("question", &self.question)?;
        out.serialize_entry("kind", &self.kind)?;
        out.serialize_entry("required", &self.required)?;
        if self.kind != Kind::FreeText {
            let (back, opening): (Vec<_>, Vec<_>) = self.options.iter().partition(|it| it.sends_back);
            out.serialize_entry("options", &opening)?;
            out.serialize_entry("allow_other", &self.allow_other)?;
            if !back.is_empty() {
                out.serialize_entry("_sends_back", &back)?;
            }
        }
        let labels: Vec<&JsString> = self.default_labels().collect();
        match (self.kind, labels.first()) {
            (_, None) => {}
            (Kind::MultiChoice, _) => out.serialize_entry("default", &labels)?,
            (_, Some(label)) => out.serialize_entry("default", label)?,
        }
        out.end()
    }
}

impl Question {
    pub fn default_labels(&self) -> impl Iterator<Item = &JsString> {
        self.default.iter().map(|&place| &self.options[place].label)
    }

    pub fn is_default_by_place(&self) -> Vec<bool> {
        let mut defaults = vec![false; self.options.len()];
        for &place in &self.default {
            defaults[place] = true;
        }
        defaults
    }

    /// Whether a record without this id is refused.
    ///
    /// An optional question with the id `constructor` counts too: novel-writer-cli 0.5.0 finds the property that every
    /// JavaScript object inherits and refuses it as an answer.
    pub fn must_be_answered(&self) -> bool {
        self.required || self.id == "constructor"
    }

    /// Whether a record may hold this value for a choice.
    pub fn takes(&self, value: &JsString) -> bool {
        self.allow_other || self.option(value).is_some_and(|place| !self.options[place].sends_back)
    }

    /// Whether some of its options send the gate back.
    pub fn is_verdict(&self) -> bool {
        self.options.iter().any(|option| option.sends_back)
    }

    /// How people call a proposed option: the letter of its round and its number in it, such as B2.
    pub fn mark(&self, place: usize) -> Option<String> {
        mark_of(&self.options, place)
    }

    /// The marks of options of one round, by their places, such as B1-B3.
    pub fn marks(&self, round: &[usize]) -> Option<String> {
        let (first, last) = (self.mark(*round.first()?)?, self.mark(*round.last()?)?);
        Some(if first == last { first } else { format!("{first}-{last}") })
    }

    /// The newest round that was proposed to it; 0 if none was.
    pub fn newest_round(&self) -> usize {
        self.options.iter().filter_map(|option| option.round).max().unwrap_or(0)
    }

    /// Whether an option is of an earlier round than the newest.
    pub fn is_of_earlier_round(&self, place: usize) -> bool {
        self.options[place].round.is_some_and(|round| round < self.newest_round())
    }

    /// Where the options of earlier rounds stand, if they are several, one behind the other.
    pub fn earlier_rounds(&self) -> Range<usize> {
        let newest = self.newest_round();
        let is_earlier = |option: &Choice| option.round.is_some_and(|round| round < newest);
        let start = self.options.iter().position(is_earlier).unwrap_or(0);
        let end = self.options.iter().rposition(is_earlier).map_or(0, |last| last + 1);
        let are_together = self.options[start..end].iter().all(is_earlier);
        if are_together && end - start > 1 { start..end } else { 0..0 }
    }

    fn can_share_an_answer_with(&self, other: &Question) -> bool {
        let is_list = |question: &Question| question.kind == Kind::MultiChoice;
        if is_list(self) != is_list(other) {
            return false;
        }
        let is_open = |question: &Question| question.kind == Kind::FreeText || question.allow_other;
        match (is_open(self), is_open(other)) {
            (true, _) | (_, true) => true,
            (false, false) => {
                let labels = label_places(&other.options);
                self.options.iter().any(|option| labels.contains_key(&option.label))
            }
        }
    }

    pub fn option(&self, label: &JsString) -> Option<usize> {
        self.options.iter().position(|option| option.label == *label)
    }

    /// The option that the author means who writes this: by its label, else by its mark, in any case and width.
    pub fn meant(&self, words: &JsString) -> Option<usize> {
        let by_mark = || {
            let words: String = words.lossy().chars().flat_map(folded).collect();
            (0..self.options.len()).find(|at| self.mark(*at).is_some_and(|it| it.to_lowercase() == words))
        };
        self.option(words).or_else(by_mark)
    }
}

/// The mark of one of a question's options.
pub fn mark_of(options: &[Choice], place: usize) -> Option<String> {
    let round = options.get(place)?.round?;
    let letter = char::from_u32(u32::from('A') + u32::try_from(round).ok()?.checked_sub(1)?)?;
    let number = options[..=place].iter().filter(|option| option.round == Some(round)).count();
    letter.is_ascii_uppercase().then(|| format!("{letter}{number}"))
}

/// The place of each option by its label, for looking up many.
pub fn label_places(options: &[Choice]) -> HashMap<&JsString, usize> {
    options.iter().enumerate().map(|(place, option)| (&option.label, place)).collect()
}

impl QuestionSpec {
    pub fn find(&self, id: &str) -> Option<(usize, &Question)> {
        self.questions.iter().enumerate().find(|(_, question)| question.id == id)
    }

    pub fn question(&self, id: &JsString) -> Option<&Question> {
        self.find(id.as_str()?).map(|(_, question)| question)
    }

    /// Whether some of its answers send the gate back.
    pub fn is_verdict(&self) -> bool {
        self.questions.iter().any(Question::is_verdict)
    }

    /// Whether some record could be valid for both. Told from what every record must have, so a yes is no promise.
    #[expect(clippy::float_cmp, reason = "versions are compared as the reference compares them")]
    pub fn can_share_a_record_with(&self, other: &QuestionSpec) -> bool {
        let answers = |one: &QuestionSpec, other: &QuestionSpec| {
            let places = other.places();
            let mut required = one.questions.iter().filter(|question| question.must_be_answered());
            required.all(|question| {
                let theirs = places.get(question.id.as_str()).map(|&place| &other.questions[place]);
                theirs.is_some_and(|theirs| question.can_share_an_answer_with(theirs))
            })
        };
        self.version == other.version
            && self.topic == other.topic
            && answers(self, other)
            && answers(other, self)
    }

    /// The place of the question with this id, which may be any string.
    pub fn place_of(&self, id: &JsString) -> Option<usize> {
        id.as_str().and_then(|id| self.find(id)).map(|(place, _)| place)
    }

    /// The place of each question by its id, for looking up many.
    pub fn places(&self) -> HashMap<&str, usize> {
        self.questions.iter().enumerate().map(|(place, question)| (question.id.as_str(), place)).collect()
    }

    /// A number that is equal for two specs that ask the same, and hardly ever for others; only within one run of the
    /// program. Made without a copy of anything.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprints().0
    }

    /// The fingerprint, and one of the questions alone: two specs may ask them under different topics.
    pub fn fingerprints(&self) -> (u64, u64) {
        let mut hasher = DefaultHasher::new();
        for question in &self.questions {
            (&question.id, question.kind.name(), question.required, question.allow_other).hash(&mut hasher);
            (&question.default, &question.header, &question.question, question.options.len())
                .hash(&mut hasher);
            for option in &question.options {
                (&option.label, &option.description, option.sends_back).hash(&mut hasher);
            }
        }
        let questions = hasher.finish();
        let mut whole = DefaultHasher::new();
        (self.version.to_bits(), &self.topic, self.questions.len(), questions).hash(&mut whole);
        (whole.finish(), questions)
    }

    /// A text that is equal for two specs exactly when they ask the same; the source of the spec hash.
    pub fn canonical(&self) -> String {
        let mut out = format!("{}\0", js_number(self.version));
        self.topic.write_json(&mut out);
        for question in &self.questions {
            let Question { id, required, allow_other, default, .. } = question;
            let kind = question.kind.name();
            out.push_str(&format!("\0{id}\0{kind}\0{required}\0{allow_other}\0{default:?}"));
            let options = question.options.iter().flat_map(|option| [&option.label, &option.description]);
            for text in [&question.header, &question.question].into_iter().chain(options) {
                text.write_json(&mut out);
            }
            if question.is_verdict() {
                let opening = question.options.iter().filter(|option| !option.sends_back).count();
                out.push_str(&format!("\0{opening}"));
            }
        }
        out
    }
}
