//! Recognises what a JSON file is by its members, and finds its problems by the rules of its kind, which are in
//! `ask::decode`, `ask::check` and `canonical`.

use super::advice::{self, Advice};
use super::canonical;
use crate::ask::json::{Item, Json, Kind as JsonKind};
use crate::ask::problem::{ProblemCode, shorten};
use crate::ask::standing::{self, ENDING};
use crate::ask::{
    JsString, Loss, Problem, QuestionSpec, check_record, check_record_alone, decode_packet, decode_spec,
};
use crate::text::encoding::decode;
use crate::text::{Message, say};

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DocumentKind {
    Packet,
    /// The questions of a gate without their packet.
    QuestionSpec,
    /// Questions before the steps of the whole book.
    StandingQuestion,
    /// A record without its questions: only its own form can be judged.
    #[strum(serialize = "answer-spec")]
    Record,
    #[strum(serialize = "canonical-prompt")]
    Canonical,
    #[strum(serialize = "ask-user-question")]
    Call,
    /// Several of them, with the stages of their protocol.
    Protocol,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// What it is, if that is known.
    pub kind: Option<DocumentKind>,
    pub problems: Vec<Problem>,
    /// What is legal but will surprise.
    pub warnings: Vec<Advice>,
}

impl DocumentKind {
    /// Stable name for programs.
    pub fn name(self) -> &'static str {
        self.into()
    }

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

/// Judges a document of this path, which may say what it is.
pub fn judge(bytes: &[u8], path: &str) -> Findings {
    let json = match Json::parse(bytes) {
        Ok(json) => json,
        Err(error) => {
            let inside = decode(bytes).map(|(text, _)| judge(text.as_bytes(), path)).unwrap_or_default();
            let problems = std::iter::once(error.into()).chain(inside.problems).collect();
            return Findings { problems, ..Findings::default() };
        }
    };
    // Executors give the questions of a single gate the same ending, elsewhere.
    let question = path.rsplit_once('/').and_then(|(dir, name)| {
        name.strip_suffix(ENDING).filter(|_| dir.rsplit('/').next() == Some("questions"))
    });
    let is_standing = |kind| kind == DocumentKind::QuestionSpec && json.root().get("_steps").is_some();
    let kind = match DocumentKind::of(json.root()) {
        _ if path.ends_with(".packet.json") => Some(DocumentKind::Packet),
        kind if question.is_some() || kind.is_some_and(is_standing) => Some(DocumentKind::StandingQuestion),
        kind => kind,
    };
    let Some(kind) = kind else {
        return Findings { problems: vec![unknown(json.root())], ..Findings::default() };
    };
    let counts = !matches!(kind, DocumentKind::Canonical | DocumentKind::Call | DocumentKind::Protocol);
    // A file by another name has no place in a book yet.
    let judged = match kind {
        DocumentKind::StandingQuestion => judge_standing(question.unwrap_or("a"), bytes),
        kind => judge_as(kind, bytes, &json),
    };
    let mut found = findings(kind, bytes, judged, Some(&json).filter(|_| counts));
    if std::str::from_utf8(bytes).is_err() {
        // What it says may be known all the same; of characters that are lost nothing is.
        let inside = decode(bytes).map(|(text, _)| judge(text.as_bytes(), path).warnings);
        let is_inside = inside.is_some() && found.problems.is_empty();
        found.warnings.retain(|it| it.code == advice::Code::LostCharacters || !is_inside && !it.is_of_lost());
        found.warnings.extend(inside.filter(|_| is_inside).into_iter().flatten());
    }
    found
}

pub fn judge_record(bytes: &[u8], spec: &QuestionSpec) -> Findings {
    let judged = check_record(spec, bytes).map(|record| advice::of_record(&record, spec));
    findings(DocumentKind::Record, bytes, judged, Json::parse(bytes).ok().as_ref())
}

/// What was found, what is lost, and the first key that appears twice in `json`: the executor silently takes the last value.
fn findings(
    kind: DocumentKind,
    bytes: &[u8],
    judged: Result<Vec<Advice>, Vec<Problem>>,
    json: Option<&Json<'_>>,
) -> Findings {
    let problems = judged.as_ref().err().cloned().unwrap_or_default();
    let mut warnings = judged.unwrap_or_default();
    let twice = json.and_then(|json| json.root().repeated_key());
    warnings.extend(twice.map(|twice| advice::repeated_key(twice.pointer, &twice.key)));
    let lost = Loss::of_record(bytes)
        .map(Loss::problem)
        .filter(|_| problems.iter().all(|it| it.code != ProblemCode::Lost));
    warnings.extend(lost.map(|problem| Advice { code: advice::Code::LostCharacters, problem }));
    Findings { kind: Some(kind), problems, warnings }
}

fn judge_as(kind: DocumentKind, bytes: &[u8], json: &Json<'_>) -> Result<Vec<Advice>, Vec<Problem>> {
    match kind {
        DocumentKind::Packet => decode_packet(bytes).map(|packet| {
            let is_bare = packet.gate.is_none() && packet.misspelt.is_empty();
            let envelope = advice::of_envelope(json.root()).filter(|_| is_bare);
            let unseen = packet.misspelt.iter().cloned().map(advice::unseen);
            advice::of_packet(&packet).into_iter().chain(envelope).chain(unseen).collect()
        }),
        DocumentKind::QuestionSpec | DocumentKind::StandingQuestion => {
            decode_spec(bytes).map(|spec| advice::of_questions(&spec))
        }
        DocumentKind::Record => {
            check_record_alone(bytes).map(|()| advice::of_strings(&strings_of(json.root())))
        }
        DocumentKind::Canonical => canonical::read(bytes).map(|document| advice::of_document(&document)),
        DocumentKind::Call => canonical::read_call(bytes).map(|_| Vec::new()),
        DocumentKind::Protocol => canonical::read_protocol(bytes).map(|_| Vec::new()),
    }
}

fn judge_standing(name: &str, bytes: &[u8]) -> Result<Vec<Advice>, Vec<Problem>> {
    let read = standing::read(name, bytes);
    let advice = read.standing.map(|standing| advice::of_questions(&standing.spec));
    if read.problems.is_empty() { Ok(advice.unwrap_or_default()) } else { Err(read.problems) }
}

/// Every string of a legal record's answers, and who answered. The ids need no escape in a pointer.
fn strings_of(record: Item<'_>) -> Vec<(String, JsString)> {
    let mut out = Vec::new();
    for (id, item) in record.get("answers").map(Item::entries).unwrap_or_default() {
        let at = format!("/answers/{}", id.lossy());
        out.extend(item.string().map(|text| (at.clone(), text)));
        let entries = item.elements().enumerate();
        out.extend(entries.filter_map(|(i, entry)| Some((format!("{at}/{i}"), entry.string()?))));
    }
    let by = record.text("answered_by");
    out.extend(by.map(|by| ("/answered_by".to_owned(), by)));
    out
}

fn unknown(root: Item<'_>) -> Problem {
    let expected = say(
        "a packet, a QuestionSpec, a record, a Canonical Prompt document, an AskUserQuestion input or a protocol file",
        "指令包、QuestionSpec、答案记录、Canonical Prompt 文档、AskUserQuestion 输入或协议文件",
    );
    Problem::new(ProblemCode::Other, Message::verbatim(shorten(root.source())), expected)
}

#[cfg(test)]
mod tests;
