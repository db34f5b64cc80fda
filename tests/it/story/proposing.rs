//! The executor proposes options to a standing question, a round at a time, while the author is somewhere in the console.

use super::{PACKET, Story, files};
use novel_gate::ask::Pick;
use novel_gate::console::form::{Focus, Row};
use novel_gate::console::input::keymap::Context;
use novel_gate::console::model::{Place, Size};
use novel_gate::store::attach::attach;
use novel_gate::store::reply::{last, note_delivered};
use novel_gate::store::rounds::Delivered;
use novel_gate::text::Lang;
use serde_json::{Value, json};
use std::fs;

const ROUNDS: &str = "staging/novel-ask/way-chapter-048-draft.rounds.jsonl";
const RECORD: &str = "staging/novel-ask/way-chapter-048-draft.answers.json";

/// The file of a question with two options of its own and two rounds of two.
fn file(kind: &str) -> String {
    format!(
        r#"{{"_steps": ["chapter:*:draft"], "version": 1, "topic": "Path", "questions": [{{"id": "way", "header": "Path",
        "question": "Which way?", "kind": "{kind}", "required": true, "allow_other": true,
        "options": [{{"label": "Outline", "description": "d"}}, {{"label": "Your call", "description": "d"}}],
        "_propose": {{"brief": "two ways", "options": 2, "rounds": 2}}}}]}}"#
    )
}

fn book_of(kind: &str) -> Story {
    let mut story = Story::of("[]");
    story.put(PACKET, r#"{"step": "chapter:048:draft"}"#);
    story.put("questions/way.question.json", &file(kind));
    story.scan();
    story
}

fn book() -> Story {
    book_of("single_choice")
}

impl Story {
    /// The executor proposes these, and the console does not know it yet.
    fn propose_unseen(&self, labels: &[&str]) {
        let options: Vec<Value> =
            labels.iter().map(|label| json!({"label": label, "description": "d"})).collect();
        let (project, packet) =
            (files(self.dir.path(), &self.clock).project.clone(), self.root().join(PACKET));
        let line = json!({"event": "proposed", "at": "2026-02-27T10:12:34.000Z", "by": "propose", "question": "way", "options": options});
        let rounds = self.root().join(ROUNDS);
        let before = fs::read_to_string(&rounds).unwrap_or_default();
        fs::create_dir_all(rounds.parent().expect("a directory")).expect("a directory");
        fs::write(&rounds, format!("{before}{line}\n")).expect("a round");
        attach(&project, &packet).expect("attached");
    }

    fn propose(&mut self, labels: &[&str]) -> &mut Story {
        self.propose_unseen(labels);
        self.scan();
        self
    }

    /// The rows of the question shown, by their labels.
    fn rows(&self) -> Vec<String> {
        let form = self.form();
        let row = |row: Row| match row {
            Row::Option(place) => form.question().options[place].label.display().into_owned(),
            row => format!("{row:?}"),
        };
        form.rows().map(row).collect()
    }

    /// The row under the cursor.
    fn row(&self) -> String {
        self.rows()[self.form().view().cursor].clone()
    }

    fn picked(&self) -> Vec<String> {
        let form = self.form();
        let label = |pick: &Pick| match pick {
            Pick::Option(place) => form.question().options[*place].label.display().into_owned(),
            Pick::Own(words) => words.display().into_owned(),
        };
        form.reply().picks.iter().map(label).collect()
    }

    fn recorded(&self) -> Value {
        let text = fs::read_to_string(self.root().join(RECORD)).expect("a record");
        serde_json::from_str::<Value>(&text).expect("JSON")["answers"]["way"].clone()
    }

    /// Sends the step back from the list, and lets the executor fetch it.
    fn refuse(&mut self) {
        self.press("ctrl+x").burst("too tame").wait(1).press("ctrl+s");
        let (project, place) = (files(self.dir.path(), &self.clock).project.clone(), RECORD.into());
        let id = last(&project, &place).expect("sent back").sent.id;
        let line = Delivered { at: "2026-03-07T10:30:00.000Z".into(), by: "wait".into(), id };
        note_delivered(&project, &self.root().join(PACKET), &place, line).expect("noted");
        self.scan();
    }

    /// Two rounds are there, and the author is in the form.
    fn second_round(&mut self) -> &mut Story {
        self.propose(&["knife", "lie"]).propose(&["dark", "storm"]).press("enter").wait(1)
    }
}

#[test]
fn the_inbox_says_that_options_are_to_come_and_tells_when_they_have() {
    let mut story = book();
    assert!(story.shown().contains("Path · options to come"), "{}", story.shown());
    story.press("f4");
    assert!(story.shown().contains("2 options to come; you can answer at once"), "{}", story.shown());
    story.press("esc f12");
    story.propose(&["knife", "lie"]);
    assert!(
        story.shown().contains("Options have come: chapter:048:draft (Esc to the list)"),
        "{}",
        story.shown()
    );
    story.press("esc");
    assert!(!story.shown().contains("to come"), "{}", story.shown());
}

#[test]
fn each_round_is_told_in_the_inbox_and_outside_the_screen_and_what_the_author_does_is_not() {
    let told = |story: &mut Story| -> Vec<String> {
        story.console.runner().notices.drain(..).map(|gates| gates.body).collect()
    };
    let mut story = book();
    story.propose(&["knife", "lie"]);
    let says = "Options have come: chapter:048:draft";
    assert_eq!((story.notice(), told(&mut story)), (says.to_owned(), vec![says.to_owned()]));
    story.refuse();
    story.press("ctrl+u").wait(1);
    story.scan();
    assert_eq!(told(&mut story), [""; 0], "taken back");
    story.refuse();
    story.console.stack.model.lang = Lang::ZhCn;
    story.propose(&["dark", "storm"]);
    assert_eq!(
        (story.notice(), told(&mut story)),
        (says.to_owned(), vec!["备选已到：chapter:048:draft".to_owned()])
    );
    let without = file("single_choice").replace("_propose", "_kept");
    for text in [&without, &file("single_choice")] {
        story.put("questions/way.question.json", text);
        story.scan();
        assert!(
            told(&mut story).iter().all(|body| !body.contains("备选已到")),
            "the author has changed the file"
        );
    }
    story.press("enter").wait(1).press("1").wait(1).press("ctrl+s").wait(1).press("ctrl+s");
    story.scan();
    assert_eq!(told(&mut story), [""; 0], "answered");
}

#[test]
fn a_round_that_comes_while_its_form_is_open_is_told_outside_the_screen_too() {
    let mut story = book();
    story.press("enter").wait(1);
    story.propose(&["knife", "lie"]);
    assert_eq!(story.notice(), "Round 1 has come: A1-A2.");
    let bodies: Vec<_> = story.console.runner().notices.iter().map(|gates| gates.body.as_str()).collect();
    assert_eq!(bodies, ["Options have come: chapter:048:draft"]);
}

#[test]
fn a_mark_that_is_typed_chooses_its_option_and_is_no_answer() {
    for keys in ["b2", "B2", "Ｂ２", "a2"] {
        let chosen = if keys == "a2" { "lie" } else { "storm" };
        let mut story = book();
        story.second_round().burst(keys);
        assert_eq!((story.row(), story.form().reply().other.as_str()), (chosen.to_owned(), ""), "{keys}");
        story.press("enter").wait(1).press("ctrl+s");
        assert_eq!(story.recorded(), chosen, "{keys}");
        let mut story = book();
        story.second_round().burst(keys).press("end enter").wait(1).press("enter").wait(1);
        assert_eq!(story.picked(), [chosen], "in the field for own words, {keys}");
        let mut story = book_of("multi_choice");
        story.second_round().burst(keys).press("enter").burst("a1").press("enter");
        assert!(story.picked().contains(&chosen.to_owned()) && story.picked().contains(&"knife".to_owned()));
        story.press("esc end enter").burst(&format!(" {keys} ")).wait(1).press("enter");
        assert_eq!(
            (story.picked().len(), story.row()),
            (2, chosen.to_owned()),
            "it is ticked already, {keys}"
        );
    }
    let mut story = book();
    story.second_round().burst("b");
    assert_eq!(story.row(), "Typed", "{:?}", story.rows());
    story.burst("3");
    assert_eq!(story.rows(), ["Typed"], "no such option");
}

#[test]
fn the_form_says_which_round_it_is_and_what_becomes_of_it_when_it_is_sent_back() {
    let mut story = book();
    story.press("enter");
    assert!(story.shown().contains("2 options to come; you can answer at once"), "{}", story.shown());
    story.press("ctrl+x");
    assert!(story.shown().contains("and proposes round 1 of 2."), "{}", story.shown());
    story.press("esc");
    story.propose(&["knife", "lie"]);
    assert!(story.shown().contains("round 1 of 2 · Ctrl+X asks for another"), "{}", story.shown());
    story.press("ctrl+x");
    assert!(story.shown().contains("and proposes round 2 of 2."), "{}", story.shown());
    story.press("esc esc");
    story.refuse();
    assert!(story.shown().contains("round 2 of 2 to come; you can answer at once"), "{}", story.shown());
    story.propose(&["dark", "storm"]).press("enter");
    assert!(story.shown().contains("round 2 of 2, the last"), "{}", story.shown());
    story.press("ctrl+x");
    assert!(story.shown().contains("and to propose no more."), "{}", story.shown());
    story.press("tab");
    assert!(!story.shown().contains("to propose no more"), "it does not apply: {}", story.shown());
    story.press("tab esc esc");
    story.refuse();
    // Once it is heard, nothing else can come: it is the author's turn.
    assert!(story.shown().contains("waiting"), "{}", story.shown());
    assert!(story.shown().contains("round 2 of 2, the last"), "{}", story.shown());
    story.console.stack.model.lang = Lang::ZhCn;
    assert!(story.shown().contains("第 2 轮，共 2 轮，已是最后一轮"), "{}", story.shown());
}

#[test]
fn earlier_rounds_are_one_row_that_keys_and_digits_open() {
    let folded = ["dark", "storm", "Earlier", "Outline", "Your call", "Other"];
    let whole = ["dark", "storm", "knife", "lie", "Outline", "Your call", "Other"];
    for keys in ["down down enter", "down down space", "3"] {
        let mut story = book();
        story.second_round();
        assert_eq!(story.rows(), folded);
        assert!(story.shown().contains("3  earlier: A1-A2"), "{}", story.shown());
        story.press(keys);
        assert_eq!((story.rows(), story.row()), (whole.map(str::to_owned).into(), "knife".to_owned()));
        story.press("enter");
        assert_eq!(story.picked(), [""; 0], "{keys}: a key that is held down chooses nothing");
        story.wait(1).press("enter ctrl+s");
        assert_eq!(story.recorded(), "knife", "{keys}");
    }
}

#[test]
fn digits_name_the_rows_that_are_shown() {
    let mut story = book();
    story.second_round().press("4");
    assert_eq!((story.picked(), story.row()), (vec!["Outline".into()], "Outline".into()));
    story.wait(2).press("3 4").wait(2);
    assert_eq!(story.picked(), ["lie"], "the rows stand open since");
    let mut story = book();
    story.second_round().press("3").burst("年前");
    assert_eq!(story.form().typed(), "3年前");
    story.press("esc").wait(1);
    assert_eq!(story.picked(), [""; 0], "the digit was text");
}

#[test]
fn what_is_chosen_is_never_folded_and_a_filter_finds_it() {
    let mut story = book();
    story.second_round().burst("knife");
    assert_eq!((story.rows(), story.row()), (vec!["knife".into(), "Typed".into()], "knife".into()));
    story.press("enter").wait(1);
    assert_eq!(story.place(), Place::Review);
    story.restart();
    story.scan();
    story.press("enter").wait(1);
    assert_eq!((story.row(), story.rows().len()), ("knife".to_owned(), 7), "{}", story.shown());
    let mut story = book();
    story.second_round().press("end ctrl+f esc");
    assert_eq!(story.row(), "Other", "the cursor is where it was");
}

#[test]
fn of_several_all_are_those_that_are_shown() {
    let mut story = book_of("multi_choice");
    story.second_round().press("ctrl+a");
    assert_eq!(story.picked(), ["dark", "storm", "Outline", "Your call"]);
    story.press("3 ctrl+a");
    assert_eq!(story.picked().len(), 6);
}

#[test]
fn an_option_is_varied_in_the_field_for_own_words() {
    let mut story = book();
    story.propose(&["knife", "lie"]).press("enter").wait(1);
    assert!(story.shown().contains("Ctrl+E vary it"), "{}", story.shown());
    story.press("down ctrl+e").burst(", but he knows");
    assert_eq!((story.form().field.text(), story.form().focus), ("lie, but he knows", Focus::Field));
    story.press("enter").wait(1).press("ctrl+s");
    assert_eq!(story.recorded(), "lie, but he knows");
}

#[test]
fn what_was_typed_before_an_option_is_varied_comes_back() {
    let mut story = book();
    story.propose(&["knife", "lie"]).press("enter end enter").burst("雨夜").press("esc home ctrl+e");
    assert_eq!(story.form().field.text(), "knife");
    story.press("ctrl+_");
    assert_eq!(story.form().field.text(), "雨夜", "one key in the field");
    story.press("esc home ctrl+e esc");
    assert_eq!(story.form().reply().other, "", "a label that nobody changed is nothing typed");
    story.press("f7");
    assert_eq!(story.form().reply().other, "雨夜", "and one key outside it");
    story.press("home ctrl+e").burst("!").press("esc");
    assert_eq!(story.form().reply().other, "knife!");
    story.restart();
    story.scan();
    story.press("enter");
    assert_eq!(story.form().reply().other, "knife!");
    story.press("f7");
    assert_eq!(story.form().reply().other, "雨夜", "killed in between");
}

#[test]
fn any_option_can_be_varied_from_the_filter_and_whatever_its_label() {
    let long = format!("{}尾", "长".repeat(300));
    let mut story = book();
    story.put("questions/way.question.json", &file("single_choice").replace("Outline", "two\\nlines"));
    story.propose(&[&long]).press("enter").wait(1).press("ctrl+e").burst("吗");
    assert_eq!(story.form().field.text(), format!("{long}吗"));
    story.press("esc").burst("lines").press("ctrl+e").burst("!");
    assert_eq!(story.form().field.text(), "two lines!", "one line");
    story.press("enter").wait(1);
    assert_eq!(story.picked(), ["two lines!"]);
    story.press("esc").burst("call").press("ctrl+e").burst("?").wait(1).press("enter");
    assert_eq!(story.picked(), ["Your call?"], "one of the file's own");
}

#[test]
fn of_several_a_varied_one_is_ticked_beside_the_others() {
    let mut story = book_of("multi_choice");
    story.propose(&["knife", "lie"]).press("enter").wait(1).press("1 2 ctrl+e").burst("r").wait(1);
    story.press("enter");
    assert_eq!(story.picked(), ["knife", "lie", "lier"]);
    story.press("ctrl+e").burst("s").wait(1).press("enter");
    assert_eq!(story.picked(), ["knife", "lie", "lier", "liers"], "own words, too");
    story.press("ctrl+_");
    assert_eq!(story.picked(), ["knife", "lie", "lier"]);
}

#[test]
fn nothing_is_varied_where_only_options_are_allowed_or_none_is_under_the_cursor() {
    let mut story =
        Story::open(&format!("[{}]", super::question("a", "single_choice", true, &["x", "y"], "")));
    story.press("ctrl+e");
    assert_eq!(
        (story.form().focus, story.notice()),
        (Focus::List, "Only the options can be chosen here.".into())
    );
    let mut story = book();
    story.second_round().press("down down ctrl+e");
    assert_eq!((story.form().focus, story.notice()), (Focus::List, "Go to an option first.".into()));
}

#[test]
fn a_round_that_comes_while_the_form_is_open_leaves_cursor_ticks_and_words() {
    let mut story = book_of("multi_choice");
    story.press("enter").wait(1).press("2 down enter").burst("雨").press("esc up");
    assert_eq!(story.row(), "Your call");
    story.propose(&["knife", "lie"]);
    assert_eq!((story.row(), story.picked()), ("Your call".into(), vec!["Your call".into()]));
    assert_eq!(story.form().reply().other, "雨");
    assert_eq!(story.notice(), "Round 1 has come: A1-A2.");
    assert!(!story.shown().contains("The questions changed"), "{}", story.shown());
    story.wait(1).press("1 2");
    story.propose(&["dark", "storm"]);
    assert_eq!((story.row(), story.notice()), ("lie".into(), "Round 2 has come: B1-B2.".into()));
    assert_eq!(story.picked(), ["knife", "lie", "Your call"]);
    story.press("enter");
    assert!(story.notice().contains("this key was ignored"), "{}", story.notice());
    story.wait(1).burst("dark").press("enter").wait(1);
    story.propose_unseen_is_over();
}

impl Story {
    /// All rounds have been there: the author submits what he has.
    fn propose_unseen_is_over(&mut self) {
        self.press("ctrl+s").wait(1).press("ctrl+s");
        let recorded = self.recorded();
        let all: Vec<&str> = recorded.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        for label in ["dark", "knife", "lie", "Your call"] {
            assert!(all.contains(&label), "{label} is not in {all:?}");
        }
    }
}

#[test]
fn a_round_that_comes_while_own_words_are_typed_or_the_review_is_open_changes_nothing_there() {
    let mut story = book();
    story.press("enter").wait(1).press("end enter").burst("雨");
    story.propose(&["knife", "lie"]);
    story.burst("夜");
    assert_eq!((story.form().field.text(), story.form().focus), ("雨夜", Focus::Field));
    story.wait(1).press("enter").wait(1);
    assert_eq!(story.place(), Place::Review);
    story.propose(&["dark", "storm"]);
    assert_eq!((story.place(), story.notice()), (Place::Review, "Round 2 has come: B1-B2.".into()));
    story.press("ctrl+s");
    assert!(!story.root().join(RECORD).exists(), "a key meant for what was there before: {}", story.shown());
    story.wait(1).press("ctrl+s");
    assert_eq!(story.recorded(), "雨夜");
}

#[test]
fn a_round_that_comes_while_a_reason_is_written_leaves_the_reason_and_a_kill_too() {
    let mut story = book();
    story.propose(&["knife", "lie"]).press("enter").wait(1).press("ctrl+x").burst("太平");
    story.propose(&["dark", "storm"]);
    story.burst("淡");
    assert_eq!(story.model().here, Context::Reason);
    assert_eq!(story.form().note.as_ref().expect("open").field.text(), "太平淡");
    assert!(story.shown().contains("to propose no more"), "what it leads to is another: {}", story.shown());
    story.restart();
    story.scan();
    story.press("enter").wait(1).press("ctrl+x");
    assert_eq!(story.form().note.as_ref().expect("open").field.text(), "太平淡");
}

#[test]
fn a_round_that_comes_just_as_the_author_submits_is_taken_in_and_his_answer_stays() {
    let mut story = book();
    story.propose(&["knife", "lie"]).press("enter").wait(1).press("2").wait(1).press("ctrl+s").wait(1);
    story.propose_unseen(&["dark", "storm"]);
    story.press("ctrl+s");
    let was_written = story.root().join(RECORD).exists();
    story.scan();
    if !was_written {
        assert_eq!((story.place(), story.picked()), (Place::Review, vec!["lie".into()]));
        story.wait(1).press("ctrl+s");
    }
    assert_eq!(story.recorded(), "lie");
}

#[test]
fn a_round_that_comes_while_the_form_lies_behind_the_inbox_is_in_it_when_it_is_opened_again() {
    let mut story = book();
    story.press("enter").wait(1).press("2 esc");
    story.propose(&["knife", "lie"]);
    assert!(!story.notice().contains("has come"), "{}", story.notice());
    story.press("enter").wait(1);
    assert_eq!((story.row(), story.picked()), ("Your call".into(), vec!["Your call".into()]));
}

#[test]
fn a_small_screen_shows_the_rows_and_no_line_for_the_round() {
    let mut story = book();
    story.console.stack.model.size = Size { width: 40, height: 12 };
    story.second_round();
    let shown = story.shown();
    assert!(shown.contains("B1 dark") && shown.contains("earlier: A1-A2"), "{shown}");
    let mut story = book();
    story.console.stack.model.size = Size { width: 40, height: 12 };
    story.propose(&["knife", "lie"]).press("ctrl+x");
    assert!(story.shown().contains("No answer; asks for round 2 of 2."), "{}", story.shown());
    story.console.stack.model.lang = Lang::ZhCn;
    assert!(story.shown().contains("不作回答；再要第 2 轮（共 2 轮）。"), "{}", story.shown());
}
