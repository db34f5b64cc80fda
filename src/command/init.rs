//! `init`: shows the files that wire the program into a project's executors and, with `--write`, writes them: all of them,
//! or none if one is refused. `--undo` takes out of them what it put in, wherever it can.

use super::Session;
use super::output::{Head, Output, form};
use crate::cli::{ClientName, InitArgs};
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::file_snapshot::FileSnapshot;
use crate::store::{Project, file};
use crate::text::{Message, say};
use client::{Content, PARTS, Part};
use edit::{Action, Edit, PROGRAM, Wiring};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

mod client;
mod edit;
mod json_file;
mod notes;
mod section;

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
    /// The line where something goes in or out, from 1.
    line: Option<usize>,
    /// What is made or goes in; of a refused file, what to add by hand.
    text: Option<String>,
    /// Why it is refused; of any other file, what of novel-gate stands elsewhere or is left.
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
    // Of what only an earlier version wrote, nobody need know unless it is there.
    let is_told = |(part, step): &(&&Part, WiredFile)| {
        part.content != Content::Former || step.change.is_some() || arguments.undo && step.refusal.is_some()
    };
    let steps = parts.iter().map(|part| (part, step(&project, part, &wiring, arguments)));
    let steps: Vec<WiredFile> = steps.filter(is_told).map(|(_, step)| step).collect();
    let write = arguments.write && (arguments.undo || steps.iter().all(|step| step.refusal.is_none()));
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
    let is_told = !arguments.undo && steps.iter().all(|step| step.refusal.is_none());
    let is_done = write || steps.iter().all(|step| step.change.is_none());
    let clients: Vec<ClientName> =
        ClientName::ALL.into_iter().filter(|&client| is_named(client, arguments)).collect();
    let notes =
        if is_told { notes::all(session, &project, &parts, &clients, &wiring, is_done) } else { Vec::new() };
    let printed = print(session, steps, !written.is_empty(), arguments, notes);
    printed.map_err(|error| if written.is_empty() { error } else { super::told(error, &told) })
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
    let named = |path: &Path| path.to_str().map(str::to_owned);
    let own: Vec<String> = own_paths(&session.environment).iter().filter_map(|path| named(path)).collect();
    let program = if arguments.absolute { own.first().cloned() } else { Some(PROGRAM.to_owned()) };
    let program = program.ok_or_else(|| {
        let sentence = say(
            "The path of this program is not known, or not UTF-8; --absolute cannot be used.",
            "不知道本程序的路径，或它不是 UTF-8；不能使用 --absolute。",
        );
        Error::new(ExitCode::Usage, "usage", sentence, &[])
    })?;
    // The clients start the program in a directory of theirs.
    let dir = session.global.state_dir.as_ref().filter(|_| !arguments.undo);
    let dir = dir.map(|dir| named(&session.environment.cwd.join(dir)));
    if dir == Some(None) {
        let sentence = say(
            "The path of --state-dir is not UTF-8; no client could be told of it.",
            "--state-dir 的路径不是 UTF-8，无法写给任何客户端。",
        );
        return Err(Error::new(ExitCode::Usage, "usage", sentence, &[]));
    }
    Ok(Wiring { lang: session.lang, program, own, state_dir: dir.flatten() })
}

/// Where the program was found when it was called, perhaps by a link that outlives what it leads to, and where it lies.
fn own_paths(environment: &Environment) -> Vec<PathBuf> {
    let called = environment.called.as_deref().and_then(|called| match called.to_str() {
        Some(name) if !name.contains('/') => file::find_program(name, environment.path.as_deref()),
        _ => Some(called.to_owned()),
    });
    let called = called.map(|path| environment.cwd.join(path).components().collect::<PathBuf>());
    let program = environment.program.as_deref().and_then(|path| path.canonicalize().ok());
    let called = called.filter(|path| program.is_some() && path.canonicalize().ok() == program);
    called.into_iter().chain(environment.program.clone()).collect()
}

fn step(project: &Project, part: &Part, wiring: &Wiring, arguments: &InitArgs) -> WiredFile {
    let (path, lang) = (part.path, wiring.lang);
    let action = Action::Unchanged;
    let file = WiredFile { path, action, line: None, text: None, reason: None, change: None, refusal: None };
    let takes_out = arguments.undo || part.content == Content::Former;
    let (error, text) = match FileSnapshot::read(project, path) {
        Err(error) => (error, None),
        Ok(snapshot) => match edit(project, part, &snapshot, wiring, takes_out) {
            Ok((edit, left)) => {
                let reason = left.map(|left| left.text(lang));
                let Some(Edit { action, whole, text, line }) = edit else {
                    return WiredFile { reason, ..file };
                };
                let whole = (action != Action::Delete).then_some(whole);
                let text = (!takes_out).then_some(text);
                return WiredFile { action, text, line, reason, change: Some((snapshot, whole)), ..file };
            }
            Err(why) => {
                let sentence = say("{0} is left as it is. {1}", "{0} 保持原样。{1}");
                let message = Message::in_both(|lang| sentence.fill(lang, &[path, &why.text(lang)]));
                (Error::of(ExitCode::Exists, "not-ours", message), (!takes_out).then(|| part.fresh(wiring)))
            }
        },
    };
    let reason = Some(error.text(lang));
    WiredFile { action: Action::Refused, text, reason, refusal: Some(error), ..file }
}

/// What becomes of a file, and what of novel-gate is left or elsewhere; or why it is not touched.
fn edit(
    project: &Project,
    part: &Part,
    snapshot: &FileSnapshot,
    wiring: &Wiring,
    takes_out: bool,
) -> Result<(Option<Edit>, Option<Message>), Message> {
    let text = match snapshot.bytes.as_deref().map(str::from_utf8) {
        None => None,
        Some(Ok(text)) => Some(text),
        // Init puts nothing into such a file.
        Some(Err(_)) if takes_out => return Ok((None, None)),
        Some(Err(_)) => return Err(say("It is not UTF-8.", "它不是 UTF-8。").into()),
    };
    // A byte order mark stays where it is.
    let (mark, text) = match text.map(|text| (text, text.strip_prefix('\u{feff}'))) {
        Some((_, Some(text))) => ("\u{feff}", Some(text)),
        Some((text, None)) => ("", Some(text)),
        None => ("", None),
    };
    let (mut entries, mut left) = (Vec::new(), None);
    let other = part.elsewhere().map(|path| (path, json_file::read(project, path)));
    for entry in part.entries(wiring) {
        match &other {
            Some((path, other)) if json_file::has(other, &entry, path)? => {
                let sentence = say(
                    "{0} has novel-gate already; init writes nothing there.",
                    "{0} 中已有 novel-gate；init 不改动它。",
                );
                left = Some(Message::new(sentence, &[path]));
            }
            _ => entries.push(entry),
        }
    }
    let edit = match text {
        Some(text) if takes_out => {
            let (edit, own) = part.unwire(text, wiring)?;
            left = own.or(left);
            edit
        }
        None if takes_out => None,
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
    notes: Vec<String>,
) -> Result<ExitCode, Error> {
    let refusal = steps.iter().find_map(|step| step.refusal.as_ref());
    let exit = refusal.map_or(ExitCode::Done, |error| error.kind);
    let pending = steps.iter().any(|step| step.change.is_some());
    let all_else = say("Everything else that init wrote is gone.", "init 写入的其他内容已全部移除。");
    let is_left = steps.iter().any(|step| step.reason.is_some());
    let (status, sentence) = match (refusal.is_some(), pending, written, arguments.undo) {
        (true, true, false, true) => (
            "refused",
            say(
                "Nothing was taken out; --undo --write takes out the rest.",
                "没有移除任何内容；用 --undo --write 移除其余内容。",
            ),
        ),
        (true, _, false, _) => ("refused", say("Nothing was written.", "没有写入任何内容。")),
        (true, ..) => ("refused", all_else),
        (_, false, _, false) => ("unchanged", say("Everything is already wired.", "已全部接好。")),
        (_, false, _, true) => {
            ("unchanged", say("There is nothing that init wrote.", "没有 init 写入的内容。"))
        }
        (_, _, true, false) => ("written", say("The project is wired.", "项目已接好。")),
        (_, _, true, true) if is_left => ("written", all_else),
        (_, _, true, true) => ("written", say("What init wrote is gone.", "init 写入的内容已全部移除。")),
        (.., false) => {
            ("planned", say("Nothing was written; --write writes it.", "没有写入任何内容；用 --write 写入。"))
        }
        (.., true) => (
            "planned",
            say(
                "Nothing was taken out; --undo --write does it.",
                "没有移除任何内容；用 --undo --write 移除。",
            ),
        ),
    };
    if session.global.json {
        let message = match refusal {
            Some(error) => error.text(session.lang),
            None => sentence.text(session.lang).to_owned(),
        };
        let code = refusal.map_or(status, |error| error.code);
        let body = InitOutput { files: steps, written, notes };
        return session.json(Head::new(status, exit, code, message), body);
    }
    // What is refused comes last; where all was to be written, nothing else is told.
    let is_held_up = refusal.is_some() && arguments.write && !arguments.undo;
    let (refused, others): (Vec<&WiredFile>, Vec<&WiredFile>) =
        steps.iter().partition(|step| step.refusal.is_some());
    for (place, step) in others.iter().enumerate().filter(|_| !is_held_up) {
        let same = others[..place].iter().find(|one| one.text.is_some() && one.text == step.text);
        print_step(session, step, same.map(|one| one.path), written, arguments.undo)?;
    }
    session.print(&notes)?;
    // That all is wired the notes say.
    if notes.is_empty() || status == "planned" {
        session.print(&[sentence.text(session.lang).to_owned()])?;
    }
    for step in refused {
        print_step(session, step, None, written, arguments.undo)?;
    }
    Ok(exit)
}

/// `same`: a file that was told of before, with the same text.
fn print_step(
    session: &mut Session<'_>,
    step: &WiredFile,
    same: Option<&str>,
    written: bool,
    undo: bool,
) -> Result<(), Error> {
    let lang = session.lang;
    let line = step.line.map(|line| line.to_string()).unwrap_or_default();
    let mut lines = vec![step.action.sentence(written).fill(lang, &[step.path, &line])];
    // Undo tells of what is there alone.
    lines.retain(|_| !undo || step.action != Action::Unchanged);
    let text: Vec<String> = match (same, &step.text) {
        (Some(same), _) => vec![say("    the same as {0}", "    与 {0} 相同").fill(lang, &[same])],
        (None, text) => text.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}")).collect(),
    };
    if step.refusal.is_some() {
        let by_hand = say("To be added by hand:", "请手动加入：").text(lang).to_owned();
        lines.extend(step.text.is_some().then_some(by_hand).into_iter().chain(text));
        session.print(&lines)?;
        session.warn(step.reason.as_slice());
        return Ok(());
    }
    lines.extend(text.into_iter().filter(|_| !written));
    let told = say("{0}: {1}", "{0}：{1}");
    lines.extend(step.reason.iter().map(|reason| told.fill(lang, &[step.path, reason])));
    session.print(&lines)
}
