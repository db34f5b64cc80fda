//! What a rule of a client's takes in: a tool, and the words that it is called with.

use crate::command::init::client::COMMANDS;
use crate::command::init::edit::PROGRAM;
use crate::text::{Sentence, say};

/// What to do about a rule that takes in what is ours.
pub(super) const NARROWER: Sentence = say("Take it out, or make it narrower.", "请去掉它，或把范围收窄。");

/// What an executor calls of ours: each tool, as Claude Code names it, with its words. A program is called by this line.
pub(super) fn calls(line: &str) -> Vec<(&'static str, String)> {
    let commands = COMMANDS.iter().map(|command| ("Bash", format!("{line} {command} x")));
    let skill = ["", " x"].map(|words| ("Skill", format!("{PROGRAM}{words}")));
    commands.chain(skill).collect()
}

/// Whether a rule, `Tool` or `Tool(words)`, is about a call: its words are a prefix that ends in `:*`, else `*` stands for anything.
pub(super) fn covers(rule: &str, tool: &str, call: &str) -> bool {
    let Some((name, words)) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) else {
        return matches(rule, tool);
    };
    let is_prefix =
        |prefix: &str| call.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    name == tool && words.strip_suffix(":*").map_or_else(|| matches(words, call), is_prefix)
}

/// Whether a pattern fits, in which `*` stands for anything.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_about_the_commands_that_its_words_take_in() {
        for (rule, is_about) in [
            ("Bash", true),
            ("*", true),
            ("Bash(*)", true),
            ("Bash(novel-gate:*)", true),
            ("Bash(novel-gate *)", true),
            ("Bash(novel-gate wait:*)", true),
            ("Bash(nov*)", true),
            ("Bash(*gate wait*)", true),
            ("Bash(novel:*)", false),
            ("Bash(novel-gate)", false),
            ("Bash(novel-gate answer *)", false),
            ("Bash(*gate list*)", false),
            ("Write", false),
            ("Bash(", false),
        ] {
            assert_eq!(covers(rule, "Bash", "novel-gate wait x"), is_about, "{rule}");
        }
    }
}
