//! What a search of the history costs: `cargo bench --bench history [-- FILTER]`.
//!
//! Makes 10,000 entries in a directory of its own, 20 a gate, and searches them with a
//! warm cache. The budget is 50 ms a search. A show, not a test: nothing here fails by time.

use novel_gate::ask::{AnswerSpec, Draft, Gate, decode_packet};
use novel_gate::console::files::Files;
use novel_gate::console::history::read::load_entry;
use novel_gate::console::history::view::Scope;
use novel_gate::store::history::{Note, Reason, Search, Story, add, search};
use novel_gate::store::{Project, StateDir, SystemClock};
use rusqlite::Connection;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

const GATES: usize = 500;
const ENTRIES: usize = 20;
const RUNS: usize = 15;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    // Each entry is brought to the disk, which takes minutes where that is no memory; a search reads the cache anyway.
    let memory = Path::new("/dev/shm");
    let top = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let top = top.expect("a directory");
    let project = Project::open(top.path()).expect("a project");
    let state = StateDir::new(&top.path().join("state"), &project);
    let start = Instant::now();
    fill(&state);
    println!("{} entries made in {:.1} s", GATES * ENTRIES, start.elapsed().as_secs_f64());
    println!("{:44} {:>12} {:>12} {:>8}", "job", "median", "fastest", "found");
    let everything = Search::default();
    let run = |name: &str, what: &Search| {
        if filter.as_ref().is_none_or(|filter| name.contains(filter.as_str())) {
            show(name, || search(&state, what).expect("a history").len());
        }
    };
    show("opened anew: words", || search(&state.apart(), &words("第 137 章的雨")).expect("a history").len());
    run("words, a few hits", &words("第 137 章的雨"));
    run("words, no hit", &words("没有这句话"));
    run("words, every entry", &words("天色"));
    run("question", &Search { question: Some("note_137".into()), ..Search::default() });
    run("step", &Search { step: Some("chapter:137:draft".into()), ..Search::default() });
    run("one gate", &Search { answer_path: Some("staging/novel-ask/137.json".into()), ..Search::default() });
    run("since", &Search { since: Some(at(GATES * ENTRIES - 10)), ..Search::default() });
    run("everything", &everything);
    on_the_screen(project, state);
}

/// What a letter typed into the history screen's search costs, and what moving to another entry does.
fn on_the_screen(project: Project, state: StateDir) {
    let of_gate = |number: usize| Scope::Gate {
        packet: "gone.json".into(),
        answer_path: Some(format!("staging/novel-ask/{number:03}.json").as_str().into()),
    };
    let files = Files::new(Arc::new(project), state, Arc::new(SystemClock::default()), None);
    let read = |scope: Scope, words: &str| {
        files.read_history(&scope, words, None).map_or_else(|_| Vec::new(), |found| found.rows)
    };
    show("screen: project, every entry", || read(Scope::Project, "").len());
    show("screen: project, words in every entry", || read(Scope::Project, "天色").len());
    show("screen: project, words, a few hits", || read(Scope::Project, "第 137 章的雨").len());
    gather(&files.state);
    show("screen: one gate of all entries", || read(of_gate(0), "").len());
    show("screen: the same, words in every entry", || read(of_gate(0), "天色").len());
    let rows = read(of_gate(0), "");
    show("screen: what one of its entries says", || {
        load_entry(&rows[0], &files.project).since.questions.len()
    });
}

/// Gives all entries to the first gate.
fn gather(state: &StateDir) {
    let first = state.gate_key(&"staging/novel-ask/000.json".into());
    let connection = Connection::open(state.database()).expect("the state");
    connection.execute("UPDATE entries SET gate = ?1", [first]).expect("moved");
}

fn words(text: &str) -> Search {
    Search { text: Some(text.to_owned()), ..Search::default() }
}

fn show(name: &str, job: impl Fn() -> usize) {
    let mut found = 0;
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            found = black_box(job());
            start.elapsed()
        })
        .collect();
    times.sort();
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    println!("{name:44} {:>12} {:>12} {found:>8}", ms(times[RUNS / 2]), ms(times[0]));
}

fn at(entry: usize) -> SystemTime {
    SystemTime::now() - Duration::from_mins((GATES * ENTRIES - entry) as u64)
}

fn fill(state: &StateDir) {
    for number in 0..GATES {
        let gate = gate(number);
        let step = format!("chapter:{number:03}:draft").as_str().into();
        for entry in 0..ENTRIES {
            let story = Story {
                answer_path: &gate.answer_path,
                packet: None,
                step: Some(&step),
                spec: Some(&gate.spec),
                novel_ask: None,
            };
            let bytes = record(&gate, number, entry).to_json();
            let note = Note { reason: Reason::Seen, of: None, bytes: bytes.as_bytes() };
            add(state, &story, &note, at(entry * GATES + number)).expect("an entry");
        }
    }
}

fn gate(number: usize) -> Gate {
    let json = format!(
        r#"{{"answer_path":"staging/novel-ask/{number:03}.json","novel_ask":{{"version":1,"topic":"第 {number} 章","questions":[
        {{"id":"mood","header":"氛围","question":"这一章的氛围是什么？","kind":"single_choice","required":true,
         "options":[{{"label":"紧张","description":"步步紧逼"}},{{"label":"舒缓","description":"留一口气"}}]}},
        {{"id":"note_{number}","header":"备注","question":"还有什么要交代的？","kind":"free_text","required":true}}]}}}}"#
    );
    decode_packet(json.as_bytes()).expect("a packet").gate.expect("a gate")
}

fn record(gate: &Gate, number: usize, entry: usize) -> AnswerSpec {
    let mut draft = Draft::blank(&gate.spec);
    draft.replies[0].choose(entry % 2);
    let sentence = format!("第 {number} 章的雨停在第 {entry} 稿，天色将晚，他把门掩上，听见远处的车声。");
    draft.replies[1].type_text(&sentence.repeat(6));
    draft.record(&gate.spec, "2026-02-27T10:12:34.056Z", &"human".into())
}
