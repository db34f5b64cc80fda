//! Questions as a form in the client's own dialog (elicitation), where no console is open: only single choices that must be
//! answered, and nothing but a filled form is an answer.

use crate::ask::draft::OwnFault;
use crate::ask::{Choice, Draft, Kind, Question, QuestionSpec};
use crate::text::{Lang, say};
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext};
use serde_json::{Map, Value, json};

/// What is behind a question's id in the name of the field for own words; no id has two of these.
const OWN: &str = "__own";

/// A client whose dialog cannot leave a text field blank (0.169.0): it gets none that may be left.
const NO_BLANKS: &str = "codex-mcp-client";

/// Whether a client shows forms.
pub(super) fn is_declared(context: &RequestContext<RoleServer>) -> bool {
    let declared = context.client_capabilities().and_then(|all| all.elicitation);
    // A client that names neither kind means this one.
    declared.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// The form for all questions in a client's dialog; `None` if one of them is no single choice that must be answered.
pub(super) fn of(spec: &QuestionSpec, client: &str, lang: Lang) -> Option<ElicitRequest> {
    let fits = |question: &Question| question.kind == Kind::SingleChoice && question.required;
    if !spec.questions.iter().all(fits) {
        return None;
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for question in &spec.questions {
        let mut field = choice(question);
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
    let requested_schema = serde_json::from_value(schema).ok()?;
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    Some(ElicitRequest::new(params))
}

fn choice(question: &Question) -> Value {
    let option = |option: &Choice| {
        let title = format!("{} · {}", option.label.display(), option.description.display());
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
pub(super) fn draft(spec: &QuestionSpec, result: &ElicitResult) -> Option<Draft> {
    let content = result.content.as_ref().filter(|_| result.action == ElicitationAction::Accept)?;
    let text = |name: &str| content.get(name).and_then(Value::as_str);
    // What the form did not say is no answer: not even a default.
    let mut draft = Draft::blank(spec);
    for (question, reply) in spec.questions.iter().zip(&mut draft.replies) {
        if let Some(chosen) = text(&question.id).filter(|chosen| !chosen.is_empty()) {
            reply.choose(question.option(&chosen.into())?);
        }
        let chosen = reply.picks.clone();
        match text(&format!("{}{OWN}", question.id)).map(|own| reply.take_own(question, own)) {
            None | Some(Ok(()) | Err(OwnFault::Blank)) => {}
            Some(Err(_)) => return None,
        }
        if reply.picks.is_empty() || !chosen.is_empty() && reply.picks != chosen {
            return None;
        }
    }
    Some(draft)
}

/// A form that the client shows. Dropping it takes the form away.
struct Shown {
    peer: Peer<RoleServer>,
    id: Option<RequestId>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        let (peer, Some(id)) = (self.peer.clone(), self.id.take()) else { return };
        tokio::spawn(async move {
            let _ = peer.notify_cancelled(CancelledNotificationParam::new(Some(id), None)).await;
        });
    }
}

/// Shows a form and waits for what comes of it; `None` if the client could not.
pub(super) async fn show(peer: &Peer<RoleServer>, form: ElicitRequest) -> Option<ElicitResult> {
    let request = ServerRequest::ElicitRequest(form);
    let options = PeerRequestOptions::no_options();
    let handle = peer.send_cancellable_request(request, options).await.ok()?;
    let mut shown = Shown { peer: peer.clone(), id: Some(handle.id.clone()) };
    let result = handle.await_response().await;
    shown.id = None;
    match result {
        Ok(ClientResult::ElicitResult(result)) => Some(result),
        _ => None,
    }
}
