//! The history of a gate or of the whole project, as a screen: moving, searching, restoring.
//!
//! Contract:
//! * Reading and searching happen elsewhere; the list stays as it is until the result comes.
//! * Entries that come or go meanwhile are shown; the selection stays with its entry.

pub mod draw;
pub mod read;
pub mod view;

use self::read::NEAR;
use self::view::{EntryDetail, HistoryFound, HistoryView, Scope};
use crate::console::action::Action;
use crate::console::draw::layout::{self, Panes};
use crate::console::draw::painter::Painter;
use crate::console::draw::scroll::Scroll;
use crate::console::draw::sheet::Sheet;
use crate::console::files::Files;
use crate::console::inbox::ListFilter;
use crate::console::inbox::loading::back_to_list;
use crate::console::input::keymap::Context;
use crate::console::model::{Entry, Model, Place, Status, Tone};
use crate::console::page::Page;
use crate::console::screen::Available::{self, As, No, Yes};
use crate::console::screen::{Cx, Part, Screen, View};
use crate::console::sentences as s;
use crate::store::history::{EntryKind, HistoryEntry};
use crate::text::{Sentence, say};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

impl Screen for HistoryView {
    fn context(&self, _model: &Model) -> Context {
        ListFilter::context(self.filter.as_ref(), Context::History, Context::HistoryFilter)
    }

    fn place(&self) -> Option<Place> {
        Some(Place::History)
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let empty = self.found.rows.is_empty();
        match action {
            // What is found has not been seen yet.
            Action::Accept if self.is_to_search() => As(say("search", "查找")),
            Action::Accept | Action::Expand if empty => No(s::NOTHING_LISTED),
            // What is not seen is shown before it is put back.
            Action::Accept if !self.has_pane(view.model) => As(say("show", "查看")),
            Action::Accept => self.offer_to_put_back().unwrap_or(Yes),
            Action::Back if self.filter.is_some() => As(s::CLEAR_FILTER),
            Action::Next if self.found.scope != Scope::Project => As(say("whole project", "整个项目")),
            Action::Next if empty && self.gate.is_none() => No(s::NOTHING_LISTED),
            Action::Next => As(say("only this gate", "只看此门控")),
            _ => Yes,
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Edit(edit) => {
                if self.words().is_empty() {
                    self.from = self.selected().map(|entry| entry.id());
                    let is_of_gate = self.found.scope != Scope::Project;
                    let gate = Some(self.found.scope.clone()).filter(|_| is_of_gate);
                    self.gate = self.gate.take().or(gate);
                }
                if ListFilter::edit(&mut self.filter, edit) {
                    self.search(cx);
                }
            }
            Action::Accept if self.is_to_search() => {
                ListFilter::leave(&mut self.filter);
                // The next key is for the result of the search.
                self.read(self.scope().clone(), cx);
            }
            Action::Back if self.filter.is_some() => {
                self.filter = None;
                self.search(cx);
            }
            Action::Back => back_to_list(cx),
            Action::Next | Action::Previous => self.read_other_scope(cx),
            Action::Filter => ListFilter::focus(&mut self.filter),
            Action::Accept => {
                ListFilter::leave(&mut self.filter);
                if self.has_pane(cx.model) { self.see_restore(cx) } else { cx.cover(Page::new(Part::Whole)) }
            }
            action => {
                if let Some(row) = action.row_from(self.row, self.list.rows()) {
                    self.row = row.min(self.found.rows.len().saturating_sub(1));
                    self.scroll.reset();
                    self.load_entry(cx);
                }
            }
        }
    }

    fn offer_on_page(&self, action: &Action, _model: &Model) -> Option<Available> {
        let offer = || self.offer_to_put_back().unwrap_or(As(say("put back", "放回")));
        (*action == Action::Accept).then(offer)
    }

    fn act_on_page(&mut self, action: Action, cx: &mut Cx<'_>) {
        if action == Action::Accept {
            self.see_restore(cx);
        }
    }

    fn copied(&self, _view: View<'_>) -> Option<String> {
        Some(self.selected()?.answer_path.display().into_owned())
    }

    /// Commands and executors add to it too.
    fn look(&mut self, _listed: bool, cx: &mut Cx<'_>) {
        // That somebody was told leaves no trace in the history.
        self.load_entry(cx);
        // A stamp is of use only for the words that were read.
        let stamp = self.found.stamp.filter(|_| self.is_searched());
        let (scope, words, near) = (self.scope().clone(), self.words().to_owned(), self.near(NEAR).to_vec());
        let there = near.iter().filter(|entry| self.is_there(entry)).map(|entry| entry.id()).collect();
        // What lies further off is looked at when it comes near.
        let ids: HashSet<String> = near.iter().map(|entry| entry.id()).collect();
        self.found.known.retain(|id, _| ids.contains(id));
        let keep = self.kept();
        let work = move |files: &Files| {
            files.reread_history(&scope, &words, stamp, (&near, &there), keep.as_deref())
        };
        cx.tell(Some("history"), work, |found: HistoryFound, cx| {
            cx.on::<HistoryView>(|history, cx| {
                if history.refresh(found) {
                    history.load_entry(cx);
                    history.read_on(cx);
                }
            });
        });
    }

    /// What was asked for may have failed because of what is there now.
    fn fail(&mut self, cx: &mut Cx<'_>) {
        self.look(false, cx);
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        draw::draw(view.model, self, painter);
    }

    fn write(&self, _part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        draw::write(model, self, sheet);
    }

    fn pane<'a>(&'a self, _model: &'a Model) -> Option<&'a Scroll> {
        Some(&self.scroll)
    }
}

/// Shows the history of the selected gate, or of the project if no gate is known.
pub(crate) fn open(cx: &mut Cx<'_>) {
    let scope = match cx.model.inbox.selected() {
        Some(entry) if entry.status != Status::Malformed => {
            Scope::Gate { packet: entry.path.to_path_buf(), answer_path: None }
        }
        Some(_) => {
            let says = say(
                "An unusable packet does not say where its answers go; this is the history of the whole project.",
                "这个指令包无法使用，不知道回答写在哪里；这里显示整个项目的历史。",
            );
            cx.say(Tone::Plain, says);
            Scope::Project
        }
        None => Scope::Project,
    };
    // It stays selected, whatever its state.
    cx.model.inbox.moved = true;
    cx.ask(
        move |files| files.read_history(&scope, "", None),
        |found, cx| {
            let history = HistoryView::new(found);
            history.load_entry(cx);
            cx.go(history);
            cx.on::<HistoryView>(HistoryView::read_on);
        },
    );
}

const NO_RECORD: Sentence =
    say("This entry was sent back: there is no record to put back.", "这一条是退回，没有可以放回的记录。");

impl HistoryView {
    /// Why the selected entry cannot be put back; nothing if it can.
    fn offer_to_put_back(&self) -> Option<Available> {
        let selected = self.selected()?;
        if selected.is_refusal() {
            return Some(No(NO_RECORD));
        }
        self.is_there(selected).then_some(No(s::is_there(selected)))
    }

    fn layout(&self, model: &Model) -> Panes {
        layout::inbox(model.size, self.found.all, self.filter.is_some())
    }

    /// A history that has just been read, at its newest entry.
    fn new(found: HistoryFound) -> HistoryView {
        let (list, scroll) = (Scroll::default(), Scroll::default());
        HistoryView { found, detail: None, filter: None, gate: None, from: None, row: 0, list, scroll }
    }

    pub fn selected(&self) -> Option<&Arc<HistoryEntry>> {
        self.found.rows.get(self.row)
    }

    /// The entry under the cursor with what it says, once it was read.
    pub fn shown(&self) -> Option<&EntryDetail> {
        let selected = self.selected()?;
        self.detail.as_ref().filter(|detail| detail.entry.id() == selected.id())
    }

    /// Whether the record that was there is this entry.
    pub fn is_there(&self, entry: &HistoryEntry) -> bool {
        self.found.known.get(&entry.id()).is_some_and(|known| known.is_there)
    }

    /// The rows up to so far from the selected one.
    fn near(&self, far: usize) -> &[Arc<HistoryEntry>] {
        let rows = &self.found.rows;
        &rows[self.row.saturating_sub(far)..(self.row + far).min(rows.len())]
    }

    pub fn words(&self) -> &str {
        ListFilter::words(self.filter.as_ref())
    }

    /// Where is looked for what stands there now: words that were begun in the history of a gate, in all of them.
    fn scope(&self) -> &Scope {
        match &self.gate {
            Some(_) if !self.words().is_empty() => &Scope::Project,
            Some(gate) => gate,
            None => &self.found.scope,
        }
    }

    /// Whether what is shown was found by the words that stand there now.
    fn is_searched(&self) -> bool {
        self.is_wanted(&self.found)
    }

    fn is_wanted(&self, found: &HistoryFound) -> bool {
        self.words() == found.words && self.scope().packet() == found.scope.packet()
    }

    /// Whether Enter searches first for the words that are being typed.
    fn is_to_search(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.focused) && !self.is_searched()
    }

    fn has_pane(&self, model: &Model) -> bool {
        !self.layout(model).detail.is_empty()
    }

    /// The packets that may ask for an entry, the one whose history is shown first. Reading them shows which do, links
    /// included.
    fn packets_of(&self, entry: &HistoryEntry, model: &Model) -> Vec<PathBuf> {
        let wanted = entry.answer_path.lossy();
        let name = wanted.rsplit('/').next();
        let asks = |packet: &&Arc<Entry>| {
            packet.answer_path.as_ref().is_some_and(|path| path.lossy().rsplit('/').next() == name)
        };
        let listed = model.inbox.entries.iter().filter(asks).map(|packet| packet.path.to_path_buf());
        self.found.scope.packet().map(PathBuf::from).into_iter().chain(listed).collect()
    }

    /// From one gate to the whole project, and from there to the gate of the selected entry.
    fn read_other_scope(&mut self, cx: &mut Cx<'_>) {
        let gate = self.gate.take();
        let scope = match (&self.found.scope, self.selected()) {
            (Scope::Gate { .. }, _) => Scope::Project,
            (Scope::Project, None) => gate.unwrap_or(Scope::Project),
            (Scope::Project, Some(entry)) => {
                let listed = self.packets_of(entry, cx.model).into_iter().next();
                let packet = listed.or_else(|| entry.packet.as_ref().map(PathBuf::from));
                // Of a packet's text, the gate that it carries now.
                let carried = || cx.model.inbox.entry_at(packet.as_ref()?)?.answer_path.clone();
                let is_packet = entry.kind() == EntryKind::Packet;
                let answer_path =
                    is_packet.then(carried).flatten().or_else(|| Some(entry.answer_path.clone()));
                Scope::Gate { packet: packet.unwrap_or_default(), answer_path }
            }
        };
        self.read(scope, cx);
    }

    /// Reads a history, before any other key.
    fn read(&self, scope: Scope, cx: &mut Cx<'_>) {
        let words = self.words().to_owned();
        let work = move |files: &Files| files.read_history(&scope, &words, None);
        cx.ask(work, |found, cx| {
            cx.on::<HistoryView>(|history, cx| {
                if history.is_wanted(&found) {
                    history.take(found);
                } else {
                    let filter = history.filter.take();
                    *history = HistoryView { filter, ..HistoryView::new(found) };
                }
                history.load_entry(cx);
                history.read_on(cx);
            });
        });
    }

    /// Searches, unless the result is shown already. No key waits for it: of words typed faster than the search, only the
    /// last ones are searched for.
    fn search(&mut self, cx: &mut Cx<'_>) {
        if !self.is_searched() {
            self.look(false, cx);
        }
    }

    /// Takes over a new reading, unless the author searches for something else now.
    pub fn refresh(&mut self, found: HistoryFound) -> bool {
        let is_wanted = self.is_wanted(&found);
        if is_wanted {
            self.take(found);
        }
        is_wanted
    }

    /// Takes over a new reading; the selection stays with its entry, or in its row if that is gone.
    fn take(&mut self, found: HistoryFound) {
        let (was, from) =
            (self.selected().map(|entry| entry.id()), self.from.take_if(|_| found.words.is_empty()));
        let was = from.or(was);
        let searched = found.words != self.found.words;
        self.found = found;
        self.gate.take_if(|_| self.found.words.is_empty());
        let place = self.found.rows.iter().position(|entry| Some(entry.id()) == was);
        if place.is_none() || searched {
            self.scroll.reset();
        }
        let last = self.found.rows.len().saturating_sub(1);
        self.row = place.unwrap_or(if searched { 0 } else { self.row.min(last) });
    }

    fn load_entry(&self, cx: &mut Cx<'_>) {
        let Some(entry) = self.selected().cloned() else { return };
        self.load_known(cx);
        cx.tell(
            Some("entry"),
            move |files| Some(read::load_entry(&entry, &files.project)),
            |detail, cx| {
                cx.on::<HistoryView>(|history, cx| {
                    cx.unchanged = history.detail.as_ref() == Some(&detail);
                    history.detail = Some(detail);
                });
            },
        );
    }

    /// Reads what there is to know of the entries that come near.
    fn load_known(&self, cx: &mut Cx<'_>) {
        if self.near(NEAR / 2).iter().all(|entry| self.found.known.contains_key(&entry.id())) {
            return;
        }
        let (entries, words) = (self.near(NEAR).to_vec(), self.found.words.clone());
        cx.show(
            "rows",
            move |files| (files.known(&entries, &words), words),
            |(known, words), cx| {
                cx.on::<HistoryView>(|history, _| {
                    if history.found.words == words {
                        history.found.known.extend(known);
                    }
                });
            },
        );
    }

    fn see_restore(&self, cx: &mut Cx<'_>) {
        if let Some(entry) = self.selected() {
            read::begin_restore(HistoryEntry::clone(entry), self.packets_of(entry, cx.model), cx);
        }
    }
}
