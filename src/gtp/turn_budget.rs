//! How long a command may think about each move of a turn.

use std::time::{Duration, Instant};

use super::session::Session;
use crate::clock::Budget;
use crate::game::Seat;
use crate::search::{Pace, SearchLimits};

/// A search with a fixed time stops this long before its limit, to leave time for the answer.
const ANSWER_MARGIN: Duration = Duration::from_millis(2);

/// What a move costs on a clock beyond its search: the client measures its own share, too.
const CLOCK_MARGIN: Duration = Duration::from_millis(10);

/// Searches that stop early save about a fifth of their time (0.111 against 0.137 s a move on 9x9
/// at 4+0.04), which allows targets longer by this factor.
const TARGET_FACTOR: f64 = 1.25;

#[derive(Clone, Debug, Default)]
pub(super) struct MoveBudget {
    /// Limits that always hold.
    pub(super) limits: SearchLimits,
    /// Under a clock, the pace and the time at which the move began.
    pub(super) pace: Option<(Pace, Instant)>,
}

pub(super) struct TurnBudget {
    on_clock: Option<Budget>,
    moves: u32,
}

impl TurnBudget {
    pub(super) fn new(session: &Session, seat: Seat) -> Self {
        let progress = session.engine().progress();
        let moves = progress.moves_in_turn().max(1);
        let turns_left = progress.moves_left().div_ceil(moves);
        Self {
            on_clock: session.clocks[seat].budget(turns_left, CLOCK_MARGIN),
            moves,
        }
    }

    /// The budget of the next move after `played` moves of the turn. The turn began at `received`,
    /// the move at `begin`.
    pub(super) fn next(
        &self,
        session: &Session,
        played: u32,
        received: Instant,
        begin: Instant,
    ) -> MoveBudget {
        let limits = session.engine().params().move_limits();
        let limits = SearchLimits::of(limits, begin, ANSWER_MARGIN);
        let Some(budget) = self.on_clock else {
            return MoveBudget { limits, pace: None };
        };
        // Each move of the turn gets an equal share of the clock's time, plus what is left of the
        // shares before it.
        let share = f64::from(played + 1) / f64::from(self.moves.max(played + 1));
        let spent = begin.saturating_duration_since(received);
        let left = |time: Duration| time.mul_f64(share).saturating_sub(spent);
        let pace = Pace {
            target: left(budget.target.mul_f64(TARGET_FACTOR).min(budget.limit)),
            limit: left(budget.limit),
        };
        MoveBudget {
            limits: SearchLimits {
                deadline: begin.checked_add(pace.limit),
                ..limits
            },
            pace: budget.is_kept.then_some((pace, begin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::session::tests::session;

    #[test]
    fn limits_hold_as_they_were_asked_for() {
        let mut session = session(9);
        let now = Instant::now();
        let seat = session.engine().to_move();
        let mut budget = |lines: &str| {
            session.accept(lines);
            let budget = TurnBudget::new(&session, seat).next(&session, 0, now, now);
            let target = budget.pace.map(|(pace, _)| pace.target);
            let deadline = budget.limits.deadline.map(|at| at - now);
            (deadline, budget.limits.iterations, target)
        };
        let ms = Duration::from_millis;
        let fixed = |limit, iterations| (Some(ms(limit)), iterations, None);
        assert_eq!(budget("komi 0"), (None, Some(50), None));
        let unlimited = budget("tanada-param iterations none");
        assert_eq!(unlimited, fixed(998, None));
        let both = budget("tanada-param iterations 9; tanada-param time_per_move 0.5");
        assert_eq!(both, fixed(498, Some(9)));
        // The unused time of such a period is lost.
        let clock = budget("time_settings 0 30 1");
        assert_eq!(clock, fixed(29_990, Some(9)));
        assert_eq!(budget("time_left b 5.5 1"), fixed(5_490, Some(9)));
        assert_eq!(budget("clear_board"), clock);
        assert_eq!(budget("time_settings 0 1 0"), both);
        let (limit, _, target) = budget("kata-time_settings absolute 60");
        assert!(
            limit > target && target > Some(ms(1000)),
            "{limit:?} {target:?}"
        );
        let fischer = budget("kata-time_settings fischer 0 10");
        assert_eq!(fischer.0, Some(crate::clock::budget::SMALLEST_BUDGET));
        assert_eq!(budget("kata-time_settings none"), both);
        assert_eq!(budget("tanada-param time_per_move 1000000").1, Some(9));
    }
}
