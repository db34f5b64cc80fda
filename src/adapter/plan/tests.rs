use super::*;
use crate::ask::QuestionSpec;
use crate::text::Lang;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

mod event;

fn create(subject: &str) -> Event {
    Event::Create { id: None, subject: subject.into() }
}

fn turn(id: &str, status: TaskStatus) -> Event {
    Event::Update { id: id.into(), change: Some(StatusChange::To(status)), subject: None }
}

fn delete(id: &str) -> Event {
    Event::Update { id: id.into(), change: Some(StatusChange::Delete), subject: None }
}

fn apply(plan: &mut Plan<'_>, event: &Event) -> Result<Outcome, String> {
    let placed = Placed { event: event.clone(), line: 1, column: 1 };
    plan.apply(&placed).map_err(|fault| fault.message.text(Lang::En))
}

/// The steps that a plan shows behind these events, as `subject:status`.
fn shown(rules: &TaskSync, events: &[Event]) -> Vec<String> {
    let mut plan = Plan::new(rules, true);
    for event in events {
        apply(&mut plan, event).expect("a legal event");
    }
    plan.steps().map(|(step, status)| format!("{}:{}", step.display(), status.name())).collect()
}

#[test]
fn of_several_tasks_only_the_one_begun_first_is_worked_on() {
    use TaskStatus::{Completed, InProgress, Pending};
    let rules = TaskSync::default();
    let mut events = vec![create("a"), create("b"), create("c")];
    events.extend([turn("3", InProgress), turn("1", InProgress)]);
    assert_eq!(shown(&rules, &events), ["a:pending", "b:pending", "c:in_progress"]);
    // The same status again is no second start.
    events.push(turn("3", InProgress));
    assert_eq!(shown(&rules, &events), ["a:pending", "b:pending", "c:in_progress"]);
    events.push(turn("3", Completed));
    assert_eq!(shown(&rules, &events), ["a:in_progress", "b:pending", "c:completed"]);
    // Whoever stops and starts again is the last to have begun.
    events.extend([turn("2", InProgress), turn("1", Pending), turn("1", InProgress)]);
    assert_eq!(shown(&rules, &events), ["a:pending", "b:in_progress", "c:completed"]);
    events.push(delete("2"));
    assert_eq!(shown(&rules, &events), ["a:in_progress", "c:completed"]);
    let rules = TaskSync { single_in_progress: false, ..rules };
    assert_eq!(shown(&rules, &events[..5]), ["a:in_progress", "b:pending", "c:in_progress"]);
}

#[test]
fn a_document_may_begin_tasks_otherwise_and_in_silence() {
    let mut rules = TaskSync::default();
    rules.create.emit = false;
    rules.create.default_status = TaskStatus::InProgress;
    let mut plan = Plan::new(&rules, true);
    assert_eq!(apply(&mut plan, &create("a")), Ok(Outcome::LowSignal));
    assert_eq!(apply(&mut plan, &create("b")), Ok(Outcome::LowSignal));
    assert_eq!(shown(&rules, &[create("a"), create("b")]), ["a:in_progress", "b:pending"]);
    assert_eq!(apply(&mut plan, &turn("1", TaskStatus::Completed)), Ok(Outcome::Emitted));
}

#[test]
fn an_id_that_was_not_given_is_the_number_of_the_creation() {
    let rules = TaskSync::default();
    let mut plan = Plan::new(&rules, true);
    let named = |id: &str| Event::Create { id: Some(id.into()), subject: "s".into() };
    for event in [create("a"), named("x"), create("c")] {
        apply(&mut plan, &event).expect("a new task");
    }
    let ids: Vec<_> = plan.tasks().map(|task| task.id.display().into_owned()).collect();
    assert_eq!(ids, ["1", "x", "3"]);
    assert_eq!(apply(&mut plan, &named("3")), Err("Line 1: there is already a task \"3\".".to_owned()));
    // The refused creation did not count, and 4 is taken before its turn.
    apply(&mut plan, &named("5")).expect("a new task");
    assert_eq!(apply(&mut plan, &create("e")), Err("Line 1: there is already a task \"5\".".to_owned()));
    apply(&mut plan, &delete("5")).expect("a task");
    assert_eq!(apply(&mut plan, &delete("5")), Err("Line 1: there is no task \"5\".".to_owned()));
    assert_eq!(apply(&mut plan, &create("e")), Ok(Outcome::Emitted));
}

fn gate(topic: &str, path: &str) -> Gate {
    let spec = QuestionSpec { version: 1.0, topic: topic.into(), questions: Vec::new() };
    Gate { spec: spec.into(), answer_path: path.into() }
}

fn gates_json(gates: &[(Gate, Answered)]) -> Value {
    let explain = |paths: &JsString| {
        let mut words = JsString::from("invalid: ");
        words.append(paths);
        words
    };
    serde_json::to_value(of_gates(gates, explain)).expect("JSON")
}

#[test]
fn the_first_gate_that_is_not_answered_is_worked_on() {
    let gates = |states: &[Answered]| -> Value {
        let gates: Vec<_> = states
            .iter()
            .enumerate()
            .map(|(i, state)| (gate(&format!("主题{i}"), &format!("a{i}.json")), *state))
            .collect();
        gates_json(&gates)
    };
    let step = |i: usize, status: &str| json!({"step": format!("主题{i} (a{i}.json)"), "status": status});
    let (yes, no, bad) = (Answered::Yes, Answered::No, Answered::Invalid);
    assert_eq!(gates(&[]), json!({"plan": []}));
    assert_eq!(
        gates(&[yes, no, yes, no]),
        json!({"plan": [
            step(0, "completed"), step(1, "in_progress"), step(2, "completed"), step(3, "pending")]})
    );
    assert_eq!(gates(&[yes, yes]), json!({"plan": [step(0, "completed"), step(1, "completed")]}));
    assert_eq!(
        gates(&[bad, no, bad]),
        json!({"explanation": "invalid: a0.json, a2.json",
            "plan": [step(0, "in_progress"), step(1, "pending"), step(2, "pending")]})
    );
}

/// An event by the numbers of its task, of what happens and of a name.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let id = || (1..6_usize).prop_map(|number| JsString::from(number.to_string()));
    let subject = || "[a-c]".prop_map(JsString::from);
    let status = prop_oneof![
        8 => proptest::sample::select(TaskStatus::VARIANTS.to_vec()).prop_map(|to| Some(StatusChange::To(to))),
        1 => Just(Some(StatusChange::Delete)),
        1 => Just(None),
    ];
    let event = prop_oneof![
        2 => (proptest::option::of(id()), subject()).prop_map(|(id, subject)| Event::Create { id, subject }),
        5 => (id(), status, proptest::option::of(subject()))
            .prop_map(|(id, change, subject)| Event::Update { id, change, subject }),
    ];
    proptest::collection::vec(event, 0..40)
}

/// What is known of a task without asking the plan: subject, status, when it was begun.
type Known = BTreeMap<JsString, (JsString, TaskStatus, usize)>;

/// Follows an event; whether it is legal, and whether it is a creation or one of the two changes.
fn follow(known: &mut Known, event: &Event, created: usize, now: usize) -> Option<bool> {
    match event {
        Event::Create { id, subject } => {
            let id = id.clone().unwrap_or_else(|| (created + 1).to_string().into());
            if known.contains_key(&id) {
                return None;
            }
            known.insert(id, (subject.clone(), TaskStatus::Pending, 0));
            Some(true)
        }
        Event::Update { id, change, subject } => {
            let task = known.get_mut(id)?;
            if let Some(subject) = subject {
                task.0 = subject.clone();
            }
            let before = task.1;
            match change {
                None => Some(false),
                Some(StatusChange::Delete) => known.remove(id).map(|_| false),
                Some(StatusChange::To(status)) => {
                    task.1 = *status;
                    if before != TaskStatus::InProgress {
                        task.2 = now;
                    }
                    let change = (before.name(), status.name());
                    Some([("pending", "in_progress"), ("in_progress", "completed")].contains(&change))
                }
            }
        }
    }
}

/// Whether the plan has the tasks that are known, and shows them rightly.
fn agrees(plan: &Plan<'_>, known: &Known) -> Result<(), TestCaseError> {
    let tasks: Vec<&Task> = plan.tasks().collect();
    prop_assert_eq!(tasks.len(), known.len());
    let begun = |task: &&Task| known[&task.id].1 == TaskStatus::InProgress;
    let first = tasks.iter().copied().filter(begun).min_by_key(|task| known[&task.id].2);
    let steps: Vec<(&JsString, TaskStatus)> = plan.steps().collect();
    prop_assert_eq!(steps.len(), tasks.len());
    for (task, (subject, status)) in tasks.iter().zip(&steps) {
        let (named, is, _) = &known[&task.id];
        prop_assert_eq!((&task.subject, task.status), (named, *is));
        prop_assert_eq!(*subject, named);
        let hidden = *is == TaskStatus::InProgress && first.is_none_or(|first| first.id != task.id);
        prop_assert_eq!(*status, if hidden { TaskStatus::Pending } else { *is });
    }
    let worked_on = steps.iter().filter(|(_, status)| *status == TaskStatus::InProgress).count();
    prop_assert!(worked_on <= 1, "{:?}", steps);
    prop_assert_eq!(worked_on == 0, first.is_none());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// No snapshot shows two tasks as worked on; exactly creations and the two changes are emitted; what is known of
    /// the tasks does not depend on whether there is somebody to tell.
    #[test]
    fn plans_follow_the_rules(events in events()) {
        let rules = TaskSync::default();
        let mut told = Plan::new(&rules, true);
        let mut silent = Plan::new(&rules, false);
        let (mut known, mut created) = (Known::new(), 0);
        for (now, event) in events.iter().enumerate() {
            let outcome = apply(&mut told, event);
            let alone = apply(&mut silent, event);
            match follow(&mut known, event, created, now) {
                None => {
                    prop_assert!(outcome.is_err());
                    prop_assert_eq!(outcome, alone);
                }
                Some(signal) => {
                    created += usize::from(matches!(event, Event::Create { .. }));
                    let wanted = if signal { Outcome::Emitted } else { Outcome::LowSignal };
                    prop_assert_eq!(outcome, Ok(wanted));
                    prop_assert_eq!(alone, Ok(Outcome::InternalStateOnly));
                }
            }
            agrees(&told, &known)?;
            prop_assert!(told.tasks().eq(silent.tasks()));
        }
    }
}
