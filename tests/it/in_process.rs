//! The program called as a function: arguments, surroundings and standard input in; exit code and both outputs out.
//!
//! Not responsible for real processes and their signals (`project`, `sandbox`).

use novel_gate::Environment;
use novel_gate::command::Streams;
use novel_gate::run::run_on;
use std::ffi::OsString;

/// What came of a call.
pub(crate) struct Called {
    pub(crate) exit: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

/// Calls the program with these words behind its name.
pub(crate) fn call<W: Into<OsString>>(
    environment: &Environment,
    words: impl IntoIterator<Item = W>,
    mut input: &[u8],
) -> Called {
    let line: Vec<OsString> =
        std::iter::once("novel-gate".into()).chain(words.into_iter().map(Into::into)).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let streams = Streams { input: &mut input, out: &mut out, err: &mut err };
    let exit = run_on(&line, environment, streams).number();
    Called { exit, out, err }
}

impl Called {
    /// Exit code, standard output and standard error.
    pub(crate) fn texts(self) -> (i32, String, String) {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (self.exit, text(self.out), text(self.err))
    }
}
