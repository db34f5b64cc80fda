//! Whether the ground of the terminal is dark or light, as it tells itself.

use std::env;

/// Asks for the colour of the ground. The answer is an OSC too, with the colour in the place of the question mark.
const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";
/// The same to the terminal around tmux, which answers by itself from 3.4 on, and hands this over with `allow-passthrough on`.
const AROUND_TMUX: &[u8] = b"\x1bPtmux;\x1b\x1b]11;?\x1b\x1b\\\x1b\\";
/// Has the terminal report when its colours change from dark to light or back, until it is switched off.
pub(super) const FOLLOW: &[u8] = b"\x1b[?2031h";

/// The luminance of the grey in the middle between black and white.
const MIDDLE: f64 = 0.214;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Dark,
    Light,
}

/// What asks the terminal for the colour of its ground.
pub(super) fn question() -> Vec<u8> {
    let in_tmux = env::var_os("TMUX").is_some_and(|value| !value.is_empty());
    [QUESTION, if in_tmux { AROUND_TMUX } else { b"" }].concat()
}

impl Ground {
    /// What the words of an answer to [`question`] say: `11;rgb:1e1e/1e1e/1e1e` and the like.
    pub(super) fn answered(words: &[u8]) -> Option<Ground> {
        let colour = std::str::from_utf8(words).ok()?.strip_prefix("11;")?;
        let [red, green, blue] = rgb(colour)?;
        let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
        Some(if luminance < MIDDLE { Ground::Dark } else { Ground::Light })
    }

    /// What the parameters of a report say that comes after [`FOLLOW`].
    pub(super) fn reported(parameters: &str) -> Option<Ground> {
        match parameters {
            "?997;1" => Some(Ground::Dark),
            "?997;2" => Some(Ground::Light),
            _ => None,
        }
    }

    /// The built-in theme for it.
    pub fn theme(self) -> &'static str {
        match self {
            Ground::Dark => "dark",
            Ground::Light => "light",
        }
    }
}

/// Red, green and blue, each from 0 to 1, of a colour as X11 writes it: `rgb:1e/1e/1e` with one to four digits for each,
/// `rgba:` with a fourth part, `#1e1e1e` with one to four digits for each.
fn rgb(colour: &str) -> Option<[f64; 3]> {
    let [red, green, blue] = if let Some(digits) = colour.strip_prefix('#') {
        if !digits.len().is_multiple_of(3) {
            return None;
        }
        let length = digits.len() / 3;
        [digits.get(..length)?, digits.get(length..2 * length)?, digits.get(2 * length..)?]
    } else {
        let (kind, parts) = colour.split_once(':')?;
        let parts: Vec<&str> = parts.split('/').collect();
        match (kind, &*parts) {
            ("rgb", [red, green, blue]) | ("rgba", [red, green, blue, _]) => [*red, *green, *blue],
            _ => return None,
        }
    };
    Some([share(red)?, share(green)?, share(blue)?])
}

/// How much a number of one to four hexadecimal digits is of the most that so many digits can say.
fn share(digits: &str) -> Option<f64> {
    let most = [0xF_u16, 0xFF, 0xFFF, 0xFFFF].get(digits.len().checked_sub(1)?)?;
    // A sign would be taken for a part of the number.
    let number = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(digits)?;
    Some(f64::from(u16::from_str_radix(number, 16).ok()?) / f64::from(*most))
}

/// The light of a part of a colour as sRGB has it.
fn linear(part: f64) -> f64 {
    if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(colour: &str) -> Option<Ground> {
        Ground::answered(format!("11;{colour}").as_bytes())
    }

    #[test]
    fn a_colour_is_read_however_it_is_written() {
        let (dark, light) = (Some(Ground::Dark), Some(Ground::Light));
        for (colour, ground) in [
            ("rgb:0000/0000/0000", dark),
            ("rgb:1e1e/1e1e/1e1e", dark),
            ("rgb:ffff/ffff/ffff", light),
            ("rgb:FFFF/FFFF/DDDD", light),
            ("rgb:1e/1e/2e", dark),
            ("rgb:fd/f6/e3", light),
            ("rgb:f/f/f", light),
            ("rgb:0/0/0", dark),
            ("rgb:fff/ff/f", light),
            ("rgb:111/22/3", dark),
            ("rgba:0000/0000/0000/ffff", dark),
            ("rgba:ffff/ffff/ffff/0000", light),
            ("#1e1e2e", dark),
            ("#eff1f5", light),
            ("#fff", light),
            ("#111222333", dark),
            ("#ffffeeeedddd", light),
            // Neither white nor black: what is as bright as a middle grey is light.
            ("#777777", dark),
            ("#888888", light),
            ("#0000ff", dark),
            ("#00ff00", light),
            ("#300a24", dark),
        ] {
            assert_eq!(answered(colour), ground, "{colour}");
        }
    }

    #[test]
    fn what_is_no_colour_says_nothing() {
        for words in [
            "",
            "?",
            "#",
            "#1",
            "#1e1e1",
            "#1e1e1g",
            "#+1+1+1",
            "#起起起",
            "#11111111111111111",
            "white",
            "rgb:",
            "rgb:1e1e/1e1e",
            "rgb:1e1e/1e1e/",
            "rgb:1e1e/1e1e/1e1e/1e1e",
            "rgb:1e1e1/1e1e/1e1e",
            "rgb:-1/00/00",
            "rgba:1e1e/1e1e/1e1e",
            "hsl:0/0/0",
        ] {
            assert_eq!(answered(words), None, "{words:?}");
        }
        for words in [&b"10;rgb:ffff/ffff/ffff"[..], b"11", b"", b"11;\xff", b"4;11;rgb:0/0/0"] {
            assert_eq!(Ground::answered(words), None, "{words:?}");
        }
        assert_eq!(Ground::reported("?997;3").or(Ground::reported("997;1")), None);
    }
}
