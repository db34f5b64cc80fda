//! What a screen is, what it may use, and what it leaves to be done.
//!
//! A screen changes itself and what all screens share, and asks for the rest: other screens, work off the loop, what only
//! the loop can do. It touches no file, no terminal and no clock.

use super::action::Action;
use super::draw::painter::Painter;
use super::draw::scroll::Scroll;
use super::draw::sheet::Sheet;
use super::files::Files;
use super::form::keep::DraftToSave;
use super::model::{Model, Place, Tone};
use super::sentences as s;
use crate::ask::JsString;
use crate::console::input::keymap::Context;
use crate::error::Message;
use crate::store::drafts::loan::Loan;
use crate::store::entry::Entry;
use crate::text::{Safe, Sentence};
use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

/// One screen of the stack, or a page or question over it.
pub trait Screen: Any + Boxed {
    /// Which keys hold while it is on top.
    fn context(&self, model: &Model) -> Context;

    /// What it is, if it is no page or question over another screen.
    fn place(&self) -> Option<Place> {
        None
    }

    /// Whether what is opened from here leads back here, not to the inbox.
    fn leads_back(&self) -> bool {
        false
    }

    /// What an action does while it is on top.
    fn offer(&self, _action: &Action, _view: View<'_>) -> Available {
        Available::Yes
    }

    /// What the author is likely to do next, for the footer. What is not on offer is left out later.
    fn wanted(&self, _view: View<'_>) -> Vec<Action> {
        Vec::new()
    }

    /// Does what is on offer.
    fn act(&mut self, action: Action, cx: &mut Cx<'_>);

    /// What an action does on a page over it; `None` as on every page.
    fn offer_on_page(&self, _action: &Action, _model: &Model) -> Option<Available> {
        None
    }

    /// Does what is on offer on a page over it.
    fn act_on_page(&mut self, action: Action, cx: &mut Cx<'_>) {
        if self.offer_on_page(&action, cx.model).is_some() {
            self.act(action, cx);
        }
    }

    /// Whether a stray key is ignored: it was meant for what was shown before.
    fn is_guarded(&self, _action: &Action, _view: View<'_>) -> bool {
        false
    }

    /// A key has come, whatever it does.
    fn touch(&mut self, _action: &Action, _model: &mut Model) {}

    /// The files may have changed; `listed` if the list of gates has.
    fn look(&mut self, _listed: bool, _cx: &mut Cx<'_>) {}

    /// Work that it waited for has failed.
    fn fail(&mut self, _cx: &mut Cx<'_>) {}

    /// What can be copied: what the executor is told of a gate, or what the cursor is on.
    fn copied(&self, _view: View<'_>) -> Option<String> {
        None
    }

    /// The same on a page over it.
    fn copied_on_page(&self, _part: Part, view: View<'_>) -> Option<String> {
        self.copied(view)
    }

    /// Whether what it shows is still there.
    fn stands(&self, _model: &Model) -> bool {
        true
    }

    /// Draws it, and the screens below as far as they are seen.
    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>);

    /// Writes its details, in its pane or as a page of their own, or what has changed.
    fn write(&self, _part: Part, _model: &Model, _sheet: &mut Sheet<'_>) {}

    /// What the page of its details is called.
    fn title(&self, _part: Part) -> Sentence {
        s::DETAILS
    }

    /// The pane of its details.
    fn pane<'a>(&'a self, _model: &'a Model) -> Option<&'a Scroll> {
        None
    }
}

pub trait Boxed {
    fn boxed(&self) -> Box<dyn Screen>;
}

impl<T: Screen + Clone> Boxed for T {
    fn boxed(&self) -> Box<dyn Screen> {
        Box::new(self.clone())
    }
}

/// What a page shows of the screen below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The details, as far as the pane of the screen shows them.
    Pane,
    Whole,
    /// The record as it will be written.
    Record,
    /// What the packet asks differently.
    Changes,
}

#[derive(Clone, Copy)]
pub struct View<'a> {
    pub model: &'a Model,
    /// The screens below it, the lowest first.
    pub below: &'a [Box<dyn Screen>],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Available {
    /// It does what the key map says.
    Yes,
    As(Sentence),
    /// It acts, or says why it cannot; the footer leaves it out, because another key does the same or is wanted more.
    Unlisted,
    No(Sentence),
    /// It moves no further and goes without saying: the end is in sight.
    AtEnd,
}

/// What an action or a result may change, and what it leaves to be done.
pub struct Cx<'a> {
    pub model: &'a mut Model,
    /// The other screens; the one that acts is not among them.
    pub screens: &'a mut Vec<Box<dyn Screen>>,
    /// Changes of the stack, made when the screen that asks for them is back in its place.
    pub(super) moves: Vec<Move>,
    pub effects: Vec<Effect>,
    /// Whether nothing that is visible has changed.
    pub unchanged: bool,
    /// Whether the author himself has moved the list.
    pub is_authors: bool,
}

pub enum Effect {
    Job(Job),
    /// Keep answers. It is heard of again only when that fails, or works again.
    Save(Box<DraftToSave>),
    /// Keep the text of an edited record, which is not checked, for this place of answers.
    KeepEdited(JsString, String),
    /// Note the records that others have written, while there is nothing else to do.
    NoteSeen(Vec<Arc<Entry>>),
    /// Look at the files now: one of them was just changed from here.
    Look,
    Rescan,
    /// Let the author's editor change this text.
    Edit {
        text: String,
        loan: Loan,
        then: Edited,
    },
    Copy(Safe),
    NextTheme,
    /// Tell the author outside the screen: a gate needs him.
    Notify(NewGates),
    Suspend,
    Repaint,
    /// End with this exit code; but if something of the author's is not on the disk yet, ask first. An interrupted program
    /// asks only where it lies in no file elsewhere either.
    Leave(i32),
    /// End with this exit code, whatever is not saved.
    Quit(i32),
}

pub struct Job {
    /// A job makes those of the same name useless that have not begun.
    pub name: Option<&'static str>,
    pub wait: Wait,
    pub work: Work,
}

/// What waits for the result of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Nothing,
    /// The next frame, for a moment, because it has little to show without.
    Frame,
    /// The frame, and the next keys for as long as it takes, because it decides what they mean.
    Keys,
}

/// What is done; no result means nothing.
pub type Work = Box<dyn FnOnce(&Files) -> Option<Then> + Send>;

/// What a text means that comes back from the author's editor.
pub type Edited = Box<dyn FnOnce(FromEditor, &mut Cx<'_>)>;

pub type Move = Box<dyn FnOnce(&mut Cx<'_>)>;

/// What the result of a job does.
pub type Then = Box<dyn FnOnce(&mut Cx<'_>) + Send>;

/// Gates that need the author since a moment ago, as a notice outside the screen names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGates {
    pub title: String,
    pub body: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromEditor {
    /// The text as it was left, however the editor ended. If it is no UTF-8, where it is kept; `None` if it cannot be read.
    pub text: Result<String, Option<PathBuf>>,
    pub end: EditorEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorEnd {
    Well,
    /// With a failure, or by a signal.
    Badly,
    NotFound,
}

impl<'a> View<'a> {
    pub fn beneath(self) -> Option<&'a dyn Screen> {
        self.below.last().map(AsRef::as_ref)
    }

    /// How many screens lie below what is opened, the inbox first.
    fn home(self) -> usize {
        1 + usize::from(self.below.get(1).is_some_and(|screen| screen.leads_back()))
    }

    /// Whether leaving the screen leads to another one than the inbox.
    pub fn leads_back(self) -> bool {
        self.beneath().is_some_and(Screen::leads_back)
    }
}

impl dyn Screen {
    pub fn is<T: Screen>(&self) -> bool {
        self.seen_as::<T>().is_some()
    }

    pub fn seen_as<T: Screen>(&self) -> Option<&T> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

impl Clone for Box<dyn Screen> {
    fn clone(&self) -> Box<dyn Screen> {
        self.as_ref().boxed()
    }
}

impl<'a> Cx<'a> {
    pub(super) fn new(model: &'a mut Model, screens: &'a mut Vec<Box<dyn Screen>>) -> Cx<'a> {
        Cx { model, screens, moves: Vec::new(), effects: Vec::new(), unchanged: false, is_authors: false }
    }

    /// To this screen, from the one that it leads back to.
    pub fn go(&mut self, screen: impl Screen) {
        self.moves.push(Box::new(|cx| cx.screens.truncate(cx.view().home())));
        self.push(screen);
    }

    /// Back to where the screen was opened from: the inbox, or what lies between.
    pub fn go_home(&mut self) {
        self.moves.push(Box::new(|cx| {
            let home = cx.view().home();
            cx.screens.truncate(if cx.screens.len() > home { home } else { 1 });
        }));
    }

    /// Puts this over the screen, in the place of what lies there.
    pub fn cover(&mut self, screen: impl Screen) {
        self.uncover();
        self.push(screen);
    }

    pub fn uncover(&mut self) {
        self.moves.push(Box::new(|cx| {
            while cx.is_covered() {
                cx.screens.pop();
            }
        }));
    }

    pub fn push(&mut self, screen: impl Screen) {
        self.moves.push(Box::new(|cx| cx.screens.push(Box::new(screen))));
    }

    /// What is on top goes; the inbox stays.
    pub fn close(&mut self) {
        self.moves.push(Box::new(|cx| cx.screens.truncate((cx.screens.len() - 1).max(1))));
    }

    pub fn do_next(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn say(&mut self, tone: Tone, message: impl Into<Message>) {
        self.model.say(tone, message);
    }

    /// Has something done, and what it means for the screens. The next keys wait for it. A failure is said.
    pub fn ask<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Files) -> Result<T, Message> + Send + 'static,
        then: impl FnOnce(T, &mut Cx<'_>) + Send + 'static,
    ) {
        let then = |done, cx: &mut Cx<'_>| {
            cx.model.writing = None;
            match done {
                Ok(done) => then(done, cx),
                Err(why) => cx.fail(why),
            }
        };
        self.begin(None, Wait::Keys, |files| Some(work(files)), then);
    }

    /// The same without any key waiting. No result means nothing; of several of one name only the last is worth doing.
    pub fn tell<T: Send + 'static>(
        &mut self,
        name: Option<&'static str>,
        work: impl FnOnce(&Files) -> Option<T> + Send + 'static,
        then: impl FnOnce(T, &mut Cx<'_>) + Send + 'static,
    ) {
        self.begin(name, Wait::Nothing, work, then);
    }

    /// The same for what the screen shows: the next frame waits a moment for it.
    pub fn show<T: Send + 'static>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&Files) -> T + Send + 'static,
        then: impl FnOnce(T, &mut Cx<'_>) + Send + 'static,
    ) {
        self.begin(Some(name), Wait::Frame, |files| Some(work(files)), then);
    }

    fn begin<T: Send + 'static>(
        &mut self,
        name: Option<&'static str>,
        wait: Wait,
        work: impl FnOnce(&Files) -> Option<T> + Send + 'static,
        then: impl FnOnce(T, &mut Cx<'_>) + Send + 'static,
    ) {
        let work = |files: &Files| {
            let done = work(files)?;
            Some(Box::new(|cx: &mut Cx<'_>| then(done, cx)) as Then)
        };
        self.effects.push(Effect::Job(Job { name, wait, work: Box::new(work) }));
    }

    pub fn view(&self) -> View<'_> {
        View { model: self.model, below: self.screens }
    }

    /// Whether something lies over the screen that acts or is worked with: the topmost of the others is no screen of its own.
    pub fn is_covered(&self) -> bool {
        self.screens.last().is_some_and(|top| top.place().is_none())
    }

    /// Something that was waited for has failed.
    pub fn fail(&mut self, why: Message) {
        self.model.writing = None;
        self.say(Tone::Bad, why);
        for at in 0..self.screens.len() {
            self.with(at, Screen::fail);
        }
    }

    /// Works with the screen of this kind, if it is there.
    pub fn on<T: Screen>(&mut self, work: impl FnOnce(&mut T, &mut Cx<'_>)) {
        let Some(at) = self.screens.iter().rposition(|screen| screen.is::<T>()) else { return };
        self.with(at, |screen, cx| {
            let any: &mut dyn Any = screen;
            if let Some(screen) = any.downcast_mut() {
                work(screen, cx);
            }
        });
    }

    pub fn with(&mut self, at: usize, work: impl FnOnce(&mut dyn Screen, &mut Cx<'_>)) {
        let mut screen = self.screens.remove(at);
        work(screen.as_mut(), self);
        self.screens.insert(at.min(self.screens.len()), screen);
    }
}
