//! Exact results: the interface of a game's solver.

use super::move_code::MoveCode;
use crate::game::{IllegalMove, Outcome, Seat};
use crate::solver::checkpoint::CheckpointFile;
use crate::solver::{Key, ProgressCallback, Solver, SolverLimits, Stopped};

/// The resources and options of a solver.
///
/// ```
/// let settings = tanada::ExactSettings { threads: 2, ..tanada::ExactSettings::new(1 << 20) };
/// # let _ = settings;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactSettings {
    /// The most bytes that the table of results may take; at least 1 MiB is used.
    pub bytes: usize,
    /// Threads, at least 1.
    pub threads: usize,
    /// Whether the game orders its moves. Without the order the results are the same but take
    /// longer.
    pub has_order: bool,
    /// The file that keeps the table.
    #[doc(hidden)]
    pub checkpoint: Option<CheckpointFile>,
}

impl ExactSettings {
    /// A table of at most `bytes` bytes, one thread, ordered moves, no checkpoint.
    pub fn new(bytes: usize) -> Self {
        Self {
            bytes,
            threads: 1,
            has_order: true,
            checkpoint: None,
        }
    }

    /// A solver with these settings. A checkpoint belongs to the `question`, a key of the position.
    pub(crate) fn solver(&self, question: Key) -> Solver {
        let mut solver = Solver::new(self.bytes, self.threads);
        solver.has_order = self.has_order;
        solver.checkpoint = self.checkpoint.clone().map(|file| (file, question));
        solver
    }
}

/// The result of a solved position.
///
/// ```
/// use tanada::{Outcome, Verdict};
///
/// assert_eq!(Verdict::of(Outcome::Draw).outcome, Some(Outcome::Draw));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The result with best play; `None` if the game lasts longer than the solver can see.
    pub outcome: Option<Outcome>,
    /// Whether the side to move can win before the other side moves; `None` in a game where a
    /// turn is one move.
    pub wins_this_turn: Option<bool>,
}

impl Verdict {
    /// A result without information about the turn.
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome: Some(outcome),
            wins_this_turn: None,
        }
    }
}

/// Plays a move, calls `look`, and takes the move back. `None` if the move is illegal.
pub(super) fn after<T>(
    exact: &mut dyn ExactSolver,
    code: MoveCode,
    look: impl FnOnce(&mut dyn ExactSolver) -> T,
) -> Option<T> {
    exact.play(code).ok()?;
    let seen = look(exact);
    exact.undo();
    Some(seen)
}

/// A solver that stands at a position and can follow the moves of the game.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(4), None, None)?;
/// # let engine = tanada::Engine::new(configuration.start().clone(), tanada::Params::default());
/// # let settings = tanada::ExactSettings::new(1 << 20);
/// use std::ops::ControlFlow;
///
/// let mut solver: Box<dyn tanada::ExactSolver> = engine.exact(&settings)?;
/// let verdict = solver.solve(&tanada::SolverLimits::default(), &mut |_| ControlFlow::Continue(()));
/// assert!(verdict.is_ok_and(|verdict| verdict.outcome.is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ExactSolver: Send {
    /// The seat to move.
    fn to_move(&self) -> Seat;
    /// How the game ended; `None` while it runs.
    fn over(&self) -> Option<Outcome>;
    /// The legal moves.
    fn legal(&self) -> Vec<MoveCode>;
    /// Plays a move.
    ///
    /// # Errors
    /// The move is illegal; nothing is changed.
    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove>;
    /// Takes the last move back; false if there is none.
    fn undo(&mut self) -> bool;
    /// Finds the result with best play, or as much of it as the solver can tell.
    ///
    /// # Errors
    /// A limit was reached, or `on_progress` ended the search. The table keeps what was found.
    fn solve(
        &mut self,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Verdict, Stopped>;
    /// Whether the solver can count how long a game lasts.
    fn has_length(&self) -> bool {
        false
    }
    /// The plies until the game ends if the winner wins as quickly and the loser resists as long
    /// as possible; 0 if it is over, `None` if [`ExactSolver::has_length`] is false.
    ///
    /// # Errors
    /// A limit was reached, or `on_progress` ended the search. The table keeps what was found.
    fn length(
        &mut self,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Option<u32>, Stopped> {
        let _ = (limits, on_progress);
        Ok(None)
    }
    /// A best move by length: in a position that lasts `plies`, as [`ExactSolver::length`] counts
    /// them, a move after which it lasts one ply less. With a wrong number the answer means nothing.
    ///
    /// # Errors
    /// A limit was reached, or `on_progress` ended the search. The table keeps what was found.
    fn lasting(
        &mut self,
        plies: u32,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Option<MoveCode>, Stopped> {
        let _ = (plies, limits, on_progress);
        Ok(None)
    }
    /// The result, if the table has it or it needs no search.
    fn known(&self) -> Option<Outcome>;
    /// A move that is known to keep a result, without a search.
    fn keeps(&self, outcome: Outcome) -> Option<MoveCode> {
        let _ = outcome;
        None
    }
    /// The size of the search that found the result, `floor(log2(nodes)) + 1`, at most 31; `None`
    /// if the table no longer has it.
    fn effort(&self) -> Option<u32>;
    /// The nodes of all searches so far.
    fn nodes(&self) -> u64 {
        self.solver().nodes()
    }
    /// The solver behind it.
    #[doc(hidden)]
    fn solver(&self) -> &Solver;
    /// The solver behind it, to load a checkpoint.
    #[doc(hidden)]
    fn solver_mut(&mut self) -> &mut Solver;
}
