//! What was answered the last time the same question was asked, at another gate.

use super::entry::{COLUMNS, Entry};
use super::words::fold;
use crate::ask::{Draft, Gate, JsString, Kind, Question, QuestionSpec, Reply, salvage};
use crate::store::state::StateDir;
use rusqlite::params;

/// So many of the newest entries are looked at: a form opens at once, and an author remembers no further back.
const NEWEST: i64 = 500;
/// And of these so many that ask the question.
const TRIES: i64 = 8;

/// An answer given at another gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastTime {
    /// The answer, as a reply to the question asked now.
    pub reply: Reply,
    /// The step it was given for.
    pub step: Option<JsString>,
}

/// For each question of a gate with options the newest answer that another gate got to it, if it fits: to a question with the
/// same id or the same text. A history that cannot be read knows of none.
pub fn last_time(state: &StateDir, gate: &Gate) -> Vec<Option<LastTime>> {
    let key = state.gate_key(&gate.answer_path);
    gate.spec.questions.iter().map(|question| find(state, &key, question)).collect()
}

fn find(state: &StateDir, gate: &str, question: &Question) -> Option<LastTime> {
    if question.kind == Kind::FreeText {
        return None;
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM entries JOIN words USING (seq)
         WHERE valid AND gate <> ?1 AND seq > (SELECT max(seq) FROM entries) - ?4
           AND (instr(ids, ?2) > 0 OR instr(words, ?3) > 0)
         ORDER BY seq DESC LIMIT ?5"
    );
    let id = format!(" {} ", question.id);
    let text = fold(&question.question.lossy());
    let found = state.read(|connection| {
        let mut statement = connection.prepare_cached(&sql)?;
        let rows =
            statement.query_map(params![gate, id, text, NEWEST, TRIES], |row| Entry::read(state, row))?;
        rows.collect::<Result<Vec<Entry>, _>>()
    });
    found.ok()??.into_iter().find_map(|entry| fitting(entry, question))
}

/// The answer of an entry to a question, if that question was asked and the answer fits today.
fn fitting(entry: Entry, question: &Question) -> Option<LastTime> {
    let asked = entry.asked()?;
    let same_text = || asked.questions.iter().find(|old| old.question == question.question);
    let id = asked.find(&question.id).map(|(_, old)| old).or_else(same_text)?.id.clone();
    let spec = QuestionSpec { questions: vec![Question { id, ..question.clone() }], ..asked };
    let answers = salvage(&spec, &entry.bytes().ok()?);
    let reply = Draft::prefilled(&spec, &answers).replies.pop().filter(|_| !answers.is_empty())?;
    // Whoever takes it answers himself.
    Some(LastTime { reply: Reply { prefilled: false, ..reply }, step: entry.step })
}
