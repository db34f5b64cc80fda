//! A question of the program, answered yes or no; and the one at the end.

use super::action::{Action, Target};
use super::draw::layout::{self, RectExt};
use super::draw::line::{Line, wrapped};
use super::draw::painter::Painter;
use super::form::guard::{PAUSE, prolong};
use super::model::{Model, NoticeTopic, Status, Tone, Unsaved};
use super::screen::{Cx, Effect, Screen, View};
use super::sentences as s;
use super::theme::Role;
use crate::console::input::keymap::Context;
use crate::error::Message;
use crate::text::{Sentence, say};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

pub const LATER_KEYS: Sentence = say(
    "Press 1, 2 or 3, or {later.accept} in a row; {later.back} puts nothing off.",
    "按 1、2、3，或选好后按 {later.accept}；按 {later.back} 则不推迟。",
);

#[derive(Clone)]
pub struct Prompt {
    pub asks: Message,
    /// What the author must know before he confirms.
    pub warnings: Vec<Message>,
    pub means: Sentence,
    pub refused: Option<Sentence>,
    /// Whether it is about the record that the open form shows.
    pub is_about_form: bool,
    /// The gate in the list whose record it is about; without one, it goes.
    pub record_of: Option<PathBuf>,
    /// Until when yes may be meant for something before: the screen changed without a key, or the same key opened this.
    pub unread_until: Option<SystemTime>,
    pub yes: Arc<dyn Fn(&mut Cx<'_>)>,
}

/// Whether to leave although something is on no disk, or not in its place. Once it is, the program leaves by itself.
#[derive(Clone, Debug)]
pub struct Leaving {
    pub code: i32,
    pub unsaved: Unsaved,
}

impl Prompt {
    pub fn new(asks: Message, means: Sentence, yes: impl Fn(&mut Cx<'_>) + 'static) -> Prompt {
        Prompt {
            asks,
            warnings: Vec::new(),
            means,
            refused: None,
            is_about_form: false,
            record_of: None,
            unread_until: None,
            yes: Arc::new(yes),
        }
    }

    /// Yes counts only once no key has come for a while.
    #[must_use]
    pub fn unread(self, now: SystemTime) -> Prompt {
        Prompt { unread_until: Some(now + PAUSE), ..self }
    }
}

impl Screen for Prompt {
    fn context(&self, _model: &Model) -> Context {
        Context::Prompt
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Accept => {
                cx.close();
                (self.yes)(cx);
            }
            Action::Refuse => {
                cx.close();
                if let Some(says) = self.refused {
                    cx.say(Tone::Plain, says);
                }
            }
            _ => {}
        }
    }

    fn is_guarded(&self, action: &Action, view: View<'_>) -> bool {
        *action == Action::Accept && self.unread_until.is_some_and(|until| view.model.now < until)
    }

    /// Words are meant for something else, and so is the line end behind them.
    fn touch(&mut self, action: &Action, model: &mut Model) {
        prolong(&mut self.unread_until, model.now);
        if matches!(action, Action::Edit(_)) {
            self.unread_until = Some(model.now + PAUSE);
        }
    }

    fn stands(&self, model: &Model) -> bool {
        let has_record = |path| {
            let entry = model.inbox.entry_at(path);
            entry.is_some_and(|entry| matches!(entry.status, Status::Answered | Status::Blocked))
        };
        self.record_of.as_deref().is_none_or(has_record)
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        draw(view, painter, &self.asks, &self.warnings, Some(self.means), (Vec::new(), 0));
    }
}

impl Screen for Leaving {
    fn context(&self, _model: &Model) -> Context {
        Context::Leaving
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        if matches!(action, Action::Accept | Action::Refuse) {
            cx.close();
        }
        if action == Action::Accept {
            cx.do_next(Effect::Leave(self.code));
        }
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        let warnings = [s::unsaved_words(&self.unsaved)];
        draw(view, painter, &s::LEAVE_ASKS.into(), &warnings, Some(s::LEAVE_MEANS), (Vec::new(), 0));
    }
}

/// Which keys a question of the program takes, where only its own hold.
pub fn its_keys(here: Context) -> Option<Sentence> {
    match here {
        Context::Prompt => Some(say(
            "{prompt.accept} says yes, {prompt.refuse} says no.",
            "按 {prompt.accept} 表示“是”，按 {prompt.refuse} 表示“否”。",
        )),
        Context::Later => Some(LATER_KEYS),
        Context::Leaving => Some(say(
            "{leaving.accept} tries to save again, {leaving.refuse} stays here.",
            "按 {leaving.accept} 再试一次保存，按 {leaving.refuse} 留在这里。",
        )),
        _ => None,
    }
}

/// Draws a question above the footer, over the screen below: a rule, and the lines below it. Of the rows behind them one is
/// chosen, at first that under the cursor.
pub fn draw(
    view: View<'_>,
    painter: &mut Painter<'_>,
    asks: &Message,
    warnings: &[Message],
    means: Option<Sentence>,
    (rows, at): (Vec<Line>, usize),
) {
    let (model, theme) = (view.model, painter.theme);
    let cells = usize::from(model.size.width.saturating_sub(2).min(layout::READING));
    let mut lines = wrapped(theme[Role::Title], &painter.voice.text(asks), cells);
    // The question stands where notices do.
    let of_keys = |topic: &NoticeTopic| matches!(topic, NoticeTopic::PressAgain | NoticeTopic::Refused(_));
    let notice = model.notice.iter().filter(|notice| notice.topic.as_ref().is_some_and(of_keys));
    for warning in warnings.iter().chain(notice.map(|notice| &notice.message)) {
        lines.extend(wrapped(theme[Role::Warn], &painter.voice.text(warning), cells));
    }
    let means = means.map(|means| painter.voice.fill(means, &[]));
    lines.extend(means.iter().flat_map(|means| wrapped(theme[Role::Text], means, cells)));
    let count = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    lines.extend(rows);
    let area = layout::above_footer(model.size, lines.len() + 1);
    painter.will_cover(area);
    if let Some((beneath, below)) = view.below.split_last() {
        beneath.draw(View { below, ..view }, painter);
    }
    painter.cover();
    painter.fill(area, Role::Text);
    painter.rule(area.row(0).inset(1, 1));
    painter.lines(area.slice(1, u16::MAX).inset(1, 1), lines);
    for (row, here) in area.slice(area.height.saturating_sub(count), count).rows().enumerate() {
        painter.hit(here, Target::Row(row));
        if at == row {
            painter.select(here);
        }
    }
}
