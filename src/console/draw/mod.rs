//! The pieces that screens are drawn from.

pub mod answer;
pub mod chips;
pub mod field;
pub mod filtered_list;
pub mod footer;
pub mod layout;
pub mod line;
pub mod painter;
pub mod pane;
pub mod problems;
pub mod record;
pub mod scroll;
pub mod sheet;
