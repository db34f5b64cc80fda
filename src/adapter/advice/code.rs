//! The table of warnings: the name of each, what it is about and its words. `docs/lint.md` is made from it.

use crate::text::{Sentence, say};

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// Words that show nothing.
    InvisibleText,
    /// Characters that are not drawn, or that reorder what is.
    HiddenCharacters,
    /// White space around what must be repeated exactly.
    OuterSpace,
    /// Labels that look the same.
    LookAlikeLabels,
    /// A record's own words that look like a label.
    NearLabel,
    /// A header that dialogs cut.
    LongHeader,
    /// A label that no list can show whole.
    LongLabel,
    /// A label that says it is recommended.
    RecommendedLabel,
    /// An option for what `allow_other` offers already.
    OtherLabel,
    /// A choice that is none.
    OneOption,
    /// Options that mean the same.
    RepeatedDescription,
    /// Questions that read the same.
    RepeatedQuestion,
    /// A default where leaving blank is meant to be easy.
    OptionalDefault,
    /// A default on a later page.
    DefaultOutOfSight,
    /// An id that novel-writer-cli finds answers to.
    ConstructorId,
    /// A key that appears twice.
    RepeatedKey,
    /// A gate that no step id leads to.
    NoStep,
    /// An answer path that is easily mistyped.
    OddAnswerPath,
    /// A place where no record can be written.
    UnwritablePath,
    /// A place that another packet uses for the same questions.
    SharedAnswerPath,
}

/// What a warning says.
#[derive(Clone, Copy)]
pub(super) struct Words {
    /// What was found, with gaps for the texts of the document.
    pub(super) found: Sentence,
    /// What would be better.
    pub(super) better: Sentence,
    /// What to do, where there is more to say.
    pub(super) hint: Option<Sentence>,
}

/// With nothing more to say.
pub(super) const fn words(found: Sentence, better: Sentence) -> Words {
    Words { found, better, hint: None }
}

/// With what to do.
pub(super) const fn hinted(found: Sentence, better: Sentence, hint: Sentence) -> Words {
    Words { found, better, hint: Some(hint) }
}

/// The text itself.
pub(super) const QUOTED: Sentence = say("{0}", "{0}");

/// Every code in order, its stable name, what it warns of and why, and what it says, unless that depends on the place.
const TABLE: [(Code, &str, Sentence, Option<Words>); 20] = [
    (
        Code::InvisibleText,
        "invisible-text",
        say(
            "Words or an answer of invisible characters or white space only. They count as words, but \
             nobody sees them.",
            "只由不可见字符或空白组成的文字或回答。它算作文字，却没有人看得见。",
        ),
        Some(words(
            say("{0}, of which nothing can be seen", "{0}，其中什么都看不见"),
            say("words that can be seen", "看得见的文字"),
        )),
    ),
    (
        Code::HiddenCharacters,
        "hidden-characters",
        say(
            "Zero-width, bidirectional, control or other hidden characters, or lone surrogates. Nobody can type such a label, and text may read otherwise than it is.",
            "零宽、双向控制、控制字符等隐藏字符，或孤立的代理项。这样的标签没有人能照样输入，显示的文字也可能与实际不同。",
        ),
        None,
    ),
    (
        Code::OuterSpace,
        "outer-space",
        say(
            "White space around a label or the topic. The record must repeat it exactly, and some dialogs trim it.",
            "标签或主题首尾有空白。记录必须原样重复它，而有些对话框会去掉空白。",
        ),
        Some(hinted(
            QUOTED,
            say("no white space around it", "首尾没有空白"),
            say("The record must repeat it exactly.", "记录必须原样重复它。"),
        )),
    ),
    (
        Code::LookAlikeLabels,
        "look-alike-labels",
        say(
            "Two labels of a question that look the same: they differ in case, width, spaces, hidden characters or in letters of another script only.",
            "同一题的两个标签看起来一样：只差大小写、全半角、空格、隐藏字符，或另一种文字的形近字母。",
        ),
        Some(words(
            say("{0}, which looks like {1}", "{0}，看起来像 {1}"),
            say("labels that nobody confuses", "不会混淆的标签"),
        )),
    ),
    (
        Code::NearLabel,
        "near-label",
        say(
            "Own words in a record that look like a label and are not that label.",
            "记录里自己写的内容看起来像某个标签，却不是那个标签。",
        ),
        Some(words(
            say("own words {0}, which look like the label {1}", "自己写的 {0}，看起来像标签 {1}"),
            say("the label itself, or other words", "标签本身，或别的文字"),
        )),
    ),
    (
        Code::LongHeader,
        "long-header",
        say(
            "A header of more than 12 columns or characters, or with a line end. The executors' dialogs cut it.",
            "header 超过 12 列（或 12 个字符），或含有换行。执行器的对话框会截断它。",
        ),
        Some(words(
            say("{0}, which dialogs cut to {1}", "{0}，对话框会截成 {1}"),
            say("at most 12 columns", "不超过 12 列"),
        )),
    ),
    (
        Code::LongLabel,
        "long-label",
        say(
            "A label of more than 60 columns. What it means belongs in its description.",
            "标签超过 60 列。含义应写在 description 里。",
        ),
        Some(hinted(
            say("a label of {0} columns, {1}", "{0} 列的标签 {1}"),
            say("at most 60 columns", "不超过 60 列"),
            say("What it means belongs in the description.", "含义应写在 description 里。"),
        )),
    ),
    (
        Code::RecommendedLabel,
        "recommended-label",
        say(
            "A label that ends with (Recommended). It would be written into the record; a default says \
             the same.",
            "标签以“（推荐）”结尾。它会原样写进记录；用 default 表达即可。",
        ),
        Some(hinted(
            QUOTED,
            say("the bare label, and default", "不带标记的标签，再写 default"),
            say("The mark would be written into the record.", "这个标记会写进记录。"),
        )),
    ),
    (
        Code::OtherLabel,
        "other-label",
        say(
            "An option such as Other beside `allow_other`: choosing it records the word, not what the author had in mind.",
            "有 `allow_other`，又有“其他”这样的选项：选了它，记录里只有这个词，没有作者真正的意思。",
        ),
        Some(hinted(
            QUOTED,
            say("no such option, since allow_other is true", "不写这样的选项，因为 allow_other 为 true"),
            say("Every dialog offers own words by itself.", "每种对话框都会自行提供自己写的入口。"),
        )),
    ),
    (
        Code::OneOption,
        "one-option",
        say(
            "One option only and no own words: there is nothing to choose.",
            "只有一个选项，又不能自己写：没有什么可选。",
        ),
        Some(words(
            say("only {0}", "只有 {0}"),
            say("two options or more, or allow_other", "两个以上的选项，或 allow_other"),
        )),
    ),
    (
        Code::RepeatedDescription,
        "repeated-description",
        say(
            "Two options of a question with the same description: the author cannot tell them apart by what they mean.",
            "同一题的两个选项说明相同：作者无法从含义上区分它们。",
        ),
        Some(words(
            say("the description of {0} again", "与 {0} 相同的说明"),
            say("what this option means", "这个选项自己的含义"),
        )),
    ),
    (
        Code::RepeatedQuestion,
        "repeated-question",
        say(
            "Two questions that read the same. Dialogs that key answers by the question's words must ask them apart.",
            "两个问题的文字相同。按问题文字区分答案的对话框只能分开提问。",
        ),
        Some(hinted(
            say("exactly the words of the question {0}", "与问题 {0} 相同的文字"),
            say("words of its own for each question", "每个问题有自己的文字"),
            say("The author cannot tell what differs.", "作者看不出区别。"),
        )),
    ),
    (
        Code::OptionalDefault,
        "optional-default",
        say(
            "A default of an optional question: whoever leaves it untouched has answered it.",
            "选答题有默认项：不去动它，就等于回答了。",
        ),
        Some(hinted(
            say("a default of an optional question", "选答题有默认项"),
            say("required true, or no default", "required: true，或不写 default"),
            say("A default that is left untouched is an answer.", "默认项不去动它，就是回答。"),
        )),
    ),
    (
        Code::DefaultOutOfSight,
        "default-out-of-sight",
        say(
            "A default after the ninth option. Lists are shown in pages of nine, so it is easily \
             submitted unseen.",
            "默认项在第九项之后。列表每页九项，容易没看到就提交了。",
        ),
        Some(hinted(
            say("{0}, option {1} of {2}", "{0}，{2} 项中的第 {1} 项"),
            say("a default among the first nine options", "默认项在前九项之中"),
            say("Lists are shown in pages of nine.", "列表每页九项。"),
        )),
    ),
    (
        Code::ConstructorId,
        "constructor-id",
        say(
            "An optional question with the id `constructor`: novel-writer-cli 0.5.0 finds the property that every JavaScript object has and wants an answer. No other id is affected.",
            "id 为 `constructor` 的选答题：novel-writer-cli 0.5.0 会读到每个 JavaScript 对象都有的同名属性，因而要求回答。其他 id 不受影响。",
        ),
        Some(words(
            say(
                "an optional question with the id {0}, which novel-writer-cli 0.5.0 wants answered",
                "id 为 {0} 的选答题，而 novel-writer-cli 0.5.0 要求回答它",
            ),
            say("another id, or required true", "换一个 id，或写 required: true"),
        )),
    ),
    (
        Code::RepeatedKey,
        "repeated-key",
        say(
            "A key that appears twice in an object: the last value counts, without a warning.",
            "同一个对象里键重复：以最后一个值为准，不会有任何提示。",
        ),
        None,
    ),
    (
        Code::NoStep,
        "no-step",
        say(
            "A gate in a packet without `step`: it can be named by its file only.",
            "带门控的指令包没有 `step`：只能用文件名来指称。",
        ),
        Some(words(
            say("a gate, and no step", "有门控，没有 step"),
            say("step, such as chapter:048:draft", "step，例如 chapter:048:draft"),
        )),
    ),
    (
        Code::OddAnswerPath,
        "odd-answer-path",
        say(
            "An `answer_path` with white space around it, a backslash, or without the ending .json: easily mistyped, and read differently on Windows.",
            "`answer_path` 首尾有空白、含有反斜杠，或不以 .json 结尾：容易写错，在 Windows 上含义也不同。",
        ),
        None,
    ),
    (
        Code::UnwritablePath,
        "unwritable-path",
        say(
            "An `answer_path` at which novel-gate writes no record, such as a directory or a file inside .git.",
            "novel-gate 无法在此 `answer_path` 写记录，例如它是目录，或位于 .git 之内。",
        ),
        None,
    ),
    (
        Code::SharedAnswerPath,
        "shared-answer-path",
        say(
            "Another packet with the same questions and the same `answer_path`: one record answers both.",
            "另一个指令包的问题和 `answer_path` 都相同：一份记录同时回答两者。",
        ),
        None,
    ),
];

impl Code {
    /// The names of all.
    pub const NAMES: &'static [&'static str] = &{
        let mut names = [""; TABLE.len()];
        let mut place = 0;
        while place < names.len() {
            names[place] = TABLE[place].1;
            place += 1;
        }
        names
    };

    /// Every code, as the page lists them.
    pub fn all() -> impl Iterator<Item = Code> {
        TABLE.iter().map(|(code, ..)| *code)
    }

    /// Stable name for programs.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// What it warns of, and why.
    pub fn about(self) -> Sentence {
        TABLE[self as usize].2
    }

    /// What it says, unless that depends on the place.
    pub(super) fn words(self) -> Option<Words> {
        TABLE[self as usize].3
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn the_table_is_in_order() {
        for (place, code) in Code::all().enumerate() {
            assert_eq!(code as usize, place, "{code:?}");
        }
    }
}
