//! A position of Tanbo as a [`Game`] for the search.

use super::playout_board::PlayoutBoard;
use super::position::{Position, Undo};
use crate::board::{Point, Symmetries, Symmetry};
use crate::game::{Game, Outcome, Seat};

impl<const W: usize, const SEATS: usize> Game for Position<W, SEATS> {
    type Move = Point;
    type Undo = Undo;
    type Playout = PlayoutBoard<W, SEATS>;
    const SEATS: usize = SEATS;
    const MOVE_CODES: usize = 64 * W;

    #[inline(always)]
    fn to_move(&self) -> Seat {
        Position::to_move(self)
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        self.winner().map(Outcome::Winner)
    }

    #[inline(always)]
    fn moves(&self, moves: &mut Vec<Point>) {
        if self.winner().is_none() {
            moves.extend(self.legal(Position::to_move(self)));
        }
    }

    #[inline(always)]
    fn is_legal(&self, point: Point) -> bool {
        Position::is_legal(self, point)
    }

    #[inline(always)]
    fn play(&mut self, point: Point) -> Undo {
        Position::play(self, point)
    }

    #[inline(always)]
    fn undo(&mut self, undo: Undo) {
        Position::undo(self, undo);
    }

    fn leave(&mut self, seat: Seat) -> bool {
        Position::leave(self, seat).is_ok()
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        Position::hash(self)
    }

    #[inline(always)]
    fn local_pattern(&self, last: Point) -> u16 {
        Position::local_pattern(self, last) as u16
    }

    fn symmetries(&self) -> Symmetries {
        Position::symmetries(self)
    }

    fn image(&self, point: Point, symmetry: Symmetry) -> Point {
        symmetry.image(point, self.size())
    }

    fn distance(&self, a: Point, b: Point) -> u32 {
        let size = self.size();
        let columns = a.column(size).abs_diff(b.column(size));
        columns.max(a.row(size).abs_diff(b.row(size))) as u32
    }

    #[inline(always)]
    fn code(point: Point) -> u16 {
        point.number()
    }

    #[inline(always)]
    fn decode(code: u16) -> Point {
        Point::from_number(code)
    }

    #[inline(always)]
    fn playout(&self) -> PlayoutBoard<W, SEATS> {
        PlayoutBoard::new(self)
    }
}
