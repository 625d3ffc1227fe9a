//! The tokens of SGF: brackets, nodes, property names and values.

use super::fault::{misplaced, shorten};

/// A token of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `(`: a game or a variation begins.
    Open,
    /// `)`: it ends.
    Close,
    /// `;`: a node begins.
    Node,
    /// The name of a property, in capitals. Lower case letters beside capitals mean nothing, as in
    /// old files; a name of lower case letters alone is converted.
    Name(String),
    /// A value, without its brackets and escapes. Its lines end with `\n`; other control characters
    /// become spaces.
    Value(String),
}

/// Splits a text into tokens, with the byte offset of each.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token with its byte offset; `None` at the end of the text.
    pub(super) fn next(&mut self) -> Option<(usize, Result<Token, String>)> {
        let rest = self.rest();
        let blank = rest.len() - rest.trim_start().len();
        self.at += blank;
        let begin = self.at;
        let first = self.rest().chars().next()?;
        self.at += first.len_utf8();
        let token = match first {
            '(' => Ok(Token::Open),
            ')' => Ok(Token::Close),
            ';' => Ok(Token::Node),
            '[' => self.value(),
            c if c.is_ascii_alphabetic() => Ok(self.name(begin)),
            c => Err(misplaced(c)),
        };
        Some((begin, token))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn name(&mut self, begin: usize) -> Token {
        let rest = self.rest();
        let more = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        self.at += more.unwrap_or(rest.len());
        let letters = self.text.get(begin..self.at).unwrap_or_default();
        if letters.chars().any(|c| c.is_ascii_uppercase()) {
            let kept = letters.chars().filter(|c| !c.is_ascii_lowercase());
            return Token::Name(kept.collect());
        }
        Token::Name(letters.to_ascii_uppercase())
    }

    fn value(&mut self) -> Result<Token, String> {
        let mut value = String::new();
        let mut chars = self.rest().char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let escaped = match c {
                ']' => {
                    self.at += at + 1;
                    return Ok(Token::Value(value));
                }
                '\\' => true,
                _ => false,
            };
            let c = if escaped {
                chars.next().map_or(' ', |(_, c)| c)
            } else {
                c
            };
            // A line ends with CR, LF, or both in either order.
            let other = match c {
                '\r' => Some('\n'),
                '\n' => Some('\r'),
                _ => None,
            };
            match other {
                Some(other) => {
                    chars.next_if(|&(_, next)| next == other);
                    if !escaped {
                        value.push('\n');
                    }
                }
                None => value.push(if c.is_control() { ' ' } else { c }),
            }
        }
        self.at = self.text.len();
        let value = shorten(&value);
        Err(format!("the value `[{value}` is not closed: expected `]`"))
    }

    /// Skips to the next game, that is, to the first `(` of those before a node. Without one, skips to
    /// the end of the text and returns false.
    pub(super) fn skip_to_game(&mut self) -> bool {
        while let Some(found) = self.rest().find('(') {
            self.at += found;
            let run = self.rest();
            let after = run.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
            if after.starts_with(';') {
                return true;
            }
            self.at += run.len() - after.len();
        }
        self.at = self.text.len();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(usize, Result<Token, String>)> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| lexer.next()).collect()
    }

    #[test]
    fn words_have_their_places() {
        let value = |text: &str| Ok(Token::Value(text.into()));
        let name = |text: &str| Ok(Token::Name(text.into()));
        assert_eq!(
            tokens("(; B [aa]\n AddWhite[b\\]b][]é)"),
            [
                (0, Ok(Token::Open)),
                (1, Ok(Token::Node)),
                (3, name("B")),
                (5, value("aa")),
                (11, name("AW")),
                (19, value("b]b")),
                (25, value("")),
                (27, Err(misplaced('é'))),
                (29, Ok(Token::Close)),
            ]
        );
    }

    #[test]
    fn names_and_line_ends_come_in_all_forms() {
        let token = |text: &str| tokens(text).pop().unwrap().1.unwrap();
        for (name, expected) in [
            ("AddBlack", "AB"),
            ("ab", "AB"),
            ("SiZe", "SZ"),
            ("B2", "B2"),
            ("KGS_x", "KGS_"),
        ] {
            assert_eq!(token(name), Token::Name(expected.into()));
        }
        for (value, expected) in [
            ("a\r\nb\rc\nd\n\re", "a\nb\nc\nd\ne"),
            ("a\\\r\nb\\\rc\\\nd\\\n\re", "abcde"),
            ("a\\\\\\]\\:\\x", "a\\]:x"),
            ("a\tb\0c\\\td", "a b c d"),
        ] {
            assert_eq!(token(&format!("[{value}]")), Token::Value(expected.into()));
        }
    }

    #[test]
    fn games_begin_with_a_node() {
        for (text, at) in [
            ("(;", Some(0)),
            ("a ( b (c) (\n;", Some(10)),
            ("( ((;", Some(0)),
            ("(((", None),
            ("a ;)", None),
        ] {
            let mut lexer = Lexer::new(text);
            assert_eq!(lexer.skip_to_game().then_some(lexer.at), at, "{text}");
        }
    }

    #[test]
    fn a_value_may_have_no_end() {
        assert_eq!(
            tokens("B[a\\]"),
            [
                (0, Ok(Token::Name("B".into()))),
                (1, Err("the value `[a]` is not closed: expected `]`".into())),
            ]
        );
    }
}
