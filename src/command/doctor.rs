//! `doctor`: whether the executors are connected: what is installed for each, what stands in its way, and when it was last heard.

use super::Session;
use super::init::health::{self, Health, Installed, Kind, Obstacle, Places};
use super::init::notes::title;
use super::output::{Head, Output, form};
use crate::cli::{ClientName, VERSION};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::clock::{ago, rfc3339_millis};
use crate::store::contact::{self, Contact, Way};
use crate::store::{Project, StateDir};
use crate::text::{Lang, Sentence, say};
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::SystemTime;

pub(super) const OUTPUT: Output = Output::new(
    "doctor-output",
    "What doctor --json prints. Exit 3 something stands in the way of a client, or none is wired.",
    &[form::<DoctorOutput<'_>>(&["ok", "hindered"], &[0, 3], &["connected", "hindered", "not-wired"])],
);

/// Whether the executors are connected.
#[derive(Serialize, JsonSchema)]
struct DoctorOutput<'h> {
    /// The path of this program.
    program: Option<String>,
    /// Its version.
    version: &'static str,
    /// Every client that can be wired.
    clients: Vec<ClientOutput<'h>>,
}

/// A client.
#[derive(Serialize, JsonSchema)]
struct ClientOutput<'h> {
    /// Its name, as init --for takes it.
    client: &'static str,
    /// Whether it is wired here.
    wired: bool,
    /// Whether its user trusts the directory; null where no file says.
    trusted: Option<bool>,
    /// What is there.
    installed: &'h [Installed],
    /// What stands in its way.
    obstacles: Vec<ObstacleOutput>,
    /// The last call by each way, the newest first; none if it was never heard.
    heard: Vec<HeardOutput>,
}

/// Something that stands in the way.
#[derive(Serialize, JsonSchema)]
struct ObstacleOutput {
    /// What it is; stable, such as hooks-off.
    code: &'static str,
    /// The file and the line, where there is one.
    at: Option<String>,
    /// What is wrong.
    message: String,
    /// What to do about it.
    hint: String,
}

/// A call of a client's.
#[derive(Serialize, JsonSchema)]
struct HeardOutput {
    /// hook, mcp or command.
    #[schemars(extend("enum" = ["hook", "mcp", "command"]))]
    by: &'static str,
    /// When.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// The tool or the command.
    tool: String,
    /// The file, the command, the agent or the packet that it was about.
    about: Option<String>,
    /// The client's session.
    session: Option<String>,
}

/// Prints what is known of each client.
pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let (project, lang) = (session.project()?, session.lang);
    let places = Places::of(session, &project);
    let all: Vec<(Health, Vec<Contact>)> = ClientName::value_variants()
        .iter()
        .map(|&client| {
            let mut health = health::of(client, &places, lang);
            let heard = heard(session, &project, &mut health);
            (health, heard)
        })
        .collect();
    let wired = || all.iter().filter(|(health, _)| health.is_wired());
    let (status, exit, code, sentence) = if wired().next().is_none() {
        (
            "hindered",
            ExitCode::Waiting,
            "not-wired",
            say("No executor is connected here.", "这里没有接通任何执行器。"),
        )
    } else if wired().any(|(health, _)| !health.obstacles.is_empty()) {
        ("hindered", ExitCode::Waiting, "hindered", say("Something stands in the way.", "有东西挡着。"))
    } else {
        ("ok", ExitCode::Done, "connected", say("Nothing stands in the way.", "没有东西挡着。"))
    };
    let head = Head::new(status, exit, code, sentence.text(lang));
    if session.global.json {
        let program = session.environment.program.as_ref().map(|path| path.shown().into_owned());
        let clients = all.iter().map(|(health, heard)| ClientOutput::of(health, heard, lang)).collect();
        return session.json(head, DoctorOutput { program, version: VERSION, clients });
    }
    let written = contact::last_packet(&project);
    for (health, heard) in &all {
        let lines = lines(session, health, heard, written);
        session.print_sentences(&lines)?;
    }
    session.print_sentences(&[head.message])?;
    Ok(exit)
}

/// By each way the last call, in whichever state directory its entries name; where none can be noted, that is in the way.
fn heard(session: &Session<'_>, project: &Project, health: &mut Health) -> Vec<Contact> {
    let state = match &health.state_dir {
        Some(base) => Ok(StateDir::new(base, project)),
        None => session.state(project),
    };
    let Ok(state) = state else { return Vec::new() };
    if !contact::can_note(&state) {
        let what = say(
            "Nothing can be written there, so it is not known who has asked, and no console keeps anything.",
            "那里无法写入，因此不知道谁来问过，控制台也什么都保存不了。",
        );
        let remedy = say(
            "Make it writable, or name another with --state-dir.",
            "请让它可写，或用 --state-dir 另指一个。",
        );
        let at = Some(state.path().shown().into_owned());
        health.hinder(Obstacle::new("no-state", at, what, remedy));
    }
    contact::read(&state, health.client.into())
}

fn lines(
    session: &Session<'_>,
    health: &Health,
    heard: &[Contact],
    written: Option<SystemTime>,
) -> Vec<String> {
    let (lang, title) = (session.lang, title(health.client));
    let obstacle = |obstacle: &Obstacle| say("  ! {0}", "  ! {0}").fill(lang, &[&obstacle.text(lang)]);
    if !health.is_wired() {
        let sentence = say("{0}: not wired; {1} does it.", "{0}：没有接入；运行 {1} 即可。");
        let line = sentence.fill(lang, &[title, &health::init_line(health.client, Kind::Hook)]);
        return [line].into_iter().chain(health.shown().map(obstacle)).collect();
    }
    let mut lines = vec![say("{0}:", "{0}：").fill(lang, &[title])];
    lines.extend(health.installed.iter().map(|part| part_line(part, lang)));
    let trust = match health.trusted {
        Some(true) => say("  trusted: yes", "  已信任：是"),
        Some(false) => say("  trusted: no", "  已信任：否"),
        None => say("  trusted: not known, no file says", "  已信任：不知道，没有文件写明"),
    };
    // Whoever would rather be asked has taken it out.
    if health.has(Kind::Hook) && !health.has(Kind::Permission) {
        let sentence = say(
            "  permission: none, so the client asks you before each command of the skill; {0} gives it",
            "  权限：没有，skill 的每条命令客户端都先问你；运行 {0} 即可放行",
        );
        lines.push(sentence.fill(lang, &[&health::init_line(health.client, Kind::Hook)]));
    }
    // opencode asks nobody.
    if health.client != ClientName::Opencode {
        lines.push(trust.text(lang).to_owned());
    }
    let now = session.clock.local_now();
    let told = |contact: &Contact| {
        let sentence = match contact.way {
            Way::Hook => say("  last heard by its hook {0}{1}", "  hook 上次来问：{0}{1}"),
            Way::Mcp => say("  last heard by its server {0}{1}", "  服务器上次来问：{0}{1}"),
            Way::Command => say("  last command {0}{1}", "  上次运行命令：{0}{1}"),
        };
        let ahead = say(" (ahead of this clock, which has been set)", "（比现在的时钟还晚：时钟调过）");
        let ahead = if contact.is_ahead(session.clock.now()) { ahead.text(lang) } else { "" };
        sentence.fill(lang, &[&ago(contact.at, &now, lang), &about(contact, lang)]) + ahead
    };
    lines.extend(heard.iter().map(told));
    let is_silent = |way: Way, kind: Kind| {
        health.installed.iter().any(|part| part.kind == kind)
            && heard.iter().all(|contact| contact.way != way)
    };
    let packet = written.map(|at| {
        let sentence = say("; the last packet was written {0}", "；最近一个指令包的时间：{0}");
        sentence.fill(lang, &[&ago(at, &now, lang)])
    });
    let never = [
        (Way::Hook, Kind::Hook, say("  never heard by its hook{0}", "  hook 从未来问过{0}")),
        (Way::Mcp, Kind::Server, say("  never heard by its server{0}", "  服务器从未来问过{0}")),
    ];
    let never = never.into_iter().filter(|(way, kind, _)| is_silent(*way, *kind));
    let packet = packet.as_deref().unwrap_or_default();
    lines.extend(never.map(|(.., sentence)| sentence.fill(lang, &[packet])));
    lines.extend(health.shown().map(obstacle));
    lines
}

fn about(contact: &Contact, lang: Lang) -> String {
    let call = &contact.call;
    match &call.about {
        _ if call.tool.is_empty() => String::new(),
        None => say(": {0}", "，{0}").fill(lang, &[&call.tool]),
        Some(about) => say(": {0} of {1}", "，{0} {1}").fill(lang, &[&call.tool, about]),
    }
}

fn part_line(part: &Installed, lang: Lang) -> String {
    let name: Sentence = match part.kind {
        Kind::Skill => say("skill", "skill"),
        Kind::Hook => say("hook", "hook"),
        Kind::Permission => say("permission", "权限"),
        Kind::Server => say("server", "服务器"),
    };
    let name = name.text(lang);
    let Some(runs) = &part.runs else {
        return say("  {0}: {1}", "  {0}：{1}").fill(lang, &[name, &part.at]);
    };
    let program = match (&part.program, part.is_this) {
        (None, _) => String::new(),
        (Some(_), Some(true)) => say(" (this program)", "（本程序）").text(lang).to_owned(),
        (Some(path), _) => {
            let sentence = say(
                " ({0}, another file than this program; {0} --version tells)",
                "（{0}，与本程序不是同一个文件；{0} --version 可查看）",
            );
            sentence.fill(lang, &[path])
        }
    };
    say("  {0}: {1} runs {2}{3}", "  {0}：{1} 运行 {2}{3}").fill(lang, &[name, &part.at, runs, &program])
}

impl<'h> ClientOutput<'h> {
    fn of(health: &'h Health, heard: &[Contact], lang: Lang) -> ClientOutput<'h> {
        let obstacle = |obstacle: &Obstacle| ObstacleOutput {
            code: obstacle.code,
            at: obstacle.at.clone(),
            message: obstacle.what.text(lang),
            hint: obstacle.remedy.text(lang),
        };
        let heard = heard.iter().map(|contact| HeardOutput {
            by: contact.way.into(),
            at: rfc3339_millis(contact.at),
            tool: contact.call.tool.clone(),
            about: contact.call.about.clone(),
            session: contact.call.session.clone(),
        });
        let wired = health.is_wired();
        ClientOutput {
            client: health.client.into(),
            wired,
            trusted: health.trusted,
            installed: &health.installed,
            obstacles: health.shown().map(obstacle).collect(),
            heard: heard.collect(),
        }
    }
}
