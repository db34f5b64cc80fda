//! The string that was probably meant.

use super::js_string::JsString;

/// How much of a string counts, in characters.
pub(super) const NEAR_HEAD: usize = 64;
/// How many candidates are looked at.
const NEAR_CANDIDATES: usize = 2_000;

/// Index of the candidate closest to `wanted` by edit distance, if it is close enough to be a slip of the pen.
pub fn nearest(wanted: &JsString, candidates: impl IntoIterator<Item = JsString>) -> Option<usize> {
    let wanted = folded(wanted);
    let near = |(place, candidate): (usize, JsString)| {
        let other = folded(&candidate);
        let most = wanted.len().max(other.len()) / 2;
        // No two strings are closer than their lengths.
        let distance = (wanted.len().abs_diff(other.len()) <= most)
            .then(|| strsim::generic_levenshtein(&wanted, &other))?;
        (distance <= most).then_some((distance, place))
    };
    let found = candidates.into_iter().take(NEAR_CANDIDATES).enumerate().filter_map(near).min();
    found.map(|(_, place)| place)
}

fn folded(text: &JsString) -> Vec<char> {
    text.head(NEAR_HEAD).display().chars().flat_map(char::to_lowercase).collect()
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
}
