// Makes everything that a release publishes, of the programs that are there: archives, Debian packages, the Homebrew formula, the Scoop
// manifest and SHA256SUMS in a directory, the npm packages in its npm/.
//
//     node npm/pack.mjs PROGRAMS FILES REPOSITORY
//
// PROGRAMS/linux-x64/novel-gate and so on, a directory for each row of targets.json; REPOSITORY is where the release will be, such as
// https://github.com/owner/novel-gate. The program of this machine prints manual page and completions and must be among them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const [programs, files, repository] = process.argv.slice(2).map((word, at) => (at < 2 ? resolve(word) : word));
if (!repository) {
  process.stderr.write("Usage: node npm/pack.mjs PROGRAMS FILES REPOSITORY\n");
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), "novel-gate-pack-"));

const manifest = readFileSync(join(root, "Cargo.toml"), "utf8");
const field = (name) => manifest.match(new RegExp(`^${name} = "(.*)"$`, "m"))[1];
const version = field("version");
const description = field("description");
const license = field("license");

const table = JSON.parse(readFileSync(join(here, "targets.json"), "utf8")).map((row) => {
  const name = `${row.os}-${row.cpu}`;
  const folder = `novel-gate-v${version}-${row.rust}`;
  return { ...row, name, built: join(programs, name, row.program), folder, file: `${folder}.${row.archive}` };
});
const there = table.filter((row) => existsSync(row.built));

const run = (cwd, program, ...words) => execFileSync(program, words, { cwd, stdio: ["ignore", "ignore", "inherit"] });
const json = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
const sha256 = (file) => createHash("sha256").update(readFileSync(join(files, file))).digest("hex");
const address = (file) => `${repository}/releases/download/v${version}/${file}`;
const licences = ["LICENSE-APACHE", "LICENSE-MIT"];
const papers = ["README.md", "README.zh-CN.md", "CHANGELOG.md", ...licences, "THIRD-PARTY.md", "docs"];

function copy(names, to) {
  mkdirSync(to, { recursive: true });
  for (const name of names) cpSync(join(root, name), join(to, name), { recursive: true });
}

function put(from, to, mode) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function pages() {
  const own = there.find((row) => row.name === `${process.platform}-${process.arch}`);
  if (!own) throw new Error(`no program of this machine in ${programs}`);
  run(root, "bash", ".ci/pages", own.built);
  return join(root, "target/pages");
}

function archive(row, printed) {
  const dir = join(work, row.folder);
  copy([...papers, "sample-packets"], dir);
  cpSync(printed, join(dir, "pages"), { recursive: true });
  put(row.built, join(dir, row.program), 0o755);
  if (row.archive === "zip") run(work, "zip", "-qrX", join(files, row.file), row.folder);
  else run(work, "tar", "-czf", join(files, row.file), row.folder);
}

// The programs for Linux are static: the package depends on nothing. Not every dpkg reads what Ubuntu packs with by default.
function debian(row, printed) {
  const dir = join(work, `deb-${row.deb}`);
  const share = join(dir, "usr/share");
  put(row.built, join(dir, "usr/bin/novel-gate"), 0o755);
  copy(papers, join(share, "doc/novel-gate"));
  copyFileSync(join(root, "LICENSE-MIT"), join(share, "doc/novel-gate/copyright"));
  put(join(printed, "novel-gate.bash"), join(share, "bash-completion/completions/novel-gate"), 0o644);
  put(join(printed, "novel-gate.zsh"), join(share, "zsh/vendor-completions/_novel-gate"), 0o644);
  put(join(printed, "novel-gate.fish"), join(share, "fish/vendor_completions.d/novel-gate.fish"), 0o644);
  mkdirSync(join(share, "man/man1"), { recursive: true });
  writeFileSync(join(share, "man/man1/novel-gate.1.gz"), gzipSync(readFileSync(join(printed, "novel-gate.1"))));
  mkdirSync(join(dir, "DEBIAN"));
  const control = `Package: novel-gate
Version: ${version.replace("-", "~")}-1
Architecture: ${row.deb}
Maintainer: The novel-gate authors
Section: editors
Priority: optional
Homepage: ${repository}
Description: ${description.split(":")[0]}
 A terminal beside the AI executor that writes your novel: it asks you what
 the next step of the book waits for, and writes your answers as one checked
 record.
`;
  writeFileSync(join(dir, "DEBIAN/control"), control);
  const name = `novel-gate_${version.replace("-", "~")}-1_${row.deb}.deb`;
  run(work, "dpkg-deb", "-Zgzip", "--root-owner-group", "--build", dir, join(files, name));
}

function npmPackages() {
  const shared = { version, description, license, homepage: `${repository}#readme`, repository: { type: "git", url: `git+${repository}.git` } };
  const dirs = there.map((row) => {
    const dir = join(work, "npm", row.name);
    put(row.built, join(dir, row.program), 0o755);
    copy([...licences, "THIRD-PARTY.md"], dir);
    writeFileSync(join(dir, "README.md"), `# @novel-gate/${row.name}\n\nThe program of [novel-gate](${repository}) for ${row.name}; install \`novel-gate\`.\n`);
    const own = { os: [row.os], cpu: [row.cpu], main: row.program, preferUnplugged: true };
    json(join(dir, "package.json"), { name: `@novel-gate/${row.name}`, ...shared, ...own, files: [row.program, ...licences, "THIRD-PARTY.md"] });
    return dir;
  });
  const dir = join(work, "npm/novel-gate");
  put(join(here, "launcher.js"), join(dir, "launcher.js"), 0o755);
  put(join(here, "README.md"), join(dir, "README.md"), 0o644);
  copy(licences, dir);
  const own = { bin: { "novel-gate": "launcher.js" }, engines: { node: ">=18" }, files: ["launcher.js", ...licences] };
  // Every row, those that are not there today too: the launcher is the same wherever it is made.
  const optionalDependencies = Object.fromEntries(table.map((row) => [`@novel-gate/${row.name}`, version]));
  json(join(dir, "package.json"), { name: "novel-gate", ...shared, ...own, optionalDependencies });
  mkdirSync(join(files, "npm"));
  run(work, "npm", "pack", "--silent", "--offline", "--ignore-scripts", "--pack-destination", join(files, "npm"), ...dirs, dir);
}

function formula() {
  const systems = { darwin: "on_macos", linux: "on_linux" };
  const processors = { x64: "on_intel", arm64: "on_arm" };
  const part = (row) => `    ${processors[row.cpu]} do
      url "${address(row.file)}"
      sha256 "${sha256(row.file)}"
    end
`;
  const parts = Object.entries(systems).map(([os, block]) => {
    const rows = there.filter((row) => row.os === os);
    return rows.length ? `  ${block} do\n${rows.map(part).join("")}  end\n\n` : "";
  });
  return `class NovelGate < Formula
  desc "Terminal that asks an author what an AI executor's gates wait for"
  homepage "${repository}"
  version "${version}"
  license any_of: ["MIT", "Apache-2.0"]

${parts.join("")}  def install
    bin.install "novel-gate"
    man1.install "pages/novel-gate.1"
    bash_completion.install "pages/novel-gate.bash" => "novel-gate"
    zsh_completion.install "pages/novel-gate.zsh" => "_novel-gate"
    fish_completion.install "pages/novel-gate.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/novel-gate --version")
  end
end
`;
}

function scoop() {
  const bits = { x64: "64bit", arm64: "arm64" };
  const rows = there.filter((row) => row.os === "win32");
  const part = (row) => ({ url: address(row.file), hash: sha256(row.file), extract_dir: row.folder });
  const architecture = Object.fromEntries(rows.map((row) => [bits[row.cpu], part(row)]));
  return { version, description, homepage: repository, license: license.replace(" OR ", "|"), architecture, bin: "novel-gate.exe" };
}

try {
  if (!repository) throw new Error("node npm/pack.mjs PROGRAMS FILES REPOSITORY");
  mkdirSync(files, { recursive: true });
  if (readdirSync(files).length) throw new Error(`${files} is not empty`);
  const printed = pages();
  for (const row of there) archive(row, printed);
  for (const row of there.filter((row) => row.deb && process.platform === "linux")) debian(row, printed);
  npmPackages();
  writeFileSync(join(files, "novel-gate.rb"), formula());
  json(join(files, "novel-gate.json"), scoop());
  const names = readdirSync(files).filter((name) => name !== "npm").sort();
  writeFileSync(join(files, "SHA256SUMS"), names.map((name) => `${sha256(name)}  ${name}\n`).join(""));
} finally {
  rmSync(work, { recursive: true, force: true });
}
