//! The filter of a question's options.

use crate::ask::Choice;
use crate::ask::question::mark_of;
use crate::console::field::TextField;
use crate::text::Query;
use crate::text::query::Word;

#[derive(Clone, Debug)]
pub struct OptionFilter {
    pub field: TextField,
    pub query: Query,
    /// Places of the options that pass: that with this mark, those found by their labels, then by the sound of these, then
    /// by their descriptions.
    pub hits: Vec<usize>,
    /// How the first of them was found.
    best: Option<Found>,
    /// Words that stood in the row for own words before those of the filter.
    pub stood: String,
    /// What stands there since the filter was changed last.
    pub stands: String,
    /// Whether a key has moved the cursor since then: the author has pointed at its row.
    pub is_pointed: bool,
    /// Whether its words have found what was chosen since then.
    pub is_used: bool,
    /// Where the cursor was in the whole list.
    pub from: usize,
}

impl OptionFilter {
    /// A filter with these words, and with what stands in the row for own words.
    pub fn new(field: TextField, stands: &str, from: usize, options: &[Choice]) -> OptionFilter {
        let (stood, stands) = (stands.to_owned(), stands.to_owned());
        let hits = (0..options.len()).collect();
        let mut filter = OptionFilter {
            field,
            query: Query::default(),
            hits,
            best: None,
            stood,
            stands,
            is_pointed: false,
            is_used: false,
            from,
        };
        filter.narrow(options);
        filter
    }

    #[must_use]
    pub fn carried_over_to(&self, stands: &str, options: &[Choice]) -> OptionFilter {
        let (stood, is_pointed, is_used) = (self.stood.clone(), self.is_pointed, self.is_used);
        let new = OptionFilter::new(self.field.clone(), stands, self.from, options);
        OptionFilter { stood, is_pointed, is_used, ..new }
    }

    pub fn is_blank(&self) -> bool {
        self.field.text().trim().is_empty()
    }

    /// Whether what is typed next is all of it.
    pub fn is_replaced(&self) -> bool {
        self.is_blank() || self.field.is_selected()
    }

    /// Takes the field's text for the query. Where only its end grew, the earlier hits are all there is to look at.
    pub fn narrow(&mut self, options: &[Choice]) {
        let query = Query::new(self.field.text());
        let earlier = std::mem::take(&mut self.hits);
        let places = if query.extends(&self.query) { earlier } else { (0..options.len()).collect() };
        self.query = query;
        let mut found: Vec<(Found, usize)> =
            places.into_iter().filter_map(|place| Some((self.found_in(options, place)?, place))).collect();
        found.sort_unstable();
        self.best = found.first().map(|(found, _)| *found);
        self.hits = found.into_iter().map(|(_, place)| place).collect();
    }

    /// Whether the first hit is found by its label or by the sound of it, not only by its description.
    pub fn finds_label(&self) -> bool {
        self.best.is_some_and(|best| best <= Found::Sound)
    }

    /// Whether the words are a mark, or the pinyin of a label, and nothing that anybody would answer.
    pub fn is_no_answer(&self) -> bool {
        matches!(self.best, Some(Found::Mark | Found::Sound))
    }

    pub fn passes(&self, words: &str) -> bool {
        self.query.words().iter().all(|word| word.find_by_sound(words).is_some())
    }

    /// Where all words of the query are found, the one that is hardest to find says how.
    fn found_in(&self, options: &[Choice], place: usize) -> Option<Found> {
        let label = options[place].label.display();
        let mark = mark_of(options, place).unwrap_or_default().to_lowercase();
        let found = |word: &Word| {
            if mark == word.letters() {
                Some(Found::Mark)
            } else if word.find(&label).is_some() {
                Some(Found::Label)
            } else if word.find_by_sound(&label).is_some() {
                Some(Found::Sound)
            } else if word.find(&options[place].description.display()).is_some() {
                Some(Found::Description)
            } else {
                mark.starts_with(word.letters()).then_some(Found::MarkBegins)
            }
        };
        self.query.words().iter().try_fold(Found::Mark, |worst, word| Some(worst.max(found(word)?)))
    }
}

/// Where a word is found, the best place first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Mark,
    Label,
    Sound,
    Description,
    /// The mark may yet be typed to its end.
    MarkBegins,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::field::Edit;

    const OPTIONS: [(&str, &str); 5] = [
        ("恐怖", "写规则的人先犯规。"),
        ("规则怪谈", "十条规则，其中一条是假的。"),
        ("无限流", "副本一个接一个，规则即悬念。"),
        ("qidian", "起点中文网"),
        ("起点男频", "Rules of the house"),
    ];

    fn options() -> Vec<Choice> {
        let choice = |(label, description): (&str, &str)| Choice {
            label: label.into(),
            description: description.into(),
            cluster: None,
            sends_back: false,
            round: None,
        };
        OPTIONS.into_iter().map(choice).collect()
    }

    fn hits(text: &str) -> Vec<usize> {
        OptionFilter::new(TextField::new(text, false), "", 0, &options()).hits
    }

    #[test]
    fn labels_stand_before_their_sounds_and_these_before_descriptions() {
        assert_eq!(hits(""), [0, 1, 2, 3, 4]);
        assert_eq!(hits("规则"), [1, 0, 2]);
        assert_eq!(hits("gz"), [1], "descriptions are not found by sound");
        assert_eq!(hits("qd"), [4]);
        assert_eq!(hits("qidian"), [3, 4]);
        assert_eq!(hits("n"), [3, 4], "a letter of a label, and the sound of one");
        assert_eq!(hits("起点"), [4, 3]);
        assert_eq!(hits("RULES"), [4]);
        assert_eq!(hits("3"), [0; 0], "no place of a row");
        assert_eq!(hits("规则 写"), [0], "every word is found");
        assert_eq!(hits("规则 gt"), [1], "one by sound");
        assert_eq!(hits("雨夜"), [0; 0]);
    }

    #[test]
    fn typing_finds_what_the_whole_text_finds() {
        for text in ["规则", "规则 写", "qidian", "gz", "3", "一个", "的规", "无 gz"] {
            let mut filter = OptionFilter::new(TextField::new("", false), "", 0, &options());
            let mut typed = String::new();
            for c in text.chars() {
                typed.push(c);
                filter.field.apply(Edit::Insert(c.to_string()), usize::MAX);
                filter.narrow(&options());
                assert_eq!(filter.hits, hits(&typed), "{typed}");
            }
            while typed.pop().is_some() {
                filter.field.apply(Edit::Backspace, usize::MAX);
                filter.narrow(&options());
                assert_eq!(filter.hits, hits(&typed), "{typed}");
            }
        }
    }
}
