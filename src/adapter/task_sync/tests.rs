use super::*;
use crate::ask::json::Json;
use crate::text::Lang;
use serde_json::{Value, json};

fn read(document: &str) -> (TaskSync, Vec<String>) {
    let json = Json::parse(document.as_bytes()).expect(document);
    let (sync, problems) = TaskSync::read(json.root());
    (sync, problems.iter().map(|problem| problem.sentence(Lang::En)).collect())
}

fn written() -> Value {
    serde_json::to_value(TaskSync::default()).expect("JSON")
}

#[test]
fn the_default_is_what_the_published_documents_say() {
    assert_eq!(
        written(),
        json!({
            "source_tool": "TaskCreate",
            "target_tool": "update_plan",
            "create": {"emit": true, "default_status": "pending"},
            "transitions": [
                {"from": "pending", "to": "in_progress", "emit_update_plan": true},
                {"from": "in_progress", "to": "completed", "emit_update_plan": true},
                {"from": "pending", "to": "pending", "emit_update_plan": false},
                {"from": "completed", "to": "completed", "emit_update_plan": false},
            ],
            "single_in_progress": true,
            "fallback_mode": "internal_state_only",
        })
    );
    assert_eq!(read(&written().to_string()), (TaskSync::default(), vec![]));
    assert_eq!(TaskSync::default().deviations(), []);
}

#[test]
fn what_is_written_is_read_back() {
    let sync = TaskSync {
        create: CreateRule { emit: false, default_status: TaskStatus::Completed },
        transitions: vec![TransitionRule {
            from: TaskStatus::Completed,
            to: TaskStatus::Pending,
            emit: true,
        }],
        single_in_progress: false,
    };
    assert_eq!(read(&crate::ask::to_line(&sync)), (sync, vec![]));
}

#[test]
fn each_breach_of_the_schema_is_told_at_its_place() {
    let change = |pointer: &str, value: Value| {
        let mut document = written();
        *document.pointer_mut(pointer).expect(pointer) = value;
        read(&document.to_string()).1
    };
    let statuses = "expected one of: pending, in_progress, completed.";
    for (pointer, value, told) in [
        ("", json!([]), "/task_sync: found an empty list; expected an object {…}.".to_owned()),
        (
            "/source_tool",
            json!("Task"),
            "/task_sync/source_tool: found \"Task\"; expected only TaskCreate.".to_owned(),
        ),
        ("/target_tool", json!(1), "/task_sync/target_tool: found 1; expected only update_plan.".to_owned()),
        (
            "/fallback_mode",
            json!(null),
            "/task_sync/fallback_mode: found null; expected only internal_state_only.".to_owned(),
        ),
        ("/create", json!(true), "/task_sync/create: found true; expected an object {…}.".to_owned()),
        (
            "/create/emit",
            json!("yes"),
            "/task_sync/create/emit: found \"yes\"; expected true or false.".to_owned(),
        ),
        (
            "/create/default_status",
            json!("done"),
            format!("/task_sync/create/default_status: found \"done\"; {statuses}"),
        ),
        (
            "/transitions",
            json!([]),
            "/task_sync/transitions: found an empty list; expected a list with at least one entry."
                .to_owned(),
        ),
        ("/transitions/1", json!(0), "/task_sync/transitions/1: found 0; expected an object {…}.".to_owned()),
        (
            "/transitions/2/from",
            json!(""),
            format!("/task_sync/transitions/2/from: found only white space; {statuses}"),
        ),
        ("/transitions/2/to", json!("x"), format!("/task_sync/transitions/2/to: found \"x\"; {statuses}")),
        (
            "/single_in_progress",
            json!(1),
            "/task_sync/single_in_progress: found 1; expected true or false.".to_owned(),
        ),
    ] {
        assert_eq!(change(pointer, value), [told], "{pointer}");
    }
}

#[test]
fn members_that_are_missing_or_too_many_are_told() {
    let (_, told) =
        read("{\"more\": 1, \"create\": {\"emit\": true, \"default_status\": \"pending\", \"a/b\": 1}}");
    let places: Vec<&str> = told.iter().filter_map(|line| line.split(':').next()).collect();
    let wanted = [
        "/task_sync/more",
        "/task_sync/source_tool",
        "/task_sync/target_tool",
        "/task_sync/fallback_mode",
        "/task_sync/create/a~1b",
        "/task_sync/transitions",
        "/task_sync/single_in_progress",
    ];
    assert_eq!(places, wanted);
}

#[test]
fn what_is_wrong_stands_as_the_default() {
    let (sync, told) = read("{\"single_in_progress\": 0, \"transitions\": [{}], \"create\": {}}");
    assert_eq!(sync, TaskSync { transitions: vec![], ..TaskSync::default() });
    assert_eq!(told.len(), 3 + 2 + 3 + 1);
}

#[test]
fn a_document_with_countless_mistakes_tells_a_thousand() {
    let rules = vec!["1"; 5_000].join(",");
    assert_eq!(read(&format!("{{\"transitions\":[{rules}]}}")).1.len(), Problems::LIMIT);
}

#[test]
fn a_change_emits_if_a_rule_says_so() {
    use TaskStatus::{Completed, InProgress, Pending};
    let sync = TaskSync::default();
    for &from in TaskStatus::VARIANTS {
        for &to in TaskStatus::VARIANTS {
            let wanted = [(Pending, InProgress), (InProgress, Completed)].contains(&(from, to));
            assert_eq!(sync.emits(from, to), wanted, "{from:?} -> {to:?}");
        }
    }
}

#[test]
fn deviations_are_what_the_checker_refuses() {
    let mut sync = TaskSync {
        create: CreateRule { emit: false, default_status: TaskStatus::InProgress },
        single_in_progress: false,
        ..TaskSync::default()
    };
    sync.transitions[0].emit = false;
    sync.transitions[2].emit = true;
    sync.transitions.remove(1);
    let told: Vec<String> = sync.deviations().iter().map(|problem| problem.sentence(Lang::En)).collect();
    assert_eq!(
        told,
        [
            "/task_sync/create/emit: found false; expected only true.",
            "/task_sync/create/default_status: found in_progress; expected only pending.",
            "/task_sync/transitions/0/emit_update_plan: found false; expected only true.",
            "/task_sync/transitions/1/emit_update_plan: found true; expected only false.",
            "/task_sync/single_in_progress: found false; expected only true.",
            "/task_sync/transitions: found nothing; expected only in_progress -> completed with emit_update_plan true.",
        ]
    );
}
