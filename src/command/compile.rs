//! `compile`: how a gate is asked by an executor, without asking.
//!
//! Responsible for choosing what is compiled and for printing it. Not responsible for the compilation (`adapter`).

use super::next::{profile, usage};
use super::source::{Questions, Source, Unusable};
use super::{Session, report};
use crate::adapter::canonical;
use crate::adapter::contract::Contract;
use crate::adapter::document::DocumentKind;
use crate::adapter::inquiry::Inquiry;
use crate::adapter::profile::{Executor, Profile};
use crate::cli::{Compile, TargetName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;

/// Runs it.
///
/// # Errors
/// Nothing can be compiled.
pub fn run(session: &mut Session<'_>, arguments: &Compile) -> Result<ExitCode, Error> {
    let asked = std::mem::replace(&mut session.global.json, true);
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
            "Only a packet or a QuestionSpec is compiled for an executor.",
            "只有指令包或 QuestionSpec 才能为执行器编译。",
        )));
    }
    let Questions { spec, answer_path } = match source.questions() {
        Ok(questions) => questions,
        Err(unusable) => return report::unusable(session, &unusable),
    };
    let inquiry = Inquiry::new(&spec, profile, arguments.limits.policy());
    let message = say("Compiled; nothing was asked.", "已编译；没有提问。").text(session.lang);
    let head = report::head("ok", ExitCode::Done, "ok", message)
        .text("adapter", executor.name())
        .raw("profile", &profile_json(inquiry.profile()))
        .js("topic", &spec.topic)
        .raw("version", &crate::ask::js_string::js_number(spec.version))
        .js_or_null("answer_path", answer_path.as_ref());
    let object = if executor == Executor::JsonContract {
        let places: Vec<usize> = (0..spec.questions.len()).collect();
        let contract = Contract::new(&inquiry.clauses(&places), None, session.lang);
        head.text("prompt", &contract.prompt)
            .raw("schema", &contract.schema)
            .raw("template", &contract.template)
    } else {
        head.raw("questions", &inquiry.compiled_questions(session.lang))
    };
    session.json(object)?;
    Ok(ExitCode::Done)
}

/// Prints a canonical document: nothing around it, unless one object is asked for.
fn canonical(session: &mut Session<'_>, arguments: &Compile, asked: bool) -> Result<ExitCode, Error> {
    let Compile { limits, protocol, source: page, .. } = arguments;
    if limits.max_questions.is_some() || limits.exact_options.is_some() {
        return Err(usage(say(
            "--max-questions and --exact-options are for executors: a canonical step has two or three options.",
            "--max-questions 和 --exact-options 只用于执行器：canonical 的一步有两到三个选项。",
        )));
    }
    if protocol.as_deref().is_some_and(|name| !canonical::is_protocol(name)) {
        return Err(usage(say(
            "--protocol takes a name of a-z, 0-9 and -, a letter first.",
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
    let questions = match file.kind() {
        DocumentKind::Call => canonical::read_call(&file.bytes).map_err(|found| ("invalid_call", found)),
        DocumentKind::Protocol => {
            canonical::read_protocol(&file.bytes).map_err(|found| ("invalid_protocol", found))
        }
        DocumentKind::Canonical => {
            return Err(usage(say("This is a canonical document already.", "这已经是一份 canonical 文档。")));
        }
        _ => match file.questions() {
            Ok(questions) => Ok(canonical::Source::from(&questions.spec)),
            Err(unusable) => return report::unusable(session, &unusable),
        },
    };
    let questions = match questions {
        Ok(questions) => questions,
        Err((code, problems)) => return report::unusable(session, &Unusable::Problems(code, problems)),
    };
    let options = canonical::Options {
        protocol: protocol.clone(),
        source: page.clone(),
        on_escape: limits.policy(),
        lang: session.lang,
    };
    let document = canonical::compile(&questions, &options).to_json();
    if asked {
        let message = say("Compiled; nothing was asked.", "已编译；没有提问。").text(session.lang);
        let object = report::head("ok", ExitCode::Done, "ok", message);
        session.json(object.raw("document", &report::one_line(&document)))?;
    } else {
        session.exact(document.as_bytes())?;
    }
    Ok(ExitCode::Done)
}

fn profile_json(profile: &Profile) -> String {
    let object = crate::ask::Object::new().text_or_null("tool", profile.tool);
    if profile.tool.is_none() {
        return object.text("answered_by", profile.answered_by).finish();
    }
    object
        .number("max_questions", profile.max_questions as u64)
        .number("min_options", profile.min_options as u64)
        .number("max_options", profile.max_options as u64)
        .boolean("native_multi", profile.native_multi)
        .text("answered_by", profile.answered_by)
        .finish()
}
