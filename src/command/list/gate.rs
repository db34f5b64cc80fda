//! What is listed of each gate, and how many there are.

use crate::ask::JsString;
use crate::ask::draft::DraftProgress;
use crate::cli::{ListArgs, StatusName};
use crate::command::heard::Heard;
use crate::command::output::{Destination, Lost, Others, PacketPath, Past, STATES, StepFacts};
use crate::command::sent_back::{self, SentBackOutput};
use crate::command::{Session, lines};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::clock::rfc3339_millis;
use crate::store::drafts::Drafts;
use crate::store::entry::{Entry, Note};
use crate::store::hearing::{self, Hearing, HearingCache};
use crate::store::history::History;
use crate::store::older::{self, Older};
use crate::store::relay::is_orphaned;
use crate::store::scan::{PACKET_PATIENCE, RECORD_PATIENCE, Scanner};
use crate::store::{Project, Status};
use crate::text::{Lang, Sentence, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// Of the other packets in one place so many of each kind are named.
const NAMED: usize = 8;
/// So many lines of a reason are listed.
const REASON: usize = 2;

/// What is known of gates beside their files, by packet.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) drafts: HashMap<PathBuf, DraftProgress>,
    /// The questions whose answers nobody waits for.
    pub(super) orphaned: HashSet<PathBuf>,
    /// The gates whose records were there before them.
    pub(super) older: Older,
    /// Whether the answers have reached who does the steps.
    pub(super) hearings: HashMap<PathBuf, Hearing>,
    /// The gates whose records have approved what is another by now.
    pub(super) outdated: HashSet<PathBuf>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(in crate::command) struct Counts {
    /// Gates without a record.
    pub(super) waiting: usize,
    /// Gates with an invalid record.
    pub(super) blocked: usize,
    /// Packets that cannot be used.
    pub(super) malformed: usize,
    /// Packets that seem meant for a gate that the executor does not see (note: misspelt, misnamed): their steps may start without asking.
    pub(super) unseen: usize,
    /// Refused by the author; the executor is to bring another.
    pub(super) sent_back: usize,
    /// Gates with a valid record.
    pub(super) answered: usize,
    /// Whether something was not looked at: what cannot be read, a directory that is too deep, or too many files.
    pub(super) truncated: bool,
    /// Whether something is still being written; look again in a moment.
    pub(super) pending: bool,
}

/// One packet.
#[derive(Serialize, JsonSchema)]
pub(in crate::command) struct ListedGate {
    pub(super) packet: PacketPath,
    /// Its state.
    #[schemars(extend("enum" = STATES))]
    pub(super) status: &'static str,
    /// Answers of the author's that are kept and not submitted.
    pub(super) draft: Option<DraftProgress>,
    /// Whether nobody waits any more for the answers to this question of an executor's own.
    pub(super) orphaned: bool,
    /// Whether the record was there before the packet asked, as far as a console has seen it.
    pub(super) older: bool,
    #[serde(flatten)]
    pub(super) heard: Heard,
    #[serde(flatten)]
    pub(super) facts: Facts,
}

/// What is known of a gate besides its packet and its state.
#[derive(Serialize, JsonSchema)]
pub(super) struct Facts {
    /// Whether it has a gate; false only with --all, and where there is a note.
    pub(super) gate: bool,
    #[serde(flatten)]
    pub(super) step: StepFacts,
    #[serde(flatten)]
    pub(super) place: Destination,
    /// How many questions it asks.
    pub(super) questions: usize,
    /// How many violations there are.
    pub(super) problem_count: usize,
    /// The first of them in a sentence.
    pub(super) problem: Option<String>,
    pub(super) lost: Lost,
    /// Why it is listed though it has no gate; problem says more. misspelt: it seems meant for a gate, under other names or in another place, and the executor sees none; misnamed: its file has no name of a packet, and the executor finds none; copy: of
    /// a packet, made by a sync program, a file manager or an editor; checkpoint: the executor's checkpoint, which cannot be read.
    #[schemars(extend("enum" = ["misspelt", "misnamed", "copy", "checkpoint", null]))]
    pub(super) note: Option<&'static str>,
    /// How many other packets have their answers in the same place; of each kind that follows no more than eight are named.
    pub(super) other_packets: usize,
    #[serde(flatten)]
    pub(super) others: Others,
    pub(super) past: Past,
    /// Whether the packet or the record is still being written.
    pub(super) being_written: bool,
    /// When the packet was last written.
    #[schemars(extend("format" = "date-time"))]
    pub(super) modified: String,
    /// When the record's file was last written.
    #[schemars(extend("format" = "date-time"))]
    pub(super) record_modified: Option<String>,
    /// Who answered, if the record is valid.
    pub(super) answered_by: Option<JsString>,
    /// When, as the record says.
    #[schemars(extend("format" = "date-time"))]
    pub(super) answered_at: Option<JsString>,
    /// What the author gave in place of an answer; null if nothing, or if what was refused is another by now.
    pub(super) sent_back: Option<SentBackOutput>,
}

/// All packets, and how many there are in each state.
pub(in crate::command) fn look(
    session: &mut Session<'_>,
    project: &Arc<Project>,
) -> Result<(Vec<Arc<Entry>>, Counts), Error> {
    // A command cannot wait as long as a console for a file that is being written.
    let mut scanner = Scanner::new(Arc::clone(project)).patience(RECORD_PATIENCE);
    let start = session.clock.now();
    let mut outcome = scanner.look(start);
    while let Some(next) = outcome.next.filter(|next| outcome.pending && *next < start + PACKET_PATIENCE) {
        thread::sleep(next.duration_since(session.clock.now()).unwrap_or_default());
        outcome = scanner.look(session.clock.now().max(next));
    }
    if let Some(trouble) = scanner.trouble() {
        if scanner.knows_nothing() {
            return Err(Error::of(ExitCode::Failed, "unreadable", trouble.clone()));
        }
        session.warn(&[trouble.text(session.lang)]);
    }
    let all = scanner.entries();
    let counts = Counts::of(&all, scanner.is_cut(), outcome.pending);
    Ok((all, counts))
}

/// One gate, as `list --json` shows it.
pub(in crate::command) fn one(session: &Session<'_>, project: &Project, entry: &Arc<Entry>) -> ListedGate {
    ListedGate::of(entry, &Beside::of(session, project, std::slice::from_ref(entry)), session.lang)
}

impl Beside {
    /// A command that only reads does not fail if the drafts cannot be read.
    pub(super) fn of(session: &Session<'_>, project: &Project, entries: &[Arc<Entry>]) -> Beside {
        let state = session.state(project);
        let older = state.as_ref().map(|state| older::read(state, entries)).unwrap_or_default();
        let drafts = state.map(|state| Drafts::new(&state).progress(entries));
        let mut drafts = drafts.unwrap_or_default();
        let recorded = entries.iter().filter(|entry| entry.status == Status::Answered);
        let recorded: HashSet<&Path> = recorded.map(|entry| &*entry.path).collect();
        drafts.retain(|path, draft| draft.is_unsubmitted(recorded.contains(&**path)));
        let orphaned = entries.iter().filter(|entry| is_orphaned(project, &entry.path));
        let orphaned = orphaned.map(|entry| entry.path.to_path_buf()).collect();
        let mut cache = HearingCache::default();
        let hearings = cache.hearings(project, hearing::asked_after(entries));
        Beside { drafts, orphaned, older, hearings, outdated: cache.outdated() }
    }
}

/// Notes records that somebody else may have written. A command that only reads does not fail if the history does.
pub(in crate::command) fn note_seen(session: &Session<'_>, project: &Project, entries: &[Arc<Entry>]) {
    if let Ok(state) = session.state(project) {
        let history = History { project, state: &state, now: session.clock.now() };
        while state.tolerate(history.see_gates(entries)) == Some(true) {}
    }
}

pub(super) fn is_chosen(entry: &Entry, arguments: &ListArgs) -> bool {
    let name = match entry.status {
        Status::NoGate if !arguments.all && entry.note.is_none() => return false,
        Status::NoGate | Status::Answered => StatusName::Open,
        Status::Waiting => StatusName::Waiting,
        Status::Blocked => StatusName::Blocked,
        Status::SentBack => StatusName::SentBack,
        Status::Malformed => StatusName::Malformed,
    };
    arguments.status.is_empty() || arguments.status.contains(&name)
}

impl Counts {
    /// How many gates are in each state; packets that are one gate count once.
    pub(super) fn of(entries: &[Arc<Entry>], truncated: bool, pending: bool) -> Counts {
        let counted = || entries.iter().filter(|entry| !entry.is_repeated());
        let count = |status| counted().filter(|entry| entry.status == status).count();
        Counts {
            waiting: count(Status::Waiting),
            blocked: count(Status::Blocked),
            malformed: count(Status::Malformed),
            unseen: counted().filter(|entry| entry.is_unseen()).count(),
            sent_back: count(Status::SentBack),
            answered: count(Status::Answered),
            truncated,
            pending,
        }
    }

    pub(super) fn summary(&self, lang: Lang) -> String {
        let numbers =
            [self.waiting, self.blocked, self.malformed, self.answered].map(|number| number.to_string());
        let some = |count: usize, says: Sentence| match count {
            0 => String::new(),
            count => says.fill(lang, &[&count.to_string()]),
        };
        let rare = some(self.unseen, say(", {0} unseen by the executor", "，门控未生效 {0}"))
            + &some(self.sent_back, say(", {0} sent back", "，已退回 {0}"));
        say(
            "{0} waiting, {1} blocked, {2} malformed{4}, {3} answered.",
            "等待 {0}，受阻 {1}，指令包有误 {2}{4}，已回答 {3}。",
        )
        .fill(lang, &[&numbers[0], &numbers[1], &numbers[2], &numbers[3], &rare])
    }

    /// How many gates there are, and whether that is all.
    pub(in crate::command) fn sentences(&self, lang: Lang) -> Vec<String> {
        let unread = say(
            "Not everything was checked: something cannot be read, a directory is too deep, or there are too many files.",
            "没有全部检查：有内容无法读取，或目录过深，或文件过多。",
        );
        let unfinished = say(
            "Something is still being written; look again in a moment.",
            "还有文件正在写入，请稍后再看。",
        );
        let rest = [(self.truncated, unread), (self.pending, unfinished)];
        let rest = rest.into_iter().filter(|(holds, _)| *holds).map(|(_, says)| says.text(lang).to_owned());
        [self.summary(lang)].into_iter().chain(rest).collect()
    }
}

impl ListedGate {
    pub(super) fn of(entry: &Entry, beside: &Beside, lang: Lang) -> ListedGate {
        ListedGate {
            packet: PacketPath(entry.path.shown().into_owned()),
            status: entry.status.name(),
            draft: beside.drafts.get(&*entry.path).copied(),
            orphaned: beside.orphaned.contains(&*entry.path),
            older: beside.older.contains_key(&*entry.path),
            heard: Heard::of(beside.hearings.get(&*entry.path), beside.outdated.contains(&*entry.path)),
            facts: Facts::of(entry, lang),
        }
    }
}

impl Facts {
    pub(super) fn of(entry: &Entry, lang: Lang) -> Facts {
        let has_gate = entry.answer_path.is_some() && entry.status != Status::Malformed;
        Facts {
            gate: entry.status != Status::NoGate,
            step: StepFacts {
                step: entry.step.clone(),
                agent: entry.agent.clone(),
                caller: entry.caller.as_deref().cloned(),
                topic: entry.topic.clone(),
            },
            place: Destination::new(
                entry.answer_path.clone(),
                has_gate,
                has_gate && !entry.is_unattached,
                entry.refusal,
            ),
            questions: entry.questions,
            problem_count: entry.problems,
            problem: problem(entry, lang),
            lost: Lost::of(entry.loss.as_ref(), lang),
            note: entry.note.map(Into::into),
            other_packets: entry.other_count(),
            others: Others::of(entry.some_others(NAMED)),
            past: Past(entry.past),
            being_written: entry.being_written,
            modified: rfc3339_millis(entry.modified),
            record_modified: entry.record_modified.map(rfc3339_millis),
            answered_by: entry.answered_by.clone(),
            answered_at: entry.answered_at.clone(),
            sent_back: SentBackOutput::of_reply(entry.sent_back.as_deref()),
        }
    }
}

pub(super) fn problem(entry: &Entry, lang: Lang) -> Option<String> {
    entry.first_problem.as_ref().map(|problem| problem.sentence(lang))
}

/// State, step, topic and packet in columns, and beneath it what is wrong. The lines of many packets are not all held at once.
pub(super) fn table<'e>(
    entries: &'e [&Entry],
    beside: &'e Beside,
    now: &'e Zoned,
    lang: Lang,
) -> impl Iterator<Item = String> + use<'e> {
    let row = |entry: &&Entry| {
        let topic = entry.topic.as_ref().map(JsString::display).unwrap_or_default();
        [
            entry.note.map_or(entry.status.word(), Note::word).text(lang).to_owned(),
            lines::cell(&entry.title()),
            lines::cell(&topic),
        ]
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    entries.iter().zip(lines::columns(rows)).flat_map(move |(entry, mut line)| {
        line.push_str(&entry.path.shown());
        if let Some(caller) = &entry.caller {
            line.push_str(&say(" ({0})", "（{0}）").fill(lang, &[&caller.text(lang)]));
        }
        for note in notes(entry) {
            line.push_str(note.text(lang));
        }
        if let Some(draft) = beside.drafts.get(&*entry.path) {
            line.push_str(&draft_note(entry, draft, lang));
        }
        if beside.orphaned.contains(&*entry.path) {
            line.push_str(say(" (nobody waits for the answer)", "（已无人等待回答）").text(lang));
        }
        if beside.older.contains_key(&*entry.path) {
            line.push_str(say(" (older than the question)", "（早于问题）").text(lang));
        }
        if beside.hearings.get(&*entry.path).is_some_and(Hearing::is_untold) {
            line.push_str(lines::UNTOLD.text(lang));
        }
        let mut lines = vec![line];
        lines.extend(problem(entry, lang).map(|sentence| format!("  {sentence}")));
        lines.extend(Lost::of(entry.loss.as_ref(), lang).line());
        let reply = entry.sent_back.iter();
        let said = reply.flat_map(|reply| sent_back::lines(reply, &entry.path, REASON, now, lang));
        lines.extend(said.map(|line| format!("  {line}")));
        if beside.outdated.contains(&*entry.path) {
            lines.push(format!("  {}", sent_back::OUTDATED.text(lang)));
        }
        lines.extend(lines::others(&Others::of(entry.some_others(NAMED)), lang));
        let unnamed = entry.other_count() - entry.some_others(NAMED).count();
        if unnamed > 0 {
            let sentence = say("  {0} more have the same place.", "  另有 {0} 个位于同一位置。");
            lines.push(sentence.fill(lang, &[&unnamed.to_string()]));
        }
        lines.extend(entry.refusal.map(|refusal| format!("  {}", lines::unwritable(refusal, lang))));
        lines
    })
}

/// That there are answers that were not submitted, and how far they are.
pub(super) fn draft_note(entry: &Entry, draft: &DraftProgress, lang: Lang) -> String {
    let counts = [draft.answered.to_string(), draft.questions.to_string()];
    let says = if entry.status == Status::Answered {
        say(" (you have answers not submitted)", "（你有未提交的回答）")
    } else if draft.answered == 0 {
        say(" (draft)", "（草稿）")
    } else {
        say(" (draft {0}/{1})", "（草稿 {0}/{1}）")
    };
    says.fill(lang, &[&counts[0], &counts[1]])
}

pub(super) fn notes(entry: &Entry) -> impl Iterator<Item = Sentence> {
    let past = entry.past.then(|| say(" (the checkpoint has passed it)", "（检查点已越过）"));
    let writing = entry.being_written.then(|| say(" (being written)", "（正在写入）"));
    let is_unattached = entry.is_unattached && entry.answer_path.is_some();
    let unattached = is_unattached.then(|| say(" (to be attached)", "（待挂上）"));
    past.into_iter().chain(writing).chain(unattached)
}
