//! The states of the console that are looked at.

mod asking;
mod form;
mod prepare;
mod proposing;
mod sending;

use super::stage::Stage;
use novel_gate::ask::{Change, ChangeKind};
use novel_gate::console::action::Action as A;
use novel_gate::console::form::status::Warning;
use novel_gate::console::inbox::Inbox;
use novel_gate::console::model::Unsaved;
use novel_gate::console::news::News;
use novel_gate::console::prompt::Leaving;
use novel_gate::error::Message;
use novel_gate::store::watch::StoreEvent;
use novel_gate::text::say;
use prepare::{BAD_RECORD, drift, kept, many, orphaned, relayed, remember, rival, same_questions};

const HOSTILE_PATH: &str = "staging/manifests/hostile.packet.json";

/// Text that would steer a terminal, turn its lines around or make them too wide.
const HOSTILE: &str = r#"{"step": "chapter:\u001b[31m001\u202e", "agent": {"name": "x"}, "answer_path": "staging/a.json",
  "novel_ask": {"version": 1, "topic": "题\u0007目\n\u200b家👨\u200d👩\u200d👧", "questions": [
  {"id": "a", "header": "非常非常非常非常长的一个题目名字", "question": "第一行\n第二行\t表\u0000格", "kind": "multi_choice",
   "required": true, "options": [
   {"label": "甲\u202e乙\u001b]0;x\u0007", "description": "一\r\n二"},
   {"label": "👨\u200d👩\u200d👧👍🏽e\u0301\u0301ｶﾞ🇨🇳\ud800", "description": "空"},
   {"label": "一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十", "description": "长"},
   {"label": "  两边有空格  ", "description": "labels are kept exactly"}],
   "default": ["  两边有空格  "]}]}}"#;

const HOSTILE_RECORD: &str = r#"{"version": 1, "answered_by": "x\u001b[2J", "answers": {"a": ["甲\u202e乙\u001b]0;x\u0007"],
    "\u001b[31mb": "👨\u200d👩\ud800\u0000"}}"#;

const TEXT_RECORD: &str = "staging/novel-ask/chapter-015-draft.answers.json";
const GOOD: &str = r#"{"version": 1, "topic": "第二卷卷纲确认", "answered_at": "2026-02-27T10:12:34.000Z",
    "answered_by": "human", "answers": {"outline_verdict": "通过", "arcs_keep": ["兄妹线"], "pace": "紧"}}"#;
const PACKET: &str = "staging/manifests/chapter-013-draft.packet.json";
const RECORD: &str = "staging/novel-ask/chapter-013-draft.answers.json";

const RELAYED: &str = "staging/novel-ask/relay/relay-0c2f51ab.packet.json";

/// A name, and the way to the state from the inbox.
pub(super) type State = (&'static str, fn(&mut Stage));

/// All of them; on Windows without the one in which a file has a name that no file has there.
pub(super) fn states() -> Vec<State> {
    let mut all = [STATES, form::FORM, sending::SENDING, asking::ASKING, proposing::PROPOSING].concat();
    all.retain(|(name, _)| !cfg!(windows) || *name != "story-hostile");
    all
}

const STATES: &[State] = &[
    ("inbox", |_| {}),
    ("many", many),
    ("inbox-filter", |stage| {
        stage.act(A::Filter).write("卷");
    }),
    ("inbox-nothing-passes", |stage| {
        stage.act(A::Filter).write("没有这个").act(A::Accept);
    }),
    ("inbox-empty", |stage| *stage = Stage::of(stage.stack.model.size, stage.stack.model.lang, &[])),
    ("inbox-looking", |stage| {
        stage.stack.model.inbox = Inbox::default();
    }),
    ("inbox-past", |stage| {
        stage.complete_chapter(12);
        stage.act(A::Last);
    }),
    ("inbox-answered", |stage| {
        stage.select("chapter-012-draft");
    }),
    ("inbox-malformed", |stage| {
        stage.select("volume-commit");
    }),
    ("inbox-draft", |stage| {
        stage.open("chapter-015-draft").write("雨停之前，别让他回头。").act(A::Back).act(A::Back);
    }),
    ("inbox-kept", |stage| {
        kept(stage);
    }),
    ("kept", |stage| {
        kept(stage).act(A::Accept);
    }),
    ("kept-drop", |stage| {
        kept(stage).act(A::Redo);
    }),
    ("later-prompt", |stage| {
        stage.select("chapter-013-draft").act(A::Later).act(A::Down);
    }),
    ("inbox-later", |stage| {
        stage.select("chapter-013-draft").act(A::Later).act(A::Number(2));
        stage.select("volume-validate").act(A::Later).act(A::Number(3));
    }),
    ("inbox-late", |stage| {
        stage.open("chapter-013-draft").act(A::Down).act(A::Pick).act(A::Back);
        let theirs = r#"{"version": 1, "topic": "init.platform_binding", "answered_by": "codex",
            "answered_at": "2026-02-27T10:11:00.000Z", "answers": {"platform": "qidian"}}"#;
        let topic = stage.stack.model.inbox.selected().and_then(|gate| gate.topic.clone()).expect("a topic");
        stage.put(RECORD, &theirs.replace("init.platform_binding", &topic.display()));
    }),
    ("inbox-outputs", |stage| {
        let outputs: Vec<String> =
            (1..=36).map(|n| format!(r#"{{"path": "staging/chapters/{n}.md", "required": true}}"#)).collect();
        let packet = stage.read(PACKET);
        let from = packet.find(r#""expected_outputs": ["#).expect("outputs");
        let to = from + packet[from..].find(']').expect("their end");
        let outputs = format!(r#""expected_outputs": [{}"#, outputs.join(","));
        stage.put(PACKET, &format!("{}{outputs}{}", &packet[..from], &packet[to..]));
        stage.select("chapter-013-draft");
    }),
    ("malformed", |stage| {
        stage.select("volume-commit").act(A::Expand);
    }),
    ("blocked", |stage| {
        stage.select("volume-validate").act(A::Expand);
    }),
    ("leave", |stage| {
        stage.open("chapter-015-draft").write("雨停之前，别让他回头。");
        let why = Some(Message::from(say("the disk is full", "磁盘已满")));
        let file = Ok("/tmp/novel-gate-0123456789abcdef0123456789abcdef-Xa4kT9.unsaved.json".into());
        let unsaved = Unsaved { why, file };
        stage.stack.follow(|cx| cx.cover(Leaving { code: 0, unsaved }));
        stage.act(A::Interrupt);
    }),
    ("redo", |stage| {
        stage.select("chapter-012-draft").act(A::Redo);
    }),
    ("undo-elsewhere", |stage| {
        stage.redo("chapter-012-draft").act(A::First).act(A::UndoRedo);
    }),
    ("redo-foreign", |stage| {
        stage.put(BAD_RECORD, r#"{"title": "第四十八章"}"#);
        stage.select("volume-validate").act(A::Redo);
    }),
    ("repair", |stage| {
        stage.open("volume-validate");
    }),
    ("repair-text", |stage| {
        stage.put(TEXT_RECORD, r#"{"version": 2, "topic": "x", "answers": {"promise": ["一", 2]}}"#);
        stage.select("chapter-015-draft").act(A::Accept);
    }),
    ("repair-review", |stage| {
        stage.open("volume-validate").act(A::Down).act(A::Accept).act(A::Accept).act(A::Accept);
    }),
    ("repair-record", |stage| {
        stage.open("volume-validate").act(A::Review).act(A::Expand).act(A::Last);
    }),
    ("edited", |stage| {
        stage.select("volume-validate").act(A::Editor).edited(r#"{"version": 1, "topic": "第二卷卷纲确认"}"#);
    }),
    ("edited-valid", |stage| {
        stage.select("volume-validate").act(A::Editor).edited(GOOD);
    }),
    ("review-differs", |stage| {
        stage.redo("chapter-012-draft").act(A::Accept).act(A::Down).act(A::Accept).act(A::Review);
    }),
    ("deleted", |stage| {
        stage.redo("chapter-012-draft").act(A::UndoRedo);
        stage.delete("staging/novel-ask/chapter-012-draft.answers.json");
        stage.act(A::Accept);
    }),
    ("single", |stage| {
        stage.open("chapter-013-draft").act(A::Down);
    }),
    ("long-page-2", |stage| {
        stage.open("volume-outline").act(A::PageDown).act(A::Down);
    }),
    ("long-filter", |stage| {
        stage.open("volume-outline").act(A::Filter).write("怪谈");
    }),
    ("filter-sound", |stage| {
        stage.open("volume-outline").act(A::Filter).write("gz");
    }),
    ("filter-own", |stage| {
        stage.open("chapter-012-title-fix").act(A::Filter).write("雨夜");
    }),
    ("filter-ticks", |stage| {
        stage.open("chapter-012-refine").act(A::Filter).write("一").act(A::Down).act(A::Down).act(A::Pick);
    }),
    ("other-open", |stage| {
        stage.open("volume-outline").act(A::Last).act(A::Accept).write("水下的城市");
    }),
    ("other-untaken", |stage| {
        stage.open("volume-outline").act(A::Last).act(A::Accept).write("水下的城市").act(A::Back);
    }),
    ("multi", |stage| {
        stage.open("chapter-012-refine").act(A::Down).act(A::Pick);
    }),
    ("multi-own", |stage| {
        stage.open("chapter-012-title-fix").act(A::Last).act(A::Accept).write("泵房来电").act(A::Accept);
    }),
    ("five-questions", |stage| {
        stage.open("chapter-014-draft").act(A::Next).act(A::Next).act(A::Down);
    }),
    ("text-empty", |stage| {
        stage.open("chapter-015-draft");
    }),
    ("text", |stage| {
        stage.open("chapter-015-draft").write("雨停之前，别让他回头。\n　　他听见的不是雨。");
    }),
    ("text-left", |stage| {
        stage.open("chapter-015-draft").write("雨停之前，别让他回头。").act(A::Back);
    }),
    ("note", |stage| {
        stage.open("chapter-014-draft").act(A::Note).write("雨夜的场面留到第十六章，");
    }),
    ("note-left", |stage| {
        stage.open("chapter-014-draft").act(A::Note).write("雨夜的场面留到第十六章。").act(A::Accept);
    }),
    ("note-text", |stage| {
        stage.open("chapter-015-draft").write("雨停之前，别让他回头。").act(A::Note);
        stage.write("大纲里写的是“不许回头”。\n改的话要问编辑。");
    }),
    ("note-review", |stage| {
        stage.open("chapter-014-draft").act(A::Review).act(A::Down).act(A::Note).write("留到第十六章");
    }),
    ("whole-question", |stage| {
        stage.open("volume-outline").act(A::Down).act(A::Expand);
    }),
    ("review", |stage| {
        stage.open("chapter-013-draft").act(A::Review);
    }),
    ("review-five", |stage| {
        stage.open("chapter-014-draft").act(A::Review).act(A::Down);
    }),
    ("review-missing", |stage| {
        stage.open("chapter-015-draft").act(A::Next).act(A::Next);
    }),
    ("review-untaken", |stage| {
        stage
            .open("volume-outline")
            .act(A::Last)
            .act(A::Accept)
            .write("水下的城市")
            .act(A::Back)
            .act(A::Review);
    }),
    ("review-long", |stage| {
        stage
            .open("chapter-015-draft")
            .write(&"雨停之前，别让他回头。".repeat(40))
            .act(A::Back)
            .act(A::Review);
    }),
    ("review-same", same_questions),
    ("review-same-list", |stage| {
        same_questions(stage);
        stage.act(A::All).act(A::Down).act(A::Down).act(A::Pick);
    }),
    ("review-same-filter", |stage| {
        same_questions(stage);
        stage.act(A::All).write("zqr").act(A::All);
    }),
    ("review-same-taken", |stage| {
        same_questions(stage);
        stage.act(A::All).act(A::All).act(A::Accept);
    }),
    ("review-same-records", |stage| {
        same_questions(stage);
        stage.act(A::All).act(A::All).act(A::Accept).act(A::Expand).act(A::PageDown);
    }),
    ("receipt-same", |stage| {
        same_questions(stage);
        let theirs = r#"{"version": 1, "topic": "平台绑定", "answered_by": "codex",
            "answered_at": "2026-02-27T10:11:00.000Z", "answers": {"platform": "qidian"}}"#;
        stage.act(A::All).act(A::All).act(A::Accept);
        stage.put("staging/novel-ask/chapter-021-draft.answers.json", theirs);
        stage.act(A::Submit);
    }),
    ("same-not-written", |stage| {
        same_questions(stage);
        let theirs = r#"{"version": 1, "topic": "平台绑定", "answered_by": "codex",
            "answered_at": "2026-02-27T10:11:00.000Z", "answers": {"platform": "qidian"}}"#;
        stage.act(A::All).act(A::All).act(A::Accept);
        // It comes in the last moment: the form knows nothing of it yet.
        std::fs::write(stage.files.project.root().join(RECORD), theirs).expect("written");
        stage.act(A::Submit);
    }),
    ("same-taken-back", |stage| {
        same_questions(stage);
        stage.act(A::All).act(A::All).act(A::Accept).act(A::Submit);
        stage.complete_chapter(21);
        stage.act(A::UndoRedo);
    }),
    ("review-record", |stage| {
        stage.open("chapter-013-draft").act(A::Review).act(A::Expand);
    }),
    ("receipt", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit);
    }),
    ("receipt-whole", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit).act(A::Expand);
    }),
    ("receipt-five", |stage| {
        stage.open("chapter-014-draft").act(A::Next).act(A::Next).act(A::Accept);
        stage.act(A::Next).act(A::Next).act(A::Submit);
    }),
    ("inbox-conflict", |stage| {
        rival(stage, "你准备发布到哪个平台", "续作发布到哪个平台");
        stage.select("chapter-013-draft");
    }),
    ("conflict", |stage| {
        rival(stage, "你准备发布到哪个平台", "续作发布到哪个平台");
        stage.select("chapter-013-draft").act(A::Expand).act(A::PageDown);
    }),
    ("form-conflict", |stage| {
        rival(stage, "你准备发布到哪个平台", "续作发布到哪个平台");
        stage.open("chapter-013-draft");
    }),
    ("inbox-one-gate", |stage| {
        rival(stage, "chapter-writer", "chapter-refiner");
        stage.select("chapter-013-draft");
    }),
    ("changed", |stage| {
        drift(stage);
        stage.act(A::Down);
    }),
    ("changes", |stage| {
        drift(stage);
        stage.act(A::Changes);
    }),
    ("review-changed", |stage| {
        drift(stage);
        stage.act(A::Review);
    }),
    ("receipt-replaced", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit);
        let theirs = stage.read(RECORD).replace("human", "codex").replace("qidian", "jjwxc");
        stage.put(RECORD, &theirs);
    }),
    ("receipt-gone", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit);
        stage.delete(RECORD);
        stage.stack.model.notice = None;
    }),
    ("receipt-passed", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit);
        stage.complete_chapter(13);
    }),
    ("history", |stage| {
        remember(stage);
    }),
    ("history-project", |stage| {
        remember(stage);
        stage.act(A::Next);
    }),
    ("repair-both", |stage| {
        stage.open("chapter-015-draft").write("我自己写的承诺。").act(A::Back).act(A::Back);
        stage.open("chapter-013-draft").act(A::Back);
        stage.put(TEXT_RECORD, r#"{"version": 1, "topic": "x", "answers": {"promise": "记录里的承诺。"}}"#);
        stage.select("chapter-015-draft").act(A::Accept).act(A::Accept);
    }),
    ("repair-both-review", |stage| {
        stage.open("chapter-015-draft").write("我自己写的承诺。").act(A::Back).act(A::Back);
        stage.open("chapter-013-draft").act(A::Back);
        stage.put(TEXT_RECORD, r#"{"version": 1, "topic": "x", "answers": {"promise": "记录里的承诺。"}}"#);
        stage.select("chapter-015-draft").act(A::Accept).act(A::Review);
    }),
    ("inbox-replaced", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit);
        let theirs = stage.read(RECORD).replace("human", "codex").replace("qidian", "jjwxc");
        stage.put(RECORD, &theirs);
        stage.act(A::Back).select("chapter-013-draft");
        stage.stack.model.notice = None;
    }),
    ("history-restore", |stage| {
        remember(stage);
        stage.act(A::Down).act(A::Accept);
    }),
    ("history-filter", |stage| {
        remember(stage);
        stage.act(A::Filter).write("让他走");
    }),
    ("history-empty", |stage| {
        stage.select("chapter-013-draft").act(A::History);
    }),
    ("history-hostile", |stage| {
        *stage = Stage::of(
            stage.stack.model.size,
            stage.stack.model.lang,
            &[(HOSTILE_PATH, HOSTILE.as_bytes(), 0)],
        );
        stage.put("staging/a.json", HOSTILE_RECORD);
        stage.act(A::History).act(A::Expand);
    }),
    ("story", |stage| {
        stage.open("chapter-012-refine").act(A::Story).act(A::Next).act(A::Down);
    }),
    ("story-search", |stage| {
        stage.open("chapter-012-refine").act(A::Story).act(A::Filter).write("林栀").act(A::Accept);
    }),
    ("story-review", |stage| {
        stage.open("chapter-012-refine").act(A::Review).act(A::Story).act(A::Filter).write("雨");
    }),
    ("story-hostile", |stage| {
        let packet = HOSTILE.replacen('{', r#"{"manifest": {"paths": {"a": "a\u001b[31m\u202e.md"}},"#, 1);
        let story = "\u{1b}[2J\u{202e}倒\tx\r\n家👨\u{200d}👩\u{200d}👧é\u{301}\u{301}".as_bytes();
        let files: [(&str, &[u8], u64); 2] =
            [(HOSTILE_PATH, packet.as_bytes(), 0), ("a\u{1b}[31m\u{202e}.md", story, 0)];
        *stage = Stage::of(stage.stack.model.size, stage.stack.model.lang, &files);
        stage.act(A::Accept).act(A::Story);
    }),
    ("relayed", |stage| {
        relayed(stage);
        stage.act(A::Accept);
    }),
    ("relayed-inbox", relayed),
    ("orphaned-inbox", orphaned),
    ("project-gone", |stage| stage.hear(News::Store(StoreEvent::RootGone))),
    ("help", |stage| {
        stage.open("chapter-012-refine").act(A::Help);
    }),
    ("notice", |stage| {
        stage.open("chapter-013-draft");
        stage.act(A::Interrupt);
    }),
    ("hostile", |stage| {
        *stage = Stage::of(
            stage.stack.model.size,
            stage.stack.model.lang,
            &[(HOSTILE_PATH, HOSTILE.as_bytes(), 0)],
        );
        stage.act(A::Accept).act(A::Down);
    }),
    ("banner", |stage| {
        stage.open("chapter-013-draft");
        stage.change(|form| {
            form.status.changes = vec![Change { question: None, header: None, kind: ChangeKind::Order }];
            form.status.warn(Warning::Questions, Some(form.status.changes_counted()));
        });
    }),
];
