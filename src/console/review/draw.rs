//! The review: every answer, what is missing first, where the record goes, the button.

use super::answer::Said;
use crate::ask::Question;
use crate::console::action::{Action, Target};
use crate::console::draw::answer::with_meaning;
use crate::console::draw::layout::{self, RectExt};
use crate::console::draw::line::{Line, LineExt, behind, line, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::draw::pane;
use crate::console::draw::scroll::Scroll;
use crate::console::form::Form;
use crate::console::form::draw::draw_header;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Size};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::console::voice::Voice;
use crate::text::{Lang, Safe, Sentence, say, width};
use ratatui::layout::Rect;

/// Rows that the words of one answer may take where not all answers are seen whole.
const VALUE_ROWS: usize = 3;
/// In more rows than these there is room for a sign that there are answers below.
const SIGNED_FROM: usize = 3;
const HEADER: usize = 16;
/// Questions whose headers are measured for it.
const HEADERS: usize = 100;
/// Characters and picks of an answer that are looked at for its rows.
const VALUE_TEXT: usize = 2_000;
const VALUE_PICKS: usize = 200;
/// Faults of no question that the review names; the page names all.
const LEFT_OUT: usize = 4;

/// In place of the button, where there is nothing to submit to.
const STAYS: Sentence = say(
    "{back} goes back; the answers stay as a draft in the inbox. {copy} copies one.",
    "按 {back} 返回，回答作为草稿留在列表中；按 {copy} 复制一项。",
);

pub(crate) fn draw(model: &Model, form: &Form, painter: &mut Painter<'_>) {
    let [header, answers, _] = layout::review(model.size);
    // A sentence of several rows takes them from the answers, never from the button.
    let main = layout::main(model.size);
    let seen = if model.here == Context::Review { painter.in_sight(main) } else { main };
    let covered = main.height - seen.height;
    let [.., foot_area] = layout::review(Size { height: model.size.height - covered, ..model.size });
    draw_header(painter, header, form, form.spec().questions.len());
    let rest = list(form, painter, answers.above(foot_area).above(layout::note(model.size, form)));
    let below = rest.slice(2, u16::MAX).inset(1, 1);
    if form.sends_back() && !below.is_empty() {
        painter.rule(rest.row(1).inset(1, 1));
        pane::draw(painter, below, &Scroll::default(), |sheet| super::record::write_refusal(form, sheet));
    }
    foot(form, painter, foot_area);
}

struct AnswerRows {
    lines: Vec<Line>,
    tag: Line,
}

struct List<'a> {
    form: &'a Form,
    theme: &'a Theme,
    voice: Voice<'a>,
    /// Review rows in their order, as places of questions.
    order: Vec<usize>,
    column: usize,
    width: usize,
    /// Rows that the words of one answer may take.
    most: usize,
    /// Whether what labels mean has room whole.
    wraps_means: bool,
}

/// Draws the answers; gives the rows below the last one, none if not all are seen.
fn list(form: &Form, painter: &mut Painter<'_>, area: Rect) -> Rect {
    let headers = form.spec().questions.iter().take(HEADERS).map(|question| width::cells(&header(question)));
    let (width, order) = (usize::from(area.width), form.review_order());
    let column = headers.max().unwrap_or(0).min(width / 4);
    let rows = form.review_rows();
    let most = usize::from(area.height);
    let mut list = List {
        form,
        theme: painter.theme,
        voice: painter.voice,
        order,
        column,
        width,
        most,
        wraps_means: true,
    };
    let fits = |list: &List| {
        let lines = |row| list.row(row).map_or(0, |answer| answer.lines.len());
        rows <= most && (0..rows).map(lines).sum::<usize>() <= most
    };
    list.wraps_means = fits(&list);
    // The most rows for each with which all are seen; where there is no such number, a few.
    let (mut seen, mut unseen) = (VALUE_ROWS, most + 1);
    while seen + 1 < unseen {
        list.most = usize::midpoint(seen, unseen);
        *(if fits(&list) { &mut seen } else { &mut unseen }) = list.most;
    }
    list.most = seen;
    // Where not all answers have room, the last row says how many are below.
    let signed = most > SIGNED_FROM && !fits(&list);
    let (answers, sign) = if signed {
        (area.slice(0, area.height - 1), area.row(area.height - 1))
    } else {
        (area, Rect::default())
    };
    let made = |row| list.row(row);
    let cursor = form.review.row.min(rows.saturating_sub(1));
    let mut y: u16 = 0;
    let height = usize::from(answers.height);
    // A row can take up to three lines; being generous keeps the one under the cursor whole.
    let top = form.review.list.shows_row(cursor, (height / 4).max(1));
    form.review.list.turns_by(height);
    let first = first_row(top, cursor, height, &made);
    let mut seen = first;
    for row in first..rows {
        let Some(answer) = made(row).filter(|_| y < answers.height) else { break };
        let lines = u16::try_from(answer.lines.len()).unwrap_or(u16::MAX);
        let here = answers.slice(y, lines);
        draw_answer(painter, here, answer, row == cursor);
        painter.hit(here, Target::Row(row));
        y = y.saturating_add(lines);
        seen += usize::from(y <= answers.height);
    }
    if seen < rows {
        let more = s::MORE_BELOW.fill(painter.voice.lang, &[&(rows - seen).to_string()]);
        painter.line(sign.inset(2, 1), line(painter.theme[Role::Accent], &more));
    }
    if seen == rows && first == 0 { area.slice(y, u16::MAX) } else { Rect::default() }
}

/// The first answer to draw: far enough on that the one under the cursor is seen whole, and no further than needed to
/// see the last one.
fn first_row(top: usize, cursor: usize, height: usize, made: &dyn Fn(usize) -> Option<AnswerRows>) -> usize {
    let rows = |row: usize| made(row).map(|answer| answer.lines.len());
    let (mut first, mut used) = (cursor, rows(cursor).unwrap_or(0));
    while let Some(more) = first.checked_sub(1).and_then(rows).filter(|more| used + more <= height) {
        (first, used) = (first - 1, used + more);
    }
    let mut behind = cursor + 1;
    let mut filled: usize = (top.max(first)..=cursor).filter_map(rows).sum();
    while let Some(more) = rows(behind).filter(|_| filled < height) {
        (behind, filled) = (behind + 1, filled + more);
    }
    let mut start = top.max(first);
    while let Some(more) = start.checked_sub(1).and_then(rows).filter(|more| filled + more <= height) {
        (start, filled) = (start - 1, filled + more);
    }
    start
}

fn draw_answer(painter: &mut Painter<'_>, area: Rect, answer: AnswerRows, selected: bool) {
    let theme = painter.theme;
    let left = painter.right(area.row(0).inset(0, 1), answer.tag);
    for (row, words) in (0..area.height).zip(answer.lines) {
        let mark = if selected && row == 0 { "▸ " } else { "  " };
        let here = if row == 0 { left } else { area.row(row) };
        painter.line(here, line(theme[Role::Accent], mark).join(words));
    }
    if selected {
        painter.select(area);
    }
}

fn header(question: &Question) -> Safe {
    Safe::line(&question.header.display()).fit_middle(HEADER)
}

impl List<'_> {
    /// A row: one answer; behind the last, what a repair leaves out.
    fn row(&self, row: usize) -> Option<AnswerRows> {
        match self.order.get(row) {
            Some(&at) => Some(self.answer(at)),
            None => (row < self.form.review_rows()).then(|| self.left_out()),
        }
    }

    fn answer(&self, at: usize) -> AnswerRows {
        let (theme, lang) = (self.theme, self.voice.lang);
        let said = Said::of(self.form, at, VALUE_PICKS, lang);
        let cells = self.width.saturating_sub(self.column + 8).max(4);
        let tag = said.tag.map_or_else(Line::default, |tag| line(theme[Role::Dim], tag.text(lang)));
        let left = if said.tag.is_some() { cells.saturating_sub(tag.cells() + 2).max(4) } else { cells };
        let mut values = self.short(said.words.0, &said.words.1, left);
        match (&values[..], said.means.as_deref()) {
            ([label], Some(means)) if self.wraps_means && label.cells() * 2 < left => {
                let first = label.clone().gap(2);
                let rows = wrapped(theme[Role::Dim], means, left - first.cells());
                values = behind(&first, first.cells(), rows);
            }
            (_, means) => with_meaning(theme, &mut values, means, left),
        }
        for (role, words) in said.beside {
            values.extend(self.short(role, &words, cells));
        }
        let header = header(&self.form.spec().questions[at]).fit_middle(self.column);
        let first = line(theme[said.role], said.sign).gap(1).safe(theme[Role::Text], header);
        AnswerRows { lines: behind(&first.to_column(self.column + 4), self.column + 4, values), tag }
    }

    /// What belongs to no question and does not come into the new record.
    fn left_out(&self) -> AnswerRows {
        let (theme, lang, problems) = (self.theme, self.voice.lang, self.form.left_out());
        let cells = self.width.saturating_sub(7).max(4);
        let head = s::counted(problems.len(), s::REST_ONE, s::REST_MANY, lang);
        let mut values = wrapped(theme[Role::Warn], &head, cells);
        for (at, problem) in problems.iter().enumerate().take(LEFT_OUT) {
            // What is known of a place is said of it once.
            let is_first = problems[..at].iter().all(|before| before.pointer != problem.pointer);
            let mut causes = self.form.causes().iter().filter(|_| is_first);
            let cause = causes.find(|cause| cause.pointer == problem.pointer);
            let words = cause.map_or_else(|| problem.plain(lang), |cause| cause.text(lang));
            values.push(line(theme[Role::Dim], &words).fit(cells));
        }
        if problems.len() > LEFT_OUT {
            let all = self.voice.keymap.key(Context::Review, &Action::Expand).unwrap_or_default();
            values.push(line(theme[Role::Accent], &format!("… {all}")));
        }
        let first = line(theme[Role::Warn], "▲").gap(1);
        AnswerRows { lines: behind(&first, 4, values), tag: Line::default() }
    }

    /// The beginning of a text on a few rows; `…` if there is more.
    fn short(&self, role: Role, words: &str, cells: usize) -> Vec<Line> {
        let end = words.char_indices().nth(VALUE_TEXT).map_or(words.len(), |(at, _)| at);
        let mut lines = wrapped(self.theme[role], &words[..end], cells);
        let below = lines.len().saturating_sub(self.most);
        if below > 0 {
            lines.truncate(self.most);
            if let Some(last) = lines.pop() {
                let key = self.voice.keymap.key(Context::Review, &Action::Expand).unwrap_or_default();
                // How many lines a very long text has is not known.
                let more = if end < words.len() {
                    key.to_owned()
                } else {
                    s::MORE_LINES_SHORT.fill(self.voice.lang, &[&below.to_string(), key])
                };
                let room = cells.saturating_sub(width::cells(&more) + 2);
                // A row that is cut ends in the sign already.
                let sign = if last.cells() > room { " " } else { "… " };
                lines.push(last.fit(room).add(self.theme[Role::Accent], &format!("{sign}{more}")));
            }
        }
        lines
    }
}

/// What other packets wait with the same questions, or those of them that are answered too.
fn offer(form: &Form, painter: &mut Painter<'_>, area: Rect) {
    let Some(batch) = &form.status.batch else { return };
    let (theme, voice, lang) = (painter.theme, painter.voice, painter.voice.lang);
    let waiting = batch.gates.iter().filter(|other| other.waits()).count();
    let (says, count) = match (batch.waiting().count(), waiting) {
        (_, 0) => return,
        (0, 1) => (s::SAME_IN_ONE, 1),
        (0, count) => (s::SAME_IN_MANY, count),
        (1, _) => (say("Submitting answers 1 more packet: {1}", "提交时一并回答 1 个指令包：{1}"), 1),
        (count, _) => {
            (say("Submitting answers {0} more packets: {1}", "提交时一并回答 {0} 个指令包：{1}"), count)
        }
    };
    let key = voice.keymap.key(Context::Review, &Action::All).unwrap_or_default();
    let key = line(theme[Role::Accent], key).gap(2);
    let words = |names: &str| says.fill(lang, &[&count.to_string(), names]);
    let room = usize::from(area.width);
    let shown = if key.cells() + width::cells(&words("")) < room {
        words(&batch.names(lang))
    } else {
        say("{0} more", "另 {0} 个").fill(lang, &[&count.to_string()])
    };
    if key.cells() > room {
        return;
    }
    painter.hit(area, Target::Batch);
    painter.line(area, key.add(theme[Role::Text], &shown).fit(room));
}

/// What is in the way of the record, or what happens to it.
fn verdict(lang: Lang, form: &Form) -> (Role, String) {
    if form.is_packet_gone() {
        let says = say("✕ Nothing can be written; the reason is below.", "✕ 现在无法写入，原因见下。");
        return (Role::Bad, says.text(lang).to_owned());
    }
    let taken = form.batch_to_submit().count();
    let missing = form.draft.missing(form.spec()).len();
    let missing =
        (missing > 0).then(|| format!("! {}", s::counted(missing, s::MISSING_ONE, s::MISSING_MANY, lang)));
    let theirs = form.status.answered_first().map(|by| {
        let says = say("Another answer came first: {0}", "另一处已先提交：{0}");
        format!("▲ {}", says.fill(lang, &[&by.text(lang)]))
    });
    let warnings: Vec<String> = missing.into_iter().chain(theirs).collect();
    if !warnings.is_empty() {
        return (Role::Warn, warnings.join("  "));
    }
    if form.sends_back() && !form.status.submitting {
        let says = say("↩ Sends back; no record is written.", "↩ 退回这一步，不写入记录。");
        return (Role::Warn, says.text(lang).to_owned());
    }
    if let Some(refusal) = &form.gate.refusal {
        return (Role::Bad, format!("✕ {}", s::CANNOT_WRITE.fill(lang, &[&refusal.text(lang)])));
    }
    if form.status.submitting && taken > 0 {
        let tried = form.status.tried.len().to_string();
        return (Role::Text, s::SUBMITTING_PART.fill(lang, &[&tried, &(taken + 1).to_string()]));
    }
    let (role, says) = match form.status.repair() {
        _ if form.status.submitting => (Role::Text, say("writing…", "写入中…")),
        Some(_) => (Role::Dim, s::REPLACES),
        None => (Role::Dim, s::WRITTEN_TO),
    };
    (role, says.text(lang).to_owned())
}

fn foot(form: &Form, painter: &mut Painter<'_>, area: Rect) {
    let (theme, voice, lang) = (painter.theme, painter.voice, painter.voice.lang);
    let is_low = area.height < layout::WHOLE_FOOT;
    let (role, words) = verdict(lang, form);
    let words = line(theme[role], &words);
    let sends_back = form.sends_back();
    let (ready, theirs) = (role == Role::Dim, form.status.answered_first().is_some() && !sends_back);
    let action = if theirs { Action::UndoRedo } else { Action::Submit };
    let key = voice.keymap.key(Context::Review, &action).unwrap_or_default();
    let taken = form.status.batch_taken().len();
    let complete = form.draft.missing(form.spec()).is_empty();
    let submit = match taken {
        _ if theirs && !complete => super::TO_WHAT_IS_MISSING,
        _ if sends_back => say("Send back", "退回"),
        0 if theirs => say("Mine instead of theirs", "改用我的"),
        0 => say("Submit", "提交"),
        _ if theirs => say("Mine instead of theirs, to {0} packets", "改用我的，提交到 {0} 个指令包"),
        _ => say("Submit to {0} packets", "提交到 {0} 个指令包"),
    };
    let submit = submit.fill(lang, &[&(taken + 1).to_string()]);
    let role = if ready || sends_back || theirs && complete { Role::Accent } else { Role::Dim };
    let button = line(theme[role], &format!("[ {submit}  {key} ]"));
    let row = area.inset(1, 1);
    let last = row.row(area.height.saturating_sub(1));
    let wide = u16::try_from(button.cells()).unwrap_or(u16::MAX).min(last.width);
    let beside = last.inset(wide + 2, 0);
    if form.is_packet_gone() {
        painter.line(last, line(theme[Role::Text], &voice.fill(STAYS, &[])));
    } else {
        painter.hit(Rect { width: wide, ..last }, Target::Submit);
        painter.line(last, button);
    }
    if area.height >= 2 && !sends_back && !form.is_packet_gone() {
        offer(form, painter, if is_low { beside } else { row.row(2) });
    }
    let path = form.gate.answer_path().map(|path| Safe::line(&path.display())).unwrap_or_default();
    let (place, start) = match area.height {
        0..2 => (beside, line(theme[Role::Dim], "→ ")),
        2..layout::WHOLE_FOOT => (row.row(0), line(theme[Role::Dim], "→ ")),
        _ => {
            painter.rule(row.row(0));
            (row.row(1), words.clone().gap(2))
        }
    };
    let room = usize::from(place.width).saturating_sub(start.cells());
    let target = start.add(theme[Role::Text], &width::fit_start(&path, room));
    painter.line(place, if ready { target } else { words });
}
