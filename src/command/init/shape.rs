//! Which settings a client refuses to read for their shape: then it drops the whole file, with every hook in it, and mostly without a
//! word. As tried with Claude Code 2.1.330, and as Codex 0.169.0 reads its own.

use super::json_file::{elements, member};
use crate::cli::ClientName;
use crate::text::{Lang, Message, Sentence, say};
use jsonc_parser::cst::CstNode;
use serde_json::Value;

/// What may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    List,
    Text,
    /// A list of them.
    Texts,
    Truth,
    /// A number above nothing.
    Time,
    /// None below nothing, and no fraction.
    Count,
    OneOf(&'static [&'static str]),
}

/// A value that the client refuses, and what it wants there.
pub(super) struct Fault {
    pub(super) node: CstNode,
    pub(super) name: String,
    pub(super) wanted: Sentence,
}

/// What a client's hooks look like.
pub(super) struct Shape {
    /// The events that it is strict about; in others it leaves out what is wrong, and nothing else.
    events: &'static [&'static str],
    /// Whether null is as good as nothing, and a group may lack its list.
    is_lenient: bool,
    /// Each type of a hook, and what it must have.
    types: &'static [(&'static str, &'static [&'static str])],
    /// What any hook may have.
    members: &'static [(&'static str, Kind)],
    /// The rest of the file.
    others: &'static [(&'static str, Kind)],
}

pub(super) const CLAUDE_CODE: Shape = Shape {
    events: &["PreToolUse", "PermissionRequest"],
    is_lenient: false,
    types: &[
        ("command", &["command"]),
        ("prompt", &["prompt"]),
        ("agent", &["prompt"]),
        ("http", &["url"]),
        ("mcp_tool", &["server", "tool"]),
    ],
    members: &[
        ("command", Kind::Text),
        ("prompt", Kind::Text),
        ("url", Kind::Text),
        ("server", Kind::Text),
        ("tool", Kind::Text),
        ("args", Kind::List),
        ("if", Kind::Text),
        ("timeout", Kind::Time),
        ("statusMessage", Kind::Text),
        ("shell", Kind::OneOf(&["bash", "powershell"])),
        ("once", Kind::Truth),
        ("async", Kind::Truth),
        ("asyncRewake", Kind::Truth),
    ],
    others: &[("env", Kind::Object), ("model", Kind::Text), ("cleanupPeriodDays", Kind::Count)],
};

pub(super) const CODEX: Shape = Shape {
    events: &[
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "SubagentStop",
        "Stop",
    ],
    is_lenient: true,
    types: &[("command", &["command"]), ("prompt", &[]), ("agent", &[]), ("mcp_tool", &[])],
    members: &[
        ("command", Kind::Text),
        ("timeout", Kind::Count),
        ("statusMessage", Kind::Text),
        ("async", Kind::Truth),
    ],
    others: &[],
};

/// The file of Claude Code's servers.
pub(super) const MCP: Shape = Shape {
    events: &[],
    is_lenient: true,
    types: &[],
    members: &[],
    others: &[("mcpServers", Kind::Object)],
};

/// What a server that a client starts must have, and may have.
fn server(client: ClientName) -> [&'static [(&'static str, Kind)]; 2] {
    match client {
        ClientName::Opencode => [
            &[("type", Kind::OneOf(&["local"])), ("command", Kind::Texts)],
            &[("enabled", Kind::Truth), ("environment", Kind::Object), ("timeout", Kind::Time)],
        ],
        _ => [
            &[("command", Kind::Text)],
            &[
                ("type", Kind::OneOf(&["stdio"])),
                ("args", Kind::Texts),
                ("env", Kind::Object),
                ("enabled", Kind::Truth),
                ("trust", Kind::Truth),
                ("timeout", Kind::Time),
                ("tool_timeout_sec", Kind::Time),
            ],
        ],
    }
}

/// The first thing for which a client does not start a server.
pub(super) fn server_fault(client: ClientName, name: &str, entry: &CstNode) -> Option<Fault> {
    let path = format!("{name}.");
    let all = server(client).into_iter().zip([true, false]);
    let mut all = all.flat_map(|(members, required)| members.iter().map(move |one| (one, required)));
    let look = || all.find_map(|((name, kind), required)| own(entry, &path, name, *kind, required).err());
    check(entry, name, Kind::Object).err().or_else(look)
}

impl Fault {
    pub(super) fn message(&self) -> Message {
        let what = say("{0} is not {1}.", "{0} 不是{1}。");
        Message::in_both(|lang: Lang| what.fill(lang, &[&self.name, self.wanted.text(lang)]))
    }
}

impl Kind {
    fn takes(self, node: &CstNode) -> bool {
        match self {
            Kind::Object => return node.as_object().is_some(),
            Kind::List => return node.as_array().is_some(),
            _ => {}
        }
        let value = node.to_serde_value().unwrap_or(Value::Null);
        match self {
            Kind::Object | Kind::List => false,
            Kind::Text => value.is_string(),
            Kind::Texts => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            Kind::Truth => value.is_boolean(),
            Kind::Time => value.as_f64().is_some_and(|number| number > 0.0),
            Kind::Count => value.is_u64(),
            Kind::OneOf(names) => value.as_str().is_some_and(|name| names.contains(&name)),
        }
    }

    fn wanted(self) -> Sentence {
        match self {
            Kind::Object => say("an object", "对象"),
            Kind::List => say("a list", "列表"),
            Kind::Text => say("a text", "文本"),
            Kind::Texts => say("a list of texts", "文本列表"),
            Kind::Truth => say("true or false", "true 或 false"),
            Kind::Time => say("a number above 0", "大于 0 的数"),
            Kind::Count => say("a whole number", "整数"),
            Kind::OneOf(_) => say("a name that the client knows", "客户端认识的名称"),
        }
    }
}

impl Shape {
    /// The first thing for which the client drops the file.
    pub(super) fn fault(&self, root: &CstNode) -> Option<Fault> {
        check(root, "", Kind::Object).err().or_else(|| self.look(root).err())
    }

    fn look(&self, root: &CstNode) -> Result<(), Fault> {
        for (name, kind) in self.others {
            own(root, "", name, *kind, false)?;
        }
        if let Some(permissions) = own(root, "", "permissions", Kind::Object, false)? {
            for name in ["allow", "deny", "ask"] {
                own(&permissions, "permissions.", name, Kind::List, false)?;
            }
        }
        let Some(hooks) = own(root, "", "hooks", Kind::Object, false)? else { return Ok(()) };
        for event in self.events {
            let groups = own(&hooks, "hooks.", event, Kind::List, false)?;
            for (at, group) in groups.iter().flat_map(elements).enumerate() {
                self.group(&group, &format!("hooks.{event}[{at}]"))?;
            }
        }
        Ok(())
    }

    fn group(&self, group: &CstNode, name: &str) -> Result<(), Fault> {
        check(group, name, Kind::Object)?;
        let name = format!("{name}.");
        if member(group, "matcher").is_none_or(|matcher| !self.is_lenient || !is_null(&matcher)) {
            own(group, &name, "matcher", Kind::Text, false)?;
        }
        let hooks = own(group, &name, "hooks", Kind::List, !self.is_lenient)?;
        for (at, hook) in hooks.iter().flat_map(elements).enumerate() {
            let hook_name = format!("{name}hooks[{at}]");
            check(&hook, &hook_name, Kind::Object)?;
            self.hook(&hook, &format!("{hook_name}."))?;
        }
        Ok(())
    }

    fn hook(&self, hook: &CstNode, name: &str) -> Result<(), Fault> {
        let kind = own(hook, name, "type", Kind::Text, true)?;
        let kind = kind.and_then(|node| Some((node.to_serde_value()?, node)));
        let Some((Value::String(kind), node)) = kind else { return Ok(()) };
        let Some((_, required)) = self.types.iter().find(|(known, _)| *known == kind) else {
            return Err(Fault { node, name: format!("{name}type"), wanted: Kind::OneOf(&[]).wanted() });
        };
        for required in *required {
            own(hook, name, required, Kind::Text, true)?;
        }
        for (optional, kind) in self.members {
            if member(hook, optional).is_none_or(|value| !self.is_lenient || !is_null(&value)) {
                own(hook, name, optional, *kind, false)?;
            }
        }
        Ok(())
    }
}

/// A member that is right, or is not there and need not be.
fn own(
    around: &CstNode,
    path: &str,
    name: &str,
    kind: Kind,
    is_required: bool,
) -> Result<Option<CstNode>, Fault> {
    let full = format!("{path}{name}");
    match member(around, name) {
        Some(node) => check(&node, &full, kind).map(|()| Some(node)),
        None if is_required => Err(Fault { node: around.clone(), name: full, wanted: kind.wanted() }),
        None => Ok(None),
    }
}

fn check(node: &CstNode, name: &str, kind: Kind) -> Result<(), Fault> {
    let fault = || Fault { node: node.clone(), name: name.to_owned(), wanted: kind.wanted() };
    if kind.takes(node) { Ok(()) } else { Err(fault()) }
}

fn is_null(node: &CstNode) -> bool {
    node.to_serde_value() == Some(Value::Null)
}
