//! What was answered, before anything comes of it.

use super::Interview;
use super::line::{is_yes, numbers};
use crate::ask::draft::IS_DEFAULT;
use crate::command::answer::refusal::refuses;
use crate::command::lines;
use crate::error::Error;
use crate::text::say;

impl Interview<'_, '_> {
    pub(super) fn refuses(&self) -> bool {
        refuses(&self.gate.spec, &self.draft.answers(&self.gate.spec))
    }

    /// Shows every answer; a question's number goes back to it, `yes` ends.
    pub(super) fn review(&mut self) -> Result<Option<usize>, Error> {
        self.print_line("");
        self.print(say("Your answers:", "你的回答："), &[]);
        for (at, question) in self.gate.spec.questions.iter().enumerate() {
            let reply = &self.draft.replies[at];
            let values = match reply.answer(question).map(|answer| lines::values(&answer, self.lang)) {
                Some(values) if reply.is_default() => IS_DEFAULT.fill(self.lang, &[&values]),
                Some(values) => values,
                None => say("(left out)", "（未答）").text(self.lang).to_owned(),
            };
            let (number, header) = ((at + 1).to_string(), question.header.display());
            self.print(say("{0}. {1}: {2}", "{0}. {1}：{2}"), &[&number, &header, &values]);
            self.print_note(at);
        }
        let refuses = self.refuses();
        if let Some(&place) = self.draft.missing(&self.gate.spec).first()
            && !refuses
        {
            self.print(say("One that must be answered is missing.", "还有必答题没有回答。"), &[]);
            return Ok(Some(place));
        }
        let ask = if refuses {
            say(
                "This sends the step back; no record is written. Type yes to send it back, or a number to change an answer:",
                "这些回答会退回这一步，不写入记录。输入 yes（或 是）退回，或输入编号修改：",
            )
        } else {
            say(
                "Type yes to write the record, or a number to change an answer:",
                "输入 yes（或 是）写入记录，或输入编号修改：",
            )
        };
        loop {
            self.print(ask, &[]);
            let line = self.read()?;
            match line.trim() {
                _ if is_yes(&line) => return Ok(None),
                words => {
                    if let Some(&[place]) = numbers(words, self.draft.replies.len()).as_deref() {
                        return Ok(Some(place));
                    }
                    self.print(say("That is neither; nothing was taken.", "两者都不是，没有采用。"), &[]);
                }
            }
        }
    }
}
