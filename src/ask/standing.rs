//! Standing questions: what an author has said once that he wants to decide, and before which steps.
//!
//! A file is a `QuestionSpec` as novel-writer-cli reads it; what is ours are members that begin with `_`, which it passes over.

use super::decode::decode_spec;
use super::js_string::JsString;
use super::json::{Item, Json, Kind};
use super::problem::{Pointer, Problem, ProblemCode, Problems, quote, quoted, shorten};
use super::question::QuestionSpec;
use super::reader::{Reader, wrong};
use super::step::{KINDS, Step};
use super::syntax::{SyntaxError, SyntaxKind};
use crate::text::encoding::decode;
use crate::text::{Lang, Message, say};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

mod proposing;
mod span;
mod verdict;

pub use proposing::Proposing;
pub use span::{FOLDER, OncePer, Pattern, REVIEW, Span, is_place_of, span_at};

/// How the file of a standing question ends.
pub const ENDING: &str = ".question.json";
/// So many characters a name may have.
pub const LONGEST: usize = 64;
/// The members that are ours.
pub const KEYS: [&str; 5] = ["_steps", "_once_per", "_tell", "_enabled", "_why"];

/// When a question is asked, and of what its answer is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    pub steps: Vec<Pattern>,
    pub once_per: OncePer,
    /// The steps whose agents are told; `None` for the step itself, or all steps of a wider span.
    pub tell: Option<Vec<Pattern>>,
    pub is_enabled: bool,
    /// A sentence for the author.
    pub why: Option<JsString>,
}

impl Rules {
    /// The steps before which it is asked, for people.
    pub fn before(&self, lang: Lang) -> String {
        named(&self.steps, lang)
    }

    /// Who is told the answer.
    pub fn told(&self, lang: Lang) -> String {
        match (&self.tell, self.once_per) {
            (Some(tell), _) => named(tell, lang),
            (None, OncePer::Step) => say("the agent of the step", "这一步的代理").text(lang).to_owned(),
            (None, _) => say("the agents of all steps for which it holds", "回答适用的所有步骤的代理")
                .text(lang)
                .to_owned(),
        }
    }
}

fn named(patterns: &[Pattern], lang: Lang) -> String {
    patterns.iter().map(|pattern| pattern.text(lang)).collect::<Vec<_>>().join(lang.comma())
}

/// A file that asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// That of its file, without the ending.
    pub name: String,
    pub rules: Rules,
    pub spec: Arc<QuestionSpec>,
    /// The members of the spec, as the file spells them; a verdict's options as they are to be asked.
    pub members: Vec<(&'static str, String)>,
    /// The questions to which the executor proposes options.
    pub proposing: Vec<Proposing>,
}

/// What is in a file: a question, if it can be asked, and all that is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Read {
    pub standing: Option<Standing>,
    pub problems: Vec<Problem>,
}

/// Reads a file by the name of its question. A member that begins with `_` and is not known, or in a question nearly one of ours, is
/// a problem, and keeps nothing from being asked; every other problem does.
pub fn read(name: &str, bytes: &[u8]) -> Read {
    // What such bytes ask nobody can read, though their marks are those of JSON.
    if let Some((_, encoding)) = decode(bytes) {
        let error = SyntaxError { line: 1, column: 1, kind: SyntaxKind::Encoding(encoding) };
        return Read { standing: None, problems: vec![error.into()] };
    }
    let json = match Json::parse(bytes) {
        Ok(json) => json,
        Err(error) => return Read { standing: None, problems: vec![error.into()] },
    };
    let mut problems = Problems::default();
    let rules = rules(json.root(), &mut problems);
    if !is_name(name) {
        problems.push(&Pointer::ROOT, || bad_name(name));
    }
    let spec = decode_spec(bytes).map_err(|found| problems.extend(found)).ok();
    let questions = spec.is_some().then(|| verdict::attached(json.root(), &mut problems)).flatten();
    let proposing = spec.iter().flat_map(|_| proposing::read(json.root(), &mut problems)).collect();
    let is_sound = problems.is_empty();
    if json.root().kind() == Kind::Object
        && let Some(mut root) = Reader::new(json.root(), &Pointer::ROOT, &mut problems)
    {
        root.ours(&KEYS);
        verdict::slips(json.root(), &mut problems);
    }
    let member = |key| Some((key, json.root().get(key)?.source().to_owned()));
    let mut members: Vec<_> = ["version", "topic", "questions"].into_iter().filter_map(member).collect();
    let mut spec = spec;
    if let Some(questions) = questions {
        members.truncate(2);
        members.push(("questions", questions));
        spec = decode_spec(&as_object(&members)).ok();
    }
    let standing = rules.zip(spec).filter(|_| is_sound);
    let standing = standing.map(|(rules, spec)| Standing {
        name: name.to_owned(),
        rules,
        spec: Arc::new(spec),
        members,
        proposing,
    });
    Read { standing, problems: problems.into_list() }
}

pub(super) fn as_object(members: &[(&'static str, String)]) -> Vec<u8> {
    let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
    format!("{{{}}}", members.join(", ")).into_bytes()
}

/// Whether a file may be half of one.
pub fn is_torn(bytes: &[u8]) -> bool {
    Json::parse(bytes).is_err()
}

fn rules(root: Item<'_>, problems: &mut Problems) -> Option<Rules> {
    // That it is no object is said by the spec's own rules.
    if root.kind() != Kind::Object {
        return None;
    }
    let mut root = Reader::new(root, &Pointer::ROOT, problems)?;
    let once_per = root.get("_once_per").map_or(Some(OncePer::Step), |item| once_per(item, &mut root));
    let steps = root.list("_steps", |item, at, problems| {
        let found = pattern(item, at, problems)?;
        if found.is_of_reviews() {
            problems.push(at, || no_review(item));
        } else if once_per.is_some_and(OncePer::is_of_chapters) && !found.is_of_chapters() {
            problems.push(at, || no_chapter(item));
        } else {
            return Some(found);
        }
        None
    });
    let tell = root.get("_tell").map(|_| root.list("_tell", pattern));
    let is_enabled = root.get("_enabled").is_none_or(|_| root.boolean("_enabled").unwrap_or_default());
    let why = root.get("_why").and_then(|_| root.words("_why"));
    Some(Rules { steps, once_per: once_per?, tell, is_enabled, why })
}

fn pattern(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<Pattern> {
    let found = item.string().and_then(|text| Pattern::parse(text.as_str()?));
    if found.is_none() {
        let expected = say(
            "a pattern of the steps of novel-writer-cli, such as chapter:*:draft, chapter:10-20:commit, volume:outline or quickstart:*",
            "novel-writer-cli 的步骤的写法，例如 chapter:*:draft、chapter:10-20:commit、volume:outline 或 quickstart:*",
        );
        problems.push(at, || wrong(expected, Some(item)));
    }
    found
}

fn no_review(item: Item<'_>) -> Problem {
    let expected = say(
        "another step: novel-writer-cli takes no gate before a step of a review",
        "别的步骤：novel-writer-cli 不接受复盘步骤前的门控",
    );
    Problem::new(ProblemCode::Other, quoted(&shorten(item.source())), expected)
}

fn no_chapter(item: Item<'_>) -> Problem {
    let expected = say(
        "a chapter's step such as chapter:*:draft, for _once_per counts chapters; or another _once_per",
        "章节的步骤，例如 chapter:*:draft，因为 _once_per 按章计；或者换一种 _once_per",
    );
    Problem::new(ProblemCode::Other, quoted(&shorten(item.source())), expected)
}

fn once_per(item: Item<'_>, root: &mut Reader<'_, '_>) -> Option<OncePer> {
    let word = OncePer::WORDS.iter().find(|(word, _)| item.is_string(word)).map(|(_, found)| *found);
    // However it is spelled: 1e1 is 10.
    let number = item.number().and_then(|number| OncePer::parse(&number.to_string()));
    let found = word.or(number);
    if found.is_none() {
        let expected = say(
            "step, chapter, volume, book, or a number of chapters",
            "step、chapter、volume、book，或者章数",
        );
        root.report("_once_per", || wrong(expected, Some(item)));
    }
    found
}

/// Whether a question may have this name.
pub fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (1..=LONGEST).contains(&name.chars().count())
        && name.chars().all(is_plain)
        && !name.starts_with('.')
        && !name.ends_with('.')
}

/// What two names have in common that are one on some disks.
pub fn folded(name: &str) -> String {
    name.nfkc().collect::<String>().to_lowercase()
}

fn bad_name(name: &str) -> Problem {
    let expected = say(
        "a name of 1 to 64 letters, digits, _, - and ., without a dot at either end, before .question.json",
        "在 .question.json 之前，用 1 到 64 个字母、汉字、数字、_、- 或 . 起名，首尾不用点",
    );
    Problem::new(ProblemCode::Other, quoted(&quote(&name.into())), expected)
}

/// The problem of a file whose name is another file's, but for the case of its letters.
pub fn same_name(other: &str) -> Problem {
    let found = Message::new(say("the name of {0}", "与 {0} 同名"), &[other]);
    let expected = say(
        "a name of its own, for both would have one place for their answers",
        "单独的名字，否则两者的回答会落在同一处",
    );
    Problem::new(ProblemCode::Duplicate, found, expected)
}

impl Standing {
    /// Whether it is asked before a step, if it is on.
    pub fn is_for(&self, step: Step) -> bool {
        step.kind != REVIEW && self.rules.steps.iter().any(|pattern| pattern.fits(step))
    }

    /// For what the answer before this step holds; `None` if it is not for this step.
    pub fn span(&self, step: Step, volume: u64) -> Option<Span> {
        self.rules.once_per.span(step, volume).filter(|_| self.is_for(step))
    }

    /// The spans whose answers the agent of a step is told, while this volume is written.
    pub fn told(&self, step: Step, volume: u64) -> Vec<Span> {
        if self.rules.once_per != OncePer::Step {
            let is_told =
                self.rules.tell.as_ref().is_none_or(|tell| tell.iter().any(|pattern| pattern.fits(step)));
            let span = self.rules.once_per.span(step, volume);
            return span.filter(|_| is_told || self.is_for(step)).into_iter().collect();
        }
        let is_told = self.rules.tell.iter().flatten().any(|pattern| pattern.fits(step));
        let beside = KINDS.into_iter().filter(|(kind, _)| *kind == step.kind && is_told);
        let beside = beside.flat_map(|(_, stages)| stages.iter().map(|stage| Step { stage, ..step }));
        let steps = beside.chain(Some(step).filter(|_| !is_told));
        steps.filter(|step| self.is_for(*step)).map(Span::Step).collect()
    }
}

#[cfg(test)]
mod tests;
