//! What a call of `next` costs with many options and many replies: `cargo bench --bench adapter`.
//!
//! Prints the median and the fastest run of the fold alone and of the whole program, beside a program that does almost
//! nothing (`--version`). A show, not a test: nothing here fails by time.

use novel_gate::adapter::call::{CallReply, Request};
use novel_gate::adapter::profile::{Executor, OnEscape};
use novel_gate::adapter::session::{Dialogue, DialogueStatus};
use novel_gate::ask::{JsString, QuestionSpec, decode_spec};
use serde_json::json;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 41;
const OPTIONS: usize = 28;
const REPLIES: usize = 400;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    println!("{OPTIONS} options, {REPLIES} replies\n{:34} {:>10} {:>10}", "job", "median", "fastest");
    let program = Command::new(env!("CARGO_BIN_EXE_novel-gate")).arg("--version").output().expect("runs");
    assert!(program.status.success());
    show("the program, --version", || run(folder.path(), &["--version"]));
    for questions in [1, 6] {
        for executor in [Executor::ClaudeCode, Executor::Codex] {
            let json = spec(questions);
            let spec = decode_spec(json.as_bytes()).expect("legal");
            let replies = wander(&spec, executor);
            let name = format!("{}, {questions} question(s)", executor.name());
            show(&format!("fold: {name}"), || fold(&spec, executor, &replies));
            let lines: Vec<String> = replies.iter().map(|reply| reply.to_json() + "\n").collect();
            std::fs::write(folder.path().join("spec.json"), &json).expect("written");
            std::fs::write(folder.path().join("replies.jsonl"), lines.concat()).expect("written");
            let line = ["next", "spec.json", "--for", executor.name(), "--replies", "replies.jsonl"];
            show(&format!("next: {name}"), || run(folder.path(), &line));
        }
    }
}

fn spec(questions: usize) -> String {
    let options: Vec<_> = (0..OPTIONS)
        .map(|i| json!({"label": format!("第 {i} 条路"), "description": "走到底才知道，适合连载的长线"}))
        .collect();
    let questions: Vec<_> = (0..questions)
        .map(|i| {
            json!({"id": format!("q{i}"), "header": "走向", "question": format!("第 {i} 问：往哪里走？"),
                   "kind": "multi_choice", "required": true, "options": options})
        })
        .collect();
    json!({"version": 1, "topic": "走向", "questions": questions}).to_string()
}

/// Replies of an author who looks at everything and decides nothing.
fn wander(spec: &QuestionSpec, executor: Executor) -> Vec<CallReply> {
    let mut dialogue = Dialogue::new(spec, executor.profile(), OnEscape::Terminate);
    let mut replies = Vec::new();
    while replies.len() < REPLIES {
        let DialogueStatus::Ask(request) = dialogue.status() else { panic!("nothing was decided") };
        let value = |place: usize| -> (String, JsString) {
            let screens = match &request {
                Request::Tool(shown) => shown,
                other => panic!("{other:?}"),
            };
            let (_, screen) = screens.iter().find(|(at, _)| *at == place).expect("shown");
            let labels: Vec<String> =
                screen.entries.iter().map(|entry| entry.label.display().into_owned()).collect();
            let wanted = labels.iter().find(|label| *label == "__more__" || label.starts_with("Options "));
            let label =
                wanted.filter(|_| executor == Executor::ClaudeCode || replies.len() % 2 == 0).cloned();
            let label = label.unwrap_or_else(|| "None of the above".to_owned());
            (spec.questions[place].id.clone(), label.into())
        };
        let values: Vec<_> = request.places().into_iter().map(value).collect();
        let body = dialogue.inquiry().plain_reply(&request, &values).expect("a reply");
        let reply = CallReply { call: dialogue.call(), body };
        dialogue.take(&reply).expect("taken");
        replies.push(reply);
    }
    replies
}

fn fold(spec: &QuestionSpec, executor: Executor, replies: &[CallReply]) -> usize {
    let mut dialogue = Dialogue::new(spec, executor.profile(), OnEscape::Terminate);
    for reply in replies {
        dialogue.take(reply).expect("taken");
    }
    dialogue.seq()
}

fn run(folder: &Path, line: &[&str]) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_novel-gate"));
    let status = command.args(line).current_dir(folder).stdout(Stdio::null()).status().expect("runs");
    assert!(status.success(), "{line:?}");
    true
}

fn show<T>(name: &str, job: impl Fn() -> T) {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            black_box(job());
            start.elapsed()
        })
        .collect();
    times.sort();
    let millis = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    println!("{name:34} {:>10} {:>10}", millis(times[RUNS / 2]), millis(times[0]));
}
