//! Editing a start position of Taratibu.

use super::piece::Kind;
use super::position::Position;
use super::square::{SIDE, Square};
use super::text::drawn;
use crate::game::Seat;
use crate::util::quote::shorten;
use crate::variant::SetupEditor;

const EMPTY: char = '.';

/// A position that is being edited.
#[derive(Clone, Debug)]
pub(super) struct Editor {
    /// Letters by rank and file.
    cells: [[char; SIDE]; SIDE],
    /// The lines of the setup file after the board: the turn, which stays, and the spent pieces,
    /// which the first edit drops.
    rest: String,
}

impl Editor {
    pub(super) fn new(start: &Position) -> Self {
        let text = start.to_text();
        let mut editor = Self {
            cells: [[EMPTY; SIDE]; SIDE],
            rest: lines(text.lines().skip(SIDE)),
        };
        for square in Square::all() {
            if let Some((seat, kind)) = start.piece_at(square) {
                editor.set(square, kind.letter(seat));
            }
        }
        editor
    }

    fn set(&mut self, square: Square, letter: char) {
        self.cells[square.rank() - 1][square.file() - 1] = letter;
    }

    fn drop_spent(&mut self) {
        let kept = self.rest.lines().filter(|line| !line.starts_with("spent"));
        self.rest = lines(kept);
    }
}

impl SetupEditor for Editor {
    fn help(&self) -> &'static str {
        "Make up a start position:\n\
         \x20 put COLOUR PIECE SQUARE   puts a piece, such as put white elk 35; pieces are\n\
         \x20                           sphinx, elk, bird, angel, fish, man, duck, captain,\n\
         \x20                           turtle, hero, or their first letters\n\
         \x20 clear [SQUARE ...]        takes pieces off, or all of them\n\
         The turn stays as it is, and none of its pieces is spent.\n\
         \x20 board, done, cancel, quit\n"
    }

    fn text(&self) -> String {
        let rows = self.cells.iter().rev().map(|row| row.iter().collect());
        rows.map(|row: String| row + "\n").collect::<String>() + &self.rest
    }

    fn show(&self) -> String {
        let rows = self.cells.iter().rev();
        drawn(rows.map(|row| row.map(String::from).join(" "))) + &self.rest
    }

    fn put(&mut self, seat: Seat, words: &[&str]) -> Result<(), String> {
        let [name, word] = words else {
            let text = "`put` takes a colour, a piece and a square, such as white elk 35";
            return Err(text.to_string());
        };
        let kind = kind(name).ok_or_else(|| {
            let name = shorten(name, 60);
            format!("`{name}` is not a piece: expected a name or a first letter")
        })?;
        self.set(square(word)?, kind.letter(seat));
        self.drop_spent();
        Ok(())
    }

    fn clear(&mut self, words: &[&str]) -> Result<(), String> {
        let squares = words.iter().map(|word| square(word));
        let squares: Vec<Square> = squares.collect::<Result<_, _>>()?;
        if squares.is_empty() {
            self.cells = [[EMPTY; SIDE]; SIDE];
        }
        for square in squares {
            self.set(square, EMPTY);
        }
        self.drop_spent();
        Ok(())
    }

    fn set_to_move(&mut self, _seat: Seat) -> Result<(), String> {
        let is_first = self.rest.starts_with("turn 1,");
        Err(if is_first {
            "white begins in this game".to_string()
        } else {
            "the turn stays as it is".to_string()
        })
    }
}

fn lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("{line}\n")).collect()
}

fn square(word: &str) -> Result<Square, String> {
    let error = || {
        format!(
            "invalid square `{}`: expected a file and a rank from 1 to 7, such as 35",
            shorten(word, 60)
        )
    };
    Square::parse(word).ok_or_else(error)
}

/// The kind that a name or its first letter stands for.
fn kind(name: &str) -> Option<Kind> {
    let name = name.to_lowercase();
    let kind = name.chars().next().and_then(Kind::from_letter)?;
    let whole = format!("{kind:?}").to_lowercase();
    (name.len() == 1 || name == whole).then_some(kind)
}
