use super::*;
use crate::platform::testing::{give_up_privileges, make_pipe, set_mode, symlink};
use crate::store::testing::Sandbox;
use crate::text::Lang;

fn of(sandbox: &Sandbox, path: &str) -> Result<StoryText, Message> {
    read(&sandbox.project, path)
}

fn texts(story: &StoryText) -> Vec<&str> {
    story.lines.iter().map(|line| line.text.as_str()).collect()
}

fn why(found: Result<StoryText, Message>) -> [String; 2] {
    let why = found.expect_err("not shown");
    [why.text(Lang::En), why.text(Lang::ZhCn)]
}

#[test]
fn the_files_of_the_manifest_are_those_that_are_there() {
    let sandbox = Sandbox::new();
    for path in ["brief.md", "a/b.md", "a/c.md"] {
        sandbox.put(path, "x");
    }
    let packet = sandbox.put(
        "staging/p.packet.json",
        r#"{"manifest": {"mode": "paths", "inline": {"n": 1}, "paths": {"brief": "brief.md",
            "chapters": ["a/b.md", 7, "a/missing.md", ["a/c.md"], "a/c.md"], "again": "brief.md", "n": 3, "below": "brief.md/x",
            "dir": "a", "out": "../secret.md", "nothing": ""}}}"#,
    );
    let (found, more) = files(&sandbox.project, &packet);
    assert_eq!(
        (found.as_slice(), more),
        (["brief.md", "a/b.md", "a/c.md", "a", "../secret.md"].map(str::to_owned).as_slice(), false)
    );
    for odd in ["", "[", "{}", r#"{"manifest": 1}"#, r#"{"manifest": {"paths": ["brief.md"]}}"#] {
        let packet = sandbox.put("staging/p.packet.json", odd);
        assert_eq!(files(&sandbox.project, &packet), (vec![], false), "{odd}");
    }
    assert_eq!(files(&sandbox.project, &sandbox.at("gone.packet.json")), (vec![], false));
}

#[test]
fn what_is_to_be_judged_stands_in_front() {
    let sandbox = Sandbox::new();
    for path in ["staging/chapters/chapter-001.md", "brief.md", "staging/other/x"] {
        sandbox.put(path, "x");
    }
    let packet = |back: &str| {
        let text = format!(
            r#"{{"step": "chapter:001:commit", "manifest": {{"paths": {{"brief": "brief.md"}}}}, "answer_path": "staging/a.json",
                "expected_outputs": [{{"path": "chapters/chapter-001.md"}}, {{"path": "staging/other"}}],
                "novel_ask": {{"version": 1, "topic": "t", "questions": [{{"id": "q", "header": "h", "question": "?",
                "kind": "single_choice", "required": true, "options": [{{"label": "Keep", "description": "d"}}]{back}}}]}}}}"#
        );
        files(&sandbox.project, &sandbox.put("staging/p.packet.json", text)).0
    };
    let verdict = packet(r#", "_sends_back": [{"label": "Again", "description": "d"}]"#);
    assert_eq!(verdict, ["staging/chapters/chapter-001.md", "brief.md"]);
    assert_eq!(packet(""), ["brief.md"], "another question is about nothing that is there");
}

#[test]
fn a_manifest_is_read_as_far_as_is_sensible() {
    let sandbox = Sandbox::new();
    let named = |count: usize, spell: fn(usize) -> String| {
        let paths: Vec<String> = (0..count).map(spell).collect();
        let text = serde_json::json!({"manifest": {"paths": {"chapters": paths}}}).to_string();
        let (found, more) = files(&sandbox.project, &sandbox.put("staging/p.packet.json", &text));
        (found.len(), more)
    };
    for n in 0..=FILES {
        sandbox.put(&format!("{n}.md"), "x");
    }
    assert_eq!(named(FILES, |n| format!("{n}.md")), (FILES, false));
    assert_eq!(named(FILES + 1, |n| format!("{n}.md")), (FILES, true));
    assert_eq!(named(NAMES, |n| format!("gone/{n}.md")), (0, false));
    assert_eq!(
        named(NAMES + 2, |n| if n == NAMES { "0.md".to_owned() } else { format!("gone/{n}.md") }),
        (0, true)
    );
}

#[test]
fn a_file_is_read_line_by_line() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "\u{feff}# 一\r\n\n\u{1b}[31m红\t字\nlast");
    let story = of(&sandbox, "a.md").expect("shown");
    assert_eq!(texts(&story), ["一", "", "␛[31m红    字", "last"]);
    assert_eq!(story.lines.iter().map(|line| line.at).collect::<Vec<_>>(), [0, 4, 5, 18]);
    for (text, lines) in [("one\n", &["one"][..]), ("", &[])] {
        sandbox.put("a.md", text);
        assert_eq!(texts(&of(&sandbox, "a.md").expect("shown")), lines);
    }
}

#[test]
fn of_a_very_long_file_the_beginning_is_read_as_far_as_a_character() {
    let sandbox = Sandbox::new();
    let text = "雨".repeat(SHOWN / 3);
    for (start, is_cut) in [("", false), ("a", false), ("aa", false), ("aaa", true), ("aaaa", true)] {
        sandbox.put("long.md", format!("{start}{text}"));
        let story = of(&sandbox, "long.md").expect("shown");
        assert_eq!(story.is_cut, is_cut, "{start}");
        let shown = start.len() + (SHOWN - start.len()) / 3 * 3;
        assert_eq!(story.text.len(), shown, "{start}");
        assert!(story.text.ends_with('雨'));
        assert_eq!(story.lines.last().is_some_and(|last| last.text.is_empty()), is_cut, "{start}");
    }
}

#[test]
fn a_line_of_megabytes_is_cut_into_pieces_between_characters() {
    let sandbox = Sandbox::new();
    let text = format!("开头\n{}", "雨停之前，".repeat(100_000));
    sandbox.put("line.md", &text);
    let story = of(&sandbox, "line.md").expect("shown");
    assert!(story.lines.len() > 100 && story.lines.iter().all(|line| line.text.len() <= PIECE));
    assert!(texts(&story).concat() == text.replace('\n', ""), "nothing is lost and nothing shown twice");
}

#[test]
fn words_are_found_in_turn_and_from_the_start_again() {
    let gap = "空".repeat(PIECE / 3 - 1);
    let text = format!("Rain {gap}雨停\n\train{gap}\n");
    let story = StoryText::of(text.clone().into_bytes(), false);
    let find = |words, from| story.find(words, from).map(|hit| (hit.place.start, hit.number, hit.count));
    let second = text.rfind("rain").expect("there");
    assert_eq!(find("rain", 0), Some((0, 1, 2)));
    for words in ["rain", "RAIN", "ｒａｉｎ"] {
        assert_eq!(find(words, 1), Some((second, 2, 2)));
    }
    assert_eq!(find("rain", second + 1), Some((0, 1, 2)));
    assert_eq!(find("雨停", 0), text.find('雨').map(|at| (at, 1, 1)), "over the end of a piece");
    assert_eq!([find("晴", 0), find("", 0), find("rain", 1 << 40)], [None, None, Some((0, 1, 2))]);
    assert_eq!(StoryText::default().find("rain", 0), None);
}

#[test]
fn of_markdown_headings_and_emphasis_are_read_and_nothing_in_other_files_or_in_code() {
    let text = "# 第一章\n**他说：“走。”**然后\n```\n**code**\n```\n**\u{1b}x**\n".as_bytes();
    let story = StoryText::of(text.to_vec(), true);
    assert_eq!(texts(&story), ["第一章", "他说：“走。”然后", "```", "**code**", "```", "␛x"]);
    assert!(story.lines[0].is_heading && !story.lines[1].is_heading);
    let [place, found] = [story.find("。”然后", 0), story.find("**", 0)].map(|hit| hit.map(|hit| hit.place));
    let there = "第一章\n他说：“走".len();
    assert_eq!((place, found), (Some(there..there + 12), Some(42..44)), "only what is shown is found");
    let strong = |line: usize| story.lines[line].emphasis.clone();
    assert_eq!(strong(1), [(0.."他说：“走。”".len(), Emphasis::Strong)]);
    assert_eq!([strong(3), strong(5)], [[], []]);
    let plain = StoryText::of(text.to_vec(), is_markdown("a.json"));
    assert_eq!(texts(&plain)[1], "**他说：“走。”**然后");
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn what_cannot_be_shown_says_why() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.at("dir")).unwrap();
    make_pipe(&sandbox.at("pipe"));
    std::fs::write(sandbox.top().join("secret.md"), "secret").unwrap();
    symlink("../secret.md", sandbox.at("link.md")).unwrap();
    symlink("circle.md", sandbox.at("circle.md")).unwrap();
    sandbox.put("inside.md", "within");
    symlink("inside.md", sandbox.at("good.md")).unwrap();
    sandbox.put("binary", b"\x7fELF\0\x01");
    std::fs::File::create(sandbox.at("huge.md")).unwrap().set_len(1 << 40).unwrap();
    set_mode(&sandbox.put("locked.md", "x"), 0o000);
    give_up_privileges();
    let said = |path: &str| why(of(&sandbox, path))[0].clone();
    assert_eq!(said("dir"), "Not shown: a directory.");
    assert_eq!(said("pipe"), "Not shown: a named pipe.");
    for path in ["link.md", "../secret.md", "/etc/passwd", "dir/../../secret.md"] {
        assert_eq!(said(path), "Not shown: it lies outside the project.", "{path}");
    }
    assert_eq!(said("circle.md"), "Not shown: too many symbolic links.");
    assert_eq!(said("binary"), "Not shown: it is not text.");
    assert_eq!(said("huge.md"), "Not shown: it is not text.");
    assert_eq!(said("locked.md"), "Not shown: permission denied.");
    assert_eq!(
        why(of(&sandbox, "gone.md")),
        ["Not shown: there is no such file or directory.", "无法显示：文件或目录不存在。"]
    );
    assert_eq!(texts(&of(&sandbox, "good.md").expect("shown")), ["within"]);
}

#[test]
fn what_a_windows_editor_wrote_is_read_and_its_encoding_is_named() {
    let sandbox = Sandbox::new();
    let text = "雨停之前，她没有回头。\n第二天他走了。\n";
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (gbk, ..) = encoding_rs::GBK.encode(text);
    let marked = [b"\xff\xfe", &wide[..]].concat();
    for (bytes, name) in [(gbk.to_vec(), "GBK"), (marked, "UTF-16"), (wide, "UTF-16")] {
        sandbox.put("a.md", &bytes);
        let story = of(&sandbox, "a.md").expect("a text");
        assert_eq!((story.text.as_str(), story.encoding), (text, Some(name)));
    }
    let long = text.repeat(SHOWN / 20);
    let bytes = encoding_rs::GBK.encode(&long).0;
    for start in 0..4 {
        let story = StoryText::of([&b"abc"[..start], &bytes[..=SHOWN]].concat(), false);
        assert!(story.is_cut && story.encoding == Some("GBK") && !story.text.contains('\u{fffd}'), "{start}");
    }
    let story = StoryText::of(bytes[..21].to_vec(), false);
    assert_eq!(
        (story.text.as_str(), story.encoding),
        ("雨停之前，她没有回头\u{fffd}", Some("GBK")),
        "a file that was cut"
    );
}

#[test]
fn a_heading_may_be_underlined() {
    let story = StoryText::of("第一章\r\n====\r\n雨停了。\n---\n\n尾声\n----\n".into(), true);
    assert_eq!(texts(&story), ["第一章", "雨停了。", "---", "", "尾声"]);
    assert_eq!(
        story.lines.iter().map(|line| line.is_heading).collect::<Vec<_>>(),
        [true, false, false, false, true]
    );
    assert_eq!(story.text, "第一章\n雨停了。\n---\n\n尾声\n");
    assert_eq!(texts(&StoryText::of("第一章\n====\n".into(), false)), ["第一章", "===="]);
}
