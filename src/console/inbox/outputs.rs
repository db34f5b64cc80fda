//! The files that a step is to make.

use crate::console::draw::line::line;
use crate::console::draw::sheet::Sheet;
use crate::console::model::{Model, Output};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::say;
use std::time::SystemTime;

/// More are only counted, but on a page of their own.
const OUTPUTS_SHOWN: usize = 8;

/// Files the step is to make, each with whether it is there; one that was there before `since` was not made from these
/// answers.
pub(crate) fn write_outputs(
    model: &Model,
    outputs: &[Output],
    since: Option<SystemTime>,
    sheet: &mut Sheet<'_>,
) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let new = |then: SystemTime| since.is_none_or(|since| then >= since);
    if outputs.len() > OUTPUTS_SHOWN && !sheet.whole {
        let made = outputs.iter().filter(|output| output.modified.is_some_and(new)).count();
        let counts = [outputs.len().to_string(), made.to_string()];
        return sheet.text(Role::Dim, &sheet.voice.fill(s::OUTPUTS_FOLDED, &[&counts[0], &counts[1]]), 2);
    }
    for output in outputs {
        let (sign, role, words) = match output.modified {
            Some(then) if !new(then) => ("  ○ ", Role::Dim, s::THERE_BEFORE.fill(lang, &[&model.ago(then)])),
            Some(then) => ("  ✓ ", Role::Answered, s::THERE.fill(lang, &[&model.ago(then)])),
            None if output.required => ("  ○ ", Role::Dim, s::NOT_THERE.text(lang).to_owned()),
            None => ("  ○ ", Role::Dim, say("not there (optional)", "尚无（可选）").text(lang).to_owned()),
        };
        let path = output.path.display();
        sheet.noted(&line(theme[role], sign), Role::Text, &path, &words);
    }
}
