//! The footer's hints: those of the key map that are available here, called what they do here.

use crate::console::action::Action;
use crate::console::available::{Available, available};
use crate::console::context::{Context, context};
use crate::console::keymap::{self, Binding};
use crate::console::model::Model;
use crate::console::view::layout;

/// A key with what it is called here.
pub(super) type Hint = (&'static Binding, &'static str);

/// The most wanted one first.
pub(super) fn hints(model: &Model) -> Vec<Hint> {
    let here = context(model);
    let mut bindings = keymap::hints(here);
    if here == Context::Inbox && layout::list_of(model).detail.is_empty() {
        // The details are nowhere to be seen: the way to them comes before everything but Enter.
        bindings.sort_by_key(|binding| match binding.action {
            Action::Accept => 0,
            Action::Expand => 1,
            _ => 2,
        });
    }
    let hint = |binding: &'static Binding| {
        let says = match available(model, &binding.action) {
            Available::Yes => binding.says,
            Available::As(says) => says,
            Available::Unlisted | Available::No(_) => return None,
        };
        Some((binding, says.text(model.lang)))
    };
    bindings.into_iter().filter_map(hint).collect()
}
