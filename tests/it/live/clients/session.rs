//! A session of a real client in a book that the real `novel` has begun: a client's own words for what the session does.

use super::super::executor::{Executor, executor};
use super::super::npm::say_aloud;
use super::super::transcript::Transcript;
use super::model::Work;
use super::*;
use crate::sandbox::{Ran, path_with_ours};
use serde_json::Value;

/// A file, and what is to be in it.
pub(super) type Made<'t> = (&'t str, &'t str);

/// A client's own words.
pub(super) struct Client {
    pub(super) name: &'static str,
    pub(super) wire: Wire,
    /// A command, with what is on the `PATH` of the test.
    pub(super) shell: fn(&Desk, String) -> Call,
    /// An agent by its type, the stage that it is for, and its prompt.
    pub(super) spawn: fn(&'static str, &str, String) -> Call,
    pub(super) write: fn(&Desk, &[Made<'_>]) -> Vec<Call>,
    /// Makes an agent of the project.
    define: fn(&Desk, &str),
    start: fn(&Desk, &str) -> Command,
}

/// A book, and what runs in it.
pub(super) struct Desk {
    pub(super) book: Sandbox,
    pub(super) clients: &'static Path,
    executor: &'static Executor,
}

impl Desk {
    /// A new book that asks these standing questions, of the project's templates in Chinese; `None`, loudly, if what
    /// it takes cannot be had here.
    pub(super) fn new(questions: &[&str]) -> Option<Desk> {
        Desk::with(clients()?, questions)
    }

    /// The same, with these clients.
    pub(super) fn with(clients: &'static Path, questions: &[&str]) -> Option<Desk> {
        let desk = Desk { book: Sandbox::new(), clients, executor: executor()? };
        desk.novel(&["init"]);
        for name in questions {
            let file = format!("questions/{name}.question.json");
            let template = Path::new(env!("CARGO_MANIFEST_DIR")).join(file.replace('/', "/zh-CN/"));
            desk.book.put(&file, fs::read(template).expect("a template"));
        }
        Some(desk)
    }

    /// What a `novel` command says, which must succeed.
    pub(super) fn novel(&self, args: &[&str]) -> String {
        let ran = self.executor.novel(&self.book.root(), args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    }

    /// What the reference's own gate functions say about a packet.
    pub(super) fn verdict(&self, packet: &str) -> String {
        let verdict = self.executor.verdict(&self.book.root(), &self.book.path(packet));
        verdict["verdict"].as_str().expect("a verdict").to_owned()
    }

    /// Wires a client, with these agents.
    pub(super) fn wire(&self, client: &Client, agents: &[&str]) {
        assert_eq!(self.book.run(["init", "--write", "--for", client.name]).code, Some(0));
        for agent in agents {
            (client.define)(self, agent);
        }
    }

    pub(super) fn start(&self, client: &Client, model: &Model) -> Running {
        Running::start(&mut (client.start)(self, &model.address))
    }

    /// What an agent makes whose prompt begins with this mark; it starts in this turn.
    pub(super) fn work(&self, client: &Client, turn: usize, mark: &str, files: &[Made<'_>]) -> Work {
        Work { turn, words: format!("({mark})"), calls: (client.write)(self, files) }
    }

    /// Answers a step as the author.
    pub(super) fn answer(&self, step: &str, what: &[&str]) -> Ran {
        let ran = self.book.run([&["answer", step, "--by", "human"], what].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    }

    /// Of the checkpoint.
    pub(super) fn last_completed_chapter(&self) -> Value {
        let checkpoint = self.book.read(".checkpoint.json").expect("a checkpoint");
        serde_json::from_slice::<Value>(&checkpoint).expect("JSON")["last_completed_chapter"].clone()
    }

    pub(super) fn transcript(&self, name: &str) -> Transcript {
        Transcript::begin(name, &[(&self.book.root(), "BOOK"), (&self.book.state(), "STATE")])
    }

    /// A `PATH` with `novel` on it.
    pub(super) fn path(&self) -> String {
        format!("{}:{}", self.executor.bin().display(), path_with_ours().display())
    }
}

/// Waits for a client that is to end well.
pub(super) fn ends(running: Running) {
    let ran = running.wait_within(PATIENCE).expect("the client ends");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// Says where to read what came of it.
pub(super) fn say_where(what: &str, transcript: &Transcript) {
    say_aloud(&format!("\n{what}, live: {}\n", transcript.path().display()));
}

pub(super) const CLAUDE_CODE: Client = Client {
    name: "claude-code",
    wire: Wire::Messages,
    shell: |_, line| ("Bash", json!({"command": line, "description": "d"})),
    spawn: |agent, _, prompt| {
        ("Agent", json!({"description": "work", "prompt": prompt, "subagent_type": agent}))
    },
    write: |desk, files| {
        let write =
            |(path, text): &Made<'_>| ("Write", json!({"file_path": desk.book.path(path), "content": text}));
        files.iter().map(write).collect()
    },
    define: |desk, agent| {
        let text = format!("---\nname: {agent}\ndescription: an agent\n---\nYou work.\n");
        desk.book.put(&format!(".claude/agents/{agent}.md"), text);
    },
    start: |desk, address| {
        let mut started = claude_code::client(&desk.book, desk.clients, address);
        started.args(["--allowedTools", "Agent Bash Write"]).env("PATH", desk.path());
        started
    },
};

/// With tasks that have no names.
pub(super) const CODEX: Client = Client {
    name: "codex",
    wire: Wire::Responses,
    // A login shell has a PATH of its own.
    shell: |desk, line| {
        let line = format!("PATH='{}'; {line}", desk.path());
        ("exec_command", json!({"cmd": line, "yield_time_ms": 30_000}))
    },
    spawn: |agent, _, prompt| ("multi_agent_v1.spawn_agent", json!({"message": prompt, "agent_type": agent})),
    write: |_, files| {
        let add = |(path, text): &Made<'_>| {
            format!("*** Add File: {path}\n+{}", text.trim_end().replace('\n', "\n+"))
        };
        let files: Vec<String> = files.iter().map(add).collect();
        vec![("apply_patch", json!(format!("*** Begin Patch\n{}\n*** End Patch", files.join("\n"))))]
    },
    define: |desk, agent| {
        let text = format!(
            "name = \"{agent}\"\ndescription = \"an agent\"\ndeveloper_instructions = \"You work.\"\n"
        );
        desk.book.put(&format!("../codex/agents/{agent}.toml"), text);
    },
    start: |desk, address| start_codex(desk, address, false),
};

pub(super) const CODEX_WITH_NAMED_TASKS: Client = Client {
    spawn: |agent, stage, prompt| {
        let input = json!({"message": prompt, "agent_type": agent, "fork_turns": "none",
            "task_name": format!("chapter_001_{stage}")});
        ("collaboration.spawn_agent", input)
    },
    start: |desk, address| start_codex(desk, address, true),
    ..CODEX
};

fn start_codex(desk: &Desk, address: &str, has_names: bool) -> Command {
    let feature = format!("features.multi_agent_v2={has_names}");
    let arguments = ["danger-full-access", "--dangerously-bypass-hook-trust", "-c", &feature];
    codex::client(&desk.book, desk.clients, "gpt-5.5", address, &arguments)
}
