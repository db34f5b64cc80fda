//! The rules above the schema: ids, labels and transitions that fit together, so that a document can be run without a
//! dead end or a doubt.
//!
//! They read the text itself, so that one broken value does not hide the other problems; what cannot be read is skipped.

use super::fields::{STRATEGIES, rule};
use crate::adapter::task_sync::TaskSync;
use crate::ask::decode::duplicate_label;
use crate::ask::json::Item;
use crate::ask::problem::{Pointer, Problems, quote, quoting, twice};
use crate::ask::{JsString, Problem, nearest};
use crate::text::{Message, say};
use std::collections::{HashMap, HashSet};

/// How many options a step can show; more in the source must become several steps.
const MOST_OPTIONS: f64 = 3.0;

/// How many misspelled ids are looked up when steps are followed.
const LOOKS: usize = 50;

/// Among more ids than this no nearest one is looked for: each look compares them all.
const COMPARED: usize = 5_000;

pub(super) fn check(root: Item<'_>, problems: &mut Problems) {
    let steps = StepView::all(root);
    let map = StepMap::of(&steps);
    for (i, prompt) in elements(root, "source_prompts").enumerate() {
        source_prompt(prompt, &Pointer::ROOT.key("source_prompts").index(i), &map, problems);
    }
    task_sync(root, problems);
    for (i, step) in steps.iter().enumerate() {
        let list_at = Pointer::ROOT.key("steps");
        let at = list_at.index(i);
        if let Some(id) = step.id.as_ref().filter(|id| map.places.get(id) != Some(&i)) {
            let expected = say("a different id for each step", "每个步骤有自己的 id");
            problems.push(&at.key("id"), || rule(twice(id), expected));
        }
        labels(step, &at, problems);
        transitions(step, &at, &map, problems);
    }
    unreachable(&steps, &map, problems);
}

/// A step, as far as it can be read.
struct StepView<'j> {
    id: Option<JsString>,
    labels: Vec<Option<JsString>>,
    /// Answers and the steps they lead to.
    next: Vec<(Option<JsString>, Option<JsString>)>,
    item: Item<'j>,
}

impl<'j> StepView<'j> {
    fn all(root: Item<'j>) -> Vec<StepView<'j>> {
        let view = |item: Item<'j>| StepView {
            id: item.text("id"),
            labels: elements(item, "options")
                .map(|option| option.text("label").filter(|label| !label.is_empty()))
                .collect(),
            next: elements(item, "next")
                .map(|entry| (entry.text("answer"), entry.text("next_step")))
                .collect(),
            item,
        };
        elements(root, "steps").map(view).collect()
    }

    /// Whether everything that leads on from here is known.
    fn is_readable(&self) -> bool {
        self.id.is_some()
            && self.labels.iter().all(Option::is_some)
            && self.next.iter().all(|(answer, step)| answer.is_some() && step.is_some())
    }
}

struct StepMap<'s> {
    /// Of equal ids the first.
    places: HashMap<&'s JsString, usize>,
    /// Whether an id that is not among them is certainly nowhere.
    complete: bool,
}

impl<'s> StepMap<'s> {
    fn of(steps: &'s [StepView<'_>]) -> StepMap<'s> {
        let mut places = HashMap::new();
        for (place, step) in steps.iter().enumerate() {
            if let Some(id) = &step.id {
                places.entry(id).or_insert(place);
            }
        }
        StepMap { places, complete: steps.iter().all(|step| step.id.is_some()) }
    }

    /// The step with this id, else the one with the nearest, as long as there are looks left: each is costly.
    fn meant(&self, id: &JsString, looks: &mut usize) -> Option<usize> {
        if let Some(&place) = self.places.get(id) {
            return Some(place);
        }
        *looks = looks.checked_sub(1)?;
        self.nearest(id).map(|near| self.places[near])
    }

    fn nearest(&self, id: &JsString) -> Option<&'s JsString> {
        if self.places.len() > COMPARED {
            return None;
        }
        let mut ids: Vec<&'s JsString> = self.places.keys().copied().collect();
        ids.sort_by_key(|id| self.places[id]);
        nearest(id, ids.iter().map(|id| (*id).clone())).map(|place| ids[place])
    }

    fn demand(&self, id: &JsString, at: &Pointer<'_>, problems: &mut Problems) {
        if !self.complete || self.places.contains_key(id) {
            return;
        }
        problems.push_with(at, |look| {
            let found = quoting(say("{0}, which no step has", "{0}，没有这个步骤"), id);
            rule(found, say("the id of a step", "某个步骤的 id"))
                .with_nearest(look.then(|| self.nearest(id)).flatten().map(quote))
        });
    }
}

fn source_prompt(prompt: Item<'_>, at: &Pointer<'_>, map: &StepMap<'_>, problems: &mut Problems) {
    let list_at = at.key("mapped_step_ids");
    let mapped: Vec<Option<JsString>> = elements(prompt, "mapped_step_ids").map(Item::string).collect();
    for (i, id) in mapped.iter().enumerate() {
        if let Some(id) = id {
            map.demand(id, &list_at.index(i), problems);
        }
    }
    let overflows =
        prompt.get("source_options_count").and_then(Item::number).is_some_and(|n| n > MOST_OPTIONS);
    let distinct: HashSet<&JsString> = mapped.iter().flatten().collect();
    if overflows && !mapped.is_empty() && mapped.iter().all(Option::is_some) && distinct.len() < 2 {
        let expected = say(
            "at least two steps, since the source has more than 3 options",
            "至少两个步骤，因为来源的选项超过 3 个",
        );
        let found = say("one step", "一个步骤");
        let hint = say(
            "Route by group first and ask for the option then ({0}).",
            "先按组分流，再问具体选项（{0}）。",
        );
        problems.push(&list_at, || rule(found, expected).with_hint(Message::new(hint, &STRATEGIES)));
    }
}

/// What the plan's rules must say, as far as they can be read; the transitions only if all of them can.
fn task_sync(root: Item<'_>, problems: &mut Problems) {
    const TRANSITIONS: &str = "/task_sync/transitions";
    let Some(item) = root.get("task_sync") else { return };
    let (sync, unreadable) = TaskSync::read(item);
    let mut broken = sync.deviations();
    if unreadable.iter().any(|problem| problem.pointer.starts_with(TRANSITIONS)) {
        broken.retain(|problem| !problem.pointer.starts_with(TRANSITIONS));
    }
    problems.extend(broken);
}

fn labels(step: &StepView<'_>, at: &Pointer<'_>, problems: &mut Problems) {
    let list_at = at.key("options");
    let mut seen = HashSet::new();
    for (i, label) in step.labels.iter().enumerate() {
        if let Some(label) = label.as_ref().filter(|label| !seen.insert(*label)) {
            problems.push(&list_at.index(i).key("label"), || duplicate_label(label));
        }
    }
}

fn transitions(step: &StepView<'_>, at: &Pointer<'_>, map: &StepMap<'_>, problems: &mut Problems) {
    let list_at = at.key("next");
    let labels: HashSet<&JsString> = step.labels.iter().flatten().collect();
    let all_known = step.item.get("options").is_some() && step.labels.iter().all(Option::is_some);
    let mut seen = HashSet::new();
    for (i, (answer, next_step)) in step.next.iter().enumerate() {
        let at = list_at.index(i);
        if let Some(answer) = answer {
            if all_known && !labels.contains(answer) {
                problems.push_with(&at.key("answer"), |look| no_label(answer, &step.labels, look));
            } else if !seen.insert(answer) {
                let expected =
                    say("each answer once: it leads to one step", "每个回答只出现一次：它只通向一个步骤");
                problems.push(&at.key("answer"), || rule(twice(answer), expected));
            }
        }
        if let Some(id) = next_step {
            map.demand(id, &at.key("next_step"), problems);
        }
    }
}

fn no_label(answer: &JsString, labels: &[Option<JsString>], look: bool) -> Problem {
    let labels: Vec<&JsString> = labels.iter().flatten().collect();
    let near = if look { nearest(answer, labels.iter().map(|label| (*label).clone())) } else { None };
    let found = quoting(say("{0}, which is not an option of the step", "{0}，不是这一步的选项"), answer);
    rule(found, say("the label of an option of the step", "这一步某个选项的标签"))
        .with_nearest(near.map(|place| quote(labels[place])))
}

/// Reports the steps that no answer leads to. An answer that is not in a table leads to the next step. A misspelled id is
/// reported elsewhere; here it counts as the id that was meant.
fn unreachable(steps: &[StepView<'_>], map: &StepMap<'_>, problems: &mut Problems) {
    if !steps.iter().all(StepView::is_readable) {
        return;
    }
    let mut reached = vec![false; steps.len()];
    let mut open: Vec<usize> = vec![0];
    let mut looks = LOOKS;
    while let Some(place) = open.pop() {
        let Some(step) = steps.get(place) else { continue };
        if std::mem::replace(&mut reached[place], true) {
            continue;
        }
        let named: HashSet<&JsString> = step.next.iter().filter_map(|(answer, _)| answer.as_ref()).collect();
        let falls_through =
            step.labels.is_empty() || step.labels.iter().flatten().any(|label| !named.contains(label));
        open.extend(falls_through.then_some(place + 1));
        open.extend(step.next.iter().filter_map(|(_, id)| map.meant(id.as_ref()?, &mut looks)));
    }
    for (i, step) in steps.iter().enumerate() {
        // A step with the id of an earlier step is reached with that step.
        let first = step.id.as_ref().and_then(|id| map.places.get(id)).copied().unwrap_or(i);
        if reached[i] || reached[first] {
            continue;
        }
        let found = say("a step that no answer leads to", "没有任何回答通向的步骤");
        let expected = say("a step that can be reached from the first", "从第一步可以走到的步骤");
        let hint = say(
            "An answer that next does not name leads to the following step.",
            "next 中没有写到的回答通向后面的一步。",
        );
        let at = Pointer::ROOT.key("steps");
        problems.push(&at.index(i), || rule(found, expected).with_hint(hint));
    }
}

fn elements<'j>(object: Item<'j>, key: &str) -> impl Iterator<Item = Item<'j>> + use<'j> {
    object.get(key).into_iter().flat_map(Item::elements)
}
