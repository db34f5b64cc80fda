//! An answer in the review, and what stands beside it: in its row, and all of them on a page, as they read.

use crate::ask::{Kind, Pick, Question, Reply};
use crate::console::draw::answer::{answer_text, aside_text, meaning};
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::problems::{write_each, write_whole};
use crate::console::draw::sheet::Sheet;
use crate::console::form::Form;
use crate::console::form::page::write_warnings;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::{Lang, Safe, Sentence, say, width};

pub(super) struct Said {
    pub sign: &'static str,
    /// Of the sign.
    pub role: Role,
    pub words: (Role, String),
    /// What the option means that alone is chosen.
    pub means: Option<String>,
    /// That it is the default, was said before, or is in the author's own words.
    pub tag: Option<Sentence>,
    /// What was typed and not taken, what was answered before, the note, and what is put aside.
    pub beside: Vec<(Role, String)>,
}

impl Said {
    /// The answer to the question at this place; at most so many picks of each answer.
    pub(super) fn of(form: &Form, at: usize, picks: usize, lang: Lang) -> Said {
        let (question, reply) = (&*form.question_in(at, lang), &form.draft.replies[at]);
        let before = form.status.before.as_ref();
        let same = before.is_some_and(|before| before.is_as_before(at, question, reply));
        let has_own = reply.own().next().is_some();
        let says = || match form.status.present() {
            Some(present) if same && present.by.is_some() => Some(say("like theirs", "与对方相同")),
            _ if reply.is_default() => Some(s::DEFAULT),
            Some(_) if same => Some(say("from the record", "取自记录")),
            None if same => Some(say("as before", "同前")),
            _ => (question.kind == Kind::SingleChoice && has_own).then_some(s::OWN),
        };
        let (sign, role, words) = if reply.says() {
            ("✓", Role::Answered, (Role::Text, answer_text(question, reply, picks, lang)))
        } else if question.must_be_answered() {
            ("!", Role::Warn, (Role::Warn, s::MISSING.text(lang).to_owned()))
        } else {
            ("○", Role::Dim, (Role::Dim, s::LEFT_BLANK.text(lang).to_owned()))
        };
        let untaken = form.untaken(at).into_iter();
        let untaken = untaken.map(|words| (Role::Warn, s::OTHER_NOT_TAKEN.fill(lang, &[words])));
        let before = before.filter(|_| !same).map(|before| before.named(at, picks, lang));
        let note = (!reply.note.is_blank()).then(|| (s::NOTE, reply.note.display().into_owned()));
        let several = has_own && question.kind == Kind::MultiChoice;
        let own = || reply.own().cloned().map(Pick::Own).collect();
        let own = several.then(|| Reply { picks: own(), ..Reply::default() });
        let own = own.map(|own| (s::OWN, answer_text(question, &own, picks, lang)));
        let asides = reply.asides().map(|aside| aside_text(question, aside, picks, lang));
        let named = own.into_iter().chain(before).chain(note).chain(asides).map(|(label, words)| {
            (Role::Dim, say("{0}: {1}", "{0}：{1}").fill(lang, &[label.text(lang), &words]))
        });
        let means = match &reply.picks[..] {
            [pick] => pick.value(question).and_then(|value| meaning(question, value)),
            _ => None,
        };
        let tag = reply.says().then(says).flatten();
        Said { sign, role, words, means, tag, beside: untaken.chain(named).collect() }
    }
}

/// Writes the page: every answer whole, what is missing first.
pub(crate) fn write(form: &Form, sheet: &mut Sheet<'_>) {
    write_warnings(form, sheet);
    for (row, at) in form.review_order().into_iter().enumerate() {
        if row > 0 {
            sheet.blank();
        }
        write_answer(form, at, sheet);
    }
    if !form.left_out().is_empty() {
        sheet.heading(say("Problems of the bad record outside the questions", "无效记录中问题之外的错误"));
        write_whole(form.causes(), sheet);
        write_each(form.left_out(), form.causes(), (Role::Warn, "▲ "), sheet);
    }
}

fn write_answer(form: &Form, at: usize, sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let (question, reply) = (&*form.question_in(at, lang), &form.draft.replies[at]);
    let said = Said::of(form, at, usize::MAX, lang);
    let tag = said.tag.map_or("", |tag| tag.text(lang));
    let head = line(theme[said.role], said.sign).gap(1).add(theme[Role::Title], &question.header.display());
    sheet.beside(&head.gap(2), Role::Dim, tag);
    sheet.text(Role::Dim, &question.question.display(), 2);
    if reply.picks.is_empty() {
        sheet.text(said.words.0, &said.words.1, 2);
    }
    for value in reply.picks.iter().filter_map(|pick| pick.value(question)) {
        write_choice(question, &value.display(), meaning(question, value), sheet);
    }
    for (role, words) in said.beside {
        sheet.text(role, &words, 2);
    }
}

/// A label, whole, and what it means, behind it or below it.
fn write_choice(question: &Question, label: &str, means: Option<String>, sheet: &mut Sheet<'_>) {
    let sign = if question.kind == Kind::MultiChoice { "· " } else { "" };
    let first = line(sheet.theme[Role::Text], &format!("  {sign}{label}")).gap(2);
    let has_room = width::cells(&Safe::line(label)) * 2 < sheet.width();
    match means {
        Some(means) if has_room => sheet.beside(&first, Role::Dim, &means),
        means => {
            sheet.text(Role::Text, &format!("{sign}{label}"), 2);
            if let Some(means) = means {
                sheet.text(Role::Dim, &means, 4);
            }
        }
    }
}

/// All answers as they read, each below its question's header, with what stands beside it.
pub(crate) fn as_text(form: &Form, lang: Lang) -> String {
    let answer = |(at, question): (usize, &Question)| {
        let said = Said::of(form, at, usize::MAX, lang);
        let lines = [question.header.display().into_owned(), said.words.1];
        lines
            .into_iter()
            .chain(said.beside.into_iter().map(|(_, words)| words))
            .collect::<Vec<_>>()
            .join("\n")
    };
    form.spec().questions.iter().enumerate().map(answer).collect::<Vec<_>>().join("\n\n")
}
