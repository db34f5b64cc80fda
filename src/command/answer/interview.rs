//! Answering line by line in plain text, for screen readers and terminals that cannot draw.
//!
//! Questions go to standard error, answers come from standard input, and nothing is redrawn. Every answer goes into the
//! gate's draft at once, so that nothing typed is lost.

use super::order::Order;
use crate::ask::{Draft, Gate, JsString, Kind, Question, Reply};
use crate::command::Session;
use crate::command::input::{NamedPacket, UNREADABLE_INPUT};
use crate::command::lines;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::{local_time_of, rfc3339_millis};
use crate::store::drafts::{self, DraftJob, Drafts};
use crate::store::questions::ahead_of;
use crate::text::width::cells;
use crate::text::wrap::{wrap, wrapped};
use crate::text::{Lang, Safe, Sentence, say};
use line::{is_yes, note, refusal, take_entries, without_keys, words_at};

mod line;
mod review;

const ONLY_WORDS: Sentence = say(
    "Arrow keys do nothing here: type the number of an option, or your words, and then Enter. < goes back; ? repeats.",
    "方向键在这里不起作用：请输入选项编号或文字，再按回车。< 返回上一题；? 重复题目。",
);

/// What the author has said.
pub(super) struct Said {
    pub(super) draft: Draft,
    /// The step goes back, for this reason.
    pub(super) refusal: Option<JsString>,
}

/// Asks every question until the author says that the record may be written, or that the step goes back; if he ends it before, that is an error, and
/// the answers so far are kept as a draft.
pub(super) fn ask(session: &mut Session<'_>, order: &Order<'_>, gate: &Gate) -> Result<Said, Error> {
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
    let is_ahead = ahead_of(order.project, &packet.path).is_some();
    let mut interview =
        Interview { session, lang, gate, drafts, draft, packet, is_ahead, orphans, is_told_of_keys: false };
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
    /// There is no packet yet that could be sent back.
    is_ahead: bool,
    orphans: Vec<crate::ask::draft::Orphan>,
    /// It was said that keys of the cursor do nothing.
    is_told_of_keys: bool,
}

/// What a line was taken for.
enum Direction {
    /// An answer, a default or a skip: go on.
    Next,
    /// Go back one question.
    Back,
    /// Ask the same again.
    Again,
    /// Ask no more: it goes back.
    SendBack(JsString),
}

impl Interview<'_, '_> {
    fn run(mut self) -> Result<Said, Error> {
        let sends = if self.is_ahead {
            say("", "")
        } else {
            say(" ! WORDS sends the step back;", "! 加理由为退回这一步；")
        };
        self.print(
            say(
                "{0}. Enter takes the default or skips; < goes back; - clears; # WORDS adds a note;{1} ? repeats; nothing is written \
                 before you agree.",
                "{0}。回车采用默认值或跳过；< 返回上一题；- 清除；# 加文字为备注；{1}? 重复题目；在你同意之前不会写入。",
            ),
            &[&self.gate.spec.topic.display(), sends.text(self.lang)],
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
                    Direction::SendBack(reason) => {
                        return Ok(Said { draft: self.draft, refusal: Some(reason) });
                    }
                }
            }
            match self.review()? {
                Some(place) => at = place,
                None => return Ok(Said { draft: self.draft, refusal: None }),
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
            let sends_back =
                if option.sends_back { say(" (sends it back)", "（退回）") } else { say("", "") };
            let (label, description) = (option.label.display(), option.description.display());
            let line =
                format!("{chosen}{}. {label}{} - {description}", place + 1, sends_back.text(self.lang));
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

    /// A reason, and whether it is meant so.
    fn take_refusal(&mut self, mut reason: String) -> Result<Direction, Error> {
        if self.is_ahead {
            self.print(
                say(
                    "The step has no packet yet, so there is nothing to send back.",
                    "这一步还没有指令包，没有可退回的。",
                ),
                &[],
            );
            return Ok(Direction::Again);
        }
        if reason.is_empty() {
            self.print(say("Why do you send it back?", "为什么退回？"), &[]);
            reason = self.read()?;
        }
        let reason = JsString::from(reason);
        if reason.is_blank() {
            self.print(say("Without a reason nothing is sent back.", "没有理由，没有退回。"), &[]);
            return Ok(Direction::Again);
        }
        self.print(
            say(
                "Type yes to send the step back; no record is written:",
                "输入 yes（或 是）退回这一步，不写入记录：",
            ),
            &[],
        );
        if is_yes(&self.read()?) {
            return Ok(Direction::SendBack(reason));
        }
        self.print(say("Nothing was sent back.", "没有退回。"), &[]);
        Ok(Direction::Again)
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
        if let Some(reason) = refusal(words) {
            let reason = reason.to_owned();
            return self.take_refusal(reason);
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
        if let Err(why) = take_entries(&mut self.draft.replies[at], question, words) {
            self.print_line(&why.text(self.lang));
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
        let is_missing = question.must_be_answered() && self.draft.replies[at].answer(question).is_none();
        if is_missing && !self.refuses() {
            self.print(say("This one must be answered.", "此题必答。"), &[]);
            return Direction::Again;
        }
        Direction::Next
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

    /// One line without its end. Keys of the cursor are no words, and Enter behind nothing else is none either.
    fn read(&mut self) -> Result<String, Error> {
        loop {
            let mut bytes = Vec::new();
            let read = self.session.streams.input.read_until(b'\n', &mut bytes);
            if read.map_err(|cause| Error::io("no-answers", UNREADABLE_INPUT, &[], &cause))? == 0 {
                let sentence = say(
                    "Stopped before a record was written; your answers so far are kept.",
                    "尚未写入记录就结束了；目前的回答已保留。",
                );
                return Err(Error::new(ExitCode::Waiting, "not-answered", sentence, &[]));
            }
            let typed = String::from_utf8_lossy(&bytes);
            let text = without_keys(&typed);
            let line = text.trim_end_matches('\n').trim_end_matches('\r');
            let has_keys = text.len() < typed.len();
            let is_told = has_keys && std::mem::replace(&mut self.is_told_of_keys, true);
            if has_keys && !is_told {
                self.print(ONLY_WORDS, &[]);
            }
            if !has_keys || !line.trim().is_empty() {
                return Ok(line.to_owned());
            }
            if is_told {
                self.print(say("Nothing was typed.", "没有输入内容。"), &[]);
            }
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
        let columns = self.session.environment.columns.filter(|columns| *columns > 0);
        let text = Safe::line(text);
        let Some(columns) = columns else {
            let _ = writeln!(self.session.streams.err, "{}", text.trim_end());
            return;
        };
        // The other rows stand below the words of the first, where that leaves room for words.
        let indent = cells(&text[..words_at(&text)]);
        let indent = if indent * 2 <= columns { indent } else { 0 };
        let end = wrap(&text, columns).first().map_or(text.len(), |row| row.end);
        let (first, rest) = text.split_at(end);
        let rest = if rest.is_empty() { Vec::new() } else { wrapped(rest, columns - indent) };
        let _ = writeln!(self.session.streams.err, "{}", first.trim_end());
        for row in rest {
            let _ = writeln!(self.session.streams.err, "{:indent$}{}", "", row.trim_end());
        }
    }
}
