//! The footer's hints: those of the key map that are available here, called what they do here.

use super::page::is_answered;
use crate::ask::Kind;
use crate::console::action::Action;
use crate::console::available::{Available, available};
use crate::console::context::{Context, context};
use crate::console::keymap::Binding;
use crate::console::model::{Focus, Form, Model, Over, Row, Screen};
use crate::console::view::layout;

/// A key with what it is called here.
pub(super) type Hint<'m> = (&'m Binding, &'static str);

/// The most wanted one first.
pub(super) fn hints<'m>(model: &'m Model) -> Vec<Hint<'m>> {
    let here = context(model);
    let wanted = wanted(model, here);
    let mut bindings = model.keymap.hints(here);
    // The others stay in the order of the key map.
    bindings.sort_by_key(|binding| wanted.iter().position(|action| *action == binding.action).unwrap_or(9));
    let hint = |binding: &'m Binding| {
        let says = match available(model, &binding.action) {
            Available::Yes => binding.says,
            Available::As(says) => says,
            Available::Unlisted | Available::No(_) => return None,
        };
        Some((binding, says.text(model.lang)))
    };
    bindings.into_iter().filter_map(hint).collect()
}

/// What the author is likely to do next, as things stand. What is not available is left out later.
fn wanted(model: &Model, here: Context) -> Vec<Action> {
    match (here, &model.form) {
        (Context::Inbox, _) if model.inbox.is_empty() => vec![Action::Back],
        (Context::Inbox, _)
            if model.inbox.selected().is_some_and(|entry| model.inbox.later(entry).is_some()) =>
        {
            vec![Action::Accept, Action::Later]
        }
        // The details are nowhere to be seen.
        (Context::Inbox, _) if layout::list_of(model).detail.is_empty() => {
            vec![Action::Accept, Action::Expand]
        }
        (Context::Choice | Context::Multi | Context::Field, Some(form)) => in_form(model, form),
        (Context::Review, Some(form)) if !form.draft.missing(form.spec()).is_empty() => vec![Action::Accept],
        (Context::Receipt, _) if !model.can_take_back() => vec![Action::UndoRedo],
        (Context::Detail, _) if matches!(model.over, Some(Over::Edited(..))) => vec![Action::Editor],
        (Context::Detail, _) if model.screen == Screen::Inbox => vec![Action::Accept],
        (Context::Story, _) => vec![Action::Accept],
        _ => Vec::new(),
    }
}

fn in_form(model: &Model, form: &Form) -> Vec<Action> {
    let many = form.note.as_ref().map_or(&form.field, |note| &note.field).is_multiline();
    let typing = form.focus == Focus::Field;
    if form.note.is_some() {
        return if many { vec![Action::Note] } else { vec![Action::Accept] };
    }
    if typing && !form.is_free_text() {
        let blank = form.field.text().trim().is_empty();
        return vec![if blank { Action::Back } else { Action::Accept }];
    }
    let Some((asked, reply)) = form.question().zip(form.reply()) else { return Vec::new() };
    // The cursor is on another option than the one that is chosen: it is about to be chosen.
    let undecided = asked.kind == Kind::SingleChoice
        && matches!(form.current_row(), Some(Row::Option(place)) if !reply.has(place));
    let paged = !typing && form.row_count(form.at) > layout::page_rows(model, form);
    let mut replies = form.spec().questions.iter().zip(&form.draft.replies);
    if !undecided && replies.all(|(question, reply)| is_answered(question, reply)) {
        return if paged {
            vec![Action::Review, Action::Accept, Action::Pick, Action::Filter]
        } else {
            vec![Action::Review, Action::OtherAnswer]
        };
    }
    if typing && many {
        vec![Action::Next, Action::Review]
    } else if asked.kind == Kind::MultiChoice && reply.picks.is_empty() {
        vec![Action::Pick]
    } else if paged {
        vec![Action::Accept, Action::Pick, Action::Filter, Action::PageDown]
    } else {
        Vec::new()
    }
}
