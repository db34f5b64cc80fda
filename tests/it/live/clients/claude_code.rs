//! The ways past a gate in Claude Code 2.1.330.

use super::*;

const WRAPPER: &str = "node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs";
/// The held agent's name as Claude Code itself would take it, and as a plugin has it.
const NAMES: &[&str] = &[
    "plot-architect",
    "Plot-Architect",
    "plot_architect",
    "plot architect",
    " plot-architect ",
    "plotarchitect",
    "PLOT ARCHITECT",
    "novel:plot-architect",
];

#[test]
fn claude_code_starts_no_held_agent() {
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
    let rows: Vec<Row> =
        NAMES.iter().enumerate().map(|(row, name)| agent(row, name, name, "Plan it.", false)).collect();
    play(&book, Wire::Messages, &[&rows], |address| {
        let mut client = node(&book, &clients.join(WRAPPER));
        client.args(["-p", TASK, "--output-format", "stream-json", "--verbose", "--plugin-dir", "../plugin"]);
        client.args(["--allowedTools", "Agent Workflow Bash Write Edit Read"]);
        client.env("ANTHROPIC_BASE_URL", format!("http://{address}")).env("ANTHROPIC_API_KEY", "none");
        for name in
            ["DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_BUG_COMMAND"]
        {
            client.env(name, "1");
        }
        client.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        client
    });
}

/// A call that starts an agent.
fn agent(row: usize, way: &'static str, name: &str, words: &str, is_free: bool) -> Row {
    let prompt = prompt(row, words);
    let input = json!({"description": "work", "prompt": prompt, "subagent_type": name});
    Row { way, call: ("Agent", input), is_free, sign: Sign::Agent(prompt) }
}
