//! Finding entries: by words, question, step and time, in one gate or in the whole project; and what was answered the last time
//! the same question was asked, at another gate.

use super::entry::{COLUMNS, HistoryEntry};
use crate::ask::compare::read_answers;
use crate::ask::json::{Item, Json};
use crate::ask::{Draft, Gate, JsString, Kind, Question, QuestionSpec, Reply, salvage};
use crate::error::Error;
use crate::store::state::StateDir;
use crate::text::Query;
use crate::text::query::Word;
use crate::text::width::narrow;
use rusqlite::{Connection, params};
use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is looked for; each part narrows it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Only the gate with this answer path.
    pub answer_path: Option<JsString>,
    /// Words in the answers, questions, topic, step, path or name of who answered; case, width and the kind of white
    /// space do not matter. Pinyin and initials find names, and questions and answers that begin so.
    pub text: Option<String>,
    /// Only where this question is asked or answered.
    pub question: Option<String>,
    pub step: Option<JsString>,
    pub since: Option<SystemTime>,
    pub until: Option<SystemTime>,
}

/// The entries that match, newest first.
pub fn search(state: &StateDir, search: &Search) -> Result<Vec<HistoryEntry>, Error> {
    search_of_all(state, search).map(|found| found.entries)
}

/// What a search has found.
#[derive(Debug, Default)]
pub struct Found {
    /// The newest first.
    pub entries: Vec<HistoryEntry>,
    /// How many there are where it was looked: in the gate that is named, or in the project.
    pub all: usize,
    /// How many more are damaged.
    pub damaged: usize,
}

/// The same, with how many there are and how many of them are damaged.
pub fn search_of_all(state: &StateDir, search: &Search) -> Result<Found, Error> {
    let gate = search.answer_path.as_ref().map(|path| state.gate_key(path));
    let text = search.text.as_deref().map(fold).unwrap_or_default();
    let id = search.question.as_ref().map(|id| format!(" {id} ")).unwrap_or_default();
    let found = state.read(|connection| {
        let said = saying(connection, &text, &id)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM entries
             WHERE gate = coalesce(?1, gate) AND (?2 IS NULL OR step = ?2)
             AND (typeof(made) <> 'integer' OR made >= ?3 AND made < ?4)
             ORDER BY placed DESC, seq DESC"
        );
        let until = search.until.map_or(i64::MAX, milliseconds);
        let since = search.since.map_or(i64::MIN, milliseconds);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![gate, search.step, since, until])?;
        let mut found = Found::default();
        while let Some(row) = rows.next()? {
            if said.as_ref().is_none_or(|said| row.get(0).is_ok_and(|seq: i64| said.contains(&seq))) {
                let entry = HistoryEntry::read_if_sound(state, row);
                found.damaged += usize::from(entry.is_none());
                found.entries.extend(entry);
            }
        }
        let count = "SELECT count(*) FROM entries WHERE gate = coalesce(?1, gate)";
        let count: i64 = connection.query_row(count, [&gate], |row| row.get(0))?;
        Ok(Found { all: usize::try_from(count).unwrap_or_default(), ..found })
    });
    Ok(found?.unwrap_or_default())
}

/// A number that changes when entries of the gate with this [key](StateDir::gate_key), or of any gate, come or go; nothing
/// if that is not known.
pub fn stamp(state: &StateDir, gate: Option<&str>) -> Option<u128> {
    let sql = "SELECT count(*), coalesce(max(seq), 0) FROM entries WHERE gate = coalesce(?1, gate)";
    let found = state.read(|connection| {
        connection.query_row(sql, [gate], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
    });
    let (count, newest) = found.ok()?.unwrap_or_default();
    Some(u128::from(newest.unsigned_abs()) << 64 | u128::from(count.unsigned_abs()))
}

/// The first millisecond that is not before a time.
fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}

/// The entries that say these words and have this id between spaces; `None` if all do.
fn saying(connection: &Connection, text: &str, id: &str) -> rusqlite::Result<Option<HashSet<i64>>> {
    if text.is_empty() && id.is_empty() {
        return Ok(None);
    }
    let query = Query::new(text);
    let mut statement = connection.prepare_cached("SELECT seq, ids, words FROM words")?;
    let mut rows = statement.query([])?;
    let mut found = HashSet::new();
    while let Some(row) = rows.next()? {
        // In place: a search looks at megabytes, and Rust's own search is several times faster than SQL's.
        let (ids, words) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        if ids.contains(id) && (words.contains(text) || sounds(words, &query)) {
            found.insert(row.get(0)?);
        }
    }
    Ok(Some(found))
}

/// Of the words of one entry, so many bytes are looked at for pinyin.
const SOUND_LIMIT: usize = 3_000;
/// The texts in front of the others: topic, step, who answered, path.
const NAMES: usize = 4;

/// Whether an entry has each word of a query: itself or its sound in its names, else at the start of a question or answer.
/// Two initials stand somewhere in every long text.
fn sounds(words: &str, query: &Query) -> bool {
    let words = &words[..words.floor_char_boundary(SOUND_LIMIT)];
    let has =
        |word: &Word| {
            let mut texts = words.split(END).enumerate();
            texts.any(|(at, text)| {
                if at < NAMES { word.find_by_sound(text).is_some() } else { word.is_sound_at_start(text) }
            })
        };
    !query.words().is_empty() && query.words().iter().all(has)
}

/// So many of the newest entries are looked at: a form opens at once, and an author remembers no further back.
const NEWEST: i64 = 500;
/// And of these so many that ask the question.
const TRIES: usize = 8;

/// An answer given at another gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastTime {
    /// The answer, as a reply to the question asked now.
    pub reply: Reply,
    pub step: Option<JsString>,
}

/// For each question of a gate with options the newest answer that another gate got to it, if it fits: to a question with the
/// same id or the same text. A history that cannot be read knows of none.
pub fn last_time(state: &StateDir, gate: &Gate) -> Vec<Option<LastTime>> {
    let questions = &gate.spec.questions;
    let asking = state.read(|connection| asking(connection, state, gate));
    let asking = state.tolerate(asking).flatten().unwrap_or_default();
    let mut found = vec![None; questions.len()];
    for (entry, places) in asking {
        let open: Vec<usize> = places.into_iter().filter(|&place| found[place].is_none()).collect();
        for (place, last) in fitting(&entry, questions, &open).unwrap_or_default() {
            found[place] = Some(last);
        }
    }
    found
}

/// The newest valid entries of other gates that may ask questions of this one, each with the places of these.
fn asking(
    connection: &Connection,
    state: &StateDir,
    gate: &Gate,
) -> rusqlite::Result<Vec<(HistoryEntry, Vec<usize>)>> {
    let sql = format!(
        "SELECT {COLUMNS}, ids, words FROM entries JOIN words USING (seq)
         WHERE valid AND gate <> ?1 AND seq > (SELECT max(seq) FROM entries) - ?2 ORDER BY seq DESC"
    );
    let says = |question: &Question| (format!(" {} ", question.id), fold(&question.question.lossy()));
    let with_options =
        gate.spec.questions.iter().enumerate().filter(|(_, asked)| asked.kind != Kind::FreeText);
    let mut wanted: Vec<(usize, _, usize)> =
        with_options.map(|(place, question)| (place, says(question), TRIES)).collect();
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![state.gate_key(&gate.answer_path), NEWEST])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()?.filter(|_| !wanted.is_empty()) {
        let (ids, words) = (row.get_ref("ids")?.as_str()?, row.get_ref("words")?.as_str()?);
        let mut places = Vec::new();
        for (place, (id, text), tries) in &mut wanted {
            if ids.contains(&**id) || words.contains(&**text) {
                *tries -= 1;
                places.push(*place);
            }
        }
        wanted.retain(|(_, _, tries)| *tries > 0);
        if !places.is_empty() {
            entries.extend(HistoryEntry::read_if_sound(state, row).map(|entry| (entry, places)));
        }
    }
    Ok(entries)
}

/// The answers of an entry to the questions at these places, as far as they were asked and the answers fit today.
fn fitting(entry: &HistoryEntry, questions: &[Question], places: &[usize]) -> Option<Vec<(usize, LastTime)>> {
    if places.is_empty() {
        return None;
    }
    let asked = entry.asked()?;
    let mut today: Vec<(usize, Question)> = Vec::new();
    let mut places = places.to_vec();
    // The same id counts before the same text.
    places.sort_by_key(|&place| asked.find(&questions[place].id).is_none());
    for place in places {
        let question = &questions[place];
        let same_text = || asked.questions.iter().find(|old| old.question == question.question);
        let Some(old) = asked.find(&question.id).map(|(_, old)| old).or_else(same_text) else { continue };
        // An answer is offered to one question.
        if today.iter().all(|(_, taken)| taken.id != old.id) {
            today.push((place, Question { id: old.id.clone(), ..question.clone() }));
        }
    }
    let (places, questions): (Vec<usize>, Vec<Question>) = today.into_iter().unzip();
    let spec = QuestionSpec { questions, ..asked };
    let answers = salvage(&spec, &entry.bytes().ok()?);
    let replies = places.into_iter().zip(&spec.questions).zip(Draft::prefilled(&spec, &answers).replies);
    let given = replies.filter(|((_, question), _)| answers.iter().any(|(id, _)| *id == question.id));
    // Whoever takes it answers himself.
    let last = |reply| LastTime { reply: Reply { prefilled: false, ..reply }, step: entry.step.clone() };
    Some(given.map(|((place, _), reply)| (place, last(reply))).collect())
}

/// Of the words of one entry, no more are searched than about this many bytes: 1 MiB, several hundred thousand
/// characters.
const WORDS_LIMIT: usize = 1 << 20;
/// Of a record that is no JSON, this many bytes are searched.
const RAW_LIMIT: usize = 64 << 10;

/// What stands behind each text of an entry.
const END: char = '\u{1f}';

#[derive(Default)]
pub(super) struct Words {
    /// The ids of its questions and answers, a space before and behind each.
    pub(super) ids: String,
    /// Its words, [folded](fold).
    pub(super) words: String,
}

impl Words {
    /// Those of a record, of what was asked, and of what else is known of them.
    pub(super) fn of(known: &[Option<&JsString>], novel_ask: Option<&str>, record: &[u8]) -> Words {
        let asked = novel_ask.and_then(|asked| Json::parse(asked.as_bytes()).ok());
        let questions = asked.as_ref().and_then(|asked| asked.root().get("questions"));
        let answers = read_answers(record);
        let mut out = Words { ids: " ".to_owned(), words: String::new() };
        let mut seen = HashSet::new();
        for text in known {
            out.add(&text.map(JsString::lossy).unwrap_or_default());
        }
        for question in questions.into_iter().flat_map(Item::elements) {
            for key in ["header", "question"] {
                out.add(&question.get(key).and_then(Item::string).unwrap_or_default().lossy());
            }
            out.add_id(&question.get("id").and_then(Item::string).unwrap_or_default(), &mut seen);
        }
        for (id, value) in &answers {
            out.add_id(id, &mut seen);
            value.strings().iter().for_each(|text| out.add(&text.lossy()));
        }
        if answers.is_empty() {
            out.add(&String::from_utf8_lossy(&record[..record.len().min(RAW_LIMIT)]));
        }
        out
    }

    fn add(&mut self, text: &str) {
        let left = WORDS_LIMIT.saturating_sub(self.words.len());
        fold_into(&text[..text.floor_char_boundary(left)], &mut self.words);
        self.words.push(END);
    }

    fn add_id(&mut self, id: &JsString, seen: &mut HashSet<JsString>) {
        let fits = |id: &str| !id.is_empty() && !id.contains(char::is_whitespace);
        if id.as_str().is_some_and(fits) && seen.insert(id.clone()) {
            self.ids.push_str(&id.lossy());
            self.ids.push(' ');
        }
    }
}

/// Words as they are compared: lower case, full-width forms as half-width ones, each run of white space and control
/// characters as one space.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

fn fold_into(text: &str, out: &mut String) {
    let mut blank = false;
    for c in text.trim().chars() {
        if c.is_whitespace() || c.is_control() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        out.extend(narrow(c).to_lowercase());
    }
}

#[cfg(test)]
mod tests;
