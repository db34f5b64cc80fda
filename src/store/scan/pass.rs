//! One look at directories and their files: each directory once, within bounds, on several threads where many files are
//! new. Of what is in a directory, files that may be packets and directories count.

use super::candidate::{Candidate, RECORD_PATIENCE};
use super::file::{self, Signature, is_absent, is_json, leads_nowhere};
use super::judge::{ScanContext, Scope, lock};
use crate::platform::files::{self, FileId, FileKind, last_name};
use crate::store::project::{DEPTH_LIMIT, Project};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

/// More files than this are not looked at.
const FILE_LIMIT: usize = 1_000_000;
/// Fewer new files than this are read on one thread.
pub(super) const ENOUGH_FOR_THREADS: usize = 256;

/// Directories of version control and of the executor's lock; nothing in them is a packet.
const SKIPPED: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", ".novel.lock"];

/// A directory, and what is known of everything in it.
#[derive(Debug)]
pub(super) struct Folder {
    /// Relative to the root.
    path: Arc<Path>,
    /// A link leads to it.
    link: bool,
    /// Of its signature before it was listed; 0 if it must be listed again.
    mark: u64,
    /// Another name may have come since without a trace: what looks at everything lists it again.
    fresh: bool,
    files: Vec<Candidate>,
    folders: Vec<Folder>,
}

impl Folder {
    pub(super) fn new(path: Arc<Path>, link: bool) -> Folder {
        Folder { path, link, mark: 0, fresh: false, files: Vec::new(), folders: Vec::new() }
    }

    pub(super) fn candidates(&self) -> Box<dyn Iterator<Item = &Candidate> + '_> {
        Box::new(self.files.iter().chain(self.folders.iter().flat_map(Folder::candidates)))
    }

    /// Whether nothing is known of what is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Nothing is known of what is in it any more.
    fn forget(&mut self) {
        *self = Folder::new(Arc::clone(&self.path), self.link);
    }

    pub(super) fn has_entries(&self) -> bool {
        self.candidates().any(|file| file.entry.is_some())
    }

    /// Has everything listed again by the next look.
    pub(super) fn relist(&mut self) {
        self.mark = 0;
        self.folders.iter_mut().for_each(Folder::relist);
    }

    pub(super) fn collect_paths<'f>(&'f self, out: &mut Vec<&'f Path>) {
        out.push(&self.path);
        self.folders.iter().for_each(|folder| folder.collect_paths(out));
    }

    /// Hears that there is a plain file now at this path, or nothing. False if the path is not below it.
    pub(super) fn hear(&mut self, path: &Path, is_there: bool) -> bool {
        let Ok(below) = path.strip_prefix(&self.path) else { return false };
        if self.folders.iter_mut().any(|folder| folder.hear(path, is_there)) {
            return true;
        }
        let known = self.files.binary_search_by(|file| last_name(&file.path).cmp(below.as_os_str()));
        if let Ok(at) = known {
            self.files[at].hear();
        }
        let is_folder = || self.folders.iter().any(|folder| last_name(&folder.path) == below.as_os_str());
        // No packet has this name, whether something is there or went: what beside a packet gets the packet's name, for one.
        let never_counts = below.iter().count() == 1 && !is_json(below.as_os_str()) && !is_folder();
        let is_no_news = never_counts || is_there && known.is_ok();
        if !is_no_news {
            self.mark = 0;
        }
        true
    }

    /// Takes over what it holds now; true if entries went.
    fn update(&mut self, listing: Listing) -> bool {
        let path = &self.path;
        let files = merge(
            &mut self.files,
            listing.files,
            |file, name| last_name(&file.path).cmp(name),
            |name| Candidate::new(path.join(name).into()),
        );
        let folders = merge(
            &mut self.folders,
            listing.folders,
            |folder, (link, name)| folder.link.cmp(link).then_with(|| last_name(&folder.path).cmp(name)),
            |(link, name)| Folder::new(path.join(name).into(), link),
        );
        files.iter().any(|file| file.entry.is_some()) || folders.iter().any(Folder::has_entries)
    }
}

/// Makes a list hold what is known of each key, or new; gives back what has gone. List and keys are in one order: a table by
/// name would cost as much as all the rest of a look.
fn merge<T, K>(
    list: &mut Vec<T>,
    keys: Vec<K>,
    compare: impl Fn(&T, &K) -> Ordering,
    new: impl Fn(K) -> T,
) -> Vec<T> {
    let mut gone = Vec::new();
    let mut old = std::mem::take(list).into_iter().peekable();
    for key in keys {
        while let Some(before) = old.next_if(|old| compare(old, &key).is_lt()) {
            gone.push(before);
        }
        let known = old.next_if(|old| compare(old, &key).is_eq());
        list.push(known.unwrap_or_else(|| new(key)));
    }
    gone.extend(old);
    gone
}

/// A look in progress.
pub(super) struct Pass<'p> {
    pub(super) context: ScanContext<'p>,
    /// Some entry came, went or changed.
    pub(super) changed: bool,
    /// Not everything was looked at.
    pub(super) cut: bool,
    pub(super) tally: Tally,
    seen: usize,
    /// Linked directories, so that none is entered twice.
    entered: HashSet<FileId>,
}

/// What a look has found out about all files together: none of them is visited once more for it.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) files: usize,
    /// Something may change by another name than it is known by.
    pub(super) is_odd: bool,
    /// How many are sent back, and hang on files that no look knows of.
    pub(super) sent_back: usize,
    /// When the first of those that wait must be looked at again.
    pub(super) next: Option<SystemTime>,
    /// One of those that wait is being written.
    pub(super) pending: bool,
    /// Something that was listed was gone when it was looked at, or came or went while it was listed.
    pub(super) any_missed: bool,
}

impl Tally {
    fn add(&mut self, file: &Candidate, now: SystemTime) {
        self.files += 1;
        self.is_odd |= file.is_odd;
        self.sent_back += usize::from(file.is_sent_back());
        if let Some(wait) = &file.wait {
            // What could not be looked at now is not tried again at once: that would be a loop for as long as it lasts.
            let until = if wait.until > now { wait.until } else { now + RECORD_PATIENCE };
            self.next = Some(self.next.map_or(until, |next| next.min(until)));
            self.pending |= wait.being_written;
        }
    }
}

impl<'p> Pass<'p> {
    pub(super) fn new(context: ScanContext<'p>) -> Pass<'p> {
        let tally = Tally::default();
        Pass { context, changed: false, cut: false, tally, seen: 0, entered: HashSet::new() }
    }

    /// Looks at a directory and everything below it; false if it is not there. One that cannot be read keeps what is
    /// known of it.
    pub(super) fn folder(&mut self, folder: &mut Folder, depth: usize) -> bool {
        if depth > DEPTH_LIMIT {
            self.cut = true;
            return true;
        }
        self.tally.is_odd |= folder.link;
        if folder.link {
            lock(&self.context.linked).push(Arc::clone(&folder.path));
        }
        let mut is_listed = false;
        if !matches!(self.context.scope, Scope::Told { .. }) || folder.mark == 0 {
            match self.list(folder) {
                Ok(None) => {
                    // By another name it is looked into already. That one may go without a trace here.
                    self.changed |= folder.has_entries();
                    folder.forget();
                    return true;
                }
                Ok(Some(anew)) => is_listed = anew,
                Err(cause) if is_absent(&cause) => {
                    self.changed |= folder.has_entries();
                    folder.forget();
                    // What a link leads to may come back without a trace in its own directory.
                    let seen = file::signature(self.context.project, &folder.path);
                    return folder.link && seen.is_ok_and(|seen| seen.is_link);
                }
                Err(cause) => {
                    self.context.fail(&folder.path, &cause);
                    folder.mark = 0;
                    self.cut = true;
                    folder.candidates().for_each(|file| self.tally.add(file, self.context.now));
                    return true;
                }
            }
        }
        let mut is_any_gone = self.files(&mut folder.files, is_listed);
        if is_any_gone {
            folder.files.retain(|file| !file.gone);
        }
        folder.folders.retain_mut(|below| {
            let stays = self.folder(below, depth + 1);
            self.changed |= !stays && below.has_entries();
            is_any_gone |= !stays;
            stays
        });
        if is_any_gone {
            // The directory itself may have been away, and come back without a trace.
            folder.mark = 0;
            self.tally.any_missed = true;
        }
        true
    }

    /// Lists a directory if its signature differs: opening it would wake every watcher. Whether it did; nothing if another link
    /// has led to it before.
    fn list(&mut self, folder: &mut Folder) -> io::Result<Option<bool>> {
        let seen = file::signature_through(self.context.project, &folder.path)?;
        if folder.link && !self.entered.insert(seen.id) {
            return Ok(None);
        }
        let is_due = folder.fresh || seen.mark != folder.mark;
        if is_due {
            let ScanContext { project, wanted, checkpoint, .. } = self.context;
            let listing = list(project, &folder.path, |name| !wanted.leaves_out(name, checkpoint))?;
            folder.mark = listing.signature.mark;
            folder.fresh = self.context.fresh_for(&listing.signature).is_some();
            self.tally.any_missed |= listing.is_torn;
            self.changed |= folder.update(listing);
        }
        self.seen += folder.files.len();
        if self.seen > FILE_LIMIT {
            self.cut = true;
            folder.files.clear();
            folder.mark = 0;
        }
        Ok(Some(is_due))
    }

    /// Looks at the files of a directory, some of which may be new; true if some of them are gone.
    pub(super) fn files(&mut self, files: &mut [Candidate], some_new: bool) -> bool {
        let turn = self.turn(files.len());
        let passed_over = match self.context.scope {
            Scope::Turn { others: false, .. } if !some_new => files.len() - turn.len(),
            _ => 0,
        };
        self.tally.files += passed_over;
        if passed_over > 0 {
            let count = turn.len();
            return self.look_at(&mut files[turn], 0..count, false);
        }
        self.look_at(files, turn, some_new)
    }

    /// Whose turn it is, of so many that come next.
    fn turn(&self, count: usize) -> Range<usize> {
        let at = |place: usize| place.saturating_sub(self.tally.files).min(count);
        match &self.context.scope {
            Scope::Turn { files, .. } => at(files.start)..at(files.end),
            Scope::All | Scope::Told { .. } => 0..0,
        }
    }

    fn look_at(&mut self, files: &mut [Candidate], turn: Range<usize>, some_new: bool) -> bool {
        let context = &self.context;
        let look = |(start, files): (usize, &mut [Candidate])| {
            for (at, file) in files.iter_mut().enumerate() {
                file.look(context, turn.contains(&(start + at)));
            }
        };
        let is_enough = some_new && files.iter().filter(|file| file.is_new()).count() >= ENOUGH_FOR_THREADS;
        let threads =
            if is_enough { thread::available_parallelism().map_or(1, |count| count.get().min(4)) } else { 1 };
        if threads < 2 {
            look((0, files));
        } else {
            // Small shares, so that no thread waits long for the last one.
            let size = files.len().div_ceil(threads * 4);
            let shares = Mutex::new((0..).step_by(size).zip(files.chunks_mut(size)));
            let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| std::iter::from_fn(next).for_each(look));
                }
            });
        }
        let mut is_any_gone = false;
        for file in files {
            self.changed |= file.changed;
            is_any_gone |= file.gone;
            self.tally.add(file, self.context.now);
        }
        is_any_gone
    }
}

/// The names in a directory, each list sorted.
#[derive(Debug)]
pub(super) struct Listing {
    /// Those that are looked for of `*.json`.
    pub(super) files: Vec<OsString>,
    /// Directories, and behind them, marked, links to directories inside the root that are not met anyway.
    pub(super) folders: Vec<(bool, OsString)>,
    /// Of what was listed, before it was: another directory may have had the name for that moment.
    signature: Signature,
    /// Names came or went meanwhile.
    pub(super) is_torn: bool,
}

#[cfg(test)]
thread_local! {
    /// How many directories this thread has listed.
    pub(super) static LISTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Lists a directory, without leaving the root; links inside it are followed.
pub(super) fn list(
    project: &Project,
    path: &Path,
    is_wanted: impl Fn(&OsStr) -> bool,
) -> io::Result<Listing> {
    #[cfg(test)]
    LISTED.set(LISTED.get() + 1);
    #[cfg(test)]
    file::step();
    let open = files::open_to_list(&project.dir().open_dir(path)?)?;
    let signature = file::signature_of_open(&open)?;
    #[cfg(test)]
    file::step();
    let mut listing = Listing { files: Vec::new(), folders: Vec::new(), signature, is_torn: false };
    for item in files::list(&open)? {
        let item = item?;
        let name = item.name();
        if SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        // It is gone again.
        let Some(kind) = item.kind()? else { continue };
        match kind {
            FileKind::Directory => listing.folders.push((false, name.into())),
            FileKind::Link if leads_to_directory(project, &path.join(name)) => {
                listing.folders.push((true, name.into()));
            }
            _ if is_json(name) && is_wanted(name) => listing.files.push(name.into()),
            _ => {}
        }
    }
    #[cfg(test)]
    file::step();
    for name in &mut listing.files {
        if let Some((meant, true)) = file::meant_path(project, &path.join(&*name)) {
            *name = last_name(&meant).into();
        }
    }
    listing.files.sort_unstable();
    listing.files.dedup();
    listing.folders.sort_unstable();
    listing.is_torn = file::signature_of_open(&open)?.mark != signature.mark;
    Ok(listing)
}

/// Whether a link leads to a directory inside the root that is not met anyway, as far as can be seen.
fn leads_to_directory(project: &Project, path: &Path) -> bool {
    let dir = project.dir();
    let looked =
        dir.metadata(path).and_then(|meta| Ok((meta, dir.canonicalize(path)?, dir.canonicalize("staging")?)));
    match looked {
        Ok((meta, target, staging)) => {
            let is_met =
                target.starts_with(&staging) || staging.starts_with(&target) || target == Path::new(".");
            meta.is_dir() && !is_met
        }
        // What cannot be looked at, or is away, may be a directory, unless its name says otherwise; an editor's lock leads nowhere.
        Err(cause) => {
            let is_none = |name: &OsStr| is_json(name) || name.as_encoded_bytes().starts_with(b".#");
            !leads_nowhere(&cause) && !path.file_name().is_some_and(is_none)
        }
    }
}
