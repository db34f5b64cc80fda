//! Step ids as novel-writer-cli 0.5.0 makes them, and the order in which it takes the steps of a book.

use super::js_string::trim_js;
use std::cmp::Ordering;
use std::fmt;

/// The kind of a chapter's steps.
pub const CHAPTER: &str = "chapter";
/// The stages of a chapter.
pub const STAGES: [&str; 8] =
    ["draft", "summarize", "refine", "judge", "title-fix", "hook-fix", "review", "commit"];

pub const KINDS: [(&str, &[&str]); 4] = [
    ("quickstart", &["world", "characters", "style", "f0", "trial", "results"]),
    ("volume", &["outline", "validate", "commit"]),
    ("chapter", &STAGES),
    ("review", &["collect", "audit", "report", "cleanup", "transition"]),
];

/// The last one that JavaScript, and with it novel-writer-cli, tells from the next.
pub const LAST_CHAPTER: u64 = 9_007_199_254_740_991;

/// A step that novel-writer-cli knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub kind: &'static str,
    /// Of a chapter's step, from 1.
    pub chapter: Option<u64>,
    pub stage: &'static str,
}

impl Step {
    /// From an id such as `chapter:048:draft` or `volume:outline`.
    pub fn parse(id: &str) -> Option<Step> {
        let (kind, rest) = trim_js(id).split_once(':')?;
        let (kind, stages) = KINDS.into_iter().find(|(known, _)| *known == kind)?;
        let (chapter, stage) = if kind == CHAPTER {
            let (number, stage) = rest.split_once(':')?;
            (Some(chapter_number(number)?), stage)
        } else {
            (None, rest)
        };
        let stage = stages.iter().find(|known| **known == stage)?;
        Some(Step { kind, chapter, stage })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.chapter {
            Some(chapter) => write!(f, "{}:{chapter:03}:{}", self.kind, self.stage),
            None => write!(f, "{}:{}", self.kind, self.stage),
        }
    }
}

/// A chapter's number: digits, and not zero.
pub fn chapter_number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse::<u64>().ok().filter(|number| is_number && *number > 0)
}

/// Compares steps by their kinds, numbers and stages; unknown ones stand behind the known ones, by their names.
pub fn compare(a: &str, b: &str) -> Ordering {
    place(a).cmp(&place(b)).then_with(|| compare_names(a, b))
}

/// The kind, the number and the stage of a step, each as a rank.
fn place(step: &str) -> (usize, (usize, &str), usize) {
    const UNKNOWN: (usize, (usize, &str), usize) = (KINDS.len(), (0, ""), 0);
    let (kind, rest) = step.split_once(':').unwrap_or((step, ""));
    let Some(at) = KINDS.iter().position(|(known, _)| *known == kind) else { return UNKNOWN };
    let (number, stage) = rest.split_once(':').unwrap_or(("", rest));
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return UNKNOWN;
    }
    let stages = KINDS[at].1;
    let rank = stages.iter().position(|known| *known == stage).unwrap_or(stages.len());
    (at, magnitude(number), rank)
}

/// Digits so that they compare as the number, however long it is.
fn magnitude(digits: &str) -> (usize, &str) {
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
}

/// Compares names letter by letter, and numbers in them as numbers.
fn compare_names(mut a: &str, mut b: &str) -> Ordering {
    let number = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    loop {
        let ((x, rest_x), (y, rest_y)) = (a.split_at(number(a)), b.split_at(number(b)));
        let ordering = match (x, y) {
            ("", "") => {
                let (mut left, mut right) = (a.chars(), b.chars());
                let first = (left.next(), right.next());
                if first == (None, None) {
                    return Ordering::Equal;
                }
                (a, b) = (left.as_str(), right.as_str());
                first.0.cmp(&first.1)
            }
            ("", _) | (_, "") => return a.cmp(b),
            _ => {
                (a, b) = (rest_x, rest_y);
                magnitude(x).cmp(&magnitude(y))
            }
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stand_in_the_order_of_the_book() {
        let in_order = [
            "quickstart:world",
            "quickstart:characters",
            "quickstart:style",
            "quickstart:f0",
            "quickstart:trial",
            "quickstart:results",
            "volume:outline",
            "volume:validate",
            "volume:commit",
            "volume:appendix",
            "volume:2:outline",
            "volume:10:outline",
            "chapter:002:draft",
            "chapter:9:draft",
            "chapter:009:summarize",
            "chapter:009:refine",
            "chapter:009:judge",
            "chapter:009:title-fix",
            "chapter:009:hook-fix",
            "chapter:009:review",
            "chapter:009:commit",
            "chapter:009:polish",
            "chapter:009:read-aloud",
            "chapter:10:draft",
            "chapter:999:draft",
            "chapter:1000:draft",
            "chapter:99999999999999999999998:draft",
            "chapter:99999999999999999999999:draft",
            "review:collect",
            "review:audit",
            "review:report",
            "review:cleanup",
            "review:transition",
            "",
            "arc-2",
            "arc-10",
            "arc-10b",
            "arc-a",
            "chapter:next:draft",
            "scene:1:a",
            "scene:9:a",
            "scene:10:a",
            "序章",
            "终章",
        ];
        for (at, a) in in_order.iter().enumerate() {
            for (other, b) in in_order.iter().enumerate() {
                assert_eq!(compare(a, b), at.cmp(&other), "{a} {b}");
            }
        }
    }

    #[test]
    fn spellings_of_one_number_are_one_place() {
        assert_eq!(compare("chapter:048:draft", "chapter:48:draft"), Ordering::Equal);
    }
}
