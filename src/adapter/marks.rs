//! What the dialogues themselves put on a screen or behind a label. It comes back as if the author had typed it, from a
//! screen that is gone or with a remark of the model's, and is never an answer.

use super::control::Control;
use super::layout::{Layout, Strategy};
use super::profile::{Overflow, Profile};
use super::progress::Reject;
use super::routing::is_range;
use super::screens::RECOMMENDED;
use crate::ask::draft::is_control_token;
use crate::ask::{JsString, Question};
use crate::text::{Lang, say};
use strum::VariantArray as _;

/// The marks of a recommendation: ours, and the Chinese one as models write it with brackets of half the width.
const MARKS: [&str; 3] = [RECOMMENDED.en, RECOMMENDED.zh, "(推荐)"];

/// The label without the mark of a recommendation, which stands in descriptions and which models append to labels.
pub(super) fn unmarked(label: &JsString) -> Option<JsString> {
    let label = label.trimmed();
    let text = label.as_str()?;
    MARKS.into_iter().find_map(|mark| text.strip_suffix(mark)).map(|label| label.trim_end().into())
}

/// Whether words are the label of a control.
pub(super) fn is_control_label(words: &JsString) -> bool {
    bare(words).as_str().is_some_and(is_control_token)
}

/// Whether words are the label of a control, or of a group that is named by its range.
pub(super) fn is_general(words: &JsString) -> bool {
    is_control_label(words) || is_range(&bare(words))
}

/// What the entry of a dialogue that is no option does, for the author; `None` for any other label.
pub(super) fn title(label: &JsString, lang: Lang) -> Option<String> {
    let label = bare(label);
    let name = label.as_str()?;
    if let Some(range) = name.strip_prefix("Options ").filter(|_| is_range(&label)) {
        return Some(say("Options {0}", "选项 {0}").fill(lang, &[range]));
    }
    let name = is_control_token(name).then(|| name.trim_matches('_'))?;
    let control = Control::VARIANTS.iter().find(|&&control| <&str>::from(control) == name);
    let group = || say("Group {0}", "第 {0} 组").fill(lang, &[name.trim_start_matches("group_")]);
    Some(control.map_or_else(group, |control| control.title().text(lang).to_owned()))
}

/// Whether words are, or name in a list, an entry of a dialogue about the question that is no option, on whatever screen it
/// stands. The name of a cluster that no screen shows is the author's own.
pub(super) fn is_mark(question: &Question, profile: &Profile, words: &JsString) -> bool {
    let whole = bare(words);
    let mut clusters = question.options.iter().filter_map(|option| option.cluster.as_ref());
    words.split_trimmed(',').iter().any(is_general)
        || clusters.any(|name| name.trimmed() == whole) && shows_clusters(question, profile)
}

fn shows_clusters(question: &Question, profile: &Profile) -> bool {
    let layout = Layout::of(question, profile);
    let in_groups = match layout.strategy {
        Strategy::TwoStageRouting => true,
        Strategy::Loop => profile.overflow == Overflow::Tree,
        Strategy::Direct | Strategy::NativeMulti | Strategy::Text | Strategy::Contract => false,
    };
    in_groups && layout.groups.has_clusters()
}

/// Trimmed, and without a recommendation, be it of an option or of those inside a group.
fn bare(words: &JsString) -> JsString {
    let words = words.trimmed();
    let text = words.lossy();
    let before = |mark: &str| text.find(mark.trim_end_matches([')', '）']));
    let end = MARKS.into_iter().filter_map(before).min().unwrap_or(text.len());
    text[..end].trim_end().into()
}

/// Places of the options that words name one after the other, as a dialog joins what was ticked: with commas, which labels
/// may hold themselves. None if they name anything else; an error if they can be read in two ways.
pub(super) fn listed(question: &Question, words: &JsString) -> Option<Result<Vec<usize>, Reject>> {
    let parts = words.split_trimmed(',');
    let labels: Vec<Vec<JsString>> =
        question.options.iter().map(|option| option.label.split_trimmed(',')).collect();
    if parts.len() < 2 || parts.len() > labels.iter().map(Vec::len).sum() {
        return None;
    }
    let is = |part: &JsString, label: &JsString| part == label || unmarked(part).as_ref() == Some(label);
    // Of each beginning, the last option of the readings that end there, and whether there is more than one reading.
    let mut readings: Vec<Option<(usize, bool)>> = vec![None; parts.len() + 1];
    readings[0] = Some((0, false));
    for from in 0..parts.len() {
        let Some((_, before)) = readings[from] else { continue };
        for (place, label) in labels.iter().enumerate() {
            let to = from + label.len();
            let fits = parts.get(from..to).is_some_and(|run| run.iter().zip(label).all(|(a, b)| is(a, b)));
            if fits {
                readings[to] = Some((place, before || readings[to].is_some()));
            }
        }
    }
    if readings[parts.len()]?.1 {
        return Some(Err(Reject::TooMany));
    }
    let (mut places, mut end) = (Vec::new(), parts.len());
    while let Some((place, _)) = readings[end].filter(|_| end > 0) {
        places.push(place);
        end -= labels[place].len();
    }
    places.reverse();
    Some(Ok(places))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::profile::Executor;
    use crate::ask::decode_spec;
    use serde_json::json;

    fn question(kind: &str, labels: &[&str], cluster: Option<&str>) -> Question {
        let option = |label: &&str| match cluster {
            Some(cluster) => json!({"label": label, "description": "d", "_cluster": cluster}),
            None => json!({"label": label, "description": "d"}),
        };
        let mut options: Vec<_> = labels.iter().map(option).collect();
        if cluster.is_some() {
            options.push(json!({"label": "alone", "description": "d"}));
        }
        let spec = json!({"version": 1, "topic": "t", "questions": [{"id": "a", "header": "h", "question": "q",
            "kind": kind, "required": true, "allow_other": true, "options": options}]});
        decode_spec(spec.to_string().as_bytes()).expect("a spec").questions.remove(0)
    }

    #[test]
    fn what_a_dialogue_added_is_known_on_any_screen() {
        let long = question("single_choice", &["a", "b", "c", "d"], Some("热血"));
        let short = question("single_choice", &["a"], Some("热血"));
        let (codex, claude) = (Executor::Codex.profile(), Executor::ClaudeCode.profile());
        for words in [
            "__done__",
            " __back__ ",
            "__skip__ (Recommended)",
            "__skip__ (推荐)",
            "Options 1-3 (推荐：a)",
            "___group_2___",
            "Options 1-3",
            " Options 10-12\n",
            "Options 1-3 (Recommended)",
            "Options 1-3（推荐：a）",
            "Options 1-3 (Recommended: a)",
            "a, __done__",
            "b, Options 3-4",
        ] {
            for (question, profile) in [(&long, &codex), (&short, &codex), (&long, &claude)] {
                assert!(is_mark(question, profile, &words.into()), "{words}");
            }
        }
        for words in ["热血", "热血 (Recommended)", " 热血（推荐）", "热血 (推荐)"] {
            assert!(is_mark(&long, &codex, &words.into()), "{words}");
            assert!(!is_mark(&short, &codex, &words.into()), "all options are on one screen: {words}");
        }
        for words in
            ["Options", "Options 1-", "see Options 1-3", "done", "热血, 但不要太长", "(Recommended)", "a"]
        {
            assert!(!is_mark(&long, &codex, &words.into()), "{words}");
        }
    }

    #[test]
    fn a_label_is_known_whichever_brackets_its_mark_has() {
        for words in ["qidian (Recommended)", "qidian（推荐）", "qidian (推荐)", "qidian(推荐) "] {
            assert_eq!(unmarked(&words.into()), Some("qidian".into()), "{words}");
        }
        for words in ["qidian", "qidian（推荐", "（推荐）qidian"] {
            assert_eq!(unmarked(&words.into()), None, "{words}");
        }
    }

    #[test]
    fn each_entry_that_is_no_option_has_a_title() {
        for (label, english, chinese) in [
            ("__type__", "Type the answer", "输入回答"),
            (" ____skip____（推荐）", "Leave it unanswered", "不作答"),
            ("___group_12___", "Group 12", "第 12 组"),
            ("Options 4-6", "Options 4-6", "选项 4-6"),
        ] {
            let title = |lang| title(&label.into(), lang);
            assert_eq!(
                (title(Lang::En).as_deref(), title(Lang::ZhCn).as_deref()),
                (Some(english), Some(chinese))
            );
        }
        for &control in Control::VARIANTS {
            assert!(title(&format!("__{}__", <&str>::from(control)).as_str().into(), Lang::En).is_some());
        }
        for label in ["done", "__down__", "Options", "热血", ""] {
            assert_eq!(title(&label.into(), Lang::ZhCn), None, "{label}");
        }
    }

    #[test]
    fn several_labels_with_commas_between_them_are_told_apart_where_they_can_be() {
        let labels = ["x", "y", "a, b", "a", "雨，停", "b, c"];
        let question = question("multi_choice", &labels, None);
        let read = |words: &str| listed(&question, &words.into());
        for (words, places) in [
            ("x, y", vec![0, 1]),
            ("y,x", vec![1, 0]),
            ("x, a, b", vec![0, 2]),
            ("a, x", vec![3, 0]),
            ("x (Recommended), y（推荐）", vec![0, 1]),
            ("x (推荐), y(推荐)", vec![0, 1]),
            ("雨，停, x", vec![4, 0]),
            ("x, x", vec![0, 0]),
        ] {
            assert_eq!(read(words), Some(Ok(places)), "{words}");
        }
        for words in ["x", "x, mine", "x, ", "x，y", "b, x", "a letter, unsigned", &"x, ".repeat(90)] {
            assert_eq!(read(words), None, "{words}");
        }
        let twice = self::question("multi_choice", &["a", "b", "c", "a, b", "b, c"], None);
        assert_eq!(listed(&twice, &"a, b, c".into()), Some(Err(Reject::TooMany)));
    }
}
