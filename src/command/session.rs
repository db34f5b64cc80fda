//! What a command works with: flags, environment, clock, streams, states; and how it prints.

use crate::ask::json::write_line;
use crate::cli::Global;
use crate::command::lines::{escaped, harmless};
use crate::command::output::{Envelope, ErrorOutput, Head};
use crate::environment::Environment;
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::contact::{self, Call, Way};
use crate::store::history::History;
use crate::store::{Clock, Loaded, Project, StateDir, checkpoint, locate};
use crate::text::wrap::wrapped;
use crate::text::{Lang, Safe, say};
use serde::Serialize;
use std::io::{self, BufRead, BufWriter, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How much of an object is printed in one piece.
const AT_ONCE: usize = 64 << 10;

/// A line of JSON on its way to a reader: what could do something to a terminal is escaped. It is written text by text.
struct Line<W: Write>(BufWriter<W>);

impl<W: Write> Line<W> {
    fn print(out: W, object: &impl Serialize) -> io::Result<()> {
        let mut line = Line(BufWriter::with_capacity(AT_ONCE, out));
        let written = write_line(&mut line, object).and_then(|()| line.write_all(b"\n"));
        let written = written.and_then(|()| line.flush());
        // What a reader who has gone did not take is not tried again.
        let _ = line.0.into_parts();
        written
    }
}

impl<W: Write> Write for Line<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(escaped(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
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
        Project::find(self.global.project.as_deref(), &self.environment.cwd).map(Project::patient)
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

    /// Notes that a client has asked something in a project; nobody fails for it.
    pub(super) fn hear(&self, project: &Project, client: &str, way: Way, call: &Call) {
        if let Ok(state) = self.state(project) {
            contact::note(&state, client, way, call);
        }
    }

    /// The same of a command, if a client runs it.
    pub(super) fn hear_command(&self, project: &Project, command: &str, about: Option<&Path>) {
        let about = about.map(Path::shown);
        if let Some((client, mark)) = &self.environment.client {
            // Most only say that it is them.
            let id = Some(mark.as_str()).filter(|mark| mark.len() > "true".len());
            self.hear(project, client, Way::Command, &Call::new(command, about.as_deref(), id));
        }
    }

    /// Notes a record that somebody else may have written. A command that only reads does not fail if the history does.
    pub(super) fn note_seen(&self, project: &Project, loaded: &Loaded) {
        if let Ok(state) = self.state(project) {
            state.tolerate(History { project, state: &state, now: self.clock.now() }.see(loaded));
        }
    }

    pub(super) fn packet(&self, project: &Project, name: &Path) -> Result<PathBuf, Error> {
        locate::packet(project, name, &self.environment.cwd)
    }

    /// Prints an object with `--json`, else lines for people.
    pub(super) fn output(
        &mut self,
        head: Head,
        body: impl Serialize,
        lines: &[String],
    ) -> Result<ExitCode, Error> {
        self.output_exactly(head, body, harmless(lines).as_bytes())
    }

    /// Prints an object with `--json`, else its message.
    pub(super) fn confirm(&mut self, head: Head, body: impl Serialize) -> Result<ExitCode, Error> {
        let lines = [head.message.clone()];
        self.output(head, body, &lines).map_err(|error| told(error, &lines[0]))
    }

    /// Prints an object with `--json`, else exact bytes.
    pub(super) fn output_exactly(
        &mut self,
        head: Head,
        body: impl Serialize,
        bytes: &[u8],
    ) -> Result<ExitCode, Error> {
        if self.global.json {
            return self.json(head, body);
        }
        self.document(bytes)?;
        Ok(head.exit)
    }

    /// Prints an object on a line of its own; the head's exit code ends the command.
    pub(super) fn json(&mut self, head: Head, body: impl Serialize) -> Result<ExitCode, Error> {
        let exit = head.exit;
        self.object(&Envelope { head, body }).map(|()| exit)
    }

    /// Prints a whole object on a line of its own.
    pub(super) fn object(&mut self, object: &impl Serialize) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        let written = Line::print(&mut *self.streams.out, object);
        self.end(written)
    }

    /// Prints lines for people, each made harmless.
    pub(super) fn print(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) -> Result<(), Error> {
        self.exact(harmless(lines).as_bytes())
    }

    /// Prints sentences for people, broken between words where a terminal ends.
    pub(super) fn print_sentences(&mut self, sentences: &[String]) -> Result<(), Error> {
        let Some(columns) = self.environment.columns.filter(|columns| *columns > 0) else {
            return self.print(sentences);
        };
        let rows = sentences.iter().flat_map(|sentence| wrapped(&Safe::line(sentence), columns));
        self.print(rows.map(|row| row.trim_end().to_owned()))
    }

    /// Prints bytes that somebody else may have written: exactly, but for a terminal with the characters escaped that would do
    /// something to it or could not be seen.
    pub(super) fn document(&mut self, bytes: &[u8]) -> Result<(), Error> {
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
        let written = self.streams.out.write_all(bytes).and_then(|()| self.streams.out.flush());
        self.end(written)
    }

    fn end(&mut self, written: io::Result<()>) -> Result<(), Error> {
        match written {
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

    /// Says that the checkpoint cannot be read: what a command does hangs on it.
    pub(super) fn warn_of_checkpoint(&mut self, project: &Project) {
        let sentence = say(
            "The checkpoint .checkpoint.json cannot be read, and no step counts as done until it can. {0}",
            "检查点 .checkpoint.json 读不出；读得出之前，就当没有步骤完成。{0}",
        );
        if let Some(problem) = checkpoint::fault(project) {
            self.warn(&[sentence.fill(self.lang, &[&problem.sentence(self.lang)])]);
        }
    }

    /// Prints a text for whoever reads along on standard error, made harmless.
    pub(super) fn remark(&mut self, text: &str) {
        let _ = write!(self.streams.err, "{}", harmless(text.lines()));
    }

    /// Prints what the author has to know of the state, but for what is said anyway.
    pub(super) fn print_notices(&mut self, said: Option<&Message>) {
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
pub(super) fn told(error: Error, done: &str) -> Error {
    error.hint(say("{0}", "{0}"), &[done])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serializer;
    use std::cell::Cell;

    /// Things that are made when they are printed.
    struct Made<'m>(&'m Cell<usize>);

    impl Serialize for Made<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let make = |_| {
                self.0.set(self.0.get() + 1);
                "雨\u{202e}".repeat(1_000)
            };
            serializer.collect_seq((0..1_000).map(make))
        }
    }

    /// How many were made when the first bytes came, and all that came.
    struct Reader<'m>(&'m Cell<usize>, Option<usize>, Vec<u8>);

    impl Write for Reader<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.get_or_insert(self.0.get());
            self.2.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_object_is_printed_as_it_comes_and_is_one_object() {
        let made = Cell::new(0);
        let mut reader = Reader(&made, None, Vec::new());
        Line::print(&mut reader, &Made(&made)).expect("printed");
        assert!(reader.1.is_some_and(|made| made < 100), "{:?} were made first", reader.1);
        let text = String::from_utf8(reader.2).expect("whole characters");
        assert!(text.ends_with("\"]\n") && !text.contains('\u{202e}'));
        let all: Vec<String> = serde_json::from_str(&text).expect("one object");
        assert!(all.len() == 1_000 && all.iter().all(|one| *one == "雨\u{202e}".repeat(1_000)));
    }

    #[test]
    fn nothing_more_is_made_for_a_reader_who_has_gone() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let made = Cell::new(0);
        let error = Line::print(Gone, &Made(&made)).expect_err("nobody reads");
        assert_eq!((error.kind(), made.get() < 100), (io::ErrorKind::BrokenPipe, true));
    }
}
