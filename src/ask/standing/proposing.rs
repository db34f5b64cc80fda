//! Choices to which the executor adds options, a round at a time (`_propose`): what it is to propose, and how often.

use super::verdict::{OPENS, PROPOSE};
use crate::ask::JsString;
use crate::ask::json::Item;
use crate::ask::problem::{Pointer, Problem, ProblemCode, Problems};
use crate::ask::reader::{Reader, wrong};
use crate::text::{Sentence, say};
use std::ops::RangeInclusive;

const KEYS: [&str; 3] = ["brief", "options", "rounds"];
/// How many options a round may be to have, and how many rounds there may be.
const COUNTS: RangeInclusive<usize> = 1..=9;
/// Where nothing is said.
const USUAL: usize = 3;

/// What an executor is to propose to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposing {
    /// The id of the question.
    pub question: String,
    /// What an option is to say, in the author's words.
    pub brief: JsString,
    /// So many options a round.
    pub options: usize,
    /// So many rounds at most.
    pub rounds: usize,
}

/// The questions of a legal spec to which the executor proposes options.
pub(super) fn read(root: Item<'_>, problems: &mut Problems) -> Vec<Proposing> {
    let at = Pointer::ROOT.key("questions");
    let questions = root.get("questions").into_iter().flat_map(Item::elements).enumerate();
    let read = questions.filter_map(|(place, question)| proposing(question, &at.index(place), problems));
    read.collect()
}

/// What one question says of it; nothing if it says nothing, or it cannot be so.
fn proposing(question: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<Proposing> {
    let given = question.get(PROPOSE)?;
    let before = problems.count();
    let mut needs = |key: &str, is_so: bool, expected: Sentence| {
        if !is_so {
            problems.push(&at.key(key), || Problem {
                code: ProblemCode::Other,
                ..wrong(expected, question.get(key))
            });
        }
    };
    let is_choice = question.get("kind").is_some_and(|kind| !kind.is_string("free_text"));
    let choice = say(
        "single_choice or multi_choice, for it has _propose",
        "single_choice 或 multi_choice，因为它有 _propose",
    );
    needs("kind", is_choice, choice);
    let is_open = question.get("allow_other").and_then(Item::boolean) == Some(true);
    let open = say(
        "true: nobody need take what the executor proposes",
        "true：执行器给出的备选，作者可以一个都不要",
    );
    // Of free text, it would be one mistake more.
    needs("allow_other", is_open || !is_choice, open);
    let verdict = say(
        "no _opens_on beside _propose: a verdict has its own options",
        "有 _propose 就不写 _opens_on：验收只有它自己的选项",
    );
    needs(OPENS, question.get(OPENS).is_none(), verdict);
    let place = at.key(PROPOSE);
    let mut reader = Reader::of(&KEYS, given, &place, problems)?;
    reader.only(&KEYS);
    let brief = reader.words("brief");
    let [options, rounds] = ["options", "rounds"].map(|key| count(&mut reader, key));
    if problems.count() > before {
        return None;
    }
    let id = question.text("id")?.lossy().into_owned();
    Some(Proposing { question: id, brief: brief?, options, rounds })
}

fn count(reader: &mut Reader<'_, '_>, key: &str) -> usize {
    let Some(item) = reader.get(key) else { return USUAL };
    // However it is spelled: 3e0 is 3.
    let count = item.number().and_then(|count| count.to_string().parse().ok());
    let count = count.filter(|count| COUNTS.contains(count));
    if count.is_none() {
        reader.report(key, || wrong(say("a number from 1 to 9", "1 到 9 的整数"), Some(item)));
    }
    count.unwrap_or(USUAL)
}
