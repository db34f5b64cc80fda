//! Reads task events from JSON Lines. What an event does is in `plan`.

use crate::adapter::fault::{Fault, INVALID_JSON};
use crate::adapter::task_sync::{SOURCE_TOOL, TaskStatus};
use crate::ask::json::{Item, Json, RepeatedKey};
use crate::ask::problem::{Place, Problems, quote};
use crate::ask::reader::Reader;
use crate::ask::syntax::SyntaxError;
use crate::ask::{JsString, Problem, location};
use crate::text::{Lang, Sentence, say};
use strum::VariantArray as _;

/// Something an executor did to its list of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Create {
        /// The task's id; without one it is the number of the creation, from 1.
        id: Option<JsString>,
        /// The task's name; not blank.
        subject: JsString,
    },
    Update {
        id: JsString,
        change: Option<Change>,
        subject: Option<JsString>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    To(TaskStatus),
    Delete,
}

/// An event and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
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
const DELETED: &str = "deleted";
/// In the order of [`TaskStatus`].
const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", DELETED];

/// Reads events, one JSON object a line; blank lines do not count. Unknown members are ignored: the tools have more than
/// a plan needs. An error is about the first line that is no event.
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
    let mut problems = Problems::default();
    if let Some((event, id)) = event(root, &mut problems) {
        return Ok(Placed { event, line, column: column(id.unwrap_or(root).offset()) });
    }
    let problem = problems.into_list().remove(0);
    let column = location(text, &problem.pointer).map_or(1, |place| place.column);
    let words = [Lang::En, Lang::ZhCn].map(|lang| problem.sentence(lang));
    let sentence = say("Line {0} is not an event. {1}", "第 {0} 行不是事件。{2}");
    Err(Fault::new(INVALID_EVENT, sentence, &[&number, &words[0], &words[1]]).at_position(line, column))
}

/// An event and its task's id; nothing with the first problem.
fn event<'j>(root: Item<'j>, problems: &mut Problems) -> Option<(Event, Option<Item<'j>>)> {
    let mut call = Reader::new(root, &Place::ROOT, problems)?;
    let tool = call.one_of("tool", &TOOLS)?;
    let input_at = Place::ROOT.key("input");
    let mut input = Reader::new(call.get("input"), &input_at, call.problems)?;
    if TOOLS[tool] == SOURCE_TOOL {
        let subject = input.words("subject")?;
        let id = call.get("taskId");
        let named = if id.is_some() { Some(call.words("taskId")?) } else { None };
        return Some((Event::Create { id: named, subject }, id));
    }
    let id = input.words("taskId")?;
    let change = match input.get("status") {
        Some(status) if status.is_string(DELETED) => Some(Change::Delete),
        Some(_) => Some(Change::To(TaskStatus::VARIANTS[input.one_of("status", &STATUSES)?])),
        None => None,
    };
    let subject = if input.get("subject").is_some() { Some(input.words("subject")?) } else { None };
    Some((Event::Update { id, change, subject }, input.get("taskId")))
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
