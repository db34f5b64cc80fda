//! In which ways a text is not JSON: what programs, editors and models write in its place, and how a sentence says it.

use crate::text::{Sentence, say};
use strum::IntoStaticStr;

/// Why a text is not JSON; its name is stable, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SyntaxKind {
    /// Nothing but white space.
    Empty,
    /// The text stops inside a value.
    #[strum(serialize = "cut-off")]
    End,
    /// Text in another encoding than UTF-8, by its name.
    Encoding(&'static str),
    /// A byte order mark in front.
    ByteOrderMark,
    /// The lines of a Markdown code block.
    #[strum(serialize = "code-fence")]
    Fence,
    /// Sentences before or behind the JSON.
    Prose,
    /// A model's thoughts before the JSON.
    Thoughts,
    /// Another value behind the first.
    SecondValue,
    /// The document is the content of a JSON string.
    Escaped,
    /// The marks of a conflict in git.
    Conflict,
    /// A page of HTML.
    #[strum(serialize = "html-page")]
    Page,
    Yaml,
    /// Quotation marks as entities of HTML.
    #[strum(serialize = "html-entity")]
    Entity,
    /// A number before each line.
    LineNumber,
    /// A mark before each line.
    LineMark,
    /// Bytes that are zero, outside of strings.
    #[strum(serialize = "nul-bytes")]
    Nul,
    /// At the end.
    Semicolon,
    Comment,
    /// White space that JSON does not have.
    Space(char),
    /// A character in place of JSON's punctuation, and that.
    Punctuation(char, char),
    /// Another quotation mark around a string.
    Quote(char),
    /// A bare `"` inside a string.
    BareQuote,
    MissingQuote,
    /// A control character inside a string.
    ControlInString(char),
    /// A `\` with something behind it that is no escape.
    BadEscape,
    /// Another language's word, and the one of JSON.
    Word(&'static str, &'static str),
    /// A number as other languages write it.
    Number,
    LeadingZero,
    /// A name of the format with a slip in it.
    Misspelt,
    /// A key that its object has already.
    DoubledKey,
    /// Dots in place of what was left out.
    Elided,
    /// NaN or an infinity.
    NotANumber,
    UnquotedKey,
    UnquotedValue,
    MissingValue,
    ExtraComma,
    MissingComma,
    MissingColon,
    /// A bracket that closes nothing, or closes another than is open.
    Bracket,
    /// A character that cannot stand here.
    #[strum(serialize = "not-json")]
    Unexpected(char),
    /// Something behind the end of the value.
    #[strum(serialize = "not-json")]
    Trailing(char),
}

impl SyntaxKind {
    /// How to write it, where there is more to say.
    pub(crate) fn hint(self) -> Option<Sentence> {
        self.words().1
    }

    /// What was found, with a character or word in its gaps, and how to write it.
    pub(super) fn words(self) -> (Sentence, Option<Sentence>) {
        use SyntaxKind as K;
        match self {
            K::Empty | K::End | K::Unexpected(_) | K::Trailing(_) => self.words_of_a_place(),
            K::Conflict
            | K::Page
            | K::Yaml
            | K::Entity
            | K::LineNumber
            | K::LineMark
            | K::Nul
            | K::Semicolon => self.words_of_programs(),
            K::Encoding(_)
            | K::ByteOrderMark
            | K::Fence
            | K::Prose
            | K::Thoughts
            | K::SecondValue
            | K::Escaped => self.words_of_the_whole(),
            K::Quote(_) | K::BareQuote | K::MissingQuote | K::ControlInString(_) | K::BadEscape => {
                self.words_of_strings()
            }
            K::Comment | K::Space(_) | K::Punctuation(..) | K::ExtraComma | K::MissingComma => {
                self.words_of_punctuation()
            }
            K::NotANumber | K::Number | K::LeadingZero => self.words_of_numbers(),
            _ => self.words_of_values(),
        }
    }

    fn words_of_a_place(self) -> (Sentence, Option<Sentence>) {
        let cut =
            || Some(say("The file may have been cut off while it was written.", "文件可能在写入时被截断。"));
        match self {
            SyntaxKind::Empty => (say("an empty file", "空文件"), cut()),
            SyntaxKind::End => {
                let found = say("the end of the file inside a value", "文件在值的中间结束");
                (found, cut())
            }
            SyntaxKind::Trailing(_) => {
                let found = say("{0} after the end of the value", "值结束之后还有 {0}");
                (found, None)
            }
            _ => {
                let found = say("{0}, which is not allowed here", "此处不能出现 {0}");
                (found, None)
            }
        }
    }

    fn words_of_programs(self) -> (Sentence, Option<Sentence>) {
        let (found, hint) = match self {
            SyntaxKind::Conflict => (
                say("a git conflict", "git 合并冲突"),
                say(
                    "Keep one of the two texts, and remove the lines with <<<<<<<, ======= and >>>>>>>.",
                    "两段中只留一段，并删去 <<<<<<<、=======、>>>>>>> 这几行。",
                ),
            ),
            SyntaxKind::Page => (
                say("a web page", "网页"),
                say("Whoever fetched it got a page instead of the JSON.", "取到的是网页，不是 JSON。"),
            ),
            SyntaxKind::Yaml => (
                say("YAML", "YAML"),
                say("Write it as JSON: {\"key\": \"value\"}.", "请写成 JSON：{\"键\": \"值\"}。"),
            ),
            SyntaxKind::Entity => (
                say("entities of HTML", "HTML 实体"),
                say("Write \" instead of &quot;.", "请写 \"，不写 &quot;。"),
            ),
            SyntaxKind::LineNumber => (
                say("line numbers", "行号"),
                say("Remove the number before each line.", "请去掉每行前面的行号。"),
            ),
            SyntaxKind::LineMark => (
                say("a mark before each line", "每行前面的符号"),
                say("Remove it from each line.", "请逐行去掉。"),
            ),
            SyntaxKind::Nul => (
                say("NUL bytes", "NUL 字节"),
                say(
                    "A crash or a full disk may have left them: write the file again.",
                    "可能是崩溃或磁盘写满留下的：请重新写入文件。",
                ),
            ),
            _ => (
                say("a semicolon behind the JSON", "JSON 后面有分号"),
                say("JSON is no program: remove it.", "JSON 不是程序：请去掉分号。"),
            ),
        };
        (found, Some(hint))
    }

    fn words_of_the_whole(self) -> (Sentence, Option<Sentence>) {
        let alone = say(
            "The file holds the JSON alone, with nothing before or behind it.",
            "文件里只能有 JSON 本身，前后都不能有别的内容。",
        );
        let (found, hint) = match self {
            SyntaxKind::ByteOrderMark => (
                say("a byte order mark", "字节顺序标记（BOM）"),
                say("Save the file as UTF-8 without a byte order mark.", "请保存为不带 BOM 的 UTF-8。"),
            ),
            SyntaxKind::Encoding(_) => (
                say("text in {0}, not in UTF-8", "{0} 编码的文本，不是 UTF-8"),
                say("Save the file as UTF-8.", "请另存为 UTF-8。"),
            ),
            SyntaxKind::Fence => (
                say("a Markdown code block", "Markdown 代码块"),
                say(
                    "Write the JSON alone, without the lines with ``` or ~~~.",
                    "只写 JSON 本身，去掉带 ``` 或 ~~~ 的行。",
                ),
            ),
            SyntaxKind::Thoughts => {
                (say("a model's <think> before the JSON", "JSON 前面有模型的 <think>"), alone)
            }
            SyntaxKind::SecondValue => (
                say("a second value behind the first", "第一个值后面又有一个值"),
                say(
                    "The file holds one value: join them, or remove one.",
                    "一个文件只有一个值：请合并，或去掉一个。",
                ),
            ),
            SyntaxKind::Escaped => (
                say("the JSON inside a string", "JSON 被放进了一个字符串里"),
                say(
                    "Write the object itself: no quotation marks around it, no \\ before those in it.",
                    "请直接写对象：外面不加引号，里面的引号前不加 \\。",
                ),
            ),
            _ => (say("words that are no part of the JSON", "不属于 JSON 的文字"), alone),
        };
        (found, Some(hint))
    }

    fn words_of_strings(self) -> (Sentence, Option<Sentence>) {
        let (found, hint) = match self {
            SyntaxKind::Quote(_) => (
                say("{0} as a quotation mark", "用 {0} 当引号"),
                say(
                    "Strings and keys stand between half-width quotation marks: \"…\"",
                    "字符串和键都要用半角双引号括起来：\"…\"",
                ),
            ),
            SyntaxKind::BareQuote => (
                say("a bare \" inside a string", "字符串里有未转义的 \""),
                say(
                    "Inside a string it is written \\\", or as one of “ ”.",
                    "字符串里的引号要写成 \\\"，或改用“ ”。",
                ),
            ),
            SyntaxKind::MissingQuote => (
                say("a string without its closing \"", "字符串末尾缺少 \""),
                say("Put a \" where the string ends.", "请在字符串结束处补上 \"。"),
            ),
            SyntaxKind::BadEscape => (
                say("an unknown \\ escape", "未知的 \\ 转义"),
                say(
                    "A \\ itself is written \\\\; behind one stand only \" \\ / b f n r t and uXXXX.",
                    "\\ 本身要写成 \\\\；它后面只能是 \" \\ / b f n r t 和 uXXXX。",
                ),
            ),
            _ => (
                say("the control character {0} inside a string", "字符串中有控制字符 {0}"),
                say(
                    "Inside a string a line end is written \\n and a tab \\t.",
                    "字符串里的换行要写成 \\n，制表符要写成 \\t。",
                ),
            ),
        };
        (found, Some(hint))
    }

    fn words_of_punctuation(self) -> (Sentence, Option<Sentence>) {
        let (found, hint) = match self {
            SyntaxKind::Comment => (
                say("a comment", "注释"),
                say(
                    "JSON has no comments: remove it, or put it into a member that begins with _.",
                    "JSON 没有注释：请去掉，或写进以 _ 开头的字段。",
                ),
            ),
            SyntaxKind::Space(_) => (
                say("white space that JSON does not have, {0}", "JSON 里没有的空白 {0}"),
                say("Use plain spaces.", "请用普通空格。"),
            ),
            SyntaxKind::Punctuation(..) => (
                say("{0} where JSON has {1}", "应写 {1} 的地方写了 {0}"),
                say(
                    "The punctuation of JSON is half-width: \" : , { } [ ]",
                    "JSON 的标点要用半角：\" : , { } [ ]",
                ),
            ),
            SyntaxKind::MissingComma => (
                say("no comma behind a value", "值后面缺少逗号"),
                say("Put a comma between two values.", "两个值之间要有逗号。"),
            ),
            _ => (
                say("an extra comma", "多了一个逗号"),
                say(
                    "No comma stands before } or ], nor behind another.",
                    "} 或 ] 前面、逗号后面都不能有逗号。",
                ),
            ),
        };
        (found, Some(hint))
    }

    fn words_of_numbers(self) -> (Sentence, Option<Sentence>) {
        let (found, hint) = match self {
            SyntaxKind::NotANumber => (
                say("NaN or an infinity", "NaN 或无穷大"),
                say(
                    "JSON has no such number: write null, or leave the member out.",
                    "JSON 没有这样的数：请写 null，或省略这个字段。",
                ),
            ),
            SyntaxKind::Number => (
                say("a number that JSON does not write so", "JSON 不这样写数"),
                say(
                    "Plain digits, such as 7, -1 or 0.5: no +, 0x or bare point.",
                    "请写普通数字，如 7、-1、0.5：不加 +、0x，小数点两边都要有数字。",
                ),
            ),
            _ => (
                say("a number that begins with 0", "以 0 开头的数"),
                say("Write 7 for the number, or \"07\" for the words.", "数写成 7，文字写成 \"07\"。"),
            ),
        };
        (found, Some(hint))
    }

    fn words_of_values(self) -> (Sentence, Option<Sentence>) {
        let quote = || say("Put it between double quotation marks.", "请用半角双引号括起来。");
        let (found, hint) = match self {
            SyntaxKind::Word(..) => (
                say("{0} in place of {1}", "应写 {1} 的地方写了 {0}"),
                say("JSON spells true, false and null so.", "JSON 只写 true、false、null。"),
            ),
            SyntaxKind::DoubledKey => (
                say("a key for the second time", "重复的键"),
                say(
                    "Each key stands once in its object: remove one.",
                    "同一对象里每个键只能有一个：请去掉一个。",
                ),
            ),
            SyntaxKind::Elided => (
                say("dots in place of what was left out", "用省略号代替了内容"),
                say("Write all of it, or remove the dots.", "请写全，或去掉省略号。"),
            ),
            SyntaxKind::Misspelt => (say("a misspelt name", "名称写错了"), say("Rename it.", "请改名。")),
            SyntaxKind::UnquotedKey => (say("a key without quotation marks", "键没有加引号"), quote()),
            SyntaxKind::UnquotedValue => (say("words without quotation marks", "文字没有加引号"), quote()),
            SyntaxKind::MissingValue => (
                say("a key without a value", "键没有值"),
                say("Give it a value, or remove it.", "请给它一个值，或去掉它。"),
            ),
            SyntaxKind::MissingColon => (
                say("no colon behind a key", "键后面缺少冒号"),
                say("Put a colon between key and value.", "键和值之间要有冒号。"),
            ),
            _ => (
                say("a bracket that does not fit", "括号不配对"),
                say("Each { has its }, each [ its ].", "每个 { 要有对应的 }，每个 [ 要有对应的 ]。"),
            ),
        };
        (found, Some(hint))
    }
}
