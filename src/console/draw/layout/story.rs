//! The story beside a question.

use crate::console::draw::layout::{RectExt, headed, main};
use crate::console::model::{Model, Place, Size};
use ratatui::layout::Rect;

/// A story file: beside the question, or over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoryLayout {
    /// The column between question and file; empty over the screen.
    pub rule: Rect,
    /// The file's name.
    pub header: Rect,
    pub text: Rect,
    /// What is searched for; empty without a search.
    pub search: Rect,
}

/// From this width on the story stands beside the question; it is no wider than can be read.
const BESIDE: u16 = 120;
const MOST: u16 = 90;

/// The terminal as far as a question has it: without the story beside it.
pub fn form_size(model: &Model) -> Size {
    Size { width: model.size.width - story_width(model), ..model.size }
}

/// Whether the story stands beside the question.
pub fn has_story_beside(model: &Model) -> bool {
    story_width(model) > 0
}

fn story_width(model: &Model) -> u16 {
    let beside = model.story_files().is_some() && model.size.width >= BESIDE;
    if beside { (model.size.width / 20 * 9).min(MOST) } else { 0 }
}

/// Parts of the story.
pub fn story(model: &Model) -> StoryLayout {
    let main = main(model.size);
    let width = if model.place == Place::Form { story_width(model) } else { 0 };
    let pane = main.inset(if width > 0 { model.size.width - width } else { 0 }, 0);
    let inside = pane.inset(if width > 0 { 2 } else { 1 }, 1);
    let head = headed(model.size).0.height;
    let search = u16::from(model.story.search.is_some()).min(inside.height - head);
    let foot = inside.height - search;
    StoryLayout {
        rule: Rect { width: u16::from(width > 0), ..pane },
        header: inside.row(0),
        text: inside.slice(head, foot - head),
        search: inside.slice(foot, search),
    }
}
