use super::cache::READ;
use super::*;
use crate::store::disk::Disk;
use crate::store::gate::load;
use crate::store::rounds::note_told;
use crate::store::scan;
use crate::store::testing::{Sandbox, gate, packet_json, record, write_new};
use std::fs;
use std::time::{Duration, SystemTime};

const RECORD: &str = "staging/novel-ask/a.answers.json";

fn line(at: u32, record: &str) -> Told {
    let at = format!("2026-02-27T10:12:{at:02}.000Z");
    Told {
        at,
        agent: Some("chapter-writer".to_owned()),
        by: "claude-code".to_owned(),
        record: record.to_owned(),
    }
}

#[test]
fn only_answers_ahead_of_the_checkpoint_are_asked_after_and_not_too_many() {
    let book = Sandbox::new();
    let project = Arc::new(Project::open(book.project.root()).unwrap());
    let put = |chapter: usize, is_answered: bool| {
        let answers = format!("staging/novel-ask/{chapter}.json");
        let packet = packet_json(&answers).replace("chapter:001", &format!("chapter:{chapter:03}"));
        book.put(&format!("staging/manifests/{chapter}.packet.json"), packet);
        if is_answered {
            book.put(&answers, record("rain").to_json());
        }
    };
    let asked_after = || {
        let entries = scan::look(&project, SystemTime::now()).entries();
        let steps = asked_after(&entries).map(|entry| entry.title().into_owned());
        steps.collect::<Vec<String>>()
    };
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    put(1, true);
    put(2, true);
    put(3, false);
    assert_eq!(asked_after(), ["chapter:002:draft"]);
    (4..=NEWEST + 4).for_each(|chapter| put(chapter, true));
    assert_eq!(asked_after().len(), NEWEST);
}

#[test]
fn a_step_that_goes_on_untold_is_known_by_its_outputs() {
    let book = Sandbox::new();
    let outputs =
        "{\"expected_outputs\": [{\"path\": \"staging/chapters/chapter-001.md\", \"required\": true}],";
    let packet =
        book.put("staging/manifests/step.packet.json", packet_json(RECORD).replacen('{', outputs, 1));
    let look = || hearing(&book.project, &load(&book.project, &packet).unwrap());
    assert_eq!(look(), None, "nothing was decided");
    write_new(&book.project, &gate(RECORD), &record("rain")).unwrap();
    assert_eq!(look(), None, "nothing was made");
    book.put("staging/chapters/chapter-001.md", "rain");
    assert_eq!(look(), Some(Hearing::Untold));
    let record = load(&book.project, &packet).unwrap().record.sha256();
    note_told(&book.project, &packet, &RECORD.into(), line(1, "another record")).unwrap();
    assert_eq!(look(), Some(Hearing::Untold));
    note_told(&book.project, &packet, &RECORD.into(), line(2, &record)).unwrap();
    assert_eq!(look(), Some(Hearing::Told(vec![line(2, &record)])));
}

/// A disk on which it is always this time.
#[derive(Debug)]
struct At(SystemTime);

impl Disk for At {
    fn now(&self) -> SystemTime {
        self.0
    }
}

/// A project of answered gates, each of whose steps is to make `NUMBER.md`.
fn answered(count: usize) -> Sandbox {
    let book = Sandbox::new();
    for n in 0..count {
        let packet = packet_json(&format!("staging/novel-ask/{n}.answers.json"));
        let outputs = format!("{{\"expected_outputs\": [{{\"path\": \"{n}.md\", \"required\": true}}],");
        book.put(&format!("staging/manifests/{n}.packet.json"), packet.replacen('{', &outputs, 1));
        book.put(&format!("staging/novel-ask/{n}.answers.json"), record("rain").to_json());
    }
    book
}

fn entries(project: &Project) -> Vec<Arc<Entry>> {
    scan::look(&Arc::new(Project::open(project.root()).unwrap()), SystemTime::now()).entries()
}

/// How many gates a look reads, and what it finds.
fn look(cache: &mut HearingCache, project: &Project, entries: &[Arc<Entry>]) -> (usize, Vec<Hearing>) {
    let before = READ.get();
    let mut found: Vec<_> = cache.hearings(project, asked_after(entries)).into_iter().collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    (READ.get() - before, found.into_iter().map(|(_, hearing)| hearing).collect())
}

#[test]
fn a_look_reads_only_gates_whose_files_have_changed() {
    let book = answered(4);
    let (project, _) = book.on(At(SystemTime::now() + Duration::from_hours(1)));
    let (mut cache, entries) = (HearingCache::default(), entries(&project));
    let mut look = || look(&mut cache, &project, &entries);
    assert_eq!(look(), (4, vec![]));
    assert_eq!(look(), (0, vec![]));
    book.put("2.md", "rain");
    assert_eq!(look(), (1, vec![Hearing::Untold]));
    assert_eq!(look(), (0, vec![Hearing::Untold]));
    let packet = book.at("staging/manifests/2.packet.json");
    let hash = load(&project, &packet).unwrap().record.sha256();
    note_told(&project, &packet, &"staging/novel-ask/2.answers.json".into(), line(1, &hash)).unwrap();
    let told = || vec![Hearing::Told(vec![line(1, &hash)])];
    assert_eq!(look(), (1, told()));
    assert_eq!(look(), (0, told()));
    book.put("staging/novel-ask/2.answers.json", record("snow").to_json());
    assert_eq!(look(), (1, vec![Hearing::Untold]));
    fs::remove_file(book.at("2.md")).unwrap();
    assert_eq!(look(), (1, vec![]));
    fs::write(&packet, fs::read_to_string(&packet).unwrap().replace("2.md", "3.md")).unwrap();
    assert_eq!(look(), (1, vec![]));
    book.put("3.md", "rain");
    assert_eq!(look(), (2, vec![Hearing::Untold, Hearing::Untold]));
    let reads: Vec<usize> = (0..64).map(|_| look().0).filter(|read| *read > 0).collect();
    assert_eq!(reads, [4, 4], "now and then everything, for what has left no trace");
}

#[test]
fn files_that_may_change_without_a_trace_are_read_again() {
    let book = answered(2);
    let (project, _) = book.on(At(SystemTime::now()));
    let (mut cache, entries) = (HearingCache::default(), entries(&project));
    let mut look = || look(&mut cache, &project, &entries).0;
    assert_eq!((look(), look()), (2, 2));
}
