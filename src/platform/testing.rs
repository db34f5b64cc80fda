//! What tests ask of the system to have something in a project that is no plain file, or a call that fails.

#[cfg(unix)]
pub(crate) use of_unix::*;
#[cfg(windows)]
pub(crate) use of_windows::*;

/// A pipe with a name. Only on Unix does one lie in a directory.
pub(crate) fn make_pipe(path: &std::path::Path) {
    assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(path).status().unwrap().success());
}

/// The number of a process that has ended.
pub(crate) fn ended() -> u32 {
    let words: &[&str] = if cfg!(unix) { &["true"] } else { &["cmd", "/c", "exit"] };
    let mut process = std::process::Command::new(words[0]).args(&words[1..]).spawn().unwrap();
    process.wait().unwrap();
    process.id()
}

#[cfg(unix)]
mod of_unix {
    use std::fs::{self, Permissions};
    use std::io;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    pub(crate) use rustix::io::Errno;
    pub(crate) use std::os::unix::fs::symlink;

    /// A socket with a name, there as long as this is held.
    pub(crate) fn bind_socket(path: impl AsRef<Path>) -> io::Result<UnixListener> {
        UnixListener::bind(path)
    }

    pub(crate) fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// The permissions, without the kind.
    pub(crate) fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    /// Has two names change places in one step, over and over.
    pub(crate) fn swap(one: &Path, other: &Path) {
        let (cwd, flags) = (rustix::fs::CWD, rustix::fs::RenameFlags::EXCHANGE);
        rustix::fs::renameat_with(cwd, one, cwd, other, flags).unwrap();
    }

    /// From here on this thread and those it starts may read only what permissions allow, even if the superuser tests.
    pub(crate) fn give_up_privileges() {
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
            let mut own = capabilities(None).unwrap();
            own.effective.remove(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
            set_capabilities(None, own).unwrap();
        }
    }
}

/// The nearest that there is. Tests whose subject is missing here say so, and are ignored.
#[cfg(windows)]
mod of_windows {
    use std::io;
    use std::os::windows::fs::{symlink_dir, symlink_file};
    use std::path::Path;
    use std::{fmt, fs};

    /// The system's number for what Unix calls so.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Errno(i32);

    impl Errno {
        pub(crate) const NOENT: Errno = Errno(2);
        pub(crate) const MFILE: Errno = Errno(4);
        pub(crate) const ACCESS: Errno = Errno(5);
        pub(crate) const NOMEM: Errno = Errno(8);
        pub(crate) const ROFS: Errno = Errno(19);
        pub(crate) const STALE: Errno = Errno(64);
        pub(crate) const INVAL: Errno = Errno(87);
        pub(crate) const PIPE: Errno = Errno(109);
        pub(crate) const NOSPC: Errno = Errno(112);
        pub(crate) const NAMETOOLONG: Errno = Errno(206);
        pub(crate) const NOTDIR: Errno = Errno(267);
        pub(crate) const IO: Errno = Errno(1117);
        pub(crate) const DQUOT: Errno = Errno(1295);
        pub(crate) const PERM: Errno = Errno(1314);
        pub(crate) const NFILE: Errno = Errno(1450);
        pub(crate) const LOOP: Errno = Errno(1921);

        pub(crate) fn raw_os_error(self) -> i32 {
            self.0
        }
    }

    impl fmt::Display for Errno {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            io::Error::from(*self).fmt(f)
        }
    }

    impl From<Errno> for io::Error {
        fn from(errno: Errno) -> io::Error {
            io::Error::from_raw_os_error(errno.0)
        }
    }

    /// Links need a right here that few have.
    pub(crate) fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
        let (target, link) = (target.as_ref(), link.as_ref());
        let is_dir = link.parent().is_some_and(|dir| dir.join(target).is_dir());
        if is_dir { symlink_dir(target, link) } else { symlink_file(target, link) }
    }

    pub(crate) fn bind_socket(_: impl AsRef<Path>) -> io::Result<fs::File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn swap(_: &Path, _: &Path) {
        unreachable!("names change places in steps here")
    }

    /// Whether it may be written is all that there is.
    pub(crate) fn set_mode(path: &Path, mode: u32) {
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(mode & 0o200 == 0);
        fs::set_permissions(path, permissions).unwrap();
    }

    pub(crate) fn mode(path: &Path) -> u32 {
        if fs::metadata(path).unwrap().permissions().readonly() { 0o444 } else { 0o644 }
    }

    pub(crate) fn give_up_privileges() {}
}
