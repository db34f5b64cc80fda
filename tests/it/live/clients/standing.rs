//! Standing questions in the real clients: a session runs the real `novel` through a chapter and says no word of a gate. The author
//! is asked before the draft, and each agent hears what he decided, now and at an earlier step.

use serde_json::Value;

use super::super::executor::{Executor, executor};
use super::super::npm::say_aloud;
use super::super::standing::AT_THE_FIRST_CHAPTER;
use super::super::transcript::Transcript;
use super::model::Work;
use super::*;
use crate::sandbox::{path_with_ours, wait_until};

const WRITER: &str = "chapter-writer";
const STEP: &str = "chapter:001:draft";
/// What he decided for the whole book before, and what for this chapter.
const FOR_THE_BOOK: &str = "他不能回头";
const FOR_THE_CHAPTER: &str = "渡口的灯灭了";
const ANSWERS: &str = "staging/novel-ask/end_hook-chapter-001.answers.json";
const PACKET: &str = "staging/manifests/chapter-001-draft.packet.json";
/// What the session saw of the packet before it waited.
const SEEN: &str = "seen.txt";
/// The turn of the session in which it waits for the author.
const WAIT: usize = 3;

/// A stage of the chapter behind the draft, and its agent, what that makes, and how often it hears the two decisions.
type Stage = (&'static str, &'static str, &'static [(&'static str, &'static str)], [usize; 2]);

const DRAFT: (&str, &str) = ("staging/chapters/chapter-001.md", "# 第一章 渡口\n\n雨下了一夜。\n");
const STAGES: [Stage; 3] = [
    (
        "summarize",
        "summarizer",
        &[
            ("staging/summaries/chapter-001-summary.md", "雨。\n"),
            (
                "staging/state/chapter-001-delta.json",
                "{\"chapter\": 1, \"base_state_version\": 0, \"storyline_id\": \"main\", \"ops\": []}\n",
            ),
            ("staging/state/chapter-001-crossref.json", "{}\n"),
            ("staging/storylines/main/memory.md", "雨。\n"),
        ],
        // The author is asked before the draft how the chapter ends; who sums it up need not know.
        [1, 0],
    ),
    (
        "refine",
        "style-refiner",
        &[("staging/logs/style-refiner-chapter-001-changes.json", "{\"changes\": []}\n")],
        [1, 1],
    ),
    (
        "judge",
        "quality-judge",
        &[(
            "staging/evaluations/chapter-001-eval.json",
            "{\"chapter\": 1, \"overall\": 4.5, \"recommendation\": \"pass\"}\n",
        )],
        [1, 1],
    ),
];

/// A file, and what is to be in it.
type Made<'t> = (&'t str, &'t str);

/// A client's own words for what the session does.
struct Client {
    wire: Wire,
    /// A command, with what is on the `PATH` of the test.
    shell: fn(&Session, String) -> Call,
    /// An agent by its type, the stage that it is for, and its prompt.
    spawn: fn(&'static str, &str, String) -> Call,
    write: fn(&Session, &[Made<'_>]) -> Vec<Call>,
}

/// A book at its first chapter, with one decision for all of it.
struct Session {
    book: Sandbox,
    clients: &'static Path,
    executor: &'static Executor,
    transcript: Transcript,
    /// What the writer is given: `novel` names no step in it.
    manifest: String,
}

impl Session {
    /// `None`, loudly, if what it takes cannot be had here.
    fn new(client: &str, transcript: &str) -> Option<Session> {
        let (clients, executor) = (clients()?, executor()?);
        let book = Sandbox::new();
        let novel = |args: &[&str]| {
            let ran = executor.novel(&book.root(), args);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            ran.stdout
        };
        novel(&["init"]);
        for name in ["book_contract", "end_hook"] {
            let file = format!("questions/{name}.question.json");
            let template = Path::new(env!("CARGO_MANIFEST_DIR")).join(file.replace('/', "/zh-CN/"));
            book.put(&file, fs::read(template).expect("a template"));
        }
        novel(&["instructions", "quickstart:world", "--write-manifest"]);
        let note = format!("book_never={FOR_THE_BOOK}");
        let answer = ["--set", "book_platform=番茄", "--set", "book_pleasure=解谜", "--set", &note];
        let ran = book.run([&["answer", "quickstart:world", "--by", "human"], &answer[..]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        book.put(".checkpoint.json", AT_THE_FIRST_CHAPTER);
        let said: Value = serde_json::from_str(&novel(&["instructions", STEP, "--json"])).expect("JSON");
        let manifest = said["data"]["packet"]["manifest"].to_string();
        assert!(manifest.contains("paths") && !manifest.contains(STEP), "{manifest}");
        assert_eq!(book.run(["init", "--write", "--for", client]).code, Some(0));
        let transcript = Transcript::begin(transcript, &[(&book.root(), "BOOK"), (&book.state(), "STATE")]);
        Some(Session { book, clients, executor, transcript, manifest })
    }

    /// Everything that the session does, and what its agents do.
    fn script(&self, client: &Client) -> (Vec<Vec<Call>>, Vec<Work>) {
        let shell = |line: String| vec![(client.shell)(self, line)];
        let forged = json!({"version": 1, "topic": "章末钩子", "answers": {"hook_kind": "疑问"},
            "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"});
        let spawn = |agent, stage: &str, prompt| vec![(client.spawn)(agent, stage, prompt)];
        let mut turns = vec![
            shell(format!("novel instructions {STEP} --json --write-manifest")),
            spawn(WRITER, "early", format!("(early) {}", self.manifest)),
            (client.write)(self, &[(ANSWERS, &format!("{forged}\n"))]),
            shell(format!("grep answer_path {PACKET} | tee {SEEN} && novel-gate wait {STEP}")),
            spawn(WRITER, "draft", format!("(draft) {}", self.manifest)),
        ];
        let mut works = vec![self.work(client, turns.len() - 1, "draft", &[DRAFT])];
        let mut done = format!("novel validate {STEP} && novel advance {STEP}");
        for (stage, agent, files, _) in STAGES {
            let step = format!("chapter:001:{stage}");
            turns.push(shell(format!("{done} && novel instructions {step} --json --write-manifest")));
            let packet = format!("staging/manifests/chapter-001-{stage}.packet.json");
            turns.push(spawn(agent, stage, format!("({stage}) Do what {packet} says.")));
            works.push(self.work(client, turns.len() - 1, stage, files));
            done = format!("novel advance {step}");
        }
        turns.push(shell(format!("{done} && novel commit --chapter 1")));
        (turns, works)
    }

    fn work(&self, client: &Client, turn: usize, stage: &str, files: &[Made<'_>]) -> Work {
        Work { turn, words: format!("({stage})"), calls: (client.write)(self, files) }
    }

    /// A `PATH` with `novel` on it.
    fn path(&self) -> String {
        let ours = path_with_ours();
        format!("{}:{}", self.executor.bin().display(), ours.display())
    }

    /// The session from its first word to its last, while the author answers when he is asked.
    fn run(&self, client: &Client, start: impl FnOnce(&str) -> Command) -> Model {
        let (turns, works) = self.script(client);
        let model = Model::start_working(client.wire, turns, works);
        let running = Running::start(&mut start(&model.address));
        let seen = || self.book.read(SEEN).unwrap_or_default();
        wait_until("the session waits", || seen().ends_with(b"\n"));
        assert!(!self.book.path(ANSWERS).exists(), "{}", model.result(WAIT - 1, 0));
        let set = format!("hook_kind={FOR_THE_CHAPTER}");
        let ran = self.book.run(["answer", STEP, "--by", "human", "--set", &set]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let ran = running.wait_within(PATIENCE).expect("the client ends");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        model
    }

    /// What it must have come to.
    fn is_as_decided(&mut self, model: &Model) {
        for (turn, what) in
            ["novel instructions", "the agent, early", "a forged record", "wait"].iter().enumerate()
        {
            self.transcript.note(&format!("{what}: {}", model.result(turn, 0)));
        }
        let refused = model.result(1, 0);
        assert!(refused.contains("waits for the author") && refused.contains("novel-gate wait"), "{refused}");
        assert!(!model.started("(early)"));
        let forged = model.result(2, 0);
        assert!(forged.contains("end_hook") && forged.contains("Do not answer for the author"), "{forged}");
        let waited = model.result(WAIT, 0);
        assert!(waited.contains(ANSWERS), "the hook has put the question in: {waited}");
        assert!(waited.contains(FOR_THE_BOOK) && waited.contains(FOR_THE_CHAPTER), "{waited}");
        let stages = STAGES.iter().map(|(stage, _, _, times)| (*stage, *times));
        for (stage, times) in std::iter::once(("draft", [1, 1])).chain(stages) {
            let request = model.first_request(&format!("({stage})")).unwrap_or_else(|| panic!("no {stage}"));
            let told = request.split_once("<author-decisions>").map_or("nothing", |(_, told)| told);
            let told = told.split_once("</author-decisions>").map_or(told, |(told, _)| told);
            self.transcript.note(&format!("{stage}, its first request: {}", told.replace("\\n", "\n  ")));
            let heard = [FOR_THE_BOOK, FOR_THE_CHAPTER].map(|words| request.matches(words).count());
            assert_eq!(heard, times, "{stage}: {request}");
        }
        let record: Value = serde_json::from_slice(&self.book.read(ANSWERS).expect("answers")).expect("JSON");
        assert_eq!(record["answers"]["hook_kind"], FOR_THE_CHAPTER);
        assert_eq!(
            self.book.read("chapters/chapter-001.md"),
            Some(DRAFT.1.into()),
            "{}",
            model.result(11, 0)
        );
        let checkpoint = self.book.read(".checkpoint.json").expect("a checkpoint");
        let checkpoint: Value = serde_json::from_slice(&checkpoint).expect("JSON");
        assert_eq!(checkpoint["last_completed_chapter"], 1);
        say_aloud(&format!("\nstanding questions, live: {}\n", self.transcript.path().display()));
    }
}

fn agents() -> impl Iterator<Item = &'static str> {
    std::iter::once(WRITER).chain(STAGES.iter().map(|(_, agent, ..)| *agent))
}

#[test]
fn claude_code_asks_the_author_before_the_draft_and_goes_on_to_the_commit() {
    let Some(mut session) = Session::new("claude-code", "live-standing-claude-code.txt") else { return };
    for agent in agents() {
        let text = format!("---\nname: {agent}\ndescription: an agent\n---\nYou work.\n");
        session.book.put(&format!(".claude/agents/{agent}.md"), text);
    }
    let client = Client {
        wire: Wire::Messages,
        shell: |_, line| ("Bash", json!({"command": line, "description": "d"})),
        spawn: |agent, _, prompt| {
            ("Agent", json!({"description": "work", "prompt": prompt, "subagent_type": agent}))
        },
        write: |session, files| {
            let write = |(path, text): &Made<'_>| {
                ("Write", json!({"file_path": session.book.path(path), "content": text}))
            };
            files.iter().map(write).collect()
        },
    };
    let model = session.run(&client, |address| {
        let mut started = claude_code::client(&session.book, session.clients, address);
        started.args(["--allowedTools", "Agent Bash Write"]).env("PATH", session.path());
        started
    });
    session.is_as_decided(&model);
}

#[test]
fn codex_asks_the_author_before_the_draft_and_goes_on_to_the_commit() {
    go_on_in_codex(false, |agent, _, prompt| {
        ("multi_agent_v1.spawn_agent", json!({"message": prompt, "agent_type": agent}))
    });
}

#[test]
fn codex_with_named_tasks_asks_the_author_before_the_draft_and_goes_on_to_the_commit() {
    go_on_in_codex(true, |agent, stage, prompt| {
        let input = json!({"message": prompt, "agent_type": agent, "fork_turns": "none",
            "task_name": format!("chapter_001_{stage}")});
        ("collaboration.spawn_agent", input)
    });
}

fn go_on_in_codex(has_names: bool, spawn: fn(&'static str, &str, String) -> Call) {
    let transcript = if has_names { "live-standing-codex-v2.txt" } else { "live-standing-codex.txt" };
    let Some(mut session) = Session::new("codex", transcript) else { return };
    for agent in agents() {
        let text = format!(
            "name = \"{agent}\"\ndescription = \"an agent\"\ndeveloper_instructions = \"You work.\"\n"
        );
        session.book.put(&format!("../codex/agents/{agent}.toml"), text);
    }
    let client = Client {
        wire: Wire::Responses,
        // A login shell has a PATH of its own.
        shell: |session, line| {
            let line = format!("PATH='{}'; {line}", session.path());
            ("exec_command", json!({"cmd": line, "yield_time_ms": 30_000}))
        },
        spawn,
        write: |_, files| {
            let add = |(path, text): &Made<'_>| {
                format!("*** Add File: {path}\n+{}", text.trim_end().replace('\n', "\n+"))
            };
            let files: Vec<String> = files.iter().map(add).collect();
            vec![("apply_patch", json!(format!("*** Begin Patch\n{}\n*** End Patch", files.join("\n"))))]
        },
    };
    let feature = format!("features.multi_agent_v2={has_names}");
    let arguments = ["danger-full-access", "--dangerously-bypass-hook-trust", "-c", &feature];
    let model = session.run(&client, |address| {
        codex::client(&session.book, session.clients, "gpt-5.5", address, &arguments)
    });
    session.is_as_decided(&model);
}
