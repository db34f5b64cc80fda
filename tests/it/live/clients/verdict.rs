//! A chapter that its author sends back, in the real clients: nothing commits it meanwhile, whoever writes it anew hears why, and the
//! next text is kept. The session runs the real `novel`, and says no word of a gate.

use super::super::verdict::{CHAPTER, NEW_DRAFT, PACKET, STEP, VERDICT, written_chapter};
use super::model::Work;
use super::session::{CLAUDE_CODE, CODEX, Client, Desk, ends, say_where};
use super::*;
use crate::sandbox::wait_until;

const REFINER: &str = "style-refiner";
const JUDGE: &str = "quality-judge";
const EVAL: (&str, &str) = (
    "staging/evaluations/chapter-001-eval.json",
    "{\"chapter\": 1, \"overall\": 4.6, \"recommendation\": \"pass\"}\n",
);
const COMMENT: &str = "第三段太快：“雨下了一夜”改成“雨停了”";
/// What the session has seen before it waits, the first time and the second.
const SEEN: [&str; 2] = ["seen-1.txt", "seen-2.txt"];

/// The turns of the session.
const UNASKED: usize = 0;
const WAITING: usize = 2;
const WAIT: usize = 3;
const REFUSED: usize = 4;
const WAITING_ANEW: usize = 10;
const COMMIT: usize = 12;

#[test]
fn claude_code_rewrites_what_was_sent_back_and_commits_what_is_kept() {
    rewrite(&CLAUDE_CODE, "live-verdict-claude-code.txt");
}

#[test]
fn codex_rewrites_what_was_sent_back_and_commits_what_is_kept() {
    rewrite(&CODEX, "live-verdict-codex.txt");
}

fn rewrite(client: &Client, transcript: &str) {
    let Some(desk) = Desk::new(&["draft_verdict"]) else { return };
    written_chapter(&desk.book);
    desk.wire(client, &[REFINER, JUDGE]);
    let book = &desk.book;
    let mut transcript = desk.transcript(transcript);
    let (turns, works) = script(&desk, client);
    let model = Model::start_working(client.wire, turns, works);
    let running = desk.start(client, &model);

    wait_until("the session waits", || book.path(SEEN[0]).exists());
    assert_eq!(desk.verdict(PACKET), "refused");
    let comment = format!("draft_comment={COMMENT}");
    let ran = desk.answer(STEP, &["--set", &format!("{VERDICT}=小改"), "--set", &comment]);
    transcript.command("novel-gate answer, a label that sends back", &ran);
    assert_eq!(desk.verdict(PACKET), "refused");

    wait_until("the session waits anew", || book.path(SEEN[1]).exists());
    assert_eq!((desk.verdict(PACKET), book.read("chapters/chapter-001.md")), ("refused".to_owned(), None));
    assert!(book.read(CHAPTER).is_some_and(|text| text == NEW_DRAFT.as_bytes()));
    let ran = desk.answer(STEP, &["--set", &format!("{VERDICT}=收下")]);
    transcript.command("novel-gate answer, the label that opens", &ran);

    ends(running);
    for turn in 0..=COMMIT {
        transcript.note(&format!("turn {turn}: {}", model.result(turn, 0)));
    }
    for (turn, words) in [
        (UNASKED, &["chapter:001:commit", "--write-manifest"][..]),
        (WAITING, &["waits for the author", "novel-gate wait"]),
        (WAIT, &["exit 8", "小改", COMMENT]),
        (REFUSED, &["sent it back", COMMENT]),
        (WAITING_ANEW, &["waits for the author"]),
    ] {
        let result = model.result(turn, 0);
        let missing: Vec<_> = words.iter().filter(|words| !result.contains(**words)).collect();
        assert!(missing.is_empty(), "turn {turn}: {missing:?} not in {result}");
    }
    let request = model.first_request("(refine)").expect("the refiner is asked");
    transcript.note(&format!("the refiner's first request: {request}"));
    assert_eq!(request.matches(COMMENT).count(), 1, "{request}");
    let judged = model.first_request("(judge)").expect("the judge is asked");
    assert_eq!(judged.matches(COMMENT).count(), 0, "{judged}");
    assert_eq!(book.read("chapters/chapter-001.md"), Some(NEW_DRAFT.into()), "{}", model.result(COMMIT, 0));
    say_where("a chapter sent back", &transcript);
}

fn script(desk: &Desk, client: &Client) -> (Vec<Vec<Call>>, Vec<Work>) {
    let shell = |line: String| vec![(client.shell)(desk, line)];
    let spawn = |agent, stage: &str| {
        let packet = format!("staging/manifests/chapter-001-{stage}.packet.json");
        vec![(client.spawn)(agent, stage, format!("({stage}) Do what {packet} says."))]
    };
    let instruct = |step: &str| format!("novel instructions {step} --json --write-manifest");
    let wait = |seen: &str| shell(format!("echo seen > {seen} && novel-gate wait {STEP}; echo \"exit $?\""));
    let advance = |stage: &str| format!("novel advance chapter:001:{stage}");
    let turns = vec![
        shell("novel commit --chapter 1".to_owned()),
        shell(instruct(STEP)),
        shell("cd . && env A=1 npx novel commit --chapter=1".to_owned()),
        wait(SEEN[0]),
        shell("bash -c 'novel --json commit --chapter 1'".to_owned()),
        shell(instruct("chapter:001:refine")),
        spawn(REFINER, "refine"),
        shell(format!("{} && {}", advance("refine"), instruct("chapter:001:judge"))),
        spawn(JUDGE, "judge"),
        shell(format!("{} && {}", advance("judge"), instruct(STEP))),
        shell("for chapter in 1; do $(novel commit --chapter 1); done".to_owned()),
        wait(SEEN[1]),
        shell("novel commit --chapter 1".to_owned()),
    ];
    let works =
        vec![desk.work(client, 6, "refine", &[(CHAPTER, NEW_DRAFT)]), desk.work(client, 8, "judge", &[EVAL])];
    (turns, works)
}
