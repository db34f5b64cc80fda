//! Standing questions to begin with, in both languages, and sets of them. In a book a template is a file like any other, the
//! author's to change.

use super::Questions;
use crate::ask::standing::{self, Standing};
use crate::error::Error;
use crate::store::project::Project;
use crate::text::Lang;

/// A question that can be put into a book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Template {
    pub name: &'static str,
    en: &'static str,
    zh: &'static str,
    /// The names of the sets that have it.
    pub sets: &'static [&'static str],
}

/// How much an author wants to decide, from little to much.
pub const SETS: [&str; 3] = ["light", "steady", "close"];

/// What a set means for a template in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SetAction {
    Added,
    On,
    Off,
    /// It is as the set has it.
    Kept,
    /// There is a question of the author's own by its name, or one that cannot be asked, which is left alone.
    Own,
}

impl SetAction {
    pub fn changes(self) -> bool {
        !matches!(self, SetAction::Kept | SetAction::Own)
    }
}

impl Questions {
    /// What a set means for each template; nothing of those that are neither there nor in it.
    pub fn plan(&self, set: &str) -> Vec<(&'static Template, SetAction)> {
        let action = |template: &Template| {
            let is_meant = template.sets.contains(&set);
            if self.taken(template.name).is_none() {
                return is_meant.then_some(SetAction::Added);
            }
            let standing = self.standing(template.name);
            Some(match standing.filter(|standing| template.is_origin_of(standing)) {
                None => SetAction::Own,
                Some(standing) if standing.rules.is_enabled == is_meant => SetAction::Kept,
                Some(_) if is_meant => SetAction::On,
                Some(_) => SetAction::Off,
            })
        };
        TEMPLATES.iter().filter_map(|template| Some((template, action(template)?))).collect()
    }

    /// Does one part of such a plan.
    ///
    /// # Errors
    /// As for [`Self::put`] and [`Self::switch`].
    pub fn carry_out(
        &self,
        project: &Project,
        (template, action): (&Template, SetAction),
        lang: Lang,
    ) -> Result<(), Error> {
        match action {
            SetAction::Added => self.put(project, template.name, template.text(lang).as_bytes()),
            SetAction::On | SetAction::Off => {
                self.switch(project, template.name, action == SetAction::On).map(drop)
            }
            SetAction::Kept | SetAction::Own => Ok(()),
        }
    }
}

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

pub const TEMPLATES: [Template; 12] = [
    template!("book_contract", &SETS),
    template!("viewpoint", &SETS),
    template!("volume_direction", &SETS),
    template!("volume_plan_verdict", &SETS),
    template!("character_fate", &["steady", "close"]),
    template!("threads_due", &["steady", "close"]),
    template!("romance_line", &["close"]),
    template!("rhythm_payoff", &["close"]),
    template!("chapter_direction", &["close"]),
    template!("end_hook", &[]),
    template!("chapter_title", &[]),
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
            let proposes = |standing: &Standing| -> Vec<_> {
                let all = standing.proposing.iter();
                all.map(|it| (it.question.clone(), it.options, it.rounds)).collect()
            };
            assert_eq!(proposes(&en), proposes(&zh), "{}", template.name);
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
