//! What is found of a client's wiring, and the files in which it is looked for.

use crate::cli::ClientName;
use crate::command::Session;
use crate::command::init::client::{Content, PARTS, Part};
use crate::command::init::edit::{LONGEST, PROGRAM, Wiring};
use crate::command::init::json_file::{elements, member, parse, start};
use crate::command::init::shape::Shape;
use crate::error::Error;
use crate::platform::paths::CLAUDE_CODE_MANAGED;
use crate::platform::paths::Shown as _;
use crate::platform::paths::canonicalize;
use crate::store::file_snapshot::FileSnapshot;
use crate::store::{Project, file};
use crate::text::{Lang, Message, Sentence, encoding, say};
use jsonc_parser::cst::{CstNode, CstRootNode};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const ENCODED: Sentence = say("It is {0}: clients read UTF-8.", "它是 {0} 编码，而客户端只读 UTF-8。");
const MEND: Sentence = say(
    "Mend it: until then the client uses nothing of the file.",
    "请改正：在此之前，客户端不用这个文件的任何内容。",
);

/// Where files are looked for.
pub(in crate::command) struct Places<'p> {
    pub(super) project: &'p Project,
    pub(super) home: Option<PathBuf>,
    pub(super) claude_dir: Option<PathBuf>,
    pub(super) codex_dir: Option<PathBuf>,
    pub(super) managed: PathBuf,
    pub(super) path: Option<OsString>,
    /// This program.
    pub(super) program: Option<PathBuf>,
}

/// What is installed of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(in crate::command) enum Kind {
    Skill,
    Hook,
    Permission,
    Server,
}

/// A part of the wiring.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InstalledOutput")]
pub(in crate::command) struct Installed {
    /// skill, hook, permission or server.
    #[serde(rename = "part")]
    pub(in crate::command) kind: Kind,
    /// The file and, of an entry in it, the line.
    pub(in crate::command) at: String,
    /// What an entry runs.
    pub(in crate::command) runs: Option<String>,
    /// The program that this is; null where it is not found.
    pub(in crate::command) program: Option<String>,
    /// Whether that is this very program.
    #[serde(rename = "this")]
    pub(in crate::command) is_this: Option<bool>,
}

/// What stands in the way.
#[derive(Clone)]
pub(in crate::command) struct Obstacle {
    pub(in crate::command) code: &'static str,
    pub(in crate::command) at: Option<String>,
    pub(in crate::command) what: Message,
    pub(in crate::command) remedy: Message,
}

/// What is known of one client.
pub(in crate::command) struct Health {
    pub(in crate::command) client: ClientName,
    pub(in crate::command) installed: Vec<Installed>,
    pub(in crate::command) obstacles: Vec<Obstacle>,
    /// Whether its user trusts the directory; `None` where no file says.
    pub(in crate::command) trusted: Option<bool>,
    /// That of its entries, if they name one.
    pub(in crate::command) state_dir: Option<PathBuf>,
}

/// A settings file that is there.
pub(super) struct Settings {
    pub(super) shown: String,
    /// Nothing where the client drops it; of TOML the same as JSON.
    pub(super) root: Option<CstRootNode>,
    pub(super) text: String,
    pub(super) obstacle: Option<Obstacle>,
}

impl Health {
    pub(super) fn new(client: ClientName, trusted: Option<bool>) -> Health {
        Health { client, installed: Vec::new(), obstacles: Vec::new(), trusted, state_dir: None }
    }

    /// Says it, once.
    pub(in crate::command) fn hinder(&mut self, obstacle: Obstacle) {
        if !self.obstacles.iter().any(|one| one.code == obstacle.code && one.at == obstacle.at) {
            self.obstacles.push(obstacle);
        }
    }

    /// What is said of them: of a client that is not wired, the files that would refuse it.
    pub(in crate::command) fn shown(&self) -> impl Iterator<Item = &Obstacle> {
        let is_wired = self.is_wired();
        self.obstacles.iter().filter(move |it| is_wired || matches!(it.code, "unreadable" | "dropped-file"))
    }

    pub(in crate::command) fn has(&self, kind: Kind) -> bool {
        self.installed.iter().any(|part| part.kind == kind)
    }

    /// Notes a part of which no more is known than where it is.
    pub(super) fn note(&mut self, kind: Kind, at: String) {
        self.installed.push(Installed { kind, at, runs: None, program: None, is_this: None });
    }

    /// Codex shares its skill with others: that alone is none of its wiring.
    pub(in crate::command) fn is_wired(&self) -> bool {
        let is_own = |part: &Installed| part.kind != Kind::Skill || self.client != ClientName::Codex;
        self.installed.iter().any(is_own)
    }
}

impl Obstacle {
    pub(in crate::command) fn new(
        code: &'static str,
        at: Option<String>,
        what: impl Into<Message>,
        remedy: impl Into<Message>,
    ) -> Obstacle {
        Obstacle { code, at, what: what.into(), remedy: remedy.into() }
    }

    /// What `init --write` mends.
    pub(super) fn init(
        code: &'static str,
        at: Option<String>,
        what: Sentence,
        client: ClientName,
    ) -> Obstacle {
        let remedy = say("{0} puts it right.", "运行 {0} 即可。");
        Obstacle::new(code, at, what, Message::new(remedy, &[&init_line(client, Kind::Hook)]))
    }

    /// That our server is on, or not on, a list.
    pub(super) fn listed(at: String, list: &str) -> Obstacle {
        let what = say("{0} switches the server novel-gate off.", "{0} 关闭了服务器 novel-gate。");
        let remedy = say("Let it have the server.", "请让它放行这个服务器。");
        Obstacle::new("server-off", Some(at), Message::new(what, &[list]), remedy)
    }

    /// That a file is in another encoding than UTF-8.
    pub(super) fn encoded(at: &str, bytes: &[u8]) -> Option<Obstacle> {
        let (_, name) = encoding::decode(bytes)?;
        Some(Obstacle::new("dropped-file", Some(at.to_owned()), Message::new(ENCODED, &[name]), MEND))
    }

    /// Whether it defeats whatever is written, and its user is not asked for it.
    pub(in crate::command::init) fn defeats(&self) -> bool {
        matches!(
            self.code,
            "hooks-off"
                | "managed-only"
                | "dropped-file"
                | "denied"
                | "hook-off"
                | "filtered"
                | "async"
                | "other-program"
        )
    }

    pub(in crate::command) fn text(&self, lang: Lang) -> String {
        let parts = [self.at.as_deref().unwrap_or_default(), &self.what.text(lang), &self.remedy.text(lang)];
        match self.at {
            Some(_) => say("{0}: {1} {2}", "{0}：{1}{2}").fill(lang, &parts),
            None => say("{1} {2}", "{1}{2}").fill(lang, &parts),
        }
    }
}

impl Settings {
    fn unread(shown: String, obstacle: Option<Obstacle>) -> Settings {
        Settings { shown, root: None, text: String::new(), obstacle }
    }

    /// A file of this name; one of TOML where its name says so.
    pub(super) fn of(shown: String, bytes: &[u8], shape: Option<&Shape>) -> Settings {
        let (text, odd) = match encoding::decode(bytes) {
            Some((text, name)) => (text, Some(name)),
            None => (String::from_utf8_lossy(bytes).into_owned(), None),
        };
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let mut settings = Settings { text, ..Settings::unread(shown, None) };
        let fault = match odd {
            Some(name) => Some((None, Message::new(ENCODED, &[name]))),
            None if bytes.starts_with(b"\xef\xbb\xbf") && shape.is_some_and(Shape::refuses_mark) => {
                let what = say(
                    "The client takes no byte order mark (BOM).",
                    "客户端不接受文件开头的字节顺序标记（BOM）。",
                );
                Some((Some(1), what.into()))
            }
            None => settings.read(shape).err(),
        };
        if let Some((line, what)) = fault {
            let at = line.map_or_else(|| settings.shown.clone(), |line| format!("{}:{line}", settings.shown));
            settings.obstacle = Some(Obstacle::new("dropped-file", Some(at), what, MEND));
        }
        settings
    }

    /// Where the client drops the file, and why.
    fn read(&mut self, shape: Option<&Shape>) -> Result<(), (Option<usize>, Message)> {
        let text = &self.text;
        if self.is_toml() {
            let table: Value = toml::from_str(text).map_err(|error| {
                let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
                (
                    Some(before.matches('\n').count() + 1),
                    say("It is not TOML: Codex does not start.", "它不是 TOML，Codex 无法启动。").into(),
                )
            })?;
            self.root = parse(&table.to_string()).ok();
            return Ok(());
        }
        // Where a client says which shapes it takes, it takes no comments either.
        let strict = shape.and_then(|_| serde_json::from_str::<IgnoredAny>(text).err());
        if let Some(error) = strict.filter(|_| !text.trim().is_empty()) {
            let what = say(
                "The client takes no JSON but the plain one, without comments and commas at the end of lists.",
                "客户端只接受纯粹的 JSON：没有注释，列表末尾没有逗号。",
            );
            return Err((Some(error.line()), what.into()));
        }
        let root = parse(text).map_err(|why| (None, why))?;
        if let Some(fault) = shape.zip(root.value()).and_then(|(shape, root)| shape.fault(&root)) {
            return Err((Some(line_of(&fault.node)), fault.message()));
        }
        self.root = Some(root);
        Ok(())
    }

    fn is_toml(&self) -> bool {
        Path::new(&self.shown).extension().is_some_and(|ending| ending == "toml")
    }

    pub(super) fn value(&self) -> Option<CstNode> {
        self.root.as_ref()?.value()
    }

    /// What it says; nothing of a file that is dropped.
    pub(super) fn json(&self) -> Value {
        self.value().and_then(|value| value.to_serde_value()).unwrap_or_default()
    }

    /// The line of a value in it; of TOML that in which our name stands.
    pub(super) fn at(&self, node: &CstNode) -> String {
        let is_it = |line: &str| line.contains(PROGRAM) && !line.trim_start().starts_with('#');
        let line = if self.is_toml() {
            self.text.lines().position(is_it).map_or(1, |at| at + 1)
        } else {
            line_of(node)
        };
        format!("{}:{line}", self.shown)
    }

    /// The value of keys with dots between them.
    fn find(&self, keys: &str) -> Option<CstNode> {
        keys.split('.').try_fold(self.value()?, |at, key| member(&at, key))
    }

    /// The texts of a list in it.
    pub(super) fn texts(&self, keys: &str) -> Vec<(String, CstNode)> {
        let nodes = self.find(keys).map(|list| elements(&list)).unwrap_or_default().into_iter();
        nodes.filter_map(|node| Some((node.to_serde_value()?.as_str()?.to_owned(), node))).collect()
    }

    /// What names our server in a list in it.
    pub(super) fn naming(&self, keys: &str) -> Option<CstNode> {
        let is_ours = |value: Value| {
            [&value, &value["serverName"], &value["serverCommand"][0]].into_iter().any(|it| it == PROGRAM)
        };
        elements(&self.find(keys)?).into_iter().find(|node| node.to_serde_value().is_some_and(is_ours))
    }

    /// A list in it, if our server is not named there.
    pub(super) fn leaving_out(&self, keys: &str) -> Option<CstNode> {
        self.find(keys).filter(|list| list.as_array().is_some() && self.naming(keys).is_none())
    }

    pub(super) fn truth(&self, key: &str) -> Option<(bool, CstNode)> {
        let node = self.find(key)?;
        Some((node.to_serde_value()?.as_bool()?, node))
    }
}

impl<'p> Places<'p> {
    pub(in crate::command) fn of(session: &Session<'_>, project: &'p Project) -> Places<'p> {
        let environment = &session.environment;
        Places {
            project,
            home: environment.home.clone().map(PathBuf::from),
            claude_dir: environment.claude_dir.clone(),
            codex_dir: environment.codex_dir.clone(),
            managed: PathBuf::from(CLAUDE_CODE_MANAGED),
            path: environment.path.clone(),
            program: environment.program.as_deref().and_then(|path| canonicalize(path).ok()),
        }
    }

    /// A file of the project's, if there is one; or that nobody can read it as one.
    pub(super) fn own(&self, path: &str) -> Result<Option<Vec<u8>>, Box<Obstacle>> {
        let file = FileSnapshot::look(self.project, path);
        let file = file.map_err(|error| Box::new(unreadable(path.to_owned(), error.whole())))?;
        Ok(file.bytes.filter(|bytes| bytes.len() <= LONGEST))
    }

    /// A settings file of the project's, be it one that nobody can read.
    pub(super) fn settings(&self, path: &str, shape: Option<&Shape>) -> Option<Settings> {
        match self.own(path) {
            Ok(bytes) => Some(Settings::of(path.to_owned(), &bytes?, shape)),
            Err(obstacle) => Some(Settings::unread(path.to_owned(), Some(*obstacle))),
        }
    }

    /// One of the user's, which says nothing where it is not there.
    pub(super) fn users(&self, path: &Path, shape: Option<&Shape>) -> Settings {
        let shown = self.shown(path);
        match file::read_beginning(path, LONGEST) {
            Ok(bytes) => Settings::of(shown, &bytes, shape),
            Err(cause) => {
                let is_there = !matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                let sentence = say("Cannot read {0}.", "无法读取 {0}。");
                let error = Error::io("unreadable", sentence, &[&shown], &cause);
                let obstacle = is_there.then(|| unreadable(shown.clone(), error.whole()));
                Settings::unread(shown, obstacle)
            }
        }
    }

    /// How a file of the user's is shown.
    pub(super) fn shown(&self, path: &Path) -> String {
        let beneath = self.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        beneath.map_or_else(|| path.shown().into_owned(), |path| format!("~/{}", path.shown()))
    }
}

fn unreadable(at: String, what: Message) -> Obstacle {
    let remedy = say("Put a plain file there that you can read.", "请在这里放一个你能读取的普通文件。");
    Obstacle::new("unreadable", Some(at), what, remedy)
}

/// The command that wires a part of a client: the server, and whatever a client has that knows no hook, with `--mcp`.
pub(in crate::command) fn init_line(client: ClientName, kind: Kind) -> String {
    let has_hook = parts(client).any(|part| part.content == Content::Hook);
    let mcp = if has_hook && kind != Kind::Server { "" } else { " --mcp" };
    format!("{PROGRAM} init --for {}{mcp} --write", <&str>::from(client))
}

/// The parts of a client: those that are its own first.
pub(super) fn parts(client: ClientName) -> impl Iterator<Item = &'static Part> {
    PARTS.iter().filter(move |part| part.clients.contains(&client))
}

/// How the program is called in a wiring that is there.
pub(super) fn wiring(lang: Lang, words: Option<&[String]>) -> Wiring {
    let program = words.and_then(|words| words.first()).map_or(PROGRAM, String::as_str);
    let program = Path::new(program).shown().into_owned();
    let state_dir = words.and_then(state_dir).map(str::to_owned);
    Wiring { lang, own: vec![program.clone()], program, state_dir }
}

/// How clients may spell a directory in their settings: as the system does, or with `/`.
pub(super) fn spelled(dir: &Path) -> impl Iterator<Item = String> {
    [dir.to_str().map(str::to_owned), Some(dir.shown().into_owned())].into_iter().flatten()
}

pub(super) fn state_dir(words: &[String]) -> Option<&str> {
    let at = words.iter().position(|word| word == "--state-dir")?;
    words.get(at + 1).map(String::as_str)
}

fn line_of(node: &CstNode) -> usize {
    let before = start(node);
    let text = node.root_node().map(|root| root.to_string()).unwrap_or_default();
    text.get(..before).map_or(1, |before| before.matches('\n').count() + 1)
}

/// The line of a text file that begins with a word.
pub(super) fn line_with(text: &str, word: &str) -> usize {
    text.lines().position(|line| line.trim_start().starts_with(word)).map_or(1, |at| at + 1)
}
