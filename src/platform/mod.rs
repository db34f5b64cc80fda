//! What differs between systems, and nothing else: files by the system's own calls, processes, the terminal.
//!
//! The lists here are what every system has to offer; a directory for each kind of system offers it. The rest of the program
//! asks nowhere which system it runs on.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

mod cause;
mod facts;
pub mod paths;
#[cfg(test)]
pub(crate) mod testing;

pub use cause::{Cause, Failure};

pub mod files {
    pub use super::facts::{Facts, FileId, FileKind};
    pub use super::system::{
        directories::{
            Listed, create, exchange, link, list, make_dir, make_private_dirs, names_in, open_in,
            open_to_list, rename, rename_new, sync_dir, sync_dir_at, unlink,
        },
        files::{
            EVENTS_SPELL_NAMES_AS_ASKED, LOCKS_BAR_READING, WATCHES_TREES, bytes_of, is_barred,
            is_network_path, is_passed_by_shell, is_private, is_program, kind_of, last_name, look, look_at,
            look_at_open, look_through, make_private, memory_dir, open_beneath, open_plain_beneath,
            open_read, open_read_unlinked, private_dir, sync, to_append,
        },
    };
}

pub mod processes {
    pub use super::system::processes::{
        CONFIG_HOME, DEFAULT_EDITOR, EndSignals, HOME, NO_SUCH_PROGRAM, Process, STATE_HOME, apart, can_stop,
        end_by, end_with_started, has_size_limit, host, input, is_running, outlive_size_limit, stop_job,
        wait_for_output_to_close, with_shell,
    };
}

pub mod terminal {
    pub use super::facts::Signal;
    pub use super::system::terminal::{
        Ears, IS_CONSOLE, Waker, give_back, input_size, is_capable, is_foreground, is_gone, listen, name,
        output_size, read, take, write_all,
    };
}
