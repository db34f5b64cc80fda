//! Private copies in the system's temporary directory, gone when they are dropped: the throw-away project of `demo`, and the
//! text that the author's editor is given.

use crate::error::Error;
use crate::platform::files::private_dir;
use crate::text::say;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tempfile::{NamedTempFile, TempDir};

/// Unpacks files, each with its path relative to the new directory, its bytes and how long ago it was written.
pub fn unpack(files: &[(String, &[u8], Duration)]) -> Result<TempDir, Error> {
    let unpack = || {
        let dir = tempfile::Builder::new().prefix("novel-gate-demo-").permissions(private_dir()).tempdir()?;
        let now = SystemTime::now();
        for (path, bytes, age) in files {
            let target = dir.path().join(path);
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut file = fs::File::create(target)?;
            file.write_all(bytes)?;
            file.set_modified(now - *age)?;
        }
        Ok(dir)
    };
    unpack().map_err(|cause| {
        let sentence = say("Cannot make a temporary copy of the samples.", "无法建立样例的临时副本。");
        Error::io("no-temporary-copy", sentence, &[], &cause)
    })
}

/// A text lent to another program.
#[derive(Debug)]
pub struct Lent {
    file: NamedTempFile,
}

impl Lent {
    /// Puts the text into a file of its own, readable by the user only. By the ending of its name, such as `.md`, editors
    /// know what it is.
    pub fn new(text: &str, ending: &str) -> std::io::Result<Lent> {
        let mut file = tempfile::Builder::new().prefix("novel-gate-").suffix(ending).tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        Ok(Lent { file })
    }

    pub fn path(&self) -> PathBuf {
        self.file.path().to_path_buf()
    }

    /// The text as it is now. Editors often replace the file, so it is read by its name. What is no UTF-8 stays in its file,
    /// whose path is the error; without one the file cannot be read.
    pub fn take(self) -> Result<String, Option<PathBuf>> {
        let bytes = fs::read(self.file.path()).map_err(|_| None)?;
        String::from_utf8(bytes).map_err(|_| self.file.keep().ok().map(|(_, path)| path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::ExitCode;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_copy_that_cannot_be_made_is_said() {
        let file = |path: &str| (path.to_owned(), b"text".as_slice(), Duration::ZERO);
        let error = unpack(&[file("a"), file("a/b.md")]).unwrap_err();
        assert_eq!((error.kind, error.code), (ExitCode::Failed, "no-temporary-copy"));
        assert!(
            error.to_string().starts_with("Cannot make a temporary copy of the samples. Cause: "),
            "{error}"
        );
    }

    #[test]
    fn a_text_in_another_encoding_stays_in_its_file() {
        let lent = Lent::new("text", ".md").unwrap();
        fs::write(lent.path(), "雨").unwrap();
        assert_eq!(lent.take(), Ok("雨".to_owned()));
        let lent = Lent::new("text", ".md").unwrap();
        let path = lent.path();
        fs::write(&path, b"\xd3\xea").unwrap();
        assert_eq!(lent.take(), Err(Some(path.clone())));
        assert_eq!(fs::read(&path).unwrap(), b"\xd3\xea");
        fs::remove_file(path).unwrap();
        let lent = Lent::new("text", ".md").unwrap();
        fs::remove_file(lent.path()).unwrap();
        assert_eq!(lent.take(), Err(None));
    }

    #[test]
    fn a_copy_is_for_its_owner_alone_and_gone_afterwards() {
        let copy = unpack(&[("a/b.md".to_owned(), b"text".as_slice(), Duration::ZERO)]).unwrap();
        let lent = Lent::new("text", ".md").unwrap();
        let places = [copy.path().to_path_buf(), lent.path()];
        let mode = |path: &PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(places.each_ref().map(mode), [0o700, 0o600]);
        assert_eq!(fs::read(copy.path().join("a/b.md")).unwrap(), b"text");
        drop((copy, lent));
        assert!(!places.iter().any(|path| path.exists()));
    }
}
