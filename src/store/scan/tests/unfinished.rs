//! Files that are just being written, or were torn: they are waited for, and only then judged.

use super::*;

#[test]
fn a_packet_in_the_making_appears_once_and_whole() {
    let mut house = Tree::new();
    let whole = packet("slow", RECORD);
    for end in (0..10).map(|part| whole.len() * part / 10) {
        let end = (0..=end).rev().find(|&at| whole.is_char_boundary(at)).unwrap();
        house.write(PACKET, &whole[..end]);
        house.now = SystemTime::now();
        let outcome = house.look();
        assert!(!outcome.changed, "{end}");
        assert!(outcome.next.is_some_and(|next| next <= house.now + Duration::from_millis(50)));
    }
    house.write(PACKET, &whole);
    house.look();
    assert_eq!(house.list(), ["slow Waiting"]);
}

#[test]
fn a_torn_packet_is_broken_only_after_two_quiet_seconds() {
    let mut house = Tree::new();
    house.write(PACKET, "{\"step\":");
    house.now = SystemTime::now();
    let start = house.now;
    let mut outcome = house.look();
    let mut steps = Vec::new();
    while let Some(next) = outcome.next {
        assert_eq!(house.list(), Vec::<String>::new());
        steps.push(next.duration_since(house.now).unwrap().as_millis());
        house.now = next;
        outcome = house.look();
    }
    assert_eq!(house.list(), ["one Malformed"]);
    assert!(house.now.duration_since(start).unwrap() <= PACKET_PATIENCE);
    assert_eq!(steps[..4], [50, 100, 200, 400]);
    house.write(PACKET, &packet("whole", RECORD));
    assert!(house.look().changed);
    assert_eq!(house.list(), ["whole Waiting"]);
}

#[test]
fn a_good_packet_that_is_torn_keeps_its_state_for_a_while() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("good", RECORD));
    house.look();
    house.write(PACKET, "");
    house.now = SystemTime::now();
    assert!(house.look().changed);
    assert_eq!(house.list(), ["good Waiting*"]);
    house.write(PACKET, &packet("better", RECORD));
    house.look();
    assert_eq!(house.list(), ["better Waiting"]);
    house.write(PACKET, "{");
    house.look();
    house.now += PACKET_PATIENCE + Duration::from_secs(1);
    house.look();
    assert_eq!(house.list(), ["one Malformed"]);
}

#[test]
fn a_torn_record_blocks_only_after_half_a_second() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("gate", RECORD));
    house.look();
    house.write(RECORD, &record("x")[..20]);
    house.now = SystemTime::now();
    let outcome = house.look_now();
    assert_eq!(house.list(), ["gate Waiting*"]);
    assert!(outcome.next.is_some());
    house.now += RECORD_PATIENCE;
    assert!(house.look().changed);
    assert_eq!(house.list(), ["gate Blocked"]);
    house.write(RECORD, &record("x"));
    house.look_now();
    assert_eq!(house.list(), ["gate Answered"]);
    house.write(RECORD, "");
    house.now = SystemTime::now();
    house.look_now();
    assert_eq!(house.list(), ["gate Answered*"]);
}

#[test]
fn a_file_just_written_is_looked_at_once_more() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("gate", RECORD));
    house.now = file::signature(&house.scanner.project, PACKET).unwrap().changed;
    let next = house.look().next.expect("another write may leave the same signature");
    house.now = next;
    assert_eq!(house.look(), Outcome::default());
}
