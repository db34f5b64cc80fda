//! The table of what wires which client, and the words that go in.

use super::edit::{Action, Edit, PROGRAM, Wiring};
use super::json_file::{self, Entry, TIMEOUT};
use super::section::{MARKDOWN, TOML};
use crate::ask::to_line;
use crate::cli::ClientName::{self, ClaudeCode, Codex, Gemini, Opencode};
use crate::command::skill;
use crate::text::shell::is_on_drive;
use crate::text::{Lang, Message, Sentence, say};
use jsonc_parser::cst::CstInputValue;
use jsonc_parser::json;

/// One file that wires clients.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) clients: &'static [ClientName],
    pub(super) path: &'static str,
    pub(super) content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A skill: a file of ours.
    Skill,
    /// The hook, in JSON; in Claude Code's file with the permission to run the commands.
    Hook,
    /// The permission to run the commands, in Codex's own language.
    Rule,
    /// An entry among the MCP servers, in JSON.
    Server,
    /// The same as a table in TOML.
    Table,
}

pub(super) const PARTS: [Part; 9] = [
    part(&[ClaudeCode], ".claude/skills/novel-gate/SKILL.md", Content::Skill),
    part(&[ClaudeCode], ".claude/settings.json", Content::Hook),
    part(&[ClaudeCode], ".mcp.json", Content::Server),
    part(&[Codex, Gemini, Opencode], ".agents/skills/novel-gate/SKILL.md", Content::Skill),
    part(&[Codex], ".codex/hooks.json", Content::Hook),
    part(&[Codex], ".codex/rules/novel-gate.rules", Content::Rule),
    part(&[Codex], ".codex/config.toml", Content::Table),
    part(&[Gemini], ".gemini/settings.json", Content::Server),
    part(&[Opencode], "opencode.json", Content::Server),
];

const fn part(clients: &'static [ClientName], path: &'static str, content: Content) -> Part {
    Part { clients, path, content }
}

/// The tools that Claude Code's hook is asked about. With a sign of a regular expression in it, it is one, and unanchored.
const CLAUDE_CODE_TOOLS: &str = "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+__AskUserQuestion)$";
/// Codex's; a tool of a namespace has the namespace's name in front of its own.
const CODEX_TOOLS: &str = "spawn_agent$|^request_user_input$|^apply_patch$|^Bash$";
/// For whom a hook of agents that start is run.
const EVERY_AGENT: &str = "*";
/// The commands that an executor needs. None of them runs a program, whatever its flags, and a file that a flag names is written only
/// for the replies of a dialogue.
pub(super) const COMMANDS: [&str; 8] =
    ["wait", "propose", "decisions", "next", "list", "check", "show", "plan"];
/// What the client shows while the hook waits.
const STATUS: Sentence =
    say("novel-gate (questions wait in its console)", "novel-gate（提问在它的控制台中等待回答）");

/// What runs the hook for these tools, and for each agent that starts.
fn hook_values(wiring: &Wiring, purpose: &str, tools: &str) -> (CstInputValue, CstInputValue) {
    let command = format!("{} {purpose}", wiring.line());
    let status = STATUS.text(wiring.lang);
    let before = json!({"matcher": tools, "hooks": [
        {"type": "command", "command": (command.as_str()), "timeout": TIMEOUT, "statusMessage": status}
    ]});
    let start = json!({"matcher": EVERY_AGENT, "hooks": [
        {"type": "command", "command": command, "timeout": TIMEOUT}
    ]});
    (before, start)
}

impl Part {
    pub(super) fn is_server(&self) -> bool {
        matches!(self.content, Content::Server | Content::Table)
    }

    /// Another file in which the author may have put the same.
    pub(super) fn elsewhere(&self) -> Option<&'static str> {
        match (self.content, self.clients) {
            (Content::Hook, [ClaudeCode]) => Some(".claude/settings.local.json"),
            (Content::Hook, _) => Some(".codex/config.toml"),
            _ => None,
        }
    }

    /// What goes into a JSON file.
    pub(super) fn entries(&self, wiring: &Wiring) -> Vec<Entry> {
        let program = wiring.program.as_str();
        let named = Some(program).filter(|program| *program != PROGRAM).map(str::to_owned);
        let entry = |keys, name, value, purpose: &str| Entry {
            keys,
            name,
            value,
            tools: None,
            whole: None,
            is_old: false,
            purpose: purpose.split(' ').map(str::to_owned).collect(),
            asked: named.iter().chain(&wiring.state_dir).cloned().collect(),
            own: wiring.own.clone(),
        };
        let hooks = |client: ClientName, tools| {
            let purpose = format!("hook {}", <&str>::from(client));
            let (before, start) = hook_values(wiring, &purpose, tools);
            [
                Entry { tools: Some(tools), ..entry(&["hooks", "PreToolUse"], None, before, &purpose) },
                Entry {
                    tools: Some(EVERY_AGENT),
                    ..entry(&["hooks", "SubagentStart"], None, start, &purpose)
                },
            ]
        };
        let server = |keys, value| vec![entry(keys, Some(PROGRAM), value, "mcp")];
        let rest = wiring.arguments();
        match (self.content, self.clients) {
            (Content::Hook, [ClaudeCode]) => {
                let allow = |purpose: &str| {
                    let rule = format!("{} {purpose}", wiring.line());
                    let value = format!("Bash({rule})").into();
                    Entry {
                        whole: json_file::words_of(&rule),
                        ..entry(&["permissions", "allow"], None, value, purpose)
                    }
                };
                let hooks = hooks(ClaudeCode, CLAUDE_CODE_TOOLS);
                let commands = COMMANDS.iter().map(|command| allow(&format!("{command} *")));
                let old = Entry { is_old: true, ..allow("*") };
                hooks.into_iter().chain(commands).chain([old]).collect()
            }
            (Content::Hook, _) => hooks(Codex, CODEX_TOOLS).into(),
            (Content::Server, [Opencode]) => {
                let all: CstInputValue = [vec![program.to_owned()], rest].concat().into();
                server(&["mcp"], json!({"type": "local", "command": all, "enabled": true}))
            }
            // Its tools answer nothing by themselves; without trust each call is asked about, and refused where nobody is there.
            (Content::Server, [Gemini]) => {
                let value =
                    json!({"command": program, "args": rest, "timeout": (TIMEOUT * 1000), "trust": true});
                server(&["mcpServers"], value)
            }
            (Content::Server, _) => server(&["mcpServers"], json!({"command": program, "args": rest})),
            (Content::Table, _) => server(&["mcp_servers"], json!({"command": program, "args": rest})),
            (Content::Skill | Content::Rule, _) => Vec::new(),
        }
    }

    /// Puts the part into a file, of a JSON file these entries.
    pub(super) fn wire(
        &self,
        old: Option<&str>,
        entries: Vec<Entry>,
        wiring: &Wiring,
    ) -> Result<Option<Edit>, Message> {
        let is_json = matches!(self.content, Content::Hook | Content::Server);
        if is_json && entries.is_empty() {
            return Ok(None);
        }
        let Some(text) = old else {
            let whole = if is_json { json_file::fresh(entries) } else { self.fresh(wiring) };
            return Ok(Some(Edit { action: Action::Create, text: whole.clone(), whole }));
        };
        match self.content {
            Content::Skill if MARKDOWN.find(text) == Ok(None) => Err(say(
                "It is not novel-gate's: it has no line <!-- novel-gate begin -->.",
                "它不是 novel-gate 的文件：其中没有 <!-- novel-gate begin --> 一行。",
            )
            .into()),
            Content::Skill => MARKDOWN.insert(text, &section(wiring)),
            Content::Hook | Content::Server => json_file::insert(text, entries),
            Content::Rule => TOML.insert(text, &self.fresh(wiring)),
            Content::Table => {
                let edit = TOML.insert_table(text, &self.fresh(wiring))?;
                let is_right =
                    || entries.iter().all(|entry| json_file::has(&json_file::from_toml(text), entry));
                if edit.is_some() || is_right() { Ok(edit) } else { Err(json_file::another()) }
            }
        }
    }

    /// Takes out of a file what [`Part::wire`] puts in; and what is left of novel-gate, and why.
    pub(super) fn unwire(
        &self,
        text: &str,
        wiring: &Wiring,
    ) -> Result<(Option<Edit>, Option<Message>), Message> {
        match self.content {
            Content::Skill => Ok((MARKDOWN.remove(text)?.map(without_front), None)),
            Content::Hook | Content::Server => json_file::remove(text, &self.entries(wiring)),
            Content::Rule => Ok((TOML.remove(text)?, None)),
            Content::Table => TOML.remove_table(text),
        }
    }

    /// Whether a file allows every command of the program, as an older init had it.
    pub(super) fn allows_all(&self, text: &str, wiring: &Wiring) -> bool {
        match self.content {
            Content::Hook => {
                self.entries(wiring).iter().any(|entry| entry.is_old && json_file::has_inits(text, entry))
            }
            // A list of commands ends with one more bracket.
            Content::Rule => TOML
                .find(text)
                .is_ok_and(|part| part.is_some_and(|part| text[part].contains("\"], decision"))),
            Content::Skill | Content::Server | Content::Table => false,
        }
    }

    /// What is said where that is so.
    pub(super) fn narrowed() -> Message {
        let sentence = say(
            "Its permission was for every command of novel-gate and is narrowed to {0}. The client treats the others like any command.",
            "其中的权限原先允许 novel-gate 的所有命令，现收窄为 {0}。其余命令，客户端按普通命令处理。",
        );
        Message::in_both(|lang| sentence.fill(lang, &[&COMMANDS.join(lang.comma())]))
    }

    /// The whole file, where there is none.
    pub(super) fn fresh(&self, wiring: &Wiring) -> String {
        let program = to_line(&wiring.program);
        match self.content {
            Content::Skill => front(wiring.lang) + &section(wiring),
            Content::Hook | Content::Server => json_file::fresh(self.entries(wiring)),
            Content::Rule => {
                let flags = wiring.flags().map(|word| to_line(word) + ", ").collect::<String>();
                // The client compares letters; a shell of Windows may have left the path as the skill spells it.
                let spellings = ["/", r"\", r"\\"].map(|sign| wiring.program.replace('/', sign));
                let called = if is_on_drive(&wiring.program) { to_line(&spellings) } else { program };
                let pattern = format!("{called}, {flags}{}", to_line(&COMMANDS));
                TOML.around(&format!("prefix_rule(pattern = [{pattern}], decision = \"allow\")"))
            }
            // A text of JSON is one of TOML.
            Content::Table => TOML.around(&format!(
                "[mcp_servers.{PROGRAM}]\ncommand = {program}\nargs = {}\ntool_timeout_sec = {TIMEOUT}",
                to_line(&wiring.arguments())
            )),
        }
    }
}

fn section(wiring: &Wiring) -> String {
    MARKDOWN.around(&skill::text(wiring.lang).replace("`novel-gate ", &format!("`{} ", wiring.line())))
}

/// What a skill begins with.
fn front(lang: Lang) -> String {
    let about = say(
        "Ask the author the questions of a gate (a packet with novel_ask) and wait for the record. Use it before running \
         any step whose packet has novel_ask, and any step of a book with questions/.",
        "就门控（带 novel_ask 的指令包）向作者提问并等待记录。凡指令包带有 novel_ask，或者书里有 questions/，运行步骤之前使用。",
    );
    format!("---\nname: novel-gate\ndescription: {}\n---\n\n", about.text(lang))
}

/// A skill that has nothing left but its beginning goes.
fn without_front(edit: Edit) -> Edit {
    // Git or an editor may have changed the ends of its lines.
    let left = edit.whole.replace("\r\n", "\n");
    let left = left.trim_start_matches('\u{feff}').trim();
    let is_left = [Lang::En, Lang::ZhCn].iter().any(|&lang| left == front(lang).trim());
    if is_left { Edit { action: Action::Delete, ..edit } } else { edit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::profile::Executor;
    use crate::command::hook;

    const LANGS: [Lang; 2] = [Lang::En, Lang::ZhCn];

    fn wiring(lang: Lang, program: &str, state_dir: Option<&str>) -> Wiring {
        Wiring { lang, program: program.to_owned(), own: Vec::new(), state_dir: state_dir.map(str::to_owned) }
    }

    fn written() -> impl Iterator<Item = (&'static Part, Lang)> {
        PARTS.iter().flat_map(|part| LANGS.map(|lang| (part, lang)))
    }

    #[test]
    fn every_new_file_is_wired_and_goes_again() {
        for (part, lang) in written() {
            for (program, dir) in [(PROGRAM, None), ("/opt/o'brien 书/novel-gate", Some("/s t"))] {
                let wiring = wiring(lang, program, dir);
                let wire = |old| part.wire(old, part.entries(&wiring), &wiring);
                assert!(matches!(wire(None), Ok(Some(Edit { action: Action::Create, .. }))));
                let fresh = part.fresh(&wiring);
                assert_eq!(wire(Some(&fresh)), Ok(None), "{}", part.path);
                let bare = ["`novel-gate ", "\"novel-gate hook", "\"novel-gate\","];
                assert!(dir.is_none() || bare.iter().all(|name| !fresh.contains(name)), "{fresh}");
                let gone = part.unwire(&fresh, &wiring).expect("told");
                assert!(matches!(gone, (Some(Edit { action: Action::Delete, .. }), None)), "{}", part.path);
                assert_eq!(part.unwire("{}", &wiring), Ok((None, None)), "{}", part.path);
            }
        }
    }

    /// What no executor needs, or what runs programs, writes where a flag says, speaks for the author, or is his alone.
    const OTHERS: [&str; 20] = [
        "doctor",
        "man",
        "paths",
        "console",
        "attach",
        "questions",
        "answer",
        "redo",
        "history",
        "lint",
        "schema",
        "compile",
        "skill",
        "hook",
        "mcp",
        "init",
        "keys",
        "themes",
        "demo",
        "completions",
    ];

    #[test]
    fn of_every_command_it_is_known_whether_an_executor_may_run_it() {
        let all = crate::cli::command(Lang::En);
        let mut all: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        let mut known = [&COMMANDS[..], &OTHERS].concat();
        all.retain(|name| *name != "help");
        all.sort_unstable();
        known.sort_unstable();
        assert_eq!(known, all);
    }

    #[test]
    fn the_hooks_fire_for_the_tools_they_are_for() {
        let fires =
            |matcher: &str, tool: &str| regex_lite::Regex::new(matcher).expect("a pattern").is_match(tool);
        for (whose, tool, _) in hook::call::TOOLS {
            let matcher = if whose == Executor::Codex { CODEX_TOOLS } else { CLAUDE_CODE_TOOLS };
            assert!(fires(matcher, tool), "{tool}");
        }
        assert!(fires(CLAUDE_CODE_TOOLS, "mcp__ask__AskUserQuestion"));
        for tool in [
            "TaskStop",
            "TodoWrite",
            "mcp__x__ask",
            "Read",
            "mcp__x__AskUserQuestion2",
            "WorkflowOutput",
            "SkillX",
            "BashOutput",
        ] {
            assert!(!fires(CLAUDE_CODE_TOOLS, tool), "{tool}");
        }
        // Letters, digits, `_ - | ,` and blanks alone would be a list of exact names.
        assert!(CLAUDE_CODE_TOOLS.contains('.') && CODEX_TOOLS.contains('$'));
        assert!(fires(CODEX_TOOLS, "collaborationspawn_agent"));
        assert!(["shell", "spawn_agents", "my_apply_patch"].iter().all(|tool| !fires(CODEX_TOOLS, tool)));
    }

    #[test]
    fn a_program_on_a_drive_is_allowed_however_a_shell_spells_it() {
        let rule = part(&[Codex], "", Content::Rule);
        for (program, begin) in [
            ("novel-gate", r#"(pattern = ["novel-gate", ["wait","#),
            ("/opt/novel-gate", r#"(pattern = ["/opt/novel-gate", ["wait","#),
            (
                "C:/bin/novel-gate.exe",
                r#"(pattern = [["C:/bin/novel-gate.exe", "C:\\bin\\novel-gate.exe", "C:\\\\bin\\\\novel-gate.exe"], ["wait","#,
            ),
        ] {
            let wiring = wiring(Lang::En, program, None);
            let text = rule.fresh(&wiring);
            assert!(text.contains(begin) && !rule.allows_all(&text, &wiring), "{text}");
        }
    }
}
