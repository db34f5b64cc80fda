//! The signs that the console draws, and the ASCII that stands for each where a terminal has no others.

use super::line::Line;

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

#[cfg(test)]
mod tests {
    use super::*;

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
