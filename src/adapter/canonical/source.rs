//! What a document is compiled from: a gate's questions, an `AskUserQuestion` input, or a protocol file with several
//! inputs. All three become a [`Source`].
//!
//! The limits of an input are those of the published types of `@anthropic-ai/claude-agent-sdk` (`AskUserQuestionInput`).

use super::fields::{FieldRule, ID, Length, reader, rule};
use super::read::{PROTOCOL, SOURCE, VERSION};
use crate::adapter::profile::AnswerKey;
use crate::ask::decode::duplicate_label;
use crate::ask::js_string::trim_js;
use crate::ask::json::{Item, Json};
use crate::ask::problem::{Pointer, Problems, twice};
use crate::ask::{Choice, JsString, Kind, NO_DESCRIPTION, Problem, Question, QuestionSpec};
use crate::text::say;
use std::collections::HashSet;

/// Questions in order, whatever they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The protocol's name, if the source states it.
    pub protocol: Option<String>,
    /// Three numbers with dots between them.
    pub version: String,
    /// The source page, if the source states it.
    pub page: Option<JsString>,
    /// What the questions are about, if the source states it.
    pub title: Option<JsString>,
    /// At least one, each with an id and number of its own.
    pub prompts: Vec<Prompt>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub stage: String,
    /// Its number in its stage, from 1, if the stage has several questions.
    pub number: Option<usize>,
    pub phase: JsString,
    pub question: Question,
    /// For each option, what it looks like when chosen, if the source says it.
    pub previews: Vec<Option<JsString>>,
}

/// A question of a tool call, and the previews of its options.
type CallQuestion = (Question, Vec<Option<JsString>>);

impl Prompt {
    fn new(
        stage: String,
        number: Option<usize>,
        phase: JsString,
        (question, previews): CallQuestion,
    ) -> Prompt {
        Prompt { stage, number, phase, question, previews }
    }
}

const CALL_KEYS: [&str; 4] = ["questions", "answers", "annotations", "metadata"];
/// The same, and when a client answers by itself, which it does in its own dialog only.
const RELAYED_KEYS: [&str; 6] =
    ["questions", "answers", "annotations", "metadata", "autoResolutionMs", "isBlocking"];
const QUESTION_KEYS: [&str; 4] = ["question", "header", "options", "multiSelect"];
const OPTION_KEYS: [&str; 4] = ["label", "description", "preview", "_cluster"];
/// Of `request_user_input`. Its options carry the same members.
const INPUT_QUESTION_KEYS: [&str; 4] = ["id", "question", "header", "options"];
const PROTOCOL_KEYS: [&str; 4] = ["protocol", "version", "source", "stages"];
const STAGE_KEYS: [&str; 3] = ["id", "phase", "input"];
const QUESTIONS: Length = Length { least: 1, most: Some(4), too_many: None };
const OPTIONS: Length = Length { least: 2, most: Some(4), too_many: None };
const SPOKEN: FieldRule = FieldRule {
    accepts: |text| !trim_js(text).is_empty(),
    expected: say("a string that is not blank", "非空白的字符串"),
};
const FIRST_VERSION: &str = "1.0.0";

impl From<&QuestionSpec> for Source {
    fn from(spec: &QuestionSpec) -> Source {
        let prompts = spec.questions.iter().zip(1..).map(|(question, number)| {
            let asked = (question.clone(), vec![None; question.options.len()]);
            Prompt::new(question.id.clone(), None, phase(number, &question.header), asked)
        });
        Source {
            protocol: None,
            // Not as JavaScript spells it: an exponent is no version.
            version: format!("{}.0.0", spec.version),
            page: None,
            title: Some(spec.topic.clone()),
            prompts: prompts.collect(),
        }
    }
}

/// `question 2: Header`
fn phase(number: usize, header: &JsString) -> JsString {
    let mut phase = JsString::from(format!("question {number}: "));
    phase.append(header);
    phase
}

/// The header inside such a phase; any other phase is its own.
pub(super) fn header(phase: &JsString) -> JsString {
    let numbered = |text: &str| {
        let (number, _) = text.strip_prefix("question ")?.split_once(": ")?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("question {number}: "))
    };
    let prefix = numbered(&phase.lossy());
    prefix.and_then(|prefix| phase.without_prefix(&prefix)).unwrap_or_else(|| phase.clone())
}

/// Reads an `AskUserQuestion` input.
pub fn read_call(bytes: &[u8]) -> Result<Source, Vec<Problem>> {
    read_questions(bytes, |root, problems| call(root, &Pointer::ROOT, problems))
}

/// Reads the input of a tool that is asked elsewhere: what its own dialog has room for is no limit there.
pub fn read_relayed(bytes: &[u8], key: AnswerKey) -> Result<Source, Vec<Problem>> {
    let of_question = match key {
        AnswerKey::Text => QUESTION_KEYS,
        AnswerKey::Id => INPUT_QUESTION_KEYS,
    };
    read_questions(bytes, |root, problems| {
        let mut request = reader(root, &Pointer::ROOT, &RELAYED_KEYS, problems)?;
        request.list_of("questions", Length::SOME, |item, at, problems| {
            call_question(item, at, problems, &of_question, Length::SOME)
        })
    })
}

fn read_questions(
    bytes: &[u8],
    take: impl FnOnce(Item<'_>, &mut Problems) -> Option<Vec<CallQuestion>>,
) -> Result<Source, Vec<Problem>> {
    read(bytes, |root, problems| {
        let asked = take(root, problems)?;
        let prompts = asked.into_iter().zip(1..).map(|(asked, number)| {
            Prompt::new(format!("q{number}"), None, phase(number, &asked.0.header), asked)
        });
        Some(Source {
            protocol: None,
            version: FIRST_VERSION.to_owned(),
            page: None,
            title: None,
            prompts: prompts.collect(),
        })
    })
}

pub fn read_protocol(bytes: &[u8]) -> Result<Source, Vec<Problem>> {
    read(bytes, |root, problems| {
        let mut root = reader(root, &Pointer::ROOT, &PROTOCOL_KEYS, problems)?;
        let protocol = root.text("protocol", PROTOCOL).map(|name| name.lossy().into_owned());
        let version = root.text_if_any("version", VERSION).map(|version| version.lossy().into_owned());
        let page = root.text("source", SOURCE);
        let mut ids = HashSet::new();
        let stages = root.list_of("stages", Length::SOME, |item, at, problems| {
            let stage = stage(item, at, problems);
            if let Some(id) = item.text("id").filter(|id| !ids.insert(id.clone())) {
                let expected = say("a different id for each stage", "每个阶段有自己的 id");
                problems.push(&at.key("id"), || rule(twice(&id), expected));
            }
            stage
        });
        Some(Source {
            title: Some(protocol.as_deref()?.into()),
            protocol,
            version: version.unwrap_or_else(|| FIRST_VERSION.to_owned()),
            page: Some(page?),
            prompts: stages?.into_iter().flatten().collect(),
        })
    })
}

fn read(
    bytes: &[u8],
    take: impl FnOnce(Item<'_>, &mut Problems) -> Option<Source>,
) -> Result<Source, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![error.into()])?;
    let mut problems = Problems::default();
    match take(json.root(), &mut problems) {
        Some(source) if problems.is_empty() => Ok(source),
        _ => Err(problems.into_list()),
    }
}

fn stage(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<Vec<Prompt>> {
    let mut stage = reader(item, at, &STAGE_KEYS, problems)?;
    let id = stage.text("id", ID);
    let phase = stage.text("phase", SPOKEN);
    let asked = call(stage.get("input"), &at.key("input"), problems);
    let (id, phase, asked) = (id?.lossy().into_owned(), phase?, asked?);
    let alone = asked.len() == 1;
    let prompt = |(asked, number): (CallQuestion, usize)| {
        Prompt::new(id.clone(), (!alone).then_some(number), phase.clone(), asked)
    };
    Some(asked.into_iter().zip(1..).map(prompt).collect())
}

fn call<'j>(
    item: impl Into<Option<Item<'j>>>,
    at: &Pointer<'_>,
    problems: &mut Problems,
) -> Option<Vec<CallQuestion>> {
    reader(item, at, &CALL_KEYS, problems)?.list_of("questions", QUESTIONS, |item, at, problems| {
        call_question(item, at, problems, &QUESTION_KEYS, OPTIONS)
    })
}

fn call_question(
    item: Item<'_>,
    at: &Pointer<'_>,
    problems: &mut Problems,
    known: &[&str],
    length: Length,
) -> Option<CallQuestion> {
    let mut call = reader(item, at, known, problems)?;
    let text = call.text("question", SPOKEN);
    let header = call.text("header", SPOKEN);
    let multi = call.get("multiSelect").map_or(Some(false), |_| call.boolean("multiSelect"));
    let options = call.list_of("options", length, option)?;
    let mut labels = HashSet::new();
    for (i, (choice, _)) in options.iter().enumerate() {
        if !labels.insert(&choice.label) {
            problems.push(&at.key("options").index(i).key("label"), || duplicate_label(&choice.label));
        }
    }
    let (options, previews) = options.into_iter().unzip();
    let question = Question {
        id: String::new(),
        header: header?,
        question: text?,
        kind: if multi? { Kind::MultiChoice } else { Kind::SingleChoice },
        required: true,
        options,
        // The tools always take own words.
        allow_other: true,
        default: Vec::new(),
    };
    Some((question, previews))
}

fn option(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<(Choice, Option<JsString>)> {
    let mut option = reader(item, at, &OPTION_KEYS, problems)?;
    let label = option.text("label", SPOKEN);
    let is_blank = |item: Item<'_>| item.string().is_some_and(|text| text.is_blank());
    let said = |key| option.given(key).filter(|item| !is_blank(*item));
    let is_described = said("description").is_some();
    let is_shown = said("preview").is_some();
    let description =
        if is_described { option.text("description", SPOKEN) } else { Some(NO_DESCRIPTION.into()) };
    let preview = is_shown.then(|| option.text("preview", SPOKEN)).flatten();
    let cluster = option.text_if_any("_cluster", SPOKEN);
    Some((
        Choice { label: label?, description: description?, cluster, sends_back: false, round: None },
        preview,
    ))
}
