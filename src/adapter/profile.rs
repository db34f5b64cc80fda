//! What an executor's dialog tool can do, as data.
//!
//! The limits are those of the published types of `@anthropic-ai/claude-agent-sdk` (`AskUserQuestionInput`) and of
//! Codex's `request_user_input`.

use crate::ask::js_string::trim_js;
use crate::ask::{JsString, SIGNATURE};
use crate::text::cluster::clusters;
use crate::text::width::grapheme_cells;
use crate::text::{Message, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Executor {
    /// `AskUserQuestion`.
    ClaudeCode,
    /// `request_user_input`.
    Codex,
    /// One strict JSON reply, of anything that can only talk.
    JsonContract,
}

/// How a multi choice shows more options than fit on a screen. A single choice shows groups first, then the options of
/// one (`two_stage_routing`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// One page after the other, with an entry that shows more: short where each pick is followed by another.
    Pages,
    /// Groups, as a single choice, and after each pick whether to add another.
    Tree,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerKey {
    Text,
    Id,
}

/// What an executor's dialogs can do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "DialogProfile")]
pub struct Profile {
    #[serde(skip)]
    pub executor: Executor,
    /// The tool.
    #[schemars(with = "&str", extend("enum" = ["AskUserQuestion", "request_user_input"]))]
    pub tool: Option<&'static str>,
    /// Questions in one call.
    pub max_questions: usize,
    /// The fewest options of a question.
    pub min_options: usize,
    /// The most options of a question.
    pub max_options: usize,
    /// Whether several options can be ticked at once.
    pub native_multi: bool,
    #[serde(skip)]
    pub overflow: Overflow,
    #[serde(skip)]
    pub key: AnswerKey,
    /// Whether words typed into the tool's own free-form entry arrive whole, so that free text can be asked there.
    #[serde(skip)]
    pub free_text: bool,
    /// The labels that the tool adds for "none of these"; an option with such a label is not told apart from them.
    #[serde(skip)]
    pub none_labels: &'static [&'static str],
    /// The prefix of typed words among the picked labels.
    #[serde(skip)]
    pub note_prefix: Option<&'static str>,
    /// Who signs.
    pub answered_by: &'static str,
}

/// What an Esc (a cancelled, declined or timed-out call) does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OnEscape {
    /// Ends the dialogue; it can be resumed from the same call.
    #[default]
    Terminate,
    /// Goes back to before the last reply that changed something.
    ReturnPrevious,
    /// Asks the questions of the call last; ends the dialogue when all of them were put off before.
    Defer,
}

const CLAUDE_CODE: Profile = Profile {
    executor: Executor::ClaudeCode,
    tool: Some("AskUserQuestion"),
    max_questions: 4,
    min_options: 2,
    max_options: 4,
    native_multi: true,
    overflow: Overflow::Pages,
    key: AnswerKey::Text,
    free_text: true,
    none_labels: &[],
    note_prefix: None,
    answered_by: "claude_code",
};

const CODEX: Profile = Profile {
    executor: Executor::Codex,
    tool: Some("request_user_input"),
    max_questions: 1,
    min_options: 2,
    max_options: 3,
    native_multi: false,
    overflow: Overflow::Tree,
    key: AnswerKey::Id,
    free_text: false,
    none_labels: &["None of the above", "Other", "Custom answer"],
    note_prefix: Some("user_note:"),
    answered_by: "codex",
};

const JSON_CONTRACT: Profile = Profile {
    executor: Executor::JsonContract,
    tool: None,
    max_questions: 0,
    min_options: 0,
    max_options: 0,
    native_multi: false,
    overflow: Overflow::Pages,
    key: AnswerKey::Id,
    free_text: false,
    none_labels: &[],
    note_prefix: None,
    answered_by: SIGNATURE,
};

const NO_QUESTIONS: Sentence =
    say("--max-questions is for executors with a dialog tool.", "--max-questions 只用于有对话工具的执行器。");
const MOST_QUESTIONS: Sentence =
    say("--max-questions is 1 to {0} here.", "--max-questions 在这里应为 1 到 {0}。");
const NO_EXACT_OPTIONS: Sentence = say("--exact-options is for codex.", "--exact-options 只用于 codex。");

impl Executor {
    pub const ALL: [Executor; 3] = [Executor::ClaudeCode, Executor::Codex, Executor::JsonContract];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Executor::ClaudeCode => "Claude Code",
            Executor::Codex => "Codex",
            Executor::JsonContract => "JSON contract",
        }
    }

    pub fn profile(self) -> Profile {
        match self {
            Executor::ClaudeCode => CLAUDE_CODE,
            Executor::Codex => CODEX,
            Executor::JsonContract => JSON_CONTRACT,
        }
    }
}

impl Profile {
    /// With another number of questions in a call, and with exactly so many options on every screen; an error if the tool
    /// does not allow that.
    pub fn with(
        mut self,
        max_questions: Option<usize>,
        exact_options: Option<usize>,
    ) -> Result<Profile, Message> {
        if let Some(count) = max_questions {
            let most = match self.executor {
                Executor::ClaudeCode => 4,
                Executor::Codex => 3,
                Executor::JsonContract => return Err(NO_QUESTIONS.into()),
            };
            if !(1..=most).contains(&count) {
                return Err(Message::new(MOST_QUESTIONS, &[&most.to_string()]));
            }
            self.max_questions = count;
        }
        match exact_options {
            None => {}
            Some(_) if self.executor != Executor::Codex => return Err(NO_EXACT_OPTIONS.into()),
            Some(count @ 2..=9) => (self.min_options, self.max_options) = (count, count),
            Some(_) => return Err(say("--exact-options is 2 to 9.", "--exact-options 应为 2 到 9。").into()),
        }
        Ok(self)
    }

    /// How many entries a group shows beside the way back, which is an entry where the tool has none of its own for "none
    /// of these".
    pub fn group_options(&self) -> usize {
        self.max_options - usize::from(!self.has_way_back())
    }

    /// Whether the tool itself offers "none of these", which leads out of a group.
    pub fn has_way_back(&self) -> bool {
        !self.none_labels.is_empty()
    }

    /// Whether a label looks like what the tool itself adds to a reply.
    pub fn is_undecidable(&self, label: &JsString) -> bool {
        let label = label.trimmed();
        self.none_labels.iter().any(|none| label == *none)
            || self.note_prefix.is_some_and(|prefix| label.lossy().starts_with(prefix))
    }
}

impl OnEscape {
    /// As documents and the command line spell it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

const HEADER_COLUMNS: usize = 12;
/// Most Unicode scalar values: marks without a width of their own count for the tools too.
const HEADER_SCALARS: usize = 12;

/// What dialog tools take of a header: the longest beginning, outer white space aside, that fits; `?` if nothing does. It ends before a line
/// end or another control character, and before half a surrogate pair.
pub fn cut_header(header: &JsString) -> String {
    let trimmed = header.trimmed();
    let text = trimmed.lossy();
    let (mut columns, mut scalars, mut end) = (0, 0, 0);
    for (at, cluster) in clusters(&text) {
        columns += grapheme_cells(cluster);
        scalars += cluster.chars().count();
        let strange = cluster.contains(|c: char| c.is_control() || c == '\u{fffd}');
        if columns > HEADER_COLUMNS || scalars > HEADER_SCALARS || strange {
            break;
        }
        end = at + cluster.len();
    }
    let kept = trim_js(&text[..end]);
    if kept.is_empty() { "?".to_owned() } else { kept.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_cut_between_characters() {
        for (header, cut_to) in [
            ("Platform", "Platform"),
            ("发布平台选择与说明", "发布平台选择"),
            ("  Where to publish", "Where to pub"),
            (
                "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
                "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
            ),
            ("twelve chars and", "twelve chars"),
            ("eleven chrs and", "eleven chrs"),
            ("first\nsecond", "first"),
            ("\u{7}", "?"),
            ("a\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", "?"),
            ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ] {
            assert_eq!(cut_header(&header.into()), cut_to);
        }
    }
}
