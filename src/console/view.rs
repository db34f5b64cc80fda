//! The view: a frame is a pure function of the model and the theme.
//!
//! Responsible for what stands where and in which role, for the caret, and for what can be clicked. Not responsible for
//! colours (`theme`), for the content of pages (`page`) nor for any decision (`update`).

mod form;
mod hints;
mod history;
mod inbox;
pub mod layout;
mod over;
pub mod page;
mod receipt;
mod review;
mod title;
pub mod widget;

pub use widget::Drawn;

use super::model::{FormStatus, Model, Over, Screen, Tone};
use super::sentences as s;
use super::theme::Theme;
use layout::Area;
use page::{Line, Role, wrapped};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use widget::Canvas;

/// Rows that a sentence above the footer may take; it covers what is below it.
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
    let mut canvas = Canvas::new(buffer, theme);
    if model.size.width < layout::SMALLEST.width || model.size.height < layout::SMALLEST.height {
        too_small(model, &mut canvas);
        return canvas.finish();
    }
    match &model.over {
        Some(Over::Help { scroll }) => over::page(model, &mut canvas, *scroll, s::HELP),
        Some(Over::Detail { scroll }) => {
            let title = if model.screen == Screen::Review { s::RECORD_AS_WRITTEN } else { s::DETAILS };
            over::page(model, &mut canvas, *scroll, title);
        }
        Some(Over::Changes { scroll }) => over::page(model, &mut canvas, *scroll, s::CHANGES),
        Some(Over::Edited { scroll, .. }) => over::page(model, &mut canvas, *scroll, s::EDITED),
        Some(Over::Prompt(prompt)) => {
            screen(model, &mut canvas);
            canvas.cover();
            over::prompt(model, &mut canvas, prompt);
        }
        None => screen(model, &mut canvas),
    }
    if !matches!(model.over, Some(Over::Prompt(_))) {
        notice(model, &mut canvas);
    }
    footer(model, &mut canvas);
    canvas.finish()
}

fn screen(model: &Model, canvas: &mut Canvas<'_>) {
    if let Some(history) = model.history.as_ref().filter(|_| model.screen == Screen::History) {
        return history::draw(model, history, canvas);
    }
    match (model.screen, &model.form, &model.receipt) {
        (Screen::Form, Some(form), _) => form::draw(model, form, canvas),
        (Screen::Review, Some(form), _) => review::draw(model, form, canvas),
        (Screen::Receipt, _, Some(_)) => receipt::draw(model, canvas),
        _ => inbox::draw(model, canvas),
    }
}

fn too_small(model: &Model, canvas: &mut Canvas<'_>) {
    let whole = Area { x: 0, y: 0, width: model.size.width, height: model.size.height };
    let rows = wrapped(Role::Text, s::TOO_SMALL.text(model.lang), usize::from(whole.width), 0);
    for (row, line) in (0..whole.height).zip(rows) {
        canvas.line(whole.row(row), line);
    }
}

/// The last row.
fn footer_area(model: &Model) -> Area {
    let height = model.size.height;
    Area { x: 0, y: height.saturating_sub(layout::FOOTER), width: model.size.width, height: layout::FOOTER }
}

fn footer(model: &Model, canvas: &mut Canvas<'_>) {
    widget::footer(canvas, footer_area(model), &hints::hints(model));
}

/// The sentence above the footer: what has just happened, else what lastingly holds for the open gate.
fn notice(model: &Model, canvas: &mut Canvas<'_>) {
    let in_form = matches!(model.screen, Screen::Form | Screen::Review);
    let status = model.form.as_ref().filter(|_| in_form).map(|form| &form.status);
    let lasting = status.and_then(|status| {
        let banner = status.warnings().next().map(|message| (Tone::Warn, message.text(model.lang)));
        let refusal = status
            .refusal
            .as_ref()
            .map(|message| (Tone::Bad, s::CANNOT_WRITE.fill(model.lang, &[&message.text(model.lang)])));
        banner.or(refusal).or_else(|| changes(model, status))
    });
    let fresh = model.notice.as_ref().map(|notice| (notice.tone, notice.message.text(model.lang)));
    let gone = model.gone.then(|| (Tone::Bad, s::ROOT_GONE.text(model.lang).to_owned()));
    if let Some((tone, words)) = fresh.or(gone).or(lasting) {
        sentence(model, canvas, tone, &words);
    }
}

/// In the review: that there is more to see than the answers.
fn changes(model: &Model, status: &FormStatus) -> Option<(Tone, String)> {
    let shown = model.screen == Screen::Review && status.has_changes();
    let parts = [status.changes.len().to_string(), status.orphans.len().to_string()];
    shown.then(|| (Tone::Warn, s::CHANGES_COUNTED.fill(model.lang, &[&parts[0], &parts[1]])))
}

/// A sentence above the footer, on as many rows as it takes.
fn sentence(model: &Model, canvas: &mut Canvas<'_>, tone: Tone, words: &str) {
    let (sign, role) = match tone {
        Tone::Good => ("✓ ", Role::Good),
        Tone::Plain => ("· ", Role::Text),
        Tone::Warn => ("▲ ", Role::Warn),
        Tone::Bad => ("✕ ", Role::Bad),
    };
    let inner = usize::from(model.size.width).saturating_sub(4);
    let mut lines = wrapped(role, words, inner, 0);
    let most = NOTICE_ROWS.min(usize::from(model.size.height) / 2);
    if lines.len() > most {
        lines.truncate(most);
        let last = lines.pop().unwrap_or_default().add(role, "…").fit(inner);
        lines.push(last);
    }
    let count = u16::try_from(lines.len()).unwrap_or(1);
    let bottom = footer_area(model);
    let top = bottom.y.saturating_sub(count);
    let area = Area { y: top, height: bottom.y - top, ..bottom };
    canvas.fill(area, Role::Text);
    canvas.unhit(area);
    for (row, line) in (0..area.height).zip(lines) {
        let start = if row == 0 { Line::of(role, sign) } else { Line::default().gap(2) };
        canvas.line(area.row(row).inset(1, 0), start.join(line));
    }
}

/// How a pane says that it goes on.
fn more(model: &Model, width: u16) -> impl Fn(usize) -> Line {
    let lang = model.lang;
    move |count| {
        let words = s::counted(count, s::MORE_LINES_ONE, s::MORE_LINES, lang);
        let line = Line::of(Role::Accent, &words);
        if line.cells() <= usize::from(width) {
            line
        } else {
            Line::of(Role::Accent, &s::MORE_LINES_SHORT.fill(lang, &[&count.to_string()]))
        }
    }
}
