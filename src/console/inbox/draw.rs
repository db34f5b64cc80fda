//! The inbox: every gate with its state, the selected one beside or below.

use super::state::State;
use crate::console::draw::field::filter_field;
use crate::console::draw::filtered_list::more_rows;
use crate::console::draw::layout::{self, Panes, RectExt};
use crate::console::draw::line::{Line, LineExt, line, marked, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::draw::pane;
use crate::console::draw::sheet::Sheet;
use crate::console::inbox::ListFilter;
use crate::console::model::{Entry, KeptDraft, Mode, Model, Note, Status};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::query::Word;
use crate::text::{Query, Safe, Sentence, say, width};
use ratatui::layout::Rect;
use std::time::SystemTime;

const STEP: usize = 26;
const ASKED_HINT: Sentence = say(
    "You are asked here before the right steps. Questions of the whole book that are on: {0}; {questions} shows them, and what the \
     next steps will ask.",
    "到了相应的步骤之前，就会在这里问你。全书的提问开着 {0} 个：按 {questions} 查看，也能看到接下来的步骤会问什么。",
);
/// From this width of the terminal on there is room for ages.
pub const AGES: u16 = 48;

pub(crate) fn draw(model: &Model, painter: &mut Painter<'_>) {
    let parts = panes(model);
    header(model, painter, parts.header);
    if model.inbox.is_empty() {
        return empty(model, painter, parts.list);
    }
    let hidden = list(model, painter, parts.list);
    let wide = parts.rule.height <= 1;
    painter.rule(if wide { parts.rule.inset(1, 1) } else { parts.rule });
    if wide && !parts.rule.is_empty() {
        painter.right(parts.rule.inset(1, 3), more_rows(painter, hidden));
    } else {
        let below = Rect { y: parts.list.bottom(), height: layout::NOTICE, ..parts.list };
        painter.line(below.inset(2, 1), more_rows(painter, hidden));
    }
    let write = |sheet: &mut Sheet<'_>| write(model, sheet);
    pane::draw(painter, parts.detail.inset(1, 1), &model.inbox.detail_scroll, write);
}

/// The parts of the inbox as it stands now.
pub(super) fn panes(model: &Model) -> Panes {
    let list = &model.inbox;
    layout::inbox(model.size, list.total() + list.gaps, is_wide_headed(model))
}

/// Whether something is said in a second line of the header.
fn is_wide_headed(model: &Model) -> bool {
    let list = &model.inbox;
    let polled = matches!(list.watching, Some(Mode::Polling(_)));
    list.filter.is_some() || polled || !list.complete || model.silence().is_some()
}

/// Writes what the cursor is on.
pub(super) fn write(model: &Model, sheet: &mut Sheet<'_>) {
    match model.inbox.selected_kept() {
        Some(kept) => super::kept::write(model, kept, sheet),
        None => super::page::write(model, sheet),
    }
}

fn header(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let filter = model.inbox.filter.as_ref();
    let first = area.row(0).inset(1, 1);
    if let Some(filter) = filter.filter(|_| area.height == 1) {
        return filter_line(model, painter, first, filter);
    }
    let left = painter.right(first, counts(theme, model, usize::from(first.width)));
    let name = line(theme[Role::Title], &model.project);
    let whole = line(theme[Role::Accent], "novel-gate").gap(3).join(name.clone());
    let fits = whole.cells() <= usize::from(left.width);
    painter.line(left, if fits { whole } else { name });
    if area.height > 1 {
        let says = match (model.inbox.complete, &model.inbox.watching) {
            (false, _) => say("looking…", "扫描中…").text(model.lang),
            (true, Some(Mode::Polling(_))) => say("looking every second", "每秒查看").text(model.lang),
            (true, _) => "",
        };
        let left = painter.right(area.row(1).inset(1, 1), line(theme[Role::Dim], says));
        if let Some(filter) = filter {
            filter_line(model, painter, left, filter);
        } else if let Some(silence) = model.silence() {
            painter.line(left, line(theme[Role::Dim], &silence));
        }
    }
}

/// How many gates are in each state: in words if there is room, else by their signs.
fn counts(theme: &Theme, model: &Model, width: usize) -> Line {
    let counts = model.inbox.counts;
    let parts = |words: bool| {
        [
            (State::of(Status::Waiting), counts.waiting),
            (State::of(Status::Blocked), counts.blocked),
            (State::LATER, counts.later),
            // Both have one sign.
            (State::of(Status::Malformed), counts.malformed + if words { 0 } else { counts.unseen }),
            (State::of_note(Note::Misspelt), if words { counts.unseen } else { 0 }),
            (State::of(Status::SentBack), counts.sent_back),
            (State::of(Status::Answered), counts.answered),
            (State::KEPT, counts.kept),
        ]
    };
    let made = |words: bool| {
        let mut line = Line::default();
        let always =
            |shown: &State| *shown == State::of(Status::Waiting) && model.inbox.complete && !model.inbox.cut;
        for (shown, count) in parts(words).iter().filter(|(shown, count)| *count > 0 || always(shown)) {
            let role = if *count > 0 { shown.role } else { Role::Dim };
            let line_so_far = if line.spans.is_empty() { line } else { line.gap(2) };
            line = line_so_far.add(theme[role], shown.sign).add(theme[Role::Text], &format!(" {count}"));
            if words {
                line = line.add(theme[Role::Dim], " ").add(theme[Role::Dim], shown.word.text(model.lang));
            }
        }
        line
    };
    let name = width::cells(&Safe::line(&model.project)) + "novel-gate   ".len() + 2;
    let full = made(true);
    if full.cells() + name <= width { full } else { made(false) }
}

fn filter_line(model: &Model, painter: &mut Painter<'_>, row: Rect, filter: &ListFilter) {
    let found = format!("{}/{}", model.inbox.len(), model.inbox.total());
    let left = painter.right(row, line(painter.theme[Role::Dim], &found));
    filter_field(painter, left, &filter.field, filter.focused);
}

fn empty(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let filter = model.inbox.filter.as_ref().filter(|_| model.inbox.total() > 0);
    let hint = if model.inbox.standing > 0 { ASKED_HINT } else { s::EMPTY_HINT };
    let (title, hint): (String, Option<Sentence>) = match filter {
        Some(filter) => {
            let words = say("Nothing matches “{0}”.", "没有与“{0}”相符的门控。")
                .fill(model.lang, &[filter.field.text()]);
            (words, Some(say("{back} clears the filter.", "按 {back} 清除筛选。")))
        }
        None if model.inbox.complete && model.inbox.cut => {
            (s::EMPTY_UNREAD.text(model.lang).to_owned(), None)
        }
        None if model.inbox.complete => (s::EMPTY.text(model.lang).to_owned(), Some(hint)),
        None => (s::EMPTY_LOOKING.text(model.lang).to_owned(), None),
    };
    let whole = Rect { width: model.size.width, ..area }.inset(3, 3);
    let cells = usize::from(whole.width).min(60);
    let mut lines = wrapped(theme[Role::Text], &title, cells);
    if let Some(hint) = hint {
        lines.push(Line::default());
        lines.extend(wrapped(
            theme[Role::Dim],
            &painter.voice.fill(hint, &[&model.inbox.standing.to_string()]),
            cells,
        ));
    }
    let top = u16::from(whole.height > 6);
    painter.lines(whole.slice(top, whole.height), lines);
}

/// Draws the rows; gives how many there are above and below.
fn list(model: &Model, painter: &mut Painter<'_>, area: Rect) -> (usize, usize) {
    let inbox = &model.inbox;
    inbox.scroll.shows_row(inbox.row, usize::from(area.height));
    let area = painter.in_sight(area);
    let whole = inbox.total() + inbox.gaps <= usize::from(area.height);
    let roomy = whole || area.height >= 8;
    let starts = |row: usize| roomy && inbox.starts_section(row);
    let top = first_row(model, usize::from(area.height), &starts);
    let shown = top..(top + usize::from(area.height)).min(inbox.len());
    let (theme, query) = (painter.theme, inbox.filter.as_ref().map(|filter| Query::new(filter.field.text())));
    let marked = |role, text: &Safe| marked(theme, role, text, query.as_ref(), Word::find_by_sound);
    let made = |row: usize| match inbox.entry(row) {
        Some(entry) => Some(gate_row(model, theme, entry, marked)),
        None => inbox.kept_in(row).map(|kept| kept_row(model, kept, marked)),
    };
    let rows: Vec<Row> = shown.map_while(made).collect();
    let widest = rows.iter().map(|row| width::cells(&row.name)).max().unwrap_or(0);
    let column = widest.min(STEP).min(usize::from(area.width) / 2);
    let (mut y, mut end) = (0, top);
    for (row, made) in (top..).zip(rows) {
        y += u16::from(row > top && starts(row));
        if y >= area.height {
            break;
        }
        let name = marked(made.role, &made.name.fit(column));
        let start = line(theme[made.state.role], made.state.sign).gap(1).join(name).to_column(column + 4);
        draw_row(model, painter, area.row(y), row, made, start);
        (y, end) = (y + 1, row + 1);
    }
    (top, inbox.len() - end)
}

/// The first row to draw: the model's, moved on so far that the row under the cursor is seen among the gaps, and back
/// so far that no rows are missing at the end.
fn first_row(model: &Model, height: usize, starts: &dyn Fn(usize) -> bool) -> usize {
    let inbox = &model.inbox;
    let lines = |from: usize, to: usize| {
        (from..=to).map(|row| 1 + usize::from(row > from && starts(row))).sum::<usize>()
    };
    let last = inbox.len().saturating_sub(1);
    let mut top = inbox.scroll.at().max((inbox.row + 1).saturating_sub(height)).min(last);
    while top < inbox.row && lines(top, inbox.row) > height {
        top += 1;
    }
    while top > 0 && last - top < height && lines(top - 1, last) <= height {
        top -= 1;
    }
    top
}

/// What a row says: behind the sign and the name, which stands in a column, what is known of it, and what is said besides.
struct Row {
    state: State,
    role: Role,
    name: Safe,
    time: Option<SystemTime>,
    parts: Vec<Line>,
    extra: Vec<(Role, String)>,
}

fn draw_row(model: &Model, painter: &mut Painter<'_>, area: Rect, row: usize, made: Row, start: Line) {
    let theme = painter.theme;
    let age = made.time.filter(|_| model.size.width >= AGES);
    let age = age.map(|time| line(theme[Role::Dim], &s::age(time, &model.local_now(), model.lang)));
    let left = painter.right(area.inset(0, 1), age.unwrap_or_default());
    let mut line = start;
    for (at, part) in made.parts.into_iter().enumerate() {
        line = line.add(theme[Role::Dim], if at == 0 { "" } else { " · " }).join(part);
    }
    for (role, words) in made.extra {
        let part = Line::default().add(theme[Role::Dim], " · ").add(theme[role], &words);
        // A number says nothing without what is counted.
        let is_count = words.starts_with(|c: char| c.is_ascii_digit());
        if !is_count || line.cells() + 2 + part.cells() <= usize::from(left.width) {
            line = line.join(part);
        }
    }
    painter.list_row(area, left, row, row == model.inbox.row, line);
}

/// A draft without a gate: its step and topic, and how it begins.
fn kept_row(model: &Model, kept: &KeptDraft, marked: impl Fn(Role, &Safe) -> Line) -> Row {
    let begins: String = kept.said.first().map(|said| said.text(1, model.lang)).unwrap_or_default();
    let begins: String = begins.chars().take(usize::from(model.size.width)).collect();
    let topic = kept.topic().map(|topic| marked(Role::Text, &Safe::line(&topic.display())));
    let parts = topic.into_iter().chain([marked(Role::Dim, &Safe::line(&begins))]).collect();
    let name = Safe::line(&kept.title());
    Row { state: State::KEPT, role: Role::Text, name, time: kept.time(), parts, extra: Vec::new() }
}

fn gate_row(model: &Model, theme: &Theme, entry: &Entry, marked: impl Fn(Role, &Safe) -> Line) -> Row {
    let later = model.inbox.later(entry);
    let state = match entry.status {
        _ if entry.past => State::PAST,
        _ if later.is_some() => State::LATER,
        Status::Waiting if model.inbox.draft(entry).is_some() => State::DRAFT,
        _ => State::of_entry(entry),
    };
    let is_calm = later.is_some() || entry.status == Status::Answered;
    let role = if is_calm { Role::Dim } else { Role::Text };
    let role = if entry.past { Role::Past } else { role };
    let conflict =
        entry.is_conflict().then(|| (Role::Bad, format!("✕ {}", say("conflict", "冲突").text(model.lang))));
    let until = later.map(|later| {
        let words = match later.until.filter(|_| model.size.width < AGES) {
            // The sign says that it is put off.
            Some(until) => model.in_how_long(until),
            None => model.later_words(later, model.lang),
        };
        (Role::Text, words)
    });
    let plain = |(role, words): (Role, String)| Line::default().add(theme[role], &words);
    let mut parts: Vec<Line> = conflict.into_iter().chain(until).map(plain).collect();
    parts.extend(entry.caller.as_ref().and_then(|caller| Some(plain((Role::Dim, caller.mark()?)))));
    parts.extend(entry.topic.as_ref().map(|topic| marked(role, &Safe::line(&topic.display()))));
    parts.extend(is_alike(model, entry).then(|| marked(role, &Safe::line(&entry.stem()))));
    let (name, time) = (Safe::line(&entry.title()), Some(entry.time()));
    Row { state, role, name, time, parts, extra: extra(model, entry) }
}

/// Whether another row calls an unusable packet the same: its file tells them apart.
fn is_alike(model: &Model, entry: &Entry) -> bool {
    let is_other = |other: &Entry| {
        other.path != entry.path && other.title() == entry.title() && other.topic == entry.topic
    };
    entry.status == Status::Malformed && model.inbox.entries.iter().any(|other| is_other(other))
}

/// What else there is to say about a gate in its row.
fn extra(model: &Model, entry: &Entry) -> Vec<(Role, String)> {
    let lang = model.lang;
    let mut out = Vec::new();
    let draft = model.inbox.draft(entry).filter(|_| !entry.past);
    match draft {
        Some(_) if entry.status == Status::Answered => {
            out.push((Role::Warn, s::NOT_SUBMITTED.text(lang).to_owned()));
        }
        Some(draft) => {
            let counts = [draft.standing.to_string(), draft.questions.to_string()];
            let is_part = draft.answered > 0 && draft.missing > 0;
            let says = if is_part { say("draft {0}/{1}", "草稿 {0}/{1}") } else { say("draft", "草稿") };
            out.push((Role::Waiting, says.fill(lang, &[&counts[0], &counts[1]])));
        }
        None => {}
    }
    if let Some(note) = entry.note {
        out.push((Role::Dim, note.word().text(lang).to_owned()));
    } else if entry.problems > 0 {
        out.push((Role::Dim, s::counted(entry.problems, s::PROBLEMS_ONE, s::PROBLEMS_MANY, lang)));
    } else if entry.questions > 1 && draft.is_none() {
        out.push((Role::Dim, s::counted(entry.questions, s::QUESTIONS_ONE, s::QUESTIONS_MANY, lang)));
    }
    let one_gate = format!("= {}", say("shared gate", "共用门控").text(lang));
    let marks = [
        (entry.past, Role::Past, s::PAST.text(lang)),
        (entry.loss.is_some(), Role::Warn, entry.loss.as_ref().map_or("", |loss| loss.word().text(lang))),
        (model.inbox.is_older(entry), Role::Warn, s::OLDER.text(lang)),
        (model.inbox.is_untold(entry), Role::Warn, s::UNTOLD.text(lang)),
        (model.inbox.is_outdated(entry), Role::Warn, s::OUTDATED.text(lang)),
        (entry.status == Status::SentBack, Role::Warn, Status::SentBack.word().text(lang)),
        (entry.is_one_gate(), Role::Dim, &one_gate),
        (entry.refusal.is_some(), Role::Bad, say("cannot be written", "无法写入").text(lang)),
        (
            entry.status == Status::Waiting && entry.rounds.iter().any(|(_, round)| *round == 0),
            Role::Dim,
            say("options to come", "备选未到").text(lang),
        ),
        (entry.being_written, Role::Dim, say("being written", "写入中").text(lang)),
    ];
    let marks = marks.into_iter().filter(|(holds, ..)| *holds);
    out.extend(marks.map(|(_, role, words)| (role, words.to_owned())));
    out
}
