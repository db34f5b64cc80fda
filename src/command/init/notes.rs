//! What `init` says at its end: what is wired, what is left to the author, and how to see that it works.

use super::edit::{PROGRAM, Wiring};
use super::health::{self, Places};
use crate::cli::ClientName;
use crate::command::Session;
use crate::environment::is_passing;
use crate::store::contact;
use crate::store::questions::Questions;
use crate::store::shelf::Shelf;
use crate::store::{Project, file};
use crate::text::{Sentence, say};
use std::path::Path;

const HINDERED: Sentence = say("{0} is not connected. {1}", "{0} 没有接通。{1}");

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
    "No agent is in .claude/agents yet: one is held back only if its prompt names a step that waits. novel-writer-cli has them as texts: copy its agents/*.md there, and let each begin with a head of name and description.",
    "项目的 .claude/agents 中还没有代理：只有提示词写明了在等待的步骤，代理才会被拦住。novel-writer-cli 中有它们的正文：把其中的 agents/*.md 复制到那里，并在每个文件开头写上 name 和 description。",
);
const NOT_IN_PATH: Sentence = say(
    "PATH has no novel-gate: the clients would not find it. Put it there, or write its path, {0}, with init --absolute.",
    "PATH 中没有 novel-gate：客户端会找不到它。请把它放入 PATH，或用 init --absolute 写入它的路径 {0}。",
);
const IN_CACHE: Sentence = say(
    "{0} lies in a cache that npx or its like empties when it pleases: no client would find it for long. Run npm install -g novel-gate, then novel-gate init --write.",
    "{0} 位于 npx 一类工具随时会清空的缓存中，客户端不久就会找不到它。请先运行 npm install -g novel-gate，再运行 novel-gate init --write。",
);
const TEST: Sentence = say(
    "To see that it works: open {0} in a second terminal, and have the executor run {0} wait --test. Its question comes up there.",
    "试一试：在另一个终端中打开 {0}，再让执行器运行 {0} wait --test。它的问题会出现在那里。",
);

const QUESTIONS: Sentence = say(
    "To be asked before the steps of your book: {0} questions set light. It asks what the book promises, and its viewpoint, once.",
    "想在写书的步骤之前先由自己决定：{0} questions set light。它只问一次全书的约定和叙事视角。",
);

/// The notes, and whether something stands in the way of what is written.
pub(super) fn all(
    session: &Session<'_>,
    project: &Project,
    clients: &[ClientName],
    mcp: bool,
    wiring: &Wiring,
    is_done: bool,
) -> (Vec<String>, bool) {
    let (lang, environment) = (session.lang, &session.environment);
    let home = environment.home.as_deref().map(Path::new);
    let roots: Vec<&Path> = [Some(project.root()), home].into_iter().flatten().collect();
    let found = |path: &&&str| roots.iter().any(|root| root.join(path).is_file());
    let mut notes: Vec<String> =
        STEP_SKILLS.iter().find(found).map(|path| STEP_SKILL.fill(lang, &[path])).into_iter().collect();
    let is_absent = match wiring.program.as_str() {
        PROGRAM => file::find_program(PROGRAM, environment.path.as_deref()).is_none(),
        path => is_passing(Path::new(path)),
    };
    if is_absent {
        let path = wiring.own.first().map_or(PROGRAM, String::as_str);
        let sentence = if is_passing(Path::new(path)) { IN_CACHE } else { NOT_IN_PATH };
        notes.push(sentence.fill(lang, &[path]));
    }
    let sentence = if is_done {
        say("Wired: {0}.", "已接好：{0}。")
    } else {
        say("To be wired: {0}.", "将接好：{0}。")
    };
    let places = Places::of(session, project);
    let (mut titles, mut hindered): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for &client in clients {
        let found = health::of(client, &places, lang).obstacles;
        let texts: Vec<String> = found.iter().filter(|it| it.defeats()).map(|it| it.text(lang)).collect();
        if texts.is_empty() && !is_absent {
            titles.push(title(client));
        }
        hindered.extend(texts.iter().map(|text| HINDERED.fill(lang, &[title(client), text])));
    }
    notes.extend((!titles.is_empty()).then(|| sentence.fill(lang, &[&titles.join(lang.comma())])));
    let is_hindered = !hindered.is_empty();
    notes.append(&mut hindered);
    let agreements = clients.iter().filter_map(|&client| agreement(client, mcp));
    notes.extend(agreements.map(|words| words.text(lang).to_owned()));
    let mut agents = Shelf::default();
    let around: Vec<(&Path, bool)> = roots.iter().map(|&root| (root, Some(root) == home)).collect();
    agents.gather(&around, ".claude/agents", 0, "md");
    let guards = clients.contains(&ClientName::ClaudeCode);
    notes.extend((guards && agents.files.is_empty()).then(|| NO_AGENT.text(lang).to_owned()));
    let offers = is_done && Questions::read(project).is_empty();
    notes.extend(offers.then(|| QUESTIONS.fill(lang, &[PROGRAM])));
    notes.extend(is_done.then(|| TEST.fill(lang, &[&wiring.line()])));
    (notes, is_hindered)
}

pub(in crate::command) fn title(client: ClientName) -> &'static str {
    let name: &str = client.into();
    contact::CLIENTS.iter().find(|(known, _)| *known == name).map_or(name, |(_, title)| title)
}

/// What a client's user must agree to before it reads the files.
fn agreement(client: ClientName, mcp: bool) -> Option<Sentence> {
    Some(match client {
        ClientName::ClaudeCode if mcp => say(
            "Claude Code: when it starts, trust the directory and agree to the server of .mcp.json. Until then it uses neither hook nor server.",
            "Claude Code：启动时请信任该目录，并同意使用 .mcp.json 中的服务器。在此之前它既不运行 hook，也不用服务器。",
        ),
        ClientName::ClaudeCode => say(
            "Claude Code: when it starts, trust the directory. Until then it runs no hook of the project.",
            "Claude Code：启动时请信任该目录。在此之前它不运行项目的 hook。",
        ),
        ClientName::Codex => say(
            "Codex: trust the project, then enter /hooks and trust the hook. Until then, and whenever it changes, Codex skips it without a word.",
            "Codex：请信任该项目，再输入 /hooks 信任这个 hook。在此之前，以及它每次变化之后，Codex 会一声不响地跳过它。",
        ),
        ClientName::Gemini => say(
            "Gemini CLI: trust the directory. Until then it uses no skill and no server of the project.",
            "Gemini CLI：请信任该目录。在此之前它不用项目的 skill 和服务器。",
        ),
        ClientName::Opencode => return None,
    })
}
