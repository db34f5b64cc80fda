//! The arguments of `history`, and how points in time are spelled.

use clap::Args;
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Args, Debug, Default)]
pub struct History {
    /// Only this gate: its packet, its record, or a step id
    #[arg(value_name = "PACKET")]
    pub packet: Option<PathBuf>,
    /// Only entries with these words in answers, questions, topic or step
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Only entries in which the question with this id is asked or answered
    #[arg(long, value_name = "ID")]
    pub question: Option<String>,
    /// Not before: 2026-02-27, a full time, or how long ago, such as 7d or 12h
    #[arg(long, value_name = "D", value_parser = when)]
    pub since: Option<When>,
    /// Not after: 2026-02-27 (that day included), a full time, or how long ago
    #[arg(long, value_name = "D", value_parser = when)]
    pub until: Option<When>,
    /// Put two entries side by side, question by question
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["packet", "search", "question", "since", "until"])]
    pub compare: Vec<String>,
    /// Only this entry, in full
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["compare", "restore", "forget", "export", "packet", "search", "question", "since", "until"])]
    pub show: Option<String>,
    /// With --show: the exact bytes of its record and nothing else; --json prints the entry all the same
    #[arg(long, requires = "show")]
    pub raw: bool,
    /// Put the record of this entry back, byte for byte
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["compare", "packet", "search", "question", "since", "until"])]
    pub restore: Option<String>,
    /// With --restore: move the record that is there to the history first; with SHA256, only if it is that one
    #[arg(long, value_name = "SHA256", num_args = 0..=1, require_equals = true, default_missing_value = super::gates::ANY_RECORD, value_parser = super::gates::seen, requires = "restore")]
    pub replace: Option<String>,
    /// Erase the history: of the gate that is named, else all of it
    #[arg(long, conflicts_with_all = ["compare", "restore", "export", "search", "question", "since", "until"])]
    pub forget: bool,
    /// Write the decisions to a Markdown file; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "restore"])]
    pub export: Option<PathBuf>,
}

/// A point in time as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// So long before now.
    Ago(Duration),
    /// A whole day of the author's.
    Day(Date),
    /// A moment.
    At(SystemTime),
}

impl When {
    /// The first moment of it.
    pub fn start(self, now: &Zoned) -> SystemTime {
        match self {
            When::Ago(span) => SystemTime::from(now.timestamp()).checked_sub(span).unwrap_or(UNIX_EPOCH),
            When::Day(date) => midnight(date, now),
            When::At(at) => at,
        }
    }

    /// The first moment behind it.
    pub fn end(self, now: &Zoned) -> SystemTime {
        match self {
            When::Day(date) => midnight(date.tomorrow().unwrap_or(date), now),
            When::Ago(_) | When::At(_) => self.start(now) + Duration::from_millis(1),
        }
    }
}

/// The first moment of a day, where the author is.
fn midnight(date: Date, now: &Zoned) -> SystemTime {
    let start = date.to_zoned(now.time_zone().clone());
    start.map_or(UNIX_EPOCH, |start| start.timestamp().into())
}

/// Reads `2026-02-27`, `2026-02-27T10:12:34Z`, `7d`, `12h`, `30m`.
///
/// # Errors
/// It is none of these.
pub(super) fn when(text: &str) -> Result<When, String> {
    let expected = || "expected a day such as 2026-02-27, a time with a zone, or 7d, 12h, 30m ago".to_owned();
    if let Ok(date) = text.parse::<Date>()
        && text.len() == "2026-02-27".len()
    {
        return Ok(When::Day(date));
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(When::At(at.into()));
    }
    let (number, unit) = text.split_at(text.len() - text.chars().next_back().map_or(0, char::len_utf8));
    let hours: u64 = match unit {
        "w" => 24 * 7,
        "d" => 24,
        "h" => 1,
        "m" | "s" => return super::gates::duration(text).map(When::Ago).map_err(|_| expected()),
        _ => return Err(expected()),
    };
    let number: u64 = number.parse().map_err(|_| expected())?;
    let seconds = number.checked_mul(hours * 3600).ok_or_else(expected)?;
    Ok(When::Ago(Duration::from_secs(seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    #[test]
    fn points_in_time_have_several_spellings() {
        let day = UNIX_EPOCH + Duration::from_hours(24 * 20_511);
        assert_eq!(when("2026-02-27"), Ok(When::Day(jiff::civil::date(2026, 2, 27))));
        let at = day + Duration::from_millis(36_754_056);
        assert_eq!(when("2026-02-27T10:12:34.056Z"), Ok(When::At(at)));
        assert_eq!(when("2026-02-27T18:12:34.056+08:00"), Ok(When::At(at)));
        assert_eq!(when("2w"), Ok(When::Ago(Duration::from_hours(24 * 14))));
        assert_eq!(when("12h"), Ok(When::Ago(Duration::from_hours(12))));
        assert_eq!(when("30m"), Ok(When::Ago(Duration::from_mins(30))));
        for bad in
            ["", "d", "7", "-1d", "soon", "2026-02-30", "2026-02-27T10:12", "天", "99999999999999999999d"]
        {
            assert!(when(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_day_is_the_authors_day() {
        let utc = UNIX_EPOCH + Duration::from_hours(24 * 20_512);
        let Ok(day) = when("2026-02-27") else { panic!("a day") };
        for (east, shift) in [(0, Duration::ZERO), (8, Duration::from_hours(8))] {
            let zone = TimeZone::fixed(jiff::tz::offset(east));
            let now = Timestamp::try_from(utc).expect("a time").to_zoned(zone);
            assert_eq!(day.end(&now), utc - shift);
            assert_eq!(day.start(&now), utc - shift - Duration::from_hours(24));
            assert_eq!(When::Ago(Duration::from_hours(1)).start(&now), utc - Duration::from_hours(1));
            assert_eq!(When::Ago(Duration::MAX).start(&now), UNIX_EPOCH);
        }
    }
}
