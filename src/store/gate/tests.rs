use super::*;
use crate::exit::ExitCode;
use crate::platform::testing::{bind_socket, make_pipe, symlink};
use crate::store::testing::{Sandbox, gate, look_while, packet_json, record};
use std::fs::{self, File};

#[test]
fn each_state_follows_from_packet_and_record() {
    let book = Sandbox::new();
    let packet = book.put_packet("a.json");
    let status = || load(&book.project, &packet).unwrap().status();
    assert_eq!(status(), Status::Waiting);
    book.put("a.json", "");
    assert_eq!(status(), Status::Blocked);
    book.put("a.json", record("x").to_json());
    assert_eq!(status(), Status::Answered);
    book.put_packet("../a.json");
    assert!(matches!(load(&book.project, &packet), Err(LoadFault::Malformed(_))));
    fs::write(&packet, "{}").unwrap();
    assert_eq!(status(), Status::NoGate);
}

#[test]
#[cfg_attr(windows, ignore = "there no socket lies in a directory")]
fn what_is_no_regular_file_is_malformed_and_never_waited_for() {
    let book = Sandbox::new();
    make_pipe(&book.at("fifo"));
    let _socket = bind_socket(book.at("socket")).unwrap();
    File::create(book.at("big")).unwrap().set_len(crate::store::SIZE_LIMIT + 1).unwrap();
    for name in ["fifo", "socket", "big", "."] {
        let fault = load(&book.project, &book.at(name)).unwrap_err();
        assert!(matches!(&fault, LoadFault::Malformed(problems) if problems.len() == 1), "{name}: {fault:?}");
        assert_eq!(fault.error().kind, ExitCode::Malformed);
    }
    let gone = load(&book.project, &book.at("gone")).unwrap_err().error();
    assert_eq!((gone.kind, gone.code), (ExitCode::Failed, "no-packet"));
}

#[test]
fn the_record_itself_is_no_output() {
    let book = Sandbox::new();
    let packet = packet_json("dir/a.json").replacen(
        '{',
        r#"{"expected_outputs": ["dir//./a.json", {"path": "made.md", "required": true}, "/etc/hostname", "gone.md"],"#,
        1,
    );
    book.put("made.md", "");
    let path = book.put("p.json", packet);
    let outputs = load(&book.project, &path).unwrap().outputs(&book.project);
    let seen: Vec<(&str, bool, bool)> = outputs
        .iter()
        .map(|output| (output.path.as_str().unwrap(), output.required, output.modified.is_some()))
        .collect();
    assert_eq!(seen, [("made.md", true, true), ("/etc/hostname", false, false), ("gone.md", false, false)]);
}

#[test]
fn the_hash_follows_what_is_asked() {
    let spec = gate("a").spec;
    let mut other = (*spec).clone();
    assert_eq!(spec_hash(&other), spec_hash(&spec));
    other.questions[0].required = false;
    assert_ne!(spec_hash(&other), spec_hash(&spec));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_record_that_comes_and_goes_is_there_or_missing_and_never_outside() {
    let book = Sandbox::new();
    fs::create_dir(book.at("real")).unwrap();
    symlink("real", book.at("linked")).unwrap();
    for path in ["a.json", "real/a.json", "linked/a.json"] {
        let (packet, file) = (book.put_packet(path), book.at(path));
        let change = || {
            fs::write(&file, "[]").unwrap();
            fs::remove_file(&file).unwrap();
        };
        look_while(1_000, change, || {
            let loaded = load(&book.project, &packet).unwrap();
            assert!(matches!(loaded.status(), Status::Waiting | Status::Blocked), "{path}");
            assert_eq!(loaded.refusal, None, "{path}");
        });
    }
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_record_whose_directory_comes_and_goes_is_there_or_missing_and_never_outside() {
    let book = Sandbox::new();
    let packet = book.put_packet("one/two/a.json");
    let change = || {
        book.put("one/two/a.json", "[]");
        fs::remove_dir_all(book.at("one")).unwrap();
    };
    look_while(1_000, change, || {
        let loaded = load(&book.project, &packet).unwrap();
        assert!(matches!(loaded.status(), Status::Waiting | Status::Blocked));
        assert_eq!(loaded.refusal, None);
    });
}
