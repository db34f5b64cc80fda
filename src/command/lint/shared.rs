//! What concerns several files: packets whose answers go to one place.

use super::Linted;
use crate::ask::{Gate, JsString, Problem, ProblemKind, Rule, Spot};
use crate::store::Project;
use crate::store::safe_path::real_place;
use crate::store::state::spelled_key;
use crate::text::{Message, say};
use std::collections::HashMap;
use std::path::PathBuf;

/// A packet among the files: where it stands in the list, and its gate.
pub(super) struct Asking {
    pub(super) at: usize,
    pub(super) path: PathBuf,
    pub(super) gate: Gate,
    /// Where it names the place of its answers.
    pub(super) spot: Option<Spot>,
}

/// Packets whose answers go to one place although they ask different things: each is a problem of both.
pub(super) fn conflicts<'a>(
    project: Option<&Project>,
    asking: &'a [Asking],
    files: &[Linted],
) -> Vec<(&'a Asking, Problem)> {
    let mut places: HashMap<String, Vec<&Asking>> = HashMap::new();
    for packet in asking {
        places.entry(place(project, packet)).or_default().push(packet);
    }
    let mut found = Vec::new();
    for packet in asking {
        let asked = packet.gate.spec.fingerprint();
        let same = places.get(&place(project, packet)).into_iter().flatten();
        let rival = same.into_iter().find(|other| other.gate.spec.fingerprint() != asked);
        if let Some(rival) = rival {
            found.push((packet, conflict(&packet.gate.answer_path, &files[rival.at].shown)));
        }
    }
    found
}

/// The same for every spelling of one place; links count where the project is known.
fn place(project: Option<&Project>, packet: &Asking) -> String {
    match project.filter(|project| packet.path.starts_with(project.root())) {
        Some(project) => real_place(project, &packet.gate.answer_path).to_string_lossy().into_owned(),
        None => spelled_key(&packet.gate.answer_path),
    }
}

fn conflict(answer_path: &JsString, rival: &str) -> Problem {
    let found = say(
        "{0}, where the different questions of {1} are answered too",
        "{0}，而 {1} 的不同问题也在那里回答",
    );
    let rule = Rule {
        found: Message::new(found, &[&crate::ask::problem::quote(answer_path), rival]),
        expected: Message::from(say(
            "a place of its own, or the very same questions",
            "各自的位置，或完全相同的问题",
        )),
        hint: Some(Message::from(say(
            "One record cannot answer both: write one of the packets anew.",
            "一份记录无法同时回答两者：请重新生成其中一个指令包。",
        ))),
    };
    Problem::new("/answer_path", ProblemKind::Rule(Box::new(rule)))
}
