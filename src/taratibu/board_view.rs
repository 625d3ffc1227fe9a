//! The position as a board to draw.

use super::piece::Kind;
use super::position::Position;
use super::square::{SIDE, SQUARES, Square};
use crate::game::{Game, Seat};
use crate::variant::{BoardView, Ground, MoveCode, Piece};

impl BoardView for Position {
    fn side(&self) -> usize {
        SIDE
    }

    fn ground(&self) -> Ground {
        Ground::Squares
    }

    fn labels(&self) -> (Vec<String>, Vec<String>) {
        let digits = |n: usize| n.to_string();
        (
            (1..=SIDE).map(digits).collect(),
            (1..=SIDE).rev().map(digits).collect(),
        )
    }

    fn piece_on(&self, cell: usize) -> Option<Piece> {
        let rank = SIDE.checked_sub(cell / SIDE)?;
        let (seat, kind) = self.piece_at(Square::at(cell % SIDE + 1, rank)?)?;
        Some(piece(seat, kind))
    }

    fn pieces(&self) -> Vec<Piece> {
        let of = |seat: &Seat| Kind::ALL.map(|kind| piece(*seat, kind));
        Seat::ALL[..2].iter().flat_map(of).collect()
    }

    fn ends(&self, mv: MoveCode) -> (Option<usize>, usize) {
        let step = Position::decode(mv.number());
        (Some(cell(step.from)), cell(step.to))
    }
}

fn piece(seat: Seat, kind: Kind) -> Piece {
    Piece {
        seat,
        symbol: kind.letter(seat),
        name: Some(format!("{kind:?}")),
    }
}

fn cell(square: Square) -> usize {
    SQUARES - SIDE * square.rank() + square.file() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_run_from_the_upper_left() {
        let start = Position::new_game();
        let cells: Vec<usize> = Square::all().map(cell).collect();
        assert_eq!((cells[0], cells[6], cells[48]), (42, 48, 6));
        for square in Square::all() {
            let drawn = start.piece_on(cell(square)).map(|p| (p.seat, p.symbol));
            let there = start.piece_at(square);
            assert_eq!(drawn, there.map(|(seat, kind)| (seat, kind.letter(seat))));
        }
        assert_eq!(start.piece_on(SQUARES), None);
    }
}
