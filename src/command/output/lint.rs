//! What `lint` prints.

use super::parts::{ERROR, PROBLEM_MEMBERS, head};
use super::tables::{Form, Kind, Member, Output};

pub(in crate::command) const LINT: Output = Output {
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
        Member::new("against", Kind::Text, "The packet, or -, whose questions a record was judged by.")
            .or_null(),
        Member::new("error", Kind::Text, "Why it cannot be read.").or_null(),
        Member::new(
            "problems",
            Kind::List(&Kind::Part(&PLACED)),
            "What breaks a rule, in the order of the file.",
        ),
        Member::new("warnings", Kind::List(&Kind::Part(&WARNING)), "What is legal but unwise."),
    ]],
};

const SPOT: [Member; 2] = [
    Member::new("line", Kind::Count, "The line, from 1.").or_null(),
    Member::new("column", Kind::Count, "The column in characters, from 1.").or_null(),
];

const PLACED: Form = Form {
    name: "placed-problem",
    told: "A problem with its place in the file.",
    members: &[&SPOT, &PROBLEM_MEMBERS],
};

const WARNING: Form = Form {
    name: "lint-warning",
    told: "A warning with its place in the file.",
    members: &[
        &SPOT,
        &[Member::new("code", Kind::Text, "Which warning; stable, such as look-alike-labels.")],
        &PROBLEM_MEMBERS,
    ],
};
