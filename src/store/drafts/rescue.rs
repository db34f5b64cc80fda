//! Words that their own place does not take, in a file elsewhere until it does.
//!
//! * The file has a name that nobody can foresee, is made anew, and is readable by its owner only.
//! * The project is in its name: the next start finds it. A file that could be another user's is not read.
//! * Whoever answers for its words holds a lock on it that dies with the process: another console leaves it alone until then.

use super::{DraftJob, Writer, replies_from};
use crate::ask::draft::CarriedOver;
use crate::ask::{JsString, decode_spec, to_line};
use crate::platform::files;
use crate::platform::paths::Shown as _;
use crate::store::SIZE_LIMIT;
use crate::store::file::read_sized;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMAT: u32 = 1;
const ENDING: &str = ".unsaved.json";
/// Behind the name of a file that holds more than could be taken from it.
const KEPT: &str = ".kept";
/// Random characters in the name.
const RANDOM: usize = 16;

/// Where words go that are not taken elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Refuge {
    /// The first that takes the file has it.
    pub(super) dirs: Vec<PathBuf>,
    /// What the file's name begins with.
    pub(super) prefix: String,
}

/// A file with words, while this process answers for them.
#[derive(Debug)]
pub(super) struct Shelter {
    pub(super) path: PathBuf,
    /// Whether all that it holds could be read.
    is_whole: bool,
    // Closing it frees its lock.
    _file: File,
}

impl Shelter {
    /// Lets the file go, once its words are on the disk.
    pub(super) fn leave(self) {
        // One that stays is read again: it says what is known.
        let _ = if self.is_whole {
            fs::remove_file(&self.path)
        } else {
            let mut kept = self.path.clone().into_os_string();
            kept.push(KEPT);
            fs::rename(&self.path, kept)
        };
    }
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Rescued {
    pub(super) drafts: Vec<(DraftJob, Writer)>,
    /// Texts of edited records, by answer path.
    pub(super) edited: Vec<(JsString, String)>,
}

impl Rescued {
    pub(super) fn is_empty(&self) -> bool {
        self.drafts.is_empty() && self.edited.is_empty()
    }
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    drafts: Vec<Draft>,
    edited: Vec<(JsString, String)>,
}

#[derive(Serialize, Deserialize)]
struct Draft {
    packet: String,
    #[serde(default)]
    step: Option<JsString>,
    answer_path: JsString,
    writer: Writer,
    saved_at: String,
    at: usize,
    novel_ask: Box<RawValue>,
    replies: Box<RawValue>,
    orphans: Vec<(JsString, JsString)>,
}

impl Refuge {
    /// Where the words of this state directory go: the system's temporary directory, or, if that is full too, the memory.
    pub(super) fn of(state: &Path) -> Refuge {
        let project = state.file_name().unwrap_or_default().shown();
        Refuge {
            dirs: [std::env::temp_dir()].into_iter().chain(files::memory_dir()).collect(),
            prefix: format!("novel-gate-{project}-"),
        }
    }

    /// Puts words into a file; they are on its disk when this returns.
    pub(super) fn write(&self, rescued: &Rescued) -> io::Result<Shelter> {
        let drafts: Result<Vec<Draft>, _> =
            rescued.drafts.iter().map(|(job, writer)| Draft::new(job, writer)).collect();
        let document = Document { format: FORMAT, drafts: drafts?, edited: rescued.edited.clone() };
        let mut text = serde_json::to_vec_pretty(&document)?;
        text.push(b'\n');
        if text.len() as u64 > SIZE_LIMIT {
            // It would not be read again.
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut refused = io::Error::from(io::ErrorKind::NotFound);
        for dir in &self.dirs {
            let mut named = tempfile::Builder::new();
            named.prefix(&self.prefix).suffix(ENDING).rand_bytes(RANDOM);
            let written = named.tempfile_in(dir).and_then(|mut file| {
                // Where there are no locks, another console may save these words too.
                let _ = file.as_file().try_lock();
                file.write_all(&text)?;
                files::sync(file.as_file())?;
                Ok(file.keep()?)
            });
            match written {
                Ok((file, path)) => return Ok(Shelter { path, is_whole: true, _file: file }),
                // The first one is the one that people know.
                Err(cause) if *dir == self.dirs[0] => refused = cause,
                Err(_) => {}
            }
        }
        Err(refused)
    }

    /// What runs that have ended have put here, with the files it is in; they stay.
    pub(super) fn find(&self) -> Vec<(Shelter, Rescued)> {
        let names = self.dirs.iter().flat_map(|dir| {
            let names = files::names_in(dir).into_iter().flatten().flatten();
            names.filter(|name| self.is_ours(name)).map(|name| dir.join(name)).collect::<Vec<_>>()
        });
        names.filter_map(read).collect()
    }

    fn is_ours(&self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        name.starts_with(self.prefix.as_bytes()) && name.ends_with(ENDING.as_bytes())
    }
}

/// Reads a file that only this user can have written and that no running process answers for. A link is not followed, a pipe
/// not waited for.
fn read(path: PathBuf) -> Option<(Shelter, Rescued)> {
    let mut file = files::open_read_unlinked(&path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || !files::is_private(&meta) || meta.len() > SIZE_LIMIT {
        return None;
    }
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let document: Document = serde_json::from_slice(&read_sized(&mut file, meta.len()).ok()??).ok()?;
    if document.format != FORMAT {
        return None;
    }
    let all = document.drafts.len();
    let drafts: Vec<_> = document.drafts.into_iter().filter_map(Draft::job).collect();
    let shelter = Shelter { path, is_whole: drafts.len() == all, _file: file };
    Some((shelter, Rescued { drafts, edited: document.edited }))
}

impl Draft {
    fn new(job: &DraftJob, writer: &Writer) -> Result<Draft, serde_json::Error> {
        Ok(Draft {
            packet: job.packet.clone(),
            step: job.step.clone(),
            answer_path: job.answer_path.clone(),
            writer: writer.clone(),
            saved_at: job.saved_at.clone(),
            at: job.at,
            novel_ask: RawValue::from_string(to_line(&*job.spec))?,
            replies: RawValue::from_string(job.replies())?,
            orphans: job.orphans(),
        })
    }

    fn job(self) -> Option<(DraftJob, Writer)> {
        let spec = Arc::new(decode_spec(self.novel_ask.get().as_bytes()).ok()?);
        let CarriedOver { draft, orphans, .. } = replies_from(self.replies.get(), self.orphans, &spec);
        let job = DraftJob {
            packet: self.packet,
            step: self.step,
            answer_path: self.answer_path,
            at: self.at.min(spec.questions.len().saturating_sub(1)),
            spec,
            draft,
            orphans,
            saved_at: self.saved_at,
        };
        Some((job, self.writer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::testing::{make_pipe, set_mode, symlink};

    const TEXT: &str = r#"{"format":1,"drafts":[],"edited":[["a.json","words"]]}"#;

    #[test]
    #[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
    fn only_a_file_of_this_user_alone_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let refuge = Refuge { dirs: vec![dir.path().into()], prefix: "novel-gate-p-".into() };
        let put = |path: PathBuf, text: &str, mode| {
            fs::write(&path, text).unwrap();
            set_mode(&path, mode);
            path
        };
        let named = |name: &str| dir.path().join(format!("novel-gate-p-{name}{ENDING}"));
        let good = put(named("good"), TEXT, 0o600);
        put(named("readable"), TEXT, 0o644);
        put(named("writable"), TEXT, 0o620);
        put(named("torn"), &TEXT[..20], 0o600);
        put(named("newer"), &TEXT.replace("\"format\":1", "\"format\":2"), 0o600);
        put(named("none"), "", 0o600);
        put(dir.path().join(format!("novel-gate-q-other{ENDING}")), TEXT, 0o600);
        put(dir.path().join("novel-gate-p-other.json"), TEXT, 0o600);
        let target = put(elsewhere.path().join("target"), TEXT, 0o600);
        symlink(&target, named("link")).unwrap();
        fs::hard_link(&target, named("second")).unwrap();
        fs::create_dir(named("directory")).unwrap();
        make_pipe(&named("pipe"));
        File::create(named("huge")).unwrap().set_len(SIZE_LIMIT + 1).unwrap();
        set_mode(&named("huge"), 0o600);

        let found = refuge.find();
        assert_eq!(found.iter().map(|(file, _)| &file.path).collect::<Vec<_>>(), [&good]);
        assert_eq!(found[0].1.edited, [("a.json".into(), "words".to_owned())]);
        assert_eq!(refuge.find().len(), 0, "somebody answers for it");
        drop(found);
        assert_eq!(refuge.find().len(), 1, "looking takes nothing away");
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn a_file_outlives_what_was_taken_from_it_while_it_holds_more() {
        let dir = tempfile::tempdir().unwrap();
        let refuge = Refuge { dirs: vec![dir.path().into()], prefix: "novel-gate-p-".into() };
        let strange = r#"{"packet":"p","answer_path":"a.json","writer":{"host":"h","pid":1},"saved_at":"t","at":0,
            "novel_ask":{"version":9},"replies":{},"orphans":[]}"#;
        let path = dir.path().join(format!("novel-gate-p-x{ENDING}"));
        fs::write(&path, TEXT.replace("\"drafts\":[]", &format!("\"drafts\":[{strange}]"))).unwrap();
        set_mode(&path, 0o600);
        let (file, found) = refuge.find().pop().unwrap();
        assert_eq!((found.drafts.len(), found.edited.len()), (0, 1));
        file.leave();
        let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|name| name.unwrap().path()).collect();
        assert_eq!(names, [dir.path().join(format!("novel-gate-p-x{ENDING}{KEPT}"))]);
        assert_eq!(refuge.find().len(), 0, "it is offered once");
    }

    #[test]
    fn what_would_not_be_read_again_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let refuge = Refuge { dirs: vec![dir.path().into()], prefix: "novel-gate-p-".into() };
        let edited = vec![("a.json".into(), "x".repeat(usize::try_from(SIZE_LIMIT).unwrap()))];
        let refused = refuge.write(&Rescued { drafts: Vec::new(), edited }).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
