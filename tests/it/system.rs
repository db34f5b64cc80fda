//! What the tests ask of the system: signals, links, permissions, pipes.
//!
//! Windows has the nearest that there is. A test whose subject is missing there says so, and is ignored there.

#[cfg(unix)]
pub(crate) use of_unix::*;
#[cfg(windows)]
pub(crate) use of_windows::*;

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// Sets when a file or directory was last written.
pub(crate) fn set_written(path: &Path, time: SystemTime) {
    open_to_set(path).and_then(|file| file.set_modified(time)).expect("set");
}

/// A pipe with a name. Only on Unix does one lie in a directory.
pub(crate) fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").args(["-m", "600"]).arg(path).status().expect("mkfifo").success());
}

#[cfg(unix)]
mod of_unix {
    use std::fs::{self, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    use std::path::Path;

    pub(crate) use rustix::process::{Pid, Signal, kill_process};
    pub(crate) use std::os::unix::fs::symlink;
    pub(crate) use std::os::unix::process::parent_id;

    pub(super) fn open_to_set(path: &Path) -> io::Result<fs::File> {
        fs::File::open(path)
    }

    pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        fs::set_permissions(path, Permissions::from_mode(mode))
    }

    pub(crate) fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o7777
    }

    /// Waits for nobody at the other end of a pipe.
    pub(crate) fn unwaiting(options: &mut OpenOptions) -> &mut OpenOptions {
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
    }

    /// From here on this thread and those it starts may read only what permissions allow, even if the superuser tests.
    pub(crate) fn give_up_privileges() {
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
            let mut own = capabilities(None).expect("known");
            own.effective.remove(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
            set_capabilities(None, own).expect("given up");
        }
    }
}

#[cfg(windows)]
mod of_windows {
    use std::fs::{self, OpenOptions};
    use std::io;
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::os::windows::fs::{symlink_dir, symlink_file};
    use std::path::Path;
    use std::process::{Child, Command};

    /// A directory, too, and only what the system knows of it.
    pub(super) fn open_to_set(path: &Path) -> io::Result<fs::File> {
        const ATTRIBUTES: u32 = 0x0100;
        const BACKUP_SEMANTICS: u32 = 0x0200_0000;
        OpenOptions::new().access_mode(ATTRIBUTES).custom_flags(BACKUP_SEMANTICS).open(path)
    }

    /// Those that have a name in a test.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[expect(clippy::upper_case_acronyms, reason = "they are called so")]
    pub(crate) enum Signal {
        INT,
        HUP,
        TERM,
        KILL,
        STOP,
        CONT,
    }

    /// The number of a process.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Pid(u32);

    impl Pid {
        pub(crate) fn from_raw(number: i32) -> Option<Pid> {
            u32::try_from(number).ok().map(Pid)
        }

        pub(crate) fn from_child(child: &Child) -> Pid {
            Pid(child.id())
        }

        pub(crate) fn as_raw_pid(self) -> i32 {
            self.0.cast_signed()
        }
    }

    /// A program can be killed and not asked anything.
    pub(crate) fn kill_process(Pid(pid): Pid, signal: Signal) -> io::Result<()> {
        if signal != Signal::KILL {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Command::new("taskkill").args(["/F", "/PID", &pid.to_string()]).output().map(drop)
    }

    /// Of another process that runs.
    pub(crate) fn parent_id() -> u32 {
        4
    }

    /// Links need a right here that few have.
    pub(crate) fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
        let (target, link) = (target.as_ref(), link.as_ref());
        let is_dir = link.parent().is_some_and(|dir| dir.join(target).is_dir());
        if is_dir { symlink_dir(target, link) } else { symlink_file(target, link) }
    }

    /// Whether it may be written is all that there is.
    pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        let mut permissions = fs::metadata(path)?.permissions();
        permissions.set_readonly(mode & 0o200 == 0);
        fs::set_permissions(path, permissions)
    }

    pub(crate) fn mode(path: &Path) -> u32 {
        if fs::symlink_metadata(path).expect("it is there").permissions().readonly() { 0o555 } else { 0o755 }
    }

    pub(crate) fn unwaiting(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(crate) fn give_up_privileges() {}
}
