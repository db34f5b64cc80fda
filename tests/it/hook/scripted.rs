//! Workflows of Claude Code: scripts that start agents.

use serde_json::{Value, json};

use super::{Hooked, RECORD, assert_silent, call, denied};
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
        json!({"scriptPath": 7, "script": "1"}),
        json!({"scriptPath": "flows/computed.js"}),
    ];
    for input in &unclear {
        let ran = run(&hooked, &[], input);
        assert_silent(&ran);
        assert!(ran.stderr.contains("Which agents this workflow starts"), "{input}: {ran:?}");
        let reason = denied(&run(&hooked, &["--strict"], input));
        assert!(reason.contains("--strict") && reason.contains("Which agents"), "{input}: {reason}");
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
