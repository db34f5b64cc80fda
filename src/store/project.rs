//! The project: the directory everything happens in.

use super::disk::{Disk, SystemDisk};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::files::{Facts, FileKind, look_at};
use crate::platform::paths::{Shown as _, canonicalize};
use crate::text::say;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Project {
    root: PathBuf,
    dir: Dir,
    disk: &'static dyn Disk,
    is_patient: bool,
}

/// What stands at the root's path by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootState {
    /// The directory that is held.
    There,
    /// Another directory: the project must be opened anew.
    Replaced,
    /// None.
    Gone,
}

/// How deep packets are looked for below `staging/`.
pub const DEPTH_LIMIT: usize = 16;

impl Project {
    /// The project to work in: the one named, else the nearest directory from `cwd` upwards with `.checkpoint.json`,
    /// else the nearest with `staging/`.
    pub fn find(explicit: Option<&Path>, cwd: &Path) -> Result<Project, Error> {
        if let Some(path) = explicit {
            return Project::open(&cwd.join(path));
        }
        let nearest = |has: &dyn Fn(&Path) -> bool| cwd.ancestors().find(|dir| has(dir));
        let found = nearest(&|dir| dir.join(".checkpoint.json").is_file())
            .or_else(|| nearest(&|dir| dir.join("staging").is_dir()));
        if let Some(root) = found {
            return Project::open(root);
        }
        let sentence = say(
            "No project here: neither {0} nor a directory above it has .checkpoint.json or staging/.",
            "这里没有项目：{0} 及其上级目录中都没有 .checkpoint.json 或 staging/。",
        );
        let hint = say(
            "Go to the directory of your novel, or name it with --project DIR. A new novel is begun with novel init; without that, --project . \
             takes this directory. To look around first, run novel-gate demo.",
            "请进入小说所在的目录，或用 --project DIR 指定。新书先运行 novel init；不用它，就加上 --project . 使用当前目录。想先看看，可运行 novel-gate demo。",
        );
        Err(Error::new(ExitCode::Usage, "no-project", sentence, &[&cwd.shown()]).hint(hint, &[]))
    }

    pub fn open(path: &Path) -> Result<Project, Error> {
        let opened = canonicalize(path)
            .and_then(|root| Ok((Dir::open_ambient_dir(&root, ambient_authority())?, root)));
        let opened = opened.map(|(dir, root)| Project { root, dir, disk: &SystemDisk, is_patient: false });
        opened.map_err(|cause| {
            let shown = path.shown();
            let sentence = say("Cannot open the project {0}.", "无法打开项目 {0}。");
            Error { kind: ExitCode::Usage, ..Error::io("no-project", sentence, &[&shown], &cause) }
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The same for a command, which can do nothing else meanwhile.
    #[must_use]
    pub fn patient(self) -> Project {
        Project { is_patient: true, ..self }
    }

    /// Whether to wait for what is in the making.
    pub(super) fn is_patient(&self) -> bool {
        self.is_patient
    }

    /// The handle that all access beneath the root goes through.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// What changes files here and in the project's state.
    pub(super) fn disk(&self) -> &'static dyn Disk {
        self.disk
    }

    #[cfg(test)]
    pub(super) fn on(self, disk: &'static dyn Disk) -> Project {
        Project { disk, ..self }
    }

    /// Whether the directory is still where it was found; it may have been renamed, removed or replaced.
    pub fn root_state(&self) -> RootState {
        let there = look_at(&self.root);
        // That it cannot be looked at says nothing.
        if there
            .as_ref()
            .is_err_and(|cause| !matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
        {
            return RootState::There;
        }
        let there = there.ok().filter(|facts| facts.kind == FileKind::Directory).map(|facts| facts.id);
        let held = self.dir.dir_metadata().ok().map(|meta| Facts::from(&meta).id);
        match there {
            None => RootState::Gone,
            _ if there == held => RootState::There,
            Some(_) => RootState::Replaced,
        }
    }

    /// A title: the name of the directory.
    pub fn name(&self) -> String {
        self.root.file_name().unwrap_or(self.root.as_os_str()).shown().into_owned()
    }

    /// Whether what a path leads to lies beneath the root.
    pub fn holds(&self, path: &Path) -> bool {
        canonicalize(path).is_ok_and(|real| real.starts_with(&self.root))
    }

    /// A path as people are shown it: relative to the root where it lies beneath it.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.root).ok().filter(|rest| !rest.as_os_str().is_empty()).unwrap_or(path)
    }
}

#[cfg(test)]
mod tests;
