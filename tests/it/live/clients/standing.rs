//! Standing questions in the real clients: a session runs the real `novel` through a chapter and says no word of a gate. The author
//! is asked before the draft, and each agent hears what he decided, now and at an earlier step.

use serde_json::Value;

use super::super::standing::AT_THE_FIRST_CHAPTER;
use super::super::transcript::Transcript;
use super::model::Work;
use super::session::{CLAUDE_CODE, CODEX, CODEX_WITH_NAMED_TASKS, Client, Desk, ends, say_where};
use super::*;
use crate::sandbox::wait_until;

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

/// A book at its first chapter, with one decision for all of it.
struct Session {
    desk: Desk,
    transcript: Transcript,
    /// What the writer is given: `novel` names no step in it.
    manifest: String,
}

impl Session {
    /// `None`, loudly, if what it takes cannot be had here.
    fn new(client: &Client, transcript: &str) -> Option<Session> {
        let desk = Desk::new(&["book_contract", "end_hook"])?;
        let book = &desk.book;
        desk.novel(&["instructions", "quickstart:world", "--write-manifest"]);
        let note = format!("book_never={FOR_THE_BOOK}");
        let answer = ["--set", "book_platform=番茄", "--set", "book_pleasure=解谜", "--set", &note];
        desk.answer("quickstart:world", &answer);
        book.put(".checkpoint.json", AT_THE_FIRST_CHAPTER);
        let said: Value = serde_json::from_str(&desk.novel(&["instructions", STEP, "--json"])).expect("JSON");
        let manifest = said["data"]["packet"]["manifest"].to_string();
        assert!(manifest.contains("paths") && !manifest.contains(STEP), "{manifest}");
        let agents: Vec<&str> =
            std::iter::once(WRITER).chain(STAGES.iter().map(|(_, agent, ..)| *agent)).collect();
        desk.wire(client, &agents);
        let transcript = desk.transcript(transcript);
        Some(Session { desk, transcript, manifest })
    }

    /// Everything that the session does, and what its agents do.
    fn script(&self, client: &Client) -> (Vec<Vec<Call>>, Vec<Work>) {
        let shell = |line: String| vec![(client.shell)(&self.desk, line)];
        let forged = json!({"version": 1, "topic": "章末钩子", "answers": {"hook_kind": "疑问"},
            "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"});
        let spawn = |agent, stage: &str, prompt| vec![(client.spawn)(agent, stage, prompt)];
        let mut turns = vec![
            shell(format!("novel instructions {STEP} --json --write-manifest")),
            spawn(WRITER, "early", format!("(early) {}", self.manifest)),
            (client.write)(&self.desk, &[(ANSWERS, &format!("{forged}\n"))]),
            shell(format!("grep answer_path {PACKET} | tee {SEEN} && novel-gate wait {STEP}")),
            spawn(WRITER, "draft", format!("(draft) {}", self.manifest)),
        ];
        let mut works = vec![self.desk.work(client, turns.len() - 1, "draft", &[DRAFT])];
        let mut done = format!("novel validate {STEP} && novel advance {STEP}");
        for (stage, agent, files, _) in STAGES {
            let step = format!("chapter:001:{stage}");
            turns.push(shell(format!("{done} && novel instructions {step} --json --write-manifest")));
            let packet = format!("staging/manifests/chapter-001-{stage}.packet.json");
            turns.push(spawn(agent, stage, format!("({stage}) Do what {packet} says.")));
            works.push(self.desk.work(client, turns.len() - 1, stage, files));
            done = format!("novel advance {step}");
        }
        turns.push(shell(format!("{done} && novel commit --chapter 1")));
        (turns, works)
    }

    /// The session from its first word to its last, while the author answers when he is asked.
    fn run(&self, client: &Client) -> Model {
        let (turns, works) = self.script(client);
        let model = Model::start_working(client.wire, turns, works);
        let running = self.desk.start(client, &model);
        let seen = || self.desk.book.read(SEEN).unwrap_or_default();
        wait_until("the session waits", || seen().ends_with(b"\n"));
        assert!(!self.desk.book.path(ANSWERS).exists(), "{}", model.result(WAIT - 1, 0));
        let set = format!("hook_kind={FOR_THE_CHAPTER}");
        self.desk.answer(STEP, &["--set", &set]);
        ends(running);
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
        let record: Value =
            serde_json::from_slice(&self.desk.book.read(ANSWERS).expect("answers")).expect("JSON");
        assert_eq!(record["answers"]["hook_kind"], FOR_THE_CHAPTER);
        assert_eq!(
            self.desk.book.read("chapters/chapter-001.md"),
            Some(DRAFT.1.into()),
            "{}",
            model.result(11, 0)
        );
        assert_eq!(self.desk.last_completed_chapter(), 1);
        say_where("standing questions", &self.transcript);
    }
}

#[test]
fn claude_code_asks_the_author_before_the_draft_and_goes_on_to_the_commit() {
    go_on(&CLAUDE_CODE, "live-standing-claude-code.txt");
}

#[test]
fn codex_asks_the_author_before_the_draft_and_goes_on_to_the_commit() {
    go_on(&CODEX, "live-standing-codex.txt");
}

#[test]
fn codex_with_named_tasks_asks_the_author_before_the_draft_and_goes_on_to_the_commit() {
    go_on(&CODEX_WITH_NAMED_TASKS, "live-standing-codex-v2.txt");
}

fn go_on(client: &Client, transcript: &str) {
    let Some(mut session) = Session::new(client, transcript) else { return };
    let model = session.run(client);
    session.is_as_decided(&model);
}
