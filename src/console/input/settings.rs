//! Puts the author's keys into the key table, and finds what is wrong with them. What is wrong leaves the built-in keys.

use crate::ask::nearest;
use crate::console::action::Action;
use crate::console::input::key::{Key, KeyPress};
use crate::console::input::keymap::{BINDINGS, Binding, Context, Keymap};
use crate::store::config::{ConfigProblem, KeySetting};
use crate::text::{Message, Sentence, say};

const UNKNOWN: Sentence = say(
    "`{0}` does not name a screen and an action; `novel-gate keys` lists them",
    "`{0}` 不是“界面.操作”的名称；`novel-gate keys` 会全部列出",
);
const NEAR: Sentence = say(
    "`{0}` does not name a screen and an action; did you mean `{1}`? `novel-gate keys` lists them",
    "`{0}` 不是“界面.操作”的名称，是否指 `{1}`？`novel-gate keys` 会全部列出",
);
const NOT_A_KEY: Sentence = say("`{1}` is no key that `{0}` can have", "`{0}` 不能用按键 `{1}`");
const WRITES: Sentence = say(
    "`{1}` cannot be a key of `{0}`: a text field takes it as text",
    "`{1}` 不能作为 `{0}` 的按键：输入框把它当作文字",
);
const SUBMITS: Sentence =
    say("Only a key with Ctrl or Alt, or an F key, submits", "只有带 Ctrl 或 Alt 的键、或 F 键可用于提交");
const TAKEN: Sentence = say(
    "`{1}` is a key of `{2}`; the built-in keys of `{0}` stay",
    "`{1}` 已是 `{2}` 的按键；`{0}` 仍用内置的按键",
);

/// The key table with the author's keys, and every problem of theirs.
pub fn apply(settings: &[KeySetting]) -> (Keymap, Vec<ConfigProblem>) {
    let mut keymap = Keymap::default();
    let mut problems = Vec::new();
    let mut changed: Vec<(usize, &KeySetting)> = Vec::new();
    let mut refuse = |setting: &KeySetting, what: Message| {
        let key = format!("keys.{}", setting.name);
        problems.push(ConfigProblem { place: Some(setting.place.clone()), key, what });
    };
    for setting in settings {
        match read(setting) {
            Ok((row, keys)) => {
                keymap.bindings[row].keys = keys;
                changed.push((row, setting));
            }
            Err(what) => refuse(setting, what),
        }
    }
    // The later of two settings gives way. Its built-in keys may meet those of another setting, which gives way then.
    while let Some((place, key, other)) = first_conflict(&keymap, &changed) {
        let (row, setting) = changed.remove(place);
        keymap.bindings[row].keys.clone_from(&BINDINGS[row].keys);
        refuse(setting, Message::new(TAKEN, &[&setting.name, &key, &other]));
    }
    problems.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.line, place.column)));
    (keymap, problems)
}

/// The row that a setting means, and its keys in the form that is shown.
fn read(setting: &KeySetting) -> Result<(usize, Vec<String>), Message> {
    let name = setting.name.as_str();
    let row = BINDINGS.iter().position(|binding| binding.name() == name).ok_or_else(|| unknown(name))?;
    if setting.keys.is_empty() {
        return Err(Message::new(say("`{0}` needs at least one key", "`{0}` 至少要有一个按键"), &[name]));
    }
    let keys: Result<Vec<String>, Message> =
        setting.keys.iter().map(|key| read_key(&BINDINGS[row], key)).collect();
    Ok((row, keys?))
}

fn unknown(name: &str) -> Message {
    let names: Vec<String> = BINDINGS.iter().map(Binding::name).collect();
    // Another screen's name of the same action is a better guess than one of nearly the same letters.
    let action = |name: &str| name.rsplit('.').next().map(str::to_owned);
    let same: Vec<&str> =
        names.iter().map(String::as_str).filter(|other| action(other) == action(name)).collect();
    match nearest(&name.into(), names.iter().map(|name| name.as_str().into())) {
        _ if !same.is_empty() => Message::new(NEAR, &[name, &same.join("`, `")]),
        Some(place) => Message::new(NEAR, &[name, &names[place]]),
        None => Message::new(UNKNOWN, &[name]),
    }
}

fn read_key(binding: &Binding, key: &str) -> Result<String, Message> {
    let parts = [binding.name(), key.to_owned()];
    let refused = |sentence| Message::new(sentence, &[&parts[0], &parts[1]]);
    let press = KeyPress::parse(key).ok_or_else(|| refused(NOT_A_KEY))?;
    match (&binding.action, press) {
        // The rows are the digits.
        (Action::Number(_), _) => Err(refused(NOT_A_KEY)),
        (_, press) if binding.context.text(press).is_some() => Err(refused(WRITES)),
        // Another key is taken for it, whichever is pressed.
        (_, press) if !binding.context.is_text() && press.fold() != press => Err(refused(NOT_A_KEY)),
        (Action::Submit, press) if !press.ctrl && !press.alt && !matches!(press.key, Key::F(_)) => {
            Err(refused(SUBMITS))
        }
        // The terminal sends the same for another key.
        (_, press) if !press.arrives() => Err(refused(NOT_A_KEY)),
        (_, press) => Ok(press.to_string()),
    }
}

/// The last setting of which a key is one of another row too, where both hold; the key and that row.
fn first_conflict(keymap: &Keymap, changed: &[(usize, &KeySetting)]) -> Option<(usize, String, String)> {
    let of_row = |(place, (row, _)): (usize, &(usize, &KeySetting))| {
        let binding = &keymap.bindings[*row];
        binding.keys.iter().find_map(|key| {
            let meets = |(at, other): &(usize, &Binding)| {
                let by_design = BINDINGS[*row].keys.contains(key) && BINDINGS[*at].keys.contains(key);
                let both = overlap(binding.context, other.context) && other.keys.contains(key);
                *at != *row && !by_design && both
            };
            let (_, other) = keymap.bindings.iter().enumerate().find(meets)?;
            Some((place, key.clone(), other.name()))
        })
    };
    changed.iter().enumerate().rev().find_map(of_row)
}

fn overlap(a: Context, b: Context) -> bool {
    a.chain().any(|context| context == b) || b.chain().any(|context| context == a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::config::Position;
    use crate::text::Lang;

    fn settings(rows: &[(&str, &[&str])]) -> Vec<KeySetting> {
        let setting = |(line, (name, keys)): (usize, &(&str, &[&str]))| KeySetting {
            name: (*name).to_owned(),
            keys: keys.iter().map(ToString::to_string).collect(),
            place: Position { file: "c".to_owned(), line: line + 1, column: 1 },
        };
        rows.iter().enumerate().map(setting).collect()
    }

    fn does(keymap: &Keymap, context: Context, key: &str) -> Option<Action> {
        keymap.resolve(context, KeyPress::parse(key).expect("a key"))
    }

    fn problems(rows: &[(&str, &[&str])]) -> Vec<String> {
        apply(&settings(rows)).1.iter().map(|problem| problem.text(Lang::En)).collect()
    }

    #[test]
    fn the_authors_keys_take_the_place_of_the_built_in_ones() {
        let (keymap, problems) = apply(&settings(&[("inbox.redo", &["f13", "X"])]));
        assert_eq!(problems, []);
        assert_eq!(does(&keymap, Context::Inbox, "F13"), Some(Action::Redo));
        assert_eq!(does(&keymap, Context::Inbox, "X"), Some(Action::Redo));
        assert_eq!(does(&keymap, Context::Inbox, "F8"), None);
        assert_eq!(does(&keymap, Context::Detail, "F8"), Some(Action::Redo), "another screen keeps its keys");
        let hint = keymap.hints(Context::Inbox).into_iter().find(|binding| binding.action == Action::Redo);
        assert_eq!(hint.map(Binding::keys_text).as_deref(), Some("F13  X"));
    }

    #[test]
    fn two_keys_can_be_swapped() {
        let (keymap, problems) = apply(&settings(&[("list.up", &["j"]), ("list.down", &["k"])]));
        assert_eq!(problems, []);
        assert_eq!(does(&keymap, Context::Inbox, "j"), Some(Action::Up));
        assert_eq!(does(&keymap, Context::Inbox, "k"), Some(Action::Down));
    }

    #[test]
    fn every_problem_is_named_with_its_line_and_leaves_the_built_in_keys() {
        let bad: [(&str, &[&str]); 13] = [
            ("inbox.rdo", &["F13"]),
            ("nothing.like.it", &["F13"]),
            ("inbox.history", &[]),
            ("inbox.expand", &["Hyper+Q"]),
            ("field.editor", &["e"]),
            ("review.submit", &["Enter"]),
            ("choice.number", &["a"]),
            ("global.rescan", &["ａ"]),
            ("inbox.redo", &["Ctrl+H"]),
            ("prompt.accept", &["Ctrl+M"]),
            ("history.accept", &["Ctrl+I"]),
            ("review.submit", &["Tab"]),
            ("form.redo", &["F13"]),
        ];
        let named = problems(&bad);
        for (line, (problem, (name, _))) in named.iter().zip(&bad).enumerate() {
            assert!(problem.starts_with(&format!("c, line {}, column 1: ", line + 1)), "{problem}");
            assert!(problem.contains(name) || problem.contains("submits"), "{problem}");
        }
        assert_eq!(named.len(), bad.len());
        assert!(named[0].contains("did you mean `inbox.redo`?"), "{}", named[0]);
        assert!(
            named[12].contains("did you mean `inbox.redo`, `receipt.redo`, `questions.redo`"),
            "{}",
            named[12]
        );
        let built_in = format!("{:?}", Keymap::default());
        assert_eq!(format!("{:?}", apply(&settings(&bad)).0), built_in);
    }

    #[test]
    fn a_key_has_one_meaning_on_a_screen() {
        assert_eq!(
            problems(&[("inbox.redo", &["F4"]), ("multi.all", &["Tab"]), ("global.quit", &["Esc"])]),
            [
                "c, line 1, column 1: `F4` is a key of `inbox.expand`; the built-in keys of `inbox.redo` stay",
                "c, line 2, column 1: `Tab` is a key of `choice.next`; the built-in keys of `multi.all` stay",
                "c, line 3, column 1: `Esc` is a key of `inbox.back`; the built-in keys of `global.quit` stay",
            ]
        );
        // The second gives way; its built-in key is then taken, so the first gives way too.
        let both = problems(&[("inbox.redo", &["F4"]), ("inbox.expand", &["Tab"])]);
        assert_eq!(both.len(), 2, "{both:?}");
        let (keymap, twice) = apply(&settings(&[("inbox.redo", &["F13"]), ("global.rescan", &["F13"])]));
        assert!(twice.len() == 1 && twice[0].key == "keys.global.rescan", "{twice:?}");
        assert_eq!(does(&keymap, Context::Inbox, "F13"), Some(Action::Redo));
    }

    #[test]
    fn what_the_built_in_table_says_twice_by_design_is_no_conflict() {
        assert_eq!(problems(&[("multi.pick", &["Space", "F13"]), ("global.help", &["F1", "F11"])]), [""; 0]);
    }
}
