use super::*;
use crate::platform::testing::{bind_socket, make_pipe, symlink};
use crate::store::testing::Sandbox;
use crate::text::Lang;

fn refused(book: &Sandbox, path: &str) -> Option<Refusal> {
    refusal(&book.project, &path.into(), &book.at("packet.json"), None)
}

fn missing(book: &Sandbox, path: &str) -> bool {
    resolve(&book.project, &path.into()) == Ok(None)
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn ordinary_places_are_writable() {
    let book = Sandbox::new();
    book.put("staging/real/keep", "");
    symlink("staging/real", book.at("link")).unwrap();
    symlink(book.at("staging"), book.at("absolute")).unwrap();
    book.put("answered.json", "not even a record");
    for path in [
        "a.json",
        "./a//b/../c".trim_end_matches("/../c"),
        "new/dirs/a.json",
        "link/a.json",
        "absolute/real/new/a.json",
        "a\\b.json",
        "-rf/--x.json",
        "no ending",
        ".hidden",
        "x.git/a",
        ".gitignore",
        "a/.checkpoint.json",
        "answered.json",
        "a/.",
        "\u{202e}nosj.a",
        "C:\\CON",
    ] {
        assert_eq!(refused(&book, path), None, "{path:?}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "there no socket lies in a directory")]
fn every_other_place_is_refused_with_its_own_reason() {
    let book = Sandbox::new();
    book.put("dir/file", "");
    book.put(".git/config", "");
    book.put("packet.json", "{}");
    fs::hard_link(book.at("packet.json"), book.at("other-name.json")).unwrap();
    book.put(".checkpoint.json", "{}");
    symlink("gone", book.at("dangling")).unwrap();
    symlink("loop", book.at("loop")).unwrap();
    symlink("/", book.at("out")).unwrap();
    symlink("/etc/hostname", book.at("out-file")).unwrap();
    symlink(".git", book.at("sly")).unwrap();
    symlink(".checkpoint.json", book.at("sly.json")).unwrap();
    make_pipe(&book.at("fifo"));
    let _socket = bind_socket(book.at("socket")).unwrap();
    let long = "x".repeat(256);
    let deep = "y/".repeat(2_100) + "a.json";
    let cases = [
        (".", Refusal::Directory),
        ("dir", Refusal::Directory),
        ("dir/", Refusal::Directory),
        ("new/", Refusal::TrailingSlash),
        ("dir/file/", Refusal::TrailingSlash),
        ("dangling", Refusal::DanglingLink),
        ("dangling/a.json", Refusal::DanglingLink),
        ("loop", Refusal::LinkLoop),
        ("loop/a.json", Refusal::LinkLoop),
        ("out/tmp/a.json", Refusal::Outside),
        ("out-file", Refusal::Outside),
        ("fifo", Refusal::Fifo),
        ("socket", Refusal::Socket),
        ("a\0b", Refusal::Nul),
        (long.as_str(), Refusal::NameTooLong),
        (deep.as_str(), Refusal::PathTooLong),
        ("dir/file/a.json", Refusal::ParentIsFile),
        (".git", Refusal::Git),
        (".git/a.json", Refusal::Git),
        (".git/config", Refusal::Git),
        ("sub/.git/hooks/a", Refusal::Git),
        (".GIT/config", Refusal::Git),
        ("sub/.Git /a", Refusal::Git),
        (".git./a", Refusal::Git),
        (".g\u{200c}it/a", Refusal::Git),
        (".Checkpoint.json", Refusal::Checkpoint),
        (".NOVEL.LOCK", Refusal::Lock),
        ("sly/a.json", Refusal::Git),
        (".checkpoint.json", Refusal::Checkpoint),
        ("./.checkpoint.json", Refusal::Checkpoint),
        ("sly.json", Refusal::Checkpoint),
        (".novel.lock", Refusal::Lock),
        (".novel.lock/owner", Refusal::Lock),
        ("staging/x.packet.json", Refusal::Packet),
        ("packet.json", Refusal::Packet),
        ("other-name.json", Refusal::Packet),
    ];
    for (path, reason) in cases {
        assert_eq!(refused(&book, path), Some(reason), "{:?}", &path[..path.len().min(40)]);
        assert!(!reason.text(Lang::En).is_empty() && reason.text(Lang::En) != reason.text(Lang::ZhCn));
    }
}

#[test]
fn what_a_disk_takes_for_another_name_is_refused_like_it() {
    let book = Sandbox::new();
    for (path, reason) in [
        ("a/GIT~1/x.json", Refusal::Git),
        ("staging/A.PACKET.Json", Refusal::Packet),
        ("staging/a.packet.json. ", Refusal::Packet),
    ] {
        let is_another_on_windows = cfg!(windows) && path.ends_with(' ');
        let reason = if is_another_on_windows { Refusal::WindowsName } else { reason };
        assert_eq!(refused(&book, path), Some(reason), "{path}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn whatever_node_cannot_look_at_is_missing() {
    let book = Sandbox::new();
    book.put("file", "");
    symlink("loop", book.at("loop")).unwrap();
    symlink("gone", book.at("dangling")).unwrap();
    let long = "x".repeat(256);
    for path in
        ["gone", "file/a", "file/", "loop", "loop/a", "dangling", "dangling/a", "a\0b", "a\0b/c", &long]
    {
        assert!(missing(&book, path), "{path:?}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn links_out_of_the_project_are_malformed() {
    let book = Sandbox::new();
    let evil = book.top().join("book-evil");
    fs::create_dir(&evil).unwrap();
    symlink(&evil, book.at("link")).unwrap();
    symlink("..", book.at("up")).unwrap();
    for path in ["link", "link/a.json", "link/x/y/a.json", "up/book-evil", "up"] {
        let problem = resolve(&book.project, &path.into()).unwrap_err();
        assert_eq!(*problem, outside(&path.into()).at("/answer_path"), "{path}");
    }
    // Out and back in again is inside.
    assert!(missing(&book, "up/book/a.json"));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn dots_in_a_link_are_taken_by_their_letters_as_node_does() {
    let book = Sandbox::new();
    fs::create_dir_all(book.at("b")).unwrap();
    fs::create_dir_all(book.at("d")).unwrap();
    symlink("..", book.at("d/a")).unwrap();
    // The system goes d/a -> the root -> above it; Node reads `d/a/..` as `d`.
    symlink("a/..", book.at("d/d")).unwrap();
    assert!(missing(&book, "d/d/gone.json"));
    assert_eq!(refused(&book, "d/d/gone.json"), Some(Refusal::Outside));
    fs::write(book.top().join("there.json"), "").unwrap();
    let fault = resolve(&book.project, &"d/d/there.json".into()).unwrap_err();
    assert_eq!(
        *fault,
        outside(&"d/d/there.json".into()).at("/answer_path"),
        "the system finds it, Node does not"
    );
}

/// The system takes `..` by the directories and finds a file; by its letters the link leads to itself, again and again.
#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_link_that_goes_round_by_its_letters_alone_comes_to_an_end() {
    let book = Sandbox::new();
    book.put("other/dir/keep", "");
    book.put("other/a.json", "{}");
    symlink("other/dir", book.at("b")).unwrap();
    symlink("b/../a.json", book.at("a.json")).unwrap();
    assert!(book.at("a.json").is_file());
    let refused = resolve(&book.project, &"a.json".into()).unwrap_err();
    assert_eq!(refused.code, crate::ask::ProblemCode::OutsideProject);
}
