//! The entries of a screen that are not options: show more, finish, skip, go back, stop, type, repeat, open a group.
//!
//! Their labels never equal a label of the question.

use crate::ask::Choice;
use crate::ask::draft::is_control_token;
use crate::text::{Sentence, say};
use std::collections::BTreeSet;

/// What an entry does instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Control {
    /// Shows other options, or asks for another selection.
    More,
    Done,
    Skip,
    Back,
    Stop,
    /// Asks for the text by message.
    Type,
    Repeat,
}

/// The labels of one question's controls: the name between underscores, as many as no option label needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlLabels(usize);

impl Control {
    /// What it is called where its label means nothing: before the author, in the console.
    pub fn title(self) -> Sentence {
        match self {
            Control::More => say("More options", "更多选项"),
            Control::Done => say("Finish this question", "结束这个问题"),
            Control::Skip => say("Leave it unanswered", "不作答"),
            Control::Back => say("One level up", "返回上一级"),
            Control::Stop => say("Stop here", "到此为止"),
            Control::Type => say("Type the answer", "输入回答"),
            Control::Repeat => say("Show it again", "再显示一次"),
        }
    }

    pub fn description(self) -> Sentence {
        match self {
            Control::More => say("Show other options.", "显示其他选项。"),
            Control::Done => say("Finish this question with what is selected.", "以已选的内容结束这个问题。"),
            Control::Skip => say("Leave this optional question unanswered.", "这个选答题不作答。"),
            Control::Back => say("Go one level up.", "返回上一级。"),
            Control::Stop => say("Stop here; nothing is written.", "到此为止；什么都不写入。"),
            Control::Type => say(
                "Type the answer (or choose the free-form entry now).",
                "输入回答（也可以现在就选自由输入项）。",
            ),
            Control::Repeat => say("Show this question again.", "再显示一次这个问题。"),
        }
    }
}

impl ControlLabels {
    /// The fewest underscores, at least two, with which no control label equals one of these labels, whatever spaces a
    /// tool trims.
    pub fn of(options: &[Choice]) -> ControlLabels {
        let taken: BTreeSet<usize> =
            options.iter().filter_map(|option| underscores(option.label.trimmed().as_str()?)).collect();
        // Among one more counts than are taken, one is certain to be free.
        let free = (2..=taken.len() + 2).find(|count| !taken.contains(count));
        ControlLabels(free.unwrap_or(2))
    }

    pub fn label(self, control: Control) -> String {
        self.wrap(control.into())
    }

    /// The label of a screen's group, counted from 1, where ranges cannot be its name.
    pub fn group(self, number: usize) -> String {
        self.wrap(&format!("group_{number}"))
    }

    fn wrap(self, name: &str) -> String {
        let marks = "_".repeat(self.0);
        format!("{marks}{name}{marks}")
    }
}

/// Whether a label is that of [`Control::Stop`], with whatever number of underscores.
pub(super) fn is_stop(label: &str) -> bool {
    underscores(label).is_some() && label.trim_matches('_') == <&str>::from(Control::Stop)
}

/// How many underscores stand on each side, if `label` is a control label with some number of them.
fn underscores(label: &str) -> Option<usize> {
    let name = label.trim_matches('_').len();
    let front = label.len() - label.trim_start_matches('_').len();
    (is_control_token(label) && label.len() == name + 2 * front).then_some(front)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray as _;

    fn marks(labels: &[&str]) -> ControlLabels {
        let choice = |&label: &&str| Choice {
            label: label.into(),
            description: "d".into(),
            cluster: None,
            sends_back: false,
            round: None,
        };
        ControlLabels::of(&labels.iter().map(choice).collect::<Vec<_>>())
    }

    #[test]
    fn labels_move_out_of_the_way() {
        for (labels, done) in [
            (&["a", "done", "_done_", "__done___"][..], "__done__"),
            (&["__more__"], "___done___"),
            (&[" __group_12__ ", "___skip___"], "____done____"),
            (&["___stop___", "__group_x__", "__group___"], "__done__"),
        ] {
            assert_eq!(marks(labels).label(Control::Done), done, "{labels:?}");
        }
    }

    #[test]
    fn every_label_is_a_control_token() {
        for marks in [marks(&["a"]), marks(&["__more__", "___more___"])] {
            for &control in Control::VARIANTS {
                assert!(is_control_token(&marks.label(control)), "{control:?}");
            }
            assert!(is_control_token(&marks.group(10)));
        }
    }
}
