//! How many plies a game lasts when the winner wins as quickly as it can and the loser resists
//! as long as it can: questions whether so many are enough, until two neighbours differ.

use std::time::Instant;

use super::mask::Mask;
use super::roots::Roots;
use super::within::{Question, question};
use crate::solver::{Progress, ProgressCallback, Solvable, Solver, SolverLimits, Stopped};

/// After a search that took more than one in so many of all nodes so far, the steps to more plies
/// double: a search with too many plies takes about as long as one with the right number.
const SHARE: u64 = 8;

/// Asks a solver how long games last.
pub(super) struct Asker<'a, 'w> {
    solver: &'a mut Solver,
    limits: SolverLimits,
    /// The nodes of the solver at the start.
    before: u64,
    watch: &'a mut ProgressCallback<'w>,
}

impl<'a, 'w> Asker<'a, 'w> {
    /// The limits are for all that it asks together.
    pub(super) fn new(
        solver: &'a mut Solver,
        limits: &SolverLimits,
        watch: &'a mut ProgressCallback<'w>,
    ) -> Self {
        Self {
            before: solver.nodes(),
            solver,
            limits: *limits,
            watch,
        }
    }

    /// The plies that a position lasts where one side wins, the attacker; `attacks` if it is to
    /// move.
    pub(super) fn length<M: Mask>(
        &mut self,
        position: &Roots<M>,
        attacks: bool,
    ) -> Result<u32, Stopped> {
        // Too few and enough.
        let (mut few, mut enough) = (0, None);
        let mut step = 1;
        loop {
            let plies = match enough {
                Some(enough) if enough == few + 1 => return Ok(enough),
                Some(enough) => few + (enough - few) / 2,
                None => few + step,
            };
            let before = self.solver.nodes();
            if self.makes(position, plies, attacks)? {
                enough = Some(plies);
                continue;
            }
            few = plies;
            let nodes = self.solver.nodes();
            if (nodes - before).saturating_mul(SHARE) > nodes {
                step *= 2;
            }
        }
    }

    /// A move of a position that lasts so many plies, after which the game lasts one ply fewer.
    pub(super) fn keeping<M: Mask>(
        &mut self,
        position: &Roots<M>,
        plies: u32,
        attacks: bool,
    ) -> Result<Option<M>, Stopped> {
        let mut open = Vec::new();
        let mut left = position.legal();
        while !left.is_empty() {
            let point = M::bit(left.lowest());
            left = left.rest();
            let next = match position.play(point) {
                Err(won) if won == attacks && plies == 1 => return Ok(Some(point)),
                Err(_) => continue,
                Ok(_) if plies < 2 => continue,
                Ok(next) => next,
            };
            // The attacker must make it in time then, the defender must last that long.
            let later = if attacks { plies - 1 } else { plies - 2 };
            match question(&next, later, !attacks).known(self.solver.table()) {
                Some(makes) if makes == attacks => return Ok(Some(point)),
                Some(_) => {}
                None => open.push((point, next, later)),
            }
        }
        for (point, next, later) in open {
            if self.makes(&next, later, !attacks)? == attacks {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }

    /// Whether the attacker wins within so many plies.
    fn makes<M: Mask>(
        &mut self,
        position: &Roots<M>,
        plies: u32,
        attacks: bool,
    ) -> Result<bool, Stopped> {
        let question = question(position, plies, attacks);
        if let Some(makes) = question.known(self.solver.table()) {
            return Ok(makes);
        }
        let won = match &question {
            Question::Answered(makes) => return Ok(*makes),
            Question::Duel(duel) => self.search(duel),
            Question::Roots(roots) => self.search(roots),
        }?;
        Ok(won == attacks)
    }

    /// Whether the side to move wins, with what is left of the limits.
    fn search<P: Solvable>(&mut self, position: &P) -> Result<bool, Stopped> {
        let so_far = self.solver.nodes() - self.before;
        let limits = self.limits.after(so_far);
        // A small search would not look.
        let is_late = |deadline| Instant::now() >= deadline;
        if limits.nodes == Some(0) || limits.deadline.is_some_and(is_late) {
            return Err(Stopped);
        }
        let watch = &mut self.watch;
        let watch = &mut |progress: &Progress<'_>| {
            watch(&Progress {
                nodes: so_far + progress.nodes,
                // Nobody knows how many questions there will be.
                done: 0.0,
                ..*progress
            })
        };
        self.solver.solve(position, &limits, watch)
    }
}
