//! Before which steps a standing question is asked, and for how much of the book one answer holds.

use crate::ask::step::{CHAPTER, KINDS, STAGES, Step, chapter_number};
use crate::text::{Lang, say};
use std::fmt;

/// Where the records of standing questions lie, relative to the root.
pub const FOLDER: &str = "staging/novel-ask";
const RECORD: &str = ".answers.json";
/// So many chapters may share one answer.
pub(super) const MOST: u64 = 100_000;
/// Steps that never carry a gate.
pub const REVIEW: &str = "review";

/// Of step ids: as many parts as they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Any, if `None`.
    kind: Option<&'static str>,
    /// The first and the last chapter; nothing for ids without a number.
    chapters: Option<(u64, u64)>,
    stage: Option<&'static str>,
}

impl Pattern {
    /// `None` if no step of novel-writer-cli 0.5.0 has such an id.
    pub fn parse(text: &str) -> Option<Pattern> {
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            [CHAPTER | "*", number, stage] => {
                let stage = word(stage, STAGES)?;
                Some(Pattern { kind: Some(CHAPTER), chapters: Some(chapters(number)?), stage })
            }
            [kind, stage] => {
                let plain = || KINDS.into_iter().filter(|(kind, _)| *kind != CHAPTER);
                let kind = word(kind, plain().map(|(kind, _)| kind))?;
                let theirs = plain().filter(|(known, _)| kind.is_none_or(|kind| kind == *known));
                let stage = word(stage, theirs.flat_map(|(_, stages)| stages.iter().copied()))?;
                Some(Pattern { kind, chapters: None, stage })
            }
            _ => None,
        }
    }

    pub fn fits(&self, step: Step) -> bool {
        let fits_chapter = match (self.chapters, step.chapter) {
            (Some((first, last)), Some(chapter)) => (first..=last).contains(&chapter),
            (None, None) => true,
            _ => false,
        };
        fits_chapter
            && self.kind.is_none_or(|kind| kind == step.kind)
            && self.stage.is_none_or(|stage| stage == step.stage)
    }

    /// For people; what is one step by its id.
    pub fn text(&self, lang: Lang) -> String {
        let of = match (self.chapters, self.kind) {
            (Some((1, u64::MAX)), _) => say("every chapter", "每章").text(lang).to_owned(),
            (Some((first, last)), _) if first == last => Span::Chapter(first).text(lang),
            (Some((first, last)), _) => Span::Chapters(first, last).text(lang),
            (None, Some(_)) if self.stage.is_some() => return self.to_string(),
            (None, Some(kind)) => say("{0}", "{0} 阶段").fill(lang, &[kind]),
            (None, None) => say("all but chapters", "章节以外").text(lang).to_owned(),
        };
        let says = match self.stage {
            Some(_) => say("the {1} of {0}", "{0} {1}"),
            None => say("each step of {0}", "{0}的每一步"),
        };
        says.fill(lang, &[&of, self.stage.unwrap_or_default()])
    }

    /// Whether it is of chapters' steps.
    pub fn is_of_chapters(&self) -> bool {
        self.chapters.is_some()
    }

    /// Whether it is of steps that never carry a gate, and no others.
    pub fn is_of_reviews(&self) -> bool {
        self.kind == Some(REVIEW)
    }
}

/// As it is written.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind.unwrap_or("*"))?;
        match self.chapters {
            None => {}
            Some((1, u64::MAX)) => f.write_str("*:")?,
            Some((first, last)) if first == last => write!(f, "{first}:")?,
            Some((first, last)) => write!(f, "{first}-{last}:")?,
        }
        f.write_str(self.stage.unwrap_or("*"))
    }
}

/// One of these words, or any of them for `*`.
#[expect(clippy::option_option, reason = "no word, any word, this word")]
fn word(part: &str, words: impl IntoIterator<Item = &'static str>) -> Option<Option<&'static str>> {
    if part == "*" { Some(None) } else { words.into_iter().find(|known| *known == part).map(Some) }
}

/// `*`, `12` or `10-20`.
fn chapters(part: &str) -> Option<(u64, u64)> {
    if part == "*" {
        return Some((1, u64::MAX));
    }
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (chapter_number(first)?, chapter_number(last)?);
    (first <= last).then_some((first, last))
}

/// How often a question is asked; the more seldom, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OncePer {
    Step,
    Chapter,
    /// So many chapters, counted from the first.
    Chapters(u64),
    Volume,
    Book,
}

impl OncePer {
    /// The words that name one; a number is for so many chapters.
    pub const WORDS: [(&'static str, OncePer); 4] = [
        ("step", OncePer::Step),
        ("chapter", OncePer::Chapter),
        ("volume", OncePer::Volume),
        ("book", OncePer::Book),
    ];

    /// From one of the words, or a number.
    pub fn parse(text: &str) -> Option<OncePer> {
        let word = OncePer::WORDS.iter().find(|(word, _)| *word == text).map(|(_, found)| *found);
        word.or_else(|| chapter_number(text).filter(|number| *number <= MOST).map(OncePer::Chapters))
    }

    /// For people.
    pub fn text(self, lang: Lang) -> String {
        let sentence = match self {
            OncePer::Step => say("once for each step", "每一步问一次"),
            OncePer::Chapter => say("once for each chapter", "每章问一次"),
            OncePer::Volume => say("once for each volume", "每卷问一次"),
            OncePer::Book => say("once for the book", "全书问一次"),
            OncePer::Chapters(count) => {
                return say("once for every {0} chapters", "每 {0} 章问一次")
                    .fill(lang, &[&count.to_string()]);
            }
        };
        sentence.text(lang).to_owned()
    }

    /// The part of the book for which the answer before a step holds, while this volume is written. `None` for a step that is no
    /// chapter's where chapters are counted.
    pub fn span(self, step: Step, volume: u64) -> Option<Span> {
        Some(match self {
            OncePer::Step => Span::Step(step),
            OncePer::Chapter => Span::Chapter(step.chapter?),
            OncePer::Volume => Span::Volume(volume),
            OncePer::Book => Span::Book,
            OncePer::Chapters(count) => {
                let before = (step.chapter? - 1) / count * count;
                Span::Chapters(before + 1, before.saturating_add(count))
            }
        })
    }

    /// Whether it counts chapters.
    pub fn is_of_chapters(self) -> bool {
        matches!(self, OncePer::Chapter | OncePer::Chapters(_))
    }
}

impl fmt::Display for OncePer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OncePer::Chapters(count) => write!(f, "{count}"),
            other => f.write_str(
                OncePer::WORDS.iter().find(|(_, word)| word == other).map_or("", |(word, _)| word),
            ),
        }
    }
}

/// A part of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Step(Step),
    Chapter(u64),
    /// The first and the last.
    Chapters(u64, u64),
    Volume(u64),
    Book,
}

impl Span {
    /// Where the record of a question of this name lies, relative to the root.
    pub fn place(self, name: &str) -> String {
        format!("{FOLDER}/{name}-{self}{RECORD}")
    }

    /// For people.
    pub fn text(self, lang: Lang) -> String {
        let (sentence, parts) = match self {
            Span::Step(step) => return step.to_string(),
            Span::Chapter(chapter) => (say("chapter {0}", "第 {0} 章"), vec![chapter]),
            Span::Chapters(first, last) => (say("chapters {0}-{1}", "第 {0}-{1} 章"), vec![first, last]),
            Span::Volume(volume) => (say("volume {0}", "第 {0} 卷"), vec![volume]),
            Span::Book => (say("the whole book", "全书"), Vec::new()),
        };
        let parts: Vec<String> = parts.iter().map(u64::to_string).collect();
        sentence.fill(lang, &parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// From its name in the name of a record's file.
    pub fn parse(text: &str) -> Option<Span> {
        if text == "book" {
            return Some(Span::Book);
        }
        if let Some(step) = Step::parse(&text.replacen('-', ":", 1)) {
            return Some(Span::Step(step));
        }
        let (kind, rest) = text.split_once('-')?;
        match kind {
            "vol" => chapter_number(rest).map(Span::Volume),
            "chapters" => {
                let (first, last) = rest.split_once('-')?;
                Some(Span::Chapters(chapter_number(first)?, chapter_number(last)?))
            }
            CHAPTER => match rest.split_once('-') {
                None => chapter_number(rest).map(Span::Chapter),
                Some((number, stage)) => Step::parse(&format!("{CHAPTER}:{number}:{stage}")).map(Span::Step),
            },
            _ => None,
        }
    }
}

/// As in the name of a record's file.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Span::Step(step) => f.write_str(&step.to_string().replace(':', "-")),
            Span::Chapter(chapter) => write!(f, "chapter-{chapter:03}"),
            Span::Chapters(first, last) => write!(f, "chapters-{first:03}-{last:03}"),
            Span::Volume(volume) => write!(f, "vol-{volume:02}"),
            Span::Book => f.write_str("book"),
        }
    }
}

/// What the record at a path, relative to the root, holds for, if some record of a question of this name lies there.
pub fn span_at(name: &str, path: &str) -> Option<Span> {
    let rest = path.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_prefix(name)?.strip_prefix('-')?;
    Span::parse(rest.strip_suffix(RECORD)?)
}

/// Whether a path, relative to the root, is where some record of a question of this name lies.
pub fn is_place_of(name: &str, path: &str) -> bool {
    span_at(name, path).is_some()
}
