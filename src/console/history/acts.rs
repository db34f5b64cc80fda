//! The history of a gate or of the project: moving, searching.
//!
//! Contract:
//! * Reading and searching happen elsewhere; the list stays as it is until the result comes.
//! * Entries that come or go meanwhile are shown; the selection stays with its entry.

use super::{HistoryEntry, HistoryFound, HistoryView, Scope, restore};
use crate::console::action::Action;
use crate::console::draw::layout;
use crate::console::draw::painter::Painter;
use crate::console::draw::scroll::Scroll;
use crate::console::draw::sheet::Sheet;
use crate::console::files::Files;
use crate::console::inbox::ListFilter;
use crate::console::inbox::load::load_selected;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Place, Status, Tone};
use crate::console::page::Page;
use crate::console::screen::Available::{self, As, No, Yes};
use crate::console::screen::{Cx, Part, Screen, View};
use crate::text::{Sentence, say};
use std::path::PathBuf;

const HISTORY_OF_PROJECT_INSTEAD: Sentence = say(
    "An unusable packet does not say where its answers go; this is the history of the whole project.",
    "这个指令包无法使用，不知道回答写在哪里；这里显示整个项目的历史。",
);

impl Screen for HistoryView {
    fn context(&self, _model: &Model) -> Context {
        ListFilter::context(self.filter.as_ref(), Context::History, Context::HistoryFilter)
    }

    fn place(&self) -> Option<Place> {
        Some(Place::History)
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let empty = self.found.rows.is_empty();
        let gate = self.found.scope.packet().is_some();
        match action {
            // What is found has not been seen yet.
            Action::Accept if self.is_to_search() => As(say("search", "查找")),
            Action::Accept | Action::Expand if empty => No(None),
            // What is not seen is shown before it is put back.
            Action::Accept if !self.has_pane(view.model) => As(say("show", "查看")),
            Action::Next if gate => As(say("whole project", "整个项目")),
            Action::Next if empty => No(None),
            Action::Next => As(say("only this gate", "只看此门控")),
            _ => Yes,
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Edit(edit) => {
                if ListFilter::edit(&mut self.filter, edit) {
                    self.search(cx);
                }
            }
            Action::Accept if self.is_to_search() => {
                self.focus(false);
                // The next key is for the result of the search.
                self.read_again(cx);
            }
            Action::Back if self.filter.is_some() => {
                self.filter = None;
                self.search(cx);
            }
            Action::Back => {
                cx.go_home();
                load_selected(cx);
            }
            Action::Next | Action::Previous => self.read_other_scope(cx),
            Action::Filter => self.focus(true),
            Action::Accept => {
                if self.filter.is_some() {
                    self.focus(false);
                }
                // An entry that is not on the screen is shown before it is restored.
                if self.has_pane(cx.model) { self.restore(cx) } else { cx.cover(Page::new(Part::Whole)) }
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
        (*action == Action::Accept).then(|| As(say("restore", "恢复")))
    }

    fn act_on_page(&mut self, action: Action, cx: &mut Cx<'_>) {
        if action == Action::Accept {
            self.restore(cx);
        }
    }

    /// Commands and executors add to it too.
    fn look(&mut self, _listed: bool, cx: &mut Cx<'_>) {
        // A stamp is of use only for the words that were read.
        let stamp = self.found.stamp.filter(|_| self.is_searched());
        self.reread(stamp, self.found.seen.clone(), cx);
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        super::draw::draw(view.model, self, painter);
    }

    fn write(&self, _part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        super::page::write(model, self, sheet);
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
            cx.say(Tone::Plain, HISTORY_OF_PROJECT_INSTEAD);
            Scope::Project
        }
        None => Scope::Project,
    };
    // It stays selected, whatever its state.
    cx.model.inbox.moved = true;
    cx.ask(
        move |files| files.read_history(&scope, ""),
        |found, cx| {
            let history = HistoryView::new(found);
            history.load_entry(cx);
            cx.go(history);
        },
    );
}

impl HistoryView {
    fn has_pane(&self, model: &Model) -> bool {
        !layout::history_of(model, self).detail.is_empty()
    }

    fn focus(&mut self, focused: bool) {
        self.filter.get_or_insert_with(ListFilter::open).focused = focused;
    }

    /// Restores the selected entry, beginning with finding out what that means.
    fn restore(&self, cx: &mut Cx<'_>) {
        if let Some(entry) = self.selected() {
            let packets = self.packets_of(entry, cx.model);
            restore::begin(Box::new(HistoryEntry::clone(entry)), packets, cx);
        }
    }

    /// The packets that may ask for an entry, the one whose history is shown first. Reading them shows which do, links
    /// included.
    fn packets_of(&self, entry: &HistoryEntry, model: &Model) -> Vec<PathBuf> {
        let shown = self.found.scope.packet();
        let wanted = entry.answer_path.lossy();
        let name = wanted.rsplit('/').next();
        let asks = |packet: &&crate::store::entry::Entry| {
            packet.answer_path.as_ref().is_some_and(|path| path.lossy().rsplit('/').next() == name)
        };
        let listed = model.inbox.entries.iter().map(AsRef::as_ref).filter(asks);
        shown.map(PathBuf::from).into_iter().chain(listed.map(|entry| entry.path.to_path_buf())).collect()
    }

    /// From one gate to the whole project, and from there to the gate of the selected entry.
    fn read_other_scope(&self, cx: &mut Cx<'_>) {
        let scope = match (&self.found.scope, self.selected()) {
            (Scope::Gate { .. }, _) => Scope::Project,
            (Scope::Project, None) => return,
            (Scope::Project, Some(entry)) => {
                let listed = self.packets_of(entry, cx.model).into_iter().next();
                let packet = listed.or_else(|| entry.packet.as_ref().map(PathBuf::from));
                let answer_path = Some(entry.answer_path.clone());
                Scope::Gate { packet: packet.unwrap_or_default(), answer_path }
            }
        };
        self.read(scope, cx);
    }

    /// Reads what is shown again, before any other key.
    pub(crate) fn read_again(&self, cx: &mut Cx<'_>) {
        self.read(self.found.scope.clone(), cx);
    }

    fn read(&self, scope: Scope, cx: &mut Cx<'_>) {
        let words = self.words().to_owned();
        let work = move |files: &Files| files.read_history(&scope, &words);
        cx.ask(work, |found, cx| {
            cx.on::<HistoryView>(|history, cx| {
                if history.found.scope.is_same(&found.scope) {
                    history.take(found);
                } else {
                    let filter = history.filter.take();
                    *history = HistoryView { filter, ..HistoryView::new(found) };
                }
                history.load_entry(cx);
            });
        });
    }

    /// Searches, unless the result is shown already. No key waits for it: of words typed faster than the search, only the
    /// last ones are searched for.
    fn search(&self, cx: &mut Cx<'_>) {
        if !self.is_searched() {
            self.reread(None, None, cx);
        }
    }

    /// Reads it again, unless stamp and record are what they were; dropped if the author searches for something else then.
    fn reread(&self, stamp: Option<u128>, seen: Option<String>, cx: &mut Cx<'_>) {
        let (scope, words) = (self.found.scope.clone(), self.words().to_owned());
        let work = move |files: &Files| files.reread_history(&scope, &words, stamp, seen.as_deref());
        cx.tell("history", work, |found: HistoryFound, cx| {
            cx.on::<HistoryView>(|history, cx| {
                if history.refresh(found) {
                    history.load_entry(cx);
                }
            });
        });
    }

    /// Takes over a new reading, unless the author searches for something else now.
    pub fn refresh(&mut self, found: HistoryFound) -> bool {
        let is_wanted = self.found.scope.is_same(&found.scope) && self.words() == found.words;
        if is_wanted {
            self.take(found);
        }
        is_wanted
    }

    /// Loads the selected entry.
    fn load_entry(&self, cx: &mut Cx<'_>) {
        let Some(entry) = self.selected().cloned() else { return };
        cx.tell(
            "entry",
            move |_| Some(super::read::load_entry(&entry)),
            |detail, cx| cx.on::<HistoryView>(|history, _| history.detail = Some(detail)),
        );
    }
}
