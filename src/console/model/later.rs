//! Until when a gate is put off, in words.

use super::Model;
use crate::console::sentences as s;
use crate::store::clock;
use crate::store::later::Later;
use crate::text::{Lang, Sentence};
use std::time::{Duration, SystemTime};

impl Model {
    /// Until when a gate can be put off, and how that is called.
    pub fn later_choices(&self) -> [(Sentence, Option<SystemTime>); 3] {
        [
            (s::IN_AN_HOUR, Some(self.now + Duration::from_hours(1))),
            (s::TOMORROW_MORNING, Some(clock::tomorrow_morning(&self.local_now()))),
            (s::WHEN_IT_CHANGES, None),
        ]
    }

    pub fn later_words(&self, later: &Later, lang: Lang) -> String {
        match later.until {
            Some(time) => s::UNTIL.fill(lang, &[&clock::local_time(time, &self.local_now(), lang)]),
            None => s::UNTIL_IT_CHANGES.text(lang).to_owned(),
        }
    }
}
