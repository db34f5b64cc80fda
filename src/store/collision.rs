//! Packets whose answers go to one place: with equal questions they are one gate, with different ones a conflict, since one
//! record cannot answer both.
//!
//! Before a record is written, the packets in conflict with its own are checked against it: one that the record leaves blocked
//! forbids it, unless the checkpoint has passed its step. A record that is valid for both may be written.

use super::checkpoint;
use super::entry::{Entry, Status, place_number};
use super::file::is_packet_name;
use super::gate::read_file;
use super::project::Project;
use super::safe_path;
use super::scan;
use crate::ask::json::Json;
use crate::ask::{Gate, QuestionSpec, check_record, decode_packet};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::text::say;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The gates among these whose records go to this place, relative to the root, first those that the checkpoint has not passed,
/// then by path. Where only the folding of names differs, it is one place. Packets that cannot be used are among
/// them.
pub fn gates_at(project: &Project, entries: &[Arc<Entry>], place: &Path) -> Vec<Arc<Entry>> {
    let (number, wanted, wanted_name) =
        (place_number(place), safe_path::folded(place), safe_path::folded_name(place));
    let is_there = |entry: &Arc<Entry>| {
        entry.place == number
            || entry.answer_path.as_ref().is_some_and(|own| {
                safe_path::folded_name(Path::new(&*own.lossy())) == wanted_name
                    && safe_path::folded(&safe_path::real_place(project, own)) == wanted
            })
    };
    let mut gates: Vec<Arc<Entry>> =
        entries.iter().map(|entry| placed(project, entry)).filter(is_there).collect();
    gates.sort_by_key(|entry| (entry.past, Arc::clone(&entry.path)));
    gates
}

/// A packet that cannot be used still says where its record goes; not into a packet, which may be what is wrong with it.
fn placed(project: &Project, entry: &Arc<Entry>) -> Arc<Entry> {
    if entry.status != Status::Malformed || entry.answer_path.is_some() {
        return Arc::clone(entry);
    }
    let bytes = read_file(&project.root().join(&entry.path)).unwrap_or_default();
    let json = Json::parse_keeping(&bytes, &["answer_path"]).ok();
    let said = json.and_then(|json| json.root().get("answer_path")?.string());
    let answer_path = said.filter(|said| !is_packet_name(Path::new(&*said.lossy())));
    Arc::new(Entry { answer_path, ..(**entry).clone() })
}

/// An error where a file that somebody names for something else would be taken for the record of a gate. Looks once.
pub fn no_record(project: &Arc<Project>, path: &Path, now: SystemTime) -> Result<(), Error> {
    let below = |place: PathBuf| place.strip_prefix(project.root()).ok().map(Path::to_path_buf);
    let places: Vec<PathBuf> = safe_path::places_of(path).into_iter().filter_map(below).collect();
    if places.is_empty() {
        return Ok(());
    }
    let entries = scan::look_at(project, &places, now).entries();
    let Some(gate) = places.iter().find_map(|place| gates_at(project, &entries, place).into_iter().next())
    else {
        return Ok(());
    };
    let sentence = say(
        "{0} is where the answers to {1} go. Name another file.",
        "{0} 是 {1} 的回答所在的位置。请指定另一个文件。",
    );
    let parts = [project.relative(path).shown(), gate.path.shown()];
    Err(Error::new(ExitCode::Usage, "record-place", sentence, &[&parts[0], &parts[1]]))
}

/// The other packets below `staging/` whose answers go where this gate's go, relative to the root and by path, and whether each
/// asks the same. Looks once.
pub fn others(project: &Arc<Project>, packet: &Path, gate: &Gate, now: SystemTime) -> Vec<(PathBuf, bool)> {
    let places = [safe_path::real_place(project, &gate.answer_path)];
    let place = place_number(&places[0]);
    let asked = gate.spec.fingerprint();
    let is_other = |entry: &Arc<Entry>| {
        entry.place == place && *entry.path != *project.relative(packet) && place_number(&entry.path) != place
    };
    let entries = scan::look_at(project, &places, now).entries().into_iter().filter(is_other);
    let mut others: Vec<_> = entries.map(|entry| (entry.path.to_path_buf(), entry.asked == asked)).collect();
    others.sort();
    others
}

/// Those of them that ask something else.
pub fn rivals(project: &Arc<Project>, packet: &Path, gate: &Gate, now: SystemTime) -> Vec<PathBuf> {
    let others = others(project, packet, gate, now).into_iter();
    others.filter(|(_, agrees)| !agrees).map(|(path, _)| path).collect()
}

/// Those of the rivals that a record of this gate would leave blocked.
pub fn left_blocked(project: &Project, gate: &Gate, rivals: &[PathBuf], record: &[u8]) -> Vec<PathBuf> {
    standing(project, gate, rivals, |spec| check_record(spec, record).is_err())
}

/// Those of the rivals that every record of this gate would leave blocked.
pub fn irreconcilable(project: &Project, gate: &Gate, rivals: &[PathBuf]) -> Vec<PathBuf> {
    standing(project, gate, rivals, |spec| !gate.spec.can_share_a_record_with(spec))
}

/// The rivals, as they are now, that still ask something else in this place, whose step the checkpoint has not passed,
/// and whose questions are in the way.
fn standing(
    project: &Project,
    gate: &Gate,
    rivals: &[PathBuf],
    is_in_the_way: impl Fn(&QuestionSpec) -> bool,
) -> Vec<PathBuf> {
    let place = |gate: &Gate| safe_path::real_place(project, &gate.answer_path);
    let stands = |path: &&PathBuf| {
        let Ok(bytes) = read_file(&project.root().join(path)) else { return false };
        let Ok(packet) = decode_packet(&bytes) else { return false };
        let Some(theirs) = &packet.gate else { return false };
        place(theirs) == place(gate)
            && theirs.spec.fingerprint() != gate.spec.fingerprint()
            && is_in_the_way(&theirs.spec)
            && !packet.step.is_some_and(|step| checkpoint::has_passed(project, &step))
    };
    rivals.iter().filter(stands).cloned().collect()
}

#[cfg(test)]
mod tests;
