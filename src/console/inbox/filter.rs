//! The filter of a list.

use crate::console::field::{Edit, TextField, filter_line};
use crate::console::input::keymap::Context;

#[derive(Clone, Debug)]
pub struct ListFilter {
    pub field: TextField,
    pub focused: bool,
}

impl ListFilter {
    /// Gives a filter the keys, and opens it if there is none; one of before is selected whole, to be replaced.
    pub fn focus(filter: &mut Option<ListFilter>) {
        match filter {
            Some(filter) if filter.focused => {}
            Some(filter) => {
                filter.focused = true;
                filter.field.select_all();
            }
            None => *filter = Some(ListFilter { field: TextField::default(), focused: true }),
        }
    }

    /// What is looked for; nothing without a filter.
    pub fn words(filter: Option<&ListFilter>) -> &str {
        filter.map_or("", |filter| filter.field.text())
    }

    /// Takes the keys from it; what it has found stays.
    pub fn leave(filter: &mut Option<ListFilter>) {
        if let Some(filter) = filter {
            filter.focused = false;
        }
    }

    /// The context of a list, or of its filter while that has the keys.
    pub fn context(filter: Option<&ListFilter>, list: Context, filtering: Context) -> Context {
        if filter.is_some_and(|filter| filter.focused) { filtering } else { list }
    }

    /// Changes the filter that has the keys; with none, what is typed begins one. True if its text is another now.
    pub fn edit(filter: &mut Option<ListFilter>, edit: Edit) -> bool {
        let was = filter.as_ref().map_or_else(String::new, |filter| filter.field.text().to_owned());
        filter.take_if(|filter| !filter.focused);
        ListFilter::focus(filter);
        let edit = match edit {
            Edit::Newline => return false,
            Edit::Insert(text) => Edit::Insert(filter_line(&text).unwrap_or_default().to_owned()),
            edit => edit,
        };
        let Some(filter) = filter else { return false };
        filter.field.apply(edit, usize::MAX);
        filter.field.text() != was
    }
}
