//! The one error for people: what failed, why, what to do. Violations inside packets and records are `ask::Problem`s.

use crate::exit::ExitCode;
use crate::platform::Cause;
use crate::text::{Lang, Sentence, say};
use std::fmt;
use std::io;

pub use crate::text::Message;

/// Something that kept the program from doing what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Decides the exit code.
    pub kind: ExitCode,
    /// Stable name for programs, such as `no-project`.
    pub code: &'static str,
    /// What failed.
    pub message: Message,
    /// Why.
    pub cause: Option<Box<Message>>,
    /// What to do about it.
    pub hint: Option<Box<Message>>,
    /// For programs: the argument or the place in an input that is wrong.
    pub at: Option<Box<str>>,
}

impl Error {
    /// An error without cause or hint.
    pub fn new(kind: ExitCode, code: &'static str, sentence: Sentence, parts: &[&str]) -> Error {
        Error::of(kind, code, Message::new(sentence, parts))
    }

    /// The same with a message that is made already.
    pub fn of(kind: ExitCode, code: &'static str, message: Message) -> Error {
        Error { kind, code, message, cause: None, hint: None, at: None }
    }

    /// A failed system call (exit 1), with its cause in plain words.
    pub fn io(code: &'static str, sentence: Sentence, parts: &[&str], cause: &io::Error) -> Error {
        let error = Error::new(ExitCode::Failed, code, sentence, parts);
        Error { cause: Some(Box::new(io_cause(cause))), ..error }
    }

    pub fn no_thread(cause: &io::Error) -> Error {
        Error::io("no-thread", say("Cannot start a thread.", "无法启动线程。"), &[], cause)
    }

    #[must_use]
    pub fn hint(self, sentence: Sentence, parts: &[&str]) -> Error {
        Error { hint: Some(Box::new(Message::new(sentence, parts))), ..self }
    }

    #[must_use]
    pub fn at(self, place: &str) -> Error {
        Error { at: Some(place.into()), ..self }
    }

    /// Message, cause and hint as one sentence, in both languages.
    pub fn whole(&self) -> Message {
        Message::in_both(|lang| self.text(lang))
    }

    /// Message, cause and hint as one line.
    pub fn text(&self, lang: Lang) -> String {
        let mut out = self.message.text(lang);
        if let Some(cause) = &self.cause {
            out = say("{0} Cause: {1}.", "{0}原因：{1}。").fill(lang, &[&out, &cause.text(lang)]);
        }
        if let Some(hint) = &self.hint {
            out.push_str(if lang == Lang::En { " " } else { "" });
            out.push_str(&hint.text(lang));
        }
        out
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for Error {}

/// A system error in plain words, without a full stop.
pub fn io_cause(error: &io::Error) -> Message {
    use io::ErrorKind as K;
    let sentence = match error.kind() {
        K::NotFound => say("there is no such file or directory", "文件或目录不存在"),
        K::PermissionDenied => say("permission denied", "没有权限"),
        K::StorageFull => say("the disk is full", "磁盘已满"),
        K::QuotaExceeded => say("the disk quota is used up", "磁盘配额已用完"),
        K::ReadOnlyFilesystem => say("the file system is read-only", "文件系统是只读的"),
        K::NotADirectory => say("a part of the path is not a directory", "路径的一部分不是目录"),
        K::IsADirectory => say("it is a directory", "它是一个目录"),
        K::AlreadyExists => say("it already exists", "它已经存在"),
        K::InvalidFilename => say("the name is too long or not allowed", "名称过长或不允许"),
        K::NotSeekable => say("it is not a regular file", "不是普通文件"),
        K::FileTooLarge if Cause::of(error) == Some(Cause::SizeLimit) => {
            say("no file may become so large here (ulimit -f)", "超出了此处允许的文件大小（ulimit -f）")
        }
        K::FileTooLarge => say("the file is too large", "文件过大"),
        K::BrokenPipe => say("the reader closed the pipe", "读取方关闭了管道"),
        K::Interrupted => say("it was interrupted", "操作被中断"),
        K::StaleNetworkFileHandle => say("the network file system lost the file", "网络文件系统丢失了该文件"),
        _ => match Cause::of(error) {
            Some(Cause::Device) => {
                say("the device reported an input/output error", "设备报告了输入/输出错误")
            }
            Some(Cause::NoLocks) => {
                say("files cannot be locked on this file system", "这个文件系统不支持文件锁")
            }
            Some(Cause::Held) => say(
                "another program has the file open; close it there, or try again in a moment",
                "另一个程序正占用这个文件；请先在那里关闭它，或稍后重试",
            ),
            Some(Cause::TooManyFiles) => say("too many files are open", "打开的文件过多"),
            Some(Cause::LinkLoop) => say("too many symbolic links", "符号链接层数过多"),
            _ => return Message::verbatim(error.to_string()),
        },
    };
    Message::from(sentence)
}
