//! Which context of keys holds now.

pub use super::keymap::Context;

use super::model::{Focus, Form, ListFilter, Model, Over, Prompt, Screen};
use crate::ask::Kind;
use crate::text::{Message, Sentence};

impl Model {
    /// A sentence for the author: `{0}` is the first part, `{redo}` the key of that action here, `{inbox.redo}` the one in
    /// the inbox.
    pub fn fill(&self, sentence: Sentence, parts: &[&str]) -> String {
        sentence.fill_named(self.lang, parts, |name| self.key_named(name))
    }

    /// The same for a message.
    pub fn text(&self, message: &Message) -> String {
        message.text_named(self.lang, |name| self.key_named(name))
    }

    fn key_named(&self, name: &str) -> Option<&'static str> {
        let beneath = beneath(self);
        let here = match context(self) {
            // Sentences are about the screen below.
            Context::Prompt | Context::Later | Context::Leaving => beneath,
            here => here,
        };
        self.keymap.key_named(&[here, beneath], name)
    }
}

/// The context whose keys hold now.
pub fn context(model: &Model) -> Context {
    model.over.as_ref().map_or_else(|| of_screen(model), |over| of_over(model, over))
}

/// The context beneath what lies over the screen.
pub fn beneath(model: &Model) -> Context {
    match &model.over {
        Some(Over::Help(Some(before))) => of_over(model, &before.0),
        _ => of_screen(model),
    }
}

fn of_over(model: &Model, over: &Over) -> Context {
    match over {
        Over::Prompt(Prompt::Later(..)) => Context::Later,
        Over::Prompt(Prompt::Leave(..)) => Context::Leaving,
        Over::Prompt(_) => Context::Prompt,
        Over::Help(_) => Context::Help,
        Over::Story => of_list(model.story.search.as_ref(), Context::Story, Context::StorySearch),
        Over::Packets => Context::Packets,
        Over::Detail | Over::Changes | Over::Edited(..) | Over::Batch(_) | Over::TakenBack(_) => {
            Context::Detail
        }
    }
}

fn of_screen(model: &Model) -> Context {
    match (model.screen, &model.form) {
        _ if model.note().is_some() => Context::Field,
        (Screen::Form, Some(form)) => of_form(form),
        (Screen::Review, Some(_)) => Context::Review,
        (Screen::Receipt, _) => Context::Receipt,
        (Screen::History, _) => {
            let filter = model.history.as_ref().and_then(|history| history.filter.as_ref());
            of_list(filter, Context::History, Context::HistoryFilter)
        }
        _ => of_list(model.inbox.filter.as_ref(), Context::Inbox, Context::InboxFilter),
    }
}

fn of_list(filter: Option<&ListFilter>, list: Context, filtering: Context) -> Context {
    if filter.is_some_and(|filter| filter.focused) { filtering } else { list }
}

fn of_form(form: &Form) -> Context {
    match (form.focus, form.question().map(|question| question.kind)) {
        (Focus::Field, _) => Context::Field,
        (Focus::Filter, Some(Kind::MultiChoice)) if form.space_ticks() => Context::MultiFilter,
        (Focus::Filter, Some(Kind::MultiChoice)) => Context::WordsFilter,
        (Focus::Filter, _) => Context::ChoiceFilter,
        (Focus::List, Some(Kind::MultiChoice)) => Context::Multi,
        (Focus::List, _) => Context::Choice,
    }
}
