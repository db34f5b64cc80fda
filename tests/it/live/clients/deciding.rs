//! Deciding ahead in the real clients: in one sitting at his console the author decides five chapters that nobody has begun. Then a
//! session runs the real `novel` through them without waiting once, and each writer hears his own chapter's decision.

use super::super::chapters::{draft, lay_ready, step, to_the_commit};
use super::super::standing::AT_THE_FIRST_CHAPTER;
use super::super::transcript::Transcript;
use super::model::Work;
use super::session::{CLAUDE_CODE, CODEX, Client, Desk, ends, say_where};
use super::*;

const WRITER: &str = "chapter-writer";
/// What he decides for one chapter after the other: its key, and words that no other option has.
const DECIDED: [(&str, &str); 5] = [
    ("1", "留下一件读者非知道不可的事"),
    ("3", "一个事实，让整章换了意思"),
    ("5", "主角知道接下来要做什么，读者也知道"),
    ("2", "先前只是担心的，现在到了眼前"),
    ("6", "这次不下钩子，让这场戏沉下去"),
];
/// What leads from the inbox to the first chapter.
const THERE: [&str; 3] = ["f12", "down", "enter"];

#[test]
fn claude_code_writes_five_chapters_that_were_decided_ahead_and_waits_for_none() {
    write_them(&CLAUDE_CODE, "live-ahead-claude-code.txt");
}

#[test]
fn codex_writes_five_chapters_that_were_decided_ahead_and_waits_for_none() {
    write_them(&CODEX, "live-ahead-codex.txt");
}

fn write_them(client: &Client, transcript: &str) {
    let Some(desk) = Desk::new(&["end_hook"]) else { return };
    let book = &desk.book;
    book.put(".checkpoint.json", AT_THE_FIRST_CHAPTER);
    desk.wire(client, &[WRITER]);
    let mut transcript = desk.transcript(transcript);
    let keys = decide(&desk, &mut transcript);
    assert_eq!(keys, THERE.len() + 4 * DECIDED.len() - 1, "choose, review, submit, and on to the next");
    let records: Vec<_> = (1..=DECIDED.len()).map(|chapter| book.read(&record_of(chapter))).collect();
    assert!(records.iter().all(Option::is_some), "{records:?}");

    let (turns, works) = script(&desk, client);
    let model = Model::start_working(client.wire, turns, works);
    ends(desk.start(client, &model));
    for (at, (_, words)) in DECIDED.iter().enumerate() {
        let chapter = at + 1;
        let [instructed, dispatched, committed] = [0, 1, 2].map(|turn| model.result(3 * at + turn, 0));
        transcript.note(&format!("chapter {chapter}: {instructed}\n{dispatched}\n{committed}"));
        assert!(!dispatched.contains("waits for the author"), "{dispatched}");
        let request = model.first_request(&format!("(chapter {chapter})")).expect("its writer");
        let heard = DECIDED.map(|(_, words)| request.matches(words).count());
        assert_eq!(heard, DECIDED.map(|(_, other)| usize::from(other == *words)), "{request}");
        let text = book.read(&format!("chapters/chapter-{chapter:03}.md"));
        assert_eq!(text, Some(chapter_text(chapter).into()), "{committed}");
    }
    let now: Vec<_> = (1..=DECIDED.len()).map(|chapter| book.read(&record_of(chapter))).collect();
    assert_eq!(records, now, "nobody has written over them");
    assert_eq!(desk.last_completed_chapter(), DECIDED.len());
    say_where("five chapters decided ahead", &transcript);
}

fn record_of(chapter: usize) -> String {
    format!("staging/novel-ask/end_hook-chapter-{chapter:03}.answers.json")
}

fn chapter_text(chapter: usize) -> String {
    format!("# 第{chapter}章 渡口\n\n雨下了一夜。\n")
}

/// The author's sitting, and how many keys it took.
fn decide(desk: &Desk, transcript: &mut Transcript) -> usize {
    let console = desk.book.console(80, 24);
    console.wait_for_text("F12");
    let mut keys = 0;
    let mut press = |key: &str, text: &str| {
        console.press(key);
        console.wait_for_text(text);
        keys += 1;
    };
    for (key, text) in
        THERE.iter().zip(["what the next steps will ask", "decide it now", "chapter:001:draft › "])
    {
        press(key, text);
    }
    for (at, (choice, words)) in DECIDED.iter().enumerate() {
        press(choice, &format!("▸ (•) {choice}"));
        press("enter", "This will be written to");
        press("ctrl+s", "Decided ahead");
        transcript.screen(&format!("chapter {}, {words}", at + 1), &console);
        if at + 1 < DECIDED.len() {
            press("enter", &format!("chapter:{:03}:draft › ", at + 2));
        }
    }
    console.press("esc");
    console.wait_for_text("what the next steps will ask");
    transcript.screen("what is decided", &console);
    keys
}

/// What the session does, and what its writers do; all else that `novel` wants of a chapter lies ready.
fn script(desk: &Desk, client: &Client) -> (Vec<Vec<Call>>, Vec<Work>) {
    let (mut turns, mut works) = (Vec::new(), Vec::new());
    for chapter in 1..=DECIDED.len() {
        lay_ready(&desk.book, chapter);
        let draft_step = step(chapter, "draft");
        let packet = format!("staging/manifests/chapter-{chapter:03}-draft.packet.json");
        turns.push(vec![(client.shell)(
            desk,
            format!("novel instructions {draft_step} --json --write-manifest"),
        )]);
        let prompt = format!("(chapter {chapter}) Do what {packet} says.");
        turns.push(vec![(client.spawn)(WRITER, "draft", prompt)]);
        let text = chapter_text(chapter);
        let file = draft(chapter);
        works.push(desk.work(client, turns.len() - 1, &format!("chapter {chapter}"), &[(&*file, &*text)]));
        let rest = format!("{} && novel commit --chapter {chapter}", to_the_commit(chapter));
        turns.push(vec![(client.shell)(desk, rest)]);
    }
    (turns, works)
}
