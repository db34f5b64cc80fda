//! Packets that a text names: by the step id, the path, the file's name or that without `.packet.json`, or by the path of the record,
//! each standing by itself. A name without a digit or a colon counts only with its ending: any text may hold such a word.

use crate::ask::JsString;
use crate::platform::paths::Shown as _;
use crate::store::entry::Entry;
use std::sync::Arc;

/// Whether a prompt names an entry's step.
pub(super) fn is_named(prompt: &str, entry: &Entry) -> bool {
    let stands = |name: &str, before: &str, behind: &str| {
        let is_it = |at: usize| {
            is_apart(prompt[..at].chars().rev(), before)
                && is_apart(prompt[at + name.len()..].chars(), behind)
        };
        !name.is_empty() && prompt.match_indices(name).any(|(at, _)| is_it(at))
    };
    let is_alone =
        |name: &str| name.contains(|c: char| c.is_numeric() || c == ':') && stands(name, "-:./", "-:./");
    let file = entry.path.file_name().unwrap_or_default().shown();
    let text =
        |text: &Option<JsString>| text.as_ref().map(|text| text.lossy().into_owned()).unwrap_or_default();
    stands(&file, "-", "-.")
        || is_alone(&entry.stem())
        || stands(text(&entry.answer_path).trim_start_matches("./"), "-", "-.")
        || is_alone(&text(&entry.step))
}

/// Whether a text names a step, or a packet's file, that is none of these.
pub(super) fn names_another(text: &str, entries: &[Arc<Entry>]) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let names = text
        .split(|c| !is_part(c))
        .map(|name| name.trim_matches(['-', '.', ':']))
        .filter(|name| is_name(name));
    names.into_iter().any(|name| !entries.iter().any(|entry| is_named(name, entry)))
}

/// Whether a word is a step id as novel-writer-cli makes them, or the name of a packet's file.
fn is_name(word: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_stage = |part: &str| part.starts_with(|c: char| c.is_ascii_lowercase());
    let parts: Vec<&str> = word.split(':').collect();
    match parts[..] {
        ["chapter", number, stage] => is_number(number) && is_stage(stage),
        ["quickstart" | "volume" | "review", stage] => is_stage(stage),
        _ => word.ends_with(".packet.json"),
    }
}

/// Whether what stands beside a name is no more of a name: no letter or digit, and none behind one of these signs. Other
/// scripts part words without blanks.
fn is_apart(mut beside: impl Iterator<Item = char>, joints: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match beside.next() {
        Some(c) if joints.contains(c) => !beside.next().is_some_and(is_word),
        next => !next.is_some_and(is_word),
    }
}
