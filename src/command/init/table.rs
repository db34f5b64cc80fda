//! The table of the MCP server in a TOML file of a client's.

use super::edit::{Edit, PROGRAM, altered};
use super::section::TOML;
use crate::ask::to_line;
use crate::text::{Message, say};

const TABLE: &str = "mcp_servers";
/// A new file.
pub(super) fn fresh(program: &str, timeout: u64) -> String {
    // A text of JSON is one of TOML.
    let program = to_line(program);
    TOML.around(&format!(
        "[{TABLE}.{PROGRAM}]\ncommand = {program}\nargs = [\"mcp\"]\ntool_timeout_sec = {timeout}"
    ))
}

/// Puts the table in, at the end; one of the author's own is enough.
pub(super) fn insert(text: &str, part: &str) -> Result<Option<Edit>, Message> {
    let old = parse(text)?;
    if has_table(&old) && TOML.find(text)?.is_none() {
        return Ok(None);
    }
    let edit = TOML.insert(text, part)?;
    // A list of servers in one line takes no more of them.
    edit.map(|edit| parse(&edit.whole).map(|_| edit)).transpose()
}

/// Takes it out.
pub(super) fn remove(text: &str) -> Result<Option<Edit>, Message> {
    let Some(edit) = TOML.remove(text)? else {
        let named = toml::from_str(text).map_or(text.contains(PROGRAM), |table| has_table(&table));
        return if named { Err(altered()) } else { Ok(None) };
    };
    let (mut old, new) = (parse(text)?, parse(&edit.whole)?);
    if let Some(servers) = old.get_mut(TABLE).and_then(toml::Value::as_table_mut) {
        servers.remove(PROGRAM);
        if servers.is_empty() && !new.contains_key(TABLE) {
            old.remove(TABLE);
        }
    }
    // What stands behind the part without a heading of its own belongs to its table.
    if old == new { Ok(Some(edit)) } else { Err(altered()) }
}

fn has_table(table: &toml::Table) -> bool {
    table.get(TABLE).and_then(toml::Value::as_table).is_some_and(|servers| servers.contains_key(PROGRAM))
}

fn parse(text: &str) -> Result<toml::Table, Message> {
    toml::from_str(text).map_err(|error| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        Message::new(say("It is not TOML: see line {0}.", "它不是 TOML：见第 {0} 行。"), &[&line.to_string()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::init::edit::Action;

    const END: &str = "# novel-gate end";

    #[test]
    fn a_table_goes_to_the_end_and_out_again() {
        let ours = fresh(PROGRAM, 86_400);
        for before in [
            "",
            "model = \"x\"",
            "# c\n[mcp_servers.a]\ncommand = \"a\" # b\n",
            "a = 1\r\n",
            "[mcp_servers]\n",
        ] {
            let Ok(Some(edit)) = insert(before, &ours) else { panic!("{before:?}") };
            assert!(edit.whole.starts_with(before) && edit.action == Action::Insert);
            let entry = &parse(&edit.whole).expect("TOML")[TABLE][PROGRAM];
            assert_eq!(entry["command"].as_str(), Some(PROGRAM));
            assert_eq!(entry["tool_timeout_sec"].as_integer(), Some(86_400));
            assert_eq!(insert(&edit.whole, &ours), Ok(None));
            let back = remove(&edit.whole).expect("ours").expect("there");
            assert_eq!((back.action, back.whole.as_str()), (Action::Remove, before));
        }
        let quoted = parse(&fresh("/opt/a \"b\"\\c/novel-gate", 1)).expect("TOML");
        assert_eq!(quoted[TABLE][PROGRAM]["command"].as_str(), Some("/opt/a \"b\"\\c/novel-gate"));
    }

    #[test]
    fn a_table_that_cannot_be_told_is_left_alone() {
        let ours = fresh(PROGRAM, 86_400);
        // The author's own is there.
        let own = "[mcp_servers.novel-gate]\ncommand = \"/opt/novel-gate\"\n";
        assert_eq!(insert(own, &ours), Ok(None));
        assert_eq!(remove(own), Err(altered()));
        for broken in ["[", "mcp_servers = {}\n", "mcp_servers = 1\n", "x = \"\"\"\n"] {
            assert!(insert(broken, &ours).is_err(), "{broken:?}");
            assert_eq!(remove(broken), Ok(None), "{broken:?}");
        }
        // What stands behind the part without a heading is in its table; so is a table inside it.
        for behind in ["model = \"x\"\n", "[mcp_servers.novel-gate.env]\nA = \"b\"\n"] {
            assert_eq!(remove(&format!("{ours}{behind}")), Err(altered()), "{behind}");
        }
        let two = ours.replace(END, &format!("[mcp_servers.b]\ncommand = \"b\"\n{END}"));
        assert_eq!(remove(&two), Err(altered()));
        let more = format!("{ours}\n[mcp_servers.b]\ncommand = \"b\"\n");
        let left = remove(&more).expect("ours").expect("there").whole;
        assert_eq!(left, "\n[mcp_servers.b]\ncommand = \"b\"\n");
    }
}
