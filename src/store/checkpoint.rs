//! What the executor's `.checkpoint.json` says about steps, answered as novel-writer-cli 0.5.0 would: has this step been
//! passed? Whatever is not known for certain has not. Nothing here ever writes the file.

use super::clock::time_of;
use super::file::{Read, is_packet_name, is_relay, unreadable};
use super::project::Project;
use super::scan::file::{self, Signature};
use crate::ask::json::{Item, Json, Kind};
use crate::ask::reader::{no_object, wrong};
use crate::ask::step::{STAGES, Step, chapter_number};
use crate::ask::{JsString, Problem};
use crate::error::io_cause;
use crate::platform::Failure;
use crate::text::{Sentence, say};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

const FILE: &str = ".checkpoint.json";

pub fn has_passed(project: &Project, step: &JsString) -> bool {
    now(project).has_passed(step)
}

/// The volume that is being written.
pub fn volume(project: &Project) -> u64 {
    now(project).volume()
}

/// When the book went on last, if that is said; an error where it cannot be read just now.
pub(super) fn moved(project: &Project) -> io::Result<Option<SystemTime>> {
    let (checkpoint, _) = read(project, file::signature(project, FILE)).ok_or(io::ErrorKind::Interrupted)?;
    let checkpoint = checkpoint.map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(checkpoint.moved.filter(|_| checkpoint.is_said))
}

/// Why it cannot be read now; nothing if it can.
pub fn fault(project: &Project) -> Option<Problem> {
    let mut known = CheckpointFile::default();
    known.look(project, project.disk().now());
    known.fault().cloned()
}

/// As it is now; one that cannot be read has passed nothing.
pub(super) fn now(project: &Project) -> Checkpoint {
    let mut known = CheckpointFile::default();
    known.look(project, project.disk().now());
    known.checkpoint
}

/// The checkpoint as it was last read.
#[derive(Debug, Default)]
pub(super) struct CheckpointFile {
    pub(super) checkpoint: Checkpoint,
    mark: u64,
    /// It may have been written again since without a trace.
    fresh: bool,
    /// Why it says nothing now. What it had said before holds until it says something else.
    fault: Option<Box<Problem>>,
    modified: Option<SystemTime>,
}

/// How long a command waits for one that is half written, and how often it looks.
const PATIENCE: Duration = Duration::from_millis(500);
const RETRY: Duration = Duration::from_millis(50);

impl CheckpointFile {
    /// Reads it if its file differs; true if it says something else now. One that cannot be read just now has passed what it had.
    pub(super) fn look(&mut self, project: &Project, now: SystemTime) -> bool {
        let seen = file::signature(project, FILE);
        if !self.fresh && file::mark_of(&seen) == self.mark {
            return false;
        }
        let Some((mut checkpoint, mut seen)) = read(project, seen) else { return false };
        let is_young = |seen: &Signature| {
            let now = project.disk().now();
            now.duration_since(seen.changed).unwrap_or_else(|ahead| ahead.duration()) < PATIENCE
        };
        while project.is_patient() && checkpoint.is_err() && seen.as_ref().is_ok_and(is_young) {
            thread::sleep(RETRY);
            let Some(again) = read(project, file::signature(project, FILE)) else { break };
            (checkpoint, seen) = again;
        }
        self.mark = file::mark_of(&seen);
        self.modified = seen.as_ref().ok().map(|seen| seen.modified);
        self.fresh = seen.is_ok_and(|seen| seen.fresh_for(now).is_some());
        match checkpoint {
            Ok(checkpoint) => {
                self.fault = None;
                std::mem::replace(&mut self.checkpoint, checkpoint) != checkpoint
            }
            Err(fault) => {
                self.fault = Some(fault);
                false
            }
        }
    }

    /// Why it cannot be read.
    pub(super) fn fault(&self) -> Option<&Problem> {
        self.fault.as_deref()
    }

    /// When its file was last written.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        self.modified
    }
}

/// What it says, one that has passed nothing if there is none, or why it says nothing; and the signature of what was read. `None` if it
/// is just changing.
fn read(project: &Project, seen: Result<Signature, Failure>) -> Option<Found> {
    let absent = |cause: io::Error| {
        let failure = Err(Failure::of(&cause).unwrap_or(Failure::NOT_FOUND));
        let none = if file::is_absent(&cause) {
            Ok(Checkpoint::default())
        } else {
            Err(Box::new(unreadable(&io_cause(&cause))))
        };
        Some((none, failure))
    };
    let seen = match seen {
        Ok(seen) => seen,
        Err(failure) => return absent(failure.into()),
    };
    match file::read(project, Path::new(FILE), &seen) {
        Ok((Read::Bytes(bytes, _), seen)) => Some((Checkpoint::decode(&bytes, seen.modified), Ok(seen))),
        Ok((Read::Odd(problem, _), seen)) => Some((Err(problem), Ok(seen))),
        Ok((Read::Changed, _)) => None,
        Err(cause) => absent(cause),
    }
}

type Found = (Result<Checkpoint, Box<Problem>>, Result<Signature, Failure>);

/// The part of `.checkpoint.json` that decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checkpoint {
    last_completed: u64,
    in_flight: Option<u64>,
    /// The volume that is being written, where that is said.
    volume: Option<u64>,
    /// When the book went on last; `None` where that is not known.
    moved: Option<SystemTime>,
    /// It says so itself: that is not the time of its file.
    is_said: bool,
}

/// How much older than the checkpoint a packet of the step that comes next may be: file systems may keep whole seconds only.
const COARSE: Duration = Duration::from_secs(2);

const NUMBER: Sentence = say("the number of a chapter, without quotes", "章号，一个不带引号的数字");

/// Numbers above this are no longer exact in JavaScript.
const LARGEST: f64 = 9_007_199_254_740_992.0;

impl Checkpoint {
    /// From the file's bytes and time; an error if the executor would refuse it. One that says nothing yet has passed nothing.
    pub(super) fn decode(bytes: &[u8], modified: SystemTime) -> Result<Checkpoint, Box<Problem>> {
        let members =
            ["last_completed_chapter", "inflight_chapter", "current_volume", "last_checkpoint_time"];
        let json = Json::parse_keeping(bytes, &members).map_err(|error| Box::new(error.into()))?;
        let root = json.root();
        if root.kind() != Kind::Object {
            return Err(Box::new(no_object(&[], Some(root))));
        }
        let chapter = |key: &str, item: Option<Item<'_>>| {
            let number = |item: Item<'_>| {
                item.number()
                    .and_then(whole)
                    .ok_or_else(|| Box::new(wrong(NUMBER, Some(item)).at(format!("/{key}"))))
            };
            item.map(number).transpose()
        };
        let last_completed = chapter("last_completed_chapter", root.get("last_completed_chapter"))?;
        let in_flight = chapter("inflight_chapter", root.given("inflight_chapter"))?;
        let Some(last_completed) = last_completed else { return Ok(Checkpoint::default()) };
        let moved = match root.given("last_checkpoint_time") {
            None => Some(modified),
            Some(item) => item.string().and_then(|time| time_of(&time.lossy())),
        };
        let volume = root.get("current_volume").and_then(Item::number).and_then(whole);
        let is_said = root.given("last_checkpoint_time").is_some();
        Ok(Checkpoint { last_completed, in_flight, volume, moved, is_said })
    }

    /// The volume that is being written.
    pub(super) fn volume(self) -> u64 {
        self.volume.filter(|volume| *volume > 0).unwrap_or(1)
    }

    /// The chapter that is written now or next.
    pub(super) fn next_chapter(self) -> u64 {
        self.in_flight.filter(|chapter| *chapter > 0).unwrap_or(self.last_completed.saturating_add(1))
    }

    /// Whether a packet, relative to the root, is one of the step that the book is at; in doubt it is.
    pub(super) fn is_live(
        self,
        packet: &Path,
        step: Option<&JsString>,
        modified: SystemTime,
        now: SystemTime,
    ) -> bool {
        packet.starts_with("staging")
            && is_packet_name(packet)
            && !is_relay(packet)
            && !step.is_some_and(|step| self.has_passed(step))
            && self.is_since(modified, now)
    }

    /// Whether a packet of this time was written since the book went on; in doubt it was.
    fn is_since(self, modified: SystemTime, now: SystemTime) -> bool {
        let soon = |time: SystemTime| time.checked_add(COARSE).unwrap_or(time);
        self.moved.is_none_or(|moved| soon(modified) >= moved || moved > soon(now))
    }

    /// Whether the step lies behind: a chapter that is completed and not being written again.
    pub(super) fn has_passed(self, step: &JsString) -> bool {
        step.as_str()
            .and_then(Step::parse)
            .and_then(|step| step.chapter)
            .is_some_and(|chapter| self.has_passed_chapter(chapter))
    }

    pub(super) fn has_passed_chapter(self, chapter: u64) -> bool {
        chapter <= self.last_completed && self.in_flight != Some(chapter)
    }
}

/// The chapter of a packet with a name such as `chapter-048-draft.packet.json`.
pub(super) fn chapter_of_packet(name: &str) -> Option<u64> {
    let (number, stage) = name.strip_prefix("chapter-")?.strip_suffix(".packet.json")?.split_once('-')?;
    chapter_number(number).filter(|_| STAGES.contains(&stage))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: whole and in range")]
fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..=LARGEST).contains(&number)).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn a_packet_is_of_the_step_that_comes_next_if_it_is_not_older_than_the_checkpoint() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let is_since = |time: &str, packet| {
            let checkpoint = format!(r#"{{"last_completed_chapter": 1{time}}}"#);
            let checkpoint = Checkpoint::decode(checkpoint.as_bytes(), at(1_000)).expect("a checkpoint");
            checkpoint.is_since(at(packet), at(10_000))
        };
        for (time, first) in [
            (r#", "last_checkpoint_time": "1970-01-01T00:33:20Z""#, 1_998),
            (r#", "last_checkpoint_time": null"#, 998),
            ("", 998),
        ] {
            assert!(is_since(time, first) && !is_since(time, first - 1), "{time}");
        }
        for doubtful in ["\"yesterday\"", "7", "\"2970-01-01T00:00:00Z\""] {
            assert!(is_since(&format!(r#", "last_checkpoint_time": {doubtful}"#), 0), "{doubtful}");
        }
        assert!(Checkpoint::default().is_since(at(0), at(10_000)));
    }

    fn passed(checkpoint: &str, step: &str) -> bool {
        Checkpoint::decode(checkpoint.as_bytes(), UNIX_EPOCH).unwrap_or_default().has_passed(&step.into())
    }

    #[test]
    fn completed_chapters_lie_behind() {
        let checkpoint = r#"{"last_completed_chapter": 47, "inflight_chapter": 48}"#;
        assert!(passed(checkpoint, "chapter:047:commit"));
        assert!(passed(checkpoint, "chapter:1:draft"));
        assert!(!passed(checkpoint, "chapter:048:draft"));
    }

    #[test]
    fn a_chapter_that_is_written_again_does_not() {
        assert!(!passed(r#"{"last_completed_chapter": 47, "inflight_chapter": 12}"#, "chapter:012:draft"));
    }

    #[test]
    fn what_is_not_known_does_not() {
        let good = r#"{"last_completed_chapter": 47}"#;
        for step in [
            "quickstart:world",
            "chapter:047",
            "chapter:047:other",
            "chapter:000:draft",
            "chapter:x:draft",
            "",
        ] {
            assert!(!passed(good, step), "{step}");
        }
        for checkpoint in
            ["", "[]", "{}", r#"{"last_completed_chapter": "47"}"#, r#"{"last_completed_chapter": 47.5}"#]
        {
            assert!(!passed(checkpoint, "chapter:001:draft"), "{checkpoint}");
        }
        assert!(!passed(r#"{"last_completed_chapter": 47, "inflight_chapter": "x"}"#, "chapter:001:draft"));
    }
}
