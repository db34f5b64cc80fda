//! Watching a project with the system's own watcher and the usual pace, as the console does.

mod listed;
mod meddler;
mod random;

use super::project::Book;
use novel_gate::store::watch::{Options, StoreEvent, Watch};
use novel_gate::store::{Project, Status, SystemClock};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

struct Inbox {
    events: Receiver<StoreEvent>,
    _watch: Watch,
    /// Every list that was told, as `path status`.
    lists: Vec<Vec<(String, Status)>>,
}

impl Inbox {
    fn open(book: &Book) -> Inbox {
        let project = Arc::new(Project::open(&book.root()).expect("a project"));
        let (send, events) = mpsc::channel();
        let watch = Watch::start(project, Arc::new(SystemClock::default()), Options::inbox(), move |event| {
            drop(send.send(event));
        });
        let mut inbox = Inbox { events, _watch: watch.expect("a thread"), lists: Vec::new() };
        inbox.wait(|_| true);
        inbox
    }

    /// Takes lists until one of them is as it should be.
    fn wait(&mut self, good: impl Fn(&[(String, Status)]) -> bool) {
        let deadline = Instant::now() + LONG;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let event = self.events.recv_timeout(left);
            let event = event.unwrap_or_else(|error| panic!("{error}: {:?}", self.lists.last()));
            let StoreEvent::Entries { entries, .. } = event else { continue };
            self.lists.push(
                entries
                    .iter()
                    .map(|entry| (entry.path.to_string_lossy().into_owned(), entry.status))
                    .collect(),
            );
            if self.lists.last().is_some_and(|list| good(list)) {
                return;
            }
        }
    }
}

#[test]
fn a_burst_into_new_directories_is_found_whole_and_nothing_twice() {
    let book = Book::new();
    let mut inbox = Inbox::open(&book);
    for i in 0..300 {
        let (name, dir) = (format!("p{i}"), format!("staging/new/{}/{}", i % 7, i % 3));
        book.put_packet(&name, &format!("staging/novel-ask/{i}.json"));
        fs::create_dir_all(book.root().join(&dir)).expect("directories");
        let from = book.root().join(format!("staging/manifests/{name}.packet.json"));
        fs::rename(from, book.root().join(dir).join(format!("{name}.packet.json"))).expect("renamed");
    }
    inbox.wait(|list| list.len() == 300);
    let last = inbox.lists.last().expect("a list");
    let paths: BTreeSet<&String> = last.iter().map(|(path, _)| path).collect();
    assert_eq!(paths.len(), 300);
    assert!(last.iter().all(|(_, status)| *status == Status::Waiting));
}

#[test]
fn a_tree_that_is_moved_in_is_found_and_one_that_is_moved_out_is_gone() {
    let book = Book::new();
    book.put("elsewhere/a/b/one.packet.json", "{}").put("elsewhere/two.packet.json", "{}");
    let mut inbox = Inbox::open(&book);
    let (out, inside) = (book.root().join("elsewhere"), book.root().join("staging/in"));
    fs::rename(&out, &inside).expect("moved in");
    inbox.wait(|list| list.len() == 2);
    fs::rename(&inside, &out).expect("moved out");
    inbox.wait(<[_]>::is_empty);
}

#[test]
fn a_packet_written_in_pieces_is_shown_once_and_whole() {
    let book = Book::new();
    let mut inbox = Inbox::open(&book);
    book.put_packet("hidden", "staging/novel-ask/a.json");
    inbox.wait(|list| list.len() == 1);
    let whole = fs::read(book.root().join("staging/manifests/hidden.packet.json")).expect("read");
    let mut file = fs::File::create(book.root().join("staging/manifests/slow.packet.json")).expect("made");
    for piece in whole.chunks(whole.len().div_ceil(10)) {
        file.write_all(piece).expect("written");
        file.sync_all().expect("synced");
        // The watcher hears of other things meanwhile, and looks.
        book.put("staging/manifests/other.json", "{}");
    }
    drop(file);
    inbox.wait(|list| list.len() == 2);
    let slow = |list: &Vec<(String, Status)>| {
        list.iter().find(|(path, _)| path.ends_with("slow.packet.json")).map(|(_, status)| *status)
    };
    let shown: Vec<Status> = inbox.lists.iter().filter_map(slow).collect();
    assert_eq!(shown, [Status::Waiting]);
}

#[test]
fn a_storm_on_one_record_ends_in_its_last_state() {
    let book = Book::new();
    book.put_packet("a", "staging/novel-ask/a.json");
    let mut inbox = Inbox::open(&book);
    for i in 0..500 {
        book.put("staging/novel-ask/a.json", if i % 2 == 0 { "[]" } else { Book::RECORD });
    }
    inbox.wait(|list| list.iter().any(|(_, status)| *status == Status::Answered));
    book.put("staging/novel-ask/a.json", "[]");
    inbox.wait(|list| list.iter().any(|(_, status)| *status == Status::Blocked));
    assert!(inbox.lists.len() < 200, "lists are told for what was seen, not for every event");
}
