//! What stands in the way of Codex, and of the clients that have no hook, row by row.

use super::*;

const CODEX_CONFIG: &str = ".codex/config.toml";
const GEMINI_USER: &str = "../home/.gemini/settings.json";
const TRUST: &str = "../home/.gemini/trustedFolders.json";
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
    (
        &[(CODEX_HOOKS, Words("\"timeout\"", "\"async\": true, \"timeout\""))],
        &[("async", ".codex/hooks.json:7")],
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
    (&[(OPENCODE, Words("{\n", "{\n\"permission\": \"deny\","))], &[("denied", "opencode.json")]),
    (&[(OPENCODE, Words("{\n", "{\n\"permission\": {\"bash\": \"deny\"},"))], &[("denied", "opencode.json")]),
    (&[(OPENCODE, Words("{\n", "{\n\"permission\": {\"bash\": \"ask\"},"))], &[]),
    (
        &[(
            OPENCODE,
            Words("{\n", "{\n\"permission\": {\"bash\": {\"*\": \"allow\", \"novel-gate *\": \"deny\"}},"),
        )],
        &[("denied", "opencode.json")],
    ),
    (
        &[(
            OPENCODE,
            Words("{\n", "{\n\"permission\": {\"bash\": {\"*\": \"deny\", \"novel-gate *\": \"allow\"}},"),
        )],
        &[],
    ),
    (
        &[(OPENCODE, Words("{\n", "{\n\"permission\": {\"skill\": {\"novel-gate\": \"deny\"}},"))],
        &[("denied", "opencode.json")],
    ),
    (
        &[(OPENCODE, Words("{\n", "{\n\"permission\": {\"novel-gate_*\": \"deny\"},"))],
        &[("denied", "opencode.json")],
    ),
    (
        &[(
            OPENCODE,
            Words("{\n", "{\n\"permission\": {\"edit\": \"deny\", \"bash\": {\"rm *\": \"deny\"}},"),
        )],
        &[],
    ),
    (&[(OPENCODE, Words("{\n", "{\n\"tools\": {\"novel-gate*\": false},"))], &[("denied", "opencode.json")]),
    (
        &[("../home/.config/opencode/opencode.json", Text("{\"permission\": {\"bash\": \"deny\"}}"))],
        &[("denied", "~/.config/opencode/opencode.json")],
    ),
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
    (
        &[(GEMINI, Words("{\n", "{\n\"mcp\": {\"excluded\": [\"novel-gate\"]},"))],
        &[("server-off", ".gemini/settings.json:2")],
    ),
    (
        &[(GEMINI, Words("{\n", "{\n\"mcp\": {\"allowed\": [\"x\"], \"excluded\": [\"y\"]},"))],
        &[("server-off", ".gemini/settings.json:2")],
    ),
    (&[(GEMINI, Words("{\n", "{\n\"mcp\": {\"allowed\": [\"x\", \"novel-gate\"]},"))], &[]),
    (
        &[(GEMINI_USER, Text("{\"mcp\": {\"excluded\": [\"novel-gate\"]}}"))],
        &[("server-off", "~/.gemini/settings.json:1")],
    ),
    (
        &[("../home/.gemini/mcp-server-enablement.json", Text("{\"novel-gate\": {\"enabled\": false}}"))],
        &[("server-off", "~/.gemini/mcp-server-enablement.json")],
    ),
    (
        &[(TRUST, Text("{\"ROOT\": \"DO_NOT_TRUST\", \"/\": \"TRUST_FOLDER\"}"))],
        &[("untrusted", "~/.gemini/trustedFolders.json")],
    ),
    (&[(TRUST, Text("{\"/\": \"DO_NOT_TRUST\", \"ROOT/x\": \"TRUST_PARENT\"}"))], &[]),
    (
        &[
            (TRUST, Text("{\"ROOT\": \"DO_NOT_TRUST\"}")),
            (GEMINI_USER, Text("{\"security\": {\"folderTrust\": {\"enabled\": false}}}")),
        ],
        &[],
    ),
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
