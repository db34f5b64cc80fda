//! What the author has put aside at a question: other answers, and words typed for `Other` before those that stand there.

use super::Reply;
use crate::ask::js_string::JsString;

impl Reply {
    /// Puts an answer of the author's aside, within reach of [`Reply::cycle`]; nothing of a reply that says nothing.
    pub fn put_aside(&mut self, reply: Reply) {
        if reply.says() {
            self.put_even_blank_aside(reply);
        }
    }

    fn put_even_blank_aside(&mut self, reply: Reply) {
        let is_same = |aside: &Reply| aside.typed_words().is_none() && aside.says_as(&reply);
        if !self.alternatives.iter().any(is_same) {
            let (picks, text) = (reply.picks, reply.text);
            self.alternatives.push(Reply { picks, text, touched: true, ..Reply::default() });
        }
    }

    /// Puts words aside that were typed for `Other` and not chosen, unless they are still there.
    pub fn put_words_aside(&mut self, words: String) {
        let aside = Reply { other: words, ..Reply::default() };
        if !self.shows_words(&aside.other) && !self.alternatives.contains(&aside) {
            self.alternatives.push(aside);
        }
    }

    /// Whether words, if any, are own words of this reply or typed for them.
    fn shows_words(&self, words: &str) -> bool {
        let words = words.trim();
        words.is_empty() || self.other.trim() == words || self.own().any(|own| own.lossy().trim() == words)
    }

    /// The words, if that is all that was put aside here.
    pub fn typed_words(&self) -> Option<&str> {
        Some(&*self.other).filter(|words| !self.says() && !words.trim().is_empty())
    }

    /// Puts own words aside that a reply had whose place this one takes, and what that one had put aside.
    pub fn spare(&mut self, gone: &Reply) {
        let stays = |words: &JsString| self.own().any(|own| own == words) || *words == *self.other.as_str();
        let lost = (!gone.own().all(stays)).then(|| gone.clone());
        for aside in gone.alternatives.iter().cloned().chain(lost) {
            match aside.typed_words() {
                Some(words) => self.put_words_aside(words.to_owned()),
                None if self.says_as(&aside) => {}
                None => self.put_aside(aside),
            }
        }
    }

    /// Takes the next answer there is: that of an earlier record if the author's own stands here, else one that was put
    /// aside. His own goes aside, and so does that there was none, for as long as the console runs; what is that of the record
    /// stays there. Words that were typed and never chosen stand in the row for own words again, and choose nothing. False if
    /// there is no other.
    pub fn cycle(&mut self, record: Option<&Reply>) -> bool {
        let next = match (self.other_than_own(record), self.first_aside()) {
            (Some(record), _) => record.clone(),
            (None, Some(aside)) => self.alternatives.remove(aside),
            (None, None) => return false,
        };
        if next.typed_words().is_some() {
            let typed = std::mem::replace(&mut self.other, next.other);
            self.put_words_aside(typed);
            return true;
        }
        let now = std::mem::take(self);
        let (other, note, alternatives) = (now.other.clone(), now.note.clone(), now.alternatives.clone());
        // With another note than the record's, it is the author's answer all the same.
        let prefilled = next.prefilled && note == next.note;
        *self = Reply { other, prefilled, alternatives, note, ..next };
        let is_records = record.is_some_and(|record| record.says_as(&now));
        if !now.prefilled && !is_records && !self.says_as(&now) {
            self.put_even_blank_aside(now);
        }
        true
    }

    /// What [`Reply::cycle`] takes.
    pub fn next_answer<'r>(&'r self, record: Option<&'r Reply>) -> Option<&'r Reply> {
        self.other_than_own(record).or_else(|| Some(&self.alternatives[self.first_aside()?]))
    }

    pub fn can_cycle(&self, record: Option<&Reply>) -> bool {
        self.next_answer(record).is_some()
    }

    /// The first that was put aside and says something else.
    fn first_aside(&self) -> Option<usize> {
        self.alternatives.iter().position(|aside| !self.shows(aside))
    }

    /// Whether what was put aside stands here.
    fn shows(&self, aside: &Reply) -> bool {
        aside.typed_words().map_or_else(|| self.says_as(aside), |words| self.shows_words(words))
    }

    /// What was put aside and says something, but words that stand here again.
    pub fn asides(&self) -> impl Iterator<Item = &Reply> {
        self.alternatives
            .iter()
            .filter(|aside| aside.says() || aside.typed_words().is_some() && !self.shows(aside))
    }

    /// The answer of an earlier record, if something else stands here.
    fn other_than_own<'r>(&self, record: Option<&'r Reply>) -> Option<&'r Reply> {
        record.filter(|record| record.says() && !self.prefilled && !self.says_as(record))
    }
}
