//! What goes wrong between an author and an executor, live: the packet changes under the author's hands, the executor
//! answers first, a record is tampered with and repaired.

use std::process::Command;

use serde_json::{Value, json};

use super::executor::executor;
use super::{Live, RECORD, SPEC, at_question};
use crate::sandbox::Running;
use crate::screen::Terminal;

#[test]
fn a_changed_packet_a_record_of_the_executors_and_a_tampered_one_lose_nothing() {
    let Some(executor) = executor() else { return };
    let mut live = Live::begin(executor, "live-trouble-transcript.txt");
    let mut console = live.open_console();
    live.packet_changes_while_answering(&console);
    live.executor_answers_first(&console);
    live.repair(&console);
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

impl Live {
    /// `novel` writes the packet again with other options; what still fits is kept, and the answers go to the new questions.
    fn packet_changes_while_answering(&mut self, console: &Terminal) {
        self.transcript.chapter("The packet changes while it is answered");
        let waiting = self.wait();
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(1));
        self.press(console, &["2", "tab"]);
        console.wait_for_text(at_question(2));
        let text = String::from_utf8(self.book.read(SPEC).expect("the questions")).expect("UTF-8");
        let mut spec: Value = serde_json::from_str(&text).expect("JSON");
        spec["questions"][0]["options"][2] = json!({"label": "zhihu", "description": "Zhihu / 知乎盐选"});
        spec["questions"][1]["question"] = json!("Which drives carry this volume?");
        self.book.put(SPEC, spec.to_string());
        self.write_packet();
        console.wait_for_text("The questions changed in");
        console.wait_for_text("Which drives carry this volume?");
        self.screen("the question as it is asked now", console);
        self.press(console, &["f3"]);
        console.wait_for_text("zhihu");
        console.wait_for_text("jinjiang");
        self.screen("what has changed", console);
        self.press(console, &["esc"]);
        console.wait_for_text(at_question(2));
        self.press(console, &["tab", "tab", "tab"]);
        console.wait_for_text("This will be written to");
        console.wait_for_text("fanqie");
        self.screen("the review", console);
        assert_eq!(self.book.read(RECORD), None);
        self.press(console, &["ctrl+s"]);
        console.wait_for_text("Written and verified");
        let record = self.goes_on(waiting);
        assert_eq!(record["answers"]["platform"], "fanqie");
        self.accepted(&record);
        self.press(console, &["esc"]);
        console.wait_for_text("1 answered");
    }

    /// The executor's code writes a record, by a plain `writeFile`, while the author answers: it is never replaced.
    fn executor_answers_first(&mut self, console: &Terminal) {
        self.transcript.chapter("The executor answers first");
        let packet = self.packet.clone();
        let ran = self.book.run(["redo", &packet]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        console.wait_for_text("1 waiting");
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(1));
        self.press(console, &["1"]);
        let record = json!({"version": 1, "topic": "init.platform_binding",
                            "answers": {"platform": "zhihu", "genre_drive_type": ["character"]},
                            "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "codex"});
        let mut node = Command::new("node");
        node.args(["-e", "require('fs').writeFile(process.argv[1], process.argv[2], () => {})"]);
        let ran = Running::start(node.arg(self.book.path(RECORD)).arg(record.to_string())).wait();
        self.transcript.command("node: fs.writeFile(RECORD, …)", &ran);
        let written = self.record();
        console.wait_for_text("codex");
        self.screen("answered elsewhere", console);
        self.press(console, &["ctrl+s", "ctrl+s"]);
        assert_eq!(self.check(0)["status"], "open");
        assert_eq!(self.record(), written);
        assert_eq!(self.verdict()["answer"]["answers"], record["answers"]);
        console.wait_for_text("Mine instead of theirs");
        // Back to the question that the review was opened from.
        self.press(console, &["esc"]);
        console.wait_for_text(at_question(1));
        self.press(console, &["esc"]);
        console.wait_for_text("1 answered");
        self.screen("the inbox", console);
    }

    /// Somebody spoils the record; Enter, the missing pick, and Ctrl+S make a good one; the package accepts it.
    fn repair(&mut self, console: &Terminal) {
        self.transcript.chapter("A tampered record is repaired");
        let good = String::from_utf8(self.record()).expect("UTF-8");
        let tampered = good
            .replace("\"zhihu\"", "\"zhihuu\"")
            .replace("[\"character\"]", "[\"character\",\"character\"]");
        self.book.put(RECORD, &tampered);
        self.transcript.file(RECORD, tampered.as_bytes());
        assert_eq!(self.verdict()["verdict"], "refused");
        console.wait_for_text("1 blocked");
        let waiting = self.wait();
        self.press(console, &["enter"]);
        console.wait_for_text(at_question(1));
        console.wait_for_text("zhihuu");
        self.screen("the repair form", console);
        self.press(console, &["3", "tab", "tab", "tab", "tab"]);
        console.wait_for_text("This replaces the bad record");
        console.wait_for_text("in the bad record: character");
        self.screen("the review", console);
        assert_eq!(self.record(), tampered.as_bytes(), "nothing is replaced before the author submits");
        self.press(console, &["ctrl+s"]);
        console.wait_for_text("Written and verified");
        let record = self.goes_on(waiting);
        // What was still good in the record stays; a default that nobody has touched does not stand above it.
        let answers = json!({"platform": "zhihu", "genre_drive_type": ["character"]});
        assert_eq!(record["answers"], answers);
        self.accepted(&record);
        self.assert_in_history(tampered.as_bytes());
    }
}
