//! One entry of a gate's history: what was asked and answered, and what is different from the entry before it.

use crate::ask::compare::{Pair, Value, titled};
use crate::console::draw::answer::beginning;
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::sheet::Sheet;
use crate::console::form::page::write_change;
use crate::console::model::{EntryDetail, HistoryView, Model, Scope};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::say;

/// Writes the page.
pub(crate) fn write(model: &Model, history: &HistoryView, sheet: &mut Sheet<'_>) {
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
        write_pair(selected, pair, sheet);
    }
    if selected.since.questions.is_empty() {
        sheet.blank();
        sheet.say(Role::Dim, s::ENTRY_ANSWERS_NOTHING);
    }
}

fn write_head(model: &Model, history: &HistoryView, selected: &EntryDetail, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let entry = &selected.entry;
    let at = model.local_time(entry.date());
    sheet.beside(&line(theme[Role::Title], &at).gap(2), Role::Text, &entry.event(sheet.lang));
    if history.found.scope == Scope::Project {
        let step = entry.step.as_ref().unwrap_or(&entry.answer_path);
        sheet.text(Role::Text, &step.display(), 0);
    }
    write_answers_counted(selected, sheet);
    sheet.say(Role::Dim, s::entry_means(entry.reason));
    if !entry.valid {
        sheet.say(Role::Warn, s::ENTRY_INVALID);
    }
    if history.is_there(history.row) {
        sheet.say(Role::Good, s::ENTRY_IS_THERE);
    }
    let says = match (selected.first, selected.since.is_same()) {
        (true, _) => s::ENTRY_FIRST,
        (false, true) => s::ENTRY_SAME,
        (false, false) => s::ENTRY_DIFFERS,
    };
    sheet.say(Role::Dim, says);
}

/// How many answers the entry gives, and the first of them.
fn write_answers_counted(selected: &EntryDetail, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    let mut answers = selected.since.questions.iter().filter_map(|pair| pair.after.as_ref());
    let Some(first) = answers.next() else { return };
    let words = beginning(&first.shown(lang.comma()));
    let says = match answers.count() {
        0 => say("1 answer: {1}", "1 个回答：{1}"),
        _ => say("{0} answers, the first: {1}", "{0} 个回答，第一个：{1}"),
    };
    let count = selected.since.questions.iter().filter(|pair| pair.after.is_some()).count();
    sheet.text(Role::Dim, &says.fill(lang, &[&count.to_string(), &words]), 0);
}

fn write_pair(selected: &EntryDetail, pair: &Pair, sheet: &mut Sheet<'_>) {
    sheet.text(Role::Title, &titled(pair.header.as_ref(), &pair.id), 0);
    let spec = selected.asked.as_ref();
    let asked = spec.and_then(|spec| spec.find(pair.id.as_str()?)).map(|(_, question)| &question.question);
    if let Some(words) = asked {
        sheet.text(Role::Dim, &words.display(), 0);
    }
    if pair.before == pair.after {
        write_value("  ", Role::Text, Role::Text, pair.after.as_ref(), sheet);
    } else {
        write_value("− ", Role::Bad, Role::Dim, pair.before.as_ref(), sheet);
        write_value("+ ", Role::Good, Role::Text, pair.after.as_ref(), sheet);
    }
    for change in &pair.changes {
        write_change(change, sheet);
    }
}

fn write_value(sign: &str, mark: Role, role: Role, value: Option<&Value>, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let first = line(theme[mark], sign);
    match value {
        Some(value) => sheet.beside(&first, role, &value.shown(sheet.lang.comma())),
        None => sheet.beside(&first, Role::Dim, s::NO_ANSWER_GIVEN.text(sheet.lang)),
    }
}
