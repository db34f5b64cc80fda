//! What a release publishes, packed of this build by the script that packs a release, and installed, unpacked and run as far as it runs here.
//! For the other systems a small file stands in for the program.

mod launcher;

use super::npm::{skip, version_of};
use crate::sandbox::{Ran, Running, Sandbox};
use crate::screen::Terminal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_novel-gate");
const SOURCE: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = env!("CARGO_PKG_VERSION");
const REPOSITORY: &str = "https://example.org/owner/novel-gate";
const NEEDED: [&str; 4] = ["node", "npm", "zip", "tar"];
const GATE: &str = "chapter:013:draft";
/// How long packing and installing may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(3);

/// What was packed, and a directory into which npm has installed it without a network.
struct Packed {
    dir: TempDir,
    rows: Vec<Value>,
    this: String,
}

fn packed(test: &str) -> Option<&'static Packed> {
    static PACKED: OnceLock<Result<Packed, String>> = OnceLock::new();
    PACKED.get_or_init(Packed::new).as_ref().map_err(|why| skip(test, why)).ok()
}

fn end(command: &mut Command) -> Ran {
    let shown = format!("{command:?}");
    let ran = Running::start(command).wait_within(PATIENCE).unwrap_or_else(|| panic!("{shown} does not end"));
    assert_eq!(ran.code, Some(0), "{shown}\n{}{}", ran.stdout, ran.stderr);
    ran
}

fn unpack(file: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    end(Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(to));
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
        .expect("JSON")
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

fn name(row: &Value) -> String {
    format!("{}-{}", text(row, "os"), text(row, "cpu"))
}

/// The directory in a row's archive.
fn folder(row: &Value) -> String {
    format!("novel-gate-v{VERSION}-{}", text(row, "rust"))
}

fn archive(row: &Value) -> String {
    format!("{}.{}", folder(row), text(row, "archive"))
}

impl Packed {
    fn new() -> Result<Packed, String> {
        let debian = cfg!(target_os = "linux").then_some("dpkg-deb");
        NEEDED.into_iter().chain(debian).try_for_each(|program| version_of(program).map(drop))?;
        let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let here = end(Command::new("node").args(["-p", "`${process.platform}-${process.arch}`"]));
        let this = here.stdout.trim().to_owned();
        let table = json(&Path::new(SOURCE).join("npm/targets.json"));
        let rows = table.as_array().expect("a list").clone();
        for row in &rows {
            let place = dir.path().join("programs").join(name(row));
            fs::create_dir_all(&place).expect("a directory");
            let program = place.join(text(row, "program"));
            if name(row) == this {
                fs::copy(PROGRAM, &program).expect("copied");
                // What is only for debugging makes it slow to pack.
                let _ = Command::new("strip").arg(&program).status();
            } else {
                fs::write(&program, name(row)).expect("written");
            }
        }
        let packed = Packed { dir, rows, this };
        let script = Path::new(SOURCE).join("npm/pack.mjs");
        let mut pack = Command::new("node");
        pack.arg(script).arg(packed.path("programs")).arg(packed.path("files")).arg(REPOSITORY);
        end(&mut pack);
        fs::create_dir(packed.path("installed")).expect("a directory");
        let mut install = Command::new("npm");
        install.args(["install", "--offline", "--no-audit", "--no-fund", "--no-save"]);
        install.arg(packed.tarball("novel-gate")).arg(packed.tarball(&format!("novel-gate-{}", packed.this)));
        end(install.current_dir(packed.path("installed")));
        Ok(packed)
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path("files").join(name)
    }

    fn tarball(&self, name: &str) -> PathBuf {
        self.file(&format!("npm/{name}-{VERSION}.tgz"))
    }

    fn launcher(&self) -> PathBuf {
        self.path("installed/node_modules/.bin/novel-gate")
    }

    /// The program that the launcher starts.
    fn native(&self) -> PathBuf {
        self.path("installed/node_modules/@novel-gate").join(&self.this).join("novel-gate")
    }

    fn run(&self, book: &Sandbox, words: &[&str]) -> Ran {
        Running::start(book.system(&self.launcher().to_string_lossy()).args(words)).wait()
    }
}

#[test]
fn the_npm_packages_are_for_their_platforms_alone_and_of_one_version() {
    let Some(packed) = packed("the npm packages") else { return };
    let dir = TempDir::new().expect("a directory");
    let mut wanted = BTreeMap::new();
    let read = |tarball: &str| {
        let to = dir.path().join(tarball);
        unpack(&packed.tarball(tarball), &to);
        let package = to.join("package");
        let manifest = json(&package.join("package.json"));
        assert_eq!(
            (&manifest["version"], &manifest["license"]),
            (&VERSION.into(), &"MIT OR Apache-2.0".into())
        );
        assert!(manifest["scripts"].is_null() && manifest["dependencies"].is_null(), "{manifest}");
        assert_eq!(manifest["repository"]["url"], format!("git+{REPOSITORY}.git"));
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            assert!(package.join(file).is_file(), "{tarball}: {file}");
        }
        (package, manifest)
    };
    for row in &packed.rows {
        let (package, manifest) = read(&format!("novel-gate-{}", name(row)));
        let own = format!("@novel-gate/{}", name(row));
        assert_eq!((&manifest["name"], &manifest["main"]), (&own.as_str().into(), &row["program"]));
        assert_eq!((&manifest["os"][0], &manifest["cpu"][0]), (&row["os"], &row["cpu"]));
        assert_is_program(&package.join(text(row, "program")), &name(row), packed);
        wanted.insert(own, VERSION.to_owned());
    }
    let (package, manifest) = read("novel-gate");
    assert_eq!(manifest["optionalDependencies"], serde_json::to_value(wanted).expect("JSON"));
    let program = package.join(manifest["bin"]["novel-gate"].as_str().expect("a program"));
    assert!(fs::read_to_string(program).expect("a script").starts_with("#!/usr/bin/env node\n"));
}

/// Runs it if it runs here; else it is what stands in for it.
fn assert_is_program(file: &Path, name: &str, packed: &Packed) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(file).expect("the program").permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "{}", file.display());
    }
    if name == packed.this {
        let said = end(Command::new(file).arg("--version")).stdout;
        assert!(said.starts_with(&format!("novel-gate {VERSION} ")), "{said}");
    } else {
        assert_eq!(fs::read_to_string(file).expect("the stand-in"), name);
    }
}

#[test]
fn archives_and_debian_packages_hold_a_program_that_runs_and_its_papers() {
    let Some(packed) = packed("archives and packages") else { return };
    let dir = TempDir::new().expect("a directory");
    for row in &packed.rows {
        let file = packed.file(&archive(row));
        if text(row, "archive") == "zip" {
            end(Command::new("unzip").arg("-q").arg(&file).current_dir(dir.path()));
        } else {
            unpack(&file, dir.path());
        }
        let folder = dir.path().join(folder(row));
        assert_is_program(&folder.join(text(row, "program")), &name(row), packed);
        for paper in ["README.zh-CN.md", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.md", "docs/console.md"]
        {
            assert!(folder.join(paper).is_file(), "{paper}");
        }
        for page in ["novel-gate.1", "novel-gate.bash", "novel-gate.zsh", "novel-gate.fish"] {
            assert!(fs::read_to_string(folder.join("pages").join(page)).expect(page).contains("novel-gate"));
        }
        let debian = text(row, "deb");
        if debian.is_empty() || !cfg!(target_os = "linux") {
            continue;
        }
        let to = dir.path().join(&debian);
        let file = packed.file(&format!("novel-gate_{VERSION}-1_{debian}.deb"));
        let control = end(Command::new("dpkg-deb").arg("-f").arg(&file)).stdout;
        assert!(
            control.contains(&format!("\nArchitecture: {debian}\n")) && !control.contains("Depends"),
            "{control}"
        );
        end(Command::new("dpkg-deb").arg("-x").arg(&file).arg(&to));
        assert_is_program(&to.join("usr/bin/novel-gate"), &name(row), packed);
        for file in
            ["man/man1/novel-gate.1.gz", "doc/novel-gate/copyright", "zsh/vendor-completions/_novel-gate"]
        {
            assert!(to.join("usr/share").join(file).is_file(), "{file}");
        }
    }
}

#[test]
fn formula_manifest_checksums_and_binstall_name_the_archives() {
    let Some(packed) = packed("formula and manifest") else { return };
    let sums = fs::read_to_string(packed.file("SHA256SUMS")).expect("sums");
    let sums: BTreeMap<&str, &str> =
        sums.lines().filter_map(|line| line.split_once("  ")).map(|(sum, name)| (name, sum)).collect();
    for (name, sum) in &sums {
        let bytes = fs::read(packed.file(name)).expect("a file of the release");
        assert_eq!(novel_gate::store::sha256(&bytes), *sum, "{name}");
    }
    let published = fs::read_dir(packed.path("files")).expect("listed").count();
    assert_eq!(sums.len() + 2, published, "all but the sums and npm/");
    let formula = fs::read_to_string(packed.file("novel-gate.rb")).expect("the formula");
    let scoop = json(&packed.file("novel-gate.json"));
    let cargo = fs::read_to_string(Path::new(SOURCE).join("Cargo.toml")).expect("it");
    let cargo: Value = toml::from_str(&cargo).expect("TOML");
    let binstall = &cargo["package"]["metadata"]["binstall"];
    for row in &packed.rows {
        let (archive, rust) = (archive(row), text(row, "rust"));
        let url = format!("{REPOSITORY}/releases/download/v{VERSION}/{archive}");
        if text(row, "os") == "win32" {
            let part = &scoop["architecture"]["64bit"];
            assert_eq!((&part["url"], &part["hash"]), (&url.as_str().into(), &sums[archive.as_str()].into()));
            assert_eq!((&part["extract_dir"], &scoop["bin"]), (&folder(row).into(), &row["program"]));
        } else {
            let part = format!("url \"{url}\"\n      sha256 \"{}\"\n", sums[archive.as_str()]);
            assert!(formula.contains(&part), "{part} in {formula}");
        }
        let ending = if text(row, "os") == "win32" { ".exe" } else { "" };
        let fill = |field: &str| {
            let own = &binstall["overrides"][&rust][field];
            let words = own.as_str().or(binstall[field].as_str()).unwrap_or_else(|| panic!("no {field}"));
            let values =
                [("repo", REPOSITORY), ("name", "novel-gate"), ("version", VERSION), ("target", &rust)];
            let values = values.into_iter().chain([("bin", "novel-gate"), ("binary-ext", ending)]);
            values
                .fold(words.to_owned(), |words, (name, value)| words.replace(&format!("{{ {name} }}"), value))
        };
        assert_eq!(fill("pkg-url"), url);
        assert_eq!(fill("bin-dir"), format!("{}/{}", folder(row), text(row, "program")));
        assert_eq!(fill("pkg-fmt"), if ending.is_empty() { "tgz" } else { "zip" });
    }
}
