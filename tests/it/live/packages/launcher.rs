//! What npm has installed: the launcher, and the program that it starts.

use super::*;

#[test]
fn npm_s_launcher_hands_on_arguments_output_and_exit_code() {
    let Some(packed) = packed("npm's launcher") else { return };
    let book = Sandbox::sample();
    for (words, code) in [
        (&["--version"][..], 0),
        (&["check", GATE], 3),
        (&["check", "no such 'step' \"$HOME\" *"], 1),
        (&["--no-such-flag", ""], 2),
    ] {
        let direct = Running::start(book.system(PROGRAM).args(words)).wait();
        let launched = packed.run(&book, words);
        assert_eq!(launched.code, Some(code), "{words:?}: {}", launched.stderr);
        assert_eq!((&launched.stdout, &launched.stderr), (&direct.stdout, &direct.stderr), "{words:?}");
    }
}

/// Waits as long as the program does, and ends as it does: by a code or by the signal.
#[cfg(target_os = "linux")]
#[test]
fn npm_s_launcher_hands_on_signals_and_ends_as_the_program_does() {
    use crate::sandbox::wait_for;
    use rustix::process::{Pid, Signal, WaitIdOptions, kill_process, waitid};

    let Some(packed) = packed("npm's launcher and signals") else { return };
    let book = Sandbox::sample();
    let started = |launcher: i32| {
        let children = fs::read_to_string(format!("/proc/{launcher}/task/{launcher}/children")).ok()?;
        let child: i32 = children.trim().parse().ok()?;
        let status = fs::read_to_string(format!("/proc/{child}/status")).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t"))?;
        let caught = u64::from_str_radix(caught, 16).ok()?;
        (status.starts_with("Name:\tnovel-gate") && caught & (1 << 14) != 0).then_some(child)
    };
    for (signal, wanted) in [
        (Signal::TERM, (Some(143), None)),
        (Signal::INT, (Some(130), None)),
        (Signal::HUP, (Some(129), None)),
        (Signal::QUIT, (None, Some(3))),
        (Signal::KILL, (None, Some(9))),
    ] {
        let mut command = book.system(&packed.launcher().to_string_lossy());
        let running = Running::start(command.args(["wait", GATE]));
        let launcher = running.pid();
        let child = wait_for("the program", || started(launcher.as_raw_nonzero().get()));
        let to = if signal == Signal::KILL { Pid::from_raw(child).expect("a process") } else { launcher };
        kill_process(to, signal).expect("sent");
        let ended =
            waitid(rustix::process::WaitId::Pid(launcher), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        let ended = ended.expect("a child").expect("an end");
        let by = (ended.exit_status(), ended.terminating_signal());
        assert_eq!(by, wanted, "{signal:?} {}", running.wait().stderr);
        assert!(!Path::new(&format!("/proc/{child}")).exists(), "the launcher ended before its program");
    }
}

#[test]
fn npx_opens_the_demo_and_ctrl_z_gives_the_shell_back() {
    let Some(packed) = packed("npx novel-gate demo") else { return };
    let book = Sandbox::new();
    let dir = packed.path("installed");
    let begin = format!("cd {}; set -m; npx --offline novel-gate demo --lang en", dir.display());
    let line = format!("{begin}; echo the shell has it; read -r line; fg");
    let mut terminal: Terminal = book.system_on_terminal(&["bash", "-c", &line], 100, 30);
    let inbox = |terminal: &Terminal| {
        terminal.wait_until("the inbox", |screen| {
            screen.alternate_screen() && screen.contents().contains("chapter:013:draft")
        });
    };
    inbox(&terminal);
    terminal.press("ctrl+z");
    terminal.wait_for_text("the shell has it");
    assert!(terminal.modes().contains("ICANON"), "{}", terminal.modes());
    terminal.send_keys("x\r");
    inbox(&terminal);
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn without_its_package_the_launcher_says_what_to_do_in_one_sentence() {
    let Some(packed) = packed("the launcher alone") else { return };
    let book = Sandbox::new();
    unpack(&packed.tarball("novel-gate"), &book.path("alone"));
    let manifest = book.path("alone/package/package.json");
    let say_to = |words: &[&str], locale: &str| {
        let mut command = book.system("node");
        command.arg(book.path("alone/package/launcher.js")).args(words).env("LC_MESSAGES", locale);
        let ran = Running::start(&mut command).wait();
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.lines().count()),
            (Some(1), "", 1),
            "{}",
            ran.stderr
        );
        ran.stderr
    };
    let say = |locale: &str| say_to(&["check"], locale);
    assert!(
        say("en_GB.UTF-8")
            .contains(&format!("@novel-gate/{} is not there or not whole; run npm uninstall", packed.this))
    );
    assert!(
        say("zh_CN.UTF-8")
            .contains(&format!("@novel-gate/{} 没有安装或不完整；请先运行 npm uninstall", packed.this))
    );
    let chosen = [&["--lang", "zh-CN", "check"][..], &["check", "--lang=ZH-cn"]];
    assert!(chosen.iter().all(|words| say_to(words, "C").contains("没有安装或不完整")));
    let english = [&["check", "--lang", "en"][..], &["--lang=auto", "--lang=en"]];
    assert!(english.iter().all(|words| say_to(words, "zh_CN.UTF-8").contains("is not there or not whole")));
    let mut other = json(&manifest);
    other["optionalDependencies"] = Value::Object(serde_json::Map::new());
    fs::write(&manifest, other.to_string()).expect("written");
    assert!(say("C").contains(&format!("there is no package for {}; build it", packed.this)));
    assert!(say("zh_TW.UTF-8").contains(&format!("没有适用于 {} 的包；请改用", packed.this)));
}

#[test]
fn init_writes_the_program_itself_and_doctor_knows_the_launcher() {
    let Some(packed) = packed("init under npm") else { return };
    let book = Sandbox::sample();
    let said = packed.run(&book, &["init", "--write", "--for", "claude-code"]).stdout;
    let native = packed.native().canonicalize().expect("there").to_string_lossy().into_owned();
    let settings = || String::from_utf8(book.read(".claude/settings.json").expect("written")).expect("text");
    assert!(settings().contains(&format!("'{native}' hook claude-code")) && said.contains("Wired"), "{said}");
    let doctor = |book: &Sandbox| {
        let mut command = book.system(&packed.launcher().to_string_lossy());
        let bin = packed.path("installed/node_modules/.bin");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let node = end(Command::new("node").args(["-p", "process.execPath"])).stdout;
        let node = Path::new(node.trim()).parent().expect("a directory").display().to_string();
        Running::start(command.arg("doctor").env("PATH", format!("{path}:{node}"))).wait().stdout
    };
    let known = |said: &str| said.contains("(this program)") && !said.contains("another file");
    let said = doctor(&book);
    assert!(known(&said), "{said}");
    book.put(".claude/settings.json", settings().replace(&format!("'{native}'"), "novel-gate"));
    let said = doctor(&book);
    assert!(said.contains("runs novel-gate hook") && known(&said), "{said}");
}

#[test]
fn init_from_npx_s_cache_wires_nothing_to_it_and_says_why() {
    let Some(packed) = packed("init under npx") else { return };
    let book = Sandbox::sample();
    let cache = book.path(".npm/_npx/0f1e");
    fs::create_dir_all(&cache).expect("a directory");
    end(Command::new("cp").arg("-R").arg(packed.path("installed/node_modules")).arg(&cache));
    let bin = cache.join("node_modules/.bin");
    let node = end(Command::new("node").args(["-p", "process.execPath"])).stdout;
    let node = Path::new(node.trim()).parent().expect("a directory").display().to_string();
    let path = format!("{}:{node}:/usr/bin:/bin", bin.display());
    for (lang, words) in
        [("en", "Run npm install -g novel-gate"), ("zh-CN", "请先运行 npm install -g novel-gate")]
    {
        let mut command = book.system(&bin.join("novel-gate").to_string_lossy());
        command.args(["init", "--write", "--for", "claude-code", "--lang", lang]).env("PATH", &path);
        let said = Running::start(&mut command).wait().stdout;
        assert!(said.contains(words) && !said.contains("Wired") && !said.contains("已接好"), "{said}");
        let settings = String::from_utf8(book.read(".claude/settings.json").expect("written")).expect("text");
        assert!(
            settings.contains("\"novel-gate hook claude-code") && !settings.contains("_npx"),
            "{settings}"
        );
    }
}
