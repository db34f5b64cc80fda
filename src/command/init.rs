//! `init`: shows the files that wire the program into a project's executors and, with `--write`, writes them: all of them,
//! or none if one is refused. `--undo` takes out of them what it put in.

use super::Session;
use super::output::{Head, Output, form};
use crate::cli::{InitArgs, SkillName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::file_snapshot::FileSnapshot;
use crate::store::{Project, file};
use crate::text::{Lang, Message, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

mod client;
mod json_part;
mod section;

/// The program, and its MCP server.
const PROGRAM: &str = "novel-gate";

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
    /// Whether anything was changed; if a file is refused, nothing is.
    written: bool,
    /// What is left for the author to do, such as to trust the hooks.
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
    /// What is made, goes in or goes out; of a refused file, what to add by hand.
    text: Option<String>,
    /// Why it is refused.
    reason: Option<String>,
    /// What the file was and what it is to be; nothing if it goes.
    #[serde(skip)]
    change: Option<(FileSnapshot, Option<String>)>,
    #[serde(skip)]
    refusal: Option<Error>,
}

/// One file that wires a client.
#[derive(Debug)]
struct Part {
    client: SkillName,
    path: &'static str,
    content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// A skill: a file of ours.
    Skill,
    /// The same instructions as a part of the project's own.
    Instructions,
    /// An entry among the hooks, in JSON.
    Hook,
    /// An entry among the MCP servers, in JSON.
    Server,
    /// The same as a table in TOML.
    Table,
}

/// What goes in: in which language, and how the program is called.
struct Wiring {
    lang: Lang,
    program: String,
}

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Create,
    Insert,
    Update,
    /// With `--undo`: what was put in is taken out.
    Remove,
    /// With `--undo`: nothing else is in it, and it goes.
    Delete,
    Unchanged,
    Refused,
}

/// What becomes of a file that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
struct Edit {
    action: Action,
    /// The whole new content.
    whole: String,
    /// What is made, goes in or goes out, and the line where it begins, from 1.
    text: String,
    line: Option<usize>,
}

/// Instructions that `AGENTS.md` may be one file with.
const OTHER_INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"];

/// Shows what wires the project, or unwires it, and does it with `--write`.
pub fn run(session: &mut Session<'_>, arguments: &InitArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let wiring = Wiring { lang: session.lang, program: program(session, arguments)? };
    let parts = client::PARTS.iter().filter(|part| is_wanted(part, arguments));
    let steps: Vec<WiredFile> = parts.map(|part| step(&project, part, &wiring, arguments.undo)).collect();
    let write = arguments.write && steps.iter().all(|step| step.refusal.is_none());
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
    let printed = print(session, steps, write, arguments);
    printed.map_err(|error| if write { super::told(error, &told) } else { error })
}

/// Without `--for`, Claude Code and Codex are wired, and whatever is wired is unwired.
fn is_wanted(part: &Part, arguments: &InitArgs) -> bool {
    let client = match arguments.executors.as_slice() {
        [] => arguments.undo || matches!(part.client, SkillName::ClaudeCode | SkillName::Codex),
        named => named.contains(&part.client),
    };
    client && (arguments.undo || arguments.mcp || !part.is_server())
}

/// How the files call this program.
fn program(session: &Session<'_>, arguments: &InitArgs) -> Result<String, Error> {
    if !arguments.absolute {
        return Ok(PROGRAM.to_owned());
    }
    let path = session.environment.program.as_ref().and_then(|path| path.to_str());
    path.map(str::to_owned).ok_or_else(|| {
        let sentence = say(
            "The path of this program is not known, or not UTF-8; --absolute cannot be used.",
            "不知道本程序的路径，或它不是 UTF-8；不能使用 --absolute。",
        );
        Error::new(ExitCode::Usage, "usage", sentence, &[])
    })
}

fn step(project: &Project, part: &Part, wiring: &Wiring, undo: bool) -> WiredFile {
    let (path, lang) = (part.path, wiring.lang);
    let action = Action::Unchanged;
    let file = WiredFile { path, action, line: None, text: None, reason: None, change: None, refusal: None };
    let (error, text) = match FileSnapshot::read(project, path) {
        Err(error) => (error, None),
        Ok(snapshot) => match edit(project, part, &snapshot, wiring, undo) {
            Ok(None) => return file,
            Ok(Some(Edit { action, whole, text, line })) => {
                let whole = (action != Action::Delete).then_some(whole);
                return WiredFile { action, text: Some(text), line, change: Some((snapshot, whole)), ..file };
            }
            Err(why) => {
                let sentence = say("{0} is left as it is. {1}", "{0} 保持原样。{1}");
                let message = Message::in_both(|lang| sentence.fill(lang, &[path, &why.text(lang)]));
                (Error::of(ExitCode::Exists, "not-ours", message), (!undo).then(|| part.fresh(wiring)))
            }
        },
    };
    let reason = Some(error.text(lang));
    WiredFile { action: Action::Refused, text, reason, refusal: Some(error), ..file }
}

/// What becomes of a file, or why it is not touched.
fn edit(
    project: &Project,
    part: &Part,
    snapshot: &FileSnapshot,
    wiring: &Wiring,
    undo: bool,
) -> Result<Option<Edit>, Message> {
    let old = snapshot.bytes.as_deref();
    let edit = if undo { part.unwire(old)? } else { part.wire(old, wiring)? };
    let same_file =
        |other: &&&str| FileSnapshot::read(project, other).is_ok_and(|other| other.is_same_file(snapshot));
    let others: &[&str] = if part.content == Content::Instructions { &OTHER_INSTRUCTIONS } else { &[] };
    match others.iter().find(same_file).filter(|_| edit.is_some()) {
        Some(other) => {
            Err(Message::new(say("It is one file with {0}.", "它与 {0} 是同一个文件。"), &[other]))
        }
        None => Ok(edit),
    }
}

fn print(
    session: &mut Session<'_>,
    steps: Vec<WiredFile>,
    write: bool,
    arguments: &InitArgs,
) -> Result<ExitCode, Error> {
    let refusal = steps.iter().find_map(|step| step.refusal.as_ref());
    let exit = refusal.map_or(ExitCode::Done, |error| error.kind);
    let pending = steps.iter().any(|step| step.change.is_some());
    let written = write && pending;
    let (status, sentence) = match (refusal.is_some(), pending, written, arguments.undo) {
        (true, ..) => ("refused", say("Nothing was written.", "没有写入任何内容。")),
        (_, false, _, false) => ("unchanged", say("Everything is already wired.", "已全部接好。")),
        (_, false, _, true) => ("unchanged", say("Nothing of init's is there.", "没有 init 写入的内容。")),
        (_, _, true, false) => ("written", say("The project is wired.", "项目已接好。")),
        (_, _, true, true) => ("written", say("What init wrote is gone.", "init 写入的内容已全部移除。")),
        _ => {
            ("planned", say("Nothing was written; --write writes it.", "没有写入任何内容；用 --write 写入。"))
        }
    };
    let is_told = !arguments.undo && refusal.is_none();
    let notes = if is_told { notes(session, &steps, arguments) } else { Vec::new() };
    if session.global.json {
        let message = match refusal {
            Some(error) => error.text(session.lang),
            None => sentence.text(session.lang).to_owned(),
        };
        let code = refusal.map_or(status, |error| error.code);
        let body = InitOutput { files: steps, written, notes };
        return session.json(Head::new(status, exit, code, message), body);
    }
    for step in steps.iter().filter(|step| !arguments.undo || step.action != Action::Unchanged) {
        let line = step.line.map(|line| line.to_string()).unwrap_or_default();
        let mut lines = vec![step.action.sentence(written).fill(session.lang, &[step.path, &line])];
        let text = step.text.iter().flat_map(|text| text.lines()).map(|line| format!("    {line}"));
        let Some(reason) = &step.reason else {
            lines.extend(text.filter(|_| !written));
            session.print(&lines)?;
            continue;
        };
        session.print(&lines)?;
        let by_hand = say("To be added by hand:", "请手动加入：").text(session.lang).to_owned();
        let by_hand = step.text.is_some().then_some(by_hand);
        session.warn(&[reason.clone()].into_iter().chain(by_hand).chain(text).collect::<Vec<_>>());
    }
    session.print(&[&[sentence.text(session.lang).to_owned()], notes.as_slice()].concat())?;
    Ok(exit)
}

/// What the author must see to before what is written works.
fn notes(session: &Session<'_>, steps: &[WiredFile], arguments: &InitArgs) -> Vec<String> {
    let environment = &session.environment;
    let found = arguments.absolute || file::find_program(PROGRAM, environment.path.as_deref()).is_some();
    let path = environment.program.as_deref().map(|path| path.to_string_lossy());
    let path = path.as_deref().unwrap_or(PROGRAM);
    let missing = (!found).then(|| client::NOT_IN_PATH.fill(session.lang, &[path]));
    let is_new = |part: &&Part| steps.iter().any(|step| step.path == part.path && step.change.is_some());
    let trusts = client::PARTS.iter().filter(is_new).filter_map(Part::trust);
    missing.into_iter().chain(trusts.map(|trust| trust.text(session.lang).to_owned())).collect()
}

impl Action {
    fn sentence(self, written: bool) -> Sentence {
        match (self, written) {
            (Action::Create, false) => say("{0}: would be created:", "{0}：将新建："),
            (Action::Create, true) => say("{0}: created.", "{0}：已新建。"),
            (Action::Insert, false) => {
                say("{0}: this would be inserted at line {1}:", "{0}：将在第 {1} 行插入：")
            }
            (Action::Insert, true) => say("{0}: inserted at line {1}.", "{0}：已在第 {1} 行插入。"),
            (Action::Update, false) => {
                say("{0}: the marked part would become:", "{0}：标记之间的部分将变为：")
            }
            (Action::Update, true) => say("{0}: the marked part is updated.", "{0}：标记之间的部分已更新。"),
            (Action::Remove, false) => {
                say("{0}: this would be taken out at line {1}:", "{0}：将移除第 {1} 行起的以下内容：")
            }
            (Action::Remove, true) => say("{0}: taken out at line {1}.", "{0}：已移除第 {1} 行起的内容。"),
            (Action::Delete, false) => {
                say("{0}: would be deleted; all there is in it is:", "{0}：将删除；其中只有：")
            }
            (Action::Delete, true) => say("{0}: deleted.", "{0}：已删除。"),
            (Action::Unchanged, _) => say("{0}: already up to date.", "{0}：已符合要求。"),
            (Action::Refused, _) => say("{0}: refused.", "{0}：拒绝改动。"),
        }
    }
}

fn altered() -> Message {
    say(
        "What it says of novel-gate is not as init writes it; remove that by hand.",
        "其中关于 novel-gate 的内容与 init 写入的不同；请手动移除。",
    )
    .into()
}
