//! What `init` prints.

use super::parts::{ERROR, head};
use super::tables::{Form, Kind, Member, Output};

pub(in crate::command) const INIT: Output = Output {
    name: "init-output",
    told: "What init --json prints. Exit 5 a file leads out of the project or cannot be written, 6 one is not ours to change.",
    forms: &[&WIRING, &ERROR],
};

const WIRING: Form = Form {
    name: "wiring",
    told: "The files that wire novel-gate into a project's executors.",
    members: &[
        &head(
            &["planned", "written", "unchanged", "refused"],
            &[0, 1, 5, 6],
            &["planned", "written", "unchanged", "refused", "not-ours", "unreadable"],
        ),
        &[
            Member::new("files", Kind::List(&Kind::Part(&WIRED)), "Every file that is looked at."),
            Member::new(
                "written",
                Kind::Flag,
                "Whether anything was written; if a file is refused, nothing is.",
            ),
        ],
    ],
};

const WIRED: Form = Form {
    name: "wired-file",
    told: "One file.",
    members: &[&[
        Member::new("path", Kind::Text, "Relative to the project's root."),
        Member::new(
            "action",
            Kind::Word(&["create", "insert", "update", "unchanged", "refused"]),
            "What is done with it, or would be.",
        ),
        Member::new("line", Kind::Count, "The line where something goes in, from 1.").or_null(),
        Member::new("text", Kind::Text, "What is made or goes in; of a refused file, what to add by hand.")
            .or_null(),
        Member::new("reason", Kind::Text, "Why it is refused.").or_null(),
    ]],
};
