//! Finding packets by the names people use, and by their records.

use super::file::{LoadFault, is_packet_name};
use super::project::Project;
use super::{gate, safe_path, scan};
use crate::ask::{self, Gate, JsString, json::Json};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::{Shown as _, canonicalize};
use crate::text::say;
use std::path::{Path, PathBuf};

/// The packet that goes by this name: a path relative to `cwd`, else to the root, else a file stem or step id
/// (`chapter:048:draft`) below `staging/`.
/// An error if nothing goes by it or some of what might cannot be read (exit 1), or several packets do (exit 2).
pub fn packet(project: &Project, name: &Path, cwd: &Path) -> Result<PathBuf, Error> {
    for base in [cwd, project.root()] {
        let path = base.join(name);
        if path.symlink_metadata().is_ok() {
            return Ok(path);
        }
    }
    let wanted = name.shown();
    let (files, unread) = scan::files(project);
    let mut found =
        if wanted.is_empty() || wanted.contains('/') { Vec::new() } else { packets_called(&files, &wanted)? };
    if found.len() > 1 {
        let shown: Vec<_> = found.iter().map(|path| project.relative(path).shown().into_owned()).collect();
        let sentence = say("Several packets are called {0}: {1}.", "有多个指令包叫 {0}：{1}。");
        let parts = [&*wanted, &shown.join(", ")];
        return Err(Error::new(ExitCode::Usage, "ambiguous-packet", sentence, &parts).at(&wanted));
    }
    found.pop().ok_or_else(|| {
        if let Some((dir, cause)) = unread.first() {
            let sentence = say("Cannot look for the packet {0} in {1}/.", "无法在 {1}/ 中查找指令包 {0}。");
            let parts = [&*wanted, &dir.shown()];
            return Error::io("staging-unreadable", sentence, &parts, cause).at(&wanted);
        }
        let sentence = say("There is no packet {0}.", "没有指令包 {0}。");
        let error = Error::new(ExitCode::Failed, "no-packet", sentence, &[&wanted]).at(&wanted);
        match nearest_packet(project, &files, &wanted) {
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
fn nearest_packet(project: &Project, files: &[PathBuf], wanted: &str) -> Option<String> {
    let mut names: Vec<JsString> = Vec::new();
    for path in files {
        if !is_packet(path) {
            continue;
        }
        if wanted.contains('/') {
            names.push((&*project.relative(path).shown()).into());
            continue;
        }
        let name = path.file_name().unwrap_or_default().shown();
        if !wanted.contains(':') {
            names.extend([name.trim_end_matches(".json").trim_end_matches(".packet").into()]);
        }
        if Path::new(wanted).extension().is_some_and(|ending| ending == "json") {
            names.push((&*name).into());
        }
        names.extend(step_of(path).ok().flatten());
    }
    let place = ask::nearest(&wanted.into(), names.iter().cloned())?;
    Some(names.swap_remove(place).display().into_owned())
}

/// By file name first, which is cheap; only then by what the packets say. A step's own file has no right to its id once it says
/// that it is another step's. An error if none that could be read is meant, and one could not be read.
fn packets_called(files: &[PathBuf], name: &str) -> Result<Vec<PathBuf>, Error> {
    let stem = name.replace(':', "-");
    let names = [format!("{stem}.packet.json"), format!("{stem}.json"), name.to_owned()];
    for wanted in &names {
        let matching: Vec<PathBuf> = files
            .iter()
            .filter(|path| path.file_name().is_some_and(|file| file == wanted.as_str()))
            .filter(|path| is_packet(path) && !is_of_another_step(path, name))
            .cloned()
            .collect();
        if !matching.is_empty() {
            return Ok(matching);
        }
    }
    let (mut found, mut unread) = (Vec::new(), None);
    for path in files {
        match step_of(path) {
            Ok(Some(id)) if id == *name && is_packet(path) => found.push(path.clone()),
            Ok(_) => {}
            Err(error) => unread = unread.or(Some(error)),
        }
    }
    let Some(error) = unread.filter(|_| found.is_empty()) else { return Ok(found) };
    Err(error.hint(say("It may be the packet {0}.", "它可能就是指令包 {0}。"), &[name]))
}

/// Whether a file, called as the packet of a step usually is, belongs to another one.
fn is_of_another_step(path: &Path, step: &str) -> bool {
    step.contains(':') && matches!(step_of(path), Ok(Some(own)) if own != *step)
}

/// The packet below `staging/` whose record this path names, whether or not anything is there.
pub fn packet_asking_for(project: &Project, record: &Path) -> Option<PathBuf> {
    let real = canonicalize(record).ok();
    let place = place_of(project, record);
    let asks = |path: &PathBuf| {
        gate_of(path).is_some_and(|gate| {
            let own = canonicalize(project.root().join(gate.answer_path.lossy().as_ref())).ok();
            real.is_some() && real == own
                || place.as_ref() == Some(&safe_path::named_place(project.root(), &gate.answer_path))
        })
    };
    scan::files(project).0.into_iter().find(asks)
}

/// Every legal gate below `staging/`, with its packet's file.
pub fn gates(project: &Project) -> impl Iterator<Item = (PathBuf, Gate)> {
    scan::files(project).0.into_iter().filter_map(|path| gate_of(&path).map(|gate| (path, gate)))
}

fn gate_of(path: &Path) -> Option<Gate> {
    ask::decode_packet(&read(path)?).ok()?.gate
}

/// What is in a file; links are not followed.
fn read(path: &Path) -> Option<Vec<u8>> {
    if path.is_symlink() { None } else { gate::read_file(path).ok() }
}

/// A path relative to the root, links of its directories resolved; nothing if it lies elsewhere.
fn place_of(project: &Project, path: &Path) -> Option<PathBuf> {
    let dir = safe_path::Directory::of(&Path::new("/").join(path.parent()?)).path();
    Some(dir.strip_prefix(project.root()).ok()?.join(path.file_name()?))
}

/// Whether a `*.json` file is a packet: a record may have the name of its step too, and must not be taken for one that
/// asks nothing.
fn is_packet(path: &Path) -> bool {
    is_packet_name(path) && !path.is_symlink() || read(path).is_some_and(|bytes| ask::looks_like_gate(&bytes))
}

/// The step that a file names; an error if it cannot be read.
fn step_of(path: &Path) -> Result<Option<JsString>, Error> {
    if path.is_symlink() {
        return Ok(None);
    }
    let bytes = match gate::read_file(path) {
        Ok(bytes) => bytes,
        // It may be gone again.
        Err(LoadFault::Unreadable(error)) if error.code != "no-packet" => return Err(error),
        Err(_) => return Ok(None),
    };
    let json = Json::parse_keeping(&bytes, &["step"]).ok();
    Ok(json.and_then(|json| json.root().get("step")?.string()))
}

#[cfg(test)]
mod tests;
