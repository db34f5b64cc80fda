//! What `check`, `list`, `show`, `wait`, `schema` and `paths` print.

use super::parts::{ANSWER_PATH, ERROR, OTHERS, PACKET, PLACE, PROBLEMS, RECORD, head};
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
        &COUNTS,
        &[Member::new(
            "gates",
            Kind::List(&Kind::Part(&GATE)),
            "Waiting, blocked, malformed, open; the newest first.",
        )],
    ],
};

const COUNTS: [Member; 6] = [
    Member::new("waiting", Kind::Count, "Gates without a record."),
    Member::new("blocked", Kind::Count, "Gates with an invalid record."),
    Member::new("malformed", Kind::Count, "Packets that cannot be used."),
    Member::new("answered", Kind::Count, "Gates with a valid record."),
    Member::new(
        "truncated",
        Kind::Flag,
        "Whether something was not looked at: a directory that cannot be read or is too deep, or too many files.",
    ),
    Member::new("pending", Kind::Flag, "Whether something is still being written; look again in a moment."),
];

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
        &[PACKET, Member::new("status", Kind::Word(STATES), "Its state.")],
        &[HAS_GATE],
        &ABOUT,
        &PLACE,
        &COUNTED,
        &OTHERS,
        &FILES,
    ],
};

const HAS_GATE: Member = Member::new("gate", Kind::Flag, "Whether it has a gate; false only with --all.");

const COUNTED: [Member; 3] = [
    Member::new("questions", Kind::Count, "How many questions it asks."),
    Member::new("problem_count", Kind::Count, "How many violations there are."),
    Member::new("problem", Kind::Text, "The first of them in a sentence.").or_null(),
];

const FILES: [Member; 5] = [
    PAST,
    Member::new("being_written", Kind::Flag, "Whether the packet or the record is still being written."),
    Member::new("modified", Kind::Time, "When the packet was last written."),
    Member::new("record_modified", Kind::Time, "When the record was last written.").or_null(),
    Member::new("answered_by", Kind::Text, "Who answered, if the record is valid.").or_null(),
];

pub(super) const LIST_WATCH: Output = Output {
    name: "list-watch-output",
    told: "What list --watch --json prints: one of these objects on each line.",
    forms: &[&WATCHED, &READY, &PROJECT, &WATCH_ENDED, &ERROR],
};

const WATCHED: Form = Form {
    name: "watched-gate",
    told: "A gate. status, exit and code are what check says of it now; a packet that is gone has gone, 1, no-packet.",
    members: &[
        &head(
            &["open", "waiting", "blocked", "malformed", "gone"],
            &[0, 1, 3, 4, 5],
            &["open", "no-gate", "waiting", "blocked", "malformed", "no-packet"],
        ),
        &[
            Member::new(
                "event",
                Kind::Word(&["present", "appeared", "changed", "left", "gone"]),
                "present when the watch began; appeared in, changed in or left the states that are watched; gone: no packet.",
            ),
            Member::new("previous", Kind::Word(STATES), "The state before, if it was told.").or_null(),
            PACKET,
            HAS_GATE,
        ],
        &ABOUT,
        &PLACE,
        &COUNTED,
        &OTHERS,
        &FILES,
    ],
};

const READY: Form = Form {
    name: "watch-ready",
    told: "Every gate has been told; from here on come changes. The counts are of all gates.",
    members: &[
        &head(&["ok"], &[0], &["ready"]),
        &[Member::new("event", Kind::Word(&["ready"]), "What this line tells of.")],
        &COUNTS,
    ],
};

const PROJECT: Form = Form {
    name: "watch-project",
    told: "The project's directory is gone, or back. The watch goes on.",
    members: &[
        &head(&["ok", "error"], &[0, 2], &["project-gone", "project-back"]),
        &[Member::new("event", Kind::Word(&["project-gone", "project-back"]), "What this line tells of.")],
    ],
};

const WATCH_ENDED: Form = Form {
    name: "watch-ended",
    told: "A signal has ended the watch; the last line.",
    members: &[
        &head(&["interrupted"], &[129, 130, 143], &["signal"]),
        &[Member::new("event", Kind::Word(&["end"]), "What this line tells of.")],
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
    told: "What paths --json prints: the version, every path in use and what else a bug report needs.",
    forms: &[&IN_USE, &ERROR],
};

const IN_USE: Form = Form {
    name: "paths",
    told: "Where novel-gate looks and writes.",
    members: &[
        &head(&["ok"], &[0], &["paths"]),
        &[
            Member::new("version", Kind::Text, "The version of novel-gate."),
            Member::new("platform", Kind::Text, "Operating system, processor and kernel."),
            Member::new("root", Kind::Text, "The project's root; null if there is no project.").or_null(),
            Member::new("root_problem", Kind::Text, "Why there is no project.").or_null(),
            Member::new(
                "state",
                Kind::Text,
                "Where drafts, history and locks of this project are kept; without a project, of all.",
            )
            .or_null(),
            Member::new("state_problem", Kind::Text, "Why there is no such place.").or_null(),
            Member::new("config", Kind::Text, "The settings, whether they are there or not.").or_null(),
            Member::new("config_problem", Kind::Text, "What is wrong with the settings.").or_null(),
            Member::new("themes", Kind::Text, "The directory of own themes.").or_null(),
            Member::new("watch", Kind::Part(&WATCH), "How changes are noticed."),
            Member::new("lang", Kind::Word(&["en", "zh-CN"]), "The language of every sentence."),
            Member::new("locale", Kind::Text, "What the environment says of the language; may be empty."),
            Member::new("terminal", Kind::Part(&TERMINAL), "The terminal, if there is one."),
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
            "Whether the system tells, or novel-gate looks again and again; null without a project.",
        )
        .or_null(),
        Member::new(
            "reason",
            Kind::Word(&["asked", "no-watches", "no-instances", "unsupported", "network", "other"]),
            "Why it looks again and again.",
        )
        .or_null(),
        Member::new("message", Kind::Text, "The same in a sentence.").or_null(),
    ]],
};

const TERMINAL: Form = Form {
    name: "terminal",
    told: "What is known of the terminal.",
    members: &[&[
        Member::new("name", Kind::Text, "TERM, and TERM_PROGRAM where it is set.").or_null(),
        Member::new("input", Kind::Flag, "Whether standard input is a terminal."),
        Member::new("output", Kind::Flag, "Whether standard output is one."),
        Member::new("columns", Kind::Count, "Its width, if standard output is one.").or_null(),
        Member::new("rows", Kind::Count, "Its height.").or_null(),
    ]],
};
