//! Options that executors propose to a standing question: a round is a line in the file of the gate's rounds, and the packets of the
//! gate get its options at once.

use super::Loaded;
use super::attach::{Asked, attach};
use super::clock::rfc3339_millis;
use super::gate::{self, Status};
use super::project::Project;
use super::questions::Questions;
use super::record::{self, Record};
use super::reply;
use super::rounds::{self, Event, Proposed, Requested, Rounds};
use super::safe_path::real_place;
use super::scan;
use crate::ask::proposal::{Round, judge};
use crate::ask::standing::Proposing;
use crate::ask::{JsString, Problem, Question};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// A round on the way to its gate.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    pub packet: &'a Path,
    /// The id of the question; `None` for the only one to which options are to be proposed.
    pub question: Option<&'a str>,
    /// The options as JSON.
    pub list: &'a [u8],
    /// By which way: a command, or a tool.
    pub by: &'a str,
}

/// A round that its gate has got.
#[derive(Clone, Debug)]
pub struct Made {
    pub proposing: Proposing,
    pub answer_path: JsString,
    /// Which one it is, counted from 1.
    pub round: usize,
    /// How many options it has.
    pub count: usize,
    /// Why its packet could not be given them; whoever attaches next does so.
    pub unattached: Option<Error>,
}

/// Why nothing was proposed.
#[derive(Clone, Debug)]
pub enum Fault {
    Failed(Error),
    /// The author has sent the step back, and no executor has heard why.
    Refused(Box<Loaded>),
    /// What is wrong with the options.
    Unfit(Vec<Problem>),
}

/// What an executor is to propose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub proposing: Proposing,
    /// Which round it would be, counted from 1.
    pub round: usize,
    /// Whether a wait has told an executor so.
    pub is_requested: bool,
}

impl Wanted {
    /// Whether the author has refused the last round: there is none after it.
    pub fn is_over(&self) -> bool {
        self.round > self.proposing.rounds
    }

    /// Whether there is something to propose that no wait has told.
    pub fn is_news(&self) -> bool {
        !self.is_requested && !self.is_over()
    }
}

/// What is to be proposed to a gate that waits: to questions that have no round yet, and to those whose last one was sent back.
pub fn wanted(project: &Project, loaded: &Loaded) -> Vec<Wanted> {
    let asked = loaded.asked.as_ref().filter(|asked| !asked.proposing.is_empty());
    let waits = matches!(loaded.status(), Status::Waiting | Status::SentBack);
    let Some((asked, gate)) = asked.filter(|_| waits).zip(loaded.gate()) else { return Vec::new() };
    let events = rounds::events(project, &gate.answer_path);
    let refused = reply::refused_at(project, &events, &loaded.path);
    let wanted = |proposing: &Proposing| {
        let is_open = is_open(proposing, &events, refused.as_ref().map(|(at, _)| *at));
        let applies = refused
            .as_ref()
            .is_none_or(|(_, sent)| sent.does_not_apply.as_ref() != Some(&proposing.question));
        let round = events.iter().filter(|event| is_round(proposing, event)).count() + 1;
        let is_requested = events.iter().any(|event| {
            matches!(event, Event::Requested(it) if it.question == proposing.question && it.round == round)
        });
        (!is_open && applies).then(|| Wanted { proposing: proposing.clone(), round, is_requested })
    };
    asked.proposing.iter().filter_map(wanted).collect()
}

fn is_round(proposing: &Proposing, event: &Event) -> bool {
    matches!(event, Event::Proposed(round) if round.question == proposing.question)
}

/// Whether the author has a round that he has not sent back; `refused` is where his refusal stands.
fn is_open(proposing: &Proposing, events: &[Event], refused: Option<usize>) -> bool {
    let newest = events.iter().rposition(|event| is_round(proposing, event));
    newest.is_some() && refused.is_none_or(|at| newest > Some(at))
}

/// Notes that a wait has told an executor what it is to propose, as far as none had before.
///
/// # Errors
/// It could not be noted.
pub fn note_requested(project: &Project, loaded: &Loaded, by: &str, now: SystemTime) -> Result<(), Error> {
    let Some(gate) = loaded.gate() else { return Ok(()) };
    for Wanted { proposing, round, .. } in wanted(project, loaded).into_iter().filter(Wanted::is_news) {
        let (at, by) = (rfc3339_millis(now), by.to_owned());
        let event = Event::Requested(Requested { at, by, question: proposing.question, round });
        rounds::note(project, &loaded.path, &gate.answer_path, &event)?;
    }
    Ok(())
}

/// Puts a round to its question, and its options into the packets that ask it. Two at once are two rounds, one after the other.
///
/// # Errors
/// Nothing was proposed.
pub fn propose(project: &Arc<Project>, offer: &Offer<'_>, now: SystemTime) -> Result<Made, Fault> {
    let loaded = gate::load(project, offer.packet).map_err(|fault| Fault::Failed(fault.error()))?;
    let asked = loaded.asked.as_ref().filter(|asked| !asked.proposing.is_empty());
    let (asked, gate) = asked.zip(loaded.gate()).ok_or_else(nothing)?;
    if loaded.sent_back.as_ref().is_some_and(|reply| reply.delivered.is_empty()) {
        return Err(Fault::Refused(Box::new(loaded)));
    }
    let proposing = meant(asked, offer.question)?;
    let questions = Questions::read(project);
    let own = questions.standing(&asked.name).and_then(|standing| standing.spec.find(&proposing.question));
    let (_, question) = own.ok_or_else(nothing)?;
    let (round, count) = loop {
        let mut file = Rounds::open(project, offer.packet, &gate.answer_path).map_err(Fault::Failed)?;
        if record::read(project, gate).is_ok_and(|record| Record::exists(&record)) {
            return Err(answered(&gate.answer_path));
        }
        let events = file.events();
        let earlier = rounds::proposed(&events);
        let line = line(proposing, question, &earlier, offer, now)?;
        let refused = reply::refused_at(project, &events, &loaded.path).map(|(at, _)| at);
        if is_open(proposing, &events, refused) {
            return Err(undecided(proposing, of(proposing, &earlier).count()));
        }
        let (round, count) = (of(proposing, &earlier).count() + 1, line.options.len());
        if file.add(&Event::Proposed(line)).map_err(Fault::Failed)? {
            break (round, count);
        }
    };
    // It came while the line was written.
    if record::read(project, gate).is_ok_and(|record| Record::exists(&record)) {
        return Err(answered(&gate.answer_path));
    }
    let unattached = attach(project, offer.packet).err();
    let places = [real_place(project, &gate.answer_path)];
    for entry in scan::look_at(project, &places, now).entries() {
        if entry.is_unattached && entry.refusal.is_none() {
            // Whoever attaches next does what fails here.
            let _ = attach(project, &project.root().join(&entry.path));
        }
    }
    let answer_path = gate.answer_path.clone();
    Ok(Made { proposing: proposing.clone(), answer_path, round, count, unattached })
}

/// The round as it is noted, if there may be one more.
fn line(
    proposing: &Proposing,
    question: &Question,
    earlier: &[Round],
    offer: &Offer<'_>,
    now: SystemTime,
) -> Result<Proposed, Fault> {
    let own: Vec<Round> = of(proposing, earlier).cloned().collect();
    if own.len() >= proposing.rounds {
        return Err(over(proposing, own.len()));
    }
    let options = judge(offer.list, question, &own).map_err(Fault::Unfit)?;
    let (at, by, question) = (rfc3339_millis(now), offer.by.to_owned(), proposing.question.clone());
    Ok(Proposed { at, by, question, options })
}

/// The rounds of one question.
fn of<'r>(proposing: &'r Proposing, rounds: &'r [Round]) -> impl Iterator<Item = &'r Round> {
    rounds.iter().filter(|round| round.question == proposing.question)
}

/// The question that is meant.
fn meant<'a>(asked: &'a Asked, id: Option<&str>) -> Result<&'a Proposing, Fault> {
    let all = || asked.proposing.iter().map(|proposing| &*proposing.question).collect::<Vec<_>>().join(", ");
    let refuse = |sentence, name: &str| {
        let error = Error::new(ExitCode::Usage, "which-question", sentence, &[name, &all()]);
        Fault::Failed(error)
    };
    match (id, &asked.proposing[..]) {
        (None, [only]) => Ok(only),
        (None, _) => {
            let sentence = say(
                "Options can be proposed to several questions: {1}. Name one.",
                "有几个问题可以给出备选：{1}。请指明是哪一个。",
            );
            Err(refuse(sentence, ""))
        }
        (Some(id), all) => all.iter().find(|proposing| proposing.question == id).ok_or_else(|| {
            let sentence =
                say("No options can be proposed to {0}, but to: {1}.", "不能给 {0} 备选，可以给的是：{1}。");
            refuse(sentence, id)
        }),
    }
}

fn nothing() -> Fault {
    let sentence = say(
        "Nothing is to be proposed here: the step is asked no question that wants options (_propose), or the book is beyond it.",
        "这里不需要备选：这一步没有要备选的提问（_propose），或者书已经写过这一步。",
    );
    Fault::Failed(Error::new(ExitCode::Usage, "nothing-to-propose", sentence, &[]))
}

fn undecided(proposing: &Proposing, round: usize) -> Fault {
    let sentence = say(
        "The author has round {0} of {1} for {2} and has not decided yet: wait for the answer. If another round is wanted, you are told so.",
        "问题 {2} 的第 {0} 轮（共 {1} 轮）已在作者那里，作者还没有决定：请等待回答。要再给一轮时，会告诉你。",
    );
    let parts = [&*round.to_string(), &proposing.rounds.to_string(), &proposing.question];
    Fault::Failed(Error::new(ExitCode::Waiting, "undecided", sentence, &parts))
}

fn over(proposing: &Proposing, had: usize) -> Fault {
    let sentence = say(
        "Propose no more to {1}: the author has had {0} rounds and decides now. Wait for the answer.",
        "不要再给 {1} 备选：作者已看过 {0} 轮，现在由作者决定。请等待回答。",
    );
    let parts = [&*had.to_string(), &proposing.question];
    Fault::Failed(Error::new(ExitCode::Waiting, "no-more-rounds", sentence, &parts))
}

fn answered(answer_path: &JsString) -> Fault {
    let sentence = say(
        "The author has decided: there is a record at {0}. Nothing was proposed.",
        "作者已经决定：{0} 处已有记录。没有给出备选。",
    );
    Fault::Failed(Error::new(ExitCode::Exists, "answered", sentence, &[&answer_path.display()]))
}

#[cfg(test)]
mod tests;
