//! A private copy in the system's temporary directory, gone when it is dropped: the throw-away project of `demo`.

use crate::error::Error;
use crate::platform::files::private_dir;
use crate::text::say;
use std::fs;
use std::io::Write as _;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Unpacks files, each with its path relative to the new directory, its bytes and how long ago it was written.
pub fn unpack(files: &[(String, &[u8], Duration)]) -> Result<TempDir, Error> {
    let unpack = || {
        let dir = private_dir(tempfile::Builder::new().prefix("novel-gate-demo-")).tempdir()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::ExitCode;
    use crate::platform::testing::mode;

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
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn a_copy_is_for_its_owner_alone_and_gone_afterwards() {
        let copy = unpack(&[("a/b.md".to_owned(), b"text".as_slice(), Duration::ZERO)]).unwrap();
        let place = copy.path().to_path_buf();
        assert_eq!(mode(&place), 0o700);
        assert_eq!(fs::read(copy.path().join("a/b.md")).unwrap(), b"text");
        drop(copy);
        assert!(!place.exists());
    }
}
