//! Somebody who goes through the tour with keys, and looks at what is shown and written.

use super::{DRAFT_13, answers_of};
use crate::sandbox::directory_in_memory;
use crate::story::{HandClock, START, Story, open_console, write};
use novel_gate::console::action::{Action, Target};
use novel_gate::console::input::key::KeyPress;
use novel_gate::console::model::{Size, Status};
use novel_gate::console::sample;
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::text::Lang;
use std::fs;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, UNIX_EPOCH};

/// The demo, at one size and in one language.
pub(super) struct Tour {
    pub(super) story: Story,
    pub(super) lang: Lang,
    pub(super) pressed: Vec<KeyPress>,
}

impl Tour {
    pub(super) fn begin(size: Size, lang: Lang) -> Tour {
        let dir = directory_in_memory();
        let root = dir.path().join("book");
        let now = UNIX_EPOCH + START;
        for (path, bytes, minutes) in sample::FILES {
            let file = root.join(path);
            write(&file, "");
            fs::write(&file, bytes).expect("written");
            let file = fs::File::options().append(true).open(file).expect("the file");
            file.set_modified(now - Duration::from_mins(*minutes)).expect("the time is set");
        }
        let clock = Arc::new(HandClock(Mutex::new(now), OnceLock::new()));
        let mut console = open_console(dir.path(), &clock);
        (console.stack.model.size, console.stack.model.lang) = (size, lang);
        // As `demo` calls the directory of its copy.
        "雨停之前".clone_into(&mut console.stack.model.project);
        let mut story = Story { dir, clock, console, flow: Flow::Unchanged };
        story.scan();
        Tour { story, lang, pressed: Vec::new() }
    }

    /// Presses keys as a reader does, who looks before each.
    pub(super) fn press(&mut self, keys: &str) -> &mut Tour {
        for key in keys.split_whitespace() {
            self.pressed.extend(KeyPress::parse(key));
            self.story.wait(1).press(key);
        }
        self
    }

    /// Goes to a gate in the inbox.
    pub(super) fn at(&mut self, title: &str) -> &mut Tour {
        for _ in 0..9 {
            self.story.wait(1).press("esc");
        }
        self.story.scan();
        let entries = self.story.entries();
        let entry = entries.iter().find(|entry| entry.title() == title).expect(title);
        let row = self.story.model().inbox.row_of(&entry.path).expect(title);
        if self.story.model().inbox.row != row {
            self.story.flow = self.story.console.act(Action::Point(Target::Row(row)));
        }
        self
    }

    /// What the inbox lists: the title and the state of each gate, and whether the checkpoint has passed it.
    pub(super) fn gates(&self) -> Vec<(String, Status, bool)> {
        let entries = self.story.entries();
        let listed = entries.iter().filter(|entry| entry.status != Status::NoGate);
        listed.map(|entry| (entry.title().into_owned(), entry.status, entry.past)).collect()
    }

    /// Takes away the packets that were put there on the way.
    pub(super) fn only_the_sample(&mut self) {
        for chapter in 16..=22 {
            let packet = format!("staging/manifests/chapter-{chapter:03}-draft.packet.json");
            let _ = fs::remove_file(self.story.root().join(packet));
        }
        self.story.scan();
    }

    /// Writes the packet of chapter 13 again, as that of another chapter.
    pub(super) fn again(&mut self, chapter: &str) -> &mut Tour {
        let packet = self.file(DRAFT_13).expect("the packet").replace("013", chapter);
        self.story.put(&DRAFT_13.replace("013", chapter), &packet);
        self
    }

    /// Answers a gate with what is chosen already.
    pub(super) fn answer(&mut self, title: &str) -> &mut Tour {
        self.at(title).press("enter ctrl+s ctrl+s")
    }

    pub(super) fn text(&self) -> String {
        self.story.shown()
    }

    /// All of a page, from where it is scrolled on.
    pub(super) fn read_on(&mut self) -> String {
        let mut all = self.text();
        loop {
            self.press("pgdn");
            let next = self.text();
            if all.ends_with(&next) {
                return all;
            }
            all += &next;
        }
    }

    pub(super) fn sees(&mut self, english: &str, chinese: &str) -> &mut Tour {
        let words = if self.lang == Lang::En { english } else { chinese };
        assert!(self.text().contains(words), "{words}: {}", self.text());
        self
    }

    pub(super) fn file(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.story.root().join(path)).ok()
    }

    pub(super) fn record(&self, chapter: &str) -> Option<String> {
        self.file(&answers_of(chapter))
    }
}
