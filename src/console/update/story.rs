//! The story beside the questions: scrolling, searching, another file. Nothing here changes an answer.

use super::super::action::Action;
use super::super::effect::{Effect, Request};
use super::super::model::{ListFilter, Message, Model, Over, Place, Screen, StoryText, Tone};
use super::super::sentences as s;
use super::super::view::layout;
use std::path::{Path, PathBuf};

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let searching = model.story.search.as_ref().is_some_and(|search| search.focused);
    match action {
        Action::Back if searching => model.story.search = None,
        Action::Back | Action::Story => model.over = None,
        Action::Next => return turn(model, 1),
        Action::Previous => return turn(model, -1),
        Action::Filter => model.story.search.get_or_insert_with(ListFilter::open).focused = true,
        Action::Accept if searching => {
            model.story.search.take_if(|search| search.field.text().is_empty());
            if let Some(search_field) = &mut model.story.search {
                search_field.focused = false;
                model.story.hit = None;
                search(model);
            }
        }
        Action::Accept => search(model),
        Action::Edit(edit) => drop(ListFilter::edit(&mut model.story.search, edit)),
        action => scroll(model, &action),
    }
    Vec::new()
}

/// The story files of a packet; the first of them, or the one that was shown last, is read.
pub(super) fn listed(model: &mut Model, packet: &Path, (paths, more): (Vec<String>, bool)) -> Vec<Effect> {
    if more && !model.story.files.contains_key(packet) {
        model.say(Tone::Warn, s::TOO_MANY_STORY_FILES);
    }
    let wanted = model.story.wanted.take_if(|wanted| *wanted == *packet).is_some();
    model.story.files.entry(packet.to_path_buf()).or_default().take(paths);
    let there = model.story_files().is_some();
    if !there {
        model.over.take_if(|over| *over == Over::Story);
    }
    if wanted && model.over.is_none() && model.screen == Screen::Inbox && model.story_packet() == Some(packet)
    {
        if there {
            model.over = Some(Over::Story);
        } else {
            model.say(Tone::Plain, s::NO_STORY);
        }
    }
    let unread = model.story_shown().map(|(path, _)| model.story.text(path).is_none());
    model.read_story().filter(|_| is_seen(model) || unread == Some(true)).into_iter().collect()
}

/// The packet may name other files, and those it names may have come.
pub(super) fn list_again(model: &Model) -> Option<Effect> {
    let in_form = matches!(model.screen, Screen::Form | Screen::Review);
    let packet = model.story_packet().filter(|_| in_form || model.over == Some(Over::Story))?;
    Some(Effect::ListStory(packet.to_path_buf()))
}

/// Closes the story, beneath the help too.
pub(super) fn close(model: &mut Model) {
    if let Some(Over::Help(before)) = &mut model.over {
        before.take_if(|before| before.0 == Over::Story);
    }
    model.over.take_if(|over| *over == Over::Story);
}

/// A file was read.
pub(super) fn apply(model: &mut Model, path: String, found: Result<StoryText, Message>) {
    let Some((_, place)) = model.story_shown().filter(|(shown, _)| *shown == path) else { return };
    if let Ok(text) = &found {
        let version = model.story.text(&path).and_then(|before| Some(before.as_ref().ok()?.version));
        if is_seen(model) && version.is_some_and(|version| version != text.version) {
            model.say(Tone::Plain, Message::new(s::STORY_CHANGED, &[&path]));
        }
        let (height, width) = room(model);
        set_place(model, place.min(text.last(height, width)));
    }
    model.story.read = Some((path, found));
}

/// A fresh look at the file on the screen: others write it.
pub(super) fn reread(model: &Model) -> Option<Effect> {
    model.read_story().filter(|_| is_seen(model))
}

fn is_seen(model: &Model) -> bool {
    let beside = model.screen == Screen::Form && model.over.is_none() && layout::has_story_beside(model);
    beside || model.over == Some(Over::Story)
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

fn turn(model: &mut Model, by: isize) -> Vec<Effect> {
    let Some(packet) = model.story_packet().map(PathBuf::from) else { return Vec::new() };
    let Some(files) = model.story.files.get_mut(&packet) else { return Vec::new() };
    let last = files.list.len().saturating_sub(1);
    files.at = match files.at.checked_add_signed(by) {
        Some(next) if next <= last => next,
        Some(_) => 0,
        None => last,
    };
    let path = files.shown().map(|(path, _)| path.to_owned());
    model.story.hit = None;
    path.map(|path| Request::ReadStory(path).into()).into_iter().collect()
}

fn scroll(model: &mut Model, action: &Action) {
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
fn search(model: &mut Model) {
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
