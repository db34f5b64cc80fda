//! Joins flags, settings file and environment into one theme, and hands the list of themes to the command `themes`:
//! commands and console do not know each other.

use crate::cli::{Global, ThemesArgs};
use crate::command::Session;
use crate::command::themes::{self, ChosenBy, Listing, ThemeProblem};
use crate::console::look::{Look, NextTheme};
use crate::console::terminal::ground::Ground;
use crate::console::theme::Theme;
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::config::{self, Config, ConfigProblem};
use crate::text::{Lang, say};
use std::path::{Path, PathBuf};

/// What the console takes: its look, and what is wrong with the theme. What is wrong looks as in the theme that suits the terminal.
type Loaded = (Look, Vec<ConfigProblem>);

/// # Errors
/// The theme that `--theme` names is not there.
pub(super) fn load(
    global: &Global,
    config: &Config,
    environment: &Environment,
    dir: Option<&Path>,
) -> Result<Loaded, Error> {
    let (Some(name), by) = choose(global, config, environment) else {
        return Ok((Look::fixed(Theme::plain()), Vec::new()));
    };
    let base = Theme::built_in(suited(environment)).unwrap_or_else(Theme::plain);
    let mut decides = by == ChosenBy::Terminal;
    let (theme, problems) = match read(name, dir, base.clone()) {
        Err(error) if by != ChosenBy::Flag => {
            decides = true;
            let place = config.theme_place.clone();
            (base, vec![ConfigProblem { place, key: "theme".to_owned(), what: error.whole() }])
        }
        read => read?,
    };
    // The console of Linux knows no such question, and old ones print it.
    let is_linux = environment.terminal.as_deref().is_some_and(|terminal| terminal.starts_with("linux"));
    let follow_ground = decides && !is_linux;
    Ok((Look { theme, name: name.to_owned(), follow_ground, next: Some(cycle(dir)) }, problems))
}

/// Goes through the themes.
fn cycle(dir: Option<&Path>) -> NextTheme {
    let dir = dir.map(Path::to_path_buf);
    Box::new(move |name| {
        let names = all_names(dir.as_deref());
        let next = names.iter().position(|known| known == name).map_or(0, |at| at + 1);
        let next = names[next % names.len()].clone();
        let theme = flawless(&next, dir.as_deref());
        (next, theme)
    })
}

/// The theme of this name or path, if nothing is wrong with it.
fn flawless(name: &str, dir: Option<&Path>) -> Result<Theme, Error> {
    let (theme, problems) = read(name, dir, Theme::default())?;
    if problems.is_empty() {
        return Ok(theme);
    }
    let all = |lang| problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>().join("\n");
    Err(Error::new(ExitCode::Usage, "bad-theme", say("{0}", "{1}"), &[&all(Lang::En), &all(Lang::ZhCn)]))
}

/// The theme of this name or path, with its problems; what is wrong looks as in `base`.
fn read(name: &str, dir: Option<&Path>, base: Theme) -> Result<(Theme, Vec<ConfigProblem>), Error> {
    if let Some(theme) = Theme::built_in(name) {
        return Ok((theme, Vec::new()));
    }
    let (path, text) = config::read_theme(name, dir)?.ok_or_else(|| missing(name))?;
    Ok(Theme::read(&path.shown(), &text, base))
}

/// The name or path of the theme that is wanted; none if no colours are.
fn choose<'n>(
    global: &'n Global,
    config: &'n Config,
    environment: &Environment,
) -> (Option<&'n str>, ChosenBy) {
    let plain = !global.color.paints(true, environment.no_color);
    let set = global.theme.as_deref().map(|name| (name, ChosenBy::Flag));
    let set = set.or(config.theme.as_deref().map(|name| (name, ChosenBy::Settings)));
    match set {
        _ if plain => (None, ChosenBy::NoColour),
        Some((name, by)) if name != "auto" => (Some(name), by),
        _ => (Some(suited(environment)), ChosenBy::Terminal),
    }
}

/// The theme for a terminal whose ground is known without asking; else the one that needs nothing but the terminal's own colours.
fn suited(environment: &Environment) -> &'static str {
    let background =
        environment.colors.as_deref().and_then(|colors| colors.rsplit(';').next()?.parse::<u8>().ok());
    match background {
        Some(7 | 9..=15) => Ground::Light.theme(),
        Some(0..=6 | 8) => Ground::Dark.theme(),
        _ => "ansi",
    }
}

/// Runs `themes`.
///
/// # Errors
/// There is no such theme.
pub(super) fn themes(session: &mut Session<'_>, arguments: &ThemesArgs) -> Result<ExitCode, Error> {
    let listing = listing(session);
    let Some(name) = arguments.name.as_deref() else { return themes::run(session, &listing) };
    let named = |theme: &themes::Theme| theme.name == name && !theme.hidden;
    if let Some(theme) = listing.themes.iter().find(|theme| named(theme)) {
        return themes::print(session, theme);
    }
    let Some((path, text)) = config::read_theme(name, None)? else { return Err(missing(name)) };
    themes::print(session, &listed(name, Some(path), text, session.lang))
}

/// All themes. That the wanted one cannot be had is said, and no reason not to name the others.
fn listing(session: &Session<'_>) -> Listing {
    let (environment, lang) = (&session.environment, session.lang);
    let dir = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let built_in = |name| Some(listed(name, None, Theme::source(name)?.to_owned(), lang));
    let mut themes: Vec<themes::Theme> = Theme::names().filter_map(built_in).collect();
    themes.extend(config::own_themes(dir.as_deref()).into_iter().map(|(name, path)| own(&name, path, lang)));
    let read = config::read(session.global.config.as_deref(), dir.as_deref());
    let loaded = read.and_then(|(config, problems)| {
        let (_, more) = load(&session.global, &config, environment, dir.as_deref())?;
        Ok((config, [problems, more].concat()))
    });
    let (config, problems) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            return Listing { in_use: None, chosen_by: None, troubles: vec![error.text(lang)], themes };
        }
    };
    let (wanted, mut chosen_by) = choose(&session.global, &config, environment);
    let in_use = wanted.and_then(|name| {
        let found = place(name, dir.as_deref(), &mut themes, lang);
        let in_its_stead = |_| {
            chosen_by = ChosenBy::Terminal;
            place(suited(environment), None, &mut themes, lang)
        };
        found.or_else(in_its_stead).ok()
    });
    let in_use = in_use.map(|i| {
        themes[i].in_use = true;
        themes[i].name.clone()
    });
    let troubles = problems.iter().map(|problem| problem.text(lang)).collect();
    Listing { in_use, chosen_by: Some(chosen_by), troubles, themes }
}

/// Where the theme that goes by a name stands in the list; one that was named by its path is put there.
fn place(
    name: &str,
    dir: Option<&Path>,
    themes: &mut Vec<themes::Theme>,
    lang: Lang,
) -> Result<usize, Error> {
    let built_in = themes.iter().position(|theme| theme.name == name && theme.path.is_none());
    if let Some(i) = built_in {
        return Ok(i);
    }
    let (path, text) = config::read_theme(name, dir)?.ok_or_else(|| missing(name))?;
    let known = themes.iter().position(|theme| theme.path.as_ref() == Some(&path));
    Ok(known.unwrap_or_else(|| {
        themes.push(listed(name, Some(path), text, lang));
        themes.len() - 1
    }))
}

/// A theme of the author's settings directory.
fn own(name: &str, path: PathBuf, lang: Lang) -> themes::Theme {
    let read = config::read_theme(&path.shown(), None);
    let hidden = Theme::names().any(|built_in| built_in == name);
    let theme = listed(name, Some(path), String::new(), lang);
    let unreadable = match read {
        Ok(Some((_, text))) => return themes::Theme { hidden, ..listed(name, theme.path, text, lang) },
        Ok(None) => say("It cannot be read.", "无法读取。").text(lang).to_owned(),
        Err(error) => error.text(lang),
    };
    let problem = ThemeProblem { line: None, column: None, key: String::new(), message: unreadable };
    themes::Theme { hidden, legal: false, problems: vec![problem], ..theme }
}

/// A theme as the command shows it; without a path it is built in.
fn listed(name: &str, path: Option<PathBuf>, text: String, lang: Lang) -> themes::Theme {
    let (theme, problems) = Theme::read(name, &text, Theme::default());
    let legal = problems.is_empty();
    let problem = |problem: ConfigProblem| ThemeProblem {
        line: problem.place.as_ref().map(|place| place.line),
        column: problem.place.as_ref().map(|place| place.column),
        message: problem.what.text(lang),
        key: problem.key,
    };
    themes::Theme {
        name: name.to_owned(),
        origin: if path.is_some() { "file" } else { "built-in" },
        path,
        in_use: false,
        hidden: false,
        legal,
        problems: problems.into_iter().map(problem).collect(),
        sample: if legal { theme.sample() } else { String::new() },
        text,
    }
}

/// The built-in themes, then the author's own that none of them hides.
fn all_names(dir: Option<&Path>) -> Vec<String> {
    let own = config::own_themes(dir).into_iter().map(|(name, _)| name);
    let own = own.filter(|name| !Theme::names().any(|built_in| built_in == name));
    Theme::names().map(str::to_owned).chain(own).collect()
}

fn missing(name: &str) -> Error {
    let names: Vec<&str> = Theme::names().collect();
    let sentence = say("There is no theme {0}; the built-in ones are {1}.", "没有主题 {0}；内置主题有 {1}。");
    Error::new(ExitCode::Usage, "no-theme", sentence, &[name, &names.join(", ")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_goes_through_the_built_in_themes_and_the_authors_own() {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(dir.path().join("themes")).expect("a directory");
        for (name, text) in
            [("bad", "text = 7"), ("dark", "hidden"), ("mine", Theme::source("mono").expect("built in"))]
        {
            std::fs::write(dir.path().join(format!("themes/{name}.toml")), text).expect("written");
        }
        let (config, environment) = (Config::default(), Environment::default());
        let next = cycle(Some(dir.path()));
        let after = |name: &str| {
            let (name, theme) = next(name);
            format!("{name} {}", theme.is_ok())
        };
        assert_eq!(
            ["catppuccin", "bad", "mine", "dark", "gone"].map(after),
            ["bad false", "mine true", "dark true", "light true", "dark true"]
        );
        let plain = Environment { no_color: true, ..Environment::default() };
        let loaded = |environment| load(&Global::default(), &config, environment, None).expect("a theme");
        assert!(loaded(&plain).0.next.is_none() && loaded(&environment).0.next.is_some());
    }
}
