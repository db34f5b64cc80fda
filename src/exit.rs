//! The exit codes and their meaning.

use crate::text::{Sentence, say};

/// The numbers and what they mean, for the manual page and `docs/commands.md`; code words stand in backticks.
#[rustfmt::skip]
pub const MEANINGS: &[(&str, Sentence)] = &[
    ("0", say("done; for `check`: open (a valid record, or a packet without a gate)", "完成；`check`：放行（记录有效，或指令包没有门控）")),
    ("1", say("input or output failed; a named file is not there or cannot be read", "读写失败；指定的文件不存在或无法读取")),
    ("2", say("usage: bad flags, no project, no terminal where one is needed, a packet without a gate where one is needed, a stale or malformed reply", "用法错误：参数不对、找不到项目、需要终端却没有、需要门控却没有、回复过期或格式不对")),
    ("3", say("waiting: no record yet, or sent back; `redo` with no record; for `wait`: options are to be proposed first; for `next`: the dialogue ended without answers; for `doctor`: something stands in the way", "等待：还没有记录，或已退回；`redo` 时没有记录；`wait`：要先给出备选；`next`：对话结束而没有回答；`doctor`：有东西挡着")),
    ("4", say("blocked: the record is not valid; for `answer`: these answers are not valid, and nothing was written", "受阻：记录无效；`answer`：给出的回答无效，什么都没写")),
    ("5", say("malformed packet, or an `answer_path` that is unsafe or cannot be written; a record that would \
         leave another packet blocked, which asks other questions in the same place; for `lint`: \
         problems found", "指令包有误，或 `answer_path` 不安全、无法写入；记录会使同一位置、问题不同的另一个指令包受阻；`lint`：发现错误")),
    ("6", say("a record is already there, came first, or changed since it was looked at; it is untouched", "已有记录、别人先写了，或看过之后又变了；原文件不动")),
    ("7", say("`wait --timeout` ran out", "`wait --timeout` 到时")),
    ("8", say("the author sent it back: no answer, and a reason (`wait`, `next`, `propose`)", "作者退回：没有回答，只有理由（`wait`、`next`、`propose`）")),
    ("101", say("a bug; the terminal is restored and the draft saved first", "程序错误；终端已先恢复，草稿已先保存")),
    ("128 + n", say("ended by signal n (130 is Ctrl-C)", "被信号 n 终止（130 即 Ctrl-C）")),
];

/// The outcome of a run; [`MEANINGS`] says what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    Done,
    Failed,
    Usage,
    Waiting,
    Blocked,
    Malformed,
    Exists,
    TimedOut,
    SentBack,
    Bug,
    Signal(u8),
}

impl ExitCode {
    /// The code with a number that the console's loop gave: 0, 101 or 128 + n; any other is a failure.
    pub fn from_number(number: i32) -> ExitCode {
        match (number, u8::try_from(number - 128)) {
            (0, _) => ExitCode::Done,
            (101, _) => ExitCode::Bug,
            (_, Ok(signal)) => ExitCode::Signal(signal),
            _ => ExitCode::Failed,
        }
    }

    /// The number the process ends with.
    pub fn number(self) -> i32 {
        match self {
            ExitCode::Done => 0,
            ExitCode::Failed => 1,
            ExitCode::Usage => 2,
            ExitCode::Waiting => 3,
            ExitCode::Blocked => 4,
            ExitCode::Malformed => 5,
            ExitCode::Exists => 6,
            ExitCode::TimedOut => 7,
            ExitCode::SentBack => 8,
            ExitCode::Bug => 101,
            ExitCode::Signal(signal) => 128 + i32::from(signal),
        }
    }
}
