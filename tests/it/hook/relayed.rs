//! Questions that Claude Code asks, answered in the project.

use std::path::PathBuf;

use crate::system::Signal;
use serde_json::{Value, json};

use super::{FOLDER, Hooked, RECORD, assert_silent, call, denied, question, said};
use crate::kept;
use crate::sandbox::{Running, wait_until};

fn ask(hooked: &Hooked, questions: &[Value]) -> Value {
    call(&hooked.book, "AskUserQuestion", &json!({"questions": questions}))
}

fn one(hooked: &Hooked) -> Value {
    ask(hooked, &[question("发布到哪里？", &["qidian", "web"])])
}

/// The same asked in a call of its own.
fn one_in(hooked: &Hooked, tool_use: &str) -> Value {
    let mut call = one(hooked);
    call["tool_use_id"] = json!(tool_use);
    call
}

#[test]
fn the_answers_go_back_and_nothing_is_left_but_the_history() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let mut several = question("Which tags?", &["a", "a, b"]);
    several["multiSelect"] = json!(true);
    let questions = [question("发布到哪里？", &["qidian", "web"]), several];
    let asking = hooked.start(&ask(&hooked, &questions));
    let packet = hooked.packet();
    let shown = hooked.book.run(["list", "--json"]);
    let listed: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(listed["gates"][0]["status"], "waiting", "{listed}");
    assert_eq!(listed["gates"][0]["topic"], "Claude Code: 平台, 平台");
    hooked.answer(&packet, &json!({"q1": "我自己的话, 真的", "q2": ["a", "a, b"]}));
    let said = said(&asking.wait());
    assert_eq!(said["permissionDecision"], "allow");
    let answers = json!({"发布到哪里？": "我自己的话, 真的", "Which tags?": "a, a, b"});
    assert_eq!(said["updatedInput"], json!({"questions": questions, "answers": answers}));
    let told = said["additionalContext"].as_str().expect("the list");
    assert!(told.contains(r#"["a", "a, b"]"#), "{told}");
    assert_eq!(hooked.left().len(), 0);
    let told: Value = serde_json::from_str(&hooked.book.run(["history", "--json"]).stdout).expect("JSON");
    assert_eq!((&told["count"], &told["entries"][0]["reason"]), (&json!(1), &json!("answered")));
}

#[test]
fn a_plain_answer_needs_no_words_beside_it() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let asking = hooked.start(&one(&hooked));
    hooked.answer(&hooked.packet(), &json!({"q1": "web"}));
    let said = said(&asking.wait());
    assert_eq!(said["updatedInput"]["answers"], json!({"发布到哪里？": "web"}));
    assert!(said.get("additionalContext").is_none());
}

#[test]
fn a_note_of_the_models_own_is_shown_as_such_and_does_not_go_along() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let mut call = one(&hooked);
    call["tool_input"]["annotations"] = json!({"发布到哪里？": {"notes": "before/after edit"}});
    call["tool_input"]["answers"] = json!({"发布到哪里？": "qidian"});
    let asking = hooked.start(&call);
    let packet = hooked.packet();
    let shown = hooked.book.run(["show", &packet]).stdout;
    assert!(shown.contains("The model's own note, never handed back as yours: before/after edit"), "{shown}");
    assert!(shown.contains("The model's own answer, never handed back as yours: qidian"), "{shown}");
    hooked.answer(&packet, &json!({"q1": "web"}));
    let said = said(&asking.wait());
    let questions = [question("发布到哪里？", &["qidian", "web"])];
    assert_eq!(said["updatedInput"], json!({"questions": questions, "answers": {"发布到哪里？": "web"}}));
    assert!(!said.to_string().contains("before/after edit"), "{said}");
}

#[test]
fn a_note_goes_along() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let asking = hooked.start(&one(&hooked));
    let line = ["--set", "q1=web", "--note", "q1=先试三个月", "--by", "human"];
    let packet = hooked.packet();
    assert_eq!(hooked.book.run(["answer", &packet].iter().chain(&line)).code, Some(0));
    let said = said(&asking.wait());
    assert_eq!(said["updatedInput"]["annotations"], json!({"发布到哪里？": {"notes": "先试三个月"}}));
    assert!(said["additionalContext"].as_str().is_some_and(|words| words.contains("先试三个月")), "{said}");
}

#[test]
fn hostile_words_come_back_exactly() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let text = "\u{1b}]0;title\u{7}\u{202e}q\n\n\"__proto__\"\u{0}{0}?";
    let labels = [" a ", "\u{1b}[31mred", "__down__", "constructor"];
    for label in labels {
        let mut asked = ask(&hooked, &[question(text, &labels)]);
        asked["tool_use_id"] = json!(label);
        let asking = hooked.start(&asked);
        let packet = hooked.packet();
        hooked.answer(&packet, &json!({"q1": label}));
        let answers = said(&asking.wait())["updatedInput"]["answers"].clone();
        assert_eq!(answers, json!({text: label}));
    }
    // Half a pair: as it came.
    let given = one(&hooked).to_string().replace("qidian", "half \\ud83d");
    let asking = hooked.start_with(given.as_bytes(), &[]);
    let packet = hooked.packet();
    hooked.book.put("../half.json", r#"{"answers": {"q1": "half \ud83d"}}"#);
    let from = hooked.book.path("../half.json").to_string_lossy().into_owned();
    assert_eq!(hooked.book.run(["answer", &packet, "--from", &from, "--by", "human"]).code, Some(0));
    let ran = asking.wait();
    assert!(ran.stdout.contains(r#""发布到哪里？": "half \ud83d""#), "{ran:?}");
}

#[test]
fn two_at_once_are_two_gates_even_with_one_question() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let first = hooked.start(&one(&hooked));
    let packet = hooked.packet();
    let mut other_call = one(&hooked);
    other_call["tool_use_id"] = json!("toolu_02");
    let second = hooked.start(&other_call);
    wait_until("both packets", || hooked.packets().len() == 2);
    let other = hooked.packets().into_iter().find(|path| *path != packet).expect("another");
    hooked.answer(&other, &json!({"q1": "web"}));
    assert_eq!(said(&second.wait())["updatedInput"]["answers"], json!({"发布到哪里？": "web"}));
    assert_eq!(hooked.packets(), [packet.as_str()]);
    hooked.answer(&packet, &json!({"q1": "qidian"}));
    assert_eq!(said(&first.wait())["updatedInput"]["answers"], json!({"发布到哪里？": "qidian"}));
    assert_eq!(hooked.left().len(), 0);
}

#[test]
fn a_record_that_is_none_is_waited_for() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let mut asking = hooked.start(&one(&hooked));
    let packet = hooked.packet();
    let record = packet.replace(".packet.json", ".answers.json");
    hooked.book.put(&record, "[]");
    assert_eq!(hooked.book.run(["check", &packet]).code, Some(4));
    assert!(asking.is_running());
    let good = RECORD
        .replace(r#""topic": "t""#, r#""topic": "Claude Code: 平台""#)
        .replace(r#""a": "x""#, r#""q1": "web""#);
    // By plain writes, in two pieces, and noted by nobody.
    hooked.book.put(&record, &good[..60]);
    hooked.book.put(&record, &good);
    assert_eq!(said(&asking.wait())["updatedInput"]["answers"], json!({"发布到哪里？": "web"}));
    assert_eq!(hooked.left().len(), 0);
    assert!(kept::records(&hooked.book.state()).contains(&good.into_bytes()));
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn signals_end_it_and_take_the_question_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let hooked = Hooked::new();
        let _console = hooked.open_console();
        let asking = hooked.start(&one(&hooked));
        hooked.packet();
        asking.signal(signal);
        let ran = asking.wait();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{ran:?}");
        assert_eq!(hooked.left().len(), 0);
    }
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn what_a_killed_hook_left_is_removed_by_the_next() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let killed = hooked.start(&one(&hooked));
    let packet = hooked.packet();
    killed.signal(Signal::KILL);
    assert_eq!(killed.wait().code, None);
    assert_eq!(hooked.packets(), [packet.as_str()], "nobody could remove it");
    let other = hooked.start(&ask(&hooked, &[question("Another?", &["a", "b"])]));
    let living = hooked.packet_that("only the living one", |path| path != packet);
    hooked.answer(&living, &json!({"q1": "a"}));
    assert_eq!(said(&other.wait())["permissionDecision"], "allow");
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn answers_that_a_killed_hook_did_not_hand_over_are_given_to_its_session_if_that_asks_again() {
    for is_open in [true, false] {
        let hooked = Hooked::new();
        let console = hooked.open_console();
        let killed = hooked.start(&one(&hooked));
        let packet = hooked.packet();
        killed.signal(Signal::KILL);
        assert_eq!(killed.wait().code, None);
        hooked.answer(&packet, &json!({"q1": "web"}));
        // Other calls come and go.
        hooked.say(&call(&hooked.book, "Agent", &json!({"prompt": "p", "subagent_type": "x"})));
        let other = hooked.start(&ask(&hooked, &[question("Another?", &["a", "b"])]));
        wait_until("the other question", || hooked.packets().len() == 2);
        other.signal(Signal::TERM);
        other.wait();
        // No other session takes them, and none without a name.
        for session in [json!("another"), json!(""), json!(7), json!("5e55".repeat(80))] {
            let mut call = one_in(&hooked, "toolu_02");
            call["session_id"] = session;
            let stranger = hooked.start(&call);
            wait_until("its own question", || hooked.packets().len() == 2);
            stranger.signal(Signal::TERM);
            stranger.wait();
        }
        let kept = is_open.then_some(console);
        let said = said(&hooked.say(&one_in(&hooked, "toolu_02")));
        assert_eq!(
            said["updatedInput"]["answers"],
            json!({"发布到哪里？": "web"}),
            "console open: {is_open}"
        );
        assert_eq!(hooked.left().len(), 0);
        // Given once: asked after that, the question is a new one.
        let _console = kept.unwrap_or_else(|| hooked.open_console());
        let third = hooked.start(&one_in(&hooked, "toolu_03"));
        assert_ne!(hooked.packet(), packet);
        third.signal(Signal::TERM);
        third.wait();
    }
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn who_asks_is_named_wherever_the_question_is_shown() {
    let hooked = Hooked::new();
    let terminal = hooked.book.console(100, 24);
    terminal.wait_for_text("0 waiting");
    let sessions = ["3f2a9c01-aaaa-4bbb-8ccc-0000000000d1", "3f2a9c01-aaaa-4bbb-8ccc-0000000000d2"];
    let asking = sessions.map(|session| {
        let mut call = one(&hooked);
        (call["session_id"], call["agent_type"]) = (json!(session), json!("chapter-\u{1b}[31mwriter"));
        hooked.start(&call)
    });
    wait_until("both questions", || hooked.packets().len() == 2);
    let list = hooked.book.run(["list", "--json"]).stdout;
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let mut callers: Vec<&str> =
        (0..2).filter_map(|at| list["gates"][at]["caller"]["session"].as_str()).collect();
    callers.sort_unstable();
    assert_eq!(callers, sessions, "two sessions are two questions: {list}");
    let packet = list["gates"][0]["packet"].as_str().expect("a path");
    let show: Value =
        serde_json::from_str(&hooked.book.run(["show", packet, "--json"]).stdout).expect("JSON");
    assert_eq!(show["caller"], list["gates"][0]["caller"]);
    for line in [&["list"][..], &["show", packet]] {
        let said = hooked.book.run(line).stdout;
        assert!(
            said.contains("session 3f2a9c0…") && said.contains("agent chapter") && !said.contains('\u{1b}'),
            "{said}"
        );
    }
    terminal.wait_for_text("…00d1 · Claude Code: ");
    terminal.wait_for_text("…00d2 · Claude Code: ");
    terminal.press("enter");
    terminal.wait_for_text("· session 3f2a9c0…");
    // Each is answered by itself.
    let [one, other] = asking;
    let packets = hooked.packets();
    for (packet, answer) in packets.iter().zip(["qidian", "web"]) {
        hooked.answer(packet, &json!({"q1": answer}));
    }
    let mut given = [one, other].map(|asking| said(&asking.wait())["updatedInput"]["answers"].to_string());
    given.sort_unstable();
    assert!(given[0].contains("qidian") && given[1].contains("web"), "{given:?}");
    terminal.press("f10");
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn two_hooks_of_one_call_ask_once() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let first = hooked.start(&one(&hooked));
    let packet = hooked.packet();
    // The first is late: the second comes and goes while it waits.
    first.signal(Signal::STOP);
    let second = hooked.start(&one(&hooked));
    hooked.answer(&packet, &json!({"q1": "web"}));
    let answers = json!({"发布到哪里？": "web"});
    assert_eq!(said(&second.wait())["updatedInput"]["answers"], answers);
    assert_eq!(hooked.packets(), [packet.as_str()]);
    first.signal(Signal::CONT);
    assert_eq!(said(&first.wait())["updatedInput"]["answers"], answers);
    assert_eq!(hooked.left(), Vec::<PathBuf>::new());
}

#[test]
fn hooks_of_one_call_that_start_at_once_ask_once() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    for round in 1..=4 {
        let asked = one_in(&hooked, &format!("toolu_{round}"));
        let hooks: Vec<Running> = (0..4).map(|_| hooked.start(&asked)).collect();
        hooked.answer(&hooked.packet(), &json!({"q1": "web"}));
        for hook in hooks {
            assert_eq!(said(&hook.wait())["updatedInput"]["answers"], json!({"发布到哪里？": "web"}));
        }
        assert_eq!(hooked.left(), Vec::<PathBuf>::new(), "round {round}");
        let told: Value = serde_json::from_str(&hooked.book.run(["history", "--json"]).stdout).expect("JSON");
        assert_eq!(told["count"], round, "asked once: {told}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn of_two_hooks_of_one_call_the_one_that_is_not_killed_gives_the_answer() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let first = hooked.start(&one(&hooked));
    hooked.packet();
    let second = hooked.start(&one(&hooked));
    first.signal(Signal::KILL);
    first.wait();
    wait_until("the second waits", || {
        let listed: Value = serde_json::from_str(&hooked.book.run(["list", "--json"]).stdout).expect("JSON");
        listed["gates"][0]["orphaned"] == false
    });
    hooked.answer(&hooked.packet(), &json!({"q1": "web"}));
    assert_eq!(said(&second.wait())["updatedInput"]["answers"], json!({"发布到哪里？": "web"}));
    assert_eq!(hooked.left().len(), 0);
}

#[test]
fn a_hook_that_comes_after_the_answer_to_its_call_gets_it_and_no_other_does() {
    let hooked = Hooked::new();
    let console = hooked.open_console();
    let first = hooked.start(&one(&hooked));
    let packet = hooked.packet();
    hooked.answer(&packet, &json!({"q1": "web"}));
    let answers = json!({"发布到哪里？": "web"});
    assert_eq!(said(&first.wait())["updatedInput"]["answers"], answers);
    assert_eq!(said(&hooked.say(&one(&hooked)))["updatedInput"]["answers"], answers);
    assert_eq!(hooked.left().len(), 0, "it asks nothing");
    // Another question, another call: asked.
    let other = hooked.start(&ask(&hooked, &[question("Another?", &["a", "web"])]));
    hooked.answer(&hooked.packet(), &json!({"q1": "a"}));
    assert_eq!(said(&other.wait())["updatedInput"]["answers"], json!({"Another?": "a"}));
    let again = hooked.start(&one_in(&hooked, "toolu_02"));
    assert_ne!(hooked.packet(), packet);
    drop(console);
    assert_silent(&again.wait());
}

#[test]
fn a_server_may_ask_more_than_a_dialog_of_claude_code_has_room_for() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let six = ["a", "b", "c", "d", "e", "f"];
    let questions: Vec<Value> = (1..=5).map(|n| question(&format!("Which {n}?"), &six)).collect();
    let input = json!({"questions": questions});
    let asking = hooked.start(&call(&hooked.book, "mcp__ui__AskUserQuestion", &input));
    let packet = hooked.packet();
    let picks = json!({"q1": "f", "q2": "e", "q3": "own words", "q4": "a", "q5": "f"});
    hooked.answer(&packet, &picks);
    let reason = denied(&asking.wait());
    assert!(
        reason.contains(r#""Which 1?": "f""#) && reason.contains(r#""Which 3?": "own words""#),
        "{reason}"
    );
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn what_a_dialogue_puts_beside_options_is_shown_as_what_it_does_and_comes_back_as_it_was() {
    let labels = ["__type__", "__group_2__", "Options 4-6", "__skip__"];
    for (downs, title) in [(2, "选项 4-6"), (3, "不作答")] {
        let hooked = Hooked::new();
        let settings = hooked.book.settings("config.toml");
        std::fs::create_dir_all(settings.parent().expect("a directory")).expect("made");
        std::fs::write(&settings, "lang = \"zh-CN\"\n").expect("written");
        let state = hooked.book.state().to_str().expect("a plain path").to_owned();
        let mut console = hooked.book.console_with(["--state-dir", &state], 100, 30);
        console.wait_for_text("还没有门控");
        let mut command = hooked.book.system("novel-gate");
        command.args(["hook", "claude-code", "--state-dir", &state]).current_dir("/");
        let asked = ask(&hooked, &[question("书名？", &labels)]).to_string();
        let asking = Running::start_fed(&mut command, asked.as_bytes());
        console.wait_for_text("Claude Code: 平台");
        console.press("enter");
        console.wait_for_text("不作答");
        let screen = console.screen_text();
        let others = ["输入回答", "第 2 组", "选项 4-6"];
        assert!(others.iter().all(|title| screen.contains(title)) && !screen.contains("__"), "{screen}");
        for _ in 0..downs {
            console.press("down");
        }
        console.press("enter");
        console.wait_for_text("将写入");
        assert!(console.screen_text().contains(title), "{}", console.screen_text());
        console.press("ctrl+s");
        assert_eq!(said(&asking.wait())["updatedInput"]["answers"], json!({"书名？": labels[downs]}));
        console.press("f10");
        assert_eq!(console.wait_exit().code, Some(0));
    }
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn the_same_question_asked_again_finds_its_gate_again() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let asking = hooked.start(&one(&hooked));
    let packet = hooked.packet();
    asking.signal(Signal::TERM);
    asking.wait();
    let again = hooked.start(&one(&hooked));
    assert_eq!(hooked.packet(), packet, "a draft lies under its name");
    hooked.answer(&packet, &json!({"q1": "web"}));
    said(&again.wait());
    let third = hooked.start(&one_in(&hooked, "toolu_03"));
    assert_ne!(hooked.packet(), packet, "what was answered is not offered for new");
    third.signal(Signal::TERM);
    third.wait();
}

#[test]
fn a_question_of_a_server_comes_back_in_the_reason() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let mut several = question("Which tags?", &["a", "a, b"]);
    several["multiSelect"] = json!(true);
    let questions = json!({"questions": [question("Where\u{202e}?", &["\u{1b}[2J", "web"]), several]});
    let asking = hooked.start(&call(&hooked.book, "mcp__ui__AskUserQuestion", &questions));
    let packet = hooked.packet();
    let line =
        ["--set", "q1=\u{1b}[2J", "--set", "q2=a", "--set", "q2=a, b", "--note", "q2=two", "--by", "human"];
    assert_eq!(hooked.book.run(["answer", &packet].iter().chain(&line)).code, Some(0));
    let reason = denied(&asking.wait());
    assert!(!reason.contains(['\u{1b}', '\u{202e}']), "{reason}");
    let (first, rest) = reason.split_once('\n').expect("lines");
    assert!(first.starts_with("This is no refusal: the author has answered"), "{first}");
    let output: Value = serde_json::from_str(&first[first.find('{').expect("an object")..]).expect("JSON");
    assert_eq!(output, json!({"answers": {"Where\u{202e}?": "\u{1b}[2J", "Which tags?": "a, a, b"}}));
    assert!(rest.contains(r#"["a", "a, b"]"#) && rest.contains("\"two\""), "{rest}");
    assert_eq!(hooked.left().len(), 0);
}

#[test]
fn a_packet_that_the_author_removes_is_an_answer_too() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let asking = hooked.start(&one(&hooked));
    std::fs::remove_file(hooked.book.path(&hooked.packet())).expect("removed");
    let ran = asking.wait();
    assert_silent(&ran);
    assert!(ran.stderr.contains("taken back"), "{ran:?}");
}

#[test]
fn without_a_console_claude_code_asks_itself() {
    let hooked = Hooked::new();
    let ran = hooked.say(&one(&hooked));
    assert_silent(&ran);
    assert!(ran.stderr.contains("No console is open"), "{ran:?}");
    assert!(!hooked.book.path(FOLDER).exists());
    let asking = hooked.start_with(one(&hooked).to_string().as_bytes(), &["--always"]);
    hooked.answer(&hooked.packet(), &json!({"q1": "web"}));
    assert_eq!(said(&asking.wait())["permissionDecision"], "allow");
}

#[test]
fn a_console_that_is_closed_leaves_the_question_to_claude_code() {
    let hooked = Hooked::new();
    let console = hooked.open_console();
    let asking = hooked.start(&one(&hooked));
    hooked.packet();
    drop(console);
    let ran = asking.wait();
    assert_silent(&ran);
    assert!(ran.stderr.contains("The console was closed"), "{ran:?}");
    assert_eq!(hooked.left().len(), 0);
}

#[test]
#[cfg_attr(windows, ignore = "nothing tells there that a reader has gone")]
fn a_session_that_is_gone_waits_for_nothing() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let asking =
        Running::start_unheard(&mut hooked.command("claude-code", &[]), one(&hooked).to_string().as_bytes());
    assert_eq!(asking.wait().code, Some(0));
    assert!(hooked.book.path("staging/novel-ask").is_dir(), "it was asked");
    assert_eq!(hooked.left().len(), 0, "and taken back");
}

#[test]
fn a_gates_own_dialogue_is_not_asked_twice() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    hooked.put_gate();
    let line = ["next", "step:a", "--for", "claude-code", "--replies", "r.jsonl", "--write"];
    let printed_before: Value = serde_json::from_str(&hooked.book.run(line).stdout).expect("JSON");
    let asking = hooked.start(&call(&hooked.book, "AskUserQuestion", &printed_before["input"]));
    hooked.answer("step:a", &json!({"a": "雨停之前"}));
    let said = said(&asking.wait());
    assert_eq!(said["permissionDecision"], "deny");
    let reason = said["permissionDecisionReason"].as_str().expect("a reason");
    assert_eq!(reason.matches("a.packet.json").count(), 1, "{reason}");
    assert!(reason.contains("novel-gate wait staging/manifests/a.packet.json."), "{reason}");
    assert!(!hooked.book.path(FOLDER).exists(), "the gate itself was in the console");
    let printed: Value = serde_json::from_str(&hooked.book.run(line).stdout).expect("JSON");
    assert_eq!(printed["status"], "done", "what the reason says is true: {printed}");
    // The author may be faster than the call.
    let late = hooked.say(&call(&hooked.book, "AskUserQuestion", &printed_before["input"]));
    assert_eq!(super::said(&late)["permissionDecision"], "deny");
    // Any other question is one of its own.
    let later = hooked.start(&call(
        &hooked.book,
        "AskUserQuestion",
        &json!({"questions": [question("q", &["a", "b"])]}),
    ));
    hooked.answer(&hooked.packet(), &json!({"q1": "a"}));
    later.wait();
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn the_author_hands_the_question_back_in_the_console() {
    let hooked = Hooked::new();
    let mut console = hooked.book.console(100, 30);
    console.wait_for_text("No gates yet");
    let asking = hooked.start(&one(&hooked));
    console.wait_for_text("Ctrl+O answer there");
    console.press("enter");
    console.wait_for_text("发布到哪里？");
    console.press("ctrl+o");
    console.wait_for_text("is handed back");
    let ran = asking.wait();
    assert_silent(&ran);
    assert!(ran.stderr.contains("Claude Code asks itself"), "{ran:?}");
    console.wait_for_text("No gates yet");
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn the_author_answers_in_the_console() {
    let hooked = Hooked::new();
    let mut console = hooked.book.console(100, 30);
    console.wait_for_text("No gates yet");
    let asking = hooked.start(&one(&hooked));
    console.wait_for_text("1 waiting");
    console.wait_for_text("Claude Code: 平台");
    console.press("enter");
    console.wait_for_text("发布到哪里？");
    console.press("down");
    console.press("enter");
    console.wait_for_text("This will be written to");
    console.press("ctrl+s");
    assert_eq!(said(&asking.wait())["updatedInput"]["answers"], json!({"发布到哪里？": "web"}));
    console.wait_for_text("The executor has taken the answers.");
    assert_eq!(hooked.left().len(), 0);
    let shown = console.screen_text();
    for alarm in ["removed", "replaced", "Ctrl+U"] {
        assert!(!shown.contains(alarm), "{alarm}: {shown}");
    }
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}
