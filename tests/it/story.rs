//! Stories: keys in, record file out. The real model, key table, updates and store; no terminal, no thread, a clock
//! that moves only when told.

mod announcing;
mod answering;
mod asking;
mod batching;
mod changing;
mod clicking;
mod commanding;
mod complaints;
mod copying;
mod dating;
mod deciding;
mod deferring;
mod drafting;
mod editing;
mod filtering;
mod finding;
mod guarding;
mod guiding;
mod handing_back;
mod keeping;
mod listening;
mod listing;
mod mending;
mod noting;
mod outliving;
mod overtaking;
mod paging;
mod proposing;
mod reading;
mod recalling;
mod redoing;
mod remembering;
mod repairing;
mod returning;
mod saving;
mod sending_back;
mod theming;
mod touring;
mod undoing;
mod watching;

use crate::sandbox::directory_in_memory;
use jiff::tz::{TimeZone, offset};
use novel_gate::ask::JsString;
use novel_gate::console::app::{Console, EffectRunner};
use novel_gate::console::draw::sheet::Sheet;
use novel_gate::console::files::Files;
use novel_gate::console::form::Form;
use novel_gate::console::inbox::loading::load;
use novel_gate::console::input::key::{Key, KeyPress};
use novel_gate::console::input::keymap::Context;
use novel_gate::console::look::Look;
use novel_gate::console::model::{Entry, Model, Place, Size};
use novel_gate::console::news::{self, News};
use novel_gate::console::screen::{Cx, EditorEnd, Effect, NewGates, Part, Screen, Then, Wait};
use novel_gate::console::terminal::event::{Event, Input};
use novel_gate::console::terminal::run_loop::{App, Flow};
use novel_gate::console::theme::Theme;
use novel_gate::store::drafts::autosave::Unsaved;
use novel_gate::store::drafts::loan::Loan;
use novel_gate::store::drafts::{DraftJob, Drafts};
use novel_gate::store::questions::Questions;
use novel_gate::store::scan::Scanner;
use novel_gate::store::watch::StoreEvent;
use novel_gate::store::{Clock, Project, StateDir};
use novel_gate::text::Lang;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// 2026-02-27T10:12:34Z.
const START: Duration = Duration::from_secs(1_772_187_154);

/// A clock that moves only when told, and the author's time zone; UTC until it is set.
struct HandClock(Mutex<SystemTime>, OnceLock<TimeZone>);

impl Clock for HandClock {
    fn now(&self) -> SystemTime {
        *self.0.lock().expect("the clock")
    }

    fn zone(&self) -> TimeZone {
        self.1.get().cloned().unwrap_or(TimeZone::UTC)
    }
}

/// Does everything at once, in place.
struct Direct {
    files: Files,
    /// What the author's editor will give back.
    edited: Option<String>,
    /// Where it leaves what is no text.
    unread: Option<PathBuf>,
    /// What the author was told outside the screen.
    notices: Vec<NewGates>,
    /// What the terminal was asked to copy.
    copied: Vec<String>,
    /// What cannot be saved.
    unsaved: Option<Unsaved>,
    /// After so many jobs that keys wait for, a kill: nothing is done any more.
    requests: usize,
    /// Jobs are begun, and their results do not come.
    stalled: bool,
    /// The names of the jobs that were done, and `save` for each draft.
    done: Vec<&'static str>,
}

impl EffectRunner for Direct {
    fn run(&mut self, effect: Effect) -> Option<Then> {
        let heard = |news| -> Then { Box::new(move |cx| news::take(news, cx)) };
        match effect {
            Effect::Job(_) if self.stalled => return None,
            Effect::Job(job) => {
                if job.wait == Wait::Keys {
                    self.requests = self.requests.checked_sub(1)?;
                }
                self.done.push(job.name.unwrap_or("job"));
                return (job.work)(&self.files);
            }
            Effect::Save(draft) => {
                self.done.push("save");
                let (answer_path, trouble) = self.files.save_draft(&draft)?;
                return Some(heard(News::DraftTrouble(answer_path, trouble)));
            }
            Effect::KeepEdited(answer_path, text) => {
                let why = self.files.keep_edited(&answer_path, &text)?;
                return Some(heard(News::DraftTrouble(answer_path, Some(why))));
            }
            Effect::NoteSeen(entries) => while self.files.history().see_gates(&entries).unwrap_or(false) {},
            Effect::Copy(text) => self.copied.push(text.into_string()),
            Effect::Notify(gates) => self.notices.push(gates),
            _ => {}
        }
        None
    }
    fn flush(&mut self) -> Option<Unsaved> {
        self.unsaved.clone()
    }
    fn write_editor_file(&mut self, text: &str, _: Loan) -> Option<PathBuf> {
        self.edited = Some(text.to_owned());
        Some(PathBuf::from("lent"))
    }
    fn read_editor_file(&mut self) -> Result<String, Option<PathBuf>> {
        if let Some(path) = self.unread.take() {
            return Err(Some(path));
        }
        self.edited.take().ok_or(None)
    }
}

/// One project and one console on it.
struct Story {
    dir: tempfile::TempDir,
    clock: Arc<HandClock>,
    console: Console<Direct>,
    flow: Flow,
}

/// The packet of every story.
const PACKET: &str = "staging/manifests/gate.packet.json";
/// Where its answers go.
const ANSWERS: &str = "staging/novel-ask/gate.answers.json";

impl Story {
    /// A project with one packet that asks these questions (a JSON array).
    fn of(questions: &str) -> Story {
        let dir = directory_in_memory();
        let clock = Arc::new(HandClock(Mutex::new(UNIX_EPOCH + START), OnceLock::new()));
        write(&dir.path().join("book").join(PACKET), &packet(questions));
        let console = open_console(dir.path(), &clock);
        Story { dir, clock, console, flow: Flow::Unchanged }
    }

    /// The same with the gate's form open.
    fn open(questions: &str) -> Story {
        let mut story = Story::of(questions);
        story.open_form();
        story
    }

    /// Opens the gate's form, as Enter in the inbox does.
    fn open_form(&mut self) {
        self.open_gate(PACKET);
    }

    /// Opens the form of a packet's gate.
    fn open_gate(&mut self, packet: impl Into<PathBuf>) {
        self.flow = self.console.open(packet.into());
        self.paint();
    }

    /// Lets something be done and the console know.
    fn job<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Files) -> T,
        then: impl FnOnce(T, &mut Cx<'_>) + Send + 'static,
    ) {
        let done = work(&files(self.dir.path(), &self.clock));
        self.flow = self.console.done(Some(Box::new(move |cx| then(done, cx))), false);
        self.paint();
    }

    /// Lets the open gate be loaded again.
    fn reload(&mut self) {
        let gate = self.form().gate.clone();
        self.job(
            |files| files.reload(&gate.path),
            |reloaded, cx| cx.on::<Form>(|form, cx| form.reloaded(reloaded, cx)),
        );
    }

    /// The lines of what the screen says about what is selected.
    fn lines(&self, part: Part, width: usize) -> String {
        let theme = Theme::plain();
        let mut sheet = Sheet::new(&theme, self.model().voice(), width, 0..usize::MAX);
        let screen = self.console.stack.screen().expect("a screen");
        screen.write(part, self.model(), &mut sheet);
        let text = |line: &ratatui::text::Line<'_>| {
            line.iter().map(|span| span.content.as_ref()).collect::<String>() + "\n"
        };
        sheet.finish().0.iter().map(text).collect()
    }

    /// Loads a gate for the pane beside the list.
    fn load(&mut self, packet: &str) {
        let packet = PathBuf::from(packet);
        self.job(|_| (), move |(), cx| load(packet, cx));
    }

    /// Lets the console hear of something.
    fn hear(&mut self, news: News) -> Flow {
        let flow = self.console.hear(news);
        self.flow = flow.clone();
        self.paint();
        flow
    }

    /// Draws what is on the screen: that leaves behind how far it can be scrolled.
    fn paint(&self) -> Buffer {
        let Size { width, height } = self.model().size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        self.console.stack.paint(&Theme::plain(), &mut buffer);
        buffer
    }

    /// The page or question of this kind.
    fn find<T: Screen>(&self) -> Option<&T> {
        self.console.stack.find()
    }

    /// Whether a screen is on top, and no page or question.
    fn is_open(&self) -> bool {
        self.console.stack.is_open()
    }

    /// The screen beneath all pages and questions.
    fn place(&self) -> Place {
        self.model().place
    }

    /// Ends the console, as a kill would: nothing more is saved. A new one starts.
    fn restart(&mut self) {
        self.console = open_console(self.dir.path(), &self.clock);
    }

    /// Moves the author eight hours east of Greenwich; a console that is open notices when it starts anew.
    fn move_east(&self) {
        self.clock.1.set(TimeZone::fixed(offset(8))).expect("the first move");
    }

    /// Lets the watch report the gates as they are now.
    fn scan(&mut self) {
        self.list(self.entries());
    }

    /// Lets the watch report these gates.
    fn list(&mut self, entries: Vec<Arc<Entry>>) {
        let asked = Questions::read(&files(self.dir.path(), &self.clock).project).count_on();
        self.hear(News::Store(StoreEvent::Entries { entries, cut: false, asked }));
    }

    /// The gates as they are now.
    fn entries(&self) -> Vec<Arc<Entry>> {
        let mut scanner = Scanner::new(files(self.dir.path(), &self.clock).project);
        scanner.look(self.clock.now());
        scanner.entries()
    }

    /// Lets the author's editor end with this text.
    fn edited(&mut self, text: &str) {
        self.console.runner().edited = Some(text.to_owned());
        self.flow = self.console.update(Event::Edited(EditorEnd::Well));
        self.paint();
    }

    /// Lets the author's editor end well, its file gone.
    fn editor_removed(&mut self) {
        self.console.runner().edited = None;
        self.flow = self.console.update(Event::Edited(EditorEnd::Well));
        self.paint();
    }

    /// Lets the author's editor end badly, the text left as it was.
    fn editor_failed(&mut self) {
        self.flow = self.console.update(Event::Edited(EditorEnd::Badly));
        self.paint();
    }

    /// Lets the author's editor end badly, with this text in the file.
    fn editor_failed_with(&mut self, text: &str) {
        self.console.runner().edited = Some(text.to_owned());
        self.flow = self.console.update(Event::Edited(EditorEnd::Badly));
        self.paint();
    }

    /// The text that the author's editor was given.
    fn lent(&mut self) -> Option<String> {
        self.console.runner().edited.clone()
    }

    /// Everything that is on the screen.
    fn shown(&self) -> String {
        let buffer = self.paint();
        let rows = buffer.content().chunks(usize::from(self.model().size.width)).map(|row| {
            let mut line = String::new();
            let mut skip = 0;
            for cell in row {
                if skip == 0 {
                    line.push_str(cell.symbol());
                    skip = novel_gate::text::width::cells(cell.symbol());
                }
                skip = skip.saturating_sub(1);
            }
            line + "\n"
        });
        let shown: String = rows.collect();
        // A sentence that names a key by its action was shown as it is written.
        for action in ["{accept}", "{back}", "{redo}", "{undo-redo}", "{editor}", "{expand}", "{submit}"] {
            assert!(!shown.contains(action), "{action} on the screen:\n{shown}");
        }
        shown
    }

    /// The form.
    fn form(&self) -> &Form {
        self.find().or(self.model().left.as_deref()).expect("a form")
    }

    /// Lets the watch say that it has looked and found no gate changed.
    fn look(&mut self) {
        self.hear(News::Store(StoreEvent::Looked));
    }

    /// Presses keys by their names, one read each. A question of the program is read before it is answered.
    fn press(&mut self, keys: &str) -> &mut Story {
        for key in keys.split_whitespace() {
            if self.model().here == Context::Prompt {
                self.wait(1);
            }
            let press = KeyPress::parse(key).unwrap_or_else(|| panic!("no key: {key}"));
            self.flow = self.console.inputs(&[Input::Key(press)]);
            self.paint();
        }
        self
    }

    /// Types text, all of it in one read; line ends are the Enter key, as a terminal sends them.
    fn burst(&mut self, text: &str) -> &mut Story {
        let key = |c| if c == '\r' { Key::Enter } else { Key::Char(c) };
        let inputs: Vec<Input> = text.chars().map(|c| Input::Key(KeyPress::plain(key(c)))).collect();
        self.flow = self.console.inputs(&inputs);
        self.paint();
        self
    }

    /// Pastes text.
    fn paste(&mut self, text: &str) -> &mut Story {
        self.flow = self.console.inputs(&[Input::Paste(text.to_owned())]);
        self.paint();
        self
    }

    /// Lets time pass.
    fn wait(&mut self, seconds: u64) -> &mut Story {
        self.pause(seconds * 1_000)
    }

    /// Lets so many milliseconds pass.
    fn pause(&mut self, millis: u64) -> &mut Story {
        *self.clock.0.lock().expect("the clock") += Duration::from_millis(millis);
        self
    }

    /// The record's text, if there is a record.
    fn record(&self) -> Option<String> {
        fs::read_to_string(self.root().join(ANSWERS)).ok()
    }

    /// The `answers` object of the record.
    fn answers(&self) -> serde_json::Value {
        let record = self.record().expect("a record");
        serde_json::from_str::<serde_json::Value>(&record).expect("JSON")["answers"].clone()
    }

    /// Puts a file into the project.
    fn put(&self, path: &str, text: &str) {
        write(&self.root().join(path), text);
    }

    /// The project's root.
    fn root(&self) -> PathBuf {
        self.dir.path().join("book")
    }

    /// What is kept of the gate's answers.
    fn kept(&self) -> Option<DraftJob> {
        let packet = fs::read(self.root().join(PACKET)).expect("the packet");
        let gate = novel_gate::ask::decode_packet(&packet).expect("a legal packet").gate.expect("a gate");
        let drafts = Drafts::new(&files(self.dir.path(), &self.clock).state);
        drafts.load(&gate.answer_path, &gate.spec).expect("it can be read").map(|saved| saved.job)
    }

    /// Where drafts are kept.
    fn kept_in(&self) -> PathBuf {
        files(self.dir.path(), &self.clock).state.path().to_path_buf()
    }

    /// Puts a file that is none in the place of drafts and history.
    fn damage_state(&self) {
        let file = crate::kept::database(&self.dir.path().join("state")).expect("something is kept");
        fs::remove_file(file.with_extension("sqlite3-wal")).expect("the log");
        fs::remove_file(&file).expect("removed");
        fs::write(file, "torn").expect("damaged");
    }

    /// The model.
    fn model(&self) -> &Model {
        &self.console.stack.model
    }

    /// The notice in English.
    fn notice(&self) -> String {
        let model = Model { lang: Lang::En, ..self.model().clone() };
        model.notice.as_ref().map(|notice| model.voice().text(&notice.message)).unwrap_or_default()
    }

    /// The banner of the form.
    fn banner(&self) -> String {
        let banner = self.find::<Form>().and_then(|form| form.status.warnings.values().next());
        banner.map(|banner| self.model().voice().text(banner)).unwrap_or_default()
    }
}

/// A packet with one gate.
fn packet(questions: &str) -> String {
    format!(
        r#"{{"version":1,"step":"chapter:048:draft","agent":{{"kind":"subagent","name":"chapter-writer"}},
        "novel_ask":{{"version":1,"topic":"平台绑定","questions":{questions}}},"answer_path":"{ANSWERS}",
        "expected_outputs":[{{"path":"{ANSWERS}","required":true}},{{"path":"staging/chapters/chapter-048.md","required":true}}]}}"#
    )
}

fn files(dir: &Path, clock: &Arc<HandClock>) -> Files {
    let project = Project::open(&dir.join("book")).expect("the project");
    let state = StateDir::new(&dir.join("state"), &project);
    Files::new(Arc::new(project), state, clock.clone(), None)
}

fn open_console(dir: &Path, clock: &Arc<HandClock>) -> Console<Direct> {
    let files = files(dir, clock);
    let model = Model::new(files.project.name(), Lang::En, Size { width: 80, height: 24 }, clock.now());
    let runner = Direct {
        files,
        edited: None,
        unread: None,
        notices: Vec::new(),
        copied: Vec::new(),
        unsaved: None,
        requests: usize::MAX,
        stalled: false,
        done: Vec::new(),
    };
    Console::new(model, Look::fixed(Theme::plain()), runner, clock.clone())
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(path, text).expect("written");
}

/// A question of one of the kinds; options are labels.
fn question(id: &str, kind: &str, required: bool, options: &[&str], more: &str) -> String {
    let labels: Vec<String> = options.iter().map(|label| json_text(label)).collect();
    let options: Vec<String> =
        labels.iter().map(|label| format!(r#"{{"label":{label},"description":"d"}}"#)).collect();
    let options =
        if options.is_empty() { String::new() } else { format!(r#","options":[{}]"#, options.join(",")) };
    format!(
        r#"{{"id":"{id}","header":"{id}","question":"?","kind":"{kind}","required":{required}{options}{more}}}"#
    )
}

fn json_text(text: &str) -> String {
    let mut out = String::new();
    JsString::from(text).write_json(&mut out);
    out
}
