//! The exact solver on endings.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::Solved;
use crate::game::Outcome;
use crate::solver::SolverLimits;
use crate::tanbo::{Start, exact, with_position};
use crate::variant::ExactSettings;

/// Bytes of the table at most; it grows with need.
const BYTES: usize = 1 << 30;

/// The solver on one thread, which begins anew with each position; until `stop` is set.
pub fn solver(stop: &AtomicBool) -> impl Fn(&Start) -> Option<Solved> + Sync {
    let settings = ExactSettings {
        bytes: BYTES,
        threads: 1,
        has_order: true,
        checkpoint: None,
    };
    move |start| {
        let solver = with_position!(start, |position| exact::of_position(&position, &settings));
        let mut solver = solver.ok()?;
        let solved = solver.solve(
            &SolverLimits::default(),
            &mut |_| match stop.load(Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            },
        );
        match solved.ok()?.outcome? {
            Outcome::Winner(winner) => Some(Solved {
                winner,
                nodes: solver.nodes(),
            }),
            Outcome::Draw => None,
        }
    }
}
