//! A text field: everything printable is written; only Ctrl, function and movement keys are commands.
//!
//! Contract:
//! * Enter goes on in one line and is a line end in many; Ctrl+S takes the text and goes to the review.
//! * Esc leaves the field and keeps the text.
//! * Own words for `Other` become an answer by Enter, not by one that comes as soon as the field is open, or by Ctrl+S; until
//!   then they are kept and shown as not chosen.

use super::{Focus, Form};
use crate::ask::draft::{Orphan, OwnFault};
use crate::ask::{JsString, Kind, Reply};
use crate::console::action::{Action, Target};
use crate::console::draw::layout;
use crate::console::edit::came_back;
use crate::console::field::{Edit, one_line};
use crate::console::model::{Message, Tone};
use crate::console::screen::{Cx, Effect, FromEditor};
use crate::console::sentences as s;
use crate::text::{Sentence, say};

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
    say("“{0}” is one of the options, so that option is chosen.", "“{0}”与一个选项相同，已改选该选项。");
const OTHER_NOT_ALLOWED: Sentence = say("Only the options can be chosen here.", "此题只能从选项中选择。");

impl Form {
    pub(super) fn act_in_field(&mut self, action: Action, cx: &mut Cx<'_>) {
        let (_, rows) = layout::field(cx.model, self);
        match action {
            Action::Edit(edit) => self.edit_field(edit, cx),
            Action::Up => self.edit_field(Edit::Up, cx),
            Action::Down => self.edit_field(Edit::Down, cx),
            Action::PageUp => self.edit_field(Edit::PageUp(rows), cx),
            Action::PageDown => self.edit_field(Edit::PageDown(rows), cx),
            Action::Accept if self.field.is_multiline() => self.edit_field(Edit::Newline, cx),
            Action::Accept if self.stops_taking(cx) => {}
            Action::Accept => self.take_field(false, cx),
            Action::Review => self.take_field(true, cx),
            Action::Multiline => self.field.set_multiline(!self.field.is_multiline()),
            Action::Editor => self.lend_field(cx),
            Action::Next => self.step(true, cx),
            Action::Previous => self.step(false, cx),
            Action::Back => {
                self.focus = Focus::List;
                self.save(cx);
            }
            Action::Point(Target::Question(at)) => self.show_question(at, cx),
            Action::Point(Target::Review) => self.show_review(false, cx),
            _ => {}
        }
    }

    fn lend_field(&mut self, cx: &mut Cx<'_>) {
        let Some(id) = self.question().map(|question| question.id.clone()) else { return };
        let then = move |back: FromEditor, cx: &mut Cx<'_>| {
            let (text, well) = came_back(back, cx);
            let Some(text) = text else { return };
            cx.on::<Form>(|form, cx| {
                if well { form.take_edited(&id, &text, cx) } else { form.take_unfinished(&id, &text, cx) }
            });
        };
        let text = self.field.text().to_owned();
        cx.do_next(Effect::Edit { text, ending: ".md", then: Box::new(then) });
    }

    /// The text as the author's editor left it. The packet may have changed meanwhile: without its field the text is shown
    /// with what fits no more.
    fn take_edited(&mut self, id: &str, text: &str, cx: &mut Cx<'_>) {
        let same = self.question().is_some_and(|question| question.id == id);
        if !same || self.focus != Focus::Field {
            let gone = self.status.known.as_ref().filter(|_| self.spec().find(id).is_none());
            if let Some((_, gone)) = gone.and_then(|known| known.find(id)) {
                self.draft.type_for(gone, text);
            }
            self.status.orphans.insert(0, Orphan { id: id.into(), words: text.into() });
            return self.save(cx);
        }
        // Editors end the last line; that line end is theirs, not the author's.
        let own_end = self.field.text().ends_with('\n');
        let text = if own_end { text } else { text.strip_suffix('\n').unwrap_or(text) };
        // One step that can be undone.
        if self.is_free_text() {
            self.field.set_text(text);
        } else {
            self.field.set_text(&one_line(text));
            if text.contains('\n') {
                cx.say(Tone::Plain, LINE_ENDS_ARE_SPACES);
            }
        }
        self.keep_field(cx);
    }

    /// The editor failed: the field is as it was, and the changed text is set aside.
    fn take_unfinished(&mut self, id: &str, text: &str, cx: &mut Cx<'_>) {
        if text.trim().is_empty() {
            return;
        }
        let place = self.spec().find(id).map(|(at, question)| (at, question.kind));
        let same = |reply: &Reply| {
            let own = [reply.text.lossy().into_owned(), reply.other.clone()];
            own.iter().any(|own| own == text || Some(own.as_str()) == text.strip_suffix('\n'))
        };
        match place {
            Some((at, _)) if same(&self.draft.replies[at]) => return,
            Some((at, Kind::FreeText)) => {
                self.draft.replies[at].put_aside(Reply { text: text.into(), ..Reply::default() });
                cx.say(Tone::Warn, EDITOR_FAILED_ASIDE);
            }
            _ => {
                self.status.orphans.insert(0, Orphan { id: id.into(), words: text.into() });
                cx.say(Tone::Warn, s::EDITOR_FAILED_BESIDE);
            }
        }
        self.save(cx);
    }

    fn edit_field(&mut self, edit: Edit, cx: &mut Cx<'_>) {
        let (width, _) = layout::field(cx.model, self);
        // What the author changes is known to him.
        self.unread_since = None;
        let edit = match self.question().map(|question| question.kind) {
            Some(Kind::FreeText) => edit,
            _ if edit == Edit::Newline => return,
            _ => {
                // Own words are one line.
                if matches!(&edit, Edit::Insert(text) if text.trim().contains(['\n', '\r'])) {
                    cx.say(Tone::Plain, LINE_ENDS_ARE_SPACES);
                }
                edit.in_one_line()
            }
        };
        if self.field.apply(edit, width) {
            self.keep_field(cx);
        }
    }

    /// Puts the field's text into the draft.
    fn keep_field(&mut self, cx: &mut Cx<'_>) {
        let (at, text) = (self.at, self.field.text());
        if self.is_free_text() {
            self.draft.replies[at].type_text(text);
        } else {
            self.draft.replies[at].other = text.to_owned();
            self.point_at_other();
        }
        self.save(cx);
    }

    /// Makes the text the answer and goes on, or to the review.
    fn take_field(&mut self, to_review: bool, cx: &mut Cx<'_>) {
        let at = self.at;
        let Some(question) = self.question().cloned() else { return };
        let single = question.kind == Kind::SingleChoice;
        if question.kind == Kind::FreeText {
            return if to_review { self.show_review(true, cx) } else { self.go_on(cx) };
        }
        let text = self.field.text().to_owned();
        let reply = &mut self.draft.replies[at];
        let was = reply.clone();
        match reply.take_own(&question, text.as_str()) {
            Ok(()) | Err(OwnFault::Duplicate) => {
                let words = JsString::from(text.as_str()).trimmed();
                let is_own = reply.own().any(|own| *own == words);
                reply.other.clear();
                // Own words that these begin with, or go on from, are no other answer.
                if single && was.own().all(|own| !words.lossy().contains(&*own.lossy())) {
                    reply.spare(&was);
                }
                self.remember(at, was);
                self.focus = Focus::List;
                let last = self.row_count(at).saturating_sub(1);
                self.views[at].cursor = if single { self.first_cursor(at) } else { last };
                if !is_own {
                    cx.say(Tone::Plain, Message::new(BECAME_AN_OPTION, &[&words.display()]));
                }
                if single && !to_review {
                    return self.go_on(cx);
                }
            }
            Err(OwnFault::Blank) => {
                reply.other.clear();
                let own = reply.own().next().cloned().filter(|_| single);
                if let Some(own) = own {
                    reply.drop_own(&own);
                }
                self.remember(at, was);
                self.focus = Focus::List;
            }
            Err(OwnFault::Reserved) => {
                cx.say(Tone::Warn, Message::new(RESERVED_WORDS, &[&text]));
                return self.save(cx);
            }
            Err(OwnFault::NotAllowed) => {
                cx.say(Tone::Warn, OTHER_NOT_ALLOWED);
                return self.save(cx);
            }
        }
        if to_review {
            self.show_review(true, cx);
        } else {
            self.save(cx);
        }
    }
}
