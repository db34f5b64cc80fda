//! The stack of screens and what they share: an action or a piece of news changes it, and leaves effects to be carried out.
//!
//! Pure: no file, no terminal, no clock but the model's own. The inbox is always at the bottom; over it one screen at most;
//! over that a page or a question, and the help over all.

use super::action::Action;
use super::copy;
use super::draw::footer::{self, Hint};
use super::draw::layout::{self, RectExt};
use super::draw::line::{Line, LineExt, line, wrapped};
use super::draw::painter::{Drawn, Painter};
use super::edit::{self, Edited};
use super::field::{Edit, filter_line};
use super::files::Files;
use super::form::Form;
use super::help::Help;
use super::inbox::acts::{self as inbox, InboxScreen};
use super::inbox::{kept, redo};
use super::model::{Model, Notice, NoticeTopic, Place, Size, Tone};
use super::news::{self, News};
use super::page::Page;
use super::prompt::Leaving;
use super::screen::Available::{self, As, AtEnd, No, Unlisted, Yes};
use super::screen::{Cx, Effect, Part, Screen, View};
use super::sentences as s;
use super::story;
use super::theme::{Role, Theme};
use crate::ask::Kind;
use crate::console::form::status::Warning;
use crate::console::input::keymap::{Binding, Context};
use crate::text::{Sentence, say};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The exit code after it, as of a program that the signal ends.
pub const INTERRUPTED: i32 = 130;
/// Rows that a lasting sentence above the footer may take; it covers what is below it.
const NOTICE_ROWS: usize = 4;

#[derive(Clone)]
pub struct Stack {
    pub model: Model,
    screens: Vec<Box<dyn Screen>>,
}

pub struct Outcome {
    pub effects: Vec<Effect>,
    /// Whether anything that is visible may have changed.
    pub is_changed: bool,
}

impl<'a> View<'a> {
    fn top(self) -> (&'a dyn Screen, View<'a>) {
        let (top, below) = self.below.split_last().unwrap_or_else(|| unreachable!("the inbox stays"));
        (top.as_ref(), View { below, ..self })
    }

    fn find<T: Screen>(self) -> Option<&'a T> {
        self.below.iter().rev().find_map(|screen| screen.seen_as())
    }

    fn offer(self, action: &Action) -> Available {
        let (here, model) = (self.model.here, self.model);
        let (top, view) = self.top();
        match action {
            Action::Edit(Edit::Insert(text)) => offer_words(top, here, text),
            Action::Story if matches!(here, Context::Inbox | Context::InboxFilter) => {
                match model.inbox.selected() {
                    Some(_) => Unlisted,
                    None if model.inbox.is_empty() => No(s::NOTHING_LISTED),
                    None => No(s::NO_STORY),
                }
            }
            Action::Story if model.story_files().is_none() => No(s::NO_STORY),
            Action::HandBack => match model.relayed() {
                Some(_) if model.is_orphaned() => As(say("take it away", "撤下")),
                Some(_) => Yes,
                None => No(say(
                    "Only a question that an executor asks in its own dialog can be answered there.",
                    "只有执行器在自己的对话框里提出的问题，才能交还给它。",
                )),
            },
            Action::Language if !matches!(here, Context::Inbox | Context::Help) => Unlisted,
            Action::Copy if top.copied(view).is_none() => No(s::NOTHING_TO_COPY),
            // Digits are text there, and the filter has the keys already.
            Action::Filter | Action::Number(_) if here.is_filter() => Unlisted,
            action => top.offer(action, view),
        }
    }

    fn refusal(self, action: &Action) -> Option<(Tone, Sentence)> {
        let (top, view) = self.top();
        match self.offer(action) {
            _ if top.is_guarded(action, view) => {
                let is_prompt = self.model.here == Context::Prompt;
                Some((Tone::Warn, if is_prompt { s::TOO_SOON } else { s::QUESTIONS_MOVED }))
            }
            No(why) => Some((Tone::Plain, why)),
            _ => None,
        }
    }
}

/// What the author may do where nothing is shown: type on, say no, and leave.
fn is_blind(action: &Action) -> bool {
    matches!(
        action,
        Action::Edit(_)
            | Action::Refuse
            | Action::Quit
            | Action::Interrupt
            | Action::Suspend
            | Action::Redraw
            | Action::Rescan
    )
}

/// Words that were typed or pasted: into a field, into the filter of a list, or nowhere.
fn offer_words(top: &dyn Screen, here: Context, text: &str) -> Available {
    let form = top.seen_as::<Form>().filter(|form| !form.in_review);
    let question = form.map(Form::question);
    let takes_all = question.is_some_and(|asked| asked.kind == Kind::FreeText || asked.allow_other);
    match here {
        Context::Field | Context::Reason => Yes,
        Context::Review | Context::Receipt | Context::Detail => No(say(
            "There is no place for words here. What you typed or pasted was not taken.",
            "这里不能输入文字。刚才输入或粘贴的内容没有采用。",
        )),
        _ if filter_line(text).is_some() || takes_all => Yes,
        _ => No(s::TOO_MUCH_TO_FILTER),
    }
}

impl Stack {
    pub fn new(model: Model) -> Stack {
        Stack { model, screens: vec![Box::new(InboxScreen)] }
    }

    fn view(&self) -> View<'_> {
        View { model: &self.model, below: &self.screens }
    }

    /// The screen, page or question of this kind, if it is there.
    pub fn find<T: Screen>(&self) -> Option<&T> {
        self.view().find()
    }

    /// Whether a sign that is a key in a list, such as `/`, is text now, alone and with more text behind it.
    pub fn goes_on_writing(&self, now: std::time::SystemTime) -> (bool, bool) {
        let form = self.view().top().0.seen_as::<Form>();
        form.map_or((false, false), |form| form.goes_on_writing(now))
    }

    /// The screen beneath all pages and questions.
    pub fn screen(&self) -> Option<&dyn Screen> {
        self.screens.iter().rev().map(AsRef::as_ref).find(|screen| screen.place().is_some())
    }

    pub fn is_open(&self) -> bool {
        self.view().top().0.place().is_some()
    }

    /// The keys of the footer with what they are called here, the most wanted one first.
    pub fn hints(&self) -> Vec<Hint<'_>> {
        let (top, view) = self.view().top();
        let wanted = top.wanted(view);
        let mut bindings = self.model.keymap.hints(self.model.here);
        // The others stay in the order of the key map.
        bindings.sort_by_key(|binding| {
            wanted.iter().position(|action| *action == binding.action).unwrap_or(usize::MAX)
        });
        let hint = |binding: &&Binding| match self.view().offer(&binding.action) {
            Yes => Some(binding.says),
            As(says) => Some(says),
            Unlisted | No(_) | AtEnd => None,
        };
        let named = bindings.into_iter().filter_map(|binding| Some((binding, hint(&binding)?)));
        named.map(|(binding, says)| (binding, says.text(self.model.lang))).collect()
    }

    /// A key has come, whatever it does.
    pub fn touch(&mut self, action: &Action) {
        for screen in &mut self.screens {
            screen.touch(action, &mut self.model);
        }
    }

    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        // A new size of the terminal arrives as a redraw, and is no key.
        if action != Action::Redraw {
            self.touch(&action);
        }
        let was = self.model.notice.take_if(|notice| {
            let seen = matches!(notice.topic, Some(NoticeTopic::PressAgain | NoticeTopic::Refused(_)))
                || self.model.place != Place::Form
                || notice.tone == Tone::Good;
            seen || !matches!(action, Action::Edit(_))
        });
        self.change(true, |cx| act(action, was.as_ref(), cx)).effects
    }

    pub fn hear(&mut self, news: News) -> Outcome {
        self.follow(|cx| news::take(news, cx))
    }

    /// A job is done, a text came back from the author's editor, or something else was found out.
    pub fn follow(&mut self, then: impl FnOnce(&mut Cx<'_>)) -> Outcome {
        let aim = inbox::aim(&self.model);
        let due = self.model.inbox.is_any_due(self.model.now);
        self.change(false, |cx| {
            news::wake(cx);
            then(cx);
            make_moves(cx);
            inbox::watch(aim.filter(|_| !cx.is_authors), cx);
            cx.unchanged &= !due;
        })
    }

    pub fn resize(&mut self, size: Size) {
        self.model.size = size;
    }

    /// Makes a change, and what follows from it in the stack.
    fn change(&mut self, by_key: bool, change: impl FnOnce(&mut Cx<'_>)) -> Outcome {
        let mut cx = Cx::new(&mut self.model, &mut self.screens);
        settle(&mut cx);
        let here = cx.model.here;
        let (asked, said) = (cx.view().find::<Form>().and_then(Form::asked), cx.model.notice.clone());
        change(&mut cx);
        make_moves(&mut cx);
        cx.screens.retain(|screen| screen.stands(cx.model));
        cx.on::<Form>(|form, cx| form.watch(asked.as_ref(), said.as_ref(), by_key, cx));
        settle(&mut cx);
        if !by_key {
            forget_refusal(here, &mut cx);
        }
        Outcome { effects: cx.effects, is_changed: !cx.unchanged }
    }

    pub fn paint(&self, theme: &Theme, buffer: &mut Buffer) -> Drawn {
        let model = &self.model;
        let mut painter = Painter::new(buffer, theme, model.voice());
        if layout::is_too_small(model.size) {
            let rows =
                wrapped(theme[Role::Text], s::TOO_SMALL.text(model.lang), usize::from(model.size.width));
            painter.lines(Rect::new(0, 0, model.size.width, model.size.height), rows);
            return painter.finish();
        }
        let sentence = self.notice().map(|notice| self.sentence(theme, notice));
        if let Some((area, _)) = &sentence {
            painter.will_cover(*area);
        }
        let (top, view) = self.view().top();
        top.draw(view, &mut painter);
        if let Some((area, lines)) = sentence {
            painter.fill(area, Role::Text);
            painter.unhit(area);
            painter.lines(area.inset(1, 0), lines);
        }
        footer::draw(&mut painter, layout::footer(model.size), &self.hints());
        painter.finish()
    }

    /// The sentence above the footer: what has just happened, else what lastingly holds. A question stands there itself.
    fn notice(&self) -> Option<(Tone, String)> {
        let model = &self.model;
        if matches!(model.here, Context::Prompt | Context::Later | Context::Leaving) {
            return None;
        }
        let fresh = model.notice.as_ref().map(|notice| (notice.tone, model.voice().text(&notice.message)));
        let gone = model.is_project_gone.then(|| (Tone::Bad, s::ROOT_GONE.text(model.lang).to_owned()));
        fresh.or(gone).or_else(|| {
            let form = self.screen()?.seen_as::<Form>()?;
            // The page of the review begins with it.
            let is_on_page = self.find::<Page>().is_some_and(|page| page.part == Part::Whole);
            form.lasting(model).filter(|_| !(form.in_review && is_on_page))
        })
    }

    fn sentence(&self, theme: &Theme, (tone, words): (Tone, String)) -> (Rect, Vec<Line>) {
        let model = &self.model;
        let (sign, role) = match tone {
            Tone::Good => ("✓ ", Role::Good),
            Tone::Plain => ("· ", Role::Text),
            Tone::Warn => ("▲ ", Role::Warn),
            Tone::Bad => ("✕ ", Role::Bad),
        };
        let style = theme[role];
        let inner = usize::from(model.size.width.saturating_sub(4).min(layout::READING));
        let mut lines = wrapped(style, &words, inner);
        // What has just happened is shown whole: the next key takes it away. What lasts is whole among the details.
        let (height, lasts) = (usize::from(model.size.height), model.notice.is_none());
        let most = if lasts { NOTICE_ROWS.min(height / 2) } else { height.saturating_sub(2) };
        if lines.len() > most {
            let key = model.voice().key(&Action::Expand).filter(|_| lasts && self.is_open());
            let key = key.map_or_else(Line::default, |key| line(style, " ").add(theme[Role::Key], key));
            lines.truncate(most);
            let last = lines.pop().unwrap_or_default().add(style, "…");
            lines.push(last.fit(inner.saturating_sub(key.cells())).join(key));
        }
        let area = layout::above_footer(model.size, lines.len());
        let lines = lines.into_iter().enumerate().map(|(row, words)| {
            let start = if row == 0 { line(style, sign) } else { Line::default().gap(2) };
            start.join(words)
        });
        (area, lines.collect())
    }
}

fn act(action: Action, was: Option<&Notice>, cx: &mut Cx<'_>) {
    let (top, view) = cx.view().top();
    // The only copy of a text does not go with a key: saving it is tried again.
    let unkept = top.seen_as::<Edited>().map(|top| &top.edited).filter(|edited| !edited.kept);
    let unkept = unkept.filter(|_| matches!(action, Action::Help | Action::Back | Action::Quit)).cloned();
    if let Some(unkept) = unkept {
        return edit::check(unkept, cx);
    }
    let is_open = top.place().is_some();
    match action {
        action if layout::is_too_small(cx.model.size) && !is_blind(&action) => {
            cx.model.say_about(NoticeTopic::Refused(None), Tone::Plain, s::TOO_SMALL);
        }
        Action::Help => cx.push(Help::default()),
        Action::Language => cx.model.lang = cx.model.lang.other(),
        Action::Theme => cx.do_next(Effect::NextTheme),
        action if let Some((tone, why)) = cx.view().refusal(&action) => {
            cx.model.say_about(NoticeTopic::Refused(Some(action)), tone, why);
        }
        action if cx.view().offer(&action) == AtEnd => {}
        Action::Quit => save_first(Effect::Leave(0), cx),
        Action::Interrupt => interrupt(was, cx),
        Action::Suspend => save_first(Effect::Suspend, cx),
        Action::Redraw => cx.do_next(Effect::Repaint),
        Action::Rescan => {
            cx.do_next(Effect::Repaint);
            cx.do_next(Effect::Rescan);
        }
        Action::Copy => {
            let text = top.copied(view).unwrap_or_default();
            copy::copy(&text, cx);
        }
        Action::Expand if is_open && cx.model.place == Place::Inbox => inbox::show_details(cx),
        Action::Expand if is_open => cx.cover(Page::new(Part::Whole)),
        Action::ScrollUp | Action::ScrollDown if is_open => {
            top.pane(view.model).into_iter().for_each(|pane| pane.step(action == Action::ScrollDown));
        }
        Action::HandBack if is_open => {
            cx.on::<Form>(|form, cx| form.save(cx));
            redo::hand_back(cx);
        }
        Action::Story if is_open => story::open(cx),
        action => cx.with(cx.screens.len() - 1, |top, cx| top.act(action, cx)),
    }
}

/// Leaves the program, if the notice that was shown asked for the key again.
fn interrupt(was: Option<&Notice>, cx: &mut Cx<'_>) {
    let asked = was.filter(|notice| notice.topic == Some(NoticeTopic::PressAgain));
    let is_told = cx.view().find::<Leaving>().is_some();
    if asked.is_some() {
        let leave = if is_told { Effect::Quit(INTERRUPTED) } else { Effect::Leave(INTERRUPTED) };
        return save_first(leave, cx);
    }
    let open = cx.model.left.as_deref().or_else(|| cx.view().find::<Form>());
    let is_unkept = open.is_some_and(|form| form.status.warnings.contains_key(&Warning::Unkept));
    let says = if is_told || is_unkept {
        say("Press {interrupt} again to quit.", "再按一次 {interrupt} 退出。")
    } else {
        // Saving may take a while yet; leaving waits for it, or puts them elsewhere.
        say(
            "Press {interrupt} again to quit; your answers will be kept.",
            "再按一次 {interrupt} 退出，回答会保留。",
        )
    };
    cx.model.say_about(NoticeTopic::PressAgain, Tone::Warn, says);
    cx.on::<Form>(|form, cx| form.save(cx));
}

/// What was said of a key goes with its cause: the action is on offer now, or other keys hold.
fn forget_refusal(before: Context, cx: &mut Cx<'_>) {
    let refused = cx.model.notice.as_ref().and_then(|notice| notice.topic.as_ref());
    let Some(NoticeTopic::Refused(action)) = refused else { return };
    let is_on_offer = action.as_ref().is_some_and(|action| cx.view().refusal(action).is_none());
    if is_on_offer || cx.model.here != before {
        cx.model.notice = None;
    }
}

fn save_first(then: Effect, cx: &mut Cx<'_>) {
    cx.on::<Form>(|form, cx| form.save(cx));
    cx.do_next(then);
}

fn make_moves(cx: &mut Cx<'_>) {
    while !cx.moves.is_empty() {
        cx.moves.remove(0)(cx);
        settle(cx);
    }
}

/// What the stack says of itself to the rest.
fn settle(cx: &mut Cx<'_>) {
    let view = cx.view();
    let (top, below) = view.top();
    let place = view.below.iter().rev().find_map(|screen| screen.place());
    let open = view.find::<Form>().map(|form| form.gate.path.clone());
    let here = top.context(view.model);
    let beneath = match (top.place(), below.beneath()) {
        (None, Some(beneath)) => beneath.context(view.model),
        _ => here,
    };
    if cx.model.open.is_some() && open.is_none() {
        kept::look(true, cx);
        // The form was left, or its record is written: other consoles may answer the gate.
        let release = |files: &Files| {
            files.release_gate();
            None::<()>
        };
        cx.tell(None, release, |(), _| {});
    }
    (cx.model.place, cx.model.open) = (place.unwrap_or(Place::Inbox), open);
    (cx.model.here, cx.model.beneath) = (here, beneath);
}
