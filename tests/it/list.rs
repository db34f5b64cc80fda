//! `list` and `paths`, through the built binary.

mod watch;

use super::project::Book;
use novel_gate::ask::{Draft, decode_packet};
use novel_gate::platform::paths::Shown as _;
use novel_gate::store::drafts::{DraftJob, Drafts};
use novel_gate::store::{Project, StateDir};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[test]
fn every_gate_is_listed_with_its_state_in_the_order_of_the_inbox() {
    let book = Book::new();
    for (name, at) in [("old", 1), ("new", 9)] {
        book.put_packet(name, &format!("staging/novel-ask/{name}.json"));
        book.set_age(&format!("staging/manifests/{name}.packet.json"), at);
    }
    book.put_packet("done", "staging/novel-ask/done.json").put("staging/novel-ask/done.json", Book::RECORD);
    book.put_packet("bad", "staging/novel-ask/bad.json").put("staging/novel-ask/bad.json", "[]");
    book.put("staging/torn.packet.json", "[]").put("staging/free.packet.json", "{\"step\":\"free\"}");
    let outcome = book.run(&["list"]);
    assert_eq!((outcome.exit, outcome.err.as_str()), (0, ""));
    let lines: Vec<&str> = outcome.out.lines().filter(|line| !line.starts_with(' ')).collect();
    let begins = [
        "waiting    step:old",
        "waiting    step:new",
        "blocked    step:bad",
        "malformed  torn",
        "answered   step:done",
    ];
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin), "{line}");
    }
    assert_eq!(lines[5], "2 waiting, 1 blocked, 1 malformed, 1 answered.");
    assert_eq!(lines.len(), 6);
    assert!(book.run(&["list", "--all"]).out.contains("no gate    free"));
    let chinese = book.run(&["list", "--lang", "zh-CN"]);
    assert!(chinese.out.contains("已回答      step:done"), "{}", chinese.out);
}

#[test]
fn programs_get_one_object_with_exact_strings() {
    let book = Book::new();
    book.put_packet("a", "staging/novel-ask/a.json").put("staging/novel-ask/a.json", Book::RECORD);
    book.put_packet("\\u001b[31mred", "staging/.git/x.json");
    let json = book.run(&["list", "--json"]).json();
    assert_eq!((json["waiting"].as_u64(), json["answered"].as_u64()), (Some(1), Some(1)));
    let gates = json["gates"].as_array().expect("a list");
    let red = gates.iter().find(|gate| gate["step"] == "step:\u{1b}[31mred").expect("the exact step");
    assert_eq!(
        (&red["status"], &red["writable"], &red["refusal"]),
        (&"waiting".into(), &false.into(), &"git".into())
    );
    let done = gates.iter().find(|gate| gate["status"] == "open").expect("the answered gate");
    assert_eq!((&done["topic"], &done["answered_by"]), (&"t".into(), &"human".into()));
    assert_eq!(done["answer_path"], "staging/novel-ask/a.json");
    let shown = book.run(&["list"]).out;
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn states_can_be_chosen() {
    let book = Book::new();
    book.put_packet("a", "staging/a.json")
        .put_packet("b", "staging/b.json")
        .put("staging/b.json", Book::RECORD);
    let steps = |line: &[&str]| -> Vec<String> {
        let json = book.run(line).json();
        let gates = json["gates"].as_array().expect("a list").clone();
        gates.iter().map(|gate| gate["step"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(steps(&["list", "--json", "--status", "waiting"]), ["step:a"]);
    assert_eq!(steps(&["list", "--json", "--status", "open,blocked"]), ["step:b"]);
    assert_eq!(steps(&["list", "--json", "--status", "malformed"]), Vec::<String>::new());
    assert_eq!(book.run(&["list", "--status", "nonsense"]).exit, 2);
}

#[test]
fn answers_that_are_kept_and_not_submitted_are_listed() {
    let book = Book::new();
    for name in ["held", "late", "none", "noted"] {
        book.put_packet(name, &format!("staging/{name}.json"));
    }
    book.put("staging/late.json", Book::RECORD);
    let project = Project::open(&book.root()).expect("the project");
    let drafts = Drafts::new(&StateDir::new(&book.state(), &project));
    for name in ["held", "late", "noted"] {
        let packet = book.root().join(format!("staging/manifests/{name}.packet.json"));
        let gate = decode_packet(&fs::read(packet).expect("read")).expect("a packet").gate.expect("a gate");
        let mut draft = Draft::new(&gate.spec);
        if name == "noted" {
            draft.replies[0].take_note("想想");
        } else {
            draft.replies[0].type_text("雨停之前");
        }
        let job = DraftJob {
            packet: String::new(),
            step: None,
            // However the place is spelled.
            answer_path: format!("./staging//{name}.json").as_str().into(),
            spec: gate.spec,
            draft,
            orphans: Vec::new(),
            at: 0,
            saved_at: "2026-02-27T10:12:34.000Z".into(),
        };
        drafts.save(&job).expect("kept");
    }
    let shown = book.run(&["list"]).out;
    let line = |name: &str| shown.lines().find(|line| line.contains(name)).expect("a line").to_owned();
    assert!(line("held").ends_with("(draft 1/1)"), "{shown}");
    assert!(line("late").ends_with("(you have answers not submitted)"), "{shown}");
    assert!(line("noted").ends_with("noted.packet.json (draft)"), "{shown}");
    assert!(line("none").ends_with("none.packet.json"), "{shown}");
    assert!(book.run(&["list", "--lang", "zh"]).out.contains("（草稿 1/1）"));
    let json = book.run(&["list", "--json"]).json();
    let draft = |name: &str| {
        let gates = json["gates"].as_array().expect("a list");
        gates.iter().find(|gate| gate["step"] == format!("step:{name}")).expect("listed")["draft"].clone()
    };
    assert_eq!(draft("held"), serde_json::json!({"answered": 1, "questions": 1}));
    assert_eq!((draft("late")["answered"].as_u64(), draft("none").is_null()), (Some(1), true));
}

#[test]
fn without_a_project_there_is_nothing_to_list() {
    let book = Book::new();
    let empty = tempfile::tempdir().expect("a directory");
    let outcome = book.run(&["list", "--json", "--project", &empty.path().join("none").to_string_lossy()]);
    assert_eq!(outcome.exit, 2);
    assert_eq!(outcome.json()["code"], "no-project");
}

#[test]
fn a_packet_being_written_is_waited_for_but_not_for_long() {
    let book = Book::new();
    book.put("staging/torn.packet.json", "{\"step\":");
    let json = book.run(&["list", "--json"]).json();
    assert_eq!((json["malformed"].as_u64(), json["waiting"].as_u64()), (Some(1), Some(0)));
}

#[test]
fn paths_say_where_everything_is_and_make_nothing() {
    let book = Book::new();
    let json = book.run(&["paths", "--json"]).json();
    let root = fs::canonicalize(book.root()).expect("the root");
    assert_eq!(json["root"], root.shown().as_ref());
    let state = json["state"].as_str().expect("a path");
    assert!(state.starts_with(book.state().shown().as_ref()), "{state}");
    assert!(!book.state().exists());
    assert_eq!(json["database"], format!("{state}/state.sqlite3"));
    assert!(book.run(&["paths", "--lang", "zh"]).out.contains("项目："));
}

#[test]
fn a_packet_that_is_written_again_and_again_does_not_hold_the_list_up() {
    let book = Book::new();
    book.put_packet("a", "staging/novel-ask/a.json");
    let torn = book.root().join("staging/torn.packet.json");
    let ended = Arc::new(AtomicBool::new(false));
    let (file, stop) = (torn.clone(), Arc::clone(&ended));
    fs::write(&torn, "{").expect("written");
    let writer = thread::spawn(move || {
        let mut length = 1;
        // It ends with the project, too, should the test fail.
        while !stop.load(Ordering::Relaxed) && fs::write(&file, "{".repeat(length)).is_ok() {
            length = length % 1_000 + 1;
        }
    });
    let json = book.run(&["list", "--json"]).json();
    ended.store(true, Ordering::Relaxed);
    writer.join().expect("the writer ends");
    // On a very busy machine the writer itself may pause for so long that the packet counts as broken.
    let settled = (&json["pending"], &json["malformed"]) == (&false.into(), &1.into());
    assert!(json["waiting"] == 1 && (json["pending"] == true || settled), "{json}");
    fs::remove_file(&torn).expect("removed");
    assert_eq!(book.run(&["list", "--json"]).json()["pending"], false);
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn one_packet_of_sixty_million_brackets_takes_its_neighbours_along_in_no_memory() {
    let book = Book::new();
    book.put_packet("a", "staging/novel-ask/a.json");
    book.put("staging/deep.packet.json", &"[".repeat(60 << 20));
    // In KiB: far less than a tree of its values takes.
    let script = "ulimit -v 700000 && exec \"$0\" list";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_novel-gate")]).current_dir(book.root());
    command.env("XDG_STATE_HOME", book.root().join("state")).env("LC_ALL", "C");
    let out = command.output().expect("a shell");
    let told = String::from_utf8_lossy(&out.stdout);
    assert!(
        told.contains("1 waiting, 0 blocked, 1 malformed"),
        "{told}{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
