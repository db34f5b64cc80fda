//! Verdicts: choices of which only some labels open the gate (`_opens_on`). With the others the author sends it back.
//!
//! What is attached has only the labels that open, and takes nothing else; the others stand in `_sends_back`, which novel-writer-cli
//! passes over. So its verdict and ours about a record are one.

use crate::ask::JsString;
use crate::ask::decode::duplicate_entry;
use crate::ask::json::{Item, Kind};
use crate::ask::problem::{Pointer, Problem, ProblemCode, Problems, nearest, one_of, quote, quoted, shorten};
use crate::ask::reader::{Reader, unknown_field, wrong};
use crate::ask::splice::with_member;
use crate::text::{Sentence, say};
use std::collections::HashSet;

/// The labels that open the gate.
pub(super) const OPENS: &str = "_opens_on";
/// What the executor proposes; see `proposing`.
pub(super) const PROPOSE: &str = "_propose";
/// The options that send it back.
const SENDS_BACK: &str = "_sends_back";
/// What an author may write into a question.
const OURS: [&str; 2] = [OPENS, PROPOSE];

/// The questions of a legal spec as they are attached; `None` if that is as the file spells them.
pub(super) fn attached(root: Item<'_>, problems: &mut Problems) -> Option<String> {
    let questions: Vec<Item<'_>> = root.get("questions")?.elements().collect();
    if questions.iter().all(|question| question.get(OPENS).is_none()) {
        return None;
    }
    let at = Pointer::ROOT.key("questions");
    let written = questions.iter().enumerate().map(|(place, question)| {
        let given = question.get(OPENS);
        let verdict = given.and_then(|_| verdict(*question, &at.index(place), problems));
        verdict.unwrap_or_else(|| question.source().to_owned())
    });
    let written: Vec<String> = written.collect();
    Some(format!("[{}]", written.join(", ")))
}

/// One question as it is attached; nothing if it cannot be a verdict.
fn verdict(question: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<String> {
    let before = problems.count();
    let mut reader = Reader::new(question, at, problems)?;
    let mut needs = |key: &str, is_so: bool, expected: Sentence| {
        if !is_so {
            let item = reader.get(key);
            reader.report(key, || Problem { code: ProblemCode::Other, ..wrong(expected, item) });
        }
    };
    let kind = question.get("kind").is_some_and(|kind| kind.is_string("single_choice"));
    needs("kind", kind, say("single_choice, for it has _opens_on", "single_choice，因为它有 _opens_on"));
    let is_required = question.get("required").and_then(Item::boolean) == Some(true);
    let sentence = say("true: a verdict cannot be left out", "true：验收不能跳过");
    needs("required", is_required, sentence);
    let sentence = say("no default: nobody approves by leaving it", "不设默认值：不作选择不等于通过");
    needs("default", question.get("default").is_none(), sentence);
    let options: Vec<Item<'_>> = question.get("options")?.elements().collect();
    let labels: HashSet<JsString> = options.iter().filter_map(|option| option.text("label")).collect();
    let mut opening = HashSet::new();
    reader.list(OPENS, |item, at, problems| {
        match item.string().filter(|label| labels.contains(label)) {
            None => problems.push_with(at, |hint| not_a_label(item, if hint { &options } else { &[] })),
            Some(label) if opening.contains(&label) => problems.push(at, || duplicate_entry(&label)),
            Some(label) => _ = opening.insert(label),
        }
        Some(())
    });
    if problems.count() > before {
        return None;
    }
    let opens = |option: &&Item<'_>| option.text("label").is_some_and(|label| opening.contains(&label));
    let (opening, back): (Vec<Item<'_>>, Vec<Item<'_>>) = options.iter().partition(opens);
    let list = |options: &[Item<'_>]| {
        let options: Vec<&str> = options.iter().map(|option| option.source()).collect();
        format!("[{}]", options.join(", "))
    };
    let mut out = with_member(question.source().as_bytes(), "options", Some(&list(&opening)))?;
    if question.get("allow_other").is_some_and(|item| item.kind() == Kind::Boolean) {
        out = with_member(&out, "allow_other", Some("false"))?;
    }
    out = with_member(&out, SENDS_BACK, Some(&list(&back)))?;
    String::from_utf8(out).ok()
}

/// Reports members that are nearly `_opens_on` or `_propose`: without them every label opens, and nobody proposes.
pub(super) fn slips(root: Item<'_>, problems: &mut Problems) {
    let at = Pointer::ROOT.key("questions");
    for (place, question) in root.get("questions").into_iter().flat_map(Item::elements).enumerate() {
        let keys = question.entries().into_iter().map(|(key, _)| key);
        let known = |key: &JsString| [OPENS, SENDS_BACK, PROPOSE].iter().any(|known| *key == **known);
        for key in keys.filter(|key| key.head(1) == "_" && !known(key)) {
            if let Some(meant) = nearest(&key, OURS.map(JsString::from)) {
                problems
                    .push(&at.index(place).name(&key), || unknown_field(&key, one_of(&OURS[meant..=meant])));
            }
        }
    }
}

fn not_a_label(item: Item<'_>, options: &[Item<'_>]) -> Problem {
    let labels = || options.iter().filter_map(|option| option.text("label"));
    let near =
        item.string().and_then(|label| nearest(&label, labels())).and_then(|place| labels().nth(place));
    let expected = say("a label of the options", "选项中的一个标签");
    Problem::new(ProblemCode::NotAnOption, quoted(&shorten(item.source())), expected)
        .with_nearest(near.map(|label| quote(&label)))
}
