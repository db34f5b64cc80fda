//! What an author types to find a text: words, or the pinyin or initials of Chinese ones.

use super::width::{narrow, widen};
use ib_matcher::pinyin::{PinyinData, PinyinNotation};
use std::ops::Range;
use std::sync::LazyLock;

static PINYIN: LazyLock<PinyinData> = LazyLock::new(|| PinyinData::new(PinyinNotation::Ascii));

/// Words parted by blanks; neither case nor width counts.
#[derive(Clone, Debug, Default)]
pub struct Query {
    text: String,
    words: Vec<Word>,
    /// All of it, one after the other.
    phrase: Option<Word>,
}

#[derive(Clone, Debug)]
pub struct Word {
    /// Folded.
    letters: String,
    /// The first letter as it is typed, and in both cases and widths.
    first: [char; 5],
}

/// A letter as it is compared: in lower case, a full-width form as the half-width one.
pub fn folded(c: char) -> impl Iterator<Item = char> {
    narrow(c).to_lowercase()
}

impl Query {
    pub fn new(text: &str) -> Query {
        let words = text.split_whitespace().filter_map(Word::new).collect();
        Query { text: text.to_owned(), words, phrase: Word::new(text.trim()) }
    }

    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Where a search of the history finds it in a text: all of it, in every place, else those of its words whose sound begins
    /// the text.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        let places: Vec<_> = self.phrase.iter().flat_map(|phrase| phrase.find_all(text)).collect();
        let by_sound = || self.words.iter().filter_map(|word| word.sound_at_start(text)).collect();
        if places.is_empty() { by_sound() } else { places }
    }

    /// Whether all that this finds was found by an earlier query, because only its end grew.
    pub fn extends(&self, earlier: &Query) -> bool {
        self.text.starts_with(&earlier.text)
    }
}

impl Word {
    /// All of a text as one word, blanks included; none of an empty one.
    pub fn new(word: &str) -> Option<Word> {
        let letters: String = word.chars().flat_map(folded).collect();
        let (typed, lower) = (word.chars().next()?, letters.chars().next()?);
        let mut upper = lower.to_uppercase();
        let upper = upper.next().filter(|_| upper.len() == 0).unwrap_or(lower);
        Some(Word { letters, first: [typed, lower, upper, widen(lower), widen(upper)] })
    }

    /// Where the word itself stands in a text.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        let mut starts = text.match_indices(self.first);
        starts.find_map(|(at, _)| Some(at..at + self.length_in(&text[at..])?))
    }

    /// Every place where the word itself stands in a text, one behind the other.
    pub fn find_all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find(text.get(from..)?)?;
            let place = from + found.start..from + found.end;
            from = place.end;
            Some(place)
        })
    }

    /// The word at the start of a text, or what it is the pinyin or the initials of.
    pub fn sound_at_start(&self, text: &str) -> Option<Range<usize>> {
        let by_sound = || self.can_be_pinyin(text).then(|| self.length_by_sound(text)).flatten();
        self.length_in(text).or_else(by_sound).map(|end| 0..end)
    }

    /// Where the word stands, or what it is the pinyin or the initials of; the last syllable may be unfinished.
    pub fn find_by_sound(&self, text: &str) -> Option<Range<usize>> {
        let found = |at| Some(at..at + self.length_by_sound(&text[at..])?);
        let can_be = self.can_be_pinyin(text);
        let by_sound = || text.char_indices().filter(|_| can_be).find_map(|(at, _)| found(at));
        self.find(text).or_else(by_sound)
    }

    /// The word as it is compared.
    pub fn letters(&self) -> &str {
        &self.letters
    }

    /// Whether it may be the sound of something. One bit for each place in it; nobody types longer pinyin.
    pub fn is_sound(&self) -> bool {
        self.letters.len() < 64 && self.letters.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    fn can_be_pinyin(&self, text: &str) -> bool {
        self.is_sound() && !text.is_ascii()
    }

    /// Whether the word, or what it is the sound of, may begin with a character.
    pub fn can_begin(&self, c: char) -> bool {
        folded(c).next() == self.letters.chars().next() || self.is_sound() && self.reached_behind(c, 1) != 0
    }

    /// Bytes that the word takes at the start of a text.
    fn length_in(&self, text: &str) -> Option<usize> {
        let mut rest = self.letters.chars();
        for (at, c) in text.char_indices() {
            if rest.as_str().is_empty() {
                return Some(at);
            }
            if !folded(c).all(|lower| rest.next() == Some(lower)) {
                return None;
            }
        }
        rest.as_str().is_empty().then_some(text.len())
    }

    /// Bytes at the start of a text that the word is the sound of.
    fn length_by_sound(&self, text: &str) -> Option<usize> {
        // The places in the word that can be reached. All at once: each character has several readings, and one way after
        // the other would take exponential time.
        let mut reached: u64 = 1;
        for (at, c) in text.char_indices() {
            reached = self.reached_behind(c, reached);
            if reached >> self.letters.len() == 1 {
                return Some(at + c.len_utf8());
            }
            if reached == 0 {
                return None;
            }
        }
        None
    }

    /// The places in the word that can be reached with one more character, by itself, its reading or its initial.
    fn reached_behind(&self, c: char, reached: u64) -> u64 {
        let end = self.letters.len();
        let mut next = 0;
        for place in (0..end).filter(|place| reached >> place & 1 == 1) {
            let rest = &self.letters[place..];
            let letter = narrow(c);
            if rest.starts_with(letter) || letter.is_ascii() && rest.starts_with(letter.to_ascii_lowercase())
            {
                next |= 1 << (place + letter.len_utf8());
            }
            PINYIN.get_pinyins_and_for_each(c, |reading| {
                let reading = reading.notation(PinyinNotation::Ascii).unwrap_or_default();
                if rest.as_bytes()[0] == reading.bytes().next().unwrap_or_default() {
                    next |= 1 << (place + 1);
                    if reading.starts_with(rest) {
                        next |= 1 << end;
                    } else if rest.starts_with(reading) {
                        next |= 1 << (place + reading.len());
                    }
                }
            });
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(word: &str) -> Word {
        Word::new(word).expect("a word")
    }

    fn found<'t>(typed: &str, text: &'t str) -> Option<&'t str> {
        word(typed).find_by_sound(text).map(|range| &text[range])
    }

    #[test]
    fn words_pinyin_and_initials_find_their_place() {
        let rows = [
            ("起点", "起点中文网", Some("起点")),
            ("qd", "起点", Some("起点")),
            ("qidian", "起点", Some("起点")),
            ("qidia", "起点", Some("起点")),
            ("QiDian", "起点", Some("起点")),
            ("qid", "起点", Some("起点")),
            ("xyt", "悬疑推理", Some("悬疑推")),
            ("gz", "灵异怪谈", None),
            ("chongqing", "去重庆", Some("重庆")),
            ("zhong", "重庆", Some("重")),
            ("lv", "旅行", Some("旅")),
            ("x番茄", "X番茄小说", Some("X番茄")),
            ("JJ", "jjwxc", Some("jj")),
            ("wxc", "jjwxc", Some("wxc")),
            ("qidainx", "起点", None),
            ("école", "L'ÉCOLE", Some("ÉCOLE")),
            ("война", "ВОЙНА", Some("ВОЙНА")),
            ("ｈｕｏ", "火星", Some("火")),
            ("ＱＤ", "起点", Some("起点")),
            ("２１９", "chapter:219:draft", Some("219")),
            ("219", "第２１９章", Some("２１９")),
            ("jj", "ＪＪ文学", Some("ＪＪ")),
            ("ｖｏｌ", "VOL-02", Some("VOL")),
            ("x番", "Ｘ番茄", Some("Ｘ番")),
            ("！", "走!", Some("!")),
            ("雨", "", None),
        ];
        for (typed, text, want) in rows {
            assert_eq!(found(typed, text), want, "{typed} in {text}");
        }
    }

    #[test]
    fn the_start_of_a_text_is_found_by_its_sound() {
        for (typed, begins) in [("qd", true), ("起", true), ("zw", false), ("qdz", true), ("QiDian", true)] {
            assert_eq!(word(typed).sound_at_start("起点中文网").is_some(), begins, "{typed}");
        }
    }

    #[test]
    fn letters_whose_cases_differ_in_length_are_only_letters() {
        for typed in ["\u{212a}x", "ẞ", "ᲀ怪", "İi", "ſab"] {
            assert_eq!(found(typed, "怪谈"), None);
            assert!(found(typed, typed).is_some(), "{typed}");
        }
    }

    #[test]
    fn a_text_is_found_by_its_own_words_and_not_by_sound() {
        assert_eq!(word("gz").find("规则"), None);
        assert_eq!(word("规则").find("十条规则"), Some(6..12));
        assert_eq!(word("ab").find_all("aＡＢbab").collect::<Vec<_>>(), [1..7, 8..10]);
    }

    #[test]
    fn a_syllable_of_one_letter_takes_no_time() {
        let cry = "啊".repeat(40);
        assert_eq!(found(&"a".repeat(40), &cry), Some(cry.as_str()));
        assert_eq!(found(&("a".repeat(40) + "z"), &cry), None);
        assert_eq!(found(&"a".repeat(64), &"啊".repeat(64)), None, "too long for pinyin");
    }

    #[test]
    fn a_query_extends_what_it_begins_with() {
        let extends = |now: &str, earlier: &str| Query::new(now).extends(&Query::new(earlier));
        assert!(extends("qd", "q") && extends("q d", "q") && extends("q", ""));
        assert!(!extends("q", "qd") && !extends("dq", "q"));
        assert!(Query::new(" \u{3000}").words().is_empty());
    }

    #[test]
    fn a_search_finds_the_whole_phrase_everywhere_else_the_sound_at_the_start() {
        let rows: [(&str, &str, &[&str]); 4] = [
            ("the rain", "The Rain and the rain", &["The Rain", "the rain"]),
            ("qd", "起点 qd", &["qd"]),
            ("qd", "起点", &["起点"]),
            ("qd", "去起点", &[]),
        ];
        for (typed, text, want) in rows {
            let found: Vec<&str> =
                Query::new(typed).places(text).into_iter().map(|place| &text[place]).collect();
            assert_eq!(found, want, "{typed} in {text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics_and_places_are_in_the_text(typed in r"\PC{1,6}", text in r"\PC{0,12}") {
            for word in Query::new(&typed).words() {
                for found in [word.find(&text), word.find_by_sound(&text)].into_iter().flatten() {
                    prop_assert!(text.get(found).is_some_and(|found| !found.is_empty()));
                }
            }
        }

        /// Earlier hits are all there is to look at when a query grows.
        #[test]
        fn a_longer_word_finds_no_more(typed in "[a-zａＺ怪重éK]{2,5}", text in "[怪谈重庆起点西安ａaéKghnq]{0,6}") {
            for (cut, _) in typed.char_indices().skip(1) {
                let (short, long) = (word(&typed[..cut]), word(&typed));
                prop_assert!(long.find(&text).is_none() || short.find(&text).is_some());
                prop_assert!(long.find_by_sound(&text).is_none() || short.find_by_sound(&text).is_some());
            }
        }
    }
}
