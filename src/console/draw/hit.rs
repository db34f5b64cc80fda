//! The places in a text that a filter or a search has found.

use crate::console::draw::line::{Line, LineExt};
use crate::console::theme::{Role, Theme};
use crate::text::query::Word;
use crate::text::{Query, Safe, wrap};
use std::ops::Range;

/// How a word is found in a text: by itself, or by its sound too.
pub type Find = fn(&Word, &str) -> Option<Range<usize>>;

/// Where the words of a query stand in a text, from its start on.
fn places(text: &str, query: Option<&Query>, find: Find) -> Vec<Range<usize>> {
    let words = query.into_iter().flat_map(Query::words);
    let mut places: Vec<Range<usize>> = words.filter_map(|word| find(word, text)).collect();
    places.sort_by_key(|place| place.start);
    places
}

/// A text in one row, with what a query finds in it.
pub fn marked(theme: &Theme, role: Role, text: &Safe, query: Option<&Query>, find: Find) -> Line {
    row(theme, role, text, 0..text.len(), &places(text, query, find))
}

/// A text on as many rows as it takes, with what a query finds in it.
pub fn wrapped(theme: &Theme, role: Role, text: &str, query: Option<&Query>, cells: usize) -> Vec<Line> {
    let clean = Safe::block(text);
    let places = places(&clean, query, Word::find);
    let rows = wrap::wrap(&clean, cells.max(1)).into_iter();
    rows.map(|shown| row(theme, role, &clean, shown, &places)).collect()
}

/// A row of a text with the places in it marked; these stand in their order.
pub fn row(theme: &Theme, role: Role, text: &Safe, row: Range<usize>, places: &[Range<usize>]) -> Line {
    let end = row.start + text[row.clone()].trim_end_matches(' ').len();
    let (mut line, mut at) = (Line::default(), row.start);
    for place in places.iter().filter(|place| place.start < end && place.end > row.start) {
        let (from, to) = (place.start.max(at), place.end.min(end).max(at));
        line = line.safe(theme[role], text.slice(at..from.min(to)));
        line = line.safe(theme[Role::Match], text.slice(from.min(to)..to));
        at = to;
    }
    line.safe(theme[role], text.slice(at..end))
}
