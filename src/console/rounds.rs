//! The rounds of options that executors propose to a standing question: the same words in details, form and where it is sent back.

use super::draw::sheet::Sheet;
use super::sentences as s;
use super::theme::Role;
use super::voice::Voice;
use crate::ask::standing::Proposing;
use crate::ask::{Question, QuestionSpec};
use crate::error::Message;
use crate::store::attach::Asked;
use crate::store::gate::{Loaded, Status};
use crate::store::rounds::SentBack;
use crate::text::{Sentence, say, width};

/// Writes how far it has come with each question of a gate, if that is open.
pub(super) fn write(loaded: &Loaded, sheet: &mut Sheet<'_>) {
    let is_open = matches!(loaded.status(), Status::Waiting | Status::SentBack);
    let gate = loaded.gate().filter(|_| is_open);
    for question in gate.iter().flat_map(|gate| &gate.spec.questions) {
        if let Some(rounds) = Rounds::of(loaded.asked.as_ref(), question) {
            let sent = loaded.sent_back.as_ref().map(|reply| &reply.sent);
            sheet.text(Role::Dim, &rounds.says(sent, sheet.voice), 0);
        }
    }
}

/// Says which round is new in the questions as they are now, if one is.
pub(super) fn came(before: &QuestionSpec, now: &QuestionSpec) -> Option<Message> {
    let round_before = |id: &str| before.find(id).map_or(0, |(_, it)| it.newest_round());
    let question = now.questions.iter().find(|it| it.newest_round() > round_before(&it.id))?;
    let newest = question.newest_round();
    let places = (0..question.options.len()).filter(|place| question.options[*place].round == Some(newest));
    let marks = question.marks(&places.collect::<Vec<_>>())?;
    let says = say("Round {0} has come: {1}.", "第 {0} 轮备选到了：{1}。");
    Some(Message::new(says, &[&newest.to_string(), &marks]))
}

/// A question to which the executor proposes options, and how far it has come.
#[derive(Clone, Copy)]
pub(super) struct Rounds<'a> {
    proposing: &'a Proposing,
    /// The newest round that there is.
    newest: usize,
}

impl<'a> Rounds<'a> {
    pub(super) fn of(standing: Option<&'a Asked>, question: &Question) -> Option<Rounds<'a>> {
        let proposing = standing?.proposing.iter().find(|it| it.question == question.id)?;
        Some(Rounds { proposing, newest: question.newest_round() })
    }

    /// Where the author is among the rounds; `sent` holds while he refuses what is there.
    pub(super) fn says(self, sent: Option<&SentBack>, voice: Voice<'_>) -> String {
        const LAST: Sentence = say("round {0} of {1}, the last", "第 {0} 轮，共 {1} 轮，已是最后一轮");
        const NO_MORE: Sentence = say(
            "round {0} of {1} was the last; no more options come",
            "第 {0} 轮是最后一轮（共 {1} 轮），不会再有备选",
        );
        const ANOTHER: Sentence = say(
            "round {0} of {1} · {send-back} asks for another",
            "第 {0} 轮，共 {1} 轮 · 按 {send-back} 再要一轮",
        );
        const NEXT: Sentence = say(
            "round {2} of {1} to come; you can answer at once",
            "第 {2} 轮备选未到（共 {1} 轮），可以直接回答",
        );
        let is_over = self.newest >= self.proposing.rounds;
        let waits = sent.is_some_and(|sent| sent.does_not_apply.as_ref() != Some(&self.proposing.question));
        let says = match (self.newest, waits) {
            (0, _) => {
                let options = s::counted(self.proposing.options, s::OPTIONS_ONE, s::OPTIONS_MANY, voice.lang);
                let says = say("{0} to come; you can answer at once", "备选未到（{0}），可以直接回答");
                return says.fill(voice.lang, &[&options]);
            }
            (_, true) if is_over => NO_MORE,
            (_, true) => NEXT,
            (_, false) if is_over => LAST,
            (_, false) => ANOTHER,
        };
        voice.fill(says, &self.numbers().each_ref().map(String::as_str))
    }

    /// What becomes of it when the author sends the step back, in short where there are fewer cells.
    pub(super) fn if_sent_back(self, cells: usize, voice: Voice<'_>) -> String {
        let says = if self.newest < self.proposing.rounds {
            [
                say(
                    "No answer; the executor is told why, and proposes round {2} of {1}.",
                    "不作回答，只把理由告诉执行器；它再给出第 {2} 轮备选（共 {1} 轮）。",
                ),
                say("No answer; asks for round {2} of {1}.", "不作回答；再要第 {2} 轮（共 {1} 轮）。"),
            ]
        } else {
            [
                say(
                    "No answer; the executor is told why, and to propose no more.",
                    "不作回答，只把理由告诉执行器；已是最后一轮，它不再给出备选。",
                ),
                say("No answer, and no more options.", "不作回答，也不再要备选。"),
            ]
        };
        let [whole, short] = says.map(|it| voice.fill(it, &self.numbers().each_ref().map(String::as_str)));
        if width::cells(&whole) <= cells { whole } else { short }
    }

    /// The newest round, how many there are to be, the next one. A file may want fewer than there are already.
    fn numbers(self) -> [String; 3] {
        [self.newest, self.proposing.rounds.max(self.newest), self.newest + 1]
            .map(|number| number.to_string())
    }
}
