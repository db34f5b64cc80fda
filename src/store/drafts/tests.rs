use super::*;
use crate::ask::decode_spec;
use crate::store::Project;
use std::os::unix::fs::PermissionsExt;
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
        answer_path: "staging/novel-ask/a.json".into(),
        spec: Arc::clone(spec),
        draft,
        orphans: Vec::new(),
        at: 1,
        saved_at: "2026-02-27T10:12:34.000Z".into(),
    }
}

fn words(loaded: &Loaded) -> String {
    loaded.draft.as_ref().map(|saved| saved.draft.replies[1].text.display().into_owned()).unwrap_or_default()
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
    assert!(!drafts.has(&job.answer_path));
    drafts.save(&job).unwrap();
    assert!(drafts.has(&job.answer_path));
    let loaded = drafts.load(&"./staging//novel-ask/a.json".into(), &spec);
    assert_eq!(loaded.set_aside, vec![]);
    let saved = loaded.draft.unwrap();
    assert_eq!(saved.draft, job.draft);
    assert_eq!((saved.at, saved.saved_at, saved.spec_changed), (1, job.saved_at, false));
    assert_eq!(saved.packet, job.packet);
}

#[test]
fn only_the_author_can_read_it() {
    let (_state, drafts) = drafts();
    let spec = spec(B);
    drafts
        .save(&DraftJob { draft: Draft::new(&spec), ..job(&self::spec(&format!("{A},{B}")), "x") })
        .unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = drafts.path(&"staging/novel-ask/a.json".into());
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
}

#[test]
fn a_changed_spec_keeps_what_fits_and_hands_back_the_rest() {
    let (_state, drafts) = drafts();
    let mut job = job(&spec(&format!("{A},{B}")), "kept");
    job.orphans = vec![Orphan { id: "old".into(), words: "earlier".into() }];
    job.at = 7;
    drafts.save(&job).unwrap();
    let saved = drafts.load(&job.answer_path, &spec(A)).draft.unwrap();
    assert!(saved.spec_changed);
    assert_eq!(saved.at, 1);
    assert_eq!(saved.draft.replies[1].text, "kept");
    let orphans: Vec<_> = saved.orphans.iter().map(|orphan| orphan.words.display().into_owned()).collect();
    assert_eq!(orphans, ["earlier", "b"]);
}

#[test]
fn the_generation_before_is_kept_and_used_when_the_newest_is_torn() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    drafts.save(&job(&spec, "first")).unwrap();
    drafts.save(&job(&spec, "second")).unwrap();
    let path = drafts.path(&"staging/novel-ask/a.json".into());
    let whole = fs::read(&path).unwrap();
    for cut in [0, 1, whole.len() / 2, whole.len() - 3] {
        fs::write(&path, &whole[..cut]).unwrap();
        let loaded = drafts.load(&"staging/novel-ask/a.json".into(), &spec);
        assert_eq!(words(&loaded), "first");
        assert_eq!(loaded.set_aside.len(), 1);
        assert_eq!(loaded.set_aside[0].fault, DraftFault::Damaged);
        assert_eq!(fs::read(&loaded.set_aside[0].path).unwrap(), &whole[..cut]);
        assert!(!path.exists());
    }
}

#[test]
fn newer_and_foreign_files_are_set_aside_not_used() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    let answer_path: JsString = "staging/novel-ask/a.json".into();
    drafts.save(&job(&spec, "x")).unwrap();
    let path = drafts.path(&answer_path);
    let whole = fs::read_to_string(&path).unwrap();
    for (text, fault) in [
        (whole.replace("\"version\": 1", "\"version\": 2"), DraftFault::Newer(2.0)),
        (whole.replace("novel-ask/a.json", "novel-ask/b.json"), DraftFault::OtherGate),
        ("[]".to_owned(), DraftFault::NotADraft),
        ("{\"version\": 1}".to_owned(), DraftFault::NotADraft),
    ] {
        fs::write(&path, text).unwrap();
        let loaded = drafts.load(&answer_path, &spec);
        assert_eq!(loaded.draft, None);
        assert_eq!(loaded.set_aside.iter().map(|aside| aside.fault.clone()).collect::<Vec<_>>(), [fault]);
        assert!(loaded.set_aside[0].path.to_string_lossy().ends_with(".bad"));
        for lang in [Lang::En, Lang::ZhCn] {
            assert!(loaded.set_aside[0].sentence(lang).contains(".bad"));
        }
    }
}

#[test]
fn removing_takes_both_generations() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    let job = job(&spec, "x");
    drafts.remove(&job.answer_path).unwrap();
    drafts.save(&job).unwrap();
    drafts.save(&job).unwrap();
    drafts.remove(&job.answer_path).unwrap();
    assert!(!drafts.has(&job.answer_path));
    assert_eq!(drafts.load(&job.answer_path, &spec), Loaded::default());
}

#[test]
fn every_spelling_of_a_place_has_one_draft_and_an_older_name_is_found() {
    use crate::store::state::spelled_key;
    let (dir, drafts) = drafts();
    std::fs::create_dir(dir.path().join("staging")).unwrap();
    std::os::unix::fs::symlink("staging", dir.path().join("way")).unwrap();
    let spec = spec(&format!("{A},{B}"));
    let plain = JsString::from("staging/novel-ask/a.json");
    let linked = JsString::from("way/novel-ask/a.json");
    drafts.save(&job(&spec, "one")).unwrap();
    assert_eq!(words(&drafts.load(&linked, &spec)), "one");
    drafts.remove(&linked).unwrap();
    assert!(!drafts.has(&plain));

    // As a version before this one has left it.
    drafts.save(&DraftJob { answer_path: linked.clone(), ..job(&spec, "old") }).unwrap();
    drafts.keep_edited(&linked, "edited").unwrap();
    let older = |ending: &str| drafts.dir.join(spelled_key(&linked) + ending);
    std::fs::rename(drafts.path(&plain), older(".json")).unwrap();
    std::fs::rename(drafts.path_with(&plain, ".edited"), older(".edited")).unwrap();
    assert!(!drafts.has(&plain) && drafts.has(&linked));
    assert_eq!(words(&drafts.load(&linked, &spec)), "old");
    assert_eq!(drafts.edited(&linked).as_deref(), Some("edited"));
    drafts.save(&DraftJob { answer_path: linked.clone(), ..job(&spec, "new") }).unwrap();
    assert_eq!(words(&drafts.load(&linked, &spec)), "new");
    drafts.remove(&linked).unwrap();
    drafts.forget_edited(&linked).unwrap();
    assert!(!drafts.has(&linked) && drafts.edited(&linked).is_none());
}

#[test]
fn removing_leaves_what_another_running_program_has_kept() {
    let spec = spec(&format!("{A},{B}"));
    let job = job(&spec, "x");
    // It lives until its input ends.
    let mut running = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let mut ended = Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    for (pid, stays) in [(running.id(), true), (ended.id(), false)] {
        let (_state, drafts) = drafts();
        drafts.save(&job).unwrap();
        let path = drafts.path(&job.answer_path);
        let own = format!("\"pid\": {},", std::process::id());
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&own));
        fs::write(&path, text.replace(&own, &format!("\"pid\": {pid},"))).unwrap();
        drafts.remove(&job.answer_path).unwrap();
        assert_eq!(words(&drafts.load(&job.answer_path, &spec)) == "x", stays);
        assert_eq!(fs::read_dir(&drafts.dir).unwrap().count(), usize::from(stays), "nothing else is left");
    }
    drop(running.stdin.take());
    running.wait().unwrap();
}

#[test]
fn a_save_that_cannot_be_done_leaves_the_draft_that_was_there() {
    let (_state, drafts) = drafts();
    let spec = spec(&format!("{A},{B}"));
    drafts.save(&job(&spec, "kept")).unwrap();
    // A directory in the place of the older generation makes the first rename fail, whoever runs the test.
    fs::create_dir(drafts.path_with(&"staging/novel-ask/a.json".into(), ".json.1")).unwrap();
    assert!(drafts.save(&job(&spec, "lost")).is_err());
    assert_eq!(words(&drafts.load(&"staging/novel-ask/a.json".into(), &spec)), "kept");
    let left: Vec<_> = fs::read_dir(&drafts.dir).unwrap().collect();
    assert_eq!(left.len(), 2, "the temporary file is gone: {left:?}");
}

#[test]
fn what_a_kill_left_behind_is_swept_after_an_hour() {
    let (dir, drafts) = drafts();
    let job = job(&spec(&format!("{A},{B}")), "x");
    drafts.save(&job).unwrap();
    let path = drafts.path(&job.answer_path);
    let left = path.with_file_name(".draft-x7.tmp");
    fs::write(&left, "half").unwrap();
    let written = fs::metadata(&left).unwrap().modified().unwrap();
    drafts.sweep(written + Duration::from_mins(59));
    assert!(left.exists(), "it may still be in the making");
    drafts.sweep(written + Duration::from_hours(1));
    assert!(!left.exists() && path.exists());
    drop(dir);
}
