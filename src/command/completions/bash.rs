//! Cuts a line of Bash into words, as far as the cursor, and prepares what Bash inserts.
//!
//! Readline replaces only the text behind the last break character. A `:` is one, so of `chapter:048:dr` it replaces `dr`.
//! Nothing is expanded: a `$` stays a `$`.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
