//! A broken rule: where it is broken, what stands there, what should, what to do, and which legal value was probably meant.
//!
//! Each rule makes its problems beside the check. They keep the file's characters: clean them before drawing.

use super::js_string::{JsString, escape_json};
use crate::text::{Lang, Message, Sentence, say};

/// A broken rule in a packet, a record or another document. It is small whatever the file holds: what it quotes is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer (RFC 6901) of the value; empty for the whole document.
    pub pointer: String,
    pub code: ProblemCode,
    pub found: Message,
    pub expected: Message,
    /// What to do, where there is more to say than to make it as expected.
    pub hint: Option<Message>,
    /// What the author calls the question or option that it is in, if that is known.
    pub subject: Option<JsString>,
    /// The line and column that its words name.
    pub position: Option<(usize, usize)>,
}

/// Which rule is broken, where the program asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemCode {
    Syntax,
    NotAFile,
    /// The file is larger than 64 MiB.
    TooLarge,
    Unreadable,
    /// The path leads out of the project through a link.
    OutsideProject,
    /// A value that says nothing, or is missing, where something must stand.
    Blank,
    /// A value of the wrong type or form.
    WrongForm,
    UnknownField,
    RepeatedKey,
    /// An id, label or entry that appears twice.
    Duplicate,
    NotAnOption,
    NotSnakeCase,
    VersionDiffers,
    TopicDiffers,
    NotDateTime,
    /// An answer to a question that is not asked.
    UnknownQuestion,
    /// A question that must be answered and is not.
    Unanswered,
    /// A part of a gate under another name.
    Misspelt,
    /// The same in another place.
    Misplaced,
    /// The packet is inside another value.
    Wrapped,
    /// Characters that cannot be known any more.
    Lost,
    Other,
}

impl Problem {
    /// A problem of the whole document.
    pub fn new(code: ProblemCode, found: impl Into<Message>, expected: impl Into<Message>) -> Problem {
        let (found, expected) = (found.into(), expected.into());
        Problem { pointer: String::new(), code, found, expected, hint: None, subject: None, position: None }
    }

    #[must_use]
    pub fn at(self, pointer: impl Into<String>) -> Problem {
        Problem { pointer: pointer.into(), ..self }
    }

    #[must_use]
    pub fn with_hint(self, hint: impl Into<Message>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }

    /// The same with what was probably meant, if that is known.
    #[must_use]
    pub fn with_nearest(self, nearest: Option<String>) -> Problem {
        let hint = nearest.map(|text| quoting_parts(say("Nearest: {0}", "最接近的是：{0}"), &[&text]));
        Problem { hint, ..self }
    }

    /// Whether the pointer's last key itself is wrong, not the value behind it.
    pub fn is_about_key(&self) -> bool {
        use ProblemCode as P;
        match self.code {
            P::UnknownField
            | P::RepeatedKey
            | P::UnknownQuestion
            | P::Misspelt
            | P::Misplaced
            | P::Wrapped => true,
            P::NotSnakeCase => self.pointer.starts_with("/answers/"),
            _ => false,
        }
    }

    /// The whole sentence: place, found, expected, hint.
    pub fn sentence(&self, lang: Lang) -> String {
        self.fill(say("{0}: found {1}; expected {2}.", "{0}：{1}，应为{2}。"), lang)
    }

    /// The place as an author counts: which question, which option, and the name of the member; the pointer, if it has no such
    /// place.
    pub fn place(&self, lang: Lang) -> String {
        let mut steps = self.pointer.split('/').skip(1).peekable();
        let mut named = Vec::new();
        let mut last = None;
        while let Some(step) = steps.next() {
            let place = steps.peek().and_then(|next| next.parse::<usize>().ok());
            let Some((sentence, place)) = counted(step).zip(place) else {
                last = Some(step);
                continue;
            };
            steps.next();
            last = None;
            named.push(sentence.fill(lang, &[&(place + 1).to_string()]));
        }
        if named.is_empty() {
            return self.pointer.clone();
        }
        let mut out = named.join(say(", ", "").text(lang));
        if let Some(subject) = &self.subject {
            out.push_str(if lang == Lang::En { " " } else { "" });
            out.push_str(&quote_in(lang, subject));
        }
        if let Some(member) = last {
            out.push_str(&say(", {0}", "的 {0}").fill(lang, &[&unescape(member)]));
        }
        out
    }

    /// The same for authors: instead of the pointer the name that the place has, if it has one.
    pub fn plain(&self, lang: Lang) -> String {
        let named = |key: &&str| !key.is_empty() && key.parse::<usize>().is_err();
        let Some(name) = self.pointer.rsplit('/').find(named) else {
            return self.fill(say("Found {1}; expected {2}.", "{1}，应为{2}。"), lang);
        };
        Problem { pointer: unescape(name), ..self.clone() }.sentence(lang)
    }

    /// A sentence about place, found and expected, and the hint behind it.
    pub(crate) fn fill(&self, sentence: Sentence, lang: Lang) -> String {
        let place = match (self.place(lang), &*self.pointer) {
            (_, "") => "/".to_owned(),
            (place, pointer) if place == pointer => place,
            (place, pointer) => say("{0} ({1})", "{0}（{1}）").fill(lang, &[&place, pointer]),
        };
        let mut expected = self.expected.text(lang);
        if lang == Lang::ZhCn && expected.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            expected.insert(0, ' ');
        }
        let mut out = sentence.fill(lang, &[&place, &self.found.text(lang), &expected]);
        if let Some(hint) = &self.hint {
            out.push_str(if lang == Lang::En { " " } else { "" });
            out.push_str(&hint.text(lang));
        }
        out
    }
}

/// How a sentence counts the elements of a list with this name.
fn counted(list: &str) -> Option<Sentence> {
    Some(match list {
        "questions" => say("question {0}", "第 {0} 题"),
        "options" => say("option {0}", "第 {0} 个选项"),
        "default" => say("default {0}", "第 {0} 个默认值"),
        "steps" => say("step {0}", "第 {0} 步"),
        _ => return None,
    })
}

const QUOTE_LIMIT: usize = 80;

/// A string as JSON spells it, shortened for a sentence.
pub fn quote(text: &JsString) -> String {
    let shown = text.head(QUOTE_LIMIT);
    let mut out = String::from("\"");
    escape_json(&shown.display(), &mut out);
    out.push_str(if shown.len() < text.len() { "…\"" } else { "\"" });
    out
}

/// The same in the quotation marks of the language.
pub fn quote_in(lang: Lang, text: &JsString) -> String {
    in_marks(lang, &quote(text))
}

/// A part of a sentence; if it stands in quotation marks, in those of the language.
pub(crate) fn in_marks(lang: Lang, part: &str) -> String {
    let inside = part.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.filter(|_| lang == Lang::ZhCn).map_or_else(|| part.to_owned(), |inside| format!("“{inside}”"))
}

/// A sentence with parts in its gaps, quoted ones in the quotation marks of the language.
pub fn quoting_parts(sentence: Sentence, parts: &[&str]) -> Message {
    Message::in_both(|lang| {
        let parts: Vec<String> = parts.iter().map(|part| in_marks(lang, part)).collect();
        sentence.fill(lang, &parts.iter().map(String::as_str).collect::<Vec<_>>())
    })
}

/// A text of the document, or the beginning of its JSON.
pub fn quoted(text: &str) -> Message {
    quoting_parts(say("{0}", "{0}"), &[text])
}

/// A piece of source text, shortened for a sentence.
pub fn shorten(source: &str) -> String {
    match source.char_indices().nth(QUOTE_LIMIT) {
        Some((cut, _)) => format!("{}…", &source[..cut]),
        None => source.to_owned(),
    }
}

/// A sentence with a text of the document in its gap.
pub fn quoting(sentence: Sentence, text: &JsString) -> Message {
    quoting_parts(sentence, &[&quote(text)])
}

/// A text of the document that appears twice.
pub fn twice(text: &JsString) -> Message {
    quoting(say("{0} twice", "{0}出现了两次"), text)
}

/// The words of which one must stand here, spelled as a sentence spells them.
pub fn one_of(words: &[&str]) -> Message {
    match words {
        [only] => Message::new(say("only {0}", "{0}"), &[only]),
        _ => Message::new(say("one of: {0}", "{1} 之一"), &[&words.join(", "), &words.join("、")]),
    }
}

/// The problems of one document, as they are found. Their number and cost are bounded: a hostile file of 64 MiB can hold
/// tens of millions of mistakes.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    count: usize,
}

impl Problems {
    /// How many problems of one document are kept.
    pub(crate) const LIMIT: usize = 1_000;
    /// How many of them come with the nearest legal value, which is costly to find.
    const HINTS: usize = 50;

    /// A problem at a place, which is only made if it is kept.
    pub(crate) fn push(&mut self, at: &Pointer<'_>, problem: impl FnOnce() -> Problem) {
        self.push_with(at, |_| problem());
    }

    /// The same, where `problem` learns whether to look for the nearest legal value.
    pub(crate) fn push_with(&mut self, at: &Pointer<'_>, problem: impl FnOnce(bool) -> Problem) {
        self.count += 1;
        if self.list.len() < Self::LIMIT {
            let problem = problem(self.list.len() < Self::HINTS);
            self.list.push(problem.at(at.text()));
        }
    }

    pub(crate) fn extend(&mut self, found: Vec<Problem>) {
        self.count += found.len();
        let room = Self::LIMIT.saturating_sub(self.list.len());
        self.list.extend(found.into_iter().take(room));
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Those that were kept, in the order in which they were found.
    pub(crate) fn into_list(self) -> Vec<Problem> {
        self.list
    }
}

/// Longest key that a pointer spells out, in characters.
const KEY_LIMIT: usize = 200;

/// Where a value stands in its document: a chain of steps from the root, which costs nothing until there is something to
/// point at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer<'p> {
    above: Option<&'p Pointer<'p>>,
    segment: Segment<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'p> {
    Root,
    Key(&'p str),
    Name(&'p JsString),
    Index(usize),
}

impl<'p> Pointer<'p> {
    pub(crate) const ROOT: Pointer<'static> = Pointer { above: None, segment: Segment::Root };

    /// A member, by a key of the format or a legal id.
    pub(crate) fn key(&'p self, key: &'p str) -> Pointer<'p> {
        Pointer { above: Some(self), segment: Segment::Key(key) }
    }

    pub(crate) fn name(&'p self, name: &'p JsString) -> Pointer<'p> {
        Pointer { above: Some(self), segment: Segment::Name(name) }
    }

    pub(crate) fn index(&'p self, index: usize) -> Pointer<'p> {
        Pointer { above: Some(self), segment: Segment::Index(index) }
    }

    /// As text; empty for the whole document. Overlong keys are cut.
    pub(crate) fn text(&self) -> String {
        let mut out = self.above.map(Pointer::text).unwrap_or_default();
        match self.segment {
            Segment::Root => {}
            Segment::Key(key) => out.extend(["/", &escape(&key.into())]),
            Segment::Name(name) => out.extend(["/", &escape(name)]),
            Segment::Index(index) => out.extend(["/", &index.to_string()]),
        }
        out
    }
}

/// A key as a pointer spells it.
pub(crate) fn escape(name: &JsString) -> String {
    let head = name.head(KEY_LIMIT);
    let mut out = head.display().replace('~', "~0").replace('/', "~1");
    if head.len() < name.len() {
        out.push('…');
    }
    out
}

/// The key that a pointer spells so.
pub(crate) fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// How much of a string counts, in characters.
pub(super) const NEAR_HEAD: usize = 64;
/// How many candidates are looked at.
const NEAR_CANDIDATES: usize = 2_000;

/// Index of the candidate closest to `wanted` by edit distance, if it is close enough to be a slip of the pen.
pub fn nearest(wanted: &JsString, candidates: impl IntoIterator<Item = JsString>) -> Option<usize> {
    let wanted = folded(wanted);
    let near = |(place, candidate): (usize, JsString)| {
        let other = folded(&candidate);
        let most = wanted.len().max(other.len()) / 2;
        // No two strings are closer than their lengths.
        let distance = (wanted.len().abs_diff(other.len()) <= most)
            .then(|| strsim::generic_levenshtein(&wanted, &other))?;
        (distance <= most).then_some((distance, place))
    };
    let found = candidates.into_iter().take(NEAR_CANDIDATES).enumerate().filter_map(near).min();
    found.map(|(_, place)| place)
}

fn folded(text: &JsString) -> Vec<char> {
    text.head(NEAR_HEAD).display().chars().flat_map(char::to_lowercase).collect()
}

/// What else the words of the format are called, without what `squashed` leaves out.
const OTHER_NAMES: [(&str, &[&str]); 10] = [
    (
        "single_choice",
        &["select", "single", "singleselect", "radio", "choice", "dropdown", "enum", "单选", "单选题"],
    ),
    (
        "multi_choice",
        &["multi", "multiselect", "multiple", "checkbox", "checkboxes", "tags", "多选", "多选题"],
    ),
    (
        "free_text",
        &[
            "text",
            "string",
            "freeform",
            "input",
            "open",
            "textarea",
            "essay",
            "问答",
            "简答",
            "填空",
            "自由文本",
        ],
    ),
    ("header", &["title", "name", "heading"]),
    ("question", &["text", "prompt", "ask"]),
    ("kind", &["type", "questiontype"]),
    ("required", &["mandatory", "optional", "isrequired"]),
    ("options", &["choices", "items", "answers"]),
    ("label", &["value", "name", "text", "title"]),
    ("description", &["desc", "detail", "details", "explanation", "hint"]),
];

/// How much of a word must be the same to be taken for another.
const SIMILAR: f64 = 0.6;

/// The word of the format, of several, that was probably meant by another.
pub(crate) fn nearest_word(found: &JsString, words: &[&str]) -> Option<String> {
    if words.len() < 2 {
        return None;
    }
    let squashed = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let wanted = squashed(&found.head(NEAR_HEAD).display());
    let other =
        |word: &str| OTHER_NAMES.iter().any(|(name, others)| *name == word && others.contains(&&*wanted));
    let same =
        words.iter().find(|word| squashed(word) == wanted).or_else(|| words.iter().find(|word| other(word)));
    let near = || {
        let near = nearest(found, words.iter().map(|&word| word.into())).map(|place| &words[place]);
        near.filter(|word| strsim::normalized_levenshtein(&wanted, &squashed(word)) >= SIMILAR)
    };
    same.or_else(near).map(|word| (*word).to_owned())
}

#[cfg(test)]
mod tests;
