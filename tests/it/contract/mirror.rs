//! Every object that a command prints, as a type that knows exactly its members.
//!
//! An added, removed or renamed member fails here. The names are those of the published schemas, whose property lists
//! must be the same.

use super::fields;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A form of the schemas: its name, the members of its mirror, and whether an object is one.
pub(super) struct Mirror {
    pub(super) name: &'static str,
    pub(super) fields: fn() -> Vec<&'static str>,
    pub(super) read: fn(&Value) -> Result<(), serde_json::Error>,
}

/// Objects, each a form of the schemas, with their members.
macro_rules! forms {
    ($($name:literal $form:ident { $($field:ident $(= $spelled:literal)? : $kind:ty),* $(,)? })*) => {
        $(
            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            #[expect(dead_code, reason = "what is there matters, not what is done with it")]
            #[allow(clippy::struct_field_names, clippy::struct_excessive_bools, reason = "members have the names they have")]
            struct $form { $( $(#[serde(rename = $spelled)])? $field: $kind ),* }
        )*

        /// Every form.
        pub(super) const MIRRORS: &[Mirror] = &[$(Mirror {
            name: $name,
            fields: fields::of::<$form>,
            read: |value| serde_json::from_value::<$form>(value.clone()).map(drop),
        }),*];
    };
}

type Text = String;
type Count = u64;
type Object = serde_json::Map<String, Value>;
type Answers = BTreeMap<String, Value>;
type Texts = Vec<String>;

forms! {
    "ErrorOutput" Failure { status: Text, exit: Count, code: Text, message: Text, at: Option<Text>, problems: Option<Vec<Problem>> }
    "ProblemOutput" Problem { pointer: Text, found: Text, expected: Text, hint: Option<Text> }
    "RecordOutput" Record {
        version: Count, topic: Text, answers: Answers, answered_at: Text, answered_by: Text,
        notes = "_notes": Option<BTreeMap<String, Text>>,
    }

    "CheckOutput" Verdict {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, answer_path: Option<Text>, attached: bool, writable: bool,
        refusal: Option<Text>, problems: Vec<Problem>, lost: Option<Text>, sent_back: Option<SentBack>, outdated: bool,
    }
    "SentBack" SentBack {
        at: Text, by: Text, choice: Option<Text>, does_not_apply: Option<Text>, reason: Text, delivered: Option<Text>,
    }
    "ListOutput" Listed {
        status: Text, exit: Count, code: Text, message: Text, waiting: Count, blocked: Count, malformed: Count, unseen: Count, sent_back: Count,
        answered: Count, truncated: bool, pending: bool, gates: Vec<Gate>, kept_drafts: Option<Vec<KeptDraft>>,
    }
    "KeptDraft" KeptDraft {
        packet: Option<Text>, step: Option<Text>, topic: Option<Text>, answer_path: Option<Text>, saved_at: Option<Text>,
        reason: Text, reason_text: Text, open_elsewhere: bool, said: Vec<KeptWords>,
    }
    "KeptWords" KeptWords { id: Text, header: Option<Text>, question: Option<Text>, what: Text, values: Texts }
    "Caller" Caller { session: Option<Text>, agent: Option<Text> }
    "Telling" Telling { at: Text, agent: Option<Text>, by: Text }
    "ListedDraft" Draft { answered: Count, questions: Count }
    "ListedGate" Gate {
        packet: Text, status: Text, draft: Option<Draft>, orphaned: bool, older: bool, told: Option<Telling>, untold: bool, outdated: bool, gate: bool, step: Option<Text>,
        agent: Option<Text>, caller: Option<Caller>,
        topic: Option<Text>, answer_path: Option<Text>, attached: bool, writable: bool, refusal: Option<Text>, questions: Count, problem_count: Count,
        problem: Option<Text>, lost: Option<Text>, note: Option<Text>, other_packets: Count, same_gate: Texts, conflicts: Texts, past: bool, being_written: bool, modified: Text,
        record_modified: Option<Text>, answered_by: Option<Text>, answered_at: Option<Text>, sent_back: Option<SentBack>,
    }
    "WatchedGate" WatchedGate {
        status: Text, exit: Count, code: Text, message: Text, event: Text, previous: Option<Text>, packet: Text, told: Option<Telling>, untold: bool,
        outdated: bool, gate: bool, step: Option<Text>, agent: Option<Text>, caller: Option<Caller>, topic: Option<Text>, answer_path: Option<Text>,
        attached: bool, writable: bool, refusal: Option<Text>, questions: Count, problem_count: Count, problem: Option<Text>, lost: Option<Text>,
        note: Option<Text>, other_packets: Count, same_gate: Texts, conflicts: Texts, past: bool, being_written: bool, modified: Text,
        record_modified: Option<Text>, answered_by: Option<Text>, answered_at: Option<Text>, sent_back: Option<SentBack>,
    }
    "WatchReady" WatchReady {
        status: Text, exit: Count, code: Text, message: Text, event: Text, waiting: Count, blocked: Count,
        malformed: Count, unseen: Count, sent_back: Count, answered: Count, truncated: bool, pending: bool,
    }
    "WatchProject" WatchProject { status: Text, exit: Count, code: Text, message: Text, event: Text }
    "WatchEnd" WatchEnded { status: Text, exit: Count, code: Text, message: Text, event: Text }
    "ShowOutput" Shown {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, step: Option<Text>, agent: Option<Text>, caller: Option<Caller>,
        topic: Option<Text>, answer_path: Option<Text>, attached: bool, writable: bool, refusal: Option<Text>, standing_question: Option<Text>, span: Option<Text>, why: Option<Text>, same_gate: Texts,
        conflicts: Texts, past: bool, orphaned: bool, older: bool, told: Option<Telling>, untold: bool, outdated: bool, questions: Vec<Question>, record: Option<Record>, record_sha256: Option<Text>,
        problems: Vec<Problem>, lost: Option<Text>, sent_back: Option<SentBack>, causes: Vec<Cause>, expected_outputs: Vec<ExpectedOutput>, next_actions: Texts, kept_drafts: Vec<KeptDraft>,
    }
    "ShowKept" ShownKept { status: Text, exit: Count, code: Text, message: Text, kept_drafts: Vec<KeptDraft> }
    "ShownQuestion" Question {
        id: Text, header: Text, question: Text, kind: Text, required: bool, options: Option<Vec<Choice>>,
        allow_other: Option<bool>, default: Option<Texts>,
    }
    "ShownChoice" Choice { label: Text, description: Text, sends_back: Option<bool>, _round: Option<Count> }
    "ShownCause" Cause { code: Text, pointer: Text, change: Option<Text>, text: Text }
    "ExpectedOutput" ExpectedOutput { path: Text, required: bool, exists: bool, modified: Option<Text> }
    "DecisionsOutput" Decided {
        status: Text, exit: Count, code: Text, message: Text, packet: Option<Text>, step: Option<Text>, decisions: Option<Text>,
    }
    "AttachOutput" Attached {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, standing_question: Option<Text>, span: Option<Text>,
        answer_path: Option<Text>, attached: bool, writable: bool, refusal: Option<Text>, problems: Vec<Problem>,
    }
    "ProposeOutput" Proposed {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, answer_path: Option<Text>, question: Text, round: Count,
        rounds: Count, given: Count, asked_for: Count,
    }
    "QuestionsOutput" Questions { status: Text, exit: Count, code: Text, message: Text, questions: Vec<ListedQuestion>, upcoming: Vec<Upcoming>, more_steps: bool }
    "UpcomingQuestion" Upcoming {
        step: Text, name: Text, topic: Text, span: Text, holds_for: Text, decided: bool, blocked: bool, ahead: bool,
    }
    "ListedQuestion" ListedQuestion {
        name: Option<Text>, path: Text, asked: bool, enabled: Option<bool>, topic: Option<Text>, why: Option<Text>, steps: Texts,
        once_per: Option<Text>, tell: Option<Texts>, last_answered: Option<Text>, problems: Vec<Problem>,
    }
    "QuestionTemplates" Templates { status: Text, exit: Count, code: Text, message: Text, templates: Vec<ListedTemplate> }
    "ListedTemplate" ListedTemplate {
        name: Text, topic: Text, why: Option<Text>, steps: Texts, once_per: Text, sets: Texts, in_book: bool,
    }
    "QuestionChanged" QuestionChanged {
        status: Text, exit: Count, code: Text, message: Text, name: Text, path: Text, history: Option<Text>, packets: Texts, warnings: Texts,
    }
    "QuestionsSet" QuestionsSet {
        status: Text, exit: Count, code: Text, message: Text, set: Text, questions: Vec<SetQuestion>, packets: Texts, warnings: Texts,
    }
    "SetQuestion" SetQuestion { name: Text, action: Text }
    "QuestionsPreview" QuestionsPreview {
        status: Text, exit: Count, code: Text, message: Text, step: Text, packet: Option<Text>, own_gate: Option<Text>,
        questions: Vec<PreviewedQuestion>, asked_now: Option<Text>, decisions: Option<Text>,
    }
    "PreviewedQuestion" PreviewedQuestion {
        name: Text, topic: Text, span: Text, holds_for: Text, answer_path: Text, state: Text, answered_by: Option<Text>,
        answered_at: Option<Text>,
    }
    "WaitOutput" Waited { status: Text, exit: Count, code: Text, message: Text, records: Vec<WaitedFor> }
    "AwaitedRecord" WaitedFor {
        packet: Text, status: Text, answer_path: Option<Text>, record: Option<Record>, record_sha256: Option<Text>,
        decisions: Option<Text>, problems: Vec<Problem>, sent_back: Option<SentBack>,
        propose: Option<Vec<Wanted>>,
    }
    "WantedProposal" Wanted { question: Text, brief: Text, options: Count, round: Count, rounds: Count }
    "WaitMalformed" Hopeless {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, problems: Vec<Problem>,
    }
    "LintOutput" Linted { status: Text, exit: Count, code: Text, message: Text, files: Vec<LintedFile> }
    "LintedFile" LintedFile {
        file: Text, kind: Option<Text>, against: Option<Text>, error: Option<Text>, problems: Vec<PlacedProblem>, warnings: Vec<LintWarning>,
    }
    "LintProblem" PlacedProblem {
        line: Option<Count>, column: Option<Count>, pointer: Text, found: Text, expected: Text, hint: Option<Text>,
    }
    "LintWarning" LintWarning {
        line: Option<Count>, column: Option<Count>, code: Text, pointer: Text, found: Text, expected: Text,
        hint: Option<Text>,
    }
    "SchemaOutput" Schema { status: Text, exit: Count, code: Text, message: Text, schema: Object }
    "PathsOutput" Paths {
        status: Text, exit: Count, code: Text, message: Text, root: Option<Text>, state: Option<Text>,
        database: Option<Text>, config: Option<Text>, themes: Option<Text>,
    }
    "KeysOutput" KeyTable { status: Text, exit: Count, code: Text, message: Text, bindings: Vec<KeyBinding> }
    "KeyBinding" KeyBinding { context: Text, action: Text, keys: Texts, description: Text }
    "ThemesOutput" ThemeListing {
        status: Text, exit: Count, code: Text, message: Text, in_use: Option<Text>, chosen_by: Option<Text>,
        troubles: Vec<Text>, themes: Vec<Theme>,
    }
    "ThemeOutput" Theme {
        name: Text, origin: Text, path: Option<Text>, in_use: bool, hidden: bool, legal: bool,
        problems: Vec<ThemeProblem>,
    }
    "ThemeProblem" ThemeProblem { line: Option<Count>, column: Option<Count>, key: Text, message: Text }
    "ThemeTextOutput" OneTheme {
        status: Text, exit: Count, code: Text, message: Text, name: Text, origin: Text, path: Option<Text>, in_use: bool,
        hidden: bool, legal: bool, problems: Vec<ThemeProblem>, text: Text,
    }
    "TextOutput" Printed { status: Text, exit: Count, code: Text, message: Text, text: Text }

    "AnswerWritten" Written {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, answer_path: Option<Text>, answered_by: Text,
        answered_at: Text, path: Text, sha256: Text, bytes: Count, durable: bool, record: Record, next_question: Option<Text>,
    }
    "AnswerValid" Valid {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, answer_path: Option<Text>, answered_by: Text,
        answered_at: Text, record: Record,
    }
    "AnswerInvalid" Unwritten {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, problems: Vec<Problem>,
    }
    "AnswerRefused" Refused {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, refusal: Text, problems: Vec<Problem>,
    }
    "AnswerExists" Taken {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, valid: bool, sha256: Option<Text>,
        answered_by: Option<Text>, answered_at: Option<Text>, conflicts: Texts, problems: Vec<Problem>,
    }
    "AnswerSentBack" SentBackNow {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, answer_path: Option<Text>, sent_back: SentBack,
        removed: Option<Text>,
    }
    "AnswerRefusing" Refusing {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, answer_path: Option<Text>, choice: Option<Text>,
        reason: Text,
    }
    "AnswerTakenBack" TakenBack {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, answer_path: Option<Text>, taken_back: SentBack,
    }
    "AnswerConflict" InConflict {
        status: Text, exit: Count, code: Text, message: Text, packet: Text, conflicts: Texts, problems: Vec<Problem>,
    }
    "RedoOutput" Moved {
        status: Text, exit: Count, code: Text, message: Text, path: Text, sha256: Text, bytes: Count, durable: bool,
        outputs: Texts, passed: bool, also_opened: Texts, warnings: Texts,
    }
    "HistoryOutput" Entries {
        status: Text, exit: Count, code: Text, message: Text, count: Count, entries: Vec<Entry>, kept_drafts: Vec<KeptDraft>,
    }
    "HistoryEntry" Entry {
        id: Text, kind: Text, reason: Text, at: Text, answer_path: Text, packet: Option<Text>, step: Option<Text>,
        topic: Option<Text>, answered_by: Option<Text>, answered_at: Option<Text>, valid: bool, sha256: Text,
        bytes: Count, of: Option<Text>, novel_ask: Option<Object>, answers: Answers, defaults: Vec<Text>, notes: BTreeMap<String, Text>,
        sent_back: Option<Refusal>, told: Vec<Telling>, untold: bool,
    }
    "HistoryRefusal" Refusal { choice: Option<Text>, does_not_apply: Option<Text>, reason: Text }
    "HistoryRestored" PutBack {
        status: Text, exit: Count, code: Text, message: Text, entry: Text, path: Text, sha256: Text, bytes: Count,
        durable: bool,
    }
    "HistoryExported" Exported {
        status: Text, exit: Count, code: Text, message: Text, path: Option<Text>, bytes: Count, markdown: Option<Text>,
    }
    "HistoryErased" Erased {
        status: Text, exit: Count, code: Text, message: Text, entries: Count, removed_records: Count, kept_drafts: Count,
    }

    "AskToolRequest" AskTool {
        status: Text, exit: Count, code: Text, message: Text, seq: Count, call: Text, asks: Texts, expects: Text,
        tool: Text, input: Object, rejected: Vec<Rejected>, notices: Vec<Notice>, progress: Progress,
    }
    "AskMessageRequest" AskMessage {
        status: Text, exit: Count, code: Text, message: Text, seq: Count, call: Text, asks: Texts, expects: Text,
        tool: (), prompt: Text, rejected: Vec<Rejected>, notices: Vec<Notice>, progress: Progress,
    }
    "AskContractRequest" AskContract {
        status: Text, exit: Count, code: Text, message: Text, seq: Count, call: Text, asks: Texts, expects: Text,
        tool: (), prompt: Text, schema: Object, template: Object, rejected: Vec<Rejected>, notices: Vec<Notice>,
        progress: Progress,
    }
    "Rejected" Rejected { id: Option<Text>, code: Text, at: Option<Text> }
    "Notice" Notice { id: Text, note: Text }
    "ProgressReport" Progress { resolved: Count, total: Count }
    "DoneOutput" Done {
        status: Text, exit: Count, code: Text, message: Text, seq: Count, already: bool, answer_path: Option<Text>,
        answers: Answers, answer_spec: Record, written: bool, decisions: Option<Text>, next_question: Option<Text>, rejected: Vec<Rejected>, notices: Vec<Notice>,
        progress: Progress,
    }
    "AlreadyOutput" Already {
        status: Text, exit: Count, code: Text, message: Text, already: bool, answer_path: Option<Text>, answers: Answers,
        answer_spec: Record, written: bool, decisions: Option<Text>,
    }
    "SentBackForm" RefusedDialogue { status: Text, exit: Count, code: Text, message: Text, sent_back: SentBack }
    "EndedOutput" Ended {
        status: Text, exit: Count, code: Text, message: Text, seq: Count, answers_so_far: Answers, unanswered: Texts,
        rejected: Vec<Rejected>, notices: Vec<Notice>, progress: Progress,
    }
    "BlockedOutput" Blocked {
        status: Text, exit: Count, code: Text, message: Text, answer_path: Option<Text>, problems: Vec<Problem>,
    }
    "RunOutput" Run {
        status: Text, exit: Count, code: Text, message: Text, seq: Count, path: Vec<StepTaken>, rejected: Vec<Rejected>,
        notices: Vec<Notice>, progress: Progress,
    }
    "StoppedOutput" Stopped {
        status: Text, exit: Count, code: Text, message: Text, seq: Count, step: Option<Text>, path: Vec<StepTaken>,
        put_off: Texts, rejected: Vec<Rejected>, notices: Vec<Notice>, progress: Progress,
    }
    "Taken" StepTaken { step: Text, answer: Text }
    "CompileOutput" Compiled {
        status: Text, exit: Count, code: Text, message: Text, adapter: Text, profile: Profile, topic: Text,
        version: Count, answer_path: Option<Text>, questions: Vec<CompiledQuestion>,
    }
    "DialogProfile" Profile {
        tool: Text, max_questions: Count, min_options: Count, max_options: Count, native_multi: bool, answered_by: Text,
    }
    "CompiledQuestion" CompiledQuestion {
        id: Text, mode: Text, strategy: Text, controls: BTreeMap<String, Text>, first: Option<Object>,
        prompt: Option<Text>, schema: Option<Object>, template: Option<Object>,
    }
    "ContractOutput" CompiledContract {
        status: Text, exit: Count, code: Text, message: Text, adapter: Text, profile: ContractProfile, topic: Text,
        version: Count, answer_path: Option<Text>, prompt: Text, schema: Object, template: Object,
    }
    "ContractProfile" ContractProfile { tool: (), answered_by: Text }
    "DocumentOutput" CompiledDocument { status: Text, exit: Count, code: Text, message: Text, document: Object }
    "PlanOutput" Planned { status: Text, exit: Count, code: Text, message: Text, tool: Text, input: Plan }
    "PlanInput" Plan { explanation: Option<Text>, plan: Vec<PlanStep> }
    "PlanStep" PlanStep { step: Text, status: Text }
    "EmittedOutput" Emitted {
        status: Text, exit: Count, code: Text, message: Text, emitted: Vec<Snapshot>, suppressed: Vec<Suppressed>,
        state: Vec<Task>,
    }
    "Snapshot" Snapshot { event: Count, input: Plan }
    "Suppressed" Suppressed { event: Count, reason: Text }
    "TaskState" Task { id = "taskId": Text, subject: Text, status: Text }
    "InitOutput" Wiring {
        status: Text, exit: Count, code: Text, message: Text, files: Vec<WiredFile>, written: bool, notes: Vec<Text>,
    }
    "WiredFile" WiredFile {
        path: Text, action: Text, text: Option<Text>, reason: Option<Text>,
    }
    "DoctorOutput" Doctor {
        status: Text, exit: Count, code: Text, message: Text, program: Option<Text>, version: Text, clients: Vec<ClientHealth>,
    }
    "ClientOutput" ClientHealth {
        client: Text, wired: bool, trusted: Option<bool>, installed: Vec<Installed>, obstacles: Vec<Obstacle>, heard: Vec<LastCall>,
    }
    "InstalledOutput" Installed {
        part: Text, at: Text, runs: Option<Text>, program: Option<Text>, this: Option<bool>,
    }
    "ObstacleOutput" Obstacle { code: Text, at: Option<Text>, message: Text, hint: Text }
    "HeardOutput" LastCall { by: Text, at: Text, tool: Text, about: Option<Text>, session: Option<Text> }
    "SkillOutput" Instructions { status: Text, exit: Count, code: Text, message: Text, text: Text }
}
