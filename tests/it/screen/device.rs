//! What the system has behind a terminal: its device with its modes, and the process on it.

#[cfg(unix)]
pub(crate) use of_unix::*;
#[cfg(windows)]
pub(crate) use of_windows::*;

#[cfg(unix)]
mod of_unix {
    use super::super::{DEADLINE, Exit, Shared, Terminal, wait_while};
    use crate::system::Pid;
    use portable_pty::{Child, MasterPty};
    use rustix::process::{WaitId, WaitIdOptions, WaitIdStatus, waitid};
    use rustix::termios::{OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
    use std::fs::{self, File, OpenOptions};
    use std::io::{self, Write as _};
    use std::os::unix::fs::OpenOptionsExt as _;
    use std::path::PathBuf;
    use std::time::Duration;

    /// `O_NOCTTY`: looking at a terminal must not make it the test's own.
    const NO_CONTROLLING_TERMINAL: i32 = 0o400;
    /// One tick of `/proc/PID/stat`; Linux shows 100 a second on every machine that it runs on today.
    const TICK: Duration = Duration::from_millis(10);

    /// The terminal's device.
    pub(crate) struct Device(PathBuf);

    impl Device {
        pub(crate) fn of(master: &dyn MasterPty) -> Device {
            Device(master.tty_name().expect("the terminal's name"))
        }

        /// The modes of the line discipline in words: raw or not, echo or not.
        pub(crate) fn modes(&self) -> String {
            let Termios { input_modes, output_modes, control_modes, local_modes, .. } =
                tcgetattr(self.open(0).expect("the terminal")).expect("its modes");
            format!("{input_modes:?} {output_modes:?} {control_modes:?} {local_modes:?}")
        }

        pub(crate) fn open(&self, flags: i32) -> io::Result<File> {
            let flags = flags | NO_CONTROLLING_TERMINAL;
            OpenOptions::new().read(true).write(true).custom_flags(flags).open(&self.0)
        }
    }

    impl Terminal {
        /// Closes the terminal, as when its window is closed. Returns when nothing holds it any more.
        pub(crate) fn close_master(&mut self) {
            self.lock().closing = true;
            // The writer would type an end of file on its way out, if the terminal had a character for it.
            let tty = self.device.open(0).expect("the terminal is still there");
            let mut modes = tcgetattr(&tty).expect("its modes");
            modes.special_codes[SpecialCodeIndex::VEOF] = 0;
            tcsetattr(&tty, OptionalActions::Now, &modes).expect("its modes are set");
            self.keys = None;
            // The reader sleeps in a read; a byte of output that shows nothing wakes it, and it looks at `closing`.
            (&tty).write_all(b"\0").expect("a byte of output");
            self.wait("the reader and the writer to let go", DEADLINE, |state| {
                state.output_ended && state.keys_sent
            });
            drop(tty);
            self.slave = None;
            self.master = None;
        }
    }

    pub(crate) fn wait_for_end(shared: &Shared, mut child: Box<dyn Child + Send + Sync>, pid: Pid) {
        // First without reaping: until the lock is held, the number must stay this child's, and its times readable.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let status = loop {
            match waitid(WaitId::Pid(pid), options) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other.ok().flatten(),
            }
        };
        let mut state = shared.lock();
        let cpu = cpu_time(pid);
        let _ = child.wait();
        let code = status.as_ref().and_then(WaitIdStatus::exit_status);
        let signal = status.as_ref().and_then(WaitIdStatus::terminating_signal);
        state.exit = Some(Exit { code, signal, cpu });
    }

    /// User and system time of the process and of its reaped children.
    fn cpu_time(pid: Pid) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let Some((_, fields)) = stat.rsplit_once(") ") else { return Duration::ZERO };
        let ticks: u32 =
            fields.split(' ').skip(11).take(4).filter_map(|field| field.parse::<u32>().ok()).sum();
        TICK * ticks
    }

    /// Waits until the process is stopped, as after Ctrl-Z.
    pub(crate) fn wait_stopped(pid: Pid) {
        wait_while("the process runs", || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process is there");
            !stat.rsplit_once(") ").expect("a stat line").1.starts_with('T')
        });
    }
}

/// No device lies behind a terminal here, and no modes.
#[cfg(windows)]
mod of_windows {
    use super::super::{Exit, Shared};
    use crate::system::Pid;
    use portable_pty::{Child, MasterPty};
    use std::time::Duration;

    pub(crate) struct Device;

    impl Device {
        pub(crate) fn of(_: &dyn MasterPty) -> Device {
            Device
        }

        #[expect(clippy::unused_self, reason = "elsewhere they are asked for")]
        pub(crate) fn modes(&self) -> String {
            String::new()
        }
    }

    pub(crate) fn wait_for_end(shared: &Shared, mut child: Box<dyn Child + Send + Sync>, _: Pid) {
        let code = child.wait().ok().map(|status| status.exit_code().cast_signed());
        shared.lock().exit = Some(Exit { code, signal: None, cpu: Duration::ZERO });
    }
}
