//! Times, lengths and counts in words.

use crate::text::{Lang, Sentence, count, say};
use std::time::Duration;

/// How long ago, short: `just now`, `2 min`, `3 h`, `5 d`.
pub fn age(age: Duration, lang: Lang) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let seconds = age.as_secs();
    let (says, count) = match seconds {
        0..MINUTE => (say("just now", "刚刚"), 0),
        MINUTE..HOUR => (say("{0} min", "{0} 分钟"), seconds / MINUTE),
        HOUR..DAY => (say("{0} h", "{0} 小时"), seconds / HOUR),
        _ => (say("{0} d", "{0} 天"), seconds / DAY),
    };
    says.fill(lang, &[&count.to_string()])
}

/// How long ago, inside a sentence: `just now`, `2 min ago`.
pub fn ago(elapsed: Duration, lang: Lang) -> String {
    let short = age(elapsed, lang);
    if elapsed.as_secs() < 60 { short } else { say("{0} ago", "{0}前").fill(lang, &[&short]) }
}

/// How long a text is, as the language counts: words, or 字.
pub fn length(text: &str, lang: Lang) -> String {
    let count = match lang {
        Lang::En => count::words(text),
        Lang::ZhCn => count::characters(text),
    };
    counted(count, say("1 word", "1 字"), say("{0} words", "{0} 字"), lang)
}

/// A count with the sentence for one or for many.
pub fn counted(count: usize, one: Sentence, many: Sentence, lang: Lang) -> String {
    if count == 1 { one.text(lang).to_owned() } else { many.fill(lang, &[&count.to_string()]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let at = |seconds| age(Duration::from_secs(seconds), Lang::En);
        assert_eq!([at(59), at(60), at(7_199), at(86_400)], ["just now", "1 min", "1 h", "1 d"]);
        assert_eq!(ago(Duration::from_mins(5), Lang::ZhCn), "5 分钟前");
        assert_eq!(ago(Duration::from_secs(3), Lang::En), "just now");
    }
}
