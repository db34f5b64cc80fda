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
mod locate;
pub mod object;
pub mod packet;
pub(crate) mod place;
pub mod problem;
pub(crate) mod problems;
pub mod question;
pub mod repair;
pub mod schema;
mod to_json;

pub use answer::{Answer, AnswerSpec, Answers, Notes};
pub use cause::{Cause, CauseKind, causes};
pub use check::{check_answers, check_notes, check_record, check_record_alone, is_another_document, salvage};
pub use decode::{decode_packet, decode_packet_as_written, decode_spec, looks_like_gate};
pub use draft::{Draft, Pick, Reply};
pub use drift::{Change, ChangeKind, drift};
pub use js_string::JsString;
pub use locate::{Spot, pointer_to, spots};
pub use object::Object;
pub use packet::{ExpectedOutput, Gate, Packet};
pub use problem::{Problem, ProblemKind, Rule};
pub use question::{Choice, Kind, Question, QuestionSpec};
pub use repair::{Diagnosis, Given, given, repair_draft};
pub use to_json::{object, raw, to_line};

/// How much of a string counts when the nearest one is looked for, in characters.
const NEAR_HEAD: usize = 64;
/// How many candidates are looked at.
const NEAR_CANDIDATES: usize = 2_000;

/// Index of the candidate closest to `wanted` by edit distance, if it is close enough to be a slip of the pen.
pub fn nearest(wanted: &JsString, candidates: impl IntoIterator<Item = JsString>) -> Option<usize> {
    let wanted = folded(wanted);
    let mut best: Option<(usize, usize)> = None;
    for (place, candidate) in candidates.into_iter().take(NEAR_CANDIDATES).enumerate() {
        let other = folded(&candidate);
        let limit = best.map_or(other.len().max(wanted.len()) / 2 + 1, |(distance, _)| distance);
        if other.len().abs_diff(wanted.len()) >= limit {
            continue;
        }
        let distance = edit_distance(&wanted, &other);
        if distance < limit && distance * 2 <= other.len().max(wanted.len()) {
            best = Some((distance, place));
        }
    }
    best.map(|(_, place)| place)
}

fn folded(text: &JsString) -> Vec<char> {
    text.head(NEAR_HEAD).display().chars().flat_map(char::to_lowercase).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(wanted: &str, candidates: &[&str]) -> Option<usize> {
        nearest(&wanted.into(), candidates.iter().map(|&candidate| candidate.into()))
    }

    #[test]
    fn the_nearest_is_a_slip_of_the_pen_away() {
        assert_eq!(found("qidain", &["fanqie", "qidian", "jjwxc"]), Some(1));
        assert_eq!(found("QIDIAN", &["qidians", "qidian"]), Some(1));
        assert_eq!(found("起点中文网", &["番茄小说", "起点中文"]), Some(1));
        assert_eq!(found("abcd", &["zzzz", "abzz", "abcz", "bbcd"]), Some(2));
        assert_eq!(found("kitten", &["sitting"]), Some(0));
        assert_eq!(found("abcd", &["wxyz"]), None);
        // The second is nearer, but not near.
        assert_eq!(found("abcd", &["abcdefghij", "wxyz"]), None);
        assert_eq!(found("abcd", &["abcdefgh", "wxy"]), Some(0));
        assert_eq!(found("a", &[]), None);
    }

    #[test]
    fn only_the_heads_of_long_strings_count() {
        let long = "长".repeat(100_000);
        assert_eq!(found(&long, &["a", &(long.clone() + "尾")]), Some(1));
    }

    #[test]
    fn edit_distance_counts_changed_added_and_missing_characters() {
        for (a, b, distance) in
            [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("雨停", "停", 1)]
        {
            let [a, b] = [a, b].map(|text| text.chars().collect::<Vec<char>>());
            assert_eq!(edit_distance(&a, &b), distance);
        }
    }
}
