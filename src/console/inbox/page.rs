//! The selected gate of the inbox: its state in words, its questions, its files, its record, every problem.

use crate::ask::cause::Cause;
use crate::ask::{Answer, AnswerSpec, Gate, JsString, Kind, Packet, Problem, Question};
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::sheet::Sheet;
use crate::console::inbox::draft;
use crate::console::inbox::state::{State, state};
use crate::console::model::{
    Detail, DetailContent, Entry, Message, Model, Output, RecordView, SavedDraft, Status, Undo,
};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::{Lang, say, width};
use std::path::Path;
use std::time::SystemTime;

/// Problems that the paragraph for the executor quotes.
const PROBLEMS_QUOTED: usize = 10;
/// Characters of a broken file that are shown; the rest is in the file.
const FILE_SHOWN: usize = 32_000;
/// Other packets of one place that are named.
const OTHERS_SHOWN: usize = 20;
/// More outputs are only counted, but on a page of their own.
const OUTPUTS_SHOWN: usize = 8;
/// Questions that are listed; the rest is in the form.
const QUESTIONS_SHOWN: usize = 200;

/// Writes the page.
pub(crate) fn write(model: &Model, sheet: &mut Sheet<'_>) {
    let Some(entry) = model.inbox.selected() else { return };
    let detail = model.inbox.current_detail();
    head(entry, sheet);
    status(model, entry, detail, sheet);
    match detail.map(|detail| &detail.content) {
        None => {
            sheet.blank();
            sheet.say(Role::Dim, s::LOADING);
        }
        Some(DetailContent::Gone(message)) => {
            sheet.blank();
            sheet.text(Role::Bad, &message.text(sheet.lang), 0);
        }
        Some(DetailContent::Malformed(problems)) => {
            write_problems(problems, &[], sheet);
            write_request(entry, problems, sheet);
            sheet.heading(s::PACKET);
            sheet.text(Role::Text, &entry.path.to_string_lossy(), 2);
        }
        Some(DetailContent::Gate { packet, record, outputs, draft, .. }) => {
            gate(model, entry, packet, record, draft.as_deref(), outputs, sheet);
        }
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
}

/// The state as it was when the gate was loaded; the list may know less or more.
fn status_of(entry: &Entry, detail: Option<&Detail>) -> Status {
    match detail.map(|detail| &detail.content) {
        Some(DetailContent::Gate { packet, record, .. }) => match record {
            _ if packet.gate.is_none() => Status::NoGate,
            RecordView::Absent => Status::Waiting,
            RecordView::Valid(_) => Status::Answered,
            RecordView::Invalid { .. } => Status::Blocked,
        },
        Some(DetailContent::Malformed(_)) => Status::Malformed,
        _ => entry.status,
    }
}

fn status(model: &Model, entry: &Entry, detail: Option<&Detail>, sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let status = status_of(entry, detail);
    let draft = status == Status::Waiting && model.inbox.draft(entry).is_some();
    let later = model.inbox.later(entry).filter(|_| matches!(status, Status::Waiting | Status::Blocked));
    let shown = match later {
        Some(_) => State::LATER,
        None if draft => State::DRAFT,
        None => state(status),
    };
    let means = shown.means.text(lang).to_owned();
    let means = match later {
        Some(later) => format!("{} · {means}", model.later_words(later, lang)),
        None => means,
    };
    let of_file = entry.record_modified.filter(|_| entry.answered.is_none() && status != Status::Waiting);
    let ago = model.ago(of_file.unwrap_or_else(|| entry.time()));
    let ago = if of_file.is_some() { s::FILE_WRITTEN.fill(lang, &[&ago]) } else { ago };
    sheet.blank();
    let word = format!("{} {}", shown.sign, shown.word.text(lang));
    let first = line(theme[shown.role], &word).add(theme[Role::Dim], &format!(" · {ago}"));
    let whole = first.clone().add(theme[Role::Dim], " · ").add(theme[Role::Dim], &means);
    if entry.past {
        // Whatever its state, it holds no step up.
        sheet.line(|| first);
    } else if whole.cells() <= sheet.width() {
        sheet.line(|| whole);
    } else {
        sheet.line(|| first);
        sheet.text(Role::Dim, &means, 0);
    }
    if entry.past {
        let past = State::PAST;
        let first = line(theme[past.role], &format!("{} {}  ", past.sign, past.word.text(lang)));
        sheet.beside(&first, Role::Dim, past.means.text(lang));
    }
    match status {
        Status::Blocked if model.inbox.is_unreadable() => sheet.say(Role::Text, s::UNREADABLE_HINT),
        Status::Malformed => sheet.say(Role::Text, s::MALFORMED_HINT),
        Status::NoGate | Status::Waiting | Status::Blocked | Status::Answered => {}
    }
    write_undo(model, sheet);
    if model.inbox.has_edited() {
        sheet.marked(Role::Warn, "▲ ", Role::Text, &model.fill(s::EDITED_IS_KEPT, &[]));
    }
    if let Some(DetailContent::Gate { orphaned: true, .. }) = detail.map(|detail| &detail.content) {
        sheet.say(Role::Dim, s::ORPHANED);
    }
    if entry.is_conflict() {
        sheet.marked(Role::Bad, "✕ ", Role::Bad, s::CONFLICT_MEANS.text(lang));
    }
    if let Some(DetailContent::Gate { refusal: Some(refusal), .. }) = detail.map(|detail| &detail.content) {
        write_refusal(refusal, sheet);
    }
}

/// What Ctrl+U puts back.
fn write_undo(model: &Model, sheet: &mut Sheet<'_>) {
    match model.inbox.undo() {
        None => {}
        Some(Undo::Redo) => sheet.say(Role::Dim, s::REDO_CAN_BE_UNDONE),
        Some(Undo::Written { entry, replaced }) => {
            let by = entry.answered_by.as_ref().map(|by| by.display().into_owned()).unwrap_or_default();
            let at = model.local_time(entry.time());
            let says = if *replaced { s::OURS_REPLACED } else { s::OURS_GONE };
            sheet.marked(Role::Warn, "▲ ", Role::Warn, &model.fill(says, &[&by, &at]));
        }
    }
}

/// Why no record can be written.
pub(crate) fn write_refusal(refusal: &Message, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    let words = s::CANNOT_WRITE.fill(lang, &[&refusal.text(lang)]);
    sheet.marked(Role::Bad, "✕ ", Role::Bad, &words);
}

fn gate(
    model: &Model,
    entry: &Entry,
    packet: &Packet,
    record: &RecordView,
    draft: Option<&SavedDraft>,
    outputs: &[Output],
    sheet: &mut Sheet<'_>,
) {
    if let Some(gate) = &packet.gate {
        if let RecordView::Invalid { problems, causes, readable, .. } = record {
            write_problems(problems, causes, sheet);
            if *readable {
                sheet.say(Role::Text, s::REPAIR_HINT);
            }
        }
        if let Some(draft) = draft {
            let valid = if let RecordView::Valid(record) = record { Some(record) } else { None };
            draft::write(&gate.spec, draft, valid, sheet);
        }
        match record {
            RecordView::Absent => {}
            RecordView::Valid(record) => write_record(model, entry, gate, record, sheet),
            RecordView::Invalid { text, .. } if text.is_empty() => {}
            RecordView::Invalid { text, .. } => {
                sheet.heading(s::ITS_TEXT);
                write_text(text, sheet);
            }
        }
        if !matches!(record, RecordView::Valid(_)) {
            sheet.heading(s::QUESTIONS);
            write_questions(&gate.spec.questions, sheet);
        }
        sheet.heading(s::ANSWERS_GO_TO);
        sheet.text(Role::Text, &gate.answer_path.display(), 2);
        write_others(entry, sheet);
    }
    if !outputs.is_empty() {
        sheet.heading(s::THE_STEP_MAKES);
        write_outputs(model, outputs, None, sheet);
    }
    if !packet.next_actions.is_empty() {
        sheet.heading(s::THEN);
        for action in &packet.next_actions {
            sheet.text(Role::Text, &action.display(), 2);
        }
    }
    sheet.heading(s::PACKET);
    sheet.text(Role::Text, &entry.path.to_string_lossy(), 2);
}

/// Other packets whose answers go to the same place.
fn write_others(entry: &Entry, sheet: &mut Sheet<'_>) {
    for (agreeing, says) in [(false, s::CONFLICT_WITH), (true, s::SAME_GATE_AS)] {
        let named: Vec<&Path> =
            entry.others().filter(|(_, agrees)| *agrees == agreeing).map(|(path, _)| path).collect();
        if named.is_empty() {
            continue;
        }
        sheet.heading(says);
        for path in named.iter().take(OTHERS_SHOWN) {
            let (sign, role) = if agreeing { ("  = ", Role::Dim) } else { ("  ✕ ", Role::Bad) };
            sheet.marked(role, sign, Role::Text, &path.to_string_lossy());
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

/// What kind of answer a question wants, in words.
pub(crate) fn kind(question: &Question, lang: Lang) -> String {
    let kind = match question.kind {
        Kind::SingleChoice => s::SINGLE,
        Kind::MultiChoice => s::MULTI,
        Kind::FreeText => s::TEXT,
    };
    let must = if question.must_be_answered() { s::REQUIRED } else { s::OPTIONAL };
    let mut out = format!("{} · {}", kind.text(lang), must.text(lang));
    if question.kind != Kind::FreeText {
        let options = s::counted(question.options.len(), s::OPTIONS_ONE, s::OPTIONS_MANY, lang);
        out.push_str(&format!(" · {options}"));
    }
    out
}

/// Files the step is to make, each with whether it is there; one that was there before `since` was not made from these
/// answers.
pub(crate) fn write_outputs(
    model: &Model,
    outputs: &[Output],
    since: Option<SystemTime>,
    sheet: &mut Sheet<'_>,
) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let new = |then: SystemTime| since.is_none_or(|since| then >= since);
    if outputs.len() > OUTPUTS_SHOWN && !sheet.whole {
        let made = outputs.iter().filter(|output| output.modified.is_some_and(new)).count();
        let counts = [outputs.len().to_string(), made.to_string()];
        return sheet.text(Role::Dim, &model.fill(s::OUTPUTS_FOLDED, &[&counts[0], &counts[1]]), 2);
    }
    for output in outputs {
        let (sign, role, words) = match output.modified {
            Some(then) if !new(then) => ("  ○ ", Role::Dim, s::THERE_BEFORE.fill(lang, &[&model.ago(then)])),
            Some(then) => ("  ✓ ", Role::Answered, s::THERE.fill(lang, &[&model.ago(then)])),
            None if output.required => ("  ○ ", Role::Dim, s::NOT_THERE.text(lang).to_owned()),
            None => ("  ○ ", Role::Dim, s::NOT_THERE_OPTIONAL.text(lang).to_owned()),
        };
        let path = output.path.display();
        sheet.noted(&line(theme[role], sign), Role::Text, &path, &words);
    }
}

fn write_record(model: &Model, entry: &Entry, gate: &Gate, record: &AnswerSpec, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    sheet.heading(s::THE_RECORD);
    let by = record.answered_by.display();
    let words = match entry.answered {
        Some(then) => s::ANSWERED_BY.fill(lang, &[&by, &model.ago(then)]),
        None => say("answered by {0}", "由 {0} 回答").fill(lang, &[&by]),
    };
    sheet.text(Role::Text, &words, 2);
    write_answers(gate, record, usize::MAX, sheet);
}

/// What a record answers to each question; of an answer at most so many characters.
pub(crate) fn write_answers(gate: &Gate, record: &AnswerSpec, most: usize, sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let questions = gate.spec.questions.iter().take(QUESTIONS_SHOWN);
    let column = questions.clone().map(|question| width::cells(&clean(question))).max().unwrap_or(0).min(16);
    for question in questions {
        let first = Line::default().gap(2).add(theme[Role::Dim], &clean(question)).to_column(column + 4);
        match record.answers.iter().find(|(id, _)| *id == question.id) {
            Some((_, answer)) => sheet.beside(&first, Role::Text, &answer_words(answer, most, lang)),
            None => sheet.beside(&first, Role::Dim, s::NOT_ANSWERED.text(lang)),
        }
        write_note(question, record, most, column + 4, sheet);
    }
}

/// What the author wrote beside an answer, at most so many characters of it.
pub(crate) fn write_note(
    question: &Question,
    record: &AnswerSpec,
    most: usize,
    column: usize,
    sheet: &mut Sheet<'_>,
) {
    if let Some((_, note)) = record.notes.iter().find(|(id, _)| id.as_str() == Some(question.id.as_str())) {
        let words = answer_words(&Answer::One(note.clone()), most, sheet.lang);
        sheet.text(Role::Dim, &say("note: {0}", "备注：{0}").fill(sheet.lang, &[&words]), column);
    }
}

/// An answer in one text of at most so many characters, uncleaned.
pub(crate) fn answer_words(answer: &Answer, most: usize, lang: Lang) -> String {
    let values: Vec<_> = answer.values().iter().take(100).map(|value| value.display()).collect();
    let words = values.join(lang.comma());
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

fn clean(question: &Question) -> String {
    crate::text::Safe::line(&question.header.display()).fit(16).into_string()
}

/// Every problem, what happened to the whole first.
pub(crate) fn write_problems(problems: &[Problem], causes: &[Cause], sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    sheet.blank();
    write_whole(causes, sheet);
    sheet.text(Role::Dim, &s::counted(problems.len(), s::PROBLEMS_ONE, s::PROBLEMS_MANY, lang), 0);
    write_each(problems, causes, (Role::Bad, "✕ "), sheet);
}

/// Each problem behind a sign.
pub(crate) fn write_each(problems: &[Problem], causes: &[Cause], sign: (Role, &str), sheet: &mut Sheet<'_>) {
    for problem in problems {
        sheet.marked(sign.0, sign.1, Role::Text, pointer(problem, sheet.lang));
        write_problem(problem, causes, true, sheet);
    }
}

/// Where a problem is, for people.
pub fn pointer(problem: &Problem, lang: Lang) -> &str {
    if problem.pointer.is_empty() { s::WHOLE_FILE.text(lang) } else { &problem.pointer }
}

/// What happened to a record as a whole.
pub(crate) fn write_whole(causes: &[Cause], sheet: &mut Sheet<'_>) {
    for cause in causes.iter().filter(|cause| cause.pointer.is_empty()) {
        sheet.marked(Role::Warn, "▲ ", Role::Text, &cause.text(sheet.lang));
    }
}

/// What was found, unless that stands there already, what was expected, and why it came to that or what to do.
pub(crate) fn write_problem(problem: &Problem, causes: &[Cause], found: bool, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    let own = |cause: &&Cause| !cause.pointer.is_empty() && cause.pointer == problem.pointer;
    let cause = causes.iter().find(own).map(|cause| cause.text(lang));
    let hint = problem.hint.as_ref().filter(|_| cause.is_none()).map(|hint| hint.text(lang));
    let parts = [
        (s::FOUND, found.then(|| problem.found.text(lang))),
        (s::EXPECTED, Some(problem.expected.text(lang))),
        (s::CAUSE, cause),
        (s::HINT, hint),
    ];
    let rows: Vec<_> = parts.iter().filter_map(|(label, part)| Some((*label, part.as_deref()?))).collect();
    sheet.labelled(2, &rows);
}

/// One paragraph for the executor: what is wrong with its packet, and what it is to do.
fn write_request(entry: &Entry, problems: &[Problem], sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    let mut words = String::new();
    for problem in problems.iter().take(PROBLEMS_QUOTED) {
        words.push_str(problem.sentence(lang).trim_end_matches(['.', '。']));
        words.push_str(say(". ", "。").text(lang));
    }
    if problems.len() > PROBLEMS_QUOTED {
        let rest = (problems.len() - PROBLEMS_QUOTED).to_string();
        words.push_str(&say("And {0} more problems. ", "另有 {0} 处错误。").fill(lang, &[&rest]));
    }
    sheet.heading(s::FOR_THE_EXECUTOR);
    let packet = entry.path.to_string_lossy();
    let words = if lang == Lang::En { words.trim_end() } else { words.as_str() };
    sheet.text(Role::Text, &s::REWRITE_PACKET.fill(lang, &[&packet, words]), 0);
}

/// The beginning of a file's text.
pub(crate) fn write_text(text: &str, sheet: &mut Sheet<'_>) {
    let end = text.char_indices().nth(FILE_SHOWN).map_or(text.len(), |(at, _)| at);
    for line in text[..end].lines() {
        sheet.text(Role::Text, line, 2);
    }
    if end < text.len() {
        sheet.text(Role::Dim, s::REST_IN_FILE.text(sheet.lang), 2);
    }
}
