//! Reads the files that are linted and judges each by the rules of its kind, and a record by the questions it answers.

use super::places::{Asker, Places};
use crate::adapter::advice::{self, Advice};
use crate::adapter::document::{DocumentKind, Findings, judge, judge_record};
use crate::ask::json::Json;
use crate::ask::{
    JsString, Location, Problem, ProblemCode, QuestionSpec, decode_packet, decode_spec, location, locations,
};
use crate::command::{Session, input};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::entry::Note;
use crate::store::file;
use crate::store::gate::{self, LoadFault};
use crate::store::questions;
use crate::text::{Message, say};
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A file and what was found in it.
#[derive(Default)]
pub(super) struct LintFile {
    pub(super) shown: String,
    pub(super) kind: Option<DocumentKind>,
    /// Whose questions a record was judged by.
    pub(super) against: Option<String>,
    pub(super) problems: Vec<(Problem, Option<Location>)>,
    pub(super) warnings: Vec<(Advice, Option<Location>)>,
    /// Why it could not be read.
    pub(super) error: Option<Error>,
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
    spec: Arc<QuestionSpec>,
    answer_path: Option<JsString>,
    /// Where the packet says so.
    location: Option<Location>,
}

/// Reads every named file and every document below a named directory, then judges what concerns several of them.
pub(super) fn read_all(session: &mut Session<'_>, named: &[PathBuf]) -> Vec<LintFile> {
    let mut files = Vec::new();
    let mut seen = HashSet::new();
    let mut places = Places::new(session);
    for name in named {
        let below = session.environment.cwd.join(name);
        if input::is_standard(name) || !below.is_dir() {
            add(session, &mut files, &mut seen, name, false);
            continue;
        }
        let found = file::json_files_below(&below);
        // With `..` in it, a path begins with directories that it is not in.
        let climbs = below.components().any(|part| part == Component::ParentDir);
        let dir = if climbs { file::real_path(below.clone()) } else { below.clone() };
        for path in found.files {
            let place = dir.join(path.strip_prefix(&below).unwrap_or(&path));
            let root = places.project_of(&place).map_or_else(|| dir.clone(), |it| it.root().to_path_buf());
            if file::real_path(path.clone()).starts_with(file::real_path(root)) {
                add(session, &mut files, &mut seen, &path, true);
            } else {
                files.push(astray(session, path));
            }
        }
        files.extend(found.unreadable.into_iter().map(|(path, cause)| unreadable(session, path, &cause)));
    }
    judge_gates(&mut places, &mut files);
    judge_records(&mut places, &mut files);
    files.retain(|file| !(file.is_below && file.is_other()));
    files
}

/// Reads a file unless it was read before.
fn add(
    session: &mut Session<'_>,
    files: &mut Vec<LintFile>,
    seen: &mut HashSet<PathBuf>,
    path: &Path,
    is_below: bool,
) {
    let shown = path.strip_prefix(&session.environment.cwd).unwrap_or(path).to_path_buf();
    let path = session.environment.cwd.join(&shown);
    let path = file::real_path(path);
    if seen.insert(path.clone()) {
        files.push(read(session, &shown, path, is_below));
    }
}

/// What was found below a directory and is not read.
fn unread(session: &Session<'_>, path: PathBuf) -> LintFile {
    let shown = path.strip_prefix(&session.environment.cwd).unwrap_or(&path).shown().into_owned();
    LintFile { shown, path, is_below: true, ..LintFile::default() }
}

/// A packet that is a link out of the project.
fn astray(session: &Session<'_>, path: PathBuf) -> LintFile {
    let file = unread(session, path);
    let problems = vec![(file::outside(&file.shown.as_str().into()), None)];
    LintFile { kind: Some(DocumentKind::Packet), problems, ..file }
}

fn unreadable(session: &Session<'_>, path: PathBuf, cause: &std::io::Error) -> LintFile {
    let file = unread(session, path);
    let sentence = say("Cannot list {0}.", "无法查看目录 {0}。");
    LintFile { error: Some(Error::io("unreadable", sentence, &[&file.shown], cause)), ..file }
}

fn read(session: &mut Session<'_>, file: &Path, path: PathBuf, is_below: bool) -> LintFile {
    let name = file.shown();
    let stdin = || say("standard input", "标准输入").text(session.lang).to_owned();
    // Programs look for the name that they passed.
    let for_people = name == "-" && !session.global.json;
    let shown = if for_people { stdin() } else { name.clone().into_owned() };
    let mut file_read = LintFile { shown, path, is_below, ..LintFile::default() };
    // What is named may be a pipe; what is found is not waited for.
    let bytes = if is_below { gate::read_file(&file_read.path) } else { input::read(session, file) };
    match bytes {
        Ok(bytes) => {
            let findings = judge(&bytes, &session.environment.cwd.join(file).shown());
            let kind = findings.kind;
            file_read.take(&bytes, findings);
            if kind == Some(DocumentKind::StandingQuestion) {
                file_read.problems.extend(questions::beside(&file_read.path).map(|problem| (problem, None)));
            }
            file_read.asks = kind.and_then(|kind| asked(kind, &bytes));
            // A packet in a record's place is still a packet.
            file_read.bytes = Some(bytes).filter(|_| kind != Some(DocumentKind::Packet));
        }
        Err(LoadFault::Unreadable(error)) => file_read.error = Some(error),
        Err(LoadFault::Malformed(problems)) => {
            // What is no file at all cannot be read; a file that is too large is one with a problem.
            let too_large = |problem: &Problem| problem.code == ProblemCode::TooLarge;
            if is_below || problems.iter().any(too_large) {
                file_read.problems = problems.into_iter().map(|problem| (problem, None)).collect();
            } else {
                file_read.error = Some(unusable(&file_read.shown, &problems));
            }
        }
    }
    file_read
}

fn asked(kind: DocumentKind, bytes: &[u8]) -> Option<FileQuestions> {
    match kind {
        DocumentKind::QuestionSpec | DocumentKind::StandingQuestion => decode_spec(bytes)
            .ok()
            .map(|spec| FileQuestions { spec: Arc::new(spec), answer_path: None, location: None }),
        DocumentKind::Packet => {
            let gate = decode_packet(bytes).ok()?.gate?;
            let location = location(bytes, "/answer_path");
            Some(FileQuestions { spec: gate.spec, answer_path: Some(gate.answer_path), location })
        }
        DocumentKind::Record | DocumentKind::Canonical | DocumentKind::Call | DocumentKind::Protocol => None,
    }
}

/// What only the project and the other packets show about a gate.
fn judge_gates(places: &mut Places, files: &mut [LintFile]) {
    let may_ask = |file: &LintFile| {
        use DocumentKind::{Packet, QuestionSpec, StandingQuestion};
        matches!(file.kind, None | Some(Packet | QuestionSpec | StandingQuestion))
    };
    for file in files.iter_mut().filter(|file| may_ask(file)) {
        if let Some((note, problem)) = places.copy(&file.path) {
            let code = if note == Note::Copy { advice::Code::Copy } else { advice::Code::Misnamed };
            file.asks = None;
            file.warnings.insert(0, (Advice { code, problem }, None));
        }
    }
    for (at, file) in files.iter().enumerate() {
        if let Some(FileQuestions { spec, answer_path: Some(answer_path), .. }) = &file.asks {
            places.add(at, &file.path, &file.shown, answer_path, spec);
        }
    }
    for file in files.iter_mut() {
        let Some(FileQuestions { answer_path: Some(answer_path), location, .. }) = &file.asks else {
            continue;
        };
        let (problems, warnings) = places.judge(&file.path, answer_path);
        file.problems.extend(problems.into_iter().map(|it| (it, location.clone())));
        file.warnings.extend(warnings.into_iter().map(|it| (it, location.clone())));
        file.sort();
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
        let report = &mut files[at];
        report.take(&bytes, judge_record(&bytes, &spec));
        report.against = Some(against);
    }
}

/// The only questions with a record's topic among the files that were named one by one and those beside it.
fn by_topic<'f>(
    files: &'f [LintFile],
    record: &LintFile,
    bytes: &[u8],
) -> Option<(&'f Arc<QuestionSpec>, &'f str)> {
    if record.kind != Some(DocumentKind::Record) {
        return None;
    }
    let json = Json::parse(bytes).ok()?;
    let topic = json.root().text("topic")?;
    let near = files.iter().filter(|file| !file.is_below || file.path.parent() == record.path.parent());
    let mut asking = near.filter_map(|file| {
        let spec = &file.asks.as_ref()?.spec;
        (spec.topic == topic).then_some((spec, file.shown.as_str()))
    });
    let first = asking.next();
    first.filter(|_| asking.next().is_none())
}

impl LintFile {
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
        let is_unknown = self.kind.is_none() && self.error.is_none() && self.warnings.is_empty();
        is_unknown && self.problems.iter().all(unknown)
    }
}

fn unusable(shown: &str, problems: &[Problem]) -> Error {
    let found = |lang| problems.first().map(|problem| problem.found.text(lang)).unwrap_or_default();
    let sentence = say("Cannot read {0}: it is {1}.", "无法读取 {0}：它是{1}。");
    let message = Message::in_both(|lang| sentence.fill(lang, &[shown, &found(lang)]));
    Error::of(ExitCode::Failed, "unreadable", message)
}
