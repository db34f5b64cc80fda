use super::*;
use crate::text::Lang;
use std::fs;

fn settings(text: &str) -> (Config, Vec<String>) {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("config.toml"), text).expect("written");
    let (config, problems) = read(None, Some(dir.path())).expect("read");
    let short = |problem: &ConfigProblem| {
        let text = problem.text(Lang::En);
        text.split_once("config.toml, ").map_or(text.clone(), |(_, behind)| behind.to_owned())
    };
    (config, problems.iter().map(short).collect())
}

#[test]
fn a_missing_file_is_no_error_unless_it_was_named() {
    let dir = tempfile::tempdir().expect("a directory");
    assert_eq!(read(None, Some(dir.path())), Ok((Config::default(), Vec::new())));
    let named = read(Some(&dir.path().join("x.toml")), None);
    assert_eq!(named.expect_err("missing").kind, crate::exit::ExitCode::Failed);
}

#[test]
fn every_mistake_is_named_with_its_place_and_the_rest_counts() {
    let (config, problems) = settings(
        "lang = \"fr\"\nbel = true\ntheme = \"mono\"\nambiguous_width = -1\n[notify]\nbell = 1\nring = true\n\
         desktop = \"osc777\"\n[keys]\n\"inbox.redo\" = \"x\"\ninbox.open = [\"F9\"]\n",
    );
    assert_eq!(
        problems,
        [
            "line 1, column 8: `lang` is \"fr\", but \"en\", \"zh-CN\" or \"auto\" is expected",
            "line 2, column 1: `bel` is not a setting; the settings are lang, theme, mouse, clipboard, ambiguous_width, notify, keys",
            "line 4, column 19: `ambiguous_width` is -1, but 1 or 2 is expected",
            "line 6, column 8: `notify.bell` is 1, but true or false is expected",
            "line 7, column 1: `notify.ring` is not a setting; the settings are notify.bell, notify.desktop, \
             notify.command",
            "line 10, column 16: `keys.inbox.redo` is \"x\", but a list of keys, such as [\"F8\", \"x\"], is expected",
        ]
    );
    assert_eq!((config.lang, config.theme.as_deref()), (None, Some("mono")));
    assert_eq!(config.notify, Notify { desktop: Some(Desktop::Osc777), ..Notify::default() });
    let [key] = &config.keys[..] else { panic!("{:?}", config.keys) };
    assert_eq!((key.name.as_str(), key.keys[0].as_str(), key.place.line), ("inbox.open", "F9", 11));
}

#[test]
fn a_line_that_is_not_toml_costs_only_itself() {
    let (config, problems) = settings("mouse = false\ntheme = \"mono\nambiguous_width = 2\n");
    assert!(problems[0].starts_with("line 2, column 14: this is not TOML"), "{problems:?}");
    assert_eq!((problems.len(), config.mouse), (1, Some(false)));
}

#[test]
fn what_should_be_a_table_and_is_none_is_named() {
    let (config, problems) = settings("notify = true\nkeys = []\nmouse = false\n");
    let expected = |line, column, name, found| {
        format!("line {line}, column {column}: `{name}` is {found}, but a table is expected")
    };
    assert_eq!(problems, [expected(1, 10, "notify", "true"), expected(2, 8, "keys", "[]")]);
    assert_eq!(config.mouse, Some(false));
}

#[test]
fn settings_are_read() {
    let (config, problems) = settings(
        "lang = \"zh-CN\"\ntheme = \"mono\"\nmouse = false\nclipboard = false\n[notify]\nbell = true\n\
         command = [\"notify-send\", \"{title}\"]\n[keys.inbox]\nredo = [\"F9\", \"x\"]\n",
    );
    assert_eq!(problems, [""; 0]);
    assert_eq!((config.lang, config.theme.as_deref()), (Some(LangName::ZhCn), Some("mono")));
    assert_eq!((config.mouse, config.clipboard, config.notify.bell), (Some(false), Some(false), true));
    assert_eq!(config.notify.command, ["notify-send", "{title}"]);
    assert_eq!(
        (config.keys[0].name.as_str(), &config.keys[0].keys[..]),
        ("inbox.redo", &["F9", "x"].map(String::from)[..])
    );
    for (name, lang) in [("auto", LangName::Auto), ("en", LangName::En), ("zh", LangName::ZhCn)] {
        assert_eq!(settings(&format!("lang = \"{name}\"")).0.lang, Some(lang));
    }
    let (config, problems) = settings("clipboard = 0");
    assert_eq!(config.clipboard, None);
    assert_eq!(problems, ["line 1, column 13: `clipboard` is 0, but true or false is expected"]);
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn neither_a_pipe_nor_a_huge_file_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    let told = || {
        let told = [(None, Some(dir.path())), (Some(&*path), None)].map(|(named, usual)| {
            let (config, problems) = read(named, usual).unwrap();
            assert_eq!(config, Config::default());
            problems.iter().map(|problem| problem.text(Lang::En)).collect::<Vec<_>>().join("; ")
        });
        assert_eq!(told[0], told[1], "the file that is named, and the usual one");
        told[0].clone()
    };
    crate::platform::testing::make_pipe(&path);
    assert!(told().contains("not a regular file"), "{}", told());
    let theme = read_theme(path.to_str().unwrap(), None).unwrap_err();
    assert!(theme.to_string().contains("not a regular file"), "{theme}");
    std::fs::remove_file(&path).unwrap();
    std::fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    assert!(told().contains("too large"), "{}", told());
    std::fs::remove_file(&path).unwrap();
    crate::platform::testing::symlink("/dev/zero", &path).unwrap();
    assert!(told().contains("not a regular file"), "{}", told());
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, b"mouse = true\ntheme = \"\xff\"\n").unwrap();
    assert!(told().ends_with("config.toml, line 2, column 10: this is not UTF-8; the whole file is ignored"));
    let theme = read_theme(path.to_str().unwrap(), None).unwrap_err();
    assert!(theme.to_string().contains("line 2, column 10: this is not UTF-8"), "{theme}");
    let text = "# 主题用深色，因为晚上写\nmouse = true\n";
    let wide: Vec<u8> = "mouse = true\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, name) in [(&*encoding_rs::GBK.encode(text).0, "GBK"), (&wide, "UTF-16")] {
        std::fs::write(&path, bytes).unwrap();
        let named = format!("this is not UTF-8; it looks like {name}");
        assert!(told().contains(&named), "{}", told());
        let theme = read_theme(path.to_str().unwrap(), None).unwrap_err();
        assert!(theme.to_string().contains(&named), "{theme}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(read(Some(&path), None).is_err(), "the file that is named must be there");
}
