//! The standing questions of a book in the rows of their screen, and where the author is in them.

use super::step_row::StepRow;
use crate::ask::Location;
use crate::ask::standing::Standing;
use crate::console::draw::scroll::Scroll;
use crate::console::filtered_list::found;
use crate::console::inbox::ListFilter;
use crate::platform::paths::Shown as _;
use crate::store::history::HistoryEntry;
use crate::store::questions::{NewQuestion, QuestionFile, SetAction, Template};
use crate::text::{Lang, Sentence, say};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// A text that was removed, and the hash of the one that took its place, if any did.
pub(super) type Removed = (HistoryEntry, Option<String>);

/// The list and the place of the author in it.
#[derive(Clone, Debug)]
pub struct QuestionsView {
    /// The packet that was selected in the inbox; it may be gone.
    pub(super) packet: Option<PathBuf>,
    pub rows: Vec<Row>,
    pub filter: Option<ListFilter>,
    /// Places of the rows that pass the filter.
    pub passing: Vec<usize>,
    /// The row under the cursor, counted in what passes.
    pub row: usize,
    /// What was under the cursor when all were shown last.
    pub(super) from: Option<(Section, String)>,
    pub list: Scroll,
    pub scroll: Scroll,
    /// The file that was removed or replaced here last.
    pub(super) removed: Option<Removed>,
    /// The gate whose decision was taken back here last.
    pub(super) taken: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// What the selected gate asks can be asked again.
    Gate(Arc<NewQuestion>),
    File(Arc<FileRow>),
    /// A step to come asks it.
    Step(Arc<StepRow>),
    /// It is not in the book.
    Template(&'static Template),
    Set(SetRow),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Gate,
    Files,
    Steps,
    Templates,
    Sets,
}

/// A file, or what is in their place.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRow {
    pub file: QuestionFile,
    /// Where its problems are, in their order.
    pub places: Vec<Location>,
    /// When it was answered last.
    pub answered: Option<SystemTime>,
    /// Whether a text of it is kept that the author has edited and not saved.
    pub is_edited: bool,
}

/// How much the author wants to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct SetRow {
    pub name: &'static str,
    /// The templates that it has, and what each template comes to.
    pub has: Vec<&'static Template>,
    pub plan: Vec<(&'static Template, SetAction)>,
}

impl Section {
    pub fn says(self) -> Sentence {
        match self {
            Section::Gate => say("the gate you came from", "刚才选中的门控"),
            Section::Files => say("what you are asked", "会问你的"),
            Section::Steps => say("what the next steps will ask", "接下来的步骤会问的"),
            Section::Templates => say("what can be asked", "还可以问的"),
            Section::Sets => say("how much do you want to decide?", "你想决定多少？"),
        }
    }
}

impl Row {
    pub fn section(&self) -> Section {
        match self {
            Row::Gate(_) => Section::Gate,
            Row::File(_) => Section::Files,
            Row::Step(_) => Section::Steps,
            Row::Template(_) => Section::Templates,
            Row::Set(_) => Section::Sets,
        }
    }

    /// The same for as long as it is about the same.
    pub(super) fn key(&self) -> (Section, String) {
        let name = match self {
            Row::Gate(new) => new.standing.name.clone(),
            Row::File(row) => row.file.path.shown().into_owned(),
            Row::Step(row) => row.key(),
            Row::Template(template) => template.name.to_owned(),
            Row::Set(set) => set.name.to_owned(),
        };
        (self.section(), name)
    }

    /// What to call it: its name, else where it lies.
    pub fn name(&self) -> String {
        match self {
            Row::File(row) if !row.file.name.is_empty() => row.file.name.clone(),
            row => row.key().1,
        }
    }

    /// What is asked, if it can be asked; of a template in this language.
    pub fn standing(&self, lang: Lang) -> Option<Cow<'_, Standing>> {
        match self {
            Row::Gate(new) => Some(Cow::Borrowed(&new.standing)),
            Row::File(row) => row.file.standing.as_ref().map(Cow::Borrowed),
            Row::Step(row) => Some(Cow::Borrowed(&row.standing)),
            Row::Template(template) => template.standing(lang).map(Cow::Owned),
            Row::Set(_) => None,
        }
    }

    /// What a filter finds it by; by its sound it would be found in a longer text by chance.
    fn texts(&self, lang: Lang) -> Vec<String> {
        let asked = self.standing(lang);
        let asked =
            asked.map(|standing| [standing.spec.topic.display().into_owned(), standing.rules.before(lang)]);
        let set = if let Row::Set(set) = self { Some(set.says().text(lang).to_owned()) } else { None };
        let said = if let Row::Step(row) = self { row.said(lang) } else { None };
        std::iter::once(self.key().1).chain(asked.into_iter().flatten()).chain(set).chain(said).collect()
    }
}

impl FileRow {
    pub fn is_on(&self) -> bool {
        self.file.standing.as_ref().is_some_and(|standing| standing.rules.is_enabled)
    }
}

impl SetRow {
    /// What it asks about.
    pub fn topics(&self, lang: Lang) -> Vec<String> {
        let topic = |template: &&Template| Some(template.standing(lang)?.spec.topic.display().into_owned());
        self.has.iter().filter_map(topic).collect()
    }

    /// What taking it switches off.
    pub fn switched_off(&self, lang: Lang) -> Vec<String> {
        let off = self.plan.iter().filter(|(_, action)| *action == SetAction::Off);
        off.filter_map(|(template, _)| Some(template.standing(lang)?.spec.topic.display().into_owned()))
            .collect()
    }

    /// Whether the book asks so already.
    pub fn is_chosen(&self) -> bool {
        !self.plan.iter().any(|(_, action)| action.changes())
    }

    pub fn says(&self) -> Sentence {
        match self.name {
            "light" => say("light", "只定大事（light）"),
            "steady" => say("steady", "适中（steady）"),
            _ => say("close", "步步把关（close）"),
        }
    }
}

impl QuestionsView {
    pub(super) fn new(packet: Option<PathBuf>, rows: Vec<Row>) -> QuestionsView {
        let (list, scroll, passing) = (Scroll::default(), Scroll::default(), (0..rows.len()).collect());
        QuestionsView {
            packet,
            rows,
            filter: None,
            passing,
            row: 0,
            from: None,
            list,
            scroll,
            removed: None,
            taken: None,
        }
    }

    pub fn selected(&self) -> Option<&Row> {
        self.rows.get(*self.passing.get(self.row)?)
    }

    /// The file under the cursor, unless it is something else in their place.
    pub fn selected_file(&self) -> Option<&FileRow> {
        match self.selected() {
            Some(Row::File(row)) if !row.file.name.is_empty() => Some(row),
            _ => None,
        }
    }

    pub(super) fn words(&self) -> &str {
        ListFilter::words(self.filter.as_ref())
    }

    /// Whether another file is about the same: the name tells them apart.
    pub fn is_alike(&self, row: &FileRow) -> bool {
        let topic = |row: &FileRow| row.file.standing.as_ref().map(|standing| standing.spec.topic.clone());
        let files =
            self.rows.iter().filter_map(|row| if let Row::File(row) = row { Some(row) } else { None });
        let own = topic(row);
        own.is_some() && files.filter(|other| topic(other) == own).count() > 1
    }

    /// Finds anew what passes the filter; the cursor goes to this row, if it is there.
    pub(super) fn refilter(&mut self, to: Option<&(Section, String)>, lang: Lang) {
        self.passing = found(self.words(), self.rows.len(), |row| self.rows[row].texts(lang));
        let place = to.and_then(|to| self.place_of(to));
        self.row = place.unwrap_or(self.row).min(self.passing.len().saturating_sub(1));
    }

    /// The row of this, counted in what passes.
    fn place_of(&self, key: &(Section, String)) -> Option<usize> {
        self.passing.iter().position(|&row| self.rows[row].key() == *key)
    }

    /// Puts the cursor on a row, if it is listed.
    pub(super) fn go_to(&mut self, key: &(Section, String)) {
        if let Some(row) = self.place_of(key) {
            self.row = row;
            self.scroll.reset();
        }
    }

    /// Takes over a new reading; the cursor stays with its row, or goes to the nearest one that is still there. False if it had to.
    pub(super) fn take(&mut self, rows: Vec<Row>, lang: Lang) -> bool {
        let keys: Vec<_> = self.passing.iter().map(|&row| self.rows[row].key()).collect();
        let is_left = |key: &&(Section, String)| rows.iter().any(|row| row.key() == **key);
        let (above, below) = keys.split_at(self.row.min(keys.len()));
        let (same, nearest) = (below.first(), below.iter().chain(above.iter().rev()).find(is_left).cloned());
        let stays = same == nearest.as_ref();
        self.rows = rows;
        self.refilter(nearest.as_ref(), lang);
        if !stays {
            self.scroll.reset();
        }
        stays
    }
}
