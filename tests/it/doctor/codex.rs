//! What stands in the way of Codex, row by row.

use super::*;

const CODEX_CONFIG: &str = ".codex/config.toml";
const HOOKS_IN_TOML: &str = "[[hooks.PreToolUse]]\nmatcher = \"*\"\n[[hooks.PreToolUse.hooks]]\n\
                             type = \"command\"\ncommand = \"novel-gate hook codex\"\ntimeout = 86400\n";
const DROPPED: &[(&str, &str)] = &[("dropped-file", ".codex/hooks.json:2")];
const UNTRUSTED: &[(&str, &str)] = &[("hook-untrusted", "~/.codex/config.toml")];

const CODEX: &[Row] = &[
    (&[], &[]),
    (&[(CODEX_HOOKS, Words("{\n", "{\n // mine\n"))], DROPPED),
    (&[(CODEX_HOOKS, Words("{\n", "\u{feff}{\n"))], &[("dropped-file", ".codex/hooks.json:1")]),
    (&[(CODEX_HOOKS, Words("{\n", "{\n\"version\": 1,\n"))], DROPPED),
    (&[(CODEX_HOOKS, Words("{\n", "{\n\"description\": null,\n"))], &[]),
    (&[(CODEX_HOOKS, Words("{\n", "{\"hooks\": {},\n"))], DROPPED),
    (
        &[(
            CODEX_HOOKS,
            Words("\"hooks\": {", "\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\"}]}],"),
        )],
        DROPPED,
    ),
    (&[(CODEX_HOOKS, Words("\"hooks\": {", "\"hooks\": {\"SessionEnd\": 1,"))], DROPPED),
    (
        &[(
            CODEX_HOOKS,
            Words("\"hooks\": {", "\"hooks\": {\"Nope\": 1, \"Nope\": 2, \"Stop\": [{\"matcher\": null}],"),
        )],
        &[],
    ),
    (
        &[(
            CODEX_HOOKS,
            Words(
                "\"hooks\": {",
                "\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"mcp_tool\", \"server\": \"a\"}]}],",
            ),
        )],
        DROPPED,
    ),
    (
        &[(
            CODEX_HOOKS,
            Words(
                "\"hooks\": {",
                "\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"prompt\", \"timeout\": \"x\"}]}],",
            ),
        )],
        &[],
    ),
    (
        &[(CODEX_HOOKS, Words("\"timeout\"", "\"async\": null, \"timeout\""))],
        &[("dropped-file", ".codex/hooks.json:10")],
    ),
    (
        &[(CODEX_HOOKS, Words("\"timeout\"", "\"commandWindows\": 7, \"timeout\""))],
        &[("dropped-file", ".codex/hooks.json:10")],
    ),
    // It reads no `if`.
    (&[(CODEX_HOOKS, Words("\"timeout\"", "\"if\": \"Bash(x)\", \"timeout\""))], &[]),
    (
        &[(CODEX_CONFIG, Text("model = \"x\"\n[features]\nhooks = false\n"))],
        &[("hooks-off", ".codex/config.toml:3")],
    ),
    // The nearer file decides, and the newer name before the older.
    (
        &[
            (CODEX_USER, Text(trusting!("[features]\nhooks = false\n"))),
            (CODEX_CONFIG, Text("[features]\nhooks = true\n")),
        ],
        &[],
    ),
    (
        &[
            (CODEX_USER, Text(trusting!("[features]\nhooks = true\n"))),
            (CODEX_CONFIG, Text("[features]\ncodex_hooks = false\n")),
        ],
        &[],
    ),
    (
        &[
            (CODEX_USER, Text(trusting!("[features]\nhooks = false\n"))),
            (CODEX_CONFIG, Text("[features]\ncodex_hooks = true\n")),
        ],
        &[("hooks-off", "~/.codex/config.toml:6")],
    ),
    (
        &[(CODEX_USER, Text("[projects.\"ROOT\"]\ntrust_level = \"untrusted\"\n"))],
        &[("hook-untrusted", "~/.codex/config.toml"), ("untrusted", "~/.codex/config.toml")],
    ),
    // No other directory counts.
    (
        &[(CODEX_USER, Text("[projects.\"/\"]\ntrust_level = \"trusted\"\n"))],
        &[("hook-untrusted", "~/.codex/config.toml"), ("untrusted", "~/.codex/config.toml")],
    ),
    (&[(CODEX_USER, Text(trusting!("")))], &[]),
    (&[(CODEX_USER, Text(trusting!(""))), (CODEX_HOOKS, Words("86400", "86401"))], UNTRUSTED),
    // What Codex does not read of a hook, it does not trust either.
    (
        &[(CODEX_USER, Text(trusting!(""))), (CODEX_HOOKS, Words("\"timeout\"", "\"note\": 1, \"timeout\""))],
        &[],
    ),
    (
        &[
            (CODEX_USER, Text("[projects.\"ROOT\"]\ntrust_level = \"trusted\"\n")),
            (CODEX_CONFIG, Text(HOOKS_IN_TOML)),
            (CODEX_HOOKS, Gone),
        ],
        UNTRUSTED,
    ),
    (&[(CODEX_USER, Text(trusting!("enabled = false\n")))], &[("hook-off", "~/.codex/config.toml")]),
    (
        &[(CODEX_HOOKS, Words("\"timeout\"", "\"async\": true, \"timeout\""))],
        &[("async", ".codex/hooks.json:7"), UNTRUSTED[0]],
    ),
    (&[(CODEX_USER, Gone)], &[("untrusted", "~/.codex/config.toml"), UNTRUSTED[0]]),
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
    (&[(CODEX_HOOKS, Words("^Bash$", "^Bash"))], UNTRUSTED),
    (&[(CODEX_HOOKS, Words("|^Bash$", ""))], &[("older", ".codex/hooks.json:7"), UNTRUSTED[0]]),
];

#[test]
fn what_stands_in_the_way_of_codex_is_said() {
    all_hold("codex", &[], CODEX);
}
