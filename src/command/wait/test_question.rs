//! A question for `wait --test`: nothing of the book is in it, and packet and record go when it has its answer, or none.

use crate::ask::{Choice, JsString, Kind, Question, QuestionSpec, object, to_line};
use crate::command::{Session, lines};
use crate::error::Error;
use crate::platform::paths::Shown as _;
use crate::store::clock::rfc3339_millis;
use crate::store::lock::console_is_open;
use crate::store::relay::{Asked, Relay, sweep};
use crate::store::reply::Reply;
use crate::store::{Loaded, Project};
use crate::text::shell::shell_path;
use crate::text::{Lang, Sentence, say};

/// Puts the question into the project.
pub(super) fn ask(session: &mut Session<'_>, project: &Project) -> Result<Relay, Error> {
    let (lang, now) = (session.lang, session.clock.now());
    let state = session.state(project)?;
    sweep(project, &state, now);
    let spec = spec(lang);
    let about = to_line(&object([("since", rfc3339_millis(now))]));
    let asked = Asked { agent: "novel-gate wait --test", spec: &spec, call: &about, stays: false };
    let relay = Relay::open(project, &state, &asked)?;
    if !console_is_open(&state) {
        let sentence = say(
            "No console is open on this project with this state directory. Open one in another terminal with {0}: the test \
             question waits there.",
            "这个项目没有用此状态目录打开的控制台。请在另一个终端中用 {0} 打开：测试问题在那里等待回答。",
        );
        let given = session.global.state_dir.as_ref().map(|dir| session.environment.cwd.join(dir));
        let flag = given.map(|dir| format!(" --state-dir {}", shell_path(&dir.shown())));
        session.warn(&[sentence.fill(lang, &[&format!("novel-gate{}", flag.unwrap_or_default())])]);
    }
    Ok(relay)
}

/// Takes it out of the project; what the author said, in a sentence.
pub(super) fn close(
    session: &Session<'_>,
    project: &Project,
    relay: Relay,
    answered: Option<&Loaded>,
) -> Result<Option<String>, Error> {
    let state = session.state(project)?;
    let is_open = console_is_open(&state);
    if let Some(loaded) = answered {
        relay.settle(&state, loaded);
    }
    relay.close(project, &state, session.clock.now());
    Ok(answered.and_then(|loaded| answer(loaded, is_open, session.lang)))
}

/// An error of waiting, if the packet is gone: what the author has done.
pub(super) fn taken_back(error: Error) -> Error {
    let sentence = say(
        "The test question was handed back in the console, or its packet was deleted.",
        "测试问题已在控制台中交还，或它的指令包已被删除。",
    );
    if error.code == "no-packet" { Error::new(error.kind, "taken-back", sentence, &[]) } else { error }
}

fn answer(loaded: &Loaded, is_open: bool, lang: Lang) -> Option<String> {
    if let Some(Reply { sent, .. }) = &loaded.sent_back {
        let works = say("It works. The author has sent it back: {0}", "接通了。作者退回了它：{0}");
        return Some(works.fill(lang, &[&sent.reason.display()]));
    }
    let (_, answer) = loaded.record.valid()?.answers.first()?;
    let works = say("It works. The author has answered: {0}", "接通了。作者的回答：{0}");
    let elsewhere = say(
        "A hook would not ask here: no console is open with this state directory. If one is open, it has another; give both \
         the same --state-dir. The author has answered: {0}",
        "hook 不会在这里提问：没有用此状态目录打开的控制台。若有控制台开着，它用的是另一个状态目录；请给两者相同的 --state-dir。作者的回答：{0}",
    );
    let sentence = if is_open { works } else { elsewhere };
    Some(sentence.fill(lang, &[&lines::values(answer, lang)]))
}

fn spec(lang: Lang) -> QuestionSpec {
    let text = |sentence: Sentence| JsString::from(sentence.text(lang));
    let choice = |(label, description)| Choice {
        label: text(label),
        description: text(description),
        cluster: None,
        sends_back: false,
        round: None,
    };
    let options = [
        (
            say("Yes", "看到了"),
            say(
                "Whoever ran novel-gate wait --test gets this answer.",
                "运行 novel-gate wait --test 的一方会得到这个回答。",
            ),
        ),
        (
            say("Not here", "不该在这里"),
            say("It should have come to another console or project.", "它本应出现在别的控制台或项目中。"),
        ),
    ];
    let question = Question {
        id: "test".to_owned(),
        header: text(say("Test", "测试")),
        question: text(say(
            "Does this question reach you? Nothing of the book depends on it.",
            "你看到这个问题了吗？它与书的内容无关。",
        )),
        kind: Kind::SingleChoice,
        required: true,
        options: options.map(choice).to_vec(),
        allow_other: true,
        default: Vec::new(),
    };
    QuestionSpec {
        version: 1.0, topic: text(say("Test question", "测试问题")), questions: vec![question]
    }
}
