//! One client asks, and the author answers.

use super::{Server, answer, asking, book, listed};
use crate::sandbox::{Sandbox, wait_until};
use crate::system::symlink;
use serde_json::{Value, json};
use std::fs;

#[test]
fn options_need_no_description() {
    let book = book();
    let mut asked = asking("平台", 0.0);
    asked["questions"][0]["options"][0]["description"] = json!("");
    asked["questions"][0]["options"][1] = json!({"label": "web"});
    let gate = Server::of(&book).get("ask_author", &asked)["gate"].clone();
    answer(&book, gate.as_str().expect("a path"), &["place=web"]);
}

#[test]
fn the_author_answers_while_the_call_waits() {
    let book = book();
    let mut server = Server::of(&book);
    let id = server.call("ask_author", &asking("平台", 60.0));
    wait_until("the question", || listed(&book).len() == 1);
    let gate = listed(&book).remove(0);
    assert_eq!(
        (&gate["status"], &gate["agent"], &gate["orphaned"]),
        (&json!("waiting"), &json!("tester"), &json!(false))
    );
    let packet = gate["packet"].as_str().expect("a path");
    let ran = book.run(["answer", packet, "--set", "place=web", "--note", "place=先试", "--by", "human"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let given = server.given(id);
    assert_eq!(
        given,
        json!({"status": "answered", "gate": packet, "answers": {"place": "web"}, "notes": {"place": "先试"}})
    );
    wait_until("the answers are handed over", || listed(&book).is_empty());
    // The gate is a handle for ever; the record is in the history.
    let again = server.get("wait_gate", &json!({"gate": packet}));
    assert_eq!(
        again,
        json!({"status": "open", "gate": packet, "answers": {"place": "web"}, "notes": {"place": "先试"}})
    );
    let asked_anew = server.get("ask_author", &asking("平台", 0.0));
    assert_eq!(asked_anew["status"], "waiting", "what was handed over answers no other question");
    assert_ne!(asked_anew["gate"], packet);
}

#[test]
fn a_slice_that_runs_out_is_no_failure_and_the_gate_is_waited_for_again() {
    let book = book();
    let mut server = Server::of(&book);
    let id = server.call("ask_author", &asking("t", 0.0));
    let line = server.answer(id);
    let told = line["result"]["content"][0]["text"].as_str().expect("words");
    assert!(
        told.contains("call wait_gate again") && told.contains("tell the author to run novel-gate"),
        "{told}"
    );
    assert_eq!(line["result"]["structuredContent"]["status"], "waiting");
    let gate = line["result"]["structuredContent"]["gate"].clone();
    let wait = json!({"gate": gate, "wait_s": 0});
    let given = server.get("wait_gate", &wait);
    assert_eq!(given["status"], "waiting");
    assert!(given["record_path"].as_str().is_some_and(|path| book.read(path).is_none()));
    assert_eq!(
        server.get("ask_author", &asking("t", 0.0))["gate"],
        gate,
        "the same questions are the same gate"
    );
    let id = server.call("wait_gate", &json!({"gate": gate, "wait_s": 60}));
    answer(&book, gate.as_str().expect("a path"), &["place=qidian"]);
    assert_eq!(server.given(id)["answers"], json!({"place": "qidian"}));
}

#[test]
fn a_gate_of_the_novels_own_is_waited_for_in_every_state() {
    let book = Sandbox::sample();
    let mut server = Server::of(&book);
    let waiting = server.get("wait_gate", &json!({"gate": "chapter:013:draft", "wait_s": 0}));
    assert_eq!(waiting["status"], "waiting");
    let open = server.get("wait_gate", &json!({"gate": "chapter:012:draft"}));
    assert_eq!(open["status"], "open");
    let record: Value =
        serde_json::from_slice(&book.read(open["record_path"].as_str().expect("a path")).expect("a record"))
            .expect("JSON");
    assert_eq!(open["answers"], record["answers"]);
    let blocked = server.get("wait_gate", &json!({"gate": "volume:validate", "wait_s": 0}));
    assert_eq!(
        (&blocked["status"], blocked["problems"].as_array().is_some_and(|all| !all.is_empty())),
        (&json!("blocked"), true)
    );
    book.put("staging/manifests/broken.packet.json", "{");
    let malformed =
        server.get("wait_gate", &json!({"gate": "staging/manifests/broken.packet.json", "wait_s": 60}));
    assert_eq!((&malformed["status"], malformed.get("record_path")), (&json!("malformed"), None));
    let fault = server.fault("wait_gate", &json!({"gate": "chapter:013:darft"}));
    assert!(fault.contains("There is no packet") && fault.contains("chapter:013:draft"), "{fault}");
}

#[test]
fn a_question_that_the_author_takes_away_is_declined() {
    let book = book();
    let mut server = Server::of(&book);
    let id = server.call("ask_author", &asking("t", 60.0));
    wait_until("the question", || listed(&book).len() == 1);
    let packet = listed(&book).remove(0)["packet"].as_str().expect("a path").to_owned();
    fs::remove_file(book.path(&packet)).expect("removed");
    assert_eq!(server.given(id), json!({"status": "declined", "gate": packet}));
    for wait_s in [0, 60] {
        let again = server.call("wait_gate", &json!({"gate": packet, "wait_s": wait_s}));
        let told = server.answer(again)["result"]["structuredContent"].clone();
        assert_eq!(told["status"], "declined", "{told}");
        assert!(told["message"].as_str().is_some_and(|words| words.contains("ask there")), "{told}");
    }
    let fault = Server::of(&book).fault("wait_gate", &json!({"gate": packet}));
    assert!(fault.contains("is gone") && !fault.contains("Did you mean"), "nobody else knows why: {fault}");
    assert_eq!(
        server.get("ask_author", &asking("t", 0.0))["gate"],
        packet,
        "nothing was answered under that name"
    );
    assert_eq!(listed(&book).remove(0)["orphaned"], false);
    fs::remove_file(book.path(&packet)).expect("removed");
    fs::remove_dir(book.path("staging/novel-ask/relay")).expect("removed, as the console does");
    let wait = server.call("wait_gate", &json!({"gate": packet, "wait_s": 60}));
    assert_eq!(server.given(wait), json!({"status": "declined", "gate": packet}), "one act, one verdict");
}

#[test]
fn a_question_whose_folder_is_moved_away_is_declined_by_nobody() {
    let book = book();
    let mut server = Server::of(&book);
    let id = server.call("ask_author", &asking("t", 60.0));
    wait_until("the question", || listed(&book).len() == 1);
    let packet = listed(&book).remove(0)["packet"].as_str().expect("a path").to_owned();
    fs::rename(book.path("staging"), book.path("elsewhere")).expect("moved");
    let late = server.call("wait_gate", &json!({"gate": packet, "wait_s": 60}));
    for told in [server.answer(id), server.answer(late)] {
        let words = told["result"]["content"][0]["text"].as_str().expect("words");
        assert!(told["result"]["isError"] == true && words.contains("is gone"), "{told}");
    }
    fs::rename(book.path("elsewhere"), book.path("staging")).expect("moved back");
    let again = server.call("ask_author", &asking("t", 60.0));
    answer(&book, &packet, &["place=web"]);
    assert_eq!(server.given(again)["answers"], json!({"place": "web"}), "it is the same question");
}

#[test]
fn a_packet_that_is_deleted_ends_the_wait_with_a_sentence() {
    for wait_s in [60.0, 1.0] {
        let book = Sandbox::sample();
        let mut server = Server::of(&book);
        let id = server.call("wait_gate", &json!({"gate": "chapter:013:draft", "wait_s": wait_s}));
        let same = server.get("wait_gate", &json!({"gate": "chapter:013:draft", "wait_s": 0}));
        let packet = same["gate"].as_str().expect("a path");
        fs::remove_file(book.path(packet)).expect("removed");
        let told = server.answer(id);
        let words = told["result"]["content"][0]["text"].as_str().expect("words");
        assert!(told["result"]["isError"] == true && words.contains("is gone"), "{told}");
        assert!(words.contains(packet) && !words.contains("Cause"), "{words}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn what_lies_outside_the_project_is_refused_unread() {
    let book = Sandbox::sample();
    let secret = book.root().with_file_name("secret.packet.json");
    fs::write(&secret, "zzz").expect("written");
    symlink(&secret, book.path("staging/link.packet.json")).expect("a link");
    let mut server = Server::of(&book);
    for gate in
        ["/etc/passwd", "../secret.packet.json", "staging/link.packet.json", &secret.to_string_lossy()]
    {
        for tool in ["wait_gate", "list_gates"] {
            let fault = server.fault(tool, &json!({"gate": gate}));
            assert!(fault.contains("is not in this project") && fault.contains(gate), "{tool}: {fault}");
        }
    }
    // A record would pass for a packet that asks nothing.
    let fault =
        server.fault("wait_gate", &json!({"gate": "staging/novel-ask/chapter-012-draft.answers.json"}));
    assert!(fault.contains("Name the packet: staging/manifests/chapter-012-draft.packet.json"), "{fault}");
    let inside = book.path("staging/manifests/chapter-013-draft.packet.json");
    let given = server.get("wait_gate", &json!({"gate": inside, "wait_s": 0}));
    assert_eq!(given["status"], "waiting");
}

#[test]
fn twenty_questions_at_once_are_twenty_gates() {
    let book = book();
    let mut server = Server::of(&book);
    let ids: Vec<u64> =
        (0..20).map(|n| server.call("ask_author", &asking(&format!("t{n}"), 120.0))).collect();
    wait_until("the questions", || listed(&book).len() == 20);
    for gate in listed(&book) {
        let value = format!("place={}", if gate["topic"] == "t7" { "web" } else { "qidian" });
        answer(&book, gate["packet"].as_str().expect("a path"), &[&value]);
    }
    let mut webs = Vec::new();
    for _ in &ids {
        let line = server.next();
        let given = &line["result"]["structuredContent"];
        assert_eq!(given["status"], "answered", "{line}");
        webs.extend((given["answers"]["place"] == "web").then(|| line["id"].as_u64()));
    }
    assert_eq!(webs, [Some(ids[7])], "each call has its own answer");
}
