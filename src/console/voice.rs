//! How the author is spoken to: in which language, and by which keys.

use super::action::Action;
use crate::console::input::keymap::{Context, Keymap};
use crate::error::Message;
use crate::text::{Lang, Sentence};

#[derive(Clone, Copy)]
pub struct Voice<'m> {
    pub lang: Lang,
    pub keymap: &'m Keymap,
    /// Which keys hold, and which on the screen below; sentences name them.
    pub here: Context,
    pub beneath: Context,
}

impl<'m> Voice<'m> {
    /// A sentence for the author: `{0}` is the first part, `{redo}` the key of that action here, `{inbox.redo}` the one in
    /// the inbox.
    pub fn fill(self, sentence: Sentence, parts: &[&str]) -> String {
        sentence.fill_named(self.lang, parts, |name| self.key_named(name))
    }

    pub fn text(self, message: &Message) -> String {
        message.text_named(self.lang, |name| self.key_named(name))
    }

    /// The key that does this here, as hints show it.
    pub fn key(self, action: &Action) -> Option<&'m str> {
        self.keymap.key(self.here, action)
    }

    fn key_named(self, name: &str) -> Option<&'m str> {
        let here = match self.here {
            // Sentences are about the screen below.
            Context::Prompt | Context::Later | Context::Leaving => self.beneath,
            here => here,
        };
        self.keymap.key_named(&[here, self.beneath], name)
    }
}
