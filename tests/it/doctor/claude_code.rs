//! What stands in the way of Claude Code, row by row.

use super::*;

const MCP: &str = ".mcp.json";

const GROUPS: &str = "\"PreToolUse\": [";

const CLAUDE_CODE: &[Row] = &[
    (&[], &[]),
    (
        &[(SETTINGS, Words("{\n", "{\n  \"disableAllHooks\": true,\n"))],
        &[("hooks-off", ".claude/settings.json:2")],
    ),
    (&[(LOCAL, Text("{\n\"disableAllHooks\": true}"))], &[("hooks-off", ".claude/settings.local.json:2")]),
    (&[(USER, Text("{\"disableAllHooks\": true}"))], &[("hooks-off", "~/.claude/settings.json:1")]),
    // The nearer file decides, and only what is true counts.
    (&[(LOCAL, Text("{\"disableAllHooks\": false}")), (USER, Text("{\"disableAllHooks\": true}"))], &[]),
    (&[(LOCAL, Text("{\"disableAllHooks\": \"true\"}"))], &[]),
    // A dropped file switches nothing off.
    (&[(LOCAL, Text("{\"disableAllHooks\": true,}"))], &[]),
    (
        &[(
            SETTINGS,
            Words(GROUPS, "\"PreToolUse\": [\n{\"matcher\": {\"tools\": [\"Bash\"]}, \"hooks\": []},"),
        )],
        &[("dropped-file", ".claude/settings.json:4")],
    ),
    (
        &[(
            SETTINGS,
            Words(
                GROUPS,
                "\"PreToolUse\": [{\"matcher\": \"Bash\", \"type\": \"command\", \"command\": \"x\"},",
            ),
        )],
        &[("dropped-file", ".claude/settings.json:3")],
    ),
    (
        &[(SETTINGS, Words("\"timeout\": 86400", "\"timeout\": 0"))],
        &[("dropped-file", ".claude/settings.json:10")],
    ),
    (
        &[(
            SETTINGS,
            Words(
                "\"hooks\": {",
                "\"hooks\": {\"PermissionRequest\": [{\"hooks\": [{\"type\": \"order\"}]}],",
            ),
        )],
        &[("dropped-file", ".claude/settings.json:2")],
    ),
    // About other events the client is not strict.
    (&[(SETTINGS, Words("\"hooks\": {", "\"hooks\": {\"Stop\": [{\"matcher\": 1}], \"Nope\": 1,"))], &[]),
    (&[(SETTINGS, Words("{\n", "{\n  // mine\n"))], &[("dropped-file", ".claude/settings.json:2")]),
    (&[(SETTINGS, Words("{\n", "{\n  \"model\": 1,\n"))], &[("dropped-file", ".claude/settings.json:2")]),
    (&[(SETTINGS, Words("{\n", "\u{feff}{\n"))], &[]),
    (&[(MCP, Words("{\n", "{\n  // mine\n"))], &[("dropped-file", ".mcp.json:2")]),
    (&[(MCP, Text("{\"mcpServers\": [\"novel-gate\"]}"))], &[("dropped-file", ".mcp.json:1")]),
    (&[(MCP, Text("{\"mcpServers\": {\"other\": }}"))], &[]),
    (
        &[(MCP, Text("{\"mcpServers\": {\n\"novel-gate\": {\"args\": [\"mcp\"]}}}"))],
        &[("broken-entry", ".mcp.json:2")],
    ),
    (
        &[(MCP, Text("{\"mcpServers\": {\n\"novel-gate\": {\"command\": [\"novel-gate\", \"mcp\"]}}}"))],
        &[("broken-entry", ".mcp.json:2")],
    ),
    (&[(MCP, Words("\"command\": \"novel-gate\"", "\"command\": \"\""))], &[("broken-entry", ".mcp.json:4")]),
    (
        &[(MCP, Words("\"command\": \"novel-gate\"", "\"command\": \"novel-gate\", \"env\": {\"A\": 1}"))],
        &[("broken-entry", ".mcp.json:4")],
    ),
    (
        &[(MCP, Words("\"command\": \"novel-gate\"", "\"command\": \"novel-gate\", \"type\": null"))],
        &[("broken-entry", ".mcp.json:4")],
    ),
    (
        &[(MCP, Words("\"command\": \"novel-gate\"", "\"command\": \"novel-gate\", \"timeout\": 1.5"))],
        &[("broken-entry", ".mcp.json:4")],
    ),
    // It reads neither.
    (
        &[(
            MCP,
            Words(
                "\"command\": \"novel-gate\"",
                "\"command\": \"novel-gate\", \"enabled\": false, \"disabled\": true",
            ),
        )],
        &[],
    ),
    (&[(USER, Text("{\"allowedMcpServers\": []}"))], &[("server-off", "~/.claude/settings.json:1")]),
    (&[(USER, Text("{\"allowedMcpServers\": [{\"serverName\": \"novel-gate\"}]}"))], &[]),
    (
        &[(
            MCP,
            Text("{\"mcpServers\": {\"novel-gate\": {\"command\": \"/bin/true\", \"args\": [\"mcp\"]}}}"),
        )],
        &[("other-program", ".mcp.json:1")],
    ),
    (
        &[(LOCAL, Text("{\n\"disabledMcpjsonServers\": [\"x\",\n\"novel-gate\"]}"))],
        &[("server-off", ".claude/settings.local.json:3")],
    ),
    (
        &[(USER, Text("{\"deniedMcpServers\": [{\"serverName\": \"novel-gate\"}]}"))],
        &[("server-off", "~/.claude/settings.json:1")],
    ),
    (
        &[(PROJECTS, Text("{\"projects\": {\"ROOT\": {\"disabledMcpServers\": [\"novel-gate\"]}}}"))],
        &[("server-off", "~/.claude.json")],
    ),
    // Whoever has agreed to others is asked about ours.
    (&[(LOCAL, Text("{\"enabledMcpjsonServers\": [\"x\"]}"))], &[]),
    (
        &[(LOCAL, Text("{\"permissions\": {\"deny\": [\"Skill\"]}}"))],
        &[("denied", ".claude/settings.local.json:1")],
    ),
    (
        &[(LOCAL, Text("{\"permissions\": {\"deny\": [\"Skill(novel-gate)\"]}}"))],
        &[("denied", ".claude/settings.local.json:1")],
    ),
    (&[(LOCAL, Text("{\"permissions\": {\"deny\": [\"Skill(novel:*)\", \"mcp__novel__*\"]}}"))], &[]),
    (
        &[(LOCAL, Text("{\"permissions\": {\"deny\": [\"mcp__novel-gate\"]}}"))],
        &[("denied", ".claude/settings.local.json:1")],
    ),
    (
        &[(LOCAL, Text("{\"permissions\": {\"deny\": [\"mcp__novel-gate__*\"]}}"))],
        &[("denied", ".claude/settings.local.json:1")],
    ),
    (
        &[(LOCAL, Text("{\"permissions\": {\"deny\": [\"mcp__*\"]}}"))],
        &[("denied", ".claude/settings.local.json:1")],
    ),
    (
        &[(SETTINGS, Words("\"timeout\": 86400,", "\"timeout\": 86400, \"async\": true,"))],
        &[("async", ".claude/settings.json:7")],
    ),
    (&[(SETTINGS, Words("\"timeout\": 86400,", "\"timeout\": 86400, \"async\": false,"))], &[]),
    (
        &[(
            ".claude/skills/novel-gate/SKILL.md",
            Words("novel-gate wait", "novel-gate --state-dir /tmp wait"),
        )],
        &[("other-state", ".claude/skills/novel-gate/SKILL.md")],
    ),
    (
        &[(SETTINGS, Words("novel-gate hook", "novel-gate --state-dir /tmp hook"))],
        &[("other-state", ".claude/skills/novel-gate/SKILL.md")],
    ),
    // What starts ours is none.
    (
        &[(
            MCP,
            Text(
                "{\"mcpServers\": {\"novel-gate\": {\"command\": \"/bin/sh\", \"args\": [\"-c\", \"novel-gate mcp\"]}}}",
            ),
        )],
        &[],
    ),
    (
        &[(SETTINGS, Words("\"novel-gate hook claude-code\"", "\"/bin/true hook claude-code\""))],
        &[("no-hook", "")],
    ),
    (
        &[(USER, Text("{\"permissions\": {\"deny\": [\"Read\",\n\"Bash(novel-gate:*)\"]}}"))],
        &[("denied", "~/.claude/settings.json:2")],
    ),
    (
        &[(LOCAL, Text("{\"permissions\": {\"deny\": [\"Bash\"]}}"))],
        &[("denied", ".claude/settings.local.json:1")],
    ),
    (
        &[(LOCAL, Text("{\"permissions\": {\"ask\": [\"Bash(novel-gate *)\"]}}"))],
        &[("asked", ".claude/settings.local.json:1")],
    ),
    (&[(LOCAL, Text("{\"permissions\": {\"deny\": [\"Bash(novel-gate answer *)\", \"Bash(rm:*)\"]}}"))], &[]),
    (
        &[(SETTINGS, Words("\"timeout\": 86400,", "\"timeout\": 86400, \"if\": \"Bash(novel *)\","))],
        &[("filtered", ".claude/settings.json:7")],
    ),
    (&[(SETTINGS, Words("|Bash|", "|"))], &[("older", ".claude/settings.json:7")]),
    (&[(SETTINGS, Words("PreToolUse", "PostToolUse"))], &[("other-event", ".claude/settings.json:7")]),
    // Under their own event init writes others.
    (&[(SETTINGS, Words("\"novel-gate hook claude-code\"", "\"other\""))], &[("no-hook", "")]),
    (&[(SETTINGS, Gone)], &[("no-hook", "")]),
    (&[(".claude/skills/novel-gate/SKILL.md", Gone)], &[("no-skill", ".claude/skills/novel-gate/SKILL.md")]),
    (
        &[(".claude/skills/novel-gate/SKILL.md", Words("novel-gate wait", "novel-gate sleep"))],
        &[("older", ".claude/skills/novel-gate/SKILL.md")],
    ),
    (
        &[(SETTINGS, Words("novel-gate hook", "/nowhere/novel-gate hook"))],
        &[("no-program", ".claude/settings.json:7"), ("older", ".claude/skills/novel-gate/SKILL.md")],
    ),
    (
        &[(PROJECTS, Text("{\"projects\": {\"ROOT\": {\"hasTrustDialogAccepted\": false}}}"))],
        &[("untrusted", "~/.claude.json")],
    ),
    (
        &[(
            PROJECTS,
            Text(
                "{\"projects\": {\"/\": {\"hasTrustDialogAccepted\": true}, \"ROOT\": {\"hasTrustDialogAccepted\": false}}}",
            ),
        )],
        &[],
    ),
];

#[test]
fn what_stands_in_the_way_of_claude_code_is_said() {
    all_hold("claude-code", &["--mcp"], CLAUDE_CODE);
}

#[test]
fn of_a_wiring_with_a_state_directory_the_same_is_said() {
    let dir = of_this_system("/tmp");
    let state = ["--state-dir", &dir];
    let said = |changes: &[(&str, Change)]| {
        let book = Sandbox::new();
        assert_eq!(run(&book, &[&state[..], &["init", "--write"]].concat()).code, Some(0));
        for (path, made) in changes {
            change(&book, path, made);
        }
        let said = object(&run(&book, &["doctor", "--json"]));
        let said = client(&said, "claude-code");
        let codes: Vec<String> = obstacles(said).into_iter().map(|(code, _)| code.to_owned()).collect();
        let installed = said["installed"].as_array().expect("a list");
        (codes, installed.iter().any(|it| it["part"] == "permission"))
    };
    assert_eq!(said(&[]), (vec![], true));
    assert_eq!(said(&[(SETTINGS, Gone)]).0, ["no-hook"]);
    let own = "{\"permissions\": {\"deny\": [\"Bash(novel-gate --state-dir /tmp wait *)\"]}}";
    assert_eq!(said(&[(LOCAL, Text(own))]).0, ["denied"]);
    let other = "{\"permissions\": {\"deny\": [\"Bash(novel-gate wait:*)\"]}}";
    assert_eq!(said(&[(LOCAL, Text(other))]).0, [""; 0]);
}

#[test]
fn a_file_in_another_encoding_is_said_to_be_so() {
    let book = wired("claude-code", &[]);
    let text = String::from_utf8(book.read(SETTINGS).expect("it")).expect("UTF-8");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    fs::write(book.path(SETTINGS), wide).expect("written");
    let said = object(&run(&book, &["doctor", "--json"]));
    let said = client(&said, "claude-code");
    assert_eq!(obstacles(said), [("dropped-file", SETTINGS)]);
    assert_eq!(said["obstacles"][0]["message"], "It is UTF-16: clients read UTF-8.");
}

#[test]
fn a_permission_that_is_gone_is_told_and_no_obstacle() {
    let book = wired("claude-code,codex", &[]);
    assert!(!run(&book, &["doctor"]).stdout.contains("permission: none"));
    let settings = String::from_utf8(book.read(SETTINGS).expect("it")).expect("UTF-8");
    book.put(SETTINGS, settings.replace("Bash(novel-gate", "Bash(other"));
    fs::remove_file(book.path(".codex/rules/novel-gate.rules")).expect("removed");
    let ran = run(&book, &["doctor"]);
    assert_eq!((ran.stdout.matches("permission: none").count(), ran.code), (2, Some(0)), "{ran:?}");
}
