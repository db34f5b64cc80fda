//! The commands, one file each: they call the store and print words or JSON.

use crate::ask::to_line;
use crate::cli::{Global, LangChoice};
use crate::environment::Environment;
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::store::config::{Config, LangName};
use crate::store::history::History;
use crate::store::{Clock, Loaded, Project, StateDir, locate};
use crate::text::sanitize::is_hidden;
use crate::text::wrap::wrapped;
use crate::text::{Lang, Safe, say};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use output::{Envelope, ErrorOutput, Head};

pub mod about;
pub mod answer;
pub mod check;
pub mod compile;
pub mod history;
pub mod hook;
pub mod init;
mod input;
mod lines;
pub mod lint;
pub mod list;
pub mod mcp;
pub mod next;
pub mod output;
pub mod plan;
pub mod redo;
pub mod schema;
pub mod show;
pub mod skill;
pub mod themes;
pub mod wait;
mod wake;

/// The language of the console: that of the command line, else of the settings, else of the environment.
pub fn author_lang(global: &Global, config: &Config, environment: &Environment) -> Lang {
    let set = match config.lang.unwrap_or(LangName::Auto) {
        LangName::Auto => LangChoice::Auto,
        LangName::En => LangChoice::En,
        LangName::ZhCn => LangChoice::ZhCn,
    };
    let choice = if global.lang == LangChoice::Auto { set } else { global.lang };
    choice.lang(&environment.locale)
}

/// The three streams of a process.
pub struct Streams<'s> {
    pub input: &'s mut dyn BufRead,
    pub out: &'s mut dyn Write,
    pub err: &'s mut dyn Write,
}

/// What every command works with.
pub struct Session<'s> {
    pub global: Global,
    pub lang: Lang,
    /// What the process was started with.
    pub environment: Environment,
    pub clock: Arc<dyn Clock>,
    pub streams: Streams<'s>,
    /// Whether the reader of standard output has gone; nothing is written there any more.
    pub closed: bool,
    /// The states that were used, one for each project: each may have a notice to print.
    pub states: Arc<Mutex<Vec<StateDir>>>,
}

impl Session<'_> {
    /// The project that the flags and the current directory mean.
    pub fn project(&self) -> Result<Project, Error> {
        Project::find(self.global.project.as_deref(), &self.environment.cwd)
    }

    /// The state of a project: one, and one connection, for as long as the program runs.
    pub fn state(&self, project: &Project) -> Result<StateDir, Error> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = states.iter().find(|state| state.is_of(project)) {
            return Ok(known.clone());
        }
        let given = self.global.state_dir.as_ref().map(|dir| self.environment.cwd.join(dir));
        let (xdg, home) = (self.environment.xdg_state_home.clone(), self.environment.home.clone());
        let base = StateDir::base(given, xdg, home)?;
        let state = StateDir::new(&base, project);
        states.push(state.clone());
        Ok(state)
    }

    /// Notes a record that somebody else may have written. A command that only reads does not fail if the history does.
    fn note_seen(&self, project: &Project, loaded: &Loaded) {
        if let Ok(state) = self.state(project) {
            state.tolerate(History { project, state: &state, now: self.clock.now() }.see(loaded));
        }
    }

    fn packet(&self, project: &Project, name: &Path) -> Result<PathBuf, Error> {
        locate::packet(project, name, &self.environment.cwd)
    }

    fn warn_of_record(&mut self, project: &Project, path: &Path) {
        if let Some(message) = input::names_record(project, path) {
            self.warn(&[message.text(self.lang)]);
        }
    }

    /// Prints an object with `--json`, else lines for people.
    fn output(&mut self, head: Head, body: impl Serialize, lines: &[String]) -> Result<ExitCode, Error> {
        self.output_exactly(head, body, harmless(lines).as_bytes())
    }

    /// Prints an object with `--json`, else its message.
    fn confirm(&mut self, head: Head, body: impl Serialize) -> Result<ExitCode, Error> {
        let lines = [head.message.clone()];
        self.output(head, body, &lines).map_err(|error| told(error, &lines[0]))
    }

    /// Prints an object with `--json`, else exact bytes.
    fn output_exactly(&mut self, head: Head, body: impl Serialize, bytes: &[u8]) -> Result<ExitCode, Error> {
        if self.global.json {
            return self.json(head, body);
        }
        self.document(bytes)?;
        Ok(head.exit)
    }

    /// Prints an object on a line of its own; the head's exit code ends the command.
    fn json(&mut self, head: Head, body: impl Serialize) -> Result<ExitCode, Error> {
        let exit = head.exit;
        let line = to_line(&Envelope { head, body }) + "\n";
        self.exact(escaped(&line).as_bytes())?;
        Ok(exit)
    }

    /// Prints lines for people, each made harmless.
    fn print(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) -> Result<(), Error> {
        self.exact(harmless(lines).as_bytes())
    }

    /// Prints sentences for people, broken between words where a terminal ends.
    fn print_sentences(&mut self, sentences: &[String]) -> Result<(), Error> {
        let Some(columns) = self.environment.columns.filter(|columns| *columns > 0) else {
            return self.print(sentences);
        };
        let rows = sentences.iter().flat_map(|sentence| wrapped(&Safe::line(sentence), columns));
        self.print(rows.map(|row| row.trim_end().to_owned()))
    }

    /// Prints bytes that somebody else may have written: exactly, but for a terminal with the characters escaped that would do
    /// something to it or could not be seen.
    fn document(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if !self.environment.output_is_terminal {
            return self.exact(bytes);
        }
        self.exact(escaped(&String::from_utf8_lossy(bytes)).as_bytes())
    }

    /// Prints exact bytes, at once. A reader who has gone is no error.
    pub fn exact(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        match self.streams.out.write_all(bytes).and_then(|()| self.streams.out.flush()) {
            Ok(()) => {}
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => self.closed = true,
            Err(cause) => {
                let sentence = say("Cannot write to standard output.", "无法写到标准输出。");
                return Err(Error::io("output-failed", sentence, &[], &cause));
            }
        }
        Ok(())
    }

    /// Whether what goes to standard error is in colour.
    pub fn paints_errors(&self) -> bool {
        let environment = &self.environment;
        self.global.color.paints(environment.errors_are_terminal, environment.is_plain())
    }

    /// Prints lines for people on standard error, each made harmless.
    pub fn warn(&mut self, lines: &[String]) {
        let label = if self.paints_errors() { "\u{1b}[1;31mnovel-gate:\u{1b}[0m" } else { "novel-gate:" };
        // Standard error is the last way out: if it fails, nobody can be warned.
        let _ = write!(self.streams.err, "{label} {}", harmless(lines));
    }

    /// Prints what the author has to know of the state, but for what is said anyway.
    fn print_notices(&mut self, said: Option<&Message>) {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let notices = states.iter().flat_map(|state| iter::from_fn(|| state.take_notice()));
        for notice in notices.filter(|notice| Some(notice) != said) {
            self.warn(&[notice.text(self.lang)]);
        }
    }

    /// Ends a command: prints the notices of the state and the error.
    pub fn conclude(&mut self, outcome: Result<ExitCode, Error>) -> ExitCode {
        self.print_notices(outcome.as_ref().err().map(Error::whole).as_ref());
        let error = match outcome {
            Ok(code) => return code,
            Err(error) => error,
        };
        if self.global.json {
            let Envelope { head, body } = ErrorOutput::of(&error, None, self.lang);
            if self.json(head, body).is_ok() {
                return error.kind;
            }
        }
        self.warn(&[error.text(self.lang)]);
        error.kind
    }
}

/// An error in telling what has been done: that, too.
fn told(error: Error, done: &str) -> Error {
    error.hint(say("{0}", "{0}"), &[done])
}

/// Text with controls and whatever else is not seen as JSON escapes, which say the same in a string; line ends and tabs stay, and
/// the selectors that make a sign an emoji.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    escaped_where(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t' | '\u{fe0e}' | '\u{fe0f}'))
}

/// Text in which nothing steers a terminal, but everything else is as it was: controls and direction marks are JSON escapes.
pub(crate) fn steerless(text: &str) -> Cow<'_, str> {
    escaped_where(text, |c| {
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || c.is_control() && !matches!(c, '\n' | '\t')
    })
}

fn escaped_where(text: &str, is_marked: fn(char) -> bool) -> Cow<'_, str> {
    let text =
        if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    if !text.contains(is_marked) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_marked(c) {
            // Beyond the first plane JSON has an escape for each half.
            c.encode_utf16(&mut [0; 2]).iter().for_each(|half| out += &format!("\\u{half:04x}"));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Lines for people that can do nothing to a terminal.
pub(crate) fn harmless(lines: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut out = String::new();
    for line in lines {
        out.push_str(&Safe::line(line.as_ref()));
        out.push('\n');
    }
    out
}
