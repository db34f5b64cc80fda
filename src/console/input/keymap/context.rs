//! The contexts of keys.

use crate::console::input::key::KeyPress;
use crate::text::{Sentence, say};

/// Where the keys go, in the order of help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Context {
    Inbox,
    Choice,
    /// Falls back on `Choice`.
    Multi,
    Field,
    /// Why a step is sent back; falls back on `Field`.
    Reason,
    /// What every field has that narrows a list; each falls back on it, then on its list.
    Filter,
    InboxFilter,
    ChoiceFilter,
    MultiFilter,
    /// A filter while a blank is a part of own words; falls back on `MultiFilter`.
    WordsFilter,
    HistoryFilter,
    QuestionsFilter,
    StorySearch,
    /// The list of the story's files; falls back on `StorySearch`.
    StoryFiles,
    Review,
    /// The other packets that can be answered with it; falls back on `Filter`.
    Packets,
    Receipt,
    History,
    /// Standing questions.
    Questions,
    /// Context over the whole screen.
    Detail,
    Story,
    Help,
    /// A question of the program itself.
    Prompt,
    /// Until when a gate is put off.
    Later,
    /// Whether to leave although something is not saved.
    Leaving,
    /// What moves in every list.
    List,
    /// What scrolls every page.
    Page,
    /// Everywhere, behind the context's own keys.
    Global,
}

impl Context {
    pub fn says(self) -> Sentence {
        match self {
            Context::Global => say("Everywhere", "任何地方"),
            Context::Inbox => say("Inbox", "门控列表"),
            Context::Choice => say("Question with options", "选择题"),
            Context::Multi => say("Several options", "多选题"),
            Context::Field => say("Text field", "文本输入框"),
            Context::Reason => say("Sending back", "退回"),
            Context::Filter => say("Every filter", "各处的筛选"),
            Context::InboxFilter => say("Filter of the inbox", "门控列表的筛选"),
            Context::ChoiceFilter => say("Filter of options", "选择题的筛选"),
            Context::MultiFilter => say("Filter of several options", "多选题的筛选"),
            Context::WordsFilter => say("Filter of several options, own words", "多选题的筛选（自己写）"),
            Context::HistoryFilter => say("Filter of the history", "历史的筛选"),
            Context::QuestionsFilter => say("Filter of standing questions", "常设提问的筛选"),
            Context::StorySearch => say("Search in the story", "文稿中的查找"),
            Context::StoryFiles => say("Files of the story", "文稿文件"),
            Context::Review => say("Review", "提交前核对"),
            Context::Packets => say("Other packets", "其他指令包"),
            Context::Receipt => say("Receipt", "回执"),
            Context::History => say("History", "历史"),
            Context::Questions => say("Standing questions", "常设提问"),
            Context::Detail => say("Details", "详情"),
            Context::Story => say("Story", "文稿"),
            Context::Help => say("Help", "帮助"),
            Context::Prompt => say("Confirmation", "确认"),
            Context::Later => say("Putting off", "推迟"),
            Context::Leaving => say("Leaving unsaved", "未保存就退出"),
            Context::List => say("Every list", "各处的列表"),
            Context::Page => say("Every page", "各处的页面"),
        }
    }

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn is_field(self) -> bool {
        self.is_text() || self.is_filter()
    }

    /// Whether a field for a text of several lines has the keys.
    pub fn is_text(self) -> bool {
        matches!(self, Context::Field | Context::Reason)
    }

    pub fn is_filter(self) -> bool {
        self.behind().contains(&Context::Filter)
    }

    /// Whether words can be typed that are no keys: into a field or into what begins one; elsewhere it is said that they
    /// go nowhere. A question of the program waits for its own keys.
    pub fn hears_words(self) -> bool {
        !matches!(self, Context::Prompt | Context::Later | Context::Leaving | Context::Global)
    }

    /// The character that a key writes into the field that has the keys; Space ticks in the filter of a multi choice.
    pub fn text(self, press: KeyPress) -> Option<char> {
        let ticks = matches!(self, Context::MultiFilter | Context::Packets | Context::QuestionsFilter)
            && press.fold().text()? == ' ';
        press.text().filter(|_| self.is_field() && !ticks)
    }

    /// The contexts whose keys hold here, the nearest first.
    pub(in crate::console) fn chain(self) -> impl Iterator<Item = Context> {
        std::iter::once(self).chain(self.behind().iter().copied())
    }

    fn behind(self) -> &'static [Context] {
        use Context as C;
        match self {
            C::Inbox | C::Choice | C::Review | C::History | C::Questions => &[C::List, C::Global],
            C::Reason => &[C::Field, C::Global],
            C::Multi => &[C::Choice, C::List, C::Global],
            C::InboxFilter => &[C::Filter, C::Inbox, C::List, C::Global],
            C::ChoiceFilter => &[C::Filter, C::Choice, C::List, C::Global],
            C::MultiFilter => &[C::Filter, C::Multi, C::Choice, C::List, C::Global],
            C::WordsFilter => &[C::MultiFilter, C::Filter, C::Multi, C::Choice, C::List, C::Global],
            C::HistoryFilter => &[C::Filter, C::History, C::List, C::Global],
            C::QuestionsFilter => &[C::Filter, C::Questions, C::List, C::Global],
            C::Detail | C::Story => &[C::Page, C::Global],
            C::Help => &[C::Page, C::Filter, C::Global],
            C::StorySearch => &[C::Filter, C::Story, C::Page, C::Global],
            C::StoryFiles => &[C::StorySearch, C::Filter, C::Story, C::List, C::Global],
            C::Packets => &[C::List, C::Filter, C::Global],
            C::Later => &[C::List],
            C::Prompt | C::Leaving | C::List | C::Page | C::Global => &[],
            _ => &[C::Global],
        }
    }
}
