//! Refuses to let an executor write a record by hand if that would leave the step blocked or overwrite answers. What a
//! shell command writes, no hook sees.

use super::{Call, Decision, Verdict, edit};
use crate::ask::json::Item;
use crate::ask::{Problem, check_record};
use crate::command::{Session, lines};
use crate::store::gate::{self, Loaded};
use crate::store::{RecordState, collision, safe_path};
use crate::text::{Safe, say};

/// Decides about a call that writes a file.
pub(super) fn judge(session: &Session<'_>, call: &Call<'_>) -> Verdict {
    let Some(path) = call.input.get("file_path").and_then(Item::string) else { return Verdict::None };
    let Some(place) = safe_path::place_of(&call.project, &call.cwd.join(&*path.lossy())) else {
        return Verdict::None;
    };
    let packets = collision::packets_of(&call.project, &place, session.clock.now());
    let load = |packet| gate::load(&call.project, &call.project.root().join(packet)).ok();
    let gates: Vec<Loaded> = packets.iter().filter_map(load).collect();
    let Some(first) = gates.first() else { return Verdict::None };
    let current = String::from_utf8_lossy(&first.record.bytes);
    let Some(text) = edit::text_after(call.tool, call.input, Some(&current)) else {
        return Verdict::None;
    };
    let overwritten = |loaded: &&Loaded| {
        matches!(loaded.record.state, RecordState::Valid(_)) && loaded.record.bytes != text.as_bytes()
    };
    if let Some(loaded) = gates.iter().find(overwritten) {
        return Verdict::Said(Decision::new("deny", &overwrites(session, call, loaded)));
    }
    // Where several gates want their record here, it is for one of them.
    let faults =
        |loaded: &Loaded| loaded.gate().and_then(|gate| check_record(&gate.spec, text.as_bytes()).err());
    let wrong: Vec<Vec<Problem>> = gates.iter().map_while(faults).collect();
    if wrong.len() < gates.len() {
        return Verdict::None;
    }
    let problems = wrong.first().map(Vec::as_slice).unwrap_or_default();
    Verdict::Said(Decision::new("deny", &invalid(session, call, first, problems)))
}

fn packet(call: &Call<'_>, loaded: &Loaded) -> String {
    call.project.relative(&loaded.path).to_string_lossy().into_owned()
}

fn overwrites(session: &Session<'_>, call: &Call<'_>, loaded: &Loaded) -> String {
    let by = match &loaded.record.state {
        RecordState::Valid(record) => record.answered_by.display().into_owned(),
        _ => String::new(),
    };
    let sentence = say(
        "A valid record is there already, answered by {1}; the gate of {0} is open, and its answers are not overwritten. \
         Read the record and go on. Only if the author wants to answer anew: novel-gate redo {0}",
        "这里已有一份有效的记录，由 {1} 作答；{0} 的门控已放行，其中的回答不会被覆盖。请读取记录并继续。\
         只有作者想重新作答时，才运行：novel-gate redo {0}",
    );
    harmless(&sentence.fill(session.lang, &[&packet(call, loaded), &by]))
}

fn invalid(session: &Session<'_>, call: &Call<'_>, loaded: &Loaded, problems: &[Problem]) -> String {
    let sentence = say(
        "This is not a valid record for the gate of {0}; its step would be blocked:",
        "对 {0} 的门控来说，这不是有效的记录；它的步骤会受阻：",
    );
    let advice = say(
        "Do not write records by hand, and do not answer for the author. Ask with novel-gate next {0} --for claude-code \
         --replies FILE --write, or hand the author's answers to novel-gate answer {0}.",
        "不要手写记录，也不要替作者回答。请用 novel-gate next {0} --for claude-code --replies FILE --write 提问，\
         或把作者的回答交给 novel-gate answer {0}。",
    );
    let packet = packet(call, loaded);
    let mut lines = vec![sentence.fill(session.lang, &[&packet])];
    lines.extend(lines::problems(problems, session.lang));
    lines.push(advice.fill(session.lang, &[&packet]));
    lines.iter().map(|line| harmless(line)).collect::<Vec<_>>().join("\n")
}

/// The reason is shown to people too.
fn harmless(line: &str) -> String {
    Safe::line(line).into_string()
}
