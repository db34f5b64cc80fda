//! The full-screen console.

pub mod editor;
pub mod event;
pub mod field;
pub mod key;
pub mod run_loop;
pub mod sample;
mod signal;
pub mod terminal;
pub mod theme;
mod watchdog;
