//! The reference executor: the npm package `novel-writer-cli` 0.5.0, pinned by `tests/executor/package-lock.json`.
//!
//! Installs it beneath `target/`, once, and runs its command `novel` and its gate functions. Where node, npm or the
//! registry is missing, it says so on standard error, past the test harness, and the live tests are skipped; with `CI`
//! set that is a failure. Not responsible for what the tests do with it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use crate::sandbox::{Ran, Running};

/// What is installed: name and text of each file.
const FILES: [(&str, &str); 3] = [
    ("package.json", include_str!("../../executor/package.json")),
    ("package-lock.json", include_str!("../../executor/package-lock.json")),
    ("gate.mjs", include_str!("../../executor/gate.mjs")),
];
const PACKAGE: &str = "node_modules/novel-writer-cli";
const VERSION: &str = "0.5.0";
/// What its dependencies need.
const OLDEST_NODE: u32 = 20;
/// How long npm may take.
const PATIENCE: Duration = Duration::from_secs(90);
/// Faults of npm that no missing network explains: the lock does not fit, or the content is not what was pinned.
const OUR_FAULT: [&str; 3] = ["EUSAGE", "EINTEGRITY", "ETARGET"];

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
            skip(why);
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

    /// The text of a file of the package.
    pub(crate) fn file(&self, below: &str) -> String {
        fs::read_to_string(self.dir.join(PACKAGE).join(below)).expect("a file of the package")
    }
}

/// Says past the harness, which shows nothing of tests that pass, that a test did not run.
fn skip(why: &str) {
    let banner = format!(
        "\n*** SKIPPED: the live test against novel-writer-cli {VERSION} did not run ***\n*** {} ***\n\n",
        why.trim().replace('\n', "\n*** ")
    );
    say_aloud(&banner);
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!in_ci, "the live test must run where CI is set: {why}");
}

/// Writes to standard error itself; the harness only holds back what goes through the macros.
pub(crate) fn say_aloud(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The package, from an earlier run or fresh.
fn install() -> Result<Executor, String> {
    let node = version_of("node")?;
    let major = node.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST_NODE) {
        return Err(format!("node is {node}; {OLDEST_NODE} or newer is needed"));
    }
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let dir = home.join(format!("executor-{}", &fingerprint()[..16]));
    if !dir.is_dir() {
        install_at(home, &dir)?;
    }
    let executor = Executor { dir };
    let package: Value = serde_json::from_str(&executor.file("package.json")).expect("its package.json");
    assert_eq!(package["version"], VERSION, "the pinned version");
    Ok(executor)
}

/// Installs beside the final place and renames: what is there is complete, and of two test runs at once one wins.
fn install_at(home: &Path, dir: &Path) -> Result<(), String> {
    version_of("npm")?;
    fs::create_dir_all(home).expect("cargo's directory for tests");
    let fresh = tempfile::Builder::new().prefix("executor-new-").tempdir_in(home).expect("a directory");
    for (name, text) in FILES {
        fs::write(fresh.path().join(name), text).expect("a file of the executor");
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--fetch-retries=1"]);
    npm.args(["--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000", "--fetch-timeout=30000"]);
    let ran = Running::start(npm.current_dir(fresh.path())).wait_within(PATIENCE);
    let Some(ran) = ran else { return Err(format!("npm ci did not end within {} s", PATIENCE.as_secs())) };
    if ran.code != Some(0) {
        assert!(!OUR_FAULT.iter().any(|fault| ran.stderr.contains(fault)), "npm ci: {}", ran.stderr);
        let first: Vec<&str> = ran.stderr.trim().lines().take(4).collect();
        return Err(format!("npm ci failed (is the registry reachable?):\n{}", first.join("\n")));
    }
    if fs::rename(fresh.path(), dir).is_err() {
        assert!(dir.is_dir(), "another run has put it there, or this one could");
    }
    Ok(())
}

fn version_of(program: &str) -> Result<String, String> {
    let missing = |error| format!("{program} cannot be run: {error}");
    let out = Command::new(program).arg("--version").output().map_err(missing)?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// Changes with anything that is installed.
fn fingerprint() -> String {
    let parts: Vec<&[u8]> =
        FILES.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]).collect();
    novel_gate::store::sha256(&parts.concat())
}
