use ratatui::style::{Color, Modifier, Style};

use super::{ROLES, Role, Theme};
use crate::text::lang::Lang;

fn styles(theme: &Theme) -> impl Iterator<Item = (&'static str, Style)> {
    ROLES.into_iter().zip(theme.0)
}

fn built_in(name: &str) -> Theme {
    Theme::parse(name, Theme::source(name).expect("a built-in name")).unwrap_or_else(|problems| {
        panic!("{name}: {:?}", problems.iter().map(|p| p.text(Lang::En)).collect::<Vec<_>>())
    })
}

/// The text of a theme in which every role is plain, with `lines` put in place of the roles they set.
fn with(lines: &[&str]) -> String {
    let set = |role: &str| {
        lines.iter().any(|line| line.split(['=', '.']).next().is_some_and(|key| key.trim() == role))
    };
    let mut text = lines.join("\n") + "\n";
    for role in ROLES.iter().filter(|role| !set(role)) {
        text.extend([role, " = {}\n"]);
    }
    text
}

fn sentences(text: &str, lang: Lang) -> Vec<String> {
    Theme::parse("my.toml", text).expect_err("a problem").iter().map(|problem| problem.text(lang)).collect()
}

#[test]
fn every_built_in_theme_parses_and_tells_the_rows_apart() {
    assert_eq!(Theme::names().collect::<Vec<_>>(), ["dark", "light", "high-contrast", "mono", "ansi"]);
    for name in Theme::names() {
        let theme = built_in(name);
        assert_eq!(Theme::built_in(name), Some(theme.clone()));
        assert_ne!(theme[Role::Selection], theme[Role::Text], "{name}: selection");
        assert_ne!(theme[Role::Key], theme[Role::Text], "{name}: key");
        assert_ne!(theme[Role::Title], theme[Role::Text], "{name}: title");
        assert_ne!(theme[Role::Field], theme[Role::Text], "{name}: field");
        assert_ne!(theme[Role::Dim], theme[Role::Text], "{name}: dim");
        assert_ne!(theme[Role::Waiting], theme[Role::Past], "{name}: waiting and past");
        assert_ne!(theme[Role::Waiting], theme[Role::Blocked], "{name}: waiting and blocked");
        assert_ne!(theme[Role::Good], theme[Role::Bad], "{name}: good and bad");
    }
}

#[test]
fn coloured_themes_give_every_state_its_own_style() {
    for name in ["dark", "light", "high-contrast", "ansi"] {
        let theme = built_in(name);
        let states = [
            theme[Role::Waiting],
            theme[Role::Blocked],
            theme[Role::Malformed],
            theme[Role::Answered],
            theme[Role::Past],
        ];
        for (at, one) in states.iter().enumerate() {
            assert!(!states[at + 1..].contains(one), "{name}: state {at} looks like a later one");
        }
    }
}

#[test]
fn mono_is_the_theme_without_colours() {
    assert_eq!(built_in("mono"), Theme::plain());
    for (role, style) in styles(&Theme::plain()) {
        assert_eq!((style.fg, style.bg), (None, None), "{role}");
    }
}

#[test]
fn ansi_keeps_to_the_palette_of_the_terminal() {
    for (role, style) in styles(&built_in("ansi")) {
        for colour in [style.fg, style.bg].into_iter().flatten() {
            assert!(!matches!(colour, Color::Indexed(_) | Color::Rgb(..)), "{role} uses {colour:?}");
        }
    }
}

#[test]
fn the_body_of_dark_light_and_ansi_stands_in_the_colours_of_the_terminal() {
    for name in ["dark", "light", "mono", "ansi"] {
        assert_eq!(built_in(name)[Role::Text], Style::new(), "{name}");
    }
}

/// Red, green and blue of a colour whose value does not depend on the terminal's palette.
fn fixed(colour: Color) -> [u8; 3] {
    match colour {
        Color::Rgb(red, green, blue) => [red, green, blue],
        Color::Indexed(n @ 16..=231) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            [level((n - 16) / 36), level((n - 16) / 6 % 6), level((n - 16) % 6)]
        }
        Color::Indexed(n @ 232..) => [8 + 10 * (n - 232); 3],
        other => panic!("{other:?} looks different on every terminal"),
    }
}

/// The contrast ratio of WCAG 2, from 1 to 21.
fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let luminance = |rgb: [u8; 3]| {
        let linear = rgb.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn everything_that_is_read_has_contrast() {
    assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9, "the measure itself");
    // Grounds that terminals ship with: the darkest and a lighter dark one; white and a paper one.
    for (name, grounds, least) in [
        ("dark", vec![[0; 3], [0x28, 0x2c, 0x34]], 4.5),
        ("light", vec![[255; 3], [0xf5, 0xf2, 0xe8]], 4.5),
        ("high-contrast", vec![], 7.0),
    ] {
        for (role, style) in styles(&built_in(name)) {
            let Some(fg) = style.fg else {
                assert_eq!(style.bg, None, "{name}: {role} sets a ground for a colour it does not know");
                continue;
            };
            // A rule is drawn, not read.
            let least = if role == "rule" && name != "high-contrast" { 1.0 } else { least };
            let grounds = style.bg.map_or_else(|| grounds.clone(), |bg| vec![fixed(bg)]);
            assert!(!grounds.is_empty(), "{name}: {role} leaves its ground to the terminal");
            for ground in grounds {
                let ratio = contrast(fixed(fg), ground);
                assert!(ratio >= least, "{name}: {role} has only {ratio:.2} : 1 on {ground:?}");
            }
        }
    }
}

#[test]
fn every_way_to_write_a_style_is_read() {
    let theme = Theme::parse(
        "my.toml",
        &with(&[
            "text = { fg = \"#0fA0ff\", bg = 0 }",
            "dim = { fg = \"white\", bg = \"bright-black\", dim = true, italic = true }",
            "key = { fg = 0xff, bold = true, underline = true, reverse = false }",
            "selection.reverse = true",
        ]),
    )
    .expect("a good theme");
    assert_eq!(theme[Role::Text], Style::new().fg(Color::Rgb(0x0f, 0xa0, 0xff)).bg(Color::Indexed(0)));
    let slanted = Modifier::DIM | Modifier::ITALIC;
    assert_eq!(theme[Role::Dim], Style::new().fg(Color::Gray).bg(Color::DarkGray).add_modifier(slanted));
    let heavy = Modifier::BOLD | Modifier::UNDERLINED;
    assert_eq!(theme[Role::Key], Style::new().fg(Color::Indexed(255)).add_modifier(heavy));
    assert_eq!(theme[Role::Selection], Style::new().add_modifier(Modifier::REVERSED));
    assert_eq!(theme[Role::Warn], Style::new());
}

#[test]
fn a_bad_colour_is_named_with_file_line_key_and_what_was_expected() {
    let text = with(&["# mine", "waiting = { fg = \"teal\" }"]);
    let english = sentences(&text, Lang::En);
    assert_eq!(english.len(), 1);
    assert!(english[0].starts_with(
        "my.toml, line 2, column 18: `waiting.fg` is \"teal\", which is no colour; expected one of"
    ));
    assert!(english[0].contains("bright-cyan") && english[0].ends_with("or \"#rrggbb\""), "{}", english[0]);
    let chinese = sentences(&text, Lang::ZhCn);
    assert!(
        chinese[0].starts_with("my.toml 第 2 行第 18 列：`waiting.fg` 的值是 \"teal\"，这不是颜色"),
        "{}",
        chinese[0]
    );
}

#[test]
fn numbers_and_hex_outside_the_range_are_no_colours() {
    for bad in
        ["256", "-1", "1.5", "true", "\"#12345\"", "\"#+12345\"", "\"#12345g\"", "\"\"", "\"Red\"", "\"１\""]
    {
        let found = sentences(&with(&[&format!("key = {{ bg = {bad} }}")]), Lang::En);
        assert_eq!(found.len(), 1, "{bad}");
        assert!(found[0].contains(&format!("`key.bg` is {bad}, which is no colour")), "{}", found[0]);
    }
}

#[test]
fn all_problems_come_at_once_in_the_order_of_the_file() {
    let text = with(&[
        "text = { colour = 3 }",
        "dim = 7",
        "selektion = {}",
        "key = { bold = \"yes\" }",
        "rule = { fg = 999, bg = \"pink\" }",
    ])
    .replace("warn = {}\n", "");
    let found = Theme::parse("my.toml", &text).expect_err("problems");
    let places: Vec<(usize, &str)> = found
        .iter()
        .map(|problem| (problem.place.as_ref().map_or(0, |place| place.line), problem.key.as_str()))
        .collect();
    let last = text.lines().count() + 1;
    assert_eq!(
        places,
        [
            (1, "text.colour"),
            (2, "dim"),
            (3, "selektion"),
            (4, "key.bold"),
            (5, "rule.fg"),
            (5, "rule.bg"),
            (last, "warn")
        ]
    );
    assert!(
        found[1].text(Lang::En).contains("`dim` is 7, but a table is expected"),
        "{}",
        found[1].text(Lang::En)
    );
    assert!(found[3].text(Lang::En).contains("`key.bold` is \"yes\", but true or false is expected"));
    assert!(
        found[6].text(Lang::En).contains("write `warn = {}` to leave it plain"),
        "{}",
        found[6].text(Lang::En)
    );
}

#[test]
fn text_that_is_not_toml_is_said_with_its_line_and_nothing_is_called_missing() {
    let found = Theme::parse("my.toml", "text = {}\ndim = {\n").expect_err("not TOML");
    assert!(found.iter().all(|problem| problem.key.is_empty()), "{found:?}");
    assert!(
        found[0].text(Lang::En).starts_with("my.toml, line 2, column 8: this is not TOML ("),
        "{}",
        found[0].text(Lang::En)
    );
}

#[test]
fn what_is_wrong_looks_as_in_the_theme_that_stands_in() {
    let base = Theme::built_in("ansi").expect("a theme");
    let text = "text = { fg = \"red\" }\ndim = { fg = \"pink\", bold = true }\n";
    let (theme, problems) = Theme::read("my.toml", text, base.clone());
    assert_eq!(theme[Role::Text], Style::new().fg(Color::Red));
    assert_eq!((theme[Role::Dim], theme[Role::Warn]), (base[Role::Dim], base[Role::Warn]));
    assert_eq!(problems[0].place.as_ref().map(|place| (place.line, place.column)), Some((2, 14)));
    let (theme, problems) = Theme::read("my.toml", "\u{0}{{{", base.clone());
    assert_eq!((theme, problems.is_empty()), (base, false));
}
