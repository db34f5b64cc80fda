//! Which argument of a line that clap refuses is wrong, and which one was probably meant.

use clap::error::{ContextKind, ContextValue};

/// The argument that is wrong, without the name of its value: `--lang`, `<PACKET>`, `lsit`.
pub fn culprit(error: &clap::Error) -> Option<String> {
    let whole = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let whole = whole.into_iter().find_map(|kind| best(error, kind))?;
    let word = whole.split(' ').next().unwrap_or_default();
    // A flag whose value may be left out is named as --replace[=<SHA256>].
    let word = word.split_once("[=").map_or(word, |(flag, _)| flag);
    Some(word.split('=').next().unwrap_or_default().trim_end_matches("...").to_owned())
}

/// What was probably meant: commands, flags or values.
pub fn meant(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    kinds.into_iter().find_map(|kind| best(error, kind))
}

fn best(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        // The library puts the closest one last.
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;
    use crate::text::Lang;

    #[test]
    fn the_wrong_argument_is_named_and_the_one_that_was_meant() {
        for (line, at, other) in [
            ("novel-gate lsit", Some("lsit"), Some("list")),
            ("novel-gate list --stauts waiting", Some("--stauts"), Some("--status")),
            ("novel-gate list --lang fr", Some("--lang"), None),
            ("novel-gate list --status wating", Some("--status"), Some("waiting")),
            ("novel-gate check", Some("<PACKET>"), None),
            ("novel-gate wait", Some("<PACKET>"), None),
            ("novel-gate answer a --dry-run=yes", Some("--dry-run"), None),
            ("novel-gate answer a --replace x", Some("x"), None),
            ("novel-gate answer a --replace=x", Some("--replace"), None),
            ("novel-gate history --restore a --replace=", Some("--replace"), None),
        ] {
            let error = command(Lang::En).try_get_matches_from(line.split(' ')).expect_err(line);
            assert_eq!(culprit(&error).as_deref(), at, "{line}");
            assert_eq!(meant(&error).as_deref(), other, "{line}");
        }
    }
}
