use super::*;
use crate::platform::testing::{give_up_privileges, set_mode};
use crate::store::testing::{Sandbox, packet_json};
use crate::text::Lang;
use std::io;

#[test]
fn the_packet_of_a_record_is_found() {
    let book = Sandbox::new();
    let asking = book.put_packet("staging/answers/a.json");
    let record = book.put("staging/answers/a.json", "torn");
    assert_eq!(packet_asking_for(&book.project, &record), Some(asking));
    assert_eq!(packet_asking_for(&book.project, &book.put("other.json", "torn")), None);
}

#[test]
fn a_record_is_never_taken_for_the_packet_of_its_step() {
    let book = Sandbox::new();
    book.put("staging/answers/chapter-001-draft.json", r#"{"version": 1, "step": "chapter:001:draft"}"#);
    let locate = |name: &str| packet(&book.project, Path::new(name), book.project.root());
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
fn a_step_is_not_another_one_that_has_its_file() {
    let book = Sandbox::new();
    let locate = |name: &str| packet(&book.project, Path::new(name), book.project.root());
    let put = |name: &str, step: &str| {
        let text = packet_json("staging/a.json").replace("chapter:001:draft", step);
        book.put(&format!("staging/manifests/{name}.packet.json"), text)
    };
    let own = put("chapter-001-draft", "chapter:001:judge");
    assert_eq!(locate("chapter:001:draft").unwrap_err().code, "no-packet");
    assert_eq!(locate("chapter-001-draft"), Ok(own), "a file goes by its name");
    let elsewhere = put("other", "chapter:001:draft");
    assert_eq!(locate("chapter:001:draft"), Ok(elsewhere));
    let own = put("chapter-001-draft", "chapter:001:draft");
    assert_eq!(locate("chapter:001:draft"), Ok(own.clone()), "its own file first");
    let torn = book.put("staging/manifests/chapter-001-draft.packet.json", "{");
    assert_eq!(locate("chapter:001:draft"), Ok(torn), "what says nothing of its step goes by its name");
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn what_may_not_be_read_says_so_and_not_that_there_is_no_packet() {
    give_up_privileges();
    let book = Sandbox::new();
    let file = book.put_packet("staging/answers/a.json");
    let denied = Some(crate::error::io_cause(&io::ErrorKind::PermissionDenied.into()).into());
    for (unread, code) in [
        (book.at("staging"), "staging-unreadable"),
        (book.at("staging/manifests"), "staging-unreadable"),
        (file.clone(), "unreadable"),
    ] {
        set_mode(&unread, 0o000);
        let error = packet(&book.project, Path::new("no:such:step"), book.top()).unwrap_err();
        set_mode(&unread, 0o755);
        assert_eq!((error.code, &error.cause), (code, &denied), "{}", unread.display());
        let said =
            format!("{error} {}", error.hint.as_ref().map(|hint| hint.text(Lang::En)).unwrap_or_default());
        assert!(said.contains("the packet no:such:step"), "{said}");
    }
    let error = packet(&book.project, Path::new("no:such:step"), book.top()).unwrap_err();
    assert_eq!(error.code, "no-packet");
}

#[test]
#[cfg_attr(windows, ignore = "there no socket lies in a directory")]
fn a_packet_that_is_no_regular_file_goes_by_its_stem_too() {
    let book = Sandbox::new();
    book.put("staging/keep", "");
    let socket = book.at("staging/odd.packet.json");
    let _listener = crate::platform::testing::bind_socket(&socket).unwrap();
    assert_eq!(packet(&book.project, Path::new("odd"), book.top()), Ok(socket));
}

#[test]
fn a_mistyped_name_is_answered_with_the_nearest_path_stem_or_step() {
    let book = Sandbox::new();
    book.put_packet("staging/answers/a.json");
    book.put("staging/answers/chapter-001-drift.json", r#"{"answers": {}}"#);
    let hint = |name: &str| {
        let error = packet(&book.project, Path::new(name), book.project.root()).unwrap_err();
        assert_eq!((error.code, error.kind), ("no-packet", ExitCode::Failed), "{name}");
        error.hint.unwrap().text(Lang::En)
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
