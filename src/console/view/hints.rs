//! The footer's hints: those of the key map that do something here, with Enter called what it does.

use crate::ask::Kind;
use crate::console::context::context;
use crate::console::keymap::{self, Context};
use crate::console::model::{Focus, Form, Model, Over, Screen, Status, Undo};
use crate::console::sentences as s;
use crate::console::view::layout;
use crate::console::view::page;
use crate::text::{Sentence, say};

/// What is left out, and what Enter is called if not what the key map says.
type Change = (Vec<&'static str>, Option<Sentence>);
/// The same for another key.
type Called = Option<(&'static str, Sentence)>;

/// Key and words of each hint, the most wanted first.
pub(super) fn hints(model: &Model) -> Vec<(String, &'static str)> {
    let here = context(model);
    let (without, enter) = match here {
        Context::Inbox => in_inbox(model),
        Context::Choice | Context::Multi => {
            model.form.as_ref().map(|form| in_question(model, form)).unwrap_or_default()
        }
        Context::Field => model.form.as_ref().map(in_field).unwrap_or_default(),
        Context::Detail => in_detail(model),
        Context::Receipt => in_receipt(model),
        Context::History => in_history(model),
        Context::Help if page::last_scroll(model) <= scrolled(model) => (vec!["F1", "↓"], None),
        Context::Help => (vec!["F1"], None),
        Context::Review => in_review(model),
        _ => Change::default(),
    };
    let mut hints = keymap::hints(here, model.lang);
    let changed = model.form.as_ref().is_some_and(|form| form.status.has_changes());
    let other = model.form.as_ref().is_some_and(|form| has_other_answer(form, here));
    let holds = |key: &str| match key {
        "F3" => changed,
        "F7" => other,
        _ => true,
    };
    hints.retain(|(key, _)| !without.contains(&key.as_str()) && holds(key));
    if here == Context::Inbox && layout::inbox(model.size).detail.is_empty() {
        // The details are nowhere to be seen: the way to them comes before everything else.
        let details = hints.iter().position(|(key, _)| key == "F4");
        let first = usize::from(hints.first().is_some_and(|(key, _)| key == "Enter"));
        if let Some(details) = details.map(|at| hints.remove(at)) {
            hints.insert(first, details);
        }
    }
    for (key, says) in enter.map(|says| ("Enter", says)).into_iter().chain(called(model, here)) {
        if let Some(hint) = hints.iter_mut().find(|(shown, _)| shown == key) {
            hint.1 = says.text(model.lang);
        }
    }
    hints
}

/// What another key than Enter is called here, if not what the key map says.
fn called(model: &Model, here: Context) -> Called {
    match here {
        Context::Detail if model.screen == Screen::Receipt => Some(("Ctrl+U", s::CTRL_U_PUTS_BACK)),
        Context::Inbox | Context::Detail => match model.undo() {
            Some(Undo::Ours { .. }) => Some(("Ctrl+U", s::CTRL_U_PUTS_BACK)),
            _ => Some(("Ctrl+U", say("undo the redo", "撤销重做"))),
        },
        Context::History => {
            let gate = model.history.as_ref()?.found.scope.packet().is_some();
            Some((
                "Tab",
                if gate {
                    say("whole project", "整个项目")
                } else {
                    say("only this gate", "只看此门控")
                },
            ))
        }
        _ => None,
    }
}

/// Whether F7 does something to the question shown, or to that under the cursor of the review. Own words for an option
/// are written in a field of their own.
fn has_other_answer(form: &Form, here: Context) -> bool {
    if here == Context::Review {
        let order = form.review_order();
        return order.get(form.review.row).is_some_and(|&at| form.has_other_answer(at));
    }
    form.has_other_answer(form.at) && (form.focus != Focus::Field || form.is_free_text())
}

fn has_record(model: &Model) -> bool {
    let status = model.inbox.selected().map(|entry| entry.status);
    matches!(status, Some(Status::Answered | Status::Blocked))
}

fn in_inbox(model: &Model) -> Change {
    let (mut without, enter) = in_list(model);
    if model.redone().is_none() && model.undo().is_none() {
        without.push("Ctrl+U");
    }
    (without, enter)
}

fn in_list(model: &Model) -> Change {
    match model.inbox.selected() {
        None => (vec!["Enter", "F8", "F4", "Tab", "Ctrl+G"], None),
        Some(entry) if entry.status == Status::Waiting => {
            let without = if model.has_edited() { vec!["F8"] } else { vec!["F8", "Ctrl+G"] };
            (without, Some(s::ENTER_ANSWERS))
        }
        Some(entry) if entry.status == Status::Blocked && model.is_unreadable() => {
            (vec!["F8", "F4", "Ctrl+G"], Some(say("details", "详情")))
        }
        Some(entry) if entry.status == Status::Blocked => (Vec::new(), Some(s::ENTER_REPAIRS)),
        Some(_) if has_record(model) && model.has_edited() => (Vec::new(), None),
        Some(_) if has_record(model) => (vec!["Ctrl+G"], None),
        Some(_) => (vec!["F8", "Ctrl+G"], None),
    }
}

fn in_question(model: &Model, form: &Form) -> Change {
    let free = form.question().is_some_and(|question| question.kind == Kind::FreeText);
    let mut without = Vec::new();
    if form.row_count(form.at) <= layout::page_rows(model, form) {
        without.push("PgDn");
    }
    if form.at == 0 {
        without.push("←");
    }
    if !form.can_take_back() {
        without.push("Ctrl+_");
    }
    if free {
        without.extend(["Space", "1-9", "Ctrl+F"]);
    }
    (without, free.then_some(say("write", "填写")))
}

fn in_field(form: &Form) -> Change {
    let free = form.question().is_some_and(|question| question.kind == Kind::FreeText);
    let mut without = if form.at == 0 { vec!["Shift+Tab"] } else { Vec::new() };
    let enter = match (free, form.field.is_multiline()) {
        (false, _) => {
            without.extend(["Ctrl+J", "F6"]);
            Some(say("choose it", "采用"))
        }
        (true, true) => {
            without.push("Ctrl+J");
            if form.field.text().contains('\n') {
                // It does not fit one line.
                without.push("F6");
            }
            Some(say("new line", "换行"))
        }
        (true, false) => None,
    };
    (without, enter)
}

fn can_put_back(model: &Model) -> bool {
    model.receipt.as_ref().is_some_and(|written| written.progress.can_be_put_back())
}

fn in_receipt(model: &Model) -> Change {
    let mut without = if can_put_back(model) { Vec::new() } else { vec!["Ctrl+U"] };
    if model.next_waiting().is_some() {
        return (without, None);
    }
    without.push("Esc");
    (without, Some(say("inbox", "返回列表")))
}

fn in_history(model: &Model) -> Change {
    let rows = model.history.as_ref().map_or(0, |history| history.found.rows.len());
    let without = match (rows, model.history.as_ref().and_then(|history| history.found.scope.packet())) {
        (0, None) => vec!["Enter", "F4", "Tab"],
        (0, Some(_)) => vec!["Enter", "F4"],
        _ => Vec::new(),
    };
    let unseen = layout::inbox(model.size).detail.is_empty();
    (without, unseen.then_some(say("show", "查看")))
}

fn in_detail(model: &Model) -> Change {
    let mut without = Vec::new();
    let edited = matches!(model.over, Some(Over::Edited { .. }));
    let inbox = model.screen == Screen::Inbox && !edited;
    let record = inbox && has_record(model) && !model.is_unreadable();
    let undo = match model.screen {
        Screen::Inbox => model.undo().is_some(),
        Screen::Receipt => can_put_back(model),
        Screen::Form | Screen::Review | Screen::History => false,
    };
    let undo = undo && matches!(model.over, Some(Over::Detail { .. }));
    let past = model.screen == Screen::History && matches!(model.over, Some(Over::Detail { .. }));
    let entry = model.inbox.selected().filter(|entry| inbox && entry.held_up() && !model.is_unreadable());
    let here = [
        ("Enter", entry.is_some() || past),
        ("F8", record),
        ("Ctrl+G", record || edited || inbox && model.has_edited()),
        ("Backspace", edited),
        ("Ctrl+U", undo),
        ("F7", model.screen == Screen::Form),
    ];
    without.extend(here.into_iter().filter(|(_, holds)| !holds).map(|(key, _)| key));
    if page::last_scroll(model) <= scrolled(model) {
        without.push("↓");
    }
    let repairs = entry.is_some_and(|entry| entry.status == Status::Blocked);
    let enter = match (past, repairs) {
        (true, _) => say("restore", "恢复"),
        (_, true) => s::ENTER_REPAIRS,
        _ => s::ENTER_ANSWERS,
    };
    (without, Some(enter))
}

/// The first line that is shown of the page over the screen.
fn scrolled(model: &Model) -> usize {
    match &model.over {
        Some(
            Over::Help { scroll }
            | Over::Detail { scroll }
            | Over::Changes { scroll }
            | Over::Edited { scroll, .. },
        ) => *scroll,
        _ => 0,
    }
}

fn in_review(model: &Model) -> Change {
    let repairs = model.form.as_ref().is_some_and(|form| form.status.repair.is_some());
    (if repairs { Vec::new() } else { vec!["Ctrl+G"] }, None)
}
