//! Who wins, by playing every game to its end: nothing but the rules, a table of the positions
//! that were seen, and the order in which moves are tried. It knows no symmetry, no bound and no
//! part of a board that stands for itself, so it can be wrong only where the rules are.

use ahash::AHashMap;

use crate::oracle::quick::{Grid, Quick, Set};
use crate::oracle::{Board, Colour, Point};

/// A search of one board size; what it found out serves the next question.
pub(super) struct Exhaustive {
    pub(super) grid: Grid,
    /// Whether the side to move wins.
    seen: AHashMap<Quick, bool>,
    /// So many more positions may be looked into.
    left: usize,
}

impl Exhaustive {
    /// Nothing known yet, on a board of this size.
    pub(super) fn new(size: i32) -> Exhaustive {
        Exhaustive {
            grid: Grid::new(size),
            seen: AHashMap::new(),
            left: 0,
        }
    }

    /// How many positions are known.
    pub(super) fn known(&self) -> usize {
        self.seen.len()
    }

    /// Whether the side to move wins; none if that takes more than `most` positions.
    pub(super) fn wins(&mut self, position: &Quick, most: usize) -> Option<bool> {
        self.left = most;
        self.search(position)
    }

    fn search(&mut self, position: &Quick) -> Option<bool> {
        let own = position.to_move;
        if let Some(winner) = position.winner() {
            return Some(winner == own);
        }
        if let Some(&known) = self.seen.get(position) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        let mut replies: Vec<(u32, Quick)> = Vec::new();
        let mut found = false;
        for next in self.after(position) {
            match next.winner() {
                Some(winner) if winner == own => found = true,
                Some(_) => {}
                None => match self.seen.get(&next) {
                    Some(false) => found = true,
                    Some(true) => {}
                    None => replies.push((next.legal(&self.grid).count_ones(), next)),
                },
            }
            if found {
                break;
            }
        }
        // Few replies are soon refuted.
        if !found {
            replies.sort_unstable();
            for (_, next) in &replies {
                if !self.search(next)? {
                    found = true;
                    break;
                }
            }
        }
        self.seen.insert(*position, found);
        Some(found)
    }

    /// The positions after each legal move.
    fn after(&self, position: &Quick) -> impl Iterator<Item = Quick> {
        let moves = bits(position.legal(&self.grid));
        moves.map(|point| position.after(&self.grid, point))
    }

    /// Each legal move, and whether it wins; none if that takes more than `most` positions.
    pub(super) fn moves(&mut self, position: &Quick, most: usize) -> Option<Vec<(Point, bool)>> {
        self.left = most;
        let legal = position.legal(&self.grid);
        let mut all = Vec::new();
        for (point, bit) in self.grid.points(legal).into_iter().zip(bits(legal)) {
            let next = position.after(&self.grid, bit);
            let wins = match next.winner() {
                Some(winner) => winner == position.to_move,
                None => !self.search(&next)?,
            };
            all.push((point, wins));
        }
        Some(all)
    }

    /// Who wins on a board of Black and White.
    pub(super) fn winner(&mut self, board: &Board, most: usize) -> Option<Colour> {
        let position = Quick::new(board).1;
        let wins = self.wins(&position, most)?;
        let winner = if wins {
            position.to_move
        } else {
            1 - position.to_move
        };
        Some(Colour::ALL[winner])
    }
}

/// The single points of a set, lowest first.
pub(super) fn bits(mut set: Set) -> impl Iterator<Item = Set> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set &= !lowest;
        (lowest != 0).then_some(lowest)
    })
}
