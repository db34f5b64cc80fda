//! The two languages every sentence of the program exists in.
//!
//! Each room keeps its own sentences beside the thing they are about.

use super::cluster::is_han;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    En,
    ZhCn,
}

impl Lang {
    /// Chooses by the value of `LC_ALL`, `LC_MESSAGES` or `LANG`: any Chinese locale is Simplified Chinese.
    pub fn from_locale(locale: &str) -> Lang {
        if locale.to_ascii_lowercase().starts_with("zh") { Lang::ZhCn } else { Lang::En }
    }

    /// The tag as the `--lang` flag spells it.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::ZhCn => "zh-CN",
        }
    }

    /// What stands between the parts of a list.
    pub fn comma(self) -> &'static str {
        match self {
            Lang::En => ", ",
            Lang::ZhCn => "、",
        }
    }

    /// The other language, for switching live.
    #[must_use]
    pub fn other(self) -> Lang {
        match self {
            Lang::En => Lang::ZhCn,
            Lang::ZhCn => Lang::En,
        }
    }
}

/// One sentence in both languages. `{0}`, `{1}` … are gaps, filled by [`Sentence::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    pub en: &'static str,
    pub zh: &'static str,
}

impl Sentence {
    /// The wording in `lang`, gaps left as they are.
    pub const fn text(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::ZhCn => self.zh,
        }
    }

    /// The wording in `lang` with gap `{n}` replaced by `parts[n]`. Text inside a part is never searched for gaps.
    pub fn fill(self, lang: Lang, parts: &[&str]) -> String {
        self.fill_named(lang, parts, |_| None)
    }

    /// The same, with gap `{name}` replaced by what `named` gives for it.
    pub fn fill_named<'a>(
        self,
        lang: Lang,
        parts: &[&'a str],
        named: impl Fn(&str) -> Option<&'a str>,
    ) -> String {
        let mut rest = self.text(lang);
        let mut out = String::with_capacity(rest.len());
        while let Some(open) = rest.find('{') {
            let (before, tail) = rest.split_at(open);
            out.push_str(before);
            let gap = tail[1..].split_once('}');
            let part = |gap: &str| gap.parse().map_or_else(|_| named(gap), |n: usize| parts.get(n).copied());
            if let Some((part, behind)) = gap.and_then(|(gap, behind)| Some((part(gap)?, behind))) {
                space(&mut out, part, lang);
                out.push_str(part);
                space(&mut out, behind, lang);
                rest = behind;
            } else {
                out.push('{');
                rest = &tail[1..];
            }
        }
        out.push_str(rest);
        out
    }
}

/// In Chinese a space parts Han from Latin letters and digits.
fn space(out: &mut String, behind: &str, lang: Lang) {
    let (Some(last), Some(next)) = (out.chars().next_back(), behind.chars().next()) else { return };
    let (one, other) = (is_han(last), is_han(next));
    if lang == Lang::ZhCn && (one && next.is_ascii_alphanumeric() || last.is_ascii_alphanumeric() && other) {
        out.push(' ');
    }
}

/// Makes a [`Sentence`] from its English and Chinese wordings.
pub const fn say(en: &'static str, zh: &'static str) -> Sentence {
    Sentence { en, zh }
}

/// `1 packet`, `2 packets`: the English count word; Chinese has no plural.
pub fn plural(count: usize, one: &'static str, many: &'static str) -> Cow<'static, str> {
    Cow::Owned(format!("{count} {}", if count == 1 { one } else { many }))
}

/// A sentence with its gaps filled, carried until it is known in which language it is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    sentence: Sentence,
    parts: Vec<String>,
}

impl Message {
    pub fn new(sentence: Sentence, parts: &[&str]) -> Message {
        Message { sentence, parts: parts.iter().map(|part| (*part).to_owned()).collect() }
    }

    /// Words that are the same in both languages, such as a library's own.
    pub fn verbatim(words: impl Into<String>) -> Message {
        Message { sentence: say("{0}", "{0}"), parts: vec![words.into()] }
    }

    /// Words that are put together in each language.
    pub fn in_both(words: impl Fn(Lang) -> String) -> Message {
        Message::with(say("{0}", "{1}"), words)
    }

    /// A sentence around such words: English has them in the gap `{0}`, Chinese in `{1}`.
    pub fn with(sentence: Sentence, words: impl Fn(Lang) -> String) -> Message {
        Message::new(sentence, &[&words(Lang::En), &words(Lang::ZhCn)])
    }

    /// The sentence in a language. It may quote hostile text: clean it before drawing.
    pub fn text(&self, lang: Lang) -> String {
        self.text_named(lang, |_| None)
    }

    /// The same, with gap `{name}` replaced by what `named` gives for it.
    pub fn text_named<'a>(&'a self, lang: Lang, named: impl Fn(&str) -> Option<&'a str>) -> String {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        self.sentence.fill_named(lang, &parts, named)
    }
}

impl From<Sentence> for Message {
    fn from(sentence: Sentence) -> Message {
        Message::new(sentence, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_in_any_order_and_parts_are_not_searched() {
        let sentence = say("{1} before {0}", "先{0}后{1}");
        assert_eq!(sentence.fill(Lang::En, &["{1}", "b"]), "b before {1}");
        assert_eq!(sentence.fill(Lang::ZhCn, &["甲", "乙"]), "先甲后乙");
        assert_eq!(sentence.fill(Lang::ZhCn, &["“乙”", "F8"]), "先“乙”后 F8");
    }

    #[test]
    fn named_gaps_are_filled_and_parts_are_not_searched() {
        let named = |name: &str| (name == "redo").then_some("F8");
        assert_eq!(say("{redo} {0} {x}", "").fill_named(Lang::En, &["{redo}"], named), "F8 {redo} {x}");
    }

    #[test]
    fn braces_that_are_not_gaps_stay() {
        assert_eq!(say("a {x} {9} {", "").fill(Lang::En, &["p"]), "a {x} {9} {");
    }

    #[test]
    fn locales_choose_the_language() {
        assert_eq!(Lang::from_locale("zh_TW.UTF-8"), Lang::ZhCn);
        assert_eq!(Lang::from_locale("C.UTF-8"), Lang::En);
    }
}
