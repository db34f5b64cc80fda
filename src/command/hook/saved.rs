//! What Claude Code keeps in files and calls by a name: workflows, and skills that start an agent of their own. Those of plugins
//! lie elsewhere and are not known.

use super::Call;
use crate::command::Session;
use crate::store::file::names_in;
use crate::store::gate::read_file;
use std::path::{Path, PathBuf};

/// Around a text, in scripts and in what a file begins with.
pub(super) const QUOTES: [char; 3] = ['\'', '"', '`'];
/// Where each kind lies: the directory, and so many below it.
const WORKFLOWS: (&str, usize) = ("workflows", 0);
const SKILLS: [(&str, usize); 2] = [("skills", 1), ("commands", 4)];

/// The scripts of workflows that hold this name: it stands in them, as a plain text.
pub(super) fn workflows(session: &Session<'_>, call: &Call<'_>, name: &str) -> String {
    let texts = files(session, call, WORKFLOWS, "js").into_iter().map(|(_, text)| text);
    texts.filter(|text| text.split(QUOTES).any(|part| part == name)).collect::<Vec<_>>().join("\n")
}

/// The files of all skills and commands.
pub(super) fn skills(session: &Session<'_>, call: &Call<'_>) -> impl Iterator<Item = (PathBuf, String)> {
    SKILLS.into_iter().flat_map(|kind| files(session, call, kind, "md"))
}

/// The files of a kind in the directories where Claude Code looks: in `.claude` of the call's directory, of the session's and of
/// those above, and of the user.
fn files(
    session: &Session<'_>,
    call: &Call<'_>,
    (kind, depth): (&str, usize),
    ending: &str,
) -> Vec<(PathBuf, String)> {
    let environment = &session.environment;
    let home = environment.home.as_deref().map(Path::new);
    let places = [Some(&*call.cwd), environment.claude_project_dir.as_deref(), Some(call.project.root())];
    let above = places.into_iter().flatten().flat_map(Path::ancestors);
    let mut dirs: Vec<PathBuf> = above.chain(home).map(|dir| dir.join(".claude").join(kind)).collect();
    dirs.sort();
    dirs.dedup();
    let mut files = Vec::new();
    for dir in &dirs {
        collect(dir, ending, depth, &mut files);
    }
    files
}

fn collect(dir: &Path, ending: &str, depth: usize, files: &mut Vec<(PathBuf, String)>) {
    for path in names_in(dir).into_iter().flatten().flatten().map(|name| dir.join(name)) {
        if path.is_dir() {
            if depth > 0 {
                collect(&path, ending, depth - 1, files);
            }
        } else if path.extension().is_some_and(|own| own == ending)
            && let Ok(bytes) = read_file(&path)
        {
            files.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}

/// The plain value of a key in what a file begins with, between lines of `---`.
pub(super) fn front<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    lines.next().filter(|line| line.trim_end() == "---")?;
    let mut pairs = lines.take_while(|line| line.trim_end() != "---").filter_map(|line| line.split_once(':'));
    let (_, value) = pairs.find(|(own, _)| own.trim_end().trim_matches(QUOTES) == key)?;
    let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(QUOTES);
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_begins_with() {
        for (text, agent) in [
            ("---\nname: a\nagent: plot-architect\n---\nagent: x\n", Some("plot-architect")),
            ("\u{feff}--- \r\nagent:  \"plot-architect\" # ours\r\n---\r\n", Some("plot-architect")),
            ("---\n'agent': novel:plot-architect\n---", Some("novel:plot-architect")),
            ("---\nagents: x\nhooks:\n  agent: y\n---\n", None),
            ("---\nagent:\n---\n", None),
            ("---\nname: a\n---\nagent: x\n", None),
            ("\n---\nagent: x\n---\n", None),
            ("agent: x", None),
            ("", None),
        ] {
            assert_eq!(front(text, "agent"), agent, "{text:?}");
        }
    }
}
