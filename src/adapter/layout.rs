//! How one question is asked with one tool, decided before the first call.

use super::control::ControlLabels;
use super::profile::Profile;
use super::routing::{Group, GroupNames, Node, build_tree};
use crate::ask::{Kind, Question};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub strategy: Strategy,
    pub controls: ControlLabels,
    pub groups: GroupNames,
    /// The places of its options as they are shown: defaults first.
    pub order: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Strategy {
    /// All options on one screen.
    Direct,
    TwoStageRouting,
    NativeMulti,
    Loop,
    /// Typed into the tool, or sent by message.
    Text,
    Contract,
}

impl Layout {
    pub fn of(question: &Question, profile: &Profile) -> Layout {
        let defaults = question.is_default_by_place();
        let mut order: Vec<usize> = (0..question.options.len()).collect();
        order.sort_by_key(|&place| !defaults[place]);
        let mut layout = Layout {
            strategy: strategy(question, profile),
            controls: ControlLabels::of(&question.options),
            groups: GroupNames::of(&question.options, profile),
            order,
        };
        if layout.strategy != Strategy::Contract && !layout.fills(question, profile) {
            layout.strategy = Strategy::Contract;
        }
        layout
    }

    /// Whether every screen that can come up reaches the fewest options that the tool takes. Two are always reached: a
    /// lone entry has `stop` beside it.
    fn fills(&self, question: &Question, profile: &Profile) -> bool {
        if profile.min_options <= 2 {
            return true;
        }
        let (leave, arity) = (usize::from(!question.must_be_answered()), profile.max_options);
        let root =
            build_tree(&self.order, &question.options, &self.groups, arity - leave, profile.group_options());
        // Beside its options, the first level can show `stop` and `repeat`, and a group `back` too.
        let first = root.len() + leave + 2 >= profile.min_options;
        if question.kind == Kind::SingleChoice {
            return first && are_full(&root, profile.min_options - 3);
        }
        // A loop comes down to four entries: `more` or the last option, `done` or `back`, `stop` and `repeat`. Where own
        // words can still come when all options are selected, `more` is missing.
        first && profile.min_options <= if question.allow_other { 3 } else { 4 }
    }
}

/// Whether every group has so many entries.
fn are_full(level: &[Node], least: usize) -> bool {
    level.iter().all(|node| match node {
        Node::Option(_) => true,
        Node::Group(Group { children, .. }) => children.len() >= least && are_full(children, least),
    })
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
        Kind::SingleChoice => Strategy::TwoStageRouting,
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
