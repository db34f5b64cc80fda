//! Files of the project that are written as a whole at the author's wish, such as an executor's settings: one is read beneath
//! the root, and replaced in one step if it is still what was read.

use super::file::Read;
use super::project::Project;
use super::record::{open_parent, place, read_bytes, write_temp};
use super::safe_path::{self, Refusal, Spot};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::canonicalize;
use crate::text::{Lang, say};
use std::fs::{self, File};
use std::io;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSnapshot {
    /// As it was named.
    path: String,
    /// Where it really lies.
    spot: Spot,
    /// Why nothing can be written there.
    refusal: Option<Refusal>,
    /// What is in it; `None` if it is not there.
    pub bytes: Option<Vec<u8>>,
}

impl FileSnapshot {
    /// Looks at a file; links inside the root are followed.
    /// An error if it leads out of the root, is no plain file, or cannot be read or written (exit 5), or the system
    /// refuses (exit 1).
    pub fn read(project: &Project, path: &str) -> Result<FileSnapshot, Error> {
        let snapshot = FileSnapshot::look(project, path)?;
        snapshot.check_writable().map(|()| snapshot)
    }

    /// The same of a file that perhaps cannot be written.
    pub fn look(project: &Project, path: &str) -> Result<FileSnapshot, Error> {
        let spot = safe_path::spot_to_read(project, &path.into());
        let (mut spot, refusal) = spot.map_err(|refusal| refused(path, refusal))?;
        // Looked at again: a link may have been put there since.
        if let Ok(real) = canonicalize(project.root().join(spot.path())) {
            let below = real.strip_prefix(project.root()).map_err(|_| refused(path, Refusal::Outside))?;
            let (Some(parent), Some(name)) = (below.parent(), below.file_name()) else {
                return Err(refused(path, Refusal::Directory));
            };
            spot = Spot { parent: parent.to_path_buf(), missing: Vec::new(), name: name.to_owned() };
        }
        let bytes = read(project, path, &spot)?;
        Ok(FileSnapshot { path: path.to_owned(), spot, refusal, bytes })
    }

    /// An error (exit 5) if nothing can be made in its directory.
    pub fn check_writable(&self) -> Result<(), Error> {
        self.refusal.map_or(Ok(()), |refusal| Err(refused(&self.path, refusal)))
    }

    /// Puts a content in its place.
    /// Where it fails, the file is as it was: it changed since it was looked at (exit 6), or the system refuses (exit
    /// 1).
    pub fn replace(&self, project: &Project, bytes: &[u8]) -> Result<(), Error> {
        let failed = |cause: &io::Error| {
            let sentence = say("Cannot write {0}; it is untouched.", "无法写入 {0}；未作改动。");
            Error::io("write-failed", sentence, &[&self.path], cause)
        };
        let replaced = match self.bytes {
            None => place(project, &self.spot, bytes).map(drop),
            Some(_) => self.exchange(project, bytes),
        };
        replaced.map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => self.changed(),
            _ => failed(&cause),
        })
    }

    /// Removes it, and the directories that are empty then.
    /// Where it fails, the file is there as it was: it changed since it was looked at (exit 6), or the system refuses (exit
    /// 1).
    pub fn remove(&self, project: &Project) -> Result<(), Error> {
        let disk = project.disk();
        let removed = || {
            let dir = open_parent(project, &self.spot.parent)?;
            self.check_unchanged(project)?;
            disk.unlink(&dir, &self.spot.name)?;
            let _ = disk.sync_dir(&dir);
            Ok(())
        };
        removed().map_err(|cause: io::Error| {
            if cause.kind() == io::ErrorKind::AlreadyExists {
                return self.changed();
            }
            let sentence = say("Cannot remove {0}; it is untouched.", "无法删除 {0}；未作改动。");
            Error::io("write-failed", sentence, &[&self.path], &cause)
        })?;
        for dir in self.spot.parent.ancestors() {
            let (Some(above), Some(name)) = (dir.parent(), dir.file_name()) else { break };
            // One that is not empty stays.
            if open_parent(project, above).and_then(|above| above.remove_dir(name)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Whether it is there and nobody may write it.
    pub fn is_read_only(&self, project: &Project) -> bool {
        let metadata = fs::metadata(project.root().join(self.spot.path()));
        self.bytes.is_some() && metadata.is_ok_and(|metadata| metadata.permissions().readonly())
    }

    /// An error of the kind [`io::ErrorKind::AlreadyExists`] if something else is there.
    fn check_unchanged(&self, project: &Project) -> io::Result<()> {
        match read_bytes(project, &project.root().join(self.spot.path())) {
            Ok(Read::Bytes(bytes, _)) if Some(&bytes) == self.bytes.as_ref() => Ok(()),
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
            _ => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    fn exchange(&self, project: &Project, bytes: &[u8]) -> io::Result<()> {
        let disk = project.disk();
        let dir = open_parent(project, &self.spot.parent)?;
        let fill = |file: &mut File| {
            disk.write(file, bytes)?;
            file.set_permissions(fs::metadata(project.root().join(self.spot.path()))?.permissions())?;
            disk.sync(file)?;
            // As late as can be.
            self.check_unchanged(project)
        };
        let written = write_temp(disk, &dir, fill, |temp| disk.rename(&dir, temp, &self.spot.name));
        let _ = disk.sync_dir(&dir);
        written.map(drop)
    }

    fn changed(&self) -> Error {
        let sentence = say(
            "{0} has changed since it was looked at; it is untouched.",
            "{0} 在查看之后发生了变化；未作改动。",
        );
        Error::new(ExitCode::Exists, "changed", sentence, &[&self.path])
    }
}

fn read(project: &Project, path: &str, spot: &Spot) -> Result<Option<Vec<u8>>, Error> {
    const TRIES: usize = 5;
    if !spot.missing.is_empty() {
        return Ok(None);
    }
    let failed = |cause: &io::Error| {
        Error::io("unreadable", say("Cannot read {0}.", "无法读取 {0}。"), &[path], cause)
    };
    for _ in 0..TRIES {
        match read_bytes(project, &project.root().join(spot.path())) {
            Ok(Read::Bytes(bytes, _)) => return Ok(Some(bytes)),
            // What is no plain file was refused.
            Ok(Read::Odd(..)) => return Err(failed(&io::ErrorKind::FileTooLarge.into())),
            Ok(Read::Changed) => {}
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(failed(&cause)),
        }
    }
    Err(failed(&io::ErrorKind::ResourceBusy.into()))
}

fn refused(path: &str, refusal: Refusal) -> Error {
    let sentence = say("{0} cannot be written. {1}", "不能写入 {0}。{2}");
    // The reasons speak of packets.
    let parts = [Lang::En, Lang::ZhCn].map(|lang| refusal.text(lang).replace("answer_path", path));
    Error::new(ExitCode::Malformed, "refused", sentence, &[path, &parts[0], &parts[1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::testing::{give_up_privileges, mode, set_mode, symlink};

    fn project() -> (tempfile::TempDir, Project) {
        let top = tempfile::tempdir().expect("a directory");
        fs::create_dir(top.path().join("book")).expect("a project");
        let project = Project::open(&top.path().join("book")).expect("a project");
        (top, project)
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn a_file_is_made_with_its_directories_and_then_replaced() {
        let (_top, project) = project();
        let snapshot = FileSnapshot::read(&project, ".claude/settings.json").expect("looked at");
        assert_eq!(snapshot.bytes, None);
        snapshot.replace(&project, b"one").expect("made");
        assert_eq!(snapshot.replace(&project, b"two").expect_err("there").kind, ExitCode::Exists);
        let path = project.root().join(".claude/settings.json");
        set_mode(&path, 0o600);
        let snapshot = FileSnapshot::read(&project, ".claude/settings.json").expect("looked at");
        assert_eq!(snapshot.bytes.as_deref(), Some(b"one".as_slice()));
        snapshot.replace(&project, b"two").expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"two");
        assert_eq!(mode(&path), 0o600);
        assert_eq!(snapshot.replace(&project, b"three").expect_err("changed").code, "changed");
        assert_eq!(fs::read(&path).expect("read"), b"two");
        let left = fs::read_dir(project.root().join(".claude")).expect("read").count();
        assert_eq!(left, 1, "nothing is left behind");
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn what_cannot_be_written_is_looked_at_all_the_same() {
        let (_top, project) = project();
        give_up_privileges();
        fs::write(project.root().join("AGENTS.md"), "x").expect("written");
        let set = |mode| set_mode(project.root(), mode);
        set(0o555);
        let all = ["AGENTS.md", ".claude/settings.json"].map(|path| {
            let seen = FileSnapshot::look(&project, path).expect("looked at");
            let error = seen.check_writable().expect_err("closed");
            assert_eq!(FileSnapshot::read(&project, path).expect_err("closed").code, error.code);
            (seen.bytes, error.code)
        });
        set(0o755);
        assert_eq!(all, [(Some(b"x".to_vec()), "refused"), (None, "refused")]);
    }

    #[test]
    fn a_file_goes_with_the_directories_it_leaves_empty() {
        let (_top, project) = project();
        FileSnapshot::read(&project, ".claude/a/b.md")
            .expect("looked at")
            .replace(&project, b"x")
            .expect("made");
        let snapshot = FileSnapshot::read(&project, ".claude/a/b.md").expect("looked at");
        fs::write(project.root().join(".claude/a/b.md"), "y").expect("written");
        assert_eq!(snapshot.remove(&project).expect_err("changed").code, "changed");
        assert_eq!(fs::read(project.root().join(".claude/a/b.md")).expect("there"), b"y");
        fs::write(project.root().join(".claude/keep"), "").expect("written");
        FileSnapshot::read(&project, ".claude/a/b.md").expect("looked at").remove(&project).expect("removed");
        assert!(!project.root().join(".claude/a").exists() && project.root().join(".claude/keep").exists());
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn a_link_inside_is_followed_and_one_that_leads_out_is_refused() {
        let (top, project) = project();
        fs::write(project.root().join("real.md"), "x").expect("written");
        symlink("real.md", project.root().join("AGENTS.md")).expect("a link");
        let link = FileSnapshot::read(&project, "AGENTS.md").expect("inside");
        link.replace(&project, b"y").expect("replaced");
        let real = project.root().join("real.md");
        assert_eq!(fs::read(&real).expect("read"), b"y");
        assert!(!link.is_read_only(&project));
        set_mode(&real, 0o444);
        assert!(link.is_read_only(&project));
        assert!(project.root().join("AGENTS.md").is_symlink());
        symlink(top.path(), project.root().join(".claude")).expect("a link");
        let error = FileSnapshot::read(&project, ".claude/settings.json").expect_err("outside");
        assert_eq!((error.kind, error.code), (ExitCode::Malformed, "refused"));
        fs::write(top.path().join("out.md"), "x").expect("written");
        symlink(top.path().join("out.md"), project.root().join("out.md")).expect("a link");
        let error = FileSnapshot::read(&project, "out.md").expect_err("outside");
        assert!(error.text(Lang::En).contains("A link in out.md leads out of the project."), "{error}");
        fs::create_dir(project.root().join("dir")).expect("a directory");
        assert_eq!(FileSnapshot::read(&project, "dir").expect_err("a directory").kind, ExitCode::Malformed);
    }
}
