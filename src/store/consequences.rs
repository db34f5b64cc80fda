//! What the executor has already made of a record, for an author who is about to take it back. Nothing is touched here.

use super::gate::{Loaded, Output};
use super::project::Project;
use super::scan;
use crate::error::Message;
use crate::text::say;
use std::path::PathBuf;

/// What the executor has already made of a gate's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    /// The step's expected outputs that are there; never the record itself.
    pub outputs: Vec<Output>,
    /// Whether the checkpoint has passed the step.
    pub passed: bool,
    /// Other packets with other questions that the same record has opened, relative to the root; for whoever knows them.
    pub opened: Vec<PathBuf>,
}

/// More outputs than this are counted instead of named.
const NAMED: usize = 5;

impl Consequences {
    /// Of taking back what a gate was answered.
    pub fn of(project: &Project, loaded: &Loaded) -> Consequences {
        let outputs = loaded.outputs(project);
        Consequences {
            outputs: outputs.into_iter().filter(|output| output.modified.is_some()).collect(),
            passed: loaded.packet.step.as_ref().is_some_and(|step| scan::has_passed(project, step)),
            opened: Vec::new(),
        }
    }

    /// Whether there is nothing to warn of.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty() && !self.passed && self.opened.is_empty()
    }

    /// The warnings, a sentence each. They quote the packet: clean them before drawing.
    pub fn warnings(&self) -> Vec<Message> {
        let mut out = Vec::new();
        if !self.outputs.is_empty() {
            let named: Vec<String> =
                self.outputs.iter().take(NAMED).map(|output| output.path.display().into_owned()).collect();
            let more = self.outputs.len() - named.len();
            let (english, chinese) = match more {
                0 => (named.join(", "), named.join("、")),
                _ => (
                    format!("{} and {more} more", named.join(", ")),
                    format!("{}等另外 {more} 个", named.join("、")),
                ),
            };
            let sentence = say(
                "The step has already made {0}; it stays as it is and may not fit another answer.",
                "该步骤已经产出 {1}；它们保持不变，可能与新的回答不符。",
            );
            out.push(Message::new(sentence, &[&english, &chinese]));
        }
        if self.passed {
            out.push(Message::from(say(
                "The checkpoint has passed this step: the executor will not run it again by itself.",
                "检查点已经走过这一步：执行器不会自行重新执行它。",
            )));
        }
        if !self.opened.is_empty() {
            let named: Vec<String> =
                self.opened.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            let sentence = say(
                "The same record has opened {0}, which waits again too.",
                "同一份记录也放行了 {1}，它也会重新等待回答。",
            );
            out.push(Message::new(sentence, &[&named.join(", "), &named.join("、")]));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::ExpectedOutput;
    use crate::store::gate;
    use crate::store::testing::Sandbox;
    use crate::text::Lang;

    #[test]
    fn what_is_there_is_named_and_the_record_is_not() {
        let book = Sandbox::new();
        let packet = book.put_packet("staging/answers/a.json");
        book.put("staging/answers/a.json", "x");
        let mut loaded = gate::load(&book.project, &packet).unwrap();
        assert!(Consequences::of(&book.project, &loaded).is_empty());
        let output = |path: &str| ExpectedOutput { path: path.into(), required: true };
        let paths = ["./staging/answers/a.json", "1", "2", "3", "4", "5", "6", "gone"];
        loaded.packet.expected_outputs = paths.map(output).into();
        for path in &paths[1..7] {
            book.put(path, "made");
        }
        book.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
        let found = Consequences::of(&book.project, &loaded);
        assert_eq!((found.outputs.len(), found.passed), (6, true));
        let said: Vec<String> = found.warnings().iter().map(|message| message.text(Lang::En)).collect();
        assert!(said[0].contains("1, 2, 3, 4, 5 and 1 more") && said[1].contains("checkpoint"), "{said:?}");
        book.put(".checkpoint.json", r#"{"last_completed_chapter": 1, "inflight_chapter": 1}"#);
        assert!(!Consequences::of(&book.project, &loaded).passed);
    }
}
