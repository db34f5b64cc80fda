//! From JSON pointers back to the text: where each problem of a document stands, and the text around it.

use super::json::{Item, Json, Kind};
use super::problem::{Problem, escape};
use crate::text::encoding::text_of;
use std::collections::HashMap;

/// How much of a line is kept on each side of a location, in characters.
const AROUND: usize = 60;

/// Where a problem stands, and what stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The line before it: its end, if it is long.
    pub before: String,
    /// The line from it on: its beginning, if it is long.
    pub after: String,
    /// Whether `before` and `after` are shortened.
    pub cut: (bool, bool),
}

pub fn locations<'p>(bytes: &[u8], problems: impl IntoIterator<Item = &'p Problem>) -> Vec<Location> {
    let place = |problem: &'p Problem| (&*problem.pointer, problem.is_about_key(), problem.position);
    locations_of(bytes, &problems.into_iter().map(place).collect::<Vec<_>>())
}

pub fn location(bytes: &[u8], pointer: &str) -> Option<Location> {
    locations_of(bytes, &[(pointer, false, None)]).pop()
}

/// What is pointed at, whether its key is meant, and the position that is known of it.
type Place<'p> = (&'p str, bool, Option<(usize, usize)>);

fn locations_of(bytes: &[u8], places: &[Place<'_>]) -> Vec<Location> {
    let is_sound = std::str::from_utf8(bytes).is_ok() && Json::parse(bytes).is_ok();
    let text = if is_sound { String::from_utf8_lossy(bytes) } else { text_of(bytes) };
    let mut offsets = match Json::parse(text.as_bytes()) {
        Ok(json) => locate(&json, places),
        // Of a text that is not JSON this is the only problem.
        Err(error) => vec![offset_of(&text, (error.line, error.column)); places.len()],
    };
    for (offset, (.., position)) in offsets.iter_mut().zip(places) {
        if let Some(position) = position {
            *offset = offset_of(&text, *position);
        }
    }
    locations_at(&text, &offsets)
}

fn offset_of(text: &str, (line, column): (usize, usize)) -> usize {
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let line = text[start..].split('\n').next().unwrap_or_default();
    start + line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at)
}

fn locations_at(text: &str, offsets: &[usize]) -> Vec<Location> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&index| offsets[index]);
    let mut out = vec![Location::default(); offsets.len()];
    // Counted on from one to the next, so that many of them in one long line cost one pass.
    let (mut at, mut line, mut column, mut start) = (0, 1, 1, 0);
    for index in order {
        let offset = offsets[index].min(text.len());
        for (place, c) in text[at..offset].char_indices() {
            if c == '\n' {
                (line, column, start) = (line + 1, 1, at + place + 1);
            } else {
                column += 1;
            }
        }
        at = offset;
        // No further than is kept: the line may be the whole file.
        let before = text[start..offset].char_indices().rev().take(AROUND).last();
        let before = &text[before.map_or(offset, |(place, _)| start + place)..offset];
        let near = text[offset..].chars().take_while(|&c| c != '\n').take(AROUND + 1);
        let mut after: String = near.collect();
        let cut = after.char_indices().nth(AROUND).map(|(place, _)| place);
        after.truncate(cut.unwrap_or(after.trim_end_matches('\r').len()));
        out[index] = Location {
            line,
            column,
            cut: (before.len() < offset - start, cut.is_some()),
            before: before.to_owned(),
            after,
        };
    }
    out
}

/// Where each pointer leads in a document: the offset of the value, or of its key if that is wanted. For what is missing,
/// the value that should hold it.
fn locate(json: &Json<'_>, places: &[Place<'_>]) -> Vec<usize> {
    let mut tree = Tree::default();
    for (index, (pointer, ..)) in places.iter().enumerate() {
        let steps = pointer.split('/').skip(1);
        steps.fold(&mut tree, |tree, step| tree.below.entry(step).or_default()).here.push(index);
    }
    let mut offsets = vec![0; places.len()];
    let mut set = |index: usize, key: usize, value: usize| {
        offsets[index] = if places[index].1 { key } else { value };
    };
    tree.walk(json.root(), json.root().offset(), &mut set);
    offsets
}

/// The places that are pointed at. It is as deep as the longest pointer, which the formats bound.
#[derive(Default)]
struct Tree<'p> {
    here: Vec<usize>,
    below: HashMap<&'p str, Tree<'p>>,
}

impl Tree<'_> {
    fn walk(&self, item: Item<'_>, key: usize, set: &mut impl FnMut(usize, usize, usize)) {
        self.settle(key, item.offset(), set);
        if self.below.is_empty() {
            return;
        }
        if item.kind() == Kind::Array {
            let wanted: HashMap<usize, &Tree<'_>> =
                self.below.iter().filter_map(|(step, tree)| Some((step.parse().ok()?, tree))).collect();
            for (index, element) in item.elements().enumerate() {
                if let Some(tree) = wanted.get(&index) {
                    tree.walk(element, element.offset(), set);
                }
            }
        }
        // Of equal keys the last one counts, as everywhere.
        for (name, value) in item.members() {
            let tree = name.string().and_then(|name| self.below.get(escape(&name).as_str()));
            if let Some(tree) = tree {
                tree.walk(value, name.offset(), set);
            }
        }
    }

    /// Everything from here on stands here, as far as is known.
    fn settle(&self, key: usize, value: usize, set: &mut impl FnMut(usize, usize, usize)) {
        for &index in &self.here {
            set(index, key, value);
        }
        for tree in self.below.values() {
            tree.settle(value, value, set);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(text: &str, pointers: &[(&str, bool)]) -> Vec<usize> {
        let pointers: Vec<_> = pointers.iter().map(|&(pointer, is_key)| (pointer, is_key, None)).collect();
        let json = Json::parse(text.as_bytes()).expect("JSON");
        locate(&json, &pointers)
    }

    #[test]
    fn pointers_lead_to_values_keys_and_the_nearest_holder() {
        let text = r#"{"a": [10, {"b/c": 1, "~": 2}], "a~": {"x": 1, "x": 3}}"#;
        let places = [
            ("", false),
            ("/a", false),
            ("/a/0", false),
            ("/a/1/b~1c", false),
            ("/a/1/b~1c", true),
            ("/a/1/~0", false),
            ("/a/1/gone", false),
            ("/a/7/gone", false),
            ("/a~0/x", false),
            ("/a~0/x", true),
            ("/a/1", true),
            ("/gone/0/x", true),
        ];
        let at = |needle: &str| text.find(needle).expect(needle);
        let list = at("[10");
        let object = at("{\"b/c");
        let wanted = [
            0,
            list,
            list + 1,
            at("1, \"~\""),
            at("\"b/c"),
            at("2}]"),
            object,
            list,
            at("3}}"),
            at("\"x\": 3"),
            object,
            0,
        ];
        assert_eq!(offsets(text, &places), wanted);
    }

    #[test]
    fn overlong_keys_are_found_by_their_cut_form() {
        let long = "长".repeat(500);
        let text = format!("{{\"a\": 1, \"{long}\": 2}}");
        let pointer = format!("/{}", escape(&long.as_str().into()));
        assert_eq!(offsets(&text, &[(&pointer, true)]), [9]);
    }
}
