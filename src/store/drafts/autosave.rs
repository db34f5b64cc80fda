//! Saving drafts without making the typist wait.
//!
//! A thread holds the newest job of each gate, tries again after a failure, and reports what happened to the console. What
//! is not on the disk when the program must end goes to a file elsewhere, from which the next start takes it.

use super::rescue::{Refuge, Rescued, Shelter};
use super::{DraftJob, Drafts, Writer, reason};
use crate::ask::JsString;
use crate::error::{Error, Message, io_cause};
use crate::exit::ExitCode;
use crate::text::say;

use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const FIRST_RETRY: Duration = Duration::from_millis(500);
const LAST_RETRY: Duration = Duration::from_secs(30);
/// How long dropping an [`Autosave`] may take.
const LAST_FLUSH: Duration = Duration::from_millis(500);

/// The writer thread's handle; there is no thread before there is something to write. Dropping it writes what is queued,
/// within half a second.
pub struct Autosave {
    shared: Arc<Shared>,
    refuge: Refuge,
    desk: Arc<Mutex<Desk>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

type Write = dyn FnMut(&Job) -> Result<(), Error> + Send;

/// What the thread works with.
struct Desk {
    write: Box<Write>,
    report: Box<dyn FnMut(JsString, Option<Message>) + Send>,
}

/// What is not on the disk when the program must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// Why not, if that is known: the disk may just be slow.
    pub why: Option<Message>,
    /// The file elsewhere that has it, or why there is none.
    pub file: Result<PathBuf, Message>,
}

/// Something to be done for one gate.
#[derive(Debug)]
struct Job {
    answer_path: JsString,
    /// Who has typed the words.
    writer: Writer,
    words: Words,
}

#[derive(Debug)]
enum Words {
    /// A draft is to be kept; without one, the one that is kept goes.
    Draft(Option<Box<DraftJob>>),
    /// The same for the text of a record that the author has edited.
    Edited(Option<String>),
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: Vec<Arc<Job>>,
    /// The job that is being done.
    busy: Option<Arc<Job>>,
    failures: u64,
    /// Why the last job failed, until one is done.
    trouble: Option<Message>,
    /// Not before this moment, unless somebody waits.
    resume: Option<Instant>,
    closing: bool,
    /// Files elsewhere that hold words of these jobs.
    elsewhere: Vec<Shelter>,
}

impl Autosave {
    /// `report` is called on the thread for each job with the gate's answer path, and why it could not be done, if so; then it
    /// is tried again, and nothing is lost while the program runs.
    pub fn new(drafts: Drafts, report: impl FnMut(JsString, Option<Message>) + Send + 'static) -> Autosave {
        let refuge = Refuge::of(drafts.state.path());
        Autosave::with(refuge, move |job| job.run(&drafts), report)
    }

    fn with(
        refuge: Refuge,
        write: impl FnMut(&Job) -> Result<(), Error> + Send + 'static,
        report: impl FnMut(JsString, Option<Message>) + Send + 'static,
    ) -> Autosave {
        let desk = Desk { write: Box::new(write), report: Box::new(report) };
        Autosave {
            shared: Arc::default(),
            refuge,
            desk: Arc::new(Mutex::new(desk)),
            thread: Mutex::default(),
        }
    }

    /// Has the queue worked off. Where there can be no thread, that is reported, and tried again with the next job.
    fn wake(&self, answer_path: &JsString) {
        let mut thread = lock(&self.thread);
        if thread.is_some() {
            return self.shared.changed.notify_all();
        }
        let (shared, desk) = (Arc::clone(&self.shared), Arc::clone(&self.desk));
        let work = move || shared.work(&mut lock(&desk));
        match thread::Builder::new().name("autosave".into()).spawn(work) {
            Ok(started) => *thread = Some(started),
            Err(cause) => {
                let why = reason(Error::no_thread(&cause));
                self.shared.lock().trouble = Some(why.clone());
                (lock(&self.desk).report)(answer_path.clone(), Some(why));
            }
        }
    }

    /// Queues a draft; an older one of the same gate that still waits is forgotten. Never waits for the disk.
    pub fn put(&self, job: DraftJob) {
        self.queue(&job.answer_path.clone(), Words::Draft(Some(Box::new(job))));
    }

    pub fn put_edited(&self, answer_path: &JsString, text: String) {
        self.queue(answer_path, Words::Edited(Some(text)));
    }

    /// This text of an edited record is about to be written, or removed, elsewhere: no older one that waits or is just being
    /// written takes its place afterwards.
    pub fn supersede_edited(&self, answer_path: &JsString, text: Option<&str>) {
        let text = Words::Edited(text.map(str::to_owned));
        if self.newest(answer_path, &text).is_some() {
            self.queue(answer_path, text);
        }
    }

    /// Queues the removal of a gate's draft, once its record is safe.
    pub fn remove(&self, answer_path: &JsString) {
        self.queue(answer_path, Words::Draft(None));
    }

    fn queue(&self, answer_path: &JsString, words: Words) {
        self.shared.lock().put(Job {
            answer_path: answer_path.clone(),
            writer: Writer::this_process(),
            words,
        });
        self.wake(answer_path);
    }

    /// The newest draft of a gate that is not on the disk yet; newer than any file, and all there is while the disk
    /// refuses.
    pub fn pending(&self, answer_path: &JsString) -> Option<DraftJob> {
        let job = self.newest(answer_path, &Words::Draft(None))?;
        if let Words::Draft(Some(job)) = &job.words { Some((**job).clone()) } else { None }
    }

    /// The same for the text of an edited record.
    pub fn pending_edited(&self, answer_path: &JsString) -> Option<String> {
        let job = self.newest(answer_path, &Words::Edited(None))?;
        if let Words::Edited(text) = &job.words { text.clone() } else { None }
    }

    /// The newest job of a gate that is not done, for words of this kind.
    fn newest(&self, answer_path: &JsString, words: &Words) -> Option<Arc<Job>> {
        let (queue, name, kind) = (self.shared.lock(), name(answer_path), discriminant(words));
        let mut jobs = queue.busy.iter().chain(&queue.jobs);
        jobs.rfind(|job| discriminant(&job.words) == kind && job.name() == name).cloned()
    }

    /// Waits until everything queued is on the disk. False if something failed or the time ran out.
    pub fn flush(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut queue = self.shared.lock();
        let failures = queue.failures;
        queue.resume = None;
        self.shared.changed.notify_all();
        while !queue.is_done() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || queue.failures != failures {
                return false;
            }
            queue = self.shared.wait(queue, Some(left));
        }
        queue.failures == failures
    }

    /// Puts what is not on the disk yet into a file elsewhere, which goes as soon as all of it is on the disk; `None` if there
    /// is nothing. It waits for no job, but for the other disk.
    pub fn rescue(&self) -> Option<Unsaved> {
        let queue = self.shared.lock();
        let words = queue.unsaved();
        if words.is_empty() {
            return None;
        }
        let before: Vec<PathBuf> = queue.elsewhere.iter().map(|file| file.path.clone()).collect();
        let why = queue.trouble.clone();
        drop(queue);
        let file = match self.refuge.write(&words) {
            Err(cause) => Err(io_cause(&cause)),
            Ok(new) => {
                let path = new.path.clone();
                let mut queue = self.shared.lock();
                queue.elsewhere.extract_if(.., |file| before.contains(&file.path)).for_each(Shelter::leave);
                queue.elsewhere.push(new);
                queue.clear();
                if queue.is_done() {
                    return None;
                }
                Ok(path)
            }
        };
        Some(Unsaved { why, file })
    }

    /// Queues what runs that have ended have put elsewhere; gives the packets of these drafts. The files go when all is on the
    /// disk.
    pub fn recover(&self) -> Vec<String> {
        let mut packets = Vec::new();
        for (file, found) in self.refuge.find() {
            let mut queue = self.shared.lock();
            queue.elsewhere.push(file);
            for (job, writer) in found.drafts {
                packets.push(job.packet.clone());
                let (answer_path, words) = (job.answer_path.clone(), Words::Draft(Some(Box::new(job))));
                queue.put(Job { answer_path, writer, words });
            }
            for (answer_path, text) in found.edited {
                let words = Words::Edited(Some(text));
                queue.put(Job { answer_path, writer: Writer::this_process(), words });
            }
        }
        let first = self.shared.lock().jobs.first().map(|job| job.answer_path.clone());
        if let Some(answer_path) = first {
            self.wake(&answer_path);
        }
        packets
    }
}

impl Drop for Autosave {
    fn drop(&mut self) {
        let flushed = self.flush(LAST_FLUSH);
        let mut queue = self.shared.lock();
        queue.closing = true;
        // Whoever starts now answers for these words.
        queue.elsewhere.clear();
        drop(queue);
        self.shared.changed.notify_all();
        // A thread that hangs in a write must not hang the program.
        let thread = lock(&self.thread).take().filter(|_| flushed);
        let _ = thread.map(JoinHandle::join);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    fn wait<'q>(&self, queue: MutexGuard<'q, Queue>, time: Option<Duration>) -> MutexGuard<'q, Queue> {
        match time {
            None => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            Some(time) => self.changed.wait_timeout(queue, time).unwrap_or_else(PoisonError::into_inner).0,
        }
    }

    fn work(&self, desk: &mut Desk) {
        let mut delay = FIRST_RETRY;
        while let Some(job) = self.next() {
            let write = AssertUnwindSafe(|| (desk.write)(&job));
            let result = catch_unwind(write).unwrap_or_else(|_| Err(panicked()));
            let why = result.err().map(reason);
            let mut queue = self.lock();
            queue.busy = None;
            queue.trouble.clone_from(&why);
            if why.is_none() {
                delay = FIRST_RETRY;
                queue.clear();
            } else {
                queue.failures += 1;
                queue.resume = Some(Instant::now() + delay);
                delay = (delay * 2).min(LAST_RETRY);
                if !queue.closing && !queue.has_newer(&job) {
                    queue.jobs.push(Arc::clone(&job));
                }
            }
            drop(queue);
            (desk.report)(job.answer_path.clone(), why);
            self.changed.notify_all();
        }
    }

    /// The next job, as soon as there is one; `None` when the program ends.
    fn next(&self) -> Option<Arc<Job>> {
        let mut queue = self.lock();
        loop {
            let left = queue.resume.map(|at| at.saturating_duration_since(Instant::now()));
            let left = left.filter(|left| !left.is_zero() && !queue.jobs.is_empty());
            if left.is_none() && !queue.jobs.is_empty() {
                let job = queue.take();
                queue.busy = Some(Arc::clone(&job));
                queue.resume = None;
                return Some(job);
            }
            if queue.closing {
                return None;
            }
            queue = self.wait(queue, left);
        }
    }
}

impl Job {
    fn name(&self) -> String {
        name(&self.answer_path)
    }

    /// Whether this makes an older job useless. Words of two processes stand beside each other.
    fn replaces(&self, older: &Job) -> bool {
        let is_same_kind = discriminant(&self.words) == discriminant(&older.words);
        is_same_kind && self.writer == older.writer && self.name() == older.name()
    }

    /// Whether this has to be done before another job that stands beside it: words that earlier runs have left are not what
    /// the author has just had removed.
    fn precedes(&self, other: &Job) -> bool {
        let kinds = (&self.words, &other.words);
        matches!(kinds, (Words::Draft(None), Words::Draft(Some(_)))) && self.name() == other.name()
    }

    fn run(&self, drafts: &Drafts) -> Result<(), Error> {
        match &self.words {
            Words::Draft(Some(job)) => drafts.save_of(job, &self.writer),
            Words::Draft(None) => drafts.remove(&self.answer_path),
            Words::Edited(text) => drafts.set_edited(&self.answer_path, text.as_deref()),
        }
    }
}

impl Queue {
    fn has_newer(&self, job: &Job) -> bool {
        self.jobs.iter().any(|newer| newer.replaces(job))
    }

    /// The author's words that are not on the disk yet. A removal has none.
    fn unsaved(&self) -> Rescued {
        let mut words = Rescued::default();
        for job in self.busy.iter().filter(|job| !self.has_newer(job)).chain(&self.jobs) {
            match &job.words {
                Words::Draft(Some(draft)) => words.drafts.push(((**draft).clone(), job.writer.clone())),
                Words::Edited(Some(text)) => words.edited.push((job.answer_path.clone(), text.clone())),
                Words::Draft(None) | Words::Edited(None) => {}
            }
        }
        words
    }

    fn put(&mut self, job: Job) {
        self.jobs.retain(|old| !job.replaces(old));
        self.jobs.push(Arc::new(job));
    }

    /// Lets the files elsewhere go, once all that they hold is on the disk.
    fn clear(&mut self) {
        if self.is_done() {
            self.elsewhere.drain(..).for_each(Shelter::leave);
        }
    }

    /// Takes out the job that is to be done now; there must be one.
    fn take(&mut self) -> Arc<Job> {
        let waits = |job: &Arc<Job>| self.jobs.iter().any(|other| other.precedes(job));
        let at = self.jobs.iter().position(|job| !waits(job)).unwrap_or_default();
        self.jobs.remove(at)
    }

    fn is_done(&self) -> bool {
        self.busy.is_none() && self.jobs.is_empty()
    }
}

/// A gate by the letters of its answer path. What links lead to is not looked at: a file system that hangs must not hold up who
/// types; jobs for one place by two links are done one after the other.
fn name(answer_path: &JsString) -> String {
    let path = answer_path.lossy();
    path.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/")
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn panicked() -> Error {
    let sentence = say("Saving was cut off by a fault of the program.", "保存被程序自身的错误中断。");
    Error::new(ExitCode::Failed, "draft-not-kept", sentence, &[])
}

#[cfg(test)]
mod tests;
