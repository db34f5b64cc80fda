//! The short label above a question, cut to what dialog tools take.

use crate::ask::JsString;
use crate::text::cluster::clusters;
use crate::text::width::grapheme_cells;

/// Most terminal columns of a header.
const COLUMNS: usize = 12;
/// Most Unicode scalar values: marks without a width of their own count for the tools too.
const SCALARS: usize = 12;

/// The longest beginning of `header`, outer white space aside, that fits; `?` if nothing does. It ends before a line
/// end or another control character, and before half a surrogate pair.
pub fn cut(header: &JsString) -> String {
    let trimmed = header.trimmed();
    let text = trimmed.lossy();
    let (mut columns, mut scalars, mut end) = (0, 0, 0);
    for (at, cluster) in clusters(&text) {
        columns += grapheme_cells(cluster);
        scalars += cluster.chars().count();
        let strange = cluster.contains(|c: char| c.is_control() || c == '\u{fffd}');
        if columns > COLUMNS || scalars > SCALARS || strange {
            break;
        }
        end = at + cluster.len();
    }
    let kept = crate::ask::js_string::trim_js(&text[..end]);
    if kept.is_empty() { "?".to_owned() } else { kept.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_cut_between_characters() {
        for (header, cut_to) in [
            ("Platform", "Platform"),
            ("发布平台选择与说明", "发布平台选择"),
            ("  Where to publish", "Where to pub"),
            (
                "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
                "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
            ),
            ("twelve chars and", "twelve chars"),
            ("eleven chrs and", "eleven chrs"),
            ("first\nsecond", "first"),
            ("\u{7}", "?"),
            ("a\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", "?"),
            ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ] {
            assert_eq!(cut(&header.into()), cut_to);
        }
    }
}
