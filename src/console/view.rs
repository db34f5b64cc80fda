//! The view: a frame is a pure function of the model and the theme.
//!
//! A frame has the text, the caret, and the places that can be clicked.

mod form;
mod hints;
mod history;
mod hit;
mod inbox;
pub mod layout;
mod line;
mod over;
mod packets;
pub mod page;
mod painter;
mod pane;
mod review;
mod story;
mod title;
mod widget;

pub use painter::Drawn;

use super::action::Action;
use super::context::context;
use super::model::{Form, FormStatus, Model, NoteField, Over, Screen, Tone};
use super::sentences as s;
use super::theme::{Role, Theme};
use layout::RectExt;
use line::{Line, LineExt, line, wrapped};
use page::Page;
use painter::Painter;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Rows that a lasting sentence above the footer may take; it covers what is below it.
const NOTICE_ROWS: usize = 4;

/// Draws the model and places the terminal's cursor.
pub fn draw(model: &Model, theme: &Theme, frame: &mut Frame<'_>) -> Drawn {
    let drawn = paint(model, theme, frame.buffer_mut());
    if let Some(place) = drawn.cursor {
        frame.set_cursor_position(place);
    }
    drawn
}

/// Paints the model on a buffer.
pub fn paint(model: &Model, theme: &Theme, buffer: &mut Buffer) -> Drawn {
    let mut painter = Painter::new(buffer, theme);
    if model.size.width < layout::SMALLEST.width || model.size.height < layout::SMALLEST.height {
        too_small(model, &mut painter);
        return painter.finish();
    }
    let sentence = notice(model).map(|notice| sentence(model, theme, notice));
    if let Some((area, _)) = &sentence {
        painter.will_cover(*area);
    }
    match &model.over {
        Some(Over::Help(_)) => over::page(model, &mut painter, s::HELP),
        Some(Over::Detail) => {
            let form = model.form.as_ref().filter(|_| model.screen == Screen::Review);
            let several = form.is_some_and(|form| !form.status.batch_taken().is_empty());
            let title = match form {
                Some(_) if several => s::RECORDS_AS_WRITTEN,
                Some(_) => s::RECORD_AS_WRITTEN,
                None => s::DETAILS,
            };
            over::page(model, &mut painter, title);
        }
        Some(Over::Changes) => over::page(model, &mut painter, s::CHANGES),
        Some(Over::Packets) => packets::draw(model, &mut painter),
        Some(Over::Batch(_)) => over::page(model, &mut painter, s::BATCH),
        Some(Over::TakenBack(_)) => over::page(model, &mut painter, s::TAKEN_BACK_PAGE),
        Some(Over::Edited(..)) => over::page(model, &mut painter, s::EDITED),
        Some(Over::Story) if model.screen == Screen::Form && layout::has_story_beside(model) => {
            screen(model, &mut painter);
            painter.cover();
        }
        Some(Over::Story) => story::draw(model, &mut painter),
        Some(Over::Prompt(prompt)) => {
            let question = over::question(model, theme, prompt);
            painter.will_cover(question.area);
            screen(model, &mut painter);
            painter.cover();
            question.draw(model, &mut painter);
        }
        None => screen(model, &mut painter),
    }
    if let Some((area, lines)) = sentence {
        painter.fill(area, Role::Text);
        painter.unhit(area);
        painter.lines(area.inset(1, 0), lines);
    }
    widget::footer(&mut painter, layout::footer(model.size), &hints::hints(model));
    painter.finish()
}

fn screen(model: &Model, painter: &mut Painter<'_>) {
    if let Some(history) = model.history.as_ref().filter(|_| model.screen == Screen::History) {
        return history::draw(model, history, painter);
    }
    match (model.screen, &model.form, &model.receipt) {
        (Screen::Form, Some(form), _) => {
            form::draw(model, form, painter);
            note(model, form, painter);
            if layout::has_story_beside(model) {
                story::draw(model, painter);
            }
        }
        (Screen::Review, Some(form), _) => {
            review::draw(model, form, painter);
            note(model, form, painter);
        }
        (Screen::Receipt, _, Some(_)) => {
            pane::draw(model, painter, Page::Receipt, layout::receipt(model.size), 0);
        }
        _ => inbox::draw(model, painter),
    }
}

/// The note that is being written.
fn note(model: &Model, form: &Form, painter: &mut Painter<'_>) {
    let Some(NoteField { at, field }) = model.note() else { return };
    let area = layout::note(model);
    painter.fill(area, Role::Text);
    painter.unhit(area);
    let header = form.spec().questions.get(*at).map(|question| question.header.display());
    let title = s::NOTE_ON.fill(model.lang, &[&header.unwrap_or_default()]);
    let title = line(painter.theme[Role::Title], &title);
    widget::text_field(painter, area, field, title, model.over.is_none());
}

fn too_small(model: &Model, painter: &mut Painter<'_>) {
    let theme = painter.theme;
    let words = s::TOO_SMALL.text(model.lang);
    let rows = wrapped(theme[Role::Text], words, usize::from(model.size.width));
    painter.lines(Rect::new(0, 0, model.size.width, model.size.height), rows);
}

/// The sentence above the footer: what has just happened, else what lastingly holds for the open gate.
fn notice(model: &Model) -> Option<(Tone, String)> {
    if matches!(model.over, Some(Over::Prompt(_))) {
        return None;
    }
    let in_form = matches!(model.screen, Screen::Form | Screen::Review);
    let form = model.form.as_ref().filter(|_| in_form);
    let lasting = form.and_then(|form| {
        let banner = form.status.warnings.all().next().map(|message| (Tone::Warn, model.text(message)));
        let refusal = form
            .gate
            .refusal
            .as_ref()
            .map(|message| (Tone::Bad, s::CANNOT_WRITE.fill(model.lang, &[&message.text(model.lang)])));
        banner.or(refusal).or_else(|| changes(model, &form.status))
    });
    let fresh = model.notice.as_ref().map(|notice| (notice.tone, model.text(&notice.message)));
    let gone = model.project.gone.then(|| (Tone::Bad, s::ROOT_GONE.text(model.lang).to_owned()));
    fresh.or(gone).or(lasting)
}

/// In the review: that there is more to see than the answers.
fn changes(model: &Model, status: &FormStatus) -> Option<(Tone, String)> {
    let shown = model.screen == Screen::Review && status.has_changes();
    shown.then(|| (Tone::Warn, model.text(&status.changes_counted())))
}

/// A sentence above the footer, on as many rows as it takes.
fn sentence(model: &Model, theme: &Theme, (tone, words): (Tone, String)) -> (Rect, Vec<Line>) {
    let (sign, role) = match tone {
        Tone::Good => ("✓ ", Role::Good),
        Tone::Plain => ("· ", Role::Text),
        Tone::Warn => ("▲ ", Role::Warn),
        Tone::Bad => ("✕ ", Role::Bad),
    };
    let style = theme[role];
    let inner = usize::from(model.size.width.saturating_sub(4).min(layout::READING));
    let mut lines = wrapped(style, &words, inner);
    // What has just happened is shown whole: the next key takes it away. What lasts is whole among the details.
    let (height, lasts) = (usize::from(model.size.height), model.notice.is_none());
    let most = if lasts { NOTICE_ROWS.min(height / 2) } else { height.saturating_sub(2) };
    if lines.len() > most {
        let key = model.keymap.key(context(model), &Action::Expand).filter(|_| lasts && model.over.is_none());
        let key = key.map_or_else(Line::default, |key| line(style, " ").add(theme[Role::Key], key));
        lines.truncate(most);
        let last = lines.pop().unwrap_or_default().add(style, "…");
        lines.push(last.fit(inner.saturating_sub(key.cells())).join(key));
    }
    let area = layout::above_footer(model.size, lines.len());
    let lines = lines.into_iter().enumerate().map(|(row, words)| {
        let start = if row == 0 { line(style, sign) } else { Line::default().gap(2) };
        start.join(words)
    });
    (area, lines.collect())
}
