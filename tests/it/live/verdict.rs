//! A chapter that its author sends back, and a shell script that knows nothing but commands: the real `novel` commits what is kept, and
//! nothing before.

use super::executor::executor;
use super::npm::say_aloud;
use super::transcript::Transcript;
use crate::sandbox::{Running, Sandbox, path_with_ours, wait_until};

pub(super) const STEP: &str = "chapter:001:commit";
pub(super) const PACKET: &str = "staging/manifests/chapter-001-commit.packet.json";
pub(super) const CHAPTER: &str = "staging/chapters/chapter-001.md";
pub(super) const OLD_DRAFT: &str = "# 第一章 渡口\n\n雨下了一夜。\n";
pub(super) const NEW_DRAFT: &str = "# 第一章 渡口\n\n雨停了。\n";
/// The id of the question, in the project's template.
pub(super) const VERDICT: &str = "draft_verdict";
const REFUSALS: &str = "refusals.txt";
const REASON: &str = "第三段太快";

/// Runs until the chapter is committed. It does what it is told as well as a script can.
const SCRIPT: &str = r#"set -u
novel instructions chapter:001:commit --json --write-manifest > said.json || exit 1
while true; do
  refusal=$(novel-gate wait chapter:001:commit)
  case $? in
    0) break ;;
    8) printf '%s\n' "$refusal" >> refusals.txt
       novel-gate check chapter:001:commit; echo "check $?" >> refusals.txt
       printf '# 第一章 渡口\n\n雨停了。\n' > staging/chapters/chapter-001.md ;;
    *) exit 2 ;;
  esac
done
novel commit --chapter 1
"#;

/// The files of a first chapter that is written and judged.
pub(super) fn written_chapter(book: &Sandbox) {
    for (path, text) in [
        (CHAPTER, OLD_DRAFT),
        ("staging/summaries/chapter-001-summary.md", "雨。\n"),
        (
            "staging/state/chapter-001-delta.json",
            "{\"chapter\": 1, \"base_state_version\": 0, \"storyline_id\": \"main\", \"ops\": []}\n",
        ),
        ("staging/state/chapter-001-crossref.json", "{}\n"),
        ("staging/storylines/main/memory.md", "雨。\n"),
        ("staging/logs/style-refiner-chapter-001-changes.json", "{\"changes\": []}\n"),
        (
            "staging/evaluations/chapter-001-eval.json",
            "{\"chapter\": 1, \"overall\": 4.5, \"recommendation\": \"pass\"}\n",
        ),
        (
            ".checkpoint.json",
            r#"{"last_completed_chapter": 0, "current_volume": 1, "orchestrator_state": "WRITING", "pipeline_stage": "judged",
                "inflight_chapter": 1, "revision_count": 0, "last_committed_volume": 1}"#,
        ),
    ] {
        book.put(path, text);
    }
}

#[test]
fn a_shell_script_commits_what_is_kept_after_it_was_sent_back() {
    let Some(executor) = executor() else { return };
    let book = Sandbox::new();
    let ran = executor.novel(&book.root(), &["init"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = book.run(["questions", "add", "draft_verdict", "--lang", "zh-CN"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    written_chapter(&book);
    let mut transcript =
        Transcript::begin("live-verdict-script.txt", &[(&book.root(), "BOOK"), (&book.state(), "STATE")]);
    let verdict = || executor.verdict(&book.root(), &book.path(PACKET))["verdict"].clone();

    let path = format!("{}:{}", executor.bin().display(), path_with_ours().display());
    let mut script = book.system("bash");
    script.args(["-c", SCRIPT]).env("PATH", path);
    let running = Running::start(&mut script);
    wait_until("the script waits", || book.path(PACKET).exists() && verdict() == "refused");
    let ran = book.run(["answer", STEP, "--by", "human", "--send-back", REASON]);
    transcript.command(&format!("novel-gate answer {STEP} --by human --send-back {REASON}"), &ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    wait_until("the text is another", || book.read(CHAPTER).is_some_and(|text| text == NEW_DRAFT.as_bytes()));
    wait_until("the gate waits again", || book.run(["check", STEP, "--json"]).stdout.contains("\"waiting\""));
    assert_eq!((verdict(), book.read("chapters/chapter-001.md")), ("refused".into(), None));
    let refusals = String::from_utf8(book.read(REFUSALS).expect("a refusal")).expect("text");
    transcript.note(&refusals);
    assert!(refusals.contains(REASON) && refusals.contains("check 3"), "{refusals}");
    assert_eq!(refusals.matches(REASON).count(), 1, "told once: {refusals}");

    let ran = book.run(["answer", STEP, "--by", "human", "--set", &format!("{VERDICT}=收下")]);
    transcript.command(&format!("novel-gate answer {STEP} --by human --set {VERDICT}=收下"), &ran);
    assert_eq!((ran.code, verdict()), (Some(0), "open".into()), "{ran:?}");
    let ran = running.wait();
    transcript.command("the script has ended", &ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(book.read("chapters/chapter-001.md"), Some(NEW_DRAFT.into()));
    say_aloud(&format!("\na chapter sent back, by a script: {}\n", transcript.path().display()));
}
