//! A text field: everything printable is written; only Ctrl, function and movement keys are commands.
//!
//! Contract:
//! * Enter goes on in one line and is a line end in many; Ctrl+S takes the text and goes to the review.
//! * Esc leaves the field and keeps the text.
//! * Own words for `Other` become an answer by Enter, not by one that comes as soon as the field is open, or by Ctrl+S; until
//!   then they are kept and shown as not chosen.

use super::super::action::{Action, Target};
use super::super::effect::{Effect, Request};
use super::super::field::{Edit, one_line};
use super::super::model::{Editing, Focus, Message, Model, Tone};
use super::super::sentences as s;
use super::super::view::layout;
use crate::ask::draft::{Orphan, OwnFault};
use crate::ask::{JsString, Kind, Reply};
use crate::text::{Sentence, say};

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let rows = layout::field(model).1;
    match action {
        Action::Edit(edit) => edit_field(model, edit),
        Action::Up => edit_field(model, Edit::Up),
        Action::Down => edit_field(model, Edit::Down),
        Action::PageUp => edit_field(model, Edit::PageUp(rows)),
        Action::PageDown => edit_field(model, Edit::PageDown(rows)),
        Action::Accept if is_multiline(model) => edit_field(model, Edit::Newline),
        Action::Accept if super::guard::stops_taking(model) => Vec::new(),
        Action::Accept => take(model, false),
        Action::Review => take(model, true),
        Action::Multiline => {
            if let Some(form) = &mut model.form {
                form.field.set_multiline(!form.field.is_multiline());
            }
            Vec::new()
        }
        Action::Editor => edit(model),
        Action::Next => model.step(true),
        Action::Previous => model.step(false),
        Action::Back => {
            if let Some(form) = &mut model.form {
                form.focus = Focus::List;
            }
            model.save()
        }
        Action::Point(Target::Question(at)) => model.show_question(at),
        Action::Point(Target::Review) => model.show_review(false),
        _ => Vec::new(),
    }
}

fn edit(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &model.form else { return Vec::new() };
    model.editing = form.question().map(|question| Editing::Answer(question.id.clone()));
    vec![Request::Edit { text: form.field.text().to_owned(), ending: ".md" }.into()]
}

/// The text as the author's editor left it. The packet may have changed meanwhile: without its field the text is shown
/// with what fits no more.
pub(super) fn edited(model: &mut Model, id: &str, text: &str) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let same = form.question().is_some_and(|question| question.id == id);
    if !same || form.focus != Focus::Field {
        let gone = form.status.known.as_ref().filter(|_| form.spec().find(id).is_none());
        if let Some((_, gone)) = gone.and_then(|known| known.find(id)) {
            form.draft.type_for(gone, text);
        }
        form.status.orphans.insert(0, Orphan { id: id.into(), words: text.into() });
        return model.save();
    }
    // Editors end the last line; that line end is theirs, not the author's.
    let own_end = form.field.text().ends_with('\n');
    let text = if own_end { text } else { text.strip_suffix('\n').unwrap_or(text) };
    // One step that can be undone.
    if form.is_free_text() {
        form.field.set_text(text);
    } else {
        form.field.set_text(&one_line(text));
        if text.contains('\n') {
            model.say(Tone::Plain, LINE_ENDS_ARE_SPACES);
        }
    }
    keep(model)
}

const EDITOR_FAILED_ASIDE: Sentence = say(
    "The editor exited with an error; the text is as it was. What you wrote there is set aside; {other-answer} \
     switches to it.",
    "编辑器未正常结束，文本保持原样。你在其中写的内容已暂存，按 {other-answer} 采用。",
);

/// The editor failed: the field is as it was, and the changed text is set aside.
pub(super) fn not_ended_well(model: &mut Model, id: &str, text: &str) -> Vec<Effect> {
    let Some(form) = model.form.as_mut().filter(|_| !text.trim().is_empty()) else { return Vec::new() };
    let place = form.spec().find(id).map(|(at, question)| (at, question.kind));
    let same = |reply: &Reply| {
        let own = [reply.text.lossy().into_owned(), reply.other.clone()];
        own.iter().any(|own| own == text || Some(own.as_str()) == text.strip_suffix('\n'))
    };
    match place {
        Some((at, _)) if same(&form.draft.replies[at]) => return Vec::new(),
        Some((at, Kind::FreeText)) => {
            form.draft.replies[at].put_aside(Reply { text: text.into(), ..Reply::default() });
            model.say(Tone::Warn, EDITOR_FAILED_ASIDE);
        }
        _ => {
            form.status.orphans.insert(0, Orphan { id: id.into(), words: text.into() });
            model.say(Tone::Warn, s::EDITOR_FAILED_BESIDE);
        }
    }
    model.save()
}

fn is_multiline(model: &Model) -> bool {
    model.form.as_ref().is_some_and(|form| form.field.is_multiline())
}

fn edit_field(model: &mut Model, edit: Edit) -> Vec<Effect> {
    let width = layout::field(model).0;
    let Some(form) = &mut model.form else { return Vec::new() };
    // What the author changes is known to him.
    form.unread_since = None;
    let edit = match form.question().map(|question| question.kind) {
        Some(Kind::FreeText) => edit,
        _ if edit == Edit::Newline => return Vec::new(),
        _ => in_own_words(model, edit),
    };
    let Some(form) = &mut model.form else { return Vec::new() };
    if form.field.apply(edit, width) { keep(model) } else { Vec::new() }
}

const LINE_ENDS_ARE_SPACES: Sentence =
    say("Your own words are one line: line ends became spaces.", "自己写的回答只有一行：换行已变为空格。");

/// An edit of own words, which are one line; a notice says what became of more than that.
fn in_own_words(model: &mut Model, edit: Edit) -> Edit {
    if matches!(&edit, Edit::Insert(text) if text.trim().contains(['\n', '\r'])) {
        model.say(Tone::Plain, LINE_ENDS_ARE_SPACES);
    }
    edit.in_one_line()
}

/// Puts the field's text into the draft.
fn keep(model: &mut Model) -> Vec<Effect> {
    if let Some(form) = &mut model.form {
        let free = form.is_free_text();
        let (at, text) = (form.at, form.field.text());
        if free {
            form.draft.replies[at].type_text(text);
        } else {
            form.draft.replies[at].other = text.to_owned();
            form.point_at_other();
        }
    }
    model.save()
}

const RESERVED_WORDS: Sentence = say(
    "{0} is a control word of the executors' dialogs and cannot be an answer. Please write something else.",
    "{0} 是执行器对话中的控制词，不能作为回答，请换一个说法。",
);
const BECAME_AN_OPTION: Sentence =
    say("“{0}” is one of the options, so that option is chosen.", "“{0}”与一个选项相同，已改选该选项。");
const OTHER_NOT_ALLOWED: Sentence = say("Only the options can be chosen here.", "此题只能从选项中选择。");

/// Makes the text the answer and goes on, or to the review.
fn take(model: &mut Model, to_review: bool) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let at = form.at;
    let Some(question) = form.question().cloned() else { return Vec::new() };
    if question.kind == Kind::FreeText {
        return if to_review { model.show_review(true) } else { model.go_on() };
    }
    let text = form.field.text().to_owned();
    let reply = &mut form.draft.replies[at];
    let was = reply.clone();
    match reply.take_own(&question, text.as_str()) {
        Ok(()) | Err(OwnFault::Duplicate) => {
            let words = JsString::from(text.as_str()).trimmed();
            let is_own = reply.own().any(|own| *own == words);
            reply.other.clear();
            // Own words that these begin with, or go on from, are no other answer.
            if question.kind == Kind::SingleChoice
                && was.own().all(|own| !words.lossy().contains(&*own.lossy()))
            {
                reply.spare(&was);
            }
            form.remember(at, was);
            form.focus = Focus::List;
            form.views[at].cursor = match question.kind {
                Kind::MultiChoice => form.row_count(at).saturating_sub(1),
                _ => form.first_cursor(at),
            };
            if !is_own {
                model.say(Tone::Plain, Message::new(BECAME_AN_OPTION, &[&words.display()]));
            }
            if question.kind == Kind::SingleChoice && !to_review {
                return model.go_on();
            }
        }
        Err(OwnFault::Blank) => {
            reply.other.clear();
            let own = reply.own().next().cloned().filter(|_| question.kind == Kind::SingleChoice);
            if let Some(own) = own {
                reply.drop_own(&own);
            }
            form.remember(at, was);
            form.focus = Focus::List;
        }
        Err(OwnFault::Reserved) => {
            model.say(Tone::Warn, Message::new(RESERVED_WORDS, &[&text]));
            return model.save();
        }
        Err(OwnFault::NotAllowed) => {
            model.say(Tone::Warn, OTHER_NOT_ALLOWED);
            return model.save();
        }
    }
    if to_review { model.show_review(true) } else { model.save() }
}
