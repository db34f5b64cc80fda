//! What goes into Claude Code's question tool and its hooks and comes out of them, against the types that the tool's maker publishes.
//!
//! The types are those of the npm package `@anthropic-ai/claude-agent-sdk` 0.3.330, read by the real compiler; both are
//! pinned by `tests/executor/types/package-lock.json`. The types say how many questions and options there may be and
//! which fields; the length of a header stands only in their comments.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use super::npm::{Bundle, skip};
use crate::sandbox::Running;

const BUNDLE: Bundle = Bundle {
    name: "tool-types",
    files: &[
        ("package.json", include_str!("../../executor/types/package.json")),
        ("package-lock.json", include_str!("../../executor/types/package-lock.json")),
        (".npmrc", include_str!("../../executor/types/.npmrc")),
    ],
};
const IMPORTS: &str = "import type { AgentInput, AskUserQuestionInput, AskUserQuestionOutput, FileWriteInput } from \"@anthropic-ai/claude-agent-sdk/sdk-tools\"; \
                       import type { PreToolUseHookInput, Settings, SyncHookJSONOutput } from \"@anthropic-ai/claude-agent-sdk\";\n";
const COMPILER: &str = "node_modules/typescript/bin/tsc";
/// Far more than the compiler needs, for machines that are busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// A type of the tool, or of its hooks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToolType {
    /// What an executor hands to the tool.
    Input,
    /// What the tool returns.
    Output,
    /// What the tool is given that starts an agent.
    Agent,
    /// What the tool is given that writes a file.
    Write,
    /// What a hook is given before a call.
    HookInput,
    /// What a hook says.
    HookOutput,
    /// A settings file.
    Settings,
}

impl ToolType {
    fn name(self) -> &'static str {
        match self {
            ToolType::Input => "AskUserQuestionInput",
            ToolType::Output => "AskUserQuestionOutput",
            ToolType::Agent => "AgentInput",
            ToolType::Write => "FileWriteInput",
            ToolType::HookInput => "PreToolUseHookInput",
            ToolType::HookOutput => "SyncHookJSONOutput",
            ToolType::Settings => "Settings",
        }
    }
}

/// The compiler with the types.
pub(crate) struct TypeChecker {
    dir: PathBuf,
}

/// The type checker; `None`, loudly, if it cannot be had here. Installed at most once.
pub(crate) fn type_checker() -> Option<&'static TypeChecker> {
    static CHECKER: OnceLock<Result<TypeChecker, String>> = OnceLock::new();
    match CHECKER.get_or_init(|| BUNDLE.install().map(|dir| TypeChecker { dir })) {
        Ok(checker) => Some(checker),
        Err(why) => {
            skip("the check against the published tool types", why);
            None
        }
    }
}

impl TypeChecker {
    /// The places of the values that do not have their type, and what the compiler says about them. The values are JSON
    /// text; as literals they may have no member that the type does not know.
    pub(crate) fn misfits(&self, values: &[(ToolType, String)]) -> (Vec<usize>, String) {
        let place = tempfile::Builder::new().prefix("check-").tempdir_in(&self.dir).expect("a directory");
        let mut source = IMPORTS.to_owned();
        for (i, (kind, json)) in values.iter().enumerate() {
            assert!(!json.contains(['\n', '\r']), "one line for each value: {json}");
            // The compiler counts these as line ends, in strings too.
            let json = json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
            source.push_str(&format!("export const v{i}: {} = {json};\n", kind.name()));
        }
        fs::write(place.path().join("values.ts"), source).expect("the source");
        let mut tsc = Command::new("node");
        tsc.arg(self.dir.join(COMPILER)).current_dir(place.path());
        tsc.args(["--noEmit", "--strict", "--skipLibCheck", "--pretty", "false", "--module", "nodenext"]);
        let ran = Running::start(tsc.arg("values.ts")).wait_within(PATIENCE).expect("the compiler ends");
        let mut lines: Vec<usize> = ran.stdout.lines().filter_map(line_of).collect();
        assert_eq!(ran.code != Some(0), !lines.is_empty(), "{ran:?}");
        lines.dedup();
        // The imports stand in the first line.
        (
            lines.into_iter().map(|line| line.checked_sub(2).expect("no fault in the imports")).collect(),
            ran.stdout,
        )
    }

    /// Every value has its type.
    pub(crate) fn accept(&self, values: &[(ToolType, String)]) {
        let (misfits, said) = self.misfits(values);
        let shown: Vec<&str> = misfits.iter().map(|&place| values[place].1.as_str()).collect();
        assert!(misfits.is_empty(), "{said}\n{shown:#?}");
    }
}

/// The line that a message of the compiler is about: `values.ts(3,14): error …`.
fn line_of(message: &str) -> Option<usize> {
    message.strip_prefix("values.ts(")?.split_once(',')?.0.parse().ok()
}

/// Questions that the tool takes, with something put in the place of something else.
fn changed(from: &str, to: &str) -> String {
    let good = r#"{"questions": [{"question": "发布到哪里？", "header": "平台", "multiSelect": false, "options":
        [{"label": "qidian", "description": "起点"}, {"label": "web", "description": "自建站"}]}]}"#;
    let good = good.replace('\n', "");
    assert!(good.contains(from), "{from}");
    good.replacen(from, to, 1)
}

#[test]
fn the_published_types_know_right_from_wrong() {
    let Some(checker) = type_checker() else { return };
    let option = r#"{"label": "web", "description": "自建站"}"#;
    let options = |count: usize| vec![option; count].join(", ");
    let right = [
        changed("", ""),
        changed("起点", "第一行\\n第二行\u{2028}第三行 \\\"引\\\""),
        changed(option, &options(3)),
        changed("false", "true"),
        // Types know nothing of lengths: the limit of a header is tested elsewhere.
        changed("平台", "thirteen char"),
        changed(r#""description": "起点""#, r#""description": "起点", "preview": "……""#),
    ];
    let wrong = [
        changed(option, &options(4)),
        changed(&format!(", {option}"), ""),
        changed(r#""multiSelect": false, "#, ""),
        changed("false", "\"false\""),
        changed(r#", "description": "起点""#, ""),
        changed(r#""description": "起点""#, r#""description": "起点", "value": 1"#),
        changed(r#""header""#, r#""id": "platform", "header""#),
        changed(r#""header": "平台", "#, ""),
        changed(r#""label": "qidian""#, r#""label": null"#),
        changed(r#"{"questions""#, r#"{"call": "c0", "questions""#),
        r#"{"questions": []}"#.to_owned(),
    ];
    let count = right.len();
    let values: Vec<(ToolType, String)> =
        right.into_iter().chain(wrong).map(|json| (ToolType::Input, json)).collect();
    let (misfits, said) = checker.misfits(&values);
    assert_eq!(misfits, (count..values.len()).collect::<Vec<usize>>(), "{said}");
}

#[test]
fn the_published_types_know_what_the_tool_returns() {
    let Some(checker) = type_checker() else { return };
    let right = [
        r#"{"questions": [], "answers": {"发布到哪里？": "qidian, web"}}"#,
        r#"{"questions": [], "answers": {}, "response": "web", "afkTimeoutMs": 60000}"#,
        r#"{"questions": [], "answers": {}, "annotations": {"Q?": {"unanswered": "skipped", "notes": "-"}}}"#,
        r#"{"questions": [], "answers": {}, "annotations": {"Q?": {"unanswered": "dismissed"}}}"#,
        r#"{"questions": [], "answers": {}, "annotations": {"Q?": {"unanswered": "replied_in_chat"}}}"#,
    ];
    let wrong = [
        r#"{"questions": [], "answers": {"Q?": ["a", "b"]}}"#,
        r#"{"questions": []}"#,
        r#"{"questions": [], "answers": {}, "annotations": {"Q?": {"unanswered": "timeout"}}}"#,
        r#"{"questions": [], "answers": {}, "afkTimeoutMs": "60000"}"#,
    ];
    let value = |json: &str| (ToolType::Output, json.to_owned());
    let values: Vec<(ToolType, String)> = right.into_iter().chain(wrong).map(value).collect();
    let (misfits, said) = checker.misfits(&values);
    assert_eq!(misfits, (right.len()..values.len()).collect::<Vec<usize>>(), "{said}");
    checker.accept(&values[..right.len()]);
}
