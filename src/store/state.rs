//! The state directory: where drafts, history and locks of one project lie, outside the project and readable by their owner
//! alone.

use super::project::Project;
use super::{safe_path, sha256};
use crate::ask::JsString;
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::platform::files::bytes_of;
use crate::platform::paths::STATE_BELOW_HOME;
use crate::platform::processes::{HOME, STATE_HOME};
use crate::text::{Lang, say};
use rusqlite::Connection;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{io, iter};

mod database;

/// The state of one project. Nothing is made on disk before something is to be kept. Clones share a connection, which one
/// thread uses at a time.
#[derive(Clone, Debug)]
pub struct StateDir {
    dir: Arc<Path>,
    /// The project's root: a gate is named by where its record lies.
    root: Arc<Path>,
    database: Arc<database::Database>,
}

impl PartialEq for StateDir {
    fn eq(&self, other: &StateDir) -> bool {
        self.dir == other.dir
    }
}

impl Eq for StateDir {}

impl StateDir {
    pub fn new(base: &Path, project: &Project) -> StateDir {
        let hash = sha256(bytes_of(project.root().as_os_str()));
        let dir: Arc<Path> = base.join(&hash[..32]).into();
        let database = Arc::new(database::Database::new(&dir, project.disk()));
        StateDir { dir, root: project.root().into(), database }
    }

    /// The base directory that `given` (`--state-dir`) names, else `$XDG_STATE_HOME/novel-gate`, else
    /// `~/.local/state/novel-gate`; on Windows below `%LOCALAPPDATA%`. A relative `XDG_STATE_HOME` is ignored, as the XDG specification
    /// demands.
    pub fn base(
        given: Option<PathBuf>,
        xdg_state_home: Option<OsString>,
        home: Option<OsString>,
    ) -> Result<PathBuf, Error> {
        let absolute = |path: Option<OsString>| path.map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || absolute(home).map(|home| home.join(STATE_BELOW_HOME));
        let default = || absolute(xdg_state_home).or_else(home).map(|state| state.join("novel-gate"));
        given.or_else(default).ok_or_else(|| {
            let sentence = say(
                "There is no place for drafts and history: neither {0} nor {1} is set.",
                "没有可存放草稿与历史的位置：{0} 与 {1} 均未设置。",
            );
            Error::new(ExitCode::Usage, "no-state-dir", sentence, &[STATE_HOME, HOME])
                .hint(say("Name one with --state-dir DIR.", "请用 --state-dir DIR 指定。"), &[])
        })
    }

    pub fn is_of(&self, project: &Project) -> bool {
        *self.root == *project.root()
    }

    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Leaves no room for anything more in this connection's view, as a full disk does.
    #[cfg(test)]
    pub(super) fn fill_disk(&self) {
        self.write(|connection| connection.query_row("PRAGMA max_page_count = 1", [], |_| Ok(()))).unwrap();
    }

    /// The name of a gate in the state directory: a hash of where its record lies beneath the root, the same for every
    /// spelling of that place, also through links.
    pub fn gate_key(&self, answer_path: &JsString) -> String {
        key_of(&safe_path::named_place(&self.root, answer_path))
    }

    /// [`gate_key`](StateDir::gate_key) for many gates, most of which share their directories: each is looked at once.
    pub(super) fn gate_keys(&self) -> impl FnMut(&JsString) -> String {
        let mut known: HashMap<String, PathBuf> = HashMap::new();
        move |answer_path| {
            let shown = answer_path.lossy();
            let (directory, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
            if matches!(name, "" | ".") {
                return self.gate_key(answer_path);
            }
            let place = known.entry(directory.to_owned()).or_insert_with(|| {
                // The place of any name in it shows where it is.
                let beneath = safe_path::named_place(&self.root, &format!("{directory}/x").as_str().into());
                beneath.parent().unwrap_or(Path::new("")).to_path_buf()
            });
            key_of(&place.join(name))
        }
    }

    /// The file with drafts and history.
    pub fn database(&self) -> &Path {
        &self.database.files.path
    }

    /// The same with a connection of its own, for a thread that must not wait for another one's job.
    #[must_use]
    pub fn apart(&self) -> StateDir {
        StateDir { database: Arc::new(self.database.apart()), ..self.clone() }
    }

    /// What the author has to know of the database and was not told yet: that a damaged one was set aside.
    pub fn take_notice(&self) -> Option<Message> {
        self.database.common().tell()
    }

    /// All of it, as one.
    pub fn take_notices(&self) -> Option<Message> {
        let notices: Vec<Message> = iter::from_fn(|| self.take_notice()).collect();
        let told = |lang: Lang| {
            let gap = if lang == Lang::En { " " } else { "" };
            notices.iter().map(|notice| notice.text(lang)).collect::<Vec<_>>().join(gap)
        };
        (!notices.is_empty()).then(|| Message::in_both(told))
    }

    /// Tells the author, once for as long as it lasts.
    pub(in crate::store) fn notify(&self, notice: Message) {
        self.database.common().notify(notice);
    }

    /// What was found, for those who only look: they do not fail for a database that cannot be used, but it is said. Where
    /// nothing may be written, as in an executor's sandbox, that is no news: whoever may write notes what there is.
    pub fn tolerate<T>(&self, outcome: Result<T, Error>) -> Option<T> {
        let tell = |error: &Error| {
            let mut common = self.database.common();
            if !common.closed {
                common.notify(error.whole());
            }
        };
        outcome.inspect_err(tell).ok()
    }

    /// Runs a job on one snapshot of the database; `None` if nothing was ever kept.
    pub(in crate::store) fn read<T>(
        &self,
        mut job: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        self.database.run(false, &mut job).map_err(|fault| {
            let sentence = say("Cannot read the history in {0}.", "无法读取 {0} 中的历史。");
            fault.error(self.database(), "history-unreadable", sentence)
        })
    }

    /// Runs a job in a transaction, which is on the disk when this returns; if it fails, nothing has changed. The job runs
    /// a second time where the database turns out to be damaged and a new one is begun.
    pub(in crate::store) fn write<T>(
        &self,
        mut job: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let missing = || io::Error::from(io::ErrorKind::NotFound).into();
        let done = self.database.run(true, &mut job).and_then(|done| done.ok_or_else(missing));
        done.map_err(|fault| {
            let sentence = say("Cannot keep the history in {0}.", "无法把历史保存到 {0}。");
            fault.error(self.database(), "history-failed", sentence)
        })
    }

    /// Leaves nothing of what was deleted in any file.
    pub fn wipe(&self) -> Result<(), Error> {
        let database = &self.database;
        let mut open = database.lock();
        let wiped = database.connect(&mut open, false).and_then(|connection| {
            let Some(connection) = connection else { return Ok(false) };
            Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?)
        });
        let fault = match wiped {
            Ok(false) => return Ok(()),
            Ok(true) => io::Error::from(io::ErrorKind::ResourceBusy).into(),
            Err(fault) => fault,
        };
        Err(fault.error(self.database(), "not-erased", say("Cannot erase {0}.", "无法清除 {0}。")))
    }
}

impl StateDir {
    /// Gives the disk back what the database does not need any more: nothing depends on it. Whether anything was given back.
    pub fn shrink(&self) -> bool {
        let mut open = self.database.lock();
        let shrunk = self.database.connect(&mut open, false).and_then(|connection| {
            connection.map_or(Ok(false), |connection| self.database.shrink(connection))
        });
        drop(open);
        // What is in the log still counts.
        shrunk.is_ok_and(|is_done| is_done && self.wipe().is_ok())
    }
}

fn key_of(path: &Path) -> String {
    let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let parts: Vec<&[u8]> = names.map(|name| bytes_of(name.as_os_str())).collect();
    sha256(&parts.join(&b'/'))[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    #[cfg_attr(windows, ignore = "links need a right of their own there")]
    fn one_gate_has_one_key_however_its_path_is_spelled() {
        use crate::platform::testing::symlink;
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("book/staging/answers")).unwrap();
        symlink("staging", top.path().join("book/way")).unwrap();
        symlink("nothing", top.path().join("book/astray")).unwrap();
        symlink("..", top.path().join("book/out")).unwrap();
        fs::write(top.path().join("book/staging/real.json"), "x").unwrap();
        symlink("real.json", top.path().join("book/staging/link.json")).unwrap();
        let project = Project::open(&top.path().join("book")).unwrap();
        let state = StateDir::new(top.path(), &project);
        let mut names = state.gate_keys();
        let mut key = |path: &str| {
            let key = state.gate_key(&path.into());
            assert_eq!(names(&path.into()), key, "{path}");
            key
        };
        let plain = key("staging/a.json");
        for spelling in ["./staging//a.json", "way/a.json", "./way/./a.json", "staging/./a.json"] {
            assert_eq!(key(spelling), plain, "{spelling}");
        }
        assert_eq!(key("way/new/deep/a.json"), key("staging/new/deep/a.json"));
        for other in ["staging/b.json", "a.json", "astray/a.json", "out/a.json", "staging/answers/a.json"] {
            assert_ne!(key(other), plain, "{other}");
        }
        assert_ne!(key("staging/link.json"), key("staging/real.json"), "a link can be moved by itself");
        assert_eq!(
            (key("staging/answers/"), key("way/answers/.")),
            (key("staging/answers"), key("staging/answers"))
        );
    }

    #[test]
    fn the_base_follows_the_xdg_specification() {
        let base = |xdg: Option<&str>, home: Option<&str>| {
            StateDir::base(None, xdg.map(OsString::from), home.map(OsString::from)).ok()
        };
        let (s, h) = if cfg!(windows) { (r"C:\s", r"C:\h") } else { ("/s", "/h") };
        assert_eq!(base(Some(s), Some(h)), Some(Path::new(s).join("novel-gate")));
        assert_eq!(base(Some("s"), Some(h)), Some(Path::new(h).join(STATE_BELOW_HOME).join("novel-gate")));
        assert_eq!(base(None, None), None);
    }
}
