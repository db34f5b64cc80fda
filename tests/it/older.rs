//! Records that were there before any packet asked for them: marked where the console has seen it come so, and nowhere else.

use novel_gate::platform::files::look_at;
use std::fs::{self, File};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, wait_until};
use crate::screen::Terminal;

const MARK: &str = "older than the question";

fn packet(name: &str) -> String {
    let packet = json!({"step": format!("step:{name}"), "answer_path": format!("staging/novel-ask/{name}.json"), "novel_ask": {
        "version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    packet.to_string()
}

fn put_packet(book: &Sandbox, name: &str) {
    book.put(&format!("staging/manifests/{name}.packet.json"), packet(name));
}

/// As the executor writes it: a file of another name is renamed.
fn put_packet_anew(book: &Sandbox, name: &str) {
    let path = book.path(&format!("staging/manifests/{name}.packet.json"));
    let new = path.with_extension("json.1.tmp");
    fs::write(&new, packet(name) + "\n").expect("written");
    fs::rename(new, path).expect("renamed");
}

/// Two files that are written at once have one time.
fn put_record_in_time(book: &Sandbox, name: &str) {
    put_record(book, name);
    let changed = |path: &str| look_at(&book.path(path)).expect("there").changed;
    let then = changed(&format!("staging/novel-ask/{name}.json"));
    wait_until("time has passed", || {
        book.put("tick", "");
        changed("tick") > then
    });
}

fn put_record(book: &Sandbox, name: &str) {
    let record = json!({"version": 1, "topic": "t", "answers": {"a": "x"},
        "answered_at": "2025-02-27T10:12:34.000Z", "answered_by": "human"});
    book.put(&format!("staging/novel-ask/{name}.json"), record.to_string());
}

/// A console with a gate that it has seen.
fn console(book: &Sandbox) -> Terminal {
    put_packet(book, "first");
    let console = book.console(110, 30);
    console.wait_for_text("step:first");
    console.wait_for_text("answers go to");
    console
}

/// Waits until the console has seen all that was there before.
fn settle(book: &Sandbox, console: &Terminal, name: &str) {
    put_packet(book, name);
    console.wait_for_text(&format!("step:{name}"));
}

/// The gates that are called older.
fn older(book: &Sandbox) -> Vec<String> {
    let listed: Value = serde_json::from_str(&book.run(["list", "--json"]).stdout).expect("JSON");
    let gates = listed["gates"].as_array().expect("gates").iter();
    let older = gates.filter(|gate| gate["older"] == true);
    older.map(|gate| gate["step"].as_str().expect("a step").to_owned()).collect()
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn a_record_that_was_there_before_its_gate_is_marked() {
    let book = Sandbox::new();
    let mut terminal = console(&book);
    put_record_in_time(&book, "forged");
    put_packet(&book, "forged");
    terminal.wait_for_text(MARK);
    terminal.press("down");
    terminal.wait_for_text("it: nobody may have answered this question.");
    assert_eq!(older(&book), ["step:forged"]);
    assert!(book.run(["list"]).stdout.contains("(older than the question)"));
    let shown = book.run(["show", "step:forged"]);
    assert!(shown.stdout.contains("The record was there before the packet asked for it"), "{shown:?}");
    let shown: Value =
        serde_json::from_str(&book.run(["show", "step:forged", "--json"]).stdout).expect("JSON");
    assert_eq!(shown["older"], true);
    // A packet that had no gate, and one that had its record elsewhere.
    book.put("staging/manifests/late.packet.json", r#"{"step": "step:late"}"#);
    put_record_in_time(&book, "late");
    put_packet(&book, "moved");
    settle(&book, &terminal, "next");
    put_packet(&book, "late");
    put_record_in_time(&book, "elsewhere");
    book.put(
        "staging/manifests/moved.packet.json",
        packet("elsewhere").replace("step:elsewhere", "step:moved"),
    );
    terminal.wait_until("three marks", |screen| screen.contents().matches(MARK).count() == 3);
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
    // It is known from then on.
    let mut terminal = book.console(110, 30);
    terminal.wait_until("three marks", |screen| screen.contents().matches(MARK).count() == 3);
    // Another record is not older.
    let answer = ["answer", "step:forged", "--by", "me", "--set", "a=y", "--replace"];
    assert_eq!(book.run(answer).code, Some(0));
    terminal.wait_until("two marks", |screen| screen.contents().matches(MARK).count() == 2);
    assert_eq!(older(&book), ["step:late", "step:moved"]);
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

/// The executor writes packets again after they were answered; files come from elsewhere, and while nobody looks.
#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn in_ordinary_work_no_record_is_called_older() {
    let book = Sandbox::new();
    // All of it was there before.
    put_record(&book, "old");
    put_packet(&book, "old");
    let mut terminal = console(&book);
    put_packet_anew(&book, "old");
    // It comes, is answered, and is written again; and goes, and comes back.
    settle(&book, &terminal, "asked");
    put_record_in_time(&book, "asked");
    terminal.wait_for_text("2 answered");
    put_packet_anew(&book, "asked");
    fs::remove_file(book.path("staging/manifests/asked.packet.json")).expect("removed");
    terminal.wait_until("it is gone", |screen| !screen.contents().contains("step:asked"));
    put_packet_anew(&book, "asked");
    terminal.wait_for_text("step:asked");
    // For a moment without its gate.
    book.put("staging/manifests/asked.packet.json", r#"{"step": "step:asked"}"#);
    terminal.wait_until("no gate", |screen| !screen.contents().contains("step:asked"));
    put_packet_anew(&book, "asked");
    terminal.wait_for_text("step:asked");
    // From another machine, with its times, the record first.
    let then = UNIX_EPOCH + Duration::from_hours(24 * 365 * 50);
    put_record_in_time(&book, "synced");
    put_packet(&book, "synced.new");
    let new = book.path("staging/manifests/synced.new.packet.json");
    fs::rename(&new, book.path("synced")).expect("aside");
    fs::write(book.path("synced"), packet("synced")).expect("written");
    File::options()
        .write(true)
        .open(book.path("synced"))
        .expect("there")
        .set_modified(then)
        .expect("its time");
    assert!(then < SystemTime::now());
    fs::rename(book.path("synced"), book.path("staging/manifests/synced.packet.json")).expect("there");
    terminal.wait_for_text("step:synced");
    settle(&book, &terminal, "last");
    assert!(!terminal.screen_text().contains(MARK), "{}", terminal.screen_text());
    assert_eq!(older(&book), [""; 0]);
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
    // While no console looks, nobody can tell.
    put_packet(&book, "alone");
    put_record(&book, "alone");
    put_packet_anew(&book, "alone");
    let terminal = book.console(110, 30);
    terminal.wait_for_text("step:alone");
    settle(&book, &terminal, "again");
    assert!(!terminal.screen_text().contains(MARK), "{}", terminal.screen_text());
}
