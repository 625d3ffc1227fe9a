//! Quotes text from users and files safely in messages and output.

use std::borrow::Cow;

/// Whether a terminal may act on the character instead of showing it: a control character, a line or
/// paragraph separator, or a character that changes the direction of the text around it
/// ([UAX #9, 2.1 to 2.6](https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters)).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` as one line for a terminal: U+FFFD replaces each [hidden](is_hidden) character.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

/// `text` as lines for a terminal: like [`one_line`], but line ends and tabs stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    replaced(text, |c| matches!(c, '\n' | '\t'))
}

fn replaced(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_wrong = |c: char| is_hidden(c) && !stays(c);
    if text.contains(is_wrong) {
        Cow::Owned(text.replace(is_wrong, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The same JSON value with [hidden](is_hidden) characters escaped. In valid JSON only strings hold
/// such characters.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_hidden(c) {
            escaped += &format!("\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// The word with a capital first letter.
pub(crate) fn title_case(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// `text` as [`one_line`] for a message, with at most `most` characters: longer text is cut and ends
/// in `...`.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return one_line(text).into_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(3)).collect();
    format!("{}...", one_line(&head))
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn either<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        words => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_control_characters_replaced() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abc...");
        assert_eq!(shorten("a\n= b", 6), "a\u{fffd}= b");
        assert_eq!(shorten("", 6), "");
    }

    #[test]
    fn what_a_terminal_would_act_on_is_replaced() {
        for c in "\x1b\x07\x7f\u{9b}\r\u{202e}\u{2066}\u{2069}\u{200f}\u{61c}\u{2028}".chars() {
            assert_eq!(one_line(&format!("a{c}b")), "a\u{fffd}b", "{c:?}");
            assert_eq!(lines(&format!("a{c}\n")), "a\u{fffd}\n", "{c:?}");
        }
        let kept = "Zoë 田辺 עברית – ok";
        assert!(matches!(one_line(kept), Cow::Borrowed(_)));
        assert_eq!(lines("a\nb\tc"), "a\nb\tc");
        assert_eq!(one_line("a\nb\tc"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn json_holds_nothing_that_a_terminal_acts_on() {
        let value = serde_json::json!({"a": "x\u{202e}\u{9b}\x1b\u{7f}\u{2028} y", "\u{2066}": 1});
        let plain = value.to_string();
        let text = json(&plain);
        assert!(!text.contains(is_hidden), "{text:?}");
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, value);
        assert!(matches!(json("{\"a\":\"é\"}"), Cow::Borrowed(_)));
    }
}
