//! `lint`: every problem in files of any kind, and what is legal but unwise.
//!
//! Responsible for telling each with its place in the file. Not responsible for what breaks which rule
//! (`adapter::document`) nor for reading the files (`look`).

use super::{Session, input, report};
use crate::adapter::document::DocumentKind;
use crate::ask::object::list;
use crate::ask::problems::Problems;
use crate::ask::{Object, Spot};
use crate::cli::Lint;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::width::cells;
use crate::text::{Lang, Safe, plural, say};
use look::Linted;

mod look;
mod places;

/// Runs it.
///
/// # Errors
/// The outcome cannot be written.
pub fn run(session: &mut Session<'_>, arguments: &Lint) -> Result<ExitCode, Error> {
    if arguments.files.iter().filter(|file| input::is_standard(file)).count() > 1 {
        let sentence = say("Standard input can be only one of the files.", "标准输入只能是其中一个文件。");
        return Err(Error::new(ExitCode::Usage, "usage", sentence, &[]));
    }
    let files = look::look_at_all(session, &arguments.files);
    let tally = Tally::of(&files);
    let exit = match (tally.unreadable, tally.problems) {
        (0, 0) => ExitCode::Done,
        (0, _) => ExitCode::Malformed,
        _ => ExitCode::Failed,
    };
    let message = tally.text(session.lang);
    if session.global.json {
        let (status, code) = match exit {
            ExitCode::Done => ("ok", "linted"),
            ExitCode::Malformed => ("problems", "problems"),
            _ => ("error", "unreadable"),
        };
        let lang = session.lang;
        let files = list(files.iter().map(|file| file_json(file, lang)));
        session.json(report::head(status, exit, code, &message).raw("files", &files))?;
    } else {
        let mut lines: Vec<String> = files.iter().flat_map(|file| file_lines(file, session.lang)).collect();
        lines.push(message);
        session.say(&lines)?;
        for error in files.iter().filter_map(|file| file.error.as_ref()) {
            session.warn(&[error.text(session.lang)]);
        }
    }
    Ok(exit)
}

/// How much of each.
struct Tally {
    problems: usize,
    warnings: usize,
    files: usize,
    unreadable: usize,
}

impl Tally {
    fn of(files: &[Linted]) -> Tally {
        let unreadable = files.iter().filter(|file| file.error.is_some()).count();
        Tally {
            problems: files.iter().map(|file| file.problems.len()).sum(),
            warnings: files.iter().map(|file| file.warnings.len()).sum(),
            files: files.len() - unreadable,
            unreadable,
        }
    }

    fn text(&self, lang: Lang) -> String {
        if self.files + self.unreadable == 0 {
            return say("No documents were found.", "没有找到任何文档。").text(lang).to_owned();
        }
        let mut out = String::new();
        if self.files > 0 {
            let problems = match self.problems {
                0 => say("No problems", "没有问题").text(lang).to_owned(),
                count => say("{0}", "{1} 处问题")
                    .fill(lang, &[&plural(count, "problem", "problems"), &count.to_string()]),
            };
            let warnings = match self.warnings {
                0 => String::new(),
                count => say(", {0}", "，{1} 处警告")
                    .fill(lang, &[&plural(count, "warning", "warnings"), &count.to_string()]),
            };
            let files = plural(self.files, "file", "files");
            let parts = [&problems, &warnings, files.as_ref(), &self.files.to_string()];
            out = say("{0}{1} in {2}.", "{3} 个文件，{0}{1}。").fill(lang, &parts);
        }
        if self.unreadable > 0 {
            let space = if out.is_empty() || lang != Lang::En { "" } else { " " };
            let parts = [plural(self.unreadable, "file", "files"), self.unreadable.to_string().into()];
            out.push_str(space);
            out.push_str(
                &say("{0} could not be read.", "{1} 个文件无法读取。").fill(lang, &[&parts[0], &parts[1]]),
            );
        }
        out
    }
}

fn file_json(file: &Linted, lang: Lang) -> String {
    let begun = |spot: &Option<Spot>| {
        let number = |object: Object, key: &str, value: Option<usize>| match value {
            Some(value) => object.number(key, u64::try_from(value).unwrap_or(u64::MAX)),
            None => object.raw(key, "null"),
        };
        let object = number(Object::new(), "line", spot.as_ref().map(|spot| spot.line));
        number(object, "column", spot.as_ref().map(|spot| spot.column))
    };
    let problems = file.problems.iter();
    let problems = problems.map(|(problem, spot)| report::problem(begun(spot), problem, lang).finish());
    let warnings = file.warnings.iter().map(|(advice, spot)| {
        report::problem(begun(spot).text("code", advice.code.name()), &advice.problem, lang).finish()
    });
    Object::new()
        .text("file", &file.shown)
        .text_or_null("kind", file.kind.map(DocumentKind::name))
        .text_or_null("against", file.against.as_deref())
        .text_or_null("error", file.error.as_ref().map(|error| error.text(lang)).as_deref())
        .raw("problems", &list(problems))
        .raw("warnings", &list(warnings))
        .finish()
}

fn file_lines(file: &Linted, lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
    for (problem, spot) in &file.problems {
        lines.extend(told(&file.shown, &problem.sentence(lang), spot.as_ref()));
    }
    if file.problems.len() >= Problems::LIMIT {
        let more = say(
            "{0}: there may be more; no more than {1} problems of a file are told.",
            "{0}：可能还有更多；一个文件最多指出 {1} 处问题。",
        );
        lines.push(more.fill(lang, &[&file.shown, &Problems::LIMIT.to_string()]));
    }
    for (advice, spot) in &file.warnings {
        let parts = [advice.code.name(), &advice.sentence(lang)];
        let sentence = say("warning: [{0}] {1}", "警告：[{0}] {1}").fill(lang, &parts);
        lines.extend(told(&file.shown, &sentence, spot.as_ref()));
    }
    lines.extend(judged_by(file, lang));
    lines
}

/// By which questions a record was judged, where that is not what one would think.
fn judged_by(file: &Linted, lang: Lang) -> Option<String> {
    let is_record = file.kind == Some(DocumentKind::Record);
    match &file.against {
        Some(packet) if is_record && !file.problems.is_empty() => {
            let sentence = say("{0}: judged by the questions of {1}.", "{0}：按 {1} 的问题检查。");
            Some(sentence.fill(lang, &[&file.shown, packet]))
        }
        None if is_record => {
            let sentence = say(
                "{0}: no packet that asks for it was found; only its own form was judged.",
                "{0}：没有找到对应的指令包；只检查了它自身的格式。",
            );
            Some(sentence.fill(lang, &[&file.shown]))
        }
        _ => None,
    }
}

/// `file:line:column: sentence`, then the line of the file and a caret under the place.
fn told(shown: &str, sentence: &str, spot: Option<&Spot>) -> Vec<String> {
    let Some(spot) = spot else { return vec![format!("{shown}: {sentence}")] };
    let gutter = format!("{:>5} | ", spot.line);
    let dots = |cut: bool| if cut { "…" } else { "" };
    let before = format!("{}{}", dots(spot.cut.0), Safe::line(&spot.before).as_str());
    let after = format!("{}{}", Safe::line(&spot.after).as_str(), dots(spot.cut.1));
    vec![
        format!("{shown}:{}:{}: {sentence}", spot.line, spot.column),
        format!("{gutter}{before}{after}"),
        format!("{}| {}^", " ".repeat(gutter.len() - 2), " ".repeat(cells(&before))),
    ]
}
