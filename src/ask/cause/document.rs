//! Why a file is no record of the gate at all: it is no JSON, another document, or the record lies inside one.

use crate::ask::frame::records_inside;
use crate::ask::json::{Item, Kind as JsonKind};
use crate::ask::problem::shorten;
use crate::ask::question::QuestionSpec;
use crate::ask::records::listed;
use crate::ask::syntax::{SyntaxError, SyntaxKind};
use crate::text::{Message, Sentence, say};
/// The stable name of a cause, and its words.
pub(super) type Why = (&'static str, Message);

pub(super) fn no_json(error: &SyntaxError) -> Why {
    let (code, sentence) = match error.kind {
        SyntaxKind::Empty => (
            "empty",
            say(
                "The file is empty: it was made and never written, or a full disk emptied it.",
                "文件是空的：建好之后没有写入内容，或因磁盘写满而丢失。",
            ),
        ),
        SyntaxKind::End => (
            "cut-off",
            say(
                "The file stops in line {0}, inside a value: it was cut off while it was written.",
                "文件在第 {0} 行的值中间断掉：写入时被截断。",
            ),
        ),
        SyntaxKind::ByteOrderMark => (
            "byte-order-mark",
            say(
                "There is a byte order mark before the JSON; an editor put it there.",
                "JSON 前面有字节顺序标记（BOM），是编辑器加上的。",
            ),
        ),
        SyntaxKind::Fence => (
            "code-fence",
            say(
                "The JSON is inside a Markdown code block: the lines with ``` are part of the file.",
                "JSON 被放在 Markdown 代码块里：带 ``` 的行也写进了文件。",
            ),
        ),
        SyntaxKind::Unexpected(_) | SyntaxKind::Trailing(_) | SyntaxKind::Page | SyntaxKind::Yaml => {
            other_text(error.kind)
        }
        SyntaxKind::Encoding(name) => {
            let sentence = say(
                "The file is not UTF-8; it looks like {0}. Whoever writes it is to save it as UTF-8.",
                "文件不是 UTF-8，看起来是 {0} 编码：写它的程序应存为 UTF-8。",
            );
            return ("encoding", Message::new(sentence, &[name]));
        }
        slip => {
            let sentence = say("The file is almost JSON, but has {0}.", "文件几乎是 JSON，只是{0}。");
            let found = error.found();
            return (slip.into(), Message::in_both(|lang| sentence.fill(lang, &[&found.text(lang)])));
        }
    };
    (code, Message::new(sentence, &[&error.line.to_string()]))
}

/// A text that is no JSON at all.
fn other_text(kind: SyntaxKind) -> (&'static str, Sentence) {
    match kind {
        SyntaxKind::Page => (
            "html-page",
            say(
                "The file is a web page: whoever fetched it got a page instead of the JSON.",
                "文件是网页：取到的是网页，不是 JSON。",
            ),
        ),
        SyntaxKind::Yaml => {
            ("yaml", say("The file is YAML; a record is JSON.", "文件是 YAML；记录应是 JSON。"))
        }
        _ => (
            "not-json",
            say(
                "The file is not JSON from line {0} on: it is another program's text, or an edit went wrong.",
                "文件从第 {0} 行起不是 JSON：可能是别的程序写的文字，或改错了。",
            ),
        ),
    }
}

/// JSON that is no record of any gate.
pub(super) fn foreign(root: Item<'_>, now: &QuestionSpec) -> Option<Why> {
    if let Some(cause) = wrapped(root, now) {
        return Some(cause);
    }
    if root.kind() != JsonKind::Object {
        let sentence = say(
            "The file is JSON, but not an object, as a record is.",
            "文件是 JSON，但不是对象；记录是一个对象。",
        );
        return Some(("not-an-object", sentence.into()));
    }
    let has = |key: &str| root.get(key).is_some();
    if has("novel_ask") || has("questions") && !has("answers") {
        let sentence =
            say("The file holds the questions instead of the answers.", "放答案的位置上放的是问题本身。");
        return Some(("packet", sentence.into()));
    }
    if ["answers", "answered_at", "answered_by"].into_iter().any(has) {
        return None;
    }
    let known = now.places();
    let answers = root.entries().iter().any(|(id, _)| id.as_str().is_some_and(|id| known.contains_key(id)));
    let bare = say(
        "The answers are at the top of the file, without version, topic, answers, answered_at and answered_by around them.",
        "回答直接写在文件最外层，外面缺少 version、topic、answers、answered_at、answered_by。",
    );
    let foreign = say(
        "The file is JSON of another kind: it has none of a record's members.",
        "文件是另一种 JSON：没有记录应有的任何字段。",
    );
    Some(if answers { ("bare-answers", bare.into()) } else { ("foreign", foreign.into()) })
}

/// JSON that holds the record, several of them, or answers and nothing else of one.
fn wrapped(root: Item<'_>, now: &QuestionSpec) -> Option<Why> {
    let inside = records_inside(&now.places(), root);
    let (code, sentence) = match (&*inside, root.kind()) {
        ([], _) if listed(now, root).is_some() => (
            "listed-answers",
            say(
                "The file is a list of answers, without the rest of a record.",
                "文件只是一个回答列表，缺少记录的其余部分。",
            ),
        ),
        ([], _) => return None,
        ([_], JsonKind::Array) => (
            "wrapped",
            say(
                "The record lies inside a list, at {0}; whoever writes the file is to write it alone.",
                "记录被放在列表里，位置 {0}；写文件的一方应当只写记录本身。",
            ),
        ),
        ([_], _) => (
            "wrapped",
            say(
                "The record lies inside {0}; whoever writes the file is to write it alone.",
                "记录被包在 {0} 里；写文件的一方应当只写记录本身。",
            ),
        ),
        _ => (
            "several-records",
            say(
                "The file holds {1} records; keep one, and write it alone.",
                "文件里有 {1} 份记录；请只留一份。",
            ),
        ),
    };
    let pointer = inside.first().map(|pointer| shorten(pointer)).unwrap_or_default();
    Some((code, Message::new(sentence, &[&pointer, &inside.len().to_string()])))
}
