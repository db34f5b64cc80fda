//! Which settings a client refuses to read for their shape: then it drops the whole file, with every hook in it, and mostly without a
//! word. As tried with Claude Code 2.1.330 and Codex 0.169.0.

use super::json_file::elements;
use crate::cli::ClientName;
use crate::text::{Lang, Message, Sentence, say};
use jsonc_parser::cst::{CstNode, CstObjectProp};
use serde_json::Value;

/// What may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    List,
    Text,
    /// A text with something in it.
    Name,
    /// A list of texts.
    Texts,
    /// An object of texts.
    Named,
    Truth,
    /// A number above nothing.
    Time,
    /// None below nothing, and no fraction.
    Count,
    /// A number above nothing without a fraction.
    Span,
    OneOf(&'static [&'static str]),
}

/// A value that the client refuses, and what it wants there.
pub(super) struct Fault {
    pub(super) node: CstNode,
    pub(super) name: String,
    pub(super) wanted: Sentence,
}

type Members = &'static [(&'static str, Kind)];

/// What a client's hooks look like.
pub(super) struct Shape {
    /// The events that it is strict about; in others it leaves out what is wrong, and nothing else.
    events: &'static str,
    /// Whether it reads as a program of Rust does: a text or number may be null, a group may lack its list; but a name stands once,
    /// the file has no other than these, and no byte order mark.
    is_rust: bool,
    /// Each type of a hook, what it must have, and what it may have.
    types: &'static [(&'static str, &'static [&'static str], Members)],
    /// The rest of the file.
    others: Members,
}

pub(super) const CLAUDE_CODE: Shape = Shape {
    events: "PreToolUse PermissionRequest",
    is_rust: false,
    types: &[
        ("command", &["command"], CLAUDE_CODE_HOOK),
        ("prompt", &["prompt"], CLAUDE_CODE_HOOK),
        ("agent", &["prompt"], CLAUDE_CODE_HOOK),
        ("http", &["url"], CLAUDE_CODE_HOOK),
        ("mcp_tool", &["server", "tool"], CLAUDE_CODE_HOOK),
    ],
    others: &[("env", Kind::Object), ("model", Kind::Text), ("cleanupPeriodDays", Kind::Count)],
};

const CLAUDE_CODE_HOOK: Members = &[
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
];

pub(super) const CODEX: Shape = Shape {
    events: "PreModelRequest PostModelRequest PreToolUse PermissionRequest PostToolUse PreCompact \
             PostCompact SessionStart SessionEnd UserPromptSubmit SubagentStart SubagentStop Stop Interrupt",
    is_rust: true,
    types: &[
        (
            "command",
            &["command"],
            &[
                ("timeout", Kind::Count),
                ("statusMessage", Kind::Text),
                ("async", Kind::Truth),
                ("commandWindows", Kind::Text),
                ("command_windows", Kind::Text),
                ("additionalContextLimit", Kind::Count),
            ],
        ),
        ("prompt", &[], &[]),
        ("agent", &[], &[]),
        (
            "mcp_tool",
            &["server", "tool"],
            &[("input", Kind::Object), ("timeout", Kind::Count), ("statusMessage", Kind::Text)],
        ),
    ],
    others: &[("description", Kind::Text)],
};

/// The file of Claude Code's servers.
pub(super) const MCP: Shape =
    Shape { events: "", is_rust: false, types: &[], others: &[("mcpServers", Kind::Object)] };

/// What a server that a client starts must have, and may have.
fn server(client: ClientName) -> [Members; 2] {
    match client {
        ClientName::ClaudeCode => [
            &[("command", Kind::Name)],
            &[
                ("type", Kind::OneOf(&["stdio"])),
                ("args", Kind::Texts),
                ("env", Kind::Named),
                ("timeout", Kind::Span),
            ],
        ],
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
    let [required, optional] = server(client);
    let look = || {
        let path = format!("{name}.");
        check(entry, name, Kind::Object)?;
        required.iter().try_for_each(|(name, kind)| MCP.own(entry, &path, name, *kind, true).map(drop))?;
        MCP.all(entry, &path, optional)
    };
    look().err()
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
            Kind::Name => value.as_str().is_some_and(|name| !name.is_empty()),
            Kind::Texts => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            Kind::Named => value.as_object().is_some_and(|all| all.values().all(Value::is_string)),
            Kind::Truth => value.is_boolean(),
            Kind::Time => value.as_f64().is_some_and(|number| number > 0.0),
            Kind::Count => value.is_u64(),
            Kind::Span => value.as_u64() > Some(0),
            Kind::OneOf(names) => value.as_str().is_some_and(|name| names.contains(&name)),
        }
    }

    fn wanted(self) -> Sentence {
        match self {
            Kind::Object => say("an object", "对象"),
            Kind::List => say("a list", "列表"),
            Kind::Text => say("a text", "文本"),
            Kind::Name => say("a text with something in it", "非空的文本"),
            Kind::Texts => say("a list of texts", "文本列表"),
            Kind::Named => say("an object of texts", "值为文本的对象"),
            Kind::Truth => say("true or false", "true 或 false"),
            Kind::Time => say("a number above 0", "大于 0 的数"),
            Kind::Count => say("a whole number", "整数"),
            Kind::Span => say("a whole number above 0", "大于 0 的整数"),
            Kind::OneOf(_) => say("a name that the client knows", "客户端认识的名称"),
        }
    }
}

impl Shape {
    /// Whether it refuses a byte order mark at the beginning.
    pub(super) fn refuses_mark(&self) -> bool {
        self.is_rust
    }

    /// The first thing for which the client drops the file.
    pub(super) fn fault(&self, root: &CstNode) -> Option<Fault> {
        check(root, "", Kind::Object).err().or_else(|| self.look(root).err())
    }

    fn look(&self, root: &CstNode) -> Result<(), Fault> {
        self.all(root, "", self.others)?;
        if self.is_rust {
            let is_known =
                |name: &str| name == "hooks" || self.others.iter().any(|(known, _)| *known == name);
            let unknown = named(root, |name| !is_known(name)).into_iter().next();
            if let Some((name, node)) = unknown {
                return Err(Fault { node, name, wanted: Kind::OneOf(&[]).wanted() });
            }
        } else if let Some(permissions) = self.own(root, "", "permissions", Kind::Object, false)? {
            for name in ["allow", "deny", "ask"] {
                self.own(&permissions, "permissions.", name, Kind::List, false)?;
            }
        }
        let Some(hooks) = self.own(root, "", "hooks", Kind::Object, false)? else { return Ok(()) };
        for event in self.events.split_whitespace() {
            let groups = self.own(&hooks, "hooks.", event, Kind::List, false)?;
            for (at, group) in groups.iter().flat_map(elements).enumerate() {
                self.group(&group, &format!("hooks.{event}[{at}]"))?;
            }
        }
        Ok(())
    }

    fn group(&self, group: &CstNode, name: &str) -> Result<(), Fault> {
        check(group, name, Kind::Object)?;
        let name = format!("{name}.");
        self.own(group, &name, "matcher", Kind::Text, false)?;
        let hooks = self.own(group, &name, "hooks", Kind::List, !self.is_rust)?;
        for (at, hook) in hooks.iter().flat_map(elements).enumerate() {
            let hook_name = format!("{name}hooks[{at}]");
            check(&hook, &hook_name, Kind::Object)?;
            self.hook(&hook, &format!("{hook_name}."))?;
        }
        Ok(())
    }

    fn hook(&self, hook: &CstNode, name: &str) -> Result<(), Fault> {
        let kind = self.own(hook, name, "type", Kind::Text, true)?;
        let kind = kind.and_then(|node| Some((node.to_serde_value()?, node)));
        let Some((Value::String(kind), node)) = kind else { return Ok(()) };
        let Some((_, required, members)) = self.types.iter().find(|(known, ..)| *known == kind) else {
            return Err(Fault { node, name: format!("{name}type"), wanted: Kind::OneOf(&[]).wanted() });
        };
        for required in *required {
            self.own(hook, name, required, Kind::Text, true)?;
        }
        self.all(hook, name, members)
    }

    fn all(&self, around: &CstNode, path: &str, members: Members) -> Result<(), Fault> {
        members.iter().try_for_each(|(name, kind)| self.own(around, path, name, *kind, false).map(drop))
    }

    /// A member that is right, or is not there and need not be.
    fn own(
        &self,
        around: &CstNode,
        path: &str,
        name: &str,
        kind: Kind,
        is_required: bool,
    ) -> Result<Option<CstNode>, Fault> {
        let fault =
            |node: &CstNode, wanted| Err(Fault { node: node.clone(), name: format!("{path}{name}"), wanted });
        let all = named(around, |one| one == name);
        let may_be_null = self.is_rust && !is_required && matches!(kind, Kind::Text | Kind::Count);
        match &all[..] {
            [] if is_required => fault(around, kind.wanted()),
            [] => Ok(None),
            [_, .., (_, twice)] if self.is_rust => {
                fault(twice, say("the only one of its name", "这个名称唯一的一项"))
            }
            [.., (_, node)] if may_be_null && node.to_serde_value() == Some(Value::Null) => Ok(None),
            [.., (_, node)] if kind.takes(node) => Ok(Some(node.clone())),
            [.., (_, node)] => fault(node, kind.wanted()),
        }
    }
}

fn check(node: &CstNode, name: &str, kind: Kind) -> Result<(), Fault> {
    let fault = || Fault { node: node.clone(), name: name.to_owned(), wanted: kind.wanted() };
    if kind.takes(node) { Ok(()) } else { Err(fault()) }
}

/// The members of an object with such names.
fn named(object: &CstNode, is_it: impl Fn(&str) -> bool) -> Vec<(String, CstNode)> {
    let all = object.as_object().map(|object| object.properties()).unwrap_or_default();
    let both = |one: CstObjectProp| Some((one.decoded_name()?, one.value()?));
    all.into_iter().filter_map(both).filter(|(name, _)| is_it(name)).collect()
}
