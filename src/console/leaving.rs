//! Whether to leave although something is on no disk, or not in its place. Once it is, the program leaves by itself.

use super::action::Action;
use super::draw::painter::Painter;
use super::model::{Message, Model, NoticeTopic, Unsaved};
use super::prompt;
use super::screen::{Cx, Effect, Screen, View};
use super::sentences as s;
use crate::console::input::keymap::Context;

#[derive(Clone, Debug)]
pub struct Leaving {
    /// The exit code.
    pub code: i32,
    pub unsaved: Unsaved,
}

impl Screen for Leaving {
    fn context(&self, _model: &Model) -> Context {
        Context::Leaving
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Accept => {
                cx.close();
                cx.do_next(Effect::Leave(self.code));
            }
            Action::Refuse => cx.close(),
            _ => {}
        }
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        let asks = Message::new(s::LEAVE_ASKS, &[""]);
        let mut warnings = vec![s::unsaved_words(&self.unsaved)];
        // The question stands where notices do.
        let notice = view.model.notice.as_ref();
        let notice = notice.filter(|notice| notice.topic == Some(NoticeTopic::PressAgain));
        warnings.extend(notice.map(|notice| notice.message.clone()));
        prompt::draw(view, painter, &asks, &warnings, prompt::End::Means(s::LEAVE_MEANS));
    }
}
