//! Why a record is invalid, in an author's words.
//!
//! A record's problems come from few things that happen to records: the questions changed after it was written, it answers
//! another gate, it was cut off, it is no record at all, or a value was misspelled as executors misspell values.

use super::check::{check_record, nearest_id, same_number};
use super::drift::{Change, ChangeKind, drift};
use super::js_string::JsString;
use super::json::{Item, Json, Kind as JsonKind};
use super::problem::{Problem, ProblemCode, nearest, unescape};
use super::question::{Choice, Kind, Question, QuestionSpec};
use super::syntax::{SyntaxError, SyntaxKind};
use std::collections::{HashMap, HashSet};

mod sentences;

#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// JSON pointer into the record of what it explains; empty for the whole record.
    pub pointer: String,
    pub kind: CauseKind,
}

#[derive(Clone, Debug, PartialEq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum CauseKind {
    /// The questions have changed since the record was written; true if it fitted them as they were.
    Drift(bool),
    Changed(Change),
    /// The record answers another gate altogether: its topic, if it has one.
    OtherGate(Option<JsString>),
    /// The record answers another version: its own, the gate's.
    OtherVersion(f64, f64),
    /// The record has another topic: its own, the gate's.
    OtherTopic(JsString, JsString),
    Empty,
    /// The text stops inside a value, at this line.
    CutOff(usize),
    ByteOrderMark,
    /// The JSON stands between the fences of a Markdown code block.
    CodeFence,
    /// The text is no JSON, from this line on.
    NotJson(usize),
    NotAnObject,
    /// A JSON object of another kind.
    Foreign,
    /// The packet or its questions lie where the record should.
    Packet,
    /// The answers stand at the top, without the frame of a record.
    #[strum(serialize = "bare-answers")]
    Bare,
    /// There is no regular file that could be read.
    NotAFile,
    /// No question has this id; with the nearest one.
    UnknownQuestion(JsString, Option<String>),
    Unanswered(Subject),
    /// The value is no option: the value, how it came about, and the label that was probably meant.
    NotAnOption(Subject, JsString, Slip, Option<JsString>),
    WrongType(Subject),
    Duplicate(Subject, JsString),
    /// An empty list, a blank string or null where an optional question was to be left out.
    NotLeftOut(Subject),
    /// An empty list, a blank string or null where an answer is required.
    #[strum(serialize = "blank")]
    BlankRequired(Subject),
    Missing(String),
    UnknownField(JsString),
    BadTime(JsString),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub id: String,
    pub header: JsString,
    pub kind: Kind,
}

impl Subject {
    fn of(question: &Question) -> Subject {
        Subject { id: question.id.clone(), header: question.header.clone(), kind: question.kind }
    }
}

/// Why a record with these problems is invalid. `now` is what the gate asks; `then` what it asked when the record was
/// written, if that is known. The widest cause comes first; a problem that explains itself has none.
pub fn causes(
    bytes: &[u8],
    problems: &[Problem],
    now: &QuestionSpec,
    then: Option<&QuestionSpec>,
) -> Vec<Cause> {
    if problems.is_empty() {
        return Vec::new();
    }
    let whole = |kind| vec![Cause { pointer: String::new(), kind }];
    for problem in problems {
        match problem.code {
            ProblemCode::NotAFile | ProblemCode::Unreadable | ProblemCode::OutsideProject => {
                return whole(CauseKind::NotAFile);
            }
            ProblemCode::TooLarge => return Vec::new(),
            _ => {}
        }
    }
    let json = match Json::parse(bytes) {
        Ok(json) => json,
        Err(error) => return whole(no_json(bytes, &error)),
    };
    if let Some(kind) = foreign(json.root(), now) {
        return whole(kind);
    }
    let answers = json.root().get("answers").map(Item::entries).unwrap_or_default();
    let case = Case {
        root: json.root(),
        answers: answers.into_iter().collect(),
        now,
        then,
        changes: then.map(|then| drift(then, now)).unwrap_or_default(),
    };
    let mut found = Vec::new();
    let mut explained = HashSet::new();
    for problem in problems {
        let Some(kind) = case.cause(problem) else { continue };
        // One change or one missing frame explains many problems.
        let key = match &kind {
            CauseKind::Changed(change) => format!("{change:?}"),
            _ => problem.pointer.clone(),
        };
        if explained.insert(key) {
            found.push(Cause { pointer: problem.pointer.clone(), kind });
        }
    }
    let widest = case.widest(bytes, &found);
    if matches!(widest, Some(CauseKind::OtherGate(_))) {
        found.retain(|cause| !is_about_origin(&cause.kind));
    }
    let widest = widest.map(|kind| Cause { pointer: String::new(), kind });
    widest.into_iter().chain(found).collect()
}

fn is_about_origin(kind: &CauseKind) -> bool {
    matches!(
        kind,
        CauseKind::OtherTopic(..)
            | CauseKind::OtherVersion(..)
            | CauseKind::UnknownQuestion(..)
            | CauseKind::Unanswered(_)
    )
}

fn no_json(bytes: &[u8], error: &SyntaxError) -> CauseKind {
    match error.kind {
        SyntaxKind::Empty => CauseKind::Empty,
        SyntaxKind::End => CauseKind::CutOff(error.line),
        SyntaxKind::ByteOrderMark => CauseKind::ByteOrderMark,
        _ if bytes.trim_ascii_start().starts_with(b"```") => CauseKind::CodeFence,
        _ => CauseKind::NotJson(error.line),
    }
}

/// JSON that is no record of any gate.
fn foreign(root: Item<'_>, now: &QuestionSpec) -> Option<CauseKind> {
    if root.kind() != JsonKind::Object {
        return Some(CauseKind::NotAnObject);
    }
    let has = |key: &str| root.get(key).is_some();
    if has("novel_ask") || has("questions") && !has("answers") {
        return Some(CauseKind::Packet);
    }
    if ["answers", "answered_at", "answered_by"].into_iter().any(has) {
        return None;
    }
    let known = now.places();
    let answers = root.entries().iter().any(|(id, _)| id.as_str().is_some_and(|id| known.contains_key(id)));
    Some(if answers { CauseKind::Bare } else { CauseKind::Foreign })
}

struct Case<'c> {
    root: Item<'c>,
    answers: HashMap<JsString, Item<'c>>,
    now: &'c QuestionSpec,
    then: Option<&'c QuestionSpec>,
    changes: Vec<Change>,
}

impl Case<'_> {
    fn widest(&self, bytes: &[u8], found: &[Cause]) -> Option<CauseKind> {
        let drifted = found.iter().any(|cause| matches!(cause.kind, CauseKind::Changed(_)));
        let fitted = || self.then.is_some_and(|then| check_record(then, bytes).is_ok());
        if drifted || !self.changes.is_empty() && fitted() {
            return Some(CauseKind::Drift(fitted()));
        }
        let other_topic = found.iter().any(|cause| matches!(cause.kind, CauseKind::OtherTopic(..)));
        let mut ids = self.now.questions.iter().map(|question| JsString::from(question.id.as_str()));
        let shares = self.answers.is_empty() || ids.any(|id| self.answers.contains_key(&id));
        (other_topic && !shares).then(|| CauseKind::OtherGate(self.topic()))
    }

    /// The first change of this question, or of the whole gate, that is why. A record knows a renamed question by its
    /// earlier id.
    fn change(&self, question: Option<&str>, is_why: impl Fn(&ChangeKind) -> bool) -> Option<CauseKind> {
        let is_about = |change: &Change| {
            let before =
                if let ChangeKind::Renamed(before) = &change.kind { Some(before.as_str()) } else { None };
            change.question.as_deref() == question || question.is_some() && before == question
        };
        let change = self.changes.iter().find(|change| is_about(change) && is_why(&change.kind));
        change.cloned().map(CauseKind::Changed)
    }

    fn cause(&self, problem: &Problem) -> Option<CauseKind> {
        use ProblemCode as P;
        let text = |key| self.root.get(key).and_then(Item::string);
        let name = || unescape(problem.pointer.rsplit('/').next().unwrap_or_default());
        match problem.code {
            P::VersionDiffers => {
                let found = self.root.get("version").and_then(Item::number)?;
                self.change(
                    None,
                    |kind| matches!(kind, ChangeKind::Version(before, _) if same_number(*before, found)),
                )
                .or(Some(CauseKind::OtherVersion(found, self.now.version)))
            }
            P::TopicDiffers => self
                .change(None, |kind| matches!(kind, ChangeKind::Topic(..)))
                .filter(|_| self.then.is_some_and(|then| self.topic().as_ref() == Some(&then.topic)))
                .or_else(|| Some(CauseKind::OtherTopic(self.topic()?, self.now.topic.clone()))),
            P::UnknownQuestion => {
                let id = name();
                let is_gone = |kind: &ChangeKind| match kind {
                    ChangeKind::Removed => true,
                    ChangeKind::Renamed(before) => *before == id,
                    _ => false,
                };
                self.change(Some(&id), is_gone).or_else(|| {
                    let id = JsString::from(id.as_str());
                    // It is known whether there is a nearest one: to look for it again is costly.
                    let near = problem.hint.as_ref().and_then(|_| nearest_id(self.now, &id));
                    Some(CauseKind::UnknownQuestion(id, near))
                })
            }
            P::NotSnakeCase => {
                let id = JsString::from(name());
                let near = nearest_id(self.now, &id);
                Some(CauseKind::UnknownQuestion(id, near))
            }
            P::NotDateTime => text("answered_at").map(CauseKind::BadTime),
            P::UnknownField => Some(CauseKind::UnknownField(name().into())),
            _ => self.cause_of_answer(problem),
        }
    }

    fn topic(&self) -> Option<JsString> {
        self.root.get("topic")?.string()
    }

    fn cause_of_answer(&self, problem: &Problem) -> Option<CauseKind> {
        use ProblemCode as P;
        let Some(rest) = problem.pointer.strip_prefix("/answers/") else {
            let name = problem.pointer.strip_prefix('/').filter(|name| self.root.get(name).is_none())?;
            return Some(CauseKind::Missing(name.to_owned()));
        };
        let (id, entry) = rest.split_once('/').map_or((rest, None), |(id, entry)| (id, entry.parse().ok()));
        let (_, question) = self.now.find(id)?;
        let subject = || Subject::of(question);
        if problem.code == P::Unanswered {
            let why = |kind: &ChangeKind| {
                matches!(kind, ChangeKind::Added | ChangeKind::Renamed(_) | ChangeKind::Required(true))
            };
            return Some(self.change(Some(id), why).unwrap_or_else(|| CauseKind::Unanswered(subject())));
        }
        let answer = *self.answers.get(&JsString::from(id))?;
        if let Some(found) = self.change(Some(id), |kind| matches!(kind, ChangeKind::Kind(..))) {
            return Some(found);
        }
        if entry.is_none() && problem.code == P::Blank {
            let needed = question.must_be_answered();
            return Some(if needed {
                CauseKind::BlankRequired(subject())
            } else {
                CauseKind::NotLeftOut(subject())
            });
        }
        let value =
            || entry.map_or(Some(answer), |at: usize| answer.elements().nth(at)).and_then(Item::string);
        match problem.code {
            P::Blank | P::WrongForm => Some(CauseKind::WrongType(subject())),
            P::Duplicate => Some(CauseKind::Duplicate(subject(), value()?)),
            P::NotAnOption => Some(self.outside(question, &value()?)),
            _ => None,
        }
    }

    fn outside(&self, question: &Question, value: &JsString) -> CauseKind {
        let gone = |kind: &ChangeKind| match kind {
            ChangeKind::OptionRemoved(label) | ChangeKind::OptionRenamed(label, _) => label == value,
            ChangeKind::Other(false) => self.was_own(question, value),
            _ => false,
        };
        self.change(Some(&question.id), gone).unwrap_or_else(|| {
            let (slip, meant) = slip(question, value);
            CauseKind::NotAnOption(Subject::of(question), value.clone(), slip, meant)
        })
    }

    /// Whether the value was the author's own words when own words were allowed.
    fn was_own(&self, question: &Question, value: &JsString) -> bool {
        let before = self.then.and_then(|then| then.find(&question.id));
        before.is_some_and(|(_, before)| before.allow_other && before.option(value).is_none())
    }
}

/// How a value that is no option came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// It is the label but for white space around it.
    Spaces,
    /// It is the label but for upper and lower case, or full-width and half-width forms.
    Case,
    /// It is the label with more behind it, such as `(Recommended)`.
    Tail,
    Description,
    /// It is the option's number in the list, counted from 1.
    Number,
    Similar,
    Unknown,
}

/// How the value came about, and the label that was probably meant.
fn slip(question: &Question, value: &JsString) -> (Slip, Option<JsString>) {
    let label = |option: &Choice| Some(option.label.clone());
    let trimmed = value.trimmed();
    let found = |is_it: &dyn Fn(&Choice) -> bool| question.options.iter().find(|option| is_it(option));
    if let Some(option) = found(&|option| option.label.trimmed() == trimmed) {
        return (Slip::Spaces, label(option));
    }
    let folded = fold(&trimmed);
    if let Some(option) = found(&|option| fold(&option.label) == folded) {
        return (Slip::Case, label(option));
    }
    if let Some(option) = found(&|option| option.description.trimmed() == trimmed) {
        return (Slip::Description, label(option));
    }
    let number = folded.parse::<usize>().ok().and_then(|number| question.options.get(number.checked_sub(1)?));
    if let Some(option) = number {
        return (Slip::Number, label(option));
    }
    let longest = question.options.iter().filter(|option| has_tail(&trimmed, &option.label));
    if let Some(option) = longest.max_by_key(|option| option.label.len()) {
        return (Slip::Tail, label(option));
    }
    let heads = question.options.iter().map(|option| option.label.clone());
    match nearest(value, heads) {
        Some(place) => (Slip::Similar, label(&question.options[place])),
        None => (Slip::Unknown, None),
    }
}

/// Whether the value is a label and a remark: something that is no letter stands between them.
fn has_tail(value: &JsString, label: &JsString) -> bool {
    let (value, label) = (value.lossy(), label.lossy());
    let rest = value.strip_prefix(label.as_ref()).filter(|_| !label.trim().is_empty());
    rest.and_then(|rest| rest.chars().next()).is_some_and(|first| !first.is_alphanumeric())
}

/// Lower case, and full-width letters and digits as half-width ones.
fn fold(text: &JsString) -> String {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        other => other,
    };
    text.lossy().trim().chars().map(narrow).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
