use super::*;
use crate::store::testing::Sandbox;

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
fn the_packet_of_a_record_is_found() {
    let book = Sandbox::new();
    let packet = book.put_packet("staging/answers/a.json");
    let record = book.put("staging/answers/a.json", "torn");
    assert_eq!(book.project.packet_asking_for(&record), Some(packet));
    assert_eq!(book.project.packet_asking_for(&book.put("other.json", "torn")), None);
}

#[test]
fn a_record_is_never_taken_for_the_packet_of_its_step() {
    let book = Sandbox::new();
    book.put("staging/answers/chapter-001-draft.json", r#"{"version": 1, "step": "chapter:001:draft"}"#);
    let locate = |name: &str| book.project.locate_packet(Path::new(name), book.project.root());
    for name in ["chapter:001:draft", "chapter-001-draft", "chapter-001-draft.json"] {
        assert_eq!(locate(name).unwrap_err().code, "no-packet", "{name}");
    }
    let packet = book.put(
        "staging/other.json",
        r#"{"step": "chapter:001:draft", "novel_ask": null, "answer_path": "staging/answers/chapter-001-draft.json"}"#,
    );
    assert_eq!(locate("chapter:001:draft"), Ok(packet.clone()));
    assert_eq!(locate("other"), Ok(packet));
}

#[test]
fn a_packet_that_is_no_regular_file_goes_by_its_stem_too() {
    let book = Sandbox::new();
    book.put("staging/keep", "");
    let socket = book.at("staging/odd.packet.json");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_eq!(book.project.locate_packet(Path::new("odd"), book.top()), Ok(socket));
}

#[test]
fn a_root_that_went_or_was_replaced_is_told_from_the_one_that_is_held() {
    let book = Sandbox::new();
    let (root, away) = (book.project.root().to_path_buf(), book.top().join("away"));
    assert_eq!(book.project.standing(), Standing::There);
    fs::rename(&root, &away).unwrap();
    assert_eq!(book.project.standing(), Standing::Gone);
    fs::write(&root, "no directory").unwrap();
    assert_eq!(book.project.standing(), Standing::Gone);
    fs::remove_file(&root).unwrap();
    fs::create_dir(&root).unwrap();
    assert_eq!(book.project.standing(), Standing::Replaced);
    fs::remove_dir(&root).unwrap();
    fs::rename(&away, &root).unwrap();
    assert_eq!(book.project.standing(), Standing::There);
}

#[test]
fn a_mistyped_name_is_answered_with_the_nearest_path_stem_or_step() {
    let book = Sandbox::new();
    book.put_packet("staging/answers/a.json");
    book.put("staging/answers/chapter-001-drift.json", r#"{"answers": {}}"#);
    let hint = |name: &str| {
        let error = book.project.locate_packet(Path::new(name), book.project.root()).unwrap_err();
        assert_eq!((error.code, error.kind), ("no-packet", ExitCode::Failed), "{name}");
        error.hint.unwrap().text(crate::text::Lang::En)
    };
    for (name, near) in [
        ("chapter:01:draft", "chapter:001:draft"),
        ("Chapter:001:Draft ", "chapter:001:draft"),
        ("stp", "step"),
        ("steps.packet.json", "step.packet.json"),
        ("staging/manifest/step.packet.json", "staging/manifests/step.packet.json"),
    ] {
        assert_eq!(hint(name), format!("Did you mean {near}?"));
    }
    for name in ["volume:outline:for:all", "/nowhere"] {
        assert!(hint(name).starts_with("Give a path"), "{name}");
    }
}
