//! Exact results of a position of any game, where its game has a solver.

use std::path::PathBuf;
use std::time::Duration;

use super::notation::MoveCode;
use crate::game::{IllegalMove, Outcome, Seat};
use crate::solver::checkpoint::Checkpoint;
use crate::solver::{Key, Solver, SolverLimits, Stopped, Watch};

/// What a solver may use, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactSettings {
    /// Bytes of the table at most; at least 1 MiB is used.
    pub bytes: usize,
    /// Threads, at least 1.
    pub threads: usize,
    /// Whether moves are ordered as the game has it. Without that the results are the same and
    /// take longer.
    pub has_order: bool,
    /// A file that keeps what is known.
    pub checkpoint: Option<CheckpointFile>,
}

/// A file that keeps what a solver knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointFile {
    /// The file.
    pub path: PathBuf,
    /// The time between two writings while a search runs.
    pub every: Duration,
    /// Whether a file that is no checkpoint is written over.
    pub force: bool,
}

impl ExactSettings {
    /// A solver as they have it, for a question that a checkpoint belongs to.
    pub fn solver(&self, question: Key) -> Solver {
        let checkpoint = self.checkpoint.clone().map(|file| Checkpoint {
            path: file.path,
            every: file.every,
            question,
            force: file.force,
        });
        Solver::new(self.bytes, self.threads)
            .ordered(self.has_order)
            .kept(checkpoint)
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The result with best play; `None` where the game goes on for longer than the solver can
    /// see.
    pub outcome: Option<Outcome>,
    /// Whether the side to move can win before the other side moves; `None` in a game of single
    /// moves.
    pub wins_this_turn: Option<bool>,
}

impl Verdict {
    /// A result, and nothing about the turn.
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome: Some(outcome),
            wins_this_turn: None,
        }
    }
}

/// What `look` sees after a move, which is taken back then; `None` if it is illegal.
pub(super) fn after<T>(
    exact: &mut dyn Exact,
    code: MoveCode,
    look: impl FnOnce(&mut dyn Exact) -> T,
) -> Option<T> {
    exact.play(code).ok()?;
    let seen = look(exact);
    exact.undo();
    Some(seen)
}

/// A position with what is known about it and about what follows.
pub trait Exact: Send {
    /// The seat to move.
    fn to_move(&self) -> Seat;
    /// How the game ended, if it is over.
    fn over(&self) -> Option<Outcome>;
    /// The legal moves.
    fn legal(&self) -> Vec<MoveCode>;
    /// Plays a move.
    ///
    /// # Errors
    /// An illegal one; nothing is changed.
    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove>;
    /// Takes the last move back; false if there is none.
    fn undo(&mut self) -> bool;
    /// The result with best play, or what can be told of it.
    ///
    /// # Errors
    /// A limit was reached, or `watch` ended it; what was found out stays known.
    fn solve(&mut self, limits: &SolverLimits, watch: &mut Watch<'_>) -> Result<Verdict, Stopped>;
    /// Whether it can tell how long a game lasts.
    fn has_length(&self) -> bool {
        false
    }
    /// The plies until the game ends when the winner wins as quickly as it can and the loser
    /// resists as long as it can; 0 if it is over, `None` where [`Exact::has_length`] is false.
    ///
    /// # Errors
    /// A limit was reached, or `watch` ended it; what was found out stays known.
    fn length(
        &mut self,
        limits: &SolverLimits,
        watch: &mut Watch<'_>,
    ) -> Result<Option<u32>, Stopped> {
        let _ = (limits, watch);
        Ok(None)
    }
    /// A best move by length: if the position lasts `plies` as [`Exact::length`] counts them, a
    /// move after which it lasts one fewer. With other numbers it may be any move or `None`.
    ///
    /// # Errors
    /// A limit was reached, or `watch` ended it; what was found out stays known.
    fn lasting(
        &mut self,
        plies: u32,
        limits: &SolverLimits,
        watch: &mut Watch<'_>,
    ) -> Result<Option<MoveCode>, Stopped> {
        let _ = (plies, limits, watch);
        Ok(None)
    }
    /// The result, if it is known without a search.
    fn known(&self) -> Option<Outcome>;
    /// A move that is known to keep a result, without another search; `None` if none is.
    fn keeps(&self, outcome: Outcome) -> Option<MoveCode> {
        let _ = outcome;
        None
    }
    /// The logarithm to base 2 of the nodes that the result of the position took, if the table
    /// still has it.
    fn effort(&self) -> Option<u32>;
    /// Nodes of all searches so far.
    fn nodes(&self) -> u64 {
        self.solver().nodes()
    }
    /// What finds it all out.
    fn solver(&self) -> &Solver;
    /// The same, to learn from a checkpoint.
    fn solver_mut(&mut self) -> &mut Solver;
}
