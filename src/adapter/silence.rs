//! What clients say where the author has said nothing. It comes back as if it were an answer, from the client itself or through a
//! model that passes it on, and is none.

use self::Shape::{Beginning, Bracketed, BracketedBeginning, Exact, Whole};
use self::Silence::{Left, Skipped};
use crate::ask::JsString;
use crate::text::width::narrow;
use std::sync::LazyLock;

/// What a text means that is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The dialog was closed, or nobody was there: the whole call is an escape.
    Left,
    /// This question was passed over.
    Skipped,
}

/// How much of an answer a text is. Case, brackets, quotes, punctuation and digits never count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// All of it, in brackets: without them an author may say the same.
    Bracketed,
    /// Its beginning, in brackets.
    BracketedBeginning,
    /// All of it.
    Whole,
    /// Its beginning.
    Beginning,
    /// All of it, letter by letter.
    Exact,
}

/// A text, and where it was found.
#[derive(Debug)]
pub struct Saying {
    pub text: &'static str,
    /// The client with its version, or the month.
    pub client: &'static str,
    means: Silence,
    shape: Shape,
}

const fn saying(client: &'static str, text: &'static str, means: Silence, shape: Shape) -> Saying {
    Saying { text, client, means, shape }
}

const APPS: &str = "Claude apps, July 2026";
const CLAUDE: &str = "Claude Code 2.1.330";
const CODEX: &str = "Codex 0.169.0";
const GEMINI: &str = "Gemini CLI 0.61.0";
const OPENCODE: &str = "opencode 1.18.33";

/// Every text that was found.
pub const SAYINGS: &[Saying] = &[
    saying(APPS, "[No preference]", Skipped, Bracketed),
    saying(APPS, "[User dismissed — do not proceed, wait for next instruction]", Left, Bracketed),
    saying(CLAUDE, "(No answer provided)", Skipped, Bracketed),
    saying(CLAUDE, "(no option selected)", Skipped, Bracketed),
    saying(CLAUDE, "(notes only)", Skipped, Bracketed),
    saying(CLAUDE, "(Image attached)", Skipped, Bracketed),
    saying(CLAUDE, "__other__", Skipped, Exact),
    saying(CLAUDE, "The user did not answer the questions.", Left, Whole),
    saying(CLAUDE, "No response after 60s — the user may be away from keyboard.", Left, Beginning),
    saying(CLAUDE, "The user doesn't want to proceed with this tool use.", Left, Beginning),
    saying(CLAUDE, "Permission for this tool use was denied.", Left, Beginning),
    saying(CLAUDE, "The user wants to clarify these questions.", Left, Beginning),
    saying(CLAUDE, "The user asked for more questions before", Left, Beginning),
    saying(CLAUDE, "[Request interrupted by user]", Left, BracketedBeginning),
    saying("Claude Code 2.0", "User declined to answer questions", Left, Whole),
    saying(CODEX, "request_user_input was cancelled before receiving a response", Left, Beginning),
    saying(GEMINI, "User dismissed ask_user dialog without answering.", Left, Whole),
    saying(GEMINI, "User dismissed dialog", Left, Whole),
    saying(GEMINI, "User submitted without answering questions.", Left, Whole),
    saying(OPENCODE, "Unanswered", Skipped, Whole),
    saying(OPENCODE, "The user dismissed this question", Left, Whole),
];

/// What else means the same in brackets, in any client and language that is likely here.
const IN_BRACKETS: &str = "no answer|no answer given|no response|no reply|no selection|no choice|none selected|nothing selected|\
    not answered|left unanswered|skip|skipped|dismissed|cancelled|canceled|declined|declined to answer|timed out|timeout|\
    无偏好|没有偏好|不作答|未作答|没有作答|未回答|没有回答|无回答|未选择|没有选择|无回应|没有回应|跳过|已跳过|已取消|已关闭|拒绝回答|\
    已拒绝|超时|已超时";

/// What a user does who does not answer, in a sentence of a client's.
const DID: &str = "dismissed|declined|skipped|cancelled|canceled|closed|ignored|did not answer|didn t answer|chose not|\
    关闭|取消|拒绝|跳过|忽略|未作答|没有作答|未回答|没有回答|不作答";
/// With what. In brackets it need not be said.
const WITH: &str = "question|dialog|answer|prompt|card|问题|提问|对话|作答|回答";
/// A sentence of a client's has no more letters.
const LONGEST: usize = 80;

/// Whether it is told of a user that there is no answer.
fn is_told(core: &str, is_bracketed: bool) -> bool {
    let told = core.strip_prefix("user ").or_else(|| core.strip_prefix("用户"));
    let Some(told) = told.filter(|_| is_bracketed || core.chars().count() <= LONGEST) else { return false };
    let told = told.trim_start_matches(['已', '了', ' ']);
    let did = DID.split('|').any(|did| told.starts_with(did));
    did && (is_bracketed || WITH.split('|').any(|with| told.contains(with)))
}

/// Brackets in brackets.
const DEEPEST: usize = 4;
/// No client says more, in bytes, whatever it adds.
const MOST: usize = 4096;

/// What words are if they are no answer.
pub fn silence(words: &JsString) -> Option<Silence> {
    let text = words.lossy();
    if text.len() > MOST {
        return None;
    }
    let (core, is_bracketed) = core(&text);
    let says = |(saying, own): &(&Saying, &String)| match saying.shape {
        Exact => text.trim() == saying.text,
        Whole => core == **own,
        Beginning => core.starts_with(&**own),
        Bracketed => is_bracketed && core == **own,
        BracketedBeginning => is_bracketed && core.starts_with(&**own),
    };
    if let Some((saying, _)) = SAYINGS.iter().zip(&*CORES).find(says) {
        return Some(saying.means);
    }
    if is_told(&core, is_bracketed) {
        return Some(Left);
    }
    (is_bracketed && IN_BRACKETS.split('|').any(|said| said == core)).then_some(Skipped)
}

/// The same of words that may be a list with commas: also if one of its entries is no answer.
pub(super) fn silence_in_list(words: &JsString) -> Option<Silence> {
    /// No text of a client has more commas.
    const COMMAS: usize = 3;
    if words.lossy().len() > MOST {
        return None;
    }
    let parts = words.split_trimmed(',');
    let mut runs = (0..parts.len())
        .flat_map(|from| (from + 1..=parts.len().min(from + COMMAS)).map(move |to| (from, to)));
    let run = |(from, to): (usize, usize)| silence(&JsString::joined(&parts[from..to], ", "));
    silence(words).or_else(|| runs.find_map(run))
}

/// Whether words are, or may be, what a client says where nothing was answered.
pub fn is_or_may_be_silence(words: &JsString) -> bool {
    silence(words).is_some() || is_doubtful(words)
}

/// Whether words may be those of a client that is not known: they stand in square brackets, or say without brackets what a client
/// says in them. An author who means them says them once more.
pub(super) fn is_doubtful(words: &JsString) -> bool {
    let text = words.lossy();
    if enclosed(outer(&text)).is_some_and(|(bracket, _)| "[［【〔〖".contains(bracket)) {
        return true;
    }
    let core = if text.len() > MOST { String::new() } else { core(&text).0 };
    SAYINGS.iter().zip(&*CORES).any(|(saying, own)| saying.shape == Bracketed && *own == core)
}

static CORES: LazyLock<Vec<String>> =
    LazyLock::new(|| SAYINGS.iter().map(|saying| core(saying.text).0).collect());

/// What is said: letters only, in small letters, with single blanks, without an article before it; and whether it is in brackets.
fn core(text: &str) -> (String, bool) {
    let (mut inner, mut is_bracketed) = (outer(text), false);
    for _ in 0..DEEPEST {
        let Some((_, inside)) = enclosed(inner) else { break };
        (inner, is_bracketed) = (outer(inside), true);
    }
    let letter = |c: char| if c.is_alphabetic() { c } else { ' ' };
    let letters: String = inner.chars().map(narrow).map(letter).flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = letters.split_whitespace().collect();
    let core = words.join(" ");
    (core.strip_prefix("the ").map_or(core.clone(), str::to_owned), is_bracketed)
}

/// Without blanks, quotes, punctuation and signs around it, up to letters, digits and brackets.
fn outer(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric() && !OPENING.contains(c) && !CLOSING.contains(c))
}

const OPENING: &str = "[［【〔〖(（{<《「『";
/// In the same order.
const CLOSING: &str = "]］】〕〗)）}>》」』";

/// What stands in brackets from the first character to the last, and the first.
fn enclosed(text: &str) -> Option<(char, &str)> {
    let open = text.chars().next()?;
    let (_, close) = OPENING.chars().zip(CLOSING.chars()).find(|pair| pair.0 == open)?;
    let inside = text.strip_prefix(open)?.strip_suffix(close)?;
    let mut depth = 0_usize;
    for c in inside.chars() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
        }
    }
    (depth == 0).then_some((open, inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_say_for_silence_is_known_however_it_is_dressed() {
        for saying in SAYINGS {
            assert_eq!(silence(&saying.text.into()), Some(saying.means), "{saying:?}");
            let is_exact = saying.shape == Shape::Exact;
            for dressed in [
                format!("  {}\n", saying.text),
                format!("\"{}\".", saying.text),
                saying.text.to_uppercase(),
                format!("**{}**。", saying.text),
                format!("【{}】", saying.text.trim_matches(['[', ']', '(', ')'])),
                format!("[{}]", saying.text.trim_matches(['[', ']', '(', ')'])),
            ] {
                assert!(is_exact || silence(&dressed.as_str().into()) == Some(saying.means), "{dressed}");
            }
        }
        for left in [
            "[User dismissed - do not proceed…]",
            "[User dismissed ΓÇö do not proceed, wait for next instruction]",
            "[User dismissed the question without answering.]",
            "No response after 1800s — the user may be away from keyboard. Proceed using your best judgment.",
            "The user doesn’t want to proceed with this tool use. The tool use was rejected.",
            "[用户已关闭提问，请等待]",
            "[user cancelled]",
            "The user skipped this question.",
            "User declined to answer",
            "User didn't answer the question",
            "用户关闭了提问。",
            "用户已跳过这个问题",
        ] {
            assert_eq!(silence(&left.into()), Some(Silence::Left), "{left}");
        }
        for skipped in [
            "［ＮＯ ＰＲＥＦＥＲＥＮＣＥ］",
            "[[no  preference]]",
            "“[No preference]”。",
            "【无偏好】",
            "(skipped)",
            "[未作答]",
            "（已跳过）",
        ] {
            assert_eq!(silence(&skipped.into()), Some(Silence::Skipped), "{skipped}");
        }
    }

    #[test]
    fn the_table_of_the_documents_has_them_all() {
        let page =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/novel-ask.md")).expect("read");
        for saying in SAYINGS {
            let row = page
                .lines()
                .find(|line| line.starts_with('|') && line.contains(&format!("`{}`", saying.text)));
            assert!(row.is_some_and(|row| row.ends_with(&format!("| {} |", saying.client))), "{saying:?}");
        }
    }

    #[test]
    fn what_authors_say_is_not() {
        for words in [
            "No preference",
            "没有偏好",
            "跳过",
            "the user dismissed",
            "User dismissed the guards and went in.",
            "other",
            "Other",
            "[雨停之前]",
            "（他没有回答）",
            "[no preference] but slow",
            "He gave no answer (provided)",
            "",
            "[]",
            "No response after the third knock",
            "用户已经回来了",
            "The user declined the throne.",
        ] {
            assert_eq!(silence(&words.into()), None, "{words}");
        }
    }

    #[test]
    fn square_brackets_and_what_clients_put_into_brackets_are_doubtful() {
        for words in [
            "[雨停之前]",
            " 【系统】 ",
            "［……］",
            "\"[x]\"",
            "No preference",
            "no option selected",
            "[a [b] c]",
        ] {
            assert!(is_doubtful(&words.into()), "{words}");
        }
        for words in ["雨停之前", "（他笑了）", "[a] 和 [b]", "见 [1]", "「好」", "[a", "跳过", ""]
        {
            assert!(!is_doubtful(&words.into()), "{words}");
        }
    }

    #[test]
    fn a_hostile_size_costs_what_its_length_costs() {
        for words in [
            "[".repeat(1 << 20),
            format!("{}x{}", "[".repeat(1 << 20), "]".repeat(1 << 20)),
            "(a), ".repeat(1 << 18),
        ] {
            let words = JsString::from(words.as_str());
            assert_eq!((silence(&words), silence_in_list(&words)), (None, None));
            is_doubtful(&words);
        }
    }

    #[test]
    fn one_entry_of_a_list_is_enough() {
        for (words, means) in [
            ("a, [No preference]", Silence::Skipped),
            ("[User dismissed — do not proceed, wait for next instruction], b", Silence::Left),
            ("a, b, (skipped), c", Silence::Skipped),
        ] {
            assert_eq!(silence_in_list(&words.into()), Some(means), "{words}");
        }
        assert_eq!(silence_in_list(&"a, No preference".into()), None);
    }
}
