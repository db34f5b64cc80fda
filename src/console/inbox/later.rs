//! Gates that are put off: they stand below the waiting ones, ring nowhere, and come back by themselves.
//!
//! Contract: nothing of it is in the project. The way back is the watch's next look, at most a few seconds late.

use super::loading::load_selected;
use crate::console::action::{Action, Target};
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::painter::Painter;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Tone};
use crate::console::prompt;
use crate::console::screen::Available::{self, No, Yes};
use crate::console::screen::{Cx, Screen, View};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::error::Message;
use crate::store::clock;
use crate::store::entry::Entry;
use crate::store::later::{self, Later};
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[derive(Clone, Debug)]
pub struct PutOff {
    packet: PathBuf,
    /// Row of [`Model::later_choices`] under the cursor.
    row: usize,
}

impl Screen for PutOff {
    fn context(&self, _model: &Model) -> Context {
        Context::Later
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        match action {
            Action::Number(number) if usize::from(*number) > view.model.later_choices().len() => {
                No(prompt::LATER_KEYS)
            }
            _ => Yes,
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        let choices = cx.model.later_choices();
        let row = match action {
            Action::Number(number) => usize::from(number).wrapping_sub(1),
            Action::Point(Target::Row(row)) => row,
            Action::Accept => self.row,
            action => {
                match action.row_from(self.row, choices.len()) {
                    Some(row) => self.row = row.min(choices.len() - 1),
                    None => cx.close(),
                }
                return;
            }
        };
        let Some(&(_, time)) = choices.get(row) else { return };
        cx.close();
        let Some(entry) = cx.model.inbox.entry_at(&self.packet).cloned() else { return };
        let later = Later::new(&entry, time);
        mark(&entry, Some(later), cx);
        cx.say(Tone::Good, Message::with(s::PUT_OFF, |lang| cx.model.later_words(&later, lang)));
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        let theme = painter.theme;
        let row = |(row, (says, time)): (usize, (Sentence, Option<SystemTime>))| {
            let time = time.map(|time| view.model.local_time(time)).unwrap_or_default();
            let words = line(theme[Role::Accent], if row == self.row { "▸ " } else { "  " });
            let words = words.add(theme[Role::Dim], &(row + 1).to_string()).gap(2);
            words.add(theme[Role::Text], says.text(view.model.lang)).gap(2).add(theme[Role::Dim], &time)
        };
        let choices: Vec<Line> = view.model.later_choices().into_iter().enumerate().map(row).collect();
        let title = view.model.inbox.title_of(&self.packet);
        let asks = Message::new(say("Remind me about {0}…", "{0} 稍后再答：什么时候提醒？"), &[&title]);
        prompt::draw(view, painter, &asks, &[], None, (choices, self.row));
    }
}

impl Model {
    /// Until when a gate can be put off, and how that is called.
    fn later_choices(&self) -> [(Sentence, Option<SystemTime>); 3] {
        [
            (say("in an hour", "一小时后"), Some(self.now + Duration::from_hours(1))),
            (say("tomorrow morning", "明天早上"), Some(clock::tomorrow_morning(&self.local_now()))),
            (say("when the packet changes", "指令包有变化时"), None),
        ]
    }

    /// In how long it is, short: `in 11 h`; a begun minute counts.
    pub fn in_how_long(&self, then: SystemTime) -> String {
        let then = clock::local(then + Duration::from_mins(1), self.zone.clone());
        say("in {0}", "{0}后").fill(self.lang, &[&s::age(self.now, &then, self.lang)])
    }

    pub fn later_words(&self, later: &Later, lang: Lang) -> String {
        match later.until {
            Some(time) => s::UNTIL.fill(lang, &[&clock::local_time(time, &self.local_now(), lang)]),
            None => say("until the packet changes", "推迟到指令包有变化").text(lang).to_owned(),
        }
    }
}

/// Asks until when the selected gate is put off, or brings it back.
pub(super) fn toggle(cx: &mut Cx<'_>) {
    let Some(entry) = cx.model.inbox.selected().cloned() else { return };
    cx.model.inbox.moved = true;
    if cx.model.inbox.later(&entry).is_some() {
        mark(&entry, None, cx);
    } else {
        cx.cover(PutOff { packet: entry.path.to_path_buf(), row: 0 });
    }
}

/// A gate is put off no more.
pub(crate) fn bring_back(path: &Path, cx: &mut Cx<'_>) {
    let Some(entry) = cx.model.inbox.entry_at(path).cloned() else { return };
    if cx.model.inbox.later(&entry).is_some() {
        mark(&entry, None, cx);
    }
}

fn mark(entry: &Entry, later: Option<Later>, cx: &mut Cx<'_>) {
    let marks = &mut cx.model.inbox.later;
    for path in entry.same_gate() {
        match later {
            Some(later) => drop(marks.insert(path.to_path_buf(), later)),
            None => drop(marks.remove(path)),
        }
    }
    keep(entry, later, cx);
    resort(cx);
}

/// Keeps until when a gate is put off, or that it is not.
fn keep(entry: &Entry, later: Option<Later>, cx: &mut Cx<'_>) {
    let Some(answer_path) = entry.answer_path.clone() else { return };
    cx.tell(
        None,
        move |files| {
            let failed = later::put_off(&files.state, &answer_path, later).err();
            failed.map(|error| error.whole())
        },
        |why, cx| cx.say(Tone::Bad, why),
    );
}

/// The list with its gates where they belong now.
pub(crate) fn resort(cx: &mut Cx<'_>) {
    cx.model.inbox.resort();
    load_selected(cx);
}

/// Ends the marks that are over; gives the gates among them that are held up.
pub(crate) fn end(cx: &mut Cx<'_>) -> Vec<Arc<Entry>> {
    let (mut back, now) = (Vec::new(), cx.model.now);
    for entry in cx.model.inbox.entries.clone() {
        let later = cx.model.inbox.later.get(&*entry.path).copied();
        let over = |later: &Later| later.is_due(now) || later.is_over(&entry);
        let Some(later) = later.filter(over) else { continue };
        cx.model.inbox.later.remove(&*entry.path);
        keep(&entry, None, cx);
        if later.is_of(&entry) && !entry.is_repeated() {
            back.push(entry);
        }
    }
    cx.model.inbox.later.retain(|_, later| !later.is_due(now));
    back
}
