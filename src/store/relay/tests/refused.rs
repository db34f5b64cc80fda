//! Questions that the author sends back.

use super::*;
use crate::store::gate::load;
use crate::store::history::Over;
use crate::store::returned::{Returned, Why, send_back};
use crate::store::submission::Submission;

impl Book {
    /// The author sends a question back, and what he refused is loaded again.
    fn send_back(&self, relay: &Relay, now: SystemTime) -> Loaded {
        self.refuse(&self.project, relay, now).expect("sent back");
        load(&self.project, &self.path(relay)).expect("a packet")
    }

    pub(super) fn refuse(
        &self,
        project: &Project,
        relay: &Relay,
        now: SystemTime,
    ) -> Result<Returned, WriteError> {
        let asked = spec_hash(&self.spec);
        let submission = Submission {
            packet: &self.path(relay),
            answer_path: &relay.answer_path(),
            asked: &asked,
            bytes: b"",
            rivals: &[],
            seen: None,
            over: Over::Nothing,
        };
        let why = Why { by: "human".into(), reason: "not this".into(), ..Why::default() };
        send_back(project, Ok(&self.state), &submission, &why, now)
    }
}

#[test]
fn a_question_that_is_sent_back_goes_with_its_refusal_and_is_no_answer() {
    let book = Book::new();
    let relay = book.open();
    let loaded = book.send_back(&relay, SystemTime::now());
    let packet = relay.packet();
    assert_eq!(book.files().len(), 2, "the packet, and why");
    relay.settle(&book.state, &loaded);
    relay.close(&book.project, &book.state, SystemTime::now());
    assert_eq!(book.files(), [""; 0]);
    assert_eq!(answered(&book.state, &packet), None);
    let anew = book.open();
    assert_ne!(anew.packet(), packet, "its name is not used again");
    assert_eq!(load(&book.project, &book.path(&anew)).expect("a packet").sent_back, None);
}

#[test]
fn a_packet_that_is_dropped_or_withdrawn_leaves_no_refusal() {
    let book = Book::new();
    let relay = book.open();
    book.send_back(&relay, SystemTime::now());
    drop(relay);
    assert_eq!(book.files(), [""; 0]);
    let relay = book.ask();
    book.send_back(&relay, SystemTime::now());
    withdraw(&book.project, &relay.packet()).expect("withdrawn");
    assert_eq!(book.files(), [""; 0]);
}

#[test]
fn what_was_sent_back_and_fetched_by_nobody_stays_for_a_day() {
    let book = Book::new();
    let sent = SystemTime::now();
    let relay = book.ask();
    book.send_back(&relay, sent);
    drop(relay);
    book.sweep();
    assert_eq!(book.files().len(), 2);
    sweep(&book.project, &book.state, sent + UNDELIVERED);
    assert_eq!(book.files(), [""; 0]);
}
