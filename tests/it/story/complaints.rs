//! What authors complain of in other dialogs, where no other story shows that it cannot happen here.

use super::{Story, question};
use novel_gate::console::help::Help;
use novel_gate::console::model::{Place, Size};
use novel_gate::console::terminal::event::Input;
use novel_gate::console::terminal::run_loop::Flow;
use serde_json::json;

fn genre(more: &str) -> String {
    format!("[{}]", question("genre", "single_choice", true, &["热血", "克制"], more))
}

#[test]
fn time_alone_answers_nothing_and_loses_nothing() {
    let questions = genre(r#","allow_other":true,"default":"克制""#);
    let mut story = Story::open(&questions);
    story.press("end enter").burst("慢热");
    for _ in 0..40 {
        story.wait(24 * 60 * 60).scan();
        story.look();
    }
    assert_eq!((story.record(), story.place()), (None, Place::Form));
    assert!(story.shown().contains("慢热"), "{}", story.shown());
    story.press("enter");
    story.wait(24 * 60 * 60).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "慢热"}));
}

#[test]
fn a_label_longer_than_the_screen_is_read_to_its_end() {
    let long = format!("{}到此为止", "主角在雨里等一个不会回来的人，".repeat(12));
    let mut story =
        Story::open(&format!("[{}]", question("scene", "single_choice", true, &[&long, "不写"], "")));
    for (width, height) in [(40, 12), (80, 24)] {
        story.flow = story.console.inputs(&[Input::Resize(Size { width, height })]);
        let mut seen = String::new();
        story.press("f4");
        for _ in 0..12 {
            seen += &story.shown().replace(['\n', ' '], "");
            story.press("pgdn");
        }
        assert!(seen.contains("到此为止"), "{width}x{height}: {seen}");
        story.press("esc");
    }
}

#[test]
fn in_a_window_that_shows_nothing_no_key_answers() {
    let mut story = Story::open(&genre(r#","default":"热血""#));
    let resize = |story: &mut Story, width, height| {
        story.flow = story.console.inputs(&[Input::Resize(Size { width, height })]);
        story.paint();
    };
    for keys in ["ctrl+s", "down enter ctrl+s", "f1 esc f8 enter"] {
        resize(&mut story, 18, 4);
        for key in keys.split_whitespace() {
            story.wait(1).press(key).wait(1).press(key);
        }
        resize(&mut story, 80, 24);
        assert!(story.find::<Help>().is_none(), "{}", story.shown());
        assert_eq!((story.record(), story.place()), (None, Place::Form), "{keys}: {}", story.shown());
    }
    story.press("ctrl+s").wait(1).press("ctrl+s");
    story.scan();
    story.press("esc");
    resize(&mut story, 80, 3);
    story.press("f8 enter").wait(1).press("enter");
    assert!(story.record().is_some());
    assert!(matches!(story.press("f10").flow, Flow::Quit(0)));
}

#[test]
fn with_the_input_method_on_no_letter_is_needed() {
    let mut story = Story::open(&genre(""));
    story.burst("\u{3000}").wait(1).press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "热血"}));
    let mut story = Story::open(&genre(""));
    story.press("down").burst("\u{3000}").wait(1).press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "克制"}));
}

#[test]
fn blank_is_blank_and_says_so_before_it_is_sent() {
    let asked = [
        question("genre", "single_choice", true, &["热血", "克制"], ""),
        question("music", "single_choice", false, &["有", "无"], ""),
        question("remarks", "free_text", false, &[], ""),
    ];
    let mut story = Story::open(&format!("[{}]", asked.join(",")));
    story.press("1 ctrl+s");
    assert_eq!(story.place(), Place::Review);
    assert_eq!(
        story.shown().matches("left blank (optional): nothing is written").count(),
        2,
        "{}",
        story.shown()
    );
    story.wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "热血"}));
}

#[test]
fn there_may_be_more_questions_options_and_longer_names_than_other_dialogs_take() {
    let labels: Vec<String> = (1..=40).map(|n| format!("第{n}种写法")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let header = "这一题的名字比别的对话框允许的十二个字要长得多";
    let asked: Vec<String> = (1..=12)
        .map(|n| question(&format!("q{n}"), "single_choice", true, &labels, ""))
        .map(|text| text.replacen(r#""header":"q"#, &format!(r#""header":"{header}"#), 1))
        .collect();
    let mut story = Story::open(&format!("[{}]", asked.join(",")));
    for _ in 0..12 {
        story.press("end enter");
    }
    story.wait(1).press("ctrl+s");
    let answers = story.answers();
    assert_eq!(answers.as_object().map(serde_json::Map::len), Some(12));
    assert!((1..=12).all(|n| answers[format!("q{n}")] == "第40种写法"), "{answers}");
}

#[test]
fn an_answer_that_is_refused_holds_nobody_in_its_question() {
    let asked = [
        question("music", "single_choice", true, &["有", "无"], ""),
        question("genre", "single_choice", true, &["热血", "克制"], r#","allow_other":true"#),
    ];
    let mut story = Story::open(&format!("[{}]", asked.join(",")));
    story.press("tab end enter").burst("__done__").press("shift+tab");
    assert_eq!(story.form().at, 0, "{}", story.notice());
    story.press("2 tab");
    assert!(story.shown().contains("__done__"), "what was typed is still there: {}", story.shown());
    story.press("1 ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"music": "无", "genre": "热血"}));
}

#[test]
fn five_megabytes_pasted_arrive_whole_and_drawing_them_costs_what_the_screen_shows() {
    let mut story = Story::open(&format!("[{}]", question("note", "free_text", true, &[], "")));
    let text = "雨停之前，别让他回头。\n".repeat(160_000);
    story.paste(&text);
    assert!(story.shown().contains("雨停之前"));
    story.press("left right").burst("完");
    assert!(story.form().field.text().starts_with(&text), "nothing is lost");
    story.restart();
    story.open_form();
    assert_eq!(story.form().field.text().len(), text.len() + "完".len());
}

#[test]
fn the_mouse_outside_of_everything_and_the_wheel_anywhere_write_nothing() {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    let mut story = Story::of(&format!("[{pick}]"));
    let (column, row) = (u16::MAX, u16::MAX);
    let all = [
        Input::Click { column, row },
        Input::Click { column: 79, row: 23 },
        Input::ScrollUp,
        Input::ScrollDown,
    ];
    for keys in ["", "f1", "esc", "enter", "f4", "esc", "ctrl+s", "esc"] {
        story.scan();
        story.press(keys);
        story.flow = story.console.inputs(&all);
        assert!(story.record().is_none(), "{keys}");
    }
    assert!(!story.form().draft.is_authors(), "nothing was answered");
}

#[test]
fn the_page_of_the_review_shows_answers_as_they_read_and_the_record_one_key_further() {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "")
        .replace("\"d\"", "\"女频为主\"");
    let tags = question("tags", "multi_choice", true, &["快", "慢"], r#","allow_other":true"#);
    let mut story = Story::open(&format!("[{pick},{tags},{}]", question("note", "free_text", true, &[], "")));
    let text = (1..9).map(|n| format!("第{n}段。她说：“走。”")).collect::<Vec<_>>().join("\n\n");
    story.press("2 tab 1 2 tab").paste(text.trim_end()).press("ctrl+n").burst("备注一\n备注二");
    story.press("f4");
    assert!(story.shown().contains("Note on note"), "{}", story.shown());
    story.press("esc ctrl+n f4");
    let page = story.shown();
    assert!(
        page.contains(" 第1段。她说：“走。”  ") && !page.contains("\\n"),
        "as it stands in the field: {page}"
    );
    story.press("esc ctrl+s").wait(1);
    assert!(!story.shown().contains("\"answers\""), "{}", story.shown());
    assert!(story.shown().contains("jjwxc  女频为主"), "{}", story.shown());
    story.press("f4");
    for words in ["jjwxc  女频为主", "· 快  d", "第1段。她说：“走。”"] {
        assert!(story.shown().contains(words), "{words}: {}", story.shown());
    }
    story.press("end");
    for words in ["第8段。她说：“走。”", "备注二", "Tab the record's text"] {
        assert!(story.shown().contains(words), "{words}: {}", story.shown());
    }
    story.press("tab");
    assert!(
        story.shown().contains("\"version\": 1") && story.shown().contains("Tab the answers"),
        "{}",
        story.shown()
    );
    story.press("tab");
    assert!(story.shown().contains("第1段。") && !story.shown().contains("\"version\""), "{}", story.shown());
    story.press("esc ctrl+s");
    assert_eq!(story.answers()["platform"], "jjwxc");
    // On pages without one the key says so.
    story.scan();
    story.press("f4 tab");
    assert!(story.notice().contains("does nothing here"), "{}", story.notice());
}

#[test]
fn what_a_label_means_stands_beside_it_and_never_pushes_it_out() {
    let means = format!("女频为主，{}末尾", "按章订阅，读者爱看长线关系。".repeat(4));
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "")
        .replace("\"d\"", &format!("\"{means}\""));
    let asked = format!("[{pick},{}]", question("note", "free_text", false, &[], ""));
    for (width, height, whole) in [(80, 24, true), (40, 12, false), (120, 40, true)] {
        let mut story = Story::open(&asked);
        story.console.stack.model.size = Size { width, height };
        story.press("2 ctrl+s").wait(1);
        let shown = story.shown();
        assert!(shown.contains("jjwxc  女频") && (!whole || shown.contains("末尾")), "{shown}");
        story.press("ctrl+s");
        assert!(story.shown().contains("jjwxc"), "the receipt: {}", story.shown());
        assert!(width < 80 || story.shown().contains("jjwxc  女频"), "{}", story.shown());
    }
}
