//! What all screens share: the project, the list of gates, the story, the record written last, the notice.

pub use crate::store::history::{HistoryEntry, Reason};
pub use crate::store::story::{StoryPlace, StoryText};

pub use crate::store::drafts::SavedDraft;
pub use crate::store::drafts::autosave::Unsaved;
pub use crate::store::drafts::kept::KeptDraft;
pub use crate::store::entry::{Entry, Note};
pub use crate::store::gate::{COARSE, LoadFault, Output, Status};
pub use crate::store::later::Later;
pub use crate::store::pickup::{Progress, Replacement, WrittenRecord, WrittenStatus};
pub use crate::store::record::{Receipt, RecordState};
pub use crate::store::watch::Mode;
pub use ratatui::layout::Size;

use super::action::Action;
use super::draw::layout;
use super::sentences as s;
use super::voice::Voice;
use crate::adapter::relay::title_in;
use crate::ask::{Answer, AnswerSpec, JsString, Packet};
use crate::console::form::Form;
use crate::console::inbox::{Inbox, ListFilter};
use crate::console::input::keymap::{Context, Keymap};
use crate::console::review::batch::BatchRecord;
use crate::console::story::files::{Story, StoryFiles};
use crate::error::Message;
use crate::store::clock;
use crate::store::file::{is_question_file, is_relay};
use crate::text::{Lang, say};
use jiff::Zoned;
use jiff::tz::TimeZone;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// What all screens share: so there are more than ten fields.
#[derive(Clone, Debug)]
pub struct Model {
    pub size: Size,
    pub lang: Lang,
    /// The name of the project, and whether its directory is gone.
    pub project: String,
    pub is_project_gone: bool,
    /// The screen at the bottom of what is shown.
    pub place: Place,
    /// Which keys hold, and which on the screen below; sentences name them.
    pub here: Context,
    pub beneath: Context,
    pub inbox: Inbox,
    /// The packet whose form is on the stack.
    pub open: Option<PathBuf>,
    /// The form that the author has left for the inbox: it holds what no draft does.
    pub left: Option<Box<Form>>,
    pub story: Story,
    pub receipt: Option<Written>,
    /// The packet whose record is being written from here; during a replacement there is none for a moment.
    pub writing: Option<PathBuf>,
    /// One sentence for the author, shown until the next key.
    pub notice: Option<Notice>,
    pub clipboard: bool,
    pub keymap: Arc<Keymap>,
    pub problems: Vec<Message>,
    /// The time of the last event.
    pub now: SystemTime,
    pub zone: TimeZone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Inbox,
    Form,
    /// Every answer, what is missing first.
    Review,
    /// Written, re-read, verified.
    Receipt,
    /// What was written for a gate, and what went.
    History,
    /// What is asked of the whole book.
    Questions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    /// Worth knowing.
    Plain,
    /// Needs the author.
    Warn,
    Bad,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub message: Message,
    /// `None` if nothing depends on it.
    pub topic: Option<NoticeTopic>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeTopic {
    /// A key did nothing: this action is not on offer, or the key has none. What the next one does is news.
    Refused(Option<Action>),
    /// A record was not written, for a reason that may go.
    NotWritten,
    /// Ctrl+C was pressed: pressed again, it quits.
    PressAgain,
    /// A record was removed from here and can be put back.
    Redone,
    RecordDeleted,
    /// A step was sent back from here, and that can be taken back.
    SentBack,
    /// Something cannot be read or attached just now.
    Unread,
    /// These gates need the author since the last key.
    NewGates(Vec<Arc<Path>>),
}

/// A record that this console wrote. Paths are relative to the root.
#[derive(Clone, Debug)]
pub struct Written {
    pub path: PathBuf,
    /// Its step, for people.
    pub title: String,
    pub packet: Arc<Packet>,
    pub record: AnswerSpec,
    pub receipt: Receipt,
    pub at: SystemTime,
    /// What has become of it and of its step, as last seen.
    pub progress: Progress,
    /// The records of the same answers for other packets.
    pub batch: Vec<BatchRecord>,
    /// The ids of the questions whose defaults it has.
    pub defaults: Vec<String>,
    /// What the author has typed that is in no record.
    pub beside: Vec<String>,
}

impl Written {
    pub fn written_record<'o>(&'o self, file: &'o Path) -> WrittenRecord<'o> {
        WrittenRecord { file, packet: &self.packet, record: &self.record, receipt: &self.receipt }
    }

    /// The packets that have their records from here.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let batch = self.batch.iter().filter(|record| record.done.is_ok());
        std::iter::once(&*self.path).chain(batch.map(|record| &*record.path))
    }

    /// Whether it was decided before its step has a packet.
    pub fn is_ahead(&self) -> bool {
        is_question_file(&self.path)
    }

    /// Whether a gate is the next standing question of the same step.
    pub fn is_followed_by(&self, entry: &Entry) -> bool {
        let written = self.packet.gate.as_ref().map(|gate| &gate.answer_path);
        *entry.path == *self.path && entry.waits() && entry.answer_path.as_ref() != written
    }

    /// Whether there is something to take back: it, or all of what was submitted for several packets. Where ours was replaced
    /// or removed, it is put back first.
    pub fn can_take_back(&self) -> bool {
        self.progress.status.is_intact() || !self.is_lost() && !self.batch.is_empty()
    }

    /// The record for the author: the controls of an executor's own question are in this language.
    pub fn record_in(&self, lang: Lang) -> AnswerSpec {
        let titled = |value: &JsString| title_in(value, lang).map_or_else(|| value.clone(), JsString::from);
        let mut record = self.record.clone();
        for (_, answer) in record.answers.iter_mut().filter(|_| is_relay(&self.path)) {
            match answer {
                Answer::One(value) => *value = titled(value),
                Answer::Many(values) => values.iter_mut().for_each(|value| *value = titled(value)),
            }
        }
        record
    }

    /// What that submission wrote, the open gate's record first.
    pub fn several(&self) -> Vec<BatchRecord> {
        let batch = self.batch.iter().filter(|record| record.done.is_ok());
        let (path, title, done) = (self.path.clone(), self.title.clone(), Ok(self.receipt.clone()));
        let own = BatchRecord { path, title, done, unnoted: None, lost: None };
        std::iter::once(own).chain(batch.cloned()).collect()
    }

    /// Whether the executor will not find our record. That it is removed after the step has passed is no loss.
    pub fn is_lost(&self) -> bool {
        match self.progress.status {
            WrittenStatus::Intact => false,
            WrittenStatus::Gone => !self.progress.past,
            WrittenStatus::Replaced(_) => true,
        }
    }
}

impl Model {
    pub fn new(project: String, lang: Lang, size: Size, now: SystemTime) -> Model {
        Model {
            size,
            lang,
            project,
            is_project_gone: false,
            place: Place::Inbox,
            here: Context::Inbox,
            beneath: Context::Inbox,
            inbox: Inbox::default(),
            open: None,
            left: None,
            story: Story::default(),
            receipt: None,
            writing: None,
            notice: None,
            clipboard: true,
            keymap: Arc::default(),
            problems: Vec::new(),
            now,
            zone: TimeZone::UTC,
        }
    }

    pub fn say(&mut self, tone: Tone, message: impl Into<Message>) {
        self.notice = Some(Notice { tone, message: message.into(), topic: None });
    }

    pub fn say_about(&mut self, topic: NoticeTopic, tone: Tone, message: impl Into<Message>) {
        self.notice = Some(Notice { tone, message: message.into(), topic: Some(topic) });
    }

    /// The gate whose record was removed here last, for as long as no other one is there.
    pub fn redone(&self) -> Option<&Path> {
        let path = self.inbox.redone.as_deref()?;
        let entry = self.inbox.entry_at(path)?;
        (entry.status == Status::Waiting || entry.being_written).then_some(path)
    }

    /// The packet of the open gate, or of the selected one, if it holds an executor's own question that is not answered.
    pub fn relayed(&self) -> Option<PathBuf> {
        let selected = || self.inbox.selected().filter(|entry| self.place == Place::Inbox && entry.held_up());
        let path = self.open.clone().or_else(|| Some(selected()?.path.to_path_buf()));
        path.filter(|path| is_relay(path))
    }

    /// Whether nobody waits any more for the answers to the selected question of an executor's own.
    pub fn is_orphaned(&self) -> bool {
        self.inbox.gate().is_some_and(|gate| gate.orphaned)
    }

    /// The packet whose story is shown: of the open gate, else of the selected one.
    pub fn story_packet(&self) -> Option<&Path> {
        self.open.as_deref().or_else(|| Some(&*self.inbox.selected()?.path))
    }

    /// The story files of that packet; none if it names none that is there.
    pub fn story_files(&self) -> Option<&StoryFiles> {
        let files = self.story.files.get(self.story_packet()?)?;
        (!files.list.is_empty()).then_some(files)
    }

    pub fn story_files_mut(&mut self) -> Option<&mut StoryFiles> {
        let packet = self.story_packet()?.to_path_buf();
        self.story.files.get_mut(&packet)
    }

    pub fn story_search(&self) -> Option<&ListFilter> {
        self.story_files()?.search.as_ref()
    }

    /// The story file that is shown, and the author's place in it.
    pub fn story_shown(&self) -> Option<(&str, StoryPlace)> {
        self.story_files()?.shown()
    }

    /// The next gate that waits, other than the one just answered.
    pub fn next_waiting(&self) -> Option<&Entry> {
        let written: HashSet<&Path> = self.receipt.iter().flat_map(Written::paths).collect();
        let is_written = |entry: &Entry| entry.same_gate().any(|path| written.contains(path));
        let is_next_of_step =
            |entry: &&Entry| self.receipt.as_ref().is_some_and(|written| written.is_followed_by(entry));
        let waits = |entry: &&Entry| {
            entry.status == Status::Waiting && !entry.past && self.inbox.later(entry).is_none()
        };
        let waiting = || self.inbox.entries.iter().map(AsRef::as_ref).filter(waits);
        waiting().find(is_next_of_step).or_else(|| waiting().find(|entry| !is_written(entry)))
    }

    /// Says what is wrong with the author's settings; several problems stand in the help.
    pub fn tell_problems(&mut self, problems: Vec<Message>) {
        match &problems[..] {
            [] => {}
            [one] => self.say(Tone::Warn, one.clone()),
            all => {
                let says = say(
                    "The settings have {0} mistakes; those settings are ignored. {help} names them.",
                    "设置中有 {0} 处错误，出错的项不起作用。按 {help} 查看。",
                );
                self.say(Tone::Warn, Message::new(says, &[&all.len().to_string()]));
            }
        }
        self.problems = problems;
    }

    /// Says that the answers to these packets, which an earlier run could not save, are here again.
    pub fn tell_recovered(&mut self, packets: &[String]) {
        let says = say(
            "Answers that could not be saved last time are here again, as drafts: {0}.",
            "上次没能保存的回答已取回，作为草稿：{1}。",
        );
        if !packets.is_empty() {
            self.say(Tone::Warn, Message::with(says, |lang| packets.join(lang.comma())));
        }
    }

    /// Says that what an editor has saved for the gates of these packets, when an earlier run ended, is here again.
    pub fn tell_lent(&mut self, packets: &[String]) {
        let says = say(
            "What you had saved in your editor when the console ended is here again: {0}.",
            "控制台上次结束时，你已在编辑器中保存的内容已取回：{1}。",
        );
        if !packets.is_empty() {
            self.say(Tone::Warn, Message::with(says, |lang| packets.join(lang.comma())));
        }
    }

    /// How the author is spoken to.
    pub fn voice(&self) -> Voice<'_> {
        Voice { lang: self.lang, keymap: &self.keymap, here: self.here, beneath: self.beneath }
    }

    /// Columns of the story beside the question; none where it stands over the screen or there is none.
    pub fn story_width(&self) -> u16 {
        let is_beside = self.place == Place::Form && self.story_files().is_some();
        if is_beside { layout::story_width(self.size) } else { 0 }
    }

    /// The terminal as far as the screen has it: without the story beside it.
    pub fn screen_size(&self) -> Size {
        Size { width: self.size.width - self.story_width(), ..self.size }
    }

    /// The time of the last event where the author is.
    pub fn local_now(&self) -> Zoned {
        clock::local(self.now, self.zone.clone())
    }

    pub fn local_time(&self, then: SystemTime) -> String {
        clock::local_time(then, &self.local_now(), self.lang)
    }

    /// That no executor asks any more, if that has lasted.
    pub fn silence(&self) -> Option<String> {
        self.inbox.silence.as_ref()?.text(&self.local_now(), self.lang)
    }

    /// How long ago it was, as the author says it.
    pub fn ago(&self, then: SystemTime) -> String {
        s::ago(then, &self.local_now(), self.lang)
    }
}
