//! What is typed: cuts a line of Bash into words, and finds out by the command line's own rules which command, which flag's
//! value or which argument stands under the cursor.
//!
//! Readline replaces only the text behind the last break character. A `:` is one, so of `chapter:048:dr` it replaces `dr`.
//! Nothing is expanded: a `$` stays a `$`.

use clap::builder::Command;
use clap::{Arg, ArgAction};

/// How the text under the cursor is quoted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Quote {
    #[default]
    None,
    Single,
    Double,
}

/// What was typed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// The finished words, without quotes.
    pub(super) words: Vec<String>,
    /// The word under the cursor, as far as it, without quotes.
    pub(super) current: String,
    /// The word under the cursor is the file of a redirection.
    pub(super) is_redirection: bool,
    /// How much of `current` Bash leaves as it is, in bytes.
    kept: usize,
    quote: Quote,
}

/// Reads a line; `breaks` is `COMP_WORDBREAKS`.
pub(super) fn read(line: &str, breaks: &str) -> Typed {
    let mut typed = Typed::default();
    let mut in_word = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (typed.quote, c) {
            (Quote::Single, '\'') | (Quote::Double, '"') => typed.quote = Quote::None,
            (Quote::Double, '\\') => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => typed.current.push(c),
                other => typed.current.extend(['\\'].into_iter().chain(other)),
            },
            (Quote::Single | Quote::Double, c) => typed.current.push(c),
            (Quote::None, ' ' | '\t' | '\n') => {
                if in_word {
                    typed.end_word();
                }
                in_word = false;
                continue;
            }
            (Quote::None, '<' | '>') => {
                // A number right before it belongs to it.
                if in_word && !typed.current.bytes().all(|byte| byte.is_ascii_digit()) {
                    typed.end_word();
                }
                typed.start_word(true);
                in_word = false;
                continue;
            }
            (Quote::None, '\'') => typed.open(Quote::Single),
            (Quote::None, '"') => typed.open(Quote::Double),
            (Quote::None, '\\') => typed.current.extend(chars.next()),
            (Quote::None, c) => {
                typed.current.push(c);
                if breaks.contains(c) {
                    typed.kept = typed.current.len();
                }
            }
        }
        in_word = true;
    }
    typed
}

impl Typed {
    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.current);
        if !self.is_redirection {
            self.words.push(word);
        }
        self.start_word(false);
    }

    fn start_word(&mut self, is_redirection: bool) {
        self.current.clear();
        self.kept = 0;
        self.is_redirection = is_redirection;
    }

    /// Readline replaces what stands behind an open quote.
    fn open(&mut self, quote: Quote) {
        self.quote = quote;
        self.kept = self.current.len();
    }

    /// What Bash must insert so that the word becomes `value`; `None` if `value` cannot stand in these quotes.
    pub(super) fn written(&self, value: &str) -> Option<String> {
        let rest = value.get(self.kept..)?;
        match self.quote {
            Quote::Single if rest.contains('\'') => None,
            Quote::Single => Some(rest.to_owned()),
            Quote::Double => Some(escaped(rest, |c| "\"\\$`".contains(c))),
            Quote::None => {
                let plain = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || "_-./:=+,@%^".contains(c);
                let home = self.kept == 0 && rest.starts_with('~');
                Some(if home { "\\" } else { "" }.to_owned() + &escaped(rest, |c| !plain(c) && c != '~'))
            }
        }
    }
}

fn escaped(text: &str, must_be: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if must_be(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The place under the cursor.
#[derive(Debug)]
pub(super) struct Cursor<'c> {
    /// The command it belongs to.
    pub(super) command: &'c Command,
    /// What may be there.
    pub(super) at: At<'c>,
    /// What of it is typed, without the flag that it is attached to.
    pub(super) current: String,
    /// Arguments and flags before it, with their values.
    pub(super) given: Vec<(&'c Arg, String)>,
}

/// What may be at a place.
#[derive(Debug)]
pub(super) enum At<'c> {
    /// The value of an argument or flag; `flag` is the `--flag=` that it is attached to.
    Value { arg: &'c Arg, flag: String },
    /// An argument, if one is left, or a flag; a command where there are commands.
    Word { arg: Option<&'c Arg> },
    /// A flag.
    Flag,
}

/// Finds it: `words` are those before the cursor without the program's name, `current` is what of the word under it is
/// typed. The command must have been built.
pub(super) fn find<'c>(whole: &'c Command, words: &[String], current: &str) -> Cursor<'c> {
    let mut parser =
        LineParser { command: whole, given: Vec::new(), arguments: 0, open: None, escaped: false };
    for word in words {
        parser.pass(word);
    }
    parser.cursor(current)
}

struct LineParser<'c> {
    command: &'c Command,
    given: Vec<(&'c Arg, String)>,
    /// How many arguments of the command have passed.
    arguments: usize,
    /// A flag that still takes so many values.
    open: Option<(&'c Arg, usize)>,
    /// `--` has passed: no more flags.
    escaped: bool,
}

impl<'c> LineParser<'c> {
    fn pass(&mut self, word: &str) {
        if let Some((arg, left)) = self.open.take() {
            self.given.push((arg, word.to_owned()));
            self.open = Some((arg, left - 1)).filter(|(_, left)| *left > 0);
        } else if self.escaped {
            self.argument(word);
        } else if word == "--" {
            self.escaped = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let Some(arg) = self.flag(name) else { return };
            match value {
                Some(value) => self.given.push((arg, value.to_owned())),
                None if takes_next(arg) => self.open = Some((arg, count(arg))),
                None => self.given.push((arg, String::new())),
            }
        } else if word.starts_with('-') && word.len() > 1 {
            // Only -h and -V are short, and they end everything.
        } else if let Some(sub) = self.command.find_subcommand(word).filter(|_| self.arguments == 0) {
            self.command = sub;
        } else {
            self.argument(word);
        }
    }

    fn argument(&mut self, word: &str) {
        if let Some(arg) = self.next_argument() {
            self.given.push((arg, word.to_owned()));
        }
        self.arguments += 1;
    }

    /// The argument that the next word is; the last one may take many.
    fn next_argument(&self) -> Option<&'c Arg> {
        let shown = || self.command.get_positionals().filter(|arg| !arg.is_hide_set());
        let many = shown().last().filter(|arg| matches!(arg.get_action(), ArgAction::Append));
        shown().nth(self.arguments).or(many)
    }

    fn flag(&self, name: &str) -> Option<&'c Arg> {
        let spelled = |arg: &&Arg| {
            arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
        };
        self.command.get_arguments().find(spelled)
    }

    fn cursor(self, current: &str) -> Cursor<'c> {
        let attached = current.strip_prefix("--").and_then(|long| long.split_once('='));
        let attached = attached.and_then(|(name, value)| Some((self.flag(name)?, name, value)));
        let (at, current) = match (self.open, attached) {
            (Some((arg, _)), _) => (At::Value { arg, flag: String::new() }, current),
            (None, Some((arg, name, value))) if !self.escaped && arg.get_action().takes_values() => {
                (At::Value { arg, flag: format!("--{name}=") }, value)
            }
            _ if !self.escaped && current.starts_with('-') && current != "-" => (At::Flag, current),
            _ => (At::Word { arg: self.next_argument() }, current),
        };
        Cursor { command: self.command, at, current: current.to_owned(), given: self.given }
    }
}

/// Whether the next word is the flag's value.
fn takes_next(arg: &Arg) -> bool {
    arg.get_action().takes_values() && !arg.is_require_equals_set()
}

fn count(arg: &Arg) -> usize {
    arg.get_num_args().map_or(1, |range| range.min_values().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;
    use crate::text::Lang;

    const BREAKS: &str = " \t\n\"'@><=;|&(:";

    fn written(line: &str, value: &str) -> Option<String> {
        read(line, BREAKS).written(value)
    }

    #[test]
    fn words_are_cut_as_bash_cuts_them() {
        let typed = read(r#"novel-gate  show 'a b' "c\"$d" e\ f chapter:0"#, BREAKS);
        assert_eq!(typed.words, ["novel-gate", "show", "a b", "c\"$d", "e f"]);
        assert_eq!(typed.current, "chapter:0");
        let typed = read("novel-gate list ", BREAKS);
        assert_eq!((typed.words.len(), typed.current.as_str()), (2, ""));
        let typed = read("novel-gate answer ''", BREAKS);
        assert_eq!((typed.words.len(), typed.current.as_str()), (2, ""));
    }

    #[test]
    fn only_what_stands_behind_the_last_break_is_replaced() {
        assert_eq!(written("n show chapter:048:dr", "chapter:048:draft").as_deref(), Some("draft"));
        assert_eq!(written("n show chapter:", "chapter:048:draft").as_deref(), Some("048:draft"));
        assert_eq!(written("n show ch", "chapter:048:draft").as_deref(), Some("chapter:048:draft"));
        assert_eq!(written("n --lang=z", "--lang=zh-CN").as_deref(), Some("zh-CN"));
        assert_eq!(written("n show 'chapter:0", "chapter:048").as_deref(), Some("chapter:048"));
        assert_eq!(read("n show chapter:0", "").written("chapter:048").as_deref(), Some("chapter:048"));
    }

    #[test]
    fn what_the_shell_would_read_is_quoted() {
        assert_eq!(written("n answer --set a=", "a=x $y 起").as_deref(), Some("x\\ \\$y\\ 起"));
        assert_eq!(written("n show \"", "a\"b c").as_deref(), Some("a\\\"b c"));
        assert_eq!(written("n show '", "it's"), None);
        assert_eq!(written("n show ", "~x").as_deref(), Some("\\~x"));
    }

    #[test]
    fn a_redirection_takes_a_file_and_is_no_argument() {
        assert!(read("n themes dark > fi", BREAKS).is_redirection);
        let typed = read("n check a 2>/dev/null --js", BREAKS);
        assert_eq!(
            (typed.words.as_slice(), typed.current.as_str()),
            (&["n", "check", "a"].map(String::from)[..], "--js")
        );
        assert!(!typed.is_redirection);
    }

    /// Command, what is there, what of it is typed, what was given.
    fn at(line: &str) -> (String, String, String, Vec<String>) {
        let mut command = cli::command(Lang::En);
        command.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (current, words) = words.split_last().expect("a word");
        let cursor = find(&command, words, current);
        let what = match &cursor.at {
            At::Value { arg, flag } => format!("value {} {flag}", arg.get_id()),
            At::Word { arg } => format!("word {}", arg.map_or("", |arg| arg.get_id().as_str())),
            At::Flag => "flag".to_owned(),
        };
        let given = cursor.given.iter().map(|(arg, value)| format!("{}={value}", arg.get_id())).collect();
        (cursor.command.get_name().to_owned(), what, cursor.current.clone(), given)
    }

    fn is_at(line: &str, command: &str, what: &str, current: &str, given: &[&str]) {
        let given = given.iter().map(|&text| text.to_owned()).collect();
        assert_eq!(at(line), (command.to_owned(), what.to_owned(), current.to_owned(), given), "{line}");
    }

    #[test]
    fn the_place_under_the_cursor_is_known() {
        is_at("", "novel-gate", "word ", "", &[]);
        is_at("che", "novel-gate", "word ", "che", &[]);
        is_at("check ", "check", "word packet", "", &[]);
        is_at("check a ", "check", "word ", "", &["packet=a"]);
        is_at("wait a b c", "wait", "word packets", "c", &["packets=a", "packets=b"]);
        is_at("list --st", "list", "flag", "--st", &[]);
        is_at("list --status w", "list", "value status ", "w", &[]);
        is_at("list --status=w", "list", "value status --status=", "w", &[]);
        is_at("--project check show x", "show", "word packet", "x", &["project=check"]);
        is_at("check -- --json", "check", "word packet", "--json", &[]);
        is_at("answer p --answered-by me --set ", "answer", "value set ", "", &["packet=p", "by=me"]);
        is_at("answer p --replace x", "answer", "word ", "x", &["packet=p", "replace="]);
        is_at("check --nonsense ", "check", "word packet", "", &[]);
    }
}
