//! `completions`: real shells complete commands, flags, values and packets.
//!
//! Bash is driven twice: its function is called as Bash calls it, and keys are typed on a terminal, for what Readline makes
//! of the answer. The protocol between the scripts and the program is tested without a shell.

use crate::sandbox::{Ran, Running, Sandbox};

/// What Bash is given for a line, one word each.
fn bash(book: &Sandbox, line: &str) -> Vec<String> {
    let script = r#"
        source <(novel-gate completions bash)
        COMP_LINE=$1 COMP_POINT=${#1}
        _novel_gate novel-gate
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut command = book.system("bash");
    let ran = Running::start(command.args(["--norc", "--noprofile", "-c", script, "bash", line])).wait();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line}");
    ran.stdout.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// What the program answers a script, without the meanings.
fn answered(book: &Sandbox, words: &[&str]) -> Vec<String> {
    let ran = run(book, words);
    ran.stdout.lines().map(|line| line.split('\t').next().expect("a value").to_owned()).collect()
}

fn run(book: &Sandbox, words: &[&str]) -> Ran {
    let ran = book.run([&["completions", "zsh", "--"], words].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{words:?}");
    ran
}

#[test]
fn bash_completes_what_the_command_line_takes() {
    let book = Sandbox::sample();
    for (line, words) in [
        ("novel-gate comp", &["compile", "completions"][..]),
        ("novel-gate show chapter:013:dr", &["draft"]),
        ("novel-gate show chapter:013:", &["draft"]),
        ("novel-gate show chapter:012:t", &["title-fix"]),
        ("novel-gate show 'chapter:013:dr", &["chapter:013:draft"]),
        ("novel-gate show chapter-013", &["chapter-013-draft"]),
        ("novel-gate wait volume:validate volume:v", &[]),
        ("novel-gate wait --any volume:validate volume:o", &["outline"]),
        ("novel-gate list --st", &["--status", "--state-dir"]),
        ("novel-gate list --status wa", &["waiting"]),
        ("novel-gate list --status waiting,bl", &["waiting,blocked"]),
        ("novel-gate --lang=z", &["zh-CN"]),
        ("novel-gate --theme high", &["high-contrast"]),
        ("novel-gate themes m", &["mono"]),
        ("novel-gate answer chapter:013:draft --set pl", &["platform="]),
        ("novel-gate answer chapter:013:draft --set platform=j", &["jjwxc"]),
        ("novel-gate completions z", &["zsh"]),
        // Files are Bash's own business.
        ("novel-gate lint staging/man", &[]),
        ("novel-gate themes dark > da", &[]),
        ("novel-gate show nothing-like-this", &[]),
    ] {
        assert_eq!(bash(&book, line), words, "{line}");
    }
}

#[test]
fn typed_names_with_colons_end_up_whole_on_the_line() {
    let book = Sandbox::sample();
    let rc = book.path("rc");
    std::fs::write(&rc, "PS1='ready> '\nsource <(novel-gate completions bash)\n").expect("written");
    let rc = rc.to_str().expect("a name in UTF-8");
    let mut terminal = book.system_on_terminal(&["bash", "--noprofile", "--rcfile", rc, "-i"], 100, 20);
    terminal.wait_for_text("ready>");
    for (typed, whole) in [
        ("novel-gate check chapter:013:dr", "novel-gate check chapter:013:draft "),
        ("novel-gate check chapter:012:ti", "novel-gate check chapter:012:title-fix "),
        ("novel-gate check 'chapter:013:", "novel-gate check 'chapter:013:draft' "),
        (
            "novel-gate answer chapter:013:draft --set pl",
            "novel-gate answer chapter:013:draft --set platform=",
        ),
        ("novel-gate lint staging/mani", "novel-gate lint staging/manifests/"),
        ("novel-gate --project stag", "novel-gate --project staging/"),
    ] {
        terminal.send_keys(typed);
        terminal.press("tab");
        terminal.send_keys("|");
        terminal.wait_for_text(&format!("ready> {whole}|"));
        terminal.press("ctrl+u");
        terminal.wait_until("an empty line", |screen| screen.contents().trim() == "ready>");
    }
    terminal.send_keys("exit\r");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn the_shell_is_told_when_files_are_meant() {
    let book = Sandbox::sample();
    assert_eq!(answered(&book, &["lint", "="]), ["files"]);
    assert_eq!(answered(&book, &["--config", "="]), ["files"]);
    assert_eq!(answered(&book, &["answer", "p", "--from", "="]), ["files"]);
    assert_eq!(answered(&book, &["--project", "="]), ["directories"]);
    assert_eq!(answered(&book, &["check", "=staging/"]), ["files"]);
    assert_eq!(answered(&book, &["check", "=nothing-like-this"]), ["files"]);
    assert_eq!(answered(&book, &["answer", "p", "--by", "="]), ["none"]);
}

#[test]
fn packets_are_named_by_step_with_state_and_topic() {
    let book = Sandbox::sample();
    let ran = run(&book, &["show", "=chapter:013"]);
    assert_eq!(ran.stdout, "none\nchapter:013:draft\twaiting · 平台绑定\n");
    let all = answered(&book, &["show", "="]);
    assert!(
        all.contains(&"volume:validate".to_owned()) && !all.contains(&"review:collect".to_owned()),
        "{all:?}"
    );
    assert_eq!(answered(&book, &["show", "=review"]), ["none", "review:collect"], "no gate, but asked for");
    let flag = book.root().to_string_lossy().into_owned();
    assert_eq!(answered(&book, &["--project", &flag, "check", "=quick"]), ["none", "quickstart:world"]);
}

#[test]
fn a_name_that_several_packets_have_is_not_offered() {
    let book = Sandbox::new();
    let packet = |step: &str| format!(r#"{{"step":"{step}","answer_path":"a.json","novel_ask":{{}}}}"#);
    book.put("staging/one.packet.json", packet("twice:there"));
    book.put("staging/two.packet.json", packet("twice:there"));
    book.put("staging/hostile.packet.json", packet("line\\nend"));
    assert_eq!(answered(&book, &["show", "=twice"]), ["files"]);
    assert_eq!(answered(&book, &["show", "=o"]), ["none", "one"]);
    assert_eq!(answered(&book, &["show", "=line"]), ["files"], "a name that no line can carry");
}

#[test]
fn flags_are_offered_once_and_in_the_language_of_the_author() {
    let book = Sandbox::sample();
    let all = answered(&book, &["list", "--all", "=--"]);
    assert!(all.contains(&"--status".to_owned()) && !all.contains(&"--all".to_owned()), "{all:?}");
    let all = answered(&book, &["answer", "chapter:013:draft", "--set", "a=b", "=--s"]);
    assert!(all.contains(&"--set".to_owned()), "a flag that repeats: {all:?}");
    let ran = book.run(["completions", "fish", "--lang", "zh", "--", "=li"]);
    assert_eq!(
        ran.stdout,
        "none\nlist\t列出所有门控及其状态\nlint\t找出指令包、QuestionSpec、答案记录和 Canonical Prompt 文档中的所有错误\n"
    );
    let ran = book.run(["completions", "fish", "--lang", "zh", "--", "list", "--status", "=wa"]);
    assert_eq!(ran.stdout, "none\nwaiting\t\n", "no English in Chinese");
}

#[test]
fn outside_a_project_there_is_silence() {
    let book = Sandbox::new();
    let mut command = book.system("novel-gate");
    command.args(["completions", "zsh", "--", "show", "=ch"]).current_dir("/");
    let ran = Running::start(&mut command).wait();
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "files\n", ""));
}

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    let book = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let ran = book.run(["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains(&format!("completions {shell} ")), "{shell}: {}", ran.stdout);
    }
    assert!(book.run(["completions", "zsh"]).stdout.starts_with("#compdef novel-gate\n"));
    assert_eq!(book.run(["completions", "csh"]).code, Some(2));
}
