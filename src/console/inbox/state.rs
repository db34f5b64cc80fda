//! How a gate's state is shown: a sign, its word, its meaning. The shape carries the state, colour only repeats it.

use crate::console::model::Status;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::Sentence;

/// How a state is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// One cell.
    pub sign: &'static str,
    /// Of the sign and the word.
    pub role: Role,
    /// What it is called.
    pub word: Sentence,
    /// What it means for the step.
    pub means: Sentence,
}

/// How a state is shown.
pub fn state(status: Status) -> State {
    let (sign, role, word, means) = match status {
        Status::Waiting => ("●", Role::Waiting, s::WAITING, s::WAITING_MEANS),
        Status::Blocked => ("▲", Role::Blocked, s::BLOCKED, s::BLOCKED_MEANS),
        Status::Malformed => ("✕", Role::Malformed, s::MALFORMED, s::MALFORMED_MEANS),
        Status::Answered => ("✓", Role::Answered, s::ANSWERED, s::ANSWERED_MEANS),
        Status::NoGate => ("○", Role::Dim, s::NO_GATE, s::NO_GATE_MEANS),
    };
    State { sign, role, word, means }
}

impl State {
    /// A gate that waits and has a draft.
    pub const DRAFT: State =
        State { sign: "◐", role: Role::Waiting, word: s::WAITING, means: s::DRAFT_MEANS };
    /// A gate that the author has put off.
    pub const LATER: State = State { sign: "◌", role: Role::Dim, word: s::LATER, means: s::LATER_MEANS };
    /// A gate behind the checkpoint, whatever its state.
    pub const PAST: State = State { sign: "·", role: Role::Past, word: s::PAST, means: s::PAST_MEANS };
}
