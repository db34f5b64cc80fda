//! What happened in the live test, as plain text for a person: commands with their exit codes, screens, files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::Ran;
use crate::screen::Terminal;

/// A text that is on the disk after every step, also of a test that fails.
pub(crate) struct Transcript {
    path: PathBuf,
    text: String,
    /// Long paths of this run and what they are called in the text.
    short: Vec<(String, String)>,
}

impl Transcript {
    /// Begins a transcript beneath cargo's directory for tests.
    pub(crate) fn begin(name: &str, short: &[(&Path, &str)]) -> Transcript {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let short =
            short.iter().map(|(path, name)| (path.display().to_string(), (*name).to_owned())).collect();
        Transcript { path, text: String::new(), short }
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A chapter.
    pub(crate) fn chapter(&mut self, title: &str) {
        self.add(&format!("\n== {title} ==\n"));
    }

    /// A sentence of its own.
    pub(crate) fn note(&mut self, words: &str) {
        self.add(&format!("# {words}\n"));
    }

    /// A command and what it said.
    pub(crate) fn command(&mut self, line: &str, ran: &Ran) {
        let mut text = format!("$ {line}\n");
        for (name, stream) in [("", &ran.stdout), ("stderr: ", &ran.stderr)] {
            for line in stream.lines() {
                let _ = writeln!(text, "  {name}{line}");
            }
        }
        let _ =
            writeln!(text, "  exit {}", ran.code.map_or("by a signal".to_owned(), |code| code.to_string()));
        self.add(&text);
    }

    /// What stands on a terminal.
    pub(crate) fn screen(&mut self, what: &str, terminal: &Terminal) {
        terminal.wait_for_frame();
        let text = terminal.screen_text();
        let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
        let rows = rows.join("\n  │");
        let edge = "─".repeat(100);
        self.add(&format!("screen: {what}\n  ┌{edge}\n  │{rows}\n  └{edge}\n"));
    }

    /// A file.
    pub(crate) fn file(&mut self, what: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().collect();
        self.add(&format!("file: {what}\n  {}\n", lines.join("\n  ")));
    }

    fn add(&mut self, text: &str) {
        let shortened =
            self.short.iter().fold(text.to_owned(), |text, (long, short)| text.replace(long, short));
        self.text.push_str(&shortened);
        fs::write(&self.path, &self.text).expect("the transcript is written");
    }
}
