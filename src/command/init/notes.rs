//! What `init` says at its end: what is wired, what is left to the author, and how to see that it works.

use super::client::{Content, Part};
use super::edit::{PROGRAM, Wiring};
use crate::cli::ClientName;
use crate::command::Session;
use crate::store::{Project, file};
use crate::text::{Lang, Sentence, say};
use std::fs::DirEntry;
use std::path::Path;

/// Where the executor's own skill may lie, beneath the project or the home directory.
const STEP_SKILLS: [&str; 4] = [
    ".claude/skills/cli-step/SKILL.md",
    ".agents/skills/cli-step/SKILL.md",
    ".codex/skills/cli-step/SKILL.md",
    "skills/cli-step/SKILL.md",
];

const STEP_SKILL: Sentence = say(
    "Found {0}: it asks a gate's questions itself. novel-gate's skill says that it goes first, for the questions alone.",
    "发现 {0}：它会自己提出门控的问题。novel-gate 的 skill 写明：提问以 novel-gate 为先，其余照旧。",
);
const NO_AGENT: Sentence = say(
    "Agents are held back only where the prompt names the step. To hold them by name too, install them: see docs/first-book.md.",
    "只有提示词写明了步骤，代理才会被拦住。要按名字也拦住，请安装代理：见 docs/first-book.zh-CN.md。",
);
const UNMATCHED: Sentence = say(
    "The matcher of novel-gate's hook in {0} does not name {1}: it holds nothing back there. Take that entry out, then run init --write again.",
    "{0} 中 novel-gate hook 的 matcher 没有写 {1}：这些它都拦不住。请移除该条目，再运行 init --write。",
);
const NOT_IN_PATH: Sentence = say(
    "PATH has no novel-gate: the clients would not find it. Put it there, or write its path, {0}, with init --absolute.",
    "PATH 中没有 novel-gate：客户端会找不到它。请把它放入 PATH，或用 init --absolute 写入它的路径 {0}。",
);
const TEST: Sentence = say(
    "See that it works: open {0} in one terminal, and have the executor run {0} wait --test. It asks a question there and waits for your answer.",
    "试一试：在一个终端中打开 {0}，再让执行器运行 {0} wait --test。它会在那里提一个问题，并等待你的回答。",
);

pub(super) fn all(
    session: &Session<'_>,
    project: &Project,
    parts: &[&Part],
    clients: &[ClientName],
    wiring: &Wiring,
    is_done: bool,
) -> Vec<String> {
    let (lang, environment) = (session.lang, &session.environment);
    let home = environment.home.as_deref().map(Path::new);
    let roots: Vec<&Path> = [Some(project.root()), home].into_iter().flatten().collect();
    let found = |path: &&&str| roots.iter().any(|root| root.join(path).is_file());
    let mut notes: Vec<String> =
        STEP_SKILLS.iter().find(found).map(|path| STEP_SKILL.fill(lang, &[path])).into_iter().collect();
    let unmatched: Vec<(&Part, (&str, String))> =
        parts.iter().filter_map(|part| Some((*part, part.unmatched(project, wiring)?))).collect();
    notes.extend(unmatched.iter().map(|(_, (path, tools))| UNMATCHED.fill(lang, &[path, tools])));
    if wiring.program == PROGRAM && file::find_program(PROGRAM, environment.path.as_deref()).is_none() {
        let path = wiring.own.first().map_or(PROGRAM, String::as_str);
        notes.push(NOT_IN_PATH.fill(lang, &[path]));
    }
    let is_partial = |part: &Part| unmatched.iter().any(|(other, _)| other.path == part.path);
    let wired: Vec<String> =
        clients.iter().filter_map(|&client| wired(client, parts, is_partial, lang)).collect();
    let sentence = if is_done {
        say("Wired: {0}.", "已接好：{0}。")
    } else {
        say("To be wired: {0}.", "将接好：{0}。")
    };
    notes.push(sentence.fill(lang, &[&wired.join(lang.comma())]));
    notes.extend(parts.iter().filter_map(|part| part.agreement()).map(|words| words.text(lang).to_owned()));
    let is_agent = |entry: DirEntry| entry.path().extension().is_some_and(|ending| ending == "md");
    let has_agent = |root: &&Path| {
        root.join(".claude/agents").read_dir().is_ok_and(|files| files.flatten().any(is_agent))
    };
    let guards = parts.iter().any(|part| part.path == ".claude/settings.json");
    notes.extend((guards && !roots.iter().any(has_agent)).then(|| NO_AGENT.text(lang).to_owned()));
    notes.extend(is_done.then(|| TEST.fill(lang, &[&wiring.line()])));
    notes
}

/// A client, and what it gets.
fn wired(
    client: ClientName,
    parts: &[&Part],
    is_partial: impl Fn(&Part) -> bool,
    lang: Lang,
) -> Option<String> {
    let own = parts.iter().filter(|part| part.clients.contains(&client));
    let names: Vec<&str> =
        own.filter_map(|part| part.name(is_partial(part))).map(|name| name.text(lang)).collect();
    let client = match client {
        ClientName::ClaudeCode => "Claude Code",
        ClientName::Codex => "Codex",
        ClientName::Gemini => "Gemini CLI",
        ClientName::Opencode => "opencode",
    };
    let sentence = say("{0} ({1})", "{0}（{1}）");
    (!names.is_empty()).then(|| sentence.fill(lang, &[client, &names.join(lang.comma())]))
}

impl Part {
    fn name(&self, is_partial: bool) -> Option<Sentence> {
        Some(match self.content {
            Content::Skill => say("skill", "skill"),
            Content::Hook if is_partial && self.clients == [ClientName::ClaudeCode] => {
                say("hook in part, permission", "部分 hook、权限")
            }
            Content::Hook if is_partial => say("hook in part", "部分 hook"),
            Content::Hook if self.clients == [ClientName::ClaudeCode] => {
                say("hook, permission", "hook、权限")
            }
            Content::Hook => say("hook", "hook"),
            Content::Rule => say("permission", "权限"),
            Content::Server | Content::Table => say("MCP server", "MCP 服务器"),
            Content::Former => return None,
        })
    }

    /// What the client's user must agree to before it reads the file.
    fn agreement(&self) -> Option<Sentence> {
        Some(match (self.content, self.clients) {
            (Content::Hook, [ClientName::ClaudeCode]) => say(
                "Claude Code asks at its start whether you trust the directory; until then it runs no hook of the project.",
                "Claude Code 启动时会问你是否信任该目录；在此之前不运行项目的 hook。",
            ),
            (Content::Server, [ClientName::ClaudeCode]) => say(
                "Claude Code asks at its next start whether to use the server of .mcp.json.",
                "Claude Code 下次启动时会询问是否使用 .mcp.json 中的服务器。",
            ),
            (Content::Hook, _) => say(
                "Codex reads .codex/ in a trusted project only, and skips a hook, in codex exec without a word, until you have \
                 trusted it: enter /hooks in Codex, now and whenever the entry changes.",
                "Codex 只在受信任的项目中读取 .codex/，而且在你信任某个 hook 之前会跳过它（codex exec 中一声不响）：请在 Codex 中输入 /hooks；该条目每次变化后都要再做一次。",
            ),
            (Content::Server, [ClientName::Gemini]) => say(
                "Gemini CLI uses a project's skills and servers in a trusted directory only.",
                "Gemini CLI 只在受信任的目录中使用项目的 skill 和服务器。",
            ),
            _ => return None,
        })
    }
}
