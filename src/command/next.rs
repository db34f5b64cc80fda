//! `next`: the next call of a dialogue that an executor holds with the author through its own dialogs.
//!
//! It looks at the answer path, takes the replies so far and the new one, and writes the record at the end. A Canonical Prompt
//! document is run step by step in the same way.

use super::Session;
use super::answer::BLANK_BY;
use super::decisions;
use super::input::{INPUT_TWICE, Questions, Source, Unusable, attach, usage};
use super::output::{AnswerPath, Head, Problems};
use super::propose;
use super::sent_back::{self, SentBackOutput};
use crate::adapter::canonical::{self, Script};
use crate::adapter::document::DocumentKind;
use crate::adapter::inquiry::Inquiry;
use crate::adapter::profile::{Executor, Profile};
use crate::adapter::session::{Dialogue, DialogueStatus};
use crate::ask::check::is_date_time;
use crate::ask::decision::PRINTED;
use crate::ask::{AnswerSpec, Gate, JsString};
use crate::cli::{Limits, NextArgs};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::{self, Loaded, Status, spec_hash};
use crate::store::history::{self, Over, Reason};
use crate::store::reply::{self, Reply};
use crate::store::returned::Why;
use crate::store::submission::{Submission, refuse_lost_characters};
use crate::store::submit::Outcome;
use crate::store::{
    Project, Record, RecordState, WriteError, collision, json_lines, record, safe_path, submit,
};
use crate::text::say;
use crate::text::shell::shell_path;
use output::{AskOutput, RunOutput, StoppedOutput, asking, ended};
use std::path::Path;
use std::sync::Arc;

pub(super) mod output;
mod replies;

/// Prints the next call, or how the dialogue ended; after an error nothing was asked, and no file has changed.
pub fn run(session: &mut Session<'_>, arguments: &NextArgs) -> Result<ExitCode, Error> {
    session.global.json = true;
    if let Ok(project) = session.project() {
        session.hear_command(&project, "next", Some(&arguments.packet));
    }
    step(session, arguments).or_else(|unusable| unusable.print(session))
}

fn step(session: &mut Session<'_>, arguments: &NextArgs) -> Result<ExitCode, Unusable> {
    attach(session, &arguments.packet)?;
    let source = Source::open(session, &arguments.packet)?;
    if source.path.is_none() && replies::wants_input(arguments) {
        return Err(usage(INPUT_TWICE));
    }
    let first = remind(session, &source);
    let profile = profile(arguments.executor, arguments.limits)?;
    let (at, by) = signature(session, arguments, &profile)?;
    if source.kind() == DocumentKind::Canonical {
        return run_document(session, arguments, &source, &profile);
    }
    if matches!(source.kind(), DocumentKind::Call | DocumentKind::Protocol) {
        return Err(usage(say(
            "An AskUserQuestion input or a protocol file is compiled first: compile FILE --for canonical; then run that document.",
            "AskUserQuestion 输入和协议文件要先编译：compile FILE --for canonical；然后运行得到的文档。",
        )));
    }
    let Questions { spec, answer_path } = source.questions()?;
    let gate = answer_path.map(|answer_path| Gate { spec: spec.clone(), answer_path });
    let fresh = Dialogue::new(&spec, profile, arguments.limits.on_escape.unwrap_or_default());
    let fresh = match &gate {
        Some(gate) => {
            let bound = fresh.bound_to(&gate.answer_path);
            // A reply approves what was there when it was asked for.
            match judged(&source, gate) {
                Some(judged) => bound.bound_to(&judged.as_str().into()),
                None => bound,
            }
        }
        None => fresh,
    };
    let asking = Asking { arguments, source: &source, gate: gate.as_ref(), fresh: &fresh };
    if let Some(code) = asking.look(session)? {
        return Ok(code);
    }
    let dialogue = replies::take_all(session, arguments, &fresh)?;
    let (lang, seq, report) = (session.lang, dialogue.seq(), dialogue.inquiry().report());
    let code = match dialogue.status() {
        DialogueStatus::Ask(request) => {
            let call = dialogue.call_report(&request, lang);
            session.json(output::asking(&first, lang), output::AskOutput { call, report })
        }
        DialogueStatus::Done => {
            let answers = dialogue.inquiry().answers();
            let record = AnswerSpec::of(&spec, answers, at, by);
            asking.finish(session, &dialogue, &record)
        }
        DialogueStatus::Ended(end) => {
            let answers = dialogue.inquiry().partial_answers();
            session.json(output::ended(end, lang), output::EndedOutput { seq, answers, report })
        }
    };
    Ok(code?)
}

/// Says what the executor is to propose before it asks, a line for each question.
fn remind(session: &mut Session<'_>, source: &Source) -> Vec<String> {
    let told = |project: &Project, path: &Path| {
        let loaded = gate::load(project, path).ok()?;
        Some(propose::told(project, &loaded, &shell_path(&project.relative(path).shown()), session.lang))
    };
    let told =
        source.project.as_deref().zip(source.path.as_deref()).and_then(|(project, path)| told(project, path));
    let told = told.unwrap_or_default();
    propose::remind(session, &told);
    told
}

/// The profile of an executor within what the flags ask for.
pub(super) fn profile(executor: Executor, limits: Limits) -> Result<Profile, Error> {
    let profile = executor.profile().with(limits.max_questions, limits.exact_options);
    profile.map_err(|message| Error::of(ExitCode::Usage, "usage", message))
}

/// When it is signed, and by whom.
fn signature(
    session: &Session<'_>,
    arguments: &NextArgs,
    profile: &Profile,
) -> Result<(JsString, JsString), Error> {
    let by = JsString::from(arguments.by.as_deref().unwrap_or(profile.answered_by));
    if by.is_blank() {
        return Err(usage(BLANK_BY));
    }
    let at = match &arguments.answered_at {
        Some(at) if !is_date_time(at) => {
            let sentence = say(
                "--answered-at takes a time such as 2026-02-27T10:12:34.000Z.",
                "--answered-at 应为 2026-02-27T10:12:34.000Z 这样的时间。",
            );
            return Err(usage(sentence));
        }
        Some(at) => at.clone(),
        None => rfc3339_millis(session.clock.now()),
    };
    Ok((at.into(), by))
}

/// The dialogue about a gate's questions.
struct Asking<'a> {
    arguments: &'a NextArgs,
    source: &'a Source,
    gate: Option<&'a Gate>,
    /// As it is before its first reply.
    fresh: &'a Dialogue<Inquiry<'a>>,
}

impl Asking<'_> {
    /// What lies at the answer path decides first: nothing is asked over a valid record, and an invalid one is untouched.
    fn look(&self, session: &mut Session<'_>) -> Result<Option<ExitCode>, Unusable> {
        let &Asking { arguments, source, gate, .. } = self;
        let write = arguments.write;
        if write && (gate.is_none() || source.path.is_none()) {
            return Err(usage(say(
                "--write needs a packet in a file: nothing else says where the record goes.",
                "--write 需要一个指令包文件：除此之外没有什么能说明记录写到哪里。",
            )));
        }
        let (Some(gate), Some(project)) = (gate, &source.project) else {
            if write {
                session.project()?;
            }
            return Ok(None);
        };
        if write && !source.path.as_ref().is_some_and(|packet| project.holds(packet)) {
            return Err(usage(say(
                "--write needs a packet that lies in the project: it says where in it the record goes.",
                "--write 需要项目里的指令包：记录写到项目的哪里，由它说明。",
            )));
        }
        let replies = session.environment.cwd.join(&arguments.replies);
        if json_lines::is_at(&replies, &project.root().join(&*gate.answer_path.lossy())) {
            return Err(usage(say(
                "--replies names the place of the record: the replies need a file of their own.",
                "--replies 指的是记录的位置：回复需要一个单独的文件。",
            )));
        }
        if !replies.exists() {
            collision::no_record(project, &replies, session.clock.now())?;
        }
        let there = record::read(project, gate)
            .map_err(|problem| Unusable::Broken("invalid_packet", vec![*problem]))?;
        if there.exists() {
            return Ok(Some(self.already(session, gate, &there)?));
        }
        let packet = source.path.as_ref().and_then(|path| gate::load(project, path).ok());
        if let Some((loaded, reply)) =
            packet.as_ref().and_then(|loaded| Some((loaded, loaded.sent_back.as_ref()?)))
        {
            return Ok(Some(self.refused(session, loaded, reply)?));
        }
        if write && let Some(removed) = removed_since(session, project, gate, &replies) {
            self.close(session, &removed);
        }
        let packet = source.path.as_deref().unwrap_or(Path::new("-"));
        if !write {
            return Ok(None);
        }
        if let Some(refusal) = safe_path::refusal(project, &gate.answer_path, packet, None) {
            return Err(WriteError::Refused(refusal).error().into());
        }
        // Nobody is asked for answers that could not be written.
        let rivals = collision::rivals(project, packet, gate, session.clock.now());
        let in_the_way = collision::irreconcilable(project, gate, &rivals);
        submit::conflict(project, packet, gate, in_the_way).map_err(|fault| fault.error())?;
        Ok(None)
    }

    fn already(&self, session: &mut Session<'_>, gate: &Gate, there: &Record) -> Result<ExitCode, Error> {
        let lang = session.lang;
        match &there.state {
            RecordState::Invalid(problems) => {
                let message = say(
                    "The record at {0} is invalid; it is untouched. Repair it or take it back (redo).",
                    "{0} 处的记录无效；未作改动。请修复它，或用 redo 收回。",
                );
                let message = message.fill(lang, &[&gate.answer_path.display()]);
                let (answer_path, problems) = (AnswerPath::of(Some(gate)), Problems::of(problems, lang));
                let head = Head::new("blocked", ExitCode::Blocked, "answer_invalid", message);
                session.json(head, output::BlockedOutput { answer_path, problems })
            }
            RecordState::Valid(record) => {
                if self.arguments.write {
                    self.close(session, &there.sha256());
                }
                let message = say("There is already a valid record.", "已经有一份有效的记录。").text(lang);
                let head = Head::new("done", ExitCode::Done, "already", message);
                let decisions = self.tell(session);
                let answered = output::AnsweredGate::new(record, Some(gate), (true, false), decisions);
                session.json(head, answered)
            }
            RecordState::Absent => Err(WriteError::Stale.error()),
        }
    }

    /// The standing question that holds the step up now.
    fn next_question(&self) -> Option<String> {
        let (project, path) = (self.source.project.as_ref()?, self.source.path.as_ref()?);
        let loaded = gate::load(project, path).ok().filter(|loaded| loaded.status() == Status::Waiting)?;
        loaded.asked.map(|asked| asked.name)
    }

    /// What the step's agent is to be told, if the packet's record is there now; the executor has it with that.
    fn tell(&self, session: &mut Session<'_>) -> Option<String> {
        let (project, path) = (self.source.project.as_ref()?, self.source.path.as_ref()?);
        let loaded = gate::load(project, path).ok()?;
        let told = decisions::of_packet(project, &loaded, PRINTED, session.lang)?;
        if self.arguments.write {
            decisions::note(session, project, path, &told, None, "next");
        }
        Some(told.text)
    }

    /// The author's refusal, in place of answers; the executor has it with that.
    fn refused(&self, session: &mut Session<'_>, loaded: &Loaded, reply: &Reply) -> Result<ExitCode, Error> {
        let exit = print_sent_back(session, SentBackOutput::of(&reply.sent, &reply.delivered))?;
        if let (true, Some(project)) = (self.arguments.write, &self.source.project) {
            self.close(session, &reply.sent.id);
            if !session.closed {
                sent_back::note(session, project, loaded, reply, "next");
            }
        }
        Ok(exit)
    }

    /// Closes the dialogue in the replies file. A failure is only a warning: the record is there.
    fn close(&self, session: &mut Session<'_>, sha256: &str) {
        if let Err(error) = replies::close(session, self.arguments, self.fresh, sha256) {
            session.warn(&[error.text(session.lang)]);
        }
    }

    /// Writes the record of a dialogue that is done, if it is to be written.
    fn finish(
        &self,
        session: &mut Session<'_>,
        dialogue: &Dialogue<Inquiry<'_>>,
        record: &AnswerSpec,
    ) -> Result<ExitCode, Error> {
        let &Asking { arguments: &NextArgs { write, .. }, source, gate, .. } = self;
        if let (true, Some(gate), Some(path), Some(project)) = (write, gate, &source.path, &source.project) {
            match submit(session, project, path, gate, record) {
                Ok(Outcome::Written(done)) => self.close(session, &done.receipt.sha256),
                Ok(Outcome::SentBack(returned)) => {
                    let reply = Reply { sent: returned.sent, delivered: Vec::new() };
                    return self.refused(session, &returned.loaded, &reply);
                }
                Err(WriteError::Exists(winner)) => return self.already(session, gate, &winner),
                Err(fault) => return Err(fault.error()),
            }
        }
        if let Some(why) = Why::in_answers(dialogue.inquiry().spec(), record.to_json().as_bytes()) {
            return print_sent_back(session, SentBackOutput::of_why(&why, &record.answered_at));
        }
        let next = if write { self.next_question() } else { None };
        let message = match &next {
            Some(_) => say(
                "Everything is answered; the record is written. The step asks {0} next: call next again, with a new file for --replies.",
                "全部已回答；记录已写入。这一步接着要问 {0}：请再次调用 next，--replies 换一个新文件。",
            ),
            None if write => {
                say("Everything is answered; the record is written.", "全部已回答；记录已写入。")
            }
            None => say("Everything is answered; nothing was written.", "全部已回答；没有写入任何内容。"),
        };
        let message = message.fill(session.lang, &[next.as_deref().unwrap_or_default()]);
        // Who does the step is told when nothing holds it up any more.
        let decisions = if write && next.is_none() { self.tell(session) } else { None };
        let output = output::DoneOutput {
            seq: dialogue.seq(),
            answered: output::AnsweredGate::new(record, gate, (false, write), decisions),
            next_question: next,
            report: dialogue.inquiry().report(),
        };
        let printed = session.json(Head::new("done", ExitCode::Done, "done", message.clone()), output);
        printed.map_err(|error| if write { super::session::told(error, &message) } else { error })
    }
}

/// That there is no answer, but a refusal.
fn print_sent_back(session: &mut Session<'_>, sent_back: SentBackOutput) -> Result<ExitCode, Error> {
    let message = say(
        "The author has sent this back, and sent_back says why. Change what is refused, then call next again.",
        "作者已退回，理由在 sent_back 中。请照此修改，然后再次调用 next。",
    );
    let head = Head::new("sent-back", ExitCode::SentBack, "sent-back", message.text(session.lang));
    session.json(head, output::SentBackForm { sent_back })
}

/// The hash of what a verdict is about.
fn judged(source: &Source, asked: &Gate) -> Option<String> {
    let (path, project) = (source.path.as_ref()?, source.project.as_ref()?);
    let loaded = asked.spec.is_verdict().then(|| gate::load(project, path).ok()).flatten()?;
    reply::approved_of(project, path, &loaded.packet)
}

/// The hash of a record that was removed after the replies were written: they are the answers that were taken back.
fn removed_since(session: &Session<'_>, project: &Project, gate: &Gate, replies: &Path) -> Option<String> {
    let written = json_lines::modified(replies)?;
    let state = session.state(project).ok()?;
    let entries = state.tolerate(history::entries(&state, &gate.answer_path))?;
    let last = entries.into_iter().rev().find(|entry| entry.reason == Reason::Redone)?;
    (last.time() > written).then_some(last.sha256)
}

/// Writes the record of a gate, where there is none.
pub(super) fn submit(
    session: &Session<'_>,
    project: &Arc<Project>,
    packet: &Path,
    gate: &Gate,
    record: &AnswerSpec,
) -> Result<Outcome, WriteError> {
    let now = session.clock.now();
    let (asked, json) = (spec_hash(&gate.spec), record.to_json());
    let rivals = collision::rivals(project, packet, gate, now);
    let submission = Submission {
        packet,
        answer_path: &gate.answer_path,
        asked: &asked,
        bytes: json.as_bytes(),
        rivals: &rivals,
        seen: None,
        over: Over::Nothing,
    };
    refuse_lost_characters(packet, submission.bytes)?;
    let state = session.state(project).map_err(WriteError::Failed)?;
    submit::submit(project, Ok(&state), &submission, now)
}

/// Prints the document's next call, or how its run ended.
fn run_document(
    session: &mut Session<'_>,
    arguments: &NextArgs,
    source: &Source,
    profile: &Profile,
) -> Result<ExitCode, Unusable> {
    if arguments.write {
        return Err(usage(say(
            "--write needs a packet: a document has no place for a record.",
            "--write 需要一个指令包：文档没有存放记录的地方。",
        )));
    }
    if arguments.limits.on_escape.is_some() || arguments.by.is_some() || arguments.answered_at.is_some() {
        return Err(usage(say(
            "--on-escape, --by and --answered-at are for packets: each step of a document says what Esc does, and nobody signs.",
            "--on-escape、--by 和 --answered-at 只用于指令包：文档的每一步自己写明按 Esc 怎么办，也没有人署名。",
        )));
    }
    let document =
        canonical::read(&source.bytes).map_err(|found| Unusable::Broken("invalid_document", found))?;
    let script = Script::of(&document);
    let walk = replies::take_all(session, arguments, &Dialogue::run(&script, profile))?;
    let (lang, seq, path, report) = (session.lang, walk.seq(), walk.path().collect(), walk.report());
    let (head, put_off) = match walk.status() {
        DialogueStatus::Ask(request) => {
            let call = walk.call_report(&request, lang);
            return Ok(session.json(asking(&[], lang), AskOutput { call, report })?);
        }
        DialogueStatus::Done => {
            let message = say("The document has been run to its end.", "文档已经运行到结尾。").text(lang);
            let head = Head::new("done", ExitCode::Done, "done", message);
            return Ok(session.json(head, RunOutput { seq, path, report })?);
        }
        DialogueStatus::Ended(end) => (ended(end, lang), walk.course().waiting().collect()),
    };
    let step = walk.course().step().map(|step| step.id.as_str());
    Ok(session.json(head, StoppedOutput { seq, step, path, put_off, report })?)
}
