use super::*;
use crate::store::testing::Sandbox;
use std::fs;

#[test]
fn the_checkpoint_wins_over_a_nearer_staging() {
    let book = Sandbox::new();
    book.put("sub/staging/x.json", "{}");
    book.put("sub/deep/keep", "");
    let found = |cwd: &str| Project::find(None, &book.at(cwd)).map(|project| project.root().to_path_buf());
    assert_eq!(found("sub/deep"), Ok(book.at("sub")));
    book.put(".checkpoint.json", "{}");
    assert_eq!(found("sub/deep"), Ok(book.project.root().to_path_buf()));
    let none = Project::find(None, book.top()).map(|project| project.root().to_path_buf());
    assert_eq!(none.unwrap_err().kind, ExitCode::Usage);
}

#[test]
fn a_named_project_needs_no_marks_but_must_be_a_directory() {
    let book = Sandbox::new();
    book.put("file", "");
    let named = |path: &str| Project::find(Some(Path::new(path)), book.project.root());
    assert_eq!(named(".").unwrap().root(), book.project.root());
    assert_eq!(named("./").unwrap().name(), "book");
    assert_eq!(named("file").unwrap_err().kind, ExitCode::Usage);
    assert_eq!(named("gone").unwrap_err().code, "no-project");
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_root_that_went_or_was_replaced_is_told_from_the_one_that_is_held() {
    let book = Sandbox::new();
    let (root, away) = (book.project.root().to_path_buf(), book.top().join("away"));
    assert_eq!(book.project.root_state(), RootState::There);
    fs::rename(&root, &away).unwrap();
    assert_eq!(book.project.root_state(), RootState::Gone);
    fs::write(&root, "no directory").unwrap();
    assert_eq!(book.project.root_state(), RootState::Gone);
    fs::remove_file(&root).unwrap();
    fs::create_dir(&root).unwrap();
    assert_eq!(book.project.root_state(), RootState::Replaced);
    fs::remove_dir(&root).unwrap();
    fs::rename(&away, &root).unwrap();
    assert_eq!(book.project.root_state(), RootState::There);
}
