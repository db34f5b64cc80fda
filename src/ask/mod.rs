//! The domain.
