//! The pieces that screens are made of. A widget draws what it is given; it knows no key, no file and no screen.

mod canvas;
mod chips;
mod field;
mod footer;
mod pane;

pub use canvas::{Canvas, Drawn};
pub use chips::{Chip, chips, chips_width};
pub use field::text_field;
pub use footer::footer;
pub use pane::{More, pane};
