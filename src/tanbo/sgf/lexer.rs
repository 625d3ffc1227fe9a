//! The words of SGF: brackets, nodes, property names and values.

/// One word of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `(`, a game or a variation begins.
    Open,
    /// `)`, it ends.
    Close,
    /// `;`, a node begins.
    Node,
    /// The name of a property, without the lower case letters that old files have.
    Name(String),
    /// A value, without its brackets and escapes.
    Value(String),
}

/// Text that is no word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stray {
    /// A character that begins none.
    Character(char),
    /// A value without its closing bracket.
    OpenValue(String),
}

/// Splits a text into words, each with the byte it begins at.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next word and where it begins; none at the end of the text.
    pub(super) fn next(&mut self) -> Option<(usize, Result<Token, Stray>)> {
        let rest = self.rest();
        let blank = rest.len() - rest.trim_start().len();
        self.at += blank;
        let begin = self.at;
        let first = self.rest().chars().next()?;
        self.at += first.len_utf8();
        let word = match first {
            '(' => Ok(Token::Open),
            ')' => Ok(Token::Close),
            ';' => Ok(Token::Node),
            '[' => self.value(),
            c if c.is_ascii_alphabetic() => Ok(self.name(begin)),
            c => Err(Stray::Character(c)),
        };
        Some((begin, word))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn name(&mut self, begin: usize) -> Token {
        let rest = self.rest();
        let more = rest.find(|c: char| !c.is_ascii_alphabetic());
        self.at += more.unwrap_or(rest.len());
        let letters = self.text.get(begin..self.at).unwrap_or_default();
        Token::Name(letters.chars().filter(char::is_ascii_uppercase).collect())
    }

    fn value(&mut self) -> Result<Token, Stray> {
        let mut value = String::new();
        let mut escaped = false;
        for (at, c) in self.rest().char_indices() {
            match c {
                _ if escaped => {
                    escaped = false;
                    value.push(c);
                }
                '\\' => escaped = true,
                ']' => {
                    self.at += at + 1;
                    return Ok(Token::Value(value));
                }
                _ => value.push(c),
            }
        }
        self.at = self.text.len();
        Err(Stray::OpenValue(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(usize, Result<Token, Stray>)> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| lexer.next()).collect()
    }

    #[test]
    fn words_have_their_places() {
        let value = |text: &str| Ok(Token::Value(text.into()));
        let name = |text: &str| Ok(Token::Name(text.into()));
        assert_eq!(
            words("(; B [aa]\n AddWhite[b\\]b][]é)"),
            [
                (0, Ok(Token::Open)),
                (1, Ok(Token::Node)),
                (3, name("B")),
                (5, value("aa")),
                (11, name("AW")),
                (19, value("b]b")),
                (25, value("")),
                (27, Err(Stray::Character('é'))),
                (29, Ok(Token::Close)),
            ]
        );
    }

    #[test]
    fn a_value_may_have_no_end() {
        assert_eq!(
            words("B[a\\]"),
            [
                (0, Ok(Token::Name("B".into()))),
                (1, Err(Stray::OpenValue("a]".into()))),
            ]
        );
    }
}
