//! Reads `config.toml`, collecting every problem: each entry is read by itself, so that one mistake costs one entry.

use super::{Config, ConfigProblem, KeySetting, Place};
use crate::text::{Message, Sentence, say};
use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const SYNTAX: Sentence = say("this is not TOML ({0})", "这里不是合法的 TOML（{0}）");
const UNKNOWN: Sentence =
    say("`{0}` is not a setting; the settings are {1}", "`{0}` 不是设置项；可用的设置有 {1}");
const NOT_EXPECTED: Sentence = say("`{0}` is {1}, but {2} is expected", "`{0}` 的值是 {1}，这里应当是{3}");

const SETTINGS: &str =
    "lang, theme, signs, mouse, ambiguous_width, history_entries, history_days, notify, keys";
const NOTIFY: &str = "notify.bell, notify.desktop, notify.command";

const LANG: Sentence = say("\"en\", \"zh-CN\" or \"auto\"", " \"en\"、\"zh-CN\" 或 \"auto\"");
const TEXT: Sentence = say("a name between quotes", "引号中的名称");
const SWITCH: Sentence = say("true or false", " true 或 false");
const CELLS: Sentence = say("1 or 2", " 1 或 2");
const SIGNS: Sentence = say("\"unicode\" or \"ascii\"", " \"unicode\" 或 \"ascii\"");
const COUNT: Sentence = say("a whole number", "非负整数");
const DESKTOP: Sentence = say("\"osc9\" or \"osc777\"", " \"osc9\" 或 \"osc777\"");
const COMMAND: Sentence = say(
    "a list of a program and its arguments, such as [\"notify-send\", \"{title}\"],",
    "程序名和参数的列表，例如 [\"notify-send\", \"{title}\"]",
);
const KEYS: Sentence = say("a list of keys, such as [\"F8\", \"x\"],", "按键的列表，例如 [\"F8\", \"x\"]");
const TABLE: Sentence = say("a table", "一个表");

type Value<'t> = Spanned<DeValue<'t>>;

pub(super) fn parse(file: &str, text: &str) -> (Config, Vec<ConfigProblem>) {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { file, text, config: Config::default(), problems: Vec::new() };
    for error in &errors {
        reader.problem(error.span().map_or(0, |span| span.start), "", SYNTAX, &[error.message()]);
    }
    for (key, value) in root.get_ref() {
        reader.setting(key, value);
    }
    let Reader { mut config, mut problems, .. } = reader;
    // A line that is not TOML is named once, not for its value too.
    let line = |problem: &ConfigProblem| problem.place.as_ref().map(|place| place.line);
    let broken: Vec<_> = problems.iter().filter(|problem| problem.key.is_empty()).map(line).collect();
    problems.retain(|problem| problem.key.is_empty() || !broken.contains(&line(problem)));
    problems.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.line, place.column)));
    if problems.iter().any(|problem| problem.key.is_empty() || problem.key.starts_with("history_")) {
        config = config.keeping_history();
    }
    (config, problems)
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    config: Config,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, at: usize, key: &str, sentence: Sentence, parts: &[&str]) {
        let place = Some(self.place(at));
        self.problems.push(ConfigProblem { place, key: key.to_owned(), what: Message::new(sentence, parts) });
    }

    fn place(&self, at: usize) -> Place {
        Place::new(self.file, self.text, at)
    }

    fn setting(&mut self, key: &Spanned<impl AsRef<str>>, value: &Value<'_>) {
        let name = key.get_ref().as_ref();
        match name {
            "lang" => self.config.lang = self.read(name, value, LANG),
            "theme" => {
                self.config.theme = self.read(name, value, TEXT);
                self.config.theme_place = Some(self.place(value.span().start));
            }
            "signs" => self.config.signs = self.read(name, value, SIGNS),
            "mouse" => self.config.mouse = self.read(name, value, SWITCH),
            "ambiguous_width" => self.config.ambiguous_width = self.read(name, value, CELLS),
            "history_entries" => self.config.history_entries = self.read(name, value, COUNT),
            "history_days" => self.config.history_days = self.read(name, value, COUNT),
            "notify" => {
                for (key, value) in self.table(name, value) {
                    self.notify(&key, &value);
                }
            }
            "keys" => self.keys("", value),
            _ => self.problem(key.span().start, name, UNKNOWN, &[name, SETTINGS]),
        }
    }

    fn notify(&mut self, key: &Spanned<String>, value: &Value<'_>) {
        let name = format!("notify.{}", key.get_ref());
        match key.get_ref().as_str() {
            "bell" => self.config.notify.bell = self.read(&name, value, SWITCH).unwrap_or_default(),
            "desktop" => self.config.notify.desktop = self.read(&name, value, DESKTOP),
            "command" => self.config.notify.command = self.read(&name, value, COMMAND).unwrap_or_default(),
            _ => self.problem(key.span().start, &name, UNKNOWN, &[&name, NOTIFY]),
        }
    }

    /// `"inbox.redo" = [..]`, and the same with a table for each screen.
    fn keys(&mut self, screen: &str, value: &Value<'_>) {
        let whole = if screen.is_empty() { "keys".to_owned() } else { format!("keys.{screen}") };
        for (key, value) in self.table(&whole, value) {
            let name =
                if screen.is_empty() { key.get_ref().clone() } else { format!("{screen}.{}", key.get_ref()) };
            if value.get_ref().is_table() && screen.is_empty() {
                self.keys(&name, &value);
                continue;
            }
            let place = self.place(key.span().start);
            if let Some(keys) = self.read(&format!("keys.{name}"), &value, KEYS) {
                self.config.keys.push(KeySetting { name, keys, place });
            }
        }
    }

    /// The entries of a table; none, and a problem, if it is none.
    fn table<'v>(&mut self, key: &str, value: &Value<'v>) -> Vec<(Spanned<String>, Value<'v>)> {
        let Some(table) = value.get_ref().as_table() else {
            self.unexpected(key, value, TABLE);
            return Vec::new();
        };
        let entry = |(key, value): (&Spanned<_>, &Value<'v>)| (owned(key), value.clone());
        table.iter().map(entry).collect()
    }

    fn read<'v, T: Deserialize<'v>>(
        &mut self,
        key: &str,
        value: &Value<'v>,
        expected: Sentence,
    ) -> Option<T> {
        let read: Result<T, toml::de::Error> = T::deserialize(value.clone().into_deserializer());
        if read.is_err() {
            self.unexpected(key, value, expected);
        }
        read.ok()
    }

    fn unexpected(&mut self, key: &str, value: &Value<'_>, expected: Sentence) {
        let written = self.text.get(value.span()).unwrap_or("?").lines().next().unwrap_or("?");
        self.problem(value.span().start, key, NOT_EXPECTED, &[key, written, expected.en, expected.zh]);
    }
}

fn owned(key: &Spanned<impl AsRef<str>>) -> Spanned<String> {
    Spanned::new(key.span(), key.get_ref().as_ref().to_owned())
}
