//! The full-screen console.
pub mod field;
