//! A record against its questions: the one rule book.
//!
//! A record is valid exactly when novel-writer-cli 0.5.0 accepts it; where it names the first violation, all are named here.
//! What is still good of a bad record can be had too.

use super::answer::{Answer, AnswerSpec, Answers, Notes};
use super::decode::{duplicate_entry, is_snake_case, nearest_label, not_snake_case};
use super::frame::{RECORD_KEYS, answers_in, records_inside};
use super::js_string::{JsString, js_number};
use super::json::{Item, Json, Kind as JsonKind};
use super::loss::{Loss, judged};
use super::mend::legible;
use super::problem::{
    Pointer, Problem, ProblemCode, Problems, nearest, quote, quote_in, quoted, quoting, shorten,
};
use super::question::{Choice, Kind, Question, QuestionSpec, label_places};
use super::reader::{ANSWERS, Reader, no_object, words, wrong};
use crate::text::{Lang, Message, Sentence, say};
use std::collections::HashSet;

/// Reads a record and checks it against its questions; an error is every violation, up to a thousand.
pub fn check_record(spec: &QuestionSpec, bytes: &[u8]) -> Result<AnswerSpec, Vec<Problem>> {
    read_record(Some(spec), bytes)
}

/// Checks a record whose questions are not known: its own shape and the form of its answers.
pub fn check_record_alone(bytes: &[u8]) -> Result<(), Vec<Problem>> {
    read_record(None, bytes).map(|_| ())
}

/// Without a spec the answers are judged by their form alone, and left out.
fn read_record(spec: Option<&QuestionSpec>, bytes: &[u8]) -> Result<AnswerSpec, Vec<Problem>> {
    judged(bytes, |bytes| judge(spec, bytes), || Loss::of_record(bytes))
}

fn judge(spec: Option<&QuestionSpec>, bytes: &[u8]) -> Result<AnswerSpec, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![error.into()])?;
    let mut problems = Problems::default();
    match members(spec, json.root(), &mut problems) {
        Some(record) if problems.is_empty() => Ok(record),
        _ => {
            let inside = spec.map(|spec| records_inside(&spec.places(), json.root())).unwrap_or_default();
            Err(match &*inside {
                [pointer] => vec![wrapped(json.root()).at(pointer)],
                _ => problems.into_list(),
            })
        }
    }
}

/// The problem of a record that another document holds.
fn wrapped(root: Item<'_>) -> Problem {
    let found = if root.kind() == JsonKind::Array {
        say("the record inside a list", "记录被放在列表里")
    } else {
        say("the record inside other JSON", "记录被包在别的 JSON 里")
    };
    Problem::new(ProblemCode::Other, found, say("the record alone", "单独的一份记录"))
        .with_hint(say("Whoever writes the file is to write that alone.", "写文件的一方应当只写记录本身。"))
}

fn members(spec: Option<&QuestionSpec>, root: Item<'_>, problems: &mut Problems) -> Option<AnswerSpec> {
    let mut record = Reader::of(&RECORD_KEYS, root, &Pointer::ROOT, problems)?;
    record.known(&RECORD_KEYS);
    let version = record.version();
    if let (Some(found), Some(spec)) = (version, spec)
        && !same_number(found, spec.version)
    {
        record.report("version", || version_differs(found, spec.version));
    }
    let topic = record.words("topic");
    if let (Some(found), Some(spec)) = (&topic, spec)
        && *found != spec.topic
    {
        record.report("topic", || topic_differs(found, &spec.topic));
    }
    let answered_at = record.words("answered_at");
    if let Some(at) = answered_at.as_ref().filter(|at| !at.as_str().is_some_and(is_date_time)) {
        record.report("answered_at", || not_date_time(at));
    }
    let answered_by = record.words("answered_by");
    let mut answers = Answers::new();
    match (record.get("answers"), spec) {
        (Some(item), Some(spec)) if item.kind() == JsonKind::Object => {
            answers = collect_answers(spec, item, true, record.problems);
        }
        (Some(item), None) if item.kind() == JsonKind::Object => check_forms(item, record.problems),
        (other, _) => record.report("answers", || no_object(&ANSWERS, other)),
    }
    let (version, topic, answered_at, answered_by) = (version?, topic?, answered_at?, answered_by?);
    Some(AnswerSpec { version, topic, answers, answered_at, answered_by, notes: notes_of(root) })
}

/// The notes of a record, as far as they are any: no rule says what stands under `_notes`.
pub(super) fn notes_of(record: Item<'_>) -> Notes {
    let entries = record.get("_notes").map(Item::entries).unwrap_or_default();
    entries.into_iter().filter_map(|(id, note)| Some((id, note.string()?))).collect()
}

/// Notes that are on no question of the spec are problems.
pub fn check_notes(spec: &QuestionSpec, notes: &Notes) -> Vec<Problem> {
    let mut problems = Problems::default();
    let notes_at = Pointer::ROOT.key("_notes");
    for (id, _) in notes.iter().filter(|(id, _)| spec.place_of(id).is_none()) {
        problems.push_with(&notes_at.name(id), |hint| unknown_question(spec, id, hint));
    }
    problems.into_list()
}

/// Each answer is a string or a list of different strings, whatever its question.
fn check_forms(answers: Item<'_>, problems: &mut Problems) {
    let answers_at = Pointer::ROOT.key("answers");
    for (id, item) in answers.entries() {
        let at = answers_at.name(&id);
        if !is_snake_case(&id) {
            problems.push(&at, || not_snake_case(&id));
        }
        if item.elements().next().is_none() {
            if item.string().is_none_or(|text| text.is_blank()) {
                problems.push(&at, || no_answer(item));
            }
            continue;
        }
        let mut seen = HashSet::new();
        for (i, entry) in item.elements().enumerate() {
            let at = at.index(i);
            let Some(value) = words(Some(entry), &at, problems) else { continue };
            if !seen.insert(value.clone()) {
                problems.push(&at, || duplicate_entry(&value));
            }
        }
    }
}

/// Checks an `answers` object that is given for a gate, wherever it comes from; the good answers, in question order. A label that sends
/// the gate back is good here, and in no record.
pub fn check_answers(spec: &QuestionSpec, answers: Item<'_>, problems: &mut Vec<Problem>) -> Answers {
    let mut found = Problems::default();
    let good = collect_answers(spec, answers, false, &mut found);
    problems.append(&mut found.into_list());
    good
}

/// Whether a file is plainly another document than a record, so that removing it wants a second thought. A torn or empty
/// file is no such document.
pub fn is_another_document(bytes: &[u8]) -> bool {
    const MARKS: [&str; 3] = ["answers", "answered_at", "answered_by"];
    let has_none = |json: &Json<'_>| MARKS.iter().all(|mark| json.root().get(mark).is_none());
    if let Ok(json) = Json::parse_keeping(bytes, &MARKS) {
        return has_none(&json);
    }
    if Json::parse_keeping(&legible(bytes), &MARKS).is_ok_and(|json| !has_none(&json)) {
        return false;
    }
    let text = String::from_utf8_lossy(bytes);
    !text.trim().is_empty() && !text.contains("\"version\"") && !text.contains("\"answer")
}

/// When a record says that it was answered, whatever is wrong with it.
pub fn answered_at(bytes: &[u8]) -> Option<JsString> {
    Json::parse_keeping(bytes, &["answered_at"]).ok()?.root().get("answered_at")?.string()
}

/// What is still good in a record: answers that fit their questions, whatever else is wrong with it.
pub fn salvage(spec: &QuestionSpec, bytes: &[u8]) -> Answers {
    let bytes = legible(bytes);
    let json = Json::parse(&bytes).ok();
    let answers = json.as_ref().and_then(|json| answers_in(json.root(), &spec.places()));
    answers.map(|item| collect_answers(spec, item, false, &mut Problems::default())).unwrap_or_default()
}

fn collect_answers(
    spec: &QuestionSpec,
    answers: Item<'_>,
    is_record: bool,
    problems: &mut Problems,
) -> Answers {
    let answers_at = Pointer::ROOT.key("answers");
    let places = spec.places();
    let mut good: Vec<Option<Answer>> = vec![None; spec.questions.len()];
    let mut seen = vec![false; spec.questions.len()];
    for (id, item) in answers.entries() {
        let at = answers_at.name(&id);
        if !is_snake_case(&id) {
            problems.push(&at, || not_snake_case(&id));
            continue;
        }
        let Some(&place) = id.as_str().and_then(|id| places.get(id)) else {
            problems.push_with(&at, |hint| unknown_question(spec, &id, hint));
            continue;
        };
        seen[place] = true;
        good[place] = check_answer(&spec.questions[place], item, &at, is_record, problems);
    }
    for (question, seen) in spec.questions.iter().zip(seen) {
        if !seen && question.must_be_answered() {
            problems.push(&answers_at.key(&question.id), || unanswered(&question.id));
        }
    }
    let ids = spec.questions.iter().map(|question| question.id.clone());
    ids.zip(good).filter_map(|(id, answer)| Some((id, answer?))).collect()
}

/// Whether a value is an answer to this question.
pub(super) fn fits(question: &Question, item: Item<'_>) -> bool {
    check_answer(question, item, &Pointer::ROOT, false, &mut Problems::default()).is_some()
}

fn check_answer(
    question: &Question,
    item: Item<'_>,
    at: &Pointer<'_>,
    is_record: bool,
    problems: &mut Problems,
) -> Option<Answer> {
    let before = problems.count();
    let shape_fits = match question.kind {
        Kind::MultiChoice => item.kind() == JsonKind::Array,
        Kind::SingleChoice | Kind::FreeText => item.kind() == JsonKind::String,
    };
    if !shape_fits {
        problems.push(at, || wrong_type(question.kind, item));
        return None;
    }
    let answer = match question.kind {
        Kind::MultiChoice => Answer::Many(check_entries(question, item, at, problems)),
        Kind::SingleChoice | Kind::FreeText => {
            let value = words(Some(item), at, problems)?;
            let is_given = !is_record && question.option(&value).is_some();
            let fits = question.kind == Kind::FreeText || is_given || question.takes(&value);
            if !fits {
                outside(question, &value, at, is_record, problems);
            }
            Answer::One(value)
        }
    };
    (problems.count() == before).then_some(answer)
}

fn check_entries(
    question: &Question,
    list: Item<'_>,
    at: &Pointer<'_>,
    problems: &mut Problems,
) -> Vec<JsString> {
    let places = label_places(&question.options);
    let mut ticked = vec![false; question.options.len()];
    let mut own = HashSet::new();
    let mut out = Vec::new();
    for (i, item) in list.elements().enumerate() {
        let here = at.index(i);
        let Some(value) = words(Some(item), &here, problems) else { continue };
        let place = places.get(&value).copied();
        let is_new = match place {
            Some(place) => !std::mem::replace(&mut ticked[place], true),
            None => own.insert(value.clone()),
        };
        if !is_new {
            problems.push(&here, || duplicate_entry(&value));
            continue;
        }
        if place.is_none() && !question.allow_other {
            outside(question, &value, &here, true, problems);
        }
        out.push(value);
    }
    if list.elements().next().is_none() {
        problems.push(at, || no_answer(list));
    }
    out
}

const SENDS_BACK: Sentence = say(
    "It sends the step back, which no record can: choose it in the console or with answer.",
    "这一项是退回，不能写进记录：请在控制台里选它，或用 answer 命令。",
);

/// The problem of a value that is no option where nothing else is allowed.
fn outside(
    question: &Question,
    value: &JsString,
    at: &Pointer<'_>,
    is_record: bool,
    problems: &mut Problems,
) {
    problems.push_with(at, |hint| {
        let back = question.options.iter().filter(|option| is_record && option.sends_back).count();
        let opening = &question.options[..question.options.len() - back];
        let expected =
            Message::in_both(|lang| say("one of: {0}", "{0}之一").fill(lang, &[&labels(opening, lang)]));
        let problem = Problem::new(ProblemCode::NotAnOption, quoted(&quote(value)), expected);
        if question.option(value).is_some() {
            return problem.with_hint(SENDS_BACK);
        }
        problem.with_nearest(hint.then(|| nearest_label(value, opening)).flatten())
    });
}

/// The first few labels, and how many there are.
fn labels(options: &[Choice], lang: Lang) -> String {
    const SHOWN: usize = 8;
    let mut out: Vec<String> =
        options.iter().take(SHOWN).map(|option| quote_in(lang, &option.label)).collect();
    if options.len() > SHOWN {
        out.push(format!("… ({})", options.len()));
    }
    out.join(lang.comma())
}

const OTHER_GATE: Sentence = say(
    "The record answers another gate, or an older form of this one.",
    "这份记录回答的是别的门控，或本门控的旧版本。",
);

fn version_differs(found: f64, wanted: f64) -> Problem {
    let expected = say("the packet's version, {0}", "与指令包一致的版本 {0}");
    let expected = Message::new(expected, &[&js_number(wanted)]);
    let found = Message::verbatim(js_number(found));
    Problem::new(ProblemCode::VersionDiffers, found, expected).with_hint(OTHER_GATE)
}

fn topic_differs(found: &JsString, wanted: &JsString) -> Problem {
    let expected = quoting(say("the packet's topic, {0}", "与指令包一致的主题{0}"), wanted);
    let found = quoted(&quote(found));
    Problem::new(ProblemCode::TopicDiffers, found, expected).with_hint(OTHER_GATE)
}

fn not_date_time(found: &JsString) -> Problem {
    let expected = say(
        "a date and time with a zone, such as 2026-02-27T10:12:34.000Z",
        "带时区的日期时间，例如 2026-02-27T10:12:34.000Z",
    );
    Problem::new(ProblemCode::NotDateTime, quoted(&quote(found)), expected)
}

fn unknown_question(spec: &QuestionSpec, id: &JsString, hint: bool) -> Problem {
    let expected = say("the id of a question of this gate", "本门控中某个问题的 id");
    Problem::new(ProblemCode::UnknownQuestion, quoted(&quote(id)), expected)
        .with_nearest(hint.then(|| nearest_id(spec, id)).flatten().map(|id| shorten(&id)))
}

fn unanswered(id: &str) -> Problem {
    let expected = say("an answer: the question is required", "一个回答：此题必答");
    let problem = Problem::new(ProblemCode::Unanswered, say("no answer", "没有回答"), expected);
    if id != "constructor" {
        return problem;
    }
    problem.with_hint(say(
        "The executor demands an answer to any question with the id constructor, even an optional one.",
        "只要问题的 id 是 constructor，执行器就要求回答，即使它是选答题。",
    ))
}

fn wrong_type(kind: Kind, item: Item<'_>) -> Problem {
    let expected = match kind {
        Kind::MultiChoice => say("a list of strings", "字符串列表"),
        Kind::SingleChoice | Kind::FreeText => say("one string", "一个字符串"),
    };
    Problem { found: quoted(&shorten(item.source())), ..wrong(expected, Some(item)) }
}

/// An answer that is neither words nor a list with some.
fn no_answer(item: Item<'_>) -> Problem {
    let expected = say("a string or a list of strings, not blank", "非空白的字符串或字符串列表");
    let problem = wrong(expected, Some(item));
    if item.kind() != JsonKind::Array {
        return problem;
    }
    problem.with_hint(say(
        "To leave an optional question blank, leave its id out.",
        "选答题留空时，请整个省略它的 id。",
    ))
}

pub(super) fn nearest_id(spec: &QuestionSpec, id: &JsString) -> Option<String> {
    let ids = spec.questions.iter().map(|question| JsString::from(question.id.as_str()));
    nearest(id, ids).map(|place| spec.questions[place].id.clone())
}

/// `===` on two finite numbers: 1.0 is 1, and 2^53 is 2^53 + 1.
#[expect(clippy::float_cmp, reason = "the reference compares doubles exactly")]
pub(super) fn same_number(a: f64, b: f64) -> bool {
    a == b
}

/// Whether `text` is a legal `answered_at`: the pattern of novel-writer-cli 0.5.0, then the field ranges of JavaScript's
/// `Date.parse`, which knows 31 February and 24:00:00. No date library agrees with it.
pub fn is_date_time(text: &str) -> bool {
    let Some((head, rest)) = text.as_bytes().split_at_checked(19) else { return false };
    let digits = rest
        .strip_prefix(b".")
        .map(|digits| digits.split_at(digits.iter().take_while(|b| b.is_ascii_digit()).count()));
    let (fraction, zone) = digits.unwrap_or((&[], rest));
    if !has_shape(head, b"dddd-dd-ddTdd:dd:dd")
        || !(usize::from(digits.is_some())..=9).contains(&fraction.len())
    {
        return false;
    }
    let [month, day, hour, minute, second] = [5, 8, 11, 14, 17].map(|at| two_digits(head, at));
    let midnight = hour == 24 && minute == 0 && second == 0 && fraction.iter().all(|&byte| byte == b'0');
    let offset =
        zone.strip_prefix(b"+").or(zone.strip_prefix(b"-")).filter(|offset| has_shape(offset, b"dd:dd"));
    (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && minute <= 59
        && second <= 59
        && (hour <= 23 || midnight)
        && (zone == b"Z"
            || offset.is_some_and(|offset| two_digits(offset, 0) <= 23 && two_digits(offset, 3) <= 59))
}

/// Whether a text is as long as the shape, a digit for each `d`, all else the same.
fn has_shape(text: &[u8], shape: &[u8]) -> bool {
    let fits = |(&byte, &want): (&u8, &u8)| if want == b'd' { byte.is_ascii_digit() } else { byte == want };
    text.len() == shape.len() && text.iter().zip(shape).all(fits)
}

fn two_digits(text: &[u8], at: usize) -> u8 {
    (text[at] - b'0') * 10 + text[at + 1] - b'0'
}

#[cfg(test)]
mod tests;
