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
        ("docs/first-book.md", "C.UTF-8", "No dragons."),
        ("docs/first-book.zh-CN.md", "zh_CN.UTF-8", "不写穿越。"),
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
    let mut reader = Reader::new("C.UTF-8", "No dragons.", "first-book-claude-code.txt");
    let mut page = blocks(&read("docs/first-book.md"));
    let wired = page.iter().position(|(_, text)| text.contains("--novel-ask-file")).expect("another gate");
    page.truncate(wired);
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
    assert!(model.result(1, 0).contains("Fanqie"), "{}", model.result(1, 0));
    reader.transcript.note(&format!("reads: {}", model.result(1, 0)));
    assert!(!model.started("At once."));
    let told = model.first_request("Now.").expect("the agent starts");
    assert!(told.contains("> Answer: Fanqie"), "{told}");
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
                "text inbox" => self.look(text),
                "text receipt" => {
                    self.answer();
                    self.look(text);
                }
                _ => {}
            }
        }
        true
    }

    /// Runs the commands of a block, as one who types them would; whether npm had the package.
    fn run(&mut self, text: &str) -> bool {
        let console = text.strip_suffix("\nnovel-gate");
        let text = console.unwrap_or(text);
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
        if console.is_some() {
            self.open_console();
        }
        true
    }

    /// Runs `novel-gate` in a terminal that stays open.
    fn open_console(&mut self) {
        let line = format!("cd {} && LANG={} exec novel-gate", self.dir.display(), self.lang);
        self.console = Some(self.home.system_on_terminal(&["sh", "-c", &line], 80, 24));
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

    /// Sees in the console what the page shows.
    fn look(&mut self, text: &str) {
        let console = self.console.as_ref().expect("a console");
        console.wait_until(text, |screen| shows(&screen.contents(), text));
        self.transcript.screen("the console", console);
    }

    /// Answers the question as the page says: the second platform, the first and the third of what the book promises, the note.
    fn answer(&self) {
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
        for key in ["space", "down", "down", "space", "enter"] {
            console.press(key);
        }
        console.wait_for_text("[3 ");
        console.send_keys(self.note);
        console.wait_for_text(self.note);
        console.press("enter");
        console.wait_for_text("Ctrl+S ]");
        console.press("ctrl+s");
    }
}
