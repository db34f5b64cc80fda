//! Options of earlier rounds in the list: one row stands for them all until it is opened.
//!
//! Contract:
//! * Nothing that is chosen is folded when a question is shown, nor what the cursor is on when a round comes.
//! * A filter looks through all options, and leaves them open.
//! * Opened, they stand in the place of their row, which goes; what stands below moves down and the cursor stays on its row.

use super::Form;
use crate::ask::Question;
use crate::text::{Lang, say};
use std::ops::Range;

impl Form {
    /// Places of the options for which one row stands in the list of the question shown.
    pub(super) fn folded(&self) -> Range<usize> {
        if self.filter().is_some() { 0..0 } else { self.view().fold.clone() }
    }

    pub(super) fn unfold(&mut self, at: usize) {
        let view = &mut self.views[at];
        let fold = std::mem::take(&mut view.fold);
        if view.cursor > fold.start {
            view.cursor += fold.len().saturating_sub(1);
        }
    }

    /// The row of an option, which is shown if it was not; or of what comes behind all options.
    pub(super) fn show_place(&mut self, at: usize, place: usize) -> usize {
        if self.views[at].fold.contains(&place) {
            self.unfold(at);
        }
        let fold = &self.views[at].fold;
        if place < fold.end { place } else { place + usize::from(!fold.is_empty()) - fold.len() }
    }
}

/// What the row says: the marks of what it stands for, round by round.
pub(super) fn says(question: &Question, fold: Range<usize>, lang: Lang) -> String {
    let places: Vec<usize> = fold.collect();
    let rounds = places.chunk_by(|a, b| question.options[*a].round == question.options[*b].round);
    let mut marks: Vec<String> = rounds.filter_map(|round| question.marks(round)).collect();
    marks.reverse();
    say("earlier: {0}", "前几轮：{0}").fill(lang, &[&marks.join(say(", ", "、").text(lang))])
}
