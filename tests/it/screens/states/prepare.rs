//! What a stage is made of before some of the states: rivals, drafts, packets that asked otherwise.

use super::{PACKET, RELAYED};
use crate::screens::stage::Stage;
use novel_gate::console::action::Action as A;
use std::fs::File;
use std::path::Path;

pub(super) const BAD_RECORD: &str = "staging/novel-ask/vol-02-validate.answers.json";

/// Another packet wants answers where those of chapter 13 go.
pub(super) fn rival(stage: &mut Stage, from: &str, to: &str) {
    let rival = stage.read(PACKET).replace("chapter:013:draft", "chapter:013:refine").replace(from, to);
    stage.put("staging/manifests/chapter-013-refine.packet.json", &rival);
}

/// A chapter asks what chapter 13 asks.
pub(super) fn same_packet(stage: &mut Stage, chapter: &str) {
    let packet = stage.read(PACKET).replace("013", chapter);
    stage.put(&format!("staging/manifests/chapter-{chapter}-draft.packet.json"), &packet);
}

/// Chapters 21 to 24 ask what chapter 13 asks, 21 with its topic; 22 has a draft, 24 cannot be written. The review of chapter
/// 13 is open.
pub(super) fn same_questions(stage: &mut Stage) {
    for chapter in ["021", "022", "023", "024"] {
        let packet = stage.read(PACKET).replace("013", chapter);
        let topic = if chapter == "021" { "平台绑定" } else { "平台再确认" };
        let packet = packet.replace("平台绑定", topic);
        let packet = packet.replace("staging/novel-ask/chapter-024", ".git/chapter-024");
        stage.put(&format!("staging/manifests/chapter-{chapter}-draft.packet.json"), &packet);
    }
    stage.open("chapter-022-draft").act(A::Down).act(A::Pick).act(A::Back);
    stage.open("chapter-013-draft").act(A::Down).act(A::Accept);
}

/// Somebody is told the record that was written last: agents as they stand in the line, `null` for the executor.
pub(super) fn tell(stage: &mut Stage, agents: &[&str]) {
    let receipt = stage.stack.model.receipt.as_ref().map(|written| &written.receipt).expect("a receipt");
    let line = |agent| {
        let (at, record) = ("2026-02-27T10:12:00.000Z", &receipt.sha256);
        format!(
            r#"{{"event": "told", "at": "{at}", "agent": {agent}, "by": "claude-code", "record": "{record}"}}"#
        )
    };
    let lines: Vec<String> = agents.iter().map(line).collect();
    let path = receipt.path.to_string_lossy().replace(".answers.json", ".rounds.jsonl");
    stage.put(&path, &(lines.join("\n") + "\n"));
}

/// The packet of chapter 15 is gone, in which one text was begun and one noted.
pub(super) fn kept(stage: &mut Stage) -> &mut Stage {
    stage.open("chapter-015-draft").write("雨停之前，别让他回头。").act(A::Note).write("再想想").act(A::Note);
    stage.act(A::Back).act(A::Back).act(A::Last);
    stage.delete("staging/manifests/chapter-015-draft.packet.json");
    stage.act(A::Last)
}

/// The packet of chapter 13 changes while it is answered.
pub(super) fn drift(stage: &mut Stage) {
    stage.open("chapter-013-draft").act(A::Down).act(A::Down).act(A::Pick);
    let other = r#""label": "zhihu", "description": "知乎盐选。短篇单本结算，开头三百字见冲突。""#;
    let packet = stage.read(PACKET);
    let from = packet.find(r#""label": "fanqie""#).expect("an option");
    let to = from + packet[from..].find('}').expect("its end");
    let changed = format!("{}{other}{}", &packet[..from], &packet[to..]);
    let changed = changed
        .replace("你准备发布到哪个平台？", "这一部准备先发布到哪个平台？")
        .replace(r#""default": "qidian""#, r#""default": "web""#);
    stage.put(PACKET, &changed);
}

/// The record of chapter 12 is seen, then that of somebody else in its place.
pub(super) fn remember(stage: &mut Stage) {
    const RECORD: &str = "staging/novel-ask/chapter-012-draft.answers.json";
    stage.select("chapter-012-draft").act(A::History).act(A::Back);
    let theirs = stage.read(RECORD).replace("human", "codex").replace("别让他回头", "让他走");
    stage.put(RECORD, &theirs);
    stage.select("chapter-012-draft").act(A::History);
}

/// Sixty threads to choose from; some are ticked, and the cursor is on the second page.
pub(super) fn many(stage: &mut Stage) {
    let option = |at: usize| {
        let (kind, what) = [
            ("线索", "正面出场，带来一条新线索，下一章必须接住，否则读者会以为是笔误。"),
            ("伏笔", "只在对话里被提起一次。"),
        ][at % 2];
        format!(r#"{{"label": "人物{at}·{kind}", "description": "{what}"}}"#)
    };
    let options: Vec<String> = (1..=60).map(option).collect();
    let packet = format!(
        r#"{{"step": "chapter:048:draft", "answer_path": "staging/a.json", "novel_ask": {{"version": 1, "topic": "出场的线索",
        "questions": [{{"id": "a", "header": "线索", "question": "哪些人物这一章要出场？", "kind": "multi_choice", "required": true,
        "allow_other": true, "options": [{}]}}]}}}}"#,
        options.join(",")
    );
    stage.put("staging/manifests/chapter-048-draft.packet.json", &packet);
    stage.open("chapter-048-draft").act(A::Pick).act(A::Down).act(A::Down).act(A::Pick);
    stage.act(A::Last).act(A::Pick).write("老梁的狗").act(A::Accept);
    stage.act(A::First).act(A::PageDown);
}

/// Claude Code asks something of its own, and it is selected.
pub(super) fn relayed(stage: &mut Stage) {
    stage.put(RELAYED, "{}");
    let file = File::open(stage.files.project.root().join(RELAYED)).expect("a packet");
    file.try_lock().expect("held as long as somebody waits");
    // For as long as the tests run.
    std::mem::forget(file);
    orphaned(stage);
}

/// The same, and nobody waits for it any more.
pub(super) fn orphaned(stage: &mut Stage) {
    let packet = r#"{"step": "relay:0c2f51ab", "agent": "claude-code", "_relay": {},
        "answer_path": "staging/novel-ask/relay/relay-0c2f51ab.answers.json", "novel_ask": {"version": 1,
        "topic": "Claude Code: 结尾", "questions": [{"id": "q1", "header": "结尾", "question": "第十三章停在哪里？",
        "kind": "single_choice", "required": true, "allow_other": true, "options": [
        {"label": "雨里", "description": "不解释。"}, {"label": "车站", "description": "人已经走了。"}]}]}}"#;
    stage.put(RELAYED, packet);
    let row = stage.stack.model.inbox.row_of(Path::new(RELAYED)).expect("it is listed");
    stage.act(A::First);
    for _ in 0..row {
        stage.act(A::Down);
    }
}
