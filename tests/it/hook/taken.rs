//! Packets that a client is about to write so that they name a file for their record that is there already.

use crate::system::symlink;

use serde_json::{Value, json};

use super::{Hooked, RECORD, assert_silent, call, denied};
use crate::sandbox::{Ran, Running};

const PACKET: &str = "staging/manifests/a.packet.json";
const PLACE: &str = "staging/novel-ask/a.json";
/// What somebody has written before any packet named it.
const FORGED: &str = "staging/novel-ask/forged.json";
const WORDS: &str = "which is there already";

fn packet(answer_path: &str) -> String {
    let packet = json!({"step": "step:a", "answer_path": answer_path, "novel_ask": {"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    serde_json::to_string_pretty(&packet).expect("JSON")
}

fn book() -> Hooked {
    let hooked = Hooked::new();
    hooked.book.put(PACKET, packet(PLACE));
    hooked.book.put(FORGED, RECORD);
    hooked
}

fn say(hooked: &Hooked, tool: &str, input: &Value) -> Ran {
    let executor = if tool == "apply_patch" { "codex" } else { "claude-code" };
    let call = call(&hooked.book, tool, input).to_string();
    Running::start_fed(&mut hooked.command(executor, &["--strict"]), call.as_bytes()).wait()
}

fn write(hooked: &Hooked, path: &str, content: &str) -> Ran {
    say(hooked, "Write", &json!({"file_path": path, "content": content}))
}

fn edit(hooked: &Hooked, old: &str, new: &str) -> Ran {
    say(hooked, "Edit", &json!({"file_path": hooked.book.path(PACKET), "old_string": old, "new_string": new}))
}

fn patch(hooked: &Hooked, patch: &str) -> Ran {
    say(hooked, "apply_patch", &json!({"command": format!("*** Begin Patch\n{patch}\n*** End Patch")}))
}

/// Held, with the right way; and nothing is wrong with the answers that the packet asks for.
fn held(ran: &Ran, named: &str) {
    let reason = denied(ran);
    assert!(
        reason.contains(WORDS) && reason.contains(named) && reason.contains("where nothing is"),
        "{reason}"
    );
}

fn passes(ran: &Ran) {
    assert_silent(ran);
    assert_eq!(ran.stderr, "");
}

#[test]
fn no_packet_takes_a_file_for_its_record_that_is_there_already() {
    let hooked = book();
    let packet_of = |path: &str| packet(path);
    for (path, place) in [
        ("staging/manifests/new.packet.json", FORGED),
        ("staging/new.json", FORGED),
        ("staging/deep/er/new.packet.json", FORGED),
        ("./staging//manifests/../new.packet.json", FORGED),
        ("elsewhere/new.packet.json", FORGED),
        (PACKET, FORGED),
        (PACKET, "./staging/./novel-ask//forged.json"),
        (PACKET, "chapters/1.md"),
        // A packet itself is no record.
        ("staging/new.packet.json", PACKET),
    ] {
        hooked.book.put("chapters/1.md", "");
        held(&write(&hooked, path, &packet_of(place)), place);
    }
    // Keys and words as JSON may spell them, and of equal keys the last counts.
    let spelled = packet(FORGED)
        .replace("answer_path", "\\u0061nswer_path")
        .replace("staging/novel-ask/forged", "staging\\/novel-ask\\u002fforged");
    held(&write(&hooked, PACKET, &spelled), FORGED);
    let twice = packet(FORGED).replacen('{', "{\"answer_path\": \"nowhere.json\",", 1);
    held(&write(&hooked, PACKET, &twice), FORGED);
    // Another packet's record, be it the author's own: it answers other questions.
    hooked.book.put(PLACE, RECORD);
    held(&write(&hooked, "staging/new.packet.json", &packet(PLACE)), PLACE);
    for (path, text) in [
        (PACKET, packet(PLACE).replace("\"q\"", "\"another question\"")),
        (PACKET, packet("staging/novel-ask/new.json")),
        ("staging/new.packet.json", packet("staging/novel-ask/new.json")),
        ("staging/new.packet.json", "{}".to_owned()),
        ("staging/new.packet.json", "no JSON".to_owned()),
        ("staging/notes.json", json!({"path": FORGED}).to_string()),
        ("notes/new.json", packet(FORGED)),
        ("chapters/2.md", packet(FORGED)),
    ] {
        passes(&write(&hooked, path, &text));
    }
}

#[test]
fn whatever_changes_a_packet() {
    let hooked = book();
    let forged = |text: &str| text.replace(PLACE, FORGED);
    held(&edit(&hooked, PLACE, FORGED), FORGED);
    held(&edit(&hooked, "novel-ask/a", "novel-ask/forged"), FORGED);
    held(&edit(&hooked, &packet(PLACE), &packet(FORGED)), FORGED);
    let all = json!({"file_path": hooked.book.path(PACKET), "old_string": "/a.", "new_string": "/forged.", "replace_all": true});
    held(&say(&hooked, "Edit", &all), FORGED);
    let new = json!({"file_path": "staging/new.packet.json", "old_string": "", "new_string": packet(FORGED)});
    held(&say(&hooked, "Edit", &new), FORGED);
    let several = |edits: Value| json!({"file_path": PACKET, "edits": edits});
    let steps = json!([{"old_string": "a.json", "new_string": "b.json"}, {"old_string": "b.json", "new_string": "forged.json"}]);
    held(&say(&hooked, "MultiEdit", &several(steps)), FORGED);
    // It holds neither where the client makes nothing of it, nor where it comes back to what it was.
    passes(&edit(&hooked, "nowhere", FORGED));
    passes(&edit(&hooked, "\"q\"", "\"why?\""));
    let back = json!([{"old_string": "a.json", "new_string": "forged.json"}, {"old_string": "forged.json", "new_string": "a.json"}]);
    passes(&say(&hooked, "MultiEdit", &several(back)));
    // As Codex patches.
    let lines = |sign: &str, text: &str| {
        text.lines().map(|line| format!("{sign}{line}\n")).collect::<Vec<_>>().concat()
    };
    let add = |name: &str, text: &str| format!("*** Add File: {name}\n{}", lines("+", text));
    let place = "  \"answer_path\": ";
    held(&patch(&hooked, &add("staging/new.packet.json", &packet(FORGED))), FORGED);
    let update = format!("*** Update File: {PACKET}\n@@\n-{place}\"{PLACE}\",\n+{place}\"{FORGED}\",");
    held(&patch(&hooked, &update), FORGED);
    hooked.book.put("chapters/1.md", "");
    let moved = update.replace("\n@@", "\n*** Move to: staging/b.packet.json\n@@");
    held(&patch(&hooked, &moved), FORGED);
    let twice = |to: &str| {
        format!("{update}\n*** Update File: {PACKET}\n@@\n-{place}\"{FORGED}\",\n+{place}\"{to}\",")
    };
    held(&patch(&hooked, &twice("chapters/1.md")), "chapters/1.md");
    passes(&patch(&hooked, &twice(PLACE)));
    // In one patch, before anything is there.
    let record = add("staging/novel-ask/new.json", RECORD);
    let asks = add("staging/new.packet.json", &packet("staging/novel-ask/new.json"));
    for both in [format!("{record}{asks}"), format!("{asks}{record}")] {
        held(&patch(&hooked, &both), "staging/novel-ask/new.json");
    }
    let draft = "*** Update File: drafts/x.json\n*** Move to: staging/novel-ask/new.json\n";
    held(&patch(&hooked, &format!("{asks}{draft}")), "staging/novel-ask/new.json");
    passes(&patch(&hooked, &asks));
    passes(&patch(
        &hooked,
        &format!("*** Update File: {PACKET}\n@@\n-  \"step\": \"step:a\",\n+  \"step\": \"step:b\","),
    ));
    assert_eq!(hooked.book.read(PACKET).as_deref(), Some(packet(PLACE).as_bytes()), "{}", forged(PLACE));
}

/// What is not wrong by itself at the first step is held at the second.
#[test]
fn in_as_many_steps_as_it_takes() {
    let hooked = book();
    let put = |text: &str| hooked.book.put(PACKET, text);
    let asks = |answer_path: Option<&str>, novel_ask: bool| {
        let mut packet: Value = serde_json::from_str(&packet(FORGED)).expect("JSON");
        let members = packet.as_object_mut().expect("an object");
        match answer_path {
            Some(path) => drop(members.insert("answer_path".to_owned(), json!(path))),
            None => drop(members.remove("answer_path")),
        }
        if !novel_ask {
            members.remove("novel_ask");
        }
        packet.to_string()
    };
    // A packet without a gate, then its questions and its place, in any order.
    passes(&write(&hooked, PACKET, &asks(None, false)));
    put(&asks(None, false));
    held(&write(&hooked, PACKET, &asks(Some(FORGED), true)), FORGED);
    held(&write(&hooked, PACKET, &asks(Some(FORGED), false)), FORGED);
    passes(&write(&hooked, PACKET, &asks(None, true)));
    put(&asks(None, true));
    held(&edit(&hooked, "\"step\":", &format!("\"answer_path\": \"{FORGED}\", \"step\":")), FORGED);
    // No JSON at first: nobody guards its record yet.
    put(&(asks(Some(FORGED), true) + ","));
    held(&write(&hooked, PACKET, &asks(Some(FORGED), true)), FORGED);
    // Outside of staging nobody guards it either.
    hooked.book.put("drafts/x.json", asks(Some(FORGED), true));
    held(&patch(&hooked, "*** Update File: drafts/x.json\n*** Move to: staging/x.packet.json"), FORGED);
    // From another place back to one that is there by now.
    put(&packet("staging/novel-ask/nothing.json"));
    held(&edit(&hooked, "nothing", "forged"), FORGED);
    // Once it has named a place, nobody but novel-gate has written there: it may be mended.
    put(&packet(FORGED));
    let malformed = packet(FORGED).replace("free_text", "free-text");
    passes(&write(&hooked, PACKET, &malformed));
    put(&malformed);
    passes(&write(&hooked, PACKET, &packet(FORGED)));
    passes(&patch(
        &hooked,
        &format!("*** Update File: {PACKET}\n*** Move to: staging/manifests/b.packet.json"),
    ));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn links_lead_to_the_same_file() {
    let hooked = book();
    symlink("novel-ask", hooked.book.path("staging/asks")).expect("a link");
    symlink("novel-ask/forged.json", hooked.book.path("staging/alias.json")).expect("a link");
    symlink("manifests", hooked.book.path("staging/linked")).expect("a link");
    symlink("manifests/a.packet.json", hooked.book.path("staging/a-link.json")).expect("a link");
    for place in ["staging/asks/forged.json", "staging/alias.json"] {
        held(&write(&hooked, PACKET, &packet(place)), place);
    }
    held(&write(&hooked, "staging/linked/new.packet.json", &packet(FORGED)), FORGED);
    held(&write(&hooked, "staging/a-link.json", &packet(FORGED)), FORGED);
    symlink("staging/manifests/a.packet.json", hooked.book.path("notes")).expect("a link");
    held(&write(&hooked, "notes", &packet(FORGED)), FORGED);
    // The same place as before, in other words.
    hooked.book.put(PLACE, RECORD);
    passes(&write(&hooked, PACKET, &packet("staging/asks/a.json")));
    passes(&write(&hooked, "staging/linked/a.packet.json", &packet(PLACE)));
}
