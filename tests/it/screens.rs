//! Golden screens: the sample project on the console, as text and as styles, in both languages and in four sizes.
//!
//! `UPDATE_SCREENS=1 cargo test screens` writes them anew; look at them before you commit.

mod golden;
mod pictures;
mod sizes;
mod stage;
mod states;

use golden::draw;
pub(crate) use golden::{compare, layers};
use novel_gate::console::action::{Action, Target};
use novel_gate::console::input::key::KeyPress;
use novel_gate::console::input::keymap::{BINDINGS, Binding, Keymap};
use novel_gate::console::input::settings;
use novel_gate::console::model::{Notice, Size, Tone};
use novel_gate::console::sentences as s;
use novel_gate::console::stack::Stack;
use novel_gate::error::Message;
use novel_gate::store::config::{KeySetting, Position};
use novel_gate::text::Lang;
use stage::Stage;
use states::{State, states};
use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The sizes that every state is drawn in.
const BLOCKS: [(u16, u16, Lang); 6] = [
    (80, 24, Lang::En),
    (120, 40, Lang::ZhCn),
    (40, 12, Lang::ZhCn),
    (40, 12, Lang::En),
    (80, 24, Lang::ZhCn),
    (200, 60, Lang::ZhCn),
];

/// What is found when all states are looked at, each by itself, by as many threads as there are cores.
fn find<T: Send>(states: &[State], look: impl Fn(&mut Vec<T>, State) + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let look_at_some = || {
        let mut found = Vec::new();
        while let Some(state) = states.get(next.fetch_add(1, Ordering::Relaxed)) {
            look(&mut found, *state);
        }
        found
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(look_at_some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Draws each state in these sizes and compares it with the screen `PREFIX-NAME`; no footer offers a key that does nothing.
fn compare_all(prefix: &str, states: &[State], sizes: &[(u16, u16, Lang)]) {
    let faults = find(states, |faults, (name, enter)| {
        let mut text = String::new();
        for &(width, height, lang) in sizes {
            let mut stage = Stage::new(Size { width, height }, lang);
            enter(&mut stage);
            let dead = dead_keys(&stage.stack).into_iter();
            faults.extend(dead.map(|key| format!("{name} {width}x{height}: {key} does nothing")));
            text += &format!("=== {width}x{height} {}\n{}", lang.tag(), layers(&stage.stack));
        }
        if !compare(&format!("tests/screens/{prefix}{name}.txt"), &text) {
            faults.push(format!("{name} is not as agreed"));
        }
    });
    assert!(faults.is_empty(), "{faults:#?}\nsee target/screens, or UPDATE_SCREENS=1");
}

#[test]
fn every_screen_looks_as_agreed() {
    compare_all("", &states(), &BLOCKS);
}

/// A second column, and lines that are not too long to read.
#[test]
fn wide_screens_look_as_agreed() {
    const NAMES: [&str; 20] = [
        "inbox",
        "inbox-malformed",
        "inbox-draft",
        "inbox-late",
        "filter-sound",
        "filter-own",
        "filter-ticks",
        "receipt",
        "notice",
        "single",
        "many",
        "long-page-2",
        "other-open",
        "text",
        "review-five",
        "help",
        "note",
        "inbox-later",
        "later-prompt",
        "story-beside",
    ];
    let wide: Vec<State> = states().into_iter().filter(|state| NAMES.contains(&state.0)).collect();
    compare_all("wide-", &wide, &[(160, 50, Lang::En)]);
}

#[test]
fn a_long_sentence_is_whole_or_says_where_it_is_whole() {
    let long = || Message::verbatim(format!("{}the very end", "words and ".repeat(35)));
    let mut stage = Stage::new(Size { width: 80, height: 24 }, Lang::En);
    stage.open("chapter-013-draft").stack.model.say(Tone::Bad, long());
    assert!(layers(&stage.stack).contains("the very end"), "{}", layers(&stage.stack));
    stage.stack.model.notice = None;
    let refusal = long();
    stage.change(move |form| form.gate.refusal = Some(refusal));
    let text = layers(&stage.stack);
    assert!(text.contains("… F4") && !text.contains("the very end"), "{text}");
    stage.act(Action::Expand);
    assert!(layers(&stage.stack).contains("the very end"), "{}", layers(&stage.stack));
    stage.act(Action::Back).act(Action::Review).act(Action::Expand);
    assert!(layers(&stage.stack).contains("the very end"), "{}", layers(&stage.stack));
}

/// Every action on a key of its own that is bound to nothing otherwise.
fn rebound() -> Keymap {
    let place = Position { file: String::new(), line: 1, column: 1 };
    let rows = BINDINGS.iter().filter(|binding| binding.key_text() != "1-9");
    let setting = |(binding, sign): (&Binding, char)| KeySetting {
        name: binding.name(),
        keys: vec![format!("Alt+{sign}")],
        place: place.clone(),
    };
    let settings: Vec<KeySetting> = rows.zip('\u{a000}'..).map(setting).collect();
    let (keymap, problems) = settings::apply(&settings);
    assert!(problems.is_empty(), "{problems:?}");
    keymap
}

#[test]
fn sentences_name_the_authors_own_keys() {
    const SIZES: [(u16, u16, Lang); 3] = [(80, 24, Lang::En), (40, 12, Lang::ZhCn), (200, 60, Lang::ZhCn)];
    let keymap = Arc::new(rebound());
    let named = |key: &&str| key.len() > 1 && key.starts_with(|c: char| c.is_ascii_uppercase());
    let built_in: BTreeSet<&str> =
        BINDINGS.iter().flat_map(|binding| &binding.keys).map(String::as_str).filter(named).collect();
    let found = find(&states(), |found, (name, enter)| {
        for (width, height, lang) in SIZES {
            let mut stage = Stage::new(Size { width, height }, lang);
            enter(&mut stage);
            stage.stack.model.keymap = keymap.clone();
            let text = layers(&stage.stack);
            let text = text.split("\n---\n").next().unwrap_or_default();
            let words: Vec<&str> =
                text.split(|c: char| !c.is_ascii_graphic() || "[](),.;:".contains(c)).collect();
            found.extend(built_in.iter().filter(|key| words.contains(key)).map(|key| (name, width, *key)));
            let gap =
                text.split('{').skip(1).any(|behind| behind.starts_with(|c: char| c.is_ascii_lowercase()));
            found.extend(gap.then_some((name, width, "a gap")));
        }
    });
    assert!(found.is_empty(), "{found:?}");
}

/// The keys of the footer that do nothing there and then.
fn dead_keys(stack: &Stack) -> Vec<String> {
    let (buffer, _) = draw(stack);
    let last = buffer.area.height - 1;
    let row: String = (0..buffer.area.width).map(|x| buffer[(x, last)].symbol()).collect();
    let shown =
        row.split_whitespace().filter(|word| BINDINGS.iter().any(|binding| binding.key_text() == *word));
    let mut stack = stack.clone();
    stack.model.notice = None;
    // The press that opened the screen is over.
    stack.model.now += std::time::Duration::from_secs(1);
    let before = layers(&stack);
    let mut dead: Vec<String> = unclickable(&stack);
    dead.extend(shown.filter(|key| !does_something(&stack, key, &before)).map(str::to_owned));
    dead
}

/// The keys of the footer on which a click does something else than they do.
fn unclickable(stack: &Stack) -> Vec<String> {
    let (buffer, drawn) = draw(stack);
    let (last, model) = (buffer.area.height - 1, &stack.model);
    let symbol = |x: u16| if x < buffer.area.width { buffer[(x, last)].symbol() } else { " " };
    let starts = (0..buffer.area.width).filter(|x| symbol(*x) != " " && (*x == 0 || symbol(x - 1) == " "));
    let missed = starts.filter_map(|x| {
        let word: String = (x..).map(symbol).take_while(|symbol| *symbol != " ").collect();
        let action = model.keymap.resolve(model.here, KeyPress::parse(&word)?)?;
        let is_hint = stack.hints().iter().any(|(binding, _)| binding.key_text() == word);
        let hit = drawn.hits.iter().rev().find(|(area, _)| area.contains((x, last).into()));
        let does = hit.and_then(|(_, target)| match target {
            Target::Key(place) => model.keymap.action_at(model.here, *place),
            _ => None,
        });
        (is_hint && does != Some(&action)).then(|| format!("a click on {word}"))
    });
    missed.collect()
}

/// Whether a key changes the stack, which looks like `before`, or has a good reason not to.
fn does_something(stack: &Stack, key: &str, before: &str) -> bool {
    const EXCUSES: [novel_gate::text::Sentence; 6] = [
        s::NOTHING_TO_EDIT,
        s::NOTHING_TO_UNDO,
        s::NOTHING_TO_REDO,
        s::NOTHING_CHANGED,
        s::NO_OTHER_ANSWER,
        s::CANNOT_PUT_BACK,
    ];
    let press = KeyPress::parse(if key == "1-9" { "1" } else { key }).expect("a key");
    let Some(action) = stack.model.keymap.resolve(stack.model.here, press) else { return false };
    let mut after = stack.clone();
    let effects = after.act(action);
    let excuse = |notice: &Notice| EXCUSES.iter().any(|excuse| notice.message == (*excuse).into());
    !after.model.notice.as_ref().is_some_and(excuse) && (!effects.is_empty() || layers(&after) != before)
}

/// What is drawn in the first row of everything that can be clicked.
fn targets(stage: &Stage) -> Vec<(Target, String)> {
    let (buffer, drawn) = draw(&stage.stack);
    let words = |area: ratatui::layout::Rect| {
        let symbols = (area.x..area.right()).map(|x| buffer[(x, area.y)].symbol());
        symbols.collect::<String>().replace("  ", " ")
    };
    let hits = drawn.hits.into_iter().filter(|(area, _)| area.y < buffer.area.height - 1);
    hits.map(|(area, target)| (target, words(area))).collect()
}

#[test]
fn what_looks_clickable_is() {
    let mut stage = Stage::new(Size { width: 80, height: 24 }, Lang::En);
    let has = |stage: &Stage, target: Target, words: &str| {
        let found = targets(stage).into_iter().find(|(at, _)| *at == target);
        assert!(found.as_ref().is_some_and(|(_, shown)| shown.contains(words)), "{target:?}: {found:?}");
    };
    has(&stage, Target::Row(1), "chapter:013:draft");
    stage.open("chapter-014-draft");
    has(&stage, Target::Row(1), "医 院 走 廊");
    has(&stage, Target::Question(2), "3 ! 周 砚");
    has(&stage, Target::Review, "review");
    stage.act(Action::Review);
    has(&stage, Target::Row(0), "required: no answer yet");
    has(&stage, Target::Submit, "[ Submit Ctrl+S ]");
    stage.act(Action::Help);
    assert_eq!(targets(&stage), []);
}
