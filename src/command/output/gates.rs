//! What `check`, `list`, `show`, `wait`, `lint`, `schema` and `paths` print.

use super::parts::{ANSWER_PATH, ERROR, OTHERS, PACKET, PLACE, PROBLEM_MEMBERS, PROBLEMS, RECORD, head};
use super::{Form, Kind, Member, Output};

const STATES: &[&str] = &["open", "waiting", "blocked", "malformed"];
/// More exactly: an open packet may have no gate at all.
const STATE_CODES: &[&str] = &["open", "no-gate", "waiting", "blocked", "malformed"];

pub(super) const CHECK: Output = Output {
    name: "check-output",
    told: "What check --json prints: the verdict on one gate. Exit 0 open, 3 waiting, 4 blocked, 5 malformed.",
    forms: &[&VERDICT, &ERROR],
};

const VERDICT: Form = Form {
    name: "verdict",
    told: "The verdict: a step may run if and only if its gate is open.",
    members: &[&head(STATES, &[0, 3, 4, 5], STATE_CODES), &[PACKET], &PLACE, &[PROBLEMS]],
};

pub(super) const LIST: Output = Output {
    name: "list-output",
    told: "What list --json prints: every gate with its state.",
    forms: &[&LISTED, &ERROR],
};

const LISTED: Form = Form {
    name: "listed",
    told: "The gates that were asked for; the counts are of all gates.",
    members: &[
        &head(&["ok"], &[0], &["listed"]),
        &[
            Member::new("waiting", Kind::Count, "Gates without a record."),
            Member::new("blocked", Kind::Count, "Gates with an invalid record."),
            Member::new("malformed", Kind::Count, "Packets that cannot be used."),
            Member::new("answered", Kind::Count, "Gates with a valid record."),
            Member::new(
                "truncated",
                Kind::Flag,
                "Whether something was not looked at: too deep, or too many files.",
            ),
            Member::new(
                "pending",
                Kind::Flag,
                "Whether something is still being written; look again in a moment.",
            ),
            Member::new(
                "gates",
                Kind::List(&Kind::Part(&GATE)),
                "Waiting, blocked, malformed, open; the newest first.",
            ),
        ],
    ],
};

const ABOUT: [Member; 3] = [
    Member::new("step", Kind::Text, "The step's id, such as chapter:048:draft.").or_null(),
    Member::new("agent", Kind::Text, "Who is to run the step.").or_null(),
    Member::new("topic", Kind::Text, "What the questions are about.").or_null(),
];

const PAST: Member = Member::new("past", Kind::Flag, "Whether the checkpoint is behind this step.");

const GATE: Form = Form {
    name: "gate",
    told: "One packet.",
    members: &[
        &[
            PACKET,
            Member::new("status", Kind::Word(STATES), "Its state."),
            Member::new("gate", Kind::Flag, "Whether it has a gate; false only with --all."),
        ],
        &ABOUT,
        &PLACE,
        &[
            Member::new("questions", Kind::Count, "How many questions it asks."),
            Member::new("problem_count", Kind::Count, "How many violations there are."),
            Member::new("problem", Kind::Text, "The first of them in a sentence.").or_null(),
        ],
        &OTHERS,
        &[
            PAST,
            Member::new(
                "being_written",
                Kind::Flag,
                "Whether the packet or the record is still being written.",
            ),
            Member::new("modified", Kind::Time, "When the packet was last written."),
            Member::new("record_modified", Kind::Time, "When the record was last written.").or_null(),
            Member::new("answered_by", Kind::Text, "Who answered, if the record is valid.").or_null(),
        ],
    ],
};

pub(super) const SHOW: Output = Output {
    name: "show-output",
    told: "What show --json prints: one gate in full. Exit 0, and 5 if the packet is malformed.",
    forms: &[&SHOWN, &ERROR],
};

const SHOWN: Form = Form {
    name: "shown",
    told: "A packet, its questions, its record and what is around it.",
    members: &[
        &head(STATES, &[0, 5], STATE_CODES),
        &[PACKET],
        &ABOUT,
        &PLACE,
        &OTHERS,
        &[
            PAST,
            Member::new("questions", Kind::List(&Kind::Part(&QUESTION)), "The questions in their order."),
            Member::new("record", Kind::Part(&RECORD), "The record, if it is valid.").or_null(),
            Member::new("record_sha256", Kind::Text, "The hash of the record's bytes, valid or not.")
                .or_null(),
            PROBLEMS,
            Member::new(
                "causes",
                Kind::List(&Kind::Part(&CAUSE)),
                "Why the record is invalid, as far as it can be told.",
            ),
            Member::new(
                "expected_outputs",
                Kind::List(&Kind::Part(&OUTPUT)),
                "What the step is to make; never the record.",
            ),
            Member::new("next_actions", Kind::List(&Kind::Text), "What the packet says is to be done next."),
        ],
    ],
};

const QUESTION: Form = Form {
    name: "question",
    told: "One question, as the packet asks it.",
    members: &[&[
        Member::new("id", Kind::Text, "Its id."),
        Member::new("header", Kind::Text, "Its short title."),
        Member::new("question", Kind::Text, "Its words."),
        Member::new(
            "kind",
            Kind::Word(&["single_choice", "multi_choice", "free_text"]),
            "How it is answered.",
        ),
        Member::new("required", Kind::Flag, "Whether it must be answered."),
        Member::new("options", Kind::List(&Kind::Part(&CHOICE)), "Its options; none for free text.")
            .at_times(),
        Member::new("allow_other", Kind::Flag, "Whether own words are an answer.").at_times(),
        Member::new("default", Kind::List(&Kind::Text), "The labels of its defaults.").at_times(),
    ]],
};

const CHOICE: Form = Form {
    name: "choice",
    told: "One option.",
    members: &[&[
        Member::new("label", Kind::Text, "What goes into the record."),
        Member::new("description", Kind::Text, "What it means."),
    ]],
};

const CAUSE: Form = Form {
    name: "cause",
    told: "Why a record is invalid.",
    members: &[&[
        Member::new("code", Kind::Text, "Which cause; stable."),
        Member::new("pointer", Kind::Text, "JSON pointer to what it concerns."),
        Member::new("change", Kind::Text, "What changed in the questions since, if that is the cause.")
            .or_null(),
        Member::new("text", Kind::Text, "The same in a sentence."),
    ]],
};

const OUTPUT: Form = Form {
    name: "expected-output",
    told: "A file that the step is to make.",
    members: &[&[
        Member::new("path", Kind::Text, "Its path, as the packet spells it."),
        Member::new("required", Kind::Flag, "Whether the step must make it."),
        Member::new("exists", Kind::Flag, "Whether it is there."),
        Member::new("modified", Kind::Time, "When it was last written.").or_null(),
    ]],
};

pub(super) const WAIT: Output = Output {
    name: "wait-output",
    told: "What wait --json prints at its end. Exit 0 open, 5 malformed, 7 timed out, 128 + n ended by signal n.",
    forms: &[&ENDED, &HOPELESS, &ERROR],
};

const ENDED: Form = Form {
    name: "waited",
    told: "The gates are open, or the wait ended before.",
    members: &[
        &head(&["open", "timeout", "interrupted"], &[0, 7, 129, 130, 143], &["open", "timed-out", "signal"]),
        &[Member::new(
            "records",
            Kind::List(&Kind::Part(&WAITED_FOR)),
            "One for each packet, in their order.",
        )],
    ],
};

const WAITED_FOR: Form = Form {
    name: "waited-for",
    told: "A packet that was waited for.",
    members: &[&[
        PACKET,
        Member::new("status", Kind::Word(STATES), "Its state at the end."),
        ANSWER_PATH,
        Member::new("record", Kind::Part(&RECORD), "The record, if it is valid.").or_null(),
        Member::new("record_sha256", Kind::Text, "The hash of the record's bytes, valid or not.").or_null(),
    ]],
};

const HOPELESS: Form = Form {
    name: "hopeless",
    told: "A packet that will never be open as it is.",
    members: &[&head(&["malformed"], &[5], &["malformed"]), &[PACKET, PROBLEMS]],
};

pub(super) const LINT: Output = Output {
    name: "lint-output",
    told: "What lint --json prints: every problem of files. Exit 0, 5 with problems, 1 if a file cannot be read.",
    forms: &[&LINTED, &ERROR],
};

const LINTED: Form = Form {
    name: "linted",
    told: "What was found. Warnings alone are no problem.",
    members: &[
        &head(&["ok", "problems", "error"], &[0, 1, 5], &["linted", "problems", "unreadable"]),
        &[Member::new(
            "files",
            Kind::List(&Kind::Part(&FILE)),
            "The files, in the order in which they were looked at.",
        )],
    ],
};

const FILE: Form = Form {
    name: "linted-file",
    told: "One file.",
    members: &[&[
        Member::new("file", Kind::Text, "Its path as it was given or found; - is standard input."),
        Member::new("kind", Kind::Text, "What it is, such as packet or answer-spec, if that can be told.")
            .or_null(),
        Member::new("error", Kind::Text, "Why it cannot be read.").or_null(),
        Member::new(
            "problems",
            Kind::List(&Kind::Part(&PLACED)),
            "What breaks a rule, in the order of the file.",
        ),
        Member::new("warnings", Kind::List(&Kind::Part(&PLACED)), "What is legal but unwise."),
    ]],
};

const PLACED: Form = Form {
    name: "placed-problem",
    told: "A problem with its place in the file.",
    members: &[
        &[
            Member::new("line", Kind::Count, "The line, from 1.").or_null(),
            Member::new("column", Kind::Count, "The column in characters, from 1.").or_null(),
        ],
        &PROBLEM_MEMBERS,
    ],
};

pub(super) const SCHEMA: Output = Output {
    name: "schema-output",
    told: "What schema --json prints. Without --json the schema alone is printed.",
    forms: &[&PUBLISHED, &ERROR],
};

const PUBLISHED: Form = Form {
    name: "schema",
    told: "A schema.",
    members: &[
        &head(&["ok"], &[0], &["schema"]),
        &[Member::new("schema", Kind::Object, "The JSON Schema (2020-12).")],
    ],
};

pub(super) const PATHS: Output = Output {
    name: "paths-output",
    told: "What paths --json prints: the version and every path in use.",
    forms: &[&IN_USE, &ERROR],
};

const IN_USE: Form = Form {
    name: "paths",
    told: "Where novel-gate looks and writes.",
    members: &[
        &head(&["ok"], &[0], &["paths"]),
        &[
            Member::new("version", Kind::Text, "The version of novel-gate."),
            Member::new("root", Kind::Text, "The project's root."),
            Member::new("state", Kind::Text, "Where drafts, history and locks of this project are kept."),
            Member::new("config", Kind::Text, "The settings, whether they are there or not.").or_null(),
            Member::new("themes", Kind::Text, "The directory of own themes.").or_null(),
            Member::new("watch", Kind::Part(&WATCH), "How changes are noticed."),
        ],
    ],
};

const WATCH: Form = Form {
    name: "watch-mode",
    told: "How changes of the project's files are noticed.",
    members: &[&[
        Member::new(
            "mode",
            Kind::Word(&["native", "polling"]),
            "Whether the system tells, or novel-gate looks again and again.",
        ),
        Member::new(
            "reason",
            Kind::Word(&["asked", "no-watches", "no-instances", "unsupported", "network", "other"]),
            "Why it looks again and again.",
        )
        .or_null(),
        Member::new("message", Kind::Text, "The same in a sentence.").or_null(),
    ]],
};
