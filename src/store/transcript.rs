//! What an executor notes of its own agents, in files that it names: as far as they tell which agent has just started.

use super::file::read_beginning;
use crate::platform::files::names_in;
use serde_json::Value;
use std::path::Path;

/// So much of a file is read, in bytes.
const READ: usize = 4 << 20;
/// So many runs of workflows are looked at.
const RUNS: usize = 1_000;

/// The name of an agent's task, in the first line of its own transcript (Codex 0.169.0: `agent_path`, such as `/root/TASK`); `None` for
/// an agent that was started without one.
pub fn task_name(transcript: &Path) -> Option<String> {
    let bytes = read_beginning(transcript, READ).ok()?;
    let first: Value = serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next()?).ok()?;
    let path = first.pointer("/payload/source/subagent/thread_spawn/agent_path")?.as_str()?;
    Some(path.rsplit('/').next().unwrap_or(path).to_owned())
}

/// What a workflow called an agent that it has started, in the journals beside the session's transcript (Claude Code 2.1.330): as a
/// rule the beginning of its prompt. `None` for every other agent.
pub fn workflow_label(transcript: &Path, agent: &str) -> Option<String> {
    let runs = transcript.with_extension("").join("subagents/workflows");
    names_in(&runs).ok()?.take(RUNS).flatten().find_map(|run| {
        let journal = read_beginning(&runs.join(run).join("journal.jsonl"), READ).ok()?;
        let lines = journal.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        let started = |line: &Value| line["type"] == "started" && line["agentId"] == agent;
        lines.into_iter().find(started).map(|line| line["label"].as_str().unwrap_or_default().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_task_is_named_in_the_first_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("rollout.jsonl");
        let line = |path: &str| {
            format!(
                r#"{{"type":"session_meta","payload":{{"source":{{"subagent":{{"thread_spawn":{{"agent_path":{path}}}}}}}}}}}"#
            )
        };
        for (text, name) in [
            (
                format!("{}\n{}\n", line("\"/root/chapter_one\""), line("\"/root/parent\"")),
                Some("chapter_one"),
            ),
            (line("\"/root/a/b\""), Some("b")),
            (line("null"), None),
            (format!("{{}}\n{}", line("\"/root/x\"")), None),
            (String::new(), None),
            ("torn {".to_owned(), None),
        ] {
            fs::write(&file, &text).unwrap();
            assert_eq!(task_name(&file).as_deref(), name, "{text}");
        }
        assert_eq!(task_name(&dir.path().join("missing")), None);
    }

    #[test]
    fn an_agent_of_a_workflow_is_found_in_its_journal() {
        let dir = tempfile::tempdir().unwrap();
        let transcript = dir.path().join("session.jsonl");
        assert_eq!(workflow_label(&transcript, "a1"), None);
        for (run, text) in [
            ("wf_1", "{\"type\":\"started\",\"agentId\":\"a0\",\"label\":\"x\"}\n"),
            (
                "wf_2",
                "torn\n{\"type\":\"result\",\"agentId\":\"a1\"}\n{\"type\":\"started\",\"agentId\":\"a1\",\"label\":\"Plan\"}",
            ),
        ] {
            let dir = dir.path().join("session/subagents/workflows").join(run);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("journal.jsonl"), text).unwrap();
        }
        assert_eq!(workflow_label(&transcript, "a1").as_deref(), Some("Plan"));
        assert_eq!(workflow_label(&transcript, "a2"), None);
    }
}
