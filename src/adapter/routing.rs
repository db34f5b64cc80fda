//! More options than a screen can hold, in two stages or as many as it takes: groups first, then the options of one
//! (`two_stage_routing`).
//!
//! Nothing is compressed, renamed or left out: every option is a leaf exactly once.

use super::control::ControlLabels;
use super::profile::Profile;
use crate::ask::draft::is_control_token;
use crate::ask::{Choice, JsString};
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A real option: its place in the question.
    Option(usize),
    Group(Group),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What the entry is called; it equals no label of the question and no other entry beside it.
    pub label: JsString,
    /// Position of its first option among those of the tree, from 1.
    pub from: usize,
    pub to: usize,
    /// The places of its options, in the order in which they stand.
    pub members: Vec<usize>,
    /// One level down: at least two entries.
    pub children: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupNames {
    controls: ControlLabels,
    /// Whether `Options 1-4` cannot be taken for an option.
    ranges: bool,
    /// Whether the options' clusters can be groups.
    clusters: bool,
}

impl GroupNames {
    /// For a question's options, shown by a tool with these added labels.
    pub fn of(options: &[Choice], profile: &Profile) -> GroupNames {
        let ranges = !options.iter().any(|option| is_range(&option.label.trimmed()));
        GroupNames {
            controls: ControlLabels::of(options),
            ranges,
            clusters: clusters_are_plain(options, profile),
        }
    }

    /// Whether groups bear the names of clusters.
    pub(super) fn has_clusters(&self) -> bool {
        self.clusters
    }

    fn range(&self, from: usize, to: usize, number: usize) -> JsString {
        if self.ranges { format!("Options {from}-{to}").into() } else { self.controls.group(number).into() }
    }
}

/// A run of options that stays together: one option, or a cluster.
#[derive(Clone)]
struct Unit {
    members: Vec<usize>,
    cluster: Option<JsString>,
}

/// The tree over the options at `items`, which stand in the order of the screen: at most `root` entries on the first
/// level and `arity` below; both at least 1, `arity` at least 2.
pub fn build_tree(
    items: &[usize],
    options: &[Choice],
    naming: &GroupNames,
    root: usize,
    arity: usize,
) -> Vec<Node> {
    let fits = items.len() <= root;
    let units = if naming.clusters && !fits { clustered(items, options) } else { single(items) };
    // A lone cluster would be one entry that leads to all.
    let units = if units.len() == 1 { single(items) } else { units };
    split(&units, naming, root, arity.max(2), 1)
}

/// At most `count` entries on this level and `arity` on those below; `from` is the position of the first option.
fn split(units: &[Unit], naming: &GroupNames, count: usize, arity: usize, mut from: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (run, number) in runs(units, count).into_iter().zip(1..) {
        let members: Vec<usize> = run.iter().flat_map(|unit| unit.members.iter().copied()).collect();
        let to = from + members.len() - 1;
        if let &[option] = members.as_slice() {
            nodes.push(Node::Option(option));
        } else {
            let below = |units: &[Unit]| split(units, naming, arity, arity, from);
            let (label, children) = match run {
                [Unit { members, cluster: Some(name) }] => (name.clone(), below(&single(members))),
                run => (naming.range(from, to, number), below(run)),
            };
            nodes.push(Node::Group(Group { label, from, to, members, children }));
        }
        from = to + 1;
    }
    nodes
}

/// At most `count` consecutive runs of nearly equal length, the shorter ones first.
fn runs(units: &[Unit], count: usize) -> Vec<&[Unit]> {
    let count = count.clamp(1, units.len().max(1));
    let (length, longer) = (units.len() / count, units.len() % count);
    let mut rest = units;
    let mut out = Vec::with_capacity(count);
    for i in 0..count {
        let (run, tail) = rest.split_at(length + usize::from(i >= count - longer));
        out.push(run);
        rest = tail;
    }
    out.retain(|run| !run.is_empty());
    out
}

fn single(items: &[usize]) -> Vec<Unit> {
    items.iter().map(|&option| Unit { members: vec![option], cluster: None }).collect()
}

/// Options of one cluster gather where its first one stands.
fn clustered(items: &[usize], options: &[Choice]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut known: HashMap<&JsString, usize> = HashMap::new();
    for &item in items {
        let cluster = options[item].cluster.as_ref();
        if let Some(&unit) = cluster.and_then(|name| known.get(name)) {
            units[unit].members.push(item);
            continue;
        }
        known.extend(cluster.map(|name| (name, units.len())));
        units.push(Unit { members: vec![item], cluster: cluster.cloned() });
    }
    units
}

/// Whether no cluster's name can be taken for anything else on a screen.
fn clusters_are_plain(options: &[Choice], profile: &Profile) -> bool {
    let names: BTreeSet<&JsString> = options.iter().filter_map(|option| option.cluster.as_ref()).collect();
    let mut seen: BTreeSet<JsString> = options.iter().map(|option| option.label.trimmed()).collect();
    !names.is_empty()
        && names.into_iter().all(|name| {
            let name = name.trimmed();
            let reserved = name.as_str().is_some_and(is_control_token) || profile.is_undecidable(&name);
            !reserved && !is_range(&name) && seen.insert(name)
        })
}

/// Whether a label reads as the name of a range: `Options 10-13`.
pub(super) fn is_range(label: &JsString) -> bool {
    let numbers = label.as_str().and_then(|label| label.strip_prefix("Options "));
    numbers.and_then(|numbers| numbers.split_once('-')).is_some_and(|(from, to)| {
        [from, to].iter().all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::profile::Executor;

    fn options(labels: &[(&str, &str)]) -> Vec<Choice> {
        let choice = |&(label, cluster): &(&str, &str)| Choice {
            label: label.into(),
            description: "d".into(),
            cluster: (!cluster.is_empty()).then(|| cluster.into()),
            sends_back: false,
            round: None,
        };
        labels.iter().map(choice).collect()
    }

    fn numbered(count: usize) -> Vec<Choice> {
        let labels: Vec<String> = (1..=count).map(|number| format!("o{number}")).collect();
        options(&labels.iter().map(|label| (label.as_str(), "")).collect::<Vec<_>>())
    }

    fn tree(options: &[Choice], root: usize, arity: usize) -> Vec<Node> {
        let items: Vec<usize> = (0..options.len()).collect();
        let naming = GroupNames::of(options, &Executor::Codex.profile());
        build_tree(&items, options, &naming, root, arity)
    }

    fn drawn(nodes: &[Node]) -> String {
        let texts: Vec<String> = nodes
            .iter()
            .map(|node| match node {
                Node::Option(place) => (place + 1).to_string(),
                Node::Group(group) => format!("{}({})", group.label.display(), drawn(&group.children)),
            })
            .collect();
        texts.join(" ")
    }

    #[test]
    fn runs_are_nearly_equal_and_the_shorter_ones_come_first() {
        for (count, root, tree_drawn) in [
            (3, 3, "1 2 3"),
            (4, 3, "1 2 Options 3-4(3 4)"),
            (9, 3, "Options 1-3(1 2 3) Options 4-6(4 5 6) Options 7-9(7 8 9)"),
            (1, 2, "1"),
            (3, 2, "1 Options 2-3(2 3)"),
            (3, 1, "Options 1-3(1 2 3)"),
        ] {
            assert_eq!(drawn(&tree(&numbered(count), root, 3)), tree_drawn);
        }
        assert_eq!(
            drawn(&tree(&numbered(13), 3, 3)),
            "Options 1-4(1 2 Options 3-4(3 4)) Options 5-8(5 6 Options 7-8(7 8)) \
             Options 9-13(9 Options 10-11(10 11) Options 12-13(12 13))"
        );
    }

    #[test]
    fn clusters_are_the_first_stage() {
        let options = options(&[("a", "热血"), ("b", "日常"), ("c", "热血"), ("d", "日常"), ("e", "孤")]);
        assert_eq!(drawn(&tree(&options, 3, 3)), "热血(1 3) 日常(2 4) 5");
        assert_eq!(drawn(&tree(&options, 2, 3)), "热血(1 3) Options 3-5(日常(2 4) 5)");
    }

    #[test]
    fn names_that_could_be_taken_for_something_else_give_way() {
        for name in ["a", "Other", "user_note: x", "__more__", "Options 1-2", " a "] {
            let options = options(&[("a", name), ("b", name), ("c", "z"), ("d", "z")]);
            assert_eq!(drawn(&tree(&options, 2, 2)), "Options 1-2(1 2) Options 3-4(3 4)", "{name}");
        }
        let options = options(&[("Options 7-9", ""), ("b", ""), ("__group_1__", ""), ("d", "")]);
        assert_eq!(drawn(&tree(&options, 2, 2)), "___group_1___(1 2) ___group_2___(3 4)");
    }
}
