//! `lint`: every problem in files of any kind.
//!
//! Responsible for telling each problem with its place in the file. Not responsible for what breaks which rule
//! (`dialogue::document`).

use super::{Session, input, report};
use crate::ask::object::list;
use crate::ask::problems::Problems;
use crate::ask::{Gate, Object, Problem, ProblemKind, Spot, decode_packet, spots};
use crate::cli::Lint;
use crate::dialogue::document::{DocumentKind, Findings, judge};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::folder;
use crate::store::gate::LoadFault;
use crate::text::width::cells;
use crate::text::{Lang, Safe, plural, say};
use shared::Asking;
use std::path::{Path, PathBuf};

mod shared;

/// A file and what was found in it.
struct Linted {
    shown: String,
    kind: Option<DocumentKind>,
    problems: Vec<(Problem, Option<Spot>)>,
    warnings: Vec<(Problem, Option<Spot>)>,
    /// Why it could not be read.
    error: Option<Error>,
}

/// Runs it.
///
/// # Errors
/// The outcome cannot be written.
pub fn run(session: &mut Session<'_>, arguments: &Lint) -> Result<ExitCode, Error> {
    if arguments.files.iter().filter(|file| input::is_standard(file)).count() > 1 {
        let sentence = say("Standard input can be only one of the files.", "标准输入只能是其中一个文件。");
        return Err(Error::new(ExitCode::Usage, "usage", sentence, &[]));
    }
    let files = look_at_all(session, &arguments.files);
    let unreadable = files.iter().filter(|file| file.error.is_some()).count();
    let problems: usize = files.iter().map(|file| file.problems.len()).sum();
    let exit = match (unreadable, problems) {
        (0, 0) => ExitCode::Done,
        (0, _) => ExitCode::Malformed,
        _ => ExitCode::Failed,
    };
    let message = summary(problems, files.len() - unreadable, unreadable, session.lang);
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

/// Every named file, and every document below a named directory; then what concerns several of them.
fn look_at_all(session: &mut Session<'_>, named: &[PathBuf]) -> Vec<Linted> {
    let (mut files, mut asking) = (Vec::new(), Vec::new());
    for name in named {
        let below = session.environment.cwd.join(name);
        let is_dir = !input::is_standard(name) && below.is_dir();
        let paths = if is_dir { folder::json_files_below(&below) } else { vec![name.clone()] };
        for path in paths {
            let shown = path.strip_prefix(&session.environment.cwd).unwrap_or(&path);
            let (linted, gate) = look(session, shown);
            if is_dir && linted.is_other() {
                continue;
            }
            let path = session.environment.cwd.join(shown);
            let path = path.canonicalize().unwrap_or(path);
            asking.extend(gate.map(|(gate, spot)| Asking { at: files.len(), path, gate, spot }));
            files.push(linted);
        }
    }
    let project = session.project().ok();
    for (packet, problem) in shared::conflicts(project.as_ref(), &asking, &files) {
        files[packet.at].problems.push((problem, packet.spot.clone()));
    }
    files
}

/// A packet's gate and where it names the place of its answers.
type Asked = (Gate, Option<Spot>);

fn look(session: &mut Session<'_>, file: &Path) -> (Linted, Option<Asked>) {
    let name = file.to_string_lossy();
    let stdin = || say("standard input", "标准输入").text(session.lang).to_owned();
    // Programs find the file again by the name that they gave.
    let is_told = name == "-" && !session.global.json;
    let shown = if is_told { stdin() } else { name.clone().into_owned() };
    let mut linted = Linted { shown, kind: None, problems: Vec::new(), warnings: Vec::new(), error: None };
    let mut asked = None;
    match input::read(session, file) {
        Ok(bytes) => {
            let Findings { kind, problems, warnings } = judge(&bytes, name.ends_with(".packet.json"));
            linted.kind = kind;
            linted.problems = placed(&bytes, problems);
            asked = gate_of(kind, &bytes);
            linted.warnings = placed(&bytes, warnings);
        }
        Err(LoadFault::Unreadable(error)) => linted.error = Some(error),
        Err(LoadFault::Malformed(problems)) => {
            // What is no file at all cannot be read; a file that is too large is one with a problem.
            let too_large = |problem: &Problem| matches!(problem.kind, ProblemKind::TooLarge(_));
            if problems.iter().any(too_large) {
                linted.problems = problems.into_iter().map(|problem| (problem, None)).collect();
            } else {
                linted.error = Some(unusable(&linted.shown, &problems));
            }
        }
    }
    (linted, asked)
}

fn gate_of(kind: Option<DocumentKind>, bytes: &[u8]) -> Option<Asked> {
    let gate = (kind == Some(DocumentKind::Packet)).then(|| decode_packet(bytes).ok()?.gate).flatten()?;
    let about = Problem::new("/answer_path", ProblemKind::NoQuestions);
    let spot = spots(bytes, std::slice::from_ref(&about)).into_iter().next();
    Some((gate, spot))
}

impl Linted {
    /// Whether this is JSON of some other program.
    fn is_other(&self) -> bool {
        let unknown = |(problem, _): &(Problem, Option<Spot>)| matches!(problem.kind, ProblemKind::Rule(_));
        self.kind.is_none() && self.error.is_none() && self.problems.iter().all(unknown)
    }
}

fn unusable(shown: &str, problems: &[Problem]) -> Error {
    let found = |lang| problems.first().map(|problem| problem.found(lang)).unwrap_or_default();
    let sentence = say("Cannot read {0}: it is {1}.", "无法读取 {0}：它是{2}。");
    let parts = [shown, &found(Lang::En), &found(Lang::ZhCn)];
    Error::new(ExitCode::Failed, "unreadable", sentence, &parts)
}

/// The problems in the order in which they stand.
fn placed(bytes: &[u8], problems: Vec<Problem>) -> Vec<(Problem, Option<Spot>)> {
    let spots = spots(bytes, &problems);
    let mut placed: Vec<(Problem, Option<Spot>)> =
        problems.into_iter().zip(spots).map(|(problem, spot)| (problem, Some(spot))).collect();
    placed.sort_by_key(|(_, spot)| spot.as_ref().map(|spot| (spot.line, spot.column)));
    placed
}

/// `files` were looked at, `unreadable` others were not.
fn summary(problems: usize, files: usize, unreadable: usize, lang: Lang) -> String {
    let count = [problems, files, unreadable].map(|count| count.to_string());
    let [problems_en, files_en] = [plural(problems, "problem", "problems"), plural(files, "file", "files")];
    let mut out = match problems {
        _ if files == 0 => String::new(),
        0 => say("No problems in {0}.", "{1} 个文件，没有问题。").fill(lang, &[&files_en, &count[1]]),
        _ => say("{0} in {1}.", "{3} 个文件，{2} 处问题。")
            .fill(lang, &[&problems_en, &files_en, &count[0], &count[1]]),
    };
    if unreadable > 0 {
        let space = if out.is_empty() || lang != Lang::En { "" } else { " " };
        out.push_str(space);
        out.push_str(
            &say("{0} could not be read.", "{1} 个文件无法读取。")
                .fill(lang, &[&plural(unreadable, "file", "files"), &count[2]]),
        );
    }
    out
}

fn file_json(file: &Linted, lang: Lang) -> String {
    let entries = |found: &[(Problem, Option<Spot>)]| {
        list(found.iter().map(|(problem, spot)| {
            let number = |object: Object, key: &str, value: Option<usize>| match value {
                Some(value) => object.number(key, u64::try_from(value).unwrap_or(u64::MAX)),
                None => object.raw(key, "null"),
            };
            let object = Object::new();
            let object = number(object, "line", spot.as_ref().map(|spot| spot.line));
            let object = number(object, "column", spot.as_ref().map(|spot| spot.column));
            report::problem(object, problem, lang).finish()
        }))
    };
    Object::new()
        .text("file", &file.shown)
        .text_or_null("kind", file.kind.map(DocumentKind::name))
        .text_or_null("error", file.error.as_ref().map(|error| error.text(lang)).as_deref())
        .raw("problems", &entries(&file.problems))
        .raw("warnings", &entries(&file.warnings))
        .finish()
}

fn file_lines(file: &Linted, lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
    for (problem, spot) in &file.problems {
        lines.extend(told(&file.shown, "", problem, spot.as_ref(), lang));
    }
    if file.problems.len() >= Problems::LIMIT {
        let more = say(
            "{0}: there may be more; no more than {1} problems of a file are told.",
            "{0}：可能还有更多；一个文件最多指出 {1} 处问题。",
        );
        lines.push(more.fill(lang, &[&file.shown, &Problems::LIMIT.to_string()]));
    }
    let warning = say("warning: ", "警告：").text(lang);
    for (problem, spot) in &file.warnings {
        lines.extend(told(&file.shown, warning, problem, spot.as_ref(), lang));
    }
    lines
}

/// `file:line:column: sentence`, then the line of the file and a caret under the place.
fn told(shown: &str, mark: &str, problem: &Problem, spot: Option<&Spot>, lang: Lang) -> Vec<String> {
    let sentence = problem.sentence(lang);
    let Some(spot) = spot else { return vec![format!("{shown}: {mark}{sentence}")] };
    let gutter = format!("{:>5} | ", spot.line);
    let dots = |cut: bool| if cut { "…" } else { "" };
    let before = format!("{}{}", dots(spot.cut.0), Safe::line(&spot.before).as_str());
    let after = format!("{}{}", Safe::line(&spot.after).as_str(), dots(spot.cut.1));
    vec![
        format!("{shown}:{}:{}: {mark}{sentence}", spot.line, spot.column),
        format!("{gutter}{before}{after}"),
        format!("{}| {}^", " ".repeat(gutter.len() - 2), " ".repeat(cells(&before))),
    ]
}
