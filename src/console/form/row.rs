//! The rows of a question with options, as they are shown.

use super::{Form, Row, fold};
use crate::ask::Question;
use crate::console::draw::layout::{self, Descriptions, FormLayout};
use crate::console::draw::line::{Line, LineExt, line, marked};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::console::voice::Voice;
use crate::text::query::Word;
use crate::text::wrap::wrap;
use crate::text::{Safe, Sentence, say};

/// Characters of a label or a description that are looked at for its row.
const ROW_TEXT: usize = 400;

/// The rows of the page with the cursor, by their places, and the cells of the column of labels.
pub(super) fn shown_rows(
    theme: &Theme,
    voice: Voice<'_>,
    form: &Form,
    parts: &FormLayout,
) -> (Vec<(usize, OptionRow)>, usize) {
    let page = layout::rows_on_page(parts, form);
    let shown = form.rows().enumerate().skip(form.view().cursor / page * page).take(page);
    let shown: Vec<_> = shown.map(|(at, row)| (at, option_row(theme, voice, form, row))).collect();
    // The words of a filter take the whole of their row.
    let named = shown.iter().filter(|(_, made)| !made.row.is_alone());
    let most = match parts.descriptions {
        Descriptions::Pane | Descriptions::Below => layout::label_cap(parts.body.width),
        Descriptions::Beside => usize::MAX,
    };
    // A longer label takes the room of its description.
    let widest = named.map(|(_, made)| made.label.cells()).filter(|cells| *cells <= most).max();
    (shown, widest.unwrap_or(0))
}

/// Whether the row under the cursor shows all that there is to say about it.
pub(super) fn shows_whole(voice: Voice<'_>, form: &Form, parts: &FormLayout) -> bool {
    let (shown, column) = shown_rows(&Theme::default(), voice, form, parts);
    let Some((_, made)) = shown.iter().find(|(at, _)| *at == form.view().cursor) else { return false };
    if let Row::Option(place) = made.row {
        let has_lines = form.question().options[place].description.display().contains(['\n', '\r']);
        match parts.descriptions {
            Descriptions::Below => {
                let words = Safe::block(&form.question().options[place].description.display());
                return words.is_empty() || wrap(&words, layout::described_cells(parts)).len() <= parts.lines;
            }
            Descriptions::Beside | Descriptions::Pane if has_lines => return false,
            Descriptions::Beside | Descriptions::Pane => {}
        }
    }
    let label = made.label.cells();
    let tag = made.tag.cells();
    let before = usize::from(layout::BEFORE_LABEL) + column.max(label) + 2;
    let room = usize::from(parts.body.width).saturating_sub(1 + if tag > 0 { tag + 2 } else { 0 });
    let note = made.note.cells();
    let is_whole = usize::from(layout::BEFORE_LABEL) + label <= room && (note == 0 || before + note <= room);
    made.row.is_alone() || is_whole
}

pub(super) struct OptionRow {
    pub row: Row,
    pub sign: Line,
    pub label: Line,
    pub note: Line,
    pub tag: Line,
}

fn option_row(theme: &Theme, voice: Voice<'_>, form: &Form, row: Row) -> OptionRow {
    let (question, reply, multi) = (form.question(), form.reply(), form.is_multi());
    let own = reply.own().next().filter(|_| !multi);
    let typed = !reply.other.trim().is_empty();
    let chosen = match row {
        Row::Option(place) => reply.has(place),
        Row::Own(_) => true,
        Row::Other => own.is_some() && !typed,
        Row::Typed | Row::Bare | Row::Earlier => false,
    };
    let sign = match (multi, chosen) {
        _ if row == Row::Earlier => "   ",
        (true, true) => "[x]",
        (true, false) if matches!(row, Row::Other | Row::Typed | Row::Bare) => "   ",
        (true, false) => "[ ]",
        (false, true) => "(•)",
        (false, false) => "( )",
    };
    let sign = line(theme[if chosen { Role::Accent } else { Role::Dim }], sign);
    let words_of = |role, says: Sentence| line(theme[role], &voice.fill(says, &[]));
    let words = |text: &str| Line::default().safe(theme[Role::Text], beginning(text));
    let found = |role, text: &str, find| marked(theme, role, &beginning(text), form.query(), find);
    let mut tag = Line::default();
    let (label, note) = match row {
        Row::Option(place) => {
            let option = &question.options[place];
            if question.default.contains(&place) {
                tag = line(theme[Role::Dim], s::DEFAULT.text(voice.lang));
            }
            let label =
                found(label_role(question, place), &form.label(place, voice.lang), Word::find_by_sound);
            if option.sends_back {
                tag = line(theme[Role::Warn], say("sends back", "退回").text(voice.lang));
            }
            let label = before_label(theme, question, place).join(label);
            (label, found(Role::Dim, &option.description.display(), Word::find))
        }
        Row::Earlier => {
            let says = fold::says(question, form.folded(), voice.lang);
            (line(theme[Role::Dim], &says), Line::default())
        }
        Row::Own(place) => {
            let own = reply.own().nth(place).map(|own| own.display()).unwrap_or_default();
            (found(Role::Text, &own, Word::find_by_sound), words_of(Role::Dim, s::OWN))
        }
        Row::Other if layout::typing(form) => (words_of(Role::Text, s::OTHER), Line::default()),
        Row::Other if typed => (words(&reply.other), words_of(Role::Warn, s::NOT_TAKEN)),
        Row::Other => match own {
            Some(own) => (words(&own.display()), words_of(Role::Dim, s::OWN)),
            None => (words_of(Role::Dim, s::OTHER), words_of(Role::Dim, s::OTHER_HINT)),
        },
        Row::Typed | Row::Bare => {
            let words = form.words_of(row).unwrap_or_default();
            let says = say("write “{0}”", "自己写“{0}”").fill(voice.lang, &[&beginning(words.trim())]);
            (line(theme[Role::Text], &says), Line::default())
        }
    };
    OptionRow { row, sign, label, note, tag }
}

/// What stands before the label of an option that is none of the file's own, or no answer.
pub(super) fn before_label(theme: &Theme, question: &Question, place: usize) -> Line {
    let mark = question.mark(place).map(|mark| mark + " ");
    let mark = mark.map(|mark| line(theme[label_role(question, place)], &mark));
    let back = question.options[place].sends_back.then(|| line(theme[Role::Warn], "↩ "));
    mark.or(back).unwrap_or_default()
}

/// What was not taken stands behind what is new.
pub(super) fn label_role(question: &Question, place: usize) -> Role {
    if question.is_of_earlier_round(place) { Role::Dim } else { Role::Text }
}

fn beginning(text: &str) -> Safe {
    let end = text.char_indices().nth(ROW_TEXT).map_or(text.len(), |(at, _)| at);
    Safe::line(&text[..end])
}
