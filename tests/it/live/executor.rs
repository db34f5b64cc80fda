//! The reference executor: the npm package `novel-writer-cli` 0.5.0, pinned by `tests/executor/package-lock.json`.
//!
//! Runs its command `novel` and its gate functions. Not responsible for installing it (`npm`) nor for what the tests do
//! with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use super::npm::{Bundle, skip};
use crate::sandbox::{Ran, Running};

const BUNDLE: Bundle = Bundle {
    name: "executor",
    files: &[
        ("package.json", include_str!("../../executor/package.json")),
        ("package-lock.json", include_str!("../../executor/package-lock.json")),
        ("gate.mjs", include_str!("../../executor/gate.mjs")),
        ("specs.mjs", include_str!("../../executor/specs.mjs")),
        ("verdicts.mjs", include_str!("../../executor/verdicts.mjs")),
    ],
};
const PACKAGE: &str = "node_modules/novel-writer-cli";
const VERSION: &str = "0.5.0";

/// The installed package.
pub(crate) struct Executor {
    dir: PathBuf,
}

/// The reference executor; `None`, loudly, if it cannot be had here. Installed at most once.
pub(crate) fn executor() -> Option<&'static Executor> {
    static EXECUTOR: OnceLock<Result<Executor, String>> = OnceLock::new();
    match EXECUTOR.get_or_init(install) {
        Ok(executor) => Some(executor),
        Err(why) => {
            skip(&format!("the live test against novel-writer-cli {VERSION}"), why);
            None
        }
    }
}

impl Executor {
    /// Runs `novel` in a project.
    pub(crate) fn novel(&self, root: &Path, args: &[&str]) -> Ran {
        let mut command = Command::new("node");
        command.arg(self.dir.join(PACKAGE).join("dist/cli.js")).args(args).current_dir(root);
        Running::start(&mut command).wait()
    }

    /// What the package's own gate functions say about a packet.
    pub(crate) fn verdict(&self, root: &Path, packet: &Path) -> Value {
        let mut command = Command::new("node");
        let ran = Running::start(command.arg(self.dir.join("gate.mjs")).arg(root).arg(packet)).wait();
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error} in {ran:?}"))
    }

    /// What they say about the first `count` projects of a directory, a line for each.
    pub(crate) fn verdicts(&self, dir: &Path, count: usize) -> Ran {
        let mut command = Command::new("node");
        Running::start(command.arg(self.dir.join("verdicts.mjs")).arg(dir).arg(count.to_string())).wait()
    }

    /// What the package's own parser makes of the `QuestionSpec` in each file.
    pub(crate) fn specs(&self, files: &[PathBuf]) -> Vec<Value> {
        let mut command = Command::new("node");
        let ran = Running::start(command.arg(self.dir.join("specs.mjs")).args(files)).wait();
        let specs = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a spec"));
        specs.collect()
    }

    /// Where `novel` lies, for a `PATH`.
    pub(crate) fn bin(&self) -> PathBuf {
        self.dir.join("node_modules/.bin")
    }

    /// The text of a file of the package.
    pub(crate) fn file(&self, below: &str) -> String {
        fs::read_to_string(self.dir.join(PACKAGE).join(below)).expect("a file of the package")
    }
}

/// The package, from an earlier run or fresh.
fn install() -> Result<Executor, String> {
    let executor = Executor { dir: BUNDLE.install()? };
    let package: Value = serde_json::from_str(&executor.file("package.json")).expect("its package.json");
    assert_eq!(package["version"], VERSION, "the pinned version");
    Ok(executor)
}
