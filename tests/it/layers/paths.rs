//! The paths a source file names, each with its line, spelled out from the crate's root or an outside crate.

use super::tokens::Token;

/// A path such as `crate::ask::Draft` or `std::fs::write`, without its generic arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) segments: Vec<String>,
    pub(super) line: usize,
    /// How the file names it.
    pub(super) naming: Naming,
}

/// How a file names a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Where it is used.
    Inline,
    /// By a `use`.
    Import,
    /// By a `pub use`, which hands it on.
    Reexport,
}

impl Path {
    /// Whether the path begins with `prefix`.
    pub(super) fn starts_with(&self, prefix: &[&str]) -> bool {
        self.segments.len() >= prefix.len() && self.segments.iter().zip(prefix).all(|(a, b)| a == b)
    }

    /// Whether `part` stands somewhere in the path.
    pub(super) fn contains(&self, part: &[&str]) -> bool {
        self.segments.windows(part.len()).any(|window| window.iter().zip(part).all(|(a, b)| a == b))
    }
}

/// All paths of the file that is module `module` of the crate (`["console", "view"]`; empty for the root).
pub(super) fn collect(tokens: &[Token], module: &[String]) -> Vec<Path> {
    let mut walk = Walk {
        tokens,
        at: 0,
        module: module.to_vec(),
        open_modules: Vec::new(),
        depth: 0,
        naming: Naming::Inline,
        paths: Vec::new(),
    };
    while walk.at < tokens.len() {
        walk.step();
    }
    walk.paths
}

struct Walk<'t> {
    tokens: &'t [Token],
    at: usize,
    module: Vec<String>,
    /// The depths at which the inline modules around the current token were opened.
    open_modules: Vec<usize>,
    depth: usize,
    naming: Naming,
    paths: Vec<Path>,
}

impl Walk<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| &token.text)
    }

    fn step(&mut self) {
        match self.text(0) {
            "use" => {
                let before = self.at.checked_sub(1).map_or("", |at| &self.tokens[at].text);
                self.naming = if ["pub", ")"].contains(&before) { Naming::Reexport } else { Naming::Import };
                self.at += 1;
                // A `use` inside a `use<'a>` bound names no path.
                if self.text(0) != "<" {
                    self.tree(&[]);
                }
                self.naming = Naming::Inline;
                return;
            }
            "mod" if self.text(2) == "{" => {
                self.module.push(self.text(1).to_owned());
                self.open_modules.push(self.depth);
                self.at += 2;
                return;
            }
            // Nor is it a path to say that there is a child.
            "mod" if self.text(2) == ";" => self.at += 2,
            // How far a name is seen is no path.
            "pub" if self.text(1) == "(" && self.text(2) != "in" => self.at += 3,
            "{" => self.depth += 1,
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.open_modules.last() == Some(&self.depth) {
                    self.open_modules.pop();
                    self.module.pop();
                }
            }
            // Who may see an item names no path.
            "pub" if self.text(1) == "(" => {
                while self.text(0) != ")" && self.at < self.tokens.len() {
                    self.at += 1;
                }
            }
            word if is_name(word) => return self.inline(),
            _ => {}
        }
        self.at += 1;
    }

    /// A path inside an expression or a type; one word alone counts too.
    fn inline(&mut self) {
        let line = self.tokens[self.at].line;
        let mut segments = vec![self.text(0).to_owned()];
        self.at += 1;
        while self.text(0) == "::" && is_name(self.text(1)) {
            segments.push(self.text(1).to_owned());
            self.at += 2;
        }
        self.push(segments, line);
    }

    /// One branch of a `use` tree, everything behind it in the same braces included.
    fn tree(&mut self, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        let mut line = self.tokens.get(self.at).map_or(0, |token| token.line);
        while self.at < self.tokens.len() {
            match self.text(0) {
                "::" => {}
                "{" => {
                    self.at += 1;
                    self.tree(&segments);
                    segments.clear();
                }
                "," => {
                    self.push(std::mem::take(&mut segments), line);
                    segments = prefix.to_vec();
                    line = self.tokens.get(self.at + 1).map_or(line, |token| token.line);
                }
                "}" | ";" => break,
                "as" => self.at += 1,
                word => segments.push(word.to_owned()),
            }
            self.at += 1;
        }
        if segments.len() > prefix.len() {
            self.push(segments, line);
        }
    }

    /// Keeps a path, spelled out: `super` and `self` at its start become `crate::…`.
    fn push(&mut self, segments: Vec<String>, line: usize) {
        let mut module = self.module.clone();
        let mut rest = &segments[..];
        let mut own = false;
        while let Some((first, tail)) = rest.split_first() {
            match first.as_str() {
                "super" => _ = module.pop(),
                "self" if !own && segments.len() > 1 => {}
                _ => break,
            }
            (rest, own) = (tail, true);
        }
        let segments = if own {
            ["crate".to_owned()].into_iter().chain(module).chain(rest.iter().cloned()).collect()
        } else {
            segments
        };
        if !segments.is_empty() {
            self.paths.push(Path { segments, line, naming: self.naming });
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
