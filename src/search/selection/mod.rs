//! Selection: which child an iteration visits next, and how its value is backed up.
//!
//! There are two implementations of [`Selection`]: [`Priors`] (PUCT with priors, on a graph or a
//! tree) and [`Values`] (PUCT or UCB1 without priors, with or without RAVE, on a tree).
//! [`SelectionConfig`] picks one, once per search.

mod config;
mod priors;
mod rule;
pub(super) mod stats;
mod values;

pub(super) use config::SelectionConfig;
use priors::Priors;
pub(super) use rule::{Selection, WithSelection};
pub(super) use stats::ChildStats;
use values::Values;

use crate::game::{Evaluator, Game};
use crate::params::Exploration;

impl SelectionConfig {
    /// Runs `work` with the selection of this configuration.
    pub(super) fn dispatch<G: Game, E: Evaluator<G>, W: WithSelection<G>>(
        &self,
        work: W,
    ) -> W::Output {
        // The first two conditions are constants, so only selections that an evaluator can have
        // are compiled for it.
        if E::HAS_PRIORS {
            match (self.is_graph, self.corrects) {
                (true, true) => work.run(Priors::<true, true>(*self)),
                (true, false) => work.run(Priors::<true, false>(*self)),
                (false, _) => work.run(Priors::<false, false>(*self)),
            }
        } else if E::HAS_MOVE_EVALUATIONS {
            match self.exploration {
                Exploration::Puct => work.run(Values::<false, false>(*self)),
                Exploration::Ucb1 => work.run(Values::<true, false>(*self)),
            }
        } else {
            match (self.exploration, self.uses_rave()) {
                (Exploration::Puct, false) => work.run(Values::<false, false>(*self)),
                (Exploration::Puct, true) => work.run(Values::<false, true>(*self)),
                (Exploration::Ucb1, false) => work.run(Values::<true, false>(*self)),
                (Exploration::Ucb1, true) => work.run(Values::<true, true>(*self)),
            }
        }
    }
}
