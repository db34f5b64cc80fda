//! Files of editors that do not write UTF-8: which encoding they are in, where that is as good as certain, and what they say.

use chardetng::EncodingDetector;
use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16BE, UTF_16LE};

/// How much of a file tells its encoding, in bytes.
const LOOKED_AT: usize = 1 << 16;
/// So few bytes may as well be what is left of one character.
const FEW: usize = 4;
/// Fewer Chinese characters may be taken for Korean ones.
const SHORT: usize = 16;

/// What a file says that is not UTF-8, and the name of its encoding; nothing where that is not known.
pub fn decode(bytes: &[u8]) -> Option<(String, &'static str)> {
    let encoding = encoding_of(bytes)?;
    let bare = match Encoding::for_bom(bytes) {
        Some((of_mark, length)) if of_mark == encoding => &bytes[length..],
        _ => bytes,
    };
    let text = encoding.decode_without_bom_handling_and_without_replacement(bare)?;
    let name = if encoding == UTF_16LE || encoding == UTF_16BE { "UTF-16" } else { encoding.name() };
    Some((text.into_owned(), name))
}

fn encoding_of(bytes: &[u8]) -> Option<&'static Encoding> {
    match Encoding::for_bom(bytes) {
        Some((encoding, _)) if encoding == UTF_16LE || encoding == UTF_16BE => return Some(encoding),
        _ => {}
    }
    // Each second byte of ASCII in UTF-16 is nothing.
    let pairs = || bytes.chunks_exact(2).take(LOOKED_AT);
    let half = pairs().len() / 4;
    if half > 0 && pairs().filter(|pair| pair[1] == 0 && pair[0] != 0).count() > half {
        return Some(UTF_16LE);
    }
    if half > 0 && pairs().filter(|pair| pair[0] == 0 && pair[1] != 0).count() > half {
        return Some(UTF_16BE);
    }
    if std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(&bytes[..bytes.len().min(LOOKED_AT)]) {
        return None;
    }
    let mut detector = EncodingDetector::new();
    detector.feed(&bytes[..bytes.len().min(LOOKED_AT)], bytes.len() <= LOOKED_AT);
    let found = detector.guess(None, false);
    let high = bytes.iter().take(LOOKED_AT).filter(|byte| !byte.is_ascii()).count();
    match found {
        _ if high <= SHORT && is_plain_chinese(bytes) => Some(GBK),
        found if high > FEW && [GBK, BIG5, SHIFT_JIS, EUC_KR].contains(&found) => Some(found),
        _ => None,
    }
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
        for bytes in [&[b"\xff\xfe", &little[..]].concat(), &[b"\xfe\xff", &big[..]].concat(), &little, &big]
        {
            assert_eq!(decode(bytes), Some((text.to_owned(), "UTF-16")));
        }
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
