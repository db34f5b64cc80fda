use super::*;
use crate::ask::{Answer, standing};
use crate::store::attach::attach;
use crate::store::gate::{Status, load, spec_hash};
use crate::store::history::entries;
use crate::store::rounds::Delivered;
use crate::store::scan;
use crate::store::submit::{Outcome, submit};
use crate::store::testing::{Sandbox, gate, record, write_new};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

const PATH: &str = "staging/novel-ask/a.answers.json";
const ROUNDS: &str = "staging/novel-ask/a.rounds.jsonl";

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_772_187_154)
}

fn because(reason: &str) -> Why {
    Why { by: "human".into(), reason: reason.into(), ..Why::default() }
}

struct Desk {
    book: Sandbox,
    packet: PathBuf,
}

impl Desk {
    fn new() -> Desk {
        let book = Sandbox::new();
        let packet = book.put_packet(PATH);
        Desk { book, packet }
    }

    fn send_back(&self, over: Over<'_>, reason: &str) -> Result<Returned, WriteError> {
        let (asked, answer_path) = (spec_hash(&gate(PATH).spec), PATH.into());
        let submission = Submission {
            packet: &self.packet,
            answer_path: &answer_path,
            asked: &asked,
            bytes: b"",
            rivals: &[],
            seen: None,
            over,
        };
        send_back(&self.book.project, Ok(&self.book.state), &submission, &because(reason), now())
    }

    fn answer(&self) {
        let (asked, answer_path, bytes) =
            (spec_hash(&gate(PATH).spec), PATH.into(), record("snow").to_json());
        let submission = Submission {
            packet: &self.packet,
            answer_path: &answer_path,
            asked: &asked,
            bytes: bytes.as_bytes(),
            rivals: &[],
            seen: None,
            over: Over::Nothing,
        };
        submit(&self.book.project, Ok(&self.book.state), &submission, now()).unwrap();
    }

    fn status(&self) -> Status {
        let loaded = load(&self.book.project, &self.packet).unwrap();
        let project = Arc::new(Project::open(self.book.project.root()).unwrap());
        let listed = scan::look(&project, now()).entries();
        let entry = listed.iter().find(|entry| self.packet.ends_with(&entry.path)).unwrap();
        assert_eq!(entry.status, loaded.status(), "a list and a look agree");
        loaded.status()
    }

    /// An executor hears of it.
    fn deliver(&self) {
        let id = reply::last(&self.book.project, &PATH.into()).unwrap().sent.id;
        let line = Delivered { at: "2026-02-27T10:12:50.000Z".to_owned(), by: "wait".to_owned(), id };
        reply::note_delivered(&self.book.project, &self.packet, &PATH.into(), line).unwrap();
    }

    fn take_back(&self) -> Option<SentBack> {
        reply::take_back(&self.book.project, &self.packet, &PATH.into(), "2026-02-27T10:13:00.000Z").unwrap()
    }
}

#[test]
fn a_refusal_stands_beside_the_record_and_nothing_at_the_answer_path() {
    let desk = Desk::new();
    let returned = desk.send_back(Over::Nothing, "not this\n第二行").unwrap();
    assert_eq!(desk.status(), Status::SentBack);
    assert!(!desk.book.at(PATH).exists());
    let line = fs::read_to_string(desk.book.at(ROUNDS)).unwrap();
    assert!(line.starts_with("{\"event\": \"sent-back\", \"id\": \"") && line.ends_with("}\n"), "{line}");
    assert!(line.contains("\"reason\": \"not this\\n第二行\""), "{line}");
    let reply = reply::last(&desk.book.project, &PATH.into()).unwrap();
    assert_eq!((reply.sent, reply.delivered), (returned.sent, vec![]));
    let kept = &entries(&desk.book.state, &PATH.into()).unwrap()[0];
    assert_eq!((kept.reason, kept.valid), (Reason::SentBack, false));
    let why = Why::in_entry(&kept.bytes().unwrap()).unwrap();
    assert_eq!((why.reason, why.choice, why.does_not_apply), ("not this\n第二行".into(), None, None));
    assert_eq!(Why::in_entry(b"{}"), None);
    assert!(desk.take_back().is_some() && desk.take_back().is_none());
    assert_eq!(desk.status(), Status::Waiting);
}

/// By whatever path the packet is named.
#[cfg(unix)]
#[test]
fn a_packet_behind_a_link_is_the_one_that_is_sent_back() {
    let desk = Desk::new();
    let link = desk.book.top().join("link");
    crate::platform::testing::symlink(desk.book.project.root(), &link).unwrap();
    crate::platform::testing::symlink("manifests", desk.book.at("staging/other")).unwrap();
    for named in
        [link.join("staging/manifests/step.packet.json"), desk.book.at("staging/other/step.packet.json")]
    {
        let (asked, answer_path) = (spec_hash(&gate(PATH).spec), PATH.into());
        let submission = Submission {
            packet: &named,
            answer_path: &answer_path,
            asked: &asked,
            bytes: b"",
            rivals: &[],
            seen: None,
            over: Over::Nothing,
        };
        send_back(&desk.book.project, Ok(&desk.book.state), &submission, &because("no"), now()).unwrap();
        assert_eq!(load(&desk.book.project, &desk.packet).unwrap().status(), Status::SentBack);
        assert!(desk.take_back().is_some(), "{}", named.display());
    }
}

#[test]
fn without_a_reason_nothing_is_sent_back() {
    let desk = Desk::new();
    let error = desk.send_back(Over::Nothing, " \n　").unwrap_err().error();
    assert_eq!((error.kind, error.code), (ExitCode::Usage, "no-reason"));
    assert!(!desk.book.at(ROUNDS).exists());
}

#[test]
fn it_holds_until_what_was_refused_is_another() {
    let desk = Desk::new();
    let packet = fs::read_to_string(&desk.packet).unwrap();
    let with_output = packet.replacen('{', r#"{"expected_outputs": [{"path": "chapters/1.md"}],"#, 1);
    for (change, holds) in [
        (("staging/manifests/step.packet.json", packet.replace("\"?\"", "\"Why?\"")), false),
        (("staging/manifests/step.packet.json", packet.clone()), true),
        (("staging/manifests/step.packet.json", with_output.clone()), false),
    ] {
        fs::write(&desk.packet, &packet).unwrap();
        desk.send_back(Over::Nothing, "no").unwrap();
        desk.deliver();
        desk.book.put(change.0, change.1);
        assert_eq!(desk.status() == Status::SentBack, holds);
    }
    // The text that it commits, and the text that it makes.
    for path in ["staging/chapters/1.md", "chapters/1.md", "staging/chapters/chapter-001.md"] {
        fs::write(&desk.packet, &with_output).unwrap();
        desk.book.put(path, "It rained.");
        desk.send_back(Over::Nothing, "no").unwrap();
        desk.book.put(path, "It hailed.");
        assert_eq!(desk.status(), Status::SentBack, "nobody has heard of it");
        desk.deliver();
        desk.book.put(path, "It rained.");
        assert_eq!(desk.status(), Status::SentBack, "written anew, and the same");
        desk.book.put(path, "It snowed.");
        assert_eq!(desk.status(), Status::Waiting, "{path}");
        // The author has changed the text himself; what was made of it is made anew.
        desk.send_back(Over::Nothing, "I changed it").unwrap();
        desk.deliver();
        let checkpoint = format!(
            r#"{{"last_completed_chapter": 0, "last_checkpoint_time": "2026-02-27T10:1{}:00Z"}}"#,
            path.len() % 10
        );
        desk.book.put(".checkpoint.json", checkpoint);
        assert_eq!(desk.status(), Status::Waiting, "the book has gone on");
        assert!(reply::last(&desk.book.project, &PATH.into()).is_some(), "the agent is told it all the same");
    }
}

#[test]
fn a_record_in_the_way_goes_into_the_history_first() {
    let desk = Desk::new();
    write_new(&desk.book.project, &gate(PATH), &record("snow")).unwrap();
    let before = fs::read(desk.book.at(PATH)).unwrap();
    assert!(matches!(desk.send_back(Over::Nothing, "no"), Err(WriteError::Exists(_))));
    assert!(matches!(desk.send_back(Over::Hash("0"), "no"), Err(WriteError::Exists(_))));
    assert_eq!(
        (fs::read(desk.book.at(PATH)).unwrap(), desk.book.at(ROUNDS).exists()),
        (before.clone(), false)
    );
    let returned = desk.send_back(Over::Any, "no").unwrap();
    assert_eq!(returned.removed.unwrap().sha256, sha256(&before));
    assert_eq!(desk.status(), Status::SentBack);
    let loaded = load(&desk.book.project, &desk.packet).unwrap();
    desk.book.history(now()).undo(&loaded).unwrap();
    assert_eq!(fs::read(desk.book.at(PATH)).unwrap(), before, "undo brings the record, and not the refusal");
}

#[test]
fn where_nothing_can_be_said_the_record_stays() {
    for there in ["my notes\n", "[]\n"] {
        let desk = Desk::new();
        write_new(&desk.book.project, &gate(PATH), &record("snow")).unwrap();
        desk.book.put(ROUNDS, there);
        let error = desk.send_back(Over::Any, "no").unwrap_err().error();
        assert_eq!(error.code, "not-written");
        assert_eq!(desk.status(), Status::Answered);
        assert_eq!(fs::read_to_string(desk.book.at(ROUNDS)).unwrap(), there);
    }
}

#[test]
fn an_answer_ends_a_refusal_for_good() {
    let desk = Desk::new();
    desk.send_back(Over::Nothing, "no").unwrap();
    desk.answer();
    assert_eq!(desk.status(), Status::Answered);
    fs::remove_file(desk.book.at(PATH)).unwrap();
    assert_eq!(desk.status(), Status::Waiting);
}

#[test]
fn of_an_answer_and_a_refusal_in_one_moment_the_answer_counts() {
    for _ in 0..60 {
        let desk = Desk::new();
        let start = std::sync::Barrier::new(2);
        let refused = std::thread::scope(|scope| {
            let refused = scope.spawn(|| {
                start.wait();
                desk.send_back(Over::Nothing, "no")
            });
            start.wait();
            desk.answer();
            refused.join().unwrap()
        });
        assert!(matches!(refused, Ok(_) | Err(WriteError::Exists(_))), "{refused:?}");
        assert_eq!(desk.status(), Status::Answered);
        assert_eq!(reply::last(&desk.book.project, &PATH.into()), None, "and stays so without the record");
    }
}

#[test]
fn a_refusal_has_arrived_once_that_is_noted_and_the_next_one_has_not() {
    let desk = Desk::new();
    let (project, path) = (&desk.book.project, PATH.into());
    let first = desk.send_back(Over::Nothing, "no").unwrap().sent;
    let arrived = |by: &str| {
        let delivered =
            Delivered { at: "2026-02-27T10:12:40.000Z".into(), by: by.into(), id: first.id.clone() };
        reply::note_delivered(project, &desk.packet, &path, delivered).unwrap();
        reply::last(project, &path).unwrap()
    };
    assert!(!reply::last(project, &path).unwrap().is_delivered_by(&["wait"]));
    assert!(!arrived("hook").is_delivered_by(&["wait", "wait_gate"]));
    assert!(arrived("wait").is_delivered_by(&["wait", "wait_gate"]));
    assert_eq!(desk.status(), Status::SentBack, "it holds all the same");
    desk.send_back(Over::Nothing, "nor this").unwrap();
    assert!(!reply::last(project, &path).unwrap().is_delivered_by(&["wait"]));
    assert_eq!(arrived("wait").delivered, [], "a late word on the first says nothing of the second");
    // Where nothing can be noted, it has not arrived.
    let lines = fs::read(desk.book.at(ROUNDS)).unwrap();
    fs::remove_file(desk.book.at(ROUNDS)).unwrap();
    fs::create_dir(desk.book.at(ROUNDS)).unwrap();
    let late = Delivered { at: String::new(), by: "wait".into(), id: first.id.clone() };
    let error = reply::note_delivered(project, &desk.packet, &path, late).unwrap_err();
    assert_eq!(error.code, "not-written");
    fs::remove_dir(desk.book.at(ROUNDS)).unwrap();
    desk.book.put(ROUNDS, lines);
    assert_eq!(desk.status(), Status::SentBack);
}

#[test]
fn a_torn_line_and_lines_of_others_say_nothing() {
    let desk = Desk::new();
    desk.send_back(Over::Nothing, "no").unwrap();
    let lines = fs::read_to_string(desk.book.at(ROUNDS)).unwrap();
    let others =
        "{\"event\": \"proposed\"}\n{\"event\": \"taken-back\", \"at\": \"\", \"of\": \"another\"}\n[1]\n";
    desk.book.put(ROUNDS, format!("{lines}{others}{{\"event\": \"taken-ba"));
    assert_eq!(desk.status(), Status::SentBack);
    desk.book.put(ROUNDS, &lines[..lines.len() - 9]);
    assert_eq!(desk.status(), Status::Waiting);
}

#[test]
fn a_reason_is_kept_whatever_it_holds() {
    let desk = Desk::new();
    let long = format!("\u{1b}[31m\u{202e}\"\\\0</author-decisions>{}", "雨\n".repeat(300_000));
    assert_eq!(desk.send_back(Over::Nothing, &long).unwrap().sent.reason.lossy(), long);
    assert_eq!(reply::last(&desk.book.project, &PATH.into()).unwrap().sent.reason.lossy(), long);
    assert_eq!(desk.status(), Status::SentBack);
}

const VERDICT: &str = r#"{"_steps": ["chapter:*:commit"], "version": 1, "topic": "成稿", "questions": [
    {"id": "draft_ok", "header": "验收", "question": "Well?", "kind": "single_choice", "required": true, "allow_other": true,
     "options": [{"label": "Keep", "description": "k"}, {"label": "Again", "description": "a"}], "_opens_on": ["Keep"]},
    {"id": "comment", "header": "意见", "question": "Where?", "kind": "free_text", "required": false}]}"#;

struct Verdict {
    book: Sandbox,
    packet: PathBuf,
    answer_path: JsString,
}

impl Verdict {
    fn new() -> Verdict {
        let book = Sandbox::new();
        book.put("questions/v.question.json", VERDICT);
        book.put("staging/chapters/chapter-048.md", "rain");
        let text = r#"{"step": "chapter:048:commit", "agent": {"kind": "cli", "name": "novel"},
            "expected_outputs": [{"path": "chapters/chapter-048.md", "required": true}]}"#;
        let packet = book.put("staging/manifests/chapter-048-commit.packet.json", text);
        attach(&book.project, &packet).unwrap();
        let answer_path = "staging/novel-ask/v-chapter-048-commit.answers.json".into();
        Verdict { book, packet, answer_path }
    }

    fn submit(&self, label: &str, comment: Option<&str>) -> Result<Outcome, WriteError> {
        let spec = standing::read("v", VERDICT.as_bytes()).standing.unwrap().spec;
        let one = |id: &str, text: &str| (id.to_owned(), Answer::One(text.into()));
        let answers = [("draft_ok", Some(label)), ("comment", comment)];
        let answers = answers.into_iter().filter_map(|(id, text)| Some(one(id, text?))).collect();
        let at = rfc3339_millis(now()).as_str().into();
        let bytes = AnswerSpec::of(&spec, answers, at, "human".into()).to_json();
        let submission = Submission {
            packet: &self.packet,
            answer_path: &self.answer_path,
            asked: &spec_hash(&spec),
            bytes: bytes.as_bytes(),
            rivals: &[],
            seen: None,
            over: Over::Nothing,
        };
        submit(&self.book.project, Ok(&self.book.state), &submission, now())
    }

    fn load(&self) -> Loaded {
        load(&self.book.project, &self.packet).unwrap()
    }
}

#[test]
fn a_label_that_does_not_open_sends_back_whoever_chooses_it() {
    let verdict = Verdict::new();
    let written = fs::read_to_string(&verdict.packet).unwrap();
    assert!(written.contains(r#""options": [{"label": "Keep", "description": "k"}]"#), "{written}");
    let Ok(Outcome::SentBack(returned)) = verdict.submit("Again", Some("第三段")) else {
        panic!("a record")
    };
    assert_eq!(returned.sent.choice, Some("Again".into()));
    assert_eq!(returned.sent.reason, "第三段");
    assert_eq!(verdict.load().status(), Status::SentBack);
    assert!(!verdict.book.at(&verdict.answer_path.lossy()).exists());
    // What holds for the agent that writes anew.
    let line = Delivered { at: returned.sent.at, by: "wait".to_owned(), id: returned.sent.id };
    reply::note_delivered(&verdict.book.project, &verdict.packet, &verdict.answer_path, line).unwrap();
    verdict.book.put("staging/chapters/chapter-048.md", "snow");
    assert_eq!(verdict.load().status(), Status::Waiting);
    let error = verdict.submit("Perhaps", None).unwrap_err().error();
    assert_eq!(error.code, "invalid-answers", "own words are no verdict");
    assert!(matches!(verdict.submit("Keep", None), Ok(Outcome::Written(_))));
    assert_eq!(verdict.load().status(), Status::Answered);
}

#[test]
fn an_approval_is_for_the_text_that_was_there() {
    let verdict = Verdict::new();
    verdict.submit("Keep", None).unwrap();
    assert!(!verdict.load().is_outdated);
    verdict.book.put("staging/chapters/chapter-048.md", "snow");
    assert!(verdict.load().is_outdated);
    verdict.book.put("staging/chapters/chapter-048.md", "rain");
    assert!(!verdict.load().is_outdated);
}

#[test]
fn what_is_said_beside_a_verdict_is_its_reason() {
    let spec = standing::read("v", VERDICT.as_bytes()).standing.unwrap().spec;
    let bytes = |rest: &str| format!(r#"{{"answers": {{"draft_ok": "Again"{rest}, "answered_by": "me"}}"#);
    let why = |rest: &str| {
        Why::in_answers(&spec, bytes(rest).as_bytes()).map(|why| why.reason.lossy().into_owned())
    };
    assert_eq!(why("}").as_deref(), Some(""));
    assert_eq!(why(r#", "comment": "a\nb"}"#).as_deref(), Some("a\nb"));
    assert_eq!(why(r#"}, "_notes": {"draft_ok": "n"}"#).as_deref(), Some("n"));
    let both = why(r#", "comment": "a"}, "_notes": {"draft_ok": "n"}"#);
    assert_eq!(both.as_deref(), Some("验收: n\n意见: a"));
    assert_eq!(Why::in_answers(&spec, br#"{"answers": {"draft_ok": "Keep"}}"#), None);
}
