//! Other gates that wait with the questions of the open form, byte for byte: one review can answer those that the author
//! ticks.

use crate::ask::{JsString, QuestionSpec};
use crate::console::draw::scroll::Scroll;
use crate::console::field::TextField;
use crate::console::model::{LoadedGate, Message, Receipt};
use crate::text::{Lang, Query};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Packets that are named in one line.
const NAMED: usize = 20;

/// The gates that were found when the review was opened. None is answered unless the author has ticked it in their list.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Those of the open gate's topic first.
    pub gates: Vec<BatchGate>,
    /// How many of them have it.
    pub same_topic: usize,
    /// Which of them the author has confirmed; `None` before.
    pub ticks: Option<Vec<bool>>,
    /// Those: submitting answers them too.
    pub taken: Arc<[BatchGate]>,
    /// The list, while it is open.
    pub list: Option<PacketList>,
}

#[derive(Clone, Debug)]
pub struct BatchGate {
    /// With a refusal it cannot be taken.
    pub gate: LoadedGate,
    /// Whether answers of its own are kept for it.
    pub has_draft: bool,
    /// Packets that want other answers in the same place.
    pub rivals: Vec<PathBuf>,
}

/// The list of these gates, with a tick at each that is to be answered too.
#[derive(Clone, Debug)]
pub struct PacketList {
    pub ticks: Vec<bool>,
    pub filter: TextField,
    /// Places of the gates that pass the filter.
    pub hits: Vec<usize>,
    /// Row under the cursor, counted in what passes.
    pub row: usize,
    pub scroll: Scroll,
}

/// What became of the record of one packet.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRecord {
    pub path: PathBuf,
    /// Its step, for people.
    pub title: String,
    /// Proof of it, or why it was not written, or not taken back.
    pub done: Result<Receipt, Message>,
    /// That the history does not have it, and why.
    pub unnoted: Option<Message>,
}

impl Batch {
    /// The gates that were found for a gate with this topic.
    pub fn new(mut gates: Vec<BatchGate>, topic: &JsString) -> Batch {
        let is_same = |other: &BatchGate| other.spec().is_some_and(|spec| spec.topic == *topic);
        gates.sort_by_cached_key(|other| !is_same(other));
        let same_topic = gates.partition_point(is_same);
        Batch { gates, same_topic, ..Batch::default() }
    }

    /// The names of the steps that are taken, or could be, in one line.
    pub fn names(&self, lang: Lang) -> String {
        let gates = if self.taken.is_empty() { &self.gates } else { &*self.taken };
        let titles = gates.iter().take(NAMED).map(|other| other.gate.title());
        let more = (gates.len() > NAMED).then(|| "…".to_owned());
        titles.chain(more).collect::<Vec<_>>().join(lang.comma())
    }

    /// Opens the list: with the ticks that were confirmed, else at the gates of the same topic in which the author has not
    /// begun to answer otherwise.
    pub fn open_list(&mut self) {
        let at_first = |(place, other): (usize, &BatchGate)| {
            place < self.same_topic && other.can_be_taken() && !other.has_draft
        };
        let at_first = || self.gates.iter().enumerate().map(at_first).collect();
        let ticks = self.ticks.clone().unwrap_or_else(at_first);
        let (filter, hits) = (TextField::new("", false), (0..self.gates.len()).collect());
        self.list = Some(PacketList { ticks, filter, hits, row: 0, scroll: Scroll::default() });
    }

    /// Closes the list; what is ticked is taken.
    pub fn take_list(&mut self) {
        let Some(list) = self.list.take() else { return };
        let ticked = self.gates.iter().zip(&list.ticks).filter(|(_, ticked)| **ticked);
        self.taken = ticked.map(|(other, _)| other.clone()).collect();
        self.ticks = Some(list.ticks);
    }

    /// Takes those that were taken in an earlier review, as far as they can be.
    pub fn take_again(&mut self, before: &[BatchGate]) {
        if before.is_empty() {
            return;
        }
        let before: HashSet<&Path> = before.iter().map(|other| &*other.gate.path).collect();
        let again = |other: &BatchGate| other.can_be_taken() && before.contains(&*other.gate.path);
        self.ticks = Some(self.gates.iter().map(again).collect());
        self.open_list();
        self.take_list();
    }

    /// Lists what passes the filter as it is now.
    pub fn refilter(&mut self) {
        let Some(list) = &mut self.list else { return };
        let query = Query::new(list.filter.text());
        let passes = |other: &BatchGate| {
            let (title, topic) = (other.gate.title(), other.topic());
            let mut words = query.words().iter();
            words.all(|word| word.find_by_sound(&title).or_else(|| word.find_by_sound(&topic)).is_some())
        };
        let places = self.gates.iter().enumerate();
        list.hits = places.filter(|(_, other)| passes(other)).map(|(place, _)| place).collect();
        list.row = 0;
        list.scroll.reset();
    }

    /// Ticks the gate in this row of the list, or unticks it; one that cannot be taken says why.
    pub fn tick(&mut self, row: usize) -> Result<(), Message> {
        let Some(list) = &mut self.list else { return Ok(()) };
        let Some(&place) = list.hits.get(row) else { return Ok(()) };
        if let Some(refusal) = &self.gates[place].gate.refusal {
            return Err(refusal.clone());
        }
        list.ticks[place] = !list.ticks[place];
        Ok(())
    }

    /// Ticks all that are shown, or none of them if all are.
    pub fn tick_all(&mut self) {
        let Some(list) = &mut self.list else { return };
        let shown = || list.hits.iter().copied().filter(|&place| self.gates[place].can_be_taken());
        let places: Vec<usize> = shown().collect();
        let all = places.iter().all(|&place| list.ticks[place]);
        for place in places {
            list.ticks[place] = !all;
        }
    }
}

impl BatchGate {
    pub fn can_be_taken(&self) -> bool {
        self.gate.refusal.is_none()
    }

    /// Uncleaned.
    pub fn topic(&self) -> String {
        self.spec().map(|spec| spec.topic.display().into_owned()).unwrap_or_default()
    }

    fn spec(&self) -> Option<&QuestionSpec> {
        self.gate.packet.gate.as_ref().map(|gate| &*gate.spec)
    }
}

impl PacketList {
    pub fn ticked(&self) -> usize {
        self.ticks.iter().filter(|ticked| **ticked).count()
    }

    /// The place of the gate under the cursor.
    pub fn selected(&self) -> Option<usize> {
        self.hits.get(self.row).copied()
    }
}
