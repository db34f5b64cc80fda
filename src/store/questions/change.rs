//! Changes to the files of standing questions at the author's wish, and the packets that follow from them at once.

use super::{MOST, QUESTIONS, Questions, path_of, too_many};
use crate::ask::splice::switched;
use crate::ask::standing::{self, ENDING, folded, same_name};
use crate::ask::{JsString, Problem, nearest};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::files::names_in;
use crate::store::attach;
use crate::store::file_snapshot::FileSnapshot;
use crate::store::history::{self, History, HistoryEntry, Note, Reason, Story};
use crate::store::project::Project;
use crate::store::scan;
use crate::text::say;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Stands for a moment in the place of a file that is to go and says nothing: a question of its name that is off.
const OFF: &[u8] = br#"{"_enabled": false, "_steps": ["volume:outline"], "version": 1, "topic": "-", "questions": [{"id": "a", "header": "-", "question": "-", "kind": "free_text", "required": false}]}"#;

/// The problem of a file beside which another lies that is asked instead of it: on some disks both are one.
pub fn beside(path: &Path) -> Option<Problem> {
    let question = |path: &Path| Some(path.file_name()?.to_str()?.strip_suffix(ENDING)?.to_owned());
    let own = question(path)?;
    let entries = names_in(path.parent()?).ok()?.flatten();
    let names = entries.filter_map(|name| question(Path::new(&name)));
    let first = names.filter(|name| folded(name) == folded(&own)).min()?;
    (first != own).then(|| same_name(&format!("{first}{ENDING}")))
}

impl Questions {
    /// The names of all files that are there, of those that are not read, too.
    fn names(&self) -> impl Iterator<Item = &String> {
        self.names.iter().flat_map(|names| names.read.iter().chain(&names.rest))
    }

    /// The name in the directory that is this one, but perhaps for the case of its letters.
    pub fn taken(&self, name: &str) -> Option<&str> {
        let wanted = folded(name);
        self.names().find(|there| folded(there) == wanted).map(String::as_str)
    }

    /// What keeps one more file from being asked.
    pub fn no_room(&self) -> Option<Problem> {
        (self.names().count() >= MOST).then(|| too_many(1))
    }

    /// The file of a name that is there. An error (exit 1) if none is, or it cannot be read or written (see [`FileSnapshot`]).
    fn file(&self, project: &Project, name: &str) -> Result<(FileSnapshot, Vec<u8>), Error> {
        let snapshot = match self.names().find(|there| *there == name) {
            Some(_) => Some(FileSnapshot::read(project, &path_of(name))?),
            // What keeps the directory from being listed is why.
            None => self.names.is_err().then(|| FileSnapshot::read(project, QUESTIONS)).transpose()?,
        };
        if let Some(snapshot) = snapshot
            && let Some(bytes) = snapshot.bytes.clone()
        {
            if snapshot.is_read_only(project) {
                let sentence = say("{0} is read-only; it is untouched.", "{0} 是只读的；未作改动。");
                return Err(Error::new(ExitCode::Failed, "read-only", sentence, &[&path_of(name)]));
            }
            return Ok((snapshot, bytes));
        }
        let sentence = say("There is no question {0} in questions/.", "questions/ 中没有名为 {0} 的提问。");
        let error = Error::new(ExitCode::Failed, "no-question", sentence, &[name]).at(name);
        let names: Vec<&String> = self.names().collect();
        Err(match nearest(&name.into(), names.iter().map(|name| JsString::from(name.as_str()))) {
            Some(at) => error.hint(say("Did you mean {0}?", "是否指 {0}？"), &[names[at]]),
            None => {
                error.hint(say("novel-gate questions lists them.", "用 novel-gate questions 列出。"), &[])
            }
        })
    }

    /// Has a question asked, or kept and not asked; false if it was so already.
    ///
    /// # Errors
    /// No such question (exit 1), its file is no JSON object in UTF-8 (exit 5), or as for [`FileSnapshot`].
    pub fn switch(&self, project: &Project, name: &str, is_on: bool) -> Result<bool, Error> {
        let (file, old) = self.file(project, name)?;
        let new = switched(&old, is_on).ok_or_else(|| {
            let sentence = say("{0} cannot be switched: it is malformed.", "无法切换 {0}：文件有误。");
            let error = Error::new(ExitCode::Malformed, "malformed", sentence, &[&path_of(name)]);
            error.hint(
                say("What is wrong: novel-gate lint {0}", "查看错误：novel-gate lint {0}"),
                &[&path_of(name)],
            )
        })?;
        if new == old {
            return Ok(false);
        }
        file.replace(project, &new).map(|()| true)
    }

    /// The text of a file.
    ///
    /// # Errors
    /// As for [`Self::switch`], whatever the file says.
    pub fn bytes(&self, project: &Project, name: &str) -> Result<Vec<u8>, Error> {
        self.file(project, name).map(|(_, bytes)| bytes)
    }

    /// Puts a text in the place of the one that was looked at, which goes into the history.
    ///
    /// # Errors
    /// As for [`Self::switch`], whatever the file says; it has changed since (exit 6); or the history cannot be written.
    pub fn rewrite(
        &self,
        history: &History<'_>,
        name: &str,
        seen: &[u8],
        new: &[u8],
    ) -> Result<HistoryEntry, Error> {
        let (mut file, _) = self.file(history.project, name)?;
        file.bytes = Some(seen.to_vec());
        let entry = note(history, name, Reason::Replaced, seen)?;
        file.replace(history.project, new).inspect_err(|_| history::take_back(&entry))?;
        Ok(entry)
    }

    /// Puts a new file into the book.
    ///
    /// # Errors
    /// The name is taken (exit 6), or as for [`FileSnapshot`].
    pub fn put(&self, project: &Project, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let file = FileSnapshot::read(project, &path_of(name))?;
        let there =
            self.taken(name).map(str::to_owned).or_else(|| file.bytes.is_some().then(|| name.to_owned()));
        let Some(there) = there else { return file.replace(project, bytes) };
        let sentence = say(
            "{0} is there already; it is untouched. Names that differ only in case or width count as one.",
            "已有 {0}；未作改动。只有大小写或全半角不同的名字视为同名。",
        );
        Err(Error::new(ExitCode::Exists, "name-taken", sentence, &[&path_of(&there)]).at(name))
    }

    /// Moves a file into the history. Its gates go first: what asked is still known then. Without an error the second value says
    /// what became of the packets.
    ///
    /// # Errors
    /// As for [`Self::switch`], whatever the file says; or the history cannot be written.
    pub fn remove(
        &self,
        history: &History<'_>,
        project: &Arc<Project>,
        name: &str,
    ) -> Result<(HistoryEntry, InLine), Error> {
        let (mut file, old) = self.file(project, name)?;
        let entry = note(history, name, Reason::Redone, &old)?;
        let is_sound = standing::read(name, &old).standing.is_some();
        let off = switched(&old, false).filter(|_| is_sound).unwrap_or_else(|| OFF.to_vec());
        let replaced = if off == old { Ok(()) } else { file.replace(project, &off) };
        replaced.inspect_err(|_| history::take_back(&entry))?;
        let in_line = bring_in_line(project);
        file.bytes = Some(off);
        file.remove(project).inspect_err(|_| {
            // As it was, if nobody else has written it.
            let _ = file.replace(project, &old);
            history::take_back(&entry);
        })?;
        Ok((entry, in_line))
    }
}

/// Puts the text of a file into the history.
fn note(history: &History<'_>, name: &str, reason: Reason, bytes: &[u8]) -> Result<HistoryEntry, Error> {
    let path = JsString::from(path_of(name).as_str());
    let story = Story { answer_path: &path, packet: None, step: None, spec: None, novel_ask: None };
    history::add(history.state, &story, &Note { reason, of: None, bytes }, history.now)
}

/// What became of the packets.
#[derive(Debug, Default)]
pub struct InLine {
    /// Those that carry something else now, relative to the root.
    pub packets: Vec<PathBuf>,
    /// What kept others from it.
    pub faults: Vec<(PathBuf, Error)>,
}

/// Makes every live packet carry what it is to carry.
pub fn bring_in_line(project: &Arc<Project>) -> InLine {
    let mut in_line = InLine::default();
    let entries = scan::look(project, project.disk().now()).entries();
    for entry in entries.iter().filter(|entry| entry.is_unattached) {
        match attach::attach(project, &project.root().join(&entry.path)) {
            Ok(true) => in_line.packets.push(entry.path.to_path_buf()),
            Ok(false) => {}
            Err(error) => in_line.faults.push((entry.path.to_path_buf(), error)),
        }
    }
    in_line.packets.sort();
    in_line
}

#[cfg(test)]
mod tests;
