//! The problems of a file that is not even read: what lies there is no file, too large, unreadable or elsewhere.

use crate::ask::problem::quote;
use crate::ask::{JsString, Problem, ProblemCode};
use crate::text::{Lang, Message, say};

/// The problem of what is no regular file; what it is, as `special_file_kind` names it.
pub fn not_a_file(kind: &str) -> Problem {
    let found = match kind {
        "directory" => say("a directory", "一个目录"),
        "fifo" => say("a named pipe", "命名管道"),
        "socket" => say("a socket", "套接字"),
        "device" => say("a device", "设备文件"),
        _ => say("something that is not a regular file", "不是普通文件"),
    };
    Problem::new(ProblemCode::NotAFile, found, say("a regular file", "普通文件"))
}

/// The problem of a file of this many bytes.
pub fn too_large(size: u64) -> Problem {
    let found = Message::new(say("{0} bytes", "{0} 字节"), &[&size.to_string()]);
    Problem::new(ProblemCode::TooLarge, found, say("at most 64 MiB", "不超过 64 MiB"))
}

/// The problem of a file that cannot be read.
pub fn unreadable(reason: &Message) -> Problem {
    let parts = [reason.text(Lang::En), reason.text(Lang::ZhCn)];
    let found = Message::new(say("unreadable: {0}", "无法读取：{1}"), &[&parts[0], &parts[1]]);
    Problem::new(ProblemCode::Unreadable, found, say("a readable file", "可读的文件"))
}

/// The problem of a path that leads out of the project through a link.
pub fn outside(path: &JsString) -> Problem {
    let expected = say("a path that stays inside the project", "不离开项目的路径");
    Problem::new(ProblemCode::OutsideProject, Message::verbatim(quote(path)), expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_told_in_both_languages() {
        let mut all = ["directory", "fifo", "socket", "device", "other"].map(not_a_file).to_vec();
        let reason = Message::from(say("permission denied", "没有权限"));
        all.extend([too_large(68_000_000), unreadable(&reason)]);
        for problem in &all {
            assert_ne!(problem.found.text(Lang::En), problem.found.text(Lang::ZhCn), "{problem:?}");
        }
        let outside = outside(&"长".repeat(1_000_000).into());
        assert!(outside.sentence(Lang::ZhCn).chars().count() < 200, "{outside:?}");
        for problem in all.iter().chain([&outside]) {
            assert_ne!(problem.expected.text(Lang::En), problem.expected.text(Lang::ZhCn), "{problem:?}");
        }
        assert_eq!(all[6].found.text(Lang::En), "unreadable: permission denied");
        assert_eq!(all[6].found.text(Lang::ZhCn), "无法读取：没有权限");
    }
}
