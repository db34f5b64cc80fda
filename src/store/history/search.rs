//! Finding entries: by words, question, step and time, in one gate or in the whole project; and what was answered the last time
//! the same question was asked, at another gate.

use super::entry::{COLUMNS, HistoryEntry};
use super::found::Found;
use crate::ask::compare::{read_answers, read_notes};
use crate::ask::json::{Item, Json};
use crate::ask::{Draft, Gate, JsString, Kind, Question, QuestionSpec, Reply, decode_spec, salvage};
use crate::error::Error;
use crate::store::state::StateDir;
use crate::text::Query;
use crate::text::query::{Word, folded};
use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr_iter};
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

/// What is looked for; each part narrows it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Only the gate with this answer path.
    pub answer_path: Option<JsString>,
    /// With it, the old texts of this packet, whose path is relative to the root.
    pub packet: Option<JsString>,
    /// Words in the answers, notes, questions, topic, step, path or name of who answered; case, width and the kind of white
    /// space do not matter. Pinyin and initials find names, and questions and answers that begin so.
    pub text: Option<String>,
    /// Only where this question is asked or answered.
    pub question: Option<String>,
    pub step: Option<JsString>,
    pub since: Option<SystemTime>,
    pub until: Option<SystemTime>,
}

/// Where `placed` stands behind the [`COLUMNS`].
const PLACED: usize = 16;

impl Search {
    /// Whether the words and the question that are looked for are in what is no entry: what is known of it, in the order of
    /// [`words`], what was asked, and answers as a record has them.
    pub(in crate::store) fn finds(
        &self,
        known: &[Option<&JsString>],
        novel_ask: &str,
        record: &[u8],
    ) -> bool {
        let (ids, words) = words(known, Some(novel_ask), record);
        let text = self.text.as_deref().map(fold).unwrap_or_default();
        let is_asked = self.question.as_ref().is_none_or(|id| ids.contains(&format!(" {id} ")));
        is_asked && Wanted::new(&text).is_in(words.as_bytes())
    }
}

/// The entries that match, with how many there are and how many of them are damaged.
pub fn search(state: &StateDir, search: &Search) -> Result<Found, Error> {
    let gate = search.answer_path.as_ref().map(|path| state.gate_key(path));
    let packet = search.packet.as_ref().map(|path| state.gate_key(path));
    let text = search.text.as_deref().map(fold).unwrap_or_default();
    let id = search.question.as_ref().map(|id| format!(" {id} ")).unwrap_or_default();
    let found = state.read(|connection| {
        let said = saying(connection, &text, &id)?;
        let sql = format!(
            "SELECT {COLUMNS}, placed FROM entries
             WHERE (gate = coalesce(?1, gate) OR gate = ?5) AND (?2 IS NULL OR step = ?2)
             AND (typeof(made) <> 'integer' OR made >= ?3 AND made < ?4) ORDER BY seq"
        );
        let until = search.until.map_or(i64::MAX, milliseconds);
        let since = search.since.map_or(i64::MIN, milliseconds);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![gate, search.step, since, until, packet])?;
        let (mut found, mut dated, mut latest) = (Found::default(), Vec::new(), HashMap::new());
        while let Some(row) = rows.next()? {
            let is_said = |seq: i64| said.as_ref().is_none_or(|said| said.binary_search(&seq).is_ok());
            if !row.get(0).is_ok_and(is_said) {
                continue;
            }
            let Some(entry) = HistoryEntry::read_if_sound(state, row) else {
                found.damaged += 1;
                continue;
            };
            // By what is shown; but nobody answers after he is seen to, and within a gate they stay in the order in which they
            // came.
            let date = entry.date().min(entry.time());
            let date = *latest.entry(entry.gate).and_modify(|last| *last = date.max(*last)).or_insert(date);
            dated.push((date, row.get::<_, i64>(PLACED).unwrap_or(entry.made), entry.seq));
        }
        dated.sort_unstable();
        found.places = dated.into_iter().rev().map(|(_, _, seq)| seq).collect();
        let count: i64 = match &gate {
            None => connection.query_row("SELECT count(*) FROM entries", [], |row| row.get(0))?,
            Some(gate) => {
                let sql = "SELECT count(*) FROM entries WHERE gate IN (?1, ?2)";
                connection.query_row(sql, (gate, &packet), |row| row.get(0))?
            }
        };
        Ok(Found { all: usize::try_from(count).unwrap_or_default(), ..found })
    });
    Ok(found?.unwrap_or_default())
}

/// A number that changes when entries come or go; nothing if that is not known.
pub fn stamp(state: &StateDir) -> Option<u128> {
    let sql = "SELECT count(*), coalesce(max(seq), 0) FROM entries";
    let found = state.read(|connection| {
        connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
    });
    let (count, newest) = found.ok()?.unwrap_or_default();
    Some(u128::from(newest.unsigned_abs()) << 64 | u128::from(count.unsigned_abs()))
}

/// The first millisecond that is not before a time.
fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}

/// The entries that say these words and have this id between spaces, in the order in which they came; `None` if all do.
fn saying(connection: &Connection, text: &str, id: &str) -> rusqlite::Result<Option<Vec<i64>>> {
    if text.is_empty() && id.is_empty() {
        return Ok(None);
    }
    let (id, mut wanted) = (Finder::new(id), Wanted::new(text));
    let mut statement = connection.prepare_cached("SELECT seq, ids, words FROM words ORDER BY seq")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        // In place, and not even looked at as characters: a search goes through megabytes.
        let (ids, words) = (row.get_ref(1)?.as_bytes()?, row.get_ref(2)?.as_bytes()?);
        if id.find(ids).is_some() && wanted.is_in(words) {
            found.push(row.get(0)?);
        }
    }
    Ok(Some(found))
}

/// Of the words of one entry, so many bytes are looked at for pinyin.
const SOUND_LIMIT: usize = 3_000;
/// The texts in front of the others: topic, step, who answered, path.
const NAMES: usize = 4;

/// What is looked for in the words of one entry after the other.
struct Wanted<'t> {
    text: Finder<'t>,
    query: Query,
    /// For each character, whether what its first word finds may begin so, as far as that was asked.
    begins: Vec<Option<bool>>,
}

impl Wanted<'_> {
    fn new(text: &str) -> Wanted<'_> {
        Wanted { text: Finder::new(text), query: Query::new(text), begins: vec![None; 1 << 16] }
    }

    fn is_in(&mut self, words: &[u8]) -> bool {
        self.text.find(words).is_some() || self.sounds(words)
    }

    /// Whether an entry has each word: itself or its sound in its names, else at the start of a question or answer. Two
    /// initials stand somewhere in every long text.
    fn sounds(&mut self, words: &[u8]) -> bool {
        let query = self.query.words();
        // One that has no sound stands there as it is typed, or nowhere.
        let can_be =
            |word: &Word| word.is_sound() || memmem::find(words, word.letters().as_bytes()).is_some();
        if !query.iter().all(can_be) {
            return false;
        }
        let words = &words[..words.len().min(SOUND_LIMIT)];
        let starts = || [0].into_iter().chain(memchr_iter(END as u8, words).map(|end| end + 1)).enumerate();
        let text_at = |start: usize| {
            let end = memchr(END as u8, &words[start..]).map_or(words.len(), |length| start + length);
            String::from_utf8_lossy(&words[start..end])
        };
        let has = |word: &Word, can_begin: &mut dyn FnMut(char) -> bool| {
            starts().any(|(at, start)| {
                if at < NAMES {
                    let name = text_at(start);
                    name.chars().any(&mut *can_begin) && word.find_by_sound(&name).is_some()
                } else {
                    first_char(&words[start..]).is_some_and(&mut *can_begin)
                        && word.sound_at_start(&text_at(start)).is_some()
                }
            })
        };
        let Some((first, others)) = query.split_first() else { return false };
        let mut can_begin = |c: char| match self.begins.get_mut(c as usize) {
            Some(known) => *known.get_or_insert_with(|| first.can_begin(c)),
            None => first.can_begin(c),
        };
        has(first, &mut can_begin) && others.iter().all(|word| has(word, &mut |_| true))
    }
}

fn first_char(text: &[u8]) -> Option<char> {
    let (first, more) = text.split_first()?;
    let length = first.leading_ones().saturating_sub(1) as usize;
    str::from_utf8(&text[..=length.min(more.len())]).ok()?.chars().next()
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

/// For each question of a gate with options the newest answer that another gate got to a question with the same text, if it
/// fits. An id alone says nothing: `q1` asks for something else in each packet. A history that cannot be read knows of none.
pub fn last_time(state: &StateDir, gate: &Gate) -> Vec<Option<LastTime>> {
    let questions = &gate.spec.questions;
    let none = || vec![None; questions.len()];
    let found = state.read(|connection| {
        let sql = "SELECT words, seq, step FROM entries JOIN words USING (seq)
             WHERE valid AND gate <> ?1 AND seq > (SELECT max(seq) FROM entries) - ?2 ORDER BY seq DESC";
        let mut found = none();
        let with_options = questions.iter().enumerate().filter(|(_, asked)| asked.kind != Kind::FreeText);
        let text = |question: &Question| format!("{END}{}{END}", fold(&question.question.lossy()));
        let mut wanted: Vec<(usize, String, usize)> =
            with_options.map(|(place, question)| (place, text(question), TRIES)).collect();
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![state.gate_key(&gate.answer_path), NEWEST])?;
        let mut records =
            connection.prepare_cached("SELECT record, novel_ask FROM records WHERE seq = ?1")?;
        while let Some(row) = rows.next()?.filter(|_| !wanted.is_empty()) {
            let words = row.get_ref(0)?.as_str()?;
            let mut places = Vec::new();
            for (place, text, tries) in &mut wanted {
                if words.contains(&**text) {
                    *tries -= 1;
                    places.push(*place);
                }
            }
            let kept = (!places.is_empty()).then(|| {
                records.query_row([row.get::<_, i64>(1)?], |kept| {
                    let (record, asked): (Vec<u8>, String) = (kept.get(0)?, kept.get(1)?);
                    Ok((record, decode_spec(asked.as_bytes()).ok(), row.get::<_, Option<JsString>>(2)?))
                })
            });
            if let Some(Ok((record, Some(asked), step))) = kept {
                // One with the same id comes first.
                places.sort_by_key(|&place| asked.find(&questions[place].id).is_none());
                let mut offered = HashSet::new();
                for place in places {
                    let reply = fitting(&asked, &record, &questions[place]);
                    // An answer is offered to one question.
                    let reply = reply.filter(|(id, _)| offered.insert(id.clone()));
                    found[place] = reply.map(|(_, reply)| LastTime { reply, step: step.clone() });
                }
            }
            wanted.retain(|(place, _, tries)| *tries > 0 && found[*place].is_none());
        }
        Ok(found)
    });
    state.tolerate(found).flatten().unwrap_or_else(none)
}

/// The answer of a record to a question, as far as it was asked and the answer fits today; with the id that it was asked by.
fn fitting(asked: &QuestionSpec, record: &[u8], question: &Question) -> Option<(String, Reply)> {
    let is_same = |old: &&Question| old.question == question.question;
    let same_id = asked.find(&question.id).map(|(_, old)| old).filter(is_same);
    let id = &same_id.or_else(|| asked.questions.iter().find(is_same))?.id;
    let questions = vec![Question { id: id.clone(), ..question.clone() }];
    let spec = QuestionSpec { questions, topic: asked.topic.clone(), ..*asked };
    let answers = salvage(&spec, record);
    let reply = Draft::prefilled(&spec, &answers).replies.pop().filter(|_| !answers.is_empty())?;
    // Whoever takes it answers himself.
    Some((id.clone(), Reply { prefilled: false, ..reply }))
}

/// Of the words of one entry, no more are searched than about this many bytes: 1 MiB, several hundred thousand
/// characters.
const WORDS_LIMIT: usize = 1 << 20;
/// Of a record that is no JSON, this many bytes are searched.
const RAW_LIMIT: usize = 64 << 10;

/// What stands behind each text of an entry.
const END: char = '\u{1f}';

/// What is found of a record, of what was asked, and of what else is known of them: the ids of questions and answers, a space
/// before and behind each; and the words, [folded](fold).
pub(super) fn words(known: &[Option<&JsString>], novel_ask: Option<&str>, record: &[u8]) -> (String, String) {
    let asked = novel_ask.and_then(|asked| Json::parse(asked.as_bytes()).ok());
    let questions = asked.as_ref().and_then(|asked| asked.root().get("questions"));
    let answers = read_answers(record);
    let (mut ids, mut words, mut seen) = (" ".to_owned(), String::new(), HashSet::new());
    let mut add = |text: &str| {
        let left = WORDS_LIMIT.saturating_sub(words.len());
        words.push_str(&fold(&text[..text.floor_char_boundary(left)]));
        words.push(END);
    };
    let mut add_id = |id: &JsString| {
        let is_plain = |id: &str| !id.is_empty() && !id.contains(char::is_whitespace);
        if id.as_str().is_some_and(is_plain) && seen.insert(id.clone()) {
            ids.push_str(&id.lossy());
            ids.push(' ');
        }
    };
    for text in known {
        add(&text.map(JsString::lossy).unwrap_or_default());
    }
    for question in questions.into_iter().flat_map(Item::elements) {
        for key in ["header", "question"] {
            add(&question.text(key).unwrap_or_default().lossy());
        }
        add_id(&question.text("id").unwrap_or_default());
    }
    for (id, value) in &answers {
        add_id(id);
        value.strings().iter().for_each(|text| add(&text.lossy()));
    }
    for (_, note) in &read_notes(record) {
        add(&note.lossy());
    }
    let beginning = String::from_utf8_lossy(&record[..record.len().min(RAW_LIMIT)]);
    // Of what was sent back the reason stands in front.
    if answers.is_empty() || beginning.contains("\"_sent_back\"") {
        add(&beginning);
    }
    (ids, words)
}

/// Words as they are compared: lower case, full-width forms as half-width ones, each run of white space and control
/// characters as one space.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.trim().chars() {
        if c.is_whitespace() || c.is_control() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        out.extend(folded(c));
    }
    out
}

#[cfg(test)]
mod tests;
