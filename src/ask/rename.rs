//! The names of a gate, set right where nothing else can have been meant.

use super::decode::decode_packet;
use super::json::Json;
use super::mend::{Change, Mending, mend};
use super::misspelt::spelt;
use super::problem::shorten;
use super::syntax::{SyntaxError, SyntaxKind};

/// What is meant by a packet's text that is no JSON, or whose gate has misspelt names.
pub fn mend_packet(bytes: &[u8]) -> Option<Mending> {
    let Some(mended) = mend(bytes) else { return renamed(std::str::from_utf8(bytes).ok()?) };
    let is_certain = mended.is_certain && !puts_what_is_wrong(&mended);
    Some(Mending { is_certain, ..mended })
}

/// Whether the packet is illegal for a value that was put into it: then something else was meant.
fn puts_what_is_wrong(mended: &Mending) -> bool {
    let Err(problems) = decode_packet(mended.text.as_bytes()) else { return false };
    let Ok(json) = Json::parse(mended.text.as_bytes()) else { return false };
    let was_put = |value: &str| mended.put.iter().any(|put| put == value);
    problems
        .iter()
        .filter_map(|problem| json.root().at(&problem.pointer))
        .any(|value| was_put(value.source()))
}

/// The packet with the names of its gate as they should be, if each has one slip at most and a legal gate comes of it.
fn renamed(text: &str) -> Option<Mending> {
    let json = Json::parse(text.as_bytes()).ok()?;
    let slips: Vec<_> = json
        .root()
        .members()
        .filter_map(|(key, value)| {
            let name = key.string()?;
            Some((key, spelt(&name, value)?))
        })
        .collect();
    let mut changes = Vec::new();
    let mut mended = text.to_owned();
    for (at, (key, meant)) in slips.iter().enumerate().rev() {
        if slips[..at].iter().any(|(_, other)| other == meant) {
            return None;
        }
        if !key.is_string(meant) {
            let new = format!("\"{meant}\"");
            let slip = SyntaxError::at(text, (key.offset(), SyntaxKind::Misspelt));
            mended.replace_range(key.offset()..key.offset() + key.source().len(), &new);
            changes.insert(0, Change { slip, old: shorten(key.source()), new, times: 1 });
        }
    }
    let is_gate = !changes.is_empty() && decode_packet(mended.as_bytes()).is_ok_and(|it| it.gate.is_some());
    let count = changes.len();
    is_gate.then_some(Mending {
        count,
        text: mended,
        changes,
        is_certain: true,
        cut: None,
        put: Vec::new(),
        all: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASK: &str = r#"{"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}"#;

    fn packet(ask: &str, path: &str) -> String {
        format!("{{\n  \"step\": \"s\",\n  \"{ask}\": {ASK},\n  \"{path}\": \"a.json\"\n}}\n")
    }

    #[test]
    fn misspelt_names_of_a_legal_gate_are_set_right_and_nothing_else() {
        let good = packet("novel_ask", "answer_path");
        for (ask, path, count) in [
            ("novel_ask", "anwser_path", 1),
            ("novel_aks", "answer_path", 1),
            ("novelAsk", "answerPath", 2),
            ("novel\\u005fasks", "answer_path", 1),
        ] {
            let mending = mend_packet(packet(ask, path).as_bytes()).expect(path);
            assert_eq!(
                (&mending.text, mending.count, mending.is_certain),
                (&good, count, true),
                "{ask} {path}"
            );
        }
        let change = &mend_packet(packet("novel_ask", "anwser_path").as_bytes()).expect("mended").changes[0];
        assert_eq!((change.slip.line, change.slip.column), (5, 3));
        assert_eq!((&*change.old, &*change.new), ("\"anwser_path\"", "\"answer_path\""));
    }

    #[test]
    fn a_value_that_makes_the_packet_illegal_is_put_by_nobody() {
        let good = packet("novel_ask", "answer_path");
        for (from, to, is_certain) in [
            ("true", "True", true),
            ("true", "undefined", false),
            ("true", "None", false),
            ("\"free_text\"", "True", false),
            ("\"s\"", "undefined", true),
        ] {
            let text = good.replace(from, to);
            for text in [format!("> {}", text.trim_end().replace('\n', "\n> ")), text] {
                assert_eq!(mend_packet(text.as_bytes()).map(|it| it.is_certain), Some(is_certain), "{text}");
            }
        }
    }

    #[test]
    fn where_there_is_doubt_nothing_is_renamed() {
        let both =
            packet("novel_ask", "anwser_path").replace("\"step\"", "\"answerPath\": \"b.json\", \"step\"");
        let illegal = packet("novel_ask", "anwser_path").replace("\"h\"", "\"\"");
        let climbs = packet("novel_ask", "anwser_path").replace("a.json", "../a.json");
        let right = packet("novel_ask", "answer_path");
        for text in
            [both, illegal, climbs, right, packet("questions", "answer_path"), packet("novel_ask", "path")]
        {
            assert_eq!(mend_packet(text.as_bytes()), None, "{text}");
        }
    }
}
