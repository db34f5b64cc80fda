//! Reads task events from JSON Lines. What an event does is in `plan`.

use crate::adapter::fault::{Fault, INVALID_JSON};
use crate::adapter::task_sync::{SOURCE_TOOL, TaskStatus};
use crate::ask::json::{Item, Json, Kind as JsonKind, RepeatedKey};
use crate::ask::problem::{one_of, quote};
use crate::ask::reader::{OBJECT, WORDS, wrong};
use crate::ask::syntax::SyntaxError;
use crate::ask::{JsString, Problem};
use crate::text::{Lang, Message, Sentence, say};

/// Something an executor did to its list of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `TaskCreate`
    Create {
        /// The task's id; without one it is the number of the creation, from 1.
        id: Option<JsString>,
        /// The task's name; not blank.
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

/// An event and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What happened.
    pub event: Event,
    /// Line of the file, from 1.
    pub line: usize,
    /// Column in characters, from 1, of the task's id, or of the event if it has no id.
    pub column: usize,
}

/// JSON, but no event, or one that does not fit those before it.
pub const INVALID_EVENT: &str = "invalid_event";
const UPDATE_TOOL: &str = "TaskUpdate";
const TOOLS: [&str; 2] = [SOURCE_TOOL, UPDATE_TOOL];
const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "deleted"];

/// Reads events, one JSON object a line; blank lines do not count. Unknown members are ignored: the tools have more than
/// a plan needs.
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
    let json = Json::parse(text).map_err(|error| {
        let column = error.column;
        let problem = Problem::from(SyntaxError { line, ..error });
        let sentence =
            say("An event must be JSON on one line: found {0}.", "事件必须是写在一行里的 JSON：实际 {1}。");
        let found = [Lang::En, Lang::ZhCn].map(|lang| problem.found.text(lang));
        Fault::new(INVALID_JSON, sentence, &[&found[0], &found[1]]).at_position(line, column)
    })?;
    let (number, column) = (line.to_string(), |offset| json.position(offset).1);
    let root = json.root();
    if let Some(RepeatedKey { key, offset, .. }) = root.repeated_key() {
        let sentence = say("Line {0}: the key {1} appears twice.", "第 {0} 行：键 {1} 出现了两次。");
        let fault = Fault::new(INVALID_JSON, sentence, &[&number, &quote(&key)]);
        return Err(fault.at_position(line, column(offset)));
    }
    let (event, offset) = event(root).map_err(|Wrong { problem, offset }| {
        let words = [Lang::En, Lang::ZhCn].map(|lang| problem.sentence(lang));
        let sentence = say("Line {0} is not an event. {1}", "第 {0} 行不是事件。{2}");
        Fault::new(INVALID_EVENT, sentence, &[&number, &words[0], &words[1]])
            .at_position(line, column(offset))
    })?;
    Ok(Placed { event, line, column: column(offset) })
}

/// A violation and the offset of the value it is about.
struct Wrong {
    problem: Box<Problem>,
    offset: usize,
}

/// An event and the offset of what a fault of it points at.
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
        _ => Err(tool.wrong(one_of(&TOOLS))),
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

    fn wrong(self, expected: impl Into<Message>) -> Wrong {
        let problem = wrong(expected, self.item).at(self.pointer);
        Wrong { problem: problem.into(), offset: self.offset() }
    }

    fn object(self) -> Result<(), Wrong> {
        let is_object = self.item.is_some_and(|item| item.kind() == JsonKind::Object);
        if is_object { Ok(()) } else { Err(self.wrong(OBJECT)) }
    }

    fn words(self) -> Result<JsString, Wrong> {
        let words = self.item.and_then(Item::string).filter(|text| !text.is_blank());
        words.ok_or_else(|| self.wrong(WORDS))
    }

    fn change(self) -> Result<Option<Change>, Wrong> {
        let Some(item) = self.item else { return Ok(None) };
        if item.is_string("deleted") {
            return Ok(Some(Change::Delete));
        }
        let status = TaskStatus::read(item).map(|status| Some(Change::To(status)));
        status.ok_or_else(|| self.wrong(one_of(&STATUSES)))
    }
}

impl Placed {
    /// Why this event cannot follow the earlier ones; the sentence has gaps for the line and the task's id.
    pub(super) fn fault(&self, sentence: Sentence, id: &JsString) -> Fault {
        let parts = [self.line.to_string(), quote(id)];
        Fault::new(INVALID_EVENT, sentence, &[&parts[0], &parts[1]]).at_position(self.line, self.column)
    }
}

#[cfg(test)]
mod tests;
