//! Strings and words of what is nearly JSON. Where a string ends is told by what stands behind the quotation mark.

use super::mark::{begins, elided, half, is_comment, is_name, is_odd_space, is_quote};
use super::scan::{Context, Scan};
use crate::ask::js_string::escape_json;
use crate::ask::syntax::{SPACE, SyntaxKind as Slip};
use serde::de::IgnoredAny;

impl Scan<'_> {
    /// Reads the string that begins here.
    pub(super) fn string(&mut self, opening: char, context: Context) {
        let start = self.at;
        self.at += opening.len_utf8();
        if opening != '"' {
            self.put(Slip::Quote(opening), start..self.at, "\"");
        }
        let inside = self.at;
        let mut bare: Option<usize> = None;
        let (mut is_paired, mut is_plain) = (true, opening == '"' && context != Context::Key);
        let is_of_note = |&byte: &u8| match byte {
            b'"' | b'\\' | ..=0x1f => true,
            b'\'' | b'`' | 0x80.. => opening != '"',
            _ => false,
        };
        while let Some(more) = self.rest().as_bytes().iter().position(is_of_note) {
            self.at += more;
            let Some(c) = self.rest().chars().next() else { break };
            let (here, behind) = (self.at, self.at + c.len_utf8());
            match c {
                '\\' => self.escape(),
                ..='\u{1f}' => {
                    if c == '\n' && self.lacks_quote(inside, context) {
                        return;
                    }
                    self.control(c);
                }
                _ if !ends(opening, c) => {
                    self.at = behind;
                    if c == '"' {
                        self.put(Slip::Quote(opening), here..behind, "\\\"");
                    }
                }
                _ if self.closes(behind, context) => {
                    self.at = behind;
                    if c != '"' {
                        self.put(Slip::Quote(c), here..behind, "\"");
                    }
                    // In pairs, with words behind each, they can end no string.
                    if let Some(first) = bare.filter(|_| !is_paired || !is_plain) {
                        let is_plain = self.text[first..].starts_with('"');
                        self.doubt(first, if is_plain { Slip::BareQuote } else { Slip::Quote(opening) });
                    }
                    return;
                }
                _ => {
                    self.at = behind;
                    bare = bare.or(Some(here));
                    is_paired = !is_paired;
                    is_plain &= self.is_inside(behind, context);
                    if c == '"' {
                        self.put(Slip::BareQuote, here..behind, "\\\"");
                    }
                }
            }
        }
        self.at = self.text.len();
        self.guess(Slip::End, self.at..self.at, "\"");
    }

    fn escape(&mut self) {
        let (start, rest) = (self.at, &self.rest()[1..]);
        let is_hex = |text: &str, digits: usize| {
            text.len() >= digits && text.as_bytes()[..digits].iter().all(u8::is_ascii_hexdigit)
        };
        let Some(c) = rest.chars().next() else {
            self.at = self.text.len();
            self.guess(Slip::End, start..self.at, "");
            return;
        };
        let behind = start + 1 + c.len_utf8();
        self.at = behind;
        match c {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {}
            'u' if is_hex(&rest[1..], 4) => self.at += 4,
            'u' if rest.len() < 5 && rest[1..].bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                self.at = self.text.len();
                self.guess(Slip::End, start..self.at, "");
            }
            'x' if is_hex(&rest[1..], 2) => {
                self.at += 2;
                let new = format!("\\u00{}", &rest[1..3]);
                self.put(Slip::BadEscape, start..self.at, new);
            }
            // A line that goes on.
            '\n' => self.put(Slip::BadEscape, start..behind, ""),
            // The control character is a slip of its own.
            ..='\u{1f}' => {
                self.at = start + 1;
                self.put(Slip::BadEscape, start..self.at, "");
            }
            _ if c.is_alphanumeric() => self.guess(Slip::BadEscape, start..behind, format!("\\\\{c}")),
            _ => self.put(Slip::BadEscape, start..start + 1, ""),
        }
    }

    fn control(&mut self, c: char) {
        let length = if self.rest().starts_with("\r\n") { 2 } else { 1 };
        let new = match c {
            '\n' | '\r' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            _ => format!("\\u{:04x}", u32::from(c)),
        };
        self.put(Slip::ControlInString(c), self.at..self.at + length, new);
        self.at += length;
    }

    /// At the end of a line inside a string: whether its quotation mark was forgotten there, for the next line goes on as if it
    /// were closed. Then it is.
    fn lacks_quote(&mut self, inside: usize, context: Context) -> bool {
        let next = self.rest()[1..].trim_start_matches([' ', '\t']);
        let goes_on = match context {
            Context::Member => is_key(next) || next.starts_with(['}', ']']),
            Context::Element => next.starts_with(['}', ']']),
            Context::Root | Context::Key => false,
        };
        if goes_on {
            let line = self.text[inside..self.at].trim_end();
            let line = line.strip_suffix([',', '，']).unwrap_or(line);
            self.at = inside + line.len();
            let at = self.at;
            self.take_back(at, |_| false);
            self.guess(Slip::MissingQuote, at..at, "\"");
        }
        goes_on
    }

    /// Whether the string goes on behind a quotation mark, or ends with the next character.
    fn is_inside(&self, behind: usize, context: Context) -> bool {
        let next = skip_space(&self.text[behind..]);
        next.chars().next().is_some_and(|c| match c {
            '"' => next.len() == self.text.len() - behind && self.closes(behind + 1, context),
            c => half(c).is_none() && !is_quote(c),
        })
    }

    /// Whether what stands behind a quotation mark is what follows a string.
    fn closes(&self, behind: usize, context: Context) -> bool {
        let rest = &self.text[behind..];
        let next = skip_space(rest);
        let gap = &rest[..rest.len() - next.len()];
        let Some(c) = next.chars().next() else { return true };
        if is_comment(next) || c == '#' && !gap.is_empty() || !gap.is_empty() && is_left_out(next) {
            return context != Context::Root;
        }
        match (context, half(c)) {
            (Context::Root, _) => false,
            (Context::Key, Some(half)) => half != ']',
            (Context::Key, None) => c == '=' || begins(c) && !gap.is_empty(),
            (_, Some('}' | ']')) => true,
            (_, Some(',')) => follows(skip_space(&next[c.len_utf8()..]), context, c == ','),
            (Context::Member, None) => !gap.is_empty() && is_key(next),
            (Context::Element, None) => !gap.is_empty() && is_quote(c),
            (Context::Element, Some('{' | '[')) => gap.contains('\n'),
            (Context::Member | Context::Element, Some(_)) => false,
        }
    }

    /// Reads a number or a word; false if it is cut off, nothing if it is none.
    pub(super) fn word(&mut self, context: Context) -> Option<bool> {
        let rest = self.rest();
        if let Some((length, digits)) = grouped(rest, context) {
            let is_certain = context == Context::Member;
            self.put_if(is_certain, Slip::Number, self.at..self.at + length, digits);
            self.at += length;
            return Some(true);
        }
        let is_end = |c: char| SPACE.contains(&c) || is_odd_space(c) || half(c).is_some() || is_quote(c);
        let length = rest.find(is_end).unwrap_or(rest.len());
        let comment = ["//", "/*", "#", "<!--"].iter().filter_map(|mark| rest[..length].find(mark)).min();
        let word = &rest[..comment.unwrap_or(length)];
        let at = self.at..self.at + word.len();
        if is_json(word) {
            self.at = at.end;
            return Some(true);
        }
        if at.end == self.text.len() {
            return Some(false);
        }
        self.at = at.end;
        if let Some((word, meant)) = meant(word) {
            self.put(Slip::Word(word, meant), at, meant);
        } else if is_no_number(word) {
            self.guess(Slip::NotANumber, at, "null");
        } else if let Some(number) = number(word) {
            self.put(Slip::Number, at, number);
        } else {
            self.at = at.start;
            return self.unquoted();
        }
        Some(true)
    }

    /// Reads words without quotation marks, as far as they can go.
    fn unquoted(&mut self) -> Option<bool> {
        let rest = self.rest();
        let line = &rest[..rest.find(['\n', '\r', ',', '}', ']', '"']).unwrap_or(rest.len())];
        let words = line.trim_end();
        if !words.starts_with(is_name) || words.contains(|c: char| c < ' ') {
            return None;
        }
        let end = self.at + words.len();
        if self.at + line.len() == self.text.len() {
            return Some(false);
        }
        let mut new = String::from("\"");
        escape_json(words, &mut new);
        // It may be a number or a word of another language as well.
        let digits = words.trim_start_matches('-');
        let is_zero = digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        let slip = if is_zero { Slip::LeadingZero } else { Slip::UnquotedValue };
        self.guess(slip, self.at..end, new + "\"");
        self.at = end;
        Some(true)
    }
}

/// Whether a quotation mark ends a string that begins with another.
fn ends(opening: char, c: char) -> bool {
    match opening {
        '"' | '\'' | '`' => c == opening,
        '「' => c == '」',
        '『' => c == '』',
        '\u{2018}'..='\u{201b}' => matches!(c, '\'' | '\u{2018}'..='\u{201b}'),
        _ => matches!(c, '"' | '＂' | '\u{201c}'..='\u{201f}'),
    }
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(|c| SPACE.contains(&c) || is_odd_space(c))
}

/// Whether dots stand here for what somebody left out, with a line's end or more of the JSON behind them.
fn is_left_out(text: &str) -> bool {
    let Some(length) = elided(text) else { return false };
    let behind = text[length..].trim_start_matches([' ', '\t']);
    let is_end = |c: char| matches!(c, '\n' | '\r') || matches!(half(c), Some('}' | ']' | ','));
    behind.chars().next().is_none_or(is_end) || is_key(behind)
}

/// Whether a text goes on as it does behind a value's comma; behind one of JSON a little more is believed.
fn follows(next: &str, context: Context, is_half: bool) -> bool {
    let Some(c) = next.chars().next() else { return true };
    if matches!(half(c), Some('}' | ']' | ',')) || is_comment(next) || c == '#' || is_left_out(next) {
        return true;
    }
    match context {
        Context::Element if is_half => {
            is_quote(c)
                || matches!(half(c), Some('{' | '['))
                || c == '-'
                || c.is_ascii_digit()
                || is_word(next)
        }
        Context::Element => is_quote(c),
        Context::Root | Context::Key | Context::Member => is_key(next),
    }
}

/// Whether a word of JSON or of its relatives stands here.
fn is_word(text: &str) -> bool {
    let word = &text[..text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())];
    is_json(word) || meant(word).is_some()
}

/// Whether a key and its colon stand here. A long one is believed.
pub(super) fn is_key(text: &str) -> bool {
    const LONGEST: usize = 256;
    let Some(c) = text.chars().next() else { return false };
    let mut end = c.len_utf8();
    if is_quote(c) {
        let mut is_escaped = false;
        let close = text[end..].char_indices().take(LONGEST).find(|&(_, c2)| {
            let is_end = !is_escaped && (c2 == '\n' || ends(c, c2));
            is_escaped = c2 == '\\' && !is_escaped;
            is_end
        });
        match close {
            None => return text.len() > LONGEST,
            Some((_, '\n')) => return false,
            Some((place, c)) => end += place + c.len_utf8(),
        }
    } else {
        end = text.char_indices().take(LONGEST).find(|&(_, c)| !is_name(c)).map_or(0, |(place, _)| place);
        if end == 0 {
            return false;
        }
    }
    let next = skip_space(&text[end..]);
    next.starts_with([':', '：', '='])
}

fn is_json(word: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(word).is_ok()
}

/// A word of another language, and the one of JSON that it stands for.
fn meant(word: &str) -> Option<(&'static str, &'static str)> {
    const WORDS: [(&str, &str); 10] = [
        ("True", "true"),
        ("TRUE", "true"),
        ("False", "false"),
        ("FALSE", "false"),
        ("None", "null"),
        ("NONE", "null"),
        ("Null", "null"),
        ("NULL", "null"),
        ("nil", "null"),
        ("undefined", "null"),
    ];
    WORDS.into_iter().find(|(known, _)| *known == word)
}

fn is_no_number(word: &str) -> bool {
    let word = word.trim_start_matches(['+', '-']).to_ascii_lowercase();
    matches!(&*word, "nan" | "infinity" | "inf")
}

/// A number with a comma between its thousands, such that it can be no list: its length, and its digits.
fn grouped(text: &str, context: Context) -> Option<(usize, String)> {
    const LONGEST: usize = 32;
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '，');
    let (at, end) = text.char_indices().take(LONGEST).find(|&(_, c)| !is_part(c))?;
    let number = text[..at].trim_end_matches([',', '，']);
    let mut groups = number.split([',', '，']);
    let first = groups.next().filter(|first| (1..4).contains(&first.len()) && !first.starts_with('0'))?;
    let rest: Vec<&str> = groups.collect();
    let is_grouped = !rest.is_empty() && rest.iter().all(|group| group.len() == 3);
    let is_one = match context {
        Context::Member => !matches!(end, ':' | '：'),
        _ => rest.iter().any(|group| group.starts_with('0')),
    };
    (is_grouped && is_one).then(|| (number.len(), first.to_owned() + &rest.concat()))
}

/// A number of another language, as JSON writes it.
fn number(word: &str) -> Option<String> {
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let plain: String = word.chars().map(crate::text::width::narrow).filter(|&c| c != '_').collect();
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let digits = match hex {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?.to_string(),
        None if digits.starts_with('.') => format!("0{digits}"),
        None => digits.strip_suffix('.').unwrap_or(digits).to_owned(),
    };
    Some(format!("{sign}{digits}"))
        .filter(|number| is_json(number) && number.ends_with(|c: char| c.is_ascii_digit()))
}
