//! Quoting what somebody typed in a message.

/// `text` for a message, at most `most` characters: a longer one is cut and ends
/// with `...`. Control characters become U+FFFD, so that a line end in it cannot
/// begin a line that a client takes for an answer.
pub fn shorten(text: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    if text.chars().nth(most).is_none() {
        return text.chars().map(clean).collect();
    }
    let head = text.chars().map(clean).take(most.saturating_sub(3));
    head.chain("...".chars()).collect()
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
}
