//! The table of what wires which client, and the words and entries that go in.

use super::edit::{Action, Edit, Refused, shell_word};
use super::json_part::JsonPart;
use super::section::MARKDOWN;
use super::table;
use crate::cli::SkillName;
use crate::command::skill;
use crate::text::{Lang, Message, Sentence, say};
use serde_json::{Value, json};

/// One file that wires a client.
#[derive(Debug)]
pub(super) struct Part {
    pub client: SkillName,
    pub path: &'static str,
    /// Whether it is about the MCP server.
    pub mcp: bool,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A skill: a file of ours.
    Skill,
    /// The same instructions as a part of the project's own.
    Instructions,
    Json(JsonPart),
    /// A table in TOML.
    Table,
}

/// The project's instructions for any agent.
pub(super) const AGENTS: &str = "AGENTS.md";
/// Instructions that `AGENTS.md` may be one file with.
pub(super) const OTHER_INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"];

pub(super) const PARTS: [Part; 10] = {
    use SkillName::{ClaudeCode, Codex, Gemini, Opencode};
    const fn skill(client: SkillName, path: &'static str) -> Part {
        Part { client, path, mcp: false, content: Content::Skill }
    }
    const fn hook(
        client: SkillName,
        path: &'static str,
        words: &'static str,
        value: fn(&str, Lang) -> Value,
    ) -> Part {
        Part { client, path, mcp: false, content: Content::Json(JsonPart::hook(words, value)) }
    }
    const fn server(client: SkillName, path: &'static str, part: JsonPart) -> Part {
        Part { client, path, mcp: true, content: Content::Json(part) }
    }
    [
        skill(ClaudeCode, ".claude/skills/novel-gate/SKILL.md"),
        hook(ClaudeCode, ".claude/settings.json", "hook claude-code", |program, lang| {
            hook_entry(ClaudeCode, program, lang)
        }),
        server(
            ClaudeCode,
            ".mcp.json",
            JsonPart::server(
                &["mcpServers"],
                None,
                |program, _| json!({"command": program, "args": ["mcp"]}),
            ),
        ),
        Part { client: Codex, path: AGENTS, mcp: false, content: Content::Instructions },
        hook(Codex, ".codex/hooks.json", "hook codex", |program, lang| hook_entry(Codex, program, lang)),
        Part { client: Codex, path: ".codex/config.toml", mcp: true, content: Content::Table },
        skill(Gemini, ".gemini/skills/novel-gate/SKILL.md"),
        server(
            Gemini,
            ".gemini/settings.json",
            JsonPart::server(&["mcpServers"], None, |program, _| {
                // Its tools answer nothing by themselves; without trust each call is asked about, and refused where nobody is there.
                json!({"command": program, "args": ["mcp"], "timeout": TIMEOUT * 1000, "trust": true})
            }),
        ),
        skill(Opencode, ".opencode/skills/novel-gate/SKILL.md"),
        server(
            Opencode,
            "opencode.json",
            // opencode writes the schema's address into a file that lacks it.
            JsonPart::server(
                &["mcp"],
                Some("https://opencode.ai/config.json"),
                |program, _| json!({"type": "local", "command": [program, "mcp"], "enabled": true}),
            ),
        ),
    ]
};

/// How long an author may take, in seconds: a day.
const TIMEOUT: u64 = 86_400;
/// The tools that Claude Code's hook is asked about. With a sign of a regular expression in it, it is one, and unanchored.
pub(super) const CLAUDE_CODE_TOOLS: &str = "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|MultiEdit|NotebookEdit|mcp__.+__AskUserQuestion)$";
/// Codex's; a tool of a namespace has the namespace's name in front of its own.
pub(super) const CODEX_TOOLS: &str = "spawn_agent$|^request_user_input$|^apply_patch$";
/// What the client shows while the hook waits.
const STATUS: Sentence =
    say("novel-gate (questions wait in its console)", "novel-gate（提问在它的控制台中等待回答）");

fn hook_entry(client: SkillName, program: &str, lang: Lang) -> Value {
    let tools = if client == SkillName::Codex { CODEX_TOOLS } else { CLAUDE_CODE_TOOLS };
    let hook = json!({
        "type": "command",
        "command": format!("{} hook {}", shell_word(program), client.name()),
        "timeout": TIMEOUT,
        "statusMessage": STATUS.text(lang),
    });
    json!({"matcher": tools, "hooks": [hook]})
}

/// What goes in: in which language, and how the program is called.
pub(super) struct Wiring {
    pub lang: Lang,
    pub program: String,
}

pub(super) const NOT_IN_PATH: Sentence = say(
    "PATH has no novel-gate: the clients would not find it. Put it there, or write its path, {0}, with init --absolute.",
    "PATH 中没有 novel-gate：客户端会找不到它。请把它放入 PATH，或用 init --absolute 写入它的路径 {0}。",
);

impl Part {
    /// What the client's user must agree to before it reads the file.
    pub(super) fn trust(&self) -> Option<Sentence> {
        Some(match (self.client, self.mcp, &self.content) {
            (SkillName::ClaudeCode, true, _) => say(
                "Claude Code asks at its next start whether to use the server of .mcp.json.",
                "Claude Code 下次启动时会询问是否使用 .mcp.json 中的服务器。",
            ),
            (SkillName::ClaudeCode, _, Content::Json(_)) => say(
                "Claude Code runs a project's hooks when you have trusted the directory, which it asks at its start.",
                "Claude Code 在你信任该目录之后才运行项目的钩子；启动时会询问。",
            ),
            (SkillName::Codex, _, Content::Json(_)) => say(
                "Codex reads .codex/ in a trusted project only, and skips a hook, in codex exec without a word, until you have \
                 trusted it: enter /hooks in Codex, now and whenever the entry changes.",
                "Codex 只在受信任的项目中读取 .codex/，而且在你信任某个钩子之前会跳过它（codex exec 中一声不响）：请在 Codex 中输入 /hooks；该条目每次变化后都要再做一次。",
            ),
            (SkillName::Gemini, true, _) => say(
                "Gemini CLI uses a project's servers in a trusted directory only.",
                "Gemini CLI 只在受信任的目录中使用项目的服务器。",
            ),
            _ => return None,
        })
    }

    /// Puts the part into a file.
    pub(super) fn wire(&self, old: Option<&[u8]>, wiring: &Wiring) -> Result<Option<Edit>, Refused> {
        let fresh = self.fresh(wiring);
        let Some(bytes) = old else { return Ok(Some(Edit::created(fresh))) };
        let refused = |why: Message| (why, fresh.clone());
        let text = str::from_utf8(bytes).map_err(|_| refused(not_utf8()))?;
        match &self.content {
            Content::Skill if MARKDOWN.find(text) == Ok(None) => Err(refused(not_ours())),
            Content::Skill | Content::Instructions => {
                MARKDOWN.insert(text, &self.section(wiring)).map_err(refused)
            }
            Content::Json(part) => part.insert(text, &wiring.program, wiring.lang).map_err(refused),
            Content::Table => table::insert(text, &fresh).map_err(refused),
        }
    }

    /// Takes out of a file what [`Part::wire`] puts in.
    pub(super) fn unwire(&self, old: Option<&[u8]>) -> Result<Option<Edit>, Refused> {
        let Some(bytes) = old else { return Ok(None) };
        let refused = |why: Message| (why, String::new());
        let Ok(text) = str::from_utf8(bytes) else {
            let names_us = bytes.windows(b"novel-gate".len()).any(|window| window == b"novel-gate");
            return if names_us { Err(refused(not_utf8())) } else { Ok(None) };
        };
        match &self.content {
            Content::Skill => MARKDOWN.remove(text).map_err(refused).map(|edit| edit.map(without_front)),
            Content::Instructions => MARKDOWN.remove(text).map_err(refused),
            Content::Json(part) => part.remove(text).map_err(refused),
            Content::Table => table::remove(text).map_err(refused),
        }
    }

    /// The whole file, where there is none.
    fn fresh(&self, wiring: &Wiring) -> String {
        match &self.content {
            Content::Skill => front(wiring.lang) + &self.section(wiring),
            Content::Instructions => self.section(wiring),
            Content::Json(part) => part.fresh(&wiring.program, wiring.lang),
            Content::Table => table::fresh(&wiring.program, TIMEOUT),
        }
    }

    fn section(&self, wiring: &Wiring) -> String {
        let words = skill::text(self.client, wiring.lang);
        MARKDOWN.around(&words.replace("`novel-gate ", &format!("`{} ", shell_word(&wiring.program))))
    }
}

/// What a skill begins with.
fn front(lang: Lang) -> String {
    let about = say(
        "Ask the author the questions of a gate (a packet with novel_ask) and wait for the record. Use it before running \
         any step whose packet has novel_ask.",
        "就门控（带 novel_ask 的指令包）向作者提问并等待记录。凡指令包带有 novel_ask，运行其步骤之前使用。",
    );
    format!("---\nname: novel-gate\ndescription: {}\n---\n\n", about.text(lang))
}

/// A skill that has nothing left but its beginning goes.
fn without_front(edit: Edit) -> Edit {
    let is_left = [Lang::En, Lang::ZhCn].iter().any(|&lang| edit.whole.trim() == front(lang).trim());
    if is_left { Edit { action: Action::Delete, ..edit } } else { edit }
}

fn not_utf8() -> Message {
    say("It is not UTF-8.", "它不是 UTF-8。").into()
}

fn not_ours() -> Message {
    say(
        "It is not novel-gate's: it has no line <!-- novel-gate begin -->.",
        "它不是 novel-gate 的文件：其中没有 <!-- novel-gate begin --> 一行。",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::HookName;
    use crate::command::hook;
    use crate::command::init::edit::{PROGRAM, unquoted};

    const LANGS: [Lang; 2] = [Lang::En, Lang::ZhCn];

    fn wiring(lang: Lang) -> Wiring {
        Wiring { lang, program: PROGRAM.to_owned() }
    }

    #[test]
    fn every_new_file_is_wired_and_goes_again() {
        for (part, lang) in PARTS.iter().flat_map(|part| LANGS.map(|lang| (part, lang))) {
            let fresh = part.fresh(&wiring(lang));
            assert!(matches!(part.wire(None, &wiring(lang)), Ok(Some(Edit { action: Action::Create, .. }))));
            assert_eq!(part.wire(Some(fresh.as_bytes()), &wiring(lang)), Ok(None), "{}", part.path);
            let gone = part.unwire(Some(fresh.as_bytes())).expect("told").expect("there");
            assert_eq!(gone.action, Action::Delete, "{}", part.path);
            assert_eq!(part.unwire(None), Ok(None));
            assert_eq!(part.unwire(Some(b"{}")), Ok(None), "{}", part.path);
            assert_eq!(part.unwire(Some(b"\xff")), Ok(None), "{}", part.path);
            assert!(part.unwire(Some(b"\xff novel-gate")).is_err(), "{}", part.path);
            assert!(part.wire(Some(b"\xff"), &wiring(lang)).is_err(), "{}", part.path);
        }
    }

    #[test]
    fn no_file_belongs_to_two_clients() {
        let mut paths: Vec<&str> = PARTS.iter().map(|part| part.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), PARTS.len());
    }

    #[test]
    fn the_hooks_fire_for_the_tools_they_are_for() {
        let fires =
            |matcher: &str, tool: &str| regex_lite::Regex::new(matcher).expect("a pattern").is_match(tool);
        for (whose, tool, _) in hook::TOOLS {
            let matcher = if whose == HookName::Codex { CODEX_TOOLS } else { CLAUDE_CODE_TOOLS };
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
        ] {
            assert!(!fires(CLAUDE_CODE_TOOLS, tool), "{tool}");
        }
        // Letters, digits, `_ - | ,` and blanks alone would be a list of exact names.
        assert!(CLAUDE_CODE_TOOLS.contains('.') && CODEX_TOOLS.contains('$'));
        assert!(fires(CODEX_TOOLS, "collaborationspawn_agent"));
        assert!(["shell", "spawn_agents", "my_apply_patch"].iter().all(|tool| !fires(CODEX_TOOLS, tool)));
    }

    #[test]
    fn a_program_with_a_path_is_named_everywhere() {
        let program = "/opt/o'brien/novel-gate";
        assert_eq!(unquoted(&shell_word(program)), program);
        for (part, lang) in PARTS.iter().flat_map(|part| LANGS.map(|lang| (part, lang))) {
            let fresh = part.fresh(&Wiring { lang, program: program.to_owned() });
            assert!(fresh.contains("brien/novel-gate"), "{}: {fresh}", part.path);
            let named = ["`novel-gate ", "\"novel-gate hook", "\"novel-gate\","];
            assert!(named.iter().all(|name| !fresh.contains(name)), "{fresh}");
            let gone = part.unwire(Some(fresh.as_bytes())).expect("told").expect("there");
            assert_eq!(gone.action, Action::Delete, "{}", part.path);
        }
    }
}
