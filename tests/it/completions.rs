//! `completions`: real shells complete commands, flags, values and packets.
//!
//! Bash is driven twice: its function is called as Bash calls it, and keys are typed on a terminal, for what Readline makes
//! of the answer. What Zsh, Fish and PowerShell are given is asked for without them; on a terminal Zsh and Fish are driven where
//! they are installed.

use std::io::Write as _;

use crate::sandbox::{Running, Sandbox, path_with_ours};

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
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
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
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
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

/// What a file of somebody else's may be called so that a shell which took the name as it is would make a file `PWNED`.
const HOSTILE: [&str; 12] = [
    "chapter-551-draft;touch PWNED;",
    "chapter-552-$(touch PWNED)",
    "chapter-553-`touch PWNED`",
    "chapter-554 | touch PWNED",
    "chapter-555&touch PWNED&",
    "chapter-556';touch PWNED;'",
    "chapter-557\";touch PWNED;\"",
    "chapter-558\ntouch PWNED\n",
    "chapter-559\u{b}touch\u{b}PWNED",
    "chapter-560>PWNED",
    "chapter-561-(touch PWNED)",
    "chapter-562-‘;touch PWNED;’",
];

/// A book with packets, files and directories of these names, each with itself for a step.
fn cloned(names: &[&str]) -> Sandbox {
    let book = Sandbox::new();
    book.put("staging/good-1.packet.json", r#"{"step": "step:good"}"#);
    book.put("files/good-1", "");
    for name in names {
        let packet =
            serde_json::json!({"step": format!("a step;{name}"), "answer_path": "a.json", "novel_ask": {}});
        book.put(&format!("staging/{name}.packet.json"), packet.to_string());
        book.put(&format!("files/{name}"), "");
        std::fs::create_dir_all(book.path(&format!("dirs/{name}"))).expect("a directory");
    }
    book
}

/// Presses Tab and Enter behind the beginning of each name, in a shell that begins with a prompt `ready>`.
fn press_tab_and_enter(shell: &str, line: &[&str], book: &Sandbox) {
    let mut terminal = book.system_on_terminal(line, 100, 50);
    terminal.wait_for_text("ready>");
    terminal.send_keys("novel-gate check goo");
    terminal.press("tab");
    terminal.send_keys("x");
    terminal.wait_for_text("ready> novel-gate check good-1 x");
    terminal.press("ctrl+u");
    for (number, name) in HOSTILE.iter().enumerate() {
        for (command, place) in [("check", ""), ("lint", "files/"), ("list --project", "dirs/")] {
            terminal.send_keys(&format!("novel-gate {command} {place}{}", &name[..11]));
            terminal.press("tab");
            terminal.press("tab");
            terminal.press("enter");
            terminal.send_keys(&format!("printf 'end-%s-%s\\n' '{command}' {number}\r"));
            terminal.wait_for_text(&format!("end-{command}-{number}"));
            let is_pwned =
                ["", "staging", "files", "dirs"].iter().any(|dir| book.path(dir).join("PWNED").exists());
            assert!(!is_pwned, "{shell}: {name:?}: {}", terminal.screen_text());
        }
    }
    terminal.send_keys("exit\r");
    terminal.wait_exit();
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn no_name_in_a_book_runs_a_program_in_bash() {
    let book = cloned(&HOSTILE);
    let rc = book.path("rc");
    std::fs::write(&rc, "PS1='ready> '\nsource <(novel-gate completions bash)\n").expect("written");
    let rc = rc.to_str().expect("a name in UTF-8");
    press_tab_and_enter("bash", &["bash", "--noprofile", "--rcfile", rc, "-i"], &book);
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn no_name_in_a_book_runs_a_program_in_zsh() {
    if !is_installed("zsh") {
        return;
    }
    let book = cloned(&HOSTILE);
    let start =
        "PS1='ready> '; autoload -U compinit && compinit -u -D; source <(novel-gate completions zsh)\n";
    book.put("../home/.zshrc", start);
    press_tab_and_enter("zsh", &["zsh", "-d", "-i"], &book);
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn no_name_in_a_book_runs_a_program_in_fish() {
    if !is_installed("fish") {
        return;
    }
    let book = cloned(&HOSTILE);
    let start = "function fish_prompt; echo 'ready> '; end; novel-gate completions fish | source";
    press_tab_and_enter("fish", &["fish", "--no-config", "--private", "-i", "-C", start], &book);
}

/// Whether a shell is there. The tests ask for no more shells than Bash, on CI neither; that one is missing is said past the harness.
fn is_installed(shell: &str) -> bool {
    let is_there = std::env::split_paths(&path_with_ours()).any(|dir| dir.join(shell).is_file());
    if !is_there {
        let _ = writeln!(
            std::io::stderr(),
            "\n*** SKIPPED: completions in {shell}, which is not installed ***\n"
        );
    }
    is_there
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

/// Names that every shell takes as they are.
const PLAIN: [&str; 6] = ["good-1", "第3章", "é_x+1", "e\u{301}", "अध्याय", "1:2.a"];
/// Names that some shell would take for more, or that cannot be told from others.
const ODD: [&str; 28] = [
    "-good",
    "~good",
    "a b",
    "a*",
    "a?",
    "a[b]",
    "{a,b}",
    "a=b",
    "a!b",
    "#a",
    "a\\b",
    "a'b",
    "a\"b",
    "a,b",
    "a@b",
    "a%b",
    "a^b",
    "‘a’",
    "a–b",
    "a\u{a0}b",
    "a\u{3000}b",
    "a\tb",
    "a\rb",
    "a\u{3164}b",
    "a\u{202e}b",
    "a，b",
    "📚",
    "a\u{1b}[2Jb",
];

fn book_of_all() -> Sandbox {
    cloned(&[&PLAIN[..], &ODD, &HOSTILE].concat())
}

/// What the program answers the script of a shell, in a directory of the book.
fn engine(book: &Sandbox, shell: &str, words: &[&str], dir: &str) -> String {
    let mut command = book.system("novel-gate");
    command.env("NOVEL_GATE_COMPLETE", shell).env("_CLAP_IFS", "\u{1}").current_dir(book.path(dir));
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).args(["--", "novel-gate"]).args(words);
    let ran = Running::start(&mut command).wait();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{words:?}");
    ran.stdout
}

/// The candidates, whole, and nothing else.
fn offered(book: &Sandbox, words: &[&str], dir: &str) -> Vec<String> {
    engine(book, "bash", words, dir).split('\u{1}').map(str::to_owned).collect()
}

#[test]
#[cfg_attr(windows, ignore = "it makes names that Windows cannot take")]
fn only_plain_names_are_offered() {
    let book = book_of_all();
    for (words, dir) in
        [(["check", ""], "."), (["lint", ""], "files"), (["lint", "files/"], "."), (["lint", "dirs/"], ".")]
    {
        let found = offered(&book, &words, dir);
        for name in PLAIN {
            let is_it = |word: &String| word.trim_end_matches('/').ends_with(name);
            assert!(found.iter().any(is_it), "{words:?}: {name} in {found:?}");
        }
    }
    book.put("../home/mine-1", "");
    assert_eq!(offered(&book, &["lint", "~/mi"], "."), ["~/mine-1"], "what is typed may stay");
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        for words in [["check", ""], ["lint", "files/"], ["lint", "dirs/"]] {
            let said = engine(&book, shell, &words, ".");
            // Behind the names are our own flags, with what they mean.
            let said = said.split("--project").next().expect("names");
            assert!(said.contains("good-1"), "{shell}: {said}");
            let is_odd = said.contains(|c| ";$`|&'\"()><*?[{~=!#%‘–".contains(c)) || said.contains("PWNED");
            assert!(!is_odd, "{shell}, {words:?}: {said}");
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "it makes names that Windows cannot take")]
fn whatever_takes_a_file_is_offered_no_other() {
    let book = book_of_all();
    let mut asked = 0;
    let mut cli = novel_gate::cli::command(novel_gate::text::Lang::En);
    cli.build();
    for command in cli.get_subcommands() {
        let flags = command.get_arguments().filter(|arg| arg.get_action().takes_values());
        let flags = flags.filter_map(clap::Arg::get_long).map(|long| format!("--{long}"));
        for flag in flags.map(Some).chain([None]) {
            let words = [Some(command.get_name()), flag.as_deref(), Some("")];
            let words: Vec<&str> = words.into_iter().flatten().collect();
            let found = offered(&book, &words, "files");
            asked += usize::from(found.iter().any(|word| word == "good-1"));
            for word in found.iter().filter(|word| !word.starts_with("--")) {
                let is_odd = ODD.iter().chain(&HOSTILE).any(|odd| word.contains(odd));
                assert!(!is_odd, "{words:?}: {word:?}");
            }
        }
    }
    assert!(asked > 20, "files are completed: {asked}");
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
