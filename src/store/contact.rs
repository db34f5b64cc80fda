//! When each client last asked something in a project, and what: one small file for each client and way, whose time is when. Nothing
//! depends on it but what people are told, so nothing fails for it.

use super::clock::local_time;
use super::disk::make_private_dir;
use super::file::{is_packet_name, is_relay, json_files_below, read_beginning};
use super::file_snapshot::FileSnapshot;
use super::project::Project;
use super::state::StateDir;
use crate::platform::files::{look_at, make_private};
use crate::text::{Lang, Safe, say};
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use strum::{IntoStaticStr, VariantArray};

/// Of what a call was about, so many columns are kept.
const SHOWN: usize = 100;
/// No line is longer, in bytes.
const LONGEST: usize = 4 << 10;

/// So long between what is written and the last call says nothing: a command may write for a while, and its author be slow.
pub const HOLD: Duration = Duration::from_mins(5);

/// Every client that can be wired, and how people call it.
pub const CLIENTS: [(&str, &str); 4] =
    [("claude-code", "Claude Code"), ("codex", "Codex"), ("gemini", "Gemini CLI"), ("opencode", "opencode")];

/// The files of a project that may wire a client.
const WIRED: [&str; 7] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".mcp.json",
    ".gemini/settings.json",
    "opencode.json",
];
/// What stands in them, whatever is around it.
const NAME: &str = "novel-gate";

/// How a client asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Way {
    /// By its hook.
    Hook,
    /// By a server of ours that it has started.
    Mcp,
    /// By a command that it has run.
    Command,
}

/// What a call was about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Call {
    /// The tool or the command.
    pub tool: String,
    /// The file, the command, the agent or the packet.
    pub about: Option<String>,
    pub session: Option<String>,
}

/// The last call of a client by one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    pub way: Way,
    pub at: SystemTime,
    pub call: Call,
}

impl Call {
    pub fn new(tool: &str, about: Option<&str>, session: Option<&str>) -> Call {
        let short = |text: &str| Safe::line(text).fit(SHOWN).into_string();
        Call { tool: short(tool), about: about.map(short), session: session.map(short) }
    }
}

impl Contact {
    /// Whether its time lies ahead by more than two clocks may differ.
    pub fn is_ahead(&self, now: SystemTime) -> bool {
        self.at.duration_since(now).is_ok_and(|ahead| ahead > Duration::from_mins(1))
    }
}

/// When the last packet was written that is no relay of ours.
pub fn last_packet(project: &Project) -> Option<SystemTime> {
    let all = json_files_below(&project.root().join("staging")).files;
    let packets = all.iter().filter(|path| is_packet_name(path) && !is_relay(project.relative(path)));
    packets.filter_map(|path| fs::metadata(path).ok()?.modified().ok()).max()
}

/// Whether calls can be noted at all: whether a file without a name can be made in the directory that is there.
pub fn can_note(state: &StateDir) -> bool {
    let path = state.path().join("heard");
    let there = path.ancestors().find(|dir| dir.exists());
    there.is_some_and(|dir| tempfile::tempfile_in(dir).is_ok())
}

fn path(state: &StateDir, client: &str, way: Way) -> PathBuf {
    state.path().join(format!("heard/{client}.{}", <&str>::from(way)))
}

/// Notes a call, in place: on a full disk there is room for what was there. Of two at once, the line of one is whole.
pub fn note(state: &StateDir, client: &str, way: Way, call: &Call) {
    let path = path(state, client, way);
    // A link would lead to somebody else's file.
    let is_ours = |meta: &fs::Metadata| meta.is_file() && look_at(&path).is_ok_and(|facts| facts.links == 1);
    if fs::symlink_metadata(&path).is_ok_and(|meta| !is_ours(&meta)) && fs::remove_file(&path).is_err() {
        return;
    }
    let open = || make_private(OpenOptions::new().write(true).create(true).truncate(false)).open(&path);
    let file = open().or_else(|cause| {
        path.parent().map_or(Ok(()), make_private_dir)?;
        open().map_err(|_| cause)
    });
    if let (Ok(mut file), Ok(mut line)) = (file, serde_json::to_vec(call)) {
        line.push(b'\n');
        // A file that is not written says less, and nothing wrong.
        let _ = file.write_all(&line);
    }
}

/// The last call by each way, the newest first.
pub fn read(state: &StateDir, client: &str) -> Vec<Contact> {
    let read = |&way: &Way| {
        let path = path(state, client, way);
        let at = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?.modified().ok()?;
        let bytes = read_beginning(&path, LONGEST).unwrap_or_default();
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Some(Contact { way, at, call: serde_json::from_slice(line).unwrap_or_default() })
    };
    let mut all: Vec<Contact> = Way::VARIANTS.iter().filter_map(read).collect();
    all.sort_by_key(|contact| std::cmp::Reverse(contact.at));
    all
}

/// That an executor writes packets, and asks nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The client that was heard last, and when; `None` where one is wired and none was ever heard.
    pub last: Option<(&'static str, SystemTime)>,
    /// When the last packet was written.
    pub written: SystemTime,
}

impl Silence {
    /// Where the last packet was written at this time. A book without a wiring is silent by itself; a call from the future, which a
    /// clock has since left, says nothing.
    pub fn find(
        project: &Project,
        state: &StateDir,
        written: SystemTime,
        now: SystemTime,
    ) -> Option<Silence> {
        let newest = |(client, title): &(&str, &'static str)| {
            let all = read(state, client);
            Some((*title, all.iter().find(|contact| !contact.is_ahead(now))?.at))
        };
        let last = CLIENTS.iter().filter_map(newest).max_by_key(|(_, at)| *at);
        let is_silent = last.is_none_or(|(_, at)| written.duration_since(at).is_ok_and(|since| since > HOLD));
        (is_silent && WIRED.iter().any(|path| is_wired(project, path))).then_some(Silence { last, written })
    }

    /// What is said of it, once it has lasted.
    pub fn text(&self, now: &Zoned, lang: Lang) -> Option<String> {
        let age = SystemTime::from(now.timestamp()).duration_since(self.written);
        age.ok().filter(|age| *age >= HOLD)?;
        Some(match self.last {
            Some((title, at)) => say(
                "{0} has not asked novel-gate since {1}: novel-gate doctor",
                "{0} 自{1} 起没有问过 novel-gate：novel-gate doctor",
            )
            .fill(lang, &[title, &local_time(at, now, lang)]),
            None => say(
                "No executor has asked novel-gate yet: novel-gate doctor",
                "还没有执行器问过 novel-gate：novel-gate doctor",
            )
            .text(lang)
            .to_owned(),
        })
    }
}

fn is_wired(project: &Project, path: &str) -> bool {
    let bytes = FileSnapshot::look(project, path).ok().and_then(|file| file.bytes).unwrap_or_default();
    bytes.windows(NAME.len()).any(|words| words == NAME.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::testing::{mode, symlink};
    use std::path::Path;

    #[test]
    fn a_call_from_the_future_does_not_keep_the_silence_from_being_said() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".mcp.json"), NAME).unwrap();
        let project = Project::open(dir.path()).unwrap();
        let state = StateDir::new(&dir.path().join("state"), &project);
        note(&state, "codex", Way::Hook, &Call::default());
        let now = SystemTime::now();
        let silence = || Silence::find(&project, &state, now, now);
        assert_eq!(silence(), None);
        let set = |time| {
            fs::File::options()
                .append(true)
                .open(path(&state, "codex", Way::Hook))
                .and_then(|file| file.set_modified(time))
        };
        set(now + Duration::from_hours(24)).unwrap();
        assert_eq!(silence().map(|silence| silence.last), Some(None));
        set(now - HOLD * 2).unwrap();
        assert!(silence().is_some_and(|silence| silence.last.is_some()));
    }

    #[test]
    fn where_no_file_can_be_made_nothing_can_be_noted_and_looking_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("book/staging/novel-ask/relay")).unwrap();
        let project = Project::open(&dir.path().join("book")).unwrap();
        assert!(can_note(&StateDir::new(&dir.path().join("state"), &project)));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(!can_note(&StateDir::new(&dir.path().join("file"), &project)));
        // Whoever may write everywhere makes no file there either.
        #[cfg(target_os = "linux")]
        assert!(!can_note(&StateDir::new(Path::new("/proc/x"), &project)));
        // Of packets, a relay of ours is none that an executor has written.
        fs::write(project.root().join("staging/novel-ask/relay/relay-a.packet.json"), "{}").unwrap();
        assert_eq!(last_packet(&project), None);
        fs::write(project.root().join("staging/a.packet.json"), "{}").unwrap();
        assert!(last_packet(&project).is_some());
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn the_last_call_of_each_way_is_known_and_a_state_that_cannot_be_written_fails_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::new(&dir.path().join("state"), &Project::open(dir.path()).unwrap());
        assert_eq!(read(&state, "codex"), []);
        let long = Call::new("Bash", Some(&"雨\u{1b}[2J ".repeat(999)), Some("s-1"));
        note(&state, "codex", Way::Hook, &long);
        note(&state, "codex", Way::Hook, &Call::new("Write", Some("a.md"), None));
        note(&state, "codex", Way::Command, &Call::new("wait", None, None));
        let all = read(&state, "codex");
        let tools: Vec<&str> = all.iter().map(|contact| contact.call.tool.as_str()).collect();
        assert!(tools.contains(&"Write") && tools.contains(&"wait") && tools.len() == 2, "{all:?}");
        assert!(all[0].at >= all[1].at);
        assert!(long.about.as_ref().is_some_and(|about| about.len() < LONGEST / 8));
        let file = path(&state, "codex", Way::Hook);
        assert_eq!(mode(&file), 0o600);
        // What cannot be read was heard all the same; what cannot be written changes nothing.
        fs::write(&file, "torn {").unwrap();
        assert_eq!(read(&state, "codex").iter().filter(|it| it.call == Call::default()).count(), 1);
        // Another name of somebody else's file is no place for it.
        let other = dir.path().join("other");
        for link in [fs::hard_link::<&Path, &Path>, |to: &Path, at: &Path| symlink(to, at)] {
            fs::write(&other, "a chapter").unwrap();
            fs::remove_file(&file).unwrap();
            link(&other, &file).unwrap();
            note(&state, "codex", Way::Hook, &long);
            assert_eq!(fs::read_to_string(&other).unwrap(), "a chapter");
            assert!(read(&state, "codex").iter().any(|it| it.call == long));
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        note(&state, "codex", Way::Hook, &long);
        fs::write(dir.path().join("file"), "").unwrap();
        let nowhere = StateDir::new(&dir.path().join("file"), &Project::open(dir.path()).unwrap());
        note(&nowhere, "codex", Way::Hook, &long);
        assert_eq!(read(&nowhere, "codex"), []);
    }
}
