//! Members and forms that several outputs share, and the form of every failure.

use super::tables::{Form, Kind, Member};

/// The members every object begins with.
pub(super) const fn head(
    status: &'static [&'static str],
    exit: &'static [u8],
    code: &'static [&'static str],
) -> [Member; 4] {
    [
        Member::new("status", Kind::Word(status), "What came of it, in a word."),
        Member::new("exit", Kind::Exit(exit), "The exit code of the process."),
        Member::new("code", Kind::Word(code), "What came of it, more exactly; stable."),
        MESSAGE,
    ]
}

pub(super) const MESSAGE: Member =
    Member::new("message", Kind::Text, "The same in a sentence, in the language of --lang.");

pub(super) const ANSWER_PATH: Member = Member::new(
    "answer_path",
    Kind::Text,
    "Where the record goes, as the packet spells it; null without a gate.",
)
.or_null();

pub(super) const PROBLEMS: Member = Member::new(
    "problems",
    Kind::List(&Kind::Part(&PROBLEM)),
    "Every violation; the first is the one that the executor names.",
);

/// What each problem says.
pub(super) const PROBLEM_MEMBERS: [Member; 4] = [
    Member::new(
        "pointer",
        Kind::Text,
        "JSON pointer to the value, or to where it is missing; empty for the whole file.",
    ),
    Member::new("found", Kind::Text, "What stands there."),
    Member::new("expected", Kind::Text, "What should stand there."),
    Member::new("hint", Kind::Text, "What to do about it.").or_null(),
];

pub(super) const PROBLEM: Form =
    Form { name: "problem", told: "One violation of a packet or a record.", members: &[&PROBLEM_MEMBERS] };

/// An answer: one string, or several for `multi_choice`.
const ANSWER: Kind = Kind::Either(&[Kind::Text, Kind::List(&Kind::Text)]);

pub(super) const ANSWERS: Kind = Kind::Map(&ANSWER);

pub(super) const RECORD: Form = Form {
    name: "record",
    told: "A valid record, as it lies at answer_path.",
    members: &[&[
        Member::new("version", Kind::Value, "The version of the questions; a number."),
        Member::new("topic", Kind::Text, "The topic of the questions."),
        Member::new("answers", ANSWERS, "The answers by question id; what was left blank has no member."),
        Member::new("answered_at", Kind::Text, "When: RFC 3339, as the writer spelled it."),
        Member::new("answered_by", Kind::Text, "Who: human, claude_code, codex or any name."),
        Member::new(
            "_notes",
            Kind::Map(&Kind::Text),
            "Notes on the answers by question id, if there are any.",
        )
        .at_times(),
    ]],
};

/// Every failure, whatever the command.
pub(super) const ERROR: Form = Form {
    name: "error",
    told: "Nothing was done; exit and code say why.",
    members: &[&[
        Member::new("status", Kind::Word(&["error"]), "That it failed."),
        Member::new("exit", Kind::Exit(&[1, 2, 3, 5, 6]), "The exit code of the process."),
        Member::new("code", Kind::Text, "What went wrong; stable, such as no-packet or usage."),
        MESSAGE,
        Member::new("at", Kind::Text, "The argument, or the place in an input, that is wrong.").or_null(),
        Member::new(
            "problems",
            Kind::List(&Kind::Part(&PROBLEM)),
            "Every violation of an input that cannot be used.",
        )
        .at_times(),
    ]],
};
