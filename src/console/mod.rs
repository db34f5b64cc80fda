//! The full-screen console.

pub mod sample;
pub mod theme;
