//! What the author gives in place of an answer: not this, because … Nothing is written at the answer path and the step stays held up; a
//! line in the file of the gate's rounds says it.
//!
//! A refusal holds until somebody has heard of it and what he refused is another: the packet, but for its gate's place in it, the questions, or the files that the
//! step makes or commits; or until the book goes on, for something has been done then. After that the gate waits again. He may take it
//! back or answer at any time.

use super::attach::place_of;
use super::checkpoint;
use super::file::{Read, read_file, read_open};
use super::project::Project;
use super::rounds::{self, Approved, Delivered, Event, Rounds, SentBack, TakenBack};
use super::scan::file;
use super::sha256;
use crate::ask::splice::with_gate;
use crate::ask::standing::Proposing;
use crate::ask::step::Step;
use crate::ask::{Gate, JsString, Packet};
use crate::error::Error;
use crate::platform::files::{names_in, open_beneath};
use crate::platform::paths::Shown as _;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// So many files of a directory are looked into.
const MANY: usize = 500;

/// A refusal that its author has not taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub sent: SentBack,
    /// Where it has arrived, in the order of the file.
    pub delivered: Vec<Delivered>,
}

impl Reply {
    /// The last one of each packet, the newest last.
    fn all(events: impl IntoIterator<Item = Event>) -> Vec<Reply> {
        let mut all: Vec<Reply> = Vec::new();
        for event in events {
            match event {
                Event::SentBack(sent) => {
                    all.retain(|reply| reply.sent.packet != sent.packet);
                    all.push(Reply { sent, delivered: Vec::new() });
                }
                Event::Delivered(line) => {
                    let of = all.iter_mut().filter(|reply| reply.sent.id == line.id);
                    of.for_each(|reply| reply.delivered.push(line.clone()));
                }
                Event::TakenBack(line) => all.retain(|reply| reply.sent.id != line.id),
                Event::Told(_) | Event::Approved(_) | Event::Requested(_) | Event::Proposed(_) => {}
            }
        }
        all
    }

    /// Whether it has arrived this way.
    pub fn is_delivered_by(&self, ways: &[&str]) -> bool {
        self.delivered.iter().any(|line| ways.contains(&&*line.by))
    }
}

/// The author's last word in the place of an answer, if that is a refusal. What he refused may be another by now.
pub fn last(project: &Project, answer_path: &JsString) -> Option<Reply> {
    Reply::all(rounds::events(project, answer_path)).pop()
}

/// The same of a packet, by its path.
pub fn last_of(project: &Project, path: &Path, answer_path: &JsString) -> Option<Reply> {
    let all = Reply::all(rounds::events(project, answer_path));
    // Most have never been sent back.
    let own = if all.is_empty() { return None } else { key(project, path) };
    all.into_iter().rfind(|reply| is_of(&reply.sent, &own))
}

/// Where among these events the refusal of a packet stands that its author has not taken back.
pub(super) fn refused_at(project: &Project, events: &[Event], path: &Path) -> Option<(usize, SentBack)> {
    let all = Reply::all(events.iter().cloned());
    let own = if all.is_empty() { return None } else { key(project, path) };
    let sent = all.into_iter().rfind(|reply| is_of(&reply.sent, &own))?.sent;
    let at = events.iter().position(|event| matches!(event, Event::SentBack(other) if *other == sent))?;
    Some((at, sent))
}

/// A line that names no packet is about every one.
fn is_of(sent: &SentBack, packet: &str) -> bool {
    sent.packet.is_empty() || sent.packet == packet
}

/// What a line calls a packet, by whatever path it is named.
pub(super) fn key(project: &Project, path: &Path) -> String {
    place_of(project, &project.root().join(path)).shown().into_owned()
}

/// The same while it holds; the executor proposes options to some questions.
pub(super) fn open(
    project: &Project,
    path: &Path,
    (packet, bytes): (&Packet, &[u8]),
    proposing: &[Proposing],
) -> Option<Reply> {
    let gate = packet.gate.as_ref()?;
    let reply = last_of(project, path, &gate.answer_path)?;
    if reply.delivered.is_empty() {
        return Some(reply);
    }
    // After the last round the author decides: nothing else can come.
    if !proposing.is_empty() {
        let rounds = rounds::proposed(&rounds::events(project, &gate.answer_path));
        let count = |it: &Proposing| rounds.iter().filter(|round| round.question == it.question).count();
        if proposing.iter().all(|it| count(it) >= it.rounds) {
            return None;
        }
    }
    let is_same = |before: &String| refused(project, packet, gate, bytes).is_none_or(|now| now == *before);
    reply.sent.subject.as_ref().is_none_or(is_same).then_some(reply)
}

/// Takes back the refusal of a packet; nothing if there is none.
///
/// # Errors
/// The file of its rounds cannot be written.
pub fn take_back(
    project: &Project,
    packet: &Path,
    answer_path: &JsString,
    at: &str,
) -> Result<Option<SentBack>, Error> {
    let own = key(project, packet);
    end_some(project, packet, answer_path, at, |sent| is_of(sent, &own))
}

/// Ends every refusal in the place of an answer: there is one.
///
/// # Errors
/// The file of its rounds cannot be written.
pub(super) fn end(project: &Project, packet: &Path, answer_path: &JsString, at: &str) -> Result<(), Error> {
    // Most have never been sent back.
    if last(project, answer_path).is_none() {
        return Ok(());
    }
    end_some(project, packet, answer_path, at, |_| true).map(drop)
}

fn end_some(
    project: &Project,
    packet: &Path,
    answer_path: &JsString,
    at: &str,
    is_meant: impl Fn(&SentBack) -> bool,
) -> Result<Option<SentBack>, Error> {
    let mut ended = None;
    loop {
        let mut rounds = Rounds::open(project, packet, answer_path)?;
        let found = Reply::all(rounds.events()).into_iter().find(|reply| is_meant(&reply.sent));
        let Some(Reply { sent, .. }) = found else { return Ok(ended) };
        if rounds.add(&Event::TakenBack(TakenBack { at: at.to_owned(), id: sent.id.clone() }))? {
            ended = Some(sent);
        }
    }
}

/// Notes that a refusal has arrived.
///
/// # Errors
/// The file of its gate's rounds cannot be written.
pub fn note_delivered(
    project: &Project,
    packet: &Path,
    answer_path: &JsString,
    delivered: Delivered,
) -> Result<(), Error> {
    rounds::note(project, packet, answer_path, &Event::Delivered(delivered))
}

/// Notes what was there when a record approved it.
pub(super) fn note_approved(
    project: &Project,
    packet: &Path,
    answer_path: &JsString,
    approved: Approved,
) -> Result<(), Error> {
    rounds::note(project, packet, answer_path, &Event::Approved(approved))
}

/// Whether what a record has approved is another by now.
pub(super) fn is_outdated(project: &Project, packet: &Packet, bytes: &[u8], record: &str) -> bool {
    let Some(gate) = &packet.gate else { return false };
    let approved =
        rounds::events(project, &gate.answer_path).into_iter().rev().find_map(|event| match event {
            Event::Approved(approved) if approved.record == record => Some(approved.subject),
            _ => None,
        });
    approved.is_some_and(|before| subject(project, packet, gate, bytes).is_some_and(|now| now != before))
}

/// The hash of what the author looks at when he judges a step: its packet without what belongs to the gate, the questions, and the
/// files. `None` where one cannot be read just now.
fn subject(project: &Project, packet: &Packet, gate: &Gate, bytes: &[u8]) -> Option<String> {
    let bare = with_gate(bytes, None).unwrap_or_else(|| bytes.to_vec());
    let mut parts = vec![sha256(&bare), sha256(gate.spec.canonical().as_bytes())];
    for path in judged(packet) {
        let content = content(project, &path).ok()?;
        parts.push(format!("{path}\0{content}"));
    }
    Some(sha256(parts.join("\0").as_bytes()))
}

/// The same for a refusal: how far the book is, too.
fn refused(project: &Project, packet: &Packet, gate: &Gate, bytes: &[u8]) -> Option<String> {
    let moved = checkpoint::moved(project).ok()?;
    let moved = moved.and_then(|moved| moved.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    Some(sha256(format!("{}\0{}", subject(project, packet, gate, bytes)?, moved.as_millis()).as_bytes()))
}

/// What a refusal of a packet as it is now is about; nothing where that cannot be read.
pub(super) fn refused_of(project: &Project, path: &Path, packet: &Packet) -> Option<String> {
    refused(project, packet, packet.gate.as_ref()?, &read_file(path).ok()?)
}

/// What an approval of a packet as it is now is about; nothing where that cannot be read.
pub fn approved_of(project: &Project, path: &Path, packet: &Packet) -> Option<String> {
    subject(project, packet, packet.gate.as_ref()?, &read_file(path).ok()?)
}

/// What an author has before him beside the questions: what a verdict is about, and what was sent back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    judged: Option<String>,
    refusal: Option<String>,
}

/// The same of a packet as it is now.
pub fn seen(project: &Project, path: &Path, packet: &Packet) -> Seen {
    let Some(gate) = &packet.gate else { return Seen::default() };
    let is_verdict = gate.spec.is_verdict();
    Seen {
        judged: is_verdict.then(|| approved_of(project, path, packet)).flatten(),
        refusal: last_of(project, path, &gate.answer_path).map(|reply| reply.sent.id),
    }
}

/// The files that a step makes, and what becomes them: novel-writer-cli's commits take them from `staging/`. And a chapter's text, which
/// most of its steps read and their packets do not name as theirs.
pub(super) fn judged(packet: &Packet) -> BTreeSet<String> {
    let outputs = packet.products().map(|output| &output.path);
    let own = packet.gate.as_ref().map(|gate| &gate.answer_path);
    let outputs = outputs.filter(|path| Some(*path) != own).map(|path| path.lossy().into_owned());
    let chapter = packet.step.as_ref().and_then(|step| Step::parse(step.as_str()?)?.chapter);
    let text = chapter.map(|chapter| format!("staging/chapters/chapter-{chapter:03}.md"));
    outputs.flat_map(|path| [format!("staging/{path}"), path]).chain(text).collect()
}

/// The hash of a file, or of the files in a directory; a word for what is not there.
fn content(project: &Project, path: &str) -> io::Result<String> {
    let place = Path::new(path);
    let meta = match project.dir().metadata(place) {
        Err(cause) if file::is_absent(&cause) => return Ok("absent".to_owned()),
        meta => meta?,
    };
    if !meta.is_dir() {
        return hash(project, place);
    }
    let names: BTreeSet<_> = names_in(&project.root().join(place))?.take(MANY).collect::<io::Result<_>>()?;
    let places = names.iter().map(|name| place.join(name));
    let files = places.filter(|place| project.dir().metadata(place).is_ok_and(|meta| meta.is_file()));
    let hash = |place: PathBuf| Ok(format!("{}\0{}", place.shown(), hash(project, &place)?));
    Ok(files.map(hash).collect::<io::Result<Vec<_>>>()?.join("\0"))
}

fn hash(project: &Project, place: &Path) -> io::Result<String> {
    Ok(match read_open(open_beneath(project.dir(), place)?)? {
        Read::Bytes(bytes, _) => sha256(&bytes),
        Read::Odd(..) => "odd".to_owned(),
        Read::Changed => return Err(io::ErrorKind::Interrupted.into()),
    })
}
