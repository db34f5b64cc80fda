//! `propose`: an executor puts options to an open question. And what executors are told of it, by whoever tells them.

use super::input::{in_utf8, read, unusable, usage};
use super::output::{AnswerPath, Envelope, ErrorOutput, Head, Output, PacketPath, form};
use super::sent_back::{self, TOLD};
use super::{Session, lines};
use crate::ask::proposal::Offered;
use crate::ask::{JsString, Problem, to_line};
use crate::cli::ProposeArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::proposals::{self, Fault, Made, Offer, Wanted};
use crate::store::{Loaded, Project};
use crate::text::shell::shell_path;
use crate::text::{Lang, Message, Safe, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

pub(super) const OUTPUT: Output = Output::new(
    "propose-output",
    "What propose --json prints. Exit 0: the options are with the author.",
    &[form::<ProposeOutput>(&["proposed"], &[0], &["proposed"])],
);

/// Options that are with the author now.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProposeOutput {
    packet: PacketPath,
    answer_path: AnswerPath,
    /// The id of the question.
    question: String,
    /// Which round they are, counted from 1.
    round: usize,
    /// How many rounds there may be.
    rounds: usize,
    /// How many options were given.
    given: usize,
    /// How many were asked for.
    asked_for: usize,
}

/// What an executor is to propose before it waits.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WantedProposal")]
pub(super) struct WantedOutput {
    /// The id of the question.
    question: String,
    /// What each option is to say, in the author's words.
    brief: JsString,
    /// How many options a round is to have.
    options: usize,
    /// Which round it would be, counted from 1.
    round: usize,
    /// How many rounds there may be.
    rounds: usize,
}

/// So many columns of a brief are told.
const BRIEF: usize = 1_000;

pub fn run(session: &mut Session<'_>, arguments: &ProposeArgs) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    let packet = session.packet(&project, &arguments.packet)?;
    let list = match &arguments.from {
        Some(file) => in_utf8(file, read(session, file).map_err(|fault| unusable(file, fault))?)?,
        None => options(&arguments.option)?,
    };
    let question = arguments.question.as_deref();
    let offer = Offer { packet: &packet, question, list: list.as_bytes(), by: "propose" };
    match proposals::propose(&project, &offer, session.clock.now()) {
        Ok(made) => {
            warn(session, &made);
            let (head, output) = made_output(&project, &packet, made, session.lang);
            let shown = [head.message.clone()];
            session.output(head, output, &shown)
        }
        Err(Fault::Failed(error)) => Err(error),
        Err(Fault::Refused(loaded)) => {
            let shown = shell_path(&project.relative(&packet).shown());
            let again = format!("novel-gate wait {shown}");
            let ways = (again.as_str(), |question: &str| how(&shown, question));
            Err(refused(session, &project, &loaded, offer.by, ways))
        }
        Err(Fault::Unfit(problems)) if session.global.json => {
            let error = unfit(&problems);
            let Envelope { head, body } = ErrorOutput::of(&error, Some(&problems), session.lang);
            session.json(head, body)
        }
        Err(Fault::Unfit(problems)) => {
            session.warn(&unfit_lines(&problems, session.lang));
            Ok(ExitCode::Usage)
        }
    }
}

/// Tells why the author has sent back what an executor would go by; with that, it has heard it.
pub(super) fn refused(
    session: &mut Session<'_>,
    project: &Project,
    loaded: &Loaded,
    by: &str,
    (again, how): (&str, impl Fn(&str) -> String),
) -> Error {
    let shown = project.relative(&loaded.path);
    let text = Message::in_both(|lang| {
        let told = sent_back::told_of_step(loaded, shown, (again, TOLD), lang);
        told.into_iter().chain(told_by(project, loaded, &how, lang)).collect::<Vec<_>>().join("\n")
    });
    if let Some(reply) = &loaded.sent_back {
        sent_back::note(session, project, loaded, reply, by);
    }
    note_requested(session, project, loaded, by);
    Error::of(ExitCode::SentBack, "sent-back", text)
}

/// What is given as LABEL=DESCRIPTION, as a list of JSON.
fn options(given: &[String]) -> Result<String, Error> {
    let option = |text: &String| {
        let (label, description) = text.split_once('=')?;
        Some(Offered { label: label.into(), description: description.into() })
    };
    let options: Option<Vec<Offered>> = given.iter().map(option).collect();
    let no_description = say(
        "--option takes LABEL=DESCRIPTION. A label with = in it goes into a file: --from FILE.",
        "--option 应写作 LABEL=DESCRIPTION。标签里有 = 的，请写进文件：--from FILE。",
    );
    options.map(|options| to_line(&options)).ok_or_else(|| usage(no_description))
}

/// Says why the packet could not be given the options at once.
fn warn(session: &mut Session<'_>, made: &Made) {
    if let Some(error) = &made.unattached {
        session.warn(&[error.text(session.lang)]);
    }
}

/// What is said of a round that its gate has got.
pub(super) fn made_output(project: &Project, packet: &Path, made: Made, lang: Lang) -> (Head, ProposeOutput) {
    let Made { proposing, answer_path, round, count, .. } = made;
    let parts = [count, proposing.options, round, proposing.rounds].map(|number| number.to_string());
    let parts = [&*parts[0], &*parts[1], &*parts[2], &*parts[3], &*proposing.question];
    let says = if count == proposing.options {
        say(
            "The author has your options for {4}: {0}, round {2} of {3}. Now wait for the answer.",
            "问题 {4} 的备选已交给作者：{0} 个，第 {2} 轮，共 {3} 轮。现在请等待回答。",
        )
    } else {
        say(
            "The author has your options for {4}: {0}, though {1} were asked for, round {2} of {3}. Now wait for the answer.",
            "问题 {4} 的备选已交给作者：{0} 个（要求 {1} 个），第 {2} 轮，共 {3} 轮。现在请等待回答。",
        )
    };
    let output = ProposeOutput {
        packet: PacketPath(project.relative(packet).shown().into_owned()),
        answer_path: AnswerPath(Some(answer_path)),
        question: proposing.question.clone(),
        round,
        rounds: proposing.rounds,
        given: count,
        asked_for: proposing.options,
    };
    (Head::new("proposed", ExitCode::Done, "proposed", says.fill(lang, &parts)), output)
}

/// The error of options that cannot be put to the author.
pub(super) fn unfit(problems: &[Problem]) -> Error {
    let text = Message::in_both(|lang| unfit_lines(problems, lang).join("\n"));
    Error::of(ExitCode::Usage, "unfit-proposal", text)
}

fn unfit_lines(problems: &[Problem], lang: Lang) -> Vec<String> {
    let first = say("Nothing was proposed; mend the options:", "没有给出备选；请改正：");
    [first.text(lang).to_owned()].into_iter().chain(lines::problems(problems, lang)).collect()
}

/// Notes that a wait has told an executor what to propose. A failure is only said: it was told.
pub(super) fn note_requested(session: &mut Session<'_>, project: &Project, loaded: &Loaded, by: &str) {
    if let Err(error) = proposals::note_requested(project, loaded, by, session.clock.now()) {
        let sentence = say(
            "What to propose was told, but that could not be noted: {0}",
            "要给出什么备选已经告知，但没能记下这件事：{0}",
        );
        session.warn(&[sentence.fill(session.lang, &[&error.text(session.lang)])]);
    }
}

/// Says what an executor is to propose, if anything.
pub(super) fn remind(session: &mut Session<'_>, told: &[String]) {
    if !told.is_empty() {
        session.warn(told);
    }
}

/// What is to be proposed to a gate, for programs; null if nothing.
pub(super) fn wanted(project: &Project, loaded: &Loaded) -> Option<Vec<WantedOutput>> {
    let all = proposals::wanted(project, loaded).into_iter().filter(|wanted| !wanted.is_over());
    let all = all.map(|Wanted { proposing, round, .. }| {
        let question = proposing.question;
        WantedOutput {
            question,
            brief: proposing.brief,
            options: proposing.options,
            round,
            rounds: proposing.rounds,
        }
    });
    Some(all.collect::<Vec<_>>()).filter(|all| !all.is_empty())
}

/// The same in words, a line for each question; of its packet as `packet` names it for a shell.
pub(super) fn told(project: &Project, loaded: &Loaded, packet: &str, lang: Lang) -> Vec<String> {
    told_by(project, loaded, &|question: &str| how(packet, question), lang)
}

fn how(packet: &str, question: &str) -> String {
    format!("novel-gate propose {packet} --question {question} --option 'LABEL=DESCRIPTION' …")
}

/// The same where it is proposed in another way.
pub(super) fn told_by(
    project: &Project,
    loaded: &Loaded,
    how: &impl Fn(&str) -> String,
    lang: Lang,
) -> Vec<String> {
    let line = |wanted: Wanted| {
        let Wanted { proposing, round, .. } = &wanted;
        let brief = Safe::line(&proposing.brief.display()).fit(BRIEF);
        let numbers = [proposing.options, *round, proposing.rounds].map(|number| number.to_string());
        let parts = [
            &*numbers[0],
            &*numbers[1],
            &*numbers[2],
            &proposing.question,
            &brief,
            &how(&proposing.question),
        ];
        let says = match (wanted.is_over(), round) {
            (true, _) => say(
                "{3}: propose no more and change nothing; the author decides: wait.",
                "{3}：不要再给备选，什么都不用改，由作者决定：请等待。",
            ),
            (false, 1) => say(
                "{3}: propose {0} options first, then wait. The author wants: {4} — {5}",
                "{3}：请先给出 {0} 个备选，再等待。作者要的是：{4} — {5}",
            ),
            (false, _) => say(
                "{3}: propose {0} other options by what the author says, then wait; repeat none (round {1} of {2}). The author wants: {4} — {5}",
                "{3}：请按作者的意见另给 {0} 个备选，再等待；不要重复（第 {1} 轮，共 {2} 轮）。作者要的是：{4} — {5}",
            ),
        };
        says.fill(lang, &parts)
    };
    proposals::wanted(project, loaded).into_iter().map(line).collect()
}
