//! What stands in the way of the clients that have no hook, row by row.

use super::*;

const GEMINI_USER: &str = "../home/.gemini/settings.json";
const TRUST: &str = "../home/.gemini/trustedFolders.json";
const GEMINI: &str = ".gemini/settings.json";

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
fn what_stands_in_the_way_of_a_server_is_said() {
    all_hold("opencode", &["--mcp"], OPENCODE_ROWS);
    all_hold("gemini", &["--mcp"], GEMINI_ROWS);
}
