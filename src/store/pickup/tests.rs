use super::*;
use crate::ask::ExpectedOutput;
use crate::store::testing::{Sandbox, packet_json, record, write_new};
use crate::text::Lang;
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

const PLACE: &str = "staging/novel-ask/a.json";
const NOW: Duration = Duration::from_secs(1_772_187_154);

struct Written {
    sandbox: Sandbox,
    file: std::path::PathBuf,
    packet: Packet,
    record: AnswerSpec,
    receipt: Receipt,
}

impl Written {
    fn new() -> Written {
        let sandbox = Sandbox::new();
        let file = sandbox.put_packet(PLACE);
        let packet = crate::ask::decode_packet(packet_json(PLACE).as_bytes()).unwrap();
        let record = record("mine");
        let gate = packet.gate.as_ref().unwrap();
        let receipt = write_new(&sandbox.project, gate, &record).unwrap();
        Written { sandbox, file, packet, record, receipt }
    }

    fn written_record(&self) -> WrittenRecord<'_> {
        WrittenRecord { file: &self.file, packet: &self.packet, record: &self.record, receipt: &self.receipt }
    }

    fn status(&self) -> WrittenStatus {
        progress(&self.sandbox.project, &self.written_record()).status
    }

    fn put_back(&self, shown: &WrittenStatus) -> Result<Moved, Error> {
        put_back(&self.sandbox.project, &self.sandbox.state, &self.written_record(), shown, UNIX_EPOCH + NOW)
    }

    fn there(&self) -> String {
        fs::read_to_string(self.sandbox.at(PLACE)).unwrap()
    }
}

#[test]
fn a_replacement_is_named_and_ours_comes_back_while_theirs_is_kept() {
    let written = Written::new();
    assert_eq!(written.status(), WrittenStatus::Intact);
    let theirs = AnswerSpec { answered_by: "codex".into(), ..record("theirs") }.to_json();
    written.sandbox.put(PLACE, &theirs);
    let status = written.status();
    let WrittenStatus::Replaced(seen) = &status else { panic!("{status:?}") };
    assert_eq!((seen.by.as_ref(), seen.differs.len()), (Some(&"codex".into()), 1));
    assert!(seen.at.is_some());
    written.put_back(&status).unwrap();
    assert_eq!(written.there(), written.record.to_json());
    assert_eq!(written.status(), WrittenStatus::Intact);
    let kept = history::entries(&written.sandbox.state, &PLACE.into()).unwrap();
    assert!(kept.iter().any(|entry| entry.bytes().unwrap() == theirs.as_bytes()));
}

#[test]
fn what_changed_again_since_it_was_shown_is_untouched() {
    let written = Written::new();
    written.sandbox.put(PLACE, "{}");
    let shown = written.status();
    written.sandbox.put(PLACE, "[]");
    assert_eq!(written.put_back(&shown).unwrap_err().code, "record-changed");
    assert_eq!(written.there(), "[]");
    assert_eq!(written.put_back(&WrittenStatus::Gone).unwrap_err().code, "record-changed");
    assert_eq!(written.there(), "[]");
}

#[test]
fn a_record_that_is_gone_comes_back() {
    let written = Written::new();
    fs::remove_dir_all(written.sandbox.at("staging/novel-ask")).unwrap();
    assert_eq!(written.status(), WrittenStatus::Gone);
    written.put_back(&WrittenStatus::Gone).unwrap();
    assert_eq!(written.there(), written.record.to_json());
}

#[test]
fn a_directory_in_its_place_is_left_alone() {
    let written = Written::new();
    fs::remove_file(written.sandbox.at(PLACE)).unwrap();
    written.sandbox.put(&format!("{PLACE}/inside"), "x");
    let status = written.status();
    assert!(matches!(&status, WrittenStatus::Replaced(theirs) if theirs.sha256.is_none()));
    assert!(!progress(&written.sandbox.project, &written.written_record()).can_be_put_back());
    assert!(written.put_back(&status).is_err());
    assert!(written.sandbox.at(&format!("{PLACE}/inside")).exists());
}

#[test]
fn the_step_is_followed_without_its_packet() {
    let written = Written::new();
    fs::remove_file(&written.file).unwrap();
    let look = || progress(&written.sandbox.project, &written.written_record());
    assert!(!look().past);
    written.sandbox.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    assert!(look().past);
    assert_eq!(look().status, WrittenStatus::Intact);
}

#[test]
fn answers_that_a_running_executor_has_taken_are_no_loss() {
    let mut written = Written::new();
    let place = format!("{}/relay-a.packet.json", crate::store::file::RELAYS);
    written.sandbox.put(&place, packet_json(PLACE));
    written.file = written.sandbox.at(&place);
    let look = |written: &Written| progress(&written.sandbox.project, &written.written_record());
    assert!(!look(&written).is_taken(), "it is still there");
    fs::remove_file(&written.file).unwrap();
    fs::remove_file(written.sandbox.at(PLACE)).unwrap();
    let taken = look(&written);
    assert!(taken.is_taken() && !taken.can_be_put_back());
}

#[test]
fn what_is_there_is_named_and_the_record_is_not() {
    let book = Sandbox::new();
    let packet = book.put_packet("staging/answers/a.json");
    book.put("staging/answers/a.json", "x");
    let mut loaded = gate::load(&book.project, &packet).unwrap();
    assert!(Consequences::of(&book.project, &loaded).is_empty());
    let output = |path: &str| ExpectedOutput { path: path.into(), required: true };
    let paths = ["./staging/answers/a.json", "1", "2", "3", "4", "5", "6", "gone"];
    loaded.packet.expected_outputs = paths.map(output).into();
    for path in &paths[1..7] {
        book.put(path, "made");
    }
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    let found = Consequences::of(&book.project, &loaded);
    assert_eq!((found.outputs.len(), found.passed), (6, true));
    let said: Vec<String> = found.warnings().iter().map(|message| message.text(Lang::En)).collect();
    assert!(said[0].contains("1, 2, 3, 4, 5 and 1 more") && said[1].contains("checkpoint"), "{said:?}");
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 1, "inflight_chapter": 1}"#);
    assert!(!Consequences::of(&book.project, &loaded).passed);
}

#[test]
fn what_was_made_from_answers_is_named_though_their_record_was_spoilt_since() {
    let written = Written::new();
    let (project, output) = (&written.sandbox.project, "staging/chapter.md");
    let mut loaded = gate::load(project, &written.file).unwrap();
    loaded.packet.expected_outputs = vec![ExpectedOutput { path: output.into(), required: true }];
    let made = written.sandbox.put(output, "made");
    loaded.record.bytes = written.there().replace("mine", "").into_bytes();
    loaded.record.state = RecordState::Invalid(Vec::new());
    loaded.record.modified = Some(SystemTime::now() + Duration::from_hours(1));
    assert_eq!(Consequences::of(project, &loaded).outputs.len(), 1);
    let before = time_of("2026-02-27T10:12:00Z").unwrap();
    fs::File::options().write(true).open(made).unwrap().set_modified(before).unwrap();
    assert!(Consequences::of(project, &loaded).is_empty(), "it is older than the answers");
}

#[test]
fn that_ours_was_told_is_known_even_when_it_has_gone() {
    let written = Written::new();
    let hearing = || progress(&written.sandbox.project, &written.written_record()).hearing;
    assert_eq!(hearing(), None);
    let line = format!(
        r#"{{"event": "told", "at": "2026-02-27T10:12:34.000Z", "by": "wait", "record": "{}"}}"#,
        written.receipt.sha256
    );
    written.sandbox.put("staging/novel-ask/a.rounds.jsonl", line + "\n");
    assert_eq!(hearing().map(|hearing| hearing.told().len()), Some(1));
    fs::remove_file(written.sandbox.at(PLACE)).unwrap();
    assert_eq!(hearing().map(|hearing| hearing.told().len()), Some(1));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_record_that_leads_out_of_the_project_now_is_not_ours() {
    let written = Written::new();
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs::write(outside.path(), written.there()).unwrap();
    fs::remove_file(written.sandbox.at(PLACE)).unwrap();
    crate::platform::testing::symlink(outside.path(), written.sandbox.at(PLACE)).unwrap();
    let status = written.status();
    let WrittenStatus::Replaced(seen) = &status else { panic!("{status:?}") };
    assert_eq!((&seen.by, &seen.sha256, seen.differs.len()), (&None, &None, 0));
    written.put_back(&status).unwrap_err();
    assert!(written.sandbox.at(PLACE).is_symlink() && outside.path().exists());
}

#[test]
fn what_was_written_with_other_bytes_and_is_kept_nowhere_is_not_made_up() {
    let mut written = Written::new();
    written.receipt.sha256 = sha256(b"other bytes");
    fs::remove_file(written.sandbox.at(PLACE)).unwrap();
    let error = written.put_back(&WrittenStatus::Gone).unwrap_err();
    assert_eq!((error.kind, error.code), (ExitCode::Failed, "not-kept"));
    assert_eq!(error.text(Lang::En), "The history does not have what was written here; nothing was changed.");
    assert!(!written.sandbox.at(PLACE).exists());
    assert_eq!(history::entries(&written.sandbox.state, &PLACE.into()).unwrap(), []);
}
