//! Records that an executor is about to write, change, move or delete. Only novel-gate and the author's own hand do that,
//! whatever would lie there afterwards: what is good in form may still be nobody's answer.

use super::call::{Call, MOST, Tool, check_whole, no_call, own_project, shown};
use super::packets::{self, Taken};
use crate::ask::JsString;
use crate::ask::json::Item;
use crate::command::Session;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::{Shown as _, of_shell};
use crate::store::entry::Entry;
use crate::store::gate::Status;
use crate::store::questions::{QuestionFile, Questions};
use crate::store::rounds::ENDING;
use crate::store::safe_path::places_of;
use crate::store::scan::{self, Wanted};
use crate::store::{Project, collision};
use crate::text::say;
use std::path::is_separator;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a patch does with a file, in front of its name.
const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The files that a call writes, moves or deletes; none for other tools.
pub(super) fn files(
    tool: Tool,
    input: Item<'_>,
    cwd: &Path,
    home: Option<&Path>,
) -> Result<Vec<PathBuf>, Error> {
    let key = match tool {
        Tool::Write(key) => key,
        Tool::Patch => "command",
        Tool::Ask { .. } | Tool::Dispatch | Tool::Workflow | Tool::Skill | Tool::Shell => {
            return Ok(Vec::new());
        }
    };
    let word = input.text(key).ok_or_else(no_call)?;
    let word = word.lossy();
    if tool == Tool::Patch {
        return Ok(patched_files(&word).into_iter().take(MOST + 1).map(|name| cwd.join(name)).collect());
    }
    // Claude Code takes blanks around a path away, and `~` for the home directory.
    let name = word.trim();
    let at_home = home.and_then(|home| Some(home.join(name.strip_prefix('~')?.strip_prefix(is_separator)?)));
    Ok([Some(cwd.join(&*of_shell(name))), at_home].into_iter().flatten().collect())
}

/// The files that a patch names. A line that begins with `+` or `-` is a text's.
fn patched_files(patch: &str) -> Vec<&str> {
    let name = |line| HEADERS.iter().find_map(|header| str::strip_prefix(line, header));
    patch.lines().filter_map(|line| name(line.trim_start())).map(str::trim).collect()
}

/// Why a call may not touch its files; the reason is shown to people too. A file is looked for in the project of the call and
/// in its own.
pub(super) fn refusal(session: &Session<'_>, call: &Call<'_>) -> Result<Option<Vec<String>>, Error> {
    let mut touched: Vec<(Arc<Project>, Vec<PathBuf>)> = Vec::new();
    for file in call.files.iter().take(MOST) {
        let places = places_of(file);
        let own = own_project(&places).filter(|own| own.root() != call.project.root()).map(Arc::new);
        for project in std::iter::once(Arc::clone(&call.project)).chain(own) {
            let below = |place: &PathBuf| place.strip_prefix(project.root()).ok().map(Path::to_path_buf);
            let places: Vec<PathBuf> = places.iter().filter_map(below).collect();
            match touched.iter_mut().find(|(other, _)| other.root() == project.root()) {
                _ if places.is_empty() => {}
                Some((_, known)) => known.extend(places),
                None => touched.push((project, places)),
            }
        }
    }
    let mut looked = Vec::new();
    for (project, places) in &touched {
        if let Some(place) = places.iter().find(|place| place.shown().ends_with(ENDING)) {
            return Ok(Some(reason_of_rounds(session, place)));
        }
        for wanted in Wanted::written(places) {
            let scanner = scan::look_for(project, wanted, session.clock.now());
            let entries = scanner.entries();
            let gates_at = |place: &PathBuf| collision::gates_at(project, &entries, place);
            if let Some(gate) = places.iter().flat_map(gates_at).next() {
                return Ok(Some(reason(session, call, project, &gate)));
            }
            looked.push(scanner);
        }
        let questions = Questions::read(project);
        let owner = |place: &PathBuf| Some((questions.owner(&place.shown())?, place.clone()));
        if let Some((question, place)) = places.iter().find_map(owner) {
            return Ok(Some(reason_of_standing(session, question, &place)));
        }
    }
    for made in packets::written(call) {
        let places = |(project, places): &(Arc<Project>, Vec<PathBuf>)| {
            packets::taken(project, &made, places, session.clock.now())
        };
        if let Some(taken) = touched.iter().find_map(places) {
            return Ok(Some(reason_of_taken(session, &taken)));
        }
    }
    if call.files.len() > MOST {
        let sentence = say(
            "The patch names more than {0} files; not all of them can be looked at.",
            "这个补丁涉及的文件超过 {0} 个，无法全部查看。",
        );
        return Err(Error::new(ExitCode::Failed, "unseen", sentence, &[&MOST.to_string()]));
    }
    looked.iter().try_for_each(check_whole)?;
    Ok(None)
}

/// Why nobody but novel-gate touches the answer to a standing question, and the right way.
fn reason_of_standing(session: &Session<'_>, question: &QuestionFile, place: &Path) -> Vec<String> {
    let sentence = say(
        "Only novel-gate and the author's own hand write, change, move or delete the record {0}: it is the answer to the author's \
         standing question {1}. Do not answer for the author. He is asked before the step; wait for that: novel-gate wait STEP",
        "记录 {0} 只由 novel-gate 或作者亲手写入、修改、移动或删除：它是作者的常设提问 {1} 的回答。不要替作者回答。这一步之前会问他，请等待：\
         novel-gate wait STEP",
    );
    let parts = [shown(&place.shown()), shown(&question.name)];
    vec![sentence.fill(session.lang, &[&parts[0], &parts[1]])]
}

/// Why nobody but novel-gate touches what has happened to a gate.
fn reason_of_rounds(session: &Session<'_>, place: &Path) -> Vec<String> {
    let sentence = say(
        "Only novel-gate writes {0}: it says what has happened to a gate, what was told to whom, and what its author has sent back.",
        "{0} 只由 novel-gate 写入：其中记着一个门控的经过：把什么告诉了谁，作者退回了什么。",
    );
    vec![sentence.fill(session.lang, &[&shown(&place.shown())])]
}

/// Why a packet takes no file that is there, and the right way.
fn reason_of_taken(session: &Session<'_>, taken: &Taken) -> Vec<String> {
    let sentence = say(
        "The packet {0} would take the file {1}, which is there already, for the author's answers, and nobody has asked him. Give \
         answer_path a place where nothing is: his answers go there.",
        "指令包 {0} 会把已经存在的文件 {1} 当作作者的回答，而作者还没有被问过。请把 answer_path 改成一个还没有文件的位置，作者的回答会写到那里。",
    );
    let parts = [shown(&taken.packet.shown()), shown(&taken.answer_path.lossy())];
    vec![sentence.fill(session.lang, &[&parts[0], &parts[1]])]
}

/// Why nobody but novel-gate touches the record of a gate, and the right way.
fn reason(session: &Session<'_>, call: &Call<'_>, project: &Project, gate: &Entry) -> Vec<String> {
    let lang = session.lang;
    let first = say(
        "Only novel-gate and the author's own hand write, change, move or delete the record {0}.",
        "记录 {0} 只由 novel-gate 或作者亲手写入、修改、移动或删除。",
    );
    let advice = match gate.status {
        Status::Answered => say(
            "The gate is open: {1} has answered. Do not ask again: read the record and go on. Only if the author wants to answer \
             anew: novel-gate redo {0}",
            "门控已放行：{1} 已经作答。不要再问：请读取记录并继续。只有作者想重新作答时，才运行：novel-gate redo {0}",
        ),
        Status::Blocked => say(
            "It is not valid. To see why: novel-gate check {0}. With redo in place of check it goes into the history, and the gate \
             waits anew.",
            "它无效。查看原因：novel-gate check {0}。把 check 换成 redo，它就移入历史，门控重新等待。",
        ),
        Status::Malformed => say(
            "Its packet cannot be used. To see why: novel-gate check {0}. Mend the packet; then the author can answer.",
            "它的指令包无法使用。查看原因：novel-gate check {0}。请修好指令包，之后作者才能回答。",
        ),
        Status::NoGate | Status::Waiting | Status::SentBack => say(
            "Do not answer for the author. Wait for the answers: novel-gate wait {0}. In place of wait, next with --for {2} \
             --replies FILE --write asks in your own dialog, and answer with --by NAME --set ID=VALUE hands over what the \
             author has answered.",
            "不要替作者回答。请等待回答：novel-gate wait {0}。把 wait 换成 next 并加上 --for {2} --replies FILE --write，即在你自己的\
             对话框里提问；换成 answer 并加上 --by NAME --set ID=VALUE，即转交作者已经给出的回答。",
        ),
    };
    let text = |text: &Option<JsString>| text.as_ref().map(|text| shown(&text.lossy())).unwrap_or_default();
    let words = call.words_for(project, &gate.path);
    vec![
        first.fill(lang, &[&text(&gate.answer_path)]),
        advice.fill(lang, &[&words, &text(&gate.answered_by), call.executor.name()]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::json::Json;

    #[test]
    fn a_patch_names_the_files_that_it_touches() {
        let patch = "*** Begin Patch\n*** Add File: a b.json\n+{\n+*** Add File: x\n+\n  *** Update File: c \n\
                     *** Move to: ../d\n@@\n-*** Delete File: y\n+d\n*** Delete File: /e\r\n*** End Patch";
        assert_eq!(patched_files(patch), ["a b.json", "c", "../d", "/e"]);
        assert_eq!(patched_files(""), [""; 0]);
        assert_eq!(patched_files("+a\n***Delete File: b\n*** delete file: c"), [""; 0]);
    }

    #[test]
    fn each_tool_names_its_files_in_its_own_way() {
        let named = |tool, input: &str| {
            let json = Json::parse(input.as_bytes()).expect("JSON");
            files(tool, json.root(), Path::new("/b"), Some(Path::new("/h"))).map_err(|error| error.code)
        };
        let path = |path: &str| Ok(vec![PathBuf::from(path)]);
        for (tool, input, found) in [
            (Tool::Write("file_path"), r#"{"file_path": "a", "notebook_path": "n"}"#, path("/b/a")),
            (Tool::Write("notebook_path"), r#"{"file_path": "a", "notebook_path": "/note"}"#, path("/note")),
            (Tool::Write("file_path"), r#"{"file_path": " /a b \n"}"#, path("/a b")),
            (
                Tool::Write("file_path"),
                r#"{"file_path": "~/c"}"#,
                Ok(["/b/~/c", "/h/c"].map(PathBuf::from).to_vec()),
            ),
            (Tool::Patch, r#"{"command": "*** Delete File: c/d"}"#, path("/b/c/d")),
            (Tool::Dispatch, r#"{"file_path": "a"}"#, Ok(Vec::new())),
            (Tool::Write("file_path"), "{}", Err("no-call")),
            (Tool::Write("file_path"), r#"{"file_path": null}"#, Err("no-call")),
            (Tool::Patch, r#"{"command": ["a"]}"#, Err("no-call")),
        ] {
            assert_eq!(named(tool, input), found, "{input}");
        }
        let long = "*** Add File: a\\n".repeat(100_000);
        assert_eq!(
            named(Tool::Patch, &format!(r#"{{"command": "{long}"}}"#)).map(|files| files.len()),
            Ok(MOST + 1)
        );
    }
}
