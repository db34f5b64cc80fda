//! The pieces that screens are made of. A widget draws what it is given; it knows no key, no file and no screen.

mod chips;
mod field;
mod footer;

pub(super) use chips::{Chip, chips, chips_width};
pub(super) use field::text_field;
pub(super) use footer::footer;
