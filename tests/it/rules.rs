//! The rules hold for every packet and every record, not only for those somebody thought of.
//!
//! Random specs with odd labels and lone surrogates, random ways to answer them, legal documents with something
//! broken in them, and plain noise. What must come out each time: no panic, a record that passes, problems exactly
//! when there is no value, and nothing salvaged that is not good.

use crate::json_schema::value_of;
use crate::object::Object;
use novel_gate::adapter::document::judge;
use novel_gate::ask::draft::Orphan;
use novel_gate::ask::json::Json;
use novel_gate::ask::{
    Answer, Answers, Diagnosis, Draft, JsString, Kind, Packet, Pick, Problem, ProblemCode, QuestionSpec,
    check_answers, check_record, decode_packet, decode_spec, looks_like_gate, repair_draft, salvage, to_line,
};
use novel_gate::text::Lang;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use specs::{any_spec, any_string, packet_json, spec_json, words};

pub(crate) mod specs;

const AT: &str = "2026-02-27T10:12:34.000Z";

/// Something an author does at one question.
#[derive(Clone, Debug)]
enum Deed {
    Choose(Index),
    Toggle(Index),
    ToggleAll(Index),
    Own(String),
    Label(Index),
    DropOwn(Index),
    Type(String),
    Clear,
    Give(Index),
}

fn deed() -> impl Strategy<Value = Deed> {
    let own = prop_oneof![
        select(vec!["a", " a ", "雨", "own", "own ", "__more__", "", "\u{3000}", "\u{85}"])
            .prop_map(str::to_owned),
        any::<String>(),
    ];
    prop_oneof![
        any::<Index>().prop_map(Deed::Choose),
        any::<Index>().prop_map(Deed::Toggle),
        any::<Index>().prop_map(Deed::ToggleAll),
        own.clone().prop_map(Deed::Own),
        any::<Index>().prop_map(Deed::Label),
        any::<Index>().prop_map(Deed::DropOwn),
        own.prop_map(Deed::Type),
        Just(Deed::Clear),
        any::<Index>().prop_map(Deed::Give),
    ]
}

fn do_it(draft: &mut Draft, spec: &QuestionSpec, at: Index, deed: &Deed) {
    let at = at.index(spec.questions.len());
    let (question, reply) = (&spec.questions[at], &mut draft.replies[at]);
    let option = |index: &Index| index.index(question.options.len());
    // Those that a filter may show.
    let places = |from: &Index| (option(from)..question.options.len()).collect::<Vec<_>>();
    match (question.kind, deed) {
        (_, Deed::Clear) => reply.clear(),
        (Kind::FreeText, Deed::Type(text)) => reply.type_text(text),
        (Kind::SingleChoice, Deed::Choose(index)) => reply.choose(option(index)),
        (Kind::SingleChoice, Deed::Give(index)) => {
            reply.set(question, Answer::One(question.options[option(index)].label.clone()));
        }
        (Kind::SingleChoice | Kind::MultiChoice, Deed::Own(words)) => {
            let before = reply.clone();
            if reply.take_own(question, words.as_str()).is_err() {
                assert_eq!(*reply, before, "a refusal changes nothing");
            }
        }
        (Kind::SingleChoice | Kind::MultiChoice, Deed::Label(index)) => {
            let label = question.options[option(index)].label.display().into_owned();
            let _ = reply.take_own(question, label.as_str());
        }
        (Kind::MultiChoice, Deed::Toggle(index)) => reply.toggle(option(index)),
        (Kind::MultiChoice, Deed::ToggleAll(from)) => reply.toggle_all(question, &places(from)),
        (Kind::MultiChoice, Deed::DropOwn(index)) => {
            let own: Vec<JsString> = reply.own().cloned().collect();
            if !own.is_empty() {
                reply.drop_own(&own[index.index(own.len())]);
            }
        }
        (Kind::MultiChoice, Deed::Give(index)) => {
            let labels = question.options[option(index)..].iter().rev().map(|option| option.label.clone());
            reply.set(question, Answer::Many(labels.collect()));
        }
        // Nobody can do that to such a question.
        _ => {}
    }
}

/// Answers what is still missing, as an author must before submitting.
fn complete(draft: &mut Draft, spec: &QuestionSpec) {
    for at in draft.missing(spec) {
        match spec.questions[at].kind {
            Kind::SingleChoice => draft.replies[at].choose(0),
            Kind::MultiChoice => draft.replies[at].toggle(0),
            Kind::FreeText => draft.replies[at].type_text("\u{3000}雨停之前。\n"),
        }
    }
}

/// A spec and a complete draft that somebody made for it.
fn answered() -> impl Strategy<Value = (QuestionSpec, Draft)> {
    let deeds = proptest::collection::vec((any::<Index>(), deed()), 0..12);
    (any_spec(), deeds, 0..3usize).prop_map(|(spec, deeds, start)| {
        let mut draft = match start {
            0 => Draft::new(&spec),
            1 => Draft::blank(&spec),
            _ => Draft::prefilled(&spec, &Draft::new(&spec).answers(&spec)),
        };
        for (at, deed) in &deeds {
            do_it(&mut draft, &spec, *at, deed);
        }
        complete(&mut draft, &spec);
        (spec, draft)
    })
}

/// A legal document with one to three changes: bytes replaced, pieces cut out, doubled, moved or put in.
fn broken(text: String) -> impl Strategy<Value = Vec<u8>> {
    let pieces = select(vec![
        "null",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\" \"",
        "1.5",
        "0",
        "-1",
        "1e999",
        ",",
        ":",
        "\"",
        "]",
        "}",
        "\\ud800",
        "..",
        "/",
        "\"_x\":1,",
        "\"x\":1,",
        "\"id\":",
        "\"kind\":\"free_text\",",
        "\"default\":[],",
        "\u{feff}",
    ]);
    let change = (0..5u8, any::<Index>(), 0usize..12, any::<u8>(), pieces);
    proptest::collection::vec(change, 1..4).prop_map(move |changes| {
        let mut bytes = text.clone().into_bytes();
        for (what, at, length, byte, piece) in changes {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            let end = (at + length).min(bytes.len());
            match what {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let doubled = bytes[at..end].to_vec();
                    bytes.splice(at..at, doubled);
                }
                3 => swap_value(&mut bytes, at, piece),
                _ => drop(bytes.splice(at..at, piece.bytes())),
            }
        }
        bytes
    })
}

/// Puts `piece` in the place of the string literal or word at `at`, so that the document often stays JSON.
fn swap_value(bytes: &mut Vec<u8>, at: usize, piece: &str) {
    let ends = |byte: &u8| matches!(byte, b',' | b':' | b'[' | b']' | b'{' | b'}');
    let start = bytes[..at].iter().rposition(ends).map_or(0, |place| place + 1);
    let end = bytes[at..].iter().position(ends).map_or(bytes.len(), |place| at + place);
    bytes.splice(start..end, piece.bytes());
}

/// Every sentence about a problem: there, complete, of bearable length, in both languages.
fn check_sentences(problem: &Problem) {
    let [english, chinese] = [Lang::En, Lang::ZhCn].map(|lang| {
        let hint = problem.hint.as_ref().map_or("-".into(), |hint| hint.text(lang));
        let parts = [problem.found.text(lang), problem.expected.text(lang), hint];
        for part in &parts {
            assert!(!part.trim().is_empty(), "{problem:?}: {parts:?}");
        }
        problem.sentence(lang)
    });
    assert_ne!(english, chinese, "{problem:?}");
    assert!(english.chars().count() < 3_000, "{problem:?}");
}

fn check_packet(bytes: &[u8]) -> Option<Packet> {
    match decode_packet(bytes) {
        Ok(packet) => {
            assert!(packet.gate.is_none() || looks_like_gate(bytes));
            Some(packet)
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            problems.iter().for_each(check_sentences);
            None
        }
    }
}

/// Whatever was salvaged is good: in question order, and nothing but missing answers is wrong with it.
fn check_salvaged(spec: &QuestionSpec, bytes: &[u8]) -> Answers {
    let answers = salvage(spec, bytes);
    let places: Vec<usize> = answers.iter().map(|(id, _)| spec.find(id).expect("a question").0).collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
    let json = Object::new();
    let json = answers.iter().fold(json, |json, (id, answer)| json.raw(id, &to_line(answer)));
    let json = json.finish();
    let mut problems = Vec::new();
    let again = check_answers(spec, Json::parse(json.as_bytes()).expect("JSON").root(), &mut problems);
    assert_eq!(again, answers);
    for problem in problems {
        assert_eq!(problem.code, ProblemCode::Unanswered, "{problem:?}");
    }
    answers
}

fn check_both(spec: &QuestionSpec, bytes: &[u8]) {
    let salvaged = check_salvaged(spec, bytes);
    match check_record(spec, bytes) {
        Ok(record) => assert_eq!(record.answers, salvaged),
        Err(problems) => {
            assert!(!problems.is_empty());
            problems.iter().for_each(check_sentences);
            check_mended(spec, bytes, &problems);
        }
    }
}

/// A repair begins with nothing that breaks a rule, loses no problem, and needs the author or passes as it is.
fn check_mended(spec: &QuestionSpec, bytes: &[u8], problems: &[Problem]) {
    let diagnosis = Diagnosis::of(spec, bytes, problems, Vec::new());
    let sorted = diagnosis.rest.len() + diagnosis.faults.iter().map(Vec::len).sum::<usize>();
    assert!(sorted >= problems.len());
    let draft = repair_draft(spec, bytes, &diagnosis);
    if diagnosis.first_in_need(spec, &draft).is_some() {
        return;
    }
    let record = draft.record(spec, AT, &"human".into()).to_json();
    assert_eq!(check_record(spec, record.as_bytes()).map(|record| record.answers), Ok(draft.answers(spec)));
}

/// The document for a reader that knows no lone surrogates.
fn lossy_json(text: &str) -> serde_json::Value {
    value_of(Json::parse(text.as_bytes()).expect("JSON").root())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn a_legal_spec_is_read_as_it_was_meant(spec in any_spec()) {
        prop_assert_eq!(decode_spec(spec_json(&spec).as_bytes()), Ok(spec.clone()));
        let packet = decode_packet(packet_json(&spec).as_bytes()).expect("a legal packet");
        prop_assert_eq!(&*packet.gate.expect("a gate").spec, &spec);
    }

    #[test]
    fn a_legal_packet_is_warned_of_in_both_languages(spec in any_spec()) {
        let packet = packet_json(&spec);
        let findings = judge(packet.as_bytes(), "x.packet.json");
        prop_assert_eq!(findings.problems, Vec::new());
        let value = lossy_json(&packet);
        for advice in findings.warnings {
            check_sentences(&advice.problem);
            prop_assert!(value.pointer(&advice.problem.pointer).is_some(), "{:?}", advice);
        }
    }

    #[test]
    fn whatever_a_draft_makes_passes((spec, draft) in answered(), by in words()) {
        let record = draft.record(&spec, AT, &by);
        let json = record.to_json();
        prop_assert_eq!(check_record(&spec, json.as_bytes()), Ok(record.clone()), "{}", json);
        prop_assert_eq!(check_salvaged(&spec, json.as_bytes()), record.answers.clone());
        // As a repair, and as a redo, the same record comes out again, ticks in the order of the options.
        let mut again = Draft::prefilled(&spec, &record.answers);
        prop_assert_eq!(again.missing(&spec), Vec::<usize>::new());
        for reply in &mut again.replies {
            let places: Vec<usize> = reply
                .picks
                .iter()
                .map(|pick| match pick {
                    Pick::Option(place) => *place,
                    Pick::Own(_) => usize::MAX,
                })
                .collect();
            prop_assert!(places.is_sorted(), "{places:?}");
        }
        prop_assert!(check_record(&spec, again.record(&spec, AT, &by).to_json().as_bytes()).is_ok());
    }

    #[test]
    fn a_saved_draft_comes_back((spec, draft) in answered()) {
        let mut json = String::new();
        draft.write_json(&spec, &mut json);
        let over = Draft::read_json(&spec, &json, Vec::new());
        prop_assert_eq!((over.orphans, over.again), (Vec::<Orphan>::new(), Vec::new()));
        let again = over.draft;
        let sorted = |answers: Answers| -> Vec<(String, Vec<JsString>)> {
            let values = |answer: &Answer| {
                let mut values = answer.values().to_vec();
                values.sort();
                values
            };
            answers.iter().map(|(id, answer)| (id.clone(), values(answer))).collect()
        };
        prop_assert_eq!(sorted(again.answers(&spec)), sorted(draft.answers(&spec)));
    }

    #[test]
    fn a_draft_for_an_older_packet_makes_a_good_record((before, draft) in answered(), after in any_spec()) {
        let mut json = String::new();
        draft.write_json(&before, &mut json);
        let mut now = Draft::read_json(&after, &json, Vec::new()).draft;
        complete(&mut now, &after);
        let record = now.record(&after, AT, &"human".into());
        prop_assert_eq!(check_record(&after, record.to_json().as_bytes()), Ok(record));
    }

    #[test]
    fn a_broken_packet_has_problems_or_is_none(
        (spec, bytes) in any_spec().prop_flat_map(|spec| (Just(spec.clone()), broken(packet_json(&spec)))),
    ) {
        if let Some(Packet { gate: Some(gate), .. }) = check_packet(&bytes) {
            // What is still a gate can be answered.
            let mut draft = Draft::new(&gate.spec);
            complete(&mut draft, &gate.spec);
            let record = draft.record(&gate.spec, AT, &spec.topic);
            prop_assert_eq!(check_record(&gate.spec, record.to_json().as_bytes()), Ok(record));
        }
    }

    #[test]
    fn a_broken_record_has_problems_or_is_none(
        (spec, bytes) in answered().prop_flat_map(|(spec, draft)| {
            let json = draft.record(&spec, AT, &"human".into()).to_json();
            (Just(spec), broken(json))
        }),
    ) {
        check_both(&spec, &bytes);
    }

    #[test]
    fn a_record_for_another_spec_is_judged_without_a_panic((spec, draft) in answered(), other in any_spec()) {
        let record = draft.record(&spec, AT, &"human".into()).to_json();
        check_both(&other, record.as_bytes());
    }

    #[test]
    fn noise_is_judged_without_a_panic(bytes: Vec<u8>, spec in any_spec()) {
        check_packet(&bytes);
        check_both(&spec, &bytes);
        let inside = [b"{\"novel_ask\":", bytes.as_slice(), b",\"answer_path\":\"a\"}"].concat();
        check_packet(&inside);
    }

    #[test]
    fn js_strings_survive_json(text in any_string()) {
        let mut json = String::new();
        text.write_json(&mut json);
        prop_assert!(json.chars().all(|c| c >= ' '));
        let read = Json::parse(json.as_bytes()).expect("JSON").root().string();
        prop_assert_eq!(read.as_ref(), Some(&text));
        prop_assert_eq!(text.trimmed().is_empty(), text.is_blank());
        prop_assert_eq!(text.head(usize::MAX), text.clone());
        let count = text.as_str().map(|text| text.chars().count());
        if let Some(count) = count {
            prop_assert_eq!(text.head(2).as_str().map(|head| head.chars().count()), Some(count.min(2)));
        }
    }
}
