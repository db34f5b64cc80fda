//! The program that an entry runs: whether it is there, and whether it can be novel-gate.

use super::findings::{Health, Installed, Kind, Obstacle, Places, init_line};
use crate::command::init::edit::PROGRAM;
use crate::environment::is_npms;
use crate::platform::paths::{Shown as _, canonicalize};
use crate::store::file;
use crate::text::shell::{is_plain, program_name, shell_word};
use crate::text::{Message, say};
use memchr::memmem::find;
use std::path::Path;

/// A longer file is not looked through, in bytes.
const LONGEST: usize = 64 << 20;
/// Programs that find out by which name they were called, and start one of that name.
const STARTERS: [&str; 2] = ["mise", "volta-shim"];
/// What a script writes to hand its arguments on.
const ARGUMENTS: [&str; 3] = ["$@", "$*", "argv"];

/// Notes an entry, and whether its program is there.
pub(super) fn install(health: &mut Health, places: &Places<'_>, kind: Kind, at: String, words: &[String]) {
    let called = words.first().map_or(PROGRAM, String::as_str);
    let path = Path::new(called);
    let is_known = path.is_absolute() || !called.contains(['/', '\\', '$']);
    let program = if path.is_absolute() {
        Some(path.to_owned()).filter(|path| file::is_program(path))
    } else {
        file::find_program(called, places.path.as_deref()).filter(|_| is_known)
    };
    let real = program.as_deref().and_then(|path| canonicalize(path).ok());
    let is_this = real.zip(places.program.as_ref()).map(|(real, own)| real == *own || launches(&real, own));
    let remedy = if called == PROGRAM {
        say(
            "Put novel-gate first into PATH, or run {0} --absolute.",
            "请让 novel-gate 在 PATH 中排在最前，或运行 {0} --absolute。",
        )
    } else {
        say("Take the entry out, then run {0}.", "请去掉这一项，再运行 {0}。")
    };
    let fault = match &program {
        None if is_known => {
            Some(("no-program", say("{0} is not found, so nothing runs.", "找不到 {0}，什么也不会运行。")))
        }
        Some(program) if is_this != Some(true) && is_another(program, words) => {
            Some(("other-program", say("{0} is not novel-gate.", "{0} 不是 novel-gate。")))
        }
        _ => None,
    };
    if let Some((code, what)) = fault.filter(|(code, _)| health.obstacles.iter().all(|it| it.code != *code)) {
        let shown = program.as_ref().map_or_else(|| called.into(), |path| path.shown());
        health.hinder(Obstacle::new(
            code,
            Some(at.clone()),
            Message::new(what, &[&shown]),
            Message::new(remedy, &[&init_line(health.client, kind)]),
        ));
    }
    let program = program.map(|path| path.shown().into_owned());
    // A flag needs no quotes, which keep a file's name from being one.
    let is_flag = |word: &str| word.strip_prefix("--").is_some_and(is_plain);
    let spelled = words.iter().map(|word| if is_flag(word) { word.clone() } else { shell_word(word) });
    let runs = spelled.collect::<Vec<_>>().join(" ");
    health.installed.push(Installed { kind, at, runs: Some(runs), program, is_this });
}

/// Whether npm's launcher, or the file that npm makes for it on Windows, starts this program: they lie in one `node_modules`.
fn launches(real: &Path, own: &Path) -> bool {
    let Some(dir) = real.parent().filter(|_| is_npms(own)) else { return false };
    if real.ends_with("novel-gate/launcher.js") || dir.ends_with(".bin") {
        return dir.parent().is_some_and(|modules| own.starts_with(modules));
    }
    real.file_stem().is_some_and(|name| name == PROGRAM) && own.starts_with(dir.join("node_modules"))
}

/// Whether it is certain that this is another program: its file has our name nowhere, or is a script that hands no arguments on.
/// Another version has it, and so has what a package manager puts into `PATH` to start one.
fn is_another(program: &Path, words: &[String]) -> bool {
    let Ok(real) = canonicalize(program) else { return false };
    let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_called_so = program_name(&program.shown()) == PROGRAM;
    // As `npx novel-gate mcp`.
    let starts_ours = !is_called_so && words.iter().skip(1).any(|word| word.contains(PROGRAM));
    if starts_ours || STARTERS.contains(&name) {
        return false;
    }
    let Ok(bytes) = file::read_beginning(&real, LONGEST + 1) else { return false };
    let has = |word: &str| find(&bytes, word.as_bytes()).is_some();
    let hands_on = || !bytes.starts_with(b"#!") || ARGUMENTS.iter().any(|word| has(word));
    bytes.len() <= LONGEST && !(has(PROGRAM) && hands_on())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_s_launcher_is_known_as_this_program_where_npm_puts_both() {
        let global = Path::new("/n/lib/node_modules/novel-gate");
        let nested = global.join("node_modules/@novel-gate/linux-x64/novel-gate");
        assert!(launches(&global.join("launcher.js"), &nested));
        let local = Path::new("/book/node_modules/@novel-gate/linux-x64/novel-gate");
        assert!(launches(Path::new("/book/node_modules/novel-gate/launcher.js"), local));
        for (shim, own) in [
            (
                "/npm/novel-gate.cmd",
                "/npm/node_modules/novel-gate/node_modules/@novel-gate/win32-x64/novel-gate.exe",
            ),
            (
                "/book/node_modules/.bin/novel-gate.cmd",
                "/book/node_modules/@novel-gate/win32-x64/novel-gate.exe",
            ),
        ] {
            assert!(launches(Path::new(shim), Path::new(own)), "{shim}");
        }
        // Another installation, and a program that npm has nothing to do with.
        assert!(!launches(&global.join("launcher.js"), local));
        assert!(!launches(Path::new("/usr/bin/novel-gate"), Path::new("/usr/bin/node_modules/novel-gate")));
    }
}
