//! Wrapping.
