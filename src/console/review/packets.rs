//! The list of the other packets with the questions of the open form: a tick, step and topic, and why one cannot be taken.

use super::batch::{Batch, BatchGate, PacketList};
use crate::console::action::Target;
use crate::console::draw::field::filter_field;
use crate::console::draw::layout::{self, RectExt};
use crate::console::draw::line::{Line, LineExt, line, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::inbox::draw::more_rows;
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::{Safe, say, width};
use ratatui::layout::Rect;

/// Widest column of steps.
const STEP: usize = 26;
/// Columns in front of a step: the cursor's mark and the tick.
const SIGNS: usize = 6;

/// Draws the list over the review.
pub(crate) fn draw(model: &Model, batch: &Batch, list: &PacketList, painter: &mut Painter<'_>) {
    let theme = painter.theme;
    let [title, filter, rows] = layout::packets(model.size);
    let possible = batch.gates.iter().filter(|other| other.can_be_taken()).count();
    let ticked = batch.gates.iter().filter(|other| other.ticked).count();
    let counts = [ticked, possible].map(|count| count.to_string());
    let ticked = say("{0} of {1} ticked", "已勾选 {0}/{1}").fill(model.lang, &[&counts[0], &counts[1]]);
    let left = painter.right(title.inset(1, 1), line(theme[Role::Accent], &ticked));
    painter.line(left, line(theme[Role::Title], s::PACKETS.text(model.lang)));
    let found = line(theme[Role::Dim], &format!("{}/{}", list.hits.len(), batch.gates.len()));
    let left = painter.right(filter.inset(1, 1), found);
    filter_field(model, painter, left, &list.filter, true);
    let from = list.scroll.shows_row(list.row, usize::from(rows.height));
    let area = painter.in_sight(rows);
    if list.hits.is_empty() {
        let words = say("No packet matches “{0}”.", "没有与“{0}”相符的指令包。")
            .fill(model.lang, &[list.filter.text()]);
        let area = area.inset(3, 3);
        return painter.lines(area, wrapped(theme[Role::Text], &words, usize::from(area.width)));
    }
    let height = usize::from(area.height);
    let top = from.max((list.row + 1).saturating_sub(height));
    let shown = top..(top + height).min(list.hits.len());
    let hidden = (top, list.hits.len() - shown.end);
    let below = Rect { y: area.bottom(), height: layout::NOTICE, ..area };
    painter.line(below.inset(2, 1), more_rows(theme, model, hidden));
    let step = |row: usize| width::cells(&Safe::line(&batch.gates[list.hits[row]].gate.title()));
    let widest = shown.clone().map(step).max().unwrap_or(0);
    let column = widest.min(STEP).min(usize::from(area.width) / 2);
    for (here, row) in area.rows().zip(shown) {
        let mark = if row == list.row { "▸ " } else { "  " };
        let words = row_words(model, painter, &batch.gates[list.hits[row]], column);
        painter.line(here.inset(0, 1), line(theme[Role::Accent], mark).join(words));
        painter.hit(here, Target::Row(row));
        if row == list.row {
            painter.select(here);
        }
    }
}

fn row_words(model: &Model, painter: &Painter<'_>, other: &BatchGate, column: usize) -> Line {
    let (theme, lang) = (painter.theme, model.lang);
    let (tick, role) = match (other.can_be_taken(), other.ticked) {
        (false, _) => (line(theme[Role::Bad], " ✕ "), Role::Dim),
        (true, true) => (line(theme[Role::Accent], "[x]"), Role::Text),
        (true, false) => (line(theme[Role::Dim], "[ ]"), Role::Text),
    };
    let title = Safe::line(&other.gate.title()).fit(column);
    let words = tick.gap(1).safe(theme[role], title).to_column(SIGNS + column);
    let topic = other.gate.spec().topic.display();
    // The reason is wanted more than the topic.
    match &other.gate.refusal {
        Some(refusal) => {
            let refusal = refusal.text(lang);
            let why = say("cannot be answered: {0}", "不能一并回答：{0}")
                .fill(lang, &[refusal.trim_end_matches(['.', '。'])]);
            words.add(theme[Role::Warn], &why).add(theme[Role::Dim], " · ").add(theme[role], &topic)
        }
        None if other.has_draft => words
            .add(theme[role], &topic)
            .add(theme[Role::Dim], " · ")
            .add(theme[Role::Warn], say("has a draft of its own", "另有自己的草稿").text(lang)),
        None => words.add(theme[role], &topic),
    }
}
