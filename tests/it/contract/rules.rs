//! Rules that hold for every command, tried on the whole table of commands: a new one is covered by itself.

use super::book::Book;
use super::golden::start;
use super::line::words;
use novel_gate::command::Streams;
use novel_gate::platform::processes::{CONFIG_HOME, HOME, STATE_HOME};
use novel_gate::run::run_on;
use novel_gate::text::Lang;
use novel_gate::{Environment, cli};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Stdio};

/// A line of each command that prints something, whatever the time and without a terminal. Commands that need one say so.
const LINES: &[&str] = &[
    "console",
    "demo",
    "list",
    "show chapter:002:draft",
    "check chapter:002:draft",
    "attach chapter:002:draft",
    "propose chapter:002:draft --option a=b",
    "decisions chapter:001:draft",
    "questions",
    "wait chapter:001:draft",
    "answer chapter:002:draft --by codex --defaults --dry-run",
    "redo chapter:001:draft",
    "history",
    "lint staging",
    "doctor",
    "init",
    "hook claude-code",
    "mcp",
    "schema check-output",
    "next chapter:002:draft --for codex --replies replies.jsonl",
    "compile chapter:002:draft --for codex",
    "plan chapter:002:draft",
    "skill",
    "keys",
    "themes",
    "paths",
    "completions bash",
    "man",
];

/// Commands that take a PACKET, with it last.
const PACKETS: &[&str] = &[
    "show",
    "check",
    "attach",
    "decisions",
    "wait",
    "answer --by codex --defaults --dry-run --replace",
    "redo",
    "history",
    "next --for codex --replies replies.jsonl",
    "compile --for codex",
    "plan",
];

/// These speak JSON without being asked.
const JSON_ONLY: &[&str] = &["next", "compile", "plan"];

/// Speaks the protocol of its caller: nothing, if it is not called by it.
const HOOK: &str = "hook";
/// The same.
const MCP: &str = "mcp";

fn line_of(command: &str) -> Vec<String> {
    let is_it = |line: &&&str| words(line).first().is_some_and(|first| first == command);
    words(LINES.iter().find(is_it).unwrap_or_else(|| panic!("give {command} a line in this table")))
}

/// A book in which the line of a command does something.
fn book_for(command: &str) -> Book {
    let book = Book::new();
    if command == "propose" {
        let file = r#"{"_steps": ["chapter:*:*"], "version": 1, "topic": "t", "questions": [{"id": "a", "header": "h", "question": "q",
            "kind": "single_choice", "required": true, "options": [{"label": "own", "description": "d"}], "allow_other": true,
            "_propose": {"brief": "b"}}]}"#;
        book.put("questions/a.question.json", file);
        book.put("staging/manifests/chapter-002-draft.packet.json", r#"{"step": "chapter:002:draft"}"#);
    }
    book
}

/// Every command by its name.
fn commands() -> Vec<String> {
    cli::command(Lang::En).get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

fn with(line: &[String], more: &[&str]) -> Vec<String> {
    line.iter().cloned().chain(more.iter().map(|word| (*word).to_owned())).collect()
}

#[test]
fn usage_errors_are_one_object_or_words_on_standard_error() {
    let book = Book::new();
    for command in commands() {
        let line = vec![command.clone(), "--nonsense".to_owned()];
        let told = start(&book, &with(&line, &["--json"]), "C", &[], "").end();
        let json: Value =
            serde_json::from_str(&told.out).unwrap_or_else(|error| panic!("{command}: {error}"));
        let place = (told.exit, &json["exit"], &json["code"], &json["at"]);
        // From a hook 2 would forbid the call.
        let exit = if command == HOOK { 1 } else { 2 };
        assert_eq!(place, (exit, &exit.into(), &"usage".into(), &"--nonsense".into()), "{command}");
        assert_eq!((told.out.lines().count(), told.err.as_str()), (1, ""), "{command}");
        let told = start(&book, &line, "C", &[], "").end();
        if JSON_ONLY.contains(&&*command) {
            assert!(told.out.starts_with('{') && told.err.is_empty(), "{command}: {}", told.err);
        } else {
            assert!(told.out.is_empty() && told.err.contains("--nonsense"), "{command}: {}", told.out);
        }
        let help = start(&book, &[command.clone(), "--help".to_owned()], "C", &[], "").end();
        assert!(help.exit == 0 && help.err.is_empty() && help.out.contains("Usage"), "{command}");
    }
}

#[test]
fn nothing_is_asked_without_a_terminal_and_standard_output_carries_the_result() {
    for command in commands().into_iter().filter(|command| ![HOOK, MCP].contains(&&**command)) {
        let book = book_for(&command);
        // Standard input stays open and silent: who waits for it never ends.
        let (reader, writer) = pipe().expect("a pipe");
        let mut process = program(&book, &line_of(&command));
        let child =
            process.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        let told = crate::project::Running::of(child).end();
        drop(writer);
        let needs_terminal = ["console", "demo"].contains(&&*command);
        assert_eq!(told.out.is_empty(), needs_terminal, "{command}: {} {}", told.out, told.err);
        assert_eq!(told.err.contains("terminal"), needs_terminal, "{command}: {}", told.err);
    }
}

#[test]
fn nothing_is_asked_where_the_output_goes_elsewhere() {
    let book = Book::new();
    let line = ["novel-gate", "answer", "chapter:002:draft", "--json"].map(OsString::from);
    let state = [OsString::from("--state-dir"), book.top().join("state").into()];
    let environment = Environment { cwd: book.root(), input_is_terminal: true, ..Environment::default() };
    let (mut input, mut out, mut err) = (&b"1\n\n\nyes\n"[..], Vec::new(), Vec::new());
    let streams = Streams { input: &mut input, out: &mut out, err: &mut err };
    let exit = run_on(&[&line[..], &state].concat(), &environment, streams).number();
    let json: Value = serde_json::from_slice(&out).expect("one object");
    assert_eq!((exit, &json["code"], err.as_slice()), (2, &"no-answers".into(), &b""[..]));
    assert_eq!(input.len(), 8, "nothing was read");
}

/// The program in a book, not started.
fn program(book: &Book, line: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_novel-gate"));
    command.args(line).current_dir(book.root()).env("LC_ALL", "C").env(HOME, book.top().join("home"));
    command.env_remove(STATE_HOME).env_remove(CONFIG_HOME).env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

#[test]
fn a_reader_who_has_gone_is_no_error() {
    for command in commands() {
        for more in [&[][..], &["--json"]] {
            let line = with(&line_of(&command), more);
            let usual = start(&book_for(&command), &line, "C", &[], "").end();
            let book = book_for(&command);
            let (reader, writer) = pipe().expect("a pipe");
            drop(reader);
            let child = program(&book, &line).stdout(writer).stderr(Stdio::piped()).spawn().expect("started");
            let told = child.wait_with_output().expect("its end");
            let err = String::from_utf8_lossy(&told.stderr);
            assert_eq!((told.status.code(), &*err), (Some(usual.exit), usual.err.as_str()), "{line:?}");
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "there are no such devices")]
fn an_output_that_cannot_be_written_is_a_failure() {
    for command in commands() {
        for more in [&[][..], &["--json"]] {
            let line = with(&line_of(&command), more);
            let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
            let book = book_for(&command);
            let child = program(&book, &line).stdout(full).stderr(Stdio::piped()).spawn().expect("started");
            let told = child.wait_with_output().expect("its end");
            let err = String::from_utf8_lossy(&told.stderr);
            // One needs a terminal, the other a client.
            if ["console", "demo", MCP].contains(&&*command) {
                assert_eq!(told.status.code(), Some(2), "{line:?}: {err}");
            } else {
                // A hook that fails says nothing to its caller.
                let exit = i32::from(command != HOOK);
                assert_eq!(told.status.code(), Some(exit), "{line:?}: {err}");
            }
            assert!(err.contains("novel-gate:"), "{line:?} says nothing");
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "there are no such devices")]
fn help_that_cannot_be_written_is_a_failure() {
    let book = Book::new();
    for line in [&["--help"][..], &["--version"], &["wait", "--help"], &["--help", "--json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        let child = program(&book, &line).stdout(full).stderr(Stdio::piped()).spawn().expect("started");
        let told = child.wait_with_output().expect("its end");
        let err = String::from_utf8_lossy(&told.stderr);
        assert_eq!(told.status.code(), Some(1), "{line:?}: {err}");
        assert!(err.starts_with("novel-gate: Cannot write to standard output."), "{line:?}: {err}");
        let (reader, writer) = pipe().expect("a pipe");
        drop(reader);
        let child = program(&book, &line).stdout(writer).stderr(Stdio::piped()).spawn().expect("started");
        let told = child.wait_with_output().expect("its end");
        assert_eq!((told.status.code(), told.stderr), (Some(0), Vec::new()), "{line:?}");
    }
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let book = Book::new();
    let escape = '\u{1b}';
    for (flags, variables, painted) in [
        (&[][..], &[][..], false),
        (&["--color", "never"], &[], false),
        (&["--color", "always"], &[], true),
        (&["--color=always"], &[("NO_COLOR", "1")], true),
        (&["--color", "auto"], &[("NO_COLOR", "1")], false),
    ] {
        for line in ["check chapter:020:draft", "check --nonsense"] {
            for locale in ["C", "zh_CN.UTF-8"] {
                let told = start(&book, &with(&words(line), flags), locale, variables, "").end();
                assert_eq!(told.err.contains(escape), painted, "{line} {flags:?} {locale}: {}", told.err);
            }
        }
        for command in commands() {
            let line = with(&with(&line_of(&command), flags), &["--json"]);
            let told = start(&book_for(&command), &line, "C", variables, "").end();
            assert!(!told.out.contains(escape), "{line:?}: what programs read is never in colour");
        }
    }
}

#[test]
fn a_packet_goes_by_path_stem_and_step() {
    for command in PACKETS {
        let spellings =
            ["staging/manifests/chapter-001-draft.packet.json", "chapter-001-draft", "chapter:001:draft"];
        let told = spellings.map(|packet| {
            let book = Book::new();
            let told = start(&book, &with(&words(command), &[packet, "--json"]), "C", &[], "").end();
            assert_eq!(told.exit, 0, "{command} {packet}: {} {}", told.out, told.err);
            super::stand_in::put(&told.out, &book.top())
        });
        assert!(told.iter().all(|other| *other == told[0]), "{command}: {told:?}");
    }
}

#[test]
fn an_unknown_packet_gets_a_near_one_suggested() {
    let book = Book::new();
    for command in PACKETS {
        for (packet, near) in
            [("chapter:001:darft", "chapter:001:draft"), ("chapter-001-drat", "chapter-001-draft")]
        {
            let told = start(&book, &with(&words(command), &[packet, "--json"]), "C", &[], "").end();
            let json: Value =
                serde_json::from_str(&told.out).unwrap_or_else(|error| panic!("{command}: {error}"));
            let message = json["message"].as_str().expect("a sentence");
            assert!(message.contains(&format!("Did you mean {near}?")), "{command}: {message}");
            assert_eq!(
                (told.exit, &json["code"], &json["at"]),
                (1, &"no-packet".into(), &packet.into()),
                "{command}"
            );
        }
    }
}

#[test]
fn a_hyphen_is_standard_input_wherever_a_file_is_read() {
    let book = Book::new();
    let packet = fs::read_to_string(book.root().join("staging/manifests/chapter-002-draft.packet.json"))
        .expect("a packet");
    for (line, input) in [
        ("lint -", packet.as_str()),
        ("plan -", &packet),
        ("compile - --for codex", &packet),
        ("next - --for codex --replies replies.jsonl", &packet),
        ("plan --events -", ""),
        ("answer chapter:002:draft --by x --dry-run --from -", r#"{"answers": {"platform": "tomato"}}"#),
    ] {
        let told = start(&book, &with(&words(line), &["--json"]), "C", &[], input).end();
        assert_eq!(told.exit, 0, "{line}: {} {}", told.out, told.err);
        assert!(!told.out.contains("/-"), "{line}: {}", told.out);
    }
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn a_named_pipe_is_not_waited_for_and_one_that_a_shell_passes_is_read() {
    let book = Book::new();
    let made = std::process::Command::new("mkfifo").arg(book.root().join("pipe")).status().expect("mkfifo");
    assert!(made.success());
    for (line, exit) in
        [("lint pipe", 1), ("answer chapter:002:draft --by x --from pipe", 1), ("plan --events pipe", 1)]
    {
        let told = start(&book, &words(line), "C", &[], "").end();
        let said = told.out.clone() + &told.err;
        assert_eq!((told.exit, said.contains("a named pipe")), (exit, true), "{line}: {said}");
    }
    let line = "answer chapter:002:draft --by x --dry-run --from /dev/stdin";
    let told = start(&book, &words(line), "C", &[], r#"{"answers": {"platform": "tomato"}}"#).end();
    assert_eq!(told.exit, 0, "{}{}", told.out, told.err);
}

#[test]
fn times_are_utc() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract");
    let form = regex_lite::Regex::new(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[^0-9:.Z]|$)")
        .expect("a form");
    for file in fs::read_dir(dir).expect("a directory").flatten() {
        let text = fs::read_to_string(file.path()).expect("a file");
        for found in form.find_iter(&text) {
            assert!(found.as_str().ends_with('Z'), "{}: {}", file.path().display(), found.as_str());
        }
    }
}

#[test]
fn no_command_knows_the_network() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(dir) = open.pop() {
        for path in fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a file");
                let named = ["std::net", "TcpStream", "UdpSocket", "rustix::net"]
                    .into_iter()
                    .find(|name| text.contains(name));
                assert_eq!(named, None, "{}", path.display());
            }
        }
    }
}
