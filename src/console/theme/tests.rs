use ratatui::style::{Color, Modifier, Style};

use super::{ROLES, Role, Theme, painted};
use crate::store::config::ConfigProblem;
use crate::text::lang::Lang;

fn styles(theme: &Theme) -> impl Iterator<Item = (&'static str, Style)> {
    ROLES.iter().copied().zip(theme.0)
}

fn parse(file: &str, text: &str) -> Result<Theme, Vec<ConfigProblem>> {
    let (theme, problems) = Theme::read(file, text, Theme::default());
    if problems.is_empty() { Ok(theme) } else { Err(problems) }
}

fn built_in(name: &str) -> Theme {
    parse(name, Theme::source(name).expect("a built-in name")).unwrap_or_else(|problems| {
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
    parse("my.toml", text).expect_err("a problem").iter().map(|problem| problem.text(lang)).collect()
}

#[test]
fn every_built_in_theme_parses_and_tells_the_rows_apart() {
    assert_eq!(
        Theme::names().collect::<Vec<_>>(),
        ["dark", "light", "high-contrast", "mono", "ansi", "gruvbox", "catppuccin"]
    );
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
    for name in Theme::names().filter(|name| *name != "mono") {
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
    assert_ne!(Theme::plain(), Theme::default());
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

/// Red, green and blue of a colour; the first sixteen as xterm has them.
fn rgb(colour: Color) -> [u8; 3] {
    match colour {
        Color::Rgb(red, green, blue) => [red, green, blue],
        Color::Indexed(n @ 16..=231) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            [level((n - 16) / 36), level((n - 16) / 6 % 6), level((n - 16) % 6)]
        }
        Color::Indexed(n @ 232..) => [8 + 10 * (n - 232); 3],
        Color::Black => [0; 3],
        Color::Red => [205, 0, 0],
        Color::Green => [0, 205, 0],
        Color::Yellow => [205, 205, 0],
        Color::Blue => [0, 0, 238],
        Color::Magenta => [205, 0, 205],
        Color::Cyan => [0, 205, 205],
        Color::Gray => [229; 3],
        Color::DarkGray => [127; 3],
        Color::LightRed => [255, 0, 0],
        Color::LightGreen => [0, 255, 0],
        Color::LightYellow => [255, 255, 0],
        Color::LightBlue => [92, 92, 255],
        Color::LightMagenta => [255, 0, 255],
        Color::LightCyan => [0, 255, 255],
        Color::White => [255; 3],
        Color::Reset | Color::Indexed(_) => panic!("{colour:?} looks different on every terminal"),
    }
}

/// Fore- and background of a style on a terminal with these colours of its own; dim is two thirds of the way from the
/// ground, as VTE and Alacritty draw it.
fn drawn(style: Style, [front, ground]: [[u8; 3]; 2]) -> [[u8; 3]; 2] {
    let (mut front, mut ground) = (style.fg.map_or(front, rgb), style.bg.map_or(ground, rgb));
    if style.add_modifier.contains(Modifier::DIM) {
        let towards = |at: usize| (u16::from(front[at]) * 2 + u16::from(ground[at])) / 3;
        front = [0, 1, 2].map(|at| u8::try_from(towards(at)).expect("between two of them"));
    }
    if style.add_modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut front, &mut ground);
    }
    [front, ground]
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
    // The colours that terminals ship with: the darkest and a lighter dark ground; white and a paper one.
    let dark = vec![[[229; 3], [0; 3]], [[0xab, 0xb2, 0xbf], [0x28, 0x2c, 0x34]]];
    let light = vec![[[0; 3], [255; 3]], [[0x38, 0x3a, 0x42], [0xf5, 0xf2, 0xe8]]];
    let any = [dark.clone(), light.clone()].concat();
    for name in Theme::names() {
        let (terminals, least) = match name {
            "dark" => (dark.clone(), 4.5),
            "light" => (light.clone(), 4.5),
            // Colours that are dimmed or the terminal's own are as good as the terminal's: here, xterm's.
            "ansi" => (vec![dark[0]], 4.5),
            "mono" => (vec![dark[0], light[0]], 4.5),
            "high-contrast" => (any.clone(), 7.0),
            _ => (any.clone(), 4.5),
        };
        let theme = built_in(name);
        for (role, style) in styles(&theme) {
            // Rules are drawn, not read.
            let least = if role == "rule" && name != "high-contrast" { 3.0 } else { least };
            for &terminal in &terminals {
                let [front, ground] = drawn(theme[Role::Text].patch(style), terminal);
                let ratio = contrast(front, ground);
                assert!(ratio >= least, "{name}: {role} has only {ratio:.2} : 1 on {ground:?}");
            }
        }
    }
}

#[test]
fn every_way_to_write_a_style_is_read() {
    let theme = parse(
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
    let found = parse("my.toml", &text).expect_err("problems");
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
    let found = parse("my.toml", "text = {}\ndim = {\n").expect_err("not TOML");
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

#[test]
fn styles_become_the_codes_of_ecma_48() {
    let loud = Style::new().fg(Color::Indexed(117)).bg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::BOLD);
    assert_eq!(painted("x", loud), "\x1b[1;38;5;117;48;2;1;2;3mx\x1b[0m");
    let named = Style::new().fg(Color::LightYellow).bg(Color::Gray);
    assert_eq!(painted("x", named), "\x1b[93;47mx\x1b[0m");
    assert_eq!(painted("x", Style::new().fg(Color::Reset)), "x");
}

#[test]
fn a_sample_has_its_words_and_without_colours_no_colour() {
    let plain = Theme::plain().sample();
    assert!(plain.contains("selection") && !plain.contains("38;") && !plain.contains("[3"), "{plain:?}");
    for name in Theme::names() {
        let theme = Theme::built_in(name).expect("a built-in theme");
        assert!(theme.sample().contains("waiting"), "{name}");
    }
}
