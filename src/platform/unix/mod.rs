//! Linux, and what is like it.

mod causes;
pub(super) mod directories;
pub(super) mod files;
pub(super) mod paths;
pub(super) mod processes;
pub(super) mod terminal;
