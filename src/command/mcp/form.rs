//! Questions as a form in the client's own dialog (elicitation), where no console is open: only single choices that must be
//! answered, and nothing but a filled form is an answer.

use crate::adapter::silence::is_or_may_be_silence;
use crate::ask::draft::OwnFault;
use crate::ask::json::Item;
use crate::ask::{Choice, Draft, Kind, Question, QuestionSpec};
use crate::text::{Lang, say};
use serde_json::{Map, Value, json};

/// What is behind a question's id in the name of the field for own words; no id has two of these.
const OWN: &str = "__own";

/// A client whose dialog cannot leave a text field blank (0.169.0): it gets none that may be left.
const NO_BLANKS: &str = "codex-mcp-client";

/// What asks a client to show a form.
pub(super) const METHOD: &str = "elicitation/create";

/// The form for all questions in a client's dialog, as [`METHOD`] takes it; `None` if one of them is no single choice that must be answered.
pub(super) fn of(spec: &QuestionSpec, client: &str, lang: Lang) -> Option<Value> {
    let fits = |question: &Question| question.kind == Kind::SingleChoice && question.required;
    if !spec.questions.iter().all(fits) {
        return None;
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for question in &spec.questions {
        let mut field = choice(question, lang);
        if question.allow_other && client == NO_BLANKS {
            let elsewhere = say(
                "{0} (For your own words, leave this form and answer in novel-gate.)",
                "{0}（想自己写，请退出此表单，在 novel-gate 中回答。）",
            );
            field["description"] = json!(elsewhere.fill(lang, &[&question.question.display()]));
        }
        properties.insert(question.id.clone(), field);
        if question.allow_other && client != NO_BLANKS {
            let title = say("{0}: your own words", "{0}：自己写");
            let title = title.fill(lang, &[&question.header.display()]);
            let instead = say("Instead of a choice.", "代替上面的选项。").text(lang);
            let own = json!({"type": "string", "title": title, "description": instead});
            properties.insert(format!("{}{OWN}", question.id), own);
        } else {
            required.push(question.id.clone());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let message = match &*spec.questions {
        [only] => say("{0}: {1}", "{0}：{1}").fill(lang, &[&spec.topic.display(), &only.question.display()]),
        _ => spec.topic.display().into_owned(),
    };
    Some(json!({"mode": "form", "message": message, "requestedSchema": schema}))
}

fn choice(question: &Question, lang: Lang) -> Value {
    let option = |option: &Choice| {
        let back = if option.sends_back { say(" (sends it back)", "（退回）") } else { say("", "") };
        let description = option.description.display();
        let title = format!("{} · {description}{}", option.label.display(), back.text(lang));
        json!({"const": option.label.lossy(), "title": title})
    };
    // No default: a client that accepts by itself would fill it in.
    json!({
        "type": "string",
        "title": question.header.display(),
        "description": question.question.display(),
        "oneOf": question.options.iter().map(option).collect::<Vec<_>>(),
    })
}

/// What a filled form answers; `None` if it is not filled: declined, cancelled, not all of it answered, or a question in two
/// ways.
pub(super) fn draft(spec: &QuestionSpec, result: Item<'_>) -> Option<Draft> {
    let is_accepted = result.get("action")?.is_string("accept");
    let content = result.get("content").filter(|_| is_accepted)?;
    // What the form did not say is no answer: not even a default.
    let mut draft = Draft::blank(spec);
    for (question, reply) in spec.questions.iter().zip(&mut draft.replies) {
        if let Some(chosen) = content.text(&question.id).filter(|chosen| !chosen.is_empty()) {
            reply.choose(question.option(&chosen)?);
        }
        let chosen = reply.picks.clone();
        let own = content.text(&format!("{}{OWN}", question.id));
        // Nobody can be asked once more here.
        if own.as_ref().is_some_and(|own| question.option(own).is_none() && is_or_may_be_silence(own)) {
            return None;
        }
        match own.map(|own| reply.take_own(question, own)) {
            None | Some(Ok(()) | Err(OwnFault::Blank)) => {}
            Some(Err(_)) => return None,
        }
        if reply.picks.is_empty() || !chosen.is_empty() && reply.picks != chosen {
            return None;
        }
    }
    Some(draft)
}
