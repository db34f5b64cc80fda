//! Golden screens: the sample project on the console, as text and as styles, in both languages and in three sizes.
//!
//! `UPDATE_SCREENS=1 cargo test screens` writes them anew; look at them before you commit.

mod golden;
mod sizes;
mod stage;
mod states;

use golden::{compare, layers};
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
