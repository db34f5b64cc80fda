//! Packets whose answers go to one place.
//!
//! Responsible for telling which packets share a gate, and whether they agree: with equal questions they are one gate,
//! with different ones a conflict, since one record cannot answer both. Not responsible for where a path leads
//! (`safe_path`) nor for finding packets (`scan`).

use super::entry::Entry;
use super::project::Project;
use super::safe_path;
use super::scan::{Look, Scanner};
use crate::ask::Gate;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Packets with one place for their records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    members: Vec<Member>,
    conflict: bool,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    pub(super) asked: u64,
}

/// Another packet whose answers go to the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    /// Whether it asks the very same.
    pub agrees: bool,
}

impl Collision {
    /// Those that the checkpoint has not passed first, then by path.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether they do not all ask the same.
    pub fn is_conflict(&self) -> bool {
        self.conflict
    }
}

/// The number of a place relative to the root; never 0.
pub(super) fn number(place: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    hasher.finish().max(1)
}

/// Tells packets with one place for their records of each other.
pub(super) fn mark(entries: &mut [Arc<Entry>]) {
    let mut first: HashMap<u64, usize> = HashMap::with_capacity(entries.len());
    let mut shared: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.shared.place != 0) {
        let place = entry.shared.place;
        if let Some(&earlier) = first.get(&place) {
            shared.entry(place).or_insert_with(|| vec![earlier]).push(at);
        } else {
            first.insert(place, at);
        }
    }
    for mut group in shared.into_values() {
        group.sort_by_key(|&at| (entries[at].past, entries[at].path()));
        let member = |&at: &usize| Member { path: entries[at].path(), asked: entries[at].shared.asked };
        let members: Vec<Member> = group.iter().map(member).collect();
        let conflict = members.iter().any(|member| member.asked != members[0].asked);
        let collision = Arc::new(Collision { members, conflict });
        for at in group {
            let marked = Entry { collision: Some(Arc::clone(&collision)), ..(*entries[at]).clone() };
            entries[at] = Arc::new(marked);
        }
    }
}

/// The packets below `staging/` whose answers go to this place, relative to the root, by path. Looks at everything once.
pub fn packets_of(project: &Arc<Project>, place: &Path, now: SystemTime) -> Vec<PathBuf> {
    let mut scanner = Scanner::new(Arc::clone(project));
    scanner.pass(Look::All, now, &mut |_| {});
    let place = number(place);
    let entries = scanner.entries();
    let mut packets: Vec<PathBuf> =
        entries.iter().filter(|entry| entry.shared.place == place).map(|entry| entry.path()).collect();
    packets.sort();
    packets
}

/// The other packets below `staging/` whose answers go where this gate's go, by path. Looks at everything once.
pub fn others(project: &Arc<Project>, packet: &Path, gate: &Gate, now: SystemTime) -> Vec<Other> {
    let mut scanner = Scanner::new(Arc::clone(project));
    scanner.pass(Look::All, now, &mut |_| {});
    let place = number(&safe_path::real_place(project, &gate.answer_path));
    let asked = gate.spec.fingerprint();
    let own = project.relative(packet);
    let entries = scanner.entries();
    let same = entries.iter().filter(|entry| entry.shared.place == place && !entry.is_at(own));
    let mut others: Vec<Other> =
        same.map(|entry| Other { path: entry.path(), agrees: entry.shared.asked == asked }).collect();
    others.sort_by(|a, b| a.path.cmp(&b.path));
    others
}
