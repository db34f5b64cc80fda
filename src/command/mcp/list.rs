//! `list_gates`: no more than a model can use, and how much is left out.

use super::gate::{Place, packet_in};
use super::tool::{GateLine, ListOutput, Listing};
use crate::ask::json::to_raw;
use crate::command::list::gate::{self as list, ListedGate};
use crate::error::Error;
use crate::platform::paths::Shown as _;
use crate::store::clock::rfc3339_millis;
use crate::store::entry::Entry;
use crate::store::gate::{Status, verdict};
use crate::store::record::no_gate;
use crate::text::{Safe, say};
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::Arc;

/// So many gates are listed, and so many where all are asked for: Codex cuts off what is longer than 10,000 tokens.
const MOST: usize = 50;
const MOST_OF_ALL: usize = 150;
/// So many columns of a topic are told.
const TOPIC: usize = 100;

/// All that is known of one gate.
#[derive(Serialize)]
struct Whole {
    since: String,
    #[serde(flatten)]
    gate: ListedGate,
}

impl Place<'_> {
    pub(super) fn list(&mut self, listing: &Listing) -> Result<ListOutput, Error> {
        let session = &mut self.session;
        let project = Arc::new(session.project()?);
        let (all, counts) = list::look(session, &project)?;
        let mut told = counts.sentences(session.lang);
        let (mut gates, mut more, mut shown) = (Vec::new(), 0, Vec::new());
        match listing {
            Listing::HeldUp => {
                shown.extend(all.iter().filter(|entry| entry.held_up() && !entry.past));
                shown.sort_by_key(|entry| entry.status == Status::Waiting);
                more = shown.len().saturating_sub(MOST);
            }
            Listing::All => {
                shown.extend(all.iter().filter(|entry| entry.status != Status::NoGate));
                more = shown.len().saturating_sub(MOST_OF_ALL);
            }
            Listing::One(name) => {
                let packet = packet_in(session, &project, Path::new(name))?;
                let is_it = |entry: &&Arc<Entry>| *entry.path == *project.relative(&packet);
                let entry = all.iter().find(is_it).ok_or_else(no_gate)?;
                told = vec![verdict(entry.status, entry.is_unseen()).text(session.lang)];
                gates.push(to_raw(&Whole { since: since(entry), gate: list::one(session, &project, entry) }));
            }
        }
        gates.extend(shown[..shown.len() - more].iter().map(|entry| line(entry)));
        if more > 0 {
            let sentence = say(
                "{0} more are not listed; gate tells of one.",
                "还有 {0} 个未列出；用 gate 可查看其中一个。",
            );
            told.push(sentence.fill(session.lang, &[&more.to_string()]));
        }
        list::note_seen(session, &project, &all);
        Ok(ListOutput { message: told.join(" "), gates, more })
    }
}

fn line(entry: &Entry) -> Box<RawValue> {
    to_raw(&GateLine {
        packet: entry.path.shown().into_owned(),
        step: entry.step.clone(),
        topic: entry.topic.as_ref().map(|topic| Safe::line(&topic.lossy()).fit(TOPIC).into_string().into()),
        status: if entry.past && entry.held_up() { "past" } else { entry.status.name() },
        since: since(entry),
    })
}

/// A gate waits since its packet was written, is open or blocked since its record was, and sent back since that was said.
fn since(entry: &Entry) -> String {
    if let Some(reply) = &entry.sent_back {
        return reply.sent.at.clone();
    }
    let record = entry.record_modified.filter(|_| entry.status != Status::Malformed);
    rfc3339_millis(record.unwrap_or(entry.modified))
}
