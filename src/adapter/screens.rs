//! One question as it stands on a screen now: its text and its entries, each with what it does.

use super::control::Control;
use super::layout::{Layout, Strategy};
use super::profile::{Overflow, Profile};
use super::progress::{Progress, Stage};
use super::routing::{Group, Node, build_tree};
use crate::ask::{JsString, Kind, Question};
use crate::text::{Lang, Sentence, say};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionScreen {
    /// The question's own text, then what is selected, which page or level this is, and why it is asked again.
    pub text: JsString,
    pub entries: Vec<ScreenEntry>,
    pub multi: bool,
    /// The page that `more` leads to; the last leads to the first.
    pub next_page: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenEntry {
    /// An option's own label, or a control's, or a group's.
    pub label: JsString,
    pub act: Act,
    about: About,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Selects the option at this place.
    Pick(usize),
    /// Opens the group at this place of the level.
    Open(usize),
    Control(Control),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    Option(usize),
    Group(Group),
    Sentence(Sentence),
}

/// Behind the description of a default.
pub(super) const RECOMMENDED: Sentence = say(" (Recommended)", "（推荐）");
/// Behind the description of a label that is no answer.
pub(super) const SENDS_BACK: Sentence = say(" (sends it back)", "（退回）");

impl ScreenEntry {
    /// What the author reads beside the label.
    pub fn description(&self, question: &Question, lang: Lang) -> JsString {
        match &self.about {
            About::Sentence(sentence) => sentence.text(lang).into(),
            About::Option(place) => {
                let mut out = question.options[*place].description.clone();
                if question.default.contains(place) {
                    out.push_str(RECOMMENDED.text(lang));
                }
                if question.options[*place].sends_back {
                    out.push_str(SENDS_BACK.text(lang));
                }
                out
            }
            About::Group(group) => about_group(group, question, lang),
        }
    }
}

/// `1-4: ` and every label of the group.
fn about_group(group: &Group, question: &Question, lang: Lang) -> JsString {
    let label = |&place: &usize| &question.options[place].label;
    let mut out = JsString::from(format!("{}-{}: ", group.from, group.to));
    out.append(&JsString::joined(group.members.iter().map(label), " | "));
    let defaults = question.is_default_by_place();
    let defaults = JsString::joined(group.members.iter().filter(|&&place| defaults[place]).map(label), " | ");
    if !defaults.is_empty() {
        // The labels go in by themselves: they may hold what a sentence cannot.
        let around = say(" (Recommended: {0})", "（推荐：{0}）").text(lang);
        let (before, after) = around.split_once("{0}").unwrap_or((around, ""));
        out.push_str(before);
        out.append(&defaults);
        out.push_str(after);
    }
    out
}

/// What stands behind the text of a multi choice of which something is selected.
pub(super) fn selected(question: &Question, progress: &Progress) -> JsString {
    let mut text = JsString::default();
    if question.kind == Kind::MultiChoice && !progress.reply.picks.is_empty() {
        text.push_str(" [selected: ");
        let picks = progress.reply.picks.iter().filter_map(|pick| pick.value(question));
        text.append(&JsString::joined(picks, " | "));
        text.push_str("]");
    }
    text
}

pub fn screen(
    question: &Question,
    layout: &Layout,
    profile: &Profile,
    progress: &Progress,
) -> QuestionScreen {
    let mut sketch = Sketch { question, layout, profile, progress, entries: Vec::new(), pages: 1 };
    match layout.strategy {
        Strategy::Text => {
            sketch.control(Control::Type);
            sketch.control(sketch.leave().unwrap_or(Control::Stop));
        }
        Strategy::NativeMulti => {
            sketch.options(&layout.order);
            sketch.controls(sketch.leave());
        }
        _ if sketch.is_exhausted() => sketch.control(Control::Done),
        Strategy::Loop if profile.overflow == Overflow::Pages => sketch.page(),
        _ if progress.stage == Stage::Again => {
            sketch.say(Control::More, say("Add another selection.", "再选一项。"));
            sketch.control(Control::Done);
        }
        Strategy::Direct | Strategy::TwoStageRouting | Strategy::Loop | Strategy::Contract => sketch.level(),
    }
    sketch.fill();
    let next_page = (sketch.at_page() + 1) % sketch.pages;
    let multi = layout.strategy == Strategy::NativeMulti;
    QuestionScreen { text: sketch.text(), entries: sketch.entries, multi, next_page }
}

/// The first level of the tree over all options of a question.
pub fn first_level(question: &Question, layout: &Layout, profile: &Profile) -> Vec<Node> {
    let root = profile.max_options - usize::from(!question.must_be_answered());
    build_tree(&layout.order, &question.options, &layout.groups, root, profile.group_options())
}

/// The screen of one level of that tree, `path` leading to its `nodes`: the same as [`screen`] gives before anything is
/// selected, for those who go through all levels.
pub fn level_screen(
    question: &Question,
    layout: &Layout,
    profile: &Profile,
    path: &[usize],
    nodes: &[Node],
) -> QuestionScreen {
    let progress = Progress { path: path.to_vec(), ..Progress::fresh() };
    let mut sketch = Sketch { question, layout, profile, progress: &progress, entries: Vec::new(), pages: 1 };
    sketch.nodes(nodes);
    sketch.fill();
    QuestionScreen { text: sketch.text(), entries: sketch.entries, multi: false, next_page: 0 }
}

struct Sketch<'s> {
    question: &'s Question,
    layout: &'s Layout,
    profile: &'s Profile,
    progress: &'s Progress,
    entries: Vec<ScreenEntry>,
    pages: usize,
}

impl Sketch<'_> {
    /// Options not selected yet, as they are shown.
    fn remaining(&self) -> Vec<usize> {
        let picked = self.progress.reply.ticked(self.question);
        self.layout.order.iter().copied().filter(|&place| !picked[place]).collect()
    }

    fn has_picks(&self) -> bool {
        self.question.kind == Kind::MultiChoice && !self.progress.reply.picks.is_empty()
    }

    /// Whether all options of a multi choice are selected, and only own words can still come.
    fn is_exhausted(&self) -> bool {
        self.has_picks() && self.remaining().is_empty()
    }

    /// The entry that leaves an optional question unanswered.
    fn leave(&self) -> Option<Control> {
        (!self.question.must_be_answered()).then_some(Control::Skip)
    }

    fn option(&mut self, place: usize) {
        let label = self.question.options[place].label.clone();
        self.entries.push(ScreenEntry { label, act: Act::Pick(place), about: About::Option(place) });
    }

    fn options(&mut self, places: &[usize]) {
        for &place in places {
            self.option(place);
        }
    }

    fn controls(&mut self, controls: impl IntoIterator<Item = Control>) {
        for control in controls {
            self.control(control);
        }
    }

    fn control(&mut self, control: Control) {
        self.say(control, control.description());
    }

    fn say(&mut self, control: Control, sentence: Sentence) {
        let label = self.layout.controls.label(control).into();
        self.entries.push(ScreenEntry {
            label,
            act: Act::Control(control),
            about: About::Sentence(sentence),
        });
    }

    /// One page of the options, with an entry for the others.
    fn page(&mut self) {
        let remaining = self.remaining();
        let end = if self.has_picks() { Some(Control::Done) } else { self.leave() };
        let room = self.profile.max_options - usize::from(end.is_some());
        if remaining.len() <= room {
            self.options(&remaining);
        } else {
            let pages: Vec<&[usize]> = remaining.chunks(room - 1).collect();
            self.pages = pages.len();
            self.options(pages[self.at_page()]);
            self.control(Control::More);
        }
        self.controls(end);
    }

    fn at_page(&self) -> usize {
        self.progress.page.min(self.pages - 1)
    }

    fn level(&mut self) {
        let leave = self.leave().filter(|_| !self.has_picks());
        let root = self.profile.max_options - usize::from(leave.is_some());
        let arity = self.profile.group_options();
        let mut nodes =
            build_tree(&self.remaining(), &self.question.options, &self.layout.groups, root, arity);
        for &step in &self.progress.path {
            if let Some(Node::Group(group)) = nodes.get_mut(step) {
                nodes = std::mem::take(&mut group.children);
            }
        }
        self.nodes(&nodes);
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for (step, node) in nodes.iter().enumerate() {
            match node {
                Node::Option(place) => self.option(*place),
                Node::Group(group) => {
                    let (label, members) = (group.label.clone(), group.members.clone());
                    let group = Group { label: label.clone(), members, children: Vec::new(), ..*group };
                    self.entries.push(ScreenEntry {
                        label,
                        act: Act::Open(step),
                        about: About::Group(group),
                    });
                }
            }
        }
        if self.progress.path.is_empty() {
            self.controls(self.leave().filter(|_| !self.has_picks()));
        } else if !self.profile.has_way_back() {
            self.control(Control::Back);
        }
    }

    /// Brings a short screen to the fewest entries that the tool takes, as far as that goes.
    fn fill(&mut self) {
        let back = self.can_go_back().then_some(Control::Back);
        for control in back.into_iter().chain([Control::Stop, Control::Repeat]) {
            if self.entries.len() < self.profile.min_options {
                self.control(control);
            }
        }
    }

    /// Whether there is somewhere to go: out of a group, or from a later selection back to the add-another step.
    fn can_go_back(&self) -> bool {
        let later = self.profile.overflow == Overflow::Tree && self.has_picks() && !self.is_exhausted();
        self.progress.stage == Stage::Pick && (!self.progress.path.is_empty() || later)
    }

    fn text(&self) -> JsString {
        let mut text = self.question.question.clone();
        text.append(&selected(self.question, self.progress));
        if self.pages > 1 {
            text.push_str(&format!(" [{}/{}]", self.at_page() + 1, self.pages));
        }
        if !self.progress.path.is_empty() {
            text.push_str(&format!(" [level {}]", self.progress.path.len() + 1));
        }
        text.push_str(&self.progress.mark());
        text
    }
}
