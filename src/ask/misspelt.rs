//! A gate that the executor does not see, because its names are misspelt or stand in another place. Its verdict is that there is none;
//! an author who is never asked must hear why.

use super::js_string::JsString;
use super::json::{Item, Json, Kind};
use super::problem::{Pointer, Problem, ProblemCode, Problems, quote};
use crate::text::width::narrow;
use crate::text::{Message, Sentence, say};

const ASK: &str = "novelask";
const PATH: &str = "answerpath";
/// Other names by which questions are put into a packet; they count only where questions are in them.
const ASK_TOO: [&str; 8] =
    ["ask", "asks", "gate", "question", "questions", "questionspec", "novelquestion", "novelquestions"];
/// So many letters may differ.
const SLIPS: usize = 2;
/// So many objects deep a gate is looked for.
const DEEPEST: usize = 2;

const FOUND: Sentence = say("a misspelt gate, {0}", "门控写错了：{0}");
const TOP: Sentence = say("{0} at the top of the packet", "{0}，写在指令包最外层");
const HINT: Sentence = say(
    "The executor sees no gate here and may start the step without asking. Rename it.",
    "执行器看不到这个门控，可能不提问就开始这一步。请改名。",
);

const RENAME: Sentence = say("{0} is misspelt: rename it to {1}.", "{0} 写错了：请改名为 {1}。");

/// Every name in a packet without a gate that is meant to be one of a gate's.
pub fn misspelt_gate(packet: &[u8]) -> Vec<Problem> {
    let mut problems = Problems::default();
    let Ok(json) = Json::parse(packet) else { return Vec::new() };
    for (name, value) in json.root().entries() {
        if let Some(meant) = meant(&name, value) {
            problems.push(&Pointer::ROOT.name(&name), || problem(&name, meant));
        } else {
            nested(value, &Pointer::ROOT.name(&name), DEEPEST, &mut problems);
        }
    }
    problems.into_list()
}

/// Which name is wrong in a packet with one half of a gate.
pub(super) fn misspelt_half(packet: &[u8]) -> Option<Message> {
    let json = Json::parse(packet).ok()?;
    let slip = |(name, value): (JsString, Item<'_>)| {
        let meant = meant(&name, value).filter(|meant| name.as_str() != Some(meant))?;
        Some(Message::new(RENAME, &[&quote(&name), meant]))
    };
    json.root().entries().into_iter().find_map(slip)
}

fn nested(object: Item<'_>, at: &Pointer<'_>, deep: usize, problems: &mut Problems) {
    if deep == 0 || object.kind() != Kind::Object {
        return;
    }
    for (name, value) in object.entries() {
        if plain(&name) == ASK && asks(value) {
            problems.push(&at.name(&name), || problem(&name, "novel_ask"));
        } else {
            nested(value, &at.name(&name), deep - 1, problems);
        }
    }
}

/// The name of a gate's that a member of a packet is meant to have; names that begin with `_` are free.
fn meant(name: &JsString, value: Item<'_>) -> Option<&'static str> {
    let letters = plain(name);
    let near = |wanted| strsim::levenshtein(&letters, wanted) <= SLIPS;
    let text = || value.string().is_some_and(|path| !path.is_blank());
    if letters == ASK && value.kind() != Kind::Null
        || (near(ASK) || ASK_TOO.contains(&&*letters)) && asks(value)
    {
        return Some("novel_ask");
    }
    (near(PATH) && text()).then_some("answer_path")
}

/// Whether a value is, or holds, a list of questions.
fn asks(value: Item<'_>) -> bool {
    let is_question = |item: Item<'_>| {
        item.get("question").is_some()
            && ["kind", "options", "header"].iter().any(|key| item.get(key).is_some())
    };
    let list = if value.kind() == Kind::Object { value.get("questions") } else { Some(value) };
    list.is_some_and(|list| list.elements().any(is_question))
}

/// A name without what is overlooked: case and width, blanks and signs. Nothing is left of one that is free.
fn plain(name: &JsString) -> String {
    if name.head(1) == "_" {
        return String::new();
    }
    // No slip makes a name of a gate's this long.
    let shown = name.head(32).display().into_owned();
    shown.chars().map(narrow).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn problem(name: &JsString, meant: &str) -> Problem {
    let found = Message::new(FOUND, &[&quote(name)]);
    Problem::new(ProblemCode::Other, found, Message::new(TOP, &[meant])).with_hint(HINT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pointers(packet: &Value) -> Vec<String> {
        misspelt_gate(packet.to_string().as_bytes()).into_iter().map(|problem| problem.pointer).collect()
    }

    fn spec() -> Value {
        json!({"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]})
    }

    #[test]
    fn slips_in_a_gates_names_are_found() {
        for name in [
            "novelAsk",
            "novel-ask",
            "Novel_Ask",
            "novel_asks",
            "NOVEL_ASK",
            "novel ask",
            "novel_aks",
            "nove_ask",
            "ｎｏｖｅｌ＿ａｓｋ",
            "novel_question",
            "ask",
            "question_spec",
            "gate",
            "questions",
        ] {
            assert_eq!(pointers(&json!({"step": "s", name: spec()})), [format!("/{name}")], "{name}");
        }
        for name in ["answerPath", "answer-path", "Answer_Path", "answers_path", "anwser_path", "answerpath"]
        {
            assert_eq!(
                pointers(&json!({name: "staging/a.json", "step": "s"})),
                [format!("/{name}")],
                "{name}"
            );
        }
        let mut whole = spec();
        whole["step"] = json!("s");
        assert_eq!(pointers(&whole), ["/questions"], "a whole QuestionSpec");
        let gate = json!({"novel_ask": spec(), "answer_path": "a.json"});
        assert_eq!(pointers(&json!({"gate": gate})), ["/gate/novel_ask"]);
        assert_eq!(
            pointers(&json!({"manifest": {"inline": {"novelAsk": spec()}}})),
            ["/manifest/inline/novelAsk"]
        );
        let both = pointers(&json!({"novelAsk": spec(), "answerPath": "a.json"}));
        assert_eq!(both.len(), 2);
    }

    #[test]
    fn of_half_a_gate_the_misspelt_name_is_said() {
        let hint = |packet: &Value| {
            let problems = crate::ask::decode_packet(packet.to_string().as_bytes()).expect_err("half a gate");
            problems[0].hint.as_ref().map(|hint| hint.text(crate::text::Lang::En))
        };
        let half = |name: &str, meant: &str| Some(format!("\"{name}\" is misspelt: rename it to {meant}."));
        for name in ["answerPath", "answer-path", "anwser_path"] {
            assert_eq!(
                hint(&json!({"novel_ask": spec(), name: "staging/a.json"})),
                half(name, "answer_path")
            );
        }
        for name in ["novelAsk", "questions", "novel_aks"] {
            assert_eq!(hint(&json!({"answer_path": "a.json", name: spec()})), half(name, "novel_ask"));
        }
        assert_eq!(hint(&json!({"novel_ask": spec(), "path": "a.json"})), None);
    }

    #[test]
    fn harmless_names_are_not() {
        for packet in [
            json!({"novel_task": "write", "novelty": spec(), "answer_patch": 7, "path": "a", "asked": "x", "answers": {}}),
            json!({"novelAsk": null, "answerPath": "", "questions": ["why?"], "ask": {"questions": 3}, "gate": "open"}),
            json!({"_novel_ask": spec(), "_answer_path": "a.json"}),
            json!({"manifest": {"questions": spec(), "answer_path": "a"}, "interview": spec()}),
            json!(["novelAsk"]),
        ] {
            assert_eq!(pointers(&packet), [""; 0], "{packet}");
        }
    }
}
