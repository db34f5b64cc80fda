//! The console as an [`App`]: it turns input into actions, carries effects out, and draws.

use super::action::{Action, Target};
use super::field::Edit;
use super::form;
use super::look::Look;
use super::model::{Model, NoticeTopic, Size, Tone};
use super::news::News;
use super::prompt::{self, Leaving};
use super::screen::{Edited, Effect, FromEditor, Then, Wait};
use super::sentences::{self as s, unsaved_words};
use super::stack::{INTERRUPTED, Outcome, Stack};
use crate::console::input::key::{Key, KeyPress};
use crate::console::input::keymap::{Context, Keymap};
use crate::console::terminal::event::{Event, Input};
use crate::console::terminal::focus::TerminalFocus;
use crate::console::terminal::run_loop::{App, Flow};
use crate::error::Message;
use crate::store::clock::Clock;
use crate::store::drafts::autosave::Unsaved;
use crate::store::drafts::loan::Loan;
use crate::store::watch::StoreEvent;
use crate::text::say;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Carries out what concerns neither the loop nor the terminal, now or later.
pub trait EffectRunner {
    /// Carries out a job, a save, a notice, a look at the files. What is known at once is returned; the rest arrives as events.
    fn run(&mut self, effect: Effect) -> Option<Then>;
    /// A frame was painted: work that waits for the first one can begin.
    fn shown(&mut self) -> Option<News> {
        None
    }
    /// Saves what is not saved yet, within half a second; tells what could not be saved.
    fn flush(&mut self) -> Option<Unsaved>;
    /// Writes a text for the author's editor to a file.
    fn write_editor_file(&mut self, text: &str, loan: Loan) -> Option<PathBuf>;
    /// The editor runs, as this process.
    fn is_lent_to(&mut self, _editor: u32) {}
    /// Reads the text that the editor left in it, however it ended; an error as that of [`FromEditor::text`].
    fn read_editor_file(&mut self) -> Result<String, Option<PathBuf>>;
}

/// Two presses within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Job,
    /// The first gates: without them, no key has a meaning.
    FirstGates,
}

pub struct Console<E> {
    pub stack: Stack,
    pub look: Look,
    worker: E,
    clock: Arc<dyn Clock>,
    hits: Vec<(Rect, Target)>,
    /// When the author clicked on words of a key last, and which keys held.
    clicked: Option<(SystemTime, Context)>,
    focus: TerminalFocus,
    /// Something is on its way that decides what the next keys mean.
    underway: Option<Awaited>,
    /// What was read meanwhile, each read by itself.
    held: VecDeque<Vec<Input>>,
    edited: Option<Edited>,
}

impl<E: EffectRunner> Console<E> {
    pub fn new(model: Model, look: Look, worker: E, clock: Arc<dyn Clock>) -> Console<E> {
        let model = Model { zone: clock.zone(), ..model };
        Console {
            stack: Stack::new(model),
            look,
            worker,
            clock,
            hits: Vec::new(),
            clicked: None,
            focus: TerminalFocus::default(),
            underway: None,
            held: VecDeque::new(),
            edited: None,
        }
    }

    pub fn runner(&mut self) -> &mut E {
        &mut self.worker
    }

    /// Holds keys until the first gates are known: the author typed them for these.
    pub fn await_gates(&mut self) {
        self.underway = Some(Awaited::FirstGates);
    }

    /// Opens a gate's form, as soon as it is loaded, and selects the gate, as soon as it is listed.
    pub fn open(&mut self, packet: PathBuf) -> Flow {
        let inbox = &mut self.stack.model.inbox;
        inbox.named = Some(packet.clone()).filter(|_| !inbox.complete);
        let effects = self.stack.follow(|cx| form::open::open(packet, cx)).effects;
        self.carry_out(effects)
    }

    pub fn act(&mut self, action: Action) -> Flow {
        self.look_at_the_clock();
        let effects = self.stack.act(action);
        self.carry_out(effects)
    }

    pub fn hear(&mut self, news: News) -> Flow {
        self.look_at_the_clock();
        let are_gates = matches!(news, News::Store(StoreEvent::RootGone | StoreEvent::Entries { .. }));
        let arrived = are_gates && self.underway == Some(Awaited::FirstGates);
        let outcome = self.stack.hear(news);
        self.finish(outcome, arrived)
    }

    /// A job is done; the keys waited for it if `awaited`. Without its result, it has failed.
    pub fn done(&mut self, then: Option<Then>, awaited: bool) -> Flow {
        self.look_at_the_clock();
        let outcome = match then {
            Some(then) => self.stack.follow(then),
            None => self.stack.follow(|cx| {
                let says = say(
                    "That failed because of a bug in novel-gate. Your answers are kept.",
                    "操作失败：程序内部错误。你的回答已保留。",
                );
                cx.fail(Message::from(says));
            }),
        };
        self.finish(outcome, awaited && self.underway == Some(Awaited::Job))
    }

    /// Carries out what a result leaves to be done; if it was waited for, the held keys follow.
    fn finish(&mut self, outcome: Outcome, arrived: bool) -> Flow {
        if arrived {
            // First: its own effects may be jobs that keys wait for again.
            self.underway = None;
        }
        let mut flow = self.carry_out(outcome.effects);
        if !outcome.is_changed && flow <= Flow::Redraw {
            flow = Flow::Unchanged;
        }
        if arrived && self.underway.is_none() {
            return flow.max(self.go_on());
        }
        flow
    }

    fn look_at_the_clock(&mut self) {
        (self.stack.model.now, self.stack.model.zone) = (self.clock.now(), self.clock.zone());
    }

    fn go_on(&mut self) -> Flow {
        let mut flow = Flow::Unchanged;
        let mut held = std::mem::take(&mut self.held);
        while self.underway.is_none() && !matches!(flow, Flow::Quit(_)) {
            let Some(read) = held.pop_front() else { break };
            flow = flow.max(self.take(&read));
        }
        // What was left of the last read stands before the others.
        self.held.append(&mut held);
        flow
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Flow {
        let (mut flow, mut is_soon) = (Flow::Redraw, false);
        let mut pending = VecDeque::from(effects);
        while let Some(effect) = pending.pop_front() {
            match effect {
                Effect::Leave(code) => flow = flow.max(self.leave(code)),
                Effect::Quit(code) => flow = flow.max(Flow::Quit(code)),
                Effect::Suspend => flow = flow.max(Flow::Suspend),
                Effect::Repaint => flow = flow.max(Flow::Repaint),
                Effect::NextTheme => {
                    let (tone, says) = self.look.take_next(self.stack.model.lang);
                    self.stack.model.say(tone, says);
                }
                Effect::Edit { text, loan, then } => match self.worker.write_editor_file(&text, loan) {
                    Some(file) => {
                        // Keys behind this one are for the text that comes back.
                        (self.underway, self.edited) = (Some(Awaited::Job), Some(then));
                        flow = flow.max(Flow::Edit(file));
                    }
                    None => self.stack.model.say(Tone::Bad, s::EDITOR_FAILED),
                },
                effect => {
                    let wait = if let Effect::Job(job) = &effect { job.wait } else { Wait::Nothing };
                    if let Some(then) = self.worker.run(effect) {
                        pending.extend(self.stack.follow(then).effects);
                        continue;
                    }
                    is_soon |= wait != Wait::Nothing;
                    if wait == Wait::Keys {
                        self.underway = Some(Awaited::Job);
                    }
                }
            }
        }
        if is_soon && flow == Flow::Redraw { Flow::RedrawSoon } else { flow }
    }

    fn leave(&mut self, code: i32) -> Flow {
        match self.worker.flush() {
            // Two presses are an answer; only words that would be lost are worth a question.
            Some(unsaved) if code != INTERRUPTED || unsaved.file.is_err() => {
                self.stack.follow(|cx| cx.cover(Leaving { code, unsaved }));
                Flow::Redraw
            }
            _ => Flow::Quit(code),
        }
    }

    pub fn inputs(&mut self, inputs: &[Input]) -> Flow {
        let mut meant = inputs.to_vec();
        let now = self.clock.now();
        meant.retain(|input| self.focus.is_meant(input, now));
        self.take(&meant)
    }

    /// Takes inputs that are meant for the console. While a reply is on its way that decides what keys mean, they are held: none is
    /// lost, and none does what the author could not foresee.
    fn take(&mut self, mut inputs: &[Input]) -> Flow {
        let mut flow = Flow::Unchanged;
        while !inputs.is_empty() && !matches!(flow, Flow::Quit(_)) {
            if self.underway.is_some() {
                return flow.max(self.hold(inputs));
            }
            let (used, action) = self.next_action(inputs);
            let done = match (action, &inputs[0]) {
                (Some(action), _) => self.act(action),
                (None, Input::Key(_) | Input::Paste(_)) => self.refuse(&inputs[0]),
                _ => Flow::Unchanged,
            };
            inputs = &inputs[used..];
            flow = flow.max(done);
        }
        flow
    }

    fn hold(&mut self, inputs: &[Input]) -> Flow {
        let (urgent, rest): (Vec<Input>, Vec<Input>) =
            inputs.iter().cloned().partition(|input| is_urgent(&self.stack.model.keymap, input));
        if !rest.is_empty() {
            self.held.push_back(rest);
        }
        let actions = urgent.into_iter().filter_map(|input| {
            let (_, action) = self.next_action(&[input]);
            action.map(|action| self.act(action))
        });
        actions.max().unwrap_or(Flow::Unchanged)
    }

    /// The action at the front, and how many inputs it takes. A run of characters is one insertion.
    fn next_action(&mut self, inputs: &[Input]) -> (usize, Option<Action>) {
        let here = self.stack.model.here;
        let keymap = &self.stack.model.keymap;
        let action = match &inputs[0] {
            Input::Key(press) => {
                let writing = self.stack.goes_on_writing(self.clock.now());
                let (used, words) = written(inputs, here, keymap, writing);
                if used > 0 {
                    return (used, Some(Action::Edit(Edit::Insert(words))));
                }
                keymap.resolve(here, *press)
            }
            Input::Paste(text) if here.hears_words() => Some(Action::Edit(Edit::Insert(text.clone()))),
            Input::Paste(_) | Input::FocusLost | Input::FocusGained => None,
            Input::Click { column, row } => self.click(*column, *row),
            Input::ScrollUp => Some(Action::Up),
            Input::ScrollDown => Some(Action::Down),
            Input::Resize(size) => {
                self.stack.resize(*size);
                Some(Action::Redraw)
            }
        };
        (1, action)
    }

    /// Says of a key that acts on other screens that it does nothing on this one; of any key, which ones a question takes.
    fn refuse(&mut self, input: &Input) -> Flow {
        self.look_at_the_clock();
        // Words that go nowhere, and a line end may follow.
        if let Input::Paste(_) | Input::Key(KeyPress { key: Key::Char(_), ctrl: false, alt: false, .. }) =
            input
        {
            self.stack.touch(&Action::Edit(Edit::Insert(String::new())));
        }
        let model = &mut self.stack.model;
        let says = match (prompt::its_keys(model.here), input) {
            (Some(its_keys), _) => Message::from(its_keys),
            (None, Input::Key(press)) if model.keymap.is_known(*press) => {
                let says = say(
                    "{0} does nothing on this screen; {help} lists the keys that do.",
                    "{0} 在这里不起作用；按 {help} 查看这里的按键。",
                );
                Message::new(says, &[&press.fold().to_string()])
            }
            (None, _) => return Flow::Unchanged,
        };
        model.say_about(NoticeTopic::Refused(None), Tone::Plain, says);
        Flow::Redraw
    }

    /// What a click does: what its key does, if that is what was drawn there.
    fn click(&mut self, column: u16, row: u16) -> Option<Action> {
        let target = self.target(column, row)?;
        let Target::Key(place) = target else { return Some(Action::Point(target)) };
        let here = self.stack.model.here;
        let action = self.stack.model.keymap.action_at(here, place)?.clone();
        let now = self.clock.now();
        // The second press of a double click is for the screen that the first one has left.
        let before = self.clicked.replace((now, here));
        let is_second = |(then, was): (SystemTime, Context)| {
            was != here && now.duration_since(then).is_ok_and(|since| since < DOUBLE_CLICK)
        };
        (!before.is_some_and(is_second)).then_some(action)
    }

    fn target(&self, column: u16, row: u16) -> Option<Target> {
        let hit = self.hits.iter().rev().find(|(area, _)| area.contains((column, row).into()));
        hit.map(|(_, target)| *target)
    }
}

/// The characters at the front of a read, as one text. A line end among them that has more characters behind it in the
/// same read was pasted; one that ends the read is the Enter key.
fn written(inputs: &[Input], here: Context, keymap: &Keymap, (runs, leads): (bool, bool)) -> (usize, String) {
    let typed = |input: Option<&Input>| match input {
        Some(Input::Key(press)) => press.text(),
        _ => None,
    };
    // Behind a digit, what is a key in a list may be text.
    let first = typed(inputs.first()).filter(|c| !c.is_alphanumeric());
    let is_text = first.is_some_and(|c| runs && c != ' ' || leads && typed(inputs.get(1)).is_some());
    let text_of = |input: &Input| match input {
        Input::Key(press) if is_text => press.text(),
        Input::Key(press) => keymap.text(here, *press),
        _ => None,
    };
    let in_field = here.is_text();
    let last = in_field.then(|| inputs.iter().rposition(|input| text_of(input).is_some())).flatten();
    let mut words = String::new();
    let mut used = 0;
    for (at, input) in inputs.iter().enumerate() {
        let line_end = in_field && *input == Input::Key(KeyPress::plain(Key::Enter));
        match text_of(input) {
            Some(c) => words.push(c),
            None if line_end && last.is_some_and(|last| at < last) => words.push('\n'),
            None => break,
        }
        used = at + 1;
    }
    (used, words)
}

/// Whether an input cannot wait: a new size of the terminal, and the ways out for an author who waits too long.
fn is_urgent(keymap: &Keymap, input: &Input) -> bool {
    let Input::Key(press) = input else { return matches!(input, Input::Resize(_)) };
    matches!(
        keymap.resolve(Context::Global, *press),
        Some(Action::Interrupt | Action::Suspend | Action::Rescan)
    )
}

impl<E: EffectRunner> App for Console<E> {
    fn update(&mut self, event: Event) -> Flow {
        match event {
            Event::Input(inputs) => self.inputs(&inputs),
            Event::News(news) => self.hear(news),
            Event::Done { then, awaited } => self.done(then, awaited),
            Event::Ground(ground) if self.look.take_ground(ground) => Flow::Redraw,
            Event::Edited(end) => {
                self.focus = TerminalFocus::default();
                let text = self.worker.read_editor_file();
                let Some(edited) = self.edited.take() else { return Flow::Redraw };
                self.look_at_the_clock();
                let outcome = self.stack.follow(|cx| edited(FromEditor { text, end }, cx));
                self.finish(outcome, self.underway == Some(Awaited::Job))
            }
            Event::Continued => {
                self.focus = TerminalFocus::default();
                Flow::Repaint
            }
            // The loop's own, or nothing new.
            _ => Flow::Unchanged,
        }
    }

    fn is_lent_to(&mut self, editor: u32) {
        self.worker.is_lent_to(editor);
    }

    fn draw(&mut self, buffer: &mut Buffer) -> Option<(u16, u16)> {
        self.stack.resize(Size { width: buffer.area.width, height: buffer.area.height });
        let drawn = self.stack.paint(&self.look.theme, buffer);
        self.hits = drawn.hits;
        if let Some(news) = self.worker.shown() {
            self.hear(news);
        }
        drawn.cursor
    }

    fn flush(&mut self) -> Option<String> {
        self.worker.flush().map(|unsaved| unsaved_words(&unsaved).text(self.stack.model.lang))
    }
}
