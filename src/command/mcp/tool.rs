//! The tools as a client sees them: names, descriptions, what they take and give.

use super::outcome::{AskOutput, WaitOutput};
use crate::ask::Kind;
use crate::command::list;
use crate::command::output::STATES;
use crate::text::{Lang, Sentence, say};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

pub(super) const LIST_GATES: &str = "list_gates";
pub(super) const ASK_AUTHOR: &str = "ask_author";
pub(super) const WAIT_GATE: &str = "wait_gate";

pub(super) const INSTRUCTIONS: Sentence = say(
    "novel-gate puts questions to the author of this novel and waits for the answers. The author answers in a separate console, \
     without hurry.\n\
     \n\
     When to ask: call ask_author when a decision belongs to the author and you cannot take it from the project's files: plot, \
     characters, style, platform, names, what to publish, anything that is costly to take back. Ask before you write, not after. \
     Put all questions that you have into one call. Give choices where you can, with a description of what each means, and allow \
     own words (allow_other) where your choices may not be all there are. Do not ask what the files already say.\n\
     \n\
     Waiting: the author may need minutes or hours. If the status is waiting, nothing has failed: call wait_gate with the gate \
     that you were given, as often as it takes; do other work between if you have any. Never answer for the author, never take \
     silence for consent, and never write record files yourself. If the status is declined, the author wants to answer in your \
     own conversation: ask there.\n\
     \n\
     Steps of the novel may have gates of their own: list_gates shows them, and a step whose gate is waiting or blocked must not \
     run. wait_gate waits for such a gate too.",
    "novel-gate 把问题交给这部小说的作者，并等待作者回答。作者在自己的控制台里按自己的节奏回答。\n\
     \n\
     何时提问：凡应由作者决定、又无法从项目文件中得知的事，就调用 ask_author：情节、人物、文风、平台、名称、发布什么，以及一切难以挽回的决定。\
     在动笔之前问，不要写完再问。把手头的问题放进同一次调用。尽量给出选项并说明各自的含义；选项未必齐全时允许自行填写（allow_other）。\
     文件里已有答案的不要问。\n\
     \n\
     等待：作者可能需要几分钟或几小时。状态为 waiting 并不是失败：请用得到的 gate 反复调用 wait_gate，其间可以做别的工作。\
     绝不替作者回答，绝不把沉默当作同意，也绝不自己写记录文件。状态为 declined 时，作者想在你的对话里回答：请在那里问。\n\
     \n\
     小说的步骤可能自带门控：list_gates 会列出它们；门控为 waiting 或 blocked 的步骤不得执行。wait_gate 也可以等待这样的门控。",
);

/// Every tool, described in one language.
pub(super) fn all(lang: Lang) -> Vec<Tool> {
    let list = say(
        "Lists every gate of the novel's steps, and every question to the author, with its state: waiting (no answer yet), \
         blocked (the record is invalid), malformed (the packet cannot be used), open (answered). Changes nothing.",
        "列出小说各步骤的门控和提给作者的问题及其状态：waiting（尚未回答）、blocked（记录无效）、malformed（指令包不可用）、open（已回答）。\
         不作任何改动。",
    );
    let ask = say(
        "Asks the author questions and waits for the answers. Returns answered with the answers; waiting if they are not there \
         when the time is over (then call wait_gate with the gate); declined if the author wants to answer in your own \
         conversation. The same questions asked again before they are answered are the same gate.",
        "向作者提问并等待回答。返回 answered 和回答；到时仍未回答则返回 waiting（随后用 gate 调用 wait_gate）；\
         作者想在你的对话里回答则返回 declined。在得到回答之前重复提出相同的问题，仍是同一个门控。",
    );
    let wait = say(
        "Waits until a gate is open and returns the answers. waiting is no failure: call wait_gate again. With wait_s 0 it only \
         looks.",
        "等到门控放行并返回回答。waiting 并不是失败：请再次调用 wait_gate。wait_s 为 0 时只看一眼。",
    );
    let reads = ToolAnnotations::new().read_only(true).open_world(false);
    let asks = ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false);
    let tool = |name, title: Sentence, says: Sentence, takes: Value, gives: Value| {
        let tool = Tool::new(name, says.text(lang), members(takes)).with_title(title.text(lang));
        tool.with_raw_output_schema(members(gives).into())
    };
    vec![
        tool(LIST_GATES, say("List gates", "列出门控"), list, list_arguments(), list::OUTPUT.first_form())
            .with_annotations(reads),
        tool(ASK_AUTHOR, say("Ask the author", "询问作者"), ask, ask_arguments(), schema_of::<AskOutput>())
            .with_annotations(asks.clone()),
        tool(
            WAIT_GATE,
            say("Wait for a gate", "等待门控"),
            wait,
            wait_arguments(),
            schema_of::<WaitOutput>(),
        )
        .with_annotations(asks),
    ]
}

fn members(schema: Value) -> JsonObject {
    if let Value::Object(members) = schema { members } else { JsonObject::new() }
}

fn list_arguments() -> Value {
    json!({
        "type": "object",
        "properties": {"status": {"type": "string", "enum": STATES, "description": "Only gates in this state."}},
        "additionalProperties": false,
    })
}

fn wait_arguments() -> Value {
    json!({
        "type": "object",
        "properties": {
            "gate": {
                "type": "string",
                "description": "The gate that ask_author or list_gates named: the path of its packet, or a step id.",
            },
            "wait_s": wait_s(),
        },
        "required": ["gate"],
        "additionalProperties": false,
    })
}

/// Plainer than the schema of a `QuestionSpec`, which not every client's model can follow; the same decoder judges.
fn ask_arguments() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let option = json!({
        "type": "object",
        "properties": {
            "label": text("What is answered if this is chosen; no two options of a question have the same."),
            "description": text("What choosing it means."),
        },
        "required": ["label", "description"],
        "additionalProperties": false,
    });
    let question = json!({
        "type": "object",
        "properties": {
            "id": text("Name of the question in the answers: snake_case, no two the same."),
            "header": text("Short label: up to 12 columns, of which a Chinese character takes two."),
            "question": text("The whole question as the author reads it."),
            "kind": {
                "type": "string",
                "enum": Kind::ALL.map(Kind::name),
                "description": "single_choice: one label. multi_choice: a list of labels. free_text: any text.",
            },
            "required": {"type": "boolean", "description": "Whether it must be answered."},
            "options": {
                "type": "array", "minItems": 1, "items": option,
                "description": "What can be chosen. For choices only, and they need it.",
            },
            "allow_other": {
                "type": "boolean",
                "description": "Whether the author may write an answer instead of choosing one. For choices only.",
            },
            "default": {
                "anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}],
                "description": "What is chosen beforehand: a label; for multi_choice a list of labels.",
            },
        },
        "required": ["id", "header", "question", "kind", "required"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "topic": text("What this is about, in a few words."),
            "questions": {"type": "array", "minItems": 1, "items": question, "description": "What is asked."},
            "wait_s": wait_s(),
        },
        "required": ["topic", "questions"],
        "additionalProperties": false,
    })
}

fn wait_s() -> Value {
    json!({
        "type": "number", "minimum": 0, "default": 50,
        "description": "How many seconds to wait before the status waiting is returned. Stay below your client's limit for a call.",
    })
}

/// The schema of a type, without references: not every client follows them.
fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
