//! What `keys`, `themes`, `completions` and `man` print.

use super::parts::{ERROR, head};
use super::{Form, Kind, Member, Output};

pub(super) const KEYS: Output = Output {
    name: "keys-output",
    told: "What keys --json prints: the whole key table of the console.",
    forms: &[&TABLE, &ERROR],
};

const TABLE: Form = Form {
    name: "key-table",
    told: "Every key of the console.",
    members: &[
        &head(&["ok"], &[0], &["keys"]),
        &[Member::new("bindings", Kind::List(&Kind::Part(&BINDING)), "The rows, screen by screen.")],
    ],
};

const BINDING: Form = Form {
    name: "key-binding",
    told: "One thing that keys do on one screen.",
    members: &[&[
        Member::new("context", Kind::Text, "The screen, or a part of it; stable."),
        Member::new("action", Kind::Text, "What the keys do, in a word; stable."),
        Member::new(
            "keys",
            Kind::List(&Kind::Text),
            "The keys; the first one works with an input method on.",
        ),
        Member::new("description", Kind::Text, "What they do, in the language of --lang."),
    ]],
};

pub(super) const THEMES: Output = Output {
    name: "themes-output",
    told: "What themes --json prints: all themes, or with NAME one with its text.",
    forms: &[&LISTING, &ONE, &ERROR],
};

const LISTING: Form = Form {
    name: "themes",
    told: "The built-in themes and the author's own.",
    members: &[
        &head(&["ok"], &[0], &["themes"]),
        &[
            Member::new("in_use", Kind::Text, "The name of the theme that the console would take.").or_null(),
            Member::new(
                "chosen_by",
                Kind::Word(&["flag", "config", "auto", "no-color"]),
                "Why that one; no-color: none is in use.",
            )
            .or_null(),
            Member::new("trouble", Kind::Text, "Why the console would not start with it.").or_null(),
            Member::new("themes", Kind::List(&Kind::Part(&THEME)), "The built-in ones first."),
        ],
    ],
};

const THEME: Form = Form { name: "theme", told: "A theme.", members: &[&THEME_MEMBERS] };

const THEME_MEMBERS: [Member; 7] = [
    Member::new("name", Kind::Text, "What --theme takes."),
    Member::new("origin", Kind::Word(&["built-in", "file"]), "Where it comes from."),
    Member::new("path", Kind::Text, "Its file.").or_null(),
    Member::new("in_use", Kind::Flag, "Whether the console would take it."),
    Member::new("hidden", Kind::Flag, "Whether a built-in theme of that name stands before it."),
    Member::new("legal", Kind::Flag, "Whether it can be used."),
    Member::new("problems", Kind::List(&Kind::Part(&FAULT)), "Everything that is wrong with it."),
];

const FAULT: Form = Form {
    name: "theme-problem",
    told: "Something that a theme may not say.",
    members: &[&[
        Member::new("line", Kind::Count, "The line, from 1; null if the file cannot be read.").or_null(),
        Member::new("column", Kind::Count, "The column in characters, from 1.").or_null(),
        Member::new("key", Kind::Text, "The key, such as waiting.fg; may be empty."),
        Member::new("message", Kind::Text, "What is wrong, in a sentence."),
    ]],
};

const ONE: Form = Form {
    name: "theme-text",
    told: "A theme with its text.",
    members: &[
        &head(&["ok"], &[0], &["theme"]),
        &THEME_MEMBERS,
        &[Member::new("text", Kind::Text, "The text of its file, as it stands.")],
    ],
};

pub(super) const COMPLETIONS: Output = Output {
    name: "completions-output",
    told: "What completions --json prints: the script of a shell.",
    forms: &[&PRINTED, &ERROR],
};

pub(super) const MAN: Output = Output {
    name: "man-output",
    told: "What man --json prints: the manual page in the language of roff.",
    forms: &[&PRINTED, &ERROR],
};

const PRINTED: Form = Form {
    name: "printed",
    told: "A text for another program.",
    members: &[
        &head(&["ok"], &[0], &["completions", "man"]),
        &[Member::new("text", Kind::Text, "The text, exactly as it is printed without --json.")],
    ],
};
