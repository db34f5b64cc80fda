//! Plans: an executor's task events, and gates, as snapshots for `update_plan`.

use super::call::{Fault, INVALID_JSON};
use super::task_sync::{FALLBACK_MODE, SOURCE_TOOL, TaskStatus, TaskSync};
use crate::ask::json::{Item, Json, RepeatedKey};
use crate::ask::problem::{Pointer, Problems, quote};
use crate::ask::reader::Reader;
use crate::ask::syntax::SyntaxError;
use crate::ask::{Gate, JsString, Problem, location};
use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use strum::VariantArray as _;

/// The tasks of an executor, event by event.
#[derive(Clone, Debug)]
pub struct Plan<'r> {
    rules: &'r TaskSync,
    has_tool: bool,
    tasks: Vec<Task>,
    /// Where the task with an id stands in `tasks`.
    places: HashMap<JsString, usize>,
    created: usize,
    starts: usize,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TaskState")]
pub struct Task {
    /// Its id.
    #[serde(rename = "taskId")]
    pub id: JsString,
    /// Its words.
    pub subject: JsString,
    /// Its state.
    // That is how far it is, whatever a plan shows.
    pub status: TaskStatus,
    /// Which start this was, counted over all tasks; says which of several was begun first.
    #[serde(skip)]
    started: usize,
    #[serde(skip)]
    deleted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The plan is updated with [`Plan::input`].
    Emitted,
    /// It changes nothing that the plan must show now; the next snapshot has it.
    LowSignal,
    /// There is no `update_plan` tool.
    InternalStateOnly,
}

impl Outcome {
    /// Why nothing is emitted, as output spells it.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Outcome::Emitted => None,
            Outcome::LowSignal => Some("low_signal"),
            Outcome::InternalStateOnly => Some(FALLBACK_MODE),
        }
    }
}

impl<'r> Plan<'r> {
    /// No task yet. `has_tool` says whether `update_plan` can be called.
    pub fn new(rules: &'r TaskSync, has_tool: bool) -> Plan<'r> {
        Plan { rules, has_tool, tasks: Vec::new(), places: HashMap::new(), created: 0, starts: 0 }
    }

    /// Applies one event. An error, and nothing has changed, if it names a task that does not exist, or creates one that does.
    pub fn apply(&mut self, placed: &Placed) -> Result<Outcome, Fault> {
        let emits = match &placed.event {
            Event::Create { id, subject } => self.create(id.as_ref(), subject).map_err(|id| {
                placed.fault(
                    say("Line {0}: there is already a task {1}.", "第 {0} 行：任务 {1} 已经存在。"),
                    &id,
                )
            })?,
            Event::Update { id, change, subject } => {
                let Some(&place) = self.places.get(id) else {
                    let sentence = say("Line {0}: there is no task {1}.", "第 {0} 行：没有任务 {1}。");
                    return Err(placed.fault(sentence, id));
                };
                self.update(place, id, *change, subject.as_ref())
            }
        };
        Ok(match (self.has_tool, emits) {
            (false, _) => Outcome::InternalStateOnly,
            (true, true) => Outcome::Emitted,
            (true, false) => Outcome::LowSignal,
        })
    }

    /// Whether the plan is updated; the error is the id, if there already is such a task.
    fn create(&mut self, id: Option<&JsString>, subject: &JsString) -> Result<bool, JsString> {
        let ordinal = || JsString::from((self.created + 1).to_string());
        let id = id.cloned().unwrap_or_else(ordinal);
        if self.places.contains_key(&id) {
            return Err(id);
        }
        self.created += 1;
        let rule = self.rules.create;
        let place = self.tasks.len();
        let status = TaskStatus::Pending;
        let task = Task { id: id.clone(), subject: subject.clone(), status, started: 0, deleted: false };
        self.tasks.push(task);
        self.places.insert(id, place);
        self.turn(place, rule.default_status);
        Ok(rule.emit)
    }

    fn update(
        &mut self,
        place: usize,
        id: &JsString,
        change: Option<StatusChange>,
        subject: Option<&JsString>,
    ) -> bool {
        if let Some(subject) = subject {
            self.tasks[place].subject = subject.clone();
        }
        match change {
            None => false,
            Some(StatusChange::Delete) => {
                self.tasks[place].deleted = true;
                self.places.remove(id);
                false
            }
            Some(StatusChange::To(status)) => {
                let before = self.tasks[place].status;
                self.turn(place, status);
                self.rules.emits(before, status)
            }
        }
    }

    fn turn(&mut self, place: usize, status: TaskStatus) {
        let task = &mut self.tasks[place];
        if status == TaskStatus::InProgress && task.status != status {
            self.starts += 1;
            task.started = self.starts;
        }
        task.status = status;
    }

    /// The tasks in the order in which they were created, without those that were deleted.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| !task.deleted)
    }

    /// The tasks as a plan shows them: of several that are worked on only the one begun first, if the rules say so.
    pub fn steps(&self) -> impl Iterator<Item = (&JsString, TaskStatus)> {
        let is_worked_on = |task: &&Task| task.status == TaskStatus::InProgress;
        let first = self.tasks().filter(is_worked_on).map(|task| task.started).min();
        self.tasks().map(move |task| {
            let waits = self.rules.single_in_progress
                && task.status == TaskStatus::InProgress
                && Some(task.started) != first;
            (&task.subject, if waits { TaskStatus::Pending } else { task.status })
        })
    }

    /// The input of an `update_plan` call that shows the tasks as they are now.
    pub fn input(&self) -> PlanInput {
        let plan = self.steps().map(|(step, status)| PlanStep { step: step.clone(), status }).collect();
        PlanInput { explanation: None, plan }
    }
}

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
        change: Option<StatusChange>,
        subject: Option<JsString>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusChange {
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
pub fn read_events(bytes: &[u8]) -> Result<Vec<Placed>, Fault> {
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
            say("An event must be JSON on one line: found {0}.", "事件必须是写在一行里的 JSON，现状：{1}。");
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
    let mut call = Reader::new(root, &Pointer::ROOT, problems)?;
    let tool = call.one_of("tool", &TOOLS)?;
    let input_at = Pointer::ROOT.key("input");
    let mut input = Reader::new(call.get("input"), &input_at, call.problems)?;
    if TOOLS[tool] == SOURCE_TOOL {
        let subject = input.words("subject")?;
        let id = call.get("taskId");
        let named = if id.is_some() { Some(call.words("taskId")?) } else { None };
        return Some((Event::Create { id: named, subject }, id));
    }
    let id = input.words("taskId")?;
    let change = match input.get("status") {
        Some(status) if status.is_string(DELETED) => Some(StatusChange::Delete),
        Some(_) => Some(StatusChange::To(TaskStatus::VARIANTS[input.one_of("status", &STATUSES)?])),
        None => None,
    };
    let subject = if input.get("subject").is_some() { Some(input.words("subject")?) } else { None };
    Some((Event::Update { id, change, subject }, input.get("taskId")))
}

impl Placed {
    /// Why this event cannot follow the earlier ones; the sentence has gaps for the line and the task's id.
    fn fault(&self, sentence: Sentence, id: &JsString) -> Fault {
        let parts = [self.line.to_string(), quote(id)];
        Fault::new(INVALID_EVENT, sentence, &[&parts[0], &parts[1]]).at_position(self.line, self.column)
    }
}

/// The record of a gate, as a plan sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    Yes,
    No,
    /// A file that is no valid record.
    Invalid,
}

/// A whole plan.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanInput {
    /// Which records are invalid, if any is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    explanation: Option<JsString>,
    /// Its steps.
    plan: Vec<PlanStep>,
}

/// A step of a plan.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct PlanStep {
    /// Its words.
    step: JsString,
    /// Its state.
    status: TaskStatus,
}

/// Gates as the input of an `update_plan` call: answered ones are completed, the first of the others is worked on.
/// `explain` gives the words for the answer paths of files that are no valid records.
pub fn of_gates(gates: &[(Gate, Answered)], explain: impl FnOnce(&JsString) -> JsString) -> PlanInput {
    let next = gates.iter().position(|(_, answered)| *answered != Answered::Yes);
    let step = |(i, (gate, answered)): (usize, &(Gate, Answered))| {
        let status = match answered {
            Answered::Yes => TaskStatus::Completed,
            _ if Some(i) == next => TaskStatus::InProgress,
            Answered::No | Answered::Invalid => TaskStatus::Pending,
        };
        PlanStep { step: step_of(gate), status }
    };
    let invalid = gates.iter().filter(|(_, answered)| *answered == Answered::Invalid);
    let invalid = JsString::joined(invalid.map(|(gate, _)| &gate.answer_path), ", ");
    PlanInput {
        explanation: (!invalid.is_empty()).then(|| explain(&invalid)),
        plan: gates.iter().enumerate().map(step).collect(),
    }
}

/// A gate as one step: its topic and where its answers go.
fn step_of(gate: &Gate) -> JsString {
    let mut step = gate.spec.topic.clone();
    step.push_str(" (");
    step.append(&gate.answer_path);
    step.push(')');
    step
}

#[cfg(test)]
mod tests;
