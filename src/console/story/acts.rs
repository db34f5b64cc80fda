//! The story beside the questions: scrolling, searching, another file. Nothing here changes an answer.

use super::{Place, StoryText};
use crate::console::action::Action;
use crate::console::draw::layout;
use crate::console::draw::painter::Painter;
use crate::console::inbox::ListFilter;
use crate::console::input::keymap::Context;
use crate::console::model::{Message, Model, Place as At, Tone};
use crate::console::screen::Available::{self, No, Unlisted, Yes};
use crate::console::screen::{Cx, Screen, View};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::store::story;
use std::path::{Path, PathBuf};

/// A story file with the keys: beside the question where there is room, else over the screen.
#[derive(Clone, Copy, Debug)]
pub struct StoryScreen;

impl Screen for StoryScreen {
    fn context(&self, model: &Model) -> Context {
        ListFilter::context(model.story.search.as_ref(), Context::Story, Context::StorySearch)
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let model = view.model;
        let searching = model.story.search.as_ref().is_some_and(|search| search.focused);
        match action {
            Action::Story => Unlisted,
            Action::Accept if searching => Yes,
            Action::Accept if model.story.words().is_empty() => No(None),
            Action::Down | Action::PageDown if is_at_its_end(model) => No(None),
            Action::Next | Action::Previous
                if model.story_files().is_none_or(|files| files.list.len() < 2) =>
            {
                No(None)
            }
            _ => Yes,
        }
    }

    fn wanted(&self, view: View<'_>) -> Vec<Action> {
        if self.context(view.model) == Context::Story { vec![Action::Accept] } else { Vec::new() }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        let story = &mut cx.model.story;
        let searching = story.search.as_ref().is_some_and(|search| search.focused);
        match action {
            Action::Back if searching => story.search = None,
            Action::Back | Action::Story => cx.close(),
            Action::Next => turn(1, cx),
            Action::Previous => turn(-1, cx),
            Action::Filter => story.search.get_or_insert_with(ListFilter::open).focused = true,
            Action::Accept if searching => {
                story.search.take_if(|search| search.field.text().is_empty());
                if let Some(search_field) = &mut story.search {
                    search_field.focused = false;
                    story.hit = None;
                    search(cx);
                }
            }
            Action::Accept => search(cx),
            Action::Edit(edit) => drop(ListFilter::edit(&mut story.search, edit)),
            action => scroll(&action, cx.model),
        }
    }

    fn look(&mut self, listed: bool, cx: &mut Cx<'_>) {
        match cx.model.story_packet().map(PathBuf::from).filter(|_| listed && cx.model.open.is_none()) {
            Some(packet) => list(&packet, cx),
            None => read(cx),
        }
    }

    fn stands(&self, model: &Model) -> bool {
        model.story_files().is_some()
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        if view.model.place == At::Form && layout::has_story_beside(view.model) {
            if let Some((beneath, below)) = view.below.split_last() {
                beneath.draw(View { below, ..view }, painter);
            }
            painter.cover();
            let parts = layout::story(view.model);
            painter.fill(parts.header.union(parts.text).union(parts.search), Role::Text);
        }
        super::draw::draw(view.model, painter, true);
    }
}

/// Shows the story of the open gate, or that of the selected one as soon as its files are known.
pub(crate) fn open(cx: &mut Cx<'_>) {
    if cx.model.place != At::Inbox {
        cx.cover(StoryScreen);
        return read(cx);
    }
    cx.model.inbox.moved = true;
    cx.model.story.wanted = cx.model.inbox.selected_path();
    if let Some(packet) = cx.model.story.wanted.clone() {
        list(&packet, cx);
    }
}

/// Finds the story files of a packet: it may name other files, and those it names may have come. The first of them, or the
/// one that was shown last, is read.
pub(crate) fn list(packet: &Path, cx: &mut Cx<'_>) {
    let packet = packet.to_path_buf();
    let named = packet.clone();
    cx.tell_each(
        move |files| Some(story::files(&files.project, &files.root_path(&named))),
        move |files, cx| listed(&packet, files, cx),
    );
}

fn listed(packet: &Path, (paths, more): (Vec<String>, bool), cx: &mut Cx<'_>) {
    if more && !cx.model.story.files.contains_key(packet) {
        cx.say(Tone::Warn, s::TOO_MANY_STORY_FILES);
    }
    let wanted = cx.model.story.wanted.take_if(|wanted| *wanted == *packet).is_some();
    cx.model.story.files.entry(packet.to_path_buf()).or_default().take(paths);
    let there = cx.model.story_files().is_some();
    let in_list = cx.model.place == At::Inbox && !cx.is_covered();
    let shows = wanted && in_list && cx.model.story_packet() == Some(packet);
    if shows && there {
        cx.cover(StoryScreen);
    } else if shows {
        cx.say(Tone::Plain, s::NO_STORY);
    }
    let unread = cx.model.story_shown().map(|(path, _)| cx.model.story.text(path).is_none());
    if shows || is_seen(cx) || unread == Some(true) {
        read(cx);
    }
}

fn is_seen(cx: &Cx<'_>) -> bool {
    let beside = cx.model.place == At::Form && !cx.is_covered() && layout::has_story_beside(cx.model);
    beside || cx.screens.iter().any(|screen| screen.is::<StoryScreen>())
}

/// Reads the file that is shown: others write it.
pub(crate) fn read(cx: &mut Cx<'_>) {
    let Some((path, _)) = cx.model.story_shown() else { return };
    let path = path.to_owned();
    let name = path.clone();
    cx.tell(
        "story",
        move |files| Some(story::read(&files.project, &name)),
        move |text, cx| take(path, text, cx),
    );
}

/// A file was read.
pub fn take(path: String, found: Result<StoryText, Message>, cx: &mut Cx<'_>) {
    cx.unchanged = cx.model.story.text(&path) == Some(&found);
    let Some((_, place)) = cx.model.story_shown().filter(|(shown, _)| *shown == path) else { return };
    if let Ok(text) = &found {
        let before = cx.model.story.text(&path);
        let version = before.and_then(|before| Some(before.as_ref().ok()?.version));
        if is_seen(cx) && version.is_some_and(|version| version != text.version) {
            cx.say(Tone::Plain, Message::new(s::STORY_CHANGED, &[&path]));
        }
        let (height, width) = room(cx.model);
        set_place(cx.model, place.min(text.last(height, width)));
    }
    cx.model.story.read = Some((path, found));
}

/// Whether nothing of the file is below what is shown.
fn is_at_its_end(model: &Model) -> bool {
    let Some((path, place)) = model.story_shown() else { return true };
    let Some(Ok(shown)) = model.story.text(path) else { return true };
    let (height, width) = room(model);
    place >= shown.last(height, width)
}

/// Rows and columns of the text.
fn room(model: &Model) -> (usize, usize) {
    let text = layout::story(model).text;
    (usize::from(text.height).max(1), usize::from(text.width).max(1))
}

fn set_place(model: &mut Model, place: Place) {
    let Some(packet) = model.story_packet().map(PathBuf::from) else { return };
    let files = model.story.files.get_mut(&packet);
    if let Some(shown) = files.and_then(|files| files.list.get_mut(files.at)) {
        shown.1 = place;
    }
}

fn turn(by: isize, cx: &mut Cx<'_>) {
    let Some(packet) = cx.model.story_packet().map(PathBuf::from) else { return };
    let Some(files) = cx.model.story.files.get_mut(&packet) else { return };
    let last = files.list.len().saturating_sub(1);
    files.at = match files.at.checked_add_signed(by) {
        Some(next) if next <= last => next,
        Some(_) => 0,
        None => last,
    };
    let Some((path, _)) = files.shown() else { return };
    let (path, name) = (path.to_owned(), path.to_owned());
    cx.model.story.hit = None;
    // The next key is for the other file.
    let work = move |files: &crate::console::files::Files| Ok(story::read(&files.project, &name));
    cx.ask(work, move |text, cx| take(path, text, cx));
}

fn scroll(action: &Action, model: &mut Model) {
    let (height, width) = room(model);
    let Some((path, place)) = model.story_shown() else { return };
    let Some(Ok(text)) = model.story.text(path) else { return };
    let page = height.cast_signed();
    let last = text.last(height, width);
    let to = match action {
        Action::Up => text.moved(place, -1, width),
        Action::Down => text.moved(place, 1, width),
        Action::PageUp => text.moved(place, -page, width),
        Action::PageDown => text.moved(place, page, width),
        Action::First => Place::default(),
        Action::Last => last,
        _ => return,
    };
    let to = to.min(last);
    model.story.hit = None;
    set_place(model, to);
}

/// Goes to the words behind the last hit, else from the first row shown on: a few rows above them.
fn search(cx: &mut Cx<'_>) {
    let model = &mut *cx.model;
    let (height, width) = room(model);
    let Some((path, place)) = model.story_shown() else { return };
    let Some(Ok(text)) = model.story.text(path) else { return };
    let words = model.story.words();
    let from = model.story.hit.map_or(place.at, |hit| hit + 1);
    let Some(hit) = text.find(words, from) else {
        let sentence = if text.is_cut { s::STORY_NOT_FOUND_IN_PART } else { s::STORY_NOT_FOUND };
        let message = Message::new(sentence, &[words]);
        return model.say(Tone::Plain, message);
    };
    let to = text.moved(text.place_of(hit, width), -(height / 3).cast_signed(), width);
    let to = to.min(text.last(height, width));
    if hit < from {
        model.say(Tone::Plain, s::STORY_FROM_THE_START);
    }
    model.story.hit = Some(hit);
    set_place(model, to);
}
