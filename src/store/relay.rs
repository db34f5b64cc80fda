//! Questions that an executor asks while it runs, put into the project as a gate.
//!
//! A packet in `staging/novel-ask/relay/` is held by a lock that dies with its process, and removed with its record once the
//! answers are handed over. It is named by what it asks, so that a draft is found again when the same is asked again; once
//! there is something in the history under that name, the next one counts on.
//!
//! A hook's packet is its call's own and goes with it; two hooks of one call share it. If the hook was killed and the author has
//! answered all the same, it stays for a day for its session, if that asks the same again. An MCP server's packet stays: when the
//! server is gone it is orphaned until somebody asks the same again, unless it was answered meanwhile.

pub use self::packet::Asked;
use self::packet::{answer_path, is_its, packet_name, record_name, stays};
use super::clock::time_of;
use super::disk::Disk;
use super::file::{RELAYS, is_relay, relay_name};
use super::gate::{self, Loaded, Status, spec_hash};
use super::history::{self, History, HistoryEntry, Reason};
use super::lock::{is_held, is_kept, try_alone};
use super::project::Project;
use super::record::{WriteError, commit, write_temp};
use super::rounds;
use super::sha256;
use super::state::StateDir;
use crate::ask::{AnswerSpec, JsString, QuestionSpec, check_record};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::files::{Facts, look_at_open};
use crate::platform::paths::Shown as _;
use crate::text::say;
use cap_std::fs::Dir;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

mod packet;

/// So many gates may ask the same.
const SAME: usize = 1_000;
/// How often to make the folder anew, if others take it away meanwhile.
const TRIES: usize = 100;
/// Of the hash of the questions, in the name.
const DIGITS: usize = 8;
/// How long a writer may take from the record to its note.
const TO_NOTE: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long answers that were not handed over wait for the same question.
const UNDELIVERED: Duration = Duration::from_hours(24);

/// To which calls the answers of which packet were given; made with the first.
const HANDED: &str = "CREATE TABLE IF NOT EXISTS handed (call TEXT PRIMARY KEY, packet TEXT NOT NULL)";
/// So many of them are kept: another hook of a call comes at once, if at all.
const KEPT: u32 = 100;

/// A packet that this process waits for.
#[derive(Debug)]
pub struct Relay {
    name: String,
    dir: Dir,
    disk: &'static dyn Disk,
    /// Whether the packet is not, or not any more, this process's alone.
    stays: bool,
    // Closing it frees its lock.
    file: File,
}

impl Relay {
    /// Puts a packet into the project, or joins those who ask the same by one that stays. One that goes is shared with another hook
    /// of the same call, and taken over if it was left behind with its answers. Where it fails, nothing is there.
    pub fn open(project: &Project, state: &StateDir, asked: &Asked<'_>) -> Result<Relay, Error> {
        let failed = |cause: &io::Error| {
            let sentence = say("Cannot write a packet to {0}.", "无法把指令包写到 {0}。");
            Error::io("write-failed", sentence, &[RELAYS], cause)
        };
        let mut put = Relay::put(project, state, asked);
        for _ in 1..TRIES {
            // Whoever closed the last packet may just have taken the folder along.
            if !matches!(&put, Err(cause) if cause.kind() == io::ErrorKind::NotFound) {
                break;
            }
            put = Relay::put(project, state, asked);
        }
        let relay = put.map_err(|cause| failed(&cause))?;
        let sentence = say("Too many gates ask exactly the same questions.", "问题完全相同的门控太多。");
        relay.ok_or_else(|| Error::new(ExitCode::Failed, "write-failed", sentence, &[]))
    }

    /// `None` where too many gates ask the same.
    fn put(project: &Project, state: &StateDir, asked: &Asked<'_>) -> io::Result<Option<Relay>> {
        let (disk, dir) = (project.disk(), folder(project)?);
        let hash = spec_hash(asked.spec);
        let joined = |name: &str| {
            let packet = Path::new(RELAYS).join(packet_name(name));
            let loaded = gate::load(project, &project.root().join(&packet)).ok()?;
            let is_open = || {
                let is_left = || loaded.status() == Status::Waiting && is_orphaned(project, &packet);
                asked.stays && (asked.is_of_session(&loaded) || is_left())
            };
            let is_for_us = loaded.spec_hash() == hash
                && is_its(&loaded, name)
                && (is_open()
                    || is_undelivered(project, &packet, &loaded, asked)
                    || asked.is_of_call(&loaded.path));
            is_for_us.then(|| Relay::join(project, &packet, asked.stays)).flatten()
        };
        for number in 1..=SAME {
            let digits = &hash[..DIGITS];
            let name = if number == 1 { digits.to_owned() } else { format!("{digits}-{number}") };
            if !is_used(&dir, state, &name) {
                match write(disk, &dir, &name, &asked.packet(&name)) {
                    Ok(file) => return Ok(Some(Relay { name, dir, disk, stays: asked.stays, file })),
                    Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(cause) => return Err(cause),
                }
            }
            // Last: somebody else may have asked the same just now.
            if let Some(relay) = joined(&name) {
                return Ok(Some(relay));
            }
        }
        Ok(None)
    }

    /// Joins those who wait for a packet of this kind; `None` if there is none.
    pub fn join(project: &Project, packet: &Path, stays: bool) -> Option<Relay> {
        let file_name = packet.file_name().filter(|_| is_relay(packet))?;
        let (disk, dir) = (project.disk(), project.dir().open_dir(RELAYS).ok()?);
        let file = disk.open(&dir, file_name).ok()?;
        if self::stays(&project.root().join(packet)) != Some(stays) {
            return None;
        }
        // Only who looks whether it is held stands in the way, and only for a moment. Where there are no locks, it is never
        // orphaned.
        let _ = file.lock_shared();
        let relay = Relay { name: relay_name(file_name)?.to_owned(), dir, disk, stays, file };
        relay.is_there().then_some(relay)
    }

    /// Whether nobody else waits for the packet. After that, this process does not hold it any more either.
    pub fn is_left(&self) -> bool {
        try_alone(&self.file).is_ok()
    }

    /// The same for a packet that goes, if it is still there; where there are no locks, nobody else ever waits for one.
    fn is_last(&self) -> bool {
        let is_locked = || matches!(try_alone(&self.file), Err(TryLockError::WouldBlock));
        !is_kept(is_locked) && is_at(&self.dir, OsStr::new(&packet_name(&self.name)), &self.file)
    }

    /// The packet's file, relative to the root.
    pub fn packet(&self) -> PathBuf {
        Path::new(RELAYS).join(packet_name(&self.name))
    }

    /// Where its record goes.
    pub fn answer_path(&self) -> JsString {
        answer_path(&self.name)
    }

    pub fn is_there(&self) -> bool {
        self.dir.symlink_metadata(packet_name(&self.name)).is_ok()
    }

    /// Waits a moment until whoever wrote the record, or sent the question back, has noted it in the history: what is there for a
    /// moment only would be taken for lost. Whoever notes nothing is not waited for longer.
    pub fn settle(&self, state: &StateDir, loaded: &Loaded) {
        let until = Instant::now() + TO_NOTE;
        while Instant::now() < until && !is_noted(state, &self.name, loaded) {
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Notes that a call has got the answers, for another hook of this call that comes later.
    pub fn hand_over(&self, state: &StateDir, asked: &Asked<'_>) {
        let Some(call) = asked.call_key() else { return };
        // Without the note, that one asks anew.
        let _ = state.write(|state| {
            state.execute(HANDED, [])?;
            let sql = "INSERT OR REPLACE INTO handed (call, packet) VALUES (?1, ?2)";
            state.execute(sql, [&call, &packet_name(&self.name)])?;
            let sql = "DELETE FROM handed WHERE rowid <= (SELECT max(rowid) FROM handed) - ?1";
            state.execute(sql, [KEPT])
        });
    }

    /// Removes the packet, and its record once that is in the history; a packet that goes, only when its last process does.
    pub fn close(mut self, project: &Project, state: &StateDir, now: SystemTime) {
        let is_over = self.stays || self.is_last();
        self.stays = true;
        if is_over {
            clear(project, state, &self.dir, &self.name, now);
            remove_folder(project);
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // Whatever ended this: a question that nobody waits for must not be shown.
        if !self.stays && self.is_last() {
            let _ = remove(self.disk, &self.dir, &self.name);
        }
    }
}

impl Asked<'_> {
    /// The answers that another hook of this very call was given, and where their record was.
    pub fn handed_over(&self, state: &StateDir) -> Option<(AnswerSpec, JsString)> {
        let call = self.call_key()?;
        // Without a note there may be no table.
        let sql = "SELECT packet FROM handed WHERE call = ?1";
        let found = state.read(|state| state.query_row(sql, [&call], |row| row.get(0)));
        let packet: String = found.ok().flatten()?;
        let name = relay_name(OsStr::new(&packet))?;
        let (record, spec) = answers_of(state, name)?;
        (spec == *self.spec).then(|| (record, answer_path(name)))
    }
}

/// The folder, made where it is missing.
fn folder(project: &Project) -> io::Result<Dir> {
    let disk = project.disk();
    let (mut dir, mut path) = (project.dir().try_clone()?, PathBuf::new());
    for name in Path::new(RELAYS) {
        match disk.make_dir(&dir, name) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => return Err(cause),
            _ => path.push(name),
        }
        dir = disk.open_dir(project.dir(), &path)?;
    }
    Ok(dir)
}

/// Takes the folder away if nothing is in it.
fn remove_folder(project: &Project) {
    let _ = project.dir().remove_dir(RELAYS);
}

/// Whether a file is the one with this name, and not one that is there no longer.
fn is_at(dir: &Dir, name: &OsStr, file: &File) -> bool {
    let (Ok(there), Ok(own)) = (dir.symlink_metadata(name), look_at_open(file)) else { return false };
    Facts::from(&there).id == own.id
}

/// Whether something is known or lies under this name.
fn is_used(dir: &Dir, state: &StateDir, name: &str) -> bool {
    dir.symlink_metadata(record_name(name)).is_ok()
        || dir.symlink_metadata(packet_name(name)).is_ok()
        || history::entries(state, &answer_path(name)).is_ok_and(|entries| !entries.is_empty())
}

/// Writes a packet that is locked before anybody can see it.
fn write(disk: &dyn Disk, dir: &Dir, name: &str, text: &str) -> io::Result<File> {
    let fill = |file: &mut File| {
        // First: on some systems nobody writes to what is locked so, not even who has locked it.
        disk.write(file, text.as_bytes())?;
        // Where there are no locks, nobody will take it for one that was left behind.
        let _ = file.try_lock_shared();
        Ok(())
    };
    let name = packet_name(name);
    let written = write_temp(disk, dir, fill, |temp| commit(disk, dir, temp, OsStr::new(&name)));
    written.map(|(file, _)| file)
}

/// Whether the history has the very bytes of the record, or the refusal.
fn is_noted(state: &StateDir, name: &str, loaded: &Loaded) -> bool {
    let hash = loaded.record.sha256();
    let is_it = |entry: &HistoryEntry| match loaded.sent_back {
        Some(_) => entry.reason == Reason::SentBack,
        None => entry.sha256 == hash,
    };
    history::entries(state, &answer_path(name)).is_ok_and(|all| all.iter().any(is_it))
}

/// Removes a packet, and what the author gave in place of an answer.
fn remove(disk: &dyn Disk, dir: &Dir, name: &str) -> io::Result<()> {
    disk.unlink(dir, OsStr::new(&packet_name(name)))?;
    let _ = remove_rounds(disk, dir, name);
    Ok(())
}

fn remove_rounds(disk: &dyn Disk, dir: &Dir, name: &str) -> io::Result<()> {
    let rounds = rounds::place(&record_name(name).into());
    disk.unlink(dir, OsStr::new(&*rounds.lossy()))
}

/// Takes a question out of the project, so that it is asked where it came from: whoever waits for it finds its packet gone.
/// Only a packet of these, and only while there is no valid record.
pub fn withdraw(project: &Project, packet: &Path) -> Result<(), Error> {
    let shown = packet.shown();
    let failed = |cause: &io::Error| {
        Error::io("write-failed", say("Cannot remove {0}.", "无法删除 {0}。"), &[&shown], cause)
    };
    let path = project.root().join(packet);
    let is_answered = gate::load(project, &path).is_ok_and(|loaded| loaded.record.valid().is_some());
    let name = packet.file_name().filter(|_| is_relay(packet) && stays(&path).is_some() && !is_answered);
    let Some(name) = name.and_then(relay_name) else {
        let sentence = say("No executor waits for {0} any more.", "已经没有执行器在等待 {0}。");
        return Err(Error::new(ExitCode::Failed, "not-relayed", sentence, &[&shown]));
    };
    let dir = project.dir().open_dir(RELAYS).map_err(|cause| failed(&cause))?;
    remove(project.disk(), &dir, name).map_err(|cause| failed(&cause))?;
    remove_folder(project);
    Ok(())
}

/// Whether the answers to these questions lie in the project, left behind by a hook of this session that did not hand them over.
pub fn has_undelivered(project: &Project, asked: &Asked<'_>) -> bool {
    let Ok(dir) = project.dir().open_dir(RELAYS) else { return false };
    let hash = spec_hash(asked.spec);
    dir.entries().into_iter().flatten().flatten().any(|entry| {
        let packet = Path::new(RELAYS).join(entry.file_name());
        let load = || gate::load(project, &project.root().join(&packet)).ok();
        let loaded = is_relay(&packet).then(load).flatten();
        loaded.is_some_and(|loaded| {
            loaded.spec_hash() == hash && is_undelivered(project, &packet, &loaded, asked)
        })
    })
}

/// Whether a packet was left behind by a hook of this session, answered. What the author told one session, no other takes for an answer.
fn is_undelivered(project: &Project, packet: &Path, loaded: &Loaded, asked: &Asked<'_>) -> bool {
    loaded.record.valid().is_some()
        && asked.is_of_session(loaded)
        && stays(&loaded.path) == Some(false)
        && is_orphaned(project, packet)
}

/// Removes the packets whose processes are gone, with their records; answers that nobody was given stay for a while, and so
/// does, until it is answered, what stays when its process ends.
pub fn sweep(project: &Project, state: &StateDir, now: SystemTime) {
    let Ok(dir) = project.dir().open_dir(RELAYS) else { return };
    for entry in dir.entries().into_iter().flatten().flatten() {
        let file_name = entry.file_name();
        let Some(name) = relay_name(&file_name) else { continue };
        let Ok(file) = project.disk().open(&dir, &file_name) else { continue };
        let held = matches!(file.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_)));
        let path = project.root().join(RELAYS).join(&file_name);
        if !held && is_at(&dir, &file_name, &file) && is_over(project, &path, now) {
            clear(project, state, &dir, name, now);
        }
    }
    remove_folder(project);
}

/// Whether a packet that nobody waits for was answered or sent back long ago, or is not answered and does not stay. Two clocks may differ a
/// little; what is said to be answered far ahead is over.
fn is_over(project: &Project, packet: &Path, now: SystemTime) -> bool {
    let loaded = gate::load(project, packet).ok();
    let record = loaded.as_ref().and_then(|loaded| loaded.record.valid());
    let age = |then| now.duration_since(then).unwrap_or_else(|ahead| ahead.duration());
    let sent = loaded
        .as_ref()
        .and_then(|loaded| loaded.sent_back.as_ref())
        .map(|reply| reply.sent.at.as_str().into());
    let said = record.map(|record| record.answered_at.lossy()).or(sent);
    let age = said.map(|at| time_of(&at).map_or(Duration::MAX, age));
    stays(packet).is_some_and(|stays| age.map_or(!stays, |age| age >= UNDELIVERED))
}

/// Whether nobody waits any more for the answers to a packet, which is named relative to the root.
pub fn is_orphaned(project: &Project, packet: &Path) -> bool {
    let Some(file_name) = packet.file_name().filter(|_| is_relay(packet)) else { return false };
    let Ok(dir) = project.dir().open_dir(RELAYS) else { return false };
    let open = || project.disk().open(&dir, file_name);
    open().is_ok() && !is_held(open) && stays(&project.root().join(packet)).is_some()
}

/// The answers to a packet that is gone, if they were given; no name is ever used for other questions.
pub fn answered(state: &StateDir, packet: &Path) -> Option<AnswerSpec> {
    let name = packet.file_name().filter(|_| is_relay(packet)).and_then(relay_name)?;
    answers_of(state, name).map(|(record, _)| record)
}

/// The answers under a name, and the questions.
fn answers_of(state: &StateDir, name: &str) -> Option<(AnswerSpec, QuestionSpec)> {
    let newest = history::newest(state, &answer_path(name), |_| true).ok()??;
    let (spec, bytes) = (newest.asked()?, newest.bytes().ok()?);
    let is_none = newest.reason.is_removal() || newest.reason == Reason::SentBack;
    let record = check_record(&spec, &bytes).ok().filter(|_| !is_none)?;
    Some((record, spec))
}

/// Whether whoever asked has got these bytes, and the history with them.
pub(super) fn is_fetched(
    project: &Project,
    state: Result<&StateDir, &Error>,
    packet: &Path,
    bytes: &[u8],
) -> bool {
    let packet = project.relative(packet);
    let name = packet.file_name().filter(|_| is_relay(packet)).and_then(relay_name);
    let known = name.and_then(|name| history::entries(state.ok()?, &answer_path(name)).ok());
    let hash = sha256(bytes);
    known.into_iter().flatten().any(|entry| entry.sha256 == hash)
}

/// Takes a record of these back that came when its packet had gone, together with what was answered before or with whoever asked; true
/// if it did. Somebody may have taken it along with its packet: then it is in the history. One of somebody else stays.
pub(super) fn take_back_late(
    project: &Project,
    state: Result<&StateDir, &Error>,
    packet: &Path,
    bytes: &[u8],
) -> Result<bool, WriteError> {
    let Some((name, _)) = gone(project, packet) else { return Ok(false) };
    if is_fetched(project, state, packet, bytes) {
        return Ok(false);
    }
    let done = history::take_away(project, &answer_path(&name), bytes);
    remove_folder(project);
    match done {
        Ok(()) | Err(WriteError::NoRecord | WriteError::Changed) => Ok(true),
        Err(fault) => Err(fault),
    }
}

/// The same of a refusal: whoever takes it along takes the file that says so.
pub(super) fn take_back_late_refusal(project: &Project, packet: &Path) -> bool {
    let Some((name, dir)) = gone(project, packet) else { return false };
    let is_late = remove_rounds(project.disk(), &dir, &name).is_ok();
    remove_folder(project);
    is_late
}

/// The name of a packet of these that is not there any more, and its folder. If that has gone as well, nothing is known.
fn gone(project: &Project, packet: &Path) -> Option<(String, Dir)> {
    let packet = project.relative(packet);
    let file_name = packet.file_name().filter(|_| is_relay(packet))?;
    let dir = project.dir().open_dir(RELAYS).ok()?;
    let is_gone = dir.symlink_metadata(file_name).is_err_and(|cause| cause.kind() == io::ErrorKind::NotFound);
    relay_name(file_name).filter(|_| is_gone).map(|name| (name.to_owned(), dir))
}

fn clear(project: &Project, state: &StateDir, dir: &Dir, name: &str, now: SystemTime) {
    let packet = project.root().join(RELAYS).join(packet_name(name));
    // Of a packet that cannot be read any more, or asks for another file, the history knows nothing.
    let loaded = gate::load(project, &packet).ok().filter(|loaded| is_its(loaded, name));
    let is_kept = loaded.is_some_and(|loaded| {
        // Not everything is noted: what is very large, for one.
        let noted = History { project, state, now }.see(&loaded);
        !loaded.record.exists() || noted.is_ok() && is_noted(state, name, &loaded)
    });
    // The packet first: a record without one bothers nobody, a gate that waits again would.
    let _ = remove(project.disk(), dir, name);
    // What the history has not taken stays where it is.
    if is_kept {
        let _ = project.disk().unlink(dir, OsStr::new(&record_name(name)));
    }
}

#[cfg(test)]
mod tests;
