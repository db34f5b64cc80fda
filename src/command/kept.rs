//! Drafts without their gates, for programs and for people: `list --all`, `show` and `history` name them.

use super::Session;
use super::history::entries::behind;
use super::input::below;
use super::lines;
use crate::ask::JsString;
use crate::ask::compare::titled;
use crate::ask::draft::{Said, SaidAs};
use crate::platform::paths::Shown as _;
use crate::store::clock::local_time_of;
use crate::store::drafts::Drafts;
use crate::store::drafts::kept::{KeptDraft, Why};
use crate::store::entry::Entry;
use crate::store::{Project, scan};
use crate::text::{Lang, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use strum::VariantNames as _;

/// A draft without its gate.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeptDraft")]
pub(super) struct PrintedDraft {
    /// The packet that asked, if it is known.
    packet: Option<String>,
    /// Its step.
    step: Option<JsString>,
    /// What the questions were about.
    topic: Option<JsString>,
    /// Where the answers were to go.
    answer_path: Option<JsString>,
    /// When it was saved last; null of a record that was edited.
    #[schemars(extend("format" = "date-time"))]
    saved_at: Option<String>,
    /// Why it is without its gate; stable.
    #[schemars(extend("enum" = Why::VARIANTS))]
    reason: &'static str,
    /// The same in a clause.
    reason_text: String,
    /// Whether another console has it open.
    open_elsewhere: bool,
    /// What its author has said, in the order of the questions.
    said: Vec<PrintedSaid>,
}

/// An answer, or words beside it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeptWords")]
struct PrintedSaid {
    /// The question's id; empty for the record.
    id: JsString,
    /// Its short title, if it is known.
    header: Option<JsString>,
    /// Its words.
    question: Option<JsString>,
    /// What it is: an answer, a note on it, words typed and not chosen, an answer set aside, one that no longer fits, or the text
    /// of a record that was edited.
    #[schemars(extend("enum" = SaidAs::VARIANTS))]
    what: &'static str,
    /// The words; several only of an answer with several entries.
    values: Vec<JsString>,
}

/// All of them; nothing if they cannot be read, which is said.
pub(super) fn all(
    session: &Session<'_>,
    project: &Project,
    entries: impl FnOnce() -> Vec<Arc<Entry>>,
) -> Option<Vec<KeptDraft>> {
    let state = session.state(project).ok()?;
    state.tolerate(Drafts::new(&state).kept(project, entries))
}

/// Those that go by a name of the command line, or are of this packet or step.
pub(super) fn named(
    session: &Session<'_>,
    project: &Arc<Project>,
    name: &Path,
    of: (Option<&Path>, Option<&JsString>),
) -> Vec<KeptDraft> {
    let look = || scan::look(project, session.clock.now()).entries();
    let mut kept = all(session, project, look).unwrap_or_default();
    let paths: Vec<_> = below(session, project, name).collect();
    let paths = paths.iter().map(|path| project.relative(path).shown());
    let names: Vec<_> = paths.chain([name.shown()]).collect();
    kept.retain(|kept| {
        names.iter().any(|name| kept.goes_by(name))
            || of.0.is_some() && kept.packet.as_deref() == of.0
            || of.1.is_some() && kept.step.as_ref() == of.1
    });
    kept
}

impl PrintedDraft {
    pub(super) fn of(kept: &KeptDraft, lang: Lang) -> PrintedDraft {
        let said = |said: &Said| PrintedSaid {
            id: said.id.clone(),
            header: kept.asked(said).map(|question| question.header.clone()),
            question: kept.asked(said).map(|question| question.question.clone()),
            what: said.as_what.name(),
            values: said.values.clone(),
        };
        PrintedDraft {
            packet: kept.packet.as_ref().map(|packet| packet.shown().into_owned()),
            step: kept.step.clone(),
            topic: kept.topic().cloned(),
            answer_path: kept.answer_path.clone(),
            saved_at: kept.saved_at.clone(),
            reason: kept.why.name(),
            reason_text: kept.why.text().text(lang),
            open_elsewhere: kept.is_elsewhere,
            said: kept.said.iter().map(said).collect(),
        }
    }
}

/// Each in a row, and beneath it, if that is wanted, each question with what was said to it.
pub(super) fn table(kept: &[KeptDraft], full: bool, now: &Zoned, lang: Lang) -> Vec<String> {
    let row = |kept: &KeptDraft| {
        let saved = kept.saved_at.as_ref().map(|at| local_time_of(at, now, lang));
        let topic = kept.topic().map(JsString::display).unwrap_or_default();
        let word = say("kept draft", "留存的草稿").text(lang).to_owned();
        [word, saved.unwrap_or_default(), lines::cell(&kept.title()), lines::cell(&topic)]
    };
    let mut lines = Vec::new();
    for (kept, mut line) in kept.iter().zip(lines::columns(kept.iter().map(row).collect())) {
        line.extend(kept.packet.as_ref().map(|packet| packet.shown()));
        line.push_str(&say(" ({0})", "（{0}）").fill(lang, &[&kept.why.text().text(lang)]));
        lines.push(line);
        let mut asked = None;
        for said in kept.said.iter().filter(|_| full) {
            let question = kept.asked(said);
            if asked.replace(&said.id) != Some(&said.id) {
                let words = question.map(|question| question.question.display()).unwrap_or_default();
                let name = titled(question.map(|question| &question.header), &said.id);
                lines.push(say("    {0}: {1}", "    {0}：{1}").fill(lang, &[&name, &words]));
            }
            let begins = match said.as_what {
                SaidAs::Answer => "      = ".to_owned(),
                other => say("      {0}: ", "      {0}：").fill(lang, &[other.label().text(lang)]),
            };
            lines.extend(behind(&begins, &said.text(usize::MAX, lang)));
        }
    }
    lines
}
