//! What a change to the file of a standing question means for the answers that are there.

use super::Questions;
use super::ahead::places_of_records;
use crate::ask::standing::{OncePer, Span, Standing, span_at};
use crate::ask::{Gate, QuestionSpec, check_record};
use crate::store::checkpoint::{self, Checkpoint};
use crate::store::project::Project;
use crate::store::record::{self, Record};
use std::sync::Arc;

/// The parts of the book that have an answer which a file, written anew, would refuse, and which the book has not left behind.
pub fn blocked_by(project: &Project, questions: &Questions, new: &Standing) -> Vec<Span> {
    let checkpoint = checkpoint::now(project);
    let own = places_of_records(project).filter_map(|(place, _)| {
        let is_own = questions.owner(&place).is_some_and(|file| file.name == new.name);
        let span = span_at(&new.name, &place).filter(|span| is_own && !is_behind(checkpoint, *span))?;
        let gate = Gate { spec: Arc::clone(&new.spec), answer_path: place.into() };
        Some((span, record::read(project, &gate).ok().filter(Record::exists)?.bytes))
    });
    let asked = questions.standing(&new.name).filter(|old| old.rules.is_enabled);
    blocked(own, asked.map(|old| &*old.spec), new)
}

/// Of these records those that what was asked until now takes, and the new file does not.
fn blocked(
    records: impl Iterator<Item = (Span, Vec<u8>)>,
    asked: Option<&QuestionSpec>,
    new: &Standing,
) -> Vec<Span> {
    let is_asked_for = |span: Span| match (span, new.rules.once_per) {
        (Span::Step(step), OncePer::Step) => new.is_for(step),
        (Span::Chapters(first, last), OncePer::Chapters(count)) => first + count == last + 1,
        (Span::Chapter(_), OncePer::Chapter)
        | (Span::Volume(_), OncePer::Volume)
        | (Span::Book, OncePer::Book) => true,
        _ => false,
    };
    let mut found: Vec<Span> = records
        .filter(|(span, bytes)| {
            is_asked_for(*span)
                && check_record(&new.spec, bytes).is_err()
                && asked.is_none_or(|asked| check_record(asked, bytes).is_ok())
        })
        .map(|(span, _)| span)
        .collect();
    found.sort_by_key(Span::to_string);
    found
}

/// Whether the book has left behind all for which an answer holds.
pub(in crate::store) fn is_behind(checkpoint: Checkpoint, span: Span) -> bool {
    match span {
        Span::Step(step) => checkpoint.has_passed(&step.to_string().as_str().into()),
        Span::Chapter(chapter) | Span::Chapters(_, chapter) => checkpoint.has_passed_chapter(chapter),
        Span::Volume(volume) => volume < checkpoint.volume(),
        Span::Book => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::standing;
    use crate::ask::step::Step;
    use crate::store::questions::path_of;
    use crate::store::testing::Sandbox;

    const RECORD: &str = r#"{"version": 1, "topic": "T", "answers": {"goal": "A"}, "answered_at": "2026-02-27T10:12:34Z", "answered_by": "human"}"#;

    fn file(rules: &str, label: &str) -> String {
        format!(
            r#"{{{rules}, "version": 1, "topic": "T", "questions": [{{"id": "goal", "header": "H", "question": "Q?",
            "kind": "single_choice", "required": true, "options": [{{"label": "{label}", "description": "d"}},
            {{"label": "B", "description": "d"}}]}}]}}"#
        )
    }

    fn question(rules: &str, label: &str) -> Standing {
        standing::read("goal", file(rules, label).as_bytes()).standing.expect("a question")
    }

    const DRAFTS: &str = r#""_steps": ["chapter:*:draft"]"#;

    #[test]
    fn what_was_valid_and_no_longer_passes_is_named_and_nothing_else() {
        let step = |id| Span::Step(Step::parse(id).expect("a step"));
        let (first, second) = (step("chapter:001:draft"), step("chapter:002:draft"));
        let records =
            || [(second, RECORD.into()), (first, RECORD.into()), (step("volume:outline"), RECORD.into())];
        let found = |asked: Option<&Standing>, new: &Standing| {
            blocked(records().into_iter(), asked.map(|old| &*old.spec), new)
        };
        let (old, new) = (question(DRAFTS, "A"), question(DRAFTS, "C"));
        assert_eq!(found(Some(&old), &new), [first, second]);
        assert_eq!(found(Some(&old), &old), []);
        assert_eq!(found(Some(&new), &new), [], "they were blocked before");
        assert_eq!(found(None, &new), [first, second], "it was not asked before");
        let narrow = question(r#""_steps": ["chapter:2-9:draft"]"#, "C");
        assert_eq!(found(Some(&old), &narrow), [second]);
        let wider = question(&format!(r#"{DRAFTS}, "_once_per": "chapter""#), "C");
        assert_eq!(found(Some(&old), &wider), [], "it has other places for its answers");
    }

    #[test]
    fn what_the_book_has_left_behind_is_not_named() {
        for (rules, spans) in [
            (DRAFTS, vec![("chapter-001-draft", false), ("chapter-003-draft", true)]),
            (
                r#""_steps": ["chapter:*:draft"], "_once_per": "chapter""#,
                vec![("chapter-002", false), ("chapter-003", true)],
            ),
            (
                r#""_steps": ["chapter:*:draft"], "_once_per": 2"#,
                vec![("chapters-001-002", false), ("chapters-003-004", true)],
            ),
            (
                r#""_steps": ["volume:outline"], "_once_per": "volume""#,
                vec![("vol-01", false), ("vol-02", true)],
            ),
            (r#""_steps": ["volume:outline"], "_once_per": "book""#, vec![("book", true)]),
        ] {
            let book = Sandbox::new();
            book.put(".checkpoint.json", r#"{"last_completed_chapter": 2, "current_volume": 2}"#);
            book.put(&path_of("goal"), file(rules, "A"));
            for (span, _) in &spans {
                book.put(&format!("staging/novel-ask/goal-{span}.answers.json"), RECORD);
            }
            book.put("staging/novel-ask/goals-book.answers.json", RECORD);
            let found = blocked_by(&book.project, &Questions::read(&book.project), &question(rules, "C"));
            let expected: Vec<&str> =
                spans.iter().filter(|(_, named)| *named).map(|(span, _)| *span).collect();
            assert_eq!(found.iter().map(Span::to_string).collect::<Vec<_>>(), expected, "{rules}");
        }
    }
}
