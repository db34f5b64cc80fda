//! What a JSON file is, told by its shape, and every problem it has by the rules of its kind.
//!
//! Responsible for choosing the rules. Not responsible for the rules themselves (`ask::decode`, `ask::check`, `canonical`)
//! nor for files (`command`).

use super::canonical;
use crate::ask::json::{Item, Json, Kind as JsonKind};
use crate::ask::problem::shorten;
use crate::ask::{
    Problem, ProblemKind, Question, Rule, check_record_alone, decode_packet, decode_spec, pointer_to,
};
use crate::text::{Message, say};

/// The documents that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// An instruction packet.
    Packet,
    /// The questions of a gate on their own.
    QuestionSpec,
    /// A record on its own: without its questions only its own shape can be judged.
    Record,
    /// A Canonical Prompt document.
    Canonical,
    /// An `AskUserQuestion` input.
    Call,
    /// Several of them, with the stages of their protocol.
    Protocol,
}

/// What is wrong with a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// What it is; `None` if that cannot be told.
    pub kind: Option<DocumentKind>,
    /// What breaks the rules.
    pub problems: Vec<Problem>,
    /// What is legal but will surprise.
    pub warnings: Vec<Problem>,
}

impl DocumentKind {
    /// Stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            DocumentKind::Packet => "packet",
            DocumentKind::QuestionSpec => "question-spec",
            DocumentKind::Record => "answer-spec",
            DocumentKind::Canonical => "canonical-prompt",
            DocumentKind::Call => "ask-user-question",
            DocumentKind::Protocol => "protocol",
        }
    }

    /// By the members of an object; nothing if none of them tells.
    pub fn of(root: Item<'_>) -> Option<DocumentKind> {
        if root.kind() != JsonKind::Object {
            return None;
        }
        let has = |names: &[&str]| names.iter().any(|name| root.get(name).is_some());
        let first = |kinds: &[(&[&str], DocumentKind)]| {
            kinds.iter().find(|(names, _)| has(names)).map(|(_, kind)| *kind)
        };
        // What only one kind has comes before what several have.
        first(&[
            (&["novel_ask", "answer_path"], DocumentKind::Packet),
            (&["steps", "source_prompts", "task_sync"], DocumentKind::Canonical),
            (&["stages"], DocumentKind::Protocol),
            (&["answered_at", "answered_by"], DocumentKind::Record),
        ])
        .or_else(|| {
            let spec = has(&["version", "topic"]);
            has(&["questions"]).then_some(if spec { DocumentKind::QuestionSpec } else { DocumentKind::Call })
        })
        .or_else(|| {
            first(&[
                (&["agent", "manifest", "expected_outputs", "next_actions"], DocumentKind::Packet),
                // Before `step`, which is also `steps` misspelled.
                (&["protocol"], DocumentKind::Canonical),
                (&["step"], DocumentKind::Packet),
                (&["answers"], DocumentKind::Record),
                (&["topic"], DocumentKind::QuestionSpec),
            ])
        })
    }
}

/// Judges a document; `is_packet` if its name says that it is a packet.
pub fn judge(bytes: &[u8], is_packet: bool) -> Findings {
    let json = match Json::parse(bytes) {
        Ok(json) => json,
        Err(error) => {
            let problems = vec![Problem::new("", ProblemKind::Syntax(error))];
            return Findings { problems, ..Findings::default() };
        }
    };
    let kind = if is_packet { Some(DocumentKind::Packet) } else { DocumentKind::of(json.root()) };
    let Some(kind) = kind else {
        return Findings { problems: vec![unknown(json.root())], ..Findings::default() };
    };
    let (mut warnings, mut problems) = (Vec::new(), Vec::new());
    match judge_as(kind, bytes) {
        Ok(questions) => {
            let at = if kind == DocumentKind::Packet { "/novel_ask" } else { "" };
            warnings.extend(inherited(&questions, at));
        }
        Err(found) => problems = found,
    }
    if matches!(kind, DocumentKind::Packet | DocumentKind::QuestionSpec | DocumentKind::Record) {
        warnings.extend(repeated(&json));
    }
    Findings { kind: Some(kind), problems, warnings }
}

/// The questions of a legal document of this kind, where it holds a gate's.
fn judge_as(kind: DocumentKind, bytes: &[u8]) -> Result<Vec<Question>, Vec<Problem>> {
    let none = |()| Vec::new();
    match kind {
        DocumentKind::Packet => {
            decode_packet(bytes).map(|packet| packet.gate.map(|gate| gate.spec.questions).unwrap_or_default())
        }
        DocumentKind::QuestionSpec => decode_spec(bytes).map(|spec| spec.questions),
        DocumentKind::Record => check_record_alone(bytes).map(none),
        DocumentKind::Canonical => canonical::read(bytes).map(drop).map(none),
        DocumentKind::Call => canonical::read_call(bytes).map(drop).map(none),
        DocumentKind::Protocol => canonical::read_protocol(bytes).map(drop).map(none),
    }
}

fn rule(found: Message, expected: Message, hint: Option<Message>) -> ProblemKind {
    ProblemKind::Rule(Box::new(Rule { found, expected, hint }))
}

fn unknown(root: Item<'_>) -> Problem {
    let expected = say(
        "a packet, a QuestionSpec, a record, a Canonical Prompt document, an AskUserQuestion input or a protocol file",
        "指令包、QuestionSpec、答案记录、Canonical Prompt 文档、AskUserQuestion 输入或协议文件",
    );
    Problem::new("", rule(Message::verbatim(shorten(root.source())), expected.into(), None))
}

/// Optional questions that must be answered all the same.
fn inherited<'q>(questions: &'q [Question], at: &'q str) -> impl Iterator<Item = Problem> + use<'q> {
    let surprising = |question: &Question| question.must_be_answered() && !question.required;
    questions.iter().enumerate().filter(move |(_, question)| surprising(question)).map(
        move |(i, question)| {
            let found = say(
                "an optional question with the id {0}, which novel-writer-cli 0.5.0 wants answered",
                "id 为 {0} 的选答题，而 novel-writer-cli 0.5.0 要求回答它",
            );
            let expected = say("another id, or required true", "换一个 id，或写 required: true");
            let kind = rule(Message::new(found, &[&question.id]), expected.into(), None);
            Problem::new(format!("{at}/questions/{i}/id"), kind)
        },
    )
}

/// The first key that stands twice: the executor takes the last value without a word.
fn repeated(json: &Json<'_>) -> Option<Problem> {
    let (key, offset) = json.root().repeated_key()?;
    Some(Problem::new(pointer_to(json, offset), ProblemKind::RepeatedKey(key)))
}

#[cfg(test)]
mod tests;
