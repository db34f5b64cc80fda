//! `history --compare`: two entries, question by question.

use super::entries::{HistoryEntry, value_text};
use crate::ask::compare::{Comparison, Pair, Side, Value, compare, titled};
use crate::ask::{Change, JsString};
use crate::command::Session;
use crate::command::output::{Head, raw};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::clock::local_time;
use crate::store::history::Entry;
use crate::text::lang::plural;
use crate::text::{Lang, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

/// --compare: two entries, question by question.
#[derive(Serialize, JsonSchema)]
pub(super) struct HistoryCompared {
    /// Whether both answer the same to the same questions.
    same: bool,
    /// The first entry.
    before: HistoryEntry,
    /// The second entry.
    after: HistoryEntry,
    /// What changed that concerns no single question.
    changes: Vec<ComparedChange>,
    /// Every question of either.
    questions: Vec<ComparedQuestion>,
}

/// One question and both answers.
#[derive(Serialize, JsonSchema)]
struct ComparedQuestion {
    /// The question's id.
    id: JsString,
    /// Its short title.
    header: Option<JsString>,
    /// Whether question and answer are the same in both.
    same: bool,
    /// The first answer; null if there is none.
    #[schemars(with = "serde_json::Value")]
    before: Option<Box<RawValue>>,
    /// The second answer; null if there is none.
    #[schemars(with = "serde_json::Value")]
    after: Option<Box<RawValue>>,
    /// What changed in the question.
    changes: Vec<ComparedChange>,
}

/// A change of the questions.
#[derive(Serialize, JsonSchema)]
struct ComparedChange {
    /// What changed; stable, such as option-removed.
    code: &'static str,
    /// The same in a sentence.
    text: String,
}

/// Prints what is different.
///
/// # Errors
/// It cannot be printed.
pub(super) fn print(
    session: &mut Session<'_>,
    project: &Project,
    pair: &[Entry; 2],
) -> Result<ExitCode, Error> {
    // The bytes must be there: what cannot be read is not the same as what answers nothing.
    for entry in pair {
        entry.bytes()?;
    }
    let (specs, answers) = (pair.each_ref().map(Entry::asked), pair.each_ref().map(Entry::answers));
    let side = |place: usize| Side { spec: specs[place].as_ref(), answers: &answers[place] };
    let found = compare(side(0), side(1));
    let different = found.questions.iter().filter(|pair| !pair.is_same()).count();
    let lang = session.lang;
    let message = if found.is_same() {
        say("Both give the same answers.", "两者回答相同。").text(lang).to_owned()
    } else {
        let count =
            [plural(different, "question differs", "questions differ").into_owned(), different.to_string()];
        say("{0}.", "{1} 个问题不同。").fill(lang, &[&count[0], &count[1]])
    };
    let now = session.clock.local_now();
    let mut lines: Vec<String> = pair.iter().map(|entry| title(entry, &now, lang)).collect();
    lines.extend(body(&found, lang));
    lines.push(message.clone());
    let output = HistoryCompared {
        same: found.is_same(),
        before: HistoryEntry::of(&pair[0], project),
        after: HistoryEntry::of(&pair[1], project),
        changes: changes(&found.changes, lang),
        questions: found.questions.iter().map(|pair| ComparedQuestion::of(pair, lang)).collect(),
    };
    session.reply(Head::ok("compared", message), output, &lines)
}

fn title(entry: &Entry, now: &Zoned, lang: Lang) -> String {
    let parts = [entry.id(), local_time(entry.time(), now, lang), entry.event(lang)];
    say("{0}: {1}, {2}", "{0}：{1}，{2}").fill(lang, &[&parts[0], &parts[1], &parts[2]])
}

fn body(found: &Comparison, lang: Lang) -> Vec<String> {
    let mut lines: Vec<String> = found.changes.iter().map(|change| change.text(lang)).collect();
    for pair in found.questions.iter().filter(|pair| !pair.is_same()) {
        lines.push(titled(pair.header.as_ref(), &pair.id));
        let blank = || say("(no answer)", "（没有回答）").text(lang).to_owned();
        let text = |value: &Option<Value>| value.as_ref().map_or_else(blank, |value| value_text(value, lang));
        if pair.before == pair.after {
            lines.extend(marked(' ', &text(&pair.after)));
        } else {
            lines.extend(marked('-', &text(&pair.before)));
            lines.extend(marked('+', &text(&pair.after)));
        }
        lines.extend(pair.changes.iter().map(|change| format!("  * {}", change.text_below_question(lang))));
    }
    lines
}

fn marked(mark: char, words: &str) -> impl Iterator<Item = String> {
    words.lines().map(move |line| format!("  {mark} {line}"))
}

impl ComparedQuestion {
    fn of(pair: &Pair, lang: Lang) -> ComparedQuestion {
        let value = |value: &Option<Value>| value.as_ref().map(|value| raw(value.json()));
        ComparedQuestion {
            id: pair.id.clone(),
            header: pair.header.clone(),
            same: pair.is_same(),
            before: value(&pair.before),
            after: value(&pair.after),
            changes: changes(&pair.changes, lang),
        }
    }
}

fn changes(changes: &[Change], lang: Lang) -> Vec<ComparedChange> {
    let compared = |change: &Change| ComparedChange { code: change.kind.code(), text: change.text(lang) };
    changes.iter().map(compared).collect()
}
