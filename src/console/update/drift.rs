//! The packet of the open form has changed, or another packet has the same answer path.
//!
//! Contract:
//! * Answers follow a packet to a new answer path; a banner names it.
//! * The changes can be shown as a page for as long as the form is open.

use super::super::effect::Effect;
use super::super::model::{Banner, BannerTopic, Form, Message, Model, Over};
use crate::ask::Packet;
use crate::store::entry::Entry;
use crate::text::say;
use std::path::Path;
use std::sync::Arc;

/// Notes whether another packet wants other answers in the same place.
pub(super) fn note_conflict(model: &mut Model) {
    model.change_status(|model| {
        if let Some(form) = &mut model.form {
            form.status.warnings.conflict = model.inbox.entry_at(&form.gate.path).and_then(conflict);
        }
    });
}

/// The sentence that names a packet with other questions for the same place.
fn conflict(entry: &Entry) -> Option<Message> {
    let (rival, _) = entry.others().find(|(_, agrees)| !agrees)?;
    let own = entry.path.to_path_buf();
    // File names are enough, unless they are equal.
    let shown = |path: &Path| match path.file_name() {
        Some(name) if own.file_name() != rival.file_name() => name.to_string_lossy().into_owned(),
        _ => path.to_string_lossy().into_owned(),
    };
    Some(Message::new(
        say(
            "Conflict: {0} and {1} want different answers in one place. One record cannot answer both; \
             have one of them rewritten.",
            "冲突：{0} 与 {1} 要在同一位置写入不同的回答。一份记录无法同时回答两者，请让执行器重新生成其中一个。",
        ),
        &[&shown(&own), &shown(rival)],
    ))
}

/// Takes over a packet that asks the same questions. Returns whether the answers go somewhere else now.
pub(super) fn answer_path_changed(form: &mut Form, packet: Arc<Packet>) -> bool {
    let place = |packet: &Packet| packet.gate.as_ref().map(|gate| gate.answer_path.clone());
    let (before, now) = (place(&form.gate.packet), place(&packet));
    form.gate.packet = packet;
    let moved = before != now;
    if let Some(now) = now.filter(|_| moved) {
        let message = Message::new(
            say(
                "The packet now wants the answers in another place: {0}. They are kept and will go there.",
                "指令包要求把回答写到新的位置：{0}。回答已保留，将写到那里。",
            ),
            &[&now.display()],
        );
        form.status.warnings.banner = Some(Banner { topic: BannerTopic::AnswerPath, message });
    }
    moved
}

/// Shows what the packet asks differently now, as a page.
pub(super) fn show(model: &mut Model) -> Vec<Effect> {
    if let Some(form) = &mut model.form {
        // The page shows the same.
        form.status.warnings.banner.take_if(|banner| banner.topic == BannerTopic::Questions);
    }
    model.show_over(Over::Changes)
}
