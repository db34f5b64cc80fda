//! Other gates that wait with the questions of the open form: the list of them, and what became of their records.
//!
//! Contract:
//! * They are looked for when the review opens; what is found then is what can be answered too, and nothing else.
//! * None is answered unless the author has opened their list and confirmed its ticks; at first those of the same topic stand.

use super::batch::{Batch, BatchGate, BatchRecord, PacketList};
use super::outcomes::Outcomes;
use crate::console::action::{Action, Target};
use crate::console::draw::layout;
use crate::console::field::Edit;
use crate::console::form::Form;
use crate::console::model::{Message, Status, Tone};
use crate::console::screen::{Cx, Effect};
use crate::console::sentences as s;
use crate::text::Lang;
use std::path::{Path, PathBuf};

impl Form {
    /// Looks for them anew.
    pub(crate) fn find_others(&mut self, cx: &mut Cx<'_>) {
        if let Some(batch) = self.status.batch.take() {
            self.status.batch_before = batch.taken;
        }
        if self.status.repair.is_some() {
            return;
        }
        let (path, spec_hash) = (self.gate.path.clone(), self.gate.spec_hash.clone());
        let asked = self.spec().fingerprints().1;
        let candidates = cx.model.inbox.entries.iter().filter(|entry| {
            let waits = entry.status == Status::Waiting && !entry.past && !entry.is_repeated();
            waits && entry.question_hash == asked && *entry.path != *path
        });
        let candidates: Vec<_> = candidates.cloned().collect();
        if candidates.is_empty() {
            self.status.batch = Some(Batch::default());
            return;
        }
        let (of, asked) = (path.clone(), spec_hash.clone());
        cx.tell(
            "others",
            move |files| Some(files.find_batch(&path, &spec_hash, &candidates)),
            move |gates, cx| cx.on::<Form>(|form, cx| form.found_others(&of, &asked, gates, cx)),
        );
    }

    fn found_others(&mut self, of: &Path, asked: &str, gates: Vec<BatchGate>, cx: &mut Cx<'_>) {
        if self.gate.path != of || self.gate.spec_hash != asked || self.status.batch.is_some() {
            return;
        }
        let low = layout::review(cx.model.size).foot.height < layout::WHOLE_FOOT;
        let mut batch = Batch::new(gates, &self.spec().topic);
        batch.take_again(&self.status.batch_before);
        let batch = self.status.batch.insert(batch);
        if low && self.in_review && cx.model.notice.is_none() && !batch.gates.is_empty() {
            // The line in the foot has no room for words.
            let names = [Lang::En, Lang::ZhCn].map(|lang| batch.names(lang));
            cx.say(Tone::Plain, Message::new(s::SAME_NOTICE, &[&names[0], &names[1]]));
        }
    }

    /// The list of them, while it is open.
    pub(crate) fn packets(&self) -> Option<(&Batch, &PacketList)> {
        let batch = self.status.batch.as_ref()?;
        Some((batch, batch.list.as_ref()?))
    }

    pub(crate) fn open_packets(&mut self) {
        let batch = self.status.batch.as_mut().filter(|_| !self.status.submitting);
        if let Some(batch) = batch.filter(|batch| !batch.gates.is_empty()) {
            batch.open_list();
        }
    }

    pub(crate) fn close_packets(&mut self) {
        if let Some(batch) = &mut self.status.batch {
            batch.list = None;
        }
    }

    /// A key in the list.
    pub(crate) fn act_in_packets(&mut self, action: &Action, cx: &mut Cx<'_>) {
        let Some(batch) = &mut self.status.batch else { return };
        let Some(list) = &mut batch.list else { return };
        let row = list.row;
        let mut ticked = Ok(());
        match action {
            Action::Accept => return batch.take_list(),
            Action::Back => return self.close_packets(),
            Action::Edit(edit) if *edit != Edit::Newline => {
                let was = list.filter.text().to_owned();
                list.filter.apply(edit.clone().in_one_line(), usize::MAX);
                if list.filter.text() != was {
                    batch.refilter();
                }
            }
            Action::All => batch.tick_all(),
            Action::Pick => ticked = batch.tick(row),
            action => {
                let to = action.row_from(row, list.scroll.rows()).unwrap_or(row);
                list.row = to.min(list.hits.len().saturating_sub(1));
                if let Action::Point(Target::Row(row)) = action {
                    ticked = batch.tick(*row);
                }
            }
        }
        if let Err(why) = ticked {
            cx.say(Tone::Plain, Message::in_both(|lang| s::CANNOT_WRITE.fill(lang, &[&why.text(lang)])));
        }
    }

    /// The record of the form was not written: what became of the others is listed with it.
    pub(super) fn list_unwritten(&mut self, path: PathBuf, title: String, cx: &mut Cx<'_>) {
        // The page says it.
        let tried = &mut self.status.tried;
        let Some(notice) = cx.model.notice.take_if(|_| !tried.is_empty()) else { return };
        tried.insert(0, BatchRecord { path, title, done: Err(notice.message), unnoted: None });
        self.list_tried(cx);
    }

    /// It ended where it should not: what was tried is listed. Those that still wait can be answered with the next
    /// submission.
    pub(crate) fn list_tried(&mut self, cx: &mut Cx<'_>) {
        let records = std::mem::take(&mut self.status.tried);
        if records.is_empty() {
            return;
        }
        cx.model.inbox.forget_redone(&records);
        cx.do_next(Effect::Look);
        self.find_others(cx);
        cx.cover(Outcomes::written(records));
    }
}
