//! `novel-gate wait` as the executor runs it, live: whoever answers, by whatever way, lets it go on, and never early.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::executor::executor;
use super::{Live, RECORD, at_question};
use crate::sandbox::wait_until;

/// Writes a record as plainly as code can, in two pieces: the second when it is told to.
const IN_TWO_PIECES: &str = "
const fs = require('fs');
const [path, text] = process.argv.slice(1);
const file = fs.openSync(path, 'w');
fs.writeSync(file, text.slice(0, text.length / 2));
process.stdin.once('data', () => {
  fs.writeSync(file, text.slice(text.length / 2));
  fs.closeSync(file);
  process.exit(0);
});
";

#[test]
fn a_waiting_executor_goes_on_whoever_answers() {
    let Some(executor) = executor() else { return };
    let mut live = Live::begin(executor, "live-waiting-transcript.txt");
    live.console_submits();
    live.answer_writes();
    live.executor_writes_in_two_pieces();
}

impl Live {
    fn console_submits(&mut self) {
        self.transcript.chapter("The console submits");
        let mut waiting = self.wait();
        let mut console = self.open_console();
        self.press(&console, &["enter"]);
        console.wait_for_text(at_question(1));
        self.press(&console, &["1", "tab"]);
        console.wait_for_text(at_question(2));
        self.press(&console, &["tab"]);
        console.wait_for_text(at_question(3));
        self.press(&console, &["tab"]);
        console.wait_for_text(at_question(4));
        self.press(&console, &["tab"]);
        console.wait_for_text("This will be written to");
        assert!(waiting.is_running(), "nothing is written before the author submits");
        self.press(&console, &["ctrl+s"]);
        console.wait_for_text("Written and verified");
        let record = self.goes_on(waiting);
        assert_eq!(record["answered_by"], "human");
        self.accepted(&record);
        console.press("f10");
        assert_eq!(console.wait_exit().code, Some(0));
        self.take_back();
    }

    fn answer_writes(&mut self) {
        self.transcript.chapter("`answer` writes");
        let waiting = self.wait();
        let packet = self.packet.clone();
        let ran =
            self.book.run(["answer", &packet, "--defaults", "--set", "platform=qidian", "--by", "codex"]);
        self.transcript.command(&format!("novel-gate answer {packet} --defaults …"), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let record = self.goes_on(waiting);
        assert_eq!(
            (&record["answers"]["platform"], &record["answered_by"]),
            (&"qidian".into(), &"codex".into())
        );
        self.accepted(&record);
        self.take_back();
    }

    /// Half of a record lies there for a while: neither side takes it for an answer, and `wait` sleeps on.
    fn executor_writes_in_two_pieces(&mut self) {
        self.transcript.chapter("The executor's own code writes, in two pieces");
        let mut waiting = self.wait();
        let record = json!({"version": 1, "topic": "init.platform_binding",
                            "answers": {"platform": "fanqie", "genre_drive_type": ["plot"], "tone": "light"},
                            "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "claude-code"});
        let mut node = Command::new("node");
        node.args(["-e", IN_TWO_PIECES]).arg(self.book.path(RECORD)).arg(record.to_string());
        let mut node = node.stdin(Stdio::piped()).spawn().expect("node");
        wait_until("half of the record", || self.book.read(RECORD).is_some_and(|half| !half.is_empty()));
        self.transcript.file(RECORD, &self.record());
        self.check(4);
        assert_eq!(self.verdict()["verdict"], "refused");
        assert!(waiting.is_running(), "half a record releases nobody");
        node.stdin.take().expect("a pipe").write_all(b"go\n").expect("told");
        assert!(node.wait().expect("node ends").success());
        let written = self.goes_on(waiting);
        assert_eq!(written, record);
        self.accepted(&written);
        let listed = self.book.run(["list", "--json"]);
        let listed: Value = serde_json::from_str(&listed.stdout).expect("JSON");
        assert_eq!(listed["gates"][0]["answered_by"], "claude-code");
    }

    /// The gate waits again.
    fn take_back(&mut self) {
        let packet = self.packet.clone();
        let ran = self.book.run(["redo", &packet]);
        self.transcript.command(&format!("novel-gate redo {packet}"), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        self.check(3);
    }
}
