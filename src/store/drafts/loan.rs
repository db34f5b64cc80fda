//! Texts that the author's editor was lent: a private file in the system's temporary directory, and a note of it in the state
//! directory for as long as it is lent. A console that is killed takes neither back, and the next one finds both.

use super::Writer;
use crate::ask::JsString;
use crate::platform::files::{is_private, make_private, names_in, open_read_unlinked};
use crate::platform::processes;
use crate::store::disk::make_private_dir;
use crate::store::state::StateDir;
use crate::store::{SIZE_LIMIT, sha256};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Begins the names of such files.
const NAME: &str = "novel-gate-";

/// What a text is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loan {
    /// Relative to the root.
    pub packet: PathBuf,
    pub answer_path: JsString,
    /// Nothing for the text of a record.
    pub field: Option<Field>,
}

/// One of the fields of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The question.
    pub id: String,
    /// Whether it is the note beside the answer.
    pub noted: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    loan: Loan,
    file: PathBuf,
    /// Of the text as it was lent.
    sha256: String,
    writer: Writer,
    /// The editor's process, as soon as it runs.
    editor: Option<u32>,
}

/// A text that is lent; with this, file and note go.
#[derive(Debug)]
pub struct Lent {
    file: NamedTempFile,
    note: Note,
    place: Place,
}

/// Where a note lies; it goes with this.
#[derive(Debug)]
struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Lent {
    /// Puts the text into a file of its own, readable by the user only. By the ending of its name editors know what it is.
    pub fn new(state: &StateDir, loan: Loan, text: &str) -> io::Result<Lent> {
        let ending = if loan.field.is_some() { ".md" } else { ".json" };
        let mut file = tempfile::Builder::new().prefix(NAME).suffix(ending).tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        let path = file.path().to_path_buf();
        let mut place = notes(state).join(path.file_name().unwrap_or_default()).into_os_string();
        place.push(".json");
        let (sha256, writer) = (sha256(text.as_bytes()), Writer::this_process());
        let note = Note { loan, file: path, sha256, writer, editor: None };
        let lent = Lent { file, note, place: Place(place.into()) };
        lent.remember();
        Ok(lent)
    }

    /// The process that has it now.
    pub fn is_with(&mut self, editor: u32) {
        self.note.editor = Some(editor);
        self.remember();
    }

    /// Without the note the text is only not found again after a kill.
    fn remember(&self) {
        let place = &self.place.0;
        let write = || -> io::Result<()> {
            make_private_dir(place.parent().unwrap_or(place))?;
            let mut options = OpenOptions::new();
            let mut file = make_private(options.write(true).create(true).truncate(true)).open(place)?;
            file.write_all(&serde_json::to_vec(&self.note)?)
        };
        let _ = write();
    }

    pub fn path(&self) -> PathBuf {
        self.file.path().to_path_buf()
    }

    /// The text as it is now. Editors often replace the file, so it is read by its name. What is no UTF-8 stays in its file,
    /// whose path is the error; without one the file cannot be read.
    pub fn take(self) -> Result<String, Option<PathBuf>> {
        let bytes = fs::read(self.file.path()).map_err(|_| None)?;
        String::from_utf8(bytes).map_err(|_| self.file.keep().ok().map(|(_, path)| path))
    }
}

/// A text that an editor has saved for a console that ended before it was given back.
#[derive(Debug)]
pub struct Left {
    pub loan: Loan,
    /// What is no UTF-8 stays in its file.
    pub text: Result<String, PathBuf>,
    file: PathBuf,
    note: PathBuf,
}

impl Left {
    /// It is in good hands now.
    pub fn forget(self) {
        if self.text.is_ok() {
            let _ = fs::remove_file(&self.file);
        }
        let _ = fs::remove_file(&self.note);
    }

    /// Nothing of what is still in use, was not changed, or is not there any more.
    fn read(note: PathBuf) -> Option<Left> {
        let Note { loan, file, sha256: before, writer, editor } =
            serde_json::from_slice(&fs::read(&note).ok()?).ok()?;
        let us = Writer::this_process();
        let is_used = writer == us || writer.is_running() || editor.is_some_and(processes::is_running);
        // Another machine has another temporary directory.
        if is_used || writer.host != us.host {
            return None;
        }
        let bytes = match own_bytes(&file) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                let _ = fs::remove_file(&note);
                return None;
            }
            Err(_) => return None,
        };
        let is_changed = sha256(&bytes) != before;
        let text = String::from_utf8(bytes).map_err(|_| file.clone());
        let left = Left { loan, text, file, note };
        if !is_changed {
            left.forget();
            return None;
        }
        Some(left)
    }
}

/// What an author's editor has saved for consoles that have ended since, and nobody has taken.
pub fn left(state: &StateDir) -> Vec<Left> {
    let dir = notes(state);
    let names = names_in(&dir).into_iter().flatten().flatten();
    names.filter_map(|name| Left::read(dir.join(name))).collect()
}

fn notes(state: &StateDir) -> PathBuf {
    state.path().join("lent")
}

/// The bytes of a file with a name of ours that only this user can have written. A link is not followed, a pipe not waited for.
fn own_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let foreign = || io::Error::from(io::ErrorKind::InvalidData);
    let name = path.file_name().unwrap_or_default();
    if !name.as_encoded_bytes().starts_with(NAME.as_bytes()) || path.parent() != Some(&std::env::temp_dir()) {
        return Err(foreign());
    }
    let file = open_read_unlinked(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() || !is_private(&meta) || meta.len() > SIZE_LIMIT {
        return Err(foreign());
    }
    let mut bytes = Vec::new();
    file.take(SIZE_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::paths::Shown as _;
    use crate::platform::testing::{mode, set_mode, symlink};
    use crate::store::testing::Sandbox;

    fn loan(id: Option<&str>) -> Loan {
        let field = id.map(|id| Field { id: id.to_owned(), noted: false });
        Loan { packet: "staging/a.packet.json".into(), answer_path: "staging/a.json".into(), field }
    }

    /// A console lends "text", the editor saves this, and the console is killed; the file.
    fn killed(book: &Sandbox, saved: impl AsRef<[u8]>, editor: Option<u32>) -> PathBuf {
        let mut lent = Lent::new(&book.state, loan(Some("q")), "text").unwrap();
        // No process has this number.
        lent.note.writer.pid = u32::MAX >> 1;
        lent.note.editor = editor;
        lent.remember();
        let path = lent.path();
        fs::write(&path, saved).unwrap();
        std::mem::forget(lent);
        path
    }

    fn notes_left(book: &Sandbox) -> usize {
        fs::read_dir(notes(&book.state)).map_or(0, Iterator::count)
    }

    #[test]
    fn what_an_editor_saved_for_a_console_that_was_killed_is_found_and_goes_once_it_is_taken() {
        let book = Sandbox::new();
        let file = killed(&book, "雨夜", None);
        for _ in 0..2 {
            let found = left(&book.state);
            assert_eq!((&found[0].loan, &found[0].text), (&loan(Some("q")), &Ok("雨夜".to_owned())));
            assert!(file.exists(), "it stays until it is taken");
        }
        left(&book.state).into_iter().for_each(Left::forget);
        assert_eq!((file.exists(), notes_left(&book), left(&book.state).len()), (false, 0, 0));
    }

    #[test]
    fn what_is_in_use_is_waited_for_and_what_did_not_change_or_is_gone_goes_without_a_word() {
        let book = Sandbox::new();
        let lent = Lent::new(&book.state, loan(None), "text").unwrap();
        fs::write(lent.path(), "being written").unwrap();
        assert!(left(&book.state).is_empty(), "this console has it");
        drop(lent);
        assert_eq!(notes_left(&book), 0);
        let running = killed(&book, "being written", Some(std::process::id()));
        assert!(left(&book.state).is_empty() && running.exists(), "the editor has it");
        assert_eq!(notes_left(&book), 1);
        fs::remove_file(notes(&book.state).join(format!("{}.json", running.file_name().unwrap().display())))
            .unwrap();
        fs::remove_file(running).unwrap();
        let unchanged = killed(&book, "text", None);
        let gone = killed(&book, "saved", None);
        fs::remove_file(&gone).unwrap();
        assert!(left(&book.state).is_empty() && !unchanged.exists());
        assert_eq!(notes_left(&book), 0);
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn only_a_private_file_of_a_name_of_ours_is_read() {
        let book = Sandbox::new();
        let file = killed(&book, "saved", None);
        set_mode(&file, 0o644);
        assert!(left(&book.state).is_empty() && file.exists(), "others may have read it, but not written");
        set_mode(&file, 0o600);
        assert_eq!(left(&book.state).len(), 1);
        let other = book.put("precious", "words");
        set_mode(&other, 0o600);
        fs::remove_file(&file).unwrap();
        symlink(&other, &file).unwrap();
        assert!(left(&book.state).is_empty() && other.exists());
        fs::remove_file(&file).unwrap();
        let note = fs::read_dir(notes(&book.state)).unwrap().next().unwrap().unwrap().path();
        let moved = fs::read_to_string(&note).unwrap().replace(&*file.shown(), &other.shown());
        fs::write(&note, moved).unwrap();
        assert!(left(&book.state).is_empty() && other.exists(), "a note names no other file");
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn a_text_in_another_encoding_stays_in_its_file() {
        let book = Sandbox::new();
        let give = || Lent::new(&book.state, loan(Some("q")), "text").unwrap();
        let lent = give();
        assert_eq!(mode(&lent.path()), 0o600);
        fs::write(lent.path(), "雨").unwrap();
        assert_eq!(lent.take(), Ok("雨".to_owned()));
        let lent = give();
        let path = lent.path();
        fs::write(&path, b"\xd3\xea").unwrap();
        assert_eq!(lent.take(), Err(Some(path.clone())));
        assert_eq!(fs::read(&path).unwrap(), b"\xd3\xea");
        fs::remove_file(path).unwrap();
        let lent = give();
        fs::remove_file(lent.path()).unwrap();
        assert_eq!(lent.take(), Err(None));
        let file = killed(&book, b"\xd3\xea", None);
        let found = left(&book.state).remove(0);
        assert_eq!(found.text, Err(file.clone()));
        found.forget();
        assert_eq!((file.exists(), notes_left(&book)), (true, 0));
        fs::remove_file(file).unwrap();
    }
}
