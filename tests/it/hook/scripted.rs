//! Workflows of Claude Code: scripts that start agents.

use serde_json::{Value, json};

use super::{Hooked, RECORD, assert_passes, assert_silent, call, denied};
use crate::sandbox::{Ran, Running};

/// A gate of `plot-architect` waits, one of `summarizer` is open.
fn waiting() -> Hooked {
    let hooked = Hooked::new();
    for (name, agent) in [("outline", "plot-architect"), ("summary", "summarizer")] {
        let packet = json!({"step": format!("volume:{name}"), "agent": {"name": agent},
            "answer_path": format!("staging/novel-ask/{name}.json"), "novel_ask": {"version": 1, "topic": "t", "questions": [
                {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
        hooked.book.put(&format!("staging/manifests/{name}.packet.json"), packet.to_string());
    }
    hooked.book.put("staging/novel-ask/summary.json", RECORD);
    hooked
}

fn run(hooked: &Hooked, flags: &[&str], input: &Value) -> Ran {
    let call = call(&hooked.book, "Workflow", input);
    Running::start_fed(&mut hooked.command("claude-code", flags), call.to_string().as_bytes()).wait()
}

fn script(body: &str) -> Value {
    json!({"script": format!("export const meta = {{name: 'w', description: 'd', phases: []}};\n{body}")})
}

#[test]
fn a_workflow_starts_no_agent_that_is_held() {
    let hooked = waiting();
    let bodies = [
        "await agent('Plan.', {agentType: 'plot-architect'})",
        "await parallel([() => agent(`Plan.`, {label: \"x\", agentType: \"novel:plot-architect\"})])",
        "for (const who of ['summarizer', 'Plot_Architect']) await agent('Plan.', {agentType: who})",
        // Whoever runs it.
        "await agent('Run volume:outline.')",
        "await agent('Follow staging/manifests/outline.packet.json', {agentType: 'general-purpose'})",
    ];
    for body in bodies {
        let reason = denied(&run(&hooked, &[], &script(body)));
        assert!(
            reason.contains("outline.packet.json") && reason.contains("novel-gate wait"),
            "{body}: {reason}"
        );
    }
    hooked.book.put("flows/plan.js", bodies[0]);
    for path in ["flows/plan.js".into(), hooked.book.path("flows/plan.js")] {
        denied(&run(&hooked, &[], &json!({"scriptPath": path, "script": "1"})));
    }
    // Where both are given, the client takes the script.
    hooked.book.put("flows/good.js", "1");
    denied(&run(&hooked, &[], &json!({"scriptPath": "flows/good.js", "script": bodies[0]})));
    hooked.book.put("flows/prompt.js", bodies[3]);
    denied(&run(&hooked, &[], &json!({"scriptPath": "flows/prompt.js"})));
    let with = |arguments: Value| {
        let mut input = script("await agent(args.prompt, {agentType: args.who})");
        input["args"] = arguments;
        input
    };
    denied(&run(&hooked, &[], &with(json!({"who": "plot-architect"}))));
    denied(&run(&hooked, &[], &with(json!({"who": "x", "deep": [{"prompt": "volume:outline"}]}))));
    for body in [
        "await agent('Sum up.', {agentType: 'summarizer'})",
        "await agent('Sum up what plot-architect wrote.')",
        "",
    ] {
        let ran = run(&hooked, &["--strict"], &script(body));
        assert_silent(&ran);
        assert_eq!(ran.stderr, "", "{body}");
    }
    // Of an agent that is held, an open step may be run.
    assert_silent(&run(
        &hooked,
        &[],
        &script("await agent('Run volume:summary.', {agentType: 'plot-architect'})"),
    ));
}

#[test]
fn a_workflow_that_is_called_by_its_name_is_read_where_it_lies() {
    let hooked = waiting();
    let flow =
        |name: &str, body: &str| format!("export const meta = {{name: '{name}', phases: []}};\n{body}");
    let held = "await agent('Plan.', {agentType: 'plot-architect'})";
    // The name is the one in the file.
    hooked.book.put(".claude/workflows/a.js", flow("weekly", held));
    hooked
        .book
        .put(".claude/workflows/free.js", flow("free", "await agent('Sum up.', {agentType: 'summarizer'})"));
    hooked.book.put("../home/.claude/workflows/b.js", flow("mine", "await agent('Run volume:outline.')"));
    for name in ["weekly", "mine"] {
        let reason = denied(&run(&hooked, &[], &json!({"name": name})));
        assert!(reason.contains("outline.packet.json"), "{name}: {reason}");
    }
    let ran = run(&hooked, &["--strict"], &json!({"name": "free"}));
    assert_silent(&ran);
    assert_eq!(ran.stderr, "");
    for name in ["a", "b", "monthly"] {
        let ran = run(&hooked, &[], &json!({"name": name}));
        assert_silent(&ran);
        assert!(ran.stderr.contains("which agents this workflow starts"), "{name}: {ran:?}");
    }
}

/// A skill or a command with its own agent is a call of that agent; any other is none.
#[test]
fn a_skill_starts_no_agent_that_is_held() {
    let hooked = waiting();
    let put = |path: &str, front: &str, body: &str| {
        hooked.book.put(path, format!("---\ndescription: d\n{front}\n---\n{body}\n"));
    };
    let fork = "context: fork\nagent: plot-architect";
    put(".claude/skills/plan/SKILL.md", fork, "Plan it.");
    put(".claude/skills/plan.v2/SKILL.md", fork, "Plan it.");
    put(".claude/skills/other/SKILL.md", &format!("name: Listed Name\n{fork}"), "Plan it.");
    put(".claude/commands/novel/outline.md", "context: \"fork\"\nagent: 'Plot_Architect' # ours", "Plan it.");
    put("../home/.claude/skills/mine/SKILL.md", fork, "Plan it.");
    put(".claude/skills/told/SKILL.md", "context: fork", "Run volume:outline now.");
    put(".claude/skills/free/SKILL.md", "context: fork", "Run $ARGUMENTS.");
    put(".claude/skills/joined/SKILL.md", "context: >-\n  fork", "Run $1:$ARGUMENTS[0].");
    put(".claude/skills/inline/SKILL.md", "agent: plot-architect", "Run volume:outline.");
    hooked.book.put(".claude/skills/plain/SKILL.md", "Talk of volume:outline.\n---\ncontext: fork\n---\n");
    hooked.book.put(".claude/skills/binary/SKILL.md", "\u{0}\u{fffd}");
    let run = |flags: &[&str], skill: &str, arguments: &str| {
        let call = call(&hooked.book, "Skill", &json!({"skill": skill, "args": arguments}));
        Running::start_fed(&mut hooked.command("claude-code", flags), call.to_string().as_bytes()).wait()
    };
    for (skill, arguments) in [
        ("plan", ""),
        ("/plan", ""),
        ("plan.v2", ""),
        ("listed name", ""),
        ("novel:outline", ""),
        ("mine", ""),
        ("told", ""),
        ("free", "volume:outline"),
        ("joined", "outline volume"),
    ] {
        let reason = denied(&run(&[], skill, arguments));
        assert!(reason.contains("outline.packet.json"), "{skill}: {reason}");
    }
    // The last is how a gate is opened: its skill may be called about a step that is held.
    for (skill, arguments) in [
        ("free", "volume:summary"),
        ("plan", "volume:summary"),
        ("inline", "volume:outline"),
        ("plain", ""),
        ("binary", ""),
        ("nowhere", "volume:outline"),
        ("novel-gate", "staging/manifests/outline.packet.json"),
    ] {
        let ran = run(&["--strict"], skill, arguments);
        assert_passes(&ran);
        assert_eq!(ran.stderr, "", "{skill}");
    }
    hooked.book.put("staging/novel-ask/outline.json", RECORD);
    assert_passes(&run(&["--strict"], "plan", ""));
}

#[test]
fn what_cannot_be_told_from_a_script_passes_or_is_forbidden() {
    let hooked = waiting();
    hooked.book.put("flows/computed.js", "agent('Plan.', {agentType: pick()})");
    let deep =
        serde_json::from_str::<Value>(&format!("{}{}", "[".repeat(100), "]".repeat(100))).expect("JSON");
    let unclear = [
        script("await agent('Plan.', {agentType: pick()})"),
        script("await agent('Plan.', {agentType: `plot-${'archi'}tect`})"),
        json!({"name": "weekly"}),
        json!({}),
        json!({"script": 7}),
        json!({"script": null}),
        json!({"script": ["agent"], "args": deep}),
        json!({"scriptPath": "nowhere.js"}),
        json!({"scriptPath": "flows"}),
        json!({"scriptPath": "flows/computed.js"}),
    ];
    for input in &unclear {
        let ran = run(&hooked, &[], input);
        assert_silent(&ran);
        assert!(ran.stderr.contains("which agents this workflow starts"), "{input}: {ran:?}");
        let reason = denied(&run(&hooked, &["--strict"], input));
        assert!(reason.contains("--strict") && reason.contains("which agents"), "{input}: {reason}");
    }
    // While no gate holds anybody up, there is nothing to tell.
    hooked.book.put("staging/novel-ask/outline.json", RECORD);
    for input in &unclear {
        let ran = run(&hooked, &["--strict"], input);
        assert_silent(&ran);
        assert_eq!(ran.stderr, "", "{input}");
    }
}

#[test]
fn a_script_of_any_size_and_shape_is_judged_as_far_as_said() {
    let hooked = waiting();
    let held = "agent('p', {agentType: 'plot-architect'})\n";
    let filler = "const a = 'x' + \"y\" + `z`;\n".repeat(400_000);
    assert!(filler.len() > 10 << 20);
    denied(&run(&hooked, &[], &script(&format!("{held}{filler}"))));
    for text in [format!("{filler}{held}"), "agentType:'".repeat(200_000), "{'\"`${".repeat(200_000)] {
        let ran = run(&hooked, &[], &script(&text));
        assert_silent(&ran);
        assert!(!ran.stderr.is_empty());
    }
    let nested = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    let whole = call(&hooked.book, "Workflow", &json!({"args": 0, "script": held}));
    let whole = whole.to_string().replace("\"args\":0", &format!("\"args\":{nested}"));
    denied(&hooked.start_with(whole.as_bytes(), &[]).wait());
}
