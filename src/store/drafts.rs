//! Half-made answers, kept between sessions in the state directory.
//!
//! Responsible for one file per gate, named by the gate's answer path: saving it so that a crash at any moment leaves a
//! whole draft, loading it back for a spec that may have changed, setting aside what cannot be read, and removing it
//! once the record is safe. [`Autosave`] does the writing on a thread of its own. Not responsible for what a draft
//! means (`ask::draft`) nor for the record.

use super::gate::spec_hash;
use super::history::spec_json;
use super::state::{StateDir, make_private_dir, spelled_key};
use crate::ask::draft::Orphan;
use crate::ask::json::{Item, Json, Kind};
use crate::ask::{Draft, JsString, QuestionSpec, decode_spec};
use crate::error::{Message, io_cause};
use crate::text::{Lang, Sentence, say};
use rustix::process::Pid;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub mod autosave;
mod edited;

pub use autosave::{Autosave, AutosaveEvent};

/// The version of the file's format; a file with a larger one is set aside, never guessed at.
const FORMAT: f64 = 1.0;
const TEMP_PREFIX: &str = ".draft-";
const TEMP_SUFFIX: &str = ".tmp";
/// No save takes so long.
const LEFT_BEHIND: Duration = Duration::from_hours(1);

/// The drafts of one project.
#[derive(Clone, Debug)]
pub struct Drafts {
    state: StateDir,
    dir: PathBuf,
}

/// Everything that goes into one draft file.
#[derive(Clone, Debug)]
pub struct DraftJob {
    /// The packet, as it is shown to people.
    pub packet: String,
    /// The gate's answer path; names the file.
    pub answer_path: JsString,
    /// The questions the draft answers.
    pub spec: Arc<QuestionSpec>,
    /// The answers so far.
    pub draft: Draft,
    /// What no longer fitted when the draft was loaded; kept until the author has dealt with it.
    pub orphans: Vec<Orphan>,
    /// Index of the question the author is at.
    pub at: usize,
    /// RFC 3339, UTC.
    pub saved_at: String,
}

/// A draft that came back.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedDraft {
    /// The replies that still fit.
    pub draft: Draft,
    /// What no longer fits its question.
    pub orphans: Vec<Orphan>,
    /// Index of the question the author was at; always one of the spec's.
    pub at: usize,
    /// When it was saved, as the file says.
    pub saved_at: String,
    /// The packet it was made for, as the file says.
    pub packet: String,
    /// Whether the questions differ from those the draft was made for.
    pub spec_changed: bool,
    /// The questions the draft was made for, as far as the file says.
    pub asked: Option<QuestionSpec>,
}

/// What [`Drafts::load`] found.
#[derive(Debug, Default, PartialEq)]
pub struct Loaded {
    /// The newest draft that can be read.
    pub draft: Option<SavedDraft>,
    /// Files that cannot be read and why; a notice for the author, never a failure.
    pub set_aside: Vec<SetAside>,
}

/// A draft file that cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct SetAside {
    /// Where it lies now: under a name ending in `.bad`, or in its place if it could not be renamed.
    pub path: PathBuf,
    /// Why.
    pub fault: DraftFault,
}

/// Why a draft file cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftFault {
    /// Not JSON: torn or damaged.
    Damaged,
    /// JSON, but no draft.
    NotADraft,
    /// Made by a newer program: its format version.
    Newer(f64),
    /// The draft of another gate under this gate's name.
    OtherGate,
    /// The system does not let it be read: its reason.
    Unreadable(Message),
}

impl DraftJob {
    /// The draft as if it came back from the disk, for the questions as they are now.
    pub fn restored(self, spec: &QuestionSpec) -> SavedDraft {
        let (draft, mut orphans) = self.draft.carried_over(&self.spec, spec);
        orphans.extend(self.orphans);
        let at = self.at.min(spec.questions.len().saturating_sub(1));
        let spec_changed = spec_hash(&self.spec) != spec_hash(spec);
        let asked = Some((*self.spec).clone());
        SavedDraft { draft, orphans, at, saved_at: self.saved_at, packet: self.packet, spec_changed, asked }
    }
}

impl SetAside {
    /// The notice for the author.
    pub fn sentence(&self, lang: Lang) -> String {
        let path = self.path.to_string_lossy();
        let (sentence, detail): (Sentence, String) = match &self.fault {
            DraftFault::Damaged => (
                say("The draft {0} is damaged and was set aside.", "草稿 {0} 已损坏，已另存。"),
                String::new(),
            ),
            DraftFault::NotADraft => {
                (say("{0} is not a draft and was set aside.", "{0} 不是草稿，已另存。"), String::new())
            }
            DraftFault::Newer(version) => (
                say(
                    "The draft {0} was made by a newer novel-gate (format {1}) and was set aside.",
                    "草稿 {0} 由更新版本的 novel-gate 写成（格式 {1}），已另存。",
                ),
                version.to_string(),
            ),
            DraftFault::OtherGate => (
                say(
                    "The draft {0} belongs to another gate and was set aside.",
                    "草稿 {0} 属于别的门控，已另存。",
                ),
                String::new(),
            ),
            DraftFault::Unreadable(reason) => {
                (say("The draft {0} cannot be read: {1}.", "无法读取草稿 {0}：{1}。"), reason.text(lang))
            }
        };
        sentence.fill(lang, &[&path, &detail])
    }
}

impl Drafts {
    /// The drafts under a project's state directory. Nothing is made until something is saved.
    pub fn new(state: &StateDir) -> Drafts {
        Drafts { dir: state.drafts_dir(), state: state.clone() }
    }

    /// Where the draft of a gate lies.
    pub fn path(&self, answer_path: &JsString) -> PathBuf {
        self.path_with(answer_path, ".json")
    }

    fn name(&self, answer_path: &JsString) -> String {
        self.state.gate_key(answer_path)
    }

    fn path_with(&self, answer_path: &JsString, ending: &str) -> PathBuf {
        self.dir.join(self.name(answer_path) + ending)
    }

    /// Every place in which a file of a gate may lie: its own first, then the one that an earlier version gave it.
    fn paths(&self, answer_path: &JsString, ending: &str) -> Vec<PathBuf> {
        let keys = self.state.gate_keys(answer_path).into_iter();
        keys.map(|key| self.dir.join(key + ending)).collect()
    }

    /// The draft's places with those of the draft before it, the newest first.
    fn generations(&self, answer_path: &JsString) -> Vec<PathBuf> {
        let (newest, previous) = (self.paths(answer_path, ".json"), self.paths(answer_path, ".json.1"));
        newest.into_iter().zip(previous).flat_map(|(newest, previous)| [newest, previous]).collect()
    }

    /// Whether there is a draft of this gate.
    pub fn has(&self, answer_path: &JsString) -> bool {
        self.generations(answer_path).iter().any(|path| path.exists())
    }

    /// Writes a draft; the one before it is kept beside it as `.1`. Returns when it is on the disk.
    ///
    /// # Errors
    /// The system's; the draft that was there is then still there, in its place or as `.1`.
    pub fn save(&self, job: &DraftJob) -> io::Result<()> {
        make_private_dir(&self.dir)?;
        // Readable by its owner only, and gone by itself if anything fails: it holds nothing that the memory does not.
        let mut temp =
            tempfile::Builder::new().prefix(TEMP_PREFIX).suffix(TEMP_SUFFIX).tempfile_in(&self.dir)?;
        temp.write_all(contents(job).as_bytes())?;
        temp.as_file().sync_all()?;
        let path = self.path(&job.answer_path);
        ignore_missing(fs::rename(&path, self.path_with(&job.answer_path, ".json.1")))?;
        temp.persist(&path).map_err(|failed| failed.error)?;
        File::open(&self.dir)?.sync_all()
    }

    /// Removes what a kill in the middle of a save has left behind: temporary files an hour old and more.
    pub fn sweep(&self, now: SystemTime) {
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let old = entry
                .metadata()
                .and_then(|meta| meta.modified())
                .is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age >= LEFT_BEHIND));
            if old && name.starts_with(TEMP_PREFIX) && name.ends_with(TEMP_SUFFIX) {
                // It is in nobody's way; the next start tries again.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Brings back the newest draft of a gate that can be read. Files that cannot are renamed to `….bad`.
    pub fn load(&self, answer_path: &JsString, spec: &QuestionSpec) -> Loaded {
        let mut loaded = Loaded::default();
        for path in self.generations(answer_path) {
            let fault = match fs::read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => DraftFault::Unreadable(io_cause(&error)),
                Ok(bytes) => match read_contents(&bytes, &|path| self.is_of(answer_path, path), spec) {
                    Ok(draft) => {
                        loaded.draft = Some(draft);
                        return loaded;
                    }
                    Err(fault) => fault,
                },
            };
            let path = if matches!(fault, DraftFault::Unreadable(_)) { path } else { set_aside(path) };
            loaded.set_aside.push(SetAside { path, fault });
        }
        loaded
    }

    /// Removes the draft of a gate, both generations; nothing there is fine. What another program that still runs has
    /// kept there stays: its author's words are in no record.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(&self, answer_path: &JsString) -> io::Result<()> {
        // The older one first: a crash in between must not bring it back as the newest.
        let oldest_first = self.generations(answer_path).into_iter().rev();
        oldest_first.into_iter().try_for_each(|path| ignore_missing(self.remove_own(&path)))
    }

    /// Whether an answer path, as a file says it, is a spelling of this gate's.
    fn is_of(&self, answer_path: &JsString, said: &JsString) -> bool {
        self.name(answer_path) == self.name(said) || spelled_key(answer_path) == spelled_key(said)
    }

    /// Moves a draft aside before looking at whose it is, so that what is looked at is what is removed.
    fn remove_own(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let aside = self.dir.join(format!(".{name}-{}.tmp", std::process::id()));
        fs::rename(path, &aside)?;
        if fs::read(&aside).is_ok_and(|bytes| is_anothers(&bytes)) {
            match fs::hard_link(&aside, path) {
                // A newer one stands there by now.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(_) => return fs::rename(&aside, path),
                Ok(()) => {}
            }
        }
        fs::remove_file(&aside)
    }
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Renames a file that cannot be used to the first free `….bad` name; gives back where it lies then.
fn set_aside(path: PathBuf) -> PathBuf {
    for round in 0..100 {
        let mut name = path.clone().into_os_string();
        name.push(if round == 0 { ".bad".to_owned() } else { format!(".{round}.bad") });
        let bad = PathBuf::from(name);
        if !bad.exists() {
            return if fs::rename(&path, &bad).is_ok() { bad } else { path };
        }
    }
    path
}

fn contents(job: &DraftJob) -> String {
    let mut out = format!("{{\n  \"version\": {FORMAT},\n  \"spec_hash\": \"{}\"", spec_hash(&job.spec));
    let mut string = |key: &str, value: &JsString| {
        out.push_str(&format!(",\n  \"{key}\": "));
        value.write_json(&mut out);
    };
    string("packet", &job.packet.as_str().into());
    string("answer_path", &job.answer_path);
    string("saved_at", &job.saved_at.as_str().into());
    string("host", &host().into());
    out.push_str(&format!(",\n  \"pid\": {},\n  \"at\": {},\n  \"orphans\": [", std::process::id(), job.at));
    for (i, orphan) in job.orphans.iter().enumerate() {
        out.push_str(if i == 0 { "\n    {\"id\": " } else { ",\n    {\"id\": " });
        orphan.id.write_json(&mut out);
        out.push_str(", \"words\": ");
        orphan.words.write_json(&mut out);
        out.push('}');
    }
    out.push_str("],\n  \"novel_ask\": ");
    out.push_str(&spec_json(&job.spec));
    out.push_str(",\n  \"replies\": ");
    job.draft.write_json(&job.spec, &mut out);
    out.push_str("\n}\n");
    out
}

/// Whether a draft was kept by another program on this machine that still runs. A number that was given to another
/// process since only means that a draft stays: it is offered again, never sent.
fn is_anothers(bytes: &[u8]) -> bool {
    let Ok(json) = Json::parse(bytes) else { return false };
    let here = json.root().get("host").and_then(Item::string).is_some_and(|name| name.lossy() == host());
    let pid =
        json.root().get("pid").and_then(|item| item.source().parse::<i32>().ok()).and_then(Pid::from_raw);
    let Some(pid) = pid.filter(|pid| here && *pid != rustix::process::getpid()) else { return false };
    matches!(rustix::process::test_kill_process(pid), Ok(()) | Err(rustix::io::Errno::PERM))
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn read_contents(
    bytes: &[u8],
    is_of_gate: &dyn Fn(&JsString) -> bool,
    spec: &QuestionSpec,
) -> Result<SavedDraft, DraftFault> {
    let json = Json::parse(bytes).map_err(|_| DraftFault::Damaged)?;
    let root = json.root();
    let string = |key: &str| root.get(key).and_then(Item::string);
    match root.get("version").and_then(Item::number) {
        Some(version) if version > FORMAT => return Err(DraftFault::Newer(version)),
        Some(version) if version >= FORMAT => {}
        _ => return Err(DraftFault::NotADraft),
    }
    let replies = root.get("replies").filter(|item| item.kind() == Kind::Array);
    let (Some(replies), Some(path)) = (replies, string("answer_path")) else {
        return Err(DraftFault::NotADraft);
    };
    if !is_of_gate(&path) {
        return Err(DraftFault::OtherGate);
    }
    let (draft, fresh) = Draft::read_json(spec, replies);
    let mut orphans: Vec<Orphan> = root.get("orphans").map(read_orphans).unwrap_or_default();
    orphans.extend(fresh);
    let last = spec.questions.len().saturating_sub(1);
    let at = root.get("at").and_then(|item| item.source().parse::<usize>().ok()).unwrap_or(0);
    Ok(SavedDraft {
        draft,
        orphans,
        at: at.min(last),
        saved_at: string("saved_at").unwrap_or_default().lossy().into_owned(),
        packet: string("packet").unwrap_or_default().lossy().into_owned(),
        spec_changed: string("spec_hash").is_none_or(|hash| hash != spec_hash(spec).as_str()),
        asked: root.get("novel_ask").and_then(|ask| decode_spec(ask.source().as_bytes()).ok()),
    })
}

fn read_orphans(list: Item<'_>) -> Vec<Orphan> {
    let words =
        |item: Item<'_>| Some(Orphan { id: item.get("id")?.string()?, words: item.get("words")?.string()? });
    list.elements().filter_map(words).collect()
}

#[cfg(test)]
mod tests;
