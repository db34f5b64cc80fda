//! Every sentence about a cause: what happened and what the way out is.

use super::{Cause, CauseKind, Slip, Subject};
use crate::ask::drift::{kind, question_name};
use crate::ask::js_string::{JsString, js_number};
use crate::ask::problem::quote_in;
use crate::text::{Lang, Sentence, say};

impl Subject {
    fn name(&self, lang: Lang) -> String {
        question_name(&self.id, Some(&self.header), lang)
    }
}

impl Cause {
    /// Stable name for programs.
    pub fn code(&self) -> &'static str {
        (&self.kind).into()
    }

    /// The cause in a sentence or two. It quotes the record: clean it before drawing.
    pub fn text(&self, lang: Lang) -> String {
        use CauseKind as K;
        match &self.kind {
            K::Changed(change) => change.text(lang),
            K::CutOff(line) | K::NotJson(line) => self.file_sentence().fill(lang, &[&line.to_string()]),
            K::UnknownQuestion(..)
            | K::Unanswered(_)
            | K::NotAnOption(..)
            | K::WrongType(_)
            | K::Duplicate(..)
            | K::NotLeftOut(_)
            | K::BlankRequired(_) => self.answer_text(lang),
            K::OtherGate(Some(topic)) => say(
                "The record answers another gate: its topic is {0}, and it answers none of these questions.",
                "这份记录回答的是别的门控：它的主题是{0}，没有回答本门控的任何问题。",
            )
            .fill(lang, &[&quote_in(lang, topic)]),
            K::OtherVersion(found, wanted) => say(
                "The record is for version {0} of the questions; the gate asks version {1}.",
                "记录对应的问题版本是 {0}；门控现在是版本 {1}。",
            )
            .fill(lang, &[&js_number(*found), &js_number(*wanted)]),
            K::OtherTopic(found, wanted) => say(
                "The record's topic is {0}; the gate's is {1}. It may answer another gate.",
                "记录的主题是{0}，门控的主题是{1}；它可能回答的是别的门控。",
            )
            .fill(lang, &[&quote_in(lang, found), &quote_in(lang, wanted)]),
            K::Missing(name) => say(
                "The record has no {0}: it is not a complete record.",
                "记录缺少 {0}：它不是一份完整的记录。",
            )
            .fill(lang, &[name]),
            K::UnknownField(name) => say(
                "Records have no member {0}; remarks go into members that begin with _.",
                "记录没有字段{0}；备注请放在以 _ 开头的字段里。",
            )
            .fill(lang, &[&quote_in(lang, name)]),
            K::BadTime(text) => say(
                "answered_at is {0}: not a date and time with a zone, such as 2026-02-27T10:12:34Z.",
                "answered_at 是{0}：不是带时区的日期时间，例如 2026-02-27T10:12:34Z。",
            )
            .fill(lang, &[&quote_in(lang, text)]),
            _ => self.file_sentence().text(lang).to_owned(),
        }
    }

    /// What is wrong with the record as a whole.
    fn file_sentence(&self) -> Sentence {
        use CauseKind as K;
        match &self.kind {
            K::Drift(true) => say(
                "The record fitted the questions when it was written; they have changed since.",
                "写下记录时它符合当时的问题；此后问题变了。",
            ),
            K::Drift(false) => {
                say("The questions have changed since the record was written.", "写下记录之后，问题变了。")
            }
            K::OtherGate(_) => say(
                "The record answers another gate: it answers none of these questions.",
                "这份记录回答的是别的门控：没有回答本门控的任何问题。",
            ),
            K::Empty => say(
                "The file is empty: it was made and never written, or a full disk emptied it.",
                "文件是空的：建好之后没有写入内容，或因磁盘写满而丢失。",
            ),
            K::CutOff(_) => say(
                "The file stops in line {0}, inside a value: it was cut off while it was written.",
                "文件在第 {0} 行的值中间断掉：写入时被截断。",
            ),
            K::ByteOrderMark => say(
                "There is a byte order mark before the JSON; an editor put it there.",
                "JSON 前面有字节顺序标记（BOM），是编辑器加上的。",
            ),
            K::CodeFence => say(
                "The JSON is inside a Markdown code block: the lines with ``` are part of the file.",
                "JSON 被放在 Markdown 代码块里：带 ``` 的行也写进了文件。",
            ),
            K::NotJson(_) => say(
                "The file is not JSON from line {0} on: it is another program's text, or an edit went wrong.",
                "文件从第 {0} 行起不是 JSON：可能是别的程序写的文字，或改错了。",
            ),
            K::NotAnObject => say(
                "The file is JSON but not an object: it is another program's file.",
                "文件是 JSON，但不是对象：是别的程序的文件。",
            ),
            K::Packet => {
                say("The file holds the questions instead of the answers.", "放答案的位置上放的是问题本身。")
            }
            K::Bare => say(
                "The answers are at the top of the file, without version, topic, answers, answered_at \
                 and answered_by around them.",
                "回答直接写在文件最外层，外面缺少 version、topic、answers、answered_at、answered_by。",
            ),
            K::NotAFile => say(
                "There is no readable regular file where the record should be.",
                "记录的位置上没有可读的普通文件。",
            ),
            _ => say(
                "The file is JSON of another kind: it has none of a record's members.",
                "文件是另一种 JSON：没有记录应有的任何字段。",
            ),
        }
    }

    /// What is wrong with one answer.
    fn answer_text(&self, lang: Lang) -> String {
        use CauseKind as K;
        let filled = |en, zh, parts: &[&str]| say(en, zh).fill(lang, parts);
        match &self.kind {
            K::UnknownQuestion(id, Some(near)) => filled(
                "{0} is no question of this gate; {1} may be meant.",
                "本门控没有问题{0}；可能想写的是 {1}。",
                &[&quote_in(lang, id), near],
            ),
            K::UnknownQuestion(id, None) => {
                filled("{0} is no question of this gate.", "本门控没有问题{0}。", &[&quote_in(lang, id)])
            }
            K::Unanswered(subject) => filled(
                "{0} has no answer, and one is required.",
                "{0}没有回答，而此题必答。",
                &[&subject.name(lang)],
            ),
            K::NotAnOption(subject, value, slip, meant) => {
                outside(lang, &subject.name(lang), &quote_in(lang, value), (*slip, meant.as_ref()))
            }
            K::WrongType(subject) => wrong_type(subject, lang),
            K::Duplicate(subject, value) => filled(
                "{0} names {1} twice.",
                "{0}里{1}出现了两次。",
                &[&subject.name(lang), &quote_in(lang, value)],
            ),
            K::NotLeftOut(subject) => filled(
                "{0} is optional and was left blank; a blank answer must be left out altogether.",
                "{0}是选答题且留空；留空时应当整个省略它。",
                &[&subject.name(lang)],
            ),
            K::BlankRequired(subject) => filled(
                "{0} must be answered, and its answer is blank.",
                "{0}必答，而它的回答是空的。",
                &[&subject.name(lang)],
            ),
            _ => String::new(),
        }
    }
}

fn wrong_type(subject: &Subject, lang: Lang) -> String {
    use crate::ask::Kind;
    let sentence = match subject.kind {
        Kind::MultiChoice => say(
            "{0} is {1}: its answer is a list of strings, even for one entry.",
            "{0}是{2}：回答应是字符串列表，只有一项也一样。",
        ),
        Kind::SingleChoice | Kind::FreeText => say(
            "{0} is {1}: its answer is one string, not a list, number or object.",
            "{0}是{2}：回答应是一个字符串，不能是列表、数字或对象。",
        ),
    };
    sentence.fill(lang, &[&subject.name(lang), kind(subject.kind, Lang::En), kind(subject.kind, Lang::ZhCn)])
}

fn outside(lang: Lang, name: &str, value: &str, (slip, meant): (Slip, Option<&JsString>)) -> String {
    let sentence = match slip {
        Slip::Spaces => say(
            "{0}: {1} is the option {2} with other white space around it.",
            "{0}：{1}与选项{2}只差首尾空白。",
        ),
        Slip::Case => say(
            "{0}: {1} is the option {2} in other letter forms (case or width).",
            "{0}：{1}与选项{2}只差大小写或全角半角。",
        ),
        Slip::Tail => {
            say("{0}: {1} is the option {2} followed by a remark.", "{0}：{1}是选项{2}后面多写了说明。")
        }
        Slip::Description => say(
            "{0}: {1} is the description of the option {2}, not its label.",
            "{0}：{1}是选项{2}的说明，不是标签。",
        ),
        Slip::Number => say(
            "{0}: {1} is the number of the option {2}, not its label.",
            "{0}：{1}是选项{2}的序号，不是标签。",
        ),
        Slip::Similar => say(
            "{0}: {1} is not one of the options; the nearest is {2}.",
            "{0}：{1}不是选项；最接近的是{2}。",
        ),
        Slip::Unknown => say(
            "{0}: {1} is not one of the options; own answers are not allowed.",
            "{0}：{1}不是选项，而此题只能从选项中选。",
        ),
    };
    let meant = meant.map(|label| quote_in(lang, label)).unwrap_or_default();
    sentence.fill(lang, &[name, value, &meant])
}
