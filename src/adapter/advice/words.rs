//! What each warning says.
//!
//! Responsible for the sentences. Not responsible for when they are said (`advice`).

use super::Words;
use crate::ask::JsString;
use crate::ask::problem::quote;
use crate::text::sanitize::mark;
use crate::text::{Message, Sentence, say};

pub(super) const ODD_SPACE: Sentence = say("a path without white space around it", "首尾没有空白的路径");
pub(super) const ODD_BACKSLASH: Sentence = say("a path with / between the names", "以 / 分隔的路径");
pub(super) const ODD_ENDING: Sentence = say("a path that ends with .json", "以 .json 结尾的路径");

fn plain(found: Message, better: Sentence) -> Words {
    Words { found, better, hint: None }
}

fn hinted(found: Message, better: Sentence, hint: Sentence) -> Words {
    Words { found, better, hint: Some(hint) }
}

fn quoted(text: &JsString) -> Message {
    Message::verbatim(quote(text))
}

pub(super) fn no_step() -> Words {
    plain(
        say("a gate, and no step", "有门控，没有 step").into(),
        say("step, such as chapter:048:draft", "step，例如 chapter:048:draft"),
    )
}

pub(super) fn constructor(id: &str) -> Words {
    let found = say(
        "an optional question with the id {0}, which novel-writer-cli 0.5.0 wants answered",
        "id 为 {0} 的选答题，而 novel-writer-cli 0.5.0 要求回答它",
    );
    plain(Message::new(found, &[id]), say("another id, or required true", "换一个 id，或写 required: true"))
}

pub(super) fn repeated_question(id: &str) -> Words {
    let found = Message::new(say("exactly the words of the question {0}", "与问题 {0} 相同的文字"), &[id]);
    hinted(
        found,
        say("words of its own for each question", "每个问题有自己的文字"),
        say("The author cannot tell what differs.", "作者看不出区别。"),
    )
}

pub(super) fn long_header(header: &JsString, cut: &str) -> Words {
    let found = say("{0}, which dialogs cut to {1}", "{0}，对话框会截成 {1}");
    plain(
        Message::new(found, &[&quote(header), &quote(&cut.into())]),
        say("at most 12 columns", "不超过 12 列"),
    )
}

pub(super) fn repeated_description(label: &JsString) -> Words {
    let found = Message::new(say("the description of {0} again", "与 {0} 相同的说明"), &[&quote(label)]);
    plain(found, say("what this option means", "这个选项自己的含义"))
}

pub(super) fn one_option(label: &JsString) -> Words {
    let found = Message::new(say("only {0}", "只有 {0}"), &[&quote(label)]);
    plain(found, say("two options or more, or allow_other", "两个以上的选项，或 allow_other"))
}

pub(super) fn long_label(label: &JsString, columns: usize) -> Words {
    let found = say("a label of {0} columns, {1}", "{0} 列的标签 {1}");
    hinted(
        Message::new(found, &[&columns.to_string(), &quote(label)]),
        say("at most 60 columns", "不超过 60 列"),
        say("What it means belongs in the description.", "含义应写在 description 里。"),
    )
}

pub(super) fn recommended(label: &JsString) -> Words {
    hinted(
        quoted(label),
        say("the bare label, and default", "不带标记的标签，再写 default"),
        say("The mark would be written into the record.", "这个标记会写进记录。"),
    )
}

pub(super) fn other(label: &JsString) -> Words {
    hinted(
        quoted(label),
        say("no such option, since allow_other is true", "不写这样的选项，因为 allow_other 为 true"),
        say("Every dialog offers own words by itself.", "每种对话框都会自行提供自己写的入口。"),
    )
}

pub(super) fn optional_default() -> Words {
    hinted(
        say("a default of an optional question", "选答题有默认项").into(),
        say("required true, or no default", "required: true，或不写 default"),
        say("A default that is left untouched is an answer.", "默认项不去动它，就是回答。"),
    )
}

pub(super) fn out_of_sight(label: &JsString, number: usize, count: usize) -> Words {
    let found = say("{0}, option {1} of {2}", "{0}，{2} 项中的第 {1} 项");
    hinted(
        Message::new(found, &[&quote(label), &number.to_string(), &count.to_string()]),
        say("a default among the first nine options", "默认项在前九项之中"),
        say("Lists are shown in pages of nine.", "列表每页九项。"),
    )
}

pub(super) fn invisible(text: &JsString) -> Words {
    let found =
        Message::new(say("{0}, of which nothing can be seen", "{0}，其中什么都看不见"), &[&quote(text)]);
    plain(found, say("words that can be seen", "看得见的文字"))
}

pub(super) fn hidden(text: &JsString, hidden: Option<char>) -> Words {
    let found = match hidden {
        Some(c) => Message::new(say("{0} in {1}", "{1} 中有 {0}"), &[&mark(u32::from(c)), &quote(text)]),
        None => Message::new(
            say("{0}, with marks that are not drawn", "{0}，其中有不会画出的附加符号"),
            &[&quote(text)],
        ),
    };
    plain(found, say("characters that can be seen", "看得见的字符"))
}

pub(super) fn lone_surrogate(text: &JsString) -> Words {
    let found = Message::new(say("a lone surrogate in {0}", "{0} 中有孤立的代理项"), &[&quote(text)]);
    plain(found, say("whole characters", "完整的字符"))
}

pub(super) fn outer_space(text: &JsString) -> Words {
    hinted(
        quoted(text),
        say("no white space around it", "首尾没有空白"),
        say("The record must repeat it exactly.", "记录必须原样重复它。"),
    )
}

pub(super) fn alike(label: &JsString, first: &JsString) -> Words {
    let found = say("{0}, which looks like {1}", "{0}，看起来像 {1}");
    plain(
        Message::new(found, &[&quote(label), &quote(first)]),
        say("labels that nobody confuses", "不会混淆的标签"),
    )
}

pub(super) fn near_label(value: &JsString, label: &JsString) -> Words {
    let found = say("own words {0}, which look like the label {1}", "自己写的 {0}，看起来像标签 {1}");
    plain(
        Message::new(found, &[&quote(value), &quote(label)]),
        say("the label itself, or other words", "标签本身，或别的文字"),
    )
}

pub(super) fn odd_path(path: &JsString, better: Sentence) -> Words {
    plain(quoted(path), better)
}
