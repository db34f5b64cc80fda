//! A part of a Markdown file that is ours, between two marks. Every other byte is kept.

use crate::text::{Sentence, say};

/// Begins our part; on a line of its own.
pub(super) const BEGIN: &str = "<!-- novel-gate begin -->";
/// Ends our part; on a line of its own.
pub(super) const END: &str = "<!-- novel-gate end -->";

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SectionEdit {
    /// Our part is there as it should be.
    Unchanged,
    /// Our part is replaced: the whole text.
    Update(String),
    /// Our part goes in: the whole text, and the line where it begins, from 1.
    Insert(String, usize),
}

/// Our part with its marks.
pub(super) fn marked(words: &str) -> String {
    format!("{BEGIN}\n{}\n{END}\n", words.trim_end())
}

/// Whether a file has our part.
pub(super) fn is_ours(text: &str) -> bool {
    lines(text).any(|(_, line)| line.trim() == BEGIN || line.trim() == END)
}

/// Puts our part into a text: in the place of the one that is there, else at the end.
///
/// # Errors
/// The marks do not show which part is ours.
pub(super) fn plan(text: &str, words: &str) -> Result<SectionEdit, Sentence> {
    let part = marked(words);
    let part = if text.contains("\r\n") { part.replace('\n', "\r\n") } else { part };
    let at =
        |mark: &str| -> Vec<(usize, &str)> { lines(text).filter(|(_, line)| line.trim() == mark).collect() };
    match (at(BEGIN).as_slice(), at(END).as_slice()) {
        ([], []) => {
            let mut out = text.to_owned();
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            if !text.is_empty() && !text.ends_with('\n') {
                out.push_str(end);
            }
            if !text.is_empty() {
                out.push_str(end);
            }
            let line = out.matches('\n').count() + 1;
            out.push_str(&part);
            Ok(SectionEdit::Insert(out, line))
        }
        (&[(begin, _)], &[(last, line)]) if begin < last => {
            let behind = last + line.len();
            if text[begin..behind].trim_end() == part.trim_end() {
                return Ok(SectionEdit::Unchanged);
            }
            // A last line without an end keeps none.
            let part = if line.ends_with('\n') { part.as_str() } else { part.trim_end() };
            Ok(SectionEdit::Update(format!("{}{part}{}", &text[..begin], &text[behind..])))
        }
        _ => Err(say(
            "It must have one line <!-- novel-gate begin --> and one line <!-- novel-gate end --> behind it, or neither.",
            "其中应有一行 <!-- novel-gate begin --> 和它之后的一行 <!-- novel-gate end -->，或两者都没有。",
        )),
    }
}

/// The lines with their ends, each with its offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_part_goes_to_the_end_and_is_then_left_alone() {
        for (before, line) in [("", 1), ("# Rules\n", 3), ("# Rules", 3), ("# Rules\r\n", 3)] {
            let Ok(SectionEdit::Insert(text, at)) = plan(before, "Words.\n") else { panic!("{before:?}") };
            assert!(text.starts_with(before), "{text:?}");
            assert_eq!(at, line, "{text:?}");
            assert!(is_ours(&text));
            assert_eq!(text.contains("\r\n"), before.contains("\r\n"));
            assert_eq!(text.matches('\n').count(), text.lines().count());
            assert_eq!(plan(&text, "Words.\n"), Ok(SectionEdit::Unchanged));
        }
    }

    #[test]
    fn our_part_is_replaced_and_nothing_else() {
        for (front, back) in [("", ""), ("# Rules\n\n", "\nMore.\n"), ("a\r\n", "b")] {
            let old = format!("{front}{}{back}", marked("Old\n\nwords."));
            let Ok(SectionEdit::Update(new)) = plan(&old, "New.") else { panic!("{old:?}") };
            assert!(new.starts_with(front) && new.ends_with(back), "{new:?}");
            assert!(new.contains("New.") && !new.contains("Old"));
            assert_eq!(plan(&new, "New."), Ok(SectionEdit::Unchanged));
        }
        let cut = marked("Old.");
        let Ok(SectionEdit::Update(new)) = plan(cut.trim_end(), "New.") else { panic!() };
        assert_eq!(new, marked("New.").trim_end());
    }

    #[test]
    fn marks_that_do_not_tell_are_refused() {
        let (begin, end) = (format!("{BEGIN}\n"), format!("{END}\n"));
        for text in [
            begin.clone(),
            end.clone(),
            format!("{end}{begin}"),
            format!("{begin}{begin}{end}"),
            format!("{begin}{end}{begin}{end}"),
        ] {
            assert!(plan(&text, "Words.").is_err(), "{text:?}");
            assert!(is_ours(&text));
        }
        // In a sentence a mark is no mark.
        assert!(matches!(plan(&format!("Not {BEGIN} here."), "Words."), Ok(SectionEdit::Insert(..))));
    }
}
