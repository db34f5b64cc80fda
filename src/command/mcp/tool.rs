//! The tools as a client sees them: names, descriptions, what they take and give.
//!
//! Arguments are read as packets are, every problem at its place. A call gives an object, and the same in words for clients
//! that show only text.

use crate::ask::json::{Item, Json, Kind};
use crate::ask::problem::{Pointer, Problems as Found};
use crate::ask::reader::{Reader, wrong};
use crate::ask::{
    self, Answer, AnswerSpec, JsString, Problem, QuestionSpec, decode_asked, object, raw, to_line,
};
use crate::command::lines;
use crate::command::output::{Envelope, Problems};
use crate::command::propose::{ProposeOutput, WantedOutput};
use crate::command::sent_back::SentBackOutput;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, Message, Sentence, say};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const LIST_GATES: &str = "list_gates";
pub(super) const ASK_AUTHOR: &str = "ask_author";
pub(super) const WAIT_GATE: &str = "wait_gate";
pub(super) const PROPOSE: &str = "propose_options";

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
     own conversation: ask there. If it is sent-back, the author refuses what is there and says why: change that, then call wait_gate \
     again.\n\
     \n\
     Steps of the novel may have gates of their own: list_gates shows them, and a step whose gate is waiting, blocked or sent-back \
     must not run. wait_gate waits for such a gate too; give its decisions to the agent that does the step, word for word. Where its \
     message asks for options, call propose_options first.",
    "novel-gate 把问题交给这部小说的作者，并等待作者回答。作者在自己的控制台里按自己的节奏回答。\n\
     \n\
     何时提问：凡应由作者决定、又无法从项目文件中得知的事，就调用 ask_author：情节、人物、文风、平台、名称、发布什么，以及一切难以挽回的决定。\
     在动笔之前问，不要写完再问。把手头的问题放进同一次调用。尽量给出选项并说明各自的含义；选项未必齐全时允许自己写（allow_other）。\
     文件里已有答案的不要问。\n\
     \n\
     等待：作者可能需要几分钟或几小时。状态为 waiting 并不是失败：请用得到的 gate 反复调用 wait_gate，其间可以做别的工作。\
     绝不替作者回答，绝不把沉默当作同意，也绝不自己写记录文件。状态为 declined 时，作者想在你的对话里回答：请在那里问。状态为 sent-back 时，作者没有通过，并说明了理由：请照此修改，\
     再调用 wait_gate。\n\
     \n\
     小说的步骤可能自带门控：list_gates 会列出它们；门控为 waiting、blocked 或 sent-back 的步骤不得执行。wait_gate 也可以等待这样的门控；把它给出的 decisions 一字不差地交给执行这一步的代理。它的 message 要备选时，先调用 propose_options。",
);

/// Every tool, described in one language.
pub(super) fn all(lang: Lang) -> Value {
    let list = say(
        "Lists the gates of the novel's steps, and the questions to the author, that are waiting (no answer yet), blocked (the \
         record is invalid) or sent-back (the author refuses what is there). With all also those that are malformed (the packet cannot be used), open (answered) or past (the \
         novel is beyond the step). With gate all that is known of one. Changes nothing.",
        "列出小说各步骤的门控和提给作者的问题中处于 waiting（尚未回答）、blocked（记录无效）或 sent-back（作者已退回）的。加上 all，也列出 \
         malformed（指令包不可用）、open（已回答）和 past（小说已过这一步）的。给出 gate，则列出它的全部情况。不作任何改动。",
    );
    let ask = say(
        "Asks the author questions and waits for the answers. Returns answered with the answers; waiting if they are not there \
         when the time is over (then call wait_gate with the gate); declined if the author wants to answer in your own \
         conversation. The same questions asked again before they are answered are the same gate.",
        "向作者提问并等待回答。返回 answered 和回答；到时仍未回答则返回 waiting（随后用 gate 调用 wait_gate）；\
         作者想在你的对话里回答则返回 declined。在得到回答之前重复提出相同的问题，仍是同一个门控。",
    );
    let wait = say(
        "Waits until a gate is open and returns the answers; or sent-back, and why, if the author refuses. waiting is no failure: call wait_gate again, where there is propose after \
         propose_options. With wait_s 0 it only looks.",
        "等到门控放行并返回回答；作者退回时返回 sent-back 和理由。waiting 并不是失败：请再次调用 wait_gate；返回里有 propose 的，先调用 propose_options。\
         wait_s 为 0 时只看一眼。",
    );
    let reads = json!({"readOnlyHint": true, "openWorldHint": false});
    let asks = json!({
        "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
    });
    let tool =
        |name, title, says, takes, gives, hints| tool(lang, name, [title, says], [takes, gives], hints);
    json!([
        tool(
            LIST_GATES,
            say("List gates", "列出门控"),
            list,
            list_arguments(),
            schema_of::<ListOutput>(),
            &reads
        ),
        tool(
            ASK_AUTHOR,
            say("Ask the author", "询问作者"),
            ask,
            ask_arguments(),
            schema_of::<GateOutput>(),
            &asks
        ),
        tool(
            WAIT_GATE,
            say("Wait for a gate", "等待门控"),
            wait,
            wait_arguments(),
            schema_of::<GateOutput>(),
            &asks
        ),
        proposing(lang),
    ])
}

fn tool(
    lang: Lang,
    name: &str,
    [title, says]: [Sentence; 2],
    [takes, gives]: [Value; 2],
    hints: &Value,
) -> Value {
    json!({
        "name": name, "title": title.text(lang), "description": says.text(lang), "inputSchema": takes,
        "outputSchema": gives, "annotations": hints,
    })
}

/// The tool for options. Each call is a round.
fn proposing(lang: Lang) -> Value {
    let propose = say(
        "Proposes options to a question of a gate whose message asks for them; the author sees them beside the question's own options, \
         and takes one, writes other words, or sends the round back. Propose what the brief says, and repeat nothing.",
        "给门控里要备选的问题（它的 message 会说明）给出备选；作者会在提问自带的选项旁看到它们，可以选一个、自己写，或者退回这一轮。\
         请按 message 里作者的要求给，不要重复。",
    );
    let hints = json!({
        "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
    });
    let forms = [propose_arguments(), schema_of::<Envelope<ProposeOutput>>()];
    tool(lang, PROPOSE, [say("Propose options", "给出备选"), propose], forms, &hints)
}

/// The schema of an object with these members and no others.
fn object_of(properties: &Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn list_arguments() -> Value {
    let all = json!({"type": "boolean", "default": false, "description": "Every gate, in every state. The list may be long."});
    object_of(&json!({"all": all, "gate": gate("Only this gate, with all that is known of it")}), &[])
}

fn wait_arguments() -> Value {
    let members = json!({"gate": gate("The gate that ask_author or list_gates named"), "wait_s": wait_s()});
    object_of(&members, &["gate"])
}

fn propose_arguments() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let option = json!({
        "label": text("The option in a few words; none that the question or an earlier round has."),
        "description": text("What the brief wants said of it."),
    });
    let options = json!({
        "type": "array", "minItems": 1, "items": object_of(&option, &["label", "description"]),
        "description": "What the author can choose from.",
    });
    let question = text("The id of the question; not needed where only one wants options.");
    let members =
        json!({"gate": gate("The gate that list_gates named"), "question": question, "options": options});
    object_of(&members, &["gate", "options"])
}

/// Plainer than the schema of a `QuestionSpec`, which not every client's model can follow; the same decoder judges.
fn ask_arguments() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let option = json!({
        "label": text("What is answered if this is chosen; no two options of a question have the same."),
        "description": text("What choosing it means."),
    });
    let question = json!({
        "id": text("Name of the question in the answers: snake_case, no two the same."),
        "header": text("Short label: up to 12 columns, of which a Chinese character takes two."),
        "question": text("The whole question as the author reads it."),
        "kind": {
            "type": "string",
            "enum": ask::Kind::ALL.map(ask::Kind::name),
            "description": "single_choice: one label. multi_choice: a list of labels. free_text: any text.",
        },
        "required": {"type": "boolean", "description": "Whether it must be answered."},
        "options": {
            "type": "array", "minItems": 1, "items": object_of(&option, &["label"]),
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
    });
    let question = object_of(&question, &["id", "header", "question", "kind", "required"]);
    let members = json!({
        "topic": text("What this is about, in a few words."),
        "questions": {"type": "array", "minItems": 1, "items": question, "description": "What is asked."},
        "wait_s": wait_s(),
    });
    object_of(&members, &["topic", "questions"])
}

fn gate(what: &str) -> Value {
    json!({"type": "string", "description": format!("{what}: the path of its packet, or a step id.")})
}

fn wait_s() -> Value {
    json!({
        "type": "number", "minimum": 0, "default": 50,
        "description": "How many seconds to wait before the status waiting is returned. Stay below your client's limit for a call.",
    })
}

/// The schema of a type, without references and kinds of numbers: not every client knows them.
fn schema_of<T: JsonSchema>() -> Value {
    let plain = RecursiveTransform(|schema: &mut Schema| drop(schema.remove("format")));
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.with_transform(plain).into_generator().into_root_schema_for::<T>().to_value()
}

/// How long a call waits if it does not say: clients give up after 60 s.
const SLICE: Duration = Duration::from_secs(50);
/// No call waits longer.
const LONGEST: Duration = Duration::from_hours(24);
/// No path is longer, in bytes.
const LONGEST_NAME: usize = 4096;

/// What `list_gates` is to list.
pub(super) enum Listing {
    /// The gates that are waiting or blocked.
    HeldUp,
    All,
    /// All that is known of one.
    One(String),
}

/// The arguments of a call as JSON.
pub(super) struct Arguments(String);

impl Arguments {
    pub(super) fn new(arguments: Option<Item<'_>>) -> Arguments {
        Arguments(arguments.map_or_else(|| "{}".to_owned(), |arguments| arguments.source().to_owned()))
    }

    /// Of `list_gates`.
    pub(super) fn listing(&self) -> Result<Listing, Error> {
        self.read(|arguments| {
            arguments.only(&["all", "gate"]);
            if arguments.given("gate").is_some() {
                return Listing::One(gate_name(arguments));
            }
            let all = arguments.given("all").and_then(|_| arguments.boolean("all"));
            if all == Some(true) { Listing::All } else { Listing::HeldUp }
        })
    }

    /// Of `wait_gate`: the gate, and how long to wait.
    pub(super) fn gate(&self) -> Result<(String, Duration), Error> {
        self.read(|arguments| {
            arguments.only(&["gate", "wait_s"]);
            (gate_name(arguments), slice(arguments))
        })
    }

    /// Of `propose_options`: the gate, the question, and the options as they came.
    pub(super) fn proposal(&self) -> Result<(String, Option<String>, String), Error> {
        self.read(|arguments| {
            arguments.only(&["gate", "question", "options"]);
            let question = arguments.given("question").and_then(|_| arguments.words("question"));
            let options = arguments.get("options").map_or("[]", Item::source).to_owned();
            (gate_name(arguments), question.map(|id| id.lossy().into_owned()), options)
        })
    }

    /// Of `ask_author`.
    pub(super) fn asking(&self) -> Result<(QuestionSpec, Duration), Error> {
        let (taken, mut problems) = self.take(|arguments| {
            arguments.only(&["topic", "questions", "wait_s"]);
            let given = ["topic", "questions"].map(|name| Some((name, arguments.get(name)?.compact())));
            (slice(arguments), given)
        });
        let (slice, given) = taken.unwrap_or_default();
        let members = [("version", "1".to_owned())].into_iter().chain(given.into_iter().flatten());
        let spec: Box<RawValue> = object(members.map(|(name, value)| (name, raw(value))));
        match decode_asked(spec.get().as_bytes()) {
            Ok(spec) if problems.is_empty() => return Ok((spec, slice)),
            Ok(_) => {}
            Err(found) => problems.extend(found),
        }
        Err(unfit(&problems))
    }

    fn read<T>(&self, take: impl FnOnce(&mut Reader<'_, '_>) -> T) -> Result<T, Error> {
        match self.take(take) {
            (Some(taken), problems) if problems.is_empty() => Ok(taken),
            (_, problems) => Err(unfit(&problems)),
        }
    }

    /// What is taken from the arguments, and everything that is wrong with them.
    fn take<T>(&self, take: impl FnOnce(&mut Reader<'_, '_>) -> T) -> (Option<T>, Vec<Problem>) {
        let mut problems = Found::default();
        match Json::parse(self.0.as_bytes()) {
            Ok(json) => {
                let reader = Reader::new(json.root(), &Pointer::ROOT, &mut problems);
                let taken = reader.map(|mut reader| take(&mut reader));
                (taken, problems.into_list())
            }
            Err(error) => (None, vec![error.into()]),
        }
    }
}

fn gate_name(arguments: &mut Reader<'_, '_>) -> String {
    let name = arguments.words("gate").unwrap_or_default().lossy().into_owned();
    if name.len() > LONGEST_NAME {
        let expected = say("the path of a packet, or a step id", "指令包的路径或步骤 id");
        let item = arguments.get("gate");
        arguments.report("gate", || wrong(expected, item));
    }
    name
}

/// How long to wait.
fn slice(arguments: &mut Reader<'_, '_>) -> Duration {
    let Some(item) = arguments.given("wait_s") else { return SLICE };
    let seconds = item.number().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if seconds.is_none() {
        let expected = say("a number of seconds, 0 or more", "秒数，不小于 0");
        arguments.report("wait_s", || wrong(expected, Some(item)));
    }
    seconds.unwrap_or_default().min(LONGEST)
}

/// So many problems are told at once.
const TOLD: usize = 20;

/// The call asks for what cannot be.
fn unfit(problems: &[Problem]) -> Error {
    let text = Message::in_both(|lang| {
        let first = say("The arguments cannot be used; nothing was done:", "参数不可用；什么都没有做：");
        let told = lines::problems(&problems[..problems.len().min(TOLD)], lang);
        let mut lines: Vec<String> = [first.text(lang).to_owned()].into_iter().chain(told).collect();
        if problems.len() > TOLD {
            let more = say("  … and {0} more.", "  ……还有 {0} 处。");
            lines.push(more.fill(lang, &[&(problems.len() - TOLD).to_string()]));
        }
        lines.join("\n")
    });
    Error::of(ExitCode::Usage, "arguments", text)
}

/// What `list_gates` gives.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListOutput {
    /// How many gates there are in each state, and whether these are all.
    pub(super) message: String,
    /// Blocked ones first, the newest first. Of one that was named, more is told.
    #[schemars(with = "Vec<GateLine>")]
    pub(super) gates: Vec<Box<RawValue>>,
    /// How many more there are.
    pub(super) more: usize,
}

/// A gate in a list.
#[derive(Serialize, JsonSchema)]
pub(super) struct GateLine {
    /// The path of the packet, relative to the project.
    pub(super) packet: String,
    pub(super) step: Option<JsString>,
    pub(super) topic: Option<JsString>,
    #[schemars(extend("enum" = ["waiting", "blocked", "sent-back", "malformed", "open", "past"]))]
    pub(super) status: &'static str,
    /// Since when it is in that state.
    pub(super) since: String,
}

/// What `ask_author` and `wait_gate` give.
#[derive(Serialize, JsonSchema)]
pub(super) struct GateOutput {
    /// answered (of `ask_author`), open: the author has answered, and the step may run. waiting: not yet; call `wait_gate` with the
    /// gate. declined: the author has taken the question back and wants to answer in the client's own conversation. blocked: the
    /// record is invalid, and the author must repair it. sent-back: the author gives no answer, and says why. malformed: the packet
    /// cannot be used.
    #[schemars(extend("enum" = ["answered", "open", "waiting", "declined", "blocked", "sent-back", "malformed"]))]
    pub(super) status: &'static str,
    /// The same in a sentence, and what to do next.
    pub(super) message: String,
    /// The path of the packet.
    pub(super) gate: String,
    /// Where the record is, or is to be; not of answers that are handed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) record_path: Option<String>,
    #[serde(flatten)]
    pub(super) given: Given,
    /// What the agent that does the step is to be told, word for word; of a step's own gate that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decisions: Option<String>,
    /// What the author gave in place of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sent_back: Option<SentBackOutput>,
    /// What is to be proposed by `propose_options` before the author can choose; then `wait_gate` waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) propose: Option<Vec<WantedOutput>>,
    /// Why the record or the packet cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problems: Option<Problems>,
}

/// What the author has given.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct Given {
    /// The answers by question id: a string, for `multi_choice` a list. What was left blank has no member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, Answer>>")]
    answers: Option<Box<RawValue>>,
    /// What the author wrote beside answers, by question id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    notes: Option<Box<RawValue>>,
}

impl Given {
    pub(super) fn of(record: &AnswerSpec) -> Given {
        let notes = &record.notes;
        Given {
            answers: Some(object(record.answers.iter().map(|(id, answer)| (id, answer)))),
            notes: (!notes.is_empty()).then(|| object(notes.iter().map(|(id, note)| (id, note)))),
        }
    }
}

/// Some clients' models see only the object, others only the text.
pub(super) fn success(output: &impl Serialize) -> Value {
    let line = &to_line(output);
    let object = Json::parse(line.as_bytes()).ok().map(|json| value(json.root()));
    json!({"content": [{"type": "text", "text": line}], "structuredContent": object, "isError": false})
}

/// The call could not be done; the client's model reads why.
pub(super) fn failure(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

/// JSON without lone surrogates, for which some clients would drop the whole message.
fn value(item: Item<'_>) -> Value {
    match item.kind() {
        Kind::Object => {
            let member = |(key, item): (JsString, Item<'_>)| (key.lossy().into_owned(), value(item));
            Value::Object(item.entries().into_iter().map(member).collect::<Map<_, _>>())
        }
        Kind::Array => Value::Array(item.elements().map(value).collect()),
        Kind::String => Value::String(item.string().unwrap_or_default().lossy().into_owned()),
        Kind::Null | Kind::Boolean | Kind::Number => serde_json::from_str(item.source()).unwrap_or_default(),
    }
}
