//! Options that the executor has proposed.

use super::State;
use crate::screens::stage::Stage;
use novel_gate::console::action::Action as A;

const PATH: &str = r#"{"_steps": ["chapter:*:draft"], "version": 1, "topic": "本章走向", "questions": [{"id": "path", "header": "走向",
  "question": "这一章往哪里走？", "kind": "single_choice", "required": true, "allow_other": true, "options": [
  {"label": "照章纲写", "description": "章纲里怎么写就怎么写。"}, {"label": "你来定", "description": "选最合适的写，写完告诉我为什么。"}],
  "_propose": {"brief": "三条走向：发生什么、谁付代价、哪条线动了、哪里偏离章纲"}}]}"#;

const ROUNDS: [&str; 2] = [
    r#"[{"label": "他认出了那把刀", "description": "刀是三年前失踪案的物证。他还回去，谁也没说；代价是从此被人拿住。"},
    {"label": "她先开口撒谎", "description": "兄妹线：妹妹替他作伪证，第二天就后悔。偏离章纲：证词提前出现。"},
    {"label": "停电一夜", "description": "三个人各说一句真话，没有人记得是谁说的。"}]"#,
    r#"[{"label": "死者的妹妹站在门外", "description": "她来要回遗物。谁开门，谁就欠她一个解释；雨夜线合拢一半。"},
    {"label": "证词被改了一个字", "description": "改字的是自己人。主角没有拆穿，代价到卷末才来。"},
    {"label": "什么都没有发生", "description": "写一章日常，只在最后一行让电话响起来。"}]"#,
];

const PACKET: &str = r#"{"step": "chapter:016:draft"}"#;

/// A small book with the gate to which so many rounds were proposed, which is open.
fn proposed(stage: &mut Stage, rounds: usize) -> &mut Stage {
    let line = |options: &&str| {
        let options = options.replace('\n', " ");
        format!(
            r#"{{"event": "proposed", "at": "2026-02-27T10:00:00.000Z", "by": "propose", "question": "path", "options": {options}}}"#
        ) + "\n"
    };
    let lines: String = ROUNDS[..rounds].iter().map(line).collect();
    let mut files: Vec<(&str, &[u8], u64)> = vec![
        ("questions/path.question.json", PATH.as_bytes(), 60),
        ("staging/manifests/chapter-016-draft.packet.json", PACKET.as_bytes(), 2),
    ];
    if rounds > 0 {
        files.push(("staging/novel-ask/path-chapter-016-draft.rounds.jsonl", lines.as_bytes(), 1));
    }
    *stage = Stage::of(stage.stack.model.size, stage.stack.model.lang, &files);
    stage.open("chapter-016-draft")
}

pub(super) const PROPOSING: &[State] = &[
    ("proposed-not-yet", |stage| {
        proposed(stage, 0).act(A::Back);
    }),
    ("proposed", |stage| {
        proposed(stage, 2).act(A::Down);
    }),
    ("proposed-opened", |stage| {
        proposed(stage, 2).act(A::Number(4)).act(A::Down);
    }),
    ("proposed-varied", |stage| {
        proposed(stage, 2).act(A::Down).act(A::Vary).write("，他装作没看见");
    }),
    ("proposed-back", |stage| {
        proposed(stage, 2).act(A::SendBack).write("都太顺了");
    }),
];
