//! The full-screen console.

pub mod editor;
pub mod event;
pub mod key;
pub mod run_loop;
mod signal;
pub mod terminal;
mod watchdog;
