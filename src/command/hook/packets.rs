//! Packets that an executor is about to write. None may name for its record a file that is there already: what lies there would
//! count as the author's answer to a question that nobody has asked him.
//!
//! What a file will hold is worked out as the client does it. Where the client refuses the call, nothing is to be judged.

use super::call::{Call, MOST, Tool};
use crate::ask::JsString;
use crate::ask::json::{Item, Json};
use crate::store::collision::gates_at;
use crate::store::file::{is_packet_name, real_path};
use crate::store::gate::read_file;
use crate::store::{Project, safe_path, scan};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A file as it will be.
pub(super) struct Written {
    pub(super) file: PathBuf,
    /// The file that it was before it is moved, or itself.
    from: PathBuf,
    text: String,
}

/// A packet, and the file that it would take for its record.
pub(super) struct Taken {
    pub(super) packet: PathBuf,
    pub(super) answer_path: JsString,
}

/// The files that may be packets, and what the call makes of them: one after the other, as they are asked for.
pub(super) fn written<'c>(call: &'c Call<'_>) -> Box<dyn Iterator<Item = Written> + 'c> {
    let text = |item: Item<'_>, key: &str| item.text(key).map(|text| text.lossy().into_owned());
    match call.tool {
        Tool::Patch => {
            let patch = text(call.input, "command").unwrap_or_default();
            Box::new(patches(&patch).into_iter().filter_map(|patch| {
                let from = call.cwd.join(&patch.name);
                let file = patch.to.as_ref().map_or_else(|| from.clone(), |name| call.cwd.join(name));
                let text = if may_be_packet(&file) { patch.text(&from) } else { None };
                text.map(|text| Written { file, from, text })
            }))
        }
        Tool::Write(_) => {
            let files = call.files.iter().filter(|file| may_be_packet(file));
            Box::new(files.filter_map(move |file| {
                let edits = call.input.get("edits").into_iter().flat_map(Item::elements);
                let mut now = text(call.input, "content");
                for change in [call.input].into_iter().chain(edits) {
                    let (Some(old), Some(new)) = (text(change, "old_string"), text(change, "new_string"))
                    else {
                        continue;
                    };
                    let all = change.get("replace_all").is_some_and(|all| all.source() == "true");
                    now = Some(replaced(&now.unwrap_or_else(|| read(file)), &old, &new, all)?);
                }
                now.map(|text| Written { file: file.clone(), from: file.clone(), text })
            }))
        }
        Tool::Ask { .. } | Tool::Dispatch | Tool::Workflow | Tool::Skill | Tool::Shell => {
            Box::new(std::iter::empty())
        }
    }
}

/// By its name, or by that of what it leads to.
fn may_be_packet(file: &Path) -> bool {
    safe_path::places_of(file).iter().any(|place| place.extension().is_some_and(|ending| ending == "json"))
}

/// The file that a packet would take for its record, if there is one, or the call itself makes it. A packet that has named it
/// before keeps it: nobody but novel-gate has put it there since.
pub(super) fn taken(
    project: &Arc<Project>,
    made: &Written,
    touched: &[PathBuf],
    now: SystemTime,
) -> Option<Taken> {
    let below = |path: PathBuf| path.strip_prefix(project.root()).ok().map(Path::to_path_buf);
    let places: Vec<PathBuf> = safe_path::places_of(&made.file).into_iter().filter_map(below).collect();
    let packet = places.iter().find(|place| place.starts_with("staging") || is_packet_name(place))?;
    let json = Json::parse_keeping(made.text.as_bytes(), &["answer_path"]).ok()?;
    let answer_path = json.root().text("answer_path")?;
    let place = safe_path::real_place(project, &answer_path);
    let is_made = touched.contains(&place) && !places.contains(&place);
    if !is_made && !matches!(safe_path::resolve(project, &answer_path), Ok(Some(_))) {
        return None;
    }
    let entries = scan::look_at(project, std::slice::from_ref(&place), now).entries();
    let own = [&made.file, &made.from].map(|file| real_path(file.clone()));
    let is_own = |entry: &Path| own.contains(&real_path(project.root().join(entry)));
    let is_known = gates_at(project, &entries, &place).iter().any(|gate| is_own(&gate.path));
    (!is_known).then(|| Taken { packet: packet.clone(), answer_path })
}

/// A text file as the clients read it before they change it.
fn read(file: &Path) -> String {
    let bytes = read_file(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

/// A text with one text in another's place; `None` if it is not there. Claude Code takes one kind of quotes for another.
fn replaced(text: &str, old: &str, new: &str, all: bool) -> Option<String> {
    if old.is_empty() {
        return text.is_empty().then(|| new.to_owned());
    }
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if all && text.contains(&old) {
        return Some(text.replace(&old, &new));
    }
    let plain = |text: &str| -> Vec<char> { text.chars().map(plain_quote).collect() };
    let at = text.find(&old).map(|at| at..at + old.len()).or_else(|| {
        let (whole, wanted) = (plain(text), plain(&old));
        let at = whole.windows(wanted.len()).position(|part| part == wanted)?;
        let byte = |chars: usize| text.chars().take(chars).map(char::len_utf8).sum::<usize>();
        Some(byte(at)..byte(at + wanted.len()))
    })?;
    Some(format!("{}{new}{}", &text[..at.start], &text[at.end..]))
}

fn plain_quote(c: char) -> char {
    match c {
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        c => c,
    }
}

/// What a patch does with one file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Patch {
    name: String,
    to: Option<String>,
    /// The file is new.
    is_new: bool,
    parts: Vec<Part>,
}

/// Lines of a patch that belong together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Part {
    /// The file is gone through from its beginning again.
    is_first: bool,
    /// What is behind its `@@`.
    context: String,
    /// Each with its sign.
    lines: Vec<String>,
}

/// The files that a patch leaves, as Codex reads it; what it does with one file in several places, it does one after the other.
fn patches(patch: &str) -> Vec<Patch> {
    let mut all: Vec<Patch> = Vec::new();
    let mut open = None;
    let mut is_first = true;
    for line in patch.lines() {
        let header = |header: &str| line.trim_start().strip_prefix(header).map(|name| name.trim().to_owned());
        let begun = [("*** Add File: ", true), ("*** Update File: ", false)];
        let begun = begun.into_iter().find_map(|(words, is_new)| Some((header(words)?, is_new)));
        if let Some((name, is_new)) = begun {
            let is_it = |patch: &Patch| *patch.to.as_ref().unwrap_or(&patch.name) == name;
            let known = if is_new { None } else { all.iter().position(is_it) };
            open = known.or((all.len() < MOST).then_some(all.len()));
            if known.is_none() && open.is_some() {
                all.push(Patch { name, is_new, ..Patch::default() });
            }
            is_first = true;
        } else if header("*** Delete File: ").is_some() {
            open = None;
        } else if let Some(patch) = open.and_then(|at| all.get_mut(at)) {
            let context = line.strip_prefix("@@");
            if let Some(name) = header("*** Move to: ") {
                patch.to = Some(name);
            } else if context.is_some() || !line.starts_with("***") {
                if context.is_some() || is_first {
                    let context = context.unwrap_or_default().trim_start().to_owned();
                    patch.parts.push(Part { is_first, context, lines: Vec::new() });
                    is_first = false;
                }
                if let (None, Some(part)) = (context, patch.parts.last_mut()) {
                    part.lines.push(line.to_owned());
                }
            }
        }
    }
    all
}

impl Patch {
    /// What the file will hold; `None` if the patch does not fit.
    fn text(&self, from: &Path) -> Option<String> {
        let mut lines: Vec<String> =
            if self.is_new { Vec::new() } else { read(from).lines().map(str::to_owned).collect() };
        let mut at = 0;
        for Part { is_first, context, lines: changed } in &self.parts {
            at = if *is_first { 0 } else { at };
            if !context.is_empty() {
                at = position(&lines, at, std::slice::from_ref(context))? + 1;
            }
            let side = |sign: char| -> Vec<String> {
                let kept = changed.iter().filter(|line| !line.starts_with(sign));
                kept.map(|line| line.get(1..).unwrap_or_default().to_owned()).collect()
            };
            let (mut old, mut new) = (side('+'), side('-'));
            let mut start = if old.is_empty() { Some(lines.len()) } else { position(&lines, at, &old) };
            // An empty line at the end may be the patch's own.
            if start.is_none() && old.pop_if(|last| last.is_empty()).is_some() {
                new.pop_if(|last| last.is_empty());
                start = position(&lines, at, &old);
            }
            let start = start?;
            at = start + new.len();
            lines.splice(start..start + old.len(), new);
        }
        Some(lines.join("\n"))
    }
}

/// Where lines stand among others, from one of them on: exactly, or but for blanks and kinds of quotes and dashes around and in them.
fn position(lines: &[String], from: usize, wanted: &[String]) -> Option<usize> {
    let loose = |line: &str| -> String {
        let plain = |c: char| match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{201a}' | '\u{201b}' => '\'',
            '\u{201e}' | '\u{201f}' => '"',
            '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
            c => plain_quote(c),
        };
        line.trim().chars().map(plain).collect()
    };
    if wanted.is_empty() {
        return Some(from.min(lines.len()));
    }
    let fits = |same: &dyn Fn(&str, &str) -> bool| {
        let is_here = |part: &[String]| part.iter().zip(wanted).all(|(line, wanted)| same(line, wanted));
        lines.get(from..)?.windows(wanted.len()).position(is_here).map(|at| from + at)
    };
    fits(&|line, wanted| line == wanted).or_else(|| fits(&|line, wanted| loose(line) == loose(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_replaced_as_claude_code_does_it() {
        for (text, old, new, all, made) in [
            ("a b a", "a", "c", false, Some("c b a")),
            ("a b a", "a", "c", true, Some("c b c")),
            ("a", "b", "c", false, None),
            ("", "", "new", false, Some("new")),
            ("a", "", "new", false, None),
            ("say “a”", "say \"a\"", "b", false, Some("b")),
            ("it’s", "it's", "is", true, Some("is")),
            ("一“二”三", "\"二\"", "2", false, Some("一2三")),
            ("a\nb", "a\r\nb", "c\r\nd", false, Some("c\nd")),
        ] {
            assert_eq!(replaced(text, old, new, all).as_deref(), made, "{text:?} {old:?}");
        }
    }

    #[test]
    fn a_patch_is_applied_as_codex_does_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("a.json");
        std::fs::write(&file, "{\n  \"a\": 1,\n  \"b\": 2 \n}\n").expect("written");
        for (patch, made) in [
            (
                "*** Update File: a.json\n@@\n-  \"a\": 1,\n+  \"a\": 3,\n",
                Some("{\n  \"a\": 3,\n  \"b\": 2 \n}"),
            ),
            (
                "*** Update File: a.json\n*** Move to: b.json\n@@\n \"b\": 2\n+c\n*** End of File",
                Some("{\n  \"a\": 1,\n\"b\": 2\nc\n}"),
            ),
            ("*** Update File: a.json\n@@ \"a\": 1,\n-  “b”: 2\n+x\n", Some("{\n  \"a\": 1,\nx\n}")),
            ("*** Update File: a.json\n@@\n-  \"a\": 1,\n@@\n-}\n+]\n", Some("{\n  \"b\": 2 \n]")),
            ("*** Update File: a.json\n@@\n+end", Some("{\n  \"a\": 1,\n  \"b\": 2 \n}\nend")),
            ("*** Update File: a.json\n@@\n-nowhere\n+x\n", None),
            (
                "*** Update File: a.json\n@@\n-  \"a\": 1,\n+x\n*** Update File: a.json\n@@\n-x\n+y\n",
                Some("{\ny\n  \"b\": 2 \n}"),
            ),
            ("*** Add File: a.json\n+x\n*** Update File: a.json\n@@\n-x\n+y", Some("y")),
            ("*** Add File: a.json\n+{\n++*** Add File: x\n+}\n", Some("{\n+*** Add File: x\n}")),
        ] {
            let all = patches(&format!("*** Begin Patch\n{patch}\n*** End Patch"));
            assert_eq!(all.len(), 1, "{all:?}");
            assert_eq!(all[0].text(&file).as_deref(), made, "{patch}");
        }
        let all =
            patches("*** Add File: a\n+1\n*** Delete File: b\n-2\n*** Update File: c\n*** Move to: d\n");
        let names: Vec<_> = all.iter().map(|patch| (patch.name.as_str(), patch.to.as_deref())).collect();
        assert_eq!(names, [("a", None), ("c", Some("d"))]);
        assert_eq!(patches(""), []);
    }

    proptest::proptest! {
        #[test]
        fn no_call_is_too_odd_to_be_worked_out(lines in proptest::collection::vec(
            "(\\*\\*\\* (Add File|Update File|Move to|Delete File|End of File): a|@@ ?[ab]?|[+ -]?[ab“é]{0,3})", 0..12)) {
            let dir = tempfile::tempdir().expect("a directory");
            let file = dir.path().join("a.json");
            std::fs::write(&file, "a\nb\n\n“é\n").expect("written");
            for patch in patches(&lines.join("\n")) {
                let _ = patch.text(&file);
            }
            for pair in lines.windows(2) {
                let _ = replaced("a“éb\na", &pair[0], &pair[1], pair[0].len() % 2 == 0);
            }
        }
    }
}
