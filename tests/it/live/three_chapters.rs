//! The whole loop by commands alone: a book that asks everything there is a template for, three chapters, a shell script that does what it is told,
//! and its author. `clients::three_chapters` is the same with real clients.

use super::chapters::{lay_ready, step};
use super::executor::executor;
use super::npm::say_aloud;
use super::standing::AT_THE_FIRST_CHAPTER;
use super::transcript::Transcript;
use crate::sandbox::{Running, Sandbox, path_with_ours, wait_until};

/// Why the first round will not do, and the first text.
pub(super) const REASON: &str = "都太平，谁也没有失去什么";
pub(super) const COMMENT: &str = "第三段太快：“雨下了一夜”改成“雨停了”";
/// His own words for the third chapter, before it is begun.
pub(super) const AHEAD: &str = "他在城门口认出了父亲";
/// What he has decided for more than a chapter: every writer is told.
pub(super) const SET: &str = "先压后放";
pub(super) const ABOVE_THE_CHAPTERS: [&str; 3] = [SET, "顺着往下走", "谁都不行"];
/// All that is asked before the first draft but the chapter's own question.
const DECIDED: [(&str, &[&str]); 7] = [
    ("book_contract", &["book_platform=番茄", "book_pleasure=解谜"]),
    ("viewpoint", &["view_person=第一人称"]),
    ("volume_direction", &["volume_path=顺着往下走"]),
    ("character_fate", &["fate_may_fall=谁都不行"]),
    ("threads_due", &["threads_pay=先都不收"]),
    ("rhythm_payoff", &["rhythm_pace=先压后放", "rhythm_payoff_kind=只铺垫"]),
    ("romance_line", &["romance_step=开始在意"]),
];

/// Runs the three chapters. It does what it is told as well as a script can.
const SCRIPT: &str = r#"set -u
round=0
ask() {
  while true; do
    told=$(novel-gate wait "$1" 2>> decided.txt)
    code=$?
    case $code in
      0) return ;;
      3|8) printf '%s: exit %s\n%s\n' "$1" "$code" "$told" >> told.txt ;;
      *) exit 3 ;;
    esac
    case "$told" in
      *"novel-gate propose"*)
        round=$((round + 1))
        novel-gate propose "$1" --option "回头 $round=他回家。" --option "拆信 $round=她看见了。" --option "跳船 $round=谁也没等他。" >> told.txt || exit 4 ;;
      *) printf '# 第一章（改）\n\n雨停了。\n' > staging/chapters/chapter-001.md ;;
    esac
  done
}
for n in 1 2 3; do
  novel next && novel instructions chapter:00$n:draft --json --write-manifest > said.json || exit 1
  ask chapter:00$n:draft
  mkdir -p staging/chapters && printf '# 第 %s 章\n\n雨下了一夜。\n' $n > staging/chapters/chapter-00$n.md
  novel advance chapter:00$n:draft && cp -r ready/$n/. . && novel advance chapter:00$n:summarize || exit 1
  novel advance chapter:00$n:refine && cp -r judged/$n/. . && novel advance chapter:00$n:judge || exit 1
  mv storylines/main/memory.md ready/ 2> /dev/null
  novel instructions chapter:00$n:commit --json --write-manifest > said.json || exit 1
  ask chapter:00$n:commit
  novel commit --chapter $n || exit 1
done
"#;

/// A book that asks everything, before its first chapter.
pub(super) fn begin(book: &Sandbox) {
    let ran = book.run(["questions", "set", "close", "--lang", "zh-CN"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    book.put(".checkpoint.json", AT_THE_FIRST_CHAPTER);
}

/// What the author decides before anybody begins.
pub(super) fn decide_ahead(book: &Sandbox, transcript: &mut Transcript) {
    let path = format!("chapter_path={AHEAD}");
    let first = DECIDED.iter().map(|(name, answers)| (1, *name, answers.to_vec()));
    for (chapter, name, answers) in first.chain([(3, "chapter_direction", vec![&*path])]) {
        let step = step(chapter, "draft");
        let mut line = vec!["answer", "--ahead", &step, "--question", name, "--by", "human"];
        for answer in &answers {
            line.extend(["--set", answer]);
        }
        let ran = book.run(&line);
        transcript.command(&format!("novel-gate {}", line.join(" ")), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

#[test]
fn a_shell_script_goes_through_three_chapters_with_an_author() {
    let Some(executor) = executor() else { return };
    let book = Sandbox::new();
    let ran = executor.novel(&book.root(), &["init"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    begin(&book);
    (1..=3).for_each(|chapter| lay_ready(&book, chapter));
    let mut transcript = Transcript::begin(
        "live-three-chapters-script.txt",
        &[(&book.root(), "BOOK"), (&book.state(), "STATE")],
    );
    decide_ahead(&book, &mut transcript);
    let path = format!("{}:{}", executor.bin().display(), path_with_ours().display());
    let mut script = book.system("bash");
    script.args(["-c", SCRIPT]).env("PATH", path);
    let running = Running::start(&mut script);
    let mut answer = |step: &str, waits: &str, what: &[&str]| {
        let check = || book.run(["show", step]).stdout;
        wait_until(waits, || check().contains(waits) && check().contains("Waiting"));
        let ran = book.run([&["answer", step, "--by", "human"], what].concat());
        transcript.command(&format!("novel-gate answer {step} {}", what.join(" ")), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    let (first, second) = (step(1, "draft"), step(2, "draft"));
    answer(&first, "跳船 1", &["--send-back", REASON]);
    answer(&first, "跳船 2", &["--set", "chapter_path=拆信 1"]);
    let comment = format!("draft_comment={COMMENT}");
    answer(&step(1, "commit"), "收下", &["--set", "draft_verdict=小改", "--set", &comment]);
    wait_until("the text is another", || {
        book.read("staging/chapters/chapter-001.md")
            .is_some_and(|text| text.starts_with("# 第一章（改）".as_bytes()))
    });
    answer(&step(1, "commit"), "收下", &["--set", "draft_verdict=收下"]);
    answer(&second, "跳船 3", &["--set", "chapter_path=回头 3"]);
    for chapter in [2, 3] {
        answer(&step(chapter, "commit"), "收下", &["--set", "draft_verdict=收下"]);
    }
    let ran = running.wait();
    transcript.command("the script has ended", &ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let read = |path: &str| String::from_utf8(book.read(path).unwrap_or_default()).expect("text");
    let (told, decided) = (read("told.txt"), read("decided.txt"));
    transcript.note(&told);
    transcript.note(&decided);
    assert_eq!((told.matches("exit 3").count(), told.matches("exit 8").count()), (2, 2), "{told}");
    assert!(told.contains(REASON) && told.contains(COMMENT), "{told}");
    for (words, times) in [("拆信 1", 1), ("回头 3", 1), (AHEAD, 1), (SET, 3)] {
        assert_eq!(decided.matches(&format!("> Answer: {words}")).count(), times, "{words}: {decided}");
    }
    assert!(
        read("chapters/chapter-001.md").contains("（改）") && !read("chapters/chapter-003.md").is_empty()
    );
    say_aloud(&format!("\nthree chapters, by a script: {}\n", transcript.path().display()));
}
