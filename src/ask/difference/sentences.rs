//! The sentence for each change. The question itself is not in it: what shows changes groups them by question.

use super::{Change, What};
use crate::ask::js_string::{JsString, js_number};
use crate::ask::question::Kind;
use crate::text::{Lang, Sentence, say};

impl Change {
    /// What has changed, in words; hostile text until it is cleaned.
    pub fn sentence(&self, lang: Lang) -> String {
        let fill = |says: Sentence, parts: &[&str]| says.fill(lang, parts);
        match &self.what {
            What::Version(before, after) => fill(
                say("The version is {1} now; it was {0}.", "版本现为 {1}，原为 {0}。"),
                &[&js_number(*before), &js_number(*after)],
            ),
            What::Topic(before, after) => fill(
                say("The topic is “{1}” now; it was “{0}”.", "主题现为“{1}”，原为“{0}”。"),
                &[&before.display(), &after.display()],
            ),
            What::QuestionsReordered => {
                fill(say("The questions stand in another order.", "问题的顺序变了。"), &[])
            }
            What::QuestionAdded => fill(say("New question.", "新增的问题。"), &[]),
            What::QuestionRemoved => {
                fill(say("This question is no longer asked.", "这个问题不再提出。"), &[])
            }
            What::Header(before, after) => fill(
                say("It is called “{1}” now; it was “{0}”.", "题名现为“{1}”，原为“{0}”。"),
                &[&before.display(), &after.display()],
            ),
            What::Wording(before, _) => fill(
                say("It is worded differently; it was: “{0}”", "问法变了，原为：“{0}”"),
                &[&before.display()],
            ),
            What::Kind(before, after) => fill(
                say("It asks for {1} now; it asked for {0}.", "题型现为{1}，原为{0}。"),
                &[kind(*before).text(lang), kind(*after).text(lang)],
            ),
            What::Required(true) => fill(say("It must be answered now.", "现在必须回答。"), &[]),
            What::Required(false) => fill(say("It may be left blank now.", "现在可以留空。"), &[]),
            What::AllowOther(true) => fill(say("Own words are taken now.", "现在可以自己填写。"), &[]),
            What::AllowOther(false) => fill(say("Own words are no longer taken.", "不能再自己填写。"), &[]),
            What::Default(before, after) => fill(
                say("The default is {1} now; it was {0}.", "默认项现为{1}，原为{0}。"),
                &[&labels(before, lang), &labels(after, lang)],
            ),
            What::OptionAdded(label) => {
                fill(say("New option “{0}”.", "新增选项“{0}”。"), &[&label.display()])
            }
            What::OptionRemoved(label) => {
                fill(say("The option “{0}” is gone.", "选项“{0}”已取消。"), &[&label.display()])
            }
            What::OptionRenamed(before, after) => fill(
                say("The option “{0}” is called “{1}” now.", "选项“{0}”改称“{1}”。"),
                &[&before.display(), &after.display()],
            ),
            What::OptionReworded(label, before, _) => fill(
                say(
                    "The option “{0}” is explained differently; it was: “{1}”",
                    "选项“{0}”的说明变了，原为：“{1}”",
                ),
                &[&label.display(), &before.display()],
            ),
            What::OptionsReordered => {
                fill(say("The options stand in another order.", "选项的顺序变了。"), &[])
            }
        }
    }
}

fn kind(kind: Kind) -> Sentence {
    match kind {
        Kind::SingleChoice => say("one choice", "单选"),
        Kind::MultiChoice => say("several choices", "多选"),
        Kind::FreeText => say("free text", "自由填写"),
    }
}

fn labels(labels: &[JsString], lang: Lang) -> String {
    if labels.is_empty() {
        return say("none", "无").text(lang).to_owned();
    }
    let quoted: Vec<String> = labels.iter().map(|label| format!("“{}”", label.display())).collect();
    quoted.join(say(", ", "、").text(lang))
}
