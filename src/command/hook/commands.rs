//! Commands of a shell that would go past a gate: none advances or commits a step that is held up, nor one before which a standing
//! question is due that no packet carries yet. What cannot be understood passes: this is no wall.

use super::advances::{self, Advance};
use super::call::{Call, Tool, Verdict, check_whole, project_of, searched, shown};
use super::held::{self, Reason, attach_all, is_held};
use super::shell::Place;
use crate::adapter::profile::Executor;
use crate::ask::json::{Item, Kind};
use crate::ask::step::Step;
use crate::command::Session;
use crate::error::Error;
use crate::platform::paths::canonicalize;
use crate::store::Project;
use crate::store::entry::Entry;
use crate::store::questions::planned;
use crate::store::scan::{self, Scanner, Wanted};
use crate::text::say;
use std::path::Path;
use std::sync::Arc;

/// So many commands of one call are looked at.
const MOST: usize = 100;

/// Whether a call of a shell may run. One that concerns no step costs no more than to read its text.
pub(super) fn judge(
    session: &mut Session<'_>,
    executor: Executor,
    whole: Item<'_>,
) -> Result<Verdict, Error> {
    let (Some(input), Some(cwd)) = (whole.object("tool_input"), whole.text("cwd")) else {
        return Ok(Verdict::None);
    };
    let cwd = session.environment.cwd.join(&*cwd.lossy());
    let mut denied = None;
    for (project, steps) in by_project(session, executor, advances(session, input, &cwd), &cwd) {
        let (cwd, files) = (cwd.clone(), Vec::new());
        let call = Call { project, cwd, executor, tool: Tool::Shell, input, files, whole };
        let reason = refusal(session, &call, &steps)?;
        if !reason.lines.is_empty() {
            denied = Some((call, reason));
            break;
        }
    }
    let Some((call, mut reason)) = denied else { return Ok(Verdict::None) };
    let last = say(
        "Then run it again. Do not answer for the author, and do not write the record by hand.",
        "之后再运行。不要替作者回答，也不要手写记录。",
    );
    reason.lines.push(last.text(session.lang).to_owned());
    Ok(reason.deny(&call))
}

/// The steps that a call would advance: its command is a text, or words.
fn advances(session: &Session<'_>, input: Item<'_>, cwd: &Path) -> Vec<Advance> {
    let place = Place { dir: cwd.into(), home: session.environment.home.as_deref().map(Path::new) };
    let Some(command) = input.given("command") else { return Vec::new() };
    if command.kind() == Kind::Array {
        let words = command.elements().map(|word| word.string().map(|word| word.lossy().into_owned()));
        return words
            .collect::<Option<Vec<_>>>()
            .map(|words| advances::of_words(&words, &place))
            .unwrap_or_default();
    }
    let text = command.string().map(|text| text.lossy().into_owned()).unwrap_or_default();
    advances::of_text(searched(&text), &place)
}

/// The steps of each project; those of none are refused by the executor.
fn by_project(
    session: &Session<'_>,
    executor: Executor,
    advances: Vec<Advance>,
    cwd: &Path,
) -> Vec<(Arc<Project>, Vec<Step>)> {
    let mut all: Vec<(Arc<Project>, Vec<Step>)> = Vec::new();
    for Advance { step, dir, project } in advances.into_iter().take(MOST) {
        let found =
            project.map_or_else(|| around(session, executor, &dir, cwd), |named| Project::open(&named).ok());
        let Some(found) = found else { continue };
        match all.iter_mut().find(|(known, _)| known.root() == found.root()) {
            Some((_, steps)) if steps.contains(&step) => {}
            Some((_, steps)) => steps.push(step),
            None => all.push((Arc::new(found.patient()), vec![step])),
        }
    }
    all
}

/// The project in which a command is run that names none. The client may know better where it is than its call says.
fn around(session: &Session<'_>, executor: Executor, dir: &Path, cwd: &Path) -> Option<Project> {
    let here = canonicalize(dir).ok().and_then(|dir| Project::find(None, &dir).ok());
    here.or_else(|| project_of(session, executor, &[], cwd).ok().filter(|_| dir == cwd))
}

/// Why these steps of a project may not be advanced.
fn refusal(session: &mut Session<'_>, call: &Call<'_>, steps: &[Step]) -> Result<Reason, Error> {
    let named: Vec<String> = steps.iter().map(Step::to_string).collect();
    let scanner = scan::look_for(&call.project, Wanted::told(&named.join(" ")), session.clock.now());
    attach_all(session, call, &scanner);
    let entries = scanner.entries();
    let held: Vec<&Entry> = entries
        .iter()
        .map(|entry| &**entry)
        .filter(|entry| is_held(entry) && steps.iter().any(|step| is_of(entry, *step)))
        .collect();
    let lang = session.lang;
    let what = say("The step {0} may not be advanced or committed: ", "步骤 {0} 不能推进或提交：");
    let mut reason = held::reason(lang, call, &held, |entry| what.fill(lang, &[&shown(&entry.title())]));
    let due = steps.iter().filter(|step| is_due(session, call, &scanner, &entries, **step));
    for step in due.take(held::NAMED) {
        let sentence = say(
            "The author wants to be asked before the step {0}, which has no packet yet. Write the packet first: novel instructions {0} \
             --json --write-manifest{1}. Then wait for the answers: novel-gate wait {0}{1}",
            "作者要求在步骤 {0} 之前先问他，而这一步还没有指令包。请先写出指令包：novel instructions {0} --json --write-manifest{1}。\
             然后等待回答：novel-gate wait {0}{1}",
        );
        reason.lines.push(sentence.fill(lang, &[&step.to_string(), &call.elsewhere(&call.project)]));
    }
    if reason.lines.is_empty() {
        check_whole(&scanner)?;
    }
    Ok(reason)
}

/// Whether an entry is the packet of a step; of one that cannot be used only its name may tell.
fn is_of(entry: &Entry, step: Step) -> bool {
    match &entry.step {
        Some(id) => id.as_str().and_then(Step::parse) == Some(step),
        None => entry.stem() == step.to_string().replace(':', "-"),
    }
}

/// Whether a standing question is due before a step, and no packet is there to carry it.
fn is_due(
    session: &Session<'_>,
    call: &Call<'_>,
    scanner: &Scanner,
    entries: &[Arc<Entry>],
    step: Step,
) -> bool {
    let now = session.clock.now();
    if entries.iter().any(|entry| is_of(entry, step) && (is_held(entry) || scanner.is_live(entry, now))) {
        return false;
    }
    let (questions, is_past) = planned(&call.project, scanner.questions(), step);
    !is_past && questions.iter().any(|question| question.standing.rules.is_enabled && !question.is_answered())
}
