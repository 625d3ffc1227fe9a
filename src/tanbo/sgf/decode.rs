//! Decodes the bytes of a file. The first rule that applies decides:
//!
//! 1. a byte order mark;
//! 2. zero bytes beside ASCII: UTF-16;
//! 3. `CA`, if it decodes without errors; but a Western European label on valid UTF-8 is ignored,
//!    because that is a frequent mistake;
//! 4. valid UTF-8;
//! 5. Windows-1252, which decodes anything.

use std::borrow::Cow;

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

/// The number of bytes in which every other one is tested for zero.
const SAMPLE: usize = 64;

/// Longer than any label.
const LABEL: usize = 40;

/// The text of a file with game records. Games may name different encodings. Bytes that cannot be
/// decoded become U+FFFD; line ends stay.
pub(crate) fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(mark..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0.into_owned();
    }
    if let Some(encoding) = wide(bytes) {
        return encoding.decode_without_bom_handling(bytes).0.into_owned();
    }
    let labels = labels(bytes);
    let mut names: Vec<_> = labels
        .iter()
        .map(|&(_, encoding)| encoding.name())
        .collect();
    names.dedup();
    if names.len() < 2 {
        return with(labels.first().map(|&(_, encoding)| encoding), bytes).into_owned();
    }
    // Each game has its own encoding: cut where the games begin.
    let mut text = String::new();
    let mut from = 0;
    let ends = labels.iter().skip(1).map(|&(begin, _)| begin);
    for (&(_, encoding), to) in labels.iter().zip(ends.chain([bytes.len()])) {
        text += &with(Some(encoding), bytes.get(from..to).unwrap_or_default());
        from = to;
    }
    text
}

/// UTF-16 without a mark.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = bytes.get(..SAMPLE.min(bytes.len()))?;
    let zeros = |odd: usize| {
        let every_other = sample.iter().skip(odd).step_by(2);
        every_other.filter(|&&byte| byte == 0).count() * 4 > sample.len()
    };
    match (zeros(0), zeros(1)) {
        (true, false) => Some(UTF_16BE),
        (false, true) => Some(UTF_16LE),
        _ => None,
    }
}

/// For each game whose first `CA` names a known encoding: the offset of the last `(` before it, and
/// the encoding.
fn labels(bytes: &[u8]) -> Vec<(usize, &'static Encoding)> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, window) in bytes.windows(3).enumerate() {
        if window.first() == Some(&b'(') {
            begin = at;
        }
        let before = at.checked_sub(1).and_then(|i| bytes.get(i));
        let whole_name = before.is_none_or(|byte| !byte.is_ascii_alphabetic());
        if whole_name && window.eq_ignore_ascii_case(b"CA[") {
            let rest = bytes.get(at + 3..).unwrap_or_default();
            let rest = rest.get(..LABEL.min(rest.len())).unwrap_or_default();
            let label = rest.split(|&byte| byte == b']').next().unwrap_or_default();
            // A second one in the same game is part of some text.
            if found.last().is_none_or(|(of, _)| *of != begin) {
                found.extend(encoding(label).map(|encoding| (begin, encoding)));
            }
        }
    }
    found
}

fn encoding(label: &[u8]) -> Option<&'static Encoding> {
    let label = label.trim_ascii().to_ascii_lowercase();
    let by_page = match label.as_slice() {
        b"cp932" | b"ms932" => Some(SHIFT_JIS),
        b"cp936" | b"ms936" => Some(GBK),
        b"cp949" | b"ms949" => Some(EUC_KR),
        b"cp950" | b"ms950" => Some(BIG5),
        _ => None,
    };
    // The brackets were found as single bytes, so the encoding must contain ASCII.
    by_page
        .or_else(|| Encoding::for_label(&label))
        .filter(|encoding| encoding.is_ascii_compatible() || *encoding == ISO_2022_JP)
}

fn with<'a>(named: Option<&'static Encoding>, bytes: &'a [u8]) -> Cow<'a, str> {
    let utf8 = UTF_8.decode_without_bom_handling_and_without_replacement(bytes);
    let named = named.filter(|&named| named != WINDOWS_1252 || utf8.is_none());
    named
        .and_then(|named| named.decode_without_bom_handling_and_without_replacement(bytes))
        .or(utf8)
        .unwrap_or_else(|| WINDOWS_1252.decode_without_bom_handling(bytes).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_encoding_is_told() {
        let text = |label: &str, words: &str| format!("(;CA[{label}]PB[{words}])");
        for (label, words) in [
            ("UTF-8", "Zoë 田辺"),
            ("utf8", "Zoë"),
            ("ISO-8859-1", "Zoë Müller"),
            ("latin1", "Zoë"),
            ("Shift_JIS", "田辺 ソ表"),
            ("cp932", "田辺"),
            ("EUC-JP", "田辺"),
            ("ISO-2022-JP", "田辺"),
            ("GB2312", "棚田"),
            ("GB18030", "棚田"),
            ("cp936", "棚田"),
            ("ms936", "棚田"),
            ("Big5", "梯田 功"),
            ("cp950", "梯田 功"),
            ("EUC-KR", "다락논"),
            ("cp949", "다락논"),
            ("windows-1251", "Терраса"),
            ("koi8-r", "Терраса"),
        ] {
            let text = text(label, words);
            let encoding = encoding(label.as_bytes()).unwrap();
            let (bytes, _, faults) = encoding.encode(&text);
            assert!(!faults, "{label}");
            assert_eq!(decode(&bytes), text, "{label}");
        }
        // A wrong label, no label, or an unknown one.
        for label in ["ISO-8859-1", "GB18030x", "", "UTF-16"] {
            let text = text(label, "Zoë 田");
            assert_eq!(decode(text.as_bytes()), text, "{label}");
        }
        assert_eq!(decode(b"(;PB[Zo\xeb])"), "(;PB[Zoë])");
        assert_eq!(decode(b"(;CA[UTF-8]PB[Zo\xeb])"), "(;CA[UTF-8]PB[Zoë])");
    }

    #[test]
    fn wide_characters_need_no_mark() {
        let text = "(;FF[4]PB[Zoë 田辺])";
        let units: Vec<u16> = text.encode_utf16().collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        assert_eq!(decode(&big), text);
        assert_eq!(decode(&little), text);
        assert_eq!(decode(&[b"\xfe\xff", big.as_slice()].concat()), text);
        assert_eq!(decode(&[b"\xff\xfe", little.as_slice()].concat()), text);
        assert_eq!(decode(&[b"\xef\xbb\xbf", text.as_bytes()].concat()), text);
        // A quarter of zeros is not enough.
        assert_eq!((wide(b"(\0;x"), wide(b"(\0;\0")), (None, Some(UTF_16LE)));
    }

    #[test]
    fn a_label_in_a_text_is_none() {
        let text = "(;CA[UTF-8]PB[田]C[such as CA[gbk])";
        assert_eq!(decode(text.as_bytes()), text);
    }

    #[test]
    fn a_label_begins_with_its_game() {
        for (text, expected) in [
            ("(;PB[big5]CA[UTF-8]C[CA[gbk\\]])", vec![(0, UTF_8)]),
            ("x(;PB[gbk])\n(;PB[a]CA[Big5])", vec![(12, BIG5)]),
            (
                "(;CA[gbk])(;XCA[gbk])(;PB[]ca[UTF-8])",
                vec![(0, GBK), (21, UTF_8)],
            ),
        ] {
            assert_eq!(labels(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn each_game_has_its_encoding() {
        let bytes = [
            b"hello\n(;FF[4]CA[Shift_JIS]PB[\x93\x63])".as_slice(),
            "(;FF[4]CA[UTF-8]PB[田])\n".as_bytes(),
            b"(;CA[ISO-8859-1]PB[Zo\xeb])",
        ];
        let text = "hello\n(;FF[4]CA[Shift_JIS]PB[田])(;FF[4]CA[UTF-8]PB[田])\n\
                    (;CA[ISO-8859-1]PB[Zoë])";
        assert_eq!(decode(&bytes.concat()), text);
    }

    proptest! {
        #[test]
        fn ascii_stays_as_it_is(text in "[ -~\n]{0,80}(CA\\[[a-zA-Z0-9-]{0,9}\\][ -~]{0,20})?") {
            // Two encodings use bytes of ASCII in other ways.
            let lower = text.to_lowercase();
            prop_assume!(!lower.contains("ca[hz") && !lower.contains("ca[iso-2022"));
            prop_assert_eq!(decode(text.as_bytes()), text);
        }

        #[test]
        fn any_bytes_are_text(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(&bytes);
            decode(&[b"(;CA[gbk]".as_slice(), &bytes, b"(;CA[utf-8]", &bytes].concat());
        }
    }
}
