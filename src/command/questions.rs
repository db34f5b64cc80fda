//! `questions`: what the author is asked before which steps of the whole book.

use super::input::usage;
use super::output::{Head, Output, ProblemOutput, form};
use super::{Session, lines};
use crate::ask::JsString;
use crate::ask::standing::{Pattern, Standing};
use crate::cli::{QuestionsAction, QuestionsArgs};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::Project;
use crate::store::questions::{
    QuestionFile, Questions, TEMPLATES, Template, Upcoming, last_answered, place_in_packet, upcoming,
};
use crate::text::{Lang, plural, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

mod change;
mod preview;

pub(super) const OUTPUT: Output = Output::new(
    "questions-output",
    "What questions --json prints: the standing questions of the book; or with an action what came of it.",
    &[
        form::<QuestionsOutput>(&["ok"], &[0], &["questions"]),
        form::<QuestionTemplates>(&["ok"], &[0], &["templates"]),
        form::<change::QuestionChanged>(
            &["added", "on", "off", "removed"],
            &[0],
            &["added", "switched", "unchanged", "removed"],
        ),
        form::<change::QuestionsSet>(&["set"], &[0], &["set", "unchanged"]),
        form::<preview::QuestionsPreview>(&["preview"], &[0], &["preview", "passed", "own-gate"]),
    ],
);

/// The standing questions of the book.
#[derive(Serialize, JsonSchema)]
struct QuestionsOutput {
    /// The files, in the order in which they are asked.
    questions: Vec<ListedQuestion>,
    /// What the steps to come will ask, in the order of the book: ten chapters from the one that is written next.
    upcoming: Vec<UpcomingQuestion>,
    /// Whether they ask more than is listed.
    more_steps: bool,
}

/// A question of a step to come; later steps that share its answer are not listed.
#[derive(Serialize, JsonSchema)]
struct UpcomingQuestion {
    /// The step that asks it.
    step: String,
    /// That of its file.
    name: String,
    /// What it is about.
    topic: JsString,
    /// What the answer holds for, such as chapter-048, vol-02 or book.
    span: String,
    /// The same in words.
    holds_for: String,
    /// Whether there is a valid record.
    decided: bool,
    /// There is a record that is not valid.
    blocked: bool,
    /// Whether answer --ahead takes an answer before the step has a packet; not that of a verdict.
    ahead: bool,
}

/// A file in `questions/`.
#[derive(Serialize, JsonSchema)]
struct ListedQuestion {
    /// That of its file; null for what is no file of a question.
    name: Option<String>,
    /// The file, relative to the project's root.
    path: String,
    /// Whether it is asked: it is on, and nothing is wrong with it.
    asked: bool,
    /// Whether it is on; null if it cannot be asked at all.
    enabled: Option<bool>,
    /// What it is about.
    topic: Option<JsString>,
    /// Why one wants to be asked this.
    why: Option<JsString>,
    /// The steps before which it is asked, as patterns.
    steps: Vec<String>,
    /// How often: step, chapter, volume, book, or a number of chapters.
    once_per: Option<String>,
    /// The steps whose agents are told the answer, as patterns; null for the step itself, or all steps for which the answer holds.
    tell: Option<Vec<String>>,
    /// When it was answered last, as the record says.
    last_answered: Option<JsString>,
    /// What is wrong with the file.
    problems: Vec<ProblemOutput>,
}

/// What can be put into a book.
#[derive(Serialize, JsonSchema)]
struct QuestionTemplates {
    /// The templates.
    templates: Vec<ListedTemplate>,
}

/// A question that can be put into a book.
#[derive(Serialize, JsonSchema)]
struct ListedTemplate {
    /// What questions add takes.
    name: &'static str,
    /// What it is about.
    topic: JsString,
    /// Why one wants to be asked this.
    why: Option<JsString>,
    /// The steps before which it is asked, as patterns.
    steps: Vec<String>,
    /// How often: step, chapter, volume, book, or a number of chapters.
    once_per: String,
    /// The sets that have it.
    sets: &'static [&'static str],
    /// Whether the book has a question of its name.
    in_book: bool,
}

pub fn run(session: &mut Session<'_>, arguments: &QuestionsArgs) -> Result<ExitCode, Error> {
    use QuestionsAction::{Add, Off, On, Preview, Remove, Set, Templates};
    if arguments.action != Some(Add) && (arguments.once_per.is_some() || !arguments.steps.is_empty()) {
        return Err(usage(say(
            "--steps and --once-per are for questions add.",
            "--steps 和 --once-per 只用于 questions add。",
        )));
    }
    let project = Arc::new(session.project()?);
    let (action, named) = match (arguments.action, &arguments.name) {
        (None, _) => return list(session, &project, &Questions::read(&project)),
        (Some(Templates), None) => return templates(session, &Questions::read(&project)),
        (Some(Templates), Some(_)) => {
            return Err(usage(say("questions templates takes no NAME.", "questions templates 不带 NAME。")));
        }
        (Some(_), None) => {
            return Err(usage(say(
                "The NAME is missing: see novel-gate questions --help.",
                "缺少 NAME：见 novel-gate questions --help。",
            )));
        }
        (Some(action), Some(name)) => (action, name),
    };
    let name = &*named.shown();
    match action {
        Add => change::add(session, &project, named, arguments),
        On | Off => change::switch(session, &project, name, action == On),
        Remove => change::remove(session, &project, name),
        Set => change::set(session, &project, name),
        Preview | Templates => preview::run(session, &project, name),
    }
}

fn list(session: &mut Session<'_>, project: &Project, questions: &Questions) -> Result<ExitCode, Error> {
    let lang = session.lang;
    session.warn_of_checkpoint(project);
    let last = last_answered(project, questions);
    let listed: Vec<ListedQuestion> =
        questions.files.iter().map(|file| ListedQuestion::of(file, last.get(&file.name), lang)).collect();
    let asked = listed.iter().filter(|file| file.asked).count();
    let message = match (listed.len(), asked) {
        (0, _) => say(
            "No standing questions. To begin with: novel-gate questions set light",
            "还没有常设提问。可以这样开始：novel-gate questions set light",
        )
        .text(lang)
        .to_owned(),
        (count, asked) => say("{0}, {1} of them asked.", "{2} 个文件，其中 {1} 个会提问。")
            .fill(lang, &[&plural(count, "file", "files"), &asked.to_string(), &count.to_string()]),
    };
    let mut out: Vec<String> =
        questions.files.iter().zip(&listed).flat_map(|(file, listed)| listed.lines(file, lang)).collect();
    let (upcoming, more_steps) = upcoming(project, questions, |packet| place_in_packet(project, packet));
    let upcoming: Vec<_> = upcoming.iter().map(|one| UpcomingQuestion::of(one, lang)).collect();
    if !upcoming.is_empty() {
        out.push(say("Steps to come:", "接下来的步骤：").text(lang).to_owned());
        out.extend(upcoming.iter().map(|one| one.line(lang)));
    }
    if more_steps {
        let more = say(
            "  They ask more; these are the first {0}. Of any step: novel-gate questions preview STEP",
            "  还会问更多；这里只列前 {0} 项。查看任一步骤：novel-gate questions preview STEP",
        );
        out.push(more.fill(lang, &[&upcoming.len().to_string()]));
    }
    out.push(message.clone());
    session.output(
        Head::ok("questions", message),
        QuestionsOutput { questions: listed, upcoming, more_steps },
        &out,
    )
}

impl UpcomingQuestion {
    fn of(one: &Upcoming, lang: Lang) -> UpcomingQuestion {
        UpcomingQuestion {
            step: one.step.to_string(),
            name: one.name.clone(),
            topic: one.topic.clone(),
            span: one.span.to_string(),
            holds_for: one.span.text(lang),
            decided: one.is_decided,
            blocked: one.is_blocked,
            ahead: !one.is_verdict,
        }
    }

    fn line(&self, lang: Lang) -> String {
        let state = match (self.decided, self.ahead) {
            _ if self.blocked => say("the record there is not valid", "那里的记录无效"),
            (true, _) => say("decided", "已决定"),
            (false, true) => say("not decided yet", "还没有决定"),
            (false, false) => say("asked when it is there", "到时再问"),
        };
        let parts = [&*self.step, &self.name, &self.holds_for, state.text(lang)];
        say("  {0}: {1}, for {2}: {3}", "  {0}：{1}，{2}：{3}").fill(lang, &parts)
    }
}

impl ListedQuestion {
    fn of(file: &QuestionFile, last: Option<&JsString>, lang: Lang) -> ListedQuestion {
        let standing = file.standing.as_ref();
        let rules = standing.map(|standing| &standing.rules);
        ListedQuestion {
            name: Some(file.name.clone()).filter(|name| !name.is_empty()),
            path: file.path.shown().into_owned(),
            asked: rules.is_some_and(|rules| rules.is_enabled),
            enabled: rules.map(|rules| rules.is_enabled),
            topic: standing.map(|standing| standing.spec.topic.clone()),
            why: rules.and_then(|rules| rules.why.clone()),
            steps: rules.map(|rules| spelled(&rules.steps)).unwrap_or_default(),
            once_per: rules.map(|rules| rules.once_per.to_string()),
            tell: rules.and_then(|rules| rules.tell.as_deref().map(spelled)),
            last_answered: last.cloned(),
            problems: file.problems.iter().map(|problem| ProblemOutput::of(problem, lang)).collect(),
        }
    }

    fn lines(&self, file: &QuestionFile, lang: Lang) -> Vec<String> {
        let state = match self.enabled {
            Some(true) => say("on", "开"),
            Some(false) => say("off", "关"),
            None => say("not asked", "不会提问"),
        };
        let name = self.name.as_deref().unwrap_or(&self.path);
        let mut out = vec![say("{0} ({1})", "{0}（{1}）").fill(lang, &[name, state.text(lang)])];
        if let Some(standing) = &file.standing {
            out.extend(said(standing, lang));
            out.push(say("  told: {0}", "  告诉：{0}").fill(lang, &[&standing.rules.told(lang)]));
        }
        let last = self.last_answered.as_ref().map(|at| at.display());
        out.extend(last.map(|at| say("  last answered: {0}", "  上次回答：{0}").fill(lang, &[&at])));
        out.push(format!("  {}", self.path));
        out.extend(lines::problems(&file.problems, lang));
        out
    }
}

/// What a question is about, when it is asked and why: a line each.
fn said(standing: &Standing, lang: Lang) -> impl Iterator<Item = String> {
    let rules = &standing.rules;
    let parts = [&*standing.spec.topic.display(), &rules.once_per.text(lang), &rules.before(lang)];
    let when = say("  {0}: {1}, before {2}", "  {0}：{1}，步骤之前：{2}").fill(lang, &parts);
    let why = rules.why.as_ref().map(|why| format!("  {}", why.display()));
    [Some(when), why].into_iter().flatten()
}

fn spelled(patterns: &[Pattern]) -> Vec<String> {
    patterns.iter().map(Pattern::to_string).collect()
}

fn templates(session: &mut Session<'_>, questions: &Questions) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let all = TEMPLATES.iter().filter_map(|template| Some((template, template.standing(lang)?)));
    let all: Vec<(&Template, Standing)> = all.collect();
    let mut out = Vec::new();
    let mut listed = Vec::new();
    for (template, standing) in &all {
        let in_book = questions.taken(template.name).is_some();
        let sets = match template.sets.join(lang.comma()) {
            sets if sets.is_empty() => String::new(),
            sets => say(" in {0}", "，属于 {0}").fill(lang, &[&sets]),
        };
        let there = if in_book { say(" (in the book)", "（书中已有）").text(lang) } else { "" };
        out.push(format!("{}{sets}{there}", template.name));
        out.extend(said(standing, lang));
        listed.push(ListedTemplate {
            name: template.name,
            topic: standing.spec.topic.clone(),
            why: standing.rules.why.clone(),
            steps: spelled(&standing.rules.steps),
            once_per: standing.rules.once_per.to_string(),
            sets: template.sets,
            in_book,
        });
    }
    let message = say(
        "Put one in: novel-gate questions add NAME. A set of them: novel-gate questions set light|steady|close.",
        "添加一个：novel-gate questions add NAME。添加一套：novel-gate questions set light|steady|close。",
    );
    out.push(message.text(lang).to_owned());
    session.output(Head::ok("templates", message.text(lang)), QuestionTemplates { templates: listed }, &out)
}
