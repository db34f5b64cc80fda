//! The project: the directory everything happens in.
//!
//! Responsible for finding the root, holding it as a directory handle and finding packets by the names people use.
//! Not responsible for where an `answer_path` leads (`safe_path`) nor for the state of gates (`gate`, `scan`).

use super::safe_path;
use crate::ask::{self, Gate, JsString, json::Json};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A novel's directory.
#[derive(Debug)]
pub struct Project {
    root: PathBuf,
    dir: Dir,
}

/// What stands at the root's path by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The directory that is held.
    There,
    /// Another directory: the project must be opened anew.
    Replaced,
    /// None.
    Gone,
}

/// How deep packets are looked for below `staging/`.
pub const DEPTH_LIMIT: usize = 16;

impl Project {
    /// The project to work in: the one named, else the nearest directory from `cwd` upwards with `.checkpoint.json`,
    /// else the nearest with `staging/`.
    ///
    /// # Errors
    /// There is none (exit 2).
    pub fn find(explicit: Option<&Path>, cwd: &Path) -> Result<Project, Error> {
        if let Some(path) = explicit {
            return Project::open(&cwd.join(path));
        }
        let nearest = |has: &dyn Fn(&Path) -> bool| cwd.ancestors().find(|dir| has(dir));
        let found = nearest(&|dir| dir.join(".checkpoint.json").is_file())
            .or_else(|| nearest(&|dir| dir.join("staging").is_dir()));
        match found {
            Some(root) => Project::open(root),
            None => Err(Error::new(
                ExitCode::Usage,
                "no-project",
                say(
                    "No project here: neither {0} nor a directory above it has .checkpoint.json or staging/.",
                    "这里没有项目：{0} 及其上级目录中都没有 .checkpoint.json 或 staging/。",
                ),
                &[&cwd.to_string_lossy()],
            )
            .hint(say("Name it with --project DIR.", "请用 --project DIR 指定项目。"), &[])),
        }
    }

    /// Opens this directory as the root.
    ///
    /// # Errors
    /// It is no directory or cannot be opened (exit 2).
    pub fn open(path: &Path) -> Result<Project, Error> {
        let opened = fs::canonicalize(path)
            .and_then(|root| Ok(Project { dir: Dir::open_ambient_dir(&root, ambient_authority())?, root }));
        opened.map_err(|cause| {
            let shown = path.to_string_lossy();
            let sentence = say("Cannot open the project {0}.", "无法打开项目 {0}。");
            Error { kind: ExitCode::Usage, ..Error::io("no-project", sentence, &[&shown], &cause) }
        })
    }

    /// The canonical absolute path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The handle that all access beneath the root goes through.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Whether the directory is still where it was found; it may have been renamed, removed or replaced.
    pub fn standing(&self) -> Standing {
        let there = fs::metadata(&self.root).ok().filter(fs::Metadata::is_dir);
        let held = rustix::fs::fstat(&self.dir).ok();
        match (there, held) {
            #[expect(
                clippy::useless_conversion,
                reason = "the widths of these fields differ between systems"
            )]
            (Some(there), Some(held))
                if (there.dev(), there.ino()) == (u64::from(held.st_dev), u64::from(held.st_ino)) =>
            {
                Standing::There
            }
            (Some(_), _) => Standing::Replaced,
            (None, _) => Standing::Gone,
        }
    }

    /// A title: the name of the directory.
    pub fn name(&self) -> String {
        self.root.file_name().unwrap_or(self.root.as_os_str()).to_string_lossy().into_owned()
    }

    /// A path as people are shown it: relative to the root where it lies beneath it.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.root).ok().filter(|rest| !rest.as_os_str().is_empty()).unwrap_or(path)
    }

    /// The packet that goes by this name: a path relative to `cwd`, else to the root, else a file stem or step id
    /// (`chapter:048:draft`) below `staging/`.
    ///
    /// # Errors
    /// Nothing goes by it (exit 1), or several packets do (exit 2).
    pub fn locate_packet(&self, name: &Path, cwd: &Path) -> Result<PathBuf, Error> {
        for base in [cwd, self.root.as_path()] {
            let path = base.join(name);
            if path.symlink_metadata().is_ok() {
                return Ok(path);
            }
        }
        let wanted = name.to_string_lossy();
        let mut found =
            if wanted.is_empty() || wanted.contains('/') { Vec::new() } else { self.packets_called(&wanted) };
        if found.len() > 1 {
            let shown: Vec<_> =
                found.iter().map(|path| self.relative(path).to_string_lossy().into_owned()).collect();
            let sentence = say("Several packets are called {0}: {1}.", "有多个指令包叫 {0}：{1}。");
            let parts = [&*wanted, &shown.join(", ")];
            return Err(Error::new(ExitCode::Usage, "ambiguous-packet", sentence, &parts).at(&wanted));
        }
        found.pop().ok_or_else(|| {
            let sentence = say("There is no packet {0}.", "没有指令包 {0}。");
            let error = Error::new(ExitCode::Failed, "no-packet", sentence, &[&wanted]).at(&wanted);
            match self.nearest_packet(&wanted) {
                Some(near) => error.hint(say("Did you mean {0}?", "是否指 {0}？"), &[&near]),
                None => error.hint(
                    say(
                        "Give a path, a file name without its ending, or a step id.",
                        "请给出路径、不带扩展名的文件名或步骤 id。",
                    ),
                    &[],
                ),
            }
        })
    }

    /// The path, file stem or step id of a packet that is closest to a mistyped one.
    fn nearest_packet(&self, wanted: &str) -> Option<String> {
        let mut names: Vec<JsString> = Vec::new();
        for path in self.json_files() {
            if !is_packet(&path) {
                continue;
            }
            if wanted.contains('/') {
                names.push((&*self.relative(&path).to_string_lossy()).into());
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !wanted.contains(':') {
                names.extend([name.trim_end_matches(".json").trim_end_matches(".packet").into()]);
            }
            if Path::new(wanted).extension().is_some_and(|ending| ending == "json") {
                names.push((&*name).into());
            }
            names.extend(step_of(&path));
        }
        let place = ask::nearest(&wanted.into(), names.iter().cloned())?;
        Some(names.swap_remove(place).display().into_owned())
    }

    /// By file name first, which is cheap; only then by what the packets say.
    fn packets_called(&self, name: &str) -> Vec<PathBuf> {
        let stem = name.replace(':', "-");
        let names = [format!("{stem}.packet.json"), format!("{stem}.json"), name.to_owned()];
        let files = self.json_files();
        for wanted in &names {
            let matching: Vec<PathBuf> = files
                .iter()
                .filter(|path| path.file_name().is_some_and(|file| file == wanted.as_str()))
                .filter(|path| is_packet(path))
                .cloned()
                .collect();
            if !matching.is_empty() {
                return matching;
            }
        }
        let is_meant = |path: &PathBuf| step_of(path).is_some_and(|step| step == *name) && is_packet(path);
        files.into_iter().filter(is_meant).collect()
    }

    /// The packet below `staging/` whose record this path names, whether or not anything is there.
    pub fn packet_asking_for(&self, record: &Path) -> Option<PathBuf> {
        let real = fs::canonicalize(record).ok();
        let place = self.place_of(record);
        if real.is_none() && place.is_none() {
            return None;
        }
        let asks = |path: &PathBuf| {
            let file = super::gate::read_file(path).ok();
            let gate = file.and_then(|file| crate::ask::decode_packet(&file.bytes).ok()?.gate);
            gate.is_some_and(|gate| {
                let own = fs::canonicalize(self.root.join(gate.answer_path.lossy().as_ref())).ok();
                real.is_some() && real == own
                    || place.as_ref() == Some(&safe_path::named_place(&self.root, &gate.answer_path))
            })
        };
        self.json_files().into_iter().find(asks)
    }

    /// Every legal gate below `staging/`, with its packet's file.
    pub fn gates(&self) -> impl Iterator<Item = (PathBuf, Gate)> {
        self.json_files().into_iter().filter_map(|path| {
            let file = super::gate::read_file(&path).ok()?;
            let gate = crate::ask::decode_packet(&file.bytes).ok()?.gate?;
            Some((path, gate))
        })
    }

    /// A path relative to the root, links of its directories resolved; nothing if it lies elsewhere.
    fn place_of(&self, path: &Path) -> Option<PathBuf> {
        let dir = safe_path::real_directory(Path::new("/"), path.parent()?);
        Some(dir.strip_prefix(&self.root).ok()?.join(path.file_name()?))
    }

    /// Every `*.json` file below `staging/`, sorted; links are not followed.
    fn json_files(&self) -> Vec<PathBuf> {
        let mut out = Vec::new();
        let mut open = vec![(self.root.join("staging"), 0)];
        while let Some((dir, depth)) = open.pop() {
            let Ok(entries) = fs::read_dir(&dir) else { continue };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if kind.is_dir() && depth < DEPTH_LIMIT {
                    open.push((path, depth + 1));
                } else if !kind.is_dir()
                    && !kind.is_symlink()
                    && path.extension().is_some_and(|ending| ending == "json")
                {
                    out.push(path);
                }
            }
        }
        out.sort();
        out
    }
}

/// Whether a `*.json` file is a packet: a record may have the name of its step too, and must not be taken for one that
/// asks nothing.
fn is_packet(path: &Path) -> bool {
    let named = path.file_name().is_some_and(|name| name.as_bytes().ends_with(b".packet.json"));
    named || super::gate::read_file(path).is_ok_and(|file| crate::ask::looks_like_gate(&file.bytes))
}

fn step_of(path: &Path) -> Option<JsString> {
    let bytes = super::gate::read_file(path).ok()?;
    let json = Json::parse_keeping(&bytes.bytes, &["step"]).ok()?;
    json.root().get("step")?.string()
}

#[cfg(test)]
mod tests;
