//! What `next`, `compile`, `plan` and `skill` print.

use super::parts::{ANSWER_PATH, ANSWERS, ERROR, PROBLEMS, RECORD, head};
use super::tables::{Form, Kind, Member, Output};

pub(in crate::command) const NEXT: Output = Output {
    name: "next-output",
    told: "What next prints. Exit 0 ask or done, 3 the dialogue ended without answers, 4 an invalid record is there.",
    forms: &[
        &ASK_TOOL,
        &ASK_MESSAGE,
        &ASK_CONTRACT,
        &DONE,
        &ALREADY,
        &ENDED,
        &BLOCKED,
        &RUN,
        &STOPPED,
        &ERROR,
    ],
};

/// A call that is to be made.
const CALL: [Member; 3] = [
    Member::new("seq", Kind::Count, "How many replies have been taken."),
    Member::new("call", Kind::Text, "The call's id; the reply must name it."),
    Member::new("asks", Kind::List(&Kind::Text), "The ids of the questions, or the step, that it asks."),
];

const SEQ: Member = Member::new("seq", Kind::Count, "How many replies have been taken.");

/// How the dialogue stands.
const STAND: [Member; 3] = [
    Member::new("rejected", Kind::List(&Kind::Part(&REJECTED)), "What was not accepted of the last reply."),
    Member::new(
        "notices",
        Kind::List(&Kind::Part(&NOTICE)),
        "What the author said beside the answers of the last reply.",
    ),
    Member::new("progress", Kind::Part(&PROGRESS), "How much is answered."),
];

const REJECTED: Form = Form {
    name: "rejected",
    told: "An answer that was not accepted; it is asked again.",
    members: &[&[
        Member::new("id", Kind::Text, "The question; null if the whole reply is meant.").or_null(),
        Member::new("code", Kind::Text, "Why; stable, such as not_an_option."),
        Member::new("at", Kind::Text, "Where in the reply.").at_times(),
    ]],
};

const NOTICE: Form = Form {
    name: "notice",
    told: "Words of the author that are no answer.",
    members: &[&[
        Member::new("id", Kind::Text, "The question."),
        Member::new("note", Kind::Text, "The words."),
    ]],
};

const PROGRESS: Form = Form {
    name: "progress",
    told: "How much is answered, of how much.",
    members: &[&[
        Member::new("resolved", Kind::Count, "Answered, or left blank on purpose."),
        Member::new("total", Kind::Count, "All questions, or steps."),
    ]],
};

const ASK: [Member; 4] = head(&["ask"], &[0], &["ask"]);

const ASK_TOOL: Form = Form {
    name: "ask-tool",
    told: "Call the tool with input exactly as it is; then give its output back.",
    members: &[
        &ASK,
        &CALL,
        &[
            Member::new("expects", Kind::Word(&["output"]), "What the reply carries."),
            Member::new("tool", Kind::Word(&["AskUserQuestion", "request_user_input"]), "The tool."),
            Member::new("input", Kind::Object, "Its input."),
        ],
        &STAND,
    ],
};

const NO_TOOL: [Member; 3] = [
    Member::new("expects", Kind::Word(&["text"]), "What the reply carries."),
    // Always null here, so that the member can be asked for in every call.
    Member::new("tool", Kind::Null, "No tool."),
    Member::new("prompt", Kind::Text, "What to show the author."),
];

const ASK_MESSAGE: Form = Form {
    name: "ask-message",
    told: "Show prompt as a message; then give the author's message back.",
    members: &[&ASK, &CALL, &NO_TOOL, &STAND],
};

/// One strict JSON reply.
const CONTRACT: [Member; 2] = [
    Member::new("schema", Kind::Object, "The JSON Schema that the reply must keep."),
    Member::new("template", Kind::Object, "The reply with blanks."),
];

const ASK_CONTRACT: Form = Form {
    name: "ask-contract",
    told: "Show prompt, schema and template; then give the one JSON object back that comes in reply.",
    members: &[&ASK, &CALL, &NO_TOOL, &CONTRACT, &STAND],
};

/// What has been answered.
const OUTCOME: [Member; 5] = [
    Member::new("already", Kind::Flag, "Whether a valid record was there before."),
    ANSWER_PATH,
    Member::new("answers", ANSWERS, "The answers by question id."),
    Member::new("answer_spec", Kind::Part(&RECORD), "The record."),
    Member::new("written", Kind::Flag, "Whether it was written now."),
];

const DONE: Form = Form {
    name: "done",
    told: "Everything is answered.",
    members: &[&head(&["done"], &[0], &["done"]), &[SEQ], &OUTCOME, &STAND],
};

const ALREADY: Form = Form {
    name: "already",
    told: "A valid record is there; nothing is asked.",
    members: &[&head(&["done"], &[0], &["already"]), &OUTCOME],
};

const WITHOUT: [Member; 4] =
    head(&["terminated", "deferred", "idle"], &[3], &["terminated", "deferred", "idle"]);

const ENDED: Form = Form {
    name: "ended",
    told: "The dialogue about a gate ended without answers; nothing is written.",
    members: &[
        &WITHOUT,
        &[
            SEQ,
            Member::new("answers_so_far", ANSWERS, "What was answered before."),
            Member::new("unanswered", Kind::List(&Kind::Text), "The ids of the other questions."),
        ],
        &STAND,
    ],
};

const BLOCKED: Form = Form {
    name: "blocked",
    told: "An invalid record is there; it is untouched.",
    members: &[&head(&["blocked"], &[4], &["answer_invalid"]), &[ANSWER_PATH, PROBLEMS]],
};

const PATH: Member = Member::new("path", Kind::List(&Kind::Part(&TAKEN)), "The steps that were taken.");

const TAKEN: Form = Form {
    name: "step-taken",
    told: "A step of a document and what was picked.",
    members: &[&[
        Member::new("step", Kind::Text, "The step's id."),
        Member::new("answer", Kind::Text, "The answer."),
    ]],
};

const RUN: Form = Form {
    name: "run",
    told: "A Canonical Prompt document has been run to its end.",
    members: &[&head(&["done"], &[0], &["done"]), &[SEQ, PATH], &STAND],
};

const STOPPED: Form = Form {
    name: "stopped",
    told: "The run of a document ended before its end.",
    members: &[
        &WITHOUT,
        &[
            SEQ,
            Member::new("step", Kind::Text, "The step that was asked last.").or_null(),
            PATH,
            Member::new("put_off", Kind::List(&Kind::Text), "Steps that were put off."),
        ],
        &STAND,
    ],
};

pub(in crate::command) const COMPILE: Output = Output {
    name: "compile-output",
    told: "What compile prints: how a gate is asked by an executor. For canonical the document alone is printed without --json.",
    forms: &[&COMPILED, &COMPILED_CONTRACT, &DOCUMENT, &ERROR],
};

const COMPILED_HEAD: [Member; 4] = head(&["ok"], &[0], &["ok"]);

const SUBJECT: [Member; 3] = [
    Member::new("topic", Kind::Text, "What the questions are about."),
    Member::new("version", Kind::Value, "The version of the questions; a number."),
    ANSWER_PATH,
];

const COMPILED: Form = Form {
    name: "compiled",
    told: "For an executor with a dialog tool.",
    members: &[
        &COMPILED_HEAD,
        &[
            Member::new("adapter", Kind::Word(&["claude-code", "codex"]), "For whom."),
            Member::new("profile", Kind::Part(&PROFILE), "What its dialogs can do."),
        ],
        &SUBJECT,
        &[Member::new(
            "questions",
            Kind::List(&Kind::Part(&PLAN_OF_QUESTION)),
            "How each question is asked.",
        )],
    ],
};

const PROFILE: Form = Form {
    name: "profile",
    told: "What an executor's dialogs can do.",
    members: &[&[
        Member::new("tool", Kind::Word(&["AskUserQuestion", "request_user_input"]), "The tool."),
        Member::new("max_questions", Kind::Count, "Questions in one call."),
        Member::new("min_options", Kind::Count, "The fewest options of a question."),
        Member::new("max_options", Kind::Count, "The most options of a question."),
        Member::new("native_multi", Kind::Flag, "Whether several options can be ticked at once."),
        Member::new("answered_by", Kind::Text, "Who signs."),
    ]],
};

const PLAN_OF_QUESTION: Form = Form {
    name: "compiled-question",
    told: "How one question is asked.",
    members: &[&[
        Member::new("id", Kind::Text, "The question's id."),
        Member::new("mode", Kind::Word(&["tool", "contract"]), "By the tool, or by one strict JSON reply."),
        Member::new(
            "strategy",
            Kind::Word(&["direct", "paged", "two_stage_routing", "native_multi", "loop", "text", "contract"]),
            "How the options are put on screens.",
        ),
        Member::new("controls", Kind::Map(&Kind::Text), "The labels of the control entries, by name."),
        Member::new("first", Kind::Object, "The first screen, for the tool.").at_times(),
        Member::new("prompt", Kind::Text, "What to show, for a contract.").at_times(),
        Member::new("schema", Kind::Object, "The JSON Schema of the reply, for a contract.").at_times(),
        Member::new("template", Kind::Object, "The reply with blanks, for a contract.").at_times(),
    ]],
};

const COMPILED_CONTRACT: Form = Form {
    name: "compiled-contract",
    told: "For one strict JSON reply.",
    members: &[
        &COMPILED_HEAD,
        &[
            Member::new("adapter", Kind::Word(&["json-contract"]), "For whom."),
            Member::new("profile", Kind::Part(&NO_DIALOG), "Who signs."),
        ],
        &SUBJECT,
        &[Member::new("prompt", Kind::Text, "What to show.")],
        &CONTRACT,
    ],
};

const NO_DIALOG: Form = Form {
    name: "contract-profile",
    told: "A profile without a dialog tool.",
    members: &[&[
        Member::new("tool", Kind::Null, "No tool."),
        Member::new("answered_by", Kind::Text, "Who signs."),
    ]],
};

const DOCUMENT: Form = Form {
    name: "compiled-document",
    told: "As a Canonical Prompt document.",
    members: &[&COMPILED_HEAD, &[Member::new("document", Kind::Object, "The document.")]],
};

pub(in crate::command) const PLAN: Output = Output {
    name: "plan-output",
    told: "What plan prints: gates, or task events, as input for update_plan.",
    forms: &[&PLANNED, &EMITTED, &ERROR],
};

const PLANNED: Form = Form {
    name: "planned",
    told: "Gates as a plan.",
    members: &[
        &COMPILED_HEAD,
        &[
            Member::new("tool", Kind::Word(&["update_plan"]), "The tool."),
            Member::new("input", Kind::Part(&SHOWN_PLAN), "Its input."),
        ],
    ],
};

const SHOWN_PLAN: Form = Form {
    name: "plan",
    told: "A whole plan.",
    members: &[&[
        Member::new("explanation", Kind::Text, "Which records are invalid, if any is.").at_times(),
        Member::new("plan", Kind::List(&Kind::Part(&PLAN_STEP)), "Its steps."),
    ]],
};

const STATES: Kind = Kind::Word(&["pending", "in_progress", "completed"]);

const PLAN_STEP: Form = Form {
    name: "plan-step",
    told: "A step of a plan.",
    members: &[&[Member::new("step", Kind::Text, "Its words."), Member::new("status", STATES, "Its state.")]],
};

const EMITTED: Form = Form {
    name: "emitted",
    told: "Task events as snapshots of the plan.",
    members: &[
        &COMPILED_HEAD,
        &[
            Member::new("emitted", Kind::List(&Kind::Part(&SNAPSHOT)), "The snapshots to show."),
            Member::new(
                "suppressed",
                Kind::List(&Kind::Part(&SUPPRESSED)),
                "Events that change the state only.",
            ),
            Member::new("state", Kind::List(&Kind::Part(&TASK)), "The tasks at the end."),
        ],
    ],
};

const EVENT: Member = Member::new("event", Kind::Count, "The event, from 0; blank lines left out.");

const SNAPSHOT: Form = Form {
    name: "snapshot",
    told: "The plan after an event.",
    members: &[&[EVENT, Member::new("input", Kind::Part(&SHOWN_PLAN), "The input for update_plan.")]],
};

const SUPPRESSED: Form = Form {
    name: "suppressed",
    told: "An event without a snapshot.",
    members: &[&[EVENT, Member::new("reason", Kind::Text, "Why; stable, such as low_signal.")]],
};

const TASK: Form = Form {
    name: "task",
    told: "A task.",
    members: &[&[
        Member::new("taskId", Kind::Text, "Its id."),
        Member::new("subject", Kind::Text, "Its words."),
        Member::new("status", Kind::Text, "Its state."),
    ]],
};

pub(in crate::command) const SKILL: Output = Output {
    name: "skill-output",
    told: "What skill --json prints. Without --json the text alone is printed.",
    forms: &[&INSTRUCTIONS, &ERROR],
};

const INSTRUCTIONS: Form = Form {
    name: "instructions",
    told: "What an executor must know.",
    members: &[
        &head(&["ok"], &[0], &["skill"]),
        &[
            Member::new("executor", Kind::Word(&["claude-code", "codex"]), "For whom."),
            Member::new("text", Kind::Text, "The instructions, in Markdown."),
        ],
    ],
};
