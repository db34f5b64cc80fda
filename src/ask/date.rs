//! Which strings novel-writer-cli 0.5.0 takes for a date and time.
//!
//! Its pattern is followed by the field ranges of JavaScript's `Date.parse`, which knows 31 February and 24:00:00. No date
//! library agrees with it.

/// Whether `text` is a legal `answered_at`.
pub fn is_date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((head, rest)) = bytes.split_at_checked(19) else { return false };
    let shape = b"dddd-dd-ddTdd:dd:dd";
    if !head
        .iter()
        .zip(shape)
        .all(|(&byte, &want)| if want == b'd' { byte.is_ascii_digit() } else { byte == want })
    {
        return false;
    }
    let (fraction, zone) = split_fraction(rest);
    let Some(fraction) = fraction else { return false };
    let field = |at: usize| u32::from(head[at] - b'0') * 10 + u32::from(head[at + 1] - b'0');
    let (month, day, hour, minute, second) = (field(5), field(8), field(11), field(14), field(17));
    let midnight = hour == 24 && minute == 0 && second == 0 && fraction.iter().all(|&byte| byte == b'0');
    (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && minute <= 59
        && second <= 59
        && (hour <= 23 || midnight)
        && is_zone(zone)
}

/// The digits behind a point (none without one), and what follows; `None` if there are none or more than nine.
fn split_fraction(rest: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(digits) = rest.strip_prefix(b".") else { return (Some(&[]), rest) };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (fraction, zone) = digits.split_at(length);
    ((1..=9).contains(&length).then_some(fraction), zone)
}

fn is_zone(zone: &[u8]) -> bool {
    match zone {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            let digits = [h1, h2, m1, m2].map(|byte| byte.is_ascii_digit().then(|| u32::from(byte - b'0')));
            let [Some(h1), Some(h2), Some(m1), Some(m2)] = digits else { return false };
            h1 * 10 + h2 <= 23 && m1 * 10 + m2 <= 59
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_date_time;

    #[test]
    fn the_reference_accepts_these() {
        for text in [
            "2026-02-27T10:12:34.000Z",
            "2026-02-30T24:00:00.000Z",
            "0000-01-31T00:00:00-00:00",
            "2026-04-31T23:59:59.123456789+23:59",
        ] {
            assert!(is_date_time(text), "{text}");
        }
    }

    #[test]
    fn the_reference_refuses_these() {
        for text in [
            "2026-02-27t10:12:34Z",
            "2026-02-27T10:12:60Z",
            "2026-02-32T10:12:34Z",
            "2026-13-01T10:12:34Z",
            "2026-02-27T24:00:00.0000001Z",
            "2026-02-27T10:12:34",
            "2026-02-27T10:12:34.Z",
            "2026-02-27T10:12:34.1234567890Z",
            "2026-02-27T10:12:34+24:00",
            "2026-02-27T10:12:34Z\n",
            "２026-02-27T10:12:34Z",
        ] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
