//! The console as an [`App`]: it turns input into actions, updates the model, starts effects, and draws.

use super::action::{Action, Target};
use super::context::{Context, context};
use super::effect::{Effect, EffectResult, FromEditor, NewGates, Reply, Request};
use super::event::{Event, Input};
use super::field::Edit;
use super::key::{Key, KeyPress};
use super::keymap::Keymap;
use super::model::{Message, Model, Size, Tone};
use super::run_loop::{App, Flow};
use super::sentences::{self as s, unsaved_words};
use super::terminal_focus::TerminalFocus;
use super::theme::Theme;
use super::view;
use crate::error::Error;
use crate::store::clock::Clock;
use crate::store::drafts::autosave::Unsaved;
use crate::text::say;
use ratatui::Frame;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

/// Handles the effects that concern neither the loop nor the terminal.
pub trait EffectRunner {
    /// Handles an effect now or later. Returns what is known at once; the rest arrives as events.
    fn send(&mut self, effect: Effect) -> Option<EffectResult>;
    /// A frame was painted: work that waits for the first one can begin.
    fn shown(&mut self) -> Option<EffectResult> {
        None
    }
    /// Saves what is not saved yet, within half a second; tells what could not be saved.
    fn flush(&mut self) -> Option<Unsaved>;
    /// Writes a text for the author's editor to a file with this ending.
    fn write_editor_file(&mut self, text: &str, ending: &str) -> Option<PathBuf>;
    /// Reads the text that the editor left in it, however it ended.
    fn read_editor_file(&mut self) -> Option<String>;
    /// Tells the author outside the screen.
    fn notify(&mut self, gates: &NewGates);
}

/// Gives the name of the next theme, and the theme or why it cannot be had.
pub type NextTheme = Box<dyn FnMut() -> (String, Result<Theme, Error>)>;

/// What the next keys wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Reply,
    /// The first gates: without them, no key has a meaning.
    FirstGates,
}

pub struct Console<E> {
    pub model: Model,
    pub theme: Theme,
    pub next_theme: Option<NextTheme>,
    worker: E,
    clock: Arc<dyn Clock>,
    hits: Vec<(Rect, Target)>,
    focus: TerminalFocus,
    /// A reply is on its way that decides what the next keys mean.
    underway: Option<Awaited>,
    /// What was read meanwhile, each read by itself.
    held: VecDeque<Vec<Input>>,
}

impl Awaited {
    fn is_ended_by(self, result: &EffectResult) -> bool {
        match (self, result) {
            (Awaited::Reply, EffectResult::Reply(_)) | (Awaited::FirstGates, EffectResult::RootGone) => true,
            (Awaited::FirstGates, EffectResult::Entries { entries, complete }) => {
                *complete || !entries.is_empty()
            }
            _ => false,
        }
    }
}

impl<E: EffectRunner> Console<E> {
    pub fn new(model: Model, theme: Theme, worker: E, clock: Arc<dyn Clock>) -> Console<E> {
        let model = Model { zone: clock.zone(), ..model };
        Console {
            model,
            theme,
            next_theme: None,
            worker,
            clock,
            hits: Vec::new(),
            focus: TerminalFocus::default(),
            underway: None,
            held: VecDeque::new(),
        }
    }

    /// Where its effects go.
    pub fn runner(&mut self) -> &mut E {
        &mut self.worker
    }

    /// Holds keys until the first gates are known: the author typed them for these.
    pub fn await_gates(&mut self) {
        self.underway = Some(Awaited::FirstGates);
    }

    /// Opens a gate's form, as soon as it is loaded.
    pub fn open(&mut self, path: PathBuf) -> Flow {
        self.dispatch(vec![Request::Open(path).into()])
    }

    /// Applies an action and starts its effects.
    pub fn act(&mut self, action: Action) -> Flow {
        self.look_at_the_clock();
        let effects = super::update::update(&mut self.model, action);
        self.dispatch(effects)
    }

    /// Applies a result.
    pub fn apply(&mut self, result: EffectResult) -> Flow {
        self.look_at_the_clock();
        let arrived = self.underway.is_some_and(|awaited| awaited.is_ended_by(&result));
        if arrived {
            // First: its own effects may be requests that keys wait for again.
            self.underway = None;
        }
        let news = super::update::is_news(&self.model, &result);
        let effects = super::update::apply(&mut self.model, result);
        let mut flow = self.dispatch(effects);
        if !news && flow == Flow::Redraw {
            flow = Flow::Unchanged;
        }
        if arrived && self.underway.is_none() {
            return flow.max(self.go_on());
        }
        flow
    }

    fn look_at_the_clock(&mut self) {
        (self.model.now, self.model.zone) = (self.clock.now(), self.clock.zone());
    }

    /// Applies the held inputs, in the order they were read.
    fn go_on(&mut self) -> Flow {
        let mut flow = Flow::Unchanged;
        let mut held = std::mem::take(&mut self.held);
        while let Some(read) = held.pop_front() {
            flow = flow.max(self.take(&read));
            if self.underway.is_some() || matches!(flow, Flow::Quit(_)) {
                break;
            }
        }
        self.held.append(&mut held);
        flow
    }

    fn dispatch(&mut self, effects: Vec<Effect>) -> Flow {
        let mut flow = Flow::Redraw;
        let mut pending = VecDeque::from(effects);
        while let Some(effect) = pending.pop_front() {
            match effect {
                Effect::Leave(code) => match self.worker.flush() {
                    None => flow = Flow::Quit(code),
                    // Two presses are an answer; only words that would be lost are worth a question.
                    Some(unsaved) if code == super::update::INTERRUPTED && unsaved.file.is_ok() => {
                        flow = Flow::Quit(code);
                    }
                    Some(unsaved) => super::update::ask_to_stay(&mut self.model, code, unsaved),
                },
                Effect::Quit(code) => flow = Flow::Quit(code),
                Effect::Suspend => flow = Flow::Suspend,
                Effect::Repaint => flow = Flow::Repaint,
                Effect::NextTheme => self.take_next_theme(),
                Effect::Notify(gates) => self.worker.notify(&gates),
                Effect::Ask(Request::Edit { text, ending }) => {
                    if let Some(file) = self.worker.write_editor_file(&text, ending) {
                        // Keys behind this one are for the text that comes back.
                        self.underway = Some(Awaited::Reply);
                        flow = Flow::Edit(file);
                    } else {
                        self.model.say(Tone::Bad, Message::from(s::EDITOR_FAILED));
                    }
                }
                effect => {
                    let asked = matches!(effect, Effect::Ask(_));
                    let result = self.worker.send(effect);
                    if asked && result.is_none() {
                        self.underway = Some(Awaited::Reply);
                    }
                    let follow = result.map(|result| super::update::apply(&mut self.model, result));
                    pending.extend(follow.unwrap_or_default());
                }
            }
        }
        flow
    }

    fn take_next_theme(&mut self) {
        let (tone, message) = match self.next_theme.as_mut().map(|next| next()) {
            Some((name, Ok(theme))) => {
                self.theme = theme;
                let says = say(
                    "Theme {0} until you quit. To keep it: theme = \"{0}\" in config.toml",
                    "主题 {0}，退出后不保留。要保留：在 config.toml 里写 theme = \"{0}\"",
                );
                (Tone::Plain, Message::new(says, &[&name]))
            }
            Some((name, Err(error))) => {
                let says = say("The theme {0} cannot be used: {1}", "主题 {0} 不可用：{1}");
                (Tone::Bad, Message::new(says, &[&name, &error.text(self.model.lang)]))
            }
            None => (
                Tone::Plain,
                Message::from(say(
                    "Colours are off: NO_COLOR or --color never.",
                    "没有使用颜色：NO_COLOR 或 --color never。",
                )),
            ),
        };
        self.model.say(tone, message);
    }

    /// Everything that one read brought.
    pub fn inputs(&mut self, inputs: &[Input]) -> Flow {
        let meant = self.focus.meant(inputs, self.clock.now());
        self.take(&meant)
    }

    /// Takes inputs that are meant for the console. While a reply is on its way that decides what keys mean, they are held: none is
    /// lost, and none does what the author could not foresee.
    fn take(&mut self, inputs: &[Input]) -> Flow {
        let mut flow = Flow::Unchanged;
        let mut at = 0;
        while at < inputs.len() {
            if self.underway.is_some() {
                return flow.max(self.hold(&inputs[at..]));
            }
            let (used, action) = self.next_action(&inputs[at..]);
            at += used;
            let next = match action {
                Some(action) => self.act(action),
                None => continue,
            };
            flow = flow.max(next);
            if matches!(flow, Flow::Quit(_)) {
                break;
            }
        }
        flow
    }

    /// Holds inputs, except those that cannot wait.
    fn hold(&mut self, inputs: &[Input]) -> Flow {
        let (urgent, rest): (Vec<Input>, Vec<Input>) =
            inputs.iter().cloned().partition(|input| is_urgent(&self.model.keymap, input));
        if !rest.is_empty() {
            self.held.push_back(rest);
        }
        let mut flow = Flow::Unchanged;
        for input in urgent {
            if let (_, Some(action)) = self.next_action(&[input]) {
                flow = flow.max(self.act(action));
            }
        }
        flow
    }

    /// The action at the front, and how many inputs it takes. A run of characters is one insertion.
    fn next_action(&mut self, inputs: &[Input]) -> (usize, Option<Action>) {
        let here = context(&self.model);
        match &inputs[0] {
            Input::Key(press) => {
                let (used, words) = written(inputs, here, &self.model.keymap);
                if used > 0 {
                    return (used, Some(Action::Edit(Edit::Insert(words))));
                }
                (1, self.model.keymap.resolve(here, *press))
            }
            Input::Paste(text) if here.hears_words() => (1, Some(Action::Edit(Edit::Insert(text.clone())))),
            Input::Paste(_) | Input::FocusLost | Input::FocusGained => (1, None),
            Input::Click { column, row } => (1, self.target(*column, *row).map(Action::Point)),
            Input::ScrollUp { .. } => (1, Some(Action::Up)),
            Input::ScrollDown { .. } => (1, Some(Action::Down)),
            Input::Resize { width, height } => {
                super::update::resize(&mut self.model, Size { width: *width, height: *height });
                (1, Some(Action::Redraw))
            }
        }
    }

    fn target(&self, column: u16, row: u16) -> Option<Target> {
        self.hits
            .iter()
            .rev()
            .find(|(area, _)| area.contains((column, row).into()))
            .map(|(_, target)| *target)
    }
}

/// The characters at the front of a read, as one text. A line end among them that has more characters behind it in the
/// same read was pasted; one that ends the read is the Enter key.
fn written(inputs: &[Input], here: Context, keymap: &Keymap) -> (usize, String) {
    let text_of = |input: &Input| match input {
        Input::Key(press) => keymap.text(here, *press),
        _ => None,
    };
    let in_field = here == Context::Field;
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
    let Input::Key(press) = input else { return matches!(input, Input::Resize { .. }) };
    matches!(
        keymap.resolve(Context::Global, *press),
        Some(Action::Interrupt | Action::Suspend | Action::Redraw)
    )
}

impl<E: EffectRunner> App for Console<E> {
    fn update(&mut self, event: Event) -> Flow {
        match event {
            Event::Input(inputs) => self.inputs(&inputs),
            Event::Store(result) => self.apply(result),
            Event::Edited(end) => {
                self.focus = TerminalFocus::default();
                let text = self.worker.read_editor_file();
                self.apply(EffectResult::Reply(Reply::Edited(FromEditor { text, end })))
            }
            Event::Continued => {
                self.focus = TerminalFocus::default();
                Flow::Repaint
            }
            Event::AmbiguousCells(_)
            | Event::Ending(_)
            | Event::Suspend
            | Event::Hangup
            | Event::Written(_) => Flow::Unchanged,
        }
    }

    fn draw(&mut self, frame: &mut Frame) {
        let area = frame.area();
        self.model.size = Size { width: area.width, height: area.height };
        let drawn = view::draw(&self.model, &self.theme, frame);
        self.hits = drawn.hits;
        if let Some(result) = self.worker.shown() {
            self.apply(result);
        }
    }

    fn flush(&mut self) -> Option<String> {
        self.worker.flush().map(|unsaved| unsaved_words(&unsaved).text(self.model.lang))
    }
}
