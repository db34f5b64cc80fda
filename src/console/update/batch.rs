//! Other gates that wait with the questions of the open form.
//!
//! Contract:
//! * They are looked for when the review opens; what is found then is what can be answered too, and nothing else.
//! * None is answered unless the author says so, and only as it was shown.

use super::super::effect::{Effect, Unwritten};
use super::super::model::{Batch, BatchGate, BatchRecord, Form, Message, Model, Over, Screen, Status, Tone};
use super::super::sentences as s;
use super::super::view::{layout, page};
use crate::text::Lang;
use std::path::{Path, PathBuf};

/// Looks for them anew.
pub(super) fn find(model: &mut Model) -> Option<Effect> {
    let form = model.form.as_mut()?;
    form.status.batch = None;
    if form.status.repair.is_some() {
        return None;
    }
    let (path, spec_hash) = (form.gate.path.clone(), form.gate.spec_hash.clone());
    let asked = form.spec().fingerprints().1;
    let candidates = model.inbox.entries.iter().filter(|entry| {
        let waits = entry.status == Status::Waiting && !entry.past && !entry.is_repeated();
        waits && entry.question_hash == asked && *entry.path != *path
    });
    let candidates: Vec<_> = candidates.cloned().collect();
    (!candidates.is_empty()).then_some(Effect::FindBatch { path, spec_hash, candidates })
}

pub(super) fn found(model: &mut Model, path: &Path, spec_hash: &str, gates: Vec<BatchGate>) {
    let low = layout::review(model.size).foot.height < layout::WHOLE_FOOT;
    let same = |form: &&mut Form| {
        form.gate.path == path && form.gate.spec_hash == spec_hash && form.status.batch.is_none()
    };
    let Some(form) = model.form.as_mut().filter(same) else { return };
    let batch = form.status.batch.insert(Batch { gates, taken: false });
    if low && model.screen == Screen::Review && model.notice.is_none() && !batch.gates.is_empty() {
        // The line in the foot has no room for words.
        let names = [Lang::En, Lang::ZhCn].map(|lang| batch.names(lang));
        model.say(Tone::Plain, Message::new(s::SAME_NOTICE, &[&names[0], &names[1]]));
    }
}

/// Takes them in or leaves them out. The author sees each record: where the review has no room, a page shows them.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    let batch = model.form.as_mut().filter(|form| !form.status.submitting);
    let Some(batch) = batch.and_then(|form| form.status.batch.as_mut()) else { return Vec::new() };
    batch.taken = !batch.taken && !batch.gates.is_empty();
    if batch.taken && !page::has_room_for_records(model) {
        return model.show_detail();
    }
    Vec::new()
}

/// The record of the open gate was not written. What became of the others is listed with it.
pub(super) fn not_submitted(
    model: &mut Model,
    (path, title): (PathBuf, String),
    why: Unwritten,
    batch: Vec<BatchRecord>,
) -> Vec<Effect> {
    super::gate::not_submitted(model, &path, why);
    let mut effects = model.save();
    // The page says it.
    let Some(notice) = model.notice.take_if(|_| !batch.is_empty()) else { return effects };
    if let Some(form) = &mut model.form {
        form.status.batch = None;
    }
    written(model, &batch);
    let mut records = vec![BatchRecord { path, title, written: Err(notice.message) }];
    records.extend(batch);
    effects.push(Effect::Look);
    effects.extend(model.show_over(Over::Batch(records)));
    effects
}

/// What was removed before cannot come back over one of these records.
pub(super) fn written(model: &mut Model, batch: &[BatchRecord]) {
    let is_new =
        |redone: &mut PathBuf| batch.iter().any(|record| record.written.is_ok() && record.path == *redone);
    model.inbox.redone.take_if(is_new);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Draft, decode_packet};
    use crate::console::model::{LoadedGate, OpenedGate, ProjectInfo, Size};
    use std::sync::Arc;
    use std::time::SystemTime;

    fn gate(name: &str, refusal: Option<Message>) -> LoadedGate {
        let packet = format!(
            r#"{{"step":"{name}","answer_path":"{name}.json","novel_ask":{{"version":1,"topic":"t","questions":[
            {{"id":"q","header":"h","question":"?","kind":"free_text","required":false}}]}}}}"#
        );
        let packet = Arc::new(decode_packet(packet.as_bytes()).expect("a packet"));
        LoadedGate { path: PathBuf::from(name), packet, spec_hash: "hash".to_owned(), refusal }
    }

    fn others() -> Vec<BatchGate> {
        let other =
            |name, refusal| BatchGate { gate: gate(name, refusal), has_draft: false, rivals: Vec::new() };
        vec![other("b", None), other("c", Some(Message::from(s::ASKS_NOTHING)))]
    }

    /// The review of a gate on a small or a large screen.
    fn review(size: Size) -> Model {
        let mut model = Model::new(ProjectInfo::default(), Lang::En, size, SystemTime::UNIX_EPOCH);
        let own = gate("a", None);
        let draft = Draft::new(&own.packet.gate.as_ref().expect("a gate").spec);
        model.form = Some(Form::open(OpenedGate { gate: own, draft, ..OpenedGate::default() }));
        model.show_review(false);
        model
    }

    const SMALL: Size = Size { width: 40, height: 12 };
    const LARGE: Size = Size { width: 200, height: 60 };

    fn batch(model: &Model) -> Option<&Batch> {
        model.form.as_ref()?.status.batch.as_ref()
    }

    #[test]
    fn only_what_was_found_for_these_questions_is_offered_and_only_once() {
        let mut model = review(LARGE);
        found(&mut model, Path::new("a"), "another hash", others());
        found(&mut model, Path::new("b"), "hash", others());
        assert!(batch(&model).is_none());
        found(&mut model, Path::new("a"), "hash", others());
        toggle(&mut model);
        found(&mut model, Path::new("a"), "hash", Vec::new());
        assert!(batch(&model).is_some_and(|batch| batch.taken && batch.gates.len() == 2));
        model.show_review(false);
        assert!(batch(&model).is_none(), "a new review looks anew, and nothing is taken in");
    }

    #[test]
    fn what_is_taken_in_is_shown_whole() {
        for (size, paged) in [(SMALL, true), (LARGE, false)] {
            let mut model = review(size);
            toggle(&mut model);
            assert!(model.over.is_none(), "nothing is known yet");
            found(&mut model, Path::new("a"), "hash", others());
            let said = model.notice.as_ref().map(|notice| model.text(&notice.message));
            assert_eq!(
                said.is_some_and(|said| said.contains("Ctrl+A answers them too")),
                paged,
                "where the foot has no room for words"
            );
            toggle(&mut model);
            assert_eq!(model.over.is_some(), paged);
            let names = batch(&model).map(|batch| batch.names(Lang::En));
            assert_eq!(names.as_deref(), Some("b"), "what cannot be written is not counted");
            toggle(&mut model);
            assert!(batch(&model).is_some_and(|batch| !batch.taken));
        }
    }

    #[test]
    fn nothing_is_taken_in_while_it_is_written() {
        let mut model = review(LARGE);
        found(&mut model, Path::new("a"), "hash", others());
        model.form.as_mut().expect("a form").status.submitting = true;
        toggle(&mut model);
        assert!(batch(&model).is_some_and(|batch| !batch.taken));
    }
}
