//! The list of the other packets with the questions of the open form: a tick, step and topic, and why one cannot be taken.

use super::batch::{Batch, BatchGate};
use crate::console::draw::filtered_list;
use crate::console::draw::layout;
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::painter::Painter;
use crate::console::filtered_list::FilteredList;
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::{Lang, Safe, say, width};

/// Widest column of steps.
const STEP: usize = 26;
/// Columns in front of a step: the cursor's mark and the tick.
const SIGNS: usize = 6;

pub(crate) fn draw(model: &Model, batch: &Batch, list: &FilteredList, painter: &mut Painter<'_>) {
    let (theme, lang) = (painter.theme, model.lang);
    let possible = batch.gates.iter().filter(|other| other.can_be_taken()).count();
    let ticked = batch.gates.iter().filter(|other| other.is_ticked() && other.can_be_taken()).count();
    let counts = [ticked, possible].map(|count| count.to_string());
    let ticked = say("{0} of {1} ticked", "已勾选 {0}/{1}").fill(lang, &[&counts[0], &counts[1]]);
    let title = line(theme[Role::Title], s::PACKETS.text(lang));
    let nothing = say("No packet matches “{0}”.", "没有与“{0}”相符的指令包。");
    let area = layout::main(model.size);
    let head = (title, line(theme[Role::Accent], &ticked), batch.gates.len());
    filtered_list::draw(list, painter, area, head, nothing, |places| {
        let step = |place: &usize| width::cells(&Safe::line(&batch.gates[*place].gate.title()));
        let widest = places.iter().map(step).max().unwrap_or(0);
        let column = widest.min(STEP).min(usize::from(area.width) / 2);
        places.iter().map(|place| row_words(theme, lang, &batch.gates[*place], column)).collect()
    });
}

fn row_words(theme: &Theme, lang: Lang, other: &BatchGate, column: usize) -> Line {
    let (tick, role) = match (other.can_be_taken(), other.is_ticked()) {
        (false, _) => (line(theme[Role::Bad], " ✕ "), Role::Dim),
        (true, true) => (line(theme[Role::Accent], "[x]"), Role::Text),
        (true, false) => (line(theme[Role::Dim], "[ ]"), Role::Text),
    };
    let title = Safe::line(&other.gate.title()).fit_middle(column);
    let words = tick.gap(1).safe(theme[role], title).to_column(SIGNS + column);
    let topic = other.gate.spec().topic.display();
    // The reason is wanted more than the topic.
    match other.refusal() {
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
