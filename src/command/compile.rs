//! `compile`: how a gate is asked by an executor, without asking.

use super::Session;
use super::input::{Questions, Source, Unusable, usage};
use super::next::profile;
use super::output::{AnswerPath, Head, Output, form, one_line};
use crate::adapter::canonical;
use crate::adapter::contract::Contract;
use crate::adapter::document::DocumentKind;
use crate::adapter::inquiry::Inquiry;
use crate::adapter::profile::{Executor, Profile};
use crate::adapter::report::CompiledQuestion;
use crate::ask::js_string::js_number;
use crate::ask::{JsString, raw};
use crate::cli::{CompileArgs, TargetName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use serde_json::value::{RawValue, Value};

pub(super) const OUTPUT: Output = Output::new(
    "compile-output",
    "What compile prints: how a gate is asked by an executor. For canonical the document alone is printed without --json.",
    &[
        form::<CompileOutput>(&["ok"], &[0], &["ok"]),
        form::<ContractOutput>(&["ok"], &[0], &["ok"]),
        form::<DocumentOutput>(&["ok"], &[0], &["ok"]),
    ],
);

/// For an executor with a dialog tool.
#[derive(Serialize, JsonSchema)]
struct CompileOutput {
    /// For whom.
    #[schemars(extend("enum" = ["claude-code", "codex"]))]
    adapter: &'static str,
    /// What its dialogs can do.
    profile: Profile,
    #[serde(flatten)]
    subject: CompiledSpec,
    /// How each question is asked.
    questions: Vec<CompiledQuestion>,
}

/// For one strict JSON reply.
#[derive(Serialize, JsonSchema)]
struct ContractOutput {
    /// For whom.
    #[schemars(extend("enum" = ["json-contract"]))]
    adapter: &'static str,
    /// Who signs.
    profile: ContractProfile,
    #[serde(flatten)]
    subject: CompiledSpec,
    #[serde(flatten)]
    contract: Contract,
}

/// As a Canonical Prompt document.
#[derive(Serialize, JsonSchema)]
struct DocumentOutput {
    /// The document.
    #[schemars(with = "Map<String, Value>")]
    document: Box<RawValue>,
}

/// A profile without a dialog tool.
#[derive(Serialize, JsonSchema)]
struct ContractProfile {
    /// No tool.
    tool: (),
    /// Who signs.
    answered_by: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct CompiledSpec {
    /// What the questions are about.
    topic: JsString,
    /// The version of the questions; a number.
    #[schemars(with = "Value")]
    version: Box<RawValue>,
    answer_path: AnswerPath,
}

pub fn run(session: &mut Session<'_>, arguments: &CompileArgs) -> Result<ExitCode, Error> {
    let asked = std::mem::replace(&mut session.global.json, true);
    compile(session, arguments, asked).or_else(|unusable| unusable.print(session))
}

fn compile(session: &mut Session<'_>, arguments: &CompileArgs, asked: bool) -> Result<ExitCode, Unusable> {
    let executor = match arguments.target {
        TargetName::ClaudeCode => Executor::ClaudeCode,
        TargetName::Codex => Executor::Codex,
        TargetName::JsonContract => Executor::JsonContract,
        TargetName::Canonical => return canonical(session, arguments, asked),
    };
    if arguments.source.is_some() || arguments.protocol.is_some() {
        return Err(usage(say(
            "--source and --protocol are for --for canonical.",
            "--source 和 --protocol 只用于 --for canonical。",
        )));
    }
    let profile = profile(executor, arguments.limits)?;
    let source = Source::open(session, &arguments.packet)?;
    let kind = source.kind();
    if matches!(kind, DocumentKind::Canonical | DocumentKind::Protocol | DocumentKind::Call) {
        return Err(usage(say(
            "Only a packet or a QuestionSpec can be compiled for an executor.",
            "只有指令包或 QuestionSpec 才能为执行器编译。",
        )));
    }
    let Questions { spec, answer_path } = source.questions()?;
    let inquiry = Inquiry::new(&spec, profile, arguments.limits.on_escape.unwrap_or_default());
    let (lang, profile) = (session.lang, inquiry.profile().clone());
    let adapter = executor.name();
    let subject = CompiledSpec {
        topic: spec.topic.clone(),
        version: raw(js_number(spec.version)),
        answer_path: AnswerPath(answer_path),
    };
    if executor == Executor::JsonContract {
        let places: Vec<usize> = (0..spec.questions.len()).collect();
        let contract = Contract::new(&inquiry.clauses(&places), None, lang);
        let profile = ContractProfile { tool: (), answered_by: profile.answered_by };
        Ok(session.json(compiled(lang), ContractOutput { adapter, profile, subject, contract })?)
    } else {
        let questions = inquiry.compiled_questions(lang);
        Ok(session.json(compiled(lang), CompileOutput { adapter, profile, subject, questions })?)
    }
}

fn compiled(lang: Lang) -> Head {
    let message = say("Compiled; nothing was asked.", "已编译；没有提问。");
    Head::ok("ok", message.text(lang))
}

/// Prints a canonical document: nothing around it, unless one object is asked for.
fn canonical(session: &mut Session<'_>, arguments: &CompileArgs, asked: bool) -> Result<ExitCode, Unusable> {
    let CompileArgs { limits, protocol, source: page, .. } = arguments;
    if limits.max_questions.is_some() || limits.exact_options.is_some() {
        return Err(usage(say(
            "--max-questions and --exact-options are for executors: a canonical step has two or three options.",
            "--max-questions 和 --exact-options 只用于执行器：canonical 的一步有两到三个选项。",
        )));
    }
    if protocol.as_deref().is_some_and(|name| !canonical::is_protocol(name)) {
        return Err(usage(say(
            "--protocol takes a name of a-z, 0-9 and -, starting with a letter.",
            "--protocol 应为由 a-z、0-9 和 - 组成的名称，以字母开头。",
        )));
    }
    if page.as_deref().is_some_and(|page| !canonical::is_source(page)) {
        return Err(usage(say(
            "--source takes a path that ends in .md.",
            "--source 应为以 .md 结尾的路径。",
        )));
    }
    let file = Source::open(session, &arguments.packet)?;
    let broken = |code| move |found| Unusable::Broken(code, found);
    let questions = match file.kind() {
        DocumentKind::Call => canonical::read_call(&file.bytes).map_err(broken("invalid_call"))?,
        DocumentKind::Protocol => {
            canonical::read_protocol(&file.bytes).map_err(broken("invalid_protocol"))?
        }
        DocumentKind::Canonical => {
            return Err(usage(say("This is already a canonical document.", "这已经是一份 canonical 文档。")));
        }
        DocumentKind::Packet
        | DocumentKind::QuestionSpec
        | DocumentKind::StandingQuestion
        | DocumentKind::Record => canonical::Source::from(&*file.questions()?.spec),
    };
    let options = canonical::Options {
        protocol: protocol.clone(),
        source: page.clone(),
        on_escape: limits.on_escape.unwrap_or_default(),
        lang: session.lang,
    };
    let document = canonical::compile(&questions, &options).to_json();
    session.global.json = asked;
    let output = DocumentOutput { document: raw(one_line(&document)) };
    Ok(session.output_exactly(compiled(session.lang), output, document.as_bytes())?)
}
