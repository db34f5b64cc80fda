//! What a typed line means.

use crate::ask::draft::OwnFault;
use crate::ask::{Kind, Question, Reply};
use crate::text::{Message, Sentence, say};

fn own_fault(fault: OwnFault) -> Sentence {
    match fault {
        OwnFault::NotAllowed => say("Please give a number of the list.", "请输入列表中的编号。"),
        OwnFault::Blank => say("That is blank.", "内容为空白。"),
        OwnFault::Reserved => say("Those words are reserved.", "这是保留字。"),
        OwnFault::Duplicate => say("That entry is already there.", "已经有这一项了。"),
    }
}

pub(super) fn is_yes(line: &str) -> bool {
    matches!(line.trim(), "yes" | "是" | "ｙｅｓ")
}

/// A line without what cursor and function keys send: a terminal that edits no lines takes them in among the words.
pub(super) fn without_keys(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, sequence)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = match sequence.as_bytes().first() {
            // CSI: parameters, and the byte that ends it.
            Some(b'[') => {
                let behind = sequence[1..].trim_start_matches(|c| matches!(c, ' '..='?'));
                behind.strip_prefix(|c| matches!(c, '@'..='~')).unwrap_or(behind)
            }
            // SS3: the cursor and function keys of an application.
            Some(b'O') => sequence[1..].strip_prefix(|c| matches!(c, '@'..='~')).unwrap_or(&sequence[1..]),
            _ => sequence,
        };
    }
    out + rest
}

/// Where the words of a line begin: behind its indent, and behind `12. ` or the mark and number of an option.
pub(super) fn words_at(line: &str) -> usize {
    let rest = line.trim_start_matches([' ', '*']);
    let numbered = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let words = if numbered.len() < rest.len() { numbered.strip_prefix(". ").unwrap_or(rest) } else { rest };
    line.len() - words.len()
}

/// What follows a `#` that begins a note; nothing yet where it stands alone.
pub(super) fn note(line: &str) -> Option<&str> {
    line.strip_prefix(['#', '＃']).map(str::trim)
}

/// What follows a `!` that begins a refusal; nothing yet where it stands alone.
pub(super) fn refusal(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['!', '！'])?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// Places from numbers between 1 and `count`, full-width digits included; `None` if the line is anything else.
pub(super) fn numbers(line: &str, count: usize) -> Option<Vec<usize>> {
    numbers_of(line)?.into_iter().map(|n| n.filter(|n| (1..=count).contains(n)).map(|n| n - 1)).collect()
}

/// The numbers of a line of numbers; of one without end, `None`.
fn numbers_of(line: &str) -> Option<Vec<Option<usize>>> {
    let ascii: String = line
        .chars()
        .map(|c| match c {
            '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10).unwrap_or(c),
            ',' | '，' | '、' | ';' | '；' => ' ',
            c => c,
        })
        .collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let words = || ascii.split_whitespace();
    (words().next().is_some() && words().all(is_number))
        .then(|| words().map(|word| word.parse().ok()).collect())
}

/// Words in quotes that would mean something else without them; any others keep theirs.
fn unquoted(entry: &str) -> Option<&str> {
    const QUOTES: [(char, char); 4] = [('"', '"'), ('“', '”'), ('「', '」'), ('＂', '＂')];
    let inside = |(open, close)| entry.strip_prefix(open)?.strip_suffix(close);
    let words = QUOTES.into_iter().find_map(inside)?;
    (numbers_of(words).is_some() || note(words).is_some()).then_some(words)
}

/// Why a line of numbers chooses nothing.
fn no_such_option(question: &Question, line: &str) -> Message {
    let parts = [&question.options.len().to_string(), line];
    if question.allow_other {
        let says = say(
            "There are {0} options. If you mean it as your own words, put it in quotes: \"{1}\".",
            "只有 {0} 个选项。如果这就是你要写的文字，请加上引号：“{1}”。",
        );
        return Message::new(says, &parts);
    }
    Message::new(
        say(
            "There are {0} options: please give a number of the list.",
            "只有 {0} 个选项：请输入列表中的编号。",
        ),
        &parts,
    )
}

/// Takes what a line chooses, all of it or nothing; why not, if it does not fit the question.
pub(super) fn take_entries(reply: &mut Reply, question: &Question, line: &str) -> Result<(), Message> {
    let is_several = question.kind == Kind::MultiChoice;
    let several = entries(line, question).filter(|_| is_several).unwrap_or_else(|| vec![line]);
    let is_label = |entry: &str| question.options.iter().any(|option| option.label.as_str() == Some(entry));
    let mut taken = reply.clone();
    for &entry in &several {
        match numbers(entry, question.options.len()).as_deref() {
            Some(numbers) if is_several => numbers.iter().for_each(|&place| taken.toggle(place)),
            Some(&[place]) => taken.choose(place),
            Some(_) => return Err(say("Only one, please.", "只能选一个。").into()),
            None if numbers_of(entry).is_some() && !is_label(entry) => {
                return Err(no_such_option(question, entry));
            }
            None => match taken.take_own(question, unquoted(entry).unwrap_or(entry)) {
                // What a list names is to be there.
                Err(OwnFault::Duplicate) if several.len() > 1 => {}
                other => other.map_err(own_fault)?,
            },
        }
    }
    *reply = taken;
    Ok(())
}

/// The entries of a line that commas part, if one of them at least is an option; a comma in a label parts nothing.
fn entries<'l>(line: &'l str, question: &Question) -> Option<Vec<&'l str>> {
    const COMMAS: [char; 5] = [',', '，', '、', ';', '；'];
    let labels: Vec<&str> = question.options.iter().filter_map(|option| option.label.as_str()).collect();
    let (mut rest, mut out, mut has_option) = (line.trim(), Vec::new(), false);
    while !rest.is_empty() {
        let ends = |label: &&&str| {
            let behind = rest.strip_prefix(**label).map(str::trim_start);
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(COMMAS))
        };
        let label = labels.iter().filter(ends).map(|label| label.len()).max();
        let end = label.unwrap_or_else(|| rest.find(COMMAS).unwrap_or(rest.len()));
        let entry = rest[..end].trim();
        has_option |= label.is_some() || numbers(entry, question.options.len()).is_some();
        out.extend(Some(entry).filter(|entry| !entry.is_empty()));
        rest = rest[end..].trim_start().strip_prefix(COMMAS).unwrap_or_default().trim_start();
    }
    (has_option && out.len() > 1).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_cursor_are_no_words() {
        for (line, words) in [
            ("\u{1b}[1~雨夜\u{1b}[D\u{1b}[1;5C", "雨夜"),
            ("\u{1b}OA\u{1b}OP\u{1b}[15~x", "x"),
            ("\u{1b}x \u{1b}[", "x "),
            ("[D stays", "[D stays"),
        ] {
            assert_eq!(without_keys(line), words, "{line:?}");
        }
    }

    #[test]
    fn words_begin_behind_the_number() {
        for (line, at) in [("*12. label", 5), (" 1. label", 4), ("  = x", 2), ("2026 年", 0), ("3年前", 0)]
        {
            assert_eq!(words_at(line), at, "{line}");
        }
    }

    #[test]
    fn a_note_begins_with_a_hash_with_or_without_a_blank() {
        for (line, found) in [
            ("#", ""),
            ("# quieter", "quieter"),
            ("#quieter", "quieter"),
            ("＃　更安静", "更安静"),
            ("＃备注三", "备注三"),
        ] {
            assert_eq!(note(line), Some(found), "{line}");
        }
        assert_eq!(note("quieter # no"), None);
    }

    #[test]
    fn a_refusal_begins_with_an_exclamation_mark_that_stands_alone() {
        for (line, found) in [("!", Some("")), ("! too early", Some("too early")), ("！　太早", Some("太早"))]
        {
            assert_eq!(refusal(line), found, "{line}");
        }
        for text in ["!1", "wow ! no", "！！"] {
            assert_eq!(refusal(text), None, "{text}");
        }
    }
}
