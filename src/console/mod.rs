//! The full-screen console.

pub mod action;
pub mod context;
pub mod editor;
pub mod event;
pub mod field;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod model;
pub mod page;
pub mod run_loop;
pub mod sample;
pub mod sentences;
mod signal;
pub mod terminal;
pub mod theme;
pub mod view;
mod watchdog;
pub mod widget;
