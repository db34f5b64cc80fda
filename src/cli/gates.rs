//! The arguments of the commands for gates: `console`, `list`, `show`, `check`, `wait`, `answer`, `redo`.

#![allow(clippy::doc_markdown, reason = "help lines are shown as they stand")]

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug, Default)]
pub struct Console {
    /// Open this gate's form at once
    #[arg(value_name = "PACKET")]
    pub packet: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct OnePacket {
    /// A path, a file name without its ending, or a step id
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
}

#[derive(Args, Debug, Default)]
pub struct List {
    /// Only these states
    #[arg(long, value_enum, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<StatusName>,
    /// Packets without a gate too
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
}

#[derive(Args, Debug)]
pub struct Wait {
    /// Paths, file names without their ending, or step ids
    #[arg(value_name = "PACKET", required = true)]
    pub packets: Vec<PathBuf>,
    /// Give up after this long: 500ms, 90, 90s, 5m, 2h
    #[arg(long, value_name = "D", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Until one is open, instead of all
    #[arg(long)]
    pub any: bool,
}

#[derive(Args, Debug)]
pub struct Answer {
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
    /// Move the record that is there to the history first; with SHA256, only if it is that one
    #[arg(long, value_name = "SHA256", num_args = 0..=1, require_equals = true, default_missing_value = ANY_RECORD, value_parser = seen)]
    pub replace: Option<String>,
    /// Check the answers and print the record, but write nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args, Debug)]
pub struct Redo {
    /// A packet, or the record itself
    #[arg(value_name = "PACKET|RECORD")]
    pub target: PathBuf,
    /// Put the record that was removed last back, byte for byte
    #[arg(long)]
    pub undo: bool,
}

impl Answer {
    /// Whether no answers are given.
    pub fn is_empty(&self) -> bool {
        self.from.is_none() && self.set.is_empty() && !self.defaults
    }
}

/// What `--replace` without a hash stands for.
pub(super) const ANY_RECORD: &str = "*";

/// Reads the hash of the record that was looked at; empty if any may be replaced. A hash that is written out and empty,
/// as from a variable that was never set, is not that.
///
/// # Errors
/// It is no hash.
pub(super) fn seen(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text {
        ANY_RECORD => Ok(String::new()),
        _ if is_hash => Ok(text.to_ascii_lowercase()),
        _ => Err("expected 64 hexadecimal digits, the sha256 of the record that was looked at".to_owned()),
    }
}

/// Reads `500ms`, `90`, `90s`, `5m`, `2h`.
///
/// # Errors
/// It is none of these.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_carry_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2h"), Ok(Duration::from_hours(2)));
        for bad in ["", "s", "-1", "1d", "1.5s", "99999999999999999999"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
