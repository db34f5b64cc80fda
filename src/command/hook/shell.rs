//! The commands in a text for a shell, as far as they stand there: split at separators, quotes taken away, redirections, comments and
//! here-documents left out. What is in a substitution, a subshell or a loop is a command like any other. This is no shell: nothing is
//! expanded, and what only running it could tell is a [`HOLE`].

use crate::platform::paths::of_shell;
use std::mem;
use std::path::is_separator;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What stands in a word for what only a shell can tell; no shell has it in a word of its own.
pub(super) const HOLE: char = '\0';
/// No text of a person or a model is nested deeper.
const DEPTH: usize = 100;
/// No path is longer, in bytes.
const LONGEST: usize = 4096;
/// What may stand before a command.
const RESERVED: [&str; 9] = ["!", "{", "if", "then", "elif", "else", "while", "until", "do"];

/// Where a command is run.
pub(super) struct Place<'p> {
    pub(super) dir: Rc<Path>,
    /// What `~` is.
    pub(super) home: Option<&'p Path>,
}

/// Takes the words of a command, and the directory in which it is run.
pub(super) type Found<'f> = dyn FnMut(&[String], &Rc<Path>) + 'f;

/// Finds the commands of a text, in their order.
pub(super) fn commands(text: &str, place: &Place<'_>, found: &mut Found<'_>) {
    let whole = Frame { opening: Opening::Text, ..Frame::inside(&place.dir) };
    Splitter { rest: text, frames: Vec::new(), top: whole, documents: Vec::new(), home: place.home, found }
        .run();
}

/// What a part of the text begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// The text itself.
    Text,
    Parenthesis,
    /// `name=(`, with words and no commands in it.
    List,
    Backtick,
}

/// What the next word is for, if it is none of the command's.
#[derive(Clone, Copy)]
enum Redirection {
    File,
    /// The line that ends a here-document, and whether tabs may stand in front of it.
    Document(bool),
}

/// A part of the text up to its closing sign, and the command that it is at.
struct Frame {
    opening: Opening,
    dir: Rc<Path>,
    words: Vec<String>,
    /// The word that has begun.
    word: Option<String>,
    /// Between double quotes.
    is_quoted: bool,
    redirection: Option<Redirection>,
}

struct Splitter<'t, 'f, 'p> {
    rest: &'t str,
    /// Those around the innermost.
    frames: Vec<Frame>,
    top: Frame,
    /// The here-documents that begin behind this line.
    documents: Vec<(String, bool)>,
    home: Option<&'p Path>,
    found: &'f mut Found<'f>,
}

impl Frame {
    fn inside(dir: &Rc<Path>) -> Frame {
        Frame {
            opening: Opening::Parenthesis,
            dir: Rc::clone(dir),
            words: Vec::new(),
            word: None,
            is_quoted: false,
            redirection: None,
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }
}

impl Splitter<'_, '_, '_> {
    fn run(mut self) {
        while let Some(c) = self.take() {
            match c {
                '\\' => self.escaped(),
                '"' => {
                    self.top.word.get_or_insert_default();
                    self.top.is_quoted = !self.top.is_quoted;
                }
                '$' => self.expansion(),
                '`' if self.top.opening == Opening::Backtick && !self.top.is_quoted => self.close(),
                '`' => self.substitution(Opening::Backtick),
                c if self.top.is_quoted => self.top.push(c),
                '\'' => self.quoted(),
                '#' if self.top.word.is_none() => self.skip_to(&['\n']),
                ' ' | '\t' => self.end_word(),
                '\n' => {
                    self.end_command();
                    self.skip_documents();
                }
                '&' if self.eat(">") => self.redirection('>'),
                ';' | '|' | '&' => self.end_command(),
                '(' => self.parenthesis(),
                ')' => match self.top.opening {
                    // Behind a pattern of `case`.
                    Opening::Text | Opening::Backtick => self.end_command(),
                    Opening::Parenthesis | Opening::List => self.close(),
                },
                '<' | '>' => self.redirection(c),
                c => self.top.push(c),
            }
        }
        // A shell runs nothing of a text that ends in the midst of something.
        if self.frames.is_empty() && !self.top.is_quoted {
            self.end_command();
        }
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Leaves out what comes before one of these signs.
    fn skip_to(&mut self, signs: &[char]) {
        self.rest = self.rest.find(signs).map_or("", |at| &self.rest[at..]);
    }

    /// What stands behind a backslash is a letter like any other; a line end goes.
    fn escaped(&mut self) {
        let Some(c) = self.take() else { return };
        if self.top.is_quoted && !"$`\"\\\n".contains(c) {
            self.top.push('\\');
        }
        if c != '\n' {
            self.top.push(c);
        }
    }

    fn quoted(&mut self) {
        let end = self.rest.split_once('\'');
        self.top.is_quoted = end.is_none();
        let (text, rest) = end.unwrap_or_default();
        self.top.word.get_or_insert_default().push_str(text);
        self.rest = rest;
    }

    /// What stands behind `$`: a substitution is looked into, of all else only the end is found.
    fn expansion(&mut self) {
        if !self.top.is_quoted && self.rest.starts_with('"') {
            return;
        }
        if !self.top.is_quoted && self.eat("'") {
            self.skip_escaped();
        } else if self.eat("((") {
            self.skip_balanced(['(', ')'], 2);
        } else if self.eat("(") {
            return self.substitution(Opening::Parenthesis);
        } else if self.eat("{") {
            self.skip_balanced(['{', '}'], 1);
        } else {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
            let sign = self.rest.starts_with(['?', '$', '!', '#', '@', '*', '-']);
            if name == 0 && !sign {
                return self.top.push('$');
            }
            self.rest = &self.rest[name.max(1)..];
        }
        self.top.push(HOLE);
    }

    /// Leaves out a text of `$'…'`, whose escapes are not worked out.
    fn skip_escaped(&mut self) {
        while let Some(c) = self.take().filter(|c| *c != '\'') {
            if c == '\\' {
                self.take();
            }
        }
    }

    /// Leaves out what stands up to the sign that closes the outermost of these brackets.
    fn skip_balanced(&mut self, brackets: [char; 2], mut open: usize) {
        while open > 0 {
            self.skip_to(&brackets);
            match self.take() {
                Some(c) if c == brackets[0] => open += 1,
                Some(_) => open -= 1,
                None => return,
            }
        }
    }

    /// Goes into a part whose output is put into the word.
    fn substitution(&mut self, opening: Opening) {
        self.top.push(HOLE);
        self.open(opening);
    }

    fn parenthesis(&mut self) {
        if self.top.word.as_ref().is_some_and(|word| word.ends_with('=')) {
            return self.open(Opening::List);
        }
        if self.top.word.is_none() && self.eat("(") {
            return self.skip_balanced(['(', ')'], 2);
        }
        self.end_command();
        self.open(Opening::Parenthesis);
    }

    fn open(&mut self, opening: Opening) {
        if self.frames.len() == DEPTH {
            self.rest = "";
        }
        let inner = Frame { opening, ..Frame::inside(&self.top.dir) };
        self.frames.push(mem::replace(&mut self.top, inner));
    }

    fn close(&mut self) {
        self.end_command();
        if let Some(outer) = self.frames.pop() {
            self.top = outer;
        }
    }

    fn redirection(&mut self, sign: char) {
        if self.eat("(") {
            return self.substitution(Opening::Parenthesis);
        }
        // A number in front of it is that of a descriptor.
        let is_number = |word: &String| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if self.top.word.take_if(|word| is_number(word)).is_none() {
            self.end_word();
        }
        let is_document = sign == '<' && !self.eat("<<") && self.eat("<");
        self.top.redirection = Some(if is_document {
            Redirection::Document(self.eat("-"))
        } else {
            let _ = ["&", ">", "|"].iter().any(|token| self.eat(token));
            Redirection::File
        });
    }

    fn end_word(&mut self) {
        let Some(word) = self.top.word.take() else { return };
        match self.top.redirection.take() {
            None => self.top.words.push(word),
            Some(Redirection::File) => {}
            Some(Redirection::Document(is_indented)) => self.documents.push((word, is_indented)),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.top.redirection = None;
        let words = mem::take(&mut self.top.words);
        let begin = words.iter().position(|word| !RESERVED.contains(&word.as_str()) && !is_assignment(word));
        let Some(words) = begin.map(|begin| &words[begin..]) else { return };
        if self.top.opening == Opening::List {
            return;
        }
        if let Some(dir) = self.entered(words) {
            self.top.dir = dir;
        }
        (self.found)(words, &self.top.dir);
    }

    /// The directory that a command goes to, if that can be told.
    fn entered(&self, words: &[String]) -> Option<Rc<Path>> {
        let (command, behind) = words.split_first()?;
        let name = behind.iter().find(|word| !word.starts_with('-')).filter(|_| command == "cd")?;
        let dir = named_from(&self.top.dir, self.home, name);
        (!name.contains(HOLE) && dir.as_os_str().len() <= LONGEST).then(|| dir.into())
    }

    fn skip_documents(&mut self) {
        for (end, is_indented) in mem::take(&mut self.documents) {
            let mut is_open = true;
            while is_open && !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                let line = if is_indented { line.trim_start_matches('\t') } else { line };
                is_open = line != end;
                self.rest = rest;
            }
        }
    }
}

/// What a path leads to that is named in a directory.
pub(super) fn named_from(dir: &Path, home: Option<&Path>, name: &str) -> PathBuf {
    let below = name.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(is_separator));
    match (below, home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches(is_separator)),
        _ => dir.join(&*of_shell(name)),
    }
}

/// Whether a word gives a variable a value.
pub(super) fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_name) && name.starts_with(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_commands_and_these_into_words() {
        for (text, all) in [
            ("a  b\tc;d|e&f\ng", "a b c / d / e / f / g"),
            ("'a b' \"c 'd' \\\" \\e\" f\\ g ''", "[a b] [c 'd' \" \\e] [f g] []"),
            ("a$b ${c} $? $ d$(e f)g `h`", "e f / h / a○ ○ ○ $ d○g ○"),
            ("\"a $(b \"c d\"; (e)) f\"", "b [c d] / e / [a ○ f]"),
            ("if a; then b; fi", "a / b / fi"),
            ("A=1 B+=(c d) e", "e"),
            ("a 2>&1 >b <c d1>e &>>f 3<<<g", "a d1"),
            ("a <<b; c\nd\nb\ne # f; g\nh#i", "a / c / e / h#i"),
            ("a \\\nb\\\nc", "a bc"),
            ("(a) $'b\\'c' ((d)) e", "a / ○ e"),
            ("a 'b", ""),
        ] {
            let mut found = Vec::new();
            let place = Place { dir: Path::new("/").into(), home: None };
            commands(text, &place, &mut |words, _| {
                let shown = |word: &String| match word.replace(HOLE, "○") {
                    word if word.is_empty() || word.contains(' ') => format!("[{word}]"),
                    word => word,
                };
                found.push(words.iter().map(shown).collect::<Vec<_>>().join(" "));
            });
            assert_eq!(found.join(" / "), all, "{text}");
        }
    }
}
