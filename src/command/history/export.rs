//! `history --export`: a project's decisions as Markdown. For each gate it writes the present answers with the questions
//! as they were, and then the earlier answers.

use crate::ask::compare::Value;
use crate::ask::{JsString, Question};
use crate::command::Session;
use crate::command::output::Head;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::drafts::kept::KeptDraft;
use crate::store::history::{Found, HistoryEntry, Reason};
use crate::store::returned::Why;
use crate::store::{StateDir, collision, file};
use crate::text::{Lang, Safe, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// --export: the decisions as Markdown.
#[derive(Serialize, JsonSchema)]
pub(super) struct HistoryExported<'a> {
    /// The file, as it was named; null for standard output.
    path: Option<String>,
    /// How long the document is.
    bytes: usize,
    /// The document, for standard output.
    markdown: Option<&'a str>,
}

/// Writes the document; a file that is there is left alone.
pub(super) fn write(
    session: &mut Session<'_>,
    file: &Path,
    (found, state): (&Found, &StateDir),
    kept: &[KeptDraft],
) -> Result<ExitCode, Error> {
    let to_output = file == Path::new("-");
    let parts = document(found, state, kept, session.lang)?;
    if to_output && !session.global.json {
        for part in parts {
            session.document(part?.as_bytes())?;
        }
        return Ok(ExitCode::Done);
    }
    let (mut text, mut bytes) = (String::new(), 0);
    let parts = parts.inspect(|part| bytes += part.as_ref().map_or(0, String::len));
    if to_output {
        text = parts.collect::<Result<String, Error>>()?;
    } else {
        let path = session.environment.cwd.join(file);
        collision::no_record(&Arc::new(session.project()?), &path, session.clock.now())?;
        file::create(&path, parts)?;
    }
    let shown = file.shown();
    let message = if to_output {
        say("The decisions as Markdown.", "以 Markdown 列出的各项决定。").text(session.lang).to_owned()
    } else {
        say("The decisions are written to {0}.", "各项决定已写入 {0}。").fill(session.lang, &[&shown])
    };
    let output = HistoryExported {
        path: (!to_output).then(|| shown.into_owned()),
        bytes,
        markdown: to_output.then_some(&text),
    };
    let head = Head::new("exported", ExitCode::Done, "exported", message);
    session.confirm(head, output)
}

/// The document part by part, a gate at a time, its newest entry first. What was kept without a gate comes last.
fn document(
    found: &Found,
    state: &StateDir,
    kept: &[KeptDraft],
    lang: Lang,
) -> Result<impl Iterator<Item = Result<String, Error>>, Error> {
    let text = |text: Option<&JsString>| text.map(|text| text.lossy().into_owned()).unwrap_or_default();
    let mut gates: BTreeMap<String, ((String, String), Found)> = BTreeMap::new();
    for entry in found.entries(state) {
        let entry = entry?;
        if entry.kind().is_file() {
            continue;
        }
        let names = || (text(entry.step.as_ref()), text(Some(&entry.answer_path)));
        gates.entry(entry.gate.clone()).or_insert_with(|| (names(), Found::default())).1.add(&entry);
    }
    let mut gates: Vec<_> = gates.into_values().collect();
    gates.sort_by(|(a, _), (b, _)| a.cmp(b));
    let filled = |fill: &dyn Fn(&mut String)| {
        let mut out = String::new();
        fill(&mut out);
        out
    };
    let title = format!("# {}\n", say("Decisions", "决定").text(lang));
    let gates = gates.into_iter().map(move |(_, of_gate)| {
        let entries = of_gate.entries(state).collect::<Result<Vec<HistoryEntry>, Error>>()?;
        Ok(filled(&|out| section(&entries, lang, out)))
    });
    let kept = kept.iter().map(move |kept| Ok(filled(&|out| kept_section(kept, lang, out))));
    Ok(std::iter::once(Ok(title)).chain(gates).chain(kept))
}

/// What is kept without its gate: nothing of it was decided.
fn kept_section(kept: &KeptDraft, lang: Lang, out: &mut String) {
    let title = say("Kept draft, not submitted: {0}", "留存的草稿，未提交：{0}");
    out.push_str(&format!("\n## {}\n", title.fill(lang, &[&inline(&kept.title())])));
    let mut asked = None;
    for said in &kept.said {
        if asked.replace(&said.id) != Some(&said.id) {
            let question = kept.asked(said);
            let header = question.map_or(&said.id, |question| &question.header).display();
            out.push_str(&format!("\n### {}\n", inline(&header)));
            out.extend(question.map(|question| format!("\n{}\n", inline(&question.question.display()))));
        }
        let label = said.as_what.label().text(lang);
        out.push_str(&say("\n{0}:\n\n", "\n{0}：\n\n").fill(lang, &[label]));
        match &said.values[..] {
            [words] => quote(&words.display(), out),
            several => out.extend(several.iter().map(|words| format!("- {}\n", inline(&words.display())))),
        }
    }
}

/// One gate, its newest entry first.
fn section(entries: &[HistoryEntry], lang: Lang, out: &mut String) {
    let Some(newest) = entries.first() else { return };
    let title = newest.topic.as_ref().or(newest.step.as_ref()).unwrap_or(&newest.answer_path);
    out.push_str(&format!("\n## {}\n\n", inline(&title.display())));
    let mut fact = |sentence: Sentence, value: &str| {
        out.push_str(&sentence.fill(lang, &[value]));
        out.push('\n');
    };
    if let Some(step) = &newest.step {
        fact(say("- Step: {0}", "- 步骤：{0}"), &code(&step.display()));
    }
    fact(say("- Record: {0}", "- 记录：{0}"), &code(&newest.answer_path.display()));
    let is_told = !newest.reason.is_removal();
    if newest.reason == Reason::SentBack {
        fact(say("- Sent back: {0}", "- 退回：{0}"), &signature(newest, lang));
        refusal(newest, lang, out);
    } else if is_told {
        fact(say("- Answered: {0}", "- 作答：{0}"), &signature(newest, lang));
        answers(newest, lang, out);
    } else {
        fact(say("- Taken back: {0}", "- 已收回：{0}"), &newest.utc_time());
    }
    let earlier = &entries[usize::from(is_told)..];
    if earlier.is_empty() {
        return;
    }
    out.push_str(&format!("\n### {}\n\n", say("Earlier", "此前").text(lang)));
    for entry in earlier {
        let why = Why::of_entry(entry);
        // What is said beside a verdict is the reason.
        let is_whole = why.as_ref().is_some_and(|why| why.choice.is_some());
        let (given, notes) = if is_whole { Default::default() } else { entry.said() };
        let said = |(id, value): &(JsString, Value)| {
            format!("{} = {}", code(&id.display()), inline(&value.shown(lang)))
        };
        let mut answers: Vec<String> = given.iter().map(said).collect();
        let words = why.iter().flat_map(|why| why.choice.iter().chain([&why.reason]));
        answers.extend(words.filter(|words| !words.is_blank()).map(|words| inline(&words.display())));
        if answers.is_empty() && why.is_none() {
            answers.push(say("no answers that can be read", "没有可读的回答").text(lang).to_owned());
        }
        answers.extend(notes.iter().map(|(id, note)| {
            let says = say("note on {0}: {1}", "{0} 的备注：{1}");
            says.fill(lang, &[&code(&id.display()), &inline(&note.display())])
        }));
        let word = entry.reason.text(None, lang);
        let parts = [signature(entry, lang), word, answers.join("; ")];
        let sentence = if answers.is_empty() {
            say("- {0} ({1})", "- {0}（{1}）")
        } else {
            say("- {0} ({1}): {2}", "- {0}（{1}）：{2}")
        };
        out.push_str(&sentence.fill(lang, &[&parts[0], &parts[1], &parts[2]]));
        out.push('\n');
    }
}

fn signature(entry: &HistoryEntry, lang: Lang) -> String {
    let by = entry.answered_by.as_ref().map(|by| inline(&by.display()));
    let at = entry.answered_at.as_ref().map_or_else(|| entry.utc_time(), |at| inline(&at.display()));
    let valid = if entry.valid || entry.reason == Reason::SentBack {
        ""
    } else {
        say(" (invalid)", "（无效）").text(lang)
    };
    match by {
        Some(by) => format!("{by}, {at}{valid}"),
        None => format!("{at}{valid}"),
    }
}

/// Why there is no answer.
fn refusal(entry: &HistoryEntry, lang: Lang, out: &mut String) {
    let Some(why) = Why::of_entry(entry) else { return };
    let mut fact = |sentence: Sentence, value: &str| {
        out.push_str(&sentence.fill(lang, &[value]));
        out.push('\n');
    };
    if let Some(choice) = &why.choice {
        fact(say("- Chosen: {0}", "- 选择：{0}"), &inline(&choice.display()));
    }
    if let Some(id) = &why.does_not_apply {
        fact(say("- Does not apply: {0}", "- 不适用：{0}"), &code(id));
    }
    if !why.reason.is_blank() {
        out.push('\n');
        quote(&why.reason.display(), out);
    }
}

/// Every question that was asked, with its answer and the note on it; then answers to what was not asked, and notes on it.
fn answers(entry: &HistoryEntry, lang: Lang, out: &mut String) {
    let (spec, (given, notes)) = (entry.asked(), entry.said());
    let questions = spec.map(|spec| spec.questions).unwrap_or_default();
    for question in &questions {
        out.push_str(&format!(
            "\n### {}\n\n{}\n\n",
            inline(&question.header.display()),
            inline(&question.question.display())
        ));
        match given.iter().find(|(name, _)| *name == *question.id) {
            Some((_, value)) => answer(question, value, lang, out),
            None => out.push_str(say("*Left blank.*\n", "*未作答。*\n").text(lang)),
        }
        if let Some((_, note)) = notes.iter().find(|(name, _)| *name == *question.id) {
            write_note(note, lang, out);
        }
    }
    let asked = |id: &JsString| questions.iter().any(|question| *id == question.id.as_str());
    for (id, value) in given.iter().filter(|(id, _)| !asked(id)) {
        out.push_str(&format!("\n### {}\n\n", code(&id.display())));
        quote(&value.shown(lang), out);
    }
    for (id, note) in notes.iter().filter(|(id, _)| !asked(id)) {
        out.push_str(&format!("\n### {}\n", code(&id.display())));
        write_note(note, lang, out);
    }
}

fn write_note(note: &JsString, lang: Lang, out: &mut String) {
    out.push_str(say("\nNote:\n\n", "\n备注：\n\n").text(lang));
    quote(&note.display(), out);
}

fn answer(question: &Question, value: &Value, lang: Lang, out: &mut String) {
    if question.options.is_empty() {
        return quote(&value.shown(lang), out);
    }
    for text in value.strings() {
        let label = inline(&text.display());
        match question.option(text) {
            Some(place) => {
                let description = inline(&question.options[place].description.display());
                out.push_str(&format!("- **{label}**: {description}\n"));
            }
            None => out.push_str(&format!("- {label}\n")),
        }
    }
    if let Value::Other(json) = value {
        out.push_str(&format!("- {}\n", code(json)));
    }
}

/// The author's words as they are, line by line; Markdown of theirs stays inside the quotation, and nothing in it is
/// HTML or steers a terminal.
fn quote(words: &str, out: &mut String) {
    let words = words.replace("\r\n", "\n").replace('\r', "\n");
    for line in words.lines() {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(&without_tags(&Safe::line(line)));
        out.push('\n');
    }
}

/// The same with every `<` that could begin HTML written as a character of the text.
fn without_tags(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let begins = after.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        out.push_str(if begins { "&lt;" } else { "<" });
        rest = after;
    }
    out + rest
}

/// Words on one line in which nothing is Markdown.
fn inline(words: &str) -> String {
    let words: String = words.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = Safe::line(words.trim()).into_string();
    let mut out = String::with_capacity(words.len());
    // What begins a list, a heading's line or a rule where it stands first.
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let begins = match words[digits..].chars().next() {
        Some('-' | '+' | '=') if digits == 0 => Some(0),
        Some('.' | ')') if digits > 0 => Some(digits),
        _ => None,
    };
    for (at, c) in words.char_indices() {
        if begins == Some(at)
            || matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Words between as many back quotes as they need.
fn code(words: &str) -> String {
    let longest = words.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = Safe::line(&words);
    let edge = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{fence}{edge}{words}{edge}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_markdown() {
        assert_eq!(inline(" # *a*_b_ <x>\n[y] "), "\\# \\*a\\*\\_b\\_ \\<x\\> \\[y\\]");
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b`"), "``` a``b` ```");
        let mut out = String::new();
        quote("\u{3000}# 一\n\n*二*", &mut out);
        assert_eq!(out, "> \u{3000}# 一\n>\n> *二*\n");
    }

    #[test]
    fn hostile_words_stay_where_they_stand() {
        for (words, first) in
            [("- x", "\\- x"), ("+ x", "\\+ x"), ("===", "\\==="), ("1. x", "1\\. x"), ("20) x", "20\\) x")]
        {
            assert_eq!(inline(words), first);
        }
        assert_eq!(
            (inline("1 x"), inline("1.5"), inline("一-")),
            ("1 x".into(), "1\\.5".into(), "一-".into())
        );
        assert_eq!(inline("\u{1b}[31m\u{202e}x"), "\\[31m‹U+202E›x");
        assert_eq!(code("a\u{202e}\nb"), "`a‹U+202E› b`");
        let mut out = String::new();
        quote("a\r# no heading\r\n1 < 2 <script></b>\u{1b}[31m\u{85}\u{202e}", &mut out);
        assert_eq!(out, "> a\n> # no heading\n> 1 < 2 &lt;script>&lt;/b>␛[31m‹U+0085›‹U+202E›\n");
    }
}
