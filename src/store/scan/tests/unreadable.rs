//! What cannot be read: what was known of it stays, it is said, and it is tried again.

use super::*;

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_directory_that_may_not_be_read_is_not_passed_over_in_silence() {
    let mut house = Tree::new();
    house.write("staging/open/one.packet.json", &packet("one", RECORD));
    house.write("staging/barred/two.packet.json", &packet("two", "staging/novel-ask/two.json"));
    let barred = house.root.join("staging/barred");
    set_mode(&barred, 0o000);
    // The superuser may read everything.
    let readable = fs::read_dir(&barred).is_ok();
    house.look();
    let (mut list, cut) = (house.list(), house.scanner.is_cut());
    set_mode(&barred, 0o755);
    let both = ["one Waiting", "two Waiting"];
    list.sort();
    assert_eq!(list, if readable { &both[..] } else { &both[..1] });
    assert_eq!(cut, !readable);
    house.write("staging/barred/two.packet.json", &packet("two", "staging/novel-ask/two.json"));
    house.look_now();
    let mut list = house.list();
    list.sort();
    assert_eq!(list, both);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_directory_that_cannot_be_read_keeps_what_was_known_and_is_looked_at_again() {
    // Not to be listed; to be listed, but its files not to be looked at.
    for mode in [0o000, 0o300, 0o444] {
        for look in 0..3 {
            let mut house = with_two_directories();
            let before = house.list();
            house.write("staging/b/two.packet.json", &packet("two again", "staging/two.json"));
            house.write("staging/b/four.packet.json", &packet("four", "staging/four.json"));
            let barred = house.root.join("staging/b");
            set_mode(&barred, mode);
            for again in 0..2 {
                match look {
                    0 => house.look(),
                    1 => house.rescan(),
                    _ => house.look_now(),
                };
                // Through a directory that cannot be listed its files may still be read.
                let list: Vec<String> = house.list().iter().map(|line| line.replace(" again", "")).collect();
                let kept = before.iter().all(|line| list.contains(line));
                assert!(kept, "{mode:o} {look} {again}: {list:?}");
            }
            set_mode(&barred, 0o755);
            house.now = SystemTime::now() + Duration::from_hours(1);
            house.look();
            let want = ["four Waiting", "one Waiting", "three Waiting", "two again Waiting"];
            assert_eq!(house.sorted(), want, "{mode:o} {look}");
            assert!(!house.scanner.is_cut());
            assert_eq!(house.look(), Outcome::default());
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_directory_that_cannot_be_read_at_first_is_found_later() {
    for barred in ["staging", "staging/b", "staging/b/c"] {
        let known = with_two_directories();
        let barred = known.root.join(barred);
        set_mode(&barred, 0o000);
        let scanner = Scanner::new(Arc::clone(&known.scanner.project));
        let mut house = Tree { scanner, ..known };
        house.look();
        assert!(house.scanner.is_cut() && house.list().len() < 3);
        let trouble = house.scanner.trouble().map(|trouble| trouble.text(Lang::En));
        assert!(
            trouble.is_some_and(|told| told.ends_with("permission denied. Make it readable for yourself."))
        );
        house.look_now();
        set_mode(&barred, 0o755);
        assert!(house.look().changed);
        assert_eq!(house.list().len(), 3);
        assert!(!house.scanner.is_cut());
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_directory_that_is_not_there_is_forgotten() {
    let mut house = with_two_directories();
    fs::remove_dir_all(house.root.join("staging/b")).unwrap();
    house.write("staging/b", "a file");
    assert!(house.look_now().changed);
    house.look();
    assert_eq!(house.list(), ["one Waiting"]);
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(house.root.join("staging/a"), house.root.join("a")).unwrap();
    symlink(elsewhere.path(), house.root.join("staging/a")).unwrap();
    house.look();
    assert_eq!(house.list(), Vec::<String>::new());
    assert!(!house.scanner.is_cut());
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_link_that_cannot_be_followed_for_a_while_keeps_what_was_known() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write("outer/kept/one.packet.json", &packet("one", "staging/one.json"));
    symlink("../outer/kept", house.root.join("staging/linked")).unwrap();
    house.look();
    let barred = house.root.join("outer");
    set_mode(&barred, 0o000);
    house.rescan();
    assert_eq!(house.list(), ["one Waiting"]);
    house.write("staging/two.packet.json", &packet("two", "staging/two.json"));
    house.look();
    assert_eq!(house.sorted(), ["one Waiting", "two Waiting"]);
    set_mode(&barred, 0o755);
    house.write("outer/kept/one.packet.json", &packet("one again", "staging/one.json"));
    house.look();
    assert_eq!(house.sorted(), ["one again Waiting", "two Waiting"]);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_file_that_cannot_be_read_keeps_what_was_known_for_a_while() {
    let mut house = with_two_directories();
    let file = house.root.join("staging/a/one.packet.json");
    set_mode(&file, 0o000);
    let outcome = house.look_now();
    assert_eq!(house.sorted(), ["one Waiting*", "three Waiting", "two Waiting"]);
    assert!(outcome.next.is_some_and(|next| next <= house.now + Duration::from_secs(1)));
    house.now += PACKET_PATIENCE;
    let outcome = house.look();
    assert_eq!(house.sorted(), ["one Malformed", "three Waiting", "two Waiting"]);
    // It may become readable without a trace.
    house.now = outcome.next.expect("another look");
    assert!(house.look().next.is_some_and(|next| next > house.now));
    set_mode(&file, 0o644);
    house.look();
    assert_eq!(house.sorted(), ["one Waiting", "three Waiting", "two Waiting"]);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn what_cannot_be_looked_at_is_not_tried_again_at_once() {
    let mut house = with_two_directories();
    house.write("staging/a/torn.packet.json", "{");
    house.look_now();
    set_mode(&house.root.join("staging/a"), 0o000);
    for _ in 0..3 {
        house.now += Duration::from_secs(10);
        let next = house.look().next;
        assert!(next.is_none_or(|next| next > house.now), "{next:?}");
    }
    set_mode(&house.root.join("staging/a"), 0o755);
    house.look();
    assert_eq!(house.list().len(), 4);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_record_that_cannot_be_read_blocks_only_after_half_a_second() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write(PACKET, &packet("gate", RECORD)).write(RECORD, &record("x"));
    house.look();
    set_mode(&house.root.join(RECORD), 0o000);
    house.look_now();
    assert_eq!(house.list(), ["gate Answered*"]);
    house.now += RECORD_PATIENCE;
    assert!(house.look().next.is_some(), "it may become readable without a trace");
    assert_eq!(house.list(), ["gate Blocked"]);
    set_mode(&house.root.join(RECORD), 0o644);
    house.look();
    assert_eq!(house.list(), ["gate Answered"]);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_checkpoint_that_cannot_be_read_has_passed_what_it_had() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write(PACKET, &packet("chapter:047:draft", RECORD));
    house.write(".checkpoint.json", r#"{"last_completed_chapter":47}"#);
    house.look();
    let path = house.root.join(".checkpoint.json");
    set_mode(&path, 0o000);
    assert!(house.look().changed);
    assert_eq!(house.list(), [".checkpoint NoGate", "chapter:047:draft Waiting<"]);
    assert!(!house.look().changed, "it is said once");
    fs::remove_file(path).unwrap();
    assert!(house.look().changed);
    assert_eq!(house.list(), ["chapter:047:draft Waiting"]);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_checkpoint_that_moves_while_a_directory_cannot_be_read_counts_afterwards() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write(PACKET, &packet("chapter:047:draft", RECORD));
    house.look();
    let directory = house.root.join("staging/manifests");
    set_mode(&directory, 0o000);
    house.write(".checkpoint.json", r#"{"last_completed_chapter":47}"#);
    house.look();
    assert_eq!(house.list(), ["chapter:047:draft Waiting"], "what is known of it stays");
    set_mode(&directory, 0o755);
    assert!(house.look().changed);
    assert_eq!(house.list(), ["chapter:047:draft Waiting<"]);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn an_empty_inbox_that_cannot_be_read_is_another_one_than_an_empty_inbox() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write("staging/b/notes.md", "no packet");
    house.look();
    assert!(!house.look().changed);
    let staging = house.root.join("staging");
    set_mode(&staging, 0o000);
    assert!(house.look().changed && house.scanner.is_cut());
    assert!(!house.look().changed, "said once");
    set_mode(&staging, 0o755);
    assert!(house.look().changed && !house.scanner.is_cut());
}
