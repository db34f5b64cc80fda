//! Answering line by line in plain text, for screen readers and terminals that cannot draw.
//!
//! Questions go to standard error, answers come from standard input, and nothing is redrawn. Every answer goes into the
//! gate's draft at once, so that nothing typed is lost.

use super::order::Order;
use crate::ask::draft::IS_DEFAULT;
use crate::ask::draft::OwnFault;
use crate::ask::{Draft, Gate, Kind, Question, Reply};
use crate::command::Session;
use crate::command::input::{NamedPacket, UNREADABLE_INPUT};
use crate::command::lines;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::{local_time_of, rfc3339_millis};
use crate::store::drafts::{self, DraftJob, Drafts};
use crate::text::{Lang, Safe, Sentence, say};

/// Asks every question until the author says that the record may be written; if he ends it before, that is an error, and
/// the answers so far are kept as a draft.
pub(super) fn ask(session: &mut Session<'_>, order: &Order<'_>, gate: &Gate) -> Result<Draft, Error> {
    let state = session.state(order.project)?;
    let drafts = Drafts::new(&state);
    let loaded = drafts.load(&gate.answer_path, &gate.spec);
    let trouble = loaded.as_ref().err().map(Error::whole).or_else(|| state.take_notices());
    let saved = loaded.ok().flatten().map(|saved| saved.job);
    let restored = saved.as_ref().filter(|job| job.draft.progress(&gate.spec).answered > 0);
    let saved_at = restored.map(|job| job.saved_at.clone());
    let (draft, orphans) =
        saved.map_or_else(|| (Draft::new(&gate.spec), Vec::new()), |job| (job.draft, job.orphans));
    let (packet, lang) = (order.packet, session.lang);
    let mut interview = Interview { session, lang, gate, drafts, draft, packet, orphans };
    if let Some(trouble) = trouble {
        interview.print_line(&trouble.text(interview.lang));
    }
    if let Some(at) = saved_at {
        let at = local_time_of(&at, &interview.session.clock.local_now(), interview.lang);
        interview.print(say("Your answers of {0} are restored.", "已恢复你{0}的回答。"), &[&at]);
    }
    interview.run()
}

struct Interview<'i, 's> {
    session: &'i mut Session<'s>,
    lang: Lang,
    gate: &'i Gate,
    drafts: Drafts,
    draft: Draft,
    packet: &'i NamedPacket,
    orphans: Vec<crate::ask::draft::Orphan>,
}

/// What a line was taken for.
enum Direction {
    /// An answer, a default or a skip: go on.
    Next,
    /// Go back one question.
    Back,
    /// Ask the same again.
    Again,
}

impl Interview<'_, '_> {
    fn run(mut self) -> Result<Draft, Error> {
        self.print(
            say(
                "{0}. Enter takes the default or skips; < goes back; - clears; # WORDS adds a note; ? repeats; nothing is \
                 written before you agree.",
                "{0}。回车采用默认值或跳过；< 返回上一题；- 清除；# 加文字为备注；? 重复题目；在你同意之前不会写入。",
            ),
            &[&self.gate.spec.topic.display()],
        );
        let mut at = 0;
        loop {
            while let Some(question) = self.gate.spec.questions.get(at) {
                self.put_question(at, question);
                let taken = self.take_answer(at, question)?;
                self.keep(at)?;
                match taken {
                    Direction::Next => at += 1,
                    Direction::Back => at = at.saturating_sub(1),
                    Direction::Again => {}
                }
            }
            match self.review()? {
                Some(place) => at = place,
                None => return Ok(self.draft),
            }
        }
    }

    fn put_question(&mut self, at: usize, question: &Question) {
        let total = self.gate.spec.questions.len();
        let needed =
            if question.must_be_answered() { say("required", "必答") } else { say("optional", "选答") };
        self.print_line("");
        self.print(
            say("Question {0} of {1}: {2} ({3})", "第 {0} 题，共 {1} 题：{2}（{3}）"),
            &[&(at + 1).to_string(), &total.to_string(), &question.header.display(), needed.text(self.lang)],
        );
        self.print_line(&question.question.display());
        for (place, option) in question.options.iter().enumerate() {
            let chosen = if self.draft.replies[at].has(place) { "*" } else { " " };
            let line = format!(
                "{chosen}{}. {} - {}",
                place + 1,
                option.label.display(),
                option.description.display()
            );
            self.print_line(&line);
        }
        let how = match (question.kind, question.allow_other) {
            (Kind::SingleChoice, false) => say("Number:", "编号："),
            (Kind::SingleChoice, true) => say("Number, or your own words:", "编号，或自己填写："),
            (Kind::MultiChoice, false) => say(
                "Numbers, such as 1 3 (each turns one on or off); Enter goes on:",
                "编号，如 1 3（逐个勾选或取消）；回车继续：",
            ),
            (Kind::MultiChoice, true) => say(
                "Numbers, such as 1 3 (each turns one on or off), or one entry in your own words; Enter goes on:",
                "编号，如 1 3（逐个勾选或取消），或自己填写一项；回车继续：",
            ),
            (Kind::FreeText, _) => say(
                "Your text; for several lines type <<, then the lines, then a line with only a full stop:",
                "你的文字；多行时先输入 <<，再逐行输入，最后一行只输入一个英文句点：",
            ),
        };
        if let Some(answer) = self.draft.replies[at].answer(question) {
            self.print(say("Now: {0}", "当前：{0}"), &[&lines::values(&answer, self.lang)]);
        }
        self.print_kept(at, question);
        self.print_note(at);
        self.print_line(how.text(self.lang));
    }

    /// What was typed there before and is not the answer.
    fn print_kept(&mut self, at: usize, question: &Question) {
        let reply = &self.draft.replies[at];
        let typed = Some(&reply.other).filter(|words| !words.trim().is_empty()).cloned();
        let aside = reply.asides().map(|aside| match (aside.typed_words(), aside.answer(question)) {
            (None, Some(answer)) => lines::values(&answer, self.lang),
            (words, _) => words.unwrap_or_default().to_owned(),
        });
        for words in typed.into_iter().chain(aside).collect::<Vec<_>>() {
            self.print(say("Kept, not chosen: {0}", "保留着，未采用：{0}"), &[&words]);
        }
    }

    fn print_note(&mut self, at: usize) {
        let note = &self.draft.replies[at].note;
        if !note.is_blank() {
            let note = note.display().into_owned();
            self.print(say("Note: {0}", "备注：{0}"), &[&note]);
        }
    }

    fn take_note(&mut self, at: usize, note: &str) -> Result<(), Error> {
        let asked = if note.is_empty() {
            self.print(
                say(
                    "Your note, kept beside the answer; Enter alone for none:",
                    "你的备注，与回答一同保存；直接回车表示没有：",
                ),
                &[],
            );
            self.read()?
        } else {
            note.to_owned()
        };
        self.draft.replies[at].take_note(&asked);
        Ok(())
    }

    fn take_answer(&mut self, at: usize, question: &Question) -> Result<Direction, Error> {
        let line = self.read()?;
        let words = line.trim();
        match words {
            "" => return Ok(self.go_on(at, question)),
            "<" => return Ok(Direction::Back),
            "?" | "？" => return Ok(Direction::Again),
            "-" => {
                let was = self.draft.replies[at].clone();
                self.draft.replies[at].clear();
                self.set_aside(at, was);
                return Ok(Direction::Again);
            }
            _ => {}
        }
        if let Some(note) = note(words) {
            self.take_note(at, note)?;
            return Ok(Direction::Again);
        }
        let was = self.draft.replies[at].clone();
        if question.kind == Kind::FreeText {
            let several = words == "<<";
            self.draft.replies[at].type_text(if several { "" } else { &line });
            self.set_aside(at, was);
            if several {
                self.take_lines(at)?;
            }
            return Ok(Direction::Next);
        }
        if words == "<<" {
            self.print(say("Your own words are one line here.", "这里自己写的回答只有一行。"), &[]);
            return Ok(Direction::Again);
        }
        let reply = &mut self.draft.replies[at];
        if let Some(numbers) = numbers(words, question.options.len()) {
            match (question.kind, numbers.as_slice()) {
                (Kind::SingleChoice, &[place]) => reply.choose(place),
                (Kind::SingleChoice, _) => {
                    self.print(say("Only one, please.", "只能选一个。"), &[]);
                    return Ok(Direction::Again);
                }
                _ => numbers.into_iter().for_each(|place| reply.toggle(place)),
            }
        } else if let Err(fault) = reply.take_own(question, words) {
            self.print_line(own_fault(fault).text(self.lang));
            return Ok(Direction::Again);
        }
        self.draft.replies[at].spare(&was);
        // Several entries may follow; Enter alone goes on.
        Ok(if question.kind == Kind::MultiChoice { Direction::Again } else { Direction::Next })
    }

    /// Keeps what the author had answered there, within reach of the console.
    fn set_aside(&mut self, at: usize, was: Reply) {
        let reply = &mut self.draft.replies[at];
        reply.spare(&was);
        if !was.prefilled && !reply.says_as(&was) {
            reply.put_aside(was);
        }
    }

    fn go_on(&mut self, at: usize, question: &Question) -> Direction {
        if question.must_be_answered() && self.draft.replies[at].answer(question).is_none() {
            self.print(say("This one must be answered.", "此题必答。"), &[]);
            return Direction::Again;
        }
        Direction::Next
    }

    /// Shows every answer; a question's number goes back to it, `yes` ends.
    fn review(&mut self) -> Result<Option<usize>, Error> {
        self.print_line("");
        self.print(say("Your answers:", "你的回答："), &[]);
        for (at, question) in self.gate.spec.questions.iter().enumerate() {
            let reply = &self.draft.replies[at];
            let values = match reply.answer(question).map(|answer| lines::values(&answer, self.lang)) {
                Some(values) if reply.is_default() => IS_DEFAULT.fill(self.lang, &[&values]),
                Some(values) => values,
                None => say("(left out)", "（未答）").text(self.lang).to_owned(),
            };
            let line = format!("{}. {}: {values}", at + 1, question.header.display());
            self.print_line(&line);
            self.print_note(at);
        }
        if let Some(&place) = self.draft.missing(&self.gate.spec).first() {
            self.print(say("One that must be answered is missing.", "还有必答题没有回答。"), &[]);
            return Ok(Some(place));
        }
        loop {
            self.print(
                say(
                    "Type yes to write the record, or a number to change an answer:",
                    "输入 yes（或 是）写入记录，或输入编号修改：",
                ),
                &[],
            );
            let line = self.read()?;
            match line.trim() {
                "yes" | "是" | "ｙｅｓ" => return Ok(None),
                words => {
                    if let Some(&[place]) = numbers(words, self.draft.replies.len()).as_deref() {
                        return Ok(Some(place));
                    }
                    self.print(say("That is neither; nothing was taken.", "两者都不是，没有采用。"), &[]);
                }
            }
        }
    }

    fn keep(&mut self, at: usize) -> Result<(), Error> {
        if !self.draft.touched() {
            return Ok(());
        }
        let job = DraftJob {
            packet: self.packet.shown.clone(),
            step: self.packet.loaded().and_then(|loaded| loaded.packet.step.clone()),
            answer_path: self.gate.answer_path.clone(),
            spec: self.gate.spec.clone(),
            draft: self.draft.clone(),
            orphans: self.orphans.clone(),
            at,
            saved_at: rfc3339_millis(self.session.clock.now()),
        };
        self.drafts.save(&job).map_err(|error| {
            let sentence = say("The answers so far cannot be kept.", "无法保存目前的回答。");
            let cause = Some(Box::new(drafts::reason(error)));
            Error { cause, ..Error::new(ExitCode::Failed, "draft-not-kept", sentence, &[]) }
        })
    }

    /// One line without its end.
    fn read(&mut self) -> Result<String, Error> {
        let mut bytes = Vec::new();
        let read = self.session.streams.input.read_until(b'\n', &mut bytes);
        match read {
            Ok(0) => Err(Error::new(
                ExitCode::Waiting,
                "not-answered",
                say(
                    "Stopped before a record was written; your answers so far are kept.",
                    "尚未写入记录就结束了；目前的回答已保留。",
                ),
                &[],
            )),
            Ok(_) => {
                let text = String::from_utf8_lossy(&bytes);
                Ok(text.trim_end_matches('\n').trim_end_matches('\r').to_owned())
            }
            Err(cause) => Err(Error::io("no-answers", UNREADABLE_INPUT, &[], &cause)),
        }
    }

    /// Takes lines for a free text until one is a full stop; each is kept as it comes.
    fn take_lines(&mut self, at: usize) -> Result<(), Error> {
        let mut lines = Vec::new();
        loop {
            match self.read()? {
                line if line == "." => return Ok(()),
                line => lines.push(line),
            }
            self.draft.replies[at].type_text(&lines.join("\n"));
            self.keep(at)?;
        }
    }

    fn print(&mut self, sentence: Sentence, parts: &[&str]) {
        let line = sentence.fill(self.lang, parts);
        self.print_line(&line);
    }

    fn print_line(&mut self, text: &str) {
        // Standard output belongs to the result. Who cannot read the question cannot agree to it either.
        let _ = writeln!(self.session.streams.err, "{}", Safe::line(text).as_str());
    }
}

fn own_fault(fault: OwnFault) -> Sentence {
    match fault {
        OwnFault::NotAllowed => say("Please give a number of the list.", "请输入列表中的编号。"),
        OwnFault::Blank => say("That is blank.", "内容为空白。"),
        OwnFault::Reserved => say("Those words are reserved.", "这是保留字。"),
        OwnFault::Duplicate => say("That entry is already there.", "已经有这一项了。"),
    }
}

/// What follows a `#` that begins a note; nothing yet where it stands alone.
fn note(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['#', '＃'])?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// Places from numbers between 1 and `count`, full-width digits included; `None` if the line is anything else.
fn numbers(line: &str, count: usize) -> Option<Vec<usize>> {
    let ascii: String = line
        .chars()
        .map(|c| match c {
            '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10).unwrap_or(c),
            ',' | '，' | '、' | '\u{3000}' => ' ',
            c => c,
        })
        .collect();
    let places: Option<Vec<usize>> = ascii
        .split_whitespace()
        .map(|word| word.parse::<usize>().ok().filter(|n| (1..=count).contains(n)).map(|n| n - 1))
        .collect();
    places.filter(|places| !places.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_begins_with_a_hash_that_stands_alone() {
        for (line, found) in [("#", Some("")), ("# quieter", Some("quieter")), ("＃　更安静", Some("更安静"))]
        {
            assert_eq!(note(line), found, "{line}");
        }
        for text in ["#1", "quieter # no", "#标签"] {
            assert_eq!(note(text), None, "{text}");
        }
    }
}
