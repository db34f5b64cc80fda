//! The present time and the author's time zone, behind a seam; how times are spelled: in UTC in records and JSON, in the
//! author's own time for people.

use crate::text::{Lang, say};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of the present time.
pub trait Clock: Send + Sync {
    fn now(&self) -> SystemTime;

    fn zone(&self) -> TimeZone {
        TimeZone::UTC
    }

    fn local_now(&self) -> Zoned {
        local(self.now(), self.zone())
    }
}

/// The system's clock, in this time zone; if none is given, in the system's.
#[derive(Clone, Debug, Default)]
pub struct SystemClock(pub Option<TimeZone>);

/// A clock that stands still, for tests and demonstrations.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub SystemTime);

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn zone(&self) -> TimeZone {
        self.0.clone().unwrap_or_else(TimeZone::system)
    }
}

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        self.0
    }
}

/// The first moment of the year 0000, and the last second the library knows in 9999.
const RANGE: (Timestamp, Timestamp) =
    (Timestamp::constant(-62_167_219_200, 0), Timestamp::constant(253_402_207_200, 0));

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// From so long ago on, a date says more than a number of days, where there is room for it.
const LONG: u64 = 100 * DAY;

/// `2026-02-27T10:12:34.056Z`; a year outside 0000-9999 is clamped, because a record with another one is invalid.
pub fn rfc3339_millis(time: SystemTime) -> String {
    format!("{:.3}", timestamp(time))
}

/// The time that a text in RFC 3339 says; none if it is none, such as a leap second.
pub fn time_of(text: &str) -> Option<SystemTime> {
    text.parse::<Timestamp>().ok().map(SystemTime::from)
}

pub fn local(time: SystemTime, zone: TimeZone) -> Zoned {
    timestamp(time).to_zoned(zone)
}

/// Eight o'clock on the next day.
pub fn tomorrow_morning(now: &Zoned) -> SystemTime {
    let morning = now.date().tomorrow().map(|day| day.at(8, 0, 0, 0));
    let morning = morning.and_then(|time| time.to_zoned(now.time_zone().clone()));
    morning.map_or(SystemTime::from(now.timestamp()), |time| time.timestamp().into())
}

/// A time as people say it: `today 18:34`, `tomorrow 08:00`, `yesterday 09:12`, `3 Nov 18:34`, in another year `3 Nov 2025 18:34`.
pub fn local_time(then: SystemTime, now: &Zoned, lang: Lang) -> String {
    let then = local(then, now.time_zone().clone());
    let format = if then.date() == now.date() {
        say("today %H:%M", "今天 %H:%M")
    } else if now.date().tomorrow().is_ok_and(|day| day == then.date()) {
        say("tomorrow %H:%M", "明天 %H:%M")
    } else if now.date().yesterday().is_ok_and(|day| day == then.date()) {
        say("yesterday %H:%M", "昨天 %H:%M")
    } else if then.year() == now.year() {
        say("%-d %b %H:%M", "%-m 月 %-d 日 %H:%M")
    } else {
        say("%-d %b %Y %H:%M", "%Y 年 %-m 月 %-d 日 %H:%M")
    };
    then.strftime(format.text(lang)).to_string()
}

/// The same of a time in RFC 3339; what is none, such as a leap second, stays as it is.
pub fn local_time_of(text: &str, now: &Zoned, lang: Lang) -> String {
    time_of(text).map_or_else(|| text.to_owned(), |then| local_time(then, now, lang))
}

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

fn timestamp(time: SystemTime) -> Timestamp {
    let beyond = if time < UNIX_EPOCH { RANGE.0 } else { RANGE.1 };
    Timestamp::try_from(time).unwrap_or(beyond).clamp(RANGE.0, RANGE.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_spelled_in_utc_with_milliseconds() {
        let at = UNIX_EPOCH + Duration::from_millis(1_772_187_154_056);
        assert_eq!(rfc3339_millis(at), "2026-02-27T10:12:34.056Z");
        assert_eq!(rfc3339_millis(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339_millis(UNIX_EPOCH - Duration::from_millis(1)), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn people_are_told_their_own_time() {
        let shanghai = TimeZone::fixed(jiff::tz::offset(8));
        let now = local(UNIX_EPOCH + Duration::from_secs(1_772_187_154), shanghai);
        let told = |text: &str, lang| local_time_of(text, &now, lang);
        for (text, en, zh) in [
            ("2026-02-27T10:34:00Z", "today 18:34", "今天 18:34"),
            ("2026-02-28T00:00:00Z", "tomorrow 08:00", "明天 08:00"),
            ("2026-02-26T16:00:00.000Z", "today 00:00", "今天 00:00"),
            ("2026-02-26T15:59:59.999Z", "yesterday 23:59", "昨天 23:59"),
            ("2026-02-25T15:59:59Z", "25 Feb 23:59", "2 月 25 日 23:59"),
            ("2026-11-03T18:34:00+08:00", "3 Nov 18:34", "11 月 3 日 18:34"),
            ("2025-12-31T15:59:00Z", "31 Dec 2025 23:59", "2025 年 12 月 31 日 23:59"),
            ("once", "once", "once"),
        ] {
            assert_eq!((told(text, Lang::En), told(text, Lang::ZhCn)), (en.into(), zh.into()), "{text}");
        }
        assert_eq!(rfc3339_millis(tomorrow_morning(&now)), "2026-02-28T00:00:00.000Z");
        // Some systems count no further back than 1601.
        let long_ago = UNIX_EPOCH.checked_sub(Duration::from_hours(1 << 40)).unwrap_or(UNIX_EPOCH);
        assert_eq!(local_time(long_ago, &now, Lang::En).len(), 16);
    }

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

    #[test]
    fn a_wild_clock_still_gives_a_date_the_rules_accept() {
        for seconds in
            [253_402_207_199, 253_402_207_201, 253_402_300_800, 1 << 40, i64::MAX.unsigned_abs() / 4]
        {
            if let Some(at) = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)) {
                assert!(crate::ask::check::is_date_time(&rfc3339_millis(at)), "{}", rfc3339_millis(at));
            }
        }
        for seconds in [62_167_219_200, 62_167_219_201, 1 << 40] {
            if let Some(at) = UNIX_EPOCH.checked_sub(Duration::from_secs(seconds)) {
                assert!(crate::ask::check::is_date_time(&rfc3339_millis(at)), "{}", rfc3339_millis(at));
            }
        }
    }
}
