//! Every call that Claude Code's question tool gets has the type that the tool's maker publishes, and so has every reply
//! that the tests give: for each sample packet, and for random ones.

use std::fs;
use std::path::Path;

use novel_gate::ask::json::{Item, Json};
use novel_gate::ask::{QuestionSpec, decode_packet};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::author::{Author, any_habits};
use super::intents::any_intent;
use super::program::Book;
use super::specs::{any_spec, packet_json};
use crate::live::tool_types::{ToolType, type_checker};

/// So often each sample packet is answered, each time otherwise.
const INTENTS: usize = 4;
/// So many random packets are answered besides.
const RANDOM: usize = 40;

#[test]
fn what_the_tool_gets_and_returns_has_its_published_type() {
    let Some(checker) = type_checker() else { return };
    let mut runner = TestRunner::deterministic();
    let mut values = Vec::new();
    for packet in sample_packets() {
        for _ in 0..INTENTS {
            let before = values.len();
            talk(&mut runner, &packet, &mut values);
            assert!(values.len() > before, "the tool is called");
        }
    }
    for _ in 0..RANDOM {
        let spec = any_spec().new_tree(&mut runner).expect("a spec").current();
        talk(&mut runner, packet_json(&spec).as_bytes(), &mut values);
    }
    checker.accept(&values);
}

/// The sample packets that can be asked.
fn sample_packets() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-packets/staging/manifests");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the samples").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let packets = paths.into_iter().map(|path| fs::read(path).expect("a sample"));
    let packets: Vec<Vec<u8>> = packets.filter(|packet| spec_of(packet).is_some()).collect();
    assert!(packets.len() >= 10, "{} samples with a gate", packets.len());
    packets
}

fn spec_of(packet: &[u8]) -> Option<QuestionSpec> {
    decode_packet(packet).ok().and_then(|packet| packet.gate).map(|gate| (*gate.spec).clone())
}

/// Collects every input and output of the tool until some author has answered everything.
fn talk(runner: &mut TestRunner, packet: &[u8], values: &mut Vec<(ToolType, String)>) {
    let spec = spec_of(packet).expect("a gate");
    let intent = any_intent(&spec).new_tree(runner).expect("an intent").current();
    let habits = any_habits().new_tree(runner).expect("habits").current();
    let book = Book::with(packet);
    let author = Author::new(&spec, &intent, habits);
    let said = book.talk(&["--for", "claude-code"], author, |call, reply| {
        let reply = Json::parse(reply.as_bytes()).expect("JSON");
        let source = |item: Item<'_>| item.source().to_owned();
        values.extend(call.get("input").map(source).map(|json| (ToolType::Input, json)));
        values.extend(reply.root().get("output").map(source).map(|json| (ToolType::Output, json)));
    });
    assert_eq!(said.exit, 0, "{}", said.out);
}
