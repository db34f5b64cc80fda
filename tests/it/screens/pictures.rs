//! The screens that the pages show.

use super::stage::Stage;
use super::states::states;
use crate::pictures::compare_picture;
use novel_gate::console::model::Size;
use novel_gate::text::Lang;

/// A picture, the state that it shows, and the size of the terminal.
const PICTURES: [(&str, &str, u16, u16); 6] = [
    ("inbox", "inbox", 80, 24),
    ("story", "story-beside", 120, 24),
    ("repair", "repair", 80, 18),
    ("packets", "review-same-list", 80, 14),
    ("review", "review-five", 80, 14),
    ("questions", "questions-decided", 80, 24),
];

#[test]
fn pictures_look_as_agreed() {
    let states = states();
    for (name, state, width, height) in PICTURES {
        let (_, enter) = states.iter().find(|(name, _)| *name == state).expect(state);
        for lang in [Lang::En, Lang::ZhCn] {
            let mut stage = Stage::new(Size { width, height }, lang);
            enter(&mut stage);
            compare_picture(name, lang, &[(String::new(), stage.stack.clone())]);
        }
    }
}
