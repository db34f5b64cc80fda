//! Agents that Claude Code is about to start, while gates are held up.

use serde_json::{Value, json};

use super::{FOLDER, Hooked, RECORD, assert_passes, assert_silent, call, denied, question};
use crate::sandbox::Ran;

/// The packets of these tests are for this agent.
const AGENT: &str = "chapter-writer";

/// A packet `staging/manifests/<name>.packet.json` of an agent, with a gate.
fn put(hooked: &Hooked, name: &str, step: &str, agent: &Value) {
    let packet = json!({"step": step, "agent": agent, "answer_path": format!("staging/novel-ask/{name}.json"),
        "novel_ask": {"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    hooked.book.put(&format!("staging/manifests/{name}.packet.json"), packet.to_string());
}

/// A gate that waits, `chapter-048-draft`.
fn waiting() -> Hooked {
    let hooked = Hooked::new();
    put(&hooked, "chapter-048-draft", "chapter:048:draft", &json!({"kind": "subagent", "name": AGENT}));
    hooked
}

fn answer(hooked: &Hooked, name: &str) {
    hooked.book.put(&format!("staging/novel-ask/{name}.json"), RECORD);
}

fn start(hooked: &Hooked, agent: &str, prompt: &str) -> Ran {
    let input = json!({"description": "write", "prompt": prompt, "subagent_type": agent});
    hooked.say(&call(&hooked.book, "Agent", &input))
}

#[test]
fn no_agent_starts_while_its_gate_waits_or_is_blocked() {
    let hooked = waiting();
    let reason = denied(&start(&hooked, AGENT, "Write the chapter."));
    assert!(reason.contains("novel-gate wait staging/manifests/chapter-048-draft.packet.json\n"), "{reason}");
    assert_eq!(reason.matches("chapter-048-draft").count(), 1, "{reason}");
    let input = json!({"prompt": "Write.", "subagent_type": AGENT});
    denied(&hooked.say(&call(&hooked.book, "Task", &input)));
    hooked.book.put("staging/novel-ask/chapter-048-draft.json", "[]");
    assert!(denied(&start(&hooked, AGENT, "Write.")).contains("is not valid"));
    answer(&hooked, "chapter-048-draft");
    assert_passes(&start(&hooked, AGENT, "Write."));
    assert_eq!(hooked.book.run(["redo", "chapter:048:draft"]).code, Some(0));
    denied(&start(&hooked, AGENT, "Write."));
}

/// As Claude Code takes it: by letters and digits, and without a plugin's name.
#[test]
fn an_agent_is_held_however_its_name_is_spelled() {
    let hooked = waiting();
    for agent in [
        "chapter-writer",
        "Chapter-Writer",
        "chapter_writer",
        "chapter writer",
        " chapter-writer ",
        "chapterwriter",
        "CHAPTER.WRITER",
        "novel:chapter-writer",
        "a:b:Chapter_Writer",
        "ｃｈａｐｔｅｒ-ｗｒｉｔｅｒ",
        "ＣＨＡＰＴＥＲ－writer",
        "novel：chapter-ｗriter",
        "chapter-\u{1d430}riter",
    ] {
        assert!(denied(&start(&hooked, agent, "Write.")).contains("chapter-048-draft"), "{agent}");
    }
    for agent in [
        "chapter",
        "chapter-writers",
        "chapter-writer:novel",
        "chapter-writer-2",
        "null",
        "x",
        "",
        " ",
        "-",
        "：:",
    ] {
        assert_silent(&start(&hooked, agent, "Write."));
    }
    for (name, agent, call) in
        [("han", "章节 作者", "小说:章节作者"), ("accent", "Écrivain", "éCRIVAIN"), ("sign", "✍", " ✍ ")]
    {
        put(&hooked, name, &format!("step:{name}"), &json!(agent));
        assert!(denied(&start(&hooked, call, "Write.")).contains(&format!("{name}.packet.json")), "{agent}");
    }
}

#[test]
fn other_agents_and_packets_without_one_are_no_matter() {
    let hooked = waiting();
    put(&hooked, "none", "step:none", &json!(null));
    put(&hooked, "odd", "step:odd", &json!({"name": ["x"]}));
    for agent in ["general-purpose", "null", "x", ""] {
        assert_silent(&start(&hooked, agent, "Write."));
    }
    put(&hooked, "text", "step:text", &json!("text-agent"));
    // Without a name it is Claude Code's own.
    put(&hooked, "own", "step:own", &json!("general-purpose"));
    let unnamed = json!({"description": "write", "prompt": "Write."});
    assert!(denied(&hooked.say(&call(&hooked.book, "Agent", &unnamed))).contains("own.packet.json"));
    assert!(denied(&start(&hooked, "text-agent", "Go.")).contains("text.packet.json"));
}

#[test]
fn a_prompt_that_names_a_held_step_is_held_whoever_runs_it() {
    let hooked = waiting();
    put(&hooked, "chapter-047-draft", "chapter:047:draft", &json!({"name": "x"}));
    answer(&hooked, "chapter-047-draft");
    put(&hooked, "none", "step:none", &json!(null));
    for prompt in [
        "Write chapter:048:draft.",
        "请执行chapter:048:draft这一步",
        "`chapter:048:draft`",
        "Follow staging/manifests/chapter-048-draft.packet.json",
        "Follow chapter-048-draft.packet.json, then stop.",
        "The packet is chapter-048-draft.",
        "The answers will lie at staging/novel-ask/chapter-048-draft.json.",
        &format!("Read {}", hooked.book.path("staging/novel-ask/chapter-048-draft.json").display()),
        "Write chapter:048:draft, for chapter:047:draft was committed",
    ] {
        for agent in ["general-purpose", AGENT, "fork", ""] {
            let reason = denied(&start(&hooked, agent, prompt));
            assert!(
                reason.contains("names a step") && reason.contains("chapter-048-draft"),
                "{prompt}: {reason}"
            );
        }
        let unnamed = json!({"description": "write", "prompt": prompt});
        denied(&hooked.say(&call(&hooked.book, "Agent", &unnamed)));
    }
    let described = json!({"description": "chapter:048:draft", "prompt": "Go."});
    denied(&hooked.say(&call(&hooked.book, "Agent", &described)));
    assert!(denied(&start(&hooked, "x", "step:none")).contains("none.packet.json"), "no agent is needed");
    for prompt in [
        "Write chapter 48.",
        "chapter:0048:draft",
        "chapter:048:drafts",
        "chapter:048:draft-2",
        "sub:chapter:048:draft",
        "chapter:48:draft",
        "see chapters/chapter-048-draft.md",
        "chapter-048-draft.packet.json.bak",
        "old-chapter-048-draft.packet.json",
        "staging/novel-ask/chapter-048-draft.json.bak",
        "staging/novel-ask/chapter-048-draft.jsonl",
        "chapter:047:draft",
    ] {
        assert_passes(&start(&hooked, "general-purpose", prompt));
    }
    // What is behind the checkpoint holds nobody up.
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    assert_passes(&start(&hooked, "general-purpose", "Write chapter:048:draft."));
}

#[test]
fn a_prompt_of_any_length_is_searched_as_far_as_said() {
    let hooked = waiting();
    let filler = "雨停之前，别让他回头。\n".repeat(30_000);
    denied(&start(&hooked, "x", &format!("{filler}chapter:048:draft")));
    let long = filler.repeat(11);
    assert!(long.len() > 10 << 20);
    let ran = start(&hooked, "x", &format!("{long}chapter:048:draft"));
    assert_silent(&ran);
    assert!(ran.stderr.contains("longer than 1 MiB"), "{ran:?}");
    denied(&start(&hooked, AGENT, &long));
    denied(&start(&hooked, "x", &format!("chapter:048:draft{long}")));
}

#[test]
fn a_step_that_the_checkpoint_has_passed_holds_nobody_up() {
    let hooked = waiting();
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    assert_silent(&start(&hooked, AGENT, "Write."));
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 48, "inflight_chapter": 48}"#);
    denied(&start(&hooked, AGENT, "Write."));
}

/// A packet of a passed chapter is told by its name, and opened only if the call names its chapter.
#[test]
fn a_packet_of_a_passed_chapter_counts_only_where_the_call_names_it() {
    let hooked = waiting();
    let agent = json!({"name": AGENT});
    put(&hooked, "chapter-047-draft", "chapter:047:draft", &agent);
    put(&hooked, "chapter-046-draft", "chapter:090:draft", &json!({"name": "x"}));
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 47}"#);
    for prompt in ["Write.", "Write chapter:046:draft.", "Write chapter:090:draft."] {
        assert!(denied(&start(&hooked, AGENT, prompt)).contains("chapter-048-draft"), "{prompt}");
    }
    for prompt in [
        "chapter:047:draft",
        "staging/manifests/chapter-047-draft.packet.json",
        "The answers lie at staging/novel-ask/chapter-047-draft.json.",
    ] {
        assert_silent(&start(&hooked, AGENT, prompt));
    }
    assert_silent(&start(&hooked, "x", "Write chapter:090:draft."));
    assert!(denied(&start(&hooked, "x", "Do as chapter-046-draft says.")).contains("chapter-046-draft"));
    // What has the name of a record is none of its packets.
    let packet = hooked.book.path("staging/manifests/chapter-048-draft.packet.json");
    std::fs::rename(packet, hooked.book.path("staging/manifests/chapter-048-draft.answers.json"))
        .expect("moved");
    assert_silent(&start(&hooked, AGENT, "Write chapter:048:draft."));
}

#[test]
fn a_prompt_that_names_an_open_step_is_about_that_one() {
    let hooked = waiting();
    let agent = json!({"name": AGENT});
    put(&hooked, "chapter-049-draft", "chapter:049:draft", &agent);
    answer(&hooked, "chapter-049-draft");
    hooked.book.put("staging/manifests/free.packet.json", r#"{"step": "free", "agent": "x"}"#);
    hooked
        .book
        .put("staging/manifests/volume-outline.packet.json", r#"{"step": "volume:outline", "agent": "x"}"#);
    for prompt in [
        "Write chapter:049:draft.",
        "chapter:049:draft: write it",
        "请执行chapter:049:draft这一步",
        "staging/manifests/chapter-049-draft.packet.json",
        &format!("Follow {}!", hooked.book.path("staging/manifests/chapter-049-draft.packet.json").display()),
        "read `chapter-049-draft.packet.json`",
        "the packet is chapter-049-draft.",
        "line\nchapter-049-draft\nline",
        "staging/manifests/free.packet.json",
        "volume:outline",
        "volume-outline.packet.json",
    ] {
        assert_passes(&start(&hooked, AGENT, prompt));
    }
    for prompt in [
        "",
        "chapter",
        "chapter:049:drafts",
        "sub:chapter:049:draft",
        "chapter-049-draft-2",
        "chapters/chapter-049-draft.md",
        "chapter-049-draft.packet.json.bak",
        // Any prompt may hold such words.
        "free",
        "volume-outline",
        "Write chapter:048:draft.",
        // It is held up all the same.
        "Write chapter:048:draft as chapter:049:draft was written.",
    ] {
        let reason = denied(&start(&hooked, AGENT, prompt));
        assert!(
            reason.contains("chapter-048-draft") && !reason.contains("chapter-049"),
            "{prompt}: {reason}"
        );
    }
}

#[test]
fn of_several_gates_the_one_that_is_named_counts() {
    let hooked = waiting();
    for chapter in ["050", "051", "052", "053"] {
        let step = format!("chapter:{chapter}:draft");
        put(&hooked, &format!("chapter-{chapter}-draft"), &step, &json!({"name": AGENT}));
    }
    put(&hooked, "judge", "chapter:060:judge", &json!({"name": "judge"}));
    hooked.book.put(
        "staging/manifests/torn.packet.json",
        r#"{"step": "torn", "agent": "chapter-writer", "novel_ask": 1"#,
    );
    hooked.book.put(
        "staging/manifests/odd.packet.json",
        r#"{"step": "odd", "agent": "chapter-writer", "novel_ask": 1}"#,
    );
    let reason = denied(&start(&hooked, AGENT, "Write chapter:051:draft."));
    assert!(
        reason.contains("chapter-051-draft") && reason.matches("novel-gate wait").count() == 1,
        "{reason}"
    );
    let reason = denied(&start(&hooked, AGENT, "Write."));
    assert_eq!(reason.matches("novel-gate wait").count(), 3, "{reason}");
    assert!(reason.contains("gates that are not open: 3"), "{reason}");
    assert!(denied(&start(&hooked, AGENT, "chapter:060:judge")).contains("judge.packet.json"));
    // Nor does a packet that cannot be used let anybody run its step.
    for (agent, prompt, file) in [
        (AGENT, "staging/manifests/odd.packet.json", "odd.packet.json"),
        ("x", "Do step odd.packet.json", "odd.packet.json"),
    ] {
        let reason = denied(&start(&hooked, agent, prompt));
        assert!(reason.contains(&format!("novel-gate check staging/manifests/{file}")), "{prompt}: {reason}");
        assert!(reason.contains("cannot be used") && !reason.contains("chapter-05"), "{prompt}: {reason}");
    }
    // One that somebody may still be writing says nothing.
    let reason = denied(&start(&hooked, AGENT, "staging/manifests/torn.packet.json"));
    assert!(reason.contains("gates that are not open: 3"), "{reason}");
}

#[test]
fn questions_of_the_executor_itself_hold_no_agent_up() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let questions = json!({"questions": [question("Where?", &["a", "b"])]});
    let asking = hooked.start(&call(&hooked.book, "AskUserQuestion", &questions));
    let packet = hooked.packet();
    assert!(packet.starts_with(FOLDER));
    assert_silent(&start(&hooked, "claude-code", "Write."));
    hooked.answer(&packet, &json!({"q1": "a"}));
    asking.wait();
}

#[test]
fn a_command_in_a_reason_names_the_packet_whole() {
    let hooked = Hooked::new();
    let name = format!("{}gate", "又深又长的名字又深又长的名字又深又长的名字/".repeat(8));
    put(&hooked, &name, "volume:outline", &json!("plot-architect"));
    let reason = denied(&start(&hooked, "plot-architect", "Plan."));
    assert!(reason.contains(&format!("novel-gate wait staging/manifests/{name}.packet.json")), "{reason}");
}

#[test]
#[cfg_attr(windows, ignore = "no file has such a name there")]
fn hostile_names_make_a_short_harmless_reason() {
    let hooked = Hooked::new();
    let name = format!("-a'b $(c) \u{1b}[2J\u{202e}{}", "e\u{301}\u{301}\u{301}".repeat(20));
    let agent = format!("x\u{1b}[2J{}", "长".repeat(90_000));
    let packet = json!({"step": "s\u{0}", "agent": agent, "answer_path": format!("staging/{}/a.json", "深/".repeat(900)),
        "novel_ask": {"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    for number in 1..=4 {
        hooked.book.put(&format!("staging/{name}{number}.packet.json"), packet.to_string());
    }
    let reason = denied(&start(&hooked, &agent, &"chapter:048:draft ".repeat(200_000)));
    assert!(reason.encode_utf16().count() < 9_000, "{} characters", reason.encode_utf16().count());
    assert!(!reason.contains(['\u{1b}', '\u{202e}', '\u{0}']), "{reason}");
    assert!(reason.contains(r"novel-gate wait 'staging/-a'\''b $(c) "), "{reason}");
}

#[test]
fn a_denial_says_what_to_propose_first() {
    let hooked = Hooked::new();
    let file = json!({"_steps": ["chapter:*:draft"], "version": 1, "topic": "t", "questions": [
        {"id": "way", "header": "h", "question": "q", "kind": "single_choice", "required": true, "allow_other": true,
         "options": [{"label": "own", "description": "d"}], "_propose": {"brief": "谁付代价", "rounds": 1}}]});
    hooked.book.put("questions/way.question.json", file.to_string());
    let packet = json!({"step": "chapter:048:draft", "agent": {"kind": "subagent", "name": AGENT}});
    hooked.book.put("staging/manifests/chapter-048-draft.packet.json", packet.to_string());
    let denial = || denied(&start(&hooked, AGENT, "Write the chapter."));
    let path = "staging/manifests/chapter-048-draft.packet.json";
    let told = format!("novel-gate propose {path} --question way --option 'LABEL=DESCRIPTION'");
    let reason = denial();
    assert!(reason.contains(&told) && reason.contains("谁付代价"), "{reason}");
    let run = |line: &[&str]| assert_eq!(hooked.book.run(line.iter().copied()).code, Some(0), "{line:?}");
    run(&["propose", path, "--option", "a=b"]);
    assert!(!denial().contains("propose"), "{}", denial());
    run(&["answer", path, "--by", "human", "--send-back", "too flat"]);
    let reason = denial();
    assert!(reason.contains("too flat") && reason.contains("propose no more"), "{reason}");
}
