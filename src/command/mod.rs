//! The commands, one file each: they call the store and print words or JSON.

use crate::cli::{Global, LangChoice};
use crate::environment::Environment;
use crate::store::config::{Config, LangName};
use crate::text::Lang;

pub mod about;
pub mod answer;
pub mod attach;
pub mod check;
pub mod compile;
pub mod decisions;
pub mod doctor;
mod heard;
pub mod history;
pub mod hook;
pub mod init;
mod input;
mod kept;
mod lines;
pub mod lint;
pub mod list;
pub mod mcp;
pub mod next;
pub mod output;
pub mod plan;
pub mod propose;
pub mod questions;
pub mod redo;
pub mod schema;
mod sent_back;
mod session;
pub mod show;
pub mod skill;
pub mod themes;
pub mod wait;
mod wake;

pub(crate) use lines::{harmless, steerless};
pub use session::{Session, Streams};

/// The language of the console: that of the command line, else of the settings, else of the environment.
pub fn author_lang(global: &Global, config: &Config, environment: &Environment) -> Lang {
    let set = match config.lang.unwrap_or(LangName::Auto) {
        LangName::Auto => LangChoice::Auto,
        LangName::En => LangChoice::En,
        LangName::ZhCn => LangChoice::ZhCn,
    };
    let choice = if global.lang == LangChoice::Auto { set } else { global.lang };
    choice.lang(&environment.locale)
}
