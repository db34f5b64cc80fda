//! Words on cells, at the bottom of the house: display width, line wrapping, making hostile text harmless, and the two
//! languages. Pure: nothing here prints.

pub mod cluster;
pub mod count;
pub mod encoding;
pub mod lang;
pub mod markdown;
pub mod query;
pub mod sanitize;
pub mod shell;
pub mod width;
pub mod wrap;

pub use lang::{Lang, Message, Sentence, plural, say};
pub use query::Query;
pub use sanitize::Safe;
