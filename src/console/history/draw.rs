//! The history of a gate or of the project: its entries, and the selected one beside or below, or on a page: what was asked
//! and answered, and what is different from the entry before it.

use crate::ask::compare::{Pair, Value, titled};
use crate::ask::draft::IS_DEFAULT;
use crate::ask::{JsString, QuestionSpec, SIGNATURE};
use crate::console::draw::field::filter_field;
use crate::console::draw::layout::RectExt;
use crate::console::draw::line::{Line, LineExt, line, marked, marked_row, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::draw::pane;
use crate::console::draw::sheet::Sheet;
use crate::console::form::page::write_change;
use crate::console::hearing;
use crate::console::history::view::{EntryDetail, HistoryView, Scope};
use crate::console::inbox::draw::AGES;
use crate::console::model::{HistoryEntry, Model, Reason};
use crate::console::sent_back;
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::query::Word;
use crate::text::{Lang, Query, Safe, say, width};
use ratatui::layout::Rect;
use std::path::Path;

/// Cells of a step's name that a row shows, whatever was answered, and a narrow row.
const STEP: usize = 18;
const NARROW_STEP: usize = 12;
/// Cells of a row that what was answered has beside what happened.
const BESIDE: usize = 24;

pub(super) fn draw(model: &Model, history: &HistoryView, painter: &mut Painter<'_>) {
    let parts = history.layout(model);
    header(model, history, painter, parts.header);
    if history.found.rows.is_empty() {
        return empty(model, history, painter, parts.list);
    }
    list(model, history, painter, parts.list);
    painter.rule(if parts.rule.height <= 1 { parts.rule.inset(1, 1) } else { parts.rule });
    pane::draw(painter, parts.detail.inset(1, 1), &history.scroll, |sheet| {
        write(model, history, sheet);
    });
}

fn header(model: &Model, history: &HistoryView, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let (first, last) = (area.row(0).inset(1, 1), area.row(area.height.saturating_sub(1)).inset(1, 1));
    if area.height > 1 || history.filter.is_none() {
        let (shown, all) = (history.found.hits, history.found.all);
        let count = if shown == all {
            s::counted(all, say("1 entry", "1 条"), say("{0} entries", "{0} 条"), model.lang)
        } else {
            format!("{shown}/{all}")
        };
        let left = painter.right(first, line(theme[Role::Dim], &count));
        let line = match history.found.scope.packet() {
            Some(packet) => {
                let of = line(theme[Role::Accent], say("History", "历史").text(model.lang)).gap(2);
                of.add(theme[Role::Title], &title(model, history, packet))
            }
            None => line(theme[Role::Accent], s::HISTORY_OF_PROJECT.text(model.lang)),
        };
        painter.line(left, line);
    }
    if let Some(filter) = &history.filter {
        filter_field(painter, last, &filter.field, filter.focused);
    }
}

/// The name of the gate whose history is shown; its packet may be gone.
fn title(model: &Model, history: &HistoryView, packet: &Path) -> String {
    let gone = model.inbox.entry_at(packet).is_none();
    let step = history.found.rows.first().and_then(|entry| entry.step.as_ref()).filter(|_| gone);
    step.map_or_else(|| model.inbox.title_of(packet), |step| step.display().into_owned())
}

fn empty(model: &Model, history: &HistoryView, painter: &mut Painter<'_>, area: Rect) {
    let says = match (history.found.all, &history.found.scope) {
        (0, Scope::Project) => {
            say("Nothing has been written in this project yet.", "这个项目还没有写入过任何记录。")
        }
        (0, Scope::Gate { .. }) => {
            say("Nothing has been written for this gate yet.", "这个门控还没有写入过任何记录。")
        }
        _ => {
            say("No entry contains {0}. {back} clears the filter.", "没有含“{0}”的条目。按 {back} 清除筛选。")
        }
    };
    let words = painter.voice.fill(says, &[&history.found.words]);
    let whole = Rect { width: model.size.width, ..area }.inset(3, 3);
    painter.lines(whole, wrapped(painter.theme[Role::Text], &words, usize::from(whole.width)));
}

fn list(model: &Model, history: &HistoryView, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let (rows, height) = (&history.found.rows, usize::from(area.height));
    let top = history.list.shows_row(history.row, height);
    let shown = &rows[top..(top + height).min(rows.len())];
    let narrow = model.size.width < AGES;
    let times: Vec<String> = shown.iter().map(|entry| model.local_time(entry.date())).collect();
    let widest = times.iter().map(|time| width::cells(time)).max().unwrap_or(0);
    for (here, (row, (entry, time))) in area.rows().zip((top..).zip(shown.iter().zip(&times))) {
        let (sign, role) = match (history.is_there(entry), entry.reason.is_removal()) {
            _ if entry.is_refusal() => ("↩", Role::Warn),
            (true, _) => ("✓", Role::Answered),
            (false, true) => ("−", Role::Dim),
            (false, false) => ("·", Role::Dim),
        };
        let mut words = line(theme[role], sign).gap(1);
        let room = here.inset(0, 1);
        let (said, is_file) = (said(history, entry, theme), entry.kind().is_file());
        let left = if narrow {
            let age = s::age(entry.date(), &model.local_now(), model.lang);
            painter.right(room, line(theme[Role::Dim], &age))
        } else {
            words = words.add(theme[Role::Dim], time).to_column(widest + 4);
            // The details say it too; beside a step, what was answered has the row to itself.
            let is_beside = said.is_some() && !is_file && history.found.scope != Scope::Project;
            let event = is_beside.then(|| beside(entry, model.lang)).flatten();
            let event = line(theme[Role::Dim], &event.unwrap_or_default());
            let most = usize::from(room.width).saturating_sub(words.cells() + BESIDE);
            painter.right(room, event.fit(most.max(usize::from(room.width) / 3)))
        };
        let event = || line(theme[Role::Dim], &entry.event(model.lang));
        let said = match said {
            Some(said) if is_file => event().add(theme[Role::Dim], " · ").join(said),
            said => said.unwrap_or_else(event),
        };
        let said = if entry.is_bad() {
            let bad = line(theme[Role::Warn], say("invalid", "无效").text(model.lang));
            bad.add(theme[Role::Dim], " · ").join(said)
        } else {
            said
        };
        if history.found.scope == Scope::Project {
            let step = Safe::line(&entry.name().display());
            let room = usize::from(left.width).saturating_sub(words.cells() + 5);
            let step =
                step.fit(room.saturating_sub(said.cells()).max(if narrow { NARROW_STEP } else { STEP }));
            let query = Query::new(&history.found.words);
            let step = marked(theme, Role::Text, &step, Some(&query), Word::find_by_sound);
            words = words.join(step).add(theme[Role::Dim], " · ");
        }
        painter.list_row(here, left, row, row == history.row, words.join(said));
    }
}

/// What an entry says, with the words that are looked for; nothing of one without texts, or not read yet.
fn said(history: &HistoryView, entry: &HistoryEntry, theme: &Theme) -> Option<Line> {
    let query = Query::new(&history.found.words);
    let marked = |text: &String| {
        let text = Safe::line(text);
        marked_row(theme, Role::Text, &text, 0..text.len(), &query.places(&text))
    };
    let texts = history.found.known.get(&entry.id())?.texts.iter().map(marked);
    texts.reduce(|line, text| line.add(theme[Role::Dim], " · ").join(text))
}

/// What happened, where it is not simply that the author has answered.
fn beside(entry: &HistoryEntry, lang: Lang) -> Option<String> {
    match (entry.reason, entry.answered_by.as_ref().is_none_or(|by| by.as_str() == Some(SIGNATURE))) {
        (Reason::Answered, true) => None,
        (reason, true) => Some(reason.text(None, lang)),
        (_, false) => Some(entry.event(lang)),
    }
}

pub(super) fn write(model: &Model, history: &HistoryView, sheet: &mut Sheet<'_>) {
    if history.selected().is_none() {
        return;
    }
    let Some(selected) = history.shown() else { return sheet.say(Role::Dim, s::LOADING) };
    write_head(model, history, selected, sheet);
    for change in &selected.since.changes {
        write_change(change, sheet);
    }
    for pair in &selected.since.questions {
        sheet.blank();
        write_pair(selected, pair, &history.found.words, sheet);
    }
    sheet.blank();
    if let Some(text) = &selected.text {
        sheet.query = sought(&history.found.words);
        text.lines().for_each(|line| sheet.text(Role::Text, line, 0));
        sheet.query = None;
        sheet.blank();
    } else if selected.since.questions.is_empty() {
        sheet.say(Role::Dim, say("It has no readable answers.", "其中没有可读取的回答。"));
    }
    write_foot(model, history, selected, sheet);
}

fn write_head(model: &Model, history: &HistoryView, selected: &EntryDetail, sheet: &mut Sheet<'_>) {
    let (theme, entry) = (sheet.theme, &selected.entry);
    let at = model.local_time(entry.date());
    sheet.beside(&line(theme[Role::Title], &at).gap(2), Role::Dim, &entry.event(sheet.lang));
    sheet.query = sought(&history.found.words);
    if history.found.scope == Scope::Project {
        let step = entry.step.as_ref().unwrap_or(&entry.answer_path);
        sheet.text(Role::Text, &step.display(), 0);
        if let Some(topic) = &entry.topic {
            sheet.text(Role::Dim, &topic.display(), 0);
        }
    }
    if let Some(why) = &selected.why {
        let unknown = QuestionSpec { version: 1.0, topic: JsString::EMPTY, questions: Vec::new() };
        let spec = selected.asked.as_ref().unwrap_or(&unknown);
        let named = why.does_not_apply.as_deref();
        sent_back::write_why(why.choice.as_ref(), named, &why.reason, spec, sheet);
    }
    sheet.query = None;
    if entry.is_bad() {
        sheet.say(Role::Warn, s::ENTRY_INVALID);
    }
}

/// Writes what else is known of an entry, below what was answered.
fn write_foot(model: &Model, history: &HistoryView, selected: &EntryDetail, sheet: &mut Sheet<'_>) {
    let entry = &selected.entry;
    if history.is_there(entry) {
        sheet.say(Role::Good, s::is_there(entry));
    }
    let packet = Path::new(entry.packet.as_deref().unwrap_or_default());
    hearing::write(selected.hearing.as_ref(), entry.step.as_ref(), packet, &model.local_now(), sheet);
    if let Some(means) = s::entry_means(entry) {
        sheet.say(Role::Dim, means);
    }
    if !selected.first && selected.text.is_none() {
        let is_same = selected.since.is_same();
        let same = say("The same as the entry before it.", "与前一条目相同。");
        sheet.say(Role::Dim, if is_same { same } else { s::ENTRY_DIFFERS });
    }
}

fn sought(words: &str) -> Option<Query> {
    Some(Query::new(words)).filter(|query| !query.words().is_empty())
}

fn write_pair(selected: &EntryDetail, pair: &Pair, words: &str, sheet: &mut Sheet<'_>) {
    sheet.query = sought(words);
    sheet.text(Role::Title, &titled(pair.header.as_ref(), &pair.id), 0);
    if let Some(question) = selected.asked.as_ref().and_then(|spec| spec.question(&pair.id)) {
        sheet.text(Role::Dim, &question.question.display(), 0);
    }
    let is_default = pair.id.as_str().is_some_and(|id| selected.defaults.iter().any(|known| known == id));
    let mut write = |sign: &str, mark: Role, role: Role, value: &Option<Value>| match value {
        Some(value) if is_default && role == Role::Text => {
            sheet.marked(mark, sign, role, &IS_DEFAULT.fill(sheet.lang, &[&value.shown(sheet.lang)]));
        }
        Some(value) => sheet.marked(mark, sign, role, &value.shown(sheet.lang)),
        None => sheet.marked(mark, sign, Role::Dim, say("(no answer)", "（没有回答）").text(sheet.lang)),
    };
    if pair.before == pair.after {
        write("  ", Role::Text, Role::Text, &pair.after);
    } else {
        write("+ ", Role::Good, Role::Text, &pair.after);
        write("− ", Role::Dim, Role::Dim, &pair.before);
    }
    let mut write_note = |sign: &str, mark: Role, note: &Option<JsString>| {
        if let Some(note) = note {
            let words = s::NOTED.fill(sheet.lang, &[&note.display()]);
            sheet.marked(mark, sign, Role::Dim, &words);
        }
    };
    if pair.note_before == pair.note_after {
        write_note("  ", Role::Text, &pair.note_after);
    } else {
        write_note("+ ", Role::Good, &pair.note_after);
        write_note("− ", Role::Dim, &pair.note_before);
    }
    sheet.query = None;
    for change in &pair.changes {
        write_change(change, sheet);
    }
}
