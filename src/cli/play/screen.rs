//! The output of `play`: shows nothing that a terminal would act on.

use std::io::{self, Write};

use crate::util::quote;

/// A writer that replaces everything that a terminal would act on. Only [`Screen::draw`] lets the
/// colours of a drawing pass.
pub(super) struct Screen<'a> {
    to: &'a mut dyn Write,
}

impl<'a> Screen<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Self {
        Self { to }
    }

    /// Writes one of the program's own drawings, with its colours.
    pub(super) fn draw(&mut self, drawing: &str) -> io::Result<()> {
        self.to.write_all(drawing.as_bytes())
    }
}

impl Write for Screen<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    /// Formatted text comes in whole characters.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        self.to.write_all(quote::lines(&text).as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_drawings_have_control_characters() {
        let mut shown = Vec::new();
        let mut screen = Screen::new(&mut shown);
        let typed = "\x1b[31mred \x1b]0;title\x07 \u{9b}2J \u{202e}田\r";
        writeln!(screen, "`{typed}` is unknown").unwrap();
        screen.draw("\x1b[1mX\x1b[0m\n").unwrap();
        let text = String::from_utf8(shown).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        assert!(!first.contains(quote::is_hidden), "{first:?}");
        assert!(first.contains("[31mred") && first.contains('田'), "{first}");
        assert_eq!(rest, "\x1b[1mX\x1b[0m\n");
    }
}
