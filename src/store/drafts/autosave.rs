//! Saving drafts without making the typist wait.
//!
//! A thread holds the newest job of each gate, tries again after a failure, and reports what happened to the console. What
//! is not on the disk when the program must end goes to a file elsewhere, from which the next start takes it.

use super::rescue::{Refuge, Shelter};
use super::{DraftJob, Drafts, Writer, reason};
use crate::ask::JsString;
use crate::error::{Error, Message, io_cause};
use crate::exit::ExitCode;
use crate::text::say;
use queue::{Job, Queue};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

mod queue;

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

/// What is not on the disk when the program must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// Why not, if that is known: the disk may just be slow.
    pub why: Option<Message>,
    /// The file elsewhere that has it, or why there is none.
    pub file: Result<PathBuf, Message>,
}

struct Shared {
    /// What a gate is called, whatever the spelling of its answer path.
    name: Box<dyn Fn(&JsString) -> String + Send + Sync>,
    refuge: Refuge,
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Autosave {
    /// Starts the writer thread. `report` is called on it for each job with the gate's answer path, and why it could not
    /// be done, if so; then it is tried again, and nothing is lost while the program runs.
    pub fn start(
        drafts: Drafts,
        report: impl FnMut(JsString, Option<Message>) + Send + 'static,
    ) -> io::Result<Autosave> {
        let state = drafts.state.clone();
        let refuge = Refuge::of(state.path());
        Autosave::start_with(move |path| state.gate_key(path), refuge, move |job| job.run(&drafts), report)
    }

    fn start_with(
        name: impl Fn(&JsString) -> String + Send + Sync + 'static,
        refuge: Refuge,
        write: impl FnMut(&Job) -> Result<(), Error> + Send + 'static,
        report: impl FnMut(JsString, Option<Message>) + Send + 'static,
    ) -> io::Result<Autosave> {
        let name = Box::new(name);
        let shared = Arc::new(Shared { name, refuge, queue: Mutex::default(), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread =
            thread::Builder::new().name("autosave".into()).spawn(move || theirs.work(write, report))?;
        Ok(Autosave { shared, thread: Some(thread) })
    }

    /// Queues a draft; an older one of the same gate that still waits is forgotten. Never waits for the disk, so the gate
    /// goes by the spelling of its path here.
    pub fn put(&self, job: DraftJob) {
        self.shared.put(Job::Save(Box::new(job), Writer::this_process()));
    }

    /// Queues the text of an edited record.
    pub fn put_edited(&self, answer_path: JsString, text: String) {
        self.shared.put(Job::Edited(answer_path, Some(text)));
    }

    /// An edited record has this text on the disk by now: no older one that waits or is just being written takes its place.
    pub fn settle_edited(&self, answer_path: &JsString, text: Option<&str>) {
        if self.shared.newest(answer_path, true, Job::is_edited).1.is_some() {
            self.shared.put(Job::Edited(answer_path.clone(), text.map(str::to_owned)));
        }
    }

    /// Queues the removal of a gate's draft, once its record is safe.
    pub fn remove(&self, answer_path: JsString) {
        self.shared.put(Job::Remove(answer_path));
    }

    /// The newest draft of a gate that is not on the disk yet; newer than any file, and all there is while the disk
    /// refuses.
    pub fn pending(&self, answer_path: &JsString) -> Option<DraftJob> {
        match &*self.shared.newest(answer_path, true, |job| !job.is_edited()).1? {
            Job::Save(job, _) => Some((**job).clone()),
            Job::Remove(_) | Job::Edited(..) => None,
        }
    }

    /// The same for the text of an edited record.
    pub fn pending_edited(&self, answer_path: &JsString) -> Option<String> {
        match &*self.shared.newest(answer_path, true, Job::is_edited).1? {
            Job::Edited(_, text) => text.clone(),
            Job::Save(..) | Job::Remove(_) => None,
        }
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
            let waited = self.shared.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
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
        let file = match self.shared.refuge.write(&words) {
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
        for (file, found) in self.shared.refuge.find() {
            let mut queue = self.shared.lock();
            queue.elsewhere.push(file);
            for (job, writer) in found.drafts {
                packets.push(job.packet.clone());
                queue.put(Job::Save(Box::new(job), writer));
            }
            found.edited.into_iter().for_each(|(path, text)| queue.put(Job::Edited(path, Some(text))));
        }
        self.shared.changed.notify_all();
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
        self.lock().put(job);
        self.changed.notify_all();
    }

    /// The newest waiting job of a gate among these, whatever the spelling of its path; with `busy`, the one that is being
    /// done counts too. The paths are resolved without the lock: a file system that hangs must not hold up who puts another
    /// job.
    fn newest(
        &self,
        answer_path: &JsString,
        busy: bool,
        among: impl Fn(&Job) -> bool,
    ) -> (MutexGuard<'_, Queue>, Option<Arc<Job>>) {
        let name = (self.name)(answer_path);
        let (mut same, mut others) = (vec![answer_path.clone()], Vec::new());
        loop {
            let queue = self.lock();
            let jobs = queue.busy.iter().filter(|_| busy).chain(&queue.jobs).filter(|job| among(job));
            let jobs: Vec<Arc<Job>> = jobs.cloned().collect();
            let unknown = |job: &&Arc<Job>| {
                let path = job.answer_path();
                !same.contains(path) && !others.contains(path)
            };
            let Some(path) = jobs.iter().find(unknown).map(|job| job.answer_path().clone()) else {
                let newest = jobs.into_iter().rfind(|job| same.contains(job.answer_path()));
                return (queue, newest);
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
            let (mut queue, newer) = self.newest(job.answer_path(), false, |newer| newer.replaces(&job));
            if newer.is_some() {
                queue.busy = None;
                continue;
            }
            drop(queue);
            let result = catch_unwind(AssertUnwindSafe(|| write(&job))).unwrap_or_else(|_| Err(panicked()));
            let answer_path = job.answer_path().clone();
            match result {
                Ok(()) => {
                    delay = FIRST_RETRY;
                    let mut queue = self.lock();
                    (queue.busy, queue.trouble) = (None, None);
                    queue.clear();
                    drop(queue);
                    report(answer_path, None);
                }
                Err(error) => {
                    let why = reason(error);
                    self.again(job, delay, why.clone());
                    delay = (delay * 2).min(LAST_RETRY);
                    report(answer_path, Some(why));
                }
            }
            self.changed.notify_all();
        }
    }

    /// The next job, as soon as there is one; `None` when the program ends.
    fn next(&self) -> Option<Arc<Job>> {
        let mut queue = self.lock();
        loop {
            let left = queue.resume.map(|at| at.saturating_duration_since(Instant::now()));
            let left = left.filter(|left| !left.is_zero() && !queue.jobs.is_empty());
            match left {
                None if !queue.jobs.is_empty() => {
                    let job = queue.take();
                    queue.busy = Some(Arc::clone(&job));
                    queue.resume = None;
                    return Some(job);
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
    fn again(&self, job: Arc<Job>, delay: Duration, why: Message) {
        let (mut queue, newer) = self.newest(job.answer_path(), false, |newer| newer.replaces(&job));
        queue.busy = None;
        queue.failures += 1;
        queue.trouble = Some(why);
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
