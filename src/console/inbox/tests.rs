use super::Inbox;
use super::detail::Detail;
use crate::store::entry::{Entry, Status};
use crate::store::gate::LoadFault;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

fn listed(status: Status) -> Vec<Arc<Entry>> {
    let mut entry = Entry::of_nothing(Path::new("a.packet.json").into(), SystemTime::UNIX_EPOCH);
    entry.status = status;
    vec![Arc::new(entry)]
}

#[test]
fn what_a_key_does_goes_by_the_newer_of_list_and_details() {
    let mut inbox = Inbox::default();
    inbox.take(listed(Status::Waiting));
    let content = Err(LoadFault::Malformed(Vec::new()));
    inbox.detail = Some(Detail { path: "a.packet.json".into(), content, mending: None });
    inbox.listed = Some(Status::Waiting);
    assert_eq!(inbox.status(), Some(Status::Malformed), "its details came later than the list");
    inbox.take(listed(Status::SentBack));
    assert_eq!(inbox.status(), Some(Status::SentBack), "the list came later than its details");
}
