use super::*;
use crate::adapter::call::CallReply;
use crate::adapter::profile::OnEscape;
use crate::adapter::session::{Dialogue, DialogueStatus};
use crate::ask::json::Json;
use crate::ask::{Kind, decode_spec};
use crate::text::Lang;
use serde_json::{Value, json};

fn read(input: &str) -> Result<QuestionSpec, Message> {
    questions(Executor::ClaudeCode, Json::parse(input.as_bytes()).expect("JSON").root())
}

fn with_answers(input: &str, answers: &Answers, notes: &[(&str, &str)]) -> Value {
    let json = Json::parse(input.as_bytes()).expect("JSON");
    let spec = questions(Executor::ClaudeCode, json.root()).expect("questions");
    let record = AnswerSpec {
        version: 1.0,
        topic: spec.topic.clone(),
        answers: answers.clone(),
        answered_at: "2026-02-27T10:12:34.000Z".into(),
        answered_by: "human".into(),
        notes: notes.iter().map(|&(id, note)| (id.into(), note.into())).collect(),
    };
    serde_json::from_str(&answered(json.root(), &spec, &record)).expect("JSON")
}

fn call() -> Value {
    json!({"questions": [
        {"question": "发布到哪里？", "header": "平台", "multiSelect": false, "options": [
            {"label": "qidian", "description": "起点"}, {"label": " web ", "description": "自建站", "preview": "┌─┐\n└─┘"}]},
        {"question": "Which \"tags\"?", "header": "Tags", "multiSelect": true, "options": [
            {"label": "a", "description": "d"}, {"label": "a, b", "description": "d"}]}],
        "metadata": {"source": "x"}})
}

#[test]
fn a_call_is_a_spec_with_the_very_labels() {
    let spec = read(&call().to_string()).expect("questions");
    assert_eq!(spec.topic, "Claude Code: 平台, Tags");
    let ids: Vec<&str> = spec.questions.iter().map(|question| question.id.as_str()).collect();
    assert_eq!(ids, ["q1", "q2"]);
    assert_eq!(spec.questions[0].kind, Kind::SingleChoice);
    assert_eq!(spec.questions[1].kind, Kind::MultiChoice);
    assert!(spec.questions.iter().all(|question| question.required && question.allow_other));
    assert_eq!(spec.questions[0].options[1].label, " web ");
    assert_eq!(
        spec.questions[0].options[1].description, "自建站\n\n┌─┐\n└─┘",
        "what it looks like is shown too"
    );
}

#[test]
fn answers_go_back_by_question_text_and_nothing_else_changes() {
    let answers = vec![
        ("q1".to_owned(), Answer::One("我自己的话, \"引\"".into())),
        ("q2".to_owned(), Answer::Many(vec!["a".into(), "a, b".into()])),
    ];
    let mut wanted = call();
    wanted["answers"] = json!({"发布到哪里？": "我自己的话, \"引\"", "Which \"tags\"?": "a, a, b"});
    assert_eq!(with_answers(&call().to_string(), &answers, &[]), wanted);
    wanted["annotations"] = json!({"发布到哪里？": {"notes": "先试\n三个月"}});
    let notes = [("q1", "先试\n三个月"), ("q9", "no such question")];
    assert_eq!(with_answers(&call().to_string(), &answers, &notes), wanted);
    let spec = read(&call().to_string()).expect("questions");
    let lists = ambiguous(&spec, &answers);
    assert_eq!(lists, [("Which \"tags\"?".into(), r#"["a", "a, b"]"#.to_owned())]);
    let plain = vec![("q2".to_owned(), Answer::Many(vec!["a".into(), "c".into()]))];
    assert_eq!(ambiguous(&spec, &plain), []);
    let mut empty = call();
    empty["answers"] = json!({});
    assert_eq!(with_answers(&empty.to_string(), &answers, &[])["answers"], wanted["answers"]);
}

#[test]
fn what_the_model_puts_beside_its_questions_is_shown_as_its_own_and_never_handed_back() {
    let mut brought = call();
    brought["annotations"] =
        json!({"发布到哪里？": {"notes": "先试", "preview": "x"}, "Which \"tags\"?": null});
    brought["answers"] = json!({"发布到哪里？": "qidian", "Which \"tags\"?": ["a"], "another": "b"});
    let input = brought.to_string();
    let json = Json::parse(input.as_bytes()).expect("JSON");
    let asked = read(&input).expect("questions");
    let texts = shown(Executor::ClaudeCode, json.root(), &asked, Lang::En).questions;
    let [first, second] = texts.as_slice() else { panic!("two questions") };
    assert_eq!(
        first.question,
        "发布到哪里？\n\nThe model's own note, never handed back as yours: 先试\n\n\
         The model's own answer, never handed back as yours: qidian"
    );
    assert!(second.question.lossy().ends_with(r#"never handed back as yours: ["a"]"#), "{second:?}");
    let answers = vec![("q1".to_owned(), Answer::One("web".into()))];
    let mut wanted = call();
    wanted["answers"] = json!({"发布到哪里？": "web"});
    assert_eq!(with_answers(&input, &answers, &[]), wanted);
    let asked = r#"{"questions": [{"id": "a", "header": "h", "question": "q", "options": [{"label": "x"}]}],
        "answers": {"a": {"answers": ["x"]}}, "annotations": {"a": "mine"}}"#;
    let json = Json::parse(asked.as_bytes()).expect("JSON");
    let spec = questions(Executor::Codex, json.root()).expect("questions");
    let text = shown(Executor::Codex, json.root(), &spec, Lang::ZhCn).questions[0].question.clone();
    assert_eq!(
        text,
        "q\n\n模型自己写的备注，绝不会当作你的话交回：mine\n\n模型自己填的回答，绝不会当作你的回答交回：[\"x\"]"
    );
}

#[test]
fn options_need_not_be_described_and_a_timer_of_the_client_is_said() {
    for description in [r#", "description": """#, r#", "description": "　 ""#, r#", "description": null"#, ""]
    {
        let input = format!(
            r#"{{"questions": [{{"id": "a", "header": "h", "question": "q",
                "options": [{{"label": "x"{description}, "preview": ""}}]}}], "autoResolutionMs": 60000}}"#
        );
        let json = Json::parse(input.as_bytes()).expect("JSON");
        let spec = questions(Executor::Codex, json.root()).expect("questions");
        assert_eq!(spec.questions[0].options[0].description, "—", "{input}");
        let text = &shown(Executor::Codex, json.root(), &spec, Lang::En).questions[0].question;
        assert_eq!(
            *text,
            "q\n\nIn its own dialog Codex goes on without an answer after 60 s. Here the question waits for you."
        );
    }
    let after = |members: &str| {
        let input = format!("{{\"questions\": []{members}}}");
        timer(Executor::Codex, Json::parse(input.as_bytes()).expect("JSON").root())
    };
    assert_eq!(after(""), None);
    assert_eq!(after(r#", "autoResolutionMs": null, "isBlocking": true"#), None);
    assert_eq!(after(r#", "autoResolutionMs": 9000, "isBlocking": true"#), None);
    assert_eq!(after(r#", "isBlocking": false"#), Some(120));
    assert_eq!(after(r#", "isBlocking": false, "autoResolutionMs": 90500"#), Some(90));
    assert_eq!(after(r#", "autoResolutionMs": 1e300"#), None);
}

#[test]
fn entries_that_are_no_options_are_shown_by_what_they_do_unless_an_option_is_called_so() {
    let label = |label: &str| json!({"label": label, "description": "d"});
    let asked = |labels: &[&str]| {
        let mut call = call();
        call["questions"][1]["options"] = labels.iter().map(|text| label(text)).collect();
        read(&call.to_string()).expect("questions")
    };
    let labels = |spec: &QuestionSpec| -> Vec<String> {
        spec.questions[1].options.iter().map(|option| option.label.lossy().into_owned()).collect()
    };
    let questions = asked(&["a, b", "__done__", "__more__"]);
    let seen = with_titles(&questions, Lang::ZhCn);
    assert_eq!(labels(&seen), ["a, b", "结束这个问题", "更多选项"]);
    let mut marked = questions.clone();
    marked.questions[1].question = "哪些？ [selected: a | b] [1/3] [level 2]".into();
    assert_eq!(with_titles(&marked, Lang::En).questions[1].question, marked.questions[1].question);
    assert_eq!(with_titles(&marked, Lang::ZhCn).questions[1].question, "哪些？ [已选：a | b] [1/3] [层级 2]");
    assert_eq!(seen.questions[0], questions.questions[0]);
    let many = |values: &[&str]| Answer::Many(values.iter().map(|&value| value.into()).collect());
    let record = AnswerSpec {
        version: 1.0,
        topic: seen.topic.clone(),
        answers: vec![("q2".to_owned(), many(&["a, b", "更多选项", "mine"]))],
        answered_at: "2026-02-27T10:12:34.000Z".into(),
        answered_by: "human".into(),
        notes: Vec::new(),
    };
    let own = with_own_labels(record, &seen, &questions);
    assert_eq!(own.answers, [("q2".to_owned(), many(&["a, b", "__more__", "mine"]))]);
    for alike in [&["结束这个问题", "__done__"][..], &["__skip__", "___skip___"]] {
        assert_eq!(labels(&with_titles(&asked(alike), Lang::ZhCn)), alike);
    }
}

#[test]
fn what_cannot_be_told_apart_or_read_is_left_alone() {
    let mut same = call();
    same["questions"][1]["question"] = json!("发布到哪里？");
    assert_eq!(read(&same.to_string()), Err(quoting(SAME, &"发布到哪里？".into())));
    let mut strange = call();
    strange["questions"][0]["slider"] = json!(3);
    for input in ["[]", "{}", "null", r#"{"questions": []}"#, &strange.to_string()] {
        let why = read(input).expect_err("no questions").text(Lang::En);
        assert!(why.starts_with("The questions cannot be asked elsewhere. "), "{input}: {why}");
    }
}

#[test]
fn answers_to_codex_go_by_the_ids_of_its_questions() {
    let input = r#"{"questions": [
        {"id": "where", "header": "平台", "question": "Same?", "options": [{"label": "web", "description": "d"}]},
        {"id": "__proto__", "header": "Tags", "question": "Same?", "options": [
            {"label": "a, b", "description": "d"}, {"label": " c ", "description": "d"}]}]}"#;
    let json = Json::parse(input.as_bytes()).expect("JSON");
    let spec = questions(Executor::Codex, json.root()).expect("questions");
    assert_eq!(spec.topic, "Codex: 平台, Tags");
    assert!(
        spec.questions.iter().all(|question| question.kind == Kind::SingleChoice && question.allow_other)
    );
    let record = AnswerSpec {
        version: 1.0,
        topic: spec.topic.clone(),
        answers: vec![
            ("q2".to_owned(), Answer::One(" c ".into())),
            ("q1".to_owned(), Answer::One("\"我\"".into())),
        ],
        answered_at: "2026-02-27T10:12:34.000Z".into(),
        answered_by: "human".into(),
        notes: Vec::new(),
    };
    assert_eq!(
        output(Executor::Codex, json.root(), &spec, &record),
        r#"{"answers": {"__proto__": {"answers": [" c "]}, "where": {"answers": ["\"我\""]}}}"#
    );
    let twice = input.replace("__proto__", "where");
    let same = questions(Executor::Codex, Json::parse(twice.as_bytes()).expect("JSON").root());
    assert_eq!(same, Err(quoting(SAME, &"where".into())));
    let unnamed = input.replace("\"where\"", "7");
    let unnamed = questions(Executor::Codex, Json::parse(unnamed.as_bytes()).expect("JSON").root());
    assert_eq!(unnamed, Err(NO_ID.into()));
}

#[test]
fn the_calls_of_a_gates_own_dialogue_are_known_in_every_state() {
    for (executor, clustered) in
        [(Executor::ClaudeCode, false), (Executor::Codex, false), (Executor::Codex, true)]
    {
        // The calls go on as long as there is something to ask.
        assert!(follow_dialogue(executor, clustered) > 3, "{executor:?}");
    }
}

/// Answers with whatever is shown first, then in own words; gives how many calls there were.
fn follow_dialogue(executor: Executor, clustered: bool) -> usize {
    let mut options: Vec<Value> =
        (1..=9).map(|n| json!({"label": format!("l{n}"), "description": "d"})).collect();
    for (option, cluster) in options.iter_mut().zip(["even", "odd"].repeat(5)).filter(|_| clustered) {
        option["_cluster"] = json!(cluster);
    }
    let spec = json!({"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "A very long header", "question": "Which?", "kind": "multi_choice", "required": true,
         "options": options, "allow_other": true},
        {"id": "b", "header": "B", "question": "What?", "kind": "free_text", "required": false}]});
    let gate = decode_spec(spec.to_string().as_bytes()).expect("a spec");
    let other = spec.to_string().replace("Which?", "Which one?");
    let other = decode_spec(other.as_bytes()).expect("a spec");
    let mut dialogue = Dialogue::new(&gate, executor.profile(), OnEscape::default());
    for step in 0..12 {
        let DialogueStatus::Ask(request) = dialogue.status() else { return step };
        let report = to_line(&dialogue.call_report(&request, Lang::En));
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let input = report["input"].to_string();
        let asked = &report["input"]["questions"][0];
        if asked["header"] != "A very long" {
            return step;
        }
        let json = Json::parse(input.as_bytes()).expect("JSON");
        let call = questions(executor, json.root()).expect("a call");
        assert!(belongs_to(&call, &gate), "{input}");
        assert!(!belongs_to(&call, &other), "{input}");
        // Models mark what they recommend.
        let mut marked = call;
        marked.questions[0].options[0].label.push_str(" (Recommended)");
        assert!(belongs_to(&marked, &gate), "{input}");
        let pick =
            if step == 2 { "own words" } else { asked["options"][0]["label"].as_str().expect("a label") };
        let body = dialogue.inquiry().plain_reply(&request, &[("a".to_owned(), pick.into())]).expect("said");
        dialogue.take(&CallReply { call: dialogue.call(), body }).expect("taken");
    }
    12
}

#[test]
fn the_groups_of_a_long_choice_belong_to_it() {
    let option =
        |n: usize, cluster: &str| json!({"label": format!("l{n}"), "description": "d", "_cluster": cluster});
    for (clusters, picks) in [(["", ""], ["Options 7-9", "l8"]), (["热血", "日常"], ["日常", "l8"])] {
        let options: Vec<Value> = (1..=9).map(|n| option(n, clusters[n % 2])).collect();
        let mut spec = json!({"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "H", "question": "Which?", "kind": "single_choice", "required": true,
             "options": options}]});
        if clusters[0].is_empty() {
            for option in spec["questions"][0]["options"].as_array_mut().expect("options") {
                option.as_object_mut().expect("an option").remove("_cluster");
            }
        }
        let gate = decode_spec(spec.to_string().as_bytes()).expect("a spec");
        let mut dialogue = Dialogue::new(&gate, Executor::ClaudeCode.profile(), OnEscape::default());
        for pick in picks {
            let DialogueStatus::Ask(request) = dialogue.status() else { panic!("asked") };
            let report = to_line(&dialogue.call_report(&request, Lang::En));
            let report: Value = serde_json::from_str(&report).expect("JSON");
            let call = read(&report["input"].to_string()).expect("a call");
            assert!(belongs_to(&call, &gate), "{report}");
            assert!(call.questions[0].options.iter().all(|option| option.label != "l8") || pick == "l8");
            let body = dialogue.inquiry().plain_reply(&request, &[("a".to_owned(), pick.into())]);
            let reply = CallReply { call: dialogue.call(), body: body.expect("said") };
            dialogue.take(&reply).expect("taken");
        }
        assert!(matches!(dialogue.status(), DialogueStatus::Done), "{clusters:?}");
    }
}
