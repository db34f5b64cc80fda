//! The whole loop in the real clients: in a book that asks everything there is a template for, a session runs the real `novel` through three chapters
//! and says no word of a gate. It proposes what it is told to; the author sends a round back, chooses, decides a chapter ahead, has
//! a chapter written anew, and keeps it. Each writer hears what he decided, and nothing is committed before he has.

use super::super::chapters::{draft, lay_ready, refined_and_judged, step, to_the_commit};
use super::super::three_chapters::{ABOVE_THE_CHAPTERS, AHEAD, COMMENT, REASON, SET, begin, decide_ahead};
use super::super::transcript::Transcript;
use super::model::Work;
use super::session::{CLAUDE_CODE, CODEX, CODEX_WITH_NAMED_TASKS, Client, Desk, ends, say_where};
use super::*;
use crate::sandbox::wait_until;

const WRITER: &str = "chapter-writer";
const REFINER: &str = "style-refiner";
/// What the executor proposes, a round of the first chapter and then the other two chapters': labels.
pub(super) const ROUNDS: [[&str; 3]; 3] =
    [["回头", "拆信", "跳船"], ["烧信", "认出她", "灯灭"], ["进城", "装病", "把船还了"]];
/// The session waits for the author: chapter and time.
const SEEN: [&str; 6] = ["seen-1a", "seen-1b", "seen-1c", "seen-1d", "seen-2b", "seen-3b"];
const SEEN_IN_THE_SECOND: &str = "seen-2a";

#[test]
fn claude_code_goes_through_three_chapters_with_an_author() {
    go(&CLAUDE_CODE, "live-three-chapters-claude-code.txt");
}

#[test]
fn codex_goes_through_three_chapters_with_an_author() {
    go(&CODEX, "live-three-chapters-codex.txt");
}

#[test]
fn codex_with_named_tasks_goes_through_three_chapters_with_an_author() {
    go(&CODEX_WITH_NAMED_TASKS, "live-three-chapters-codex-v2.txt");
}

fn go(client: &Client, transcript: &str) {
    let Some(desk) = Desk::new(&[]) else { return };
    begin(&desk.book);
    desk.wire(client, &[WRITER, REFINER]);
    let mut transcript = desk.transcript(transcript);
    (1..=3).for_each(|chapter| lay_ready(&desk.book, chapter));
    decide_ahead(&desk.book, &mut transcript);
    let script = Script::of(&desk, client);
    let model = Model::start_working(client.wire, script.turns, script.works);
    let running = desk.start(client, &model);
    let author = Author { desk: &desk };
    author.decides_the_first(&mut transcript);
    author.has_it_written_anew(&mut transcript);
    author.decides_the_others(&mut transcript);
    ends(running);
    for (turn, what) in script.names.iter().enumerate() {
        transcript.note(&format!("turn {turn}, {what}: {}", model.result(turn, 0)));
    }
    for (turn, words) in script.told {
        let result = model.result(turn, 0);
        let missing: Vec<_> = words.iter().filter(|words| !result.contains(**words)).collect();
        assert!(missing.is_empty(), "turn {turn}, {}: {missing:?} not in {result}", script.names[turn]);
    }
    let chosen = ["认出她", "进城", AHEAD];
    for (chapter, own) in (1..=3).zip(chosen) {
        let request = model.first_request(&format!("(draft-{chapter})")).expect("the writer is asked");
        transcript.note(&format!("the writer of chapter {chapter}, its first request: {request}"));
        let told = request.split_once("<author-decisions>").map_or("nothing", |(_, told)| told);
        let told = told.split_once("</author-decisions>").map_or(told, |(told, _)| told);
        for words in chosen.iter().chain(&ABOVE_THE_CHAPTERS) {
            let is_told = *words == own || ABOVE_THE_CHAPTERS.contains(words);
            assert_eq!(
                told.matches(&format!("> Answer: {words}")).count(),
                usize::from(is_told),
                "{chapter}, {words}: {told}"
            );
        }
    }
    assert!(!model.started("(early)"));
    let refined = model.first_request("(refine-1)").expect("the refiner is asked");
    transcript.note(&format!("the refiner of chapter 1, its first request: {refined}"));
    assert_eq!(refined.matches(COMMENT).count(), 1, "{refined}");
    for chapter in 1..=3 {
        let text = desk.book.read(&format!("chapters/chapter-{chapter:03}.md"));
        let text = String::from_utf8(text.expect("a chapter")).expect("text");
        assert_eq!(text.contains("（改）"), chapter == 1, "{text}");
    }
    assert_eq!(desk.last_completed_chapter(), 3);
    say_where("three chapters", &transcript);
}

/// The author at his desk.
struct Author<'d> {
    desk: &'d Desk,
}

impl Author<'_> {
    fn waits_for(&self, seen: &str) {
        wait_until(seen, || self.desk.book.path(seen).exists());
    }

    /// What the reference says about the packet of a step, which it must not call malformed at any time.
    fn verdict(&self, chapter: usize, stage: &str) -> String {
        self.desk.verdict(&format!("staging/manifests/chapter-{chapter:03}-{stage}.packet.json"))
    }

    /// As whoever waits has attached the question.
    fn is_held(&self, chapter: usize, stage: &str) {
        wait_until("the reference holds the step", || self.verdict(chapter, stage) == "refused");
    }

    /// In his console he sends the first round back and chooses of the second.
    fn decides_the_first(&self, transcript: &mut Transcript) {
        self.waits_for(SEEN[0]);
        self.is_held(1, "draft");
        let console = self.desk.book.console(120, 40);
        for (key, text) in [("enter", "A1"), ("ctrl+x", "Send back")] {
            console.wait_for_text("chapter:001:draft");
            console.press(key);
            console.wait_for_text(text);
        }
        transcript.screen("the first round", &console);
        console.send_keys(REASON);
        console.wait_for_text(REASON);
        console.press("ctrl+s");
        let is_sent =
            || self.desk.book.run(["check", &step(1, "draft"), "--json"]).stdout.contains("sent-back");
        wait_until("it is sent back", is_sent);
        drop(console);
        self.waits_for(SEEN[1]);
        self.is_held(1, "draft");
        let console = self.desk.book.console(120, 40);
        console.wait_for_text("chapter:001:draft");
        let review = ["tab", "tab", "tab"].into_iter().zip(["[2 ", "[3 ", "This will be written to"]);
        for (key, text) in [("enter", "B1"), ("2", "▸ (•) 2")].into_iter().chain(review) {
            console.press(key);
            console.wait_for_text(text);
        }
        transcript.screen("of the second round, chosen", &console);
        console.press("ctrl+s");
        console.wait_for_text("Written and verified");
        assert_eq!(self.verdict(1, "draft"), "open");
    }

    fn has_it_written_anew(&self, transcript: &mut Transcript) {
        self.waits_for(SEEN[2]);
        let comment = format!("draft_comment={COMMENT}");
        let ran = self.desk.answer(&step(1, "commit"), &["--set", "draft_verdict=小改", "--set", &comment]);
        transcript.command("novel-gate answer, a label that sends back", &ran);
        self.keeps(1, SEEN[3]);
    }

    fn decides_the_others(&self, transcript: &mut Transcript) {
        self.waits_for(SEEN_IN_THE_SECOND);
        let path = format!("chapter_path={}", ROUNDS[2][0]);
        let ran = self.desk.answer(&step(2, "draft"), &["--set", &path]);
        transcript.command("novel-gate answer, what was proposed", &ran);
        self.keeps(2, SEEN[4]);
        self.keeps(3, SEEN[5]);
    }

    /// Keeps a chapter, which nobody has committed before.
    fn keeps(&self, chapter: usize, seen: &str) {
        self.waits_for(seen);
        assert_eq!(self.desk.book.read(&format!("chapters/chapter-{chapter:03}.md")), None);
        self.is_held(chapter, "commit");
        self.desk.answer(&step(chapter, "commit"), &["--set", "draft_verdict=收下"]);
        assert_eq!(self.verdict(chapter, "commit"), "open");
    }
}

/// What the session does, what its agents do, and what it must be told.
struct Script<'d> {
    desk: &'d Desk,
    client: &'d Client,
    turns: Vec<Vec<Call>>,
    /// What each turn is.
    names: Vec<&'static str>,
    works: Vec<Work>,
    /// Words in the results of turns.
    told: Vec<(usize, Vec<&'static str>)>,
}

impl<'d> Script<'d> {
    fn of(desk: &'d Desk, client: &'d Client) -> Script<'d> {
        let (turns, names, works, told) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut script = Script { desk, client, turns, names, works, told };
        script.first();
        script.begins(2, &[]);
        script.proposes(2, ROUNDS[2]);
        script.waits(&step(2, "draft"), SEEN_IN_THE_SECOND, &["exit 0", "进城"]);
        script.writes(2);
        script.commits(2, SEEN[4]);
        script.begins(3, &[]);
        script.writes(3);
        script.commits(3, SEEN[5]);
        script
    }

    /// The first chapter: everything that can happen on the way.
    fn first(&mut self) {
        let draft_step = step(1, "draft");
        self.begins(1, &[]);
        self.spawns(WRITER, "early", "early", &[]);
        self.told.push((
            self.turns.len() - 1,
            vec!["waits for the author", "chapter_path: propose 3 options", "novel-gate propose"],
        ));
        self.waits(&draft_step, "seen-early", &["exit 3", "chapter_path: propose 3 options"]);
        self.proposes(1, ["回头", "", "按大纲走"]);
        self.told.push((self.turns.len() - 1, vec!["Nothing was proposed", "has this option already"]));
        self.proposes(1, ROUNDS[0]);
        self.waits(&draft_step, SEEN[0], &["exit 8", REASON, "round 2 of 3"]);
        self.proposes(1, ROUNDS[0]);
        self.told.push((self.turns.len() - 1, vec!["an earlier round has this label"]));
        self.proposes(1, ROUNDS[1]);
        self.waits(&draft_step, SEEN[1], &["exit 0", "认出她", SET]);
        self.writes(1);
        let commit = "novel commit --chapter 1";
        let early = format!("{}; {commit}", to_the_commit(1));
        self.shell("a commit without a packet", early, &["chapter:001:commit", "--write-manifest"]);
        self.shell("to the commit", to_the_commit(1), &[]);
        self.instructs(&step(1, "commit"));
        self.shell("a commit that waits", commit.to_owned(), &["waits for the author"]);
        self.waits(&step(1, "commit"), SEEN[2], &["exit 8", "小改", COMMENT]);
        self.shell("a commit that was sent back", commit.to_owned(), &["sent it back", COMMENT]);
        self.instructs(&step(1, "refine"));
        self.spawns(REFINER, "refine", "refine-1", &[(&draft(1), "# 第一章（改）\n\n雨停了。\n")]);
        self.shell("to the commit", refined_and_judged(1), &[]);
        self.instructs(&step(1, "commit"));
        self.waits(&step(1, "commit"), SEEN[3], &["exit 0"]);
        self.shell("the commit", commit.to_owned(), &[]);
    }

    fn shell(&mut self, name: &'static str, line: String, told: &[&'static str]) {
        self.told.push((self.turns.len(), told.to_vec()));
        self.names.push(name);
        self.turns.push(vec![(self.client.shell)(self.desk, line)]);
    }

    fn begins(&mut self, chapter: usize, told: &[&'static str]) {
        let step = step(chapter, "draft");
        self.shell(
            "novel next and instructions",
            format!("novel next && novel instructions {step} --json --write-manifest"),
            told,
        );
    }

    fn instructs(&mut self, step: &str) {
        self.shell("novel instructions", format!("novel instructions {step} --json --write-manifest"), &[]);
    }

    fn proposes(&mut self, chapter: usize, labels: [&str; 3]) {
        let options: Vec<String> =
            labels.iter().map(|label| format!("--option '{label}=他为此付出代价。'")).collect();
        self.shell(
            "propose",
            format!("novel-gate propose {} {}", step(chapter, "draft"), options.join(" ")),
            &[],
        );
    }

    fn waits(&mut self, step: &str, seen: &str, told: &[&'static str]) {
        self.shell("wait", format!("echo seen > {seen} && novel-gate wait {step}; echo \"exit $?\""), told);
    }

    fn spawns(&mut self, agent: &'static str, stage: &str, mark: &str, files: &[(&str, &str)]) {
        let stage = if stage == "early" { "draft" } else { stage };
        let chapter = mark.rsplit('-').next().and_then(|chapter| chapter.parse().ok()).unwrap_or(1_usize);
        let prompt =
            format!("({mark}) Do what staging/manifests/chapter-{chapter:03}-{stage}.packet.json says.");
        self.names.push("an agent");
        self.turns.push(vec![(self.client.spawn)(
            agent,
            &format!("{}_{stage}", mark.replace('-', "_")),
            prompt,
        )]);
        if !files.is_empty() {
            self.works.push(self.desk.work(self.client, self.turns.len() - 1, mark, files));
        }
    }

    fn writes(&mut self, chapter: usize) {
        let text = format!("# 第{chapter}章\n\n雨下了一夜。\n");
        self.spawns(WRITER, "draft", &format!("draft-{chapter}"), &[(&draft(chapter), &text)]);
    }

    fn commits(&mut self, chapter: usize, seen: &str) {
        self.shell("to the commit", to_the_commit(chapter), &[]);
        let commit = step(chapter, "commit");
        self.instructs(&commit);
        self.waits(&commit, seen, &["exit 0"]);
        self.shell("the commit", format!("novel commit --chapter {chapter}"), &[]);
    }
}
