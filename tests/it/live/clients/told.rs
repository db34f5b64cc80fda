//! What the author decided stands in the first request of the agents that do his step: with the real `novel`, and its manifest for
//! a prompt, which names no step.

use serde_json::Value;

use super::super::executor::executor;
use super::*;

/// The agent of the step, and another.
const OWN: &str = "world-builder";
const STRANGER: &str = "scene-writer";
const STEP: &str = "quickstart:world";
/// What he decided.
const DECIDED: &str = "雨停之前，别让他回头";
const SPEC: &str = "staging/novel-ask/q.json";
const RECORD: &str = "staging/novel-ask/world.answers.json";
const ROUNDS: &str = "staging/novel-ask/world.rounds.jsonl";

/// A project whose first step is decided, wired for a client.
struct Decided {
    book: Sandbox,
    clients: &'static Path,
    /// What the step's agent is given.
    manifest: String,
    /// What holds the hooks.
    wiring: &'static str,
}

impl Decided {
    /// `None`, loudly, if what it takes cannot be had here.
    fn new(client: &str, wiring: &'static str) -> Option<Decided> {
        let (clients, executor) = (clients()?, executor()?);
        let book = Sandbox::new();
        let novel = |args: &[&str]| {
            let ran = executor.novel(&book.root(), args);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            ran.stdout
        };
        novel(&["init"]);
        book.put(SPEC, executor.file("templates/novel-ask/example.question.json"));
        let asks = ["--write-manifest", "--novel-ask-file", SPEC, "--answer-path", RECORD];
        let said = novel(&[&["instructions", STEP, "--json"], &asks[..]].concat());
        let said: Value = serde_json::from_str(&said).expect("novel prints JSON");
        let note = format!("project_note={DECIDED}");
        let answer = ["--set", "platform=qidian", "--set", "genre_drive_type=plot", "--set", &note];
        let ran = book.run([&["answer", STEP, "--by", "human"], &answer[..]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(book.run(["init", "--write", "--for", client]).code, Some(0));
        let manifest = said["data"]["packet"]["manifest"].to_string();
        assert!(manifest.contains("paths") && !manifest.contains(STEP), "{manifest}");
        Some(Decided { book, clients, manifest, wiring })
    }

    /// The same calls, first without the hooks and then with them.
    fn run(
        &self,
        wire: Wire,
        calls: &[Call],
        awaited: &[&'static str],
        client: impl Fn(&str) -> Command,
    ) -> [Model; 2] {
        let wired = self.book.read(self.wiring).expect("what init has written");
        let mut bare: Value = serde_json::from_slice(&wired).expect("JSON");
        bare["hooks"] = json!({});
        [bare.to_string().into_bytes(), wired].map(|wiring| {
            assert_eq!(self.noted(), Vec::<[String; 2]>::new(), "nobody is told without the hooks");
            self.book.put(self.wiring, wiring);
            let model = Model::start_awaiting(wire, vec![calls.to_vec()], awaited);
            let ran =
                Running::start(&mut client(&model.address)).wait_within(PATIENCE).expect("the client ends");
            assert_eq!(ran.code, Some(0), "{ran:?}");
            model
        })
    }

    /// Who was told, and by which way, in order.
    fn noted(&self) -> Vec<[String; 2]> {
        let text = String::from_utf8(self.book.read(ROUNDS).unwrap_or_default()).expect("text");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        let mut noted: Vec<[String; 2]> = lines
            .map(|line| ["agent", "by"].map(|key| line[key].as_str().expect("text").to_owned()))
            .collect();
        noted.sort();
        noted
    }
}

/// How often the decision stands in the first request of the agent with these words in its prompt.
fn heard(model: &Model, words: &str) -> usize {
    let request = model.first_request(words).unwrap_or_else(|| panic!("no agent {words}"));
    request.matches(DECIDED).count()
}

fn agent(name: &str, prompt: &str) -> Call {
    ("Agent", json!({"description": "work", "prompt": prompt, "subagent_type": name}))
}

/// A project for Claude Code with the agents in it.
fn with_agents() -> Option<Decided> {
    let decided = Decided::new("claude-code", ".claude/settings.json")?;
    for agent in [OWN, STRANGER] {
        let text = format!("---\nname: {agent}\ndescription: an agent\n---\nYou work.\n");
        decided.book.put(&format!(".claude/agents/{agent}.md"), text);
    }
    Some(decided)
}

#[test]
fn agents_of_claude_code_hear_what_the_author_decided() {
    let Some(decided) = with_agents() else { return };
    let book = &decided.book;
    for (name, words) in [("forked", "(skill) Work."), ("counted", "(counted) Work on $0.")] {
        let text = format!("---\nname: {name}\ndescription: d\ncontext: fork\nagent: {OWN}\n---\n{words}\n");
        book.put(&format!(".claude/skills/{name}/SKILL.md"), text);
    }
    let workflow = |prompt: &str, name: &str| {
        ("Workflow", json!({"script": claude_code::script(prompt, &format!("{{agentType: '{name}'}}"))}))
    };
    let calls = [
        agent(OWN, &format!("(agent) {}", decided.manifest)),
        agent(STRANGER, "(stranger) Write."),
        ("Skill", json!({"skill": "forked"})),
        ("Skill", json!({"skill": "counted", "args": "it"})),
        workflow("(workflow) Work.", OWN),
        workflow("(other workflow) Write.", STRANGER),
    ];
    let own = ["(agent)", "(skill)", "(workflow)"];
    let others = ["(stranger)", "(other workflow)", "(counted)"];
    let awaited = [&own[..], &others].concat();
    let [without, with] = decided.run(Wire::Messages, &calls, &awaited, |address| {
        let mut client = claude_code::client(book, decided.clients, address);
        client.args(["--allowedTools", "Agent Workflow Skill"]);
        client
    });
    assert_eq!(own.map(|words| (heard(&without, words), heard(&with, words))), [(0, 1); 3]);
    assert_eq!(others.map(|words| (heard(&without, words), heard(&with, words))), [(0, 0); 3]);
    // A skill that counts its arguments out has no place for more; who starts it hears of that.
    assert!(with.was_told("but this call has no text to which that could be added"));
    assert_eq!(decided.noted(), ["forked", OWN, OWN].map(|agent| [agent, "claude-code"].map(str::to_owned)));
}

#[test]
fn claude_code_asks_beside_the_hook_as_it_does_without_it() {
    let Some(decided) = with_agents() else { return };
    let touch = ("Bash", json!({"command": "touch made.txt", "description": "d"}));
    let calls = [agent(OWN, &format!("(agent) {}", decided.manifest)), touch];
    let [without, with] = decided.run(Wire::Messages, &calls, &[], |address| {
        let mut client = claude_code::client(&decided.book, decided.clients, address);
        client.args(["--settings", r#"{"permissions": {"ask": ["Agent"]}}"#]);
        client
    });
    for (place, words) in [(0, "haven't granted"), (1, "needs approval")] {
        let told = with.result(0, place);
        assert!(told.contains(words), "{told}");
        assert_eq!(told, without.result(0, place));
    }
    assert!(!with.started("(agent)") && !decided.book.path("made.txt").exists());
}

#[test]
fn agents_of_codex_hear_what_the_author_decided() {
    hear_in_codex("multi_agent_v1.spawn_agent", false);
}

#[test]
fn agents_of_codex_with_named_tasks_hear_what_the_author_decided() {
    hear_in_codex("collaboration.spawn_agent", true);
}

fn hear_in_codex(tool: &'static str, has_names: bool) {
    let Some(decided) = Decided::new("codex", ".codex/hooks.json") else { return };
    let book = &decided.book;
    for agent in [OWN, STRANGER] {
        let text = format!(
            "name = \"{agent}\"\ndescription = \"an agent\"\ndeveloper_instructions = \"You work.\"\n"
        );
        book.put(&format!("../codex/agents/{agent}.toml"), text);
    }
    let spawn = |agent: &str, task: &str, message: String| {
        let mut input = json!({"message": message, "agent_type": agent});
        if has_names {
            input["task_name"] = json!(task);
            input["fork_turns"] = json!("none");
        }
        (tool, input)
    };
    let calls = [
        spawn(OWN, "the_world", format!("(agent) {}", decided.manifest)),
        spawn(STRANGER, "a_scene", "(stranger) Write.".to_owned()),
    ];
    let feature = format!("features.multi_agent_v2={has_names}");
    let arguments = ["danger-full-access", "--dangerously-bypass-hook-trust", "-c", &feature];
    let [without, with] = decided.run(Wire::Responses, &calls, &["(agent)", "(stranger)"], |address| {
        codex::client(book, decided.clients, "gpt-5.5", address, &arguments)
    });
    assert_eq!((heard(&without, "(agent)"), heard(&with, "(agent)")), (0, 1));
    assert_eq!((heard(&without, "(stranger)"), heard(&with, "(stranger)")), (0, 0));
    assert_eq!(decided.noted(), [[OWN, "codex"].map(str::to_owned)]);
}
