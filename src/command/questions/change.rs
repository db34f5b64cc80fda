//! `questions add`, `on`, `off`, `remove` and `set`.

use crate::ask::json::Json;
use crate::ask::splice::with_member;
use crate::ask::standing::{self, ENDING, OncePer, Pattern};
use crate::ask::{JsString, Problem, nearest, to_line};
use crate::cli::QuestionsArgs;
use crate::command::output::Head;
use crate::command::session::told;
use crate::command::{Session, input, lines};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::file::read_any;
use crate::store::history::History;
use crate::store::questions::{InLine, Questions, SETS, TEMPLATES, bring_in_line, path_of};
use crate::store::{LoadFault, Project};
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What came of a change to one question.
#[derive(Serialize, JsonSchema)]
pub(super) struct QuestionChanged {
    /// That of the file.
    name: String,
    /// The file, relative to the project's root.
    path: String,
    /// The entry of the history that has a removed file; history --restore puts it back.
    history: Option<String>,
    #[serde(flatten)]
    packets: Packets,
}

/// What came of putting a set into the book.
#[derive(Serialize, JsonSchema)]
pub(super) struct QuestionsSet {
    /// The name of the set.
    set: &'static str,
    /// Every question that was looked at.
    questions: Vec<SetQuestion>,
    #[serde(flatten)]
    packets: Packets,
}

/// A template, and what became of it.
#[derive(Serialize, JsonSchema)]
struct SetQuestion {
    /// That of the file.
    name: &'static str,
    /// added, on or off: this was done; kept: it is as the set has it; own: there is a question of the author's own by this name,
    /// or one that cannot be asked, which is left alone.
    #[schemars(extend("enum" = ["added", "on", "off", "kept", "own"]))]
    action: &'static str,
}

/// What follows at once.
#[derive(Serialize, JsonSchema)]
struct Packets {
    /// The packets that carry another gate now, or none any more.
    packets: Vec<String>,
    /// What is to be known beside that, in sentences.
    warnings: Vec<String>,
}

impl Packets {
    fn of(in_line: &InLine, session: &Session<'_>) -> Packets {
        let packets = in_line.packets.iter().map(|path| path.shown().into_owned()).collect();
        let warning = |(path, fault): &(PathBuf, Error)| {
            let parts = [&*path.shown(), &fault.text(session.lang)];
            say("{0}: {1}", "{0}：{1}").fill(session.lang, &parts)
        };
        Packets { packets, warnings: in_line.faults.iter().map(warning).collect() }
    }
}

/// Prints what came of it, and which packets follow.
fn print(session: &mut Session<'_>, head: Head, body: QuestionChanged) -> Result<ExitCode, Error> {
    let done = head.message.clone();
    let lines: Vec<String> = std::iter::once(done.clone()).chain(followed(&body.packets, session)).collect();
    let warnings = body.packets.warnings.clone();
    let exit = session.output(head, body, &lines).map_err(|error| told(error, &done))?;
    warn(session, warnings);
    Ok(exit)
}

fn followed(packets: &Packets, session: &Session<'_>) -> Option<String> {
    let all = packets.packets.join(session.lang.comma());
    let sentence = say("The gates of these packets have followed: {0}.", "这些指令包的门控已随之更新：{0}。");
    (!all.is_empty()).then(|| sentence.fill(session.lang, &[&all]))
}

fn warn(session: &mut Session<'_>, warnings: Vec<String>) {
    if !session.global.json {
        for warning in warnings {
            session.warn(&[warning]);
        }
    }
}

pub(super) fn add(
    session: &mut Session<'_>,
    project: &Arc<Project>,
    named: &Path,
    arguments: &QuestionsArgs,
) -> Result<ExitCode, Error> {
    let template = TEMPLATES.iter().find(|template| named.as_os_str() == template.name);
    let (name, bytes) = match template {
        Some(template) => (template.name.to_owned(), template.text(session.lang).as_bytes().to_vec()),
        None => file(session, named)?,
    };
    let bytes = arranged(bytes, arguments)?;
    let has_steps = Json::parse(&bytes).is_ok_and(|json| json.root().get("_steps").is_some());
    let questions = Questions::read(project);
    let mut problems = standing::read(&name, &bytes).problems;
    problems.extend(questions.no_room().filter(|_| questions.taken(&name).is_none()));
    if !has_steps && Json::parse(&bytes).is_ok() {
        let sentence = say(
            "{0} does not say before which steps to ask: give --steps, such as --steps 'chapter:*:draft'.",
            "{0} 没有写明在哪些步骤之前提问：请给出 --steps，例如 --steps 'chapter:*:draft'。",
        );
        return Err(Error::new(ExitCode::Usage, "no-steps", sentence, &[&named.shown()]).at("--steps"));
    }
    if !problems.is_empty() {
        return refuse(session, named, problems);
    }
    questions.put(project, &name, &bytes)?;
    let path = path_of(&name);
    let sentence = say("{0} is in the book; it is yours to change.", "{0} 已放入书中，可以随意修改。");
    let head = Head::new("added", ExitCode::Done, "added", sentence.fill(session.lang, &[&path]));
    let packets = Packets::of(&bring_in_line(project), session);
    print(session, head, QuestionChanged { name, path, history: None, packets })
}

/// The name and the bytes of a file of the author's.
fn file(session: &Session<'_>, named: &Path) -> Result<(String, Vec<u8>), Error> {
    let path = session.environment.cwd.join(named);
    let shown = named.shown();
    if path.symlink_metadata().is_err() && !shown.contains(['/', '.']) {
        let sentence = say("There is neither a template nor a file {0}.", "没有名为 {0} 的模板或文件。");
        let error = Error::new(ExitCode::Failed, "no-template", sentence, &[&shown]).at(&shown);
        let all = TEMPLATES.iter().map(|template| JsString::from(template.name));
        return Err(match nearest(&(&*shown).into(), all) {
            Some(at) => error.hint(say("Did you mean {0}?", "是否指 {0}？"), &[TEMPLATES[at].name]),
            None => error.hint(
                say(
                    "novel-gate questions templates lists the templates.",
                    "用 novel-gate questions templates 列出模板。",
                ),
                &[],
            ),
        });
    }
    let bytes = read_any(&path).map_err(|fault: LoadFault| input::unusable(named, fault))?;
    let name = path.file_name().unwrap_or_default().shown();
    let name = name.strip_suffix(ENDING).or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    Ok((name.to_owned(), bytes))
}

/// With what the command line says of steps and span in the place of what the file says; what is no JSON object stays.
fn arranged(bytes: Vec<u8>, arguments: &QuestionsArgs) -> Result<Vec<u8>, Error> {
    let is_wrong = |step: &&String| Pattern::parse(step).is_none_or(|pattern| pattern.is_of_reviews());
    if let Some(wrong) = arguments.steps.iter().find(is_wrong) {
        let sentence = say(
            "--steps takes patterns of the steps of novel-writer-cli, such as chapter:*:draft, and none of a review: {0} is none of these.",
            "--steps 应为 novel-writer-cli 的步骤的写法，例如 chapter:*:draft，不含复盘步骤；{0} 不可用。",
        );
        return Err(Error::new(ExitCode::Usage, "usage", sentence, &[wrong]).at("--steps"));
    }
    let once_per = arguments.once_per.as_ref().map(|text| match OncePer::parse(text) {
        Some(OncePer::Chapters(count)) => Ok(count.to_string()),
        Some(_) => Ok(to_line(text)),
        None => {
            let sentence = say(
                "--once-per takes step, chapter, volume, book, or a number of chapters: {0} is none of these.",
                "--once-per 应为 step、chapter、volume、book 或者章数；{0} 不可用。",
            );
            Err(Error::new(ExitCode::Usage, "usage", sentence, &[text]).at("--once-per"))
        }
    });
    let once_per = once_per.transpose()?;
    let steps = (!arguments.steps.is_empty()).then(|| to_line(&arguments.steps));
    let members = [("_once_per", once_per), ("_steps", steps)].into_iter();
    let said = members.filter_map(|(key, value)| Some((key, value?)));
    Ok(said.fold(bytes, |bytes, (key, value)| with_member(&bytes, key, Some(&value)).unwrap_or(bytes)))
}

/// Says everything that is wrong with what was to be added.
fn refuse(session: &mut Session<'_>, named: &Path, problems: Vec<Problem>) -> Result<ExitCode, Error> {
    if session.global.json {
        return input::Unusable::Broken("invalid_question", problems).print(session);
    }
    let sentence = say("{0} is not added; it is malformed:", "没有添加 {0}，其中有误：");
    let mut out = vec![sentence.fill(session.lang, &[&named.shown()])];
    out.extend(lines::problems(&problems, session.lang));
    session.warn(&out);
    Ok(ExitCode::Malformed)
}

pub(super) fn switch(
    session: &mut Session<'_>,
    project: &Arc<Project>,
    name: &str,
    is_on: bool,
) -> Result<ExitCode, Error> {
    let is_changed = Questions::read(project).switch(project, name, is_on)?;
    let mut packets = Packets::of(&bring_in_line(project), session);
    let path = path_of(name);
    let (status, sentence) = match (is_on, is_changed) {
        (true, true) => ("on", say("{0} is asked from now on.", "{0} 从现在起会提问。")),
        (true, false) => ("on", say("{0} is on already.", "{0} 本来就开着。")),
        (false, true) => (
            "off",
            say(
                "{0} is kept, and not asked any more; its answers stay.",
                "{0} 保留，但不再提问；已有的回答不变。",
            ),
        ),
        (false, false) => ("off", say("{0} is off already.", "{0} 本来就关着。")),
    };
    let code = if is_changed { "switched" } else { "unchanged" };
    if is_on && Questions::read(project).standing(name).is_none() {
        let sentence = say(
            "{0} has mistakes, so it is not asked: novel-gate lint {0}",
            "{0} 有误，所以不会提问：novel-gate lint {0}",
        );
        packets.warnings.push(sentence.fill(session.lang, &[&path]));
    }
    let head = Head::new(status, ExitCode::Done, code, sentence.fill(session.lang, &[name]));
    print(session, head, QuestionChanged { name: name.to_owned(), path, history: None, packets })
}

pub(super) fn remove(
    session: &mut Session<'_>,
    project: &Arc<Project>,
    name: &str,
) -> Result<ExitCode, Error> {
    let state = session.state(project)?;
    let history = History { project, state: &state, now: session.clock.now() };
    let (entry, in_line) = Questions::read(project).remove(&history, project, name)?;
    let (path, id) = (path_of(name), entry.id());
    let sentence = say(
        "{0} was moved to the history; its answers stay. novel-gate history --restore {1} puts it back.",
        "{0} 已移入历史；已有的回答不变。用 novel-gate history --restore {1} 可以放回。",
    );
    let head = Head::new("removed", ExitCode::Done, "removed", sentence.fill(session.lang, &[&path, &id]));
    let packets = Packets::of(&in_line, session);
    print(session, head, QuestionChanged { name: name.to_owned(), path, history: Some(id), packets })
}

pub(super) fn set(session: &mut Session<'_>, project: &Arc<Project>, name: &str) -> Result<ExitCode, Error> {
    let Some(set) = SETS.into_iter().find(|set| *set == name) else {
        let sentence = say(
            "There is no set {0}: light, steady or close.",
            "没有 {0} 这一套：可用 light、steady、close。",
        );
        return Err(Error::new(ExitCode::Usage, "usage", sentence, &[name]).at(name));
    };
    let questions = Questions::read(project);
    let mut done: Vec<SetQuestion> = Vec::new();
    let mut is_changed = false;
    for (template, action) in questions.plan(set) {
        questions.carry_out(project, (template, action), session.lang).map_err(|error| {
            let before: Vec<&str> =
                done.iter().filter(|one| !matches!(one.action, "kept" | "own")).map(|one| one.name).collect();
            match before.join(", ") {
                names if names.is_empty() => error,
                names => error.hint(say("Changed before that: {0}.", "在此之前已改动：{0}。"), &[&names]),
            }
        })?;
        is_changed |= action.changes();
        done.push(SetQuestion { name: template.name, action: action.into() });
    }
    let packets = Packets::of(&bring_in_line(project), session);
    let mut out: Vec<String> = done.iter().map(|one| one.line(session)).collect();
    let (code, sentence) = if is_changed {
        ("set", say("The book asks the set {0}.", "书中现在用 {0} 这一套。"))
    } else {
        ("unchanged", say("The book asks the set {0} already.", "书中本来就用 {0} 这一套。"))
    };
    let message = sentence.fill(session.lang, &[set]);
    out.push(message.clone());
    out.extend(followed(&packets, session));
    let warnings = packets.warnings.clone();
    let head = Head::new("set", ExitCode::Done, code, message.clone());
    let exit = session.output(head, QuestionsSet { set, questions: done, packets }, &out);
    let exit = exit.map_err(|error| told(error, &message))?;
    warn(session, warnings);
    Ok(exit)
}

impl SetQuestion {
    fn line(&self, session: &Session<'_>) -> String {
        let sentence = match self.action {
            "added" => say("{0}: added", "{0}：已添加"),
            "on" => say("{0}: on again", "{0}：已重新打开"),
            "off" => say("{0}: off; it is not in this set", "{0}：已关闭，不在这一套里"),
            "kept" => say("{0}: as it was", "{0}：保持原样"),
            _ => say("{0}: left alone; what is there is your own", "{0}：未动；那里是你自己的提问"),
        };
        sentence.fill(session.lang, &[self.name])
    }
}
