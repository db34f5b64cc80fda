//! JSON to packets, by the rules of novel-writer-cli 0.5.0.
//!
//! A packet and its `QuestionSpec` are legal exactly when novel-writer-cli finds no fault; where it stops at the first one,
//! all of them are found here. Where an `answer_path` leads on disk is checked by the store.

use super::js_string::JsString;
use super::json::{Item, Json};
use super::loss::{Loss, judged};
use super::misspelt::{misspelt_gate, with_misspelt_half};
use super::problem::{
    NEAR_HEAD, Pointer, Problem, ProblemCode, Problems, nearest, quote, quoted, shorten, twice,
};
use super::question::{
    Caller, Choice, ExpectedOutput, Gate, Kind, Packet, Question, QuestionSpec, label_places,
};
use super::reader::{Reader, elements, words, wrong, wrong_word};
use crate::text::{Message, Sentence, say};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use strum::VariantArray;

/// The members of a packet that are ever looked at; the rest, `manifest` above all, is checked and forgotten.
const PACKET_KEYS: [&str; 7] =
    ["step", "agent", "novel_ask", "answer_path", "expected_outputs", "next_actions", RELAY];
const SPEC_KEYS: [&str; 3] = ["version", "topic", "questions"];
const TEXT_KEYS: [&str; 5] = ["id", "header", "question", "kind", "required"];
const CHOICE_KEYS: [&str; 8] =
    ["id", "header", "question", "kind", "required", "options", "allow_other", "default"];
const OPTION_KEYS: [&str; 2] = ["label", "description"];

/// The member of a packet that says that it is a question of an executor's own, and what is known of the call.
pub const RELAY: &str = "_relay";
/// So long, in bytes, is a name of a session or of an agent at most.
const NAME: usize = 200;

/// Reads a packet; an error is every violation, up to a thousand, in document order as far as it goes.
pub fn decode_packet(bytes: &[u8]) -> Result<Packet, Vec<Problem>> {
    read_packet(bytes, |packet, _| packet)
}

/// Reads a packet, and gives its `novel_ask` exactly as the file spells it, white space included. Nothing without a gate.
pub fn decode_packet_as_written(bytes: &[u8]) -> Result<(Packet, Option<String>), Vec<Problem>> {
    read_packet(bytes, |packet, root| {
        let asked = packet.gate.as_ref().and_then(|_| root.get("novel_ask"));
        (packet, asked.map(|asked| asked.source().to_owned()))
    })
}

fn read_packet<T>(bytes: &[u8], make: impl Fn(Packet, Item<'_>) -> T) -> Result<T, Vec<Problem>> {
    let loss = |json: &Json<'_>| Loss::of_packet(bytes, json, &PACKET_KEYS);
    let judge = |bytes: &[u8]| {
        let json = Json::parse_keeping(bytes, &PACKET_KEYS).map_err(|error| vec![error.into()])?;
        Ok(make(Packet { loss: loss(&json), ..decode_root(bytes, json.root())? }, json.root()))
    };
    judged(bytes, judge, || loss(&Json::parse_keeping(bytes, &PACKET_KEYS).ok()?))
}

fn decode_root(bytes: &[u8], root: Item<'_>) -> Result<Packet, Vec<Problem>> {
    let mut problems = Problems::default();
    let Some(mut packet) = Reader::new(root, &Pointer::ROOT, &mut problems) else {
        return Err(problems.into_list());
    };
    let gate = decode_gate(&mut packet, bytes);
    let text = |key| packet.get(key).and_then(Item::string);
    let list = |key| packet.get(key).into_iter().flat_map(Item::elements);
    let is_sound = packet.problems.is_empty();
    let misspelt = if gate.is_none() && is_sound { misspelt_gate(bytes) } else { Vec::new() };
    let packet = Packet {
        step: text("step"),
        agent: text("agent").or_else(|| packet.get("agent")?.get("name")?.string()),
        expected_outputs: list("expected_outputs").filter_map(expected_output).collect(),
        next_actions: list("next_actions")
            .filter_map(|action| action.string().or_else(|| action.get("command")?.string()))
            .collect(),
        gate,
        misspelt,
        loss: None,
        caller: root.get(RELAY).and_then(caller),
    };
    if problems.is_empty() { Ok(packet) } else { Err(named(root, problems)) }
}

/// Whether a `*.json` file under `staging/` is a packet at all: an object with `novel_ask` or `answer_path`.
pub fn looks_like_gate(bytes: &[u8]) -> bool {
    Json::parse_keeping(bytes, &["novel_ask", "answer_path"])
        .is_ok_and(|json| json.root().get("novel_ask").is_some() || json.root().get("answer_path").is_some())
}

/// Reads a bare `QuestionSpec`.
pub fn decode_spec(bytes: &[u8]) -> Result<QuestionSpec, Vec<Problem>> {
    let judge = |bytes: &[u8]| {
        let json = Json::parse(bytes).map_err(|error| vec![error.into()])?;
        let mut problems = Problems::default();
        let spec = spec(json.root(), &Pointer::ROOT, &mut problems);
        spec.filter(|_| problems.is_empty()).ok_or_else(|| named(json.root(), problems))
    };
    judged(bytes, judge, || Loss::of_record(bytes))
}

/// Stands where whoever asks by a call has described an option by nothing.
pub const NO_DESCRIPTION: &str = "—";

/// The same of what an executor asks by a call: an option need not be described.
pub fn decode_asked(bytes: &[u8]) -> Result<QuestionSpec, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![error.into()])?;
    let mut problems = Problems::default();
    let spec = spec(json.root(), &Pointer::ROOT, &mut problems);
    let mut problems = named(json.root(), problems);
    if problems.len() < Problems::LIMIT {
        problems.retain(|problem| {
            problem.code != ProblemCode::Blank || !problem.pointer.ends_with("/description")
        });
    }
    let mut spec = spec.filter(|_| problems.is_empty()).ok_or(problems)?;
    for option in spec.questions.iter_mut().flat_map(|question| &mut question.options) {
        if option.description.is_blank() {
            option.description = NO_DESCRIPTION.into();
        }
    }
    Ok(spec)
}

/// Problems with the words by which an author knows their question or option.
fn named(root: Item<'_>, problems: Problems) -> Vec<Problem> {
    /// A thousand problems far behind in long lists would cost too much.
    const NAMED: usize = 50;
    /// Enough for what a sentence quotes.
    const SUBJECT: usize = 100;
    let mut list = problems.into_list();
    for problem in list.iter_mut().take(NAMED) {
        let mut item = Some(root);
        let mut names: &[&str] = &[];
        for step in problem.pointer.split('/').skip(1) {
            item = item.and_then(|item| match step.parse() {
                Ok(place) => item.elements().nth(place),
                Err(_) => item.get(step),
            });
            let subject = |name: &&str| item?.text(name).filter(|text| !text.is_blank());
            let found = names.iter().find_map(subject).map(|text| text.head(SUBJECT));
            problem.subject = found.or(problem.subject.take());
            names = match step {
                "questions" => &["header", "question", "id"],
                "options" => &["label", "description"],
                _ => &[],
            };
        }
    }
    list
}

/// Who makes a call, by what is known of it. A name that is empty, or longer than any that tells sessions apart, is none.
pub fn caller(call: Item<'_>) -> Option<Box<Caller>> {
    let name = |key| call.text(key).filter(|name| !name.is_blank() && name.lossy().len() <= NAME);
    let caller = Caller { session: name("session_id"), agent: name("agent") };
    (caller != Caller::default()).then(|| Box::new(caller))
}

fn expected_output(item: Item<'_>) -> Option<ExpectedOutput> {
    let path = item.string().or_else(|| item.get("path")?.string())?;
    Some(ExpectedOutput { path, required: item.get("required").and_then(Item::boolean).unwrap_or(false) })
}

fn decode_gate(packet: &mut Reader<'_, '_>, bytes: &[u8]) -> Option<Gate> {
    let (ask, path) = (packet.get("novel_ask"), packet.get("answer_path"));
    let half = match (ask, path) {
        (Some(_), None) => Some(say("novel_ask without answer_path", "有 novel_ask，没有 answer_path")),
        (None, Some(_)) => Some(say("answer_path without novel_ask", "有 answer_path，没有 novel_ask")),
        _ => None,
    };
    if let Some(found) = half {
        let expected =
            say("both novel_ask and answer_path, or neither", "novel_ask 与 answer_path 同时有，或都没有");
        let problem = Problem::new(ProblemCode::Other, found, expected);
        packet.problems.push(packet.at, || with_misspelt_half(bytes, problem));
    }
    let answer_path = path.and_then(|path| answer_path(path, packet.problems));
    let spec = ask.and_then(|ask| spec(ask, &packet.at.key("novel_ask"), packet.problems));
    Some(Gate { spec: Arc::new(spec?), answer_path: answer_path? })
}

/// The lexical rules for an answer path: not blank, relative, no `..` segment (`\` separates too).
fn answer_path(item: Item<'_>, problems: &mut Problems) -> Option<JsString> {
    let at = Pointer::ROOT.key("answer_path");
    let Some(path) = item.string().filter(|path| !path.is_blank()) else {
        let expected = say("a path relative to the project, not blank", "相对于项目根目录的路径，不能为空白");
        problems.push(&at, || wrong(expected, Some(item)));
        return None;
    };
    let shown = path.lossy();
    let climbs = shown.split(['/', '\\']).any(|segment| segment == "..");
    // The executor goes by the system that it runs on, too.
    let absolute = Path::new(&*shown).has_root();
    let bad = |expected: Sentence| Problem::new(ProblemCode::Other, quoted(&quote(&path)), expected);
    if climbs {
        problems.push(&at, || bad(say("a path without .. segments", "不含 .. 的路径")));
    }
    if absolute {
        problems.push(&at, || bad(say("a path relative to the project", "相对于项目根目录的路径")));
    }
    (!climbs && !absolute).then_some(path)
}

fn spec(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<QuestionSpec> {
    let mut spec = Reader::of(&SPEC_KEYS, item, at, problems)?;
    spec.known(&SPEC_KEYS);
    let version = spec.version();
    let topic = spec.words("topic");
    let mut ids = HashSet::new();
    let questions = spec.list("questions", |item, at, problems| {
        let question = question(item, at, problems)?;
        if !ids.insert(question.id.clone()) {
            problems.push(&at.key("id"), || duplicate_id(&question.id));
        }
        Some(question)
    });
    Some(QuestionSpec { version: version?, topic: topic?, questions })
}

fn duplicate_id(id: &str) -> Problem {
    let found = Message::new(say("\"{0}\" twice", "“{0}”出现了两次"), &[&shorten(id)]);
    Problem::new(
        ProblemCode::Duplicate,
        found,
        say("a different id for each question", "每个问题有自己的 id"),
    )
}

fn question(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) -> Option<Question> {
    let mut reader = Reader::of(&TEXT_KEYS, item, at, problems)?;
    let id = reader.words("id").filter(|id| {
        let good = is_snake_case(id);
        if !good {
            reader.report("id", || not_snake_case(id));
        }
        good
    });
    let header = reader.words("header");
    let question = reader.words("question");
    let name = reader.get("kind");
    let kind = name.and_then(Item::string).and_then(|name| name.as_str()?.parse().ok());
    if kind.is_none() {
        let expected =
            say("single_choice, multi_choice or free_text", "single_choice、multi_choice 或 free_text");
        let names: Vec<&str> = Kind::VARIANTS.iter().map(|&kind| kind.into()).collect();
        reader.report("kind", || wrong_word(expected, &names, name));
    }
    let required = reader.boolean("required");
    // Which keys a question of an unknown kind may have is not known: any key of a question passes.
    reader.known(if kind == Some(Kind::FreeText) { &TEXT_KEYS } else { &CHOICE_KEYS });
    let (options, allow_other, default) = match kind {
        None | Some(Kind::FreeText) => (Vec::new(), false, Vec::new()),
        Some(kind) => choices(kind, &mut reader),
    };
    Some(Question {
        id: id?.lossy().into_owned(),
        header: header?,
        question: question?,
        kind: kind?,
        required: required?,
        options,
        allow_other,
        default,
    })
}

/// What a choice question has and a free-text one has not: `options`, `allow_other`, `default`.
fn choices(kind: Kind, question: &mut Reader<'_, '_>) -> (Vec<Choice>, bool, Vec<usize>) {
    let options = decode_options(question);
    let allow_other = question.get("allow_other").and_then(|_| question.boolean("allow_other"));
    let default = match question.get("default") {
        Some(raw) => decode_default(kind, raw, &options, &question.at.key("default"), question.problems),
        None => Vec::new(),
    };
    let mut options = options;
    if kind == Kind::SingleChoice && allow_other != Some(true) {
        sends_back(question, &mut options);
    }
    (options, allow_other.unwrap_or(false), default)
}

/// Adds the options that send back; what is none is passed over, as novel-writer-cli passes over all of them.
fn sends_back(question: &Reader<'_, '_>, options: &mut Vec<Choice>) {
    for item in question.get("_sends_back").into_iter().flat_map(Item::elements) {
        let text = |key| item.text(key).filter(|text| !text.is_blank());
        let Some(label) = text("label") else { continue };
        if options.iter().all(|option| option.label != label) {
            let description = text("description").unwrap_or_default();
            options.push(Choice { label, description, cluster: None, sends_back: true, round: None });
        }
    }
}

fn decode_options(question: &mut Reader<'_, '_>) -> Vec<Choice> {
    // Of each option its place in the list, where options with mistakes are left out.
    let mut place = 0..;
    let options = question.list("options", |item, at, problems| {
        let place = place.next()?;
        let mut option = Reader::of(&OPTION_KEYS, item, at, problems)?;
        option.known(&OPTION_KEYS);
        let (label, description) = (option.words("label"), option.words("description"));
        let cluster = option.get("_cluster").and_then(Item::string).filter(|name| !name.is_blank());
        let round =
            option.get("_round").and_then(Item::number).and_then(|round| round.to_string().parse().ok());
        Some((
            place,
            Choice {
                label: label?,
                description: description.unwrap_or_default(),
                cluster,
                sends_back: false,
                round,
            },
        ))
    });
    let list_at = question.at.key("options");
    let mut labels = HashSet::with_capacity(options.len());
    for (place, Choice { label, .. }) in &options {
        if !labels.insert(label) {
            question.problems.push(&list_at.index(*place).key("label"), || duplicate_label(label));
        }
    }
    options.into_iter().map(|(_, option)| option).collect()
}

fn decode_default(
    kind: Kind,
    raw: Item<'_>,
    options: &[Choice],
    at: &Pointer<'_>,
    problems: &mut Problems,
) -> Vec<usize> {
    if kind == Kind::SingleChoice {
        let find = |label: &JsString| options.iter().position(|option| option.label == *label);
        return default_entry(raw, options, find, at, problems).into_iter().collect();
    }
    let places = label_places(options);
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for (i, item) in elements(Some(raw), at, problems).enumerate() {
        let here = at.index(i);
        let find = |label: &JsString| places.get(label).copied();
        let Some(place) = default_entry(item, options, find, &here, problems) else { continue };
        if seen.insert(place) {
            out.push(place);
        } else {
            problems.push(&here, || duplicate_entry(&options[place].label));
        }
    }
    out
}

fn default_entry(
    item: Item<'_>,
    options: &[Choice],
    find: impl Fn(&JsString) -> Option<usize>,
    at: &Pointer<'_>,
    problems: &mut Problems,
) -> Option<usize> {
    let label = words(Some(item), at, problems)?;
    let place = find(&label);
    if place.is_none() {
        problems.push_with(at, |hint| {
            let expected = say("one of the option labels", "选项标签之一");
            Problem::new(ProblemCode::NotAnOption, quoted(&quote(&label)), expected)
                .with_nearest(hint.then(|| nearest_label(&label, options)).flatten())
        });
    }
    place
}

pub(super) fn nearest_label(wanted: &JsString, options: &[Choice]) -> Option<String> {
    let heads = options.iter().map(|option| option.label.head(NEAR_HEAD));
    nearest(wanted, heads).map(|place| quote(&options[place].label))
}

/// A label that an earlier option of the list has.
pub(crate) fn duplicate_label(label: &JsString) -> Problem {
    Problem::new(ProblemCode::Duplicate, twice(label), say("each label once", "每个选项标签只出现一次"))
}

pub(super) fn duplicate_entry(entry: &JsString) -> Problem {
    Problem::new(ProblemCode::Duplicate, twice(entry), say("each entry once", "每一项只出现一次"))
}

pub(super) fn not_snake_case(id: &JsString) -> Problem {
    let expected = say(
        "snake_case: a-z, 0-9 and single _ between them, starting with a letter",
        "snake_case：小写字母、数字，中间可用单个 _，以字母开头",
    );
    Problem::new(ProblemCode::NotSnakeCase, quoted(&quote(id)), expected)
}

/// Whether an id is `^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$`.
pub fn is_snake_case(id: &JsString) -> bool {
    id.as_str().is_some_and(|id| {
        id.starts_with(|c: char| c.is_ascii_lowercase())
            && id.split('_').all(|part| {
                !part.is_empty()
                    && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            })
    })
}

#[cfg(test)]
mod tests;
