//! The open gate: its packet or its record changes, its record is not written.
//!
//! Contract: the answers so far are never dropped. A changed packet carries them over, a lost race keeps them. The winner
//! may have removed the draft together with its own, so it is saved again.

use super::gate::LoadedGate;
use super::guard::PAUSE;
use super::status::{Banner, BannerTopic};
use super::{Focus, Form};
use crate::ask::AnswerSpec;
use crate::console::files::Files;
use crate::console::form::repair::{Before, Repair};
use crate::console::model::{Message, Tone};
use crate::console::prompt::Prompt;
use crate::console::say::{both, loaded_gate};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a fresh look at the open gate found.
#[derive(Clone, Debug)]
pub enum Reloaded {
    /// The packet as it is now, and the record at its place.
    Gate(LoadedGate, Option<RecordSeen>),
    /// The packet is gone or unusable.
    Gone(PathBuf, Message),
}

/// A record that appeared while the gate was open.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSeen {
    /// Who answered; `None` if the record is not valid.
    pub by: Option<String>,
    /// What it is, if it is no file that could be read.
    pub odd: Option<Message>,
    /// For a record that is not valid and could be read: what is wrong with it, and what it says.
    pub bad: Option<Box<(Repair, Before)>>,
}

/// Why a record was not written.
#[derive(Clone, Debug)]
pub enum Unwritten {
    /// A record came first: the valid one, or `None` if it is not valid; and what it is, if it is no file at all.
    Exists(Option<AnswerSpec>, Option<Message>),
    /// The packet asks something else now; here it is.
    Changed(LoadedGate),
    /// The record that was to be replaced is not the one that was shown; what is there now.
    Moved(Option<RecordSeen>),
    Failed(Message),
}

const NOT_WRITTEN_MOVED: Sentence = say(
    "Not written: the record is not the one that was shown. Please look at it again; your answers are kept.",
    "未写入：记录已不是刚才显示的那一份。请再看一遍，你的回答已保留。",
);

impl Files {
    /// Looks at a gate again.
    pub fn reload(&self, path: &Path) -> Reloaded {
        let loaded = match self.load(path) {
            Ok(loaded) => loaded,
            Err(fault) => {
                let gone = say(
                    "The packet is gone or can no longer be used: {0} Your answers are kept.",
                    "指令包已不在或无法使用：{1}回答已保留。",
                );
                return Reloaded::Gone(path.to_path_buf(), both(gone, &fault.error()));
            }
        };
        let seen = self.record_seen(&loaded);
        let gate = loaded_gate(path, loaded);
        if gate.packet.gate.is_none() {
            Reloaded::Gone(gate.path, Message::from(s::ASKS_NOTHING))
        } else {
            Reloaded::Gate(gate, seen)
        }
    }
}

impl Form {
    pub fn reloaded(&mut self, reloaded: Reloaded, cx: &mut Cx<'_>) {
        let path = match &reloaded {
            Reloaded::Gate(gate, _) => &gate.path,
            Reloaded::Gone(path, _) => path,
        };
        if self.gate.path != *path {
            return;
        }
        let too_late = matches!(reloaded, Reloaded::Gate(_, Some(_)));
        let before = self.asks_about();
        self.change_status(cx, |form, cx| form.take_reloaded(reloaded, cx));
        let changed = self.asks_about() != before;
        // The words of an open filter may be own words since.
        if too_late || changed && self.focus == Focus::Filter {
            self.save(cx);
        }
        if changed {
            if let Some(kept) = cx.model.inbox.drafts.get_mut(&self.gate.path) {
                *kept = self.draft.progress();
            }
            // The author was asked about what is no longer there.
            self.close_packets();
            if cx.screens.last().and_then(|top| top.seen_as::<Prompt>()).is_some_and(|it| it.is_about_form) {
                cx.uncover();
            }
        }
    }

    /// The questions of the form and the bad record that it shows, by their hashes.
    fn asks_about(&self) -> (String, Option<String>) {
        (self.gate.spec_hash.clone(), self.status.repair.as_ref().map(|repair| repair.seen.clone()))
    }

    fn take_reloaded(&mut self, reloaded: Reloaded, cx: &mut Cx<'_>) {
        match reloaded {
            Reloaded::Gate(gate, record) if self.gate.spec_hash == gate.spec_hash => {
                let until = self.review_guard(cx);
                self.status.warnings.banner.take_if(|banner| banner.topic == BannerTopic::Packet);
                self.gate.refusal = gate.refusal;
                self.take_record(record, until);
                if self.take_packet(gate.packet) {
                    self.save(cx);
                }
            }
            Reloaded::Gate(gate, record) => {
                self.take_questions(gate, cx);
                let until = self.review_guard(cx);
                self.take_record(record, until);
            }
            Reloaded::Gone(_, why) => {
                self.status.warnings.banner = Some(Banner::new(BannerTopic::Packet, why));
            }
        }
    }

    /// The end of the guard that begins if the bad record has changed: the review shows what it says.
    fn review_guard(&self, cx: &Cx<'_>) -> Option<SystemTime> {
        self.in_review.then(|| cx.model.now + PAUSE)
    }

    /// Takes over the record that lies there now.
    fn take_record(&mut self, record: Option<RecordSeen>, guard: Option<SystemTime>) {
        let mut refill = false;
        let status = &mut self.status;
        let changed = status
            .warnings
            .banner
            .take_if(|banner| matches!(banner.topic, BannerTopic::Questions | BannerTopic::AnswerPath));
        let Some(was) = status.repair.take() else {
            status.warnings.banner = record.map(|seen| record_banner(&seen)).or(changed);
            return;
        };
        match record {
            Some(RecordSeen { by: None, bad: Some(bad), .. }) => {
                let (repair, before) = *bad;
                if repair.seen != was.seen {
                    status.warnings.banner = Some(Banner::new(
                        BannerTopic::Record,
                        Message::from(say(
                            "The record has changed since it was shown; this is how it is now. Your answers are kept.",
                            "记录在显示之后发生了变化，现在显示的是最新内容。你的回答已保留。",
                        )),
                    ));
                    status.moved_until = guard.or(status.moved_until);
                }
                status.repair = Some(repair);
                status.before = Some(before);
                refill = true;
            }
            Some(other) => status.warnings.banner = Some(record_banner(&other)),
            None => {
                status.warnings.banner = Some(Banner::new(
                    BannerTopic::Record,
                    Message::from(say(
                        "The bad record is gone. Submitting writes a new one; your answers are kept.",
                        "无效的记录已不在。提交时写入新的记录，你的回答已保留。",
                    )),
                ));
            }
        }
        if changed.is_some() {
            status.warnings.banner = changed;
        }
        if refill {
            self.refill();
        }
    }

    /// The packet asks something else now: the answers that fit stay, the others are shown.
    fn take_questions(&mut self, gate: LoadedGate, cx: &mut Cx<'_>) {
        if self.gate.spec_hash == gate.spec_hash {
            self.gate.refusal = gate.refusal;
            self.take_packet(gate.packet);
            return;
        }
        let (until, was_review) = (cx.model.now + PAUSE, self.in_review);
        let mut next = self.carried_over_to(gate);
        let moved = !cx.is_covered() && (was_review || self.aim() != next.aim());
        next.status.guarded_until = if moved { Some(until) } else { self.status.guarded_until };
        // Questions that are as they were at the start need no second look.
        next.status.warnings.banner = next.status.has_changes().then(|| Banner::packet_changed(&next.status));
        let warned = self.status.warnings.banner.as_ref().is_some_and(Banner::is_of_questions);
        let again = next.answers_again(next.status.again.len() - self.status.again.len());
        let is_as_at_first = again.is_none() && !next.status.has_changes();
        *self = next;
        if let Some(again) = again {
            cx.say(Tone::Good, again);
        }
        if is_as_at_first && (warned || was_review) {
            cx.say(Tone::Plain, say("The packet asks the same again.", "指令包又和开始时问的一样了。"));
        }
    }

    /// The record was not written, and why.
    pub(crate) fn not_written(&mut self, why: Unwritten, cx: &mut Cx<'_>) {
        self.status.submitting = false;
        match why {
            Unwritten::Exists(winner, odd) => {
                let by = winner.map(|record| record.answered_by.display().into_owned());
                self.status.warnings.banner = Some(record_banner(&RecordSeen { by, odd, bad: None }));
                cx.say(
                    Tone::Bad,
                    say(
                        "Not written: a record came first. Your answers are kept.",
                        "未写入：别处先写入了记录。你的回答已保留。",
                    ),
                );
            }
            Unwritten::Changed(gate) => {
                self.take_questions(gate, cx);
                cx.say(
                    Tone::Warn,
                    say(
                        "Not written: the questions have changed. Your answers are kept.",
                        "未写入：指令包的问题已变化。你的回答已保留。",
                    ),
                );
            }
            Unwritten::Moved(record) => {
                let until = self.review_guard(cx);
                self.take_record(record, until);
                cx.say(Tone::Bad, NOT_WRITTEN_MOVED);
            }
            Unwritten::Failed(why) => cx.say(Tone::Bad, why),
        }
    }
}

fn record_banner(seen: &RecordSeen) -> Banner {
    let message = match (&seen.odd, &seen.by) {
        (Some(odd), _) => Message::new(
            say(
                "There is {0} where the record should be. Nothing can be written until it is moved away; \
                 your answers are kept.",
                "记录的位置上是{1}，不是文件。移走它之前无法写入；回答已保留。",
            ),
            &[&odd.text(Lang::En), &odd.text(Lang::ZhCn)],
        ),
        (None, Some(by)) => Message::new(
            say(
                "There is already a record by {0}. Yours was not written; your answers are kept.",
                "{0} 已经写入记录。你的回答未写入，已保留。",
            ),
            &[by],
        ),
        (None, None) => Message::from(say(
            "There is already an invalid record. Yours was not written; your answers are kept. Back in \
             the inbox, {inbox.accept} repairs that record with them.",
            "那里已有一份无效的记录。你的回答未写入，已保留。回到列表按 {inbox.accept}，可用它们修复那份记录。",
        )),
    };
    // What is no file is no record that a key removes.
    let topic = if seen.odd.is_some() { BannerTopic::Record } else { BannerTopic::OtherRecord };
    Banner::new(topic, message)
}
