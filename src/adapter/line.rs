//! Several dialogues one after another on one line of calls: the steps of a document.
//!
//! Responsible for what a dialogue hands on to the next. Not responsible for which one that is (`canonical::walk`).

use super::call::Chain;
use super::progress::{Progress, Reject};
use super::{Dialogue, OnEscape, Profile};
use crate::ask::QuestionSpec;

impl<'d> Dialogue<'d> {
    /// The first dialogue of a line that `text` stands for: its calls have other names when the text changes.
    pub(super) fn first(text: &str, spec: &'d QuestionSpec, profile: Profile) -> Dialogue<'d> {
        // What an escape does is the line's business: here it only leaves a mark.
        let chain = Chain::of_text(text, &profile, OnEscape::Defer);
        let mut dialogue = Dialogue::new(spec, profile, OnEscape::Defer);
        dialogue.state.chain = chain;
        dialogue
    }

    /// The next dialogue of the line, about other questions. What was last said beside an answer is still to be told, and a
    /// tool that is not there stays away.
    pub(super) fn next<'n>(&self, spec: &'n QuestionSpec) -> Dialogue<'n> {
        let mut next = Dialogue::new(spec, self.profile.clone(), self.policy);
        next.state.chain = self.state.chain.clone();
        next.state.no_tool = self.state.no_tool;
        next.state.notices.clone_from(&self.state.notices);
        next
    }

    /// This dialogue, as it stood when it asked, as the next of a line that has gone on to `later`.
    pub(super) fn again(mut self, later: &Dialogue<'_>) -> Dialogue<'d> {
        self.forget_last();
        self.state.idle = 0;
        self.state.chain = later.state.chain.clone();
        self.state.no_tool = later.state.no_tool;
        self
    }

    /// Whether the last reply was an escape, by whatever way it came.
    pub(super) fn was_escaped(&self) -> bool {
        self.state.deferred.iter().any(|deferred| *deferred)
    }

    /// Asks the first question again, for this reason.
    pub(super) fn refuse(&mut self, code: Reject) {
        self.reject(0, code);
    }

    /// Whether anything but a rejection differs.
    pub(super) fn differs(&self, other: &Dialogue<'_>) -> bool {
        let plain = |progress: &Progress| Progress { reject: None, ..progress.clone() };
        !self.state.progress.iter().map(plain).eq(other.state.progress.iter().map(plain))
    }
}
