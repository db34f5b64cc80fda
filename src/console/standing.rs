//! The standing question that a gate is of: the same lines in the details, in the form and on their pages.

use super::draw::sheet::Sheet;
use super::theme::Role;
use crate::store::attach::Asked;
use crate::text::say;

/// Writes which it is, for how much of the book one answer holds, and why the author wants to be asked.
pub(super) fn write(asked: &Asked, sheet: &mut Sheet<'_>) {
    let says = say("Your standing question {0}; one answer for {1}.", "你的常设提问 {0}；一次回答管{1}。");
    sheet.text(Role::Dim, &says.fill(sheet.lang, &[&asked.name, &asked.span.text(sheet.lang)]), 0);
    if let Some(why) = &asked.why {
        sheet.text(Role::Dim, &why.display(), 0);
    }
}
