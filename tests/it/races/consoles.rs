//! Two consoles on one gate, and a command beside them.

use super::{Deed, Kept, Place};
use crate::project::Book;
use crate::screen::Terminal;
use portable_pty::CommandBuilder;

/// The console on a project.
fn console(book: &Book) -> Terminal {
    let command = book.command(&["--lang", "en"]);
    let mut on_terminal = CommandBuilder::new(command.get_program());
    on_terminal.args(command.get_args());
    on_terminal.cwd(book.root());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => on_terminal.env(name, value),
            None => on_terminal.env_remove(name),
        }
    }
    Terminal::spawn(on_terminal, 100, 30)
}

fn race(round: usize) {
    let book = Book::new();
    let place = Place::new(&book, round);
    let words = ["from-the-left", "from-the-right"];
    let mut consoles = words.map(|_| console(&book));
    // Both are open before one of them has kept a draft.
    for console in &consoles {
        console.wait_for_text("1 waiting");
        console.press("enter");
        console.wait_for_text("[1 ");
    }
    for (console, word) in consoles.iter().zip(words) {
        console.send_keys(word);
        console.wait_for_text(word);
        console.press("enter");
        console.wait_for_text("This will be written to");
    }
    // A command comes between them, in every other round over whatever is there.
    let deed = if round.is_multiple_of(2) { Deed::Replace } else { Deed::Answer };
    let running = place.start(deed, "from-the-command");
    for console in &consoles {
        console.press("ctrl+s");
    }
    let outcome = running.end();
    let mut told = Vec::new();
    for console in &consoles {
        let ends = ["Written and verified", "Not written", "Another answer came first"];
        console.wait_until("a receipt or a refusal", |screen| {
            ends.iter().any(|words| screen.contents().contains(words))
        });
        told.push(console.screen_text());
    }
    let Kept { there, noted, aside } = place.kept();
    let found = |word: &str| {
        there
            .iter()
            .chain(&noted)
            .any(|bytes| String::from_utf8_lossy(bytes).contains(&format!("\"{word}\"")))
    };
    let report = || format!("round {round}\n{}\n{}\n{}\n{aside:?}", outcome.out, told[0], told[1]);
    assert_eq!(found("from-the-command"), outcome.exit == 0, "{}", report());
    for (word, screen) in words.iter().zip(&told) {
        if screen.contains("Written and verified") {
            assert!(found(word), "{word} is lost\n{}", report());
        } else {
            assert!(!found(word), "{word} was said not to be written\n{}", report());
        }
    }
    assert!(there.is_some(), "{}", report());
    for console in &mut consoles {
        console.press("f10");
        assert_eq!(console.wait_exit().code, Some(0), "{}", report());
    }
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn what_two_consoles_and_a_command_report_as_written_is_found() {
    (0..2).for_each(race);
}

#[test]
#[ignore = "8 minutes"]
fn long_races_of_consoles() {
    (0..3_000).for_each(race);
}
