//! The full-screen console.

pub mod field;
pub mod sample;
pub mod theme;
