//! What the system says of a file, and of the terminal.

/// Which file it is, whatever its name: device and number.
pub type FileId = (u64, u64);

/// What kind of thing a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    Device,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub id: FileId,
    pub size: u64,
    pub kind: FileKind,
    /// Kind and permissions, as the system counts them.
    pub mode: u32,
    pub links: u64,
    /// When it was last written; seconds and nanoseconds.
    pub modified: (i64, u64),
    /// When anything of it last changed, which no program can set.
    pub changed: (i64, u64),
}

/// What the system tells a program that has the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Resized,
    /// Ctrl-Z.
    Suspend,
    Continued,
    /// A key asks the program to end: Ctrl-C and its like.
    Typed(i32),
    /// It is to end.
    End(i32),
}
