//! A part of a text file between two marks, each on a line of its own. Every other byte of the file is kept.

use super::edit::{Action, Edit, PROGRAM};
use super::json_file::not_inits;
use crate::text::{Message, say};
use std::ops::Range;

/// The table of the MCP servers.
const TABLE: &str = "mcp_servers";

#[derive(Debug)]
pub(super) struct Marks {
    begin: &'static str,
    end: &'static str,
}

pub(super) const MARKDOWN: Marks =
    Marks { begin: "<!-- novel-gate begin -->", end: "<!-- novel-gate end -->" };
pub(super) const TOML: Marks = Marks { begin: "# novel-gate begin", end: "# novel-gate end" };

impl Marks {
    /// Words as a part, marks included.
    pub(super) fn around(&self, words: &str) -> String {
        format!("{}\n{}\n{}\n", self.begin, words.trim_end(), self.end)
    }

    /// Where the part stands, marks included; an error if the marks do not tell.
    pub(super) fn find(&self, text: &str) -> Result<Option<Range<usize>>, Message> {
        let at = |mark: &str| -> Vec<(usize, &str)> {
            lines(text).filter(|(_, line)| line.trim() == mark).collect()
        };
        match (at(self.begin).as_slice(), at(self.end).as_slice()) {
            ([], []) => Ok(None),
            (&[(begin, _)], &[(last, line)]) if begin < last => Ok(Some(begin..last + line.len())),
            _ => Err(Message::new(
                say(
                    "It must have one line {0} and one line {1} after it, or neither.",
                    "其中应有一行 {0} 和它之后的一行 {1}，或两者都没有。",
                ),
                &[self.begin, self.end],
            )),
        }
    }

    /// Puts the part into a text: in the place of the one that is there, else at the end.
    ///
    /// One line end in front of the part belongs to it, so that [`Marks::remove`] gives back what was there, be its last line
    /// ended or not, or the file empty.
    pub(super) fn insert(&self, text: &str, part: &str) -> Result<Option<Edit>, Message> {
        let place = self.find(text)?;
        let eol = line_end(place.clone().map_or(text, |place| &text[place]));
        let laid_out = part.replace('\n', eol);
        let Some(Range { start, end }) = place else {
            let whole = format!("{text}{eol}{laid_out}");
            return Ok(Some(Edit { action: Action::Insert, whole, text: part.to_owned() }));
        };
        let old = &text[start..end];
        if old.trim_end() == laid_out.trim_end() {
            return Ok(None);
        }
        // A last line without an end keeps none.
        let new = if old.ends_with('\n') { laid_out.as_str() } else { laid_out.trim_end() };
        let whole = format!("{}{new}{}", &text[..start], &text[end..]);
        Ok(Some(Edit { action: Action::Update, whole, text: part.to_owned() }))
    }

    /// Takes the part out; the file goes if nothing is left.
    pub(super) fn remove(&self, text: &str) -> Result<Option<Edit>, Message> {
        let Some(Range { start, end }) = self.find(text)? else { return Ok(None) };
        let eol = line_end(&text[start..end]);
        let (before, behind) = (&text[..start], &text[end..]);
        // Lines that somebody has put behind the part are not joined to the line before it.
        let front = match before.strip_suffix(eol) {
            Some(front) if behind.is_empty() || front.ends_with('\n') => front,
            _ => before,
        };
        let whole = format!("{front}{behind}");
        let action = if before.is_empty() && behind.is_empty() { Action::Delete } else { Action::Remove };
        Ok(Some(Edit { action, whole, text: String::new() }))
    }

    /// The same for a table of the MCP server in TOML; one of the author's own is enough.
    pub(super) fn insert_table(&self, text: &str, part: &str) -> Result<Option<Edit>, Message> {
        if has_table(&parse(text)?) && self.find(text)?.is_none() {
            return Ok(None);
        }
        let edit = self.insert(text, part)?;
        // A list of servers in one line takes no more of them.
        match edit {
            Some(edit) if parse(&edit.whole).is_err() => Err(say(
                "Its mcp_servers stands in one line, and no table can be added to it. Write it as tables such as \
                 [mcp_servers.NAME], or delete the line if it names no server; then run init again.",
                "其中的 mcp_servers 写在一行里，无法再加入表。请改写成 [mcp_servers.NAME] 这样的表；没有服务器就删去这一行；再运行 init。",
            )
            .into()),
            edit => Ok(edit),
        }
    }

    /// Takes the table out; one of the author's own is named.
    pub(super) fn remove_table(&self, text: &str) -> Result<(Option<Edit>, Option<Message>), Message> {
        let edit = self.remove(text)?;
        let is_own = edit.is_none() && toml::from_str(text).is_ok_and(|table| has_table(&table));
        Ok((edit, is_own.then(not_inits)))
    }
}

fn has_table(table: &toml::Table) -> bool {
    table.get(TABLE).and_then(toml::Value::as_table).is_some_and(|servers| servers.contains_key(PROGRAM))
}

fn parse(text: &str) -> Result<toml::Table, Message> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Message::new(say("It is not TOML: see line {0}.", "它不是 TOML：见第 {0} 行。"), &[&line.to_string()])
    })
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The lines with their ends, each with its offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::init::client::PARTS;
    use crate::command::init::edit::Wiring;
    use crate::text::Lang;

    /// What is done with a text, and the whole new text.
    fn plan(text: &str, words: &str) -> Option<(Action, String)> {
        let edit = MARKDOWN.insert(text, &MARKDOWN.around(words)).expect("marks that tell");
        edit.map(|edit| (edit.action, edit.whole))
    }

    fn removed(text: &str) -> Option<(Action, String)> {
        MARKDOWN.remove(text).expect("marks that tell").map(|edit| (edit.action, edit.whole))
    }

    #[test]
    fn our_part_goes_to_the_end_and_is_then_left_alone_until_it_is_taken_out() {
        for before in ["", "\n", "# Rules\n", "# Rules", "# Rules\r\n", "# Rules\r", "a\r\n\r\nb"] {
            let Some((Action::Insert, text)) = plan(before, "Words.\n") else { panic!("{before:?}") };
            assert!(text.starts_with(before), "{text:?}");
            assert_eq!(text.contains("\r\nWords."), before.contains("\r\n"));
            assert_eq!(plan(&text, "Words.\n"), None);
            assert_eq!(removed(&text), Some((Action::Remove, before.to_owned())), "{text:?}");
        }
        assert_eq!(removed(&MARKDOWN.around("Words.")), Some((Action::Delete, String::new())));
        assert_eq!(removed("# Rules\n"), None);
    }

    #[test]
    fn our_part_is_replaced_and_nothing_else() {
        for (front, back) in [("", ""), ("# Rules\n\n", "\nMore.\n"), ("a\r\n", "b")] {
            let old = format!("{front}{}{back}", MARKDOWN.around("Old\n\nwords."));
            let Some((Action::Update, new)) = plan(&old, "New.") else { panic!("{old:?}") };
            assert!(new.starts_with(front) && new.ends_with(back), "{new:?}");
            assert!(new.contains("New.") && !new.contains("Old"));
            assert_eq!(plan(&new, "New."), None);
        }
        let cut = MARKDOWN.around("Old.");
        let Some((Action::Update, new)) = plan(cut.trim_end(), "New.") else { panic!() };
        assert_eq!(new, MARKDOWN.around("New.").trim_end());
    }

    #[test]
    fn what_was_put_around_our_part_stays() {
        let part = MARKDOWN.around("Words.");
        for (text, left) in [
            (format!("{part}More.\n"), "More.\n"),
            (format!("# Rules\n\n{part}\nMore.\n"), "# Rules\n\nMore.\n"),
            (format!("# Rules\n{part}More.\n"), "# Rules\nMore.\n"),
            (format!("# Rules\n\n{}", part.trim_end()), "# Rules\n"),
        ] {
            assert_eq!(removed(&text), Some((Action::Remove, left.to_owned())), "{text:?}");
        }
    }

    #[test]
    fn marks_that_do_not_tell_are_refused() {
        let (begin, end) = (format!("{}\n", MARKDOWN.begin), format!("{}\n", MARKDOWN.end));
        for text in [
            begin.clone(),
            end.clone(),
            format!("{end}{begin}"),
            format!("{begin}{begin}{end}"),
            format!("{begin}{end}{begin}{end}"),
        ] {
            assert!(MARKDOWN.insert(&text, &MARKDOWN.around("Words.")).is_err(), "{text:?}");
            assert!(MARKDOWN.remove(&text).is_err(), "{text:?}");
        }
        // In a sentence a mark is no mark.
        let text = format!("Not {} here.", MARKDOWN.begin);
        assert!(matches!(plan(&text, "Words."), Some((Action::Insert, ..))));
    }

    fn table(program: &str) -> String {
        PARTS[6].fresh(&Wiring {
            lang: Lang::En,
            program: program.to_owned(),
            own: Vec::new(),
            state_dir: None,
        })
    }

    #[test]
    fn a_table_goes_to_the_end_and_out_again() {
        let ours = table(PROGRAM);
        for before in [
            "",
            "model = \"x\"",
            "# c\n[mcp_servers.a]\ncommand = \"a\" # b\n",
            "a = 1\r\n",
            "[mcp_servers]\n",
        ] {
            let Ok(Some(edit)) = TOML.insert_table(before, &ours) else { panic!("{before:?}") };
            assert!(edit.whole.starts_with(before) && edit.action == Action::Insert);
            let entry = &parse(&edit.whole).expect("TOML")[TABLE][PROGRAM];
            assert_eq!(entry["command"].as_str(), Some(PROGRAM));
            assert_eq!(entry["tool_timeout_sec"].as_integer(), Some(86_400));
            assert_eq!(TOML.insert_table(&edit.whole, &ours), Ok(None));
            let back = TOML.remove_table(&edit.whole).expect("ours").0.expect("there");
            assert_eq!((back.action, back.whole.as_str()), (Action::Remove, before));
        }
        let quoted = parse(&table("/opt/a \"b\"\\c/novel-gate")).expect("TOML");
        assert_eq!(quoted[TABLE][PROGRAM]["command"].as_str(), Some("/opt/a \"b\"\\c/novel-gate"));
    }

    #[test]
    fn a_table_that_cannot_be_told_is_left_alone() {
        let ours = table(PROGRAM);
        // The author's own is there.
        let own = "a = 1\n[mcp_servers.novel-gate]\ncommand = \"/opt/novel-gate\"\n";
        assert_eq!(TOML.insert_table(own, &ours), Ok(None));
        assert_eq!(TOML.remove_table(own), Ok((None, Some(not_inits()))));
        for broken in ["[", "mcp_servers = {}\n", "mcp_servers = 1\n", "x = \"\"\"\n"] {
            assert!(TOML.insert_table(broken, &ours).is_err(), "{broken:?}");
            assert_eq!(TOML.remove_table(broken), Ok((None, None)), "{broken:?}");
        }
        let more = format!("{ours}\n[mcp_servers.b]\ncommand = \"b\"\n");
        let left = TOML.remove_table(&more).expect("ours").0.expect("there").whole;
        assert_eq!(left, "\n[mcp_servers.b]\ncommand = \"b\"\n");
    }
}
