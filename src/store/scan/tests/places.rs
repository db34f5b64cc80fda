//! Packets whose records go to one place.

use super::*;
use crate::platform::paths::Shown as _;

/// `name with others`: `=` in front of a packet that asks the same, `!` in front of one that does not.
fn sharing(house: &Tree) -> Vec<String> {
    let line = |entry: &Arc<Entry>| {
        let name = |path: &Path| path.file_stem().unwrap().shown().into_owned();
        let others =
            entry.others().map(|(path, agrees)| format!("{}{}", if agrees { '=' } else { '!' }, name(path)));
        format!("{} {}", name(&entry.path), others.collect::<Vec<_>>().join(" ")).trim_end().to_owned()
    };
    let mut lines: Vec<String> = house.scanner.entries().iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn packets_with_one_place_are_one_gate_or_a_conflict() {
    let mut house = Tree::new();
    let other = packet("s", "staging/n/x.json").replace("\"q\"", "\"another\"");
    house.write("staging/a.json", &packet("one", "staging/n/x.json"));
    house.write("staging/b.json", &packet("two", "./staging//n/./x.json"));
    house.write("staging/d.json", &packet("alone", "staging/n/y.json"));
    house.look();
    assert_eq!(sharing(&house), ["a =b", "b =a", "d"]);
    let entries = house.scanner.entries();
    assert_eq!(entries.iter().filter(|entry| entry.is_repeated()).count(), 1);
    assert!(entries.iter().all(|entry| !entry.is_conflict()));
    house.write("staging/c.json", &other);
    house.look_now();
    assert_eq!(sharing(&house), ["a =b !c", "b =a !c", "c !a !b", "d"]);
    assert_eq!(house.scanner.entries().iter().filter(|entry| entry.is_conflict()).count(), 3);
    fs::remove_file(house.root.join("staging/c.json")).unwrap();
    house.write("staging/b.json", "{}");
    house.look_now();
    assert_eq!(sharing(&house), ["a", "d"]);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn links_to_one_place_are_one_place() {
    let mut house = Tree::new();
    house.write("staging/n/x.json", "{").write("staging/m/there.json", "{");
    symlink("n", house.root.join("staging/linked")).unwrap();
    symlink("../n/x.json", house.root.join("staging/m/leaf.json")).unwrap();
    house.write("staging/p/a.packet.json", &packet("a", "staging/n/x.json"));
    house.write("staging/p/b.packet.json", &packet("b", "staging/linked/x.json"));
    house.write("staging/p/c.packet.json", &packet("c", "staging/m/leaf.json"));
    house.write("staging/p/d.packet.json", &packet("d", "staging/linked/new/z.json"));
    house.write("staging/p/e.packet.json", &packet("e", "staging/n/new//z.json"));
    house.look();
    let want = [
        "a.packet =b.packet =c.packet",
        "b.packet =a.packet =c.packet",
        "c.packet =a.packet =b.packet",
        "d.packet =e.packet",
        "e.packet =d.packet",
    ];
    assert_eq!(sharing(&house), want);
    // The directory comes into being, and only one of the two packets is looked at again.
    house.write("staging/n/new/other.json", "");
    house.write("staging/p/d.packet.json", &packet("d again", "staging/linked/new/z.json"));
    house.look_now();
    assert_eq!(sharing(&house), want);
}

#[test]
fn what_is_behind_the_checkpoint_is_not_counted_for_what_is_not() {
    let mut house = Tree::new();
    house.write("staging/a.json", &packet("chapter:001:draft", "staging/n/x.json"));
    house.write("staging/b.json", &packet("chapter:002:draft", "staging/n/x.json"));
    house.write(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    house.look();
    let repeated = house.scanner.entries().into_iter().filter(|entry| entry.is_repeated());
    assert_eq!(repeated.map(|entry| entry.past).collect::<Vec<_>>(), [true]);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn two_gates_become_one_place_through_a_link_though_neither_has_a_record() {
    let mut house = Tree::new();
    house.write("staging/a.packet.json", &packet("a", "one/x.json"));
    house.write("staging/b.packet.json", &packet("b", "other/x.json"));
    fs::create_dir(house.root.join("one")).unwrap();
    house.look();
    assert!(house.scanner.entries().iter().all(|entry| entry.collision.is_none()));
    symlink("one", house.root.join("other")).unwrap();
    assert!(house.look().changed);
    assert!(house.scanner.entries().iter().all(|entry| entry.collision.is_some()));
    fs::remove_file(house.root.join("other")).unwrap();
    assert!(house.look().changed);
    assert!(house.scanner.entries().iter().all(|entry| entry.collision.is_none()));
}
