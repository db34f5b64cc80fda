//! Files of editors that do not write UTF-8: which encoding they are in, where that is as good as certain, and what they say.

use chardetng::EncodingDetector;
use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// How much of a file tells its encoding, in bytes.
const LOOKED_AT: usize = 1 << 16;
/// So few bytes may as well be what is left of one character.
const FEW: usize = 4;
/// Fewer Chinese characters may be taken for Korean ones.
const SHORT: usize = 16;

/// What a file says that is not UTF-8, and the name of its encoding; nothing where that is not known. Half a character at the end is
/// U+FFFD.
pub fn decode(bytes: &[u8]) -> Option<(String, &'static str)> {
    if let Some(text) = utf32(bytes) {
        return Some((text, "UTF-32"));
    }
    let encoding = encoding_of(bytes)?;
    let bare = match Encoding::for_bom(bytes) {
        Some((of_mark, length)) if of_mark == encoding => &bytes[length..],
        _ => bytes,
    };
    let text = (0..FEW).find_map(|cut| {
        let (whole, rest) = bare.split_at(bare.len().checked_sub(cut)?);
        let text = encoding.decode_without_bom_handling_and_without_replacement(whole)?;
        let is_nothing = rest.iter().all(|byte| matches!(byte, 0 | b' ' | b'\r' | b'\n'));
        Some(text.into_owned() + if is_nothing { "" } else { "\u{fffd}" })
    });
    let name = if encoding == UTF_16LE || encoding == UTF_16BE { "UTF-16" } else { encoding.name() };
    Some((text?, name))
}

/// What four bytes for each character say, with a mark or without one; what is left of one is U+FFFD.
fn utf32(bytes: &[u8]) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<4>();
    [u32::from_le_bytes as fn([u8; 4]) -> u32, u32::from_be_bytes].into_iter().find_map(|of| {
        // As UTF-16 or in one byte each, hardly any text has such characters alone.
        let text =
            units.iter().map(|unit| char::from_u32(of(*unit)).filter(|c| ('\u{1}'..'\u{40000}').contains(c)));
        let mut text = text.collect::<Option<String>>().filter(|text| !text.is_empty())?;
        if rest.iter().any(|byte| !matches!(byte, 0 | b' ' | b'\r' | b'\n')) {
            text.push('\u{fffd}');
        }
        Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    })
}

/// What a file says, in its encoding if that is known, else as UTF-8 with U+FFFD for what is none.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    decode(bytes).map_or_else(|| String::from_utf8_lossy(bytes), |(text, _)| Cow::Owned(text))
}

fn encoding_of(bytes: &[u8]) -> Option<&'static Encoding> {
    match Encoding::for_bom(bytes) {
        Some((encoding, _)) if encoding == UTF_16LE || encoding == UTF_16BE => return Some(encoding),
        _ => {}
    }
    let wide = [UTF_16LE, UTF_16BE].map(|encoding| (fit_of_utf16(bytes, encoding), encoding));
    if let Some((_, encoding)) = wide.into_iter().filter(|(fit, _)| *fit > 0).max_by_key(|(fit, _)| *fit) {
        return Some(encoding);
    }
    if std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(&bytes[..bytes.len().min(LOOKED_AT)]) {
        return None;
    }
    let mut detector = EncodingDetector::new();
    // The last character may be cut in two.
    detector.feed(&bytes[..bytes.len().min(LOOKED_AT)], false);
    let found = detector.guess(None, false);
    let high = bytes.iter().take(LOOKED_AT).filter(|byte| !byte.is_ascii()).count();
    match found {
        _ if high <= SHORT && is_plain_chinese(bytes) => Some(GBK),
        found if high > FEW && [GBK, BIG5, SHIFT_JIS, EUC_KR].contains(&found) => Some(found),
        _ => None,
    }
}

/// How well bytes without a mark read as UTF-16: much of it is ASCII, or some is and the rest what is written beside Chinese; else 0.
fn fit_of_utf16(bytes: &[u8], encoding: &'static Encoding) -> usize {
    let of: fn([u8; 2]) -> u16 = if encoding == UTF_16LE { u16::from_le_bytes } else { u16::from_be_bytes };
    let (mut all, mut ascii, mut other) = (0, 0, 0);
    for pair in bytes.chunks_exact(2).take(LOOKED_AT) {
        all += 1;
        match of([pair[0], pair[1]]) {
            1..=0xff => ascii += 1,
            0x2010..=0x2027 | 0x3000..=0x30ff | 0x4e00..=0x9fff | 0xff01..=0xff5e => other += 1,
            _ => {}
        }
    }
    let is_chinese = ascii > 0 && (ascii + other) * 20 >= all * 19 && std::str::from_utf8(bytes).is_err();
    if ascii > all / 4 && all > 3 || is_chinese { ascii + other } else { 0 }
}

/// Whether a text is UTF-8 in which some bytes went wrong: of another encoding hardly any three bytes are a character of UTF-8.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|&c| c >= '\u{800}').count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good * 2 > bad
}

/// Whether all that is not ASCII is a common Chinese character or punctuation of GB 2312.
fn is_plain_chinese(bytes: &[u8]) -> bool {
    let mut rest = bytes.iter();
    while let Some(&lead) = rest.find(|byte| !byte.is_ascii()) {
        let is_common = matches!(lead, 0xa1..=0xa3 | 0xb0..=0xd7);
        if !is_common || rest.next().is_none_or(|&trail| trail < 0xa1) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_editors_write_is_known() {
        for (encoding, name, text) in [
            (GBK, "GBK", "她说走之后，用什么语气？冷峻，还是热烈。"),
            (GBK, "GBK", "短"),
            (GBK, "GBK", "冷峻热烈"),
            (BIG5, "Big5", "她說走之後，用什麼語氣？冷峻，還是熱烈。"),
            (SHIFT_JIS, "Shift_JIS", "これはどういう調子で書きますか。"),
            (EUC_KR, "EUC-KR", "안녕하세요 세계, 어떤 어조로 쓸까요?"),
        ] {
            let text = format!("{{\"a\": \"{text}\"}}");
            let (bytes, ..) = encoding.encode(&text);
            assert_eq!(decode(&bytes), Some((text, name)));
        }
        let text = "{\"a\": \"走\"}";
        let wide: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = wide.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = wide.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for of in [u32::to_le_bytes, u32::to_be_bytes] {
            for text in [text, "\u{feff}{\"a\": \"走\"}"] {
                let mut bytes: Vec<u8> = text.chars().flat_map(|c| of(c.into())).collect();
                assert_eq!(decode(&bytes), Some(("{\"a\": \"走\"}".to_owned(), "UTF-32")));
                bytes.push(b'x');
                assert_eq!(decode(&bytes), Some(("{\"a\": \"走\"}\u{fffd}".to_owned(), "UTF-32")));
            }
        }
        for bytes in [&[b"\xff\xfe", &little[..]].concat(), &[b"\xfe\xff", &big[..]].concat(), &little, &big]
        {
            assert_eq!(decode(bytes), Some((text.to_owned(), "UTF-16")));
        }
    }

    #[test]
    fn utf16_without_a_mark_may_be_nearly_all_chinese_and_end_in_half_a_character() {
        let text = "{\"a\": \"她说走之后，用什么语气？冷峻，还是“热烈”——一切都好。第一章写了三千字。\"}\n";
        for text in [text, "走\n", "雨停之前，她没有回头。一一一\r\n第二天他走了。\r\n", "　　雨。\n"]
        {
            for of in [u16::to_le_bytes, u16::to_be_bytes] {
                let bytes: Vec<u8> = text.encode_utf16().flat_map(of).collect();
                assert_eq!(decode(&bytes), Some((text.to_owned(), "UTF-16")), "{text}");
                assert_eq!(decode(&[&bytes, &b"\n"[..]].concat()), Some((text.to_owned(), "UTF-16")));
                let cut = decode(&[&bytes, &b"\x70"[..]].concat());
                assert_eq!(cut, Some((format!("{text}\u{fffd}"), "UTF-16")));
            }
        }
        let (gbk, ..) = GBK.encode("雨停之前，她没有回头，第二天他走了。这一章没有写完");
        let cut = decode(&gbk[..gbk.len() - 1]).expect("known");
        assert_eq!(cut, ("雨停之前，她没有回头，第二天他走了。这一章没有写\u{fffd}".to_owned(), "GBK"));
        for english in ["the rain\0 fell in the night and he went away\u{e9}", "{\"a\": 1}\0\0", "a\0"] {
            assert_eq!(decode(english.as_bytes()), None, "{english}");
        }
        let damaged =
            [b"the rain\0 fell in the night, and he went away ".as_slice(), b"\xe9 ", &[b'x'; 40]].concat();
        assert_eq!(decode(&damaged), None);
    }

    #[test]
    fn utf8_and_what_is_not_known_are_left_alone() {
        let mut damaged = "雨停之前，她走了。".as_bytes().to_vec();
        damaged.remove(4);
        assert_eq!(decode(&damaged), None);
        for bytes in [
            &b""[..],
            b"{}",
            "走".as_bytes(),
            b"\xef\xbb\xbf{}",
            b"{\"a\": \"caf\xe9\"}",
            b"\xff",
            b"\0\0\0\0\0\0",
        ] {
            assert_eq!(decode(bytes), None, "{bytes:?}");
        }
    }
}
