//! A gate into a packet, and out of it, and members of a question's file: bytes to bytes. Nothing but these members changes, so a
//! packet that has got a gate and lost it is what it was, byte for byte.

use super::js_string::JsString;
use super::json::{Item, Json, Kind};
use super::to_line;
use serde_json::json;

/// The members of a gate.
const ASK: &str = "novel_ask";
const PATH: &str = "answer_path";
const OUTPUTS: &str = "expected_outputs";
/// Whether a question is asked.
const ENABLED: &str = "_enabled";
/// As novel-writer-cli says it of a record.
const NOTE: &str = "AnswerSpec JSON record for the NOVEL_ASK gate (written before main step execution).";

/// A gate as text.
#[derive(Clone, Copy, Debug)]
pub struct GateText<'g> {
    /// The members of `novel_ask`, each with its value as it is to be spelled.
    pub members: &'g [(&'static str, String)],
    pub answer_path: &'g str,
}

/// A packet with this gate, or with none, in place of the one that it has. `None` if it is no UTF-8, which is not to be changed, or
/// no JSON object.
pub fn with_gate(packet: &[u8], gate: Option<GateText<'_>>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(packet).ok()?;
    let bare = without_gate(text)?;
    let Some(gate) = gate else { return Some(bare.into_bytes()) };
    let json = Json::parse(bare.as_bytes()).ok()?;
    let (root, style) = (json.root(), Style::of(&bare));
    let mut edits = Vec::new();
    if let Some(outputs) = root.get(OUTPUTS).filter(|outputs| outputs.kind() == Kind::Array) {
        edits.push((outputs.offset() + 1, style.output(outputs, gate.answer_path)));
    }
    let neighbour = ["agent", "step"].iter().find_map(|key| root.get(key));
    let put = |(key, value): (&str, String)| format!("{}{}", style.between, style.member(key, &value));
    let gate = [(ASK, style.object(gate.members)), (PATH, to_line(&gate.answer_path))].map(put).join(",");
    edits.push(if let Some(item) = neighbour {
        (end(item), format!(",{gate}"))
    } else {
        let rest = if root.members().next().is_some() { "," } else { "" };
        (root.offset() + 1, gate + rest)
    });
    edits.sort_by_key(|(at, _)| *at);
    let mut out = bare.clone();
    for (at, text) in edits.iter().rev() {
        out.insert_str(*at, text);
    }
    Some(out.into_bytes())
}

/// The text without the members of a gate, and without the line of its record.
fn without_gate(text: &str) -> Option<String> {
    let json = Json::parse(text.as_bytes()).ok()?;
    let root = json.root();
    if root.kind() != Kind::Object {
        return None;
    }
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let ours = |key: Item<'_>| key.is_string(ASK) || key.is_string(PATH);
    if let Some(path) = root.text(PATH)
        && let Some(outputs) = root.get(OUTPUTS)
        && let Some(first) = outputs.elements().next().filter(|first| is_record(*first, &path))
    {
        let next = outputs.elements().nth(1).map(Item::offset);
        let style = Style::of(text);
        let came = style.is_laid_out() && text[end(first)..].starts_with(&style.between);
        let white = if came { style.between.len() } else { 0 };
        // With the comma behind it, or the white space that came with it.
        let to = next.map_or(end(first) + white, |next| behind_comma(text, end(first), next));
        cuts.push((outputs.offset() + 1, to));
    }
    cuts.extend(members_of(text, root, ours));
    Some(cut(text, cuts))
}

/// Where some members of an object stand, with what they leave no use for.
fn members_of(text: &str, object: Item<'_>, is_meant: impl Fn(Item<'_>) -> bool) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    // Where what stays before it ends.
    let (mut before, mut is_first) = (object.offset() + 1, true);
    let mut members = object.members().peekable();
    while let Some((key, value)) = members.next() {
        if !is_meant(key) {
            (before, is_first) = (end(value), false);
            continue;
        }
        let next = members.peek().map(|(next, _)| next.offset());
        let to = match next {
            Some(next) if is_first => behind_comma(text, end(value), next),
            Some(_) | None => end(value),
        };
        cuts.push((before, to));
        before = to;
    }
    cuts
}

fn cut(text: &str, mut cuts: Vec<(usize, usize)>) -> String {
    cuts.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in cuts {
        out.push_str(&text[at..from]);
        at = to;
    }
    out + &text[at..]
}

/// The file of a question, switched on or off: as it was, if it is so already. `None` as for [`with_gate`].
pub fn switched(file: &[u8], is_on: bool) -> Option<Vec<u8>> {
    let json = Json::parse(file).ok()?;
    let said = json.root().get(ENABLED).map(Item::boolean);
    let is_so = if is_on { matches!(said, None | Some(Some(true))) } else { said == Some(Some(false)) };
    if is_so { Some(file.to_vec()) } else { with_member(file, ENABLED, (!is_on).then_some("false")) }
}

/// A JSON object in which a member has this value, as it is to be spelled, or which has no such member.
pub fn with_member(file: &[u8], key: &str, value: Option<&str>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(file).ok()?;
    let json = Json::parse(file).ok()?;
    let root = json.root();
    if root.kind() != Kind::Object {
        return None;
    }
    let mut out = text.to_owned();
    match (root.get(key), value) {
        (Some(old), Some(value)) => out.replace_range(old.offset()..end(old), value),
        (None, Some(value)) => {
            let style = Style::of(text);
            let rest = if root.members().next().is_some() { "," } else { "" };
            let member = format!("{}{}{rest}", style.between, style.member(key, value));
            out.insert_str(root.offset() + 1, &member);
        }
        (_, None) => out = cut(text, members_of(text, root, |name| name.is_string(key))),
    }
    Some(out.into_bytes())
}

/// Whether an expected output is the record of a gate.
fn is_record(output: Item<'_>, answer_path: &JsString) -> bool {
    output.string().or_else(|| output.text("path")).is_some_and(|path| path == *answer_path)
}

/// Behind the comma that stands between two places.
fn behind_comma(text: &str, from: usize, to: usize) -> usize {
    text[from..to].find(',').map_or(to, |at| from + at + 1)
}

fn end(item: Item<'_>) -> usize {
    item.offset() + item.source().len()
}

/// How a packet is laid out.
struct Style {
    /// The white space before its first member.
    between: String,
    colon: &'static str,
}

impl Style {
    fn of(text: &str) -> Style {
        let inside = text.trim_start().strip_prefix('{').unwrap_or_default();
        let white = inside.len() - inside.trim_start_matches([' ', '\t', '\r', '\n']).len();
        // Nothing else is between the brackets of an empty object.
        let is_empty = inside[white..].starts_with('}');
        let between = if is_empty { String::new() } else { inside[..white].to_owned() };
        Style { colon: if between.is_empty() { ":" } else { ": " }, between }
    }

    fn is_laid_out(&self) -> bool {
        self.between.contains('\n')
    }

    fn member(&self, key: &str, value: &str) -> String {
        format!("\"{key}\"{}{value}", self.colon)
    }

    /// An object in the place of a member's value; the values inside stay as they are spelled.
    fn object(&self, members: &[(&'static str, String)]) -> String {
        let inside = if self.is_laid_out() { format!("{}  ", self.between) } else { self.between.clone() };
        let put = |(key, value): &(&str, String)| format!("{inside}{}", self.member(key, value));
        format!("{{{}{}}}", members.iter().map(put).collect::<Vec<_>>().join(","), self.between)
    }

    /// The line of a record, in front of the others.
    fn output(&self, outputs: Item<'_>, answer_path: &str) -> String {
        let line = to_line(&json!({"path": answer_path, "required": true, "note": NOTE}));
        let white = if self.is_laid_out() { format!("{}  ", self.between) } else { String::new() };
        let rest = match outputs.elements().next() {
            Some(_) => ",",
            None if self.is_laid_out() => self.between.as_str(),
            None => "",
        };
        format!("{white}{line}{rest}")
    }
}

#[cfg(test)]
mod tests;
