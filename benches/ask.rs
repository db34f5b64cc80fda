//! What the rules cost: `cargo bench --bench ask [-- FILTER]`.
//!
//! Prints the median, the fastest run and the throughput of each job, with `serde_json` on the same bytes beside it. A
//! show, not a test: nothing here fails by time.

use novel_gate::ask::{Draft, Gate, JsString, check_record, decode_packet, looks_like_gate};
use serde::de::IgnoredAny;
use std::hint::black_box;
use std::time::{Duration, Instant};

const RUNS: usize = 15;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let bench = ScanContext { filter };
    println!("{:44} {:>12} {:>12} {:>10}", "job", "median", "fastest", "MB/s");
    let small = packet(&choice("single_choice", 4), "{}");
    bench.packet("small packet", &small);
    bench.packet("10,000 options", &packet(&choice("multi_choice", 10_000), "{}"));
    bench.packet("100,000 options, all default", &packet(&with_defaults(100_000), "{}"));
    bench.packet("20 MB embed, text", &packet(&choice("single_choice", 4), &chapters(20)));
    bench.packet("20 MB embed, numbers", &packet(&choice("single_choice", 4), &tables(20)));
    bench.record("small record", &small);
    bench.record("10,000 entries", &packet(&choice("multi_choice", 10_000), "{}"));
    let wrong =
        packet(&with_defaults(100_000), "{}").replace("\"default\":[\"l0\"", "\"default\":[\"x\",1,2");
    bench.run("100,000 options, wrong default", wrong.len(), || decode_packet(wrong.as_bytes()).is_err());
}

struct ScanContext {
    filter: Option<String>,
}

impl ScanContext {
    /// Runs a job a few times and prints its figures; `length` is what it reads, in bytes.
    fn run<T>(&self, name: &str, length: usize, job: impl Fn() -> T) {
        if self.filter.as_ref().is_some_and(|filter| !name.contains(filter.as_str())) {
            return;
        }
        // A job too short for the clock is timed many at a time.
        let once = time(1, &job);
        let batch = u32::try_from(2_000_000 / once.as_nanos().max(1)).unwrap_or(u32::MAX).max(1);
        let mut times: Vec<Duration> = (0..RUNS).map(|_| time(batch, &job)).collect();
        times.sort();
        let median = times[RUNS / 2];
        let speed = f64::from(u32::try_from(length).unwrap_or(u32::MAX)) / 1e6 / median.as_secs_f64();
        println!("{name:44} {:>12} {:>12} {speed:>10.0}", show(median), show(times[0]));
    }

    fn packet(&self, name: &str, json: &str) {
        let bytes = json.as_bytes();
        self.run(&format!("decode_packet: {name}"), bytes.len(), || decode_packet(bytes).is_ok());
        self.run(&format!("  looks_like_gate: {name}"), bytes.len(), || looks_like_gate(bytes));
        let skip = || serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
        self.run(&format!("  serde_json, nothing kept: {name}"), bytes.len(), skip);
        let tree = || serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
        self.run(&format!("  serde_json, a tree: {name}"), bytes.len(), tree);
    }

    fn record(&self, name: &str, packet: &str) {
        let gate: Gate = decode_packet(packet.as_bytes()).expect("a legal packet").gate.expect("a gate");
        let mut draft = Draft::new(&gate.spec);
        let question = &gate.spec.questions[0];
        let places: Vec<usize> = (0..question.options.len()).collect();
        draft.replies[0].toggle_all(question, &places);
        let by = JsString::from("human");
        let record = draft.record(&gate.spec, "2026-02-27T10:12:34.000Z", &by).to_json();
        self.run(&format!("check_record: {name}"), record.len(), || {
            check_record(&gate.spec, record.as_bytes())
        });
        let tree = || serde_json::from_str::<serde_json::Value>(&record).is_ok();
        self.run(&format!("  serde_json, a tree: {name}"), record.len(), tree);
        let write = || draft.record(&gate.spec, "2026-02-27T10:12:34.000Z", &by).to_json();
        self.run(&format!("to_json: {name}"), record.len(), write);
    }
}

fn time<T>(batch: u32, job: &impl Fn() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..batch {
        black_box(job());
    }
    start.elapsed() / batch
}

fn show(time: Duration) -> String {
    match time.as_nanos() {
        0..10_000 => format!("{} ns", time.as_nanos()),
        10_000..10_000_000 => format!("{:.1} µs", time.as_secs_f64() * 1e6),
        _ => format!("{:.1} ms", time.as_secs_f64() * 1e3),
    }
}

fn packet(question: &str, manifest: &str) -> String {
    format!(
        "{{\"version\":1,\"step\":\"chapter:048:draft\",\"agent\":{{\"kind\":\"subagent\",\"name\":\"chapter-writer\"}},\
         \"manifest\":{manifest},\"expected_outputs\":[{{\"path\":\"staging/chapters/chapter-048.md\",\"required\":true}}],\
         \"novel_ask\":{{\"version\":1,\"topic\":\"平台与风格\",\"questions\":[{question}]}},\
         \"answer_path\":\"staging/novel-ask/chapter-048-draft.answers.json\"}}"
    )
}

fn question(kind: &str, more: &str) -> String {
    format!(
        "{{\"id\":\"platform\",\"header\":\"平台\",\"question\":\"这本书发在哪里？\",\"kind\":\"{kind}\",\
         \"required\":true{more}}}"
    )
}

fn choice(kind: &str, options: usize) -> String {
    let option = |i| format!("{{\"label\":\"l{i}\",\"description\":\"第 {i} 个选项，长章节，适合连载\"}}");
    let options: Vec<String> = (0..options).map(option).collect();
    question(kind, &format!(",\"options\":[{}]", options.join(",")))
}

fn with_defaults(options: usize) -> String {
    let labels: Vec<String> = (0..options).map(|i| format!("\"l{i}\"")).collect();
    choice("multi_choice", options).replace("}]}", &format!("}}],\"default\":[{}]}}", labels.join(",")))
}

/// Chapters as an executor embeds them: long strings with an escape now and then.
fn chapters(megabytes: usize) -> String {
    let line = "雨停之前，她没有回头。“走吧。”他说。\\n\\n";
    let chapter = format!("\"{}\"", line.repeat(300));
    let chapters = vec![chapter.as_str(); megabytes * 1_000_000 / chapter.len()];
    format!("{{\"inline\":[{}]}}", chapters.join(","))
}

/// Small values, for which every byte counts.
fn tables(megabytes: usize) -> String {
    let row = "{\"chapter\":48,\"score\":-0.25,\"tags\":[\"a\",\"b\"],\"open\":true,\"note\":null}";
    format!("{{\"rows\":[{}]}}", vec![row; megabytes * 1_000_000 / row.len()].join(","))
}
