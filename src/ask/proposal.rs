//! Options that the executor proposes to an open question, a round at a time: whether a round will do, and the question with its
//! rounds. What it is to propose stands in the file of the question (`_propose`).

use super::answer::is_control_token;
use super::decode::decode_spec;
use super::js_string::JsString;
use super::json::{Item, Json, Kind, to_line};
use super::problem::{Pointer, Problem, ProblemCode, Problems, quote, quoted, shorten};
use super::question::{Choice, Question};
use super::reader::{Reader, elements, wrong};
use super::splice::with_member;
use super::standing::{Standing, as_object, folded};
use crate::text::{Safe, Sentence, say};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// So many options a round may have, whatever was asked for.
const MOST: usize = 20;
/// So many characters a label may have.
const LABEL: usize = 400;
/// So many characters a description may have.
const DESCRIPTION: usize = 4_000;
/// So many rounds of a question are put into a packet, however many its file has.
const ROUNDS: usize = 9;

/// One option of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    pub label: JsString,
    pub description: JsString,
}

/// What was proposed to a question at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The id of the question.
    pub question: String,
    pub options: Vec<Offered>,
}

/// A round as JSON, a list of options or an object that has it as `options`, if it can be put to a question as its file has it, after its earlier rounds.
///
/// # Errors
/// All that is wrong with it.
pub fn judge(list: &[u8], question: &Question, earlier: &[Round]) -> Result<Vec<Offered>, Vec<Problem>> {
    let json = Json::parse(list).map_err(|error| vec![error.into()])?;
    let (mut problems, at) = (Problems::default(), Pointer::ROOT.key("options"));
    let list = json.root().get("options").unwrap_or(json.root());
    if list.elements().nth(MOST).is_some() {
        let expected = say("20 options at most: the author reads each", "最多 20 个备选：作者要逐个读");
        let found = quoted(&list.elements().count().to_string());
        problems.push(&at, || Problem::new(ProblemCode::TooLarge, found, expected));
    }
    let mut known = HashSet::new();
    let mut options = Vec::new();
    for (place, item) in elements(Some(list), &at, &mut problems).take(MOST).enumerate().collect::<Vec<_>>() {
        let at = at.index(place);
        let Some(option) = offered(item, &at, &mut problems) else { continue };
        let label = alike(&option.label);
        let at = at.key("label");
        let mut refuse = |expected: Sentence| {
            let found = quoted(&quote(&option.label));
            problems.push(&at, || Problem::new(ProblemCode::Duplicate, found, expected));
        };
        if question.options.iter().any(|own| alike(&own.label) == label) {
            refuse(say(
                "a label of its own: the question has this option already, and keeps it",
                "问题里没有的标签：这个选项本来就有，也一直都在",
            ));
        } else if earlier.iter().flat_map(|round| &round.options).any(|old| alike(&old.label) == label) {
            refuse(say(
                "something else: an earlier round has this label, and its options can still be chosen",
                "没有提过的备选：前面一轮已有这个标签，那些备选仍然可选",
            ));
        } else if !known.insert(label) {
            refuse(say(
                "each label once, whatever its case, width and blanks",
                "每个标签只出现一次；大小写、全角半角和空白都不算差别",
            ));
        }
        options.push(option);
    }
    if problems.is_empty() { Ok(options) } else { Err(problems.into_list()) }
}

/// A label as the author tells it from others.
fn alike(label: &JsString) -> String {
    folded(&label.lossy()).split_whitespace().collect()
}

/// What a label should be in place of what it is.
fn expected(label: &JsString) -> Option<Sentence> {
    let label = label.trimmed();
    let text = label.lossy();
    let json = Json::parse(text.as_bytes());
    let is_json = json.is_ok_and(|json| matches!(json.root().kind(), Kind::Object | Kind::Array));
    let inside = text.trim_start_matches(['[', '{', ' ']);
    if is_json || inside.len() < text.len() && inside.starts_with('"') {
        return Some(say("words for the author, and no JSON", "给作者看的话，不是 JSON"));
    }
    if Safe::line(&text).as_str() != text {
        return Some(say("one line of characters that can be seen", "一行看得见的字"));
    }
    is_marked(&folded(&text))
        .then(|| say("words alone: marks like this are the program's", "只写话：这类记号由程序来加"))
}

/// Whether a label, folded, is or begins with what the program itself puts beside an option, such as `A1`, or in its place.
fn is_marked(label: &str) -> bool {
    const ROWS: [&str; 6] = ["other", "其他", "type your own", "自己写", "your own words", "自己写的"];
    let is_sign = |c: char| !c.is_alphanumeric();
    let is_digit = |c: char| c.is_ascii_digit();
    let is_number = |text: &str| !text.is_empty() && text.chars().all(is_digit);
    let words = label.trim_start_matches(is_sign);
    let behind = |rows: [&str; 2]| rows.into_iter().find_map(|row| words.strip_prefix(row));
    let progress = label.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let range = behind(["options", "选项"]).and_then(|numbers| numbers.trim_start().split_once('-'));
    is_control_token(label.split([' ', '(']).next().unwrap_or_default())
        || ROWS.contains(&words.trim_end_matches(is_sign))
        || progress
            .and_then(|(it, _)| it.split_once('/'))
            .is_some_and(|(at, of)| is_number(at) && is_number(of))
        || range.is_some_and(|(first, last)| is_number(first) && last.starts_with(is_digit))
        || begins_with_mark(behind(["earlier", "前几轮"]).unwrap_or(words).trim_start_matches(is_sign))
}

/// Whether a text, folded, begins with the mark that an option may have, and not with a longer word.
fn begins_with_mark(text: &str) -> bool {
    let number = text.trim_start_matches(|c| ('a'..='i').contains(&c));
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_place = number[..number.len() - behind.len()].parse().is_ok_and(|it| (1..=MOST).contains(&it));
    text.len() == number.len() + 1 && is_place && !behind.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// One option, if its texts will do.
fn offered(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<Offered> {
    const KEYS: [&str; 2] = ["label", "description"];
    let before = problems.count();
    let mut option = Reader::of(&KEYS, item, at, problems)?;
    option.only(&KEYS);
    let [label, description] = KEYS.map(|key| option.words(key));
    if let Some(expected) = label.as_ref().and_then(expected) {
        option.report("label", || wrong(expected, item.get("label")));
    }
    let texts = [(LABEL, &label), (DESCRIPTION, &description)];
    for (key, (most, text)) in KEYS.into_iter().zip(texts) {
        if text.as_ref().is_some_and(|text| text.display().chars().count() > most) {
            let expected = match most {
                LABEL => say(
                    "400 characters at most, the rest in the description",
                    "最多 400 个字符，其余写进 description",
                ),
                _ => say("4,000 characters at most", "最多 4000 个字符"),
            };
            let found = quoted(&shorten(item.get(key).map_or("", Item::source)));
            option.report(key, || Problem::new(ProblemCode::TooLarge, found, expected));
        }
    }
    let option = Offered { label: label?.trimmed(), description: description?.trimmed() };
    (problems.count() == before).then_some(option)
}

/// A question as it is asked after these rounds, each in its order: the newest in front, then the earlier ones, then its own options.
/// `None` if that is as its file says.
pub fn with_rounds(standing: &Standing, rounds: &[Round]) -> Option<Standing> {
    let proposed = |id: &str| {
        let all = rounds.iter().filter(|round| round.question == id).zip(1_usize..).take(ROUNDS);
        let mut all: Vec<(&Round, usize)> = all.collect();
        all.reverse();
        all
    };
    if standing.proposing.iter().all(|it| proposed(&it.question).is_empty()) {
        return None;
    }
    let (_, questions) = standing.members.iter().find(|(key, _)| *key == "questions")?;
    let json = Json::parse(questions.as_bytes()).ok()?;
    let written = json.root().elements().map(|question| {
        let id = question.text("id").unwrap_or_default().lossy().into_owned();
        let is_proposed = standing.proposing.iter().any(|it| it.question == id);
        let rounds = if is_proposed { proposed(&id) } else { Vec::new() };
        if rounds.is_empty() { Some(question.source().to_owned()) } else { with_options(question, &rounds) }
    });
    let written: Vec<String> = written.collect::<Option<_>>()?;
    let mut members = standing.members.clone();
    members.retain(|(key, _)| *key != "questions");
    members.push(("questions", format!("[{}]", written.join(", "))));
    let spec = Arc::new(decode_spec(&as_object(&members)).ok()?);
    Some(Standing { spec, members, ..standing.clone() })
}

/// One question with the options of these rounds in front of its own. What somebody has written into the file of the rounds by hand
/// must not spoil the packet.
fn with_options(question: Item<'_>, rounds: &[(&Round, usize)]) -> Option<String> {
    let own: Vec<Item<'_>> = question.get("options")?.elements().collect();
    let mut known: HashSet<JsString> = own.iter().filter_map(|option| option.text("label")).collect();
    let mut options = Vec::new();
    for (round, number) in rounds {
        for Offered { label, description } in round.options.iter().take(MOST) {
            if !label.is_blank() && !description.is_blank() && known.insert(label.clone()) {
                let (label, description, round) = (label.clone(), description.clone(), Some(*number));
                options.push(to_line(&Choice {
                    label,
                    description,
                    cluster: None,
                    sends_back: false,
                    round,
                }));
            }
        }
    }
    options.extend(own.iter().map(|option| option.source().to_owned()));
    let list = format!("[{}]", options.join(", "));
    String::from_utf8(with_member(question.source().as_bytes(), "options", Some(&list))?).ok()
}

#[cfg(test)]
mod tests;
