//! What an action does where the author is: `update` leaves out what does nothing, and the footer shows the rest.

use super::action::Action;
use super::context::{Context, context};
use super::field::{Edit, filter_line};
use super::model::{BatchRecord, Form, Model, Over, Row, Screen, Status, Undo, Written};
use super::sentences as s;
use super::view::{layout, page};
use crate::ask::{Kind, Question};
use crate::text::{Sentence, say};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Available {
    /// It does what the key map says.
    Yes,
    /// It has another name here.
    As(Sentence),
    /// It acts, or says why it cannot; the footer leaves it out, because another key does the same or is wanted more.
    Unlisted,
    /// It does nothing; with the reason, where the author may wonder.
    No(Option<Sentence>),
}

use Available::{As, No, Unlisted, Yes};

/// What Enter does with a gate that can be neither answered nor repaired.
const DETAILS: Sentence = say("details", "详情");

impl Model {
    /// Whether the records of several packets that are shown as just written can be taken back. Where ours was replaced or
    /// removed, the key puts it back first.
    pub fn can_take_back(&self) -> bool {
        match (&self.over, &self.receipt) {
            (Some(Over::Batch(records)), _) => records.iter().any(|record| record.done.is_ok()),
            (_, Some(written)) if self.screen == Screen::Receipt => {
                !written.is_lost() && written.is_of_several()
            }
            _ => false,
        }
    }

    /// Those records.
    pub fn just_written(&self) -> Vec<BatchRecord> {
        match (&self.over, &self.receipt) {
            (Some(Over::Batch(records)), _) => {
                records.iter().filter(|record| record.done.is_ok()).cloned().collect()
            }
            (_, written) => written.as_ref().map(Written::several).unwrap_or_default(),
        }
    }
}

pub fn available(model: &Model, action: &Action) -> Available {
    let here = context(model);
    if let Action::Edit(Edit::Insert(text)) = action {
        return words(model, here, text);
    }
    let in_form = matches!(model.screen, Screen::Form | Screen::Review);
    if *action == Action::Story && matches!(here, Context::Inbox | Context::InboxFilter) {
        return if model.inbox.is_empty() { No(None) } else { Unlisted };
    }
    if *action == Action::Story && model.story_files().is_none() {
        return No(in_form.then_some(s::NO_STORY));
    }
    if *action == Action::HandBack {
        return match model.relayed() {
            Some(_) if model.is_orphaned() => As(say("take it away", "撤下")),
            Some(_) => Yes,
            None => No(Some(s::NOT_RELAYED)),
        };
    }
    match (here, &model.form) {
        // Digits are text there, and the filter has the keys already.
        (_, _) if here.is_filter() && matches!(action, Action::Filter | Action::Number(_)) => Unlisted,
        (Context::Story | Context::StorySearch, _) => in_story(model, action),
        (Context::InboxFilter | Context::HistoryFilter, _) if *action == Action::Back => Yes,
        (Context::Inbox | Context::InboxFilter, _) => in_inbox(model, action),
        (Context::Choice | Context::Multi, Some(form)) => in_question(model, form, action),
        // It ends the note.
        (Context::Field, _) if model.screen == Screen::Review && *action == Action::Review => Unlisted,
        (Context::Field, Some(form)) => in_field(form, action),
        (Context::ChoiceFilter | Context::MultiFilter | Context::WordsFilter, Some(form)) => {
            in_filter(model, form, action)
        }
        (Context::Packets, Some(form)) => in_packets(form, action),
        (Context::Review, Some(form)) => in_review(form, action),
        (Context::Receipt, _) => in_receipt(model, action),
        (Context::History | Context::HistoryFilter, _) => in_history(model, action),
        (Context::Detail, _) => on_page(model, action),
        (Context::Help, _) => scroll_down(model, action),
        _ => Yes,
    }
}

/// Words that were typed or pasted: into a field, into the filter of a list, or nowhere.
fn words(model: &Model, here: Context, text: &str) -> Available {
    let question = || model.form.as_ref().filter(|_| model.screen == Screen::Form && model.over.is_none());
    let takes_all = |question: &Question| question.kind == Kind::FreeText || question.allow_other;
    match here {
        Context::Field => Yes,
        Context::Review | Context::Receipt | Context::Detail | Context::Help => {
            No(Some(s::NO_PLACE_FOR_WORDS))
        }
        _ if filter_line(text).is_some() || question().and_then(Form::question).is_some_and(takes_all) => Yes,
        _ => No(Some(s::TOO_MUCH_TO_FILTER)),
    }
}

fn in_inbox(model: &Model, action: &Action) -> Available {
    let empty = model.inbox.is_empty();
    match action {
        Action::Accept | Action::Expand | Action::Next | Action::Previous if empty => No(None),
        Action::Expand if on_gate(model, &Action::Accept) == As(DETAILS) => Unlisted,
        Action::Back if model.inbox.filter.is_none() => Unlisted,
        Action::Accept | Action::Redo | Action::UndoRedo | Action::Editor => on_gate(model, action),
        Action::Later => match model.inbox.selected() {
            None => No(None),
            Some(entry) if model.inbox.later(entry).is_some() => As(say("bring back", "取回")),
            Some(entry) if entry.held_up() && !entry.past => Yes,
            Some(_) => No(Some(s::NOTHING_TO_PUT_OFF)),
        },
        _ => Yes,
    }
}

/// What is done to the selected gate, in the list or on the page of its details.
fn on_gate(model: &Model, action: &Action) -> Available {
    let (listed, readable) = (model.over.is_none(), !model.is_unreadable());
    let status = model.inbox.selected().map(|entry| entry.status);
    match (action, status) {
        (Action::UndoRedo, _) => undo_redo(model),
        (Action::Accept, Some(Status::Waiting)) => As(s::ANSWER),
        (Action::Accept, Some(Status::Blocked)) if readable => As(say("repair", "修复")),
        (Action::Accept, Some(_)) if listed => As(DETAILS),
        (Action::Accept, _) => No(None),
        (Action::Editor, Some(_)) if model.has_edited() => Yes,
        (Action::Editor, Some(Status::Answered)) if listed => Unlisted,
        (_, Some(Status::Answered | Status::Blocked)) if readable => Yes,
        (_, Some(Status::Answered | Status::Blocked)) => Unlisted,
        (Action::Editor, _) => No(Some(s::NOTHING_TO_EDIT)),
        (_, Some(_)) => No(Some(s::NOTHING_TO_REDO)),
        (_, None) => No(None),
    }
}

fn undo_redo(model: &Model) -> Available {
    let here = model.inbox.redone.is_some() && model.inbox.redone == model.inbox.selected_path();
    let unknown = model.inbox.current_detail().is_none();
    match (model.undo(), model.redone()) {
        (Some(Undo::Written { .. }), _) => As(s::CTRL_U_PUTS_BACK),
        (None, None) if here || unknown => Unlisted,
        (None, None) => No(Some(s::NOTHING_TO_UNDO)),
        (None, Some(_)) if model.over.is_some() => Unlisted,
        _ => As(say("undo the redo", "撤销重做")),
    }
}

fn in_question(model: &Model, form: &Form, action: &Action) -> Available {
    let free = form.is_free_text();
    let filtered = form.view().is_some_and(|view| view.filter.is_some());
    let row = form.current_row();
    let other = matches!(row, Some(Row::Other | Row::Typed));
    let multi = form.question().is_some_and(|question| question.kind == Kind::MultiChoice);
    match action {
        Action::Accept if free => As(say("write", "填写")),
        Action::Accept if other => As(s::OTHER_HINT),
        Action::Pick if other => Unlisted,
        Action::Pick | Action::Filter if free => No(None),
        Action::Pick | Action::All | Action::Invert if row.is_none() => No(None),
        Action::Accept if row.is_none() && !multi => No(None),
        Action::Number(_) if free => Unlisted,
        Action::Back if filtered => As(say("clear filter", "清除筛选")),
        // The key that shows all again is wanted more.
        Action::Number(_) if filtered => Unlisted,
        Action::PageDown if form.is_last_page(layout::page_rows(model, form)) => Unlisted,
        Action::Previous if form.at == 0 => No(None),
        Action::TakeBack if !form.can_take_back() => No(Some(s::NOTHING_TO_UNDO)),
        _ => of_form(form, form.at, action),
    }
}

fn in_filter(model: &Model, form: &Form, action: &Action) -> Available {
    let row = form.current_row();
    let own_words = matches!(row, Some(Row::Typed | Row::Other));
    match action {
        Action::Accept | Action::Pick if row.is_none() => No(None),
        Action::Accept if own_words => As(s::OTHER_HINT),
        Action::Pick if own_words || !form.space_ticks() => Unlisted,
        Action::Accept | Action::Pick | Action::Back => Yes,
        _ => in_question(model, form, action),
    }
}

fn in_field(form: &Form, action: &Action) -> Available {
    let noted = form.note.is_some();
    let field = form.note.as_ref().map_or(&form.field, |note| &note.field);
    let many = noted || form.is_free_text();
    match action {
        Action::OtherAnswer if noted => No(None),
        Action::Next | Action::Previous if noted => Unlisted,
        Action::Note if noted && !field.is_multiline() => Unlisted,
        Action::Note if noted => As(s::DONE),
        Action::Accept if noted && !field.is_multiline() => As(s::DONE),
        // It leaves the field, as Esc does.
        Action::Previous if form.at == 0 => Unlisted,
        Action::Accept if !many => As(say("choose it", "采用")),
        Action::Edit(Edit::Newline) | Action::Multiline | Action::OtherAnswer if !many => No(None),
        Action::Accept if field.is_multiline() => As(say("new line", "换行")),
        Action::Edit(Edit::Newline) if field.is_multiline() => Unlisted,
        Action::Next if !field.is_multiline() => Unlisted,
        // Several lines do not fit one.
        Action::Multiline if field.text().contains('\n') => No(None),
        _ => of_form(form, form.at, action),
    }
}

fn in_review(form: &Form, action: &Action) -> Available {
    match action {
        Action::Editor if form.status.repair.is_none() => No(None),
        Action::All if form.status.repair.is_some() => No(None),
        Action::All => match &form.status.batch {
            None => No(Some(s::LOOKING_FOR_PACKETS)),
            Some(batch) if batch.gates.is_empty() => No(Some(s::NO_OTHER_PACKETS)),
            Some(_) => Yes,
        },
        Action::Note if form.review_question().is_none() => No(None),
        Action::Accept if form.is_missing_in_review() => As(s::ANSWER),
        Action::Submit if !form.draft.missing(form.spec()).is_empty() => {
            As(say("to what is missing", "去补答"))
        }
        // What is in the way is said above.
        Action::Submit if form.gate.refusal.is_some() || form.status.warnings.has_other_record() => Unlisted,
        // The last row may belong to no question.
        _ => of_form(form, form.review_question().unwrap_or(usize::MAX), action),
    }
}

fn in_packets(form: &Form, action: &Action) -> Available {
    let list = form.status.batch.as_ref().and_then(|batch| batch.list.as_ref());
    match action {
        Action::Pick | Action::All if list.is_none_or(|list| list.hits.is_empty()) => No(None),
        Action::Review => No(Some(s::TICKS_FIRST)),
        Action::Note | Action::Story => No(None),
        _ => Yes,
    }
}

/// What the whole form has, and the question at this place.
fn of_form(form: &Form, at: usize, action: &Action) -> Available {
    match action {
        Action::OtherAnswer if !form.has_other_answer(at) => No(Some(s::NO_OTHER_ANSWER)),
        Action::Changes if !form.status.has_changes() => No(Some(s::NOTHING_CHANGED)),
        _ => Yes,
    }
}

fn in_receipt(model: &Model, action: &Action) -> Available {
    let last = model.next_waiting().is_none();
    match action {
        Action::UndoRedo => put_back(model),
        Action::Accept if last => As(say("inbox", "返回列表")),
        Action::Back if last => Unlisted,
        _ => Yes,
    }
}

fn put_back(model: &Model) -> Available {
    if model.can_take_back() {
        return As(s::TAKE_BACK);
    }
    let possible = model.receipt.as_ref().is_some_and(|written| written.progress.can_be_put_back());
    if possible { As(s::CTRL_U_PUTS_BACK) } else { Unlisted }
}

fn in_history(model: &Model, action: &Action) -> Available {
    let Some(history) = &model.history else { return Yes };
    let empty = history.found.rows.is_empty();
    let gate = history.found.scope.packet().is_some();
    match action {
        // What is found has not been seen yet.
        Action::Accept if history.is_to_search() => As(say("search", "查找")),
        Action::Accept | Action::Expand if empty => No(None),
        // What is not seen is shown before it is put back.
        Action::Accept if layout::list_of(model).detail.is_empty() => As(say("show", "查看")),
        Action::Next if gate => As(say("whole project", "整个项目")),
        Action::Next if empty => No(None),
        Action::Next => As(say("only this gate", "只看此门控")),
        _ => Yes,
    }
}

/// On the details of a screen, or what else is shown as a page over it.
fn on_page(model: &Model, action: &Action) -> Available {
    let edited = matches!(model.over, Some(Over::Edited(..)));
    let details = matches!(model.over, Some(Over::Detail));
    let form = model.form.as_ref();
    let repairs = form.is_some_and(|form| form.status.repair.is_some());
    match (action, model.screen) {
        (Action::Editor | Action::Clear, _) if edited => Yes,
        (Action::Accept | Action::Redo | Action::UndoRedo | Action::Editor, Screen::Inbox) if details => {
            on_gate(model, action)
        }
        (Action::Accept, Screen::History) if details => As(say("restore", "恢复")),
        (Action::UndoRedo, Screen::Receipt) if details => put_back(model),
        (Action::UndoRedo, _) if model.can_take_back() => As(s::TAKE_BACK),
        (Action::OtherAnswer, Screen::Form) => form.map_or(No(None), |form| of_form(form, form.at, action)),
        (Action::Editor, Screen::Form | Screen::Review) if repairs => Unlisted,
        (Action::Editor, _) => No(Some(s::NOTHING_TO_EDIT)),
        (Action::Accept | Action::Redo | Action::UndoRedo | Action::OtherAnswer | Action::Clear, _) => {
            No(None)
        }
        _ => scroll_down(model, action),
    }
}

fn in_story(model: &Model, action: &Action) -> Available {
    let searching = model.story.search.as_ref().is_some_and(|search| search.focused);
    match action {
        Action::Story => Unlisted,
        Action::Accept if searching => Yes,
        Action::Accept if model.story.words().is_empty() => No(None),
        Action::Down | Action::PageDown if is_story_at_its_end(model) => No(None),
        Action::Next | Action::Previous if model.story_files().is_none_or(|files| files.list.len() < 2) => {
            No(None)
        }
        _ => Yes,
    }
}

/// Whether nothing of the file is below what is shown.
fn is_story_at_its_end(model: &Model) -> bool {
    let Some((path, place)) = model.story_shown() else { return true };
    let Some(Ok(shown)) = model.story.text(path) else { return true };
    let text = layout::story(model).text;
    place >= shown.last(text.height.into(), text.width.max(1).into())
}

fn scroll_down(model: &Model, action: &Action) -> Available {
    if *action == Action::Down && page::last_scroll(model) <= model.scroll { No(None) } else { Yes }
}
