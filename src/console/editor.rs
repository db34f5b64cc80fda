//! The author's own editor on one file: choosing it, starting it, passing a signal on to it. `run_loop` lends it the
//! terminal.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// A file to be opened in the author's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRequest {
    pub path: PathBuf,
}

/// How an [`EditRequest`] ended. Read the file only when `result` is `Ok`.
#[derive(Debug)]
pub struct Edited {
    pub path: PathBuf,
    pub result: Result<(), EditFailure>,
}

/// Why an editor did not do its work.
#[derive(Debug)]
pub enum EditFailure {
    /// No shell could be started to run it.
    NotStarted(io::Error),
    /// It ended with this code; 127 is the shell's word for "no such program".
    Exited(i32),
    /// It was ended by this signal.
    Killed(i32),
}

/// The editor's command: `$VISUAL`, else `$EDITOR`, else `vi`. It may carry arguments (`code --wait`).
pub fn editor_command() -> OsString {
    ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(env::var_os)
        .find(|value| !value.to_string_lossy().trim().is_empty())
        .unwrap_or_else(|| "vi".into())
}

/// A running editor.
pub(super) struct Editor {
    child: Arc<Mutex<Option<Child>>>,
    pid: Pid,
}

impl Editor {
    /// Starts the editor; `ended` is called once, on another thread, when it has ended.
    pub(super) fn start(
        request: &EditRequest,
        ended: impl FnOnce(Edited) + Send + 'static,
    ) -> io::Result<Editor> {
        let mut script = editor_command();
        script.push(" \"$@\"");
        let child = Command::new("sh").arg("-c").arg(script).arg("sh").arg(&request.path).spawn()?;
        let pid = Pid::from_child(&child);
        let child = Arc::new(Mutex::new(Some(child)));
        let path = request.path.clone();
        let shared = Arc::clone(&child);
        let waiting = thread::Builder::new().name("editor".into()).spawn(move || {
            let result = wait(pid, &shared);
            ended(Edited { path, result });
        });
        match waiting {
            Ok(_) => Ok(Editor { child, pid }),
            Err(error) => {
                let _ = kill_process(pid, Signal::TERM);
                Err(error)
            }
        }
    }

    /// Passes a signal on, unless the editor has ended by itself.
    pub(super) fn pass_on(&self, signal: i32) {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(_), Some(signal)) = (child.as_ref(), Signal::from_named_raw(signal)) {
            let _ = kill_process(self.pid, signal);
        }
    }
}

/// Waits in two steps, so that the process number stays the editor's for as long as `pass_on` may use it.
fn wait(pid: Pid, child: &Mutex<Option<Child>>) -> Result<(), EditFailure> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
    let taken = child.lock().unwrap_or_else(PoisonError::into_inner).take();
    let status = taken.map(|mut child| child.wait()).transpose().map_err(EditFailure::NotStarted)?;
    status.map_or(Ok(()), verdict)
}

fn verdict(status: ExitStatus) -> Result<(), EditFailure> {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => Err(EditFailure::Exited(code)),
        (None, signal) => Err(EditFailure::Killed(signal.unwrap_or(0))),
    }
}
