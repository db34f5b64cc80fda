//! The story beside the questions: the files that the packets name, and the author's places in them. It is scrolled and
//! searched; nothing here changes an answer.

pub mod draw;
pub mod files;

use self::files::StoryFiles;
use crate::console::action::Action;
use crate::console::draw::painter::Painter;
use crate::console::files::Files;
use crate::console::filtered_list::FilteredList;
use crate::console::inbox::ListFilter;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Place, Tone};
use crate::console::screen::Available::{self, As, AtEnd, No, Unlisted, Yes};
use crate::console::screen::{Cx, Screen, View};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::error::Message;
use crate::store::story;
use crate::store::story::{StoryPlace, StoryText};
use crate::text::say;
use std::path::{Path, PathBuf};

/// A story file with the keys: beside the question where there is room, else over the screen.
#[derive(Clone, Copy, Debug)]
pub struct StoryScreen;

impl Screen for StoryScreen {
    fn context(&self, model: &Model) -> Context {
        match model.story.list {
            Some(_) => Context::StoryFiles,
            None => ListFilter::context(model.story_search(), Context::Story, Context::StorySearch),
        }
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let files = view.model.story_files();
        let has_no_other = || files.is_none_or(|files| files.list.len() < 2);
        let has_no_words = || files.is_none_or(|files| !files.is_searching() && files.words().is_empty());
        let is_at_end = || {
            shown(view.model).is_none_or(|shown| shown.place >= shown.text.last(shown.height, shown.width))
        };
        if let Some(list) = &view.model.story.list {
            return match action {
                Action::Story | Action::Expand => Unlisted,
                Action::Back if list.is_filtered() => As(s::CLEAR_FILTER),
                Action::Accept | Action::Copy if list.hits.is_empty() => No(s::NOTHING_LISTED),
                Action::Next | Action::Previous => No(s::NOTHING_HERE),
                _ => Yes,
            };
        }
        match action {
            Action::Story => Unlisted,
            Action::Accept if has_no_words() => No(say(
                "Type the words to look for; {accept} then finds them.",
                "先输入要查找的文字，再按 {accept} 查找。",
            )),
            Action::Down | Action::PageDown if is_at_end() => AtEnd,
            Action::Next | Action::Previous | Action::Expand if has_no_other() => {
                No(say("The packet names no other story file.", "指令包没有列出别的文稿。"))
            }
            _ => Yes,
        }
    }

    fn wanted(&self, view: View<'_>) -> Vec<Action> {
        let searching = view.model.story_files().is_some_and(StoryFiles::is_searching);
        if searching { Vec::new() } else { vec![Action::Accept] }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        let shown = |cx: &Cx<'_>| cx.model.story_shown().map(|(path, place)| (path.to_owned(), place));
        let was = shown(cx);
        if cx.model.story.list.is_some() && action != Action::Story {
            act_in_list(&action, cx);
        } else {
            act_in_file(action, cx);
        }
        if let (Some(packet), Some((path, place))) = (cx.model.story_packet(), shown(cx))
            && was.is_none_or(|was| was != (path.clone(), place))
        {
            let packet = packet.to_path_buf();
            let keep = move |files: &Files| story::keep(&files.state, &packet, &path, place).err().map(drop);
            cx.tell(Some("place"), keep, |(), _| {});
        }
    }

    fn copied(&self, view: View<'_>) -> Option<String> {
        let files = view.model.story_files()?;
        let at = view.model.story.list.as_ref().map_or(Some(files.at), FilteredList::selected)?;
        Some(files.list[at].0.clone())
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
        if view.model.story_width() > 0 {
            if let Some((beneath, below)) = view.below.split_last() {
                beneath.draw(View { below, ..view }, painter);
            }
            painter.cover();
            painter.fill(draw::parts(view.model).pane, Role::Text);
        }
        draw::draw(view.model, painter, true);
    }
}

fn act_in_file(action: Action, cx: &mut Cx<'_>) {
    let Some(files) = cx.model.story_files_mut() else { return };
    match action {
        Action::Back if files.is_searching() => files.search = None,
        Action::Back | Action::Story => cx.close(),
        Action::Next => turn(1, cx),
        Action::Previous => turn(-1, cx),
        Action::Expand => {
            cx.model.story.list = Some(FilteredList::new(files.list.len(), files.at));
        }
        Action::Filter => ListFilter::focus(&mut files.search),
        Action::Accept => {
            if files.is_searching() {
                files.search.take_if(|search| search.field.text().is_empty());
                files.search.iter_mut().for_each(|search| search.focused = false);
                files.hit = None;
            }
            search(cx.model);
        }
        Action::Edit(edit) => drop(ListFilter::edit(&mut files.search, edit)),
        action => scroll(&action, cx.model),
    }
}

fn act_in_list(action: &Action, cx: &mut Cx<'_>) {
    let Some(list) = &mut cx.model.story.list else { return };
    let changed = list.act(action);
    let leaves = matches!(action, Action::Back) && !changed;
    let chosen = list.selected().filter(|_| matches!(action, Action::Accept | Action::Point(_)));
    if changed {
        refilter(cx.model);
    }
    if chosen.is_some() || leaves || matches!(action, Action::Expand) {
        cx.model.story.list = None;
    }
    if let Some(at) = chosen {
        show(at, cx);
    }
}

fn refilter(model: &mut Model) {
    let Some(mut list) = model.story.list.take() else { return };
    let files = model.story_files().map_or(&[][..], |files| &files.list);
    list.refilter(files.len(), |place| vec![&files[place].0]);
    model.story.list = Some(list);
}

/// Shows the story of the open gate, or that of the selected one: its files are looked for first.
pub(crate) fn open(cx: &mut Cx<'_>) {
    cx.model.story.list = None;
    if cx.model.place != Place::Inbox {
        cx.cover(StoryScreen);
        return read(cx);
    }
    cx.model.inbox.moved = true;
    let Some(packet) = cx.model.inbox.selected_path() else { return };
    let named = packet.clone();
    cx.ask(
        move |files| Ok(find(files, &named)),
        move |files, cx| {
            listed(&packet, files, cx);
            // The list may have changed meanwhile.
            if cx.model.place != Place::Inbox || cx.is_covered() || cx.model.story_packet() != Some(&packet) {
                return;
            }
            if cx.model.story_files().is_some() {
                cx.cover(StoryScreen);
                read(cx);
            } else {
                cx.say(Tone::Plain, s::NO_STORY);
            }
        },
    );
}

/// Finds the story files of a packet again: it may name other files, and those it names may have come. The one to be shown is
/// read where it is seen.
pub(crate) fn list(packet: &Path, cx: &mut Cx<'_>) {
    let packet = packet.to_path_buf();
    let named = packet.clone();
    cx.tell(
        None,
        move |files| Some(find(files, &named)),
        move |files, cx| {
            listed(&packet, files, cx);
            let shown = cx.model.story_shown();
            if is_seen(cx) || shown.is_some_and(|(path, _)| cx.model.story.text(path).is_none()) {
                read(cx);
            }
        },
    );
}

/// What a packet names, whether that is not all, and the places that are kept.
type Found = (Vec<String>, bool, Vec<(String, StoryPlace)>);

fn find(files: &Files, packet: &Path) -> Found {
    let (paths, more) = story::files(&files.project, &files.root_path(packet));
    (paths, more, story::places(&files.state, packet))
}

fn listed(packet: &Path, (paths, more, kept): Found, cx: &mut Cx<'_>) {
    if more && !cx.model.story.files.contains_key(packet) {
        cx.say(Tone::Warn, s::TOO_MANY_STORY_FILES);
    }
    let step = cx.model.inbox.title_of(packet);
    let files = cx.model.story.files.entry(packet.to_path_buf());
    files.or_insert_with(|| StoryFiles::kept(kept)).take(paths, &step);
    refilter(cx.model);
}

fn is_seen(cx: &Cx<'_>) -> bool {
    let beside = !cx.is_covered() && cx.model.story_width() > 0;
    beside || cx.screens.iter().any(|screen| screen.is::<StoryScreen>())
}

/// Reads the file that is shown: others write it.
pub(crate) fn read(cx: &mut Cx<'_>) {
    let Some((path, _)) = cx.model.story_shown() else { return };
    let path = path.to_owned();
    let name = path.clone();
    cx.tell(
        Some("story"),
        move |files| Some(story::read(&files.project, &name)),
        move |text, cx| take(path, text, cx),
    );
}

pub fn take(path: String, found: Result<StoryText, Message>, cx: &mut Cx<'_>) {
    cx.unchanged = cx.model.story.text(&path) == Some(&found);
    if cx.model.story_shown().is_none_or(|(shown, _)| shown != path) {
        return;
    }
    if let (Some(Ok(before)), Ok(now)) = (cx.model.story.text(&path), &found)
        && before.version != now.version
        && is_seen(cx)
    {
        cx.say(Tone::Plain, Message::new(say("{0} has changed.", "{0} 有变化。"), &[&path]));
    }
    if !cx.unchanged
        && let Some(files) = cx.model.story_files_mut()
    {
        files.hit = None;
    }
    cx.model.story.read = Some((path, found));
    if let Some(Shown { place, .. }) = shown(cx.model) {
        set_place(cx.model, place);
    }
}

/// The file that is shown, and rows and columns of it.
struct Shown<'m> {
    text: &'m StoryText,
    place: StoryPlace,
    height: usize,
    width: usize,
}

fn shown(model: &Model) -> Option<Shown<'_>> {
    let (path, place) = model.story_shown()?;
    let text = model.story.text(path)?.as_ref().ok()?;
    let room = draw::parts(model).text;
    let (height, width) = (usize::from(room.height).max(1), usize::from(room.width).max(1));
    Some(Shown { text, place: place.min(text.last(height, width)), height, width })
}

fn set_place(model: &mut Model, place: StoryPlace) {
    let files = model.story_files_mut();
    if let Some(shown) = files.and_then(|files| files.list.get_mut(files.at)) {
        shown.1 = place;
    }
}

fn turn(by: isize, cx: &mut Cx<'_>) {
    let Some(files) = cx.model.story_files() else { return };
    let to = (files.at.cast_signed() + by).rem_euclid(files.list.len().cast_signed());
    show(to.unsigned_abs(), cx);
}

fn show(at: usize, cx: &mut Cx<'_>) {
    let Some(files) = cx.model.story_files_mut() else { return };
    (files.at, files.hit) = (at, None);
    let Some((path, _)) = files.shown() else { return };
    let (path, name) = (path.to_owned(), path.to_owned());
    // The next key is for the other file.
    let work = move |files: &Files| Ok(story::read(&files.project, &name));
    cx.ask(work, move |text, cx| take(path, text, cx));
}

fn scroll(action: &Action, model: &mut Model) {
    let Some(Shown { text, place, height, width }) = shown(model) else { return };
    let (page, last) = (height.cast_signed(), text.last(height, width));
    let to = match action {
        Action::Up => text.moved(place, -1, width),
        Action::Down => text.moved(place, 1, width),
        Action::PageUp => text.moved(place, -page, width),
        Action::PageDown => text.moved(place, page, width),
        Action::First => StoryPlace::default(),
        Action::Last => last,
        _ => return,
    };
    let to = to.min(last);
    model.story_files_mut().into_iter().for_each(|files| files.hit = None);
    set_place(model, to);
}

/// Goes to the words behind the last hit, else from the first row shown on: a few rows above them.
fn search(model: &mut Model) {
    let Some(Shown { text, place, height, width }) = shown(model) else { return };
    let Some(files) = model.story_files().filter(|files| !files.words().is_empty()) else { return };
    let words = files.words();
    let from = files.hit.as_ref().map_or(place.at, |hit| hit.place.end);
    let Some(hit) = text.find(words, from) else {
        let sentence = if text.is_cut { s::STORY_NOT_FOUND_IN_PART } else { s::STORY_NOT_FOUND };
        let message = Message::new(sentence, &[words]);
        return model.say(Tone::Plain, message);
    };
    let to = text.moved(text.place_of(hit.place.start, width), -(height / 3).cast_signed(), width);
    let to = to.min(text.last(height, width));
    if hit.place.start < from {
        model.say(Tone::Plain, s::STORY_FROM_THE_START);
    }
    if let Some(files) = model.story_files_mut() {
        files.hit = Some(hit);
    }
    set_place(model, to);
}
