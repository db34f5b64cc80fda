use super::*;
use crate::store::disk::SystemDisk;
use crate::store::gate::{self, Status};
use crate::store::testing::{Crash, FailingDisk, Fault, Sandbox, give_up_privileges, set_mode};
use rustix::io::Errno;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

const DRAFT: &str = "staging/manifests/chapter-041-draft.packet.json";
const PLACE: &str = "staging/novel-ask/10-pace-chapters-041-050.answers.json";
/// When the book came to chapter 41.
const MOVED: u64 = 1_700_000_000;

struct Book(Sandbox);

impl Book {
    /// At chapter 41 of the second volume, with two questions: one for ten chapters, one for each draft.
    fn new() -> Book {
        let book = Book(Sandbox::new());
        book.0.put(
            ".checkpoint.json",
            r#"{"last_completed_chapter": 40, "current_volume": 2, "last_checkpoint_time": "2023-11-14T22:13:20Z"}"#,
        );
        book.ask("10-pace", r#""_steps": ["chapter:*:draft"], "_once_per": 10"#, "pace");
        book.ask("20-hook", r#""_steps": ["chapter:*:draft"]"#, "hook");
        book
    }

    fn ask(&self, name: &str, members: &str, id: &str) {
        let text = format!(
            r#"{{{members}, "version": 1, "topic": "{name}", "questions": [
                {{"id": "{id}", "header": "h", "question": "?", "kind": "free_text", "required": true}}]}}"#
        );
        let path = self.0.put(&format!("questions/{name}.question.json"), text);
        // Old enough to be no half of a file.
        Book::at_time(&path, MOVED);
    }

    /// A packet as the executor writes it, at this time.
    fn packet(&self, path: &str, step: &str, seconds: u64) -> Vec<u8> {
        let text = format!(
            "{{\n  \"version\": 1,\n  \"step\": \"{step}\",\n  \"agent\": {{\n    \"name\": \"writer\"\n  }},\n  \
             \"manifest\": {{\"雨\": [1.0, 2]}},\n  \"expected_outputs\": [\n    {{ \"path\": \"a.md\" }}\n  ]\n}}\n"
        );
        let path = self.0.put(path, &text);
        Book::at_time(&path, seconds);
        text.into_bytes()
    }

    fn at_time(path: &Path, seconds: u64) {
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("set");
    }

    fn draft(&self) -> Vec<u8> {
        self.packet(DRAFT, "chapter:041:draft", MOVED + 60)
    }

    fn answer(&self, place: &str, topic: &str, id: &str) {
        let record = format!(
            r#"{{"version": 1, "topic": "{topic}", "answers": {{"{id}": "x"}},
                "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"}}"#
        );
        self.0.put(place, record);
    }

    /// Attaches, and says where the answer goes then; whoever only reads has said so before.
    fn attached(&self, packet: &str) -> Option<String> {
        let path = self.0.at(packet);
        let before = gate::load(&self.0.project, &path).expect("a packet");
        let is_changed = attach(&self.0.project, &path).expect("attached");
        assert_eq!(is_changed, before.is_unattached);
        let after = gate::load(&self.0.project, &path).expect("a packet");
        assert!(!after.is_unattached);
        assert_eq!(
            (before.status(), before.gate(), before.refusal),
            (after.status(), after.gate(), after.refusal)
        );
        assert_eq!(before.packet.expected_outputs, after.packet.expected_outputs);
        assert!(!attach(&self.0.project, &path).expect("attached"), "once");
        after.gate().map(|gate| gate.answer_path.lossy().into_owned())
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.0.at(path)).expect("a file")
    }
}

#[test]
fn the_first_question_without_an_answer_is_asked_and_then_the_next() {
    let book = Book::new();
    let bare = book.draft();
    assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE));
    assert_eq!(with_gate(&book.bytes(DRAFT), None), Some(bare.clone()), "nothing else has changed");
    let meta = book.0.at(DRAFT).metadata().expect("a file");
    assert_eq!(meta.mtime(), i64::try_from(MOVED).expect("a time") + 60);
    // An answer that is none leaves it as it is.
    book.0.put(PLACE, "{}");
    assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE));
    assert_eq!(gate::load(&book.0.project, &book.0.at(DRAFT)).expect("a packet").status(), Status::Blocked);
    book.answer(PLACE, "10-pace", "pace");
    let second = "staging/novel-ask/20-hook-chapter-041-draft.answers.json";
    assert_eq!(book.attached(DRAFT).as_deref(), Some(second));
    book.answer(second, "20-hook", "hook");
    assert_eq!(book.attached(DRAFT).as_deref(), Some(second), "it stays as it is");
    // A rewriting takes it away, and both are answered.
    book.draft();
    assert_eq!(book.attached(DRAFT), None);
    // Taken back, it is asked again; another chapter shares the answer that stands.
    fs::remove_file(book.0.at(second)).expect("removed");
    assert_eq!(book.attached(DRAFT).as_deref(), Some(second));
    let other = "staging/manifests/chapter-050-draft.packet.json";
    book.packet(other, "chapter:50:draft", MOVED);
    assert_eq!(
        book.attached(other).as_deref(),
        Some("staging/novel-ask/20-hook-chapter-050-draft.answers.json")
    );
}

#[test]
fn a_rewriting_gets_its_question_again() {
    let book = Book::new();
    book.draft();
    book.attached(DRAFT);
    let asked = book.bytes(DRAFT);
    book.draft();
    assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE));
    assert_eq!(book.bytes(DRAFT), asked);
}

#[test]
fn what_is_not_live_or_not_asked_stays_as_it_is() {
    let book = Book::new();
    for (path, step, seconds) in [
        (DRAFT, "chapter:040:draft", MOVED + 60),
        (DRAFT, "chapter:041:draft", MOVED - 3),
        (DRAFT, "chapter:041:judge", MOVED + 60),
        (DRAFT, "chapter:x:draft", MOVED + 60),
        (DRAFT, "chapter:draft", MOVED + 60),
        (DRAFT, "review:collect", MOVED + 60),
        (DRAFT, "", MOVED + 60),
        ("staging/manifests/a.json", "chapter:041:draft", MOVED + 60),
        ("chapters/a.packet.json", "chapter:041:draft", MOVED + 60),
        ("staging/novel-ask/relay/relay-1.packet.json", "chapter:041:draft", MOVED + 60),
    ] {
        let bare = book.packet(path, step, seconds);
        assert_eq!(book.attached(path), None, "{path} {step} {seconds}");
        assert_eq!(book.bytes(path), bare);
    }
    // Within what a coarse clock may lose it counts.
    book.packet(DRAFT, "chapter:041:draft", MOVED - 2);
    assert!(book.attached(DRAFT).is_some());
    let own = r#"{"step": "chapter:041:draft", "answer_path": "staging/own.json", "novel_ask": {"version": 1, "topic": "t",
        "questions": [{"id": "q", "header": "h", "question": "?", "kind": "free_text", "required": true}]}}"#;
    let path = book.0.put(DRAFT, own);
    Book::at_time(&path, MOVED + 60);
    assert_eq!(book.attached(DRAFT).as_deref(), Some("staging/own.json"));
    assert_eq!(book.bytes(DRAFT), own.as_bytes());
    let unusable = book.0.put(DRAFT, "{\"step\": \"chapter:041:draft\"");
    Book::at_time(&unusable, MOVED + 60);
    assert_eq!(attach(&book.0.project, &unusable), Ok(false));
    assert_eq!(attach(&book.0.project, &book.0.at("staging/nothing.packet.json")), Ok(false));
}

#[test]
fn in_doubt_it_is_asked() {
    for checkpoint in ["{", r#"{"last_completed_chapter": 40, "last_checkpoint_time": "soon"}"#] {
        let book = Book::new();
        book.0.put(".checkpoint.json", checkpoint);
        book.packet(DRAFT, "chapter:041:draft", 1);
        assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE), "{checkpoint}");
    }
    let book = Book::new();
    fs::remove_file(book.0.at(".checkpoint.json")).expect("removed");
    book.packet(DRAFT, "chapter:041:draft", 1);
    assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE));
}

#[test]
fn a_gate_follows_its_file_while_it_waits() {
    let book = Book::new();
    let bare = book.draft();
    book.attached(DRAFT);
    book.ask("10-pace", r#""_steps": ["chapter:*:draft"], "_once_per": 10"#, "tempo");
    assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE));
    assert!(String::from_utf8_lossy(&book.bytes(DRAFT)).contains("tempo"));
    // Another place is another gate.
    book.ask("10-pace", r#""_steps": ["chapter:*:draft"], "_once_per": "volume""#, "pace");
    assert_eq!(book.attached(DRAFT).as_deref(), Some("staging/novel-ask/10-pace-vol-02.answers.json"));
    // Off, or for other steps: the next one.
    book.ask("10-pace", r#""_steps": ["chapter:*:draft"], "_once_per": "volume", "_enabled": false"#, "pace");
    book.ask("20-hook", r#""_steps": ["chapter:*:judge"]"#, "hook");
    assert_eq!(book.attached(DRAFT), None);
    assert_eq!(book.bytes(DRAFT), bare);
    book.ask("10-pace", r#""_steps": ["chapter:*:draft"], "_once_per": "volume""#, "pace");
    book.attached(DRAFT);
    // What cannot be asked as it is now stays as it was.
    book.ask("10-pace", r#""_steps": ["chapter:*:drafts"]"#, "pace");
    assert_eq!(book.attached(DRAFT).as_deref(), Some("staging/novel-ask/10-pace-vol-02.answers.json"));
}

#[test]
fn an_answer_keeps_what_was_asked() {
    let book = Book::new();
    fs::remove_file(book.0.at("questions/20-hook.question.json")).expect("removed");
    book.draft();
    book.attached(DRAFT);
    book.answer(PLACE, "10-pace", "pace");
    for members in [r#""_steps": ["chapter:*:draft"], "_once_per": 10"#, r#""_steps": ["volume:outline"]"#] {
        book.ask("10-pace", members, "tempo");
        assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE), "{members}");
        let loaded = gate::load(&book.0.project, &book.0.at(DRAFT)).expect("a packet");
        assert_eq!(loaded.status(), Status::Answered, "{members}");
    }
    // Without the gate it is the file that judges, and asks anew only where the record does not pass.
    book.ask("10-pace", r#""_steps": ["chapter:*:draft"], "_once_per": 10"#, "tempo");
    book.draft();
    assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE));
    assert_eq!(gate::load(&book.0.project, &book.0.at(DRAFT)).expect("a packet").status(), Status::Blocked);
}

#[test]
fn a_packet_that_cannot_be_written_is_held_and_nothing_is_changed() {
    give_up_privileges();
    let held = |book: &Book, why: Refusal| {
        let before = book.bytes(DRAFT);
        let loaded = gate::load(&book.0.project, &book.0.at(DRAFT)).expect("a packet");
        assert_eq!((loaded.status(), loaded.refusal), (Status::Waiting, Some(why)));
        let error = attach(&book.0.project, &book.0.at(DRAFT)).expect_err("refused");
        assert_eq!(error.code, "refused");
        assert_eq!(book.bytes(DRAFT), before);
    };
    let book = Book::new();
    book.draft();
    fs::rename(book.0.at(DRAFT), book.0.at("staging/real.txt")).expect("renamed");
    symlink("../real.txt", book.0.at(DRAFT)).expect("a link");
    held(&book, Refusal::PacketLinked);
    fs::remove_file(book.0.at(DRAFT)).expect("removed");
    fs::hard_link(book.0.at("staging/real.txt"), book.0.at(DRAFT)).expect("a link");
    held(&book, Refusal::PacketShared);
    fs::remove_file(book.0.at("staging/real.txt")).expect("removed");
    set_mode(&book.0.at(DRAFT), 0o444);
    held(&book, Refusal::PacketReadOnly);
    set_mode(&book.0.at(DRAFT), 0o640);
    assert_eq!(book.attached(DRAFT).as_deref(), Some(PLACE));
    assert_eq!(book.0.at(DRAFT).metadata().expect("a file").mode() & 0o777, 0o640);
    // What is no UTF-8 would not stay as it is.
    let mut bytes = book.draft();
    let at = bytes.windows(3).position(|part| part == "雨".as_bytes()).expect("there");
    bytes[at] = 0xFF;
    let path = book.0.put(DRAFT, &bytes);
    Book::at_time(&path, MOVED + 60);
    assert_eq!(attach(&book.0.project, &path).expect_err("no text").code, "attach-failed");
    assert_eq!(book.bytes(DRAFT), bytes);
    assert_eq!(gate::load(&book.0.project, &path).expect("a packet").status(), Status::Waiting);
}

#[test]
fn whatever_call_fails_the_packet_is_as_it_was_or_whole() {
    for fault in [Fault::Once, Fault::ForEver, Fault::CrashBefore, Fault::CrashAfter] {
        for old in [false, true] {
            let book = Book::new();
            let mut asked = Vec::new();
            for number in 0.. {
                let bare = book.draft();
                let failing = FailingDisk::at(number, Errno::IO).with(fault);
                let (project, disk) = book.0.on(if old { failing.old(true) } else { failing });
                let done = catch_unwind(AssertUnwindSafe(|| attach(&project, &book.0.at(DRAFT))));
                let now = book.bytes(DRAFT);
                if number == 0 {
                    asked.clone_from(&now);
                    assert_ne!(asked, bare);
                    continue;
                }
                if !disk.failed() {
                    break;
                }
                let place = (fault, old, number);
                assert!(now == bare || now == asked, "{place:?}");
                match done {
                    Ok(Ok(_)) => assert_eq!(now, asked, "{place:?}"),
                    Ok(Err(error)) => {
                        assert!(error.text(crate::text::Lang::En).contains("untouched"), "{place:?}");
                    }
                    Err(panic) => assert!(panic.is::<Crash>(), "{place:?}"),
                }
                let left = book.0.names("staging/manifests").len();
                assert!(
                    left == 1 || fault != Fault::Once,
                    "{place:?}: {:?}",
                    book.0.names("staging/manifests")
                );
                attach(&book.0.project, &book.0.at(DRAFT)).expect("attached");
                assert_eq!(book.bytes(DRAFT), asked, "{place:?}");
                for name in
                    book.0.names("staging/manifests").iter().filter(|name| name.starts_with(".novel-gate-"))
                {
                    fs::remove_file(book.0.at("staging/manifests").join(name)).expect("removed");
                }
            }
        }
    }
}

/// A disk before whose n-th call an executor writes the packet anew, as one that renames does.
#[derive(Debug)]
struct Meanwhile {
    calls: Mutex<usize>,
    at: usize,
    path: PathBuf,
    versions: Vec<Vec<u8>>,
}

impl Meanwhile {
    fn step(&self) {
        let mut calls = self.calls.lock().expect("a count");
        *calls += 1;
        if let Some(version) = calls.checked_sub(self.at).and_then(|at| self.versions.get(at)) {
            let temp = self.path.with_extension("new");
            fs::write(&temp, version).expect("written");
            let time = UNIX_EPOCH + Duration::from_secs(MOVED + 60);
            fs::File::options()
                .write(true)
                .open(&temp)
                .and_then(|file| file.set_modified(time))
                .expect("set");
            fs::rename(&temp, &self.path).expect("renamed");
        }
    }
}

impl crate::store::disk::Disk for Meanwhile {
    fn open_dir(&self, dir: &Dir, path: &Path) -> io::Result<Dir> {
        self.step();
        SystemDisk.open_dir(dir, path)
    }
    fn create(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        self.step();
        SystemDisk.create(dir, name)
    }
    fn sync(&self, file: &File) -> io::Result<()> {
        self.step();
        SystemDisk.sync(file)
    }
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        self.step();
        SystemDisk.exchange(dir, one, other)
    }
    fn open(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        self.step();
        SystemDisk.open(dir, name)
    }
    fn unlink(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        self.step();
        SystemDisk.unlink(dir, name)
    }
}

#[test]
fn what_an_executor_writes_last_is_what_counts_whenever_it_writes() {
    for times in 1..=3 {
        for at in 1..20 {
            let book = Book::new();
            let first = book.draft();
            let version = |number| {
                let text = String::from_utf8(first.clone()).expect("text");
                text.replace("a.md", &format!("version-{number}.md")).into_bytes()
            };
            let versions: Vec<Vec<u8>> = (1..=times).map(version).collect();
            let disk =
                Meanwhile { calls: Mutex::default(), at, path: book.0.at(DRAFT), versions: versions.clone() };
            let (project, disk) = book.0.on(disk);
            attach(&project, &book.0.at(DRAFT)).expect("attached");
            let written = disk.calls.lock().expect("a count").saturating_sub(at - 1).min(times);
            attach(&book.0.project, &book.0.at(DRAFT)).expect("attached");
            let last = written.checked_sub(1).map_or(&first, |last| &versions[last]);
            assert_eq!(with_gate(&book.bytes(DRAFT), None).as_ref(), Some(last), "{times} from {at}");
            assert_ne!(book.bytes(DRAFT), *last, "attached");
            assert_eq!(book.0.names("staging/manifests").len(), 1, "{times} from {at}");
        }
    }
}

#[test]
fn whoever_comes_at_the_same_time_it_is_attached_once() {
    const ROUNDS: usize = 1_000;
    let book = Book::new();
    book.draft();
    book.attached(DRAFT);
    let asked = book.bytes(DRAFT);
    for round in 0..ROUNDS {
        book.draft();
        let path = book.0.at(DRAFT);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| attach(&book.0.project, &path).expect("attached"));
            }
        });
        assert_eq!(book.bytes(DRAFT), asked, "{round}");
    }
    assert_eq!(book.0.names("staging/manifests"), ["chapter-041-draft.packet.json"]);
}
