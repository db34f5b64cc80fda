//! The contexts of keys.

use crate::console::key::KeyPress;
use crate::text::{Sentence, say};

/// Where the keys go, in the order of help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Context {
    /// The list of gates.
    Inbox,
    /// A question with options.
    Choice,
    /// A question with options of which several can be ticked; falls back on `Choice`.
    Multi,
    Field,
    /// The field that narrows a list.
    Filter,
    /// The filter of options of which several can be ticked; falls back on `Filter`.
    MultiFilter,
    /// All answers before they are written.
    Review,
    /// The other packets that can be answered with it; falls back on `Filter`.
    Packets,
    /// After a record was written.
    Receipt,
    /// The history of a gate.
    History,
    /// Context over the whole screen.
    Detail,
    /// A story file.
    Story,
    Help,
    /// A question of the program itself.
    Prompt,
    /// Until when a gate is put off.
    Later,
    /// Whether to leave although something is not saved.
    Leaving,
    /// Everywhere, behind the context's own keys.
    Global,
}

impl Context {
    /// What the context is called in help.
    pub fn says(self) -> Sentence {
        match self {
            Context::Global => say("Everywhere", "任何地方"),
            Context::Inbox => say("Inbox", "门控列表"),
            Context::Choice => say("Question with options", "选择题"),
            Context::Multi => say("Several options", "多选题"),
            Context::Field => say("Text field", "文本输入框"),
            Context::Filter => say("Filter", "筛选"),
            Context::MultiFilter => say("Filter of several options", "多选题的筛选"),
            Context::Review => say("Review", "提交前核对"),
            Context::Packets => say("Other packets", "其他指令包"),
            Context::Receipt => say("Receipt", "回执"),
            Context::History => say("History", "历史"),
            Context::Detail => say("Details", "详情"),
            Context::Story => say("Story", "文稿"),
            Context::Help => say("Help", "帮助"),
            Context::Prompt => say("Confirmation", "确认"),
            Context::Later => say("Putting off", "推迟"),
            Context::Leaving => say("Leaving unsaved", "未保存就退出"),
        }
    }

    /// A stable name for programs.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether there is a text field for what is typed or pasted.
    pub fn takes_text(self) -> bool {
        matches!(self, Context::Field | Context::Filter | Context::MultiFilter | Context::Packets)
    }

    /// The character that a key writes here, unless it is a command: Space ticks in the filter of a multi choice. Letters
    /// that are no keys, such as 汉字, open the filter of a list of options.
    pub fn text(self, press: KeyPress) -> Option<char> {
        let folded = press.fold().text()?;
        let written = match self {
            Context::Field | Context::Filter => true,
            Context::MultiFilter | Context::Packets => folded != ' ',
            Context::Choice | Context::Multi => folded.is_alphabetic() && !folded.is_ascii(),
            _ => false,
        };
        press.text().filter(|_| written)
    }

    /// The contexts whose keys hold here, the nearest first.
    pub(in crate::console) fn chain(self) -> impl Iterator<Item = Context> {
        let behind: &[Context] = match self {
            Context::Multi => &[Context::Choice, Context::Global],
            Context::MultiFilter | Context::Packets => &[Context::Filter, Context::Global],
            Context::Prompt | Context::Later | Context::Leaving | Context::Global => &[],
            _ => &[Context::Global],
        };
        std::iter::once(self).chain(behind.iter().copied())
    }
}
