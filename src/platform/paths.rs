//! How paths are spelled.

use super::system::paths;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

pub use dunce::canonicalize;
pub use paths::{
    CLAUDE_CODE_MANAGED, CONFIG_BELOW_HOME, PROGRAM_ENDINGS, STATE_BELOW_HOME, TAKES_EVERY_NAME, of_shell,
};

/// A path or a name as people and programs read it.
pub trait Shown {
    /// The names with `/` between them on every system; what is no text is replaced.
    fn shown(&self) -> Cow<'_, str>;
}

impl Shown for Path {
    fn shown(&self) -> Cow<'_, str> {
        paths::shown(self.as_os_str())
    }
}

impl Shown for OsStr {
    fn shown(&self) -> Cow<'_, str> {
        paths::shown(self)
    }
}
