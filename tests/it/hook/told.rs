//! Agents that may start are told what the author decided: the step's own agent, once, and nobody else.

use serde_json::{Value, json};
use std::fs;

use super::{Hooked, RECORD, assert_passes, assert_silent, call, denied, said};
use crate::sandbox::{Ran, Running};

const WRITER: &str = "chapter-writer";
const DRAFT: &str = "chapter-048-draft";
const ROUNDS: &str = "staging/novel-ask/chapter-048-draft.rounds.jsonl";

/// A packet of an agent, with a gate that is answered so.
fn put(hooked: &Hooked, name: &str, agent: &str, answer: Option<&str>) {
    let packet = json!({"step": name.replace('-', ":"), "agent": {"kind": "subagent", "name": agent},
        "answer_path": format!("staging/novel-ask/{name}.answers.json"),
        "expected_outputs": [{"path": format!("staging/chapters/{name}.md"), "required": true}],
        "novel_ask": {"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    hooked.book.put(&format!("staging/manifests/{name}.packet.json"), packet.to_string());
    if let Some(answer) = answer {
        let mut record: Value = serde_json::from_str(RECORD).expect("JSON");
        record["answers"]["a"] = json!(answer);
        hooked.book.put(&format!("staging/novel-ask/{name}.answers.json"), record.to_string());
    }
}

/// The draft of chapter 48 is decided.
fn decided() -> Hooked {
    let hooked = Hooked::new();
    put(&hooked, DRAFT, WRITER, Some("她死在渡口"));
    hooked
}

fn start(hooked: &Hooked, agent: &str, prompt: &str) -> Ran {
    let input = json!({"description": "write", "prompt": prompt, "subagent_type": agent});
    hooked.say(&call(&hooked.book, "Agent", &input))
}

fn codex(hooked: &Hooked, tool: &str, input: &Value) -> Ran {
    let call = call(&hooked.book, tool, input).to_string();
    Running::start_fed(&mut hooked.command("codex", &[]), call.as_bytes()).wait()
}

/// The text that a prompt has behind its own words.
fn told(ran: &Ran, prompt: &str) -> String {
    let said = said(ran);
    assert!(said.get("permissionDecision").is_none(), "the client's own prompts stay: {said}");
    assert_eq!(said["updatedInput"]["description"], "write");
    let whole = said["updatedInput"]["prompt"].as_str().expect("a prompt");
    whole.strip_prefix(prompt).unwrap_or_else(|| panic!("{whole}")).to_owned()
}

/// The call goes on as it is, and whoever makes it hears why its agent was not told.
fn advised(ran: &Ran, words: &str) {
    let said = said(ran);
    assert!(said["additionalContext"].as_str().expect("a text").contains(words), "{said}");
    assert_eq!(said.as_object().expect("an object").len(), 2, "{said}");
    assert!(ran.stderr.contains(words), "{ran:?}");
}

fn rounds(hooked: &Hooked) -> Vec<Value> {
    let text = fs::read_to_string(hooked.book.path(ROUNDS)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn the_agent_of_the_step_is_told_and_that_is_noted() {
    let hooked = decided();
    let prompt = "Write the chapter.\n{\"mode\": \"inline\"}";
    let text = told(&start(&hooked, WRITER, prompt), prompt);
    assert!(text.starts_with("\n\nThe author has decided this for chapter:048:draft."), "{text}");
    assert!(text.contains("\n> Question: q\n> Answer: 她死在渡口\n</author-decisions>"), "{text}");
    let noted = rounds(&hooked);
    assert_eq!(noted.len(), 1);
    assert_eq!((&noted[0]["agent"], &noted[0]["by"]), (&json!(WRITER), &json!("claude-code")));
}

#[test]
fn an_agent_that_has_the_words_already_is_not_told_twice() {
    let hooked = decided();
    let words = hooked.book.run(["decisions", "chapter:048:draft", "--lang", "en"]);
    assert_eq!(words.code, Some(0), "{words:?}");
    let words = words.stdout;
    let indented = words.replace('\n', "\n   ");
    for prompt in [format!("Write.\n\n{words}\nThank you."), indented] {
        assert_silent(&start(&hooked, WRITER, &prompt));
    }
    assert_eq!(rounds(&hooked).len(), 2, "it is told all the same");
    // The marks alone, or other words between them, are not these.
    let forged = words.replace("她死在渡口", "她活下来");
    for prompt in [forged.as_str(), "<author-decisions>", "</author-decisions>"] {
        assert!(told(&start(&hooked, WRITER, prompt), prompt).contains("她死在渡口"));
    }
}

#[test]
fn whoever_is_named_to_do_a_step_is_told_and_no_other_agent() {
    let hooked = decided();
    put(&hooked, "chapter-048-summarize", "summarizer", Some("短一点"));
    let named = "Do chapter:048:draft.";
    assert!(told(&start(&hooked, "general-purpose", named), named).contains("她死在渡口"));
    let both = "Sum up as in chapter:048:summarize, after chapter:048:draft.";
    let text = told(&start(&hooked, "summarizer", both), both);
    assert!(text.contains("短一点") && !text.contains("她死在渡口"), "{text}");
    for (agent, prompt) in
        [("general-purpose", "Write."), ("other", "Read chapter 048."), ("", "chapter:048:drafts")]
    {
        assert_silent(&start(&hooked, agent, prompt));
    }
    // A step of its own that is held up is not what it was let start for.
    put(&hooked, "chapter-048-judge", "judge", None);
    let named = "Judge chapter:048:draft.";
    assert!(told(&start(&hooked, "judge", named), named).contains("她死在渡口"));
    // Its own step is another one: whose decisions are meant cannot be told.
    let ran = start(&hooked, "summarizer", "Work on chapter:048:draft.");
    advised(&ran, "It is not clear which step this agent is for");
}

#[test]
fn of_two_live_steps_of_one_agent_none_is_guessed() {
    let hooked = decided();
    put(&hooked, "chapter-049-draft", WRITER, Some("雨停了"));
    let ran = start(&hooked, WRITER, "Write.");
    advised(&ran, "It is not clear which step this agent is for");
    let named = "Write chapter:049:draft.";
    let text = told(&start(&hooked, WRITER, named), named);
    assert!(text.contains("雨停了") && !text.contains("她死在渡口"), "{text}");
    assert_eq!(rounds(&hooked).len(), 0);
    // The book has gone on since chapter 48 was drafted, and the packet of the next one came after that.
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    put(&hooked, "chapter-049-draft", WRITER, Some("雨停了"));
    assert!(told(&start(&hooked, WRITER, "Write."), "Write.").contains("雨停了"));
}

/// Nothing says that the step is the agent's live one.
#[test]
fn a_step_that_has_no_packet_here_is_not_taken_for_the_live_one() {
    let hooked = decided();
    let large = format!("{} chapter:013:draft", "x".repeat(1_100_000));
    for prompt in [
        "Write chapter:020:draft.",
        "redo chapter:009:draft",
        "Follow staging/manifests/chapter-020-draft.packet.json.",
        "Run quickstart:world.",
        &large,
    ] {
        advised(&start(&hooked, WRITER, prompt), "It is not clear which step this agent is for");
    }
    for prompt in ["Write: chapter: the 48th; see volume: two.", "chapters/chapter-020.md"] {
        told(&start(&hooked, WRITER, prompt), prompt);
    }
}

/// An orchestrator may use a prompt again after the author has decided anew.
#[test]
fn a_later_decision_says_that_it_replaces_the_one_in_the_prompt() {
    let hooked = decided();
    let old = hooked.book.run(["decisions", "chapter:048:draft", "--lang", "en"]).stdout;
    put(&hooked, DRAFT, WRITER, Some("她活下来"));
    let text = told(&start(&hooked, WRITER, &old), &old);
    assert!(text.contains("replaces earlier decisions above.\nThe author has decided this"), "{text}");
}

/// What the author has said is no order to run a step, and whoever has all that could be meant is told enough.
#[test]
fn the_words_of_decisions_in_a_prompt_name_no_step_to_be_run() {
    let hooked = decided();
    put(
        &hooked,
        "chapter-049-draft",
        WRITER,
        Some("像 chapter:050:draft 那样收束，而不是 chapter:048:draft"),
    );
    put(&hooked, "chapter-050-draft", WRITER, None);
    let words = |step: &str| hooked.book.run(["decisions", step, "--lang", "en"]).stdout;
    let both = words("chapter:048:draft") + &words("chapter:049:draft");
    assert_silent(&start(&hooked, WRITER, &both));
    assert_eq!(rounds(&hooked).len(), 1);
    assert_silent(&start(&hooked, WRITER, &words("chapter:049:draft")));
    assert_eq!(rounds(&hooked).len(), 1);
    denied(&start(&hooked, WRITER, &(words("chapter:049:draft") + "Run chapter:050:draft.")));
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn what_nobody_could_read_was_not_told() {
    let hooked = decided();
    let input = json!({"description": "write", "prompt": "Write.", "subagent_type": WRITER});
    let call = call(&hooked.book, "Agent", &input).to_string();
    let hook = hooked.command("claude-code", &[]);
    let mut shell = hooked.book.system("sh");
    shell.args(["-c", "exec \"$@\" >/dev/full", "sh"]).arg(hook.get_program()).args(hook.get_args());
    let ran = Running::start_fed(&mut shell, call.as_bytes()).wait();
    assert_eq!((ran.code, rounds(&hooked).len()), (Some(1), 0), "{ran:?}");
}

#[test]
fn nothing_is_told_before_there_is_a_valid_record() {
    let hooked = Hooked::new();
    put(&hooked, DRAFT, WRITER, None);
    let ran = start(&hooked, WRITER, "Write.");
    denied(&ran);
    assert!(said(&ran).get("updatedInput").is_none(), "never together with a denial");
    hooked.book.put("staging/novel-ask/chapter-048-draft.answers.json", "{\"answers\": ");
    denied(&start(&hooked, WRITER, "Write."));
    assert_eq!(rounds(&hooked).len(), 0);
}

#[test]
fn a_call_without_a_prompt_or_with_a_large_one_passes_as_it_is_or_whole() {
    let hooked = decided();
    for input in [
        json!({"subagent_type": WRITER}),
        json!({"subagent_type": WRITER, "prompt": null}),
        json!({"subagent_type": WRITER, "prompt": ["x"]}),
    ] {
        let ran = hooked.say(&call(&hooked.book, "Agent", &input));
        advised(&ran, "has no text to which that could be added");
    }
    assert_eq!(rounds(&hooked).len(), 0);
    let large = "雨".repeat(340_000);
    assert!(told(&start(&hooked, WRITER, &large), &large).contains("她死在渡口"));
    // Half a pair of surrogates stays what it is.
    let input = r#"{"description": "write", "prompt": "a\ud800", "subagent_type": "chapter-writer"}"#;
    let mut call = call(&hooked.book, "Agent", &json!("INPUT")).to_string();
    call = call.replace("\"INPUT\"", input);
    let ran = hooked.start_with(call.as_bytes(), &[]).wait();
    assert!(ran.stdout.contains(r#""prompt": "a\ud800\n\nThe author"#), "{ran:?}");
}

#[test]
fn a_forked_skill_is_told_by_its_arguments_unless_it_counts_them_out() {
    let hooked = decided();
    let skill = |name: &str, body: &str| {
        let text = format!("---\nname: {name}\ncontext: fork\nagent: {WRITER}\n---\n{body}\n");
        hooked.book.put(&format!(".claude/skills/{name}/SKILL.md"), text);
        hooked.say(&call(&hooked.book, "Skill", &json!({"skill": name, "args": "now"})))
    };
    for (name, body) in [("plain", "Write."), ("all", "Write $ARGUMENTS.")] {
        let said = said(&skill(name, body));
        let args = said["updatedInput"]["args"].as_str().expect("arguments");
        assert!(args.starts_with("now\n\nThe author has decided"), "{args}");
    }
    let ran = skill("counted", "Write $0.");
    advised(&ran, "has no text to which that could be added");
}

#[test]
fn codex_takes_more_behind_a_message_only_with_its_consent_and_never_behind_an_encrypted_one() {
    let hooked = decided();
    let said = said(&codex(&hooked, "spawn_agent", &json!({"message": "Write.", "agent_type": WRITER})));
    assert_eq!(said["permissionDecision"], "allow");
    assert!(said["updatedInput"]["message"].as_str().expect("a message").starts_with("Write.\n\nThe author"));
    let items = json!({"items": [{"type": "text", "text": "Write."}], "agent_type": WRITER});
    let said = super::said(&codex(&hooked, "spawn_agent", &items));
    assert_eq!(said["updatedInput"]["items"][0]["text"], "Write.");
    assert!(said["updatedInput"]["items"][1]["text"].as_str().expect("text").contains("她死在渡口"));
    let named = json!({"task_name": "draft", "message": "gAAAA", "agent_type": WRITER});
    assert_silent(&codex(&hooked, "collaborationspawn_agent", &named));
}

/// What a client gives to a hook of an agent that has started.
fn started(hooked: &Hooked, executor: &str, agent: &str, transcript: &str) -> Ran {
    let input = json!({"session_id": "5e55", "cwd": hooked.book.root(), "hook_event_name": "SubagentStart", "agent_id": "a1",
        "agent_type": agent, "transcript_path": hooked.book.path(transcript)});
    Running::start_fed(&mut hooked.command(executor, &[]), input.to_string().as_bytes()).wait()
}

fn context(ran: &Ran) -> String {
    let value: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(value["hookSpecificOutput"]["hookEventName"], "SubagentStart");
    value["hookSpecificOutput"]["additionalContext"].as_str().expect("a text").to_owned()
}

#[test]
fn an_agent_of_codex_with_a_named_task_is_told_when_it_starts() {
    let hooked = decided();
    let transcript = |path: Value| {
        let line = json!({"type": "session_meta", "payload": {"source": {"subagent": {"thread_spawn": {"agent_path": path}}}}});
        hooked.book.put("rollout.jsonl", format!("{line}\n"));
    };
    transcript(json!("/root/write"));
    assert!(context(&started(&hooked, "codex", WRITER, "rollout.jsonl")).contains("她死在渡口"));
    assert_silent(&started(&hooked, "codex", "default", "rollout.jsonl"));
    transcript(json!("/root/chapter_048_draft"));
    assert!(context(&started(&hooked, "codex", "default", "rollout.jsonl")).contains("她死在渡口"));
    put(&hooked, DRAFT, WRITER, Some(&"长".repeat(50_000)));
    let long = context(&started(&hooked, "codex", WRITER, "rollout.jsonl"));
    assert!(long.len() <= 10_000 && long.ends_with("chapter-048-draft.answers.json"), "{}", long.len());
    // Without a task's name it was told behind its message.
    transcript(Value::Null);
    assert_silent(&started(&hooked, "codex", WRITER, "rollout.jsonl"));
    assert_silent(&started(&hooked, "codex", WRITER, "missing.jsonl"));
}

#[test]
fn an_agent_of_a_workflow_is_told_when_it_starts() {
    let hooked = decided();
    assert_silent(&started(&hooked, "claude-code", WRITER, "session.jsonl"));
    let journal = |label: &str| {
        let line = json!({"type": "started", "agentId": "a1", "label": label});
        hooked.book.put("session/subagents/workflows/wf_1/journal.jsonl", format!("{line}\n"));
    };
    journal("Write it.");
    assert!(context(&started(&hooked, "claude-code", WRITER, "session.jsonl")).contains("她死在渡口"));
    put(&hooked, "chapter-049-draft", WRITER, Some("雨停了"));
    assert_silent(&started(&hooked, "claude-code", WRITER, "session.jsonl"));
    journal("Write chapter:049:draft as planned");
    assert!(context(&started(&hooked, "claude-code", WRITER, "session.jsonl")).contains("雨停了"));
    hooked.book.put("staging/novel-ask/chapter-049-draft.answers.json", "[]");
    assert_silent(&started(&hooked, "claude-code", WRITER, "session.jsonl"));
}

#[test]
fn that_it_cannot_be_noted_is_said_and_the_agent_is_told_all_the_same() {
    let hooked = decided();
    hooked.book.put(ROUNDS, "my own notes\n");
    let ran = start(&hooked, WRITER, "Write.");
    assert!(told(&ran, "Write.").contains("她死在渡口"));
    assert!(
        ran.stderr
            .contains("that could not be noted: staging/novel-ask/chapter-048-draft.rounds.jsonl is a file"),
        "{ran:?}"
    );
    assert_eq!(fs::read_to_string(hooked.book.path(ROUNDS)).expect("there"), "my own notes\n");
    assert_passes(&ran);
}
