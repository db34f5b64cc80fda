//! Windows, by the standard library and safe wrappers alone.

mod causes;
pub(super) mod directories;
mod ends;
pub(super) mod files;
mod keys;
pub(super) mod paths;
pub(super) mod processes;
pub(super) mod terminal;
