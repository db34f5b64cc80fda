//! What was found out about the answers of a list, so that another look at the same files reads none of them.

use super::{Hearing, hearing};
use crate::ask::JsString;
use crate::platform::files::{Facts, look_through};
use crate::store::entry::Entry;
use crate::store::gate::{self, COARSE};
use crate::store::project::Project;
use crate::store::reply;
use crate::store::rounds::place;
use crate::store::safe_path;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// So many looks trust files that look as they did: what could not be read when they were read leaves no trace on them.
const TRUSTING: usize = 32;

/// Whether answers have reached who does their steps, kept between looks.
#[derive(Debug, Default)]
pub struct HearingCache {
    known: HashMap<Arc<Path>, Known>,
    /// How many looks have trusted since everything was read.
    trusted: usize,
}

/// A file, and what the system said of it; nothing if it is not there.
type Seen = (PathBuf, Option<Facts>);

/// What was found, and how the files looked that it hangs on before they were read.
#[derive(Debug)]
struct Known {
    files: Vec<Seen>,
    /// Another write to one of them would show.
    is_settled: bool,
    hearing: Option<Hearing>,
    /// What its record has approved is another by now.
    is_outdated: bool,
}

#[cfg(test)]
thread_local! {
    /// How many gates this thread has read.
    pub(super) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl HearingCache {
    /// Whether the answers of these gates have reached who does the steps, by packet. Of other gates nothing is known afterwards.
    pub fn hearings<'e>(
        &mut self,
        project: &Project,
        entries: impl Iterator<Item = &'e Arc<Entry>>,
    ) -> HashMap<PathBuf, Hearing> {
        let mut before = std::mem::take(&mut self.known);
        self.trusted += 1;
        if self.trusted > TRUSTING {
            self.trusted = 0;
            before.clear();
        }
        let mut hearings = HashMap::new();
        for entry in entries {
            let known = before.remove(&entry.path).filter(|known| known.holds(project));
            let Some(known) = known.or_else(|| Known::read(project, entry)) else { continue };
            hearings.extend(known.hearing.clone().map(|hearing| (entry.path.to_path_buf(), hearing)));
            self.known.insert(Arc::clone(&entry.path), known);
        }
        hearings
    }

    /// Of the gates that were asked after last, those whose record has approved what is another by now, by packet.
    pub fn outdated(&self) -> HashSet<PathBuf> {
        let outdated = self.known.iter().filter(|(_, known)| known.is_outdated);
        outdated.map(|(path, _)| path.to_path_buf()).collect()
    }
}

impl Known {
    fn read(project: &Project, entry: &Entry) -> Option<Known> {
        #[cfg(test)]
        READ.set(READ.get() + 1);
        let seen = |path: PathBuf| -> Seen {
            let facts = facts(project, &path);
            (path, facts)
        };
        let beside = |path: &JsString| safe_path::join(Path::new(""), &path.lossy());
        let answers = entry.answer_path.as_ref()?;
        let own = [entry.path.to_path_buf(), beside(answers), beside(&place(answers))];
        let mut files: Vec<Seen> = own.into_iter().map(seen).collect();
        let loaded = gate::load(project, &project.root().join(&entry.path)).ok()?;
        files.extend(reply::judged(&loaded.packet).into_iter().map(|path| seen(path.into())));
        let hearing = hearing(project, &loaded);
        let now = project.disk().now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_settled = files.iter().all(|(_, facts)| facts.is_none_or(|facts| is_old(&facts, now)));
        Some(Known { files, is_settled, hearing, is_outdated: loaded.is_outdated })
    }

    fn holds(&self, project: &Project) -> bool {
        self.is_settled && self.files.iter().all(|(path, before)| facts(project, path) == *before)
    }
}

fn facts(project: &Project, path: &Path) -> Option<Facts> {
    look_through(project.dir(), path).ok()
}

/// Whether a file last changed so long before `now`, since 1970, that its next change has another time.
fn is_old(facts: &Facts, now: Duration) -> bool {
    let apart = i64::try_from((COARSE * 2).as_secs()).unwrap_or(i64::MAX);
    i64::try_from(now.as_secs()).is_ok_and(|now| facts.changed.0.saturating_add(apart) <= now)
}
