//! `init`: shows the files that wire the program into a project's executors and, with `--write`, writes them: all of them,
//! or none if one is refused.

use super::output::{Head, Output, form, head};
use super::{Session, skill};
use crate::cli::{Init, SkillName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::file_snapshot::FileSnapshot;
use crate::text::{Lang, Message, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

mod section;
mod settings;

const SKILL: &str = ".claude/skills/novel-gate/SKILL.md";
const SETTINGS: &str = ".claude/settings.json";
const AGENTS: &str = "AGENTS.md";

pub(super) const OUTPUT: Output = Output::new(
    "init-output",
    "What init --json prints. Exit 5 a file leads out of the project or cannot be written, 6 one is not ours to change.",
    &[form::<InitOutput>],
);

/// The files that wire novel-gate into a project's executors.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(
    &["planned", "written", "unchanged", "refused"],
    &[0, 1, 5, 6],
    &["planned", "written", "unchanged", "refused", "not-ours", "unreadable"],
))]
struct InitOutput<'a> {
    #[serde(flatten)]
    head: Head,
    /// Every file that is looked at.
    files: Vec<WiredFile<'a>>,
    /// Whether anything was written; if a file is refused, nothing is.
    written: bool,
}

/// One file.
#[derive(Serialize, JsonSchema)]
struct WiredFile<'a> {
    /// Relative to the project's root.
    path: &'a str,
    /// What is done with it, or would be.
    action: Action,
    /// The line where something goes in, from 1.
    line: Option<usize>,
    /// What is made or goes in; of a refused file, what to add by hand.
    text: Option<&'a str>,
    /// Why it is refused.
    reason: Option<String>,
}

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Create,
    Insert,
    Update,
    Unchanged,
    Refused,
}

/// One file.
struct PlannedFile {
    path: &'static str,
    action: Action,
    /// What is made or goes in; of a refused file, what to add by hand.
    text: String,
    /// The line where that begins, from 1.
    line: Option<usize>,
    /// What the file was and what it is to be.
    change: Option<(FileSnapshot, Vec<u8>)>,
    refusal: Option<Error>,
}

/// Shows what wires the project, and writes it with `--write`.
///
/// # Errors
/// There is no project, or a file could not be written.
pub fn run(session: &mut Session<'_>, arguments: &Init) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let wanted =
        |executor: SkillName| arguments.executors.is_empty() || arguments.executors.contains(&executor);
    let mut steps = Vec::new();
    if wanted(SkillName::ClaudeCode) {
        steps.push(step(&project, SKILL, |old| skill_file(old, session.lang)));
        steps.push(step(&project, SETTINGS, |old| settings_file(old, session.lang)));
    }
    if wanted(SkillName::Codex) {
        steps.push(step(&project, AGENTS, |old| agents_file(old, session.lang)));
    }
    let refused = steps.iter().any(|step| step.refusal.is_some());
    let mut written = 0;
    if arguments.write && !refused {
        for step in &steps {
            if let Some((snapshot, bytes)) = &step.change {
                snapshot.replace(&project, bytes).map_err(|error| name_written(error, &steps, written))?;
                written += 1;
            }
        }
    }
    print(session, &steps, arguments.write && !refused)
}

/// The change of one file, before its old content is known to be still there.
struct PlannedChange {
    action: Action,
    /// The whole new content.
    whole: String,
    text: String,
    line: Option<usize>,
}

/// Why a file is not touched, and what to add by hand.
struct Refused {
    why: Message,
    by_hand: String,
}

fn step(
    project: &Project,
    path: &'static str,
    change: impl FnOnce(Option<&[u8]>) -> Result<Option<PlannedChange>, Refused>,
) -> PlannedFile {
    let step = PlannedFile {
        path,
        action: Action::Unchanged,
        text: String::new(),
        line: None,
        change: None,
        refusal: None,
    };
    let snapshot = match FileSnapshot::read(project, path) {
        Ok(snapshot) => snapshot,
        Err(error) => return PlannedFile { action: Action::Refused, refusal: Some(error), ..step },
    };
    match change(snapshot.bytes.as_deref()) {
        Ok(None) => step,
        Ok(Some(PlannedChange { action, whole: new, text, line })) => {
            PlannedFile { action, text, line, change: Some((snapshot, new.into_bytes())), ..step }
        }
        Err(Refused { why, by_hand }) => {
            let sentence = say("{0} is left as it is. {1}", "{0} 保持原样。{2}");
            let parts = [why.text(Lang::En), why.text(Lang::ZhCn)];
            let error = Error::new(ExitCode::Exists, "not-ours", sentence, &[path, &parts[0], &parts[1]]);
            PlannedFile { action: Action::Refused, text: by_hand, refusal: Some(error), ..step }
        }
    }
}

fn utf8(bytes: &[u8], by_hand: &str) -> Result<String, Refused> {
    let refuse = |_| Refused {
        why: say("It is not UTF-8.", "它不是 UTF-8。").into(),
        by_hand: by_hand.to_owned(),
    };
    String::from_utf8(bytes.to_vec()).map_err(refuse)
}

fn skill_file(old: Option<&[u8]>, lang: Lang) -> Result<Option<PlannedChange>, Refused> {
    let about = say(
        "Ask the author the questions of a gate (a packet with novel_ask) and wait for the record. Use it before running \
         any step whose packet has novel_ask.",
        "就门控（带 novel_ask 的指令包）向作者提问并等待记录。凡指令包带有 novel_ask，运行其步骤之前使用。",
    );
    let words = skill::text(SkillName::ClaudeCode, lang);
    let fresh = format!(
        "---\nname: novel-gate\ndescription: {}\n---\n\n{}",
        about.text(lang),
        section::marked(words)
    );
    let Some(bytes) = old else { return Ok(Some(created(fresh))) };
    let text = utf8(bytes, &fresh)?;
    if !section::is_ours(&text) {
        let why = say(
            "It is not novel-gate's: it has no line <!-- novel-gate begin -->.",
            "它不是 novel-gate 的文件：其中没有 <!-- novel-gate begin --> 一行。",
        );
        return Err(Refused { why: why.into(), by_hand: fresh });
    }
    in_section(&text, words)
}

fn agents_file(old: Option<&[u8]>, lang: Lang) -> Result<Option<PlannedChange>, Refused> {
    let words = skill::text(SkillName::Codex, lang);
    match old {
        None => Ok(Some(created(section::marked(words)))),
        Some(bytes) => in_section(&utf8(bytes, &section::marked(words))?, words),
    }
}

fn in_section(text: &str, words: &str) -> Result<Option<PlannedChange>, Refused> {
    let part = section::marked(words);
    match section::plan(text, words) {
        Ok(section::SectionEdit::Unchanged) => Ok(None),
        Ok(section::SectionEdit::Update(whole)) => {
            Ok(Some(PlannedChange { action: Action::Update, whole, text: part, line: None }))
        }
        Ok(section::SectionEdit::Insert(whole, line)) => {
            Ok(Some(PlannedChange { action: Action::Insert, whole, text: part, line: Some(line) }))
        }
        Err(why) => Err(Refused { why: why.into(), by_hand: part }),
    }
}

fn settings_file(old: Option<&[u8]>, lang: Lang) -> Result<Option<PlannedChange>, Refused> {
    let Some(bytes) = old else { return Ok(Some(created(settings::fresh(lang)))) };
    match settings::plan(bytes, lang) {
        Ok(settings::SettingsEdit::Unchanged) => Ok(None),
        Ok(settings::SettingsEdit::Insert { text, piece, line }) => {
            Ok(Some(PlannedChange { action: Action::Insert, whole: text, text: piece, line: Some(line) }))
        }
        Err(why) => Err(Refused { why, by_hand: settings::fresh(lang) }),
    }
}

fn created(text: String) -> PlannedChange {
    PlannedChange { action: Action::Create, whole: text.clone(), text, line: None }
}

/// Adds to an error which files were written before it.
fn name_written(error: Error, steps: &[PlannedFile], written: usize) -> Error {
    let changed = steps.iter().filter(|step| step.change.is_some());
    let names: Vec<&str> = changed.take(written).map(|step| step.path).collect();
    if names.is_empty() {
        return error;
    }
    error.hint(say("Written before that: {0}.", "在此之前已写入：{0}。"), &[&names.join(", ")])
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
            (Action::Unchanged, _) => say("{0}: already up to date.", "{0}：已符合要求。"),
            (Action::Refused, _) => say("{0}: refused.", "{0}：拒绝改动。"),
        }
    }
}

fn print(session: &mut Session<'_>, steps: &[PlannedFile], write: bool) -> Result<ExitCode, Error> {
    let refusal = steps.iter().find_map(|step| step.refusal.as_ref());
    let exit = refusal.map_or(ExitCode::Done, |error| error.kind);
    let pending = steps.iter().any(|step| step.change.is_some());
    let written = write && pending;
    let (status, sentence) = match (refusal.is_some(), pending, written) {
        (true, ..) => ("refused", say("Nothing was written.", "没有写入任何内容。")),
        (_, false, _) => ("unchanged", say("Everything is already wired.", "已全部接好。")),
        (_, _, true) => ("written", say("The project is wired.", "项目已接好。")),
        _ => {
            ("planned", say("Nothing was written; --write writes it.", "没有写入任何内容；用 --write 写入。"))
        }
    };
    if session.global.json {
        let message = match refusal {
            Some(error) => error.text(session.lang),
            None => sentence.text(session.lang).to_owned(),
        };
        let code = refusal.map_or(status, |error| error.code);
        let files = steps.iter().map(|step| WiredFile::of(step, session.lang)).collect();
        session.json(InitOutput { head: Head::new(status, exit, code, message), files, written })?;
        return Ok(exit);
    }
    for step in steps {
        let line = step.line.map(|line| line.to_string()).unwrap_or_default();
        let mut lines = vec![step.action.sentence(written).fill(session.lang, &[step.path, &line])];
        if !written && step.refusal.is_none() {
            lines.extend(step.text.lines().map(|line| format!("    {line}")));
        }
        session.print(&lines)?;
    }
    if refusal.is_some() {
        warn_refused(session, steps);
    }
    session.print(&[sentence.text(session.lang).to_owned()])?;
    Ok(exit)
}

/// Warns why files are refused, and what to add by hand.
fn warn_refused(session: &mut Session<'_>, steps: &[PlannedFile]) {
    for step in steps {
        let Some(error) = &step.refusal else { continue };
        let mut lines = vec![error.text(session.lang)];
        if !step.text.is_empty() {
            lines.push(say("To be added by hand:", "请手动加入：").text(session.lang).to_owned());
            lines.extend(step.text.lines().map(|line| format!("    {line}")));
        }
        session.warn(&lines);
    }
}

impl WiredFile<'_> {
    fn of(step: &PlannedFile, lang: Lang) -> WiredFile<'_> {
        WiredFile {
            path: step.path,
            action: step.action,
            line: step.line,
            text: Some(step.text.as_str()).filter(|text| !text.is_empty()),
            reason: step.refusal.as_ref().map(|error| error.text(lang)),
        }
    }
}
