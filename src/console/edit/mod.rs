//! A record in the author's own editor.
//!
//! Contract:
//! * A copy is edited; nothing is written before the author has confirmed a valid record.
//! * A text that cannot be written is kept, shown with its problems, and offered again.

pub mod packet;
pub mod record;

use self::record::{EditedRecord, Verdict};
use super::action::Action;
use super::draw::painter::Painter;
use super::draw::problems::write_problems;
use super::draw::record::write_text;
use super::draw::scroll::Scroll;
use super::draw::sheet::Sheet;
use super::form::Form;
use super::inbox::loading::load_selected;
use super::model::{Model, Tone};
use super::page;
use super::prompt::Prompt;
use super::receipt;
use super::screen::Available::{self, Yes};
use super::screen::{Cx, EditorEnd, Effect, FromEditor, Part, Screen, View};
use super::sentences as s;
use super::theme::Role;
use crate::ask::{JsString, Problem};
use crate::console::input::keymap::Context;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::drafts::loan::Loan;
use crate::text::{Sentence, say};
use std::path::{Path, PathBuf};

pub(crate) const EDITOR_FAILED_KEPT: Sentence = say(
    "The editor exited with an error; nothing was written. Your edited text is kept; {editor} opens it again.",
    "编辑器未正常结束，未写入任何内容。编辑后的文本已保留，按 {editor} 继续编辑。",
);
pub(crate) const EDIT_KEPT: Sentence = say(
    "Not written. The edited text is kept; {editor} opens it again.",
    "未写入。编辑后的文本已保留，按 {editor} 继续编辑。",
);

/// A text that the author has edited and that is not written, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Edited {
    pub edited: Box<EditedRecord>,
    pub problems: Vec<Problem>,
    scroll: Scroll,
}

impl Screen for Edited {
    fn context(&self, _model: &Model) -> Context {
        Context::Detail
    }

    fn offer(&self, action: &Action, _view: View<'_>) -> Available {
        match action {
            Action::Editor | Action::Clear => Yes,
            action => page::offer(action, &self.scroll),
        }
    }

    fn wanted(&self, _view: View<'_>) -> Vec<Action> {
        vec![Action::Editor]
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Clear => self.ask_to_drop(cx),
            Action::Editor => {
                cx.on::<Form>(|form, cx| form.save(cx));
                begin(self.edited.path.clone(), Some(self.edited.text.clone()), cx);
            }
            action => page::scroll(&action, &self.scroll, cx),
        }
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        page::draw(view.model, painter, (self, Part::Whole), &self.scroll);
    }

    fn write(&self, _part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        let entry = model.inbox.entry_at(&self.edited.path);
        let step = entry.and_then(|entry| entry.step.as_ref()).map(JsString::display).unwrap_or_default();
        sheet.text(Role::Title, &s::EDITED_OF.fill(sheet.lang, &[&step]), 0);
        if !self.problems.is_empty() {
            write_problems(&self.problems, &[], sheet);
        }
        if let Some(theirs) = self.edited.theirs.as_ref().filter(|theirs| !theirs.is_empty()) {
            sheet.heading(say("the record as it is now", "现在的记录"));
            write_text(theirs, sheet);
        }
        sheet.heading(s::EDITED);
        write_text(&self.edited.text, sheet);
    }

    fn title(&self, _part: Part) -> Sentence {
        s::EDITED
    }
}

impl Edited {
    fn ask_to_drop(&self, cx: &mut Cx<'_>) {
        let title = cx.model.inbox.title_of(&self.edited.path);
        let answer_path = self.edited.answer_path.clone();
        let yes = move |cx: &mut Cx<'_>| {
            let says = say(
                "Your edits are discarded; the record is as it was.",
                "编辑后的文本已丢弃，记录保持原样。",
            );
            cx.say(Tone::Plain, says);
            let answer_path = answer_path.clone();
            cx.tell(
                None,
                move |files| {
                    files.drop_edited(&answer_path);
                    None
                },
                |(), _| {},
            );
            load_selected(cx);
        };
        let asks = Message::new(say("Discard your edits to {0}?", "丢弃你为 {0} 编辑的文本吗？"), &[&title]);
        let prompt = Prompt::new(asks, s::DROP_EDITED_MEANS, yes);
        cx.cover(Prompt { refused: Some(EDIT_KEPT), ..prompt });
    }
}

/// Opens the record of a packet's gate in the author's editor; `newest` is the text of it on the screen, which may be
/// newer than what could be saved.
pub fn begin(packet: PathBuf, newest: Option<String>, cx: &mut Cx<'_>) {
    cx.ask(
        move |files| files.read_record(&packet),
        move |(edited, again), cx| {
            if again || newest.is_some() {
                let says = say(
                    "This is the text you edited before, not the record.",
                    "这是你上次编辑后保留的文本，不是记录原文。",
                );
                cx.say(Tone::Plain, says);
            }
            let text = newest.unwrap_or(edited.text);
            let (packet, answer_path) = (edited.path.clone(), edited.answer_path.clone());
            let loan = Loan { packet, answer_path, field: None };
            let lent = EditedRecord { text: text.clone(), ..edited };
            let then = Box::new(move |back: FromEditor, cx: &mut Cx<'_>| from_editor(lent, back, cx));
            cx.do_next(Effect::Edit { text, loan, then });
        },
    );
}

pub(crate) fn not_utf8(path: &Path) -> Message {
    let says = say(
        "What the editor saved is not UTF-8, so the text is as it was. The file is kept: {0}",
        "编辑器保存的内容不是 UTF-8，文本保持原样。文件保留在：{0}",
    );
    Message::new(says, &[&path.shown()])
}

/// The text that came back from the author's editor, and whether that ended well; it is said if not.
pub(crate) fn came_back(back: FromEditor, cx: &mut Cx<'_>) -> (Option<String>, bool) {
    let well = back.end == EditorEnd::Well && back.text.is_ok();
    if let Err(Some(path)) = &back.text {
        cx.say(Tone::Bad, not_utf8(path));
    } else if !well {
        let says = if back.end == EditorEnd::NotFound {
            say(
                "The editor could not be started; the text is as it was. The variable EDITOR names the one to use.",
                "无法启动编辑器，文本保持原样。用环境变量 EDITOR 指定要用的编辑器。",
            )
        } else if back.end == EditorEnd::Well {
            say("The editor left nothing; the text is as it was.", "编辑器没有留下内容，文本保持原样。")
        } else {
            s::EDITOR_FAILED
        };
        cx.say(Tone::Warn, says);
    }
    (back.text.ok(), well)
}

fn from_editor(lent: EditedRecord, back: FromEditor, cx: &mut Cx<'_>) {
    let (text, well) = came_back(back, cx);
    let Some(text) = text else { return };
    let is_changed = text != lent.text;
    let edited = Box::new(EditedRecord { text, ..lent });
    if well {
        check(edited, cx);
    } else if is_changed {
        // The editor failed: nothing is written, and the changed text is kept.
        cx.say(Tone::Warn, EDITOR_FAILED_KEPT);
        cx.do_next(Effect::KeepEdited(edited.answer_path.clone(), edited.text.clone()));
        show(edited, Vec::new(), cx);
        load_selected(cx);
    }
}

fn show(edited: Box<EditedRecord>, problems: Vec<Problem>, cx: &mut Cx<'_>) {
    cx.cover(Edited { edited, problems, scroll: Scroll::default() });
}

pub(crate) fn check(edited: Box<EditedRecord>, cx: &mut Cx<'_>) {
    cx.ask(move |files| Ok(files.check_edited(*edited)), |(edited, verdict), cx| end(edited, verdict, cx));
}

fn end(edited: Box<EditedRecord>, verdict: Verdict, cx: &mut Cx<'_>) {
    match verdict {
        Verdict::Unchanged => {
            if cx.screens.last().is_some_and(|top| top.is::<Edited>()) {
                cx.uncover();
            }
            let says =
                say("The text was not changed; nothing was written.", "文本没有改动，未写入任何内容。");
            cx.say(Tone::Plain, says);
        }
        Verdict::Valid => ask_to_write(edited, cx),
        Verdict::Written(written) => return receipt::show(*written, cx),
        Verdict::Refused(why, problems) => {
            cx.say(if problems.is_empty() { Tone::Bad } else { Tone::Warn }, why);
            show(edited, problems, cx);
        }
    }
    // The details say whether a text is kept.
    load_selected(cx);
}

fn ask_to_write(edited: Box<EditedRecord>, cx: &mut Cx<'_>) {
    let title = cx.model.inbox.title_of(&edited.path);
    let warnings = edited.foreign.then(|| Message::from(s::WRITE_EDITED_FOREIGN)).into_iter().collect();
    let means = if edited.seen.is_some() { s::WRITE_EDITED_MEANS } else { s::WRITE_EDITED_NEW };
    let yes = move |cx: &mut Cx<'_>| {
        cx.model.writing = Some(edited.path.clone());
        let edited = EditedRecord::clone(&edited);
        cx.ask(move |files| Ok(files.write_edited(edited)), |(edited, verdict), cx| end(edited, verdict, cx));
    };
    let asks = Message::new(s::WRITE_EDITED_ASKS, &[&title]);
    let prompt = Prompt::new(asks, means, yes).unread(cx.model.now);
    cx.cover(Prompt { warnings, refused: Some(EDIT_KEPT), ..prompt });
}
