//! What an agent is told of what the author decided.
//!
//! The text is data between two marks, and every line of it begins with a sign: nothing in an answer ends it. Where there is
//! more than a client takes, long answers are cut before later ones are left out, and the text names the files that have the rest.

use super::answer::AnswerSpec;
use super::js_string::JsString;
use super::question::{Choice, Question, QuestionSpec};
use crate::text::{Lang, Sentence, say};
use std::borrow::Cow;

pub const BEGIN: &str = "<author-decisions>";
pub const END: &str = "</author-decisions>";
/// Before each line of what the author decided.
const QUOTE: &str = "> ";
/// Before each line that goes on with what stands above it: nothing in a text begins another question or answer.
const MORE: &str = ">   ";
/// So much of a question, a topic or an option is told where there is no room for all.
const SHORT: usize = 120;
/// Of a long answer at least so much is told; what has no room for that is left out.
const LEAST: usize = 240;
/// So much of a name is told.
const NAME: usize = 400;
/// Room for the names of the files that have the rest.
const NAMES: usize = 1_200;

/// How much a client takes.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// In UTF-16 units.
    Units(usize),
    /// In bytes of UTF-8.
    Bytes(usize),
}

/// What no client is known to cut, and no agent has too little room for.
pub const AMPLE: Limit = Limit::Units(30_000);
/// Beside a record that is printed with it: clients cut what a command prints.
pub const PRINTED: Limit = Limit::Units(12_000);

/// What the author said to some questions, as it is to be told.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'d> {
    pub spec: &'d QuestionSpec,
    pub said: Said<'d>,
    /// What it holds for, such as a step id.
    pub span: &'d str,
    /// Where it lies, relative to the root.
    pub file: &'d str,
}

#[derive(Clone, Copy, Debug)]
pub enum Said<'d> {
    /// A valid record.
    Answers(&'d AnswerSpec),
    Refusal(Refusal<'d>),
}

/// What the author gave in place of answers.
#[derive(Clone, Copy, Debug)]
pub struct Refusal<'d> {
    /// The label of a verdict.
    pub choice: Option<&'d JsString>,
    /// The id of a question that does not apply.
    pub does_not_apply: Option<&'d str>,
    /// In his words; may be blank.
    pub reason: &'d JsString,
}

/// A prompt without the lines of decisions that stand in it.
pub fn without_told(prompt: &str) -> Cow<'_, str> {
    if !prompt.contains(BEGIN) {
        return prompt.into();
    }
    let mut is_inside = false;
    let is_said = |line: &&str| {
        is_inside = match line.trim() {
            BEGIN => true,
            END => false,
            _ => is_inside,
        };
        !(is_inside && line.trim_start().starts_with('>'))
    };
    prompt.split_inclusive('\n').filter(is_said).collect()
}

/// A part of the text that stays whole, or is cut at its end.
struct Piece<'d> {
    text: String,
    /// Where the rest of it is.
    file: &'d str,
}

/// What the agent of a step is told within a limit; `None` if nothing was decided. The first decisions are the last to be left out.
pub fn told(decisions: &[Decision<'_>], step: &str, limit: Limit, lang: Lang) -> Option<String> {
    let intro = say(
        "The author has decided this for {0}. It wins over the outline and over habit. Where the author leaves something to you, choose, and \
         report what you chose. Every line of the decisions begins with \">\", up to the closing mark.",
        "以下是作者为 {1} 作出的决定，优先于大纲和惯例。作者交给你决定的地方，由你选择，并在汇报中写明选了什么。决定的每一行都以“>”开头，\
         到结束标记为止。",
    );
    let all = |short| decisions.iter().flat_map(move |decision| pieces(decision, short, limit, lang));
    let whole: Vec<Piece<'_>> = all(usize::MAX).collect();
    if whole.is_empty() {
        return None;
    }
    // What stands before the marks is ours.
    let is_plain = |c: char| c.is_alphanumeric() || ":-_.".contains(c);
    let plain = Some(step).filter(|step| step.chars().all(is_plain)).map(|step| limit.cut(step, NAME));
    let [english, chinese] = ["this step", "这一步"].map(|other| plain.as_deref().unwrap_or(other));
    let mut intro = intro.fill(lang, &[english, chinese]);
    if decisions.iter().any(|decision| matches!(decision.said, Said::Refusal(_))) {
        let redo = say(
            " What he has sent back is to be done anew, as he says below.",
            "作者退回的部分，须按下面他的话重做。",
        );
        intro.push_str(redo.text(lang));
    }
    let room = limit.most().saturating_sub(limit.size(&intro) + BEGIN.len() + END.len() + NAMES + 4);
    let is_short = whole.iter().map(|piece| limit.size(&piece.text)).sum::<usize>() > room;
    let pieces: Vec<Piece<'_>> = all(if is_short { SHORT } else { usize::MAX }).collect();
    let (kept, left) = pieces.split_at(limit.kept(&pieces, room));
    let most = limit.longest(kept, room);
    let mut out = format!("{intro}\n{BEGIN}\n");
    let mut cut: Vec<&str> = Vec::new();
    for (piece, whole) in kept.iter().zip(&whole) {
        let beginning = limit.beginning(&piece.text, most);
        if beginning.is_some() || piece.text != whole.text {
            cut.push(piece.file);
        }
        out.push_str(&beginning.map_or_else(|| piece.text.clone(), |beginning| beginning + "\n"));
    }
    out.push_str(END);
    cut.extend(left.iter().map(|piece| piece.file));
    out.push_str(&limit.rest(cut, lang));
    Some(out)
}

/// The head of a decision with its first answer, then each other answer.
fn pieces<'d>(decision: &Decision<'d>, short: usize, limit: Limit, lang: Lang) -> Vec<Piece<'d>> {
    let cut = |text: &str| limit.cut(&one_line(text), short);
    let mut head = String::new();
    quote(&mut head, &format!("# {} ({})", cut(&decision.spec.topic.lossy()), cut(decision.span)));
    let piece = |text| Piece { text, file: decision.file };
    match &decision.said {
        Said::Answers(record) => {
            let answer = |question| std::mem::take(&mut head) + &answer(question, record, short, limit, lang);
            // Who approves and says no more leaves nothing to anybody.
            let is_verdict = decision.spec.is_verdict();
            let is_told = |question: &&Question| !is_verdict || record.says_to(&question.id);
            decision.spec.questions.iter().filter(is_told).map(answer).map(piece).collect()
        }
        Said::Refusal(refusal) => vec![piece(head + &refused(decision.spec, refusal, short, limit, lang))],
    }
}

/// The lines of one decision, whole.
pub fn quoted(decision: &Decision<'_>, lang: Lang) -> String {
    let all = Limit::Units(usize::MAX);
    pieces(decision, usize::MAX, all, lang).into_iter().map(|piece| piece.text).collect()
}

/// What was refused, and why.
fn refused(spec: &QuestionSpec, refusal: &Refusal<'_>, short: usize, limit: Limit, lang: Lang) -> String {
    let mut out = String::new();
    let mut put = |label: Sentence, words: &str| quote(&mut out, &format!("{}{words}", label.text(lang)));
    let Refusal { choice, does_not_apply, reason } = *refusal;
    let of_choice = choice.and_then(|label| spec.questions.iter().find(|it| it.option(label).is_some()));
    match (choice, of_choice, does_not_apply) {
        (Some(label), question, _) => {
            let described = question.map(|question| described(question, label, short, limit));
            put(SENT_BACK, &described.unwrap_or_else(|| label.lossy().into_owned()));
        }
        (None, _, Some(id)) => {
            let question = spec.find(id).map(|(_, question)| question.question.lossy());
            put(DOES_NOT_APPLY, &limit.cut(&question.unwrap_or(id.into()), short));
        }
        (None, _, None) => put(SENT_BACK_ALONE, ""),
    }
    if !reason.is_blank() {
        put(say("Reason: ", "理由："), &reason.lossy());
        for option in spec.questions.iter().flat_map(|question| meant(question, &[reason], short, limit)) {
            put(MEANT, &option);
        }
    }
    out
}

/// Before a proposed option of which the author speaks.
const MEANT: Sentence = say("Option ", "备选 ");

/// The proposed options of which these words speak, by the mark that the author sees (such as B2) or by their label: nobody else knows
/// the marks, and a label alone may say little.
fn meant(question: &Question, words: &[&JsString], short: usize, limit: Limit) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|words| words.lossy().to_ascii_uppercase()).collect();
    let names = |mark: &str| {
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        words.iter().any(|words| {
            words.match_indices(mark).any(|(at, _)| {
                let (before, behind) = (&words[..at], &words[at + mark.len()..]);
                !is_part(before.chars().next_back()) && !is_part(behind.chars().next())
            })
        })
    };
    let is_meant = |(at, option): (usize, &Choice)| {
        let (mark, label) = (question.mark(at)?, option.label.lossy());
        let is_named = names(&mark) || words.iter().any(|words| words.contains(&label.to_ascii_uppercase()));
        is_named.then(|| format!("{mark}: {}", described(question, &option.label, short, limit)))
    };
    question.options.iter().enumerate().filter_map(is_meant).collect()
}

const SENT_BACK: Sentence = say("Sent back by the author: ", "作者退回：");
const SENT_BACK_ALONE: Sentence = say("Sent back by the author.", "作者退回。");
const DOES_NOT_APPLY: Sentence =
    say("Sent back by the author, for this question does not apply: ", "作者退回，因为这个问题不适用：");

/// A question and what was answered, in the words of the record.
fn answer(question: &Question, record: &AnswerSpec, short: usize, limit: Limit, lang: Lang) -> String {
    let mut out = String::new();
    let mut put = |label: Sentence, words: &str| quote(&mut out, &format!("{}{words}", label.text(lang)));
    put(say("Question: ", "问："), &limit.cut(&question.question.lossy(), short));
    let answer = record.answers.iter().find(|(id, _)| *id == question.id).map(|(_, answer)| answer);
    for value in answer.iter().flat_map(|answer| answer.values()) {
        put(say("Answer: ", "答："), &described(question, value, short, limit));
    }
    if answer.is_none() {
        put(say("Answer: none; the author left it to you.", "答：未答；作者留给你定。"), "");
    }
    let notes = record.notes.iter().filter(|(id, _)| id.as_str() == Some(&question.id)).map(|(_, note)| note);
    for note in notes.clone() {
        put(say("Note: ", "备注："), &note.lossy());
    }
    let own =
        answer.iter().flat_map(|answer| answer.values()).filter(|value| question.option(value).is_none());
    let own: Vec<&JsString> = own.chain(notes).collect();
    for option in meant(question, &own, short, limit) {
        put(MEANT, &option);
    }
    out
}

/// An option with its description, or own words.
fn described(question: &Question, value: &JsString, short: usize, limit: Limit) -> String {
    match question.option(value) {
        Some(at) => {
            let description = question.options[at].description.lossy();
            format!("{} — {}", value.lossy(), limit.cut(&description, short))
        }
        None => value.lossy().into_owned(),
    }
}

impl Limit {
    fn most(self) -> usize {
        match self {
            Limit::Units(most) | Limit::Bytes(most) => most,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Limit::Units(_) => c.len_utf16(),
            Limit::Bytes(_) => c.len_utf8(),
        }
    }

    fn size(self, text: &str) -> usize {
        text.chars().map(|c| self.width(c)).sum()
    }

    /// How many pieces have room, if long ones are cut; at least one.
    fn kept(self, pieces: &[Piece<'_>], room: usize) -> usize {
        let mut used = 0;
        let has_room = |piece: &&Piece<'_>| {
            used += self.size(&piece.text).min(LEAST);
            used <= room
        };
        pieces.iter().take_while(has_room).count().max(1)
    }

    /// How long a piece may be so that all have room together.
    fn longest(self, pieces: &[Piece<'_>], room: usize) -> usize {
        let mut sizes: Vec<usize> = pieces.iter().map(|piece| self.size(&piece.text)).collect();
        sizes.sort_unstable();
        let mut left = room;
        for (at, size) in sizes.iter().enumerate() {
            let share = left / (sizes.len() - at);
            if *size > share {
                return share;
            }
            left -= size;
        }
        usize::MAX
    }

    /// The beginning of a text that is longer than that, with a mark of what is missing.
    fn beginning(self, text: &str, most: usize) -> Option<String> {
        if self.size(text) <= most {
            return None;
        }
        // For the mark and a line's end.
        let mut left = most.saturating_sub(4);
        let has_room = |c: &char| {
            let rest = left.checked_sub(self.width(*c));
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let end: usize = text.chars().take_while(has_room).map(char::len_utf8).sum();
        Some(format!("{}…", &text[..end]))
    }

    /// Where the rest is that there was no room for.
    fn rest(self, mut files: Vec<&str>, lang: Lang) -> String {
        files.dedup();
        if files.is_empty() {
            return String::new();
        }
        let mut left = NAMES - 300;
        let all: Vec<String> = files.iter().map(|file| self.cut(&one_line(file), NAME)).collect();
        let has_room = |name: &&String| {
            let rest = left.checked_sub(self.size(name) + 3);
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let named: Vec<&str> = all.iter().take_while(has_room).map(String::as_str).collect();
        let sentence = say(
            "There was no room for all of it. Before you begin, read the rest in: {0}",
            "篇幅有限，未能全部列出。动手之前，请先读完其余内容：{1}",
        );
        let mut out = format!("\n{}", sentence.fill(lang, &[&named.join(", "), &named.join("、")]));
        if named.len() < all.len() {
            let more = say(" and {0} more records", "，以及另外 {0} 份记录");
            out.push_str(&more.fill(lang, &[&(all.len() - named.len()).to_string()]));
        }
        out
    }

    /// A text, or its beginning.
    fn cut(self, text: &str, most: usize) -> String {
        self.beginning(text, most).unwrap_or_else(|| text.to_owned())
    }
}

/// Adds a text, each of its lines in quotes; whatever a reader may take for the end of a line counts as one.
fn quote(out: &mut String, text: &str) {
    let text = text.replace("\r\n", "\n");
    for (at, line) in text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']).enumerate()
    {
        out.push_str(if at == 0 { QUOTE } else { MORE });
        out.push_str(line);
        out.push('\n');
    }
}

/// Names and topics, in which a line break would begin a line that is not the author's.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
