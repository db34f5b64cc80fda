//! Skills, commands and workflows that a project brings along: however many, however large, whatever their links lead to, the hook
//! ends soon, in little memory, and reads nothing outside.

use crate::system::symlink;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Hooked, RECORD, assert_silent, call, denied};
use crate::sandbox::{Ran, Running};
use crate::system::make_pipe;

const FORK: &str = "---\ncontext: fork\nagent: plot-architect\n---\nPlan it.\n";
const INLINE: &str = "---\ndescription: d\n---\nTalk.\n";
/// Far more than a call may take, on a machine that is busy; what never ends, or doubles with each link, takes longer.
const SOON: Duration = Duration::from_secs(10);

/// A gate of `plot-architect` waits.
fn waiting() -> Hooked {
    let hooked = Hooked::new();
    let packet = json!({"step": "volume:outline", "agent": {"name": "plot-architect"},
        "answer_path": "staging/novel-ask/outline.json", "novel_ask": {"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    hooked.book.put("staging/manifests/outline.packet.json", packet.to_string());
    hooked
}

/// The hook of a call, in 400 MB of memory.
fn run(hooked: &Hooked, flags: &[&str], tool: &str, input: &Value) -> Ran {
    let plain = hooked.command("claude-code", flags);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -v 400000; exec \"$0\" \"$@\""])
        .arg(plain.get_program())
        .args(plain.get_args());
    limited.current_dir("/");
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let call = call(&hooked.book, tool, input).to_string();
    Running::start_fed(&mut limited, call.as_bytes()).wait_within(SOON).expect("the hook ends soon")
}

fn skill(hooked: &Hooked, flags: &[&str], name: &str) -> Ran {
    run(hooked, flags, "Skill", &json!({"skill": name}))
}

/// The call is judged, and passes.
fn passes(hooked: &Hooked, name: &str) {
    let ran = skill(hooked, &["--strict"], name);
    assert_silent(&ran);
    assert_eq!(ran.stderr, "", "{name}");
}

/// The call cannot be judged.
fn unjudged(hooked: &Hooked, tool: &str, input: &Value) {
    let ran = run(hooked, &[], tool, input);
    assert_silent(&ran);
    assert!(ran.stderr.contains("cannot be told what this call starts"), "{ran:?}");
    let reason = denied(&run(hooked, &["--strict"], tool, input));
    assert!(reason.contains("--strict") && reason.contains("cannot be told"), "{reason}");
}

fn link(hooked: &Hooked, target: impl AsRef<Path>, name: &str) {
    let path = hooked.book.path(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
    symlink(target, path).expect("a link");
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn each_directory_is_entered_once_whatever_links_lead_to_it() {
    let hooked = waiting();
    for kind in ["commands", "skills", "workflows"] {
        for number in 0..60 {
            link(&hooked, ".", &format!(".claude/{kind}/self-{number}"));
            link(&hooked, "..", &format!(".claude/{kind}/up-{number}"));
            link(&hooked, format!("../../docs/{}", number % 5), &format!(".claude/{kind}/docs-{number}"));
            link(&hooked, hooked.book.root(), &format!(".claude/{kind}/root-{number}"));
        }
        link(&hooked, "round", &format!(".claude/{kind}/round"));
    }
    for number in 0..5 {
        link(&hooked, "../..", &format!("docs/{number}/back"));
        link(&hooked, "..", &format!("docs/{number}/beside"));
    }
    let filler = "雨停之前，别让他回头。\n".repeat(3_000);
    hooked.book.put(".claude/commands/long.md", format!("{INLINE}{filler}"));
    hooked.book.put(".claude/commands/a/b/c/d/deep.md", FORK);
    hooked.book.put(".claude/skills/plan/SKILL.md", FORK);
    hooked
        .book
        .put(".claude/workflows/w.js", "const name = 'weekly'; agent('p', {agentType: 'plot-architect'})");
    for name in ["deep", "plan", "docs-0:back:plan"] {
        assert!(denied(&skill(&hooked, &[], name)).contains("outline.packet.json"), "{name}");
    }
    for name in ["long", "self-1", "nowhere"] {
        passes(&hooked, name);
    }
    denied(&run(&hooked, &[], "Workflow", &json!({"name": "weekly"})));
}

/// A directory that is met again under another name holds a skill of that name.
#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_skill_has_every_name_that_links_give_it() {
    let hooked = waiting();
    hooked.book.put("common/plan/SKILL.md", FORK);
    for name in ["first", "second", "third"] {
        link(&hooked, "../../common/plan", &format!(".claude/skills/{name}"));
    }
    link(&hooked, hooked.book.path("common/plan"), ".claude/skills/absolute");
    for name in ["first", "second", "third", "absolute"] {
        assert!(denied(&skill(&hooked, &[], name)).contains("outline.packet.json"), "{name}");
    }
    passes(&hooked, "plan");
}

#[test]
#[cfg_attr(windows, ignore = "a Unix shell bounds the memory")]
fn there_is_an_end_to_how_many_names_are_looked_at() {
    let hooked = waiting();
    for number in 0..10_100 {
        hooked.book.put(&format!(".claude/commands/{}/{number}.txt", number / 100), "");
        hooked.book.put(&format!(".claude/workflows/{number}.txt"), "");
    }
    unjudged(&hooked, "Skill", &json!({"skill": "x"}));
    unjudged(&hooked, "Workflow", &json!({"name": "x"}));
    // What is found counts.
    hooked.book.put(".claude/skills/plan/SKILL.md", FORK);
    denied(&skill(&hooked, &[], "plan"));
    // A skill that starts nobody may be about a step that is held: it may be the way to open it.
    assert_silent(&run(&hooked, &[], "Skill", &json!({"skill": "x", "args": "volume:outline"})));
    // While no gate holds anybody up, there is nothing to tell.
    hooked.book.put("staging/novel-ask/outline.json", RECORD);
    passes(&hooked, "x");
}

#[test]
#[cfg_attr(windows, ignore = "a Unix shell bounds the memory")]
fn there_is_an_end_to_how_much_is_read() {
    let hooked = waiting();
    let huge = |path: &str, size: u64| {
        hooked.book.put(path, FORK);
        File::options()
            .write(true)
            .open(hooked.book.path(path))
            .expect("a file")
            .set_len(size)
            .expect("its size");
    };
    huge(".claude/skills/vast/SKILL.md", 1 << 40);
    passes(&hooked, "x");
    // More of it than is searched may name a step.
    assert!(denied(&skill(&hooked, &[], "vast")).contains("outline.packet.json"));
    for number in 0..100 {
        huge(&format!(".claude/commands/{number}.md"), 60 << 20);
        huge(&format!(".claude/workflows/{number}.js"), 60 << 20);
    }
    unjudged(&hooked, "Skill", &json!({"skill": "x"}));
    let ran = run(&hooked, &[], "Workflow", &json!({"name": "x"}));
    assert_silent(&ran);
    assert!(!ran.stderr.is_empty());
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn what_is_no_file_is_never_waited_for() {
    let hooked = waiting();
    hooked.book.put(".claude/commands/free.md", INLINE);
    make_pipe(&hooked.book.path(".claude/commands/pipe.md"));
    hooked.book.put(".claude/skills/held/other.txt", "");
    make_pipe(&hooked.book.path(".claude/skills/held/SKILL.md"));
    for (device, name) in [("/dev/zero", "zero"), ("/dev/tty", "tty"), ("/proc/kmsg", "log")] {
        link(&hooked, device, &format!(".claude/commands/{name}.md"));
    }
    fs::create_dir(hooked.book.path(".claude/commands/directory.md")).expect("a directory");
    for name in ["free", "directory", "x", "novel-gate"] {
        passes(&hooked, name);
    }
    // What lies there may be what is called.
    for name in ["pipe", "held", "zero", "tty", "log"] {
        unjudged(&hooked, "Skill", &json!({"skill": name}));
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn nothing_outside_is_read() {
    let hooked = waiting();
    let outside = |path: &str, text: &str| hooked.book.put(&format!("../outside/{path}"), text);
    outside("plan/SKILL.md", FORK);
    outside("plan.md", FORK);
    outside("deep/inner.md", FORK);
    outside("w.js", "const name = 'weekly'; agent('p', {agentType: 'plot-architect'})");
    hooked.book.put(".claude/skills/free/SKILL.md", INLINE);
    link(&hooked, "../../../outside/plan", ".claude/skills/linked");
    link(&hooked, hooked.book.path("../outside/plan.md"), ".claude/commands/command.md");
    link(&hooked, "../../../outside/deep", ".claude/commands/deep");
    link(&hooked, "../../../outside/w.js", ".claude/workflows/weekly.js");
    link(&hooked, "../../commands/deep", ".claude/skills/twice/deep");
    for name in ["linked", "command", "deep"] {
        unjudged(&hooked, "Skill", &json!({"skill": name}));
    }
    for name in ["free", "inner", "plan", "x"] {
        passes(&hooked, name);
    }
    let ran = run(&hooked, &[], "Workflow", &json!({"name": "weekly"}));
    assert_silent(&ran);
    assert!(!ran.stderr.is_empty());
    // The author's own may lie anywhere.
    link(&hooked, "../../../outside/plan", "../home/.claude/skills/mine");
    denied(&skill(&hooked, &[], "mine"));
    // Nothing of what is in such a directory can be told.
    fs::rename(hooked.book.path(".claude"), hooked.book.path("../outside/claude")).expect("moved");
    link(&hooked, "../outside/claude", ".claude");
    unjudged(&hooked, "Skill", &json!({"skill": "x"}));
}
