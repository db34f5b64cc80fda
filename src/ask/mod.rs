//! The domain: packets, gates, questions, records, half-made answers. Pure: no file, clock, environment or terminal.
//!
//! The rules are those of novel-writer-cli 0.5.0; `tests/conformance/` holds its verdicts.

pub mod answer;
pub mod cause;
pub mod check;
pub mod compare;
pub mod decision;
pub mod decode;
pub mod draft;
pub mod drift;
mod frame;
pub mod js_string;
pub mod json;
mod location;
mod loss;
pub mod mend;
mod misspelt;
pub mod problem;
pub mod proposal;
pub mod question;
pub(crate) mod reader;
mod records;
mod rename;
pub mod repair;
pub mod schema;
pub mod splice;
pub mod standing;
pub mod step;
pub mod syntax;
pub mod windows_name;

pub use answer::{Answer, AnswerSpec, Answers, Notes, SIGNATURE, listed};
pub use cause::{Cause, causes};
pub use check::{
    answered_at, check_answers, check_notes, check_record, check_record_alone, is_another_document, salvage,
};
pub use decode::{
    NO_DESCRIPTION, RELAY, caller, decode_asked, decode_packet, decode_packet_as_written, decode_spec,
    looks_like_gate,
};
pub use draft::{Draft, Pick, Reason, Reply};
pub use drift::{Change, ChangeKind, drift};
pub use js_string::{JsString, raw};
pub use json::{object, to_line, to_raw};
pub use location::{Location, location, locations};
pub use loss::Loss;
pub use problem::{Problem, ProblemCode, nearest};
pub use question::{Caller, Choice, ExpectedOutput, Gate, Kind, Packet, Question, QuestionSpec};
pub use rename::mend_packet;
pub use repair::{Diagnosis, Recorded, recorded_answers, repair_draft};
