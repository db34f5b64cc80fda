//! How the clients' models speak: streams of the Messages API (Claude Code), the Responses API (Codex), `streamGenerateContent`
//! (Gemini CLI) and chat completions (opencode).

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Call, id};

#[derive(Clone, Copy)]
pub(in crate::live) enum Wire {
    Messages,
    Responses,
    Contents,
    Completions,
}

impl Wire {
    /// A turn that makes these calls, or says that it is done.
    pub(super) fn stream(self, turn: &str, calls: &[Call]) -> String {
        let events = match self {
            Wire::Messages => messages(turn, calls),
            Wire::Responses => responses(turn, calls),
            Wire::Contents => contents(turn, calls),
            Wire::Completions => completions(turn, calls),
        };
        let mut stream = String::new();
        for event in events {
            if let Some(kind) = event["type"].as_str() {
                writeln!(stream, "event: {kind}").expect("text");
            }
            write!(stream, "data: {event}\n\n").expect("text");
        }
        stream
    }
}

fn messages(turn: &str, calls: &[Call]) -> Vec<Value> {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({"id": format!("msg_{turn}"), "type": "message", "role": "assistant", "model": "script",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut events = vec![json!({"type": "message_start", "message": message})];
    let mut block = |start: Value, delta: Value| {
        let index = events.len() / 3;
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    };
    for (place, (name, input)) in calls.iter().enumerate() {
        let start = json!({"type": "tool_use", "id": id(turn, place), "name": name, "input": {}});
        block(start, json!({"type": "input_json_delta", "partial_json": input.to_string()}));
    }
    if calls.is_empty() {
        block(json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "I am done."}));
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn responses(turn: &str, calls: &[Call]) -> Vec<Value> {
    let name = format!("resp_{turn}");
    let mut events = vec![json!({"type": "response.created", "response": {"id": name}})];
    for (place, (tool, input)) in calls.iter().enumerate() {
        let (id, item) = (id(turn, place), format!("item_{turn}_{place}"));
        let item = match (input, tool.split_once('.')) {
            (Value::String(text), _) => {
                json!({"type": "custom_tool_call", "id": item, "call_id": id, "name": tool, "input": text})
            }
            (_, Some((space, tool))) => {
                json!({"type": "function_call", "id": item, "call_id": id, "namespace": space,
                "name": tool, "arguments": input.to_string()})
            }
            (_, None) => json!({"type": "function_call", "id": item, "call_id": id, "name": tool,
                "arguments": input.to_string()}),
        };
        events.push(json!({"type": "response.output_item.done", "output_index": place, "item": item}));
    }
    if calls.is_empty() {
        let item = json!({"type": "message", "id": format!("message_{turn}"), "role": "assistant",
            "content": [{"type": "output_text", "text": "I am done."}]});
        events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    }
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    events.push(json!({"type": "response.completed", "response": {"id": name, "usage": usage}}));
    events
}

fn contents(turn: &str, calls: &[Call]) -> Vec<Value> {
    let call = |(place, (name, input)): (usize, &Call)| json!({"functionCall": {"id": id(turn, place), "name": name, "args": input}});
    let mut parts: Vec<Value> = calls.iter().enumerate().map(call).collect();
    if parts.is_empty() {
        parts.push(json!({"text": "I am done."}));
    }
    let candidate = json!({"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}});
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2});
    vec![json!({"candidates": [candidate], "usageMetadata": usage})]
}

fn completions(turn: &str, calls: &[Call]) -> Vec<Value> {
    let call = |(place, (name, input)): (usize, &Call)| {
        json!({"index": place, "id": id(turn, place), "type": "function",
            "function": {"name": name, "arguments": input.to_string()}})
    };
    let (delta, reason) = if calls.is_empty() {
        (json!({"role": "assistant", "content": "I am done."}), "stop")
    } else {
        let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
        (json!({"role": "assistant", "tool_calls": calls}), "tool_calls")
    };
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2});
    let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
    vec![
        json!({"id": turn, "object": "chat.completion.chunk", "created": 1, "model": "script", "choices": [choice],
        "usage": usage}),
    ]
}
