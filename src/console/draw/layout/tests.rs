use crate::console::draw::layout::*;

/// The areas stand inside the terminal and, from top to bottom, beside or below one another.
fn check(size: Size, areas: &[Rect]) {
    for area in areas {
        assert!(area.right() <= size.width && area.bottom() <= size.height, "{size:?} {area:?}");
    }
    for pair in areas.windows(2) {
        let apart = pair[0].bottom() <= pair[1].y || pair[0].right() <= pair[1].x;
        assert!(apart || pair.iter().any(|area| area.is_empty()), "{size:?} {pair:?}");
    }
}

#[test]
fn parts_never_overlap_or_leave_the_terminal() {
    for (width, height) in (1..=210).step_by(3).flat_map(|width| (1..=50).map(move |height| (width, height)))
    {
        let size = Size { width, height };
        for (rows, second_line) in [(0, true), (1, false), (12, true), (400, false)] {
            let parts = inbox(size, rows, second_line);
            check(size, &[parts.header, parts.list, parts.rule, parts.detail]);
        }
        let parts = review(size);
        check(size, &parts);
        for (words, rows, free) in [(1, 1, false), (3, 9, false), (20, 40, false), (2, 0, true)] {
            let whole = (rows == 9).then_some((Descriptions::Below, 14));
            let needs = FormNeeds { words, rows, whole, text: free.then_some(rows), ..FormNeeds::default() };
            let parts = form(size, FormNeeds { filter: true, ..needs });
            check(size, &[parts.header, parts.question]);
            check(size, &[parts.question, if free { parts.body } else { parts.status }]);
            if !free {
                check(size, &[parts.status, parts.body, parts.rule, parts.context]);
            }
            let parts = form(size, needs);
            check(size, &[parts.header, parts.question, parts.body, parts.status, parts.rule, parts.context]);
            check(size, &[parts.question, parts.field]);
        }
    }
}

#[test]
fn a_page_of_options_is_as_tall_as_the_screen_allows() {
    let rows = |width, height, rows| {
        form(Size { width, height }, FormNeeds { words: 1, rows, ..FormNeeds::default() }).body.height
    };
    assert_eq!([rows(80, 24, 4), rows(80, 24, 28), rows(40, 12, 28), rows(20, 5, 28)], [4, 12, 5, 1]);
    assert_eq!([rows(120, 40, 60), rows(200, 60, 60)], [25, 53]);
}

#[test]
fn a_list_takes_what_the_details_beside_it_cannot_use() {
    let widths = |width| {
        let parts = inbox(Size { width, height: 50 }, 12, false);
        [parts.list.width, parts.detail.width]
    };
    assert_eq!([120, 160, 200].map(widths), [[66, 53], [68, 91], [97, 102]]);
}

#[test]
fn running_text_is_never_wider_than_can_be_read() {
    for width in 1..=300 {
        let size = Size { width, height: 60 };
        let free = form(size, FormNeeds { words: 1, text: Some(3), ..FormNeeds::default() });
        let long = form(size, FormNeeds { words: 1, rows: 90, ..FormNeeds::default() });
        let panes = [free.context, long.context, inbox(size, 12, false).detail];
        for text in
            panes.map(|pane| pane.inset(1, 1)).into_iter().chain([receipt(size), inside_frame(free.field)])
        {
            assert!(text.width <= READING, "{width}: {text:?}");
        }
    }
}

#[test]
fn a_short_list_leaves_its_rows_to_the_detail() {
    let rows = |rows| {
        let parts = inbox(Size { width: 80, height: 24 }, rows, false);
        (parts.list.height, parts.detail.height)
    };
    assert_eq!([rows(1), rows(4), rows(400)], [(1, 19), (4, 16), (11, 9)]);
}
