//! Command lines that a command cannot follow: exit 2, one sentence in the language of the author, and nothing done.

use super::{Book, NAME, packet};
use crate::in_process::call;
use novel_gate::Environment;
use serde_json::{Value, json};
use std::fs;

/// Runs a command line in both languages; each answers with its sentence.
fn refuse(book: &Book, typed: &str, line: &[&str], sentences: [&str; 2]) {
    for (lang, sentence) in ["en", "zh-CN"].into_iter().zip(sentences) {
        let refused = book.run_at(&book.root(), &[line, &["--lang", lang]].concat(), Some(typed)).json();
        let want = (&json!("error"), &json!(2), &json!("usage"), &json!(sentence));
        assert_eq!(
            (&refused["status"], &refused["exit"], &refused["code"], &refused["message"]),
            want,
            "{line:?}"
        );
        assert!(book.record().is_none() && !book.root().join("r.jsonl").exists(), "{line:?}");
    }
}

#[test]
fn flags_of_another_target_are_refused_by_compile() {
    let book = Book::new();
    let documents = [
        "--source and --protocol are for --for canonical.",
        "--source 和 --protocol 只用于 --for canonical。",
    ];
    let executors = [
        "--max-questions and --exact-options are for executors: a canonical step has two or three options.",
        "--max-questions 和 --exact-options 只用于执行器：canonical 的一步有两到三个选项。",
    ];
    let protocol = [
        "--protocol takes a name of a-z, 0-9 and -, starting with a letter.",
        "--protocol 应为由 a-z、0-9 和 - 组成的名称，以字母开头。",
    ];
    let source = ["--source takes a path that ends in .md.", "--source 应为以 .md 结尾的路径。"];
    for (target, flag, value, sentences) in [
        ("codex", "--source", "a.md", documents),
        ("claude-code", "--protocol", "a", documents),
        ("canonical", "--max-questions", "2", executors),
        ("canonical", "--exact-options", "2", executors),
        ("canonical", "--protocol", "1a", protocol),
        ("canonical", "--protocol", "a_b", protocol),
        ("canonical", "--source", "a.txt", source),
        ("canonical", "--source", ".md", source),
    ] {
        refuse(&book, "", &["compile", NAME, "--for", target, flag, value], sentences);
    }
}

#[test]
fn what_next_cannot_do_with_these_questions_is_refused() {
    let book = Book::new();
    let spec = packet("a.json")["novel_ask"].to_string();
    book.put("spec.json", &spec);
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-packets/canonical/ending-mood.json");
    book.put("document.json", fs::read(sample).expect("a sample"));
    let next = |name, more: &[&'static str]| {
        [&["next", name, "--for", "codex", "--replies", "r.jsonl"], more].concat()
    };
    let twice = ["Standard input can be only one of them.", "标准输入只能用于其中一个。"];
    refuse(&book, &spec, &next("-", &["--reply", "-"]), twice);
    let no_place = [
        "--write needs a packet in a file: nothing else says where the record goes.",
        "--write 需要一个指令包文件：除此之外没有什么能说明记录写到哪里。",
    ];
    refuse(&book, "", &next("spec.json", &["--write"]), no_place);
    refuse(&book, &packet("a.json").to_string(), &next("-", &["--write"]), no_place);
    let document = [
        "--write needs a packet: a document has no place for a record.",
        "--write 需要一个指令包：文档没有存放记录的地方。",
    ];
    refuse(&book, "", &next("document.json", &["--write"]), document);
    let of_packets = [
        "--on-escape, --by and --answered-at are for packets: each step of a document says what Esc does, and nobody \
         signs.",
        "--on-escape、--by 和 --answered-at 只用于指令包：文档的每一步自己写明按 Esc 怎么办，也没有人署名。",
    ];
    for flag in [["--on-escape", "defer"], ["--by", "codex"], ["--answered-at", "2026-02-27T10:12:34.000Z"]] {
        refuse(&book, "", &next("document.json", &flag), of_packets);
    }
}

#[test]
fn a_line_that_is_not_understood_is_told_so_in_the_language_of_the_locale() {
    let lines = [
        "nonsense",
        "wait",
        "wait --test p --any",
        "list --status wating",
        "answer p --dry-run=1",
        "next p --for nobody",
        "wait p --test --json",
    ];
    for (locale, flag, chinese) in [
        ("zh_CN.UTF-8", None, true),
        ("zh_CN.UTF-8", Some("auto"), true),
        ("zh_CN.UTF-8", Some("en"), false),
        ("C.UTF-8", None, false),
        ("C.UTF-8", Some("zh-CN"), true),
    ] {
        let environment = Environment { locale: locale.to_owned(), ..Environment::default() };
        for line in lines {
            let words = line.split(' ').chain(flag.into_iter().flat_map(|lang| ["--lang", lang]));
            let (exit, out, err) = call(&environment, words, b"").texts();
            let said = match serde_json::from_str::<Value>(&out) {
                Ok(json) => json["message"].as_str().expect("a message").to_owned(),
                Err(_) => err,
            };
            assert_eq!(
                (exit, said.contains("无法理解命令行：")),
                (2, chinese),
                "{locale} {flag:?} {line}: {said}"
            );
        }
    }
}

#[test]
fn a_directory_without_a_book_is_told_how_to_begin_one() {
    let book = Book::new();
    let empty = book.top.path().join("empty");
    std::fs::create_dir(&empty).expect("a directory");
    let told = book.run_at(&empty, &["questions", "set", "light"], None);
    assert_eq!(told.exit, 2, "{}", told.err);
    assert!(told.err.contains("novel init") && told.err.contains("--project . "), "{}", told.err);
    let set = book.run_at(&empty, &["questions", "set", "light", "--project", "."], None);
    assert_eq!(set.exit, 0, "{}", set.err);
}
