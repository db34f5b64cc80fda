//! `docs/first-book.md` and its Chinese twin, from an empty folder on: their commands run in order, and what they show is seen.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::clients::model::{Model, Wire};
use super::clients::{PATIENCE, claude_code, clients};
use super::executor::executor;
use super::npm::{say_aloud, skip};
use super::transcript::Transcript;
use crate::docs::{blocks, read, shows};
use crate::sandbox::{Running, Sandbox, path_with_ours, wait_until};
use crate::screen::Terminal;

/// The agent of the page's step, and what the page has as the way to wait for its gate.
const AGENT: &str = "world-builder";
const WAIT: &str = "novel-gate wait quickstart:world";

/// A reader who does what the page says.
struct Reader {
    home: Sandbox,
    lang: &'static str,
    note: &'static str,
    /// Where the shell stands.
    dir: PathBuf,
    /// What the last commands said.
    said: String,
    console: Option<Terminal>,
    transcript: Transcript,
}

#[test]
fn who_follows_the_page_comes_to_an_answer() {
    if executor().is_none() {
        return;
    }
    let pages = [
        ("docs/first-book.md", "C.UTF-8", "It must rain."),
        ("docs/first-book.zh-CN.md", "zh_CN.UTF-8", "雨要一直下。"),
    ];
    for (page, lang, note) in pages {
        let mut reader = Reader::new(lang, note, &format!("{}.txt", page.replace('/', "-")));
        if !reader.follow(&blocks(&read(page))) {
            return;
        }
        say_aloud(&format!("\n{page}: {}\n", reader.transcript.path().display()));
    }
}

#[test]
fn claude_code_wired_as_the_page_says_waits_for_the_answer() {
    let (Some(clients), Some(_)) = (clients(), executor()) else { return };
    let mut reader = Reader::new("C.UTF-8", "It must rain.", "first-book-claude-code.txt");
    let mut page = blocks(&read("docs/first-book.md"));
    let undo = page.iter().position(|(_, text)| text.contains("--undo")).expect("the way back");
    page.truncate(undo);
    if !reader.follow(&page) {
        return;
    }
    let agent =
        |prompt: &str| ("Agent", json!({"description": "work", "prompt": prompt, "subagent_type": AGENT}));
    let wait = ("Bash", json!({"command": WAIT, "description": "waits for the author"}));
    let model = Model::start(Wire::Messages, vec![vec![agent("At once.")], vec![wait], vec![agent("Now.")]]);
    let mut client = claude_code::client(&reader.home, clients, &model.address);
    client.args(["--allowedTools", "Agent Bash"]).current_dir(&reader.dir).env("PATH", reader.path());
    let client = Running::start(&mut client);
    wait_until("the agent is refused", || !model.result(0, 0).is_empty());
    reader.transcript.note(&format!("Claude Code, Agent {AGENT}: {}", model.result(0, 0)));
    assert!(model.result(0, 0).contains("waits for the author"), "{}", model.result(0, 0));
    reader.transcript.note(&format!("Claude Code, Bash {WAIT}"));
    reader.answer();
    let ran = client.wait_within(PATIENCE).expect("Claude Code ends");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(model.result(1, 0).contains("the ferry"), "{}", model.result(1, 0));
    reader.transcript.note(&format!("reads: {}", model.result(1, 0)));
    assert!(model.started("Now.") && !model.started("At once."));
    reader.transcript.note(&format!("Claude Code, Agent {AGENT}: {}", model.result(2, 0)));
}

impl Reader {
    fn new(lang: &'static str, note: &'static str, transcript: &str) -> Reader {
        let home = Sandbox::new();
        let transcript = Transcript::begin(transcript, &[(&home.root(), "FOLDER")]);
        let dir = home.root();
        Reader { home, lang, note, dir, said: String::new(), console: None, transcript }
    }

    /// Does what each block says, or sees what it shows; whether npm had the package.
    fn follow(&mut self, page: &[(String, String)]) -> bool {
        for (info, text) in page {
            match info.as_str() {
                "sh" if !self.run(text) => return false,
                "text" => assert!(
                    shows(&self.said, text),
                    "the page has\n{text}\nand this was said:\n{}",
                    self.said
                ),
                "text screen" => self.look(text),
                _ => {}
            }
        }
        true
    }

    /// Runs the commands of a block, as one who types them would; whether npm had the package.
    fn run(&mut self, text: &str) -> bool {
        let mut shell = self.home.system("sh");
        let here = self.home.path("../here");
        shell.args(["-ec", &format!("{text}\npwd > '{}'", here.display())]).current_dir(&self.dir);
        let ran = Running::start(self.at_home(&mut shell)).wait_within(PATIENCE).expect("they end");
        self.transcript.command(&text.replace('\n', "\n$ "), &ran);
        if text.contains("npm install") && ran.code != Some(0) {
            skip("the walk through docs/first-book.md", &ran.stderr);
            return false;
        }
        assert_eq!(ran.code, Some(0), "{text}\n{ran:?}");
        self.dir = std::fs::read_to_string(here).expect("a directory").trim().into();
        self.said = ran.stdout + &ran.stderr;
        true
    }

    /// With npm's packages of this reader alone, but with what npm has loaded before.
    fn at_home<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let cache = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".npm"));
        command.envs(cache.map(|cache| ("npm_config_cache", cache)));
        command.env("npm_config_prefer_offline", "true").env("npm_config_prefix", self.home.path("../npm"));
        command.env("LANG", self.lang).env("PATH", self.path())
    }

    fn path(&self) -> String {
        format!("{}:{}", self.home.path("../npm/bin").display(), path_with_ours().display())
    }

    /// Opens the console, or answers in it if it is open; sees what the page shows.
    fn look(&mut self, text: &str) {
        match self.console {
            None => {
                let line = format!("cd {} && LANG={} exec novel-gate", self.dir.display(), self.lang);
                self.console = Some(self.home.system_on_terminal(&["sh", "-c", &line], 80, 24));
            }
            Some(_) => self.answer(),
        }
        let console = self.console.as_ref().expect("a console");
        console.wait_until(text, |screen| shows(&screen.contents(), text));
        self.transcript.screen("the console", console);
    }

    /// Answers the gate with the second option and the note, by the keys of the page.
    fn answer(&mut self) {
        let console = self.console.as_ref().expect("a console");
        if !console.screen_text().contains('▸') {
            console.press("enter");
        }
        console.wait_for_text("▸ ●");
        console.press("enter");
        console.wait_for_text("[1 ");
        console.press("down");
        console.press("enter");
        console.wait_for_text("[2 ");
        console.send_keys(self.note);
        console.wait_for_text(self.note);
        console.press("enter");
        console.wait_for_text("\"answered_at\"");
        console.press("ctrl+s");
    }
}
