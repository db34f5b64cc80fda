//! What `answer` on a terminal says to lines that are no answer.

use super::{Book, NAME, RECORD, call, packet};
use novel_gate::Environment;
use novel_gate::text::width::cells;
use serde_json::{Value, json};

/// A gate that asks one of two with other words allowed, several, and a text; the first and the last must be answered.
fn book() -> Book {
    let book = Book::new();
    let mut asks: Value = packet(RECORD);
    let questions = &mut asks["novel_ask"]["questions"];
    questions[0]["allow_other"] = json!(true);
    questions[0].as_object_mut().expect("a question").remove("default");
    questions[2]["required"] = json!(true);
    book.put("staging/manifests/chapter-048-draft.packet.json", asks.to_string());
    book
}

#[test]
fn each_line_that_is_no_answer_is_told_why_and_the_question_comes_again() {
    let chinese = [
        "此题必答。",
        "只能选一个。",
        "内容为空白。",
        "这是保留字。",
        "已经有这一项了。",
        "还有必答题没有回答。",
    ];
    let english = [
        "This one must be answered.",
        "Only one, please.",
        "That is blank.",
        "Those words are reserved.",
        "That entry is already there.",
        "One that must be answered is missing.",
    ];
    for (lang, how, sentences) in
        [("en", "Number, or your own words:", english), ("zh-CN", "编号，或自己填写：", chinese)]
    {
        let book = book();
        // Nothing, two numbers, a blank that only JavaScript knows, a reserved word, words; an entry twice; an empty text.
        let typed = "\n1 2\n\u{feff}\n__done__\nelsewhere\nextra\nextra\n\n<<\n.\nat last\nyes\n";
        let outcome = book.type_in(typed, &["answer", NAME, "--lang", lang]);
        assert_eq!(outcome.exit, 0, "{}", outcome.err);
        assert_eq!(outcome.err.matches(how).count(), 5, "{}", outcome.err);
        let mut rest = outcome.err.as_str();
        for sentence in sentences {
            rest = rest.split_once(sentence).unwrap_or_else(|| panic!("{sentence}: {}", outcome.err)).1;
            assert!(!rest.contains(sentence), "once: {sentence}");
        }
        let want = json!({"platform": "elsewhere", "drive": ["extra"], "note": "at last"});
        assert_eq!(book.record().expect("a record")["answers"], want);
    }
}

#[test]
fn keys_of_the_cursor_are_told_once_what_to_type_and_answer_nothing() {
    for (lang, says) in [("en", "Arrow keys do nothing here:"), ("zh-CN", "方向键在这里不起作用：")]
    {
        let book = Book::new();
        // The first question has a default: Enter behind keys does not take it.
        let typed = "\u{1b}[A\u{1b}[B\n\u{1b}OA\n2\u{1b}[D\n1\n\nat last\nyes\n";
        let outcome = book.type_in(typed, &["answer", NAME, "--lang", lang]);
        assert_eq!(outcome.exit, 0, "{}", outcome.err);
        assert_eq!(outcome.err.matches(says).count(), 1, "{}", outcome.err);
        let record = book.record().expect("a record");
        let options: Value = packet(RECORD);
        assert_eq!(
            record["answers"]["platform"],
            options["novel_ask"]["questions"][0]["options"][1]["label"]
        );
    }
}

#[test]
fn entries_between_commas_are_a_list_if_one_of_them_is_an_option() {
    let mut asks: Value = packet(RECORD);
    let question = &mut asks["novel_ask"]["questions"][1];
    question["options"][0]["label"] = json!("照片");
    question["options"][1]["label"] = json!("信，或日记");
    for (typed, taken) in [
        ("照片，别的", json!(["照片", "别的"])),
        ("别的、信，或日记；1", json!(["照片", "信，或日记", "别的"])),
        ("2;别的, 照片 ,", json!(["照片", "信，或日记", "别的"])),
        ("照片\n别的，照片", json!(["照片", "别的"])),
        ("信，或日记", json!(["信，或日记"])),
        ("雨，和雪", json!(["雨，和雪"])),
        // A part is reserved: nothing of the line is taken.
        ("照片，__done__\n2", json!(["信，或日记"])),
    ] {
        let book = Book::new();
        book.put("staging/manifests/chapter-048-draft.packet.json", asks.to_string());
        let outcome = book.type_in(&format!("1\n{typed}\n\n\nyes\n"), &["answer", NAME, "--lang", "zh-CN"]);
        assert_eq!(outcome.exit, 0, "{typed}: {}", outcome.err);
        assert_eq!(book.record().expect("a record")["answers"]["drive"], taken, "{typed}: {}", outcome.err);
        let words: Vec<&str> = taken.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert!(outcome.err.contains(&format!("当前：{}", words.join("、"))), "{typed}: {}", outcome.err);
    }
}

#[test]
fn a_number_of_no_option_is_asked_back_and_a_hash_needs_no_blank() {
    for (lang, says, note) in [
        (
            "en",
            "There are 2 options. If you mean it as your own words, put it in quotes: \"",
            "Note: quieter",
        ),
        ("zh-CN", "只有 2 个选项。如果这就是你要写的文字，请加上引号：“", "备注：quieter"),
    ] {
        for first in ["9", "1 9", "0", "99999999999999999999999", "７；８"] {
            let book = book();
            // At the one choice and at the several; then the number in quotes, and a note on each.
            let typed = format!(
                "{first}\n#quieter\n\"2026\"\n{first}\n1，9\n＃quieter\n2\n“7”\n\n#note\nat last\nyes\n"
            );
            let outcome = book.type_in(&typed, &["answer", NAME, "--lang", lang]);
            assert_eq!(outcome.exit, 0, "{first}: {}", outcome.err);
            assert_eq!(outcome.err.matches(says).count(), 3, "{first}: {}", outcome.err);
            assert!(outcome.err.matches(note).count() > 1, "{}", outcome.err);
            let record = book.record().expect("a record");
            let drive = json!([packet(RECORD)["novel_ask"]["questions"][1]["options"][1]["label"], "7"]);
            assert_eq!(record["answers"], json!({"platform": "2026", "drive": drive, "note": "at last"}));
            assert_eq!(record["_notes"], json!({"platform": "quieter", "drive": "quieter", "note": "note"}));
        }
    }
}

#[test]
fn on_a_terminal_lines_break_between_words() {
    let book = book();
    let environment = Environment {
        cwd: book.root(),
        input_is_terminal: true,
        output_is_terminal: true,
        columns: Some(30),
        ..Environment::default()
    };
    let state = book.top.path().join("state");
    let words = ["--state-dir".into(), state.into_os_string(), "answer".into(), NAME.into()];
    let (_, _, err) = call(&environment, words, b"").texts();
    let asked = err.split("novel-gate:").next().expect("the questions");
    assert!(asked.lines().all(|line| cells(line) <= 30), "{err}");
    assert!(err.contains("Enter takes the default\nor skips;"), "{err}");
    assert!(err.lines().any(|line| line == "Number, or your own words:"), "{err}");
}

#[test]
fn ahead_of_its_packet_a_step_is_not_sent_back() {
    for (lang, offers, says) in [
        ("en", "sends the step back", "The step has no packet yet, so there is nothing to send back."),
        ("zh-CN", "退回这一步", "这一步还没有指令包，没有可退回的。"),
    ] {
        let book = Book::new();
        let end = r#"{"_steps": ["chapter:*:draft"], "version": 1, "topic": "End", "questions": [
            {"id": "end", "header": "End", "question": "How does it end?", "kind": "free_text", "required": true}]}"#;
        book.put("questions/end.question.json", end);
        let line = ["answer", "--ahead", "chapter:050:draft", "--lang", lang];
        let outcome = book.type_in("! too early\n!\nin the rain\nyes\n", &line);
        assert_eq!(outcome.exit, 0, "{}", outcome.err);
        assert!(!outcome.err.contains(offers), "{}", outcome.err);
        assert_eq!(outcome.err.matches(says).count(), 2, "{}", outcome.err);
    }
}
