//! The story beside the questions: scrolling, searching, another file. Nothing here changes an answer.

use super::super::action::Action;
use super::super::effect::{Effect, Request};
use super::super::model::{ListFilter, Message, Model, Over, Place, Screen, StoryRead, Tone, Wanted, Window};
use super::super::sentences as s;
use super::super::view::layout;
use std::path::{Path, PathBuf};

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let searching = model.story.search.as_ref().is_some_and(|search| search.focused);
    match action {
        Action::Back if searching => {
            model.story.search = None;
            Vec::new()
        }
        Action::Back | Action::Story => {
            model.over = None;
            Vec::new()
        }
        Action::Next => turn(model, 1),
        Action::Previous => turn(model, -1),
        Action::Filter => {
            model.story.search.get_or_insert_with(ListFilter::open).focused = true;
            Vec::new()
        }
        Action::Accept if searching => {
            model.story.search.take_if(|search| search.field.text().is_empty());
            let Some(search_field) = &mut model.story.search else { return Vec::new() };
            search_field.focused = false;
            model.story.hit = None;
            search(model)
        }
        Action::Accept => search(model),
        Action::Edit(edit) => {
            ListFilter::edit(&mut model.story.search, edit);
            Vec::new()
        }
        action => scroll(model, &action),
    }
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
    let unread = model.story_shown().map(|(path, _)| model.story.window(path).is_none());
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

/// A part of a file was read.
pub(super) fn apply(model: &mut Model, read: &StoryRead, found: Result<Window, Message>) -> Vec<Effect> {
    let Some((_, was)) = model.story_shown().filter(|(path, _)| *path == read.path) else {
        return Vec::new();
    };
    let mut place = was;
    if let Ok(window) = &found {
        let version = model.story.window(&read.path).and_then(|before| Some(before.as_ref().ok()?.version));
        if is_seen(model) && version.is_some_and(|version| version != window.version) {
            model.say(Tone::Plain, Message::new(s::STORY_CHANGED, &[&read.path]));
        }
        let (height, width) = room(model);
        match &read.wanted {
            Wanted::At(_) => {}
            Wanted::End => place = window.last(height, width),
            Wanted::Words(words, from) => place = found_at(model, window, (words, *from)).unwrap_or(was),
        }
        if window.end >= window.size {
            place = place.min(window.last(height, width));
        }
    }
    // The author may have gone on while this was read.
    let covers = |window: &Result<Window, Message>| window.as_ref().is_ok_and(|window| window.covers(place));
    let again = found.is_ok() && !covers(&found) && read.wanted != Wanted::At(place.at);
    let kept = again && model.story.window(&read.path).is_some_and(covers);
    if !kept {
        model.story.read = Some((read.path.clone(), found));
    }
    set_place(model, place);
    model.read_story().filter(|_| again).into_iter().collect()
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

fn request(model: &Model, wanted: Wanted) -> Vec<Effect> {
    let path = model.story_shown().map(|(path, _)| path.to_owned());
    path.map(|path| Request::ReadStory(StoryRead { path, wanted }).into()).into_iter().collect()
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
    model.story.hit = None;
    let at = files.shown().map_or(0, |(_, place)| place.at);
    request(model, Wanted::At(at))
}

fn scroll(model: &mut Model, action: &Action) -> Vec<Effect> {
    let (height, width) = room(model);
    let Some((path, place)) = model.story_shown() else { return Vec::new() };
    let Some(Ok(window)) = model.story.window(path) else { return Vec::new() };
    let page = height.cast_signed();
    let to = match action {
        Action::Up => window.moved(place, -1, width),
        Action::Down => window.moved(place, 1, width),
        Action::PageUp => window.moved(place, -page, width),
        Action::PageDown => window.moved(place, page, width),
        Action::First => Place::default(),
        Action::Last if window.end < window.size => return request(model, Wanted::End),
        Action::Last => window.last(height, width),
        _ => return Vec::new(),
    };
    let to = if window.end >= window.size { to.min(window.last(height, width)) } else { to };
    let covered = window.covers(to);
    model.story.hit = None;
    set_place(model, to);
    if covered { Vec::new() } else { request(model, Wanted::At(to.at)) }
}

/// Looks for the words behind the last hit, else from the first row shown on.
fn search(model: &Model) -> Vec<Effect> {
    let place = model.story_shown().map_or(0, |(_, place)| place.at);
    let from = model.story.hit.map_or(place, |hit| hit + 1);
    request(model, Wanted::Words(model.story.words().to_owned(), from))
}

/// The place that shows the hit, a few rows below the top.
fn found_at(model: &mut Model, window: &Window, (words, from): (&str, u64)) -> Option<Place> {
    let (height, width) = room(model);
    let Some(hit) = window.hit else {
        model.say(Tone::Plain, Message::new(s::STORY_NOT_FOUND, &[words]));
        return None;
    };
    if hit.at < from {
        model.say(Tone::Plain, s::STORY_FROM_THE_START);
    }
    model.story.hit = Some(hit.at);
    let place = window.place_in(hit.at, hit.column, width);
    Some(window.moved(place, -(height / 3).cast_signed(), width))
}
