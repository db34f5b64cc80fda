//! The present time, behind a seam, and how `answered_at` is spelled: in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A source of the present time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> SystemTime;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// A clock that stands still, for tests and demonstrations.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub SystemTime);

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        self.0
    }
}

/// First millisecond of the year 0000, and the last second the library knows in 9999, in milliseconds since 1970.
const RANGE: (i64, i64) = (-62_167_219_200_000, 253_402_207_200_000);

/// `2026-02-27T10:12:34.056Z`; a year outside 0000-9999 is clamped, because a record with another one is invalid.
pub fn rfc3339_millis(time: SystemTime) -> String {
    let millis = milliseconds(time).clamp(RANGE.0, RANGE.1);
    let stamp = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    let civil = jiff::tz::Offset::UTC.to_datetime(stamp);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second(),
        civil.millisecond()
    )
}

fn milliseconds(time: SystemTime) -> i64 {
    let whole = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => whole(since),
        Err(before) => whole(before.duration()).saturating_neg(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spelled_in_utc_with_milliseconds() {
        let at = UNIX_EPOCH + Duration::from_millis(1_772_187_154_056);
        assert_eq!(rfc3339_millis(at), "2026-02-27T10:12:34.056Z");
        assert_eq!(rfc3339_millis(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339_millis(UNIX_EPOCH - Duration::from_millis(1)), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn a_wild_clock_still_gives_a_date_the_rules_accept() {
        for seconds in
            [253_402_207_199, 253_402_207_201, 253_402_300_800, 1 << 40, i64::MAX.unsigned_abs() / 4]
        {
            if let Some(at) = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)) {
                assert!(crate::ask::date::is_date_time(&rfc3339_millis(at)), "{}", rfc3339_millis(at));
            }
        }
        for seconds in [62_167_219_200, 62_167_219_201, 1 << 40] {
            if let Some(at) = UNIX_EPOCH.checked_sub(Duration::from_secs(seconds)) {
                assert!(crate::ask::date::is_date_time(&rfc3339_millis(at)), "{}", rfc3339_millis(at));
            }
        }
    }
}
