//! Where the source asks which system it is compiled for.

use super::tokens::Token;

/// What such a question is about.
const WORDS: [&str; 5] = ["unix", "windows", "target_os", "target_family", "target_vendor"];

/// The lines with `#[cfg(unix)]`, `cfg!(target_os = "…")` and their like.
pub(super) fn conditions(tokens: &[Token]) -> Vec<usize> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let asks = |at: &usize| {
        let open = at + if text(at + 1) == "!" { 2 } else { 1 };
        if !["cfg", "cfg_attr"].contains(&text(*at)) || text(open) != "(" {
            return false;
        }
        let mut depth = 0_usize;
        let inside = tokens[open..].iter().map(|token| token.text.as_str()).take_while(|word| {
            depth = depth + usize::from(*word == "(") - usize::from(*word == ")");
            depth > 0
        });
        inside.into_iter().any(|word| WORDS.contains(&word))
    };
    (0..tokens.len()).filter(asks).map(|at| tokens[at].line).collect()
}
