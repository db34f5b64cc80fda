//! Every sentence about a violation: what was found, what was expected and what to do.

use super::{Expected, Found, Problem, ProblemKind, quote, shorten};
use crate::ask::js_string::{escape_json, js_number};
use crate::ask::json::{SyntaxError, SyntaxKind};
use crate::text::{Lang, Sentence, say};

const ESCAPED: Sentence = say(
    "Inside a string a line end is written \\n and a tab \\t.",
    "字符串里的换行要写成 \\n，制表符要写成 \\t。",
);
const HALF_WIDTH: Sentence =
    say("The punctuation of JSON is half-width: \" : , { } [ ]", "JSON 的标点要用半角：\" : , { } [ ]");
const COMMA: Sentence = say(
    "There is an extra comma or a missing value before it, or it closes something that is not open.",
    "它前面多了一个逗号或少了一个值，或者与打开的括号不配对。",
);
const LEAVE_OUT: Sentence =
    say("To leave an optional question blank, leave its id out.", "选答题留空时，请整个省略它的 id。");
const NO_MARK: Sentence =
    say("Save the file as UTF-8 without a byte order mark.", "请保存为不带 BOM 的 UTF-8。");
const CUT_OFF: Sentence =
    say("The file may have been cut off while it was written.", "文件可能在写入时被截断。");
const OTHER_GATE: Sentence = say(
    "The record answers another gate, or an older form of this one.",
    "这份记录回答的是别的门控，或本门控的旧版本。",
);
const CONSTRUCTOR: Sentence = say(
    "The executor demands an answer to any question with the id constructor, even an optional one.",
    "只要问题的 id 是 constructor，执行器就要求回答，即使它是选答题。",
);

const LAST_KEY: Sentence =
    say("The last value counts; remove the others.", "以最后一个值为准；请删去其余的。");

impl Expected {
    fn sentence(self) -> Sentence {
        match self {
            Expected::Object => say("an object {…}", "一个对象 {…}"),
            Expected::List => say("a list with at least one entry", "至少有一项的列表"),
            Expected::Words => say("a string that is not blank", "非空白的字符串"),
            Expected::Boolean => say("true or false", "true 或 false"),
            Expected::Version => say("an integer of at least 1", "不小于 1 的整数"),
            Expected::Answer => say("a string or a list of strings, not blank", "非空白的字符串或字符串列表"),
            Expected::QuestionKind => {
                say("single_choice, multi_choice or free_text", "single_choice、multi_choice 或 free_text")
            }
            Expected::Path => {
                say("a path relative to the project, not blank", "相对于项目根目录的路径，不能为空白")
            }
        }
    }
}

impl Found {
    fn text(&self, lang: Lang) -> String {
        match self {
            Found::Nothing => say("nothing", "没有这个字段").text(lang).to_owned(),
            Found::Blank => say("only white space", "只有空白").text(lang).to_owned(),
            Found::EmptyList => say("an empty list", "空列表").text(lang).to_owned(),
            Found::Source(source) => shorten(source),
        }
    }
}

impl Problem {
    /// What was found.
    pub fn found(&self, lang: Lang) -> String {
        use ProblemKind as P;
        match &self.kind {
            P::Syntax(error) => syntax(error, lang),
            P::Value(_, found) | P::NotOneOf(found, _) => found.text(lang),
            P::UnknownField(name, _) | P::StrayField(name, _) => {
                say("the unknown field {0}", "未知字段 {0}").fill(lang, &[&quote(name)])
            }
            P::NotSnakeCase(text)
            | P::AbsolutePath(text)
            | P::PathTraversal(text)
            | P::PathOutside(text)
            | P::TopicDiffers(text, _)
            | P::NotDateTime(text)
            | P::NotAnOption(text, ..)
            | P::DefaultNotAnOption(text, _) => quote(text),
            P::DuplicateId(id) => say("\"{0}\" twice", "“{0}”出现了两次").fill(lang, &[id.as_str()]),
            P::DuplicateLabel(text) | P::DuplicateEntry(text) | P::RepeatedKey(text) => {
                say("{0} twice", "{0} 出现了两次").fill(lang, &[&quote(text)])
            }
            P::NoAnswerPath => {
                say("novel_ask without answer_path", "有 novel_ask，没有 answer_path").text(lang).into()
            }
            P::NoQuestions => {
                say("answer_path without novel_ask", "有 answer_path，没有 novel_ask").text(lang).into()
            }
            P::VersionDiffers(found, _) => js_number(*found),
            P::UnknownQuestion(id, _) => quote(id),
            P::Unanswered(_) => say("no answer", "没有回答").text(lang).into(),
            P::WrongShape(_, source) => shorten(source),
            P::NotAFile(what) => file_kind(what).text(lang).into(),
            P::TooLarge(size) => say("{0} bytes", "{0} 字节").fill(lang, &[&size.to_string()]),
            P::Unreadable(en, zh) => say("unreadable: {0}", "无法读取：{1}").fill(lang, &[en, zh]),
            P::Rule(rule) => rule.found.text(lang),
        }
    }

    /// What the rules expect instead.
    pub fn expected(&self, lang: Lang) -> String {
        use crate::ask::question::Kind;
        use ProblemKind as P;
        let sentence = match &self.kind {
            P::Rule(rule) => return rule.expected.text(lang),
            P::NotOneOf(..)
            | P::UnknownField(..)
            | P::StrayField(..)
            | P::VersionDiffers(..)
            | P::TopicDiffers(..)
            | P::NotAnOption(..) => return self.expected_values(lang),
            P::Syntax(_) => say("JSON", "JSON 文本"),
            P::Value(expected, _) => expected.sentence(),
            P::RepeatedKey(_) => say("each key once in an object", "每个键在对象里只出现一次"),
            P::NotSnakeCase(_) => say(
                "snake_case: a-z, 0-9 and single _ between them, starting with a letter",
                "snake_case：小写字母、数字，中间可用单个 _，以字母开头",
            ),
            P::DuplicateId(_) => say("a different id for each question", "每个问题有自己的 id"),
            P::DuplicateLabel(_) => say("each label once", "每个选项标签只出现一次"),
            P::DuplicateEntry(_) => say("each entry once", "每一项只出现一次"),
            P::DefaultNotAnOption(..) => say("one of the option labels", "选项标签之一"),
            P::NoAnswerPath | P::NoQuestions => {
                say("both novel_ask and answer_path, or neither", "novel_ask 与 answer_path 同时有，或都没有")
            }
            P::AbsolutePath(_) => say("a path relative to the project", "相对于项目根目录的路径"),
            P::PathTraversal(_) => say("a path without .. segments", "不含 .. 的路径"),
            P::PathOutside(_) => say("a path that stays inside the project", "不离开项目的路径"),
            P::NotDateTime(_) => say(
                "a date and time with a zone, such as 2026-02-27T10:12:34.000Z",
                "带时区的日期时间，例如 2026-02-27T10:12:34.000Z",
            ),
            P::UnknownQuestion(..) => say("the id of a question of this gate", "本门控中某个问题的 id"),
            P::Unanswered(_) => say("an answer: the question is required", "一个回答：此题必答"),
            P::WrongShape(Kind::MultiChoice, _) => say("a list of strings", "字符串列表"),
            P::WrongShape(..) => say("one string", "一个字符串"),
            P::NotAFile(_) => say("a regular file", "普通文件"),
            P::TooLarge(_) => say("at most 64 MiB", "不超过 64 MiB"),
            P::Unreadable(..) => say("a readable file", "可读的文件"),
        };
        sentence.text(lang).to_owned()
    }

    /// The same where it names values.
    fn expected_values(&self, lang: Lang) -> String {
        use ProblemKind as P;
        match &self.kind {
            P::NotOneOf(_, [only]) => say("only {0}", "{0}").fill(lang, &[*only]),
            P::NotOneOf(_, words) | P::StrayField(_, words) => {
                say("one of: {0}", "以下之一：{0}").fill(lang, &[&words.join(", ")])
            }
            P::UnknownField(_, known) => {
                say("one of: {0}; or a name that begins with _", "以下之一：{0}；或以 _ 开头的名字")
                    .fill(lang, &[&known.join(", ")])
            }
            P::NotAnOption(_, labels, _) => say("one of: {0}", "以下之一：{0}").fill(lang, &[&labels.text()]),
            P::VersionDiffers(_, want) => {
                say("the packet's version, {0}", "与指令包一致的版本 {0}").fill(lang, &[&js_number(*want)])
            }
            P::TopicDiffers(_, want) => {
                say("the packet's topic, {0}", "与指令包一致的主题 {0}").fill(lang, &[&quote(want)])
            }
            _ => String::new(),
        }
    }

    /// What to do, where there is more to say than to make it as expected.
    pub fn hint(&self, lang: Lang) -> Option<String> {
        use ProblemKind as P;
        let fixed = |hint: Sentence| Some(hint.text(lang).to_owned());
        let near = |text: String| Some(say("Nearest: {0}", "最接近的是：{0}").fill(lang, &[&text]));
        match &self.kind {
            P::DefaultNotAnOption(_, Some(label)) | P::NotAnOption(_, _, Some(label)) => near(quote(label)),
            P::UnknownQuestion(_, Some(id)) => near(id.clone()),
            P::Value(Expected::Answer | Expected::List, Found::EmptyList) if self.is_about_answer() => {
                fixed(LEAVE_OUT)
            }
            P::Syntax(SyntaxError { kind: SyntaxKind::ByteOrderMark, .. }) => fixed(NO_MARK),
            P::Syntax(SyntaxError { kind: SyntaxKind::Empty | SyntaxKind::End, .. }) => fixed(CUT_OFF),
            P::Syntax(SyntaxError { kind: SyntaxKind::ControlInString(_), .. }) => fixed(ESCAPED),
            P::Syntax(SyntaxError { kind: SyntaxKind::Unexpected(c), .. }) => match c {
                '“' | '”' | '‘' | '’' | '：' | '，' | '、' | '｛' | '｝' | '［' | '］' | '【' | '】'
                | '＂' => fixed(HALF_WIDTH),
                '}' | ']' => fixed(COMMA),
                _ => None,
            },
            P::VersionDiffers(..) | P::TopicDiffers(..) => fixed(OTHER_GATE),
            P::Unanswered(id) if id == "constructor" => fixed(CONSTRUCTOR),
            P::RepeatedKey(_) => fixed(LAST_KEY),
            P::Rule(rule) => rule.hint.as_ref().map(|hint| hint.text(lang)),
            _ => None,
        }
    }

    /// The whole sentence: place, found, expected, hint.
    pub fn sentence(&self, lang: Lang) -> String {
        let place = if self.pointer.is_empty() { "/" } else { &self.pointer };
        let mut out = say("{0}: found {1}; expected {2}.", "{0}：实际 {1}；应为 {2}。")
            .fill(lang, &[place, &self.found(lang), &self.expected(lang)]);
        if let Some(hint) = self.hint(lang) {
            if lang == Lang::En {
                out.push(' ');
            }
            out.push_str(&hint);
        }
        out
    }
}

fn syntax(error: &SyntaxError, lang: Lang) -> String {
    let character = |c: char| {
        let mut quoted = String::from("\"");
        escape_json(&c.to_string(), &mut quoted);
        quoted + "\""
    };
    let what = match &error.kind {
        SyntaxKind::Empty => say("an empty file", "空文件").text(lang).to_owned(),
        SyntaxKind::End => {
            say("the end of the file inside a value", "文件在值的中间结束").text(lang).to_owned()
        }
        SyntaxKind::ByteOrderMark => say("a byte order mark", "字节顺序标记（BOM）").text(lang).to_owned(),
        SyntaxKind::Unexpected(c) => {
            say("{0}, which is not allowed here", "此处不能出现 {0}").fill(lang, &[&character(*c)])
        }
        SyntaxKind::ControlInString(c) => {
            say("the control character {0} inside a string", "字符串中有控制字符 {0}")
                .fill(lang, &[&character(*c)])
        }
        SyntaxKind::BadEscape => say("an unknown \\ escape", "未知的 \\ 转义").text(lang).to_owned(),
        SyntaxKind::Trailing(c) => {
            say("{0} after the end of the value", "值结束之后还有 {0}").fill(lang, &[&character(*c)])
        }
    };
    let place = [error.line.to_string(), error.column.to_string()];
    say("{0} (line {1}, column {2})", "{0}（第 {1} 行第 {2} 列）").fill(lang, &[&what, &place[0], &place[1]])
}

fn file_kind(what: &str) -> Sentence {
    match what {
        "directory" => say("a directory", "一个目录"),
        "fifo" => say("a named pipe", "命名管道"),
        "socket" => say("a socket", "套接字"),
        "device" => say("a device", "设备文件"),
        _ => say("something that is not a regular file", "不是普通文件"),
    }
}
