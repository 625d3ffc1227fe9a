//! What people and other programs see of a position.

use std::fmt;

use super::board_view::BoardView;
use super::exact::{Exact, ExactSettings};
use crate::board::{BoardSize, Point};
use crate::game::{Game, Seat};

/// A move as the number that its game gives it ([`Game::code`]), where nobody needs to know
/// the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveCode(u16);

impl MoveCode {
    /// The code of a number.
    pub fn new(number: u16) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Debug for MoveCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MoveCode({})", self.0)
    }
}

impl From<Point> for MoveCode {
    fn from(point: Point) -> Self {
        Self(point.number())
    }
}

/// The texts of a position and its moves.
pub trait Notation {
    /// The position as people look at it: what `showboard` answers.
    fn show(&self) -> String;
    /// The position as `--setup` reads it.
    fn position_text(&self) -> String;
    /// The moves that a word stands for, from this position on: one, or, where a turn may
    /// have several, some or all of the turn. Whether they are legal is another question.
    ///
    /// # Errors
    /// What is wrong with the word, in one sentence that quotes it.
    fn read_moves(&self, word: &str) -> Result<Vec<MoveCode>, String>;
    /// The word for moves that one side makes in a row.
    fn write_moves(&self, moves: &[MoveCode]) -> String;
    /// What a legal move is, to complete "expected".
    fn expected_move(&self) -> String;
    /// The moves that the side to move makes in a row now, at most.
    fn moves_in_turn(&self) -> u32 {
        1
    }
    /// A guess of the moves that the side to move has yet to make in the game.
    fn moves_left(&self) -> u32;
    /// The seats that are still in the game.
    fn in_play(&self) -> Vec<Seat>;
    /// What the linear evaluation weighs, for each seat in play; the chance of a seat is
    /// `exp(w . x)` in proportion.
    fn inputs(&self) -> Vec<(Seat, Vec<f64>)>;
    /// What a network sees of the position: facts about each point as bits, row by row, from
    /// the view of the side to move; `None` where there is no network for it.
    fn planes(&self) -> Option<Vec<u16>> {
        None
    }
    /// The numbers that a network is told of the position; `None` where there is no network for it.
    fn numbers(&self) -> Option<Vec<f32>> {
        None
    }
    /// The stones, where the game is one of stones on points.
    fn stones(&self) -> Option<&dyn Stones> {
        None
    }
    /// The board as it can be drawn, where the game has a square one.
    fn drawn(&self) -> Option<&dyn BoardView> {
        None
    }
    /// A solver for the position.
    ///
    /// # Errors
    /// Why there is none for it, in one sentence.
    fn exact(&self, settings: &ExactSettings) -> Result<Box<dyn Exact>, String> {
        let _ = settings;
        Err("there are no exact results for this game".to_string())
    }
}

/// A position of stones on the points of a square board.
pub trait Stones {
    /// The board.
    fn size(&self) -> BoardSize;
    /// Whose stone lies on a point.
    fn stone_at(&self, point: Point) -> Option<Seat>;
    /// Where a seat could play if it were its turn; nowhere in a finished game.
    fn legal(&self, seat: Seat) -> Vec<Point>;
    /// How many groups a seat has on the board.
    fn groups(&self, seat: Seat) -> u32;
    /// The groups on the board, those of the first seat first.
    fn all_groups(&self) -> Vec<Group>;
    /// The stones that are off the board after a seat has played at a point, if it is its turn
    /// and the point is legal for it; the point itself among them if that stone goes, too.
    fn removed_by(&self, seat: Seat, point: Point) -> Vec<Point>;
    /// The points that a seat can get to with moves of its own, at most, as long as nothing is
    /// taken off.
    fn playable(&self, seat: Seat) -> Vec<Point>;
}

/// A group of stones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Whose it is.
    pub seat: Seat,
    /// Its stones, in the order of their numbers.
    pub stones: Vec<Point>,
    /// Where its owner could extend it.
    pub space: Vec<Point>,
}

/// A game that can be shown and told.
pub trait PlayableGame: Game + Notation + 'static {}

impl<G: Game + Notation + 'static> PlayableGame for G {}
