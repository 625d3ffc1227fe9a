//! Editing a start position of Tanbo.

use super::{Setup, colour, diagram};
use crate::board::{Point, vertex};
use crate::game::Seat;
use crate::util::quote::shorten;
use crate::variant::SetupEditor;

impl SetupEditor for Setup {
    fn help(&self) -> &'static str {
        "Make up a start position:\n\
         \x20 put COLOUR POINT ...    puts stones, such as put black C3 D3\n\
         \x20 clear [POINT ...]       takes stones off, or all of them\n\
         \x20 to move COLOUR          says who begins\n\
         \x20 board, done, cancel, quit\n"
    }

    fn text(&self) -> String {
        diagram::write(self)
    }

    fn show(&self) -> String {
        let board = diagram::with_coordinates(self.size, |p| self.stones.get(&p).copied());
        let colour = colour::word(self.to_move);
        format!("{board}\nto move: {colour}\n")
    }

    fn put(&mut self, seat: Seat, words: &[&str]) -> Result<(), String> {
        if words.is_empty() {
            return Err("`put` needs a point, such as C3".to_string());
        }
        let stones = words.iter().map(|word| Ok((point(self, word)?, seat)));
        let stones = stones.collect::<Result<Vec<_>, String>>()?;
        self.stones.extend(stones);
        Ok(())
    }

    fn clear(&mut self, words: &[&str]) -> Result<(), String> {
        if words.is_empty() {
            self.stones.clear();
            return Ok(());
        }
        let mut stones = self.stones.clone();
        for word in words {
            if stones.remove(&point(self, word)?).is_none() {
                return Err(format!("`{}` is empty already", shorten(word, 60)));
            }
        }
        self.stones = stones;
        Ok(())
    }

    fn set_to_move(&mut self, seat: Seat) -> Result<(), String> {
        self.to_move = seat;
        Ok(())
    }
}

fn point(setup: &Setup, word: &str) -> Result<Point, String> {
    vertex::parse(word, setup.size).map_err(|error| error.to_string())
}
