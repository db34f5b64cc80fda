//! How a value that is no option came about: the ways in which executors and hands get a label wrong.

use crate::ask::js_string::JsString;
use crate::ask::nearest::nearest;
use crate::ask::question::{Choice, Question};

/// How a value that is no option came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// It is the label but for white space around it.
    Spaces,
    /// It is the label but for upper and lower case, or full-width and half-width forms.
    Case,
    /// It is the label with more behind it, such as `(Recommended)`.
    Tail,
    /// It is the option's description.
    Description,
    /// It is the option's number in the list, counted from 1.
    Number,
    /// It resembles the label.
    Similar,
    /// It resembles nothing.
    Unknown,
}

/// How the value came about, and the label that was probably meant.
pub(super) fn of(question: &Question, value: &JsString) -> (Slip, Option<JsString>) {
    let label = |option: &Choice| Some(option.label.clone());
    let trimmed = value.trimmed();
    let found = |is_it: &dyn Fn(&Choice) -> bool| question.options.iter().find(|option| is_it(option));
    if let Some(option) = found(&|option| option.label.trimmed() == trimmed) {
        return (Slip::Spaces, label(option));
    }
    let folded = fold(&trimmed);
    if let Some(option) = found(&|option| fold(&option.label) == folded) {
        return (Slip::Case, label(option));
    }
    if let Some(option) = found(&|option| option.description.trimmed() == trimmed) {
        return (Slip::Description, label(option));
    }
    let number = folded.parse::<usize>().ok().and_then(|number| question.options.get(number.checked_sub(1)?));
    if let Some(option) = number {
        return (Slip::Number, label(option));
    }
    let longest = question.options.iter().filter(|option| has_tail(&trimmed, &option.label));
    if let Some(option) = longest.max_by_key(|option| option.label.len()) {
        return (Slip::Tail, label(option));
    }
    let heads = question.options.iter().map(|option| option.label.clone());
    match nearest(value, heads) {
        Some(place) => (Slip::Similar, label(&question.options[place])),
        None => (Slip::Unknown, None),
    }
}

/// Whether the value is a label and a remark: something that is no letter stands between them.
fn has_tail(value: &JsString, label: &JsString) -> bool {
    let (value, label) = (value.lossy(), label.lossy());
    let rest = value.strip_prefix(label.as_ref()).filter(|_| !label.trim().is_empty());
    rest.and_then(|rest| rest.chars().next()).is_some_and(|first| !first.is_alphanumeric())
}

/// Lower case, and full-width letters and digits as half-width ones.
fn fold(text: &JsString) -> String {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        other => other,
    };
    text.lossy().trim().chars().map(narrow).flat_map(char::to_lowercase).collect()
}
