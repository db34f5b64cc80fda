//! Warnings: what is legal but unwise in a gate, a record or a Canonical Prompt document.
//!
//! `command::lint` finds what only the files show: packets that share an answer path, records that cannot be written.

use super::canonical::Document;
use super::profile::cut_header;
use crate::ask::json::Item;
use crate::ask::problem::{ProblemCode, quote, quoting_parts};
use crate::ask::reader;
use crate::ask::windows_name::is_path_on_windows;
use crate::ask::{Answer, AnswerSpec, Choice, Gate, JsString, Kind, Packet, Problem, Question, QuestionSpec};
use crate::text::sanitize::{is_hidden, mark};
use crate::text::width::cells;
use crate::text::{Lang, Message, Safe, Sentence, say};
use code::{QUOTED, Wording, hinted, wording};
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

mod code;

pub use code::Code;

/// The widest label that is shown whole in a list, in columns.
const LABEL_COLUMNS: usize = 60;
/// The braille pattern without a dot: no white space to Unicode, and nothing to see.
const BLANK_BRAILLE: char = '\u{2800}';
/// How many warnings of one document are kept.
const LIMIT: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub code: Code,
    /// Where, what was found, and what would be better.
    pub problem: Problem,
}

impl Advice {
    fn new(pointer: &str, wording: Wording, parts: &[&str]) -> Advice {
        let found = quoting_parts(wording.found, parts);
        let problem = Problem::new(ProblemCode::Other, found, wording.better).at(pointer);
        Advice { code: wording.code, problem: Problem { hint: wording.hint.map(Message::from), ..problem } }
    }

    /// The whole sentence: place, found, better, hint.
    pub fn sentence(&self, lang: Lang) -> String {
        self.problem.fill(say("{0}: found {1}; better: {2}.", "{0}：{1}，最好是{2}。"), lang)
    }

    /// It is about a text of which characters are lost.
    pub(super) fn is_of_lost(&self) -> bool {
        self.problem.found.text(Lang::En).contains('\u{fffd}')
    }
}

/// Warnings of one document, within bounds.
#[derive(Default)]
pub(super) struct Advisor {
    list: Vec<Advice>,
}

pub fn of_packet(packet: &Packet) -> Vec<Advice> {
    let mut advisor = Advisor::default();
    if let Some(gate) = &packet.gate {
        if packet.step.as_ref().is_none_or(JsString::is_blank) {
            advisor.warn(Code::NoStep, "", &[]);
        }
        advisor.questions(&gate.spec, "/novel_ask");
        advisor.answer_path(gate);
    }
    advisor.list
}

/// The output of an executor's command, `{"ok": …, "data": …}`, saved as if it were the packet in it.
pub fn of_envelope(root: Item<'_>) -> Option<Advice> {
    let is_envelope =
        root.get("ok").is_some_and(|ok| ok.boolean().is_some()) && root.object("data").is_some();
    let wording = Code::CommandOutput.wording().filter(|_| is_envelope)?;
    Some(Advice::new("/data", wording, &[]))
}

/// A part of a gate that the executor does not see.
pub fn unseen(problem: Problem) -> Advice {
    let code = match problem.code {
        ProblemCode::Wrapped => Code::CommandOutput,
        ProblemCode::Misplaced => Code::MisplacedGate,
        _ => Code::MisspeltGate,
    };
    Advice { code, problem }
}

pub fn of_questions(spec: &QuestionSpec) -> Vec<Advice> {
    let mut advisor = Advisor::default();
    advisor.questions(spec, "");
    advisor.list
}

pub fn of_record(record: &AnswerSpec, spec: &QuestionSpec) -> Vec<Advice> {
    let mut advisor = Advisor::default();
    for (id, answer) in &record.answers {
        let Some((_, question)) = spec.find(id) else { continue };
        for (i, value) in answer.values().iter().enumerate() {
            let at = match answer {
                Answer::One(_) => format!("/answers/{id}"),
                Answer::Many(_) => format!("/answers/{id}/{i}"),
            };
            advisor.own_words(value, question, &at);
        }
    }
    advisor.visible(&record.answered_by, "/answered_by");
    advisor.list
}

/// Of the strings of a record without its questions: pointers and values.
pub(super) fn of_strings(values: &[(String, JsString)]) -> Vec<Advice> {
    let mut advisor = Advisor::default();
    for (at, value) in values {
        advisor.visible(value, at);
    }
    advisor.list
}

pub fn of_document(document: &Document) -> Vec<Advice> {
    let mut advisor = Advisor::default();
    for (i, step) in document.steps.iter().enumerate() {
        let at = format!("/steps/{i}");
        advisor.text(&step.question, &format!("{at}/question"));
        for (j, option) in step.options.iter().enumerate() {
            let at = format!("{at}/options/{j}");
            advisor.label(&option.label, &format!("{at}/label"));
            advisor.text(&option.description, &format!("{at}/description"));
            if let Some(implication) = &option.implication {
                advisor.text(implication, &format!("{at}/implication"));
            }
        }
    }
    advisor.list
}

impl Advisor {
    /// A warning whose words are in the table of codes.
    fn warn(&mut self, code: Code, pointer: &str, parts: &[&str]) {
        if let Some(words) = code.wording() {
            self.warn_with(pointer, words, parts);
        }
    }

    fn warn_with(&mut self, pointer: &str, wording: Wording, parts: &[&str]) {
        if self.list.len() < LIMIT {
            self.list.push(Advice::new(pointer, wording, parts));
        }
    }

    fn questions(&mut self, spec: &QuestionSpec, at: &str) {
        if self.text(&spec.topic, &format!("{at}/topic")) {
            self.outer_space(&spec.topic, &format!("{at}/topic"));
        }
        let mut read: HashMap<&JsString, usize> = HashMap::new();
        for (i, question) in spec.questions.iter().enumerate() {
            let here = format!("{at}/questions/{i}");
            self.question(question, &here);
            match read.get(&question.question) {
                Some(first) => {
                    let id = &spec.questions[*first].id;
                    self.warn(Code::RepeatedQuestion, &format!("{here}/question"), &[id]);
                }
                None => _ = read.insert(&question.question, i),
            }
        }
    }

    fn question(&mut self, question: &Question, at: &str) {
        if question.must_be_answered() && !question.required {
            self.warn(Code::ConstructorId, &format!("{at}/id"), &[&question.id]);
        }
        let header_at = format!("{at}/header");
        if self.text(&question.header, &header_at) {
            let cut = cut_header(&question.header);
            if cut != question.header.trimmed().lossy() {
                self.warn(Code::LongHeader, &header_at, &[&quote(&question.header), &quote(&cut.into())]);
            }
        }
        self.text(&question.question, &format!("{at}/question"));
        if question.kind == Kind::FreeText {
            return;
        }
        self.options(question, at);
        if !question.default.is_empty() && !question.must_be_answered() {
            self.warn(Code::OptionalDefault, &format!("{at}/default"), &[]);
        }
    }

    fn options(&mut self, question: &Question, at: &str) {
        for (i, option) in question.options.iter().enumerate() {
            let here = format!("{at}/options/{i}");
            let label_at = format!("{here}/label");
            if self.label(&option.label, &label_at) {
                self.meaning(question, option, &label_at);
            }
            self.text(&option.description, &format!("{here}/description"));
        }
        if let ([only], false) = (&question.options[..], question.allow_other) {
            self.warn(Code::OneOption, &format!("{at}/options"), &[&quote(&only.label)]);
        }
    }

    /// What a label says that is not the label's to say.
    fn meaning(&mut self, question: &Question, option: &Choice, at: &str) {
        let text = option.label.display();
        let columns = cells(&text);
        if columns > LABEL_COLUMNS {
            self.warn(Code::LongLabel, at, &[&columns.to_string(), &quote(&option.label)]);
        }
        if is_recommended(&text) {
            self.warn(Code::RecommendedLabel, at, &[&quote(&option.label)]);
        }
        if question.allow_other && is_other(&text) {
            self.warn(Code::OtherLabel, at, &[&quote(&option.label)]);
        }
    }

    /// Words to be read, line ends and tabs among them; whether they can be seen.
    fn text(&mut self, text: &JsString, at: &str) -> bool {
        let shown = text.display().replace("\r\n", "\n").replace('\t', " ");
        let visible = self.visible(text, at);
        if visible && Safe::block(&shown).as_str() != shown {
            self.hidden(text, &shown, at);
        }
        self.lone(text, at, visible);
        visible
    }

    /// Words that a record repeats byte for byte; whether they can be seen.
    fn label(&mut self, label: &JsString, at: &str) -> bool {
        let visible = self.visible(label, at);
        if visible {
            let shown = label.display();
            if Safe::line(&shown).as_str() != shown {
                self.hidden(label, &shown, at);
            }
            self.outer_space(label, at);
        }
        self.lone(label, at, visible);
        visible
    }

    fn lone(&mut self, text: &JsString, at: &str, visible: bool) {
        if visible && text.as_str().is_none() {
            let found = say("a lone surrogate in {0}", "{0} 中有孤立的代理项");
            let words = wording(Code::HiddenCharacters, found, say("whole characters", "完整的字符"));
            self.warn_with(at, words, &[&quote(text)]);
        }
    }

    /// A text, and the form in which it would be drawn.
    fn hidden(&mut self, text: &JsString, shown: &str, at: &str) {
        let (found, hidden) = match hidden_in(shown) {
            Some(c) => (say("{1} in {0}", "{0} 中有 {1}"), mark(u32::from(c))),
            None => {
                (say("{0}, with marks that are not drawn", "{0}，其中有不会画出的附加符号"), String::new())
            }
        };
        let words =
            wording(Code::HiddenCharacters, found, say("characters that can be seen", "看得见的字符"));
        self.warn_with(at, words, &[&quote(text), &hidden]);
    }

    fn visible(&mut self, text: &JsString, at: &str) -> bool {
        let visible = !text.display().chars().all(is_unseen);
        if !visible {
            self.warn(Code::InvisibleText, at, &[&quote(text)]);
        }
        visible
    }

    fn outer_space(&mut self, text: &JsString, at: &str) {
        if text.trimmed() != *text {
            self.warn(Code::OuterSpace, at, &[&quote(text)]);
        }
    }

    fn own_words(&mut self, value: &JsString, question: &Question, at: &str) {
        let is_own = question.kind != Kind::FreeText && question.option(value).is_none();
        if !self.visible(value, at) || !is_own {
            return;
        }
        let folded = fold(&value.display());
        let is_near = |option: &&Choice| fold(&option.label.display()) == folded;
        if let Some(option) = question.options.iter().find(is_near) {
            self.warn(Code::NearLabel, at, &[&quote(value), &quote(&option.label)]);
        }
    }

    fn answer_path(&mut self, gate: &Gate) {
        let path = &gate.answer_path;
        let shown = path.lossy();
        let better = if path.trimmed() != *path {
            say("a path without white space around it", "首尾没有空白的路径")
        } else if shown.contains('\\') {
            say("a path with / between the names", "以 / 分隔的路径")
        } else if !is_path_on_windows(&shown) {
            say("names that Windows takes too", "Windows 也能接受的名称")
        } else if !shown.ends_with(".json") {
            say("a path that ends with .json", "以 .json 结尾的路径")
        } else {
            return;
        };
        self.warn_with("/answer_path", wording(Code::OddAnswerPath, QUOTED, better), &[&quote(path)]);
    }
}

/// The first character that is not drawn as itself.
fn hidden_in(text: &str) -> Option<char> {
    text.chars().find(|&c| c != '\n' && is_hidden(c)).or_else(|| text.contains('\n').then_some('\n'))
}

/// The words without what is overlooked: case and width, white space, hidden characters.
fn fold(text: &str) -> String {
    text.nfkc().filter(|&c| !is_unseen(c)).flat_map(char::to_lowercase).collect()
}

fn is_unseen(c: char) -> bool {
    is_hidden(c) || c.is_whitespace() || c == BLANK_BRAILLE
}

fn is_recommended(label: &str) -> bool {
    const MARKS: [&str; 6] = ["(recommended)", "[recommended]", "(default)", "(推荐)", "[推荐]", "(默认)"];
    let folded = fold(label);
    MARKS.iter().any(|mark| folded.len() > mark.len() && folded.ends_with(mark))
}

/// Whether a label means other: the bare word, or the word followed by brackets or a sign.
fn is_other(label: &str) -> bool {
    const NAMES: [&str; 8] =
        ["other", "others", "其他", "其它", "其余", "自定义", "以上都不是", "noneoftheabove"];
    let folded = fold(label);
    let named = |name: &&str| {
        let rest = folded.strip_prefix(*name);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    NAMES.iter().any(named)
}

pub(super) fn repeated_key(pointer: String, key: &JsString) -> Advice {
    Advice { code: Code::RepeatedKey, problem: reader::repeated_key(key).at(pointer) }
}

/// An answer path where no record can be written, and why.
pub fn unwritable(answer_path: &JsString, reason: Sentence) -> Advice {
    let better = say("a place where a record can be written", "可以写入记录的位置");
    Advice::new("/answer_path", hinted(Code::UnwritablePath, QUOTED, better, reason), &[&quote(answer_path)])
}

/// Another packet that asks the same questions for the same answer path.
pub fn shared(answer_path: &JsString, other: &str) -> Advice {
    let words = hinted(
        Code::SharedAnswerPath,
        say("{0}, where {1} wants answers to the same questions", "{0}，而 {1} 的相同问题也在那里回答"),
        say("a place of its own", "各自的位置"),
        say("One record opens both gates at once.", "一份记录会同时打开两个门控。"),
    );
    Advice::new("/answer_path", words, &[&quote(answer_path), other])
}

#[cfg(test)]
mod tests;
