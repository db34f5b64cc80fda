//! The program itself with a project of its own, called as executors call it, without a process for each call.
//!
//! Responsible for the project, the calls and for what files have changed. Not responsible for what is asked or replied.

use crate::in_process::call;
use crate::sandbox::directory_in_memory;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use novel_gate::Environment;
use novel_gate::ask::QuestionSpec;
use novel_gate::ask::json::{Item, Json};
use tempfile::TempDir;

use super::author::Author;
use super::desk::MOST_CALLS;
use super::specs::{ANSWER_PATH, packet_json};

pub(super) const PACKET: &str = "staging/manifests/a.packet.json";
pub(super) const REPLIES: &str = "replies.jsonl";
/// Where it stands that the executor has the decisions.
pub(super) const ROUNDS: &str = "staging/novel-ask/a.rounds.jsonl";

/// A project beneath `book`, with its state directory beside it.
pub(super) struct Book {
    dir: TempDir,
}

/// What one call of the program said.
pub(super) struct Spoken {
    pub(super) exit: i32,
    pub(super) out: String,
}

impl Book {
    /// A project with one packet.
    pub(super) fn with(packet: &[u8]) -> Book {
        let book = Book { dir: directory_in_memory() };
        book.put(PACKET, packet);
        book
    }

    /// A project whose packet asks these questions.
    pub(super) fn asking(spec: &QuestionSpec) -> Book {
        Book::with(packet_json(spec).as_bytes())
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join("book").join(below)
    }

    pub(super) fn put(&self, below: &str, bytes: &[u8]) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
        fs::write(path, bytes).expect("the file is written");
    }

    /// Runs the program in the project's root.
    pub(super) fn call(&self, arguments: &[&str], input: &[u8]) -> Spoken {
        let state = self.dir.path().join("state");
        let words = ["--project", ".", "--lang", "en", "--state-dir"].map(std::ffi::OsString::from);
        let words = words.into_iter().chain([state.into()]).chain(arguments.iter().map(Into::into));
        let environment = Environment { cwd: self.path(""), ..Environment::default() };
        let (exit, out, _) = call(&environment, words, input).texts();
        Spoken { exit, out }
    }

    /// Calls `next` until it asks no more, as an executor with an author does; what it says then. `look` sees each call
    /// with the reply to it.
    pub(super) fn talk(
        &self,
        flags: &[&str],
        mut author: Author<'_>,
        mut look: impl FnMut(Item<'_>, &str),
    ) -> Spoken {
        let line = [&["next", PACKET, "--replies", REPLIES, "--write"], flags].concat();
        let mut said = self.call(&line, b"");
        for _ in 0..MOST_CALLS {
            let json = only_object(&said.out);
            if json.root().get("status").and_then(Item::string) != Some("ask".into()) {
                break;
            }
            let rejected = json.root().get("rejected").expect("what is not accepted");
            assert_eq!(rejected.elements().count(), 0, "{}", said.out);
            let reply = author.reply(json.root());
            look(json.root(), &reply);
            said = self.call(&[&line[..], &["--reply", "-"]].concat(), reply.as_bytes());
        }
        said
    }

    /// The record's `answers`, letter by letter.
    pub(super) fn answers(&self) -> String {
        let record = fs::read(self.path(ANSWER_PATH)).expect("a record");
        let json = Json::parse(&record).expect("JSON");
        json.root().get("answers").expect("answers").source().to_owned()
    }

    /// Every file of the project with what is in it, directories as such.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let root = self.path("");
        let mut files = BTreeMap::new();
        let mut open = vec![root.clone()];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(dir).expect("a directory") {
                let path = entry.expect("an entry").path();
                let below = path.strip_prefix(&root).map(Path::to_owned).expect("beneath the root");
                if path.is_dir() {
                    files.insert(below, None);
                    open.push(path);
                } else {
                    files.insert(below, Some(fs::read(&path).expect("a file")));
                }
            }
        }
        files
    }
}

/// The one JSON object that the program has printed.
pub(super) fn only_object(out: &str) -> Json<'_> {
    let json = Json::parse(out.as_bytes()).unwrap_or_else(|error| panic!("{error:?} in {out}"));
    assert_eq!(json.root().kind(), novel_gate::ask::json::Kind::Object, "{out}");
    json
}
