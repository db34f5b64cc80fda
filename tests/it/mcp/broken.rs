//! What cannot be used is said, and the server lives on.

use super::{Server, asking, book, listed};
use crate::sandbox::{Running, Sandbox, wait_until};
use serde_json::{Value, json};

#[test]
fn lines_that_are_no_messages_get_an_error_and_the_next_is_read() {
    let book = book();
    let mut server = Server::of(&book);
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":"d","method":"tools/list","params":{}1{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    for (line, code, id) in [
        ("{bad", -32700, Value::Null),
        ("\u{1b}[2J", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("7", -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, -32600, json!(5)),
        (r#"{"jsonrpc":"2.0","id":6,"method":"tools/call"}"#, -32602, json!(6)),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}"#, -32602, json!(7)),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"list_gates","arguments":[]}}"#,
            -32602,
            json!(8),
        ),
        (r#"{"jsonrpc":"2.0","id":9,"method":"tools/cal"}"#, -32601, json!(9)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":10}"#, -32600, json!(10)),
        (&deep, -32600, json!("d")),
        (&format!(r#"{{"x":"{}"}}"#, "x".repeat(17 << 20)), -32600, Value::Null),
    ] {
        server.say(line);
        let told = server.next();
        assert_eq!((&told["error"]["code"], &told["id"]), (&json!(code), &id), "{line:.80} {told}");
    }
    for line in ["", r#"{"jsonrpc":"2.0","method":"notifications/nonsense","params":7}"#] {
        server.say(line);
    }
    let id = server.request("ping", &json!({}));
    assert_eq!(server.answer(id)["result"], json!({}));
}

#[test]
fn a_client_that_begins_with_something_else_may_begin_again() {
    let book = book();
    let mut server = Server::start(&mut book.command::<&str>([]));
    server.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let id = server.request("tools/list", &json!({}));
    assert_eq!(server.answer(id)["error"]["code"], -32602);
    assert_eq!(server.initialize(&json!({}))["protocolVersion"], "2025-11-25");
    assert_eq!(server.get("list_gates", &json!({})), json!({"gates": [], "more": 0}));
}

#[test]
fn questions_that_cannot_be_asked_are_said_with_every_problem_at_its_place() {
    let book = book();
    let mut server = Server::of(&book);
    let question = asking("t", 0.0)["questions"][0].clone();
    let changed = |key: &str, value: Value| {
        let mut question = question.clone();
        question[key] = value;
        json!({"topic": "t", "questions": [question]})
    };
    for (arguments, places) in [
        (json!({}), &["/topic: found nothing", "/questions: found nothing"][..]),
        (
            json!({"topic": " ", "questions": []}),
            &["/topic: found only white space", "/questions: found an empty list"],
        ),
        (json!({"topic": "t", "questions": "q"}), &["/questions: "]),
        (
            json!({"topic": "t", "questions": [question, question]}),
            &["/questions/1/id): found \"place\" twice"],
        ),
        (changed("kind", json!("slider")), &["/questions/0/kind): found \"slider\"; expected single_choice"]),
        (changed("options", json!([])), &["/questions/0/options): found an empty list"]),
        (changed("default", json!("nowhere")), &["/questions/0/default): "]),
        (changed("id", json!("../../etc")), &["/questions/0/id): "]),
        (changed("answer_path", json!("x")), &["/questions/0/answer_path): found the unknown field"]),
        (json!({"topic": "t", "questions": [question], "by": "human"}), &["/by: found the unknown field"]),
        (
            json!({"topic": " ", "questions": [question], "wait_s": -1, "x": 1}),
            &["/x: ", "/wait_s: found -1", "/topic: "],
        ),
        (json!({"topic": "t", "questions": [question], "wait_s": -1}), &["/wait_s: found -1"]),
        (json!({"topic": "t", "questions": [question], "wait_s": "50"}), &["/wait_s: found \"50\""]),
    ] {
        let fault = server.fault("ask_author", &arguments);
        assert!(places.iter().all(|place| fault.contains(place)), "{fault}");
    }
    assert!(
        server.fault("ask_author", &json!({"topic": "t", "questions": vec![json!({}); 5000]})).len() < 4000
    );
    assert!(server.fault("list_gates", &json!({"all": "yes"})).contains("/all: found \"yes\""));
    assert!(server.fault("wait_gate", &json!({})).contains("/gate: found nothing"));
    assert_eq!(listed(&book), [Value::Null; 0], "nothing was asked");
}

#[test]
fn hostile_questions_are_asked_exactly_and_can_do_nothing() {
    let book = book();
    let mut server = Server::of(&book);
    let text = "\u{1b}[2J\u{202e}evil\u{0}\r\n”‘`$(rm -rf /)";
    let option = |label: &str| json!({"label": label, "description": text});
    let question = |id: &str| {
        json!({"id": id, "header": text, "question": text, "kind": "single_choice", "required": true,
               "options": [option(text), option("__proto__")]})
    };
    let given = server.get(
        "ask_author",
        &json!({"topic": text, "wait_s": 0, "questions": [question("one"), question("two")]}),
    );
    assert_eq!(given["status"], "waiting", "two questions with one text are two questions");
    let gate = given["gate"].as_str().expect("a path");
    let shown: Value = serde_json::from_str(&book.run(["show", gate, "--json"]).stdout).expect("JSON");
    assert_eq!(shown["questions"][1]["options"][0]["label"], text);
    assert!(!book.run(["show", gate]).stdout.contains('\u{1b}'));
    let surrogate = format!(
        r#"{{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{{"name":"ask_author","arguments":{}}}}}"#,
        asking("alone", 0.0).to_string().replace("alone", r"\ud800")
    );
    server.say(&surrogate);
    assert_eq!(server.next()["id"], "s");
    let id = server.call("list_gates", &json!({}));
    // Some clients would drop a message with half a character.
    assert_eq!(server.answer(id)["result"]["structuredContent"]["gates"][0]["topic"], "\u{fffd}");
    let large = "字".repeat(1 << 20);
    let mut asked = asking("t", 0.0);
    asked["questions"][0]["question"] = json!(large);
    let gate = server.get("ask_author", &asked)["gate"].clone();
    let shown: Value =
        serde_json::from_str(&book.run(["show", gate.as_str().expect("a path"), "--json"]).stdout)
            .expect("JSON");
    assert_eq!(shown["questions"][0]["question"], large);
}

#[test]
fn an_unknown_tool_or_method_is_an_error_of_the_protocol() {
    let book = book();
    let mut server = Server::of(&book);
    let id = server.call("answer_gate", &json!({}));
    let told = server.answer(id);
    assert_eq!(told["error"]["code"], -32602);
    assert!(told["error"]["message"].as_str().is_some_and(|words| words.contains("ask_author")), "{told}");
    let id = server.request("resources/nonsense", &json!({}));
    assert_eq!(server.answer(id)["error"]["code"], -32601);
    assert_eq!(server.get("list_gates", &json!({})), json!({"gates": [], "more": 0}));
}

#[test]
fn a_name_of_ten_megabytes_is_not_said_again() {
    let book = book();
    let mut server = Server::of(&book);
    let long = "x".repeat(10 << 20);
    for tool in ["wait_gate", "list_gates"] {
        let fault = server.fault(tool, &json!({"gate": long}));
        assert!(fault.contains("/gate: found \"xxx") && fault.len() < 400, "{}", fault.len());
    }
    let id = server.call(&long, &json!({}));
    let message = server.answer(id)["error"]["message"].to_string();
    assert!(message.contains("wait_gate") && message.len() < 400, "{}", message.len());
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_project_that_is_not_there_or_goes_away_is_said_and_one_that_comes_is_found() {
    let book = Sandbox::new();
    let mut command = book.system("novel-gate");
    command.current_dir(book.root()).args(["--lang", "en", "--state-dir"]).arg(book.state());
    let mut server = Server::start(&mut command);
    server.initialize(&json!({}));
    for (tool, arguments) in
        [("list_gates", json!({})), ("ask_author", asking("t", 0.0)), ("wait_gate", json!({"gate": "a"}))]
    {
        let fault = server.fault(tool, &arguments);
        assert!(fault.contains("No project here") && fault.contains("--project DIR"), "{fault}");
    }
    book.put(".checkpoint.json", "{}");
    assert_eq!(server.get("list_gates", &json!({})), json!({"gates": [], "more": 0}));
    let gate = Server::of(&book).get("ask_author", &asking("t", 0.0))["gate"].clone();
    wait_until("the other server's end", || listed(&book)[0]["orphaned"] == true);
    let id = server.call("wait_gate", &json!({"gate": gate, "wait_s": 60}));
    wait_until("the wait", || listed(&book)[0]["orphaned"] == false);
    std::fs::rename(book.root(), book.root().with_file_name("elsewhere")).expect("renamed");
    let told = server.answer(id);
    let words = told["result"]["content"][0]["text"].as_str().expect("words");
    assert!(told["result"]["isError"] == true && words.contains("is gone"), "{told}");
    std::fs::rename(book.root().with_file_name("elsewhere"), book.root()).expect("renamed back");
    assert_eq!(server.get("wait_gate", &json!({"gate": gate, "wait_s": 0}))["status"], "waiting");
}

#[test]
fn without_a_client_it_says_what_it_is_for() {
    let book = book();
    let ran = Running::start(&mut book.command(["mcp"])).wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("This is for an MCP client"), "{ran:?}");
    // One that only looks what there is says nothing more.
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let ran = Running::start_fed(&mut book.command(["mcp"]), &[ping, &b"\n"[..]].concat());
    let ran = ran.wait();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
}
