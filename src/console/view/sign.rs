//! The signs that the console draws, and the ASCII that stands for each where a terminal has no others.

use super::line::{Line, LineExt};
use crate::text::width::ambiguous_cells;

/// Drawn signs: of states, of places, of directions. No two that stand for a state share their ASCII.
const SIGNS: [(&str, &str); 17] = [
    ("●", "*"),
    ("◐", "%"),
    ("○", "o"),
    ("◌", "z"),
    ("▲", "!"),
    ("✕", "#"),
    ("✓", "+"),
    ("▸", ">"),
    ("•", "*"),
    ("−", "-"),
    ("↑", "^"),
    ("↓", "v"),
    ("←", "<"),
    ("→", ">"),
    ("‹", "<"),
    ("›", ">"),
    ("│", "|"),
];

/// What words bring along. Beside Chinese it stays: a terminal that shows that shows these too, and names contain them.
const PUNCTUATION: [(&str, &str); 7] =
    [("·", "-"), ("…", "~"), ("“", "\""), ("”", "\""), ("‘", "'"), ("’", "'"), ("×", "x")];

fn find(table: &[(&'static str, &'static str)], sign: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == sign).map(|(_, ascii)| *ascii)
}

/// What is drawn for one character of a text where there is only ASCII.
pub(super) fn ascii<'c>(cluster: &'c str, text: &str) -> &'c str {
    if cluster.is_ascii() {
        return cluster;
    }
    let known = |c: char| {
        let mut bytes = [0; 4];
        let c = &*c.encode_utf8(&mut bytes);
        c.is_ascii() || find(&SIGNS, c).or_else(|| find(&PUNCTUATION, c)).is_some()
    };
    let mark = || find(&PUNCTUATION, cluster).filter(|_| text.chars().all(known));
    find(&SIGNS, cluster).or_else(mark).unwrap_or(cluster)
}

/// Writes the arrow of a key like Shift+↓ as a word: its ASCII would name another key.
pub(super) fn spell_keys(line: &mut Line) {
    for span in &mut line.spans {
        if span.content.contains("+↑") || span.content.contains("+↓") {
            span.content = span.content.replace("+↑", "+Up").replace("+↓", "+Down").into();
        }
    }
}

/// Writes `…` at the end of a piece as dots, as far as blanks behind it or the end of the row have room for them. Where
/// they have not, `~` says that the word is cut.
pub(super) fn spell_ellipses(line: &mut Line, cells: usize) {
    let end = cells.saturating_sub(line.cells());
    for at in (0..line.spans.len()).rev() {
        let text = &line.spans[at].content;
        let Some(words) = text.strip_suffix('…').filter(|_| ascii("…", text) != "…") else { continue };
        let behind = line.spans.get(at + 1).map(|next| next.content.as_ref());
        // One blank stays.
        let blanks = |next: &str| (next.len() - next.trim_start_matches(' ').len()).saturating_sub(1);
        let dots = (ambiguous_cells() + behind.map_or(end, blanks)).min(3);
        if dots < 2 {
            continue;
        }
        let taken = dots - ambiguous_cells();
        let rest = behind.map(|next| next[taken..].to_owned());
        line.spans[at].content = format!("{words}{}", ".".repeat(dots)).into();
        if let Some(rest) = rest {
            line.spans[at + 1].content = rest.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipsis_has_as_many_dots_as_there_is_room_for() {
        let spelled = |text: &str, gap: usize, cells: usize| {
            let mut line = super::super::line::line(ratatui::style::Style::new(), text);
            if gap > 0 {
                line = line.gap(gap).add(ratatui::style::Style::new(), "x");
            }
            spell_ellipses(&mut line, cells);
            line.iter().map(|span| span.content.as_ref()).collect::<String>()
        };
        assert_eq!([spelled("Other…", 0, 9), spelled("Other…", 0, 7)], ["Other...", "Other.."]);
        assert_eq!([spelled("Other…", 0, 6), spelled("林…", 0, 9)], ["Other…", "林…"]);
        assert_eq!([spelled("cut…", 3, 9), spelled("cut…", 2, 9)], ["cut... x", "cut.. x"]);
        assert_eq!(spelled("cut…", 1, 9), "cut… x");
    }

    #[test]
    fn signs_of_states_stay_apart_and_names_keep_their_points() {
        let states = ["●", "◐", "○", "▲", "✕", "✓", "·"].map(|sign| ascii(sign, sign));
        for (at, one) in states.iter().enumerate() {
            assert!(one.is_ascii() && !states[at + 1..].contains(one), "{one}");
        }
        assert_eq!(ascii("·", "林栀·线索"), "·");
        assert_eq!(ascii("…", "looking…"), "~");
        assert_eq!(ascii("✕", "✕ 冲突"), "#");
        assert_eq!(ascii("字", "字"), "字");
    }
}
