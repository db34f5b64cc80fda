//! The arguments of the commands for gates and their records: `console`, `list`, `show`, `check`, `wait`, `answer`, `redo`,
//! `history`.

use clap::{Args, ValueEnum};
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Args, Debug, Default)]
pub struct ConsoleArgs {
    /// Open this gate's form at once
    #[arg(value_name = "PACKET")]
    pub packet: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct PacketArgs {
    /// A path, a file name without its ending, or a step id
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("options").required(true).multiple(false))]
pub struct ProposeArgs {
    /// A path, a file name without its ending, or a step id
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
    /// To which question, by its id; not needed where only one wants options
    #[arg(long, value_name = "ID")]
    pub question: Option<String>,
    /// One option and what it means; repeat for several
    #[arg(long, value_name = "LABEL=DESCRIPTION", group = "options")]
    pub option: Vec<String>,
    /// A JSON file with a list of options, each with label and description; - reads standard input
    #[arg(long, value_name = "FILE", group = "options")]
    pub from: Option<PathBuf>,
}

#[derive(Args, Debug, Default)]
pub struct ListArgs {
    /// Only these states
    #[arg(long, value_enum, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<StatusName>,
    /// Packets without a gate, and drafts that have lost theirs, too
    #[arg(long)]
    pub all: bool,
    /// Stay, and print a line for every change
    #[arg(long)]
    pub watch: bool,
}

/// A state as `list --status` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatusName {
    /// Has a valid record, or no gate.
    #[value(aliases = ["answered"])]
    Open,
    /// Has no record.
    Waiting,
    /// Has an invalid record.
    Blocked,
    /// Cannot be used.
    Malformed,
    /// The author has refused it.
    SentBack,
}

#[derive(Args, Debug)]
pub struct WaitArgs {
    /// Paths, file names without their ending, or step ids
    #[arg(value_name = "PACKET", required_unless_present = "test")]
    pub packets: Vec<PathBuf>,
    /// Ask a test question in the console instead, and say what was answered
    #[arg(long, conflicts_with_all = ["packets", "any"])]
    pub test: bool,
    /// Give up after this long: 500ms, 90, 90s, 5m, 2h
    #[arg(long, value_name = "D", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Until one is open, instead of all
    #[arg(long)]
    pub any: bool,
}

#[derive(Args, Debug)]
pub struct AnswerArgs {
    /// A path, a file name without its ending, or a step id
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
    /// A JSON file with an `answers` object; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// One answer, exactly as given; repeat for several entries; overrides --from
    #[arg(long = "set", value_name = "ID=VALUE")]
    pub set: Vec<String>,
    /// Take the default of every question not answered otherwise
    #[arg(long)]
    pub defaults: bool,
    /// A note on the answer to a question, kept in the record; repeat for several
    #[arg(long = "note", value_name = "ID=TEXT")]
    pub notes: Vec<String>,
    /// Who answers (or --answered-by); needed off a terminal
    #[arg(long, alias = "answered-by", value_name = "NAME")]
    pub by: Option<String>,
    /// Move the record that is there to the history first; with SHA256, only if it is that one. --send-back moves any without it
    #[arg(long, value_name = "SHA256", num_args = 0..=1, require_equals = true, default_missing_value = ANY_RECORD, value_parser = seen)]
    pub replace: Option<String>,
    /// Check the answers and print the record, but write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Give no answer, but say why: sends the step back; - reads it from standard input
    #[arg(long, value_name = "WHY", conflicts_with_all = ANSWERS)]
    pub send_back: Option<String>,
    /// Send back because this question does not apply
    #[arg(long, value_name = "ID", conflicts_with_all = ANSWERS)]
    pub does_not_apply: Option<String>,
    #[command(flatten)]
    pub ahead: AheadArgs,
    /// Take back what was sent back: the gate waits again
    #[arg(long, conflicts_with_all = ANSWERS, conflicts_with_all = ["send_back", "does_not_apply", "by", "replace"])]
    pub take_back: bool,
}

/// What is answered before there is a packet.
#[derive(Args, Debug)]
pub struct AheadArgs {
    /// Answer a standing question of a step that has no packet yet: PACKET is the step's id
    #[arg(id = "ahead", long = "ahead", conflicts_with_all = ["send_back", "does_not_apply", "take_back"])]
    pub is_given: bool,
    /// With --ahead: which question, by its name; else the first that is not answered
    #[arg(long, value_name = "NAME", requires = "ahead")]
    pub question: Option<String>,
}

/// What gives answers, and so goes with no refusal.
const ANSWERS: [&str; 5] = ["from", "set", "defaults", "notes", "dry_run"];

#[derive(Args, Debug)]
pub struct RedoArgs {
    /// A packet, or the record itself
    #[arg(value_name = "PACKET|RECORD")]
    pub target: PathBuf,
    /// Another standing question that holds for the step, by its name
    #[arg(long, value_name = "NAME")]
    pub question: Option<String>,
    /// Put the record that was removed last back, byte for byte
    #[arg(long)]
    pub undo: bool,
}

impl AnswerArgs {
    /// Whether it is a refusal.
    pub fn sends_back(&self) -> bool {
        self.send_back.is_some() || self.does_not_apply.is_some()
    }

    /// Whether no answers are given.
    pub fn is_empty(&self) -> bool {
        self.from.is_none() && self.set.is_empty() && !self.defaults
    }
}

/// What `--replace` without a hash stands for.
const ANY_RECORD: &str = "*";

/// Reads the hash of the record that was looked at; empty if any may be replaced. A hash that is written out and empty,
/// as from a variable that was never set, is not that.
fn seen(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text {
        ANY_RECORD => Ok(String::new()),
        _ if is_hash => Ok(text.to_ascii_lowercase()),
        _ => Err("expected 64 hexadecimal digits, the sha256 of the record that was looked at".to_owned()),
    }
}

/// Reads `500ms`, `90`, `90s`, `5m`, `2h`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("expected a number with ms, s, m or h, such as 90s".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a number first, such as 90s".to_owned())?;
    number.checked_mul(millis).map(Duration::from_millis).ok_or_else(|| "too long".to_owned())
}

#[derive(Args, Debug, Default)]
pub struct HistoryArgs {
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
    /// Only this entry, in full
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["restore", "forget", "export", "packet", "search", "question", "since", "until"])]
    pub show: Option<String>,
    /// With --show: the exact bytes of its record and nothing else; --json prints the entry all the same
    #[arg(long, requires = "show")]
    pub raw: bool,
    /// Put the record of this entry back, byte for byte
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["packet", "search", "question", "since", "until"])]
    pub restore: Option<String>,
    /// With --restore: move the record that is there to the history first; with SHA256, only if it is that one
    #[arg(long, value_name = "SHA256", num_args = 0..=1, require_equals = true, default_missing_value = ANY_RECORD, value_parser = seen, requires = "restore")]
    pub replace: Option<String>,
    /// Erase the history: of the gate that is named, else all of it
    #[arg(long, conflicts_with_all = ["restore", "export", "search", "question", "since", "until"])]
    pub forget: bool,
    /// Write the decisions to a Markdown file; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "restore")]
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
fn when(text: &str) -> Result<When, String> {
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
        "m" | "s" => return duration(text).map(When::Ago).map_err(|_| expected()),
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
    fn durations_carry_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2h"), Ok(Duration::from_hours(2)));
        for bad in ["", "s", "-1", "1d", "1.5s", "99999999999999999999"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

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
