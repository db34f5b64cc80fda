//! A standing question from a gate that an executor has asked: from then on it is asked again.

use super::{Questions, copies};
use crate::ask::json::Json;
use crate::ask::splice::with_member;
use crate::ask::standing::{self, LONGEST, Pattern, Standing, is_name};
use crate::ask::step::Step;
use crate::ask::to_line;
use crate::store::file::is_relay;
use crate::store::gate::Loaded;

/// A file that is not in the book yet.
#[derive(Clone, Debug, PartialEq)]
pub struct NewQuestion {
    pub standing: Standing,
    pub bytes: Vec<u8>,
}

/// The file that asks what this gate asks, before each step of its kind; `None` if a standing question asks that already, an executor
/// asks it in its own dialog, or it is of no step that could be asked before.
pub fn from_gate(questions: &Questions, loaded: &Loaded) -> Option<NewQuestion> {
    let gate = loaded.gate().filter(|_| !is_relay(&loaded.path))?;
    let step = Step::parse(loaded.packet.step.as_ref()?.as_str()?)?;
    let id = gate.spec.questions.first().map_or("", |question| &question.id);
    let is_asked = |standing: &Standing| standing.spec == gate.spec;
    // Off or faulty, it is one of theirs all the same.
    if loaded.asked.is_some()
        || questions.owner(&gate.answer_path.lossy()).is_some()
        || questions.standing_questions().any(is_asked)
    {
        return None;
    }
    let each = match step.chapter {
        Some(_) => format!("{}:*:{}", step.kind, step.stage),
        None => step.to_string(),
    };
    let pattern = Pattern::parse(&each).filter(|pattern| !pattern.is_of_reviews())?;
    let name = free_name(questions, [&*gate.spec.topic.lossy(), id]);
    let steps = to_line(&[pattern.to_string()]);
    let bytes = with_member(loaded.novel_ask.as_deref()?.as_bytes(), "_steps", Some(&steps))?;
    // As an author reads it, however deep it stood in its packet.
    let bytes = (Json::parse(&bytes).ok()?.root().indented() + "\n").into_bytes();
    let standing = standing::read(&name, &bytes).standing?;
    Some(NewQuestion { standing, bytes })
}

/// A legal name that is not taken, from the first of these texts that has letters.
fn free_name(questions: &Questions, texts: [&str; 2]) -> String {
    let named = |text: &&str| {
        let parts = text.split(|c: char| !c.is_alphanumeric() && !"_-.".contains(c));
        let name = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
        // Room for a number behind it.
        let name: String =
            name.trim_matches(|c: char| !c.is_alphanumeric()).chars().take(LONGEST - 4).collect();
        let name = name.trim_end_matches('.').to_owned();
        is_name(&name).then_some(name)
    };
    let name = texts.iter().find_map(named).unwrap_or_else(|| "question".to_owned());
    let is_free = |name: &String| {
        questions.taken(name).is_none() && copies::original_of(&format!("{name}.json")).is_none()
    };
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).take(1_000).find(is_free).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::gate;
    use crate::store::questions::path_of;
    use crate::store::testing::Sandbox;

    const ASKED: &str = r#"{"version": 1, "topic": "TOPIC", "questions": [{"id": "goal", "header": "H", "question": "Q?", "kind": "free_text", "required": true, "_x": 1.50}]}"#;

    /// What becomes of the gate of a packet with this topic, before this step.
    fn made(book: &Sandbox, topic: &str, step: &str) -> Option<NewQuestion> {
        let ask = ASKED.replace("TOPIC", topic);
        let text =
            format!(r#"{{"step": "{step}", "novel_ask": {ask}, "answer_path": "staging/own.answers.json"}}"#);
        let packet = book.put("staging/a.packet.json", text);
        let loaded = gate::load(&book.project, &packet).expect("a packet");
        from_gate(&Questions::read(&book.project), &loaded)
    }

    #[test]
    fn its_questions_are_asked_before_each_step_of_its_kind_as_they_are_spelled() {
        let book = Sandbox::new();
        for (step, pattern) in [
            ("chapter:012:draft", "chapter:*:draft"),
            ("chapter:007:title-fix", "chapter:*:title-fix"),
            ("volume:outline", "volume:outline"),
            ("quickstart:style", "quickstart:style"),
        ] {
            let new = made(&book, "T", step).expect("a question");
            assert_eq!(
                new.standing.rules.steps.iter().map(Pattern::to_string).collect::<Vec<_>>(),
                [pattern]
            );
            let text = String::from_utf8(new.bytes).expect("text");
            assert!(text.contains(r#""_x": 1.50"#), "{text}");
        }
        for step in ["review:audit", "something:else", ""] {
            assert_eq!(made(&book, "T", step), None, "{step}");
        }
    }

    #[test]
    fn its_name_is_legal_and_free() {
        let book = Sandbox::new();
        book.put(&path_of("Taken"), "{");
        let long = "长".repeat(200);
        for (topic, name) in [
            ("雨停之前：卷纲？", "雨停之前_卷纲".to_owned()),
            ("init.platform_binding", "init.platform_binding".to_owned()),
            ("../../etc/passwd", "etc_passwd".to_owned()),
            ("taken", "taken_2".to_owned()),
            ("…", "goal".to_owned()),
            (r"a\u0000b", "a_b".to_owned()),
            (&*long, "长".repeat(60)),
        ] {
            let new = made(&book, topic, "chapter:001:draft").expect("a question");
            assert_eq!(new.standing.name, name);
            assert!(is_name(&new.standing.name));
        }
    }

    #[test]
    fn the_gate_of_a_standing_question_does_not_become_another() {
        let book = Sandbox::new();
        book.put(
            &path_of("goal"),
            ASKED.replacen('{', r#"{"_enabled": false, "_steps": ["chapter:*:draft"], "#, 1),
        );
        let text = format!(
            r#"{{"step": "chapter:001:draft", "novel_ask": {ASKED}, "answer_path": "staging/novel-ask/goal-chapter-001-draft.answers.json"}}"#
        );
        let packet = book.put("staging/a.packet.json", text);
        let loaded = gate::load(&book.project, &packet).expect("a packet");
        assert_eq!(from_gate(&Questions::read(&book.project), &loaded), None);
    }
}
