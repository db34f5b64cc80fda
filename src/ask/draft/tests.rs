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
fn ticking_all_keeps_own_words() {
    let spec = spec();
    let question = &spec.questions[1];
    let mut reply = Reply::default();
    reply.take_own(question, "own").expect("own words");
    reply.toggle_all(question, &[0, 1, 2]);
    assert_eq!(reply.picks.len(), 4);
    reply.toggle(1);
    reply.toggle_all(question, &[0, 1, 2]);
    assert_eq!(reply.picks.len(), 4);
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
fn no_answer_comes_round_again_where_there_was_none() {
    for prefilled in [true, false] {
        let record = Reply { prefilled, ..typed("theirs") };
        let mut reply = Reply::default();
        let mut seen = Vec::new();
        for _ in 0..4 {
            assert!(reply.cycle(Some(&record)));
            seen.push(reply.text.display().into_owned());
            assert!(reply.asides().all(|aside| aside.text == "theirs"), "no answer is nothing to show");
        }
        assert_eq!(seen, ["theirs", "", "theirs", ""]);
        assert!(reply.touched, "nothing is filled in again");
    }
    let mut reply = Reply::default();
    assert!(!reply.cycle(None), "there is no other answer");
}

#[test]
fn typed_words_that_were_put_aside_come_back_as_typed() {
    let spec = spec();
    let mut draft = Draft::new(&spec);
    let reply = &mut draft.replies[0];
    let picks = reply.picks.clone();
    for words in ["first", "", "  ", "first", "__PAUSE__", "last"] {
        reply.put_words_aside(words.to_owned());
    }
    let mut kept = String::new();
    draft.write_json(&spec, &mut kept);
    let mut draft = Draft::read_json(&spec, &kept, Vec::new()).draft;
    let reply = &mut draft.replies[0];
    let mut seen = Vec::new();
    for _ in 0..4 {
        assert!(reply.cycle(None));
        seen.push(reply.other.clone());
    }
    assert_eq!(seen, ["first", "__PAUSE__", "last", "first"]);
    assert_eq!((&reply.picks, reply.touched), (&picks, false), "nothing is chosen");
    assert_eq!(reply.asides().count(), 2);
}

#[test]
fn what_was_put_aside_survives_a_session_and_what_fits_no_more_is_an_orphan() {
    let spec = spec();
    let mut draft = Draft::prefilled(&spec, &vec![("text".to_owned(), Answer::One("theirs".into()))]);
    let at = spec.find("text").expect("a question").0;
    draft.replies[at].put_aside(typed("mine"));
    let mut kept = String::new();
    draft.write_json(&spec, &mut kept);
    assert_eq!(Draft::read_json(&spec, &kept, Vec::new()).draft, draft);
    let mut other = spec.clone();
    other.questions.remove(at);
    let orphans = draft.carried_over(&spec, &other, Vec::new()).orphans;
    assert!(orphans.iter().any(|orphan| orphan.words == "mine"), "{orphans:?}");
}

/// Carries answers from packet to packet, through the form in which they are kept.
struct Carrier {
    spec: QuestionSpec,
    over: CarriedOver,
}

impl Carrier {
    fn of(spec: &QuestionSpec) -> Carrier {
        let over = CarriedOver { draft: Draft::new(spec), orphans: Vec::new(), again: Vec::new() };
        Carrier { spec: spec.clone(), over }
    }

    fn to(&mut self, spec: &QuestionSpec) -> &mut Carrier {
        let CarriedOver { draft, orphans, .. } = &self.over;
        let over = draft.carried_over(&self.spec, spec, orphans.clone());
        let mut kept = String::new();
        draft.write_json(&self.spec, &mut kept);
        assert_eq!(Draft::read_json(spec, &kept, orphans.clone()), over, "kept, or in the open form");
        (self.over, self.spec) = (over, spec.clone());
        self
    }

    fn orphans(&self) -> Vec<String> {
        let mut words: Vec<String> =
            self.over.orphans.iter().map(|orphan| orphan.words.display().into_owned()).collect();
        words.sort();
        words
    }
}

/// The spec without these questions and options.
fn without(spec: &QuestionSpec, ids: &[&str], labels: &[&str]) -> QuestionSpec {
    let mut spec = spec.clone();
    spec.questions.retain(|question| !ids.contains(&question.id.as_str()));
    for question in &mut spec.questions {
        question.options.retain(|option| !labels.iter().any(|label| option.label == **label));
        question.default.clear();
    }
    spec
}

#[test]
fn whatever_goes_and_comes_again_is_filled_in_as_it_was() {
    let spec = without(&spec(), &[], &[]);
    let mut carrier = Carrier::of(&spec);
    let replies = &mut carrier.over.draft.replies;
    replies[0].take_own(&spec.questions[0], "own").expect("own words");
    replies[1].toggle_all(&spec.questions[1], &[0, 1, 2]);
    replies[1].take_own(&spec.questions[1], "more").expect("own words");
    replies[1].other = "typed".to_owned();
    replies[1].note = "why".into();
    replies[2].type_text("text");
    let whole = carrier.over.draft.clone();
    carrier.to(&without(&spec, &["one"], &["y"]));
    assert_eq!((carrier.orphans(), carrier.over.again.len()), (vec!["own".to_owned(), "y".to_owned()], 0));
    carrier.to(&without(&spec, &["one", "text"], &["x", "y"]));
    assert_eq!(carrier.orphans(), ["own", "text", "x", "y"]);
    carrier.to(&without(&spec, &["one", "many", "text"], &[]));
    assert_eq!(carrier.orphans(), ["more", "own", "text", "typed", "why", "x", "y", "z"]);
    carrier.to(&without(&spec, &["one"], &["x"]));
    assert_eq!(carrier.over.again, ["many", "text"]);
    assert_eq!(carrier.orphans(), ["own", "x"]);
    carrier.to(&spec);
    assert_eq!(carrier.over.again, ["many", "one"]);
    assert_eq!((&carrier.over.draft, carrier.orphans()), (&whole, Vec::new()));
    assert!(carrier.to(&spec).over.again.is_empty(), "said once");
}

#[test]
fn what_was_cleared_stays_cleared_when_it_is_asked_again() {
    let spec = spec();
    let mut carrier = Carrier::of(&spec);
    carrier.over.draft.replies[0].clear();
    let whole = carrier.over.draft.clone();
    carrier.to(&without(&spec, &["one"], &[])).to(&spec);
    assert_eq!((&carrier.over.draft.replies[0], carrier.over.again.len()), (&whole.replies[0], 0));
}

#[test]
fn what_the_author_has_answered_instead_stays() {
    let spec = without(&spec(), &[], &[]);
    let mut carrier = Carrier::of(&spec);
    carrier.over.draft.replies[0].choose(1);
    carrier.over.draft.replies[1].toggle_all(&spec.questions[1], &[0, 1]);
    carrier.to(&without(&spec, &[], &[" b ", "y"]));
    carrier.over.draft.replies[0].choose(0);
    carrier.over.draft.replies[1].toggle(1);
    carrier.to(&spec);
    assert_eq!(carrier.over.draft.replies[0].picks, [Pick::Option(0)]);
    assert_eq!(carrier.over.draft.replies[1].picks, [Pick::Option(0), Pick::Option(2)]);
    assert_eq!((carrier.orphans(), carrier.over.again.len()), (vec![" b ".to_owned(), "y".to_owned()], 0));
}

#[test]
fn each_kind_that_a_question_had_keeps_its_own_answer() {
    let spec = spec();
    let mut text = spec.clone();
    text.questions[0] = Question { id: "one".to_owned(), ..spec.questions[2].clone() };
    let mut carrier = Carrier::of(&spec);
    carrier.over.draft.replies[0].choose(1);
    carrier.to(&text);
    carrier.over.draft.replies[0].type_text("words");
    carrier.to(&spec);
    assert_eq!(carrier.over.draft.replies[0].picks, [Pick::Option(1)]);
    assert_eq!(carrier.orphans(), ["words"]);
    carrier.to(&text);
    assert_eq!(carrier.over.draft.replies[0].text, "words");
}

#[test]
fn words_for_a_question_that_is_gone_stand_in_it_when_it_comes_again() {
    let spec = spec();
    for (id, stands) in [("one", "typed"), ("text", "words")] {
        let mut carrier = Carrier::of(&spec);
        carrier.to(&without(&spec, &[id], &[]));
        let (at, gone) = spec.find(id).expect("a question");
        carrier.over.draft.type_for(gone, stands);
        carrier.to(&spec);
        let reply = &carrier.over.draft.replies[at];
        let (text, other) = if id == "text" { (stands, "") } else { ("", stands) };
        assert_eq!((reply.text.display(), reply.other.as_str()), (text.into(), other), "{id}");
    }
}

#[test]
fn an_answer_that_fits_again_has_beside_it_what_was_put_aside_meanwhile() {
    let spec = without(&spec(), &[], &[]);
    let mut closed = spec.clone();
    closed.questions[0].allow_other = false;
    let own = |words: &str| Reply { picks: vec![Pick::Own(words.into())], ..Reply::default() };
    for (then, aside, orphans) in [(&spec, "first second", ""), (&closed, "", "first second")] {
        let mut carrier = Carrier::of(&spec);
        carrier.over.draft.replies[0].choose(1);
        carrier.over.draft.replies[0].put_aside(own("first"));
        carrier.to(&without(&spec, &[], &[" b "]));
        carrier.over.draft.replies[0].put_aside(own("second"));
        carrier.to(then);
        let reply = &carrier.over.draft.replies[0];
        assert_eq!(reply.picks, [Pick::Option(1)]);
        let put_aside: Vec<_> = reply.asides().flat_map(Reply::own).map(|own| own.display()).collect();
        assert_eq!(
            (put_aside.join(" "), carrier.orphans().join(" ")),
            (aside.to_owned(), orphans.to_owned())
        );
    }
}
