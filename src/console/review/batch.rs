//! Other gates that wait with the questions of the open form, byte for byte: one review can answer those that the author
//! ticks.

use crate::ask::JsString;
use crate::console::filtered_list::FilteredList;
use crate::console::form::gate::LoadedGate;
use crate::error::Message;
use crate::store::record::Receipt;
use crate::text::{Lang, Sentence, say};
use std::collections::HashSet;
use std::path::PathBuf;

pub(super) const WAITS_NO_MORE: Sentence = say("It waits no more.", "它已不再等待。");
pub(super) const GONE: Sentence = say("Its packet is gone.", "它的指令包已不在。");
/// Packets that are named in one line.
const NAMED: usize = 20;

/// The gates that were found. None is answered unless the author has ticked it in their list.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Those of the open gate's topic first.
    pub gates: Vec<BatchGate>,
    same_topic: usize,
    /// Whether the author has confirmed which of them are taken.
    confirmed: bool,
    /// The list of them, with a tick at each that is to be answered too, while it is open.
    pub list: Option<FilteredList>,
}

#[derive(Clone, Debug)]
pub struct BatchGate {
    /// With a refusal it cannot be taken.
    pub gate: LoadedGate,
    /// Whether answers of its own are kept for it.
    pub has_draft: bool,
    /// Packets that want other answers in the same place.
    pub rivals: Vec<PathBuf>,
    /// Why it waits no more, as far as the list of gates shows.
    pub waits_no_more: Option<Sentence>,
    pub tick: Tick,
    /// Whether submitting answers it too.
    pub taken: bool,
}

/// A tick in the list, and whose it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tick {
    #[default]
    None,
    /// It stood there when the list was opened for the first time.
    Offered,
    Author,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BatchRecord {
    pub path: PathBuf,
    /// Its step, for people.
    pub title: String,
    /// Proof of it, or why it was not written, or not taken back.
    pub done: Result<Receipt, Message>,
    /// That the history does not have it, and why.
    pub unnoted: Option<Message>,
    /// What has become of it since, if the executor does not find it any more.
    pub lost: Option<Sentence>,
}

impl Batch {
    /// The gates that were found for a gate with this topic; those of before are taken again, as far as they can be.
    pub fn new(mut gates: Vec<BatchGate>, topic: &JsString, before: &[PathBuf]) -> Batch {
        let taken: HashSet<&PathBuf> = before.iter().collect();
        for other in &mut gates {
            other.taken = other.can_be_taken() && taken.contains(&other.gate.path);
        }
        let is_same = |other: &BatchGate| other.gate.spec().topic == *topic;
        gates.sort_by_key(|other| !is_same(other));
        let same_topic = gates.partition_point(is_same);
        Batch { gates, same_topic, confirmed: !before.is_empty(), list: None }
    }

    /// Goes on where the author was in what was found before. What waits no more stays where he has it before his eyes.
    pub fn keep(&mut self, before: Batch) {
        let selected = before.list.as_ref().and_then(FilteredList::selected);
        let selected = selected.map(|place| before.gates[place].gate.path.clone());
        let is_open = before.list.is_some();
        (self.confirmed, self.list) = (before.confirmed, before.list);
        for was in before.gates {
            match self.gates.iter_mut().find(|other| other.gate.path == was.gate.path) {
                Some(other) => (other.tick, other.taken) = (was.tick, was.taken),
                None if is_open || was.taken => self
                    .gates
                    .push(BatchGate { waits_no_more: was.waits_no_more.or(Some(WAITS_NO_MORE)), ..was }),
                None => {}
            }
        }
        self.refilter();
        if let Some(list) = &mut self.list {
            let is_it = |&place: &usize| Some(&self.gates[place].gate.path) == selected.as_ref();
            list.row = list.hits.iter().position(is_it).unwrap_or(list.row);
        }
    }

    /// Those that are tried with a submission. One that somebody has answered meanwhile is named with its outcome.
    pub fn taken(&self) -> impl Iterator<Item = &BatchGate> {
        self.gates.iter().filter(|other| other.taken)
    }

    /// Those of them that still wait.
    pub fn waiting(&self) -> impl Iterator<Item = &BatchGate> {
        self.taken().filter(|other| other.waits())
    }

    /// The names of the steps that are taken, or could be, in one line.
    pub fn names(&self, lang: Lang) -> String {
        let any = self.waiting().next().is_some();
        let listed = self.gates.iter().filter(|other| other.waits() && (other.taken || !any));
        let mut titles = listed.map(|other| other.gate.title());
        let mut names: Vec<String> = titles.by_ref().take(NAMED).collect();
        names.extend(titles.next().map(|_| "…".to_owned()));
        names.join(lang.comma())
    }

    /// Opens the list: with the ticks that were confirmed, else at the gates of the same topic in which the author has not
    /// begun to answer otherwise.
    pub fn open_list(&mut self) {
        for (place, other) in self.gates.iter_mut().enumerate() {
            let at_first = place < self.same_topic && other.can_be_taken() && !other.has_draft;
            other.tick = match self.confirmed {
                true if other.taken => Tick::Author,
                false if at_first => Tick::Offered,
                _ => Tick::None,
            };
        }
        self.list = Some(FilteredList::new(self.gates.len(), 0));
    }

    /// Closes the list; what is ticked is taken. Of what cannot be answered any more, only what the author has ticked: its
    /// outcome is what he wants to know.
    pub fn take_list(&mut self) {
        self.list = None;
        self.confirmed = true;
        for other in &mut self.gates {
            other.taken = other.tick == Tick::Author || other.tick == Tick::Offered && other.can_be_taken();
        }
    }

    pub fn refilter(&mut self) {
        let Batch { gates, list, .. } = self;
        let texts = |place: usize| {
            let gate: &LoadedGate = &gates[place].gate;
            vec![gate.title(), gate.spec().topic.display().into_owned()]
        };
        if let Some(list) = list {
            list.refilter(gates.len(), texts);
        }
    }

    /// Ticks the gate under the cursor, or unticks it; one that cannot be taken says why.
    pub fn tick(&mut self) -> Result<(), Message> {
        let place = self.list.as_ref().and_then(FilteredList::selected);
        let Some(other) = place.map(|place| &mut self.gates[place]) else { return Ok(()) };
        if other.can_be_taken() {
            other.tick = Tick::of_author(!other.is_ticked());
        }
        other.refusal().map_or(Ok(()), Err)
    }

    /// Ticks all that are shown, or none of them if all are.
    pub fn tick_all(&mut self) {
        let mut places = self.list.as_ref().map(|list| list.hits.clone()).unwrap_or_default();
        places.retain(|&place| self.gates[place].can_be_taken());
        let all = places.iter().all(|&place| self.gates[place].is_ticked());
        for place in places {
            self.gates[place].tick = Tick::of_author(!all);
        }
    }
}

impl Tick {
    fn of_author(is_ticked: bool) -> Tick {
        if is_ticked { Tick::Author } else { Tick::None }
    }
}

impl BatchGate {
    pub fn is_ticked(&self) -> bool {
        self.tick != Tick::None
    }

    pub fn waits(&self) -> bool {
        self.waits_no_more.is_none()
    }

    pub fn can_be_taken(&self) -> bool {
        self.waits() && self.gate.refusal.is_none()
    }

    /// Why it cannot be taken.
    pub fn refusal(&self) -> Option<Message> {
        self.waits_no_more.map(Message::from).or_else(|| self.gate.refusal.clone())
    }
}
