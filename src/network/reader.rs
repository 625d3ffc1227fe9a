//! Reads the text of a network: lines of the name of a layer and its weights, separated by blanks; `#`
//! begins a comment.

use std::str::FromStr;

use crate::game::LARGEST_WEIGHT as LARGEST;
use crate::util::quote;

/// The first word of a network's text.
pub(super) const HEAD: &str = "network";

/// Whether a text is a network rather than weights of a linear evaluation.
pub(crate) fn is_network(text: &str) -> bool {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let mut words = lines.flat_map(str::split_whitespace);
    words.next() == Some(HEAD)
}

/// Reads lines that consist of the name of a layer and its weights.
pub(super) struct Reader<'a> {
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines(),
            number: 0,
        }
    }

    /// The number of the last line that was read.
    pub(super) fn line(&self) -> usize {
        self.number
    }

    /// The words of the next line that has any, without comments.
    pub(super) fn words(&mut self) -> Result<Vec<&'a str>, String> {
        loop {
            self.number += 1;
            let Some(line) = self.lines.next() else {
                return Err(format!("line {}: the network ends too early", self.number));
            };
            let line = line.split('#').next().unwrap_or("");
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                return Ok(words);
            }
        }
    }

    /// The numbers of the next line, which has to begin with `what`.
    pub(super) fn numbers<T: FromStr>(
        &mut self,
        what: &str,
        count: usize,
    ) -> Result<Vec<T>, String> {
        let words = self.words()?;
        let line = self.number;
        let (found, words) = (words[0], &words[1..]);
        if found != what {
            let found = quote::shorten(found, 20);
            return Err(format!("line {line}: found `{found}`: expected `{what}`"));
        }
        if words.len() != count {
            let found = words.len();
            return Err(format!(
                "line {line}: expected {count} numbers after `{what}`, found {found}"
            ));
        }
        let read = |word: &&str| {
            word.parse().map_err(|_| {
                let word = quote::shorten(word, 20);
                format!("line {line}: invalid number `{word}` in `{what}`")
            })
        };
        words.iter().map(read).collect()
    }

    pub(super) fn rows<const L: usize>(
        &mut self,
        what: &str,
        count: usize,
    ) -> Result<Vec<[f32; L]>, String> {
        let numbers: Vec<f32> = self.numbers(what, count * L)?;
        if let Some(wrong) = numbers
            .iter()
            .find(|number| number.abs() > LARGEST || number.is_nan())
        {
            let line = self.number;
            return Err(format!(
                "line {line}: invalid weight `{wrong}`: expected at most {LARGEST} either way"
            ));
        }
        let (rows, _) = numbers.as_chunks::<L>();
        Ok(rows.to_vec())
    }

    pub(super) fn row<const L: usize>(&mut self, what: &str) -> Result<[f32; L], String> {
        Ok(self.rows(what, 1)?[0])
    }

    /// Checks that nothing but comments follows.
    pub(super) fn end(&mut self) -> Result<(), String> {
        match self.words() {
            Err(_) => Ok(()),
            Ok(words) => {
                let found = quote::shorten(words[0], 20);
                let line = self.number;
                Err(format!(
                    "line {line}: unexpected `{found}` after the end of the network"
                ))
            }
        }
    }
}
