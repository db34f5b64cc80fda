//! What stands in the way of Codex, and of the clients that have no hook, row by row.

use super::*;

const CODEX_CONFIG: &str = ".codex/config.toml";
const GEMINI: &str = ".gemini/settings.json";

const CODEX: &[Row] = &[
    (&[], &[]),
    (&[(CODEX_HOOKS, Words("{\n", "{\n // mine\n"))], &[("dropped-file", ".codex/hooks.json:2")]),
    (
        &[(
            CODEX_HOOKS,
            Words("\"hooks\": {", "\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\"}]}],"),
        )],
        &[("dropped-file", ".codex/hooks.json:2")],
    ),
    (
        &[(CODEX_HOOKS, Words("\"hooks\": {", "\"hooks\": {\"Nope\": 1, \"Stop\": [{\"matcher\": null}],"))],
        &[],
    ),
    (
        &[(CODEX_CONFIG, Text("model = \"x\"\n[features]\nhooks = false\n"))],
        &[("hooks-off", ".codex/config.toml:3")],
    ),
    (
        &[(CODEX_USER, Text("[projects.\"ROOT\"]\ntrust_level = \"untrusted\"\n"))],
        &[("hook-untrusted", "~/.codex/config.toml"), ("untrusted", "~/.codex/config.toml")],
    ),
    (
        &[(
            CODEX_USER,
            Text(
                "[projects.\"ROOT\"]\ntrust_level = \"trusted\"\n[hooks.state.\"ROOT/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
            ),
        )],
        &[],
    ),
    (
        &[(
            CODEX_USER,
            Text(
                "[hooks.state.\"ROOT/.codex/hooks.json:pre_tool_use:0:0\"]\nenabled = false\ntrusted_hash = \"sha256:1\"\n",
            ),
        )],
        &[("hook-off", "~/.codex/config.toml")],
    ),
    (&[(CODEX_USER, Gone)], &[("hook-untrusted", "~/.codex/config.toml")]),
    (&[(CODEX_USER, Text("\na = \n"))], &[("dropped-file", "~/.codex/config.toml:2")]),
    (&[(CODEX_CONFIG, Text("\n\na = \n"))], &[("dropped-file", ".codex/config.toml:3")]),
    (
        &[(CODEX_CONFIG, Text("[mcp_servers.novel-gate]\ncommand = [\"novel-gate\", \"mcp\"]\n"))],
        &[("broken-entry", ".codex/config.toml:1")],
    ),
    (
        &[(CODEX_CONFIG, Text("[mcp_servers.novel-gate]\ncommand = \"/bin/true\"\nargs = [\"mcp\"]\n"))],
        &[("other-program", ".codex/config.toml:1")],
    ),
    (&[(CODEX_HOOKS, Words("^Bash$", "^Bash"))], &[]),
    (&[(CODEX_HOOKS, Words("|^Bash$", ""))], &[("older", ".codex/hooks.json:7")]),
];

const OPENCODE_ROWS: &[Row] = &[
    (&[], &[]),
    (&[(OPENCODE, Words("\"enabled\": true", "\"enabled\": false"))], &[("server-off", "opencode.json:3")]),
    (&[(OPENCODE, Words("{\n", "{ // mine\n"))], &[]),
    (&[(OPENCODE, Words("\"local\"", "\"remote\""))], &[("broken-entry", "opencode.json:4")]),
    (
        &[(
            OPENCODE,
            Text("{\"mcp\": {\"novel-gate\": {\"type\": \"local\", \"command\": \"novel-gate mcp\"}}}"),
        )],
        &[("broken-entry", "opencode.json:1")],
    ),
    (
        &[(
            OPENCODE,
            Text("{\"mcp\": {\"novel-gate\": {\"type\": \"local\", \"command\": [\"/bin/true\", \"mcp\"]}}}"),
        )],
        &[("other-program", "opencode.json:1")],
    ),
    (&[(OPENCODE, Words("}", ""))], &[("dropped-file", "opencode.json")]),
];

const GEMINI_ROWS: &[Row] = &[
    (&[], &[]),
    (&[(GEMINI, Words("{\n", "{\n  // mine\n"))], &[]),
    (&[(GEMINI, Text("no JSON"))], &[("dropped-file", ".gemini/settings.json")]),
    (
        &[(GEMINI, Words("\"command\": \"novel-gate\"", "\"command\": 1"))],
        &[("broken-entry", ".gemini/settings.json:4")],
    ),
    (&[(GEMINI, Words("\"command\": \"novel-gate\",", ""))], &[("broken-entry", ".gemini/settings.json:3")]),
];

#[test]
fn what_stands_in_the_way_of_codex_is_said() {
    all_hold("codex", &[], CODEX);
}

#[test]
fn what_stands_in_the_way_of_a_server_is_said() {
    all_hold("opencode", &["--mcp"], OPENCODE_ROWS);
    all_hold("gemini", &["--mcp"], GEMINI_ROWS);
}
