//! Task events, as JSON Lines write them.
//!
//! Responsible for reading them, for where each stands and for what is wrong with one. Not responsible for what an event
//! does (`plan`).

use crate::adapter::fault;
use crate::adapter::task_sync::{SOURCE_TOOL, TaskStatus};
use crate::ask::json::{Item, Json, Kind as JsonKind, RepeatedKey, SyntaxError};
use crate::ask::problem::{Expected, Found, quote, shorten};
use crate::ask::{JsString, Problem, ProblemKind};
use crate::text::{Lang, say};

/// Something an executor did to its list of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `TaskCreate`
    Create {
        /// The task's id; without one it is the number of the creation, from 1.
        id: Option<JsString>,
        /// What is to be done; not blank.
        subject: JsString,
    },
    /// `TaskUpdate`
    Update {
        /// Which task.
        id: JsString,
        /// What happens to its status.
        change: Option<Change>,
        /// Its new name.
        subject: Option<JsString>,
    },
}

/// What an update does to a task's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The task gets this status.
    To(TaskStatus),
    /// The task goes.
    Delete,
}

/// An event and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What happened.
    pub event: Event,
    /// Line of the file, from 1.
    pub line: usize,
    /// Column in characters, from 1, of the task's id, or of the event where none is given.
    pub column: usize,
}

/// Why events cannot be used, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Line of the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub kind: FaultKind,
}

/// The ways in which events go wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// A line is not JSON.
    Syntax(SyntaxError),
    /// A key appears twice in one object.
    KeyTwice(JsString),
    /// A line is no event.
    Shape(Problem),
    /// There is no task with this id.
    NoTask(JsString),
    /// There is a task with this id already.
    TaskTwice(JsString),
}

/// JSON, but no event, or one that does not fit those before it.
pub const INVALID_EVENT: &str = "invalid_event";
const UPDATE_TOOL: &str = "TaskUpdate";
const TOOLS: [&str; 2] = [SOURCE_TOOL, UPDATE_TOOL];
const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "deleted"];

/// Reads events, one JSON object a line; blank lines do not count. Members that are not known are not looked at: the
/// tools have more than a plan needs.
///
/// # Errors
/// The first line that is no event.
pub fn read(bytes: &[u8]) -> Result<Vec<Placed>, Fault> {
    let lines = bytes.split(|&byte| byte == b'\n').zip(1..);
    lines
        .filter(|(text, _)| !text.iter().all(|byte| b" \t\r".contains(byte)))
        .map(|(text, line)| read_line(text, line))
        .collect()
}

fn read_line(text: &[u8], line: usize) -> Result<Placed, Fault> {
    let json = Json::parse(text).map_err(|error| Fault {
        line,
        column: error.column,
        kind: FaultKind::Syntax(SyntaxError { line, ..error }),
    })?;
    let column = |offset| json.position(offset).1;
    let root = json.root();
    if let Some(RepeatedKey { key, offset, .. }) = root.repeated_key() {
        return Err(Fault { line, column: column(offset), kind: FaultKind::KeyTwice(key) });
    }
    let (event, offset) = event(root).map_err(|wrong| Fault {
        line,
        column: column(wrong.offset),
        kind: FaultKind::Shape(wrong.problem),
    })?;
    Ok(Placed { event, line, column: column(offset) })
}

/// A violation and the offset of the value it is about.
struct Wrong {
    problem: Problem,
    offset: usize,
}

/// An event and the offset of what its faults would be about.
fn event(root: Item<'_>) -> Result<(Event, usize), Wrong> {
    let here = Member { holder: root, item: Some(root), pointer: "" };
    here.object()?;
    let tool = here.member("tool", "/tool");
    let input = here.member("input", "/input");
    let field = |key, pointer| input.item.map_or(input, |_| input.member(key, pointer));
    match tool.item {
        Some(name) if name.is_string(SOURCE_TOOL) => {
            input.object()?;
            let id = here.member("taskId", "/taskId");
            let subject = field("subject", "/input/subject").words()?;
            let offset = id.item.map_or(root.offset(), Item::offset);
            Ok((Event::Create { id: id.item.map(|_| id.words()).transpose()?, subject }, offset))
        }
        Some(name) if name.is_string(UPDATE_TOOL) => {
            input.object()?;
            let id = field("taskId", "/input/taskId");
            let subject = field("subject", "/input/subject");
            let update = Event::Update {
                id: id.words()?,
                change: field("status", "/input/status").change()?,
                subject: subject.item.map(|_| subject.words()).transpose()?,
            };
            Ok((update, id.offset()))
        }
        _ => Err(tool.wrong(ProblemKind::NotOneOf(tool.found(), &TOOLS))),
    }
}

/// A value that may be missing, and what should hold it.
#[derive(Clone, Copy)]
struct Member<'j> {
    holder: Item<'j>,
    item: Option<Item<'j>>,
    pointer: &'static str,
}

impl<'j> Member<'j> {
    fn member(self, key: &str, pointer: &'static str) -> Member<'j> {
        let holder = self.item.unwrap_or(self.holder);
        Member { holder, item: holder.get(key), pointer }
    }

    fn offset(self) -> usize {
        self.item.unwrap_or(self.holder).offset()
    }

    fn found(self) -> Found {
        match self.item {
            None => Found::Nothing,
            Some(item) if item.string().is_some_and(|text| text.is_blank()) => Found::Blank,
            Some(item) => Found::Source(shorten(item.source())),
        }
    }

    fn wrong(self, kind: ProblemKind) -> Wrong {
        Wrong { problem: Problem::new(self.pointer, kind), offset: self.offset() }
    }

    fn object(self) -> Result<(), Wrong> {
        let is_object = self.item.is_some_and(|item| item.kind() == JsonKind::Object);
        if is_object { Ok(()) } else { Err(self.wrong(ProblemKind::Value(Expected::Object, self.found()))) }
    }

    fn words(self) -> Result<JsString, Wrong> {
        let words = self.item.and_then(Item::string).filter(|text| !text.is_blank());
        words.ok_or_else(|| self.wrong(ProblemKind::Value(Expected::Words, self.found())))
    }

    fn change(self) -> Result<Option<Change>, Wrong> {
        let Some(item) = self.item else { return Ok(None) };
        if item.is_string("deleted") {
            return Ok(Some(Change::Delete));
        }
        let status = TaskStatus::read(item).map(|status| Some(Change::To(status)));
        status.ok_or_else(|| self.wrong(ProblemKind::NotOneOf(self.found(), &STATUSES)))
    }
}

impl Placed {
    /// A fault of this event.
    pub fn fault(&self, kind: FaultKind) -> Fault {
        Fault { line: self.line, column: self.column, kind }
    }
}

impl Fault {
    /// As a fault of any machine's input.
    pub fn told(&self) -> fault::Fault {
        let code = match self.kind {
            FaultKind::Syntax(_) | FaultKind::KeyTwice(_) => fault::INVALID_JSON,
            FaultKind::Shape(_) | FaultKind::NoTask(_) | FaultKind::TaskTwice(_) => INVALID_EVENT,
        };
        let words = [Lang::En, Lang::ZhCn].map(|lang| self.sentence(lang));
        let told = fault::Fault::new(code, say("{0}", "{1}"), &[&words[0], &words[1]]);
        fault::Fault { at: Some(fault::At::Position(self.line, self.column)), ..told }
    }

    /// The whole sentence.
    pub fn sentence(&self, lang: Lang) -> String {
        let line = self.line.to_string();
        match &self.kind {
            FaultKind::Syntax(error) => {
                let problem = Problem::new("", ProblemKind::Syntax(error.clone()));
                say(
                    "An event must be JSON on one line: found {0}.",
                    "事件必须是写在一行里的 JSON：实际 {0}。",
                )
                .fill(lang, &[&problem.found(lang)])
            }
            FaultKind::KeyTwice(key) => {
                say("Line {0}: the key {1} appears twice.", "第 {0} 行：键 {1} 出现了两次。")
                    .fill(lang, &[&line, &quote(key)])
            }
            FaultKind::Shape(problem) => say("Line {0} is not an event. {1}", "第 {0} 行不是事件。{1}")
                .fill(lang, &[&line, &problem.sentence(lang)]),
            FaultKind::NoTask(id) => say("Line {0}: there is no task {1}.", "第 {0} 行：没有任务 {1}。")
                .fill(lang, &[&line, &quote(id)]),
            FaultKind::TaskTwice(id) => {
                say("Line {0}: there is already a task {1}.", "第 {0} 行：任务 {1} 已经存在。")
                    .fill(lang, &[&line, &quote(id)])
            }
        }
    }
}

#[cfg(test)]
mod tests;
