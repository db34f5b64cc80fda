//! One table: where, which key, what it does, and how that is called.
//!
//! Footer, help and `novel-gate keys` are drawn from it. No row has a letter: in every list letters begin the filter, and an
//! input method swallows them. Authors may bind them. A key outside a text field does the same on every screen.

mod context;

pub use context::Context;

use crate::console::action::Action;
use crate::console::field::Edit;
use crate::console::input::key::{Key, KeyPress};
use crate::text::width::narrow;
use crate::text::{Sentence, say};
use std::sync::LazyLock;

#[derive(Clone, Debug)]
pub struct Binding {
    pub context: Context,
    /// The keys as [`KeyPress`] shows them, the one of the hints first.
    pub keys: Vec<String>,
    pub action: Action,
    pub says: Sentence,
    /// Place in the footer; 0 for none, 1 for first.
    pub footer: u8,
}

fn bind(context: Context, keys: &[&str], action: Action, says: Sentence, footer: u8) -> Binding {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Binding { context, keys, action, says, footer }
}

/// The one key that leads to a record, to the review and from there to the file, and those that act as it does.
const SUBMIT: &[&str] = &["Ctrl+S", "Ctrl+Enter", "Alt+Enter"];
const DIGITS: &[&str] = &["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The rows as they are without the author's keys.
#[rustfmt::skip]
pub static BINDINGS: LazyLock<Vec<Binding>> = LazyLock::new(|| {
    use Context as C;
    vec![
        bind(C::Inbox, &["Enter"], Action::Accept, say("open", "打开"), 1),
        bind(C::Inbox, &["F12"], Action::Questions, say("questions", "常设提问"), 3),
        bind(C::Inbox, &["Ctrl+F", "/"], Action::Filter, say("filter", "筛选"), 3),
        bind(C::Inbox, &["Tab"], Action::Next, say("next section", "下一组"), 4),
        bind(C::Inbox, &["Shift+Tab"], Action::Previous, say("previous section", "上一组"), 0),
        bind(C::Inbox, &["F8"], Action::Redo, say("take back", "收回回答"), 2),
        bind(C::Inbox, &["Ctrl+U"], Action::UndoRedo, say("put back what was taken back, dropped or replaced", "放回已收回、丢弃或被替换的"), 2),
        bind(C::Inbox, &["F4"], Action::Expand, say("details", "详情"), 5),
        bind(C::Inbox, &["Ctrl+G"], Action::Editor, say("edit the record", "编辑记录"), 2),
        bind(C::Inbox, &["Ctrl+X"], Action::SendBack, say("send back", "退回"), 2),
        bind(C::Inbox, &["F5"], Action::Later, say("later", "稍后"), 2),
        bind(C::Inbox, &["Ctrl+O"], Action::HandBack, say("answer there", "交还执行器"), 2),
        bind(C::Inbox, &["F6"], Action::History, say("history", "历史"), 8),
        bind(C::Inbox, &["Shift+↑"], Action::ScrollUp, say("scroll details up", "详情上滚"), 0),
        bind(C::Inbox, &["Shift+↓"], Action::ScrollDown, say("scroll details down", "详情下滚"), 0),
        bind(C::Inbox, &["F9"], Action::Story, say("story", "文稿"), 8),
        bind(C::Inbox, &["Ctrl+Y"], Action::Copy, say("copy for executor", "复制给执行器"), 7),
        bind(C::Inbox, &["Esc"], Action::Back, say("clear filter", "清除筛选"), 6),

        bind(C::Choice, &["Enter"], Action::Accept, say("choose, go on", "选定并继续"), 1),
        bind(C::Choice, &["Space"], Action::Pick, say("choose", "选择"), 0),
        bind(C::Choice, DIGITS, Action::Number(0), say("choose that row", "选择该行"), 9),
        bind(C::Choice, &["PgDn"], Action::PageDown, say("next page", "下一页"), 8),
        bind(C::Choice, &["Tab", "→"], Action::Next, say("next question", "下一题"), 3),
        bind(C::Choice, &["←", "Shift+Tab"], Action::Previous, say("back", "上一题"), 5),
        bind(C::Choice, &["Backspace", "Delete"], Action::Clear, say("no answer", "清除回答"), 0),
        bind(C::Choice, &["Ctrl+_"], Action::TakeBack, say("undo", "撤销"), 9),
        bind(C::Choice, &["Ctrl+F", "/"], Action::Filter, say("filter", "筛选"), 6),
        bind(C::Choice, &["F7"], Action::OtherAnswer, say("other answer", "另一个回答"), 2),
        bind(C::Choice, &["F3"], Action::Changes, say("what changed", "查看变化"), 2),
        bind(C::Choice, &["Ctrl+E"], Action::Vary, say("vary it", "改一改"), 5),
        bind(C::Choice, &["F9"], Action::Story, say("story", "文稿"), 8),
        bind(C::Choice, &["Ctrl+N"], Action::Note, say("note", "备注"), 9),
        bind(C::Choice, &["Ctrl+X"], Action::SendBack, say("send back", "退回"), 6),
        bind(C::Choice, &["Ctrl+O"], Action::HandBack, say("answer there", "交还执行器"), 3),
        bind(C::Choice, &["Ctrl+Y"], Action::Copy, say("copy the option", "复制选项"), 0),
        bind(C::Choice, &SUBMIT[..1], Action::Review, say("review", "核对"), 7),
        bind(C::Choice, &["F4"], Action::Expand, say("whole text", "全文"), 0),
        bind(C::Choice, &["Shift+↑"], Action::ScrollUp, say("scroll text up", "说明上滚"), 0),
        bind(C::Choice, &["Shift+↓"], Action::ScrollDown, say("scroll text down", "说明下滚"), 0),
        bind(C::Choice, &["Esc"], Action::Back, say("to the inbox", "返回列表"), 4),

        bind(C::Multi, &["Enter"], Action::Accept, say("go on", "继续"), 1),
        bind(C::Multi, &["Space"], Action::Pick, say("tick", "勾选"), 2),
        bind(C::Multi, DIGITS, Action::Number(0), say("tick that row", "勾选该行"), 9),
        bind(C::Multi, &["Ctrl+A"], Action::All, say("all shown, or none", "全选／全不选（仅所示）"), 0),

        bind(C::Field, &["Enter"], Action::Accept, say("go on", "继续"), 1),
        bind(C::Field, &SUBMIT[..1], Action::Review, say("review", "核对"), 2),
        bind(C::Field, &["Ctrl+J", "Shift+Enter"], Action::Edit(Edit::Newline), say("new line", "换行"), 3),
        bind(C::Field, &["F7"], Action::OtherAnswer, say("other answer", "另一个回答"), 2),
        bind(C::Field, &["F3"], Action::Changes, say("what changed", "查看变化"), 2),
        bind(C::Field, &["F4"], Action::Expand, say("whole text", "全文"), 0),
        bind(C::Field, &["F9"], Action::Story, say("story", "文稿"), 8),
        bind(C::Field, &["Ctrl+N"], Action::Note, say("note", "备注"), 9),
        bind(C::Field, &["Ctrl+X"], Action::SendBack, say("send back", "退回"), 7),
        bind(C::Field, &["Ctrl+O"], Action::HandBack, say("answer there", "交还执行器"), 3),
        bind(C::Field, &["Ctrl+G"], Action::Editor, say("editor", "外部编辑器"), 5),
        bind(C::Field, &["Ctrl+Y"], Action::Copy, say("copy the text", "复制全文"), 0),
        bind(C::Field, &["Tab"], Action::Next, say("next question", "下一题"), 3),
        bind(C::Field, &["Shift+Tab"], Action::Previous, say("back", "上一题"), 6),
        bind(C::Field, &["Esc"], Action::Back, say("leave (kept)", "离开输入框（保留）"), 7),
        bind(C::Field, &["←"], Action::Edit(Edit::Left), say("left", "左移"), 0),
        bind(C::Field, &["→"], Action::Edit(Edit::Right), say("right", "右移"), 0),
        bind(C::Field, &["↑"], Action::Up, say("line up", "上一行"), 0),
        bind(C::Field, &["↓"], Action::Down, say("line down", "下一行"), 0),
        bind(C::Field, &["PgUp"], Action::PageUp, say("page up", "上一页"), 0),
        bind(C::Field, &["PgDn"], Action::PageDown, say("page down", "下一页"), 0),
        bind(C::Field, &["Ctrl+←", "Alt+b"], Action::Edit(Edit::WordLeft), say("word left", "左移一词"), 0),
        bind(C::Field, &["Ctrl+→", "Alt+f"], Action::Edit(Edit::WordRight), say("word right", "右移一词"), 0),
        bind(C::Field, &["Home", "Ctrl+A"], Action::Edit(Edit::LineStart), say("start of the line", "行首"), 0),
        bind(C::Field, &["End", "Ctrl+E"], Action::Edit(Edit::LineEnd), say("end of the line", "行尾"), 0),
        bind(C::Field, &["Ctrl+Home"], Action::Edit(Edit::TextStart), say("start of the text", "文首"), 0),
        bind(C::Field, &["Ctrl+End"], Action::Edit(Edit::TextEnd), say("end of the text", "文末"), 0),
        bind(C::Field, &["Backspace"], Action::Edit(Edit::Backspace), say("delete the character before", "删除前一字"), 0),
        bind(C::Field, &["Delete", "Ctrl+D"], Action::Edit(Edit::Delete), say("delete the character after", "删除后一字"), 0),
        bind(C::Field, &["Ctrl+W"], Action::Edit(Edit::KillWordBack), say("delete the word before", "删除前一词"), 0),
        bind(C::Field, &["Ctrl+U"], Action::Edit(Edit::KillToStart), say("delete to the start", "删至行首"), 0),
        bind(C::Field, &["Ctrl+K"], Action::Edit(Edit::KillToEnd), say("delete to the end", "删至行尾"), 0),
        bind(C::Field, &["Ctrl+_"], Action::Edit(Edit::Undo), say("undo", "撤销"), 0),
        bind(C::Field, &["Alt+_"], Action::Edit(Edit::Redo), say("do again", "恢复"), 0),

        bind(C::Reason, &SUBMIT[..1], Action::Submit, say("send back", "退回"), 1),
        bind(C::Reason, &["Tab"], Action::Pick, say("does not apply", "不适用"), 2),
        bind(C::Reason, &["Enter", "Ctrl+J", "Shift+Enter"], Action::Edit(Edit::Newline), say("new line", "换行"), 4),
        bind(C::Reason, &["Esc"], Action::Back, say("back (kept)", "返回（保留）"), 3),

        bind(C::Filter, &["Esc"], Action::Back, say("clear filter", "清除筛选"), 2),
        bind(C::Filter, &["←"], Action::Edit(Edit::Left), say("left", "左移"), 0),
        bind(C::Filter, &["→"], Action::Edit(Edit::Right), say("right", "右移"), 0),
        bind(C::Filter, &["Home"], Action::Edit(Edit::LineStart), say("start", "开头"), 0),
        bind(C::Filter, &["End"], Action::Edit(Edit::LineEnd), say("end", "末尾"), 0),
        bind(C::Filter, &["Backspace"], Action::Edit(Edit::Backspace), say("delete the character before", "删除前一字"), 0),
        bind(C::Filter, &["Delete"], Action::Edit(Edit::Delete), say("delete the character after", "删除后一字"), 0),
        bind(C::Filter, &["Ctrl+W"], Action::Edit(Edit::KillWordBack), say("delete the word before", "删除前一词"), 0),

        bind(C::MultiFilter, &["Enter"], Action::Accept, say("tick", "勾选"), 1),
        bind(C::MultiFilter, &["Space"], Action::Pick, say("tick", "勾选"), 1),
        bind(C::StorySearch, &["Enter"], Action::Accept, say("search", "查找"), 1),
        bind(C::StorySearch, &["Esc"], Action::Back, say("end the search", "结束查找"), 2),
        bind(C::StorySearch, &["F9"], Action::Story, say("back", "返回"), 0),
        bind(C::StoryFiles, &["Enter"], Action::Accept, say("show", "查看"), 1),
        bind(C::StoryFiles, &["Esc"], Action::Back, say("back", "返回"), 2),

        bind(C::Review, SUBMIT, Action::Submit, say("submit", "提交"), 1),
        bind(C::Review, &["Ctrl+U"], Action::UndoRedo, say("mine instead of theirs", "改用我的"), 1),
        bind(C::Review, &["Ctrl+A"], Action::All, say("other packets", "其他指令包"), 1),
        bind(C::Review, &["Enter"], Action::Accept, say("change it", "修改"), 2),
        bind(C::Review, &["F4"], Action::Expand, say("answers in full", "回答全文"), 4),
        bind(C::Review, &["Ctrl+G"], Action::Editor, say("edit the bad record", "编辑无效记录"), 5),
        bind(C::Review, &["Ctrl+N"], Action::Note, say("note", "备注"), 5),
        bind(C::Review, &["Ctrl+X"], Action::SendBack, say("send back", "退回"), 4),
        bind(C::Review, &["Ctrl+Y"], Action::Copy, say("copy the answer", "复制回答"), 0),
        bind(C::Review, &["Ctrl+O"], Action::HandBack, say("answer there", "交还执行器"), 3),
        bind(C::Review, &["F9"], Action::Story, say("story", "文稿"), 6),
        bind(C::Review, &["F7"], Action::OtherAnswer, say("other answer", "另一个回答"), 2),
        bind(C::Review, &["F3"], Action::Changes, say("what changed", "查看变化"), 2),
        bind(C::Review, &["Esc", "←", "Shift+Tab"], Action::Back, say("back", "返回"), 3),

        bind(C::Packets, &["Enter"], Action::Accept, say("use these", "采用勾选"), 1),
        bind(C::Packets, &["Space"], Action::Pick, say("tick", "勾选"), 2),
        bind(C::Packets, &["Ctrl+A"], Action::All, say("all or none", "全选／全不选"), 3),
        bind(C::Packets, &["Ctrl+F"], Action::Filter, say("filter", "筛选"), 0),
        bind(C::Packets, &["Esc"], Action::Back, say("no change", "不作改动"), 4),
        bind(C::Packets, &SUBMIT[..1], Action::Review, say("ticks first", "先确认勾选"), 0),

        bind(C::Receipt, &["Enter"], Action::Accept, say("next gate", "下一个门控"), 1),
        bind(C::Receipt, &["Ctrl+U"], Action::UndoRedo, say("take back what was written, or put mine back", "收回刚写入的，或放回我的记录"), 3),
        bind(C::Receipt, &["F8"], Action::Redo, say("take it back", "收回"), 0),
        bind(C::Receipt, &["Esc"], Action::Back, say("to the inbox", "返回列表"), 2),
        bind(C::Receipt, &["Ctrl+X"], Action::SendBack, say("send back", "退回"), 4),
        bind(C::Receipt, &["Ctrl+Y"], Action::Copy, say("copy for executor", "复制给执行器"), 3),
        bind(C::Receipt, &["F4"], Action::Expand, say("file", "文件与校验值"), 4),

        bind(C::History, &["Enter"], Action::Accept, say("put back", "放回"), 1),
        bind(C::History, &["Ctrl+F", "/"], Action::Filter, say("filter", "筛选"), 4),
        bind(C::History, &["Tab"], Action::Next, say("gate or project", "门控／整个项目"), 3),
        bind(C::History, &["F4"], Action::Expand, say("whole entry", "完整条目"), 4),
        bind(C::History, &["Ctrl+Y"], Action::Copy, say("copy the answer path", "复制回答路径"), 0),
        bind(C::History, &["Shift+↑"], Action::ScrollUp, say("scroll the entry up", "条目上滚"), 0),
        bind(C::History, &["Shift+↓"], Action::ScrollDown, say("scroll the entry down", "条目下滚"), 0),
        bind(C::History, &["Esc", "F6"], Action::Back, say("back", "返回"), 2),

        bind(C::Questions, &["Enter"], Action::Accept, say("how it looks, or decide it now", "看看问法，或现在决定"), 1),
        bind(C::Questions, &["Space"], Action::Pick, say("on or off", "打开／关闭"), 2),
        bind(C::Questions, &["Ctrl+G"], Action::Editor, say("edit", "编辑"), 3),
        bind(C::Questions, &["Ctrl+U"], Action::UndoRedo, say("put it back", "放回"), 3),
        bind(C::Questions, &["F8"], Action::Redo, say("remove, or take back", "移走，或收回"), 5),
        bind(C::Questions, &["Ctrl+F", "/"], Action::Filter, say("filter", "筛选"), 6),
        bind(C::Questions, &["F4"], Action::Expand, say("details", "详情"), 0),
        bind(C::Questions, &["Ctrl+Y"], Action::Copy, say("copy the file's name", "复制文件名"), 0),
        bind(C::Questions, &["Shift+↑"], Action::ScrollUp, say("scroll details up", "详情上滚"), 0),
        bind(C::Questions, &["Shift+↓"], Action::ScrollDown, say("scroll details down", "详情下滚"), 0),
        bind(C::Questions, &["Esc", "F12"], Action::Back, say("back", "返回"), 4),

        bind(C::Detail, &["Esc", "F4", "F3"], Action::Back, say("back", "返回"), 1),
        bind(C::Detail, &["Tab"], Action::Next, say("the record's text", "看记录原文"), 2),
        bind(C::Detail, &["Enter"], Action::Accept, say("answer or repair a gate of the inbox", "作答或修复列表中的门控"), 2),
        bind(C::Detail, &["F8"], Action::Redo, say("take back", "收回回答"), 3),
        bind(C::Detail, &["Ctrl+U"], Action::UndoRedo, say("put back what was taken back, dropped or replaced", "放回已收回、丢弃或被替换的"), 2),
        bind(C::Detail, &["Ctrl+X"], Action::SendBack, say("send back", "退回"), 4),
        bind(C::Detail, &["F7"], Action::OtherAnswer, say("other answer", "另一个回答"), 2),
        bind(C::Detail, &["Ctrl+G"], Action::Editor, say("edit the record", "编辑记录"), 4),
        bind(C::Detail, &["Ctrl+Y"], Action::Copy, say("copy", "复制"), 0),
        bind(C::Detail, &["Backspace", "Delete"], Action::Clear, say("drop it", "丢弃"), 5),

        bind(C::Story, &["Esc", "F9"], Action::Back, say("back", "返回"), 1),
        bind(C::Story, &["Tab", "→"], Action::Next, say("next file", "下一个文件"), 3),
        bind(C::Story, &["Shift+Tab", "←"], Action::Previous, say("previous file", "上一个文件"), 0),
        bind(C::Story, &["Ctrl+F", "/"], Action::Filter, say("search", "查找"), 5),
        bind(C::Story, &["Ctrl+Y"], Action::Copy, say("copy the file's path", "复制文件路径"), 0),
        bind(C::Story, &["Enter"], Action::Accept, say("next hit", "下一处"), 2),
        bind(C::Story, &["F4"], Action::Expand, say("all files", "全部文件"), 3),

        bind(C::Help, &["Esc", "Enter", "F1"], Action::Back, say("back", "返回"), 1),

        bind(C::Prompt, &["Enter"], Action::Accept, say("yes", "是"), 1),
        bind(C::Prompt, &["Esc"], Action::Refuse, say("no", "否"), 2),

        bind(C::Later, &["Enter"], Action::Accept, say("put off", "推迟"), 1),
        bind(C::Later, DIGITS, Action::Number(0), say("put off as in that row", "按该行推迟"), 0),
        bind(C::Later, &["Esc"], Action::Back, say("back", "返回"), 2),

        bind(C::Leaving, &["Enter"], Action::Accept, say("try again", "重试"), 1),
        bind(C::Leaving, &["F10"], Action::Quit, say("try again", "重试"), 0),
        bind(C::Leaving, &["Esc"], Action::Refuse, say("stay", "留下"), 2),
        bind(C::Leaving, &["Ctrl+C"], Action::Interrupt, say("quit, pressed twice", "连按两次退出"), 3),

        bind(C::List, &["↑"], Action::Up, say("up", "上移"), 0),
        bind(C::List, &["↓"], Action::Down, say("down", "下移"), 0),
        bind(C::List, &["PgUp"], Action::PageUp, say("page up", "上一页"), 0),
        bind(C::List, &["PgDn"], Action::PageDown, say("page down", "下一页"), 0),
        bind(C::List, &["Home"], Action::First, say("first", "第一个"), 0),
        bind(C::List, &["End"], Action::Last, say("last", "最后一个"), 0),

        bind(C::Page, &["↑"], Action::Up, say("scroll up", "上滚"), 0),
        bind(C::Page, &["↓"], Action::Down, say("scroll down", "下滚"), 6),
        bind(C::Page, &["PgUp"], Action::PageUp, say("page up", "上一页"), 0),
        bind(C::Page, &["PgDn"], Action::PageDown, say("page down", "下一页"), 0),
        bind(C::Page, &["Home"], Action::First, say("top", "开头"), 0),
        bind(C::Page, &["End"], Action::Last, say("end", "末尾"), 0),

        bind(C::Global, &["F1", "?"], Action::Help, say("help", "帮助"), 20),
        bind(C::Global, &["F2"], Action::Language, say("中文", "English"), 21),
        bind(C::Global, &["Ctrl+T"], Action::Theme, say("next theme", "换主题"), 0),
        bind(C::Global, &["F10"], Action::Quit, say("quit", "退出"), 22),
        bind(C::Global, &["Ctrl+C"], Action::Interrupt, say("quit, pressed twice", "连按两次退出"), 0),
        bind(C::Global, &["Ctrl+Z"], Action::Suspend, say("suspend", "挂起"), 0),
        bind(C::Global, &["Ctrl+L"], Action::Rescan, say("redraw, look again", "重绘并重新扫描"), 0),
    ]
});

/// The table in use: the rows of [`BINDINGS`] in their order, with the author's keys.
#[derive(Clone, Debug)]
pub struct Keymap {
    pub bindings: Vec<Binding>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap { bindings: BINDINGS.to_vec() }
    }
}

impl Keymap {
    pub fn resolve(&self, context: Context, press: KeyPress) -> Option<Action> {
        if let Some(c) = self.text(context, press) {
            return Some(Action::Edit(Edit::Insert(c.to_string())));
        }
        let press = match press.key {
            _ if context.is_text() => press,
            // Where no words can be typed, a wide digit is the digit.
            Key::Char(c) if !context.hears_words() => KeyPress { key: Key::Char(narrow(c)), ..press }.fold(),
            _ => press.fold(),
        };
        match (&self.find(context, &press.to_string())?.action, press.key) {
            (Action::Number(_), Key::Char(digit)) => {
                Some(Action::Number(u8::try_from(digit.to_digit(10)?).ok()?))
            }
            (action, _) => Some(action.clone()),
        }
    }

    /// The character that a key writes: into the field that has the keys, or in a list, where it is no key.
    pub fn text(&self, context: Context, press: KeyPress) -> Option<char> {
        context.text(press).or_else(|| {
            let bare = press.text().filter(|c| !c.is_whitespace() && !c.is_control());
            let free = |_: &char| self.find(context, &press.fold().to_string()).is_none();
            bare.filter(|_| context.hears_words() && !context.is_field()).filter(free)
        })
    }

    /// The row of a key: the context's own, else one of those behind it, else that of the key as which it acts.
    fn find(&self, context: Context, key: &str) -> Option<&Binding> {
        let row = |key: &str| self.holding(context).find(|row| row.keys.iter().any(|own| own == key));
        row(key).or_else(|| SUBMIT[1..].contains(&key).then(|| row(SUBMIT[0])).flatten())
    }

    /// Whether a function key, or one with Ctrl, does something on any screen.
    pub fn is_known(&self, press: KeyPress) -> bool {
        let (press, key) = (press.fold(), press.fold().to_string());
        let is_command = matches!(press.key, Key::F(_)) || key.starts_with("Ctrl+");
        is_command && self.bindings.iter().any(|binding| binding.keys.contains(&key))
    }

    /// The key that does this here, as hints show it; `None` if none does.
    pub fn key(&self, context: Context, action: &Action) -> Option<&str> {
        self.holding(context).find(|binding| binding.action == *action).map(Binding::key_text)
    }

    /// The place in the table of the row that does this here.
    pub fn place(&self, context: Context, action: &Action) -> Option<usize> {
        let row = self.holding(context).find(|binding| binding.action == *action)?;
        self.bindings.iter().position(|binding| std::ptr::eq(binding, row))
    }

    /// What the row in this place does here; nothing if it holds on other screens.
    pub fn action_at(&self, context: Context, place: usize) -> Option<&Action> {
        let row = self.bindings.get(place)?;
        context.chain().any(|near| near == row.context).then_some(&row.action)
    }

    /// The key of an action by its name: `inbox.redo`, or `redo` for the nearest context that has it.
    pub fn key_named(&self, contexts: &[Context], name: &str) -> Option<&str> {
        let near = contexts.iter().flat_map(|&context| self.holding(context));
        let (context, action) = name.split_once('.').map_or((None, name), |(c, action)| (Some(c), action));
        let named = |binding: &&Binding| {
            binding.action.name() == action && context.is_none_or(|context| context == binding.context.name())
        };
        near.chain(&self.bindings).find(named).map(Binding::key_text)
    }

    /// The rows whose keys hold in a context, the nearest first.
    fn holding(&self, context: Context) -> impl Iterator<Item = &Binding> {
        context.chain().flat_map(|context| self.rows(context))
    }

    pub fn rows(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |binding| binding.context == context)
    }

    /// The rows of the footer, the most wanted first. A key that does something else in this context is not among them.
    pub fn hints(&self, context: Context) -> Vec<&Binding> {
        let holds = |binding: &&Binding| {
            let found = || self.find(context, &binding.keys[0]);
            binding.footer > 0 && found().is_some_and(|found| std::ptr::eq(found, *binding))
        };
        let mut hints: Vec<_> = self.holding(context).filter(holds).collect();
        hints.sort_by_key(|binding| binding.footer);
        hints
    }
}

impl Binding {
    /// Where it is and what it does, as the settings name it: `inbox.redo`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.context.name(), self.action.name())
    }

    /// The key that hints show: the first one, or the range for the digits.
    pub fn key_text(&self) -> &str {
        if matches!(self.action, Action::Number(_)) { "1-9" } else { &self.keys[0] }
    }

    /// All keys, for help.
    pub fn keys_text(&self) -> String {
        if matches!(self.action, Action::Number(_)) { "1-9".to_owned() } else { self.keys.join("  ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    fn resolve(context: Context, press: KeyPress) -> Option<Action> {
        Keymap::default().resolve(context, press)
    }

    #[test]
    fn every_key_can_be_read_and_none_stands_twice_in_a_context() {
        for &context in Context::VARIANTS {
            let mut seen = Vec::new();
            for binding in BINDINGS.iter().filter(|binding| binding.context == context) {
                for key in &binding.keys {
                    let press = KeyPress::parse(key).unwrap_or_else(|| panic!("{key} is no key"));
                    assert_eq!(press.to_string(), *key, "keys are compared as they are shown");
                    assert!(!seen.contains(&press), "{key} stands twice in {context:?}");
                    seen.push(press);
                }
            }
        }
    }

    #[test]
    fn no_letter_acts_and_every_letter_begins_a_filter() {
        let letters = ('a'..='z').chain('A'..='Z').chain(['起', 'é', 'ｑ', '《', 'ж']);
        for letter in letters {
            let press = KeyPress::plain(Key::Char(letter));
            let name = press.to_string();
            assert!(BINDINGS.iter().all(|binding| !binding.keys.contains(&name)), "{name} is a key");
            for list in [Context::Inbox, Context::Choice, Context::Multi, Context::History, Context::Story] {
                assert_eq!(resolve(list, press), Some(Action::Edit(Edit::Insert(letter.to_string()))));
            }
        }
        for list in [Context::Inbox, Context::Choice, Context::History, Context::Story, Context::Packets] {
            assert_eq!(Keymap::default().key(list, &Action::Filter), Some("Ctrl+F"), "{list:?}");
        }
        let number = |context| resolve(context, KeyPress::plain(Key::Char('4')));
        assert_eq!(number(Context::Choice), Some(Action::Number(4)));
        for list in [Context::Inbox, Context::History, Context::ChoiceFilter, Context::MultiFilter] {
            assert_eq!(number(list), Some(Action::Edit(Edit::Insert("4".to_owned()))), "{list:?}");
        }
    }

    #[test]
    fn a_key_has_one_meaning_on_every_screen() {
        // A page is left by the key that opens it; the one way to a record has two steps.
        let meaning = |action: &Action| match action {
            Action::Submit => Action::Review.name(),
            action => action.name(),
        };
        // In a text field keys with Ctrl edit the text, as everywhere.
        let is_text = |binding: &&Binding| binding.context == Context::Field;
        let mut meanings: std::collections::BTreeMap<&str, Vec<&str>> = std::collections::BTreeMap::new();
        for binding in BINDINGS.iter().filter(|binding| binding.action != Action::Back) {
            for key in &binding.keys {
                let function = matches!(KeyPress::parse(key), Some(KeyPress { key: Key::F(_), .. }));
                if function || key.starts_with("Ctrl+") && !is_text(&binding) {
                    meanings.entry(key).or_default().push(meaning(&binding.action));
                }
            }
        }
        for (key, mut all) in meanings {
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 1, "{key}: {all:?}");
        }
    }

    #[test]
    fn text_fields_take_every_character() {
        for c in ['j', 'q', '1', '/', '？', '字', ' ', '\u{3000}'] {
            let press = KeyPress::plain(Key::Char(c));
            assert_eq!(resolve(Context::Field, press), Some(Action::Edit(Edit::Insert(c.to_string()))));
        }
    }

    #[test]
    fn full_width_keys_are_commands_in_lists() {
        let wide = Some(Action::Edit(Edit::Insert("３".to_owned())));
        assert_eq!(
            resolve(Context::Choice, KeyPress::plain(Key::Char('３'))),
            wide,
            "an input method writes it"
        );
        assert_eq!(resolve(Context::Multi, KeyPress::plain(Key::Char('\u{3000}'))), Some(Action::Pick));
        assert_eq!(resolve(Context::Inbox, KeyPress::plain(Key::Char('？'))), Some(Action::Help));
        let line_feed = KeyPress::parse("ctrl+j").expect("a key");
        assert_eq!(resolve(Context::Inbox, line_feed), Some(Action::Accept));
        assert_eq!(resolve(Context::Field, line_feed), Some(Action::Edit(Edit::Newline)));
        assert_eq!(resolve(Context::Multi, KeyPress::plain(Key::Char('／'))), Some(Action::Filter));
    }

    #[test]
    fn what_acts_as_another_key_is_listed_once() {
        for key in ["ctrl+enter", "alt+enter"].map(|key| KeyPress::parse(key).expect("a key")) {
            assert_eq!(BINDINGS.iter().filter(|row| row.keys.contains(&key.to_string())).count(), 1, "{key}");
            for (context, action) in [(Context::Choice, Action::Review), (Context::Field, Action::Review)] {
                assert_eq!(resolve(context, key), Some(action));
            }
            assert_eq!(resolve(Context::Review, key), Some(Action::Submit));
            assert_eq!(resolve(Context::Inbox, key), None);
        }
    }

    #[test]
    fn enter_never_submits() {
        let enter = KeyPress::plain(Key::Enter);
        assert!(Context::VARIANTS.iter().all(|&context| resolve(context, enter) != Some(Action::Submit)));
    }
}
