//! The arguments of a call, read as packets are: every problem at its place.

use crate::ask::json::{Item, Json, Kind};
use crate::ask::problem::{Pointer, Problems};
use crate::ask::reader::{Reader, wrong};
use crate::ask::{Problem, QuestionSpec, decode_spec, object, raw};
use crate::cli::StatusName;
use crate::command::lines;
use crate::command::output::STATES;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Message, say};
use clap::ValueEnum;
use rmcp::model::JsonObject;
use serde_json::value::RawValue;
use std::time::Duration;

/// How long a call waits if it does not say: clients give up after 60 s.
const SLICE: Duration = Duration::from_secs(50);
/// No call waits longer.
const LONGEST: Duration = Duration::from_hours(24);

/// The arguments of a call as JSON.
pub(super) struct Arguments(String);

/// Questions, and how long to wait for their answers.
pub(super) struct Asking {
    pub(super) spec: QuestionSpec,
    pub(super) slice: Duration,
}

impl Arguments {
    pub(super) fn new(arguments: Option<JsonObject>) -> Arguments {
        Arguments(serde_json::to_string(&arguments.unwrap_or_default()).unwrap_or_default())
    }

    /// Of `list_gates`: the state that is asked for.
    pub(super) fn status(&self) -> Result<Option<StatusName>, Error> {
        self.read(|arguments| {
            arguments.only(&["status"]);
            given(arguments, "status")?;
            let place = arguments.one_of("status", STATES)?;
            StatusName::value_variants().get(place).copied()
        })
    }

    /// Of `wait_gate`: the gate, and how long to wait.
    pub(super) fn gate(&self) -> Result<(String, Duration), Error> {
        self.read(|arguments| {
            arguments.only(&["gate", "wait_s"]);
            let gate = arguments.words("gate").unwrap_or_default();
            (gate.lossy().into_owned(), slice(arguments))
        })
    }

    /// Of `ask_author`.
    pub(super) fn asking(&self) -> Result<Asking, Error> {
        let (taken, mut problems) = self.take(|arguments| {
            arguments.only(&["topic", "questions", "wait_s"]);
            let given = ["topic", "questions"].map(|name| Some((name, arguments.get(name)?.compact())));
            (slice(arguments), given)
        });
        let (slice, given) = taken.unwrap_or_default();
        let version = ("version", "1".to_owned());
        let members = [version].into_iter().chain(given.into_iter().flatten());
        let spec: Box<RawValue> = object(members.map(|(name, value)| (name, raw(value))));
        match decode_spec(spec.get().as_bytes()) {
            Ok(spec) if problems.is_empty() => return Ok(Asking { spec, slice }),
            Ok(_) => {}
            Err(found) => problems.extend(found),
        }
        Err(unfit(&problems))
    }

    fn read<T>(&self, take: impl FnOnce(&mut Reader<'_, '_>) -> T) -> Result<T, Error> {
        match self.take(take) {
            (Some(taken), problems) if problems.is_empty() => Ok(taken),
            (_, problems) => Err(unfit(&problems)),
        }
    }

    /// What is taken from the arguments, and everything that is wrong with them.
    fn take<T>(&self, take: impl FnOnce(&mut Reader<'_, '_>) -> T) -> (Option<T>, Vec<Problem>) {
        let mut problems = Problems::default();
        let json = match Json::parse(self.0.as_bytes()) {
            Ok(json) => json,
            Err(error) => return (None, vec![error.into()]),
        };
        let taken =
            Reader::new(json.root(), &Pointer::ROOT, &mut problems).map(|mut reader| take(&mut reader));
        (taken, problems.into_list())
    }
}

/// An argument that may be left out; some clients send null instead.
fn given<'j>(arguments: &Reader<'j, '_>, name: &str) -> Option<Item<'j>> {
    arguments.get(name).filter(|item| item.kind() != Kind::Null)
}

/// How long to wait.
fn slice(arguments: &mut Reader<'_, '_>) -> Duration {
    let Some(item) = given(arguments, "wait_s") else { return SLICE };
    let seconds = item.number().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if seconds.is_none() {
        let expected = say("a number of seconds, 0 or more", "秒数，不小于 0");
        arguments.report("wait_s", || wrong(expected, Some(item)));
    }
    seconds.unwrap_or_default().min(LONGEST)
}

/// So many problems are told at once.
const TOLD: usize = 20;

/// The call asks for what cannot be.
fn unfit(problems: &[Problem]) -> Error {
    let text = Message::in_both(|lang| {
        let first = say("The arguments cannot be used; nothing was done:", "参数不可用；什么都没有做：");
        let told = lines::problems(&problems[..problems.len().min(TOLD)], lang);
        let mut lines: Vec<String> = [first.text(lang).to_owned()].into_iter().chain(told).collect();
        if problems.len() > TOLD {
            let more = say("  … and {0} more.", "  ……还有 {0} 处。");
            lines.push(more.fill(lang, &[&(problems.len() - TOLD).to_string()]));
        }
        lines.join("\n")
    });
    Error::of(ExitCode::Usage, "arguments", text)
}
