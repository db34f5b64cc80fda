//! The full-screen console.
//!
//! Input becomes actions; the stack of screens changes and leaves effects; a frame shows it. Here the parts are put together:
//! the loop on the terminal, a thread that works for it, a thread that watches the files.

pub mod action;
pub mod app;
mod copy;
pub mod draw;
pub mod edit;
pub mod field;
pub mod files;
pub mod filtered_list;
pub mod form;
mod hearing;
pub mod help;
pub mod history;
pub mod inbox;
pub mod input;
pub mod look;
pub mod model;
pub mod news;
pub mod page;
pub mod prompt;
pub mod questions;
pub mod receipt;
pub mod review;
mod rounds;
pub mod sample;
pub mod screen;
mod sent_back;
pub mod sentences;
pub mod stack;
mod standing;
pub mod story;
pub mod terminal;
pub mod theme;
pub mod voice;
mod worker;

use self::app::Console;
use self::files::Files;
use self::input::keymap::Keymap;
use self::look::Look;
use self::model::{Model, Size};
use self::news::News;
use self::terminal::event::Event;
use self::terminal::run_loop::Options;
use self::worker::Worker;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::terminal::IS_CONSOLE;
use crate::store::clock::Clock;
use crate::store::config::Notify;
use crate::store::drafts::Drafts;
use crate::store::drafts::autosave::Autosave;
use crate::store::{Project, StateDir, lock};
use crate::text::{Lang, Message, say};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

pub struct Settings {
    pub project: Project,
    /// Where drafts and history lie.
    pub state: StateDir,
    pub lang: Lang,
    pub look: Look,
    pub keymap: Keymap,
    /// What is wrong with the author's settings and theme.
    pub problems: Vec<Message>,
    /// The packet to open at once, relative to the root or absolute.
    pub packet: Option<PathBuf>,
    pub mouse: bool,
    pub clipboard: bool,
    /// Cells of a character of ambiguous width; the terminal is asked if it is not set.
    pub ambiguous_cells: Option<usize>,
    pub notify: Notify,
    pub clock: Arc<dyn Clock>,
}

/// Runs the console on the terminal until the author leaves; gives the exit code.
///
/// # Errors
/// There is no terminal, or it cannot be taken.
pub fn run(settings: Settings) -> Result<i32, Error> {
    if !terminal::is_terminal() {
        let sentence = say(
            "The console needs a terminal that can move its cursor, for input and output.",
            "控制台的输入与输出都需要能移动光标的终端。",
        );
        let hint = say(
            "In scripts use list, show, check, answer, wait and redo. In a terminal that cannot move its cursor \
             (TERM=dumb), `answer PACKET` asks line by line.",
            "在脚本中请使用 list、show、check、answer、wait 和 redo。在不能移动光标的终端（TERM=dumb）中，\
             `answer PACKET` 逐行提问。",
        );
        let on_windows = say(
            "In scripts use list, show, check, answer, wait and redo. A window of Git Bash (mintty) is no console of \
             Windows: use Windows Terminal, or start the console with `winpty novel-gate`. It needs Windows 10 or later.",
            "在脚本中请使用 list、show、check、answer、wait 和 redo。Git Bash 自带的窗口（mintty）不是 Windows \
             控制台：请改用 Windows 终端，或用 `winpty novel-gate` 启动。需要 Windows 10 或更高版本。",
        );
        let hint = if IS_CONSOLE { on_windows } else { hint };
        return Err(Error::new(ExitCode::Usage, "no-terminal", sentence, &[]).hint(hint, &[]));
    }
    let (sender, receiver) = mpsc::channel();
    let project = Arc::new(settings.project);
    let autosave = Arc::new(autosave(&settings.state, sender.clone()));
    // Other programs may ask whether a console is open; without the lock the console runs all the same.
    let open_lock = lock::open_console(&settings.state).ok();
    let files = Files::new(project.clone(), settings.state, settings.clock.clone(), Some(autosave.clone()));
    let lent = files.recover_lent();
    let worker = Worker::start(files, autosave.clone(), sender.clone(), settings.notify)
        .map_err(|cause| Error::no_thread(&cause))?;
    let mut model =
        Model::new(project.name(), settings.lang, Size { width: 80, height: 24 }, settings.clock.now());
    model.keymap = Arc::new(settings.keymap);
    model.clipboard = settings.clipboard;
    model.tell_problems(settings.problems);
    model.tell_recovered(&autosave.recover());
    model.tell_lent(&lent);
    let follow_ground = settings.look.follow_ground;
    let mut console = Console::new(model, settings.look, worker, settings.clock);
    console.await_gates();
    if let Some(packet) = settings.packet {
        console.open(project.relative(&packet).to_path_buf());
    }
    let (rescue, lang) = (autosave.clone(), settings.lang);
    let options = Options {
        mouse: settings.mouse,
        follow_ground,
        ambiguous_cells: settings.ambiguous_cells,
        rescue: Arc::new(move || {
            form::keep::flush(&rescue).map(|unsaved| sentences::unsaved_words(&unsaved).text(lang))
        }),
    };
    let code = terminal::run_loop::run(&mut console, sender, &receiver, options);
    drop(open_lock);
    code.map_err(|cause| {
        Error::io("terminal", say("The terminal cannot be used.", "无法使用终端。"), &[], &cause)
    })
}

fn autosave(state: &StateDir, sender: Sender<Event>) -> Autosave {
    let state = state.apart();
    let drafts = Drafts::new(&state);
    let kept = drafts.clone();
    let report = move |answer_path, trouble: Option<Message>| {
        // Sending fails only after the loop has ended.
        let tell = |news| drop(sender.send(Event::News(news)));
        if trouble.is_none() && kept.is_shared(&answer_path) {
            tell(News::Shared(answer_path.clone()));
        }
        std::iter::from_fn(|| state.take_notice()).map(News::Failed).for_each(tell);
        let trouble = trouble.map(|why| sentences::not_kept(&why));
        tell(News::DraftTrouble(answer_path, trouble));
    };
    Autosave::new(drafts, report)
}
