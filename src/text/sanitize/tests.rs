use super::*;
use crate::text::width::{cells, grapheme_cells};
use proptest::prelude::*;

/// Characters that have reason to be in a test of hostile text.
const HOSTILE: &[char] = &[
    'a',
    '1',
    '#',
    '中',
    '好',
    '。',
    '”',
    ' ',
    '　',
    '\n',
    '\r',
    '\t',
    '\0',
    '\u{1b}',
    '\u{7}',
    '\u{7f}',
    '\u{85}',
    '\u{9b}',
    '\u{ad}',
    '\u{34f}',
    '\u{301}',
    '\u{302}',
    '\u{20e3}',
    '\u{93e}',
    '\u{915}',
    '\u{94d}',
    '\u{600}',
    '\u{d4e}',
    '\u{61c}',
    '\u{180e}',
    '\u{115f}',
    '\u{1160}',
    '\u{1100}',
    '\u{1161}',
    '\u{11a8}',
    '각',
    '\u{3164}',
    '\u{ffa0}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200e}',
    '\u{2028}',
    '\u{202e}',
    '\u{2066}',
    '\u{feff}',
    '\u{fe00}',
    '\u{fe0e}',
    '\u{fe0f}',
    '\u{fff9}',
    '\u{fffe}',
    '\u{fffd}',
    '\u{e000}',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e0100}',
    '\u{10fffd}',
    '\u{378}',
    '👨',
    '👩',
    '❤',
    '©',
    '🏻',
    '🇨',
    '🇳',
    '◌',
    '‹',
    '›',
    '\u{ff9e}',
    '\u{a4f8}',
    '\u{17d2}',
    '\u{1780}',
    '\u{644}',
    '\u{627}',
    '\u{a8fa}',
    '\u{16d68}',
    '\u{16d67}',
    '\u{2d7f}',
    '\u{2d31}',
];

fn hostile() -> impl Strategy<Value = String> {
    let char = prop_oneof![8 => prop::sample::select(HOSTILE), 1 => any::<char>()];
    prop::collection::vec(char, 0..40).prop_map(|chars| chars.into_iter().collect())
}

/// The classes that may never be drawn, written down independently of the code.
fn is_forbidden(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xAD | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x115F | 0x1160 | 0x180B..=0x180F | 0x200B | 0x200C | 0x200E
            | 0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xE000..=0xF8FF | 0xFDD0..=0xFDEF
            | 0xFE00..=0xFE0D | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB | 0xFFFE | 0xFFFF | 0xE0000..=0xE00FF | 0xE01F0..)
}

#[test]
fn each_class_has_its_visible_form() {
    let rows = [
        ("\u{1b}[31m", "␛[31m"),
        ("\u{7}\0\u{7f}", "␇␀␡"),
        ("\u{9b}1m\u{85}", "‹U+009B›1m‹U+0085›"),
        ("a\tb", "a    b"),
        ("a\nb", "a⏎b"),
        ("a\r\nb\rc", "a␍⏎b␍c"),
        ("\u{202e}abc\u{2066}", "‹U+202E›abc‹U+2066›"),
        ("中\u{200b}文\u{feff}", "中‹U+200B›文‹U+FEFF›"),
        ("\u{2028}\u{2029}\u{ad}\u{61c}", "‹U+2028›‹U+2029›‹U+00AD›‹U+061C›"),
        ("\u{e0041}\u{e000}\u{10ffff}", "‹U+E0041›‹U+E000›‹U+10FFFF›"),
        ("\u{378}\u{2fffe}\u{2fa1e}", "‹U+0378›‹U+2FFFE›‹U+2FA1E›"),
        ("ab\u{200d}c", "ab‹U+200D›c"),
        ("a\u{fe0f}中\u{fe0f}", "a‹U+FE0F›中‹U+FE0F›"),
        ("a\u{e0100}", "a‹U+E0100›"),
        ("\u{301}a", "◌\u{301}a"),
        ("\u{1161}", "‹U+1161›"),
    ];
    for (raw, drawn) in rows {
        assert_eq!(Safe::line(raw).as_str(), drawn, "{raw:?}");
    }
    assert_eq!(mark(0xD800), "‹U+D800›");
    assert_eq!(Safe::block("a\r\nb\tc\n").as_str(), "a␍\nb    c\n");
}

#[test]
fn well_formed_text_is_unchanged() {
    let rows = [
        "　　「你好，世界。」他说：“走吧！”——然后……",
        "Hello, café naïve Ωμέγα Привет 한국어 ｶﾞ ー ①★→│",
        "e\u{301} a\u{30a} क्षि กำ",
        "👨\u{200d}👩\u{200d}👧\u{200d}👦 ❤\u{fe0f}\u{200d}🔥 👍🏻 🇨🇳 1\u{fe0f}\u{20e3} ☎\u{fe0e} 😀",
        "葛\u{e0100} 𠮷 〇\u{e0101}",
        "\u{1100}\u{1161}\u{11a8}",
    ];
    for text in rows {
        assert_eq!(Safe::line(text).as_str(), text);
        assert!(matches!(grapheme(first(text)), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn piles_of_marks_are_capped_and_counted() {
    let pile = format!("中{}", "\u{301}".repeat(5000));
    let drawn = format!("中{}‹+4992›文", "\u{301}".repeat(8));
    assert_eq!(Safe::line(&format!("{pile}文")).as_str(), drawn);
    let people = "👩\u{200d}".repeat(300) + "👩";
    assert!(cells(&grapheme(&people)) > 200, "a chain of joiners is not hidden in one emoji");
    let conjunct = "क\u{94d}".repeat(300);
    assert!(grapheme(&conjunct).ends_with("›"));
}

#[test]
fn pieces_joined_stay_harmless() {
    let mut text = Safe::line("a");
    text.push(&Safe::line("\u{301}b"));
    assert_eq!(text.as_str(), "a◌\u{301}b");
    assert_eq!(Safe::line(text.as_str()), text);
    assert_eq!(text.slice(0..1).as_str(), "a");
    assert_eq!(text.slice(0..99).as_str(), "");
    assert_eq!(format!("{:>3}|", Safe::line("中")), "  中|");
}

#[test]
fn no_single_character_slips_through() {
    for c in '\0'..=char::MAX {
        let text = c.to_string();
        let drawn = Safe::line(&text);
        assert!(!drawn.chars().any(is_forbidden), "U+{:04X} drawn as {drawn:?}", u32::from(c));
        assert!(cells(&drawn) > 0, "U+{:04X} is invisible", u32::from(c));
        assert_eq!(Safe::line(&drawn), drawn, "U+{:04X}", u32::from(c));
    }
}

proptest! {
    #[test]
    fn nothing_forbidden_is_drawn(text in hostile()) {
        let line = Safe::line(&text);
        prop_assert!(!line.chars().any(is_forbidden), "{line:?}");
        let block = Safe::block(&text);
        prop_assert!(!block.chars().any(|c| c != '\n' && is_forbidden(c)), "{block:?}");
        prop_assert_eq!(block.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(text in hostile()) {
        let line = Safe::line(&text);
        prop_assert_eq!(&Safe::line(&line), &line);
        let block = Safe::block(&text);
        prop_assert_eq!(&Safe::block(&block), &block);
    }

    #[test]
    fn a_line_is_its_clusters_drawn_one_by_one(text in hostile()) {
        let drawn: String = clusters(&text).map(|(_, cluster)| grapheme(cluster).into_owned()).collect();
        prop_assert_eq!(Safe::line(&text).into_string(), drawn);
    }

    #[test]
    fn every_drawn_cluster_takes_a_cell_and_widths_add_up(text in hostile()) {
        let mut sum = 0;
        for (_, cluster) in clusters(&text) {
            let width = cells(&grapheme(cluster));
            prop_assert!(width > 0, "{:?}", cluster);
            sum += width;
        }
        let line = Safe::line(&text);
        prop_assert_eq!(cells(&line), sum);
        for (_, cluster) in clusters(&line) {
            prop_assert!(grapheme_cells(cluster) > 0, "{:?}", cluster);
            prop_assert!(grapheme_cells(cluster) <= 40, "{:?}", cluster);
        }
    }

    #[test]
    fn chinese_prose_is_copied(text in "[一-龥，。！？、：；“”‘’「」《》（）—…·　a-zA-Z0-9 ]{0,60}") {
        let drawn = Safe::line(&text);
        prop_assert_eq!(drawn.as_str(), text.as_str());
    }
}
