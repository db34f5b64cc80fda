//! A gate as it lies on the disk: its packet, and the record there, or the one that was there before.

use crate::ask::cause::{Cause, causes};
use crate::ask::compare::Value;
use crate::ask::standing::Span;
use crate::ask::{
    AnswerSpec, Diagnosis, Draft, Gate, JsString, Packet, Problem, Question, QuestionSpec, Recorded, Reply,
    SIGNATURE, check_record, is_another_document, recorded_answers, repair_draft,
};
use crate::console::files::Files;
use crate::console::sentences as s;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::attach::Asked;
use crate::store::clock::{local_time, local_time_of};
use crate::store::file::LoadFault;
use crate::store::gate::{Loaded, spec_hash};
use crate::store::history;
use crate::store::record::RecordState;
use crate::store::reply::{self, Seen};
use crate::store::rounds::SentBack;
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct LoadedGate {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    pub packet: Arc<Packet>,
    /// What it asks, by [`QuestionSpec::fingerprint`].
    pub asked: u64,
    pub refusal: Option<Message>,
    /// The standing question that it is of.
    pub standing: Option<Box<Asked>>,
    /// What the author gave last in place of an answer, and whether what he refused is as it was.
    pub sent_back: Option<Box<SentBack>>,
    pub is_sent_back: bool,
    /// What else the author had before him.
    pub seen: Seen,
}

#[derive(Clone, Debug)]
pub struct GateNow {
    pub gate: LoadedGate,
    pub record: RecordNow,
}

#[derive(Clone, Debug)]
pub enum RecordNow {
    Absent,
    /// Nothing that could be read as a file: what it is.
    Odd(Message),
    /// What it says.
    There(Box<Before>),
}

/// The answers of another record: of the one that lies there, or of the one that was removed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Before {
    pub given: Vec<Option<Value>>,
    /// All of its text, where it may say more.
    pub unread: Option<String>,
    /// Those that are still valid; the author can choose them instead of the own ones.
    pub good: Draft,
    pub present: Option<Present>,
}

/// The record that lies there, and that the author's replaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Present {
    /// Hash of the bytes that were shown; no other record is ever replaced.
    pub seen: String,
    /// Who answered first, and when; `None` of a bad record, which the form repairs.
    pub by: Option<Message>,
    /// What is wrong with a bad one.
    pub diagnosis: Diagnosis,
    /// Whether it is plainly another document; then the author must confirm.
    pub foreign: bool,
}

const DELETED_BY_HAND: Sentence = say(
    "The record is gone. Its last known answers ({0}, {1}) are filled in; nothing is written until you submit.",
    "记录已不在。已填入最后已知的回答（{0}，{2}），提交前不会写入。",
);

const UNREAD: Sentence =
    say("something that cannot be read with certainty: {0}", "有内容，但无法确切读出：{0}");

impl LoadedGate {
    pub(crate) fn new(path: &Path, loaded: Loaded) -> LoadedGate {
        LoadedGate {
            path: path.to_path_buf(),
            asked: loaded.gate().map(|gate| gate.spec.fingerprint()).unwrap_or_default(),
            refusal: loaded.refusal.map(|refusal| Message::from(refusal.sentence())),
            standing: loaded.asked.map(Box::new),
            sent_back: None,
            is_sent_back: loaded.sent_back.is_some(),
            seen: Seen::default(),
            packet: Arc::new(loaded.packet),
        }
    }

    /// What the step is called, uncleaned.
    pub fn title(&self) -> String {
        match &self.packet.step {
            Some(step) => step.display().into_owned(),
            None => self.path.shown().into_owned(),
        }
    }

    /// What it is about: the topic, and for how much of the book the answer holds if that is more than the step.
    pub fn topic(&self, lang: Lang) -> String {
        let topic = self.spec().topic.display();
        match self.standing.as_deref() {
            Some(Asked { span, .. }) if !matches!(span, Span::Step(_)) => {
                say("{0} ({1})", "{0}（{1}）").fill(lang, &[&topic, &span.text(lang)])
            }
            Some(_) | None => {
                let caller = self.packet.caller.iter().map(|caller| caller.text(lang));
                std::iter::once(topic.into_owned()).chain(caller).collect::<Vec<_>>().join(" · ")
            }
        }
    }

    /// What the packet asks; nothing if it carries no gate.
    pub fn spec(&self) -> &QuestionSpec {
        static NO_QUESTIONS: QuestionSpec =
            QuestionSpec { version: 1.0, topic: JsString::EMPTY, questions: Vec::new() };
        self.packet.gate.as_ref().map_or(&NO_QUESTIONS, |gate| &gate.spec)
    }

    /// What a submission says that was answered.
    pub fn spec_hash(&self) -> String {
        spec_hash(self.spec())
    }

    pub fn answer_path(&self) -> Option<&JsString> {
        self.packet.gate.as_ref().map(|gate| &gate.answer_path)
    }
}

impl Before {
    fn of(gate: &Gate, bytes: &[u8], diagnosis: &Diagnosis) -> Before {
        let good = repair_draft(&gate.spec, bytes, diagnosis);
        let Recorded { given, unread } = recorded_answers(&gate.spec, bytes);
        Before { given, unread, good, present: None }
    }

    /// Whether an answer of it is in the draft.
    pub(super) fn fills(&self, spec: &QuestionSpec) -> bool {
        let pairs = spec.questions.iter().zip(&self.good.replies).enumerate();
        pairs
            .into_iter()
            .any(|(at, (question, reply))| self.given(at).is_some() && reply.answer(question).is_some())
    }

    /// Whether it is a valid record, and there.
    pub fn is_valid(&self) -> bool {
        self.present.as_ref().is_some_and(|there| there.by.is_some())
    }

    pub fn given(&self, at: usize) -> Option<&Value> {
        self.given.get(at)?.as_ref()
    }

    /// What it is called, and what it says to the question at this place; at most so many words of a list.
    pub(crate) fn named(&self, at: usize, words: usize, lang: Lang) -> (Sentence, String) {
        let label = match &self.present {
            None => s::BEFORE,
            Some(Present { by: None, .. }) => say("in the bad record", "无效记录中"),
            Some(_) => say("theirs", "对方"),
        };
        let said = match (self.given(at), &self.unread) {
            (Some(given), _) => given.beginning(words, lang),
            (None, Some(text)) => UNREAD.fill(lang, &[text]),
            (None, None) => s::NOT_ANSWERED.text(lang).to_owned(),
        };
        (label, said)
    }

    pub fn is_as_before(&self, at: usize, question: &Question, reply: &Reply) -> bool {
        let is_known = self.given(at).is_some() || self.unread.is_none();
        is_known && self.given(at).cloned() == reply.answer(question).as_ref().map(Value::from)
    }
}

impl Files {
    /// Looks at a gate; where there is none that can be used, the sentence says why.
    pub(crate) fn gate_now(&self, path: &Path, says: fn(&LoadFault) -> Message) -> Result<GateNow, Message> {
        let loaded = self.load(path).map_err(|fault| says(&fault))?;
        let Some(gate) = loaded.gate() else { return Err(Message::from(s::ASKS_NOTHING)) };
        let record = match &loaded.record.state {
            RecordState::Absent => RecordNow::Absent,
            _ if let Some(odd) = s::odd(&loaded.record) => RecordNow::Odd(odd),
            RecordState::Valid(_) | RecordState::Invalid(_) => {
                let (bytes, problems) = (&loaded.record.bytes, loaded.problems());
                let by = loaded.record.valid().map(|record| self.signed(record));
                let causes = if by.is_some() { Vec::new() } else { self.causes(gate, bytes, problems) };
                let diagnosis = Diagnosis::of(&gate.spec, bytes, problems, causes);
                let before = Before::of(gate, bytes, &diagnosis);
                let (seen, foreign) = (loaded.record.sha256(), by.is_none() && is_another_document(bytes));
                let present = Some(Present { seen, by, diagnosis, foreign });
                RecordNow::There(Box::new(Before { present, ..before }))
            }
        };
        let sent_back =
            reply::last_of(&self.project, &loaded.path, &gate.answer_path).map(|last| Box::new(last.sent));
        let seen = reply::seen(&self.project, &loaded.path, &loaded.packet);
        Ok(GateNow { gate: LoadedGate { sent_back, seen, ..LoadedGate::new(path, loaded) }, record })
    }

    fn signed(&self, record: &AnswerSpec) -> Message {
        let (by, at, now) =
            (record.answered_by.display(), record.answered_at.display(), self.clock.local_now());
        let at = [Lang::En, Lang::ZhCn].map(|lang| local_time_of(&at, &now, lang));
        let says = match &*by {
            SIGNATURE => say("{1}", "{2}"),
            _ => say("{0}, {1}", "{0}，{2}"),
        };
        Message::new(says, &[&by, &at[0], &at[1]])
    }

    /// What happened to a bad record, as far as the questions of the time show.
    pub(crate) fn causes(&self, gate: &Gate, bytes: &[u8], problems: &[Problem]) -> Vec<Cause> {
        let then = history::asked_for(&self.state, &gate.answer_path, bytes);
        causes(bytes, problems, &gate.spec, then.as_ref())
    }

    /// What the last record of a gate said, from the history; nothing if none was ever seen. After a redo the author knows;
    /// when somebody else removed the record, a sentence says so. A history that cannot be read is no reason not to answer.
    pub(super) fn last_record(&self, gate: &Gate) -> Option<(Before, Option<Message>)> {
        let entries = self.state.tolerate(history::entries(&self.state, &gate.answer_path))?;
        let last = entries.iter().rfind(|entry| !entry.is_refusal())?;
        let bytes = self.state.tolerate(last.bytes())?;
        let problems = check_record(&gate.spec, &bytes).err().unwrap_or_default();
        let by = last.answered_by.as_ref().map(|by| by.display().into_owned()).unwrap_or_default();
        let now = self.clock.local_now();
        let at = [Lang::En, Lang::ZhCn].map(|lang| local_time(last.time(), &now, lang));
        let says = (!last.reason.is_removal()).then(|| Message::new(DELETED_BY_HAND, &[&by, &at[0], &at[1]]));
        let diagnosis = Diagnosis::of(&gate.spec, &bytes, &problems, Vec::new());
        Some((Before::of(gate, &bytes, &diagnosis), says))
    }
}
