//! The stack of screens and what they share: an action or a piece of news changes it, and leaves effects to be carried out.
//!
//! Pure: no file, no terminal, no clock but the model's own. The inbox is always at the bottom; over it one screen at most;
//! over that a page or a question, and the help over all.

use super::action::Action;
use super::draw::footer::{self, Hint};
use super::draw::layout::{self, RectExt};
use super::draw::line::{Line, LineExt, line, wrapped};
use super::draw::painter::{Drawn, Painter};
use super::edit::{self, Edited};
use super::field::{Edit, filter_line};
use super::form::{self, Form};
use super::help::Help;
use super::inbox::acts::{self as inbox, InboxScreen};
use super::inbox::redo;
use super::model::{Message, Model, Notice, NoticeTopic, Place, Size, Tone, Unsaved, Warning};
use super::news::{self, News};
use super::page::Page;
use super::prompt::Leaving;
use super::screen::Available::{self, As, No, Unlisted, Yes};
use super::screen::{Cx, Effect, FromEditor, Move, Part, Screen, Then, View};
use super::sentences as s;
use super::story;
use super::theme::{Role, Theme};
use crate::ask::Kind;
use crate::console::input::keymap::{Binding, Context};
use crate::text::say;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::time::Duration;

/// A second Ctrl+C within this time leaves the program.
const INTERRUPT_TWICE: Duration = Duration::from_secs(3);
/// The exit code after it, as of a program that the signal ends.
pub const INTERRUPTED: i32 = 130;
/// Rows that a lasting sentence above the footer may take; it covers what is below it.
const NOTICE_ROWS: usize = 4;

#[derive(Clone)]
pub struct Stack {
    pub model: Model,
    screens: Vec<Box<dyn Screen>>,
}

/// What an action or news left behind.
pub struct Outcome {
    pub effects: Vec<Effect>,
    /// Whether anything that is visible may have changed.
    pub is_changed: bool,
}

impl Stack {
    pub fn new(model: Model) -> Stack {
        Stack { model, screens: vec![Box::new(InboxScreen)] }
    }

    /// The screen of this kind, if it is there.
    pub fn find<T: Screen>(&self) -> Option<&T> {
        self.screens.iter().rev().find_map(|screen| screen.seen_as())
    }

    fn top(&self) -> (&dyn Screen, View<'_>) {
        let (top, below) = self.screens.split_last().unwrap_or_else(|| unreachable!("the inbox stays"));
        (top.as_ref(), View { model: &self.model, below })
    }

    /// The screen beneath all pages and questions.
    pub fn screen(&self) -> Option<&dyn Screen> {
        self.screens.iter().rev().map(AsRef::as_ref).find(|screen| screen.place().is_some())
    }

    /// Whether nothing lies over the screen.
    pub fn is_open(&self) -> bool {
        self.top().0.place().is_some()
    }

    /// What an action does where the author is.
    pub fn offer(&self, action: &Action) -> Available {
        let (here, model) = (self.model.here, &self.model);
        let (top, view) = self.top();
        match action {
            Action::Edit(Edit::Insert(text)) => self.offer_words(here, text),
            Action::Story if matches!(here, Context::Inbox | Context::InboxFilter) => {
                if model.inbox.is_empty() { No(None) } else { Unlisted }
            }
            Action::Story if model.story_files().is_none() => No(model.open.is_some().then_some(s::NO_STORY)),
            Action::HandBack => match model.relayed() {
                Some(_) if model.is_orphaned() => As(say("take it away", "撤下")),
                Some(_) => Yes,
                None => No(Some(say(
                    "No executor waits for an answer to this gate; it is asked here.",
                    "没有执行器在等这个门控的回答，它在这里作答。",
                ))),
            },
            // Digits are text there, and the filter has the keys already.
            Action::Filter | Action::Number(_) if here.is_filter() => Unlisted,
            action => top.offer(action, view),
        }
    }

    /// Words that were typed or pasted: into a field, into the filter of a list, or nowhere.
    fn offer_words(&self, here: Context, text: &str) -> Available {
        let form = self.top().0.seen_as::<Form>().filter(|form| !form.in_review);
        let question = form.map(Form::question);
        let takes_all = question.is_some_and(|asked| asked.kind == Kind::FreeText || asked.allow_other);
        match here {
            Context::Field => Yes,
            Context::Review | Context::Receipt | Context::Detail | Context::Help => No(Some(say(
                "There is no place for words here. What you typed or pasted was not taken.",
                "这里不能输入文字。刚才输入或粘贴的内容没有采用。",
            ))),
            _ if filter_line(text).is_some() || takes_all => Yes,
            _ => No(Some(s::TOO_MUCH_TO_FILTER)),
        }
    }

    /// The keys of the footer with what they are called here, the most wanted one first.
    pub fn hints(&self) -> Vec<Hint<'_>> {
        let (top, view) = self.top();
        let wanted = top.wanted(view);
        let mut bindings = self.model.keymap.hints(self.model.here);
        // The others stay in the order of the key map.
        bindings.sort_by_key(|binding| {
            wanted.iter().position(|action| *action == binding.action).unwrap_or(usize::MAX)
        });
        let hint = |binding: &&Binding| match self.offer(&binding.action) {
            Yes => Some(binding.says),
            As(says) => Some(says),
            Unlisted | No(_) => None,
        };
        let named = bindings.into_iter().filter_map(|binding| Some((binding, hint(&binding)?)));
        named.map(|(binding, says)| (binding, says.text(self.model.lang))).collect()
    }

    /// Does something.
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        // A new size of the terminal arrives as a redraw, and is no key.
        if action != Action::Redraw {
            inbox::touch(&mut self.model);
            for screen in &mut self.screens {
                screen.touch(&action, &self.model);
            }
        }
        let was = self.model.notice.take_if(|notice| {
            let seen = matches!(notice.topic, Some(NoticeTopic::PressAgain | NoticeTopic::Refused))
                || self.model.place != Place::Form
                || notice.tone == Tone::Good;
            seen || !matches!(action, Action::Edit(_))
        });
        self.change(true, |stack, changed| stack.act_on(action, was.as_ref(), changed)).effects
    }

    fn act_on(&mut self, action: Action, was: Option<&Notice>, changed: &mut Changed) {
        // The only copy of a text does not go with a key: saving it is tried again.
        let unkept = self.top().0.seen_as::<Edited>().map(|top| &top.edited).filter(|edited| !edited.kept);
        let unkept = unkept.filter(|_| matches!(action, Action::Help | Action::Back | Action::Quit)).cloned();
        if let Some(unkept) = unkept {
            return self.work(changed, |cx| edit::check(unkept, cx));
        }
        match action {
            Action::Help => changed.moves.push(Move::Push(Box::new(Help::default()))),
            Action::Language => self.model.lang = self.model.lang.other(),
            Action::Theme => changed.effects.push(Effect::NextTheme),
            action if self.is_guarded(&action) => self.model.say(Tone::Warn, s::QUESTIONS_MOVED),
            action if self.refuses(&action) => {}
            Action::Quit => self.save_first(Effect::Leave(0), changed),
            Action::Interrupt => self.interrupt(was, changed),
            Action::Suspend => self.save_first(Effect::Suspend, changed),
            Action::Redraw => changed.effects.push(Effect::Repaint),
            Action::Expand if self.is_open() => {
                self.model.inbox.moved |= self.model.place == Place::Inbox;
                changed.moves.push(Move::Cover(Box::new(Page::new(Part::Whole))));
            }
            Action::ScrollUp | Action::ScrollDown if self.is_open() => {
                let (top, view) = self.top();
                top.pane(view.model).into_iter().for_each(|pane| pane.step(action == Action::ScrollDown));
            }
            Action::HandBack if self.is_open() => {
                self.save(changed);
                self.work(changed, redo::hand_back);
            }
            Action::Story if self.is_open() => self.work(changed, story::open),
            action => {
                let top = self.screens.len() - 1;
                self.work(changed, |cx| cx.with(top, |top, cx| top.act(action, cx)));
            }
        }
    }

    /// Whether a stray key is ignored; then a notice says so.
    fn is_guarded(&self, action: &Action) -> bool {
        let (top, view) = self.top();
        top.is_guarded(action, view)
    }

    /// Whether an action does nothing here; then a notice says why.
    fn refuses(&mut self, action: &Action) -> bool {
        let No(why) = self.offer(action) else { return false };
        if let Some(why) = why {
            self.model.say_about(NoticeTopic::Refused, Tone::Plain, why);
        }
        true
    }

    /// Leaves the program, if the notice that was shown asked for the key again.
    fn interrupt(&mut self, was: Option<&Notice>, changed: &mut Changed) {
        let since = |notice: &Notice| self.model.now.duration_since(notice.since).unwrap_or_default();
        let asked = was.filter(|notice| notice.topic == Some(NoticeTopic::PressAgain));
        let is_told = self.find::<Leaving>().is_some();
        if asked.is_some_and(|notice| since(notice) <= INTERRUPT_TWICE) {
            let leave = if is_told { Effect::Quit(INTERRUPTED) } else { Effect::Leave(INTERRUPTED) };
            return self.save_first(leave, changed);
        }
        let open = self.model.left.as_deref().or_else(|| self.find::<Form>());
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
        self.model.say_about(NoticeTopic::PressAgain, Tone::Warn, says);
        self.save(changed);
    }

    fn save(&mut self, changed: &mut Changed) {
        self.work(changed, |cx| cx.on::<Form>(|form, cx| form.save(cx)));
    }

    fn save_first(&mut self, then: Effect, changed: &mut Changed) {
        self.save(changed);
        changed.effects.push(then);
    }

    /// Something happened outside.
    pub fn hear(&mut self, news: News) -> Outcome {
        self.take(|cx| news::take(news, cx))
    }

    /// A job is done.
    pub fn follow(&mut self, then: Then) -> Outcome {
        self.take(then)
    }

    /// A text came back from the author's editor.
    pub fn take_edited(&mut self, edited: impl FnOnce(FromEditor, &mut Cx<'_>), back: FromEditor) -> Outcome {
        self.take(|cx| edited(back, cx))
    }

    fn take(&mut self, then: impl FnOnce(&mut Cx<'_>)) -> Outcome {
        let aim = inbox::aim(&self.model);
        let due = self.model.inbox.is_any_due(self.model.now);
        let mut outcome = self.change(false, |stack, changed| {
            stack.work(changed, |cx| {
                news::wake(cx);
                then(cx);
            });
            stack.make_moves(changed);
            let aim = aim.filter(|_| !changed.is_authors);
            stack.work(changed, |cx| inbox::watch(aim, cx));
        });
        outcome.is_changed |= due;
        outcome
    }

    /// What was asked for has failed because of a fault of the program.
    pub fn fail(&mut self, why: Message) -> Outcome {
        self.take(|cx| {
            cx.model.writing = None;
            cx.fail(why);
        })
    }

    /// Opens a gate's form, as soon as it is loaded.
    pub fn open(&mut self, packet: PathBuf) -> Vec<Effect> {
        self.take(|cx| cx.open(packet)).effects
    }

    /// Asks whether to leave although something is on no disk, or not in its place.
    pub fn ask_to_stay(&mut self, code: i32, unsaved: Unsaved) {
        self.take(|cx| cx.cover(Leaving { code, unsaved }));
    }

    pub fn resize(&mut self, size: Size) {
        self.model.size = size;
    }

    /// Makes a change, and what follows from it in the stack.
    fn change(&mut self, by_key: bool, change: impl FnOnce(&mut Stack, &mut Changed)) -> Outcome {
        self.settle();
        let (asked, said) = (self.find::<Form>().and_then(Form::asked), self.model.notice.clone());
        let mut changed =
            Changed { moves: Vec::new(), effects: Vec::new(), unchanged: false, is_authors: false };
        change(self, &mut changed);
        self.make_moves(&mut changed);
        self.screens.retain(|screen| screen.stands(&self.model));
        self.work(&mut changed, |cx| {
            cx.on::<Form>(|form, cx| form.watch(asked.as_ref(), said.as_ref(), by_key, cx));
        });
        self.settle();
        Outcome { effects: changed.effects, is_changed: !changed.unchanged }
    }

    /// Lets the screens work.
    fn work(&mut self, changed: &mut Changed, work: impl FnOnce(&mut Cx<'_>)) {
        let mut cx = Cx::new(&mut self.model, &mut self.screens);
        work(&mut cx);
        let Cx { moves, effects, unchanged, is_authors, .. } = cx;
        changed.moves.extend(moves);
        changed.effects.extend(effects);
        changed.unchanged |= unchanged;
        changed.is_authors |= is_authors;
    }

    fn make_moves(&mut self, changed: &mut Changed) {
        while !changed.moves.is_empty() {
            match changed.moves.remove(0) {
                Move::Open(packet) => self.work(changed, |cx| form::open::open(packet, cx)),
                Move::Go(screen) => {
                    self.screens.truncate(1);
                    self.screens.push(screen);
                }
                Move::Home => self.screens.truncate(1),
                Move::Cover(screen) => {
                    self.uncover();
                    self.screens.push(screen);
                }
                Move::Push(screen) => self.screens.push(screen),
                Move::Close if self.screens.len() > 1 => drop(self.screens.pop()),
                Move::Close => {}
                Move::Uncover => self.uncover(),
            }
            self.settle();
        }
    }

    fn uncover(&mut self) {
        while !self.is_open() {
            self.screens.pop();
        }
    }

    /// What the stack says of itself to the rest.
    fn settle(&mut self) {
        self.model.place = self.screen().and_then(Screen::place).unwrap_or(Place::Inbox);
        self.model.open = self.find::<Form>().map(|form| form.gate.path.clone());
        let (top, view) = self.top();
        let here = top.context(&self.model);
        let beneath = match (top.place(), view.beneath()) {
            (None, Some(beneath)) => beneath.context(&self.model),
            _ => here,
        };
        (self.model.here, self.model.beneath) = (here, beneath);
    }

    /// Paints it on a buffer.
    pub fn paint(&self, theme: &Theme, buffer: &mut Buffer) -> Drawn {
        let model = &self.model;
        let mut painter = Painter::new(buffer, theme);
        if model.size.width < layout::SMALLEST.width || model.size.height < layout::SMALLEST.height {
            let rows =
                wrapped(theme[Role::Text], s::TOO_SMALL.text(model.lang), usize::from(model.size.width));
            painter.lines(Rect::new(0, 0, model.size.width, model.size.height), rows);
            return painter.finish();
        }
        let sentence = self.notice().map(|notice| self.sentence(theme, notice));
        if let Some((area, _)) = &sentence {
            painter.will_cover(*area);
        }
        let (top, view) = self.top();
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
        let fresh = model.notice.as_ref().map(|notice| (notice.tone, model.text(&notice.message)));
        let gone = model.project.gone.then(|| (Tone::Bad, s::ROOT_GONE.text(model.lang).to_owned()));
        fresh.or(gone).or_else(|| self.screen()?.lasting(model))
    }

    /// That sentence, on as many rows as it takes.
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
            let key = model.key(&Action::Expand).filter(|_| lasts && self.is_open());
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

/// What is collected during a change.
struct Changed {
    moves: Vec<Move>,
    effects: Vec<Effect>,
    unchanged: bool,
    is_authors: bool,
}
