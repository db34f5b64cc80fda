//! `show`: one gate in full. Questions, record, problems, expected outputs and whether they are there.

use super::{Session, report};
use crate::ask::object::{js_list, list};
use crate::ask::{self, Cause, CauseKind, Gate, JsString, Kind, Object, Problem, Question};
use crate::cli::OnePacket;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::collision::{Other, others};
use crate::store::gate::{self, LoadFault, Loaded, Output, Status};
use crate::store::{Project, RecordState, history, scan};
use crate::text::{Lang, Sentence, say};
use std::path::Path;
use std::sync::Arc;

/// Runs it.
///
/// # Errors
/// There is no project or no such packet.
pub fn run(session: &mut Session<'_>, arguments: &OnePacket) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    let path = session.packet(&project, &arguments.packet)?;
    let shown = project.relative(&path).to_string_lossy().into_owned();
    match gate::load(&project, &path) {
        Ok(loaded) => {
            let now = session.clock.now();
            let step = loaded.packet.step.as_ref();
            let around = Around {
                outputs: loaded.outputs(&project),
                others: loaded.gate().map(|gate| others(&project, &path, gate, now)).unwrap_or_default(),
                past: step.is_some_and(|step| scan::has_passed(&project, step)),
                causes: causes(session, &project, &loaded),
            };
            session.note_seen(&project, &loaded);
            if session.global.json {
                let seen =
                    Seen { status: loaded.status(), loaded: Some(&loaded), problems: problems_of(&loaded) };
                session.json(packet_json(&shown, &seen, &around, session.lang))?;
            } else {
                let lines = packet_lines(&shown, &loaded, &around, session.lang);
                session.say(&lines)?;
            }
            Ok(ExitCode::Done)
        }
        Err(LoadFault::Malformed(problems)) => malformed(session, &project, &path, &problems),
        Err(LoadFault::Unreadable(error)) => Err(error),
    }
}

/// A packet as it was found.
struct Seen<'s> {
    status: Status,
    /// `None` if it is malformed.
    loaded: Option<&'s Loaded>,
    problems: &'s [Problem],
}

/// What is known of a gate beside its packet and its record.
#[derive(Default)]
struct Around {
    outputs: Vec<Output>,
    others: Vec<Other>,
    past: bool,
    causes: Vec<Cause>,
}

impl Around {
    fn others(&self) -> impl Iterator<Item = (String, bool)> {
        self.others.iter().map(|other| (other.path.to_string_lossy().into_owned(), other.agrees))
    }
}

fn malformed(
    session: &mut Session<'_>,
    project: &Project,
    path: &Path,
    problems: &[Problem],
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let shown = project.relative(path).to_string_lossy().into_owned();
    let message = gate::verdict(Status::Malformed).text(lang);
    if session.global.json {
        let seen = Seen { status: Status::Malformed, loaded: None, problems };
        session.json(packet_json(&shown, &seen, &Around::default(), lang))?;
    } else {
        let mut lines = vec![shown, message];
        lines.extend(report::problem_lines(problems, lang));
        session.say(&lines)?;
    }
    Ok(ExitCode::Malformed)
}

/// Why the record is invalid, as far as the history helps to tell.
fn causes(session: &Session<'_>, project: &Project, loaded: &Loaded) -> Vec<Cause> {
    let Some(gate) = loaded.gate() else { return Vec::new() };
    if loaded.status() != Status::Blocked {
        return Vec::new();
    }
    let bytes = &loaded.record.bytes;
    let state = session.state(project).ok();
    let then = state.and_then(|state| history::asked_for(&state, &gate.answer_path, bytes));
    ask::causes(bytes, problems_of(loaded), &gate.spec, then.as_ref())
}

fn problems_of(loaded: &Loaded) -> &[Problem] {
    match &loaded.record.state {
        RecordState::Invalid(problems) => problems,
        _ => &[],
    }
}

/// The same members whatever the state, so that programs need no cases.
fn packet_json(shown: &str, seen: &Seen<'_>, around: &Around, lang: Lang) -> Object {
    let status = seen.status;
    let gate = seen.loaded.and_then(Loaded::gate);
    let packet = seen.loaded.map(|loaded| &loaded.packet);
    let code = if status == Status::NoGate { "no-gate" } else { status.name() };
    let exit = if status == Status::Malformed { ExitCode::Malformed } else { ExitCode::Done };
    let object = report::head(status.name(), exit, code, &gate::verdict(status).text(lang))
        .text("packet", shown)
        .js_or_null("step", packet.and_then(|packet| packet.step.as_ref()))
        .js_or_null("agent", packet.and_then(|packet| packet.agent.as_ref()))
        .js_or_null("topic", gate.map(|gate| &gate.spec.topic));
    let object = report::place(object, gate, seen.loaded.and_then(|loaded| loaded.refusal));
    let object = report::others(object, around.others()).boolean("past", around.past);
    let questions = gate.map(|gate| gate.spec.questions.as_slice()).unwrap_or_default();
    let object = object
        .raw("questions", &list(questions.iter().map(question_json)))
        .raw("record", &seen.loaded.map_or_else(|| "null".to_owned(), record_json))
        .text_or_null("record_sha256", seen.loaded.and_then(record_hash).as_deref());
    let next_actions = packet.map(|packet| packet.next_actions.as_slice()).unwrap_or_default();
    report::problems(object, seen.problems, lang)
        .raw("causes", &list(around.causes.iter().map(|cause| cause_json(cause, lang))))
        .raw("expected_outputs", &list(around.outputs.iter().map(output_json)))
        .raw("next_actions", &js_list(next_actions))
}

pub(super) fn record_hash(loaded: &Loaded) -> Option<String> {
    (loaded.record.exists() && loaded.record.is_read()).then(|| loaded.record.sha256())
}

pub(super) fn record_json(loaded: &Loaded) -> String {
    let RecordState::Valid(record) = &loaded.record.state else { return "null".to_owned() };
    let answers = record.answers.iter().fold(Object::new(), |object, (id, answer)| {
        let mut json = String::new();
        answer.write_json(&mut json);
        object.raw(id, &json)
    });
    let object = Object::new()
        .raw("version", &record.version.to_string())
        .js("topic", &record.topic)
        .raw("answers", &answers.finish())
        .js("answered_at", &record.answered_at)
        .js("answered_by", &record.answered_by);
    if record.notes.is_empty() {
        return object.finish();
    }
    let notes = record
        .notes
        .iter()
        .fold(Object::new(), |notes, (id, note)| notes.js_key(id, |out| note.write_json(out)));
    object.raw("_notes", &notes.finish()).finish()
}

fn question_json(question: &Question) -> String {
    match question.kind {
        Kind::FreeText => question.object().finish(),
        Kind::SingleChoice | Kind::MultiChoice => {
            question.object().raw("default", &js_list(question.default_labels())).finish()
        }
    }
}

fn cause_json(cause: &Cause, lang: Lang) -> String {
    let object = Object::new().text("code", cause.code()).text("pointer", &cause.pointer);
    let change = match &cause.kind {
        CauseKind::Changed(change) => Some(change.kind.code()),
        _ => None,
    };
    object.text_or_null("change", change).text("text", &cause.text(lang)).finish()
}

fn output_json(output: &Output) -> String {
    Object::new()
        .js("path", &output.path)
        .boolean("required", output.required)
        .boolean("exists", output.modified.is_some())
        .text_or_null("modified", output.modified.map(rfc3339_millis).as_deref())
        .finish()
}

fn packet_lines(shown: &str, loaded: &Loaded, around: &Around, lang: Lang) -> Vec<String> {
    let mut lines = vec![shown.to_owned(), gate::verdict(loaded.status()).text(lang)];
    let mut field = |name: Sentence, value: Option<&JsString>| {
        if let Some(value) = value {
            lines.push(say("{0}: {1}", "{0}：{1}").fill(lang, &[name.text(lang), &value.display()]));
        }
    };
    field(say("Step", "步骤"), loaded.packet.step.as_ref());
    field(say("Agent", "执行者"), loaded.packet.agent.as_ref());
    if let Some(gate) = loaded.gate() {
        field(say("Topic", "主题"), Some(&gate.spec.topic));
        field(say("Record", "记录"), Some(&gate.answer_path));
        lines.extend(report::other_lines(around.others(), lang));
        lines.extend(gate_lines(gate, (loaded, &around.causes), lang));
    }
    if around.past {
        let passed = say("The checkpoint has passed this step.", "检查点已越过这一步。");
        lines.push(passed.text(lang).to_owned());
    }
    let outputs = &around.outputs;
    if !outputs.is_empty() {
        lines.push(String::new());
        lines.push(say("Expected outputs:", "预期产物：").text(lang).to_owned());
        lines.extend(outputs.iter().map(|output| output_line(output, lang)));
    }
    if !loaded.packet.next_actions.is_empty() {
        lines.push(String::new());
        lines.push(say("Next actions:", "后续操作：").text(lang).to_owned());
        lines.extend(loaded.packet.next_actions.iter().map(|action| format!("  {}", action.display())));
    }
    lines
}

fn gate_lines(gate: &Gate, (loaded, causes): (&Loaded, &[Cause]), lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(refusal) = loaded.refusal {
        let warning = say("No record can be written: {0}", "无法写入记录：{0}");
        lines.push(warning.fill(lang, &[refusal.text(lang)]));
    }
    if let RecordState::Valid(record) = &loaded.record.state {
        let sentence = say("Answered by {0} at {1}", "由 {0} 于 {1} 回答");
        let parts = [record.answered_by.display(), record.answered_at.display()];
        lines.push(sentence.fill(lang, &[&parts[0], &parts[1]]));
    }
    lines.extend(report::problem_lines(problems_of(loaded), lang));
    if !causes.is_empty() {
        lines.push(say("Causes:", "原因：").text(lang).to_owned());
        lines.extend(causes.iter().map(|cause| format!("  {}", cause.text(lang))));
    }
    for (i, question) in gate.spec.questions.iter().enumerate() {
        lines.push(String::new());
        lines.push(question_line(i + 1, question, lang));
        lines.push(format!("   {}", question.question.display()));
        for (place, option) in question.options.iter().enumerate() {
            let default = if question.default.contains(&place) {
                say(" (default)", "（默认）")
            } else {
                say("", "")
            };
            lines.push(format!(
                "   - {}{}: {}",
                option.label.display(),
                default.text(lang),
                option.description.display()
            ));
        }
        if question.allow_other {
            lines.push(say("   - own words are allowed", "   - 可以填写其他内容").text(lang).to_owned());
        }
        lines.extend(answer_line(question, loaded, lang));
        lines.extend(note_line(question, loaded, lang));
    }
    lines
}

fn question_line(number: usize, question: &Question, lang: Lang) -> String {
    let needed = if question.required { say("required", "必答") } else { say("optional", "选答") };
    let kind = match question.kind {
        Kind::SingleChoice => say("single choice", "单选"),
        Kind::MultiChoice => say("multiple choice", "多选"),
        Kind::FreeText => say("free text", "文本"),
    };
    let parts = [number.to_string(), question.header.display().into_owned(), question.id.clone()];
    say("{0}. {1} [{2}], {3}, {4}", "{0}. {1} [{2}]，{3}，{4}")
        .fill(lang, &[&parts[0], &parts[1], &parts[2], kind.text(lang), needed.text(lang)])
}

fn answer_line(question: &Question, loaded: &Loaded, lang: Lang) -> Option<String> {
    let RecordState::Valid(record) = &loaded.record.state else { return None };
    let (_, answer) = record.answers.iter().find(|(id, _)| *id == question.id)?;
    let values: Vec<String> = answer.values().iter().map(|value| value.display().into_owned()).collect();
    let joined = values.join(if lang == Lang::En { ", " } else { "、" });
    Some(say("   = {0}", "   = {0}").fill(lang, &[&joined]))
}

fn note_line(question: &Question, loaded: &Loaded, lang: Lang) -> Option<String> {
    let RecordState::Valid(record) = &loaded.record.state else { return None };
    let (_, note) = record.notes.iter().find(|(id, _)| *id == question.id.as_str())?;
    Some(say("   Note: {0}", "   附注：{0}").fill(lang, &[&note.display()]))
}

fn output_line(output: &Output, lang: Lang) -> String {
    let sentence = match (output.modified.is_some(), output.required) {
        (true, _) => say("  {0}: there", "  {0}：已有"),
        (false, true) => say("  {0}: missing", "  {0}：缺少"),
        (false, false) => say("  {0}: not there (optional)", "  {0}：没有（可选）"),
    };
    sentence.fill(lang, &[&output.path.display()])
}
