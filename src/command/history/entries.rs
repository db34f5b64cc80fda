//! Entries of the history for programs and for people: each by itself, and two side by side (`--compare`).

use crate::ask::compare::{Comparison, Pair, Side, Value, compare, titled};
use crate::ask::{Change, JsString};
use crate::command::output::{Head, object, raw};
use crate::command::{Session, lines};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::clock::local_time;
use crate::store::history::HistoryEntry;
use crate::text::lang::plural;
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
    /// For --compare and --restore.
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
            at: entry.at.clone(),
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
    let mut lines = Vec::with_capacity(rows.len());
    for (entry, mut line) in entries.iter().zip(lines::columns(&rows)) {
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
        let text = value_text(value, lang);
        let mut words = text.lines();
        let first = words.next().unwrap_or_default();
        let question = spec.as_ref().and_then(|spec| spec.find(id.as_str()?)).map(|(_, question)| question);
        let name = titled(question.map(|question| &question.header), id);
        lines.push(sentence.fill(lang, &[&name, first]));
        lines.extend(words.map(|line| format!("      {line}")));
    }
    lines
}

pub(super) fn value_text(value: &Value, lang: Lang) -> String {
    value.shown(lang.comma())
}

/// --compare: two entries, question by question.
#[derive(Serialize, JsonSchema)]
pub(super) struct HistoryCompared {
    /// Whether both answer the same to the same questions.
    same: bool,
    /// The first entry.
    before: PrintedEntry,
    /// The second entry.
    after: PrintedEntry,
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

pub(super) fn print_compared(
    session: &mut Session<'_>,
    project: &Project,
    pair: &[HistoryEntry; 2],
) -> Result<ExitCode, Error> {
    // The bytes must be there: what cannot be read is not the same as what answers nothing.
    for entry in pair {
        entry.bytes()?;
    }
    let (specs, answers) =
        (pair.each_ref().map(HistoryEntry::asked), pair.each_ref().map(HistoryEntry::answers));
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
        before: PrintedEntry::of(&pair[0], project),
        after: PrintedEntry::of(&pair[1], project),
        changes: changes(&found.changes, lang),
        questions: found.questions.iter().map(|pair| ComparedQuestion::of(pair, lang)).collect(),
    };
    session.output(Head::ok("compared", message), output, &lines)
}

fn title(entry: &HistoryEntry, now: &Zoned, lang: Lang) -> String {
    let parts = [entry.id(), local_time(entry.date(), now, lang), entry.event(lang)];
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
