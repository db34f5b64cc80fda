//! The table of what wires which client, and the words that go in.

use super::section::{MARKDOWN, TOML};
use super::{Action, Content, Edit, PROGRAM, Part, Wiring};
use crate::ask::to_line;
use crate::cli::SkillName;
use crate::command::hook::shell_word;
use crate::command::skill;
use crate::text::{Lang, Message, Sentence, say};

pub(super) const PARTS: [Part; 10] = {
    use Content::{Hook, Instructions, Server, Skill, Table};
    use SkillName::{ClaudeCode, Codex, Gemini, Opencode};
    const fn part(client: SkillName, path: &'static str, content: Content) -> Part {
        Part { client, path, content }
    }
    [
        part(ClaudeCode, ".claude/skills/novel-gate/SKILL.md", Skill),
        part(ClaudeCode, ".claude/settings.json", Hook),
        part(ClaudeCode, ".mcp.json", Server),
        part(Codex, "AGENTS.md", Instructions),
        part(Codex, ".codex/hooks.json", Hook),
        part(Codex, ".codex/config.toml", Table),
        part(Gemini, ".gemini/skills/novel-gate/SKILL.md", Skill),
        part(Gemini, ".gemini/settings.json", Server),
        part(Opencode, ".opencode/skills/novel-gate/SKILL.md", Skill),
        part(Opencode, "opencode.json", Server),
    ]
};

/// How long an author may take, in seconds: a day.
pub(super) const TIMEOUT: u64 = 86_400;

pub(super) const NOT_IN_PATH: Sentence = say(
    "PATH has no novel-gate: the clients would not find it. Put it there, or write its path, {0}, with init --absolute.",
    "PATH 中没有 novel-gate：客户端会找不到它。请把它放入 PATH，或用 init --absolute 写入它的路径 {0}。",
);

impl Part {
    pub(super) fn is_server(&self) -> bool {
        matches!(self.content, Content::Server | Content::Table)
    }

    /// What the client's user must agree to before it reads the file.
    pub(super) fn trust(&self) -> Option<Sentence> {
        Some(match (self.client, self.content) {
            (SkillName::ClaudeCode, Content::Server) => say(
                "Claude Code asks at its next start whether to use the server of .mcp.json.",
                "Claude Code 下次启动时会询问是否使用 .mcp.json 中的服务器。",
            ),
            (SkillName::ClaudeCode, Content::Hook) => say(
                "Claude Code runs a project's hooks when you have trusted the directory, which it asks at its start.",
                "Claude Code 在你信任该目录之后才运行项目的钩子；启动时会询问。",
            ),
            (SkillName::Codex, Content::Hook) => say(
                "Codex reads .codex/ in a trusted project only, and skips a hook, in codex exec without a word, until you have \
                 trusted it: enter /hooks in Codex, now and whenever the entry changes.",
                "Codex 只在受信任的项目中读取 .codex/，而且在你信任某个钩子之前会跳过它（codex exec 中一声不响）：请在 Codex 中输入 /hooks；该条目每次变化后都要再做一次。",
            ),
            (SkillName::Gemini, Content::Server) => say(
                "Gemini CLI uses a project's servers in a trusted directory only.",
                "Gemini CLI 只在受信任的目录中使用项目的服务器。",
            ),
            _ => return None,
        })
    }

    /// Puts the part into a file.
    pub(super) fn wire(&self, old: Option<&[u8]>, wiring: &Wiring) -> Result<Option<Edit>, Message> {
        let fresh = self.fresh(wiring);
        let Some(bytes) = old else {
            let (action, whole) = (Action::Create, fresh.clone());
            return Ok(Some(Edit { action, whole, text: fresh, line: None }));
        };
        let text = str::from_utf8(bytes).map_err(|_| not_utf8())?;
        match self.content {
            Content::Skill if MARKDOWN.find(text) == Ok(None) => Err(say(
                "It is not novel-gate's: it has no line <!-- novel-gate begin -->.",
                "它不是 novel-gate 的文件：其中没有 <!-- novel-gate begin --> 一行。",
            )
            .into()),
            Content::Skill | Content::Instructions => MARKDOWN.insert(text, &self.section(wiring)),
            Content::Hook | Content::Server => self.insert_entry(text, wiring),
            Content::Table => TOML.insert_table(text, &fresh),
        }
    }

    /// Takes out of a file what [`Part::wire`] puts in.
    pub(super) fn unwire(&self, old: Option<&[u8]>) -> Result<Option<Edit>, Message> {
        let Some(bytes) = old else { return Ok(None) };
        let Ok(text) = str::from_utf8(bytes) else {
            let names_us = bytes.windows(PROGRAM.len()).any(|window| window == PROGRAM.as_bytes());
            return if names_us { Err(not_utf8()) } else { Ok(None) };
        };
        match self.content {
            Content::Skill => Ok(MARKDOWN.remove(text)?.map(without_front)),
            Content::Instructions => MARKDOWN.remove(text),
            Content::Hook | Content::Server => self.remove_entry(text),
            Content::Table => TOML.remove_table(text),
        }
    }

    /// The whole file, where there is none.
    pub(super) fn fresh(&self, wiring: &Wiring) -> String {
        match self.content {
            Content::Skill => front(wiring.lang) + &self.section(wiring),
            Content::Instructions => self.section(wiring),
            Content::Hook | Content::Server => self.entry_file(&wiring.program, wiring.lang),
            // A text of JSON is one of TOML.
            Content::Table => TOML.around(&format!(
                "[mcp_servers.{PROGRAM}]\ncommand = {}\nargs = [\"mcp\"]\ntool_timeout_sec = {TIMEOUT}",
                to_line(&wiring.program)
            )),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::HookName;
    use crate::command::hook;
    use crate::command::init::PROGRAM;
    use crate::command::init::json_part::{CLAUDE_CODE_TOOLS, CODEX_TOOLS, unquoted};

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
