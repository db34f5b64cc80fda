//! Changes of the screen, with the effects that belong to them, as methods of the model: every screen uses them.

use super::super::effect::{DraftToSave, Effect, Request};
use super::super::model::{BannerTopic, Focus, Form, Model, Notice, Over, Screen, Tone};
use super::super::view::{layout, page};

impl Form {
    pub(super) fn to_save(&self) -> DraftToSave {
        DraftToSave {
            path: self.gate.path.clone(),
            packet: self.gate.packet.clone(),
            spec_hash: self.gate.spec_hash.clone(),
            draft: self.draft.clone(),
            orphans: self.status.orphans.clone(),
            at: self.at,
            emptied: false,
        }
    }
}

impl Model {
    /// Saves the answers of the open gate, but not while they are submitted: a draft that is saved after its record is
    /// written would be left over.
    pub(super) fn save(&mut self) -> Vec<Effect> {
        let form = self.form.as_ref().filter(|form| !form.status.submitting);
        let Some(mut draft) = form.map(Form::to_save) else { return Vec::new() };
        if draft.is_authors() {
            self.inbox.drafts.insert(draft.path.clone(), draft.draft.progress());
        } else {
            draft.emptied = self.inbox.drafts.remove(&draft.path).is_some();
        }
        vec![Effect::SaveDraft(Box::new(draft))]
    }

    pub(super) fn show_over(&mut self, over: Over) -> Vec<Effect> {
        (self.over, self.scroll) = (Some(over), 0);
        Vec::new()
    }

    /// The context of the screen, whole. The selected gate of the inbox stays selected, whatever comes.
    pub(super) fn show_detail(&mut self) -> Vec<Effect> {
        self.inbox.moved |= self.screen == Screen::Inbox;
        self.show_over(Over::Detail)
    }

    pub(super) fn show_help(&mut self) -> Vec<Effect> {
        let before = self.over.take().map(|over| Box::new((over, self.scroll)));
        self.show_over(Over::Help(before))
    }

    /// Closes what lies over the screen; behind the help is what was there before.
    pub(super) fn close_over(&mut self) -> Vec<Effect> {
        if let Some(Over::Help(Some(before))) = self.over.take() {
            let (over, scroll) = *before;
            let batch = self.form.as_ref().and_then(|form| form.status.batch.as_ref());
            self.over = Some(over).filter(|over| match over {
                Over::Story => self.story_files().is_some(),
                Over::Packets => batch.is_some_and(|batch| batch.list.is_some()),
                _ => true,
            });
            self.scroll = scroll;
        }
        Vec::new()
    }

    pub(super) fn show_story(&mut self) -> Vec<Effect> {
        if self.screen == Screen::Inbox {
            self.inbox.moved = true;
            self.story.wanted = self.inbox.selected_path();
            return self.story.wanted.clone().map(Effect::ListStory).into_iter().collect();
        }
        self.over = Some(Over::Story);
        self.read_story().into_iter().collect()
    }

    /// Reads the story file that is shown again.
    pub(super) fn read_story(&self) -> Option<Effect> {
        let (path, _) = self.story_shown()?;
        Some(Effect::ReadStory(path.to_owned()))
    }

    /// The form stays open behind the inbox; the cursor is on its gate.
    pub(super) fn show_inbox(&mut self) -> Vec<Effect> {
        let effects = self.save();
        if let Some(form) = &mut self.form {
            form.note = None;
        }
        let in_form = matches!(self.screen, Screen::Form | Screen::Review);
        let left = self.form.as_ref().filter(|_| in_form).map(|form| &form.gate.path);
        let row = left.and_then(|path| self.inbox.row_of(path));
        self.screen = Screen::Inbox;
        if let Some(row) = row {
            (self.inbox.row, self.inbox.moved) = (row, true);
            self.inbox.detail_scroll = 0;
            self.keep_in_sight();
        }
        effects.into_iter().chain(self.load_selected()).collect()
    }

    /// Loads the selected gate for the detail pane.
    pub(super) fn load_selected(&self) -> Option<Effect> {
        Some(Effect::Load(self.inbox.selected_path()?))
    }

    /// Scrolls the lists so that their cursors are seen.
    pub(super) fn keep_in_sight(&mut self) {
        let rows = layout::list_rows(self);
        let scroll = |top: &mut usize, row: usize, rows: usize| {
            *top = (*top).clamp((row + 1).saturating_sub(rows), row);
        };
        scroll(&mut self.inbox.top, self.inbox.row, rows);
        if let Some(form) = &mut self.form {
            // A row of the review can take up to three lines; being generous keeps the one under the cursor whole.
            scroll(&mut form.review.top, form.review.row, (rows / 4).max(1));
        }
        let batch = self.form.as_mut().and_then(|form| form.status.batch.as_mut());
        if let Some(list) = batch.and_then(|batch| batch.list.as_mut()) {
            scroll(&mut list.top, list.row, layout::packet_rows(self.size));
        }
        if let Some(history) = &mut self.history {
            scroll(&mut history.top, history.row, rows);
        }
    }

    /// Scrolls the pane of the screen by a line.
    pub(super) fn scroll_pane(&mut self, down: bool) -> Vec<Effect> {
        let last = page::last_scroll(self);
        let at = match (self.screen, &mut self.form, &mut self.history) {
            (Screen::Form, Some(form), _) => &mut form.views[form.at].scroll,
            (Screen::History, _, Some(history)) => &mut history.scroll,
            _ => &mut self.inbox.detail_scroll,
        };
        *at = if down { (*at + 1).min(last) } else { at.saturating_sub(1) };
        Vec::new()
    }

    pub(super) fn show_question(&mut self, at: usize) -> Vec<Effect> {
        if let Some(form) = &mut self.form {
            form.go_to(at.min(form.spec().questions.len().saturating_sub(1)));
            self.screen = Screen::Form;
        }
        self.save()
    }

    /// The next question, or behind the last one the review; backwards, the question before.
    pub(super) fn step(&mut self, forward: bool) -> Vec<Effect> {
        let Some(form) = &mut self.form else { return Vec::new() };
        form.focus = Focus::List;
        form.review.to_return = false;
        let at = form.at;
        match (forward, at.checked_sub(1)) {
            (true, _) if at + 1 < form.spec().questions.len() => self.show_question(at + 1),
            (true, _) => self.show_review(false),
            (false, Some(before)) => self.show_question(before),
            (false, None) => Vec::new(),
        }
    }

    /// Enter: goes on to the next question, or back to the review that opened this one.
    pub(super) fn go_on(&mut self) -> Vec<Effect> {
        let back = self.form.as_mut().is_some_and(|form| std::mem::take(&mut form.review.to_return));
        if back { self.show_review(false) } else { self.step(true) }
    }

    pub(super) fn show_review(&mut self, by_submit_key: bool) -> Vec<Effect> {
        let now = self.now;
        if let Some(form) = &mut self.form {
            form.focus = Focus::List;
            form.note = None;
            form.review.row = 0;
            form.review.top = 0;
            form.review.held_since = by_submit_key.then_some(now);
            // The review itself shows the changes.
            form.status.warnings.banner.take_if(|banner| banner.topic == BannerTopic::Questions);
            self.screen = Screen::Review;
        }
        let mut effects = self.save();
        effects.extend(super::batch::find(self));
        effects
    }

    /// Takes the other answer there is to the question shown, or in the row of the review; the one that stood stays
    /// within reach.
    pub(super) fn take_other_answer(&mut self) -> Vec<Effect> {
        let in_review = self.screen == Screen::Review;
        let Some(form) = &mut self.form else { return Vec::new() };
        let place = if in_review { form.review_question() } else { Some(form.at) };
        if let Some(at) = place {
            let was = form.draft.replies[at].clone();
            form.take_other_answer(at);
            form.remember(at, was);
        }
        self.save()
    }

    /// Loads the open gate again, unless its packet is being written: half a packet says less than the old one.
    pub(super) fn reload(&self) -> Option<Effect> {
        let form = self.form.as_ref()?;
        let entry = self.inbox.entry_at(&form.gate.path);
        if entry.is_some_and(|entry| entry.being_written) {
            return None;
        }
        Some(Effect::Reload { path: form.gate.path.clone(), spec_hash: form.gate.spec_hash.clone() })
    }

    /// Whether the record written here is still there, and what the step has made of it.
    pub(super) fn verify(&self) -> Option<Effect> {
        Some(Effect::Verify(Box::new(self.receipt.clone()?)))
    }

    /// Reads the history that is shown again, before any other key.
    pub(super) fn read_history_again(&self) -> Option<Effect> {
        let history = self.history.as_ref().filter(|_| self.screen == Screen::History)?;
        Some(Request::ReadHistory(history.found.scope.clone(), history.words().to_owned()).into())
    }

    /// Makes a change that may bring a new warning for the open gate. Then the notice goes: it would hide the warning for
    /// as long as the author types. One of a failure stays, and the good news of the change itself, which goes with the next key.
    pub(super) fn change_status<T>(&mut self, change: impl FnOnce(&mut Model) -> T) -> T {
        let lasting = |model: &Model| model.form.as_ref()?.status.warnings.all().next().cloned();
        let (before, said) = (lasting(self), self.notice.clone());
        let changed = change(self);
        let now = lasting(self);
        if now.is_some() && now != before {
            let good_news = |notice: &Notice| notice.tone == Tone::Good && said.as_ref() != Some(notice);
            self.notice.take_if(|notice| notice.tone != Tone::Bad && !good_news(notice));
        }
        changed
    }
}
