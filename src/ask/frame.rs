//! What stands around the answers of a record, and where a document of another kind holds records.

use super::json::{Item, Kind};
use super::problem::escape;
use std::collections::HashMap;

pub(super) const RECORD_KEYS: [&str; 5] = ["version", "topic", "answers", "answered_at", "answered_by"];
/// So many objects or lists a record may be in.
const DEEPEST: usize = 3;

/// The answers of a record to the questions in these places; those of one without its frame stand at the top.
pub(super) fn answers_in<'j>(record: Item<'j>, places: &HashMap<&str, usize>) -> Option<Item<'j>> {
    let is_asked = |key: Item<'_>| {
        key.string().is_some_and(|key| key.as_str().is_some_and(|key| places.contains_key(key)))
    };
    let is_bare = || !has_frame(record) && record.members().any(|(key, _)| is_asked(key));
    record.get("answers").or_else(|| is_bare().then_some(record))
}

fn has_frame(record: Item<'_>) -> bool {
    RECORD_KEYS.into_iter().any(|key| record.get(key).is_some())
}

/// The records of a document, each with its JSON pointer: the document itself if it is one.
pub(super) fn records_in<'j>(places: &HashMap<&str, usize>, root: Item<'j>) -> Vec<(String, Item<'j>)> {
    let mut found = Vec::new();
    collect(places, root, String::new(), DEEPEST, &mut found);
    found
}

/// The pointers of the records in a document that has nothing of a record itself.
pub(super) fn records_inside(places: &HashMap<&str, usize>, root: Item<'_>) -> Vec<String> {
    let found = if has_frame(root) { Vec::new() } else { records_in(places, root) };
    found.into_iter().map(|(pointer, _)| pointer).filter(|pointer| !pointer.is_empty()).collect()
}

fn collect<'j>(
    places: &HashMap<&str, usize>,
    item: Item<'j>,
    pointer: String,
    deep: usize,
    found: &mut Vec<(String, Item<'j>)>,
) {
    if answers_in(item, places).is_some() {
        found.push((pointer, item));
    } else if deep > 0 && item.get("novel_ask").is_none() {
        let members = item.entries().into_iter().map(|(name, inner)| (escape(&name), inner));
        let elements = item.elements().enumerate().map(|(at, inner)| (at.to_string(), inner));
        for (step, inner) in members.chain(elements) {
            if matches!(inner.kind(), Kind::Object | Kind::Array) {
                collect(places, inner, format!("{pointer}/{step}"), deep - 1, found);
            }
        }
    }
}
