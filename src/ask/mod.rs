//! The domain: packets, gates, questions, records, half-made answers. Pure: no file, clock, environment or terminal.
//!
//! The rules are those of novel-writer-cli 0.5.0; `tests/conformance/` holds its verdicts.

pub mod answer;
pub mod check;
pub mod date;
pub mod decode;
pub mod draft;
pub mod js_string;
pub mod json;
pub mod object;
pub mod packet;
pub mod problem;
pub mod question;

pub use answer::{Answer, AnswerSpec, Answers};
pub use check::{check_answers, check_record, salvage};
pub use decode::{decode_packet, decode_spec, looks_like_gate};
pub use draft::{Draft, Pick, Reply};
pub use js_string::JsString;
pub use object::Object;
pub use packet::{ExpectedOutput, Gate, Packet};
pub use problem::{Problem, ProblemKind};
pub use question::{Choice, Kind, Question, QuestionSpec};

/// The candidate closest to `wanted` by edit distance, if it is close enough to be a slip of the pen.
pub fn nearest<'c>(
    wanted: &JsString,
    candidates: impl IntoIterator<Item = &'c JsString>,
) -> Option<&'c JsString> {
    let wanted: Vec<char> = wanted.display().chars().take(64).flat_map(char::to_lowercase).collect();
    let best = candidates
        .into_iter()
        .take(2_000)
        .map(|candidate| {
            let other: Vec<char> =
                candidate.display().chars().take(64).flat_map(char::to_lowercase).collect();
            (edit_distance(&wanted, &other), other.len(), candidate)
        })
        .min_by_key(|(distance, ..)| *distance)?;
    let (distance, length, candidate) = best;
    (distance * 2 <= length.max(wanted.len())).then_some(candidate)
}

fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}
