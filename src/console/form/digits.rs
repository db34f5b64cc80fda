//! A digit in a list of options: a choice, until it turns out to be the first character of words.
//!
//! Contract:
//! * A digit chooses or ticks its row at once, and so does each of several, one after the other.
//! * Words in the same read, or within [`BELONGS`] of the last digit: it was text all along. The choice is what it was before, and
//!   the filter has digits and words.
//! * Words later, with no other key between, but not much later ([`LEADS`]): an input method sends the digit at once, and the
//!   word when it is composed. The choice stands, the filter has the words, and the row for own words offers both together, one
//!   row below the words alone. Who takes both together takes the digit's choice back, and is told so.
//! * Only digits that came one soon after the other ([`RUNS`]) belong together; each of the others has chosen its row.

use crate::ask::Reply;
use std::ops::Range;
use std::time::{Duration, SystemTime};

/// Words that come so soon behind a digit were typed with it.
pub(super) const BELONGS: Duration = Duration::from_millis(600);
/// A digit, a blank or a sign that comes so soon behind a digit goes on with it.
pub(super) const RUNS: Duration = Duration::from_millis(1_200);
/// A word takes no longer to be composed, and may begin with the digit.
pub(super) const LEADS: Duration = Duration::from_secs(10);

/// Digits that were pressed one after the other, perhaps with blanks behind them, and no other key since.
#[derive(Clone, Debug)]
pub(super) struct Digits {
    pub text: String,
    pub last: SystemTime,
    /// The reply before the first of them, the cursor in the list, and what was folded there.
    pub reply: Reply,
    pub list: (usize, Range<usize>),
    /// How often they have changed the reply.
    pub changes: usize,
    /// Whether words have come later: the digits may be the beginning of these.
    pub lead: bool,
}

impl Digits {
    /// Those that are still to come, with what is there before them.
    pub(super) fn before(reply: &Reply, list: (usize, Range<usize>), now: SystemTime) -> Digits {
        let (text, reply) = (String::new(), reply.clone());
        Digits { text, last: now, reply, list, changes: 0, lead: false }
    }

    /// Whether what comes now has come soon enough behind the last of them, and no words in between.
    pub(super) fn are_younger(&self, than: Duration, now: SystemTime) -> bool {
        !self.lead && now.duration_since(self.last).is_ok_and(|age| age < than)
    }
}
