//! The grammar of JSON, byte by byte.
//!
//! Responsible for the verdict of `JSON.parse` and for the tape of nodes, without recursion. Not responsible for what
//! the nodes say (`Item`) nor for lines and columns.

use super::{Kind, Node, SyntaxKind, literal_is};

/// Reads a whole document; with `keep`, only the named members of the top object are recorded.
///
/// # Errors
/// What is wrong, and the byte offset at which it is.
pub(super) fn read(bytes: &[u8], keep: Option<&[&str]>) -> Result<Vec<Node>, (usize, SyntaxKind)> {
    let mut reader = Reader {
        bytes,
        at: 0,
        nodes: Vec::with_capacity((bytes.len() / 16).min(512)),
        open: Vec::new(),
        skipping: None,
        keep,
    };
    match reader.document() {
        Ok(()) => Ok(reader.nodes),
        Err(kind) => Err((reader.at, kind)),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// Depth at which an unwanted member began; nothing is recorded until it ends.
    skipping: Option<usize>,
    keep: Option<&'a [&'a str]>,
}

#[derive(Clone, Copy)]
struct Open {
    object: bool,
    node: u32,
}

type Step<T = ()> = Result<T, SyntaxKind>;

impl Reader<'_> {
    fn document(&mut self) -> Step {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            return Err(SyntaxKind::ByteOrderMark);
        }
        self.space();
        if self.at == self.bytes.len() {
            return Err(SyntaxKind::Empty);
        }
        let mut ended = self.value()?;
        loop {
            if ended {
                if self.skipping == Some(self.open.len()) {
                    self.skipping = None;
                }
                self.space();
                let Some(&top) = self.open.last() else { break };
                ended = self.behind_value(top)?;
            } else {
                ended = self.value()?;
            }
        }
        match self.peek_char() {
            None => Ok(()),
            Some(c) => Err(SyntaxKind::Trailing(c)),
        }
    }

    /// Behind a value inside a container: a comma and what follows it, or the end. True if the container ended.
    fn behind_value(&mut self, top: Open) -> Step<bool> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space();
                if top.object {
                    self.key()?;
                }
                Ok(false)
            }
            Some(b'}') if top.object => Ok(self.close(top)),
            Some(b']') if !top.object => Ok(self.close(top)),
            _ => Err(self.unexpected()),
        }
    }

    fn close(&mut self, top: Open) -> bool {
        self.at += 1;
        self.open.pop();
        if self.skipping.is_none() {
            let next = self.count();
            let node = &mut self.nodes[top.node as usize];
            node.end = narrow(self.at);
            node.next = next;
        }
        true
    }

    /// A value, or the opening of one. True if it is complete.
    fn value(&mut self) -> Step<bool> {
        self.space();
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                self.string()?;
                self.record(Kind::String, start);
            }
            Some(b'{') => return self.open_container(true),
            Some(b'[') => return self.open_container(false),
            Some(b't') => self.word(b"true", Kind::Boolean)?,
            Some(b'f') => self.word(b"false", Kind::Boolean)?,
            Some(b'n') => self.word(b"null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                self.record(Kind::Number, start);
            }
            _ => return Err(self.unexpected()),
        }
        Ok(true)
    }

    fn open_container(&mut self, object: bool) -> Step<bool> {
        let node = self.count();
        let kind = if object { Kind::Object } else { Kind::Array };
        self.record(kind, self.at);
        self.at += 1;
        let top = Open { object, node };
        self.open.push(top);
        self.space();
        match self.peek() {
            Some(b'}') if object => return Ok(self.close(top)),
            Some(b']') if !object => return Ok(self.close(top)),
            _ if object => self.key()?,
            _ => {}
        }
        Ok(false)
    }

    fn key(&mut self) -> Step {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        self.string()?;
        if self.open.len() == 1
            && self.skipping.is_none()
            && let Some(keep) = self.keep
        {
            let literal = &self.bytes[start..self.at];
            if !keep.iter().any(|wanted| literal_is(literal, wanted)) {
                self.skipping = Some(1);
            }
        }
        self.record(Kind::String, start);
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    fn record(&mut self, kind: Kind, start: usize) {
        if self.skipping.is_none() {
            let next = self.count() + 1;
            self.nodes.push(Node { kind, start: narrow(start), end: narrow(self.at), next });
        }
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Step {
        let start = self.at;
        for &byte in word {
            if self.peek() != Some(byte) {
                return Err(self.unexpected());
            }
            self.at += 1;
        }
        self.record(kind, start);
        Ok(())
    }

    fn number(&mut self) -> Step {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Step {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected()) } else { Ok(()) }
    }

    fn string(&mut self) -> Step {
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(control) => return Err(SyntaxKind::ControlInString(char::from(control))),
                None => return Err(SyntaxKind::End),
            }
        }
    }

    fn escape(&mut self) -> Step {
        match self.bytes.get(self.at + 1) {
            None => Err(SyntaxKind::End),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                for place in 2..6 {
                    match self.bytes.get(self.at + place) {
                        Some(byte) if byte.is_ascii_hexdigit() => {}
                        None => return Err(SyntaxKind::End),
                        Some(_) => return Err(SyntaxKind::BadEscape),
                    }
                }
                self.at += 6;
                Ok(())
            }
            Some(_) => Err(SyntaxKind::BadEscape),
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_char(&self) -> Option<char> {
        let chunk = self.bytes[self.at..].utf8_chunks().next()?;
        Some(chunk.valid().chars().next().unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unexpected(&self) -> SyntaxKind {
        self.peek_char().map_or(SyntaxKind::End, SyntaxKind::Unexpected)
    }

    fn count(&self) -> u32 {
        narrow(self.nodes.len())
    }
}

/// Offsets fit: `Json` refuses longer texts, and a node is never shorter than a byte.
fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Length of the prefix without a quote, a backslash or a control character; in blocks that the machine compares at
/// once, because almost all of a large packet is such runs.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches the bytes of a block are compared at once"
)]
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    const NEAR: usize = 32;
    let near = plain_words(&bytes[..bytes.len().min(NEAR)]);
    if near < NEAR {
        return near;
    }
    let (blocks, _) = bytes[NEAR..].as_chunks::<64>();
    let plain = |block: &&[u8; 64]| {
        block.iter().fold(true, |all, &byte| all & (byte >= b' ') & (byte != b'"') & (byte != b'\\'))
    };
    let done = NEAR + 64 * blocks.iter().take_while(plain).count();
    done + plain_words(&bytes[done..])
}

/// The same, eight bytes at a time.
fn plain_words(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero_byte = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut done = 0;
    while let Some(chunk) = bytes[done..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let below_space = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let stops = below_space
            | zero_byte(word ^ (ONES * u64::from(b'"')))
            | zero_byte(word ^ (ONES * u64::from(b'\\')));
        if stops != 0 {
            // Above the first true stop a borrow can set false ones; the lowest is always true.
            return done + stops.trailing_zeros() as usize / 8;
        }
        done += 8;
    }
    done + bytes[done..].iter().take_while(|&&byte| byte >= b' ' && byte != b'"' && byte != b'\\').count()
}
