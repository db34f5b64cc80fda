//! A crash in the middle of each change of the state, and two processes on one state directory.
//!
//! This very program runs a second time as the process that is killed: it changes the state in a loop and says what is
//! done. Whatever it has said must be there afterwards, whole.

use novel_gate::ask::{Draft, Gate, JsString, decode_packet};
use novel_gate::error::Error;
use novel_gate::store::drafts::{DraftJob, Drafts};
use novel_gate::store::history::{self, History, HistoryEntry, Note, Over, Reason, Search, Story};
use novel_gate::store::{Project, StateDir};
use novel_gate::text::Lang;
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const RECORD: &str = "staging/a.answers.json";
/// Names the job and the directory of a process that is to be killed.
const JOB: &str = "NOVEL_GATE_TEST_JOB";
const PLACE: &str = "NOVEL_GATE_TEST_PLACE";
/// After so many things done a process is killed, in the middle of the next one or of one soon after.
const DONE: [usize; 10] = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55];

fn gate() -> Gate {
    let json = format!(
        r#"{{"answer_path":"{RECORD}","novel_ask":{{"version":1,"topic":"t","questions":[
        {{"id":"note","header":"h","question":"q","kind":"free_text","required":true}}]}}}}"#
    );
    decode_packet(json.as_bytes()).expect("a packet").gate.expect("a gate")
}

fn story(gate: &Gate) -> Story<'_> {
    Story {
        answer_path: &gate.answer_path,
        packet: None,
        step: None,
        spec: Some(&gate.spec),
        novel_ask: None,
    }
}

fn open(place: &Path) -> (Project, StateDir) {
    fs::create_dir_all(place.join("book/staging")).expect("a project");
    let project = Project::open(&place.join("book")).expect("a project");
    let state = StateDir::new(&place.join("state"), &project);
    (project, state)
}

fn at(number: usize) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_772_187_154 + number as u64)
}

/// Words that are long enough for several pages, and different each time.
fn words(number: usize) -> String {
    format!("秘密{number};").repeat(1_500)
}

fn job(number: usize) -> DraftJob {
    let gate = gate();
    let mut draft = Draft::new(&gate.spec);
    draft.replies[0].type_text(&words(number));
    DraftJob {
        packet: "p".into(),
        step: None,
        answer_path: gate.answer_path.clone(),
        spec: gate.spec,
        draft,
        orphans: Vec::new(),
        at: 0,
        saved_at: number.to_string(),
    }
}

fn add(state: &StateDir, reason: Reason, number: usize) -> HistoryEntry {
    let gate = gate();
    let words = words(number);
    let note = Note { reason, of: None, bytes: words.as_bytes() };
    insist(|| history::add(state, &story(&gate), &note, at(number)))
}

/// Does something until nobody else keeps the database to himself: on a very busy machine that may take long.
fn insist<T>(mut work: impl FnMut() -> Result<T, Error>) -> T {
    loop {
        match work() {
            Ok(done) => return done,
            Err(error) if error.whole().text(Lang::En).contains("another program is writing") => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Does one job over and over, and says what is done.
#[test]
fn child() {
    let (Ok(job), Some(place)) = (std::env::var(JOB), std::env::var_os(PLACE)) else { return };
    let (project, state) = open(Path::new(&place));
    let (gate, path) = (gate(), Path::new(&place).join("book").join(RECORD));
    let drafts = Drafts::new(&state);
    for number in 0.. {
        let history = History { project: &project, state: &state, now: at(number) };
        match job.as_str() {
            "draft" => insist(|| drafts.save(&self::job(number))),
            "note" => drop(add(&state, Reason::Answered, number)),
            "redo" => {
                if path.exists() {
                    history.remove(&story(&gate), None).expect("removed");
                }
                println!("redone");
                history.restore(&story(&gate)).expect("restored");
            }
            "replace" => {
                let entries = history::entries(&state, &gate.answer_path).expect("entries");
                let entry = entries.iter().find(|entry| !entry.reason.is_removal()).expect("an entry");
                fs::write(&path, words(number)).expect("somebody's record");
                println!("writing");
                history.restore_entry(entry, Over::Any).expect("restored");
            }
            "forget" => {
                drop(add(&state, Reason::Answered, number));
                history::forget(&state, None).expect("forgotten");
            }
            other => panic!("{other}"),
        }
        println!("done {number}");
    }
}

/// A process that does a job; it is killed when this is dropped.
struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// The number of the last thing that `next` has read of.
    last: Option<usize>,
}

impl Process {
    fn start(job: &str, place: &Path) -> Process {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["crash::child", "--exact", "--nocapture"]).env(JOB, job).env(PLACE, place);
        let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().expect("a process");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Process { child, lines, last: None }
    }

    /// Waits until it has done a thing once more; its number.
    fn next(&mut self) -> usize {
        loop {
            let line = self.lines.next().expect("it goes on").expect("a line");
            if let Some(number) = line.strip_prefix("done ") {
                let number = number.parse().expect("a number");
                self.last = Some(number);
                return number;
            }
        }
    }

    /// Kills it; the number of the last thing it has done, as far as it came to say so.
    fn kill(mut self) -> Option<usize> {
        self.child.kill().expect("killed");
        self.child.wait().expect("dead");
        let lines = self.lines.by_ref().map_while(Result::ok);
        let done = lines.filter_map(|line| line.strip_prefix("done ")?.parse().ok());
        done.last().or(self.last)
    }
}

/// Kills a process again and again, each time after more things done; looks at what is there afterwards.
fn crash(job: &str, place: &Path, mut look: impl FnMut(Option<usize>)) {
    for done in DONE {
        let mut process = Process::start(job, place);
        for _ in 0..done {
            process.next();
        }
        look(process.kill());
    }
}

#[test]
fn a_draft_that_was_kept_is_there_after_a_kill() {
    let top = tempfile::tempdir().expect("a directory");
    crash("draft", top.path(), |last| {
        let (_, state) = open(top.path());
        let loaded = Drafts::new(&state).load(&JsString::from(RECORD), &gate().spec);
        let Some(last) = last else { return };
        let draft = loaded.expect("it can be read").expect("a draft");
        let number: usize = draft.job.saved_at.parse().expect("a number");
        assert!(number == last || number == last + 1, "{number} of {last}");
        assert_eq!(draft.job.draft.replies[0].text, words(number).as_str(), "the whole of it");
    });
}

#[test]
fn an_entry_that_was_noted_is_there_whole_after_a_kill() {
    let top = tempfile::tempdir().expect("a directory");
    let mut most = 0;
    crash("note", top.path(), |last| {
        let (_, state) = open(top.path());
        let entries = history::entries(&state, &JsString::from(RECORD)).expect("entries");
        for entry in &entries {
            assert!(entry.bytes().expect("its bytes").starts_with("秘密".as_bytes()));
            assert!(entry.asked().is_some());
        }
        let Some(last) = last else { return };
        most = most.max(last);
        let bytes = entries.iter().map(|entry| entry.bytes().expect("its bytes"));
        assert!(bytes.into_iter().any(|bytes| bytes == words(last).into_bytes()), "{last}");
        assert_eq!(history::search(&state, &Search::default()).expect("a search").len(), entries.len());
    });
    assert!(most >= 54);
}

#[test]
fn a_record_that_is_moved_is_in_its_place_or_in_the_history_after_a_kill() {
    let top = tempfile::tempdir().expect("a directory");
    let (project, state) = open(top.path());
    let path = top.path().join("book").join(RECORD);
    fs::write(&path, words(7)).expect("a record");
    drop(add(&state, Reason::Seen, 7));
    crash("redo", top.path(), |_| {
        let entries = history::entries(&state, &JsString::from(RECORD)).expect("entries");
        let kept = entries.iter().any(|entry| entry.bytes().expect("bytes") == words(7).into_bytes());
        if !path.exists() {
            assert!(kept);
            let history = History { project: &project, state: &state, now: at(9) };
            history.restore(&story(&gate())).expect("it comes back");
        }
        assert_eq!(fs::read(&path).expect("a record"), words(7).into_bytes());
    });
}

#[test]
fn a_record_that_is_replaced_leaves_no_gap_for_a_kill() {
    let top = tempfile::tempdir().expect("a directory");
    let (_, state) = open(top.path());
    let path = top.path().join("book").join(RECORD);
    let ours = add(&state, Reason::Answered, 1_000).bytes().expect("bytes");
    for done in DONE {
        fs::write(&path, words(7)).expect("somebody's record");
        let mut process = Process::start("replace", top.path());
        for _ in 0..done.min(3) {
            process.next();
        }
        process.kill();
        let entries = history::entries(&state, &JsString::from(RECORD)).expect("entries");
        // The two change places in one step; empty is what the other writer was about to fill.
        let last = fs::read(&path).expect("a record is there at every moment");
        assert!(last == ours || last.is_empty() || last.starts_with("秘密".as_bytes()));
        for entry in &entries {
            entry.bytes().expect("whole");
        }
        history::forget(&state, None).expect("begun anew");
        drop(add(&state, Reason::Answered, 1_000));
    }
}

#[test]
fn what_was_forgotten_stays_so_after_a_kill() {
    let top = tempfile::tempdir().expect("a directory");
    crash("forget", top.path(), |last| {
        let (_, state) = open(top.path());
        let entries = history::entries(&state, &JsString::from(RECORD)).expect("entries");
        assert!(entries.len() <= 1, "{}", entries.len());
        if let (Some(entry), Some(last)) = (entries.first(), last) {
            assert_ne!(entry.bytes().expect("whole"), words(last).into_bytes(), "{last}");
        }
    });
}

#[test]
fn two_processes_on_one_state_directory_lose_nothing_of_each_other() {
    let top = tempfile::tempdir().expect("a directory");
    let (_, state) = open(top.path());
    let start = |job: &str| Process::start(job, top.path());
    let (mut noting, mut other, mut drafting) = (start("note"), start("draft"), start("draft"));
    for _ in 0..20 {
        noting.next();
        other.next();
        drafting.next();
        let number = 5_000 + history::entries(&state, &JsString::from(RECORD)).expect("entries").len();
        let own = add(&state, Reason::Redone, number);
        assert_eq!(history::find(&state, &own.id()).expect("it is there"), own);
    }
    let last = noting.kill().expect("some");
    assert!(other.kill().is_some() && drafting.kill().is_some());
    let entries = history::entries(&state, &JsString::from(RECORD)).expect("entries");
    let mut ids: Vec<String> = entries.iter().map(HistoryEntry::id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), entries.len(), "each has an id of its own");
    assert!(entries.iter().any(|entry| entry.bytes().expect("whole") == words(last).into_bytes()));
    assert_eq!(entries.iter().filter(|entry| entry.reason == Reason::Redone).count(), 20);
    assert!(
        Drafts::new(&state).load(&JsString::from(RECORD), &gate().spec).is_ok_and(|draft| draft.is_some())
    );
}
