//! What commands print for programs: one object on one line, and its JSON Schema (2020-12).
//!
//! Each command has the types of its own output beside it; here stands what several of them share.

use crate::ask::{AnswerSpec, Caller, Gate, JsString, Loss, Problem};
pub(super) use crate::ask::{object, raw};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::gate::{self, Loaded};
use crate::store::{Receipt, Record, Refusal, Status};
use crate::text::Lang;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::{RawValue, Value};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The states of a packet.
pub(super) const STATES: &[&str] = &["open", "waiting", "blocked", "malformed", "sent-back"];
/// The same as codes: an open packet may have no gate at all.
pub(super) const STATE_CODES: &[&str] = &["open", "no-gate", "waiting", "blocked", "malformed", "sent-back"];

/// What one command prints with `--json`.
pub struct Output {
    /// The schema's name, such as `check-output`.
    pub name: &'static str,
    description: &'static str,
    /// One of these is printed, or an [`ErrorOutput`].
    forms: &'static [Shape],
}

/// One shape of an output, and the values that the members of its [`Head`] have. Without codes any is legal.
pub(super) struct Shape {
    /// Gives the definition to a schema: its name, and the link to it.
    define: fn(&mut SchemaGenerator) -> (Cow<'static, str>, Schema),
    status: &'static [&'static str],
    exit: &'static [u8],
    code: &'static [&'static str],
}

/// The [`Shape`] with this body.
pub(super) const fn form<T: JsonSchema>(
    status: &'static [&'static str],
    exit: &'static [u8],
    code: &'static [&'static str],
) -> Shape {
    let define =
        |generator: &mut SchemaGenerator| (T::schema_name(), generator.subschema_for::<Envelope<T>>());
    Shape { define, status, exit, code }
}

impl Output {
    pub(super) const fn new(
        name: &'static str,
        description: &'static str,
        forms: &'static [Shape],
    ) -> Output {
        Output { name, description, forms }
    }

    pub fn schema(&self) -> String {
        let mut generator = generator();
        let error = form::<ErrorOutput>(&["error"], &[1, 2, 3, 5, 6, 8], &[]);
        let forms = self.forms.iter().chain([&error]).map(|form| form.schema(&mut generator).1);
        // A schema is printed with its members in the usual order.
        let schema = json_schema!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.name,
            "description": self.description,
            "anyOf": forms.collect::<Vec<_>>(),
            "$defs": generator.take_definitions(true),
        });
        serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
    }
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().with_transform(RecursiveTransform(close)).into_generator()
}

impl Shape {
    /// Defines the form with the values of its head; its name, and the link to it.
    fn schema(&self, generator: &mut SchemaGenerator) -> (Cow<'static, str>, Schema) {
        let (name, link) = (self.define)(generator);
        let form = generator.definitions_mut().get_mut(&*name).and_then(Value::as_object_mut);
        if let Some(form) = form {
            let values =
                [("status", json!(self.status)), ("exit", json!(self.exit)), ("code", json!(self.code))];
            for (member, values) in values.into_iter().filter(|(_, values)| *values != json!([])) {
                form["properties"][member]["enum"] = values;
            }
        }
        (name, link)
    }
}

/// No object has members that its type does not know. JSON knows no kinds of numbers but `integer`.
fn close(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    if schema.get("format").and_then(Value::as_str).is_some_and(|format| format != "date-time") {
        schema.remove("format");
    }
}

// What is printed: the head, then the members of one form. It has the name and the description of the form.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}")]
pub struct Envelope<T> {
    #[serde(flatten)]
    pub(super) head: Head,
    #[serde(flatten)]
    pub(super) body: T,
}

// The members every object begins with.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Head {
    /// What came of it, in a word.
    status: &'static str,
    /// The exit code of the process.
    #[serde(serialize_with = "number")]
    #[schemars(with = "i32")]
    pub(super) exit: ExitCode,
    /// What came of it, more exactly; stable.
    code: &'static str,
    /// The same in a sentence, in the language of --lang.
    pub(super) message: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn number<S: Serializer>(exit: &ExitCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i32(exit.number())
}

/// A path, even one that is not UTF-8.
#[expect(clippy::ref_option, reason = "the shape that serde asks for")]
pub(super) fn lossy<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.shown()).serialize(serializer)
}

impl Head {
    pub(super) fn new(
        status: &'static str,
        exit: ExitCode,
        code: &'static str,
        message: impl Into<String>,
    ) -> Head {
        Head { status, exit, code, message: message.into() }
    }

    /// Of what was done as asked.
    pub(super) fn ok(code: &'static str, message: impl Into<String>) -> Head {
        Head::new("ok", ExitCode::Done, code, message)
    }

    /// What is said of a packet in this state.
    pub(super) fn of_state(status: Status, exit: ExitCode, lang: Lang) -> Head {
        let code = if status == Status::NoGate { "no-gate" } else { status.name() };
        Head::new(status.name(), exit, code, gate::verdict(status, false).text(lang))
    }

    /// The same of one that may be meant to have a gate that the executor does not see.
    pub(super) fn of_packet(status: Status, is_unseen: bool, exit: ExitCode, lang: Lang) -> Head {
        let message = gate::verdict(status, is_unseen).text(lang);
        Head { message, ..Head::of_state(status, exit, lang) }
    }
}

/// Nothing was done; exit and code say why.
#[derive(Serialize, JsonSchema)]
pub struct ErrorOutput {
    /// The argument, or the place in an input, that is wrong.
    at: Option<String>,
    /// Every violation of an input that cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    problems: Option<Vec<ProblemOutput>>,
}

impl ErrorOutput {
    /// What is printed for an error; `problems` are those of an input that cannot be used.
    pub fn of(error: &Error, problems: Option<&[Problem]>, lang: Lang) -> Envelope<ErrorOutput> {
        let head = Head::new("error", error.kind, error.code, error.text(lang));
        let problems = problems.map(|problems| Problems::of(problems, lang).0);
        Envelope { head, body: ErrorOutput { at: error.at.as_deref().map(str::to_owned), problems } }
    }
}

/// A text for another program.
#[derive(Serialize, JsonSchema)]
pub(super) struct TextOutput<'a> {
    /// The text, exactly as it is printed without --json.
    pub(super) text: &'a str,
}

/// The packet's path, relative to the project's root where it lies below it.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct PacketPath(pub(super) String);

/// Where the record goes, as the packet spells it; null without a gate.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct AnswerPath(pub(super) Option<JsString>);

impl AnswerPath {
    pub(super) fn of(gate: Option<&Gate>) -> AnswerPath {
        AnswerPath(gate.map(|gate| gate.answer_path.clone()))
    }
}

/// The step that a packet belongs to.
#[derive(Serialize, JsonSchema)]
pub(super) struct StepFacts {
    /// The step's id, such as chapter:048:draft.
    pub(super) step: Option<JsString>,
    /// Who is to run the step.
    pub(super) agent: Option<JsString>,
    /// Of a question of an executor's own, who asks it: session and agent, as the executor calls them.
    pub(super) caller: Option<Caller>,
    /// What the questions are about.
    pub(super) topic: Option<JsString>,
}

/// Whether the checkpoint is behind this step.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Past(pub(super) bool);

/// What of the packet, or of a valid record, is lost: the file is not UTF-8, repeats text that was not, or has a key twice.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Lost(Option<String>);

impl Lost {
    pub(super) fn of(loss: Option<&Loss>, lang: Lang) -> Lost {
        Lost(loss.map(|loss| loss.text().text(lang)))
    }

    /// The same for people.
    pub(super) fn line(&self) -> Option<String> {
        self.0.as_ref().map(|words| format!("  {words}"))
    }
}

/// Where the record goes, and whether it may be written there.
#[derive(Serialize, JsonSchema)]
pub(super) struct Destination {
    pub(super) answer_path: AnswerPath,
    /// Whether the packet itself says so; false while a standing question is still to be attached to it.
    attached: bool,
    /// Whether novel-gate would write a record there.
    writable: bool,
    /// Why not.
    pub(super) refusal: Option<Refusal>,
}

impl Destination {
    /// `answer_path` is told even of a packet that cannot be used; `has_gate` says whether it can.
    pub(super) fn new(
        answer_path: Option<JsString>,
        has_gate: bool,
        attached: bool,
        refusal: Option<Refusal>,
    ) -> Destination {
        let writable = has_gate && refusal.is_none();
        Destination { answer_path: AnswerPath(answer_path), attached, writable, refusal }
    }

    pub(super) fn of(loaded: Option<&Loaded>) -> Destination {
        let gate = loaded.and_then(Loaded::gate);
        let refusal = loaded.and_then(|loaded| loaded.refusal);
        let attached = gate.is_some() && loaded.is_some_and(|loaded| !loaded.is_unattached);
        Destination::new(gate.map(|gate| gate.answer_path.clone()), gate.is_some(), attached, refusal)
    }
}

/// Other packets whose answers go to the same place.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct Others {
    /// Other packets that ask the very same in the same place.
    pub(super) same_gate: Vec<String>,
    /// Other packets that want different answers in the same place.
    pub(super) conflicts: Vec<String>,
}

impl Others {
    /// Of paths, and whether each asks the same.
    pub(super) fn of(found: impl Iterator<Item = (impl AsRef<Path>, bool)>) -> Others {
        let mut others = Others::default();
        for (path, agrees) in found {
            let paths = if agrees { &mut others.same_gate } else { &mut others.conflicts };
            paths.push(path.as_ref().shown().into_owned());
        }
        others
    }
}

/// Every violation; the first is the one that the executor names.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Problems(Vec<ProblemOutput>);

impl Problems {
    pub(super) fn of(problems: &[Problem], lang: Lang) -> Problems {
        Problems(problems.iter().map(|problem| ProblemOutput::of(problem, lang)).collect())
    }
}

/// One violation of a packet or a record.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProblemOutput {
    /// JSON pointer to the value, or to where it is missing; empty for the whole file.
    pointer: String,
    /// What stands there.
    found: String,
    /// What should stand there.
    expected: String,
    /// What to do about it.
    hint: Option<String>,
}

impl ProblemOutput {
    pub(super) fn of(problem: &Problem, lang: Lang) -> ProblemOutput {
        ProblemOutput {
            pointer: problem.pointer.clone(),
            found: problem.found.text(lang),
            expected: problem.expected.text(lang),
            hint: problem.hint.as_ref().map(|hint| hint.text(lang)),
        }
    }
}

/// A file that was written or moved.
#[derive(Serialize, JsonSchema)]
pub(super) struct WrittenFile {
    /// The file, relative to the project's root.
    pub(super) path: String,
    /// The hash of its bytes, in hexadecimal digits.
    sha256: String,
    /// How long it is.
    bytes: usize,
    /// Whether the system has confirmed that it survives a power cut.
    durable: bool,
}

impl From<&Receipt> for WrittenFile {
    fn from(receipt: &Receipt) -> WrittenFile {
        let path = receipt.path.shown().into_owned();
        WrittenFile { path, sha256: receipt.sha256.clone(), bytes: receipt.bytes, durable: receipt.durable }
    }
}

/// The hash of the record's bytes, valid or not.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct RecordHash(Option<String>);

impl RecordHash {
    pub(super) fn of(record: Option<&Record>) -> RecordHash {
        RecordHash(record.filter(|record| record.exists() && record.is_read()).map(Record::sha256))
    }
}

/// A record on one line as its file has it.
pub(super) fn as_written(record: &AnswerSpec) -> Box<RawValue> {
    raw(one_line(&record.to_json()))
}

/// JSON on one line: outside strings every line end is layout.
pub(super) fn one_line(json: &str) -> String {
    json.lines().map(str::trim_start).collect::<Vec<_>>().join(" ").trim_end().to_owned()
}
