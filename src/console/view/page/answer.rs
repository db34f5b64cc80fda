//! A reply in words, without building the answer.

use crate::ask::{Given, Kind, Pick, Question, Reply};

/// Whether there is an answer.
pub fn is_answered(question: &Question, reply: &Reply) -> bool {
    match question.kind {
        Kind::FreeText => !reply.text.is_blank(),
        Kind::SingleChoice | Kind::MultiChoice => !reply.picks.is_empty(),
    }
}

/// The answer in one text, uncleaned; at most so many picks of it.
pub fn answer_text(question: &Question, reply: &Reply, picks: usize) -> String {
    if question.kind == Kind::FreeText {
        return reply.text.display().into_owned();
    }
    let words = reply.picks.iter().take(picks).filter_map(|pick| match pick {
        Pick::Option(place) => question.options.get(*place).map(|option| option.label.display()),
        Pick::Own(words) => Some(words.display()),
    });
    let mut out = words.collect::<Vec<_>>().join(", ");
    if reply.picks.len() > picks {
        out.push_str(", …");
    }
    out
}

/// What an earlier record said, in one text, uncleaned; at most so many words of a list.
pub fn given_text(given: &Given, words: usize) -> String {
    match given {
        Given::Words(answer) => {
            let values = answer.values();
            let mut out =
                values.iter().take(words).map(|value| value.display()).collect::<Vec<_>>().join(", ");
            if values.len() > words {
                out.push_str(", …");
            }
            out
        }
        Given::Source(source) => source.clone(),
    }
}
