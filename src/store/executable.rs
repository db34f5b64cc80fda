//! Where a program lies that is called by its name.

use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The file that a shell would run for a name, with this `PATH`.
pub fn find(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let files = std::env::split_paths(path?).map(|dir| dir.join(name));
    files.into_iter().find(|file| file.is_file() && access(file, Access::EXEC_OK).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_can_be_run_is_found_and_nothing_else() {
        let top = tempfile::tempdir().expect("a directory");
        for (dir, mode) in [("a", None), ("b", Some(0o644)), ("c", Some(0o755))] {
            let file = top.path().join(dir).join("prog");
            fs::create_dir_all(if mode.is_some() { file.parent().expect("one") } else { &file })
                .expect("made");
            if let Some(mode) = mode {
                fs::write(&file, "x").expect("written");
                fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set");
            }
        }
        let path = |dirs: &[&str]| {
            std::env::join_paths(dirs.iter().map(|dir| top.path().join(dir))).expect("a PATH")
        };
        let found = find("prog", Some(&path(&["none", "a", "b", "c"])));
        assert_eq!(found, Some(top.path().join("c/prog")));
        assert_eq!(find("prog", Some(&path(&["a", "b"]))), None);
        assert_eq!(find("prog", None), None);
    }
}
