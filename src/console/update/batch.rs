//! Other gates that wait with the questions of the open form: the list of them, their records, and taking those back.
//!
//! Contract:
//! * They are looked for when the review opens; what is found then is what can be answered too, and nothing else.
//! * None is answered unless the author has opened their list and confirmed its ticks; at first those of the same topic stand.
//! * What was written together can be taken back together, but for what is of use by now.

use super::super::action::{Action, Target};
use super::super::effect::{Effect, Request, Submission, TakeBack, Unwritten};
use super::super::field::Edit;
use super::super::model::{Batch, BatchGate, BatchRecord, Form, Message, Model, Over, Screen, Status, Tone};
use super::super::sentences as s;
use super::super::view::layout;
use crate::text::{Lang, plural};
use std::path::{Path, PathBuf};

/// Looks for them anew.
pub(super) fn find(model: &mut Model) -> Option<Effect> {
    let form = model.form.as_mut()?;
    if let Some(batch) = form.status.batch.take() {
        form.status.batch_before = batch.taken;
    }
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
    if candidates.is_empty() {
        form.status.batch = Some(Batch::default());
        return None;
    }
    Some(Effect::FindBatch { path, spec_hash, candidates })
}

pub(super) fn found(model: &mut Model, path: &Path, spec_hash: &str, gates: Vec<BatchGate>) {
    let low = layout::review(model.size).foot.height < layout::WHOLE_FOOT;
    let same = |form: &&mut Form| {
        form.gate.path == path && form.gate.spec_hash == spec_hash && form.status.batch.is_none()
    };
    let Some(form) = model.form.as_mut().filter(same) else { return };
    let mut batch = Batch::new(gates, &form.spec().topic);
    batch.take_again(&form.status.batch_before);
    let batch = form.status.batch.insert(batch);
    if low && model.screen == Screen::Review && model.notice.is_none() && !batch.gates.is_empty() {
        // The line in the foot has no room for words.
        let names = [Lang::En, Lang::ZhCn].map(|lang| batch.names(lang));
        model.say(Tone::Plain, Message::new(s::SAME_NOTICE, &[&names[0], &names[1]]));
    }
}

/// Shows the list of them.
pub(super) fn open_list(model: &mut Model) -> Vec<Effect> {
    let batch = model.form.as_mut().filter(|form| !form.status.submitting);
    let Some(batch) = batch.and_then(|form| form.status.batch.as_mut()) else { return Vec::new() };
    if batch.gates.is_empty() {
        return Vec::new();
    }
    batch.open_list();
    model.show_over(Over::Packets)
}

/// A key in the list.
pub(super) fn in_list(model: &mut Model, action: &Action) -> Vec<Effect> {
    let rows = layout::packet_rows(model.size);
    let batch = model.form.as_mut().and_then(|form| form.status.batch.as_mut());
    let Some(batch) = batch.filter(|batch| batch.list.is_some()) else { return model.close_over() };
    let Some(list) = &mut batch.list else { return Vec::new() };
    let row = list.row;
    let mut ticked = Ok(());
    match action {
        Action::Accept => {
            batch.take_list();
            return model.close_over();
        }
        Action::Back => {
            batch.list = None;
            return model.close_over();
        }
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
            let to = action.row_from(row, rows).unwrap_or(row);
            list.row = to.min(list.hits.len().saturating_sub(1));
            if let Action::Point(Target::Row(row)) = action {
                ticked = batch.tick(*row);
            }
        }
    }
    if let Err(why) = ticked {
        model.say(Tone::Plain, Message::in_both(|lang| s::CANNOT_WRITE.fill(lang, &[&why.text(lang)])));
    }
    model.keep_in_sight();
    Vec::new()
}

/// Some records of other gates were tried; the others follow.
pub(super) fn go_on(model: &mut Model, submission: Box<Submission>, tried: Vec<BatchRecord>) -> Vec<Effect> {
    model.writing = Some(submission.draft.path.clone());
    model.tried.extend(tried);
    vec![Request::Submit(submission).into()]
}

/// The record of the open gate was not written. What became of the others is listed with it.
pub(super) fn not_submitted(
    model: &mut Model,
    (path, title): (PathBuf, String),
    why: Unwritten,
) -> Vec<Effect> {
    super::gate::not_submitted(model, &path, why);
    let mut effects = model.save();
    // The page says it.
    let Some(notice) = model.notice.take_if(|_| !model.tried.is_empty()) else { return effects };
    model.tried.insert(0, BatchRecord { path, title, done: Err(notice.message), unnoted: None });
    effects.extend(list_tried(model));
    effects
}

/// It ended where it should not: what was tried is listed.
pub(super) fn failed(model: &mut Model) -> Vec<Effect> {
    if matches!(model.over, Some(Over::TakenBack(_))) {
        let records = std::mem::take(&mut model.tried);
        model.show_over(Over::TakenBack(records));
        return vec![Effect::Look];
    }
    if model.tried.is_empty() { Vec::new() } else { list_tried(model) }
}

fn list_tried(model: &mut Model) -> Vec<Effect> {
    let records = std::mem::take(&mut model.tried);
    written(model, &records);
    let mut effects = vec![Effect::Look];
    // Those that still wait can be answered with the next submission.
    effects.extend(find(model));
    effects.extend(model.show_over(Over::Batch(records)));
    effects
}

/// What was removed before cannot come back over one of these records.
pub(super) fn written(model: &mut Model, batch: &[BatchRecord]) {
    let is_new =
        |redone: &mut PathBuf| batch.iter().any(|record| record.done.is_ok() && record.path == *redone);
    model.inbox.redone.take_if(is_new);
}

/// Takes the records back that are shown as just written.
pub(super) fn take_back(model: &mut Model) -> Vec<Effect> {
    let records = model.just_written();
    model.tried.clear();
    let sharing: Vec<PathBuf> = records.iter().flat_map(|record| model.inbox.sharing(&record.path)).collect();
    model.inbox.taken_back.extend(sharing);
    let mut effects = model.show_over(Over::TakenBack(Vec::new()));
    effects.push(Request::TakeBack(TakeBack { records: records.into(), tried: 0 }).into());
    effects
}

/// Some were taken back, or left; the others follow.
pub(super) fn taking_back(model: &mut Model, on: TakeBack, tried: Vec<BatchRecord>) -> Vec<Effect> {
    for left in tried.iter().filter(|record| record.done.is_err()) {
        let sharing = model.inbox.sharing(&left.path);
        model.inbox.taken_back.retain(|path| !sharing.contains(path));
    }
    model.tried.extend(tried);
    if on.tried < on.records.len() {
        let counts = [on.tried, on.records.len()].map(|count| count.to_string());
        model.say(Tone::Plain, Message::new(s::TAKING_BACK, &[&counts[0], &counts[1]]));
        return vec![Request::TakeBack(on).into()];
    }
    let records = std::mem::take(&mut model.tried);
    let left = records.iter().filter(|record| record.done.is_err()).count();
    let taken = records.len() - left;
    let english = [plural(taken, "record is", "records are"), plural(left, "is", "are")];
    let (says, tone) = if left == 0 { (s::TAKEN_BACK, Tone::Good) } else { (s::TAKEN_BACK_BUT, Tone::Warn) };
    let parts = [&english[0], &*taken.to_string(), &english[1], &*left.to_string()];
    model.say(tone, Message::new(says, &parts));
    let mut effects = vec![Effect::Look];
    match model.screen {
        Screen::Receipt if taken > 0 => {
            model.receipt = None;
            let row = records.first().and_then(|own| model.inbox.row_of(&own.path));
            (model.inbox.row, model.inbox.moved) = (row.unwrap_or(model.inbox.row), true);
            effects.extend(model.show_inbox());
            model.keep_in_sight();
        }
        Screen::Review => effects.extend(find(model)),
        _ => {}
    }
    model.over = (left > 0).then_some(Over::TakenBack(records));
    effects
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

    /// Of the same topic one that can be taken, one that cannot, and one that the author has begun; one of another topic.
    fn others() -> Vec<BatchGate> {
        let other =
            |name, refusal, has_draft| BatchGate { gate: gate(name, refusal), has_draft, rivals: Vec::new() };
        let mut elsewhere = other("elsewhere", None, false);
        let packet = r#"{"step":"elsewhere","answer_path":"e.json","novel_ask":{"version":1,"topic":"u","questions":[
            {"id":"q","header":"h","question":"?","kind":"free_text","required":false}]}}"#;
        elsewhere.gate.packet = Arc::new(decode_packet(packet.as_bytes()).expect("a packet"));
        let refused = Some(Message::from(s::ASKS_NOTHING));
        vec![elsewhere, other("b", None, false), other("c", refused, false), other("d", None, true)]
    }

    /// The review of a gate on a small or a large screen.
    fn review(size: Size) -> Model {
        let mut model = Model::new(ProjectInfo::default(), Lang::En, size, SystemTime::UNIX_EPOCH);
        let own = gate("a", None);
        let draft = Draft::new(&own.packet.gate.as_ref().expect("a gate").spec);
        model.form = Some(Form::open(OpenedGate { gate: own, draft, ..OpenedGate::default() }));
        model.show_review(false);
        model.form.as_mut().expect("a form").status.batch = None;
        model
    }

    const SMALL: Size = Size { width: 40, height: 12 };
    const LARGE: Size = Size { width: 200, height: 60 };

    fn batch(model: &Model) -> Option<&Batch> {
        model.form.as_ref()?.status.batch.as_ref()
    }

    fn taken(model: &Model) -> Vec<String> {
        batch(model)
            .map(|batch| batch.taken.iter().map(|other| other.gate.title()).collect())
            .unwrap_or_default()
    }

    #[test]
    fn only_what_was_found_for_these_questions_is_offered_and_only_once() {
        let mut model = review(LARGE);
        found(&mut model, Path::new("a"), "another hash", others());
        found(&mut model, Path::new("b"), "hash", others());
        assert!(batch(&model).is_none());
        found(&mut model, Path::new("a"), "hash", others());
        open_list(&mut model);
        in_list(&mut model, &Action::Accept);
        found(&mut model, Path::new("a"), "hash", Vec::new());
        assert_eq!(taken(&model), ["b"], "of the same topic, not begun otherwise");
        model.show_review(false);
        model.form.as_mut().expect("a form").status.batch = None;
        assert_eq!(taken(&model), [""; 0], "a new review looks anew");
        found(&mut model, Path::new("a"), "hash", others().into_iter().rev().collect());
        assert_eq!(taken(&model), ["b"], "what was ticked by name is ticked still");
        model.show_review(false);
        model.form.as_mut().expect("a form").status.batch = None;
        found(&mut model, Path::new("a"), "hash", Vec::new());
        assert_eq!(taken(&model), [""; 0], "it waits no more");
    }

    #[test]
    fn what_is_ticked_counts_from_enter_on() {
        for (size, low) in [(SMALL, true), (LARGE, false)] {
            let mut model = review(size);
            open_list(&mut model);
            assert!(model.over.is_none(), "nothing is known yet");
            found(&mut model, Path::new("a"), "hash", others());
            let said = model.notice.as_ref().map(|notice| model.text(&notice.message));
            let named = said.is_some_and(|said| said.contains("Ctrl+A lists them: b, c, d, elsewhere"));
            assert_eq!(named, low, "where the foot has no room for words");
            open_list(&mut model);
            in_list(&mut model, &Action::All);
            in_list(&mut model, &Action::Back);
            assert_eq!((taken(&model).len(), model.over.is_none()), (0, true));
            open_list(&mut model);
            in_list(&mut model, &Action::All);
            in_list(&mut model, &Action::Accept);
            assert_eq!(taken(&model), ["b", "d", "elsewhere"], "what cannot be written is not among them");
            open_list(&mut model);
            in_list(&mut model, &Action::All);
            in_list(&mut model, &Action::Back);
            assert_eq!(taken(&model).len(), 3, "as they were before the list was opened");
            open_list(&mut model);
            in_list(&mut model, &Action::All);
            in_list(&mut model, &Action::Accept);
            assert_eq!(taken(&model), [""; 0]);
        }
    }

    #[test]
    fn the_list_goes_with_its_questions() {
        let mut model = review(LARGE);
        found(&mut model, Path::new("a"), "hash", others());
        open_list(&mut model);
        model.show_help();
        model.form.as_mut().expect("a form").status.batch = None;
        model.close_over();
        assert!(model.over.is_none(), "nothing is left to be listed");
    }

    #[test]
    fn what_was_tried_before_a_fault_is_listed() {
        use crate::console::effect::{EffectResult, Reply};
        let record = |title: &str| BatchRecord {
            path: PathBuf::from(title),
            title: title.to_owned(),
            done: Err(Message::from(s::LEFT_OTHER)),
            unnoted: None,
        };
        for taken_back in [false, true] {
            let mut model = review(LARGE);
            if taken_back {
                take_back(&mut model);
            }
            model.tried.push(record("b"));
            let fault = Reply::Failed(Message::from(s::ASKS_NOTHING));
            super::super::apply(&mut model, EffectResult::Reply(fault));
            let (listed, records) = match &model.over {
                Some(Over::Batch(records)) => (false, records),
                Some(Over::TakenBack(records)) => (true, records),
                _ => panic!("nothing is listed"),
            };
            assert_eq!((listed, records.as_slice()), (taken_back, &[record("b")][..]));
            assert!(model.tried.is_empty() && model.notice.is_some());
        }
    }

    #[test]
    fn nothing_is_taken_in_while_it_is_written() {
        let mut model = review(LARGE);
        found(&mut model, Path::new("a"), "hash", others());
        model.form.as_mut().expect("a form").status.submitting = true;
        open_list(&mut model);
        assert!(model.over.is_none());
    }
}
