//! What the author is asked of the whole book: the files of standing questions, what else can be asked, and how much he wants to
//! decide.
//!
//! Contract:
//! * Every change is done to the files, and the packets follow at once; what is shown is read from the files again.
//! * The cursor stays with its row, whoever changes the files.
//! * Nothing that is on is switched off, and no answer loses its force, without a question.

mod acts;
mod asked;
pub mod change;
pub mod draw;
pub mod edit;
mod read;
pub mod step_row;
pub mod steps;
pub mod view;

use self::view::{QuestionsView, Row};
use crate::console::action::Action;
use crate::console::draw::layout::{self, Panes};
use crate::console::draw::painter::Painter;
use crate::console::draw::scroll::Scroll;
use crate::console::draw::sheet::Sheet;
use crate::console::files::Files;
use crate::console::inbox::ListFilter;
use crate::console::inbox::loading::back_to_list;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Place, Status};
use crate::console::page::Page;
use crate::console::screen::Available::{self, As, No, Unlisted, Yes};
use crate::console::screen::{Cx, Part, Screen, View};
use crate::console::sentences as s;
use crate::text::{Sentence, say};

const NO_FILE: Sentence = say(
    "This is no file of the book: there is nothing to change in it.",
    "这一行不是书中的文件，没有可改的。",
);

impl Screen for QuestionsView {
    fn context(&self, _model: &Model) -> Context {
        ListFilter::context(self.filter.as_ref(), Context::Questions, Context::QuestionsFilter)
    }

    fn place(&self) -> Option<Place> {
        Some(Place::Questions)
    }

    /// Several steps are decided in one sitting.
    fn leads_back(&self) -> bool {
        true
    }

    fn offer(&self, action: &Action, _view: View<'_>) -> Available {
        match (action, self.selected()) {
            (Action::Back, _) if self.filter.is_some() => As(s::CLEAR_FILTER),
            (Action::Accept | Action::Pick | Action::Expand | Action::Redo | Action::Editor, None) => {
                No(s::NOTHING_LISTED)
            }
            (Action::Accept, Some(Row::File(_) | Row::Template(_))) => As(say("how it looks", "看看问法")),
            // Another key does the same.
            (Action::Pick, Some(Row::Gate(_) | Row::Set(_) | Row::Step(_))) => {
                match self.offer_on_row(action) {
                    No(why) => No(why),
                    _ => Unlisted,
                }
            }
            (Action::Accept | Action::Pick | Action::Redo | Action::UndoRedo | Action::Editor, _) => {
                self.offer_on_row(action)
            }
            _ => Yes,
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Edit(edit) => {
                if self.words().is_empty() {
                    self.from = self.selected().map(Row::key);
                }
                if ListFilter::edit(&mut self.filter, edit) {
                    self.search(cx.model);
                }
            }
            Action::Filter => ListFilter::focus(&mut self.filter),
            Action::Back if self.filter.is_some() => {
                self.from = self.selected().map(Row::key).or(self.from.take());
                self.filter = None;
                self.search(cx.model);
            }
            Action::Back => back_to_list(cx),
            Action::Accept => {
                ListFilter::leave(&mut self.filter);
                match self.selected() {
                    Some(Row::Set(_) | Row::Gate(_)) => self.act_on_row(&action, cx),
                    Some(Row::Step(row)) if row.record.is_none() => self.act_on_row(&action, cx),
                    _ => cx.cover(Page::new(Part::Whole)),
                }
            }
            Action::Pick | Action::Redo | Action::UndoRedo | Action::Editor => self.act_on_row(&action, cx),
            action => {
                if let Some(row) = action.row_from(self.row, draw::page_of(self, &action)) {
                    self.row = row.min(self.passing.len().saturating_sub(1));
                    self.scroll.reset();
                }
            }
        }
    }

    fn offer_on_page(&self, action: &Action, _model: &Model) -> Option<Available> {
        let is_shown = match self.selected() {
            Some(Row::File(_)) | None => true,
            // The page says what is decided.
            Some(Row::Step(row)) => row.question.is_decided,
            Some(_) => false,
        };
        let offered = match action {
            Action::Accept => !is_shown,
            action => matches!(action, Action::Redo | Action::UndoRedo | Action::Editor),
        };
        offered.then(|| self.offer_on_row(action))
    }

    fn act_on_page(&mut self, action: Action, cx: &mut Cx<'_>) {
        if self.offer_on_page(&action, cx.model).is_some() {
            cx.uncover();
            self.act_on_row(&action, cx);
        }
    }

    fn copied(&self, _view: View<'_>) -> Option<String> {
        let (Row::File(_) | Row::Gate(_), (_, name)) = (self.selected()?, self.selected()?.key()) else {
            return None;
        };
        Some(name)
    }

    /// Commands, editors and other consoles change them too.
    fn look(&mut self, _listed: bool, cx: &mut Cx<'_>) {
        let (packet, entries) = (self.packet.clone(), cx.model.inbox.entries.clone());
        let work = move |files: &Files| Some(files.read_questions(packet.as_deref(), &entries));
        cx.tell(Some("questions"), work, |rows, cx| {
            cx.on::<QuestionsView>(|view, cx| {
                cx.unchanged = view.rows == rows;
                let stays = view.take(rows, cx.model.lang);
                if !stays && cx.model.place == Place::Questions {
                    // It would become the page of another row.
                    cx.uncover();
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

/// Shows the standing questions of the book; what the selected gate asks can become one.
pub(crate) fn open(cx: &mut Cx<'_>) {
    let gate = cx.model.inbox.selected().filter(|entry| entry.status != Status::Malformed);
    let packet = gate.map(|entry| entry.path.to_path_buf());
    // It stays selected, whatever its state.
    cx.model.inbox.moved = true;
    let entries = cx.model.inbox.entries.clone();
    cx.ask(
        move |files| Ok((files.read_questions(packet.as_deref(), &entries), packet)),
        |(rows, packet), cx| cx.go(QuestionsView::new(packet, rows)),
    );
}

impl QuestionsView {
    fn layout(&self, model: &Model) -> Panes {
        layout::inbox(model.size, draw::lines(self).len(), self.filter.is_some())
    }

    fn search(&mut self, model: &Model) {
        let from = self.from.clone().filter(|_| self.words().is_empty());
        self.row = 0;
        self.refilter(from.as_ref(), model.lang);
        self.scroll.reset();
    }

    /// What can be done to the row under the cursor, in the list or on its page.
    fn offer_on_row(&self, action: &Action) -> Available {
        match (action, self.selected()) {
            (Action::UndoRedo, _) if self.taken.is_some() => As(say("put it back", "放回")),
            (Action::UndoRedo, _) if self.removed.is_some() => As(say("put it back", "放回文件")),
            (Action::UndoRedo, _) if self.selected_file().is_some_and(|row| row.is_edited) => {
                As(say("discard your edits", "丢弃改动"))
            }
            (Action::UndoRedo, _) => No(s::NOTHING_TO_UNDO),
            (action, Some(Row::Step(row))) => row.offer(action),
            (Action::Accept | Action::Pick, Some(Row::Gate(_))) => As(say("ask me this", "以后都问")),
            (Action::Accept | Action::Pick, Some(Row::Set(set))) if set.is_chosen() => {
                No(say("The book asks so already.", "书中本来就是这样问的。"))
            }
            (Action::Accept | Action::Pick, Some(Row::Set(_))) => As(say("take this set", "采用这一套")),
            (Action::Accept | Action::Pick, Some(Row::Template(_))) => As(say("ask me this", "放进书里")),
            (Action::Pick, _) => match self.selected_file() {
                Some(row) if row.is_on() => As(say("switch off", "关闭")),
                Some(row) if row.file.standing.is_some() => As(say("switch on", "打开")),
                Some(_) => No(say(
                    "It has mistakes: {editor} opens it in your editor, {redo} removes it.",
                    "文件有误：按 {editor} 用编辑器打开，按 {redo} 移走。",
                )),
                None => No(NO_FILE),
            },
            (Action::Editor, _) if self.selected_file().is_some() => As(say("edit", "编辑")),
            (Action::Redo, _) if self.selected_file().is_some() => As(say("remove", "移走")),
            _ => No(NO_FILE),
        }
    }
}
