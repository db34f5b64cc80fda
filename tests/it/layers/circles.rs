//! Circles of files: files that import each other, through others or not.

use super::paths::{Naming, Path};
use std::collections::{BTreeMap, BTreeSet};

type Module = Vec<String>;

/// The files of the crate, and what each imports.
pub(super) struct Imports {
    files: BTreeMap<Module, String>,
    paths: BTreeMap<Module, Vec<Path>>,
}

impl Imports {
    /// Of files, each with its module and the paths that it names.
    pub(super) fn of(files: impl IntoIterator<Item = (String, Module, Vec<Path>)>) -> Imports {
        let mut imports = Imports { files: BTreeMap::new(), paths: BTreeMap::new() };
        for (name, module, paths) in files {
            imports.files.insert(module.clone(), name);
            imports.paths.insert(module, paths);
        }
        imports
    }

    /// Every circle: the files that lie on it.
    pub(super) fn circles(&self) -> Vec<Vec<&str>> {
        let edges: BTreeMap<&Module, BTreeSet<&Module>> =
            self.files.keys().map(|module| (module, self.imported_by(module))).collect();
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            edges.keys().map(|&module| (module, reachable(&edges, module))).collect();
        let mut circles = BTreeSet::new();
        for (&module, here) in reached.iter().filter(|(module, here)| here.contains(*module)) {
            let circle = here.iter().filter(|other| reached[**other].contains(module));
            circles.insert(circle.map(|&other| self.files[other].as_str()).collect::<Vec<_>>());
        }
        circles.into_iter().collect()
    }

    /// The modules whose definitions this one names, however it spells them. A name that is only handed on counts where it is
    /// defined, and here only if it is used here too.
    fn imported_by(&self, module: &Module) -> BTreeSet<&Module> {
        let paths = &self.paths[module];
        let inline = paths.iter().filter(|path| path.naming == Naming::Inline);
        let used: BTreeSet<&String> = inline.filter_map(|path| path.segments.first()).collect();
        let is_used = |path: &&Path| path.segments.last().is_some_and(|name| used.contains(name));
        let named = paths.iter().filter(|path| path.naming != Naming::Reexport || is_used(path));
        let targets = named.filter_map(|path| self.definer(module, &path.segments, 8));
        targets.filter(|target| *target != module).collect()
    }

    /// The module that defines what a path names, if it is one of ours; `steps` bounds how often a name is handed on.
    fn definer(&self, here: &Module, segments: &[String], steps: usize) -> Option<&Module> {
        let whole: Module = if segments[0] == "crate" {
            segments[1..].to_vec()
        } else {
            // Something in a child of this module; a lone word is a local name, anything else another crate.
            let child = [here.as_slice(), &segments[..1]].concat();
            let is_below = segments.len() > 1 && self.files.contains_key(&child);
            is_below.then(|| [here.as_slice(), segments].concat())?
        };
        let length = (1..=whole.len()).rev().find(|&length| self.files.contains_key(&whole[..length]))?;
        let (module, _) = self.files.get_key_value(&whole[..length])?;
        let Some(name) = whole.get(length).filter(|name| *name != "self") else { return Some(module) };
        let handed_on = self.paths[module]
            .iter()
            .find(|path| path.naming == Naming::Reexport && path.segments.last() == Some(name));
        match handed_on {
            Some(path) if steps > 0 => self.definer(module, &path.segments, steps - 1),
            _ => Some(module),
        }
    }
}

fn reachable<'m>(edges: &BTreeMap<&'m Module, BTreeSet<&'m Module>>, from: &Module) -> BTreeSet<&'m Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = edges[from].iter().copied().collect();
    while let Some(module) = open.pop() {
        if let Some((&module, next)) = edges.get_key_value(module)
            && reached.insert(module)
        {
            open.extend(next);
        }
    }
    reached
}
