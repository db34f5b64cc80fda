//! The agents that a call starts, as far as it tells.
//!
//! Names are compared as loosely as the clients take them: by their letters and digits, and by the part behind the last colon,
//! in front of which a plugin's name stands.
//!
//! A workflow's script is a program: what it does in the end cannot be told from its text. Its texts between quotes are taken for
//! names of agents, and, where it computes an `agentType`, its words too. Code that hides a name deliberately is not found.
//!
//! Workflows, and skills that start an agent of their own, lie in files of Claude Code's and are called by a name. Those of
//! plugins lie elsewhere and are not known.

use super::call::{Call, SEARCHED, searched};
use crate::adapter::profile::Executor;
use crate::ask::JsString;
use crate::ask::json::Item;
use crate::command::Session;
use crate::platform::paths::Shown as _;
use crate::store::entry::Entry;
use crate::store::file::read_beginning;
use crate::store::shelf::Shelf;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

/// No agent's name is longer, in bytes.
const LONGEST: usize = 200;
/// So much of a file is read, in bytes: where it has more than is searched, that is seen.
const READ: usize = SEARCHED + 1;
const KEY: &str = "agentType";
/// Around a text, in scripts and in what a file begins with.
const QUOTES: [char; 3] = ['\'', '"', '`'];

/// The agents that a call starts.
#[derive(Default)]
pub(super) struct Agents {
    /// What they are called, or may be, each in its [`forms`].
    pub(super) names: HashSet<String>,
    /// Whether there may be others.
    pub(super) is_open: bool,
    /// Whether what the call starts may lie in a file that was not read.
    pub(super) is_unread: bool,
    /// Whether more words in the call would reach them.
    pub(super) takes_more: bool,
}

impl Agents {
    /// Whether one of them is the agent of a packet.
    pub(super) fn include(&self, entry: &Entry) -> bool {
        let own = entry.agent.as_ref();
        own.is_some_and(|own| forms(&own.lossy()).any(|form| self.names.contains(&form)))
    }
}

/// What an agent's name is compared by: its letters and digits in lower case, whatever their width, with and without a plugin's
/// name. What has none is compared as it is.
pub(super) fn forms(name: &str) -> impl Iterator<Item = String> {
    let fold = |name: &str| -> String {
        let folded = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase);
        let folded: String = folded.flat_map(char::to_lowercase).collect();
        if folded.is_empty() { name.trim().to_owned() } else { folded }
    };
    let name: String = name.nfkc().collect();
    let last = name.rsplit(':').next().unwrap_or_default();
    [fold(&name), fold(last)].into_iter().filter(|form| !form.is_empty())
}

/// The one agent of a call; without a name it is what the executor takes then.
pub(super) fn of_name(executor: Executor, name: Option<&JsString>) -> Agents {
    let default = if executor == Executor::Codex { "default" } else { "general-purpose" };
    let name = name.map_or(default.into(), JsString::lossy);
    Agents { names: forms(&name).collect(), takes_more: true, ..Agents::default() }
}

/// The agents that a workflow may start. A script that the call names, by its file or by itself, is added to the prompt, for it
/// holds those of the agents.
pub(super) fn of_workflow(session: &Session<'_>, call: &Call<'_>, prompt: &mut String) -> Agents {
    let text = |key: &str| call.input.text(key).map(|text| text.lossy().into_owned());
    let at_path = text("scriptPath").and_then(|path| read_beginning(&call.cwd.join(path), READ).ok());
    let mut scripts: Vec<String> = text("script").into_iter().collect();
    let mut file = |script: String| {
        // More than is searched is not searched anyway.
        if prompt.len() <= SEARCHED {
            *prompt += &format!("{script}\n");
            // Which of them counts, the client decides.
            scripts.push(script);
        }
    };
    if let Some(script) = at_path {
        file(String::from_utf8_lossy(&script).into_owned());
    }
    let mut shelf = Shelf::default();
    if let Some(name) = text("name") {
        shelf = shelf_of(session, call, &[("workflows", 0, "js")]);
        for at in std::mem::take(&mut shelf.files) {
            match shelf.read(&at, READ) {
                Some(script) if script.split(QUOTES).any(|part| part == name) => file(script),
                None if at.names.iter().any(|own| *own == *name) => shelf.is_cut = true,
                Some(_) | None => {}
            }
        }
    }
    let script = (!scripts.is_empty()).then(|| scripts.join("\n"));
    let arguments = call.input.given("args").map(Item::source).unwrap_or_default();
    Agents { is_unread: shelf.is_cut, ..named(script.as_deref(), arguments) }
}

/// The agents that a skill, or a command, starts for itself; none if it starts none or its file is not found. What it tells
/// them is added to the prompt.
pub(super) fn of_skill(
    session: &Session<'_>,
    call: &Call<'_>,
    name: &JsString,
    prompt: &mut String,
) -> Option<Agents> {
    let name: Vec<String> = forms(&name.lossy()).collect();
    let arguments = call.input.text("args").unwrap_or_default();
    let arguments = arguments.lossy();
    let mut found = None;
    let mut shelf = shelf_of(session, call, &[("skills", 1, "md"), ("commands", 4, "md")]);
    for file in std::mem::take(&mut shelf.files) {
        let text = shelf.read(&file, READ);
        let text = text.as_deref();
        let by_place = file.names.iter().map(|own| own.shown());
        let by_itself = text.and_then(|text| front(text, "name")).map(Cow::Borrowed);
        let mut called = by_place.chain(by_itself).flat_map(|own| forms(&own).collect::<Vec<_>>());
        if !called.any(|form| name.contains(&form)) {
            continue;
        }
        let Some(text) = text else {
            shelf.is_cut = true;
            continue;
        };
        let forks = |context: &str| forms(context).any(|form| form == "fork");
        if front(text, "context").is_some_and(forks) {
            let agent = front(text, "agent").map(JsString::from);
            let agents: &mut Agents =
                found.get_or_insert_with(|| Agents { takes_more: true, ..Agents::default() });
            agents.takes_more &= takes_all(text);
            agents.names.extend(of_name(call.executor, agent.as_ref()).names);
            // More than is searched is not searched anyway.
            if prompt.len() <= SEARCHED {
                prompt.push_str(&filled_in(text, &arguments));
            }
        }
    }
    if shelf.is_cut {
        found.get_or_insert_default().is_unread = true;
    }
    found
}

/// The text of a skill with the arguments that it names: all of them (`$ARGUMENTS`), or one (`$ARGUMENTS[0]`, `$0`). No more than
/// is searched.
fn filled_in(text: &str, arguments: &str) -> String {
    const ALL: &str = "ARGUMENTS";
    let words =
        shlex::split(arguments).unwrap_or_else(|| arguments.split_whitespace().map(str::to_owned).collect());
    let word = |number: &str| words.get(number.parse::<usize>().ok()?).map(String::as_str);
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('$').filter(|_| filled.len() < SEARCHED) {
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let one = || Some((word(&behind[..digits])?, digits));
        let indexed = || {
            let (number, _) = behind.strip_prefix(ALL)?.strip_prefix('[')?.split_once(']')?;
            Some((word(number)?, ALL.len() + number.len() + 2))
        };
        let all = || behind.starts_with(ALL).then_some((arguments, ALL.len()));
        let (value, used) = one().or_else(indexed).or_else(all).unwrap_or(("$", 0));
        filled += before;
        filled += value;
        rest = &behind[used..];
    }
    filled + rest
}

/// Whether all arguments of a skill get into its text, and not only those that it counts out.
fn takes_all(text: &str) -> bool {
    let mut places = text.split('$').skip(1);
    let is_all =
        |behind: &str| behind.strip_prefix("ARGUMENTS").is_some_and(|behind| !behind.starts_with('['));
    let is_one =
        |behind: &str| behind.starts_with(|c: char| c.is_ascii_digit()) || behind.starts_with("ARGUMENTS[");
    text.split('$').skip(1).any(is_all) || !places.any(is_one)
}

/// The files in the directories where Claude Code looks: in `.claude` of the call's directory, of the session's and of those above,
/// and of the user. Of each kind, the name of its own directory, how deep they lie below it, and their ending.
fn shelf_of(session: &Session<'_>, call: &Call<'_>, kinds: &[(&str, usize, &str)]) -> Shelf {
    let environment = &session.environment;
    let home = environment.home.as_deref().map(Path::new);
    let places = [Some(&*call.cwd), environment.claude_project_dir.as_deref(), Some(call.project.root())];
    let above = places.into_iter().flatten().flat_map(Path::ancestors);
    // The author's own links may lead anywhere.
    let around: BTreeSet<(&Path, bool)> = above.chain(home).map(|dir| (dir, Some(dir) == home)).collect();
    let around: Vec<(&Path, bool)> = around.into_iter().collect();
    let mut shelf = Shelf::default();
    for (own, depth, ending) in kinds {
        shelf.gather(&around, &format!(".claude/{own}"), *depth, ending);
    }
    shelf
}

/// The plain value of a key in what a file begins with, between lines of `---`; it may stand on the line behind the key's.
fn front<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    lines.next().filter(|line| line.trim_end() == "---")?;
    let mut lines = lines.take_while(|line| line.trim_end() != "---").peekable();
    let value = loop {
        let Some((own, value)) = lines.next()?.split_once(':') else { continue };
        if own.trim_end().trim_matches(QUOTES) == key {
            let is_below = value.trim_start().starts_with(['>', '|']) || value.trim().is_empty();
            let below = lines.peek().filter(|line| is_below && line.starts_with([' ', '\t']));
            break below.copied().unwrap_or(value);
        }
    };
    let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(QUOTES);
    (!value.is_empty()).then_some(value)
}

/// The agents that a script may start which is given these arguments.
fn named(script: Option<&str>, arguments: &str) -> Agents {
    let (text, arguments) = (searched(script.unwrap_or_default()), searched(arguments));
    let computes = text.match_indices(KEY).any(|(at, _)| !is_literal(&text[at + KEY.len()..]));
    let is_word = |c: char| c.is_alphanumeric() || "_-$".contains(c);
    let words = computes.then(|| text.split(move |c| !is_word(c))).into_iter().flatten();
    let all = text.split(QUOTES).chain(arguments.split(QUOTES)).chain(words);
    let names: HashSet<String> = all.filter(|name| name.len() <= LONGEST).flat_map(forms).collect();
    Agents { names, is_open: computes || script.is_none(), ..Agents::default() }
}

/// Whether what stands behind a key gives it a plain text.
fn is_literal(behind: &str) -> bool {
    let behind = &behind[..behind.floor_char_boundary(2 * LONGEST)];
    let value =
        behind.trim_start_matches(QUOTES).trim_start().strip_prefix(':').unwrap_or_default().trim_start();
    let Some(quote) = value.chars().next().filter(|c| QUOTES.contains(c)) else { return false };
    let (text, rest) = value[1..].split_once(quote).unwrap_or_default();
    !text.contains(['\\', '$']) && rest.trim_start().starts_with([',', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_in_a_script() {
        let (found, none) = (true, false);
        for (script, arguments, is_named, is_open) in [
            ("agent('p', {agentType: 'plot-architect'})", "", found, none),
            ("agent('p', {\"agentType\" : \"novel:plot-architect\" , label: 'x'})", "", found, none),
            ("agent(`p`, {agentType: `Plot Architect`})", "", found, none),
            ("const who = ['plot_architect']; agent('p', {agentType: who[0]})", "", found, found),
            ("agent('p', {agentType: agents.plotArchitect})", "", found, found),
            ("agent('p', {agentType: args.who})", r#"{"who": [{"name": "plot-architect"}]}"#, found, found),
            ("agent('p', {agentType: 'general-purpose'})", "", none, none),
            ("agent('Read what plot-architect has written')", "", none, none),
            ("agent('p', {agentType: 'plot-architects'})", "", none, none),
            ("agent('p', {agentType: who})", "{}", none, found),
            ("agent('p', {agentType: `plot-${kind}`})", "", none, found),
            ("agent('p', {agentType: 'pl\\u006ft-architect'})", "", none, found),
            ("agent('p', {agentType: 'plot-' + 'architect'})", "", none, found),
            ("agent('p', {agentType})", "", none, found),
            ("opts['agentType'] = 'x'", "", none, found),
            ("agentType: '", "", none, found),
            ("agentType", "", none, found),
            ("", "", none, none),
        ] {
            let agents = named(Some(script), arguments);
            assert_eq!(
                (agents.names.contains("plotarchitect"), agents.is_open),
                (is_named, is_open),
                "{script}"
            );
        }
        assert!(named(None, "").is_open);
        let long = "agentType:'".repeat(500_000) + &"'\"".repeat(500_000);
        assert!(named(Some(&long), "").is_open);
    }

    #[test]
    fn a_skill_takes_more_words_unless_it_counts_them_out() {
        for (text, takes) in [
            ("Write.", true),
            ("Write $ARGUMENTS now.", true),
            ("$0: $ARGUMENTS", true),
            ("For 5 $ and $PATH.", true),
            ("$0 and $1", false),
            ("$ARGUMENTS[0]", false),
            ("costs $5", false),
        ] {
            assert_eq!(takes_all(text), takes, "{text}");
        }
    }

    #[test]
    fn a_skill_is_filled_in() {
        for (text, arguments, filled) in [
            ("Do chapter:$ARGUMENTS:draft.", "013", "Do chapter:013:draft."),
            ("$0 $ARGUMENTS[1] $1 $2", "a 'b c'", "a b c b c $2"),
            ("$10 $1", "0 1 2 3 4 5 6 7 8 9 ten", "ten 1"),
            ("$ARGUMENTS", "it's", "it's"),
            ("$0", "it's", "it's"),
            ("$ARGUMENTS, $5", "", ", $5"),
            ("costs $100, $ARGUMENTS[9]", "a b", "costs $100, a b[9]"),
            ("$1$0", "'$1' '$0$0'", "$0$0$1"),
        ] {
            assert_eq!(filled_in(text, arguments), filled, "{text}");
        }
        assert!(filled_in(&"$ARGUMENTS".repeat(100_000), &"a".repeat(1_000)).len() < 3 << 20);
    }

    #[test]
    fn what_a_file_begins_with() {
        for (text, agent) in [
            ("---\nname: a\nagent: plot-architect\n---\nagent: x\n", Some("plot-architect")),
            ("\u{feff}--- \r\nagent:  \"plot-architect\" # ours\r\n---\r\n", Some("plot-architect")),
            ("---\n'agent': novel:plot-architect\n---", Some("novel:plot-architect")),
            ("---\nagents: x\nhooks:\n  agent: y\n---\n", None),
            ("---\nagent:\n---\n", None),
            ("---\nagent:\nname: a\n---\n", None),
            ("---\nagent: >-\n  plot-architect\n---\n", Some("plot-architect")),
            ("---\nagent:\n  \"plot-architect\"\n---\n", Some("plot-architect")),
            ("---\nname: a\n---\nagent: x\n", None),
            ("\n---\nagent: x\n---\n", None),
            ("agent: x", None),
            ("", None),
        ] {
            assert_eq!(front(text, "agent"), agent, "{text:?}");
        }
    }
}
