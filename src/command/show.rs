//! `show`: one gate in full. Questions, record, problems, expected outputs and whether they are there.

use super::input::NamedPacket;
use super::output::{
    Destination, Head, Others, Output, PacketPath, Past, Problems, RecordHash, STATE_CODES, STATES,
    StepFacts, form,
};
use super::{Session, lines};
use crate::ask::{self, AnswerSpec, Cause, Choice, Gate, JsString, Kind, Question};
use crate::cli::PacketArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::{local_time_of, rfc3339_millis};
use crate::store::collision::others;
use crate::store::gate::{self, Loaded, Status};
use crate::store::relay::is_orphaned;
use crate::store::{Project, history, scan};
use crate::text::{Lang, Sentence, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) const OUTPUT: Output = Output::new(
    "show-output",
    "What show --json prints: one gate in full. Exit 0, and 5 if the packet is malformed.",
    &[form::<ShowOutput>(STATES, &[0, 5], STATE_CODES)],
);

/// A packet, its questions, its record and what is around it.
#[derive(Serialize, JsonSchema)]
struct ShowOutput {
    packet: PacketPath,
    #[serde(flatten)]
    step: StepFacts,
    #[serde(flatten)]
    place: Destination,
    #[serde(flatten)]
    others: Others,
    past: Past,
    /// Whether nobody waits any more for the answers to this question of an executor's own.
    orphaned: bool,
    /// The questions in their order.
    questions: Vec<ShownQuestion>,
    /// The record, if it is valid.
    record: Option<AnswerSpec>,
    record_sha256: RecordHash,
    problems: Problems,
    /// Why the record is invalid, as far as it can be told.
    causes: Vec<ShownCause>,
    /// What the step is to make; never the record.
    expected_outputs: Vec<ExpectedOutput>,
    /// What the packet says is to be done next.
    next_actions: Vec<JsString>,
}

/// One question, as the packet asks it.
#[derive(Serialize, JsonSchema)]
struct ShownQuestion {
    /// Its id.
    id: String,
    /// Its short title.
    header: JsString,
    /// Its words.
    question: JsString,
    /// How it is answered.
    #[schemars(extend("enum" = Kind::ALL.map(Kind::name)))]
    kind: &'static str,
    /// Whether it must be answered.
    required: bool,
    #[serde(flatten)]
    choices: Option<Choices>,
}

#[derive(Serialize, JsonSchema)]
struct Choices {
    /// Its options; none for free text.
    options: Vec<Choice>,
    /// Whether own words are an answer.
    allow_other: bool,
    /// The labels of its defaults.
    default: Vec<JsString>,
}

/// Why a record is invalid.
#[derive(Serialize, JsonSchema)]
struct ShownCause {
    /// Which cause; stable.
    code: &'static str,
    /// JSON pointer to what it concerns.
    pointer: String,
    /// What changed in the questions since, if that is the cause.
    change: Option<&'static str>,
    /// The same in a sentence.
    text: String,
}

/// A file that the step is to make.
#[derive(Serialize, JsonSchema)]
struct ExpectedOutput {
    /// Its path, as the packet spells it.
    path: JsString,
    /// Whether the step must make it.
    required: bool,
    /// Whether it is there.
    exists: bool,
    /// When it was last written.
    #[schemars(extend("format" = "date-time"))]
    modified: Option<String>,
}

pub fn run(session: &mut Session<'_>, arguments: &PacketArgs) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    let packet = NamedPacket::load(session, &project, &arguments.packet)?;
    let around = packet.loaded().map(|loaded| Around::of(session, &project, loaded)).unwrap_or_default();
    if let Some(loaded) = packet.loaded() {
        session.note_seen(&project, loaded);
    }
    let lang = session.lang;
    let mut lines = vec![packet.shown.clone(), gate::verdict(packet.status()).text(lang)];
    match &packet.loaded {
        Ok(loaded) => lines.extend(packet_lines(loaded, &around, &session.clock.local_now(), lang)),
        Err(problems) => lines.extend(lines::problems(problems, lang)),
    }
    let exit = if packet.loaded.is_ok() { ExitCode::Done } else { ExitCode::Malformed };
    let head = Head::of_state(packet.status(), exit, lang);
    session.output(head, ShowOutput::of(&packet, &around, lang), &lines)
}

/// What is known of a gate beside its packet and its record.
#[derive(Default)]
struct Around {
    outputs: Vec<gate::Output>,
    others: Vec<(PathBuf, bool)>,
    past: bool,
    orphaned: bool,
    causes: Vec<Cause>,
}

impl Around {
    fn of(session: &Session<'_>, project: &Arc<Project>, loaded: &Loaded) -> Around {
        let others = |gate| others(project, &loaded.path, gate, session.clock.now());
        let step = loaded.packet.step.as_ref();
        Around {
            outputs: loaded.outputs(project),
            others: loaded.gate().map(others).unwrap_or_default(),
            past: step.is_some_and(|step| scan::has_passed(project, step)),
            orphaned: is_orphaned(project, project.relative(&loaded.path)),
            causes: causes(session, project, loaded),
        }
    }

    fn others(&self) -> impl Iterator<Item = (String, bool)> {
        self.others.iter().map(|(path, agrees)| (path.to_string_lossy().into_owned(), *agrees))
    }
}

/// Why the record is invalid, as far as the history shows.
fn causes(session: &Session<'_>, project: &Project, loaded: &Loaded) -> Vec<Cause> {
    let Some(gate) = loaded.gate() else { return Vec::new() };
    if loaded.status() != Status::Blocked {
        return Vec::new();
    }
    let bytes = &loaded.record.bytes;
    let state = session.state(project).ok();
    let then = state.and_then(|state| history::asked_for(&state, &gate.answer_path, bytes));
    ask::causes(bytes, loaded.problems(), &gate.spec, then.as_ref())
}

impl ShowOutput {
    /// The same members whatever the state, so that programs need no cases.
    fn of(named: &NamedPacket, around: &Around, lang: Lang) -> ShowOutput {
        let (loaded, gate) = (named.loaded(), named.gate());
        let packet = loaded.map(|loaded| &loaded.packet);
        ShowOutput {
            packet: PacketPath(named.shown.clone()),
            step: StepFacts {
                step: packet.and_then(|packet| packet.step.clone()),
                agent: packet.and_then(|packet| packet.agent.clone()),
                topic: gate.map(|gate| gate.spec.topic.clone()),
            },
            place: Destination::of(loaded),
            others: Others::of(around.others()),
            past: Past(around.past),
            orphaned: around.orphaned,
            questions: gate.iter().flat_map(|gate| &gate.spec.questions).map(ShownQuestion::of).collect(),
            record: loaded.and_then(|loaded| loaded.record.valid().cloned()),
            record_sha256: RecordHash::of(loaded.map(|loaded| &loaded.record)),
            problems: Problems::of(named.problems(), lang),
            causes: around.causes.iter().map(|cause| ShownCause::of(cause, lang)).collect(),
            expected_outputs: around.outputs.iter().map(ExpectedOutput::of).collect(),
            next_actions: packet.map(|packet| packet.next_actions.clone()).unwrap_or_default(),
        }
    }
}

impl ShownQuestion {
    fn of(question: &Question) -> ShownQuestion {
        let choices = Choices {
            options: question.options.clone(),
            allow_other: question.allow_other,
            default: question.default_labels().cloned().collect(),
        };
        ShownQuestion {
            id: question.id.clone(),
            header: question.header.clone(),
            question: question.question.clone(),
            kind: question.kind.name(),
            required: question.required,
            choices: (question.kind != Kind::FreeText).then_some(choices),
        }
    }
}

impl ShownCause {
    fn of(cause: &Cause, lang: Lang) -> ShownCause {
        let change = cause.change.as_ref().map(|change| change.kind.code());
        ShownCause { code: cause.code, pointer: cause.pointer.clone(), change, text: cause.text(lang) }
    }
}

impl ExpectedOutput {
    fn of(output: &gate::Output) -> ExpectedOutput {
        ExpectedOutput {
            path: output.path.clone(),
            required: output.required,
            exists: output.modified.is_some(),
            modified: output.modified.map(rfc3339_millis),
        }
    }
}

fn packet_lines(loaded: &Loaded, around: &Around, now: &Zoned, lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
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
        lines.extend(lines::others(around.others(), lang));
        lines.extend(gate_lines(gate, loaded, &around.causes, now, lang));
    }
    if around.past {
        let passed = say("The checkpoint has passed this step.", "检查点已越过这一步。");
        lines.push(passed.text(lang).to_owned());
    }
    if around.orphaned {
        let left = say(
            "Nobody waits for the answers, unless the same is asked again.",
            "已无人等待回答，除非再次问到同样的问题。",
        );
        lines.push(left.text(lang).to_owned());
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

fn gate_lines(gate: &Gate, loaded: &Loaded, causes: &[Cause], now: &Zoned, lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(loaded.refusal.map(|refusal| lines::unwritable(refusal, lang)));
    if let Some(record) = loaded.record.valid() {
        let sentence = say("Answered by {0}, {1}", "由 {0} 于{1}回答");
        let at = local_time_of(&record.answered_at.display(), now, lang);
        lines.push(sentence.fill(lang, &[&record.answered_by.display(), &at]));
    }
    lines.extend(lines::problems(loaded.problems(), lang));
    if !causes.is_empty() {
        lines.push(say("Causes:", "原因：").text(lang).to_owned());
        lines.extend(causes.iter().map(|cause| format!("  {}", cause.text(lang))));
    }
    for (i, question) in gate.spec.questions.iter().enumerate() {
        lines.push(String::new());
        lines.push(question_line(i + 1, question, lang));
        lines.push(format!("   {}", question.question.display()));
        for (place, option) in question.options.iter().enumerate() {
            let is_default = question.default.contains(&place);
            let default = if is_default { say(" (default)", "（默认）") } else { say("", "") }.text(lang);
            let (label, description) = (option.label.display(), option.description.display());
            lines.push(format!("   - {label}{default}: {description}"));
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
        Kind::FreeText => say("free text", "自由填写"),
    };
    let parts = [number.to_string(), question.header.display().into_owned(), question.id.clone()];
    say("{0}. {1} [{2}], {3}, {4}", "{0}. {1} [{2}]，{3}，{4}")
        .fill(lang, &[&parts[0], &parts[1], &parts[2], kind.text(lang), needed.text(lang)])
}

fn answer_line(question: &Question, loaded: &Loaded, lang: Lang) -> Option<String> {
    let (_, answer) = loaded.record.valid()?.answers.iter().find(|(id, _)| *id == question.id)?;
    Some(format!("   = {}", lines::values(answer, lang)))
}

fn note_line(question: &Question, loaded: &Loaded, lang: Lang) -> Option<String> {
    let (_, note) = loaded.record.valid()?.notes.iter().find(|(id, _)| *id == question.id.as_str())?;
    Some(say("   Note: {0}", "   备注：{0}").fill(lang, &[&note.display()]))
}

fn output_line(output: &gate::Output, lang: Lang) -> String {
    let sentence = match (output.modified.is_some(), output.required) {
        (true, _) => say("  {0}: there", "  {0}：已有"),
        (false, true) => say("  {0}: missing", "  {0}：缺少"),
        (false, false) => say("  {0}: not there (optional)", "  {0}：没有（可选）"),
    };
    sentence.fill(lang, &[&output.path.display()])
}
