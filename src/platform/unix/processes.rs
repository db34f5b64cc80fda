//! Processes, this one and others, and the signals that end them.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Resource, Signal, WaitId, WaitIdOptions, getpgrp, getrlimit, getsid, kill_current_process_group,
    kill_process, kill_process_group, test_kill_process, waitid,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The exit code of a shell that does not find a program.
pub const NO_SUCH_PROGRAM: i32 = 127;
/// The editor of those who have named none.
pub const DEFAULT_EDITOR: &str = "vi";
/// The variables that name the author's own directory, and those for what programs keep and for their settings.
pub const HOME: &str = "HOME";
pub const STATE_HOME: &str = "XDG_STATE_HOME";
pub const CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// How often to look where the system cannot report that the reader is gone.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The name of this machine.
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Whether a process of this machine runs, whoever it belongs to.
pub fn is_running(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| {
        matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM)) && !has_ended(pid.as_raw_nonzero().get())
    })
}

/// Whether a process has ended and nobody has asked how: in some containers nobody ever does. Told only where there is `/proc`.
fn has_ended(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z'))
}

/// The signals that ask the process to end; from now on they do not end it by themselves.
pub struct EndSignals(Signals);

impl EndSignals {
    pub fn catch() -> io::Result<EndSignals> {
        Signals::new([SIGINT, SIGTERM, SIGHUP]).map(EndSignals)
    }

    /// The number of the first of them.
    pub fn wait(&mut self) -> Option<i32> {
        self.0.forever().next()
    }
}

/// From now on a write that would make a file larger than is allowed fails, and ends nothing. A handler that only marks, for unlike
/// a signal that is ignored, it is not handed on to programs that are started.
pub fn outlive_size_limit() {
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Whether there is a limit to how large files may become.
pub fn has_size_limit() -> bool {
    getrlimit(Resource::Fsize).current.is_some()
}

/// Ends the process as a signal does that nobody catches.
pub fn end_by(signal: i32) {
    let _ = emulate_default_handler(signal);
}

/// Returns when the reader of standard output has gone; never for a file.
pub fn wait_for_output_to_close() {
    let stdout = io::stdout();
    loop {
        // No events asked for: only the end of the other side wakes this.
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => {}
            Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => return,
            // Some systems return at once with "not a valid descriptor" for a healthy terminal.
            _ => thread::sleep(LOOK_EVERY),
        }
    }
}

/// Another handle of standard input, for a thread of its own.
pub fn input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Whether a shell can stop this process and continue it: not where the leader of the session, which nobody of the session waits for, is in its group.
pub fn can_stop() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Stops the job, as the shell expects of Ctrl-Z: this process, and what has started it and waits, such as a script or npm's launcher.
/// STOP and not TSTP: the latter has a handler now. Returns after the process was continued.
pub fn stop_job() {
    if can_stop() {
        let _ = kill_current_process_group(Signal::STOP);
    }
}

/// What the shell makes of a command line, with a file behind its words.
pub fn with_shell(mut line: OsString, file: &Path) -> Command {
    line.push(" \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).arg("sh").arg(file);
    command
}

/// A child of this process. Until it is waited for, its number is its own.
#[derive(Clone)]
pub struct Process(Pid);

impl Process {
    #[expect(clippy::needless_pass_by_value, reason = "nobody else waits for it")]
    pub fn of(child: Child) -> Process {
        Process(Pid::from_child(&child))
    }

    pub fn id(&self) -> u32 {
        self.0.as_raw_pid().unsigned_abs()
    }

    /// Returns when it has ended, with its exit code if it has one. It is still to be waited for.
    pub fn ended(&self) -> Option<i32> {
        self.wait(WaitIdOptions::NOWAIT)
    }

    /// Waits for it, and gives its number back.
    pub fn reap(self) {
        let _ = self.wait(WaitIdOptions::empty());
    }

    fn wait(&self, how: WaitIdOptions) -> Option<i32> {
        let ended = retry_on_intr(|| waitid(WaitId::Pid(self.0), WaitIdOptions::EXITED | how));
        ended.ok().flatten().and_then(|status| status.exit_status())
    }

    /// Hands on a signal that this process was sent.
    pub fn hand_on(&self, signal: i32) {
        if let Some(named) = Signal::from_named_raw(signal) {
            let _ = kill_process(self.0, named);
        }
    }

    /// Asks it to end.
    pub fn ask_to_end(&self) {
        let _ = kill_process(self.0, Signal::TERM);
    }
}

/// Has a program start apart from this one, so that it can be [ended with what it has started](end_with_started).
pub fn apart(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Ends a program that was started [apart], with everything that it has started.
pub fn end_with_started(child: &Child) {
    // The process number stays the program's until it is waited for.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    #[test]
    fn a_process_that_has_ended_runs_no_more_though_nobody_has_asked_how() {
        let child = Process::of(Command::new("true").spawn().expect("started"));
        assert_eq!(child.ended(), Some(0));
        assert!(!is_running(child.id()) || !Path::new("/proc/self/stat").exists());
        child.reap();
    }

    #[test]
    fn a_program_that_is_started_has_the_size_limit_s_own_end_back() {
        outlive_size_limit();
        let _ = kill_process(rustix::process::getpid(), Signal::XFSZ);
        let ended = Command::new("sh").args(["-c", "kill -XFSZ $$"]).status().expect("a shell");
        assert_eq!(ended.signal(), Some(SIGXFSZ));
    }
}
