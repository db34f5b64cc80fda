//! The standing questions in their sections, and the one under the cursor beside or below: when it is asked, and how it looks.

use super::asked::write_asked;
use super::view::{FileRow, QuestionsView, Row, Section, SetRow};
use crate::ask::standing::Rules;
use crate::console::action::Action;
use crate::console::draw::field::filter_field;
use crate::console::draw::layout::RectExt;
use crate::console::draw::line::{Line, LineExt, line, marked, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::draw::pane;
use crate::console::draw::problems::{place, write_problem};
use crate::console::draw::sheet::Sheet;
use crate::console::inbox::draw::AGES;
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::query::Word;
use crate::text::{Lang, Query, Safe, Sentence, say};
use ratatui::layout::Rect;

const MORE: Sentence = say(
    "and more; of any step: novel-gate questions preview STEP",
    "还会问更多；查看任一步骤：novel-gate questions preview STEP",
);

/// A line of the list.
#[derive(Clone, Copy)]
pub(super) enum ListLine {
    Blank,
    Head(Section),
    /// The steps to come ask more than is listed above.
    More,
    /// What passes in this place.
    Row(usize),
}

pub(super) fn draw(model: &Model, view: &QuestionsView, painter: &mut Painter<'_>) {
    let parts = view.layout(model);
    header(model, view, painter, parts.header);
    if view.passing.is_empty() {
        let says =
            say("Nothing contains {0}. {back} clears the filter.", "没有含“{0}”的提问。按 {back} 清除筛选。");
        let words = painter.voice.fill(says, &[view.words()]);
        let whole = Rect { width: model.size.width, ..parts.list }.inset(3, 3);
        return painter.lines(whole, wrapped(painter.theme[Role::Text], &words, usize::from(whole.width)));
    }
    list(model, view, painter, parts.list);
    painter.rule(if parts.rule.height <= 1 { parts.rule.inset(1, 1) } else { parts.rule });
    pane::draw(painter, parts.detail.inset(1, 1), &view.scroll, |sheet| write(model, view, sheet));
}

/// All lines of the list: a line between two sections, each with its name.
pub(super) fn lines(view: &QuestionsView) -> Vec<ListLine> {
    let mut lines = Vec::new();
    let mut last = None;
    for (at, row) in view.passing.iter().enumerate() {
        let section = view.rows[*row].section();
        if last.replace(section) != Some(section) {
            lines.extend((at > 0).then_some(ListLine::Blank));
            lines.push(ListLine::Head(section));
        }
        lines.push(ListLine::Row(at));
        lines.extend(matches!(&view.rows[*row], Row::Step(row) if row.has_more).then_some(ListLine::More));
    }
    lines
}

/// How many rows a page is from the cursor on: names of sections take lines too.
pub(super) fn page_of(view: &QuestionsView, action: &Action) -> usize {
    let all = lines(view);
    let at = line_of(view, &all);
    let rows = |lines: &[ListLine]| lines.iter().filter(|line| matches!(line, ListLine::Row(_))).count();
    let page = if *action == Action::PageUp {
        rows(&all[at.saturating_sub(view.list.rows())..at])
    } else {
        rows(&all[(at + 1).min(all.len())..(at + 1 + view.list.rows()).min(all.len())])
    };
    page.max(1)
}

/// The line of the cursor.
fn line_of(view: &QuestionsView, all: &[ListLine]) -> usize {
    all.iter().position(|line| matches!(line, ListLine::Row(row) if *row == view.row)).unwrap_or(0)
}

fn header(model: &Model, view: &QuestionsView, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let (first, last) = (area.row(0).inset(1, 1), area.row(area.height.saturating_sub(1)).inset(1, 1));
    if area.height > 1 || view.filter.is_none() {
        let files =
            view.rows.iter().filter_map(|row| if let Row::File(row) = row { Some(row) } else { None });
        let asked = files.filter(|row| row.is_on()).count();
        let count = s::counted(asked, say("1 asked", "1 个会问"), say("{0} asked", "{0} 个会问"), model.lang);
        let left = painter.right(first, line(theme[Role::Dim], &count));
        painter.line(left, line(theme[Role::Accent], s::STANDING_QUESTIONS.text(model.lang)));
    }
    if let Some(filter) = &view.filter {
        let found = format!("{}/{}", view.passing.len(), view.rows.len());
        let left = painter.right(last, line(theme[Role::Dim], &found));
        filter_field(painter, left, &filter.field, filter.focused);
    }
}

fn list(model: &Model, view: &QuestionsView, painter: &mut Painter<'_>, area: Rect) {
    let (all, height) = (lines(view), usize::from(area.height));
    let at = line_of(view, &all);
    // The first row of a section is seen with its name.
    let named = matches!(at.checked_sub(1).map(|above| all[above]), Some(ListLine::Head(_)));
    if named && height > 1 {
        view.list.shows_row(at - 1, height);
    }
    let top = view.list.shows_row(at, height);
    let query = Query::new(view.words());
    for (here, shown) in painter.in_sight(area).rows().zip(&all[top..]) {
        match shown {
            ListLine::Blank => {}
            ListLine::Head(section) => {
                painter
                    .line(here.inset(1, 1), line(painter.theme[Role::Dim], section.says().text(model.lang)));
            }
            ListLine::More => {
                painter.line(here.inset(4, 1), line(painter.theme[Role::Dim], MORE.text(model.lang)));
            }
            ListLine::Row(at) => {
                let row = &view.rows[view.passing[*at]];
                let time = if let Row::File(row) = row { row.answered } else { None };
                let time = time.filter(|_| model.size.width >= AGES).map(|time| model.local_time(time));
                let time = line(painter.theme[Role::Dim], &time.unwrap_or_default());
                let left = painter.right(here.inset(0, 1), time);
                let words = row_line(model, view, row, &query, painter.theme);
                painter.list_row(here, left, *at, *at == view.row, words);
            }
        }
    }
}

/// What a row says: its sign, what it is about, and when it is asked, what is wrong with it or why one wants it.
fn row_line(model: &Model, view: &QuestionsView, row: &Row, query: &Query, theme: &Theme) -> Line {
    let lang = model.lang;
    let found = |role, text: &str| marked(theme, role, &Safe::line(text), Some(query), Word::find_by_sound);
    let standing = row.standing(lang);
    let topic = standing.as_ref().map(|standing| standing.spec.topic.display().into_owned());
    let (sign, role, name, more) = match row {
        Row::Gate(new) => {
            let says = say("ask me this before {0}", "{0} 之前都问我这个");
            ("  + ", Role::Accent, says.fill(lang, &[&new.standing.rules.before(lang)]), topic)
        }
        Row::File(file) => {
            let (sign, role) = file_sign(file);
            let start = line(theme[role], sign).join(found(Role::Text, &topic.unwrap_or_else(|| row.name())));
            let name = if view.is_alike(file) { Some(row.name()) } else { None };
            let start = name.map_or(start.clone(), |name| {
                start.add(theme[Role::Dim], " · ").join(found(Role::Dim, &name))
            });
            return start.join(behind(model, file, theme));
        }
        Row::Step(row) => {
            let (sign, role) = row.sign(model);
            let said = row.said(lang);
            // In a narrow list the answer takes the room.
            let is_short = said.is_some() && model.size.width < AGES;
            let name = if is_short { row.question.topic.display().into_owned() } else { row.name(lang) };
            let start = line(theme[role], sign).join(found(Role::Text, &row.question.step.to_string()));
            let start = start.add(theme[Role::Dim], " · ").join(found(Role::Dim, &name));
            return match said {
                Some(said) => start.add(theme[Role::Dim], " · ").join(found(Role::Text, &said)),
                None => start,
            };
        }
        Row::Template(_) => {
            let why = standing.as_ref().and_then(|standing| standing.rules.why.as_ref());
            ("  + ", Role::Dim, topic.unwrap_or_default(), why.map(|why| why.display().into_owned()))
        }
        Row::Set(set) => {
            let sign = if set.is_chosen() { "(•) " } else { "( ) " };
            (sign, Role::Dim, set.says().text(lang).to_owned(), Some(set.topics(lang).join(lang.comma())))
        }
    };
    let start = line(theme[role], sign).join(found(Role::Text, &name));
    match more.filter(|more| !more.is_empty()) {
        Some(more) => start.add(theme[Role::Dim], " · ").join(found(Role::Dim, &more)),
        None => start,
    }
}

/// Before which steps it is asked, and how often.
fn when(rules: &Rules, lang: Lang) -> String {
    say("before {0} · {1}", "{0} · {1}").fill(lang, &[&rules.before(lang), &rules.once_per.text(lang)])
}

fn file_sign(row: &FileRow) -> (&'static str, Role) {
    match &row.file.standing {
        None if row.file.problems.is_empty() => (" …  ", Role::Dim),
        None => (" ✕  ", Role::Malformed),
        Some(_) if row.is_on() => ("[x] ", Role::Answered),
        Some(_) => ("[ ] ", Role::Dim),
    }
}

fn behind(model: &Model, row: &FileRow, theme: &Theme) -> Line {
    let lang = model.lang;
    let mut line = Line::default();
    let mut add = |role: Role, words: &str| {
        line = std::mem::take(&mut line).add(theme[Role::Dim], " · ").add(theme[role], words);
    };
    if row.is_edited {
        add(Role::Warn, say("edited, not saved", "改过，未保存").text(lang));
    }
    if let Some(problem) = row.file.problems.first() {
        add(Role::Warn, &problem.plain(lang));
    }
    match &row.file.standing {
        Some(standing) => {
            add(Role::Dim, &when(&standing.rules, lang));
        }
        None if row.file.problems.is_empty() => add(Role::Dim, say("being written", "写入中").text(lang)),
        None => {}
    }
    line
}

/// Writes what the cursor is on.
pub(super) fn write(model: &Model, view: &QuestionsView, sheet: &mut Sheet<'_>) {
    match view.selected() {
        None => {}
        Some(Row::Set(set)) => write_set(set, sheet),
        Some(Row::Step(row)) => row.write(model, sheet),
        Some(row) => write_question(model, row, sheet),
    }
}

fn write_question(model: &Model, row: &Row, sheet: &mut Sheet<'_>) {
    let standing = row.standing(sheet.lang);
    let name = row.key().1;
    let topic = standing.as_ref().map_or(name.clone(), |standing| standing.spec.topic.display().into_owned());
    sheet.text(Role::Title, &topic, 0);
    let (role, says) = match row {
        Row::Template(_) if !sheet.whole => {
            (Role::Dim, say("· not in the book; {pick} asks it", "· 书中还没有；按 {pick} 放进书里"))
        }
        Row::Gate(_) | Row::Template(_) => {
            (Role::Dim, say("· not in the book; {accept} asks it", "· 书中还没有；按 {accept} 放进书里"))
        }
        Row::File(row) if row.is_on() => (Role::Answered, say("✓ asked", "✓ 会问")),
        Row::File(row) if row.file.standing.is_some() => {
            (Role::Dim, say("· off: kept, and not asked", "· 关着：保留，不提问"))
        }
        Row::File(row) if row.file.problems.is_empty() => (Role::Dim, say("… being written", "… 写入中")),
        _ => (Role::Malformed, say("✕ not asked: it has mistakes", "✕ 有误，不会提问")),
    };
    sheet.say(role, says);
    if let Some(why) = standing.as_ref().and_then(|standing| standing.rules.why.as_ref()) {
        sheet.text(Role::Text, &why.display(), 0);
    }
    if let Row::File(row) = row {
        write_trouble(row, sheet);
    }
    sheet.blank();
    let lang = sheet.lang;
    let rules = standing.as_ref().map(|standing| &standing.rules);
    let when = rules.map(|rules| (rules.before(lang), rules.once_per.text(lang), rules.told(lang)));
    let answered = if let Row::File(row) = row { row.answered.map(|at| model.local_time(at)) } else { None };
    let mut rows = Vec::new();
    if let Some((before, once_per, told)) = &when {
        rows.push((say("before", "步骤之前"), &**before));
        rows.push((say("how often", "多久一次"), &**once_per));
        rows.push((say("told", "告诉"), &**told));
    }
    rows.extend(answered.as_deref().map(|at| (say("last answered", "上次回答"), at)));
    rows.push((say("name", "名字"), &*name));
    sheet.labelled(0, &rows);
    if let Some(standing) = &standing {
        write_asked(standing, sheet);
    }
}

/// Writes what keeps a file from being asked as the author means it.
fn write_trouble(row: &FileRow, sheet: &mut Sheet<'_>) {
    if row.is_edited {
        let says = say(
            "Your edited text is not saved; {editor} opens it again, {undo-redo} discards it.",
            "你改过的文本还没有保存：按 {editor} 继续编辑，按 {undo-redo} 丢弃。",
        );
        sheet.say(Role::Warn, says);
    }
    if row.file.problems.is_empty() {
        return;
    }
    sheet.blank();
    for (at, problem) in row.file.problems.iter().enumerate() {
        let mut words = place(problem, sheet.lang);
        if let Some(place) = row.places.get(at) {
            let says = say("line {0}, column {1}: {2}", "第 {0} 行第 {1} 列：{2}");
            words = says.fill(sheet.lang, &[&place.line.to_string(), &place.column.to_string(), &words]);
        }
        sheet.marked(Role::Bad, "✕ ", Role::Text, &words);
        write_problem(problem, &[], true, sheet);
    }
}

/// Writes what a set asks, and what taking it does to the book.
fn write_set(set: &SetRow, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    sheet.text(Role::Title, set.says().text(lang), 0);
    if set.is_chosen() {
        sheet.say(Role::Answered, say("✓ the book asks so", "✓ 书中就是这样问的"));
    } else {
        sheet.say(
            Role::Dim,
            say(
                "· {accept} takes it; what you have written yourself is left alone",
                "· 按 {accept} 采用；你自己写的提问不动",
            ),
        );
    }
    for template in &set.has {
        let Some(standing) = template.standing(lang) else { continue };
        sheet.blank();
        sheet.text(Role::Text, &standing.spec.topic.display(), 0);
        sheet.text(Role::Dim, &when(&standing.rules, lang), 2);
        sheet.text(Role::Dim, &standing.rules.why.iter().map(|why| why.display()).collect::<String>(), 2);
    }
    let off = set.switched_off(lang);
    if !off.is_empty() {
        sheet.heading(say("would be switched off", "将会关闭"));
        sheet.text(Role::Text, &off.join(lang.comma()), 2);
    }
}
