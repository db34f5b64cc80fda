//! The look, changed while the console runs.

use super::{Story, question};
use novel_gate::console::theme::Theme;
use novel_gate::error::Error;
use novel_gate::exit::ExitCode;
use novel_gate::text::say;

#[test]
fn one_key_shows_the_next_theme_and_says_how_to_keep_it() {
    let mut story = Story::open(&format!("[{}]", question("a", "single_choice", false, &["一"], "")));
    story.console.look.name = "ansi".to_owned();
    story.console.look.next = Some(Box::new(move |name| {
        let name = match name {
            "ansi" => "gruvbox",
            "gruvbox" => "mine",
            "mine" => "dark",
            name => panic!("{name}"),
        };
        let gone = say("It cannot be read.", "无法读取。");
        let theme = Theme::built_in(name).ok_or_else(|| Error::new(ExitCode::Usage, "no-theme", gone, &[]));
        (name.to_owned(), theme)
    }));
    story.press("ctrl+t");
    assert_eq!(story.console.look.theme, Theme::built_in("gruvbox").expect("built in"));
    assert!(story.notice().contains("theme = \"gruvbox\""), "{}", story.notice());
    story.press("ctrl+t");
    assert_eq!(story.console.look.theme, Theme::built_in("gruvbox").expect("built in"));
    assert!(story.notice().contains("mine cannot be used: It cannot be read."), "{}", story.notice());
    story.press("f1 ctrl+t");
    assert_eq!(story.console.look.theme, Theme::built_in("dark").expect("built in"), "over a page too");
    story.console.look.next = None;
    story.press("esc ctrl+t");
    assert!(story.notice().contains("Colours are off"), "{}", story.notice());
}
