//! Headings and emphasis of Markdown in one line: what is left of it to read, and where it is emphasized.
//!
//! Not as `CommonMark` has it. That leaves `**他说：“走。”**然后` as it is written, because no blank parts the marks from the words, and goes
//! over line ends, where in a novel a mark that was forgotten would turn the rest of a chapter around.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    Slanted,
    Strong,
    Both,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    pub text: String,
    pub is_heading: bool,
    pub emphasis: Vec<(Range<usize>, Emphasis)>,
}

/// Marks of one kind that stand together.
struct Run {
    mark: char,
    at: usize,
    len: usize,
    opens: bool,
    closes: bool,
}

impl Marked {
    /// A line as it is written.
    pub fn plain(line: &str) -> Marked {
        Marked { text: line.to_owned(), ..Marked::default() }
    }

    /// A line without its marks.
    pub fn read(line: &str) -> Marked {
        match heading(line) {
            Some(title) => Marked::heading(title),
            None => inline(line),
        }
    }

    /// The words of a heading.
    pub fn heading(title: &str) -> Marked {
        Marked { is_heading: true, ..inline(title.trim()) }
    }
}

/// Whether a line begins or ends a block in which nothing is a mark.
pub fn is_fence(line: &str) -> bool {
    let line = line.trim_start_matches(' ');
    line.starts_with("```") || line.starts_with("~~~")
}

/// Whether the line below makes a line a heading. One of `-` parts scenes as well: above it only a line that stands alone and is no
/// sentence is a heading.
pub fn is_underlined(line: &str, below: &str, is_alone: bool) -> bool {
    let (line, below) = (line.trim(), below.trim());
    let is_of = |mark| below.len() > 1 && below.trim_start_matches(mark).is_empty();
    let is_sentence = line.ends_with(['。', '！', '？', '…', '”', '」', '』', '.', '!', '?', '"']);
    let is_words = line.contains(char::is_alphanumeric) && heading(line).is_none();
    is_words && (is_of('=') || is_of('-') && is_alone && !is_sentence)
}

/// The words of a heading.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(' ');
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let title = words.trim();
    let bare = title.trim_end_matches('#');
    let title = if bare.ends_with(char::is_whitespace) { bare.trim_end() } else { title };
    let is_heading = (1..=6).contains(&level) && words.starts_with(char::is_whitespace) && !title.is_empty();
    is_heading.then_some(title)
}

fn inline(line: &str) -> Marked {
    let (runs, mut gone) = runs(line);
    let mut open: [Option<usize>; 6] = [None; 6];
    let mut pairs = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let kind = run.len - 1 + if run.mark == '*' { 0 } else { 3 };
        if let Some(begun) = open[kind].filter(|_| run.closes) {
            // What began in between has no end.
            open = open.map(|open| open.filter(|open| *open < begun));
            pairs.push((&runs[begun], run));
        } else if run.opens {
            open[kind] = Some(at);
        }
    }
    gone.extend(pairs.iter().flat_map(|(a, b)| [a, b]).map(|run| run.at..run.at + run.len));
    gone.sort_unstable_by_key(|gone| gone.start);
    let (mut text, mut kept) = (String::with_capacity(line.len()), 0);
    for gone in &gone {
        text.push_str(&line[kept..gone.start]);
        kept = gone.end;
    }
    text.push_str(&line[kept..]);
    let mut lost = Vec::with_capacity(gone.len());
    let mut total = 0;
    for gone in &gone {
        lost.push((gone.start, total));
        total += gone.len();
    }
    // Where a mark stood, in what is left.
    let place =
        |at: usize| at - lost.binary_search_by_key(&at, |(start, _)| *start).map_or(0, |of| lost[of].1);
    let emphasis = pairs.iter().map(|(a, b)| {
        let emphasis = [Emphasis::Slanted, Emphasis::Strong, Emphasis::Both][a.len - 1];
        (place(a.at)..place(b.at), emphasis)
    });
    Marked { emphasis: emphasis.collect(), text, is_heading: false }
}

/// The runs of marks in a line that may begin or end emphasis, and the backslashes that only keep what follows from being one.
fn runs(line: &str) -> (Vec<Run>, Vec<Range<usize>>) {
    let (mut runs, mut gone, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(found) = line[at..].find(['*', '_', '`', '\\']) {
        at += found;
        let rest = &line[at..];
        let mark = char::from(rest.as_bytes()[0]);
        let len = rest.len() - rest.trim_start_matches(mark).len();
        match mark {
            '\\' => {
                let is_escape = rest[1..].starts_with(['*', '_', '`', '\\']);
                gone.extend(is_escape.then_some(at..at + 1));
                at += 1 + usize::from(is_escape);
                continue;
            }
            // Code is no text.
            '`' => at += rest[len..].find(&rest[..len]).map_or(0, |end| end + len),
            _ if len <= 3 => {
                let before = line[..at].chars().next_back();
                let after = rest[len..].chars().next();
                let is_word = |c: Option<char>| match mark {
                    '_' => c.is_some_and(char::is_alphanumeric),
                    _ => len == 1 && c.is_some_and(|c| c.is_ascii_alphanumeric()),
                };
                // `2*3` and `a_name` are no marks.
                let inside = is_word(before) && is_word(after);
                let [closes, opens] =
                    [before, after].map(|c| !inside && c.is_some_and(|c| !c.is_whitespace()));
                runs.push(Run { mark, at, len, opens, closes });
            }
            _ => {}
        }
        at += len;
    }
    (runs, gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is left, with `/` around what is slanted, `+` around what is strong, and `#` before a heading.
    fn shown(line: &str) -> String {
        let marked = Marked::read(line);
        let mut signs = Vec::new();
        for (range, emphasis) in &marked.emphasis {
            let sign = match emphasis {
                Emphasis::Slanted => "/",
                Emphasis::Strong => "+",
                Emphasis::Both => "±",
            };
            signs.extend([(range.start, sign), (range.end, sign)]);
        }
        signs.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let mut text = marked.text;
        for (at, sign) in signs {
            text.insert_str(at, sign);
        }
        if marked.is_heading { format!("#{text}") } else { text }
    }

    #[test]
    fn emphasis_needs_no_blanks_around_it() {
        let rows = [
            ("**他说：“走。”**然后", "+他说：“走。”+然后"),
            ("他说**“走。”**，然后**停**。", "他说+“走。”+，然后+停+。"),
            ("　　她*没有*回头", "　　她/没有/回头"),
            ("***全部***", "±全部±"),
            ("**外*内*外**", "+外/内/外+"),
            ("__strong__ and _slanted_", "+strong+ and /slanted/"),
            ("2*3*4 and a_long_name", "2*3*4 and a_long_name"),
            ("* item with *one*", "* item with /one/"),
            ("**没有结尾", "**没有结尾"),
            ("** 不是 **", "** 不是 **"),
            ("***", "***"),
            ("* * *", "* * *"),
            ("****", "****"),
            (r"\*\*照写\*\*", "**照写**"),
            ("`**code**` **x**", "`**code**` +x+"),
            ("# 第一章 **雨**", "#第一章 +雨+"),
            ("## 标题 ##", "#标题"),
            ("#标签", "#标签"),
            ("####### 七", "####### 七"),
            ("# ", "# "),
            ("", ""),
        ];
        for (line, want) in rows {
            let got = shown(line);
            assert_eq!(got, want, "{line}");
        }
        assert!(is_fence("  ```rust") && !is_fence("`x`"));
    }

    #[test]
    fn a_line_below_makes_a_heading() {
        for (line, below, is_alone, want) in [
            ("第一章 **雨**", "====", false, true),
            ("第一章", "== ", true, true),
            ("第一章 雨", "----", true, true),
            ("第一章 雨", "----", false, false),
            ("他走了。", "---", true, false),
            ("# 第一章", "===", true, false),
            ("", "===", true, false),
            ("* * *", "---", true, false),
            ("第一章", "=", true, false),
            ("第一章", "=-=", true, false),
        ] {
            assert_eq!(is_underlined(line, below, is_alone), want, "{line} {below}");
        }
    }

    proptest! {
        #[test]
        fn places_are_in_the_text_and_only_marks_go(line in r"[*_`\\# a雨]{0,24}") {
            let marked = Marked::read(&line);
            for (range, _) in &marked.emphasis {
                prop_assert!(marked.text.get(range.clone()).is_some_and(|part| !part.is_empty()));
            }
            let words = |text: &str| text.replace(['*', '_', '`', '\\', '#', ' '], "");
            prop_assert_eq!(words(&marked.text), words(&line));
        }
    }
}
