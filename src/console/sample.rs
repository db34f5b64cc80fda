//! The sample project of `demo`, embedded in the binary.
//!
//! `store` writes the throw-away copy.
//! The broken samples, the Canonical Prompt documents and the directory's own README are for readers of the repository and
//! stay out.

macro_rules! sample {
    ($path:literal, $minutes:expr) => {
        ($path, include_bytes!(concat!("../../sample-packets/", $path)), $minutes)
    };
}

const HOUR: u64 = 60;
const DAY: u64 = 24 * HOUR;

/// Every file of the sample project: its path beneath the root, with `/`, its bytes, and how many minutes ago it was written.
pub const FILES: &[(&str, &[u8], u64)] = &[
    sample!(".checkpoint.json", 5 * DAY),
    sample!("brief.md", 5 * DAY),
    sample!("questions/book_contract.question.json", 5 * DAY),
    sample!("questions/chapter_direction.question.json", 5 * DAY),
    sample!("questions/character_fate.question.json", 5 * DAY),
    sample!("questions/draft_verdict.question.json", 5 * DAY),
    sample!("questions/rhythm_payoff.question.json", 5 * DAY),
    sample!("questions/romance_line.question.json", 5 * DAY),
    sample!("questions/threads_due.question.json", 5 * DAY),
    sample!("questions/viewpoint.question.json", 5 * DAY),
    sample!("questions/volume_direction.question.json", 5 * DAY),
    sample!("questions/volume_plan_verdict.question.json", 5 * DAY),
    sample!("staging/chapters/chapter-012.md", 2 * DAY),
    sample!("staging/manifests/chapter-012-draft.packet.json", 5 * DAY),
    sample!("staging/manifests/chapter-012-judge.packet.json", 5 * DAY),
    sample!("staging/manifests/chapter-012-refine.packet.json", 5 * DAY),
    sample!("staging/manifests/chapter-012-title-fix.packet.json", 5 * DAY),
    sample!("staging/manifests/chapter-013-draft.packet.json", 2),
    sample!("staging/manifests/chapter-014-draft.packet.json", 0),
    sample!("staging/manifests/chapter-015-draft.packet.json", 3 * HOUR),
    sample!("staging/manifests/quickstart-world.packet.json", 5 * DAY),
    sample!("staging/manifests/review-collect.packet.json", 5 * DAY),
    sample!("staging/manifests/volume-commit.packet.json", 5 * DAY),
    sample!("staging/manifests/volume-outline.packet.json", 50),
    sample!("staging/manifests/volume-validate.packet.json", 5 * DAY),
    sample!("staging/novel-ask/chapter-012-draft.answers.json", 3 * DAY),
    sample!("staging/novel-ask/chapter-012-draft.rounds.jsonl", 3 * DAY),
    sample!("staging/novel-ask/quickstart-world.answers.json", 90 * DAY),
    sample!("staging/novel-ask/romance_line-vol-01.answers.json", 6 * DAY),
    sample!("staging/novel-ask/viewpoint-book.answers.json", 90 * DAY),
    sample!("staging/novel-ask/vol-02-validate.answers.json", DAY),
    sample!("volumes/vol-01/outline.md", 5 * DAY),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::FILES;

    fn collect(root: &Path, dir: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(dir).expect("the samples are beside the manifest") {
            let path = entry.expect("a directory entry").path();
            let name = path
                .strip_prefix(root)
                .expect("beneath the root")
                .to_str()
                .expect("UTF-8")
                .replace('\\', "/");
            if ["broken", "canonical", "README.md", "README.zh-CN.md"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                collect(root, &path, into);
            } else {
                into.insert(name, std::fs::read(&path).expect("a readable sample"));
            }
        }
    }

    #[test]
    fn the_table_is_the_directory() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-packets");
        let mut on_disk = BTreeMap::new();
        collect(&root, &root, &mut on_disk);
        let embedded: BTreeMap<String, Vec<u8>> =
            FILES.iter().map(|&(path, bytes, _)| (path.to_owned(), bytes.to_vec())).collect();
        assert_eq!(embedded.len(), FILES.len(), "a path stands twice in the table");
        assert_eq!(embedded.keys().collect::<Vec<_>>(), on_disk.keys().collect::<Vec<_>>());
        assert!(embedded == on_disk, "the bytes differ");
    }
}
