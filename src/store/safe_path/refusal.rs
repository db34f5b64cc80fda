//! Why no record may be written at an `answer_path`.

use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

/// Why no record may be written at an answer path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Refusal {
    /// It is a directory.
    Directory,
    /// It ends with a slash.
    TrailingSlash,
    /// A link in it leads to nothing.
    DanglingLink,
    /// Links in it go round in circles.
    LinkLoop,
    /// A link in it leads out of the project.
    Outside,
    /// It is a named pipe.
    Fifo,
    /// It is a socket.
    Socket,
    /// It is a device.
    Device,
    /// It holds a NUL character.
    Nul,
    /// Windows takes a name in it for something else, or not at all.
    WindowsName,
    /// A name in it is longer than file systems allow.
    NameTooLong,
    /// The whole path is longer than the system allows.
    PathTooLong,
    /// Its directory cannot be looked into.
    ParentUnreadable,
    /// Nothing can be made in its directory.
    ParentReadOnly,
    /// A file stands where its directory should be.
    ParentIsFile,
    /// It belongs to git.
    Git,
    /// It is the checkpoint.
    Checkpoint,
    /// It is the executor's lock.
    Lock,
    /// It is a packet.
    Packet,
    /// The packet is a link, and no question is put into what it leads to.
    PacketLinked,
    /// The packet's file has other names.
    PacketShared,
    /// The packet's file may not be written.
    PacketReadOnly,
    /// The packet's text is not UTF-8.
    PacketEncoding,
}

impl Refusal {
    /// The reason as a whole sentence: it begins with a capital or with the name of the key, so it follows a full stop.
    pub fn sentence(self) -> Sentence {
        match self {
            Refusal::Directory => say("answer_path is a directory.", "answer_path 是一个目录。"),
            Refusal::TrailingSlash => say("answer_path ends with a slash.", "answer_path 以斜杠结尾。"),
            Refusal::DanglingLink => {
                say("A link in answer_path leads to nothing.", "answer_path 中有指向不存在目标的链接。")
            }
            Refusal::LinkLoop => say("The links in answer_path form a loop.", "answer_path 中的链接循环。"),
            Refusal::Outside => {
                say("A link in answer_path leads out of the project.", "answer_path 中有指向项目之外的链接。")
            }
            Refusal::Fifo => say("answer_path is a named pipe.", "answer_path 是命名管道。"),
            Refusal::Socket => say("answer_path is a socket.", "answer_path 是套接字。"),
            Refusal::Device => say("answer_path is a device.", "answer_path 是设备文件。"),
            Refusal::Nul => say("answer_path holds a NUL character.", "answer_path 含有 NUL 字符。"),
            Refusal::WindowsName => say(
                "Windows cannot take answer_path: write it with /, without a drive, without : * ? \" < > | and without names such as CON or \
                 NUL, and end no name with a dot or a blank.",
                "Windows 不接受这个 answer_path：请用 / 分隔，不写盘符，不用 : * ? \" < > | 以及 CON、NUL 之类的名称，名称也不要以点或空格结尾。",
            ),
            Refusal::NameTooLong => say(
                "A name in answer_path is longer than 255 bytes.",
                "answer_path 中有超过 255 字节的名称。",
            ),
            Refusal::PathTooLong => {
                say("answer_path is longer than the system allows.", "answer_path 超过了系统允许的长度。")
            }
            Refusal::ParentUnreadable => say(
                "The directory of answer_path cannot be read: make it readable for yourself.",
                "answer_path 所在的目录不可读：请给自己读取权限。",
            ),
            Refusal::ParentReadOnly => say(
                "The directory of answer_path cannot be written to: make it writable for yourself.",
                "answer_path 所在的目录不可写：请给自己写入权限。",
            ),
            Refusal::ParentIsFile => say(
                "There is a file where the directory of answer_path should be.",
                "answer_path 的目录位置上是一个文件。",
            ),
            Refusal::Git => say("answer_path is inside .git.", "answer_path 位于 .git 之内。"),
            Refusal::Checkpoint => say("answer_path is the checkpoint.", "answer_path 是检查点文件。"),
            Refusal::Lock => say("answer_path is the executor's lock.", "answer_path 是执行器的锁。"),
            Refusal::Packet => say("answer_path is an instruction packet.", "answer_path 是指令包。"),
            Refusal::PacketLinked => say(
                "The packet is a link, so your question is not put into it. Replace the link by the file.",
                "指令包是一个链接，你的提问没有挂进去。请把链接换成文件本身。",
            ),
            Refusal::PacketShared => say(
                "The packet's file has another name (a hard link), so your question is not put into it. Remove the other name.",
                "指令包的文件另有别名（硬链接），你的提问没有挂进去。请删掉另一个名字。",
            ),
            Refusal::PacketReadOnly => say(
                "The packet is read-only, so your question is not put into it. Make it writable.",
                "指令包是只读的，你的提问没有挂进去。请把它改成可写。",
            ),
            Refusal::PacketEncoding => say(
                "The packet is not UTF-8, so your question is not put into it. Save it as UTF-8.",
                "指令包不是 UTF-8 文本，你的提问没有挂进去。请把它存为 UTF-8。",
            ),
        }
    }

    /// The reason in a language.
    pub fn text(self, lang: Lang) -> &'static str {
        self.sentence().text(lang)
    }
}
