//! The ways past a gate in Claude Code 2.1.330.

use serde_json::Value;

use super::*;

pub(super) const WRAPPER: &str = "node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs";
/// The held agent's name as Claude Code itself would take it, and as a plugin has it.
const NAMES: &[&str] = &[
    "plot-architect",
    "Plot-Architect",
    "plot_architect",
    "plot architect",
    " plot-architect ",
    "plotarchitect",
    "PLOT ARCHITECT",
    "plot\u{2010}architect",
    "novel:plot-architect",
    "ｐｌｏｔ-architect",
];

#[test]
fn claude_code_lets_nobody_past_a_gate() {
    let Some(clients) = clients() else { return };
    let book = book("claude-code");
    for agent in [HELD, FREE] {
        let text = format!("---\nname: {agent}\ndescription: an agent\n---\nYou work.\n");
        book.put(&format!(".claude/agents/{agent}.md"), &text);
        book.put(&format!("../plugin/agents/{agent}.md"), text);
    }
    book.put(
        "../plugin/.claude-plugin/plugin.json",
        r#"{"name": "novel", "version": "1.0.0", "description": "d"}"#,
    );
    let elsewhere = book.path("../elsewhere");
    std::fs::create_dir(&elsewhere).expect("another directory");
    let skill = |path: &str, name: &str, front: &str, words: &str| {
        book.put(
            &format!(".claude/{path}"),
            format!("---\nname: {name}\ndescription: d\n{front}\n---\n{words} Work.\n"),
        );
    };
    let to = |agent: &str| format!("context: fork\nagent: {agent}");
    skill("skills/forked/SKILL.md", "forked", &to(HELD), "(forked)");
    skill("skills/dir/SKILL.md", "listed-name", &to(HELD), "(listed)");
    skill("commands/novel/command.md", "command", &to(HELD), "(command)");
    skill("skills/free/SKILL.md", "free", &to(FREE), "(free)");
    skill("skills/general/SKILL.md", "general", "context: fork", "(general)");
    skill("skills/inline/SKILL.md", "inline", "version: 1", "(inline)");
    for (name, agent) in [("saved", HELD), ("open", FREE)] {
        let text = script(&format!("({name}) Work."), &format!("{{agentType: '{agent}'}}"));
        book.put(&format!(".claude/workflows/file-{name}.js"), text.replace("'saved'", &format!("'{name}'")));
    }
    let names = NAMES.iter().map(|name| agent(name, name, "Plan it.", false));
    let dispatches: Vec<Row> = names
        .chain(prompts())
        .chain(workflows())
        .chain(skills())
        .chain(records(&book))
        .chain(unseen())
        .collect();
    let turns = [dispatches, leaving(&book, &elsewhere), left(&book, &elsewhere)];
    play(Wire::Messages, &turns, |address| {
        let mut client = client(&book, clients, address);
        client.args(["--plugin-dir", "../plugin", "--add-dir", "../elsewhere"]);
        client.args(["--allowedTools", "Agent Workflow Skill Bash Write Edit Read"]);
        client
    });
}

/// In a directory that its user trusts, and with no other permission: what `init` names is run, and nothing else.
#[test]
fn claude_code_runs_novel_gate_as_its_permission_allows() {
    let Some(clients) = clients() else { return };
    let book = book("claude-code");
    wire_plainly(&book, &["--for", "claude-code"]);
    let root = book.root().canonicalize().expect("the project").display().to_string();
    book.put(
        "../home/.claude.json",
        json!({"projects": {root: {"hasTrustDialogAccepted": true}}}).to_string(),
    );
    let bash = |line: String| ("Bash", json!({"command": line, "description": "d"}));
    let allowed = [
        format!("novel-gate wait {OPEN_STEP} --timeout 9s"),
        "novel-gate list".to_owned(),
        format!("novel-gate list --all && novel-gate check {OPEN_STEP} --json"),
        format!("novel-gate next {HELD_PACKET} --for claude-code --replies staging/r.jsonl"),
    ];
    let asked = [
        "novel-gate themes /etc/passwd",
        "novel-gate history --export exported.md",
        "novel-gate --config ./evil.toml list",
        "novel-gate --json list",
        "novel-gate answer s:loose --by me --set a=x",
        "novel-gate",
        "novel-gate listing",
        "novel-gate list && novel-gate redo s:moved",
        "novel-gate list; touch exported.md",
        "novel-gate list \"$(touch exported.md)\"",
        "novel-gate list > exported.md",
    ];
    let calls = allowed.iter().cloned().chain(asked.map(str::to_owned)).map(bash).collect();
    let model = Model::start(Wire::Messages, vec![calls]);
    let ran =
        Running::start(&mut client(&book, clients, &model.address)).wait_within(PATIENCE).expect("it ends");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let words = ["requires approval", "needs approval", "can't be checked"];
    let is_asked = |place: usize| words.iter().any(|words| model.result(0, place).contains(words));
    for (place, line) in allowed.iter().map(String::as_str).chain(asked).enumerate() {
        println!("{line:60} {}", model.result(0, place).lines().next().unwrap_or_default());
    }
    assert!(model.result(0, 0).contains("the author's"), "{}", model.result(0, 0));
    let wrong: Vec<usize> = (0..allowed.len() + asked.len())
        .filter(|&place| is_asked(place) == (place < allowed.len()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}: {}", model.result(0, wrong[0]));
    assert!(!book.path("exported.md").exists());
}

/// Claude Code at work on the task, with the model at an address.
pub(in crate::live) fn client(book: &Sandbox, clients: &Path, address: &str) -> Command {
    let mut client = node(book, &clients.join(WRAPPER));
    client.args(["-p", TASK, "--output-format", "stream-json", "--verbose"]);
    client.env("ANTHROPIC_BASE_URL", format!("http://{address}")).env("ANTHROPIC_API_KEY", "none");
    for name in ["DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_BUG_COMMAND"]
    {
        client.env(name, "1");
    }
    client.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("CLAUDE_CODE_TMPDIR", book.path(".."));
    client
}

/// A call that starts an agent.
fn agent(way: &'static str, name: &str, words: &str, is_free: bool) -> Row {
    let prompt = prompt(way, words);
    let input = json!({"description": "work", "prompt": prompt, "subagent_type": name});
    Row { way, call: ("Agent", input), is_free, sign: Sign::Agent(prompt) }
}

/// What a prompt names decides too.
fn prompts() -> Vec<Row> {
    let both = format!("Do {HELD_STEP}. {OPEN_STEP} was committed.");
    let (held, open) = (format!("Do {HELD_STEP}."), format!("Do {OPEN_STEP}."));
    vec![
        agent("held agent, open step", HELD, &open, true),
        agent("held agent, open and held step", HELD, &both, false),
        agent("other agent, held step", FREE, &held, false),
        agent("general-purpose, held step", "general-purpose", &held, false),
        agent("general-purpose, held packet", "general-purpose", &format!("Run {HELD_PACKET} now."), false),
        agent("general-purpose, open step", "general-purpose", &open, true),
        agent("other agent, nothing named", FREE, "Write a scene.", true),
        agent("general-purpose, nothing named", "general-purpose", "Look around.", true),
    ]
}

/// A workflow's script that starts one agent.
pub(super) fn script(prompt: &str, options: &str) -> String {
    let meta = "export const meta = {name: 'saved', description: 'd', phases: [{title: 'P'}]};";
    format!("{meta}\nreturn await agent('{prompt}', {options});\n")
}

fn workflows() -> Vec<Row> {
    let workflow = |way, words: &str, options: &str, is_free| {
        let prompt = prompt(way, words);
        let input = json!({"script": script(&prompt, options)});
        Row { way, call: ("Workflow", input), is_free, sign: Sign::Agent(prompt) }
    };
    vec![
        workflow("Workflow, held agent", "Plan it.", "{agentType: 'plot-architect'}", false),
        workflow(
            "Workflow, held agent spelled otherwise",
            "Plan it.",
            "{agentType: \"Plot_Architect\"}",
            false,
        ),
        workflow("Workflow, held step", "Do volume:002:outline.", "{}", false),
        workflow("Workflow, other agent", "Write a scene.", "{agentType: 'scene-writer'}", true),
        named("Workflow by its name, held agent", "Workflow", json!({"name": "saved"}), "(saved)", false),
        named("Workflow by its name, other agent", "Workflow", json!({"name": "open"}), "(open)", true),
    ]
}

/// A call of what lies in a file.
fn named(way: &'static str, tool: &'static str, input: Value, words: &str, is_free: bool) -> Row {
    Row { way, call: (tool, input), is_free, sign: Sign::Agent(words.to_owned()) }
}

fn skills() -> Vec<Row> {
    let skill = |way, name: &str, words, is_free| named(way, "Skill", json!({"skill": name}), words, is_free);
    let told = json!({"skill": "general", "args": format!("Do {HELD_STEP}.")});
    vec![
        skill("Skill that forks to the held agent", "forked", "(forked)", false),
        skill("Skill by the name that it lists", "listed-name", "(listed)", false),
        skill("command that forks to the held agent", "novel:command", "(command)", false),
        skill("Skill that forks to another agent", "free", "(free)", true),
        named("Skill that forks, held step", "Skill", told, "(general)", false),
        // Its words come to the model that called it.
        Row {
            way: "Skill that starts nothing",
            call: ("Skill", json!({"skill": "inline", "args": HELD_STEP})),
            is_free: true,
            sign: Sign::Told,
        },
    ]
}

/// What gets past, as `docs/wiring.md` says: a row that fails here makes that page wrong, for the better.
fn unseen() -> Vec<Row> {
    let past = |way, tool, input, words: &str| Row {
        way,
        call: (tool, input),
        is_free: true,
        sign: Sign::Agent(words.to_owned()),
    };
    let computed = script("(computed) Plan it.", "{agentType: 'plot-' + 'architect'}");
    vec![past(
        "unseen: Workflow that computes its agent",
        "Workflow",
        json!({"script": computed}),
        "(computed)",
    )]
}

fn write(way: &'static str, path: &Path, text: &str, is_free: bool) -> Row {
    let input = json!({"file_path": path, "content": text});
    Row { way, call: ("Write", input), is_free, sign: Sign::File(path.to_path_buf()) }
}

fn records(book: &Sandbox) -> Vec<Row> {
    vec![
        write("Write, forged record", &book.path(ANSWERS), &record("a model's"), false),
        write("Write, no record", &book.path(ANSWERS), "{}", false),
        write("Write, packet that takes a file", &book.path(TAKING), &taking_packet(), false),
        write("Write, another file", &book.path("new.md"), "text", true),
    ]
}

/// Reads a record, as Claude Code wants it before an edit, and goes to another directory.
fn leaving(book: &Sandbox, elsewhere: &Path) -> Vec<Row> {
    let read = json!({"file_path": book.path(OPEN_ANSWERS)});
    let leave = json!({"command": format!("cd '{}' && pwd", elsewhere.display())});
    let told = |way, call| Row { way, call, is_free: true, sign: Sign::Told };
    let shell = json!({"command": format!("echo x > '{}'", book.path(LOOSE).display())});
    vec![
        told("Read, a record", ("Read", read)),
        told("Bash, cd to another directory", ("Bash", leave)),
        Row {
            way: "unseen: Bash, a record",
            call: ("Bash", shell),
            is_free: true,
            sign: Sign::File(book.path(LOOSE)),
        },
    ]
}

/// The same from there.
fn left(book: &Sandbox, elsewhere: &Path) -> Vec<Row> {
    let open = book.path(OPEN_ANSWERS);
    let edit = json!({"file_path": open, "old_string": "the author's", "new_string": "a model's"});
    vec![
        agent("after cd, held agent", HELD, "Plan it.", false),
        agent("after cd, held step", "general-purpose", &format!("Do {HELD_STEP}."), false),
        agent("after cd, other agent", FREE, "Write a scene.", true),
        write("after cd, Write, forged record", &book.path(ANSWERS), &record("a model's"), false),
        write("after cd, Write, no record", &book.path(ANSWERS), "{}", false),
        write("after cd, Write, another file", &elsewhere.join("new.md"), "text", true),
        Row { way: "after cd, Edit, a record", call: ("Edit", edit), is_free: false, sign: Sign::File(open) },
    ]
}
