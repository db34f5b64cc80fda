//! Making hostile text harmless.
/// Text that may be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Safe(String);
