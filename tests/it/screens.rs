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
use novel_gate::console::model::Size;
use novel_gate::text::Lang;
use stage::Stage;
use states::STATES;

const BLOCKS: [(u16, u16, Lang); 4] =
    [(80, 24, Lang::En), (120, 40, Lang::ZhCn), (40, 12, Lang::ZhCn), (40, 12, Lang::En)];

#[test]
fn every_screen_looks_as_agreed() {
    let mut differ = Vec::new();
    for (name, enter) in STATES {
        let mut text = String::new();
        for (width, height, lang) in BLOCKS {
            let mut stage = Stage::new(Size { width, height }, lang);
            enter(&mut stage);
            text.push_str(&format!("=== {width}x{height} {}\n{}", lang.tag(), layers(&stage.model)));
        }
        if !compare(name, &text) {
            differ.push(*name);
        }
    }
    assert!(differ.is_empty(), "not as agreed: {differ:?}; see target/screens, or UPDATE_SCREENS=1");
}

/// What is drawn in the first row of everything that can be clicked.
fn targets(stage: &Stage) -> Vec<(Target, String)> {
    let (buffer, drawn) = draw(&stage.model);
    let words = |area: novel_gate::console::layout::Area| {
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
    has(&stage, Target::Question(2), "3 ○ 周 砚");
    has(&stage, Target::Review, "review");
    stage.act(Action::Review);
    has(&stage, Target::Row(0), "required: no answer yet");
    has(&stage, Target::Submit, "[ Submit Ctrl+S ]");
    stage.act(Action::Help);
    assert_eq!(targets(&stage), []);
}
