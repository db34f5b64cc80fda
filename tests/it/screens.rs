//! Golden screens: the sample project on the console, as text and as styles, in both languages and in three sizes.
//!
//! `UPDATE_SCREENS=1 cargo test screens` writes them anew; look at them before you commit.

mod golden;
mod sizes;
mod stage;
mod states;

pub(crate) use golden::layers;
use golden::{compare, draw};
use novel_gate::console::action::{Action, Target};
use novel_gate::console::context::context;
use novel_gate::console::key::KeyPress;
use novel_gate::console::keymap::BINDINGS;
use novel_gate::console::model::{Message, Model, Notice, Signs, Size, Tone};
use novel_gate::console::sentences as s;
use novel_gate::console::update;
use novel_gate::text::Lang;
use stage::Stage;
use states::STATES;

const BLOCKS: [(u16, u16, Lang); 4] =
    [(80, 24, Lang::En), (120, 40, Lang::ZhCn), (40, 12, Lang::ZhCn), (40, 12, Lang::En)];

#[test]
fn every_screen_looks_as_agreed() {
    let mut differ = Vec::new();
    let mut dead = Vec::new();
    for (name, enter) in STATES {
        let mut text = String::new();
        for (width, height, lang) in BLOCKS {
            let mut stage = Stage::new(Size { width, height }, lang);
            enter(&mut stage);
            dead.extend(
                dead_keys(&stage.model).into_iter().map(|key| format!("{name} {width}x{height}: {key}")),
            );
            text.push_str(&format!("=== {width}x{height} {}\n{}", lang.tag(), layers(&stage.model)));
        }
        if !compare(name, &text) {
            differ.push(*name);
        }
    }
    assert!(dead.is_empty(), "shown in the footer, but nothing happens: {dead:?}");
    assert!(differ.is_empty(), "not as agreed: {differ:?}; see target/screens, or UPDATE_SCREENS=1");
}

#[test]
fn the_story_stands_beside_the_question_on_wide_screens() {
    let mut text = String::new();
    for (width, height, lang) in [(120, 40, Lang::En), (200, 60, Lang::En), (200, 60, Lang::ZhCn)] {
        let mut stage = Stage::new(Size { width, height }, lang);
        stage.open("chapter-014-draft");
        assert!(dead_keys(&stage.model).is_empty());
        text.push_str(&format!("=== {width}x{height} {}\n{}", lang.tag(), layers(&stage.model)));
    }
    assert!(compare("story-beside", &text), "not as agreed; see target/screens, or UPDATE_SCREENS=1");
}

/// The same questions in several packets, at the sizes that the other states are not drawn in.
#[test]
fn one_review_for_several_packets_looks_as_agreed() {
    let mut differ = Vec::new();
    for name in ["review-same", "review-same-taken", "receipt-same"] {
        let enter = STATES.iter().find(|state| state.0 == name).expect("a state").1;
        let mut text = String::new();
        for (width, height) in [(80, 24), (200, 60)] {
            let mut stage = Stage::new(Size { width, height }, Lang::ZhCn);
            enter(&mut stage);
            text.push_str(&format!("=== {width}x{height} zh-CN\n{}", layers(&stage.model)));
        }
        if !compare(&format!("{name}-zh"), &text) {
            differ.push(name);
        }
    }
    assert!(differ.is_empty(), "not as agreed: {differ:?}; see target/screens, or UPDATE_SCREENS=1");
}

/// A second column, and lines that are not too long to read.
#[test]
fn wide_screens_look_as_agreed() {
    let mut differ = Vec::new();
    for name in [
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
    ] {
        let enter = STATES.iter().find(|state| state.0 == name).expect("a state").1;
        let mut text = String::new();
        for (width, height, lang) in [(200, 60, Lang::ZhCn), (160, 50, Lang::En)] {
            let mut stage = Stage::new(Size { width, height }, lang);
            enter(&mut stage);
            text.push_str(&format!("=== {width}x{height} {}\n{}", lang.tag(), layers(&stage.model)));
        }
        if !compare(&format!("wide-{name}"), &text) {
            differ.push(name);
        }
    }
    assert!(differ.is_empty(), "not as agreed: {differ:?}; see target/screens, or UPDATE_SCREENS=1");
}

#[test]
fn a_long_sentence_is_whole_or_says_where_it_is_whole() {
    let long = || Message::verbatim(format!("{}the very end", "words and ".repeat(35)));
    let mut stage = Stage::new(Size { width: 80, height: 24 }, Lang::En);
    stage.open("chapter-013-draft").model.say(Tone::Bad, long());
    assert!(layers(&stage.model).contains("the very end"), "{}", layers(&stage.model));
    stage.model.notice = None;
    stage.model.form.as_mut().expect("a form").gate.refusal = Some(long());
    let text = layers(&stage.model);
    assert!(text.contains("… F4") && !text.contains("the very end"), "{text}");
    stage.act(Action::Expand);
    assert!(layers(&stage.model).contains("the very end"), "{}", layers(&stage.model));
    stage.act(Action::Back).act(Action::Review).act(Action::Expand);
    assert!(layers(&stage.model).contains("the very end"), "{}", layers(&stage.model));
}

#[test]
fn where_there_is_only_ascii_no_other_sign_is_drawn() {
    let mut differ = Vec::new();
    for (name, enter) in STATES {
        let mut stage = Stage::new(Size { width: 80, height: 24 }, Lang::En);
        enter(&mut stage);
        stage.model.signs = Signs::Ascii;
        let text = format!("=== 80x24 en\n{}", layers(&stage.model));
        // Letters are the author's own; the marks of control characters are part of a cleaned text.
        let mark = |c: &char| *c == '⏎' || ('\u{2400}'..='\u{243f}').contains(c);
        let sign = |c: &char| ('\u{2190}'..='\u{2bff}').contains(c) && !mark(c);
        assert_eq!(text.chars().find(sign), None, "{name}: {text}");
        if ["inbox", "multi", "review-five", "other-open"].contains(name)
            && !compare(&format!("ascii-{name}"), &text)
        {
            differ.push(name);
        }
    }
    assert!(differ.is_empty(), "not as agreed: {differ:?}; see target/screens, or UPDATE_SCREENS=1");
}

/// The keys of the footer that do nothing there and then.
fn dead_keys(model: &Model) -> Vec<String> {
    let (buffer, _) = draw(model);
    let last = buffer.area.height - 1;
    let row: String = (0..buffer.area.width).map(|x| buffer[(x, last)].symbol()).collect();
    let shown =
        row.split_whitespace().filter(|word| BINDINGS.iter().any(|binding| binding.key_text() == *word));
    shown.filter(|key| !does_something(model, key)).map(str::to_owned).collect()
}

fn does_something(model: &Model, key: &str) -> bool {
    const EXCUSES: [novel_gate::text::Sentence; 6] = [
        s::NOTHING_TO_EDIT,
        s::NOTHING_TO_UNDO,
        s::NOTHING_TO_REDO,
        s::NOTHING_CHANGED,
        s::NO_OTHER_ANSWER,
        s::CANNOT_PUT_BACK,
    ];
    let press = KeyPress::parse(if key == "1-9" { "1" } else { key }).expect("a key");
    let Some(action) = model.keymap.resolve(context(model), press) else { return false };
    let mut after = model.clone();
    after.notice = None;
    // The press that opened the screen is over.
    after.now += std::time::Duration::from_secs(1);
    let before = format!("{after:?}");
    let effects = update::update(&mut after, action);
    let excuse = |notice: &Notice| EXCUSES.iter().any(|excuse| notice.message == (*excuse).into());
    !after.notice.as_ref().is_some_and(excuse) && (!effects.is_empty() || format!("{after:?}") != before)
}

/// What is drawn in the first row of everything that can be clicked.
fn targets(stage: &Stage) -> Vec<(Target, String)> {
    let (buffer, drawn) = draw(&stage.model);
    let words = |area: ratatui::layout::Rect| {
        let symbols = (area.x..area.right()).map(|x| buffer[(x, area.y)].symbol());
        symbols.collect::<String>().replace("  ", " ")
    };
    drawn.hits.into_iter().map(|(area, target)| (target, words(area))).collect()
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
