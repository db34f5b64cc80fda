//! Reads the files that are linted and judges each by the rules of its kind, a record by the questions it answers.

use super::places::{Asker, Places};
use crate::adapter::advice::Advice;
use crate::adapter::document::{DocumentKind, Findings, judge, judge_record};
use crate::ask::json::{Item, Json};
use crate::ask::{
    JsString, Location, Problem, ProblemCode, QuestionSpec, decode_packet, decode_spec, location, locations,
};
use crate::command::{Session, input};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::file;
use crate::store::gate::LoadFault;
use crate::text::{Lang, say};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A file and what was found in it.
#[derive(Default)]
pub(super) struct FileReport {
    pub(super) shown: String,
    pub(super) kind: Option<DocumentKind>,
    /// Whose questions a record was judged by.
    pub(super) against: Option<String>,
    pub(super) problems: Vec<(Problem, Option<Location>)>,
    pub(super) warnings: Vec<(Advice, Option<Location>)>,
    /// Why it could not be read.
    pub(super) error: Option<Error>,
}

/// A file that was read, and what the later steps need of it.
struct LintFile {
    report: FileReport,
    /// Absolute, links resolved.
    path: PathBuf,
    /// What may be a record.
    bytes: Option<Vec<u8>>,
    /// The questions of a packet or a bare spec.
    asks: Option<FileQuestions>,
    /// Whether it was found below a directory.
    is_below: bool,
}

/// Questions, and where their answers go.
struct FileQuestions {
    spec: QuestionSpec,
    answer_path: Option<JsString>,
    /// Where the packet says so.
    location: Option<Location>,
}

/// Reads every named file and every document below a named directory, then judges what concerns several of them.
pub(super) fn read_all(session: &mut Session<'_>, named: &[PathBuf]) -> Vec<FileReport> {
    let mut files = Vec::new();
    let mut seen = HashSet::new();
    for name in named {
        let below = session.environment.cwd.join(name);
        if input::is_standard(name) || !file::is_directory(&below) {
            add(session, &mut files, &mut seen, (name, false));
            continue;
        }
        let found = file::json_files_below(&below);
        for path in &found.files {
            add(session, &mut files, &mut seen, (path, true));
        }
        files.extend(found.unreadable.into_iter().map(|(path, cause)| unreadable(session, &path, &cause)));
    }
    let mut places = Places::new(session);
    judge_gates(&mut places, &mut files);
    judge_records(&mut places, &mut files);
    files.retain(|file| !(file.is_below && file.report.is_other()));
    files.into_iter().map(|file| file.report).collect()
}

/// Reads a file unless it was read before.
fn add(
    session: &mut Session<'_>,
    files: &mut Vec<LintFile>,
    seen: &mut HashSet<PathBuf>,
    (path, is_below): (&Path, bool),
) {
    let shown = path.strip_prefix(&session.environment.cwd).unwrap_or(path).to_path_buf();
    let path = session.environment.cwd.join(&shown);
    let path = file::real_path(path);
    if seen.insert(path.clone()) {
        files.push(read(session, &shown, path, is_below));
    }
}

fn unreadable(session: &Session<'_>, path: &Path, cause: &std::io::Error) -> LintFile {
    let shown = path.strip_prefix(&session.environment.cwd).unwrap_or(path).to_string_lossy().into_owned();
    let sentence = say("Cannot list {0}.", "无法查看目录 {0}。");
    let error = Some(Error::io("unreadable", sentence, &[&shown], cause));
    let report = FileReport { shown, error, ..FileReport::default() };
    LintFile { report, path: path.to_path_buf(), bytes: None, asks: None, is_below: true }
}

fn read(session: &mut Session<'_>, file: &Path, path: PathBuf, is_below: bool) -> LintFile {
    let name = file.to_string_lossy();
    let stdin = || say("standard input", "标准输入").text(session.lang).to_owned();
    // Programs look for the name that they passed.
    let for_people = name == "-" && !session.global.json;
    let shown = if for_people { stdin() } else { name.clone().into_owned() };
    let report = FileReport { shown, ..FileReport::default() };
    let mut file_read = LintFile { report, path, bytes: None, asks: None, is_below };
    match input::read(session, file) {
        Ok(bytes) => {
            let findings = judge(&bytes, name.ends_with(".packet.json"));
            let kind = findings.kind;
            file_read.report.take(&bytes, findings);
            file_read.asks = kind.and_then(|kind| asked(kind, &bytes));
            // A packet in a record's place is still a packet.
            file_read.bytes = Some(bytes).filter(|_| kind != Some(DocumentKind::Packet));
        }
        Err(LoadFault::Unreadable(error)) => file_read.report.error = Some(error),
        Err(LoadFault::Malformed(problems)) => {
            // What is no file at all cannot be read; a file that is too large is one with a problem.
            let too_large = |problem: &Problem| problem.code == ProblemCode::TooLarge;
            if problems.iter().any(too_large) {
                file_read.report.problems = problems.into_iter().map(|problem| (problem, None)).collect();
            } else {
                file_read.report.error = Some(unusable(&file_read.report.shown, &problems));
            }
        }
    }
    file_read
}

fn asked(kind: DocumentKind, bytes: &[u8]) -> Option<FileQuestions> {
    match kind {
        DocumentKind::QuestionSpec => {
            decode_spec(bytes).ok().map(|spec| FileQuestions { spec, answer_path: None, location: None })
        }
        DocumentKind::Packet => {
            let gate = decode_packet(bytes).ok()?.gate?;
            let location = location(bytes, "/answer_path");
            Some(FileQuestions { spec: gate.spec, answer_path: Some(gate.answer_path), location })
        }
        _ => None,
    }
}

/// What only the project and the other packets show about a gate.
fn judge_gates(places: &mut Places, files: &mut [LintFile]) {
    for (at, file) in files.iter().enumerate() {
        if let Some(FileQuestions { spec, answer_path: Some(answer_path), .. }) = &file.asks {
            places.add(at, &file.path, &file.report.shown, (answer_path, spec));
        }
    }
    for file in files.iter_mut() {
        let Some(FileQuestions { answer_path: Some(answer_path), location, .. }) = &file.asks else {
            continue;
        };
        let (problems, warnings) = places.judge(&file.path, answer_path);
        file.report.problems.extend(problems.into_iter().map(|it| (it, location.clone())));
        file.report.warnings.extend(warnings.into_iter().map(|it| (it, location.clone())));
        file.report.sort();
    }
}

/// Judges records by their questions, wherever these are found. Whatever lies in a record's place is a record.
fn judge_records(places: &mut Places, files: &mut [LintFile]) {
    for at in 0..files.len() {
        let Some(bytes) = files[at].bytes.take() else { continue };
        let by_place = places.asking_for(&files[at].path);
        let (spec, against) = match by_place {
            Some(Asker { listed: Some(packet), shown, .. }) => {
                (files[packet].asks.as_ref().map(|asked| asked.spec.clone()), shown)
            }
            Some(Asker { spec, shown, .. }) => (spec, shown),
            None => match by_topic(files, &files[at], &bytes) {
                Some((spec, shown)) => (Some(spec.clone()), shown.to_owned()),
                None => continue,
            },
        };
        let Some(spec) = spec else { continue };
        let report = &mut files[at].report;
        report.take(&bytes, judge_record(&bytes, &spec));
        report.against = Some(against);
    }
}

/// The only questions with a record's topic among the files that were named one by one and those beside it.
fn by_topic<'f>(
    files: &'f [LintFile],
    record: &LintFile,
    bytes: &[u8],
) -> Option<(&'f QuestionSpec, &'f str)> {
    if record.report.kind != Some(DocumentKind::Record) {
        return None;
    }
    let json = Json::parse(bytes).ok()?;
    let topic = json.root().get("topic").and_then(Item::string)?;
    let near = files.iter().filter(|file| !file.is_below || file.path.parent() == record.path.parent());
    let mut asking = near.filter_map(|file| {
        let spec = &file.asks.as_ref()?.spec;
        (spec.topic == topic).then_some((spec, file.report.shown.as_str()))
    });
    let first = asking.next();
    first.filter(|_| asking.next().is_none())
}

impl FileReport {
    /// Sets what was found in the file's bytes, in the order of the file.
    fn take(&mut self, bytes: &[u8], findings: Findings) {
        self.kind = findings.kind;
        let at = locations(bytes, &findings.problems);
        self.problems = findings.problems.into_iter().zip(at.into_iter().map(Some)).collect();
        let at = locations(bytes, findings.warnings.iter().map(|advice| &advice.problem));
        self.warnings = findings.warnings.into_iter().zip(at.into_iter().map(Some)).collect();
        self.sort();
    }

    fn sort(&mut self) {
        let place =
            |location: &Option<Location>| location.as_ref().map(|location| (location.line, location.column));
        self.problems.sort_by_key(|(_, location)| place(location));
        self.warnings.sort_by_key(|(_, location)| place(location));
    }

    /// Whether this is JSON of some other program.
    fn is_other(&self) -> bool {
        let unknown = |(problem, _): &(Problem, Option<Location>)| problem.code == ProblemCode::Other;
        self.kind.is_none() && self.error.is_none() && self.problems.iter().all(unknown)
    }
}

fn unusable(shown: &str, problems: &[Problem]) -> Error {
    let found = |lang| problems.first().map(|problem| problem.found.text(lang)).unwrap_or_default();
    let sentence = say("Cannot read {0}: it is {1}.", "无法读取 {0}：它是{2}。");
    let parts = [shown, &found(Lang::En), &found(Lang::ZhCn)];
    Error::new(ExitCode::Failed, "unreadable", sentence, &parts)
}
