//! A record in the author's own editor: its text, the check of what comes back, and writing that.

use super::text::{EditVerdict, EditedRecord};
use crate::ask::{JsString, check_record, is_another_document};
use crate::console::files::{Files, hash_of};
use crate::console::model::Message;
use crate::console::review::submit::Submitted;
use crate::console::say::{both, not_kept, not_noted, unreadable};
use crate::console::sentences as s;
use crate::store::drafts::reason;
use crate::store::gate::{Loaded, Status};
use crate::store::history::Over;
use crate::store::record::WriteError;
use crate::store::{collision, submit};
use crate::text::say;
use std::path::Path;
use std::sync::Arc;

/// What became of writing it.
pub(super) enum Outcome {
    Written(Box<Submitted>),
    Checked(Box<EditedRecord>, EditVerdict),
}

impl Files {
    /// The text of a gate's record, or of an earlier edit that was not valid yet; then true.
    pub(crate) fn read_record(&self, path: &Path) -> Result<(EditedRecord, bool), Message> {
        let loaded = self.load_or_say(path)?;
        let gate = loaded.gate().ok_or(Message::from(s::ASKS_NOTHING))?;
        let kept = self.edited(&gate.answer_path);
        let again = kept.is_some();
        if !loaded.record.exists() && !again {
            return Err(Message::from(s::NOTHING_TO_EDIT));
        }
        if loaded.record.exists() && !loaded.record.is_read() {
            return Err(unreadable(&loaded));
        }
        let original = text_of(&loaded);
        let edited = EditedRecord {
            path: path.to_path_buf(),
            answer_path: gate.answer_path.clone(),
            kept: true,
            spec_hash: loaded.spec_hash(),
            seen: hash_of(&loaded),
            theirs: None,
            text: kept.unwrap_or_else(|| original.clone()),
            original,
            foreign: loaded.status() == Status::Blocked && is_another_document(&loaded.record.bytes),
        };
        Ok((edited, again))
    }

    /// Checks an edited text. One that cannot be written now is kept for the next time.
    pub(super) fn check_edited(&self, edited: &EditedRecord) -> (Box<EditedRecord>, EditVerdict) {
        let mut edited = EditedRecord { theirs: None, kept: true, ..edited.clone() };
        // Editors end the last line; that alone is no change of the author's.
        if without_end(&edited.text) == without_end(&edited.original) {
            self.drop_edited(&edited);
            return (Box::new(edited), EditVerdict::Unchanged);
        }
        // The author's words go to the disk before anything else.
        if let Err(why) = self.keep(&edited) {
            edited.kept = false;
            // The thread that keeps drafts tries again.
            if let Some(autosave) = &self.autosave {
                autosave.put_edited(edited.answer_path.clone(), edited.text.clone());
            }
            return (Box::new(edited), EditVerdict::Refused(why));
        }
        let verdict = match self.load(&edited.path) {
            Err(fault) => EditVerdict::Refused(both(s::EDIT_NOT_WRITTEN, &fault.error())),
            Ok(loaded) => {
                // It is checked against what is asked now.
                edited.spec_hash = loaded.spec_hash();
                edited.theirs = (hash_of(&loaded) != edited.seen).then(|| text_of(&loaded));
                judge(&loaded, &edited)
            }
        };
        (Box::new(edited), verdict)
    }

    /// Writes it, byte for byte as the author left it.
    pub(super) fn write_edited(&self, edited: &EditedRecord) -> Outcome {
        let packet = self.project.root().join(&edited.path);
        let bytes = edited.text.as_bytes();
        let now = self.clock.now();
        let refuse = |why: Message| Outcome::Checked(Box::new(edited.clone()), EditVerdict::Refused(why));
        let check_again = || {
            let (edited, verdict) = self.check_edited(edited);
            Outcome::Checked(edited, verdict)
        };
        let loaded = match self.load(&edited.path) {
            Ok(loaded) => loaded,
            Err(fault) => return refuse(both(s::EDIT_NOT_WRITTEN, &fault.error())),
        };
        let judged = loaded.gate().map(|gate| (gate, check_record(&gate.spec, bytes)));
        let Some((gate, Ok(_))) = judged else {
            // The packet asks something else now, or the record has changed.
            return check_again();
        };
        let rivals = collision::rivals(&self.project, &packet, gate, now);
        let submission = submit::Submission {
            packet: &packet,
            answer_path: &gate.answer_path,
            asked: &edited.spec_hash,
            bytes,
            rivals: &rivals,
            over: edited.seen.as_deref().map_or(Over::Nothing, Over::Hash),
        };
        match submit::submit(&self.project, Ok(&self.state), &submission, now) {
            Ok(submit::Submitted { receipt, record, loaded, unnoted }) => {
                if unnoted.is_none() {
                    self.drop_edited(edited);
                }
                let unnoted = unnoted.as_ref().map(not_noted);
                let outputs = loaded.outputs(&self.project);
                let (path, packet) = (edited.path.clone(), Arc::new(loaded.packet));
                let written = Submitted { path, packet, record, receipt, outputs, unnoted };
                Outcome::Written(Box::new(written))
            }
            Err(WriteError::Exists(_)) => check_again(),
            Err(error) => refuse(both(s::EDIT_NOT_WRITTEN, &error.error())),
        }
    }

    /// Keeps the text for the next time, unless something is in the way.
    pub fn keep_edited(&self, edited: &EditedRecord) -> Option<Message> {
        self.keep(edited).err()
    }

    fn keep(&self, edited: &EditedRecord) -> Result<(), Message> {
        let kept = self.drafts().keep_edited(&edited.answer_path, &edited.text);
        kept.map_err(|error| not_kept(&reason(error)))?;
        self.settle(edited, Some(&edited.text));
        Ok(())
    }

    /// Lets no older text that waits for the disk take the place of this one.
    fn settle(&self, edited: &EditedRecord, text: Option<&str>) {
        if let Some(autosave) = &self.autosave {
            autosave.settle_edited(&edited.answer_path, text);
        }
    }

    /// The text of an edited record, on the disk or on its way there.
    pub(crate) fn edited(&self, answer_path: &JsString) -> Option<String> {
        let pending = self.autosave.as_ref().and_then(|autosave| autosave.pending_edited(answer_path));
        pending.or_else(|| self.drafts().edited(answer_path))
    }

    pub(crate) fn drop_edited(&self, edited: &EditedRecord) {
        // A text that is left over is offered again, never written.
        drop(self.drafts().forget_edited(&edited.answer_path));
        self.settle(edited, None);
    }
}

fn judge(loaded: &Loaded, edited: &EditedRecord) -> EditVerdict {
    let Some(gate) = loaded.gate() else { return EditVerdict::Refused(Message::from(s::ASKS_NOTHING)) };
    if edited.theirs.is_some() {
        let says = if loaded.record.exists() {
            say(
                "Not written: the record changed while you edited it. Your text is kept; {editor} \
                 opens it again.",
                "未写入：编辑期间记录发生了变化。你的文本已保留，按 {editor} 继续编辑。",
            )
        } else {
            say(
                "Not written: the record was removed while you edited it. Your text is kept; {editor} \
                 opens it again.",
                "未写入：编辑期间记录已不在。你的文本已保留，按 {editor} 继续编辑。",
            )
        };
        return EditVerdict::Refused(Message::from(says));
    }
    match check_record(&gate.spec, edited.text.as_bytes()) {
        Ok(_) => EditVerdict::Valid,
        Err(problems) => EditVerdict::Invalid(problems),
    }
}

/// The text of the record that is there.
fn text_of(loaded: &Loaded) -> String {
    String::from_utf8_lossy(&loaded.record.bytes).into_owned()
}

fn without_end(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}
