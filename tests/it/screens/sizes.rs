//! Every state in every size: no panic, the caret and everything clickable inside.

use super::golden::draw;
use super::stage::Stage;
use super::states::states;
use novel_gate::console::action::Action;
use novel_gate::console::model::Size;
use novel_gate::console::stack::Stack;
use novel_gate::text::Lang;
use novel_gate::text::width::{cells, set_ambiguous_cells};

/// Every size from 1x1 to 130x50, shared out among the states: each size is drawn in one of them.
/// `EVERY_SIZE=1` draws each size in each state.
fn share(at: usize, states: usize) -> impl Iterator<Item = Size> {
    let all = std::env::var_os("EVERY_SIZE").is_some();
    let sizes = (1..=130u16).flat_map(|width| (1..=50u16).map(move |height| Size { width, height }));
    sizes.enumerate().filter(move |(place, _)| all || place % states == at).map(|(_, size)| size)
}

/// A third of all small sizes, so that three neighbouring states have them all and each has every width and every height;
/// and a grid of larger ones.
fn sizes(at: usize) -> impl Iterator<Item = Size> {
    let small = (1..=45u16).flat_map(|width| (1..=14).map(move |height| (width, height)));
    let small = small.filter(move |(width, height)| (usize::from(width + height) + at).is_multiple_of(3));
    let large =
        (46..=130).step_by(7).flat_map(|width| (1..=50).step_by(5).map(move |height| (width, height)));
    let tall = (1..=45).step_by(6).flat_map(|width| (15..=50).step_by(5).map(move |height| (width, height)));
    let wide = [(160, 9), (165, 30), (210, 60)];
    small.chain(large).chain(tall).chain(wide).map(|(width, height)| Size { width, height })
}

fn check(name: &str, stack: &Stack) {
    let Size { width, height } = stack.model.size;
    let (buffer, drawn) = draw(stack);
    for (at, pair) in buffer.content().windows(2).enumerate() {
        let symbol = pair[0].symbol();
        let hostile = symbol.chars().any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        assert!(!hostile, "{name} {width}x{height}: {symbol:?} is drawn");
        if cells(symbol) == 2 {
            let last = (at + 1) % usize::from(width) == 0;
            assert!(!last && pair[1].symbol() == " ", "{name} {width}x{height}: {symbol:?} is split");
        }
    }
    if let Some((x, y)) = drawn.cursor {
        assert!(x < width && y < height, "{name} {width}x{height}: the caret is at {x},{y}");
    }
    for (area, target) in drawn.hits {
        assert!(!area.is_empty(), "{name} {width}x{height}: {target:?} has no cell");
        let inside = area.right() <= width && area.bottom() <= height;
        assert!(inside, "{name} {width}x{height}: {target:?} is at {area:?}");
    }
}

/// Every second state is in Chinese.
fn check_every(remainder: usize, lang: Lang) {
    let size = Size { width: 80, height: 24 };
    let states = states();
    for (at, (name, enter)) in states.iter().enumerate().filter(|(at, _)| at % 2 == remainder) {
        let mut stage = Stage::new(size, lang);
        enter(&mut stage);
        for size in sizes(at).chain(share(at, states.len())) {
            stage.stack.resize(size);
            check(name, &stage.stack);
        }
    }
}

// Two tests, so that two cores share the work.

#[test]
fn every_screen_in_english_fits_every_terminal() {
    check_every(0, Lang::En);
}

#[test]
fn every_screen_in_chinese_fits_every_terminal() {
    check_every(1, Lang::ZhCn);
}

#[test]
fn every_screen_fits_a_terminal_that_draws_ambiguous_characters_wide() {
    set_ambiguous_cells(2);
    for (at, (name, enter)) in states().iter().enumerate() {
        let lang = if at.is_multiple_of(2) { Lang::ZhCn } else { Lang::En };
        let mut stage = Stage::new(Size { width: 80, height: 24 }, lang);
        enter(&mut stage);
        for (width, height) in [(1, 1), (20, 6), (40, 12), (80, 24), (120, 40)] {
            stage.stack.resize(Size { width, height });
            check(name, &stage.stack);
        }
    }
}

#[test]
fn a_form_opened_in_a_small_terminal_can_be_walked_through() {
    for (width, height) in [(1, 1), (20, 5), (21, 6), (33, 8), (40, 12), (60, 9)] {
        let mut stage = Stage::new(Size { width, height }, Lang::ZhCn);
        stage.open("chapter-014-draft");
        for action in [Action::Down, Action::PageDown, Action::Pick, Action::ScrollDown, Action::Expand] {
            stage.act(action);
            check("walk", &stage.stack);
        }
        for action in [Action::Down, Action::Back, Action::Back, Action::Next, Action::Next, Action::Next] {
            stage.act(action);
            check("walk", &stage.stack);
        }
        stage.write("一二三四五六七八九十一二三四五六七八九十");
        check("walk", &stage.stack);
    }
}
