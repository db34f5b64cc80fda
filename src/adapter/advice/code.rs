//! The table of warnings. What each warns of, and why, is told in `docs/packets.md`.

use crate::text::{Sentence, say};
use strum::{IntoStaticStr, VariantArray};

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Code {
    InvisibleText,
    HiddenCharacters,
    OuterSpace,
    NearLabel,
    LongHeader,
    LongLabel,
    RecommendedLabel,
    OtherLabel,
    OneOption,
    RepeatedQuestion,
    OptionalDefault,
    ConstructorId,
    RepeatedKey,
    LostCharacters,
    MisspeltGate,
    MisplacedGate,
    CommandOutput,
    Copy,
    Misnamed,
    NoStep,
    OddAnswerPath,
    UnwritablePath,
    SharedAnswerPath,
}

#[derive(Clone, Copy)]
pub(super) struct Wording {
    pub(super) code: Code,
    /// What was found, with gaps for the texts of the document.
    pub(super) found: Sentence,
    pub(super) better: Sentence,
    /// What to do, where there is more to say.
    pub(super) hint: Option<Sentence>,
}

/// With nothing more to say.
pub(super) const fn wording(code: Code, found: Sentence, better: Sentence) -> Wording {
    Wording { code, found, better, hint: None }
}

/// With what to do.
pub(super) const fn hinted(code: Code, found: Sentence, better: Sentence, hint: Sentence) -> Wording {
    Wording { hint: Some(hint), ..wording(code, found, better) }
}

/// The text itself.
pub(super) const QUOTED: Sentence = say("{0}", "{0}");

/// What each warning says, but for those whose words depend on the place.
const WORDINGS: [Wording; 13] = [
    wording(
        Code::InvisibleText,
        say("{0}, of which nothing can be seen", "{0}，其中什么都看不见"),
        say("words that can be seen", "看得见的文字"),
    ),
    hinted(
        Code::OuterSpace,
        QUOTED,
        say("no white space around it", "首尾没有空白"),
        say("The record must repeat it exactly.", "记录必须原样重复它。"),
    ),
    wording(
        Code::NearLabel,
        say("own words {0}, which look like the label {1}", "自己写的{0}，看起来像标签{1}"),
        say("the label itself, or other words", "标签本身，或别的文字"),
    ),
    wording(
        Code::LongHeader,
        say("{0}, which dialogs cut to {1}", "{0}，对话框会截成 {1}"),
        say("at most 12 columns", "不超过 12 列"),
    ),
    hinted(
        Code::LongLabel,
        say("a label of {0} columns, {1}", "{0} 列的标签{1}"),
        say("at most 60 columns", "不超过 60 列"),
        say("What it means belongs in the description.", "含义应写在 description 里。"),
    ),
    hinted(
        Code::RecommendedLabel,
        QUOTED,
        say("the bare label, and default", "不带标记的标签，再写 default"),
        say("The mark would be written into the record.", "这个标记会写进记录。"),
    ),
    hinted(
        Code::OtherLabel,
        QUOTED,
        say("no such option, since allow_other is true", "不写这样的选项，因为 allow_other 为 true"),
        say("Every dialog offers own words by itself.", "每种对话框都会自行提供自己写的入口。"),
    ),
    wording(
        Code::OneOption,
        say("only {0}", "只有 {0}"),
        say("two options or more, or allow_other", "两个以上的选项，或 allow_other"),
    ),
    hinted(
        Code::RepeatedQuestion,
        say("exactly the words of the question {0}", "与问题 {0} 相同的文字"),
        say("words of its own for each question", "每个问题有自己的文字"),
        say("The author cannot tell what differs.", "作者看不出区别。"),
    ),
    hinted(
        Code::OptionalDefault,
        say("a default of an optional question", "选答题有默认项"),
        say("required true, or no default", "required: true，或不写 default"),
        say("A default that is left untouched is an answer.", "默认项不去动它，就是回答。"),
    ),
    wording(
        Code::ConstructorId,
        say(
            "an optional question with the id {0}, which novel-writer-cli 0.5.0 wants answered",
            "id 为 {0} 的选答题，而 novel-writer-cli 0.5.0 要求回答它",
        ),
        say("another id, or required true", "换一个 id，或写 required: true"),
    ),
    hinted(
        Code::CommandOutput,
        say("what a command printed, and a packet inside it", "某个命令的输出，指令包在它里面"),
        say("the packet itself", "指令包本身"),
        say("As it stands, it asks nothing.", "照现在的样子，它没有提问。"),
    ),
    wording(
        Code::NoStep,
        say("a gate, and no step", "有门控，没有 step"),
        say("step, such as chapter:048:draft", "step，例如 chapter:048:draft"),
    ),
];

impl Code {
    /// Stable name for programs.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it says, unless that depends on the place.
    pub(super) fn wording(self) -> Option<Wording> {
        WORDINGS.iter().find(|wording| wording.code == self).copied()
    }
}
