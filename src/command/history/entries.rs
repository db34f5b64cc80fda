//! Entries of the history for programs and for people: each by itself.

use crate::ask::JsString;
use crate::ask::compare::{Side, compare, titled};
use crate::ask::draft::IS_DEFAULT;
use crate::command::heard::Telling;
use crate::command::lines;
use crate::command::output::{object, raw};
use crate::error::Error;
use crate::platform::paths::Shown as _;
use crate::store::clock::local_time;
use crate::store::hearing::{Hearing, HistoryHearings};
use crate::store::history::{EntryKind, Found, HistoryEntry};
use crate::store::returned::Why;
use crate::store::{Project, StateDir};
use crate::text::{Lang, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as AnyValue};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::iter;
use std::path::Path;
use strum::VariantNames as _;

/// A record as it was once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HistoryEntry")]
pub(super) struct PrintedEntry {
    /// For --show and --restore.
    id: String,
    /// What it keeps: a record, answers that sent the step back, the file of a standing question, an old text of a packet.
    #[schemars(extend("enum" = EntryKind::VARIANTS))]
    kind: &'static str,
    /// What happened to it then; seen: somebody else had written it; sent-back: there was none, but the answers so far.
    #[schemars(extend("enum" = ["answered", "repaired", "redone", "replaced", "restored", "seen", "sent-back"]))]
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
    /// Whether the record was valid; whether a standing question can be asked, and a packet be read.
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
    /// The ids of the questions whose defaults the record has, untouched, as far as it is known.
    defaults: Vec<String>,
    /// The notes on the answers by question id, as far as the record can be read.
    #[schemars(with = "BTreeMap<String, String>")]
    notes: Box<RawValue>,
    /// What the author gave in place of a record; null of a record.
    sent_back: Option<PrintedRefusal>,
    /// Who was told this record, the last one last.
    told: Vec<Telling>,
    /// Whether it is the record that stands, the step has made outputs since, and nobody was told.
    untold: bool,
}

/// Why there was no record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HistoryRefusal")]
struct PrintedRefusal {
    /// The label of a verdict that was chosen.
    choice: Option<JsString>,
    /// The id of a question that does not apply.
    does_not_apply: Option<String>,
    /// In the author's words.
    reason: JsString,
}

impl PrintedRefusal {
    fn of(Why { choice, does_not_apply, reason, .. }: Why) -> PrintedRefusal {
        PrintedRefusal { choice, does_not_apply, reason }
    }
}

impl PrintedEntry {
    pub(super) fn of(entry: &HistoryEntry, project: &Project, hearing: Option<&Hearing>) -> PrintedEntry {
        let packet = |path| project.relative(Path::new(path)).shown().into_owned();
        let (answers, notes) = entry.said();
        PrintedEntry {
            id: entry.id(),
            kind: entry.kind().name(),
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
            defaults: entry.defaults(),
            notes: object(notes.iter().map(|(id, note)| (id, note))),
            sent_back: Why::of_entry(entry).map(PrintedRefusal::of),
            told: hearing.into_iter().flat_map(Hearing::told).map(Telling::of).collect(),
            untold: hearing.is_some_and(Hearing::is_untold),
        }
    }
}

/// Entries for a program, each read when it is printed.
pub(super) struct PrintedEntries<'e> {
    pub(super) found: &'e Found,
    pub(super) project: &'e Project,
    pub(super) state: &'e StateDir,
    /// Why not all of them could be read.
    pub(super) fault: &'e RefCell<Option<Error>>,
}

impl Serialize for PrintedEntries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut hearings = HistoryHearings::new(self.project);
        let print = |entry: Result<HistoryEntry, Error>| {
            let entry = entry.map_err(|error| self.fault.replace(Some(error))).ok()?;
            Some(PrintedEntry::of(&entry, self.project, hearings.of(&entry).as_ref()))
        };
        serializer.collect_seq(self.found.entries(self.state).map_while(print))
    }
}

/// Time, what happened, step and topic of entries in columns.
pub(super) fn columns(
    entries: &[HistoryEntry],
    now: &Zoned,
    lang: Lang,
) -> impl Iterator<Item = String> + use<> {
    let cell = |text: Option<&JsString>| lines::cell(&text.map(JsString::display).unwrap_or_default());
    let row = |entry: &HistoryEntry| {
        let event = lines::cell(&entry.event(lang));
        [local_time(entry.date(), now, lang), event, cell(Some(&entry.name())), cell(entry.topic.as_ref())]
    };
    lines::columns(entries.iter().map(row).collect())
}

/// An entry's columns with its id; beneath them what was answered and who was told, if that is wanted.
pub(super) fn rows(
    entry: &HistoryEntry,
    mut line: String,
    hearing: Option<&Hearing>,
    full: Option<&Zoned>,
    lang: Lang,
) -> Vec<String> {
    line.push_str(&entry.id());
    if entry.is_bad() {
        line.push_str(say(" (invalid)", "（无效）").text(lang));
    }
    if hearing.is_some_and(Hearing::is_untold) {
        line.push_str(lines::UNTOLD.text(lang));
    }
    let mut lines = vec![line];
    if let Some(now) = full {
        lines.extend(refusal_lines(entry, lang).map(|line| format!("    {line}")));
        lines.extend(answer_lines(entry, lang));
        lines.extend(hearing_lines(entry, hearing, now, lang).map(|line| format!("    {line}")));
    }
    lines
}

fn hearing_lines(
    entry: &HistoryEntry,
    hearing: Option<&Hearing>,
    now: &Zoned,
    lang: Lang,
) -> impl Iterator<Item = String> {
    let packet = Path::new(entry.packet.as_deref().unwrap_or_default());
    lines::hearing(hearing, entry.step.as_ref(), packet, now, lang).into_iter()
}

/// Why the step was sent back, if that is what happened.
fn refusal_lines(entry: &HistoryEntry, lang: Lang) -> impl Iterator<Item = String> {
    let lines = Why::of_entry(entry).map(|why| {
        let id = why.does_not_apply.map(JsString::from);
        let said = [
            (say("Chosen: ", "选择："), why.choice),
            (say("Does not apply: ", "不适用："), id),
            (say("Reason: ", "理由："), Some(why.reason).filter(|reason| !reason.is_blank())),
        ];
        let said =
            said.into_iter().filter_map(|(says, words)| Some(behind(says.text(lang), &words?.display())));
        said.flatten().collect::<Vec<_>>()
    });
    lines.into_iter().flatten()
}

/// What was answered, and the notes on it, each by its question.
fn answer_lines(entry: &HistoryEntry, lang: Lang) -> Vec<String> {
    let spec = entry.asked();
    let name = |id: &JsString| {
        let question = spec.as_ref().and_then(|spec| spec.question(id));
        titled(question.map(|question| &question.header), id)
    };
    let (mut lines, defaults) = (Vec::new(), entry.defaults());
    if Why::of_entry(entry).is_some_and(|why| why.choice.is_some()) {
        // What is said beside a verdict is the reason.
        return lines;
    }
    let (answers, notes) = entry.said();
    for (id, value) in &answers {
        let words = marked(value.shown(lang), id, &defaults, lang);
        lines.extend(behind(&say("    {0}: ", "    {0}：").fill(lang, &[&name(id)]), &words));
    }
    for (id, note) in &notes {
        let says = say("    Note on {0}: ", "    {0} 的备注：");
        lines.extend(behind(&says.fill(lang, &[&name(id)]), &note.display()));
    }
    lines
}

/// An answer, marked if it was the question's default and untouched.
fn marked(words: String, id: &JsString, defaults: &[String], lang: Lang) -> String {
    let is_default = id.as_str().is_some_and(|id| defaults.iter().any(|known| known == id));
    if is_default { IS_DEFAULT.fill(lang, &[&words]) } else { words }
}

/// Words behind a beginning, on as many lines as they have.
pub(in crate::command) fn behind(beginning: &str, words: &str) -> Vec<String> {
    let mut words = words.lines();
    let first = format!("{beginning}{}", words.next().unwrap_or_default());
    iter::once(first).chain(words.map(|line| format!("      {line}"))).collect()
}

/// One entry in full: where it comes from, and every question with its answer and note.
pub(super) fn whole(entry: &HistoryEntry, project: &Project, now: &Zoned, lang: Lang) -> Vec<String> {
    let hearing = HistoryHearings::new(project).of(entry);
    let hearing = hearing.as_ref();
    let line = columns(std::slice::from_ref(entry), now, lang).next().unwrap_or_default();
    let mut lines = rows(entry, line, hearing, None, lang);
    let printed = PrintedEntry::of(entry, project, hearing);
    let place = Some(entry.answer_path.display().into_owned());
    let fields = [
        (say("Packet: {0}", "指令包：{0}"), printed.packet),
        match entry.kind() {
            EntryKind::Packet => (say("", ""), None),
            EntryKind::Question => (say("File: {0}", "文件：{0}"), place),
            _ => (say("Record: {0}", "记录：{0}"), place),
        },
        (say("SHA-256: {0}", "SHA-256：{0}"), Some(printed.sha256)),
    ];
    lines.extend(fields.into_iter().filter_map(|(says, value)| Some(says.fill(lang, &[&value?]))));
    lines.extend(hearing_lines(entry, hearing, now, lang));
    lines.extend(refusal_lines(entry, lang));
    if let Some(text) = entry.text() {
        lines.extend(iter::once("").chain(text.lines()).map(str::to_owned));
    }
    let (spec, answers, notes) = (entry.asked(), entry.answers(), entry.notes());
    let defaults = entry.defaults();
    let itself = Side { spec: spec.as_ref(), answers: &answers, notes: &notes };
    for pair in compare(itself, itself).questions {
        lines.extend([String::new(), titled(pair.header.as_ref(), &pair.id)]);
        let question = spec.as_ref().and_then(|spec| spec.question(&pair.id));
        lines.extend(question.map(|question| format!("  {}", question.question.display())));
        let none = || say("(no answer)", "（没有回答）").text(lang).to_owned();
        let words =
            pair.after.map_or_else(none, |value| marked(value.shown(lang), &pair.id, &defaults, lang));
        lines.extend(behind("  = ", &words));
        let begins = say("  Note: ", "  备注：").text(lang);
        lines.extend(pair.note_after.into_iter().flat_map(|words| behind(begins, &words.display())));
    }
    lines
}
