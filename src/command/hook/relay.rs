//! Questions that an executor asks, asked in the console instead: the hook waits until the author has answered there, and
//! in the end leaves nothing behind.
//!
//! A call that belongs to the dialogue of a gate, as `next` prints it, is not asked twice: its gate already waits in the
//! console. The hook waits for that gate's record and then has the model run `next` again, which ends with the record. The
//! same holds if the author answered before the call was made.

use super::call::{Call, Decision, Tool, Verdict};
use crate::adapter::relay as mapping;
use crate::ask::problem::quote_in;
use crate::ask::{AnswerSpec, JsString, QuestionSpec, object, to_line};
use crate::command::output::raw;
use crate::command::sent_back::{told_of_question, told_of_step};
use crate::command::wait::{AwaitedGate, Finding, Gates};
use crate::command::wake::{self, Wake};
use crate::command::{Session, author_lang, steerless};
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::config;
use crate::store::entry::Entry;
use crate::store::file::is_relay;
use crate::store::gate::{self, Status};
use crate::store::lock::console_is_open;
use crate::store::relay::{Asked, Relay, has_undelivered};
use crate::store::scan;
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

/// How often to check that a console is open and that the relay packet is still there.
const TICK: Duration = Duration::from_secs(1);
/// How long no console may be open: one that is being restarted is away for a moment.
const AWAY: Duration = Duration::from_secs(3);
/// The dialogue of a gate that was answered longer ago than this is over.
const RECENT: Duration = Duration::from_mins(10);
/// So many UTF-16 units of a reason reach the model for certain; Claude Code cuts off what is behind 10,000.
const LONGEST: usize = 9_000;
/// Of these, what stands around a refusal needs no more.
const FRAME: usize = 3_000;

enum RelayEnd {
    /// A gate is open: its place among the targets.
    Open(usize),
    /// The author refuses it.
    SentBack(usize),
    /// The author removed or broke the packet.
    Declined,
    /// No console is open any more.
    Away,
    /// Nobody reads the decision any more.
    Closed,
    Signal(u8),
}

/// Asks the questions of a call in the console, as a gate of its own if it belongs to the dialogue of none.
pub(super) fn ask(session: &mut Session<'_>, call: &Call<'_>, always: bool) -> Result<Verdict, Error> {
    let (project, state) = (&call.project, session.state(&call.project)?);
    let questions = mapping::questions(call.executor, call.input)
        .map_err(|message| Error::of(ExitCode::Malformed, "unfit", message))?;
    let shown = mapping::shown(call.executor, call.input, &questions, lang_of_author(session));
    warn_of_timer(session, call);
    // The call that the gate stands for.
    let text = |key| call.whole.text(key);
    let about = to_line(&object([
        ("session_id", text("session_id").unwrap_or_default()),
        ("tool_use_id", text("tool_use_id").unwrap_or_default()),
        ("agent", text("agent_type").or_else(|| text("agent_id")).unwrap_or_default()),
        ("since", rfc3339_millis(session.clock.now()).into()),
    ]));
    let asked = Asked { agent: call.executor.name(), spec: &shown, call: &about, stays: false };
    if !always && !console_is_open(&state) && !has_undelivered(project, &asked) {
        let sentence = say(
            "No console is open on this project; {0} asks itself.",
            "这个项目没有打开控制台；由 {0} 自己提问。",
        );
        return Err(Error::new(ExitCode::Waiting, "no-console", sentence, &[call.executor.title()]));
    }
    let (wake, wakes) = mpsc::channel();
    // First, so that a signal never leaves a relay packet behind.
    wake::on_signal(&wake)?;
    wake::on_output_closed(&wake, Wake::Closed)?;
    let is_alone = || !always && !console_is_open(&state);
    let packets = gates_of(session, call, &questions);
    if !packets.is_empty() {
        let mut gates = Gates::new(Arc::clone(project), packets);
        let end = wait(&mut gates, None, is_alone, &wake, &wakes)?;
        return Ok(already_asked(session, call, &gates, &end));
    }
    let hand_over = |record, place: &JsString| {
        let record = mapping::with_own_labels(record, &shown, &questions);
        Ok(Verdict::Said(answered(session.lang, call, &questions, &record, place)))
    };
    // Another hook of this call may have been here before.
    if let Some((record, place)) = asked.handed_over(&state) {
        return hand_over(record, &place);
    }
    let relay = Relay::open(project, &state, &asked)?;
    // It may just be leaving.
    if let Some((record, place)) = asked.handed_over(&state) {
        relay.close(project, &state, session.clock.now());
        return hand_over(record, &place);
    }
    let mut gates = Gates::new(Arc::clone(project), vec![project.root().join(relay.packet())]);
    let end = wait(&mut gates, Some(&relay), is_alone, &wake, &wakes);
    let is_over = matches!(end, Ok(RelayEnd::Open(_) | RelayEnd::SentBack(_)));
    let loaded = gates.targets[0].loaded.as_ref().filter(|_| is_over);
    if let Some(loaded) = loaded {
        relay.settle(&state, loaded);
        relay.hand_over(&state, &asked);
    }
    relay.close(project, &state, session.clock.now());
    if let Some(text) = loaded.and_then(|loaded| told_of_question(loaded, LONGEST - FRAME, session.lang)) {
        return Ok(Verdict::Said(Decision::new("deny", &steerless(&text))));
    }
    match loaded.and_then(|loaded| Some((loaded.record.valid()?, &loaded.gate()?.answer_path))) {
        Some((record, place)) => hand_over(record.clone(), place),
        None => Ok(unanswered(session, call, &end?)),
    }
}

/// Says when the client goes on by itself.
fn warn_of_timer(session: &mut Session<'_>, call: &Call<'_>) {
    if let Some(seconds) = mapping::timer(call.executor, call.input) {
        let sentence = say(
            "{0} goes on without an answer {1} s after it asks in its own dialog. That is no answer of the author's.",
            "{0} 在自己的对话框里提问 {1} 秒后就会不等回答继续。那不是作者的回答。",
        );
        session.warn(&[sentence.fill(session.lang, &[call.executor.title(), &seconds.to_string()])]);
    }
}

/// A gate whose dialogue this is was answered in the console, or sent back.
fn already_asked(session: &mut Session<'_>, call: &Call<'_>, gates: &Gates, end: &RelayEnd) -> Verdict {
    let (RelayEnd::Open(place) | RelayEnd::SentBack(place)) = end else {
        return unanswered(session, call, end);
    };
    let target = &gates.targets[*place];
    let words = call.words_for(&call.project, Path::new(&target.shown));
    let again = format!("novel-gate wait {words}");
    let told = target.loaded.as_ref();
    let told = told.and_then(|loaded| {
        told_of_step(loaded, Path::new(&target.shown), (&again, LONGEST - FRAME), session.lang)
    });
    if let Some(text) = told {
        return Verdict::Said(Decision::new("deny", &steerless(&text)));
    }
    if let Some(loaded) = &target.loaded {
        session.note_seen(&call.project, loaded);
    }
    let sentence = say(
        "The author has answered this gate in novel-gate. To read the record: novel-gate wait {0}. Do not ask again: read the record \
         and go on. novel-gate next, run once more without a reply, ends with done.",
        "作者已在 novel-gate 中回答了这个门控。读取记录：novel-gate wait {0}。不要再问：请读取记录并继续。novel-gate next 不带回复\
         再运行一次，会以 done 结束。",
    );
    Verdict::Said(Decision::new("deny", &sentence.fill(session.lang, &[&words])))
}

/// The language that a console starts in; what is wrong with the settings is said there.
fn lang_of_author(session: &Session<'_>) -> Lang {
    let Environment { xdg_config_home, home, .. } = &session.environment;
    let usual = config::default_dir(xdg_config_home.clone(), home.clone());
    let config = config::read(session.global.config.as_deref(), usual.as_deref());
    config.map_or(session.lang, |(config, _)| author_lang(&session.global, &config, &session.environment))
}

/// The gates whose dialogue a call belongs to: those that wait or are sent back, else those that were answered just now.
fn gates_of(session: &Session<'_>, call: &Call<'_>, questions: &QuestionSpec) -> Vec<PathBuf> {
    let now = session.clock.now();
    let entries = scan::look(&call.project, now).entries();
    let is_new = |written: SystemTime| now.duration_since(written).unwrap_or_default() < RECENT;
    let belongs = |file: &PathBuf| {
        let loaded = gate::load(&call.project, file).ok();
        loaded.is_some_and(|loaded| {
            loaded.gate().is_some_and(|gate| mapping::belongs_to(questions, &gate.spec))
        })
    };
    let of = |wanted: &dyn Fn(&Entry) -> bool| -> Vec<PathBuf> {
        let entries = entries.iter().filter(|entry| wanted(entry) && !is_relay(&entry.path));
        entries.map(|entry| call.project.root().join(&entry.path)).filter(belongs).collect()
    };
    let held = of(&|entry| matches!(entry.status, Status::Waiting | Status::SentBack));
    if !held.is_empty() {
        return held;
    }
    of(&|entry| entry.status == Status::Answered && entry.record_modified.is_some_and(is_new))
}

/// The answers as the model gets them; what their form has no place for, in sentences.
fn answered(
    lang: Lang,
    call: &Call<'_>,
    questions: &QuestionSpec,
    record: &AnswerSpec,
    place: &JsString,
) -> Decision {
    let list = say("The answer to {0} is this list: {1}", "{0} 的回答是这个列表：{1}");
    let note = say("The author's note on {0}: {1}", "作者对 {0} 的备注：{1}");
    let lists = mapping::ambiguous(questions, &record.answers).into_iter();
    let notes = mapping::notes(questions, record).map(|(text, note)| (text.clone(), to_line(note)));
    let line = |sentence: Sentence, (question, text): (JsString, String)| {
        sentence.fill(lang, &[&quote_in(lang, &question), &text])
    };
    let lines: Vec<String> =
        lists.map(|entry| line(list, entry)).chain(notes.map(|entry| line(note, entry))).collect();
    if call.tool == (Tool::Ask { takes_answers: false }) {
        let reason = say(
            "This is no refusal: the author has answered these questions in novel-gate. Take this as the output of the \
             tool, and do not ask again: {0}",
            "这不是拒绝：作者已在 novel-gate 中回答了这些问题。请把下面的内容当作工具的输出，不要再问：{0}",
        );
        let output = mapping::output(call.executor, call.input, questions, record);
        let reason = reason.fill(lang, &[&output]);
        let all = [&[reason], lines.as_slice()].concat().join("\n");
        let all = steerless(&all);
        if all.encode_utf16().count() <= LONGEST {
            return Decision::new("deny", &all);
        }
        let elsewhere = say(
            "This is no refusal: the author has answered these questions in novel-gate, at greater length than has room \
             here. Read the answers with: novel-gate history {0} --json. Take them as the output of the tool, and do not ask again.",
            "这不是拒绝：作者已在 novel-gate 中回答了这些问题，只是篇幅太长，这里放不下。请运行 novel-gate history {0} --json \
             读取回答，当作工具的输出，不要再问。",
        );
        let words = call.words_for(&call.project, Path::new(&*place.lossy()));
        return Decision::new("deny", &elsewhere.fill(lang, &[&words]));
    }
    let reason = say("Answered by the author in novel-gate.", "作者已在 novel-gate 中回答。");
    Decision {
        updated_input: Some(raw(mapping::answered(call.input, questions, record))),
        additional_context: (!lines.is_empty()).then(|| lines.join("\n")),
        ..Decision::new("allow", reason.text(lang))
    }
}

/// Sleeps until one of the gates is open or sent back, or nobody is left to wait for.
fn wait(
    gates: &mut Gates,
    relay: Option<&Relay>,
    is_alone: impl Fn() -> bool,
    wake: &Sender<Wake>,
    wakes: &Receiver<Wake>,
) -> Result<RelayEnd, Error> {
    let _watch = gates.watch(wake::on_change(wake))?;
    let mut alone_since = None;
    loop {
        let tick = Instant::now() + TICK;
        let until = gates.due().map_or(tick, |due| due.min(tick));
        let is_due = match wake::next(wakes, Some(until)) {
            Some(Wake::Signal(number)) => return Ok(RelayEnd::Signal(number)),
            Some(Wake::Closed) => return Ok(RelayEnd::Closed),
            Some(Wake::Store(event)) => gates.take(event),
            None => gates.due().is_some_and(|due| due <= Instant::now()),
        };
        let found = if is_due { gates.look() } else { Vec::new() };
        if let Some(place) = gates.targets.iter().position(|target| target.open) {
            return Ok(RelayEnd::Open(place));
        }
        let is_sent_back = |target: &AwaitedGate| {
            target.loaded.as_ref().is_some_and(|loaded| loaded.status() == Status::SentBack)
        };
        if let Some(place) = gates.targets.iter().position(is_sent_back) {
            return Ok(RelayEnd::SentBack(place));
        }
        let is_withdrawn =
            found.iter().any(|found| matches!(found, Finding::Malformed(_) | Finding::Lost(_)));
        if is_withdrawn || relay.is_some_and(|relay| !relay.is_there()) {
            return Ok(RelayEnd::Declined);
        }
        if !is_alone() {
            alone_since = None;
        } else if alone_since.get_or_insert_with(Instant::now).elapsed() >= AWAY {
            return Ok(RelayEnd::Away);
        }
    }
}

/// Warns why there is no answer; the call goes on without a decision.
fn unanswered(session: &mut Session<'_>, call: &Call<'_>, end: &RelayEnd) -> Verdict {
    let sentence = match end {
        RelayEnd::Signal(number) => return Verdict::Signal(*number),
        RelayEnd::Closed => return Verdict::None,
        RelayEnd::Away => say(
            "The console was closed; {0} asks itself. Unfinished answers are kept.",
            "控制台已关闭；由 {0} 自己提问。未完成的回答已保留。",
        ),
        RelayEnd::Declined | RelayEnd::Open(_) | RelayEnd::SentBack(_) => say(
            "The question was taken back in the project; {0} asks itself.",
            "项目中的提问已被撤下；由 {0} 自己提问。",
        ),
    };
    session.warn(&[sentence.fill(session.lang, &[call.executor.title()])]);
    Verdict::None
}
