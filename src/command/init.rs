//! `init`: shows the files that wire the program into a project's executors and, with `--write`, writes them: all of them,
//! or none if one is refused. `--undo` takes out of them what it put in, wherever it can.

use super::Session;
use super::output::{Head, Output, form};
use crate::cli::{ClientName, InitArgs};
use crate::environment::{Environment, is_npms, is_passing};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::{Shown as _, canonicalize};
use crate::store::file_snapshot::FileSnapshot;
use crate::store::{Project, file};
use crate::text::{Message, Sentence, encoding, say};
use clap::ValueEnum;
use client::{PARTS, Part};
use edit::{Action, Edit, LONGEST, PROGRAM, Wiring};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::is_separator;
use std::path::{Path, PathBuf};

mod client;
mod edit;
pub(super) mod health;
mod json_file;
pub(super) mod notes;
mod section;
mod shape;

const HINDERED: Sentence =
    say("What init writes is there, but something stands in its way.", "init 要写的都在，但有东西挡着它。");

pub(super) const OUTPUT: Output = Output::new(
    "init-output",
    "What init --json prints. Exit 5 a file leads out of the project or cannot be written, 6 one is not ours to change.",
    &[form::<InitOutput>(
        &["planned", "written", "unchanged", "refused"],
        &[0, 1, 5, 6],
        &["planned", "written", "unchanged", "refused", "not-ours", "unreadable"],
    )],
);

/// The files that wire novel-gate into a project's executors.
#[derive(Serialize, JsonSchema)]
struct InitOutput {
    /// Every file that is looked at.
    files: Vec<WiredFile>,
    /// Whether anything was changed. If a file is refused, nothing is; --undo does the rest.
    written: bool,
    /// What is wired, what is left for the author to do, such as to trust the hooks, and how to see that it works.
    notes: Vec<String>,
}

/// One file.
#[derive(Serialize, JsonSchema)]
struct WiredFile {
    /// Relative to the project's root.
    path: &'static str,
    /// What is done with it, or would be.
    action: Action,
    /// What is made or goes in.
    text: Option<String>,
    /// Why it is refused; of any other file, what of novel-gate stands elsewhere, is left, or means less than before.
    reason: Option<String>,
    /// What the file was and what it is to be; nothing if it goes.
    #[serde(skip)]
    change: Option<(FileSnapshot, Option<String>)>,
    #[serde(skip)]
    refusal: Option<Error>,
}

/// Shows what wires the project, or unwires it, and does it with `--write`.
pub fn run(session: &mut Session<'_>, arguments: &InitArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let wiring = wiring(session, arguments)?;
    let parts: Vec<&Part> = PARTS.iter().filter(|part| is_wanted(part, arguments)).collect();
    let steps: Vec<WiredFile> =
        parts.iter().map(|part| step(&project, part, &wiring, arguments.undo)).collect();
    let is_refused = steps.iter().any(|step| step.refusal.is_some());
    let write = arguments.write && (arguments.undo || !is_refused);
    let mut written: Vec<&str> = Vec::new();
    for step in steps.iter().filter(|_| write) {
        let Some((snapshot, text)) = &step.change else { continue };
        let done = match text {
            Some(text) => snapshot.replace(&project, text.as_bytes()),
            None => snapshot.remove(&project),
        };
        done.map_err(|error| match written.join(", ") {
            names if names.is_empty() => error,
            names => error.hint(say("Written before that: {0}.", "在此之前已写入：{0}。"), &[&names]),
        })?;
        written.push(step.path);
    }
    let told = say("Changed: {0}.", "已改动：{0}。").fill(session.lang, &[&written.join(", ")]);
    let is_done = write || steps.iter().all(|step| step.change.is_none());
    let clients: Vec<ClientName> =
        ClientName::value_variants().iter().copied().filter(|&client| is_named(client, arguments)).collect();
    let is_told = !arguments.undo && !is_refused;
    let notes = if is_told {
        notes::all(session, &project, &clients, arguments.mcp, &wiring, is_done)
    } else {
        (Vec::new(), false)
    };
    let printed = print(session, steps, !written.is_empty(), arguments, notes);
    printed.map_err(|error| if written.is_empty() { error } else { super::session::told(error, &told) })
}

/// Without `--for`, Claude Code and Codex are wired, and whatever is wired is unwired.
fn is_named(client: ClientName, arguments: &InitArgs) -> bool {
    match arguments.executors.as_slice() {
        [] => arguments.undo || matches!(client, ClientName::ClaudeCode | ClientName::Codex),
        named => named.contains(&client),
    }
}

fn is_wanted(part: &Part, arguments: &InitArgs) -> bool {
    part.clients.iter().any(|&client| is_named(client, arguments))
        && (arguments.undo || arguments.mcp || !part.is_server())
}

fn wiring(session: &Session<'_>, arguments: &InitArgs) -> Result<Wiring, Error> {
    let named = |path: &Path| {
        let sentence = say(
            "The path {0} is not UTF-8; no client could be told of it.",
            "路径 {0} 不是 UTF-8，无法写给任何客户端。",
        );
        let error = || Error::new(ExitCode::Usage, "usage", sentence, &[&path.shown()]);
        path.to_str().map(|_| path.shown().into_owned()).ok_or_else(error)
    };
    let own = own_paths(&session.environment);
    // What npm puts into PATH is a launcher, which takes longer to start than a hook takes.
    let is_direct = |path: &&PathBuf| arguments.absolute || (is_npms(path) && !is_passing(path));
    let program = own.first().filter(is_direct).map(|path| named(path)).transpose()?;
    // The clients start the program in a directory of theirs.
    let dir = session.global.state_dir.as_ref().filter(|_| !arguments.undo);
    let state_dir = dir.map(|dir| named(&session.environment.cwd.join(dir))).transpose()?;
    let own = own.iter().filter_map(|path| named(path).ok()).collect();
    Ok(Wiring { lang: session.lang, program: program.unwrap_or_else(|| PROGRAM.to_owned()), own, state_dir })
}

/// Where the program was found when it was called, perhaps by a link that outlives what it leads to, and where it lies.
fn own_paths(environment: &Environment) -> Vec<PathBuf> {
    let called = environment.called.as_deref().and_then(|called| match called.to_str() {
        Some(name) if !name.contains(is_separator) => file::find_program(name, environment.path.as_deref()),
        _ => Some(called.to_owned()),
    });
    let called = called.map(|path| environment.cwd.join(path).components().collect::<PathBuf>());
    let program = environment.program.as_deref().and_then(|path| canonicalize(path).ok());
    let called = called.filter(|path| program.is_some() && canonicalize(path).ok() == program);
    called.into_iter().chain(environment.program.clone()).collect()
}

fn step(project: &Project, part: &Part, wiring: &Wiring, undo: bool) -> WiredFile {
    let (path, lang) = (part.path, wiring.lang);
    let action = Action::Unchanged;
    let file = WiredFile { path, action, text: None, reason: None, change: None, refusal: None };
    let error = match FileSnapshot::look(project, path) {
        Err(error) => error,
        Ok(snapshot) => match edit(project, part, &snapshot, wiring, undo) {
            Ok((Some(_), _)) if let Err(error) = snapshot.check_writable() => error,
            Ok((edit, left)) => {
                let reason = left.map(|left| left.text(lang));
                let Some(Edit { action, whole, text }) = edit else {
                    return WiredFile { reason, ..file };
                };
                let whole = (action != Action::Delete).then_some(whole);
                let text = (!undo).then_some(text);
                return WiredFile { action, text, reason, change: Some((snapshot, whole)), ..file };
            }
            Err(why) => {
                let sentence = say("{0} is left as it is. {1}", "{0} 保持原样。{1}");
                let message = Message::in_both(|lang| sentence.fill(lang, &[path, &why.text(lang)]));
                Error::of(ExitCode::Exists, "not-ours", message)
            }
        },
    };
    let reason = Some(error.text(lang));
    WiredFile { action: Action::Refused, reason, refusal: Some(error), ..file }
}

/// What becomes of a file, and what of novel-gate is left or elsewhere; or why it is not touched.
fn edit(
    project: &Project,
    part: &Part,
    snapshot: &FileSnapshot,
    wiring: &Wiring,
    undo: bool,
) -> Result<(Option<Edit>, Option<Message>), Message> {
    if snapshot.bytes.as_ref().is_some_and(|bytes| bytes.len() > LONGEST) {
        return Err(say("It is larger than 1 MiB.", "它大于 1 MiB。").into());
    }
    let text = match snapshot.bytes.as_deref().map(str::from_utf8) {
        None => None,
        Some(Ok(text)) => Some(text),
        Some(Err(_)) => {
            let decoded = snapshot.bytes.as_deref().and_then(encoding::decode);
            let is_ours = |text: &str| !matches!(part.unwire(text, wiring), Ok((None, _)));
            // Init puts nothing into such a file, but somebody may have saved it so since.
            if undo && !decoded.as_ref().is_some_and(|(text, _)| is_ours(text)) {
                return Ok((None, None));
            }
            let sentence = match decoded {
                None => say("It is not UTF-8.", "它不是 UTF-8。"),
                Some(_) => say(
                    "It is {0} and not UTF-8: save it as UTF-8, then do this again.",
                    "它是 {0} 编码，不是 UTF-8：请存为 UTF-8，再重新执行。",
                ),
            };
            return Err(Message::new(sentence, &[decoded.map_or("", |(_, name)| name)]));
        }
    };
    // A byte order mark stays where it is.
    let body = text.map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let mark = if body == text { "" } else { "\u{feff}" };
    let (mut entries, mut left) = (part.entries(wiring), None);
    if let Some(path) = part.elsewhere() {
        let other = json_file::read(project, path);
        let before = entries.len();
        entries.retain(|entry| entry.is_old || !json_file::has(&other, entry));
        let is_all = part.allows_all(&other, wiring);
        let sentence = if is_all {
            say(
                "{0} allows every command of novel-gate. init writes nothing there; take that out of it if you would rather be asked.",
                "{0} 允许 novel-gate 的所有命令。init 不改动它；宁愿被问到的，请自行移除这一项。",
            )
        } else {
            say(
                "{0} has novel-gate already; init writes nothing there.",
                "{0} 中已有 novel-gate；init 不改动它。",
            )
        };
        left = (is_all || entries.len() < before).then(|| Message::new(sentence, &[path]));
    }
    if body.is_some_and(|text| !undo && part.allows_all(text, wiring)) {
        left = Some(Part::narrowed());
    }
    let edit = match body {
        Some(text) if undo => {
            let (edit, own) = part.unwire(text, wiring)?;
            left = own.or(left);
            edit
        }
        None if undo => None,
        text => part.wire(text, entries, wiring)?,
    };
    if edit.is_some() && snapshot.is_read_only(project) {
        return Err(say("It is read-only.", "它是只读的。").into());
    }
    Ok((edit.map(|edit| Edit { whole: format!("{mark}{}", edit.whole), ..edit }), left))
}

fn print(
    session: &mut Session<'_>,
    steps: Vec<WiredFile>,
    written: bool,
    arguments: &InitArgs,
    (notes, is_hindered): (Vec<String>, bool),
) -> Result<ExitCode, Error> {
    let refusal = steps.iter().find_map(|step| step.refusal.as_ref());
    let exit = refusal.map_or(ExitCode::Done, |error| error.kind);
    let is_pending = steps.iter().any(|step| step.change.is_some()) && !written;
    let (status, sentence) = match (arguments.undo, written, is_pending) {
        (false, ..) if refusal.is_some() => (
            "refused",
            say(
                "Nothing was written. Mend this, then run init again:",
                "没有写入任何内容。请先解决下面的问题，再运行 init：",
            ),
        ),
        (.., true) => (
            "planned",
            say(
                "Nothing was changed yet; the same command with --write does it.",
                "尚未改动任何内容；在同一条命令后加上 --write 即可执行。",
            ),
        ),
        (true, true, _) if steps.iter().any(|step| step.reason.is_some()) => {
            ("written", say("Everything else that init wrote is gone.", "init 写入的其他内容已全部移除。"))
        }
        (true, true, _) => ("written", say("What init wrote is gone.", "init 写入的内容已全部移除。")),
        (false, true, _) if is_hindered => ("written", HINDERED),
        (false, true, _) => ("written", say("The project is wired.", "项目已接好。")),
        (true, false, _) => ("unchanged", say("There is nothing that init wrote.", "没有 init 写入的内容。")),
        (false, false, _) if is_hindered => ("unchanged", HINDERED),
        (false, false, _) => ("unchanged", say("Everything is already wired.", "已全部接好。")),
    };
    if session.global.json {
        let (status, code, message) = match refusal {
            Some(error) => ("refused", error.code, error.text(session.lang)),
            None => (status, status, sentence.text(session.lang).to_owned()),
        };
        let body = InitOutput { files: steps, written, notes };
        return session.json(Head::new(status, exit, code, message), body);
    }
    // Where one is refused and nothing is written for it, nothing else is told.
    for step in steps.iter().filter(|step| step.refusal.is_none() && status != "refused") {
        print_step(session, step, written, arguments.undo)?;
    }
    session.print_sentences(&notes)?;
    // That all is wired the notes say; why nothing is taken out, the reasons.
    if is_pending || (arguments.undo && (written || refusal.is_none())) || status == "refused" {
        session.print_sentences(&[sentence.text(session.lang).to_owned()])?;
    }
    for step in steps.iter().filter(|step| step.refusal.is_some()) {
        session.warn(step.reason.as_slice());
    }
    Ok(exit)
}

fn print_step(session: &mut Session<'_>, step: &WiredFile, written: bool, undo: bool) -> Result<(), Error> {
    let lang = session.lang;
    // Undo tells of what is there alone.
    let is_told = !undo || step.action != Action::Unchanged;
    let action = is_told.then(|| step.action.sentence().fill(lang, &[step.path]));
    session.print_sentences(action.as_slice())?;
    let mut lines = Vec::new();
    if step.path.ends_with("SKILL.md") && step.text.is_some() && !written {
        lines.push(
            say("    what novel-gate skill prints", "    即 novel-gate skill 打印的内容")
                .text(lang)
                .to_owned(),
        );
    } else if let Some(text) = step.text.as_ref().filter(|_| !written) {
        lines.extend(text.lines().map(|line| format!("    {line}")));
    }
    session.print(&lines)?;
    let told = say("{0}: {1}", "{0}：{1}");
    let reason = step.reason.as_ref().map(|reason| told.fill(lang, &[step.path, reason]));
    session.print_sentences(reason.as_slice())
}
