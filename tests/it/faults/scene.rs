//! One command that changes files, tried over and over on the same project.

use crate::sandbox::{Ran, Sandbox};
use novel_gate::store::history::{self, Search};
use novel_gate::store::{Project, StateDir};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) const RECORD: &str = "staging/novel-ask/a.answers.json";
pub(super) const PACKET: &str = "staging/manifests/a.packet.json";
const REPLIES: &str = "r.jsonl";
/// What the executor replies to the call of `next`.
const TEXT: &str = r#"{"answers": {"note": "mine"}}"#;
const AT: &str = "2026-02-27T10:12:34.000Z";

/// A command with what is there before it.
#[derive(Clone, Copy)]
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// Makes what is there before; the command's arguments.
    pub(super) prepare: fn(&Sandbox) -> Vec<String>,
}

pub(super) const SCENES: [Scene; 8] = [
    Scene { name: "answer", prepare: |book| ask(book, "answer a --set note=mine --by human") },
    Scene {
        name: "replace",
        prepare: |book| standing(book, "answer a --set note=mine --by human --replace"),
    },
    Scene { name: "redo", prepare: |book| standing(book, "redo a") },
    Scene { name: "undo", prepare: |book| taken_back(book, "redo a --undo") },
    Scene { name: "restore", prepare: restore },
    Scene { name: "next", prepare: next },
    Scene { name: "init", prepare: init },
    Scene { name: "undo of init", prepare: undo_init },
];

/// A gate that waits, and a command.
pub(super) fn ask(book: &Sandbox, line: &str) -> Vec<String> {
    let packet = json!({"step": "chapter:001:draft", "answer_path": RECORD, "novel_ask": {"version": 1, "topic": "t",
        "questions": [{"id": "note", "header": "h", "question": "?", "kind": "free_text", "required": true}]}});
    book.put(PACKET, packet.to_string());
    line.split(' ').map(str::to_owned).collect()
}

/// The same with a record.
pub(super) fn standing(book: &Sandbox, line: &str) -> Vec<String> {
    let record = json!({"version": 1, "topic": "t", "answers": {"note": "standing"}, "answered_at": AT,
        "answered_by": "human"});
    book.put(RECORD, record.to_string());
    ask(book, line)
}

pub(super) fn taken_back(book: &Sandbox, line: &str) -> Vec<String> {
    let line = standing(book, line);
    assert_eq!(book.run(["redo", "a"]).code, Some(0));
    line
}

fn restore(book: &Sandbox) -> Vec<String> {
    let line = taken_back(book, "history --restore");
    let id = history(book).into_iter().next().expect("an entry").0;
    [line, vec![id]].concat()
}

fn next(book: &Sandbox) -> Vec<String> {
    let line = ask(book, "next a --for codex --replies r.jsonl --json --answered-at");
    let line = [line, vec![AT.to_owned()]].concat();
    let asked = book.run(&line);
    let asked: Value =
        serde_json::from_str(&asked.stdout).unwrap_or_else(|error| panic!("{error}: {asked:?}"));
    let call = asked["call"].as_str().expect("a call").to_owned();
    let more = ["--call".to_owned(), call, "--text".to_owned(), TEXT.to_owned()];
    [line, vec!["--write".to_owned()], more.to_vec()].concat()
}

fn init(book: &Sandbox) -> Vec<String> {
    book.put(".claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    book.put("AGENTS.md", "# Rules\n");
    vec!["init".to_owned(), "--write".to_owned()]
}

/// Two files go, two lose a part.
fn undo_init(book: &Sandbox) -> Vec<String> {
    init(book);
    assert_eq!(book.run(["init", "--write"]).code, Some(0));
    ["init", "--undo", "--write"].map(str::to_owned).to_vec()
}

/// The bytes of each entry, with its id.
pub(super) fn history(book: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let project = Project::open(&book.root()).expect("a project");
    let state = StateDir::new(&book.state(), &project);
    let found = history::search(&state, &Search::default()).expect("the history can be read");
    let entries = found.entries(&state).map(|entry| entry.expect("it is read"));
    entries.map(|entry| (entry.id(), entry.bytes().expect("whole"))).collect()
}

/// All files below a directory.
fn files(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![top.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).expect("a file"));
            }
        }
    }
    found
}

/// What a command was tried on.
pub(super) struct Stage {
    scene: &'static Scene,
    pub(super) book: Sandbox,
    pub(super) line: Vec<String>,
    tree: BTreeMap<PathBuf, Vec<u8>>,
    before: BTreeMap<String, Vec<u8>>,
    after: BTreeMap<String, Vec<u8>>,
}

impl Stage {
    pub(super) fn new(scene: &'static Scene) -> Stage {
        let stage = Stage::reading(scene);
        assert_ne!(stage.before, stage.after, "{}", scene.name);
        stage
    }

    /// The same of a command that may change nothing.
    pub(super) fn reading(scene: &'static Scene) -> Stage {
        let book = Sandbox::new();
        let line = (scene.prepare)(&book);
        let top = book.root().parent().expect("a directory").to_path_buf();
        let tree = files(&top);
        let mut stage = Stage { scene, book, line, tree, before: BTreeMap::new(), after: BTreeMap::new() };
        stage.before = stage.project().0;
        let ran = stage.book.run(&stage.line);
        assert_eq!(ran.code, Some(0), "{}: {ran:?}", scene.name);
        stage.after = stage.project().0;
        stage.reset();
        stage
    }

    /// Puts everything back as it was.
    pub(super) fn reset(&self) {
        for dir in [self.book.root(), self.book.state()] {
            let _ = fs::remove_dir_all(&dir);
        }
        fs::create_dir(self.book.root()).expect("a project");
        for (path, bytes) in &self.tree {
            fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
            fs::write(path, bytes).expect("a file");
        }
    }

    /// The files of the project, and the names of those that are nobody's.
    fn project(&self) -> (BTreeMap<String, Vec<u8>>, Vec<String>) {
        let root = self.book.root();
        let mut found = BTreeMap::new();
        let mut temporary = Vec::new();
        for (path, bytes) in files(&root) {
            let name = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
            if name.contains(".novel-gate-") {
                temporary.push(name);
            } else if !(name == REPLIES && bytes.is_empty()) {
                let bytes = if name == RECORD { without_time(&bytes) } else { bytes };
                found.insert(name, bytes);
            }
        }
        (found, temporary)
    }

    /// Holds what is there against what the command said; `case` names it. A killed command has no exit code.
    pub(super) fn judge(&self, case: &str, ran: &Ran, is_lasting: bool) {
        let (now, temporary) = self.project();
        let is_killed = ran.code.is_none();
        let case = format!("{}, {case}: {ran:?}", self.scene.name);
        for name in now.keys().chain(self.before.keys()).chain(self.after.keys()) {
            let there = now.get(name);
            let is_whole = there == self.before.get(name) || there == self.after.get(name);
            // A dialogue may have come as far as any of its replies.
            let is_part = name == REPLIES && there.is_some_and(|there| self.after[name].starts_with(there));
            let shown = there.map(|bytes| String::from_utf8_lossy(bytes));
            assert!(is_whole || is_part, "{case}\n{name} is {shown:?}");
        }
        let kept = history(&self.book);
        if let Some(old) = self.tree.get(&self.book.path(RECORD)) {
            let is_there = fs::read(self.book.path(RECORD)).is_ok_and(|bytes| bytes == *old);
            assert!(is_there || kept.iter().any(|(_, bytes)| bytes == old), "{case}\nthe old record is lost");
        }
        match ran.code {
            Some(0) => {
                let mut now = now;
                if self.scene.name == "next" {
                    // That the dialogue is over is noted if it can be.
                    now.insert(REPLIES.to_owned(), self.after[REPLIES].clone());
                }
                assert_eq!(now, self.after, "{case}\nit says that it is done");
            }
            Some(_) => {
                let said = format!("{}{}", ran.stdout, ran.stderr);
                let is_there = said.contains("written") || said.contains("may be in");
                let is_untouched = said.contains("untouched") || said.contains("nothing was written");
                let (_, named) = said.split_once("Written before that").unwrap_or_default();
                let changed = now.iter().filter(|(name, bytes)| self.before.get(*name) != Some(*bytes));
                let is_named = changed.map(|(name, _)| name).all(|name| named.contains(name.as_str()));
                // Where nothing can be written, nothing can be said.
                let is_told =
                    is_there && !is_untouched || is_lasting && said.is_empty() || self.scene.name == "next";
                assert!(now == self.before || is_named || is_told, "{case}");
            }
            None => {}
        }
        assert!(is_killed || is_lasting || temporary.is_empty(), "{case}\nleft {temporary:?}");
        let mut again = self.book.run(&self.line);
        if again.code == Some(2) && self.scene.name == "next" {
            // The reply is in the file.
            again = self.book.run(&self.line[..self.line.len() - 4]);
        }
        assert!(matches!(again.code, Some(0 | 3 | 6)), "{case}\nthen {again:?}");
        let mut then = self.project().0;
        if self.scene.name == "next" {
            // It may ask anew, or close the dialogue.
            then.insert(REPLIES.to_owned(), self.after[REPLIES].clone());
        }
        assert_eq!(then, self.after, "{case}\nthen");
    }
}

/// A record as if it had no time.
fn without_time(bytes: &[u8]) -> Vec<u8> {
    let Ok(mut record) = serde_json::from_slice::<Value>(bytes) else { return bytes.to_vec() };
    record["answered_at"] = AT.into();
    record.to_string().into_bytes()
}
