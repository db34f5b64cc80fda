//! What the author presses, and what it means: keys, the one table of them, the keys of his own.

pub mod key;
pub mod keymap;
pub mod settings;
