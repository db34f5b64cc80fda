//! Gates that wait with the same questions: the same answers can be given to each of them.

use super::entry::Entry;
use super::file;
use super::gate::{self, Loaded, Status};
use super::project::Project;
use super::safe_path;
use std::path::Path;
use std::sync::Arc;

/// Those of the candidates that wait now, ask the same questions as `packet`, however they spell them, and want the answers in
/// another place. None if it asks for a verdict, or no longer asks what has the [`spec_hash`](gate::spec_hash) `asked`.
pub fn find<'c>(
    project: &Project,
    packet: &Path,
    asked: &str,
    candidates: &'c [Arc<Entry>],
) -> Vec<(&'c Entry, Loaded)> {
    let load = |path: &Path| {
        let read = file::read_with_time(path, path).ok()?;
        let loaded = gate::decode(project, path, &read).ok()?;
        Some((safe_path::real_place(project, &loaded.gate()?.answer_path), loaded))
    };
    let is_verdict = |loaded: &Loaded| loaded.gate().is_some_and(|gate| gate.spec.is_verdict());
    // Nobody approves of what he has not looked at.
    let own = load(packet).filter(|(_, loaded)| loaded.spec_hash() == asked && !is_verdict(loaded));
    let Some((place, own)) = own else { return Vec::new() };
    let is_same = |candidate: &'c Arc<Entry>| {
        let (there, loaded) = load(&project.root().join(&candidate.path))?;
        let is_same = loaded.gate()?.spec.questions == own.gate()?.spec.questions;
        (loaded.status() == Status::Waiting && is_same && there != place).then_some((&**candidate, loaded))
    };
    candidates.iter().filter_map(is_same).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::scan;
    use crate::store::testing::{Sandbox, packet_json, record};
    use std::time::SystemTime;

    /// What is found for `own.packet.json` among all packets.
    fn found(book: &Sandbox) -> Vec<String> {
        let project = Arc::new(Project::open(book.project.root()).unwrap());
        let own = project.root().join("staging/own.packet.json");
        let entries = scan::look(&project, SystemTime::now()).entries();
        let own_gate = gate::load(&project, &own).unwrap();
        let (asked, hash) = (own_gate.spec_hash(), own_gate.gate().unwrap().spec.fingerprints().1);
        let found = find(&project, &own, &asked, &entries).into_iter();
        let same = |(entry, _): (&Entry, _)| {
            assert_eq!(entry.question_hash, hash);
            entry.stem()
        };
        let mut found: Vec<String> = found.map(same).collect();
        found.sort();
        found
    }

    #[test]
    fn the_same_questions_are_found_whatever_stands_around_them() {
        let book = Sandbox::new();
        let packet = |name: &str| packet_json(&format!("staging/{name}.answers.json"));
        let put = |name: &str, text: String| book.put(&format!("staging/{name}.packet.json"), text);
        put("own", packet("own"));
        put("same", packet("same"));
        put("topic", packet("topic").replace(r#""topic": "t""#, r#""topic": "u", "_why": 1"#));
        put("step", packet("step").replace("chapter:001:draft", "chapter:002:draft"));
        put("white-space", packet("white-space").replace(r#""id": "q""#, r#""id":  "q""#));
        put("spelling", packet("spelling").replace(r#""?""#, r#""\u003f""#));
        put("words", packet("words").replace(r#""?""#, r#""!""#));
        put("place", packet("own").replace("chapter:001:draft", "chapter:003:draft"));
        put("answered", packet("answered"));
        book.put("staging/answered.answers.json", record("x").to_json());
        put("blocked", packet("blocked"));
        book.put("staging/blocked.answers.json", "{}");
        assert_eq!(found(&book), ["same", "spelling", "step", "topic", "white-space"]);
    }

    #[test]
    fn questions_in_another_order_are_others() {
        const ONE: &str =
            r#"{"id": "one", "header": "h", "question": "?", "kind": "free_text", "required": true}"#;
        let two = ONE.replace("one", "two");
        let book = Sandbox::new();
        let put = |name: &str, questions: &str| {
            let packet = packet_json(&format!("staging/{name}.answers.json"));
            let (from, to) = (packet.find('[').unwrap(), packet.find(']').unwrap());
            let text = format!("{}[{questions}{}", &packet[..from], &packet[to..]);
            book.put(&format!("staging/{name}.packet.json"), text);
        };
        put("own", &format!("{ONE},{two}"));
        put("same", &format!("{ONE},{two}"));
        put("order", &format!("{two},{ONE}"));
        put("fewer", ONE);
        assert_eq!(found(&book), ["same"]);
    }

    #[test]
    fn nothing_is_found_for_questions_that_have_changed() {
        let book = Sandbox::new();
        let own = book.put("staging/own.packet.json", packet_json("staging/own.answers.json"));
        book.put("staging/same.packet.json", packet_json("staging/same.answers.json"));
        let project = Arc::new(Project::open(book.project.root()).unwrap());
        let entries = scan::look(&project, SystemTime::now()).entries();
        assert!(find(&project, &own, "another hash", &entries).is_empty());
    }
}
