//! Making hostile text harmless.
/// A visible mark for a code point.
pub fn mark(code: u32) -> String {
    format!("‹U+{code:04X}›")
}
/// Text that may be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Safe(String);
