//! Why a record is invalid, in an author's words.
//!
//! A record's problems come from few things that happen to records: the questions changed after it was written, it answers
//! another gate, it was cut off, it is no record at all, or a value was misspelled as executors misspell values.

mod document;

use self::document::{Why, foreign, no_json};
use super::check::{check_record, nearest_id, same_number};
use super::drift::{Change, ChangeKind, drift, question_name};
use super::js_string::{JsString, js_number};
use super::json::{Item, Json};
use super::mend::mend;
use super::problem::{Problem, ProblemCode, in_marks, nearest, quote, quoting, quoting_parts, unescape};
use super::question::{Choice, Kind, Question, QuestionSpec};
use crate::text::width::narrow;
use crate::text::{Lang, Message, Sentence, say};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// JSON pointer into the record of what it explains; empty for the whole record.
    pub pointer: String,
    /// Stable name for programs.
    pub code: &'static str,
    /// What changed in the questions since the record was written, if that is it.
    pub change: Option<Change>,
    /// The cause in a sentence or two. It quotes the record.
    text: Message,
}

impl Cause {
    fn new(code: &'static str, text: impl Into<Message>) -> Cause {
        Cause { pointer: String::new(), code, change: None, text: text.into() }
    }

    fn of((code, text): Why) -> Cause {
        Cause::new(code, text)
    }

    /// A cause about a question, whose name fills the first gap of the sentence.
    fn about(code: &'static str, question: &Question, sentence: Sentence, parts: &[&str]) -> Cause {
        let name = |lang| question_name(&question.id, Some(&question.header), lang);
        let fill = |lang| {
            let parts: Vec<String> = parts.iter().map(|part| in_marks(lang, part)).collect();
            let parts = parts.iter().map(String::as_str);
            sentence.fill(lang, &std::iter::once(&*name(lang)).chain(parts).collect::<Vec<_>>())
        };
        Cause::new(code, Message::in_both(fill))
    }

    /// The cause in a sentence or two. It quotes the record: clean it before drawing.
    pub fn text(&self, lang: Lang) -> String {
        self.text.text(lang)
    }
}

/// Why a record with these problems, of which there is one at least, is invalid. `now` is what the gate asks; `then` what it asked when the record was
/// written, if that is known. The widest cause comes first; a problem that explains itself has none.
pub fn causes(
    bytes: &[u8],
    problems: &[Problem],
    now: &QuestionSpec,
    then: Option<&QuestionSpec>,
) -> Vec<Cause> {
    for problem in problems {
        match problem.code {
            ProblemCode::NotAFile | ProblemCode::Unreadable | ProblemCode::OutsideProject => {
                return vec![Cause::new(
                    "not-a-file",
                    say(
                        "There is no readable regular file where the record should be.",
                        "记录的位置上没有可读的普通文件。",
                    ),
                )];
            }
            ProblemCode::TooLarge => return Vec::new(),
            _ => {}
        }
    }
    let json = match Json::parse(bytes) {
        Ok(json) => json,
        Err(error) => return vec![Cause::of(no_json(&error))],
    };
    if let Some(mended) = mend(bytes) {
        // The JSON is in a string.
        return mended.changes.first().map(|change| Cause::of(no_json(&change.slip))).into_iter().collect();
    }
    if let Some(cause) = foreign(json.root(), now).map(Cause::of) {
        return vec![cause];
    }
    let answers = json.root().get("answers").map(Item::entries).unwrap_or_default();
    let record = Case {
        root: json.root(),
        answers: answers.into_iter().collect(),
        now,
        then,
        changes: then.map(|then| drift(then, now)).unwrap_or_default(),
    };
    let mut found = Vec::new();
    let mut explained = HashSet::new();
    for problem in problems {
        let Some(cause) = record.cause(problem) else { continue };
        // One change or one missing frame explains many problems.
        let key =
            cause.change.as_ref().map_or_else(|| problem.pointer.clone(), |change| format!("{change:?}"));
        if explained.insert(key) {
            found.push(Cause { pointer: problem.pointer.clone(), ..cause });
        }
    }
    let widest = record.widest(bytes, &found);
    if widest.as_ref().is_some_and(|widest| widest.code == OTHER_GATE) {
        found.retain(|cause| !ABOUT_ORIGIN.contains(&cause.code));
    }
    widest.into_iter().chain(found).collect()
}

const OTHER_GATE: &str = "other-gate";
const OTHER_TOPIC: &str = "other-topic";
/// What says no more than that a record is another gate's.
const ABOUT_ORIGIN: [&str; 4] = [OTHER_TOPIC, "other-version", "unknown-question", "unanswered"];

struct Case<'c> {
    root: Item<'c>,
    answers: HashMap<JsString, Item<'c>>,
    now: &'c QuestionSpec,
    then: Option<&'c QuestionSpec>,
    changes: Vec<Change>,
}

impl Case<'_> {
    fn widest(&self, bytes: &[u8], found: &[Cause]) -> Option<Cause> {
        let drifted = found.iter().any(|cause| cause.change.is_some());
        let fitted = || self.then.is_some_and(|then| check_record(then, bytes).is_ok());
        if drifted || !self.changes.is_empty() && fitted() {
            let sentence = if fitted() {
                say(
                    "The record fitted the questions when it was written; they have changed since.",
                    "写下记录时它符合当时的问题；此后问题变了。",
                )
            } else {
                say("The questions have changed since the record was written.", "写下记录之后，问题变了。")
            };
            return Some(Cause::new("drift", sentence));
        }
        let other_topic = found.iter().any(|cause| cause.code == OTHER_TOPIC);
        let mut ids = self.now.questions.iter().map(|question| JsString::from(question.id.as_str()));
        let shares = self.answers.is_empty() || ids.any(|id| self.answers.contains_key(&id));
        let topic = self.topic().filter(|_| other_topic && !shares)?;
        let sentence = say(
            "The record answers another gate: its topic is {0}, and it answers none of these questions.",
            "这份记录回答的是别的门控：它的主题是{0}，没有回答本门控的任何问题。",
        );
        Some(Cause::new(OTHER_GATE, quoting(sentence, &topic)))
    }

    /// The first change of this question, or of the whole gate, that is why. A record knows a renamed question by its
    /// earlier id.
    fn change(&self, question: Option<&str>, is_why: impl Fn(&ChangeKind) -> bool) -> Option<Cause> {
        let is_about = |change: &Change| {
            let before =
                if let ChangeKind::Renamed(before) = &change.kind { Some(before.as_str()) } else { None };
            change.question.as_deref() == question || question.is_some() && before == question
        };
        let change = self.changes.iter().find(|change| is_about(change) && is_why(&change.kind))?;
        let text = Message::in_both(|lang| change.text(lang));
        Some(Cause { change: Some(change.clone()), ..Cause::new("changed", text) })
    }

    fn cause(&self, problem: &Problem) -> Option<Cause> {
        use ProblemCode as P;
        let name = || unescape(problem.pointer.rsplit('/').next().unwrap_or_default());
        match problem.code {
            P::VersionDiffers => {
                let found = self.root.get("version").and_then(Item::number)?;
                self.change(
                    None,
                    |kind| matches!(kind, ChangeKind::Version(before, _) if same_number(*before, found)),
                )
                .or_else(|| Some(other_version(found, self.now.version)))
            }
            P::TopicDiffers => self
                .change(None, |kind| matches!(kind, ChangeKind::Topic(..)))
                .filter(|_| self.then.is_some_and(|then| self.topic().as_ref() == Some(&then.topic)))
                .or_else(|| Some(other_topic(&self.topic()?, &self.now.topic))),
            P::UnknownQuestion => {
                let id = name();
                // Of what is not asked now, nothing else can have changed.
                self.change(Some(&id), |_| true).or_else(|| {
                    let id = JsString::from(id.as_str());
                    // It is known whether there is a nearest one: to look for it again is costly.
                    let near = problem.hint.as_ref().and_then(|_| nearest_id(self.now, &id));
                    Some(unknown_question(&id, near.as_deref()))
                })
            }
            P::NotSnakeCase => {
                let id = JsString::from(name());
                let near = nearest_id(self.now, &id);
                Some(unknown_question(&id, near.as_deref()))
            }
            P::NotDateTime => {
                let sentence = say(
                    "answered_at is {0}: not a date and time with a zone, such as 2026-02-27T10:12:34Z.",
                    "answered_at 是{0}：不是带时区的日期时间，例如 2026-02-27T10:12:34Z。",
                );
                self.root.text("answered_at").map(|time| Cause::new("bad-time", quoting(sentence, &time)))
            }
            P::UnknownField => {
                let sentence = say(
                    "Records have no member {0}; remarks go into members that begin with _.",
                    "记录没有字段{0}；备注请放在以 _ 开头的字段里。",
                );
                Some(Cause::new("unknown-field", quoting(sentence, &name().into())))
            }
            _ => self.cause_of_answer(problem),
        }
    }

    fn topic(&self) -> Option<JsString> {
        self.root.get("topic")?.string()
    }

    fn cause_of_answer(&self, problem: &Problem) -> Option<Cause> {
        use ProblemCode as P;
        let Some(rest) = problem.pointer.strip_prefix("/answers/") else {
            let name = problem.pointer.strip_prefix('/').filter(|name| self.root.get(name).is_none())?;
            let sentence = say(
                "The record has no {0}: it is not a complete record.",
                "记录缺少 {0}：它不是一份完整的记录。",
            );
            return Some(Cause::new("missing", Message::new(sentence, &[name])));
        };
        let (id, entry) = rest.split_once('/').map_or((rest, None), |(id, entry)| (id, entry.parse().ok()));
        let (_, question) = self.now.find(id)?;
        if problem.code == P::Unanswered {
            let why = |kind: &ChangeKind| {
                matches!(kind, ChangeKind::Added | ChangeKind::Renamed(_) | ChangeKind::Required(true))
            };
            let sentence = say("{0} has no answer, and one is required.", "{0}没有回答，而此题必答。");
            let unanswered = || Cause::about("unanswered", question, sentence, &[]);
            return Some(self.change(Some(id), why).unwrap_or_else(unanswered));
        }
        let answer = *self.answers.get(&JsString::from(id))?;
        if let Some(found) = self.change(Some(id), |kind| matches!(kind, ChangeKind::Kind(..))) {
            return Some(found);
        }
        if entry.is_none() && problem.code == P::Blank {
            let needed = question.must_be_answered();
            return Some(if needed {
                let sentence =
                    say("{0} must be answered, and its answer is blank.", "{0}必答，而它的回答是空的。");
                Cause::about("blank", question, sentence, &[])
            } else {
                let sentence = say(
                    "{0} is optional and was left blank; a blank answer must be left out altogether.",
                    "{0}是选答题且留空；留空时应当整个省略它。",
                );
                Cause::about("not-left-out", question, sentence, &[])
            });
        }
        let value =
            || entry.map_or(Some(answer), |at: usize| answer.elements().nth(at)).and_then(Item::string);
        match problem.code {
            P::Blank | P::WrongForm => Some(wrong_type(question)),
            P::Duplicate => {
                let sentence = say("{0} names {1} twice.", "{0}里{1}出现了两次。");
                Some(Cause::about("duplicate", question, sentence, &[&quote(&value()?)]))
            }
            P::NotAnOption => Some(self.outside(question, &value()?)),
            _ => None,
        }
    }

    fn outside(&self, question: &Question, value: &JsString) -> Cause {
        let gone = |kind: &ChangeKind| match kind {
            ChangeKind::OptionRemoved(label) | ChangeKind::OptionRenamed(label, _) => label == value,
            ChangeKind::Other(false) => self.was_own(question, value),
            _ => false,
        };
        self.change(Some(&question.id), gone).unwrap_or_else(|| {
            let (sentence, meant) = slip(question, value);
            let meant = meant.map(|option| quote(&option.label)).unwrap_or_default();
            Cause::about("not-an-option", question, sentence, &[&quote(value), &meant])
        })
    }

    /// Whether the value was the author's own words when own words were allowed.
    fn was_own(&self, question: &Question, value: &JsString) -> bool {
        let before = self.then.and_then(|then| then.find(&question.id));
        before.is_some_and(|(_, before)| before.allow_other && before.option(value).is_none())
    }
}

fn other_version(found: f64, wanted: f64) -> Cause {
    let sentence = say(
        "The record is for version {0} of the questions; the gate asks version {1}.",
        "记录对应的问题版本是 {0}；门控现在是版本 {1}。",
    );
    Cause::new("other-version", Message::new(sentence, &[&js_number(found), &js_number(wanted)]))
}

fn other_topic(found: &JsString, wanted: &JsString) -> Cause {
    let sentence = say(
        "The record's topic is {0}; the gate's is {1}. It may answer another gate.",
        "记录的主题是{0}，门控的主题是{1}；它可能回答的是别的门控。",
    );
    Cause::new(OTHER_TOPIC, quoting_parts(sentence, &[&quote(found), &quote(wanted)]))
}

fn unknown_question(id: &JsString, near: Option<&str>) -> Cause {
    let sentence = match near {
        Some(_) => {
            say("{0} is no question of this gate; {1} may be meant.", "本门控没有问题{0}；可能想写的是 {1}。")
        }
        None => say("{0} is no question of this gate.", "本门控没有问题{0}。"),
    };
    Cause::new("unknown-question", quoting_parts(sentence, &[&quote(id), near.unwrap_or_default()]))
}

fn wrong_type(question: &Question) -> Cause {
    let sentence = match question.kind {
        Kind::MultiChoice => say(
            "{0} is {1}: its answer is a list of strings, even for one entry.",
            "{0}是{2}：回答应是字符串列表，只有一项也一样。",
        ),
        Kind::SingleChoice | Kind::FreeText => say(
            "{0} is {1}: its answer is one string, not a list, number or object.",
            "{0}是{2}：回答应是一个字符串，不能是列表、数字或对象。",
        ),
    };
    let kinds = [Lang::En, Lang::ZhCn].map(|lang| question.kind.words().text(lang));
    Cause::about("wrong-type", question, sentence, &kinds)
}

/// How a value that is no option came about, and the option that was probably meant. Of the options one is named by its number as
/// the list counts them, from 1, or with a remark behind its label, such as `(Recommended)`.
fn slip<'q>(question: &'q Question, value: &JsString) -> (Sentence, Option<&'q Choice>) {
    let options = &question.options;
    let (trimmed, folded) = (value.trimmed(), fold(&value.trimmed()));
    let found = |is_it: &dyn Fn(&Choice) -> bool| options.iter().find(|option| is_it(option));
    let is_numbered = || folded.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    let has_remark = |option: &&Choice| has_tail(&trimmed, &option.label);
    let is_near = || Some(&options[nearest(value, options.iter().map(|option| option.label.clone()))?]);
    if let Some(option) = found(&|option| option.label.trimmed() == trimmed) {
        let sentence = say(
            "{0}: {1} is the option {2} with other white space around it.",
            "{0}：{1}与选项{2}只差首尾空白。",
        );
        (sentence, Some(option))
    } else if let Some(option) = found(&|option| fold(&option.label) == folded) {
        let sentence = say(
            "{0}: {1} is the option {2} in other letter forms (case or width).",
            "{0}：{1}与选项{2}只差大小写或全角半角。",
        );
        (sentence, Some(option))
    } else if let Some(option) = found(&|option| option.description.trimmed() == trimmed) {
        let sentence = say(
            "{0}: {1} is the description of the option {2}, not its label.",
            "{0}：{1}是选项{2}的说明，不是标签。",
        );
        (sentence, Some(option))
    } else if let Some(option) = is_numbered() {
        let sentence = say(
            "{0}: {1} is the number of the option {2}, not its label.",
            "{0}：{1}是选项{2}的序号，不是标签。",
        );
        (sentence, Some(option))
    } else if let Some(option) = options.iter().filter(has_remark).max_by_key(|option| option.label.len()) {
        let sentence =
            say("{0}: {1} is the option {2} followed by a remark.", "{0}：{1}是选项{2}后面多写了说明。");
        (sentence, Some(option))
    } else if let Some(option) = is_near() {
        let sentence = say(
            "{0}: {1} is not one of the options; the nearest is {2}.",
            "{0}：{1}不是选项；最接近的是{2}。",
        );
        (sentence, Some(option))
    } else {
        let sentence = say(
            "{0}: {1} is not one of the options; own answers are not allowed.",
            "{0}：{1}不是选项，而此题只能从选项中选。",
        );
        (sentence, None)
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
    text.lossy().trim().chars().map(narrow).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
