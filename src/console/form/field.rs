//! A text field: free text, own words, or the note beside an answer, over the form or over the review. Everything
//! printable is written; only Ctrl, function and movement keys are commands.
//!
//! Contract:
//! * Every key keeps what is written. Esc leaves the field and keeps the text; an emptied note is none.
//! * Enter goes on in one line and is a line end in many; Ctrl+S takes the text and goes to the review.
//! * Own words for `Other` become an answer by Enter, which in a multi choice goes on from an empty field, not by one that comes as soon as the field is open, or by Ctrl+S; until
//!   then they are kept and shown as not chosen.
//! * Beneath a note, focus, cursor and filter of the question are as they were.

use super::{Focus, Form, NoteField, Row};
use crate::ask::draft::{Orphan, OwnFault};
use crate::ask::{JsString, Kind, Reply};
use crate::console::action::{Action, Target};
use crate::console::draw::layout;
use crate::console::edit::{came_back, not_utf8};
use crate::console::field::{Edit, TextField, one_line};
use crate::console::files::Files;
use crate::console::model::Tone;
use crate::console::screen::{Cx, Effect, FromEditor, Screen};
use crate::console::sentences as s;
use crate::error::Message;
use crate::store::drafts::loan::{Field, Left, Loan};
use crate::text::count::characters;
use crate::text::{Sentence, say};

/// Where a text is that did not become the field's own.
pub(super) enum Kept {
    /// Among the other answers.
    Aside,
    /// With what fits no more.
    Beside,
}

const LEFT_ASIDE: Sentence = say(
    "What you had saved in your editor when the console ended is set aside here; {other-answer} switches to it.",
    "控制台上次结束时，你已在编辑器中保存的内容暂存在这里，按 {other-answer} 采用。",
);
const LEFT_BESIDE: Sentence = say(
    "What you had saved in your editor when the console ended is shown below.",
    "控制台上次结束时，你已在编辑器中保存的内容显示在下方。",
);
const EDITOR_FAILED_ASIDE: Sentence = say(
    "The editor exited with an error; the text is as it was. What you wrote there is set aside; {other-answer} \
     switches to it.",
    "编辑器未正常结束，文本保持原样。你在其中写的内容已暂存，按 {other-answer} 采用。",
);
const LINE_ENDS_ARE_SPACES: Sentence =
    say("Your own words are one line: line ends became spaces.", "自己写的回答只有一行：换行已变为空格。");
const RESERVED_WORDS: Sentence = say(
    "{0} is a control word of the executors' dialogs and cannot be an answer. Please write something else.",
    "{0} 是执行器对话中的控制词，不能作为回答，请换一个说法。",
);
const BECAME_AN_OPTION: Sentence =
    say("“{0}” is one of the options, so that option is chosen.", "“{0}”是选项之一，已改选该选项。");

impl Form {
    /// The field that has the keys, or would have them.
    pub(super) fn open_field(&self) -> &TextField {
        self.note.as_ref().map_or(&self.field, |note| &note.field)
    }

    fn open_field_mut(&mut self) -> &mut TextField {
        self.note.as_mut().map_or(&mut self.field, |note| &mut note.field)
    }

    pub(super) fn open_note(&mut self) {
        let at = if self.in_review { self.review_question() } else { Some(self.at) };
        let field = |at: usize| TextField::new(&self.draft.replies[at].note.lossy(), false);
        self.note = at.map(|at| NoteField { at, field: field(at), sends_back: None });
    }

    /// Opens the field for own words with the label under the cursor, for the author to change it. What was typed there goes aside.
    pub(super) fn vary(&mut self, cx: &mut Cx<'_>) {
        let words = match self.current_row() {
            Some(Row::Option(place)) => self.question().options[place].label.lossy().into_owned(),
            Some(Row::Own(place)) => {
                self.reply().own().nth(place).map(|own| own.lossy().into_owned()).unwrap_or_default()
            }
            Some(Row::Earlier) | None => return,
            Some(Row::Other | Row::Typed | Row::Bare) => return self.open_other(cx),
        };
        self.use_filter();
        self.close_filter();
        let typed = self.change(|reply, was, _| {
            reply.other.clear();
            reply.put_words_aside(was.other.clone());
            was.other.clone()
        });
        self.field = TextField::new(&typed, false);
        self.field.set_text(&one_line(&words));
        self.focus = Focus::Field;
        self.point_at_other();
        self.save(cx);
    }

    pub(super) fn act_in_field(&mut self, action: Action, cx: &mut Cx<'_>) {
        let (_, rows) = layout::field(cx.model.screen_size(), self);
        let many = self.open_field().is_multiline();
        match action {
            Action::Edit(edit) => self.edit_field(edit, cx),
            Action::Up => self.edit_field(Edit::Rows(-1), cx),
            Action::Down => self.edit_field(Edit::Rows(1), cx),
            Action::PageUp => self.edit_field(Edit::Rows(-rows.cast_signed()), cx),
            Action::PageDown => self.edit_field(Edit::Rows(rows.cast_signed()), cx),
            Action::Accept if many => self.edit_field(Edit::Newline, cx),
            Action::Editor => self.lend_field(cx),
            Action::Next | Action::Previous if !self.in_review => self.step(action == Action::Next, cx),
            action if self.note.is_some() => self.close_note(action, cx),
            Action::Accept if self.stops_taking(cx) => {}
            Action::Accept => self.take_field(false, cx),
            Action::Review => self.take_field(true, cx),
            Action::Back => {
                self.focus = Focus::List;
                self.save(cx);
            }
            Action::Point(Target::Question(at)) => self.show_question(at, cx),
            Action::Point(Target::Review) => self.show_review(false, cx),
            _ => {}
        }
    }

    /// Gives the keys back; a click and the way to the review do what they do without a note.
    fn close_note(&mut self, action: Action, cx: &mut Cx<'_>) {
        self.note = None;
        self.save(cx);
        match action {
            // Held down, the key must not submit.
            Action::Review if self.in_review => self.unread_since = Some(cx.model.now),
            Action::Review => self.show_review(true, cx),
            Action::Point(_) => self.act(action, cx),
            _ => {}
        }
    }

    fn edit_field(&mut self, mut edit: Edit, cx: &mut Cx<'_>) {
        let (width, _) = layout::field(cx.model.screen_size(), self);
        // What the author changes is known to him.
        self.unread_since = None;
        if self.note.is_none() && !self.is_free_text() {
            // Own words are one line.
            if edit == Edit::Newline {
                return;
            }
            if matches!(&edit, Edit::Insert(text) if text.trim().contains(['\n', '\r'])) {
                cx.say(Tone::Plain, LINE_ENDS_ARE_SPACES);
            }
            edit = match edit.in_one_line() {
                Edit::Insert(words) => Edit::Insert(self.join_digits_in_field(words, cx)),
                edit => edit,
            };
        }
        let takes_back = matches!(edit, Edit::Undo | Edit::Redo);
        if self.open_field_mut().apply(edit, width) {
            if !takes_back {
                self.spare_text();
            }
            self.keep_field();
            self.save(cx);
        }
    }

    /// Sets aside a text of more than one character that has gone at once: the field's own undo ends when it is left.
    fn spare_text(&mut self) {
        if self.note.is_some() || !self.is_free_text() || !self.field.text().is_empty() {
            return;
        }
        let reply = &mut self.draft.replies[self.at];
        if !reply.prefilled && characters(&reply.text.lossy()) > 1 {
            reply.put_aside(Reply { text: reply.text.clone(), ..Reply::default() });
        }
    }

    pub(super) fn keep_field(&mut self) {
        let text = self.open_field().text().to_owned();
        if self.is_sending_back() {
            self.draft.reason.words = text.into();
        } else if let Some(NoteField { at, .. }) = self.note {
            self.draft.replies[at].take_note(&text);
            // Taking back a choice later does not touch it.
            for (_, was) in self.earlier.iter_mut().filter(|(place, _)| *place == at) {
                was.note = text.as_str().into();
            }
        } else if self.is_free_text() {
            self.draft.replies[self.at].type_text(&text);
        } else {
            self.draft.replies[self.at].other = text;
            self.point_at_other();
        }
    }

    fn lend_field(&mut self, cx: &mut Cx<'_>) {
        let noted = self.note.is_some();
        let id = self.spec().questions[self.note.as_ref().map_or(self.at, |note| note.at)].id.clone();
        let text = self.open_field().text().to_owned();
        let (packet, field) = (self.gate.path.clone(), Some(Field { id: id.clone(), noted }));
        let loan = Loan { packet, answer_path: self.gate.answer_path().cloned().unwrap_or_default(), field };
        let then = move |back: FromEditor, cx: &mut Cx<'_>| {
            let (text, well) = came_back(back, cx);
            let Some(text) = text else { return };
            cx.on::<Form>(|form, cx| match form.take_edited(noted, &id, &text, well, cx) {
                Some(Kept::Aside) => cx.say(Tone::Warn, EDITOR_FAILED_ASIDE),
                Some(Kept::Beside) => cx.say(Tone::Warn, s::EDITOR_FAILED_BESIDE),
                None => {}
            });
        };
        cx.do_next(Effect::Edit { text, loan, then: Box::new(then) });
    }

    /// The text as the author's editor left it. Where that failed, the field is as it was and the text is set aside. The packet
    /// may have changed meanwhile: without its field the text is shown with what fits no more. Where that failed, it tells where the
    /// text is.
    pub(super) fn take_edited(
        &mut self,
        noted: bool,
        id: &str,
        text: &str,
        well: bool,
        cx: &mut Cx<'_>,
    ) -> Option<Kept> {
        let mut place = None;
        let asked = self.spec().find(id).map(|(at, question)| (at, question.kind));
        let open = self.note.as_ref().map(|note| note.at);
        let open = if noted { open } else { Some(self.at).filter(|_| self.focus == Focus::Field) };
        let same = asked.filter(|(at, _)| Some(*at) == open);
        // Editors end the last line; that line end is theirs, not the author's.
        let own_end = !noted && same.is_some() && self.field.text().ends_with('\n');
        let words = if own_end { text } else { text.strip_suffix('\n').unwrap_or(text) };
        let kept = if noted { words } else { text };
        let stands = |reply: &Reply| {
            [reply.text.lossy(), reply.other.as_str().into(), reply.note.lossy()].contains(&words.into())
        };
        match (asked, same) {
            (_, Some((_, kind))) if well => {
                let in_one = !noted && kind != Kind::FreeText;
                if in_one && words.contains('\n') {
                    cx.say(Tone::Plain, LINE_ENDS_ARE_SPACES);
                }
                // One step that can be undone.
                self.open_field_mut().set_text(&if in_one { one_line(words) } else { words.to_owned() });
                self.keep_field();
            }
            _ if words.trim().is_empty() => return None,
            (Some((at, _)), _) if stands(&self.draft.replies[at]) => return None,
            (Some((at, Kind::FreeText)), _) if !well && !noted => {
                self.draft.replies[at].put_aside(Reply { text: kept.into(), ..Reply::default() });
                place = Some(Kept::Aside);
            }
            _ => {
                let known = self.status.known.as_ref().filter(|_| asked.is_none() && well && !noted);
                if let Some((_, gone)) = known.and_then(|known| known.find(id)) {
                    self.draft.type_for(gone, kept);
                }
                self.status.orphans.insert(0, Orphan { id: id.into(), words: kept.into() });
                place = (!well).then_some(Kept::Beside);
            }
        }
        self.save(cx);
        place
    }

    /// A text that an editor has saved for a console that ended before it got it back.
    pub(super) fn take_left(&mut self, left: Left, cx: &mut Cx<'_>) {
        let Some(Field { id, noted }) = &left.loan.field else { return };
        match &left.text {
            Err(path) => cx.say(Tone::Bad, not_utf8(path)),
            Ok(text) => match self.take_edited(*noted, id, text, false, cx) {
                Some(Kept::Aside) => cx.say(Tone::Warn, LEFT_ASIDE),
                Some(Kept::Beside) => cx.say(Tone::Warn, LEFT_BESIDE),
                None => {}
            },
        }
        // Its file goes once the words are on the disk.
        let forget = move |files: &Files| files.are_drafts_kept().then(|| left.forget());
        cx.tell(None, forget, |(), _| {});
    }

    /// Makes the text the answer and goes on, or to the review.
    pub(super) fn take_field(&mut self, to_review: bool, cx: &mut Cx<'_>) {
        let (at, single, question) = (self.at, self.is_single(), self.question().clone());
        if question.kind == Kind::FreeText {
            return if to_review { self.show_review(true, cx) } else { self.go_on(cx) };
        }
        let text = self.field.text().to_owned();
        let was = self.reply().clone();
        self.take_digits_back(&text, cx);
        let reply = &mut self.draft.replies[at];
        let taken = reply.take_own(&question, text.as_str());
        match taken {
            Ok(()) | Err(OwnFault::Duplicate) => {
                let words = JsString::from(text.as_str()).trimmed();
                if !reply.own().any(|own| *own == words) {
                    cx.say(Tone::Plain, Message::new(BECAME_AN_OPTION, &[&words.display()]));
                }
                reply.other.clear();
                // Own words that these begin with, or go on from, are no other answer.
                if single && was.own().all(|own| !words.lossy().contains(&*own.lossy())) {
                    reply.spare(&was);
                }
                let row = if single { self.first_cursor(at) } else { self.row_of_words(&words) };
                self.point_at(row);
            }
            Err(OwnFault::Blank) => {
                reply.other.clear();
                if let Some(own) = was.own().next().filter(|_| single) {
                    reply.drop_own(own);
                }
            }
            Err(fault) => {
                let says = match fault {
                    OwnFault::Reserved => Message::new(RESERVED_WORDS, &[&text]),
                    _ => Message::from(s::ONLY_OPTIONS),
                };
                *reply = was;
                cx.say(Tone::Warn, says);
                return self.save(cx);
            }
        }
        self.remember(at, was);
        self.focus = Focus::List;
        if to_review {
            self.show_review(true, cx);
        } else if single && taken.is_ok() || !single && matches!(taken, Err(OwnFault::Blank)) {
            self.go_on(cx);
        } else {
            self.save(cx);
        }
    }

    /// Of a multi choice, the row of words that are ticked: an option or own words.
    fn row_of_words(&self, words: &JsString) -> usize {
        let option = self.question().meant(words);
        let own = || self.reply().own().position(|own| own == words).map(Row::Own);
        let row = option.map(Row::Option).or_else(own);
        row.and_then(|row| self.place_of(row)).unwrap_or(usize::MAX)
    }
}
