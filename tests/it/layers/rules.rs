//! The tables of the rules: what each room may import, and what some files may not name.

use super::paths::Path;

/// What each room may import besides itself. `lib`, `main` and `run` stand above all.
pub(super) const ROOMS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("ask", &["text"]),
    ("adapter", &["ask", "text"]),
    ("store", &["ask", "text", "exit", "error", "platform"]),
    ("environment", &["platform"]),
    ("exit", &["text"]),
    ("platform", &[]),
    ("error", &["text", "exit", "platform"]),
    ("cli", &["text", "adapter", "exit"]),
    ("command", &["text", "ask", "adapter", "store", "exit", "error", "environment", "cli", "platform"]),
    ("console", &["text", "ask", "adapter", "store", "exit", "error", "platform"]),
];

pub(super) const ABOVE_ALL: &[&str] = &["lib", "main", "run"];

/// What else holds outside the room `platform`, and is broken by a condition instead of a path.
pub(super) const SYSTEMS: &str = "what differs between systems lies in platform";

/// Something that some files may not name.
pub(super) struct Rule {
    pub(super) says: &'static str,
    /// Whether the rule holds in this file; the path is relative to `src/`.
    pub(super) holds_in: fn(&str) -> bool,
    pub(super) broken_by: fn(&Path) -> bool,
    /// A file and a text that break the rule.
    pub(super) example: (&'static str, &'static str),
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        says: "text, ask and adapter are pure: no files, environment, processes, clocks or terminals",
        holds_in: |file| ["text", "ask", "adapter"].contains(&room_of(file)),
        broken_by: |path| {
            let std =
                ["fs", "env", "process", "net", "thread"].iter().any(|part| path.starts_with(&["std", part]));
            let outside =
                ["jiff", "ratatui", "crossterm", "notify", "clap", "rustix", "cap_std", "signal_hook"];
            std || names(path, "SystemTime") || names(path, "Instant") || is_from(path, &outside)
        },
        example: ("ask/draft.rs", "use std::{fmt, fs::File};"),
    },
    Rule {
        says: "what draws a screen knows neither files nor the terminal's events",
        holds_in: |file| {
            let draws = file.ends_with("/draw.rs") || file.ends_with("/page.rs");
            is_part(file, "draw") || room_of(file) == "console" && draws
        },
        broken_by: |path| path.starts_with(&["crate", "store"]) || is_from(path, &["crossterm"]),
        example: ("console/inbox/draw.rs", "fn draw() { crate::store::scan(); }"),
    },
    Rule {
        says: "the pieces that screens are drawn from take what they draw, not the model",
        holds_in: |file| is_part(file, "draw"),
        broken_by: |path| path.starts_with(&["crate", "console", "model"]) || names(path, "Model"),
        example: ("console/draw/pane.rs", "fn draw(model: &crate::console::model::Model) {}"),
    },
    Rule {
        says: "a screen asks for what is to be done outside it: it knows no terminal, no thread and no clock",
        holds_in: |file| {
            ["inbox", "form", "review", "receipt", "history", "story", "edit", "questions"]
                .iter()
                .any(|it| is_part(file, it))
        },
        broken_by: |path| {
            is_from(path, &["crossterm", "signal_hook"])
                || ["fs", "thread", "process", "env"].iter().any(|part| path.starts_with(&["std", part]))
                || path.contains(&["SystemTime", "now"])
        },
        example: ("console/form/acts.rs", "fn f() { std::fs::read(\"a\"); }"),
    },
    Rule {
        says: "only the key reader and the keymap name a KeyCode",
        holds_in: |file| {
            ![
                "console/terminal/decoder.rs",
                "console/terminal/reader.rs",
                "console/input/key.rs",
                "console/input/keymap.rs",
                "platform/windows/terminal.rs",
            ]
            .contains(&file)
                && !file.starts_with("console/input/keymap/")
        },
        broken_by: |path| names(path, "KeyCode"),
        example: ("console/stack.rs", "use super::key::KeyCode;"),
    },
    Rule {
        says: "colours come from the theme",
        holds_in: |file| file != "console/theme.rs" && !file.starts_with("console/theme/"),
        broken_by: |path| names(path, "Color") || names(path, "Stylize"),
        example: ("console/draw/chips.rs", "let style = style.fg(style::Color::Red);"),
    },
    Rule {
        says: "only draw/line.rs makes ratatui's spans and lines, from harmless text",
        holds_in: |file| room_of(file) == "console" && file != "console/draw/line.rs",
        broken_by: |path| {
            let makers = ["raw", "styled", "from", "from_iter"];
            path.contains(&["ratatui", "text"])
                || path.contains(&["ratatui", "prelude"])
                || makers.iter().any(|maker| path.contains(&["Line", maker]))
        },
        example: ("console/form/page.rs", "use super::line::Line;\nfn f() -> Line { Line::from(\"x\") }"),
    },
    Rule {
        says: "only the painter, those who hand them to it, and the terminal know cells",
        holds_in: |file| {
            let terminal = ["console/terminal/mod.rs", "console/terminal/run_loop.rs", "console/app.rs"];
            let knowing = [&terminal[..], &["console/stack.rs", "console/draw/painter.rs"]].concat();
            room_of(file) == "console" && !knowing.contains(&file)
        },
        broken_by: |path| path.contains(&["ratatui", "buffer"]) || path.contains(&["ratatui", "widgets"]),
        example: ("console/inbox/draw.rs", "fn f(cells: &mut ratatui::buffer::Buffer) {}"),
    },
    Rule {
        says: "only main, the terminal watchdog and platform end the process",
        holds_in: |file| {
            room_of(file) != "platform" && !["main.rs", "console/terminal/watchdog.rs"].contains(&file)
        },
        broken_by: |path| path.contains(&["process", "exit"]) || path.contains(&["process", "abort"]),
        example: ("command/check.rs", "use std::process;\nfn f() { process::exit(1) }"),
    },
    Rule {
        says: SYSTEMS,
        holds_in: |file| room_of(file) != "platform",
        broken_by: |path| {
            // The traits of a library for one system, and of the standard library by another way.
            let is_trait =
                is_from(path, &["cap_std"]) && path.segments.last().is_some_and(|it| it.ends_with("Ext"));
            is_from(path, &["rustix", "signal_hook", "cap_fs_ext", "ctrlc"])
                || path.starts_with(&["std", "os"])
                || is_trait
        },
        example: ("store/lock.rs", "use std::{io, os::unix::fs::OpenOptionsExt};"),
    },
    Rule {
        says: "only store uses the system's files by themselves",
        holds_in: |file| !["store", "platform"].contains(&room_of(file)),
        broken_by: |path| path.contains(&["platform", "files"]),
        example: ("command/init.rs", "use crate::platform;\nfn f() { platform::files::unlink(dir, name); }"),
    },
    Rule {
        says: "only store changes files",
        holds_in: |file| !["store", "platform"].contains(&room_of(file)),
        broken_by: |path| {
            let functions = "write rename copy hard_link set_permissions create_dir create_dir_all remove_file \
                             remove_dir remove_dir_all";
            let makers = ["create", "create_new", "options"];
            functions.split_whitespace().any(|name| path.contains(&["fs", name]))
                || makers.iter().any(|name| path.contains(&["File", name]))
                || names(path, "OpenOptions")
                || names(path, "DirBuilder")
                || is_from(path, &["cap_std"])
        },
        example: ("console/files.rs", "fn f() { std::fs::write(\"a\", \"b\"); }"),
    },
    Rule {
        says: "directories are listed by platform: std::fs::read_dir panics where closing one fails",
        holds_in: |_| true,
        broken_by: |path| path.contains(&["fs", "read_dir"]),
        example: ("store/locate.rs", "use std::fs;\nfn f() { fs::read_dir(\"a\"); }"),
    },
    Rule {
        says: "nothing imports the crate's root as a whole: that hides the direction",
        holds_in: |_| true,
        broken_by: |path| path.segments.len() == 2 && path.starts_with(&["crate", "*"]),
        example: ("ask/check.rs", "use crate::*;"),
    },
];

fn names(path: &Path, word: &str) -> bool {
    path.segments.iter().any(|segment| segment == word)
}

/// Whether the path leads into one of these outside crates; a lone word is a local name.
fn is_from(path: &Path, crates: &[&str]) -> bool {
    path.segments.len() > 1 && crates.contains(&path.segments[0].as_str())
}

/// The room of a file: the first folder, or the name of a file that stands at the top.
pub(super) fn room_of(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// Whether the file is the console's part `part`: `console/draw.rs` or something in `console/draw/`.
fn is_part(file: &str, part: &str) -> bool {
    let rest = file.strip_prefix("console/").and_then(|rest| rest.strip_prefix(part));
    rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Why a file of `room` may not name `path`, if it may not.
pub(super) fn forbidden_direction(room: &str, path: &Path) -> Option<String> {
    let inside = ["crate", "novel_gate"].contains(&path.segments[0].as_str());
    let target = path.segments.get(1).filter(|_| inside)?;
    if ABOVE_ALL.contains(&room) || target == room || target == "*" {
        return None;
    }
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return Some(format!("the room `{room}` is not in the table of rooms"));
    };
    let list = if allowed.is_empty() { "nothing of ours".to_owned() } else { allowed.join(", ") };
    (!allowed.contains(&target.as_str())).then(|| format!("`{room}` may import {list}, but not `{target}`"))
}
