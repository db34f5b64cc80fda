//! Questions as they will look, on a page.

use crate::ask::standing::Standing;
use crate::ask::{Kind, Question};
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::sheet::Sheet;
use crate::console::inbox::page::kind;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::say;

/// Writes the questions as they will look.
pub(super) fn write_asked(standing: &Standing, sheet: &mut Sheet<'_>) {
    for question in &standing.spec.questions {
        sheet.blank();
        let header = line(sheet.theme[Role::Title], &question.header.display()).gap(2);
        let kind = kind(question, sheet.lang);
        sheet.beside(&header, Role::Dim, &kind);
        sheet.text(Role::Text, &question.question.display(), 0);
        if standing.proposing.iter().any(|it| it.question == question.id) {
            let proposed = say("what the executor proposes by then", "执行器到时给出的备选");
            sheet.marked(Role::Dim, "  + ", Role::Dim, proposed.text(sheet.lang));
        }
        write_options(question, sheet);
    }
}

fn write_options(question: &Question, sheet: &mut Sheet<'_>) {
    let defaults = question.is_default_by_place();
    let open = if question.kind == Kind::MultiChoice { "  [ ] " } else { "  ○ " };
    for (option, is_default) in question.options.iter().zip(defaults) {
        let sign = if option.sends_back { "  ↩ " } else { open };
        let mut label = option.label.display().into_owned();
        let note = [(option.sends_back, say("sends back", "退回")), (is_default, s::DEFAULT)];
        for (_, says) in note.into_iter().filter(|(holds, _)| *holds) {
            label = say("{0} ({1})", "{0}（{1}）").fill(sheet.lang, &[&label, says.text(sheet.lang)]);
        }
        let label = line(sheet.theme[Role::Dim], sign).add(sheet.theme[Role::Text], &label).gap(2);
        sheet.beside(&label, Role::Dim, &option.description.display());
    }
    if question.allow_other {
        sheet.marked(Role::Dim, open, Role::Dim, s::OTHER.text(sheet.lang));
    }
}
