//! The ways past a gate in Codex 0.169.0.

use super::*;

pub(super) const WRAPPER: &str = "node_modules/@openai/codex/bin/codex.js";
const DELETED: &str = "staging/novel-ask/deleted.json";
const MOVED: &str = "staging/novel-ask/moved.json";

/// How a model of Codex is given its tools.
#[derive(Clone, Copy)]
enum Tools {
    /// Each by itself.
    Plain,
    /// In a script of the model's, and agents of the second kind.
    Script,
}

use Tools::{Plain, Script};

#[test]
fn codex_lets_nobody_past_a_gate() {
    run(Plain, "gpt-5.5");
}

#[test]
fn codex_lets_nobody_past_a_gate_in_code_mode() {
    run(Script, "gpt-6.1-sol");
}

fn run(tools: Tools, model: &str) {
    let Some(clients) = clients() else { return };
    let book = book("codex");
    for name in ["old.md", "draft.md"] {
        book.put(name, "before\n");
    }
    book.put("drafts/forged.json", record("a model's"));
    for agent in [HELD, FREE] {
        let text = format!(
            "name = \"{agent}\"\ndescription = \"an agent\"\ndeveloper_instructions = \"You work.\"\n"
        );
        book.put(&format!("../codex/agents/{agent}.toml"), text);
    }
    let patches = records().into_iter().chain(others());
    let patches = patches.map(|patch| patch.row(tools, &book));
    let rows = agents(tools).into_iter().chain(patches).chain([unseen(tools, &book)]).collect();
    play(Wire::Responses, &[rows], |address| {
        client(&book, clients, model, address, &["danger-full-access", "--dangerously-bypass-hook-trust"])
    });
}

/// Codex at work on the task, with the model at an address, in this sandbox.
pub(super) fn client(
    book: &Sandbox,
    clients: &Path,
    model: &str,
    address: &str,
    sandbox: &[&str],
) -> Command {
    book.put("../codex/config.toml", config(book, model, address));
    let mut client = node(book, &clients.join(WRAPPER));
    client.args(["exec", "--skip-git-repo-check", "--sandbox"]).args(sandbox).arg(TASK);
    client.env("CODEX_HOME", book.path("../codex"));
    client
}

/// In a sandbox in which nothing may be written, a command that the rule names writes all the same: Codex runs it outside, and asks
/// nobody. Any other stays inside.
#[test]
fn codex_runs_novel_gate_as_its_rule_allows() {
    let Some(clients) = clients() else { return };
    let book = book("codex");
    // A login shell has a PATH of its own.
    wire_plainly(&book, &["--for", "codex", "--absolute"]);
    let program = env!("CARGO_BIN_EXE_novel-gate");
    let shell = |line: String| ("exec_command", json!({"cmd": line}));
    let touch = format!("touch '{}'", book.path(LOOSE).display());
    let next =
        format!("{program} next s:loose --for json-contract --replies '{}'", book.path("r.jsonl").display());
    let asked = book.run(["next", "s:loose", "--for", "json-contract", "--replies", "r.jsonl"]);
    let asked: serde_json::Value = serde_json::from_str(&asked.stdout).expect("JSON");
    let escape = format!("{next} --call {} --escape", asked["call"].as_str().expect("a call"));
    let export = book.path("exported.md");
    let calls = vec![
        shell(touch),
        shell(format!("{program} redo {OPEN_STEP}")),
        shell(format!("{program} history --export '{}'", export.display())),
        shell(format!("{program} --json wait {OPEN_STEP}; touch '{}'", book.path(LOOSE).display())),
        shell(format!("{program} wait {OPEN_STEP} --timeout 9s")),
        shell(escape),
    ];
    let model = Model::start(Wire::Responses, vec![calls]);
    let mut client = client(&book, clients, "gpt-5.5", &model.address, &["read-only"]);
    let ran = Running::start(&mut client).wait_within(PATIENCE).expect("Codex ends");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!book.path(LOOSE).exists(), "{}", model.result(0, 0));
    assert!(book.path(OPEN_ANSWERS).exists(), "{}", model.result(0, 1));
    assert!(!export.exists(), "{}", model.result(0, 2));
    assert!(model.result(0, 4).contains("the author's"), "{}", model.result(0, 4));
    assert!(book.path("r.jsonl").exists(), "{}", model.result(0, 5));
}

/// Codex with the script for a model and no other network.
fn config(book: &Sandbox, model: &str, address: &str) -> String {
    let root = book.root().canonicalize().expect("the project").display().to_string();
    format!(
        "model = \"{model}\"\nmodel_provider = \"script\"\ncheck_for_update_on_startup = false\n\
         [model_providers.script]\nname = \"script\"\nbase_url = \"http://{address}/v1\"\nwire_api = \"responses\"\n\
         request_max_retries = 0\nstream_max_retries = 0\n[features]\nplugins = false\napps = false\n\
         [analytics]\nenabled = false\n[projects.{root:?}]\ntrust_level = \"trusted\"\n"
    )
}

fn spawn(tools: Tools, way: &'static str, agent: Option<&str>, words: &str, is_free: bool) -> Row {
    let prompt = prompt(way, words);
    let mut input = json!({"message": prompt});
    if let Some(agent) = agent {
        input["agent_type"] = json!(agent);
    }
    let tool = match tools {
        Plain => "multi_agent_v1.spawn_agent",
        Script => {
            let is_word = |c: char| c.is_ascii_alphanumeric();
            input["task_name"] = json!(way.to_lowercase().replace(|c| !is_word(c), "_"));
            input["fork_turns"] = json!("none");
            "collaboration.spawn_agent"
        }
    };
    Row { way, call: (tool, input), is_free, sign: Sign::Agent(prompt) }
}

fn agents(tools: Tools) -> Vec<Row> {
    let both = format!("Do {HELD_STEP}. {OPEN_STEP} was committed.");
    let (held, open) = (format!("Do {HELD_STEP}."), format!("Do {OPEN_STEP}."));
    let way = "spawn_agent, held step in items";
    let items = json!({"items": [{"type": "text", "text": prompt(way, &held)}]});
    let items = Row {
        way,
        call: ("multi_agent_v1.spawn_agent", items),
        is_free: false,
        sign: Sign::Agent(prompt(way, &held)),
    };
    let spawn = |way, agent, words: &str, is_free| spawn(tools, way, agent, words, is_free);
    let mut rows = vec![
        spawn("spawn_agent, held agent", Some(HELD), "Plan it.", false),
        spawn("spawn_agent, plot-architect between blanks", Some(" plot-architect\n"), "Plan it.", false),
        spawn("spawn_agent, Plot_Architect", Some("Plot_Architect"), "Plan it.", false),
        spawn("spawn_agent, held agent, open and held step", Some(HELD), &both, false),
        spawn("spawn_agent, other agent, held step", Some(FREE), &held, false),
        spawn("spawn_agent, no type, held step", None, &held, false),
        spawn("spawn_agent, no type, held packet", None, &format!("Run {HELD_PACKET} now."), false),
        spawn("spawn_agent, held agent, open step", Some(HELD), &open, true),
        spawn("spawn_agent, other agent, nothing named", Some(FREE), "Write a scene.", true),
        spawn("spawn_agent, no type, nothing named", None, "Look around.", true),
    ];
    rows.extend(matches!(tools, Plain).then_some(items));
    rows
}

/// What gets past, as `docs/wiring.md` says.
fn unseen(tools: Tools, book: &Sandbox) -> Row {
    let input = json!({"cmd": format!("echo x > '{}'", book.path(LOOSE).display())});
    let call = match tools {
        Plain => ("exec_command", input),
        Script => ("exec", json!(format!("text(await tools.exec_command({input}))"))),
    };
    Row { way: "unseen: exec_command, a record", call, is_free: true, sign: Sign::File(book.path(LOOSE)) }
}

/// A patch, and a file by which it is seen whether it was made.
struct Patch {
    way: &'static str,
    hunk: String,
    file: &'static str,
    is_free: bool,
}

fn patch(way: &'static str, hunk: impl Into<String>, file: &'static str, is_free: bool) -> Patch {
    Patch { way, hunk: hunk.into(), file, is_free }
}

impl Patch {
    fn row(self, tools: Tools, book: &Sandbox) -> Row {
        let patch = json!(format!("*** Begin Patch\n{}\n*** End Patch", self.hunk));
        let call = match tools {
            Plain => ("apply_patch", patch),
            Script => ("exec", json!(format!("text(await tools.apply_patch({patch}))"))),
        };
        Row { way: self.way, call, is_free: self.is_free, sign: Sign::File(book.path(self.file)) }
    }
}

fn records() -> Vec<Patch> {
    let (forged, kept) = (record("a model's"), record("the author's"));
    let (forged, kept) = (forged.trim_end(), kept.trim_end());
    let changed = format!("@@\n-{kept}\n+{forged}");
    let add = |text: &str| format!("*** Add File: {ANSWERS}\n+{text}");
    let update = format!("*** Update File: {OPEN_ANSWERS}\n{changed}");
    let away = format!("*** Update File: {MOVED}\n*** Move to: away.json\n{changed}");
    let packet = format!("*** Add File: {TAKING}\n+{}", taking_packet());
    let onto = format!("*** Update File: drafts/forged.json\n*** Move to: {ANSWERS}\n@@\n-{forged}\n+{kept}");
    vec![
        patch("apply_patch, add a forged record", add(forged), ANSWERS, false),
        patch("apply_patch, add no record", add("{}"), ANSWERS, false),
        patch("apply_patch, update a record", update, OPEN_ANSWERS, false),
        patch("apply_patch, delete a record", format!("*** Delete File: {DELETED}"), DELETED, false),
        patch("apply_patch, move a record away", away, MOVED, false),
        patch("apply_patch, move a file to the answers", onto, ANSWERS, false),
        patch("apply_patch, add a packet that takes a file", packet, TAKING, false),
    ]
}

/// What nobody forbids.
fn others() -> Vec<Patch> {
    let update = "*** Update File: notes.md\n@@\n-before\n+after";
    let moving = "*** Update File: draft.md\n*** Move to: moved.md\n@@\n-before\n+after";
    vec![
        patch("apply_patch, add another file", "*** Add File: new.md\n+text", "new.md", true),
        patch("apply_patch, update another file", update, "notes.md", true),
        patch("apply_patch, delete another file", "*** Delete File: old.md", "old.md", true),
        patch("apply_patch, move another file", moving, "moved.md", true),
    ]
}
