//! How the state of a gate is shown.

use crate::console::draw::line::{Line, line};
use crate::console::model::{Entry, Note, Status};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::{Lang, Sentence, say};

/// How a state is shown: the shape carries it, colour only repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub sign: &'static str,
    pub role: Role,
    pub word: Sentence,
    pub means: Sentence,
}

impl State {
    pub const DRAFT: State =
        State { sign: "◐", role: Role::Waiting, word: Status::Waiting.word(), means: s::DRAFT_MEANS };
    pub const LATER: State =
        State { sign: "◌", role: Role::Dim, word: say("later", "稍后"), means: s::LATER_MEANS };
    pub const KEPT: State =
        State { sign: "✎", role: Role::Warn, word: say("kept", "留存"), means: s::KEPT_MEANS };
    pub const PAST: State = State { sign: "·", role: Role::Past, word: s::PAST, means: s::PAST_MEANS };

    /// Of a file without a gate.
    pub(super) const fn of_note(note: Note) -> State {
        let (sign, role, means) = match note {
            Note::Misspelt | Note::Misnamed => ("✕", Role::Malformed, s::MISSPELT_MEANS),
            Note::Copy => ("≈", Role::Warn, s::COPY_MEANS),
            Note::Checkpoint => ("✕", Role::Warn, s::UNREADABLE_CHECKPOINT),
        };
        State { sign, role, word: note.word(), means }
    }

    pub(super) fn of_entry(entry: &Entry) -> State {
        entry.note.map_or_else(|| State::of(entry.status), State::of_note)
    }

    pub fn of(status: Status) -> State {
        let (sign, role, means) = match status {
            Status::Waiting => ("●", Role::Waiting, s::WAITING_MEANS),
            Status::Blocked => ("▲", Role::Blocked, s::BLOCKED_MEANS),
            Status::Malformed => ("✕", Role::Malformed, s::MALFORMED_MEANS),
            Status::SentBack => ("↩", Role::Warn, s::SENT_BACK_MEANS),
            Status::Answered => ("✓", Role::Answered, s::ANSWERED_MEANS),
            Status::NoGate => ("○", Role::Dim, s::NO_GATE_MEANS),
        };
        State { sign, role, word: status.word(), means }
    }

    pub fn line(&self, theme: &Theme, lang: Lang) -> Line {
        line(theme[self.role], &format!("{} {}", self.sign, self.word.text(lang)))
    }
}
