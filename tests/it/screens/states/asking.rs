//! The screen of standing questions.

use super::State;
use crate::screens::stage::Stage;
use novel_gate::console::action::Action as A;

const GOAL: &str = r#"{"_steps": ["chapter:*:draft"], "_why": "一章一个目标，写起来才不散。", "_tell": ["chapter:*:draft", "chapter:*:judge"],
  "version": 1, "topic": "本章目标", "questions": [{"id": "goal", "header": "目标", "question": "这一章结束时，什么变了？",
  "kind": "multi_choice", "required": true, "allow_other": true, "default": ["有人知道了"], "options": [
  {"label": "有人知道了", "description": "一个秘密传到了不该知道的人那里。"}, {"label": "有人走了", "description": "少一个人，多一件事。"}]}]}"#;

/// A book with a question that is asked and answered, one that is off, one with a mistake, and one that was put in here.
fn book(stage: &mut Stage) -> &mut Stage {
    // The sample has some of its own.
    stage.remove("questions");
    stage.put("questions/10-goal.question.json", GOAL);
    let off = GOAL.replacen('{', r#"{"_enabled": false, "#, 1).replace("本章目标", "卷末的账");
    stage.put("questions/20-count.question.json", &off.replace("chapter:*:draft", "volume:outline"));
    stage.put("questions/30-bad.question.json", &GOAL.replace("\"chapter:*:draft\"]", "\"chapter:*:daft\"]"));
    let record = r#"{"version": 1, "topic": "本章目标", "answered_at": "2026-02-26T09:05:00.000Z", "answered_by": "human", "answers": {"goal": ["有人走了"]}}"#;
    stage.put("staging/novel-ask/10-goal-chapter-012-draft.answers.json", record);
    stage.act(A::Questions)
}

/// The sample book with the cursor so many rows down: behind the gate and the six files come the steps.
fn sample(stage: &mut Stage, rows: usize) -> &mut Stage {
    stage.act(A::Questions);
    for _ in 0..rows {
        stage.act(A::Down);
    }
    stage
}

pub(super) const ASKING: &[State] = &[
    ("questions-step", |stage| {
        sample(stage, 7);
    }),
    ("questions-decided", |stage| {
        sample(stage, 8);
    }),
    ("questions-take-back", |stage| {
        sample(stage, 8).act(A::Redo);
    }),
    ("questions-ahead", |stage| {
        sample(stage, 7).act(A::Accept);
    }),
    ("questions-none", |stage| {
        *stage = Stage::of(stage.stack.model.size, stage.stack.model.lang, &[]);
        stage.act(A::Questions);
    }),
    ("questions", |stage| {
        book(stage).act(A::Down);
    }),
    ("questions-bad", |stage| {
        book(stage).act(A::Down).act(A::Down).act(A::Down);
    }),
    ("questions-page", |stage| {
        book(stage).act(A::Down).act(A::Accept);
    }),
    ("questions-filter", |stage| {
        book(stage).act(A::Filter).write("mb");
    }),
    ("questions-set", |stage| {
        book(stage).act(A::Last).act(A::Accept).act(A::Up).act(A::Accept);
    }),
    ("questions-from-gate", |stage| {
        book(stage).act(A::Accept);
    }),
    ("questions-edited", |stage| {
        book(stage).act(A::Down).act(A::Editor).edited(&GOAL.replace("_why", "_wy"));
    }),
    ("questions-removed", |stage| {
        book(stage).act(A::Down).act(A::Redo).act(A::Accept);
    }),
];
