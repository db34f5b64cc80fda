//! What a name on the command line means: a packet with its gate, or a record and the packet that asks for it.

use super::Session;
use crate::ask::{Gate, JsString, Problem, looks_like_gate};
use crate::error::Error;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::history::{self, Entry, Search};
use crate::store::{Project, StateDir, locate, record};
use std::path::{Path, PathBuf};

/// A packet that was named.
pub(super) struct NamedPacket {
    pub(super) path: PathBuf,
    /// For people and programs: relative to the root.
    pub(super) shown: String,
    /// What it holds, or why it is malformed.
    pub(super) loaded: Result<Loaded, Vec<Problem>>,
}

impl NamedPacket {
    /// Loads the packet that goes by a name.
    ///
    /// # Errors
    /// None does, several do, or it cannot be read.
    pub(super) fn load(session: &Session<'_>, project: &Project, name: &Path) -> Result<NamedPacket, Error> {
        let path = session.packet(project, name)?;
        let shown = project.relative(&path).to_string_lossy().into_owned();
        let loaded = match gate::load(project, &path) {
            Ok(loaded) => Ok(loaded),
            Err(LoadFault::Malformed(problems)) => Err(problems),
            Err(LoadFault::Unreadable(error)) => return Err(error),
        };
        Ok(NamedPacket { path, shown, loaded })
    }

    pub(super) fn loaded(&self) -> Option<&Loaded> {
        self.loaded.as_ref().ok()
    }

    pub(super) fn gate(&self) -> Option<&Gate> {
        self.loaded().and_then(Loaded::gate)
    }

    pub(super) fn status(&self) -> Status {
        self.loaded().map_or(Status::Malformed, Loaded::status)
    }

    /// What is wrong with the packet, or else with its record.
    pub(super) fn problems(&self) -> &[Problem] {
        self.loaded.as_ref().map_or_else(Vec::as_slice, Loaded::problems)
    }
}

/// What the name of a packet or of a record leads to.
pub(super) enum Resolved {
    /// A packet that carries a gate.
    Gate(Box<Loaded>),
    /// A file that is no packet, and that no packet asks for.
    File(PathBuf),
    /// Nothing has this name; the history may know it.
    Missing(Error),
}

impl Resolved {
    /// # Errors
    /// The packet cannot be used or carries no gate.
    pub(super) fn of(session: &Session<'_>, project: &Project, name: &Path) -> Result<Resolved, Error> {
        let packet = match session.packet(project, name) {
            // A record that is gone is known by the packet that asks for it.
            Err(error) => {
                match below(session, project, name).find_map(|at| locate::packet_asking_for(project, &at)) {
                    Some(packet) => packet,
                    None => return Ok(Resolved::Missing(error)),
                }
            }
            Ok(found) => {
                let is_packet = gate::read_file(&found).is_ok_and(|bytes| looks_like_gate(&bytes));
                if is_packet && has_packet_name(&found) {
                    found
                } else if let Some(packet) = locate::packet_asking_for(project, &found) {
                    // Whatever lies in a record's place is the record, even a copy of a packet.
                    packet
                } else if is_packet {
                    found
                } else {
                    return Ok(Resolved::File(found));
                }
            }
        };
        let loaded = gate::load(project, &packet).map_err(|fault| fault.error())?;
        if loaded.gate().is_none() {
            return Err(record::no_gate());
        }
        Ok(Resolved::Gate(Box::new(loaded)))
    }
}

/// What the history knows by the name of something that is gone.
pub(super) enum Gone {
    /// A record, by its path.
    Record(JsString),
    /// The records of a step, by its id; the newest first.
    Step(JsString, Vec<Entry>),
}

impl Gone {
    pub(super) fn find(
        session: &Session<'_>,
        (project, state): (&Project, &StateDir),
        name: &Path,
    ) -> Option<Gone> {
        let spelled = JsString::from(name.to_str()?);
        let paths = below(session, project, name).filter_map(|path| history::answer_path_of(project, &path));
        // The record's directory may be gone too; then only its spelling is left.
        if let Some(path) = paths.chain([spelled.clone()]).find(|path| is_known(state, path)) {
            return Some(Gone::Record(path));
        }
        let of_step = Search { step: Some(spelled.clone()), ..Search::default() };
        let entries = history::search(state, &of_step).ok().filter(|entries| !entries.is_empty())?;
        Some(Gone::Step(spelled, entries))
    }
}

/// Whether the history has entries of the record at this path.
pub(super) fn is_known(state: &StateDir, answer_path: &JsString) -> bool {
    history::entries(state, answer_path).is_ok_and(|entries| !entries.is_empty())
}

pub(super) fn has_packet_name(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".packet.json")
}

/// Where a file of this name may be: below the current directory or the root.
fn below(session: &Session<'_>, project: &Project, name: &Path) -> impl Iterator<Item = PathBuf> {
    [session.environment.cwd.join(name), project.root().join(name)].into_iter()
}
