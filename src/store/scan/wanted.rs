//! Which packets a look is for. A hook runs before each call of an executor, and most packets of a book lie behind the checkpoint:
//! by their names alone it leaves those closed that the call is not about.

use crate::platform::paths::Shown as _;
use crate::store::checkpoint::{Checkpoint, chapter_of_packet};
use crate::store::safe_path;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::PathBuf;

/// How a record's name ends, unless somebody has chosen another.
const RECORD: &str = ".answers.json";

/// Every packet, unless it says otherwise.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only packets whose records may have one of these names, [folded](safe_path::folded_name).
    pub(super) record_names: Option<BTreeSet<String>>,
    /// Nothing that has the name of a record.
    no_records: bool,
    /// Of the packets that have the name of a passed chapter's, only those of these chapters.
    passed: Option<BTreeSet<u64>>,
}

impl Wanted {
    /// The packets whose records may go to one of these places, relative to the root.
    pub fn at(places: &[PathBuf]) -> Wanted {
        let names = places.iter().filter_map(|place| safe_path::folded_name(place)).collect();
        Wanted { record_names: Some(names), ..Wanted::default() }
    }

    /// The same where an executor writes files, which as a rule are no records: what is looked for first, and what then, if one has
    /// the name of a record.
    pub fn written(places: &[PathBuf]) -> impl Iterator<Item = Wanted> {
        let all = Wanted { no_records: true, ..Wanted::at(places) };
        let is_record = all.record_names.iter().flatten().any(|name| name.ends_with(RECORD));
        let passed = places.iter().flat_map(|place| numbers(&place.shown())).collect();
        let first = Wanted { passed: Some(passed), ..all.clone() };
        [Some(first), is_record.then_some(all)].into_iter().flatten()
    }

    /// What an agent may be about that is told this.
    pub fn told(text: &str) -> Wanted {
        Wanted { no_records: true, passed: Some(numbers(text)), ..Wanted::default() }
    }

    /// Whether a file of this name stays closed.
    pub(super) fn leaves_out(&self, name: &OsStr, checkpoint: Checkpoint) -> bool {
        let Some(name) = name.to_str() else { return false };
        let is_behind = |named: &BTreeSet<u64>| {
            let chapter = chapter_of_packet(name);
            chapter.is_some_and(|chapter| checkpoint.has_passed_chapter(chapter) && !named.contains(&chapter))
        };
        self.no_records && name.ends_with(RECORD) || self.passed.as_ref().is_some_and(is_behind)
    }
}

/// The numbers in a text: what names a chapter's step, packet or record has the chapter's number in it.
fn numbers(text: &str) -> BTreeSet<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn by_its_name_a_file_stays_closed_that_the_call_is_not_about() {
        let checkpoint =
            Checkpoint::decode(br#"{"last_completed_chapter": 47, "inflight_chapter": 12}"#, UNIX_EPOCH)
                .expect("a checkpoint");
        let is_opened = |wanted: &Wanted, name: &str| !wanted.leaves_out(OsStr::new(name), checkpoint);
        let written = |place: &str| Wanted::written(&[PathBuf::from(place)]).last().expect("a look");
        let (passed, record) = ("chapter-047-title-fix.packet.json", "chapter-048-draft.answers.json");
        let always = [
            "chapter-048-draft.packet.json",
            "chapter-012-draft.packet.json",
            "chapter-000-draft.packet.json",
            "chapter-047-outline.packet.json",
            "chapter-047.packet.json",
            "chapter--47-draft.packet.json",
            "chapter-047-draft.json",
            "Chapter-047-draft.packet.json",
            "vol-02-validate.packet.json",
            "a.json",
        ];
        for (wanted, opens_passed, opens_records) in [
            (Wanted::default(), true, true),
            (Wanted::at(&["chapters/1.md".into()]), true, true),
            (Wanted::told("Write."), false, false),
            (Wanted::told("chapter:048:draft, 470 字, 99999999999999999999"), false, false),
            (Wanted::told("Do chapter:047:draft."), true, false),
            (Wanted::told("第47章"), true, false),
            (written("chapters/chapter-048.md"), false, false),
            (written("staging/style.json"), false, false),
            (written("staging/novel-ask/c-47.json"), true, false),
            (written("staging/47/c.json"), true, false),
            // What its first look does not find.
            (written("staging/novel-ask/book.Answers.json"), true, false),
        ] {
            assert_eq!(is_opened(&wanted, passed), opens_passed, "{wanted:?}");
            assert_eq!(is_opened(&wanted, record), opens_records, "{wanted:?}");
            for name in always {
                assert!(is_opened(&wanted, name), "{name}: {wanted:?}");
            }
        }
    }
}
