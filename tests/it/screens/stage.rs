//! The sample project on disk and a console without a terminal on it; all times are fixed.

use crate::sandbox::directory_in_memory;
use novel_gate::console::action::{Action, Target};
use novel_gate::console::field::Edit;
use novel_gate::console::files::Files;
use novel_gate::console::form::Form;
use novel_gate::console::model::{Mode, Model, Size};
use novel_gate::console::news::News;
use novel_gate::console::sample;
use novel_gate::console::screen::{Cx, EditorEnd, Effect, FromEditor};
use novel_gate::console::stack::Stack;
use novel_gate::store::scan::Scanner;
use novel_gate::store::watch::StoreEvent;
use novel_gate::store::{FixedClock, Project, StateDir};
use novel_gate::text::Lang;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// 2026-02-27T10:12:34Z.
const NOW: Duration = Duration::from_secs(1_772_187_154);

/// What the text means that comes back from the author's editor.
type Edited = Box<dyn FnOnce(FromEditor, &mut Cx<'_>)>;

/// A console on the sample project.
pub(super) struct Stage {
    pub(super) stack: Stack,
    pub(super) files: Files,
    edited: Option<Edited>,
    _dir: tempfile::TempDir,
}

impl Stage {
    /// The sample project, its list known and its first gate loaded.
    pub(super) fn new(size: Size, lang: Lang) -> Stage {
        Stage::of(size, lang, sample::FILES)
    }

    /// A project of these files, each with how many minutes ago it was written.
    pub(super) fn of(size: Size, lang: Lang, files: &[(&str, &[u8], u64)]) -> Stage {
        let dir = directory_in_memory();
        let root = dir.path().join("雨停之前");
        fs::create_dir_all(root.join("staging")).expect("a directory");
        let now = UNIX_EPOCH + NOW;
        for (path, bytes, minutes) in files {
            let file = root.join(path);
            fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
            fs::write(&file, bytes).expect("written");
            set_time(&file, now - Duration::from_mins(*minutes));
        }
        let project = Project::open(&root).expect("the project");
        let (name, state) = (project.name(), StateDir::new(&dir.path().join("state"), &project));
        let files = Files::new(Arc::new(project), state, Arc::new(FixedClock(now)), None);
        let mut on_it =
            Stage { stack: Stack::new(Model::new(name, lang, size, now)), files, edited: None, _dir: dir };
        on_it.scan();
        on_it
    }

    /// Lets the executor complete chapters up to this one.
    pub(super) fn complete_chapter(&mut self, chapter: u32) {
        let path = self.files.project.root().join(".checkpoint.json");
        fs::write(path, format!(r#"{{"last_completed_chapter": {chapter}}}"#)).expect("written");
        self.scan();
    }

    /// A file of the project.
    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.files.project.root().join(path)).expect("the file")
    }

    /// Looks at the project.
    pub(super) fn rescan(&mut self) -> &mut Stage {
        self.scan();
        self
    }

    fn scan(&mut self) {
        let mut scanner = Scanner::new(self.files.project.clone());
        scanner.look(self.stack.model.now);
        let (entries, asked) = (scanner.entries(), scanner.questions().count_on());
        self.hear(News::Store(StoreEvent::Watching(Mode::Native)));
        self.hear(News::Store(StoreEvent::Entries { entries, cut: false, asked }));
    }

    /// Lets something happen, and everything that follows from it.
    pub(super) fn hear(&mut self, news: News) {
        let effects = self.stack.hear(news).effects;
        self.carry_out(effects);
    }

    /// Does something, and everything that follows from it.
    pub(super) fn act(&mut self, action: Action) -> &mut Stage {
        // The author has read what is shown.
        self.change(|form| form.unread_since = None);
        let effects = self.stack.act(action);
        self.carry_out(effects);
        self
    }

    /// Changes the open form.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Form) + Send + 'static) {
        self.stack.follow(|cx| cx.on::<Form>(|form, _| change(form)));
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Job(job) => {
                    if let Some(then) = (job.work)(&self.files) {
                        let effects = self.stack.follow(then).effects;
                        self.carry_out(effects);
                    }
                }
                Effect::Save(draft) => drop(self.files.save_draft(&draft)),
                Effect::KeepEdited(answer_path, text) => drop(self.files.keep_edited(&answer_path, &text)),
                Effect::Edit { then, .. } => self.edited = Some(then),
                Effect::NoteSeen(entries) => {
                    while self.files.history().see_gates(&entries).unwrap_or(false) {}
                }
                _ => {}
            }
        }
        // Drawing leaves behind how far things can be scrolled.
        super::golden::draw(&self.stack);
    }

    /// Selects the gate of a packet in the list.
    pub(super) fn select(&mut self, packet: &str) -> &mut Stage {
        let path = PathBuf::from(format!("staging/manifests/{packet}.packet.json"));
        let row = self.stack.model.inbox.row_of(&path).expect("the packet is listed");
        // A click on the selected row would open it.
        if self.stack.model.inbox.row == row { self } else { self.act(Action::Point(Target::Row(row))) }
    }

    /// Takes a folder out of the project.
    pub(super) fn remove(&mut self, path: &str) {
        fs::remove_dir_all(self.files.project.root().join(path)).expect("the folder");
    }

    /// Writes a file into the project and looks.
    pub(super) fn put(&mut self, path: &str, text: &str) {
        let file = self.files.project.root().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        fs::write(&file, text).expect("written");
        set_time(&file, self.stack.model.now - Duration::from_mins(1));
        self.scan();
    }

    /// Lets the executor write a file now, and looks.
    pub(super) fn make(&mut self, path: &str) {
        self.put(path, "写好了");
        set_time(&self.files.project.root().join(path), self.stack.model.now);
        self.scan();
    }

    /// Deletes a file of the project and looks.
    pub(super) fn delete(&mut self, path: &str) {
        fs::remove_file(self.files.project.root().join(path)).expect("removed");
        self.scan();
    }

    /// Removes the record of a packet, whatever is said about it, and looks.
    pub(super) fn redo(&mut self, packet: &str) -> &mut Stage {
        self.select(packet).act(Action::Redo).act(Action::Accept);
        self.scan();
        self
    }

    /// Lets the author's editor give a text back.
    pub(super) fn edited(&mut self, text: &str) {
        let back = FromEditor { text: Ok(text.to_owned()), end: EditorEnd::Well };
        let edited = self.edited.take().expect("a text in the editor");
        let effects = self.stack.follow(|cx| edited(back, cx)).effects;
        self.carry_out(effects);
    }

    /// Opens the form of a packet.
    pub(super) fn open(&mut self, packet: &str) -> &mut Stage {
        self.select(packet).act(Action::Accept)
    }

    /// Types text into the field that is open.
    pub(super) fn write(&mut self, text: &str) -> &mut Stage {
        self.act(Action::Edit(Edit::Insert(text.to_owned())))
    }
}

fn set_time(file: &std::path::Path, time: SystemTime) {
    let file = fs::File::options().append(true).open(file).expect("the file");
    file.set_modified(time).expect("the time is set");
}
