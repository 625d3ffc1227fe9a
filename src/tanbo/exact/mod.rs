//! Exact results of Tanbo positions, up to 10x10 and 13 roots a side.
//!
//! While a side has more than one root, a position is its stones, up to 7x7 folded by the eight turns of
//! the board, and seen from the side to move. Once each side has one root nothing will ever be
//! taken off, so only where each side can play counts: many positions of stones become the
//! same, and counting often ends the search (see `side` and `duel`).
//!
//! | file | what it does |
//! |---|---|
//! | `mask` | sets of points in a word or two; `symmetry` turns them |
//! | `roots` | any number of roots |
//! | `side`, `duel` | one root a side: bounds by counting |
//! | `rank`, `net` | the order of moves, where much is left to play by a network |
//! | `length`, `within` | how long a game lasts: whether the winner makes it within so many plies |

mod duel;
mod length;
mod mask;
mod net;
mod rank;
mod roots;
mod side;
mod symmetry;
mod within;

use self::length::Asker;
use self::mask::Mask;
use self::roots::{Board, MOST_ROOTS, Roots};
use super::position::Position;
use crate::board::{BoardSize, Point, PointSet};
use crate::game::{IllegalMove, Outcome, Seat};
use crate::solver::{Key, ProgressCallback, Solvable, Solver, SolverLimits, Stopped};
use crate::variant::{Exact, ExactSettings, MoveCode, Verdict};

/// A solver for a position.
///
/// # Errors
/// Why there is none for it, in one sentence.
pub fn of_position<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    settings: &ExactSettings,
) -> Result<Box<dyn Exact>, String> {
    let size = position.size();
    let seats: Vec<Seat> = Seat::ALL[..SEATS]
        .iter()
        .copied()
        .filter(|&seat| position.root_count(seat) > 0)
        .collect();
    let mover = position.to_move();
    let other = match seats[..] {
        [a, b] if a == mover => b,
        [a, b] if b == mover => a,
        _ if seats.len() > 2 => {
            return Err(format!(
                "{} players are in the game, exact results are for 2",
                seats.len()
            ));
        }
        _ => return Err("the game is over".to_string()),
    };
    let stones = [position.stones(mover), position.stones(other)];
    let seats = [mover, other];
    if <u64 as Mask>::stride(size.side()).is_some() {
        Ok(Box::new(Walk::<u64>::new(size, stones, seats, settings)?))
    } else {
        Ok(Box::new(Walk::<u128>::new(size, stones, seats, settings)?))
    }
}

/// A position of the game and those before it.
struct Walk<M: Mask> {
    size: BoardSize,
    stride: u32,
    /// Who moves at the start, and the other side.
    seats: [Seat; 2],
    /// The positions from the start on.
    path: Vec<Roots<M>>,
    /// How the last move ended the game, if it did.
    over: Option<Outcome>,
    solver: Solver,
}

impl<M: Mask> Walk<M> {
    fn new<const W: usize>(
        size: BoardSize,
        stones: [PointSet<W>; 2],
        seats: [Seat; 2],
        settings: &ExactSettings,
    ) -> Result<Self, String> {
        let side = size.side();
        let Some(stride) = M::stride(side) else {
            return Err(format!(
                "the board is {side}x{side}, exact results are for up to 10x10"
            ));
        };
        let mask = |set: PointSet<W>| {
            let mut mask = M::EMPTY;
            for point in set {
                mask |= M::bit(index_of(point, size, stride));
            }
            mask
        };
        let points = mask(PointSet::board(size));
        let board = Board {
            side: side as u32,
            stride,
            points,
        };
        let Some(start) = Roots::new(mask(stones[0]), mask(stones[1]), board) else {
            return Err(format!(
                "a side has more than {MOST_ROOTS} roots, exact results are for at most as many"
            ));
        };
        let [[a, c], [b, d]] = start.stones().map(M::words);
        let question = Key::of(&[a, b, c, d, side as u64, seats[0].index() as u64]);
        Ok(Self {
            size,
            stride,
            seats,
            path: vec![start],
            over: None,
            solver: settings.solver(question),
        })
    }

    fn position(&self) -> &Roots<M> {
        // There is always the start.
        &self.path[self.path.len() - 1]
    }

    /// The move at the lowest point of a set that has one.
    fn code(&self, set: M) -> Option<MoveCode> {
        let (row, column) = (set.lowest() / self.stride, set.lowest() % self.stride);
        let point = self.size.point(column as usize, row as usize);
        point.map(MoveCode::from)
    }

    /// The legal moves, with their points.
    fn moves(&self) -> impl Iterator<Item = (MoveCode, M)> {
        let mut left = match self.over {
            None => self.position().legal(),
            Some(_) => M::EMPTY,
        };
        std::iter::from_fn(move || {
            let lowest = (!left.is_empty()).then(|| M::bit(left.lowest()))?;
            left = left.rest();
            Some((self.code(lowest)?, lowest))
        })
    }

    /// The seat that is not to move.
    fn other(&self) -> Seat {
        self.seats[self.path.len() % 2]
    }

    /// What it means that the side to move wins, or not.
    fn result(&self, won: bool) -> Outcome {
        Outcome::Winner(if won { self.to_move() } else { self.other() })
    }

    /// Whether the side to move wins, so that it is the one that wins as quickly as it can.
    fn attacks(
        &mut self,
        limits: &SolverLimits,
        watch: &mut ProgressCallback<'_>,
    ) -> Result<bool, Stopped> {
        let winner = Outcome::Winner(self.to_move());
        Ok(self.solve(limits, watch)?.outcome == Some(winner))
    }

    fn key(&self) -> Key {
        match self.position().duel() {
            Some(duel) => duel.key(),
            None => self.position().key(),
        }
    }
}

fn index_of(point: Point, size: BoardSize, stride: u32) -> u32 {
    point.row(size) as u32 * stride + point.column(size) as u32
}

impl<M: Mask> Exact for Walk<M> {
    fn to_move(&self) -> Seat {
        match self.over {
            Some(Outcome::Winner(seat)) => seat,
            _ => self.seats[(self.path.len() + 1) % 2],
        }
    }

    fn over(&self) -> Option<Outcome> {
        self.over
    }

    fn legal(&self) -> Vec<MoveCode> {
        self.moves().map(|(code, _)| code).collect()
    }

    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove> {
        let found = self.moves().find(|&(legal, _)| legal == code);
        let (_, bit) = found.ok_or(IllegalMove)?;
        let (mover, other) = (self.to_move(), self.other());
        match self.position().play(bit) {
            Ok(next) => self.path.push(next),
            Err(won) => {
                self.path.push(*self.position());
                self.over = Some(Outcome::Winner(if won { mover } else { other }));
            }
        }
        Ok(())
    }

    fn undo(&mut self) -> bool {
        if self.path.len() < 2 {
            return false;
        }
        self.path.pop();
        self.over = None;
        true
    }

    fn solve(
        &mut self,
        limits: &SolverLimits,
        watch: &mut ProgressCallback<'_>,
    ) -> Result<Verdict, Stopped> {
        if let Some(outcome) = self.over {
            return Ok(Verdict::of(outcome));
        }
        let position = *self.position();
        let won = match position.duel() {
            Some(duel) => self.solver.solve(&duel, limits, watch),
            None => self.solver.solve(&position, limits, watch),
        }?;
        Ok(Verdict::of(self.result(won)))
    }

    fn has_length(&self) -> bool {
        true
    }

    fn length(
        &mut self,
        limits: &SolverLimits,
        watch: &mut ProgressCallback<'_>,
    ) -> Result<Option<u32>, Stopped> {
        if self.over.is_some() {
            return Ok(Some(0));
        }
        let before = self.solver.nodes();
        let attacks = self.attacks(limits, watch)?;
        let limits = limits.after(self.solver.nodes() - before);
        let position = *self.position();
        let length = Asker::new(&mut self.solver, &limits, watch).length(&position, attacks)?;
        Ok(Some(length))
    }

    fn lasting(
        &mut self,
        plies: u32,
        limits: &SolverLimits,
        watch: &mut ProgressCallback<'_>,
    ) -> Result<Option<MoveCode>, Stopped> {
        if self.over.is_some() {
            return Ok(None);
        }
        let before = self.solver.nodes();
        let attacks = self.attacks(limits, watch)?;
        let limits = limits.after(self.solver.nodes() - before);
        let position = *self.position();
        let mut asker = Asker::new(&mut self.solver, &limits, watch);
        let point = asker.keeping(&position, plies, attacks)?;
        Ok(point.and_then(|point| self.code(point)))
    }

    fn known(&self) -> Option<Outcome> {
        if self.over.is_some() {
            return self.over;
        }
        let (table, position) = (self.solver.table(), self.position());
        let won = match position.duel() {
            Some(duel) => table.probe(duel.key()).or_else(|| duel.bounds(duel.most())),
            None => table.probe(position.key()).or_else(|| {
                let counted = position.bounds(position.sides());
                counted.map(|(won, _)| won)
            }),
        };
        won.map(|won| self.result(won))
    }

    fn effort(&self) -> Option<u32> {
        match self.over {
            Some(_) => None,
            None => self.solver.table().effort(self.key()),
        }
    }

    fn solver(&self) -> &Solver {
        &self.solver
    }

    fn solver_mut(&mut self) -> &mut Solver {
        &mut self.solver
    }
}
