use super::*;
use crate::text::cluster::clusters;
use crate::text::sanitize::{Safe, grapheme};
use proptest::prelude::*;

const FAMILY: &str = "👨\u{200d}👩\u{200d}👧\u{200d}👦";

fn field(text: &str) -> TextField {
    TextField::new(text, true)
}

/// A field with `|` marking the caret.
fn marked(text: &str) -> TextField {
    let at = text.find('|').expect("a caret");
    let mut field = field(&text.replacen('|', "", 1));
    field.place_caret(at);
    field
}

fn show(field: &TextField) -> String {
    let mut text = field.text().to_owned();
    text.insert(field.caret(), '|');
    text
}

fn typed(field: &mut TextField, text: &str) {
    for c in text.chars() {
        field.apply(Edit::Insert(c.to_string()), 20);
    }
}

#[test]
fn each_edit_does_what_its_name_says() {
    let rows = [
        ("你|好", Edit::Insert("们".into()), "你们|好"),
        ("a|", Edit::Insert("1\r\n2\r3\n".into()), "a1\n2\n3\n|"),
        ("a|b", Edit::Newline, "a\n|b"),
        ("你好|", Edit::Backspace, "你|"),
        ("e\u{301}|x", Edit::Backspace, "|x"),
        ("|", Edit::Backspace, "|"),
        ("a\n|b", Edit::Backspace, "a|b"),
        ("|你好", Edit::Delete, "|好"),
        ("a|\nb", Edit::Delete, "a|b"),
        ("你|好", Edit::Left, "|你好"),
        ("ab|\ncd", Edit::Right, "ab\n|cd"),
        ("x\nab|c", Edit::LineStart, "x\n|abc"),
        ("x\na|bc\ny", Edit::LineEnd, "x\nabc|\ny"),
        ("x\na|b", Edit::TextStart, "|x\nab"),
        ("x|\nab", Edit::TextEnd, "x\nab|"),
        ("a|bc\nd", Edit::KillToEnd, "a|\nd"),
        ("a|\nd", Edit::KillToEnd, "a|d"),
        ("x\nab|c", Edit::KillToStart, "x\n|c"),
        ("x\n|c", Edit::KillToStart, "x|c"),
        ("你好，世界。再见|", Edit::KillWordBack, "你好，世界。|"),
        ("你好，世界。|", Edit::KillWordBack, "你好，世界|"),
        ("你好，世界|", Edit::KillWordBack, "你好，|"),
        ("第12章|", Edit::KillWordBack, "第12|"),
        ("hello brave  |", Edit::KillWordBack, "hello |"),
        ("a\n|", Edit::KillWordBack, "a|"),
        ("a\n  |b", Edit::KillWordBack, "a\n|b"),
        ("他说：“走吧|", Edit::WordLeft, "他说：“|走吧"),
        ("|hello world", Edit::WordRight, "hello| world"),
        ("hello| world", Edit::WordRight, "hello world|"),
        ("|你好，世界", Edit::WordRight, "你好|，世界"),
        ("|　　你好", Edit::WordRight, "　　你好|"),
    ];
    for (before, edit, after) in rows {
        let mut field = marked(before);
        let changed = field.apply(edit.clone(), 20);
        assert_eq!(show(&field), after, "{edit:?} on {before:?}");
        assert_eq!(changed, before.replace('|', "") != after.replace('|', ""), "{edit:?} on {before:?}");
    }
}

#[test]
fn one_keystroke_moves_over_and_removes_a_whole_cluster() {
    for cluster in [FAMILY, "🇨🇳", "👍🏻", "e\u{301}\u{302}", "क्षि", "각", "葛\u{e0100}", "1\u{fe0f}\u{20e3}"]
    {
        let mut field = field(&format!("中{cluster}"));
        field.apply(Edit::Left, 20);
        assert_eq!(field.caret(), 3, "{cluster}");
        field.apply(Edit::Right, 20);
        assert_eq!(field.caret(), 3 + cluster.len(), "{cluster}");
        field.apply(Edit::Backspace, 20);
        assert_eq!(field.text(), "中", "{cluster}");
    }
}

#[test]
fn an_emoji_typed_in_parts_arrives_whole_beside_another() {
    for (before, emoji) in [("哈|👩！", FAMILY), ("哈|🇨🇳", "🇺🇸"), ("|\u{301}", "e"), ("|👩", "👍🏻")]
    {
        let mut field = marked(before);
        typed(&mut field, emoji);
        assert_eq!(field.text(), before.replace('|', emoji));
        assert!(is_boundary(field.text(), field.caret()));
    }
}

#[test]
fn the_stored_text_is_exact() {
    let odd = "　　第一章\u{1b}[31m\t\u{202e}尾\u{feff}  ";
    let mut one = TextField::new("", false);
    one.apply(Edit::Insert(odd.into()), 10);
    assert_eq!(one.text(), odd);
    assert!(!one.is_multiline());
    assert_eq!(field("a\r\nb").text(), "a\r\nb");
    one.apply(Edit::Insert("\r".into()), 10);
    assert!(one.is_multiline() && one.text().ends_with('\n'));
}

#[test]
fn two_thousand_typed_characters_arrive_whole() {
    let novel: String = "他推开门，雨声一下子涌了进来。".chars().cycle().take(2000).collect();
    let mut field = TextField::new("", true);
    typed(&mut field, &novel);
    assert_eq!(field.text(), novel);
    while field.apply(Edit::Undo, 20) {}
    assert_eq!(field.text(), "");
    while field.apply(Edit::Redo, 20) {}
    assert_eq!(field.text(), novel);
}

#[test]
fn typing_is_undone_in_runs() {
    let mut field = TextField::new("", true);
    typed(&mut field, "你好，世界");
    field.apply(Edit::Newline, 20);
    typed(&mut field, "red fox");
    field.apply(Edit::Left, 20);
    typed(&mut field, "ab");
    field.apply(Edit::Insert("pasted text".into()), 20);
    typed(&mut field, "cd");
    for _ in 0..3 {
        field.apply(Edit::Backspace, 20);
    }
    let mut states = vec![field.text().to_owned()];
    while field.apply(Edit::Undo, 20) {
        states.push(field.text().to_owned());
    }
    let expected = [
        "你好，世界\nred foabpasted texx",
        "你好，世界\nred foabpasted textcdx",
        "你好，世界\nred foabpasted textx",
        "你好，世界\nred foabx",
        "你好，世界\nred fox",
        "你好，世界\nred ",
        "你好，世界\n",
        "你好，世界",
        "你好，",
        "",
    ];
    assert_eq!(states, expected);
}

#[test]
fn a_new_change_forgets_what_was_undone() {
    let mut field = TextField::new("", true);
    typed(&mut field, "甲");
    field.apply(Edit::Undo, 20);
    typed(&mut field, "乙");
    assert!(!field.apply(Edit::Redo, 20));
    assert_eq!(field.text(), "乙");
    field.set_text("丙\n丁");
    assert!(field.is_multiline());
    field.apply(Edit::Undo, 20);
    assert_eq!(field.text(), "乙");
}

#[test]
fn up_and_down_remember_their_column() {
    let mut field = marked("一二三四五|六\n短\n一二三四五六七八");
    for expected in ["一二三四五六\n短|\n一二三四五六七八", "一二三四五六\n短\n一二三四五|六七八"]
    {
        field.apply(Edit::Rows(1), 20);
        assert_eq!(show(&field), expected);
    }
    field.apply(Edit::Rows(1), 20);
    assert_eq!(show(&field), "一二三四五六\n短\n一二三四五|六七八", "the last row has no row below");
    field.apply(Edit::Rows(-9), 20);
    assert_eq!(show(&field), "一二三四五|六\n短\n一二三四五六七八");
}

#[test]
fn rows_are_visual_rows() {
    let mut field = marked("|一二三四五六七八九十");
    field.apply(Edit::Rows(1), 8);
    assert_eq!(show(&field), "一二三四|五六七八九十");
    field.apply(Edit::Right, 8);
    field.apply(Edit::Rows(1), 8);
    assert_eq!(show(&field), "一二三四五六七八九|十");
    field.apply(Edit::LineStart, 8);
    assert_eq!(field.caret(), 0);
}

#[test]
fn moving_down_stays_on_the_row_below_when_that_is_shorter() {
    let mut field = marked("一二三四五六|七\nhello braveheart");
    field.apply(Edit::Rows(1), 14);
    assert_eq!(show(&field), "一二三四五六七\nhello| braveheart");
    field.apply(Edit::Rows(1), 14);
    assert_eq!(show(&field), "一二三四五六七\nhello braveheart|");
}

fn caret_place(text: &str, width: usize) -> (usize, usize, usize) {
    let layout = marked(text).layout(width);
    (layout.caret_row, layout.caret_col, layout.rows.len())
}

#[test]
fn the_caret_stands_where_the_next_character_appears() {
    let rows = [
        ("|", 8, (0, 0, 1)),
        ("你|好", 8, (0, 2, 1)),
        ("e\u{301}|x", 8, (0, 1, 1)),
        ("\u{1b}\t|", 8, (0, 5, 1)),
        ("\u{202e}|", 20, (0, 8, 1)),
        ("一二三四|", 8, (1, 0, 2)),
        ("|一二三四", 8, (0, 0, 1)),
        ("一二三四|五", 8, (1, 0, 2)),
        ("一二三四|\n五", 8, (1, 0, 3)),
        ("一二三四\n|五", 8, (1, 0, 2)),
        ("hello |", 5, (1, 0, 2)),
        ("hello| world", 5, (1, 0, 2)),
        ("hello   |", 5, (1, 2, 2)),
        ("a\n|", 8, (1, 0, 2)),
        ("你|", 1, (1, 0, 2)),
        ("你|", 0, (1, 0, 2)),
    ];
    for (text, width, place) in rows {
        assert_eq!(caret_place(text, width), place, "{text:?} at {width}");
    }
}

#[test]
fn the_caret_can_leave_its_own_empty_row() {
    let mut field = marked("一二三四|\n五");
    field.apply(Edit::Rows(-1), 8);
    assert_eq!(show(&field), "|一二三四\n五");
    field.apply(Edit::Rows(1), 8);
    assert_eq!(show(&field), "一二三四\n|五");
    let mut field = marked("一二三四|\n五");
    field.apply(Edit::Rows(1), 8);
    assert_eq!(show(&field), "一二三四\n|五");
}

#[test]
fn the_window_follows_the_caret_and_moves_no_more_than_it_must() {
    let text: Vec<_> = (0..100).map(|n| format!("第{n}行")).collect();
    let mut field = field(&text.join("\n"));
    let top = |field: &TextField| {
        let window = field.layout_window(20, 10);
        assert_eq!(window.rows.len(), 10);
        assert_eq!(window.total, 100);
        assert!(window.caret_row < 10);
        window.first
    };
    assert_eq!(top(&field), 90);
    field.apply(Edit::Rows(-9), 20);
    assert_eq!(top(&field), 90);
    field.apply(Edit::Rows(-1), 20);
    assert_eq!(top(&field), 89);
    field.apply(Edit::TextStart, 20);
    assert_eq!(top(&field), 0);
    field.apply(Edit::Rows(10), 20);
    assert_eq!(top(&field), 1);
    assert_eq!(field.layout_window(20, 0).rows.len(), 1);
}

fn pieces() -> impl Strategy<Value = String> {
    let odd = [
        "👨",
        "👩",
        "\u{200d}",
        "🇨",
        "🇳",
        "🏻",
        "\u{301}",
        "e",
        "中",
        "，",
        "”",
        "“",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\u{1b}",
        "\u{202e}",
        "क",
        "\u{94d}",
        "\u{1100}",
        "\u{1161}",
        "hello world",
        "一二三四五六七八九十",
        FAMILY,
    ];
    prop_oneof![
        6 => prop::sample::select(odd.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let quiet = [
        Edit::Left,
        Edit::Right,
        Edit::Rows(-1),
        Edit::Rows(1),
        Edit::WordLeft,
        Edit::WordRight,
        Edit::LineStart,
        Edit::LineEnd,
        Edit::TextStart,
        Edit::TextEnd,
        Edit::Rows(-3),
        Edit::Rows(2),
    ];
    let changes = [
        Edit::Newline,
        Edit::Backspace,
        Edit::Delete,
        Edit::KillToEnd,
        Edit::KillToStart,
        Edit::KillWordBack,
        Edit::Undo,
        Edit::Redo,
    ];
    let edit = prop_oneof![
        5 => pieces().prop_map(Edit::Insert),
        3 => prop::sample::select(quiet.to_vec()),
        2 => prop::sample::select(changes.to_vec()),
    ];
    prop::collection::vec(edit, 0..60)
}

proptest! {
    #[test]
    fn the_caret_is_always_between_clusters_and_inside_the_view(edits in edits(), width in 0_usize..14) {
        let mut field = TextField::new("", false);
        for edit in edits {
            let before = field.text().to_owned();
            let changed = field.apply(edit, width);
            prop_assert_eq!(changed, before != field.text());
            prop_assert!(is_boundary(field.text(), field.caret()));
            let window = field.layout_window(width, 4);
            prop_assert!(window.caret_row < window.rows.len() && window.rows.len() <= 4);
            prop_assert!(window.caret_col < width.max(1));
        }
    }

    #[test]
    fn rows_followed_from_change_to_change_are_those_found_afresh(edits in edits(), width in 0_usize..14) {
        let mut field = TextField::new("", true);
        for edit in edits {
            field.apply(edit, width);
            let layout = field.layout(width);
            let mut fresh = TextField::new(field.text(), true);
            fresh.place_caret(field.caret());
            prop_assert_eq!(&layout, &fresh.layout(width));
            let window = field.layout_window(width, 3);
            prop_assert_eq!(&window.rows[..], &layout.rows[window.first..window.first + window.rows.len()]);
            prop_assert_eq!(window.first + window.caret_row, layout.caret_row);
        }
    }

    #[test]
    fn rows_show_everything_and_are_never_too_wide(text in prop::collection::vec(pieces(), 0..30), width in 0_usize..14) {
        let text = text.concat();
        let layout = field(&text).layout(width);
        let mut at = 0;
        for row in &layout.rows {
            prop_assert!(crate::text::width::cells(&row.drawn) <= width.max(1));
            prop_assert_eq!(text[at..row.range.start].trim_end_matches('\n').len(), 0);
            prop_assert!(row.range.start - at <= 1);
            let whole = Safe::line(&text[row.range.clone()]);
            let single = clusters(&text[row.range.clone()]).count() == 1 || text[row.range.clone()].trim_end() != &text[row.range.clone()];
            prop_assert!(row.drawn == whole || single, "{:?} for {whole:?}", row.drawn);
            at = row.range.end;
        }
        prop_assert_eq!(at, text.len());
    }

    #[test]
    fn undo_goes_back_through_former_texts_and_redo_returns(edits in edits()) {
        let mut field = TextField::new("始", false);
        let mut seen = vec![field.text().to_owned()];
        for edit in edits.into_iter().filter(|edit| !matches!(edit, Edit::Undo | Edit::Redo)) {
            field.apply(edit, 9);
            seen.push(field.text().to_owned());
        }
        let last = field.text().to_owned();
        let mut steps = 0;
        while field.apply(Edit::Undo, 9) {
            steps += 1;
            prop_assert!(is_boundary(field.text(), field.caret()));
            let found = seen.iter().rposition(|text| text == field.text());
            prop_assert!(found.is_some(), "{:?} was never there", field.text());
            seen.truncate(found.unwrap_or(0) + 1);
        }
        prop_assert_eq!(field.text(), "始");
        for _ in 0..steps {
            prop_assert!(field.apply(Edit::Redo, 9));
        }
        prop_assert_eq!(field.text(), last);
        prop_assert!(!field.apply(Edit::Redo, 9));
    }

    #[test]
    fn the_caret_column_is_the_drawn_width_before_it(text in "[a-z中，。👩é\t\u{1b}]{0,30}", steps in 0_usize..30) {
        let mut field = field(&text);
        field.apply(Edit::TextStart, 500);
        for _ in 0..steps {
            field.apply(Edit::Right, 500);
        }
        let before: String = clusters(&text[..field.caret()]).map(|(_, cluster)| grapheme(cluster).into_owned()).collect();
        prop_assert_eq!(field.layout(500).caret_col, crate::text::width::cells(&before));
    }
}
