//! What a call brings along beside its questions: the client's timer, and what the model says of its own.

use crate::adapter::profile::Executor;
use crate::ask::JsString;
use crate::ask::json::{self, Item};
use crate::text::{Lang, Sentence, say};
use std::time::Duration;

/// In how many seconds the client's own dialog goes on without an answer, if it does. What it then puts out is none.
pub fn timer(executor: Executor, input: Item<'_>) -> Option<u64> {
    /// Codex counts a minute, and another one that it shows.
    const USUAL: f64 = 120_000.0;
    let waits = input.get("isBlocking").and_then(Item::boolean);
    let given = input.get("autoResolutionMs").and_then(Item::number).filter(|_| waits != Some(true));
    let millis = given.or((waits == Some(false)).then_some(USUAL));
    let millis = millis.filter(|_| executor == Executor::Codex)?;
    Duration::try_from_secs_f64(millis / 1_000.0).ok().map(|timer| timer.as_secs().max(1))
}

/// What the model has put beside a question that is called so: notes and answers of its own.
pub(super) fn brought(input: Item<'_>, key: &JsString, lang: Lang) -> Vec<String> {
    let note = say(
        "The model's own note, never handed back as yours: {0}",
        "模型自己写的备注，绝不会当作你的话交回：{0}",
    );
    let answer = say(
        "The model's own answer, never handed back as yours: {0}",
        "模型自己填的回答，绝不会当作你的回答交回：{0}",
    );
    let of = |member| {
        let all = input.get(member).map(Item::entries).unwrap_or_default();
        let its = all.into_iter().filter(|(name, item)| name == key && item.kind() != json::Kind::Null);
        its.map(|(_, item)| item).next_back()
    };
    let text =
        |item: Item<'_>| item.string().map_or_else(|| item.compact(), |text| text.display().into_owned());
    let said = |(sentence, item): (Sentence, Option<Item<'_>>)| {
        item.map(text).filter(|text| !text.is_empty()).map(|text| sentence.fill(lang, &[&text]))
    };
    let annotation = of("annotations").map(|beside| beside.get("notes").unwrap_or(beside));
    let given = of("answers").map(|answer| answer.get("answers").unwrap_or(answer));
    [(note, annotation), (answer, given)].into_iter().filter_map(said).collect()
}
