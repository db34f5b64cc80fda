//! Entries of the history for programs and for people: each by itself.

use crate::ask::JsString;
use crate::ask::compare::titled;
use crate::command::lines;
use crate::command::output::{object, raw};
use crate::store::Project;
use crate::store::clock::local_time;
use crate::store::history::HistoryEntry;
use crate::text::{Lang, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as AnyValue};
use std::collections::BTreeMap;
use std::path::Path;

/// A record as it was once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HistoryEntry")]
pub(super) struct PrintedEntry {
    /// For --show and --restore.
    id: String,
    /// What happened to it then; seen: somebody else had written it.
    #[schemars(extend("enum" = ["answered", "repaired", "redone", "replaced", "restored", "seen"]))]
    reason: &'static str,
    /// When that happened.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Where the record was.
    answer_path: JsString,
    /// The packet that asked, if it is known.
    packet: Option<String>,
    /// Its step.
    step: Option<JsString>,
    /// The topic.
    topic: Option<JsString>,
    /// Who answered, as far as the record can be read.
    answered_by: Option<JsString>,
    /// When, as the record spells it.
    answered_at: Option<JsString>,
    /// Whether the record was valid.
    valid: bool,
    /// The hash of its bytes.
    sha256: String,
    /// How long it was.
    bytes: u64,
    /// The entry that this one followed from.
    of: Option<String>,
    /// The questions as they were asked then, a QuestionSpec.
    #[schemars(with = "Option<Map<String, AnyValue>>")]
    novel_ask: Option<Box<RawValue>>,
    /// The answers by question id, as far as the record can be read.
    #[schemars(with = "BTreeMap<String, AnyValue>")]
    answers: Box<RawValue>,
}

impl PrintedEntry {
    pub(super) fn of(entry: &HistoryEntry, project: &Project) -> PrintedEntry {
        let packet = |path| project.relative(Path::new(path)).to_string_lossy().into_owned();
        let answers = entry.answers();
        PrintedEntry {
            id: entry.id(),
            reason: entry.reason.name(),
            at: entry.at(),
            answer_path: entry.answer_path.clone(),
            packet: entry.packet.as_ref().map(packet),
            step: entry.step.clone(),
            topic: entry.topic.clone(),
            answered_by: entry.answered_by.clone(),
            answered_at: entry.answered_at.clone(),
            valid: entry.valid,
            sha256: entry.sha256.clone(),
            bytes: entry.bytes,
            of: entry.of.clone(),
            novel_ask: entry.novel_ask().map(raw),
            answers: object(answers.iter().map(|(id, value)| (id, raw(value.json())))),
        }
    }
}

/// Time, what happened, step, topic and id in columns; beneath it what was answered, if that is wanted.
pub(super) fn table(entries: &[HistoryEntry], full: bool, now: &Zoned, lang: Lang) -> Vec<String> {
    let cell = |text: Option<&JsString>| lines::cell(&text.map(JsString::display).unwrap_or_default());
    let row = |entry: &HistoryEntry| {
        let step = entry.step.as_ref().unwrap_or(&entry.answer_path);
        let event = lines::cell(&entry.event(lang));
        [local_time(entry.date(), now, lang), event, cell(Some(step)), cell(entry.topic.as_ref())]
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    let mut lines = Vec::with_capacity(entries.len());
    for (entry, mut line) in entries.iter().zip(lines::columns(rows)) {
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

fn answer_lines(entry: &HistoryEntry, lang: Lang) -> Vec<String> {
    let spec = entry.asked();
    let answers = entry.answers();
    let mut lines = Vec::new();
    for (id, value) in &answers {
        let sentence = say("    {0}: {1}", "    {0}：{1}");
        let text = value.shown(lang.comma());
        let mut words = text.lines();
        let first = words.next().unwrap_or_default();
        let question = spec.as_ref().and_then(|spec| spec.find(id.as_str()?)).map(|(_, question)| question);
        let name = titled(question.map(|question| &question.header), id);
        lines.push(sentence.fill(lang, &[&name, first]));
        lines.extend(words.map(|line| format!("      {line}")));
    }
    lines
}
