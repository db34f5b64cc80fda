//! The form in which a draft is kept between sessions.
//!
//! Replies are kept by question id and option label, so that a draft survives a packet that changes; what no longer fits
//! is an [`Orphan`]. The reply that it was part of is kept whole beside it, until the packet asks for it again or the author
//! answers something else.

use super::saved_reply::SavedReply;
use super::{Draft, Reason, Reply};
use crate::ask::answer::{Answer, sort_picks};
use crate::ask::js_string::JsString;
use crate::ask::json::to_line;
use crate::ask::question::{Kind, Question, QuestionSpec, label_places};
use std::collections::{HashMap, HashSet};

/// Something typed or chosen that no longer fits its question; shown to the author, never dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    pub id: JsString,
    pub words: JsString,
}

/// A draft for questions that may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedOver {
    pub draft: Draft,
    /// What no longer fits.
    pub orphans: Vec<Orphan>,
    /// Questions whose answers did not fit before and are filled in again.
    pub again: Vec<String>,
}

impl Draft {
    /// Appends the replies as a JSON array.
    pub fn write_json(&self, spec: &QuestionSpec, out: &mut String) {
        out.push_str(&to_line(&self.saved(spec)));
    }

    /// Reads replies back for a spec that may have changed since: what fits is restored, the rest is an orphan beside
    /// those of before.
    pub fn read_json(spec: &QuestionSpec, replies: &str, orphans: Vec<Orphan>) -> CarriedOver {
        Draft::restored(spec, serde_json::from_str(replies).unwrap_or_default(), orphans)
    }

    /// The same answers for questions that have changed: what fits stays or is filled in again, the rest is an orphan
    /// beside those of before.
    pub fn carried_over(&self, from: &QuestionSpec, to: &QuestionSpec, orphans: Vec<Orphan>) -> CarriedOver {
        Draft::restored(to, self.saved(from), orphans)
    }

    fn saved(&self, spec: &QuestionSpec) -> Vec<SavedReply> {
        let pairs = spec.questions.iter().zip(&self.replies);
        let replies = pairs.map(|(question, reply)| SavedReply::of(question, reply));
        let given = self.given.iter().filter(|given| self.stands(given, spec)).cloned();
        replies.chain(given).chain(SavedReply::of_reason(&self.reason)).collect()
    }

    /// Whether the author has answered nothing else since.
    fn stands(&self, given: &SavedReply, spec: &QuestionSpec) -> bool {
        let asked = given.id.as_str().and_then(|id| spec.find(id));
        asked.filter(|(_, question)| given.kind == Some(question.kind)).is_none_or(|(at, question)| {
            let (now, mut then) = (&self.replies[at], Reply::fresh(question));
            given.clone().restore(question, &mut then);
            now.touched == then.touched && now.says_as(&then)
        })
    }

    fn restored(spec: &QuestionSpec, replies: Vec<SavedReply>, orphans: Vec<Orphan>) -> CarriedOver {
        let (mut given, replies): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.given);
        let (reasons, replies): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.is_reason);
        let mut over = CarriedOver { draft: Draft::new(spec), orphans, again: Vec::new() };
        if let Some(SavedReply { id, note, .. }) = reasons.into_iter().next() {
            let asked = id.as_str().filter(|id| spec.find(id).is_some());
            over.draft.reason = Reason { words: note, does_not_apply: asked.map(str::to_owned) };
        }
        let places = spec.places();
        // A note belongs to its question, whatever kind that is of.
        let mut notes: Vec<(usize, JsString)> = Vec::new();
        for mut reply in replies {
            if let Some(&place) = reply.id.as_str().and_then(|id| places.get(id)) {
                notes.push((place, std::mem::replace(&mut reply.note, JsString::EMPTY)));
            }
            let same = |given: &SavedReply| (&given.id, given.kind) == (&reply.id, reply.kind);
            let given = given.iter().position(same).map(|at| given.swap_remove(at));
            over.take(spec, &places, given, Some(reply));
        }
        for given in given {
            over.take(spec, &places, Some(given), None);
        }
        for (place, note) in notes {
            over.draft.replies[place].note = note;
        }
        over
    }

    /// Keeps words for a question that is not asked any more, as if they had been typed there before.
    pub fn type_for(&mut self, gone: &Question, words: &str) {
        let same = |given: &SavedReply| given.id == *gone.id && given.kind == Some(gone.kind);
        let at = self.given.iter().position(same).unwrap_or_else(|| {
            self.given.push(SavedReply { given: true, ..SavedReply::of(gone, &Reply::default()) });
            self.given.len() - 1
        });
        let reply = &mut self.given[at];
        if gone.kind == Kind::FreeText {
            (reply.touched, reply.prefilled, reply.text) = (true, false, words.into());
        } else {
            words.clone_into(&mut reply.other);
        }
    }
}

impl CarriedOver {
    /// Takes one reply over: as it was given, if it did not fit whole before, else as it was in the draft.
    fn take(
        &mut self,
        spec: &QuestionSpec,
        places: &HashMap<&str, usize>,
        given: Option<SavedReply>,
        recent: Option<SavedReply>,
    ) {
        let lacked = given.is_some();
        let before = recent.clone();
        let Some(whole) = given.map(|given| given.with_words_of(recent.as_ref())).or(recent) else { return };
        if lacked {
            let words = whole.clone().words();
            self.orphans.retain(|orphan| orphan.id != whole.id || !words.contains(&orphan.words));
        }
        let place = whole.id.as_str().and_then(|id| places.get(id)).copied();
        let lost = match place.filter(|&place| whole.kind == Some(spec.questions[place].kind)) {
            Some(place) => {
                let (question, reply) = (&spec.questions[place], &mut self.draft.replies[place]);
                let mut was = reply.clone();
                if let Some(before) = before {
                    before.restore(question, &mut was);
                }
                let lost = whole.clone().restore(question, reply);
                if lacked && reply.says() && !reply.says_as(&was) {
                    self.again.push(question.id.clone());
                }
                if lost.is_empty() {
                    return;
                }
                lost
            }
            None if whole.is_nothing() => return,
            None => whole.clone().words(),
        };
        let orphans = lost.into_iter().map(|words| Orphan { id: whole.id.clone(), words });
        self.orphans.extend(orphans);
        self.draft.given.push(SavedReply { given: true, ..whole });
    }
}

impl SavedReply {
    fn of(question: &Question, reply: &Reply) -> SavedReply {
        let unnamed = |aside| SavedReply {
            id: JsString::EMPTY,
            kind: None,
            required: None,
            ..SavedReply::of(question, aside)
        };
        SavedReply {
            id: question.id.as_str().into(),
            kind: Some(question.kind),
            required: Some(question.must_be_answered()),
            given: false,
            is_reason: false,
            touched: reply.touched,
            prefilled: reply.prefilled,
            picks: reply.picks.iter().filter_map(|pick| pick.value(question)).cloned().collect(),
            own: reply.own().cloned().collect(),
            text: reply.text.clone(),
            other: reply.other.clone(),
            note: if reply.note.is_blank() { JsString::EMPTY } else { reply.note.clone() },
            alternatives: reply.alternatives.iter().map(unnamed).collect(),
        }
    }

    fn of_reason(reason: &Reason) -> Option<SavedReply> {
        let id = reason.does_not_apply.as_deref().unwrap_or_default().into();
        let note = reason.words.clone();
        (!reason.is_blank()).then(|| SavedReply { id, note, is_reason: true, ..SavedReply::default() })
    }

    /// The answer of this reply with what was written beside the last one.
    fn with_words_of(self, last: Option<&SavedReply>) -> SavedReply {
        let Some(last) = last.cloned() else { return self };
        let mut alternatives = self.alternatives;
        for aside in last.alternatives {
            if !alternatives.contains(&aside) {
                alternatives.push(aside);
            }
        }
        SavedReply { other: last.other, note: last.note, alternatives, ..self }
    }

    /// Whether nobody has done anything there.
    fn is_nothing(&self) -> bool {
        !self.touched && self.other.is_empty() && self.note.is_blank() && self.alternatives.is_empty()
    }

    /// Restores into a fresh reply, ticks in option order; gives back picks that are answers no more.
    fn restore(self, question: &Question, reply: &mut Reply) -> Vec<JsString> {
        let mut lost = Vec::new();
        if self.touched {
            let labels = label_places(&question.options);
            let mut seen = HashSet::new();
            let picks =
                self.picks.into_iter().filter(|value| !value.is_blank() && seen.insert(value.clone()));
            let (mut fitting, unfit): (Vec<_>, Vec<_>) = picks.partition(|value| {
                labels.contains_key(value) || question.allow_other && self.own.contains(value)
            });
            lost = unfit;
            if question.kind == Kind::SingleChoice && fitting.len() > 1 {
                lost.extend(fitting.split_off(1));
            }
            reply.clear();
            if question.kind == Kind::FreeText {
                reply.text = self.text;
            } else if !fitting.is_empty() {
                reply.set(question, Answer::Many(fitting));
                sort_picks(&mut reply.picks);
            }
            reply.prefilled = self.prefilled;
        }
        (reply.other, reply.note) = (self.other, self.note);
        for aside in self.alternatives {
            let mut back = Reply::default();
            lost.extend(aside.restore(question, &mut back));
            reply.put_words_aside(std::mem::take(&mut back.other));
            reply.put_aside(back);
        }
        lost
    }

    /// Everything in it that an author could miss.
    fn words(self) -> Vec<JsString> {
        let mut out = vec![self.note];
        if self.touched || !self.other.is_empty() {
            out.extend(self.picks.into_iter().chain([self.text, JsString::from(self.other)]));
        }
        out.retain(|words| !words.is_blank());
        out.extend(self.alternatives.into_iter().flat_map(SavedReply::words));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::draft::DraftProgress;
    use crate::ask::{Pick, decode_spec};

    fn spec(options: &str) -> QuestionSpec {
        let json = format!(
            r#"{{"version":1,"topic":"t","questions":[
            {{"id":"one","header":"h","question":"q","kind":"single_choice","required":true,"options":[{options}]}},
            {{"id":"text","header":"h","question":"q","kind":"free_text","required":true}}]}}"#
        );
        decode_spec(json.as_bytes()).expect("a legal spec")
    }

    const A: &str = r#"{"label":"a\ud800","description":"d"}"#;
    const B: &str = r#"{"label":"b","description":"d"}"#;

    fn saved(draft: &Draft, spec: &QuestionSpec) -> String {
        let mut out = String::new();
        draft.write_json(spec, &mut out);
        out
    }

    #[test]
    fn a_draft_comes_back_as_it_was() {
        let spec = spec(&format!("{A},{B}"));
        let mut draft = Draft::new(&spec);
        draft.replies[0].choose(0);
        draft.replies[1].type_text("\u{3000}第一行\n\"引号\"");
        draft.replies[1].other = "typed".into();
        draft.replies[1].note = "why".into();
        let json = saved(&draft, &spec);
        let over = Draft::read_json(&spec, &json, Vec::new());
        assert_eq!((over.draft, over.orphans, over.again), (draft, Vec::new(), Vec::new()));
    }

    #[test]
    fn a_reason_comes_back_and_no_longer_names_a_question_that_is_gone() {
        let spec = spec(&format!("{A},{B}"));
        let mut draft = Draft::new(&spec);
        draft.reason = Reason { words: "第一行\nno".into(), does_not_apply: Some("text".into()) };
        let json = saved(&draft, &spec);
        let over = Draft::read_json(&spec, &json, Vec::new());
        assert_eq!((&over.draft, over.orphans), (&draft, Vec::new()));
        let progress = draft.progress(&spec);
        assert_eq!(DraftProgress::of_kept(&json), Some(progress));
        assert!(progress.is_unsubmitted(false) && draft.is_authors(), "it is words of the author's");
        assert_eq!(draft.beside_answers().reason, draft.reason, "an answer says nothing of it");
        let less = decode_spec(
            br#"{"version":1,"topic":"t","questions":[{"id":"other","header":"h","question":"q","kind":"free_text","required":true}]}"#,
        );
        let now = draft.carried_over(&spec, &less.expect("a legal spec"), Vec::new()).draft;
        assert_eq!(now.reason, Reason { words: "第一行\nno".into(), does_not_apply: None });
    }

    #[test]
    fn what_sends_back_is_no_draft_any_more_and_misses_nothing() {
        let back = format!("{A}],\"_sends_back\":[{B}],\"_x\":[");
        let spec = spec(&back);
        let mut draft = Draft::new(&spec);
        draft.reason.words = "no".into();
        draft.replies[1].type_text("kept");
        assert_eq!(draft.missing(&spec), [0]);
        let plain = draft.beside_refusal(&spec);
        assert_eq!((&plain.replies[1], plain.reason.is_blank()), (&draft.replies[1], true));
        draft.replies[0].choose(0);
        draft.replies[0].note = "beside it".into();
        assert!(draft.sends_back(&spec).is_none());
        let open = draft.beside_refusal(&spec);
        assert!(open.replies[0].picks.is_empty(), "it was chosen for what is refused");
        assert_eq!(open.replies[0].note, "beside it");
        draft = Draft::new(&spec);
        draft.replies[0].choose(1);
        assert_eq!(draft.missing(&spec), [0; 0], "the others need not be answered");
        assert_eq!(draft.sends_back(&spec).map(|option| option.label.clone()), Some("b".into()));
        assert!(!draft.beside_refusal(&spec).is_authors());
    }

    #[test]
    fn progress_counts_what_the_author_has_answered() {
        let spec = spec(&format!("{A},{B}"));
        let mut draft = Draft::new(&spec);
        let progress = |draft: &Draft| {
            assert_eq!(DraftProgress::of_kept(&saved(draft, &spec)), Some(draft.progress(&spec)));
            (draft.progress(&spec).answered, draft.progress(&spec).questions)
        };
        draft.replies[0].choose(0);
        draft.replies[0].clear();
        assert!(!draft.progress(&spec).is_unsubmitted(false), "nothing but what was cleared");
        draft.replies[0].other = "typed, not chosen".into();
        assert_eq!(progress(&draft), (0, 2));
        assert!(draft.progress(&spec).is_unsubmitted(false) && !draft.progress(&spec).is_unsubmitted(true));
        draft.replies[0].choose(0);
        assert_eq!(progress(&draft), (1, 2));
        draft.replies[1].type_text("x");
        assert_eq!(progress(&draft), (2, 2));
        draft.replies[0].clear();
        assert_eq!(progress(&draft), (1, 2));
        let prefilled = Draft::prefilled(&spec, &draft.answers(&spec));
        assert_eq!(progress(&prefilled), (0, 2));
        assert_eq!(DraftProgress::of_kept("torn"), None);
    }

    #[test]
    fn a_draft_that_somebody_wrote_by_hand_makes_no_bad_record() {
        let json = r#"[{"id":"one","kind":"single_choice","touched":true,"picks":["b"," ","b","a\ud800"]}]"#;
        let spec = spec(&format!("{A},{B}"));
        let CarriedOver { draft, orphans, .. } = Draft::read_json(&spec, json, Vec::new());
        assert_eq!(draft.replies[0].answer(&spec.questions[0]), Some(Answer::One("b".into())));
        assert_eq!(orphans.len(), 1);
        assert_eq!(orphans[0].words, spec.questions[0].options[0].label);
    }

    #[test]
    fn restored_ticks_stand_in_the_order_of_the_new_packet() {
        let many = |options: &str| {
            let json = format!(
                r#"{{"version":1,"topic":"t","questions":[{{"id":"many","header":"h","question":"q",
                "kind":"multi_choice","required":true,"allow_other":true,"options":[{options}]}}]}}"#
            );
            decode_spec(json.as_bytes()).expect("a legal spec")
        };
        let (before, after) = (many(&format!("{A},{B}")), many(&format!("{B},{A}")));
        let mut draft = Draft::new(&before);
        draft.replies[0].take_own(&before.questions[0], "own").expect("own words");
        let places: Vec<usize> = (0..before.questions[0].options.len()).collect();
        draft.replies[0].toggle_all(&before.questions[0], &places);
        let json = saved(&draft, &before);
        let CarriedOver { draft: now, orphans, .. } = Draft::read_json(&after, &json, Vec::new());
        assert_eq!(now.replies[0].picks, [Pick::Option(0), Pick::Option(1), Pick::Own("own".into())]);
        assert_eq!(orphans, []);
    }

    #[test]
    fn an_option_that_is_gone_does_not_become_own_words() {
        let open = |options: &str| spec(&format!("{options}],\"allow_other\":true,\"_x\":["));
        let before = open(&format!("{A},{B}"));
        let mut draft = Draft::new(&before);
        draft.replies[0].choose(1);
        let CarriedOver { draft: now, orphans, .. } = draft.carried_over(&before, &open(A), Vec::new());
        assert_eq!(orphans, vec![Orphan { id: "one".into(), words: "b".into() }]);
        assert_eq!(now.replies[0].picks, Vec::new());
        draft.replies[0].take_own(&before.questions[0], "mine").expect("own words");
        let now = draft.carried_over(&before, &open(A), Vec::new()).draft;
        assert_eq!(now.replies[0].picks, vec![Pick::Own("mine".into())]);
    }

    #[test]
    fn what_no_longer_fits_is_an_orphan() {
        let before = spec(&format!("{A},{B}"));
        let mut draft = Draft::new(&before);
        draft.replies[0].choose(1);
        draft.replies[1].type_text("kept");
        let json = saved(&draft, &before);
        let after = spec(A);
        let CarriedOver { draft: now, orphans, .. } = Draft::read_json(&after, &json, Vec::new());
        assert_eq!(orphans, vec![Orphan { id: "one".into(), words: "b".into() }]);
        assert_eq!(now.replies[1].text, "kept");
        assert_eq!(now.replies[0].answer(&after.questions[0]), None);
    }
}
