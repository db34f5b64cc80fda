//! What the tools of all executors have in common.
//!
//! Responsible for a shown question as data and for the list of its options. Not responsible for the JSON around it
//! (`render_claude`, `render_codex`).

use super::screen::Screen;
use super::take::Given;
use crate::ask::json::{Item, Kind};
use crate::ask::object::list;
use crate::ask::{JsString, Object, Question};
use crate::text::Lang;

/// A question with its screen.
pub struct Shown<'s> {
    /// The question.
    pub question: &'s Question,
    /// What is shown of it.
    pub screen: &'s Screen,
}

/// What a tool's output says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nobody answered, or the author closed the dialog.
    Escape,
    /// Something for each question.
    Given(Vec<Given>),
}

impl Shown<'_> {
    /// The entries as a tool's `options`.
    pub fn options(&self, lang: Lang) -> String {
        list(self.screen.entries.iter().map(|entry| {
            let description = entry.description(self.question, lang);
            Object::new().js("label", &entry.label).js("description", &description).finish()
        }))
    }
}

/// The strings of a list; none if it is no list or holds anything else.
pub(super) fn strings(value: Item<'_>) -> Option<Vec<JsString>> {
    (value.kind() == Kind::Array).then(|| value.elements().map(Item::string).collect()).flatten()
}
