//! `man`: the whole program as one manual page.
//!
//! Commands and flags come from the command line itself, laid out by `clap_mangen`; examples and exit codes from their tables.

use super::Session;
use super::output::{Head, Output, TextOutput, form};
use crate::cli::{self, examples};
use crate::error::Error;
use crate::exit::{ExitCode, MEANINGS};
use crate::text::width::grapheme_cells;
use crate::text::{Lang, Sentence, say};
use clap::builder::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

pub(super) const OUTPUT: Output = Output::new(
    "man-output",
    "What man --json prints: the manual page in the language of roff.",
    &[form::<TextOutput>(&["ok"], &[0], &["completions", "man"])],
);

/// What the program is for, a paragraph each; code words stand in backticks.
#[rustfmt::skip]
const DESCRIPTION: &[Sentence] = &[
    say(
        "A novel is written by AI executors that follow instruction packets. Some packets carry a gate: questions for the \
         author (`novel_ask`) and a place for the answers (`answer_path`). The step may not run until a valid answer record \
         lies there. `novel-gate` watches `staging/`, shows every gate that waits, asks its questions and writes one \
         validated record that any executor picks up.",
        "小说由 AI 执行器按指令包一步步写成。有些指令包带着门控：给作者的问题（`novel_ask`）和写答案的位置（`answer_path`）。\
         在那里出现有效的答案记录之前，这一步不得执行。`novel-gate` 盯着 `staging/`，列出每一个等待回答的门控，逐题提问，\
         写下一份校验过的答案记录，任何执行器都能直接使用。",
    ),
    say(
        "Without a command the full-screen console opens. PACKET is a path, a file name without its ending, or a step id such \
         as `chapter:048:draft`. With `--json` a command prints one JSON object with `status`, `exit`, `code` and `message`.",
        "不带命令时打开全屏控制台。PACKET 是路径、不带扩展名的文件名，或步骤 id，例如 `chapter:048:draft`。给出 `--json` \
         时，命令输出一个 JSON 对象，含 `status`、`exit`、`code` 和 `message`。",
    ),
];

#[rustfmt::skip]
const FILES: &[(&str, Sentence)] = &[
    ("staging/**/*.packet.json", say("The packets; read.", "指令包，只读。")),
    ("staging/novel-ask/relay/", say("Questions of an executor while its hook waits; written and removed.", "hook 等待期间执行器的提问，写入后移走。")),
    (".checkpoint.json", say("Marks the novel's directory and says how far it has come; read.", "标明小说所在目录和进度，只读。")),
    ("$XDG_STATE_HOME/novel-gate/", say("Drafts, history and locks, readable by their owner alone. Default: ~/.local/state/novel-gate/.", "草稿、历史和锁，仅本人可读。默认为 ~/.local/state/novel-gate/。")),
    ("$XDG_CONFIG_HOME/novel-gate/config.toml", say("Settings; read. Default: ~/.config/novel-gate/config.toml.", "设置，只读。默认为 ~/.config/novel-gate/config.toml。")),
    ("$XDG_CONFIG_HOME/novel-gate/themes/*.toml", say("Your own themes; read.", "自己的主题，只读。")),
];

#[rustfmt::skip]
const ENVIRONMENT: &[(&str, Sentence)] = &[
    ("LC_ALL, LC_MESSAGES, LANG", say("The language, where `--lang` and the settings say auto: any Chinese locale is Simplified Chinese, any other English.", "界面语言，用于 `--lang` 和设置都为 auto 时：中文区域设置用简体中文，其他用英文。")),
    ("NO_COLOR", say("If it is set and not empty, no colour is used, unless `--color always` is given.", "设置且不为空时不用颜色，除非给出 `--color always`。")),
    ("COLORFGBG", say("The terminal's background, for `--theme auto`.", "终端的背景，用于 `--theme auto`。")),
    ("VISUAL, EDITOR", say("The editor for long texts and records.", "编辑长文本和记录所用的编辑器。")),
    ("XDG_STATE_HOME, XDG_CONFIG_HOME, HOME", say("Where drafts, history and settings lie.", "草稿、历史和设置的所在位置。")),
];

pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let page = page(session.lang);
    let head = Head::ok("man", say("The manual page.", "手册页。").text(session.lang));
    session.output_exactly(head, TextOutput { text: &page }, page.as_bytes())
}

/// The page in the language of roff.
pub fn page(lang: Lang) -> String {
    let mut command = cli::command(lang);
    command.build();
    let mut page = Roff::new();
    let version = format!("novel-gate {}", env!("CARGO_PKG_VERSION"));
    page.control("TH", ["NOVEL-GATE", "1", "", version.as_str(), "novel-gate"]);
    // Without it a line that cannot be broken is stretched by holes between the words.
    page.control("ad", ["l"]);
    page.control("nh", []);
    head(&mut page, &command, lang);
    section(&mut page, say("OPTIONS", "选项"), lang);
    let mut out = page.render() + &options(&command);
    page = Roff::new();
    section(&mut page, say("COMMANDS", "命令"), lang);
    out.push_str(&page.to_roff());
    out.extend(command.get_subcommands().map(|sub| subcommand(sub, lang)));
    page = Roff::new();
    section(&mut page, say("EXIT STATUS", "退出码"), lang);
    for (number, meaning) in MEANINGS {
        entry(&mut page, bold(*number), *meaning, lang);
    }
    section(&mut page, say("FILES", "文件"), lang);
    for (path, words) in FILES {
        entry(&mut page, italic(*path), *words, lang);
    }
    section(&mut page, say("ENVIRONMENT", "环境变量"), lang);
    for (name, words) in ENVIRONMENT {
        entry(&mut page, bold(*name), *words, lang);
    }
    section(&mut page, say("EXAMPLES", "示例"), lang);
    shown_examples(&mut page, "", lang);
    breakable(&(out + &page.to_roff()))
}

fn head(page: &mut Roff, command: &Command, lang: Lang) {
    section(page, say("NAME", "名称"), lang);
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.text([roman(format!("novel-gate - {}", about.trim_end_matches(['.', '。'])))]);
    section(page, say("SYNOPSIS", "用法"), lang);
    page.text([bold("novel-gate"), roman(say(" [OPTIONS] [COMMAND]", " [选项] [命令]").text(lang))]);
    section(page, say("DESCRIPTION", "说明"), lang);
    for paragraph in DESCRIPTION {
        page.control("PP", []);
        page.text(marked(paragraph.text(lang)));
    }
}

fn section(page: &mut Roff, title: Sentence, lang: Lang) {
    page.control("SH", [title.text(lang)]);
}

fn entry(page: &mut Roff, name: Inline, words: Sentence, lang: Lang) {
    page.control("TP", []);
    page.text([name]);
    page.text(marked(words.text(lang)));
}

/// Words between backticks in bold.
fn marked(text: &str) -> Vec<Inline> {
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    parts.map(|(i, part)| if i % 2 == 1 { bold(part) } else { roman(part) }).collect()
}

/// A command: how it is typed, what it does, its own arguments and flags, its examples.
fn subcommand(command: &Command, lang: Lang) -> String {
    let mut own = command.clone().mut_args(|arg| {
        let is_shared = arg.is_global_set() || arg.get_id() == "help";
        if is_shared { arg.hide(true) } else { arg }
    });
    let mut page = Roff::new();
    page.control("SS", [own.get_name()]);
    page.text([bold(own.render_usage().to_string().trim_start_matches("Usage: "))]);
    page.control("PP", []);
    page.text([roman(own.get_about().map(ToString::to_string).unwrap_or_default())]);
    let mut examples = Roff::new();
    examples.control("PP", []);
    examples.text([roman(say("Examples:", "示例：").text(lang))]);
    shown_examples(&mut examples, own.get_name(), lang);
    page.to_roff() + &options(&own) + &examples.to_roff()
}

/// The arguments and flags of a command, without a heading.
fn options(command: &Command) -> String {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = Man::new(command.clone()).render_options_section(&mut page);
    let page = String::from_utf8(page).unwrap_or_default();
    page.split_once(".SH OPTIONS\n").map(|(_, options)| options.to_owned()).unwrap_or_default()
}

fn shown_examples(page: &mut Roff, command: &str, lang: Lang) {
    for example in examples::of(command) {
        page.control("TP", []);
        page.text([bold(example.line)]);
        page.text([roman(example.says.text(lang))]);
    }
}

/// Lets lines be broken between Chinese characters, where there is no space: `\:` is the place for it that takes no room.
fn breakable(page: &str) -> String {
    let wide = |c: char| c > '\u{2E80}' && grapheme_cells(c.encode_utf8(&mut [0; 4])) == 2;
    let starts_no_line = |c: char| "，。；：、？！）》」』】〉”’".contains(c);
    let ends_no_line = |c: char| "（《「『【〈“‘".contains(c);
    let mut out = String::with_capacity(page.len() * 2);
    for line in page.lines() {
        let mut before = None;
        for c in line.chars() {
            let between = before.is_some_and(|before| (wide(before) || wide(c)) && !ends_no_line(before));
            let here = between && !starts_no_line(c) && (c.is_alphanumeric() || ends_no_line(c));
            if here && !line.starts_with('.') && before != Some('\\') {
                out.push_str("\\:");
            }
            out.push(c);
            before = Some(c);
        }
        out.push('\n');
    }
    out
}
