//! The state directory: where drafts, history and locks of one project lie, outside the project.
//!
//! Responsible for its place and for making directories only their owner can read. Not responsible for what is in it
//! (`drafts`, `history`).

use super::history::Retention;
use super::project::Project;
use super::sha256;
use crate::ask::JsString;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// The state of one project. Nothing is made on disk before something is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDir {
    dir: PathBuf,
    retention: Retention,
}

impl StateDir {
    /// The state of a project below a base directory.
    pub fn new(base: &Path, project: &Project) -> StateDir {
        let hash = sha256(project.root().as_os_str().as_bytes());
        StateDir { dir: base.join(&hash[..32]), retention: Retention::default() }
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

    /// Where the history of one gate lies; `key` as from [`gate_key`].
    pub fn history_dir(&self, key: &str) -> PathBuf {
        self.histories_dir().join(key)
    }
}

/// The name of a gate in the state directory: a hash of its answer path, the same for `a//b`, `./a/b` and `a/b`.
pub fn gate_key(answer_path: &JsString) -> String {
    let shown = answer_path.lossy();
    let mut parts = Vec::new();
    for part in Path::new(shown.as_ref()).components() {
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
        let key = gate_key(&"staging/a.json".into());
        assert_eq!(gate_key(&"./staging//a.json".into()), key);
        assert_ne!(gate_key(&"staging/b.json".into()), key);
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
