//! Exact results of Tanbo positions, up to 10x10 and 13 roots a side.
//!
//! A game has two phases. While a side has more than one root (`roots`), a position is the stones
//! of both sides, seen from the side to move; up to 7x7 the eight symmetric views of it share a
//! key. Once each side has one root (`one_root`) nothing will ever be removed, so a position is
//! where each side can play: many arrangements of stones become the same, and counting often ends
//! the search. This phase is folded by symmetry only on entry; later positions in it are not.
//!
//! | file | what it does |
//! |---|---|
//! | `mask`, `symmetry` | bitboards and their eight views |
//! | `playable_space` | where a side can play, and how many stones fit there |
//! | `roots`, `one_root` | the two phases; their `bounds` decide by counting |
//! | `rank`, `ordering_network` | the order of moves |
//! | `win_in_n`, `length` | how long a game lasts |

mod length;
mod mask;
#[cfg(test)]
mod naive;
mod one_root;
mod ordering_network;
mod playable_space;
mod rank;
mod roots;
mod symmetry;
#[cfg(test)]
mod tests;
mod win_in_n;

use self::length::LengthSearch;
use self::mask::Mask;
use self::roots::{BoardGeometry, Roots};
use super::position::Position;
use crate::board::{BoardSize, Point, PointSet};
use crate::game::{IllegalMove, Outcome, Seat};
use crate::solver::{Key, ProgressCallback, Solvable, Solver, SolverLimits, Stopped};
use crate::variant::{ExactSettings, ExactSolver, GameProgress, MoveCode, Verdict};

/// The most roots of a side. Roots neither split nor join, so a position with few never has many;
/// positions take a third of the room then.
const MAX_ROOTS: usize = 13;
const FEW_ROOTS: usize = 2;

/// A solver for a position.
///
/// # Errors
/// Says in one sentence why the position cannot be solved.
pub fn of_position<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    settings: &ExactSettings,
) -> Result<Box<dyn ExactSolver>, String> {
    let size = position.size();
    let seats = position.in_play();
    let mover = position.to_move();
    let other = match seats[..] {
        [a, b] if a == mover => b,
        [a, b] if b == mover => a,
        _ if seats.len() > 2 => {
            return Err(format!(
                "{} players are in the game: the solver needs 2",
                seats.len()
            ));
        }
        _ => return Err("the game is over".to_string()),
    };
    let stones = [position.stones(mover), position.stones(other)];
    let seats = [mover, other];
    let has_few_roots = seats
        .into_iter()
        .all(|seat| position.root_count(seat) as usize <= FEW_ROOTS);
    match (<u64 as Mask>::stride(size.side()), has_few_roots) {
        (Some(_), true) => ExactTanbo::<u64, FEW_ROOTS>::start(size, stones, seats, settings),
        (Some(_), false) => ExactTanbo::<u64, MAX_ROOTS>::start(size, stones, seats, settings),
        (None, true) => ExactTanbo::<u128, FEW_ROOTS>::start(size, stones, seats, settings),
        (None, false) => ExactTanbo::<u128, MAX_ROOTS>::start(size, stones, seats, settings),
    }
}

/// The solver with a game: the position and those before it.
struct ExactTanbo<M: Mask, const N: usize> {
    size: BoardSize,
    stride: u32,
    /// The side that moves first, and the other one.
    seats: [Seat; 2],
    path: Vec<Roots<M, N>>,
    /// How the last move ended the game.
    over: Option<Outcome>,
    solver: Solver,
}

impl<M: Mask, const N: usize> ExactTanbo<M, N> {
    fn start<const W: usize>(
        size: BoardSize,
        stones: [PointSet<W>; 2],
        seats: [Seat; 2],
        settings: &ExactSettings,
    ) -> Result<Box<dyn ExactSolver>, String> {
        let side = size.side();
        let Some(stride) = M::stride(side) else {
            return Err(format!(
                "the board is {side}x{side}: the solver needs at most 10x10"
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
        let board = BoardGeometry {
            side: side as u32,
            stride,
            points,
        };
        let Some(start) = Roots::new(mask(stones[0]), mask(stones[1]), board) else {
            return Err(format!(
                "a side has more than {MAX_ROOTS} roots, the most that the solver can hold"
            ));
        };
        let [[a, c], [b, d]] = start.stones().map(M::words);
        let question = Key::of(&[a, b, c, d, side as u64, seats[0].index() as u64]);
        Ok(Box::new(Self {
            size,
            stride,
            seats,
            path: vec![start],
            over: None,
            solver: settings.solver(question),
        }))
    }

    fn position(&self) -> &Roots<M, N> {
        // Never empty: it begins with the start.
        &self.path[self.path.len() - 1]
    }

    /// The move at the lowest point of a set that is not empty.
    fn code(&self, set: M) -> Option<MoveCode> {
        let (row, column) = (set.lowest() / self.stride, set.lowest() % self.stride);
        let point = self.size.point(column as usize, row as usize);
        point.map(MoveCode::from)
    }

    /// The legal moves, with their points.
    fn moves(&self) -> impl Iterator<Item = (MoveCode, M)> {
        let legal = match self.over {
            None => self.position().legal(),
            Some(_) => M::EMPTY,
        };
        let points = legal.points();
        points.filter_map(|point| Some((self.code(point)?, point)))
    }

    fn other(&self) -> Seat {
        self.seats[self.path.len() % 2]
    }

    fn result(&self, won: bool) -> Outcome {
        Outcome::Winner(if won { self.to_move() } else { self.other() })
    }

    /// Whether the side to move wins (is the attacker), and the remaining limits.
    fn attacker_to_move(
        &mut self,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<(bool, SolverLimits), Stopped> {
        let before = self.solver.nodes();
        let winner = Outcome::Winner(self.to_move());
        let attacks = self.solve(limits, on_progress)?.outcome == Some(winner);
        Ok((attacks, limits.after(self.solver.nodes() - before)))
    }

    fn key(&self) -> Key {
        match self.position().one_root_once() {
            Some(one_root) => one_root.key(),
            None => self.position().key(),
        }
    }
}

fn index_of(point: Point, size: BoardSize, stride: u32) -> u32 {
    point.row(size) as u32 * stride + point.column(size) as u32
}

impl<M: Mask, const N: usize> ExactSolver for ExactTanbo<M, N> {
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
        match self.position().play(bit) {
            Ok(next) => self.path.push(next),
            Err(won) => {
                self.over = Some(self.result(won));
                self.path.push(*self.position());
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
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Verdict, Stopped> {
        if let Some(outcome) = self.over {
            return Ok(Verdict::of(outcome));
        }
        let position = *self.position();
        let won = match position.one_root_once() {
            Some(one_root) => self.solver.solve(&one_root, limits, on_progress),
            None => self.solver.solve(&position, limits, on_progress),
        }?;
        Ok(Verdict::of(self.result(won)))
    }

    fn has_length(&self) -> bool {
        true
    }

    fn length(
        &mut self,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Option<u32>, Stopped> {
        if self.over.is_some() {
            return Ok(Some(0));
        }
        let (attacker_to_move, limits) = self.attacker_to_move(limits, on_progress)?;
        let position = *self.position();
        let mut search = LengthSearch::new(&mut self.solver, &limits, on_progress);
        search.length(&position, attacker_to_move).map(Some)
    }

    fn lasting(
        &mut self,
        plies: u32,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Option<MoveCode>, Stopped> {
        if self.over.is_some() {
            return Ok(None);
        }
        let (attacker_to_move, limits) = self.attacker_to_move(limits, on_progress)?;
        let position = *self.position();
        let mut search = LengthSearch::new(&mut self.solver, &limits, on_progress);
        let point = search.best_move(&position, plies, attacker_to_move)?;
        Ok(point.and_then(|point| self.code(point)))
    }

    fn known(&self) -> Option<Outcome> {
        if self.over.is_some() {
            return self.over;
        }
        let (table, position) = (self.solver.table(), self.position());
        let won = match position.one_root_once() {
            Some(one_root) => table
                .probe(one_root.key())
                .or_else(|| one_root.bounds(one_root.max_stones())),
            None => {
                let won = table.probe(position.key());
                won.or_else(|| position.counted())
            }
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
