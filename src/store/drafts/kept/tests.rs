use super::*;
use crate::ask::draft::Orphan;
use crate::ask::{Draft, Reply};
use crate::store::drafts::DraftJob;
use crate::store::history::{self, Note, Reason, Story};
use crate::store::scan;
use std::fs;
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

const PACKET: &str = "staging/manifests/chapter-048-draft.packet.json";
const ANSWERS: &str = "staging/novel-ask/a.json";

/// A project with drafts, and no packet.
struct Desk {
    dir: tempfile::TempDir,
    project: Arc<Project>,
    drafts: Drafts,
}

fn questions(options: &str) -> String {
    format!(
        r#"{{"version":1,"topic":"平台","questions":[
        {{"id":"one","header":"平台","question":"哪里？","kind":"multi_choice","required":true,"allow_other":true,"options":[{options}]}},
        {{"id":"text","header":"话","question":"说什么？","kind":"free_text","required":true}}]}}"#
    )
}

const A: &str = r#"{"label":"甲","description":"d"}"#;
const B: &str = r#"{"label":"乙","description":"d"}"#;

impl Desk {
    fn new() -> Desk {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("book/staging/manifests")).unwrap();
        let project = Arc::new(Project::open(&dir.path().join("book")).unwrap());
        let drafts = Drafts::new(&StateDir::new(&dir.path().join("state"), &project));
        Desk { dir, project, drafts }
    }

    fn put(&self, path: &str, text: &str) {
        fs::write(self.dir.path().join("book").join(path), text).unwrap();
    }

    /// The packet, asking this in this place.
    fn ask(&self, answer_path: &str) {
        let asked = questions(A);
        self.put(PACKET, &format!(r#"{{"step":"s","answer_path":"{answer_path}","novel_ask":{asked}}}"#));
    }

    fn job(words: &str) -> DraftJob {
        let spec = Arc::new(decode_spec(questions(&format!("{A},{B}")).as_bytes()).unwrap());
        let mut draft = Draft::new(&spec);
        draft.replies[0].toggle(0);
        draft.replies[0].toggle(1);
        draft.replies[1].type_text(words);
        DraftJob {
            packet: PACKET.into(),
            step: Some("chapter:048:draft".into()),
            answer_path: ANSWERS.into(),
            spec,
            draft,
            orphans: Vec::new(),
            at: 0,
            saved_at: "2026-02-27T10:12:34.000Z".into(),
        }
    }

    fn kept(&self) -> Vec<KeptDraft> {
        let look = || scan::look(&self.project, SystemTime::now()).entries();
        self.drafts.kept(&self.project, look).unwrap()
    }

    fn change(&self, sql: &str) {
        self.drafts.state.write(|state| state.execute_batch(sql)).unwrap();
    }
}

fn said(kept: &KeptDraft) -> Vec<(&'static str, String)> {
    kept.said.iter().map(|said| (said.as_what.name(), said.text(9, crate::text::Lang::En))).collect()
}

#[test]
fn everything_that_was_said_is_there() {
    let desk = Desk::new();
    let mut job = Desk::job("\u{3000}第一行\n第二行");
    job.draft.replies[0].other = "还没选的".into();
    job.draft.replies[1].take_note("再想想");
    job.draft.replies[1].put_aside(Reply { text: "先前的".into(), ..Reply::default() });
    job.orphans = vec![Orphan { id: "gone".into(), words: "没处放的".into() }];
    desk.drafts.save(&job).unwrap();
    let kept = desk.kept().pop().unwrap();
    let want = [
        ("answer", "甲, 乙"),
        ("typed", "还没选的"),
        ("answer", "\u{3000}第一行\n第二行"),
        ("note", "再想想"),
        ("set-aside", "先前的"),
        ("misfit", "没处放的"),
    ];
    assert_eq!(said(&kept), want.map(|(what, words)| (what, words.to_owned())));
    assert_eq!((kept.title(), kept.topic()), ("chapter:048:draft".into(), Some(&"平台".into())));
    assert_eq!(kept.asked(&kept.said[2]).unwrap().question, "说什么？");
    assert_eq!((kept.why.clone(), kept.answer_path.clone()), (Why::PacketGone, Some(ANSWERS.into())));
    for name in ["chapter:048:draft", PACKET, "chapter-048-draft", ANSWERS, "chapter-048-draft.packet.json"] {
        assert!(kept.goes_by(name), "{name}");
    }
    assert!(!kept.goes_by("chapter:049:draft") && !kept.goes_by(""));
    let search = |text: &str, question: Option<&str>| {
        let (text, question) = (Some(text.to_owned()), question.map(str::to_owned));
        kept.is_found_by(&Search { text, question, ..Search::default() })
    };
    for words in ["第一行 第二行", "没处放的", "说什么", "048", "pt", ""] {
        assert!(search(words, None), "{words}");
    }
    assert!(!search("别的", None) && search("", Some("text")) && !search("", Some("0")));
    let since = |since| kept.is_found_by(&Search { since: Some(since), ..Search::default() });
    assert!(since(UNIX_EPOCH) && !since(SystemTime::now()));
}

#[test]
fn only_what_has_no_gate_is_kept_and_the_reason_is_a_fact() {
    let desk = Desk::new();
    desk.drafts.save(&Desk::job("words")).unwrap();
    let why = || desk.kept().pop().map(|kept| kept.why);
    desk.ask(&format!("./{ANSWERS}"));
    assert_eq!(why(), None, "however its place is spelled");
    desk.put("staging/other.packet.json", &fs::read_to_string(desk.project.root().join(PACKET)).unwrap());
    fs::remove_file(desk.project.root().join(PACKET)).unwrap();
    assert_eq!(why(), None, "another packet asks in the same place");
    fs::remove_file(desk.project.root().join("staging/other.packet.json")).unwrap();
    assert_eq!(why(), Some(Why::PacketGone));
    desk.ask("staging/b.json");
    assert_eq!(why(), Some(Why::Moved("staging/b.json".into())));
    desk.ask("../b.json");
    assert_eq!(why(), Some(Why::PacketMalformed));
    desk.put(PACKET, r#"{"step":"s"}"#);
    assert_eq!(why(), Some(Why::NoGate));
    // A name that is too long is neither there nor gone.
    desk.change(&format!("UPDATE drafts SET packet = '{}'", "x".repeat(300)));
    assert_eq!(why(), Some(Why::PacketUnreadable));
    assert!(why().unwrap().is_doubtful());
    // One that is answered from the command line may lie anywhere.
    desk.change("UPDATE drafts SET packet = 'elsewhere.json'");
    desk.put("elsewhere.json", &format!(r#"{{"answer_path":"{ANSWERS}","novel_ask":{}}}"#, questions(A)));
    assert_eq!(why(), Some(Why::NotListed));
}

#[test]
fn what_says_nothing_is_not_kept() {
    let desk = Desk::new();
    let mut job = Desk::job("");
    job.draft = Draft::new(&job.spec);
    job.draft.replies[0].clear();
    desk.drafts.save(&job).unwrap();
    assert_eq!(desk.kept(), []);
}

#[test]
fn drafts_of_older_programs_are_kept_too() {
    let desk = Desk::new();
    desk.drafts.save(&Desk::job("old")).unwrap();
    desk.change("ALTER TABLE drafts DROP COLUMN answer_path; ALTER TABLE drafts DROP COLUMN step");
    let kept = desk.kept().pop().unwrap();
    assert_eq!((kept.title(), kept.answer_path.clone()), ("chapter-048-draft".into(), None));
    assert!(kept.goes_by("chapter:048:draft") && said(&kept).contains(&("answer", "old".into())));
    // The history may know more.
    let place = ANSWERS.into();
    let step = "chapter:048:draft".into();
    let story = Story { answer_path: &place, packet: None, step: Some(&step), spec: None, novel_ask: None };
    let note = Note { reason: Reason::Redone, of: None, bytes: b"{}" };
    history::add(&desk.drafts.state, &story, &note, SystemTime::now()).unwrap();
    let kept = desk.kept().pop().unwrap();
    assert_eq!((kept.title(), kept.answer_path), ("chapter:048:draft".into(), Some(place.clone())));
    // It is loaded as ever, and what is saved next says where it is from.
    let job = Desk::job("new");
    assert!(desk.drafts.load(&place, &job.spec).unwrap().is_some());
    desk.drafts.save(&DraftJob { answer_path: "b.json".into(), ..job }).unwrap();
    assert_eq!(desk.kept().len(), 2);
    assert!(desk.kept().iter().any(|kept| kept.answer_path == Some("b.json".into())));
    // Questions that are none for this program: the words stand by their ids.
    desk.change("UPDATE drafts SET novel_ask = '{\"version\":9}'");
    for kept in desk.kept() {
        assert!(kept.said.iter().all(|said| said.as_what == SaidAs::Misfit), "{kept:?}");
        assert!(kept.said.iter().any(|said| said.id == "text"), "{kept:?}");
    }
}

#[test]
fn what_was_dropped_is_put_back_beside_what_came_since() {
    let desk = Desk::new();
    desk.drafts.save(&Desk::job("dropped")).unwrap();
    let kept = desk.kept().pop().unwrap();
    let dropped = desk.drafts.drop_kept(&kept).unwrap().unwrap();
    assert_eq!(desk.kept(), []);
    assert!(desk.drafts.drop_kept(&kept).unwrap().is_none(), "there is nothing more to drop");
    desk.drafts.save(&Desk::job("since")).unwrap();
    assert!(desk.drafts.put_back(&dropped).unwrap());
    let words = |kept: &KeptDraft| kept.said[1].text(1, crate::text::Lang::En);
    let mut all: Vec<String> = desk.kept().iter().map(words).collect();
    all.sort();
    assert_eq!(all, ["dropped", "since"]);
    let job = Desk::job("");
    let loaded = desk.drafts.load(&job.answer_path, &job.spec).unwrap().unwrap().job.draft;
    assert_eq!(
        (loaded.replies[1].text.clone(), loaded.replies[1].alternatives[0].text.clone()),
        ("since".into(), "dropped".into())
    );
    // What has changed since it was seen is not what the author meant.
    let seen = desk.kept().pop().unwrap();
    desk.drafts.save(&DraftJob { saved_at: "later".into(), ..Desk::job("newer") }).unwrap();
    assert!(desk.drafts.drop_kept(&seen).unwrap().is_none());
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn what_another_console_has_open_stays() {
    let desk = Desk::new();
    let mut running = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    desk.drafts.save(&Desk::job("theirs")).unwrap();
    desk.change(&format!("UPDATE drafts SET pid = {}", running.id()));
    let kept = desk.kept().pop().unwrap();
    assert!(kept.is_elsewhere && desk.drafts.drop_kept(&kept).unwrap().is_none());
    drop(running.stdin.take());
    running.wait().unwrap();
    let kept = desk.kept().pop().unwrap();
    assert!(!kept.is_elsewhere && desk.drafts.drop_kept(&kept).unwrap().is_some());
}

#[test]
fn an_edited_record_is_kept_without_its_gate() {
    let desk = Desk::new();
    let place = ANSWERS.into();
    desk.drafts.set_edited(&place, Some("{\"half\":")).unwrap();
    let kept = desk.kept().pop().unwrap();
    assert_eq!(said(&kept), [("record", "{\"half\":".to_owned())]);
    assert_eq!((kept.title(), &kept.why), ("?".into(), &Why::NotListed));
    let dropped = desk.drafts.drop_kept(&kept).unwrap().unwrap();
    assert_eq!(desk.drafts.edited(&place), None);
    desk.drafts.set_edited(&place, Some("newer")).unwrap();
    assert!(!desk.drafts.put_back(&dropped).unwrap(), "there is room for one");
    assert!(desk.drafts.drop_kept(&kept).unwrap().is_none(), "another text");
    desk.drafts.set_edited(&place, None).unwrap();
    assert!(desk.drafts.put_back(&dropped).unwrap());
    assert_eq!(desk.drafts.edited(&place).as_deref(), Some("{\"half\":"));
    desk.ask(ANSWERS);
    assert_eq!(desk.kept(), [], "it is with its gate");
}

#[test]
fn leaving_a_place_takes_nothing_of_anybody_else() {
    let desk = Desk::new();
    desk.drafts.save(&Desk::job("of one that has ended")).unwrap();
    desk.change("UPDATE drafts SET pid = 0");
    desk.drafts.save(&Desk::job("ours")).unwrap();
    desk.drafts.leave(&ANSWERS.into()).unwrap();
    let kept: Vec<_> = desk.kept().iter().map(|kept| kept.said[1].values[0].clone()).collect();
    assert_eq!(kept, ["of one that has ended"]);
}

#[test]
fn a_damaged_draft_hides_no_other() {
    let desk = Desk::new();
    desk.drafts.save(&Desk::job("sound")).unwrap();
    desk.drafts.save(&DraftJob { answer_path: "b.json".into(), ..Desk::job("damaged") }).unwrap();
    desk.change("UPDATE drafts SET replies = x'ff' WHERE answer_path = 'b.json'");
    assert_eq!(desk.kept().len(), 1);
    assert!(desk.drafts.state.take_notices().is_some());
}

#[test]
fn a_database_that_cannot_be_read_says_so_and_is_not_empty() {
    let desk = Desk::new();
    desk.drafts.save(&Desk::job("words")).unwrap();
    desk.change("ALTER TABLE drafts RENAME COLUMN replies TO gone");
    assert!(desk.drafts.kept(&desk.project, Vec::new).is_err());
}
