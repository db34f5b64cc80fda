//! The filter of a question's options.

use crate::ask::Choice;
use crate::console::field::TextField;
use crate::text::Query;

#[derive(Clone, Debug)]
pub struct OptionFilter {
    pub field: TextField,
    pub query: Query,
    /// Places of the options that pass: those whose label or number is found before those whose description is.
    pub hits: Vec<usize>,
}

impl OptionFilter {
    pub fn new(field: TextField, options: &[Choice]) -> OptionFilter {
        let hits = (0..options.len()).collect();
        let mut filter = OptionFilter { field, query: Query::default(), hits };
        filter.narrow(options);
        filter
    }

    /// Takes the field's text for the query. Where only its end grew, the earlier hits are all there is to look at.
    pub fn narrow(&mut self, options: &[Choice]) {
        let query = Query::new(self.field.text());
        let earlier = std::mem::take(&mut self.hits);
        let places = if query.extends(&self.query) { earlier } else { (0..options.len()).collect() };
        self.query = query;
        let mut by_description = Vec::new();
        for place in places {
            match self.found_in(place, &options[place]) {
                Some(Found::Label) => self.hits.push(place),
                Some(Found::Description) => by_description.push(place),
                None => {}
            }
        }
        // Some of them may have stood among the labels before.
        by_description.sort_unstable();
        self.hits.append(&mut by_description);
    }

    /// Whether own words pass.
    pub fn passes(&self, words: &str) -> bool {
        self.query.words().iter().all(|word| word.find_by_sound(words).is_some())
    }

    fn found_in(&self, place: usize, option: &Choice) -> Option<Found> {
        let mut found = Found::Label;
        for word in self.query.words() {
            if word.begins_number(place + 1) || word.find_by_sound(&option.label.display()).is_some() {
                continue;
            }
            word.find(&option.description.display())?;
            found = Found::Description;
        }
        Some(found)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Label,
    Description,
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
        };
        OPTIONS.into_iter().map(choice).collect()
    }

    fn hits(text: &str) -> Vec<usize> {
        OptionFilter::new(TextField::new(text, false), &options()).hits
    }

    #[test]
    fn labels_stand_before_descriptions_and_both_in_spec_order() {
        assert_eq!(hits(""), [0, 1, 2, 3, 4]);
        assert_eq!(hits("规则"), [1, 0, 2]);
        assert_eq!(hits("gz"), [1], "descriptions are not found by sound");
        assert_eq!(hits("qd"), [4]);
        assert_eq!(hits("qidian"), [3, 4]);
        assert_eq!(hits("起点"), [4, 3]);
        assert_eq!(hits("RULES"), [4]);
        assert_eq!(hits("3"), [2], "a number");
        assert_eq!(hits("规则 写"), [0], "every word is found");
        assert_eq!(hits("规则 gt"), [1], "one by sound");
        assert_eq!(hits("雨夜"), [0; 0]);
    }

    #[test]
    fn typing_finds_what_the_whole_text_finds() {
        for text in ["规则", "规则 写", "qidian", "gz", "3", "一个", "的规"] {
            let mut filter = OptionFilter::new(TextField::new("", false), &options());
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
