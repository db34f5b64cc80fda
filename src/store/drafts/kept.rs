//! Drafts without their gates, because a packet is gone or asks for something else: they are kept until
//! their author drops them, and with their gate again as soon as that is back.

use super::{Drafts, Writer, has_places, replies_from};
use crate::ask::draft::{CarriedOver, Said, SaidAs};
use crate::ask::{JsString, Question, QuestionSpec, decode_spec, object, to_line};
use crate::error::Error;
use crate::platform::files::names_in;
use crate::platform::paths::Shown as _;
use crate::store::clock::time_of;
use crate::store::entry::{Entry, stem};
use crate::store::file::QUESTIONS;
use crate::store::gate::{self, LoadFault, Status};
use crate::store::history::Search;
use crate::store::project::Project;
use crate::store::questions;
use crate::store::state::StateDir;
use crate::text::{Message, say};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// So many files of standing questions are looked for.
const LISTED: usize = 10_000;
/// Characters of each text that a filter looks at.
const BEGINNING: usize = 2_000;

/// All that is known of a draft without its gate. Its strings are hostile until they are cleaned.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptDraft {
    pub id: KeptId,
    /// The packet that asked, relative to the root, as far as it is known; the same of the next two.
    pub packet: Option<PathBuf>,
    pub answer_path: Option<JsString>,
    pub step: Option<JsString>,
    /// What was asked; without questions if that is not known.
    pub spec: QuestionSpec,
    /// RFC 3339; not known of the text of an edited record.
    pub saved_at: Option<String>,
    /// Never empty.
    pub said: Vec<Said>,
    pub why: Why,
    /// Whether another console that still runs has it open.
    pub is_elsewhere: bool,
}

/// The same for as long as it is kept, however often its author saves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptId {
    gate: String,
    /// `None` of the text of an edited record.
    writer: Option<Writer>,
}

/// Why a draft is without its gate.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Why {
    PacketGone,
    PacketMalformed,
    NoGate,
    /// Its step has no packet yet.
    Ahead,
    /// Its packet wants the answers in this other place.
    Moved(JsString),
    /// What cannot be read may be there as it was.
    PacketUnreadable,
    /// Its packet asks as it did and is not where the inbox looks, or is not known.
    NotListed,
}

/// A draft that was dropped, exactly as it was kept.
#[derive(Clone, Debug)]
pub struct Dropped {
    table: &'static str,
    columns: Vec<String>,
    values: Vec<Value>,
}

impl Why {
    fn of(project: &Project, state: &StateDir, gate: &str, packet: Option<&Path>) -> Why {
        let Some(packet) = packet else { return Why::NotListed };
        let packet = project.root().join(packet);
        let is_ahead = questions::ahead_of(project, &packet).is_some();
        match gate::load(project, &packet) {
            Ok(_) if is_ahead => Why::Ahead,
            Err(LoadFault::Malformed(_)) => Why::PacketMalformed,
            Err(LoadFault::Unreadable(error)) if error.code == "no-packet" => Why::PacketGone,
            Err(LoadFault::Unreadable(_)) if is_ahead => Why::NotListed,
            Err(LoadFault::Unreadable(_)) => Why::PacketUnreadable,
            Ok(loaded) => match loaded.gate() {
                None => Why::NoGate,
                Some(now) if state.gate_key(&now.answer_path) == gate => Why::NotListed,
                Some(now) => Why::Moved(now.answer_path.clone()),
            },
        }
    }

    /// Stable name for programs.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// In a clause.
    pub fn text(&self) -> Message {
        let says = match self {
            Why::PacketGone => say("its packet is gone", "指令包已不在"),
            Why::PacketMalformed => say("its packet has errors just now", "指令包目前有误"),
            Why::Ahead => say("its step has no packet yet", "这一步还没有指令包"),
            Why::NoGate => say("its packet asks nothing now", "指令包现在没有提问"),
            Why::Moved(to) => {
                let says = say(
                    "its packet wants the answers elsewhere now, in {0}",
                    "指令包现在要求把回答写到别处：{0}",
                );
                return Message::new(says, &[&to.display()]);
            }
            Why::PacketUnreadable => say("its packet cannot be read just now", "指令包暂时无法读取"),
            Why::NotListed => say("no packet in the list asks for it", "列表中没有指令包要求这些回答"),
        };
        Message::from(says)
    }

    /// Whether the gate may be there all the same.
    pub fn is_doubtful(&self) -> bool {
        matches!(self, Why::PacketUnreadable | Why::NotListed)
    }
}

impl KeptDraft {
    /// What to call it: the step, else the packet's file, else where its answers were to go.
    pub fn title(&self) -> String {
        let packet = || self.packet.as_deref().map(stem);
        let place = || self.answer_path.as_ref().map(JsString::display);
        match &self.step {
            Some(step) => step.display().into_owned(),
            None => packet().or_else(|| Some(place()?.into_owned())).unwrap_or_else(|| "?".to_owned()),
        }
    }

    pub fn topic(&self) -> Option<&JsString> {
        Some(&self.spec.topic).filter(|topic| !topic.is_empty())
    }

    /// The question that something was said to, if it is known.
    pub fn asked(&self, said: &Said) -> Option<&Question> {
        self.spec.question(&said.id)
    }

    /// What a list finds it by: what it is called, and how each thing begins that was said.
    pub fn texts(&self) -> Vec<Cow<'_, str>> {
        let said = self.said.iter().flat_map(|said| &said.values);
        let said = said.map(|words| words.display().chars().take(BEGINNING).collect::<String>().into());
        let known = [&self.step, &self.answer_path].into_iter().flatten().chain(self.topic());
        let packet = self.packet.iter().map(|packet| packet.shown());
        known.map(JsString::display).chain(packet).chain(said).collect()
    }

    pub fn time(&self) -> Option<SystemTime> {
        time_of(self.saved_at.as_deref()?)
    }

    /// Whether a name on the command line means it: its step, its packet or its place of answers.
    pub fn goes_by(&self, name: &str) -> bool {
        let is_packet = |packet: &Path| {
            let called = stem(packet);
            packet == Path::new(name)
                || packet.file_name() == Some(name.as_ref())
                || called == name
                || self.step.is_none() && called == name.replace(':', "-")
        };
        [&self.step, &self.answer_path].into_iter().flatten().any(|own| *own == name)
            || self.packet.as_deref().is_some_and(is_packet)
    }

    /// Whether a search in the history finds it; the place is up to the caller.
    pub fn is_found_by(&self, search: &Search) -> bool {
        let is_in_time = self.time().is_none_or(|time| {
            search.since.is_none_or(|since| time >= since) && search.until.is_none_or(|until| time < until)
        });
        // A name with a blank is no id of a question.
        let said = self.said.iter().enumerate().map(|(at, said)| (format!("{at} "), &said.values));
        let record = to_line(&object([("answers", object(said))]));
        let known = [self.topic(), self.step.as_ref(), None, self.answer_path.as_ref()];
        is_in_time && search.finds(&known, &to_line(&self.spec), record.as_bytes())
    }

    /// A row of [`rows`]; damage in the history hides no words.
    fn read(row: &Row<'_>) -> rusqlite::Result<KeptDraft> {
        let known = |column| row.get::<_, Option<JsString>>(column).ok().flatten();
        let packet =
            row.get::<_, Option<String>>("packet").ok().flatten().filter(|packet| !packet.is_empty());
        let unknown = |topic| QuestionSpec { version: 1.0, topic, questions: Vec::new() };
        let edited: Option<JsString> = row.get("text")?;
        let (writer, spec, said) = if let Some(text) = edited {
            let said = Said { id: JsString::EMPTY, as_what: SaidAs::Record, values: vec![text] };
            (None, unknown(known("topic").unwrap_or_default()), vec![said])
        } else {
            let text = |column| row.get::<_, String>(column);
            let spec =
                decode_spec(text("novel_ask")?.as_bytes()).unwrap_or_else(|_| unknown(JsString::EMPTY));
            let orphans = serde_json::from_str(&text("orphans")?).unwrap_or_default();
            let CarriedOver { draft, orphans, .. } = replies_from(&text("replies")?, orphans, &spec);
            let said = draft.said(&spec, &orphans);
            (Some(Writer::read(row)?), spec, said)
        };
        Ok(KeptDraft {
            packet: packet.map(PathBuf::from),
            answer_path: known("place"),
            step: known("step"),
            spec,
            saved_at: row.get("saved_at")?,
            said,
            why: Why::NotListed,
            is_elsewhere: writer.as_ref().is_some_and(Writer::is_running),
            id: KeptId { gate: row.get(0)?, writer },
        })
    }
}

/// The drafts and edited records of these gates, the newest first. What older programs did not keep beside them, the history
/// may know.
/// The second number says how many more are damaged.
fn rows(state: &Connection, gates: &HashSet<String>) -> rusqlite::Result<(Vec<KeptDraft>, usize)> {
    let [place, step] = if has_places(state)? {
        ["coalesce(d.answer_path, e.answer_path)", "coalesce(d.step, e.step)"]
    } else {
        ["e.answer_path", "e.step"]
    };
    let sql = format!(
        "SELECT d.gate, host, pid, d.packet AS packet, {place} AS place, {step} AS step, NULL AS topic,
            saved_at, d.novel_ask AS novel_ask, replies, orphans, NULL AS text, d.seq
        FROM drafts d LEFT JOIN entries e ON e.seq = (SELECT max(seq) FROM entries WHERE gate = d.gate)
        UNION ALL
        SELECT x.gate, NULL, NULL, e.packet, e.answer_path, e.step, e.topic, NULL, NULL, NULL, NULL, x.text, 0
        FROM edited x LEFT JOIN entries e ON e.seq = (SELECT max(seq) FROM entries WHERE gate = x.gate)
        ORDER BY saved_at DESC, 13 DESC"
    );
    let mut statement = state.prepare_cached(&sql)?;
    let (mut rows, mut found, mut damaged) = (statement.query([])?, Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_str().is_ok_and(|gate| gates.contains(gate)) {
            let kept = KeptDraft::read(row);
            damaged += usize::from(kept.is_err());
            found.extend(kept);
        }
    }
    Ok((found, damaged))
}

impl Drafts {
    /// What is kept of gates that are not among these entries, which are looked for only if there are drafts at all.
    pub fn kept(
        &self,
        project: &Project,
        entries: impl FnOnce() -> Vec<Arc<Entry>>,
    ) -> Result<Vec<KeptDraft>, Error> {
        let mut gates = self
            .state
            .read(|state| {
                let sql = "SELECT gate FROM drafts UNION SELECT gate FROM edited";
                state.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
            })?
            .unwrap_or_else(HashSet::new);
        let entries = if gates.is_empty() { Vec::new() } else { entries() };
        let mut key = self.state.gate_keys();
        let is_gate = |entry: &&Arc<Entry>| entry.held_up() || entry.status == Status::Answered;
        for path in entries.iter().filter(is_gate).filter_map(|entry| entry.answer_path.as_ref()) {
            if gates.is_empty() {
                break;
            }
            gates.remove(&key(path));
        }
        // What was edited of a standing question is offered where its file is.
        let files = names_in(&project.root().join(QUESTIONS)).into_iter().flatten().flatten();
        for name in files.take(if gates.is_empty() { 0 } else { LISTED }) {
            gates.remove(&key(&format!("{QUESTIONS}/{}", name.shown()).as_str().into()));
        }
        if gates.is_empty() {
            return Ok(Vec::new());
        }
        let (mut found, damaged) = self.state.read(|state| rows(state, &gates))?.unwrap_or_default();
        if damaged > 0 {
            let says = say("Damaged drafts that cannot be shown: {0}.", "有 {0} 份草稿已损坏，无法显示。");
            self.state.notify(Message::new(says, &[&damaged.to_string()]));
        }
        found.retain(|kept| !kept.said.is_empty());
        for kept in &mut found {
            let packet = kept.packet.take();
            let packet = packet.map(|packet| project.relative(&packet).to_path_buf());
            kept.why = Why::of(project, &self.state, &kept.id.gate, packet.as_deref());
            kept.packet = packet;
        }
        Ok(found)
    }

    /// Changes when something comes, goes or is saved.
    pub fn stamp(&self) -> Option<[i64; 4]> {
        let sql = "SELECT count(*), max(seq), (SELECT count(*) FROM edited), (SELECT max(rowid) FROM edited) FROM drafts";
        let number = |row: &Row<'_>, at| row.get::<_, Option<i64>>(at).map(Option::unwrap_or_default);
        let found = self.state.read(|state| {
            state.query_row(sql, [], |row| {
                Ok([number(row, 0)?, number(row, 1)?, number(row, 2)?, number(row, 3)?])
            })
        });
        self.state.tolerate(found)?
    }

    /// Drops what is kept; nothing of what has changed since, or what another console has open.
    pub fn drop_kept(&self, kept: &KeptDraft) -> Result<Option<Dropped>, Error> {
        let KeptId { gate, writer } = &kept.id;
        let text = |text: &str| Value::from(text.to_owned());
        let saved_at = || text(kept.saved_at.as_deref().unwrap_or_default());
        let (table, which, values) = match writer {
            Some(writer) if writer.is_running() => return Ok(None),
            Some(Writer { host, pid }) => {
                let values = vec![text(gate), text(host), i64::from(*pid).into(), saved_at()];
                ("drafts", "gate = ?1 AND host = ?2 AND pid = ?3 AND saved_at = ?4", values)
            }
            None => {
                let record = kept.said.first().and_then(|said| said.values.first()?.as_str());
                ("edited", "gate = ?1 AND text = ?2", vec![text(gate), text(record.unwrap_or_default())])
            }
        };
        self.state.write(|state| {
            let mut statement = state.prepare(&format!("SELECT * FROM {table} WHERE {which}"))?;
            let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let read = |row: &Row<'_>| (0..columns.len()).map(|at| row.get(at)).collect();
            let kept: Option<Vec<Value>> = statement.query_row(params_from_iter(&values), read).optional()?;
            state.execute(&format!("DELETE FROM {table} WHERE {which}"), params_from_iter(&values))?;
            Ok(kept.map(|values| Dropped { table, columns, values }))
        })
    }

    /// Puts back what was dropped, beside what was kept in its place since; false where only one can be kept.
    pub fn put_back(&self, dropped: &Dropped) -> Result<bool, Error> {
        let Dropped { table, columns, values } = dropped;
        let gaps = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT OR IGNORE INTO {table} ({}) VALUES ({gaps})", columns.join(", "));
        // As of a process that has ended: the next one that opens the gate puts both together.
        let mut beside = values.clone();
        if let Some(pid) = columns.iter().position(|column| column == "pid") {
            beside[pid] = 0.into();
        }
        self.state.write(|state| {
            let done = state.execute(&sql, params_from_iter(values))?;
            Ok(done > 0 || state.execute(&sql, params_from_iter(&beside))? > 0)
        })
    }
}

#[cfg(test)]
mod tests;
