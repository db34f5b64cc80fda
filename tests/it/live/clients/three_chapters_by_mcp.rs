//! The same loop in clients that have no hook, Gemini CLI and opencode, wired by `init --mcp`: the session runs the real `novel` in its shell
//! and asks for its author by the MCP server. Nothing holds it there; what it must know, it is told in results.

use super::super::chapters::{draft, lay_ready, refined_and_judged, step, to_the_commit};
use super::super::three_chapters::{ABOVE_THE_CHAPTERS, AHEAD, COMMENT, REASON, begin, decide_ahead};
use super::session::{Desk, ends, say_where};
use super::three_chapters::ROUNDS;
use super::*;
use crate::sandbox::wait_until;
use crate::screen::wait_while_within;

const BUNDLE: Bundle = Bundle {
    name: "mcp-clients",
    files: &[
        ("package.json", include_str!("../../../executor/mcp-clients/package.json")),
        ("package-lock.json", include_str!("../../../executor/mcp-clients/package-lock.json")),
        (".npmrc", include_str!("../../../executor/mcp-clients/.npmrc")),
    ],
};
const TOO_LARGE: &str = "Gemini CLI and opencode are 80 MB to load, once, and 270 MB beneath target/.\n\
                         To load and run them: CI=1 cargo test --test it live::clients::three_chapters_by_mcp";
const GEMINI_CLI: &str = "node_modules/@google/gemini-cli/bundle/gemini.js";
const OPENCODE: &str = "node_modules/opencode-linux-x64/bin/opencode";
/// What each option of the executor's is said to mean.
const MEANS: &str = "他为此付出代价。";

/// A client's own words.
struct Client {
    name: &'static str,
    wire: Wire,
    shell: &'static str,
    list_gates: &'static str,
    wait_gate: &'static str,
    propose_options: &'static str,
    start: fn(&Desk, &str) -> Command,
}

#[test]
fn gemini_cli_goes_through_three_chapters_with_an_author() {
    go(&Client {
        name: "gemini",
        wire: Wire::Contents,
        shell: "run_shell_command",
        list_gates: "mcp_novel-gate_list_gates",
        wait_gate: "mcp_novel-gate_wait_gate",
        propose_options: "mcp_novel-gate_propose_options",
        start: |desk, address| {
            let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}});
            desk.book.put("../home/.gemini/settings.json", settings.to_string());
            let mut started = node(&desk.book, &desk.clients.join(GEMINI_CLI));
            started.args(["--yolo", "-m", "gemini-2.5-pro", "-p", TASK]).env("GEMINI_API_KEY", "none");
            started.env("GOOGLE_GEMINI_BASE_URL", format!("http://{address}"));
            started.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
            started
        },
    });
}

#[test]
fn opencode_goes_through_three_chapters_with_an_author() {
    go(&Client {
        name: "opencode",
        wire: Wire::Completions,
        shell: "bash",
        list_gates: "novel-gate_list_gates",
        wait_gate: "novel-gate_wait_gate",
        propose_options: "novel-gate_propose_options",
        start: |desk, address| {
            let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "script", "models": {"m": {"name": "m"}},
                "options": {"baseURL": format!("http://{address}/v1"), "apiKey": "none"}});
            let config = json!({"autoupdate": false, "share": "disabled", "provider": {"script": provider},
                "model": "script/m", "small_model": "script/m"});
            let mut started = node(&desk.book, &desk.clients.join(OPENCODE));
            started.args(["run", TASK]).env("OPENCODE_CONFIG_CONTENT", config.to_string());
            // It works where this says.
            started.env("PWD", desk.book.root()).env("XDG_DATA_HOME", desk.book.path("../home"));
            started.env("OPENCODE_DISABLE_MODELS_FETCH", "1").env("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1");
            started
        },
    });
}

fn mcp_clients() -> Option<&'static Path> {
    static CLIENTS: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let programs = [(GEMINI_CLI, "0.61.0"), (OPENCODE, "1.18.33")];
    match CLIENTS.get_or_init(|| install(&BUNDLE, TOO_LARGE, programs)) {
        Ok(dir) => Some(dir),
        Err(why) => {
            skip("the live test in Gemini CLI 0.61.0 and opencode 1.18.33", why);
            None
        }
    }
}

fn go(client: &Client) {
    let Some(desk) = mcp_clients().and_then(|clients| Desk::with(clients, &[])) else { return };
    begin(&desk.book);
    assert_eq!(desk.book.run(["init", "--write", "--mcp", "--for", client.name]).code, Some(0));
    let mut transcript = desk.transcript(&format!("live-three-chapters-{}.txt", client.name));
    (1..=3).for_each(|chapter| lay_ready(&desk.book, chapter));
    decide_ahead(&desk.book, &mut transcript);
    let script = Script::of(client);
    let model = Model::start(client.wire, script.turns.clone());
    let mut started = (client.start)(&desk, &model.address);
    let running = Running::start(started.env("PATH", desk.path()));
    for turn in 0..=script.turns.len() {
        if let Some(ended) = turn.checked_sub(1) {
            // A client alone may need longer to start than any other wait.
            wait_while_within(PATIENCE, "the session does not go on", || !model.has_played(ended));
            let (call, result) = (&script.turns[ended][0], model.result(ended, 0));
            transcript.note(&format!("turn {ended}, {call:?}: {result}"));
            let missing: Vec<_> =
                script.told[ended].iter().filter(|words| !result.contains(**words)).collect();
            assert!(missing.is_empty(), "turn {ended}, {call:?}: {missing:?} not in {result}");
        }
        let Some((_, chapter, stage, what)) = script.acts.iter().find(|act| act.0 == turn) else { continue };
        let packet = format!("staging/manifests/chapter-{chapter:03}-{stage}.packet.json");
        wait_until("the reference holds the step", || desk.verdict(&packet) == "refused");
        assert_eq!(desk.book.read(&format!("chapters/chapter-{chapter:03}.md")), None);
        let set: Vec<&str> = what.iter().map(String::as_str).collect();
        desk.answer(&step(*chapter, stage), &set);
    }
    ends(running);
    let chosen = ["认出她", "进城", AHEAD];
    for (turn, own) in script.drafts.iter().zip(chosen) {
        let result = model.result(*turn, 0);
        let count = |words: &str| result.matches(words).count();
        for words in chosen.iter().chain(&ABOVE_THE_CHAPTERS) {
            let is_told = *words == own || ABOVE_THE_CHAPTERS.contains(words);
            assert_eq!(
                count(&format!("> Answer: {words}")),
                usize::from(is_told),
                "{own}, {words}: {result}"
            );
        }
        assert_eq!(count(MEANS), usize::from(own != AHEAD), "{result}");
        assert!(!result.contains("propose_options") && result.contains("word for word"), "{result}");
    }
    for chapter in 1..=3 {
        let text = desk.book.read(&format!("chapters/chapter-{chapter:03}.md")).unwrap_or_default();
        assert_eq!(String::from_utf8(text).expect("text").contains("（改）"), chapter == 1);
        let rounds =
            desk.book.read(&format!("staging/novel-ask/chapter_direction-chapter-{chapter:03}.rounds.jsonl"));
        let rounds = String::from_utf8(rounds.expect("rounds")).expect("text");
        let is_told = |line: &str| line.contains("\"told\"") && line.contains("\"by\": \"wait_gate\"");
        assert_eq!(rounds.lines().filter(|line| is_told(line)).count(), 1, "{rounds}");
    }
    assert_eq!(desk.last_completed_chapter(), 3);
    say_where("three chapters by MCP", &transcript);
}

/// What the session does and must be told, and what the author does meanwhile.
struct Script<'c> {
    client: &'c Client,
    turns: Vec<Vec<Call>>,
    /// Words in their results.
    told: Vec<Vec<&'static str>>,
    /// During a turn: the chapter and the stage that are answered, and how.
    acts: Vec<(usize, usize, &'static str, Vec<String>)>,
    /// The turns in which the drafts' gates are open.
    drafts: Vec<usize>,
}

impl<'c> Script<'c> {
    fn of(client: &'c Client) -> Script<'c> {
        let (turns, told, acts, drafts) = Default::default();
        let mut script = Script { client, turns, told, acts, drafts };
        script.first();
        script.waits(2, "draft", &[], &["waiting", "propose 3 options"]);
        script.proposes(2, ROUNDS[2], &["round 1 of 3"]);
        script.drafts.push(script.turns.len());
        script.waits(2, "draft", &["--set", "chapter_path=进城"], &["open"]);
        script.writes(2, "雨下了一夜", &to_the_commit(2));
        script.keeps(2);
        script.drafts.push(script.turns.len());
        script.waits(3, "draft", &[], &["open"]);
        script.writes(3, "雨下了一夜", &to_the_commit(3));
        script.keeps(3);
        script
    }

    /// The first chapter: everything that can happen on the way.
    fn first(&mut self) {
        self.shell(&begins(1));
        self.calls(self.client.list_gates, json!({}), &["chapter:001:draft", "waiting"]);
        self.waits(1, "draft", &[], &["waiting", "chapter_path: propose 3 options", "propose_options"]);
        self.proposes(1, ["回头", "拆信", "按大纲走"], &["Nothing was proposed", "has this option already"]);
        self.proposes(1, ROUNDS[0], &["round 1 of 3"]);
        self.waits(1, "draft", &["--send-back", REASON], &["sent-back", REASON, "round 2 of 3"]);
        self.proposes(1, ROUNDS[1], &["round 2 of 3"]);
        self.drafts.push(self.turns.len());
        self.waits(1, "draft", &["--set", "chapter_path=认出她"], &["open"]);
        self.writes(1, "雨下了一夜", &to_the_commit(1));
        let comment = format!("draft_comment={COMMENT}");
        let rewrite = ["--set", "draft_verdict=小改", "--set", &comment];
        self.waits(1, "commit", &rewrite, &["sent-back", "小改", COMMENT]);
        self.writes(1, "（改）雨停了", &refined_and_judged(1));
        self.keeps(1);
    }

    fn calls(&mut self, tool: &'static str, input: serde_json::Value, told: &[&'static str]) {
        self.told.push(told.to_vec());
        self.turns.push(vec![(tool, input)]);
    }

    fn shell(&mut self, line: &str) {
        let line = format!("{{ {line}; }} > /dev/null; echo \"exit $?\"");
        self.calls(self.client.shell, json!({"command": line, "description": "d"}), &["exit 0"]);
    }

    /// Writes the draft anew, and brings it to the commit in this way.
    fn writes(&mut self, chapter: usize, text: &str, way: &str) {
        let (draft, commit) = (draft(chapter), step(chapter, "commit"));
        self.shell(&format!(
            "mkdir -p staging/chapters && echo '# {text}' > {draft} && {way} && novel instructions {commit} --json --write-manifest"
        ));
    }

    fn proposes(&mut self, chapter: usize, labels: [&str; 3], told: &[&'static str]) {
        let options = labels.map(|label| json!({"label": label, "description": MEANS}));
        let input = json!({"gate": step(chapter, "draft"), "options": options});
        self.calls(self.client.propose_options, input, told);
    }

    /// Waits, while the author answers so, if at all.
    fn waits(&mut self, chapter: usize, stage: &'static str, answer: &[&str], told: &[&'static str]) {
        if !answer.is_empty() {
            let answer = answer.iter().map(|word| (*word).to_owned()).collect();
            self.acts.push((self.turns.len(), chapter, stage, answer));
        }
        self.calls(self.client.wait_gate, json!({"gate": step(chapter, stage)}), told);
    }

    fn keeps(&mut self, chapter: usize) {
        self.waits(chapter, "commit", &["--set", "draft_verdict=收下"], &["open"]);
        let goes_on = if chapter < 3 { begins(chapter + 1) } else { "true".to_owned() };
        self.shell(&format!("novel commit --chapter {chapter} && {goes_on}"));
    }
}

/// Begins a chapter.
fn begins(chapter: usize) -> String {
    format!("novel next && novel instructions {} --json --write-manifest", step(chapter, "draft"))
}
