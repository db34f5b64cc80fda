//! `lint`: every problem in files of any kind, and what is legal but unwise, each with its place in the file.

use super::output::{Head, Output, ProblemOutput, form};
use super::{Session, input};
use crate::adapter::document::DocumentKind;
use crate::ask::Location;
use crate::ask::problem::Problems;
use crate::cli::LintArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::width::cells;
use crate::text::{Lang, Safe, plural, say};
use schemars::JsonSchema;
use serde::Serialize;

mod files;
mod places;

pub(super) const OUTPUT: Output = Output::new(
    "lint-output",
    "What lint --json prints: every problem of files. Exit 0, 5 with problems, 1 if a file cannot be read.",
    &[form::<LintOutput>(&["ok", "problems", "error"], &[0, 1, 5], &["linted", "problems", "unreadable"])],
);

/// What was found. Warnings alone are no problem.
#[derive(Serialize, JsonSchema)]
struct LintOutput {
    /// The files, in the order in which they were looked at.
    files: Vec<LintedFile>,
}

/// One file.
#[derive(Serialize, JsonSchema)]
struct LintedFile {
    /// Its path as it was given or found; - is standard input.
    file: String,
    /// What it is, such as packet or answer-spec, if that can be told.
    kind: Option<&'static str>,
    /// The packet, or -, whose questions a record was judged by.
    against: Option<String>,
    /// Why it cannot be read.
    error: Option<String>,
    /// What breaks a rule, in the order of the file.
    problems: Vec<LintProblem>,
    /// What is legal but unwise.
    warnings: Vec<LintWarning>,
}

#[derive(Serialize, JsonSchema)]
struct LintPlace {
    /// The line, from 1.
    line: Option<usize>,
    /// The column in characters, from 1.
    column: Option<usize>,
}

/// A problem with its place in the file.
#[derive(Serialize, JsonSchema)]
struct LintProblem {
    #[serde(flatten)]
    place: LintPlace,
    #[serde(flatten)]
    problem: ProblemOutput,
}

/// A warning with its place in the file.
#[derive(Serialize, JsonSchema)]
struct LintWarning {
    #[serde(flatten)]
    place: LintPlace,
    /// Which warning; stable, such as long-label.
    code: &'static str,
    #[serde(flatten)]
    problem: ProblemOutput,
}

pub fn run(session: &mut Session<'_>, arguments: &LintArgs) -> Result<ExitCode, Error> {
    if arguments.files.iter().filter(|file| input::is_standard(file)).count() > 1 {
        let sentence = say("Standard input can be only one of the files.", "标准输入只能是其中一个文件。");
        return Err(Error::new(ExitCode::Usage, "usage", sentence, &[]));
    }
    let files = files::read_all(session, &arguments.files);
    let (status, exit, code) = if files.iter().any(|file| file.error.is_some()) {
        ("error", ExitCode::Failed, "unreadable")
    } else if files.iter().any(|file| !file.problems.is_empty()) {
        ("problems", ExitCode::Malformed, "problems")
    } else {
        ("ok", ExitCode::Done, "linted")
    };
    let message = tally(&files, session.lang);
    if session.global.json {
        let files = files.iter().map(|file| LintedFile::of(file, session.lang)).collect();
        return session.json(Head::new(status, exit, code, message), LintOutput { files });
    }
    let mut lines: Vec<String> = files.iter().flat_map(|file| file_lines(file, session.lang)).collect();
    lines.push(message);
    session.print(&lines)?;
    for error in files.iter().filter_map(|file| file.error.as_ref()) {
        session.warn(&[error.text(session.lang)]);
    }
    Ok(exit)
}

/// How much of each.
fn tally(files: &[files::LintFile], lang: Lang) -> String {
    if files.is_empty() {
        return say("No documents were found.", "没有找到任何文档。").text(lang).to_owned();
    }
    let unreadable = files.iter().filter(|file| file.error.is_some()).count();
    let count = files.len() - unreadable;
    let mut out = String::new();
    if count > 0 {
        let problems = match files.iter().map(|file| file.problems.len()).sum() {
            0 => say("No problems", "没有错误").text(lang).to_owned(),
            count => say("{0}", "{1} 处错误")
                .fill(lang, &[&plural(count, "problem", "problems"), &count.to_string()]),
        };
        let warnings = match files.iter().map(|file| file.warnings.len()).sum() {
            0 => String::new(),
            count => say(", {0}", "，{1} 处警告")
                .fill(lang, &[&plural(count, "warning", "warnings"), &count.to_string()]),
        };
        let parts = [&problems, &warnings, &*plural(count, "file", "files"), &count.to_string()];
        out = say("{0}{1} in {2}.", "{3} 个文件，{0}{1}。").fill(lang, &parts);
    }
    if unreadable > 0 {
        out.push_str(if out.is_empty() || lang != Lang::En { "" } else { " " });
        let parts = [&*plural(unreadable, "file", "files"), &unreadable.to_string()];
        out.push_str(&say("{0} could not be read.", "{1} 个文件无法读取。").fill(lang, &parts));
    }
    out
}

impl LintedFile {
    fn of(file: &files::LintFile, lang: Lang) -> LintedFile {
        let problems = file.problems.iter().map(|(problem, location)| LintProblem {
            place: LintPlace::of(location.as_ref()),
            problem: ProblemOutput::of(problem, lang),
        });
        let warnings = file.warnings.iter().map(|(advice, location)| LintWarning {
            place: LintPlace::of(location.as_ref()),
            code: advice.code.name(),
            problem: ProblemOutput::of(&advice.problem, lang),
        });
        LintedFile {
            file: file.shown.clone(),
            kind: file.kind.map(DocumentKind::name),
            against: file.against.clone(),
            error: file.error.as_ref().map(|error| error.text(lang)),
            problems: problems.collect(),
            warnings: warnings.collect(),
        }
    }
}

impl LintPlace {
    fn of(location: Option<&Location>) -> LintPlace {
        LintPlace {
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
        }
    }
}

fn file_lines(file: &files::LintFile, lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
    for (problem, location) in &file.problems {
        lines.extend(located(&file.shown, &problem.sentence(lang), location.as_ref()));
    }
    if file.problems.len() >= Problems::LIMIT {
        let more = say(
            "{0}: there may be more; at most {1} problems of a file are shown.",
            "{0}：可能还有更多；一个文件最多指出 {1} 处错误。",
        );
        lines.push(more.fill(lang, &[&file.shown, &Problems::LIMIT.to_string()]));
    }
    for (advice, location) in &file.warnings {
        let parts = [advice.code.name(), &advice.sentence(lang)];
        let sentence = say("warning: [{0}] {1}", "警告：[{0}] {1}").fill(lang, &parts);
        lines.extend(located(&file.shown, &sentence, location.as_ref()));
    }
    lines.extend(judged_by(file, lang));
    lines
}

/// By which questions a record was judged, where that is not what one would think.
fn judged_by(file: &files::LintFile, lang: Lang) -> Option<String> {
    let is_record = file.kind == Some(DocumentKind::Record);
    match &file.against {
        Some(packet) if is_record && !file.problems.is_empty() => {
            let sentence = say("{0}: checked against the questions of {1}.", "{0}：按 {1} 的问题检查。");
            Some(sentence.fill(lang, &[&file.shown, packet]))
        }
        None if is_record => {
            let sentence = say(
                "{0}: no packet asks for it; only its own form was checked.",
                "{0}：没有找到对应的指令包；只检查了它自身的格式。",
            );
            Some(sentence.fill(lang, &[&file.shown]))
        }
        _ => None,
    }
}

/// `file:line:column: sentence`, then the line of the file and a caret under the place.
fn located(shown: &str, sentence: &str, location: Option<&Location>) -> Vec<String> {
    let Some(location) = location else { return vec![format!("{shown}: {sentence}")] };
    let gutter = format!("{:>5} | ", location.line);
    let dots = |cut: bool| if cut { "…" } else { "" };
    let before = format!("{}{}", dots(location.cut.0), Safe::line(&location.before).as_str());
    let after = format!("{}{}", Safe::line(&location.after).as_str(), dots(location.cut.1));
    vec![
        format!("{shown}:{}:{}: {sentence}", location.line, location.column),
        format!("{gutter}{before}{after}"),
        format!("{}| {}^", " ".repeat(gutter.len() - 2), " ".repeat(cells(&before))),
    ]
}
