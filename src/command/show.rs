//! `show`: one gate in full. Questions, record, problems, expected outputs and whether they are there.

use super::heard::Heard;
use super::input::NamedPacket;
use super::kept::{self, PrintedDraft};
use super::output::{
    Destination, Head, Lost, Others, Output, PacketPath, Past, Problems, RecordHash, STATE_CODES, STATES,
    StepFacts, form,
};
use super::sent_back::{self, REASON, SentBackOutput};
use super::{Session, lines};
use crate::ask::{self, AnswerSpec, Cause, Choice, JsString, Kind, Question, SIGNATURE};
use crate::cli::PacketArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::{local_time_of, rfc3339_millis};
use crate::store::collision::others;
use crate::store::drafts::kept::KeptDraft;
use crate::store::gate::{self, Loaded, Status};
use crate::store::hearing::{self, Hearing};
use crate::store::relay::is_orphaned;
use crate::store::{Project, checkpoint, history, older};
use crate::text::{Lang, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

pub(super) const OUTPUT: Output = Output::new(
    "show-output",
    "What show --json prints: one gate in full, or what is kept of one that is gone. Exit 0, and 5 if the packet is malformed.",
    &[form::<ShowOutput>(STATES, &[0, 5], STATE_CODES), form::<ShowKept>(&["kept"], &[0], &["kept-draft"])],
);

/// Nothing goes by this name any more, but drafts are kept of it.
#[derive(Serialize, JsonSchema)]
struct ShowKept {
    /// The newest first.
    kept_drafts: Vec<PrintedDraft>,
}

/// A packet, its questions, its record and what is around it.
#[derive(Serialize, JsonSchema)]
struct ShowOutput {
    packet: PacketPath,
    #[serde(flatten)]
    step: StepFacts,
    #[serde(flatten)]
    place: Destination,
    /// The name of the standing question that the gate is of.
    standing_question: Option<String>,
    /// What one answer to it holds for.
    span: Option<String>,
    /// Why the author wants to be asked it.
    why: Option<JsString>,
    #[serde(flatten)]
    others: Others,
    past: Past,
    /// Whether nobody waits any more for the answers to this question of an executor's own.
    orphaned: bool,
    /// Whether the record was there before the packet asked, as far as a console has seen it.
    older: bool,
    #[serde(flatten)]
    heard: Heard,
    /// The questions in their order.
    questions: Vec<ShownQuestion>,
    /// The record, if it is valid.
    record: Option<AnswerSpec>,
    record_sha256: RecordHash,
    problems: Problems,
    lost: Lost,
    /// What the author gave in place of an answer; null if nothing, or if what was refused is another by now.
    sent_back: Option<SentBackOutput>,
    /// Why the record is invalid, as far as it can be told.
    causes: Vec<ShownCause>,
    /// What the step is to make; never the record.
    expected_outputs: Vec<ExpectedOutput>,
    /// What the packet says is to be done next.
    next_actions: Vec<JsString>,
    /// Drafts of this packet or step without their gates.
    kept_drafts: Vec<PrintedDraft>,
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
    let (name, now) = (&arguments.packet, session.clock.local_now());
    let packet = match NamedPacket::load(session, &project, name) {
        Err(error) if error.code == "no-packet" => return show_kept(session, &project, name, error),
        packet => packet?,
    };
    let step = packet.loaded().and_then(|loaded| loaded.packet.step.as_ref());
    let kept = kept::named(session, &project, name, (Some(project.relative(&packet.path)), step));
    let hearing = packet.loaded().and_then(|loaded| hearing::hearing(&project, loaded));
    let output = ShowOutput::of(session, &project, &packet, hearing.as_ref(), &kept);
    if let Some(loaded) = packet.loaded() {
        session.note_seen(&project, loaded);
    }
    let exit = if packet.loaded.is_ok() { ExitCode::Done } else { ExitCode::Malformed };
    let head = Head::of_packet(packet.status(), packet.is_unseen(), exit, session.lang);
    let mut lines = output.lines(&packet, hearing.as_ref(), &now, session.lang);
    // Beneath its path and its state.
    lines.splice(2..2, lines::name(&project, &packet.path, session.lang));
    lines.extend((!kept.is_empty()).then(String::new));
    lines.extend(kept::table(&kept, true, &now, session.lang));
    session.output(head, output, &lines)
}

/// What is kept of a packet that is not there; without that, it is an error.
fn show_kept(
    session: &mut Session<'_>,
    project: &Arc<Project>,
    name: &Path,
    error: Error,
) -> Result<ExitCode, Error> {
    let (now, lang) = (session.clock.local_now(), session.lang);
    let kept = kept::named(session, project, name, (None, None));
    if kept.is_empty() {
        return Err(error);
    }
    let lines = kept::table(&kept, true, &now, lang);
    let message = say("The packet is gone; a draft of yours is kept.", "指令包已不在；你的草稿仍留存着。");
    let head = Head::new("kept", ExitCode::Done, "kept-draft", message.text(lang));
    let kept_drafts = kept.iter().map(|kept| PrintedDraft::of(kept, lang)).collect();
    session.output(head, ShowKept { kept_drafts }, &lines)
}

fn is_older(session: &Session<'_>, project: &Project, loaded: &Loaded) -> bool {
    let (Some(gate), Some(_), Some(modified)) =
        (loaded.gate(), loaded.record.valid(), loaded.record.modified)
    else {
        return false;
    };
    session.state(project).is_ok_and(|state| older::is_older(&state, &gate.answer_path, modified))
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
    fn of(
        session: &Session<'_>,
        project: &Arc<Project>,
        named: &NamedPacket,
        hearing: Option<&Hearing>,
        kept: &[KeptDraft],
    ) -> ShowOutput {
        let (loaded, gate, lang) = (named.loaded(), named.gate(), session.lang);
        let packet = loaded.map(|loaded| &loaded.packet);
        let asked = loaded.and_then(|loaded| loaded.asked.as_ref());
        let step = packet.and_then(|packet| packet.step.clone());
        let others = gate.map(|gate| others(project, &named.path, gate, session.clock.now()));
        let causes = loaded.map(|loaded| causes(session, project, loaded));
        let outputs = loaded.map(|loaded| loaded.outputs(project));
        ShowOutput {
            packet: PacketPath(named.shown.clone()),
            place: Destination::of(loaded),
            standing_question: asked.map(|asked| asked.name.clone()),
            span: asked.map(|asked| asked.span.to_string()),
            why: asked.and_then(|asked| asked.why.clone()),
            others: Others::of(others.into_iter().flatten()),
            past: Past(step.as_ref().is_some_and(|step| checkpoint::has_passed(project, step))),
            orphaned: loaded.is_some() && is_orphaned(project, project.relative(&named.path)),
            older: loaded.is_some_and(|loaded| is_older(session, project, loaded)),
            heard: Heard::of(hearing, loaded.is_some_and(|loaded| loaded.is_outdated)),
            step: StepFacts {
                step,
                agent: packet.and_then(|packet| packet.agent.clone()),
                caller: packet.and_then(|packet| packet.caller.as_deref().cloned()),
                topic: gate.map(|gate| gate.spec.topic.clone()),
            },
            questions: gate.iter().flat_map(|gate| &gate.spec.questions).map(ShownQuestion::of).collect(),
            record: loaded.and_then(|loaded| loaded.record.valid().cloned()),
            record_sha256: RecordHash::of(loaded.map(|loaded| &loaded.record)),
            problems: Problems::of(named.problems(), lang),
            lost: Lost::of(loaded.and_then(Loaded::loss).as_ref(), lang),
            sent_back: SentBackOutput::of_reply(loaded.and_then(|loaded| loaded.sent_back.as_ref())),
            causes: causes.iter().flatten().map(|cause| ShownCause::of(cause, lang)).collect(),
            expected_outputs: outputs.iter().flatten().map(ExpectedOutput::of).collect(),
            next_actions: packet.map(|packet| packet.next_actions.clone()).unwrap_or_default(),
            kept_drafts: kept.iter().map(|kept| PrintedDraft::of(kept, lang)).collect(),
        }
    }

    /// The same for people.
    fn lines(&self, named: &NamedPacket, hearing: Option<&Hearing>, now: &Zoned, lang: Lang) -> Vec<String> {
        let mut lines =
            vec![named.shown.clone(), gate::verdict(named.status(), named.is_unseen()).text(lang)];
        let caller = self.step.caller.as_ref().map(|caller| JsString::from(caller.text(lang)));
        let fields = [
            (say("Step", "步骤"), &self.step.step),
            (say("Agent", "执行器"), &self.step.agent),
            (say("Asked by", "提问者"), &caller),
            (say("Topic", "主题"), &self.step.topic),
            (say("Record", "记录"), &self.place.answer_path.0),
        ];
        for (name, value) in fields {
            let line = |value: &JsString| {
                say("{0}: {1}", "{0}：{1}").fill(lang, &[name.text(lang), &value.display()])
            };
            lines.extend(value.as_ref().map(line));
        }
        lines.extend(named.loaded().and_then(|loaded| lines::standing(loaded, lang)));
        lines.extend(
            self.why.as_ref().map(|why| say("Why: {0}", "为什么问：{0}").fill(lang, &[&why.display()])),
        );
        lines.extend(lines::others(&self.others, lang));
        lines.extend(self.place.refusal.map(|refusal| lines::unwritable(refusal, lang)));
        if let Some(record) = &self.record {
            lines.push(signed(record, now, lang));
        }
        if self.older {
            lines.push(gate::OLDER.text(lang).to_owned());
        }
        let packet = Path::new(&named.shown);
        if let Some(loaded) = named.loaded() {
            let reply = loaded.sent_back.iter();
            lines.extend(reply.flat_map(|reply| sent_back::lines(reply, packet, REASON, now, lang)));
            lines.extend(loaded.is_outdated.then(|| sent_back::OUTDATED.text(lang).to_owned()));
        }
        lines.extend(lines::hearing(hearing, self.step.step.as_ref(), packet, now, lang));
        lines.extend(lines::problems(named.problems(), lang).chain(self.lost.line()));
        if !self.causes.is_empty() {
            lines.push(say("Causes:", "原因：").text(lang).to_owned());
            lines.extend(self.causes.iter().map(|cause| format!("  {}", cause.text)));
        }
        for (i, question) in named.gate().iter().flat_map(|gate| &gate.spec.questions).enumerate() {
            lines.extend(question_lines(i + 1, question, self.record.as_ref(), lang));
        }
        if self.past.0 {
            lines.push(gate::STEP_PASSED.text(lang).to_owned());
        }
        if self.orphaned {
            lines.push(gate::ORPHANED.text(lang).to_owned());
        }
        if !self.expected_outputs.is_empty() {
            lines.push(String::new());
            lines.push(say("Expected outputs:", "本步产出：").text(lang).to_owned());
            lines.extend(self.expected_outputs.iter().map(|output| output.line(lang)));
        }
        if !self.next_actions.is_empty() {
            lines.push(String::new());
            lines.push(say("Next actions:", "后续操作：").text(lang).to_owned());
            lines.extend(self.next_actions.iter().map(|action| format!("  {}", action.display())));
        }
        lines
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
    fn line(&self, lang: Lang) -> String {
        let sentence = match (self.exists, self.required) {
            (true, _) => say("  {0}: there", "  {0}：已有"),
            (false, true) => say("  {0}: missing", "  {0}：缺少"),
            (false, false) => say("  {0}: not there (optional)", "  {0}：没有（可选）"),
        };
        sentence.fill(lang, &[&self.path.display()])
    }
}

/// A question with its options, and with its answer and note in a valid record.
fn question_lines(
    number: usize,
    question: &Question,
    record: Option<&AnswerSpec>,
    lang: Lang,
) -> Vec<String> {
    let needed = if question.required { say("required", "必答") } else { say("optional", "选答") };
    let (number, header) = (number.to_string(), question.header.display());
    let title = say("{0}. {1} [{2}], {3}, {4}", "{0}. {1} [{2}]，{3}，{4}")
        .fill(lang, &[&number, &header, &question.id, question.kind.words().text(lang), needed.text(lang)]);
    let mut lines = vec![String::new(), title, format!("   {}", question.question.display())];
    for (place, option) in question.options.iter().enumerate() {
        let is_default = question.default.contains(&place);
        let default = if is_default { say(" (default)", "（默认）") } else { say("", "") }.text(lang);
        let back = if option.sends_back { say(" (sends it back)", "（退回）") } else { say("", "") };
        let (label, description) = (option.label.display(), option.description.display());
        let parts = [&*label, default, back.text(lang), &*description];
        lines.push(say("   - {0}{1}{2}: {3}", "   - {0}{1}{2}：{3}").fill(lang, &parts));
    }
    if question.allow_other {
        lines.push(say("   - own words are allowed", "   - 可以自己写").text(lang).to_owned());
    }
    let Some(record) = record else { return lines };
    let answer = record.answers.iter().find(|(id, _)| *id == question.id);
    lines.extend(answer.map(|(_, answer)| format!("   = {}", lines::values(answer, lang))));
    let note = record.notes.iter().find(|(id, _)| *id == question.id.as_str());
    let sentence = say("   Note: {0}", "   备注：{0}");
    lines.extend(note.map(|(_, note)| sentence.fill(lang, &[&note.display()])));
    lines
}

fn signed(record: &AnswerSpec, now: &Zoned, lang: Lang) -> String {
    let by = record.answered_by.display();
    let sentence = match &*by {
        SIGNATURE => say("Answered by the author, {1}", "作者于{1}回答"),
        _ => say("Answered by {0}, {1}", "由 {0} 于{1}回答"),
    };
    sentence.fill(lang, &[&by, &local_time_of(&record.answered_at.display(), now, lang)])
}
