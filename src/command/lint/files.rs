//! Reads the files that are linted and judges each by the rules of its kind, a record by the questions it answers, and the
//! places of records: what is wrong with one, which packets share one, which packet asks for a record.

use crate::adapter::advice::{self, Advice};
use crate::adapter::document::{DocumentKind, Findings, judge, judge_record};
use crate::ask::json::Json;
use crate::ask::problem::{quote, quoting_parts};
use crate::ask::{
    JsString, Location, Problem, ProblemCode, QuestionSpec, decode_packet, decode_spec, location, locations,
};
use crate::command::{Session, input};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, LoadFault};
use crate::store::questions;
use crate::store::safe_path::{real_place, refusal, resolve};
use crate::store::{Project, copies, file, locate};
use crate::text::{Message, say};
use std::collections::{HashMap, HashSet};
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
    let shown = path.strip_prefix(&session.environment.cwd).unwrap_or(&path).to_string_lossy().into_owned();
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
    let name = file.to_string_lossy();
    let stdin = || say("standard input", "标准输入").text(session.lang).to_owned();
    // Programs look for the name that they passed.
    let for_people = name == "-" && !session.global.json;
    let shown = if for_people { stdin() } else { name.clone().into_owned() };
    let mut file_read = LintFile { shown, path, is_below, ..LintFile::default() };
    // What is named may be a pipe; what is found is not waited for.
    let bytes = if is_below { gate::read_file(&file_read.path) } else { input::read(session, file) };
    match bytes {
        Ok(bytes) => {
            let findings = judge(&bytes, &session.environment.cwd.join(file).to_string_lossy());
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
    for file in files.iter_mut().filter(|file| file.kind == Some(DocumentKind::Packet)) {
        if let Some(problem) = places.copy(&file.path) {
            file.asks = None;
            file.warnings.insert(0, (Advice { code: advice::Code::Copy, problem }, None));
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
        self.kind.is_none() && self.error.is_none() && self.problems.iter().all(unknown)
    }
}

fn unusable(shown: &str, problems: &[Problem]) -> Error {
    let found = |lang| problems.first().map(|problem| problem.found.text(lang)).unwrap_or_default();
    let sentence = say("Cannot read {0}: it is {1}.", "无法读取 {0}：它是{1}。");
    let message = Message::in_both(|lang| sentence.fill(lang, &[shown, &found(lang)]));
    Error::of(ExitCode::Failed, "unreadable", message)
}

/// A packet that asks something.
#[derive(Clone)]
struct Asker {
    /// Its index among the files that are linted.
    listed: Option<usize>,
    /// Its name.
    shown: String,
    /// Its questions, if it is not linted.
    spec: Option<Arc<QuestionSpec>>,
    path: PathBuf,
    asked: u64,
    /// Whether it lies in the staging directory of a project: others there may share its place.
    is_live: bool,
}

/// The gates of the files that are linted and of the projects around them.
struct Places {
    cwd: PathBuf,
    /// The project of the current directory, or of `--project`.
    own: Option<Arc<Project>>,
    /// Whether `--project` names it: then no other counts.
    is_named: bool,
    projects: HashMap<PathBuf, Option<Arc<Project>>>,
    askers: HashMap<String, Vec<Asker>>,
    /// Roots whose packets are all among the askers.
    read: HashSet<PathBuf>,
}

impl Places {
    fn new(session: &Session<'_>) -> Places {
        Places {
            cwd: session.environment.cwd.clone(),
            own: session.project().ok().map(Arc::new),
            is_named: session.global.project.is_some(),
            projects: HashMap::new(),
            askers: HashMap::new(),
            read: HashSet::new(),
        }
    }

    /// Adds a packet that is linted.
    fn add(&mut self, at: usize, path: &Path, shown: &str, answer_path: &JsString, spec: &QuestionSpec) {
        let project = self.project_of(path);
        let asker = Asker {
            listed: Some(at),
            shown: shown.to_owned(),
            spec: None,
            path: path.to_path_buf(),
            asked: spec.fingerprint(),
            is_live: project.as_deref().is_some_and(|project| is_live(project, path)),
        };
        self.askers.entry(place(project.as_deref(), answer_path)).or_default().push(asker);
    }

    /// That a packet is a copy: it asks nothing.
    fn copy(&mut self, path: &Path) -> Option<Problem> {
        let project = self.project_of(path).filter(|project| is_live(project, path))?;
        copies::of(&project, project.relative(path))
    }

    /// What is wrong or unwise about the place that a packet names.
    fn judge(&mut self, path: &Path, answer_path: &JsString) -> (Vec<Problem>, Vec<Advice>) {
        let project = self.project_of(path);
        let (mut problems, mut warnings) = (Vec::new(), Vec::new());
        if let Some(project) = &project {
            self.read_all(project);
            let outside = resolve(project, answer_path).err();
            let refusal = refusal(project, answer_path, path, None).filter(|_| outside.is_none());
            problems.extend(outside.map(|problem| *problem));
            warnings.extend(refusal.map(|it| advice::unwritable(answer_path, it.sentence())));
        }
        let same = self.askers.get(&place(project.as_deref(), answer_path)).map(Vec::as_slice);
        let same = same.unwrap_or_default();
        let Some(own) = same.iter().find(|asker| asker.path == path) else { return (problems, warnings) };
        let counts = |other: &&Asker| other.path != path && (other.listed.is_some() || own.is_live);
        let mut others = same.iter().filter(counts).peekable();
        let first = others.peek().map(|other| other.shown.clone());
        match others.find(|other| other.asked != own.asked) {
            Some(rival) => problems.push(conflict(answer_path, &rival.shown)),
            None => warnings.extend(first.map(|other| advice::shared(answer_path, &other))),
        }
        (problems, warnings)
    }

    /// The packet that asks for this record, the one that is linted first.
    fn asking_for(&mut self, record: &Path) -> Option<Asker> {
        let project = self.project_of(record)?;
        self.read_all(&project);
        let place = key(project.root(), record.strip_prefix(project.root()).ok()?);
        self.askers.get(&place)?.first().cloned()
    }

    /// Adds every packet below a project's staging directory that is not linted.
    fn read_all(&mut self, project: &Arc<Project>) {
        if !self.read.insert(project.root().to_path_buf()) {
            return;
        }
        let listed: HashSet<PathBuf> =
            self.askers.values().flatten().map(|asker| asker.path.clone()).collect();
        for (path, gate) in locate::gates(project) {
            if listed.contains(&path) {
                continue;
            }
            let asker = Asker {
                listed: None,
                shown: path.strip_prefix(&self.cwd).unwrap_or(&path).to_string_lossy().into_owned(),
                asked: gate.spec.fingerprint(),
                spec: Some(gate.spec),
                path,
                is_live: true,
            };
            self.askers.entry(place(Some(project), &gate.answer_path)).or_default().push(asker);
        }
    }

    /// The project that a file lies in.
    fn project_of(&mut self, path: &Path) -> Option<Arc<Project>> {
        let own = self.own.as_ref().filter(|own| path.starts_with(own.root()));
        if own.is_some() || self.is_named {
            return own.cloned();
        }
        let dir = path.parent()?;
        let find =
            || Project::find(None, dir).ok().filter(|found| path.starts_with(found.root())).map(Arc::new);
        self.projects.entry(dir.to_path_buf()).or_insert_with(find).clone()
    }
}

fn is_live(project: &Project, path: &Path) -> bool {
    path.starts_with(project.root().join("staging"))
}

/// The same for every spelling of one place; links count where the project is known.
fn place(project: Option<&Project>, answer_path: &JsString) -> String {
    if let Some(project) = project {
        return key(project.root(), &real_place(project, answer_path));
    }
    let shown = answer_path.lossy();
    let parts = Path::new(&*shown).components().filter(|part| matches!(part, Component::Normal(_)));
    parts.collect::<PathBuf>().to_string_lossy().into_owned()
}

fn key(root: &Path, place: &Path) -> String {
    root.join(place).to_string_lossy().into_owned()
}

fn conflict(answer_path: &JsString, rival: &str) -> Problem {
    let found =
        say("{0}, where {1} wants answers to different questions", "{0}，而 {1} 的不同问题也在那里回答");
    let found = quoting_parts(found, &[&quote(answer_path), rival]);
    let expected = say("a place of its own, or exactly the same questions", "各自的位置，或完全相同的问题");
    Problem::new(ProblemCode::Other, found, expected).at("/answer_path").with_hint(say(
        "One record cannot answer both: write one of the packets again.",
        "一份记录无法同时回答两者：请重新生成其中一个指令包。",
    ))
}
