//! `task_sync`: which of an executor's task events its plan is told of.

use crate::ask::Problem;
use crate::ask::json::{Item, Kind as JsonKind};
use crate::ask::problem::one_of;
use crate::ask::reader::{BOOLEAN, LIST, OBJECT, unknown_field, wrong};
use crate::text::Message;
use schemars::JsonSchema;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The rules by which task events become plans. [`TaskSync::default`] gives those of every document that keeps to
/// the published schema and its checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSync {
    /// What a new task does.
    pub create: CreateRule,
    /// Which changes of a status tell the plan; a change that is not listed does not.
    pub transitions: Vec<Transition>,
    /// Whether a plan shows only one task as being worked on.
    pub single_in_progress: bool,
}

/// What a new task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CreateRule {
    /// Whether it tells the plan.
    pub emit: bool,
    /// The status it begins with.
    pub default_status: TaskStatus,
}

/// One change of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// The status before.
    pub from: TaskStatus,
    /// The status behind.
    pub to: TaskStatus,
    /// Whether it tells the plan.
    #[serde(rename = "emit_update_plan")]
    pub emit: bool,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TaskStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Finished.
    Completed,
}

/// The tool whose calls are read.
pub const SOURCE_TOOL: &str = "TaskCreate";
/// The tool that is called.
pub const TARGET_TOOL: &str = "update_plan";
/// What is done where that tool is missing.
pub const FALLBACK_MODE: &str = "internal_state_only";

const KEYS: [&str; 6] =
    ["source_tool", "target_tool", "create", "transitions", "single_in_progress", "fallback_mode"];
const CREATE_KEYS: [&str; 2] = ["emit", "default_status"];
const TRANSITION_KEYS: [&str; 3] = ["from", "to", "emit_update_plan"];
/// The two changes that tell the plan, as a sentence names them.
const EMITTING: [(TaskStatus, TaskStatus, &[&str]); 2] = [
    (TaskStatus::Pending, TaskStatus::InProgress, &["pending -> in_progress with emit_update_plan true"]),
    (TaskStatus::InProgress, TaskStatus::Completed, &["in_progress -> completed with emit_update_plan true"]),
];
/// How many problems are told of one document.
const PROBLEM_LIMIT: usize = 1_000;

impl TaskStatus {
    /// Every status.
    pub const ALL: [TaskStatus; 3] = [TaskStatus::Pending, TaskStatus::InProgress, TaskStatus::Completed];
    const NAMES: [&str; 3] = ["pending", "in_progress", "completed"];

    /// As task events, plans and documents spell it.
    pub fn name(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::InProgress => "in_progress",
            TaskStatus::Completed => "completed",
        }
    }

    /// The status that a value names.
    pub fn read(item: Item<'_>) -> Option<TaskStatus> {
        Self::ALL.into_iter().find(|status| item.is_string(status.name()))
    }
}

impl Default for TaskSync {
    fn default() -> TaskSync {
        use TaskStatus::{Completed, InProgress, Pending};
        let transition = |from, to, emit| Transition { from, to, emit };
        TaskSync {
            create: CreateRule { emit: true, default_status: Pending },
            transitions: vec![
                transition(Pending, InProgress, true),
                transition(InProgress, Completed, true),
                transition(Pending, Pending, false),
                transition(Completed, Completed, false),
            ],
            single_in_progress: true,
        }
    }
}

impl TaskSync {
    /// Reads a `task_sync` by the published schema. `pointer` is its place in the document. What is wrong is added to
    /// `problems` and stands as the default in the result.
    pub fn read(item: Item<'_>, pointer: &str, problems: &mut Vec<Problem>) -> TaskSync {
        let mut desk = Desk { problems };
        let default = TaskSync::default();
        if !desk.object(Some(item), pointer, &KEYS) {
            return default;
        }
        for (key, only) in [
            ("source_tool", &[SOURCE_TOOL]),
            ("target_tool", &[TARGET_TOOL]),
            ("fallback_mode", &[FALLBACK_MODE]),
        ] {
            if !item.get(key).is_some_and(|value| value.is_string(only[0])) {
                desk.tell(format!("{pointer}/{key}"), wrong(one_of(only), item.get(key)));
            }
        }
        TaskSync {
            create: desk.create(item.get("create"), &format!("{pointer}/create"), default.create),
            transitions: desk.transitions(item.get("transitions"), &format!("{pointer}/transitions")),
            single_in_progress: desk
                .boolean(item.get("single_in_progress"), format!("{pointer}/single_in_progress"))
                .unwrap_or(default.single_in_progress),
        }
    }

    /// Whether a change of a status tells the plan. Of several rules for one change, any may say so: a plan that is told
    /// too often is still right.
    pub fn emits(&self, from: TaskStatus, to: TaskStatus) -> bool {
        self.transitions.iter().any(|rule| rule.emit && (rule.from, rule.to) == (from, to))
    }

    /// What the published checker demands above the schema: creation tells the plan and begins as pending, exactly two
    /// changes tell it, one task at a time is worked on.
    pub fn deviations(&self, pointer: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut desk = Desk { problems: &mut problems };
        let mut demand = |holds: bool, at: &str, found: &str, only: &'static [&'static str]| {
            if !holds {
                let problem = Problem { found: Message::verbatim(found), ..wrong(one_of(only), None) };
                desk.tell(format!("{pointer}{at}"), problem);
            }
        };
        demand(self.create.emit, "/create/emit", "false", &["true"]);
        let status = self.create.default_status;
        demand(status == TaskStatus::Pending, "/create/default_status", status.name(), &["pending"]);
        for (i, rule) in self.transitions.iter().enumerate() {
            let silent = !EMITTING.iter().any(|(from, to, _)| (*from, *to) == (rule.from, rule.to));
            let at = format!("/transitions/{i}/emit_update_plan");
            demand(rule.emit != silent, &at, boolean(rule.emit), if silent { &["false"] } else { &["true"] });
        }
        demand(self.single_in_progress, "/single_in_progress", "false", &["true"]);
        for (from, to, words) in EMITTING {
            if !self.transitions.iter().any(|rule| (rule.from, rule.to) == (from, to)) {
                desk.tell(format!("{pointer}/transitions"), wrong(one_of(words), None));
            }
        }
        problems
    }
}

/// As a document writes it.
impl Serialize for TaskSync {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("TaskSync", KEYS.len())?;
        object.serialize_field("source_tool", SOURCE_TOOL)?;
        object.serialize_field("target_tool", TARGET_TOOL)?;
        object.serialize_field("create", &self.create)?;
        object.serialize_field("transitions", &self.transitions)?;
        object.serialize_field("single_in_progress", &self.single_in_progress)?;
        object.serialize_field("fallback_mode", FALLBACK_MODE)?;
        object.end()
    }
}

/// Reads values and keeps what is wrong with them.
struct Desk<'p> {
    problems: &'p mut Vec<Problem>,
}

impl Desk<'_> {
    fn tell(&mut self, at: String, problem: Problem) {
        if self.problems.len() < PROBLEM_LIMIT {
            self.problems.push(problem.at(at));
        }
    }

    /// Whether it is an object; members it may not have are told.
    fn object(&mut self, item: Option<Item<'_>>, at: &str, keys: &'static [&'static str]) -> bool {
        let Some(item) = item.filter(|item| item.kind() == JsonKind::Object) else {
            self.tell(at.to_owned(), wrong(OBJECT, item));
            return false;
        };
        for (key, _) in item.entries() {
            if !keys.iter().any(|known| key == **known) {
                let shown = key.head(PROBLEM_LIMIT).display().replace('~', "~0").replace('/', "~1");
                self.tell(format!("{at}/{shown}"), unknown_field(&key, one_of(keys)));
            }
        }
        true
    }

    fn boolean(&mut self, item: Option<Item<'_>>, at: String) -> Option<bool> {
        let value = item.and_then(Item::boolean);
        if value.is_none() {
            self.tell(at, wrong(BOOLEAN, item));
        }
        value
    }

    fn status(&mut self, item: Option<Item<'_>>, at: String) -> Option<TaskStatus> {
        let status = item.and_then(TaskStatus::read);
        if status.is_none() {
            self.tell(at, wrong(one_of(&TaskStatus::NAMES), item));
        }
        status
    }

    fn create(&mut self, item: Option<Item<'_>>, at: &str, default: CreateRule) -> CreateRule {
        if !self.object(item, at, &CREATE_KEYS) {
            return default;
        }
        let member = |key| item.and_then(|item| item.get(key));
        let emit = self.boolean(member("emit"), format!("{at}/emit"));
        let default_status = self.status(member("default_status"), format!("{at}/default_status"));
        CreateRule {
            emit: emit.unwrap_or(default.emit),
            default_status: default_status.unwrap_or(default.default_status),
        }
    }

    fn transitions(&mut self, item: Option<Item<'_>>, at: &str) -> Vec<Transition> {
        let Some(rules) = item.filter(|rules| rules.elements().next().is_some()) else {
            self.tell(at.to_owned(), wrong(LIST, item));
            return TaskSync::default().transitions;
        };
        let rules = rules.elements().enumerate();
        rules.filter_map(|(i, rule)| self.transition(rule, &format!("{at}/{i}"))).collect()
    }

    fn transition(&mut self, item: Item<'_>, at: &str) -> Option<Transition> {
        if !self.object(Some(item), at, &TRANSITION_KEYS) {
            return None;
        }
        let from = self.status(item.get("from"), format!("{at}/from"));
        let to = self.status(item.get("to"), format!("{at}/to"));
        let emit = self.boolean(item.get("emit_update_plan"), format!("{at}/emit_update_plan"));
        Some(Transition { from: from?, to: to?, emit: emit? })
    }
}

fn boolean(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

#[cfg(test)]
mod tests;
