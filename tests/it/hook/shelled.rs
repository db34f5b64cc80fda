//! Shell commands that would advance or commit a step, while gates are held up.

use novel_gate::platform::paths::Shown as _;
use std::fs;
use std::path::Path;

use novel_gate::store::project::DEPTH_LIMIT;
use serde_json::{Value, json};

use super::{Hooked, RECORD, assert_silent, call, denied, question};
use crate::kept;
use crate::sandbox::{Ran, Running, Sandbox};

const PACKET: &str = "staging/manifests/chapter-048-commit.packet.json";
const ANSWERS: &str = "staging/novel-ask/chapter-048-commit.json";
const COMMIT: &str = "novel commit --chapter 48";

fn gate(step: &str, answers: &str) -> String {
    json!({"step": step, "answer_path": answers, "novel_ask": {"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}})
    .to_string()
}

/// A gate that waits before chapter 48 is committed.
fn waiting() -> Hooked {
    let hooked = Hooked::new();
    hooked.book.put(PACKET, gate("chapter:048:commit", ANSWERS));
    hooked
}

/// A book in which the author wants to be asked before each chapter is committed.
fn asking() -> Hooked {
    let hooked = Hooked::new();
    let question = json!({"_steps": ["chapter:*:commit"], "version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]});
    hooked.book.put("questions/last.question.json", question.to_string());
    hooked
}

fn say(hooked: &Hooked, executor: &str, flags: &[&str], command: &Value) -> Ran {
    say_in(hooked, (executor, flags), &hooked.book.root(), &json!({"command": command, "description": "d"}))
}

fn say_in(hooked: &Hooked, (executor, flags): (&str, &[&str]), cwd: &Path, input: &Value) -> Ran {
    let mut call = call(&hooked.book, "Bash", input);
    call["cwd"] = json!(cwd);
    Running::start_fed(&mut hooked.command(executor, flags), call.to_string().as_bytes()).wait()
}

fn run(hooked: &Hooked, command: &str) -> Ran {
    say(hooked, "claude-code", &[], &json!(command))
}

fn in_chinese(hooked: &Hooked, command: &str) -> Ran {
    let mut hook = hooked.book.system("novel-gate");
    let call = call(&hooked.book, "Bash", &json!({"command": command})).to_string();
    Running::start_fed(hook.args(["hook", "claude-code", "--lang", "zh-CN"]), call.as_bytes()).wait()
}

#[test]
fn no_command_goes_past_a_gate_that_is_held_up() {
    let hooked = waiting();
    let reason = denied(&run(&hooked, COMMIT));
    assert_eq!(
        reason,
        "The step chapter:048:commit may not be advanced or committed: its gate waits for the author. Wait for the answers: novel-gate wait \
         staging/manifests/chapter-048-commit.packet.json\nThen run it again. Do not answer for the author, and do not write the record by \
         hand."
    );
    assert_eq!(
        denied(&in_chinese(&hooked, COMMIT)),
        "步骤 chapter:048:commit 不能推进或提交：它的门控正在等待作者。请等待回答：novel-gate wait \
         staging/manifests/chapter-048-commit.packet.json\n之后再运行。不要替作者回答，也不要手写记录。"
    );
    // Codex has the same tool; some of it gives words.
    for command in
        [json!(COMMIT), json!(["bash", "-lc", COMMIT]), json!(["novel", "commit", "--chapter", "48"])]
    {
        assert_eq!(denied(&say(&hooked, "codex", &[], &command)), reason, "{command}");
    }
    hooked.book.put(ANSWERS, "[]");
    assert!(denied(&run(&hooked, COMMIT)).contains("is not valid"));
    hooked.book.put(ANSWERS, RECORD);
    assert_silent(&run(&hooked, COMMIT));
    assert_eq!(hooked.book.run(["redo", "chapter:048:commit"]).code, Some(0));
    denied(&run(&hooked, COMMIT));
}

#[test]
fn what_does_not_go_past_it_passes() {
    let hooked = waiting();
    for command in [
        "novel commit --chapter 48 --dry-run",
        "novel commit --chapter 47",
        "novel advance chapter:048:draft",
        "novel advance chapter:048:commit",
        "novel instructions chapter:048:commit --json --write-manifest",
        "echo novel commit --chapter 48",
        "novel commit --chapter $N",
        "ls",
    ] {
        let ran = say(&hooked, "claude-code", &["--strict"], &json!(command));
        assert_silent(&ran);
        assert_eq!(ran.stderr, "", "{command}");
    }
    for input in
        [json!({}), json!({"command": 7}), json!({"command": ["novel", 7]}), json!({"command": null})]
    {
        assert_silent(&say_in(&hooked, ("claude-code", &["--strict"]), &hooked.book.root(), &input));
    }
    // Behind the checkpoint a gate holds nothing.
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    assert_silent(&run(&hooked, COMMIT));
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 48, "inflight_chapter": 48}"#);
    denied(&run(&hooked, COMMIT));
}

#[test]
fn a_packet_that_cannot_be_used_lets_nobody_past_its_step() {
    let hooked = Hooked::new();
    for packet in [r#"{"step": "chapter:48:commit", "novel_ask": 1}"#, r#"{"novel_ask": 1}"#] {
        hooked.book.put(PACKET, packet);
        let reason = denied(&run(&hooked, COMMIT));
        assert!(reason.contains(&format!("novel-gate check {PACKET}")), "{packet}: {reason}");
        assert_silent(&run(&hooked, "novel commit --chapter 49"));
    }
    hooked.book.put(PACKET, gate("chapter:049:commit", ANSWERS));
    assert_silent(&run(&hooked, COMMIT));
    let reason = denied(&run(&hooked, "novel commit --chapter 48; novel commit --chapter 49"));
    assert!(reason.starts_with("The step chapter:049:commit"), "{reason}");
}

#[test]
fn every_step_of_a_command_counts() {
    let hooked = waiting();
    for (step, name) in [("chapter:048:draft", "a"), ("volume:commit", "b"), ("chapter:49:judge", "c")] {
        let answers = format!("staging/novel-ask/{name}.json");
        hooked.book.put(&format!("staging/manifests/{name}.packet.json"), gate(step, &answers));
    }
    for (command, packet) in [
        ("novel advance chapter:48:draft", "a"),
        ("novel commit --volume 2", "b"),
        ("cd . && npx -y novel-writer-cli --json advance chapter:049:judge | jq .", "c"),
    ] {
        let reason = denied(&run(&hooked, command));
        assert!(
            reason.contains(&format!("novel-gate wait staging/manifests/{packet}.packet.json\n")),
            "{reason}"
        );
        assert_eq!(reason.matches("novel-gate").count(), 1, "{reason}");
    }
    let all = "novel advance chapter:048:draft; novel commit --volume 2; novel advance chapter:049:judge; novel commit --chapter 48";
    let reason = denied(&run(&hooked, all));
    assert_eq!(reason.matches("novel-gate wait").count(), 3, "{reason}");
    assert!(reason.contains("gates that are not open: 1"), "{reason}");
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_packet_gets_its_standing_question_first() {
    let hooked = asking();
    let bare = r#"{"step": "chapter:048:commit"}"#;
    hooked.book.put(PACKET, bare);
    assert!(denied(&run(&hooked, COMMIT)).contains(&format!("novel-gate wait {PACKET}")));
    assert_ne!(hooked.book.read(PACKET).expect("a packet"), bare.as_bytes(), "the author is asked");
    denied(&run(&hooked, COMMIT));
    hooked.book.put("staging/novel-ask/last-chapter-048-commit.answers.json", RECORD);
    assert_silent(&run(&hooked, COMMIT));
    // One that cannot be changed waits all the same, and why it was not attached is said.
    let packet = hooked.book.path(PACKET);
    fs::rename(&packet, hooked.book.path("staging/manifests/real.json")).expect("moved");
    fs::remove_file(hooked.book.path("staging/novel-ask/last-chapter-048-commit.answers.json"))
        .expect("there");
    hooked.book.put("staging/manifests/real.json", bare);
    crate::system::symlink("real.json", &packet).expect("a link");
    let reason = denied(&run(&hooked, COMMIT));
    assert!(reason.contains(&format!("novel-gate wait {PACKET}")) && reason.lines().count() == 3, "{reason}");
}

#[test]
fn a_step_without_a_packet_is_asked_about_too() {
    let hooked = asking();
    let reason = denied(&run(&hooked, COMMIT));
    assert_eq!(
        reason.lines().next(),
        Some(
            "The author wants to be asked before the step chapter:048:commit, which has no packet yet. Write the packet first: novel \
             instructions chapter:048:commit --json --write-manifest. Then wait for the answers: novel-gate wait chapter:048:commit"
        )
    );
    assert!(denied(&in_chinese(&hooked, COMMIT)).contains("还没有指令包"));
    for command in
        ["novel advance chapter:048:draft", "novel commit --volume 1", "novel commit --chapter 48 --dry-run"]
    {
        assert_silent(&run(&hooked, command));
    }
    // One from before the book went on is not the step's packet now.
    hooked.book.put(PACKET, r#"{"step": "chapter:048:commit"}"#);
    fs::File::options()
        .write(true)
        .open(hooked.book.path(PACKET))
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
        .expect("an old packet");
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 47}"#);
    assert!(denied(&run(&hooked, COMMIT)).contains("--write-manifest"));
    fs::remove_file(hooked.book.path(PACKET)).expect("there");
    // Nothing is due any more: switched off, answered, or behind the checkpoint.
    assert_eq!(hooked.book.run(["questions", "off", "last"]).code, Some(0));
    assert_silent(&run(&hooked, COMMIT));
    assert_eq!(hooked.book.run(["questions", "on", "last"]).code, Some(0));
    denied(&run(&hooked, COMMIT));
    hooked.book.put("staging/novel-ask/last-chapter-048-commit.answers.json", RECORD);
    assert_silent(&run(&hooked, COMMIT));
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 49}"#);
    assert_silent(&run(&hooked, "novel commit --chapter 49"));
}

#[test]
fn a_command_is_judged_by_the_project_in_which_it_runs() {
    let (held, free, nowhere) = (waiting(), Hooked::new(), Sandbox::new());
    let (held_root, free_root) = (held.book.root(), free.book.root());
    fs::create_dir_all(held_root.join("chapters")).expect("a directory");
    let at = |root: &Path, form: &str| format!("{} {COMMIT}", form.replace("DIR", &root.shown()));
    let named = |root: &Path| format!("{COMMIT} --project {}", root.shown());
    for (cwd, command, is_held) in [
        (held_root.join("chapters"), COMMIT.to_owned(), true),
        (free_root.clone(), COMMIT.to_owned(), false),
        (nowhere.root(), COMMIT.to_owned(), false),
        ("/nowhere/at/all".into(), COMMIT.to_owned(), false),
        (nowhere.root(), at(&held_root, "cd DIR &&"), true),
        (free_root.clone(), at(&held_root, "cd DIR/chapters &&"), true),
        (held_root.join("chapters"), format!("cd .. && {COMMIT}"), true),
        (held_root.clone(), at(&free_root, "cd DIR;"), false),
        (held_root.clone(), format!("cd /nowhere; {COMMIT}"), false),
        (nowhere.root(), named(&held_root), true),
        (held_root.clone(), named(&free_root), false),
        (held_root.clone(), format!("cd \"$DIR\" && {COMMIT} --project \"$PWD\""), true),
    ] {
        let ran = say_in(&held, ("claude-code", &["--strict"]), &cwd, &json!({"command": command}));
        if is_held {
            let is_inside = cwd.starts_with(&held_root);
            let reason = denied(&ran);
            assert_eq!(reason.contains(" --project "), !is_inside, "{cwd:?} {command}: {reason}");
        } else {
            assert_silent(&ran);
            assert_eq!(ran.stderr, "", "{cwd:?} {command}");
        }
    }
    // Where the call names no project, the client may know better.
    let mut command = held.command("claude-code", &[]);
    command.env("CLAUDE_PROJECT_DIR", &held_root);
    let mut call = call(&held.book, "Bash", &json!({"command": COMMIT}));
    call["cwd"] = json!(nowhere.root());
    denied(&Running::start_fed(&mut command, call.to_string().as_bytes()).wait());
}

#[test]
fn a_staging_that_cannot_be_looked_at_whole_may_hold_a_gate() {
    let hooked = Hooked::new();
    hooked.book.put(&format!("staging/{}a.packet.json", "deep/".repeat(DEPTH_LIMIT + 1)), "{}");
    let ran = run(&hooked, COMMIT);
    assert_silent(&ran);
    assert!(ran.stderr.contains("Not all of staging/"), "{ran:?}");
    assert!(denied(&say(&hooked, "claude-code", &["--strict"], &json!(COMMIT))).contains("--strict"));
    // A command that concerns no step does not even look.
    for command in ["ls", "git commit -m 'advance the novel'", "cargo test && novel next"] {
        let ran = say(&hooked, "claude-code", &["--strict"], &json!(command));
        assert_silent(&ran);
        assert_eq!(ran.stderr, "", "{command}");
    }
    assert_eq!(kept::database(&hooked.book.state()), None, "no database was opened");
    hooked.book.put(PACKET, gate("chapter:048:commit", ANSWERS));
    assert!(denied(&run(&hooked, COMMIT)).contains("novel-gate wait"), "what is found counts");
}

#[test]
fn questions_of_the_executor_itself_hold_no_command_up() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let questions = json!({"questions": [question("chapter:048:commit?", &["a", "b"])]});
    let asking = hooked.start(&call(&hooked.book, "AskUserQuestion", &questions));
    let packet = hooked.packet();
    assert_silent(&run(&hooked, COMMIT));
    hooked.answer(&packet, &json!({"q1": "a"}));
    asking.wait();
}

#[test]
#[cfg_attr(windows, ignore = "no file has such a name there")]
fn a_command_of_any_length_and_hostile_names_make_a_short_harmless_reason() {
    let hooked = Hooked::new();
    for number in 1..=200 {
        let name = format!("-a'b $(c) \u{1b}[2J\u{202e}{number}");
        let answers = format!("staging/novel-ask/{number}.json");
        hooked.book.put(
            &format!("staging/{name}.packet.json"),
            gate(&format!("\u{a0}chapter:{number}:draft\u{a0}"), &answers),
        );
    }
    let all: Vec<String> =
        (1..=20_000).map(|number| format!("novel advance chapter:{number}:draft")).collect();
    let all = all.join("\n");
    let reason = denied(&run(&hooked, &all));
    assert!(reason.encode_utf16().count() < 9_000, "{} characters", reason.encode_utf16().count());
    assert!(!reason.contains(['\u{1b}', '\u{202e}', '\u{0}']), "{reason}");
}
