//! The full-screen console.
