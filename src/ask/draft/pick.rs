//! What can be chosen, and which own words are an answer.

use crate::ask::js_string::JsString;
use crate::ask::question::Question;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pick {
    Option(usize),
    /// Own words (`Other`).
    Own(JsString),
}

/// Why own words are not taken as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnFault {
    /// The question has no `allow_other`.
    NotAllowed,
    Blank,
    /// A control token of the executors' dialogues, such as `__done__`.
    Reserved,
    Duplicate,
}

impl Pick {
    /// The string that it puts into a record; none if the question has no such option.
    pub fn value<'v>(&'v self, question: &'v Question) -> Option<&'v JsString> {
        match self {
            Pick::Option(place) => question.options.get(*place).map(|option| &option.label),
            Pick::Own(words) => Some(words),
        }
    }
}

pub(crate) fn exact_pick(question: &Question, value: &JsString) -> Pick {
    question.option(value).map_or_else(|| Pick::Own(value.clone()), Pick::Option)
}

pub(crate) fn own_pick(question: &Question, words: &JsString) -> Result<Pick, OwnFault> {
    // A label that has outer spaces itself can still be typed exactly.
    if let Some(place) = question.option(words) {
        return Ok(Pick::Option(place));
    }
    let trimmed = words.trimmed();
    if trimmed.is_empty() {
        return Err(OwnFault::Blank);
    }
    match exact_pick(question, &trimmed) {
        Pick::Option(place) => Ok(Pick::Option(place)),
        Pick::Own(_) if !question.allow_other => Err(OwnFault::NotAllowed),
        Pick::Own(_) if trimmed.as_str().is_some_and(is_control_token) => Err(OwnFault::Reserved),
        own @ Pick::Own(_) => Ok(own),
    }
}

/// Whether `text` is `^_{2,}(more|done|skip|back|stop|type|repeat|group_[0-9]+)_{2,}$`: a control entry of the
/// executors' dialogues, which must never be taken for an answer.
pub fn is_control_token(text: &str) -> bool {
    let inner = text.trim_matches('_');
    let marked = text.starts_with("__") && text.ends_with("__") && text.len() >= inner.len() + 4;
    let group =
        inner.strip_prefix("group_").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    marked && (group || matches!(inner, "more" | "done" | "skip" | "back" | "stop" | "type" | "repeat"))
}

/// Options in option order, then own words in entry order.
pub(crate) fn sort_picks(picks: &mut [Pick]) {
    picks.sort_by_key(|pick| match pick {
        Pick::Option(place) => *place,
        Pick::Own(_) => usize::MAX,
    });
}
