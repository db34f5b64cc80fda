//! Taking a record away without losing it, and putting one of the history back.
//!
//! The copy is on the disk before a record goes. A record that is there is never written over: it goes to the history first,
//! and only if it is the one that was looked at. `exchange` moves the files.

use super::entry::{History, HistoryEntry, Story, entries};
use super::exchange::{NewRecord, Place, failed};
use super::note::{self, Note, restored};
use super::reason::{EntryKind, Reason};
use crate::ask::{JsString, QuestionSpec, decode_spec};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::files::open_read;
use crate::platform::paths::Shown as _;
use crate::store::attach::{self, Fault, Rewriting, exchange};
use crate::store::clock::rfc3339_millis;
use crate::store::file::{Read, read_open};
use crate::store::gate::{self, Loaded, read_file};
use crate::store::record::{self, Receipt, WriteError};
use crate::store::reply;
use crate::store::safe_path::{self, Refusal};
use crate::store::sha256;
use crate::store::state::StateDir;
use crate::text::say;
use std::io;
use std::path::{Path, PathBuf};

/// A record that was removed, or put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub file: Receipt,
    /// Why the history could not note that it was put back; the record is there all the same.
    pub unnoted: Option<Error>,
}

impl Moved {
    fn new(path: PathBuf, bytes: &[u8], durable: bool) -> Moved {
        Moved { file: Receipt::of(path, bytes, durable), unnoted: None }
    }
}

/// What to do with a record that is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over<'o> {
    /// Leave it.
    Nothing,
    /// Move it to history.
    Any,
    /// Move it to history if its bytes have this hash.
    Hash(&'o str),
}

impl History<'_> {
    /// Removes the record of a gate that was looked at, so that the gate waits again. Where it fails, the record is untouched.
    pub fn redo(&self, seen: &Loaded) -> Result<Moved, Error> {
        let story = Story::of(seen, seen.gate().ok_or_else(record::no_gate)?);
        let hash = seen.record.sha256();
        // What could not be read was not looked at either; removing it will say why it cannot be.
        let known = seen.record.exists() && seen.record.is_read();
        let moved = self.remove(&story, known.then_some(&hash)).map_err(|fault| fault.error())?;
        self.end_refusals(&story);
        Ok(moved)
    }

    /// Puts the record of a gate that was removed last back, byte for byte, unless one is there.
    pub fn undo(&self, gate: &Loaded) -> Result<Moved, Error> {
        let story = Story::of(gate, gate.gate().ok_or_else(record::no_gate)?);
        self.restore(&story).map_err(|fault| fault.error())
    }

    /// Moves the record at an answer path into history, byte for byte; `seen` is the hash of the record the author looked at.
    /// Where it fails, the record is untouched.
    pub fn remove(&self, story: &Story<'_>, seen: Option<&str>) -> Result<Moved, WriteError> {
        self.replace(story, seen, None)
    }

    /// The same, and puts a new record in its place. Where it fails, the old record is untouched, or the error says where it
    /// is.
    pub fn replace(
        &self,
        story: &Story<'_>,
        seen: Option<&str>,
        new: Option<NewRecord<'_>>,
    ) -> Result<Moved, WriteError> {
        let place = Place::open(self.project, story.answer_path)?;
        if place.is_empty() {
            return Err(WriteError::NoRecord);
        }
        let (path, old) = (place.spot.path(), place.read(&place.spot.name)?);
        if seen.is_some_and(|seen| seen != sha256(&old)) {
            return Err(WriteError::Changed);
        }
        if safe_path::is_packet(&path, &old) {
            return Err(WriteError::Refused(Refusal::Packet));
        }
        let reason = if new.is_some() { Reason::Replaced } else { Reason::Redone };
        let note = Note { reason, of: None, bytes: &old };
        let entry = note::add(self.state, story, &note, self.now).map_err(WriteError::Failed)?;
        let done = match new {
            Some(new) => place.replace(&old, new),
            None => place.take_away(&old),
        };
        let durable = done.inspect_err(|fault| {
            if !matches!(fault, WriteError::Astray(_)) {
                note::take_back(&entry);
            }
        })?;
        self.sweep(&place);
        Ok(Moved::new(path, new.map_or(&old, |new| new.bytes), durable))
    }

    /// Puts the author's text in the place of a packet's file, if that has the hash `seen`; the old one goes into the history first.
    /// `of` is the entry with the text, if it is put back.
    pub fn rewrite(
        &self,
        packet: &Path,
        seen: &str,
        (new, of): (&[u8], Option<&HistoryEntry>),
    ) -> Result<HistoryEntry, WriteError> {
        let entry = self.exchange_packet(packet, seen, (new, of)).map_err(of_packet)?;
        note::drop_twins(&entry);
        Ok(entry)
    }

    fn exchange_packet(
        &self,
        packet: &Path,
        seen: &str,
        (new, of): (&[u8], Option<&HistoryEntry>),
    ) -> Result<HistoryEntry, WriteError> {
        if let Some(refusal) = attach::refusal(packet) {
            return Err(WriteError::Refused(refusal));
        }
        let place = attach::place_of(self.project, packet);
        let shown = place.shown();
        let untouched = |cause: &io::Error| {
            let sentence = say("Cannot write {0}; it is untouched.", "无法写入 {0}；未作改动。");
            WriteError::Failed(Error::io("write-failed", sentence, &[&shown], cause))
        };
        let Read::Bytes(old, meta) =
            open_read(packet).and_then(read_open).map_err(|cause| untouched(&cause))?
        else {
            return Err(WriteError::Changed);
        };
        if seen != sha256(&old) {
            return Err(WriteError::Changed);
        }
        let answer_path = JsString::from(&*shown);
        let story = Story {
            answer_path: &answer_path,
            packet: Some(&place),
            step: None,
            spec: None,
            novel_ask: None,
        };
        let of = of.map(|of| &*of.id);
        let note = Note { reason: Reason::Replaced, of, bytes: &old };
        let entry = note::add(self.state, &story, &note, self.now).map_err(WriteError::Failed)?;
        let rewriting = Rewriting { old, meta, new: new.to_vec() };
        let fault = match exchange(self.project, &place, &rewriting) {
            Ok(true) => return Ok(entry),
            Ok(false) => WriteError::Changed,
            Err(Fault::Untouched(cause)) => match cause.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    WriteError::Refused(Refusal::ParentReadOnly)
                }
                _ => untouched(&cause),
            },
            Err(Fault::Aside(name)) => {
                let sentence = say(
                    "{0} was written at the same time; what was written lies beside it as {1}.",
                    "{0} 同时被别人改写；改写的内容在同一目录的 {1}。",
                );
                let parts = [&*shown, &name.shown()];
                return Err(WriteError::Astray(Error::new(
                    ExitCode::Failed,
                    "moved-aside",
                    sentence,
                    &parts,
                )));
            }
        };
        note::take_back(&entry);
        Err(fault)
    }

    /// Puts the old text of a packet back that its author has mended.
    fn restore_packet(
        &self,
        packet: &Path,
        (bytes, entry): (&[u8], &HistoryEntry),
        over: Over<'_>,
    ) -> Result<Moved, WriteError> {
        let file = self.project.root().join(packet);
        let there = read_file(&file).map(|there| sha256(&there));
        let seen = match (over, &there) {
            (Over::Nothing, Ok(_)) => return Err(of_packet(WriteError::Occupied)),
            (Over::Hash(seen), _) => seen,
            (Over::Any, Ok(there)) => there,
            (_, Err(_)) => return Err(of_packet(WriteError::Changed)),
        };
        self.rewrite(&file, seen, (bytes, Some(entry)))?;
        Ok(Moved::new(packet.to_path_buf(), bytes, true))
    }

    /// Removes what a crash left of records that were moved aside beside a gate's record, if the history has or had their bytes.
    pub fn sweep_beside(&self, answer_path: &JsString) {
        if let Ok(place) = Place::open(self.project, answer_path) {
            self.sweep(&place);
        }
    }

    fn sweep(&self, place: &Place<'_>) {
        let sql = "SELECT EXISTS (SELECT 1 FROM entries WHERE sha256 = ?1 UNION SELECT 1 FROM forgotten WHERE sha256 = ?1)";
        place.sweep(self.now, |bytes| {
            let hash = sha256(bytes);
            let found = self.state.read(|state| state.query_row(sql, [&hash], |row| row.get(0)));
            found.is_ok_and(|known| known == Some(true))
        });
    }

    /// Puts the record that went last from an answer path back, byte for byte, unless one is there. Deleting it by hand is
    /// removing it too. Where it fails, nothing has changed.
    pub fn restore(&self, story: &Story<'_>) -> Result<Moved, WriteError> {
        let is_there = || {
            let spot = safe_path::spot(self.project, story.answer_path);
            spot.is_ok_and(|spot| self.project.root().join(spot.path()).symlink_metadata().is_ok())
        };
        let (last, bytes) = last_kept(self.state, story.answer_path, is_there)?;
        let asked = asked(&last);
        self.put_back(&with_questions(*story, asked.as_ref()), &last, &bytes)
    }

    /// Puts any entry's record back, byte for byte. Where it fails, nothing has changed: [`WriteError::Occupied`] says that a
    /// record is there and `over` leaves it, [`WriteError::Changed`] that it is not the one that was meant.
    pub fn restore_entry(&self, entry: &HistoryEntry, over: Over<'_>) -> Result<Moved, WriteError> {
        // What cannot be put back must not push anything aside.
        if entry.reason == Reason::SentBack {
            let sentence = say(
                "{0} is no record: the author sent the step back then, and there is nothing to put back.",
                "{0} 不是记录：当时作者退回了这一步，没有可以放回的内容。",
            );
            return Err(WriteError::Failed(Error::new(ExitCode::Usage, "no-record", sentence, &[&entry.id])));
        }
        let bytes = entry.bytes().map_err(WriteError::Failed)?;
        let (packet, step) = (entry.packet.as_deref().map(Path::new), entry.step.as_ref());
        if let Some(packet) = packet.filter(|_| entry.kind() == EntryKind::Packet) {
            return self.restore_packet(packet, (&bytes, entry), over);
        }
        let bare = Story { answer_path: &entry.answer_path, packet, step, spec: None, novel_ask: None };
        let asked = asked(entry);
        let story = with_questions(bare, asked.as_ref());
        let seen = match over {
            Over::Nothing => {
                return self.put_back(&story, entry, &bytes).map_err(|fault| match fault {
                    WriteError::Occupied if entry.kind() == EntryKind::Question => {
                        WriteError::Failed(question_is_there(entry))
                    }
                    fault => fault,
                });
            }
            Over::Any => None,
            Over::Hash(seen) => Some(seen),
        };
        // What is in the way answers what is asked now.
        let asking = packet.and_then(|packet| gate::load(self.project, packet).ok());
        let gate = asking.as_ref().and_then(|asking| Some((asking.gate()?, asking.novel_ask.as_deref())));
        let standing = match gate {
            Some((gate, novel_ask)) if self.state.gate_key(&gate.answer_path) == entry.gate => {
                Story { spec: Some(&gate.spec), novel_ask, ..story }
            }
            _ => story,
        };
        // Whoever puts an entry back means these bytes, whatever is asked.
        match self.replace(&standing, seen, Some(NewRecord { bytes: &bytes, is_asked: &|| true })) {
            Ok(moved) => Ok(self.note_back(&story, entry, &bytes, moved)),
            Err(WriteError::NoRecord) if seen.is_none() => self.put_back(&story, entry, &bytes),
            Err(WriteError::NoRecord) => Err(WriteError::Changed),
            Err(fault) => Err(fault),
        }
    }

    fn put_back(&self, story: &Story<'_>, entry: &HistoryEntry, bytes: &[u8]) -> Result<Moved, WriteError> {
        let spot = safe_path::spot(self.project, story.answer_path).map_err(WriteError::Refused)?;
        let durable = record::place(self.project, &spot, bytes).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => WriteError::Occupied,
            _ => failed(&spot, &cause),
        })?;
        self.sweep_beside(story.answer_path);
        self.end_refusals(story);
        Ok(self.note_back(story, entry, bytes, Moved::new(spot.path(), bytes, durable)))
    }

    /// A record is there, or has been: that is the author's later word.
    fn end_refusals(&self, story: &Story<'_>) {
        let packet = story.packet.unwrap_or(Path::new(""));
        let _ = reply::end(self.project, packet, story.answer_path, &rfc3339_millis(self.now));
    }

    /// Notes that the record of an entry was put back.
    fn note_back(&self, story: &Story<'_>, entry: &HistoryEntry, bytes: &[u8], moved: Moved) -> Moved {
        let note = Note { reason: Reason::Restored, of: Some(&entry.id), bytes };
        // The record is there; that it could not be noted takes nothing from it.
        let unnoted = note::add(self.state, story, &note, self.now).err();
        Moved { unnoted, ..moved }
    }
}

/// Why the file of a question is not put back where another lies.
pub fn question_is_there(entry: &HistoryEntry) -> Error {
    let sentence = say(
        "{0} is there already and says something else; it is untouched. Remove or rename it first.",
        "{0} 已经存在，内容不同，未作改动。请先移走或改名。",
    );
    Error::new(ExitCode::Exists, "record-exists", sentence, &[&entry.answer_path.display()])
}

/// Why the text of a packet was not put in its place, in words about packets.
fn of_packet(fault: WriteError) -> WriteError {
    let sentence = match &fault {
        WriteError::Occupied => say("The packet is there; it is untouched.", "指令包就在那里，未作改动。"),
        WriteError::Changed => say(
            "The packet has changed since it was shown; it is untouched.",
            "指令包在显示之后又改动了，未作改动。",
        ),
        WriteError::Refused(Refusal::PacketLinked) => say(
            "The packet is a link; it is untouched. Replace the link by the file, or change the file that it leads to.",
            "指令包是一个链接，未作改动。请把链接换成文件本身，或直接改它指向的文件。",
        ),
        WriteError::Refused(Refusal::PacketShared) => say(
            "The packet's file has another name (a hard link); it is untouched. Remove the other name.",
            "指令包的文件另有别名（硬链接），未作改动。请删掉另一个名字。",
        ),
        WriteError::Refused(Refusal::PacketReadOnly) => say(
            "The packet is read-only; it is untouched. Make it writable.",
            "指令包是只读的，未作改动。请把它改成可写。",
        ),
        WriteError::Refused(Refusal::ParentReadOnly) => say(
            "Nothing can be written in the packet's directory; the packet is untouched. Make the directory writable for yourself.",
            "指令包所在的目录不可写，指令包未作改动。请给自己写入权限。",
        ),
        _ => return fault,
    };
    let Error { kind, code, .. } = fault.error();
    WriteError::Failed(Error::new(kind, code, sentence, &[]))
}

/// The entry with the record that went last, and the record. Whoever noted that a record goes takes that back if it does not
/// go after all: an entry that is gone when it is to be read means that there is another last one.
pub(super) fn last_kept(
    state: &StateDir,
    answer_path: &JsString,
    is_there: impl Fn() -> bool,
) -> Result<(HistoryEntry, Vec<u8>), WriteError> {
    let mut unread = None;
    loop {
        let all = entries(state, answer_path).map_err(WriteError::Failed)?;
        let last = last_removed(&all, is_there()).ok_or(WriteError::NothingToUndo)?;
        match last.bytes() {
            Ok(bytes) => return Ok((last.clone(), bytes)),
            Err(_) if unread.as_ref() != Some(&last.id) => unread = Some(last.id.clone()),
            Err(error) => return Err(WriteError::Failed(error)),
        }
    }
}

/// The entry with the record that went last. If the newest entry says that its record is there, and it is not, then it was
/// deleted by hand, and nothing has gone since.
fn last_removed(all: &[HistoryEntry], there: bool) -> Option<&HistoryEntry> {
    let is_back = |id: &str| restored(all).any(|back| back == id);
    let newest = all
        .iter()
        .rfind(|entry| entry.reason != Reason::SentBack)
        .filter(|entry| !there && !entry.reason.is_removal());
    let removed = || all.iter().rev().find(|entry| entry.reason.is_removal() && !is_back(&entry.id));
    newest.or_else(removed)
}

/// What an entry says was asked, and how that was written.
fn asked(entry: &HistoryEntry) -> Option<(QuestionSpec, String)> {
    let written = entry.novel_ask()?;
    Some((decode_spec(written.as_bytes()).ok()?, written))
}

fn with_questions<'s>(story: Story<'s>, asked: Option<&'s (QuestionSpec, String)>) -> Story<'s> {
    asked.map_or(story, |(spec, written)| Story { spec: Some(spec), novel_ask: Some(written), ..story })
}
