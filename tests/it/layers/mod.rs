//! The house keeps its shape: which room may name what, read from the source text.
//!
//! Every rule carries an example that breaks it, and a test proves that the example is found: a rule that cannot fail
//! protects nothing. Comments, strings and items under `#[cfg(test)]` are free.

mod circles;
mod drawing;
mod paths;
mod rules;
mod systems;
mod tokens;

use std::collections::BTreeSet;
use std::path::Path as FilePath;

use circles::Imports;
use rules::{ABOVE_ALL, ROOMS, RULES, SYSTEMS, forbidden_direction, room_of};

/// The module path of a file beneath `src/`.
fn module_of(file: &str) -> Vec<String> {
    let stem = file.trim_end_matches(".rs");
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    if ["lib", "main"].contains(&stem) { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

/// Every broken rule of one file, as `file:line: what`.
fn violations(file: &str, source: &str) -> Vec<String> {
    let (tokens, _) = tokens::without_tests(&tokens::tokenize(source));
    let mut found = BTreeSet::new();
    if room_of(file) != "platform" {
        let asked = systems::conditions(&tokens);
        found.extend(asked.into_iter().map(|line| (line, format!("src/{file}:{line}: {SYSTEMS} (cfg)"))));
    }
    for path in paths::collect(&tokens, &module_of(file)) {
        let mut report = |what: &str| {
            found.insert((
                path.line,
                format!("src/{file}:{}: {what} ({})", path.line, path.segments.join("::")),
            ));
        };
        if let Some(what) = forbidden_direction(room_of(file), &path) {
            report(&what);
        }
        for rule in RULES.iter().filter(|rule| (rule.holds_in)(file) && (rule.broken_by)(&path)) {
            report(rule.says);
        }
    }
    found.into_iter().map(|(_, text)| text).collect()
}

/// The Rust files beneath `dir`: their paths relative to it, with `/`, and their texts.
fn rust_files(dir: &FilePath) -> Vec<(String, String)> {
    let (mut files, mut open) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a directory entry").path();
            if path.is_dir() {
                // The test executor's packages are not ours.
                open.extend((!path.ends_with("node_modules")).then_some(path));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(dir).expect("beneath the folder");
                let name = name.to_str().expect("a name in UTF-8").replace('\\', "/");
                files.push((name, std::fs::read_to_string(&path).expect("a source file in UTF-8")));
            }
        }
    }
    files.sort();
    files
}

/// The files that `#[cfg(test)] mod name;` declares, and what lies in their folders.
fn is_test_file(file: &str, test_modules: &[Vec<String>]) -> bool {
    test_modules.iter().any(|module| module_of(file).starts_with(module))
}

/// The files of the program, without those of its tests.
fn program() -> Vec<(String, String)> {
    let files = rust_files(&FilePath::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(files.iter().any(|(name, _)| name == "lib.rs"), "the source is not where it was");
    let mut test_modules = Vec::new();
    for (name, text) in &files {
        let (_, declared) = tokens::without_tests(&tokens::tokenize(text));
        test_modules.extend(declared.into_iter().map(|module| [module_of(name), vec![module]].concat()));
    }
    files.into_iter().filter(|(name, _)| !is_test_file(name, &test_modules)).collect()
}

fn imports<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Imports {
    Imports::of(files.into_iter().filter(|(name, _)| !["lib.rs", "main.rs"].contains(name)).map(
        |(name, text)| {
            let (tokens, _) = tokens::without_tests(&tokens::tokenize(text));
            let module = module_of(name);
            let paths = paths::collect(&tokens, &module);
            (name.to_owned(), module, paths)
        },
    ))
}

#[test]
fn the_rooms_are_drawn_as_the_source_has_them() {
    let page = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("docs/ARCHITECTURE.md");
    let page = std::fs::read_to_string(page).expect("the page");
    assert_eq!(drawing::faults(&page, ROOMS, ABOVE_ALL), [""; 0]);
    for (from, to) in [("store        adapter", "adapter"), ("ask          packets", "asks         packets")]
    {
        assert!(page.contains(from), "{from}");
        assert_ne!(drawing::faults(&page.replacen(from, to, 1), ROOMS, ABOVE_ALL), [""; 0], "{from}");
    }
    let turned = page.replacen("command      console", "ask", 1).replacen(
        "ask          packets",
        "command      console",
        1,
    );
    assert_ne!(drawing::faults(&turned, ROOMS, ABOVE_ALL), [""; 0], "upside down");
}

#[test]
fn no_room_names_what_it_may_not() {
    let found: Vec<String> = program().iter().flat_map(|(name, text)| violations(name, text)).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let files = program();
    let imports = imports(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let circles: Vec<String> = imports.circles().iter().map(|circle| circle.join(", ")).collect();
    assert!(circles.is_empty(), "\n{}\n", circles.join("\n"));
}

#[test]
fn a_circle_is_found_through_other_files_parents_and_names_handed_on() {
    let circles = |files: &[(&'static str, &'static str)]| {
        let imports = imports(files.iter().copied());
        imports.circles().into_iter().map(|circle| circle.join(" ")).collect::<Vec<_>>()
    };
    let a = ("ask/a.rs", "use super::B;");
    let face = ("ask/mod.rs", "mod a; mod b; pub use self::b::B; pub use a::A;");
    assert_eq!(circles(&[face, a, ("ask/b.rs", "pub struct B;")]), [""; 0]);
    assert_eq!(circles(&[face, a, ("ask/b.rs", "fn f() { super::a::go() }")]), ["ask/a.rs ask/b.rs"]);
    let below = ("ask/b.rs", "pub(in crate::ask) struct B; fn f() { pub(super) struct C; }");
    assert_eq!(circles(&[("ask/mod.rs", "use b::B;"), below]), [""; 0], "who may see an item");
    let child = ("ask/a/child.rs", "use crate::ask::a::{self, A};");
    assert_eq!(circles(&[("ask/a.rs", "mod child; use child::go;"), child]), ["ask/a.rs ask/a/child.rs"]);
    assert_eq!(circles(&[("ask/a.rs", "mod child; pub use child::Child;"), child]), [""; 0]);
    for spelled in [
        "mod child; fn f() { child::go() }",
        "mod child; fn f() { self::child::go() }",
        "mod child; fn f() { crate::ask::a::child::go() }",
        "mod child; pub use child::Child; fn f(child: Child) {}",
        "mod child; fn f() { use child::go; go() }",
    ] {
        assert_eq!(circles(&[("ask/a.rs", spelled), child]), ["ask/a.rs ask/a/child.rs"], "{spelled}");
    }
    let seen = ("ask/a/child.rs", "pub(super) struct Child; impl Child { pub(super) fn go() {} }");
    assert_eq!(circles(&[("ask/a.rs", "mod child; use child::Child;"), seen]), [""; 0]);
    let chain = [
        ("ask/a.rs", "use super::b;"),
        ("ask/b.rs", "use super::c::{self};"),
        ("ask/c.rs", "use super::a::A;"),
    ];
    assert_eq!(circles(&chain), ["ask/a.rs ask/b.rs ask/c.rs"]);
}

#[test]
fn every_rule_finds_its_own_example() {
    for rule in RULES {
        let (file, source) = rule.example;
        let found = violations(file, source);
        assert!(found.iter().any(|text| text.contains(rule.says)), "{file}: {source}\nfound {found:?}");
    }
    assert_eq!(violations("lib.rs", "pub mod ask;\nuse ask::Gate;"), Vec::<String>::new());
}

#[test]
fn a_question_for_the_system_is_found_outside_platform() {
    for source in [
        "#[cfg(unix)]\nfn f() {}",
        "#[cfg(any(windows, not(target_os = \"linux\")))] use a::b;",
        "#[cfg_attr(target_family = \"unix\", path = \"x.rs\")]\nmod x;",
        "fn f() -> bool { cfg!(not(target_os = \"linux\")) }",
    ] {
        let found = violations("store/lock.rs", source);
        assert!(found.iter().any(|text| text.contains(SYSTEMS)), "{source}\nfound {found:?}");
        assert_eq!(violations("platform/unix/files.rs", source), [""; 0], "{source}");
    }
    let free = "#[cfg(all(test, unix))]\nmod tests {}\n#[cfg(feature = \"x\")]\nfn unix(windows: u8) {}";
    assert_eq!(violations("store/lock.rs", free), [""; 0]);
    let library = "use cap_std::fs::{Dir, MetadataExt as _};";
    assert_eq!(violations("store/lock.rs", library).len(), 1, "a library's trait for one system");
    assert_eq!(violations("platform/mod.rs", "use rustix::fs;\nuse std::os::fd::AsFd;"), [""; 0]);
}

#[test]
fn every_forbidden_direction_is_found_and_every_allowed_one_is_not() {
    for (room, allowed) in ROOMS {
        for (other, _) in ROOMS.iter().filter(|(other, _)| other != room) {
            for source in [
                format!("use crate::{other}::Thing;"),
                format!("use crate::{{{other}::{{Thing, self}}}};"),
                format!("use super::{other};"),
                format!("fn f(x: crate::{other}::Thing) {{}}"),
                format!("mod inner {{ use super::super::{other}::Thing; }}"),
            ] {
                let found = violations(&format!("{room}/mod.rs"), &source);
                let direction = found.iter().any(|text| text.contains("may import"));
                assert_eq!(direction, !allowed.contains(other), "{room}: {source}\n{found:?}");
            }
        }
    }
}

#[test]
fn violations_name_file_line_and_rule() {
    let source = "//! A view.\n\nuse crate::{\n    ask::Gate,\n    command::check,\n};\n";
    assert_eq!(
        violations("console/form/draw.rs", source),
        [
            "src/console/form/draw.rs:5: `console` may import text, ask, adapter, store, exit, error, platform, but not \
             `command` (crate::command::check)"
        ]
    );
    assert_eq!(violations("attic/mod.rs", "use crate::ask;").len(), 1, "a room outside the table");
}

#[test]
fn comments_strings_and_tests_are_free() {
    let source = r##"
        //! Speaks of crate::store and std::fs::write.
        /* use crate::console; /* nested */ use crate::command; */
        const TEXT: &str = "use crate::store;";
        const RAW: &str = r#"std::process::exit(1) " "#;
        const QUOTE: char = '"';
        fn life<'a>(text: &'a str) -> &'a str { text }
        #[cfg(test)]
        use crate::console::Thing;
        #[cfg(test)]
        #[path = "x.rs"]
        mod tests { use std::fs; fn f() { if true { fs::write("a", "b") } } }
        #[derive(Clone)]
        struct After { notify: bool }
    "##;
    assert_eq!(violations("text/width.rs", source), Vec::<String>::new());
    let after = format!("{source}\nuse crate::console::Thing;");
    assert_eq!(violations("text/width.rs", &after).len(), 1, "what follows a test module still counts");
}

#[test]
fn test_modules_in_their_own_files_are_known_by_their_declaration() {
    let (_, modules) = tokens::without_tests(&tokens::tokenize(
        "mod a;\n#[cfg(test)]\nmod tests;\n#[cfg(not(test))]\nmod b;",
    ));
    assert_eq!(modules, ["tests"]);
    let declared = vec![vec!["ask".to_owned(), "tests".to_owned()]];
    assert!(is_test_file("ask/tests.rs", &declared) && is_test_file("ask/tests/json.rs", &declared));
    assert!(!is_test_file("ask/check.rs", &declared) && !is_test_file("text/tests.rs", &declared));
}

/// Whether `word` stands in `line` by itself.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        !is_part(line[..at].chars().next_back()) && !is_part(line[at + word.len()..].chars().next())
    })
}

#[test]
fn no_source_file_has_unfinished_work() {
    // In two pieces, so that this file does not contain them.
    let words = [
        concat!("to", "do!"),
        concat!("unimple", "mented!"),
        concat!("db", "g!"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
    ];
    assert!(has_word(&format!("// {} later", words[3]), words[3]) && !has_word("\\u{XXXX}", words[4]));
    let root = FilePath::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in
        ["src", "tests", "benches"].iter().map(|name| root.join(name)).filter(|folder| folder.is_dir())
    {
        for (name, text) in rust_files(&folder) {
            for (at, line) in text.lines().enumerate() {
                let here = words.iter().filter(|word| has_word(line, word));
                found.extend(here.map(|word| format!("{}/{name}:{}: {word}", folder.display(), at + 1)));
            }
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// The key table names keys; a sentence names an action (`{redo}`), because the author may have given it another key.
#[test]
fn no_sentence_of_the_console_names_a_key() {
    let functions = (1..=12).map(|n| format!("F{n}"));
    let others = ["Enter", "Esc", "Tab", "Ctrl+", "Alt+", "PgDn"].map(str::to_owned);
    let keys: Vec<String> = functions.chain(others).collect();
    let names = |line: &str, key: &str| {
        line.match_indices(key).any(|(at, _)| {
            // `Key::Enter` is code.
            let before = line[..at].chars().next_back();
            let behind = line[at + key.len()..].chars().next();
            !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == ':')
                && (key.ends_with('+') || !behind.is_some_and(|c| c.is_ascii_alphanumeric()))
        })
    };
    assert!(names(r#"say("F8 removes it", "")"#, "F8") && !names("Key::Enter | F10", "F1"));
    let mut found = Vec::new();
    for (name, text) in program() {
        if !name.starts_with("console/") || name.starts_with("console/input/") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let here = keys.iter().filter(|key| names(line, key));
            found.extend(here.map(|key| format!("{name}:{}: {key}", at + 1)));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
