//! `history --compare`: two entries, question by question.
//!
//! Responsible for showing the differences. Not responsible for finding them (`ask::compare`).

use super::shown::{entry_json, said};
use crate::ask::compare::{Comparison, Pair, Side, Value, compare, titled};
use crate::ask::object::list;
use crate::ask::{Change, Object};
use crate::command::{Session, report};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::history::Entry;
use crate::text::lang::plural;
use crate::text::{Lang, say};

/// Prints what is different.
///
/// # Errors
/// It cannot be printed.
pub(super) fn tell(
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
        say("Both answer the same.", "两者回答相同。").text(lang).to_owned()
    } else {
        let count =
            [plural(different, "question differs", "questions differ").into_owned(), different.to_string()];
        say("{0}.", "{1} 个问题不同。").fill(lang, &[&count[0], &count[1]])
    };
    if session.global.json {
        let object = report::head("ok", ExitCode::Done, "compared", &message)
            .boolean("same", found.is_same())
            .raw("before", &entry_json(&pair[0], project))
            .raw("after", &entry_json(&pair[1], project))
            .raw("changes", &changes_json(&found.changes, lang))
            .raw("questions", &list(found.questions.iter().map(|pair| pair_json(pair, lang))));
        session.json(object)?;
    } else {
        let mut lines: Vec<String> = pair.iter().map(|entry| head(entry, lang)).collect();
        lines.extend(body(&found, lang));
        lines.push(message);
        session.say(&lines)?;
    }
    Ok(ExitCode::Done)
}

fn head(entry: &Entry, lang: Lang) -> String {
    let by = entry.answered_by.as_ref().map(|by| by.display().into_owned()).unwrap_or_default();
    let parts = [entry.id(), entry.shown_time(), entry.reason.word().text(lang).to_owned(), by];
    say("{0}: {1}, {2}, {3}", "{0}：{1}，{2}，{3}").fill(lang, &[&parts[0], &parts[1], &parts[2], &parts[3]])
}

fn body(found: &Comparison, lang: Lang) -> Vec<String> {
    let mut lines: Vec<String> = found.changes.iter().map(|change| change.text(lang)).collect();
    for pair in found.questions.iter().filter(|pair| !pair.is_same()) {
        lines.push(titled(pair.header.as_ref(), &pair.id));
        let blank = || say("(no answer)", "（没有回答）").text(lang).to_owned();
        let told = |value: &Option<Value>| value.as_ref().map_or_else(blank, |value| said(value, lang));
        if pair.before == pair.after {
            lines.extend(marked(' ', &told(&pair.after)));
        } else {
            lines.extend(marked('-', &told(&pair.before)));
            lines.extend(marked('+', &told(&pair.after)));
        }
        lines.extend(pair.changes.iter().map(|change| format!("  * {}", change.text_below_question(lang))));
    }
    lines
}

fn marked(mark: char, words: &str) -> impl Iterator<Item = String> {
    words.lines().map(move |line| format!("  {mark} {line}"))
}

fn pair_json(pair: &Pair, lang: Lang) -> String {
    let value = |value: &Option<Value>| value.as_ref().map_or_else(|| "null".to_owned(), Value::json);
    Object::new()
        .js("id", &pair.id)
        .js_or_null("header", pair.header.as_ref())
        .boolean("same", pair.is_same())
        .raw("before", &value(&pair.before))
        .raw("after", &value(&pair.after))
        .raw("changes", &changes_json(&pair.changes, lang))
        .finish()
}

fn changes_json(changes: &[Change], lang: Lang) -> String {
    list(changes.iter().map(|change| {
        Object::new().text("code", change.kind.code()).text("text", &change.text(lang)).finish()
    }))
}
