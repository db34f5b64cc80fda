use super::*;
use crate::ask::{Reply, decode_spec};
use crate::store::Project;
use crate::text::Lang;
use std::process::{Command, Stdio};

fn spec(options: &str) -> Arc<QuestionSpec> {
    let json = format!(
        r#"{{"version":1,"topic":"t","questions":[
        {{"id":"one","header":"h","question":"q","kind":"single_choice","required":true,"options":[{options}]}},
        {{"id":"text","header":"h","question":"q","kind":"free_text","required":true}}]}}"#
    );
    Arc::new(decode_spec(json.as_bytes()).expect("a legal spec"))
}

const A: &str = r#"{"label":"a\ud800","description":"d"}"#;
const B: &str = r#"{"label":"b","description":"d"}"#;

fn job(spec: &Arc<QuestionSpec>, words: &str) -> DraftJob {
    let mut draft = Draft::new(spec);
    draft.replies[0].choose(1);
    draft.replies[1].type_text(words);
    DraftJob {
        packet: "staging/manifests/章节.packet.json".into(),
        step: None,
        answer_path: "staging/novel-ask/a.json".into(),
        spec: Arc::clone(spec),
        draft,
        orphans: Vec::new(),
        at: 1,
        saved_at: "2026-02-27T10:12:34.000Z".into(),
    }
}

fn words(loaded: &Result<Option<SavedDraft>, Error>) -> String {
    let saved = loaded.as_ref().ok().and_then(Option::as_ref);
    saved.map(|saved| saved.job.draft.replies[1].text.display().into_owned()).unwrap_or_default()
}

fn drafts() -> (tempfile::TempDir, Drafts) {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::open(dir.path()).unwrap();
    let drafts = Drafts::new(&StateDir::new(&dir.path().join("state"), &project));
    (dir, drafts)
}

#[test]
fn a_draft_comes_back_with_its_place_and_time() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    let job = job(&spec, "\u{3000}第一行\n\u{1b}[31m");
    drafts.save(&job).unwrap();
    let saved = drafts.load(&"./staging//novel-ask/a.json".into(), &spec).unwrap().unwrap();
    assert_eq!(saved.job.draft, job.draft);
    assert_eq!((saved.job.at, saved.job.saved_at, saved.asked), (1, job.saved_at, None));
    assert_eq!(saved.job.packet, job.packet);
}

#[test]
fn a_draft_in_the_open_form_is_restored_as_from_the_disk() {
    let (_state, drafts) = drafts();
    let (old, new) = (spec(&format!("{A},{B}")), spec(A));
    let job = DraftJob { at: 7, ..job(&old, "words") };
    drafts.save(&job).unwrap();
    let read = drafts.load(&job.answer_path, &new).unwrap().unwrap();
    let restored = job.clone().restored(&new);
    assert_eq!((restored.asked.as_ref(), restored.job.at), (Some(&*old), 1));
    assert_eq!((&restored.job.draft, &restored.job.orphans), (&read.job.draft, &read.job.orphans));
    assert_eq!(job.restored(&old).asked, None);
}

#[test]
fn a_changed_spec_keeps_what_fits_and_hands_back_the_rest() {
    let (_state, drafts) = drafts();
    let mut job = job(&spec(&format!("{A},{B}")), "kept");
    job.orphans = vec![Orphan { id: "old".into(), words: "earlier".into() }];
    job.at = 7;
    drafts.save(&job).unwrap();
    let saved = drafts.load(&job.answer_path, &spec(A)).unwrap().unwrap();
    assert!(saved.asked.is_some());
    assert_eq!(saved.job.at, 1);
    assert_eq!(saved.job.draft.replies[1].text, "kept");
    let orphans: Vec<_> =
        saved.job.orphans.iter().map(|orphan| orphan.words.display().into_owned()).collect();
    assert_eq!(orphans, ["earlier", "b"]);
}

/// Gives the draft of this process to another one.
fn give_to(drafts: &Drafts, pid: u32) {
    drafts.state.write(|state| state.execute("UPDATE drafts SET pid = ?1", [pid])).unwrap();
}

/// The number of a process that has ended.
fn ended() -> u32 {
    crate::platform::testing::ended()
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn removing_takes_every_spelling_of_a_place() {
    let (dir, drafts) = drafts();
    std::fs::create_dir(dir.path().join("staging")).unwrap();
    crate::platform::testing::symlink("staging", dir.path().join("way")).unwrap();
    let spec = spec(&format!("{A},{B}"));
    let [plain, linked] = ["staging", "way"].map(|dir| JsString::from(format!("{dir}/novel-ask/a.json")));
    drafts.remove(&plain).unwrap();
    assert!(!drafts.state.path().exists(), "nothing is made where nothing is kept");
    drafts.save(&job(&spec, "one")).unwrap();
    drafts.save(&DraftJob { answer_path: linked.clone(), ..job(&spec, "two") }).unwrap();
    assert_eq!(words(&drafts.load(&plain, &spec)), "two");
    drafts.remove(&linked).unwrap();
    assert_eq!(drafts.load(&plain, &spec), Ok(None));
    drafts.set_edited(&linked, Some("edited")).unwrap();
    assert_eq!(drafts.edited(&plain).as_deref(), Some("edited"));
    drafts.set_edited(&plain, None).unwrap();
    assert_eq!(drafts.edited(&linked), None);
}

#[test]
fn what_was_written_beside_the_answers_outlives_them() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    let mut job = job(&spec, "answered");
    drafts.save(&job).unwrap();
    drafts.settle(&job.answer_path, &spec).unwrap();
    assert_eq!(drafts.load(&job.answer_path, &spec), Ok(None), "all of it is in the record");
    job.draft.replies[0].other = "typed".into();
    let picked = job.draft.replies[0].clone();
    job.draft.replies[0].put_aside(picked);
    job.draft.replies[1].put_aside(Reply { text: "before".into(), ..Reply::default() });
    drafts.save(&job).unwrap();
    drafts.settle(&job.answer_path, &spec).unwrap();
    let kept = drafts.load(&job.answer_path, &spec).unwrap().unwrap().job.draft;
    assert_eq!(kept.replies[0].other, "typed");
    assert_eq!(kept.replies[1].alternatives[0].text, "before");
    assert_eq!(kept.progress(&spec).answered, 0);
}

#[test]
fn older_words_that_another_program_left_elsewhere_do_not_replace_newer_ones() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    let at = |saved_at: &str, words: &str| DraftJob { saved_at: saved_at.into(), ..job(&spec, words) };
    let left = Writer { host: "elsewhere".into(), pid: 7 };
    for (saved_at, typed, kept) in
        [("t2", "newer", "newer"), ("t1", "older", "newer"), ("t2", "same", "same")]
    {
        drafts.save_of(&at(saved_at, typed), &left).unwrap();
        let saved = drafts.peek(&"staging/novel-ask/a.json".into(), &spec).unwrap();
        assert_eq!(saved.job.draft.replies[1].text, kept);
    }
    // The clock may have been put back.
    drafts.save(&at("t2", "mine")).unwrap();
    drafts.save(&at("t1", "mine, later")).unwrap();
    let saved = drafts.peek(&"staging/novel-ask/a.json".into(), &spec).unwrap();
    assert_eq!(saved.job.draft.replies[1].text, "mine, later");
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn settling_leaves_what_another_running_program_has_kept() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    let mut job = job(&spec, "x");
    job.draft.replies[0].other = "beside".into();
    let mut running = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    drafts.save(&job).unwrap();
    give_to(&drafts, running.id());
    drafts.settle(&job.answer_path, &spec).unwrap();
    let count =
        |state: &Connection| state.query_row("SELECT count(*) FROM drafts", [], |row| row.get::<_, i64>(0));
    assert_eq!(drafts.state.read(count).unwrap(), Some(1), "nothing of it became this one's");
    assert_eq!(words(&drafts.load(&job.answer_path, &spec)), "x");
    drop(running.stdin.take());
    running.wait().unwrap();
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn removing_leaves_what_another_running_program_has_kept() {
    let spec = spec(&format!("{A},{B}"));
    let job = job(&spec, "x");
    // It lives until its input ends.
    let mut running = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    for (pid, stays) in [(running.id(), true), (ended(), false)] {
        let (_state, drafts) = drafts();
        drafts.save(&job).unwrap();
        give_to(&drafts, pid);
        drafts.remove(&job.answer_path).unwrap();
        assert_eq!(words(&drafts.load(&job.answer_path, &spec)) == "x", stays);
    }
    drop(running.stdin.take());
    running.wait().unwrap();
}

#[test]
fn two_consoles_on_one_gate_lose_no_words_of_each_other() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    let mut first = job(&spec, "the first author's");
    first.draft.replies[1].note = "why not".into();
    first.orphans.push(Orphan { id: "gone".into(), words: "from before".into() });
    drafts.save(&first).unwrap();
    give_to(&drafts, ended());
    let mut second = job(&spec, "the second author's");
    second.draft.replies[1].note = "why".into();
    second.orphans.clone_from(&first.orphans);
    drafts.save(&second).unwrap();
    // Both are killed, and a third one comes; it is killed too.
    give_to_newest(&drafts, ended());
    for _ in 0..3 {
        let saved = drafts.load(&second.answer_path, &spec).unwrap().unwrap();
        let reply = &saved.job.draft.replies[1];
        assert_eq!((reply.text.clone(), reply.note.clone()), ("the second author's".into(), "why".into()));
        assert_eq!(reply.alternatives.len(), 1);
        assert_eq!(reply.alternatives[0].text, "the first author's");
        let note = Orphan { id: "text".into(), words: "why not".into() };
        assert_eq!(saved.job.orphans, [first.orphans[0].clone(), note], "each once");
        drafts
            .save(&DraftJob { draft: saved.job.draft, orphans: saved.job.orphans, ..second.clone() })
            .unwrap();
        give_to_newest(&drafts, ended());
    }
    drafts.remove(&second.answer_path).unwrap();
    assert_eq!(drafts.load(&second.answer_path, &spec), Ok(None));
}

fn give_to_newest(drafts: &Drafts, pid: u32) {
    let sql = "UPDATE drafts SET pid = ?1 WHERE seq = (SELECT max(seq) FROM drafts)";
    drafts.state.write(|state| state.execute(sql, [pid])).unwrap();
}

#[test]
fn a_save_that_cannot_be_done_leaves_the_draft_that_was_there() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    drafts.save(&job(&spec, "kept")).unwrap();
    drafts.state.fill_disk();
    let error = drafts.save(&job(&spec, &"lost".repeat(99_999))).unwrap_err();
    assert_eq!(reason(error), crate::error::io_cause(&std::io::ErrorKind::StorageFull.into()));
    assert_eq!(words(&drafts.load(&"staging/novel-ask/a.json".into(), &spec)), "kept");
}

#[test]
#[cfg_attr(windows, ignore = "a database that is open cannot be removed there")]
fn a_damaged_file_is_told_of_and_hinders_nothing() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    drafts.save(&job(&spec, "lost")).unwrap();
    let file = drafts.state.database().to_owned();
    std::fs::remove_file(file.with_extension("sqlite3-wal")).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "torn ".repeat(999)).unwrap();
    let loaded = drafts.load(&"staging/novel-ask/a.json".into(), &spec);
    assert_eq!(loaded, Ok(None));
    let notice = drafts.state.take_notices().expect("whoever loads does not take it");
    for lang in [Lang::En, Lang::ZhCn] {
        assert!(notice.text(lang).contains("state.sqlite3.bad"));
    }
    drafts.save(&job(&spec, "new")).unwrap();
    let loaded = drafts.load(&"staging/novel-ask/a.json".into(), &spec);
    assert_eq!(words(&loaded), "new");
}
