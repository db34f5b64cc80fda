//! Lines for people that several commands print.

use super::output::Others;
use crate::ask::{Answer, JsString, Problem};
use crate::store::gate::{self, Loaded, Status};
use crate::store::hearing::{self, Hearing, remedy};
use crate::store::safe_path::Refusal;
use crate::store::{Project, copies};
use crate::text::sanitize::is_hidden;
use crate::text::width::cells;
use crate::text::{Lang, Safe, Sentence, say};
use jiff::Zoned;
use std::borrow::Cow;
use std::path::Path;

/// A step or a topic takes up to this many cells of a table.
const CELL: usize = 32;

/// A packet with its state, and beneath it what is wrong.
pub(super) fn verdict(shown: &str, status: Status, wrong: &[Problem], lang: Lang) -> Vec<String> {
    let message = gate::verdict(status, !wrong.is_empty()).text(lang);
    let first = say("{0}: {1}", "{0}：{1}").fill(lang, &[shown, &message]);
    [first].into_iter().chain(problems(wrong, lang)).collect()
}

/// That a file is by its name a copy of a packet, or none that the executor finds.
pub(super) fn name(project: &Project, packet: &Path, lang: Lang) -> Option<String> {
    let packet = project.relative(packet);
    let (_, problem) =
        Some(packet).filter(|it| it.starts_with("staging")).and_then(|it| copies::of(project, it))?;
    problems(&[problem], lang).next()
}

/// Why no record can be written.
pub(super) fn unwritable(refusal: Refusal, lang: Lang) -> String {
    say("No record can be written. {0}", "无法写入记录。{0}").fill(lang, &[refusal.text(lang)])
}

/// The standing question that a packet's gate is of.
pub(super) fn standing(loaded: &Loaded, lang: Lang) -> Option<String> {
    let asked = loaded.asked.as_ref()?;
    let sentence = if loaded.is_unattached {
        say(
            "Standing question {0}, to be attached; one answer for {1}",
            "常设提问 {0}，待挂上；一次回答管{1}",
        )
    } else {
        say("Standing question {0}; one answer for {1}", "常设提问 {0}；一次回答管{1}")
    };
    Some(sentence.fill(lang, &[&asked.name, &asked.span.text(lang)]))
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

/// A record that nobody was told of though its step goes on, in a table.
pub(super) const UNTOLD: Sentence = say(" (untold)", "（未告知）");

/// Who was told the answers, each time; or that nobody was, and what to do.
pub(super) fn hearing(
    hearing: Option<&Hearing>,
    step: Option<&JsString>,
    packet: &Path,
    now: &Zoned,
    lang: Lang,
) -> Vec<String> {
    match hearing {
        None => Vec::new(),
        Some(Hearing::Told(told)) => told.iter().map(|told| told.text(now, lang)).collect(),
        Some(Hearing::Untold) => vec![hearing::UNTOLD.text(lang).to_owned(), remedy(step, packet, lang)],
    }
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
pub(super) fn columns<const N: usize>(rows: Vec<[String; N]>) -> impl Iterator<Item = String> + use<N> {
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

/// Text with controls and whatever else is not seen as JSON escapes, which say the same in a string; line ends and tabs stay, and
/// the selectors that make a sign an emoji.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    escaped_where(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t' | '\u{fe0e}' | '\u{fe0f}'))
}

/// Text in which nothing steers a terminal, but everything else is as it was: controls and direction marks are JSON escapes.
pub(crate) fn steerless(text: &str) -> Cow<'_, str> {
    escaped_where(text, |c| {
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || c.is_control() && !matches!(c, '\n' | '\t')
    })
}

fn escaped_where(text: &str, is_marked: fn(char) -> bool) -> Cow<'_, str> {
    let text =
        if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    if !text.contains(is_marked) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_marked(c) {
            // Beyond the first plane JSON has an escape for each half.
            c.encode_utf16(&mut [0; 2]).iter().for_each(|half| out += &format!("\\u{half:04x}"));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Lines for people that can do nothing to a terminal.
pub(crate) fn harmless(lines: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut out = String::new();
    for line in lines {
        out.push_str(&Safe::line(line.as_ref()));
        out.push('\n');
    }
    out
}
