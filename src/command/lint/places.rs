//! The places of records: what is wrong with one, which packets share one, which packet asks for a record.

use crate::adapter::advice::{self, Advice};
use crate::ask::problem::{quote, quoting_parts};
use crate::ask::{JsString, Problem, ProblemCode, QuestionSpec};
use crate::command::Session;
use crate::platform::paths::Shown as _;
use crate::store::entry::Note;
use crate::store::file::is_question_file;
use crate::store::safe_path::{real_place, refusal, resolve};
use crate::store::{Project, copies, locate};
use crate::text::say;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A packet that asks something.
#[derive(Clone)]
pub(super) struct Asker {
    /// Its index among the files that are linted.
    pub(super) listed: Option<usize>,
    /// Its name.
    pub(super) shown: String,
    /// Its questions, if it is not linted.
    pub(super) spec: Option<Arc<QuestionSpec>>,
    path: PathBuf,
    asked: u64,
    /// Whether it lies in the staging directory of a project: others there may share its place.
    is_live: bool,
}

/// The gates of the files that are linted and of the projects around them.
pub(super) struct Places {
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
    pub(super) fn new(session: &Session<'_>) -> Places {
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
    pub(super) fn add(
        &mut self,
        at: usize,
        path: &Path,
        shown: &str,
        answer_path: &JsString,
        spec: &QuestionSpec,
    ) {
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

    /// That a packet or a question is a copy, or has a wrong name: it asks nothing.
    pub(super) fn copy(&mut self, path: &Path) -> Option<(Note, Problem)> {
        let project = self.project_of(path)?;
        let place = project.relative(path);
        Some(place).filter(|place| is_live(&project, path) || is_question_file(place))?;
        copies::of(&project, place)
    }

    /// What is wrong or unwise about the place that a packet names.
    pub(super) fn judge(&mut self, path: &Path, answer_path: &JsString) -> (Vec<Problem>, Vec<Advice>) {
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
    pub(super) fn asking_for(&mut self, record: &Path) -> Option<Asker> {
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
                shown: path.strip_prefix(&self.cwd).unwrap_or(&path).shown().into_owned(),
                asked: gate.spec.fingerprint(),
                spec: Some(gate.spec),
                path,
                is_live: true,
            };
            self.askers.entry(place(Some(project), &gate.answer_path)).or_default().push(asker);
        }
    }

    /// The project that a file lies in.
    pub(super) fn project_of(&mut self, path: &Path) -> Option<Arc<Project>> {
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
    parts.collect::<PathBuf>().shown().into_owned()
}

fn key(root: &Path, place: &Path) -> String {
    root.join(place).shown().into_owned()
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
