//! Entries of the history, for programs and for people.
//!
//! Responsible for their JSON and for the table. Not responsible for choosing them (`history`).

use crate::ask::compare::{Given, Value, titled};
use crate::ask::{JsString, Object, QuestionSpec};
use crate::store::Project;
use crate::store::history::Entry;
use crate::text::width::{cells, pad};
use crate::text::{Lang, Safe, say};
use std::path::Path;

/// A step or topic is shown up to this many cells.
const COLUMN: usize = 32;

/// The members of an entry; see `docs/history.md`.
pub(super) fn entry_json(entry: &Entry, project: &Project) -> String {
    let packet = entry.packet.as_ref().map(|path| project.relative(Path::new(path)).to_string_lossy());
    Object::new()
        .text("id", &entry.id())
        .text("reason", entry.reason.name())
        .text("at", &entry.at)
        .js("answer_path", &entry.answer_path)
        .text_or_null("packet", packet.as_deref())
        .js_or_null("step", entry.step.as_ref())
        .js_or_null("topic", entry.topic.as_ref())
        .js_or_null("answered_by", entry.answered_by.as_ref())
        .js_or_null("answered_at", entry.answered_at.as_ref())
        .boolean("valid", entry.valid)
        .text("sha256", &entry.sha256)
        .number("bytes", entry.bytes)
        .text_or_null("of", entry.of.as_deref())
        .raw("novel_ask", entry.novel_ask().as_deref().unwrap_or("null"))
        .raw("answers", &answers_json(&entry.answers()))
        .finish()
}

fn answers_json(answers: &Given) -> String {
    let object = answers
        .iter()
        .fold(Object::new(), |object, (id, value)| object.js_key(id, |out| out.push_str(&value.json())));
    object.finish()
}

/// Time, reason, who, step, topic and id in columns; beneath it what was answered, if that is wanted.
pub(super) fn table(entries: &[Entry], full: bool, lang: Lang) -> Vec<String> {
    let clean = |text: Option<&JsString>| {
        let text = text.map(JsString::display).unwrap_or_default();
        Safe::line(&text).fit(COLUMN).into_string()
    };
    let rows: Vec<[String; 5]> = entries
        .iter()
        .map(|entry| {
            let step = entry.step.as_ref().unwrap_or(&entry.answer_path);
            let word = entry.reason.word().text(lang).to_owned();
            let by = clean(entry.answered_by.as_ref());
            [entry.shown_time(), word, by, clean(Some(step)), clean(entry.topic.as_ref())]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| cells(&row[column])).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut lines = Vec::with_capacity(rows.len());
    for (entry, row) in entries.iter().zip(&rows) {
        let mut line = String::new();
        for (text, width) in row.iter().zip(widths).filter(|(_, width)| *width > 0) {
            line.push_str(&pad(text, width));
            line.push_str("  ");
        }
        line.push_str(&entry.id());
        if !entry.valid {
            line.push_str(say(" (invalid)", "（无效）").text(lang));
        }
        lines.push(line);
        if full {
            lines.extend(answer_lines(entry, lang));
        }
    }
    lines
}

fn answer_lines(entry: &Entry, lang: Lang) -> Vec<String> {
    let spec = entry.asked();
    let answers = entry.answers();
    let mut lines = Vec::new();
    for (id, value) in &answers {
        let sentence = say("    {0}: {1}", "    {0}：{1}");
        let text = said(value, lang);
        let mut words = text.lines();
        let first = words.next().unwrap_or_default();
        lines.push(sentence.fill(lang, &[&name(spec.as_ref(), id), first]));
        lines.extend(words.map(|line| format!("      {line}")));
    }
    lines
}

/// A question by its header and its id.
pub(super) fn name(spec: Option<&QuestionSpec>, id: &JsString) -> String {
    let header = spec.and_then(|spec| spec.find(id.as_str()?)).map(|(_, question)| &question.header);
    titled(header, id)
}

/// An answer for people.
pub(super) fn said(value: &Value, lang: Lang) -> String {
    value.shown(if lang == Lang::En { ", " } else { "、" })
}
