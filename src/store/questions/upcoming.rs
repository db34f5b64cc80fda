//! What the steps to come will ask: which questions, for what each answer holds, and whether it is decided already.

use super::Questions;
use super::ahead::gate_at;
use crate::ask::standing::{REVIEW, Span};
use crate::ask::step::{CHAPTER, KINDS, LAST_CHAPTER, STAGES, Step};
use crate::ask::{JsString, decode_packet};
use crate::store::checkpoint;
use crate::store::file::read_file;
use crate::store::project::Project;
use crate::store::record;
use std::collections::HashSet;
use std::path::Path;

/// So many chapters are looked at, from the one that is written next.
const CHAPTERS: u64 = 10;
/// So many are told.
const MOST: usize = 100;
const QUICKSTART: &str = "quickstart";
const VOLUME: &str = "volume";

/// A question that a step to come asks first; the later ones that share its answer are not told.
#[derive(Clone, Debug, PartialEq)]
pub struct Upcoming {
    pub step: Step,
    /// That of the question's file.
    pub name: String,
    pub topic: JsString,
    pub span: Span,
    /// There is a valid record.
    pub is_decided: bool,
    /// There is a record that is not valid: the step would be held up.
    pub is_blocked: bool,
    /// It is about what the step makes, so it cannot be decided before.
    pub is_verdict: bool,
}

/// The questions that are on of the steps which the book has not passed, in the order of the book; the first of them, if they are many,
/// and whether these are not all. `place` says where the gate of a packet that lies there wants its record.
pub fn upcoming(
    project: &Project,
    questions: &Questions,
    place: impl Fn(&Path) -> Option<JsString>,
) -> (Vec<Upcoming>, bool) {
    // Where a packet asks something of its own where `novel` writes it, the step asks nothing else.
    let asks_by_itself = |step: Step| {
        let packet = format!("staging/manifests/{}.packet.json", step.to_string().replace(':', "-"));
        place(packet.as_ref()).is_some_and(|place| questions.owner(&place.lossy()).is_none())
    };
    let checkpoint = checkpoint::now(project);
    let first = checkpoint.next_chapter();
    let plain = KINDS.into_iter().filter(|(kind, _)| ![CHAPTER, REVIEW].contains(kind));
    // A book with a chapter has been started.
    let plain = plain.filter(|(kind, _)| first == 1 || *kind != QUICKSTART);
    // novel-writer-cli plans only the first volume in steps of its own.
    let plain = plain.filter(|(kind, _)| checkpoint.volume() == 1 || *kind != VOLUME);
    let plain =
        plain.flat_map(|(kind, stages)| stages.iter().map(move |stage| Step { kind, chapter: None, stage }));
    let last = first.saturating_add(CHAPTERS - 1).min(LAST_CHAPTER);
    let chapters = (first..=last).flat_map(|chapter| {
        STAGES.into_iter().map(move |stage| Step { kind: CHAPTER, chapter: Some(chapter), stage })
    });
    let (mut found, mut places) = (Vec::new(), HashSet::new());
    for step in plain.chain(chapters) {
        let mut has_own_gate = None;
        for (standing, span) in questions.asked_before(step, checkpoint.volume()) {
            let place = span.place(&standing.name);
            if !standing.rules.is_enabled || places.contains(&place) {
                continue;
            }
            let record = record::read(project, &gate_at(standing, &place)).ok();
            let is_answered = record.as_ref().is_some_and(record::Record::exists);
            if !is_answered && *has_own_gate.get_or_insert_with(|| asks_by_itself(step)) {
                continue;
            }
            if found.len() >= MOST {
                return (found, true);
            }
            places.insert(place);
            let is_decided = record.as_ref().is_some_and(|record| record.valid().is_some());
            found.push(Upcoming {
                step,
                name: standing.name.clone(),
                topic: standing.spec.topic.clone(),
                span,
                is_decided,
                is_blocked: is_answered && !is_decided,
                is_verdict: standing.spec.is_verdict(),
            });
        }
    }
    (found, false)
}

/// Where the gate of a packet wants its record, as its file says now.
pub fn place_in_packet(project: &Project, packet: &Path) -> Option<JsString> {
    let bytes = read_file(&project.root().join(packet)).ok()?;
    Some(decode_packet(&bytes).ok()?.gate?.answer_path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{Sandbox, question_json, record};

    fn all(book: &Sandbox) -> (Vec<Upcoming>, bool) {
        upcoming(&book.project, &Questions::read(&book.project), |packet| {
            place_in_packet(&book.project, packet)
        })
    }

    fn told(book: &Sandbox) -> Vec<String> {
        let line = |one: &Upcoming| {
            let decided = if one.is_decided { " decided" } else { "" };
            format!("{} {} {}{decided}", one.step, one.name, one.span)
        };
        all(book).0.iter().map(line).collect()
    }

    #[test]
    fn each_answer_is_wanted_once_and_what_is_passed_or_off_is_not_told() {
        let book = Sandbox::new();
        let put = |name: &str, members: &str| {
            book.put(&format!("questions/{name}.question.json"), question_json(members));
        };
        put(
            "a",
            r#""_steps": ["quickstart:world", "volume:outline", "chapter:*:draft"], "_once_per": "book""#,
        );
        put("b", r#""_steps": ["chapter:3-4:draft"]"#);
        put("c", r#""_steps": ["chapter:*:draft"], "_once_per": 5"#);
        put("d", r#""_steps": ["chapter:*:draft"], "_enabled": false"#);
        let c = |first: u64| format!("chapter:{first:03}:draft c chapters-{first:03}-{:03}", first + 4);
        let b = |chapter: u64| format!("chapter:{chapter:03}:draft b chapter-{chapter:03}-draft");
        assert_eq!(told(&book), ["quickstart:world a book".to_owned(), c(1), b(3), b(4), c(6)]);
        book.put("staging/novel-ask/b-chapter-004-draft.answers.json", record("x").to_json());
        book.put(".checkpoint.json", r#"{"last_completed_chapter": 3}"#);
        let shared = "chapter:004:draft c chapters-001-005".to_owned();
        assert_eq!(told(&book), ["volume:outline a book".to_owned(), shared, b(4) + " decided", c(6), c(11)]);
    }

    #[test]
    fn the_last_of_all_chapters_is_no_trouble() {
        let book = Sandbox::new();
        book.put("questions/a.question.json", question_json(r#""_steps": ["chapter:*:draft"]"#));
        for (completed, left) in [("9007199254740988", 3), ("9007199254740991", 0), ("9007199254740992", 0)] {
            book.put(".checkpoint.json", format!(r#"{{"last_completed_chapter": {completed}}}"#));
            assert_eq!(told(&book).len(), left, "{completed}");
        }
    }

    #[test]
    fn of_a_later_volume_the_first_chapter_asks_what_its_outline_would() {
        let book = Sandbox::new();
        let steps = r#""_steps": ["volume:outline", "chapter:*:draft"], "_once_per": "volume""#;
        book.put("questions/a.question.json", question_json(steps));
        book.put(".checkpoint.json", r#"{"last_completed_chapter": 30, "current_volume": 1}"#);
        assert_eq!(told(&book), ["volume:outline a vol-01"]);
        book.put(".checkpoint.json", r#"{"last_completed_chapter": 30, "current_volume": 2}"#);
        assert_eq!(told(&book), ["chapter:031:draft a vol-02"]);
    }

    #[test]
    fn that_there_are_more_than_are_told_is_known() {
        let book = Sandbox::new();
        for count in [10, 11] {
            let name = format!("questions/q{count}.question.json");
            book.put(&name, question_json(r#""_steps": ["chapter:*:*"]"#));
            let (told, more) = all(&book);
            assert_eq!((told.len(), more), if count == 10 { (80, false) } else { (MOST, true) });
        }
    }
}
