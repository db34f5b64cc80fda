//! A record in the author's own editor: its text, the check of what comes back, and writing that.

use crate::ask::{JsString, Problem, check_record, is_another_document};
use crate::console::files::{Files, hash_of};
use crate::console::review::submit::Submitted;
use crate::console::sentences as s;
use crate::error::{Error, Message};
use crate::platform::paths::Shown as _;
use crate::store::drafts::{loan, reason};
use crate::store::gate::{LoadFault, Loaded, Status};
use crate::store::history::Over;
use crate::store::record::WriteError;
use crate::store::submission::Submission;
use crate::store::{collision, submit};
use crate::text::say;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A record's text in the author's own editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedRecord {
    pub path: PathBuf,
    /// Where its text is kept, whatever becomes of the packet.
    pub answer_path: JsString,
    pub kept: bool,
    /// Hash of the questions that it is checked against.
    pub spec_hash: String,
    /// Hash of the record's bytes when the editor got the text; `None` if none was there any more.
    pub seen: Option<String>,
    /// The text of the record that others have written meanwhile; empty if it is gone.
    pub theirs: Option<String>,
    /// The text as the editor got it, then as it came back.
    pub text: String,
    /// The record's own text, to tell whether anything was changed.
    pub original: String,
    pub foreign: bool,
}

pub(super) enum Verdict {
    Unchanged,
    /// It would open the gate.
    Valid,
    Written(Box<Submitted>),
    /// It cannot be written as it is or as things stand, and why.
    Refused(Message, Vec<Problem>),
}

impl From<Message> for Verdict {
    fn from(why: Message) -> Verdict {
        Verdict::Refused(why, Vec::new())
    }
}

impl From<LoadFault> for Verdict {
    fn from(fault: LoadFault) -> Verdict {
        s::both(s::EDIT_NOT_WRITTEN, &fault.error()).into()
    }
}

impl Files {
    /// The text of a gate's record, or of an earlier edit that was not valid yet; then true.
    pub(crate) fn read_record(&self, path: &Path) -> Result<(EditedRecord, bool), Message> {
        let loaded = self.load_or_say(path)?;
        let gate = loaded.gate().ok_or(Message::from(s::ASKS_NOTHING))?;
        self.recover_lent();
        let kept = self.edited(&gate.answer_path);
        let again = kept.is_some();
        if !loaded.record.exists() && !again {
            return Err(Message::from(s::NOTHING_TO_EDIT));
        }
        if !loaded.record.is_read() {
            return Err(s::unreadable(&loaded));
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
    pub(super) fn check_edited(&self, edited: EditedRecord) -> (Box<EditedRecord>, Verdict) {
        let mut edited = Box::new(EditedRecord { theirs: None, kept: true, ..edited });
        // Editors end the last line; that alone is no change of the author's.
        let without_end = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
        if without_end(&edited.text) == without_end(&edited.original) {
            self.drop_edited(&edited.answer_path);
            return (edited, Verdict::Unchanged);
        }
        // The author's words go to the disk before anything else.
        if let Some(why) = self.keep_edited(&edited.answer_path, &edited.text) {
            edited.kept = false;
            // The thread that keeps drafts tries again.
            if let Some(autosave) = &self.autosave {
                autosave.put_edited(&edited.answer_path, edited.text.clone());
            }
            return (edited, why.into());
        }
        let verdict = match self.load(&edited.path) {
            Err(fault) => fault.into(),
            Ok(loaded) => {
                // It is checked against what is asked now.
                edited.spec_hash = loaded.spec_hash();
                edited.theirs = (hash_of(&loaded) != edited.seen).then(|| text_of(&loaded));
                judge(&loaded, &edited)
            }
        };
        (edited, verdict)
    }

    /// Writes it, byte for byte as the author left it.
    pub(super) fn write_edited(&self, edited: EditedRecord) -> (Box<EditedRecord>, Verdict) {
        let packet = self.root_path(&edited.path);
        let (bytes, now) = (edited.text.as_bytes(), self.clock.now());
        let loaded = match self.load(&edited.path) {
            Ok(loaded) => loaded,
            Err(fault) => return (Box::new(edited), fault.into()),
        };
        let gate = loaded.gate().filter(|gate| check_record(&gate.spec, bytes).is_ok());
        // The packet asks something else now, or the record has changed.
        let Some(gate) = gate else { return self.check_edited(edited) };
        let rivals = collision::rivals(&self.project, &packet, gate, now);
        let submission = Submission {
            packet: &packet,
            answer_path: &gate.answer_path,
            asked: &edited.spec_hash,
            bytes,
            rivals: &rivals,
            seen: None,
            over: edited.seen.as_deref().map_or(Over::Nothing, Over::Hash),
        };
        match submit::submit(&self.project, Ok(&self.state), &submission, now) {
            Ok(submit::Outcome::Written(done)) => {
                let submit::Submitted { receipt, record, loaded, unnoted, .. } = *done;
                if unnoted.is_none() {
                    self.drop_edited(&edited.answer_path);
                }
                let unnoted = unnoted.as_ref().map(s::not_noted);
                let outputs = loaded.outputs(&self.project);
                let (path, packet) = (edited.path.clone(), Arc::new(loaded.packet));
                let defaults = Vec::new();
                let written = Submitted { path, packet, record, receipt, outputs, unnoted, defaults };
                (Box::new(edited), Verdict::Written(Box::new(written)))
            }
            // A record that is valid sends nothing back.
            Ok(submit::Outcome::SentBack(_)) | Err(WriteError::Exists(_)) => self.check_edited(edited),
            Err(error) => (Box::new(edited), s::both(s::EDIT_NOT_WRITTEN, &error.error()).into()),
        }
    }

    /// Keeps the text of an edited record for the next time, and lets no older one that waits for the disk take its place;
    /// tells what is in the way.
    pub fn keep_edited(&self, answer_path: &JsString, text: &str) -> Option<Message> {
        let kept = self.set_edited(answer_path, Some(text));
        kept.err().map(|error| s::not_kept(&reason(error)))
    }

    /// Keeps the texts of records that an editor has saved for a console that ended before it got them back; the packets that
    /// something was saved for, fields of their forms too, which get it when they are opened.
    pub(crate) fn recover_lent(&self) -> Vec<String> {
        let mut packets = Vec::new();
        for left in loan::left(&self.state) {
            packets.push(left.loan.packet.shown().into_owned());
            let text = left.text.as_ref().ok().filter(|_| left.loan.field.is_none());
            if text.is_some_and(|text| self.set_edited(&left.loan.answer_path, Some(text)).is_ok()) {
                left.forget();
            }
        }
        packets.sort_unstable();
        packets.dedup();
        packets
    }

    fn set_edited(&self, answer_path: &JsString, text: Option<&str>) -> Result<(), Error> {
        if let Some(autosave) = &self.autosave {
            autosave.supersede_edited(answer_path, text);
        }
        self.drafts().set_edited(answer_path, text)
    }

    /// The text of an edited record, on the disk or on its way there.
    pub(crate) fn edited(&self, answer_path: &JsString) -> Option<String> {
        let pending = self.autosave.as_ref().and_then(|autosave| autosave.pending_edited(answer_path));
        pending.or_else(|| self.drafts().edited(answer_path))
    }

    pub(crate) fn drop_edited(&self, answer_path: &JsString) {
        // A text that is left over is offered again, never written.
        drop(self.set_edited(answer_path, None));
    }
}

fn judge(loaded: &Loaded, edited: &EditedRecord) -> Verdict {
    let Some(gate) = loaded.gate() else { return Message::from(s::ASKS_NOTHING).into() };
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
                "未写入：编辑期间记录被移走。你的文本已保留，按 {editor} 继续编辑。",
            )
        };
        return Message::from(says).into();
    }
    let invalid = say(
        "The edited text is not valid yet and was not written. It is kept; {editor} opens it again.",
        "编辑后的文本还不是有效的记录，未写入，已保留。按 {editor} 继续编辑。",
    );
    match check_record(&gate.spec, edited.text.as_bytes()) {
        Ok(_) => Verdict::Valid,
        Err(problems) => Verdict::Refused(Message::from(invalid), problems),
    }
}

fn text_of(loaded: &Loaded) -> String {
    String::from_utf8_lossy(&loaded.record.bytes).into_owned()
}
