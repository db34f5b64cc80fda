//! The violations of one document, as they are found.
//!
//! Their number and cost are bounded: a hostile file of 64 MiB can hold tens of millions of mistakes.

use super::place::Place;
use super::problem::Problem;

/// A list of problems that stops growing, though never counting.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    count: usize,
}

impl Problems {
    /// How many problems of one document are kept.
    pub(crate) const LIMIT: usize = 1_000;
    /// How many of them come with the nearest legal value, which is costly to find.
    const HINTS: usize = 50;

    /// A problem at a place, which is only made if it is kept.
    pub(crate) fn push(&mut self, at: &Place<'_>, problem: impl FnOnce() -> Problem) {
        self.push_with(at, |_| problem());
    }

    /// The same, where `problem` learns whether to look for the nearest legal value.
    pub(crate) fn push_with(&mut self, at: &Place<'_>, problem: impl FnOnce(bool) -> Problem) {
        self.count += 1;
        if self.list.len() < Self::LIMIT {
            let problem = problem(self.list.len() < Self::HINTS);
            self.list.push(problem.at(at.pointer()));
        }
    }

    /// Problems that were found elsewhere.
    pub(crate) fn extend(&mut self, found: Vec<Problem>) {
        self.count += found.len();
        let room = Self::LIMIT.saturating_sub(self.list.len());
        self.list.extend(found.into_iter().take(room));
    }

    /// How many were found, kept or not.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether none was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Those that were kept, in the order in which they were found.
    pub(crate) fn into_list(self) -> Vec<Problem> {
        self.list
    }
}
