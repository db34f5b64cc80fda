//! The words behind a form: what the row under the cursor means, and the whole question.

use super::row::shows_whole;
use crate::ask::draft::Orphan;
use crate::ask::{Change, ChangeKind};
use crate::console::draw::answer::{PICKS, aside_text, beginning, short_answer};
use crate::console::draw::layout::{self, FormLayout};
use crate::console::draw::line::{LineExt, line, marked_rows};
use crate::console::draw::problems::{write_problem, write_refusal};
use crate::console::draw::sheet::Sheet;
use crate::console::form::gate::Before;
use crate::console::form::{Form, Row};
use crate::console::inbox::page::kind;
use crate::console::model::Model;
use crate::console::sent_back;
use crate::console::sentences as s;
use crate::console::standing;
use crate::console::theme::Role;
use crate::console::voice::Voice;
use crate::text::query::Word;
use crate::text::{Lang, Safe, say, width};
use ratatui::layout::Rect;

/// From this height on the pane has room for a blank row.
const ROOMY: u16 = 8;

/// Writes what stands in the pane below the rows.
pub(crate) fn write_context(model: &Model, form: &Form, sheet: &mut Sheet<'_>) {
    let parts = layout::form_of(model.screen_size(), form);
    let elsewhere = picks_elsewhere(&parts, form, sheet.lang).filter(|_| !parts.names_picks(form));
    if let Some(words) = elsewhere {
        sheet.text(Role::Text, &words, 0);
        if parts.context.height >= ROOMY {
            sheet.blank();
        }
    }
    write_sent_back(model, form, sheet);
    write_before(form, sheet);
    write_beside(form, sheet);
    if !form.is_free_text() && !shows_whole(sheet.voice, form, &parts) {
        write_row(model, form, false, sheet);
    }
    write_changes(form, sheet);
}

/// What the author gave last in place of an answer: he is to remember what he had asked for.
fn write_sent_back(model: &Model, form: &Form, sheet: &mut Sheet<'_>) {
    if let Some(sent) = &form.gate.sent_back {
        sent_back::write(model, sent, form.spec(), form.gate.is_sent_back, sheet);
    }
}

/// All that is chosen, where some of it is on another page or does not pass the filter.
pub fn picks_elsewhere(parts: &FormLayout, form: &Form, lang: Lang) -> Option<String> {
    let (question, reply) = (form.question_in(form.at, lang), form.reply());
    let page = layout::rows_on_page(parts, form);
    let rows = form.rows().skip(form.view().cursor / page * page).take(page);
    let seen = rows.filter(|row| match row {
        Row::Option(place) => reply.has(*place),
        Row::Own(_) => true,
        Row::Other => form.is_single() && reply.other.trim().is_empty() && reply.own().next().is_some(),
        Row::Typed | Row::Bare | Row::Earlier => false,
    });
    let count = reply.picks.len();
    let counted = [&*count.to_string(), &short_answer(&question, reply, lang)];
    let says = match (form.is_single(), reply.is_default()) {
        (_, true) => say("by default: {1}", "默认：{1}"),
        (true, _) => s::CHOSEN_IS,
        (false, _) => say("{0} chosen: {1}", "已选 {0}：{1}"),
    };
    let words = || says.fill(lang, &counted);
    (seen.count() < count).then(words)
}

/// What a list says that shows nothing; none if that has no room there: then the pane says it.
pub fn nothing_passes(voice: Voice<'_>, body: Rect) -> Option<String> {
    let says = voice.fill(s::NO_OPTION_PASSES, &[]);
    (width::cells(&says) + 3 <= usize::from(body.width)).then_some(says)
}

/// Writes the whole question and what is known about its gate.
pub(crate) fn write_question(model: &Model, form: &Form, sheet: &mut Sheet<'_>) {
    let question = form.question();
    let header = line(sheet.theme[Role::Text], &question.header.display()).gap(2);
    sheet.beside(&header, Role::Dim, &kind(question, sheet.lang));
    sheet.blank();
    sheet.text(Role::Title, &question.question.display(), 0);
    let text = form.open_field().text();
    if (form.is_free_text() || layout::typing(form)) && !text.trim().is_empty() {
        sheet.blank();
        sheet.text(Role::Text, text, 0);
    }
    if other_before(form).is_some() {
        sheet.blank();
        write_before(form, sheet);
    }
    write_beside(form, sheet);
    if !form.is_free_text() {
        sheet.blank();
        write_row(model, form, true, sheet);
    }
    write_changes(form, sheet);
    sheet.blank();
    if form.gate.sent_back.is_some() {
        write_sent_back(model, form, sheet);
        sheet.blank();
    }
    write_warnings(form, sheet);
    if let Some(asked) = &form.gate.standing {
        standing::write(asked, sheet);
        if let Some(rounds) = form.rounds(form.at) {
            sheet.text(Role::Dim, &rounds.says(form.refusal(), sheet.voice), 0);
        }
        sheet.blank();
    }
    sheet.say(Role::Dim, s::ANSWERS_GO_TO);
    if let Some(path) = form.gate.answer_path() {
        sheet.text(Role::Text, &path.display(), 2);
    }
}

/// Writes the note or the reason that is being written, as it stands.
pub(crate) fn write_note_text(form: &Form, sheet: &mut Sheet<'_>) {
    if let Some(note) = form.note.as_ref().filter(|note| note.sends_back.is_none()) {
        let header = form.spec().questions[note.at].header.display();
        sheet.text(Role::Dim, &s::NOTE_ON.fill(sheet.lang, &[&header]), 0);
        sheet.blank();
    }
    sheet.text(Role::Text, form.open_field().text(), 0);
}

/// What lastingly holds for the gate, each with a blank line behind it.
pub(crate) fn write_warnings(form: &Form, sheet: &mut Sheet<'_>) {
    for warning in form.warnings() {
        sheet.marked(Role::Warn, "▲ ", Role::Text, &sheet.voice.text(warning));
        sheet.blank();
    }
    if let Some(refusal) = &form.gate.refusal {
        write_refusal(refusal, sheet);
        sheet.blank();
    }
}

fn write_row(model: &Model, form: &Form, alone: bool, sheet: &mut Sheet<'_>) {
    let reply = form.reply();
    match form.current_row() {
        Some(Row::Option(place)) => {
            let (option, label) = (&form.question().options[place], form.label(place, sheet.lang));
            // Beside the rows, the label stands one line above, unless it is cut there.
            let parts = layout::form_of(model.screen_size(), form);
            if alone || width::cells(&Safe::line(&label)) > layout::label_room(parts.body.width) {
                sheet.text(Role::Title, &label, 0);
            }
            let words = option.description.display();
            for line in
                marked_rows(sheet.theme, Role::Text, &words, (form.query(), Word::find), sheet.width())
            {
                sheet.line(|| line);
            }
        }
        Some(Row::Own(place)) => {
            sheet.say(Role::Dim, s::OWN);
            if let Some(words) = reply.own().nth(place) {
                sheet.text(Role::Text, &beginning(&words.display()), 0);
            }
        }
        Some(Row::Other) => {
            if !reply.other.trim().is_empty() {
                let words = s::OTHER_NOT_TAKEN.fill(sheet.lang, &[&beginning(&reply.other)]);
                return sheet.text(Role::Warn, &words, 0);
            }
            if let Some(words) = reply.own().next().filter(|_| form.is_single()) {
                sheet.text(Role::Text, &beginning(&words.display()), 0);
            }
        }
        None if alone
            || nothing_passes(sheet.voice, layout::form_of(model.screen_size(), form).body).is_none() =>
        {
            sheet.say(Role::Dim, s::NO_OPTION_PASSES);
        }
        Some(Row::Typed | Row::Bare | Row::Earlier) | None => {}
    }
}

/// The earlier record, if it says something else here, or something that is not valid.
fn other_before(form: &Form) -> Option<&Before> {
    let before = form.status.before.as_ref()?;
    let same = form.faults(form.at).is_empty() && before.is_as_before(form.at, form.question(), form.reply());
    (!same).then_some(before)
}

/// The bad record's answer and why it is not valid; else the removed record's answer, if it was another one.
fn write_before(form: &Form, sheet: &mut Sheet<'_>) {
    let Some(before) = other_before(form) else { return };
    let (theme, lang, faults) = (sheet.theme, sheet.lang, form.faults(form.at));
    let (sign, role) = if faults.is_empty() { ("· ", Role::Dim) } else { ("▲ ", Role::Warn) };
    let (label, words) = before.named(form.at, PICKS, lang);
    let first = line(theme[role], sign).add(theme[role], label.text(lang)).gap(2);
    sheet.beside(&first, Role::Text, &beginning(&words));
    for problem in faults {
        // For the whole answer, the line above shows what was found.
        let of_a_part = problem.pointer.matches('/').count() > 2;
        write_problem(problem, form.causes(), of_a_part, sheet);
    }
}

/// What stands beside the answer: the note and the author's other answers, with the keys for them.
fn write_beside(form: &Form, sheet: &mut Sheet<'_>) {
    let (reply, lang) = (form.reply(), sheet.lang);
    let question = form.question_in(form.at, lang);
    if !reply.note.is_blank() {
        sheet.named(Role::Warn, "· ", s::NOTE.text(lang), &beginning(&reply.note.display()));
        sheet.say(Role::Dim, s::NOTE_GOES);
    }
    let mut named = |role, label: &str, words: &str| sheet.named(role, "· ", label, &beginning(words));
    if !reply.other.trim().is_empty() && !question.allow_other {
        named(Role::Warn, s::TYPED.text(lang), &reply.other);
    }
    for aside in reply.asides() {
        let (label, words) = aside_text(&question, aside, PICKS, lang);
        named(Role::Warn, label.text(lang), &words);
    }
    if let Some(last) = form.last_time(form.at).filter(|last| !last.reply.says_as(reply)) {
        let label = match &last.step {
            Some(step) => say("last time ({0})", "上次（{0}）").fill(lang, &[&step.display()]),
            None => say("last time", "上次").text(lang).to_owned(),
        };
        named(Role::Accent, &label, &short_answer(&question, &last.reply, lang));
    }
    if let Some(other) = form.other_answer(form.at) {
        let typed = other.typed_words().is_some();
        sheet.say(Role::Dim, if typed { s::OTHER_WORDS_HINT } else { s::OTHER_ANSWER_HINT });
    }
}

/// What is asked differently here since the form was opened, and what fits no more.
fn write_changes(form: &Form, sheet: &mut Sheet<'_>) {
    let id = Some(&*form.question().id);
    let mut changes = form.status.changes.iter().filter(|change| change.question.as_deref() == id).peekable();
    if changes.peek().is_some() {
        sheet.heading(say("changed since you opened it", "打开之后的变化"));
    }
    for change in changes {
        write_change(change, sheet);
    }
    write_orphans(form, sheet);
}

/// Writes the page: the changes in the order of the questions, what concerns the whole first; a blank line between
/// questions. A question of which there is more than one thing to say is named once above them.
pub(crate) fn write_all_changes(form: &Form, sheet: &mut Sheet<'_>) {
    for (at, changes) in form.status.changes.chunk_by(|a, b| a.question == b.question).enumerate() {
        if at > 0 {
            sheet.blank();
        }
        match changes {
            [change] => write_sentence(change, &change.text(sheet.lang), sheet),
            [first, ..] => {
                if first.question.is_some() {
                    sheet.text(Role::Title, &first.name(sheet.lang), 0);
                }
                for change in changes {
                    write_change(change, sheet);
                }
            }
            [] => {}
        }
    }
    if !form.status.has_changes() {
        sheet.say(Role::Dim, s::NOTHING_CHANGED);
    }
    write_orphans(form, sheet);
}

pub(crate) fn write_change(change: &Change, sheet: &mut Sheet<'_>) {
    write_sentence(change, &change.text_below_question(sheet.lang), sheet);
}

/// One change: `+` for what came, `−` for what went, `~` for the rest.
fn write_sentence(change: &Change, words: &str, sheet: &mut Sheet<'_>) {
    let (sign, role) = match change.kind {
        ChangeKind::Added | ChangeKind::OptionAdded(_) => ("+ ", Role::Good),
        ChangeKind::Removed | ChangeKind::OptionRemoved(_) => ("− ", Role::Bad),
        _ => ("~ ", Role::Warn),
    };
    sheet.marked(role, sign, Role::Text, words);
}

fn asked_as(form: &Form, orphan: &Orphan) -> String {
    let mut specs = std::iter::once(form.spec()).chain(form.status.known.as_deref());
    let named = specs.find_map(|spec| spec.question(&orphan.id));
    named.map_or(&orphan.id, |question| &question.header).display().into_owned()
}

fn write_orphans(form: &Form, sheet: &mut Sheet<'_>) {
    if form.status.orphans.is_empty() {
        return;
    }
    sheet.heading(say("Earlier answers that no longer fit", "以前的回答（已不适用）"));
    for orphan in &form.status.orphans {
        sheet.named(Role::Warn, "▲ ", &asked_as(form, orphan), &orphan.words.display());
    }
}
