//! Rust source as tokens, as far as the layer test needs them.
//!
//! Responsible for leaving out what is not code of the program: comments, the insides of strings, and items under
//! `#[cfg(test)]`. Not responsible for understanding Rust; a path is a path.

/// A word (identifier, keyword, number) or one punctuation mark; `::` is one mark. Strings are `""`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

/// The tokens of `source`, test items included.
pub(super) fn tokenize(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let (end, text) = next(&chars, at);
        if let Some(text) = text {
            tokens.push(Token { text, line });
        }
        line += chars[at..end].iter().filter(|&&c| c == '\n').count();
        at = end;
    }
    tokens
}

/// The end of the piece that starts at `at`, and its token if it is one.
fn next(chars: &[char], at: usize) -> (usize, Option<String>) {
    let ahead = |text: &str| text.chars().enumerate().all(|(n, c)| chars.get(at + n) == Some(&c));
    let string = |end: usize| (end, Some("\"\"".to_owned()));
    if chars[at].is_whitespace() {
        return (at + 1, None);
    }
    if ahead("//") {
        let length = chars[at..].iter().position(|&c| c == '\n').unwrap_or(chars.len() - at);
        return (at + length, None);
    }
    if ahead("/*") {
        return (end_of_block_comment(chars, at), None);
    }
    if let Some(end) = end_of_raw_string(chars, at) {
        return string(end);
    }
    if ahead("\"") || ahead("b\"") || ahead("c\"") {
        let open = at + usize::from(!ahead("\""));
        return string(end_of_quoted(chars, open, '"'));
    }
    if ahead("b'") || ahead("'") && !is_lifetime(chars, at) {
        let open = at + usize::from(ahead("b'"));
        return string(end_of_quoted(chars, open, '\''));
    }
    if is_word(chars[at]) {
        let raw = if ahead("r#") { 2 } else { 0 };
        let length = chars[at + raw..].iter().position(|&c| !is_word(c)).unwrap_or(chars.len() - at - raw);
        return (at + raw + length, Some(chars[at + raw..at + raw + length].iter().collect()));
    }
    let end = at + if ahead("::") { 2 } else { 1 };
    (end, Some(chars[at..end].iter().collect()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `'a` is a lifetime, `'a'` and `'\n'` are characters.
fn is_lifetime(chars: &[char], at: usize) -> bool {
    chars.get(at + 1).is_some_and(|&c| is_word(c)) && chars.get(at + 2) != Some(&'\'')
}

fn end_of_block_comment(chars: &[char], at: usize) -> usize {
    let (mut at, mut depth) = (at, 0);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at.min(chars.len())
}

fn end_of_quoted(chars: &[char], open: usize, quote: char) -> usize {
    let mut at = open + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// The end of `r"…"`, `r#"…"#`, `br"…"`; `None` if no raw string starts here.
fn end_of_raw_string(chars: &[char], at: usize) -> Option<usize> {
    let prefix = usize::from(matches!(chars[at], 'b' | 'c'));
    if chars.get(at + prefix) != Some(&'r') {
        return None;
    }
    let hashes = chars[at + prefix + 1..].iter().take_while(|&&c| c == '#').count();
    let open = at + prefix + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |&end: &usize| chars[end] == '"' && (1..=hashes).all(|n| chars.get(end + n) == Some(&'#'));
    let close = (open + 1..chars.len()).find(closes)?;
    Some(close + 1 + hashes)
}

/// What is left of `tokens` without the items under `#[cfg(test)]`, and the names of the modules that were declared
/// there without a body: their files are tests too.
pub(super) fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let (mut kept, mut modules) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        match end_of_attribute(tokens, at) {
            Some(end) if is_cfg_test(&tokens[at..end]) => {
                let item_end = end_of_item(tokens, end);
                let item: Vec<&str> = tokens[end..item_end].iter().map(|token| token.text.as_str()).collect();
                if let [.., "mod", name, ";"] = item[..] {
                    modules.push(name.to_owned());
                }
                at = item_end;
            }
            Some(end) => {
                kept.extend_from_slice(&tokens[at..end]);
                at = end;
            }
            None => {
                kept.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    (kept, modules)
}

fn text_at(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| &token.text)
}

/// The end of the attribute `#[…]` that starts at `at`.
fn end_of_attribute(tokens: &[Token], at: usize) -> Option<usize> {
    (text_at(tokens, at) == "#" && text_at(tokens, at + 1) == "[").then(|| end_of_group(tokens, at + 1))
}

fn is_cfg_test(attribute: &[Token]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token.text == word);
    text_at(attribute, 2) == "cfg" && has("test") && !has("not") && !has("any")
}

/// The end of the group whose bracket stands at `open`.
fn end_of_group(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The end of the item that starts at `at`: behind its `;` or its block.
fn end_of_item(tokens: &[Token], at: usize) -> usize {
    let mut at = at;
    let is_use =
        tokens[at..].iter().map(|token| token.text.as_str()).find(|word| *word != "pub") == Some("use");
    while at < tokens.len() {
        match text_at(tokens, at) {
            ";" => return at + 1,
            "{" if !is_use => return end_of_group(tokens, at),
            "(" | "[" | "{" => at = end_of_group(tokens, at),
            _ => at += 1,
        }
    }
    at
}
