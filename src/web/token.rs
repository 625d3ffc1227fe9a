//! The secret that a page has to know.

use std::fmt;

use rand::TryRng;
use rand::rngs::SysRng;
use subtle::ConstantTimeEq;

/// 128 random bits, written as 32 hexadecimal digits.
pub(super) struct Token(String);

impl Token {
    /// A new token; `None` if the system has no randomness. A guessable one would be worse than none.
    pub(super) fn new() -> Option<Self> {
        let mut bytes = [0; 16];
        SysRng.try_fill_bytes(&mut bytes).ok()?;
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        Some(Self(digits.collect()))
    }

    /// Whether `text` is the token. The time that this takes does not tell how much of it is right.
    pub(super) fn is(&self, text: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(text).into()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_right() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        let text = one.to_string();
        assert_eq!(text.len(), 32);
        assert!(one.is(text.as_bytes()) && !other.is(text.as_bytes()));
        for wrong in [
            "",
            &text[..31],
            &(text.clone() + "0"),
            &text.replace(&text[31..], "x"),
        ] {
            assert!(!one.is(wrong.as_bytes()), "{wrong}");
        }
    }
}
