//! What lies over a screen: help, pages, the program's own questions.

use super::super::action::Action;
use super::super::effect::{Effect, Request};
use super::super::model::{Model, Over, Prompt, Screen, Tone};
use super::super::view::page;
use crate::text::say;

pub(super) fn update(model: &mut Model, action: &Action) -> Vec<Effect> {
    match &model.over {
        Some(Over::Prompt(Prompt::Later(path, row))) => {
            let (path, row) = (path.clone(), *row);
            super::later::choose(model, path, row, action)
        }
        Some(Over::Packets) => super::batch::in_list(model, action),
        Some(Over::Prompt(prompt)) => answer(model, prompt.clone(), action),
        Some(Over::Edited(edited, _)) if *action == Action::Clear => {
            let prompt = Prompt::DropEdited(edited.clone());
            model.show_over(Over::Prompt(prompt))
        }
        _ => page_action(model, action),
    }
}

fn answer(model: &mut Model, prompt: Prompt, action: &Action) -> Vec<Effect> {
    match action {
        Action::Accept => {
            model.over = None;
            agreed(model, prompt)
        }
        Action::Refuse => {
            model.over = None;
            if let Prompt::WriteEdited(_) | Prompt::DropEdited(_) = prompt {
                model.say(
                    Tone::Plain,
                    say(
                        "Not written. The edited text is kept; {editor} opens it again.",
                        "未写入。编辑后的文本已保留，按 {editor} 继续编辑。",
                    ),
                );
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn agreed(model: &mut Model, prompt: Prompt) -> Vec<Effect> {
    match prompt {
        Prompt::Redo(path, warning) if warning.foreign => {
            model.show_over(Over::Prompt(Prompt::RedoForeign(path, warning)))
        }
        Prompt::Redo(path, warning) | Prompt::RedoForeign(path, warning) => {
            model.writing = Some(path.clone());
            vec![Request::Redo { path, past: warning.past, warned: Some(warning.seen) }.into()]
        }
        Prompt::RestoreEntry(restoring) => {
            model.writing = Some(restoring.packet.clone());
            vec![Request::RestoreEntry(restoring).into()]
        }
        Prompt::UndoRedo(path) => vec![Request::UndoRedo(path).into()],
        Prompt::Later(..) => Vec::new(),
        Prompt::Leave(code, _) => vec![Effect::Leave(code)],
        Prompt::ReplaceForeign(_) => super::review::write(model),
        Prompt::WriteEdited(edited) => {
            model.writing = Some(edited.path.clone());
            vec![Request::WriteEdited(edited).into()]
        }
        Prompt::DropEdited(edited) => {
            model.say(
                Tone::Plain,
                say(
                    "Your edits are discarded; the record is as it was.",
                    "编辑后的文本已丢弃，记录保持原样。",
                ),
            );
            let mut effects = vec![Effect::DropEdited(edited)];
            effects.extend(model.load_selected());
            effects
        }
    }
}

fn page_action(model: &mut Model, action: &Action) -> Vec<Effect> {
    let rows = page::height(model).max(1);
    let last = page::last_scroll(model);
    let to = match action {
        Action::Back => return model.close_over(),
        // A key that a page mentions works on the page too.
        Action::Redo => {
            model.over = None;
            return super::inbox::redo(model);
        }
        Action::UndoRedo if model.can_take_back() => return super::batch::take_back(model),
        Action::UndoRedo if model.screen == Screen::Receipt => return super::receipt::update(model, action),
        Action::UndoRedo => {
            model.over = None;
            return super::inbox::undo_redo(model);
        }
        Action::Editor => return super::edit::begin(model),
        Action::Accept if model.screen == Screen::History => return super::history::see_restore(model),
        Action::Accept => return super::inbox::open(model),
        _ => action.row_from(model.scroll, rows).unwrap_or(model.scroll),
    };
    model.scroll = to.min(last);
    Vec::new()
}
