//! Solves endings exactly.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::game::{Outcome, Seat};
use crate::solver::SolverLimits;
use crate::tanbo::{Start, exact, with_position};
use crate::util::break_if;
use crate::variant::ExactSettings;

/// The result of a position of two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Solved {
    pub(crate) winner: Seat,
    pub(crate) nodes: u64,
}

/// Solves a position; `None` if it gives up.
pub(crate) type Solve<'a> = dyn Fn(&Start) -> Option<Solved> + Sync + 'a;

/// The most bytes of the table, which grows as needed.
const BYTES: usize = 1 << 30;

/// The solver on one thread, with an empty table for each position. It gives up once `stop` is set.
pub(crate) fn solver(stop: &AtomicBool) -> impl Fn(&Start) -> Option<Solved> + Sync {
    let settings = ExactSettings::new(BYTES);
    move |start| {
        let solver = with_position!(start, |position| exact::of_position(&position, &settings));
        let mut solver = solver.ok()?;
        let limits = SolverLimits::default();
        let solved = solver.solve(&limits, &mut |_| break_if(stop.load(Relaxed)));
        let nodes = solver.nodes();
        match solved.ok()?.outcome? {
            Outcome::Winner(winner) => Some(Solved { winner, nodes }),
            Outcome::Draw => None,
        }
    }
}
