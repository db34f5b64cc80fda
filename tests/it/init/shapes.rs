//! Shapes of files that somebody has already: `init --write` puts its part in, `init --undo --write` takes it out.

use super::{SETTINGS, object, run, text};
use crate::sandbox::Sandbox;
use crate::system::{set_mode, symlink};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

const OPENCODE: &str = "opencode.json";
const CODEX: &str = ".codex/config.toml";
/// A hook, and a server, in the same file.
const JSON: &[&str] = &[SETTINGS, OPENCODE];
const HOOK: &[&str] = &[SETTINGS];
const TOML: &[&str] = &[CODEX];

/// What becomes of a file.
#[derive(Debug)]
enum End {
    /// It comes back byte for byte.
    Exact,
    /// It says the same again; its layout has changed.
    Equal,
    /// It is left alone, with these words.
    Refused(&'static str),
}
use End::{Equal, Exact, Refused};

const SHAPES: &[(&str, &[&str], &str, End)] = &[
    ("an object", JSON, "{}", Exact),
    ("an object and a line end", JSON, "{}\n", Exact),
    ("a comment inside", JSON, "{ // mine\n}", Exact),
    ("comments around", JSON, "// mine\n{}\n// end", Exact),
    ("two blanks", JSON, "{\n  \"model\": \"x\"\n}\n", Exact),
    ("tabs", JSON, "{\n\t\"model\": \"\\u4e2d\",\n\t\"hooks\": {}\n}", Exact),
    (
        "CRLF, four blanks",
        JSON,
        "{\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    },\r\n    \"z\": 1.50\r\n}\r\n",
        Exact,
    ),
    ("CRLF, a trailing comma", JSON, "{\r\n  \"z\": 1, // mine\r\n}\r\n", Exact),
    (
        "comments alone",
        JSON,
        "{\n  \"mcp\": {\n    // mine\n  },\n  \"hooks\": {\n    // mine\n  }\n}\n",
        Exact,
    ),
    (
        "a hook of others",
        JSON,
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"x\"}]}\n    ]\n  }\n}\n",
        Exact,
    ),
    (
        "comments and commas in a list",
        JSON,
        "{\n  // head\n  \"hooks\": {\n    \"PreToolUse\": [\n      1, // one\n      // two\n      2, // three\n      // tail\n    ],\n  },\n}\n",
        Exact,
    ),
    (
        "a server of others, comments",
        JSON,
        "{\n  \"mcp\": {\n    \"other\": {\"command\": [\"x\", \"mcp\"]} // mine\n    // tail\n  } /* mine */\n}\n",
        Exact,
    ),
    ("a first line with its bracket", JSON, "{ \"model\": \"x\" // mine\n}", Exact),
    ("empty lists and objects", JSON, "{\n  \"hooks\": {\"PreToolUse\": []}, \"mcp\": {}\n}", Equal),
    (
        "permissions of others",
        JSON,
        "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\"],\n    \"deny\": []\n  }\n}\n",
        Exact,
    ),
    ("an empty list of permissions", JSON, "{\n  \"permissions\": {\n    \"allow\": []\n  }\n}\n", Exact),
    ("no line end", JSON, "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}", Exact),
    ("a key twice", JSON, "{\n  \"hooks\": 1,\n  \"hooks\": {}\n}", Exact),
    ("a byte order mark", JSON, "\u{feff}{\n  \"a\": 1\n}\n", Exact),
    ("null values", JSON, "{\n  \"env\": null,\n  \"z\": [null]\n}\n", Exact),
    ("keys in Chinese", JSON, "{\n  \"书名\": \"雨停之前\",\n  \"\\u4e2d\": {\"🌧\": 1}\n}\n", Exact),
    ("a link", JSON, "{\n  \"linked\": true\n}\n", Exact),
    ("nothing", JSON, "", Equal),
    ("blanks", JSON, " \n", Equal),
    ("a byte order mark alone", JSON, "\u{feff}", Equal),
    ("a blank between brackets", JSON, "{ }", Equal),
    ("brackets on two lines", JSON, "{\n}\n", Equal),
    ("brackets on two lines, CRLF", JSON, "{\r\n}", Equal),
    (
        "empty ones over several lines",
        JSON,
        "{\n  \"mcp\": {\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
        Equal,
    ),
    (
        "a comment in an empty one",
        JSON,
        "{\n  \"mcp\": { /* mine */ },\n  \"hooks\": { /* mine */ }\n}\n",
        Equal,
    ),
    ("blank lines", JSON, "{\n\n  \"model\": \"x\" , // mine\n\n}\n", Equal),
    ("one line", JSON, "{\"model\":\"x\"}", Exact),
    ("one line, a trailing comma", JSON, "{ \"model\":\"x\", }", Equal),
    ("a first line with several", JSON, "{\"model\": [1, 2],\n \"z\": 1}", Equal),
    ("one line, empty ones", JSON, "{\"hooks\": {\"PreToolUse\": [ ]}, \"mcp\": { }}", Equal),
    (
        "one line, a hook that only runs the program",
        JSON,
        "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"novel-gate list # hook claude-code\"}]}]}}",
        Exact,
    ),
    ("one line, a server of others", JSON, "{\"mcp\": {\"other\": {\"command\": [\"x\", \"mcp\"]}}}", Exact),
    ("no comma", JSON, "{ \"a\": 1 \"b\": 2 }", Refused("It is not JSON: see line 1, column 9.")),
    ("an open bracket", JSON, "{", Refused("It is not JSON: see line 1, column 1.")),
    ("a key without quotes", JSON, "{a: 1}", Refused("It is not JSON")),
    ("single quotes", JSON, "{'a': 1}", Refused("It is not JSON")),
    ("two objects", JSON, "{} {}", Refused("It is not JSON")),
    ("a list", JSON, "[]", Refused("It is not a JSON object.")),
    ("a comment and no object", JSON, "// mine", Refused("It is not a JSON object.")),
    ("hooks that are null", HOOK, "{\"hooks\": null}", Refused("Its hooks is not an object.")),
    ("hooks in a list", HOOK, "{\"hooks\": []}", Refused("Its hooks is not an object.")),
    ("one hook", HOOK, "{\"hooks\": {\"PreToolUse\": {}}}", Refused("Its hooks.PreToolUse is not a list.")),
    (
        "one permission",
        HOOK,
        "{\"permissions\": {\"allow\": \"x\"}}",
        Refused("Its permissions.allow is not a list."),
    ),
    ("read-only", HOOK, "{}", Refused("It is read-only.")),
    ("a link out of the project", HOOK, "{}", Refused("leads out of the project.")),
    (
        "another server of the name",
        &[OPENCODE],
        "{\"mcp\": {\"novel-gate\": {\"command\": [\"x\"]}}}",
        Refused("Its server novel-gate runs something else."),
    ),
    ("an empty TOML file", TOML, "", Exact),
    ("TOML without a line end", TOML, "model = \"x\" # mine", Exact),
    ("TOML, CRLF", TOML, "model = \"x\"\r\n\r\n[profiles.a]\r\nmodel = \"y\"\r\n", Exact),
    ("TOML, a byte order mark", TOML, "\u{feff}model = \"x\"\n", Exact),
    ("TOML, inline tables", TOML, "a = { b = 1, c = { d = 2 } }\n", Exact),
    ("TOML, lists of tables", TOML, "[[a]]\nb = 1\n\n[[a]]\nb = 2\n", Exact),
    ("TOML, dotted keys", TOML, "a.b.c = 1\n\"书.名\".x = \"雨\"\n", Exact),
    ("TOML, servers of others", TOML, "[mcp_servers.other]\ncommand = \"y\" # mine\n", Exact),
    ("TOML, an empty table", TOML, "[mcp_servers]\n", Exact),
    ("TOML, a server with dotted keys", TOML, "mcp_servers.other.command = \"y\"\n", Exact),
    ("TOML, servers in one line", TOML, "mcp_servers = { }\n", Refused("no table can be added")),
    ("TOML that is none", TOML, "a = 1\n[", Refused("It is not TOML: see line 2.")),
];

#[test]
fn what_was_there_comes_back() {
    let mut wrong = Vec::new();
    // Links need a right of their own on Windows.
    let shapes = SHAPES.iter().filter(|it| !cfg!(windows) || !it.0.starts_with("a link"));
    for (shape, paths, before, end) in shapes {
        let found = try_shape(shape, paths, before);
        println!("{shape:44} {found}");
        let is_right = match end {
            Exact => found == "exact",
            Equal => found == "equal",
            Refused(words) => found.starts_with("refused") && found.contains(words),
        };
        if !is_right {
            wrong.push(format!("{shape}: {found}, not {end:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What became of a file with this content at these paths.
fn try_shape(shape: &str, paths: &[&str], before: &str) -> String {
    let book = Sandbox::new();
    for path in paths {
        match shape {
            "a link" | "a link out of the project" => {
                let there = if shape == "a link" { format!("docs/{path}") } else { format!("../{path}") };
                book.put(&there, before);
                book.put(&format!("{path}.other"), "");
                let there = book.path(&there).canonicalize().expect("there");
                symlink(there, book.path(path)).expect("a link");
            }
            _ => book.put(path, before),
        }
        if shape == "read-only" {
            set_mode(&book.path(path), 0o444).expect("set");
        }
    }
    let client = match paths[0] {
        CODEX => "codex",
        OPENCODE => "opencode",
        _ if paths.len() == 1 => "claude-code",
        _ => "claude-code,opencode",
    };
    let init = ["init", "--for", client, "--mcp"];
    let ran = run(&book, init.iter().chain(&["--write"]));
    if ran.code != Some(0) {
        assert!(paths.iter().all(|path| text(&book, path) == before), "{ran:?}");
        assert!(ran.stdout.lines().count() == 1 && ran.stderr.lines().count() == paths.len(), "{ran:?}");
        return format!("refused: {}", ran.stderr.trim_end());
    }
    for path in paths {
        let after = text(&book, path);
        assert!(
            after.contains("\"novel-gate") && before.starts_with('\u{feff}') == after.starts_with('\u{feff}')
        );
        assert!(
            !before.contains("\r\n") || after.matches('\n').count() == after.matches("\r\n").count(),
            "{after}"
        );
    }
    assert_eq!(object(&run(&book, init.iter().chain(&["--json"])))["status"], "unchanged", "{shape}");
    let ran = run(&book, ["init", "--undo", "--write"]);
    assert!(ran.code == Some(0) && ran.stdout.ends_with("What init wrote is gone.\n"), "{ran:?}");
    let all = paths.iter().map(|path| text(&book, path));
    let kind = |after: String| {
        match after {
            after if after == before => "exact",
            after if paths == TOML || json(&after) != json(before) => return format!("another: {after}"),
            after if after.matches("mine").count() != before.matches("mine").count() => {
                return format!("a comment is lost: {after}");
            }
            _ => "equal",
        }
        .to_owned()
    };
    all.map(kind).find(|kind| kind != "exact").unwrap_or("exact".to_owned())
}

/// Nothing is an empty object.
fn json(text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    let root = CstRootNode::parse(text, &ParseOptions::default()).expect("JSON");
    root.to_serde_value().unwrap_or(json!({}))
}
