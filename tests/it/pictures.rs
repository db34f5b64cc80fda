//! Pictures for the pages: what the console draws, as SVG in a light and in a dark look.
//!
//! `UPDATE_SCREENS=1 cargo test --test it picture` writes them anew; look at them before you commit.

use crate::screens::compare;
use novel_gate::console::model::Size;
use novel_gate::console::stack::Stack;
use novel_gate::console::theme::Theme;
use novel_gate::text::Lang;
use novel_gate::text::width::cells;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// A cell of the terminal, and the edge of the window around all of them.
const CELL: (usize, usize) = (8, 19);
const EDGE: usize = 14;
/// The strip below the screen, for the keys that lead to it.
const STRIP: usize = 26;
/// How long a film shows each screen.
const SECONDS: usize = 3;

const FONTS: &str = "text{font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}\n\
    .w{font:15px 'PingFang SC','Microsoft YaHei','Noto Sans CJK SC','WenQuanYi Micro Hei',sans-serif}\n\
    g rect{shape-rendering:crispEdges}\n";

/// A built-in theme and the terminal's own colours beneath it.
struct Look {
    theme: &'static str,
    ground: &'static str,
    text: &'static str,
    edge: &'static str,
}

const LOOKS: [Look; 2] = [
    Look { theme: "light", ground: "#ffffff", text: "#1f2328", edge: "#d0d7de" },
    Look { theme: "dark", ground: "#161b22", text: "#e6edf3", edge: "#3d444d" },
];

/// A screen, and the keys that led to it.
pub(crate) type Scene = (String, Stack);

/// Compares `docs/pictures/NAME-THEME` with these screens: one is a picture, several are a film.
pub(crate) fn compare_picture(name: &str, lang: Lang, scenes: &[Scene]) {
    let suffix = if lang == Lang::En { "" } else { ".zh-CN" };
    for look in &LOOKS {
        let file = format!("docs/pictures/{name}-{}{suffix}.svg", look.theme);
        let is_agreed = compare(&file, &svg(look, scenes));
        assert!(is_agreed, "{file} is not as agreed; see target/screens, or UPDATE_SCREENS=1");
    }
}

fn svg(look: &Look, scenes: &[Scene]) -> String {
    let theme = Theme::built_in(look.theme).expect("a theme");
    let Size { width, height } = scenes[0].1.model.size;
    let strip = if scenes.len() > 1 { STRIP } else { 0 };
    let (across, down) =
        (usize::from(width) * CELL.0 + 2 * EDGE, usize::from(height) * CELL.1 + 2 * EDGE + strip);
    let mut styles = Vec::new();
    let mut drawn = String::new();
    for (keys, stack) in scenes {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let cursor = stack.paint(&theme, &mut buffer).cursor;
        drawn += "<g class=\"f\">\n";
        for (y, row) in buffer.content().chunks(usize::from(width)).enumerate() {
            for run in runs(row) {
                drawn += &run.draw(EDGE + y * CELL.1, &mut styles);
            }
        }
        if let Some((x, y)) = cursor {
            let (x, y) = (EDGE + usize::from(x) * CELL.0, EDGE + usize::from(y) * CELL.1);
            drawn += &format!("{}fill=\"{}\"/>\n", area(x, y, 2, CELL.1), look.text);
        }
        if strip > 0 {
            let (x, y) = (across / 2, down - EDGE);
            drawn += &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{keys}</text>\n");
        }
        drawn += "</g>\n";
    }
    let rules: String = styles.iter().enumerate().map(|(at, style)| rule(at, *style)).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{across}\" height=\"{down}\" viewBox=\"0 0 {across} {down}\">\n\
        <style>{FONTS}text{{fill:{}}}\n{rules}{}</style>\n\
        <rect x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{}\" stroke=\"{}\"/>\n{drawn}</svg>\n",
        look.text,
        if strip > 0 { turns(scenes.len()) } else { String::new() },
        across - 1,
        down - 1,
        look.ground,
        look.edge,
    )
}

/// Shows one scene after the other, and the first alone to those who want no motion.
fn turns(scenes: usize) -> String {
    let (all, share) = (scenes * SECONDS, 100_000 / scenes);
    let delays = (2..=scenes).map(|at| {
        format!(".f:nth-of-type({at}){{visibility:hidden;animation-delay:{}s}}\n", (at - 1) * SECONDS)
    });
    format!(
        ".f{{animation:f {all}s step-end infinite}}\n{}\
        @keyframes f{{0%{{visibility:visible}}{}.{:03}%,100%{{visibility:hidden}}}}\n\
        @media(prefers-reduced-motion:reduce){{.f{{animation:none}}}}\n",
        delays.collect::<String>(),
        share / 1000,
        share % 1000,
    )
}

/// The beginning of a rectangle.
fn area(x: usize, y: usize, width: usize, height: usize) -> String {
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" ")
}

/// The CSS of a style.
fn rule(at: usize, style: Style) -> String {
    let mut rule = String::new();
    if let Some(colour) = style.fg.and_then(hex) {
        rule += &format!("fill:{colour};");
    }
    for (modifier, css) in
        [(Modifier::BOLD, "font-weight:bold;"), (Modifier::UNDERLINED, "text-decoration:underline;")]
    {
        rule += if style.add_modifier.contains(modifier) { css } else { "" };
    }
    format!(".s{at}{{{rule}}}\n")
}

/// A colour of the cube or the greys among the 256; the terminal's own are none.
fn hex(colour: Color) -> Option<String> {
    let Color::Indexed(index) = colour else { return None };
    let [red, green, blue] = match index {
        0..16 => panic!("a built-in theme takes a colour from the terminal: {index}"),
        232.. => [8 + 10 * (index - 232); 3],
        _ => [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6]
            .map(|step| if step == 0 { 0 } else { 55 + 40 * step }),
    };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// What fonts draw alike: each run is set to the width of its cells, so that columns stand below each other in any font.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ascii,
    Wide,
    Sign,
    Line,
}

/// Neighbouring cells of one style and kind.
struct Run {
    x: usize,
    cells: usize,
    style: Style,
    kind: Kind,
    text: String,
}

fn runs(row: &[Cell]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut x = 0;
    while let Some(cell) = row.get(x) {
        let (symbol, style, width) = (cell.symbol(), cell.style(), cells(cell.symbol()).max(1));
        let kind = match symbol {
            "─" | "│" => Kind::Line,
            _ if symbol.is_ascii() => Kind::Ascii,
            _ if width == 2 => Kind::Wide,
            _ => Kind::Sign,
        };
        match runs.last_mut().filter(|run| (run.kind, run.style) == (kind, style)) {
            Some(run) => {
                run.cells += width;
                run.text += symbol;
            }
            None => runs.push(Run { x, cells: width, style, kind, text: symbol.to_owned() }),
        }
        x += width;
    }
    runs
}

impl Run {
    /// The run below `y`, its style among `styles`.
    fn draw(&self, y: usize, styles: &mut Vec<Style>) -> String {
        let (left, width) = (EDGE + self.x * CELL.0, self.cells * CELL.0);
        let mut out = match self.style.bg.and_then(hex) {
            Some(colour) => format!("{}fill=\"{colour}\"/>\n", area(left, y, width, CELL.1)),
            None => String::new(),
        };
        let text = self.text.trim();
        if text.is_empty() {
            return out;
        }
        let at = styles.iter().position(|style| *style == self.style).unwrap_or_else(|| {
            styles.push(self.style);
            styles.len() - 1
        });
        let before = self.text.len() - self.text.trim_start().len();
        let (x, width) = (left + before * CELL.0, cells(text) * CELL.0);
        // Browsers make one of several usual spaces.
        let text =
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(' ', "\u{a0}");
        let (class, fit) = match self.kind {
            Kind::Ascii => ("", ""),
            Kind::Wide => ("w ", ""),
            Kind::Sign => ("", " lengthAdjust=\"spacingAndGlyphs\""),
            Kind::Line => {
                let line = if text.starts_with('─') {
                    area(x, y + 9, width, 1)
                } else {
                    area(x + 4, y, 1, CELL.1)
                };
                return out + &format!("{line}class=\"s{at}\"/>\n");
            }
        };
        out += &format!(
            "<text class=\"{class}s{at}\" x=\"{x}\" y=\"{}\" textLength=\"{width}\"{fit}>{text}</text>\n",
            y + 14
        );
        out
    }
}
