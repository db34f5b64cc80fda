//! What the executors' tools put out: `AskUserQuestion` of Claude Code and `request_user_input` of Codex.

use super::call::{Fault, INVALID_REPLY};
use super::profile::{Executor, Profile};
use super::question::{AskedQuestion, QuestionReply};
use super::screens::QuestionScreen;
use super::silence::{Silence, silence};
use crate::ask::JsString;
use crate::ask::json::{Item, Kind};
use crate::text::say;

/// What came back for each question, in their order, and the author's words beside choices, by the place of the question.
/// Nothing came back if the author closed the dialog or nobody was there.
type Output = (Option<Vec<QuestionReply>>, Vec<(usize, JsString)>);

pub(super) fn read(
    executor: Executor,
    output: Item<'_>,
    shown: &[AskedQuestion<'_>],
) -> Result<Output, Fault> {
    let (replies, mut notes) = match executor {
        Executor::Codex => read_codex(output, shown)?,
        Executor::ClaudeCode | Executor::JsonContract => read_claude(output, shown)?,
    };
    notes.retain(|(_, note)| silence(note).is_none());
    let answers = replies.and_then(|replies| without_silence(replies, shown, &notes));
    Ok(answers.map_or((None, Vec::new()), |replies| (Some(replies), notes)))
}

/// The replies without what clients say where nothing was answered; `None` if the author left, or has said nothing at all.
fn without_silence(
    mut replies: Vec<QuestionReply>,
    shown: &[AskedQuestion<'_>],
    notes: &[(usize, JsString)],
) -> Option<Vec<QuestionReply>> {
    let mut is_any_silent = false;
    for (reply, shown) in replies.iter_mut().zip(shown) {
        match shown.silence(reply) {
            None => {}
            Some((Silence::Left, _)) => return None,
            Some((Silence::Skipped, true)) => *reply = QuestionReply::Contradictory,
            Some((Silence::Skipped, false)) => {
                *reply = QuestionReply::Nothing;
                is_any_silent = true;
            }
        }
    }
    let is_silent =
        is_any_silent && notes.is_empty() && replies.iter().all(|reply| *reply == QuestionReply::Nothing);
    (!is_silent).then_some(replies)
}

/// `AskUserQuestionOutput` of the published types of `@anthropic-ai/claude-agent-sdk`.
fn read_claude(output: Item<'_>, shown: &[AskedQuestion<'_>]) -> Result<Output, Fault> {
    let Some(answers) = output.object("answers") else {
        let sentence = say(
            "Expected an object \"answers\", by question text.",
            "应有一个以问题文本为键的对象 \"answers\"。",
        );
        return Err(Fault::new(INVALID_REPLY, sentence, &[]).at("/output/answers"));
    };
    let state = |screen: &QuestionScreen| {
        let note = output.get("annotations").and_then(|notes| by_text(notes, screen));
        note.and_then(|note| note.text("unanswered"))
    };
    // A call that ended by itself, or that the author closed, is no answer, whatever it carries.
    let left = |state: Option<JsString>| {
        state.is_some_and(|state| state == "dismissed" || state == "replied_in_chat")
    };
    let timed_out = output.given("afkTimeoutMs").is_some();
    // The author wants to be asked something else.
    let other = output.get("followUp").and_then(Item::boolean) == Some(true);
    if timed_out || other || shown.iter().any(|shown| left(state(shown.screen))) {
        return Ok((None, Vec::new()));
    }
    let response = output.text("response").filter(|_| shown.len() == 1);
    let (mut replies, mut notes) = (Vec::new(), Vec::new());
    for (place, shown) in shown.iter().enumerate() {
        let note = output.get("annotations").and_then(|notes| by_text(notes, shown.screen)?.text("notes"));
        notes.extend(note.filter(|note| !note.is_blank()).map(|note| (place, note)));
        let skipped = state(shown.screen).is_some_and(|state| state == "skipped");
        // Beside a skip stands what the model is to read, not what the author said.
        let reply = match by_text(answers, shown.screen).filter(|_| !skipped) {
            Some(value) => claude_reply(value, shown.screen)?,
            None => QuestionReply::Nothing,
        };
        replies.push(match (reply, &response) {
            (QuestionReply::Nothing, _) if skipped => QuestionReply::Skipped,
            (QuestionReply::Nothing, Some(words)) if !words.is_blank() => {
                QuestionReply::Chosen(vec![words.clone()])
            }
            (reply, _) => reply,
        });
    }
    Ok((Some(replies), notes))
}

/// The member for a question: by its text exactly, else up to outer white space.
fn by_text<'j>(object: Item<'j>, screen: &QuestionScreen) -> Option<Item<'j>> {
    let entries = object.entries();
    let exact = entries.iter().find(|(key, _)| *key == screen.text);
    let text = screen.text.trimmed();
    exact.or_else(|| entries.iter().find(|(key, _)| key.trimmed() == text)).map(|&(_, value)| value)
}

fn claude_reply(value: Item<'_>, screen: &QuestionScreen) -> Result<QuestionReply, Fault> {
    let labels = match (value.string(), value.kind()) {
        (Some(label), _) if label.is_blank() => Vec::new(),
        (Some(label), _) => {
            if screen.multi {
                parts(&label, screen)
            } else {
                vec![label]
            }
        }
        (None, Kind::Null) => Vec::new(),
        (None, _) => strings(value).ok_or_else(|| {
            let sentence = say("Expected a label or a list of labels.", "应为一个选项标签或标签列表。");
            Fault::new(INVALID_REPLY, sentence, &[]).at("/output/answers")
        })?,
    };
    let blank = labels.iter().all(JsString::is_blank);
    Ok(if blank { QuestionReply::Nothing } else { QuestionReply::Chosen(labels) })
}

fn parts(joined: &JsString, screen: &QuestionScreen) -> Vec<JsString> {
    if screen.entries.iter().any(|entry| entry.label == *joined) {
        return vec![joined.clone()];
    }
    joined.split_trimmed(',')
}

fn read_codex(output: Item<'_>, shown: &[AskedQuestion<'_>]) -> Result<Output, Fault> {
    let wrong = |pointer: String| {
        let sentence = say(
            "Expected {\"answers\": {ID: {\"answers\": [LABEL, …]}}}.",
            "应为 {\"answers\": {ID: {\"answers\": [LABEL, …]}}}。",
        );
        Fault::new(INVALID_REPLY, sentence, &[]).at(pointer)
    };
    let answers = output.object("answers").ok_or_else(|| wrong("/output/answers".to_owned()))?;
    let (mut replies, mut notes) = (Vec::new(), Vec::new());
    for (place, shown) in shown.iter().enumerate() {
        let id = &shown.question.id;
        let labels = match answers.get(id) {
            None => Vec::new(),
            Some(answer) => answer
                .get("answers")
                .and_then(strings)
                .ok_or_else(|| wrong(format!("/output/answers/{id}/answers")))?,
        };
        let (reply, note) = codex_reply(&labels, shown.profile);
        replies.push(reply);
        notes.extend(note.map(|text| (place, text)));
    }
    Ok((Some(replies), notes))
}

fn codex_reply(labels: &[JsString], profile: &Profile) -> (QuestionReply, Option<JsString>) {
    let prefix = profile.note_prefix.unwrap_or_default();
    let (mut chosen, mut words, mut refused) = (Vec::new(), None, false);
    for label in labels {
        let trimmed = label.trimmed();
        if let Some(typed) = label.without_prefix(prefix) {
            words = Some(typed.trimmed()).filter(|typed| !typed.is_empty()).or(words);
        } else if profile.none_labels.iter().any(|none| trimmed == *none) {
            refused = true;
        } else if !trimmed.is_empty() {
            chosen.push(label.clone());
        }
    }
    match (chosen.is_empty(), refused, words) {
        (true, _, Some(words)) => (QuestionReply::Typed(words), None),
        (true, true, None) => (QuestionReply::NoneOfThese, None),
        (true, false, None) => (QuestionReply::Nothing, None),
        (false, true, words) => (QuestionReply::Contradictory, words),
        (false, false, words) => (QuestionReply::Chosen(chosen), words),
    }
}

/// The strings of a list; none if it is no list or holds anything else.
fn strings(value: Item<'_>) -> Option<Vec<JsString>> {
    (value.kind() == Kind::Array).then(|| value.elements().map(Item::string).collect()).flatten()
}
