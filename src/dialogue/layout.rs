//! How one question is asked with one tool, decided before the first call.
//!
//! Responsible for the strategy, the order of the options and the names of its controls and groups. Not responsible for
//! single screens (`screen`).

use super::control::Marks;
use super::profile::{Overflow, Profile};
use super::progress::{Progress, Stage};
use super::screen::{Act, screen};
use super::tree::Naming;
use crate::ask::{Kind, Question};

/// How one question is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How it is asked.
    pub strategy: Strategy,
    /// The labels of its controls.
    pub marks: Marks,
    /// How its groups are called.
    pub naming: Naming,
    /// The places of its options as they are shown: defaults first.
    pub order: Vec<usize>,
}

/// How a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// All options on one screen.
    Direct,
    /// Page by page.
    Paged,
    /// Group by group.
    TwoStageRouting,
    /// The tool's own multiple choice.
    NativeMulti,
    /// One selection after another.
    Loop,
    /// Typed into the tool, or sent by message.
    Text,
    /// A strict JSON reply.
    Contract,
}

impl Strategy {
    /// As `compile` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Direct => "direct",
            Strategy::Paged => "paged",
            Strategy::TwoStageRouting => "two_stage_routing",
            Strategy::NativeMulti => "native_multi",
            Strategy::Loop => "loop",
            Strategy::Text => "text",
            Strategy::Contract => "contract",
        }
    }
}

impl Layout {
    /// Decides how a question is asked.
    pub fn of(question: &Question, profile: &Profile) -> Layout {
        let mut order: Vec<usize> = (0..question.options.len()).collect();
        order.sort_by_key(|place| !question.default.contains(place));
        let mut layout = Layout {
            strategy: strategy(question, profile),
            marks: Marks::of(&question.options),
            naming: Naming::of(&question.options, profile),
            order,
        };
        if layout.strategy != Strategy::Contract && !layout.fills(question, profile) {
            layout.strategy = Strategy::Contract;
        }
        layout
    }

    /// Whether every screen that can come up reaches the fewest options that the tool takes.
    fn fills(&self, question: &Question, profile: &Profile) -> bool {
        let full = |progress: &Progress| {
            screen(question, self, profile, progress).entries.len() >= profile.min_options
        };
        if question.kind == Kind::MultiChoice && profile.overflow == Overflow::Tree {
            // Groups hold at least two options and can show the way back, so these four are the shortest screens.
            let all = |count: usize| {
                let mut progress = Progress::fresh();
                self.order.iter().take(count).for_each(|&place| progress.reply.toggle(place));
                progress
            };
            let options = question.options.len();
            let again = Progress { stage: Stage::Again, ..all(1) };
            let none_left = Progress { stage: Stage::Again, ..all(options) };
            let mut states = vec![Progress::fresh()];
            if options > 1 {
                states.extend([again, all(options - 1)]);
            }
            if question.allow_other {
                states.push(none_left);
            }
            return profile.max_options <= 5 && states.iter().all(full);
        }
        self.walk(question, profile, &mut Progress::fresh(), &full)
    }

    /// Whether a screen and all groups behind it are full.
    fn walk(
        &self,
        question: &Question,
        profile: &Profile,
        progress: &mut Progress,
        full: &impl Fn(&Progress) -> bool,
    ) -> bool {
        if !full(progress) {
            return false;
        }
        let entries = screen(question, self, profile, progress).entries;
        entries.iter().all(|entry| {
            let Act::Open(group) = entry.act else { return true };
            progress.path.push(group);
            let filled = self.walk(question, profile, progress, full);
            progress.path.pop();
            filled
        })
    }
}

fn strategy(question: &Question, profile: &Profile) -> Strategy {
    let options = question.options.len();
    let shown = options + usize::from(!question.must_be_answered());
    let undecidable = || question.options.iter().any(|option| profile.is_undecidable(&option.label));
    match question.kind {
        _ if profile.tool.is_none() => Strategy::Contract,
        Kind::FreeText if profile.free_text => Strategy::Text,
        Kind::FreeText => Strategy::Contract,
        _ if undecidable() => Strategy::Contract,
        Kind::SingleChoice if shown <= profile.max_options => Strategy::Direct,
        Kind::SingleChoice => match profile.overflow {
            Overflow::Pages => Strategy::Paged,
            Overflow::Tree => Strategy::TwoStageRouting,
        },
        Kind::MultiChoice if is_native(question, profile, shown) => Strategy::NativeMulti,
        Kind::MultiChoice => Strategy::Loop,
    }
}

/// Whether the tool's own multiple choice loses nothing: its reply joins the labels with commas, so no label may hold
/// one, and own words could not be told apart.
fn is_native(question: &Question, profile: &Profile, shown: usize) -> bool {
    let plain = |label: &crate::ask::JsString| !label.lossy().contains(',') && label.trimmed() == *label;
    profile.native_multi
        && question.options.len() >= 2
        && shown <= profile.max_options
        && !question.allow_other
        && question.options.iter().all(|option| plain(&option.label))
}
