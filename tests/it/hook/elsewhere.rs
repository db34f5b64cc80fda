//! Calls that are made elsewhere than in the directory where the session began.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Hooked, assert_silent, call, denied};
use crate::sandbox::{Ran, Running, Sandbox};

const PLACE: &str = "staging/novel-ask/a.json";

/// Two projects, each with a gate that waits, and a directory that is none.
struct Two {
    one: Hooked,
    other: Hooked,
    nowhere: Sandbox,
}

impl Two {
    fn new() -> Two {
        let gate = |agent: &str| {
            let hooked = Hooked::new();
            hooked.put_gate();
            let packet: Value = serde_json::from_slice(
                &hooked.book.read("staging/manifests/a.packet.json").expect("a packet"),
            )
            .expect("JSON");
            let mut packet = packet.clone();
            packet["agent"] = json!(agent);
            hooked.book.put("staging/manifests/a.packet.json", packet.to_string());
            hooked.book.put("chapters/1.md", "");
            hooked
        };
        Two { one: gate("one"), other: gate("other"), nowhere: Sandbox::new() }
    }

    /// A call made in a directory, while the client names another one or none.
    fn say(&self, (executor, tool): (&str, &str), cwd: &Path, named: Option<&Path>, input: &Value) -> Ran {
        let mut call = call(&self.one.book, tool, input);
        call["cwd"] = json!(cwd);
        let mut command = self.one.command(executor, &[]);
        if let Some(named) = named {
            command.env("CLAUDE_PROJECT_DIR", named);
        }
        Running::start_fed(&mut command, call.to_string().as_bytes()).wait()
    }
}

#[test]
fn agents_are_held_by_the_project_that_the_client_names() {
    let two = Two::new();
    let (one, other, nowhere) = (two.one.book.root(), two.other.book.root(), two.nowhere.root());
    let chapters = one.join("chapters");
    // Where the call is made; what the client names; whose agent is held.
    let table: [(&Path, Option<&Path>, Option<&str>); 10] = [
        (&one, None, Some("one")),
        (&chapters, None, Some("one")),
        (&other, Some(&one), Some("one")),
        (&nowhere, Some(&one), Some("one")),
        (Path::new("/"), Some(&chapters), Some("one")),
        (Path::new("/nowhere/at/all"), Some(&one), Some("one")),
        (&one, Some(&nowhere), Some("one")),
        (&one, Some(Path::new("/nowhere")), Some("one")),
        (&other, Some(&nowhere), Some("other")),
        (&nowhere, None, None),
    ];
    for (cwd, named, held) in table {
        for agent in ["one", "other"] {
            let ran = two.say(
                ("claude-code", "Agent"),
                cwd,
                named,
                &json!({"prompt": "p", "subagent_type": agent}),
            );
            if held == Some(agent) {
                let reason = denied(&ran);
                // The commands are right where they are run.
                let is_inside =
                    cwd.starts_with(&one) && agent == "one" || cwd.starts_with(&other) && agent == "other";
                assert_eq!(reason.contains("--project"), !is_inside, "{cwd:?} {named:?}: {reason}");
            } else {
                assert_silent(&ran);
                assert_eq!(ran.stderr.is_empty(), held.is_some(), "{cwd:?} {named:?}: {ran:?}");
            }
        }
    }
    // Codex names none: what another client has named is not its session's.
    let input = json!({"agent_type": "other", "message": "m"});
    denied(&two.say(("codex", "spawn_agent"), &other, Some(&one), &input));
}

#[test]
fn a_hook_that_knows_no_better_stands_where_it_was_started() {
    let two = Two::new();
    let mut call = call(&two.one.book, "Agent", &json!({"prompt": "p", "subagent_type": "one"}));
    call["cwd"] = json!(two.nowhere.root());
    let mut command = two.one.command("claude-code", &[]);
    command.current_dir(two.one.book.path("chapters"));
    denied(&Running::start_fed(&mut command, call.to_string().as_bytes()).wait());
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_record_is_guarded_by_its_own_project_too() {
    let two = Two::new();
    let (one, other, nowhere) = (two.one.book.root(), two.other.book.root(), two.nowhere.root());
    let nested = one.join("inner");
    fs::create_dir_all(nested.join("staging/manifests")).expect("directories");
    fs::copy(other.join("staging/manifests/a.packet.json"), nested.join("staging/manifests/a.packet.json"))
        .expect("copied");
    fs::write(nested.join(".checkpoint.json"), "{}").expect("written");
    let link = nowhere.join("link");
    crate::system::symlink(other.join("staging"), &link).expect("a link");
    let files: [(PathBuf, &Path); 5] = [
        (one.join(PLACE), &one),
        (other.join(PLACE), &other),
        (nested.join(PLACE), &nested),
        (link.join("novel-ask/a.json"), &other),
        (nowhere.join("../book/../book/link/novel-ask/a.json"), &other),
    ];
    for (file, root) in &files {
        for cwd in [&one, &other, &nowhere] {
            for named in [None, Some(&*one), Some(&*other), Some(&*nowhere)] {
                let input = json!({"file_path": file, "content": "{}"});
                let reason = denied(&two.say(("claude-code", "Write"), cwd, named, &input));
                let real = fs::canonicalize(root).expect("a root");
                let named_root = reason.contains(&format!("--project {}", real.display()));
                assert_eq!(named_root, !cwd.starts_with(root), "{file:?} {cwd:?}: {reason}");
                let patch = json!({"command": format!("*** Begin Patch\n*** Delete File: {}\n*** End Patch", file.display())});
                denied(&two.say(("codex", "apply_patch"), cwd, None, &patch));
            }
        }
    }
    for file in [nowhere.join(PLACE), one.join("chapters/1.md"), other.join("staging/novel-ask/b.json")] {
        let input = json!({"file_path": file, "content": "{}"});
        assert_silent(&two.say(("claude-code", "Write"), &nowhere, Some(&one), &input));
    }
    // What the reason says works there.
    let input = json!({"file_path": other.join(PLACE), "content": "{}"});
    let reason = denied(&two.say(("claude-code", "Write"), &nowhere, None, &input));
    let (_, words) = reason.split_once("novel-gate wait ").expect("a command");
    let (gate, _) = words.split_once(". ").expect("its end");
    let words = format!("novel-gate answer {gate} --by me --set a=x");
    let mut shell = two.nowhere.system("sh");
    assert_eq!(Running::start(shell.args(["-c", &words])).wait().code, Some(0), "{words}");
    assert!(other.join(PLACE).exists());
}

#[test]
fn a_patch_of_many_files_is_judged_as_far_as_said() {
    let two = Two::new();
    let (one, nowhere) = (two.one.book.root(), two.nowhere.root());
    let many = "*** Add File: notes/a.md\n+x\n".repeat(400_000);
    let patch = |lines: &str| json!({"command": format!("*** Begin Patch\n{lines}*** End Patch")});
    let record = format!("*** Delete File: {PLACE}\n");
    denied(&two.say(("codex", "apply_patch"), &one, None, &patch(&format!("{record}{many}"))));
    let ran = two.say(("codex", "apply_patch"), &one, None, &patch(&format!("{many}{record}")));
    assert_silent(&ran);
    assert!(ran.stderr.contains("more than 1000 files"), "{ran:?}");
    assert_silent(&two.say(("codex", "apply_patch"), &nowhere, None, &patch("*** Add File: a.md\n+x\n")));
}
