//! Steps that are sent back, and the way there.

use super::State;
use crate::screens::stage::Stage;
use novel_gate::console::action::Action as A;

const VERDICT: &str = r#"{"version": 1, "step": "chapter:016:draft", "agent": {"kind": "subagent", "name": "chapter-writer"},
  "novel_ask": {"version": 1, "topic": "第十六章：草稿过关吗？", "questions": [
  {"id": "draft", "header": "草稿", "question": "第十六章的草稿，就这样往下走吗？", "kind": "single_choice", "required": true,
   "options": [{"label": "就这样", "description": "交给摘要和评审。"}],
   "_sends_back": [{"label": "重写", "description": "从章纲重新写起。"}, {"label": "只改结尾", "description": "前面不动，换一个结尾。"}]}]},
  "answer_path": "staging/novel-ask/chapter-016-draft.answers.json",
  "expected_outputs": [{"path": "chapters/chapter-016.md", "required": true}]}"#;

const CHAPTER: &str = "staging/chapters/chapter-016.md";

/// The form of a verdict.
fn verdict(stage: &mut Stage) -> &mut Stage {
    stage.put(CHAPTER, "雨停了。");
    stage.put("staging/manifests/chapter-016-draft.packet.json", VERDICT);
    stage.open("chapter-016-draft")
}

/// An executor has fetched what was sent back.
fn fetch(stage: &mut Stage) {
    let path = "staging/novel-ask/chapter-016-draft.rounds.jsonl";
    let rounds = stage.read(path);
    let id = rounds.split('"').skip_while(|part| *part != "id").nth(2).expect("an id");
    let line =
        format!(r#"{{"event": "delivered", "at": "2026-02-27T10:12:34.000Z", "by": "wait", "of": "{id}"}}"#);
    stage.put(path, &format!("{rounds}{line}\n"));
}

/// A gate that was sent back with a reason.
fn sent(stage: &mut Stage) -> &mut Stage {
    stage
        .select("chapter-013-draft")
        .act(A::SendBack)
        .write("太顺了。让他为那把钥匙付出代价，\n哪怕只是一句真话。");
    stage.act(A::Submit);
    stage.stack.model.notice = None;
    stage.rescan()
}

pub(super) const SENDING: &[State] = &[
    ("send-back", |stage| {
        stage
            .open("chapter-013-draft")
            .act(A::SendBack)
            .write("太顺了。让他为那把钥匙付出代价。")
            .act(A::Pick);
    }),
    ("send-back-answered", |stage| {
        stage.select("chapter-012-draft").act(A::SendBack);
    }),
    ("send-back-blank", |stage| {
        stage.open("chapter-013-draft").act(A::SendBack).act(A::Submit);
    }),
    ("verdict", |stage| {
        verdict(stage).act(A::Down);
    }),
    ("verdict-review", |stage| {
        verdict(stage).act(A::Number(3)).act(A::Note).write("最后一句太满").act(A::Accept).act(A::Review);
    }),
    ("inbox-sent-back", |stage| {
        sent(stage);
    }),
    ("sent-back", |stage| {
        sent(stage).act(A::Expand);
    }),
    ("sent-back-changed", |stage| {
        verdict(stage)
            .act(A::Number(2))
            .act(A::Note)
            .write("代价不够")
            .act(A::Accept)
            .act(A::Review)
            .act(A::Submit);
        fetch(stage);
        stage.put(CHAPTER, "雨停了，他也付了代价。");
        stage.act(A::Accept);
    }),
    ("history-sent-back", |stage| {
        sent(stage).act(A::History);
    }),
    ("inbox-outdated", |stage| {
        verdict(stage).act(A::Number(1)).act(A::Review).act(A::Submit);
        stage.put(CHAPTER, "雨停了，又下了起来。");
        stage.act(A::Back).select("chapter-016-draft");
    }),
];
