//! Standing questions and the real `novel`, which knows nothing of them: nobody gives it a gate, the author is asked before the right
//! steps all the same, and each side reads what the other writes.

use std::path::{Path, PathBuf};

use novel_gate::ask::standing;
use serde_json::{Value, json};

use super::executor::{Executor, executor};
use super::npm::say_aloud;
use super::transcript::Transcript;
use crate::sandbox::{Ran, Running, Sandbox, wait_until};

/// The author's language, and all of its templates.
const LANG: &str = "zh-CN";
const CONTRACT: Asked = Asked {
    name: "book_contract",
    span: "book",
    answers: &["book_platform=番茄", "book_pleasure=解谜", "book_never=他不能回头"],
    words: "他不能回头",
};
const VIEWPOINT: Asked =
    Asked { name: "viewpoint", span: "book", answers: &["view_person=第一人称"], words: "第一人称" };
const HOOK: Asked = Asked {
    name: "end_hook",
    span: "chapter-001",
    answers: &["hook_kind=渡口的灯灭了"],
    words: "渡口的灯灭了",
};
const RHYTHM: Asked = Asked {
    name: "rhythm_payoff",
    span: "chapters-001-005",
    answers: &["rhythm_pace=先压后放", "rhythm_payoff_kind=只铺垫"],
    words: "先压后放",
};
const ROMANCE: Asked = Asked {
    name: "romance_line",
    span: "vol-01",
    answers: &["romance_step=开始在意", "romance_who=船工和她"],
    words: "船工和她",
};
const VOLUME: Asked = Asked {
    name: "volume_direction",
    span: "vol-01",
    answers: &["volume_path=你来定", "volume_must=沉船"],
    words: "沉船",
};
const FATE: Asked = Asked {
    name: "character_fate",
    span: "vol-01",
    answers: &["fate_may_fall=只限小角色", "fate_protected=瞎眼的姐姐"],
    words: "瞎眼的姐姐",
};
const THREADS: Asked = Asked {
    name: "threads_due",
    span: "chapters-001-010",
    answers: &["threads_pay=断掉的缆绳"],
    words: "断掉的缆绳",
};
const DIRECTION: Asked = Asked {
    name: "chapter_direction",
    span: "chapter-001",
    answers: &["chapter_path=他烧了船"],
    words: "他烧了船",
};
const TITLE: Asked =
    Asked { name: "chapter_title", span: "chapter-001", answers: &["title_pick=灯下"], words: "灯下" };
const VERDICT: Asked = Asked {
    name: "draft_verdict",
    span: "chapter-001-commit",
    answers: &["draft_verdict=收下", "draft_comment=灯要再暗一点"],
    words: "灯要再暗一点",
};

/// A question that a step asks, and what the author answers.
#[derive(Clone, Copy)]
struct Asked {
    name: &'static str,
    span: &'static str,
    answers: &'static [&'static str],
    /// What of it agents are told, and stands in no other text.
    words: &'static str,
}

impl Asked {
    fn place(&self) -> String {
        format!("staging/novel-ask/{}-{}.answers.json", self.name, self.span)
    }
}

/// A book on its way.
struct Walk {
    book: Sandbox,
    executor: &'static Executor,
    transcript: Transcript,
}

/// The templates of a language, in the order in which they are asked.
fn templates(lang: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("questions").join(lang);
    let entries = std::fs::read_dir(folder).expect("templates").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    files
}

/// The part of a question's file that is the reference's.
fn spec_of(file: &Path) -> Value {
    let file: Value = serde_json::from_slice(&std::fs::read(file).expect("a question")).expect("JSON");
    json!({"version": file["version"], "topic": file["topic"], "questions": file["questions"]})
}

/// What a packet gets of it.
fn attached(file: &Path) -> Value {
    let read = standing::read("a", &std::fs::read(file).expect("a question"));
    let members = read.standing.expect("a question").members.into_iter();
    members
        .map(|(key, value)| (key.to_owned(), serde_json::from_str::<Value>(&value).expect("JSON")))
        .collect()
}

/// A spec as the reference gives it back: without what is ours.
fn bare(mut spec: Value) -> Value {
    for question in spec["questions"].as_array_mut().expect("questions") {
        question.as_object_mut().expect("an object").retain(|key, _| !key.starts_with('_'));
    }
    spec
}

#[test]
fn the_reference_reads_each_template() {
    let Some(executor) = executor() else { return };
    let files: Vec<PathBuf> = ["en", LANG].into_iter().flat_map(templates).collect();
    assert!(files.len() >= 24, "{files:?}");
    let own: Vec<Value> = files.iter().map(|file| bare(spec_of(file))).collect();
    assert_eq!(executor.specs(&files), own);
    // And as it stands in a packet.
    let book = Sandbox::new();
    let attached: Vec<Value> = files.iter().map(|file| attached(file)).collect();
    let places: Vec<String> = (0..files.len()).map(|place| format!("{place}.json")).collect();
    for (place, spec) in places.iter().zip(&attached) {
        book.put(place, spec.to_string());
    }
    let places: Vec<PathBuf> = places.iter().map(|place| book.path(place)).collect();
    assert_eq!(executor.specs(&places), attached.into_iter().map(bare).collect::<Vec<_>>());
}

#[test]
fn a_record_with_a_label_that_sends_back_opens_for_neither_side() {
    let Some(executor) = executor() else { return };
    for file in ["en", LANG].into_iter().flat_map(templates) {
        let (spec, whole) = (attached(&file), spec_of(&file));
        let verdict = &whole["questions"][0];
        let Some(opens) = verdict["_opens_on"].as_array() else { continue };
        let book = Sandbox::new();
        let packet = json!({"step": "s", "novel_ask": spec, "answer_path": "a.json"});
        book.put("staging/s.packet.json", packet.to_string());
        for option in verdict["options"].as_array().expect("options") {
            let id = verdict["id"].as_str().expect("an id");
            let record = json!({"version": 1, "topic": whole["topic"], "answers": {id: option["label"]},
                "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"});
            book.put("a.json", record.to_string());
            let theirs = executor.verdict(&book.root(), &book.path("staging/s.packet.json"));
            let expected = if opens.contains(&option["label"]) { ("open", 0) } else { ("refused", 4) };
            assert_eq!(theirs["verdict"], expected.0, "{theirs}");
            assert_eq!(book.run(["check", "s"]).code, Some(expected.1), "{option}");
        }
        let label = verdict["options"][1]["label"].as_str().expect("a label");
        let answer = format!("{}={label}", verdict["id"].as_str().expect("an id"));
        std::fs::remove_file(book.path("a.json")).expect("the record");
        let ran = book.run(["answer", "s", "--by", "human", "--set", &answer]);
        assert_eq!((ran.code, book.path("a.json").exists()), (Some(0), false), "{ran:?}");
        let theirs = executor.verdict(&book.root(), &book.path("staging/s.packet.json"));
        assert_eq!((&theirs["verdict"], book.run(["check", "s"]).code), (&json!("refused"), Some(3)));
    }
}

#[test]
fn the_author_is_asked_from_an_empty_folder_to_a_chapter() {
    let Some(executor) = executor() else { return };
    let mut walk = Walk::begin(executor);
    walk.step("quickstart:world", &[CONTRACT], &[("staging/quickstart/rules.json", r#"{"rules": []}"#)]);
    walk.step("quickstart:characters", &[], &[("staging/quickstart/contracts/he.json", "{}")]);
    let style = ("staging/quickstart/style-profile.json", r#"{"source_type": "original"}"#);
    walk.step("quickstart:style", &[VIEWPOINT], &[style]);
    walk.skip_to_the_first_chapter();
    let draft = [("staging/chapters/chapter-001.md", "# 第一章 渡口\n\n雨下了一夜。\n")];
    // What holds longer first.
    let asked = [FATE, ROMANCE, VOLUME, THREADS, RHYTHM, DIRECTION, HOOK];
    walk.step("chapter:001:draft", &asked, &draft);
    let delta = r#"{"chapter": 1, "base_state_version": 0, "storyline_id": "main", "ops": []}"#;
    let summary = [
        ("staging/summaries/chapter-001-summary.md", "雨。\n"),
        ("staging/state/chapter-001-delta.json", delta),
        ("staging/state/chapter-001-crossref.json", "{}"),
        ("staging/storylines/main/memory.md", "雨。\n"),
    ];
    walk.step("chapter:001:summarize", &[], &summary);
    let others = [VIEWPOINT, HOOK, RHYTHM, ROMANCE, VOLUME, FATE, DIRECTION];
    walk.tells("chapter:001:summarize", &[CONTRACT, THREADS], &others);
    walk.step("chapter:001:refine", &[TITLE], &[]);
    walk.tells("chapter:001:refine", &[&[CONTRACT, VIEWPOINT, TITLE][..], &asked].concat(), &[]);
    let eval = r#"{"chapter": 1, "overall": 4.5, "recommendation": "pass"}"#;
    walk.step("chapter:001:judge", &[], &[("staging/evaluations/chapter-001-eval.json", eval)]);
    walk.step("chapter:001:commit", &[VERDICT], &[]);
    // What was decided for more than a chapter is not asked again.
    walk.decide_ahead("chapter:002:draft", &DIRECTION);
    let hook = Asked { span: "chapter-002", words: "留下一件读者非知道不可的事", ..HOOK };
    walk.step_with_a_console("chapter:002:draft", &hook);
    let told = [CONTRACT, VIEWPOINT, DIRECTION, FATE, hook, RHYTHM, ROMANCE, THREADS, VOLUME];
    walk.tells("chapter:002:draft", &told, &[HOOK, TITLE]);
    say_aloud(&format!("\nstanding questions, live: {}\n", walk.transcript.path().display()));
}

#[test]
fn the_reference_takes_an_option_that_was_proposed() {
    let Some(executor) = executor() else { return };
    let mut walk = Walk::begin(executor);
    walk.skip_to_the_first_chapter();
    for question in [CONTRACT, VIEWPOINT, FATE, ROMANCE, VOLUME, THREADS, RHYTHM] {
        walk.decide_ahead("chapter:001:draft", &question);
    }
    let step = "chapter:001:draft";
    let (packet, _) = walk.instruct(step);
    let option = "他烧了船=谁也追不上，谁也回不去。";
    let ran = walk.book.run(["propose", step, "--option", option, "--option", "她说了谎=守门的信了。"]);
    walk.transcript.command(&format!("novel-gate propose {step}"), &ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // The gate as it stands is kept: what is answered is no longer in the packet.
    let asked = walk.packet(&packet);
    assert_eq!(asked["novel_ask"]["questions"][0]["options"][0]["label"], "他烧了船");
    assert_eq!(walk.verdict(&packet)["verdict"], "refused");
    walk.answer(step, &DIRECTION);
    walk.book.put(&packet, asked.to_string());
    assert_eq!(walk.verdict(&packet)["verdict"], "open");
    let told = walk.book.run(["decisions", step]).stdout;
    assert!(told.contains("他烧了船 — 谁也追不上，谁也回不去。"), "{told}");
}

impl Walk {
    fn begin(executor: &'static Executor) -> Walk {
        let book = Sandbox::new();
        let short = [(&*book.root(), "BOOK"), (&*book.state(), "STATE")];
        let transcript = Transcript::begin("live-standing-transcript.txt", &short);
        let mut walk = Walk { book, executor, transcript };
        walk.novel(&["init"]);
        for file in templates(LANG) {
            let name = file.file_name().expect("a name").to_string_lossy();
            walk.book.put(&format!("questions/{name}"), std::fs::read(&file).expect("a template"));
        }
        walk
    }

    /// A step as whoever runs `novel` goes through it, with what it asks and what is made.
    fn step(&mut self, step: &str, asked: &[Asked], made: &[(&str, &str)]) {
        self.transcript.chapter(step);
        let (packet, written) = self.instruct(step);
        assert_eq!(self.verdict(&packet)["verdict"], "no gate");
        if asked.is_empty() {
            self.check(step, 0);
        } else {
            self.check(step, 3);
            assert_eq!(self.book.read(&packet), Some(written.clone()), "who only looks writes nothing");
            self.ask(step, &packet, &written, asked);
        }
        for (path, text) in made {
            self.book.put(path, text);
        }
        let chapter = step.strip_suffix(":commit").and_then(|chapter| chapter.strip_prefix("chapter:"));
        if let Some(chapter) = chapter {
            self.novel(&["commit", "--chapter", chapter]);
        } else {
            self.novel(&["validate", step]);
            self.novel(&["advance", step]);
        }
    }

    /// A step that asks one question, whose first option the author takes in his console; nobody else looks at the packet.
    fn step_with_a_console(&mut self, step: &str, question: &Asked) {
        self.transcript.chapter(step);
        let console = self.book.console(100, 30);
        console.wait_for_text("0 waiting");
        let (packet, _) = self.instruct(step);
        wait_until("the console asks", || self.packet(&packet)["answer_path"] == *question.place());
        // As `novel` writes it, for the console may have been faster.
        let bare = self.novel(&["instructions", step, "--json"]);
        let bare: Value = serde_json::from_str(&bare.stdout).expect("novel prints JSON");
        self.instruct(step);
        self.carries(&packet, bare["data"]["packet"].to_string().as_bytes(), question);
        console.wait_for_text("1 waiting");
        for (key, text) in [("enter", "[1 "), ("1", "▸ (•) 1"), ("enter", "This will be written to")] {
            console.press(key);
            console.wait_for_text(text);
        }
        console.press("ctrl+s");
        console.wait_for_text("Written and verified");
        self.transcript.screen("the receipt", &console);
        assert_eq!(self.verdict(&packet)["verdict"], "open");
        self.check(step, 0);
    }

    /// The author answers one question after the other, and who waits goes on after the last.
    fn ask(&mut self, step: &str, packet: &str, written: &[u8], asked: &[Asked]) {
        let wait = |book: &Sandbox| Running::start(&mut book.command(["wait", step]));
        let mut waiting = wait(&self.book);
        for (place, question) in asked.iter().enumerate() {
            self.carries(packet, written, question);
            if self.proposes(question) {
                let ran = waiting.wait();
                assert_eq!(ran.code, Some(3), "first it says what to propose: {ran:?}");
                waiting = wait(&self.book);
            }
            // `novel` takes the gate out and knows nothing of it; whoever waits puts it in again, and asks nothing twice.
            if place + 1 == asked.len() {
                self.instruct(step);
                self.carries(packet, written, question);
            }
            assert_eq!(self.verdict(packet)["verdict"], "refused");
            assert!(waiting.is_running(), "{} is not answered", question.name);
            self.answer(step, question);
        }
        let ran = waiting.wait();
        self.transcript.command(&format!("novel-gate wait {step}   (has ended)"), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        for question in asked {
            assert_eq!(ran.stderr.matches(question.words).count(), 1, "{}: {}", question.name, ran.stderr);
        }
        let verdict = self.verdict(packet);
        assert_eq!(verdict["verdict"], "open", "{verdict}");
        let record: Value = serde_json::from_str(&ran.stdout).expect("the record");
        assert_eq!(verdict["answer"], record);
        self.check(step, 0);
        // Without a gate it stays open: everything is answered.
        self.instruct(step);
        assert_eq!(self.verdict(packet)["verdict"], "no gate");
        self.check(step, 0);
        self.tells(step, asked, &[]);
    }

    /// The packet has a question's gate, and is else as `novel` wrote it.
    fn carries(&self, packet: &str, written: &[u8], question: &Asked) {
        let read =
            || serde_json::from_slice::<Value>(&self.book.read(packet).expect("a packet")).expect("JSON");
        wait_until(question.name, || read()["answer_path"] == *question.place());
        let mut carrying = read();
        let members = carrying.as_object_mut().expect("an object");
        members.remove("answer_path");
        let file = self.book.path(&format!("questions/{}.question.json", question.name));
        assert_eq!(members.remove("novel_ask"), Some(attached(&file)));
        let output = carrying["expected_outputs"].as_array_mut().expect("a list").remove(0);
        assert_eq!((&output["path"], &output["required"]), (&json!(question.place()), &json!(true)));
        assert_eq!(carrying, serde_json::from_slice::<Value>(written).expect("JSON"));
    }

    /// Whether options are to be proposed to it.
    fn proposes(&self, question: &Asked) -> bool {
        let file = self.book.path(&format!("questions/{}.question.json", question.name));
        std::fs::read_to_string(file).expect("a question").contains("\"_propose\"")
    }

    fn packet(&self, packet: &str) -> Value {
        serde_json::from_slice(&self.book.read(packet).expect("a packet")).expect("JSON")
    }

    fn answer(&mut self, step: &str, question: &Asked) {
        let sets = question.answers.iter().flat_map(|&answer| ["--set", answer]);
        let ran = self.book.run(["answer", step, "--by", "human"].into_iter().chain(sets));
        self.transcript.command(&format!("novel-gate answer {step} {}", question.answers.join(" ")), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    /// What a step to come will ask, before there is a packet.
    fn decide_ahead(&mut self, step: &str, question: &Asked) {
        let sets = question.answers.iter().flat_map(|&answer| ["--set", answer]);
        let ahead = ["answer", "--ahead", step, "--question", question.name, "--by", "human"];
        let ran = self.book.run(ahead.into_iter().chain(sets));
        self.transcript.command(&format!("novel-gate answer --ahead {step}"), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    /// What a step's agent is told, and what not.
    fn tells(&mut self, step: &str, told: &[Asked], others: &[Asked]) {
        let ran = self.book.run(["decisions", step]);
        self.transcript.command(&format!("novel-gate decisions {step}"), &ran);
        let count = |question: &Asked| ran.stdout.matches(question.words).count();
        for (questions, times) in [(told, 1), (others, 0)] {
            let wrong: Vec<&str> =
                questions.iter().filter(|question| count(question) != times).map(|it| it.name).collect();
            assert!(wrong.is_empty(), "{wrong:?} not {times} times in {}", ran.stdout);
        }
    }

    /// Goes on as a book whose first volume is planned.
    fn skip_to_the_first_chapter(&mut self) {
        self.book.put(".checkpoint.json", AT_THE_FIRST_CHAPTER);
        self.transcript.note("the first volume is planned");
    }

    /// The packet that `novel` writes, relative to the root, and its bytes.
    fn instruct(&mut self, step: &str) -> (String, Vec<u8>) {
        let said = self.novel(&["instructions", step, "--json", "--write-manifest"]);
        let said: Value = serde_json::from_str(&said.stdout).expect("novel prints JSON");
        let packet = said["data"]["written_manifest_path"].as_str().expect("a packet").to_owned();
        let written = self.book.read(&packet).expect("the packet");
        (packet, written)
    }

    /// A `novel` command that must succeed.
    fn novel(&mut self, args: &[&str]) -> Ran {
        let ran = self.executor.novel(&self.book.root(), args);
        self.transcript.command(&format!("novel {}", args.join(" ")), &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    }

    fn verdict(&mut self, packet: &str) -> Value {
        let verdict = self.executor.verdict(&self.book.root(), &self.book.path(packet));
        self.transcript.note(&format!("novel-writer-cli's own gate functions: {verdict}"));
        verdict
    }

    fn check(&mut self, step: &str, code: i32) {
        let ran = self.book.run(["check", step]);
        self.transcript.command(&format!("novel-gate check {step}"), &ran);
        assert_eq!(ran.code, Some(code), "{ran:?}");
    }
}

/// A book whose next step is `chapter:001:draft`.
pub(super) const AT_THE_FIRST_CHAPTER: &str = r#"{"last_completed_chapter": 0, "current_volume": 1, "orchestrator_state": "WRITING",
    "pipeline_stage": "committed", "inflight_chapter": null, "last_committed_volume": 1}"#;
