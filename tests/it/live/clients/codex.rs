//! The ways past a gate in Codex 0.169.0.

use super::*;

const WRAPPER: &str = "node_modules/@openai/codex/bin/codex.js";
const SPAWN: &str = "multi_agent_v1.spawn_agent";

#[test]
fn codex_starts_no_held_agent() {
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
    let rows = agents().into_iter().chain(records(&book)).chain(others(&book)).collect();
    play(&book, Wire::Responses, &[rows], |address| {
        let root = book.root().canonicalize().expect("the project");
        let config = format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"script\"\n[model_providers.script]\nname = \"script\"\n\
             base_url = \"http://{address}/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\n\
             stream_max_retries = 0\n[analytics]\nenabled = false\n[projects.{:?}]\ntrust_level = \"trusted\"\n",
            root.display().to_string()
        );
        book.put("../codex/config.toml", config);
        let mut client = node(&book, &clients.join(WRAPPER));
        client.args(["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"]);
        client.args(["--dangerously-bypass-hook-trust", TASK]).env("CODEX_HOME", book.path("../codex"));
        client
    });
}

fn spawn(way: &'static str, agent: Option<&str>, words: &str, is_free: bool) -> Row {
    let prompt = prompt(way, words);
    let mut input = json!({"message": prompt});
    if let Some(agent) = agent {
        input["agent_type"] = json!(agent);
    }
    Row { way, call: (SPAWN, input), is_free, sign: Sign::Agent(prompt) }
}

fn agents() -> Vec<Row> {
    let both = format!("Do {HELD_STEP}. {OPEN_STEP} was committed.");
    let (held, open) = (format!("Do {HELD_STEP}."), format!("Do {OPEN_STEP}."));
    let way = "spawn_agent, held step in items";
    let prompt = prompt(way, &held);
    let items = json!({"items": [{"type": "text", "text": prompt}]});
    vec![
        spawn("spawn_agent, held agent", Some(HELD), "Plan it.", false),
        spawn("spawn_agent, Plot_Architect", Some("Plot_Architect"), "Plan it.", false),
        spawn("spawn_agent, held agent, open and held step", Some(HELD), &both, false),
        spawn("spawn_agent, other agent, held step", Some(FREE), &held, false),
        spawn("spawn_agent, no type, held step", None, &held, false),
        spawn("spawn_agent, no type, held packet", None, &format!("Run {HELD_PACKET} now."), false),
        Row { way, call: (SPAWN, items), is_free: false, sign: Sign::Agent(prompt) },
        spawn("spawn_agent, held agent, open step", Some(HELD), &open, true),
        spawn("spawn_agent, other agent, nothing named", Some(FREE), "Write a scene.", true),
        spawn("spawn_agent, no type, nothing named", None, "Look around.", true),
    ]
}

fn patch(book: &Sandbox, way: &'static str, hunk: &str, file: &str, is_free: bool) -> Row {
    let patch = format!("*** Begin Patch\n{hunk}\n*** End Patch");
    Row { way, call: ("apply_patch", json!(patch)), is_free, sign: Sign::File(book.path(file)) }
}

fn records(book: &Sandbox) -> Vec<Row> {
    let (forged, kept) = (record("a model's"), record("the author's"));
    let (forged, kept) = (forged.trim_end(), kept.trim_end());
    let changed = format!("@@\n-{kept}\n+{forged}");
    let folder = "staging/novel-ask";
    vec![
        patch(
            book,
            "apply_patch, add a forged record",
            &format!("*** Add File: {ANSWERS}\n+{forged}"),
            ANSWERS,
            false,
        ),
        patch(book, "apply_patch, add no record", &format!("*** Add File: {ANSWERS}\n+{{}}"), ANSWERS, false),
        patch(
            book,
            "apply_patch, update a record",
            &format!("*** Update File: {OPEN_ANSWERS}\n{changed}"),
            OPEN_ANSWERS,
            false,
        ),
        patch(
            book,
            "apply_patch, delete a record",
            &format!("*** Delete File: {folder}/deleted.json"),
            "staging/novel-ask/deleted.json",
            false,
        ),
        patch(
            book,
            "apply_patch, move a record away",
            &format!("*** Update File: {folder}/moved.json\n*** Move to: away.json\n{changed}"),
            "staging/novel-ask/moved.json",
            false,
        ),
        patch(
            book,
            "apply_patch, move a file to the answers",
            &format!("*** Update File: drafts/forged.json\n*** Move to: {ANSWERS}\n@@\n-{forged}\n+{kept}"),
            ANSWERS,
            false,
        ),
    ]
}

/// What nobody forbids.
fn others(book: &Sandbox) -> Vec<Row> {
    vec![
        patch(book, "apply_patch, add another file", "*** Add File: new.md\n+text", "new.md", true),
        patch(
            book,
            "apply_patch, update another file",
            "*** Update File: notes.md\n@@\n-before\n+after",
            "notes.md",
            true,
        ),
        patch(book, "apply_patch, delete another file", "*** Delete File: old.md", "old.md", true),
        patch(
            book,
            "apply_patch, move another file",
            "*** Update File: draft.md\n*** Move to: moved.md\n@@\n-before\n+after",
            "moved.md",
            true,
        ),
    ]
}
