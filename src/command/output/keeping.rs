//! What `answer`, `redo`, `history` and `init` print.

use super::parts::{ANSWER_PATH, ANSWERED, CONFLICTS, ERROR, FILE, PACKET, PROBLEMS, RECORD, REFUSAL, head};
use super::tables::{Form, Kind, Member, Output};

pub(in crate::command) const ANSWER: Output = Output {
    name: "answer-output",
    told: "What answer --json prints. Exit 0 written or valid, 4 invalid answers, 5 malformed or refused, 6 a record is there.",
    forms: &[&WRITTEN, &VALID, &UNWRITTEN, &REFUSED, &CONFLICT, &TAKEN, &ERROR],
};

const WRITTEN: Form = Form {
    name: "written",
    told: "The record was written and read again; the gate is open.",
    members: &[&head(&["written"], &[0], &["written"]), &[PACKET, ANSWER_PATH], &SIGNED, &FILE, &[AS_RECORD]],
};

const SIGNED: [Member; 2] = [
    Member::new("answered_by", Kind::Text, "Who answered."),
    Member::new("answered_at", Kind::Time, "When."),
];

const AS_RECORD: Member = Member::new("record", Kind::Part(&RECORD), "The record.");

const VALID: Form = Form {
    name: "valid",
    told: "--dry-run: the answers are valid, and nothing was written.",
    members: &[&head(&["valid"], &[0], &["valid"]), &[PACKET, ANSWER_PATH], &SIGNED, &[AS_RECORD]],
};

const UNWRITTEN: Form = Form {
    name: "unwritten",
    told: "Nothing was written: the answers or the packet break rules, or the packet has changed meanwhile.",
    members: &[
        &head(&["invalid", "malformed", "stale"], &[4, 5, 6], &["invalid-answers", "malformed", "stale"]),
        &[PACKET, PROBLEMS],
    ],
};

const REFUSED: Form = Form {
    name: "refused",
    told: "Nothing was written: no record may be written there.",
    members: &[&head(&["refused"], &[5], &["refused"]), &[PACKET, REFUSAL, PROBLEMS]],
};

const CONFLICT: Form = Form {
    name: "in-conflict",
    told: "Nothing was written: other packets want different answers in the same place, and the record leaves them blocked.",
    members: &[
        &head(&["conflict"], &[5], &["conflict"]),
        &[
            PACKET,
            Member::new("conflicts", Kind::List(&Kind::Text), "The packets that would be left blocked."),
            PROBLEMS,
        ],
    ],
};

const TAKEN: Form = Form {
    name: "taken",
    told: "Nothing was written: a record is there (exists), or not the one that --replace=SHA256 names (changed).",
    members: &[
        &head(&["exists", "changed"], &[6], &["record-exists", "record-changed"]),
        &[
            PACKET,
            Member::new("valid", Kind::Flag, "Whether the record that is there is valid."),
            Member::new("sha256", Kind::Text, "Its hash, for --replace=SHA256; null if there is none.")
                .or_null(),
        ],
        &ANSWERED,
        &[CONFLICTS, PROBLEMS],
    ],
};

pub(in crate::command) const REDO: Output = Output {
    name: "redo-output",
    told: "What redo --json prints. Exit 0, 3 no record (or none to put back), 6 a record is in the way.",
    forms: &[&MOVED, &ERROR],
};

const MOVED: Form = Form {
    name: "moved",
    told: "The record was moved into the history (removed), or put back byte for byte (restored).",
    members: &[
        &head(&["removed", "restored"], &[0], &["removed", "restored"]),
        &FILE,
        &[
            Member::new(
                "outputs",
                Kind::List(&Kind::Text),
                "Files that the step has made from the record; they stay.",
            ),
            Member::new("passed", Kind::Flag, "Whether the checkpoint has passed the step."),
            Member::new(
                "also_opened",
                Kind::List(&Kind::Text),
                "Other packets, with other questions in the same place, that the record had opened.",
            ),
            Member::new("warnings", Kind::List(&Kind::Text), "What follows from that, in sentences."),
        ],
    ],
};

pub(in crate::command) const HISTORY: Output = Output {
    name: "history-output",
    told: "What history --json prints: entries, or with --compare, --restore, --export and --forget what came of it.",
    forms: &[&ENTRIES, &COMPARED, &PUT_BACK, &EXPORTED, &ERASED, &ERROR],
};

const ENTRIES: Form = Form {
    name: "entries",
    told: "The entries that were asked for.",
    members: &[
        &head(&["ok"], &[0], &["history"]),
        &[
            Member::new("count", Kind::Count, "How many."),
            Member::new("entries", Kind::List(&Kind::Part(&ENTRY)), "The newest first."),
        ],
    ],
};

const ENTRY: Form = Form {
    name: "entry",
    told: "A record as it was once.",
    members: &[&[
        Member::new("id", Kind::Text, "For --compare and --restore."),
        Member::new(
            "reason",
            Kind::Word(&["answered", "repaired", "redone", "replaced", "restored", "seen"]),
            "What happened to it then; seen: somebody else had written it.",
        ),
        Member::new("at", Kind::Time, "When that happened."),
        Member::new("answer_path", Kind::Text, "Where the record was."),
        Member::new("packet", Kind::Text, "The packet that asked, if it is known.").or_null(),
        Member::new("step", Kind::Text, "Its step.").or_null(),
        Member::new("topic", Kind::Text, "The topic.").or_null(),
        Member::new("answered_by", Kind::Text, "Who answered, as far as the record can be read.").or_null(),
        Member::new("answered_at", Kind::Text, "When, as the record spells it.").or_null(),
        Member::new("valid", Kind::Flag, "Whether the record was valid."),
        Member::new("sha256", Kind::Text, "The hash of its bytes."),
        Member::new("bytes", Kind::Count, "How long it was."),
        Member::new("of", Kind::Text, "The entry that this one followed from.").or_null(),
        Member::new("record_file", Kind::Text, "Where its exact bytes are kept."),
        Member::new("novel_ask", Kind::Object, "The questions as they were asked then, a QuestionSpec.")
            .or_null(),
        Member::new(
            "answers",
            Kind::Map(&Kind::Value),
            "The answers by question id, as far as the record can be read.",
        ),
    ]],
};

const COMPARED: Form = Form {
    name: "compared",
    told: "--compare: two entries, question by question.",
    members: &[
        &head(&["ok"], &[0], &["compared"]),
        &[
            Member::new("same", Kind::Flag, "Whether both answer the same to the same questions."),
            Member::new("before", Kind::Part(&ENTRY), "The first entry."),
            Member::new("after", Kind::Part(&ENTRY), "The second entry."),
            Member::new(
                "changes",
                Kind::List(&Kind::Part(&CHANGE)),
                "What changed that concerns no single question.",
            ),
            Member::new("questions", Kind::List(&Kind::Part(&PAIR)), "Every question of either."),
        ],
    ],
};

const CHANGE: Form = Form {
    name: "change",
    told: "A change of the questions.",
    members: &[&[
        Member::new("code", Kind::Text, "What changed; stable, such as option-removed."),
        Member::new("text", Kind::Text, "The same in a sentence."),
    ]],
};

const PAIR: Form = Form {
    name: "pair",
    told: "One question and both answers.",
    members: &[&[
        Member::new("id", Kind::Text, "The question's id."),
        Member::new("header", Kind::Text, "Its short title.").or_null(),
        Member::new("same", Kind::Flag, "Whether question and answer are the same in both."),
        Member::new("before", Kind::Value, "The first answer; null if there is none."),
        Member::new("after", Kind::Value, "The second answer; null if there is none."),
        Member::new("changes", Kind::List(&Kind::Part(&CHANGE)), "What changed in the question."),
    ]],
};

const PUT_BACK: Form = Form {
    name: "put-back",
    told: "--restore: the record is as it was in the entry.",
    members: &[
        &head(&["restored"], &[0], &["restored"]),
        &[Member::new("entry", Kind::Text, "The entry.")],
        &FILE,
    ],
};

const EXPORTED: Form = Form {
    name: "exported",
    told: "--export: the decisions as Markdown.",
    members: &[
        &head(&["exported"], &[0], &["exported"]),
        &[
            Member::new("path", Kind::Text, "The file, as it was named; null for standard output.").or_null(),
            Member::new("bytes", Kind::Count, "How long the document is."),
            Member::new("markdown", Kind::Text, "The document, for standard output.").or_null(),
        ],
    ],
};

const ERASED: Form = Form {
    name: "erased",
    told: "--forget: entries were erased.",
    members: &[
        &head(&["erased"], &[0], &["erased"]),
        &[
            Member::new("entries", Kind::Count, "How many entries."),
            Member::new(
                "removed_records",
                Kind::Count,
                "Records among them that were removed and cannot be put back any more.",
            ),
        ],
    ],
};
