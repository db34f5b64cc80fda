//! npm packages that live tests drive, pinned by lock files and installed beneath `target/`, once.
//!
//! Where node, npm or the registry is missing, says so on standard error, past the test harness, and the tests are
//! skipped; with `CI` set that is a failure. Not responsible for what is installed (`executor`, `tool_types`).

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::sandbox::Running;

/// Where the packages go.
const HOME: &str = env!("CARGO_TARGET_TMPDIR");
/// What the packages here need.
const OLDEST_NODE: u32 = 20;
/// How long npm may take.
const PATIENCE: Duration = Duration::from_secs(90);
/// Faults of npm that no missing network explains: the lock does not fit, or the content is not what was pinned.
const OUR_FAULT: [&str; 3] = ["EUSAGE", "EINTEGRITY", "ETARGET"];

/// Packages that are installed together.
pub(super) struct Bundle {
    /// Begins the name of their directory.
    pub(super) name: &'static str,
    /// Name and text of each file that is put there before npm is called.
    pub(super) files: &'static [(&'static str, &'static str)],
}

impl Bundle {
    /// The directory with the packages, from an earlier run or fresh; or why they cannot be had here.
    pub(super) fn install(&self) -> Result<PathBuf, String> {
        let node = version_of("node")?;
        let major =
            node.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_none_or(|major| major < OLDEST_NODE) {
            return Err(format!("node is {node}; {OLDEST_NODE} or newer is needed"));
        }
        let dir = self.dir();
        if !dir.is_dir() {
            self.install_at(Path::new(HOME), &dir)?;
        }
        Ok(dir)
    }

    /// Whether an earlier run has installed it.
    pub(super) fn is_installed(&self) -> bool {
        self.dir().is_dir()
    }

    fn dir(&self) -> PathBuf {
        Path::new(HOME).join(format!("{}-{}", self.name, &self.fingerprint()[..16]))
    }

    /// Installs beside the final place and renames: what is there is complete, and of two test runs at once one wins.
    fn install_at(&self, home: &Path, dir: &Path) -> Result<(), String> {
        version_of("npm")?;
        fs::create_dir_all(home).expect("cargo's directory for tests");
        let prefix = format!("{}-new-", self.name);
        let fresh = tempfile::Builder::new().prefix(&prefix).tempdir_in(home).expect("a directory");
        for (name, text) in self.files {
            fs::write(fresh.path().join(name), text).expect("a file of the bundle");
        }
        let mut npm = Command::new("npm");
        npm.args([
            "ci",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefer-offline",
            "--fetch-retries=1",
        ]);
        npm.args(["--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000", "--fetch-timeout=30000"]);
        let ran = Running::start(npm.current_dir(fresh.path())).wait_within(PATIENCE);
        let Some(ran) = ran else {
            return Err(format!("npm ci did not end within {} s", PATIENCE.as_secs()));
        };
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

    /// Changes with anything that is installed.
    fn fingerprint(&self) -> String {
        let parts: Vec<&[u8]> =
            self.files.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]).collect();
        novel_gate::store::sha256(&parts.concat())
    }
}

/// Says past the harness, which shows nothing of tests that pass, that a test did not run.
pub(super) fn skip(test: &str, why: &str) {
    let banner =
        format!("\n*** SKIPPED: {test} did not run ***\n*** {} ***\n\n", why.trim().replace('\n', "\n*** "));
    say_aloud(&banner);
    assert!(!in_ci(), "{test} must run where CI is set: {why}");
}

/// Whether nothing may be skipped.
pub(super) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty())
}

/// Writes to standard error itself; the harness only holds back what goes through the macros.
pub(super) fn say_aloud(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

pub(super) fn version_of(program: &str) -> Result<String, String> {
    let missing = |error| format!("{program} cannot be run: {error}");
    let out = Command::new(program).arg("--version").output().map_err(missing)?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}
