//! What a name on the command line means: a packet with its gate, a record and the packet that asks for it, another document,
//! any file, or, for `-`, standard input.

use super::Session;
use super::output::{Envelope, ErrorOutput};
use crate::adapter::document::DocumentKind;
use crate::ask::json::Json;
use crate::ask::step::{LAST_CHAPTER, Step};
use crate::ask::{Gate, JsString, Problem, QuestionSpec, decode_packet, decode_spec, looks_like_gate};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::file::{is_packet_name, too_large};
use crate::store::gate::{self, LoadFault, Loaded, Status, read_any};
use crate::store::history::{self, HistoryEntry, Search};
use crate::store::{Project, SIZE_LIMIT, StateDir, attach, locate, questions, record};
use crate::text::{Lang, Message, Sentence, encoding, say};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const UNREADABLE_INPUT: Sentence = say("Cannot read standard input.", "无法读取标准输入。");
pub(super) const INPUT_TWICE: Sentence =
    say("Standard input can be only one of them.", "标准输入只能用于其中一个。");

/// That the command was called wrongly.
pub(super) fn usage<E: From<Error>>(sentence: Sentence) -> E {
    Error::new(ExitCode::Usage, "usage", sentence, &[]).into()
}

pub(super) fn is_standard(name: &Path) -> bool {
    name.as_os_str() == "-"
}

/// All of a named file, pipes such as `<(…)` included, or of standard input; at most 64 MiB.
pub(super) fn read(session: &mut Session<'_>, name: &Path) -> Result<Vec<u8>, LoadFault> {
    if is_standard(name) { standard(session) } else { read_any(&session.environment.cwd.join(name)) }
}

/// All of standard input, at most 64 MiB.
pub(super) fn standard(session: &mut Session<'_>) -> Result<Vec<u8>, LoadFault> {
    let mut bytes = Vec::new();
    let read = session.streams.input.take(SIZE_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|cause| LoadFault::Unreadable(Error::io("unreadable", UNREADABLE_INPUT, &[], &cause)))?;
    let length = bytes.len() as u64;
    if length > SIZE_LIMIT {
        return Err(LoadFault::Malformed(vec![too_large(length)]));
    }
    Ok(bytes)
}

/// What an executor or an author says, without a byte order mark. It has to be UTF-8: what a pipe of a Chinese Windows hands on is often
/// GBK, and what PowerShell writes is UTF-16.
pub(super) fn in_utf8(name: &Path, mut bytes: Vec<u8>) -> Result<String, Error> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    let bytes = match String::from_utf8(bytes) {
        // UTF-16 without a mark may look like UTF-8, but for these.
        Ok(text) if !text.contains('\0') => return Ok(text),
        Ok(text) => text.into_bytes(),
        Err(fault) => fault.into_bytes(),
    };
    let encoding = encoding::decode(&bytes).map(|(_, encoding)| encoding);
    let sentence = match encoding {
        Some(_) => say("The input {0} is in {1}, not in UTF-8.", "输入 {0} 的编码是 {1}，不是 UTF-8。"),
        None if bytes.contains(&0) => {
            say("The input {0} is no text: it holds a NUL character.", "输入 {0} 不是文本：其中有 NUL 字符。")
        }
        None => say("The input {0} is not UTF-8.", "输入 {0} 不是 UTF-8。"),
    };
    let hint = say(
        "Write it as UTF-8; what is short can be said on the command line.",
        "请以 UTF-8 写入；简短的内容可以直接写在命令行上。",
    );
    let parts = [&*name.shown(), encoding.unwrap_or_default()];
    Err(Error::new(ExitCode::Usage, "not-utf8", sentence, &parts).hint(hint, &[]))
}

/// An input that cannot be used, for commands that have no place for problems.
pub(super) fn unusable(name: &Path, fault: LoadFault) -> Error {
    let problems = match fault {
        LoadFault::Unreadable(error) => return Error { code: "unreadable", ..error },
        LoadFault::Malformed(problems) => problems,
    };
    let sentence = say("Cannot read {0}. {1}", "无法读取 {0}。{1}");
    let message = Message::in_both(|lang| sentence.fill(lang, &[&name.shown(), &first(&problems, lang)]));
    Error::of(ExitCode::Failed, "unreadable", message)
}

pub(super) fn first(problems: &[Problem], lang: Lang) -> String {
    problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default()
}

/// A file and what it is.
pub(super) struct Source {
    /// Its path, absolute; none for standard input.
    pub(super) path: Option<PathBuf>,
    /// The project around it, if there is one.
    pub(super) project: Option<Arc<Project>>,
    pub(super) bytes: Vec<u8>,
}

/// The step that a name is the id of.
pub(super) fn step_of(name: &Path) -> Result<Step, Error> {
    let step = name.to_str().and_then(Step::parse);
    if let Some(step) = step.filter(|step| step.chapter > Some(LAST_CHAPTER)) {
        let sentence = say(
            "{0} is beyond chapter {1}, the last that novel-writer-cli can count.",
            "{0} 超出了第 {1} 章，novel-writer-cli 最多只能数到那里。",
        );
        let step = step.to_string();
        return Err(
            Error::new(ExitCode::Usage, "no-step", sentence, &[&step, &LAST_CHAPTER.to_string()]).at(&step)
        );
    }
    step.ok_or_else(|| {
        let sentence = say(
            "{0} is no step of novel-writer-cli; give an id such as chapter:048:draft or volume:outline.",
            "{0} 不是 novel-writer-cli 的步骤；请给出步骤 id，例如 chapter:048:draft 或 volume:outline。",
        );
        let name = name.shown();
        Error::new(ExitCode::Usage, "no-step", sentence, &[&name]).at(&name)
    })
}

/// Has a packet of the project carry the standing question that is to be asked. Where that is not possible, it counts as that packet.
pub(super) fn attach(session: &mut Session<'_>, name: &Path) -> Result<(), Error> {
    let Ok(project) = session.project() else { return Ok(()) };
    if is_standard(name) {
        return Ok(());
    }
    let path = session.packet(&project, name)?;
    if let Err(error) = attach::attach(&project, &path) {
        session.warn(&[error.text(session.lang)]);
    }
    Ok(())
}

/// Questions, and where their record goes if they come from a packet.
pub(super) struct Questions {
    pub(super) spec: Arc<QuestionSpec>,
    pub(super) answer_path: Option<JsString>,
}

/// Why nothing can be asked.
pub(super) enum Unusable {
    Error(Error),
    /// The input breaks rules: the code for programs, and all that is wrong.
    Broken(&'static str, Vec<Problem>),
}

impl Source {
    /// Reads a file by its name; `-` is standard input. A project is needed only where `--project` names one.
    pub(super) fn open(session: &mut Session<'_>, name: &Path) -> Result<Source, Error> {
        let project = match session.project() {
            Ok(project) => Some(Arc::new(project)),
            Err(error) if session.global.project.is_some() => return Err(error),
            Err(_) => None,
        };
        if is_standard(name) {
            let bytes = standard(session).map_err(|fault| unusable(name, fault))?;
            return Ok(Source { path: None, project, bytes });
        }
        let path = match &project {
            Some(project) => session.packet(project, name)?,
            None => session.environment.cwd.join(name),
        };
        let bytes = gate::read_file(&path).map_err(|fault| fault.error())?;
        let to_be = project.as_ref().and_then(|project| attach::as_to_be(project, &path));
        let bytes = to_be.unwrap_or(bytes);
        Ok(Source { path: Some(path), project, bytes })
    }

    /// What it is; a packet, if it is nothing else.
    pub(super) fn kind(&self) -> DocumentKind {
        let json = Json::parse(&self.bytes).ok();
        json.and_then(|json| DocumentKind::of(json.root())).unwrap_or(DocumentKind::Packet)
    }

    /// The questions of a packet or a bare spec.
    pub(super) fn questions(&self) -> Result<Questions, Unusable> {
        if self.kind() == DocumentKind::QuestionSpec {
            let spec = decode_spec(&self.bytes).map_err(|found| Unusable::Broken("invalid_spec", found))?;
            return Ok(Questions { spec: Arc::new(spec), answer_path: None });
        }
        let packet = decode_packet(&self.bytes).map_err(|found| Unusable::Broken("invalid_packet", found))?;
        let Some(gate) = packet.gate else { return Err(record::no_gate_in(&packet).into()) };
        Ok(Questions { spec: gate.spec, answer_path: Some(gate.answer_path) })
    }
}

impl From<Error> for Unusable {
    fn from(error: Error) -> Unusable {
        Unusable::Error(error)
    }
}

impl Unusable {
    pub(super) fn print(self, session: &mut Session<'_>) -> Result<ExitCode, Error> {
        let (code, problems) = match self {
            Unusable::Error(error) => return Err(error),
            Unusable::Broken(code, problems) => (code, problems),
        };
        let message = Message::in_both(|lang| first(&problems, lang));
        let error = Error::of(ExitCode::Malformed, code, message);
        let at = problems.first().map(|problem| problem.pointer.as_str().into());
        let Envelope { head, body } = ErrorOutput::of(&Error { at, ..error }, Some(&problems), session.lang);
        session.json(head, body)
    }
}

pub(super) struct NamedPacket {
    pub(super) path: PathBuf,
    /// For people and programs: relative to the root.
    pub(super) shown: String,
    /// What it holds, or why it is malformed.
    pub(super) loaded: Result<Loaded, Vec<Problem>>,
}

impl NamedPacket {
    pub(super) fn load(
        session: &mut Session<'_>,
        project: &Project,
        name: &Path,
    ) -> Result<NamedPacket, Error> {
        let path = session.packet(project, name)?;
        if let Some(message) = names_record(project, &path) {
            session.warn(&[message.text(session.lang)]);
        }
        NamedPacket::load_at(project, path)
    }

    pub(super) fn load_at(project: &Project, path: PathBuf) -> Result<NamedPacket, Error> {
        let shown = project.relative(&path).shown().into_owned();
        let loaded = match gate::load(project, &path) {
            Ok(loaded) => Ok(loaded),
            Err(LoadFault::Malformed(problems)) => Err(problems),
            Err(LoadFault::Unreadable(error)) => return Err(error),
        };
        Ok(NamedPacket { path, shown, loaded })
    }

    pub(super) fn loaded(&self) -> Option<&Loaded> {
        self.loaded.as_ref().ok()
    }

    pub(super) fn gate(&self) -> Option<&Gate> {
        self.loaded().and_then(Loaded::gate)
    }

    pub(super) fn status(&self) -> Status {
        self.loaded().map_or(Status::Malformed, Loaded::status)
    }

    pub(super) fn is_unseen(&self) -> bool {
        self.loaded().is_some_and(Loaded::is_unseen)
    }

    /// What is wrong with the packet, or else with its record.
    pub(super) fn problems(&self) -> &[Problem] {
        self.loaded.as_ref().map_or_else(Vec::as_slice, Loaded::problems)
    }
}

/// What is wrong where a record was named instead of its packet; it would be judged as a packet that asks nothing.
pub(super) fn names_record(project: &Project, path: &Path) -> Option<Message> {
    if is_packet_name(path) {
        return None;
    }
    let Some(packet) = locate::packet_asking_for(project, path) else { return names_answer(project, path) };
    let sentence = say(
        "{0} is the record of a gate, not its packet. Name the packet: {1}.",
        "{0} 是门控的记录，不是指令包。请改用指令包：{1}。",
    );
    let names = [path, &packet].map(|path| project.relative(path).shown().into_owned());
    Some(Message::new(sentence, &[&names[0], &names[1]]))
}

/// The same where it is the answer to a standing question, whose gate no packet carries now.
fn names_answer(project: &Project, path: &Path) -> Option<Message> {
    let place = project.relative(path).shown();
    let name = questions::Questions::read(project).owner(&place)?.name.clone();
    let sentence = say(
        "{0} is an answer to the standing question {1}, not a packet. Name the step or its packet.",
        "{0} 是对常设提问 {1} 的回答，不是指令包。请写步骤或它的指令包。",
    );
    Some(Message::new(sentence, &[&place, &name]))
}

/// What the name of a packet or of a record leads to.
pub(super) enum Resolved {
    /// A packet that carries a gate.
    Gate(Box<Loaded>),
    /// A file that is no packet, and that no packet asks for.
    File(PathBuf),
    /// Nothing has this name; the history may know it.
    Missing(Error),
}

impl Resolved {
    /// A packet that cannot be used or carries no gate is an error.
    pub(super) fn of(session: &Session<'_>, project: &Project, name: &Path) -> Result<Resolved, Error> {
        let packet = match session.packet(project, name) {
            // A record that is gone is known by the packet that asks for it.
            Err(error) => {
                match below(session, project, name).find_map(|at| locate::packet_asking_for(project, &at)) {
                    Some(packet) => packet,
                    None => return Ok(Resolved::Missing(error)),
                }
            }
            Ok(found) => {
                let is_packet = gate::read_file(&found).is_ok_and(|bytes| looks_like_gate(&bytes));
                if is_packet && is_packet_name(&found) {
                    found
                } else if let Some(packet) = locate::packet_asking_for(project, &found) {
                    // Whatever lies in a record's place is the record, even a copy of a packet.
                    packet
                } else if is_packet {
                    found
                } else {
                    return Ok(Resolved::File(found));
                }
            }
        };
        let loaded = gate::load(project, &packet).map_err(|fault| fault.error())?;
        if loaded.gate().is_none() {
            return Err(record::no_gate_in(&loaded.packet));
        }
        Ok(Resolved::Gate(Box::new(loaded)))
    }
}

/// What the history knows by the name of something that is gone.
pub(super) enum Gone {
    /// A record, by its path.
    Record(JsString),
    /// The records of a step, by its id; the newest first.
    Step(JsString, Vec<HistoryEntry>),
}

impl Gone {
    pub(super) fn find(
        session: &Session<'_>,
        project: &Project,
        state: &StateDir,
        name: &Path,
    ) -> Option<Gone> {
        let spelled = JsString::from(name.to_str()?);
        let paths = below(session, project, name).filter_map(|path| history::answer_path_of(project, &path));
        // The record's directory may be gone too; then only its spelling is left.
        if let Some(path) = paths.chain([spelled.clone()]).find(|path| is_known(state, path)) {
            return Some(Gone::Record(path));
        }
        let of_step = Search { step: Some(spelled.clone()), ..Search::default() };
        let entries: Vec<_> = state
            .tolerate(history::search(state, &of_step))?
            .entries(state)
            .filter_map(|entry| state.tolerate(entry))
            .collect();
        (!entries.is_empty()).then_some(Gone::Step(spelled, entries))
    }
}

/// Whether the history has entries of the record at this path.
pub(super) fn is_known(state: &StateDir, answer_path: &JsString) -> bool {
    state.tolerate(history::entries(state, answer_path)).is_some_and(|entries| !entries.is_empty())
}

/// Where a file of this name may be: below the current directory or the root.
pub(super) fn below(session: &Session<'_>, project: &Project, name: &Path) -> impl Iterator<Item = PathBuf> {
    [session.environment.cwd.join(name), project.root().join(name)].into_iter()
}
