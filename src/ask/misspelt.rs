//! A gate that the executor does not see, because its names are misspelt or stand in another place. Its verdict is that there is none;
//! an author who is never asked must hear why.

use super::js_string::JsString;
use super::json::{Item, Json, Kind};
use super::problem::{Pointer, Problem, ProblemCode, Problems, quote};
use super::syntax::placed;
use crate::text::width::narrow;
use crate::text::{Message, Sentence, say};

const ASK: &str = "novelask";
const PATH: &str = "answerpath";
/// Other names by which questions are put into a packet; they count only where questions are in them.
const ASK_TOO: [&str; 8] =
    ["ask", "asks", "gate", "question", "questions", "questionspec", "novelquestion", "novelquestions"];
/// So many letters may differ.
const SLIPS: usize = 2;
/// So many values deep a gate is looked for, and in so many elements of a list.
const DEEPEST: usize = 3;
const ELEMENTS: usize = 8;

/// In which way a part of a gate is not what the executor looks for.
#[derive(Clone, Copy)]
enum Way {
    Misspelt,
    /// Questions without the object around them.
    Bare,
    /// At its own name, in another place.
    Inside,
    /// With the whole packet around it.
    Wrapped,
}

/// What is said of it: what was found, what was expected, what to do, and all that in a sentence about the other half of the gate.
struct Words {
    code: ProblemCode,
    found: Sentence,
    expected: Sentence,
    hint: Sentence,
    half: Sentence,
}

impl Way {
    fn words(self) -> Words {
        let lies = say(
            "{0} lies inside {2}: it belongs at the top of the packet.",
            "{0}写在 {2} 里面：应写在指令包最外层。",
        );
        let top = say("{1} at the top of the packet", "{1}，写在指令包最外层");
        let (code, found, expected, hint, half) = match self {
            Way::Misspelt => (
                ProblemCode::Misspelt,
                say("a misspelt gate, {0}", "门控写错了：{0}"),
                top,
                say(
                    "The executor sees no gate here and may start the step without asking. Rename it.",
                    "执行器看不到这个门控，可能不提问就开始这一步。请改名。",
                ),
                say("{0} is misspelt: rename it to {1}.", "{0}写错了：请改名为 {1}。"),
            ),
            Way::Bare => (
                ProblemCode::Misspelt,
                say("a bare list of questions, {0}", "只有问题列表：{0}"),
                say(
                    "novel_ask with version, topic and questions in it",
                    " novel_ask，其中有 version、topic 和 questions",
                ),
                say(
                    "The executor sees no gate here and may start the step without asking. Put the list into novel_ask.",
                    "执行器看不到这个门控，可能不提问就开始这一步。请把列表放进 novel_ask。",
                ),
                say(
                    "{0} is a bare list of questions: put it into novel_ask, beside version and topic.",
                    "{0}只是问题列表：请放进 novel_ask，与 version、topic 并列。",
                ),
            ),
            Way::Inside => (
                ProblemCode::Misplaced,
                say("{0} inside {2}", "{0}写在 {2} 里面"),
                top,
                say(
                    "The executor sees no gate here and may start the step without asking. Move it to the top.",
                    "执行器看不到这个门控，可能不提问就开始这一步。请移到最外层。",
                ),
                lies,
            ),
            Way::Wrapped => (
                ProblemCode::Wrapped,
                say("the packet inside {0}", "指令包在 {0}里面"),
                say("the packet itself, with nothing around it", "指令包本身，外面不再套一层"),
                say(
                    "The executor sees no gate here and may start the step without asking. Save the packet alone.",
                    "执行器看不到这个门控，可能不提问就开始这一步。请只保存指令包本身。",
                ),
                lies,
            ),
        };
        Words { code, found, expected, hint, half }
    }
}

/// A part of a gate that the executor does not see.
struct Astray {
    way: Way,
    meant: &'static str,
    pointer: String,
    /// Its name, and where that stands.
    name: Message,
    position: (usize, usize),
    /// In what it lies.
    within: String,
}

/// Every part of a gate in a packet without one.
pub(super) fn misspelt_gate(packet: &[u8]) -> Vec<Problem> {
    let Ok(json) = Json::parse(packet) else { return Vec::new() };
    let mut problems = Problems::default();
    let problem = |astray: &Astray| {
        let words = astray.way.words();
        let expected = Message::new(words.expected, &["", astray.meant]);
        Problem::new(words.code, astray.says(words.found), expected).with_hint(words.hint)
    };
    problems.extend(astray(&json).iter().map(|it| problem(it).at(&*it.pointer)).collect());
    problems.into_list()
}

/// The problem of a packet with one half of a gate, with what is wrong with the other half.
pub(super) fn with_misspelt_half(packet: &[u8], problem: Problem) -> Problem {
    let json = Json::parse(packet).ok();
    let first = json.and_then(|json| astray(&json).into_iter().next());
    let half = first.map(|first| (first.says(first.way.words().half), first.position));
    let (hint, position) = half.unzip();
    Problem { hint, position, ..problem }
}

impl Astray {
    fn says(&self, sentence: Sentence) -> Message {
        Message::in_both(|lang| sentence.fill(lang, &[&self.name.text(lang), self.meant, &self.within]))
    }
}

fn astray(json: &Json<'_>) -> Vec<Astray> {
    let root = json.root();
    let is_half = ["novel_ask", "answer_path"].iter().any(|half| root.get(half).is_some());
    let mut search = Search { json, is_half, has_step: root.get("step").is_some(), found: Vec::new() };
    for (key, value) in root.members() {
        let Some(name) = key.string() else { continue };
        let at = Pointer::ROOT.name(&name);
        match meant(&name, value) {
            Some(meant) => {
                if name.as_str() != Some(meant) {
                    let is_bare = meant == "novel_ask" && value.kind() == Kind::Array;
                    search.add(if is_bare { Way::Bare } else { Way::Misspelt }, meant, (key, &name), &at);
                }
                search.inside((key, value), &at, 1);
            }
            None => search.inside((key, value), &at, DEEPEST),
        }
    }
    search.found
}

struct Search<'j> {
    json: &'j Json<'j>,
    /// One half of the gate is where it belongs.
    is_half: bool,
    has_step: bool,
    found: Vec<Astray>,
}

impl Search<'_> {
    fn add(&mut self, way: Way, meant: &'static str, (key, name): (Item<'_>, &JsString), at: &Pointer<'_>) {
        let pointer = at.text();
        let within = pointer.rsplit_once('/').map_or("", |(within, _)| within).trim_start_matches('/');
        let within = quote(&within.into());
        let position = self.json.position(key.offset());
        let name = placed(&Message::verbatim(quote(name)), position);
        if self.found.len() < Problems::LIMIT {
            self.found.push(Astray { way, meant, pointer, name, position, within });
        }
    }

    /// Looks for a gate in a value.
    fn inside(&mut self, (key, value): (Item<'_>, Item<'_>), at: &Pointer<'_>, deep: usize) {
        if deep == 0 {
            return;
        }
        for (index, element) in value.elements().take(ELEMENTS).enumerate() {
            self.inside((element, element), &at.index(index), deep - 1);
        }
        let is_ask = |(key, value): &(Item<'_>, Item<'_>)| is_named(*key, ASK) && asks(*value);
        let asked = value.members().any(|member| is_ask(&member));
        if self.wraps(value, asked) {
            let shown = JsString::from(at.text().trim_start_matches('/'));
            return self.add(Way::Wrapped, "", (key, &shown), at);
        }
        for (key, value) in value.members() {
            let Some(name) = key.string() else { continue };
            let at = at.name(&name);
            if is_ask(&(key, value)) {
                self.add(Way::Inside, "novel_ask", (key, &name), &at);
            } else if (asked || self.is_half) && is_named(key, PATH) && is_path(value) {
                self.add(Way::Inside, "answer_path", (key, &name), &at);
            } else {
                self.inside((key, value), &at, deep - 1);
            }
        }
    }

    /// Whether a value is a packet, or a text that holds one.
    fn wraps(&self, value: Item<'_>, asked: bool) -> bool {
        let is_packet = |packet: Item<'_>| packet.get("step").is_some() || !self.has_step;
        let is_text = || {
            let text = value.string().filter(|text| text.lossy().trim_start().starts_with('{'))?;
            let text = text.lossy();
            let json = Json::parse(text.as_bytes()).ok()?;
            Some(is_packet(json.root()) && json.root().get("novel_ask").is_some_and(asks))
        };
        !self.is_half && (asked && is_packet(value) || is_text() == Some(true))
    }
}

/// The name of a gate's that a member of a packet is meant to have; names that begin with `_` are free.
fn meant(name: &JsString, value: Item<'_>) -> Option<&'static str> {
    let letters = plain(name);
    if letters == ASK && value.kind() != Kind::Null || ASK_TOO.contains(&&*letters) && asks(value) {
        return Some("novel_ask");
    }
    spelt(name, value)
}

/// The same, where the name differs in a few letters only.
pub(super) fn spelt(name: &JsString, value: Item<'_>) -> Option<&'static str> {
    let letters = plain(name);
    let near = |wanted| strsim::levenshtein(&letters, wanted) <= SLIPS;
    if near(ASK) && asks(value) {
        return Some("novel_ask");
    }
    (near(PATH) && is_path(value)).then_some("answer_path")
}

fn is_path(value: Item<'_>) -> bool {
    value.string().is_some_and(|path| !path.is_blank())
}

fn is_named(key: Item<'_>, letters: &str) -> bool {
    key.string().is_some_and(|name| plain(&name) == letters)
}

/// Whether a value is, or holds, a list of questions.
fn asks(value: Item<'_>) -> bool {
    let is_question = |item: Item<'_>| {
        item.get("question").is_some()
            && ["kind", "options", "header"].iter().any(|key| item.get(key).is_some())
    };
    let list = if value.kind() == Kind::Object { value.get("questions") } else { Some(value) };
    list.is_some_and(|list| list.elements().any(is_question))
}

/// A name without what is overlooked: case and width, blanks and signs. Nothing is left of one that is free.
fn plain(name: &JsString) -> String {
    if name.head(1) == "_" {
        return String::new();
    }
    // No slip makes a name of a gate's this long.
    let shown = name.head(32).display().into_owned();
    shown.chars().map(narrow).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
