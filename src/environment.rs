//! What the process was started with, apart from its arguments. The environment is read once, here, so that everything else
//! can be tested.

use crate::platform;
use jiff::tz::TimeZone;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub cwd: PathBuf,
    /// `LC_ALL`, else `LC_MESSAGES`, else `LANG`.
    pub locale: String,
    /// `CLAUDE_PROJECT_DIR`: the directory that Claude Code was started in, as it tells its hooks.
    pub claude_project_dir: Option<PathBuf>,
    /// The client that has started this process, as `init` names it, where it says so; and what it says with that.
    pub client: Option<(&'static str, String)>,
    pub path: Option<OsString>,
    /// The name or path that the program was called by.
    pub called: Option<PathBuf>,
    pub program: Option<PathBuf>,
    pub home: Option<OsString>,
    pub xdg_state_home: Option<OsString>,
    pub xdg_config_home: Option<OsString>,
    /// Where Claude Code and Codex keep what is theirs, if not in the home directory: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`.
    pub claude_dir: Option<PathBuf>,
    pub codex_dir: Option<PathBuf>,
    /// Whether `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `COLORFGBG`: how some terminals state their colours.
    pub colors: Option<String>,
    /// `TERM`: the kind of terminal.
    pub terminal: Option<String>,
    /// The time zone, if it is not the system's.
    pub zone: Option<TimeZone>,
    pub input_is_terminal: bool,
    pub output_is_terminal: bool,
    /// How wide the terminal of the output is.
    pub columns: Option<usize>,
    pub errors_are_terminal: bool,
}

/// What each client sets for the commands that it runs.
const MARKS: [(&str, &str); 4] = [
    ("CLAUDECODE", "claude-code"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_CLI", "gemini"),
    ("OPENCODE", "opencode"),
];

impl Environment {
    /// Whether colours are unwanted, or the terminal has none.
    pub fn is_plain(&self) -> bool {
        self.no_color || self.terminal.as_deref() == Some("dumb")
    }

    pub fn of_process() -> Environment {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |name: &str| set(name).and_then(|value| value.into_string().ok());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set);
        Environment {
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            locale: locale.unwrap_or_default().to_string_lossy().into_owned(),
            claude_project_dir: set("CLAUDE_PROJECT_DIR").map(PathBuf::from),
            client: MARKS.iter().find_map(|(mark, client)| Some((*client, text(mark)?))),
            path: set("PATH").map(lasting),
            called: std::env::args_os().next().map(PathBuf::from),
            program: std::env::current_exe().ok(),
            home: set(platform::processes::HOME),
            xdg_state_home: set(platform::processes::STATE_HOME),
            xdg_config_home: set(platform::processes::CONFIG_HOME),
            claude_dir: set("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            codex_dir: set("CODEX_HOME").map(PathBuf::from),
            no_color: set("NO_COLOR").is_some(),
            colors: text("COLORFGBG"),
            terminal: text("TERM"),
            zone: None,
            input_is_terminal: io::stdin().is_terminal(),
            output_is_terminal: io::stdout().is_terminal(),
            columns: platform::terminal::output_size().ok().map(|(columns, _)| columns.into()),
            errors_are_terminal: io::stderr().is_terminal(),
        }
    }
}

/// Whether npm or its like has put a program there, beside a launcher.
pub fn is_npms(program: &Path) -> bool {
    program.components().any(|part| part.as_os_str() == "@novel-gate")
}

/// Whether a path leads through a cache of `npx`, `pnpm dlx`, `yarn dlx` or `bunx`, which they empty when they please.
pub fn is_passing(path: &Path) -> bool {
    path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        ["_npx", "dlx"].contains(&&*part) || part.starts_with("dlx-") || part.starts_with("bunx-")
    })
}

/// Without what is in `PATH` only while `npx` runs.
fn lasting(path: OsString) -> OsString {
    let dirs: Vec<PathBuf> = std::env::split_paths(&path).filter(|dir| !is_passing(dir)).collect();
    std::env::join_paths(dirs).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npx_s_own_directories_are_not_in_the_path() {
        let lasting_ones = ["/usr/bin", "/home/a/node_modules/.bin", "/srv/my_npx"];
        let passing = [
            "/home/a/.npm/_npx/0f/node_modules/.bin",
            "/c/pnpm/dlx/1/bin",
            "/tmp/bunx-0-novel-gate@latest/b",
        ];
        let path = |dirs: &[&str]| std::env::join_paths(dirs).expect("a PATH");
        assert_eq!(lasting(path(&[&lasting_ones[..], &passing].concat())), path(&lasting_ones));
    }
}
