//! A document as a file has it.
//!
//! Responsible for the order of the members and for the layout: two-space JSON with a final newline, in one form for one
//! document. Not responsible for reading (`read`).

use super::{Document, SourcePrompt, Step};
use crate::ask::Object;
use crate::ask::js_string::js_number;
use crate::ask::json::Json;
use crate::ask::object::list;

impl Document {
    /// The bytes of the document's file.
    pub fn to_json(&self) -> String {
        let flat = self.object().finish();
        let mut out = Json::parse(flat.as_bytes()).map(|json| json.root().indented()).unwrap_or_default();
        out.push('\n');
        out
    }

    /// The document on one line.
    pub fn object(&self) -> Object {
        let object = Object::new()
            .text("protocol", &self.protocol)
            .text("version", &self.version)
            .js("source", &self.source)
            .raw("source_prompts", &list(self.source_prompts.iter().map(source_prompt)));
        let object = match &self.task_sync {
            Some(sync) => object.raw("task_sync", &sync.object().finish()),
            None => object,
        };
        object.raw("steps", &list(self.steps.iter().map(step)))
    }
}

fn source_prompt(prompt: &SourcePrompt) -> String {
    let object = Object::new()
        .text("id", &prompt.id)
        .js("source_phase", &prompt.source_phase)
        .raw("source_options_count", &js_number(prompt.source_options_count));
    let object =
        if prompt.two_stage_routing { object.text("overflow_strategy", "two_stage_routing") } else { object };
    object.raw("mapped_step_ids", &list(prompt.mapped_step_ids.iter().map(|id| quoted(id)))).finish()
}

fn step(step: &Step) -> String {
    let options = step.options.iter().map(|option| {
        let object = Object::new().js("label", &option.label).js("description", &option.description);
        match &option.implication {
            Some(implication) => object.js("implication", implication).finish(),
            None => object.finish(),
        }
    });
    let object = Object::new()
        .text("id", &step.id)
        .text("intent", step.intent.name())
        .js("question", &step.question)
        .raw("options", &list(options));
    let object = match step.max_choices {
        Some(choices) => object.number("max_choices", u64::from(choices)),
        None => object,
    };
    let object = object.text("on_escape", step.on_escape.name());
    if step.next.is_empty() {
        return object.finish();
    }
    let next = step.next.iter().map(|transition| {
        Object::new().js("answer", &transition.answer).text("next_step", &transition.next_step).finish()
    });
    object.raw("next", &list(next)).finish()
}

fn quoted(text: &str) -> String {
    // An id has no character that JSON escapes.
    format!("\"{text}\"")
}
