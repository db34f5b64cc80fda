//! Lines for people that several commands print.

use super::output::Others;
use crate::ask::{Answer, Problem};
use crate::store::gate::{self, Status};
use crate::store::safe_path::Refusal;
use crate::text::width::cells;
use crate::text::{Lang, Safe, say};

/// A step or a topic takes up to this many cells of a table.
const CELL: usize = 32;

/// A packet with its state, and beneath it what is wrong.
pub(super) fn verdict(shown: &str, status: Status, wrong: &[Problem], lang: Lang) -> Vec<String> {
    let message = gate::verdict(status).text(lang);
    let first = say("{0}: {1}", "{0}：{1}").fill(lang, &[shown, &message]);
    [first].into_iter().chain(problems(wrong, lang)).collect()
}

/// Why no record can be written.
pub(super) fn unwritable(refusal: Refusal, lang: Lang) -> String {
    say("No record can be written. {0}", "无法写入记录。{0}").fill(lang, &[refusal.text(lang)])
}

/// Other packets whose answers go to the same place, for people, one a line: conflicts first.
pub(super) fn others(others: &Others, lang: Lang) -> impl Iterator<Item = String> {
    let same = say(
        "  Same gate as {0}: it asks exactly the same questions.",
        "  与 {0} 同属一个门控：问题完全相同。",
    );
    let conflict = say(
        "  Conflict with {0}: it wants different answers in the same place; one record cannot answer both.",
        "  与 {0} 冲突：同一位置，问题不同；一份记录无法同时回答两者。",
    );
    let conflicts = others.conflicts.iter().map(move |path| conflict.fill(lang, &[path]));
    conflicts.chain(others.same_gate.iter().map(move |path| same.fill(lang, &[path])))
}

/// Problems for people, one a line.
pub(super) fn problems(problems: &[Problem], lang: Lang) -> impl Iterator<Item = String> {
    problems.iter().map(move |problem| format!("  {}", problem.sentence(lang)))
}

pub(super) fn values(answer: &Answer, lang: Lang) -> String {
    answer.shown(usize::MAX, lang)
}

/// A cell of a table, cut to its width.
pub(super) fn cell(text: &str) -> String {
    Safe::line(text).fit(CELL).into_string()
}

/// Rows in columns, each as wide as its widest cell; a column that is empty throughout takes no room.
pub(super) fn columns<const N: usize>(rows: Vec<[String; N]>) -> impl Iterator<Item = String> {
    let own: Vec<[usize; N]> = rows.iter().map(|row| row.each_ref().map(|text| cells(text))).collect();
    let width = |column: usize| own.iter().map(|own| own[column]).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    rows.into_iter().zip(own).map(move |(row, own)| {
        let mut line = String::new();
        for column in (0..N).filter(|&column| widths[column] > 0) {
            line.push_str(&row[column]);
            line.extend(std::iter::repeat_n(' ', widths[column] - own[column] + 2));
        }
        line
    })
}
