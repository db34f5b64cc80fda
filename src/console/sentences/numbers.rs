//! Times, lengths and counts in words.

use crate::store::clock::local_time;
use crate::text::{Lang, Sentence, count, say};
use jiff::Zoned;
use std::time::SystemTime;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// From so long ago on, a date says more than a number of days, where there is room for it.
const LONG: u64 = 100 * DAY;

/// How long ago, short: `just now`, `2 min`, `3 h`, `5 d`; the time itself, if it lies ahead.
pub fn age(then: SystemTime, now: &Zoned, lang: Lang) -> String {
    let (says, count) = match seconds_since(then, now) {
        None => return local_time(then, now, lang),
        Some(0..MINUTE) => (say("just now", "刚刚"), 0),
        Some(age @ MINUTE..HOUR) => (say("{0} min", "{0} 分钟"), age / MINUTE),
        Some(age @ HOUR..DAY) => (say("{0} h", "{0} 小时"), age / HOUR),
        Some(age) => (say("{0} d", "{0} 天"), age / DAY),
    };
    says.fill(lang, &[&count.to_string()])
}

/// The same inside a sentence: `just now`, `2 min ago`; the time itself, if it lies long back too.
pub fn ago(then: SystemTime, now: &Zoned, lang: Lang) -> String {
    let short = age(then, now, lang);
    match seconds_since(then, now) {
        Some(MINUTE..LONG) => say("{0} ago", "{0}前").fill(lang, &[&short]),
        Some(LONG..) => local_time(then, now, lang),
        _ => short,
    }
}

/// `None` if it lies ahead by more than two clocks may differ.
fn seconds_since(then: SystemTime, now: &Zoned) -> Option<u64> {
    match SystemTime::from(now.timestamp()).duration_since(then) {
        Ok(age) => Some(age.as_secs()),
        Err(ahead) => (ahead.duration().as_secs() < MINUTE).then_some(0),
    }
}

/// How long a text is, as the language counts: words, or 字.
pub fn length(text: &str, lang: Lang) -> String {
    let count = match lang {
        Lang::En => count::words(text),
        Lang::ZhCn => count::characters(text),
    };
    counted(count, say("1 word", "1 字"), say("{0} words", "{0} 字"), lang)
}

/// A count with the sentence for one or for many.
pub fn counted(count: usize, one: Sentence, many: Sentence, lang: Lang) -> String {
    if count == 1 { one.text(lang).to_owned() } else { many.fill(lang, &[&count.to_string()]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ages_are_short_and_what_lies_ahead_or_long_back_has_its_date() {
        let now: Zoned = "2026-02-27T18:12:34+08:00[+08:00]".parse().expect("a time");
        let before = |seconds| SystemTime::from(now.timestamp()) - Duration::from_secs(seconds);
        let at = |seconds| age(before(seconds), &now, Lang::En);
        assert_eq!([at(59), at(60), at(7_199), at(86_400)], ["just now", "1 min", "1 h", "1 d"]);
        assert_eq!([at(LONG - 1), at(LONG)], ["99 d", "100 d"]);
        assert_eq!(ago(before(300), &now, Lang::ZhCn), "5 分钟前");
        let ahead = |seconds| before(0) + Duration::from_secs(seconds);
        for (then, en, zh) in [
            (before(3), "just now", "刚刚"),
            (ahead(59), "just now", "刚刚"),
            (ahead(60), "today 18:13", "今天 18:13"),
            (before(LONG - 1), "99 d ago", "99 天前"),
            (before(LONG), "19 Nov 2025 18:12", "2025 年 11 月 19 日 18:12"),
        ] {
            assert_eq!([ago(then, &now, Lang::En), ago(then, &now, Lang::ZhCn)], [en, zh]);
        }
    }
}
