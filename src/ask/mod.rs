//! The domain: packets, gates, questions, records, half-made answers. Pure: no file, clock, environment or terminal.
//!
//! The rules are those of novel-writer-cli 0.5.0; `tests/conformance/` holds its verdicts.

pub mod answer;
pub mod cause;
pub mod check;
pub mod compare;
pub mod date;
pub mod decode;
pub mod draft;
pub mod drift;
pub mod js_string;
pub mod json;
mod location;
mod nearest;
pub mod packet;
pub(crate) mod place;
pub mod problem;
pub(crate) mod problems;
pub mod question;
pub(crate) mod reader;
pub mod repair;
pub mod schema;
pub mod syntax;
mod to_json;

pub use answer::{Answer, AnswerSpec, Answers, Notes};
pub use cause::{Cause, CauseKind, causes};
pub use check::{check_answers, check_notes, check_record, check_record_alone, is_another_document, salvage};
pub use decode::{
    decode_packet, decode_packet_as_written, decode_spec, looks_like_gate, questions_as_written,
};
pub use draft::{Draft, Pick, Reply};
pub use drift::{Change, ChangeKind, drift};
pub use js_string::JsString;
pub use location::{Location, location, locations};
pub use nearest::nearest;
pub use packet::{ExpectedOutput, Gate, Packet};
pub use problem::{Problem, ProblemCode};
pub use question::{Choice, Kind, Question, QuestionSpec};
pub use repair::{Diagnosis, RecordedAnswer, recorded_answers, repair_draft};
pub use to_json::{object, raw, to_line};
