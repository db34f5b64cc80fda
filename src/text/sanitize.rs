//! Making hostile text harmless.
//!
//! In the drawn form of text from files and keys, everything that could steer a terminal, hide, reorder or pile up becomes a
//! visible mark. Records, drafts and JSON keep the exact characters.
//!
//! What is drawn instead:
//!
//! * C0 controls and DEL: their control pictures (`␛`, `␡`); in one-line text a line feed is `⏎`; a tab is spaces;
//! * C1, bidi, zero-width and format controls, fillers, tags, stray selectors and joiners, non-characters, private use
//!   and unassigned code points: `‹U+XXXX›`;
//! * more than [`MARKS_PER_BASE`] marks on one base: `‹+N›` for the rest; a mark without a base stands on `◌`.
//!
//! A joiner stays inside an emoji family, a presentation selector right behind a character that takes one, an
//! ideographic variation selector behind a Han character. The drawn form of a text is the drawn forms of its grapheme
//! clusters in a row, and cleaning a cleaned text changes nothing.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::{Deref, Range};

use unicode_linebreak::{BreakClass, break_property};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::cluster::{clusters, first, is_han, is_plain, plain_prefix};

/// How many combining marks (or other followers) one base character may carry before the rest is only counted.
pub const MARKS_PER_BASE: usize = 8;
/// How many joiners one emoji may contain. The longest family in use has three.
const JOINS_PER_EMOJI: usize = 7;
const TAB: &str = "    ";
const JOINER: char = '\u{200D}';

/// Text that may be drawn: made only by the sanitiser.
#[derive(Clone, Debug, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Safe(String);

impl Safe {
    /// One line: a line feed becomes `⏎`. The result has no control character at all.
    pub fn line(text: &str) -> Safe {
        Safe(clean(text, '⏎'))
    }

    /// Several lines: `\n` stays and is the only control character; CR, alone or before LF, becomes `␍`.
    pub fn block(text: &str) -> Safe {
        Safe(clean(text, '\n'))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned. The promise is lost with the type.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Appends harmless text; the whole stays harmless.
    pub fn push(&mut self, more: &Safe) {
        self.0.push_str(&more.0);
    }

    /// The part in `range` (bytes; cut at cluster boundaries, as `wrap` does). Empty when the range is out of bounds.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Safe {
        Safe(self.0.get(range).unwrap_or_default().to_owned())
    }

    /// At most `width` cells of the text, shortened with `…` at its end ([`super::width::fit`]).
    #[must_use]
    pub fn fit(&self, width: usize) -> Safe {
        Safe(super::width::fit(&self.0, width).into_owned())
    }

    /// The same of a name, shortened in its middle ([`super::width::fit_middle`]).
    #[must_use]
    pub fn fit_middle(&self, width: usize) -> Safe {
        Safe(super::width::fit_middle(&self.0, width).into_owned())
    }
}

impl Deref for Safe {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Safe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<Safe> for Cow<'_, str> {
    fn from(safe: Safe) -> Self {
        Cow::Owned(safe.0)
    }
}

/// The visible mark of a code point that is not drawn: `‹U+202E›`; lone surrogates too: `‹U+D800›`.
pub fn mark(code: u32) -> String {
    format!("‹U+{code:04X}›")
}

/// The drawn form of one grapheme cluster, never empty and at least one cell wide unless the cluster is empty.
/// A line feed is drawn as `⏎`.
pub fn grapheme(cluster: &str) -> Cow<'_, str> {
    if is_plain_text(cluster) {
        return Cow::Borrowed(cluster);
    }
    let mut out = String::with_capacity(cluster.len());
    for (_, part) in clusters(cluster) {
        clean_cluster(part, '⏎', &mut out);
    }
    if out == cluster { Cow::Borrowed(cluster) } else { Cow::Owned(out) }
}

/// Whether a character is never drawn as itself: controls, format characters, fillers, selectors, private use,
/// unassigned. Joiners and selectors are listed too; whether they stay depends on what is around them.
pub(crate) fn is_hidden(c: char) -> bool {
    if is_plain(c) {
        return false;
    }
    let code = u32::from(c);
    if HIDDEN.iter().any(|&(from, to)| (from..=to).contains(&code)) || code & 0xFFFE == 0xFFFE {
        return true;
    }
    match code {
        // Every assigned character of these is a letter, and the line-breaking table calls the gaps ideographs.
        0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF => !c.is_alphanumeric(),
        _ => break_property(code) == BreakClass::Unknown && !c.is_alphanumeric(),
    }
}

/// Controls, format characters, fillers and selectors by code point, first and last of each range.
const HIDDEN: [(u32, u32); 31] = [
    (0, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xE000, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1_10BD, 0x1_10BD),
    (0x1_10CD, 0x1_10CD),
    (0x1_3430, 0x1_343F),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
    (0xF_0000, 0xF_FFFF),
    (0x10_0000, 0x10_FFFF),
];

fn is_plain_text(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) || text.chars().all(is_plain)
}

fn clean(text: &str, line_feed: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let plain = plain_prefix(rest);
        out.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let cluster = first(rest);
        if !cluster.is_empty() {
            clean_cluster(cluster, line_feed, &mut out);
            rest = &rest[cluster.len()..];
        }
    }
    out
}

fn clean_cluster(cluster: &str, line_feed: char, out: &mut String) {
    let mut pen = Pen { out, last: None, base: None, marks: 0, joins: 0, unseen: 0 };
    let mut chars = cluster.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => pen.replace(|out| out.push(line_feed)),
            '\t' => pen.replace(|out| out.push_str(TAB)),
            '\0'..='\x1F' => pen.replace(|out| out.extend(char::from_u32(0x2400 + u32::from(c)))),
            '\x7F' => pen.replace(|out| out.push('␡')),
            _ if pen.admits(c, chars.peek().copied()) => pen.keep(c),
            _ if is_hidden(c) => pen.mark(c),
            _ => pen.draw(c),
        }
    }
    pen.count_unseen();
}

/// Draws the characters of one cluster; knows what the last one was.
struct Pen<'a> {
    out: &'a mut String,
    /// The character just drawn as itself; `None` at the start and behind a mark.
    last: Option<char>,
    /// The character that marks and joiners hang on, if it is drawn as itself.
    base: Option<char>,
    marks: usize,
    joins: usize,
    /// Followers beyond the cap, not yet written as `‹+N›`.
    unseen: usize,
}

impl Pen<'_> {
    /// Whether a joiner or selector may stay here.
    fn admits(&self, c: char, next: Option<char>) -> bool {
        let Some(last) = self.last else { return false };
        match c {
            JOINER => {
                self.joins < JOINS_PER_EMOJI
                    && [self.base, next].into_iter().all(|c| c.is_some_and(is_pictographic))
            }
            '\u{FE0E}' | '\u{FE0F}' => matches!(last, '0'..='9' | '#' | '*') || is_pictographic(last),
            '\u{E0100}'..='\u{E01EF}' => is_han(last),
            _ => false,
        }
    }

    fn keep(&mut self, c: char) {
        self.out.push(c);
        self.joins += usize::from(c == JOINER);
        self.last = Some(c);
    }

    fn draw(&mut self, c: char) {
        match self.last {
            Some(JOINER) => self.base(c),
            _ if self.unseen > 0 => self.unseen += 1,
            Some(_) if self.marks < MARKS_PER_BASE => {
                self.marks += 1;
                self.keep(c);
            }
            Some(_) => {
                self.unseen = 1;
                self.last = None;
            }
            None if attaches(c) => {
                self.base('◌');
                self.marks = 1;
                self.keep(c);
            }
            None if c.width() == Some(0) => self.mark(c),
            None => self.base(c),
        }
    }

    fn base(&mut self, c: char) {
        self.keep(c);
        self.base = Some(c);
        self.marks = 0;
    }

    fn mark(&mut self, c: char) {
        self.replace(|out| {
            // Writing into a String cannot fail.
            let _ = write!(out, "‹U+{:04X}›", u32::from(c));
        });
    }

    /// Writes something that is not the character itself; whatever follows in the cluster has lost its base.
    fn replace(&mut self, write: impl FnOnce(&mut String)) {
        self.count_unseen();
        write(self.out);
        (self.last, self.base, self.marks, self.joins) = (None, None, 0, 0);
    }

    fn count_unseen(&mut self) {
        if self.unseen > 0 {
            let _ = write!(self.out, "‹+{}›", self.unseen);
            self.unseen = 0;
        }
    }
}

/// Whether `c` joins any character before it: combining and spacing marks, skin tones.
fn attaches(c: char) -> bool {
    is_one_cluster(&['◌', c])
}

/// Whether `c` can be a member of a joined emoji.
fn is_pictographic(c: char) -> bool {
    !c.is_ascii() && is_one_cluster(&['\u{2764}', JOINER, c]) && !attaches(c)
}

fn is_one_cluster(chars: &[char]) -> bool {
    let text: String = chars.iter().collect();
    text.graphemes(true).nth(1).is_none()
}

#[cfg(test)]
mod tests;
