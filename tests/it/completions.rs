//! `completions`: real shells complete commands, flags, values and packets.
//!
//! Bash is driven twice: its function is called as Bash calls it, and keys are typed on a terminal, for what Readline makes
//! of the answer. What Zsh, Fish and PowerShell are given is asked for without them.

use crate::sandbox::{Running, Sandbox};

/// What Bash is given for a line, one word each.
fn bash(book: &Sandbox, line: &str) -> Vec<String> {
    let script = r#"
        source <(novel-gate completions bash)
        COMP_WORDS=($1) COMP_TYPE=9
        if [[ $1 == *" " ]]; then COMP_WORDS+=(""); fi
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _clap_complete_novel_gate novel-gate "${COMP_WORDS[COMP_CWORD]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut command = book.system("bash");
    let ran = Running::start(command.args(["--norc", "--noprofile", "-c", script, "bash", line])).wait();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{line}");
    ran.stdout.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// What the program answers the script of Fish: a candidate on each line, and what it means.
fn fish(book: &Sandbox, words: &[&str]) -> String {
    let mut command = book.system("novel-gate");
    command.env("NOVEL_GATE_COMPLETE", "fish").args(["--", "novel-gate"]).args(words);
    let ran = Running::start(&mut command).wait();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{words:?}");
    ran.stdout
}

#[test]
fn bash_completes_what_the_command_line_takes() {
    let book = Sandbox::sample();
    for (line, words) in [
        ("novel-gate comp", &["compile", "completions"][..]),
        ("novel-gate show chapter-013", &["chapter-013-draft"]),
        ("novel-gate redo quick", &["quickstart-world"]),
        ("novel-gate wait --any volume-validate volume-o", &["volume-outline"]),
        ("novel-gate list --st", &["--status", "--state-dir"]),
        ("novel-gate list --status wa", &["waiting"]),
        ("novel-gate list --status waiting,bl", &["waiting,blocked"]),
        ("novel-gate --lang=z", &["--lang=zh-CN"]),
        ("novel-gate --theme high", &["high-contrast"]),
        ("novel-gate themes high", &["high-contrast"]),
        ("novel-gate completions z", &["zsh"]),
        ("novel-gate lint staging/man", &["staging/manifests/"]),
        ("novel-gate show staging/man", &["staging/manifests/"]),
        ("novel-gate --project sta", &["staging/"]),
        ("novel-gate show nothing-like-this", &[]),
    ] {
        assert_eq!(bash(&book, line), words, "{line}");
    }
}

#[test]
fn typed_names_end_up_whole_on_the_line() {
    let book = Sandbox::sample();
    let rc = book.path("rc");
    std::fs::write(&rc, "PS1='ready> '\nsource <(novel-gate completions bash)\n").expect("written");
    let rc = rc.to_str().expect("a name in UTF-8");
    let mut terminal = book.system_on_terminal(&["bash", "--noprofile", "--rcfile", rc, "-i"], 100, 20);
    terminal.wait_for_text("ready>");
    for (typed, whole) in [
        ("novel-gate check chapter-013", "novel-gate check chapter-013-draft "),
        ("novel-gate check chapter-012-ti", "novel-gate check chapter-012-title-fix "),
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
fn packets_are_named_by_file_with_their_step() {
    let book = Sandbox::sample();
    assert_eq!(fish(&book, &["show", "chapter-013"]), "chapter-013-draft\tchapter:013:draft\n");
    let book = Sandbox::new();
    let packet = |step: &str| format!(r#"{{"step":"{step}","answer_path":"a.json","novel_ask":{{}}}}"#);
    book.put("staging/hostile.packet.json", packet("line\\nend"));
    book.put("staging/host\u{202e}.packet.json", packet("a name that no line can carry"));
    assert_eq!(fish(&book, &["show", "host"]), "hostile\tline⏎end\n");
}

#[test]
fn meanings_are_told_in_the_language_of_the_author() {
    let book = Sandbox::sample();
    let mut command = book.system("novel-gate");
    command.env("NOVEL_GATE_COMPLETE", "fish").env("LC_ALL", "zh_CN.UTF-8").args(["--", "novel-gate", "lis"]);
    assert_eq!(Running::start(&mut command).wait().stdout, "list\t列出所有门控及其状态\n");
}

#[test]
fn outside_a_project_there_is_silence() {
    let book = Sandbox::new();
    let mut command = book.system("novel-gate");
    command.env("NOVEL_GATE_COMPLETE", "zsh").args(["--", "novel-gate", "show", "ch"]).current_dir("/");
    let ran = Running::start(&mut command).wait();
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn packets_of_a_project_elsewhere_are_completed() {
    let book = Sandbox::sample();
    let root = book.root().to_str().expect("a name in UTF-8").to_owned();
    let mut command = book.system("novel-gate");
    command.env("NOVEL_GATE_COMPLETE", "fish").current_dir("/");
    command.args(["--", "novel-gate", "--project", &root, "check", "volume-o"]);
    assert_eq!(Running::start(&mut command).wait().stdout, "volume-outline\tvolume:outline\n");
}

#[test]
fn what_a_script_says_to_the_program_opens_no_gate() {
    let book = Sandbox::sample();
    for shell in ["bash", "fish", "tcsh", "0", ""] {
        let mut command = book.system("novel-gate");
        command.env("NOVEL_GATE_COMPLETE", shell).args(["check", "chapter:013:draft"]);
        assert_eq!(Running::start(&mut command).wait().code, Some(3), "{shell}");
    }
}

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    let book = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let ran = book.run(["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains("NOVEL_GATE_COMPLETE"), "{shell}: {}", ran.stdout);
    }
    assert!(book.run(["completions", "zsh"]).stdout.starts_with("#compdef novel-gate\n"));
    assert_eq!(book.run(["completions", "csh"]).code, Some(2));
}
