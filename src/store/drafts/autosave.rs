//! Saving drafts without making the typist wait.
//!
//! A thread holds the newest job of each gate, tries again after a failure, and reports what happened to the console.

use super::{DraftJob, Drafts, reason};
use crate::ask::JsString;
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::text::say;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const FIRST_RETRY: Duration = Duration::from_millis(500);
const LAST_RETRY: Duration = Duration::from_secs(30);
/// How long dropping an [`Autosave`] may take.
const LAST_FLUSH: Duration = Duration::from_millis(500);

/// The writer thread's handle. Dropping it writes what is queued, within half a second.
#[derive(Debug)]
pub struct Autosave {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
enum Job {
    Save(Box<DraftJob>),
    Remove(JsString),
}

struct Shared {
    /// What a gate is called, whatever the spelling of its answer path.
    name: Box<dyn Fn(&JsString) -> String + Send + Sync>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: Vec<Job>,
    busy: bool,
    failures: u64,
    /// Not before this moment, unless somebody waits.
    resume: Option<Instant>,
    closing: bool,
}

impl Job {
    fn answer_path(&self) -> &JsString {
        match self {
            Job::Save(job) => &job.answer_path,
            Job::Remove(answer_path) => answer_path,
        }
    }

    fn run(&self, drafts: &Drafts) -> Result<(), Error> {
        match self {
            Job::Save(job) => drafts.save(job),
            Job::Remove(answer_path) => drafts.remove(answer_path),
        }
    }
}

impl Autosave {
    /// Starts the writer thread. `report` is called on it for each job with the gate's answer path, and why it could not
    /// be done, if so; then it is tried again, and nothing is lost while the program runs.
    pub fn start(
        drafts: Drafts,
        report: impl FnMut(JsString, Option<Message>) + Send + 'static,
    ) -> io::Result<Autosave> {
        let state = drafts.state.clone();
        Autosave::start_with(move |path| state.gate_key(path), move |job| job.run(&drafts), report)
    }

    fn start_with(
        name: impl Fn(&JsString) -> String + Send + Sync + 'static,
        write: impl FnMut(&Job) -> Result<(), Error> + Send + 'static,
        report: impl FnMut(JsString, Option<Message>) + Send + 'static,
    ) -> io::Result<Autosave> {
        let name = Box::new(name);
        let shared = Arc::new(Shared { name, queue: Mutex::default(), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread =
            thread::Builder::new().name("autosave".into()).spawn(move || theirs.work(write, report))?;
        Ok(Autosave { shared, thread: Some(thread) })
    }

    /// Queues a draft; an older one of the same gate that still waits is forgotten. Never waits for the disk, so the gate
    /// goes by the spelling of its path here.
    pub fn put(&self, job: DraftJob) {
        self.shared.put(Job::Save(Box::new(job)));
    }

    /// Queues the removal of a gate's draft, once its record is safe.
    pub fn remove(&self, answer_path: JsString) {
        self.shared.put(Job::Remove(answer_path));
    }

    /// The newest draft of a gate that is not on the disk yet; newer than any file, and all there is while the disk
    /// refuses.
    pub fn pending(&self, answer_path: &JsString) -> Option<DraftJob> {
        let (queue, at) = self.shared.newest(answer_path);
        match &queue.jobs[at?] {
            Job::Save(job) => Some((**job).clone()),
            Job::Remove(_) => None,
        }
    }

    /// Waits until everything queued is on the disk. False if something failed or the time ran out.
    pub fn flush(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut queue = self.shared.lock();
        let failures = queue.failures;
        queue.resume = None;
        self.shared.changed.notify_all();
        while queue.busy || !queue.jobs.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || queue.failures != failures {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        queue.failures == failures
    }
}

impl Drop for Autosave {
    fn drop(&mut self) {
        let flushed = self.flush(LAST_FLUSH);
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        // A thread that hangs in a write must not hang the program.
        if flushed && let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, job: Job) {
        let mut queue = self.lock();
        queue.jobs.retain(|waiting| waiting.answer_path() != job.answer_path());
        queue.jobs.push(job);
        self.changed.notify_all();
    }

    /// The newest waiting job of a gate, whatever the spelling of its path. The paths are resolved without the lock: a
    /// file system that hangs must not hold up who puts another job.
    fn newest(&self, answer_path: &JsString) -> (MutexGuard<'_, Queue>, Option<usize>) {
        let name = (self.name)(answer_path);
        let (mut same, mut others) = (vec![answer_path.clone()], Vec::new());
        loop {
            let queue = self.lock();
            let unknown = |job: &&Job| {
                let path = job.answer_path();
                !same.contains(path) && !others.contains(path)
            };
            let Some(path) = queue.jobs.iter().find(unknown).map(|job| job.answer_path().clone()) else {
                let at = queue.jobs.iter().rposition(|job| same.contains(job.answer_path()));
                return (queue, at);
            };
            drop(queue);
            if (self.name)(&path) == name { same.push(path) } else { others.push(path) }
        }
    }

    fn work(
        &self,
        mut write: impl FnMut(&Job) -> Result<(), Error>,
        mut report: impl FnMut(JsString, Option<Message>),
    ) {
        let mut delay = FIRST_RETRY;
        while let Some(job) = self.next() {
            let (mut queue, newer) = self.newest(job.answer_path());
            queue.busy = newer.is_none();
            drop(queue);
            if newer.is_some() {
                continue;
            }
            let result = catch_unwind(AssertUnwindSafe(|| write(&job))).unwrap_or_else(|_| Err(panicked()));
            let answer_path = job.answer_path().clone();
            match result {
                Ok(()) => {
                    delay = FIRST_RETRY;
                    self.lock().busy = false;
                    report(answer_path, None);
                }
                Err(error) => {
                    self.again(job, delay);
                    delay = (delay * 2).min(LAST_RETRY);
                    report(answer_path, Some(reason(error)));
                }
            }
            self.changed.notify_all();
        }
    }

    /// The next job, as soon as there is one; `None` when the program ends.
    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            let left = queue.resume.map(|at| at.saturating_duration_since(Instant::now()));
            let left = left.filter(|left| !left.is_zero() && !queue.jobs.is_empty());
            match left {
                None if !queue.jobs.is_empty() => {
                    queue.busy = true;
                    queue.resume = None;
                    return Some(queue.jobs.remove(0));
                }
                _ if queue.closing => return None,
                None => queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    let waited = self.changed.wait_timeout(queue, left);
                    queue = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Keeps a job that failed, unless the gate has a newer one.
    fn again(&self, job: Job, delay: Duration) {
        let (mut queue, newer) = self.newest(job.answer_path());
        queue.busy = false;
        queue.failures += 1;
        queue.resume = Some(Instant::now() + delay);
        if !queue.closing && newer.is_none() {
            queue.jobs.push(job);
        }
    }
}

fn panicked() -> Error {
    let sentence = say("Saving was cut off by a fault of the program.", "保存被程序自身的错误中断。");
    Error::new(ExitCode::Failed, "draft-not-kept", sentence, &[])
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("queue", &self.queue).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
