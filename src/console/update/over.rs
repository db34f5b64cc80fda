//! What lies over a screen: help, the context as a whole page, the program's own questions.

use super::super::action::{Action, Target};
use super::super::effect::Effect;
use super::super::model::{DetailContent, Model, Over, Prompt, RecordView, Screen};
use super::super::page;
use std::path::Path;

/// Lays something over the screen.
pub(super) fn open(model: &mut Model, over: Over) -> Vec<Effect> {
    model.over = Some(over);
    Vec::new()
}

/// What an action changes there.
pub(super) fn update(model: &mut Model, action: &Action) -> Vec<Effect> {
    match &model.over {
        Some(Over::Prompt(prompt)) => answer(model, prompt.clone(), action),
        Some(Over::Help { scroll } | Over::Detail { scroll } | Over::Changes { scroll }) => {
            page_action(model, *scroll, action)
        }
        None => Vec::new(),
    }
}

fn answer(model: &mut Model, prompt: Prompt, action: &Action) -> Vec<Effect> {
    match action {
        Action::Accept => {
            model.over = None;
            match prompt {
                Prompt::Redo(path) if is_foreign(model, &path) => {
                    open(model, Over::Prompt(Prompt::RedoForeign(path)))
                }
                Prompt::Redo(path) | Prompt::RedoForeign(path) => vec![Effect::Redo(path)],
            }
        }
        Action::Refuse => {
            model.over = None;
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Whether what lies at a gate's answer path is plainly another document.
fn is_foreign(model: &Model, packet: &Path) -> bool {
    let detail = model.inbox.detail.as_ref().filter(|detail| detail.path == packet);
    matches!(
        detail.map(|detail| &detail.content),
        Some(DetailContent::Gate { record: RecordView::Invalid { foreign: true, .. }, .. })
    )
}

fn page_action(model: &mut Model, scroll: usize, action: &Action) -> Vec<Effect> {
    let rows = usize::from(page::place(model).1.height).max(1);
    let last = page::last_scroll(model);
    let to = match action {
        Action::Back => {
            model.over = None;
            return Vec::new();
        }
        Action::Redo if model.screen == Screen::Inbox => {
            model.over = None;
            return super::inbox::ask_redo(model);
        }
        Action::Up | Action::ScrollUp => scroll.saturating_sub(1),
        Action::Down | Action::ScrollDown => scroll + 1,
        Action::PageUp => scroll.saturating_sub(rows),
        Action::PageDown => scroll + rows,
        Action::First => 0,
        Action::Last => last,
        Action::Point(Target::Row(_)) => scroll,
        _ => return Vec::new(),
    };
    if let Some(Over::Help { scroll } | Over::Detail { scroll } | Over::Changes { scroll }) = &mut model.over
    {
        *scroll = to.min(last);
    }
    Vec::new()
}
