//! The console as an [`App`]: it turns input into actions, carries effects out, and draws.

use super::action::{Action, Target};
use super::edit::text::EditedRecord;
use super::field::Edit;
use super::form::keep::DraftToSave;
use super::model::{Entry, Message, Model, Size, Tone};
use super::news::News;
use super::screen::{Edited, Effect, FromEditor, Job, NewGates, Then};
use super::sentences::{self as s, unsaved_words};
use super::stack::{INTERRUPTED, Outcome, Stack};
use super::theme::Theme;
use crate::console::input::key::{Key, KeyPress};
use crate::console::input::keymap::{Context, Keymap};
use crate::console::terminal::event::{Event, Input};
use crate::console::terminal::focus::TerminalFocus;
use crate::console::terminal::run_loop::{App, Flow};
use crate::error::Error;
use crate::store::clock::Clock;
use crate::store::drafts::autosave::Unsaved;
use crate::text::say;
use ratatui::Frame;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

/// Carries out what concerns neither the loop nor the terminal, now or later; what comes of it later arrives as events.
pub trait EffectRunner {
    /// Has a job done; what is known at once is returned.
    fn start(&mut self, job: Job) -> Option<Then>;
    fn save(&mut self, draft: &DraftToSave) -> Option<News>;
    fn keep_edited(&mut self, edited: &EditedRecord) -> Option<News>;
    /// Notes the records that others have written.
    fn note_seen(&mut self, entries: Vec<Arc<Entry>>);
    /// Looks at the files now; at all of them if `anew`.
    fn look(&mut self, _anew: bool) {}
    /// A frame was painted: work that waits for the first one can begin.
    fn shown(&mut self) -> Option<News> {
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
    Job,
    /// The first gates: without them, no key has a meaning.
    FirstGates,
}

pub struct Console<E> {
    pub stack: Stack,
    pub theme: Theme,
    pub next_theme: Option<NextTheme>,
    worker: E,
    clock: Arc<dyn Clock>,
    hits: Vec<(Rect, Target)>,
    focus: TerminalFocus,
    /// Something is on its way that decides what the next keys mean.
    underway: Option<Awaited>,
    /// What was read meanwhile, each read by itself.
    held: VecDeque<Vec<Input>>,
    /// A text is in the author's editor.
    edited: Option<Edited>,
}

impl<E: EffectRunner> Console<E> {
    pub fn new(model: Model, theme: Theme, worker: E, clock: Arc<dyn Clock>) -> Console<E> {
        let model = Model { zone: clock.zone(), ..model };
        Console {
            stack: Stack::new(model),
            theme,
            next_theme: None,
            worker,
            clock,
            hits: Vec::new(),
            focus: TerminalFocus::default(),
            underway: None,
            held: VecDeque::new(),
            edited: None,
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
    pub fn open(&mut self, packet: PathBuf) -> Flow {
        let effects = self.stack.open(packet);
        self.carry_out(effects)
    }

    /// Applies an action and carries its effects out.
    pub fn act(&mut self, action: Action) -> Flow {
        self.look_at_the_clock();
        let effects = self.stack.act(action);
        self.carry_out(effects)
    }

    /// Something happened outside.
    pub fn hear(&mut self, news: News) -> Flow {
        self.look_at_the_clock();
        let arrived = self.underway == Some(Awaited::FirstGates)
            && match &news {
                News::RootGone => true,
                News::Entries { entries, complete } => *complete || !entries.is_empty(),
                _ => false,
            };
        let outcome = self.stack.hear(news);
        self.finish(outcome, arrived)
    }

    /// A job is done; the keys waited for it if `awaited`. Without its result, it has failed.
    pub fn done(&mut self, then: Option<Then>, awaited: bool) -> Flow {
        self.look_at_the_clock();
        let outcome = match then {
            Some(then) => self.stack.follow(then),
            None => self.stack.fail(Message::from(say(
                "That failed because of a bug in novel-gate. Your answers are kept.",
                "操作失败：程序内部错误。你的回答已保留。",
            ))),
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
        if !outcome.is_changed && flow == Flow::Redraw {
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

    fn carry_out(&mut self, effects: Vec<Effect>) -> Flow {
        let mut flow = Flow::Redraw;
        let mut pending = VecDeque::from(effects);
        while let Some(effect) = pending.pop_front() {
            let news = match effect {
                Effect::Job(job) => {
                    let awaited = job.is_awaited;
                    match self.worker.start(job) {
                        Some(then) => pending.extend(self.stack.follow(then).effects),
                        None if awaited => self.underway = Some(Awaited::Job),
                        None => {}
                    }
                    None
                }
                Effect::Save(draft) => self.worker.save(&draft),
                Effect::KeepEdited(edited) => self.worker.keep_edited(&edited),
                effect => {
                    flow = self.carry_out_here(effect, flow);
                    None
                }
            };
            if let Some(news) = news {
                pending.extend(self.stack.hear(news).effects);
            }
        }
        flow
    }

    /// Carries out what concerns the loop or the terminal.
    fn carry_out_here(&mut self, effect: Effect, flow: Flow) -> Flow {
        match effect {
            Effect::Leave(code) => match self.worker.flush() {
                None => return Flow::Quit(code),
                // Two presses are an answer; only words that would be lost are worth a question.
                Some(unsaved) if code == INTERRUPTED && unsaved.file.is_ok() => return Flow::Quit(code),
                Some(unsaved) => self.stack.ask_to_stay(code, unsaved),
            },
            Effect::Quit(code) => return Flow::Quit(code),
            Effect::Suspend => return Flow::Suspend,
            Effect::Repaint => return Flow::Repaint,
            Effect::NextTheme => self.take_next_theme(),
            Effect::Notify(gates) => self.worker.notify(&gates),
            Effect::NoteSeen(entries) => self.worker.note_seen(entries),
            Effect::Look => self.worker.look(false),
            Effect::Rescan => self.worker.look(true),
            Effect::Edit { text, ending, then } => {
                if let Some(file) = self.worker.write_editor_file(&text, ending) {
                    // Keys behind this one are for the text that comes back.
                    (self.underway, self.edited) = (Some(Awaited::Job), Some(then));
                    return Flow::Edit(file);
                }
                self.stack.model.say(Tone::Bad, Message::from(s::EDITOR_FAILED));
            }
            Effect::Job(_) | Effect::Save(_) | Effect::KeepEdited(_) => {}
        }
        flow
    }

    /// What came back from the author's editor.
    fn take_edited(&mut self, back: FromEditor) -> Flow {
        let Some(edited) = self.edited.take() else { return Flow::Redraw };
        self.look_at_the_clock();
        let outcome = self.stack.take_edited(edited, back);
        self.finish(outcome, self.underway == Some(Awaited::Job))
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
                (Tone::Bad, Message::new(says, &[&name, &error.text(self.stack.model.lang)]))
            }
            None => (
                Tone::Plain,
                Message::from(say(
                    "Colours are off: NO_COLOR or --color never.",
                    "没有使用颜色：NO_COLOR 或 --color never。",
                )),
            ),
        };
        self.stack.model.say(tone, message);
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
            inputs.iter().cloned().partition(|input| is_urgent(&self.stack.model.keymap, input));
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
        let here = self.stack.model.here;
        match &inputs[0] {
            Input::Key(press) => {
                let (used, words) = written(inputs, here, &self.stack.model.keymap);
                if used > 0 {
                    return (used, Some(Action::Edit(Edit::Insert(words))));
                }
                (1, self.stack.model.keymap.resolve(here, *press))
            }
            Input::Paste(text) if here.hears_words() => (1, Some(Action::Edit(Edit::Insert(text.clone())))),
            Input::Paste(_) | Input::FocusLost | Input::FocusGained => (1, None),
            Input::Click { column, row } => (1, self.target(*column, *row).map(Action::Point)),
            Input::ScrollUp { .. } => (1, Some(Action::Up)),
            Input::ScrollDown { .. } => (1, Some(Action::Down)),
            Input::Resize { width, height } => {
                self.stack.resize(Size { width: *width, height: *height });
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
            Event::News(news) => self.hear(news),
            Event::Done { then, awaited } => self.done(then, awaited),
            Event::Edited(end) => {
                self.focus = TerminalFocus::default();
                let text = self.worker.read_editor_file();
                self.take_edited(FromEditor { text, end })
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
        self.stack.resize(Size { width: area.width, height: area.height });
        let drawn = self.stack.draw(&self.theme, frame);
        self.hits = drawn.hits;
        if let Some(news) = self.worker.shown() {
            self.hear(news);
        }
    }

    fn flush(&mut self) -> Option<String> {
        self.worker.flush().map(|unsaved| unsaved_words(&unsaved).text(self.stack.model.lang))
    }
}
