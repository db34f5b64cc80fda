//! Standing questions in a look: what a packet that is to carry one counts as, and the files that hold none.

use super::judge::{ScanContext, lock, with_problems};
use crate::ask::step::Step;
use crate::ask::{JsString, Packet};
use crate::store::attach::{Applied, Situation};
use crate::store::entry::{Entry, Status};
use crate::store::questions::QuestionFile;
use std::path::Path;
use std::time::SystemTime;

impl ScanContext<'_> {
    fn situation(&self) -> Situation<'_> {
        let ScanContext { project, questions, checkpoint, now, .. } = *self;
        Situation { project, questions, checkpoint, now }
    }

    /// A packet's path relative to the root.
    fn place_of<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(self.project.root()).unwrap_or(path)
    }

    /// Makes a packet what it counts as; the mark of what has decided that, and what that is.
    pub(super) fn apply_standing(
        &self,
        path: &Path,
        modified: SystemTime,
        packet: &mut Packet,
    ) -> (u64, Applied) {
        // First: what changes meanwhile must leave a trace.
        let mark = self.standing_mark(path, packet.step.as_ref(), modified);
        let applied = (mark != 0).then(|| self.situation().apply(self.place_of(path), modified, packet));
        (mark, applied.unwrap_or_default())
    }

    /// The mark of all that decides which standing question a packet carries, but for itself; 0 if none does.
    pub(super) fn standing_mark(&self, path: &Path, step: Option<&JsString>, modified: SystemTime) -> u64 {
        let is_linked = || lock(&self.linked).iter().any(|link| path.starts_with(link));
        let is_live = || self.situation().is_live(self.place_of(path), step, modified);
        if self.questions.is_empty() || !is_live() || is_linked() {
            return 0;
        }
        let step = step.and_then(|step| Step::parse(step.as_str()?));
        step.map_or(0, |step| self.questions.mark_for(self.project, step, self.checkpoint.volume()))
    }
}

/// The file of a standing question with something wrong in it.
pub(super) fn question_file(file: &QuestionFile) -> Entry {
    let blank = Entry::of_nothing(file.path.as_path().into(), file.modified);
    with_problems(Entry { status: Status::Malformed, ..blank }, &file.problems)
}
