use super::*;
use crate::ask::decode_spec;

fn spec() -> QuestionSpec {
    let json = r#"{"version":1,"topic":"t","questions":[
        {"id":"one","header":"h","question":"q","kind":"single_choice","required":true,"allow_other":true,
         "options":[{"label":"a","description":"d"},{"label":" b ","description":"d"}],"default":"a"},
        {"id":"many","header":"h","question":"q","kind":"multi_choice","required":false,"allow_other":true,
         "options":[{"label":"x","description":"d"},{"label":"y","description":"d"},{"label":"z","description":"d"}],
         "default":["z","x"]},
        {"id":"text","header":"h","question":"q","kind":"free_text","required":true}]}"#;
    decode_spec(json.as_bytes()).expect("a legal spec")
}

#[test]
fn untouched_defaults_are_answers_in_option_order() {
    let spec = spec();
    let draft = Draft::new(&spec);
    assert_eq!(
        draft.answers(&spec),
        vec![
            ("one".to_owned(), Answer::One("a".into())),
            ("many".to_owned(), Answer::Many(vec!["x".into(), "z".into()])),
        ]
    );
    assert_eq!(draft.missing(&spec), vec![2]);
    assert!(!draft.touched());
}

#[test]
fn clearing_a_default_leaves_the_id_out() {
    let spec = spec();
    let mut draft = Draft::new(&spec);
    draft.replies[1].clear();
    assert!(draft.answers(&spec).iter().all(|(id, _)| id != "many"));
    assert!(draft.touched());
}

#[test]
fn ticks_stand_in_option_order_and_own_words_behind_them() {
    let spec = spec();
    let question = &spec.questions[1];
    let mut reply = Reply::default();
    reply.take_own(question, "  自己写的 ").expect("own words");
    reply.toggle(2);
    reply.toggle(0);
    reply.take_own(question, "second").expect("own words");
    let values = reply.answer(question).expect("answered");
    assert_eq!(values.values(), ["x", "z", "自己写的", "second"].map(JsString::from));
    assert_eq!(reply.take_own(question, "second"), Err(OwnFault::Duplicate));
    reply.toggle(2);
    assert!(!reply.has(2));
}

#[test]
fn own_words_equal_to_a_label_are_that_label() {
    let spec = spec();
    let question = &spec.questions[0];
    let mut reply = Reply::default();
    reply.take_own(question, " a ").expect("label");
    assert_eq!(reply.picks, vec![Pick::Option(0)]);
    reply.take_own(question, " b ").expect("label with its spaces");
    assert_eq!(reply.picks, vec![Pick::Option(1)]);
}

#[test]
fn blank_and_reserved_words_are_refused_and_change_nothing() {
    let spec = spec();
    let question = &spec.questions[0];
    let mut reply = Reply::fresh(question);
    for (words, fault) in [
        ("\u{3000}\u{feff}", OwnFault::Blank),
        ("__done__", OwnFault::Reserved),
        ("____group_12__", OwnFault::Reserved),
    ] {
        assert_eq!(reply.take_own(question, words), Err(fault));
        assert_eq!(reply, Reply::fresh(question));
    }
    for words in ["_done_", "__undone__", "__group___", "done__", "__"] {
        assert!(!is_control_token(words), "{words}");
    }
    let closed = Question { allow_other: false, ..question.clone() };
    assert_eq!(reply.take_own(&closed, "purple"), Err(OwnFault::NotAllowed));
}

#[test]
fn free_text_is_kept_exactly_and_blank_text_is_no_answer() {
    let spec = spec();
    let question = &spec.questions[2];
    let mut reply = Reply::default();
    reply.type_text("\u{3000}\u{3000}雨停之前。\n ");
    assert_eq!(reply.answer(question), Some(Answer::One("\u{3000}\u{3000}雨停之前。\n ".into())));
    reply.type_text("\u{3000}\n");
    assert_eq!(reply.answer(question), None);
}

#[test]
fn all_and_invert_keep_own_words() {
    let spec = spec();
    let question = &spec.questions[1];
    let mut reply = Reply::default();
    reply.take_own(question, "own").expect("own words");
    reply.toggle_all(question, &[0, 1, 2]);
    assert_eq!(reply.picks.len(), 4);
    reply.toggle(1);
    reply.invert(question, &[0, 1, 2]);
    assert_eq!(reply.picks, vec![Pick::Option(1), Pick::Own("own".into())]);
    reply.toggle_all(question, &[0, 1, 2]);
    reply.toggle_all(question, &[0, 1, 2]);
    assert_eq!(reply.picks, vec![Pick::Own("own".into())]);
}

#[test]
fn prefilling_repeats_the_record_and_blanks_what_it_left_out() {
    let spec = spec();
    let answers = vec![
        ("one".to_owned(), Answer::One("elsewhere".into())),
        ("text".to_owned(), Answer::One("t".into())),
    ];
    let draft = Draft::prefilled(&spec, &answers);
    assert_eq!(draft.answers(&spec), answers);
}

fn typed(text: &str) -> Reply {
    let mut reply = Reply::default();
    reply.type_text(text);
    reply
}

#[test]
fn what_a_record_filled_in_yields_to_another_record_and_the_authors_own_does_not() {
    let spec = spec();
    let record = |text: &str| Draft::prefilled(&spec, &vec![("text".to_owned(), Answer::One(text.into()))]);
    let at = spec.find("text").expect("a question").0;
    let mut draft = record("old");
    assert!(!draft.is_authors() && draft.touched());
    draft.fill_from(&record("new"));
    assert_eq!(draft.replies[at].text, "new");
    draft.replies[at].type_text("mine");
    assert!(draft.is_authors());
    draft.fill_from(&record("newest"));
    assert_eq!(draft.replies[at].text, "mine");
    // What an unreadable record leaves untouched keeps what was filled in before.
    let mut draft = record("old");
    draft.fill_from(&Draft::new(&spec));
    assert_eq!(draft.replies[at].text, "old");
}

#[test]
fn every_answer_that_was_put_aside_comes_round_again() {
    let record = Reply { prefilled: true, ..typed("theirs") };
    let mut reply = typed("mine");
    assert!(reply.can_cycle(Some(&record)) && reply.cycle(Some(&record)));
    assert_eq!((reply.text.display(), reply.prefilled), ("theirs".into(), true));
    reply.type_text("theirs, changed");
    let mut seen = Vec::new();
    for _ in 0..4 {
        assert!(reply.cycle(Some(&record)));
        seen.push(reply.text.display().into_owned());
    }
    assert_eq!(seen, ["theirs", "mine", "theirs", "theirs, changed"]);
    let mut alone = typed("mine");
    assert!(!alone.cycle(Some(&typed("mine"))) && !alone.cycle(None), "there is no other answer");
    assert!(!alone.cycle(Some(&Reply::default())), "saying nothing is none");
}

#[test]
fn what_was_put_aside_survives_a_session_and_what_fits_no_more_is_an_orphan() {
    let spec = spec();
    let mut draft = Draft::prefilled(&spec, &vec![("text".to_owned(), Answer::One("theirs".into()))]);
    let at = spec.find("text").expect("a question").0;
    draft.replies[at].put_aside(typed("mine"));
    let mut kept = String::new();
    draft.write_json(&spec, &mut kept);
    let read = crate::ask::json::Json::parse(kept.as_bytes()).expect("JSON");
    assert_eq!(Draft::read_json(&spec, read.root()), (draft.clone(), Vec::new()));
    let mut other = spec.clone();
    other.questions.remove(at);
    let (_, orphans) = draft.carried_over(&spec, &other);
    assert!(orphans.iter().any(|orphan| orphan.words == "mine"), "{orphans:?}");
}
