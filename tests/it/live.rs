//! The whole loop, live: the real `novel` asks, the console answers, the executor goes on.
//!
//! Everything here is the real thing: the npm package writes the packet, the program waits in the background, the keys
//! of an author reach the console through a terminal, and the package's own gate functions give the verdict. What
//! happened stands in `live-transcript.txt` beneath cargo's directory for tests.

mod chapters;
mod clients;
mod dialogs;
mod differential;
mod executor;
mod first_book;
mod hooked;
mod mcp;
mod npm;
mod packages;
mod standing;
mod three_chapters;
pub(crate) mod tool_types;
mod transcript;
mod trouble;
mod verdict;
mod waiting;

use std::fs;

use serde_json::{Value, json};

use self::executor::{Executor, executor};
use self::npm::say_aloud;
use self::transcript::Transcript;
use crate::kept;
use crate::sandbox::{Ran, Running, Sandbox, wait_until};
use crate::screen::Terminal;

const STEP: &str = "quickstart:world";
const SPEC: &str = "staging/novel-ask/platform.question.json";
const RECORD: &str = "staging/novel-ask/quickstart-world.answers.json";
/// What the step makes, as the packet says.
const OUTPUT: &str = "staging/quickstart/rules.json";
/// Own words for the third question, and free text for the fourth.
const TONE: &str = "冷峻克制，偶有黑色幽默";
const NOTE: &str = "　　每章三千字📚；雨停之前，别让他回头。";

/// One project with a gate of the executor's, and what has happened to it.
struct Live {
    book: Sandbox,
    executor: &'static Executor,
    /// The packet, relative to the root.
    packet: String,
    transcript: Transcript,
}

#[test]
fn the_executor_asks_the_console_answers_and_the_executor_goes_on() {
    let Some(executor) = executor() else { return };
    let mut live = Live::begin(executor, "live-transcript.txt");
    let waiting = live.wait();
    let mut console = live.open_console();
    live.answer(&console, waiting);
    live.executor_works(&console);
    let tampered = live.tamper(&console);
    live.redo_by_key(&console, &tampered);
    let waiting = live.wait();
    live.answer_again(&console, waiting);
    live.delete_the_record(&console);
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
    live.transcript.chapter("The console was left with F10: exit 0");
    say_aloud(&format!("\nlive test against novel-writer-cli 0.5.0: {}\n", live.transcript.path().display()));
}

/// The chip of the question that is shown; its words stand in the inbox too.
fn at_question(number: usize) -> &'static str {
    ["", "[1 ", "[2 ", "[3 ", "[4 "][number]
}

impl Live {
    /// A new project in which `novel` has just written a packet that asks something.
    fn begin(executor: &'static Executor, transcript: &str) -> Live {
        let book = Sandbox::new();
        let transcript = Transcript::begin(transcript, &[(&book.root(), "BOOK"), (&book.state(), "STATE")]);
        let mut live = Live { book, executor, packet: String::new(), transcript };
        live.transcript.chapter("The executor asks");
        live.novel(&["init"]);
        live.book.put(SPEC, executor.file("templates/novel-ask/example.question.json"));
        live.transcript.note(&format!("the package's own example.question.json is written to {SPEC}"));
        let said = live.write_packet();
        let said: Value = serde_json::from_str(&said.stdout).expect("novel prints JSON");
        said["data"]["written_manifest_path"].as_str().expect("a packet").clone_into(&mut live.packet);
        assert!(live.book.path(&live.packet).is_file(), "the packet {}", live.packet);
        let refused = live.verdict();
        assert_eq!(refused["verdict"], "refused");
        assert!(refused["message"].as_str().is_some_and(|words| words.contains("missing AnswerSpec record")));
        live.check(3);
        live
    }

    /// `novel` writes the packet that asks what stands in the file of questions.
    fn write_packet(&mut self) -> Ran {
        self.novel(&[
            "instructions",
            STEP,
            "--json",
            "--write-manifest",
            "--novel-ask-file",
            SPEC,
            "--answer-path",
            RECORD,
        ])
    }

    /// A `novel` command that must succeed.
    fn novel(&mut self, args: &[&str]) -> Ran {
        let ran = self.executor.novel(&self.book.root(), args);
        self.transcript.command(&format!("novel {}", args.join(" ")), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    }

    /// The verdict of the package's own gate functions.
    fn verdict(&mut self) -> Value {
        let verdict = self.executor.verdict(&self.book.root(), &self.book.path(&self.packet));
        self.transcript.note(&format!("novel-writer-cli's own gate functions: {verdict}"));
        verdict
    }

    /// `novel-gate check`, with the exit code it must end with.
    fn check(&mut self, code: i32) -> Value {
        let ran = self.book.run(["check", &self.packet, "--json"]);
        self.transcript.command(&format!("novel-gate check {} --json", self.packet), &ran);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        serde_json::from_str(&ran.stdout).expect("one JSON object")
    }

    /// Starts `novel-gate wait` as an executor does.
    fn wait(&mut self) -> Running {
        self.transcript.note(&format!("in the background: novel-gate wait {}", self.packet));
        Running::start(&mut self.book.command(["wait", &self.packet]))
    }

    /// `novel-gate wait` ends, with the record on its standard output.
    fn goes_on(&mut self, waiting: Running) -> Value {
        let ran = waiting.wait();
        self.transcript.command(&format!("novel-gate wait {}   (has ended)", self.packet), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let record: Value = serde_json::from_slice(&self.record()).expect("a record");
        assert_eq!(serde_json::from_str::<Value>(&ran.stdout).expect("the record"), record);
        record
    }

    /// The record's bytes.
    fn record(&self) -> Vec<u8> {
        self.book.read(RECORD).expect("a record")
    }

    /// The console on a terminal of 100 x 30, with the gate in its inbox.
    fn open_console(&mut self) -> Terminal {
        self.transcript.chapter("The author opens the console");
        let console = self.book.console(100, 30);
        console.wait_for_text("1 waiting");
        console.wait_for_text("answers go to");
        self.screen("the inbox", &console);
        console
    }

    fn screen(&mut self, what: &str, console: &Terminal) {
        self.transcript.screen(what, console);
    }

    /// Presses keys, one by one.
    fn press(&mut self, console: &Terminal, keys: &[&str]) {
        self.transcript.note(&format!("keys: {}", keys.join(" ")));
        for key in keys {
            console.press(key);
        }
    }

    /// The author answers four questions; `wait` ends with the record; the package accepts it.
    fn answer(&mut self, console: &Terminal, mut waiting: Running) {
        self.transcript.chapter("The author answers");
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(1));
        self.screen("question 1, one choice", console);
        self.press(console, &["down", "enter"]);
        console.wait_for_text(at_question(2));
        self.press(console, &["down", "space"]);
        console.wait_for_text("2 chosen");
        self.screen("question 2, several choices", console);
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(3));
        self.press(console, &["down", "down", "enter"]);
        console.wait_for_text("In your own words");
        self.transcript.note(&format!("typed: {TONE}"));
        console.send_keys(TONE);
        console.wait_for_text(TONE);
        self.screen("question 3, own words", console);
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(4));
        self.transcript.note(&format!("typed: {NOTE}"));
        console.send_keys(NOTE);
        console.wait_for_text("别让他回头");
        self.screen("question 4, free text", console);
        self.press(console, &["enter"]);
        console.wait_for_text("This will be written to");
        self.screen("the review", console);
        assert!(waiting.is_running(), "nothing is written before the author submits");
        assert_eq!(self.book.read(RECORD), None);
        self.press(console, &["ctrl+s"]);
        console.wait_for_text("Written and verified");
        self.screen("the receipt", console);
        let record = self.goes_on(waiting);
        let answers = json!({
            "platform": "fanqie",
            "genre_drive_type": ["plot", "character"],
            "tone": TONE,
            "project_note": NOTE,
        });
        assert_eq!(record["answers"], answers);
        assert_eq!(record["answered_by"], "human");
        self.accepted(&record);
    }

    /// Both sides call the gate open, and the package reads the very answers.
    fn accepted(&mut self, record: &Value) {
        let file = self.record();
        self.transcript.file(RECORD, &file);
        let verdict = self.verdict();
        assert_eq!(verdict["verdict"], "open");
        assert_eq!(verdict["answer"]["answers"], record["answers"]);
        assert_eq!(self.check(0)["status"], "open");
    }

    /// The executor makes what the step is to make; the receipt sees it.
    fn executor_works(&mut self, console: &Terminal) {
        self.transcript.chapter("The executor goes on");
        console.wait_for_text("Waiting for the executor");
        self.book.put(OUTPUT, "{\"schema_version\":1,\"rules\":[]}\n");
        self.transcript.note(&format!("the executor writes {OUTPUT}"));
        console.wait_for_text("The step's outputs are there");
        self.screen("the receipt", console);
    }

    /// Somebody spoils the record: both sides refuse, and the console says why, every reason.
    fn tamper(&mut self, console: &Terminal) -> Vec<u8> {
        self.transcript.chapter("The record is tampered with");
        let mut record: Value = serde_json::from_slice(&self.record()).expect("a record");
        record["answers"]["platform"] = json!("nowhere");
        record["answers"]["genre_drive_type"] = json!(["plot", "plot"]);
        record["answers"]["mood"] = json!("no such question");
        let tampered = serde_json::to_vec(&record).expect("JSON");
        self.book.put(RECORD, &tampered);
        self.transcript.file(RECORD, &tampered);
        console.wait_for_text("Somebody replaced the record");
        self.screen("the receipt", console);
        self.press(console, &["esc"]);
        console.wait_for_text("1 blocked");
        self.screen("the inbox", console);
        self.press(console, &["f4"]);
        console.wait_for_text("Details");
        let said = self.check(4);
        let problems = said["problems"].as_array().expect("problems");
        let pointers: Vec<&str> = problems.iter().filter_map(|problem| problem["pointer"].as_str()).collect();
        for pointer in ["/answers/platform", "/answers/genre_drive_type/1", "/answers/mood"] {
            assert!(pointers.contains(&pointer), "{pointer} in {pointers:?}");
            console.wait_for_text(pointer);
        }
        console.wait_for_text(&format!("{} problems", problems.len()));
        console.wait_for_text("nowhere");
        self.screen("what is wrong", console);
        assert_eq!(self.verdict()["verdict"], "refused");
        self.press(console, &["esc"]);
        console.wait_until("the inbox", |screen| !screen.contents().contains("Details"));
        tampered
    }

    /// F8 removes the record into history, Ctrl+U puts it back.
    fn redo_by_key(&mut self, console: &Terminal, tampered: &[u8]) {
        self.transcript.chapter("Redo by key");
        self.redo(console, tampered);
        self.press(console, &["ctrl+u"]);
        console.wait_for_text("byte for byte");
        console.wait_for_text("1 blocked");
        self.screen("undone", console);
        assert_eq!(self.record(), tampered);
        self.check(4);
        self.redo(console, tampered);
    }

    /// F8, the question, Enter: the gate waits again, and nothing is lost.
    fn redo(&mut self, console: &Terminal, tampered: &[u8]) {
        self.press(console, &["f8"]);
        console.wait_for_text(&format!("Take the answers of {STEP} back?"));
        self.screen("the question", console);
        assert_eq!(self.record(), tampered, "nothing happens before the author has said yes");
        self.press(console, &["enter"]);
        console.wait_for_text("the gate waits again");
        console.wait_for_text("1 waiting");
        self.screen("redone", console);
        assert_eq!(self.book.read(RECORD), None);
        self.check(3);
        self.assert_in_history(tampered);
    }

    /// The same gate is answered once more.
    fn answer_again(&mut self, console: &Terminal, waiting: Running) {
        self.transcript.chapter("The author answers again");
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(1));
        self.screen("question 1", console);
        self.press(console, &["1", "enter"]);
        console.wait_for_text(at_question(2));
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(3));
        self.press(console, &["tab"]);
        console.wait_for_text(at_question(4));
        self.press(console, &["enter"]);
        console.wait_for_text("This will be written to");
        self.screen("the review", console);
        self.press(console, &["ctrl+s"]);
        console.wait_for_text("Written and verified");
        let record = self.goes_on(waiting);
        assert_eq!(record["answers"]["platform"], "qidian");
        self.accepted(&record);
        self.press(console, &["esc"]);
        console.wait_for_text("1 answered");
        self.screen("the inbox", console);
    }

    /// Redo without any tool: the file is deleted, and the console sees it by itself.
    fn delete_the_record(&mut self, console: &Terminal) {
        self.transcript.chapter("Redo by deleting the file");
        let written = self.record();
        fs::remove_file(self.book.path(RECORD)).expect("deleted");
        self.transcript.note(&format!("rm {RECORD}"));
        console.wait_for_text("1 waiting");
        self.screen("the inbox, without a key pressed", console);
        self.check(3);
        self.assert_in_history(&written);
    }

    /// The exact bytes are kept in the state directory.
    fn assert_in_history(&mut self, bytes: &[u8]) {
        let is_kept = || kept::records(&self.book.state()).iter().any(|kept| kept == bytes);
        wait_until("the record's exact bytes are in history", is_kept);
        self.transcript.note("its exact bytes are kept in the history");
    }
}
