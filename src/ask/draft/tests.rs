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
    reply.toggle_all(question);
    assert_eq!(reply.picks.len(), 4);
    reply.toggle(1);
    reply.invert(question);
    assert_eq!(reply.picks, vec![Pick::Option(1), Pick::Own("own".into())]);
    reply.toggle_all(question);
    reply.toggle_all(question);
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
