//! `task_sync`: which task events of an executor update its plan.

use crate::ask::Problem;
use crate::ask::json::Item;
use crate::ask::problem::{Pointer, Problems, one_of};
use crate::ask::reader::{Reader, wrong};
use crate::text::Message;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::json;
use strum::{IntoStaticStr, VariantArray};

/// The rules by which task events become plans. [`TaskSync::default`] gives those of every document that keeps to
/// the published schema and its checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSync {
    pub create: CreateRule,
    /// Which changes of a status update the plan; a change that is not listed does not.
    pub transitions: Vec<TransitionRule>,
    /// Whether a plan shows only one task as being worked on.
    pub single_in_progress: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CreateRule {
    pub emit: bool,
    pub default_status: TaskStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TransitionRule {
    pub from: TaskStatus,
    pub to: TaskStatus,
    #[serde(rename = "emit_update_plan")]
    pub emit: bool,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
/// The two changes that update the plan, as a sentence names them.
const EMITTING: [(TaskStatus, TaskStatus, &[&str]); 2] = [
    (TaskStatus::Pending, TaskStatus::InProgress, &["pending -> in_progress with emit_update_plan true"]),
    (TaskStatus::InProgress, TaskStatus::Completed, &["in_progress -> completed with emit_update_plan true"]),
];

impl TaskStatus {
    /// As task events, plans and documents spell it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Default for TaskSync {
    fn default() -> TaskSync {
        use TaskStatus::{Completed, InProgress, Pending};
        let transition = |from, to, emit| TransitionRule { from, to, emit };
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
    /// Reads the `task_sync` of a document by the published schema, and its problems; what is wrong stands as the default.
    pub fn read(item: Item<'_>) -> (TaskSync, Vec<Problem>) {
        let mut problems = Problems::default();
        let sync = task_sync(item, &mut problems).unwrap_or_default();
        (sync, problems.into_list())
    }

    /// Whether a change of a status updates the plan. If several rules name one change, one is enough: a plan that is
    /// updated too often is still right.
    pub fn emits(&self, from: TaskStatus, to: TaskStatus) -> bool {
        self.transitions.iter().any(|rule| rule.emit && (rule.from, rule.to) == (from, to))
    }

    /// What the published checker demands above the schema: creation updates the plan and begins as pending, exactly two
    /// changes update it, one task at a time is in progress.
    pub fn deviations(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut demand = |holds: bool, at: &str, found: &str, only: &'static [&'static str]| {
            if !holds {
                let problem = Problem { found: Message::verbatim(found), ..wrong(one_of(only), None) };
                problems.push(problem.at(format!("/task_sync{at}")));
            }
        };
        demand(self.create.emit, "/create/emit", "false", &["true"]);
        let status = self.create.default_status;
        demand(status == TaskStatus::Pending, "/create/default_status", status.name(), &["pending"]);
        for (i, rule) in self.transitions.iter().enumerate() {
            let silent = !EMITTING.iter().any(|(from, to, _)| (*from, *to) == (rule.from, rule.to));
            let at = format!("/transitions/{i}/emit_update_plan");
            demand(
                rule.emit != silent,
                &at,
                &rule.emit.to_string(),
                if silent { &["false"] } else { &["true"] },
            );
        }
        demand(self.single_in_progress, "/single_in_progress", "false", &["true"]);
        for (from, to, words) in EMITTING {
            if !self.transitions.iter().any(|rule| (rule.from, rule.to) == (from, to)) {
                problems.push(wrong(one_of(words), None).at("/task_sync/transitions"));
            }
        }
        problems
    }
}

impl Serialize for TaskSync {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = json!({
            "source_tool": SOURCE_TOOL,
            "target_tool": TARGET_TOOL,
            "create": self.create,
            "transitions": self.transitions,
            "single_in_progress": self.single_in_progress,
            "fallback_mode": FALLBACK_MODE,
        });
        document.serialize(serializer)
    }
}

fn task_sync(item: Item<'_>, problems: &mut Problems) -> Option<TaskSync> {
    let at = Pointer::ROOT.key("task_sync");
    let mut sync = Reader::new(item, &at, problems)?;
    sync.only(&KEYS);
    sync.one_of("source_tool", &[SOURCE_TOOL]);
    sync.one_of("target_tool", &[TARGET_TOOL]);
    sync.one_of("fallback_mode", &[FALLBACK_MODE]);
    let default = TaskSync::default();
    let rule = create(sync.get("create"), &at.key("create"), sync.problems);
    let has_transitions = sync.get("transitions").is_some_and(|list| list.elements().next().is_some());
    let transitions = sync.list("transitions", transition);
    Some(TaskSync {
        create: rule.unwrap_or(default.create),
        transitions: if has_transitions { transitions } else { default.transitions },
        single_in_progress: sync.boolean("single_in_progress").unwrap_or(default.single_in_progress),
    })
}

fn create(item: Option<Item<'_>>, at: &Pointer<'_>, problems: &mut Problems) -> Option<CreateRule> {
    let mut create = Reader::new(item, at, problems)?;
    create.only(&CREATE_KEYS);
    let default = TaskSync::default().create;
    Some(CreateRule {
        emit: create.boolean("emit").unwrap_or(default.emit),
        default_status: create.variant("default_status").unwrap_or(default.default_status),
    })
}

fn transition(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<TransitionRule> {
    let mut transition = Reader::new(item, at, problems)?;
    transition.only(&TRANSITION_KEYS);
    let (from, to) = (transition.variant("from"), transition.variant("to"));
    let emit = transition.boolean("emit_update_plan");
    Some(TransitionRule { from: from?, to: to?, emit: emit? })
}

#[cfg(test)]
mod tests;
