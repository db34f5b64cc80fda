//! The author's own editor on one file: choosing it, starting it, passing a signal on to it. `run_loop` lends it the
//! terminal.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::console::screen::EditorEnd;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// The exit code of a shell that does not find a program.
const NO_SUCH_PROGRAM: i32 = 127;

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
    pub(super) fn start(file: &Path, ended: impl FnOnce(EditorEnd) + Send + 'static) -> io::Result<Editor> {
        let mut script = editor_command();
        script.push(" \"$@\"");
        let child = Command::new("sh").arg("-c").arg(script).arg("sh").arg(file).spawn()?;
        let pid = Pid::from_child(&child);
        let child = Arc::new(Mutex::new(Some(child)));
        let shared = Arc::clone(&child);
        let waiting = thread::Builder::new().name("editor".into()).spawn(move || ended(wait(pid, &shared)));
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
fn wait(pid: Pid, child: &Mutex<Option<Child>>) -> EditorEnd {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
    let taken = child.lock().unwrap_or_else(PoisonError::into_inner).take();
    let status = taken.and_then(|mut child| child.wait().ok());
    match status.and_then(|status| status.code()) {
        Some(0) => EditorEnd::Well,
        Some(NO_SUCH_PROGRAM) => EditorEnd::NotFound,
        _ => EditorEnd::Badly,
    }
}
