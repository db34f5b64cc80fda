//! A page over a screen: its details, whole, or what has changed. What is on it is the screen's.

use super::action::Action;
use super::draw::layout::{self, RectExt};
use super::draw::line::{LineExt, line};
use super::draw::painter::Painter;
use super::draw::pane;
use super::draw::scroll::Scroll;
use super::draw::sheet::Sheet;
use super::inbox::Selected;
use super::model::{Model, Place};
use super::screen::Available::{self, As, AtEnd, No, Yes};
use super::screen::{Cx, Part, Screen, View};
use super::sentences as s;
use super::theme::Role;
use crate::console::input::keymap::Context;
use crate::text::say;
use ratatui::layout::Rect;

#[derive(Clone, Debug)]
pub struct Page {
    pub part: Part,
    /// What is selected in the list, if it is about that; without it, it goes.
    of: Option<Selected>,
    scroll: Scroll,
}

impl Page {
    pub fn new(part: Part) -> Page {
        Page { part, of: None, scroll: Scroll::default() }
    }

    pub fn of(of: Option<Selected>) -> Page {
        Page { of, ..Page::new(Part::Whole) }
    }
}

impl Screen for Page {
    fn context(&self, _model: &Model) -> Context {
        Context::Detail
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let beneath = view.beneath().and_then(|beneath| beneath.offer_on_page(action, view.model));
        match beneath.unwrap_or_else(|| offer(action, &self.scroll)) {
            Yes if *action == Action::Next && self.part == Part::Record => As(say("the answers", "看回答")),
            offer => offer,
        }
    }

    fn wanted(&self, view: View<'_>) -> Vec<Action> {
        if view.model.place == Place::Inbox { vec![Action::Accept] } else { Vec::new() }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        if action == Action::Next {
            self.part = if self.part == Part::Record { Part::Whole } else { Part::Record };
            return self.scroll.reset();
        }
        if action == Action::Back || action.row_from(0, 0).is_some() {
            return scroll(&action, &self.scroll, cx);
        }
        if let Some(beneath) = cx.screens.len().checked_sub(1) {
            cx.with(beneath, |beneath, cx| beneath.act_on_page(action, cx));
        }
    }

    fn copied(&self, view: View<'_>) -> Option<String> {
        let (beneath, below) = view.below.split_last()?;
        beneath.copied_on_page(self.part, View { below, ..view })
    }

    fn is_guarded(&self, action: &Action, view: View<'_>) -> bool {
        let Some((beneath, below)) = view.below.split_last() else { return false };
        let is_list = beneath.place() == Some(Place::Inbox);
        is_list && beneath.is_guarded(action, View { below, ..view })
    }

    fn stands(&self, model: &Model) -> bool {
        self.of.is_none() || self.of == model.inbox.selection()
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        let Some(beneath) = view.beneath() else { return };
        let _ = draw(view.model, painter, (beneath, self.part), &self.scroll);
    }
}

pub fn offer(action: &Action, scroll: &Scroll) -> Available {
    match action {
        Action::Editor => No(s::NOTHING_TO_EDIT),
        Action::Accept
        | Action::Redo
        | Action::UndoRedo
        | Action::SendBack
        | Action::Next
        | Action::OtherAnswer
        | Action::Clear => No(s::NOTHING_HERE),
        Action::Down if scroll.is_at_its_end() => AtEnd,
        _ => Yes,
    }
}

pub fn scroll(action: &Action, scroll: &Scroll, cx: &mut Cx<'_>) {
    if *action == Action::Back {
        cx.close();
    } else if let Some(to) = action.row_from(scroll.at(), scroll.rows()) {
        scroll.to(to);
    }
}

/// Draws what a screen writes for a page of its own over the whole screen; gives what is left of the row of its title.
pub fn draw(
    model: &Model,
    painter: &mut Painter<'_>,
    (screen, part): (&dyn Screen, Part),
    scroll: &Scroll,
) -> Rect {
    let area = layout::page(model.size);
    // The keys stand in columns; other lines are no longer than can be read.
    let area = painter.in_sight(if model.here == Context::Help { area } else { area.readable(0) });
    let (theme, voice) = (painter.theme, painter.voice);
    let height = usize::from(area.height);
    let (shown, from, count) = pane::window(scroll, height, |window| {
        let mut sheet = Sheet::new(theme, voice, usize::from(area.width), window).whole();
        screen.write(part, model, &mut sheet);
        sheet
    });
    let mut left = layout::main(model.size).row(0).inset(1, 1);
    if count > height {
        let parts = [from + 1, (from + height).min(count), count].map(|number| number.to_string());
        let words = s::LINE_OF.fill(model.lang, &[&parts[0], &parts[1], &parts[2]]);
        left = painter.right(left, line(theme[Role::Dim], &words));
    }
    let title = line(theme[Role::Dim], screen.title(part).text(model.lang));
    let wide = u16::try_from(title.cells()).unwrap_or(u16::MAX);
    painter.line(left, title);
    // The header counts the lines; a sign among them would hide one.
    painter.lines(area, shown);
    let edge = Rect { x: area.right(), width: 1, ..area };
    if from + height < count {
        painter.line(edge.row(area.height.saturating_sub(1)), line(theme[Role::Accent], "↓"));
    }
    if from > 0 {
        painter.line(edge.row(0), line(theme[Role::Accent], "↑"));
    }
    left.inset(wide.saturating_add(2), 0)
}
