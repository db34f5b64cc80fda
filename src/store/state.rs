//! The state directory: where drafts, history and locks of one project lie, outside the project.
//!
//! Responsible for its place and for making directories only their owner can read. Not responsible for what is in it
//! (`drafts`, `history`).

use super::history::Retention;
use super::project::Project;
use super::{safe_path, sha256};
use crate::ask::JsString;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The state of one project. Nothing is made on disk before something is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDir {
    dir: PathBuf,
    /// The project's root: a gate is named by where its record lies.
    root: Arc<Path>,
    retention: Retention,
}

impl StateDir {
    /// The state of a project below a base directory.
    pub fn new(base: &Path, project: &Project) -> StateDir {
        let hash = sha256(project.root().as_os_str().as_bytes());
        StateDir { dir: base.join(&hash[..32]), root: project.root().into(), retention: Retention::default() }
    }

    /// The same with another retention of the history.
    #[must_use]
    pub fn keeping(self, retention: Retention) -> StateDir {
        StateDir { retention, ..self }
    }

    /// How long entries of the history stay.
    pub fn retention(&self) -> Retention {
        self.retention
    }

    /// `$XDG_STATE_HOME/novel-gate`, or `~/.local/state/novel-gate`; a relative `XDG_STATE_HOME` is ignored, as the
    /// XDG specification demands.
    pub fn default_base(xdg_state_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
        let absolute = |path: Option<OsString>| path.map(PathBuf::from).filter(|path| path.is_absolute());
        absolute(xdg_state_home)
            .or_else(|| absolute(home).map(|home| home.join(".local/state")))
            .map(|state| state.join("novel-gate"))
    }

    /// The base directory that `given` (`--state-dir`) or the environment names.
    ///
    /// # Errors
    /// Neither `--state-dir` nor `XDG_STATE_HOME` nor `HOME` says where it is.
    pub fn base(
        given: Option<PathBuf>,
        xdg_state_home: Option<OsString>,
        home: Option<OsString>,
    ) -> Result<PathBuf, Error> {
        given.or_else(|| StateDir::default_base(xdg_state_home, home)).ok_or_else(|| {
            let sentence = say(
                "There is no place for drafts and history: neither XDG_STATE_HOME nor HOME is set.",
                "没有可存放草稿与历史的位置：XDG_STATE_HOME 与 HOME 均未设置。",
            );
            Error::new(ExitCode::Usage, "no-state-dir", sentence, &[])
                .hint(say("Name one with --state-dir DIR.", "请用 --state-dir DIR 指定。"), &[])
        })
    }

    /// The project's own directory.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Where half-made answers lie.
    pub fn drafts_dir(&self) -> PathBuf {
        self.dir.join("drafts")
    }

    /// Where locks lie.
    pub fn locks_dir(&self) -> PathBuf {
        self.dir.join("locks")
    }

    /// Where the history of every gate lies.
    pub fn histories_dir(&self) -> PathBuf {
        self.dir.join("history")
    }

    /// Where the history of one gate lies; `key` as from [`StateDir::gate_key`].
    pub fn history_dir(&self, key: &str) -> PathBuf {
        self.histories_dir().join(key)
    }

    /// The name of a gate in the state directory: a hash of where its record lies beneath the root, the same for every
    /// spelling of that place, also through links.
    pub fn gate_key(&self, answer_path: &JsString) -> String {
        key_of(&safe_path::named_place(&self.root, answer_path))
    }

    /// Every name under which something of a gate may lie: its own first, then the one by its spelling that earlier
    /// versions gave it, if that is another one.
    pub fn gate_keys(&self, answer_path: &JsString) -> Vec<String> {
        let mut keys = vec![self.gate_key(answer_path), spelled_key(answer_path)];
        keys.dedup();
        keys
    }

    /// [`gate_key`](StateDir::gate_key) for many gates, most of which share their directories.
    pub(super) fn gate_names(&self) -> GateNames<'_> {
        GateNames { state: self, known: HashMap::new() }
    }
}

/// Names of gates, each directory looked at once.
pub(super) struct GateNames<'s> {
    state: &'s StateDir,
    known: HashMap<String, PathBuf>,
}

impl GateNames<'_> {
    /// The [`StateDir::gate_key`] of a gate.
    pub(super) fn key(&mut self, answer_path: &JsString) -> String {
        let shown = answer_path.lossy();
        let (directory, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
        if matches!(name, "" | ".") {
            return self.state.gate_key(answer_path);
        }
        if !self.known.contains_key(directory) {
            // The place of any name in it tells where it is.
            let beneath = safe_path::named_place(&self.state.root, &format!("{directory}/x").as_str().into());
            let place = beneath.parent().unwrap_or(Path::new("")).to_path_buf();
            self.known.insert(directory.to_owned(), place);
        }
        let place = self.known.get(directory).map_or(Path::new(""), PathBuf::as_path);
        key_of(&place.join(name))
    }
}

/// A hash of an answer path by its letters, the same for `a//b`, `./a/b` and `a/b`.
pub fn spelled_key(answer_path: &JsString) -> String {
    key_of(Path::new(answer_path.lossy().as_ref()))
}

fn key_of(path: &Path) -> String {
    let mut parts = Vec::new();
    for part in path.components() {
        if let Component::Normal(name) = part {
            parts.push(name.as_bytes());
        }
    }
    sha256(&parts.join(&b'/'))[..32].to_owned()
}

/// Makes a directory and its parents, readable by their owner only; existing ones stay as they are.
///
/// # Errors
/// The directory cannot be made.
pub fn ensure_dir(dir: &Path) -> Result<(), Error> {
    make_private_dir(dir).map_err(|cause| {
        let shown = dir.to_string_lossy();
        Error::io("state-dir", say("Cannot make the directory {0}.", "无法创建目录 {0}。"), &[&shown], &cause)
            .hint(say("Choose another place with --state-dir.", "可用 --state-dir 指定其他位置。"), &[])
    })
}

/// The same with the system's own error.
///
/// # Errors
/// The system refuses.
pub fn make_private_dir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Options for a new file that only its owner can read.
pub fn private_file() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_gate_has_one_key_however_its_path_is_spelled() {
        use std::os::unix::fs::symlink;
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("book/staging/answers")).unwrap();
        symlink("staging", top.path().join("book/way")).unwrap();
        symlink("nothing", top.path().join("book/astray")).unwrap();
        symlink("..", top.path().join("book/out")).unwrap();
        fs::write(top.path().join("book/staging/real.json"), "x").unwrap();
        symlink("real.json", top.path().join("book/staging/link.json")).unwrap();
        let project = Project::open(&top.path().join("book")).unwrap();
        let state = StateDir::new(top.path(), &project);
        let mut names = state.gate_names();
        let mut key = |path: &str| {
            let key = state.gate_key(&path.into());
            assert_eq!(names.key(&path.into()), key, "{path}");
            key
        };
        let plain = key("staging/a.json");
        for spelling in ["./staging//a.json", "way/a.json", "./way/./a.json", "staging/./a.json"] {
            assert_eq!(key(spelling), plain, "{spelling}");
        }
        // By its letters, as earlier versions did.
        assert_eq!(plain, spelled_key(&"staging/a.json".into()));
        assert_eq!(key("way/new/deep/a.json"), key("staging/new/deep/a.json"));
        for other in ["staging/b.json", "a.json", "astray/a.json", "out/a.json", "staging/answers/a.json"] {
            assert_ne!(key(other), plain, "{other}");
        }
        assert_ne!(key("staging/link.json"), key("staging/real.json"), "a link can be moved by itself");
        assert_eq!(state.gate_keys(&"staging/a.json".into()).len(), 1);
        let both = state.gate_keys(&"way/a.json".into());
        assert_eq!(both, [plain, spelled_key(&"way/a.json".into())]);
    }

    #[test]
    fn the_base_follows_the_xdg_specification() {
        let base = |xdg: Option<&str>, home: Option<&str>| {
            StateDir::default_base(xdg.map(OsString::from), home.map(OsString::from))
        };
        assert_eq!(base(Some("/s"), Some("/h")), Some(PathBuf::from("/s/novel-gate")));
        assert_eq!(base(Some("s"), Some("/h")), Some(PathBuf::from("/h/.local/state/novel-gate")));
        assert_eq!(base(None, None), None);
    }
}
