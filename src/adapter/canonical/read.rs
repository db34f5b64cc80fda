//! Reads a Canonical Prompt document: what its published schema demands, no more and no less, and that no key is repeated.
//! The rules above the schema are in `rules`.

use super::fields::{FieldRule, Length, STRATEGIES, WORDS, reader, repeated_keys, rule};
use super::{Document, Intent, SourcePrompt, Step, StepOption, Transition, rules};
use crate::adapter::task_sync::TaskSync;
use crate::ask::Problem;
use crate::ask::json::{Item, Json};
use crate::ask::problem::{Pointer, Problems};
use crate::ask::reader::Reader;
use crate::text::{Message, say};

pub(super) const ROOT_KEYS: [&str; 6] =
    ["protocol", "version", "source", "source_prompts", "task_sync", "steps"];
const PROMPT_KEYS: [&str; 5] =
    ["id", "source_phase", "source_options_count", "overflow_strategy", "mapped_step_ids"];
const STEP_KEYS: [&str; 7] = ["id", "intent", "question", "options", "max_choices", "on_escape", "next"];
const OPTION_KEYS: [&str; 3] = ["label", "description", "implication"];
const TRANSITION_KEYS: [&str; 2] = ["answer", "next_step"];

pub(super) const PROTOCOL: FieldRule = FieldRule {
    accepts: is_protocol,
    expected: say(
        "a name: a-z, 0-9 and -, starting with a letter",
        "一个名称：小写字母、数字和 -，以字母开头",
    ),
};
pub(super) const VERSION: FieldRule = FieldRule {
    accepts: is_version,
    expected: say("three numbers with dots, such as 1.0.0", "用点隔开的三个数字，例如 1.0.0"),
};
pub(super) const SOURCE: FieldRule = FieldRule {
    accepts: is_source,
    expected: say("a path that ends in .md, on one line", "以 .md 结尾的单行路径"),
};
const OPTIONS: Length = Length {
    least: 2,
    most: Some(3),
    too_many: Some(say(
        "Divide the step: first a step that asks for the group, then one for each group.",
        "请拆分这一步：先用一步问属于哪一组，再为每一组各写一步。",
    )),
};

/// Whether a text is the name of a protocol: `^[a-z][a-z0-9-]*$`.
pub fn is_protocol(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Whether a text is the path of a source page: one line that ends in `.md`.
pub fn is_source(text: &str) -> bool {
    text.strip_suffix(".md").is_some_and(|stem| !stem.is_empty() && !stem.contains('\n'))
}

fn is_version(text: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split('.').count() == 3 && text.split('.').all(number)
}

/// Reads a document; an error is every violation of the schema and of the rules above it, up to a thousand.
pub fn read(bytes: &[u8]) -> Result<Document, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![error.into()])?;
    let mut problems = Problems::default();
    let document = shape(json.root(), &mut problems);
    rules::check(json.root(), &mut problems);
    match document {
        Some(document) if problems.is_empty() => Ok(document),
        _ => Err(problems.into_list()),
    }
}

/// Every violation of the schema alone, repeated keys included; none if the text is legal.
pub fn check_shape(bytes: &[u8]) -> Vec<Problem> {
    let mut problems = Problems::default();
    match Json::parse(bytes) {
        Ok(json) => _ = shape(json.root(), &mut problems),
        Err(error) => return vec![error.into()],
    }
    problems.into_list()
}

fn shape(root: Item<'_>, problems: &mut Problems) -> Option<Document> {
    let mut root = reader(root, &Pointer::ROOT, &ROOT_KEYS, problems)?;
    let protocol = root.text("protocol", PROTOCOL);
    let version = root.text("version", VERSION);
    let source = root.text("source", SOURCE);
    let source_prompts = root.list_of("source_prompts", Length::SOME, source_prompt);
    let task_sync = root.get("task_sync").map(|item| task_sync(item, root.problems));
    let steps = root.list_of("steps", Length::SOME, step);
    Some(Document {
        protocol: protocol?.lossy().into_owned(),
        version: version?.lossy().into_owned(),
        source: source?,
        source_prompts: source_prompts?,
        steps: steps?,
        task_sync,
    })
}

/// The rules of the plan; no key may be repeated in them.
fn task_sync(item: Item<'_>, problems: &mut Problems) -> TaskSync {
    let at = Pointer::ROOT.key("task_sync");
    let transitions_at = at.key("transitions");
    repeated_keys(item, &at, problems);
    if let Some(create) = item.get("create") {
        repeated_keys(create, &at.key("create"), problems);
    }
    let transitions = item.get("transitions").into_iter().flat_map(Item::elements);
    for (i, part) in transitions.enumerate() {
        repeated_keys(part, &transitions_at.index(i), problems);
    }
    let (sync, found) = TaskSync::read(item);
    problems.extend(found);
    sync
}

fn source_prompt(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<SourcePrompt> {
    let mut prompt = reader(item, at, &PROMPT_KEYS, problems)?;
    let id = prompt.id("id");
    let source_phase = prompt.text("source_phase", WORDS);
    let source_options_count = prompt.integer("source_options_count", 2.0, None);
    let overflows = source_options_count.is_some_and(|count| count > 3.0);
    let strategy =
        prompt.get("overflow_strategy").and_then(|_| prompt.one_of("overflow_strategy", &STRATEGIES));
    if overflows && prompt.get("overflow_strategy").is_none() {
        let expected = say("{0}, since the source has more than 3 options", "{0}，因为来源的选项超过 3 个");
        prompt.report_missing("overflow_strategy", Message::new(expected, &STRATEGIES));
    }
    let mapped_step_ids = prompt.ids("mapped_step_ids", Length::SOME);
    Some(SourcePrompt {
        id: id?,
        source_phase: source_phase?,
        source_options_count: source_options_count?,
        overflow_strategy: strategy.map(|place| STRATEGIES[place]),
        mapped_step_ids: mapped_step_ids?,
    })
}

fn step(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<Step> {
    let mut step = reader(item, at, &STEP_KEYS, problems)?;
    let id = step.id("id");
    let intent = step.variant("intent");
    let question = step.text("question", WORDS);
    let options = step.list_of("options", OPTIONS, option);
    let max_choices = max_choices(&mut step, intent);
    let on_escape = step.variant("on_escape");
    let next = match step.get("next") {
        Some(_) => step.list_of("next", Length::ANY, transition),
        None => Some(Vec::new()),
    };
    Some(Step {
        id: id?,
        intent: intent?,
        question: question?,
        options: options?,
        max_choices,
        on_escape: on_escape?,
        next: next?,
    })
}

/// How many options may be chosen: `select_many` must say it, any other intent allows only one.
fn max_choices(step: &mut Reader<'_, '_>, intent: Option<Intent>) -> Option<u8> {
    if step.get("max_choices").is_none() {
        if intent == Some(Intent::SelectMany) {
            let expected = say(
                "an integer from 1 to 3, since the intent is select_many",
                "1 到 3 的整数，因为 intent 是 select_many",
            );
            step.report_missing("max_choices", expected.into());
        }
        return None;
    }
    let choices = step.integer("max_choices", 1.0, Some(3.0))?;
    let choices = [1_u8, 2, 3].into_iter().find(|number| f64::from(*number) >= choices)?;
    if choices > 1 && intent.is_some_and(|intent| intent != Intent::SelectMany) {
        let expected = say("1, since the intent is not select_many", "1，因为 intent 不是 select_many");
        step.report("max_choices", || rule(Message::verbatim(choices.to_string()), expected));
    }
    Some(choices)
}

fn option(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<StepOption> {
    let mut option = reader(item, at, &OPTION_KEYS, problems)?;
    let label = option.text("label", WORDS);
    let description = option.text("description", WORDS);
    let implication = option.text_if_any("implication", WORDS);
    Some(StepOption { label: label?, description: description?, implication })
}

fn transition(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<Transition> {
    let mut transition = reader(item, at, &TRANSITION_KEYS, problems)?;
    let answer = transition.text("answer", WORDS);
    let next_step = transition.id("next_step");
    Some(Transition { answer: answer?, next_step: next_step? })
}
