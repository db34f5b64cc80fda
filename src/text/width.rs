//! Display width.
