//! Reading files whole: without ever waiting for a writer and never as a mix of an old and a new content; what is wrong with
//! those that cannot be read; and the files that a command line names.

use super::SIZE_LIMIT;
use crate::ask::problem::{quote, quoted};
use crate::ask::standing::ENDING as QUESTION;
use crate::ask::{JsString, Problem, ProblemCode};
use crate::error::Error;
use crate::exit::ExitCode;
pub use crate::platform::files::is_program;
use crate::platform::files::{Facts, FileKind, is_passed_by_shell, kind_of, names_in, open_read, sync};
use crate::platform::paths::PROGRAM_ENDINGS as ENDINGS;
use crate::platform::paths::{Shown as _, canonicalize};
use crate::text::width::narrow;
use crate::text::{Lang, Message, say};
use cap_std::fs::Metadata;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How deep JSON files are looked for; no project nests deeper.
const DEPTH: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub enum LoadFault {
    /// It breaks the rules (exit 5).
    Malformed(Vec<Problem>),
    /// It is not there or cannot be read (exit 1).
    Unreadable(Error),
}

impl LoadFault {
    pub fn error(&self) -> Error {
        match self {
            LoadFault::Unreadable(error) => error.clone(),
            LoadFault::Malformed(problems) => {
                let first = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
                let sentence = say("The packet cannot be used. {0}", "这个指令包无法使用。{1}");
                let parts = [first(Lang::En), first(Lang::ZhCn)];
                Error::new(ExitCode::Malformed, "malformed", sentence, &[&parts[0], &parts[1]])
            }
        }
    }
}

/// What came of reading a file, and what the file that was open was.
pub(super) enum Read {
    Bytes(Vec<u8>, Metadata),
    Odd(Box<Problem>, Option<Metadata>),
    Changed,
}

/// What was found below a directory.
#[derive(Debug, Default)]
pub struct Below {
    /// The `*.json` files, by path.
    pub files: Vec<PathBuf>,
    /// Directories that cannot be looked into.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

/// The problem of what is no regular file; what it is, as `special_file_kind` names it.
pub fn not_a_file(kind: &str) -> Problem {
    let found = match kind {
        "directory" => say("a directory", "一个目录"),
        "fifo" => say("a named pipe", "命名管道"),
        "socket" => say("a socket", "套接字"),
        "device" => say("a device", "设备文件"),
        _ => say("something that is not a regular file", "不是普通文件"),
    };
    Problem::new(ProblemCode::NotAFile, found, say("a regular file", "普通文件"))
}

pub fn too_large(size: u64) -> Problem {
    let found = Message::new(say("{0} bytes", "{0} 字节"), &[&size.to_string()]);
    Problem::new(ProblemCode::TooLarge, found, say("at most 64 MiB", "不超过 64 MiB"))
}

pub fn unreadable(reason: &Message) -> Problem {
    let found = Message::with(say("unreadable: {0}", "无法读取：{1}"), |lang| reason.text(lang));
    Problem::new(ProblemCode::Unreadable, found, say("a readable file", "可读的文件"))
}

/// The problem of a path that leads out of the project through a link.
pub fn outside(path: &JsString) -> Problem {
    let expected = say("a path that stays inside the project", "不离开项目的路径");
    Problem::new(ProblemCode::OutsideProject, quoted(&quote(path)), expected)
}

/// When a file was last written.
pub(super) fn modified(meta: &Metadata) -> Option<SystemTime> {
    meta.modified().ok().map(cap_std::time::SystemTime::into_std)
}

/// What a file is, if it is not a regular one.
pub(super) fn special_file_kind(meta: &fs::Metadata) -> Option<&'static str> {
    special_kind(kind_of(meta))
}

pub(super) fn special_kind(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::File => None,
        FileKind::Directory => Some("directory"),
        FileKind::Fifo => Some("fifo"),
        FileKind::Socket => Some("socket"),
        FileKind::Device => Some("device"),
        FileKind::Link | FileKind::Unknown => Some("other"),
    }
}

/// Reads an open file, unless it is odd, too large or being written.
pub(super) fn read_open(mut file: File) -> io::Result<Read> {
    let before = Metadata::from_file(&file)?;
    if let Some(kind) = special_kind(Facts::from(&before).kind) {
        return Ok(Read::Odd(not_a_file(kind).into(), Some(before)));
    }
    if before.len() > SIZE_LIMIT {
        return Ok(Read::Odd(too_large(before.len()).into(), Some(before)));
    }
    let Some(bytes) = read_sized(&mut file, before.len())? else { return Ok(Read::Changed) };
    let after = Metadata::from_file(&file)?;
    let same = before.len() == after.len() && after.modified().ok() == before.modified().ok();
    Ok(if same { Read::Bytes(bytes, before) } else { Read::Changed })
}

/// Reads a file that had this many bytes a moment ago; nothing if it has more or fewer.
pub(super) fn read_sized(file: &mut File, size: u64) -> io::Result<Option<Vec<u8>>> {
    let size = usize::try_from(size).unwrap_or(0);
    // Room for one byte more shows that it has grown, and spares a call that only finds its end.
    let mut bytes = vec![0; size + 1];
    let mut filled = 0;
    while filled < size.max(1) {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
    bytes.truncate(filled);
    Ok((filled == size).then_some(bytes))
}

/// Reads a packet's file through one handle.
pub fn read_file(path: &Path) -> Result<Vec<u8>, LoadFault> {
    read_with_time(path, path).map(|(bytes, _)| bytes)
}

/// The same, and when the file was last written; an error names it as it is shown.
pub(super) fn read_with_time(path: &Path, shown: &Path) -> Result<(Vec<u8>, Option<SystemTime>), LoadFault> {
    const TRIES: usize = 5;
    for _ in 0..TRIES {
        match open_read(path).and_then(read_open) {
            Ok(Read::Bytes(bytes, meta)) => return Ok((bytes, modified(&meta))),
            Ok(Read::Odd(problem, _)) => return Err(LoadFault::Malformed(vec![*problem])),
            Ok(Read::Changed) => {}
            Err(cause) => return Err(not_read(path, shown, &cause)),
        }
    }
    let shown = shown.shown();
    let sentence = say("{0} keeps changing while it is read.", "{0} 在读取时不断变化。");
    Err(LoadFault::Unreadable(Error::new(ExitCode::Failed, "unreadable", sentence, &[&shown])))
}

/// Reads any file, such as one that the command line names. A device or a pipe that a shell passes, as with `<(…)`, is read to its
/// end; a named pipe is not waited for.
pub fn read_any(path: &Path) -> Result<Vec<u8>, LoadFault> {
    let kind = path.metadata().ok().and_then(|meta| special_file_kind(&meta));
    if !matches!(kind, Some("fifo" | "device")) || kind == Some("fifo") && !is_passed_by_shell(path) {
        return read_file(path);
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes));
    let length = read.map_err(|cause| not_read(path, path, &cause))? as u64;
    if length > SIZE_LIMIT {
        return Err(LoadFault::Malformed(vec![too_large(length)]));
    }
    Ok(bytes)
}

fn not_read(path: &Path, shown: &Path, cause: &io::Error) -> LoadFault {
    // A socket cannot even be opened.
    if let Some(kind) = path.metadata().ok().and_then(|meta| special_file_kind(&meta)) {
        return LoadFault::Malformed(vec![not_a_file(kind)]);
    }
    let shown = shown.shown();
    let code = if cause.kind() == io::ErrorKind::NotFound { "no-packet" } else { "unreadable" };
    LoadFault::Unreadable(Error::io(code, say("Cannot read {0}.", "无法读取 {0}。"), &[&shown], cause))
}

/// Reads a file of a few lines that the author wrote, without ever waiting for a writer.
pub(super) fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    const LIMIT: usize = 1 << 20;
    let bytes = read_beginning(path, LIMIT + 1)?;
    if bytes.len() > LIMIT { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Reads a file as far as `most` bytes, without ever waiting for a writer.
pub fn read_beginning(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let file = open_read(path)?;
    match special_file_kind(&file.metadata()?) {
        None => {}
        Some("directory") => return Err(io::ErrorKind::IsADirectory.into()),
        Some(_) => return Err(io::ErrorKind::NotSeekable.into()),
    }
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The one path of a file whatever links lead to it; as it is given if there is no such file.
pub fn real_path(path: PathBuf) -> PathBuf {
    canonicalize(&path).unwrap_or(path)
}

/// The `*.json` files below a directory, and what else is called `*.packet.json`, or in `questions/` as a question; links to directories are not followed, hidden directories and `node_modules` are not entered.
pub fn json_files_below(dir: &Path) -> Below {
    let mut below = Below::default();
    collect(dir, DEPTH, &mut below);
    below.files.sort();
    below.unreadable.sort_by(|a, b| a.0.cmp(&b.0));
    below
}

fn collect(dir: &Path, depth: usize, below: &mut Below) {
    let names = match names_in(dir) {
        Ok(names) => names,
        Err(cause) => return below.unreadable.push((dir.to_path_buf(), cause)),
    };
    for name in names {
        let path = match name {
            Ok(name) => dir.join(name),
            Err(cause) => return below.unreadable.push((dir.to_path_buf(), cause)),
        };
        let kind = match path.symlink_metadata() {
            Ok(meta) => meta.file_type(),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
            Err(cause) => {
                below.unreadable.push((path, cause));
                continue;
            }
        };
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let is_foreign = name.starts_with(b".") || name == b"node_modules";
        // Only a packet may be wrong for being no regular file; a link that leads nowhere is none.
        let is_packet = is_packet_name(&path) && path.exists();
        let is_asked = dir.file_name() == Some(QUESTIONS.as_ref());
        let is_meant =
            || path.file_name().and_then(OsStr::to_str).is_some_and(|it| meant_name(it, is_asked).is_some());
        let is_question = name.ends_with(QUESTION.as_bytes()) && is_asked;
        if is_question {
            // One that is hidden is nobody's question.
            below.files.extend((!is_foreign).then_some(path));
        } else if kind.is_dir() {
            if depth > 0 && !is_foreign {
                collect(&path, depth - 1, below);
            }
        } else if is_packet || kind.is_file() && (name.ends_with(b".json") || is_meant()) {
            below.files.push(path);
        }
    }
}

/// Whether only a packet can have this name.
pub fn is_packet_name(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b".packet.json")
}

/// What an editor, a system or a download puts behind `.packet` or `.question`, or behind its `.json`.
const MEANT: [&str; 5] = [".json", ".jsonc", ".json5", ".txt", ".text"];

/// The name that is meant by one that nobody looks for: `X.PACKET.JSON`, `X.packet.json.txt`, `X.packet`, and the same of a
/// question. Backups, which editors leave under other endings, are meant to be nothing.
pub fn meant_name(name: &str, is_question: bool) -> Option<String> {
    let ending = if is_question { QUESTION } else { ".packet.json" };
    if name.ends_with(ending) || name.starts_with(['.', '~']) {
        return None;
    }
    let fold = |c| if matches!(c, '。' | '｡') { '.' } else { narrow(c).to_ascii_lowercase() };
    let folded: String = name.chars().map(fold).collect();
    let cut = |rest: &str| MEANT.iter().find_map(|ending| rest.strip_suffix(ending).map(str::len));
    let mut rest = folded.trim_end_matches([' ', '.']);
    while let Some(end) = cut(rest) {
        rest = rest[..end].trim_end_matches([' ', '.']);
    }
    let length = rest.strip_suffix(ending.strip_suffix(".json")?)?.trim_end().chars().count();
    let stem: String = name.chars().take(length).collect();
    Some(stem.trim_start()).filter(|stem| !stem.is_empty()).map(|stem| format!("{stem}{ending}"))
}

/// Where the files of standing questions lie, relative to the root.
pub const QUESTIONS: &str = "questions";

/// Whether a path, relative to the root, is that of a question's file or of something in their place.
pub fn is_question_file(path: &Path) -> bool {
    path.starts_with(QUESTIONS)
}

/// Where the packets lie, relative to the root, by which a running executor asks.
pub const RELAYS: &str = "staging/novel-ask/relay";
pub(super) const RELAY_PREFIX: &str = "relay-";

/// Whether a path, relative to the root, is that of such a packet.
pub fn is_relay(packet: &Path) -> bool {
    packet.parent() == Some(Path::new(RELAYS)) && packet.file_name().and_then(relay_name).is_some()
}

/// The name in that of its file.
pub(super) fn relay_name(file: &OsStr) -> Option<&str> {
    file.to_str()?.strip_prefix(RELAY_PREFIX)?.strip_suffix(".packet.json")
}

/// The file that a shell would run for a name, with this `PATH`.
pub fn find_program(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let named = |dir: PathBuf| ENDINGS.map(|ending| dir.join(format!("{name}{ending}")));
    std::env::split_paths(path?).flat_map(named).find(|file| is_program(file))
}

/// Writes a new file, part by part.
/// An error if a file is there already (exit 6), or a part cannot be made or written; then none is left behind.
pub fn create(path: &Path, mut parts: impl Iterator<Item = Result<String, Error>>) -> Result<(), Error> {
    let shown = path.shown();
    let fail = |cause: io::Error| {
        Error::io("not-written", say("Cannot write {0}.", "无法写入 {0}。"), &[&shown], &cause)
    };
    let mut file = match File::create_new(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            let sentence = say("{0} is already there; it is untouched.", "{0} 已经存在，未作改动。");
            return Err(Error::new(ExitCode::Exists, "file-exists", sentence, &[&shown]));
        }
        Err(cause) => return Err(fail(cause)),
    };
    let written = parts.try_for_each(|part| file.write_all(part?.as_bytes()).map_err(fail));
    written.and_then(|()| sync(&file).map_err(fail)).inspect_err(|_| drop(fs::remove_file(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::testing::set_mode;

    #[test]
    fn every_problem_is_told_in_both_languages() {
        let mut all = ["directory", "fifo", "socket", "device", "other"].map(not_a_file).to_vec();
        let reason = Message::from(say("permission denied", "没有权限"));
        all.extend([too_large(68_000_000), unreadable(&reason)]);
        for problem in &all {
            assert_ne!(problem.found.text(Lang::En), problem.found.text(Lang::ZhCn), "{problem:?}");
        }
        let outside = outside(&"长".repeat(1_000_000).into());
        assert!(outside.sentence(Lang::ZhCn).chars().count() < 200, "{outside:?}");
        for problem in all.iter().chain([&outside]) {
            assert_ne!(problem.expected.text(Lang::En), problem.expected.text(Lang::ZhCn), "{problem:?}");
        }
        assert_eq!(all[6].found.text(Lang::En), "unreadable: permission denied");
        assert_eq!(all[6].found.text(Lang::ZhCn), "无法读取：没有权限");
    }

    #[test]
    fn a_new_file_is_written_as_its_parts_come() {
        let top = tempfile::tempdir().expect("a directory");
        let path = top.path().join("a.md");
        let part = |at: usize| {
            assert_eq!(fs::metadata(&path).expect("a file").len(), at as u64 * 2);
            Ok("--".to_owned())
        };
        create(&path, (0..3).map(part)).expect("written");
        assert_eq!(fs::read(&path).expect("a file"), b"------");
        assert_eq!(create(&path, std::iter::empty()).expect_err("it is there").code, "file-exists");
    }

    #[test]
    #[cfg_attr(windows, ignore = "there are no such devices")]
    fn a_device_without_an_end_is_too_large() {
        let fault = read_any(Path::new("/dev/zero")).expect_err("no end");
        let LoadFault::Malformed(problems) = &fault else { panic!("{fault:?}") };
        assert_eq!(problems[..], [too_large(SIZE_LIMIT + 1)]);
        assert_eq!(read_any(Path::new("/dev/null")).expect("an end"), b"");
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn a_file_that_can_be_run_is_found_and_nothing_else() {
        let top = tempfile::tempdir().expect("a directory");
        for (dir, mode) in [("a", None), ("b", Some(0o644)), ("c", Some(0o755))] {
            let file = top.path().join(dir).join("prog");
            fs::create_dir_all(if mode.is_some() { file.parent().expect("one") } else { &file })
                .expect("made");
            if let Some(mode) = mode {
                fs::write(&file, "x").expect("written");
                set_mode(&file, mode);
            }
        }
        let path = |dirs: &[&str]| {
            std::env::join_paths(dirs.iter().map(|dir| top.path().join(dir))).expect("a PATH")
        };
        let found = find_program("prog", Some(&path(&["none", "a", "b", "c"])));
        assert_eq!(found, Some(top.path().join("c/prog")));
        assert_eq!(find_program("prog", Some(&path(&["a", "b"]))), None);
        assert_eq!(find_program("prog", None), None);
    }
}
