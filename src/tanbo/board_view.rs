//! The position as a board to draw, with the spaces of its roots.

use super::{Position, colour};
use crate::board::vertex;
use crate::board::{BoardSize, Point, PointSet};
use crate::game::Seat;
use crate::variant::{BoardView, Ground, GroupReach, MoveCode, Piece, Refusal};

impl<const W: usize, const SEATS: usize> BoardView for Position<W, SEATS> {
    fn side(&self) -> usize {
        self.size().side()
    }

    fn ground(&self) -> Ground {
        Ground::Points
    }

    fn labels(&self) -> (Vec<String>, Vec<String>) {
        let side = self.size().side();
        let columns = vertex::COLUMNS.chars().take(side).map(String::from);
        let rows = (1..=side).rev().map(|row| row.to_string());
        (columns.collect(), rows.collect())
    }

    fn piece_on(&self, cell: usize) -> Option<Piece> {
        Some(stone(self.stone_at(point(cell, self.size())?)?))
    }

    fn pieces(&self) -> Vec<Piece> {
        Seat::ALL.into_iter().take(SEATS).map(stone).collect()
    }

    fn ends(&self, mv: MoveCode) -> (Option<usize>, usize) {
        (None, cell(mv.point(), self.size()))
    }

    fn refusal(&self, _from: Option<usize>, to: usize) -> Option<Refusal> {
        let size = self.size();
        let point = point(to, size)?;
        let name = vertex::name(point, size);
        if self.stone_at(point).is_some() {
            return Some(Refusal {
                rule: "occupied",
                text: format!("A stone needs an empty point; {name} has a stone."),
                cells: vec![to],
            });
        }
        let own = self.stones(self.to_move());
        let touched = size.neighbours(point).filter(|&p| own.contains(p));
        let cells: Vec<usize> = touched.map(|p| cell(p, size)).collect();
        let (rule, count) = match cells.len() {
            0 => ("no-stone", "none"),
            1 => return None,
            2 => ("two-stones", "two"),
            3 => ("two-stones", "three"),
            _ => ("two-stones", "four"),
        };
        let text = format!(
            "A stone must touch exactly one stone of its own colour; {name} touches {count}."
        );
        Some(Refusal { rule, text, cells })
    }

    /// A root reaches its root space, and from there every empty point that is connected to it
    /// over empty points without a stone of its colour beside them. On a shortest path each new
    /// stone touches only the one before it, so every move is legal. A point that touches two
    /// stones of the colour stays closed.
    fn spaces(&self) -> Vec<GroupReach> {
        let (size, stride) = (self.size(), self.size().stride());
        let cells = |set: PointSet<W>| {
            let mut cells: Vec<usize> = set.iter().map(|p| cell(p, size)).collect();
            cells.sort_unstable();
            cells
        };
        let empty = self.empty();
        let roots = self.roots().into_iter();
        roots
            .map(|root| {
                let beside = self.stones(root.seat).neighbours(stride);
                let through = empty.without(beside) | root.space;
                GroupReach {
                    seat: root.seat,
                    stones: cells(root.stones),
                    now: cells(root.space),
                    reach: cells(root.space.flood(through, stride)),
                }
            })
            .collect()
    }
}

fn stone(seat: Seat) -> Piece {
    Piece {
        seat,
        symbol: colour::stone(seat),
        name: None,
    }
}

fn point(cell: usize, size: BoardSize) -> Option<Point> {
    let side = size.side();
    size.point(cell % side, side.checked_sub(cell / side + 1)?)
}

fn cell(point: Point, size: BoardSize) -> usize {
    let from_top = size.side().saturating_sub(point.row(size) + 1);
    from_top * size.side() + point.column(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tanbo::diagram;

    const WALLED: &str = "X . . . . .\n\
                          . . . . . .\n\
                          O O O O O O\n\
                          . . . . . .\n\
                          . . . . . .\n\
                          X . . . . X\n";

    fn position(text: &str) -> Position<2, 2> {
        Position::new(&diagram::parse(text).unwrap().check(None).unwrap())
    }

    #[test]
    fn a_wall_bounds_the_reach() {
        let spaces = position(WALLED).spaces();
        let of = |first: usize| spaces.iter().find(|s| s.stones[0] == first).unwrap();
        let (upper, left, right) = (of(0), of(30), of(35));
        assert_eq!(upper.now, [1, 6]);
        assert_eq!(upper.reach, (1..12).collect::<Vec<_>>());
        assert_eq!(left.now, [24, 31]);
        // Points beside the other root are closed: a stone there would touch two.
        let mut lower: Vec<usize> = (18..35).collect();
        lower.retain(|cell| ![29, 30, 34].contains(cell));
        assert_eq!(left.reach, lower);
        assert!(!right.reach.contains(&24) && right.reach.contains(&29));
        assert_eq!(of(12).now.len(), 12);
    }

    #[test]
    fn a_refusal_names_the_rule_that_a_move_breaks() {
        let text = "X . X .\n\
                    . . . .\n\
                    . . . O\n\
                    . X . .\n";
        let position = position(text);
        let refusal = |cell| position.refusal(None, cell);
        for cell in 0..16 {
            let is_legal = position.is_legal(point(cell, position.size()).unwrap());
            assert_eq!(refusal(cell).is_none(), is_legal, "{cell}");
        }
        for (cell, rule, part, cells) in [
            (0, "occupied", "A4 has a stone", vec![0]),
            (11, "occupied", "D2 has a stone", vec![11]),
            (5, "no-stone", "B3 touches none", vec![]),
            (1, "two-stones", "B4 touches two", vec![0, 2]),
        ] {
            let found = refusal(cell).unwrap();
            assert_eq!((found.rule, found.cells), (rule, cells));
            assert!(found.text.contains(part), "{}", found.text);
        }
        assert_eq!(refusal(16), None);
    }

    /// Lets a root grow alone, in every way up to a first removal, and collects its stones.
    fn grown(position: &Position<2, 2>, stones: PointSet<2>, seen: &mut Vec<PointSet<2>>) {
        if seen.contains(&stones) {
            return;
        }
        seen.push(stones);
        let roots = position.roots();
        let Some(root) = roots.iter().find(|root| root.stones == stones) else {
            return;
        };
        for point in root.space {
            let mut next = position.clone();
            let mut longer = stones;
            longer.insert(point);
            if !next.play(point).is_quiet() {
                seen.push(longer);
                continue;
            }
            // The other side stands still.
            let setup = crate::tanbo::variant::setup(&next, root.seat);
            grown(&Position::new(&setup.check(None).unwrap()), longer, seen);
        }
    }

    #[test]
    fn what_is_reached_is_what_growing_alone_comes_to() {
        let text = "X . . .\n\
                    . . O .\n\
                    . . . .\n\
                    X . . .\n";
        let position = position(text);
        let size = position.size();
        let black = position.roots().into_iter().take(2);
        for (root, space) in black.zip(position.spaces()) {
            let mut seen = Vec::new();
            grown(&position, root.stones, &mut seen);
            assert!(seen.len() > 20);
            let mut all = PointSet::EMPTY;
            for stones in seen {
                all |= stones;
            }
            let new = all.without(root.stones);
            let mut found: Vec<usize> = new.iter().map(|p| cell(p, size)).collect();
            found.sort_unstable();
            assert_eq!(space.reach, found);
        }
    }
}
