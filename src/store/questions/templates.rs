//! Standing questions to begin with, in both languages, and sets of them. In a book a template is a file like any other, the
//! author's to change.

use crate::ask::standing::{self, Standing};
use crate::text::Lang;

/// A question that can be put into a book.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    pub name: &'static str,
    en: &'static str,
    zh: &'static str,
    /// The names of the sets that have it.
    pub sets: &'static [&'static str],
}

/// How much an author wants to decide, from little to much.
pub const SETS: [&str; 3] = ["light", "steady", "close"];

macro_rules! template {
    ($name:literal, $sets:expr) => {
        Template {
            name: $name,
            en: include_str!(concat!("../../../questions/en/", $name, ".question.json")),
            zh: include_str!(concat!("../../../questions/zh-CN/", $name, ".question.json")),
            sets: $sets,
        }
    };
}

pub const TEMPLATES: [Template; 7] = [
    template!("book_contract", &SETS),
    template!("viewpoint", &SETS),
    template!("volume_plan_verdict", &SETS),
    template!("romance_line", &["close"]),
    template!("rhythm_payoff", &["close"]),
    template!("end_hook", &[]),
    template!("draft_verdict", &["close"]),
];

impl Template {
    /// The file, as it goes into a book.
    pub fn text(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::ZhCn => self.zh,
        }
    }

    pub fn standing(&self, lang: Lang) -> Option<Standing> {
        standing::read(self.name, self.text(lang).as_bytes()).standing
    }

    /// Whether a question of a book comes from it, whatever the author has made of it: it has its name and asks something of it. An
    /// author may have a question of his own by that name.
    pub fn is_origin_of(&self, standing: &Standing) -> bool {
        let ids = |standing: &Standing| -> Vec<String> {
            standing.spec.questions.iter().map(|question| question.id.clone()).collect()
        };
        let own = self.standing(Lang::En).map(|own| ids(&own)).unwrap_or_default();
        standing.name == self.name && ids(standing).iter().any(|id| own.contains(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Question;

    #[test]
    fn every_template_can_be_asked_and_is_the_same_question_in_both_languages() {
        for template in TEMPLATES {
            let [en, zh] = [Lang::En, Lang::ZhCn].map(|lang| {
                let read = standing::read(template.name, template.text(lang).as_bytes());
                assert_eq!(read.problems, [], "{} {}", template.name, lang.tag());
                read.standing.expect("a question")
            });
            assert!(en.rules.is_enabled && en.rules.why.is_some() && zh.rules.why.is_some());
            assert_eq!((&en.rules.steps, en.rules.once_per), (&zh.rules.steps, zh.rules.once_per));
            assert_eq!(en.rules.tell, zh.rules.tell);
            let shape = |standing: &Standing| -> Vec<_> {
                let all = standing.spec.questions.iter();
                let sends_back =
                    |it: &Question| it.options.iter().map(|option| option.sends_back).collect::<Vec<_>>();
                all.map(|it| (it.id.clone(), it.kind, it.required, sends_back(it))).collect()
            };
            assert_eq!(shape(&en), shape(&zh), "{}", template.name);
            assert!(template.is_origin_of(&en) && template.is_origin_of(&zh));
        }
    }

    #[test]
    fn a_question_of_the_authors_own_does_not_come_from_a_template_of_its_name() {
        let own = br#"{"_steps": ["volume:outline"], "version": 1, "topic": "T", "questions": [
            {"id": "mine", "header": "H", "question": "Q?", "kind": "free_text", "required": true}]}"#;
        let own = standing::read("viewpoint", own).standing.expect("a question");
        assert!(!TEMPLATES.iter().any(|template| template.is_origin_of(&own)));
    }
}
