//! The position as a board to draw.

use super::piece::Kind;
use super::position::{COLOURS, Position};
use super::square::{SIDE, SQUARES, Square};
use crate::game::{Game, Seat};
use crate::variant::{BoardView, Ground, MoveCode, Piece, Refusal};

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
        let (seat, kind) = self.piece_at(square(cell)?)?;
        Some(piece(seat, kind))
    }

    fn pieces(&self) -> Vec<Piece> {
        let of = |seat: &Seat| Kind::ALL.map(|kind| piece(*seat, kind));
        Seat::ALL[..2].iter().flat_map(of).collect()
    }

    fn refusal(&self, from: Option<usize>, to: usize) -> Option<Refusal> {
        let colours = [self.mover(), 1 - self.mover()].map(|seat| COLOURS[seat]);
        let refusal = |rule, text, cells| Some(Refusal { rule, text, cells });
        let to = square(to)?;
        let Some(from) = from.and_then(square) else {
            let text = "A step moves a piece; choose the piece first.".to_string();
            return refusal("no-piece", text, Vec::new());
        };
        let here = vec![cell(from)];
        let Some((seat, kind)) = self.piece_at(from) else {
            let text = format!("A step moves a piece; on {from} there is none.");
            return refusal("no-piece", text, here);
        };
        if seat != Game::to_move(self) {
            let text = format!(
                "It is {}'s turn; the {kind:?} on {from} is {}'s.",
                colours[0], colours[1]
            );
            return refusal("not-yours", text, here);
        }
        if self.spent().contains(&from) {
            let text = format!(
                "A piece that has captured may not step again in that turn; the {kind:?} on {from} has."
            );
            return refusal("has-captured", text, here);
        }
        let reach = kind.targets(from);
        if reach & to.bit() == 0 {
            let [one, other] = kind.orders().map(|order| order.movement().0);
            let text =
                format!("The {kind:?} moves {one}, or {other}; it cannot reach {to} from {from}.");
            let reached = Square::all().filter(|square| reach & square.bit() != 0);
            return refusal("movement", text, reached.map(cell).collect());
        }
        match self.piece_at(to) {
            Some((seat, other)) if seat == Game::to_move(self) => {
                let text = format!("A piece cannot capture its own side; {to} has the {other:?}.");
                refusal("own-piece", text, vec![cell(to)])
            }
            _ => None,
        }
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

fn square(cell: usize) -> Option<Square> {
    Square::at(cell % SIDE + 1, SIDE.checked_sub(cell / SIDE)?)
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

    #[test]
    fn a_refusal_names_the_rule_that_a_step_breaks() {
        let mut position = Position::new_game();
        let mut seen = Vec::new();
        // Every step of some games, and every pair of squares that is no step.
        for number in 0..40 {
            if position.outcome().is_some() {
                break;
            }
            for (from, to) in Square::all().flat_map(|a| Square::all().map(move |b| (a, b))) {
                let found = position.refusal(Some(cell(from)), cell(to));
                let is_legal = position.is_legal(super::super::position::Step { from, to });
                assert_eq!(found.is_none(), is_legal, "{from} {to}: {found:?}");
                seen.extend(found.map(|refusal| refusal.rule));
            }
            assert_eq!(position.refusal(None, 0).unwrap().rule, "no-piece");
            let legal = position.legal_moves();
            let captures = legal
                .iter()
                .filter(|step| position.piece_at(step.to).is_some());
            let captures: Vec<_> = captures.copied().collect();
            let step = captures
                .first()
                .copied()
                .unwrap_or(legal[number % legal.len()]);
            position.play(step);
        }
        seen.sort_unstable();
        seen.dedup();
        let rules = [
            "has-captured",
            "movement",
            "no-piece",
            "not-yours",
            "own-piece",
        ];
        assert_eq!(seen, rules);
    }
}
