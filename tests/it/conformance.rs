//! Agreement with the recorded verdicts of novel-writer-cli 0.5.0: every line of `tests/conformance/`.

mod schemas;

use crate::in_process::call;
use crate::sandbox::directory_in_memory;
use crate::system::symlink;
use novel_gate::Environment;
use novel_gate::ask::windows_name::is_path_on_windows;
use novel_gate::ask::{JsString, json::Json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const CHECK: &str = include_str!("../conformance/check.jsonl");
const ANSWER: &str = include_str!("../conformance/answer.jsonl");

#[test]
fn every_recorded_verdict_of_check() {
    agree(CHECK, 2_400, check);
}

#[test]
fn every_recorded_outcome_of_answer() {
    agree(ANSWER, 165, answer);
}

/// Runs every line on two threads; says how many agree, and fails with those that do not. The verdicts were recorded on Linux:
/// what cannot be on Windows or is another path there is left out and counted.
fn agree(lines: &str, count: usize, judge: fn(&Case) -> Result<(), String>) {
    let lines: Vec<&str> = lines.lines().collect();
    let left_out = AtomicUsize::new(0);
    let halves = lines.split_at(lines.len() / 2);
    let run = |lines: &[&str]| -> Vec<String> {
        let faults = lines.iter().filter_map(|line| {
            let Some(case) = Case::lay_out(line) else {
                left_out.fetch_add(1, Ordering::Relaxed);
                return None;
            };
            judge(&case).err().map(|fault| format!("{} ({}): {fault}", case.text("id"), case.text("group")))
        });
        faults.collect()
    };
    let faults = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(halves.1));
        let mut faults = run(halves.0);
        faults.extend(other.join().expect("no panic"));
        faults
    });
    let left_out = left_out.into_inner();
    println!(
        "conformance: {} of {} agree, {left_out} left out",
        lines.len() - faults.len() - left_out,
        lines.len()
    );
    assert!(left_out < if cfg!(windows) { lines.len() / 5 } else { 1 }, "{left_out} are left out");
    assert_eq!(lines.len(), count, "the recorded verdicts are complete");
    assert!(faults.is_empty(), "{} disagree:\n{}", faults.len(), faults.join("\n"));
}

/// Whether Windows takes the answer path, or the name of a file, for another one: it folds capitals, drops blanks and dots at an end,
/// and knows drives and streams.
fn is_otherwise_on_windows(line: &Value) -> bool {
    let files = line["files"].as_object().expect("files");
    let packet = files.get(line["packet"].as_str().unwrap_or_default()).and_then(Value::as_str);
    let packet: Value = packet.and_then(|packet| serde_json::from_str(packet).ok()).unwrap_or_default();
    let answer_path = packet["answer_path"].as_str().unwrap_or_default();
    let folds = |name: &String| name != answer_path && name.to_lowercase() == answer_path.to_lowercase();
    answer_path.starts_with("{{") || !is_path_on_windows(answer_path) || files.keys().any(folds)
}

/// One recorded project, laid out in a directory of its own.
struct Case {
    line: Value,
    sandbox: tempfile::TempDir,
    root: PathBuf,
}

impl Case {
    /// `None` if it cannot be on Windows, or names another path there.
    fn lay_out(line: &str) -> Option<Case> {
        let line: Value = serde_json::from_str(line).expect("a recorded case");
        if cfg!(windows) && is_otherwise_on_windows(&line) {
            return None;
        }
        let sandbox = directory_in_memory();
        let top = sandbox.path().canonicalize().expect("a sandbox");
        let root = top.join("proj");
        fs::create_dir(&root).expect("the root");
        // In JSON, on Windows too.
        let named = root.to_str().expect("a plain path").trim_start_matches(r"\\?\").replace('\\', "/");
        let fill = |text: &str| text.replace("{{ROOT}}", &named);
        for (name, content) in line["files"].as_object().expect("files") {
            let path = flatten(&root.join(name));
            let parents = fs::create_dir_all(path.parent().expect("a parent"));
            let laid = parents.and_then(|()| {
                if let Some(text) = content.as_str() {
                    fs::write(&path, fill(text))
                } else if let Some(target) = content["symlink"].as_str() {
                    symlink(fill(target), &path)
                } else if let Some(coded) = content["b64"].as_str() {
                    fs::write(&path, base64(coded))
                } else {
                    fs::create_dir_all(&path)
                }
            });
            let is_link = content["symlink"].is_string();
            if cfg!(windows) && (laid.is_err() || is_link && path.read_link().is_err()) {
                return None;
            }
            laid.expect("it is laid out");
        }
        Some(Case { line, sandbox, root })
    }

    fn text(&self, key: &str) -> &str {
        self.line[key].as_str().unwrap_or_default()
    }

    fn packet(&self) -> PathBuf {
        self.root.join(self.text("packet"))
    }

    fn project(&self) -> PathBuf {
        flatten(&self.root.join(self.line["project"].as_str().unwrap_or(".")))
    }

    /// Runs the program; the exit code and standard output.
    fn run(&self, arguments: &[&std::ffi::OsStr]) -> (i32, Vec<u8>) {
        let state = directory_in_memory();
        let mut line: Vec<OsString> = vec!["--json".into(), "--project".into(), self.project().into()];
        line.extend(["--state-dir".into(), state.path().into()]);
        line.extend(arguments.iter().map(|&argument| argument.to_owned()));
        let environment = Environment { cwd: self.sandbox.path().to_path_buf(), ..Environment::default() };
        let called = call(&environment, line, b"");
        (called.exit, called.out)
    }

    fn check(&self) -> Result<i32, String> {
        let (exit, out) = self.run(&["check".as_ref(), self.packet().as_ref()]);
        let json = Json::parse(&out).map_err(|error| format!("standard output is not JSON: {error:?}"))?;
        let said = json.root().get("exit").and_then(novel_gate::ask::json::Item::number);
        if said == Some(f64::from(exit)) {
            Ok(exit)
        } else {
            Err(format!("exit {exit}, but JSON says {said:?}"))
        }
    }

    /// Every file of the sandbox and what is in it; links by their target.
    fn snapshot(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut out = BTreeMap::new();
        let mut open = vec![self.sandbox.path().canonicalize().expect("a sandbox")];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(&dir).expect("a directory").flatten() {
                let path = entry.path();
                let kind = entry.file_type().expect("a kind");
                if kind.is_dir() {
                    open.push(path);
                } else if kind.is_symlink() {
                    let target = fs::read_link(&path).expect("a link");
                    out.insert(path, target.into_os_string().into_encoded_bytes());
                } else {
                    let bytes = fs::read(&path).expect("a file");
                    out.insert(path, bytes);
                }
            }
        }
        out
    }
}

fn check(case: &Case) -> Result<(), String> {
    let want = match case.text("verdict") {
        "open" => 0,
        "waiting" => 3,
        "blocked" => 4,
        "packet_invalid" => 5,
        other => return Err(format!("unknown verdict {other}")),
    };
    let exit = case.check()?;
    if exit == want {
        Ok(())
    } else {
        Err(format!("exit {exit}, expected {want} [{}]", case.text("message")))
    }
}

fn answer(case: &Case) -> Result<(), String> {
    let want = match case.text("expect") {
        "written" => 0,
        "rejected" => 4,
        "packet_invalid" => 5,
        "exists" => 6,
        other => return Err(format!("unknown outcome {other}")),
    };
    let given = tempfile::NamedTempFile::new().expect("a file");
    fs::write(given.path(), case.text("answers_json")).expect("the answers");
    let before = case.snapshot();
    let packet = case.packet();
    let arguments = ["answer", "--by", case.text("by"), "--from"].map(AsRef::as_ref);
    let (exit, out) = case.run(&[&arguments[..], &[given.path().as_ref(), packet.as_ref()]].concat());
    if exit != want {
        return Err(format!("exit {exit}, expected {want} [{}]", case.text("message")));
    }
    Json::parse(&out).map_err(|error| format!("standard output is not JSON: {error:?}"))?;
    let mut after = case.snapshot();
    if want == 0 {
        let path = case.project().join(answer_path(&packet)).canonicalize().map_err(|e| e.to_string())?;
        let bytes = after.remove(&path).ok_or("no record was written")?;
        same_answers(case, &bytes)?;
        if case.check()? != 0 {
            return Err("written, but not open afterwards".to_owned());
        }
    }
    if before == after { Ok(()) } else { Err("other files changed".to_owned()) }
}

fn answer_path(packet: &Path) -> String {
    let bytes = fs::read(packet).expect("the packet");
    let json = Json::parse(&bytes).expect("JSON");
    let path = json.root().get("answer_path").and_then(novel_gate::ask::json::Item::string);
    path.unwrap_or_default().lossy().into_owned()
}

/// The record's keys in order, who answered, and every answer exactly as it was given.
fn same_answers(case: &Case, bytes: &[u8]) -> Result<(), String> {
    let record = Json::parse(bytes).map_err(|error| format!("the record is not JSON: {error:?}"))?;
    let keys: Vec<JsString> = record.root().entries().into_iter().map(|(key, _)| key).collect();
    if keys != ["version", "topic", "answers", "answered_at", "answered_by"].map(JsString::from) {
        return Err(format!("the record's keys are {keys:?}"));
    }
    let by = record.root().get("answered_by").and_then(novel_gate::ask::json::Item::string);
    if by != Some(case.text("by").into()) {
        return Err(format!("answered_by is {by:?}"));
    }
    let given = Json::parse(case.text("answers_json").as_bytes()).map_err(|error| format!("{error:?}"))?;
    let answers = |json: &Json<'_>| -> BTreeMap<JsString, Vec<JsString>> {
        let entries =
            json.root().get("answers").map(novel_gate::ask::json::Item::entries).unwrap_or_default();
        let values = entries.into_iter().map(|(id, item)| {
            let one = item.string().into_iter();
            (id, one.chain(item.elements().filter_map(novel_gate::ask::json::Item::string)).collect())
        });
        values.collect()
    };
    if answers(&record) == answers(&given) { Ok(()) } else { Err("the answers differ".to_owned()) }
}

/// Takes `..` out of a path by its letters.
fn flatten(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = out.pop(),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for digit in text.bytes().filter(|&byte| byte != b'=') {
        let value = DIGITS.iter().position(|&known| known == digit).expect("a base64 digit");
        bits = bits << 6 | u32::try_from(value).expect("small");
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xFF).expect("a byte"));
        }
    }
    out
}
