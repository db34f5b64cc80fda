use super::super::*;
use proptest::prelude::*;

fn fault(line: &str) -> String {
    let fault = read_events(line.as_bytes()).expect_err(line);
    format!("{} {} {}", fault.at.unwrap_or_default(), fault.code, fault.message.text(Lang::En))
}

fn only(line: &str) -> Event {
    let mut events = read_events(line.as_bytes()).expect(line);
    assert_eq!(events.len(), 1, "{line}");
    events.remove(0).event
}

#[test]
fn both_tools_are_read_and_what_a_plan_does_not_need_is_left_out() {
    assert_eq!(
        only(
            r#"{"tool":"TaskCreate","input":{"subject":" 写第一章 ","description":"d","activeForm":"x"},"at":1}"#
        ),
        Event::Create { id: None, subject: " 写第一章 ".into() }
    );
    assert_eq!(
        only(r#"{"tool":"TaskCreate","taskId":"t1","input":{"subject":"a"}}"#),
        Event::Create { id: Some("t1".into()), subject: "a".into() }
    );
    let update = |change, subject: Option<&str>| Event::Update {
        id: "1".into(),
        change,
        subject: subject.map(JsString::from),
    };
    for (members, event) in [
        ("", update(None, None)),
        (r#","subject":"b""#, update(None, Some("b"))),
        (r#","status":"pending""#, update(Some(StatusChange::To(TaskStatus::Pending)), None)),
        (r#","status":"in_progress""#, update(Some(StatusChange::To(TaskStatus::InProgress)), None)),
        (
            r#","status":"completed","subject":"b""#,
            update(Some(StatusChange::To(TaskStatus::Completed)), Some("b")),
        ),
        (r#","status":"deleted""#, update(Some(StatusChange::Delete), None)),
    ] {
        assert_eq!(only(&format!(r#"{{"tool":"TaskUpdate","input":{{"taskId":"1"{members}}}}}"#)), event);
    }
}

#[test]
fn lines_and_columns_are_those_of_the_file() {
    let text = "\n \t\r\n{\"tool\":\"TaskCreate\",\"input\":{\"subject\":\"雨\"}}\r\n\n\
                {\"tool\":\"TaskCreate\",\"input\":{\"subject\":\"雨\"},\"taskId\":\"x\"}";
    let places: Vec<_> = read_events(text.as_bytes())
        .expect("two events")
        .iter()
        .map(|event| (event.line, event.column))
        .collect();
    assert_eq!(places, [(3, 1), (5, 55)]);
    assert_eq!(read_events(b""), Ok(vec![]));
}

#[test]
fn what_is_no_event_is_told_at_its_place() {
    let words = "expected a string that is not blank.";
    for (line, told) in [
        ("[]", "1:1 invalid_event Line 1 is not an event. /: found an empty list; expected an object {…}.".to_owned()),
        (
            "{}",
            "1:1 invalid_event Line 1 is not an event. /tool: found nothing; expected one of: TaskCreate, TaskUpdate."
                .to_owned(),
        ),
        (
            "\n{\"tool\":\"Read\"}",
            "2:9 invalid_event Line 2 is not an event. /tool: found \"Read\"; expected one of: TaskCreate, TaskUpdate."
                .to_owned(),
        ),
        (
            "{\"tool\":\"TaskUpdate\"}",
            "1:1 invalid_event Line 1 is not an event. /input: found nothing; expected an object {…}.".to_owned(),
        ),
        (
            "{\"tool\":\"TaskCreate\",\"input\":7}",
            "1:30 invalid_event Line 1 is not an event. /input: found 7; expected an object {…}.".to_owned(),
        ),
        (
            "{\"tool\":\"TaskCreate\",\"input\":{}}",
            format!("1:30 invalid_event Line 1 is not an event. /input/subject: found nothing; {words}"),
        ),
        (
            "{\"tool\":\"TaskCreate\",\"input\":{\"subject\":\"　\"}}",
            format!("1:41 invalid_event Line 1 is not an event. /input/subject: found only white space; {words}"),
        ),
        (
            "{\"tool\":\"TaskCreate\",\"taskId\":1,\"input\":{\"subject\":\"a\"}}",
            format!("1:31 invalid_event Line 1 is not an event. /taskId: found 1; {words}"),
        ),
        (
            "{\"tool\":\"TaskUpdate\",\"input\":{\"subject\":\"a\"}}",
            format!("1:30 invalid_event Line 1 is not an event. /input/taskId: found nothing; {words}"),
        ),
        (
            "{\"tool\":\"TaskUpdate\",\"input\":{\"taskId\":\"1\",\"subject\":\"\"}}",
            format!("1:54 invalid_event Line 1 is not an event. /input/subject: found only white space; {words}"),
        ),
        (
            "{\"tool\":\"TaskUpdate\",\"input\":{\"taskId\":\"1\",\"status\":\"done\"}}",
            "1:53 invalid_event Line 1 is not an event. /input/status: found \"done\"; expected one of: pending, \
             in_progress, completed, deleted."
                .to_owned(),
        ),
        (
            "{\"tool\":\"TaskCreate\",\"input\":{\"subject\":\"a\",\"subject\":\"b\"}}",
            "1:45 invalid_json Line 1: the key \"subject\" appears twice.".to_owned(),
        ),
        (
            "\n\n{\"tool\":",
            "3:9 invalid_json An event must be JSON on one line: found the end of the file inside a value (line 3, \
             column 9)."
                .to_owned(),
        ),
    ] {
        assert_eq!(fault(line), told, "{line}");
    }
}

#[test]
fn every_fault_is_said_in_both_languages() {
    let rules = TaskSync::default();
    let mut plan = Plan::new(&rules, true);
    let mut refused = |id: &str, event: &str| {
        let line = format!(
            "\n{{\"tool\":\"{event}\",\"taskId\":\"{id}\",\"input\":{{\"subject\":\"s\",\"taskId\":\"t\"}}}}"
        );
        plan.apply(&read_events(line.as_bytes()).expect("an event")[0])
    };
    assert!(refused("a", "TaskCreate").is_ok());
    let mut faults = vec![
        refused("a", "TaskCreate").expect_err("there is one"),
        refused("a", "TaskUpdate").expect_err("there is none"),
    ];
    faults.extend(
        ["\n{", "\n{}", "\n{\"a\":1,\"a\":2}"].map(|text| read_events(text.as_bytes()).expect_err(text)),
    );
    for fault in faults {
        assert!(fault.at.as_ref().is_some_and(|at| at.starts_with("2:")), "{fault:?}");
        let [english, chinese] = [Lang::En, Lang::ZhCn].map(|lang| fault.message.text(lang));
        assert!(english.ends_with('.') && english.contains('2'), "{english}");
        assert!(chinese.ends_with('。') && chinese.contains('2'), "{chinese}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Any bytes are events or a fault within the text.
    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..200),
            r#"(\{|\}|"tool":|"TaskCreate"|,|"input":|"taskId":|"x"|"subject":|"status":|\n|\[|雨){0,20}"#
                .prop_map(String::into_bytes),
        ]
    ) {
        if let Err(fault) = read_events(&bytes) {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            let at = fault.at.as_ref().and_then(|at| at.split_once(':')).expect("a position");
            let (line, column): (usize, usize) = (at.0.parse().expect("a line"), at.1.parse().expect("a column"));
            prop_assert!((1..=lines).contains(&line));
            prop_assert!((1..=bytes.len() + 1).contains(&column));
            prop_assert!(!fault.message.text(Lang::ZhCn).is_empty());
        }
    }
}
