//! The selected gate of the inbox: its state in words, its questions, its files, its record, every problem.

use crate::ask::cause::Cause;
use crate::ask::draft::SaidAs;
use crate::ask::{AnswerSpec, JsString, Kind, Problem, Question, QuestionSpec, Reply, SIGNATURE};
use crate::console::copy;
use crate::console::draw::answer::{PICKS, beginning};
use crate::console::draw::layout;
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::problems::{place, write_problems, write_refusal, write_whole};
use crate::console::draw::record::{QUESTIONS_SHOWN, write_answers, write_text};
use crate::console::draw::sheet::Sheet;
use crate::console::hearing;
use crate::console::inbox::detail::GateDetail;
use crate::console::inbox::outputs::write_outputs;
use crate::console::inbox::state::State;
use crate::console::inbox::undo;
use crate::console::model::{Entry, LoadFault, Model, Note, RecordState, SavedDraft, Status};
use crate::console::rounds;
use crate::console::sent_back;
use crate::console::sentences as s;
use crate::console::standing;
use crate::console::theme::Role;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::text::{Lang, Sentence, say};
use std::path::Path;

/// Other packets of one place that are named.
const OTHERS_SHOWN: usize = 20;
/// Questions without an answer that are named beside a draft.
const NAMED: usize = 4;

/// Changes to a packet's text that are shown one by one.
const CHANGES_SHOWN: usize = 6;

const MENDED_BY_KEY: Sentence = say(
    "This can only mean one thing: {redo} mends it, the old text goes into the history; {editor} opens the file in your editor.",
    "这里只可能有一种意思：按 {redo} 修补，原文存入历史；按 {editor} 用编辑器打开文件。",
);
const OLDER_MEANS: Sentence = say(
    "This record was there before the packet asked for it: nobody may have answered this question. {redo} takes it back.",
    "指令包提问之前，这份记录就已经在那里，这个问题可能没有人回答过。按 {redo} 收回。",
);

pub(crate) fn write(model: &Model, sheet: &mut Sheet<'_>) {
    let Some(entry) = model.inbox.selected() else { return };
    let content = model.inbox.current_detail().map(|detail| &detail.content);
    if !is_brief(model, sheet) {
        head(entry, sheet);
    }
    status(model, entry, sheet);
    match content {
        // It is no packet, and cannot be read as one.
        _ if matches!(entry.note, Some(Note::Copy | Note::Misnamed | Note::Checkpoint)) => {
            let problem = entry.first_problem.iter().map(|problem| (**problem).clone()).collect::<Vec<_>>();
            write_problems_of_gate(model, &problem, &[], sheet);
            return;
        }
        None => {
            sheet.blank();
            sheet.say(Role::Dim, s::LOADING);
        }
        Some(Err(LoadFault::Unreadable(error))) => {
            sheet.blank();
            sheet.text(Role::Bad, &error.text(sheet.lang), 0);
        }
        Some(Err(LoadFault::Malformed(problems))) => {
            write_problems_of_gate(model, problems, &[], sheet);
            write_mending(model, sheet);
            if !entry.is_question_file() {
                write_request(entry, problems, sheet);
            }
        }
        Some(Ok(detail)) => {
            write_mending(model, sheet);
            gate(model, entry, detail, sheet);
        }
    }
    if matches!(content, Some(Ok(_) | Err(LoadFault::Malformed(_)))) {
        sheet.heading(if entry.is_question_file() { say("file", "文件") } else { s::PACKET });
        sheet.text(Role::Text, &entry.path.shown(), 2);
    }
}

fn head(entry: &Entry, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let step = entry.title();
    let agent = entry.agent.as_ref().map(|agent| format!(" · {}", agent.display())).unwrap_or_default();
    let line = line(theme[Role::Title], &step).add(theme[Role::Dim], &agent);
    if line.cells() <= sheet.width() {
        sheet.line(|| line);
    } else {
        sheet.text(Role::Title, &step, 0);
        sheet.text(Role::Dim, agent.trim_start_matches([' ', '·']), 0);
    }
    if let Some(topic) = entry.topic.as_ref().map(JsString::display) {
        sheet.text(Role::Text, &topic, 0);
    }
    if let Some(caller) = &entry.caller {
        sheet.text(Role::Dim, &caller.text(sheet.lang), 0);
    }
}

fn status(model: &Model, entry: &Entry, sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let status = model.inbox.status().unwrap_or(entry.status);
    let draft = status == Status::Waiting && model.inbox.draft(entry).is_some();
    let later = model.inbox.later(entry).filter(|_| matches!(status, Status::Waiting | Status::Blocked));
    let shown = match later {
        Some(_) => State::LATER,
        None if draft => State::DRAFT,
        None if entry.note.is_some() => State::of_entry(entry),
        None => State::of(status),
    };
    let until = later.map(|later| model.later_words(later, lang) + " · ").unwrap_or_default();
    let missing = model.inbox.gate().filter(|_| shown == State::DRAFT).and_then(missing);
    let is_ours = status == Status::Malformed && entry.is_question_file();
    let means = if is_ours {
        say("a standing question; it is not asked", "常设提问的文件，不会提问")
    } else {
        shown.means
    };
    let means = until + &missing.map_or_else(|| means.text(lang).to_owned(), |missing| missing.text(lang));
    let of_file = entry.record_modified.filter(|_| entry.answered.is_none() && status != Status::Waiting);
    let ago = model.ago(of_file.unwrap_or_else(|| entry.time()));
    let ago = if of_file.is_some() { say("written {0}", "{0}写入").fill(lang, &[&ago]) } else { ago };
    sheet.blank();
    let first = shown.line(theme, lang).add(theme[Role::Dim], &format!(" · {ago}"));
    let whole = first.clone().add(theme[Role::Dim], " · ").add(theme[Role::Dim], &means);
    if entry.past {
        // Whatever its state, it holds no step up.
        let past = State::PAST;
        let sign = past.line(theme, lang).add(theme[past.role], "  ");
        sheet.line(|| first);
        sheet.beside(&sign, Role::Dim, past.means.text(lang));
    } else if whole.cells() <= sheet.width() {
        sheet.line(|| whole);
    } else {
        sheet.line(|| first);
        sheet.text(Role::Dim, &means, 0);
    }
    write_marks(model, entry, status, sheet);
}

/// What is to be known of a gate beside its state.
fn write_marks(model: &Model, entry: &Entry, status: Status, sheet: &mut Sheet<'_>) {
    let gate = model.inbox.gate();
    if status == Status::Malformed && !model.inbox.is_mendable() {
        let is_ours = entry.is_question_file();
        sheet.say(Role::Text, if is_ours { s::QUESTION_FILE_HINT } else { s::MALFORMED_HINT });
    } else if status == Status::Blocked && model.inbox.is_unreadable() {
        sheet.say(Role::Text, s::UNREADABLE_HINT);
    }
    if let Some(loss) = gate.and_then(|gate| gate.loaded.loss()) {
        sheet.marked(Role::Warn, "▲ ", Role::Warn, &loss.text().text(sheet.lang));
    }
    if model.inbox.is_older(entry) {
        sheet.marked(Role::Warn, "▲ ", Role::Warn, &sheet.voice.fill(OLDER_MEANS, &[]));
    }
    if let Some(gate) = gate {
        hearing::write(
            gate.hearing.as_ref(),
            gate.loaded.packet.step.as_ref(),
            &entry.path,
            &model.local_now(),
            sheet,
        );
    }
    if gate.is_some_and(|gate| gate.loaded.is_outdated) {
        sheet.marked(Role::Warn, "▲ ", Role::Warn, &sheet.voice.fill(s::OUTDATED_MEANS, &[]));
    }
    if let Some(gate) = gate
        && let (Some(reply), Some(asks)) = (&gate.sent_back, gate.loaded.gate())
    {
        let sent = &reply.sent;
        if status == Status::SentBack {
            let named = sent.does_not_apply.as_deref();
            sent_back::write_why(sent.choice.as_ref(), named, &sent.reason, &asks.spec, sheet);
            sent_back::write_delivered(model, sent, &reply.delivered, sheet);
        } else {
            sent_back::write(model, sent, &asks.spec, false, sheet);
        }
    }
    if let Some(asked) = gate.and_then(|gate| gate.loaded.asked.as_ref()) {
        standing::write(asked, sheet);
    }
    if let Some(gate) = gate {
        rounds::write(&gate.loaded, sheet);
    }
    undo::write(model, sheet);
    if gate.is_some_and(|gate| gate.edited) {
        sheet.marked(Role::Warn, "▲ ", Role::Text, &sheet.voice.fill(s::EDITED_IS_KEPT, &[]));
    }
    if gate.is_some_and(|gate| gate.orphaned) {
        sheet.say(Role::Dim, s::ORPHANED);
    }
    if entry.is_conflict() {
        sheet.marked(Role::Bad, "✕ ", Role::Bad, s::CONFLICT_MEANS.text(sheet.lang));
    }
    if let Some(refusal) = gate.and_then(|gate| gate.loaded.refusal.as_ref()) {
        write_refusal(&Message::from(refusal.sentence()), sheet);
    }
}

/// What the author has not answered yet in his draft, by the headers of the questions; `None` if nothing is missing.
fn missing(gate: &GateDetail) -> Option<Message> {
    let spec = &gate.loaded.gate()?.spec;
    let missing = gate.draft.as_ref()?.job.draft.missing(spec);
    let header = |&place: &usize| spec.questions[place].header.display().into_owned();
    let mut names: Vec<String> = missing.iter().take(NAMED).map(header).collect();
    names.extend((missing.len() > NAMED).then(|| "…".to_owned()));
    let says = say("draft, missing: {0}", "草稿，还缺：{1}");
    (!names.is_empty()).then(|| Message::with(says, |lang| names.join(lang.comma())))
}

/// Every problem; below the list only where each is and what was found.
fn write_problems_of_gate(model: &Model, problems: &[Problem], causes: &[Cause], sheet: &mut Sheet<'_>) {
    if !is_brief(model, sheet) {
        return write_problems(problems, causes, sheet);
    }
    write_whole(causes, sheet);
    for problem in problems {
        let first =
            line(sheet.theme[Role::Bad], "✕ ").add(sheet.theme[Role::Dim], &place(problem, sheet.lang));
        sheet.beside(&first.gap(2), Role::Text, &problem.found.text(sheet.lang));
    }
}

/// What would be changed, and by which key.
fn write_mending(model: &Model, sheet: &mut Sheet<'_>) {
    let mending = model.inbox.current_detail().and_then(|detail| detail.mending.as_deref());
    let Some(mending) = mending else { return };
    sheet.blank();
    sheet.say(Role::Text, if mending.is_certain { MENDED_BY_KEY } else { s::MENDED_BY_HAND });
    if !mending.is_certain {
        sheet.say(Role::Text, say("One reading would change:", "其中一种读法要改："));
    }
    let shown = if sheet.whole { mending.changes.len() } else { CHANGES_SHOWN };
    for change in mending.changes.iter().take(shown) {
        sheet.text(Role::Dim, &s::change(change, sheet.lang), 2);
    }
    if mending.count > shown {
        let rest = (mending.count - shown).to_string();
        sheet.text(Role::Dim, &say("and {0} more", "另有 {0} 处").fill(sheet.lang, &[&rest]), 2);
    }
}

/// Whether the details stand below the list: step, topic and count are in the row above, and there are few rows.
pub(super) fn is_brief(model: &Model, sheet: &Sheet<'_>) -> bool {
    !sheet.whole && layout::is_stacked(model.size)
}

fn gate(model: &Model, entry: &Entry, detail: &GateDetail, sheet: &mut Sheet<'_>) {
    let (packet, record) = (&detail.loaded.packet, &detail.loaded.record);
    if let Some(gate) = &packet.gate {
        if let RecordState::Invalid(problems) = &record.state {
            write_problems_of_gate(model, problems, &detail.causes, sheet);
            if record.is_read() {
                sheet.say(Role::Text, s::REPAIR_HINT);
            }
        }
        if let Some(draft) = &detail.draft {
            write_draft(&gate.spec, draft, record.valid(), sheet);
        }
        match &record.state {
            RecordState::Valid(record) => {
                sheet.heading(say("the record", "记录"));
                let by = record.answered_by.display();
                let says = match (&*by, entry.answered) {
                    (SIGNATURE, Some(_)) => say("your answers, {1}", "你的回答，{1}"),
                    (SIGNATURE, None) => say("your answers", "你的回答"),
                    (_, Some(_)) => say("answered by {0}, {1}", "由 {0} 回答，{1}"),
                    (_, None) => say("answered by {0}", "由 {0} 回答"),
                };
                let ago = entry.answered.map(|then| model.ago(then)).unwrap_or_default();
                let words = says.fill(sheet.lang, &[&by, &ago]);
                sheet.text(Role::Text, &words, 2);
                write_answers(gate, record, &[], usize::MAX, sheet);
            }
            RecordState::Invalid(_) if !record.bytes.is_empty() => {
                sheet.heading(say("its text", "文件内容"));
                write_text(&String::from_utf8_lossy(&record.bytes), sheet);
            }
            RecordState::Absent | RecordState::Invalid(_) => {}
        }
        if record.valid().is_none() {
            sheet.heading(say("questions", "问题"));
            write_questions(&gate.spec.questions, sheet);
        }
        sheet.heading(s::ANSWERS_GO_TO);
        sheet.text(Role::Text, &gate.answer_path.display(), 2);
        write_others(entry, sheet);
    } else if !detail.loaded.packet.misspelt.is_empty() {
        write_problems_of_gate(model, &detail.loaded.packet.misspelt, &[], sheet);
    }
    if !detail.outputs.is_empty() {
        sheet.heading(say("the step makes", "本步产出"));
        write_outputs(model, &detail.outputs, None, sheet);
    }
    if !packet.next_actions.is_empty() {
        sheet.heading(say("then", "之后执行"));
        for action in &packet.next_actions {
            sheet.text(Role::Text, &action.display(), 2);
        }
    }
}

/// Writes what the author has answered and not submitted: every answer, whatever was typed beside it, and what fits no more; `record` is the valid one that lies there.
fn write_draft(spec: &QuestionSpec, saved: &SavedDraft, record: Option<&AnswerSpec>, sheet: &mut Sheet<'_>) {
    let (lang, draft) = (sheet.lang, &saved.job.draft);
    // What the record says too is in it.
    let submitted = record.is_some_and(|record| record.answers == draft.answers(spec));
    let is_noted = || draft.replies.iter().any(Reply::has_own_note);
    let answered = !submitted && (draft.progress(spec).answered > 0 || is_noted());
    sheet.heading(if answered { s::YOUR_DRAFT } else { s::KEPT_BESIDE });
    for said in draft.said(spec, &saved.job.orphans) {
        let is_in_record = |record: &AnswerSpec| {
            record.notes.iter().any(|(id, note)| *id == said.id && said.values.first() == Some(note))
        };
        let is_elsewhere = match said.as_what {
            SaidAs::Answer => !answered,
            SaidAs::Note => record.is_some_and(is_in_record),
            _ => false,
        };
        if !is_elsewhere {
            sheet.named(Role::Warn, "◐ ", &said.name(spec, lang), &beginning(&said.text(PICKS, lang)));
        }
    }
    if record.is_some() {
        sheet.say(Role::Dim, if answered { s::DRAFT_LATE } else { s::KEPT_BESIDE_MEANS });
    }
}

fn write_others(entry: &Entry, sheet: &mut Sheet<'_>) {
    for (agreeing, says) in [(false, s::CONFLICT_WITH), (true, say("same gate as", "同一门控，另见"))]
    {
        let named: Vec<&Path> =
            entry.others().filter(|(_, agrees)| *agrees == agreeing).map(|(path, _)| path).collect();
        if named.is_empty() {
            continue;
        }
        sheet.heading(says);
        for path in named.iter().take(OTHERS_SHOWN) {
            let (sign, role) = if agreeing { ("  = ", Role::Dim) } else { ("  ✕ ", Role::Bad) };
            sheet.marked(role, sign, Role::Text, &path.shown());
        }
        if named.len() > OTHERS_SHOWN {
            sheet.text(Role::Dim, "…", 4);
        }
        if agreeing {
            sheet.text(Role::Dim, s::SAME_GATE_MEANS.text(sheet.lang), 2);
        }
    }
}

fn write_questions(questions: &[Question], sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    for (at, question) in questions.iter().take(QUESTIONS_SHOWN).enumerate() {
        let number = format!("{:>2}  ", at + 1);
        let first = line(theme[Role::Dim], &number).add(theme[Role::Text], &question.header.display()).gap(2);
        sheet.beside(&first, Role::Dim, &kind(question, lang));
        sheet.text(Role::Text, &question.question.display(), 4);
    }
    if questions.len() > QUESTIONS_SHOWN {
        let rest = (questions.len() - QUESTIONS_SHOWN).to_string();
        sheet.text(Role::Dim, &s::MORE_QUESTIONS.fill(lang, &[&rest]), 4);
    }
}

pub(crate) fn kind(question: &Question, lang: Lang) -> String {
    let kind = question.kind.words();
    let must = if question.must_be_answered() { s::REQUIRED } else { s::OPTIONAL };
    let mut out = format!("{} · {}", kind.text(lang), must.text(lang));
    if question.kind != Kind::FreeText {
        let options = s::counted(question.options.len(), s::OPTIONS_ONE, s::OPTIONS_MANY, lang);
        out.push_str(&format!(" · {options}"));
    }
    out
}

/// The same words as are copied.
fn write_request(entry: &Entry, problems: &[Problem], sheet: &mut Sheet<'_>) {
    let words = copy::request(entry, problems, sheet.lang);
    sheet.heading(say("to paste to the executor", "可粘贴给执行器的话"));
    sheet.text(Role::Text, &words, 0);
}
