//! The theme in use, and what changes it: a key, or the ground of the terminal.

use super::model::Tone;
use super::terminal::ground::Ground;
use super::theme::Theme;
use crate::error::{Error, Message};
use crate::text::{Lang, say};

/// Gives the name of the theme after the one of this name, and that theme or why it cannot be had.
pub type NextTheme = Box<dyn Fn(&str) -> (String, Result<Theme, Error>)>;

pub struct Look {
    pub theme: Theme,
    /// Its name; if the next one could not be had, the name of that one.
    pub name: String,
    /// The terminal decides: it is asked for its ground.
    pub follow_ground: bool,
    /// Nothing where no colours are wanted.
    pub next: Option<NextTheme>,
}

impl Look {
    /// A look that nothing changes.
    pub fn fixed(theme: Theme) -> Look {
        Look { theme, name: String::new(), follow_ground: false, next: None }
    }

    /// The terminal has told its ground; whether that changes the theme.
    pub fn take_ground(&mut self, ground: Ground) -> bool {
        let name = ground.theme();
        let theme = Theme::built_in(name).filter(|_| self.follow_ground && self.name != name);
        let Some(theme) = theme else { return false };
        (self.theme, self.name) = (theme, name.to_owned());
        true
    }

    /// The author asks for the next theme, and so chooses; what there is to say.
    pub fn take_next(&mut self, lang: Lang) -> (Tone, Message) {
        let Some(next) = &self.next else {
            let says = say(
                "Colours are off: NO_COLOR or --color never.",
                "没有使用颜色：NO_COLOR 或 --color never。",
            );
            return (Tone::Plain, Message::from(says));
        };
        let (name, theme) = next(&self.name);
        let said = match theme {
            Ok(theme) => {
                self.theme = theme;
                let says = say(
                    "Theme {0} until you quit. To keep it: theme = \"{0}\" in config.toml",
                    "主题 {0}，退出后不保留。要保留：在 config.toml 里写 theme = \"{0}\"",
                );
                (Tone::Plain, Message::new(says, &[&name]))
            }
            Err(error) => {
                let says = say("The theme {0} cannot be used: {1}", "主题 {0} 不可用：{1}");
                (Tone::Bad, Message::new(says, &[&name, &error.text(lang)]))
            }
        };
        (self.name, self.follow_ground) = (name, false);
        said
    }
}
